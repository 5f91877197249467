/* geoms: drift-free integration of the equations of motion of constrained multibody systems.
 *
 * Made from the sources by `make header`; do not edit. */


#ifndef GEOMS_H
#define GEOMS_H

#include <stddef.h>
#include <stdint.h>

/* Version of the header; geoms_version() gives that of the library. */
#define GEOMS_VERSION "0.1.0"
#define GEOMS_VERSION_MAJOR 0
#define GEOMS_VERSION_MINOR 1
#define GEOMS_VERSION_PATCH 0

/* IDID on return: 0, or one of these. */
#define GEOMS_IDID_SUCCESS 0
/** An argument, an option or a tolerance has a value that is not allowed. */
#define GEOMS_IDID_BAD_ARGUMENT (-1001)
/** IDID is negative on entry. */
#define GEOMS_IDID_NEGATIVE_IDID (-1002)
/** Internal error; the run was abandoned and the process protected. */
#define GEOMS_IDID_INTERNAL (-1003)
/** The work space could not be allocated. */
#define GEOMS_IDID_OUT_OF_MEMORY (-1004)
/** The handle is in use: the function was called from one of its callbacks, or from another thread. */
#define GEOMS_IDID_IN_USE (-1005)
/** A function was called before one that it depends on. */
#define GEOMS_IDID_NOT_READY (-1006)
/** SOLOUT stopped the run (IERR<0). */
#define GEOMS_IDID_STOPPED_BY_SOLOUT (-1101)
/** EOM stopped the run (IERR<0). */
#define GEOMS_IDID_STOPPED_BY_EOM (-1102)
/** MAS stopped the run (IERR<0), or returned NaN or Inf twice at the same point. */
#define GEOMS_IDID_STOPPED_BY_MAS (-1103)
/** JAC stopped the run (IERR<0), or returned NaN or Inf twice at the same point. */
#define GEOMS_IDID_STOPPED_BY_JAC (-1104)
/** The initial values are not consistent and there are no conditions to correct them with. */
#define GEOMS_IDID_INCONSISTENT_INITIAL_VALUES (-1105)
/** The final time TEND lies before the initial time T. */
#define GEOMS_IDID_TEND_BEFORE_T (-1106)
/** EOM or PARTS returned NaN or Inf, or a subroutine a positive IERR (RECOVER), down to the smallest step size. */
#define GEOMS_IDID_EOM_NOT_EVALUABLE (-1107)
/** The run was stopped on request. */
#define GEOMS_IDID_STOP_REQUESTED (-1108)
/** A root function returned NaN or Inf, stopped the run, or asked for a smaller step down to the smallest one. */
#define GEOMS_IDID_ROOT_FUNCTION_FAILED (-1109)
/** PARTS (geoms_set_parts, System::parts) stopped the run with a negative return. */
#define GEOMS_IDID_STOPPED_BY_PARTS (-1110)
/** QR decomposition of FX1 not possible. */
#define GEOMS_IDID_QR_OF_FX1 (-1111)
/** QR decomposition of FX2 not possible. */
#define GEOMS_IDID_QR_OF_FX2 (-1112)
/** QR decomposition of FX3 not possible. */
#define GEOMS_IDID_QR_OF_FX3 (-1113)
/** The Newton matrix E1 or E2 was singular in its QR decomposition five times in a row. */
#define GEOMS_IDID_QR_OF_NEWTON_MATRIX (-1114)
/** The Newton matrix E1 or E2 was singular in its LU decomposition five times in a row. */
#define GEOMS_IDID_SINGULAR_NEWTON_MATRIX (-1115)
/** Newton's method does not converge, whatever the step size. */
#define GEOMS_IDID_NEWTON_DIVERGES (-1116)
/** More than NMAX steps are needed. */
#define GEOMS_IDID_TOO_MANY_STEPS (-1117)
/** Step size too small. */
#define GEOMS_IDID_STEP_TOO_SMALL (-1118)
/** The constraints cannot be satisfied beyond this point: the mechanism locks up. */
#define GEOMS_IDID_LOCKUP (-1119)
/** The model contradicts itself: a check found a row that does not fit the others (IOPT(27)=2). */
#define GEOMS_IDID_MODEL_CONTRADICTION (-1120)
/** A participant of a glued run does not answer. */
#define GEOMS_IDID_PEER_LOST (-1121)
/** The interface equations of a glued run cannot be solved. */
#define GEOMS_IDID_INTERFACE_SINGULAR (-1122)
/** A port of a glued subdomain stopped the run with a negative return, or gave NaN or Inf. */
#define GEOMS_IDID_STOPPED_BY_PORT (-1123)
/** The algorithm of Tseng and Hulbert is for models with p' = v. */
#define GEOMS_IDID_NOT_GLUEABLE (-1124)
/** An error occurred during use of DORMQR. */
#define GEOMS_IDID_DORMQR_REAL (-1128)
/** An error occurred during use of DORMQR. */
#define GEOMS_IDID_DORMQR_COMPLEX (-1129)
/** EOM stopped the run (IERR<0) while the Jacobian was approximated by differences. */
#define GEOMS_IDID_STOPPED_BY_EOM_IN_DIFFERENCES (-1201)
/** Constraints redundant or dd/dw singular (FX1 rank deficient in its QR decomposition). */
#define GEOMS_IDID_FX1_DEFICIENT_QR (-1401)
/** Constraints or invariants redundant (FX2 rank deficient in its QR decomposition). */
#define GEOMS_IDID_FX2_DEFICIENT_QR (-1402)
/** Constraints redundant or dc/ds singular (FX3 rank deficient in its QR decomposition). */
#define GEOMS_IDID_FX3_DEFICIENT_QR (-1403)
/** Multiplication with Q1 not possible. */
#define GEOMS_IDID_MULTIPLY_Q1 (-1801)
/** Multiplication with Q2 not possible. */
#define GEOMS_IDID_MULTIPLY_Q2 (-1802)
/** Multiplication with Q3 not possible. */
#define GEOMS_IDID_MULTIPLY_Q3 (-1803)
/** Multiplication with Q4 not possible. */
#define GEOMS_IDID_MULTIPLY_Q4 (-1804)
/** Multiplication with Q4 not possible in the error estimate. */
#define GEOMS_IDID_MULTIPLY_Q4_IN_ERROR_ESTIMATE (-2004)
/** EOM stopped the run (IERR<0), or returned NaN or Inf, during the check of the initial values. */
#define GEOMS_IDID_STOPPED_BY_EOM_IN_INITIAL_VALUES (-2101)
/** IVCOND stopped the run (IERR<0), or returned NaN or Inf. */
#define GEOMS_IDID_STOPPED_BY_IVCOND (-2102)
/** An error occurred during the SVD of the initial value equations. */
#define GEOMS_IDID_SVD_IN_INITIAL_VALUES (-2103)
/** The conditions of IVCOND and the constraints contradict each other. */
#define GEOMS_IDID_CONTRADICTORY_CONDITIONS (-2104)
/** No convergence in the determination of consistent initial values. */
#define GEOMS_IDID_INITIAL_VALUES_DIVERGE (-2105)
/** Constraints and conditions of IVCOND do not determine the initial values, which are not consistent. */
#define GEOMS_IDID_TOO_FEW_CONDITIONS (-2106)
/** The rank of the constraints changed between two steps. */
#define GEOMS_IDID_RANK_CHANGED (-2401)
/** Constraints not uniformly redundant: the rank deficiencies of FX1 and FX2 differ. */
#define GEOMS_IDID_DEFICIENCY_FX2 (-2402)
/** Constraints not uniformly redundant: the rank deficiencies of FX1 and FX3 differ. */
#define GEOMS_IDID_DEFICIENCY_FX3 (-2403)
/** An error occurred during the SVD of FX1, FX2 or FX3. */
#define GEOMS_IDID_SVD_FAILED (-2404)
/** The forces of the multipliers have not the rank of the constraints, or dd/dw is singular (IOPT(5)=1, SVD). */
#define GEOMS_IDID_REDUNDANT_INDEX1 (-2405)
/** The constraints lose rank at this position, and the run cannot go on beyond it. */
#define GEOMS_IDID_SINGULAR_CONFIGURATION (-2406)
/** Constraints redundant or dd/dw singular (FX1 rank deficient in its LU decomposition). */
#define GEOMS_IDID_FX1_DEFICIENT_LU (-2601)
/** Constraints or invariants redundant (FX2 rank deficient in its LU decomposition). */
#define GEOMS_IDID_FX2_DEFICIENT_LU (-2602)
/** Constraints redundant or dc/ds singular (FX3 rank deficient in its LU decomposition). */
#define GEOMS_IDID_FX3_DEFICIENT_LU (-2603)

