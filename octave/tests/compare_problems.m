function [good, bad, lines] = compare_problems(names)
% COMPARE_PROBLEMS  Problems by all methods against what is known of their ends.
%   A run is good if positions and velocities differ from the reference by at most 1000 TOL, relative to max(1, |x|), as `make accuracy`
%   judges; TOL is 1e-8, and 1e-6 for methods of an order below 4. What a method says that it does not do is left out: by a code
%   of refusal (IDID = -1001), or by its declarations (stiff problems, invariants).
if nargin < 1
    names = geoms_problem();
end
good = 0;
bad = 0;
lines = {};
for method = geoms_methods()'
    for k = 1:numel(names)
        [verdict, text] = one(geoms_problem(names{k}), method);
        good = good + strcmp(verdict, 'good');
        bad = bad + strcmp(verdict, 'bad');
        line = sprintf('%-28s %3d %-6s %s\n', names{k}, method.number, verdict, text);
        if nargout < 3
            fprintf('%s', line);
        elseif strcmp(verdict, 'bad')
            lines{end + 1} = line; %#ok<AGROW>
        end
    end
end
end

function [verdict, text] = one(problem, method)
does = @(what) method.features{strcmp(what, method.features(:, 1)), 2};
orders = sscanf(does('order of p and v'), '%d');
tol = 1e-8;
if max(orders) < 4
    tol = 1e-6;
end
differential = problem.NW + problem.NL + problem.NM + problem.NR + (1:problem.NV);
differential = [differential, numel(problem.x0) - problem.NP + (1:problem.NP)];
differential = differential(~isnan(problem.solution(differential)));
verdict = 'none';
if isempty(differential)
    text = 'nothing is known of its end';
    return
end
if problem.rank_deficient
    text = 'the constraints lose rank on the way';
    return
end
if strncmp(problem.problem, 'stiff', 5) && ~strcmp(does('stiff systems'), 'yes')
    text = 'stiff, which the method is not for';
    return
end
started = tic();
try
    [T, X, info] = geoms(problem, [problem.t0 problem.tend], [], geomsset('RelTol', tol, 'AbsTol', tol, 'METHOD', method.number, ...
        'NMAX', 1e6));
catch err
    verdict = 'bad';
    if strcmp(err.identifier, 'geoms:E1001')
        verdict = 'none';
    end
    text = strtok(err.message, sprintf('\n'));
    return
end
reference = problem.solution(differential)';
errors = abs(X(end, differential) - reference)./max(1, abs(reference));
text = sprintf('error %.1e = %.1f TOL, %d steps, %.2f s', max(errors), max(errors)/tol, info.stats.naccpt, toc(started));
verdict = 'good';
if max(errors) > 1000*tol
    verdict = 'bad';
end
end
