#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh LIBRARY MAP HEADER PAGE SYMBOLS: the library exports exactly the functions of the version script, which
# names exactly those of the header, of the manual page and of the Debian package's symbols file; and the library needs
# nothing but the C library.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $2, $3 }' | sort >"$dir/library"
sed -n 's/^    \(gpufilter_[a-z_]*\);$/T \1/p' "$2" | sort >"$dir/map"
sed -n '/^static/d; s/^[a-z].*[ *]\(gpufilter_[a-z_]*\)(.*/T \1/p' "$3" | sort >"$dir/header"
diff -u "$dir/map" "$dir/library"
diff -u "$dir/header" "$dir/map"
[ "$(wc -l <"$dir/map")" -ge 17 ]
sed -n '/^.SH FUNCTIONS/,/^.SH ENV/{/^\.BR\? gpu/p}' "$4" | grep -o 'gpufilter_[a-z_]*' | sort | sed 's/^/T /' >"$dir/page"
diff -u "$dir/map" "$dir/page"
sed -n 's/^ \(gpufilter_[a-z_]*\)@GPUFILTERCLIENT_0 [0-9.]*$/T \1/p' "$5" | sort >"$dir/symbols"
diff -u "$dir/map" "$dir/symbols"
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libm|libasan|libubsan|libtsan)\.so' || :)
[ -z "$needed" ] || { echo "the library needs $needed" >&2; exit 1; }
readelf -d "$1" | grep -q 'SONAME.*\[libgpufilterclient\.so\.0\]'
