/* One run: settings into the handle, steps, and what is kept of them. */

#include "gateway.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Numbers that grow, `width` for each entry. */
typedef struct List {
    size_t count, room, width;
    double *values;
} List;

typedef struct Texts {
    size_t count;
    char **texts;
} Texts;

typedef struct Run {
    Model model;
    const mxArray *settings;
    mxArray *output;                  /* OutputFcn, or NULL */
    size_t refine, next;              /* points per step; the next of the wanted times */
    const double *times;              /* wanted times, or NULL: every step */
    size_t times_count;
    int keep_polynomials, log_level, no_memory, stopped;
    List t, x, te, xe, ie;
    List ends, degree, samples;       /* of the steps, for dense output */
    Texts warnings;
    int code;                         /* of the last call of the handle */
    mxArray *result;
} Run;

/* Room for one more entry; NULL without memory. */
static double *more(Run *run, List *list)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        double *values = realloc(list->values, room * list->width * sizeof *values);
        if (!values) {
            run->no_memory = 1;
            return NULL;
        }
        list->values = values;
        list->room = room;
    }
    return list->values + list->width * list->count++;
}

static void add(Run *run, List *list, double value)
{
    double *to = more(run, list);
    if (to)
        *to = value;
}

/* The solution at a time of the last step, at the end of the list. */
static void add_solution(Run *run, List *list, double t)
{
    geoms_solver *solver = run->model.solver;
    double *to = more(run, list);
    if (to && (t == geoms_time(solver) ? geoms_state(solver, to) : geoms_dense(solver, t, to)))
        run->no_memory = 1; /* within the step there is no other reason */
}

static void add_point(Run *run, double t)
{
    add(run, &run->t, t);
    add_solution(run, &run->x, t);
}

/* Messages of the handle: warnings are kept, what the user wants to see is printed. */
typedef struct Message {
    const char *text;
} Message;

static void print(void *message)
{
    mexPrintf("geoms: %s\n", ((Message *)message)->text);
}

static int take_message(int level, const char *text, void *user)
{
    Run *run = (Run *)((char *)user - offsetof(Run, model));
    Message message = {text};
    if (level == GEOMS_LOG_WARNING) {
        char **texts = realloc(run->warnings.texts, (run->warnings.count + 1) * sizeof *texts);
        if (texts) {
            size_t length = strlen(text) + 1;
            run->warnings.texts = texts;
            texts[run->warnings.count] = malloc(length);
            if (texts[run->warnings.count])
                memcpy(texts[run->warnings.count++], text, length);
        }
    }
    if (level <= run->log_level && level != GEOMS_LOG_ERROR && level != GEOMS_LOG_WARNING && interpreter_guard(print, &message)) {
        run->model.thrown = 1;
        return -1;
    }
    return 0;
}

int set_options(Model *model, const mxArray *settings)
{
    size_t count, kinds, rtols, atols, k;
    const double *values = numbers_field(settings, "values", &count), *integer = numbers_field(settings, "integer", &kinds);
    const double *rtol = numbers_field(settings, "rtol", &rtols), *atol = numbers_field(settings, "atol", &atols);
    const mxArray *names = mxGetField(settings, 0, "names");
    int code = names && mxGetNumberOfElements(names) == count && kinds == count && rtol && atol ? 0 : GEOMS_IDID_INTERNAL;
    for (k = 0; !code && k < count; k++) {
        char name[64] = "";
        mxGetString(mxGetCell(names, (mwIndex)k), name, sizeof name);
        code = integer[k] ? geoms_set_int(model->solver, name, (int64_t)values[k]) : geoms_set_real(model->solver, name, values[k]);
    }
    if (code)
        return code;
    if (rtols == 1 && atols == 1)
        return geoms_set_tolerance(model->solver, *rtol, *atol);
    {
        double *both = malloc(2 * model->n * sizeof *both);
        if (!both)
            return GEOMS_IDID_OUT_OF_MEMORY;
        for (k = 0; k < model->n; k++) {
            both[k] = rtol[rtols == 1 ? 0 : k];
            both[model->n + k] = atol[atols == 1 ? 0 : k];
        }
        code = geoms_set_tolerances(model->solver, both, both + model->n);
        free(both);
    }
    return code;
}

