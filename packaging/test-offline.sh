#!/usr/bin/env bash
# test-offline.sh FOLDER SUITE: `make lib install` of what is committed on a machine with cargo, a C compiler, make and libopenblas-dev alone, as a user without
# rights, without a network, with vendored crates; a C program against the installed library. A chroot of that suite of Debian (as root, with
# mmdebstrap); the tools that are missing there are named.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=$2
[ "$(id -u)" -eq 0 ] || { echo "test-offline.sh: a chroot needs root" >&2; exit 1; }
chroot=$folder/chroot
[ -e "$chroot/usr/bin/cargo" ] || mmdebstrap --quiet --variant=apt --include=cargo,gcc,libc6-dev,make,libopenblas-dev "$suite" "$chroot"
chroot "$chroot" id builder >/dev/null 2>&1 || chroot "$chroot" useradd -m builder
home=$chroot/home/builder
rm -rf "$home/geoms" "$home/prefix" "$folder/vendor"
mkdir "$home/geoms"
git -C "$root" archive HEAD | tar x -C "$home/geoms"
(cd "$root" && packaging/vendor.sh "$folder/vendor")
mv "$folder/vendor" "$home/geoms/vendor"
mkdir -p "$home/geoms/.cargo"
printf '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n' >"$home/geoms/.cargo/config.toml"
chroot "$chroot" chown -R builder: /home/builder
[ -e "$chroot/dev/null" ] || mknod -m 666 "$chroot/dev/null" c 1 3
for tool in gfortran c++ pkg-config cmake valgrind rustfmt python3; do
    [ ! -e "$chroot/usr/bin/$tool" ] || { echo "test-offline.sh: $tool is there" >&2; exit 1; }
done
cat >"$home/run" <<'R'
set -e
cd ~/geoms
[ "$(id -u)" -ne 0 ]
make lib install PREFIX=$HOME/prefix
cc -std=c99 c-examples/pendulum.c -o ../pendulum -I$HOME/prefix/include -L$HOME/prefix/lib -lgeoms -lm
LD_LIBRARY_PATH=$HOME/prefix/lib ../pendulum >../pendulum.output
$HOME/prefix/bin/geoms run pendulum-2.8 --tol 1e-8
echo "offline: built, installed and run"
for tool in CARGO CC; do
    ! make lib $tool=no-such-$tool >../log 2>&1 || exit 1
    grep '^missing: ' ../log
done
R
unshare --net --mount chroot "$chroot" su builder -c "sh ~/run" 2>&1 | tee "$folder/log" | grep -v Compiling
awk -f "$root/fortran-tests/compare.awk" "$root/c-examples/pendulum.expected" "$home/pendulum.output"
grep -q '^offline: built' "$folder/log" && [ "$(grep -c '^missing: ' "$folder/log")" -eq 2 ]
