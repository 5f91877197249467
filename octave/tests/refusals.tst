% Wrong input of every kind is refused with a message that says what is wrong and what is allowed.

%!function [model, x0] = pendulum()
%!  model = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', eye(2));
%!  model.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*9.81*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); ...
%!      X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -9.81 - 2*X(5)*X(1); X(2); X(3)];
%!  x0 = [0 0 0 1 0];
%!endfunction

%!function refused(identifier, pattern, f)
%!  try
%!    f();
%!  catch err
%!    assert(err.identifier, identifier);
%!    assert(~isempty(regexp(err.message, pattern, 'once')), err.message);
%!    return
%!  end
%!  error('not refused: %s', func2str(f));
%!endfunction

%!function run_with(name, value, varargin)
%!  [model, x0] = pendulum();
%!  model.(name) = value;
%!  [T, X] = geoms(model, [0 1], x0, varargin{:});
%!endfunction

%!function run_without(name)
%!  [model, x0] = pendulum();
%!  [T, X] = geoms(rmfield(model, name), [0 1], x0);
%!endfunction

%!function call(varargin)
%!  [T, X] = geoms(varargin{:});
%!endfunction

%!function [a, b, c] = three(T, X)
%!  a = b = c = 1;
%!endfunction

%!test
%! % problems
%! [model, x0] = pendulum();
%! refused('geoms:badArgument', 'geoms\(problem, tspan', @() call());
%! refused('geoms:badProblem', 'structure.*double', @() call(17, [0 1], x0));
%! refused('geoms:badProblem', 'structure', @() call([model model], [0 1], x0));
%! refused('geoms:badArgument', 'no problem pendulun-2.8 \(pendulum-2.8\?\)', @() call('pendulun-2.8'));
%! refused('geoms:badArgument', 'could be pendulum-2.8, ', @() call('pendulum'));
%! for name = {'NP', 'NV', 'EOM', 'MAS'}
%!     refused('geoms:badProblem', ['no.* ' name{1}], @() run_without(name{1}));
%! end
%! refused('geoms:badProblem', 'no field EOMS \(EOM\?\)', @() run_with('EOMS', 1));
%! refused('geoms:badProblem', 'EOM is a function handle', @() run_with('EOM', 1));
%! refused('geoms:badProblem', 'MAS is 3 by 3', @() run_with('MAS', eye(3)));
%! refused('geoms:badProblem', 'MAS is 2 by 2.*real', @() run_with('MAS', 1i*ones(2)));
%! refused('geoms:badProblem', 'MAS is a function handle', @() run_with('MAS', {1}));
%! refused('geoms:badProblem', 'JAC has 3 outputs', @() run_with('JAC', @three));
%! refused('geoms:badProblem', 'NIVCOND = 2, but', @() run_with('NIVCOND', 2));
%! refused('geoms:badProblem', 'PARTS is the name', @() run_with('PARTS', @sin));
%! for value = {-1, 1.5, NaN, 'two', [1 2], {}, 1i}
%!     refused('geoms:badProblem', 'NL is an integer >= 0', @() run_with('NL', value{1}));
%! end
%! refused('geoms:badProblem', 'there is no file', @() run_with('library', 'no/such/file.so'));
%! refused('geoms:badProblem', 'path of a shared object', @() run_with('library', 3));
%! refused('geoms:badArgument', 'library: .*(invalid ELF|too short)', @() run_with('library', which('geoms')));

%!test
%! % compiled functions
%! library = [getenv('GEOMS_TEST_WORK') '/libcompiled_pendulum.so'];
%! model = struct('NP', 2, 'NV', 2, 'NL', 1, 'library', library, 'EOM', 'test_eom', 'MAS', 'test_mass', 'RPAR', 9.81);
%! x0 = [0 0 0 1 0];
%! call(model, [0 1], x0);
%! model.EOM = 'no_such_function';
%! refused('geoms:badArgument', 'EOM: .*no symbol no_such_function', @() call(model, [0 1], x0));
%! model.EOM = 'test_stopping';
%! refused('geoms:E1102', 'EOM stopped', @() call(model, [0 1], x0));
%! model.EOM = 'test_eom';
%! model.IVCOND = 'test_conditions';
%! refused('geoms:badProblem', 'NIVCOND is missing', @() call(model, [0 1], x0));
%! model.NIVCOND = 2;
%! [~, X] = geoms(model, [0 1], [5 0 0 0.1 -1]);
%! assert(X(1, 2:5), [2 0 0 -1], 1e-6);
%! model.RPAR = int8(9);
%! refused('geoms:badProblem', 'RPAR is of class int8', @() call(model, [0 1], x0));