/* Events with their rules. */
static int watch(Run *run)
{
    size_t n = run->model.nevents, directions, terminals, k;
    const double *direction = numbers_field(run->settings, "direction", &directions);
    const double *terminal = numbers_field(run->settings, "terminal", &terminals);
    int code, *rules = n ? malloc(2 * n * sizeof *rules) : NULL;
    if (!n)
        return 0;
    if (!rules)
        return GEOMS_IDID_OUT_OF_MEMORY;
    for (k = 0; k < n; k++) {
        rules[k] = direction && k < directions ? (int)direction[k] : 0;
        rules[n + k] = terminal && k < terminals ? terminal[k] != 0 : 0;
    }
    code = geoms_set_events(run->model.solver, (int64_t)n, call_events, rules, rules + n,
                            number_field(run->settings, "event_tolerance", 0));
    free(rules);
    return code;
}

/* Tell OutputFcn: of the beginning ("init"), of new points (""), of the end ("done"). */
typedef struct Tell {
    Run *run;
    const char *flag;
    size_t from, count;
    int failed;
} Tell;

static void tell_now(void *request)
{
    Tell *tell = request;
    Run *run = tell->run;
    size_t selected, k, i;
    const double *select = numbers_field(run->settings, "outputsel", &selected);
    size_t rows = select ? selected : run->model.n;
    mxArray *arguments[4], *status = NULL;
    int init = !strcmp(tell->flag, "init"), asks = !tell->flag[0];
    arguments[0] = run->output;
    if (init) {
        double ends[2];
        ends[0] = number_field(run->settings, "t0", 0);
        ends[1] = number_field(run->settings, "tend", 0);
        arguments[1] = mxCreateDoubleMatrix(2, 1, mxREAL);
        memcpy(mxGetPr(arguments[1]), ends, sizeof ends);
    } else {
        arguments[1] = mxCreateDoubleMatrix(tell->count ? 1 : 0, tell->count, mxREAL);
        for (k = 0; k < tell->count; k++)
            mxGetPr(arguments[1])[k] = run->t.values[tell->from + k];
    }
    arguments[2] = mxCreateDoubleMatrix(tell->count ? rows : 0, tell->count, mxREAL);
    for (k = 0; k < tell->count; k++)
        for (i = 0; i < rows; i++) {
            size_t component = select ? (size_t)select[i] - 1 : i;
            mxGetPr(arguments[2])[k * rows + i] = run->x.values[(tell->from + k) * run->x.width + component];
        }
    arguments[3] = asks ? mxCreateDoubleMatrix(0, 0, mxREAL) : mxCreateString(tell->flag);
    tell->failed = interpreter_call(asks, &status, 4, arguments);
    for (k = 1; k < 4; k++)
        mxDestroyArray(arguments[k]);
    if (!tell->failed && asks && status) {
        run->stopped = mxGetNumberOfElements(status) > 0 && mxGetScalar(status) != 0;
        mxDestroyArray(status);
    }
}

static void tell(Run *run, const char *flag, size_t from, size_t count)
{
    Tell request = {run, flag, from, count, 0};
    if (!run->output || run->model.thrown || (!flag[0] && !count))
        return;
    if (interpreter_guard(tell_now, &request) || request.failed)
        run->model.thrown = 1;
}

/* The polynomial of the step by its values at Chebyshev points, one more than its degree. */
static void keep_polynomial(Run *run, double t_old, double t)
{
    int k, degree = geoms_dense_degree(run->model.solver);
    add(run, &run->degree, degree);
    add(run, &run->ends, t);
    for (k = 0; k <= degree && !run->no_memory; k++) {
        double s = 0.5 * (t_old + t) - 0.5 * (t - t_old) * cos(PI * k / degree);
        add_solution(run, &run->samples, k == 0 ? t_old : k == degree ? t : fmin(fmax(s, t_old), t));
    }
}

