# SPDX-License-Identifier: MIT
"""Clients that die in every phase, clients that are slow, and clients that never read."""
import os
import select
import signal
import threading
import unittest

from support import *  # noqa: F403

SIZE = 256 * 256
CANCELLED = STATUS["CANCELLED"]


def child(path, act):
    """A process that connects, runs act(), reports that it has done so and waits to be killed."""
    ready, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            end_with_parent()
            conn = Conn(path, fd_passing=True)  # held until the kill
            act(conn)
            os.write(told, b"x")
            signal.pause()
        finally:
            os._exit(1)
    os.close(told)
    got = os.read(ready, 1)
    os.close(ready)
    assert got == b"x"
    return pid


class Deaths(Case):
    def phases(self):
        """The actions after which a client dies; each takes an open connection."""
        run = gaussian(9, 256, 256, pattern(SIZE), sigma=3.0)
        many = b"".join(gaussian(20 + k, 256, 256, pattern(SIZE)) for k in range(6))
        yield "connected", lambda c: None
        yield "half a header", lambda c: c.send(run[:17])
        yield "half a body", lambda c: c.send(run[:77])
        yield "no payload", lambda c: c.send(run[:len(run) - SIZE])
        yield "half a payload", lambda c: c.send(run[:-SIZE // 2])
        yield "descriptor", lambda c: c.send(arena_frame(5, 1, 4096), [self.fd])
        yield "half a frame with its descriptor", lambda c: c.send(arena_frame(5, 1, 4096)[:9], [self.fd])
        yield "descriptor that nobody took", lambda c: c.send(run[:-10] + b"", [self.fd])
        yield "queued", lambda c: c.send(many)
        yield "running", lambda c: c.send(run)
        yield "reply queued", lambda c: (c.send(run), select.select([c.sock], [], []))
        yield "reply half read", lambda c: (c.send(run), c.sock.recv(1000))
        yield "arena in use", lambda c: (
            c.send(arena_frame(5, 1, 2 * SIZE), [self.big]),
            c.send(frame(RUN, 6, gaussian_body(256, 256, src=(2, 1, 0, SIZE), dst=(2, 1, SIZE, SIZE)))
                   + drop_frame(7, 1)))

    def setUp(self):
        self.fd, self.big = memfd(4096), memfd(2 * SIZE)

    def tearDown(self):
        os.close(self.fd)
        os.close(self.big)
        super().tearDown()

    def test_closed_at_each_phase(self):
        before = None
        for round_ in range(60):
            for _, act in self.phases():
                c = self.daemon.conn(fd_passing=True)
                act(c)
                c.close()
            self.bystander()
            if round_ == 19:
                self.check_baseline()
                before = rss_kb(self.daemon.pid)
        self.check_baseline()
        self.assertLess(rss_kb(self.daemon.pid) - before, 16 << 10)

    def test_half_closed_at_each_phase(self):
        for _ in range(10):
            for name, act in self.phases():
                with self.subTest(name), self.daemon.conn(fd_passing=True) as c:
                    act(c)
                    c.half_close()
                    if name != "reply half read":
                        found = c.rest()
                        self.assertFalse([f for f in found if f.kind == ERROR and f.status not in (BAD_FRAME,)], found)
                        if name == "queued":
                            self.assertEqual(sorted(f.id for f in found if f.kind == RESULT), list(range(20, 26)))

    def test_killed_at_each_phase(self):
        for _ in range(6):
            pids = [child(self.daemon.socket, act) for _, act in self.phases()]
            self.bystander()
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            for pid in pids:
                os.waitpid(pid, 0)


class Slow(Case):
    ARGS = ("--user-connections", "400", "--frame-timeout", "20", "--in-flight", "64")

    def test_bytewise(self):
        data = hello() + frame(INFO, 3, attr(27, U32, 1)) + cross(5)
        with self.daemon.conn(greet=False, buffer=4096) as c:
            for k, byte in enumerate(data):
                c.send(bytes([byte]))
                if k % 100 == 0:
                    self.bystander()
            c.half_close()
            got = bytearray()
            while True:
                more = c.sock.recv(1)
                if not more:
                    break
                got += more
        self.assertTrue(bytes(got).endswith(CROSS) or CROSS in bytes(got))

    def test_idle(self):
        idle = [self.daemon.conn() for _ in range(200)]
        for k in range(50):
            self.bystander()
        for c in idle:
            self.assertTrue(c.ping())
        for c in idle:
            c.close()

    def test_idle_after_work(self):
        """Connections stop after the longest allowed body: the memory of the body is freed."""
        before = rss_kb(self.daemon.pid)
        idle = [self.daemon.conn() for _ in range(200)]
        for c in idle:
            self.assertEqual(c.ask(frame(RUN, 7, bytes(65536))).kind, ERROR)
        for c in idle:
            self.assertTrue(c.ping())
        if "libasan" not in read_proc(self.daemon.pid, "maps"):  # AddressSanitizer keeps freed memory
            self.assertLess(rss_kb(self.daemon.pid) - before, 200 * 40)
        for c in idle:
            c.close()

    def test_never_reads(self):
        """A client does not read the answers of 64 large requests: others are served and the memory is bounded."""
        payload = pattern(1 << 20)
        data = b"".join(gaussian(k + 1, 1024, 1024, payload, sigma=0.0) for k in range(64))
        before = rss_kb(self.daemon.pid)
        c = self.daemon.conn()
        c.sock.setblocking(False)
        sent = 0
        while True:  # as long as the server takes anything within the time of some requests of others
            try:
                sent += c.sock.send(data[sent:sent + (1 << 20)])
                stuck = 0
            except BlockingIOError:
                self.bystander()
                stuck += 1
            if sent == len(data) or stuck == 200:
                break
        for _ in range(20):
            self.bystander()
        if "libtsan" not in read_proc(self.daemon.pid, "maps"):  # ThreadSanitizer shadows touched memory
            self.assertLess(rss_kb(self.daemon.pid) - before, 192 << 10)
        c.sock.setblocking(True)
        c.sock.settimeout(WAIT)
        if sent < len(data):
            thread = threading.Thread(target=c.send, args=(data[sent:],))
            thread.start()
        found = [c.recv() for _ in range(64)]
        if sent < len(data):
            thread.join()
        self.assertEqual(sorted(f.id for f in found), list(range(1, 65)))
        self.assertEqual({f.payload for f in found}, {payload})
        c.close()
        self.until(lambda: sum("staging" in name for name in fd_names(self.daemon.pid)) <= 1, "staging is kept")

    def test_many_pings_unread(self):
        """The server stops reading from a client that leaves small answers unread, so no queue grows."""
        c = self.daemon.conn()
        c.sock.setblocking(False)
        before = rss_kb(self.daemon.pid)
        total, stuck = 0, 0
        while stuck < 50 and total < 64 << 20:
            try:
                total += c.sock.send(frame(PING, 1) * 512)
                stuck = 0
            except BlockingIOError:
                self.bystander()
                stuck += 1
        self.assertEqual(stuck, 50, "the server reads without end")
        self.assertLess(rss_kb(self.daemon.pid) - before, 16 << 10)
        c.close()


class Cancels(Case):
    def test_each_id_has_one_answer(self):
        """CANCELs come before, with, right after and long after requests, twice, and for ids never used."""
        payload = pattern(SIZE)
        with self.daemon.conn() as c:
            want = c.ask(gaussian(2, 256, 256, payload)).payload
            for round_ in range(24):
                ids = range(100 * round_ + 10, 100 * round_ + 22)
                data = frame(CANCEL, ids[0])
                for k, number in enumerate(ids):
                    data += gaussian(number, 256, 256, payload)
                    if (k + round_) % 3 == 0:
                        data += frame(CANCEL, number) * 2
                    if (k * 5 + round_) % 7 == 0:
                        data += frame(CANCEL, ids[k // 2]) + frame(CANCEL, 2**63 + k)
                thread = threading.Thread(target=c.send, args=(data + frame(CANCEL, ids[-1]),))
                thread.start()
                found = [c.recv() for _ in ids]
                thread.join()
                self.assertEqual(sorted(f.id for f in found), list(ids))
                for f in found:
                    if f.kind == RESULT:
                        self.assertEqual(f.payload, want)
                    else:
                        self.assertEqual((f.kind, f.status), (ERROR, CANCELLED), f)
                self.assertTrue(c.send(frame(CANCEL, ids[0]) * 3))
                self.assertTrue(c.ping(), "something else came")


class Timeouts(Case):
    ARGS = ("--frame-timeout", "2", "--reply-timeout", "2")

    def test_slow_frames(self):
        late = [(data, self.daemon.conn())
                for data in (b"G", cross(5)[:20], cross(5)[:100], cross(5)[:-1], cross(5)[:-99])]
        for data, c in late:
            c.send(data)
        for data, c in late:
            with self.subTest(len(data)), c:
                self.expect_broken(c, SLOW)

    def test_reads_nothing(self):
        with self.daemon.conn(buffer=4096) as c:
            for k in range(4):
                c.send(gaussian(k + 1, 1024, 1024, pattern(1 << 20), sigma=0.0))
            self.until(lambda: fds_of(self.daemon.pid) == self.fds, "a client that reads nothing is kept")
            self.assertLess(len(c.rest()), 4)

    def test_rest_between_frames(self):
        with self.daemon.conn() as c, self.daemon.conn() as d:
            d.send(b"GFPW")
            self.expect_broken(d, SLOW)  # proof that the timeout has passed
            self.assertTrue(c.ping())


class Stopped(Case):
    """The daemon itself stands still for longer than its timeouts: no client or worker may be punished for that."""

    ARGS = ("--frame-timeout", "4", "--reply-timeout", "4", "--worker-timeout", "4")
    STILL_S = 5.0

    def test_stopped_and_continued(self):
        half, unread = self.daemon.conn(), self.daemon.conn(buffer=4096)
        half.send(cross(5)[:40])
        for k in range(4):
            unread.send(gaussian(k + 1, 1024, 1024, pattern(1 << 20), sigma=0.0))
        self.bystander()
        stop_process(self.daemon.pid)
        half.sock.settimeout(self.STILL_S)
        with self.assertRaises(TimeoutError):  # the timeout passes without a message
            half.sock.recv(1)
        os.kill(self.daemon.pid, signal.SIGCONT)
        half.sock.settimeout(WAIT)
        half.send(cross(5)[40:])
        got = half.recv()
        self.assertEqual((got.kind, got.payload), (RESULT, CROSS), got)
        self.assertEqual(sorted(unread.recv().id for _ in range(4)), [1, 2, 3, 4])
        half.close()
        unread.close()


if __name__ == "__main__":
    unittest.main()
