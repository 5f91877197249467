/* Glued runs in one process: a chain of rods cut in two, joints of every kind, events, save and resume, and what is refused. */
#include "rods.h"
#include <stdio.h>

static int failures = 0;

static void check(const char *what, int holds)
{
    printf("%-64s %s\n", what, holds ? "OK" : "FAIL");
    failures += !holds;
}

/* A body without any force: x = [ v | p ]. */
typedef struct {
    double mass, inertia;
} body;

static int body_eom(double t, const double *x, double *rda, void *user)
{
    (void)t;
    (void)user;
    for (int i = 0; i < 3; ++i) {
        rda[i] = 0.0;
        rda[3 + i] = x[i];
    }
    return 0;
}

static int body_mass(double t, const double *x, double *m, void *user)
{
    const body *b = (const body *)user;
    (void)t;
    (void)x;
    m[0] = m[4] = b->mass;
    m[8] = b->inertia;
    return 0;
}

static geoms_solver *body_create(body *b)
{
    geoms_dimensions dims = {0};
    dims.np = dims.nv = 3;
    geoms_solver *handle = geoms_create(&dims, GEOMS_FORM_INDEX1);
    geoms_set_eom(handle, body_eom);
    geoms_set_mass(handle, body_mass);
    geoms_set_user(handle, b);
    geoms_set_int(handle, "masstrct", 4);
    return handle;
}

/* A point at (user, 0) of a body, as a function. */
static int point(double t, const double *p, double *y, double *jacobian, void *user)
{
    const double at = *(const double *)user;
    (void)t;
    y[0] = p[0] + at * cos(p[2]);
    y[1] = p[1] + at * sin(p[2]);
    jacobian[0] = jacobian[3] = 1.0;
    jacobian[4] = -at * sin(p[2]);
    jacobian[5] = at * cos(p[2]);
    return 0;
}

/* The first rod falls through -0.3 rad. */
static int fallen(double t, const double *x, double *value, void *user)
{
    const rods *r = (const rods *)user;
    (void)t;
    value[0] = x[rods_rows(r) + 3 * r->n + 2] + 0.3;
    return 0;
}

/* Two subdomains of two rods each, with the joint as function ports or as frames. */
static geoms_glue *chain(rods *first, rods *second, geoms_solver **models, double **x, double ends[2], int functions)
{
    geoms_glue *glue = geoms_glue_create();
    *first = (rods){2, 1, 0, 0, 0, NULL};
    *second = (rods){2, 0, 0, 0, 0, NULL};
    models[0] = rods_create(first, 0.0, &x[0]);
    models[1] = rods_create(second, 2 * ROD_LENGTH, &x[1]);
    for (int k = 0; k < 2; ++k) {
        check("subdomain", geoms_glue_add(glue, 0, models[k], x[k]) == k);
    }
    ends[0] = 0.5 * ROD_LENGTH;
    ends[1] = -0.5 * ROD_LENGTH;
    if (functions) {
        /* The second port of the first subdomain would need the second rod: a frame serves. */
        check("port by function", geoms_glue_port(glue, 1, 2, 0, point, &ends[1]) == 0);
    } else {
        check("port", geoms_glue_port_frame(glue, 1, 0, 1, 2, ends[1], 0.0) == 0);
    }
    check("port", geoms_glue_port_frame(glue, 0, 3, 4, 5, ends[0], 0.0) == 0);
    check("joint", geoms_glue_coincide(glue, 1, 0, 0, 0, 2, NULL) == 0);
    check("constant steps", geoms_glue_set_int(glue, "fixed", 1) == 0);
    return glue;
}

static void released(geoms_glue *glue, geoms_solver **models, double **x)
{
    geoms_glue_free(glue);
    for (int k = 0; k < 2; ++k) {
        geoms_free(models[k]);
        free(x[k]);
    }
}

/* A free body in space, x = [ v omega | r q ], with the angular velocity in its own frame; equal moments of inertia. */
static int spatial_eom(double t, const double *x, double *rda, void *user)
{
    const double *w = x + 3, *q = x + 9;
    (void)t;
    (void)user;
    for (int i = 0; i < 6; ++i) {
        rda[i] = i == 2 ? -9.81 : 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        rda[6 + i] = x[i];
    }
    rda[9] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    rda[10] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    rda[11] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    rda[12] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    return 0;
}

static int spatial_mass(double t, const double *x, double *m, void *user)
{
    (void)t;
    (void)x;
    (void)user;
    for (int i = 0; i < 6; ++i) {
        m[7 * i] = i < 3 ? 1.0 : 0.1;
    }
    return 0;
}