/* Options: indices into iopt and ropt, counted from 0; IOPT(2) of the manual is iopt[1]. */
/** IOPT(2): Fortran unit for messages; 0 is silent, 6 the screen. */
#define GEOMS_IOPT_LUN 1
/** IOPT(3): Maximal number of Newton iterations in a step. */
#define GEOMS_IOPT_NIT 2
/** IOPT(4): Starting values of Newton's method: 0 extrapolated collocation polynomial, 1 the last point. */
#define GEOMS_IOPT_STARTN 3
/** IOPT(5): Formulation: 0 projected-strangeness-free (gII, hI supplied), 1 projected-strangeness-index-1. */
#define GEOMS_IOPT_FORM 4
/** IOPT(6): Maximal number of steps, rejected ones included. With a handle they count from the start or the last reset, and a new value acts at once. */
#define GEOMS_IOPT_NMAX 5
/** IOPT(8): Step size controller: 1 predictive (Gustafsson), 2 classical. */
#define GEOMS_IOPT_PRED 7
/** IOPT(9): Point at which the Newton matrix is taken: 0 the last point, i = extrapolated stage i. */
#define GEOMS_IOPT_NWTMAT 8
/** IOPT(10): Updates of the Newton matrix allowed within a step before it is repeated with a smaller size; more than 100 count as 100. */
#define GEOMS_IOPT_NWTUPD 9
/** IOPT(11): Decomposition of the algebraic part: 1 LU with full pivoting, 2 QR with pivoting, 3 SVD. Redundant constraints need 3. */
#define GEOMS_IOPT_DECOMPC 10
/** IOPT(12): Decomposition of the differential part: 0 LU with partial pivoting, 1 QR. */
#define GEOMS_IOPT_DECOMPD 11
/** IOPT(13): Selectors: 0 kept while the pivot columns of the constraints stay and Newton converges (with DECOMPC=1 and DECOMPD=0, otherwise as 1), 1 recomputed with every predecomposition. */
#define GEOMS_IOPT_SELCOMP 12
/** IOPT(14): 1: the equations do not depend on time. Without effect in method 0: no part of the step uses a time derivative. Differences in time are saved by method 1 at its start and with PROJECT, by method 4 with FORM=1. */
#define GEOMS_IOPT_AUTONOM 13
/** IOPT(15): Mass matrix: 1 full, 2 diagonal, 3 full and constant, 4 diagonal and constant. */
#define GEOMS_IOPT_MASSTRCT 14
/** IOPT(16): 1: the entries IOPT(18..40) are read. */
#define GEOMS_IOPT_EXTEND 15
/** IOPT(17): Initial values: 0 checked and, with IVCOND, corrected; 1 taken as consistent. Method 1 goes on from what it has returned: velocities that are off gI and h by up to 10*RTOL**(2/3) of their size are corrected, multipliers whatever they are. */
#define GEOMS_IOPT_IVCNSST 16
/** IOPT(18): Integration method: 0 Radau IIA; 1 HHT on the index-3 equations (second order); 2 Rosenbrock-Nyström in state space (order 4, linearly implicit); 3 Newmark's method in the tangent space of the constraints (second order); 4 half-explicit Runge-Kutta of order 5, or 8 if RTOL <= 1e-6, for nonstiff systems; -1 automatic choice: method 4 until the problem is found to be stiff, then method 0 with ORDER=-1 (from the start with FORM=1, FIXED=1, s, e, or without JAC); -2 by the model: method 0 unless PARTS are supplied and FORM=0, FIXED=0 and there is no e; then half-explicit of order 8 to the accuracy of method 0, and method 0 as soon as the problem is found to be stiff. */
#define GEOMS_IOPT_METHOD 17
/** IOPT(19): 1: constant step size H, no error control. */
#define GEOMS_IOPT_FIXED 18
/** IOPT(20): 1: a positive IERR rejects the step; IERR is set to 0 and a smaller step is tried. */
#define GEOMS_IOPT_RECOVER 19
/** IOPT(21): Order of method 0: 0 or 5, 9, 13, or -1 for an automatic choice between them. SOLOUT is given a cubic whatever the order. */
#define GEOMS_IOPT_ORDER 20
/** IOPT(22): Method 1, what is projected before it is reported: bit 1 velocities, onto gI = 0; bit 2 accelerations and multipliers, from positions and velocities. Without it X is off gI and gII by the errors of the method (but after steps that are short beside those that accuracy asks for, which always end as with 3); 3 leaves values that every method takes as consistent. */
#define GEOMS_IOPT_PROJECT 21
/** IOPT(23): Method 1: 0 HHT, 1 generalised-alpha. */
#define GEOMS_IOPT_FAMILY 22
/** IOPT(25): 1: an invariant is suspended while it is nearly rank deficient, instead of stopping the run. */
#define GEOMS_IOPT_RELAXE 24
/** IOPT(26): Check of the model at the start: 0 none; 1 a few evaluations, which warn if rows do not fit each other; 2 all of geoms_check_model. Warnings go to the unit, to the log of a handle and to geoms_warning. Not counted in NEOM. */
#define GEOMS_IOPT_CHECK 25
/** IOPT(27): Checks of the model at a few accepted points: 0 none; 1 a row that does not fit the others is a warning; 2 it ends the run with -1120, also at the start. */
#define GEOMS_IOPT_WATCH 26
/** IOPT(28): Method 0 with FORM=0, multipliers within Newton's method: 0 from gII and hI at every stage; 1 from the dynamic equations, as with FORM=1, and from gII and hI at the accepted points; -1 as 0, with a new Newton matrix in the step where multipliers make Newton's method fail, until they do so twice within three steps whose errors leave room for longer ones, then as 1, to a twentieth of the tolerance (if RTOL <= 1e-3); whatever FORM, constraints that hold only if Newton's rate of convergence is believed are measured. With 1, whatever FORM, step sizes also follow the rate of convergence, and there is one iteration more than NIT for each stage beyond three. */
#define GEOMS_IOPT_NWTMULT 27
/** IOPT(30): Method 3: 1 Fox-Goodwin (beta = 1/12), 2 linear acceleration (1/6), 3 trapezoidal (1/4), 4 with the numerical dissipation of method 1 (FAMILY, ALPHA). 1 and 2 are stable up to a step size (MONITOR), 3 and 4 always. BETA and GAMMA take the place of its parameters. */
#define GEOMS_IOPT_SCHEME 29
/** IOPT(31): Method 3, the largest natural frequency: 0 found in every step, and reported with the linear limit of the step size (geoms_measure); 1 also used to keep the step size below that limit, where it is not constant; 2 not found. */
#define GEOMS_IOPT_MONITOR 30
/** IOPT(32): Positions where the constraints lose rank for one instant while the motion is smooth (bars of a parallelogram in one line): 0 the run ends with -2406, 1 it passes them, 2 all steps of method 0 are made as there, for comparison (other methods: as 1). */
#define GEOMS_IOPT_SINGULAR 31
/** ROPT(1): Rounding unit. */
#define GEOMS_ROPT_UROUND 0
/** ROPT(2): Safety factor of the step size prediction. */
#define GEOMS_ROPT_SAFE 1
/** ROPT(3): The Jacobian is kept while the rate of convergence of Newton's method stays below THET. */
#define GEOMS_ROPT_THET 2
/** ROPT(4): Stopping criterion of Newton's method; RTOL' = 0.1*RTOL**(2/3) is the internal tolerance. With invariants (NI > 0) the default has a sixteenth of the second term. Method 1: part of the tolerance to which increments are solved, default 0.001. */
#define GEOMS_ROPT_FNEWT 3
/** ROPT(5): The step size is kept if QUOT1 <= HNEW/HOLD <= QUOT2 and the Jacobian is kept. */
#define GEOMS_ROPT_QUOT1 4
/** ROPT(6): See QUOT1. */
#define GEOMS_ROPT_QUOT2 5
/** ROPT(7): Maximal step size. */
#define GEOMS_ROPT_HMAX 6
/** ROPT(8): Largest HNEW/HOLD; in method 1 at most 5. */
#define GEOMS_ROPT_FACL 7
/** ROPT(9): Smallest HNEW/HOLD. */
#define GEOMS_ROPT_FACR 8
/** ROPT(10): Numerical dissipation of method 1: alpha of HHT, where 1 asks for alpha = 0, which is only weakly stable; spectral radius at infinity of generalised-alpha. */
#define GEOMS_ROPT_ALPHA 9
/** ROPT(11): Methods 1 and 3: weight of the new slope of the force elements r; only 0.5 is of second order. */
#define GEOMS_ROPT_RHO 10
/** ROPT(12): Method 3: Newmark's beta. */
#define GEOMS_ROPT_BETA 11
/** ROPT(13): Method 3: Newmark's gamma. Beside BETA of the schemes 1 to 3 only 0.5 is of second order. */
#define GEOMS_ROPT_GAMMA 12