/* What there is to keep of the step from t_old: events, points, the polynomial. */
static void keep_step(Run *run, double t_old)
{
    geoms_solver *solver = run->model.solver;
    double t = geoms_time(solver);
    size_t from = run->t.count;
    int64_t k, count = geoms_event_count(solver), index;
    for (k = 0; k < count; k++) {
        double te;
        if (geoms_event(solver, k, &index, &te) == 0) {
            add(run, &run->te, te);
            add(run, &run->ie, (double)index + 1);
            add_solution(run, &run->xe, te);
        }
    }
    if (t == t_old)
        return;
    if (run->times) {
        for (; run->next < run->times_count && run->times[run->next] <= t; run->next++)
            add_point(run, run->times[run->next]);
    } else {
        size_t i;
        for (i = 1; i < run->refine; i++)
            add_point(run, t_old + (t - t_old) * (double)i / (double)run->refine);
        add_point(run, t);
    }
    if (run->keep_polynomials)
        keep_polynomial(run, t_old, t);
    tell(run, "", from, run->t.count - from);
}

static int start(Run *run)
{
    geoms_solver *solver = run->model.solver;
    const mxArray *settings = run->settings;
    double t0 = number_field(settings, "t0", 0);
    size_t count;
    const double *x0 = numbers_field(settings, "x0", &count);
    double *x = malloc((run->model.n + 1) * sizeof *x);
    int code = x && x0 && count == run->model.n ? 0 : GEOMS_IDID_OUT_OF_MEMORY;
    if (!code)
        memcpy(x, x0, count * sizeof *x);
    if (!code)
        code = geoms_set_log(solver, run->log_level > GEOMS_LOG_WARNING ? run->log_level : GEOMS_LOG_WARNING, take_message);
    if (!code)
        code = set_options(&run->model, settings);
    if (!code)
        code = watch(run);
    if (!code && number_field(settings, "consistent", 0) != 0)
        code = geoms_make_consistent(solver, t0, x);
    if (!code)
        code = geoms_start(solver, t0, x, number_field(settings, "h0", 0));
    free(x);
    return code;
}

static void go(Run *run)
{
    geoms_solver *solver = run->model.solver;
    double t, tend = number_field(run->settings, "tend", 0);
    run->code = start(run);
    if (run->code)
        return;
    t = geoms_time(solver);
    add_point(run, t);
    run->next = 1;
    add(run, &run->ends, t);
    tell(run, "init", 0, 1);
    while (run->code == GEOMS_REACHED && !run->stopped && !run->model.thrown && !run->no_memory && (t = geoms_time(solver)) < tend) {
        if (interpreter_interrupted()) {
            run->model.thrown = 1;
            break;
        }
        run->code = geoms_step(solver, tend);
        if (run->code >= 0)
            keep_step(run, t);
    }
    /* Backwards is for the handle to refuse. */
    if (run->code == GEOMS_REACHED && !run->stopped && !run->model.thrown && tend < geoms_time(solver))
        run->code = geoms_step(solver, tend);
    t = geoms_time(solver);
    if (run->t.count && run->t.values[run->t.count - 1] != t)
        add_point(run, t);
    tell(run, "done", 0, 0);
}

void set_error(mxArray *structure, Model *model, int code)
{
    static const char *const texts[] = {"sentence", "advice", "detail", "report", "block"};
    static const char *const numbers[] = {"t", "h", "index", "theta"};
    size_t k;
    set_number(structure, "idid", code < 0 ? code : 0);
    set_text(structure, "complaint", model->complaint);
    for (k = 0; k < sizeof texts / sizeof *texts; k++)
        set_text(structure, texts[k], code < 0 ? geoms_error_text(model->solver, texts[k]) : "");
    for (k = 0; k < sizeof numbers / sizeof *numbers; k++)
        set_number(structure, numbers[k], code < 0 ? geoms_error_number(model->solver, numbers[k]) : NAN);
}

static mxArray *counters(Run *run)
{
    mxArray *result = mxCreateStructMatrix(1, 1, 0, NULL);
    const char *name;
    int64_t k;
    uint64_t count;
    for (k = 0; (name = geoms_counter_name(k)); k++)
        if (geoms_counter(run->model.solver, name, &count) == 0)
            set_number(result, name, (double)count);
    return result;
}

