/* The tables of the library: every option by its name and kind, every method by its number, and the degree of the dense output. */

#include "pendulum_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Set the option to a value that is its default: zero for all but the few that have none. */
static int settable(geoms_solver *h, int64_t k)
{
    const char *name = geoms_option_text(k, "name"), *kind = geoms_option_text(k, "kind");
    if (strcmp(name, "RECOVER") == 0)
        return geoms_set_int(h, name, 1) == 0;
    return strcmp(kind, "integer") == 0 ? geoms_set_int(h, name, 0) == 0 : geoms_set_real(h, name, 0) == 0;
}

/* Whether the polynomial of the last step is that through degree + 1 of its values: Lagrange's formula at another point. */
static int is_polynomial(geoms_solver *h, double t0, double t1)
{
    int degree = geoms_dense_degree(h), i, j;
    double at = t0 + 0.377 * (t1 - t0), sum = 0, x[5], exact[5];
    for (i = 0; i <= degree; i++) {
        double ti = t0 + (t1 - t0) * i / degree, weight = 1;
        if (geoms_dense(h, ti, x))
            return 0;
        for (j = 0; j <= degree; j++)
            if (j != i)
                weight *= (at - (t0 + (t1 - t0) * j / degree)) / ((t1 - t0) * (i - j) / degree);
        sum += weight * x[3];
    }
    return degree >= 1 && geoms_dense(h, at, exact) == 0 && fabs(sum - exact[3]) < 1e-12;
}

int main(void)
{
    static const char *const texts[] = {"name", "kind", "slot", "range", "default", "meaning"};
    const double start[5] = {(2.8 * 2.8 + 13.75) / 2, 2.8, 0, 0, -1};
    double gravity = 13.75;
    geoms_solver *h = pendulum_solver(&gravity, 1e-6);
    int64_t k, f, options = 0, methods = 0, features = 0;
    int complete = 1, set = 1, runs = 1, polynomials = 1, said = 1;
    size_t i;

    for (k = 0; geoms_option_text(k, "name"); k++, options++) {
        for (i = 0; i < sizeof texts / sizeof *texts; i++)
            complete = complete && strlen(geoms_option_text(k, texts[i])) > 0;
        set = set && settable(h, k);
    }
    check("every option has all texts", options > 20 && complete);
    check("and is set by its kind", set);
    check("nothing behind the last, nor for another text",
          !geoms_option_text(options, "name") && !geoms_option_text(-1, "name") && !geoms_option_text(0, "nonsense") &&
              !geoms_option_text(0, NULL));

    for (; geoms_feature_name(features); features++)
        ;
    check("no run, no polynomial", geoms_dense_degree(h) == -1 && geoms_dense_degree(NULL) == -1);
    for (k = 0; geoms_method_text(k, "number"); k++, methods++) {
        double t_old;
        said = said && strlen(geoms_method_text(k, "name")) > 2 && strlen(geoms_method_text(k, "keyword")) > 2;
        for (f = 0; f < features; f++)
            said = said && strlen(geoms_method_text(k, geoms_feature_name(f))) > 0;
        runs = runs && geoms_set_int(h, "method", atoi(geoms_method_text(k, "number"))) == 0 && geoms_start(h, 0, start, 0) == 0 &&
               geoms_integrate(h, 1) == 0;
        t_old = geoms_time(h);
        runs = runs && geoms_step(h, 2) == 0;
        polynomials = polynomials && is_polynomial(h, t_old, geoms_time(h));
    }
    check("methods and what they do", methods >= 4 && features > 10 && said);
    check("every method of the table runs", runs);
    check("the step is known by degree + 1 of its values", polynomials);
    check("nothing behind the last method", !geoms_method_text(methods, "name") && !geoms_feature_name(-1) &&
                                                !geoms_method_text(0, "nonsense") && !geoms_method_text(0, NULL));
    geoms_free(h);
    return failures != 0;
}
