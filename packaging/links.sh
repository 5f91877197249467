#!/usr/bin/env bash
# links.sh FOLDER: every link of the Markdown files below FOLDER to a file leads to one. introduction.md is the beginning of docs/profile.md
# and has its links.
set -euo pipefail
cd "$1"
broken=0 count=0
while IFS=: read -r file link; do
    target=${link#](}
    target=${target%)}
    target=${target%%#*}
    count=$((count + 1))
    if [ -n "$target" ] && [ ! -e "$(dirname "$file")/$target" ]; then
        echo "links: $file leads to $target, which is not there" >&2
        broken=$((broken + 1))
    fi
done < <(find . -name '*.md' ! -name introduction.md -exec grep -oHE '\]\([^) ]+\)' {} + | grep -vE '\]\([a-z]+:')
echo "links: $count, $broken broken"
[ "$count" -gt 0 ] && [ "$broken" -eq 0 ]
