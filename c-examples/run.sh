#!/usr/bin/env bash
# Builds the examples of the handle as C99, C11 and C++17 with all warnings and runs them; each checks itself.
#
#   c-examples/run.sh                 against the library in the build tree
#   c-examples/run.sh FLAGS...        against what these flags of the compiler name, such as those of pkg-config
#
# exceptions.cpp, lifetime.cpp, save.c and parts.c are run with the address and undefined behaviour sanitizers as well.
# ONLY="lifetime sanitized" builds and runs that one alone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/c-examples
CC=${CC:-cc}
CXX=${CXX:-c++}
export OPENBLAS_NUM_THREADS=1

if [ $# -gt 0 ]; then
    link=("$@")
else
    link=(-I"$root/include" -L"$target/release" -lgeoms "-Wl,-rpath,$target/release")
fi
warned=(-Wall -Wextra -Wpedantic -Werror)
sanitized=(-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all)
mkdir -p "$work"
status=0

# built NAME COMPILER FLAGS...: compile, run, and show the output of what fails
built() {
    local name=$1 program
    if [ -n "${ONLY:-}" ] && [ "$ONLY" != "$name" ]; then return; fi
    program=$work/${1// /-}
    shift
    if ! "$@" "${warned[@]}" -o "$program" "${link[@]}" -lm -pthread; then
        printf '%-34s FAIL: not compiled\n' "$name"
        status=1
    elif "$program" >"$program.out" 2>&1; then
        printf '%-34s OK\n' "$name"
    else
        printf '%-34s FAIL\n' "$name"
        cat "$program.out"
        status=1
    fi
}

for source in handle events stick_slip save parts pattern stop handle_threads diagnosis tables gluing; do
    built "$source C99" $CC -std=c99 -O2 "$here/$source.c"
    built "$source C11" $CC -std=c11 -O2 "$here/$source.c"
done
for source in slider_crank exceptions lifetime glued; do
    built "$source C++17" $CXX -std=c++17 -O2 "$here/$source.cpp"
done
built "save sanitized" $CC -std=c11 "${sanitized[@]}" "$here/save.c"
built "parts sanitized" $CC -std=c11 "${sanitized[@]}" "$here/parts.c"
built "exceptions sanitized" $CXX -std=c++17 "${sanitized[@]}" "$here/exceptions.cpp"
built "lifetime sanitized" $CXX -std=c++17 "${sanitized[@]}" "$here/lifetime.cpp"
built "gluing sanitized" $CC -std=c11 "${sanitized[@]}" "$here/gluing.c"

# Every function of the header is called by one of the programs.
for name in $(grep -oE '\bgeoms_[a-z_]*[a-z]\(' "$root/include/geoms.h" | tr -d '(' | sort -u); do
    if ! grep -qE "\b$name\(" "$here"/*.c "$here"/*.h; then
        echo "$name is called by no C program: FAIL"
        status=1
    fi
done
exit $status
