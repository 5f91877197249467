#!/usr/bin/env bash
# symbols.sh LIBRARY            compares what the library exports and what the header declares with abi/symbols.txt
# symbols.sh LIBRARY --update   writes abi/symbols.txt
set -euo pipefail
export LC_ALL=C

cd "$(dirname "$0")/.."
library=$1
list=abi/symbols.txt
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
if [ "${2:-}" = --update ]; then
    echo "$exported" >"$list"
    echo "wrote $list"
fi
# A declaration begins in the first column, and the name is followed by its arguments; types are not functions.
declared=$(sed -n '/^typedef/d; s/^[a-z].*[ *]\(ge[a-z0-9_]*\)(.*/\1/p' include/geoms.h | sort)

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
[ "$failed" -eq 0 ] || { echo "symbols: if this is meant, run make symbols" >&2; exit 1; }
echo "symbols: $(wc -l <"$list") exported and declared as in $list"
