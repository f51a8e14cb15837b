#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh NAME LIBRARY HEADERS PAGE SYMBOLS ARCHIVE [NEEDED...]: the library libgpufilterNAME exports exactly the
# functions of its headers in the folder, and the static library has no other global symbols; the manual page and the
# Debian package's symbols file have all but those of ops/; the library needs nothing but the C library and
# NEEDED; and its tables have few pointers, which a loader must relocate in every program. Sanitizers add thousands.
set -eu
name=$1 library=$2 headers=$3 page=$4 symbols=$5 archive=$6
shift 6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $2, $3 }' | sort >"$dir/library"
functions() { sed -n '/^static/d; s/^[a-z].*[ *]\(gpufilter_[a-z0-9_]*\)(.*/T \1/p' "$@" | sort; }
if [ "$name" = client ]; then
    functions "$headers/client.h" "$headers/daemon.h" "$headers/run.h" "$headers/submit.h" "$headers/types.h" >"$dir/hand"
    functions "$headers"/ops/*.h >"$dir/ops"
    [ "$(wc -l <"$dir/hand")" -ge 17 ] && [ "$(wc -l <"$dir/ops")" -ge 70 ]
else
    functions "$headers/$name.h" >"$dir/hand"
    : >"$dir/ops"
    [ "$(wc -l <"$dir/hand")" -ge 10 ]
fi
sort "$dir/hand" "$dir/ops" | diff -u - "$dir/library"
sed -n '/^.SH FUNCTIONS/,/^.SH E/{/^\.BR\? gpu/p}' "$page" | grep -o 'gpufilter_[a-z_]*' | sort | sed 's/^/T /' >"$dir/page"
diff -u "$dir/hand" "$dir/page"
sed -n 's/^ \(gpufilter_[a-z0-9_]*\)@GPUFILTER[A-Z]*_0 [0-9.]*$/T \1/p' "$symbols" | sort >"$dir/symbols"
comm -23 "$dir/hand" "$dir/symbols" | diff -u - /dev/null # a pattern stands for the functions of ops/ alone
comm -13 "$dir/library" "$dir/symbols" | diff -u - /dev/null
nm -g --defined-only "$archive" | sed -n '/ __odr_asan/d; s/^[0-9a-f]* \([A-Z] .*\)/\1/p' | sort | diff -u "$dir/library" -
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Ev "^(libc|libm|ld-linux.*|libasan|libubsan|libtsan$(printf '|%s' "$@"))\\.so" || :)
[ -z "$needed" ] || { echo "the library needs $needed" >&2; exit 1; }
readelf -d "$library" | grep -q "SONAME.*\\[libgpufilter$name\\.so\\.0\\]"
relocations=$(readelf -rW "$library" | grep -c '_RELATIV')
[ "$relocations" -le 700 ] || readelf -d "$library" | grep -q 'NEEDED.*san\.so' ||
    { echo "the library has $relocations pointers to relocate, at most 700 may be" >&2; exit 1; }
