% Runs: what comes out, at which times, events, output functions, dense output, options.

%!function [model, x0] = pendulum()
%!  % From rest at the height of the pivot; the energy is 0.
%!  model = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', eye(2));
%!  model.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*9.81*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); ...
%!      X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -9.81 - 2*X(5)*X(1); X(2); X(3)];
%!  x0 = struct('p', [1 0]);
%!endfunction

%!function varargout = recorder(T, X, flag)
%!  % An OutputFcn that writes down what it is told and stops the run at t > 0.3 if asked to.
%!  persistent calls limit
%!  if ischar(T) && strcmp(T, 'calls')
%!    varargout = {calls};
%!    return
%!  elseif ischar(T)
%!    limit = X;
%!    return
%!  end
%!  if strcmp(flag, 'init')
%!    calls = {};
%!  end
%!  calls{end + 1} = {T, X, flag};
%!  varargout = {isempty(flag) && any(T > limit)};
%!endfunction

%!function [value, terminal, direction] = bottom(T, X)
%!  value = [X(4); X(5) + 0.5];
%!  terminal = [1; 0];
%!  direction = [0; -1];
%!endfunction

%!function [RDA, IERR] = eom_with_ierr(T, X)
%!  [model] = pendulum();
%!  RDA = model.EOM(T, X);
%!  IERR = -(T > 0.5);
%!endfunction