%!test
%! % times and initial values
%! [model, x0] = pendulum();
%! refused('geoms:badArgument', 'TSPAN is missing', @() call(model));
%! refused('geoms:badArgument', 'X0 is missing', @() call(model, [0 1]));
%! refused('geoms:badArgument', 'TSPAN is .*1 entries', @() call(model, 1, x0));
%! refused('geoms:badArgument', 'TSPAN\(2\) = NaN', @() call(model, [0 NaN], x0));
%! refused('geoms:badArgument', 'TSPAN\(2\) = Inf', @() call(model, [0 Inf], x0));
%! refused('geoms:badArgument', 'must increase; TSPAN\(3\)', @() call(model, [0 2 1], x0));
%! refused('geoms:badArgument', 'TSPAN is', @() call(model, {0, 1}, x0));
%! refused('geoms:badArgument', 'TSPAN is .*int32', @() call(model, int32([0 1]), x0));
%! refused('geoms:badArgument', 'TSPAN is', @() call(model, ones(2), x0));
%! refused('geoms:E1106', 'before', @() call(model, [1 0], x0));
%! refused('geoms:badArgument', '4 entries; N = 5 are needed: 1 lambda, 2 v, 2 p', @() call(model, [0 1], x0(1:4)));
%! refused('geoms:badArgument', 'class int32', @() call(model, [0 1], int32(x0)));
%! refused('geoms:badArgument', 'complex double', @() call(model, [0 1], x0 + 1i));
%! refused('geoms:badArgument', 'class cell', @() call(model, [0 1], num2cell(x0)));
%! refused('geoms:badArgument', 'class char', @() call(model, [0 1], 'abcde'));
%! refused('geoms:badArgument', 'no block q', @() call(model, [0 1], struct('q', 1)));
%! refused('geoms:badArgument', 'X0.p is 3 numbers', @() call(model, [0 1], struct('p', [1 2 3])));
%! refused('geoms:E1001', 'X', @() call(model, [0 1], [0 0 0 NaN 0]));
%! refused('geoms:E1001', 'X', @() call(model, [0 1], [0 0 0 Inf 0]));

