function [name, kind] = option_name(given)
% OPTION_NAME  The name of an option as option_table has it, for a name in any case or another name of it.
[names, kinds] = option_table();
if ~ischar(given) || size(given, 1) ~= 1
    error('geoms:badOption', 'geoms: the name of an option is a string');
end
k = find(strcmpi(given, names));
if isempty(k)
    own = own_options();
    for i = 1:size(own, 1)
        if any(strcmpi(given, own{i, 2}))
            k = find(strcmp(own{i, 1}, names));
        end
    end
end
if isempty(k) && strcmpi(given, 'MaxStep')
    k = find(strcmp('HMAX', names));
end
if isempty(k)
    error('geoms:badOption', 'geoms: there is no option %s%s; geomsset lists all', given, similar_name(given, names));
end
name = names{k};
kind = kinds{k};
end
