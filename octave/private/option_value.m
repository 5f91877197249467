function value = option_value(name, kind, value)
% OPTION_VALUE  The value of an option as the library takes it; its range is checked by the library, or here for our own.
if isempty(value)
    value = [];
    return
end
switch kind
    case 'integer'
        value = integer_value(name, value);
    case 'real'
        value = scalar_value(name, value);
    otherwise
        value = own_value(name, value);
end
end

function value = integer_value(name, value)
if ischar(value) && strcmp(name, 'METHOD')
    value = method_number(value);
elseif ischar(value)
    value = on_or_off(name, value);
end
value = scalar_value(name, value);
if value ~= fix(value) || abs(value) > 2^53
    refuse(name, value, 'integers');
end
end

function value = scalar_value(name, value)
if ~(isnumeric(value) || islogical(value)) || ~isreal(value) || numel(value) ~= 1 || isnan(value)
    refuse(name, value, 'one real number');
end
value = double(value);
end

function flag = on_or_off(name, value)
if islogical(value) || isnumeric(value)
    flag = double(value(1) ~= 0);
elseif ischar(value) && any(strcmpi(value, {'on', 'off'}))
    flag = double(strcmpi(value, 'on'));
else
    refuse(name, value, '''on'', ''off''');
end
end

function value = own_value(name, value)
switch name
    case {'RelTol', 'AbsTol'}
        if ~isa(value, 'float') || ~isreal(value) || ~isvector(value) || any(isnan(value(:)))
            refuse(name, value, 'one real number, or one for each component of X');
        end
        value = double(full(value(:)));
    case {'Events', 'OutputFcn'}
        if ischar(value)
            value = str2func(value);
        elseif ~isa(value, 'function_handle')
            refuse(name, value, 'a function handle');
        end
    case 'OutputSel'
        if ~isnumeric(value) || ~isvector(value) || any(value(:) < 1 | value(:) ~= fix(value(:)))
            refuse(name, value, 'indices into X, from 1');
        end
        value = double(value(:));
    case {'Stats', 'Consistent'}
        value = on_or_off(name, value);
    case 'Failure'
        if ~ischar(value) || ~any(strcmpi(value, {'error', 'return'}))
            refuse(name, value, '''error'', ''return''');
        end
        value = lower(value);
    case {'Refine', 'Log'}
        value = scalar_value(name, value);
        if value ~= fix(value) || value < 0 || (strcmp(name, 'Refine') && value < 1)
            refuse(name, value, 'integers >= 1 (Refine), 0 to 4 (Log)');
        end
    otherwise
        value = scalar_value(name, value);
        if value < 0 || isinf(value)
            refuse(name, value, 'finite numbers >= 0');
        end
end
end

function refuse(name, value, allowed)
if isnumeric(value) && numel(value) == 1
    text = num2str(value);
elseif ischar(value)
    text = ['''' value(1, :) ''''];
else
    text = sprintf('<%s of class %s>', strrep(num2str(size(value)), '  ', 'x'), class(value));
end
error('geoms:badOption', 'geoms: %s = %s is not allowed; allowed: %s', name, text, allowed);
end
