#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Test: the units are valid and as closed as they claim. usage: check_units.sh SOURCE_DIR BUILD_DIR
# Exposure: systemd-analyze's score, 0 best, 10 worst; the thresholds are ten times the score.
set -euo pipefail
src=$1 build=$2

if ! command -v systemd-analyze >/dev/null; then
  echo "skipped: no systemd-analyze on this machine"
  exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$src/gpufilterd.socket" "$tmp/"
# The binaries are not installed yet and man pages neither: verify the rest.
for unit in gpufilterd.service gpufilterd-worker@.service; do
  sed -e 's#^\(Exec[A-Z][a-z]*\)=/[^ ]*#\1=/bin/true#' -e '/^Documentation=/d' "$build/$unit" >"$tmp/$unit"
done
sed -i '/^Documentation=/d' "$tmp/gpufilterd.socket"

fail=0
for unit in gpufilterd.socket gpufilterd.service gpufilterd-worker@.service; do
  out=$(SYSTEMD_UNIT_PATH="$tmp:" systemd-analyze verify "$tmp/$unit" 2>&1) || { echo "$out"; fail=1; }
  [ -z "$out" ] || { echo "verify $unit: $out"; fail=1; }
done
check_exposure() {
  out=$(systemd-analyze security --offline=yes --threshold="$2" "$tmp/$1" 2>&1 | tail -1) || fail=1
  systemd-analyze security --offline=yes --threshold="$2" "$tmp/$1" >/dev/null 2>&1 || fail=1
  echo "$1: $out"
}
check_exposure gpufilterd.service 4
check_exposure gpufilterd-worker@.service 7
exit $fail
