#!/usr/bin/env bash
# Installs into empty folders and uses nothing but what is there: pkg-config, CMake, C, C++, Fortran, 64-bit INTEGER,
# private BLAS, uninstall. Needs make, and what make lib64 and make lib-private have built.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
FC=${FC:-gfortran}
CC=${CC:-cc}
CXX=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1
failed=0

# check NAME COMMAND...: the command must succeed
check() {
    local name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        printf '%-44s OK\n' "$name"
    else
        printf '%-44s FAIL\n' "$name"
        tail -n 15 "$work/log"
        failed=$((failed + 1))
    fi
    [ "$1" = said ] || cp "$work/log" "$work/before"
}
# said PATTERN: in the output of the last command but this
said() { grep -E -e "$1" "$work/before"; }
# In a folder of its own, with the libraries in the folder $1.
run() {
    local libraries=$1 directory
    shift
    directory=$(mktemp -d -p "$work")
    (cd "$directory" && LD_LIBRARY_PATH=$libraries timeout 120 "$@")
}
# compared EXPECTED LIBRARIES PROGRAM: the output of the program is as expected
# Without a file to compare with the program has to judge for itself.
compared() {
    run "$2" "$3" | tee "$3.output"
    [ "${PIPESTATUS[0]}" -eq 0 ] || return 1
    [ ! -e "$1" ] || awk -f "$root/fortran-tests/compare.awk" "$1" "$3.output"
}
refused() { ! "$@"; }
install_to() { make -C "$root" --no-print-directory install DESTDIR="$1" PREFIX="$2" BLAS="$3"; }

# One tree where PREFIX says, one staged by DESTDIR and thereby moved, one with the private BLAS.
prefix=$work/prefix moved=$work/stage/opt/geoms private=$work/private
check "install" install_to "" "$prefix" openblas
check "install with DESTDIR" install_to "$work/stage" /opt/geoms openblas
check "install with private BLAS" install_to "" "$private" private
lib=$prefix/lib
cd "$work"

version=$(sed -n 's/^#define GEOMS_VERSION "\(.*\)"/\1/p' "$prefix/include/geoms.h")
for name in libgeoms libgeoms64; do
    soname=$name.so.${version%%.*}
    check "$name: file, SONAME and links" bash -c "
        readelf -d $lib/$name.so.$version | grep -F 'SONAME' | grep -F '[$soname]' &&
        [ \$(readlink $lib/$soname) = $name.so.$version ] && [ \$(readlink $lib/$name.so) = $soname ]"
done
check "documents and licenses" ls "$prefix/share/doc/geoms/"{LICENSE-MIT,LICENSE-APACHE,README.md,docs/install.md}
exports() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
for tree in "$prefix" "$private"; do
    check "$(basename "$tree"): exported symbols" diff "$root/abi/symbols.txt" <(exports "$tree/lib/libgeoms.so")
    check "$(basename "$tree"): exported symbols, 64" \
        diff <(grep -v '_64_$' "$root/abi/symbols.txt") <(exports "$tree/lib/libgeoms64.so")
done

# The command.
check "command: version" test "$("$prefix/bin/geoms" version)" = "geoms $version"
check "command: run" "$prefix/bin/geoms" run pendulum-2.8 --tol 1e-8
check "command: and the result" said "error of p and v: [0-9.]*e-(8|9|1)"

