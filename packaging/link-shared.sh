#!/usr/bin/env bash
# link-shared.sh OUTPUT SONAME NODE SYMBOLS INPUT...
#
# Links a shared library that exports the names in the file SYMBOLS and nothing else; `-u` takes them out of the
# archives. SYMBOLS may be - for standard input. Each name gets the symbol version NODE_0.1, or that of abi/since.txt.
# Hardened as rustc hardens: relocations are done at start and read-only then, no executable stack.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
output=$1 soname=$2 node=$3 symbols=$(cat "$4")
shift 4
map=$(mktemp)
trap 'rm -f "$map"' EXIT
LC_ALL=C awk -v node="$node" '
    FNR == NR { if ($0 !~ /^#/ && NF == 2) since[$1] = $2; next }
    { version = ($1 in since) ? since[$1] : "0.1"; names[version] = names[version] " " $1 ";" }
    END {
        # Versions in their order: each inherits the one before.
        for (version in names) { split(version, v, "."); key[++count] = sprintf("%05d.%05d %s", v[1], v[2], version) }
        for (i = 1; i <= count; i++) for (j = i + 1; j <= count; j++) if (key[j] < key[i]) { t = key[i]; key[i] = key[j]; key[j] = t }
        for (i = 1; i <= count; i++) {
            version = substr(key[i], 13)
            print node "_" version " { global:" names[version] (i == 1 ? " local: *;" : "") " }" (i > 1 ? " " node "_" before : "") ";"
            before = version
        }
    }' "$root/abi/since.txt" - <<<"$symbols" >"$map"
mkdir -p "$(dirname "$output")"
# No build-id of the paths: the same input gives the same file.
${CC:-cc} -shared -o "$output" "-Wl,-soname,$soname" "-Wl,--version-script=$map" -Wl,--gc-sections -Wl,--as-needed \
    -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack ${LDFLAGS:-} $(printf -- '-Wl,-u,%s ' $symbols) "$@"
ln -sf "$(basename "$output")" "$(dirname "$output")/$soname"
