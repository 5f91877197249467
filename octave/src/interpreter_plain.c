/* Any interpreter with the C interface of MEX files: errors of functions come back as a value. */

#include "interpreter.h"

#include <stddef.h>

/* An MException; in Octave a structure. */
static mxArray *kept = NULL;

#ifdef GEOMS_MATLAB
/* Of libut; not in a header of MATLAB, but what its users have for this. */
extern bool utIsInterruptPending(void);
extern void utSetInterruptPending(bool);
#endif

int interpreter_call(int nlhs, mxArray **plhs, int nrhs, mxArray **prhs)
{
    kept = mexCallMATLABWithTrap(nlhs, plhs, nrhs, prhs, "feval");
    return kept != NULL;
}

int interpreter_guard(void (*body)(void *), void *argument)
{
    body(argument);
    return 0;
}

int interpreter_interrupted(void)
{
#ifdef GEOMS_MATLAB
    if (utIsInterruptPending()) {
        utSetInterruptPending(false);
        kept = NULL;
        return 1;
    }
#endif
    return 0;
}

void interpreter_throw(void)
{
    if (kept) {
        mxArray *now = kept;
        kept = NULL;
        mexCallMATLAB(0, NULL, 1, &now, "rethrow");
    }
}
