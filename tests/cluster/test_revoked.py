#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A relay that reads a list of revoked certificates again ends the connections that it has, and names each certificate
that it refuses. Clients with a valid certificate work on without a failed call."""
import os
import select
import signal
import subprocess
import sys
import unittest

from haproxy import PROXY, Authority, Edge, Relay, replaced
from nodes import WAIT, Nodes, ask, need_modules, skip_without, wait_for

need_modules("numpy")
from load import Load, expected_of  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../interop"))
from client import HELLO_REPLY, Connection, hello_frame  # noqa: E402

CLIENTS, CALLS = 2, 10
# Like a program of a user's own: the shipped edge ends its connections when its checks fail.
UNCHECKED = [("default-server check inter 700ms fastinter 200ms fall 2 rise 2 maxconn 200 on-marked-down shutdown-sessions",
              "default-server maxconn 200")]


def serial_of(certificate):
    told = subprocess.run(["openssl", "x509", "-noout", "-serial", "-in", certificate], capture_output=True, text=True,
                          check=True)
    return told.stdout.strip().partition("=")[2]


class Revoked(unittest.TestCase):
    def setUp(self):
        self.nodes = Nodes(1, options=PROXY).__enter__()
        self.addCleanup(self.nodes.close)
        self.authority = Authority(os.path.join(self.nodes.dir, "tls"))
        self.authority.make("node", "node1")
        self.relay = self.started(Relay(self.nodes[0], self.authority))

    def started(self, made):
        self.addCleanup(made.close)
        return made.start()

    def reload_with_list(self):
        """Reloads the relay, as systemctl reload does, with crl-file. Returns when it has its new worker."""
        self.relay.text = replaced(self.relay.text, (" crt ", " crl-file %s/crl.pem crt " % self.authority.folder))
        with open(self.relay.config, "w", encoding="utf-8") as f:
            f.write(self.relay.text)
        old = self.relay.workers()
        os.kill(self.relay.process.pid, signal.SIGUSR2)
        wait_for("a new worker", lambda: set(self.relay.workers()) - set(old))
        return old

    def test_a_reload_ends_old_connections_and_no_valid_call_fails(self):
        alice, bob = self.authority.make("client", "alice", "bob")
        ours = self.started(Edge(self.nodes, self.authority, alice)).wait_up()
        theirs = self.started(Edge(self.nodes, self.authority, bob, change=UNCHECKED))
        revoked = Connection(theirs.socket)
        self.addCleanup(revoked.socket.close)
        revoked.send(hello_frame(1))
        self.assertEqual(revoked.answer(1)[0], HELLO_REPLY)
        with Load(ours.socket, expected_of(self.nodes[0].socket, CLIENTS), CLIENTS, ("run", "submit")) as load:
            load.more(CALLS)
            self.authority.make("revoke", "bob")
            old = self.reload_with_list()
            self.assertNotEqual(select.select([revoked.socket], [], [], WAIT)[0], [], "bob's connection does not end")
            self.assertEqual(revoked.socket.recv(1), b"")
            wait_for("the worker with the old list ends", lambda: not set(old) & set(self.relay.workers()))
            load.more(CALLS)
        for kind, count in load.counts().items():
            self.assertEqual((count.failed, count.wrong), (0, 0), (kind, count.texts))
        self.assertEqual(ask(theirs.socket, "ping").returncode, 75)
        self.relay.said('connection refused: user="bob" serial=%s verify=revoked ' % serial_of(bob))

    def test_a_refusal_names_certificate_and_reason(self):
        alice, carol = self.authority.make("client", "alice", "carol")
        foreign = Authority(os.path.join(self.nodes.dir, "foreign")).make("client", "mallory")
        for certificate, user, why in ((carol, "carol", "expired"), (foreign, "mallory", "unknown-authority"),
                                       (os.path.join(self.authority.folder, "node1.pem"), "node1", "not-for-clients")):
            with self.subTest(user):
                if user == "carol":
                    self.expire(carol)
                edge = self.started(Edge(self.nodes, self.authority, certificate, change=UNCHECKED))
                self.assertEqual(ask(edge.socket, "ping").returncode, 75)
                self.relay.said('connection refused: user="%s" serial=%s verify=%s error="error:' % (user, serial_of(certificate), why))
                self.assertRegex(self.relay.log(), 'user="%s" .* from=%s:' % (user, self.nodes.client.address))
        edge = self.started(Edge(self.nodes, self.authority, alice)).wait_up()
        self.assertEqual(ask(edge.socket, "ping").returncode, 0)
        self.assertNotIn('connection refused: user="alice"', self.relay.log())

    def expire(self, certificate):
        """Replaces a certificate by one of the same key and name that has ended."""
        with open(certificate, encoding="ascii") as f:
            key = f.read().partition("-----END CERTIFICATE-----\n")[2]
        run = lambda *args, **more: subprocess.run(["openssl", *args], capture_output=True, text=True, check=True, **more)  # noqa: E731
        key_path, request = self.nodes.client.path("key"), self.nodes.client.path("request")
        with open(key_path, "w", encoding="ascii") as f:
            f.write(key)
        run("req", "-new", "-key", key_path, "-subj", "/CN=carol", "-out", request)
        made = run("x509", "-req", "-in", request, "-CA", self.authority.ca, "-CAkey",
                   os.path.join(self.authority.folder, "ca.key"), "-set_serial", "77", "-days", "-1")
        with open(certificate, "w", encoding="ascii") as f:
            f.write(made.stdout + key)


if __name__ == "__main__":
    skip_without("haproxy", "openssl")
    unittest.main(verbosity=2)
