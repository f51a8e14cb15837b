#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A duplicate id of an operation must not compile, nor a duplicate id of a parameter, or index of an input or output,
# within a descriptor. usage: check_ids.sh ROOT BUILD CC
set -euo pipefail
root=$1 build=$2 cc=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/protocol"
cp -r "$root/protocol/ops" "$tmp/protocol"
compiles() {
  "$cc" -std=gnu17 -fsyntax-only -I"$tmp" -I"$build" -I"$root" "$tmp/protocol/ops/op_table.c" 2>"$tmp/said"
}
compiles || { cat "$tmp/said"; exit 1; }
n=0
for change in 's/^GF_OP(match, 0x[0-9A-F]*/GF_OP(match, 0x0209/' 's/^GF_ENUM(match, 1,/GF_ENUM(match, 2,/' \
  's/^GF_IN(match, 1,/GF_IN(match, 0,/' 's/^GF_OUT(match, 1,/GF_OUT(match, 0,/'; do
  sed "$change" "$root/protocol/ops/match.def" >"$tmp/protocol/ops/match.def"
  ! cmp -s "$root/protocol/ops/match.def" "$tmp/protocol/ops/match.def" || { echo "nothing to change by $change"; exit 1; }
  ! compiles || { echo "compiles after $change"; exit 1; }
  grep -qE 'duplicate case|redeclaration|redefinition' "$tmp/said" || { cat "$tmp/said"; exit 1; }
  n=$((n + 1))
done
echo "$n duplicates refused"
