function index = block_indices(dims)
% BLOCK_INDICES  Where the blocks of X are: X = [w; lambda; mu; r; v; s; p].
names = {'w', 'lambda', 'mu', 'r', 'v', 's', 'p'};
counts = dims([4 6 7 3 2 5 1]);
last = cumsum(counts);
index = struct();
for k = 1:7
    index.(names{k}) = last(k) - counts(k) + 1:last(k);
end
end
