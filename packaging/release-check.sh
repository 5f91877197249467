#!/usr/bin/env bash
# One version everywhere, and nothing that is not committed.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
status=0
# is WHAT FOUND
is() { [ "$2" = "$version" ] || { echo "release: $1 has the version ${2:-none}, Cargo.toml has $version" >&2; status=1; }; }
is include/geoms.h "$(sed -n 's/^#define GEOMS_VERSION "\(.*\)"/\1/p' include/geoms.h)"
is debian/changelog "$(sed -n '1s/.*(\(.*\)-[0-9]*).*/\1/p' debian/changelog)"
is Cargo.lock "$(awk '/^name = "geoms"$/ { found = 1 } found && /^version/ { gsub(/"/, "", $3); print $3; exit }' Cargo.lock)"
grep -qE "^## \[(Unreleased|$version)\]" CHANGELOG.md || { echo "release: CHANGELOG.md has no section for $version" >&2; status=1; }
if [ -n "${RELEASE_TAG:-}" ]; then
    is "the tag" "${RELEASE_TAG#v}"
    grep -qE "^## \[$version\]" CHANGELOG.md || { echo "release: CHANGELOG.md has no section [$version]" >&2; status=1; }
fi
git diff --quiet HEAD || { echo "release: the tree has changes that are not committed; the archive is made of what is committed" >&2; }
exit $status
