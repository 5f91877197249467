#!/usr/bin/env bash
# install-documents.sh FOLDER BLAS: documents, licenses, examples and notices, with everything that the documents link to
# (packaging/links.sh checks that). BLAS=private: also the notices of the OpenBLAS inside, OPENBLAS_NOTICES.
set -euo pipefail
umask 022

cd "$(dirname "$0")/.."
to=$1 blas=$2
install -d "$to/docs"
install -m 644 README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE-MIT LICENSE-APACHE "$to"
install -m 644 docs/* "$to/docs"
for folder in c-examples examples fortran python/examples $(ls -d {.,problems}/examples/profile 2>/dev/null); do
    find "$folder" -type f | while read -r file; do install -D -m "$([ -x "$file" ] && echo 755 || echo 644)" "$file" "$to/$file"; done
done
install -D -m 644 -t "$to/fortran-tests" fortran-tests/{pendulum.f,module_pendulum.f90,handle.f90,arguments.f}
install -D -m 644 -t "$to/bench" bench/README.md
find bench -maxdepth 1 \( -name '*.svg' -o -name '*.csv' \) -exec install -m 644 -t "$to/bench" {} +

{
    echo "What the libraries and the command contain besides geoms, from its Cargo.lock, with its license. The texts of MIT and"
    echo "Apache-2.0 are in LICENSE-MIT and LICENSE-APACHE; the standard library of Rust is MIT OR Apache-2.0."
    echo
    # A proc-macro runs in the compiler and leaves nothing in the program.
    "${CARGO:-cargo}" tree --locked --package geoms --edges normal,no-proc-macro --prefix none --format '{p} {l}' |
        sed 's/ (\*)$//; s/ ([^)]*) / /' | LC_ALL=C sort -u | grep -v '^geoms '
} >"$to/NOTICES"
if [ "$blas" = private ]; then
    notices=$(packaging/openblas-notices.sh)
    { echo; echo "The shared libraries contain OpenBLAS and LAPACK, with these notices."; echo "$notices"; } >>"$to/NOTICES"
fi
chmod 644 "$to/NOTICES"
