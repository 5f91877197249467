# Compares an output with its expected file: words must agree, numbers within the tolerance that stands in the first
# line of the expected file:  # tolerance: relative R absolute A
#
# With "times TOL" behind it R and A are multiples of the tolerance of the run, which is the last number that the
# expected file shows behind TOL. A second line  # counters: relative R absolute A  is for whole numbers, if they are to
# be treated apart, a line  # multipliers: times F  for lines of multipliers (LA), which may be F times further off. The IDID is compared exactly. What stands in brackets with ", allowed" is a measured error, which
# the program has judged itself (OK or FAIL): it is not compared again.
#
#   awk -f compare.awk driver.expected driver.output

function number(s) { return s ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([EeDd][-+]?[0-9]+)?$/ }
function whole(s) { return s ~ /^[-+]?[0-9]+$/ }
function value(s) { gsub(/[Dd]/, "E", s); return s + 0 }
function abs(v) { return v < 0 ? -v : v }
function tokens(line, into) { gsub(/[()|=,;]/, " & ", line); return split(line, into, " ") }
function differ(why) { printf "line %d: %s\n", n, why; failed = 1; exit 1 }
function close_enough(i, a, b) {
    if (i > 2 && want[i - 1] == "=" && want[i - 2] == "IDID") return a == b
    if (counters && whole(want[i])) return abs(a - b) <= count_absolute + count_relative * abs(a)
    return abs(a - b) <= scale * (want[1] == "la" ? multipliers : 1) * (absolute + relative * abs(a))
}

BEGIN { scale = multipliers = 1 }
FNR == NR && /^# tolerance:/ { relative = $4; absolute = $6; times = $7 == "times"; next }
FNR == NR && /^# counters:/ { counters = 1; count_relative = $4; count_absolute = $6; next }
FNR == NR && /^# multipliers:/ { multipliers = $4; next }
FNR == NR && /^#/ { next }
FNR == NR { expected[++count] = $0; next }
{
    n++
    if (n > count) differ("more output than expected: " $0)
    k = tokens(expected[n], want)
    if (tokens($0, got) != k) differ("expected \"" expected[n] "\", found \"" $0 "\"")
    judged = expected[n] ~ /, allowed/
    inside = 0
    for (i = 1; i <= k; i++) {
        if (judged && want[i] == "(") inside = 1
        if (judged && want[i] == ")") inside = 0
        if (number(want[i]) && number(got[i])) {
            a = value(want[i]); b = value(got[i])
            if (times && i > 2 && want[i - 1] == "=" && want[i - 2] == "TOL") scale = a
            if (!inside && !close_enough(i, a, b)) differ("expected " want[i] ", found " got[i] " in: " $0)
        } else if (want[i] != got[i]) differ("expected \"" want[i] "\", found \"" got[i] "\" in: " $0)
    }
}
END { if (!failed && n < count) { printf "output ends before: %s\n", expected[n + 1]; exit 1 } }