/**
 * Counters of a run. The structure does not grow: counters of later versions are read by name, with
 * geoms_counter.
 */
typedef struct geoms_stats {
  /**
   * Accepted steps.
   */
  uint64_t naccpt;
  /**
   * Evaluations of EOM, without those for differences and initial values.
   */
  uint64_t neom;
  /**
   * Evaluations of the mass matrix.
   */
  uint64_t nmas;
  /**
   * Evaluations of the Jacobian.
   */
  uint64_t njac;
  /**
   * Determinations of selectors.
   */
  uint64_t nsel;
  /**
   * Predecompositions.
   */
  uint64_t npdec;
  /**
   * Decompositions of the Newton matrices (E1 and E2).
   */
  uint64_t nedec;
  /**
   * Backward substitutions (Newton iterations).
   */
  uint64_t nbsub;
  /**
   * Attempted steps: naccpt + nerjct + ncrjct.
   */
  uint64_t nstep;
  /**
   * Steps rejected by the error test.
   */
  uint64_t nerjct;
  /**
   * Steps rejected for another reason: the sum of the next four and of rejected_rank_loss.
   */
  uint64_t ncrjct;
  /**
   * Of NCRJCT: Newton's method diverged or was too slow.
   */
  uint64_t rejected_newton;
  /**
   * Of NCRJCT: the Newton matrix was singular.
   */
  uint64_t rejected_singular;
  /**
   * Of NCRJCT: NaN or Inf in the right-hand side.
   */
  uint64_t rejected_not_finite;
  /**
   * Of NCRJCT: the model asked for a smaller step.
   */
  uint64_t rejected_by_model;
  /**
   * Updates of the Newton matrix within a step (NWTUPD).
   */
  uint64_t newton_updates;
  /**
   * Selectors renewed because the pivot columns changed.
   */
  uint64_t pivot_changes;
  /**
   * Selectors renewed because they had become a poor choice.
   */
  uint64_t selectors_poor;
  /**
   * Newton iterations that ended at the level of rounding errors.
   */
  uint64_t at_round_off;
  /**
   * Steps that reused the Jacobian of an earlier point (THET).
   */
  uint64_t jacobian_reused;
  /**
   * Accepted points at which an invariant was suspended (RELAXE).
   */
  uint64_t invariants_suspended;
  /**
   * Evaluations of EOM for difference Jacobians.
   */
  uint64_t eom_for_differences;
  /**
   * Evaluations of EOM for the initial values.
   */
  uint64_t eom_for_initial_values;
  /**
   * Multiplications with entries of the mass matrix: what MASSTRCT saves.
   */
  uint64_t mass_multiplications;
  /**
   * Times that the half-explicit method found the problem stiff: its steps were limited by stability. With the
   * automatic choice (method -1) the first time ends its use: 1 from then on.
   */
  uint64_t stiffness_suspected;
} geoms_stats;

/**
 * Failures.
 */
#define GEOMS_LOG_ERROR 1

/**
 * What may need attention.
 */
#define GEOMS_LOG_WARNING 2

/**
 * Beginnings, ends and events.
 */
#define GEOMS_LOG_INFO 3

/**
 * Every accepted step.
 */
#define GEOMS_LOG_DEBUG 4

/**
 * The equations are given with gII and hI.
 */
#define GEOMS_FORM_STRANGENESS_FREE 0

/**
 * The equations are given without gII and hI.
 */
#define GEOMS_FORM_INDEX1 1

/**
 * geoms_integrate and geoms_step: the end was reached, the step was made.
 */
#define GEOMS_REACHED 0

/**
 * geoms_integrate and geoms_step: stopped at a terminal event.
 */
#define GEOMS_EVENT 1

/**
 * geoms_glue_set_int "topology": the interface is solved at one place.
 */
#define GEOMS_FLAT 0

/**
 * geoms_glue_set_int "topology": halves of halves in the order of the subdomains, for chains.
 */
#define GEOMS_BISECTION 1

/**
 * geoms_glue_set_int "topology": along the joints, data go to neighbours only; for chains and trees.
 */
#define GEOMS_NEIGHBOUR 2

/**
 * geoms_glue_set_int "topology": at one place, after the subdomains of each participant among themselves. The round-off of the results
 * depends on who has which subdomain; with the other ones it does not.
 */
#define GEOMS_GROUPED 3

/**
 * geoms_glue_set_int "topology": halves of halves that few joints connect, whatever the order of the subdomains; for grids and loops of joints.
 */
#define GEOMS_DISSECTION 4

/**
 * geoms_glue_spatial: the points coincide, the bodies turn about their common e3.
 */
#define GEOMS_REVOLUTE 0

/**
 * geoms_glue_spatial: the bodies turn about their common e3 and slide along it.
 */
#define GEOMS_CYLINDRICAL 1

/**
 * geoms_glue_spatial: the bodies slide along their common e3 without turning.
 */
#define GEOMS_PRISMATIC 2

/**
 * geoms_glue_spatial: the points coincide, e1 of a stays perpendicular to e2 of b.
 */
#define GEOMS_UNIVERSAL 3

/**
 * geoms_glue_spatial: points and axes coincide.
 */
#define GEOMS_FIXED 4

/**
 * A glued run: its description, and the run once it has started.
 */
typedef struct geoms_glue geoms_glue;

/**
 * A solver: callbacks, options, and the run.
 */
typedef struct geoms_solver geoms_solver;

/**
 * Numbers of variables and constraints.
 */
typedef struct geoms_dimensions {
  /**
   * Position variables p.
   */
  int64_t np;
  /**
   * Velocity variables v.
   */
  int64_t nv;
  /**
   * Dynamic force element variables r.
   */
  int64_t nr;
  /**
   * Auxiliary variables w.
   */
  int64_t nw;
  /**
   * Contact point variables s.
   */
  int64_t ns;
  /**
   * Holonomic constraints g and multipliers λ.
   */
  int64_t nl;
  /**
   * Nonholonomic constraints h and multipliers μ.
   */
  int64_t nm;
  /**
   * Solution invariants e.
   */
  int64_t ni;
} geoms_dimensions;

/**
 * Right-hand sides RDA of all equations, M of them.
 */
typedef int (*geoms_eom_fn)(double t,
                            const double *x,
                            double *rda,
                            void *user);

/**
 * Mass matrix, NV by NV, column-major, full storage whatever its structure.
 */
typedef int (*geoms_mass_fn)(double t,
                             const double *x,
                             double *mass,
                             void *user);

/**
 * NEGATIVE partial derivatives of RDA in six column-major blocks, FX1 to FX6, which come in as zeros.
 */
typedef int (*geoms_jacobian_fn)(double t,
                                 const double *x,
                                 double *const *fx,
                                 void *user);

