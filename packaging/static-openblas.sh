#!/usr/bin/env bash
# Prints where the static archive of OpenBLAS is.
set -euo pipefail

for file in "$(${CC:-cc} -print-file-name=libopenblas.a)" \
    "$(pkg-config --variable=libdir openblas 2>/dev/null || true)/libopenblas.a"; do
    # Without an answer the compiler repeats the name.
    if [[ $file == /* && -e $file ]]; then
        echo "$file"
        exit 0
    fi
done
echo "libopenblas.a not found: the private build needs the static archive of OpenBLAS (Debian: libopenblas-dev)" >&2
exit 1