# The headers.
warnings=(-Wall -Wextra -Wpedantic -Werror)
for header in "$prefix"/include/*; do
    [[ $header == *.h ]] && for standard in c99 c11; do
        check "$(basename "$header") as $standard" \
            $CC -std=$standard "${warnings[@]}" -fsyntax-only -x c -include "$header" /dev/null
    done
    check "$(basename "$header") as c++17" \
        $CXX -std=c++17 "${warnings[@]}" -fsyntax-only -x c++ -include "$header" /dev/null
done

# pkg-config.
export PKG_CONFIG_PATH=$lib/pkgconfig
pendulum=$root/c-examples/pendulum.c expected=$root/c-examples/pendulum.expected
cp "$pendulum" pendulum.c
check "pkg-config: version" test "$(pkg-config --modversion geoms)" = "$version"
check "pkg-config: shared" $CC pendulum.c -o shared $(pkg-config --cflags --libs geoms) -lm
check "pkg-config: shared runs" compared "$expected" "$lib" "$work/shared"
# The archive by its name, because the linker prefers the shared library.
static=$(pkg-config --static --libs geoms | sed 's/-lgeoms\>/-l:libgeoms.a/')
check "pkg-config: static" $CC pendulum.c -o static $(pkg-config --cflags geoms) $static
check "pkg-config: static runs without libgeoms" compared "$expected" /nonexistent "$work/static"
check "pkg-config: moved tree" $CC pendulum.c -o shared-moved $(PKG_CONFIG_PATH=$moved/lib/pkgconfig \
    pkg-config --define-prefix --cflags --libs geoms) -lm
check "pkg-config: prefix is that of the target" test "$(PKG_CONFIG_PATH=$moved/lib/pkgconfig \
    pkg-config --variable=prefix geoms)" = /opt/geoms

# Every example, as it is.
for source in "$root"/c-examples/*.c "$root"/c-examples/*.cpp; do
    [ -e "$source" ] || continue
    case $source in
        *.c) compiler=($CC -std=c99) name=$(basename "$source" .c) ;;
        *) compiler=($CXX -std=c++17) name=$(basename "$source" .cpp) ;;
    esac
    check "example $name" "${compiler[@]}" "${warnings[@]}" "$source" -o "example-$name" \
        $(pkg-config --cflags --libs geoms) -lm -lpthread
    check "example $name runs" compared "$root/c-examples/$name.expected" "$lib" "$work/example-$name"
done

# CMake, from a copy of the project.
mkdir project
cp -r "$root/c-examples/cmake" project/cmake
cp pendulum.c "$root"/c-examples/{pendulum_model.h,handle.c,save.c,slider_crank.cpp} project
for tree in prefix moved; do
    check "CMake: $tree, configure" cmake -S project/cmake -B "build-$tree" -DCMAKE_PREFIX_PATH="${!tree}"
    check "CMake: $tree, found there" grep -F "geoms_DIR:PATH=${!tree}/lib/cmake/geoms" "build-$tree/CMakeCache.txt"
    check "CMake: $tree, build" cmake --build "build-$tree"
    for kind in geoms static; do
        check "CMake: $tree, $kind runs" compared "$expected" "" "$work/build-$tree/pendulum-$kind"
        for program in handle slider_crank; do
            check "CMake: $tree, $program-$kind runs" run "" "$work/build-$tree/$program-$kind"
        done
    done
    check "CMake: $tree, ctest" ctest --test-dir "build-$tree" --output-on-failure
    check "CMake: $tree, ctest ran all" said "100% tests passed, 0 tests failed out of 8"
done
for wanted in "${version%%.*}.$(($(cut -d. -f2 <<<"$version") + 1))" "$((${version%%.*} + 1)).0"; do
    mkdir -p "wanted-$wanted"
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(wanted C)\nfind_package(geoms %s REQUIRED)\n' "$wanted" \
        >"wanted-$wanted/CMakeLists.txt"
    check "CMake: version $wanted is refused" \
        refused cmake -S "wanted-$wanted" -B "build-$wanted" -DCMAKE_PREFIX_PATH="$prefix"
    check "CMake: and that is the reason" said "version: $version"
done

# find_package CONDITION: whether CMake takes these words; the log is the output
wanted() {
    local folder
    folder=$(mktemp -d -p "$work")
    printf 'cmake_minimum_required(VERSION 3.19)\nproject(wanted C)\nfind_package(geoms %s)\n' "$1" >"$folder/CMakeLists.txt"
    cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$prefix"
}
major=${version%%.*} minor=$(cut -d. -f2 <<<"$version")
check "CMake: a range with this version" wanted "$major.$minor...<$major.$((minor + 1)) REQUIRED"
check "CMake: a range that ends with it" wanted "0...$version REQUIRED"
check "CMake: a range that ends before it" refused wanted "0...<$version REQUIRED"
check "CMake: a range that begins after it" refused wanted "$major.$((minor + 1))...9 REQUIRED"
check "CMake: known components" wanted "REQUIRED COMPONENTS geoms static geoms64 static64 gewrit"
check "CMake: an unknown component is refused" refused wanted "REQUIRED COMPONENTS geoms python"
check "CMake: and that is the reason" said "no component python"
check "CMake: unless it is optional" wanted "REQUIRED COMPONENTS geoms OPTIONAL_COMPONENTS python"

# As a part of another project; built where it has been built already. Cargo would compile anew where other packages are looked for.
same="env -u PKG_CONFIG_PATH"
for way in subdirectory FetchContent; do
    mkdir -p "part-$way"
    {
        printf 'cmake_minimum_required(VERSION 3.16)\nproject(part C CXX)\n'
        if [ $way = subdirectory ]; then
            printf 'add_subdirectory(%s geoms)\n' "$root"
        else
            printf 'include(FetchContent)\nFetchContent_Declare(geoms SOURCE_DIR %s)\nFetchContent_MakeAvailable(geoms)\n' "$root"
        fi
        printf 'foreach(kind geoms static)\n  add_executable(part-${kind} %s)\n  target_link_libraries(part-${kind} PRIVATE geoms::${kind} m)\nendforeach()\n' \
            "$pendulum"
    } >"part-$way/CMakeLists.txt"
    check "CMake: $way" cmake -S "part-$way" -B "part-$way/build" -DGEOMS_TARGET_DIR="$(realpath "${CARGO_TARGET_DIR:-$root/target}")"
    check "CMake: $way, build" $same cmake --build "part-$way/build"
    for kind in geoms static; do
        check "CMake: $way, $kind runs" compared "$expected" "" "$work/part-$way/build/part-$kind"
    done
done

# Paths that cannot be written into the files of CMake and pkg-config.
check "PREFIX with a blank is refused" refused install_to "" "$work/a b" openblas
check "PREFIX: and that is the reason" said "has a blank"
check "relative PREFIX is refused" refused install_to "" "here" openblas
check "relative PREFIX: and that is the reason" said "not an absolute path"

# Documents.
for tree in "$prefix" "$private"; do
    check "$(basename "$tree"): links of the documents" "$root/packaging/links.sh" "$tree/share/doc/geoms"
done
check "man page" bash -c "gzip -dc $prefix/share/man/man1/geoms.1.gz | grep -F 'geoms $version'"
check "notices of the crates" grep -E '^ndarray v' "$prefix/share/doc/geoms/NOTICES"
check "notices of the crates: holders" grep -E '^    Copyright .*Toshiki Teramura' "$prefix/share/doc/geoms/NOTICES"
check "notices of OpenBLAS" grep -F "The OpenBLAS Project" "$private/share/doc/geoms/NOTICES"
check "notices of LAPACK" grep -F "The University of California Berkeley" "$private/share/doc/geoms/NOTICES"
hardened() { readelf -dW "$1" | grep -q BIND_NOW && readelf -lW "$1" | grep -q GNU_RELRO && ! readelf -lW "$1" | grep -E 'GNU_STACK.*RWE'; }
for file in "$prefix"/lib/*.so "$private"/lib/*.so; do
    check "${file#"$work"/}: hardened" hardened "$file"
    check "${file#"$work"/}: no folder of this machine" refused grep -qF "$root" "$file"
done

# Fortran: the module, and what it makes the compiler refuse.
fortran=$prefix/share/geoms/fortran
strict=(-std=f2008 -Wall -Wextra -Wno-unused-dummy-argument -Werror)
for kind in 32 64; do
    if [ $kind = 64 ]; then wide=(-fdefault-integer-8) name=geoms64; else wide=() name=geoms; fi
    mkdir "mod$kind"
    check "module, $kind-bit INTEGER" $FC "${strict[@]}" "${wide[@]}" -J "mod$kind" "$fortran/geoms.f90" \
        "$root/fortran-tests/module_pendulum.f90" -o "module$kind" $(pkg-config --libs $name)
    check "module, $kind-bit INTEGER, runs" run "$lib" "$work/module$kind"
    check "handle, $kind-bit INTEGER" $FC "${strict[@]}" "${wide[@]}" -J "mod$kind" "$fortran/geoms_handle.f90" \
        "$root/fortran-tests/handle.f90" -o "handle$kind" $(pkg-config --libs $name)
    check "handle, $kind-bit INTEGER, runs" run "$lib" "$work/handle$kind"
done
check "handle as Fortran 2003" $FC -std=f2003 -Wall -Wextra -Werror -J mod32 -c "$fortran/geoms_handle.f90" -o handle.o
# Every function of the header has an interface, and both modules can be used in one program.
for name in $(sed -n '/^typedef/d; s/^[a-z].*[ *]\(geoms_[a-z0-9_]*[a-z0-9]\)(.*/\1/p' "$prefix/include/geoms.h"); do
    grep -qF "bind(c, name='$name')" "$fortran/geoms_handle.f90" || echo "$name"