/* Two bodies in space at (-1/2, 0, 0) and (1/2, 0, 0), turning about their middle while it falls. Whatever the joint between them, the middle falls
 * freely and the bodies go round it: about z with all of them, since there is no moment. */
static void in_space(void)
{
    static const int kinds[] = {GEOMS_REVOLUTE, GEOMS_CYLINDRICAL, GEOMS_PRISMATIC, GEOMS_UNIVERSAL, GEOMS_FIXED};
    static const int origin[] = {0, 1, 2}, attitude[] = {3, 4, 5, 6}, outside[] = {3, 4, 5, 7};
    const double turn = 1.5, tend = 0.5;
    geoms_dimensions dims = {0};
    dims.np = 7;
    dims.nv = 6;
    for (int k = 0; k < 5; ++k) {
        geoms_glue *glue = geoms_glue_create();
        geoms_solver *models[2];
        double found[2][13];
        for (int i = 0; i < 2; ++i) {
            const double side = i ? 0.5 : -0.5, at[] = {-side, 0.0, 0.0};
            const double x[13] = {0.0, side * turn, 0.0, 0.0, 0.0, turn, side, 0.0, 0.0, 1.0};
            models[i] = geoms_create(&dims, GEOMS_FORM_INDEX1);
            geoms_set_eom(models[i], spatial_eom);
            geoms_set_mass(models[i], spatial_mass);
            geoms_set_int(models[i], "masstrct", 4);
            check("spatial subdomain", geoms_glue_add(glue, 0, models[i], x) == i);
            check("index outside", geoms_glue_port_spatial(glue, i, origin, outside, at) == GEOMS_IDID_BAD_ARGUMENT);
            check("spatial port", geoms_glue_port_spatial(glue, i, origin, attitude, at) == 0);
        }
        check("unknown kind", geoms_glue_spatial(glue, 5, 0, 0, 1, 0) == GEOMS_IDID_BAD_ARGUMENT);
        check("spatial joint", geoms_glue_spatial(glue, kinds[k], 0, 0, 1, 0) == 0);
        check("tolerance", geoms_glue_set_real(glue, "rtol", 1e-7) == 0 && geoms_glue_set_real(glue, "atol", 1e-7) == 0);
        check("run in space", geoms_glue_start(glue, 0.0, 1e-3) == 0 && geoms_glue_integrate(glue, tend) == GEOMS_REACHED);
        double worst = 0.0;
        for (int i = 0; i < 2; ++i) {
            const double side = i ? 0.5 : -0.5;
            geoms_glue_state(glue, i, found[i]);
            const double *p = found[i] + 6;
            worst = fmax(worst, fabs(p[0] - side * cos(turn * tend)));
            worst = fmax(worst, fabs(p[1] - side * sin(turn * tend)));
            worst = fmax(worst, fabs(p[2] + 0.5 * 9.81 * tend * tend));
            worst = fmax(worst, fabs(p[3] - cos(0.5 * turn * tend)) + fabs(p[6] - sin(0.5 * turn * tend)));
        }
        printf("joint %d: the bodies are within %.1e of the exact motion\n", kinds[k], worst);
        check("exact motion", worst < 1e-4);
        geoms_glue_free(glue);
        geoms_free(models[0]);
        geoms_free(models[1]);
    }
}

static void chains(void)
{
    rods all = {4, 1, 0, 0, 0, NULL}, first, second;
    geoms_solver *models[2];
    double *x[2], *whole, ends[2], found[2][16], force[4];
    geoms_solver *one = rods_create(&all, 0.0, &whole);
    geoms_glue *alone = geoms_glue_create();
    geoms_glue_set_int(alone, "fixed", 1);
    geoms_glue_add(alone, 0, one, whole);
    check("one domain", geoms_glue_start(alone, 0.0, 0.005) == 0 && geoms_glue_integrate(alone, 0.5) == GEOMS_REACHED);
    geoms_glue_state(alone, 0, whole);
    for (int functions = 0; functions < 2; ++functions) {
        geoms_glue *glue = chain(&first, &second, models, x, ends, functions);
        check("no run yet", geoms_glue_integrate(glue, 1.0) == GEOMS_IDID_NOT_READY && isnan(geoms_glue_time(glue)));
        check("start", geoms_glue_start(glue, 0.0, 0.005) == 0);
        check("one step", geoms_glue_step(glue, 0.5) == GEOMS_REACHED && fabs(geoms_glue_time(glue) - 0.005) < 1e-15);
        check("integrate", geoms_glue_integrate(glue, 0.5) == GEOMS_REACHED && geoms_glue_time(glue) == 0.5);
        double worst = 0.0;
        for (int k = 0; k < 2; ++k) {
            const int m = k == 0 ? 4 : 2;
            check("state", geoms_glue_state(glue, k, found[k]) == 0);
            for (int i = 0; i < 6; ++i) {
                worst = fmax(worst, fabs(found[k][m + 6 + i] - whole[8 + 12 + 6 * k + i]));
            }
        }
        printf("positions differ by %.1e from one domain\n", worst);
        check("positions of one domain", worst < (functions ? 1e-7 : 1e-11));
        check("force", geoms_glue_force(glue, 0, 4, force) == 2);
        check("force is the multiplier of one domain", fabs(force[0] - whole[4]) + fabs(force[1] - whole[5]) < 1e-5);
        geoms_glue_stats s;
        check("statistics", geoms_glue_statistics(glue, &s) == 0 && s.steps == 100 && s.iterations > 200 && s.messages == 0);
        released(glue, models, x);
    }
    geoms_glue_free(alone);
    geoms_free(one);
    free(whole);
}

