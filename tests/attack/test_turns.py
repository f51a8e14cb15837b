# SPDX-License-Identifier: MIT
"""One user tries to monopolize the front: floods of small frames, requests that wait, payloads that never come, endless
CANCELs, answers that are hardly read. The assertions count work: frames, decoded requests, bytes, messages."""
import contextlib
import mmap
import os
import re
import select
import shutil
import signal
import statistics
import subprocess
import time
import unittest

from support import *  # noqa: F403

CANCELS = 200000
CONNECTIONS = 250
REQUESTS = 40
ATTACKER = 65001


def stats(conn):
    conn.next += 1
    return figures(conn.ask(frame(INFO, conn.next, attr(27, U32, 3))))


class Flood:
    """Another user that keeps sending the same bytes on many connections and counts the bytes that come back."""

    def __init__(self, path, data, warm):
        self.seen = mmap.mmap(-1, 8)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                end_with_parent()
                os.setgroups([])
                os.setresgid(ATTACKER, ATTACKER, ATTACKER)
                os.setresuid(ATTACKER, ATTACKER, ATTACKER)
                self.run([Conn(path).sock for _ in range(CONNECTIONS)], data)
            finally:
                os._exit(1)
        end = time.monotonic() + WAIT
        while self.bytes() < warm:
            assert time.monotonic() < end and os.waitpid(self.pid, os.WNOHANG)[0] == 0, "no flood"
            select.select([], [], [], 0.01)

    def bytes(self):
        return int.from_bytes(self.seen[:8], "little")

    def run(self, socks, data):
        poll, total = select.epoll(), 0
        by = {s.fileno(): s for s in socks}
        for s in socks:
            s.setblocking(False)
            poll.register(s, select.EPOLLIN | select.EPOLLOUT)
        while True:
            for fd, _ in poll.poll():
                with contextlib.suppress(BlockingIOError):
                    total += len(by[fd].recv(1 << 18))
                    self.seen[:8] = total.to_bytes(8, "little")
                with contextlib.suppress(BlockingIOError):
                    by[fd].send(data)

    def stop(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


@unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
class Floods(Case):
    """Counts the flood's frames that the front serves between a request of another user and its answer. When the front
    took turns by connection, it served hundreds of thousands of PINGs and tens of thousands of INFOs."""

    ARGS = ("--socket-mode", "666")
    OPTIONS = {"mode": 0o755}

    def check(self, data, answer, most):
        """Checks how many answers, of `answer` bytes each, the flood gets between a request and its answer. The median
        counts, because on a busy machine the front goes on while this process or the worker waits for a processor."""
        flood = Flood(self.daemon.socket, data, 1 << 20)
        try:
            told, seen = stats(self.healthy), [flood.bytes()]
            for _ in range(REQUESTS):
                self.bystander()
                seen.append(flood.bytes())
            after = stats(self.healthy)
            self.assertLess(statistics.median(b - a for a, b in zip(seen, seen[1:])) / answer, most)
            if "libasan" not in read_proc(self.daemon.pid, "maps"):
                self.assertLess(rss_kb(self.daemon.pid), 64 << 10)
        finally:
            flood.stop()
        for name in ("gpufilter_user_front_seconds_total", "gpufilter_user_frames_total"):
            label = 'uid="%d"' % ATTACKER
            self.assertGreater(after[name, label], told[name, label])

    def test_ping(self):
        self.check(frame(PING, 1) * 256, HEADER.size, 20000)

    def test_info(self):
        told = self.healthy.ask(frame(INFO, 9, attr(27, U32, 3)))
        size = HEADER.size + sum(ATTR.size + len(value) + -len(value) % 8 for _, _, value in told.attrs)
        self.check(frame(INFO, 3, attr(27, U32, 3)) * 64, size, 1000)


@unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
class Waiting(Case):
    """A request that waits for room is decoded once."""

    ARGS = ("--socket-mode", "666", "--user-requests", "4", "--frame-timeout", str(WAIT))
    OPTIONS = {"mode": 0o755}
    DECODED = "gpufilter_requests_decoded_total", ""

    def theirs(self):
        os.seteuid(ATTACKER)  # the server sees the effective uid of the connecting process
        try:
            return self.daemon.conn()
        finally:
            os.seteuid(0)

    def decoded(self):
        return stats(self.healthy)[self.DECODED]

    def test_many_wait(self):
        conns = [self.theirs() for _ in range(244)]
        run = cross(7)
        for c in conns:
            c.send(run[:-100])  # whole but for the payload: four are accepted, and never end
        self.until(lambda: stats(self.healthy)["gpufilter_connections_waiting", ""] == 240, "they do not wait")
        before = self.decoded()
        for _ in range(REQUESTS):
            self.bystander()
        self.assertEqual(self.decoded() - before, REQUESTS)
        for k in range(4):  # each that ends admits one
            before, payload = self.decoded(), run[-100:]
            conns[k].send(payload)
            self.assertEqual(conns[k].recv().payload, CROSS)
            self.assertEqual(self.decoded(), before)
        for k in range(4, 244):
            conns[k].send(payload)
            self.assertEqual(conns[k].recv().payload, CROSS)
        self.assertEqual(stats(self.healthy)["gpufilter_connections_waiting", ""], 0)
        for c in conns:
            c.close()
        self.until(lambda: fds_of(self.daemon.pid) == self.fds, "connections are kept")

    def test_who_waits_goes_away(self):
        """Connections close while they wait; the remaining ones are admitted."""
        conns = [self.theirs() for _ in range(200)]
        for c in conns:
            c.send(cross(7)[:-100])
        for k in range(0, 196):
            conns[k].close()
        for c in conns[196:]:
            c.send(cross(7)[-100:])
        for c in conns[196:]:
            self.assertEqual(c.recv().payload, CROSS)
            c.close()
        self.until(lambda: fds_of(self.daemon.pid) == self.fds, "connections are kept")


@unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
class Announced(Case):
    """Large payloads are announced and never come; their memory is allocated and cleared outside the front's loop."""

    ARGS = ("--socket-mode", "666", "--max-inline", "256M", "--staging-max", "1G")
    OPTIONS = {"mode": 0o755}
    ROUNDS = 24
    SIDE = 8192

    def test_hang_up(self):
        body = gaussian_body(self.SIDE, self.SIDE)
        head = header(RUN, 7, len(body), self.SIDE * self.SIDE) + body
        with self.daemon.conn() as c:  # so that it has other users' bytes in it
            c.send(gaussian(7, self.SIDE, self.SIDE, bytes(self.SIDE * self.SIDE), sigma=0.0))
            self.assertEqual(c.recv().kind, RESULT)
        for k in range(self.ROUNDS):
            os.seteuid(ATTACKER + k % 2)
            try:
                c = self.daemon.conn()
            finally:
                os.seteuid(0)
            c.send(head)
            if k % 3:
                self.bystander()
            c.close()
        self.until(lambda: fds_of(self.daemon.pid) == self.fds, "connections are kept")
        self.until(lambda: stats(self.healthy)["gpufilter_staging_used_bytes", ""] == 0, "staging is kept")
        told = stats(self.healthy)
        spent = sum(told["gpufilter_user_front_seconds_total", 'uid="%d"' % (ATTACKER + k)] for k in range(2))
        # Clearing 128 MiB alone takes some 50 ms.
        self.assertLess(spent / self.ROUNDS, 0.01)


class DearTexts(unittest.TestCase):
    """A program is admitted within a slice of the front's thread, 250 us, whatever its texts are. Two busy cores executed
    12 or 13 of these instructions a nanosecond, so MOST are some 220 us."""

    MOST = 2700000
    PROGRAM = os.environ.get("GF_DEAR_TEXTS", "")

    @unittest.skipIf(os.environ.get("GF_SANITIZED"), "sanitizers add instructions")
    @unittest.skipUnless(shutil.which("valgrind"), "needs valgrind")
    def test_instructions(self):
        names = subprocess.run([self.PROGRAM], check=True, capture_output=True, text=True).stdout.split()
        self.assertGreater(len(names), 10)
        for name in names:
            done = subprocess.run(
                ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=turn", self.PROGRAM,
                 name], check=False, capture_output=True, text=True, env={**os.environ, "LD_BIND_NOW": "1"})
            self.assertEqual(done.returncode, 0, done.stderr)
            count = int(re.search(r"Collected : (\d+)", done.stderr).group(1))
            print("%-24s %8d instructions" % (name, count))
            self.assertIn(count, range(100000, self.MOST), name)


