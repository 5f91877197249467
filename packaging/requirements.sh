#!/usr/bin/env bash
# requirements.sh BLAS FORTRAN: what building and installing need, and nothing that only testing needs. Installs nothing; says
# what is missing, by its Debian name too, and ends with 1.
#   BLAS      openblas, system or private
#   FORTRAN   yes if a Fortran compiler is wanted
set -euo pipefail

CARGO=${CARGO:-cargo}
CC=${CC:-cc}
FC=${FC:-gfortran}
blas=$1 fortran=$2
missing=0

lacks() { # WHAT HOW
    echo "missing: $1${2:+ ($2)}" >&2
    missing=1
}
# The first word, because compilers may come with flags.
have() { command -v "${1%% *}" >/dev/null 2>&1; }

# Can the C compiler link with these flags?
links() {
    local dir status=0
    dir=$(mktemp -d)
    echo 'int main(void) { return 0; }' >"$dir/a.c"
    $CC ${CFLAGS:-} "$dir/a.c" -o "$dir/a" ${LDFLAGS:-} "$@" >/dev/null 2>&1 || status=1
    rm -rf "$dir"
    return $status
}

case $blas in
    openblas | system | private) ;;
    *) lacks "BLAS=$blas is none of openblas, system, private" "" ;;
esac
have "$CARGO" || lacks "cargo, the Rust toolchain" "rust-version in Cargo.toml says which; Debian 13: cargo"
have "${RUSTC:-rustc}" || lacks "rustc, the Rust compiler" "rust-version in Cargo.toml says which; Debian 13: rustc"
if ! have "$CC"; then
    lacks "a C compiler, $CC" "Debian: gcc libc6-dev"
elif ! links; then
    lacks "$CC cannot link a program" "Debian: libc6-dev"
elif [ "$blas" = system ]; then
    links -llapack -lblas || lacks "LAPACK and BLAS, -llapack -lblas" "Debian: liblapack-dev libblas-dev, or libopenblas-dev"
else
    links -lopenblas || lacks "OpenBLAS, -lopenblas" "Debian: libopenblas-dev"
fi
if [ "$blas" = private ] && have "$CC"; then
    packaging/static-openblas.sh >/dev/null || missing=1
    links -lgfortran || lacks "libgfortran, which OpenBLAS needs" "Debian: gfortran"
fi
for tool in "${AR:-ar}" "${OBJCOPY:-objcopy}" "${STRIP:-strip}"; do
    have "$tool" || lacks "$tool" "Debian: binutils"
done
[ "$fortran" != yes ] || have "$FC" || lacks "a Fortran compiler, $FC" "Debian: gfortran; or FORTRAN=no"
[ "$missing" -eq 0 ]