%!test
%! % options
%! [model, x0] = pendulum();
%! refused('geoms:badArgument', 'options is a structure', @() call(model, [0 1], x0, 3));
%! refused('geoms:badOption', 'no option nonsense', @() call(model, [0 1], x0, struct('nonsense', 1)));
%! refused('geoms:badOption', 'no option METHD \(METHOD\?\)', @() geomsset('METHD', 1));
%! refused('geoms:badOption', 'pairs', @() geomsset('METHOD'));
%! refused('geoms:badOption', 'string', @() geomsset(1, 2));
%! refused('geoms:badOption', '''euler'': there is no such method.*Radau', @() geomsset('METHOD', 'euler'));
%! refused('geoms:badOption', 'more than one method', @() geomsset('METHOD', 'h'));
%! refused('geoms:badOption', 'METHOD = 0.5.*integers', @() geomsset('METHOD', 0.5));
%! refused('geoms:badOption', 'DECOMPC.*one real number', @() geomsset('DECOMPC', [1 2]));
%! refused('geoms:badOption', 'HMAX.*one real number', @() geomsset('HMAX', 'big'));
%! refused('geoms:badOption', 'HMAX = NaN', @() geomsset('HMAX', NaN));
%! refused('geoms:badOption', 'RelTol', @() geomsset('RelTol', {1}));
%! refused('geoms:badOption', 'Events.*function handle', @() geomsset('Events', 5));
%! refused('geoms:badOption', 'Failure', @() geomsset('Failure', 'ignore'));
%! refused('geoms:badOption', 'Refine', @() geomsset('Refine', 0));
%! refused('geoms:badOption', 'Consistent', @() geomsset('Consistent', 'perhaps'));
%! refused('geoms:badOption', 'RelTol has 2 entries', @() call(model, [0 1], x0, geomsset('RelTol', [1 2])));
%! refused('geoms:badOption', 'OutputSel has 9', @() call(model, [0 1], x0, geomsset('OutputFcn', @disp, 'OutputSel', 9)));
%! refused('geoms:E1001', 'METHOD = 77 is not allowed', @() call(model, [0 1], x0, geomsset('METHOD', 77)));
%! refused('geoms:E1001', 'DECOMPC = 9', @() call(model, [0 1], x0, geomsset('DECOMPC', 9)));
%! refused('geoms:E1001', 'HMAX = -1', @() call(model, [0 1], x0, geomsset('HMAX', -1)));
%! refused('geoms:E1001', 'RTOL = -1 is not allowed', @() call(model, [0 1], x0, geomsset('RelTol', -1)));
%! refused('geoms:badArgument', 'form = 5 is not allowed', @() call(model, [0 1], x0, geomsset('FORM', 5)));
%! refused('geoms:badArgument', 'geomsget', @() geomsget(1, 'HMAX'));

%!test
%! % what functions return
%! refused('geoms:badFunction', 'EOM returned RDA with 1 by 1 entries; 7 by 1', @() run_with('EOM', @(T, X) 1));
%! refused('geoms:badFunction', 'EOM returned RDA with 7 by 2', @() run_with('EOM', @(T, X) ones(7, 2)));
%! refused('geoms:badFunction', 'EOM returned RDA as complex double', @() run_with('EOM', @(T, X) 1i*ones(7, 1)));
%! refused('geoms:badFunction', 'EOM returned RDA as cell', @() run_with('EOM', @(T, X) {1}));
%! refused('geoms:badFunction', 'EOM returned RDA as char', @() run_with('EOM', @(T, X) 'abcdefg'));
%! refused('geoms:badFunction', 'MAS returned MA with 1 by 4 entries; 2 by 2', @() run_with('MAS', @(T, X) [1 0 0 1]));
%! refused('geoms:badFunction', 'JAC has one output, which must be a cell', @() run_with('JAC', @(T, X) eye(7)));
%! refused('geoms:badFunction', 'JAC returned FX2 with 1 by 1', @() run_with('JAC', @(T, X) {[], 1, [], [], [], []}));
%! refused('geoms:badFunction', 'Events returned VALUE with 2 by 1', @() run_with('NM', 0, geomsset('Events', @(T, X) ones(1 + (T > 0), 1))));
%! refused('geoms:badFunction', 'ISTERMINAL with 2', @() run_with('NM', 0, geomsset('Events', @(T, X) deal([1 2 3], [1 0], 0))));
%! refused('geoms:badProblem', 'NIVCOND is an integer', @() run_with('NIVCOND', 'a'));
%! refused('geoms:badFunction', 'IVCOND returned COND as complex', @() run_with('IVCOND', @(T, X) X(1:2) + 1i));

%!error <no such variable|undefined> run_with('EOM', @(T, X) no_such_variable)
%!error <too many inputs> run_with('EOM', @(T) 1)

%!test
%! % the other functions
%! sol = geoms('pendulum-2.8', [0 1]);
%! refused('geoms:badArgument', 'not in the run', @() geoms_deval(sol, 1.5));
%! refused('geoms:badArgument', 't\(2\) = NaN', @() geoms_deval(sol, [0 NaN]));
%! refused('geoms:badArgument', 'sol is what', @() geoms_deval(1, 2));
%! refused('geoms:badArgument', 'components', @() geoms_deval(sol, 0, 77));
%! refused('geoms:badArgument', 't is a vector', @() geoms_deval(sol, 'a'));
%! refused('geoms:badArgument', 'a row of N = 5', @() geoms_residuals('pendulum-2.8', 0, 1));
%! refused('geoms:badArgument', 'geoms_residuals', @() geoms_residuals(1));
%! refused('geoms:badArgument', 'sol is what', @() geoms_plot(1));
%! refused('geoms:badArgument', 'nothing called', @() geoms_plot(sol, 'q'));
%! refused('geoms:badArgument', 'string', @() geoms_problem(1));
%! refused('geoms:badArgument', 't is one real', @() geoms_check('pendulum-2.8', 'a', zeros(5, 1)));
%! refused('geoms:badArgument', 'geoms_check: X0 has 2', @() geoms_check('pendulum-2.8', 0, [1 2]));
