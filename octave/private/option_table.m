function [names, kinds, table] = option_table()
% OPTION_TABLE  Names of all options: those of the option table of the library, and those of this interface.
%   kinds says what each is: 'integer' and 'real' options of the table, 'own' ones of this interface.
persistent known kind_of rows
if isempty(known)
    rows = geoms_gateway('options');
    own = own_options();
    known = [{rows.name}, own(:, 1)'];
    kind_of = [{rows.kind}, repmat({'own'}, 1, size(own, 1))];
end
names = known;
kinds = kind_of;
table = rows;
end
