#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The name in an edge's certificate is the user on every node: in figures, quotas and the sharing of a device. The
control of each test is two edges with the same certificate."""
import json
import os
import shutil
import signal
import sys
import threading
import unittest

from haproxy import PROXY, Authority, Edge, Relay
from nodes import Nodes, ask, skip_without, wait_for
from processes import children, cmdline

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from client import HELLO_REPLY, RESULT, Connection, ServerError, correlate_frame, hello_frame  # noqa: E402

QUOTA = 25
CROSS = bytes([20, 28, 38, 46, 52, 60, 70, 78, 84, 92, 102, 110])
MANY, FEW, ANSWERS = 16, 6, 240


def cross(number):
    return correlate_frame(number, "cpu", 4, 3, [10 * (i + 1) for i in range(12)], 3, 3, [0, 1, 0, 1, 1, 1, 0, 1, 0])


def greeted(edge):
    made = Connection(edge.socket)
    made.send(hello_frame(1))
    assert made.answer(1)[0] == HELLO_REPLY
    return made


def rows(node, what):
    """The rows of the figure user_WHAT_total."""
    found = json.loads(ask(node.socket, "metrics", "--json").stdout)["metrics"]
    return [row for row in found if row["name"].endswith("user_%s_total" % what)]


def total(node, what):
    return sum(row["value"] for row in rows(node, what))


class Users(unittest.TestCase):
    def place(self, options=(), device_ms=None):
        """A node, and edges of alice, of bob, and of another user with alice's certificate."""
        nodes = Nodes(1, device_ms, [*PROXY, *options]).__enter__()
        self.addCleanup(nodes.close)
        authority = Authority(os.path.join(nodes.dir, "tls"))
        authority.make("node", "node1")
        made = Relay(nodes[0], authority).start()
        self.addCleanup(made.close)
        alice, bob = authority.make("client", "alice", "bob")
        alias = os.path.join(authority.folder, "alias.pem")
        shutil.copy(alice, alias)
        edges = [Edge(nodes, authority, certificate).start() for certificate in (alice, bob, alias)]
        for edge in edges:
            self.addCleanup(edge.close)
            edge.wait_up()
        return nodes[0], edges

    def test_figures_are_by_name(self):
        node, (alice, bob, alias) = self.place()
        for edge, times in ((alice, 3), (bob, 5), (alias, 2)):
            c = greeted(edge)
            for i in range(times):
                c.send(cross(10 + i))
                self.assertEqual(c.answer(10 + i)[2], CROSS)
            c.socket.close()
        done = {row["labels"]["uid"]: row["value"] for row in rows(node, "accepted")}
        self.assertEqual((done["CN=alice"], done["CN=bob"]), (5, 5), done)

    def test_quotas_are_by_name(self):
        _, (alice, bob, alias) = self.place(["--user-connections", "10"])
        held = [greeted(alice) for _ in range(10)]
        for c in held:
            c.send(cross(2))
            self.assertEqual(c.answer(2)[2], CROSS)
        for edge in (alice, alias):
            late = Connection(edge.socket)
            late.send(hello_frame(1) + cross(2))
            with self.assertRaises(ServerError) as caught:
                while True:
                    late.answer(1)
                    late.answer(2)
            self.assertEqual(caught.exception.status, QUOTA, caught.exception)
            late.socket.close()
        c = greeted(bob)
        c.send(cross(2))
        self.assertEqual(c.answer(2)[2], CROSS)
        for c in [c, *held]:
            c.socket.close()

    @staticmethod
    def shares(node, one, other):
        """MANY connections of one edge and FEW of the other send ANSWERS requests per edge while the worker is stopped.
        It goes on when all are queued, so that both edges have requests queued until ANSWERS are answered, however slow
        the machine is. Returns how the first ANSWERS divide between the edges, and Jain's index."""
        wait_for("the requests of earlier connections end", lambda: total(node, "answers") == total(node, "accepted"))
        before, order = total(node, "accepted"), []
        connections = [(at, range(2, 2 + ANSWERS // n), greeted(edge))
                       for at, edge, n in ((0, one, MANY), (1, other, FEW)) for _ in range(n)]
        worker = next(pid for pid in children(node.daemon.pid) if "--front" in cmdline(pid))
        os.kill(worker, signal.SIGSTOP)
        for _, numbers, c in connections:
            c.send(b"".join(map(cross, numbers)))
        wait_for("all requests are queued", lambda: total(node, "accepted") == before + 2 * ANSWERS)
        os.kill(worker, signal.SIGCONT)

        def receive(at, numbers, c):
            for number in numbers:
                if len(order) < ANSWERS:
                    assert c.answer(number)[0] == RESULT
                    order.append(at)
            c.socket.close()
        threads = [threading.Thread(target=receive, args=connection) for connection in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(order) >= ANSWERS, order
        done = [order[:ANSWERS].count(at) for at in (0, 1)]
        return done, sum(done) ** 2 / (2 * (done[0] ** 2 + done[1] ** 2))

    def test_a_device_is_shared_by_name(self):
        """Sixteen connections of one user get no more than six of another user, but more than six of the same user."""
        node, (alice, bob, alias) = self.place(["--user-requests", str(2 * ANSWERS), "--worker-timeout", "600"], 20)
        done, jain = self.shares(node, alice, bob)
        print("alice and bob: %d and %d answers, Jain's index %.3f" % (*done, jain))
        self.assertGreaterEqual(jain, 0.95, done)
        done, jain = self.shares(node, alice, alias)
        print("alice and alice: %d and %d answers, Jain's index %.3f" % (*done, jain))
        self.assertLess(jain, 0.95, done)


if __name__ == "__main__":
    skip_without("haproxy", "openssl")
    unittest.main(verbosity=2)
