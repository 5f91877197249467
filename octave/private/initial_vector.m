function x0 = initial_vector(x0, dims, who)
% INITIAL_VECTOR  X0 as a column: given as a vector, or as a structure of blocks, of which those that are missing are zero.
index = block_indices(dims);
names = fieldnames(index);
n = sum(dims(1:7));
if isstruct(x0) && numel(x0) == 1
    blocks = x0;
    x0 = zeros(n, 1);
    fields = fieldnames(blocks);
    for k = 1:numel(fields)
        if ~any(strcmp(fields{k}, names))
            error('geoms:badArgument', '%s: X0 has no block %s; blocks are %s', who, fields{k}, strjoin(names', ', '));
        end
        at = index.(fields{k});
        block = blocks.(fields{k});
        if ~isa(block, 'float') || ~isreal(block) || numel(block) ~= numel(at)
            error('geoms:badArgument', '%s: X0.%s is %d numbers of class %s; %d real ones are needed', who, fields{k}, ...
                numel(block), class(block), numel(at));
        end
        x0(at) = block(:);
    end
    return
end
if ~isa(x0, 'float') || ~isreal(x0)
    what = class(x0);
    if isnumeric(x0) && ~isreal(x0)
        what = ['complex ' what];
    end
    error('geoms:badArgument', '%s: X0 is of class %s; real floating point numbers are needed', who, what);
end
if numel(x0) ~= n || ~(isvector(x0) || n == 0)
    sizes = cellfun(@(name) sprintf('%d %s', numel(index.(name)), name), names, 'UniformOutput', false);
    nonzero = cellfun(@(name) ~isempty(index.(name)), names);
    error('geoms:badArgument', '%s: X0 has %d entries; N = %d are needed: %s', who, numel(x0), n, strjoin(sizes(nonzero)', ', '));
end
x0 = double(full(x0(:)));
end
