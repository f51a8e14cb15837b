#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The machines that the other tests of this folder use: isolated, connected, each with a daemon, and removed after a
test with any outcome."""
import os
import signal
import subprocess
import sys
import unittest

from nodes import WAIT, Nodes, ip, skip_without, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))


def ready(node):
    return subprocess.run([os.environ["GF_CLIENT"], "health", "--socket", node.socket], capture_output=True, text=True,
                          check=False, timeout=WAIT).stdout


def present(nodes):
    """The namespaces and processes that are left of the nodes."""
    names = ip("netns", "list").split()
    return [n for n in (nodes.hub, *(m.namespace for m in (nodes.client, *nodes.all))) if n in names] + [
        d for d in (nodes.dir,) if os.path.exists(d)]


class Life(unittest.TestCase):
    def test_nodes_reach_one_another_and_have_a_daemon_each(self):
        with Nodes(2) as nodes:
            self.assertEqual([ready(node) for node in nodes.all], ["ready: cpu is ready\n"] * 2)
            self.assertNotEqual(nodes[0].socket, nodes[1].socket)
            port = nodes[0].popen([sys.executable, "-c", "import socket; s = socket.create_server(('', 7000)); "
                                   "print('up', flush=True); c, who = s.accept(); c.sendall(who[0].encode())"],
                                  stdout=subprocess.PIPE, text=True)
            self.assertEqual(port.stdout.readline(), "up\n")
            got = nodes[1].run([sys.executable, "-c", "import socket, sys; s = socket.create_connection((sys.argv[1], 7000)); "
                                "print(s.recv(99).decode())", nodes[0].address], capture_output=True, text=True)
            self.assertEqual(got.stdout, "10.77.0.12\n", got.stderr)
            port.wait()
            port.stdout.close()
            self.assertEqual(nodes[0].stop(), 0)
            nodes[0].start()
            self.assertEqual(ready(nodes[0]), "ready: cpu is ready\n")
        self.assertEqual(present(nodes), [])

    def test_a_cable_pulled_and_mended(self):
        connect = [sys.executable, "-c", "import socket, sys; s = socket.socket(); s.settimeout(0.3); "
                   "print(s.connect_ex((sys.argv[1], 9)))"]
        with Nodes(1, daemons=False) as nodes:
            def code():
                return nodes.client.run([*connect, nodes[0].address], capture_output=True, text=True).stdout.strip()
            self.assertEqual(code(), "111")  # connection refused: the machine is there
            nodes[0].cut()
            self.assertNotEqual(code(), "111")
            nodes[0].mend()
            wait_for("the machine answers again", lambda: code() == "111")

    def test_nothing_is_left_of_a_test_that_is_killed(self):
        script = ("from nodes import WAIT, Nodes\nimport signal\nwith Nodes(1) as n:\n"
                  "    print(n.dir, n.hub, n[0].daemon.pid, flush=True)\n    signal.pause()\n")
        for number in (signal.SIGTERM, signal.SIGKILL):
            child = subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdout=subprocess.PIPE, text=True)
            where, hub, pid = child.stdout.readline().split()
            child.send_signal(number)
            child.wait()
            child.stdout.close()
            wait_for("its namespaces, directory and daemon are gone", lambda: hub not in ip("netns", "list").split()
                     and not os.path.exists(where) and not os.path.exists("/proc/" + pid))  # noqa: B023


if __name__ == "__main__":
    skip_without()
    unittest.main(verbosity=2)
