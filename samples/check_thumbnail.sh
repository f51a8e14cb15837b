#!/bin/sh
# SPDX-License-Identifier: MIT
# check_thumbnail.sh THUMBNAIL GPUFILTER_CLIENT: the sample makes of a JPEG what the command makes of it, and refuses
# other files.
set -eu
thumbnail=$1 client=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf 'P6 600 400 255\n' >"$dir/in.ppm"
head -c 720000 "$client" >>"$dir/in.ppm"
"$client" copy "$dir/in.ppm" "$dir/in.jpg"
[ "$("$thumbnail" "$dir/in.jpg" "$dir/out.png")" = 256x171 ]
"$client" resize --fit 256x256 --srgb "$dir/in.jpg" "$dir/want.png"
"$client" compare "$dir/out.png" "$dir/want.png"
if "$thumbnail" "$dir/none.jpg" "$dir/out.png" 2>"$dir/err"; then exit 1; fi
grep -qx "thumbnail: $dir/none.jpg: cannot be read: No such file or directory" "$dir/err"
