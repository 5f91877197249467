#!/usr/bin/env bash
# Building asks for what it needs, and no more: with a path of these tools alone `packaging/requirements.sh` is content, without one of them
# it names what is missing and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
good=0 bad=0
linker=$(basename "$(cc -print-prog-name=ld)")

# tools [WITHOUT...]: a folder with links to what building needs
tools() {
    local tool
    rm -rf "$work/bin"
    mkdir "$work/bin"
    for tool in bash env cat mktemp rm dirname cargo rustc cc as "$linker" ar objcopy strip gfortran apt-get; do
        [[ " $* " == *" $tool "* ]] || ! command -v "$tool" >/dev/null || ln -s "$(command -v "$tool")" "$work/bin/$tool"
    done
    # An installation would be noticed.
    rm -f "$work/bin/apt-get"
    printf '#!/bin/sh\ntouch %s/installed\n' "$work" >"$work/bin/apt-get"
    chmod +x "$work/bin/apt-get"
}
# asked NAME PATTERN [VARIABLE=VALUE...] -- BLAS FORTRAN: the message, or none for an empty pattern
asked() {
    local name=$1 pattern=$2 status=0 settings=()
    shift 2
    while [ "$1" != -- ]; do settings+=("$1") && shift; done
    shift
    env "${settings[@]}" PATH="$work/bin" packaging/requirements.sh "$@" >"$work/log" 2>&1 || status=$?
    if [ -e "$work/installed" ]; then
        echo "$name: FAIL, something was installed"
        bad=$((bad + 1))
    elif if [ -z "$pattern" ]; then [ "$status" -eq 0 ] && [ ! -s "$work/log" ]; else [ "$status" -eq 1 ] && grep -qE "^missing: $pattern" "$work/log"; fi; then
        echo "$name: OK"
        good=$((good + 1))
    else
        echo "$name: FAIL, status $status"
        cat "$work/log"
        bad=$((bad + 1))
    fi
}

tools
asked "nothing is missing" "" -- openblas auto
asked "nothing is missing, BLAS=system" "" -- system auto
asked "nothing is missing, compiler with flags" "" "CC=cc -O2" -- openblas auto
asked "unknown BLAS" "BLAS=mkl is none of openblas, system, private" -- mkl auto
asked "no such C compiler" "a C compiler, no-such-cc \(Debian: gcc" "CC=no-such-cc" -- openblas auto
asked "no such Fortran compiler" "a Fortran compiler, no-such-fc \(Debian: gfortran; or FORTRAN=no\)" "FC=no-such-fc" -- openblas yes
asked "no Fortran compiler is wanted" "" "FC=no-such-fc" -- openblas no
for tool in cargo rustc cc ar objcopy strip; do
    tools "$tool"
    case $tool in
        cargo) message="cargo, the Rust toolchain" ;;
        rustc) message="rustc, the Rust compiler" ;;
        cc) message="a C compiler, cc \(Debian: gcc libc6-dev\)" ;;
        *) message="$tool \(Debian: binutils\)" ;;
    esac
    asked "without $tool" "$message" -- openblas auto
done
# A compiler that does not find a library.
for library in openblas lapack gfortran; do
    tools
    rm "$work/bin/cc"
    printf '#!/bin/bash\n[[ " $* " != *" -l%s "* && $* != *lib%s.a ]] || exit 1\nexec %s "$@"\n' $library $library "$(command -v cc)" >"$work/bin/cc"
    chmod +x "$work/bin/cc"
    case $library in
        openblas) asked "without OpenBLAS" "OpenBLAS, -lopenblas \(Debian: libopenblas-dev\)" -- openblas auto ;;
        lapack) asked "without LAPACK" "LAPACK and BLAS, -llapack -lblas \(Debian: liblapack-dev libblas-dev, or libopenblas-dev\)" -- system auto ;;
        *) asked "without libgfortran" "libgfortran, which OpenBLAS needs \(Debian: gfortran\)" -- private auto ;;
    esac
done
tools gfortran
asked "without gfortran, by itself" "" -- openblas auto
asked "without gfortran, wanted" "a Fortran compiler, gfortran" -- openblas yes
tools "$linker"
asked "without the linker" "cc cannot link a program" COMPILER_PATH=/nonexistent -- openblas auto
echo "requirements: $good passed, $bad failed"
[ "$bad" -eq 0 ]
