function [good, bad, lines] = compare_problems(names)
% COMPARE_PROBLEMS  Problems by all methods against what is known of their ends.
%   Methods of an order from 4 on, TOL = 1e-8: p and v within 1000 TOL, relative to max(1, |x|), as `make accuracy` judges. Others, TOL = 1e-6:
%   p within 5e-3 of its largest component, as problems/tests/hht does. What a method declares not to do is left out, and so are
%   problems that lose the rank of their constraints on the way. Over 1000 s (pendulum-horizontal) and six turns (pendulum-rotating, methods of
%   low order) the phase is lost; these end earlier.
if nargin < 1
    names = geoms_problem();
end
good = 0;
bad = 0;
lines = {};
for method = geoms_methods()'
    for k = 1:numel(names)
        [verdict, text] = one(names{k}, method);
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

function text = left_out(problem, method)
% Why the method is not run on the problem; '' if it is.
asked = {
    problem.NM > 0, 'nonholonomic constraints'
    problem.NR > 0, 'force elements r'
    problem.NW > 0, 'auxiliary variables w'
    problem.NS > 0, 'contact points s'
    problem.NP ~= problem.NV, 'Z '
    problem.DECOMPC == 3, 'redundant constraints'
    any(strcmp(problem.problem, {'stiff-spring-1e6', 'stiff-spring-1e8', 'double-pendulum-stiff'})), 'stiff systems'
    };
text = '';
if problem.rank_deficient
    text = 'the constraints lose rank on the way';
end
for k = 1:size(asked, 1)
    row = find(strncmp(asked{k, 2}, method.features(:, 1), numel(asked{k, 2})));
    assert(numel(row) == 1);
    if asked{k, 1} && strcmp(method.features{row, 2}, 'no')
        text = ['not for ' asked{k, 2}];
    end
end
end

function [verdict, text] = one(name, method)
low = max(sscanf(strrep(method.features{1, 2}, ',', ' '), '%d')) < 4;
problem = geoms_problem(name);
if strcmp(name, 'pendulum-horizontal')
    problem = geoms_problem(name, 5);
elseif strcmp(name, 'pendulum-rotating') && low
    problem = geoms_problem(name, 2);
end
verdict = 'none';
text = left_out(problem, method);
if ~isempty(text)
    return
end
n = numel(problem.x0);
p = n - problem.NP + 1:n;
v = problem.NW + problem.NL + problem.NM + problem.NR + (1:problem.NV);
compared = [v, p];
tol = 1e-8;
if low
    compared = p;
    tol = 1e-6;
end
compared = compared(~isnan(problem.solution(compared)));
if isempty(compared)
    text = 'nothing is known of its end';
    return
end
options = geomsset('RelTol', tol, 'AbsTol', tol, 'METHOD', method.number, 'NMAX', 1e6);
if method.number == 3 && ~isempty(strfind(name, 'stiff'))
    options = geomsset(options, 'SCHEME', 3); % it says that it needs this for stiff systems
end
started = tic();
try
    [~, X, info] = geoms(problem, [], [], options);
catch err
    verdict = 'bad';
    text = strtok(err.message, sprintf('\n'));
    return
end
reference = problem.solution(compared)';
differences = abs(X(end, compared) - reference);
if low
    difference = max(differences)/max([1, abs(reference)]);
    allowed = 5e-3;
else
    difference = max(differences./max(1, abs(reference)));
    allowed = 1000*tol;
end
text = sprintf('error %.1e of %.0e, %d steps, %.2f s', difference, allowed, info.stats.naccpt, toc(started));
verdict = 'good';
if ~(difference <= allowed)
    verdict = 'bad';
end
end
