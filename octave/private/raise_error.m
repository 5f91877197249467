function raise_error(failure, reached)
% RAISE_ERROR  The error for a failure of the library, which geoms_lasterror keeps with what was reached.
for field = {'sentence', 'advice', 'detail', 'report'}
    failure.(field{1}) = in_our_names(failure.(field{1}));
end
if ~isempty(failure.complaint)
    failure.identifier = 'geoms:badFunction';
    failure.message = ['geoms: ' failure.complaint];
else
    failure.identifier = sprintf('geoms:E%d', -failure.idid);
    failure.message = ['geoms: ' failure.report];
end
failure.reached = reached;
geoms_lasterror(failure);
error(failure.identifier, '%s', failure.message);
end
