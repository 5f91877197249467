#!/usr/bin/env bash
# test-toolchains.sh            the drivers with other compilers, on other BLAS libraries and for aarch64
# test-toolchains.sh --native   without aarch64, and without building anything
# test-toolchains.sh --aarch64  that alone
# test-toolchains.sh --short    one or two of each, without flang (unless it is there) and aarch64
#
# Compilers: gfortran, flang, clang, clang++ with libc++, tcc. BLAS: reference, BLIS, OpenBLAS serial, openmp and pthread, by
# the alternatives that a library with BLAS=system takes; here by LD_LIBRARY_PATH. aarch64: cross-compiled, under qemu, with
# the BLAS of Debian for that machine. Needs what .ci/setup-toolchains installs and `make lib`.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
release=${RELEASE:-$root/target/release}
work=$release/toolchains
mode=${1:-}
drivers=$root/fortran-tests
passed=0
failed=0
export OPENBLAS_NUM_THREADS=1 BLIS_NUM_THREADS=1 OMP_NUM_THREADS=1
rm -rf "$work"
mkdir -p "$work"

# The first of these programs that there is.
first() { for name in "$@"; do command -v "$name" && return; done; true; }
clang=$(first clang-19 clang-18 clang-17 clang-16 clang)
clangxx=$(first clang++-19 clang++-18 clang++-17 clang++-16 clang++)
flang=$(first flang-new-19 flang-19 flang-new flang)
tcc=$(first tcc)

report() { # NAME OK|FAIL [LOG]
    printf '%-52s %s\n' "$1" "$2"
    if [ "$2" = OK ]; then passed=$((passed + 1)); else failed=$((failed + 1)); tail -n 12 "${3:-/dev/null}"; fi
}
# runs NAME EXPECTED COMMAND...: the command ends with 0, and its output is as expected if there is such a file
runs() {
    local name=$1 expected=$2 log=$work/log.$BASHPID folder
    shift 2
    folder=$(mktemp -d -p "$work")
    if (cd "$folder" && timeout "${LIMIT:-300}" "$@") >"$log" 2>&1 &&
        { [ ! -e "$expected" ] || awk -f "$drivers/compare.awk" "$expected" "$log"; } >>"$log.compared" 2>&1; then
        report "$name" OK
    else
        cat "$log.compared" >>"$log" 2>/dev/null || true
        report "$name" FAIL "$log"
    fi
    rm -f "$log.compared"
}
# built NAME COMMAND...: compile; the name without blanks is the program
built() {
    local name=$1
    shift
    if ! "$@" >"$work/log" 2>&1; then
        report "$name, compiled" FAIL "$work/log"
        return 1
    fi
}

# Another machine.
aarch64() {
    triple=aarch64-unknown-linux-gnu
    sysroot=$work/../../aarch64-sysroot
    if [ ! -e "$sysroot/usr/lib/aarch64-linux-gnu/lapack/liblapack.so.3" ]; then
        rm -rf "$sysroot"
        mmdebstrap --quiet --variant=extract --architectures=arm64 --include=libc6,libgcc-s1,libgfortran5,libstdc++6,libblas-dev,liblapack-dev \
            "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$sysroot" >"$work/log" 2>&1 || report "files for aarch64" FAIL "$work/log"
    fi
    sysroot=$(cd "$sysroot" && pwd)
    there=$sysroot/usr/lib/aarch64-linux-gnu
    flags="-L$there/lapack -L$there/blas -Wl,-rpath-link,$there:$there/lapack:$there/blas"
    if CARGO_BUILD_TARGET=$triple make -C "$root" --no-print-directory lib64 command CROSS=aarch64-linux-gnu- PKG_CONFIG=false BLAS=system \
        LDFLAGS="$flags" >"$work/log" 2>&1; then
        report "aarch64: make lib64 command" OK
    else
        report "aarch64: make lib64 command" FAIL "$work/log"
    fi
    out=${release%/release}/$triple/release
    export LIMIT=1200
    qemu=(qemu-aarch64-static -L "$sysroot" -E "LD_LIBRARY_PATH=$there/lapack:$there/blas:$there:$out" -E OPENBLAS_NUM_THREADS=1)
    runs "aarch64: geoms run" - "${qemu[@]}" "$out/geoms" run pendulum-2.8 --tol 1e-8
    for name in pendulum arguments bead fourbarrel knife; do
        built "aarch64 $name" aarch64-linux-gnu-gfortran -std=legacy -O2 "$drivers/$name.f" -o "$work/aarch64-$name" -L"$out" -lgeoms $flags &&
            runs "aarch64 $name" "$drivers/$name.expected" "${qemu[@]}" "$work/aarch64-$name"
    done
    built "aarch64 kind" aarch64-linux-gnu-gfortran -std=legacy -O2 -fdefault-integer-8 "$drivers/kind.f" -o "$work/aarch64-kind" -L"$out" -lgeoms $flags &&
        runs "aarch64: 64-bit INTEGER is refused" - "${qemu[@]}" "$work/aarch64-kind"
    for name in pendulum handle events; do
        built "aarch64 $name.c" aarch64-linux-gnu-gcc -O2 -I"$root/include" "$root/c-examples/$name.c" -o "$work/aarch64-c-$name" -L"$out" \
            -lgeoms $flags -lm && runs "aarch64 $name.c" "$root/c-examples/$name.expected" "${qemu[@]}" "$work/aarch64-c-$name"
    done
    built "aarch64 slider_crank.cpp" aarch64-linux-gnu-g++ -std=c++17 -O2 -I"$root/include" "$root/c-examples/slider_crank.cpp" \
        -o "$work/aarch64-slider_crank" -L"$out" -lgeoms $flags -lm &&
        runs "aarch64 slider_crank.cpp" - "${qemu[@]}" "$work/aarch64-slider_crank"
}

