#!/bin/sh
# SPDX-License-Identifier: MIT
# check_autostart.sh PROBE GPUFILTERD WORKER: eight programs at once start one daemon and all use it; it is started
# again over the socket of a killed one; a daemon that cannot start reports why; and no daemon is started where it must
# not be. Skipped (77) if a system daemon would answer.
set -eu
probe=$1 daemon=$2 worker=$3
[ ! -d /run/gpufilter ] || { echo "skipped: a system daemon would answer"; exit 77; }
. "$(dirname "$0")/private_daemon.sh"
socket=$dir/gpufilter/gpufilterd-1.sock
fail() {
    echo "check_autostart: $*" >&2
    cat "$dir/gpufilter/gpufilterd.log" >&2 || :
    exit 1
}

! GPUFILTER_AUTOSTART=0 "$probe" >"$dir/out" || fail "started though GPUFILTER_AUTOSTART=0"
grep -q '^NO_DAEMON: ' "$dir/out" || fail "no daemon: $(cat "$dir/out")"
! GPUFILTER_SOCKET=$socket "$probe" >"$dir/out" || fail "started though a socket was named"
[ ! -e "$dir/pids" ] || fail "something was started"

for i in 1 2 3 4 5 6 7 8; do "$probe" >"$dir/out.$i" & done
wait
for i in 1 2 3 4 5 6 7 8; do
    [ "$(cat "$dir/out.$i")" = "OK $socket" ] || fail "program $i: $(cat "$dir/out.$i")"
done
[ "$(wc -l <"$dir/pids")" -eq 1 ] || fail "$(wc -l <"$dir/pids") daemons were started"

pid=$(cat "$dir/pids")
kill -KILL "$pid"
while [ -e "/proc/$pid/exe" ]; do :; done
"$probe" >"$dir/out" || fail "not started again over a dead socket: $(cat "$dir/out")"
[ "$(cat "$dir/out")" = "OK $socket" ] || fail "not started again over a dead socket: $(cat "$dir/out")"
[ "$(wc -l <"$dir/pids")" -eq 2 ] || fail "not started again"

echo 'no-such-option = 1' >"$dir/conf"
mkdir -m 700 "$dir/third"
! XDG_RUNTIME_DIR=$dir/third "$probe" >"$dir/out" || fail "a daemon that cannot start was believed"
grep -q '^START_FAILED: .*no-such-option' "$dir/out" || fail "its words were lost: $(cat "$dir/out")"
