% Runs that fail: errors with code, sentence and advice; errors of functions arrive as they were; nothing is left behind.

%!function [model, x0] = pendulum()
%!  model = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', eye(2));
%!  model.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*9.81*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); ...
%!      X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -9.81 - 2*X(5)*X(1); X(2); X(3)];
%!  x0 = [0 0 0 1 0];
%!endfunction

%!function RDA = fails_late(T, X)
%!  model = pendulum();
%!  if T > 0.3
%!    error('mine:late', 'too late: T = %g', T);
%!  end
%!  RDA = model.EOM(T, X);
%!endfunction

%!function result = throws(varargin)
%!  error('mine:other', 'thrown here');
%!endfunction

%!function kilobytes = memory_used()
%!  text = fileread('/proc/self/status');
%!  kilobytes = str2double(regexp(text, 'VmRSS:\s+(\d+)', 'tokens', 'once'){1});
%!endfunction

%!test
%! % code, sentence, advice, and what was reached
%! [model, x0] = pendulum();
%! try
%!     [T, X] = geoms(model, [0 100], x0, geomsset('NMAX', 20));
%!     error('did not fail');
%! catch err
%!     assert(err.identifier, 'geoms:E1117');
%!     assert(~isempty(regexp(err.message, 'More than NMAX steps')));
%! end
%! last = geoms_lasterror();
%! assert({last.idid, last.identifier}, {-1117, 'geoms:E1117'});
%! assert(last.sentence, 'More than NMAX steps are needed.');
%! assert(~isempty(last.advice));
%! assert(~isempty(strfind(last.report, last.advice)));
%! assert(last.t, last.reached.t(end));
%! assert(size(last.reached.x), [numel(last.reached.t), 5]);
%! assert(last.t > 0);

%!test
%! % a failed run returned
%! [model, x0] = pendulum();
%! [T, X, info] = geoms(model, [0 100], x0, geomsset('NMAX', 20, 'Failure', 'return'));
%! assert({info.idid, info.ending, info.error.idid}, {-1117, 'failure', -1117});
%! assert(T(end) < 100 && T(end) > 0);
%! [~, id] = lastwarn();
%! assert(id, 'geoms:E1117');
%! sol = geoms(model, [0 100], x0, geomsset('NMAX', 20, 'Failure', 'return'));
%! assert(geoms_deval(sol, T'), X', 1e-10);

%!test
%! % the block and the row of a contradiction
%! [model, x0] = pendulum();
%! model.IVCOND = @(T, X) [X(4) - 3; X(5); X(3)];
%! try
%!     [T, X] = geoms(model, [0 1], x0);
%!     error('did not fail');
%! catch err
%!     assert(err.identifier, 'geoms:E2104');
%! end

%!test
%! % a model whose rows do not fit: a warning
%! [model, x0] = pendulum();
%! right = model.EOM;
%! model.EOM = @(T, X) right(T, X).*[1 2 1 1 1 1 1]';
%! warning('off', 'geoms:warning', 'local');
%! [T, X, info] = geoms(model, [0 1], x0);
%! assert(numel(info.warnings) >= 1);
%! assert(~isempty(strfind(info.warnings{1}, 'gI')), info.warnings{1});
%! assert(numel(geoms_check(model, 0, x0)) >= 1);
%! model.EOM = right;
%! model.JAC = @(T, X) {[], [], [], [], [], [1 0 0 0; 0 1 0 0]};
%! assert(numel(geoms_check(model, 0, [0 1 2 1 0])) >= 1);

%!test
%! % a method that ignores something says so
%! problem = geoms_problem('pendulum-2.8');
%! problem.NI = problem.invariants;
%! assert(problem.NI > 0);
%! warning('off', 'geoms:warning', 'local');
%! [~, ~, info] = geoms(problem, [0 1], [], geomsset('METHOD', 'hht'));
%! assert(~isempty(strfind([info.warnings{:}], 'invariants')));

%!test
%! % errors of every function arrive with identifier and message
%! [model, x0] = pendulum();
%! for name = {'EOM', 'MAS', 'JAC', 'IVCOND'}
%!     other = model;
%!     other.(name{1}) = @(T, X) throws(T, X);
%!     try
%!         [T, X] = geoms(other, [0 1], x0);
%!         error('did not fail');
%!     catch err
%!         assert({err.identifier, err.message}, {'mine:other', 'thrown here'}, name{1});
%!     end
%! end
%! for name = {'Events', 'OutputFcn'}
%!     try
%!         [T, X] = geoms(model, [0 1], x0, geomsset(name{1}, @throws));
%!         error('did not fail');
%!     catch err
%!         assert({err.identifier, err.message}, {'mine:other', 'thrown here'}, name{1});
%!     end
%! end
%! model.EOM = @fails_late;
%! try
%!     [T, X] = geoms(model, [0 1], x0);
%!     error('did not fail');
%! catch err
%!     assert(err.identifier, 'mine:late');
%!     assert(any(strcmp({err.stack.name}, 'fails_late') | ~cellfun(@isempty, strfind({err.stack.name}, 'fails_late'))));
%! end
%! fail('geoms_residuals(model, 1, x0)', 'too late');
%! fail('geoms_check(model, 1, x0)', 'too late');

%!test
%! % after an error the next run is right
%! [model, x0] = pendulum();
%! [~, X] = geoms(model, [0 1], x0);
%! other = model;
%! other.EOM = @fails_late;
%! for k = 1:5
%!     try
%!         sol = geoms(other, [0 1], x0);
%!     catch
%!     end
%!     [~, Y] = geoms(model, [0 1], x0);
%!     assert(X, Y);
%! end

%!test
%! % an error in an inner run ends both
%! [model, x0] = pendulum();
%! inner = model;
%! inner.EOM = @fails_late;
%! outer = model;
%! outer.EOM = @(T, X) model.EOM(T, X) + 0*numel(geoms(inner, [0 1], x0).t);
%! fail('geoms(outer, [0 1], x0)', 'too late');

%!test
%! % no memory is lost: by runs, by failures, by errors of functions
%! [model, x0] = pendulum();
%! failing = model;
%! failing.EOM = @fails_late;
%! problem = geoms_problem('andrews');
%! for k = 1:60
%!     if k == 20
%!         before = memory_used();
%!     end
%!     try
%!         sol = geoms(failing, [0 1], x0);
%!     catch
%!     end
%!     try
%!         sol = geoms(problem, [], [], geomsset('NMAX', 5));
%!     catch
%!     end
%!     sol = geoms(problem, [0 1e-3], []);
%! end
%! assert(memory_used() - before < 4000);

%!test
%! % texts name functions of this interface
%! [model, x0] = pendulum();
%! try
%!     [T, X] = geoms(model, [0 1], struct('p', [1.1 0]));
%!     error('did not fail');
%! catch err
%!     assert(err.identifier, 'geoms:E1105');
%!     assert(isempty(regexp(err.message, 'geoms_(set|make|check_)', 'once')), err.message);
%!     assert(~isempty(strfind(geoms_lasterror().advice, 'IVCOND')));
%! end

%!test
%! % a gateway that is cleared and loaded again
%! clear -f geoms_gateway
%! clear all
%! sol = geoms('pendulum-2.8', [0 1]);
%! assert(sol.t(end), 1);
