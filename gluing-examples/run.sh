#!/usr/bin/env bash
# Builds libgeoms_mpi and the examples of gluing and runs them on 1 to 8 processes: results of one process everywhere, the amount of data of the
# formula, and faults, after which a run is resumed.
#
#   gluing-examples/run.sh            all checks
#   gluing-examples/run.sh --build    only build, into target/mpi
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
target=${CARGO_TARGET_DIR:-$root/target}
case $target in /*) ;; *) target=$root/$target ;; esac
work=$target/mpi
export OPENBLAS_NUM_THREADS=1
mkdir -p "$work"
cd "$work"

warned=(-Wall -Wextra -Wpedantic -Werror -O2)
paths=(-I"$root/include" -I"$root/mpi" -I"$root/c-examples")
link=(-L"$work" -lgeoms_mpi -L"$target/release" -lgeoms -lm "-Wl,-rpath,$work" "-Wl,-rpath,$target/release")
CFLAGS="${CFLAGS:-} -Werror" "$root/packaging/link-mpi.sh" "$work" libgeoms_mpi.so.0 "$target/release"
mpicc -std=c11 "${warned[@]}" "${paths[@]}" "$here/chain.c" -o chain "${link[@]}"
mpifort -O2 -Wall -c "$root/fortran/geoms_handle.f90" "$root/mpi/geoms_mpi.f90"
mpifort -O2 -Wall -Werror -Wno-unused-dummy-argument -c "$here/arm.f90"
mpicc -std=c11 "${warned[@]}" "${paths[@]}" -c "$here/two_languages.c" -o two_languages.o
mpifort two_languages.o arm.o geoms_handle.o -o two_languages "${link[@]}"
mpifort -O2 -Wall -Wno-unused-dummy-argument "$here/four_bar.f90" geoms_handle.o geoms_mpi.o -o four_bar "${link[@]}"
[ "${1:-}" = --build ] && exit 0

passed=0
failed=0
# More processes than cores, and as root.
mpi() { timeout 120 mpirun --allow-run-as-root --oversubscribe "$@"; }

# check NAME COMMAND...
check() {
    local name=$1
    shift
    if "$@" >check.log 2>&1; then
        printf '%-62s OK %s\n' "$name" "$(tail -n 1 check.log)"
        passed=$((passed + 1))
    else
        printf '%-62s FAIL\n' "$name"
        cat check.log
        failed=$((failed + 1))
    fi
}

# values FILE: subdomain, index and value, sorted; the forces after them
values() { grep -hE '^[lx] ' "$1" | sort -k1,1 -k2,2n -k3,3n; }

# same A B TOLERANCE: positions, velocities and multipliers in both files
same() {
    paste -d ' ' <(values "$1") <(values "$2") | awk -v most="$3" '
        { d = $4 - $8; if (d < 0) d = -d; if (d > worst[$1]) worst[$1] = d; n++
          if ($1 != $5 || $2 != $6 || $3 != $7) bad = 1 }
        END { printf "%d numbers, largest difference %.1e, of multipliers %.1e\n", n, worst["x"], worst["l"]
              exit !(n > 0 && !bad && worst["x"] <= most && worst["l"] <= most) }'
}

# The formula: of every matrix m² doubles, of every iteration 2m, for each subdomain with m rows, and both once more for the projection.
formula() {
    awk -v K="$2" '
        $1 == "stat" { steps = $4; its = $6; made = $8; sum += $10; msgs += $12; sent += $14 }
        END {
            for (k = 0; k < K; k++) { m = 2 * ((k > 0) + (k < K - 1)); want += made * m * m + its * 2 * m + steps * (m * m + 2 * m) }
            printf "%d doubles, %.1f per step, formula %d; %d messages with %d doubles\n", sum, sum / steps, want, msgs, sent
            exit sum != want
        }' "$1"
}

run_on() { # PROCESSES FILE ARGUMENTS...
    mpi -n "$1" ./chain "${@:3}" >"$2" 2>"$2.err" || { cat "$2" "$2.err"; return 1; }
}

for topology in 0 1 2 4; do
    args=(-k 8 -b 1 -n 100 -t $topology)
    check "chain of 8, topology $topology, 1 process" run_on 1 one.$topology "${args[@]}"
    check "  doubles of the formula" formula one.$topology 8
    for n in 2 4 8; do
        check "chain of 8, topology $topology, $n processes" run_on $n many "${args[@]}"
        check "  same as one process, bit for bit" same one.$topology many 0
        check "  doubles of the formula" formula many 8
    done
done
# The order of elimination depends on who has what: round-off of g, divided by h², is in the multipliers.
check "chain of 8, topology 3, 4 processes" run_on 4 many -k 8 -b 1 -n 100 -t 3
check "  same as one process to 1e-8" same one.0 many 1e-8
check "16 rods in 16 subdomains, 8 processes, variable step" run_on 8 many -k 16 -n 40 -v
check "  1 process" run_on 1 one.v -k 16 -n 40 -v
check "  same, bit for bit" same one.v many 0
check "2 subdomains on 5 processes, three of which own nothing" run_on 5 many -k 2 -b 2 -n 40
check "  1 process" run_on 1 one.few -k 2 -b 2 -n 40
check "  same, bit for bit" same one.few many 0
for n in 1 2; do
    check "a model in C and one in Fortran, $n processes" mpi -n $n ./two_languages
done
for n in 1 2 3; do
    check "four-bar in Fortran, $n processes" mpi -n $n ./four_bar
done

# ended FILE CODE WHO SECONDS COUNT: so many processes have ended with this code, naming subdomain or participant, in time
ended() {
    awk -v code="$2" -v who="$3" -v limit="$4" -v count="$5" '
        $1 == "rank" { n += $4 == code && $6 + 0 < limit && index($0, who) > 0; if ($6 + 0 > slowest) slowest = $6 + 0 }
        END { printf "%d of %d processes with %d, the slowest after %.2f s\n", n, count, code, slowest; exit n != count }' "$1" ||
        { cat "$1" "$1.err"; return 1; }
}

fault() { # KIND CODE WHO SURVIVORS ARGUMENTS...
    local kind=$1 code=$2 who=$3 survivors=$4
    shift 4
    # A lost process must not end the others.
    mpi --enable-recovery -n 4 ./chain -k 4 -b 2 -n 100 -T 3 "$@" -f "$kind" -w 2 -c 150 >fault.out 2>fault.out.err || true
    ended fault.out "$code" "$who" 8 "$survivors"
}

check "undisturbed run on 4 processes" run_on 4 undisturbed -k 4 -b 2 -n 100
check "a callback that stops" fault stop -1102 "subdomain 2 of participant 2" 4
check "a callback with NaN" fault nan -1107 "subdomain 2 of participant 2: NaN" 4
check "a callback with NaN, variable step" fault nan -1107 "subdomain 2 of participant 2: NaN" 4 -v
for kind in stop kill hang; do
    rm -f saved.*
    who="participant 2 (subdomains 2)" code=-1121 survivors=3
    [ $kind = stop ] && who="subdomain 2 of participant 2" code=-1102 survivors=4
    check "saved, then a process that has the fault '$kind'" fault $kind $code "$who" $survivors -s saved
    check "  resumed" run_on 4 resumed -k 4 -b 2 -n 100 -r saved
    check "  the digits of the undisturbed run" same undisturbed resumed 0
done
rm -f saved.*
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