static void events_and_files(void)
{
    rods first, second;
    geoms_solver *models[2];
    double *x[2], ends[2], there[16], again[16];
    geoms_glue *glue = chain(&first, &second, models, x, ends, 0);
    geoms_glue_set_int(glue, "fixed", 0);
    check("tolerances", geoms_glue_set_real(glue, "rtol", 1e-7) == 0 && geoms_glue_set_real(glue, "ATOL", 1e-7) == 0);
    check("neighbours", geoms_glue_set_int(glue, "topology", GEOMS_NEIGHBOUR) == 0);
    check("events", geoms_glue_set_events(glue, 0, 1, fallen, &first) == 0);
    check("files", geoms_glue_save_to(glue, "glue-example", 1) == 0);
    check("start", geoms_glue_start(glue, 0.0, 1e-3) == 0);
    check("event", geoms_glue_integrate(glue, 2.0) == GEOMS_EVENT);
    int subdomain = -1, index = -1;
    check("which one", geoms_glue_event(glue, &subdomain, &index) == 0 && subdomain == 0 && index == 0);
    subdomain = index = -1;
    check("no other one", geoms_glue_events(glue, 1, &subdomain, &index) == 1 && subdomain == 0 && index == 0);
    geoms_glue_state(glue, 0, there);
    check("the angle is there", fabs(there[4 + 6 + 2] + 0.3) < 1e-8);
    const double t = geoms_glue_time(glue);
    check("on", geoms_glue_integrate(glue, t + 0.1) == GEOMS_REACHED);
    geoms_glue_state(glue, 0, there);
    memcpy(again, there, sizeof again);
    again[4] = NAN;
    check("another state", geoms_glue_set_state(glue, 0, again) == 0 && geoms_glue_restart(glue) == GEOMS_IDID_BAD_ARGUMENT);
    check("a foreign subdomain", geoms_glue_set_state(glue, 7, there) == GEOMS_IDID_BAD_ARGUMENT);
    check("no change", geoms_glue_restart(glue) == 0 && geoms_glue_state(glue, 0, again) == 0 && fabs(again[10] - there[10]) < 1e-15);
    check("resumed", geoms_glue_resume(glue, "glue-example") == 0 && geoms_glue_time(glue) == t + 0.1);
    geoms_glue_state(glue, 0, again);
    check("the same point", memcmp(there, again, sizeof there) == 0);
    check("nothing to resume", geoms_glue_resume(glue, "no-such-files") == GEOMS_IDID_BAD_ARGUMENT);
    check("files no more", geoms_glue_save_to(glue, NULL, 0) == 0);
    for (int slot = 0; slot < 3; ++slot) {
        char name[64];
        snprintf(name, sizeof name, "glue-example.0.%d", slot);
        remove(name);
    }
    released(glue, models, x);
}

