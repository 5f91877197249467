function findings = geoms_check(problem, t, x, options)
% GEOMS_CHECK  Look for mistakes in a model: rows that do not fit each other, a wrong Jacobian, redundant constraints.
%
%   geoms_check(problem, t, x)              prints what it finds
%   findings = geoms_check(problem, t, x)   as a cell array of texts; empty if all is well
%
%   gI has to be the rate of g, gII that of gI with v' from the dynamic equations, the multipliers enter with the transposed
%   constraint matrix, the mass matrix is symmetric, JAC has the NEGATIVE derivatives, and so on. The point need not be consistent.
%
%   See also GEOMS, GEOMS_CONSISTENT.

if nargin < 4
    options = [];
end
if nargin < 3
    error('geoms:badArgument', 'geoms_check: findings = geoms_check(problem, t, x)');
end
result = at_point('check', problem, t, x, options);
findings = result.findings;
if nargout == 0
    if isempty(findings)
        fprintf('nothing found\n');
    else
        fprintf('%s\n', findings{:});
    end
    clear findings
end
end
