/* A pendulum that falls from the horizontal onto a wall in its lowest position and bounces with restitution e. The times of
 * the impacts have a closed form: each flight takes half a period, pi/(omega agm(1, cos(A/2))), of its amplitude A. */

#include "pendulum_model.h"

#include <math.h>

#define PI 3.14159265358979323846
#define IMPACTS 6

/* The wall, and the altitude at which a flight could be watched. */
static int functions(double t, const double *x, double *value, void *user)
{
    (void)t, (void)user;
    value[0] = x[3];
    value[1] = x[4] + 0.9;
    return 0;
}

static int broken(double t, const double *x, double *value, void *user)
{
    (void)x, (void)user;
    value[0] = t > 0.3 ? NAN : 1.0;
    return 0;
}

static double agm(double a, double b)
{
    int k;
    for (k = 0; k < 10; k++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

int main(void)
{
    /* With this gravity the period of the fall from the horizontal is 2. */
    double gravity = 13.750371636040746, restitution = 0.8;
    const int direction[2] = {-1, 0}, terminal[2] = {1, 0};
    const double start[5] = {0, 0, 0, 1, 0};
    double x[5], t, expected = 0, rise = 1, worst = 0; /* rise = 1 - cos A */
    int64_t index, crossings = 0, k;
    int impact;
    geoms_solver *h = pendulum_solver(&gravity, 1e-10);

    check("start", geoms_start(h, 0, start, 1e-3) == 0);
    check("events", geoms_set_events(h, 2, functions, direction, terminal, 0) == 0);
    for (impact = 0; impact < IMPACTS; impact++) {
        const double amplitude = acos(1 - rise), half = PI / (sqrt(gravity) * agm(1, cos(0.5 * amplitude)));
        if (geoms_integrate(h, 10) != GEOMS_EVENT || geoms_last_event(h, &index, &t) != 0 || index != 0) {
            check("impact", 0);
            break;
        }
        expected += impact == 0 ? 0.5 * half : half; /* the first is a fall only */
        worst = fmax(worst, fabs(t - expected));
        printf("impact %d at t = %.12f, error %8.1e\n", impact + 1, t, t - expected);
        for (k = 0; k < geoms_event_count(h); k++) {
            geoms_event(h, k, &index, NULL);
            crossings += index == 1;
        }
        geoms_state(h, x);
        x[1] *= -restitution;
        x[2] *= -restitution;
        rise *= restitution * restitution;
        if (geoms_reset(h, t, x) != 0) {
            check("reset", 0);
        }
    }
    check("times right to 1e-10", worst < 1e-10);
    /* Through the altitude once in the fall, then twice in each flight that rises by more than 0.1. */
    check("events that are not terminal are counted", crossings == 1 + 2 * (IMPACTS - 1));
    check("no such event", geoms_event(h, 99, &index, &t) == GEOMS_IDID_BAD_ARGUMENT);

    /* NaN in an event function is an error, and the handle goes on without it. */
    check("start again", geoms_start(h, 0, start, 1e-3) == 0 && geoms_set_events(h, 1, broken, NULL, NULL, 0) == 0);
    check("NaN is an error", geoms_integrate(h, 1) == GEOMS_IDID_ROOT_FUNCTION_FAILED);
    check("without events to the end", geoms_set_events(h, 0, NULL, NULL, NULL, 0) == 0 && geoms_integrate(h, 1) == 0);
    geoms_state(h, x);
    check("half a period later on the other side", fabs(x[3] + 1) < 1e-9);
    geoms_free(h);
    return failures != 0;
}
