function value = geomsget(options, name, default)
% GEOMSGET  An option of a structure that GEOMSSET made.
%
%   value = geomsget(options, 'NAME')            [] if it is not set
%   value = geomsget(options, 'NAME', default)   default if it is not set
%
%   See also GEOMSSET.

if nargin < 2
    error('geoms:badArgument', 'geomsget: value = geomsget(options, name, default)');
end
if ~(isempty(options) || (isstruct(options) && numel(options) == 1))
    error('geoms:badArgument', 'geomsget: options is a structure that geomsset made, not of class %s', class(options));
end
value = [];
wanted = option_name(name);
if ~isempty(options)
    options = geomsset(options); % made by hand it may have other names
    value = options.(wanted);
end
if isempty(value) && nargin > 2
    value = default;
end
end
