/* The half-explicit method with a function that gives the parts of the equations of motion that are asked for: the same solution as
 * without it, and no EOM, MAS or JAC in the steps. Then the automatic choice of the method ("method" = -1) on a smooth and on a
 * stiff motion. */

#include "pendulum_model.h"

#include <math.h>
#include <string.h>

#define GRAVITY 13.75
/* The arithmetic is another: ten times the difference that it makes in this run. */
#define SAME 4e-13

static long calls = 0, forces = 0, masses = 0, matrices = 0, positions = 0, jacobians = 0, bad = 0;
static long stop_at = -1, spoil_at = -1;

/* Whether a pointer is null says what is asked for. There is no mass matrix to be given where it is constant ("masstrct" 3 or 4) and
 * has been given before. C is 1 by 2, the derivative of gI = 2 (p1 v1 + p2 v2) by v1 and v2; gamma is the rate of gI for v' = 0. */
static int pendulum_parts(double t, const double *x, double *force, double *mass, double *c, double *gamma, double *velocity,
                          double *position, void *user)
{
    const double gravity = *(const double *)user;
    const double v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
    calls++;
    bad += !force && !mass && !c && !gamma && !velocity && !position; /* the library answers that itself */
    if (force) {
        forces++;
        force[0] = 0;
        force[1] = -gravity;
    }
    if (mass) {
        masses++;
        bad += mass[0] != 0 || mass[1] != 0 || mass[2] != 0 || mass[3] != 0; /* matrices come in as zeros */
        pendulum_mass(t, x, mass, user);
    }
    if (c) {
        matrices++;
        bad += c[0] != 0 || c[1] != 0;
        c[0] = 2 * p1;
        c[1] = 2 * p2;
        if (calls >= spoil_at && spoil_at > 0) {
            c[1] = NAN;
            spoil_at = -1;
        }
    }
    if (gamma) {
        gamma[0] = 2 * (v1 * v1 + v2 * v2);
    }
    if (velocity) {
        velocity[0] = 2 * (p1 * v1 + p2 * v2);
    }
    if (position) {
        positions++;
        position[0] = p1 * p1 + p2 * p2 - 1;
    }
    return calls == stop_at ? -1 : 0;
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
    calls = forces = masses = matrices = positions = jacobians = 0; /* initial values are checked with JAC */
    if (code == 0) {
        code = geoms_integrate(solver, 5);
    }
    geoms_state(solver, x);
    geoms_statistics(solver, stats);
    return code;
}

static double distance(const double *a, const double *b)
{
    double largest = 0;
    int i;
    for (i = 0; i < 5; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
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
    double gravity = GRAVITY, plain[5], with[5], x[5];
    const double at_rest[2] = {1, 0};
    const geoms_dimensions one = {1, 1, 0, 0, 0, 0, 0, 0};
    geoms_stats stats;
    geoms_error error;
    geoms_solver *solver = pendulum_solver(&gravity, 1e-9);

    /* Calls are counted: the checks of the model would ask, too. */
    check("no checks", solver && geoms_set_int(solver, "check", 0) == 0 && geoms_set_int(solver, "watch", 0) == 0);
    check("method 4", solver && geoms_set_jacobian(solver, counted_jacobian) == 0 && geoms_set_int(solver, "method", 4) == 0);
    check("without the function", run(solver, plain, &stats) == GEOMS_REACHED && calls == 0 && jacobians > 100);

    check("with it", geoms_set_parts(solver, pendulum_parts) == 0 && run(solver, x, &stats) == GEOMS_REACHED);
    check("the same solution", distance(x, plain) < SAME);
    check("it is asked for what is needed", calls > 100 && bad == 0 && masses <= 1);
    check("and that is counted",
          (uint64_t)(forces + positions) == stats.neom && (uint64_t)matrices == stats.njac && stats.njac == stats.npdec);
    check("JAC is not", jacobians == 0);
    check("nothing stiff about it", stats.stiffness_suspected == 0);
    check("the function is right", geoms_check_jacobian(solver, 0, x, NULL) == 0);
    memcpy(with, x, sizeof x);

    stop_at = 50;
    check("the function stops the run", run(solver, x, &stats) == GEOMS_IDID_STOPPED_BY_PARTS && calls == 50);
    check("and is named", geoms_last_error(solver, &error) < 0 && strstr(error.report, "PARTS"));
    stop_at = -1;
    spoil_at = 50;
    check("NaN in C: a smaller step", run(solver, x, &stats) == GEOMS_REACHED && stats.rejected_not_finite == 1);

    check("automatic choice: as method 4", geoms_set_int(solver, "method", -1) == 0 &&
                                               run(solver, x, &stats) == GEOMS_REACHED &&
                                               memcmp(x, with, sizeof x) == 0 && stats.nedec == 0);
    check("taken away again", geoms_set_parts(solver, NULL) == 0 && run(solver, x, &stats) == GEOMS_REACHED && calls == 0);
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
