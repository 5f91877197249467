#!/usr/bin/env bash
# deb.sh FOLDER             the Debian source and binary packages of what is committed, in FOLDER, built here
# deb.sh FOLDER SUITE       the same in a clean chroot of that suite of Debian (as root, with mmdebstrap), without a network
#                           during the build; then lintian in it
# A build here needs the build dependencies of debian/control, with a cargo of the version that Cargo.toml asks for: Debian 13.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1 suite=${2:-}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
name=geoms-$version
rm -rf "$folder/source"
mkdir -p "$folder/source"
folder=$(cd "$folder" && pwd)
cd "$folder/source"

# The archive without debian/, the crates as a second one, and debian/ itself.
stamp=$(git -C "$root" log -1 --format=%ct)
git -C "$root" archive --prefix="$name/" HEAD -- . ':!debian' | gzip -9n >"geoms_$version.orig.tar.gz"
tar xzf "geoms_$version.orig.tar.gz"
git -C "$root" archive --prefix="$name/" HEAD debian | tar x
(cd "$root" && packaging/vendor.sh "$folder/source/$name/vendor")
tar c -C "$name" --sort=name --mtime="@$stamp" --owner=0 --group=0 --numeric-owner vendor | xz -T1 >"geoms_$version.orig-vendor.tar.xz"

if [ -z "$suite" ]; then
    (cd "$name" && dpkg-buildpackage -us -uc)
else
    [ "$(id -u)" -eq 0 ] || { echo "deb.sh: a chroot needs root" >&2; exit 1; }
    chroot=${CHROOT:-$folder/chroot}
    depends=$(sed -n 's/^Build-Depends: //p' "$root/debian/control" | tr -d ' ' | sed 's/([^)]*)//g; s/debhelper-compat/debhelper/')
    [ -e "$chroot/usr/bin/dh" ] || mmdebstrap --quiet --variant=buildd --include="$depends" "$suite" "$chroot"
    home=$chroot/home/builder
    grep -q '^builder:' "$chroot/etc/passwd" || echo 'builder:x:1000:1000::/home/builder:/bin/sh' >>"$chroot/etc/passwd"
    rm -rf "$home"
    mkdir -p "$home"
    cp -r "$folder/source" "$home/source"
    chown -R 1000:1000 "$home"
    # there COMMAND: in the chroot, not as root, without a network, and with nothing of this environment; the mount ends with it
    there() {
        unshare --net --mount bash -c 'mount -t proc proc "$1/proc" && exec chroot --userspec=1000:1000 "$1" env -i HOME=/home/builder USER=builder \
            LC_ALL=C.UTF-8 PATH=/usr/bin:/bin:/usr/sbin:/sbin sh -c "cd ~/source && $2"' - "$chroot" "$1"
    }
    there "cd $name && dpkg-buildpackage -us -uc"
    cp "$home"/source/geoms_*[!b] "$home"/source/*.deb "$folder/source/"
    # Not before: the build has to do without it.
    [ -e "$chroot/usr/bin/lintian" ] || chroot "$chroot" sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends lintian' >/dev/null 2>&1
    there "lintian --fail-on error,warning --info geoms_*.changes"
    echo "lintian: clean"
fi
ls -l "$folder"/source/*.deb "$folder"/source/*.dsc