/* Everything as one structure. */
static void collect(void *argument)
{
    Run *run = argument;
    mxArray *result = mxCreateStructMatrix(1, 1, 0, NULL), *error = mxCreateStructMatrix(1, 1, 0, NULL), *warnings;
    size_t k, n = run->model.n;
    set_error(error, &run->model, run->code);
    mxAddField(result, "error");
    mxSetField(result, 0, "error", error);
    set_number(result, "idid", run->code < 0 ? run->code : 0);
    set_text(result, "ending", run->code < 0 ? "failure" : run->code == GEOMS_EVENT ? "event" : run->stopped ? "output" : "end");
    set_numbers(result, "t", 1, run->t.count, run->t.values);
    set_numbers(result, "x", n, run->x.count, run->x.values);
    set_numbers(result, "te", 1, run->te.count, run->te.values);
    set_numbers(result, "xe", n, run->xe.count, run->xe.values);
    set_numbers(result, "ie", 1, run->ie.count, run->ie.values);
    if (run->keep_polynomials) {
        set_numbers(result, "ends", 1, run->ends.count, run->ends.values);
        set_numbers(result, "degree", 1, run->degree.count, run->degree.values);
        set_numbers(result, "samples", n, run->samples.count, run->samples.values);
    }
    set_number(result, "h", geoms_next_step(run->model.solver));
    set_number(result, "calls", (double)run->model.calls);
    mxAddField(result, "counters");
    mxSetField(result, 0, "counters", counters(run));
    warnings = mxCreateCellMatrix(run->warnings.count, run->warnings.count ? 1 : 0);
    for (k = 0; k < run->warnings.count; k++)
        mxSetCell(warnings, (mwIndex)k, mxCreateString(run->warnings.texts[k]));
    mxAddField(result, "warnings");
    mxSetField(result, 0, "warnings", warnings);
    run->result = result;
}

static void clear(Run *run)
{
    List *const lists[] = {&run->t, &run->x, &run->te, &run->xe, &run->ie, &run->ends, &run->degree, &run->samples};
    size_t k;
    for (k = 0; k < sizeof lists / sizeof *lists; k++)
        free(lists[k]->values);
    for (k = 0; k < run->warnings.count; k++)
        free(run->warnings.texts[k]);
    free(run->warnings.texts);
    model_close(&run->model);
    free(run);
}

mxArray *run(const mxArray *description, const mxArray *settings)
{
    Run *run = calloc(1, sizeof *run);
    mxArray *result;
    char complaint[sizeof run->model.complaint];
    int thrown, refused, no_memory;
    if (!run)
        mexErrMsgIdAndTxt("geoms:E1004", "geoms: no memory");
    refused = model_open(&run->model, description);
    if (!refused) {
        size_t n = run->model.n;
        run->settings = settings;
        run->output = handle_field(settings, "OutputFcn");
        run->refine = (size_t)number_field(settings, "refine", 1);
        run->times = numbers_field(settings, "times", &run->times_count);
        run->keep_polynomials = number_field(settings, "dense", 0) != 0;
        run->log_level = (int)number_field(settings, "log", 0);
        run->t.width = run->te.width = run->ie.width = run->ends.width = run->degree.width = 1;
        run->x.width = run->xe.width = run->samples.width = n;
        go(run);
        if (!run->model.thrown && !run->no_memory && interpreter_guard(collect, run))
            run->model.thrown = 1;
    }
    /* Nothing of ours is left when the interpreter is told of a failure. */
    result = run->result;
    thrown = run->model.thrown;
    no_memory = run->no_memory;
    memcpy(complaint, run->model.complaint, sizeof complaint);
    clear(run);
    if (thrown) {
        interpreter_throw();
        mexErrMsgIdAndTxt("geoms:interrupted", "geoms: interrupted");
    }
    if (no_memory)
        mexErrMsgIdAndTxt("geoms:E1004", "geoms: no memory for the solution; give the times that are wanted as TSPAN");
    if (refused)
        mexErrMsgIdAndTxt("geoms:badArgument", "geoms: %s", complaint);
    return result;
}
