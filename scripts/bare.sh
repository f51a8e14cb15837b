# SPDX-License-Identifier: MIT
# Bare systems for scripts/package-check, scripts/fresh and tests/lab/run.sh, which source this file. A system is a folder
# below the temporary folder $dir. Programs in a system have it as their root, with mounts and processes of its own. Both
# end with the programs, on Ctrl-C too, so no folder has mounts when it is removed. Needs root, debootstrap, and $TMPDIR
# or /var/tmp on a file system with devices.
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
  for _ in {1..100}; do # its processes may end a moment later
    ! find /sys/fs/cgroup -depth -type d -path "*/${dir##*/}*" -exec rmdir {} + 2>/dev/null || break
    sleep 0.1
  done
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
in_system() { in_namespaces --mount --pid -- "$@"; }

# in_namespaces UNSHARE_OPTION... -- SYSTEM COMMAND...: the same in other namespaces, of which mount and pid are two.
in_namespaces() {
  local status=0 namespaces=()
  while [ "$1" != -- ]; do
    namespaces+=("$1")
    shift
  done
  shift
  # shellcheck disable=SC2016 # for the other shell
  unshare "${namespaces[@]}" --fork --kill-child bash -euc '
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

# boot_system SYSTEM: boots the systemd of a system that has one, with a network, users of IPC and control groups of its
# own. Boots it again when it reboots, and returns when it is shut down.
boot_system() {
  local status=129 arguments=()
  # Where version 1 has the controllers systemd 256 and 257 must be told to use them.
  [ -e /sys/fs/cgroup/cgroup.controllers ] ||
    arguments=(systemd.unified_cgroup_hierarchy=0 SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1)
  own_groups
  while [ $status -eq 129 ]; do # SIGHUP: the kernel's way to reboot a namespace of processes
    status=0
    in_namespaces --mount --pid --cgroup --uts --ipc --net -- "$1" sh -euc '
      mount -t sysfs sysfs /sys
      hostname lab
      exec env container=lab /sbin/init "$@"
    ' sh "${arguments[@]}" || status=$?
  done
  return $status
}

# Moves this shell to a control group of its own, named as $dir, in every hierarchy.
own_groups() {
  local id names path hierarchy
  while IFS=: read -r id names path; do
    hierarchy=/sys/fs/cgroup/${names#name=}
    if [ "$id" -eq 0 ]; then # version 2: only the root has both processes and groups with controllers
      path=
      [ ! -d /sys/fs/cgroup/unified ] || hierarchy=/sys/fs/cgroup/unified
    fi
    [ "$names" != cpuset ] || continue # systemd does not use it
    mkdir "$hierarchy$path/${dir##*/}"
    echo $BASHPID >"$hierarchy$path/${dir##*/}/cgroup.procs"
  done <<<"$(</proc/self/cgroup)" # as a whole: moving changes it
}