/**
 * The parts of the equations of motion that the half-explicit method asks for, and no others: a pointer is null where that part
 * is not asked for, and at least one is not null. Matrices are column-major and come in as zeros.
 *
 * - force: f_dyn for λ = μ = 0, NV.
 * - mass: the mass matrix, NV by NV, leading dimension NV, full storage whatever its structure. Not asked for where it is constant
 *   and known.
 * - c: C, the derivative of the rows (gI, h) by v, NL+NM by NV, leading dimension NL+NM: G stacked on H. It has the sign of the
 *   derivative, other than the blocks FX.
 * - gamma: the rows (gII, hI) for v' = 0, NL+NM: the rate of (gI, h) while p moves with v, and with t.
 * - velocity: the rows (gI, h), NL+NM.
 * - position: the rows g, NL.
 *
 * The multipliers in x have no meaning here.
 */
typedef int (*geoms_parts_fn)(double t,
                              const double *x,
                              double *force_or_null,
                              double *mass_or_null,
                              double *c_or_null,
                              double *gamma_or_null,
                              double *velocity_or_null,
                              double *position_or_null,
                              void *user);

/**
 * Conditions on the initial values, zero where they are satisfied.
 */
typedef int (*geoms_conditions_fn)(double t,
                                   const double *x,
                                   double *cond,
                                   void *user);

/**
 * An accepted point. The pointers are valid during the call. Made by the library only: later versions may add members at the end.
 */
typedef struct geoms_step_info {
  /**
   * The handle, for geoms_dense and geoms_time; other functions are refused during the call.
   */
  struct geoms_solver *solver;
  /**
   * Accepted steps so far; 0 at the initial point.
   */
  int64_t naccpt;
  /**
   * The preceding point.
   */
  double t_old;
  /**
   * The current point.
   */
  double t;
  /**
   * The step just made.
   */
  double h;
  /**
   * The solution at t.
   */
  const double *x;
  /**
   * Its length.
   */
  int64_t n;
} geoms_step_info;

/**
 * Told of the initial point and of every accepted step; a negative number stops the run there.
 */
typedef int (*geoms_output_fn)(const struct geoms_step_info *step,
                               void *user);

/**
 * Takes a message of one or more lines; a negative number stops the run.
 */
typedef int (*geoms_log_fn)(int level,
                            const char *text,
                            void *user);

/**
 * Functions whose changes of sign are events.
 */
typedef int (*geoms_events_fn)(double t,
                               const double *x,
                               double *value,
                               void *user);

/**
 * An error. No string is null; what is not known is an empty string, NaN or 0. The structure does not grow: what later versions
 * know of an error is read by name, with geoms_error_text and geoms_error_number.
 */
typedef struct geoms_error {
  /**
   * The code that was returned; 0 if nothing has gone wrong.
   */
  int code;
  /**
   * What it means. Valid until the next call on the handle.
   */
  const char *sentence;
  /**
   * What to try, in the names of the options. Valid until the next call on the handle.
   */
  const char *advice;
  /**
   * The case at hand: the argument and its value, the row, the rank. Valid until the next call on the handle.
   */
  const char *detail;
  /**
   * All of this in several lines, with the last rejected steps. Valid until the next call on the handle.
   */
  const char *report;
  /**
   * Last accepted time.
   */
  double t;
  /**
   * Step size of the last attempt.
   */
  double h;
  /**
   * Block of x or RDA concerned: w, lambda, mu, r, v, s, p or d, gII, hI, gI, h, e, c, g, b, f_dyn, f_kin.
   */
  const char *block;
  /**
   * Number within the block, from 1.
   */
  int64_t index;
  /**
   * Rate of convergence of Newton's method.
   */
  double theta;
} geoms_error;

/**
 * Ranks of the constraints at one point.
 */
typedef struct geoms_ranks {
  /**
   * Position level: rows of c and g.
   */
  int64_t position_rows;
  /**
   * Their rank.
   */
  int64_t position_rank;
  /**
   * Velocity level: rows of gI and h.
   */
  int64_t velocity_rows;
  /**
   * Their rank.
   */
  int64_t velocity_rank;
  /**
   * Smallest singular value that was kept, relative to the largest.
   */
  double smallest;
} geoms_ranks;

/**
 * Send n numbers to a participant without waiting for it. Returns 0, or -1-r if participant r is lost.
 */
typedef int (*geoms_send_fn)(int to,
                             const double *data,
                             int64_t n,
                             void *user);

/**
 * Receive n numbers from a participant, in the order in which they were sent. Returns 0, or -1-r if participant r is lost.
 */
typedef int (*geoms_receive_fn)(int from,
                                double *data,
                                int64_t n,
                                void *user);

/**
 * Tell all other participants that one is lost. Returns 0.
 */
typedef int (*geoms_abandon_fn)(int lost,
                                void *user);

/**
 * A port: y and its derivatives by p, column-major, one row for each y, which come in as zeros. Returns as the functions of a model do.
 */
typedef int (*geoms_port_fn)(double t,
                             const double *p,
                             double *y,
                             double *jacobian,
                             void *user);

/**
 * Counters of a participant of a glued run.
 */
typedef struct geoms_glue_stats {
  /**
   * Accepted steps.
   */
  uint64_t steps;
  /**
   * Steps taken back because of their error.
   */
  uint64_t rejected_error;
  /**
   * Steps taken back because Newton's method did not converge or a model could not be evaluated.
   */
  uint64_t rejected_newton;
  /**
   * Steps taken back to land on an event.
   */
  uint64_t rejected_event;
  /**
   * Newton iterations of accepted steps.
   */
  uint64_t iterations;
  /**
   * Most of them in one step.
   */
  uint64_t most_iterations;
  /**
   * New matrices.
   */
  uint64_t refreshes;
  /**
   * Numbers between the subdomains of this participant and the interface, in either direction.
   */
  uint64_t interface_doubles;
  /**
   * Messages sent to other participants.
   */
  uint64_t messages;
  /**
   * Numbers of the interface in them.
   */
  uint64_t doubles;
  /**
   * Undetermined directions of the forces of redundant joints in the last step.
   */
  uint64_t deficiency;
  /**
   * Nanoseconds of interface equations and exchange, waiting included.
   */
  uint64_t coordination_ns;
} geoms_glue_stats;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Integrate the equations of motion of a constrained multibody system from T to TEND.
 *
 * The argument list is that of the subroutine GEOMS: every argument by reference, arrays column-major, INTEGER of
 * 32 bits. The meaning of each argument, option and code is in `docs/reference.md`.
 *
 * On return X and T hold the last accepted point, H the next step size, IWORK(1..11) the counters and IDID 0 or the
 * reason of the failure; a refused argument changes nothing but IDID. RTOL, ATOL, IOPT and ROPT are never written.
 *
 * # Safety
 * Every pointer is null (which is refused) or points to what the manual says. A subroutine must return: no C++
 * exception and no longjmp may leave it; it stops the run with a negative IERR.
 */
