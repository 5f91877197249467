// Octave: errors and interrupts are C++ exceptions, which must not pass through the solver. They are caught where the function of the
// user returns, kept, and thrown again, as they were, after the run has been cleared away.

#include "interpreter.h"

#include <exception>
#include <octave/quit.h>

namespace {

// One is enough: a run inside a function of another one throws its own before that goes on.
std::exception_ptr kept;

template <class Body> int guarded(Body body)
{
    try {
        body();
        return 0;
    } catch (...) {
        kept = std::current_exception();
        return 1;
    }
}

} // namespace

extern "C" int interpreter_call(int nlhs, mxArray **plhs, int nrhs, mxArray **prhs)
{
    return guarded([&] { mexCallMATLAB(nlhs, plhs, nrhs, prhs, "feval"); });
}

extern "C" int interpreter_guard(void (*body)(void *), void *argument)
{
    return guarded([&] { body(argument); });
}

extern "C" int interpreter_interrupted(void)
{
    return guarded([] { octave_quit(); });
}

extern "C" void interpreter_throw(void)
{
    if (kept) {
        std::exception_ptr now;
        now.swap(kept);
        std::rethrow_exception(now);
    }
}
