#!/usr/bin/env bash
# build.sh LIBGEOMS LIBPROBLEMS FOLDER
#
# Compiles the gateway and puts the whole interface into FOLDER, for `addpath FOLDER`: the functions, and in its folder `private` the
# gateway, the library that it calls and the problem library. GATEWAY=plain compiles it as C alone, as for MATLAB.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
libgeoms=$1 problems=$2 folder=$3
CC=${CC:-cc}
CXX=${CXX:-c++}
MKOCTFILE=${MKOCTFILE:-mkoctfile}
objects=$folder/objects
rm -rf "$folder"
mkdir -p "$objects" "$folder/private"

# -fexceptions: errors of the interpreter pass through frames of C.
flags=(-O2 -fPIC -fexceptions -Wall -Wextra -Werror -Wno-cast-function-type)
read -ra include <<<"$($MKOCTFILE -p INCFLAGS)"
sources=(gateway run model callbacks library)
[ "${GATEWAY:-octave}" = plain ] && sources+=(interpreter_plain)
for source in "${sources[@]}"; do
    # shellcheck disable=SC2086
    $CC -std=gnu11 "${flags[@]}" ${CFLAGS:-} -I"$root/include" -I"$root/problems" "${include[@]}" \
        -c "$here/src/$source.c" -o "$objects/$source.o"
done
linker=$CC
if [ "${GATEWAY:-octave}" != plain ]; then
    # shellcheck disable=SC2086
    $CXX -std=c++17 "${flags[@]}" ${CXXFLAGS:-} "${include[@]}" -c "$here/src/interpreter_octave.cpp" -o "$objects/interpreter_octave.o"
    linker=$CXX
fi
cp "$libgeoms" "$folder/private/libgeoms.so.0"
cp "$problems" "$folder/private/libgeoms_problems.so"
# The names of the interpreter are found in the program that loads it.
# shellcheck disable=SC2086
$linker -shared -o "$folder/private/geoms_gateway.mex" "$objects"/*.o ${LDFLAGS:-} "$folder/private/libgeoms.so.0" -ldl -lm \
    '-Wl,-rpath,$ORIGIN' -Wl,-Bsymbolic -Wl,-z,relro
rm -rf "$objects"
cp "$here"/*.m "$folder"
cp "$here"/private/*.m "$folder/private"
