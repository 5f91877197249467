/* Shared objects: compiled functions of the user, and the problem library. */

#define _GNU_SOURCE /* dladdr */

#include "gateway.h"
#include "geoms_problems.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Library {
    void *object;
    struct Library *next;
} Library;

static Library *libraries = NULL;

void *library_open(const char *path, char *why, size_t room)
{
    /* Every time anew, so that a recompiled object is found; those still used stay. */
    Library *entry = malloc(sizeof *entry);
    void *object = entry ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!object) {
        const char *text = entry ? dlerror() : "no memory";
        snprintf(why, room, "%s", text ? text : path);
        free(entry);
        return NULL;
    }
    entry->object = object;
    entry->next = libraries;
    libraries = entry;
    return object;
}

void library_close(void *object)
{
    Library **link;
    for (link = &libraries; *link; link = &(*link)->next)
        if ((*link)->object == object) {
            Library *entry = *link;
            *link = entry->next;
            dlclose(entry->object);
            free(entry);
            return;
        }
}

void library_close_all(void)
{
    while (libraries)
        library_close(libraries->object);
}

void (*library_symbol(void *library, const char *name))(void)
{
    /* ISO C has no conversion between pointers to data and to functions; POSIX says that the bits are the same. */
    void (*function)(void) = NULL;
    void *address = dlsym(library, name);
    memcpy(&function, &address, sizeof function);
    return function;
}

/* The problem library lies in the folder of the gateway. */
void *problem_library(char *why, size_t room)
{
    static void *object = NULL;
    char path[4096];
    const char *end;
    Dl_info here;
    if (object)
        return object;
    if (!dladdr(&libraries, &here) || !(end = strrchr(here.dli_fname, '/'))) {
        snprintf(why, room, "the folder of the gateway is not known");
        return NULL;
    }
    snprintf(path, sizeof path, "%.*s/libgeoms_problems.so", (int)(end - here.dli_fname), here.dli_fname);
    object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        snprintf(why, room, "%s", dlerror());
    return object;
}

/* A function of the problem library; ends in an error of the interpreter if it is not there. */
static void (*needed(const char *name))(void)
{
    char why[500];
    void *object = problem_library(why, sizeof why);
    void (*function)(void) = object ? library_symbol(object, name) : NULL;
    if (!object)
        mexErrMsgIdAndTxt("geoms:problemLibrary", "geoms: the problem library is not there: %s", why);
    if (!function)
        mexErrMsgIdAndTxt("geoms:problemLibrary", "geoms: the problem library has no %s: it is of another version", name);
    return function;
}

#define NEEDED(name) ((__typeof__(name) *)needed(#name))

mxArray *problem_names(void)
{
    const char *(*name)(int64_t) = NEEDED(geoms_problem_name);
    mwSize count = 0, k;
    mxArray *cell;
    while (name((int64_t)count))
        count++;
    cell = mxCreateCellMatrix(count, 1);
    for (k = 0; k < count; k++)
        mxSetCell(cell, k, mxCreateString(name((int64_t)k)));
    return cell;
}

mxArray *problem_description(const char *name, double tend)
{
    static const char *const fields[] = {"dims", "t0",        "tend",          "x0",     "solution",
                                         "MASSTRCT", "DECOMPC", "rank_deficient", "source", "invariants"};
    void *problem = NEEDED(geoms_problem_create)(name, 0, 1, 1);
    mxArray *result = mxCreateStructMatrix(1, 1, sizeof fields / sizeof *fields, (const char **)fields);
    geoms_dimensions d;
    double (*number)(const void *, const char *) = NEEDED(geoms_problem_number);
    if (!problem) {
        mxDestroyArray(result);
        return mxCreateDoubleMatrix(0, 0, mxREAL);
    }
    NEEDED(geoms_problem_dimensions)(problem, &d);
    {
        size_t n = (size_t)(d.np + d.nv + d.nr + d.nw + d.ns + d.nl + d.nm);
        mxArray *dims = mxCreateDoubleMatrix(1, 8, mxREAL), *x0 = mxCreateDoubleMatrix(n, 1, mxREAL);
        mxArray *solution = mxCreateDoubleMatrix(n, 1, mxREAL);
        double *to = mxGetPr(dims);
        if (tend != tend)
            tend = number(problem, "tend");
        to[0] = (double)d.np, to[1] = (double)d.nv, to[2] = (double)d.nr, to[3] = (double)d.nw;
        to[4] = (double)d.ns, to[5] = (double)d.nl, to[6] = (double)d.nm, to[7] = 0;
        NEEDED(geoms_problem_initial)(problem, mxGetPr(x0));
        NEEDED(geoms_problem_solution)(problem, tend, mxGetPr(solution));
        mxSetField(result, 0, "dims", dims);
        mxSetField(result, 0, "x0", x0);
        mxSetField(result, 0, "solution", solution);
        set_number(result, "invariants", (double)d.ni);
        set_number(result, "t0", number(problem, "t0"));
        set_number(result, "tend", tend);
        set_number(result, "MASSTRCT", number(problem, "masstrct"));
        set_number(result, "DECOMPC", number(problem, "decompc"));
        set_number(result, "rank_deficient", number(problem, "rank_deficient"));
        set_text(result, "source", NEEDED(geoms_problem_source)(problem));
    }
    NEEDED(geoms_problem_free)(problem);
    return result;
}
