# SPDX-License-Identifier: MIT
"""Programs that need far more memory than they send, lists that are copied many times, and requests that teach the
daemon to underestimate long work. The worker must live within its limit, and others must be served."""
import os
import struct
import threading
import unittest

from support import *  # noqa: F403

MATMUL, REDUCE, SCAN = 0x0703, 0x0401, 0x0501
U8, F32_TYPE, I32_TYPE, U32_TYPE = 1, 9, 6, 5
MIB = 1 << 20


def refs(op, *inputs):
    """A step. Each input is an operand, (0, index), or output 0 of a step, (1, index)."""
    return attr(20, BYTES, struct.pack("<IHH", op, len(inputs), 0)
                + b"".join(struct.pack("<BBH", kind, 0, index) for kind, index in inputs))


def result_of(step_index):
    return attr(21, BYTES, struct.pack("<HBBIQQQ", step_index, 0, 1, 0, 0, 0, 0))


def outer_sum(number, m, n):
    """The sum of the outer product of m and n ones: 4 (m + n) bytes are sent, the intermediate result has 4 m n
    bytes."""
    one = struct.pack("<f", 1.0)
    first = one * m + bytes(-4 * m % 64)
    body = (attr(11, STRING, "cpu") + operand(1, 0, 0, 4 * m, view(F32_TYPE, 4, 1, m))
            + operand(1, 0, len(first), 4 * n, view(F32_TYPE, 4, n, 1))
            + refs(MATMUL, (0, 0), (0, 1)) + refs(REDUCE, (1, 0)) + result_of(1))
    return frame(RUN, number, body, first + one * n)


def product(number, n):
    """The sum of the product of two matrices of n x n whole numbers."""
    size = 4 * n * n
    gap = -size % 64
    body = (attr(11, STRING, "cpu") + operand(1, 0, 0, size, view(I32_TYPE, 4, n, n))
            + operand(1, 0, size + gap, size, view(I32_TYPE, 4, n, n))
            + refs(MATMUL, (0, 0), (0, 1)) + refs(REDUCE, (1, 0)) + result_of(1))
    return frame(RUN, number, body, bytes(size + gap + size))


def serve_beside(case, threads):
    """Starts the threads and lets the bystander ask until all have ended. Returns the number of its answers."""
    for t in threads:
        t.start()
    served = 0
    while any(t.is_alive() for t in threads):
        case.bystander()
        served += 1
    return served


class Intermediates(Case):
    """Intermediate results are charged and bounded."""

    LIMIT = 64 * MIB
    BESIDE = 48 * MIB  # lanes, kept blocks, staging, and the process itself
    ARGS = ("--worker-scratch", str(LIMIT), "--user-scratch-bytes", str(LIMIT))

    def test_too_much(self):
        """128 KiB that become 1 GiB are refused with the number of bytes, and the worker does not grow."""
        n = 16384
        before = hwm(self.worker)
        with self.daemon.conn() as c:
            for k in range(3):
                got = c.ask(outer_sum(k + 1, n, n))
                self.assertEqual((got.kind, got.status), (ERROR, QUOTA), got)
                needed = struct.unpack("<Q", got.get(3))[0]
                self.assertGreaterEqual(needed, 4 * n * n)
                self.assertIn(str(needed), got.text)
                self.bystander()
        self.assertLess(hwm(self.worker) - before, 8 * MIB * shadow(self.worker))

    def test_as_much_as_there_is(self):
        """Many requests of 16 MiB each on several connections wait for each other; all results are right."""
        n, each, conns = 2048, 8, 4
        answers, wrong = [], []

        def client():
            with self.daemon.conn() as c:
                c.send(b"".join(outer_sum(k + 1, n, n) for k in range(each)))
                for _ in range(each):
                    got = c.recv()
                    if got.kind != RESULT or struct.unpack("<d", got.payload[:8])[0] != n * n:
                        wrong.append(got)
                    answers.append(got)

        before = hwm(self.worker)
        threads = [threading.Thread(target=client) for _ in range(conns)]
        served = serve_beside(self, threads)
        self.assertEqual(wrong, [])
        self.assertEqual(len(answers), each * conns)
        self.assertGreater(served, 0)
        self.assertLess(hwm(self.worker) - before, (self.LIMIT + self.BESIDE) * shadow(self.worker))


