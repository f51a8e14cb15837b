#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Test: the units are valid, and their exposure is within limits. usage: check_units.sh SOURCE_DIR BUILD_DIR
# Exposure is the score of systemd-analyze security, from 0 (best) to 10; the thresholds are ten times the score.
set -euo pipefail
src=$1 build=$2

if ! command -v systemd-analyze >/dev/null; then
  echo "skipped: no systemd-analyze on this machine"
  exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$src/gpufilterd.socket" "$src/gpufilterd-workers.socket" "$src/gpufilterd-metrics.socket" "$src/gpufilter-metrics.timer" \
  "$tmp/"
# Programs and man pages are not installed yet, so verify must not look for them.
for unit in gpufilterd.service gpufilterd-worker@.service gpufilter-metrics.service; do
  sed -e 's#^\(Exec[A-Z][a-z]*\)=/[^ ]*#\1=/bin/true#' -e '/^Documentation=/d' "$build/$unit" >"$tmp/$unit"
done
sed -i '/^Documentation=/d' "$tmp"/*.socket "$tmp"/*.timer
# HAProxy and its user may be missing.
cp "$src/cluster/gpufilter-edge.socket" "$src/cluster/gpufilter-agent.socket" \
  "$src/cluster/gpufilter-certificates.timer" "$tmp/"
for unit in gpufilter-edge.service gpufilter-relay.service gpufilter-agent@.service gpufilter-certificates.service; do
  sed -e 's#^\(Exec[A-Z][a-z]*\)=/[^ ]*#\1=/bin/true#' "$src/cluster/$unit" >"$tmp/$unit"
done

fail=0
# Known since systemd 254; docs/operating.md says what an older one does.
new_keys="Unknown key.* 'Restart\(Steps\|MaxDelaySec\)' in section"
for unit in gpufilterd.socket gpufilterd-workers.socket gpufilterd-metrics.socket gpufilterd.service \
  gpufilterd-worker@.service gpufilter-metrics.service gpufilter-metrics.timer gpufilter-edge.socket gpufilter-edge.service gpufilter-relay.service \
  gpufilter-agent.socket gpufilter-agent@.service gpufilter-certificates.service gpufilter-certificates.timer; do
  out=$(SYSTEMD_UNIT_PATH="$tmp:" systemd-analyze verify "$tmp/$unit" 2>&1) || { echo "$out"; fail=1; }
  out=$(grep -v "$new_keys" <<<"$out" || :)
  [ -z "$out" ] || { echo "verify $unit: $out"; fail=1; }
done
check_exposure() {
  out=$(systemd-analyze security --offline=yes --threshold="$2" "$tmp/$1" 2>&1 | tail -1) || fail=1
  systemd-analyze security --offline=yes --threshold="$2" "$tmp/$1" >/dev/null 2>&1 || fail=1
  echo "$1: $out"
}
check_exposure gpufilterd.service 4
check_exposure gpufilterd-worker@.service 7
check_exposure gpufilter-metrics.service 9
check_exposure gpufilter-edge.service 16
check_exposure gpufilter-relay.service 16
check_exposure gpufilter-agent@.service 9
check_exposure gpufilter-certificates.service 9

# Front and worker must run as different users, leave no core file and have limits on memory, CPU and tasks.
users=$(sed -n 's/^User=//p' "$tmp/gpufilterd.service" "$tmp/gpufilterd-worker@.service" | sort -u | wc -l)
[ "$users" -eq 2 ] || { echo "front and worker have $users users, not 2"; fail=1; }
for unit in gpufilterd.service gpufilterd-worker@.service; do
  for line in 'LimitCORE=0' 'MemoryHigh=[0-9]*%' 'MemoryMax=[0-9]*%' 'CPUWeight=[0-9]*' 'TasksMax=[0-9]*'; do
    grep -qx "$line" "$tmp/$unit" || { echo "$unit has no $line"; fail=1; }
  done
done
# The driver must be able to keep what it assembles: below the folder that the unit makes.
directory=$(sed -n 's/^CacheDirectory=//p' "$tmp/gpufilterd-worker@.service")
grep -q "^Environment=CUDA_CACHE_PATH=%C/$directory/[a-z]* CUDA_CACHE_MAXSIZE=[0-9]*$" "$tmp/gpufilterd-worker@.service" ||
  { echo "gpufilterd-worker@.service has no CUDA_CACHE_PATH below CacheDirectory="; fail=1; }

# Nothing that ends unexpectedly stays away, however often. Clients wait 5 s for a connection.
no_limit() {
  for line in StartLimitIntervalSec=0 "$@"; do
    grep -qx "$line" "$tmp/$unit" || { echo "$unit has no $line"; fail=1; }
  done
}
unit=gpufilterd.service no_limit Restart=on-failure RestartSec=500ms RestartMaxDelaySec=3s
unit=gpufilterd-worker@.service no_limit Restart=always
for unit in gpufilterd.socket gpufilterd-workers.socket gpufilterd-metrics.socket gpufilter-edge.socket \
  gpufilter-agent.socket; do no_limit; done
unit=gpufilterd-worker@.service no_limit RestartPreventExitStatus=64 RestartMaxDelaySec=30s
! grep '^RestartPreventExitStatus=' "$tmp/gpufilterd.service" || fail=1

# A worker's unit has started when the front has taken the worker, and warms up while the front starts.
for line in Type=notify NotifyAccess=main; do
  grep -qx "$line" "$tmp/gpufilterd-worker@.service" || { echo "gpufilterd-worker@.service has no $line"; fail=1; }
done
! grep -E '^After=.*gpufilterd[.]service' "$tmp/gpufilterd-worker@.service" || fail=1
# systemctl enable gpufilterd starts the daemon at boot, and with it the workers whose units are enabled.
grep -qx WantedBy=multi-user.target "$tmp/gpufilterd.service" || { echo "gpufilterd.service is not enabled for boot"; fail=1; }
grep -qx WantedBy=gpufilterd.service "$tmp/gpufilterd-worker@.service" || fail=1
# No command is of a package on which ours do not depend: kill is of procps.
! grep -E '^Exec[A-Za-z]*=[-+@:!]*(/[a-z/]*/)?kill' "$build"/gpufilter*.service "$src"/cluster/*.service || fail=1
# The options are those of the configuration file alone.
grep -qx 'ExecStart=[^ ]*' "$build/gpufilterd.service" || { echo "gpufilterd.service passes options"; fail=1; }
grep -qx RemoveOnStop=no "$tmp/gpufilterd.socket" || { echo "gpufilterd.socket removes its file"; fail=1; }
exit $fail
