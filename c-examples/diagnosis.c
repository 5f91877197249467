/* What can be asked about a model before it is run: consistent initial values, Jacobian, redundant constraints, forces. */

#include "pendulum_model.h"

#include <math.h>
#include <string.h>

static char heard[4096];

static int listen(int level, const char *text, void *user)
{
    (void)level, (void)user;
    strncat(heard, text, sizeof heard - strlen(heard) - 2);
    strcat(heard, "\n");
    return 0;
}

/* The angle and the rate of a start that is asked for. */
static int conditions(double t, const double *x, double *cond, void *user)
{
    (void)t, (void)user;
    cond[0] = x[3] - 0.6;
    cond[1] = x[1] - 0.8;
    return 0;
}

static int wrong_sign(double t, const double *x, double *const *fx, void *user)
{
    pendulum_jacobian(t, x, fx, user);
    fx[2][0] = -fx[2][0];
    fx[2][1] = -fx[2][1];
    return 0;
}

/* The same constraint twice: x = [ lambda1 lambda2 | v | p ]. */
static int twice(double t, const double *x, double *rda, void *user)
{
    double y[5], r[7];
    int k;
    y[0] = x[0] + x[1];
    memcpy(y + 1, x + 2, 4 * sizeof *y);
    pendulum_eom(t, y, r, user);
    for (k = 0; k < 3; k++) {
        rda[2 * k] = rda[2 * k + 1] = r[k];
    }
    memcpy(rda + 6, r + 3, 4 * sizeof *r);
    return 0;
}

int main(void)
{
    double gravity = 13.75, x[5] = {0, 1, 0.1, 0.61, -0.79}, force[2], tol[6] = {1e-6, 1e-8, 1e-8, 1e-8, 1e-8, 1e-8};
    const double rest[5] = {0, 0, 0, 0, -1}, redundant[6] = {5, 1.875, 0, 0, 0, -1};
    const geoms_dimensions dims = {2, 2, 0, 0, 0, 2, 0, 0};
    geoms_ranks ranks;
    geoms_error error;
    geoms_solver *h = pendulum_solver(&gravity, 1e-8);

    check("inconsistent values are refused", geoms_start(h, 0, x, 0) == GEOMS_IDID_INCONSISTENT_INITIAL_VALUES);
    geoms_last_error(h, &error);
    printf("%s\n", error.report);
    check("moved to the constraints", geoms_make_consistent(h, 0, x) == 0 && hypot(x[3], x[4]) - 1 < 1e-9 &&
                                          fabs(x[3] * x[1] + x[4] * x[2]) < 1e-9);
    check("then accepted", geoms_start(h, 0, x, 0) == 0);
    check("conditions", geoms_set_conditions(h, 2, conditions) == 0 && geoms_set_tolerances(h, tol, tol) == 0);
    check("are imposed", geoms_start(h, 0, x, 0) == 0 && geoms_state(h, x) == 0 && fabs(x[3] - 0.6) < 1e-9 &&
                             fabs(x[4] + 0.8) < 1e-9 && fabs(x[2] - 0.6) < 1e-9);

    check("the Jacobian is right", geoms_check_jacobian(h, 0, x, listen) == 0 && heard[0] == 0);
    geoms_set_jacobian(h, wrong_sign);
    check("this one is not", geoms_check_jacobian(h, 0, x, listen) == 2 && strstr(heard, "FX3 has the wrong sign"));
    printf("%s", heard);

    heard[0] = 0;
    check("the model is found out as well", geoms_check_model(h, 0, x, listen) == 1 && strstr(heard, "FX3: -d g(1)"));
    geoms_set_jacobian(h, NULL);
    heard[0] = 0;
    check("without it the model is right", geoms_check_model(h, 0, x, listen) == 0 && heard[0] == 0);
    check("no warnings", geoms_start(h, 0, x, 0) == 0 && geoms_integrate(h, 1) == 0 && geoms_warning_count(h) == 0 &&
                             geoms_warning(h, 0)[0] == 0);

    memcpy(x, rest, sizeof x);
    check("at rest", geoms_make_consistent(h, 0, x) == 0 && geoms_constraint_forces(h, 0, x, force) == 0);
    check("the rod carries the weight", fabs(force[0]) < 1e-9 && fabs(force[1] + gravity) < 1e-6);
    check("one constraint, rank one", geoms_rank_report(h, 0, x, &ranks, NULL) == 0 && ranks.position_rows == 1 &&
                                          ranks.position_rank == 1 && ranks.velocity_rank == 1);
    geoms_free(h);

    h = geoms_create(&dims, GEOMS_FORM_STRANGENESS_FREE);
    geoms_set_user(h, &gravity);
    geoms_set_eom(h, twice);
    geoms_set_mass(h, pendulum_mass);
    heard[0] = 0;
    check("two constraints, rank one", geoms_rank_report(h, 0, redundant, &ranks, listen) == 2 &&
                                           ranks.position_rows == 2 && ranks.position_rank == 1);
    check("they are named", strstr(heard, "g(1), g(2)") != NULL);
    check("same force", geoms_constraint_forces(h, 0, redundant, force) == 0 && fabs(force[1] + gravity) < 1e-6);
    geoms_free(h);
    check("no dimensions, no handle", geoms_create(NULL, 0) == NULL && geoms_last_error(NULL, &error) < 0);
    geoms_free(NULL);
    return failures != 0;
}
