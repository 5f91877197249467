function rows = geoms_residuals(problem, t, x, options)
% GEOMS_RESIDUALS  The rows of the equations of motion along a solution, by their names: how well the constraints hold.
%
%   rows = geoms_residuals(sol)
%   rows = geoms_residuals(problem, t, x, options)   x with a row for each time, as [T, X] = geoms(...) has it
%
%   A structure with the rows d, gII, hI, gI, h, e, c, g, b, f_dyn, f_kin that there are: a column for each time. NaN where EOM
%   cannot be evaluated.
%
%   See also GEOMS, GEOMS_PLOT.

if nargin == 1 && isstruct(problem) && isfield(problem, 'dense')
    sol = problem;
    [problem, t, x, options] = deal(sol.problem, sol.t, sol.x', sol.options);
elseif nargin < 3
    error('geoms:badArgument', 'geoms_residuals: rows = geoms_residuals(sol), or geoms_residuals(problem, t, x)');
elseif nargin < 4
    options = [];
end
model = model_description(problem, options);
model.NIVCOND = 0;
n = sum(model.dims(1:7));
if ~isa(x, 'double') || ~isreal(x) || size(x, 2) ~= n || size(x, 1) ~= numel(t)
    error('geoms:badArgument', 'geoms_residuals: x is %d by %d of class %s; a row of N = %d real numbers for each of %d times is needed', ...
        size(x, 1), size(x, 2), class(x), n, numel(t));
end
result = geoms_gateway('rows', model, double(t(:)), full(x'));
if ~isempty(result.error.complaint)
    raise_error(result.error, []);
end
d = model.dims; % NP NV NR NW NS NL NM NI
if model.form == 1
    names = {'d', 'gI', 'h', 'e', 'c', 'g', 'b', 'f_dyn', 'f_kin'};
    counts = d([4 6 7 8 5 6 3 2 1]);
else
    names = {'d', 'gII', 'hI', 'gI', 'h', 'e', 'c', 'g', 'b', 'f_dyn', 'f_kin'};
    counts = d([4 6 7 6 7 8 5 6 3 2 1]);
end
last = cumsum(counts);
rows = struct();
for k = find(counts > 0)
    rows.(names{k}) = result.numbers(last(k) - counts(k) + 1:last(k), :);
end
end
