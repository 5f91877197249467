! GEOMS and GEDENSOUT with explicit interfaces, so that the compiler checks the arguments of the call and of the
! subroutines that are passed. Compile this file with the program, with the same compiler and flags.
!
!     use geoms_module
!     ...
!     call geoms(...)
!
! The module is not called GEOMS because a module and an external procedure cannot have the same name. The functions of
! the handle (geoms.h) are in geoms_handle.f90, for which the name is free.
!
! INTEGER is the default one: with -fdefault-integer-8 (which needs libgeoms64) these are the interfaces for 64 bits. Reals are
! those of C whatever the flags: where -fdefault-real-8 makes DOUBLE PRECISION 16 bytes long, the call is refused by the compiler.
!
! What the compiler compares with the interfaces below are types, ranks, shapes and INTENT: declare the subroutines
! exactly so. They must have explicit interfaces themselves (module or internal procedures); one that is only
! declared EXTERNAL is passed unchecked. A scalar RTOL or ATOL (ITOL=0) is passed as an array: [1d-7].

module geoms_module
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  private
  public :: geoms, gedensout
  public :: geoms_ivcond, geoms_eom, geoms_mas, geoms_jac, geoms_solout
  public :: geoms_no_ivcond, geoms_no_jac, geoms_no_solout

  abstract interface
    ! Conditions on the initial values, COND = 0.
    subroutine geoms_ivcond(n, t, x, ncond, cond, ipar, rpar, ierr)
      import :: c_double
      integer, intent(in) :: n, ncond
      real(c_double), intent(in) :: t, x(n)
      real(c_double), intent(inout) :: cond(ncond)
      integer, intent(inout) :: ipar(*), ierr
      real(c_double), intent(inout) :: rpar(*)
    end subroutine

    ! Right-hand sides and constraints.
    subroutine geoms_eom(m, n, t, x, rda, iopt, ropt, ipar, rpar, ierr)
      import :: c_double
      integer, intent(in) :: m, n, iopt(*)
      real(c_double), intent(in) :: t, x(n), ropt(*)
      real(c_double), intent(inout) :: rda(m)
      integer, intent(inout) :: ipar(*), ierr
      real(c_double), intent(inout) :: rpar(*)
    end subroutine

    ! Mass matrix.
    subroutine geoms_mas(t, nx, x, m, n, ma, iopt, ropt, ipar, rpar, ierr)
      import :: c_double
      integer, intent(in) :: nx, m, n, iopt(*)
      real(c_double), intent(in) :: t, x(nx), ropt(*)
      real(c_double), intent(inout) :: ma(m, n)
      integer, intent(inout) :: ipar(*), ierr
      real(c_double), intent(inout) :: rpar(*)
    end subroutine

    ! NEGATIVE partial derivatives of what EOM returns. RPAR comes before IPAR.
    subroutine geoms_jac(m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, t, x, fx1, fx2, fx3, fx4, fx5, fx6, &
                         iopt, ropt, rpar, ipar, ierr)
      import :: c_double
      integer, intent(in) :: m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, iopt(*)
      real(c_double), intent(in) :: t, x(n), ropt(*)
      real(c_double), intent(inout) :: fx1(m1, n), fx2(m2, n3+n4), fx3(m3, n4), fx4(m4, n), fx5(m5, n), fx6(m6, n3+n4)
      real(c_double), intent(inout) :: rpar(*)
      integer, intent(inout) :: ipar(*), ierr
    end subroutine

    ! Called at the initial point and after every accepted step. RPAR comes before IPAR.
    subroutine geoms_solout(naccpt, told, t, x, n, nn2, nn3, nn4, contx, h, c1m1, c2m1, rpar, ipar, ierr)
      import :: c_double
      integer, intent(in) :: naccpt, n, nn2, nn3, nn4
      real(c_double), intent(in) :: told, t, x(n), contx(nn4), h, c1m1, c2m1
      real(c_double), intent(inout) :: rpar(*)
      integer, intent(inout) :: ipar(*), ierr
    end subroutine
  end interface

  interface
    subroutine geoms(np, nv, nr, nw, ns, nl, nm, ni, m, n, nivcond, x, t, tend, h, rtol, atol, itol, iopt, ropt, &
                     ivcond, eom, mas, jac, ijac, solout, iout, liwork, iwork, lrwork, rwork, rpar, ipar, ierr, idid)
      import :: c_double, geoms_ivcond, geoms_eom, geoms_mas, geoms_jac, geoms_solout
      integer, intent(in) :: np, nv, nr, nw, ns, nl, nm, ni, m, n, nivcond, itol, ijac, iout, liwork, lrwork
      real(c_double), intent(inout) :: x(n), t, h
      real(c_double), intent(in) :: tend, rtol(*), atol(*), ropt(40)
      integer, intent(in) :: iopt(40)
      procedure(geoms_ivcond) :: ivcond
      procedure(geoms_eom) :: eom
      procedure(geoms_mas) :: mas
      procedure(geoms_jac) :: jac
      procedure(geoms_solout) :: solout
      integer, intent(inout) :: iwork(liwork), ipar(*), ierr, idid
      real(c_double), intent(inout) :: rwork(lrwork), rpar(*)
    end subroutine

    ! Component I at TOUT, from the arguments of SOLOUT.
    function gedensout(i, tout, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1)
      import :: c_double
      real(c_double) :: gedensout
      integer, intent(in) :: i, n, nn2, nn3, nn4
      real(c_double), intent(in) :: tout, t, h, contx(nn4), c1m1, c2m1
    end function
  end interface

contains

  ! To be passed where nothing is called: NIVCOND=0, IJAC=0, IOUT=0. If one is called nevertheless, the run stops with
  ! the code of that subroutine.

  subroutine geoms_no_ivcond(n, t, x, ncond, cond, ipar, rpar, ierr)
    integer, intent(in) :: n, ncond
    real(c_double), intent(in) :: t, x(n)
    real(c_double), intent(inout) :: cond(ncond)
    integer, intent(inout) :: ipar(*), ierr
    real(c_double), intent(inout) :: rpar(*)
    ierr = -1
  end subroutine

  subroutine geoms_no_jac(m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, t, x, fx1, fx2, fx3, fx4, fx5, fx6, &
                          iopt, ropt, rpar, ipar, ierr)
    integer, intent(in) :: m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, iopt(*)
    real(c_double), intent(in) :: t, x(n), ropt(*)
    real(c_double), intent(inout) :: fx1(m1, n), fx2(m2, n3+n4), fx3(m3, n4), fx4(m4, n), fx5(m5, n), fx6(m6, n3+n4)
    real(c_double), intent(inout) :: rpar(*)
    integer, intent(inout) :: ipar(*), ierr
    ierr = -1
  end subroutine

  subroutine geoms_no_solout(naccpt, told, t, x, n, nn2, nn3, nn4, contx, h, c1m1, c2m1, rpar, ipar, ierr)
    integer, intent(in) :: naccpt, n, nn2, nn3, nn4
    real(c_double), intent(in) :: told, t, x(n), contx(nn4), h, c1m1, c2m1
    real(c_double), intent(inout) :: rpar(*)
    integer, intent(inout) :: ipar(*), ierr
    ierr = -1
  end subroutine

end module
