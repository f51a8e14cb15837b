#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worker of an idle GPU releases the device's memory (idle-release) and comes back for the next request. A worker
with a resident buffer does not release it. Exits with 77 without a GPU. GF_DAEMON and GF_WORKER name the programs.

usage: test_idle_gpu.py [unittest's options]"""
import os
import select
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from faults import DeviceMemory  # noqa: E402
from support import *  # noqa: E402,F403
from walk_device import READY_NOW, blur, copy, copy_handle, picture, worker_of  # noqa: E402

DEVICE, INDEX = "cuda:0", 0
STARTING, READY, ABSENT, IDLE = 1, 2, 5, 6
RELEASE_S = 1
SIDE = 512


class Place:
    """A daemon that releases the memory of an idle GPU, and a connection that asks for its state."""

    def __init__(self):
        self.daemon = Daemon("--devices", "cpu," + DEVICE, "--idle-release", str(RELEASE_S))
        self.conn = self.daemon.conn()

    def close(self):
        self.conn.close()
        self.daemon.stop()

    def figure(self, name):
        found = figures(self.conn.ask(frame(INFO, 5, attr(27, U32, 3))))
        return found["gpufilter_device_" + name, 'device="%s"' % DEVICE]

    def health(self):
        return self.conn.ask(frame(INFO, 6, attr(27, U32, 2))).get(28)

    def until(self, condition, what):
        """Asks for the state until the condition holds."""
        end = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < end, "%s\n%s" % (what, self.daemon.log())

    def started(self):
        self.until(lambda: self.figure("state") != STARTING, "the device goes on starting")
        return self.figure("state") != ABSENT


class Idle(unittest.TestCase):
    def setUp(self):
        self.memory = DeviceMemory()
        self.before = self.memory.used(INDEX)
        self.place = Place()
        self.addCleanup(self.place.close)
        self.pixels = pattern(SIDE * SIDE)
        self.right = self.place.conn.ask(blur(2, "cpu", SIDE, self.pixels)).payload
        self.assertTrue(self.place.started())

    def use(self):
        """Has the device serve a request. Returns the pid of its worker."""
        got = self.place.conn.ask(blur(3, DEVICE, SIDE, self.pixels))
        self.assertEqual((got.kind, got.get(11)), (RESULT, DEVICE.encode()), got)
        self.assertEqual(got.payload, self.right)
        return worker_of(self.place.daemon, DEVICE)

    def is_idle(self):
        self.assertEqual(self.place.health(), READY_NOW)
        return self.place.figure("state") == IDLE

    def rests(self, worker):
        """Waits until the device is idle and its process has ended. Its health must stay good meanwhile."""
        process = os.pidfd_open(worker)
        try:
            self.place.until(self.is_idle, "the device does not become idle")
            self.assertTrue(select.select([process], [], [], WAIT)[0], "the process of an idle device lives on")
        finally:
            os.close(process)
        self.assertIsNone(worker_of(self.place.daemon, DEVICE))
        self.assertTrue(self.is_idle())

    def test_its_memory_goes_back_until_somebody_asks(self):
        first = self.use()
        used = self.memory.used(INDEX)
        self.rests(first)
        if used is not None:
            self.place.until(lambda: self.memory.used(INDEX) - self.before < (used - self.before) / 10,
                             "%d bytes in use before, %d at work, and still much of it" % (self.before, used))
            print("MiB in use before, at work, idle: %d, %d, %d" % tuple(
                n >> 20 for n in (self.before, used, self.memory.used(INDEX))))
        begin = time.monotonic()
        second = self.use()
        print("first answer of an idle device: %.0f ms" % (1000 * (time.monotonic() - begin)))
        self.assertNotEqual(first, second)
        self.rests(second)
        self.assertEqual(self.place.figure("deaths_total"), 0)

    def test_a_buffer_keeps_it(self):
        shape, data = picture(64, 64), pattern(4096)
        made = self.place.conn.ask(copy(7, DEVICE, 64, 64, data, result(3, 1)))
        self.assertEqual(made.kind, RESULT, made)
        worker = worker_of(self.place.daemon, DEVICE)

        def long_unused():
            self.assertEqual((self.place.figure("state"), self.place.health()), (READY, READY_NOW))
            return self.place.figure("ran_seconds") > 3 * RELEASE_S

        self.place.until(long_unused, "somebody uses the device")
        self.assertEqual(worker_of(self.place.daemon, DEVICE), worker)
        self.assertEqual(self.place.conn.ask(copy_handle(8, DEVICE, 1, shape)).payload, data)
        self.assertEqual(self.place.conn.ask(frame(FREE, 9, attr(26, U32, 1))).kind, DONE)
        self.rests(worker)


def has_gpu():
    place = Place()
    try:
        return place.started()
    finally:
        place.close()


if __name__ == "__main__":
    if not has_gpu():
        print("skipped: there is no %s" % DEVICE)
        sys.exit(77)
    unittest.main()
