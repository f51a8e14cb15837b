#!/bin/sh
# SPDX-License-Identifier: MIT
# check_config.sh GPUFILTERD FILE: the example file is taken as it is, and says every option with its default.
set -eu
"$1" --check-config --config "$2" >/dev/null
file=$(mktemp)
trap 'rm -f "$file"' EXIT
"$1" --print-config --config /dev/null | sed 's/ $//' >"$file"
sed -n '/^\[/p; s/^;\([a-z-]* =\)/\1/p' "$2" | diff -u - "$file"
