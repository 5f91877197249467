#!/usr/bin/env bash
# interrupt.sh FOLDER: Ctrl-C in the middle of a long run, with compiled functions and with functions of the interpreter.
set -euo pipefail
# Job control: a job in the background would ignore the signal without it.
set -m

interface=$1
OCTAVE=${OCTAVE:-octave-cli}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# interrupted NAME STATEMENT: the statement runs for minutes; after the signal the interpreter has to go on, and the next run to be right
interrupted() {
    local name=$1 pid status=0
    cat >"$dir/script.m" <<SCRIPT
addpath('$interface');
model = struct('NP', 2, 'NV', 2, 'NL', 1, 'MAS', eye(2));
model.EOM = @(T, X) [2*(X(2)^2 + X(3)^2) - 2*9.81*X(5) - 4*(X(4)^2 + X(5)^2)*X(1); 2*(X(4)*X(2) + X(5)*X(3)); X(4)^2 + X(5)^2 - 1; -2*X(4)*X(1); -9.81 - 2*X(5)*X(1); X(2); X(3)];
fclose(fopen('$dir/ready', 'w'));
$2
disp('not interrupted');
SCRIPT
    cat >"$dir/input" <<INPUT
source('$dir/script.m')
sol = geoms('pendulum-2.8', [0 1]);
fprintf('went on to %g\n', sol.t(end));
exit(7)
INPUT
    rm -f "$dir/ready"
    # Interactive, so that an interrupt ends the statement and not the program.
    "$OCTAVE" --norc --no-history --quiet --interactive --no-line-editing <"$dir/input" >"$dir/out" 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        [ -e "$dir/ready" ] && break
        sleep 0.1
    done
    sleep 1.5
    kill -INT "$pid"
    for _ in $(seq 300); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    if kill -0 "$pid" 2>/dev/null; then
        kill -KILL "$pid"
        echo "interrupt, $name: did not end"
        return 1
    fi
    wait "$pid" || status=$?
    if [ "$status" -ne 7 ] || ! grep -q 'went on to 1' "$dir/out" || grep -q 'not interrupted' "$dir/out"; then
        echo "interrupt, $name: status $status"
        cat "$dir/out"
        return 1
    fi
}

interrupted "compiled functions" "geoms('andrews', [0 1e4], [], geomsset('RelTol', 1e-10, 'AbsTol', 1e-10, 'NMAX', 1e9));"
interrupted "functions of the interpreter" "geoms(model, [0 1e6], struct('p', [1 0]), geomsset('NMAX', 1e9));"
