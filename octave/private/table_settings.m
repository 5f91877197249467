function settings = table_settings(options, model, problem)
% TABLE_SETTINGS  Options of the table and tolerances as the gateway sets them: names, values, which of them are integers.
[names, kinds] = option_table();
defaults = struct();
if isfield(model, 'constant_mass')
    defaults.MASSTRCT = model.constant_mass;
end
if isfield(problem, 'problem')
    defaults.MASSTRCT = problem.MASSTRCT;
    defaults.DECOMPC = problem.DECOMPC;
end
settings = struct('names', {{}}, 'values', [], 'integer', []);
for k = find(~strcmp(kinds, 'own'))
    value = options.(names{k});
    if isempty(value) && isfield(defaults, names{k})
        value = defaults.(names{k});
    end
    % The handle is made in its form.
    if ~isempty(value) && ~strcmp(names{k}, 'FORM')
        settings.names{end + 1} = names{k};
        settings.values(end + 1) = value;
        settings.integer(end + 1) = double(strcmp(kinds{k}, 'integer'));
    end
end
n = sum(model.dims(1:7));
settings.rtol = tolerance(options, 'RelTol', n);
settings.atol = tolerance(options, 'AbsTol', n);
end

function value = tolerance(options, name, n)
value = options.(name);
if isempty(value)
    value = 1e-6;
end
if numel(value) ~= 1 && numel(value) ~= n
    error('geoms:badOption', 'geoms: %s has %d entries; one, or N = %d are needed', name, numel(value), n);
end
end
