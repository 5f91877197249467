function options = geomsset(varargin)
% GEOMSSET  Options of GEOMS, as ODESET makes those of the ODE solvers.
%
%   options = geomsset('RelTol', 1e-8, 'METHOD', 'radau', 'HMAX', 0.1)
%   options = geomsset(options, 'NAME', value, ...)    changes some of them
%   options = geomsset(old, new)                       those of new win
%   geomsset                                           lists all options, their ranges and defaults
%
%   Names are those of the report (METHOD, DECOMPC, MASSTRCT, HMAX, ...; the table of the library), in any case, and
%   RelTol (RTOL), AbsTol (ATOL), InitialStep (H), MaxStep (HMAX), Events, EventTolerance, OutputFcn (SOLOUT), OutputSel,
%   Refine, Stats, Log, Consistent, Failure. An empty value is the default. METHOD is a number or a keyword, of which
%   the beginning is enough: geoms_methods lists them. Flags may be given as true, false, 'on', 'off'.
%
%   See also GEOMS, GEOMSGET, GEOMS_METHODS.

[names, kinds, table] = option_table();
if nargin == 0 && nargout == 0
    list_options(table);
    return
end
options = cell2struct(cell(numel(names), 1), names(:), 1);
k = 1;
while k <= nargin && isstruct(varargin{k})
    given = varargin{k};
    if numel(given) ~= 1
        error('geoms:badOption', 'geomsset: one structure of options is needed, not %d', numel(given));
    end
    fields = fieldnames(given);
    for i = 1:numel(fields)
        [name, kind] = option_name(fields{i});
        value = option_value(name, kind, given.(fields{i}));
        if ~isempty(value)
            options.(name) = value;
        end
    end
    k = k + 1;
end
if mod(nargin - k + 1, 2) ~= 0
    error('geoms:badOption', 'geomsset: names and values come in pairs; the last name has no value');
end
for k = k:2:nargin
    [name, kind] = option_name(varargin{k});
    options.(name) = option_value(name, kind, varargin{k + 1});
end
end

function list_options(table)
own = own_options();
for i = 1:size(own, 1)
    name = strjoin([own(i, 1), own{i, 2}], ', ');
    fprintf('%-18s [ %s ] { %s }\n    %s\n', name, own{i, 3}, own{i, 4}, own{i, 5});
end
for i = 1:numel(table)
    row = table(i);
    fprintf('%-9s %-8s [ %s ] { %s }\n    %s\n', row.name, row.slot, row.range, row.default, row.meaning);
end
end