done >without-interface
check "every function has an interface" test ! -s without-interface
printf '%s\n' 'program both' '  use geoms_module' '  use geoms_handle' '  implicit none' \
    '  procedure(geoms_eom), pointer :: legacy => null()' '  procedure(geoms_eom_fn), pointer :: new => null()' \
    '  print *, geoms_text(geoms_version()), associated(legacy), associated(new)' 'end program' >both.f90
check "both modules in one program" $FC "${strict[@]}" -I mod32 "$fortran/geoms.f90" "$fortran/geoms_handle.f90" \
    both.f90 -J mod32 -o both $(pkg-config --libs geoms)
check "both modules run" run "$lib" "$work/both"
sed 's/real(c_double), value :: t/real(c_double) :: t/' "$root/fortran-tests/handle.f90" >refused.f90
check "handle: a wrong callback is refused" refused $FC -std=f2008 -J mod32 -c refused.f90 -o refused.o
check "handle: and that is the reason" said "Interface mismatch in dummy procedure"
refusable=($FC -std=f2008 -cpp -I mod32 -J mod32 -c "$root/fortran-tests/module_refused.F90" -o refused.o)
check "module: right subroutines are accepted" "${refusable[@]}" -DWRONG=0
for wrong in 1 2 3 4 5 6 7; do
    check "module: mistake $wrong is refused" refused "${refusable[@]}" -DWRONG=$wrong
    check "module: and that is the reason" said "Interface mismatch in dummy procedure|Missing actual argument"
