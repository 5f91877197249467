/* The half-explicit method with a function that gives RDA, the mass matrix and C in one call: the same numbers as without it,
 * bit for bit, and no Jacobian in the steps. Then the automatic choice of the method ("method" = -1) on a smooth and on a stiff
 * motion. */

#include "pendulum_model.h"

#include <math.h>
#include <string.h>

#define GRAVITY 13.75

static long stages = 0, jacobians = 0, bad = 0;
static long stop_at = -1, spoil_at = -1;

/* C is 1 by 2, the derivative of gI = 2 (p1 v1 + p2 v2) by v1 and v2. There is no mass matrix to be given where it is
 * constant ("masstrct" 3 or 4) and has been given before. */
static int pendulum_stage(double t, const double *x, double *rda, double *mass, double *c, void *user)
{
    stages++;
    bad += x[0] != 0 || c[0] != 0 || c[1] != 0; /* lambda = 0, and C comes in as zeros */
    pendulum_eom(t, x, rda, user);
    if (mass) {
        bad += mass[0] != 0 || mass[3] != 0;
        pendulum_mass(t, x, mass, user);
    }
    c[0] = 2 * x[3];
    c[1] = 2 * x[4];
    if (stages == spoil_at) {
        c[1] = NAN;
    }
    return stages == stop_at ? -1 : 0;
}

static int counted_jacobian(double t, const double *x, double *const *fx, void *user)
{
    jacobians++;
    return pendulum_jacobian(t, x, fx, user);
}

static int run(geoms_solver *solver, double *x, geoms_stats *stats)
{
    const double start[5] = {(2.8 * 2.8 + GRAVITY) / 2, 2.8, 0, 0, -1};
    int code;
    code = geoms_start(solver, 0, start, 0);
    stages = jacobians = 0; /* initial values are checked with JAC */
    if (code == 0) {
        code = geoms_integrate(solver, 5);
    }
    geoms_state(solver, x);
    geoms_statistics(solver, stats);
    return code;
}

/* A mass on a stiff and strongly damped spring whose other end moves: p'' = -1e4 (p - sin t) - 1e4 (p' - cos t) - sin t. */
static int spring_eom(double t, const double *x, double *rda, void *user)
{
    (void)user;
    rda[0] = -1e4 * (x[1] - sin(t)) - 1e4 * (x[0] - cos(t)) - sin(t); /* f_dyn */
    rda[1] = x[0];                                                   /* f_kin */
    return 0;
}

static int spring_mass(double t, const double *x, double *mass, void *user)
{
    (void)t, (void)x, (void)user;
    mass[0] = 1;
    return 0;
}

static int spring_jacobian(double t, const double *x, double *const *fx, void *user)
{
    (void)t, (void)x, (void)user;
    fx[4][0] = 1e4;
    fx[4][1] = 1e4;
    fx[5][0] = -1;
    return 0;
}

int main(void)
{
    double gravity = GRAVITY, plain[5], x[5];
    const double at_rest[2] = {1, 0};
    const geoms_dimensions one = {1, 1, 0, 0, 0, 0, 0, 0};
    geoms_stats stats;
    geoms_error error;
    geoms_solver *solver = pendulum_solver(&gravity, 1e-9);

    check("method 4", solver && geoms_set_jacobian(solver, counted_jacobian) == 0 && geoms_set_int(solver, "method", 4) == 0);
    check("without the function", run(solver, plain, &stats) == GEOMS_REACHED && stages == 0 && jacobians > 100);

    check("with it", geoms_set_stage(solver, pendulum_stage) == 0 && run(solver, x, &stats) == GEOMS_REACHED);
    check("the same solution, bit for bit", memcmp(x, plain, sizeof x) == 0);
    check("the function is called at every stage", stages > 100 && (uint64_t)stages == stats.npdec + 1 && bad == 0);
    check("JAC is not", jacobians == 0);
    check("nothing stiff about it", stats.stiffness_suspected == 0);

    stop_at = 50;
    check("the function stops the run", run(solver, x, &stats) == GEOMS_IDID_STOPPED_BY_STAGE && stages == 50);
    check("and is named", geoms_last_error(solver, &error) < 0 && strstr(error.report, "STAGE"));
    stop_at = -1;
    spoil_at = 50;
    check("NaN in C: a smaller step", run(solver, x, &stats) == GEOMS_REACHED && stats.rejected_not_finite == 1);
    spoil_at = -1;

    check("automatic choice: as method 4", geoms_set_int(solver, "method", -1) == 0 &&
                                               run(solver, x, &stats) == GEOMS_REACHED &&
                                               memcmp(x, plain, sizeof x) == 0 && stats.nedec == 0);
    check("taken away again", geoms_set_stage(solver, NULL) == 0 && run(solver, x, &stats) == GEOMS_REACHED && stages == 0);
    geoms_free(solver);

    solver = geoms_create(&one, GEOMS_FORM_STRANGENESS_FREE);
    check("a stiff spring", geoms_set_eom(solver, spring_eom) == 0 && geoms_set_mass(solver, spring_mass) == 0 &&
                                geoms_set_jacobian(solver, spring_jacobian) == 0 &&
                                geoms_set_int(solver, "masstrct", 4) == 0 && geoms_set_int(solver, "method", -1) == 0);
    check("start", geoms_start(solver, 0, at_rest, 0) == 0 && geoms_integrate(solver, 5) == GEOMS_REACHED);
    check("is found to be stiff", geoms_statistics(solver, &stats) == 0 && stats.stiffness_suspected == 1);
    check("and left to method 0", stats.nedec > 0 && stats.naccpt < 500);
    check("p = sin t", geoms_state(solver, x) == 0 && fabs(x[1] - sin(5.0)) < 1e-5);
    geoms_free(solver);
    return failures != 0;
}
