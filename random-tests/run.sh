#!/usr/bin/env bash
# Random calls of the handle and mutated saved states, with the address and undefined behaviour sanitizers.
#
#   random-tests/run.sh [CALLS [STATES [SEED]]]
#
# The programs are instrumented, the library is not; but it shares their heap, so that a callback that is given too short a buffer is
# found. What fails names its seed: COUNT 1 and this seed repeat it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/random-tests
CXX=${CXX:-c++}
export OPENBLAS_NUM_THREADS=1
# The stacks of allocations are a third of the time and only part of a report; ASAN_OPTIONS= with the seed of a finding shows them.
export ASAN_OPTIONS=${ASAN_OPTIONS-malloc_context_size=1}
calls=${1:-10000} states=${2:-5000} seed=${3:-1}

mkdir -p "$work"
passed=0 failed=0
# checked NAME COUNT: build and run
checked() {
    "$CXX" -std=c++17 -g -O2 -fsanitize=address,undefined -fno-sanitize-recover=all -Wall -Wextra -Wpedantic -Werror \
        "$here/$1.cpp" -o "$work/$1" -I"$root/include" -L"$target/release" -lgeoms "-Wl,-rpath,$target/release" -lm
    if "$work/$1" "$2" "$seed"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
checked calls "$calls"
checked states "$states"
echo "random: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
