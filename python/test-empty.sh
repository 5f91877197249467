#!/usr/bin/env bash
# test-empty.sh WHEEL FOLDER SUITE... -- [ARGUMENT OF PYTEST...]
#
# The wheel on machines that have nothing: for each suite of Debian, files of its Python and what that and NumPy need in FOLDER/SUITE, no compiler, no
# BLAS, no network, a user without rights; pip installs NumPy, pytest and the wheel there, and the tests run. As root, with mmdebstrap.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "$1") folder=$2
shift 2
suites=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    suites+=("$1")
    shift
done
[ $# -eq 0 ] || shift
[ "$(id -u)" -eq 0 ] || { echo "test-empty.sh: a chroot needs root" >&2; exit 1; }
command -v mmdebstrap >/dev/null || { echo "test-empty.sh: mmdebstrap is missing" >&2; exit 1; }
mkdir -p "$folder"
folder=$(realpath "$folder")
. "$root/python/counts.sh"
for suite in "${suites[@]}"; do
    empty=$folder/$suite
    if [ ! -e "$empty/made" ]; then
        rm -rf "$empty"
        mmdebstrap --quiet --variant=extract --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
            --include=python3,python3-venv,coreutils,dash,libstdc++6,mount,util-linux "$suite" "$empty"
        # pip reads them even if there is no network; here nothing is configured.
        install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$empty/etc/ssl/certs/ca-certificates.crt"
        touch "$empty/made"
    fi
    found=$(find "$empty"/usr/bin "$empty"/usr/lib \( -name 'gcc*' -o -name 'clang*' -o -name cc -o -name tcc -o -name 'lib*blas*' -o -name 'liblapack*' \
        -o -name 'libgfortran*' \) ! -path '*/site-packages/*' ! -path '*/libgcc*' ! -type d)
    [ -z "$found" ] || { printf 'test-empty.sh: %s is not empty:\n%s\n' "$suite" "$found" >&2; exit 1; }
    version=$(chroot "$empty" /usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    rm -rf "$empty/test"
    mkdir -p "$empty/test/wheels" "$empty/proc"
    "$folder/../build/bin/pip" download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" --dest "$empty/test/wheels" \
        numpy pytest
    cp "$wheel" "$empty/test/wheels"
    cp -r "$root/python/tests" "$empty/test"
    cp -r "$root/python/examples" "$empty/test/tests/examples"
    [ -e "$empty/dev/null" ] || mknod -m 666 "$empty/dev/null" c 1 3
    [ -e "$empty/dev/urandom" ] || mknod -m 666 "$empty/dev/urandom" c 1 9
    {
        printf 'set -e\ncd /test\npython3 -m venv venv\nvenv/bin/pip install --quiet --no-index --find-links wheels numpy pytest geoms\n'
        printf 'exec venv/bin/python -m pytest -q -p no:cacheprovider tests%s\n' "$(printf ' %q' "$@")"
    } >"$empty/test/run"
    chown -R 65534:65534 "$empty/test"
    mkdir -p "$empty/tmp"
    chmod 1777 "$empty/tmp"
    # Mounted in a namespace that ends with the tests.
    unshare --net --mount --pid --fork chroot "$empty" /bin/sh -c "mount -t proc proc /proc && exec /usr/bin/env -i HOME=/test PATH=/usr/bin:/bin \
        GEOMS_WHEEL=/test/wheels/$(basename "$wheel") setpriv --reuid 65534 --regid 65534 --clear-groups /bin/sh /test/run" 2>&1 |
        tee "$folder/$suite.log" || true
    counts "$folder/$suite.log"
    echo "Python $version of $suite, with NumPy and nothing else: $(tail -n 1 "$folder/$suite.log")"
done
echo "empty: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
