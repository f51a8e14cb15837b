# SPDX-License-Identifier: MIT
"""One user wants the front for himself: floods of small frames, requests that wait, payloads that never come, CANCELs
without end, answers that are hardly read. What is asserted is work: frames, requests looked at, bytes, messages."""
import contextlib
import os
import signal
import time
import unittest

from support import *  # noqa: F403

CANCELS = 200000


def stats(conn):
    conn.next += 1
    return figures(conn.ask(frame(INFO, conn.next, attr(27, U32, 3))))


class Cancels(Case):
    ARGS = ("--worker-timeout", "300")

    def test_repeats(self):
        """The worker learns of it once, and nothing is queued for it, however often the client says it."""
        worker = self.daemon.worker()
        before, rss = stats(self.healthy), rss_kb(self.daemon.pid)
        with self.daemon.conn() as c:
            os.kill(worker, signal.SIGSTOP)
            try:
                c.send(cross(7) + frame(CANCEL, 7) * CANCELS)
                self.assertTrue(c.ping())  # all of them were read
                after = stats(self.healthy)
                if "libasan" not in read_proc(self.daemon.pid, "maps"):
                    self.assertLess(rss_kb(self.daemon.pid) - rss, 2 << 10)
            finally:
                os.kill(worker, signal.SIGCONT)
            self.assertEqual(c.recv().id, 7)
        name = "gpufilter_device_cancels_total", 'device="cpu"'
        self.assertEqual(after[name] - before.get(name, 0), 1)
        self.assertLess(after["gpufilter_device_unsent_bytes", 'device="cpu"'], 64 << 10)


class Readers(Case):
    ARGS = ("--reply-timeout", "6", "--user-connections", "64")

    def test_reads_hardly(self):
        """Never silent for as long as it may be, but far slower than a payload has to come."""
        with self.daemon.conn(buffer=4096) as c:
            for k in range(8):
                c.send(gaussian(k + 1, 512, 512, pattern(512 * 512), sigma=0.0))
            c.sock.setblocking(False)
            begin, done = time.monotonic(), 0

            def gone():
                nonlocal done
                if done < (time.monotonic() - begin) * (100 << 10):  # of 256 KiB a second
                    with contextlib.suppress(BlockingIOError):
                        done += len(c.sock.recv(4096))
                return fds_of(self.daemon.pid) == self.fds

            self.until(gone, "a client that hardly reads is kept")

    def test_reads_in_time(self):
        """All at once counts, and rests between answers do not."""
        with self.daemon.conn(buffer=4096) as c:
            for k in range(8):
                c.send(gaussian(k + 1, 512, 512, pattern(512 * 512), sigma=0.0))
            self.bystander()
            self.assertEqual(sorted(c.recv().id for _ in range(8)), list(range(1, 9)))
            self.assertTrue(c.ping())


if __name__ == "__main__":
    unittest.main()
