#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs a command with the daemon of another machine, over ssh from socket to socket. This suits one user and one
# machine; for many users or nodes use the edge of /usr/share/doc/gpufilterd/cluster.md.
#
#   ssh-forward.sh gpu1 gpufilter-client blur in.png out.png
#   REMOTE_SOCKET=/run/user/1000/gpufilter/gpufilterd-1.sock ssh-forward.sh me@gpu1 python3 filter.py
#
# The user on the other machine must be a member of its group gpufilter: the daemon takes this user as the client.
# Pictures go through the connection, not through shared memory. File names refer to this machine.
set -u
usage="usage: ssh-forward.sh HOST COMMAND..."
host=${1:?$usage} && shift
: "${1:?$usage}"

dir=$(mktemp -d) || exit 73
control=$dir/control socket=$dir/gpufilterd.sock
trap 'ssh -q -S "$control" -O exit "$host" 2>"$dir/end"; rm -rf "$dir"' EXIT

# -fN returns once the socket exists, which only this user may open. A dead machine is noticed within 30 s.
ssh -fNM -S "$control" -o ExitOnForwardFailure=yes -o StreamLocalBindMask=0177 -o ServerAliveInterval=10 \
  -o ServerAliveCountMax=3 -L "$socket:${REMOTE_SOCKET:-/run/gpufilter/gpufilterd.sock}" "$host" || exit 69

# No private daemon instead: without the connection the command must end with 69.
GPUFILTER_SOCKET=$socket GPUFILTER_AUTOSTART=0 "$@"
