! The handle of include/geoms.h for Fortran 2003 and later: constants, types, interfaces of callbacks and functions.
!
! Made from the header by `make docs`; do not edit.
!
!     use geoms
!     ...
!     type(c_ptr) :: handle
!     handle = geoms_create(geoms_dimensions(np=2, nv=2, nl=1), geoms_form_strangeness_free)
!     if (geoms_set_eom(handle, eom) /= 0) ...
!
! A program that calls the subroutine GEOMS as well says `use geoms_handle` instead, because there a module and an external
! procedure cannot have the same name.
!
! Callbacks are functions with bind(c) and the arguments of the abstract interfaces below; the compiler compares them. A
! function that takes a callback is made of the one with the ending _p, for type(c_funptr): c_null_funptr takes a callback
! away. `user` is the address given to geoms_set_user, c_loc of a variable with the attribute TARGET that lives as long as the
! handle. Strings: geoms_set_int(handle, geoms_c('nit'), ...) and geoms_text(error%detail).
!
! Indices are as in the header, from 0: events, root functions. Only geoms_iopt_* and geoms_ropt_* count from 1 here, because
! they are for the arrays of Fortran.

module geoms_handle
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer(c_int), parameter :: geoms_version_major = 0
  integer(c_int), parameter :: geoms_version_minor = 1
  integer(c_int), parameter :: geoms_version_patch = 0
  integer(c_int), parameter :: geoms_idid_success = 0
  integer(c_int), parameter :: geoms_idid_bad_argument = -1001
  integer(c_int), parameter :: geoms_idid_negative_idid = -1002
  integer(c_int), parameter :: geoms_idid_internal = -1003
  integer(c_int), parameter :: geoms_idid_out_of_memory = -1004
  integer(c_int), parameter :: geoms_idid_in_use = -1005
  integer(c_int), parameter :: geoms_idid_not_ready = -1006
  integer(c_int), parameter :: geoms_idid_stopped_by_solout = -1101
  integer(c_int), parameter :: geoms_idid_stopped_by_eom = -1102
  integer(c_int), parameter :: geoms_idid_stopped_by_mas = -1103
  integer(c_int), parameter :: geoms_idid_stopped_by_jac = -1104
  integer(c_int), parameter :: geoms_idid_inconsistent_initial_values = -1105
  integer(c_int), parameter :: geoms_idid_tend_before_t = -1106
  integer(c_int), parameter :: geoms_idid_eom_not_evaluable = -1107
  integer(c_int), parameter :: geoms_idid_stop_requested = -1108
  integer(c_int), parameter :: geoms_idid_root_function_failed = -1109
  integer(c_int), parameter :: geoms_idid_stopped_by_parts = -1110
  integer(c_int), parameter :: geoms_idid_qr_of_fx1 = -1111
  integer(c_int), parameter :: geoms_idid_qr_of_fx2 = -1112
  integer(c_int), parameter :: geoms_idid_qr_of_fx3 = -1113
  integer(c_int), parameter :: geoms_idid_qr_of_newton_matrix = -1114
  integer(c_int), parameter :: geoms_idid_singular_newton_matrix = -1115
  integer(c_int), parameter :: geoms_idid_newton_diverges = -1116
  integer(c_int), parameter :: geoms_idid_too_many_steps = -1117
  integer(c_int), parameter :: geoms_idid_step_too_small = -1118
  integer(c_int), parameter :: geoms_idid_lockup = -1119
  integer(c_int), parameter :: geoms_idid_model_contradiction = -1120
  integer(c_int), parameter :: geoms_idid_peer_lost = -1121
  integer(c_int), parameter :: geoms_idid_interface_singular = -1122
  integer(c_int), parameter :: geoms_idid_stopped_by_port = -1123
  integer(c_int), parameter :: geoms_idid_not_glueable = -1124
  integer(c_int), parameter :: geoms_idid_dormqr_real = -1128
  integer(c_int), parameter :: geoms_idid_dormqr_complex = -1129
  integer(c_int), parameter :: geoms_idid_stopped_by_eom_in_differences = -1201
  integer(c_int), parameter :: geoms_idid_fx1_deficient_qr = -1401
  integer(c_int), parameter :: geoms_idid_fx2_deficient_qr = -1402
  integer(c_int), parameter :: geoms_idid_fx3_deficient_qr = -1403
  integer(c_int), parameter :: geoms_idid_multiply_q1 = -1801
  integer(c_int), parameter :: geoms_idid_multiply_q2 = -1802
  integer(c_int), parameter :: geoms_idid_multiply_q3 = -1803
  integer(c_int), parameter :: geoms_idid_multiply_q4 = -1804
  integer(c_int), parameter :: geoms_idid_multiply_q4_in_error_estimate = -2004
  integer(c_int), parameter :: geoms_idid_stopped_by_eom_in_initial_values = -2101
  integer(c_int), parameter :: geoms_idid_stopped_by_ivcond = -2102
  integer(c_int), parameter :: geoms_idid_svd_in_initial_values = -2103
  integer(c_int), parameter :: geoms_idid_contradictory_conditions = -2104
  integer(c_int), parameter :: geoms_idid_initial_values_diverge = -2105
  integer(c_int), parameter :: geoms_idid_too_few_conditions = -2106
  integer(c_int), parameter :: geoms_idid_rank_changed = -2401
  integer(c_int), parameter :: geoms_idid_deficiency_fx2 = -2402
  integer(c_int), parameter :: geoms_idid_deficiency_fx3 = -2403
  integer(c_int), parameter :: geoms_idid_svd_failed = -2404
  integer(c_int), parameter :: geoms_idid_redundant_index1 = -2405
  integer(c_int), parameter :: geoms_idid_singular_configuration = -2406
  integer(c_int), parameter :: geoms_idid_fx1_deficient_lu = -2601
  integer(c_int), parameter :: geoms_idid_fx2_deficient_lu = -2602
  integer(c_int), parameter :: geoms_idid_fx3_deficient_lu = -2603
  integer(c_int), parameter :: geoms_iopt_lun = 2
  integer(c_int), parameter :: geoms_iopt_nit = 3
  integer(c_int), parameter :: geoms_iopt_startn = 4
  integer(c_int), parameter :: geoms_iopt_form = 5
  integer(c_int), parameter :: geoms_iopt_nmax = 6
  integer(c_int), parameter :: geoms_iopt_pred = 8
  integer(c_int), parameter :: geoms_iopt_nwtmat = 9
  integer(c_int), parameter :: geoms_iopt_nwtupd = 10
  integer(c_int), parameter :: geoms_iopt_decompc = 11
  integer(c_int), parameter :: geoms_iopt_decompd = 12
  integer(c_int), parameter :: geoms_iopt_selcomp = 13
  integer(c_int), parameter :: geoms_iopt_autonom = 14
  integer(c_int), parameter :: geoms_iopt_masstrct = 15
  integer(c_int), parameter :: geoms_iopt_extend = 16
  integer(c_int), parameter :: geoms_iopt_ivcnsst = 17
  integer(c_int), parameter :: geoms_iopt_method = 18
  integer(c_int), parameter :: geoms_iopt_fixed = 19
  integer(c_int), parameter :: geoms_iopt_recover = 20
  integer(c_int), parameter :: geoms_iopt_order = 21
  integer(c_int), parameter :: geoms_iopt_project = 22
  integer(c_int), parameter :: geoms_iopt_family = 23
  integer(c_int), parameter :: geoms_iopt_relaxe = 25
  integer(c_int), parameter :: geoms_iopt_check = 26
  integer(c_int), parameter :: geoms_iopt_watch = 27
  integer(c_int), parameter :: geoms_iopt_nwtmult = 28
  integer(c_int), parameter :: geoms_iopt_scheme = 30
  integer(c_int), parameter :: geoms_iopt_monitor = 31
  integer(c_int), parameter :: geoms_iopt_singular = 32
  integer(c_int), parameter :: geoms_ropt_uround = 1
  integer(c_int), parameter :: geoms_ropt_safe = 2
  integer(c_int), parameter :: geoms_ropt_thet = 3
  integer(c_int), parameter :: geoms_ropt_fnewt = 4
  integer(c_int), parameter :: geoms_ropt_quot1 = 5
  integer(c_int), parameter :: geoms_ropt_quot2 = 6
  integer(c_int), parameter :: geoms_ropt_hmax = 7
  integer(c_int), parameter :: geoms_ropt_facl = 8
  integer(c_int), parameter :: geoms_ropt_facr = 9
  integer(c_int), parameter :: geoms_ropt_alpha = 10
  integer(c_int), parameter :: geoms_ropt_rho = 11
  integer(c_int), parameter :: geoms_ropt_beta = 12
  integer(c_int), parameter :: geoms_ropt_gamma = 13
  integer(c_int), parameter :: geoms_log_error = 1
  integer(c_int), parameter :: geoms_log_warning = 2
  integer(c_int), parameter :: geoms_log_info = 3
  integer(c_int), parameter :: geoms_log_debug = 4
  integer(c_int), parameter :: geoms_form_strangeness_free = 0
  integer(c_int), parameter :: geoms_form_index1 = 1
  integer(c_int), parameter :: geoms_reached = 0
  integer(c_int), parameter :: geoms_at_event = 1
  integer(c_int), parameter :: geoms_flat = 0
  integer(c_int), parameter :: geoms_bisection = 1
  integer(c_int), parameter :: geoms_neighbour = 2
  integer(c_int), parameter :: geoms_grouped = 3
  integer(c_int), parameter :: geoms_dissection = 4
  integer(c_int), parameter :: geoms_revolute = 0
  integer(c_int), parameter :: geoms_cylindrical = 1
  integer(c_int), parameter :: geoms_prismatic = 2
  integer(c_int), parameter :: geoms_universal = 3
  integer(c_int), parameter :: geoms_fixed = 4

  ! Counters of a run.
  type, bind(c) :: geoms_stats
    integer(c_int64_t) :: naccpt = 0
    integer(c_int64_t) :: neom = 0
    integer(c_int64_t) :: nmas = 0
    integer(c_int64_t) :: njac = 0
    integer(c_int64_t) :: nsel = 0
    integer(c_int64_t) :: npdec = 0
    integer(c_int64_t) :: nedec = 0
    integer(c_int64_t) :: nbsub = 0
    integer(c_int64_t) :: nstep = 0
    integer(c_int64_t) :: nerjct = 0
    integer(c_int64_t) :: ncrjct = 0
    integer(c_int64_t) :: rejected_newton = 0
    integer(c_int64_t) :: rejected_singular = 0
    integer(c_int64_t) :: rejected_not_finite = 0
    integer(c_int64_t) :: rejected_by_model = 0
    integer(c_int64_t) :: newton_updates = 0
    integer(c_int64_t) :: pivot_changes = 0
    integer(c_int64_t) :: selectors_poor = 0
    integer(c_int64_t) :: at_round_off = 0
    integer(c_int64_t) :: jacobian_reused = 0
    integer(c_int64_t) :: invariants_suspended = 0
    integer(c_int64_t) :: eom_for_differences = 0
    integer(c_int64_t) :: eom_for_initial_values = 0
    integer(c_int64_t) :: mass_multiplications = 0
    integer(c_int64_t) :: stiffness_suspected = 0
  end type

  ! Numbers of variables and constraints.
  type, bind(c) :: geoms_dimensions
    integer(c_int64_t) :: np = 0
    integer(c_int64_t) :: nv = 0
    integer(c_int64_t) :: nr = 0
    integer(c_int64_t) :: nw = 0
    integer(c_int64_t) :: ns = 0
    integer(c_int64_t) :: nl = 0
    integer(c_int64_t) :: nm = 0
    integer(c_int64_t) :: ni = 0
  end type

  ! An accepted point.
  type, bind(c) :: geoms_step_info
    type(c_ptr) :: solver = c_null_ptr
    integer(c_int64_t) :: naccpt = 0
    real(c_double) :: t_old = 0
    real(c_double) :: t = 0
    real(c_double) :: h = 0
    type(c_ptr) :: x = c_null_ptr
    integer(c_int64_t) :: n = 0
  end type

  ! An error.
  type, bind(c) :: geoms_error
    integer(c_int) :: code = 0
    type(c_ptr) :: sentence = c_null_ptr
    type(c_ptr) :: advice = c_null_ptr
    type(c_ptr) :: detail = c_null_ptr
    type(c_ptr) :: report = c_null_ptr
    real(c_double) :: t = 0
    real(c_double) :: h = 0
    type(c_ptr) :: block = c_null_ptr
    integer(c_int64_t) :: index = 0
    real(c_double) :: theta = 0
  end type

  ! Ranks of the constraints at one point.
  type, bind(c) :: geoms_ranks
    integer(c_int64_t) :: position_rows = 0
    integer(c_int64_t) :: position_rank = 0
    integer(c_int64_t) :: velocity_rows = 0
    integer(c_int64_t) :: velocity_rank = 0
    real(c_double) :: smallest = 0
  end type

  ! Counters of a participant of a glued run.
  type, bind(c) :: geoms_glue_stats
    integer(c_int64_t) :: steps = 0
    integer(c_int64_t) :: rejected_error = 0
    integer(c_int64_t) :: rejected_newton = 0
    integer(c_int64_t) :: rejected_event = 0
    integer(c_int64_t) :: iterations = 0
    integer(c_int64_t) :: most_iterations = 0
    integer(c_int64_t) :: refreshes = 0
    integer(c_int64_t) :: interface_doubles = 0
    integer(c_int64_t) :: messages = 0
    integer(c_int64_t) :: doubles = 0
    integer(c_int64_t) :: deficiency = 0
    integer(c_int64_t) :: coordination_ns = 0
  end type

  abstract interface
    ! Right-hand sides RDA of all equations, M of them.
    function geoms_eom_fn(t, x, rda, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: rda(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_eom_fn
    end function
    ! Mass matrix, NV by NV, column-major, full storage whatever its structure.
    function geoms_mass_fn(t, x, mass, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: mass(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_mass_fn
    end function
    ! NEGATIVE partial derivatives of RDA in six column-major blocks, FX1 to FX6, which come in as zeros.
    function geoms_jacobian_fn(t, x, fx, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      type(c_ptr), intent(in) :: fx(6)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_jacobian_fn
    end function
    ! The parts of the equations of motion that the half-explicit method asks for, and no others: a pointer is null
    ! where that part is not asked for, and at least one is not null.
    function geoms_parts_fn(&
      t, x, force_or_null, mass_or_null, c_or_null, gamma_or_null, velocity_or_null, position_or_null, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      type(c_ptr), value :: force_or_null
      type(c_ptr), value :: mass_or_null
      type(c_ptr), value :: c_or_null
      type(c_ptr), value :: gamma_or_null
      type(c_ptr), value :: velocity_or_null
      type(c_ptr), value :: position_or_null
      type(c_ptr), value :: user
      integer(c_int) :: geoms_parts_fn
    end function
    ! Conditions on the initial values, zero where they are satisfied.
    function geoms_conditions_fn(t, x, cond, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: cond(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_conditions_fn
    end function
    ! Told of the initial point and of every accepted step; a negative number stops the run there.
    function geoms_output_fn(step, user) bind(c)
      import
      type(geoms_step_info), intent(in) :: step
      type(c_ptr), value :: user
      integer(c_int) :: geoms_output_fn
    end function
    ! Takes a message of one or more lines; a negative number stops the run.
    function geoms_log_fn(level, text, user) bind(c)
      import
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_log_fn
    end function
    ! Functions whose changes of sign are events.
    function geoms_events_fn(t, x, value, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: value(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_events_fn
    end function
    ! Send n numbers to a participant without waiting for it.
    function geoms_send_fn(to, data, n, user) bind(c)
      import
      integer(c_int), value :: to
      real(c_double), intent(in) :: data(*)
      integer(c_int64_t), value :: n
      type(c_ptr), value :: user
      integer(c_int) :: geoms_send_fn
    end function
    ! Receive n numbers from a participant, in the order in which they were sent.
    function geoms_receive_fn(from, data, n, user) bind(c)
      import
      integer(c_int), value :: from
      real(c_double), intent(inout) :: data(*)
      integer(c_int64_t), value :: n
      type(c_ptr), value :: user
      integer(c_int) :: geoms_receive_fn
    end function
    ! Tell all other participants that one is lost.
    function geoms_abandon_fn(lost, user) bind(c)
      import
      integer(c_int), value :: lost
      type(c_ptr), value :: user
      integer(c_int) :: geoms_abandon_fn
    end function
    ! A port: y and its derivatives by p, column-major, one row for each y, which come in as zeros.
    function geoms_port_fn(t, p, y, jacobian, user) bind(c)
      import
      real(c_double), value :: t
      real(c_double), intent(in) :: p(*)
      real(c_double), intent(inout) :: y(*)
      real(c_double), intent(inout) :: jacobian(*)
      type(c_ptr), value :: user
      integer(c_int) :: geoms_port_fn
    end function
  end interface

  interface
    ! Version of the library as a string, "major.minor.patch"; static storage.
    function geoms_version() bind(c, name='geoms_version')
      import
      type(c_ptr) :: geoms_version
    end function
    ! What an IDID means, in one sentence; static storage, never null.
    function geoms_strerror(idid) bind(c, name='geoms_strerror')
      import
      integer(c_int), value :: idid
      type(c_ptr) :: geoms_strerror
    end function
    ! What to try after an IDID; static storage, never null, empty if there is nothing to say.
    function geoms_advice(idid) bind(c, name='geoms_advice')
      import
      integer(c_int), value :: idid
      type(c_ptr) :: geoms_advice
    end function
    ! A solver for a system of these dimensions whose equations are given in this form; null if that is not possible,
    ! and then geoms_last_error with a null handle says why.
    function geoms_create(dims, form) bind(c, name='geoms_create')
      import
      type(geoms_dimensions), intent(in) :: dims
      integer(c_int), value :: form
      type(c_ptr) :: geoms_create
    end function
    ! Free a solver; null is allowed.
    subroutine geoms_free(handle) bind(c, name='geoms_free')
      import
      type(c_ptr), value :: handle
    end subroutine
    ! Set the pointer that is passed to all callbacks; acts at once.
    function geoms_set_user(handle, user) bind(c, name='geoms_set_user')
      import
      type(c_ptr), value :: handle
      type(c_ptr), value :: user
      integer(c_int) :: geoms_set_user
    end function
    function geoms_set_eom_p(handle, eom) bind(c, name='geoms_set_eom')
      import
      type(c_ptr), value :: handle
      type(c_funptr), value :: eom
      integer(c_int) :: geoms_set_eom_p
    end function
    function geoms_set_mass_p(handle, mass) bind(c, name='geoms_set_mass')
      import
      type(c_ptr), value :: handle
      type(c_funptr), value :: mass
      integer(c_int) :: geoms_set_mass_p
    end function
    function geoms_set_jacobian_p(handle, jacobian) bind(c, name='geoms_set_jacobian')
      import
      type(c_ptr), value :: handle
      type(c_funptr), value :: jacobian
      integer(c_int) :: geoms_set_jacobian_p
    end function
    function geoms_set_parts_p(handle, parts) bind(c, name='geoms_set_parts')
      import
      type(c_ptr), value :: handle
      type(c_funptr), value :: parts
      integer(c_int) :: geoms_set_parts_p
    end function
    ! Say where a matrix may have entries other than zero: `block` 0 is the mass matrix, 1 to 6 are FX1 to FX6; count
    ! positions (row, column), from 0 on; count = -1: anywhere, as before the first call.
    function geoms_set_pattern(handle, block, count, rows, columns) bind(c, name='geoms_set_pattern')
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: block
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: rows(*)
      integer(c_int64_t), intent(in) :: columns(*)
      integer(c_int) :: geoms_set_pattern
    end function
    function geoms_set_conditions_p(handle, n, conditions) bind(c, name='geoms_set_conditions')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: n
      type(c_funptr), value :: conditions
      integer(c_int) :: geoms_set_conditions_p
    end function
    function geoms_set_output_p(handle, output) bind(c, name='geoms_set_output')
      import
      type(c_ptr), value :: handle
      type(c_funptr), value :: output
      integer(c_int) :: geoms_set_output_p
    end function
    function geoms_set_log_p(handle, level, log) bind(c, name='geoms_set_log')
      import
      type(c_ptr), value :: handle
      integer(c_int), value :: level
      type(c_funptr), value :: log
      integer(c_int) :: geoms_set_log_p
    end function
    function geoms_set_events_p(handle, n, events, direction, terminal, tolerance) bind(c, name='geoms_set_events')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: n
      type(c_funptr), value :: events
      integer(c_int), intent(in) :: direction(*)
      integer(c_int), intent(in) :: terminal(*)
      real(c_double), value :: tolerance
      integer(c_int) :: geoms_set_events_p
    end function
    ! Set an integer option by its name in the option table, in any case: geoms_set_int(h, "decompc", 3).
    function geoms_set_int(handle, name, value) bind(c, name='geoms_set_int')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
      integer(c_int) :: geoms_set_int
    end function
    ! Set a real option by its name in the option table, in any case: geoms_set_real(h, "hmax", 0.1).
    function geoms_set_real(handle, name, value) bind(c, name='geoms_set_real')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: geoms_set_real
    end function
    ! Set the tolerances for all components; 1e-6 both if never set.
    function geoms_set_tolerance(handle, rtol, atol) bind(c, name='geoms_set_tolerance')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: rtol
      real(c_double), value :: atol
      integer(c_int) :: geoms_set_tolerance
    end function
    ! Set the tolerances of each component, in the order of x.
    function geoms_set_tolerances(handle, rtol, atol) bind(c, name='geoms_set_tolerances')
      import
      type(c_ptr), value :: handle
      real(c_double), intent(in) :: rtol(*)
      real(c_double), intent(in) :: atol(*)
      integer(c_int) :: geoms_set_tolerances
    end function
    ! Begin a run at (t, x), with the settings made so far.
    function geoms_start(handle, t, x, h0) bind(c, name='geoms_start')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), value :: h0
      integer(c_int) :: geoms_start
    end function
    ! Move x to a consistent point nearby: the smallest change of positions that satisfies the constraints, then of
    ! the velocities, then of multipliers and auxiliary variables.
    function geoms_make_consistent(handle, t, x) bind(c, name='geoms_make_consistent')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(inout) :: x(*)
      integer(c_int) :: geoms_make_consistent
    end function
    ! Integrate to `tend`: GEOMS_REACHED, GEOMS_EVENT at a terminal event, or a negative code.
    function geoms_integrate(handle, tend) bind(c, name='geoms_integrate')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: tend
      integer(c_int) :: geoms_integrate
    end function
    ! One accepted step, not beyond `tend`; none at `tend`.
    function geoms_step(handle, tend) bind(c, name='geoms_step')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: tend
      integer(c_int) :: geoms_step
    end function
    ! Go on from another point, for example after an impact.
    function geoms_reset(handle, t, x) bind(c, name='geoms_reset')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      integer(c_int) :: geoms_reset
    end function
    ! The solution at a time within the last step.
    function geoms_dense(handle, t, x) bind(c, name='geoms_dense')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(inout) :: x(*)
      integer(c_int) :: geoms_dense
    end function
    ! Degree of the polynomial that geoms_dense evaluates: with its values at one more point than that the last step
    ! is known throughout.
    function geoms_dense_degree(handle) bind(c, name='geoms_dense_degree')
      import
      type(c_ptr), value :: handle
      integer(c_int) :: geoms_dense_degree
    end function
    ! Ask the run to stop after the current step, with the code GEOMS_IDID_STOP_REQUESTED; it can be resumed by
    ! another geoms_integrate.
    subroutine geoms_request_stop(handle) bind(c, name='geoms_request_stop')
      import
      type(c_ptr), value :: handle
    end subroutine
    ! Save all that the rest of the run depends on.
    function geoms_save(handle, buffer, length) bind(c, name='geoms_save')
      import
      type(c_ptr), value :: handle
      type(c_ptr), value :: buffer
      integer(c_size_t), intent(inout) :: length
      integer(c_int) :: geoms_save
    end function
    ! Go on where a saved run was, in a handle with the same dimensions, callbacks, options and tolerances: the rest
    ! is identical, bit for bit.
    function geoms_restore(handle, buffer, length) bind(c, name='geoms_restore')
      import
      type(c_ptr), value :: handle
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: length
      integer(c_int) :: geoms_restore
    end function
    ! The last error of a handle; with a null handle that of the last geoms_create of this thread that returned null.
    function geoms_last_error(handle, out) bind(c, name='geoms_last_error')
      import
      type(c_ptr), value :: handle
      type(geoms_error), intent(inout) :: out
      integer(c_int) :: geoms_last_error
    end function
    ! Length N of x; 0 if there is no handle or it is in use.
    function geoms_dimension(handle) bind(c, name='geoms_dimension')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t) :: geoms_dimension
    end function
    ! Length M of RDA; 0 if there is no handle or it is in use.
    function geoms_equations(handle) bind(c, name='geoms_equations')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t) :: geoms_equations
    end function
    ! Current time; NaN if there is no run.
    function geoms_time(handle) bind(c, name='geoms_time')
      import
      type(c_ptr), value :: handle
      real(c_double) :: geoms_time
    end function
    ! Step size proposed for the next step; NaN if there is no run, 0 if it has not been chosen.
    function geoms_next_step(handle) bind(c, name='geoms_next_step')
      import
      type(c_ptr), value :: handle
      real(c_double) :: geoms_next_step
    end function
    ! The current point.
    function geoms_state(handle, x) bind(c, name='geoms_state')
      import
      type(c_ptr), value :: handle
      real(c_double), intent(inout) :: x(*)
      integer(c_int) :: geoms_state
    end function
    ! The counters of the run.
    function geoms_statistics(handle, out) bind(c, name='geoms_statistics')
      import
      type(c_ptr), value :: handle
      type(geoms_stats), intent(inout) :: out
      integer(c_int) :: geoms_statistics
    end function
    ! One counter of the run by its name, that of a member of geoms_stats or of a later version, in any case.
    function geoms_counter(handle, name, count) bind(c, name='geoms_counter')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: count
      integer(c_int) :: geoms_counter
    end function
    ! Name of counter number k, from 0; null behind the last one.
    function geoms_counter_name(k) bind(c, name='geoms_counter_name')
      import
      integer(c_int64_t), value :: k
      type(c_ptr) :: geoms_counter_name
    end function
    ! What the method measures beside the solution, by its name, in any case: "frequency", "largest_frequency",
    ! "stable_step" of method 3.
    function geoms_measure(handle, name, value) bind(c, name='geoms_measure')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(inout) :: value(*)
      integer(c_int) :: geoms_measure
    end function
    ! A text of the last error by its name: sentence, advice, detail, report, block.
    function geoms_error_text(handle, name) bind(c, name='geoms_error_text')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr) :: geoms_error_text
    end function
    ! A number of the last error by its name: code, t, h, index, theta.
    function geoms_error_number(handle, name) bind(c, name='geoms_error_number')
      import
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      real(c_double) :: geoms_error_number
    end function
    ! Number of events that the last geoms_integrate or geoms_step met, terminal or not.
    function geoms_event_count(handle) bind(c, name='geoms_event_count')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t) :: geoms_event_count
    end function
    ! Event number k of the last call, from 0 and in the order of time: which event function, from 0, and when.
    function geoms_event(handle, k, index, t) bind(c, name='geoms_event')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: k
      integer(c_int64_t), intent(inout) :: index
      real(c_double), intent(inout) :: t
      integer(c_int) :: geoms_event
    end function
    ! The last event of the last call; after GEOMS_EVENT it is the one at which the handle stands.
    function geoms_last_event(handle, index, t) bind(c, name='geoms_last_event')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), intent(inout) :: index
      real(c_double), intent(inout) :: t
      integer(c_int) :: geoms_last_event
    end function
    ! Number of warnings since geoms_start: rows of the model that do not fit each other ("check", "watch"), more
    ! failures of Newton's method than steps.
    function geoms_warning_count(handle) bind(c, name='geoms_warning_count')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t) :: geoms_warning_count
    end function
    ! Warning number k, from 0; an empty string if there is none.
    function geoms_warning(handle, k) bind(c, name='geoms_warning')
      import
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: k
      type(c_ptr) :: geoms_warning
    end function
    ! A text of option number k of the option table, from 0: "name"; "kind", which is "integer" (geoms_set_int) or
    ! "real" (geoms_set_real); "slot" of the call; "range"; "default" of a handle; "meaning".
    function geoms_option_text(k, what) bind(c, name='geoms_option_text')
      import
      integer(c_int64_t), value :: k
      character(kind=c_char), intent(in) :: what(*)
      type(c_ptr) :: geoms_option_text
    end function
    ! A text of the k-th method, from 0: its "name", one word for it ("keyword"), its "number" as the option "method"
    ! takes it, or what it does of a feature (geoms_feature_name): yes, no, a condition, orders.
    function geoms_method_text(k, what) bind(c, name='geoms_method_text')
      import
      integer(c_int64_t), value :: k
      character(kind=c_char), intent(in) :: what(*)
      type(c_ptr) :: geoms_method_text
    end function
    ! Name of feature number k, from 0, as geoms_method_text takes it; null behind the last one.
    function geoms_feature_name(k) bind(c, name='geoms_feature_name')
      import
      integer(c_int64_t), value :: k
      type(c_ptr) :: geoms_feature_name
    end function
    function geoms_check_model_p(handle, t, x, log) bind(c, name='geoms_check_model')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      type(c_funptr), value :: log
      integer(c_int) :: geoms_check_model_p
    end function
    function geoms_check_jacobian_p(handle, t, x, log) bind(c, name='geoms_check_jacobian')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      type(c_funptr), value :: log
      integer(c_int) :: geoms_check_jacobian_p
    end function
    function geoms_rank_report_p(handle, t, x, out, log) bind(c, name='geoms_rank_report')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      type(geoms_ranks), intent(inout) :: out
      type(c_funptr), value :: log
      integer(c_int) :: geoms_rank_report_p
    end function
    ! Constraint forces Zᵀ(Gᵀλ + Hᵀμ) at (t, x), NV of them: unique also where redundant constraints leave the
    ! multipliers undetermined.
    function geoms_constraint_forces(handle, t, x, force) bind(c, name='geoms_constraint_forces')
      import
      type(c_ptr), value :: handle
      real(c_double), value :: t
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: force(*)
      integer(c_int) :: geoms_constraint_forces
    end function
    ! A glued run without subdomains; null if there is no memory.
    function geoms_glue_create() bind(c, name='geoms_glue_create')
      import
      type(c_ptr) :: geoms_glue_create
    end function
    ! Free a glued run; null is allowed.
    subroutine geoms_glue_free(glue) bind(c, name='geoms_glue_free')
      import
      type(c_ptr), value :: glue
    end subroutine
    function geoms_glue_set_transport_p(&
      glue, rank, size, send, receive, abandon, user) bind(c, name='geoms_glue_set_transport')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: rank
      integer(c_int), value :: size
      type(c_funptr), value :: send
      type(c_funptr), value :: receive
      type(c_funptr), value :: abandon
      type(c_ptr), value :: user
      integer(c_int) :: geoms_glue_set_transport_p
    end function
    ! The last error of a glued run.
    function geoms_glue_last_error(glue, out) bind(c, name='geoms_glue_last_error')
      import
      type(c_ptr), value :: glue
      type(geoms_error), intent(inout) :: out
      integer(c_int) :: geoms_glue_last_error
    end function
    ! Add a subdomain that participant `owner` computes.
    function geoms_glue_add(glue, owner, model_or_null, x_or_null) bind(c, name='geoms_glue_add')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: owner
      type(c_ptr), value :: model_or_null
      type(c_ptr), value :: x_or_null
      integer(c_int) :: geoms_glue_add
    end function
    ! Add a port of a planar body: a point of the body and its angle, (x, y, angle).
    function geoms_glue_port_frame(glue, subdomain, ix, iy, iangle, at_x, at_y) bind(c, name='geoms_glue_port_frame')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      integer(c_int), value :: ix
      integer(c_int), value :: iy
      integer(c_int), value :: iangle
      real(c_double), value :: at_x
      real(c_double), value :: at_y
      integer(c_int) :: geoms_glue_port_frame
    end function
    ! Add a port of a body in space: a point of the body and its axes, (point, e1, e2, e3), 12 components.
    function geoms_glue_port_spatial(glue, subdomain, origin, attitude, at_or_null) bind(c, name='geoms_glue_port_spatial')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      integer(c_int), intent(in) :: origin(*)
      integer(c_int), intent(in) :: attitude(*)
      type(c_ptr), value :: at_or_null
      integer(c_int) :: geoms_glue_port_spatial
    end function
    ! Add a port that shows n of the positions p; indices from 0.
    function geoms_glue_port_coordinates(glue, subdomain, n, indices) bind(c, name='geoms_glue_port_coordinates')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      integer(c_int), value :: n
      integer(c_int), intent(in) :: indices(*)
      integer(c_int) :: geoms_glue_port_coordinates
    end function
    function geoms_glue_port_p(glue, subdomain, n, depends_on_time, port, user) bind(c, name='geoms_glue_port')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      integer(c_int), value :: n
      integer(c_int), value :: depends_on_time
      type(c_funptr), value :: port
      type(c_ptr), value :: user
      integer(c_int) :: geoms_glue_port_p
    end function
    function geoms_glue_set_events_p(glue, subdomain, n, events, user) bind(c, name='geoms_glue_set_events')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      integer(c_int), value :: n
      type(c_funptr), value :: events
      type(c_ptr), value :: user
      integer(c_int) :: geoms_glue_set_events_p
    end function
    ! Set a real option, the same in all participants: "radius" (spectral radius at infinity, from 0 to below 1;
    ! 0.8), "rtol", "atol" (of the positions; 1e-6), "hmax", "event_tolerance" (1e-10).
    function geoms_glue_set_real(glue, name, value) bind(c, name='geoms_glue_set_real')
      import
      type(c_ptr), value :: glue
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      integer(c_int) :: geoms_glue_set_real
    end function
    ! Set an integer option, the same in all participants: "project" (1: velocities of the results satisfy the
    ! constraints; default; 2: steps go on from these, which costs the forces an order; 0: they satisfy them to
    ! O(h²)), "fixed" (1: steps of constant size), "topology" (GEOMS_FLAT, GEOMS_BISECTION, GEOMS_NEIGHBOUR,
    ! GEOMS_GROUPED, GEOMS_DISSECTION).
    function geoms_glue_set_int(glue, name, value) bind(c, name='geoms_glue_set_int')
      import
      type(c_ptr), value :: glue
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: value
      integer(c_int) :: geoms_glue_set_int
    end function
    ! Hold the differences y_a - y_b of the first n components of two ports at constants, null for zeros: a revolute
    ! joint of planar frames with n = 2, a rigid one with n = 3, a spherical one of points in space.
    function geoms_glue_coincide(&
      glue, subdomain_a, port_a, subdomain_b, port_b, n, offset_or_null) bind(c, name='geoms_glue_coincide')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      integer(c_int), value :: n
      type(c_ptr), value :: offset_or_null
      integer(c_int) :: geoms_glue_coincide
    end function
    ! A force k (u - rest) + c u' in each of the first n components, u = y_a - y_b: bushing, torsion spring.
    function geoms_glue_bushing(&
      glue, subdomain_a, port_a, subdomain_b, port_b, n, stiffness, damping, rest_or_null) bind(c, name='geoms_glue_bushing')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      integer(c_int), value :: n
      real(c_double), intent(in) :: stiffness(*)
      real(c_double), intent(in) :: damping(*)
      type(c_ptr), value :: rest_or_null
      integer(c_int) :: geoms_glue_bushing
    end function
    ! Hold two points, the first `dimension` components of the ports, at a constant distance.
    function geoms_glue_distance(&
      glue, subdomain_a, port_a, subdomain_b, port_b, dimension, distance) bind(c, name='geoms_glue_distance')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      integer(c_int), value :: dimension
      real(c_double), value :: distance
      integer(c_int) :: geoms_glue_distance
    end function
    ! Planar frames: b slides along a direction that is fixed in a (an angle in its frame), at a distance `offset` to
    ! the left of the line through a, and turned against it by `angle`.
    function geoms_glue_prismatic(&
      glue, subdomain_a, port_a, subdomain_b, port_b, direction, offset, angle) bind(c, name='geoms_glue_prismatic')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      real(c_double), value :: direction
      real(c_double), value :: offset
      real(c_double), value :: angle
      integer(c_int) :: geoms_glue_prismatic
    end function
    ! A joint of two frames in space (geoms_glue_port_spatial): GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC,
    ! GEOMS_UNIVERSAL or GEOMS_FIXED; a spherical one is geoms_glue_coincide with n = 3.
    function geoms_glue_spatial(glue, kind, subdomain_a, port_a, subdomain_b, port_b) bind(c, name='geoms_glue_spatial')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: kind
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      integer(c_int) :: geoms_glue_spatial
    end function
    ! A spring-damper along the line between two points, the first `dimension` components of the ports.
    function geoms_glue_spring(&
      glue, subdomain_a, port_a, subdomain_b, port_b, dimension, stiffness, damping, rest) bind(c, name='geoms_glue_spring')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain_a
      integer(c_int), value :: port_a
      integer(c_int), value :: subdomain_b
      integer(c_int), value :: port_b
      integer(c_int), value :: dimension
      real(c_double), value :: stiffness
      real(c_double), value :: damping
      real(c_double), value :: rest
      integer(c_int) :: geoms_glue_spring
    end function
    ! Save the run to the files PREFIX.RANK.SLOT at its start, after every so many steps, and where it fails; acts
    ! with the next start or resume.
    function geoms_glue_save_to(glue, prefix_or_null, every) bind(c, name='geoms_glue_save_to')
      import
      type(c_ptr), value :: glue
      type(c_ptr), value :: prefix_or_null
      integer(c_int64_t), value :: every
      integer(c_int) :: geoms_glue_save_to
    end function
    ! Begin at time t with a first step h: accelerations and forces are computed, positions and velocities must be
    ! consistent.
    function geoms_glue_start(glue, t, h) bind(c, name='geoms_glue_start')
      import
      type(c_ptr), value :: glue
      real(c_double), value :: t
      real(c_double), value :: h
      integer(c_int) :: geoms_glue_start
    end function
    ! Go on from the newest point that all participants have saved under PREFIX, instead of geoms_glue_start and with
    ! the same description.
    function geoms_glue_resume(glue, prefix) bind(c, name='geoms_glue_resume')
      import
      type(c_ptr), value :: glue
      character(kind=c_char), intent(in) :: prefix(*)
      integer(c_int) :: geoms_glue_resume
    end function
    ! Integrate to tend or to an event: GEOMS_REACHED, GEOMS_EVENT or a code.
    function geoms_glue_integrate(glue, tend) bind(c, name='geoms_glue_integrate')
      import
      type(c_ptr), value :: glue
      real(c_double), value :: tend
      integer(c_int) :: geoms_glue_integrate
    end function
    ! Make one step, not beyond tend; otherwise as geoms_glue_integrate.
    function geoms_glue_step(glue, tend) bind(c, name='geoms_glue_step')
      import
      type(c_ptr), value :: glue
      real(c_double), value :: tend
      integer(c_int) :: geoms_glue_step
    end function
    ! Current time; NaN if there is no run.
    function geoms_glue_time(glue) bind(c, name='geoms_glue_time')
      import
      type(c_ptr), value :: glue
      real(c_double) :: geoms_glue_time
    end function
    ! The current x of a subdomain of this participant, as many numbers as geoms_dimension of its model says.
    function geoms_glue_state(glue, subdomain, x) bind(c, name='geoms_glue_state')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      real(c_double), intent(inout) :: x(*)
      integer(c_int) :: geoms_glue_state
    end function
    ! Give a subdomain of this participant another x, after an impact, say; acts with geoms_glue_restart.
    function geoms_glue_set_state(glue, subdomain, x) bind(c, name='geoms_glue_set_state')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: subdomain
      real(c_double), intent(in) :: x(*)
      integer(c_int) :: geoms_glue_set_state
    end function
    ! Go on from what geoms_glue_set_state has given: positions and velocities must be consistent, accelerations and
    ! forces are computed anew.
    function geoms_glue_restart(glue) bind(c, name='geoms_glue_restart')
      import
      type(c_ptr), value :: glue
      integer(c_int) :: geoms_glue_restart
    end function
    ! The force of a joint along its relative coordinates, if one of its ends is here: -force acts on end a along y_a
    ! - y_b, force on end b.
    function geoms_glue_force(glue, joint, n, force) bind(c, name='geoms_glue_force')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: joint
      integer(c_int), value :: n
      real(c_double), intent(inout) :: force(*)
      integer(c_int) :: geoms_glue_force
    end function
    ! The event at which the run has stopped: subdomain, and number of its function from 0.
    function geoms_glue_event(glue, subdomain, index) bind(c, name='geoms_glue_event')
      import
      type(c_ptr), value :: glue
      integer(c_int), intent(inout) :: subdomain(*)
      integer(c_int), intent(inout) :: index
      integer(c_int) :: geoms_glue_event
    end function
    ! All events at the instant at which the last geoms_glue_integrate or geoms_glue_step has stopped, of all
    ! participants: subdomain, and number of the function from 0, in this order.
    function geoms_glue_events(glue, n, subdomains_or_null, indices_or_null) bind(c, name='geoms_glue_events')
      import
      type(c_ptr), value :: glue
      integer(c_int), value :: n
      type(c_ptr), value :: subdomains_or_null
      type(c_ptr), value :: indices_or_null
      integer(c_int) :: geoms_glue_events
    end function
    ! The counters of this participant.
    function geoms_glue_statistics(glue, out) bind(c, name='geoms_glue_statistics')
      import
      type(c_ptr), value :: glue
      type(geoms_glue_stats), intent(inout) :: out
      integer(c_int) :: geoms_glue_statistics
    end function
  end interface

contains

  ! Set the equations of motion: RDA, in the order of docs/reference.md.
  function geoms_set_eom(handle, eom) result(answer)
    type(c_ptr), value :: handle
    procedure(geoms_eom_fn) :: eom
    integer(c_int) :: answer
    answer = geoms_set_eom_p(handle, c_funloc(eom))
  end function

  ! Set the mass matrix.
  function geoms_set_mass(handle, mass) result(answer)
    type(c_ptr), value :: handle
    procedure(geoms_mass_fn) :: mass
    integer(c_int) :: answer
    answer = geoms_set_mass_p(handle, c_funloc(mass))
  end function

  ! Set the NEGATIVE partial derivatives of RDA; null: differences are used.
  function geoms_set_jacobian(handle, jacobian) result(answer)
    type(c_ptr), value :: handle
    procedure(geoms_jacobian_fn) :: jacobian
    integer(c_int) :: answer
    answer = geoms_set_jacobian_p(handle, c_funloc(jacobian))
  end function

  ! Set a function that gives the parts of the equations of motion that are asked for; null: none.
  function geoms_set_parts(handle, parts) result(answer)
    type(c_ptr), value :: handle
    procedure(geoms_parts_fn) :: parts
    integer(c_int) :: answer
    answer = geoms_set_parts_p(handle, c_funloc(parts))
  end function

  ! Set n conditions with which geoms_start makes the initial values consistent; n = 0: none.
  function geoms_set_conditions(handle, n, conditions) result(answer)
    type(c_ptr), value :: handle
    integer(c_int64_t), value :: n
    procedure(geoms_conditions_fn) :: conditions
    integer(c_int) :: answer
    answer = geoms_set_conditions_p(handle, n, c_funloc(conditions))
  end function

  ! Set a function that is told of the initial point and of every accepted step; null: none.
  function geoms_set_output(handle, output) result(answer)
    type(c_ptr), value :: handle
    procedure(geoms_output_fn) :: output
    integer(c_int) :: answer
    answer = geoms_set_output_p(handle, c_funloc(output))
  end function

  ! Set a function that gets messages up to a level, GEOMS_LOG_ERROR to GEOMS_LOG_DEBUG; null: silent.
  function geoms_set_log(handle, level, log) result(answer)
    type(c_ptr), value :: handle
    integer(c_int), value :: level
    procedure(geoms_log_fn) :: log
    integer(c_int) :: answer
    answer = geoms_set_log_p(handle, level, c_funloc(log))
  end function

  ! Set n event functions; n = 0: none.
  function geoms_set_events(handle, n, events, direction, terminal, tolerance) result(answer)
    type(c_ptr), value :: handle
    integer(c_int64_t), value :: n
    procedure(geoms_events_fn) :: events
    integer(c_int), intent(in) :: direction(*)
    integer(c_int), intent(in) :: terminal(*)
    real(c_double), value :: tolerance
    integer(c_int) :: answer
    answer = geoms_set_events_p(handle, n, c_funloc(events), direction, terminal, tolerance)
  end function

  ! Compare the rows of the model with each other at (t, x) and at moving points near it: gI the rate of g, gII
  ! that of gI with v' = M⁻¹ f_dyn, hI that of h; the multipliers in f_dyn by -Zᵀ(Gᵀ, Hᵀ); f_kin linear in v; the
  ! mass matrix symmetric, positive and as "masstrct" says; invariants constant; the Jacobian and the parts, if
  ! they are set.
  function geoms_check_model(handle, t, x, log) result(answer)
    type(c_ptr), value :: handle
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    procedure(geoms_log_fn) :: log
    integer(c_int) :: answer
    answer = geoms_check_model_p(handle, t, x, c_funloc(log))
  end function

  ! Compare the Jacobian with differences of the equations of motion at (t, x).
  function geoms_check_jacobian(handle, t, x, log) result(answer)
    type(c_ptr), value :: handle
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    procedure(geoms_log_fn) :: log
    integer(c_int) :: answer
    answer = geoms_check_jacobian_p(handle, t, x, c_funloc(log))
  end function

  ! Ranks of the constraints at (t, x).
  function geoms_rank_report(handle, t, x, out, log) result(answer)
    type(c_ptr), value :: handle
    real(c_double), value :: t
    real(c_double), intent(in) :: x(*)
    type(geoms_ranks), intent(inout) :: out
    procedure(geoms_log_fn) :: log
    integer(c_int) :: answer
    answer = geoms_rank_report_p(handle, t, x, out, c_funloc(log))
  end function

  ! Number of this participant and of all of them, and how they exchange numbers; for MPI see geoms_mpi.h.
  function geoms_glue_set_transport(glue, rank, size, send, receive, abandon, user) result(answer)
    type(c_ptr), value :: glue
    integer(c_int), value :: rank
    integer(c_int), value :: size
    procedure(geoms_send_fn) :: send
    procedure(geoms_receive_fn) :: receive
    procedure(geoms_abandon_fn) :: abandon
    type(c_ptr), value :: user
    integer(c_int) :: answer
    answer = geoms_glue_set_transport_p(glue, rank, size, c_funloc(send), c_funloc(receive), c_funloc(abandon), user)
  end function

  ! Add a port given by a function with n components; depends_on_time says whether t matters.
  function geoms_glue_port(glue, subdomain, n, depends_on_time, port, user) result(answer)
    type(c_ptr), value :: glue
    integer(c_int), value :: subdomain
    integer(c_int), value :: n
    integer(c_int), value :: depends_on_time
    procedure(geoms_port_fn) :: port
    type(c_ptr), value :: user
    integer(c_int) :: answer
    answer = geoms_glue_port_p(glue, subdomain, n, depends_on_time, c_funloc(port), user)
  end function

  ! Functions of x of a subdomain at whose changes of sign the run stops; given by its owner.
  function geoms_glue_set_events(glue, subdomain, n, events, user) result(answer)
    type(c_ptr), value :: glue
    integer(c_int), value :: subdomain
    integer(c_int), value :: n
    procedure(geoms_events_fn) :: events
    type(c_ptr), value :: user
    integer(c_int) :: answer
    answer = geoms_glue_set_events_p(glue, subdomain, n, c_funloc(events), user)
  end function

  ! A string for a function of the library: terminated, without trailing blanks.
  pure function geoms_c(text) result(string)
    character(len=*), intent(in) :: text
    character(kind=c_char) :: string(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      string(i) = text(i:i)
    end do
    string(len_trim(text) + 1) = c_null_char
  end function

  ! A string of the library; empty if the address is null.
  function geoms_text(string) result(text)
    type(c_ptr), intent(in) :: string
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    interface
      function c_strlen(s) bind(c, name='strlen')
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
        integer(c_size_t) :: c_strlen
      end function
    end interface
    if (.not. c_associated(string)) then
      text = ''
      return
    end if
    call c_f_pointer(string, characters, [c_strlen(string)])
    allocate (character(len=size(characters)) :: text)
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function

end module

! The same under the name of the library.
module geoms
  use geoms_handle
  implicit none
  public
end module
