function axes_made = geoms_plot(sol, what)
% GEOMS_PLOT  Show a solution: positions, velocities, multipliers, how well the constraints hold, and the step sizes.
%
%   geoms_plot(sol)                          all of them, one below the other
%   geoms_plot(sol, {'p', 'residuals'})      some of: p, v, multipliers, residuals, steps
%   axes = geoms_plot(...)                   the axes
%
%   sol comes from sol = geoms(...).
%
%   See also GEOMS, GEOMS_RESIDUALS.

if ~isstruct(sol) || ~all(isfield(sol, {'t', 'x', 'index', 'problem', 'options'}))
    error('geoms:badArgument', 'geoms_plot: sol is what sol = geoms(...) returns');
end
known = {'p', 'v', 'multipliers', 'residuals', 'steps'};
if nargin < 2
    what = known;
end
what = cellstr(what);
for k = 1:numel(what)
    if ~any(strcmp(what{k}, known))
        error('geoms:badArgument', 'geoms_plot: there is nothing called %s; %s', what{k}, strjoin(known, ', '));
    end
end
multipliers = [sol.index.lambda, sol.index.mu];
if nargin < 2 && isempty(multipliers)
    what = what(~ismember(what, {'multipliers', 'residuals'}));
end
axes_made = zeros(1, numel(what));
for k = 1:numel(what)
    axes_made(k) = subplot(numel(what), 1, k);
    switch what{k}
        case 'p'
            curves(sol.t, sol.x(sol.index.p, :), 'p');
        case 'v'
            curves(sol.t, sol.x(sol.index.v, :), 'v');
        case 'multipliers'
            curves(sol.t, sol.x(multipliers, :), '\lambda, \mu');
        case 'residuals'
            residuals(sol);
        case 'steps'
            times = sol.t;
            if isfield(sol, 'dense')
                times = sol.dense.ends;
            end
            semilogy(times(2:end), diff(times), '.-');
            ylabel('h');
    end
    xlim(sol.t([1 end]) + [0, eps(sol.t(end))*(sol.t(1) == sol.t(end))]);
end
xlabel('t');
if nargout == 0
    clear axes_made
end
end

function curves(t, x, name)
plot(t, x);
ylabel(name);
end

function residuals(sol)
rows = geoms_residuals(sol.problem, sol.t, sol.x', sol.options);
names = intersect({'g', 'gI', 'gII', 'h', 'hI', 'c', 'd', 'e'}, fieldnames(rows));
largest = cellfun(@(name) max(abs(rows.(name)), [], 1), names, 'UniformOutput', false);
% Zero has no place on a logarithmic axis.
semilogy(sol.t, max(cell2mat(largest(:)), realmin));
legend(names{:});
ylabel('residuals');
end
