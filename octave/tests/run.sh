#!/usr/bin/env bash
# run.sh FOLDER              the tests of the interface in FOLDER (`make octave`)
# run.sh FOLDER --problems   all problems by all methods against their references
# run.sh FOLDER --overhead   what a call of a function of the interpreter costs
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
interface=$(cd "$1" && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/octave-tests
OCTAVE=${OCTAVE_PROGRAM:-octave-cli}
CC=${CC:-cc}
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
export GEOMS_TEST_WORK=$work GEOMS_TEST_FOLDER=$here GEOMS_TEST_INTERFACE=$interface
mkdir -p "$work"
octave() { "$OCTAVE" --norc --no-history --quiet "$@"; }

# shellcheck disable=SC2086
$CC -std=c11 -O2 -fPIC -shared ${CFLAGS:-} -I"$root/include" "$here/compiled_pendulum.c" -o "$work/libcompiled_pendulum.so"

case ${2:-} in
--problems) exec "$OCTAVE" --norc --no-history --quiet --eval "addpath('$interface', '$here'); [good, bad] = compare_problems();
    printf('problems: %d passed, %d failed\n', good, bad); exit(bad > 0)" ;;
--overhead) exec "$OCTAVE" --norc --no-history --quiet --eval "addpath('$interface', '$here'); overhead()" ;;
esac

failed=0
# The library of C programs, not that of the gateway: the digits have to be the same.
# shellcheck disable=SC2086
$CC -std=c11 -O2 -Wall -Wextra -Werror ${CFLAGS:-} -I"$root/include" -I"$root/problems" "$here/identity.c" -o "$work/identity" \
    "$work/libcompiled_pendulum.so" "-Wl,-rpath,$work" -L"$target/release" -lgeoms -lgeoms_problems "-Wl,-rpath,$target/release"
"$work/identity" >"$work/identity.out"

GEOMS_TEST_FILES="runs.tst refusals.tst failures.tst identity.tst problems.tst" octave "$here/run_all.m" || failed=1

# Ctrl-C: ends the run, not the interpreter, with functions of either kind, and the next run is right.
if OCTAVE="$OCTAVE" "$here/interrupt.sh" "$interface"; then
    echo "interrupt: 2 passed, 0 failed"
else
    echo "interrupt: 0 passed, 1 failed"
    failed=1
fi

# MATLAB is not at hand. What can be said without it: the gateway uses nothing but the documented C interface, and no function has words
# that Octave alone understands.
documented() {
    local source
    for source in gateway run model callbacks library interpreter_plain; do
        $CC -std=gnu11 -DGEOMS_MATLAB -Wall -Wextra -Wmissing-declarations -Werror -Wno-cast-function-type -fsyntax-only -I"$root/include" \
            -I"$root/problems" -I"$here/matlab" "$root/octave/src/$source.c" || return 1
    done
}
octaves_own="\\b(end(if|function|for|while|switch)|end_try_catch|unwind_protect|printf|puts|print_usage)\\b|!=|^[^%']*\"|^ *#|\\+=|\\+\\+|\\*\\*"
good=0
if documented; then good=$((good + 1)); fi
if grep -nE "$octaves_own" "$root"/octave/*.m "$root"/octave/private/*.m; then :; else good=$((good + 1)); fi
echo "documented interface: $good passed, $((2 - good)) failed"
[ "$good" -eq 2 ] || failed=1

# The gateway as C alone, as MATLAB compiles it; errors of functions are not looked at: Octave's C interface does not hand their messages on.
GATEWAY=plain "$root/octave/build.sh" "$interface/private/libgeoms.so.0" "$interface/private/libgeoms_problems.so" "$work/plain"
GEOMS_TEST_INTERFACE=$work/plain GEOMS_TEST_FILES="identity.tst" octave "$here/run_all.m" || failed=1
exit $failed