void geoms_(const int32_t *np,
            const int32_t *nv,
            const int32_t *nr,
            const int32_t *nw,
            const int32_t *ns,
            const int32_t *nl,
            const int32_t *nm,
            const int32_t *ni,
            const int32_t *m,
            const int32_t *n,
            const int32_t *nivcond,
            double *x,
            double *t,
            const double *tend,
            double *h,
            const double *rtol,
            const double *atol,
            const int32_t *itol,
            const int32_t *iopt,
            const double *ropt,
            void (*ivcond)(const int32_t *n,
                           const double *t,
                           const double *x,
                           const int32_t *ncond,
                           double *cond,
                           int32_t *ipar,
                           double *rpar,
                           int32_t *ierr),
            void (*eom)(const int32_t *m,
                        const int32_t *n,
                        const double *t,
                        const double *x,
                        double *rda,
                        const int32_t *iopt,
                        const double *ropt,
                        int32_t *ipar,
                        double *rpar,
                        int32_t *ierr),
            void (*mas)(const double *t,
                        const int32_t *nx,
                        const double *x,
                        const int32_t *m,
                        const int32_t *n,
                        double *ma,
                        const int32_t *iopt,
                        const double *ropt,
                        int32_t *ipar,
                        double *rpar,
                        int32_t *ierr),
            void (*jac)(const int32_t *m1,
                        const int32_t *m2,
                        const int32_t *m3,
                        const int32_t *m4,
                        const int32_t *m5,
                        const int32_t *m6,
                        const int32_t *n1,
                        const int32_t *n2,
                        const int32_t *n3,
                        const int32_t *n4,
                        const int32_t *m,
                        const int32_t *n,
                        const double *t,
                        const double *x,
                        double *fx1,
                        double *fx2,
                        double *fx3,
                        double *fx4,
                        double *fx5,
                        double *fx6,
                        const int32_t *iopt,
                        const double *ropt,
                        double *rpar,
                        int32_t *ipar,
                        int32_t *ierr),
            const int32_t *ijac,
            void (*solout)(const int32_t *naccpt,
                           const double *told,
                           const double *t,
                           const double *x,
                           const int32_t *n,
                           const int32_t *nn2,
                           const int32_t *nn3,
                           const int32_t *nn4,
                           const double *contx,
                           const double *h,
                           const double *c1m1,
                           const double *c2m1,
                           double *rpar,
                           int32_t *ipar,
                           int32_t *ierr),
            const int32_t *iout,
            const int32_t *liwork,
            int32_t *iwork,
            const int32_t *lrwork,
            double *rwork,
            double *rpar,
            int32_t *ipar,
            int32_t *ierr,
            int32_t *idid);

/**
 * Component I (from 1) of the solution at TOUT in the last step, from the data passed to SOLOUT.
 *
 * NaN if an argument is null or I is not in 1..N.
 *
 * # Safety
 * Every pointer is null or points to what SOLOUT was given.
 */
double gedensout_(const int32_t *i,
                  const double *tout,
                  const int32_t *n,
                  const int32_t *nn2,
                  const int32_t *nn3,
                  const int32_t *nn4,
                  const double *t,
                  const double *h,
                  const double *contx,
                  const double *c1m1,
                  const double *c2m1);

/**
 * The same as `geoms_` for programs with 64-bit INTEGER.
 *
 * # Safety
 * As `geoms_`.
 */
void geoms_64_(const int64_t *np,
               const int64_t *nv,
               const int64_t *nr,
               const int64_t *nw,
               const int64_t *ns,
               const int64_t *nl,
               const int64_t *nm,
               const int64_t *ni,
               const int64_t *m,
               const int64_t *n,
               const int64_t *nivcond,
               double *x,
               double *t,
               const double *tend,
               double *h,
               const double *rtol,
               const double *atol,
               const int64_t *itol,
               const int64_t *iopt,
               const double *ropt,
               void (*ivcond)(const int64_t *n,
                              const double *t,
                              const double *x,
                              const int64_t *ncond,
                              double *cond,
                              int64_t *ipar,
                              double *rpar,
                              int64_t *ierr),
               void (*eom)(const int64_t *m,
                           const int64_t *n,
                           const double *t,
                           const double *x,
                           double *rda,
                           const int64_t *iopt,
                           const double *ropt,
                           int64_t *ipar,
                           double *rpar,
                           int64_t *ierr),
               void (*mas)(const double *t,
                           const int64_t *nx,
                           const double *x,
                           const int64_t *m,
                           const int64_t *n,
                           double *ma,
                           const int64_t *iopt,
                           const double *ropt,
                           int64_t *ipar,
                           double *rpar,
                           int64_t *ierr),
               void (*jac)(const int64_t *m1,
                           const int64_t *m2,
                           const int64_t *m3,
                           const int64_t *m4,
                           const int64_t *m5,
                           const int64_t *m6,
                           const int64_t *n1,
                           const int64_t *n2,
                           const int64_t *n3,
                           const int64_t *n4,
                           const int64_t *m,
                           const int64_t *n,
                           const double *t,
                           const double *x,
                           double *fx1,
                           double *fx2,
                           double *fx3,
                           double *fx4,
                           double *fx5,
                           double *fx6,
                           const int64_t *iopt,
                           const double *ropt,
                           double *rpar,
                           int64_t *ipar,
                           int64_t *ierr),
               const int64_t *ijac,
               void (*solout)(const int64_t *naccpt,
                              const double *told,
                              const double *t,
                              const double *x,
                              const int64_t *n,
                              const int64_t *nn2,
                              const int64_t *nn3,
                              const int64_t *nn4,
                              const double *contx,
                              const double *h,
                              const double *c1m1,
                              const double *c2m1,
                              double *rpar,
                              int64_t *ipar,
                              int64_t *ierr),
               const int64_t *iout,
               const int64_t *liwork,
               int64_t *iwork,
               const int64_t *lrwork,
               double *rwork,
               double *rpar,
               int64_t *ipar,
               int64_t *ierr,
               int64_t *idid);

/**
 * The same as `gedensout_` for programs with 64-bit INTEGER.
 *
 * # Safety
 * As `gedensout_`.
 */
double gedensout_64_(const int64_t *i,
                     const double *tout,
                     const int64_t *n,
                     const int64_t *nn2,
                     const int64_t *nn3,
                     const int64_t *nn4,
                     const double *t,
                     const double *h,
                     const double *contx,
                     const double *c1m1,
                     const double *c2m1);

/**
 * Version of the library as a string, "major.minor.patch"; static storage.
 */
const char *geoms_version(void);

/**
 * What an IDID means, in one sentence; static storage, never null.
 */
const char *geoms_strerror(int idid);

/**
 * What to try after an IDID; static storage, never null, empty if there is nothing to say.
 */
const char *geoms_advice(int idid);

/**
 * A solver for a system of these dimensions whose equations are given in this form; null if that is not possible,
 * and then geoms_last_error with a null handle says why. To be freed with geoms_free. It begins with METHOD = -2, ORDER = 9,
 * NWTMAT = 2, NWTMULT = -1, and SINGULAR, CHECK and WATCH = 1; with all seven 0 it does what the call does, but for positive
 * returns of the callbacks, which are as with RECOVER = 1.
 *
 * # Safety
 * `dims` is null or points to dimensions.
 */
struct geoms_solver *geoms_create(const struct geoms_dimensions *dims,
                                  int form);

/**
 * Free a solver; null is allowed. Has no effect from within one of its callbacks.
 *
 * # Safety
 * The handle is null or was made by `geoms_create`, and is not used any more.
 */
void geoms_free(struct geoms_solver *handle);

/**
 * Set the pointer that is passed to all callbacks; acts at once.
 *
 * # Safety
 * The handle is null or one of geoms_create. The pointer is whatever the callbacks take.
 */
int geoms_set_user(struct geoms_solver *handle,
                   void *user);

/**
 * Set the equations of motion: RDA, in the order of docs/reference.md. Acts with the next geoms_start.
 *
 * # Safety
 * The handle is null or one of geoms_create; the function keeps to its lengths and lets no exception out.
 */
int geoms_set_eom(struct geoms_solver *handle,
                  geoms_eom_fn eom);

/**
 * Set the mass matrix. Acts with the next geoms_start. The option "masstrct" says what is known of it.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_mass(struct geoms_solver *handle,
                   geoms_mass_fn mass);

/**
 * Set the NEGATIVE partial derivatives of RDA; null: differences are used. Acts with the next geoms_start.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_jacobian(struct geoms_solver *handle,
                       geoms_jacobian_fn jacobian);

/**
 * Set a function that gives the parts of the equations of motion that are asked for; null: none. The half-explicit method
 * ("method" -2, the default, 4 or -1; at its stages also method 2) then calls it instead of EOM, MAS and JAC, which costs less: to set
 * it makes the default a half-explicit method, unless the problem is stiff or the parts contradict EOM or MAS. These must be
 * set all the same: initial values and the other methods take them. To set it says that p' = v, and that f_dyn depends on the multipliers by -Cᵀ(λ, μ) alone:
 * friction that depends on them is not for it. geoms_check_jacobian compares it with EOM and MAS. It is called if
 * NW = NS = NR = 0, NP = NV and NL+NM > 0; otherwise nothing changes. Of its calls NEOM counts those for the force or the
 * positions, NMAS those for the mass matrix, NJAC those for C. Acts with the next geoms_start.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_parts(struct geoms_solver *handle,
                    geoms_parts_fn parts);

/**
 * Say where a matrix may have entries other than zero: `block` 0 is the mass matrix, 1 to 6 are FX1 to FX6; count positions
 * (row, column), from 0 on; count = -1: anywhere, as before the first call. Without a Jacobian differences then move the
 * columns together that share no row: a chain of bodies costs some ten calls of EOM however long it is. METHOD = 1 stores
 * and factors matrices of order 500 and more by the pattern if all seven are said, the mass matrix is constant, and DECOMPC and DECOMPD
 * are 1; IVCNSST = 1 and SINGULAR, CHECK, WATCH = 0 avoid other dense matrices. What is not in the pattern is taken for
 * zero; geoms_check_model compares. Acts with the next geoms_start.
 *
 * # Safety
 * As geoms_set_eom; `rows` and `columns` have count entries.
 */
