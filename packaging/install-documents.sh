#!/usr/bin/env bash
# install-documents.sh FOLDER BLAS RELEASE: documents, licenses, examples and notices, with everything that the documents link to
# (packaging/links.sh checks that). RELEASE is where cargo has built: its lists of sources say where the crates are. BLAS=private: also the notices of the OpenBLAS inside, OPENBLAS_NOTICES.
set -euo pipefail
umask 022

cd "$(dirname "$0")/.."
to=$1 blas=$2 release=$3
install -d "$to/docs"
install -m 644 README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE-MIT LICENSE-APACHE "$to"
install -m 644 docs/* "$to/docs"
for folder in c-examples examples fortran python/examples $(ls -d {.,problems}/examples/profile 2>/dev/null); do
    find "$folder" -type f | while read -r file; do install -D -m "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$to/$file"; done
done
install -D -m 644 -t "$to/fortran-tests" fortran-tests/{pendulum.f,module_pendulum.f90,handle.f90,arguments.f}
install -D -m 644 -t "$to/bench" bench/README.md
find bench -maxdepth 1 \( -name '*.svg' -o -name '*.csv' \) -exec install -m 644 -t "$to/bench" {} +

# holders NAME VERSION: the copyright of a crate as its license files have it, and its authors. A vendored crate may be in a folder without
# its version.
holders() {
    local folder
    folder=$(grep -hoE "[^ ]*/$1(-$2)?/src/" "$release/deps/${1//-/_}"-*.d) || { echo "notices: where is $1 $2?" >&2; return 1; }
    folder=${folder%%$'\n'*} folder=${folder%src/}
    {
        # A line that ends with a comma goes on.
        find "${folder%/}" -maxdepth 1 -type f \( -iname 'license*' -o -iname 'copying*' \) -exec \
            awk 'tolower($0) ~ /^[^a-z]*copyright (\(c\)|©|[0-9])/ || more { sub(/^[^A-Za-z]*/, ""); printf "%s%s", $0, /,$/ ? " " : "\n"; more = /,$/ }' {} +
        awk '/^authors = /, /\]/ { while (match($0, /"[^"]*"/)) { print "Author: " substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' \
            "$folder/Cargo.toml"
    } | sed 's/^/    /; s/[[:space:]]*$//' | LC_ALL=C sort -u
}
{
    echo "What the libraries and the command contain besides geoms, from its Cargo.lock, with its license and the holders of its copyright as its"
    echo "files name them. The texts of MIT and Apache-2.0 are in LICENSE-MIT and LICENSE-APACHE; the standard library of Rust is"
    echo "MIT OR Apache-2.0, copyright The Rust Project contributors."
    echo
    # A proc-macro runs in the compiler and leaves nothing in the program.
    "${CARGO:-cargo}" tree --locked --package geoms --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
        sed 's/ (\*)$//; s/ ([^)]*) / /' | LC_ALL=C sort -u | grep -v '^geoms ' |
        while read -r name version license; do
            echo "$name $version $license"
            holders "$name" "${version#v}"
        done
} >"$to/NOTICES"
if [ "$blas" = private ]; then
    notices=$(packaging/openblas-notices.sh)
    { echo; echo "The shared libraries contain OpenBLAS and LAPACK, with these notices."; echo "$notices"; } >>"$to/NOTICES"
fi
chmod 644 "$to/NOTICES"
