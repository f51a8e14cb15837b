# SPDX-License-Identifier: MIT
"""Workers that are killed or stopped while they work: each request gets exactly one answer, the right one."""
import contextlib
import os
import random
import signal
import threading
import unittest

from support import *  # noqa: F403

WIDTH, HEIGHT = 320, 240
ALLOWED = {STATUS["REQUEST_POISON"], STATUS["DEVICE_LOST"]}


class Workers(Case):
    ARGS = ("--worker-timeout", "3", "--worker-deaths", "16")

    def check_baseline(self):
        self.until(lambda: self.daemon.worker() is not None, "no worker comes back")
        self.bystander()
        type(self).worker = self.daemon.worker()
        super().check_baseline()

    def run_through(self, strike, rounds):
        """Sends requests over several connections while strike() runs; returns the outcomes."""
        payload = pattern(WIDTH * HEIGHT)
        with self.daemon.conn() as c:
            right = c.ask(gaussian(1, WIDTH, HEIGHT, payload, sigma=3.0)).payload
        outcomes, wrong = [], []

        def client():
            with self.daemon.conn() as c:
                for _ in range(rounds):
                    c.send(b"".join(gaussian(k + 1, WIDTH, HEIGHT, payload, sigma=3.0) for k in range(4)))
                    found = [c.recv() for _ in range(4)]
                    if None in found or sorted(f.id for f in found) != [1, 2, 3, 4]:
                        wrong.append(found)
                        return
                    for f in found:
                        outcomes.append(f.status)
                        if f.kind == RESULT and f.payload != right:
                            wrong.append("other bits")
                        if f.kind == ERROR and f.status not in ALLOWED:
                            wrong.append(f)
                if not c.ping():
                    wrong.append("no pong: an answer too many, or a connection lost")

        threads = [threading.Thread(target=client) for _ in range(3)]
        for t in threads:
            t.start()
        strike(lambda: len(outcomes), threads)
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])
        self.assertEqual(len(outcomes), 3 * 4 * rounds)
        return outcomes

    def strike_with(self, number, times, seed):
        dice = random.Random(seed)

        def strike(done, threads):
            for _ in range(times):
                at = done() + dice.randrange(1, 12)
                while done() < at and any(t.is_alive() for t in threads):
                    threads[0].join(0.001)
                pid = self.daemon.worker()
                if pid and any(t.is_alive() for t in threads):
                    with contextlib.suppress(ProcessLookupError):  # the front has killed it, for it was slow
                        os.kill(pid, number)
        return strike


class Killed(Workers):
    def test_killed(self):
        outcomes = self.run_through(self.strike_with(signal.SIGKILL, 3, 1), 12)
        self.assertGreater(outcomes.count(0), len(outcomes) // 2)


class Stopped(Workers):
    def test_stopped(self):
        """A worker that stays silent is killed, and the next worker does its work."""
        self.run_through(self.strike_with(signal.SIGSTOP, 1, 2), 4)


class Gone(Workers):
    def test_client_gone_with_its_worker(self):
        for _ in range(2):
            c = self.daemon.conn()
            c.send(b"".join(gaussian(k + 1, WIDTH, HEIGHT, pattern(WIDTH * HEIGHT), sigma=30.0) for k in range(8)))
            pid = self.daemon.worker()
            if pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            c.close()
            self.until(lambda: self.daemon.worker() not in (None, pid), "no worker comes back")


if __name__ == "__main__":
    unittest.main()
