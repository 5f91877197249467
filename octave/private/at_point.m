function result = at_point(command, problem, t, x, options)
% AT_POINT  What GEOMS_CHECK and GEOMS_CONSISTENT share: a question about a model at (t, x).
if isempty(options)
    options = struct();
end
options = geomsset(options);
[model, problem] = model_description(problem, options);
model.NIVCOND = 0;
if ~isa(t, 'float') || ~isreal(t) || numel(t) ~= 1
    error('geoms:badArgument', 'geoms_%s: t is one real number', command);
end
x = initial_vector(x, model.dims, ['geoms_' command]);
result = geoms_gateway(command, model, table_settings(options, model, problem), double(t), x);
if result.idid < 0 || ~isempty(result.error.complaint)
    raise_error(result.error, []);
end
end
