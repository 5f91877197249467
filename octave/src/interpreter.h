/* What of the interpreter is not the same in Octave and MATLAB: how errors and Ctrl-C come out of a function that is called, and how
 * they are thrown again. One of interpreter_octave.cpp and interpreter_plain.c is linked. */

#ifndef GEOMS_INTERPRETER_H
#define GEOMS_INTERPRETER_H

#include "mex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Call a function handle, prhs[0], with the other arguments. Returns 0, or 1 after an error or Ctrl-C, which are kept. */
int interpreter_call(int nlhs, mxArray **plhs, int nrhs, mxArray **prhs);

/* Run body(argument), which may call the interpreter. Returns as interpreter_call. */
int interpreter_guard(void (*body)(void *), void *argument);

/* 1 if Ctrl-C was pressed; it is kept. */
int interpreter_interrupted(void);

/* Throw what is kept, if something is; then it does not return. */
void interpreter_throw(void);

#ifdef __cplusplus
}
#endif

#endif