/* Two bodies and one element between them: the momentum is kept. */
static void elements(void)
{
    body bodies[2] = {{2.0, 0.4}, {3.0, 0.7}};
    const double start[2][6] = {{0.1, 0.5, 0.2, 0.0, 0.0, 0.0}, {0.1, 0.3, 0.2, 1.0, 0.0, 0.0}};
    const double k[2] = {40.0, 40.0}, c[2] = {0.1, 0.1}, rest[2] = {-1.0, 0.0};
    const int turning[1] = {2};
    for (int kind = 0; kind < 5; ++kind) {
        geoms_solver *models[2];
        geoms_glue *glue = geoms_glue_create();
        double x[2][6];
        memcpy(x, start, sizeof x);
        if (kind == 1 || kind == 2) {
            /* The distance and the slot allow this motion. */
            x[1][1] = kind == 2 ? 0.7 : 0.3;
        }
        for (int i = 0; i < 2; ++i) {
            models[i] = body_create(&bodies[i]);
            geoms_glue_add(glue, 0, models[i], x[i]);
            geoms_glue_port_frame(glue, i, 0, 1, 2, 0.0, 0.0);
            geoms_glue_port_coordinates(glue, i, 1, turning);
        }
        int joint = -1;
        switch (kind) {
        case 0: joint = geoms_glue_bushing(glue, 0, 0, 1, 0, 2, k, c, rest); break;
        case 1: joint = geoms_glue_distance(glue, 0, 0, 1, 0, 2, 1.0); break;
        case 2: joint = geoms_glue_prismatic(glue, 0, 0, 1, 0, 0.0, 0.0, 0.0); break;
        case 3: joint = geoms_glue_spring(glue, 0, 0, 1, 0, 2, 40.0, 0.1, 1.0); break;
        default: joint = geoms_glue_bushing(glue, 0, 1, 1, 1, 1, k, c, NULL); break;
        }
        check("element", joint == 0);
        check("start", geoms_glue_start(glue, 0.0, 1e-3) == 0);
        check("integrate", geoms_glue_integrate(glue, 1.0) == GEOMS_REACHED);
        double momentum[2] = {0.0, 0.0}, before[2] = {0.0, 0.0};
        for (int i = 0; i < 2; ++i) {
            double now[6];
            geoms_glue_state(glue, i, now);
            for (int j = 0; j < 2; ++j) {
                momentum[j] += bodies[i].mass * now[j];
                before[j] += bodies[i].mass * x[i][j];
            }
        }
        check("momentum", fabs(momentum[0] - before[0]) + fabs(momentum[1] - before[1]) < 1e-8);
        geoms_glue_free(glue);
        geoms_free(models[0]);
        geoms_free(models[1]);
    }
}

static void refusals(void)
{
    rods first, second;
    geoms_solver *models[2];
    double *x[2], ends[2];
    geoms_error e;
    geoms_glue *glue = chain(&first, &second, models, x, ends, 0);
    check("nothing has gone wrong", geoms_glue_last_error(glue, &e) == 0);
    check("no such option", geoms_glue_set_real(glue, "radios", 0.5) == GEOMS_IDID_BAD_ARGUMENT);
    check("named", geoms_glue_last_error(glue, &e) == GEOMS_IDID_BAD_ARGUMENT && strstr(e.detail, "radios") != NULL);
    check("radius", geoms_glue_set_real(glue, "radius", 1.5) == GEOMS_IDID_BAD_ARGUMENT);
    check("topology", geoms_glue_set_int(glue, "topology", 7) == GEOMS_IDID_BAD_ARGUMENT);
    check("subdomain", geoms_glue_port_frame(glue, 9, 0, 1, 2, 0.0, 0.0) == GEOMS_IDID_BAD_ARGUMENT);
    check("index", geoms_glue_port_frame(glue, 0, 0, 1, 99, 0.0, 0.0) == GEOMS_IDID_BAD_ARGUMENT);
    check("port", geoms_glue_coincide(glue, 0, 5, 1, 0, 2, NULL) == GEOMS_IDID_BAD_ARGUMENT);
    check("one subdomain", geoms_glue_coincide(glue, 0, 0, 0, 0, 2, NULL) == GEOMS_IDID_BAD_ARGUMENT);
    check("no values", geoms_glue_add(glue, 0, models[0], NULL) == GEOMS_IDID_BAD_ARGUMENT);
    check("step size", geoms_glue_start(glue, 0.0, -1.0) == GEOMS_IDID_BAD_ARGUMENT);
    check("rank", geoms_glue_set_transport(glue, 2, 2, NULL, NULL, NULL, NULL) == GEOMS_IDID_BAD_ARGUMENT);
    check("no functions", geoms_glue_set_transport(glue, 0, 2, NULL, NULL, NULL, NULL) == GEOMS_IDID_BAD_ARGUMENT);
    check("alone", geoms_glue_set_transport(glue, 0, 1, NULL, NULL, NULL, NULL) == 0);
    check("null", geoms_glue_start(NULL, 0.0, 1.0) == GEOMS_IDID_BAD_ARGUMENT);
    check("still good", geoms_glue_start(glue, 0.0, 0.005) == 0 && geoms_glue_integrate(glue, 0.1) == 0);
    check("backwards", geoms_glue_integrate(glue, 0.05) == GEOMS_IDID_TEND_BEFORE_T);
    check("joint", geoms_glue_force(glue, 3, 2, ends) == GEOMS_IDID_BAD_ARGUMENT);
    released(glue, models, x);
    geoms_glue_free(NULL);
}

int main(void)
{
    chains();
    in_space();
    events_and_files();
    elements();
    refusals();
    return failures != 0;
}
