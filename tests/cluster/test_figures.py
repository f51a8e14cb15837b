#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of edge and relay for Prometheus, the ends of certificates, and the alerts of both. promtool, if it is
installed, fires the alerts."""
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from haproxy import CLUSTER, PROXY, Authority, Edge, Relay
from nodes import Nodes, skip_without, wait_for

ALERTS = os.path.join(CLUSTER, "../../docs/monitoring/gpufilter-alerts.yml")
DAY = 86400


def rules():
    """The alerts for several machines: their names, and what each asks for."""
    with open(ALERTS, encoding="utf-8") as f:
        text = f.read().split("- name: gpufilter-cluster")[1]
    return dict(re.findall(r"- alert: (\w+)\n +expr: (.*)\n", text))


def figures(machine, address):
    """The text that a machine's HAProxy has for Prometheus."""
    program = "import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())"
    done = machine.run(["/usr/bin/python3", "-c", program, "http://%s/metrics" % address], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Scrapes(unittest.TestCase):
    def setUp(self):
        self.nodes = Nodes(2, options=PROXY).__enter__()
        self.addCleanup(self.nodes.close)
        authority = Authority(os.path.join(self.nodes.dir, "tls"))
        authority.make("node", "node1", "node2")
        self.relays = [Relay(node, authority).start() for node in self.nodes.all]
        self.edge = Edge(self.nodes, authority, authority.make("client", "alice")).start().wait_up()
        for each in (*self.relays, self.edge):
            self.addCleanup(each.close)

    def value(self, figure):
        """A figure of the edge."""
        text = figures(self.nodes.client, self.edge.metrics)
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(figure + " "))

    def test_the_alerts_see_what_happens_to_nodes(self):
        down = ['haproxy_server_status{proxy="nodes",server="node%d",state="DOWN"}' % i for i in (1, 2)]
        active = 'haproxy_backend_active_servers{proxy="nodes"}'
        self.assertEqual([self.value(name) for name in (*down, active)], [0, 0, 2])
        self.relays[0].stop()
        self.edge.wait_up("node2")
        self.assertEqual([self.value(name) for name in (*down, active)], [1, 0, 1])
        self.edge.tell("set server nodes/node1 state maint")  # what the administrator does is no fault
        self.assertEqual([self.value(name) for name in (*down, active)], [0, 0, 1])
        self.edge.tell("set server nodes/node1 state ready")
        self.relays[1].stop()
        wait_for("no node is up", lambda: self.value(active) == 0)
        asked = set(re.findall(r'haproxy_\w+\{proxy="nodes"', " ".join(rules().values())))
        self.assertEqual(asked, {name.split(",")[0].rstrip("}") for name in (*down, active)})

    def test_a_relay_has_figures_for_its_own_machine_alone(self):
        node, other = self.nodes.all
        self.assertIn('haproxy_frontend_connections_total{proxy="edges"} ', figures(node, "127.0.0.1:8405"))
        self.assertRaises(AssertionError, figures, other, node.address + ":8405")
        self.assertNotIn("metrics", self.relays[0].log())


class Certificates(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-figures-")
        self.addCleanup(shutil.rmtree, self.dir)

    def run_script(self, *files):
        return subprocess.run([os.path.join(CLUSTER, "certificate-metrics"), *files], capture_output=True, text=True, check=False)

    def test_the_end_of_each_is_told(self):
        began = int(time.time())
        authority = Authority(os.path.join(self.dir, "tls"))
        alice, bob = authority.make("client", "alice", "bob")
        revoked = authority.make("revoke", "bob")
        done = self.run_script(authority.ca, alice, bob, revoked)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ends = {name: int(end) for name, end in re.findall(r'(?m)^gpufilter_certificate_end_seconds\{file="([^"]+)"\} (\d+)$', done.stdout)}
        self.assertEqual(list(ends), ["ca.pem", "alice.pem", "bob.pem", "crl.pem"])
        took = int(time.time()) - began
        for name, days in (("ca.pem", 365), ("alice.pem", 90), ("bob.pem", 90), ("crl.pem", 90)):
            self.assertIn(ends[name] - days * DAY - began, range(took + 1), name)

    def test_a_file_that_is_none_is_told(self):
        authority = Authority(os.path.join(self.dir, "tls"))
        alice, wrong = authority.make("client", "alice"), os.path.join(self.dir, "wrong.pem")
        with open(wrong, "w", encoding="ascii") as f:
            f.write("wrong\n")
        done = self.run_script(wrong, alice)
        self.assertEqual(done.returncode, 65)
        self.assertIn("wrong.pem: neither a certificate nor a list", done.stderr)
        self.assertIn('{file="alice.pem"} ', done.stdout)
        self.assertEqual(self.run_script().returncode, 64)


TEST = """
rule_files: [%s]
evaluation_interval: 30s
tests:
  - interval: 1m
    input_series:
      - {series: 'haproxy_server_status{instance="e",proxy="nodes",server="node1",state="DOWN"}', values: '0x4 1x10'}
      - {series: 'haproxy_server_status{instance="e",proxy="nodes",server="node2",state="DOWN"}', values: '1 0x14'}
      - {series: 'haproxy_server_status{instance="e",proxy="nodes",server="node2",state="MAINT"}', values: '1x14'}
      - {series: 'haproxy_backend_active_servers{instance="e",proxy="nodes"}', values: '1x10 0x4'}
      - {series: 'gpufilter_certificate_end_seconds{instance="e",file="ca.pem"}', values: '1210200x14'}
      - {series: 'gpufilter_certificate_end_seconds{instance="e",file="client.pem"}', values: '9999999x14'}
      - {series: 'node_textfile_mtime_seconds{instance="e",file="/a/gpufilter-certificates.prom"}', values: '0x14'}
    promql_expr_test:
%s
"""
FIRING = "count by (alertname, server, file) (ALERTS{alertstate=\"firing\",alertname=~\"Gpufilter(Edge|Cert).*\"})"


class Alerts(unittest.TestCase):
    def test_they_fire_when_they_should(self):
        """The certificate has 14 days left at minute 10, when there is no node any more."""
        if not shutil.which("promtool"):
            self.skipTest("no promtool on this machine (package prometheus)")
        node1, ends = '{alertname="GpufilterEdgeNodeDown",server="node1"}', '{alertname="GpufilterCertificateEnds",file="ca.pem"}'
        none = '{alertname="GpufilterEdgeNoNode"}'
        checks = ""
        for minute, firing in ((4, []), (9, [node1]), (14, [node1, ends, none])):
            samples = ", ".join("{labels: '%s', value: 1}" % labels for labels in firing)
            checks += "      - {expr: '%s', eval_time: %dm, exp_samples: [%s]}\n" % (FIRING, minute, samples)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as f:
            f.write(TEST % (os.path.abspath(ALERTS), checks))
            f.flush()
            done = subprocess.run(["promtool", "test", "rules", f.name], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    skip_without("haproxy", "openssl")
    unittest.main(verbosity=2)
