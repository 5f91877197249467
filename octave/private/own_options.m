function list = own_options()
% OWN_OPTIONS  Options that are not in the table of the library: name, other names, range, default, meaning.
list = {
    'RelTol', {'RTOL'}, 'numbers > 0: one, or N', '1e-6', 'Relative tolerance, for all components or each.'
    'AbsTol', {'ATOL'}, 'numbers >= 0: one, or N', '1e-6', 'Absolute tolerance, for all components or each.'
    'InitialStep', {'H'}, '>= 0', '0: chosen by the library', 'First step size; the step size with FIXED=1.'
    'Events', {}, 'function handle', 'none', '[VALUE, ISTERMINAL, DIRECTION] = EVENTS(T, X), as in odeset.'
    'EventTolerance', {}, '>= 0', '0: to rounding errors', 'To which event times are located.'
    'OutputFcn', {'SOLOUT'}, 'function handle', 'none', 'STATUS = OUTPUTFCN(T, X, FLAG), as in odeset; odeplot is one.'
    'OutputSel', {}, 'indices into X', 'all', 'Components that OutputFcn is told of.'
    'Refine', {}, 'integer >= 1', '1', 'Points per step, where TSPAN has two times.'
    'Stats', {}, '''on'', ''off''', '''off''', 'Print the counters at the end.'
    'Log', {}, '0, 3, 4', '0', 'Print messages: 3 beginning, end and events, 4 every step.'
    'Consistent', {}, '''on'', ''off''', '''off''', 'Move X0 to a consistent point nearby before the run.'
    'Failure', {}, '''error'', ''return''', '''error''', 'A run that fails: an error, or what was reached with IDID < 0 and a warning.'
    };
end
