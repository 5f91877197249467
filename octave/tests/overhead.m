function overhead()
% OVERHEAD  What one call of a function of the interpreter costs, beside the work that it does: the same pendulum, with the same
%   steps, by compiled functions and by functions of the interpreter. CPU times, the least of five.
work = getenv('GEOMS_TEST_WORK');
compiled = struct('NP', 2, 'NV', 2, 'NL', 1, 'library', [work '/libcompiled_pendulum.so'], 'EOM', 'test_eom', 'MAS', ...
    'test_mass', 'JAC', 'test_jacobian', 'RPAR', 9.81);
x0 = [0 0 0 1 0];
options = geomsset('RelTol', 1e-8, 'AbsTol', 1e-8, 'MASSTRCT', 4);
seconds = @(f) min(arrayfun(@(k) timed(f), 1:5));
% A function that returns at once is asked at every evaluation of an event: its cost is the overhead.
flat = seconds(@() geoms(compiled, [0 20], x0, geomsset(options, 'HMAX', 0.01)));
[~, ~, info] = geoms(compiled, [0 20], x0, geomsset(options, 'HMAX', 0.01, 'Events', @(T, X) 1));
watched = seconds(@() geoms(compiled, [0 20], x0, geomsset(options, 'HMAX', 0.01, 'Events', @(T, X) 1)));
fprintf('a function that returns a constant:   %.1f microseconds per call (%d calls)\n', 1e6*(watched - flat)/info.calls, info.calls);
own = rmfield(compiled, {'library', 'RPAR'});
own.MAS = eye(2);
own.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*9.81*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); ...
    X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -9.81 - 2*X(5)*X(1); X(2); X(3)];
own = rmfield(own, 'JAC');
differences = rmfield(compiled, 'JAC');
flat = seconds(@() geoms(differences, [0 20], x0, options));
[~, ~, info] = geoms(own, [0 20], x0, options);
slow = seconds(@() geoms(own, [0 20], x0, options));
fprintf('EOM of the pendulum as one expression: %.1f microseconds per call (%d calls)\n', 1e6*(slow - flat)/info.calls, info.calls);
fprintf('the whole run: %.2f ms with compiled functions, %.0f ms with EOM in the interpreter\n', 1e3*flat, 1e3*slow);
end

function s = timed(f)
started = cputime();
x = f(); %#ok<NASGU>
s = cputime() - started;
end
