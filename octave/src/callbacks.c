/* The functions of a model as the handle calls them. */

#include "gateway.h"

#include <stdio.h>
#include <string.h>

/* FX1 to FX6 and IERR. */
#define MOST_OUTPUTS 7

/* Something that a function must not return: the run is stopped, and the text becomes the message of the error. */
static int complain(Model *model, const char *name, const char *what)
{
    if (!model->complaint[0])
        snprintf(model->complaint, sizeof model->complaint, "%s %s", name, what);
    return -1;
}

/* The value as a full real array of doubles; NULL if it is none. What was made for that is to be destroyed. */
static mxArray *as_doubles(Model *model, mxArray *value, mxArray **made)
{
    mxArray *arguments[2], *result = NULL;
    *made = NULL;
    if (mxIsComplex(value) || !(mxIsNumeric(value) || mxIsLogical(value)))
        return NULL;
    if (mxIsDouble(value) && !mxIsSparse(value))
        return value;
    arguments[0] = mxCreateString(mxIsSparse(value) ? "full" : "double");
    arguments[1] = value;
    model->thrown |= interpreter_call(1, &result, 2, arguments);
    mxDestroyArray(arguments[0]);
    *made = model->thrown ? NULL : result;
    return *made;
}

int take_numbers(Model *model, const char *name, const char *what, mxArray *value, size_t rows, size_t columns, double *to)
{
    char text[300];
    mxArray *made, *doubles;
    int status = 0;
    if (!value) {
        snprintf(text, sizeof text, "did not return %s", what);
        return complain(model, name, text);
    }
    doubles = as_doubles(model, value, &made);
    if (!doubles) {
        snprintf(text, sizeof text, "returned %s as %s%s; real numbers are needed%s", what, mxIsComplex(value) ? "complex " : "",
                 mxGetClassName(value),
                 mxIsComplex(value) ? ": is there a root or logarithm of a negative number? NaN there asks for a smaller step" : "");
        return complain(model, name, text);
    }
    {
        size_t m = mxGetM(doubles), n = mxGetN(doubles);
        int fits = columns == 1 ? m * n == rows && (m == 1 || n == 1 || m * n == 0) : m == rows && n == columns;
        if (fits && mxGetNumberOfDimensions(doubles) == 2) {
            memcpy(to, mxGetPr(doubles), rows * columns * sizeof *to);
        } else {
            snprintf(text, sizeof text, "returned %s with %lu by %lu entries; %lu by %lu are needed", what, (unsigned long)m,
                     (unsigned long)n, (unsigned long)rows, (unsigned long)columns);
            status = complain(model, name, text);
        }
    }
    if (made)
        mxDestroyArray(made);
    return status;
}

/* IERR as the handle takes it. */
static int take_ierr(Model *model, const Function *function, mxArray *value)
{
    double ierr = 0;
    if (take_numbers(model, function->name, "IERR", value, 1, 1, &ierr))
        return -1;
    return ierr > 0 ? 1 : ierr < 0 ? -1 : 0;
}

/* Call a function of the interpreter with t and x, for its outputs and IERR if it has that. */
static int evaluate(Model *model, const Function *function, double t, const double *x, mxArray **outputs)
{
    mxArray *arguments[3];
    int k, failed, total = function->outputs + function->ierr;
    if (model->thrown || model->complaint[0])
        return -1;
    model->calls++;
    arguments[0] = function->handle;
    arguments[1] = mxCreateDoubleScalar(t);
    arguments[2] = mxCreateDoubleMatrix(model->n, 1, mxREAL);
    memcpy(mxGetPr(arguments[2]), x, model->n * sizeof *x);
    for (k = 0; k < total; k++)
        outputs[k] = NULL;
    failed = interpreter_call(total, outputs, 3, arguments);
    mxDestroyArray(arguments[1]);
    mxDestroyArray(arguments[2]);
    if (failed) {
        model->thrown = 1;
        return -1;
    }
    return function->ierr ? take_ierr(model, function, outputs[function->outputs]) : 0;
}

static void destroy(mxArray **outputs)
{
    int k;
    for (k = 0; k < MOST_OUTPUTS; k++)
        if (outputs[k])
            mxDestroyArray(outputs[k]);
}

