function problem = geoms_problem(name, tend)
% GEOMS_PROBLEM  A problem of the problem library.
%
%   geoms_problem                   lists the names
%   names = geoms_problem()         as a cell array
%   problem = geoms_problem(name)         a structure that GEOMS takes, with the numbers of variables, t0, tend, x0 (consistent), solution
%                                   (what is known at tend, NaN for the rest), source. The beginning of a name is enough.
%
%   problem = geoms_problem(name, tend)   with another end; where there is a closed form the solution is known there, too
%
%   Methods on Andrews' mechanism, in three lines:
%     problem = geoms_problem('andrews');
%     sol = geoms(problem, [], [], geomsset('METHOD', 'radau', 'RelTol', 1e-8, 'AbsTol', 1e-8));
%     max(abs(sol.x(:, end) - problem.solution))
%
%   problem.JAC = false takes differences in place of its Jacobian, problem.NI = problem.invariants imposes its invariants.
%
%   See also GEOMS, GEOMS_METHODS.

names = geoms_gateway('problems');
if nargin == 0
    if nargout == 0
        fprintf('%s\n', names{:});
    else
        problem = names;
    end
    return
end
if ~ischar(name) || size(name, 1) ~= 1
    error('geoms:badArgument', 'geoms_problem: the name of a problem is a string, not of class %s', class(name));
end
if ~any(strcmp(name, names))
    hits = names(strncmp(name, names, numel(name)));
    if numel(hits) > 1
        error('geoms:badArgument', 'geoms_problem: %s could be %s', name, strjoin(hits', ', '));
    elseif isempty(hits)
        error('geoms:badArgument', 'geoms_problem: there is no problem %s%s; geoms_problem lists them', name, similar_name(name, names));
    end
    name = hits{1};
end
if nargin < 2
    tend = NaN;
elseif ~isa(tend, 'float') || ~isreal(tend) || numel(tend) ~= 1 || ~isfinite(tend)
    error('geoms:badArgument', 'geoms_problem: tend is one finite number, not of class %s', class(tend));
end
known = geoms_gateway('problem', name, double(tend));
problem = struct('problem', name);
dims = {'NP', 'NV', 'NR', 'NW', 'NS', 'NL', 'NM', 'NI'};
for k = 1:8
    problem.(dims{k}) = known.dims(k);
end
for field = {'t0', 'tend', 'x0', 'solution', 'MASSTRCT', 'DECOMPC', 'rank_deficient', 'invariants', 'source'}
    problem.(field{1}) = known.(field{1});
end
end
