# SPDX-License-Identifier: MIT
"""The configuration of systemd/cluster on the machines of nodes.py: a relay on each node, edges with certificates on the
client machine, as systemd would start them. Changes paths and addresses of the shipped files and nothing else."""
import itertools
import os
import re
import signal
import socket
import subprocess

from nodes import WAIT, wait_for
from processes import children, stat_of, status_of

CLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../systemd/cluster")
PROXY = ("--proxy-users", "haproxy")


def replaced(text, *pairs):
    """`text` with each old text, which must occur, replaced by the new one."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def shipped(name):
    with open(os.path.join(CLUSTER, name), encoding="utf-8") as f:
        return f.read()


def checked(path):
    """The complaints of haproxy about a configuration; "" if it is valid and causes no warning."""
    done = subprocess.run(["haproxy", "-c", "-f", path], capture_output=True, text=True, check=False)
    return "".join(re.findall(r"\[(?:WARNING|ALERT)\].*\n?", done.stderr)) or ("" if done.returncode == 0 else done.stderr)


def alive(pid):
    """Whether a process still runs. A zombie does not count, because its new parent may be slow to reap it."""
    return stat_of(pid)[:1] not in ([], ["Z"])


def catches(pid, number):
    """Whether a process has a handler for a signal."""
    return int(status_of(pid).get("SigCgt", "0"), 16) >> (number - 1) & 1 == 1


class Authority:
    """Certificates made by systemd/cluster/trial-ca in a folder."""

    def __init__(self, folder):
        self.folder, self.ca = folder, os.path.join(folder, "ca.pem")

    def make(self, kind, *names):
        """Makes certificates. Returns their paths, or the path for a single name."""
        done = subprocess.run([os.path.join(CLUSTER, "trial-ca"), self.folder, kind, *names], capture_output=True,
                              text=True, check=True)
        made = done.stdout.split()
        return made if len(names) > 1 else made[0]


class HAProxy:
    """A HAProxy that runs on a machine with a configuration; its files are called `name`. log() returns its log."""

    def __init__(self, machine, name, text, env=None, pass_fds=()):
        self.machine, self.name, self.process = machine, name, None
        self.env, self.pass_fds = {**os.environ, **(env or {})}, pass_fds
        self.text, self.config = text, machine.path(name + ".cfg")

    def start(self):
        """Starts HAProxy as systemd does. Returns when it is ready and its master handles signals, which are lost
        before: version 2.6 reports that it is ready after that, 3.0 before that."""
        with open(self.config, "w", encoding="utf-8") as f:
            f.write(self.text)
        notify = self.machine.path(self.name + ".notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind(notify)
            told.settimeout(WAIT)
            self.process = self.machine.logged(self.name + ".log", ["haproxy", "-Ws", "-f", self.config],
                                               env={**self.env, "NOTIFY_SOCKET": notify}, pass_fds=self.pass_fds)
            try:
                while b"READY=1" not in told.recv(4096):
                    pass
            except TimeoutError:
                raise AssertionError("%s does not start:\n%s" % (self.name, self.log())) from None
            finally:
                os.unlink(notify)
        wait_for("%s takes signals" % self.name, lambda: catches(self.process.pid, signal.SIGUSR2))
        return self

    def stop(self, number=signal.SIGTERM):
        """Ends HAProxy with its workers."""
        workers = self.workers()
        for pid in (self.process.pid, *workers) if number == signal.SIGKILL else (self.process.pid,):
            os.kill(pid, number)
        self.process.wait(WAIT)
        wait_for("the workers of %s end" % self.name, lambda: not any(map(alive, workers)))

    def close(self):
        """Ends HAProxy if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.stop(signal.SIGKILL)

    def workers(self):
        return children(self.process.pid)

    def log(self):
        return self.machine.log(self.name + ".log")

    def said(self, *texts):
        """Waits for a line of the log that contains one of the texts."""
        return wait_for(lambda: "%s says %r\n%s" % (self.name, texts, self.log()),
                        lambda: any(text in self.log() for text in texts))


