! The handle from Fortran 2003: a pendulum with initial values to be corrected, options, single steps, interpolation,
! counters, errors, events with a closed form, saving and resuming. Every check prints OK or FAIL.
!
! x = [ lambda | v1 v2 | p1 p2 ]

module bob
  use geoms
  implicit none

  ! What the callbacks are told of, and what they tell.
  type, bind(c) :: world
    real(c_double) :: gravity = 13.75d0
    real(c_double) :: violation = 0
    integer(c_int64_t) :: points = 0, messages = 0, evaluations = 0, matrices = 0, stop_at = -1
    real(c_double) :: not_after = huge(0d0)
  end type

contains

  function here(user) result(w)
    type(c_ptr), intent(in) :: user
    type(world), pointer :: w
    call c_f_pointer(user, w)
  end function

  function eom(t, x, rda, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: rda(*)
    type(c_ptr), value :: user
    integer(c_int) :: eom
    type(world), pointer :: w
    real(c_double) :: v(2), p(2)
    w => here(user)
    v = x(2:3)
    p = x(4:5)
    rda(1) = 2*dot_product(v, v) - 2*w%gravity*p(2) - 4*dot_product(p, p)*x(1) ! gII
    rda(2) = 2*dot_product(p, v)                                               ! gI
    rda(3) = dot_product(p, p) - 1                                             ! g
    rda(4:5) = [0d0, -w%gravity] - 2*p*x(1)                                    ! f_dyn
    rda(6:7) = v                                                               ! f_kin
    eom = merge(1_c_int, 0_c_int, t > w%not_after)
  end function

  function mass(t, x, mass_matrix, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: mass_matrix(*)
    type(c_ptr), value :: user
    integer(c_int) :: mass
    mass_matrix(1:4) = [1, 0, 0, 1]
    mass = 0
  end function

  ! NEGATIVE derivatives.
  function jacobian(t, x, fx, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    type(c_ptr), intent(in) :: fx(6)
    type(c_ptr), value :: user
    integer(c_int) :: jacobian
    type(world), pointer :: w
    real(c_double), pointer :: fx1(:, :), fx2(:, :), fx3(:, :), fx5(:, :), fx6(:, :)
    w => here(user)
    call c_f_pointer(fx(1), fx1, [1, 5])
    call c_f_pointer(fx(2), fx2, [1, 4])
    call c_f_pointer(fx(3), fx3, [1, 2])
    call c_f_pointer(fx(5), fx5, [2, 5])
    call c_f_pointer(fx(6), fx6, [2, 4])
    fx1(1, :) = [4*(x(4)**2 + x(5)**2), -4*x(2), -4*x(3), 8*x(4)*x(1), 2*w%gravity + 8*x(5)*x(1)]
    fx2(1, :) = -2*[x(4), x(5), x(2), x(3)]
    fx3(1, :) = -2*x(4:5)
    fx5(:, 1) = 2*x(4:5)
    fx5(1, 4) = 2*x(1)
    fx5(2, 5) = 2*x(1)
    fx6(1, 1) = -1
    fx6(2, 2) = -1
    jacobian = 0
  end function

  ! The parts that the half-explicit method asks for: C = d gI/dv, gamma is the rate of gI for v' = 0.
  function parts(t, x, force_or_null, mass_or_null, c_or_null, gamma_or_null, velocity_or_null, position_or_null, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    type(c_ptr), value :: force_or_null, mass_or_null, c_or_null, gamma_or_null, velocity_or_null, position_or_null, user
    integer(c_int) :: parts
    type(world), pointer :: w
    real(c_double), pointer :: m(:, :), c(:, :), row(:)
    w => here(user)
    if (c_associated(force_or_null)) then
      call c_f_pointer(force_or_null, row, [2])
      row = [0d0, -w%gravity]
      w%evaluations = w%evaluations + 1
    end if
    if (c_associated(mass_or_null)) then
      call c_f_pointer(mass_or_null, m, [2, 2])
      m(1, 1) = 1
      m(2, 2) = 1
    end if
    if (c_associated(c_or_null)) then
      call c_f_pointer(c_or_null, c, [1, 2])
      c(1, :) = 2*x(4:5)
      w%matrices = w%matrices + 1
    end if
    if (c_associated(gamma_or_null)) then
      call c_f_pointer(gamma_or_null, row, [1])
      row(1) = 2*dot_product(x(2:3), x(2:3))
    end if
    if (c_associated(velocity_or_null)) then
      call c_f_pointer(velocity_or_null, row, [1])
      row(1) = 2*dot_product(x(4:5), x(2:3))
    end if
    if (c_associated(position_or_null)) then
      call c_f_pointer(position_or_null, row, [1])
      row(1) = dot_product(x(4:5), x(4:5)) - 1
      w%evaluations = w%evaluations + 1
    end if
    parts = merge(1_c_int, 0_c_int, t > w%not_after)
  end function

  ! The pendulum begins in its lowest position with the speed 2.8.
  function conditions(t, x, cond, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: cond(*)
    type(c_ptr), value :: user
    integer(c_int) :: conditions
    cond(1) = x(4)
    cond(2) = x(2) - 2.8d0
    conditions = 0
  end function

  function lowest(t, x, value, user) bind(c)
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    real(c_double), intent(inout) :: value(*)
    type(c_ptr), value :: user
    integer(c_int) :: lowest
    value(1) = x(4)
    lowest = 0
  end function

  function output(step, user) bind(c)
    type(geoms_step_info), intent(in) :: step
    type(c_ptr), value :: user
    integer(c_int) :: output
    type(world), pointer :: w
    real(c_double) :: x(5)
    w => here(user)
    output = geoms_dense(step%solver, (step%t_old + step%t)/2, x)
    w%violation = max(w%violation, abs(x(4)**2 + x(5)**2 - 1))
    w%points = w%points + 1
    if (step%naccpt == w%stop_at) call geoms_request_stop(step%solver)
  end function

  function message(level, text, user) bind(c)
    integer(c_int), value :: level
    character(kind=c_char), intent(in) :: text(*)
    type(c_ptr), value :: user
    integer(c_int) :: message
    type(world), pointer :: w
    w => here(user)
    if (level <= geoms_log_info .and. text(1) /= c_null_char) w%messages = w%messages + 1
    message = 0
  end function

end module

program handle_test
  use bob
  implicit none
  real(c_double), parameter :: exact(5) = [6.530129232836035799d0, 1.164034305982725075d0, &
    -0.893604934116132015d0, -0.608937263148837968d0, -0.793218387046595675d0]
  real(c_double), parameter :: start(5) = [(2.8d0**2 + 13.75d0)/2, 2.8d0, 0d0, 0d0, -1d0]
  type(world), target :: w
  type(c_ptr) :: solver, other
  type(geoms_stats) :: stats, whole
  type(geoms_error) :: error
  type(geoms_ranks) :: ranks
  real(c_double) :: x(5), y(5), again(5), force(2), t, tolerances(5)
  integer(c_int64_t) :: k, hits, checks
  integer(c_size_t) :: length, needed
  integer(c_int) :: status
  character(kind=c_char), allocatable, target :: saved(:)
  integer :: failures = 0

  call check('version', index(geoms_text(geoms_version()), '.') > 0)
  solver = geoms_create(geoms_dimensions(), geoms_form_strangeness_free)
  call check('no dimensions, no handle', .not. c_associated(solver))
  status = geoms_last_error(c_null_ptr, error)
  call check('and why', status == geoms_idid_bad_argument .and. len(geoms_text(error%detail)) > 0)

  solver = geoms_create(geoms_dimensions(np=2, nv=2, nl=1), geoms_form_strangeness_free)
  call check('create', c_associated(solver))
  call check('N and M', geoms_dimension(solver) == 5 .and. geoms_equations(solver) == 7)
  call check('user', geoms_set_user(solver, c_loc(w)) == 0)
  call check('not ready', geoms_start(solver, 0d0, start, 0d0) == geoms_idid_not_ready)
  call check('callbacks', geoms_set_eom(solver, eom) == 0 .and. geoms_set_mass(solver, mass) == 0 .and. &
    geoms_set_jacobian(solver, jacobian) == 0 .and. geoms_set_conditions(solver, 2_c_int64_t, conditions) == 0 .and. &
    geoms_set_output(solver, output) == 0 .and. geoms_set_log(solver, geoms_log_info, message) == 0)
  call check('options', geoms_set_int(solver, geoms_c('masstrct'), 4_c_int64_t) == 0 .and. &
    geoms_set_real(solver, geoms_c('hmax'), 0.2d0) == 0)
  tolerances = 1d-9
  call check('tolerances', geoms_set_tolerance(solver, 1d-9, 1d-9) == 0 .and. &
    geoms_set_tolerances(solver, tolerances, tolerances) == 0)

  ! Errors: code, sentence, advice, the case at hand.
  call check('a wrong value is refused', geoms_set_int(solver, geoms_c('decompc'), 9_c_int64_t) == geoms_idid_bad_argument)
  status = geoms_last_error(solver, error)
  call check('and named', status == error%code .and. index(geoms_text(error%detail), 'DECOMPC = 9') > 0 .and. &
    geoms_text(error%sentence) == geoms_text(geoms_strerror(status)) .and. &
    index(geoms_text(geoms_advice(status)), 'The message names the argument') == 1 .and. &
    index(geoms_text(error%advice), 'The message names the argument') == 1 .and. len(geoms_text(error%report)) > 20)

  ! Consistent initial values, two ways.
  x = [0d0, 2.8d0, 0.1d0, 0d0, -1.01d0]
  call check('make consistent', geoms_make_consistent(solver, 0d0, x) == 0)
  call check('it is', abs(x(4)**2 + x(5)**2 - 1) < 1d-10 .and. &
    abs(x(2)*x(4) + x(3)*x(5)) < 1d-10)
  call check('start with conditions', geoms_start(solver, 0d0, [0d0, 2.7d0, 0d0, 0.01d0, -1.01d0], 0.01d0) == 0)
  status = geoms_state(solver, x)
  call check('which hold', status == 0 .and. maxval(abs(x - start)) < 1d-9)
  call check('Jacobian', geoms_check_jacobian(solver, 0d0, x, message) == 0)
  call check('model', geoms_check_model(solver, 0d0, x, message) == 0 .and. geoms_warning_count(solver) == 0)
  status = geoms_rank_report_p(solver, 0d0, x, ranks, c_null_funptr)
  call check('ranks', status == 0 .and. ranks%position_rank == 1 .and. ranks%velocity_rank == 1)
  call check('forces', geoms_constraint_forces(solver, 0d0, x, force) == 0)
  call check('that of the rod', abs(force(2) + 2.8d0**2 + w%gravity) < 1d-7)

  ! The whole run, its counters, the closed form.
  call check('start', geoms_start(solver, 0d0, start, 0.01d0) == 0)
  w%points = 0
  call check('integrate', geoms_integrate(solver, 5d0) == geoms_reached)
  call check('state', geoms_state(solver, y) == 0)
  call check('closed form', maxval(abs(y - exact)) < 1d-7)
  call check('statistics', geoms_statistics(solver, whole) == 0)
  call check('counters', whole%naccpt > 50 .and. whole%neom > whole%naccpt)
  call check('output at every point', w%points == whole%naccpt + 1 .and. w%violation < 1d-6)
  call check('messages', w%messages >= 2)

  ! The half-explicit method, with and without a function for its parts: the same, to ten times the round-off seen.
  call check('method 4', geoms_set_int(solver, geoms_c('method'), 4_c_int64_t) == 0 .and. &
    geoms_start(solver, 0d0, start, 0.01d0) == 0 .and. geoms_integrate(solver, 5d0) == geoms_reached)
  status = geoms_state(solver, x)
  call check('closed form again', status == 0 .and. maxval(abs(x - exact)) < 1d-6)
  ! Checks of the model call the functions, too.
  call check('no checks', geoms_set_int(solver, geoms_c('check'), 0_c_int64_t) == 0 .and. &
    geoms_set_int(solver, geoms_c('watch'), 0_c_int64_t) == 0)
  call check('parts', geoms_set_parts(solver, parts) == 0 .and. &
    geoms_start(solver, 0d0, start, 0.01d0) == 0 .and. geoms_integrate(solver, 5d0) == geoms_reached)
  status = geoms_state(solver, again) + geoms_statistics(solver, stats)
  call check('as without them', status == 0 .and. maxval(abs(x - again)) < 1d-13)
  status = geoms_counter(solver, geoms_c('eom_for_checks'), checks)
  call check('counted', status == 0 .and. checks == 0 .and. w%evaluations == stats%neom .and. &
    w%matrices == stats%njac .and. stats%stiffness_suspected == 0)
  call check('checks again', geoms_set_int(solver, geoms_c('check'), 1_c_int64_t) == 0 .and. &
    geoms_set_int(solver, geoms_c('watch'), 1_c_int64_t) == 0)
  call check('right', geoms_check_jacobian(solver, 0d0, again, message) == 0)
  call check('method 0 again', geoms_set_parts_p(solver, c_null_funptr) == 0 .and. &
    geoms_set_int(solver, geoms_c('method'), 0_c_int64_t) == 0)

  ! Single steps, interpolation, stop request, saving, another handle.
  call check('start again', geoms_start(solver, 0d0, start, 0.01d0) == 0)
  call check('single step', geoms_step(solver, 5d0) == geoms_reached)
  call check('time', abs(geoms_time(solver) - 0.01d0) < 1d-15 .and. geoms_next_step(solver) > 0)
  call check('dense', geoms_dense(solver, 0.005d0, x) == 0)
  call check('inside', abs(x(4) - 0.014d0) < 1d-4)
  call check('dense outside', geoms_dense(solver, 3d0, x) == geoms_idid_bad_argument)
  w%stop_at = 20
  call check('stop request', geoms_integrate(solver, 5d0) == geoms_idid_stop_requested)
  w%stop_at = -1
  call check('size', geoms_save(solver, c_null_ptr, needed) == 0)
  allocate (saved(needed))
  length = needed
  status = geoms_save(solver, c_loc(saved), length)
  call check('save', status == 0 .and. length == needed)
  other = geoms_create(geoms_dimensions(np=2, nv=2, nl=1), geoms_form_strangeness_free)
  status = geoms_set_user(other, c_loc(w)) + geoms_set_eom_p(other, c_funloc(eom)) + geoms_set_mass(other, mass) + &
    geoms_set_jacobian(other, jacobian) + geoms_set_int(other, geoms_c('masstrct'), 4_c_int64_t) + &
    geoms_set_real(other, geoms_c('hmax'), 0.2d0) + geoms_set_tolerance(other, 1d-9, 1d-9)
  call check('another handle', status == 0)
  call check('a damaged state is refused', geoms_restore(other, c_loc(saved), length - 1) == geoms_idid_bad_argument)
  call check('restore', geoms_restore(other, c_loc(saved), length) == 0)
  call check('to the end', geoms_integrate(other, 5d0) == geoms_reached)
  status = geoms_state(other, x) + geoms_statistics(other, stats)
  call check('bit for bit as without stop', all(.not. abs(x - y) > 0) .and. &
    stats%naccpt == whole%naccpt .and. stats%neom == whole%neom)
  call geoms_free(other)

  ! Released horizontally with the gravity of the period 2: lowest at 1/2, 3/2, 5/2, ...
  w%gravity = 13.750371636040746d0
  call check('no conditions', geoms_set_conditions_p(solver, 0_c_int64_t, c_null_funptr) == 0)
  call check('tolerance', geoms_set_tolerance(solver, 1d-10, 1d-10) == 0)
  call check('release', geoms_start(solver, 0d0, [0d0, 0d0, 0d0, 1d0, 0d0], 1d-3) == 0)
  call check('events', geoms_set_events(solver, 1_c_int64_t, lowest, [0_c_int], [1_c_int], 0d0) == 0)
  hits = 0
  do while (geoms_integrate(solver, 4d0) == geoms_at_event)
    status = geoms_last_event(solver, k, t)
    if (k == 0 .and. abs(t - geoms_time(solver)) < 1d-15 .and. abs(t - hits - 0.5d0) < 1d-10) hits = hits + 1
    status = geoms_event(solver, 0_c_int64_t, k, t)
    if (geoms_event_count(solver) /= 1 .or. status /= 0) hits = -100
  end do
  call check('events right to 1e-10', hits == 4)

  ! Another point, and a callback that cannot be evaluated: an error with time and step size.
  call check('reset', geoms_reset(solver, 4d0, [0d0, 2.8d0, 0d0, 0d0, -1.001d0]) == 0)
  status = geoms_state(solver, x)
  call check('corrected', abs(x(5) + 1) < 1d-9)
  call check('no events, no output', geoms_set_events_p(solver, 0_c_int64_t, c_null_funptr, [0_c_int], [0_c_int], 0d0) == 0 .and. &
    geoms_set_output_p(solver, c_null_funptr) == 0)
  w%not_after = 4.5d0
  call check('not evaluable', geoms_integrate(solver, 5d0) == geoms_idid_eom_not_evaluable)
  status = geoms_last_error(solver, error)
  call check('where', error%t > 4.4d0 .and. error%t <= 4.5d0 .and. error%h > 0)
  w%not_after = huge(0d0)
  call check('and on', geoms_integrate(solver, 5d0) == geoms_reached)
  call geoms_free(solver)

  if (failures > 0) stop 1

contains

  subroutine check(what, holds)
    character(len=*), intent(in) :: what
    logical, intent(in) :: holds
    print '(a40, 1x, a)', what, merge('OK  ', 'FAIL', holds)
    if (.not. holds) failures = failures + 1
  end subroutine

end program
