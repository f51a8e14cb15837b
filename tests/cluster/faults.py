#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs three nodes behind an edge and six clients without a pause (two that wait for each answer, two that submit, two
with a resident picture), and makes the faults of a cluster happen one after the other. No call may fail or return wrong
bits. A call whose resident picture was on a dead node must end with HANDLE_LOST. Prints a table.

usage: faults.py [--turns N] [--most SECONDS] [ROW ...] --turns: repetitions of each row; --most: the longest allowed
time of a call. Environment: GF_DAEMON, GF_WORKER, GF_CLIENT, GPUFILTER_LIBRARY."""
import argparse
import os
import signal
import sys
import time

import haproxy
from nodes import WAIT, Nodes, need_modules, skip_without, wait_for
from processes import children, status_of

need_modules("numpy")
from load import Count, Load, expected_of  # noqa: E402

CLIENTS = 2
CALLS = 10  # answers that every client gets before, during and after a fault
APART_S, GONE_S = 0.15, 0.5
KILLS = 4


class Place:
    """The cluster, and the faults of the rows."""

    def __init__(self, nodes):
        self.nodes, self.load, self.victims = nodes, None, 0
        self.authority = haproxy.Authority(os.path.join(nodes.dir, "tls"))
        self.authority.make("node", *(node.name for node in nodes.all))
        self.relays = {node.name: haproxy.Relay(node, self.authority).start() for node in nodes.all}
        alice, bob = self.authority.make("client", "alice", "bob")
        self.edge = haproxy.Edge(nodes, self.authority, alice).start().wait_up()
        self.bare_edge = haproxy.Edge(nodes, self.authority, bob, held=False).start().wait_up()

    def victim(self):
        """A node with clients; a different one each time."""
        self.victims += 1
        return self.nodes[self.victims % len(self.nodes)]

    def repair(self, *nodes):
        for end in [node.begin() for node in nodes]:
            end()
        self.edge.wait_up()

    def end_one(self, number):
        node = self.victim()
        node.stop(number)
        self.load.more(CALLS)
        self.repair(node)

    def daemon_killed(self):
        self.end_one(signal.SIGKILL)

    def daemon_ended(self):
        self.end_one(signal.SIGTERM)

    def two_killed(self):
        first, second = self.victim(), self.victim()
        first.stop(signal.SIGKILL)
        time.sleep(APART_S)  # the row is about this
        second.stop(signal.SIGKILL)
        self.load.more(CALLS)
        self.repair(first, second)

    def rolling_restart(self):
        for node in self.nodes.all:
            node.stop()
            self.repair(node)
            self.load.more(1)

    def rolling_drained(self):
        """Follows the procedure of docs/cluster.md."""
        for node in self.nodes.all:
            self.edge.tell("set server nodes/%s state drain" % node.name)
            self.load.more(1)
            node.stop()
            node.start()
            self.edge.tell("set server nodes/%s state ready" % node.name)
            self.edge.wait_up()

    def machine_killed(self):
        node = self.victim()
        node.signal_all(signal.SIGKILL)
        self.relays[node.name].process.wait()
        node.stop(signal.SIGKILL)
        self.load.more(CALLS)
        self.relays[node.name] = haproxy.Relay(node, self.authority).start()
        self.repair(node)

    def cable_pulled(self):
        node = self.victim()
        node.cut()
        self.load.more(CALLS)
        node.mend()
        self.edge.wait_up()

    def daemon_stopped(self):
        node = self.victim()
        os.kill(node.daemon.pid, signal.SIGSTOP)
        self.load.more(CALLS)
        os.kill(node.daemon.pid, signal.SIGCONT)
        self.edge.wait_up()

    def worker_stopped(self):
        """The daemon answers, but no request does, as where a GPU hangs."""
        node = self.victim()
        worker = self.worker_of(node)
        os.kill(worker, signal.SIGSTOP)
        self.load.more(CALLS)
        os.kill(worker, signal.SIGCONT)
        self.edge.wait_up()

    @staticmethod
    def worker_of(node):
        (worker,) = wait_for("a worker", lambda: [pid for pid in children(node.daemon.pid)
                                                  if status_of(pid).get("Name") == "gpufilterd-work"])
        return worker

    def worker_killed(self):
        """As the kernel does for lack of memory, twice as often as worker-deaths allows in ten minutes."""
        node = self.victim()
        self.configure(node, "[gpufilterd]\nworker-deaths = %d\n" % (KILLS // 2))
        for _ in range(KILLS):
            worker = self.worker_of(node)
            os.kill(worker, signal.SIGKILL)
            wait_for("it has ended", lambda pid=worker: pid not in children(node.daemon.pid))
            self.load.more(CALLS)
        self.configure(node, "")
        self.edge.wait_up()

    @staticmethod
    def configure(node, text):
        before = node.log("gpufilterd.log").count("configuration reloaded")
        with open(node.path("gpufilterd.conf"), "w", encoding="utf-8") as f:
            f.write(text)
        os.kill(node.daemon.pid, signal.SIGHUP)
        wait_for("the configuration is read", lambda: node.log("gpufilterd.log").count("configuration reloaded") > before)

    def edge_gone(self):
        self.interrupt(self.edge)

    def bare_edge_gone(self):
        self.interrupt(self.bare_edge)

    @staticmethod
    def interrupt(edge):
        edge.stop(signal.SIGKILL)
        time.sleep(GONE_S)  # the row is about this
        edge.start().wait_up()


ROWS = {
    "daemon_killed": "kill -9 of a daemon, its relay still accepting",
    "daemon_ended": "SIGTERM of a daemon",
    "worker_killed": "kill -9 of a node's worker, four times",
    "worker_stopped": "SIGSTOP of a node's worker",
    "two_killed": "two daemons killed, 150 ms apart",
    "rolling_restart": "rolling restart",
    "rolling_drained": "rolling restart, each drained first",
    "machine_killed": "kill -9 of a daemon and its relay",
    "cable_pulled": "cable pulled",
    "daemon_stopped": "SIGSTOP of a daemon",
    "edge_gone": "edge gone for 0.5 s, its socket held",
    "bare_edge_gone": "edge gone for 0.5 s, nobody at its socket; clients wait",
}


def try_row(place, expected, name, total):
    """Runs a row once and adds its counts by kind to `total`."""
    edge, options = (place.bare_edge, {"wait": WAIT}) if name == "bare_edge_gone" else (place.edge, {})
    with Load(edge.socket, expected, CLIENTS, **options) as load:
        place.load = load
        load.more(CALLS)
        getattr(place, name)()
        load.more(CALLS)
    for kind, count in load.counts().items():
        total.setdefault(kind, Count()).add(count)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--most", type=float)
    options = parser.parse_args()
    if set(options.rows) - set(ROWS):
        parser.error("%s: no such row; there are %s" % (", ".join(set(options.rows) - set(ROWS)), ", ".join(ROWS)))
    skip_without("haproxy", "openssl")
    bad = []
    with Nodes(3, options=haproxy.PROXY) as nodes:
        place, expected = Place(nodes), expected_of(nodes[0].socket, CLIENTS)
        print("| fault | kind | turns | right | failed | wrong | lost | longest s |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in options.rows or ROWS:
            total = {}
            for _ in range(options.turns):
                try_row(place, expected, name, total)
            for kind, count in total.items():
                print("| %s | %s | %d | %s |" % (ROWS[name], kind, options.turns, count), flush=True)
                if count.failed or count.wrong or (count.lost and kind != "resident"):
                    bad += ["%s: %d of %s" % (name, n, text) for text, n in count.texts.items()] or [name + ": wrong bits"]
                if options.most and count.longest > options.most:
                    bad.append("%s: a call of kind %s took %.2f s, %.2f at most" % (name, kind, count.longest, options.most))
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
