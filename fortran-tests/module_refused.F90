! What the compiler must refuse: with WRONG=1..7 one thing is not as the module says, with WRONG=0 nothing.

module subroutines
  use geoms_module
  implicit none
contains
#if WRONG == 1
  subroutine ivcond(n, t, x, ncond, cond, rpar, ipar, ierr)
#else
  subroutine ivcond(n, t, x, ncond, cond, ipar, rpar, ierr)
#endif
    integer, intent(in) :: n, ncond
    double precision, intent(in) :: t, x(n)
    double precision, intent(inout) :: cond(ncond), rpar(*)
    integer, intent(inout) :: ipar(*), ierr
  end subroutine

#if WRONG == 2
  subroutine eom(m, n, t, x, rda, iopt, ropt, rpar, ipar, ierr)
#else
  subroutine eom(m, n, t, x, rda, iopt, ropt, ipar, rpar, ierr)
#endif
    integer, intent(in) :: m, n, iopt(*)
    double precision, intent(in) :: t, x(n), ropt(*)
    double precision, intent(inout) :: rda(m), rpar(*)
    integer, intent(inout) :: ipar(*), ierr
  end subroutine

#if WRONG == 3
  subroutine mas(t, nx, x, m, n, ma, iopt, ropt, rpar, ipar, ierr)
#else
  subroutine mas(t, nx, x, m, n, ma, iopt, ropt, ipar, rpar, ierr)
#endif
    integer, intent(in) :: nx, m, n, iopt(*)
    double precision, intent(in) :: t, x(nx), ropt(*)
    double precision, intent(inout) :: ma(m, n), rpar(*)
    integer, intent(inout) :: ipar(*), ierr
  end subroutine

  subroutine jac(m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, t, x, fx1, fx2, fx3, fx4, fx5, fx6, &
#if WRONG == 4
                 iopt, ropt, ipar, rpar, ierr)
#else
                 iopt, ropt, rpar, ipar, ierr)
#endif
    integer, intent(in) :: m1, m2, m3, m4, m5, m6, n1, n2, n3, n4, m, n, iopt(*)
    double precision, intent(in) :: t, x(n), ropt(*)
    double precision, intent(inout) :: fx1(m1, n), fx2(m2, n3+n4), fx3(m3, n4), fx4(m4, n), fx5(m5, n), fx6(m6, n3+n4)
    double precision, intent(inout) :: rpar(*)
    integer, intent(inout) :: ipar(*), ierr
  end subroutine

#if WRONG == 5
  subroutine solout(naccpt, told, t, x, n, nn2, nn3, nn4, contx, h, c1m1, c2m1, ipar, rpar, ierr)
#else
  subroutine solout(naccpt, told, t, x, n, nn2, nn3, nn4, contx, h, c1m1, c2m1, rpar, ipar, ierr)
#endif
    integer, intent(in) :: naccpt, n, nn2, nn3, nn4
    double precision, intent(in) :: told, t, x(n), contx(nn4), h, c1m1, c2m1
    double precision, intent(inout) :: rpar(*)
    integer, intent(inout) :: ipar(*), ierr
  end subroutine
end module

subroutine run(x, t, h, iopt, ropt, iwork, rwork, rpar, ipar, ierr, idid)
  use subroutines
  implicit none
  double precision :: x(5), t, h, ropt(40), rwork(25), rpar(1)
  integer :: iopt(40), iwork(20), ipar(1), ierr, idid
#if WRONG == 6
  ! EOM and MAS exchanged
  call geoms(2, 2, 0, 0, 0, 1, 0, 0, 7, 5, 0, x, t, 5d0, h, [1d-7], [1d-7], 0, iopt, ropt, &
             ivcond, mas, eom, jac, 0, solout, 1, 20, iwork, 25, rwork, rpar, ipar, ierr, idid)
#elif WRONG == 7
  ! IDID forgotten
  call geoms(2, 2, 0, 0, 0, 1, 0, 0, 7, 5, 0, x, t, 5d0, h, [1d-7], [1d-7], 0, iopt, ropt, &
             ivcond, eom, mas, jac, 0, solout, 1, 20, iwork, 25, rwork, rpar, ipar, ierr)
#else
  call geoms(2, 2, 0, 0, 0, 1, 0, 0, 7, 5, 0, x, t, 5d0, h, [1d-7], [1d-7], 0, iopt, ropt, &
             ivcond, eom, mas, jac, 0, solout, 1, 20, iwork, 25, rwork, rpar, ipar, ierr, idid)
#endif
end subroutine