class Lists(Case):
    """A list is copied once, by the thread of the job."""

    NUMBERS = 4 * MIB
    SIZE = 4 * NUMBERS
    STEPS = 24
    ARGS = ("--worker-scratch", "2G", "--user-scratch-bytes", "1G")

    def ask(self, conn, number, apart):
        """Sends a program of STEPS running sums of 12 pixels. Each step has its own list of offsets, which begins
        `apart` numbers after the list before it."""
        length = self.SIZE - 4 * apart * self.STEPS
        count = length // 4
        body = attr(11, STRING, "cpu") + operand(1, 0, 0, 12, view(U8, 1, 12, 1))
        for k in range(self.STEPS):
            body += operand(2, 1, 4 * apart * k, length, view(U32_TYPE, 4, count, 1))
        for k in range(self.STEPS):
            body += refs(SCAN, (0, 0), (0, k + 1))
        conn.send(frame(RUN, number, body + result_of(0), PIXELS))

    def arena(self, conn):
        fd = memfd(self.SIZE)
        os.pwrite(fd, struct.pack("<I", 12), self.SIZE - 4)  # offsets: 0, 0, ... 12
        self.assertEqual(conn.ask(arena_frame(5, 1, self.SIZE), [fd]).kind, DONE)
        return fd

    def test_named_many_times(self):
        before = hwm(self.worker)
        with self.daemon.conn(fd_passing=True) as c:
            fd = self.arena(c)
            self.ask(c, 6, 0)
            c.sock.settimeout(4 * WAIT)  # 100 million offsets, which a sanitizer checks slowly
            got = c.recv()
            self.assertEqual((got.kind, got.id), (RESULT, 6), got)
            sums = [sum(PIXELS[:k + 1]) for k in range(12)]
            self.assertEqual(struct.unpack("<12Q", got.payload[:96]), tuple(sums))
            os.close(fd)
        # The arena itself, a copy of it, and a little.
        self.assertLess(hwm(self.worker) - before, (2 * self.SIZE + 16 * MIB) * shadow(self.worker))

    def test_others_meanwhile(self):
        """Others are served while the lists are copied. The request fails as soon as the copies are checked."""
        with self.daemon.conn(fd_passing=True) as c, self.daemon.conn() as other:
            fd = self.arena(c)
            os.pwrite(fd, struct.pack("<I", 13), 0)  # beyond the pixels: the check refuses it at once
            self.ask(c, 6, 1)
            done = []
            watcher = threading.Thread(target=lambda: done.append(c.recv()))
            watcher.start()
            served = 0
            while not done:
                other.next += 1
                self.assertEqual(other.ask(cross(other.next)).payload, CROSS)
                served += 1
            watcher.join()
            self.assertEqual((done[0].kind, done[0].status), (ERROR, STATUS["BAD_PARAM"]), done)
            os.close(fd)
        self.assertGreater(served, 10)


class Lies(Case):
    """Thirty requests that run faster than estimated, followed by requests that do not."""

    ARGS = ("--worker-timeout", "2", "--worker-deaths", "2")
    LARGE = 1400
    LARGE_ONES = 10

    def test_learned(self):
        with self.daemon.conn() as c:
            for k in range(30):
                self.assertEqual(c.ask(outer_sum(k + 1, 8, 524288)).kind, RESULT)
        attackers = [self.daemon.conn() for _ in range(self.LARGE_ONES)]
        side, ends = self.LARGE if shadow(self.worker) == 1 else self.LARGE // 2, []

        def attack(c):
            c.sock.settimeout(4 * WAIT)
            ends.append(c.ask(product(1, side)))

        threads = [threading.Thread(target=attack, args=(c,)) for c in attackers]
        served = serve_beside(self, threads)
        for t, c in zip(threads, attackers):
            t.join()
            c.close()
        self.assertEqual([got.kind for got in ends], [RESULT] * self.LARGE_ONES, ends)
        self.assertNotIn("killing", self.daemon.log())
        # Many short requests are served before the last long one, not one per free slot.
        self.assertGreater(served, 10 * self.LARGE_ONES)


if __name__ == "__main__":
    unittest.main()
