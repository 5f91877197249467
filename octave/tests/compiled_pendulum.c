/* The pendulum of c-examples/ as a shared object: the same compiled functions for C and for the interpreter. RPAR is the gravity. */

#include "../../c-examples/pendulum_model.h"

int test_eom(double t, const double *x, double *rda, void *user)
{
    return pendulum_eom(t, x, rda, user);
}

int test_mass(double t, const double *x, double *mass, void *user)
{
    return pendulum_mass(t, x, mass, user);
}

int test_jacobian(double t, const double *x, double *const *fx, void *user)
{
    return pendulum_jacobian(t, x, fx, user);
}

/* Two conditions: p1 = 0, v1 = 2. */
int test_conditions(double t, const double *x, double *cond, void *user)
{
    (void)t, (void)user;
    cond[0] = x[3];
    cond[1] = x[1] - 2;
    return 0;
}

/* Stops the run at t > 0.5. */
int test_stopping(double t, const double *x, double *rda, void *user)
{
    return t > 0.5 ? -1 : pendulum_eom(t, x, rda, user);
}

/* For the size of the object: not called. */
void *test_unused(void)
{
    check("", 1);
    return (void *)pendulum_solver;
}