int geoms_set_pattern(struct geoms_solver *handle,
                      int block,
                      int64_t count,
                      const int64_t *rows,
                      const int64_t *columns);

/**
 * Set n conditions with which geoms_start makes the initial values consistent; n = 0: none.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_conditions(struct geoms_solver *handle,
                         int64_t n,
                         geoms_conditions_fn conditions);

/**
 * Set a function that is told of the initial point and of every accepted step; null: none. Acts at once.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_output(struct geoms_solver *handle,
                     geoms_output_fn output);

/**
 * Set a function that gets messages up to a level, GEOMS_LOG_ERROR to GEOMS_LOG_DEBUG; null: silent. Acts at once.
 *
 * # Safety
 * As geoms_set_eom.
 */
int geoms_set_log(struct geoms_solver *handle,
                  int level,
                  geoms_log_fn log);

/**
 * Set n event functions; n = 0: none. A direction is 0 for any change of sign, 1 for rising, -1 for falling ones; at a
 * terminal event the run stops. Null for `direction` or `terminal` means zeros. Event times are located to `tolerance`;
 * 0: to rounding errors. Acts at once, from the current point on.
 *
 * The time of a terminal event is that of a zero of the function at the point at which the run stands, so it is as
 * accurate as the solution; that of another event is as accurate as the interpolation (geoms_dense). A zero at a start or
 * restart is no event; a return to zero within the first step is one. Otherwise only a change of sign between two accepted
 * points is seen: where a function can cross zero twice in a step, bound the step by "hmax".
 *
 * # Safety
 * As geoms_set_eom; `direction` and `terminal` are null or have n entries.
 */
int geoms_set_events(struct geoms_solver *handle,
                     int64_t n,
                     geoms_events_fn events,
                     const int *direction,
                     const int *terminal,
                     double tolerance);

/**
 * Set an integer option by its name in the option table, in any case: geoms_set_int(h, "decompc", 3). Acts with the
 * next geoms_start, "nmax" at once.
 *
 * # Safety
 * The handle is null or one of geoms_create; `name` is null or a terminated string.
 */
int geoms_set_int(struct geoms_solver *handle,
                  const char *name,
                  int64_t value);

/**
 * Set a real option by its name in the option table, in any case: geoms_set_real(h, "hmax", 0.1). Acts with the next
 * geoms_start.
 *
 * # Safety
 * As geoms_set_int.
 */
int geoms_set_real(struct geoms_solver *handle,
                   const char *name,
                   double value);

/**
 * Set the tolerances for all components; 1e-6 both if never set. Acts with the next geoms_start.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int geoms_set_tolerance(struct geoms_solver *handle,
                        double rtol,
                        double atol);

/**
 * Set the tolerances of each component, in the order of x. Acts with the next geoms_start.
 *
 * # Safety
 * The handle is null or one of geoms_create; `rtol` and `atol` are null or have N entries.
 */
int geoms_set_tolerances(struct geoms_solver *handle,
                         const double *rtol,
                         const double *atol);

/**
 * Begin a run at (t, x), with the settings made so far. The initial values are checked and, if there are
 * conditions, corrected; with the option "ivcnsst" = 1 they are taken as they are. A first step h0 that is not positive is
 * chosen by the library. If it fails the run of before, if there is one, can go on. Begun again with the same settings, method 0 uses the memory that it has.
 *
 * # Safety
 * The handle is null or one of geoms_create; `x` is null or has N entries.
 */
int geoms_start(struct geoms_solver *handle,
                double t,
                const double *x,
                double h0);

/**
 * Move x to a consistent point nearby: the smallest change of positions that satisfies the constraints, then of the
 * velocities, then of multipliers and auxiliary variables. Needs no run and changes none. After a failure x is
 * unchanged.
 *
 * # Safety
 * As geoms_start.
 */
int geoms_make_consistent(struct geoms_solver *handle,
                          double t,
                          double *x);

/**
 * Integrate to `tend`: GEOMS_REACHED, GEOMS_EVENT at a terminal event, or a negative code. The handle then stands
 * at the last accepted point, also after a failure, and can go on from there.
 *
 * # Safety
 * The handle is null or one of geoms_create; the callbacks keep their contract.
 */
int geoms_integrate(struct geoms_solver *handle,
                    double tend);

/**
 * One accepted step, not beyond `tend`; none at `tend`. Returns as geoms_integrate.
 *
 * # Safety
 * As geoms_integrate.
 */
int geoms_step(struct geoms_solver *handle,
               double tend);

/**
 * Go on from another point, for example after an impact. It is made consistent as by geoms_make_consistent; read it
 * with geoms_state. Events are watched and "nmax" steps are counted from there on. If it fails the run stays where it was.
 *
 * # Safety
 * As geoms_start.
 */
int geoms_reset(struct geoms_solver *handle,
                double t,
                const double *x);

/**
 * The solution at a time within the last step. May be called from the output function.
 *
 * # Safety
 * The handle is null or one of geoms_create; `x` is null or has N entries.
 */
int geoms_dense(const struct geoms_solver *handle,
                double t,
                double *x);

/**
 * Degree of the polynomial that geoms_dense evaluates: with its values at one more point than that the last step is known
 * throughout. -1 if there is no run. May be called from the output function.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int geoms_dense_degree(const struct geoms_solver *handle);

/**
 * Ask the run to stop after the current step, with the code GEOMS_IDID_STOP_REQUESTED; it can be resumed by
 * another geoms_integrate. The only function that may be called while another call on the handle runs: from a callback,
 * another thread or a signal handler. If no call runs the next one stops.
 *
 * # Safety
 * The handle is null or one of geoms_create, and not freed meanwhile.
 */
void geoms_request_stop(const struct geoms_solver *handle);

/**
 * Save all that the rest of the run depends on. `length` holds the size of the buffer and gets the size used; with a
 * null buffer it gets the size needed.
 *
 * # Safety
 * The handle is null or one of geoms_create; `buffer` is null or has `*length` bytes.
 */
int geoms_save(struct geoms_solver *handle,
               void *buffer,
               size_t *length);

/**
 * Go on where a saved run was, in a handle with the same dimensions, callbacks, options and tolerances: the rest is
 * identical, bit for bit. Takes the place of geoms_start. If the bytes are refused the handle stays as it was.
 *
 * # Safety
 * The handle is null or one of geoms_create; `buffer` is null or has `length` bytes.
 */
int geoms_restore(struct geoms_solver *handle,
                  const void *buffer,
                  size_t length);

/**
 * The last error of a handle; with a null handle that of the last geoms_create of this thread that returned null.
 * Returns its code, 0 if nothing has gone wrong.
 *
 * # Safety
 * The handle is null or one of geoms_create; `out` is null or points to an error.
 */
int geoms_last_error(const struct geoms_solver *handle,
                     struct geoms_error *out);

/**
 * Length N of x; 0 if there is no handle or it is in use.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int64_t geoms_dimension(const struct geoms_solver *handle);

/**
 * Length M of RDA; 0 if there is no handle or it is in use.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int64_t geoms_equations(const struct geoms_solver *handle);

/**
 * Current time; NaN if there is no run. May be called from the output function.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
double geoms_time(const struct geoms_solver *handle);

/**
 * Step size proposed for the next step; NaN if there is no run, 0 if it has not been chosen.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
double geoms_next_step(const struct geoms_solver *handle);

/**
 * The current point.
 *
 * # Safety
 * The handle is null or one of geoms_create; `x` is null or has N entries.
 */
