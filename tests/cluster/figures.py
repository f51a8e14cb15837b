#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the cost of the way through edge and relay, and the gain from more nodes. Prints two tables for
docs/measurements/cluster.md: the time of calls directly to a daemon and through both HAProxy with mutual TLS, in turns,
as the median of the calmest of twenty rounds; and the requests per second on one, two and three nodes with a stand-in
device. Only wrong bits are a failure.

usage: figures.py [--seconds S]   GF_DAEMON, GF_WORKER, GF_TIMED_WORKER, GPUFILTER_LIBRARY."""
import argparse
import os
import statistics
import sys
import threading
import time

import haproxy
from nodes import Nodes, need_modules, skip_without

need_modules("numpy")
import gpufilter as gf  # noqa: E402
import numpy as np  # noqa: E402

DEVICE_MS = 20
CLIENTS_PER_NODE = 4
ROUNDS = 20


def chain(nodes):
    """An edge in front of all nodes, with every node up."""
    authority = haproxy.Authority(os.path.join(nodes.dir, "tls"))
    authority.make("node", *(node.name for node in nodes.all))
    for node in nodes.all:
        haproxy.Relay(node, authority).start()
    return haproxy.Edge(nodes, authority, authority.make("client", "alice")).start().wait_up()


def median(call, seconds):
    """The median of a call's times in microseconds."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end or not found:
        began = time.perf_counter()
        call()
        found.append((time.perf_counter() - began) * 1e6)
    return statistics.median(found)


def calls(client):
    """The rows of the table as (name, call)."""
    rng = np.random.default_rng(1)
    small, large = rng.integers(0, 256, (256, 256), dtype=np.uint8), rng.integers(0, 256, (1080, 1920, 3), dtype=np.uint8)
    kept, program = client.to_device(large), "gaussian sigma=1"
    out, want = np.empty_like(large), client.run(program, large)
    client.run(program, kept, out=out)
    assert np.array_equal(out, want), "the resident picture gives other bits"
    return want, [("ping", client.ping), ("64 KiB", lambda: client.run("map scale=-1 offset=255", small)),
                  ("1080p RGB, inline", lambda: client.run(program, large)),
                  ("1080p RGB, resident, result inline", lambda: client.run(program, kept, out=out))]


def ways(seconds):
    with Nodes(1, options=haproxy.PROXY) as nodes:
        edge = chain(nodes)
        with gf.Client(nodes[0].socket) as direct, gf.Client(edge.socket) as through:
            (want, near), (got, far) = calls(direct), calls(through)
            assert np.array_equal(want, got), "other bits through the edge"
            print("| one call, microseconds | direct | through edge and relay | difference |\n| --- | --- | --- | --- |")
            for (name, one), (_, two) in zip(near, far):
                rounds = [(median(one, seconds / ROUNDS), median(two, seconds / ROUNDS)) for _ in range(ROUNDS)]
                a, b = (min(found) for found in zip(*rounds))
                print("| %s | %.0f | %.0f | %.0f |" % (name, a, b, b - a), flush=True)


def rate(socket, clients, seconds):
    """Right answers per second of clients that ask in a loop; the first tenth of the time does not count."""
    picture, done, over = np.arange(4096, dtype=np.uint8).reshape(64, 64), [0] * clients, threading.Event()
    with gf.Client(socket) as client:
        want = client.run("gaussian sigma=2", picture).tobytes()

    def work(i):
        with gf.Client(socket) as client:
            while not over.is_set():
                assert client.run("gaussian sigma=2", picture).tobytes() == want, "other bits"
                done[i] += 1
    threads = [threading.Thread(target=work, args=(i,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 10)
    began, before = time.monotonic(), sum(done)
    time.sleep(seconds)
    found = (sum(done) - before) / (time.monotonic() - began)
    over.set()
    for thread in threads:
        thread.join()
    return found


def scaling(seconds):
    print("| nodes, a request takes %d ms | requests/s | of so many times one |\n| --- | --- | --- |" % DEVICE_MS)
    one = None
    for count in (1, 2, 3):
        with Nodes(count, DEVICE_MS, haproxy.PROXY) as nodes:
            found = rate(chain(nodes).socket, CLIENTS_PER_NODE * count, seconds)
        one = one or found
        print("| %d | %.1f | %.3f |" % (count, found, found / one / count), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    skip_without("haproxy", "openssl")
    ways(options.seconds)
    scaling(options.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
