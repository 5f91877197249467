#!/usr/bin/env bash
# test-offline.sh FOLDER SUITE: `make lib install` of what is committed on a machine with cargo, a C compiler, make and libopenblas-dev alone, as a user without
# rights, without a network, with vendored crates; a C program against the installed library. Then each of these tools is taken away: it is named.
# A chroot of that suite of Debian (as root, with mmdebstrap).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=$2
[ "$(id -u)" -eq 0 ] || { echo "test-offline.sh: a chroot needs root" >&2; exit 1; }
chroot=$folder/chroot
[ -e "$chroot/usr/bin/cargo" ] || mmdebstrap --quiet --variant=apt --include=cargo,gcc,libc6-dev,make,libopenblas-dev "$suite" "$chroot"
# of a run that was stopped
find "$chroot/usr" -name '*.hidden' | while read -r file; do mv "$file" "${file%.hidden}"; done
home=$chroot/home/builder
rm -rf "$home" "$folder/vendor"
mkdir -p "$home/geoms/.cargo"
git -C "$root" archive HEAD | tar x -C "$home/geoms"
(cd "$root" && packaging/vendor.sh "$folder/vendor")
mv "$folder/vendor" "$home/geoms/vendor"
printf '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "vendor"\n' >"$home/geoms/.cargo/config.toml"
cat >"$home/run" <<'R'
set -e
[ "$(id -u)" -ne 0 ]
make lib install PREFIX=$HOME/prefix
cc -std=c99 c-examples/pendulum.c -o ../pendulum -I$HOME/prefix/include -L$HOME/prefix/lib -lgeoms -lm
LD_LIBRARY_PATH=$HOME/prefix/lib ../pendulum >../pendulum.output
$HOME/prefix/bin/geoms run pendulum-2.8 --tol 1e-8
R
chown -R 1000:1000 "$home"
for tool in gfortran c++ pkg-config cmake valgrind rustfmt python3 curl git; do
    [ ! -e "$chroot/usr/bin/$tool" ] || { echo "test-offline.sh: $tool is there" >&2; exit 1; }
done

good=0 bad=0
report() { # NAME STATUS
    if [ "$2" -eq 0 ]; then echo "$1: OK"; good=$((good + 1)); else echo "$1: FAIL"; tail -n 20 "$folder/log"; bad=$((bad + 1)); fi
}
# there COMMAND...: in the chroot, as a user, without a network
there() {
    unshare --net --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot --userspec=1000:1000 "$1" env -i HOME=/home/builder PATH=/usr/bin:/bin \
        sh -c "cd ~/geoms && exec \"\$@\"" "$@"' - "$chroot" "$@" >"$folder/log" 2>&1
}
status=0
there sh ../run || status=$?
grep -v Compiling "$folder/log"
report "make lib install, and a program" $status
report "result of the program" "$(awk -f "$root/fortran-tests/compare.awk" "$root/c-examples/pendulum.expected" "$home/pendulum.output" >"$folder/log" 2>&1; echo $?)"
report "nothing needs more" "$(there make lib install PREFIX=/home/builder/prefix; echo $?)"

# missing MESSAGE [FILE...] [VARIABLE=VALUE]: without these files make ends with that line
missing() {
    local message=$1 hidden=() status=0
    shift
    while [[ ${1:-} == /* ]]; do hidden+=("$chroot$1") && mv "$chroot$1" "$chroot$1.hidden" && shift; done
    { ! there make lib install PREFIX=/home/builder/prefix "$@" && grep -qxF "missing: $message" "$folder/log"; } || status=1
    for file in "${hidden[@]}"; do mv "$file.hidden" "$file"; done
    report "missing: $message" $status
}
libraries=/usr/lib/$(chroot "$chroot" gcc -print-multiarch)
missing "cargo, the Rust toolchain (rust-version in Cargo.toml says which; Debian 13: cargo)" /usr/bin/cargo
missing "rustc, the Rust compiler (rust-version in Cargo.toml says which; Debian 13: rustc)" /usr/bin/rustc
missing "a C compiler, cc (Debian: gcc libc6-dev)" /usr/bin/cc
missing "cc cannot link a program (Debian: libc6-dev)" "$libraries/crt1.o" "$libraries/Scrt1.o"
missing "OpenBLAS, -lopenblas (Debian: libopenblas-dev)" "$libraries/libopenblas.so" "$libraries/libopenblas.a"
missing "LAPACK and BLAS, -llapack -lblas (Debian: liblapack-dev libblas-dev, or libopenblas-dev)" "$libraries/liblapack.so" "$libraries/liblapack.a" BLAS=system
missing "libgfortran, which OpenBLAS needs (Debian: gfortran)" BLAS=private
missing "a Fortran compiler, gfortran (Debian: gfortran; or FORTRAN=no)" FORTRAN=yes
for tool in ar objcopy strip; do missing "$tool (Debian: binutils)" "/usr/bin/$tool"; done
rm -rf "$home"
echo "offline: $good passed, $bad failed"
[ "$bad" -eq 0 ]
