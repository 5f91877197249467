#!/usr/bin/env bash
# Builds every driver in several ways against the library, runs it and compares its output.
#
#   fortran-tests/run.sh            check all
#   fortran-tests/run.sh --update   write the *.expected files anew from the -O2 build, where its own checks hold
#   fortran-tests/run.sh --demo     build and run the pendulum only, show its output and draw the picture
#
# Needs target/release/libgeoms.so and libgeoms.a (make lib).
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
lib=${CARGO_TARGET_DIR:-$root/target}/release
work=${CARGO_TARGET_DIR:-$root/target}/fortran-tests
FC=${FC:-gfortran}
CC=${CC:-cc}
export OPENBLAS_NUM_THREADS=1

mkdir -p "$work"
for file in libgeoms.so libgeoms.a; do
    [ -e "$lib/$file" ] || { echo "$lib/$file is missing: run make lib" >&2; exit 1; }
done

shared=(-L"$lib" -lgeoms "-Wl,-rpath,$lib")
static=("$lib/libgeoms.a" -lopenblas -lpthread -lm -ldl)
checked=(-std=legacy -O0 -g -fcheck=all)
fast=(-std=legacy -O2)
wide=(-std=legacy -O2 -fdefault-integer-8)

# libgeomsf.a holds GEWRIT; a program asks for it with -u, because the library refers to it only weakly.
"$FC" "${fast[@]}" -c "$root/fortran/gewrit.f" -o "$work/gewrit.o"
rm -f "$work/libgeomsf.a"
ar rcs "$work/libgeomsf.a" "$work/gewrit.o"
"$FC" "${wide[@]}" -c "$root/fortran/gewrit.f" -o "$work/gewrit64.o"
"$FC" "${wide[@]}" -c "$root/fortran/geoms64.f" -o "$work/geoms64.o"
unit=("$work/libgeomsf.a" -Wl,-u,gewrit_)

passed=0
failed=0
mode=${1:-check}

