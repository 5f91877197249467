function last = geoms_lasterror(new)
% GEOMS_LASTERROR  What is known of the last failure of GEOMS; [] if there was none.
%
%   last = geoms_lasterror()
%
%   A structure: idid, sentence (what the code means), advice (what to try), detail, report (all of this), t and h (last accepted
%   time, step size of the last attempt), block and index (component of X or RDA concerned), theta (rate of convergence of Newton's
%   method), identifier and message of the error, and reached: the solution as far as it goes, as GEOMS returns it.
%
%   See also GEOMS.

persistent kept
if nargin > 0
    kept = new;
end
last = kept;
end