int geoms_state(struct geoms_solver *handle,
                double *x);

/**
 * The counters of the run.
 *
 * # Safety
 * The handle is null or one of geoms_create; `out` is null or points to statistics.
 */
int geoms_statistics(struct geoms_solver *handle,
                     geoms_stats *out);

/**
 * One counter of the run by its name, that of a member of geoms_stats or of a later version, in any case.
 *
 * # Safety
 * The handle is null or one of geoms_create; `name` is null or a terminated string; `count` is null or points to a number.
 */
int geoms_counter(struct geoms_solver *handle,
                  const char *name,
                  uint64_t *count);

/**
 * Name of counter number k, from 0; null behind the last one. Static.
 */
const char *geoms_counter_name(int64_t k);

/**
 * What the method measures beside the solution, by its name, in any case: "frequency", "largest_frequency", "stable_step" of method 3.
 * Zero as long as nothing has been measured.
 *
 * # Safety
 * The handle is null or one of geoms_create; `name` is null or a terminated string; `value` is null or points to a number.
 */
int geoms_measure(struct geoms_solver *handle,
                  const char *name,
                  double *value);

/**
 * A text of the last error by its name: sentence, advice, detail, report, block. Null for another name, so that a program can ask
 * what this version of the library knows. Valid until the next call on the handle.
 *
 * # Safety
 * As geoms_last_error; `name` is null or a terminated string.
 */
const char *geoms_error_text(const struct geoms_solver *handle,
                             const char *name);

/**
 * A number of the last error by its name: code, t, h, index, theta. NaN if it is not known, or for another name.
 *
 * # Safety
 * As geoms_error_text.
 */
double geoms_error_number(const struct geoms_solver *handle,
                          const char *name);

/**
 * Number of events that the last geoms_integrate or geoms_step met, terminal or not.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int64_t geoms_event_count(const struct geoms_solver *handle);

/**
 * Event number k of the last call, from 0 and in the order of time: which event function, from 0, and when.
 *
 * # Safety
 * The handle is null or one of geoms_create; `index` and `t` are null or point to a number.
 */
int geoms_event(struct geoms_solver *handle,
                int64_t k,
                int64_t *index,
                double *t);

/**
 * The last event of the last call; after GEOMS_EVENT it is the one at which the handle stands.
 *
 * # Safety
 * As geoms_event.
 */
int geoms_last_event(struct geoms_solver *handle,
                     int64_t *index,
                     double *t);

/**
 * Number of warnings since geoms_start: rows of the model that do not fit each other ("check", "watch"), more failures of Newton's
 * method than steps. They are also messages to the log.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
int64_t geoms_warning_count(const struct geoms_solver *handle);

/**
 * Warning number k, from 0; an empty string if there is none. Valid until the next call on the handle.
 *
 * # Safety
 * The handle is null or one of geoms_create.
 */
const char *geoms_warning(const struct geoms_solver *handle,
                          int64_t k);

/**
 * A text of option number k of the option table, from 0: "name"; "kind", which is "integer" (geoms_set_int) or "real"
 * (geoms_set_real); "slot" of the call; "range"; "default" of a handle; "meaning". Null behind the last option, and for another text.
 * Static.
 *
 * # Safety
 * `what` is null or a terminated string.
 */
const char *geoms_option_text(int64_t k,
                              const char *what);

/**
 * A text of the k-th method, from 0: its "name", one word for it ("keyword"), its "number" as the option "method" takes it, or what
 * it does of a feature (geoms_feature_name): yes, no, a condition, orders. Null behind the last method, and for another text. Static.
 *
 * # Safety
 * `what` is null or a terminated string.
 */
const char *geoms_method_text(int64_t k,
                              const char *what);

/**
 * Name of feature number k, from 0, as geoms_method_text takes it; null behind the last one. Static.
 */
const char *geoms_feature_name(int64_t k);

/**
 * Compare the rows of the model with each other at (t, x) and at moving points near it: gI the rate of g, gII that of gI with
 * v' = M⁻¹ f_dyn, hI that of h; the multipliers in f_dyn by -Zᵀ(Gᵀ, Hᵀ); f_kin linear in v; the mass matrix symmetric, positive and as
 * "masstrct" says; invariants constant; the Jacobian and the parts, if they are set. Neither is needed, and the point need not
 * be consistent. Returns the number of findings, or a negative code. Each is a message to `log` (null: that of geoms_set_log): the
 * row, both values and the likely slip; the cause comes before its consequences.
 *
 * # Safety
 * As geoms_check_jacobian.
 */
int geoms_check_model(struct geoms_solver *handle,
                      double t,
                      const double *x,
                      geoms_log_fn log);

/**
 * Compare the Jacobian with differences of the equations of motion at (t, x). Returns the number of wrong entries, or
 * a negative code. Each one is a message to `log` (null: that of geoms_set_log), the classic mistakes, sign and
 * transposition, as well. A function of geoms_set_parts is compared with EOM, MAS and differences, and so is
 * what to set it says of the model; one of the two must be set.
 *
 * # Safety
 * The handle is null or one of geoms_create; `x` is null or has N entries; the callbacks keep their contract.
 */
int geoms_check_jacobian(struct geoms_solver *handle,
                         double t,
                         const double *x,
                         geoms_log_fn log);

/**
 * Ranks of the constraints at (t, x). Returns the number of groups of dependent constraints, in each of which one
 * can be dropped, or a negative code. Each group is a message to `log` (null: that of geoms_set_log), which names that
 * one; all that are named can be dropped together.
 *
 * # Safety
 * As geoms_check_jacobian; `out` is null or points to ranks.
 */
int geoms_rank_report(struct geoms_solver *handle,
                      double t,
                      const double *x,
                      struct geoms_ranks *out,
                      geoms_log_fn log);

/**
 * Constraint forces Zᵀ(Gᵀλ + Hᵀμ) at (t, x), NV of them: unique also where redundant constraints leave the multipliers
 * undetermined. They enter the dynamic equations with a minus sign.
 *
 * # Safety
 * As geoms_check_jacobian; `force` is null or has NV entries.
 */
int geoms_constraint_forces(struct geoms_solver *handle,
                            double t,
                            const double *x,
                            double *force);

/**
 * A glued run without subdomains; null if there is no memory. To be freed with geoms_glue_free.
 */
struct geoms_glue *geoms_glue_create(void);

/**
 * Free a glued run; null is allowed. The handles of its models are not freed. Has no effect from within one of its callbacks.
 *
 * # Safety
 * The pointer is null or was made by geoms_glue_create, and is not used any more.
 */
void geoms_glue_free(struct geoms_glue *glue);

/**
 * Number of this participant and of all of them, and how they exchange numbers; for MPI see geoms_mpi.h. Without this call there is one
 * participant, number 0.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the functions keep to their lengths.
 */
int geoms_glue_set_transport(struct geoms_glue *glue,
                             int rank,
                             int size,
                             geoms_send_fn send,
                             geoms_receive_fn receive,
                             geoms_abandon_fn abandon,
                             void *user);

/**
 * The last error of a glued run. Returns its code, 0 if nothing has gone wrong. The strings are valid until the next call.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `out` is null or points to an error.
 */
int geoms_glue_last_error(struct geoms_glue *glue,
                          struct geoms_error *out);

/**
 * Add a subdomain that participant `owner` computes. It gives a handle with equations, mass matrix and, if there is one, the Jacobian, whose
 * functions and option "masstrct" are taken as they are now, and the initial values x; the others give null for both. Returns the number
 * of the subdomain.
 *
 * # Safety
 * The pointers are null or valid; x has as many entries as geoms_dimension says.
 */
int geoms_glue_add(struct geoms_glue *glue,
                   int owner,
                   const struct geoms_solver *model_or_null,
                   const double *x_or_null);