%!test
%! % every step; shapes; the energy is kept and the constraints hold
%! [model, x0] = pendulum();
%! [T, X, info] = geoms(model, [0 2], x0, geomsset('RelTol', 1e-9, 'AbsTol', 1e-9));
%! assert(size(T), [info.stats.naccpt + 1, 1]);
%! assert(size(X), [numel(T), 5]);
%! assert(T([1 end])', [0 2]);
%! assert(all(diff(T) > 0));
%! assert(sum(X(:, info.index.v).^2, 2)/2 + 9.81*X(:, info.index.p(2)), zeros(size(T)), 1e-6);
%! assert(sum(X(:, info.index.p).^2, 2), ones(size(T)), 1e-8);
%! assert({info.ending, info.idid, info.warnings}, {'end', 0, {}});
%! assert(info.calls > info.stats.neom);

%!test
%! % at given times
%! [model, x0] = pendulum();
%! options = geomsset('RelTol', 1e-9, 'AbsTol', 1e-9);
%! sol = geoms(model, [0 2], x0, options);
%! times = [0 0.1 0.7 1.3 1.31 2];
%! [T, X] = geoms(model, times', x0, options);
%! assert(T', times);
%! assert(X', geoms_deval(sol, times), 1e-10);
%! assert(X(1, :)', sol.x(:, 1));
%! assert(X(end, :)', sol.x(:, end));

%!test
%! % points within steps
%! [model, x0] = pendulum();
%! [T, ~, info] = geoms(model, [0 2], x0);
%! [S, Y] = geoms(model, [0 2], x0, geomsset('Refine', 3));
%! assert(numel(S), 3*info.stats.naccpt + 1);
%! assert(S(1:3:end), T);
%! assert(sum(Y(:, 4:5).^2, 2), ones(size(S)), 1e-4);

%!test
%! % dense output by every method: exact at the ends, near the solution between
%! [model, x0] = pendulum();
%! exact = geoms(model, [0 1.5], x0, geomsset('RelTol', 1e-12, 'AbsTol', 1e-12));
%! for method = [geoms_methods().number]
%!     sol = geoms(model, [0 1.5], x0, geomsset('RelTol', 1e-6, 'AbsTol', 1e-6, 'METHOD', method));
%!     assert(geoms_deval(sol, sol.t), sol.x, 1e-12*max(abs(sol.x(:))));
%!     t = linspace(0, 1.5, 200);
%!     p = sol.index.p;
%!     assert(geoms_deval(sol, t, p), geoms_deval(exact, t, p), 2e-3);
%!     assert(geoms_deval(sol, t', 4), geoms_deval(sol, t)(4, :), 1e-14);
%! end

%!test
%! % the order of dense output of Radau IIA between the steps
%! % Values of the handle at random times against geoms_deval: the same polynomial.
%! [model, x0] = pendulum();
%! sol = geoms(model, [0 1], x0, geomsset('ORDER', 13));
%! times = sort([0; 1; rand(50, 1)]);
%! [~, X] = geoms(model, times, x0, geomsset('ORDER', 13));
%! assert(geoms_deval(sol, times), X', 1e-12);
%! assert(max(sol.dense.degree), 7);

%!test
%! % terminal event and another one
%! [model, x0] = pendulum();
%! tol = 1e-10;
%! [T, X, info] = geoms(model, [0 5], x0, geomsset('Events', @bottom, 'RelTol', tol, 'AbsTol', tol));
%! % A quarter of a period: K(1/sqrt(2))/sqrt(g)
%! quarter = ellipke(0.5)/sqrt(9.81);
%! assert(T(end), quarter, 1e-8);
%! assert({info.ending, info.ie'}, {'event', [2 1]});
%! assert(info.te(2), T(end));
%! assert(X(end, 4), 0, 1e-12);
%! assert(info.xe(1, 5), -0.5, 1e-8);
%! assert(info.xe(2, :), X(end, :));
%! % As an anonymous function, as one with values only, and into times that are given.
%! [S, ~, other] = geoms(model, [0 5], x0, geomsset('Events', @(T, X) deal(X(4), 1, -1), 'RelTol', tol, 'AbsTol', tol));
%! assert(S(end), T(end), 1e-12);
%! [S, ~, other] = geoms(model, [0 1 5], x0, geomsset('Events', @(T, X) X(4), 'RelTol', tol, 'AbsTol', tol));
%! assert(S', [0 1 5]);
%! assert(other.te(1), quarter, 1e-8);
%! assert(other.te(2) - other.te(1), 2*quarter, 1e-8);
%! for direction = [-1 1]
%!     [~, ~, other] = geoms(model, [0 5], x0, geomsset('Events', @(T, X) deal(X(4), 0, direction)));
%!     assert(numel(other.te) >= 2);
%!     assert(sign(other.xe(:, 2)), direction*ones(numel(other.te), 1)); % the sign of p1' = v1
%! end
%! [S, Y] = geoms(model, [0 0.1 0.2 5], x0, geomsset('Events', @bottom, 'RelTol', tol, 'AbsTol', tol));
%! assert(S', [0 0.1 0.2 T(end)], 1e-12);

%!test
%! % output function: told of all points, of components, stops the run
%! [model, x0] = pendulum();
%! recorder('limit', Inf);
%! [T, X, info] = geoms(model, [0 1], x0, geomsset('OutputFcn', @recorder, 'Refine', 2, 'OutputSel', [4 5]));
%! calls = recorder('calls');
%! assert({calls{1}{3}, calls{end}{3}}, {'init', 'done'});
%! assert({calls{1}{1}, calls{1}{2}}, {[0; 1], [1; 0]});
%! told = [calls{2:end - 1}];
%! assert([told{1:3:end}]', T(2:end));
%! assert([told{2:3:end}]', X(2:end, 4:5));
%! recorder('limit', 0.3);
%! [T, ~, info] = geoms(model, [0 1], x0, geomsset('SOLOUT', @recorder));
%! assert({info.ending, info.idid}, {'output', 0});
%! assert(T(end) > 0.3 && T(end) < 1);

%!test
%! % options by their names in the table and in odeset
%! options = geomsset('rtol', 1e-4, 'MaxStep', 0.1, 'h', 1e-3, 'Method', 'HHT', 'fixed', false, 'family', 'on');
%! assert([options.RelTol options.HMAX options.InitialStep options.METHOD options.FIXED options.FAMILY], [1e-4 0.1 1e-3 1 0 1]);
%! assert(geomsget(options, 'MAXSTEP'), 0.1);
%! assert(geomsget(options, 'NMAX', 7), 7);
%! assert(geomsget([], 'nmax'), []);
%! other = geomsset(options, geomsset('METHOD', 0), 'HMAX', []);
%! assert(isempty(other.HMAX) && other.METHOD == 0 && other.RelTol == 1e-4);
%! for method = geoms_methods()'
%!     assert(geomsset('METHOD', method.keyword).METHOD, method.number);
%!     assert(geomsset('METHOD', method.name).METHOD, method.number);
%! end
%! text = evalc('geomsset');
%! for name = fieldnames(options)'
%!     assert(~isempty(strfind(text, name{1})), name{1});
%! end

%!test
%! % options act
%! [model, x0] = pendulum();
%! [T, ~, info] = geoms(model, [0 1], x0, geomsset('HMAX', 0.01));
%! assert(max(diff(T)) <= 0.01*(1 + 1e-12));
%! [T, ~, info] = geoms(model, [0 1], x0, geomsset('FIXED', 1, 'InitialStep', 0.03125));
%! assert(T', 0:0.03125:1, 1e-14);
%! text = evalc('geoms(model, [0 1], x0, geomsset(''Stats'', ''on'')); close all', 'text = lasterr();');
%! assert(~isempty(regexp(text, 'naccpt')) || ~isempty(regexp(text, 'graphics')));
%! text = evalc('[T, X] = geoms(model, [0 1], x0, geomsset(''Log'', 3));');
%! assert(~isempty(regexp(text, 'starts at t')));

%!test
%! % tolerances for each component
%! [model, x0] = pendulum();
%! [~, X] = geoms(model, [0 1], x0, geomsset('RelTol', 1e-5, 'AbsTol', 1e-5));
%! [~, Y] = geoms(model, [0 1], x0, geomsset('RelTol', 1e-5*ones(5, 1), 'AbsTol', 1e-5*ones(1, 5)));
%! assert(X(end, :), Y(end, :));
%! [~, Z] = geoms(model, [0 1], x0, geomsset('RelTol', [1e-2; 1e-9*ones(4, 1)], 'AbsTol', 1e-9));
%! assert(~isequal(X(end, :), Z(end, :)));

%!test
%! % IERR, NaN, equations with the index-1 form
%! [model, x0] = pendulum();
%! model.EOM = @eom_with_ierr;
%! fail('geoms(model, [0 1], x0)', 'EOM stopped the run');
%! last = geoms_lasterror();
%! assert(last.idid, -1102);
%! assert(last.reached.t(end) <= 0.5 && last.reached.t(end) > 0);
%! model = pendulum();
%! full = model.EOM;
%! model.EOM = @(T, X) full(T, X)(2:end);
%! x0.p = [0 -1];
%! x0.v = [1 0];
%! x0.lambda = (1 + 9.81)/2;
%! [~, X] = geoms(model, [0 1], x0, geomsset('FORM', 1, 'RelTol', 1e-8, 'AbsTol', 1e-8));
%! model.EOM = full;
%! [~, Y] = geoms(model, [0 1], x0, geomsset('RelTol', 1e-8, 'AbsTol', 1e-8));
%! assert(X(end, 2:5), Y(end, 2:5), 1e-6);

%!test
%! % initial values: IVCOND, Consistent, geoms_consistent
%! [model, x0] = pendulum();
%! model.IVCOND = @(T, X) [X(5) + 0.6; X(2) - 1.6];
%! [~, X] = geoms(model, [0 1], [0 1 0 0.9 -0.5]);
%! assert(X(1, 4:5), [0.8 -0.6], 1e-6);
%! assert(X(1, 2), 1.6, 1e-6);
%! model = rmfield(model, 'IVCOND');
%! fail('geoms(model, [0 1], struct(''p'', [1.1 0]))', 'not consistent');
%! [~, X] = geoms(model, [0 1], struct('p', [1.1 0], 'v', [1 1]), geomsset('Consistent', 'on'));
%! assert(X(1, :), [0.5, 0, 1, 1, 0], 1e-6);
%! assert(geoms_consistent(model, 0, struct('p', [1.1 0], 'v', [1 1]))', X(1, :), 1e-6);

%!test
%! % structures of arrays: empty, sparse, single, int, logical
%! [model, x0] = pendulum();
%! [~, X] = geoms(model, [0 1], x0);
%! for class_of = {@sparse, @single, @(x) x'}
%!     other = model;
%!     other.MAS = @(T, X) class_of{1}(eye(2));
%!     [~, Y] = geoms(other, [0 1], x0, geomsset('MASSTRCT', 4));
%!     assert(X, Y);
%! end
%! other.MAS = @(T, X) int32(eye(2));
%! [~, Y] = geoms(other, single([0 1]), x0, geomsset('MASSTRCT', 4));
%! assert(X, Y);
%! other.MAS = speye(2);
%! other.EOM = @(T, X) model.EOM(T, X)';
%! [~, Y] = geoms(other, [0 1], [0 0 0 1 0]);
%! assert(X, Y);

%!test
%! % no time at all; T0 far away
%! [model, x0] = pendulum();
%! [T, X] = geoms(model, [3 3], x0);
%! assert({T, X(4)}, {3, 1});
%! sol = geoms(model, [3 3], x0);
%! assert(geoms_deval(sol, 3), sol.x);
%! [T, X] = geoms(model, [0 1], x0);
%! [S, Y] = geoms(model, 1e6 + [0 1], x0);
%! assert(X(end, :), Y(end, :), 1e-4);

%!test
%! % a run within a function of another one
%! [model, x0] = pendulum();
%! [~, X] = geoms(model, [0 0.1], x0);
%! outer = model;
%! outer.EOM = @(T, X) model.EOM(T, X) + 0*nnz(geoms('pendulum-2.8', [0 0.01]).t);
%! [~, Y] = geoms(outer, [0 0.1], x0);
%! assert(X(end, :), Y(end, :), 1e-9);

%!test
%! % residuals
%! [model, x0] = pendulum();
%! sol = geoms(model, [0 1], x0, geomsset('METHOD', 'half'));
%! rows = geoms_residuals(sol);
%! assert(fieldnames(rows)', {'gII', 'gI', 'g', 'f_dyn', 'f_kin'});
%! assert(max(abs([rows.g, rows.gI, rows.gII])) < 1e-9); % this method projects
%! assert(rows.f_kin, sol.x(2:3, :));
%! assert(isequal(rows, geoms_residuals(model, sol.t, sol.x')));

%!testif ; ! isempty (available_graphics_toolkits ())
%! % plots
%! warning('off', 'all', 'local'); % of the toolkit
%! [model, x0] = pendulum();
%! sol = geoms(model, [0 1], x0);
%! figure('visible', 'off');
%! axes = geoms_plot(sol);
%! assert(numel(axes), 5);
%! lines = get(axes(1), 'children');
%! assert(get(lines(2), 'ydata'), sol.x(4, :));
%! assert(numel(get(axes(4), 'children')), 3); % g, gI, gII
%! clf
%! axes = geoms_plot(sol, 'steps');
%! assert(get(get(axes, 'children'), 'ydata'), diff(sol.t));
%! geoms('stiff-spring-1e2', [0 0.1]); % without outputs it is shown
%! close all
