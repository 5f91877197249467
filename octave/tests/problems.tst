% A few problems of the library by all methods; `make octave-problems` has all of them.

%!test
%! addpath(getenv('GEOMS_TEST_FOLDER'));
%! [good, bad, lines] = compare_problems({'pendulum-2.8', 'slider-crank', 'knife-edge', 'maxwell-element', 'rotating-rod', 'n-four-bar-2', ...
%!     'andrews', 'top-steady'});
%! assert(bad, 0, [lines{:}]);
%! assert(good >= 8*numel(geoms_methods()) - 4);

%!test
%! % what is known of every problem
%! names = geoms_problem();
%! assert(numel(names) > 40);
%! for k = 1:numel(names)
%!     problem = geoms_problem(names{k});
%!     assert(numel(problem.x0), problem.NP + problem.NV + problem.NR + problem.NW + problem.NS + problem.NL + problem.NM);
%!     assert(size(problem.solution), size(problem.x0));
%!     assert(problem.tend > problem.t0 && ~isempty(problem.source));
%! end

%!test
%! % differences in place of the Jacobian; invariants; the other form
%! problem = geoms_problem('pendulum-2.8');
%! [~, X, info] = geoms(problem);
%! assert(info.stats.eom_for_differences, 0);
%! problem.JAC = false;
%! [~, Y, info] = geoms(problem);
%! assert(info.stats.eom_for_differences > 0);
%! assert(X(end, :), Y(end, :), 1e-4);
%! problem.NI = problem.invariants;
%! [~, Z] = geoms(problem, [], [], geomsset('RELAXE', 1)); % the energy has no gradient at a turning point
%! assert(X(end, 2:5), Z(end, 2:5), 1e-4);
%! [~, Z] = geoms('pendulum-2.8', [], [], geomsset('FORM', 1));
%! assert(X(end, 2:5), Z(end, 2:5), 1e-4);
