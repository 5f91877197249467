/* geoms: drift-free integration of the equations of motion of constrained multibody systems.
 *
 * Made from the sources by `make header`; do not edit. */


#ifndef GEOMS_H
#define GEOMS_H

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
/** EOM returned NaN or Inf, or a subroutine a positive IERR (RECOVER), down to the smallest step size. */
#define GEOMS_IDID_EOM_NOT_EVALUABLE (-1107)
/** The run was stopped on request. */
#define GEOMS_IDID_STOP_REQUESTED (-1108)
/** A root function returned NaN or Inf, or stopped the run. */
#define GEOMS_IDID_ROOT_FUNCTION_FAILED (-1109)
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
/** Redundant constraints cannot be integrated with IOPT(5)=1: the multipliers are not determined. */
#define GEOMS_IDID_REDUNDANT_INDEX1 (-2405)
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
/** IOPT(6): Maximal number of steps, rejected ones included. */
#define GEOMS_IOPT_NMAX 5
/** IOPT(8): Step size controller: 1 predictive (Gustafsson), 2 classical. */
#define GEOMS_IOPT_PRED 7
/** IOPT(9): Point at which the Newton matrix is taken: 0 the last point, i = extrapolated stage i. */
#define GEOMS_IOPT_NWTMAT 8
/** IOPT(10): Updates of the Newton matrix allowed within a step before it is repeated with a smaller size. */
#define GEOMS_IOPT_NWTUPD 9
/** IOPT(11): Decomposition of the algebraic part: 1 LU with full pivoting, 2 QR with pivoting, 3 SVD. Redundant constraints need 3. */
#define GEOMS_IOPT_DECOMPC 10
/** IOPT(12): Decomposition of the differential part: 0 LU with partial pivoting, 1 QR. */
#define GEOMS_IOPT_DECOMPD 11
/** IOPT(13): Selectors: 0 kept while the pivot columns of the constraints stay and Newton converges (with DECOMPC=1 and DECOMPD=0, otherwise as 1), 1 recomputed with every predecomposition. */
#define GEOMS_IOPT_SELCOMP 12
/** IOPT(14): 1: the equations do not depend on time. Without effect in method 0: no part of the step uses a time derivative. */
#define GEOMS_IOPT_AUTONOM 13
/** IOPT(15): Mass matrix: 1 full, 2 diagonal, 3 full and constant, 4 diagonal and constant. */
#define GEOMS_IOPT_MASSTRCT 14
/** IOPT(16): 1: the entries IOPT(18..40) are read. */
#define GEOMS_IOPT_EXTEND 15
/** IOPT(17): Initial values: 0 checked and, with IVCOND, corrected; 1 taken as consistent. */
#define GEOMS_IOPT_IVCNSST 16
/** IOPT(18): Integration method: 0 Radau IIA of order 5. */
#define GEOMS_IOPT_METHOD 17
/** IOPT(19): 1: constant step size H, no error control. */
#define GEOMS_IOPT_FIXED 18
/** IOPT(20): 1: a positive IERR rejects the step; IERR is set to 0 and a smaller step is tried. */
#define GEOMS_IOPT_RECOVER 19
/** IOPT(25): 1: an invariant is suspended while it is nearly rank deficient, instead of stopping the run. */
#define GEOMS_IOPT_RELAXE 24
/** ROPT(1): Rounding unit. */
#define GEOMS_ROPT_UROUND 0
/** ROPT(2): Safety factor of the step size prediction. */
#define GEOMS_ROPT_SAFE 1
/** ROPT(3): The Jacobian is kept while the rate of convergence of Newton's method stays below THET. */
#define GEOMS_ROPT_THET 2
/** ROPT(4): Stopping criterion of Newton's method; RTOL' = 0.1*RTOL**(2/3) is the internal tolerance. With invariants (NI > 0) the default has a sixteenth of the second term. */
#define GEOMS_ROPT_FNEWT 3
/** ROPT(5): The step size is kept if QUOT1 <= HNEW/HOLD <= QUOT2 and the Jacobian is kept. */
#define GEOMS_ROPT_QUOT1 4
/** ROPT(6): See QUOT1. */
#define GEOMS_ROPT_QUOT2 5
/** ROPT(7): Maximal step size. */
#define GEOMS_ROPT_HMAX 6
/** ROPT(8): Largest HNEW/HOLD. */
#define GEOMS_ROPT_FACL 7
/** ROPT(9): Smallest HNEW/HOLD. */
#define GEOMS_ROPT_FACR 8

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GEOMS_H */
