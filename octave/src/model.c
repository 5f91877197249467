/* A model from the structure that model_description.m makes, and its handle. */

#include "gateway.h"
#include "geoms_problems.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double number_field(const mxArray *structure, const char *name, double otherwise)
{
    const mxArray *value = mxGetField(structure, 0, name);
    return value && mxIsNumeric(value) && mxGetNumberOfElements(value) == 1 ? mxGetScalar(value) : otherwise;
}

const double *numbers_field(const mxArray *structure, const char *name, size_t *count)
{
    const mxArray *value = mxGetField(structure, 0, name);
    int usable = value && mxIsDouble(value) && !mxIsComplex(value) && !mxIsSparse(value);
    *count = usable ? mxGetNumberOfElements(value) : 0;
    return usable && *count ? mxGetPr(value) : NULL;
}

void text_field(const mxArray *structure, const char *name, char *text, size_t room)
{
    const mxArray *value = mxGetField(structure, 0, name);
    text[0] = 0;
    if (value && mxIsChar(value))
        mxGetString(value, text, (mwSize)room);
}

mxArray *handle_field(const mxArray *structure, const char *name)
{
    mxArray *value = mxGetField(structure, 0, name);
    return value && mxIsClass(value, "function_handle") ? value : NULL;
}

static void set_field(mxArray *structure, const char *name, mxArray *value)
{
    if (mxGetFieldNumber(structure, name) < 0)
        mxAddField(structure, name);
    mxSetField(structure, 0, name, value);
}

void set_number(mxArray *structure, const char *name, double value)
{
    set_field(structure, name, mxCreateDoubleScalar(value));
}

void set_numbers(mxArray *structure, const char *name, size_t rows, size_t columns, const double *values)
{
    mxArray *array = mxCreateDoubleMatrix(rows, columns, mxREAL);
    if (rows > 0 && columns > 0)
        memcpy(mxGetPr(array), values, rows * columns * sizeof *values);
    set_field(structure, name, array);
}

void set_text(mxArray *structure, const char *name, const char *text)
{
    set_field(structure, name, mxCreateString(text ? text : ""));
}

static int refuse(Model *model, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(model->complaint, sizeof model->complaint, format, arguments);
    va_end(arguments);
    return -1;
}

/* A copy of numbers; NULL if there are none. */
static int copy_numbers(Model *model, const mxArray *description, const char *name, size_t needed, double **to)
{
    size_t count;
    const double *from = numbers_field(description, name, &count);
    if (!from || (needed && count != needed))
        return 0;
    *to = malloc(count * sizeof **to);
    if (!*to)
        return refuse(model, "no memory for %s", name);
    memcpy(*to, from, count * sizeof **to);
    return 0;
}

/* A function of the model: a handle, or the name of a symbol of the shared object. */
static int take_function(Model *model, const mxArray *description, const char *name, Function *function)
{
    const mxArray *value = mxGetField(description, 0, name);
    char flag[32], symbol[256];
    function->name = name;
    snprintf(flag, sizeof flag, "%s_ierr", name);
    function->ierr = number_field(description, flag, 0) != 0;
    snprintf(flag, sizeof flag, "%s_outputs", name);
    function->outputs = (int)number_field(description, flag, 1);
    function->handle = handle_field(description, name);
    if (value && mxIsChar(value) && model->library) {
        text_field(description, name, symbol, sizeof symbol);
        function->compiled = library_symbol(model->library, symbol);
        if (!function->compiled)
            return refuse(model, "%s: the shared object has no symbol %s", name, symbol);
    }
    return 0;
}

/* The functions of a problem of the library. */
static int take_problem(Model *model, const char *name, int jacobian, int invariants)
{
    char why[400];
    void *library = problem_library(why, sizeof why);
    __typeof__(geoms_problem_create) *create;
    if (!library)
        return refuse(model, "the problem library is not there: %s", why);
    create = (__typeof__(create))library_symbol(library, "geoms_problem_create");
    model->problem_free = (void (*)(void *))library_symbol(library, "geoms_problem_free");
    if (!create || !model->problem_free)
        return refuse(model, "the problem library is of another version");
    model->problem = create(name, model->form, jacobian, invariants);
    if (!model->problem)
        return refuse(model, "there is no problem %s: geoms_problem lists them", name);
    model->user = model->problem;
    model->eom.compiled = library_symbol(library, "geoms_problem_eom");
    model->mas.compiled = library_symbol(library, "geoms_problem_mass");
    if (jacobian)
        model->jac.compiled = library_symbol(library, "geoms_problem_jacobian");
    return 0;
}

