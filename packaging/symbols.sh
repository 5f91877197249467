#!/usr/bin/env bash
# symbols.sh LIBRARY            compares what the library exports and what the header declares with abi/symbols.txt, and what it
#                               needs of BLAS and LAPACK with docs/install.md
# symbols.sh --update           writes abi/symbols.txt from the header; the library is linked by that list
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
library=$1
list=abi/symbols.txt
# A declaration begins in the first column, and the name is followed by its arguments; types are not functions.
declared=$(sed -n '/^typedef/d; s/^[a-z].*[ *]\(ge[a-z0-9_]*\)(.*/\1/p' include/geoms.h | sort)
if [ "$library" = --update ]; then
    echo "$declared" >"$list"
    echo "wrote $list"
    exit
fi
# Without the versions of the symbols, whose names are in the table too.
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)

failed=0
# differs WHAT NAMES: the list and the names must be the same
differs() {
    local more less
    more=$(comm -13 "$list" - <<<"$2" | tr '\n' ' ')
    less=$(comm -23 "$list" - <<<"$2" | tr '\n' ' ')
    [ -z "$more" ] || { echo "symbols: $1, but not in $list: $more" >&2; failed=1; }
    [ -z "$less" ] || { echo "symbols: in $list, but not $1: $less" >&2; failed=1; }
}
differs "exported by $(basename "$library")" "$exported"
differs "declared by include/geoms.h" "$declared"
# Each has a version: GEOMS_0.1, or that of abi/since.txt.
while read -r name version; do
    wanted=$(awk -v name="$name" '$1 == name { v = $2 } END { print v ? v : "0.1" }' abi/since.txt)
    [ "$version" = "GEOMS_$wanted" ] || { echo "symbols: $name has the version ${version:-none}, not GEOMS_$wanted" >&2; failed=1; }
done < <(nm -D --defined-only "$library" | awk '$2 != "A" { n = split($3, part, "@+"); print part[1], (n > 1 ? part[2] : "") }')
# What it takes from BLAS and LAPACK.
needed=$(nm -D --undefined-only "$library" | sed -nE 's/^ *U ([sdcz][a-z0-9]{3,5})_$/\U\1/p' | sort)
documented=$(tr '\n' ' ' <docs/install.md | sed -nE 's/.*The shared library needs [a-z]+ routines: ([A-Z0-9, ]*), with .*/\1/p' | tr -d ' ' | tr ',' '\n' | sort)
[ "$needed" = "$documented" ] || { echo "symbols: the library needs" $needed "of BLAS and LAPACK, docs/install.md says" $documented >&2; failed=1; }
[ "$failed" -eq 0 ] || { echo "symbols: if this is meant, run make symbols" >&2; exit 1; }
echo "symbols: $(wc -l <"$list") exported and declared as in $list"
