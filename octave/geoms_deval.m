function x = geoms_deval(sol, t, components)
% GEOMS_DEVAL  The solution at any times within the run, from the polynomials of its steps.
%
%   x = geoms_deval(sol, t)               a column for each time, as DEVAL has it
%   x = geoms_deval(sol, t, components)   only these components; sol.index has those of each block
%
%   sol comes from sol = geoms(...). At the end of a step the value is the one of that step.
%
%   See also GEOMS.

if nargin < 2
    error('geoms:badArgument', 'geoms_deval: x = geoms_deval(sol, t)');
end
if ~isstruct(sol) && isstruct(t)
    [sol, t] = deal(t, sol); % as deval allows it
end
if ~isstruct(sol) || ~isfield(sol, 'dense')
    error('geoms:badArgument', 'geoms_deval: sol is what sol = geoms(...) returns');
end
if ~isa(t, 'float') || ~isreal(t) || ~(isvector(t) || isempty(t))
    error('geoms:badArgument', 'geoms_deval: t is a vector of real numbers, not of class %s', class(t));
end
n = size(sol.x, 1);
if nargin < 3
    components = 1:n;
elseif ~isnumeric(components) || any(components(:) < 1 | components(:) > n | components(:) ~= fix(components(:)))
    error('geoms:badArgument', 'geoms_deval: components are indices from 1 to N = %d', n);
end
ends = sol.dense.ends;
outside = find(~(t >= ends(1) & t <= ends(end)), 1);
if ~isempty(outside)
    error('geoms:badArgument', 'geoms_deval: t(%d) = %.15g is not in the run, which goes from %.15g to %.15g', outside, ...
        t(outside), ends(1), ends(end));
end
x = zeros(numel(components), numel(t));
if numel(ends) == 1
    x = repmat(sol.x(components, 1), 1, numel(t));
    return
end
first = cumsum([1, sol.dense.degree + 1]);
step = zeros(1, numel(t));
for k = 1:numel(t)
    step(k) = find(ends >= t(k), 1) - 1;
end
step = max(step, 1);
for k = unique(step)
    degree = sol.dense.degree(k);
    values = sol.dense.samples(components, first(k):first(k + 1) - 1);
    here = find(step == k);
    x(:, here) = chebyshev(values, degree, 2*(t(here) - ends(k))/(ends(k + 1) - ends(k)) - 1);
end
end

function y = chebyshev(values, degree, s)
% Barycentric formula of the second kind at the points -cos(pi*j/degree) (Berrut, Trefethen, SIAM Review 46, 2004, (5.4)).
nodes = -cos(pi*(0:degree)/degree);
weights = (-1).^(0:degree);
weights([1 end]) = weights([1 end])/2;
y = zeros(size(values, 1), numel(s));
for i = 1:numel(s)
    d = s(i) - nodes;
    exact = find(d == 0, 1);
    if isempty(exact)
        q = weights./d;
        y(:, i) = (values*q')/sum(q);
    else
        y(:, i) = values(:, exact);
    end
end
end
