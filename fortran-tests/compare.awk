# Compares an output with its expected file: words must agree, numbers within the tolerance that stands in the first
# line of the expected file:  # tolerance: relative R absolute A
#
#   awk -f compare.awk driver.expected driver.output

function number(s) { return s ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([EeDd][-+]?[0-9]+)?$/ }
function value(s) { gsub(/[Dd]/, "E", s); return s + 0 }
function abs(v) { return v < 0 ? -v : v }
function tokens(line, into) { gsub(/[()|=,;]/, " & ", line); return split(line, into, " ") }
function differ(why) { printf "line %d: %s\n", n, why; failed = 1; exit 1 }

FNR == NR && /^# tolerance:/ { relative = $4; absolute = $6; next }
FNR == NR && /^#/ { next }
FNR == NR { expected[++count] = $0; next }
{
    n++
    if (n > count) differ("more output than expected: " $0)
    k = tokens(expected[n], want)
    if (tokens($0, got) != k) differ("expected \"" expected[n] "\", found \"" $0 "\"")
    for (i = 1; i <= k; i++) {
        if (number(want[i]) && number(got[i])) {
            a = value(want[i]); b = value(got[i])
            if (abs(a - b) > absolute + relative * abs(a)) differ("expected " want[i] ", found " got[i] " in: " $0)
        } else if (want[i] != got[i]) differ("expected \"" want[i] "\", found \"" got[i] "\" in: " $0)
    }
}
END { if (!failed && n < count) { printf "output ends before: %s\n", expected[n + 1]; exit 1 } }
