/* Masses in a row, coupled by springs, without a Jacobian: the pattern of f_dyn lets differences move every third mass at once.
 * The same digits, fewer calls; and what is refused. */

#include <geoms.h>

#include <stdio.h>
#include <string.h>

#define N 30

static int failures = 0;
static long calls = 0;

static void check(const char *what, int good)
{
    printf("%-50s %s\n", what, good ? "OK" : "FAIL");
    failures += !good;
}

/* x = (v, p), RDA = (f_dyn, f_kin): m v' = springs to both neighbours, stiffer for longer ones; the ends are held. */
static int eom(double t, const double *x, double *rda, void *user)
{
    const double *v = x, *p = x + N;
    (void)t, (void)user;
    calls++;
    for (int i = 0; i < N; i++) {
        const double left = p[i] - (i > 0 ? p[i - 1] : 0), right = (i < N - 1 ? p[i + 1] : 0) - p[i];
        rda[i] = 40 * (right - left) + 9 * (right * right * right - left * left * left) - 0.1 * v[i];
        rda[N + i] = v[i];
    }
    return 0;
}

static int mass(double t, const double *x, double *m, void *user)
{
    (void)t, (void)x, (void)user;
    for (int i = 0; i < N; i++) {
        m[i + i * N] = 1 + 0.1 * i;
    }
    return 0;
}

static int run(geoms_solver *solver, double x[2 * N])
{
    for (int i = 0; i < 2 * N; i++) {
        x[i] = i == N + 3 ? 0.7 : 0;
    }
    calls = 0;
    return geoms_start(solver, 0, x, 0) == 0 && geoms_integrate(solver, 2) == GEOMS_REACHED && geoms_state(solver, x) == 0;
}

int main(void)
{
    const geoms_dimensions dims = {N, N, 0, 0, 0, 0, 0, 0};
    geoms_solver *solver = geoms_create(&dims, GEOMS_FORM_STRANGENESS_FREE);
    double full[2 * N], x[2 * N];
    int64_t rows[4 * N], columns[4 * N], diagonal[N], k = 0, wrong[1] = {N};
    geoms_error error;
    long of_full;

    check("a row of masses", solver && geoms_set_eom(solver, eom) == 0 && geoms_set_mass(solver, mass) == 0 &&
                                 geoms_set_int(solver, "masstrct", 4) == 0 && geoms_set_tolerance(solver, 1e-8, 1e-8) == 0);
    check("without a pattern", run(solver, full));
    of_full = calls;

    /* FX5: f_dyn by all of x = (v, p); FX6: f_kin by (v, p). Rows and columns from 0 on. */
    for (int64_t i = 0; i < N; i++) {
        diagonal[i] = i;
        rows[k] = i, columns[k++] = i;
        for (int64_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            rows[k] = i, columns[k++] = N + j;
        }
    }
    check("with one", geoms_set_pattern(solver, 5, k, rows, columns) == 0 &&
                          geoms_set_pattern(solver, 6, N, diagonal, diagonal) == 0 &&
                          geoms_set_pattern(solver, 0, N, diagonal, diagonal) == 0 && run(solver, x));
    check("the same digits", memcmp(x, full, sizeof x) == 0);
    check("in fewer calls", 2 * calls < of_full);
    check("the model fits it", geoms_check_model(solver, 0, x, NULL) == 0);

    check("no such block", geoms_set_pattern(solver, 7, 0, rows, columns) < 0);
    check("no such row", geoms_set_pattern(solver, 5, 1, wrong, diagonal) < 0 && geoms_last_error(solver, &error) < 0 &&
                             strstr(error.report, "rows[0]") && strstr(error.report, "30"));
    check("no such column", geoms_set_pattern(solver, 0, 1, diagonal, wrong) < 0);
    check("a negative number", geoms_set_pattern(solver, 5, -2, rows, columns) < 0);
    check("too many", geoms_set_pattern(solver, 0, N * N + 1, rows, columns) < 0);
    check("null", geoms_set_pattern(solver, 5, 1, NULL, columns) < 0 && geoms_set_pattern(solver, 5, 1, rows, NULL) < 0);
    check("which changes nothing", run(solver, x) && memcmp(x, full, sizeof x) == 0 && 2 * calls < of_full);

    check("a pattern that lacks the neighbours",
          geoms_set_pattern(solver, 5, N, diagonal, diagonal) == 0 && geoms_check_model(solver, 0, x, NULL) > 0);
    check("taken back", geoms_set_pattern(solver, 5, -1, NULL, NULL) == 0 && geoms_set_pattern(solver, 6, -1, NULL, NULL) == 0 &&
                            geoms_set_pattern(solver, 0, -1, NULL, NULL) == 0);
    check("as in the beginning", run(solver, x) && memcmp(x, full, sizeof x) == 0 && calls == of_full);
    geoms_free(solver);
    return failures != 0;
}
