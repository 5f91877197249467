function text = similar_name(given, names)
% SIMILAR_NAME  ' (METHOD?)' if one of the names is spelled nearly so; otherwise ''.
text = '';
best = 3;
for k = 1:numel(names)
    d = edits(upper(given), upper(names{k}));
    if d < best
        best = d;
        text = sprintf(' (%s?)', names{k});
    end
end
end

function d = edits(a, b)
% Levenshtein's distance.
row = 0:numel(b);
for i = 1:numel(a)
    previous = row;
    row(1) = i;
    for j = 1:numel(b)
        row(j + 1) = min([row(j) + 1, previous(j + 1) + 1, previous(j) + (a(i) ~= b(j))]);
    end
end
d = row(end);
end
