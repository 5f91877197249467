#!/usr/bin/env bash
# link-mpi.sh FOLDER SONAME RELEASE: libgeoms_mpi.so in FOLDER from mpi/geoms_mpi.c, with the compiler wrapper $MPICC (mpicc) and the libgeoms in RELEASE.
# Exports the functions of mpi/geoms_mpi.h and nothing else.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 soname=$2 release=$3
MPICC=${MPICC:-mpicc}
command -v "${MPICC%% *}" >/dev/null 2>&1 || { echo "missing: $MPICC, the compiler wrapper of MPI (Debian: libopenmpi-dev)" >&2; exit 1; }
mkdir -p "$folder"
$MPICC -std=c11 -Wall -Wextra -Wpedantic -O2 ${CFLAGS:-} "-ffile-prefix-map=$root=." -I"$root/include" -I"$root/mpi" -fPIC -c "$root/mpi/geoms_mpi.c" -o "$folder/geoms_mpi.o"
sed -n 's/^[a-z][a-z ]*[ *]\(geoms_mpi_[a-z_]*\)(.*/\1/p' "$root/mpi/geoms_mpi.h" |
    CC=$MPICC "$root/packaging/link-shared.sh" "$folder/libgeoms_mpi.so" "$soname" GEOMS_MPI - "$folder/geoms_mpi.o" -L"$release" -lgeoms -lm
