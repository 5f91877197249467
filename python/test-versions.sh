#!/usr/bin/env bash
# test-versions.sh WHEEL FOLDER PYTHON...: the short tests of the wheel in an environment of each of these interpreters, which may be paths. Those that are
# not there are named and left out; none at all is a failure.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "$1") folder=$(realpath "$2")
shift 2
. "$root/python/counts.sh"
tried=0
for python in "$@"; do
    if ! version=$("$python" -c 'import platform; print(platform.python_version())' 2>/dev/null); then
        echo "$python is not here"
        continue
    fi
    tried=$((tried + 1))
    environment=$folder/version-$version
    PYTHON=$python "$root/.ci/setup-python" "$environment" numpy pytest || exit 1
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel" || exit 1
    (cd "$environment" && rm -rf tests && cp -r "$root/python/tests" tests && cp -r "$root/python/examples" tests/examples &&
        GEOMS_WHEEL=$wheel GEOMS_CACHE=$environment/cache bin/python -m pytest -q -p no:cacheprovider tests -m 'not long') 2>&1 | tee "$environment.log"
    counts "$environment.log"
    echo "Python $version: $(tail -n 1 "$environment.log")"
done
echo "versions: $passed passed, $failed failed, $tried interpreters"
[ "$failed" -eq 0 ] && [ "$tried" -gt 0 ]
