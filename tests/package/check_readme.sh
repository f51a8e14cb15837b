#!/bin/sh
# SPDX-License-Identifier: MIT
# check_readme.sh README INCLUDE LIBRARY GPUFILTERD WORKER CC [CXX]: each block of C in README.md compiles by itself, as
# C17 and as C++17; the first blurs through a daemon, and fails with a sentence where there is none.
set -eu
readme=$1 include=$2 library=$3 daemon=$4 worker=$5 cc=$6 cxx=${7:-}
with_daemon=$(dirname "$0")/../support/with_daemon.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

awk -v dir="$dir" '/^```c$/ { n++; file = dir "/block" n ".c"; next } /^```/ { file = "" } file { print >file }' "$readme"
[ -f "$dir/block1.c" ]
warn='-Wall -Wextra -Wpedantic -Wcast-qual -Werror'
for block in "$dir"/block*.c; do
    # shellcheck disable=SC2086
    $cc -std=c17 $warn -I"$include" -c "$block" -o "$block.o"
    # shellcheck disable=SC2086
    [ -z "$cxx" ] || $cxx -x c++ -std=c++17 $warn -I"$include" -c "$block" -o "$block.o"
done

cat >"$dir/main.c" <<'END'
#include "block1.c"
int main(void)
{
    static uint8_t pixels[1920 * 1080 * 3], blurred[1920 * 1080 * 3];
    pixels[0] = 255;
    return blur(pixels, blurred) != 0 ? 1 : blurred[0] > 0 && blurred[0] < 255 ? 0 : 2;
}
END
$cc -std=c17 -I"$include" "$dir/main.c" "$library" -lm -o "$dir/readme"
"$with_daemon" "$daemon" "$worker" "$dir/readme"
status=0
GPUFILTER_SOCKET=$dir/none "$dir/readme" 2>"$dir/err" || status=$?
cat "$dir/err"
[ "$status" -eq 1 ] && grep -q "$dir/none" "$dir/err"
