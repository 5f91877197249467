#!/usr/bin/env bash
# Prints the notices of OpenBLAS and LAPACK, which belong to everything that contains them: OPENBLAS_NOTICES, or that of the package of Debian,
# whose variants all have the same, with LAPACK's own, which it leaves to another package. What else is installed must not matter.
set -euo pipefail

if [ -n "${OPENBLAS_NOTICES:-}" ]; then
    cat $OPENBLAS_NOTICES
    exit
fi
for file in /usr/share/doc/{libopenblas-dev,libopenblas-*-dev}/copyright; do
    if [ -e "$file" ]; then
        cat "$file"
        printf '\nLAPACK:\n\n'
        cat "$(dirname "$0")/LAPACK-NOTICE"
        exit
    fi
done
echo "what contains OpenBLAS has to come with its notice: name its file in OPENBLAS_NOTICES" >&2
exit 1
