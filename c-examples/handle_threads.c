/* Many handles in many threads, and a handle that is used inside a callback of another: they do not know of each other. */

#define _POSIX_C_SOURCE 200809L

#include "pendulum_model.h"

#include <pthread.h>
#include <string.h>

#define THREADS 16

static const double start[5] = {(2.8 * 2.8 + 13.75) / 2, 2.8, 0, 0, -1};

static int integrate(double *x)
{
    double gravity = 13.75;
    geoms_solver *h = pendulum_solver(&gravity, 1e-9);
    const int code = geoms_start(h, 0, start, 0.01) || geoms_integrate(h, 5) || geoms_state(h, x);
    geoms_free(h);
    return code;
}

static void *work(void *x)
{
    return integrate((double *)x) ? x : NULL;
}

static double inner[5];

/* A whole run inside of every tenth call. */
static int nested(const geoms_step_info *step, void *user)
{
    (void)user;
    return step->naccpt % 10 ? 0 : -integrate(inner);
}

int main(void)
{
    double alone[5], x[THREADS][5], y[5], gravity = 13.75;
    pthread_t thread[THREADS];
    geoms_solver *h;
    int k, same = 1;

    check("alone", integrate(alone) == 0);
    for (k = 0; k < THREADS; k++) {
        same &= pthread_create(&thread[k], NULL, work, x[k]) == 0;
    }
    for (k = 0; k < THREADS; k++) {
        void *failed;
        same &= pthread_join(thread[k], &failed) == 0 && !failed && memcmp(alone, x[k], sizeof alone) == 0;
    }
    check("the same in every thread, bit for bit", same);

    h = pendulum_solver(&gravity, 1e-9);
    geoms_set_output(h, nested);
    check("around others", geoms_start(h, 0, start, 0.01) == 0 && geoms_integrate(h, 5) == 0 && geoms_state(h, y) == 0);
    check("the same, bit for bit", memcmp(alone, y, sizeof y) == 0 && memcmp(alone, inner, sizeof inner) == 0);
    geoms_free(h);
    return failures != 0;
}
