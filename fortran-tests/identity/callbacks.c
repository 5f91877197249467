/* The subroutines of two problems, compiled once and called through Fortran, C and Rust: see run.sh.
 *
 * Problem 1, the pendulum of the report: x = [ lambda | v1 v2 | p1 p2 ], constant diagonal mass, JAC.
 * Problem 2, Chaplygin's sleigh on a slope: x = [ mu | v1 v2 w | p1 p2 phi ], M(p), one nonholonomic constraint,
 * Jacobian by differences. Case k = 1..6 is problem (k+2)/3 with IOPT(11) = 1, 2, 3; cases 7 and 8 are the two problems with
 * HHT (IOPT(18) = 1).
 *
 * IPAR(1) is the problem; RPAR(1) counts the calls of SOLOUT, RPAR(2) holds a hash of all it was given. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#define GRAVITY 13.75
/* Sleigh: mass, moment of inertia, distance from the blade to the centre, slope. */
#define MASS 1.5
#define INERTIA 0.7
#define OFFSET 0.4
#define SLOPE 2.0

static void forces(const double *x, double f[3])
{
    const double mu = x[0], w = x[3], s = sin(x[6]), c = cos(x[6]);
    f[0] = MASS * OFFSET * w * w * c + MASS * SLOPE - s * mu;
    f[1] = MASS * OFFSET * w * w * s + c * mu;
    f[2] = -MASS * SLOPE * OFFSET * s;
}

static void sleigh(const double *x, double *rda)
{
    const double v1 = x[1], v2 = x[2], w = x[3], s = sin(x[6]), c = cos(x[6]);
    double f[3], a1, a2, turn;
    forces(x, f);
    turn = (f[2] + OFFSET * s * f[0] - OFFSET * c * f[1]) / INERTIA;
    a1 = f[0] / MASS + OFFSET * s * turn;
    a2 = f[1] / MASS - OFFSET * c * turn;
    rda[0] = s * a1 - c * a2 + w * (c * v1 + s * v2); /* hI */
    rda[1] = s * v1 - c * v2;                         /* h */
    memcpy(rda + 2, f, sizeof f);                     /* f_dyn */
    memcpy(rda + 5, x + 1, sizeof f);                 /* f_kin */
}

static void pendulum(const double *x, double *rda)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4];
    rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * GRAVITY * p2 - 4 * (p1 * p1 + p2 * p2) * lambda; /* gII */
    rda[1] = 2 * (p1 * v1 + p2 * v2);                                                       /* gI */
    rda[2] = p1 * p1 + p2 * p2 - 1;                                                         /* g */
    rda[3] = -2 * p1 * lambda;                                                              /* f_dyn */
    rda[4] = -GRAVITY - 2 * p2 * lambda;
    rda[5] = v1; /* f_kin */
    rda[6] = v2;
}

void eom_(const int32_t *m, const int32_t *n, const double *t, const double *x, double *rda, const int32_t *iopt,
          const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    (void)m, (void)n, (void)t, (void)iopt, (void)ropt, (void)rpar, (void)ierr;
    if (ipar[0] == 1) {
        pendulum(x, rda);
    } else {
        sleigh(x, rda);
    }
}

void mas_(const double *t, const int32_t *nx, const double *x, const int32_t *m, const int32_t *n, double *ma,
          const int32_t *iopt, const double *ropt, int32_t *ipar, double *rpar, int32_t *ierr)
{
    (void)t, (void)nx, (void)m, (void)n, (void)iopt, (void)ropt, (void)rpar, (void)ierr;
    if (ipar[0] == 1) {
        ma[0] = ma[3] = 1;
    } else {
        ma[0] = ma[4] = MASS;
        ma[2] = ma[6] = -MASS * OFFSET * sin(x[6]);
        ma[5] = ma[7] = MASS * OFFSET * cos(x[6]);
        ma[8] = INERTIA + MASS * OFFSET * OFFSET;
    }
}