done

# 64-bit INTEGER: old drivers, recompiled only.
drivers=$root/fortran-tests
wide=(-std=legacy -O2 -fdefault-integer-8)
static=$(pkg-config --static --libs geoms64 | sed 's/-lgeoms64\>/-l:libgeoms64.a/')
check "libgeoms64.so" $FC "${wide[@]}" "$drivers/pendulum.f" -o wide $(pkg-config --libs geoms64)
check "libgeoms64.so runs" compared "$drivers/pendulum.expected" "$lib" "$work/wide"
check "libgeoms64.a" $FC "${wide[@]}" "$drivers/pendulum.f" -o wide-static $static
check "libgeoms64.a runs" compared "$drivers/pendulum.expected" /nonexistent "$work/wide-static"
check "libgeoms64.so, private BLAS" compared "$drivers/pendulum.expected" "$private/lib" "$work/wide"
check "libgeoms64.so, arguments" $FC "${wide[@]}" "$drivers/arguments.f" -o arguments $(pkg-config --libs geoms64)
check "libgeoms64.so, arguments, runs" compared "$drivers/arguments.expected" "$lib" "$work/arguments"

# A wrong width of INTEGER ends in a code, not in a crash, whatever IOPT is.
kind=$drivers/kind.f
for library in libgeoms.so libgeoms.a; do
    check "64-bit INTEGER, $library" $FC "${wide[@]}" "$kind" -o "kind-$library" -L"$lib" -l:$library -lopenblas -lpthread -lm -ldl
    check "64-bit INTEGER, $library, is refused" run "$lib" "$work/kind-$library"
    check "64-bit INTEGER, $library, with the reason" said "INTEGER of the program = 64 bits"
