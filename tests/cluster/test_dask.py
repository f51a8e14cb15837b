#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpufilter.dask on three nodes, each with a Dask worker and a daemon: results have the bits of one machine, also when
a node is killed. `test_dask.py scale` prints how tasks of 200 ms scale from one node to three, and fails below 0.90."""
import json
import os
import sys
import unittest

from nodes import WAIT, Nodes, skip_without, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = ["-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]


def work(nodes, what, *more):
    """Runs dask_work.py on the machine `client` with a worker on each node. Returns its results."""
    python, path = os.environ["GF_DASK"], nodes.client.path("nodes.json")
    address = nodes.client.address
    workers = [node.logged("dask.log", [python, *WORKER, "--local-directory", node.dir, f"tcp://{address}:8786"],
                           env={**os.environ, "GPUFILTER_SOCKET": node.socket, "GPUFILTER_AUTOSTART": "0"})
               for node in nodes.all]
    with open(path, "w", encoding="utf-8") as f:
        json.dump([[w.pid, node.daemon.pid] for w, node in zip(workers, nodes.all)], f)
    done = nodes.client.run([python, os.path.join(HERE, "dask_work.py"), what, address, path, *more],
                            env={**os.environ, "GPUFILTER_SOCKET": nodes[0].socket}, capture_output=True, text=True,
                            timeout=5 * WAIT)
    for w in workers:
        w.kill()
        w.wait()
    assert done.returncode == 0, done.stderr + "".join(node.log("dask.log")[-3000:] for node in nodes.all)
    return json.loads(done.stdout.splitlines()[-1])


class Tiles(unittest.TestCase):
    def test_tiles_and_merges_have_the_bits_of_one_machine(self):
        with Nodes(3, device_ms=5) as nodes:
            found = work(nodes, "tiles")
            wait_for("the processes of the node that was killed are gone", lambda: not nodes[2].pids())
        self.assertEqual(len(found["tiles"]), 8)
        self.assertEqual(set(found["tiles"].values()), {0}, found)
        for text, different in found["too small"].items():
            self.assertGreater(different, 0, text)
        self.assertEqual(set(found["merged"].values()), {True}, found)
        self.assertEqual(found["killed"]["differ"], 0)
        self.assertLess(found["killed"]["done"], found["killed"]["of"])


def scale():
    with Nodes(3, device_ms=200) as nodes:
        found = work(nodes, "scale", "40")
    share = found["3"] / (3 * found["1"])
    print("one node %.2f tasks/s, three %.2f: %.3f of three times one" % (found["1"], found["3"], share))
    return share < 0.90


if __name__ == "__main__":
    skip_without(os.environ["GF_DASK"])
    sys.exit(scale() if sys.argv[1:] == ["scale"] else unittest.main(verbosity=2))
