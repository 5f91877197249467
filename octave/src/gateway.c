/* The gateway: its commands are the functions of the interpreter's side (the files .m).
 *
 *   'version'                           version of the library
 *   'options', 'methods', 'problems'    the tables
 *   'problem', NAME, TEND               what is known of a problem of the library; [] if there is none
 *   'run', MODEL, SETTINGS              a run
 *   'rows', MODEL, T, X                 RDA at the columns of X
 *   'check', MODEL, SETTINGS, T, X      findings about the model
 *   'consistent', MODEL, SETTINGS, T, X a consistent point nearby
 */

#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A table as an array of structures; `text` gives the entries. */
static mxArray *table(const char *(*text)(int64_t, const char *), int count, const char *const *fields)
{
    mwSize rows = 0, k;
    int i;
    mxArray *result;
    while (text((int64_t)rows, fields[0]))
        rows++;
    result = mxCreateStructMatrix(rows, 1, count, (const char **)fields);
    for (k = 0; k < rows; k++)
        for (i = 0; i < count; i++)
            mxSetFieldByNumber(result, k, i, mxCreateString(text((int64_t)k, fields[i])));
    return result;
}

static mxArray *options(void)
{
    static const char *const fields[] = {"name", "kind", "slot", "range", "default", "meaning"};
    return table(geoms_option_text, 6, fields);
}

/* Name and number, and as cells what each method does of the features. */
static mxArray *methods(void)
{
    static const char *const fields[] = {"keyword", "name", "number"};
    mxArray *result = table(geoms_method_text, 3, fields);
    mwSize count = 0, k, i;
    while (geoms_feature_name((int64_t)count))
        count++;
    mxAddField(result, "features");
    for (k = 0; k < (mwSize)mxGetNumberOfElements(result); k++) {
        mxArray *cell = mxCreateCellMatrix(count, 2);
        for (i = 0; i < count; i++) {
            const char *name = geoms_feature_name((int64_t)i);
            mxSetCell(cell, i, mxCreateString(name));
            mxSetCell(cell, count + i, mxCreateString(geoms_method_text((int64_t)k, name)));
        }
        mxSetField(result, k, "features", cell);
    }
    return result;
}

/* What is done with a model outside of a run. */
typedef struct Task {
    Model model;
    const char *command;
    const mxArray *settings;
    double t;
    const double *times, *x;
    size_t columns;
    int code;
    double *numbers; /* what comes out: M by columns, or N */
    size_t rows;
    char *findings;  /* one behind the other, each terminated */
    size_t length;
    mxArray *result;
} Task;

static int take_finding(int level, const char *text, void *user)
{
    Task *task = (Task *)((char *)user - offsetof(Task, model));
    size_t length = strlen(text) + 1;
    char *findings = realloc(task->findings, task->length + length);
    (void)level;
    if (findings) {
        memcpy(findings + task->length, text, length);
        task->findings = findings;
        task->length += length;
    }
    return 0;
}

static void perform(Task *task)
{
    Model *model = &task->model;
    size_t k;
    int rows = !strcmp(task->command, "rows");
    task->rows = rows ? model->m : model->n;
    task->numbers = malloc((task->rows * task->columns + 1) * sizeof *task->numbers);
    if (!task->numbers) {
        task->code = GEOMS_IDID_OUT_OF_MEMORY;
        return;
    }
    if (rows) {
        for (k = 0; k < task->columns && !model->thrown && !model->complaint[0]; k++) {
            int status = call_eom(task->times[k], task->x + k * model->n, task->numbers + k * model->m, model);
            size_t i;
            for (i = 0; status && i < model->m; i++)
                task->numbers[k * model->m + i] = mxGetNaN();
        }
        return;
    }
    task->code = set_options(model, task->settings);
    if (task->code)
        return;
    if (!strcmp(task->command, "consistent")) {
        memcpy(task->numbers, task->x, model->n * sizeof *task->numbers);
        task->code = geoms_make_consistent(model->solver, task->t, task->numbers);
        return;
    }
    task->code = geoms_check_model(model->solver, task->t, task->x, take_finding);
    if (task->code >= 0 && (model->jac.handle || model->jac.compiled))
        task->code = geoms_check_jacobian(model->solver, task->t, task->x, take_finding);
    if (task->code >= 0 && model->dims.nl + model->dims.nm > 0)
        task->code = geoms_rank_report(model->solver, task->t, task->x, NULL, take_finding);
}