class Cancels(Case):
    ARGS = ("--worker-timeout", "300")

    def test_repeats(self):
        """The worker is told of a CANCEL once, however often the client sends it, and nothing is queued."""
        worker = self.daemon.worker()
        before, rss = stats(self.healthy), rss_kb(self.daemon.pid)
        with self.daemon.conn() as c:
            stop_process(worker)
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
        """The client is never silent for as long as the timeout, but reads far slower than the minimum rate."""
        with self.daemon.conn(buffer=4096) as c:
            for k in range(8):
                c.send(gaussian(k + 1, 512, 512, pattern(512 * 512), sigma=0.0))
            c.sock.setblocking(False)
            begin, done = time.monotonic(), 0

            def gone():
                nonlocal done
                if done < (time.monotonic() - begin) * (100 << 10):  # the minimum rate is 256 KiB a second
                    with contextlib.suppress(BlockingIOError):
                        done += len(c.sock.recv(4096))
                return fds_of(self.daemon.pid) == self.fds

            self.until(gone, "a client that hardly reads is kept")

    def test_reads_in_time(self):
        """Only the time while answers are unread counts; rests between answers do not."""
        with self.daemon.conn(buffer=4096) as c:
            for k in range(8):
                c.send(gaussian(k + 1, 512, 512, pattern(512 * 512), sigma=0.0))
            self.bystander()
            self.assertEqual(sorted(c.recv().id for _ in range(8)), list(range(1, 9)))
            self.assertTrue(c.ping())


if __name__ == "__main__":
    unittest.main()
