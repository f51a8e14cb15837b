#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults between edge and relay: each has a message in the log of the side that can repair it and a status for the
client. No other node may go down, and no private daemon may start."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import unittest

from haproxy import PROXY, Authority, Edge, Relay, shipped
from nodes import WAIT, Nodes, ask, skip_without, wait_for
from processes import children, status_of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from client import ERROR, HELLO_REPLY, PING, PONG, Connection, correlate_frame, frame, hello_frame  # noqa: E402

RESTING, ROOM_FOR = 1000, 50
READY = re.search(r"rbinary \((\w+)\|(\w+)\)", shipped("edge.cfg"))


class Cluster(unittest.TestCase):
    """Two nodes with relays; certificates of node1, node2, alice, bob."""

    @classmethod
    def setUpClass(cls):
        cls.nodes = Nodes(2, options=PROXY).__enter__()
        cls.addClassCleanup(cls.nodes.close)
        cls.authority = Authority(os.path.join(cls.nodes.dir, "tls"))
        cls.authority.make("node", "node1", "node2")
        cls.alice, cls.bob = cls.authority.make("client", "alice", "bob")
        cls.relays = [Relay(node, cls.authority).start() for node in cls.nodes.all]
        for each in cls.relays:
            cls.addClassCleanup(each.close)

    def edge(self, certificate=None, **options):
        """A running edge, which ends with the test."""
        made = Edge(self.nodes, self.authority, certificate or self.alice, **options).start()

        def end():
            made.close()
            os.rename(made.machine.path(made.name + ".log"), made.machine.path(made.name + "." + self.id() + ".log"))
        self.addCleanup(end)
        return made

    def greeted(self, path):
        made = Connection(path)
        made.send(hello_frame(1))
        self.assertEqual(made.answer(1)[0], HELLO_REPLY)
        return made

    def ping(self, connection):
        connection.send(frame(PING, 2))
        self.assertEqual(connection.answer(2)[0], PONG)

    def figure(self, node, name):
        """The sum of a figure's values on a node."""
        return sum(row["value"] for row in json.loads(ask(node.socket, "metrics", "--json").stdout)["metrics"]
                   if row["name"] == "gpufilter_" + name)

    def refused(self, edge):
        """No node is up: the client gets an error with a status."""
        edge.said("backend 'nodes' has no server available!")
        done = ask(edge.socket, "ping", "--timeout", "60")  # on a busy machine five attempts take longer than 5 s
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("without an answer", done.stderr)
        edge.said("connection ended: node=<NOSRV>")


