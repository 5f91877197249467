/* The problem library for programs in other languages: libgeoms_problems.so, made by `make problems`. What the functions do is said in
 * problems/src/exported.rs. */

#ifndef GEOMS_PROBLEMS_H
#define GEOMS_PROBLEMS_H

#include "geoms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Name of problem number k, from 0; null behind the last one. */
const char *geoms_problem_name(int64_t k);

/* A problem by its name; null if there is none. */
void *geoms_problem_create(const char *name, int form, int jacobian, int invariants);
void geoms_problem_free(void *problem);

int geoms_problem_dimensions(void *problem, geoms_dimensions *out);
const char *geoms_problem_source(const void *problem);
/* "t0", "tend", "masstrct", "decompc", "rank_deficient" */
double geoms_problem_number(const void *problem, const char *what);
int geoms_problem_initial(void *problem, double *x);
/* What is known at time t, NaN for the rest; returns how many numbers are known. */
int geoms_problem_solution(void *problem, double t, double *x);

/* Callbacks of a handle whose user pointer is the problem. */
int geoms_problem_eom(double t, const double *x, double *rda, void *user);
int geoms_problem_mass(double t, const double *x, double *mass, void *user);
int geoms_problem_jacobian(double t, const double *x, double *const *fx, void *user);

#ifdef __cplusplus
}
#endif

#endif