done
for flags in -O0 -O2 -fopenmp; do
    check "32-bit INTEGER, libgeoms64, $flags" $FC -std=legacy $flags "$kind" -o kind32 $(pkg-config --libs geoms64)
    check "32-bit INTEGER, libgeoms64, $flags, is refused" run "$lib" "$work/kind32"
    check "32-bit INTEGER, libgeoms64, $flags, with the reason" said "INTEGER of the program = 32 bits"
done

# Names without an underscore, as documented.
check "-fno-underscoring, compiled" $FC -std=legacy -O2 -fno-underscoring -c "$drivers/arguments.f" -o bare.o
check "-fno-underscoring, renamed" objcopy --redefine-sym geoms=geoms_ --redefine-sym gedensout=gedensout_ bare.o
check "-fno-underscoring, linked" $FC bare.o -o bare $(pkg-config --libs geoms)
check "-fno-underscoring, runs" compared "$drivers/arguments.expected" "$lib" "$work/bare"
check "-fsecond-underscore" $FC -std=legacy -O2 -fsecond-underscore "$drivers/arguments.f" -o second $(pkg-config --libs geoms)
check "-fsecond-underscore, runs" compared "$drivers/arguments.expected" "$lib" "$work/second"
check "-fdefault-real-8 is refused by the module" refused $FC -fdefault-real-8 -J mod32 -c "$fortran/geoms.f90" \
    "$root/fortran-tests/module_pendulum.f90"
check "-fdefault-real-8: and that is the reason" said "Type mismatch|Interface mismatch"

check "libgeoms.so and geoms64.f" $FC "${wide[@]}" "$drivers/pendulum.f" "$fortran/geoms64.f" -o wrapped \
    $(pkg-config --libs geoms)
check "libgeoms.so and geoms64.f run" compared "$drivers/pendulum.expected" "$lib" "$work/wrapped"

# Messages on a unit of the program.
for kind in 32 64; do
    if [ $kind = 64 ]; then wide=(-fdefault-integer-8) name=geoms64; else wide=() name=geoms; fi
    static=$(pkg-config --static --libs $name | sed "s/-l$name\>/-l:lib$name.a/")
    unit=(-std=legacy "${wide[@]}" "$drivers/messages.f" -L"$lib" -lgeomsf -Wl,-u,gewrit_)
    check "GEWRIT, $kind, shared" $FC "${unit[@]}" -o "unit$kind" $(pkg-config --libs $name)
    check "GEWRIT, $kind, shared, runs" compared "$drivers/messages.expected" "$lib" "$work/unit$kind"
    check "GEWRIT, $kind, static" $FC "${unit[@]}" -o "unit$kind-static" $static
    check "GEWRIT, $kind, static, runs" compared "$drivers/messages.expected" /nonexistent "$work/unit$kind-static"
done

# The same through CMake.
check "CMake, Fortran" cmake -S "$drivers/cmake" -B build-fortran -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_Fortran_COMPILER=$FC
check "CMake, Fortran, build" cmake --build build-fortran
check "CMake, Fortran, module runs" run "" "$work/build-fortran/module"
check "CMake, Fortran, handle runs" run "" "$work/build-fortran/handle"
for kind in geoms64 static64; do
    check "CMake, Fortran, $kind runs" compared "$drivers/pendulum.expected" "" "$work/build-fortran/wide-$kind"
done
for kind in geoms static; do
    check "CMake, Fortran, gewrit and $kind run" compared "$drivers/messages.expected" "" \
        "$work/build-fortran/unit-$kind"
done

