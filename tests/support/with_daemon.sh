#!/bin/sh
# SPDX-License-Identifier: MIT
# with_daemon.sh GPUFILTERD WORKER COMMAND...: runs the command with a private daemon at $GPUFILTER_SOCKET, which has
# only the CPU, and ends the daemon afterwards. The exit status is the command's, 70 if the daemon fails, or 77 if there
# is no such command, as the Python of an environment.
set -eu
daemon=$1 worker=$2
shift 2
if ! command -v "$1" >/dev/null; then
    echo "skipped: there is no $1; scripts/deps --test --cluster makes it where PyPI can be reached"
    exit 77
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/gf-daemon-XXXXXX")
pid=
finish() {
    status=$?
    trap - EXIT
    if [ -n "$pid" ]; then
        kill "$pid" 2>/dev/null || :
        wait "$pid" || { echo "with_daemon: the daemon ended with status $?" >&2; [ $status -ne 0 ] || status=70; }
        [ $status -eq 0 ] || cat "$dir/log" >&2
    fi
    rm -rf "$dir"
    exit $status
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The daemon writes one line into the fifo when it is ready, or the reason why it is not.
mkfifo "$dir/ready"
: >"$dir/conf"
"$daemon" --config "$dir/conf" --socket "$dir/socket" --worker "$worker" --devices cpu --ready-fd 3 \
    3>"$dir/ready" 2>"$dir/log" &
pid=$!
line=
read -r line <"$dir/ready" || :
if [ "$line" != READY ]; then
    echo "with_daemon: $line" >&2
    exit 70
fi
GPUFILTER_SOCKET=$dir/socket "$@"
