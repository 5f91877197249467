#!/usr/bin/env bash
# link-shared.sh OUTPUT SONAME SYMBOLS INPUT...
#
# Links a shared library that exports the names in the file SYMBOLS and nothing else; `-u` takes them out of the
# archives. SYMBOLS may be - for standard input.
set -euo pipefail

output=$1 soname=$2 symbols=$(cat "$3")
shift 3
map=$(mktemp)
trap 'rm -f "$map"' EXIT
{ echo '{ global:'; printf '%s;\n' $symbols; echo 'local: *; };'; } >"$map"
mkdir -p "$(dirname "$output")"
"${CC:-cc}" -shared -o "$output" "-Wl,-soname,$soname" "-Wl,--version-script=$map" -Wl,--gc-sections \
    -Wl,--as-needed -Wl,-z,defs $(printf -- '-Wl,-u,%s ' $symbols) "$@"
ln -sf "$(basename "$output")" "$(dirname "$output")/$soname"
