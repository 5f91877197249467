function number = method_number(name)
% METHOD_NUMBER  The number of a method by its keyword, of which the beginning is enough, or by its whole name.
table = geoms_gateway('methods');
word = regexprep(name, '[^A-Za-z]', '');
hits = find(strcmpi(word, {table.keyword}) | strcmpi(name, {table.name}));
if isempty(hits) && ~isempty(word)
    hits = find(strncmpi(word, {table.keyword}, numel(word)));
end
if numel(hits) ~= 1
    lines = arrayfun(@(m) sprintf('\n  %3s  %-20s %s', m.number, m.keyword, m.name), table(:)', 'UniformOutput', false);
    what = {'there is no such method', 'more than one method begins so'};
    error('geoms:badOption', 'geoms: METHOD = ''%s'': %s; these are known:%s', name, what{1 + ~isempty(hits)}, [lines{:}]);
end
number = str2double(table(hits).number);
end
