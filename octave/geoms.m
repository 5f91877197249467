function varargout = geoms(problem, tspan, x0, options)
% GEOMS  Integrate the equations of motion of a constrained multibody system, without drift.
%
%   [T, X, info] = geoms(problem, tspan, x0, options)
%   sol = geoms(problem, tspan, x0, options)
%
%   p' = v, or Z(p) v;  M(p,t) v' = f - G'*lambda - H'*mu;  0 = g(p,t);  0 = h(p,v,t), and what docs/reference.md has beyond that.
%
%   problem   structure with the report's names, or the name of a problem of the library (GEOMS_PROBLEM):
%     NP, NV, NR, NW, NS, NL, NM, NI   numbers of variables and constraints; those that are missing are 0
%     EOM     RDA = EOM(T, X), the right-hand sides [d; gII; hI; gI; h; e; c; g; b; f_dyn; f_kin], M of them
%     MAS     MA = MAS(T, X), the mass matrix; or the matrix itself if it is constant
%     JAC     [FX1, FX2, FX3, FX4, FX5, FX6] = JAC(T, X), NEGATIVE derivatives of RDA, [] for zeros; or one cell array of them.
%             Without it differences are used.
%     IVCOND  COND = IVCOND(T, X), conditions by which X0 is made consistent; NIVCOND of them (counted if it is missing)
%     Each may have IERR as one more output: > 0 asks for a smaller step, < 0 stops the run. X = [w; lambda; mu; r; v; s; p].
%     library the path of a shared object; EOM, MAS, JAC, IVCOND, PARTS are then names of its functions, as in geoms.h, whose user
%             pointer is that of the numbers RPAR.
%   tspan     [T0 TEND]: the solution is returned at every step; [T0 T1 ... TEND]: at these times
%   x0        N numbers, or a structure of blocks: struct('p', [1 0], 'v', [0 0]); those that are missing are 0
%   options   of GEOMSSET
%
%   T is a column, X has a row for each time. info: idid, ending ('end', 'event', 'output', 'failure'), te, xe, ie (events), stats
%   (counters), warnings, h (next step size), index (info.index.p are the columns of p in X).
%   sol: t, x (a column for each time), te, xe, ie, idid, ending, stats, warnings, h, index, dense; GEOMS_DEVAL evaluates it anywhere,
%   GEOMS_PLOT shows it.
%
%   A run that fails is an error geoms:E1116 (for IDID = -1116); GEOMS_LASTERROR has its parts and what was reached.
%
%   A pendulum:
%     model = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', eye(2));
%     model.EOM = @(T, X) [2*(X(2)^2+X(3)^2)-2*9.81*X(5)-4*(X(4)^2+X(5)^2)*X(1)    % gII
%                          2*(X(4)*X(2)+X(5)*X(3))                                 % gI
%                          X(4)^2+X(5)^2-1                                         % g
%                          -2*X(4)*X(1); -9.81-2*X(5)*X(1)                         % f_dyn
%                          X(2); X(3)];                                            % f_kin
%     [T, X] = geoms(model, [0 10], struct('p', [1 0]), geomsset('RelTol', 1e-8, 'AbsTol', 1e-8));
%
%   See also GEOMSSET, GEOMSGET, GEOMS_DEVAL, GEOMS_PLOT, GEOMS_PROBLEM, GEOMS_METHODS, GEOMS_CHECK, GEOMS_RESIDUALS.

if nargin < 1
    error('geoms:badArgument', 'geoms: [T, X, info] = geoms(problem, tspan, x0, options)');
end
if nargin < 4
    options = [];
end
options = checked_options(options);
[model, problem] = model_description(problem, options);
if nargin < 2 || isempty(tspan)
    tspan = from_problem(problem, 'TSPAN', {'t0', 'tend'});
end
if nargin < 3 || isempty(x0)
    x0 = from_problem(problem, 'X0', {'x0'});
end
tspan = checked_times(tspan);
x0 = initial_vector(x0, model.dims, 'geoms');
settings = table_settings(options, model, problem);
settings.t0 = tspan(1);
settings.tend = tspan(end);
settings.x0 = x0;
settings.times = [];
if numel(tspan) > 2
    settings.times = tspan;
end
settings.dense = double(nargout == 1);
settings.h0 = given(options.InitialStep, 0);
settings.refine = given(options.Refine, 1);
settings.log = given(options.Log, 0);
settings.consistent = given(options.Consistent, 0);
settings.OutputFcn = options.OutputFcn;
settings.outputsel = selected(options.OutputSel, numel(x0));
settings.event_tolerance = given(options.EventTolerance, 0);
if model.NIVCOND < 0
    model.NIVCOND = numel(model.IVCOND(tspan(1), x0));
