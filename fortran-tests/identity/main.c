/* The cases of callbacks.c through the C call: all bits of the results, in the format of main.f. */

#include "geoms.h"

#include <stdio.h>
#include <string.h>

/* The subroutines as geoms.h declares their types. */
extern void eom_(const int32_t *, const int32_t *, const double *, const double *, double *, const int32_t *,
                 const double *, int32_t *, double *, int32_t *);
extern void mas_(const double *, const int32_t *, const double *, const int32_t *, const int32_t *, double *,
                 const int32_t *, const double *, int32_t *, double *, int32_t *);
extern void jac_(const int32_t *, const int32_t *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,
                 const int32_t *, const int32_t *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,
                 const double *, const double *, double *, double *, double *, double *, double *, double *,
                 const int32_t *, const double *, double *, int32_t *, int32_t *);
extern void solout_(const int32_t *, const double *, const double *, const double *, const int32_t *, const int32_t *,
                    const int32_t *, const int32_t *, const double *, const double *, const double *, const double *,
                    double *, int32_t *, int32_t *);
extern void ivcond_(const int32_t *, const double *, const double *, const int32_t *, double *, int32_t *, double *,
                    int32_t *);
extern void setup_(const int32_t *, int32_t *, double *, int32_t *, double *, int32_t *, double *, int32_t *);

static void bits(const char *name, double value)
{
    unsigned long long b;
    memcpy(&b, &value, sizeof b);
    printf("%-6s %016llX\n", name, b);
}

int main(void)
{
    const int32_t zero = 0, one = 1, liwork = 20, lrwork = 200;
    const double tend = 5, tol = 1e-8;
    for (int32_t number = 1; number <= 8; number++) {
        int32_t d[10], iopt[40], iwork[20] = {0}, ipar[1], ijac, ierr = 0, idid = 0;
        double x[7], ropt[40], rwork[200], rpar[2], t = 0, h = 0.01;
        setup_(&number, d, x, iopt, ropt, ipar, rpar, &ijac);
        geoms_(d, d + 1, d + 2, d + 3, d + 4, d + 5, d + 6, d + 7, d + 8, d + 9, &zero, x, &t, &tend, &h, &tol, &tol,
               &zero, iopt, ropt, ivcond_, eom_, mas_, jac_, &ijac, solout_, &one, &liwork, iwork, &lrwork, rwork,
               rpar, ipar, &ierr, &idid);
        printf("CASE   %d\nIDID   %d\n", (int)number, (int)idid);
        bits("T", t);
        bits("H", h);
        for (int i = 0; i < d[9]; i++) {
            bits("X", x[i]);
        }
        for (int i = 0; i < 11; i++) {
            printf("IWORK  %d\n", (int)iwork[i]);
        }
        bits("SOLOUT", rpar[0]);
        bits("HASH", rpar[1]);
    }
    return 0;
}