class Wrong(Cluster):
    def test_a_stranger_is_refused_by_the_nodes(self):
        stranger = Authority(os.path.join(self.nodes.dir, "stranger"))
        edge = self.edge(stranger.make("client", "mallory"))
        edge.said("Server nodes/node1 is DOWN")
        self.refused(edge)
        for each in self.relays:
            each.said("certificate verify failed\" from=" + self.nodes.client.address)

    def test_a_certificate_of_a_node_is_none_of_a_client(self):
        edge = self.edge(os.path.join(self.authority.folder, "node2.pem"))
        self.refused(edge)
        self.relays[0].said("connection refused:")

    def test_a_node_with_another_name_is_not_used(self):
        edge = self.edge(change=[("verifyhost node1", "verifyhost node7")]).wait_up("node2")
        edge.said("Server nodes/node1 is DOWN, reason: Layer6 invalid response, info: \"Server presented an SSL "
                  "certificate different from the configured one")
        self.assertEqual(ask(edge.socket, "ping").returncode, 0)

    def test_a_node_of_another_authority_is_not_used(self):
        other = Authority(os.path.join(self.nodes.dir, "other"))
        self.relays[0].stop()
        wrong = Relay(self.nodes[0], self.authority, other.make("node", "node1")).start()
        try:
            edge = self.edge().wait_up("node2")
            edge.said("Server nodes/node1 is DOWN, reason: Layer6 invalid response, info: \"SSL handshake failure")
            self.assertEqual(ask(edge.socket, "ping").returncode, 0)
        finally:
            wrong.stop()
            self.relays[0].start()

    def test_health_bytes_in_lower_case_match_nothing_and_the_log_tells_where(self):
        edge = self.edge(change=[(READY[i], READY[i].lower()) for i in (1, 2)])
        edge.said("at step 3 of tcp-check (expect binary regex) comment: 'gpufilterd is not ready, or of another version'")
        self.refused(edge)

    def test_a_daemon_of_another_version_is_not_used(self):
        """A server that answers HELLO with BAD_VERSION, as docs/protocol.md requires, and closes."""
        body = bytes([1, 0, 1, 0, 4, 0, 0, 0, 28, 0, 0, 0, 0, 0, 0, 0])
        path = self.nodes[0].path("old.sock")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            os.chmod(path, 0o666)
            listener.listen()

            def serve():
                while True:
                    try:
                        found = listener.accept()[0]
                    except OSError:
                        return
                    with found:
                        found.recv(4096)
                        found.sendall(frame(ERROR, 1, body))
                        found.shutdown(socket.SHUT_WR)
                        while found.recv(4096):
                            pass
            threading.Thread(target=serve, daemon=True).start()
            self.relays[0].stop()
            old = Relay(self.nodes[0], self.authority, socket_path=path).start()
            try:
                edge = self.edge().wait_up("node2")
                # HAProxy prints the second message if it sees the end of the stream first; the node is down either way.
                edge.said("did not match content (binary regex) at step 3 comment: gpufilterd is not ready, or of another version",
                          "got an empty response at step 3 comment: 'gpufilterd is not ready, or of another version'")
                self.assertEqual(ask(edge.socket, "ping").returncode, 0)
            finally:
                old.stop()
                self.relays[0].start()
                listener.shutdown(socket.SHUT_RDWR)

    def test_a_header_of_a_user_who_may_not_send_one(self):
        """A daemon that does not list the relay's user as a proxy accepts nothing from it."""
        node = self.nodes[0]
        node.stop()
        node.start("--proxy-users", "daemon")
        try:
            edge = self.edge().wait_up("node2")
            wait_for("the daemon's log tells", lambda: "proxy-users" in node.log("gpufilterd.log"))
            self.assertEqual(ask(edge.socket, "ping").returncode, 0)
        finally:
            node.stop()
            node.start()

    def served(self, edge, picture):
        for _ in range(20):
            done = ask(edge.socket, "invert", picture, self.nodes.client.path("out.pgm"))
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_user_who_is_refused_by_a_node_is_served_by_the_others(self):
        """Alice's request ends node1's worker, which is as often as node1 allows. Its edge must not send her there, but
        may need a moment to see that."""
        node, picture = self.nodes[0], self.nodes.client.path("in.pgm")
        with open(picture, "wb") as f:
            f.write(b"P5 2000 2000 255 " + bytes(range(250)) * 16000)
        node.stop()
        node.start("--worker-deaths", "1")
        try:
            edge = self.edge().wait_up()
            edge.tell("set server nodes/node2 state maint")
            slow = subprocess.Popen([os.environ["GF_CLIENT"], "median", "--size", "31", picture, self.nodes.client.path("out.pgm"),
                                     "--socket", edge.socket])
            wait_for("the worker has the request", lambda: self.figure(node, "device_jobs") > 0)
            (worker,) = [pid for pid in children(node.daemon.pid) if status_of(pid).get("Name") == "gpufilterd-work"]
            os.kill(worker, signal.SIGSEGV)
            wait_for("alice is refused", lambda: self.figure(node, "user_banned_seconds") > 0)
            edge.tell("set server nodes/node2 state ready")
            self.assertEqual(slow.wait(WAIT), 0)
            self.served(edge, picture)
            edge.said("Server nodes/node1 is DOWN")
            edge.stop(signal.SIGKILL)
            edge.start()  # nodes count as up until their first check has failed
            self.served(edge, picture)
            self.assertIn("requests of user CN=alice are refused for", ask(node.socket, "health").stdout)
            self.assertEqual(ask(node.socket, "admin", "unban", "CN=alice").returncode, 0)
            edge.wait_up()
        finally:
            node.stop()
            node.start()

    def test_a_client_beyond_all_places_waits_for_one(self):
        edge = self.edge(change=[("maxconn 200", "maxconn 1")]).wait_up()
        held = [self.greeted(edge.socket) for _ in self.nodes.all]
        done = ask(edge.socket, "ping", "--timeout", "1")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("no answer from the daemon in time", done.stderr)
        for c in held:
            c.socket.close()
        self.assertEqual(ask(edge.socket, "ping").returncode, 0)

    def test_no_private_daemon_behind_an_edge(self):
        run = self.nodes.client.path("run")
        os.mkdir(run, 0o700)
        env = {"XDG_RUNTIME_DIR": run, "GPUFILTER_DAEMON": os.environ["GF_DAEMON"]}
        edge = self.edge(held=False)
        env["GPUFILTER_SOCKET"] = edge.socket
        edge.wait_up()
        self.assertEqual(ask(None, "ping", env=env).returncode, 0)
        edge.stop(signal.SIGKILL)
        done = ask(None, "ping", env=env)  # the socket exists, but no process listens
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn(edge.socket, done.stderr)
        os.unlink(edge.socket)
        self.assertEqual(ask(None, "ping", env=env).returncode, 69)
        self.assertEqual(os.listdir(run), [])
        edge.start()
        edge.wait_up()
        self.assertEqual(ask(None, "ping", env=env).returncode, 0)


