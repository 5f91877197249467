% Runs the tests of this folder and prints their counts; GEOMS_TEST_FILES names some of them.
addpath(getenv('GEOMS_TEST_INTERFACE'));
folder = getenv('GEOMS_TEST_FOLDER');
files = strsplit(getenv('GEOMS_TEST_FILES'), ' ');
passed = 0;
all_tests = 0;
for k = 1:numel(files)
    started = tic();
    [good, count] = test(fullfile(folder, files{k}), 'quiet', stdout);
    fprintf('%-20s %d of %d (%.1f s)\n', files{k}, good, count, toc(started));
    passed = passed + good;
    all_tests = all_tests + count;
end
fprintf('tests: %d passed, %d failed\n', passed, all_tests - passed);
exit(passed ~= all_tests);