/**
 * Add a port of a planar body: a point of the body and its angle, (x, y, angle). `ix`, `iy` and `iangle` are the indices of the body's
 * coordinates among the positions p, from 0; (at_x, at_y) is the point in the frame of the body. Returns the number of the port.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_port_frame(struct geoms_glue *glue,
                          int subdomain,
                          int ix,
                          int iy,
                          int iangle,
                          double at_x,
                          double at_y);

/**
 * Add a port of a body in space: a point of the body and its axes, (point, e1, e2, e3), 12 components. `origin` has the 3 indices of the body's
 * origin and `attitude` the 4 indices of its unit quaternion, the real part first, among the positions p, from 0; `at` is the point in the
 * frame of the body, null for its origin. Returns the number of the port.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the arrays have 3, 4 and 3 entries.
 */
int geoms_glue_port_spatial(struct geoms_glue *glue,
                            int subdomain,
                            const int *origin,
                            const int *attitude,
                            const double *at_or_null);

/**
 * Add a port that shows n of the positions p; indices from 0. Returns the number of the port.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `indices` has n entries.
 */
int geoms_glue_port_coordinates(struct geoms_glue *glue,
                                int subdomain,
                                int n,
                                const int *indices);

/**
 * Add a port given by a function with n components; depends_on_time says whether t matters. Returns the number of the port.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the function keeps to its lengths.
 */
int geoms_glue_port(struct geoms_glue *glue,
                    int subdomain,
                    int n,
                    int depends_on_time,
                    geoms_port_fn port,
                    void *user);

/**
 * Functions of x of a subdomain at whose changes of sign the run stops; given by its owner.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the function keeps to its lengths.
 */
int geoms_glue_set_events(struct geoms_glue *glue,
                          int subdomain,
                          int n,
                          geoms_events_fn events,
                          void *user);

/**
 * Set a real option, the same in all participants: "radius" (spectral radius at infinity, from 0 to below 1; 0.8), "rtol", "atol" (of the
 * positions; 1e-6), "hmax", "event_tolerance" (1e-10).
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `name` is null or a string.
 */
int geoms_glue_set_real(struct geoms_glue *glue,
                        const char *name,
                        double value);

/**
 * Set an integer option, the same in all participants: "project" (1: velocities of the results satisfy the constraints; default; 2: steps go on
 * from these, which costs the forces an order; 0: they satisfy them to O(h²)), "fixed" (1: steps of constant size), "topology" (GEOMS_FLAT, GEOMS_BISECTION, GEOMS_NEIGHBOUR, GEOMS_GROUPED,
 * GEOMS_DISSECTION).
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `name` is null or a string.
 */
int geoms_glue_set_int(struct geoms_glue *glue,
                       const char *name,
                       int value);

/**
 * Hold the differences y_a - y_b of the first n components of two ports at constants, null for zeros: a revolute joint of planar frames with
 * n = 2, a rigid one with n = 3, a spherical one of points in space. Returns the number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the array is null or has n entries.
 */
int geoms_glue_coincide(struct geoms_glue *glue,
                        int subdomain_a,
                        int port_a,
                        int subdomain_b,
                        int port_b,
                        int n,
                        const double *offset_or_null);

/**
 * A force k (u - rest) + c u' in each of the first n components, u = y_a - y_b: bushing, torsion spring. A null rest is zero. Returns the
 * number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the arrays have n entries.
 */
int geoms_glue_bushing(struct geoms_glue *glue,
                       int subdomain_a,
                       int port_a,
                       int subdomain_b,
                       int port_b,
                       int n,
                       const double *stiffness,
                       const double *damping,
                       const double *rest_or_null);

/**
 * Hold two points, the first `dimension` components of the ports, at a constant distance. Returns the number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_distance(struct geoms_glue *glue,
                        int subdomain_a,
                        int port_a,
                        int subdomain_b,
                        int port_b,
                        int dimension,
                        double distance);

/**
 * Planar frames: b slides along a direction that is fixed in a (an angle in its frame), at a distance `offset` to the left of the line through a,
 * and turned against it by `angle`. Returns the number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_prismatic(struct geoms_glue *glue,
                         int subdomain_a,
                         int port_a,
                         int subdomain_b,
                         int port_b,
                         double direction,
                         double offset,
                         double angle);

/**
 * A joint of two frames in space (geoms_glue_port_spatial): GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC, GEOMS_UNIVERSAL or GEOMS_FIXED; a
 * spherical one is geoms_glue_coincide with n = 3. Returns the number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_spatial(struct geoms_glue *glue,
                       int kind,
                       int subdomain_a,
                       int port_a,
                       int subdomain_b,
                       int port_b);

/**
 * A spring-damper along the line between two points, the first `dimension` components of the ports. Returns the number of the joint.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_spring(struct geoms_glue *glue,
                      int subdomain_a,
                      int port_a,
                      int subdomain_b,
                      int port_b,
                      int dimension,
                      double stiffness,
                      double damping,
                      double rest);

/**
 * Save the run to the files PREFIX.RANK.SLOT at its start, after every so many steps, and where it fails; acts with the next start or resume.
 * A null prefix ends it.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `prefix` is null or a string.
 */
int geoms_glue_save_to(struct geoms_glue *glue,
                       const char *prefix_or_null,
                       int64_t every);

/**
 * Begin at time t with a first step h: accelerations and forces are computed, positions and velocities must be consistent. All participants
 * call this together.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_start(struct geoms_glue *glue,
                     double t,
                     double h);

/**
 * Go on from the newest point that all participants have saved under PREFIX, instead of geoms_glue_start and with the same description. All
 * participants call this together. geoms_glue_time says where.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `prefix` is null or a string.
 */
int geoms_glue_resume(struct geoms_glue *glue,
                      const char *prefix);

/**
 * Integrate to tend or to an event: GEOMS_REACHED, GEOMS_EVENT or a code. All participants call this together and get the same.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_integrate(struct geoms_glue *glue,
                         double tend);

/**
 * Make one step, not beyond tend; otherwise as geoms_glue_integrate.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_step(struct geoms_glue *glue,
                    double tend);

/**
 * Current time; NaN if there is no run.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
double geoms_glue_time(const struct geoms_glue *glue);

/**
 * The current x of a subdomain of this participant, as many numbers as geoms_dimension of its model says.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `x` is null or long enough.
 */
int geoms_glue_state(struct geoms_glue *glue,
                     int subdomain,
                     double *x);

/**
 * Give a subdomain of this participant another x, after an impact, say; acts with geoms_glue_restart. x has as many numbers as geoms_glue_state gives;
 * multipliers are computed.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `x` is null or long enough.
 */
int geoms_glue_set_state(struct geoms_glue *glue,
                         int subdomain,
                         const double *x);

/**
 * Go on from what geoms_glue_set_state has given: positions and velocities must be consistent, accelerations and forces are computed anew. All
 * participants call this together, also those that change nothing. What is refused changes nothing.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create.
 */
int geoms_glue_restart(struct geoms_glue *glue);

/**
 * The force of a joint along its relative coordinates, if one of its ends is here: -force acts on end a along y_a - y_b, force on end b. Returns
 * how many numbers there are; at most n of them are written.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `force` is null or has n entries.
 */
int geoms_glue_force(struct geoms_glue *glue,
                     int joint,
                     int n,
                     double *force);

/**
 * The event at which the run has stopped: subdomain, and number of its function from 0. If there are several at that instant it is the first one of
 * the first subdomain; see geoms_glue_events.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; the others are null or point to a number.
 */
int geoms_glue_event(struct geoms_glue *glue,
                     int *subdomain,
                     int *index);

/**
 * All events at the instant at which the last geoms_glue_integrate or geoms_glue_step has stopped, of all participants: subdomain, and number of the function
 * from 0, in this order. Returns how many there are, 0 if there is none; at most n of them are written.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `subdomains` and `indices` are null or have n entries.
 */
int geoms_glue_events(struct geoms_glue *glue,
                      int n,
                      int *subdomains_or_null,
                      int *indices_or_null);

/**
 * The counters of this participant.
 *
 * # Safety
 * The pointer is null or one of geoms_glue_create; `out` is null or points to statistics.
 */
int geoms_glue_statistics(struct geoms_glue *glue,
                          struct geoms_glue_stats *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GEOMS_H */
