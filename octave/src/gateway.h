/* The gateway between the interpreter and the handle of geoms.h: one call is one run, whose handle does not outlive it. */

#ifndef GEOMS_GATEWAY_H
#define GEOMS_GATEWAY_H

#include "geoms.h"
#include "interpreter.h"

#include <stddef.h>

/* A function of the model: of the interpreter, compiled, constant, or none. */
typedef struct Function {
    const char *name;        /* as the report has it */
    mxArray *handle;         /* of the interpreter, or NULL */
    int ierr;                /* 1: its last output is IERR */
    int outputs;             /* how many it is asked for, without IERR; one of JAC is a cell array */
    void (*compiled)(void);  /* address, or NULL */
    double *constant;        /* numbers that it always returns, or NULL */
} Function;

/* A model: where its functions are, and what they belong to. */
typedef struct Model {
    geoms_dimensions dims;
    int form;
    Function eom, mas, jac, parts, ivcond, events;
    size_t n, m, nivcond, nevents;
    size_t fx_rows[6], fx_columns[6];
    void *library;                       /* of compiled functions, or NULL */
    double *rpar;                        /* their parameters, or NULL */
    void *problem;                       /* of the problem library, or NULL */
    void (*problem_free)(void *);
    void *user;                          /* what compiled functions get: one of the two */
    geoms_solver *solver;
    int thrown;                          /* an error of the interpreter is kept: nothing is called any more */
    char complaint[600];                 /* what a function returned that it must not */
    unsigned long long calls;            /* of functions of the interpreter */
} Model;

/* model.c: a model with its handle, from the structure that model_description.m makes. Returns 0, or -1 and what is wrong in the
 * complaint. The model has to be closed whatever happens. */
int model_open(Model *model, const mxArray *description);
void model_close(Model *model);

/* Fields of structures. */
double number_field(const mxArray *structure, const char *name, double otherwise);
const double *numbers_field(const mxArray *structure, const char *name, size_t *count);
void text_field(const mxArray *structure, const char *name, char *text, size_t room);
mxArray *handle_field(const mxArray *structure, const char *name);
void set_number(mxArray *structure, const char *name, double value);
void set_numbers(mxArray *structure, const char *name, size_t rows, size_t columns, const double *values);
void set_text(mxArray *structure, const char *name, const char *text);

/* callbacks.c: the functions that the handle calls; the model is their user pointer. */
int call_eom(double t, const double *x, double *rda, void *user);
int call_mas(double t, const double *x, double *mass, void *user);
int call_jac(double t, const double *x, double *const *fx, void *user);
int call_parts(double t, const double *x, double *force, double *mass, double *c, double *gamma, double *velocity,
               double *position, void *user);
int call_ivcond(double t, const double *x, double *cond, void *user);
int call_events(double t, const double *x, double *value, void *user);
/* Real numbers of a value that a function returned, rows by columns; a vector may lie. 0, or -1 and a complaint. */
int take_numbers(Model *model, const char *name, const char *what, mxArray *value, size_t rows, size_t columns, double *to);

/* library.c: shared objects, which are closed with their run, or with the gateway. */
void *library_open(const char *path, char *why, size_t room);
void library_close(void *library);
void (*library_symbol(void *library, const char *name))(void);
void library_close_all(void);
/* The problem library beside the gateway; NULL and why if it is not there. */
void *problem_library(char *why, size_t room);
mxArray *problem_names(void);
/* With its end, and what is known there, at tend; NaN: where the problem ends. */
mxArray *problem_description(const char *name, double tend);

/* run.c */
mxArray *run(const mxArray *description, const mxArray *settings);
/* Options and tolerances of `settings` into the handle; the first code that is not 0. */
int set_options(Model *model, const mxArray *settings);
/* An error of the handle, or a complaint about a function, into a structure. */
void set_error(mxArray *structure, Model *model, int code);

#endif