# A program with BLAS and LAPACK routines of its own. It is linked once, and exports them because the ordinary library
# needs them; the same program then gets the private library.
needs() { readelf -d "$1" | grep -q 'NEEDED.*openblas'; }
check "ordinary library needs OpenBLAS" needs "$lib/libgeoms.so"
check "private library does not" refused needs "$private/lib/libgeoms.so"
own=$root/packaging/own_lapack.c
check "own LAPACK" $CC -O1 -Wall -Wextra -Werror "$own" -o own $(pkg-config --cflags --libs geoms) -lm
check "own LAPACK, ordinary: wrong result" refused run "$lib" "$work/own"
check "own LAPACK, ordinary: it is called" said "own routines called: [1-9]"
unset OPENBLAS_NUM_THREADS
check "own LAPACK, private: right result" run "$private/lib" "$work/own"
check "own LAPACK, private: it is not called" said "own routines called: 0$"
check "private: no threads" said "threads: 0$"
check "without own LAPACK, both" bash -c "
    $CC -O1 -DNO_OWN $own -o without $(pkg-config --cflags --libs geoms) -lm &&
    LD_LIBRARY_PATH=$private/lib ./without && OPENBLAS_NUM_THREADS=1 LD_LIBRARY_PATH=$lib ./without"

# No symbol that no program calls.
called=$(find . -maxdepth 1 -type f -perm -u+x -exec nm -D --undefined-only {} + | awk 'NF == 2 { sub(/@.*/, "", $2); print $2 }' |
    LC_ALL=C sort -u)
check "every symbol is called by a program" diff "$root/abi/symbols.txt" \
    <(LC_ALL=C comm -12 "$root/abi/symbols.txt" - <<<"$called")

# Glued runs across processes: library, header, module and .pc file, found by pkg-config alone.
check "install-mpi" $same make -C "$root" --no-print-directory install-mpi DESTDIR= PREFIX="$prefix"
check "libgeoms_mpi: SONAME and links" bash -c "
    readelf -d $lib/libgeoms_mpi.so.$version | grep -F 'SONAME' | grep -F '[libgeoms_mpi.so.${version%%.*}]' &&
    [ \$(readlink $lib/libgeoms_mpi.so.${version%%.*}) = libgeoms_mpi.so.$version ]"
check "libgeoms_mpi: exported symbols" diff <(sed -n 's/.*[ *]\(geoms_mpi_[a-z_]*\)(.*/\1/p' "$prefix/include/geoms_mpi.h" | grep -v attach_f\; | LC_ALL=C sort -u) \
    <(exports "$lib/libgeoms_mpi.so" | grep -v ^GEOMS_MPI)
mpi_flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs geoms_mpi)
check "pkg-config geoms_mpi" grep -F -- "-lgeoms_mpi" <<<"$mpi_flags"
check "mpicc chain.c" mpicc -std=c11 "${warnings[@]}" "-I$root/c-examples" "$root/gluing-examples/chain.c" -o "$work/chain" $mpi_flags -lm
mpi_run() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 run "$lib" mpirun --oversubscribe -n 2 "$@"; }
check "mpirun -n 2 chain" mpi_run "$work/chain" -k 4 -n 20
modules=$prefix/share/geoms/fortran
check "mpifort geoms_mpi.f90" bash -c "cd $work && mpifort -c $modules/geoms_handle.f90 $modules/geoms_mpi.f90"
check "mpifort four_bar.f90" mpifort -J"$work" "$root/gluing-examples/four_bar.f90" "$work/geoms_handle.o" "$work/geoms_mpi.o" -o "$work/four_bar" $mpi_flags
check "mpirun -n 2 four_bar" mpi_run "$work/four_bar"
check "install-mpi without mpicc" refused $same make -C "$root" --no-print-directory install-mpi DESTDIR= PREFIX="$prefix" MPICC=no-mpicc
check "install-mpi without mpicc: says so" said "missing: no-mpicc"

# Nothing remains.
for tree in "$prefix" "$private"; do
    make -C "$root" --no-print-directory uninstall DESTDIR= PREFIX="$tree" >/dev/null
    check "uninstall: $(basename "$tree")" test -z "$(find "$tree" -type f -o -type l)"
done

echo "install: $failed failed"
[ "$failed" -eq 0 ]
