function text = in_our_names(text)
% IN_OUR_NAMES  A text of the library, which names functions of C, with the functions of this interface.
names = {'geoms_check_model', 'geoms_check'; 'geoms_check_jacobian', 'geoms_check'; 'geoms_rank_report', 'geoms_check'
    'conditions \(geoms_set_conditions\)', 'IVCOND'; 'geoms_make_consistent', 'geoms_consistent'};
for k = 1:size(names, 1)
    text = regexprep(text, names{k, 1}, names{k, 2});
end
end
