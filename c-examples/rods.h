/* A row of n planar rods, pinned one to the next: a model of the handle, in the form without gII. The first rod may be pinned to the ground at
 * the origin. x = [ lambda | v | p ], three coordinates (x, y, angle) per rod. */
#ifndef RODS_H
#define RODS_H

#include <geoms.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROD_LENGTH 0.5
#define ROD_MASS 1.0
#define ROD_GRAVITY 9.81

typedef struct rods {
    int n;        /* rods */
    int grounded; /* the first is pinned to the origin */
    int pins;
    long calls;
    /* Faults, for tests: at the call number `at` of the equations of motion. */
    long at;
    int (*fault)(struct rods *, double *rda);
} rods;

static inline int rods_rows(const rods *r) { return 2 * r->pins; }
static inline int rods_size(const rods *r) { return 2 * r->pins + 6 * r->n; }

/* Body, sign and arm of the sides of pin k. */
static inline int rods_side(const rods *r, int k, int side, const double *p, double *sign, double arm[2])
{
    const int body = r->grounded ? k - side : k + 1 - side;
    if (body < 0) {
        return -1;
    }
    *sign = side == 0 ? 1.0 : -1.0;
    const double at = (side == 0 ? -0.5 : 0.5) * ROD_LENGTH;
    arm[0] = at * cos(p[3 * body + 2]);
    arm[1] = at * sin(p[3 * body + 2]);
    return body;
}

static int rods_eom(double t, const double *x, double *rda, void *user)
{
    rods *r = (rods *)user;
    const int m = rods_rows(r), n = 3 * r->n;
    const double *lambda = x, *v = x + m, *p = v + n;
    double *gi = rda, *g = rda + m, *f = g + m, *kin = f + n;
    (void)t;
    memset(rda, 0, sizeof *rda * (size_t)(2 * m + 2 * n));
    for (int i = 0; i < r->n; ++i) {
        f[3 * i + 1] = -ROD_MASS * ROD_GRAVITY;
    }
    for (int k = 0; k < r->pins; ++k) {
        for (int side = 0; side < 2; ++side) {
            double s, a[2];
            const int i = 3 * rods_side(r, k, side, p, &s, a);
            if (i < 0) {
                continue;
            }
            g[2 * k] += s * (p[i] + a[0]);
            g[2 * k + 1] += s * (p[i + 1] + a[1]);
            gi[2 * k] += s * (v[i] - a[1] * v[i + 2]);
            gi[2 * k + 1] += s * (v[i + 1] + a[0] * v[i + 2]);
            f[i] -= s * lambda[2 * k];
            f[i + 1] -= s * lambda[2 * k + 1];
            f[i + 2] -= s * (a[0] * lambda[2 * k + 1] - a[1] * lambda[2 * k]);
        }
    }
    memcpy(kin, v, sizeof *v * (size_t)n);
    if (++r->calls == r->at && r->fault) {
        return r->fault(r, rda);
    }
    return 0;
}

static int rods_mass(double t, const double *x, double *mass, void *user)
{
    const rods *r = (const rods *)user;
    const int n = 3 * r->n;
    (void)t;
    (void)x;
    for (int i = 0; i < n; ++i) {
        mass[i * (n + 1)] = i % 3 == 2 ? ROD_MASS * ROD_LENGTH * ROD_LENGTH / 12.0 : ROD_MASS;
    }
    return 0;
}

static int rods_jacobian(double t, const double *x, double *const *fx, void *user)
{
    const rods *r = (const rods *)user;
    const int m = rods_rows(r), n = 3 * r->n;
    const double *lambda = x, *v = x + m, *p = v + n;
    (void)t;
    for (int k = 0; k < r->pins; ++k) {
        for (int side = 0; side < 2; ++side) {
            double s, a[2];
            const int i = 3 * rods_side(r, k, side, p, &s, a);
            if (i < 0) {
                continue;
            }
            const int row[4] = {2 * k, 2 * k + 1, 2 * k, 2 * k + 1};
            const int column[4] = {i, i + 1, i + 2, i + 2};
            const double value[4] = {1.0, 1.0, -a[1], a[0]};
            for (int e = 0; e < 4; ++e) {
                fx[1][row[e] + column[e] * m] -= s * value[e];
                fx[2][row[e] + column[e] * m] -= s * value[e];
                fx[4][column[e] + row[e] * n] += s * value[e];
            }
            fx[1][2 * k + (n + i + 2) * m] += s * a[0] * v[i + 2];
            fx[1][2 * k + 1 + (n + i + 2) * m] += s * a[1] * v[i + 2];
            fx[4][i + 2 + (m + n + i + 2) * n] -= s * (a[0] * lambda[2 * k] + a[1] * lambda[2 * k + 1]);
        }
    }
    for (int i = 0; i < n; ++i) {
        fx[5][i * (n + 1)] = -1.0;
    }
    return 0;
}

/* A handle for rods, and their initial values: horizontal, at rest, the first one begins at x = first. */
static inline geoms_solver *rods_create(rods *r, double first, double **x)
{
    r->pins = r->grounded ? r->n : r->n - 1;
    geoms_dimensions dims = {0};
    dims.np = dims.nv = 3 * r->n;
    dims.nl = 2 * r->pins;
    geoms_solver *handle = geoms_create(&dims, GEOMS_FORM_INDEX1);
    if (!handle || geoms_set_eom(handle, rods_eom) || geoms_set_mass(handle, rods_mass) ||
        geoms_set_jacobian(handle, rods_jacobian) || geoms_set_user(handle, r) || geoms_set_int(handle, "masstrct", 4)) {
        return NULL;
    }
    *x = (double *)calloc((size_t)rods_size(r), sizeof **x);
    for (int i = 0; *x && i < r->n; ++i) {
        (*x)[2 * r->pins + 3 * r->n + 3 * i] = first + ROD_LENGTH * (i + 0.5);
    }
    return handle;
}

#endif
