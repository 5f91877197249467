/* The part of the documented C interface of MEX files in MATLAB that the gateway may use, declared from its documentation: the gateway is
 * compiled against it (never linked), so that nothing of Octave's own mex.h slips in. MATLAB itself has not been tried. */

#ifndef MEX_DOCUMENTED_H
#define MEX_DOCUMENTED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct mxArray_tag mxArray;
typedef size_t mwSize;
typedef size_t mwIndex;
typedef enum { mxREAL, mxCOMPLEX } mxComplexity;

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[]);
int mexAtExit(void (*exit_function)(void));
int mexCallMATLAB(int nlhs, mxArray *plhs[], int nrhs, mxArray *prhs[], const char *name);
mxArray *mexCallMATLABWithTrap(int nlhs, mxArray *plhs[], int nrhs, mxArray *prhs[], const char *name);
void mexErrMsgIdAndTxt(const char *identifier, const char *format, ...);
int mexPrintf(const char *format, ...);

int mxAddField(mxArray *pm, const char *name);
mxArray *mxCreateCellMatrix(mwSize m, mwSize n);
mxArray *mxCreateDoubleMatrix(mwSize m, mwSize n, mxComplexity kind);
mxArray *mxCreateDoubleScalar(double value);
mxArray *mxCreateString(const char *text);
mxArray *mxCreateStructMatrix(mwSize m, mwSize n, int count, const char **names);
void mxDestroyArray(mxArray *pm);
mxArray *mxGetCell(const mxArray *pm, mwIndex index);
const char *mxGetClassName(const mxArray *pm);
mxArray *mxGetField(const mxArray *pm, mwIndex index, const char *name);
int mxGetFieldNumber(const mxArray *pm, const char *name);
size_t mxGetM(const mxArray *pm);
size_t mxGetN(const mxArray *pm);
double mxGetNaN(void);
mwSize mxGetNumberOfDimensions(const mxArray *pm);
size_t mxGetNumberOfElements(const mxArray *pm);
double *mxGetPr(const mxArray *pm);
double mxGetScalar(const mxArray *pm);
int mxGetString(const mxArray *pm, char *text, mwSize length);
bool mxIsCell(const mxArray *pm);
bool mxIsChar(const mxArray *pm);
bool mxIsClass(const mxArray *pm, const char *name);
bool mxIsComplex(const mxArray *pm);
bool mxIsDouble(const mxArray *pm);
bool mxIsLogical(const mxArray *pm);
bool mxIsNumeric(const mxArray *pm);
bool mxIsSparse(const mxArray *pm);
bool mxIsStruct(const mxArray *pm);
void mxSetCell(mxArray *pm, mwIndex index, mxArray *value);
void mxSetField(mxArray *pm, mwIndex index, const char *name, mxArray *value);
void mxSetFieldByNumber(mxArray *pm, mwIndex index, int number, mxArray *value);

#endif
