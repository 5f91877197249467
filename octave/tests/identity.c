/* The end of runs through the handle, as the bits of its numbers: identity.tst compares them with the interpreter's. One line for each
 * run: problem, method, tolerance, accepted steps, next step size, x. The pendulum has the functions of compiled_pendulum.c. */

#include "geoms_problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_eom(double t, const double *x, double *rda, void *user);
int test_mass(double t, const double *x, double *mass, void *user);
int test_jacobian(double t, const double *x, double *const *fx, void *user);

static const double tolerances[] = {1e-4, 1e-7, 1e-10};

static void bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    printf(" %016" PRIx64, word);
}

/* One run with everything but method and tolerance set. */
static int finish(geoms_solver *h, const char *name, const char *method, double tol, double t0, const double *start, double tend)
{
    double x[1000];
    uint64_t naccpt;
    int64_t i;
    if (geoms_set_int(h, "method", atoi(method)) || geoms_set_tolerance(h, tol, tol) || geoms_start(h, t0, start, 0) ||
        geoms_integrate(h, tend) || geoms_state(h, x) || geoms_counter(h, "naccpt", &naccpt)) {
        fprintf(stderr, "%s, method %s, tol %g: %s\n", name, method, tol, geoms_error_text(h, "report"));
        return 1;
    }
    printf("%s %s %g %d", name, method, tol, (int)naccpt);
    bits(geoms_next_step(h));
    for (i = 0; i < geoms_dimension(h); i++)
        bits(x[i]);
    printf("\n");
    return 0;
}

static int pendulum(const char *method, double tol)
{
    static const geoms_dimensions d = {2, 2, 0, 0, 0, 1, 0, 0};
    const double start[5] = {(2.8 * 2.8 + 13.75) / 2, 2.8, 0, 0, -1};
    double gravity = 13.75;
    geoms_solver *h = geoms_create(&d, GEOMS_FORM_STRANGENESS_FREE);
    int bad = geoms_set_user(h, &gravity) || geoms_set_eom(h, test_eom) || geoms_set_mass(h, test_mass) ||
              geoms_set_jacobian(h, test_jacobian) || geoms_set_int(h, "masstrct", 4);
    bad = bad || finish(h, "compiled", method, tol, 0, start, 5);
    geoms_free(h);
    return bad;
}

static int of_library(const char *name, const char *method, double tol)
{
    void *problem = geoms_problem_create(name, 0, 1, 0);
    geoms_dimensions d;
    double start[1000];
    geoms_solver *h;
    int bad = geoms_problem_dimensions(problem, &d) || geoms_problem_initial(problem, start);
    h = geoms_create(&d, GEOMS_FORM_STRANGENESS_FREE);
    bad = bad || geoms_set_user(h, problem) || geoms_set_eom(h, geoms_problem_eom) || geoms_set_mass(h, geoms_problem_mass) ||
          geoms_set_jacobian(h, geoms_problem_jacobian) ||
          geoms_set_int(h, "masstrct", (int64_t)geoms_problem_number(problem, "masstrct")) ||
          geoms_set_int(h, "decompc", (int64_t)geoms_problem_number(problem, "decompc"));
    bad = bad || finish(h, name, method, tol, geoms_problem_number(problem, "t0"), start, geoms_problem_number(problem, "tend"));
    geoms_free(h);
    geoms_problem_free(problem);
    return bad;
}

int main(void)
{
    const char *method;
    int64_t k;
    size_t i;
    int bad = 0;
    for (k = 0; (method = geoms_method_text(k, "number")); k++)
        for (i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
            /* A method of second order takes too long for the last one. */
            if (tolerances[i] < 1e-8 && atoi(geoms_method_text(k, "order of p and v")) < 3)
                continue;
            bad += pendulum(method, tolerances[i]);
            bad += of_library("slider-crank", method, tolerances[i]);
            if (tolerances[i] > 1e-8)
                bad += of_library("andrews", method, tolerances[i]);
        }
    return bad != 0;
}
