function x = geoms_consistent(problem, t, x, options)
% GEOMS_CONSISTENT  A consistent point nearby: the smallest change of the positions that satisfies the constraints, then of the
%   velocities, then of multipliers and auxiliary variables.
%
%   x = geoms_consistent(problem, t, x)
%
%   x is a vector or a structure of blocks, as X0 of GEOMS; a column comes out.
%
%   See also GEOMS, GEOMS_CHECK.

if nargin < 4
    options = [];
end
if nargin < 3
    error('geoms:badArgument', 'geoms_consistent: x = geoms_consistent(problem, t, x)');
end
result = at_point('consistent', problem, t, x, options);
x = result.numbers;
end