/* What the handle asks a function of the interpreter for. */
typedef struct Request {
    Model *model;
    const Function *function;
    double t;
    const double *x;
    const char *what;       /* one array: its name, */
    size_t rows, columns;   /* its size, */
    double *to;             /* where it goes; */
    double *const *fx;      /* or the blocks of the Jacobian */
    int status;
} Request;

static int one_array(Request *r)
{
    mxArray *outputs[MOST_OUTPUTS] = {NULL};
    int status = evaluate(r->model, r->function, r->t, r->x, outputs);
    if (status == 0)
        status = take_numbers(r->model, r->function->name, r->what, outputs[0], r->rows, r->columns, r->to);
    destroy(outputs);
    return status;
}

/* FX1 to FX6: six outputs, or one cell array of six. An empty one stands for zeros. */
static int blocks(Request *r)
{
    static const char *const names[] = {"FX1", "FX2", "FX3", "FX4", "FX5", "FX6"};
    Model *model = r->model;
    mxArray *outputs[MOST_OUTPUTS] = {NULL};
    int k, cell = r->function->outputs == 1, status = evaluate(model, r->function, r->t, r->x, outputs);
    if (status == 0 && cell && !(outputs[0] && mxIsCell(outputs[0]) && mxGetNumberOfElements(outputs[0]) == 6))
        status = complain(model, "JAC", "has one output, which must be a cell array {FX1, FX2, FX3, FX4, FX5, FX6}");
    for (k = 0; status == 0 && k < 6; k++) {
        mxArray *block = cell ? mxGetCell(outputs[0], (mwIndex)k) : outputs[k];
        if (block && mxGetNumberOfElements(block) > 0)
            status = take_numbers(model, "JAC", names[k], block, model->fx_rows[k], model->fx_columns[k], r->fx[k]);
    }
    destroy(outputs);
    return status;
}

static void answer(void *request)
{
    Request *r = request;
    r->status = r->fx ? blocks(r) : one_array(r);
}

/* No exception of the interpreter leaves this: memory may be short, too. */
static int ask(Request r)
{
    if (r.function->constant) {
        memcpy(r.to, r.function->constant, r.rows * r.columns * sizeof *r.to);
        return 0;
    }
    if (interpreter_guard(answer, &r)) {
        r.model->thrown = 1;
        return -1;
    }
    return r.status;
}

static int ask_array(Model *model, const Function *function, double t, const double *x, const char *what, size_t rows, size_t columns,
                     double *to)
{
    Request r = {model, function, t, x, what, rows, columns, to, NULL, 0};
    return ask(r);
}

int call_eom(double t, const double *x, double *rda, void *user)
{
    Model *model = user;
    if (model->eom.compiled)
        return ((geoms_eom_fn)model->eom.compiled)(t, x, rda, model->user);
    return ask_array(model, &model->eom, t, x, "RDA", model->m, 1, rda);
}

int call_mas(double t, const double *x, double *mass, void *user)
{
    Model *model = user;
    size_t nv = (size_t)model->dims.nv;
    if (model->mas.compiled)
        return ((geoms_mass_fn)model->mas.compiled)(t, x, mass, model->user);
    return ask_array(model, &model->mas, t, x, "MA", nv, nv, mass);
}

int call_jac(double t, const double *x, double *const *fx, void *user)
{
    Model *model = user;
    Request r = {model, &model->jac, t, x, NULL, 0, 0, NULL, fx, 0};
    if (model->jac.compiled)
        return ((geoms_jacobian_fn)model->jac.compiled)(t, x, fx, model->user);
    return ask(r);
}

int call_parts(double t, const double *x, double *force, double *mass, double *c, double *gamma, double *velocity,
               double *position, void *user)
{
    Model *model = user;
    return ((geoms_parts_fn)model->parts.compiled)(t, x, force, mass, c, gamma, velocity, position, model->user);
}

int call_ivcond(double t, const double *x, double *cond, void *user)
{
    Model *model = user;
    if (model->ivcond.compiled)
        return ((geoms_conditions_fn)model->ivcond.compiled)(t, x, cond, model->user);
    return ask_array(model, &model->ivcond, t, x, "COND", model->nivcond, 1, cond);
}

int call_events(double t, const double *x, double *value, void *user)
{
    Model *model = user;
    return ask_array(model, &model->events, t, x, "VALUE", model->nevents, 1, value);
}
