% The same compiled functions through C (identity.c) and through the interpreter: the same digits. GEOMS_TEST_WORK is the folder of run.sh.

%!function [model, tspan, x0] = compiled_pendulum()
%!  work = getenv('GEOMS_TEST_WORK');
%!  model = struct('NP', 2, 'NV', 2, 'NL', 1, 'library', [work '/libcompiled_pendulum.so'], 'EOM', 'test_eom', ...
%!      'MAS', 'test_mass', 'JAC', 'test_jacobian', 'RPAR', 13.75);
%!  tspan = [0 5];
%!  x0 = [(2.8*2.8 + 13.75)/2; 2.8; 0; 0; -1];
%!endfunction

%!function words = bits(values)
%!  words = cellstr(num2hex(values(:)))';
%!endfunction

%!test
%! % identical digits
%! lines = strsplit(strtrim(fileread([getenv('GEOMS_TEST_WORK') '/identity.out'])), "\n");
%! assert(numel(lines) >= 8*numel(geoms_methods()) - 4);
%! for line = lines
%!     word = strsplit(line{1}, ' ');
%!     options = geomsset('METHOD', str2double(word{2}), 'RelTol', str2double(word{3}), 'AbsTol', str2double(word{3}));
%!     if strcmp(word{1}, 'compiled')
%!         [problem, tspan, x0] = compiled_pendulum();
%!         options.MASSTRCT = 4;
%!     else
%!         problem = word{1};
%!         tspan = [];
%!         x0 = [];
%!     end
%!     [T, X, info] = geoms(problem, tspan, x0, options);
%!     assert([{sprintf('%d', info.stats.naccpt)}, bits(info.h), bits(X(end, :))], word(4:end));
%!     assert(info.calls, 0);
%! end

%!test
%! % functions of Octave against compiled ones, the same steps: within 10 TOL
%! [model, tspan, x0] = compiled_pendulum();
%! g = 13.75;
%! own = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', @(T, X) eye(2));
%! own.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*g*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); ...
%!     X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -g - 2*X(5)*X(1); X(2); X(3)];
%! own.JAC = @(T, X) {[4*(X(4)^2 + X(5)^2), -4*X(2), -4*X(3), 8*X(4)*X(1), 2*g + 8*X(5)*X(1)], [-2*X(4), -2*X(5), -2*X(2), -2*X(3)], ...
%!     [-2*X(4), -2*X(5)], [], [2*X(4), 0, 0, 2*X(1), 0; 2*X(5), 0, 0, 0, 2*X(1)], [-1 0 0 0; 0 -1 0 0]};
%! for method = geoms_methods()'
%!     row = strncmp('error control of λ', method.features(:, 1), numel('error control of λ'));
%!     for tol = [1e-4 1e-6]
%!         options = geomsset('RelTol', tol, 'AbsTol', tol, 'METHOD', method.number);
%!         [~, X] = geoms(model, tspan, x0, options);
%!         [~, Y] = geoms(own, tspan, x0, options);
%!         % All that the method controls: multipliers that it does not are as accurate as they come.
%!         compared = 2:5;
%!         if ~strcmp(method.features{row, 2}, 'no')
%!             compared = 1:5;
%!         end
%!         assert(Y(end, compared), X(end, compared), 10*tol);
%!     end
%! end
%! assert(geoms_check(own, 0, x0), {});
