#!/bin/sh
# SPDX-License-Identifier: MIT
# check_readme.sh ROOT INCLUDE LIBRARY GPUFILTERD WORKER CC [CXX]: each block of C in README.md and docs/tutorial.md
# compiles by itself, as C17 and as C++17. The first of README.md blurs through a daemon, and fails with a sentence where
# there is none; the program of the tutorial finds the edges of a photograph.
set -eu
root=$1 include=$2 library=$3 daemon=$4 worker=$5 cc=$6 cxx=${7:-}
with_daemon=$(dirname "$0")/../support/with_daemon.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

awk -v dir="$dir" '/^```c$/ { n++; file = dir "/block" n ".c"; next } /^```/ { file = "" } file { print >file }' \
    "$root/README.md" "$root/docs/tutorial.md"
[ -f "$dir/block2.c" ]
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

tutorial=$(printf '%s\n' "$dir"/block*.c | tail -1)
$cc -std=c17 -I"$include" "$tutorial" "$library" -lm -o "$dir/tutorial"
# A black picture with 100 white rows at the bottom has one edge.
{ head -c 316800 /dev/zero; head -c 144000 /dev/zero | tr '\0' '\377'; } >"$dir/photo.raw"
"$with_daemon" "$daemon" "$worker" sh -c '"$1/tutorial" <"$1/photo.raw" >"$1/edges.raw"' sh "$dir"
[ "$(wc -c <"$dir/edges.raw")" -eq 153600 ]
white=$(tr -d '\0' <"$dir/edges.raw" | wc -c)
[ "$white" -eq 480 ] || { echo "the edge has $white pixels, not the 480 of a row"; exit 1; }
