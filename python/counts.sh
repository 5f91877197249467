# Sourced by the tests of the wheel. counts LOG: adds what pytest says in its last line to `passed` and `failed`; a log that does not end so is a failure.
passed=0
failed=0
counts() {
    local last good bad
    last=" $(tail -n 1 "$1")"
    good=$(sed -nE 's/.*[^0-9]([0-9]+) passed.*/\1/p' <<<"$last")
    bad=$(sed -nE 's/.*[^0-9]([0-9]+) (failed|error).*/\1/p' <<<"$last")
    [ -n "$good" ] || bad=$((${bad:-0} + 1))
    passed=$((passed + ${good:-0}))
    failed=$((failed + ${bad:-0}))
}