/* Of the pendulum only: negative partial derivatives, by columns. */
void jac_(const int32_t *m1, const int32_t *m2, const int32_t *m3, const int32_t *m4, const int32_t *m5,
          const int32_t *m6, const int32_t *n1, const int32_t *n2, const int32_t *n3, const int32_t *n4,
          const int32_t *m, const int32_t *n, const double *t, const double *x, double *fx1, double *fx2, double *fx3,
          double *fx4, double *fx5, double *fx6, const int32_t *iopt, const double *ropt, double *rpar, int32_t *ipar,
          int32_t *ierr)
{
    (void)m1, (void)m2, (void)m3, (void)m4, (void)m5, (void)m6, (void)n1, (void)n2, (void)n3, (void)n4, (void)m;
    (void)n, (void)t, (void)fx4, (void)iopt, (void)ropt, (void)rpar, (void)ipar, (void)ierr;
    fx1[0] = 4 * (x[3] * x[3] + x[4] * x[4]);
    fx1[1] = -4 * x[1];
    fx1[2] = -4 * x[2];
    fx1[3] = 8 * x[3] * x[0];
    fx1[4] = 8 * x[4] * x[0] + 2 * GRAVITY;
    for (int i = 0; i < 2; i++) {
        fx2[i] = fx3[i] = -2 * x[3 + i];
        fx2[2 + i] = -2 * x[1 + i];
        fx5[i] = 2 * x[3 + i];
        fx5[i + 2 * (3 + i)] = 2 * x[0];
        fx6[3 * i] = -1;
    }
}

/* FNV-1a over the bits. */
static uint64_t mix(uint64_t hash, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(1099511628211);
    }
    return hash;
}

void solout_(const int32_t *naccpt, const double *told, const double *t, const double *x, const int32_t *n,
             const int32_t *nn2, const int32_t *nn3, const int32_t *nn4, const double *contx, const double *h,
             const double *c1m1, const double *c2m1, double *rpar, int32_t *ipar, int32_t *ierr)
{
    uint64_t hash;
    (void)naccpt, (void)nn2, (void)nn3, (void)ipar, (void)ierr;
    memcpy(&hash, rpar + 1, sizeof hash);
    hash = mix(hash, told, 1);
    hash = mix(hash, t, 1);
    hash = mix(hash, x, *n);
    hash = mix(hash, contx, *nn4);
    hash = mix(hash, h, 1);
    hash = mix(hash, c1m1, 1);
    hash = mix(hash, c2m1, 1);
    memcpy(rpar + 1, &hash, sizeof hash);
    rpar[0] += 1;
}

/* Not called: there are no conditions. */
void ivcond_(const int32_t *n, const double *t, const double *x, const int32_t *ncond, double *cond, int32_t *ipar,
             double *rpar, int32_t *ierr)
{
    (void)n, (void)t, (void)x, (void)ncond, (void)cond, (void)ipar, (void)rpar;
    *ierr = -1;
}

/* Everything that a call needs: DIMS = NP..NI, M, N; X(7); IOPT, ROPT, IPAR(1), RPAR(2), IJAC. */
void setup_(const int32_t *number, int32_t *dims, double *x, int32_t *iopt, double *ropt, int32_t *ipar, double *rpar,
            int32_t *ijac)
{
    static const int32_t first[10] = {2, 2, 0, 0, 0, 1, 0, 0, 7, 5}, second[10] = {3, 3, 0, 0, 0, 0, 1, 0, 8, 7};
    memset(iopt, 0, 40 * sizeof *iopt);
    memset(ropt, 0, 40 * sizeof *ropt);
    memset(x, 0, 7 * sizeof *x);
    rpar[0] = rpar[1] = 0;
    iopt[10] = 1 + (*number - 1) % 3;
    ipar[0] = *number > 3 && *number != 7 ? 2 : 1;
    if (*number > 6) {
        iopt[10] = 1;
        iopt[15] = iopt[17] = 1;
    }
    *ijac = ipar[0] == 1;
    if (ipar[0] == 1) {
        memcpy(dims, first, sizeof first);
        iopt[14] = 4;
        x[0] = (2.8 * 2.8 + GRAVITY) / 2;
        x[1] = 2.8;
        x[4] = -1;
    } else {
        double none[8], one[8];
        memcpy(dims, second, sizeof second);
        x[1] = 0.8 * cos(0.3);
        x[2] = 0.8 * sin(0.3);
        x[3] = 1.1;
        x[6] = 0.3;
        /* hI is linear in mu. */
        sleigh(x, none);
        x[0] = 1;
        sleigh(x, one);
        x[0] = none[0] / (none[0] - one[0]);
    }
}
