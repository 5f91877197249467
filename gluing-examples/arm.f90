! One planar rod without any pin, written in Fortran: the last member of the chain of two_languages.c. No Jacobian: differences are taken.
module arm
  use, intrinsic :: iso_c_binding
  use geoms_handle
  implicit none
  private
  public :: arm_create

  real(c_double), parameter :: length = 0.5d0, mass = 1d0, gravity = 9.81d0

contains

  ! x = [ v | p ], RDA = [ f_dyn | f_kin ].
  integer(c_int) function eom(t, x, rda, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: rda(*)
    type(c_ptr), value :: user
    rda(1:3) = [0d0, -mass*gravity, 0d0]
    rda(4:6) = x(1:3)
    eom = 0
    if (t /= t .and. c_associated(user)) eom = -1
  end function

  integer(c_int) function inertia(t, x, m, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: m(*)
    type(c_ptr), value :: user
    m(1:9) = 0d0
    m(1) = mass
    m(5) = mass
    m(9) = mass*length**2/12d0
    inertia = 0
    if (t /= t .and. c_associated(user)) inertia = int(x(1))
  end function

  ! A handle for the rod that begins at `first` on the x axis, and its initial values.
  type(c_ptr) function arm_create(first, x) bind(c)
    real(c_double), value :: first
    real(c_double), intent(out) :: x(6)
    arm_create = geoms_create(geoms_dimensions(np=3, nv=3), geoms_form_index1)
    if (geoms_set_eom(arm_create, eom) /= 0) arm_create = c_null_ptr
    if (geoms_set_mass(arm_create, inertia) /= 0) arm_create = c_null_ptr
    if (geoms_set_int(arm_create, geoms_c('masstrct'), 4_c_int64_t) /= 0) arm_create = c_null_ptr
    x = [0d0, 0d0, 0d0, first + 0.5d0*length, 0d0, 0d0]
  end function

end module
