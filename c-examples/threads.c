/* Runs on several threads at once: pendulums with different starts, each of which must return the same bits as it
 * does alone. make test also runs this under a race detector. */

#include "geoms.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 8
#define GRAVITY 13.75

/* One run: its start, its decomposition, and all that it returns. */
typedef struct {
    double speed;
    int32_t decomposition;
    double x[5], t, h;
    int32_t iwork[20], idid;
} Run;

/* RPAR(1) is the gravity: everything a run needs comes through its own arguments. */
static void eom(const int32_t *m, const int32_t *n, const double *t, const double *x, double *rda,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4], g = rpar[0];
    (void)m, (void)n, (void)t, (void)iopt, (void)ropt, (void)ipar, (void)ierr;
    rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * g * p2 - 4 * (p1 * p1 + p2 * p2) * lambda; /* gII */
    rda[1] = 2 * (p1 * v1 + p2 * v2);                                                 /* gI */
    rda[2] = p1 * p1 + p2 * p2 - 1;                                                   /* g */
    rda[3] = -2 * p1 * lambda;                                                        /* f_dyn */
    rda[4] = -g - 2 * p2 * lambda;
    rda[5] = v1; /* f_kin */
    rda[6] = v2;
}

static void mas(const double *t, const int32_t *nx, const double *x, const int32_t *m, const int32_t *n, double *ma,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    (void)t, (void)nx, (void)x, (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    ma[0] = ma[3] = 1;
    ma[1] = ma[2] = 0;
}

static void *swing(void *argument)
{
    Run *run = argument;
    const int32_t zero = 0, one = 1, two = 2, m = 7, n = 5, liwork = 20, lrwork = 25;
    const double tend = 1, tol = 1e-7, speed = run->speed;
    const double start[5] = {(speed * speed + GRAVITY) / 2, speed, 0, 0, -1};
    int32_t iopt[40] = {0}, ipar[1] = {0}, ierr = 0;
    double ropt[40] = {0}, rwork[25], rpar[1] = {GRAVITY};
    iopt[GEOMS_IOPT_DECOMPC] = run->decomposition;
    memcpy(run->x, start, sizeof start);
    run->t = 0;
    run->h = 0.01;
    geoms_(&two, &two, &zero, &zero, &zero, &one, &zero, &zero, &m, &n, &zero, run->x, &run->t, &tend, &run->h, &tol,
           &tol, &zero, iopt, ropt, NULL, eom, mas, NULL, &zero, NULL, &zero, &liwork, run->iwork, &lrwork, rwork,
           rpar, ipar, &ierr, &run->idid);
    return NULL;
}

int main(void)
{
    static Run alone[THREADS], together[THREADS];
    pthread_t threads[THREADS];
    int i, different = 0, failed = 0;
    for (i = 0; i < THREADS; i++) {
        alone[i].speed = together[i].speed = 2.0 + 0.3 * i;
        alone[i].decomposition = together[i].decomposition = 1 + i % 3;
    }
    /* The threads first: what the library sets up once is then set up by several at once. */
    for (i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, swing, &together[i]) != 0) {
            printf("FAIL: no thread %d\n", i);
            return 1;
        }
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (i = 0; i < THREADS; i++) {
        swing(&alone[i]);
        failed += alone[i].idid != 0;
        different += memcmp(&alone[i], &together[i], sizeof alone[i]) != 0;
    }
    printf("%d threads, %d runs failed, %d different from the same run alone: %s\n", THREADS, failed, different,
           failed + different == 0 ? "OK" : "FAIL");
    return failed + different != 0;
}
