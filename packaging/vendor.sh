#!/usr/bin/env bash
# vendor.sh FOLDER: the crates of Cargo.lock in FOLDER, for a build without a network. Those that building the library and the
# command on this kind of machine does not need (tests, other systems, optional ones) are empty stand-ins, which cargo wants to see.
set -euo pipefail
cd "$(dirname "$0")/.."
to=$1
mkdir -p "$(dirname "$to")"
cargo=${CARGO:-cargo}
"$cargo" vendor --locked --versioned-dirs "$to" >/dev/null 2>&1
# The library and the command; the generator of documents is not needed.
needed=$("$cargo" tree --locked --package geoms --package geoms-problems --edges normal,build --prefix none --format '{p}' |
    awk '{ sub(/^v/, "", $2); print $1 "-" $2 }' | sort -u)
# trim CRATE FOLDER: without the folder, also in the list of checksums
trim() {
    rm -rf "${1:?}/$2"
    sed -i -E "s#\"$2/[^\"]*\":\"[0-9a-f]*\",?##g; s#,\}#}#" "$1/.cargo-checksum.json"
}
kept=0 all=0
for crate in "$to"/*; do
    name=$(basename "$crate")
    all=$((all + 1))
    if grep -qxF -- "$name" <<<"$needed"; then
        kept=$((kept + 1))
        # LAPACK itself, 72 MB, from which the bindings were once made
        [[ $name != lapack-sys-* ]] || trim "$crate" lapack
        continue
    fi
    # A build script and targets besides the library would be looked for; the dependencies have to stay.
    manifest=$(awk '
        /^\[/ { skip = /^\[\[(bin|example|test|bench)\]\]/ || /^\[lib\]/ }
        !skip && !/^(build|autolib|links) = / { print }' "$crate/Cargo.toml")
    package=$(sed -n 's/.*"package":"\([0-9a-f]*\)".*/\1/p' "$crate/.cargo-checksum.json")
    rm -rf "$crate"
    mkdir -p "$crate/src"
    printf '%s\n' "$manifest" >"$crate/Cargo.toml"
    : >"$crate/src/lib.rs"
    printf '{"files":{},"package":"%s"}' "$package" >"$crate/.cargo-checksum.json"
done
echo "vendored $kept crates, $((all - kept)) stand-ins: $to"
