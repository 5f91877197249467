/* A run is asked to stop: by a signal, by another thread, by its own callback. It goes on as if nothing had happened. */

#define _POSIX_C_SOURCE 200809L

#include "pendulum_model.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

static geoms_solver *solver;
static volatile sig_atomic_t running = 0;

static void interrupted(int number)
{
    (void)number;
    geoms_request_stop(solver);
}

static enum { NEVER, BY_SIGNAL, BY_CALLBACK } how = NEVER;

static int output(const geoms_step_info *step, void *user)
{
    (void)user;
    running = 1;
    if (step->naccpt == 30 && how == BY_SIGNAL) {
        raise(SIGINT);
    } else if (step->naccpt == 40 && how == BY_CALLBACK) {
        geoms_request_stop(step->solver);
    }
    return 0;
}

static void *other_thread(void *none)
{
    double x[5];
    (void)none;
    while (!running) {
    }
    /* The handle is in use: everything else is refused. */
    if (geoms_state(solver, x) != GEOMS_IDID_IN_USE) {
        return solver;
    }
    geoms_request_stop(solver);
    return NULL;
}

int main(void)
{
    static const double start[5] = {(2.8 * 2.8 + 13.75) / 2, 2.8, 0, 0, -1};
    double gravity = 13.75, whole[5], x[5];
    geoms_stats stats;
    pthread_t thread;
    void *wrong = solver;

    solver = pendulum_solver(&gravity, 1e-8);
    signal(SIGINT, interrupted);
    geoms_set_output(solver, output);
    check("start", geoms_start(solver, 0, start, 0.01) == 0);
    check("whole run", geoms_integrate(solver, 5) == 0 && geoms_state(solver, whole) == 0);

    check("start again", geoms_start(solver, 0, start, 0.01) == 0);
    how = BY_SIGNAL;
    check("stopped by a signal", geoms_integrate(solver, 5) == GEOMS_IDID_STOP_REQUESTED);
    check("after the step", geoms_statistics(solver, &stats) == 0 && stats.naccpt == 30);
    how = BY_CALLBACK;
    check("stopped by the callback", geoms_integrate(solver, 5) == GEOMS_IDID_STOP_REQUESTED);
    how = NEVER;
    check("to the end", geoms_integrate(solver, 5) == 0 && geoms_state(solver, x) == 0);
    check("as if nothing had happened", memcmp(whole, x, sizeof x) == 0);

    running = 0;
    geoms_set_int(solver, "nmax", 2000000000);
    check("start a long run", geoms_start(solver, 0, start, 0.01) == 0);
    pthread_create(&thread, NULL, other_thread, NULL);
    check("stopped by another thread", geoms_integrate(solver, 1e9) == GEOMS_IDID_STOP_REQUESTED);
    pthread_join(thread, &wrong);
    check("which could do nothing else", wrong == NULL);
    geoms_free(solver);
    return failures != 0;
}
