function table = geoms_methods()
% GEOMS_METHODS  The methods of the library: their numbers and names, as the option METHOD takes them, and what they do.
%
%   geoms_methods           prints the table
%   table = geoms_methods   a structure for each: keyword, name, number, features (a cell array: what is asked for, and what is done of it)
%
%   See also GEOMS, GEOMSSET.

table = geoms_gateway('methods');
for k = 1:numel(table)
    table(k).number = str2double(table(k).number);
end
if nargout == 0
    for k = 1:numel(table)
        fprintf('%3d  %s: %s\n', table(k).number, table(k).keyword, table(k).name);
        for row = table(k).features'
            fprintf('       %-42s %s\n', row{1}, row{2});
        end
    end
    clear table
end
end
