#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The life of the installed service under a real systemd: a bare system by debootstrap with the packages of this build,
# in which systemd is the first process. lab.py does to it what its rows say, under load, and prints a table. The log
# with the journal is build/lab-SUITE.log. Exits with 69 where it cannot run: it needs root, debootstrap and debhelper, and
# a kernel that lets root make namespaces. Takes some twenty minutes, and the network for Debian's packages.
# usage: tests/lab/run.sh BUILD [--suite SUITE or FOLDER] [ROW...]   (trixie, all rows; --list: their names)
# FOLDER: made by debootstrap --variant=minbase.
set -euo pipefail

[ $# -ge 1 ] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 64; }
here=$(realpath "$(dirname "$0")")
repository=$(realpath "$here/../..")
build=$(realpath "$1") suite=trixie
shift
if [ "${1:-}" = --list ]; then exec python3 "$here/lab.py" --list; fi
if [ "${1:-}" = --suite ]; then
  suite=$2
  shift 2
fi
# shellcheck source=scripts/bare.sh
. "$repository/scripts/bare.sh"
for tool in dh nsenter; do
  command -v $tool >/dev/null || missing "$tool is missing"
done
unshare --mount --pid --cgroup --uts --ipc --net --fork true || missing "no namespaces are allowed here"

"$repository/scripts/debs" "$build" "$dir/debs"

# shellcheck disable=SC2317 # reached by its name
# Runs inside the system, as root, before systemd runs: what the service needs of Debian, and a member of the group.
inside() {
  set -euo pipefail
  export DEBIAN_FRONTEND=noninteractive LC_ALL=C
  apt() { apt-get -qq -y --no-install-recommends "$@" >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }; }
  apt update
  apt install systemd systemd-sysv dbus
  # shellcheck disable=SC2046 # a list of words
  apt install $(apt-get install -s --no-install-recommends /srv/debs/*.deb |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v gpufilter)
  groupadd --system gpufilter
  useradd --create-home --groups gpufilter member
  useradd --create-home stranger
  install -d /var/lib/prometheus/node-exporter
}

system=$dir/system name=$suite
if [ -d "$suite" ]; then
  name=$(basename "$suite")
  cp -a --one-file-system "$suite" "$system"
else
  make_system "$suite" "$system"
fi
log=$repository/build/lab-$name.log
mkdir -p "$system/srv/debs"
for package in gpufilterd gpufilterd-cuda gpufilter-client libgpufilterimage0; do
  cp "$dir/debs/${package}"_[0-9]*.deb "$system/srv/debs/" || missing "this build makes no package $package"
done
cp "$build/bin/gf_timed_worker" "$system/srv/stand-in"
{ declare -f inside; echo inside; } >"$system/tmp/inside"
in_system "$system" bash /tmp/inside
boot_system "$system" >"$dir/console" 2>&1 &
running=$!
status=0
python3 "$here/lab.py" --system "$system" --booter $running --log "$log" "$@" || status=$?
exit $status