end
[model, settings] = events(model, settings, options.Events, tspan(1), x0);

result = geoms_gateway('run', model, settings);

for k = 1:numel(result.warnings)
    warning('geoms:warning', 'geoms: %s', in_our_names(regexprep(result.warnings{k}, '^warning: ', '')));
end
if isequal(options.Stats, 1)
    print_counters(result.counters);
end
index = block_indices(model.dims);
failed = result.idid < 0;
if failed && ~(strcmp(given(options.Failure, 'error'), 'return') && ~isempty(result.t))
    reached = struct('t', result.t', 'x', result.x');
    raise_error(result.error, reached);
elseif failed
    warning(sprintf('geoms:E%d', -result.idid), 'geoms: %s', in_our_names(result.error.report));
end
common = struct('idid', result.idid, 'ending', result.ending, 'error', result.error, 'stats', result.counters, 'warnings', ...
    {result.warnings}, 'h', result.h, 'calls', result.calls, 'index', index);
if nargout == 1
    sol = common;
    [sol.t, sol.x, sol.te, sol.xe, sol.ie] = deal(result.t, result.x, result.te, result.xe, result.ie);
    sol.dense = struct('ends', result.ends, 'degree', result.degree, 'samples', result.samples);
    sol.problem = problem;
    sol.options = options;
    varargout = {sol};
else
    info = common;
    [info.te, info.xe, info.ie] = deal(result.te', result.xe', result.ie');
    varargout = {result.t', result.x', info};
end
if nargout == 0
    geoms_plot(struct('t', result.t, 'x', result.x, 'index', index, 'problem', problem, 'options', options));
    varargout = {};
end
end

function value = given(value, default)
if isempty(value)
    value = default;
end
end

function options = checked_options(options)
if isempty(options)
    options = geomsset(struct());
elseif isstruct(options) && numel(options) == 1
    options = geomsset(options);
else
    error('geoms:badArgument', 'geoms: options is a structure that geomsset makes, not of class %s', class(options));
end
end

function value = from_problem(problem, what, fields)
value = [];
for k = 1:numel(fields)
    if ~isfield(problem, fields{k})
        error('geoms:badArgument', 'geoms: %s is missing', what);
    end
    value = [value; problem.(fields{k})]; %#ok<AGROW>
end
end

function tspan = checked_times(tspan)
if ~isa(tspan, 'float') || ~isreal(tspan) || ~isvector(tspan) || numel(tspan) < 2
    error('geoms:badArgument', 'geoms: TSPAN is [T0 TEND] or [T0 T1 ... TEND]; it has %d entries of class %s', numel(tspan), ...
        class(tspan));
end
tspan = double(full(tspan(:)'));
if any(~isfinite(tspan))
    error('geoms:badArgument', 'geoms: TSPAN(%d) = %g is not a finite number', find(~isfinite(tspan), 1), ...
        tspan(find(~isfinite(tspan), 1)));
end
if numel(tspan) > 2 && any(diff(tspan) <= 0)
    error('geoms:badArgument', 'geoms: the times of TSPAN must increase; TSPAN(%d) does not', find(diff(tspan) <= 0, 1) + 1);
end
end

function list = selected(list, n)
if any(list > n)
    error('geoms:badOption', 'geoms: OutputSel has %d; X has N = %d components', max(list), n);
end
end

function [model, settings] = events(model, settings, f, t0, x0)
settings.direction = [];
settings.terminal = [];
if isempty(f)
    return
end
outputs = 3;
try
    [value, terminal, direction] = f(t0, x0);
catch
    % Perhaps it has one output only; if not its error comes again.
    outputs = 1;
    value = f(t0, x0);
    terminal = [];
    direction = [];
end
model.Events = f;
model.nevents = numel(value);
% An anonymous function that deals three values cannot be asked for one.
model.Events_outputs = 1;
if outputs == 3 && strncmp(func2str(f), '@', 1)
    model.Events_outputs = 3;
end
settings.terminal = rules('ISTERMINAL', terminal, model.nevents);
settings.direction = rules('DIRECTION', direction, model.nevents);
end

function list = rules(name, list, n)
list = double(list(:));
if numel(list) == 1
    list = repmat(list, n, 1);
elseif ~isempty(list) && numel(list) ~= n
    error('geoms:badFunction', 'geoms: Events returned %s with %d entries and VALUE with %d', name, numel(list), n);
end
end

function print_counters(counters)
names = fieldnames(counters);
for k = 1:numel(names)
    fprintf('%-24s %d\n', names{k}, counters.(names{k}));
end
end
