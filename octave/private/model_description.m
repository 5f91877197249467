function [model, problem] = model_description(problem, options)
% MODEL_DESCRIPTION  A problem, checked, as the gateway takes it: a structure, or the name of a problem of the library.
if ischar(problem)
    problem = geoms_problem(problem);
end
if ~isstruct(problem) || numel(problem) ~= 1
    error('geoms:badProblem', ['geoms: the problem is a structure with NP, NV, EOM, MAS, ..., or the name of a problem of the ' ...
        'library; it is of class %s'], class(problem));
end
check_names(problem);
form = geomsget(options, 'FORM', 0);
model = struct('dims', dimensions(problem), 'form', form, 'library', '', 'problem', '', 'NIVCOND', 0, 'nevents', 0, 'RPAR', []);
if isfield(problem, 'problem')
    model.problem = problem.problem;
    model.jacobian = double(~(isfield(problem, 'JAC') && isequal(problem.JAC, false)));
    return
end
if isfield(problem, 'library')
    model.library = shared_object(problem.library);
end
if isfield(problem, 'RPAR') && ~isempty(problem.RPAR)
    if ~isa(problem.RPAR, 'double') || ~isreal(problem.RPAR)
        error('geoms:badProblem', 'geoms: RPAR is of class %s; real doubles are needed', class(problem.RPAR));
    end
    model.RPAR = full(problem.RPAR(:));
end
model = take_function(model, problem, 'EOM', true);
model = take_mass(model, problem);
model = take_function(model, problem, 'JAC', false);
model = take_function(model, problem, 'PARTS', false);
if isfield(model, 'PARTS') && ~ischar(model.PARTS)
    error('geoms:badProblem', 'geoms: PARTS is the name of a compiled function; it is of class %s', class(model.PARTS));
end
model = take_function(model, problem, 'IVCOND', false);
if isfield(model, 'JAC') && isa(model.JAC, 'function_handle')
    model = jacobian_outputs(model);
end
if isfield(problem, 'NIVCOND')
    model.NIVCOND = count(problem, 'NIVCOND');
    if model.NIVCOND > 0 && ~isfield(model, 'IVCOND')
        error('geoms:badProblem', 'geoms: NIVCOND = %d, but IVCOND is missing', model.NIVCOND);
    end
elseif isfield(model, 'IVCOND') && ischar(model.IVCOND)
    error('geoms:badProblem', 'geoms: NIVCOND is missing: how many conditions has the compiled IVCOND?');
elseif isfield(model, 'IVCOND')
    model.NIVCOND = -1; % found out by a call
end
end

function check_names(problem)
known = {'NP', 'NV', 'NR', 'NW', 'NS', 'NL', 'NM', 'NI', 'EOM', 'MAS', 'JAC', 'PARTS', 'IVCOND', 'NIVCOND', 'RPAR', 'library', ...
    'problem', 't0', 'tend', 'x0', 'solution', 'source', 'MASSTRCT', 'DECOMPC', 'rank_deficient', 'invariants', 'name'};
fields = fieldnames(problem);
for k = 1:numel(fields)
    if ~any(strcmp(fields{k}, known))
        error('geoms:badProblem', 'geoms: a problem has no field %s%s; fields are %s', fields{k}, ...
            similar_name(fields{k}, known), strjoin(known(1:16), ', '));
    end
end
end

function dims = dimensions(problem)
names = {'NP', 'NV', 'NR', 'NW', 'NS', 'NL', 'NM', 'NI'};
dims = zeros(1, 8);
for k = 1:8
    if isfield(problem, names{k})
        dims(k) = count(problem, names{k});
    elseif k <= 2
        what = {'position', 'velocity'};
        error('geoms:badProblem', 'geoms: the problem has no field %s: the number of %s variables', names{k}, what{k});
    end
end
end

function n = count(problem, name)
n = problem.(name);
if ~isnumeric(n) || numel(n) ~= 1 || ~isreal(n) || ~(n >= 0) || n ~= fix(n) || n > 1e9
    error('geoms:badProblem', 'geoms: %s is an integer >= 0; it is %s', name, short(n));
end
n = double(n);
end

function path = shared_object(path)
if ~ischar(path) || size(path, 1) ~= 1
    error('geoms:badProblem', 'geoms: library is the path of a shared object; it is %s', short(path));
end
if exist(path, 'file') ~= 2
    error('geoms:badProblem', 'geoms: library: there is no file %s', path);
end
if isempty(strfind(path, '/')) %#ok<STREMP> a bare name would be looked for elsewhere
    path = fullfile(pwd, path);
end
end

function model = take_function(model, problem, name, needed)
if ~isfield(problem, name) || isempty(problem.(name))
    if needed
        error('geoms:badProblem', 'geoms: the problem has no %s', name);
    end
    return
end
f = problem.(name);
if ischar(f) && ~isempty(model.library)
    model.(name) = f;
    return
end
if ischar(f)
    f = str2func(f);
end
if ~isa(f, 'function_handle')
    error('geoms:badProblem', 'geoms: %s is a function handle, or with a library the name of a symbol; it is %s', name, short(f));
end
model.(name) = f;
model.([name '_ierr']) = double(declared_outputs(f) == 2);
model.([name '_outputs']) = 1;
end

function model = take_mass(model, problem)
if isfield(problem, 'MAS') && isnumeric(problem.MAS) && ~isempty(problem.MAS)
    nv = model.dims(2);
    if ~isequal(size(problem.MAS), [nv nv]) || ~isreal(problem.MAS)
        error('geoms:badProblem', 'geoms: MAS is %s; a constant mass matrix is %d by %d and real', short(problem.MAS), nv, nv);
    end
    model.MAS = double(full(problem.MAS));
    if isdiag(model.MAS)
        model.constant_mass = 4;
    else
        model.constant_mass = 3;
    end
else
    model = take_function(model, problem, 'MAS', true);
end
end

function model = jacobian_outputs(model)
n = declared_outputs(model.JAC);
if ~any(n == [1 2 6 7])
    error('geoms:badProblem', ['geoms: JAC has %d outputs; [FX1, FX2, FX3, FX4, FX5, FX6] = JAC(T, X) is needed, or one cell array of ' ...
        'them, and IERR behind if it is wanted'], n);
end
model.JAC_ierr = double(n == 2 || n == 7);
model.JAC_outputs = n - model.JAC_ierr;
end

function n = declared_outputs(f)
% Outputs that a function declares; 1 if they are not counted.
try
    n = nargout(f);
catch
    n = 1;
end
if n < 0
    n = 1;
end
end

function text = short(value)
if isnumeric(value) && numel(value) == 1
    text = num2str(value);
elseif ischar(value)
    text = ['''' value(1, :) ''''];
else
    text = sprintf('%s of class %s', strjoin(arrayfun(@num2str, size(value), 'UniformOutput', false), ' by '), class(value));
end
end