/* Rows and columns of FX1 to FX6, as in docs/reference.md. */
static void shape(Model *model)
{
    const geoms_dimensions *d = &model->dims;
    size_t first = model->form == GEOMS_FORM_INDEX1 ? 0 : (size_t)(d->nl + d->nm);
    size_t vsp = (size_t)(d->nv + d->ns + d->np), sp = (size_t)(d->ns + d->np);
    size_t rows[6], columns[6];
    rows[0] = (size_t)d->nw + first, columns[0] = model->n;
    rows[1] = (size_t)(d->nl + d->nm + d->ni), columns[1] = vsp;
    rows[2] = (size_t)(d->ns + d->nl), columns[2] = sp;
    rows[3] = (size_t)d->nr, columns[3] = model->n;
    rows[4] = (size_t)d->nv, columns[4] = model->n;
    rows[5] = (size_t)d->np, columns[5] = vsp;
    memcpy(model->fx_rows, rows, sizeof rows);
    memcpy(model->fx_columns, columns, sizeof columns);
}

static int install(Model *model)
{
    geoms_solver *solver = model->solver;
    int code = geoms_set_user(solver, model);
    if (!code)
        code = geoms_set_eom(solver, call_eom);
    if (!code)
        code = geoms_set_mass(solver, call_mas);
    if (!code && (model->jac.handle || model->jac.compiled))
        code = geoms_set_jacobian(solver, call_jac);
    if (!code && model->parts.compiled)
        code = geoms_set_parts(solver, call_parts);
    if (!code && model->nivcond)
        code = geoms_set_conditions(solver, (int64_t)model->nivcond, call_ivcond);
    return code;
}

int model_open(Model *model, const mxArray *description)
{
    size_t count;
    const double *dims = numbers_field(description, "dims", &count);
    char path[4096], problem[256];
    int code;
    memset(model, 0, sizeof *model);
    if (!dims || count != 8)
        return refuse(model, "dims: 8 numbers are needed");
    model->dims.np = (int64_t)dims[0], model->dims.nv = (int64_t)dims[1], model->dims.nr = (int64_t)dims[2];
    model->dims.nw = (int64_t)dims[3], model->dims.ns = (int64_t)dims[4], model->dims.nl = (int64_t)dims[5];
    model->dims.nm = (int64_t)dims[6], model->dims.ni = (int64_t)dims[7];
    model->form = (int)number_field(description, "form", 0);
    text_field(description, "library", path, sizeof path);
    text_field(description, "problem", problem, sizeof problem);
    if (path[0]) {
        char why[400];
        model->library = library_open(path, why, sizeof why);
        if (!model->library)
            return refuse(model, "library: %s", why);
    }
    if (copy_numbers(model, description, "RPAR", 0, &model->rpar))
        return -1;
    model->user = model->rpar;
    if (take_function(model, description, "EOM", &model->eom) || take_function(model, description, "MAS", &model->mas) ||
        take_function(model, description, "JAC", &model->jac) || take_function(model, description, "PARTS", &model->parts) ||
        take_function(model, description, "IVCOND", &model->ivcond) ||
        take_function(model, description, "Events", &model->events) ||
        copy_numbers(model, description, "MAS", (size_t)(model->dims.nv * model->dims.nv), &model->mas.constant))
        return -1;
    if (problem[0] && take_problem(model, problem, number_field(description, "jacobian", 1) != 0, model->dims.ni > 0))
        return -1;
    if (!model->eom.handle && !model->eom.compiled)
        return refuse(model, "EOM is missing");
    if (!model->mas.handle && !model->mas.compiled && !model->mas.constant)
        return refuse(model, "MAS is missing");
    model->nivcond = (size_t)number_field(description, "NIVCOND", 0);
    model->nevents = (size_t)number_field(description, "nevents", 0);
    model->solver = geoms_create(&model->dims, model->form);
    if (!model->solver)
        return refuse(model, "%s", geoms_error_text(NULL, "detail"));
    model->n = (size_t)geoms_dimension(model->solver);
    model->m = (size_t)geoms_equations(model->solver);
    shape(model);
    code = install(model);
    return code ? refuse(model, "%s", geoms_error_text(model->solver, "report")) : 0;
}

void model_close(Model *model)
{
    geoms_free(model->solver);
    if (model->problem)
        model->problem_free(model->problem);
    free(model->rpar);
    free(model->mas.constant);
    if (model->library)
        library_close(model->library);
    memset(model, 0, sizeof *model);
}
