# SPDX-License-Identifier: MIT
"""Arenas that are invalid, that change while they are used, or that disappear while they are used."""
import mmap
import os
import socket
import tempfile
import threading
import unittest

from support import *  # noqa: F403

MFD_HUGETLB = 4
PAGE = 4096


class Arenas(Case):
    ARGS = ("--in-flight", "64", "--arenas", "16")

    def arena(self, conn, number, fd, size, request=50):
        got = conn.ask(arena_frame(request, number, size), [fd])
        self.assertEqual((got.kind, got.id), (DONE, request), got)

    def keep(self, fd):
        self.addCleanup(os.close, fd)
        return fd

    def bad_descriptors(self):
        yield "unsealed", memfd(PAGE, 0)
        for seals in (SHRINK, GROW, SEAL, SHRINK | GROW, SHRINK | SEAL, GROW | SEAL):
            yield "seals %d" % seals, memfd(PAGE, seals)
        for extra in (WRITE, FUTURE_WRITE, WRITE | FUTURE_WRITE):
            yield "write-sealed %d" % extra, memfd(PAGE, SEALS | extra)
        yield "without sealing", memfd(PAGE, 0, 0)
        yield "short", memfd(PAGE - 1)
        yield "empty", memfd(0)
        yield "sparse", memfd(PAGE, allocate=False)
        half = memfd(2 * PAGE, 0, allocate=False)
        os.posix_fallocate(half, PAGE, PAGE)
        fcntl.fcntl(half, 1033, SEALS)
        yield "sparse where it counts", half
        try:
            yield "huge pages", memfd(2 << 20, 0, os.MFD_ALLOW_SEALING | MFD_HUGETLB, allocate=False)
        except OSError:
            pass
        good = memfd(PAGE)
        for name, flags in (("read-only", os.O_RDONLY), ("write-only", os.O_WRONLY), ("path", os.O_PATH),
                            ("append", os.O_RDWR | os.O_APPEND)):
            yield name, os.open("/proc/self/fd/%d" % good, flags | os.O_CLOEXEC)
        yield "directory", os.open("/tmp", os.O_RDONLY)
        yield "null", os.open("/dev/null", os.O_RDWR)
        yield "zero", os.open("/dev/zero", os.O_RDWR)
        for folder in (tempfile.gettempdir(), "/dev/shm"):
            if os.path.isdir(folder):
                fd, path = tempfile.mkstemp(dir=folder)
                os.posix_fallocate(fd, 0, PAGE)
                os.unlink(path)
                yield "file in " + folder, fd
        ends = os.pipe()
        yield "pipe", ends[0]
        os.close(ends[1])
        yield "eventfd", os.eventfd(0)
        pair = socket.socketpair()
        yield "socket", pair[0].detach()
        pair[1].close()
        os.close(good)

    def test_bad_kinds(self):
        with self.daemon.conn(fd_passing=True) as c:
            for number, (name, fd) in enumerate(self.bad_descriptors()):
                with self.subTest(name):
                    c.send(arena_frame(5, number, PAGE), [fd])
                    os.close(fd)
                    got = self.expect_refused(c, 5, BAD_ARENA)
                    self.assertGreater(len(got.text), 20)
                    c.send(gaussian_frame(6, 8, 8, (2, number, 0, 64), (1, 0, 0, 0)))
                    self.expect_refused(c, 6, NO_SUCH_ARENA)

    def test_sizes(self):
        good = self.keep(memfd(4 * PAGE))
        with self.daemon.conn(fd_passing=True) as c:
            for size in (0, 4 * PAGE + 1, 1 << 40, (1 << 48) + 1, 1 << 63, (1 << 64) - 1):
                with self.subTest(size=size):
                    c.send(arena_frame(5, 1, size), [good])
                    self.expect_refused(c, 5, BAD_ARENA, BAD_REQUEST, QUOTA)
            for number in (0, 1, (1 << 32) - 1):
                self.arena(c, number, good, PAGE)
                c.send(arena_frame(5, number, PAGE), [good])
                self.expect_refused(c, 5, EXISTS)

    def test_offsets(self):
        good = self.keep(memfd(2 * PAGE))
        top = (1 << 64) - 1
        with self.daemon.conn(fd_passing=True) as c:
            self.arena(c, 1, good, PAGE)
            bad = [((2, 1, o, n), (1, 0, 0, 0)) for o, n in
                   ((PAGE, 64), (PAGE - 63, 64), (0, PAGE + 1), (top, 64), (top - 63, 64), (0, top), (1 << 63, 1 << 63),
                    (64, top - 63))]
            bad += [((1, 0, 0, 64), (2, 1, o, n)) for o, n in
                    ((PAGE, 64), (PAGE - 63, 64), (0, PAGE + 1), (top, 64), (0, top), (1 << 63, 1 << 63))]
            for src, dst in bad:
                with self.subTest(src=src, dst=dst):
                    payload = bytes(64) if src[0] == 1 else b""
                    c.send(frame(RUN, 5, gaussian_body(8, 8, src=src, dst=dst), payload))
                    self.expect_refused(c, 5, BAD_VIEW, BAD_REQUEST)
            for at in range(0, 128):
                c.send(gaussian_frame(5, 8, 8, (2, 1, 64, 64), (2, 1, at, 64)))
                got = c.recv()
                if 0 < at < 128:
                    self.assertEqual(got.status, OVERLAP, at)
                else:
                    self.assertEqual(got.kind, RESULT, got)

    def test_right_bits(self):
        size = 300 * 200
        pixels = pattern(size)
        fd = self.keep(memfd(1 << 20))
        with mmap.mmap(fd, 1 << 20) as m, self.daemon.conn(fd_passing=True) as c:
            m[:size] = pixels
            self.arena(c, 7, fd, 1 << 20)
            inline = c.ask(gaussian(5, 300, 200, pixels))
            got = c.ask(gaussian_frame(6, 300, 200, (2, 7, 0, size), (2, 7, 1 << 19, size)))
            self.assertEqual(got.kind, RESULT, got)
            self.assertEqual(m[1 << 19:(1 << 19) + size], inline.payload)
            self.assertEqual(m[:size], pixels)
            self.assertEqual(m[size:1 << 19], bytes((1 << 19) - size))
            self.assertEqual(m[(1 << 19) + size:], bytes((1 << 19) - size))

    def test_changed_while_used(self):
        """Mask and pixels change during requests: any result is allowed. A second connection shares the file."""
        width = height = 256
        size = width * height
        room = 1 << 20
        fd = self.keep(memfd(room))
        stop = threading.Event()
        with mmap.mmap(fd, room) as m, self.daemon.conn(fd_passing=True) as c, self.daemon.conn(fd_passing=True) as d:
            good = struct.pack("<121f", *([1 / 121] * 121))
            wild = [good, struct.pack("<121f", *([float("nan")] * 121)), struct.pack("<121f", *([float("inf")] * 121)),
                    bytes(484), b"\xff" * 484, pattern(484)]

            def hammer():
                k = 0
                while not stop.is_set():
                    m[size:size + 484] = wild[k % len(wild)]
                    m[(k * 4096) % size:(k * 4096) % size + 4096] = pattern(4096, k)
                    k += 1

            for conn in (c, d):
                self.arena(conn, 1, fd, room)
            body = (attr(11, STRING, "cpu") + operand(2, 1, 0, size, view(1, 1, width, height))
                    + operand(2, 1, size, 484, view(9, 4, 11, 11)) + step(CORRELATE, 2) + attr(0x1005, ENUM, 1)
                    + result(2, 1, 1 << 19, size))
            thread = threading.Thread(target=hammer)
            thread.start()
            try:
                for _ in range(12):
                    for conn in (c, d):
                        conn.send(b"".join(frame(RUN, k + 1, body) for k in range(4)))
                    for conn in (c, d):
                        for _ in range(4):
                            got = conn.recv()
                            self.assertTrue(got.kind == RESULT or 0 < got.status < 64, got)
            finally:
                stop.set()
                thread.join()

    def test_holes_while_used(self):
        """Pages punched out in spite of the seals read as zeros."""
        size = 512 * 512
        fd = self.keep(memfd(2 * size))
        libc = ctypes.CDLL(None, use_errno=True)
        stop = threading.Event()

        def punch():
            while not stop.is_set():
                libc.fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(2 * size))

        with self.daemon.conn(fd_passing=True) as c:
            self.arena(c, 1, fd, 2 * size)
            thread = threading.Thread(target=punch)
            thread.start()
            try:
                for _ in range(20):
                    got = c.ask(gaussian_frame(5, 512, 512, (2, 1, 0, size), (2, 1, size, size)))
                    self.assertTrue(got.kind == RESULT or 0 < got.status < 64, got)
            finally:
                stop.set()
                thread.join()

    def test_dropped_while_used(self):
        size = 1 << 20
        fd = self.keep(memfd(2 * size))
        with self.daemon.conn(fd_passing=True) as c:
            for _ in range(10):
                run = frame(RUN, 2, gaussian_body(1024, 1024, sigma=8.0, src=(2, 1, 0, size), dst=(2, 1, size, size)))
                c.send(arena_frame(1, 1, 2 * size), [fd])
                c.send(run + drop_frame(3, 1) + run.replace(header(RUN, 2, len(run) - 32), header(
                    RUN, 4, len(run) - 32)) + drop_frame(5, 1))
                found = [c.recv() for _ in range(5)]
                kinds = {f.id: f for f in found}
                self.assertEqual(sorted(kinds), [1, 2, 3, 4, 5])
                self.assertEqual((kinds[1].kind, kinds[2].kind, kinds[3].kind), (DONE, RESULT, DONE), found)
                self.assertEqual((kinds[4].status, kinds[5].status), (NO_SUCH_ARENA, NO_SUCH_ARENA), found)
                order = [f.id for f in found]
                self.assertLess(order.index(2), order.index(3), "DONE came while the arena was in use")

    def test_many(self):
        """One connection declares 1000 arenas, never more at once than the limit."""
        fd = self.keep(memfd(PAGE))
        with self.daemon.conn(fd_passing=True) as c:
            for k in range(1000):
                got = c.ask(arena_frame(5, k, PAGE), [fd])
                if k < 16:
                    self.assertEqual(got.kind, DONE, got)
                else:
                    self.assertEqual(got.status, QUOTA, got)
            for k in range(16):
                self.assertEqual(c.ask(drop_frame(5, k)).kind, DONE)
            for k in range(1000):
                c.send(arena_frame(5, k, PAGE), [fd])
                c.send(gaussian_frame(6, 8, 8, (2, k, 0, 64), (2, k, 64, 64)) + drop_frame(7, k))
                self.assertEqual({(a.id, a.kind) for a in (c.recv(), c.recv(), c.recv())},
                                 {(5, DONE), (6, RESULT), (7, DONE)})

    def test_gone_with_arenas(self):
        """Connections end while arenas are kept, queued and in use."""
        fd = self.keep(memfd(1 << 20))
        size = 512 * 512
        for k in range(40):
            c = self.daemon.conn(fd_passing=True)
            for number in range(16):
                c.send(arena_frame(number + 1, number, 1 << 20), [fd])
            if k % 2:
                c.send(gaussian_frame(50, 512, 512, (2, 3, 0, size), (2, 4, size, size)))
            if k % 4 == 3:
                c.send(arena_frame(60, 3, 1 << 20)[:20], [fd])
            c.close()

    def test_not_offered(self):
        """After a HELLO without a descriptor, an arena works if its descriptor arrives, otherwise it is refused."""
        fd = self.keep(memfd(PAGE))
        with self.daemon.conn() as c:
            got = c.ask(arena_frame(5, 1, PAGE), [fd])
            self.assertTrue(got.kind == DONE or got.status == NO_FD_PASSING, got)
            self.assertTrue(c.ping())

    def test_of_another_connection(self):
        fd = self.keep(memfd(PAGE))
        with self.daemon.conn(fd_passing=True) as c, self.daemon.conn(fd_passing=True) as d:
            self.arena(c, 9, fd, PAGE)
            for kind in (gaussian_frame(5, 8, 8, (2, 9, 0, 64), (1, 0, 0, 0)), drop_frame(5, 9)):
                d.send(kind)
                theirs = self.expect_refused(d, 5, NO_SUCH_ARENA)
                d.send(kind.replace(struct.pack("<I", 9), struct.pack("<I", 8)))
                never = self.expect_refused(d, 5, NO_SUCH_ARENA)
                self.assertEqual(theirs.text, never.text.replace("8", "9"))


def gaussian_frame(number, width, height, src, dst):
    return frame(RUN, number, gaussian_body(width, height, src=src, dst=dst))


if __name__ == "__main__":
    unittest.main()
