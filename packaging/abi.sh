#!/usr/bin/env bash
# abi.sh            compares the binary interface that include/geoms.h describes with abi/interface.txt
# abi.sh --update   writes abi/interface.txt
#
# Types, not only names: every function with the types of its arguments and result, every callback, every structure with
# the offset and size of its members as the C compiler lays them out, every constant. Names of arguments and
# comments do not count. The header itself is compared with the sources by a test (`make docs`).
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
header=${HEADER:-include/geoms.h}
list=abi/interface.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Our declarations alone, one to a line.
grep -v '^#include' "$header" | ${CC:-cc} -E -P -x c - | tr -s ' \n\t' ' ' | sed 's/extern "C" {//' |
    awk 'BEGIN { RS = ";" } {
        text = text $0
        depth += gsub(/\{/, "{") - gsub(/\}/, "}")
        if (depth == 0) { sub(/^ +/, "", text); if (text ~ /[a-z]/) print text ";"; text = "" } else text = text ";"
    }' >"$work/declarations"

# Arguments without their names: the last word of each, unless it is the type itself.
awk '
function type(argument) {
    gsub(/^ +| +$/, "", argument)
    if (argument ~ /[ *]/ && argument !~ /\*$/) sub(/[a-z_0-9]+$/, "", argument)
    gsub(/ +$/, "", argument); gsub(/ *\* */, "*", argument)
    return argument
}
# types(LIST): the arguments, with pointers to functions resolved from the inside
function types(list,   depth, i, c, part, all, n) {
    all = ""; part = ""; depth = 0
    for (i = 1; i <= length(list); i++) {
        c = substr(list, i, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && depth == 0) { all = all one(part) ", "; part = "" } else part = part c
    }
    return all one(part)
}
function one(part,   open) {
    if (part !~ /\(\*/) return type(part)
    open = index(part, ")(")
    return type(substr(part, 1, index(part, "(*") - 1)) " (*)(" types(substr(part, open + 2, length(part) - open - 2)) ")"
}
/^typedef struct .*\{/ {
    name = $3; body = $0; sub(/^[^{]*\{/, "", body); sub(/\}[^}]*$/, "", body)
    print "struct " name > structures
    count = split(body, member, ";")
    for (i = 1; i <= count; i++) if (member[i] ~ /[a-z]/) {
        field = member[i]; sub(/ +$/, "", field); kind = type(field); match(field, /[a-z_0-9]+$/)
        print name, substr(field, RSTART), kind > members
    }
    next
}
/^typedef struct/ { print "opaque " $NF; next }
/^typedef / { sub(/^typedef /, ""); match($0, /\(\*[a-z_0-9]+\)/); name = substr($0, RSTART + 2, RLENGTH - 3); sub(/;$/, ""); print "callback " name " = " one($0); next }
/\(/ {
    sub(/;$/, ""); at = index($0, "("); head = substr($0, 1, at - 1); match(head, /[a-z_0-9]+$/)
    print "function " substr(head, RSTART) ": " type(head) " (" types(substr($0, at + 1, length($0) - at - 1)) ")"
}' structures="$work/structures" members="$work/members" "$work/declarations" >"$work/interface"

{
    echo "#include <stddef.h>"
    echo "#include <stdio.h>"
    echo "#include \"$PWD/$header\""
    echo "int main(void) {"
    while read -r structure member kind; do
        [ "$structure" = "${before:-}" ] || echo "printf(\"structure $structure: %zu bytes\\n\", sizeof($structure));"
        before=$structure
        echo "printf(\"  $structure.$member: $kind at %zu, %zu bytes\\n\", offsetof($structure, $member), sizeof((($structure *)0)->$member));"
    done <"$work/members"
    echo "return 0; }"
} >"$work/layout.c"
sed -i "s|#include \"$PWD//|#include \"/|" "$work/layout.c"
${CC:-cc} "$work/layout.c" -o "$work/layout"
{
    echo "# The binary interface of include/geoms.h on 64-bit machines; packaging/abi.sh (make abi, make test-abi)."
    "$work/layout"
    sort "$work/interface"
    # The version is not part of the interface.
    sed -n 's/^#define \(GEOMS_[A-Z0-9_]*\) \((\{0,1\}-\{0,1\}[0-9]\{1,\})\{0,1\}\)$/constant \1 = \2/p' "$header" | tr -d '()' |
        grep -v 'GEOMS_VERSION' | sort
} >"$work/new"
if [ "${1:-}" = --update ]; then
    cp "$work/new" "$list"
    echo "wrote $list"
elif diff -U 0 "$list" "$work/new" >"$work/difference"; then
    echo "abi: $(grep -c '^function' "$list") functions, $(grep -c '^callback' "$list") callbacks, $(grep -c '^structure' "$list") structures, $(grep -c '^constant' "$list") constants as in $list"
else
    sed '/^@@/d; 1,2d' "$work/difference" >&2
    if grep -q '^-[^-]' "$work/difference"; then
        echo "abi: what programs were compiled with has changed: after a release that needs a new SONAME (CONTRIBUTING.md)" >&2
    fi
    echo "abi: if this is meant, run make abi" >&2
    exit 1
fi
