/* The pendulum of the GEOMS report for the handle: m = L = 1, x = [ lambda | v1 v2 | p1 p2 ]. `user` points to the gravity. */

#ifndef PENDULUM_MODEL_H
#define PENDULUM_MODEL_H

#include "geoms.h"

#include <stdio.h>

static const geoms_dimensions pendulum_dimensions = {2, 2, 0, 0, 0, 1, 0, 0};

static int pendulum_eom(double t, const double *x, double *rda, void *user)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4], gravity = *(const double *)user;
    (void)t;
    rda[0] = 2 * (v1 * v1 + v2 * v2) - 2 * gravity * p2 - 4 * (p1 * p1 + p2 * p2) * lambda; /* gII */
    rda[1] = 2 * (p1 * v1 + p2 * v2);                                                       /* gI */
    rda[2] = p1 * p1 + p2 * p2 - 1;                                                         /* g */
    rda[3] = -2 * p1 * lambda;                                                              /* f_dyn */
    rda[4] = -gravity - 2 * p2 * lambda;
    rda[5] = v1; /* f_kin */
    rda[6] = v2;
    return 0;
}

static int pendulum_mass(double t, const double *x, double *mass, void *user)
{
    (void)t, (void)x, (void)user;
    mass[0] = mass[3] = 1;
    mass[1] = mass[2] = 0;
    return 0;
}

/* NEGATIVE derivatives, column by column; the blocks come in as zeros. */
static int pendulum_jacobian(double t, const double *x, double *const *fx, void *user)
{
    const double lambda = x[0], v1 = x[1], v2 = x[2], p1 = x[3], p2 = x[4], gravity = *(const double *)user;
    (void)t;
    fx[0][0] = 4 * (p1 * p1 + p2 * p2);
    fx[0][1] = -4 * v1;
    fx[0][2] = -4 * v2;
    fx[0][3] = 8 * p1 * lambda;
    fx[0][4] = 2 * gravity + 8 * p2 * lambda;
    fx[1][0] = -2 * p1;
    fx[1][1] = -2 * p2;
    fx[1][2] = -2 * v1;
    fx[1][3] = -2 * v2;
    fx[2][0] = -2 * p1;
    fx[2][1] = -2 * p2;
    fx[4][0] = 2 * p1;
    fx[4][1] = 2 * p2;
    fx[4][6] = 2 * lambda;
    fx[4][9] = 2 * lambda;
    fx[5][0] = -1;
    fx[5][3] = -1;
    return 0;
}

/* A handle with this model; stops the program if it cannot be had. */
static geoms_solver *pendulum_solver(double *gravity, double tol)
{
    geoms_solver *h = geoms_create(&pendulum_dimensions, GEOMS_FORM_STRANGENESS_FREE);
    if (geoms_set_user(h, gravity) || geoms_set_eom(h, pendulum_eom) || geoms_set_mass(h, pendulum_mass) ||
        geoms_set_jacobian(h, pendulum_jacobian) || geoms_set_int(h, "masstrct", 4) ||
        geoms_set_tolerance(h, tol, tol)) {
        printf("the pendulum could not be set up\n");
        geoms_free(h);
        return NULL;
    }
    return h;
}

static int failures = 0;

/* Print and count. */
static void check(const char *what, int holds)
{
    printf("%-60s %s\n", what, holds ? "OK" : "FAIL");
    failures += !holds;
}

#endif
