#!/bin/sh
# SPDX-License-Identifier: MIT
# check_release.sh SCRIPTS_RELEASE: in a small repository of its own, scripts/release refuses what it must and says why,
# and makes the source tarball, the notes and the checksums, whatever the umask, the time zone and the time. Skipped (77)
# without git.
set -eu
command -v git >/dev/null || { echo "skipped: there is no git"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_DATE='2026-11-23T10:00:00Z' GIT_COMMITTER_DATE='2026-11-23T10:00:00Z'
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git config --global user.name tester
git config --global user.email tester@packages.invalid
fail() {
    echo "check_release: $*" >&2
    exit 1
}
refused() { # TEXT COMMAND...: ends with 1 and says TEXT
    text=$1 code=0
    shift
    "$@" >"$dir/said" 2>&1 || code=$?
    [ $code -eq 1 ] || fail "$*: $code instead of 1: $(cat "$dir/said")"
    grep -qF -e "$text" "$dir/said" || fail "$*: no '$text' in: $(cat "$dir/said")"
    [ ! -e "$dir/made" ] || fail "$*: made a folder"
}
tagged() { # commits all and tags it v1.2.3
    git add -A
    git commit -q -m state
    git tag -f v1.2.3 >/dev/null
}

mkdir -p "$dir/tree/scripts" "$dir/tree/python/cuda" "$dir/tree/debian"
cp "$1" "$dir/tree/scripts/release"
cd "$dir/tree"
git init -q .
echo 'project(gpufilterd VERSION 1.2.3 LANGUAGES C)' >CMakeLists.txt
echo 'version = "1.2.3"' | tee python/pyproject.toml >python/cuda/pyproject.toml
echo 'gpufilterd (1.2.3-1) unstable; urgency=medium' >debian/changelog
printf '# News\n\n## 1.2.3 (2026-11-23)\n\nIt is new.\n\n## 1.2.2 (2026-01-01)\n\nIt was new.\n' >NEWS.md
tagged

code=0
scripts/release 2>"$dir/said" || code=$?
[ $code -eq 64 ] && grep -q '^usage: scripts/release' "$dir/said" || fail "without a tag: $code: $(cat "$dir/said")"
refused "is not v and a version" scripts/release 1.2.3 "$dir/made"
refused "there is no tag v1.2.4" scripts/release v1.2.4 "$dir/made"
git tag v1.3.0
refused "CMakeLists.txt has version 1.2.3, the tag is v1.3.0" scripts/release v1.3.0 "$dir/made"
touch other
refused "the tree has changes:" scripts/release v1.2.3 "$dir/made"
git add other
git commit -q -m other
refused "v1.2.3 is not what is checked out" scripts/release v1.2.3 "$dir/made"
for change in 's/1\.2\.3/1.2.2/:python/pyproject.toml' 's/1\.2\.3/1.2.2/:python/cuda/pyproject.toml' \
    's/1\.2\.3/1.2.2/:debian/changelog' 's/## 1\.2\.3/## 1.2.2/:NEWS.md'; do
    sed -i "${change%%:*}" "${change#*:}"
    tagged
    refused "${change#*:} has version 1.2.2, the tag is v1.2.3" scripts/release v1.2.3 "$dir/made"
    git revert --no-edit HEAD >/dev/null 2>&1
done
sed -i 's/2026-11-23/not released/' NEWS.md
tagged
refused "NEWS.md has no date of the release: ## 1.2.3 (not released)" scripts/release v1.2.3 "$dir/made"
git revert --no-edit HEAD >/dev/null 2>&1
git tag -f v1.2.3 >/dev/null

scripts/release --dry-run v1.2.3 "$dir/made" >"$dir/said" || fail "the dry run failed"
[ ! -e "$dir/made" ] || fail "the dry run made a folder"
for name in gpufilterd-1.2.3.tar.gz .deb .whl gpufilterd-1.2.3.spdx.json release-notes.md SHA256SUMS; do
    grep -qF -e "$name" "$dir/said" || fail "the dry run does not name $name: $(cat "$dir/said")"
done
(umask 022 && TZ=UTC+12 scripts/release --source v1.2.3 "$dir/made") >"$dir/said"
(umask 077 && TZ=UTC-14 scripts/release --source v1.2.3 "$dir/again") >>"$dir/said"
cmp "$dir/made/gpufilterd-1.2.3.tar.gz" "$dir/again/gpufilterd-1.2.3.tar.gz"
cmp "$dir/made/SHA256SUMS" "$dir/again/SHA256SUMS"
[ "$(ls "$dir/made" | tr '\n' ' ')" = 'SHA256SUMS gpufilterd-1.2.3.tar.gz release-notes.md ' ] || fail "made $(ls "$dir/made")"
(cd "$dir/made" && sha256sum --quiet -c SHA256SUMS && [ "$(wc -l <SHA256SUMS)" -eq 2 ]) || fail "wrong checksums"
printf '## 1.2.3 (2026-11-23)\n\nIt is new.\n\n' | cmp - "$dir/made/release-notes.md"
mv "$dir/made" "$dir/first"
tar -xzf "$dir/first/gpufilterd-1.2.3.tar.gz" -C "$dir"
git ls-files | sort >"$dir/tracked"
(cd "$dir/gpufilterd-1.2.3" && find . -type f | sed 's,^\./,,' | sort) | cmp - "$dir/tracked"
cmp scripts/release "$dir/gpufilterd-1.2.3/scripts/release"
mkdir "$dir/taken"
code=0
scripts/release --source v1.2.3 "$dir/taken" 2>"$dir/said" || code=$?
[ $code -eq 1 ] && grep -q 'taken exists' "$dir/said" || fail "a folder that exists: $code: $(cat "$dir/said")"
echo "refusals, and a tarball of $(wc -l <"$dir/tracked") files, twice the same"
