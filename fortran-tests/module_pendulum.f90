! The pendulum of the GEOMS report through the module of fortran/geoms.f90: TOL = 1E-8, closed form at T=5.
!
! x = [ lambda | v1 v2 | p1 p2 ]

module pendulum
  use geoms_module
  implicit none
  double precision, parameter :: gravity = 13.75d0

contains

  subroutine eom(m, n, t, x, rda, iopt, ropt, ipar, rpar, ierr)
    integer, intent(in) :: m, n, iopt(*)
    double precision, intent(in) :: t, x(n), ropt(*)
    double precision, intent(inout) :: rda(m)
    integer, intent(inout) :: ipar(*), ierr
    double precision, intent(inout) :: rpar(*)
    associate (lambda => x(1), v => x(2:3), p => x(4:5))
      rda(1) = 2*dot_product(v, v) - 2*gravity*p(2) - 4*dot_product(p, p)*lambda ! gII
      rda(2) = 2*dot_product(p, v)                                               ! gI
      rda(3) = dot_product(p, p) - 1                                             ! g
      rda(4:5) = [0d0, -gravity] - 2*p*lambda                                    ! f_dyn
      rda(6:7) = v                                                               ! f_kin
    end associate
  end subroutine

  subroutine mas(t, nx, x, m, n, ma, iopt, ropt, ipar, rpar, ierr)
    integer, intent(in) :: nx, m, n, iopt(*)
    double precision, intent(in) :: t, x(nx), ropt(*)
    double precision, intent(inout) :: ma(m, n)
    integer, intent(inout) :: ipar(*), ierr
    double precision, intent(inout) :: rpar(*)
    ma = reshape([1d0, 0d0, 0d0, 1d0], [2, 2])
  end subroutine

  ! rpar(1) is the largest violation of the constraint in the middle of the steps.
  subroutine solout(naccpt, told, t, x, n, nn2, nn3, nn4, contx, h, c1m1, c2m1, rpar, ipar, ierr)
    integer, intent(in) :: naccpt, n, nn2, nn3, nn4
    double precision, intent(in) :: told, t, x(n), contx(nn4), h, c1m1, c2m1
    double precision, intent(inout) :: rpar(*)
    integer, intent(inout) :: ipar(*), ierr
    double precision :: p(2)
    integer :: i
    do i = 1, 2
      p(i) = gedensout(3 + i, (told + t)/2, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1)
    end do
    ipar(1) = ipar(1) + 1
    rpar(1) = max(rpar(1), abs(dot_product(p, p) - 1))
  end subroutine

end module

program module_pendulum
  use pendulum
  implicit none
  double precision, parameter :: tol = 1d-8
  double precision, parameter :: exact(5) = [6.530129232836035799d0, 1.164034305982725075d0, &
    -0.893604934116132015d0, -0.608937263148837968d0, -0.793218387046595675d0]
  integer :: iopt(40), iwork(20), ipar(1), ierr, idid
  double precision :: x(5), t, h, ropt(40), rwork(25), rpar(1), error

  iopt = 0
  iopt(15) = 4 ! constant, diagonal mass matrix
  ropt = 0
  ipar = 0
  rpar = 0
  x = [(2.8d0**2 + gravity)/2, 2.8d0, 0d0, 0d0, -1d0]
  t = 0
  h = 0.01d0
  ierr = 0
  idid = 0
  call geoms(2, 2, 0, 0, 0, 1, 0, 0, 7, 5, 0, x, t, 5d0, h, [tol], [tol], 0, iopt, ropt, &
             geoms_no_ivcond, eom, mas, geoms_no_jac, 0, solout, 1, 20, iwork, 25, rwork, rpar, ipar, ierr, idid)
  error = maxval(abs(x - exact)/(1 + abs(exact)))
  print '(a,i0,a,f0.3,a,i0)', 'IDID = ', idid, ', t = ', t, ', steps ', iwork(1)
  if (idid /= 0) error stop 'FAIL: IDID'
  if (.not. error <= 10*tol) error stop 'FAIL: error above 10 TOL'
  if (ipar(1) /= iwork(1) + 1) error stop 'FAIL: an accepted point was not seen'
  if (.not. rpar(1) < 1d-6) error stop 'FAIL: constraint between the points'
  ! Where nothing should be called, something called stops the run.
  t = 0
  call geoms(2, 2, 0, 0, 0, 1, 0, 0, 7, 5, 0, x, t, 5d0, h, [tol], [tol], 0, iopt, ropt, &
             geoms_no_ivcond, eom, mas, geoms_no_jac, 1, solout, 0, 20, iwork, 25, rwork, rpar, ipar, ierr, idid)
  if (idid /= -1104) error stop 'FAIL: geoms_no_jac did not stop the run'
  print '(a)', 'as it should be'
end program