class Rest(Cluster):
    def test_a_reload_ends_no_connection(self):
        """Reloads as systemctl reload does; systemd holds the socket."""
        edge = self.edge().wait_up()
        before = self.greeted(edge.socket)
        old = edge.workers()
        os.kill(edge.process.pid, signal.SIGUSR2)
        wait_for("a new worker", lambda: set(edge.workers()) - set(old))
        after = self.greeted(edge.socket)
        edge.wait_up()
        for c in (before, after):
            self.ping(c)
            c.socket.close()

    def test_a_thousand_resting_connections_and_a_node_under_load(self):
        """Connections above the limit wait in the edge's queue until others end; checks go on, and no client is
        dropped."""
        edge = self.edge().wait_up()
        room = 2 * 200
        resting = [self.greeted(edge.socket) for _ in range(room)]
        waiting = [Connection(edge.socket) for _ in range(RESTING - room)]
        for c in waiting:
            c.send(hello_frame(1))
        for n in range(20):
            for c in resting[::20]:
                c.send(correlate_frame(100 + n, "cpu", 4, 3, [10 * (i + 1) for i in range(12)], 3, 3,
                                       [0, 1, 0, 1, 1, 1, 0, 1, 0]))
            for c in resting[::20]:
                self.assertEqual(list(c.answer(100 + n)[2])[:2], [20, 28])
        before = self.connections()
        wait_for("five more checks of each node", lambda: all(a >= b + 5 for a, b in zip(self.connections(), before)))
        self.assertEqual(select.select([c.socket for c in resting + waiting], [], [], 0)[0], [], "somebody was told something")
        while resting:  # each connection that ends makes room
            leave, resting = resting[:ROOM_FOR], resting[ROOM_FOR:]
            for c in leave:
                self.ping(c)
                c.socket.close()
            come = waiting[:ROOM_FOR]
            for _ in come:
                wait_for("one of those who wait is greeted", lambda: select.select([c.socket for c in waiting], [], [], WAIT)[0])
                c = next(c for c in waiting if select.select([c.socket], [], [], 0)[0])
                self.assertEqual(c.answer(1)[0], HELLO_REPLY)
                waiting.remove(c)
                resting.append(c)
        self.assertEqual(waiting, [])
        self.assertNotIn("DOWN", edge.log())

    def connections(self):
        """The number of connections that each daemon has had, including health checks."""
        found = [json.loads(ask(node.socket, "metrics", "--json").stdout)["metrics"] for node in self.nodes.all]
        return [next(row["value"] for row in rows if row["name"].endswith("connections_total")
                     and "user" not in row["name"]) for rows in found]


if __name__ == "__main__":
    skip_without("haproxy", "openssl")
    unittest.main(verbosity=2)
