/* The pendulum through the handle, and the same through the legacy call with the same compiled functions: solution and
 * counters are identical, bit for bit. */

#include "pendulum_model.h"

#include <math.h>
#include <string.h>

#define GRAVITY 13.75

/* The functions of the handle with the argument lists of the legacy call. */
static void eom(const int32_t *m, const int32_t *n, const double *t, const double *x, double *rda, const int32_t *iopt,
                const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar;
    *ierr = pendulum_eom(*t, x, rda, rpar);
}

static void mas(const double *t, const int32_t *nx, const double *x, const int32_t *m, const int32_t *n, double *ma,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    (void)nx, (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar;
    *ierr = pendulum_mass(*t, x, ma, rpar);
}

static void jac(const int32_t *m1, const int32_t *m2, const int32_t *m3, const int32_t *m4, const int32_t *m5,
                const int32_t *m6, const int32_t *n1, const int32_t *n2, const int32_t *n3, const int32_t *n4,
                const int32_t *m, const int32_t *n, const double *t, const double *x, double *fx1, double *fx2,
                double *fx3, double *fx4, double *fx5, double *fx6, const int32_t *iopt, const double *ropt,
                double *rpar, int32_t *ipar, int32_t *ierr)
{
    double *fx[6];
    fx[0] = fx1, fx[1] = fx2, fx[2] = fx3, fx[3] = fx4, fx[4] = fx5, fx[5] = fx6;
    (void)m1, (void)m2, (void)m3, (void)m4, (void)m5, (void)m6, (void)n1, (void)n2, (void)n3, (void)n4;
    (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar;
    *ierr = pendulum_jacobian(*t, x, fx, rpar);
}

static long points = 0;
static double violation = 0;
static int bad = 0;

/* Looks at the solution between the points. */
static int output(const geoms_step_info *step, void *user)
{
    double x[5];
    (void)user;
    points++;
    bad += geoms_dense(step->solver, 0.5 * (step->t_old + step->t), x) != 0;
    bad += geoms_dense(step->solver, step->t + 1, x) != GEOMS_IDID_BAD_ARGUMENT;
    bad += geoms_time(step->solver) != step->t || step->n != 5 || step->naccpt != points - 1;
    /* Whatever would change the run is refused from here. */
    bad += geoms_integrate(step->solver, 9) != GEOMS_IDID_IN_USE;
    bad += geoms_set_eom(step->solver, NULL) != GEOMS_IDID_IN_USE;
    geoms_free(step->solver);
    violation = fmax(violation, fabs(x[3] * x[3] + x[4] * x[4] - 1));
    return 0;
}

static int messages = 0;

static int take(int level, const char *text, void *user)
{
    (void)user;
    messages += level <= GEOMS_LOG_INFO && strlen(text) > 10;
    return 0;
}

int main(void)
{
    const int32_t zero = 0, one = 1, two = 2, m = 7, n = 5, liwork = 20, lrwork = 25;
    const double tend = 5, tol = 1e-8, hmax = 0.2;
    const double start[5] = {(2.8 * 2.8 + GRAVITY) / 2, 2.8, 0, 0, -1};
    int32_t iopt[40] = {0}, iwork[20] = {0}, ipar[1] = {0}, ierr = 0, idid = 0;
    double ropt[40] = {0}, rwork[25], gravity = GRAVITY, t = 0, h = 0.01, x[5], y[5];
    geoms_stats stats;
    geoms_error error;
    geoms_solver *solver = pendulum_solver(&gravity, tol);

    memcpy(x, start, sizeof x);
    iopt[GEOMS_IOPT_MASSTRCT] = 4;
    ropt[GEOMS_ROPT_HMAX] = hmax;
    geoms_(&two, &two, &zero, &zero, &zero, &one, &zero, &zero, &m, &n, &zero, x, &t, &tend, &h, &tol, &tol, &zero,
           iopt, ropt, NULL, eom, mas, jac, &one, NULL, &zero, &liwork, iwork, &lrwork, rwork, &gravity, ipar, &ierr,
           &idid);
    check("legacy call", idid == 0);

    /* A handle begins with METHOD = -2, ORDER = 9, NWTMAT = 2 and NWTMULT = -1; the call's defaults make it do what the call does. */
    check("defaults of the call",
          solver && geoms_set_int(solver, "order", 0) == 0 && geoms_set_int(solver, "nwtmat", 0) == 0 &&
              geoms_set_int(solver, "method", 0) == 0 && geoms_set_int(solver, "nwtmult", 0) == 0);
    check("settings", geoms_set_real(solver, "hmax", hmax) == 0 && geoms_set_output(solver, output) == 0 &&
                          geoms_set_log(solver, GEOMS_LOG_INFO, take) == 0);
    check("N and M", geoms_dimension(solver) == n && geoms_equations(solver) == m);
    check("no run yet", geoms_integrate(solver, tend) == GEOMS_IDID_NOT_READY && isnan(geoms_time(solver)));
    check("start", geoms_start(solver, 0, start, 0.01) == 0);
    check("integrate", geoms_integrate(solver, tend) == GEOMS_REACHED && geoms_state(solver, y) == 0);
    check("same solution, bit for bit", memcmp(x, y, sizeof x) == 0);
    check("same next step", geoms_next_step(solver) == h && geoms_time(solver) == t);
    check("statistics", geoms_statistics(solver, &stats) == 0);
    check("same counters",
          stats.naccpt == (uint64_t)iwork[0] && stats.neom == (uint64_t)iwork[1] &&
              stats.nmas == (uint64_t)iwork[2] && stats.njac == (uint64_t)iwork[3] &&
              stats.nsel == (uint64_t)iwork[4] && stats.npdec == (uint64_t)iwork[5] &&
              stats.nedec == (uint64_t)iwork[6] && stats.nbsub == (uint64_t)iwork[7] &&
              stats.nstep == (uint64_t)iwork[8] && stats.nerjct == (uint64_t)iwork[9] &&
              stats.ncrjct == (uint64_t)iwork[10]);
    {
        uint64_t value = 0;
        double measured = 1;
        int k, same = 1;
        for (k = 0; geoms_counter_name(k); k++)
            same = same && geoms_counter(solver, geoms_counter_name(k), &value) == 0 &&
                   (k >= 25 || value == ((const uint64_t *)&stats)[k]);
        check("counters by name", same && k >= 25 && geoms_counter(solver, "NSTEP", &value) == 0 && value == stats.nstep);
        check("a measure", geoms_measure(solver, "frequency", &measured) == 0 && measured == 0);
        check("a measure that is not there", geoms_measure(solver, "nonsense", &measured) == GEOMS_IDID_BAD_ARGUMENT);
        check("a counter that is not there", geoms_counter(solver, "nonsense", &value) == GEOMS_IDID_BAD_ARGUMENT);
    }
    check("output at every point, other calls refused", bad == 0 && (uint64_t)points == stats.naccpt + 1);
    check("constraint between the points below 1e-6", violation < 1e-6);
    check("messages at start and end", messages >= 2);

    check("backwards is refused", geoms_integrate(solver, 1) == GEOMS_IDID_TEND_BEFORE_T);
    check("a wrong value is refused", geoms_set_int(solver, "decompc", 9) == GEOMS_IDID_BAD_ARGUMENT);
    check("and explained", geoms_last_error(solver, &error) == GEOMS_IDID_BAD_ARGUMENT &&
                               strstr(error.detail, "DECOMPC = 9") && strstr(error.report, error.detail) &&
                               strcmp(error.sentence, geoms_strerror(error.code)) == 0 &&
                               strncmp(error.advice, geoms_advice(error.code), 30) == 0);
    check("the same by name", strcmp(geoms_error_text(solver, "detail"), error.detail) == 0 &&
                                  geoms_error_number(solver, "code") == error.code &&
                                  !geoms_error_text(solver, "nonsense") && isnan(geoms_error_number(solver, "theta")));
    printf("\n%s\n\n%d accepted steps, %d rejected\n", error.report, (int)stats.naccpt, (int)(stats.nerjct + stats.ncrjct));
    geoms_free(solver);
    return failures != 0;
}