# report NAME OK|FAIL [why]
report() {
    printf '%-34s %s\n' "$1" "$2${3:+: $3}"
    if [ "$2" = OK ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# execute NAME: run the program NAME in a directory of its own; its output is NAME.output
execute() {
    rm -rf "$work/run-$1"
    mkdir "$work/run-$1"
    local status=0
    (cd "$work/run-$1" && timeout 120 "$work/$1") >"$work/$1.output" 2>"$work/$1.errors" || status=$?
    return $status
}

# check NAME EXPECTED: run NAME and compare
check() {
    local name=$1 expected=$2 status=0 why
    execute "$name" || status=$?
    if [ "$status" -ne 0 ]; then
        report "$name" FAIL "ended with status $status: $(cat "$work/$name.output" "$work/$name.errors" | tail -n 1)"
    elif [ ! -e "$expected" ]; then
        report "$name" FAIL "$(basename "$expected") is missing: run fortran-tests/run.sh --update"
    elif why=$(awk -f "$here/compare.awk" "$expected" "$work/$name.output"); then
        report "$name" OK
    else
        report "$name" FAIL "$why"
    fi
}

# update NAME EXPECTED RELATIVE ABSOLUTE: make the expected file from a run of NAME
update() {
    if ! execute "$1" || grep -q FAIL "$work/$1.output"; then
        echo "${2#"$root"/} left alone, the run is not as it should be: $(tail -n 1 "$work/$1.output")" >&2
        failed=1
        return
    fi
    {
        echo "# tolerance: relative $3 absolute $4"
        echo "# made by fortran-tests/run.sh --update"
        sed "s/ *$//" "$work/$1.output"
    } >"$2"
    echo "wrote ${2#"$root"/}"
}

if [ "$mode" = --demo ]; then
    "$FC" "${fast[@]}" "$here/pendulum.f" -o "$work/pendulum" "${shared[@]}"
    status=0
    execute pendulum || status=$?
    cat "$work/pendulum.output"
    [ "$status" -eq 0 ] || { cat "$work/pendulum.errors" >&2; exit "$status"; }
    awk -f "$here/plot.awk" "$work/run-pendulum/pendulum.dat" >"$work/pendulum.svg"
    cmp -s "$work/pendulum.svg" "$root/docs/pendulum.svg" || cp "$work/pendulum.svg" "$root/docs/pendulum.svg"
    echo
    echo "picture of the motion: docs/pendulum.svg"
    exit 0
fi

# Drivers that only call GEOMS and GEDENSOUT.
for driver in pendulum arguments; do
    source=$here/$driver.f
    "$FC" "${checked[@]}" "$source" -o "$work/$driver-O0-checked" "${shared[@]}"
    "$FC" "${fast[@]}" "$source" -o "$work/$driver-O2" "${shared[@]}"
    "$FC" "${wide[@]}" "$source" "$work/geoms64.o" -o "$work/$driver-integer8" "${shared[@]}"
    "$FC" "${fast[@]}" "$source" -o "$work/$driver-static" "${static[@]}"
    # The wrapper and libgeoms.a would both define geoms_, so the static case renames the calls.
    "$FC" "${wide[@]}" -cpp -DGEOMS=GEOMS_64 -DGEDENSOUT=GEDENSOUT_64 -ffixed-line-length-none \
        "$source" -o "$work/$driver-integer8-static" "${static[@]}"
done
# Messages: with GEWRIT the unit of the program, without it fort.13.
"$FC" "${checked[@]}" "$here/messages.f" -o "$work/messages-O0-checked" "${unit[@]}" "${shared[@]}"
"$FC" "${fast[@]}" "$here/messages.f" -o "$work/messages-O2" "${unit[@]}" "${shared[@]}"
"$FC" "${fast[@]}" "$here/messages.f" -o "$work/messages-static" "${unit[@]}" "${static[@]}"
"$FC" "${wide[@]}" "$here/messages.f" "$work/geoms64.o" -o "$work/messages-integer8" "${unit[@]}" "${shared[@]}"
"$FC" "${wide[@]}" "$here/messages.f" "$work/geoms64.o" "$work/gewrit64.o" \
    -o "$work/messages-integer8-unit8" "${shared[@]}"
"$FC" "${fast[@]}" "$here/messages.f" -o "$work/messages-plain-O2" "${shared[@]}"
"$FC" "${fast[@]}" "$here/messages.f" -o "$work/messages-plain-static" "${static[@]}"
# C.
warnings=(-Wall -Wextra -Wpedantic -Werror -O2 -I"$root/include")
"$CC" -std=c99 "${warnings[@]}" "$root/c-examples/pendulum.c" -o "$work/c-pendulum" "${shared[@]}" -lm
"$CC" -std=c99 "${warnings[@]}" "$root/c-examples/pendulum.c" -o "$work/c-pendulum-static" "${static[@]}"

if [ "$mode" = --update ]; then
    # Counters may move by a step or two between machines; what must hold is checked by the driver itself.
    update pendulum-O2 "$here/pendulum.expected" 0.02 3
    update arguments-O2 "$here/arguments.expected" 1e-6 1e-6
    update messages-O2 "$here/messages.expected" 0 0
    update messages-plain-O2 "$here/messages-plain.expected" 0 0
    update c-pendulum "$root/c-examples/pendulum.expected" 0.02 3
    exit "$failed"
fi

# The examples of the README compile as they stand.
example() { awk -v kind="$1" '$0 == "```" { inside = 0 } inside; $0 == "```" kind { inside = 1 }' "$root/README.md"; }
prototypes='
void eom(const int32_t *, const int32_t *, const double *, const double *, double *, const int32_t *, const double *,
         int32_t *, double *, int32_t *);
void mas(const double *, const int32_t *, const double *, const int32_t *, const int32_t *, double *, const int32_t *,
         const double *, int32_t *, double *, int32_t *);'
example fortran >"$work/readme.f"
{ echo '#include <stdint.h>'; echo "$prototypes"; example c; } >"$work/readme.c"
if [ -s "$work/readme.f" ] && "$FC" -std=legacy -Wall -Werror -c "$work/readme.f" -o "$work/readme-f.o" &&
    "$CC" -std=c99 "${warnings[@]}" -c "$work/readme.c" -o "$work/readme-c.o"; then
    report README OK
else
    report README FAIL "an example does not compile"
fi

# The symbols that programs may link to: nothing disappears, nothing leaks.
symbols=$(nm -D --defined-only "$lib/libgeoms.so" | awk '{ print $3 }' | sort | tr '\n' ' ')
wanted="gedensout_ gedensout_64_ geoms_ geoms_64_ geoms_advice geoms_strerror geoms_version "
if [ "$symbols" = "$wanted" ]; then report symbols OK; else report symbols FAIL "exported: $symbols"; fi

for driver in pendulum arguments; do
    for variant in O0-checked O2 integer8 static integer8-static; do
        check "$driver-$variant" "$here/$driver.expected"
    done
done
for variant in O0-checked O2 static integer8 integer8-unit8; do
    check "messages-$variant" "$here/messages.expected"
done
for variant in O2 static; do
    check "messages-plain-$variant" "$here/messages-plain.expected"
done
for name in c-pendulum c-pendulum-static; do
    check "$name" "$root/c-examples/pendulum.expected"
done
echo "drivers: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
