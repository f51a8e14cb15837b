# SPDX-License-Identifier: MIT
"""Machines for tests: network namespaces on a bridge, each with a gpufilterd on the CPU or on a stand-in device that
takes a fixed time for a request. Owns the namespaces, the directory and every process in them. Used by all of
tests/cluster. Uses the standard library alone; needs root and the program `ip`.

    with Nodes(3) as nodes:                 # nodes[0].name == "node1", nodes[0].address == "10.77.0.11"
        nodes[0].popen(["slurmd", "-D"])    # runs on that machine
        nodes.client.run(["ping", "-c1", nodes[1].address])

The nodes share the file system, so a Unix socket of a node can be used from everywhere. A separate process removes
everything when this process has ended in any way; a child that was forked without exec must not outlive it."""
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import skips  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

WAIT = 120.0  # seconds until an awaited event counts as missing
SKIP = 77
NETWORK = "10.77.0"

# When standard input ends, ends every process of the namespaces and removes the namespaces.
CLEANER = r"""
cat >/dev/null
dir=$1; shift
for try in 1 2 3 4 5 6 7 8 9 10; do
  left=
  for ns; do left="$left $(ip netns pids "$ns" 2>/dev/null | tr '\n' ' ')"; done
  case $left in *[0-9]*) kill -9 $left 2>/dev/null ;; *) break ;; esac
done
for ns; do ip netns del "$ns" 2>/dev/null; done
rm -rf "$dir"
"""


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError("ip %s: %s" % (" ".join(words), done.stderr.strip()))
    return done.stdout


def why_not(*programs):
    """The reason why nodes cannot be made, or None. The `programs` must be installed, too."""
    if os.geteuid() != 0:
        return "network namespaces need root, this is uid %d" % os.geteuid()
    for program in ("ip", *programs):
        if shutil.which(program) is None:
            return "no program %s; scripts/deps --cluster installs it" % program
    name = "gf%d-try" % os.getpid()
    try:
        ip("netns", "add", name)
    except OSError as e:
        return "no network namespaces: %s" % e
    try:
        ip("-n", name, "link", "add", "br0", "type", "bridge")
        ip("-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", "eth1")
    except OSError as e:
        return "no bridge or veth: %s" % e
    finally:
        ip("netns", "del", name)
    return None


def skip_without(*programs):
    """Ends the script as a skipped test, with the reason, if nodes cannot be made or the programs are missing."""
    reason = why_not(*programs)
    if reason:
        print("skipped:", reason)
        sys.exit(SKIP)


def need_modules(*names):
    """Ends the program as skipped if Python lacks one of the modules."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: %s has no %s; scripts/deps --cluster installs it" % (sys.executable, " and no ".join(missing)))
        sys.exit(SKIP)


def wait_for(what, condition, seconds=WAIT):
    """Calls the condition until its value is true and returns that value. `what` may be a function."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, "%s: not within %g s" % (what() if callable(what) else what, seconds)
        time.sleep(0.01)


def ask(path, *args, env=None):
    """Runs gpufilter-client to its end, with the daemon at `socket` or, without one, at the socket that `env` names."""
    where = ["--socket", path] if path else []
    return subprocess.run([os.environ["GF_CLIENT"], *args, *where], capture_output=True, text=True, check=False,
                          timeout=WAIT, env={**os.environ, **(env or {})})


