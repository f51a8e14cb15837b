#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""New connections go where requests wait least: a node of a twentieth of the speed gets next to none, by its agent, and
half of them without the agent; a node with twice the weight gets twice as many."""
import os
import sys
import threading
import unittest

from haproxy import PROXY, Agent, Authority, Edge, Relay
from nodes import Nodes, ask, skip_without, wait_for

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from client import HELLO_REPLY, RESULT, Connection, correlate_frame, hello_frame  # noqa: E402

NODE = 57  # the attribute
SLOW_MS, FAST_MS = 100, 5
PATIENCE = ("--worker-timeout", "600")  # its 20th is how long a device may make no progress, on a busy machine too
BUSY, AHEAD, NEW = 12, 4, 30  # connections that work, requests of each at once, connections that come then


class Weights(unittest.TestCase):
    def setUp(self):
        self.nodes = Nodes(2, FAST_MS, (*PROXY, *PATIENCE), daemons=False).__enter__()
        self.addCleanup(self.nodes.close)
        self.authority = Authority(os.path.join(self.nodes.dir, "tls"))
        self.authority.make("node", "node1", "node2")
        self.alice = self.authority.make("client", "alice")
        self.over = threading.Event()

    def begin(self, *change):
        """Starts nodes, relays and edge, and returns the edge."""
        for node in self.nodes.all:
            node.start()
            self.started(Relay(node, self.authority))
        return self.started(Edge(self.nodes, self.authority, self.alice, change=change)).wait_up()

    def started(self, made):
        self.addCleanup(made.close)
        return made.start()

    def greeted(self, edge):
        """A new connection, and the name of its node."""
        made = Connection(edge.socket)
        self.addCleanup(made.socket.close)
        made.send(hello_frame(1))
        kind, attributes, _ = made.answer(1)
        self.assertEqual(kind, HELLO_REPLY)
        return made, next(value for number, _, value in attributes if number == NODE).decode()

    def work(self, connection):
        """Has AHEAD requests in flight until the test is over."""
        first = last = 2
        while first < last or not self.over.is_set():
            while last < first + AHEAD and not self.over.is_set():
                connection.send(correlate_frame(last, "cpu", 4, 3, list(range(12)), 3, 3, [0, 1, 0, 1, 1, 1, 0, 1, 0]))
                last += 1
            if first < last:
                assert connection.answer(first)[0] == RESULT
                first += 1

    def load(self, edge):
        """Connections that keep both nodes busy. They are as many on each."""
        pairs = [self.greeted(edge) for _ in range(BUSY)]
        self.assertEqual(sorted(name for _, name in pairs), ["node1"] * (BUSY // 2) + ["node2"] * (BUSY // 2))
        threads = [threading.Thread(target=self.work, args=(c,)) for c, _ in pairs]
        for thread in threads:
            thread.start()
            self.addCleanup(thread.join)
        self.addCleanup(self.over.set)

    def new(self, edge):
        """How many of NEW connections go to node1."""
        return [self.greeted(edge)[1] for _ in range(NEW)].count("node1")

    def test_a_slow_node_gets_clearly_fewer_new_connections(self):
        self.nodes[0].env = {"GF_DEVICE_MS": str(SLOW_MS)}
        edge = self.begin()
        self.load(edge)
        for node in self.nodes.all:
            self.started(Agent(node))
        wait_for(lambda: "node1 gets a fifth of the weight of node2: %s" % edge.weights(),
                 lambda: 0 < 5 * edge.weights().get("node1", 0) <= edge.weights().get("node2", 0))
        self.assertLessEqual(self.new(edge), NEW // 6)

    def test_without_agents_both_get_the_same(self):
        self.nodes[0].env = {"GF_DEVICE_MS": str(SLOW_MS)}
        edge = self.begin()
        self.load(edge)
        self.assertEqual(self.new(edge), NEW // 2)

    def test_a_node_with_twice_the_weight_gets_twice_as_many(self):
        edge = self.begin(("verifyhost node1", "verifyhost node1 weight 200"))
        self.assertEqual(self.new(edge), 2 * NEW // 3)

    def test_an_idle_node_says_its_whole_weight_and_a_node_without_a_device_next_to_none(self):
        node = self.nodes[0]
        node.start()
        said = ask(node.socket, "health", "--haproxy-agent")
        self.assertEqual((said.returncode, said.stdout), (0, "100%\n"), said.stderr)
        node.stop()
        self.assertEqual(ask(node.socket, "health", "--haproxy-agent").returncode, 69)
        node.begin("--devices", "none", "--worker-socket", node.path("workers.sock"))
        said = wait_for("the daemon listens", lambda: [s for s in [ask(node.socket, "health", "--haproxy-agent")] if s.returncode != 69])
        self.assertEqual((said[0].returncode, said[0].stdout), (0, "1%\n"), said[0].stderr)


if __name__ == "__main__":
    skip_without("haproxy", "openssl", "systemd-socket-activate")
    unittest.main(verbosity=2)
