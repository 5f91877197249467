#!/usr/bin/env bash
# Builds every driver in several ways against the library, runs it and compares its output.
#
#   fortran-tests/run.sh            check all
#   fortran-tests/run.sh --update   write the *.expected files anew from the -O2 build, where its own checks hold
#   fortran-tests/run.sh --demo     build and run the pendulum only, show its output and draw the picture
#   fortran-tests/run.sh --valgrind run some of them and two C examples under valgrind
#   fortran-tests/run.sh --asan     the same with the address and undefined behaviour sanitizers of the compilers
#   fortran-tests/run.sh --threads  runs on several threads, also under the race detector of valgrind
#   fortran-tests/run.sh --identity the same subroutines through Fortran, C and Rust: the same bits (needs
#                                   cargo build --release --example identity)
#
# Builds and runs go on JOBS processes (2 unless told).
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
# The name that programs look for.
compgen -G "$lib/libgeoms.so.[0-9]*" >/dev/null || { echo "$lib/libgeoms.so.* is missing: run make lib" >&2; exit 1; }

shared=(-L"$lib" -lgeoms "-Wl,-rpath,$lib")
static=("$lib/libgeoms.a" -lopenblas -lpthread -lm -ldl)
checked=(-std=legacy -O0 -g -fcheck=all)
fast=(-std=legacy -O2)
wide=(-std=legacy -O2 -fdefault-integer-8)
# What the callbacks get is fixed, so not all of it is used.
warned=(-Wall -Wno-unused-dummy-argument -Werror)

# The problems: name, and how far an output may be from the expected one, in units of the tolerance of each run.
# Multipliers with IOPT(5)=1 are less accurate than the rest; the drivers have a bound for each kind of unknown. A third
# number is a factor for multipliers: HHT does not control their errors, and with and without FMA they differ by 2 %
# (differences), within the driver's own bound of 9 %.
problems="andrews 1e5
bead 1e3
bricard 1e3
caraxis 1e3
chain 1e5
coupler 1e3
cycloid 1e5
disk 1e4
fourbar 1e3
fourbarrel 1e4
hht 1e5 10
knife 1e5
maxwell 1e3
particle 1e3
stiffpend 1e3
truck 1e4"
names=$(awk '{ print $1 }' <<<"$problems")

# libgeomsf.a holds GEWRIT; a program asks for it with -u, because the library refers to it only weakly.
$FC "${fast[@]}" -c "$root/fortran/gewrit.f" -o "$work/gewrit.o"
rm -f "$work/libgeomsf.a"
ar rcs "$work/libgeomsf.a" "$work/gewrit.o"
$FC "${wide[@]}" -c "$root/fortran/gewrit.f" -o "$work/gewrit64.o"
$FC "${wide[@]}" -c "$root/fortran/geoms64.f" -o "$work/geoms64.o"
unit=("$work/libgeomsf.a" -Wl,-u,gewrit_)

passed=0
failed=0
mode=${1:-check}

