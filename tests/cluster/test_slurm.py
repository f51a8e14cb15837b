#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""samples/cluster/slurm-array.sh under a real Slurm with three nodes, one of which dies in the middle of its task:
every result exists and equals the command's result on one machine. GF_SLURM_FILES=600 uses 600 files."""
import os
import signal
import subprocess
import time
import unittest

from nodes import WAIT, Nodes, skip_without, wait_for
from slurm import PROGRAMS, Slurm

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "..", "..", "samples", "cluster", "slurm-array.sh")
FILES = int(os.environ.get("GF_SLURM_FILES", "60"))
TASKS = 6
DEVICE_MS = 100 if FILES < 200 else 20


def picture(i):
    width, height = 20 + i % 17, 16 + i % 11
    return b"P5\n%d %d\n255\n" % (width, height) + bytes((x * x + 7 * i * x) % 256 for x in range(width * height))


class Array(unittest.TestCase):
    """One cluster for all tests; each test makes its own results."""

    @classmethod
    def setUpClass(cls):
        cls.nodes = Nodes(3, device_ms=DEVICE_MS).__enter__()
        cls.addClassCleanup(cls.nodes.close)
        cls.slurm = Slurm(cls.nodes)
        cls.slurm.start()
        cls.stems = ["p%03d" % i for i in range(FILES)]
        os.mkdir(cls.slurm.path("in"))
        for i, stem in enumerate(cls.stems):
            with open(cls.slurm.path("in/%s.pgm" % stem), "wb") as f:
                f.write(picture(i))
        cls.list = cls.slurm.write("list", "".join(cls.slurm.path("in/%s.pgm\n" % stem) for stem in cls.stems))
        cls.direct = cls.slurm.path("direct")  # what one machine makes of the list, with its processor
        cls.nodes[0].stop()
        cls.nodes[0].start("--worker", os.environ["GF_WORKER"])
        subprocess.run([os.environ["GF_CLIENT"], "gaussian", "--sigma", "2", "--socket", cls.nodes[0].socket, "--files-from",
                        cls.list, "--parents", "-o", cls.direct + "/{stem}.png"], check=True, timeout=WAIT)
        cls.nodes[0].stop()
        cls.nodes[0].start()

    def setUp(self):
        self.out = self.slurm.path(self.id())
        self.begin = time.monotonic()
        self.job = self.slurm.run("sbatch", "--parsable", "--array=1-%d" % TASKS, "-o", self.out + ".log-%a", SAMPLE, self.list,
                                  self.out, str(TASKS)).strip()

    def of_task(self, task):
        return self.stems[task - 1 :: TASKS]

    def done(self, task):
        """The number of results of a task."""
        return sum(os.path.exists("%s/%s.png" % (self.out, stem)) for stem in self.of_task(task))

    def in_the_middle(self):
        """Waits for a task that has made some of its results. Returns the task and its node."""
        def find():
            for task, (state, where) in self.slurm.tasks(self.job).items():
                if state == "RUNNING" and 2 <= self.done(task) <= len(self.of_task(task)) - 4:
                    return task, next(n for n in self.nodes.all if n.name == where)
            return None
        return wait_for("a task in the middle", find)

    def log(self, task):
        with open("%s.log-%d" % (self.out, task), encoding="utf-8") as f:
            return f.read()

    def end(self, task, left):
        """All tasks succeed, this one at its second try, which does not touch existing results."""
        self.slurm.hurry(self.job, task)
        noticed = time.monotonic()
        wait_for("the end of all tasks", lambda: not self.slurm.tasks(self.job), 5 * WAIT)
        end = time.monotonic()
        over, all_tasks = self.slurm.over(self.job), range(1, TASKS + 1)
        logs = "\n".join("task %d: %s" % (k, self.log(k)) for k in all_tasks) + self.slurm.logs()
        self.assertEqual(over, {k: ("COMPLETED", "0:0", int(k == task)) for k in all_tasks}, logs)
        self.assertIn("%d of %d files are skipped: their results exist" % (left, len(self.of_task(task))), self.log(task))
        self.assertEqual(sorted(n for n in os.listdir(self.out) if n[0] != "."), [s + ".png" for s in self.stems])
        for stem in self.stems:
            with open("%s/%s.png" % (self.out, stem), "rb") as a, open("%s/%s.png" % (self.direct, stem), "rb") as b:
                self.assertEqual(a.read(), b.read(), stem)
        print("%s: %d files, %d tasks, one ended after %.1f s with %d of its %d results; put back %.1f s later, all done "
              "%.1f s after that" % (self.id().split(".")[-1], FILES, TASKS, self.ended - self.begin, left, len(self.of_task(task)),
                                     noticed - self.ended, end - noticed), flush=True)

    def test_a_daemon_dies_in_the_middle_of_a_task(self):
        """The command exits with a status for which a retry may help, and the script requeues the task."""
        task, node = self.in_the_middle()
        node.stop(signal.SIGKILL)
        self.ended = time.monotonic()
        wait_for("the script's wish", lambda: "try again" in self.log(task))
        self.assertRegex(self.log(task), "exit status (69|75) on %s: try again" % node.name)
        left = self.done(task)
        node.start()
        self.end(task, left)

    def test_a_node_dies_in_the_middle_of_a_task(self):
        """Slurm detects the dead node and runs the task on another one."""
        task, node = self.in_the_middle()
        node.cut()
        node.signal_all(signal.SIGKILL)
        node.daemon.wait()
        self.ended = time.monotonic()
        self.end(task, self.done(task))


if __name__ == "__main__":
    skip_without(*PROGRAMS)
    unittest.main()
