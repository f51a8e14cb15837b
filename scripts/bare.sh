# SPDX-License-Identifier: MIT
# Bare systems for scripts/package-check and scripts/fresh, which source this file. A system is a folder below the
# temporary folder $dir. Programs in a system have it as their root, with mounts and processes of its own. Both end with
# the programs, on Ctrl-C too, so no folder has mounts when it is removed. Needs root, debootstrap, and $TMPDIR or
# /var/tmp on a file system with devices.
# shellcheck shell=bash
set -euo pipefail

fail() { echo "${0##*/}: $*" >&2; exit 1; }
missing() { echo "${0##*/}: $*" >&2; exit 69; }
[ "$(id -u)" -eq 0 ] || missing "needs root, for systems of its own"
for tool in debootstrap unshare pivot_root; do
  command -v $tool >/dev/null || missing "$tool is missing"
done

dir=$(mktemp -d "${TMPDIR:-/var/tmp}/gf-bare-XXXXXX")
running=
finish() {
  if [ -n "$running" ]; then # its child is the first process of the system; killing it ends all processes there
    xargs -r kill -KILL <"/proc/$running/task/$running/children" || :
    wait "$running" || :
  fi
  rm -rf --one-file-system "$dir"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# make_system SUITE SYSTEM [MIRROR]: makes a system of a suite by debootstrap, from debootstrap's own mirror by default.
make_system() {
  unshare --mount debootstrap --variant=minbase "$1" "$2" ${3:+"$3"} >"$dir/log" 2>&1 ||
    { tail "$dir/log" >&2; fail "debootstrap $1 failed"; }
}

# in_system SYSTEM COMMAND...: runs a command there as root. Of this machine's environment it gets only the proxies.
in_system() {
  local status=0
  # shellcheck disable=SC2016 # for the other shell
  unshare --mount --pid --fork --kill-child bash -euc '
    mount --bind "$1" "$1"
    cd "$1"
    shift
    mount -t proc proc proc
    mount --rbind /sys sys
    mount -t tmpfs tmpfs run
    mount -t tmpfs -o mode=1777 tmpfs dev/shm
    mount -t devpts -o newinstance,ptmxmode=666,gid=5,mode=620 devpts dev/pts
    pivot_root . .
    umount -l .
    cd /
    keep=()
    for name in {http,https,no,all}_proxy {HTTP,HTTPS,NO,ALL}_PROXY; do [ -z "${!name:-}" ] || keep+=("$name=${!name}"); done
    exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${keep[@]}" "$@"
  ' bash "$@" </dev/null &
  running=$!
  wait "$running" || status=$?
  running=
  return $status
}
