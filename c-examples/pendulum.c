/* The pendulum of the GEOMS report through the C header: m = L = 1, g = 13.75, p(0) = (0,-1), v(0) = (2.8,0).
 *
 * x = [ lambda | v1 v2 | p1 p2 ].
 * Prints the counters and whether the error at t = 5 is within ten times the tolerance. */

#include "geoms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 13.75

static void eom(const int32_t *m, const int32_t *n, const double *t, const double *x, double *rda,
                const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
    (void)m, (void)n, (void)t, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * GRAVITY * p2 - 4 * (p1 * p1 + p2 * p2) * lambda; /* gII */
    rda[1] = 2 * (p1 * v1 + p2 * v2);                                                       /* gI */
    rda[2] = p1 * p1 + p2 * p2 - 1;                                                         /* g */
    rda[3] = -2 * p1 * lambda;                                                              /* f_dyn */
    rda[4] = -GRAVITY - 2 * p2 * lambda;
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

/* rpar[0] counts the accepted points, rpar[1] is the largest violation of the constraint between them. */
static void solout(const int32_t *naccpt, const double *told, const double *t, const double *x, const int32_t *n,
                   const int32_t *nn2, const int32_t *nn3, const int32_t *nn4, const double *contx, const double *h,
                   const double *c1m1, const double *c2m1, double *rpar, int32_t *ipar, int32_t *ierr)
{
    const int32_t first = 4, second = 5;
    const double middle = 0.5 * (*told + *t);
    const double p1 = gedensout_(&first, &middle, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
    const double p2 = gedensout_(&second, &middle, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
    (void)naccpt, (void)x, (void)ipar, (void)ierr;
    rpar[0] += 1;
    rpar[1] = fmax(rpar[1], fabs(p1 * p1 + p2 * p2 - 1));
}

static int check(const char *what, int holds)
{
    printf("%s: %s\n", what, holds ? "OK" : "FAIL");
    return holds;
}

int main(void)
{
    /* Closed form at t = 5. */
    static const double exact[5] = {6.530129232836035799, 1.164034305982725075, -0.893604934116132015,
                                    -0.608937263148837968, -0.793218387046595675};
    const int32_t zero = 0, one = 1, two = 2, m = 7, n = 5, liwork = 20, lrwork = 25;
    const double tend = 5, tol = 1e-8;
    int32_t iopt[40] = {0}, iwork[20] = {0}, ipar[1] = {0}, ierr = 0, idid = 0;
    double ropt[40] = {0}, rwork[25], rpar[2] = {0, 0};
    double t = 0, h = 0.01, x[5] = {(2.8 * 2.8 + GRAVITY) / 2, 2.8, 0, 0, -1}, error = 0;
    int i;

    if (strcmp(geoms_version(), GEOMS_VERSION) != 0) {
        printf("FAIL: header %s, library %s\n", GEOMS_VERSION, geoms_version());
        return 1;
    }
    iopt[GEOMS_IOPT_MASSTRCT] = 4; /* constant and diagonal; the Jacobian is left to differences */
    geoms_(&two, &two, &zero, &zero, &zero, &one, &zero, &zero, &m, &n, &zero, x, &t, &tend, &h, &tol, &tol, &zero,
           iopt, ropt, NULL, eom, mas, NULL, &zero, solout, &one, &liwork, iwork, &lrwork, rwork, rpar, ipar, &ierr,
           &idid);
    if (idid != GEOMS_IDID_SUCCESS) {
        printf("FAIL: IDID = %d at t = %g: %s %s\n", (int)idid, t, geoms_strerror(idid), geoms_advice(idid));
        return 1;
    }
    for (i = 0; i < 5; i++) {
        error = fmax(error, fabs(x[i] - exact[i]) / (1 + fabs(exact[i])));
    }
    printf("t = %g, steps %d, rejected %d + %d\n", t, (int)iwork[0], (int)iwork[9], (int)iwork[10]);
    return check("error within 10 TOL", error <= 10 * tol) & check("every accepted point seen", rpar[0] == iwork[0] + 1) &
                   check("constraint between the points below 1e-6", rpar[1] < 1e-6)
               ? 0
               : 1;
}