class Machine:
    """A network namespace with an address. Its files are in `dir`."""

    def __init__(self, nodes, name, number):
        self.nodes, self.name, self.address = nodes, name, "%s.%d" % (NETWORK, number)
        self.namespace = nodes.prefix + name
        self.dir = os.path.join(nodes.dir, name)
        os.mkdir(self.dir)
        os.chmod(self.dir, 0o755)

    def join(self):
        """Adds the machine to the bridge."""
        hub = self.nodes.hub
        ip("netns", "add", self.namespace)
        ip("-n", self.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", self.name, "netns", hub)
        ip("-n", hub, "link", "set", self.name, "master", "br0", "up")
        ip("-n", self.namespace, "addr", "add", self.address + "/24", "dev", "eth0")
        ip("-n", self.namespace, "link", "set", "eth0", "up")
        ip("-n", self.namespace, "link", "set", "lo", "up")

    def path(self, name):
        return os.path.join(self.dir, name)

    def popen(self, args, **options):
        """Like subprocess.Popen, on this machine. The pid is the pid of the program itself."""
        return subprocess.Popen(["ip", "netns", "exec", self.namespace, *args], **options)

    def run(self, args, **options):
        """Like subprocess.run, on this machine."""
        return subprocess.run(["ip", "netns", "exec", self.namespace, *args], check=False, **options)

    def logged(self, name, args, **options):
        """popen() with both outputs appended to the file `name` of this machine."""
        with open(self.path(name), "ab") as log:
            return self.popen(args, stdout=log, stderr=log, stdin=subprocess.DEVNULL, **options)

    def log(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def pids(self):
        return [int(pid) for pid in ip("netns", "pids", self.namespace).split()]

    def signal_all(self, number):
        """Sends a signal to every process of this machine that still exists."""
        for pid in self.pids():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def cut(self):
        """Cuts the machine's network connection."""
        ip("-n", self.nodes.hub, "link", "set", self.name, "down")

    def mend(self):
        ip("-n", self.nodes.hub, "link", "set", self.name, "up")


class Node(Machine):
    """A machine with a daemon on `socket`."""

    def __init__(self, nodes, name, number):
        super().__init__(nodes, name, number)
        self.socket, self.daemon, self.env = self.path("gpufilterd.sock"), None, {}

    def start(self, *options):
        """Starts the daemon; returns when its device is ready. `options` follow the options of all nodes."""
        end = self.begin(*options)
        end()

    def begin(self, *options):
        """Like start(), but returns a function that waits until the device is ready."""
        with open(self.path("gpufilterd.conf"), "ab"):
            pass
        ready, told = os.pipe()
        args = [os.environ["GF_DAEMON"], "--config", self.path("gpufilterd.conf"), "--socket", self.socket, "--socket-mode",
                "666", "--node-name", self.name, "--worker", self.nodes.worker, "--devices", "cpu", "--ready-fd", str(told)]
        self.daemon = self.logged("gpufilterd.log", [*args, *self.nodes.options, *options], pass_fds=[told],
                                  env={**os.environ, **self.nodes.env, **self.env})
        os.close(told)

        def end():
            with os.fdopen(ready) as f:
                line = f.readline().strip()
            assert line == "READY", "%s: %s\n%s" % (self.name, line, self.log("gpufilterd.log"))
        return end

    def stop(self, number=signal.SIGTERM):
        """Ends the daemon. Returns its exit code, negative if a signal ended it."""
        self.daemon.send_signal(number)
        code = self.daemon.wait(WAIT)
        self.daemon = None
        return code


class Nodes:
    """`count` nodes, and a machine `client` without a daemon. With `device_ms` the nodes have a stand-in device that
    takes that long for each request, one at a time; a node's `env` may name another time. `options` are options of gpufilterd. With daemons=False no daemon
    runs until nodes[i].start()."""

    def __init__(self, count, device_ms=None, options=(), daemons=True):
        self.prefix = "gf%d-" % os.getpid()
        self.hub, self.options, self.daemons = self.prefix + "hub", options, daemons
        self.worker = os.environ["GF_WORKER" if device_ms is None else "GF_TIMED_WORKER"]
        self.env = {} if device_ms is None else {"GF_DEVICE_MS": str(device_ms)}
        self.dir = tempfile.mkdtemp(prefix="gf-nodes-")
        os.chmod(self.dir, 0o755)
        self.client = Machine(self, "client", 1)
        self.all = [Node(self, "node%d" % (i + 1), 11 + i) for i in range(count)]
        names = [self.hub] + [m.namespace for m in (self.client, *self.all)]
        self.cleaner = subprocess.Popen(["sh", "-c", CLEANER, "cleaner", self.dir, *names], stdin=subprocess.PIPE,
                                        start_new_session=True)

    def __getitem__(self, i):
        return self.all[i]

    def __len__(self):
        return len(self.all)

    def __enter__(self):
        try:
            ip("netns", "add", self.hub)
            ip("-n", self.hub, "link", "add", "br0", "type", "bridge")
            ip("-n", self.hub, "link", "set", "br0", "up")
            for machine in (self.client, *self.all):
                machine.join()
            if self.daemons:
                for end in [node.begin() for node in self.all]:
                    end()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.cleaner.stdin.close()
        self.cleaner.wait(WAIT)
        for node in self.all:
            if node.daemon is not None:
                node.daemon.wait(WAIT)
