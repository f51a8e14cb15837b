#!/bin/sh
# SPDX-License-Identifier: MIT
# check_deb.sh CPACK BUILD INSTALLED.TXT: makes the Debian package of this build and looks into it. Skipped (77) where
# the tools for that are missing.
set -eu
cpack=$1 build=$2 list=$3
for tool in dpkg-deb dpkg-shlibdeps file; do
    command -v $tool >/dev/null || { echo "skipped: no $tool on this machine"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$cpack" --config "$build/CPackConfig.cmake" -G DEB -B "$dir" >"$dir/log" || { cat "$dir/log"; exit 1; }
deb=$(ls "$dir"/*.deb)
fail() {
    echo "check_deb: $*" >&2
    exit 1
}
depends=$(dpkg-deb -f "$deb" Depends)
for package in systemd libc6 libuv1 libinih1 libspng0; do
    case $depends in *$package*) ;; *) fail "does not depend on $package: $depends" ;; esac
done
dpkg-deb -e "$deb" "$dir/control"
for word in systemd-sysusers systemd-tmpfiles; do
    grep -q "^ *$word .*gpufilter.conf" "$dir/control/postinst" || fail "postinst does not run $word"
done
for script in postinst prerm postrm; do
    [ -x "$dir/control/$script" ] && sh -n "$dir/control/$script" || fail "$script cannot be run"
done
grep -q ldconfig "$dir/control/triggers" || fail "the library is not made known"
files=$(dpkg-deb -c "$deb" | grep -cv '^d')
[ "$files" -eq "$(wc -l <"$list")" ] || fail "$files files instead of $(wc -l <"$list")"
dpkg-deb -c "$deb" | awk '$2 != "root/root" { print; bad = 1 } END { exit bad }' || fail "files of others"
echo "$(basename "$deb"): $files files; $depends"
