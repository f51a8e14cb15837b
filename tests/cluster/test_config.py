#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""systemd/cluster without a cluster: HAProxy accepts both configurations without a warning, their health check equals
the frames of the protocol's code, and each trial certificate is valid for one purpose only."""
import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from haproxy import CLUSTER, Authority, checked, replaced, shipped


def needs(program):
    return unittest.skipUnless(shutil.which(program), "no program %s; scripts/deps --cluster installs it" % program)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-config-")
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)


class Configuration(Case):
    def test_the_health_check_is_the_one_of_the_protocol(self):
        told = subprocess.run([os.environ["GF_CLIENT"], "health", "--haproxy"], capture_output=True, text=True, check=True)
        self.assertEqual(len(told.stdout.splitlines()), 4)
        self.assertIn(told.stdout, shipped("edge.cfg"), "put into systemd/cluster/edge.cfg what "
                      "gpufilter-client health --haproxy prints")

    def test_the_health_check_needs_no_daemon_and_takes_no_json(self):
        none = {**os.environ, "GPUFILTER_SOCKET": self.path("none")}
        done = subprocess.run([os.environ["GF_CLIENT"], "health", "--haproxy"], capture_output=True, check=False, env=none)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([os.environ["GF_CLIENT"], "health", "--haproxy", "--json"], capture_output=True, text=True,
                              check=False, env=none)
        self.assertEqual(done.returncode, 64)
        self.assertIn("--json, --haproxy and --haproxy-agent exclude each other", done.stderr)

    @needs("haproxy")
    @needs("openssl")
    def test_haproxy_takes_both_without_a_warning(self):
        authority = Authority(self.path("tls"))
        authority.make("node", "node")
        authority.make("client", "client")
        for name in ("edge.cfg", "relay.cfg"):
            with self.subTest(name):
                text = replaced(shipped(name), ("/etc/gpufilter/tls", authority.folder))
                with open(self.path(name), "w", encoding="utf-8") as f:
                    f.write(text)
                self.assertEqual(checked(self.path(name)), "")
        with open(self.path("edge.cfg"), "a", encoding="utf-8") as f:
            f.write("    server node4 192.0.2.14:7443 verifyhots node4\n")
        self.assertIn("verifyhots", checked(self.path("edge.cfg")))

    def test_a_node_takes_more_connections_of_a_user_than_an_edge_makes(self):
        with open(os.path.join(CLUSTER, "../../docs/gpufilterd.conf"), encoding="utf-8") as f:
            most = next(int(line.split("=")[1]) for line in f if line.lstrip(";# ").startswith("user-connections"))
        edge = int(shipped("edge.cfg").split("rise 2 maxconn ")[1].split()[0])
        self.assertEqual((most, edge), (256, 200))


@needs("openssl")
class TrialAuthority(Case):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.path("tls"))

    def verified(self, purpose, path, *more):
        done = subprocess.run(["openssl", "verify", "-purpose", purpose, "-CAfile", self.authority.ca, *more, path],
                              capture_output=True, check=False)
        return done.returncode == 0

    def test_a_certificate_is_for_one_purpose(self):
        node, client = self.authority.make("node", "node1"), self.authority.make("client", "alice")
        self.assertEqual([self.verified(p, c) for p in ("sslserver", "sslclient") for c in (node, client)],
                         [True, False, False, True])
        self.assertTrue(self.verified("sslserver", node, "-verify_hostname", "node1"))
        self.assertFalse(self.verified("sslserver", node, "-verify_hostname", "node2"))

    def test_keys_are_for_their_owner_alone(self):
        self.authority.make("client", "alice", "bob")
        modes = {name: stat.S_IMODE(os.stat(os.path.join(self.authority.folder, name)).st_mode)
                 for name in ("ca.key", "alice.pem", "bob.pem", "ca.pem")}
        self.assertEqual(modes, {"ca.key": 0o600, "alice.pem": 0o600, "bob.pem": 0o600, "ca.pem": 0o644})

    def test_a_revoked_certificate_is_in_the_list(self):
        alice, bob, carol = self.authority.make("client", "alice", "bob", "carol")
        listed = ("-crl_check", "-CRLfile", os.path.join(self.authority.folder, "crl.pem"))
        for name, valid in (("alice", [False, True, True]), ("bob", [False, False, True])):
            self.assertEqual(self.authority.make("revoke", name), listed[2])
            self.assertEqual([self.verified("sslclient", path, *listed) for path in (alice, bob, carol)], valid)
        self.bad(70, "Already revoked", self.authority.folder, "revoke", "bob")
        self.assertEqual(stat.S_IMODE(os.stat(listed[2]).st_mode), 0o644)

    def bad(self, code, text, *args):
        done = subprocess.run([os.path.join(CLUSTER, "trial-ca"), *args], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)

    def test_wrong_use_is_told(self):
        folder = self.authority.folder
        self.bad(64, "usage: trial-ca FOLDER node NAME...", folder)
        self.bad(64, "trial-ca: server: allowed: node, client, revoke", folder, "server", "x")
        for name in ("../alice", "a b", "", "-x", "x" * 65, "Ä"):
            self.bad(64, "%s: a name must have 1 to 64 letters" % name, folder, "client", name)
        for name in ("ca", "crl"):
            self.bad(64, name + ": this name is reserved for the authority", folder, "client", name)
        self.assertFalse(os.path.exists(folder))
        made = self.authority.make("client", "alice")
        with open(made, "rb") as f:
            before = f.read()
        self.bad(73, "alice.pem already exists; remove it", folder, "client", "bob", "alice")
        with open(made, "rb") as f:
            self.assertEqual(f.read(), before)
        self.assertFalse(os.path.exists(os.path.join(folder, "bob.pem")))
        self.bad(66, "dave.pem is missing; a certificate must be in the folder to be revoked", folder, "revoke", "dave")
        os.remove(os.path.join(folder, "ca.key"))
        self.bad(66, "ca.key is missing; it must be in the folder to sign certificates", folder, "client", "carol")


if __name__ == "__main__":
    unittest.main(verbosity=2)