finish() {
    echo "toolchains: $passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
if [ "$mode" = --aarch64 ]; then
    aarch64
    finish
    exit
fi

# With the alternatives: no compilation of the library, only another link.
mkdir -p "$work/lib"
(cd "$root" && packaging/link-shared.sh "$work/lib/libgeoms.so" "${SONAME:-libgeoms.so.0}" GEOMS \
    abi/symbols.txt "$release/libgeoms.a" -llapack -lblas -lpthread -lm -ldl)
link=(-L"$work/lib" -lgeoms "-Wl,-rpath,$work/lib")
multiarch=$(${CC:-cc} -print-multiarch 2>/dev/null || true)
libraries=/usr/lib/${multiarch:-.}

all=$(cd "$drivers" && for file in *.expected; do name=${file%.expected}; [ ! -e "$name.f" ] || echo "$name"; done | grep -v '^messages')
c="pendulum handle events stick_slip save parts pattern stop handle_threads diagnosis"
cxx="slider_crank exceptions"
blas_drivers=$all
if [ "$mode" = --short ]; then
    all="pendulum arguments bead"
    c="pendulum handle"
    cxx="slider_crank"
    blas_drivers="arguments fourbarrel"
fi

# Fortran compilers. flang has no flag for old Fortran: it accepts it.
fortran() { # LABEL COMPILER FLAGS...
    local label=$1 name
    shift
    for name in $all; do
        built "$label $name" "$@" "$drivers/$name.f" -o "$work/$label-$name" "${link[@]}" || continue
        runs "$label $name" "$drivers/$name.expected" "$work/$label-$name"
    done
    # GEWRIT from source; the modules.
    built "$label messages" "$@" "$drivers/messages.f" "$root/fortran/gewrit.f" -o "$work/$label-messages" "${link[@]}" &&
        runs "$label messages on a unit (GEWRIT)" "$drivers/messages.expected" "$work/$label-messages"
}
modules() { # LABEL COMPILER FLAGS...
    local label=$1 name
    shift
    for name in module_pendulum:geoms handle:geoms_handle; do
        mkdir -p "$work/$label-mod"
        built "$label ${name%%:*}" "$@" -J "$work/$label-mod" "$root/fortran/${name##*:}.f90" "$drivers/${name%%:*}.f90" \
            -o "$work/$label-${name%%:*}" "${link[@]}" && runs "$label ${name%%:*}.f90" - "$work/$label-${name%%:*}"
    done
}
fortran gfortran ${FC:-gfortran} -std=legacy -O2
if [ -n "$flang" ]; then
    fortran flang "$flang" -O2
    modules flang "$flang" -O2
    "$flang" -c -J "$work/flang-mod" "$root/fortran/geoms_handle.f90" -o "$work/handle.o" >"$work/log" 2>&1 &&
        ! grep -i warning "$work/log" && report "flang: no warnings in geoms_handle.f90" OK ||
        report "flang: no warnings in geoms_handle.f90" FAIL "$work/log"
elif [ "$mode" != --short ]; then
    report "flang is there" FAIL
fi

# C and C++.
for label in clang tcc; do
    compiler=${!label}
    [ -n "$compiler" ] || { report "$label is there" FAIL; continue; }
    for name in $c; do
        built "$label $name" "$compiler" -O2 -I"$root/include" "$root/c-examples/$name.c" -o "$work/$label-$name" "${link[@]}" -lm \
            -lpthread || continue
        runs "$label $name.c" "$root/c-examples/$name.expected" "$work/$label-$name"
    done
done
if [ -n "$clangxx" ]; then
    for name in $cxx; do
        built "libc++ $name" "$clangxx" -stdlib=libc++ -std=c++17 -O2 -I"$root/include" "$root/c-examples/$name.cpp" \
            -o "$work/libc++-$name" "${link[@]}" -lm -lpthread && runs "clang++ libc++ $name.cpp" - "$work/libc++-$name"
    done
    if "$clangxx" -std=c++17 -Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -fsyntax-only -I"$root/include" \
        "$root"/c-examples/*.cpp 2>&1 | grep 'geoms.hpp.*warning' >"$work/log"; then
        report "clang++ -Weverything: geoms.hpp" FAIL "$work/log"
    else
        report "clang++ -Weverything: geoms.hpp" OK
    fi
else
    report "clang++ is there" FAIL
fi

# The same programs on other BLAS libraries. BLIS has no LAPACK: it goes with the reference.
for variant in reference:blas:lapack BLIS:blis-serial:lapack openblas-serial:openblas-serial:openblas-serial \
    openblas-openmp:openblas-openmp:openblas-openmp openblas-pthread:openblas-pthread:openblas-pthread; do
    IFS=: read -r label blas lapack <<<"$variant"
    if [ ! -e "$libraries/$blas/libblas.so.3" ] || [ ! -e "$libraries/$lapack/liblapack.so.3" ]; then
        report "BLAS $label is there" FAIL
        continue
    fi
    path=$libraries/$blas:$libraries/$lapack:$work/lib
    # Not a test of the usual library by another name.
    if LD_LIBRARY_PATH=$path ldd "$work/lib/libgeoms.so" | grep -F "libblas.so.3 => $libraries/$blas/" >/dev/null; then
        report "BLAS $label is loaded" OK
    else
        report "BLAS $label is loaded" FAIL
    fi
    for name in $blas_drivers; do
        [ -x "$work/gfortran-$name" ] || built "$name" ${FC:-gfortran} -std=legacy -O2 "$drivers/$name.f" \
            -o "$work/gfortran-$name" "${link[@]}" || continue
        runs "BLAS $label $name" "$drivers/$name.expected" env "LD_LIBRARY_PATH=$path" "$work/gfortran-$name"
    done
done

# Installed so: library, command, pkg-config and CMake ask for the alternatives.
if [ -z "$mode" ]; then
    if make -C "$root" --no-print-directory install BLAS=system PREFIX="$work/prefix" DESTDIR= >"$work/log" 2>&1; then
        report "make install BLAS=system" OK
    else
        report "make install BLAS=system" FAIL "$work/log"
    fi
    for file in lib/libgeoms.so lib/libgeoms64.so bin/geoms; do
        needed=$(readelf -d "$work/prefix/$file" | grep NEEDED)
        if grep -q 'liblapack.so.3' <<<"$needed" && grep -q 'libblas.so.3' <<<"$needed" && ! grep -q openblas <<<"$needed"; then
            report "BLAS=system: $file needs LAPACK and BLAS only" OK
        else
            report "BLAS=system: $file needs LAPACK and BLAS only" FAIL
        fi
    done
    runs "BLAS=system: geoms run on the reference" - env "LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack" \
        "$work/prefix/bin/geoms" run pendulum-2.8 --tol 1e-8
    for file in lib/pkgconfig/geoms.pc lib/cmake/geoms/geomsConfig.cmake; do
        if grep -Eq -- '-llapack -lblas|lapack;blas' "$work/prefix/$file" && ! grep -q openblas "$work/prefix/$file"; then
            report "BLAS=system: $file" OK
        else
            report "BLAS=system: $file" FAIL
        fi
    done
fi

[ -n "$mode" ] || aarch64
finish
