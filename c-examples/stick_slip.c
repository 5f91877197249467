/* A block on a belt, held by a spring, on a rail: it sticks until the spring pulls harder than the static friction, slips
 * with the kinetic one until it is as fast as the belt again, and so on. x = [ lambda | v1 v2 | p1 p2 ], m = k = 1.
 *
 * Closed form with d = static - kinetic: a slip takes 2 pi - 2 atan2(d, belt), a stick 2 d / belt. */

#include "geoms.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define CHANGES 12

typedef struct {
    double belt, statical, kinetic;
    int sticks;
} block;

static int eom(double t, const double *x, double *rda, void *user)
{
    const block *b = (const block *)user;
    const double force = b->sticks ? 0 : b->kinetic - x[3];
    (void)t;
    rda[0] = -9.81 - x[0]; /* gII: p2 = 0 is the rail */
    rda[1] = x[2];         /* gI */
    rda[2] = x[4];         /* g */
    rda[3] = force;        /* f_dyn */
    rda[4] = -9.81 - x[0];
    rda[5] = x[1]; /* f_kin */
    rda[6] = x[2];
    return 0;
}

static int mass(double t, const double *x, double *m, void *user)
{
    (void)t, (void)x, (void)user;
    m[0] = m[3] = 1;
    m[1] = m[2] = 0;
    return 0;
}

/* One function for both: the spring reaches the static friction, or the block the speed of the belt. */
static int change(double t, const double *x, double *value, void *user)
{
    const block *b = (const block *)user;
    (void)t;
    value[0] = b->sticks ? x[3] - b->statical : x[1] - b->belt;
    return 0;
}

int main(void)
{
    const geoms_dimensions dims = {2, 2, 0, 0, 0, 1, 0, 0};
    const int rising = 1, terminal = 1;
    block b = {0.5, 1.5, 1.0, 1};
    const double d = b.statical - b.kinetic;
    double x[5] = {-9.81, 0.5, 0, 0, 0}, t, expected, worst = 0;
    int64_t index;
    int k, failed = 0;
    geoms_solver *h = geoms_create(&dims, GEOMS_FORM_STRANGENESS_FREE);

    geoms_set_user(h, &b);
    geoms_set_eom(h, eom);
    geoms_set_mass(h, mass);
    geoms_set_tolerance(h, 1e-12, 1e-12);
    if (geoms_start(h, 0, x, 1e-3) != 0 || geoms_set_events(h, 1, change, &rising, &terminal, 0) != 0) {
        geoms_error e;
        geoms_last_error(h, &e);
        printf("FAIL: %s\n", e.report);
        return 1;
    }
    expected = b.statical / b.belt; /* first stick, from p1 = 0 */
    for (k = 0; k < CHANGES; k++) {
        if (geoms_integrate(h, 1000) != GEOMS_EVENT || geoms_last_event(h, &index, &t) != 0) {
            printf("FAIL: no event\n");
            return 1;
        }
        geoms_state(h, x);
        printf("t = %.12f, error %8.1e: %s at p1 = %7.4f\n", t, t - expected, b.sticks ? "slips " : "sticks", x[3]);
        worst = fmax(worst, fabs(t - expected));
        b.sticks = !b.sticks;
        if (b.sticks) {
            x[1] = b.belt;
        }
        expected += b.sticks ? 2 * d / b.belt : 2 * PI - 2 * atan2(d, b.belt);
        failed |= geoms_reset(h, t, x) != 0;
    }
    failed |= !(worst < 1e-10);
    printf("times right to 1e-10: %s\n", failed ? "FAIL" : "OK");
    geoms_free(h);
    return failed;
}
