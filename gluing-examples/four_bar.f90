! The parallel four-bar of Tseng and Hulbert in Cartesian coordinates as three subdomains, in Fortran, on one to three processes. 100 steps to t = 2 are
! compared with values of an independent program; the Jacobians are taken by differences.
module link_model
  use, intrinsic :: iso_c_binding
  use geoms_handle
  implicit none

  ! A rigid body with or without a pin to the ground at its point (at, 0).
  type, bind(c) :: body
    real(c_double) :: mass, inertia, torque
    integer(c_int) :: pinned
    real(c_double) :: at, ground
  end type

contains

  ! x = [ lambda | v | p ], RDA = [ gI | g | f_dyn | f_kin ].
  integer(c_int) function eom(t, x, rda, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: rda(*)
    type(c_ptr), value :: user
    type(body), pointer :: b
    real(c_double) :: v(3), p(3), ax, ay
    integer :: m
    call c_f_pointer(user, b)
    m = 2*b%pinned
    v = x(m+1:m+3)
    p = x(m+4:m+6)
    rda(2*m+1:2*m+3) = [0d0, 0d0, b%torque*t]
    rda(2*m+4:2*m+6) = v
    if (m > 0) then
      ax = b%at*cos(p(3))
      ay = b%at*sin(p(3))
      rda(1:2) = [v(1) - ay*v(3), v(2) + ax*v(3)]
      rda(3:4) = [p(1) + ax - b%ground, p(2) + ay]
      rda(5:7) = rda(5:7) - [x(1), x(2), ax*x(2) - ay*x(1)]
    end if
    eom = 0
  end function

  integer(c_int) function inertia(t, x, m, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: m(*)
    type(c_ptr), value :: user
    type(body), pointer :: b
    call c_f_pointer(user, b)
    m(1:9) = 0d0
    m(1) = b%mass
    m(5) = b%mass
    m(9) = b%inertia
    inertia = 0
    if (t /= t) inertia = int(x(1))
  end function

end module

program four_bar
  use mpi
  use geoms_mpi
  use link_model
  implicit none
  real(c_double), parameter :: pi = 3.14159265358979323846d0, w = 2*pi
  ! p of the three bodies after 100 steps.
  real(c_double), parameter :: reference(9) = [5.7103860112834d-2, 4.9672844609526d-1, 1.4022709476021d+1, &
    1.1142077202257d0, 9.9345689219052d-1, 0d0, 2.0571038601128d0, 4.9672844609526d-1, 1.7164302129611d+1]
  type(body), target :: bodies(3)
  type(c_ptr) :: glue, link, handle
  real(c_double) :: x(8), p(9), all(9), start(3, 3), moving(3, 3), offset(1)
  integer(c_int) :: code, owner, k, port(2, 3), joint
  integer :: ierr, rank, processes, m, bad
  type(geoms_error) :: error

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, processes, ierr)
  glue = geoms_glue_create()
  code = geoms_mpi_attach(glue, int(mpi_comm_world, c_int), 30d0, link)
  if (code /= 0) error stop 'no transport'

  bodies(1) = body(10d0, 1d0, -2d0, 1, -0.5d0, 0d0)
  bodies(2) = body(20d0, 2d0, 0d0, 0, 0d0, 0d0)
  bodies(3) = body(10d0, 1d0, 0d0, 1, 0.5d0, 2d0)
  start = reshape([0d0, 0.5d0, 0.5d0*pi, 1d0, 1d0, 0d0, 2d0, 0.5d0, 1.5d0*pi], [3, 3])
  moving = reshape([-0.5d0*w, 0d0, w, -w, 0d0, 0d0, -0.5d0*w, 0d0, w], [3, 3])
  do k = 1, 3
    owner = int((k - 1)*min(processes, 3)/3, c_int)
    handle = c_null_ptr
    m = 2*bodies(k)%pinned
    x = 0d0
    x(m+1:m+3) = moving(:, k)
    x(m+4:m+6) = start(:, k)
    if (owner == rank) then
      handle = geoms_create(geoms_dimensions(np=3, nv=3, nl=int(m, c_int64_t)), geoms_form_index1)
      code = geoms_set_eom(handle, eom)
      code = geoms_set_mass(handle, inertia)
      code = geoms_set_user(handle, c_loc(bodies(k)))
      code = geoms_set_int(handle, geoms_c('masstrct'), 4_c_int64_t)
    end if
    if (geoms_glue_add(glue, owner, handle, merge_address(owner == rank)) /= k - 1) error stop 'not added'
    port(1, k) = geoms_glue_port_frame(glue, k - 1, 0, 1, 2, merge(-1d0, -0.5d0, k == 2), 0d0)
    port(2, k) = geoms_glue_port_frame(glue, k - 1, 0, 1, 2, merge(1d0, 0.5d0, k == 2), 0d0)
  end do
  joint = geoms_glue_coincide(glue, 0, port(2, 1), 1, port(1, 2), 2, c_null_ptr)
  joint = geoms_glue_coincide(glue, 1, port(2, 2), 2, port(1, 3), 2, c_null_ptr)

  code = geoms_glue_set_int(glue, geoms_c('fixed'), 1)
  code = geoms_glue_start(glue, 0d0, 0.02d0)
  if (code == 0) code = geoms_glue_integrate(glue, 2d0)
  if (code /= 0) then
    code = geoms_glue_last_error(glue, error)
    print '(a)', geoms_text(error%report)
  end if
  p = 0d0
  do k = 1, 3
    if ((k - 1)*min(processes, 3)/3 /= rank) cycle
    m = 2*bodies(k)%pinned
    if (geoms_glue_state(glue, k - 1, x) == 0) p(3*k-2:3*k) = x(m+4:m+6)
  end do
  call mpi_allreduce(p, all, 9, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  bad = merge(0, 1, code == 0 .and. maxval(abs(all - reference)) < 1d-10)
  if (rank == 0) then
    print '(a,es8.1,a,i0,a)', 'four-bar: ', maxval(abs(all - reference)), ' from the reference on ', processes, ' processes'
  end if
  call geoms_glue_free(glue)
  offset = geoms_mpi_finish(link, int(bad, c_int))
  if (bad /= 0) error stop 'four-bar differs'

contains

  ! The initial values where the model is.
  type(c_ptr) function merge_address(here)
    logical, intent(in) :: here
    merge_address = c_null_ptr
    if (here) merge_address = c_loc_of(x)
  end function

  type(c_ptr) function c_loc_of(values)
    real(c_double), target, intent(in) :: values(*)
    c_loc_of = c_loc(values)
  end function

end program