# report NAME OK|FAIL [why]
report() {
    printf '%-34s %s\n' "$1" "$2${3:+: $3}"
    if [ "$2" = OK ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# queue COMMAND...: a command for the next call of work_off
queue() {
    printf '%q ' "$@" >>"$work/queue"
    echo >>"$work/queue"
}

# work_off: run what has been queued, several at once
work_off() {
    local status=0
    xargs -r -d '\n' -n 1 -P "${JOBS:-2}" bash -c 'eval "$0"' <"$work/queue" || status=$?
    rm -f "$work/queue"
    return $status
}

# execute NAME [WRAPPER...]: run the program NAME in a directory of its own; its output is NAME.output, its exit
# status goes to NAME.status
execute() {
    local name=$1 status=0
    shift
    rm -rf "$work/run-$name"
    mkdir "$work/run-$name"
    (cd "$work/run-$name" && timeout "${LIMIT:-120}" "$@" "$work/$name") >"$work/$name.output" 2>"$work/$name.errors" ||
        status=$?
    echo $status >"$work/$name.status"
    return $status
}
export -f execute
export work
rm -f "$work/queue" "$work"/*.status

# check NAME EXPECTED: run NAME, unless that has been done, and compare
check() {
    local name=$1 expected=$2 status=0 why
    if [ -e "$work/$name.status" ]; then status=$(cat "$work/$name.status"); else execute "$name" || status=$?; fi
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

# update NAME EXPECTED RELATIVE ABSOLUTE [times TOL [MULTIPLIERS]]: make the expected file from a run of NAME
update() {
    if ! execute "$1" || grep -q FAIL "$work/$1.output"; then
        echo "${2#"$root"/} left alone, the run is not as it should be: $(tail -n 1 "$work/$1.output")" >&2
        failed=1
        return
    fi
    {
        echo "# tolerance: relative $3 absolute $4${5:+ $5}"
        [ -z "${5:-}" ] || echo "# counters: relative 0.05 absolute 5"
        [ -z "${6:-}" ] || echo "# multipliers: times $6"
        echo "# made by fortran-tests/run.sh --update"
        sed "s/ *$//" "$work/$1.output"
    } >"$2"
    echo "wrote ${2#"$root"/}"
}

if [ "$mode" = --demo ]; then
    $FC "${fast[@]}" "$here/pendulum.f" -o "$work/pendulum" "${shared[@]}"
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

# Memory checks: short drivers that among them use all kinds of variables, all decompositions, IVCOND and SOLOUT.
memory="bead coupler cycloid fourbar hht knife maxwell"
if [ "$mode" = --valgrind ] || [ "$mode" = --asan ]; then
    if [ "$mode" = --valgrind ]; then
        command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 1; }
        kind=valgrind
        flags=(-std=legacy -O0 -g)
        cflags=(-O0 -g)
        wrapper=(valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite)
    else
        kind=asan
        flags=(-std=legacy -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all)
        cflags=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all)
        wrapper=()
        memory=$names
        if ! echo 'int main(void) { return 0; }' | $CC "${cflags[@]}" -x c - -o "$work/asan-probe" 2>/dev/null; then
            echo "$CC has no address sanitizer here" >&2
            exit 1
        fi
    fi
    for driver in $memory; do
        queue $FC "${flags[@]}" "$here/$driver.f" -o "$work/$driver-$kind" "${shared[@]}"
    done
    queue $FC "${flags[@]}" "$here/arguments.f" -o "$work/arguments-$kind" "${shared[@]}"
    for example in pendulum parts; do
        queue $CC -std=c99 "${cflags[@]}" -I"$root/include" "$root/c-examples/$example.c" \
            -o "$work/c-$example-$kind" "${shared[@]}" -lm
    done
    work_off
    export LIMIT=600
    for driver in $memory arguments c-pendulum c-parts; do queue execute "$driver-$kind" "${wrapper[@]}"; done
    work_off || true
    for driver in $memory arguments c-pendulum c-parts; do
        name=$driver-$kind
        status=$(cat "$work/$name.status")
        if [ "$status" -eq 0 ]; then
            report "$name" OK
        else
            report "$name" FAIL "ended with status $status: $(cat "$work/$name.output" "$work/$name.errors" |
                grep -m 1 -E "ERROR|==|runtime error|FAIL" || tail -n 1 "$work/$name.errors")"
        fi
    done
    echo "memory ($kind): $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi

if [ "$mode" = --threads ]; then
    $CC -std=c99 -Wall -Wextra -Werror -O2 -g -I"$root/include" "$root/c-examples/threads.c" -o "$work/threads" \
        "${shared[@]}" -lpthread
    for detector in none drd helgrind; do
        wrapper=(valgrind -q "--tool=$detector" --error-exitcode=99 "--suppressions=$here/races.supp")
        [ $detector != none ] || wrapper=()
        status=0
        LIMIT=600 execute threads "${wrapper[@]}" || status=$?
        name=threads-$detector
        [ $detector != none ] || name=threads
        if [ $status -eq 0 ]; then
            report "$name" OK
        else
            report "$name" FAIL "ended with status $status"
            cat "$work/threads.output" "$work/threads.errors"
        fi
    done
    echo "threads: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi

if [ "$mode" = --identity ]; then
    rust=$lib/examples/identity
    [ -e "$rust" ] || { echo "$rust is missing: run cargo build --release --example identity" >&2; exit 1; }
    # One object file for all three: Fortran and C link it, Rust loads it.
    $CC -std=c99 -Wall -Wextra -Werror -O2 -fPIC -c "$here/identity/callbacks.c" -o "$work/callbacks.o"
    $CC -shared "$work/callbacks.o" -o "$work/libcallbacks.so" -lm
    $FC "${fast[@]}" -Wall -Werror "$here/identity/main.f" "$work/callbacks.o" -o "$work/identity-fortran" \
        "${shared[@]}" -lm
    $CC -std=c99 -Wall -Wextra -Werror -O2 -I"$root/include" "$here/identity/main.c" "$work/callbacks.o" \
        -o "$work/identity-c" "${shared[@]}" -lm
    "$work/identity-fortran" | sed 's/ *$//' >"$work/identity-fortran.output"
    "$work/identity-c" >"$work/identity-c.output"
    "$rust" "$work/libcallbacks.so" >"$work/identity-rust.output"
    # part CASE LANGUAGE: what it printed for one case
    part() { awk -v wanted="$1" '$1 == "CASE" { number = $2 } number == wanted' "$work/identity-$2.output"; }
    for number in 1 2 3 4 5 6 7 8; do
        # All lines must be there: a case that has not been run is not the same, it is missing.
        unknowns=$((number > 3 && number != 7 ? 7 : 5))
        for language in c rust; do
            name=case-$number-$language-as-fortran
            if [ "$(part $number fortran | wc -l)" -ne $((unknowns + 17)) ]; then
                report "$name" FAIL "Fortran printed $(part $number fortran | wc -l) lines"
            elif ! part $number fortran | grep -q '^IDID  *0$'; then
                report "$name" FAIL "$(part $number fortran | grep IDID)"
            elif difference=$(diff <(part $number fortran) <(part $number $language)); then
                report "$name" OK
            else
                report "$name" FAIL "$(sed -n 2p <<<"$difference") and $(grep -m 1 '^>' <<<"$difference")"
            fi
        done
    done
    echo "identity: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi

# The problems: one file each.
for driver in $names; do
    source=$here/$driver.f
    queue $FC "${checked[@]}" "${warned[@]}" "$source" -o "$work/$driver-O0-checked" "${shared[@]}"
    queue $FC "${fast[@]}" "$source" -o "$work/$driver-O2" "${shared[@]}"
    queue $FC "${wide[@]}" "$source" "$work/geoms64.o" -o "$work/$driver-integer8" "${shared[@]}"
done
# Drivers that only call GEOMS and GEDENSOUT.
for driver in pendulum arguments; do
    source=$here/$driver.f
    queue $FC "${checked[@]}" "$source" -o "$work/$driver-O0-checked" "${shared[@]}"
    queue $FC "${fast[@]}" "$source" -o "$work/$driver-O2" "${shared[@]}"
    queue $FC "${wide[@]}" "$source" "$work/geoms64.o" -o "$work/$driver-integer8" "${shared[@]}"
    queue $FC "${fast[@]}" "$source" -o "$work/$driver-static" "${static[@]}"
    # The wrapper and libgeoms.a would both define geoms_, so the static case renames the calls.
    queue $FC "${wide[@]}" -cpp -DGEOMS=GEOMS_64 -DGEDENSOUT=GEDENSOUT_64 -ffixed-line-length-none \
        "$source" -o "$work/$driver-integer8-static" "${static[@]}"
done
# Messages: with GEWRIT the unit of the program, without it fort.13.
queue $FC "${checked[@]}" "$here/messages.f" -o "$work/messages-O0-checked" "${unit[@]}" "${shared[@]}"
queue $FC "${fast[@]}" "$here/messages.f" -o "$work/messages-O2" "${unit[@]}" "${shared[@]}"
queue $FC "${fast[@]}" "$here/messages.f" -o "$work/messages-static" "${unit[@]}" "${static[@]}"
queue $FC "${wide[@]}" "$here/messages.f" "$work/geoms64.o" -o "$work/messages-integer8" "${unit[@]}" "${shared[@]}"
queue $FC "${wide[@]}" "$here/messages.f" "$work/geoms64.o" "$work/gewrit64.o" \
    -o "$work/messages-integer8-unit8" "${shared[@]}"
queue $FC "${fast[@]}" "$here/messages.f" -o "$work/messages-plain-O2" "${shared[@]}"
queue $FC "${fast[@]}" "$here/messages.f" -o "$work/messages-plain-static" "${static[@]}"
# C.
warnings=(-Wall -Wextra -Wpedantic -Werror -O2 -I"$root/include")
queue $CC -std=c99 "${warnings[@]}" "$root/c-examples/pendulum.c" -o "$work/c-pendulum" "${shared[@]}" -lm
queue $CC -std=c99 "${warnings[@]}" "$root/c-examples/pendulum.c" -o "$work/c-pendulum-static" "${static[@]}"
work_off

if [ "$mode" = --update ]; then
    # Counters may move by a step or two between machines; what must hold is checked by the driver itself.
    update pendulum-O2 "$here/pendulum.expected" 0.02 3
    update arguments-O2 "$here/arguments.expected" 1e-6 1e-6
    update messages-O2 "$here/messages.expected" 0 0
    update messages-plain-O2 "$here/messages-plain.expected" 0 0
    update c-pendulum "$root/c-examples/pendulum.expected" 0.02 3
    while read -r driver factor multipliers; do
        update "$driver-O2" "$here/$driver.expected" "$factor" "$factor" "times TOL" "$multipliers"
    done <<<"$problems"
    exit "$failed"
fi

# The examples of the README compile as they stand.
example() { awk -v kind="$1" '$0 == "```" { inside = 0 } inside; $0 == "```" kind { inside = 1 }' "$root/README.md"; }
prototypes='
int pendulum_eom(double, const double *, double *, void *);
int pendulum_mass(double, const double *, double *, void *);'
example fortran >"$work/readme.f"
{ echo '#include <stdint.h>'; echo "$prototypes"; example c; } >"$work/readme.c"
if [ -s "$work/readme.f" ] && $FC -std=legacy -Wall -Werror -c "$work/readme.f" -o "$work/readme-f.o" &&
    $CC -std=c99 "${warnings[@]}" -c "$work/readme.c" -o "$work/readme-c.o"; then
    report README OK
else
    report README FAIL "an example does not compile"
fi

# Every driver carries the checks itself; a change of one copy must reach the others.
copies() { for driver in $names; do sed -n '/---- Checks; /,$p' "$here/$driver.f" | sha256sum; done | sort -u | wc -l; }
if [ "$(copies)" -eq 1 ]; then report "copies of the checks" OK; else report "copies of the checks" FAIL "differ"; fi

for driver in $names; do
    for variant in O0-checked O2 integer8; do queue execute "$driver-$variant"; done
done
work_off || true
for driver in $names; do
    for variant in O0-checked O2 integer8; do
        check "$driver-$variant" "$here/$driver.expected"
    done
done
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