class Agent:
    """gpufilter-agent.socket and its service on a node: each connection to port 7444 gets the output of ExecStart."""

    def __init__(self, node):
        self.node, self.process = node, None

    def start(self):
        port = re.search(r"^ListenStream=(\d+)$", shipped("gpufilter-agent.socket"), re.M)[1]
        command = re.search(r"^ExecStart=/usr/bin/gpufilter-client (.*)$", shipped("gpufilter-agent@.service"), re.M)[1]
        args = replaced(command, ("/run/gpufilter/gpufilterd.sock", self.node.socket)).split()
        self.process = self.node.logged("agent.log", ["systemd-socket-activate", "--listen", "0.0.0.0:" + port, "--accept",
                                                      "--inetd", os.environ["GF_CLIENT"], *args])
        return self

    def close(self):
        self.process.kill()
        self.process.wait(WAIT)


class Relay(HAProxy):
    """A relay on a node's port 7443 that runs as the user of its unit. The daemon needs the options PROXY."""

    def __init__(self, node, authority, certificate=None, socket_path=None):
        super().__init__(node, "relay", replaced(
            shipped("relay.cfg"), ("\nglobal\n", "\nglobal\n    user haproxy\n"),
            ("/etc/gpufilter/tls/ca.pem", authority.ca),
            ("/etc/gpufilter/tls/node.pem", certificate or os.path.join(authority.folder, node.name + ".pem")),
            ("/run/gpufilter/gpufilterd.sock", socket_path or node.socket)))


class Edge(HAProxy):
    """An edge on the client machine, named after its certificate. `socket` lives as long as this object, like a socket
    of systemd; with held=False HAProxy makes it."""

    PORTS = itertools.count(8404)  # of figures: edges share the client machine

    def __init__(self, nodes, authority, certificate, held=True, change=()):
        name = "edge-" + os.path.basename(certificate).rpartition(".")[0]
        client = nodes.client
        self.socket, self.admin = client.path(name + ".sock"), client.path(name + ".admin")
        text = replaced(shipped("edge.cfg"), ("/etc/gpufilter/tls/ca.pem", authority.ca),
                        ("/etc/gpufilter/tls/client.pem", certificate), ("/run/gpufilter-edge/admin.sock", self.admin))
        text = text[:text.index("    server node1")]
        for node in nodes.all:
            text += "    server %s %s:7443 verifyhost %s\n" % (node.name, node.address, node.name)
        text = replaced(text, *change)
        self.metrics = "127.0.0.1:%d" % next(Edge.PORTS)
        text = replaced(text, ("bind 127.0.0.1:8404", "bind " + self.metrics))
        self.listener, env = None, {"GPUFILTER_EDGE_SOCKET": "unix@" + self.socket}
        if held:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(self.socket)
            self.listener.listen(4096)
            env["GPUFILTER_EDGE_SOCKET"] = "fd@%d" % self.listener.fileno()
        super().__init__(client, name, text, env, [self.listener.fileno()] if held else [])

    def close(self):
        super().close()
        if self.listener is not None:
            self.listener.close()
        if os.path.exists(self.socket):
            os.unlink(self.socket)

    def tell(self, command):
        """The answer of the admin socket."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(WAIT)
            s.connect(self.admin)
            s.sendall(command.encode() + b"\n")
            return b"".join(iter(lambda: s.recv(65536), b"")).decode()

    def states(self):
        """The state of each node (UP, DOWN, DRAIN, ...); {} while the admin socket does not answer."""
        try:
            rows = [row.split(",") for row in self.tell("show stat nodes 4 -1").splitlines()]
        except OSError:
            return {}
        return {row[1]: row[17].split()[0] for row in rows if len(row) > 17 and row[1] != "svname"
                and row[17] != "no" and row[1] != "BACKEND"}

    def weights(self):
        """The present weight of each node; {} while the admin socket does not answer."""
        try:
            rows = [row.split() for row in self.tell("show servers state nodes").splitlines()]
        except OSError:
            return {}
        return {row[3]: int(row[7]) for row in rows if len(row) > 7 and row[1] == "nodes"}

    def wait_up(self, *names):
        """Waits until exactly the named nodes are up; without names, until all are up."""
        wanted = set(names or (node.name for node in self.machine.nodes.all))
        wait_for(lambda: "%s are up\n%s" % (sorted(wanted), self.log()),
                 lambda: {n for n, s in self.states().items() if s == "UP"} == wanted)
        return self
