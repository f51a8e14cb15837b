#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh LIBRARY HEADERS PAGE SYMBOLS ARCHIVE: the library exports exactly the functions of the folder of
# headers, which the Debian package's symbols file names, and the static library has no other global symbols; the manual
# page has all but those of ops/; the library needs nothing but the C library; and its tables have few pointers, which a
# loader must relocate in every program. Sanitizers add thousands.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $2, $3 }' | sort >"$dir/library"
functions() { sed -n '/^static/d; s/^[a-z].*[ *]\(gpufilter_[a-z0-9_]*\)(.*/T \1/p' "$@" | sort; }
functions "$2/client.h" "$2/daemon.h" "$2/run.h" "$2/submit.h" "$2/types.h" >"$dir/client"
functions "$2"/ops/*.h >"$dir/ops"
[ "$(wc -l <"$dir/client")" -ge 17 ] && [ "$(wc -l <"$dir/ops")" -ge 70 ]
sort "$dir/client" "$dir/ops" | diff -u - "$dir/library"
sed -n '/^.SH FUNCTIONS/,/^.SH ENV/{/^\.BR\? gpu/p}' "$3" | grep -o 'gpufilter_[a-z_]*' | sort | sed 's/^/T /' >"$dir/page"
diff -u "$dir/client" "$dir/page"
sed -n 's/^ \(gpufilter_[a-z0-9_]*\)@GPUFILTERCLIENT_0 [0-9.]*$/T \1/p' "$4" | sort >"$dir/symbols"
diff -u "$dir/library" "$dir/symbols"
nm -g --defined-only "$5" | sed -n '/ __odr_asan/d; s/^[0-9a-f]* \([A-Z] .*\)/\1/p' | sort | diff -u "$dir/library" -
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libm|libasan|libubsan|libtsan)\.so' || :)
[ -z "$needed" ] || { echo "the library needs $needed" >&2; exit 1; }
readelf -d "$1" | grep -q 'SONAME.*\[libgpufilterclient\.so\.0\]'
relocations=$(readelf -rW "$1" | grep -c '_RELATIV')
[ "$relocations" -le 700 ] || readelf -d "$1" | grep -q 'NEEDED.*san\.so' ||
  { echo "the library has $relocations pointers to relocate, at most 700 may be" >&2; exit 1; }
