#!/usr/bin/env bash
# Prints the notices of OpenBLAS and LAPACK, which belong to everything that contains them: OPENBLAS_NOTICES, or those of Debian.
set -euo pipefail

notices=${OPENBLAS_NOTICES:-$(ls /usr/share/doc/{libopenblas-dev,libopenblas*-dev,liblapack3}/copyright 2>/dev/null | sort -u || true)}
[ -n "$notices" ] || {
    echo "what contains OpenBLAS has to come with its notice: name its file in OPENBLAS_NOTICES" >&2
    exit 1
}
cat $notices
