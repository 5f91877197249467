/* A program that has routines with the names of BLAS and LAPACK: they count their calls and do nothing.
 *
 * Integrates 40 pendula (m = L = 1, g = 13.75, v(0) = 2.8) with the SVD, so that the library needs DGESDD and, for 200
 * unknowns, DGEMM and ZGEMM. Prints
 *   own routines called: <number>
 *   IDID = <code>, error <largest, against the closed form at t = 5>
 *   processor time outside this thread: <percent of all>
 *   threads: <of the process, besides this one>
 * and ends with 0 if the result is right. */

#define _GNU_SOURCE
#include <geoms.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define GRAVITY 13.75
#define K 40

#ifndef NO_OWN
#define OWN(name) \
    void name(void); \
    void name(void) { called++; }
#else
#define OWN(name)
#endif
static int called = 0;
OWN(dgemm_)
OWN(zgemm_)
OWN(dgetrf_)
OWN(dgetrs_)
OWN(dgesdd_)
OWN(dgesvd_)
OWN(dgeqrf_)
OWN(dgeqp3_)
OWN(dormqr_)

/* x = [ lambda | v | p ] with the two coordinates of each pendulum side by side. */
static void eom(const int32_t *m, const int32_t *n, const double *t, const double *x, double *rda,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    int i;
    (void)m, (void)n, (void)t, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    for (i = 0; i < K; i++) {
        const double lambda = x[i], *v = x + K + 2 * i, *p = x + 3 * K + 2 * i, pp = p[0] * p[0] + p[1] * p[1];
        rda[i] = 2 * (v[0] * v[0] + v[1] * v[1]) - 2 * GRAVITY * p[1] - 4 * pp * lambda;
        rda[K + i] = 2 * (p[0] * v[0] + p[1] * v[1]);
        rda[2 * K + i] = pp - 1;
        rda[3 * K + 2 * i] = -2 * p[0] * lambda;
        rda[3 * K + 2 * i + 1] = -GRAVITY - 2 * p[1] * lambda;
        rda[5 * K + 2 * i] = v[0];
        rda[5 * K + 2 * i + 1] = v[1];
    }
}

static void mas(const double *t, const int32_t *nx, const double *x, const int32_t *m, const int32_t *n, double *ma,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    int i;
    (void)t, (void)nx, (void)x, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    for (i = 0; i < *m * *n; i++) {
        ma[i] = i % (*m + 1) == 0;
    }
}

static double seconds(int who)
{
    struct rusage use;
    getrusage(who, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static int threads(void)
{
    int count = -3; /* ., .., and the first thread */
    DIR *tasks = opendir("/proc/self/task");
    while (tasks != NULL && readdir(tasks) != NULL) {
        count++;
    }
    return count;
}

int main(void)
{
    static const double exact[5] = {6.530129232836035799, 1.164034305982725075, -0.893604934116132015,
                                    -0.608937263148837968, -0.793218387046595675};
    static double x[5 * K], rwork[1000000], ropt[40], rpar[1];
    static int32_t iwork[1000], iopt[40], ipar[1];
    const int32_t zero = 0, two = 2 * K, one = K, m = 7 * K, n = 5 * K, liwork = 1000, lrwork = 1000000;
    const double tend = 5, tol = 1e-6;
    double t = 0, h = 0.01, error = 0, all, mine;
    int32_t ierr = 0, idid = 0;
    int i, j;

    for (i = 0; i < K; i++) {
        x[i] = (2.8 * 2.8 + GRAVITY) / 2;
        x[K + 2 * i] = 2.8;
        x[3 * K + 2 * i + 1] = -1;
    }
    iopt[GEOMS_IOPT_MASSTRCT] = 4;
    iopt[GEOMS_IOPT_DECOMPC] = 3;
    all = seconds(RUSAGE_SELF);
    mine = seconds(RUSAGE_THREAD);
    geoms_(&two, &two, &zero, &zero, &zero, &one, &zero, &zero, &m, &n, &zero, x, &t, &tend, &h, &tol, &tol, &zero,
           iopt, ropt, NULL, eom, mas, NULL, &zero, NULL, &zero, &liwork, iwork, &lrwork, rwork, rpar, ipar, &ierr,
           &idid);
    all = seconds(RUSAGE_SELF) - all;
    mine = seconds(RUSAGE_THREAD) - mine;
    for (i = 0; i < K; i++) {
        const double end[5] = {x[i], x[K + 2 * i], x[K + 2 * i + 1], x[3 * K + 2 * i], x[3 * K + 2 * i + 1]};
        for (j = 0; j < 5; j++) {
            error = fmax(error, fabs(end[j] - exact[j]) / (1 + fabs(exact[j])));
        }
    }
    printf("own routines called: %d\n", called);
    printf("IDID = %d, error %.1e\n", (int)idid, error);
    printf("processor time outside this thread: %.0f\n", 100 * (all - mine) / all);
    printf("threads: %d\n", threads());
    return idid == 0 && error <= 10 * tol ? 0 : 1;
}
