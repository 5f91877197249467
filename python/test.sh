#!/usr/bin/env bash
# test.sh WHEEL LIBRARIES FOLDER [ARGUMENT OF PYTEST...]
#
# Installs the wheel into two virtual environments and runs the tests: in FOLDER/venv with SciPy, SymPy, numba and matplotlib and the
# compilers of the machine, where LIBRARIES has libgeoms.so for the comparison with C; in FOLDER/bare with NumPy alone, nothing else
# on the path, so that what needs more is skipped there.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "$1") libraries=$(realpath "$2") folder=$3
shift 3
mkdir -p "$folder"
folder=$(realpath "$folder")
. "$root/python/counts.sh"

# tests NAME COMMAND...: run pytest, add up.
tests() {
    local log=$folder/$1.log
    shift
    "$@" 2>&1 | tee "$log"
    counts "$log"
}

install() {
    "$root/.ci/setup-python" "$@" || exit 1
    "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel" || exit 1
}

install "$folder/bare" numpy pytest
install "$folder/venv" numpy scipy sympy pytest numba matplotlib
# Away from the sources, so that the installed package is the one that is imported.
rm -rf "$folder/tests"
cp -r "$root/python/tests" "$folder/tests"
cp -r "$root/python/examples" "$folder/tests/examples"
cd "$folder" || exit 1
export GEOMS_CACHE=$folder/cache MPLBACKEND=Agg
tests bare env -i PATH="$folder/bare/bin" HOME="$folder" GEOMS_CACHE="$GEOMS_CACHE" GEOMS_WHEEL="$wheel" \
    "$folder/bare/bin/python" -m pytest -q -p no:cacheprovider tests "$@"
GEOMS_LIBRARIES=$libraries GEOMS_SOURCES=$root GEOMS_WHEEL=$wheel \
    tests full "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests "$@"
grep -h '^count: ' "$folder"/*.log | sort -u
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
