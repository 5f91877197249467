#!/usr/bin/env bash
# test-reproducible.sh FOLDER: what is committed, built and installed twice, must be the same, byte for byte and with the same rights, and
# name neither place. The second build differs in all that a packager may have otherwise: folder, folders of cargo and of the user, number
# of jobs, umask, language, time zone, dates of the files. Names of folders have another length in each run, because the memory layout of
# the compiler depends on them; SEED repeats a run. The sum that is printed must be that of other runs of the commit with this compiler.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
RANDOM=${SEED:=$RANDOM}
# One commit, also if another one is made meanwhile.
commit=$(git -C "$root" rev-parse HEAD)
letters=abcdefghijklmnopqrstuvwxyz
rm -rf "${work:?}"/place-*
one=$work/place-1${letters:0:$((RANDOM % 26))}
two=$work/place-2/${letters:0:$((RANDOM % 26 + 1))}/with-a-long-name${letters:0:$((RANDOM % 26))}
other_home=$work/place-2/home
cargo_home=${CARGO_HOME:-$HOME/.cargo}
jobs=$((RANDOM % 3 + 2))
echo "reproducible: SEED=$SEED, 1 and $jobs jobs in"
echo "    $one"
echo "    $two"

# build PLACE [VARIABLE=VALUE...]: with the BLAS of the machine, and with one of its own, which is linked anew only
build() {
    local place=$1 blas
    shift
    for blas in openblas private; do
        env -u CARGO_TARGET_DIR -u MAKEFLAGS -u MAKELEVEL -u RUSTFLAGS "$@" make -C "$place/geoms" install BLAS=$blas PREFIX=/usr \
            DESTDIR="$place/installed/$blas" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
    done
}
for place in "$one" "$two"; do
    mkdir -p "$place"
    git -C "$root" archive --prefix=geoms/ "$commit" | tar x -C "$place"
done
(umask 022 && build "$one" CARGO_BUILD_JOBS=1 LC_ALL=C TZ=UTC)

# The toolchain and the downloaded crates stay where they are or are copied: nothing is downloaded.
mkdir -p "$other_home/crates"
cp -r "$cargo_home/registry" "$other_home/crates/"
[ ! -e "$cargo_home/config.toml" ] || cp "$cargo_home/config.toml" "$other_home/crates/"
find "$two/geoms" -exec touch -h -d 2001-02-03T04:05:06 {} +
(umask 077 && build "$two" CARGO_BUILD_JOBS=$jobs LC_ALL=C.UTF-8 TZ=Pacific/Auckland HOME="$other_home" USER=packager LOGNAME=packager \
    RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" CARGO_HOME="$other_home/crates" CARGO_TARGET_DIR="$work/place-2/built-elsewhere")

diff -r "$one/installed" "$two/installed"
rights() { (cd "$1/installed" && find . -printf '%p %y %m %l\n' | LC_ALL=C sort); }
diff <(rights "$one") <(rights "$two")
if grep -rlF -e "$work" -e "$cargo_home" "$one/installed"; then
    echo "reproducible: these files name a folder of this machine" >&2
    exit 1
fi
"$root/packaging/module-hashes.sh" "$one"/installed/*/usr/lib/libgeoms*.a
(cd "$one/installed" && find . -type f | LC_ALL=C sort | xargs sha256sum) >"$work/sums"
sum=$(sha256sum <"$work/sums" | cut -c 1-16)
echo "reproducible: $(find "$one/installed" -type f | wc -l) files are the same, sum $sum (of $work/sums)"
rm -rf "${work:?}"/place-*
