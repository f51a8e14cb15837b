#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh LIBRARY CLIENT.H OPS.H PAGE SYMBOLS: the library exports exactly the functions of the headers, which
# the Debian package's symbols file names; the manual page has the functions of client.h; and the library needs nothing
# but the C library.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $2, $3 }' | sort >"$dir/library"
functions() { sed -n '/^static/d; s/^[a-z].*[ *]\(gpufilter_[a-z0-9_]*\)(.*/T \1/p' "$@" | sort; }
functions "$2" >"$dir/client"
functions "$3" >"$dir/ops"
[ "$(wc -l <"$dir/client")" -ge 17 ] && [ "$(wc -l <"$dir/ops")" -ge 70 ]
sort "$dir/client" "$dir/ops" | diff -u - "$dir/library"
sed -n '/^.SH FUNCTIONS/,/^.SH ENV/{/^\.BR\? gpu/p}' "$4" | grep -o 'gpufilter_[a-z_]*' | sort | sed 's/^/T /' >"$dir/page"
diff -u "$dir/client" "$dir/page"
sed -n 's/^ \(gpufilter_[a-z0-9_]*\)@GPUFILTERCLIENT_0 [0-9.]*$/T \1/p' "$5" | sort >"$dir/symbols"
diff -u "$dir/library" "$dir/symbols"
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libm|libasan|libubsan|libtsan)\.so' || :)
[ -z "$needed" ] || { echo "the library needs $needed" >&2; exit 1; }
readelf -d "$1" | grep -q 'SONAME.*\[libgpufilterclient\.so\.0\]'