static void collect(void *argument)
{
    Task *task = argument;
    mxArray *result = mxCreateStructMatrix(1, 1, 0, NULL), *error = mxCreateStructMatrix(1, 1, 0, NULL), *cell;
    size_t count = 0, k, at = 0;
    set_error(error, &task->model, task->code);
    mxAddField(result, "error");
    mxSetField(result, 0, "error", error);
    set_number(result, "idid", task->code < 0 ? task->code : 0);
    set_numbers(result, "numbers", task->rows, task->columns, task->numbers);
    for (k = 0; k < task->length; k++)
        count += task->findings[k] == 0;
    cell = mxCreateCellMatrix(count, count ? 1 : 0);
    for (k = 0; k < count; k++) {
        mxSetCell(cell, (mwIndex)k, mxCreateString(task->findings + at));
        at += strlen(task->findings + at) + 1;
    }
    mxAddField(result, "findings");
    mxSetField(result, 0, "findings", cell);
    task->result = result;
}

static mxArray *perform_task(const char *command, int nrhs, const mxArray **prhs)
{
    Task *task = calloc(1, sizeof *task);
    char complaint[sizeof task->model.complaint];
    mxArray *result;
    int refused, thrown;
    if (!task)
        mexErrMsgIdAndTxt("geoms:E1004", "geoms: no memory");
    task->command = command;
    refused = model_open(&task->model, prhs[1]);
    if (!refused) {
        task->settings = prhs[2];
        task->times = mxGetPr(prhs[nrhs - 2]);
        task->t = task->times ? task->times[0] : 0;
        task->x = mxGetPr(prhs[nrhs - 1]);
        task->columns = mxGetN(prhs[nrhs - 1]);
        perform(task);
        task->model.thrown |= !task->model.thrown && interpreter_guard(collect, task);
    }
    result = task->result;
    thrown = task->model.thrown;
    memcpy(complaint, task->model.complaint, sizeof complaint);
    model_close(&task->model);
    free(task->numbers);
    free(task->findings);
    free(task);
    if (thrown) {
        interpreter_throw();
        mexErrMsgIdAndTxt("geoms:interrupted", "geoms: interrupted");
    }
    if (refused)
        mexErrMsgIdAndTxt("geoms:badArgument", "geoms: %s", complaint);
    return result;
}

void mexFunction(int nlhs, mxArray **plhs, int nrhs, const mxArray **prhs)
{
    char command[32] = "", name[256] = "";
    (void)nlhs;
    mexAtExit(library_close_all);
    if (nrhs < 1 || !mxIsChar(prhs[0]) || mxGetString(prhs[0], command, sizeof command))
        mexErrMsgIdAndTxt("geoms:badArgument", "geoms: a command is needed");
    if (!strcmp(command, "version"))
        plhs[0] = mxCreateString(geoms_version());
    else if (!strcmp(command, "options"))
        plhs[0] = options();
    else if (!strcmp(command, "methods"))
        plhs[0] = methods();
    else if (!strcmp(command, "problems"))
        plhs[0] = problem_names();
    else if (!strcmp(command, "problem") && nrhs == 3 && !mxGetString(prhs[1], name, sizeof name))
        plhs[0] = problem_description(name, mxGetScalar(prhs[2]));
    else if (!strcmp(command, "run") && nrhs == 3)
        plhs[0] = run(prhs[1], prhs[2]);
    else if ((!strcmp(command, "rows") && nrhs == 4) || ((!strcmp(command, "check") || !strcmp(command, "consistent")) && nrhs == 5))
        plhs[0] = perform_task(command, nrhs, prhs);
    else
        mexErrMsgIdAndTxt("geoms:badArgument", "geoms: %s: no such command", command);
}
