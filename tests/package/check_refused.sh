#!/bin/sh
# SPDX-License-Identifier: MIT
# check_refused.sh PROBE CLIENT GPUFILTERD WORKER: a system's socket that refuses the user is an error that says who
# may use it and starts nothing; a private daemon beside it is had by --private or GPUFILTER_PRIVATE=1 alone, and without a
# system's socket as ever. Runs in namespaces of its own, with a /run of its own, as root without any capability, who is
# the owner of a socket that only its group may use. Skipped (77) where there are no user namespaces.
set -eu
if [ -z "${GF_REFUSED_INSIDE:-}" ]; then
    if ! unshare --user --map-root-user --mount true 2>/dev/null; then
        echo "skipped: no user namespaces on this machine"
        exit 77
    fi
    GF_REFUSED_INSIDE=1 exec unshare --user --map-root-user --mount "$0" "$@"
fi
probe=$1 client=$2 daemon=$3 worker=$4
mount -t tmpfs tmpfs /run
mkdir /run/gpufilter
. "$(dirname "$0")/private_daemon.sh"
printf 'P5 2 2 255 abcd' >"$dir/in.pgm"
system=/run/gpufilter/gpufilterd.sock private=$dir/gpufilter/gpufilterd-1.sock
fail() {
    echo "check_refused: $*" >&2
    exit 1
}
as_user() { # without root's power over files
    setpriv --inh-caps=-all --bounding-set=-all env "$@"
}
expect() { # CODE TEXT COMMAND...
    wanted=$1 text=$2 code=0
    shift 2
    as_user "$@" >"$dir/out" 2>&1 || code=$?
    [ "$code" -eq "$wanted" ] || fail "$*: $code, wanted is $wanted: $(cat "$dir/out")"
    grep -qF -e "$text" "$dir/out" || fail "$*: no '$text' in: $(cat "$dir/out")"
}

mkfifo "$dir/ready"
"$daemon" --config "$dir/conf" --worker "$worker" --devices cpu --socket "$system" --socket-mode 60 --ready-fd 3 \
    3>"$dir/ready" &
echo $! >"$dir/system"
[ "$(cat "$dir/ready")" = READY ] || fail "the system's daemon does not start"

why="$system is only for uid 0 and the group root: ask the administrator to give the socket a group for users \
(SocketGroup= in gpufilterd.socket)"
how="; use a private daemon with --private or GPUFILTER_PRIVATE=1"
expect 1 "NOT_PERMITTED: $why$how" "$probe"
expect 77 "$why$how" "$client" blur "$dir/in.pgm" "$dir/out.pgm"
expect 77 "$why" "$client" ping
expect 77 "$why" "$client" --socket "$system" ping
[ ! -e "$dir/pids" ] && [ ! -e "$dir/gpufilter" ] && [ ! -e "$dir/out.pgm" ] || fail "something was started"

expect 64 "--private: cannot be used with --socket; leave one of them out" "$client" --private --socket "$system" ping
expect 64 "GPUFILTER_PRIVATE=yes; allowed: 0 and 1" GPUFILTER_PRIVATE=yes "$client" ping
expect 64 "GPUFILTER_SOCKET and GPUFILTER_PRIVATE" GPUFILTER_PRIVATE=1 GPUFILTER_SOCKET="$system" "$client" ping
expect 1 "NOT_PERMITTED: $why$how" GPUFILTER_PRIVATE=0 "$probe"
expect 69 "no daemon: $private" "$client" --private ping
[ ! -e "$dir/pids" ] || fail "something was started"

expect 0 "OK $private" GPUFILTER_PRIVATE=1 "$probe"
expect 0 "$private" "$client" --private ping
expect 0 "$private" GPUFILTER_SOCKET="$system" "$client" --private ping
expect 0 "$private" "$client" --private --verbose blur "$dir/in.pgm" "$dir/out.pgm"
expect 1 "NOT_PERMITTED: $why$how" "$probe" # also beside a private one that runs
[ "$(wc -l <"$dir/pids")" -eq 1 ] || fail "$(wc -l <"$dir/pids") daemons were started"

chmod 600 "$system"
expect 0 "OK $system" "$probe"
expect 0 "OK $private" GPUFILTER_PRIVATE=1 "$probe"
chmod 0 "$system"
expect 1 "NOT_PERMITTED: $system is only for uid 0 (mode 0000)" "$probe"

kill "$(cat "$dir/pids")" "$(cat "$dir/system")"
wait
rm -f "$dir/pids" "$dir/system"
[ ! -e "$system" ] || fail "the system's socket is still there"
while [ -e "$private" ]; do :; done
expect 0 "OK $private" "$probe"
