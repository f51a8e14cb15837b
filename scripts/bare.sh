# SPDX-License-Identifier: MIT
# Bare systems for scripts/package-check and scripts/fresh, which source this. A system is a folder below $dir, a
# temporary one. What runs in a system has it as its root, and mounts and processes of its own, which end with it, on
# Ctrl-C too: no folder has mounts when it is removed. Needs root, debootstrap, and $TMPDIR or /var/tmp on a file system
# with devices.
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
  if [ -n "$running" ]; then # its child is the first process of the system, with which all others end
    xargs -r kill -KILL <"/proc/$running/task/$running/children" || :
    wait "$running" || :
  fi
  rm -rf --one-file-system "$dir"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# make_system SUITE SYSTEM [MIRROR]: what debootstrap makes of a suite, the mirror being its own by default.
make_system() {
  unshare --mount debootstrap --variant=minbase "$1" "$2" ${3:+"$3"} >"$dir/log" 2>&1 ||
    { tail "$dir/log" >&2; fail "debootstrap $1 failed"; }
}

# in_system SYSTEM COMMAND...: runs it there as root, with nothing of this machine's environment but its proxies.
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
