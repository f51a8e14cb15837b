# SPDX-License-Identifier: MIT
# Sourced by the checks of private daemons, with $daemon and $worker set. Makes $dir, their XDG_RUNTIME_DIR, which is
# removed at exit, and in it a daemon to start, which adds its process ids to $dir/pids. At exit the processes in
# $dir/pids and $dir/system are ended.
dir=$(mktemp -d "${TMPDIR:-/tmp}/gf-private-XXXXXX")
finish() {
    for pid in $(cat "$dir/pids" "$dir/system" 2>/dev/null); do kill "$pid" 2>/dev/null || :; done
    rm -rf "$dir"
}
trap finish EXIT
export XDG_RUNTIME_DIR="$dir" GPUFILTER_DAEMON="$dir/start"
unset GPUFILTER_SOCKET GPUFILTER_AUTOSTART GPUFILTER_PRIVATE
: >"$dir/conf"
cat >"$dir/start" <<END
#!/bin/sh
echo \$\$ >>"$dir/pids"
exec "$daemon" --config "$dir/conf" --worker "$worker" --devices cpu "\$@"
END
chmod 700 "$dir/start"
