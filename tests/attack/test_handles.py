# SPDX-License-Identifier: MIT
"""Misuse of resident buffers: floods of handles, clients and workers that die. Each id gets one answer, and no memory
is kept."""
import os
import random
import signal
import unittest

from support import *  # noqa: F403

COPY = 0x0207
SIDE = 16
SIZE = SIDE * SIDE
INLINE = (1, 0)
QUOTA_BYTES = 64 << 20
NO_SUCH_HANDLE, HANDLE_LOST, DEPENDENCY = (
    STATUS[name] for name in ("NO_SUCH_HANDLE", "HANDLE_LOST", "DEPENDENCY"))


def copy(number, read=None, make=None, payload=b"", side=SIDE, height=None, offset=0):
    """read, make: numbers of handles; None: inline."""
    shape = view(1, 1, side, height or side)
    src = operand(1, 0, 0, len(payload), shape) if read is None else operand(3, read, offset, 0, shape)
    dst = result() if make is None else result(3, make)
    return frame(RUN, number, src + step(COPY, 1) + dst, payload)


def free(number, handle):
    return frame(FREE, number, attr(26, U32, handle))


class Handles(Case):
    ARGS = ("--user-resident-bytes", str(QUOTA_BYTES), "--handles", "8")

    def fill(self, c):
        """Takes all resident memory that the user may have, in four buffers."""
        big = bytes(16 << 20)
        for handle in range(4):
            self.assertEqual(c.ask(copy(10 + handle, make=handle, payload=big, side=4096)).kind, RESULT)
        got = c.ask(copy(20, make=9, payload=b"x" * SIZE))
        self.assertEqual((got.kind, got.status), (ERROR, QUOTA), got)

    def test_memory_comes_back(self):
        """Clients take all resident memory and vanish: the next client gets as much."""
        for _ in range(8):
            c = self.daemon.conn()
            self.fill(c)
            c.close()
            self.until(lambda: self.one_fits(), "what a client held is not given back")
        self.assertLess(rss_kb(self.daemon.worker()), 7 * (QUOTA_BYTES >> 10))

    def one_fits(self):
        with self.daemon.conn() as c:
            return c.ask(copy(2, make=1, payload=bytes(16 << 20), side=4096)).kind == RESULT

    def test_more_than_may_be(self):
        with self.daemon.conn() as c:
            for handle in range(8):
                self.assertEqual(c.ask(copy(2, make=1000000007 * handle % 2**32, payload=bytes(SIZE))).kind, RESULT)
            got = c.ask(copy(2, make=5, payload=bytes(SIZE)))
            self.assertEqual((got.status, got.text), (QUOTA, "the connection holds 8 handles; 1 more would exceed the limit of 8 (handles)"))
            self.assertEqual(c.ask(free(3, 0)).kind, DONE)
            self.assertEqual(c.ask(copy(2, make=5, payload=bytes(SIZE))).kind, RESULT)

    def test_random_requests(self):
        """Requests pipelined in any order get the same answers as requests sent one after another."""
        rng = random.Random(5)
        with self.daemon.conn() as c:
            table, number = {}, 1
            for _ in range(60):
                sent, expected = b"", {}
                for _ in range(30):
                    number += 1
                    a, b = rng.randrange(7), rng.randrange(7)
                    what = rng.choice("uccddf")
                    if what == "u":
                        data = pattern(SIZE, number)
                        sent += copy(number, make=a, payload=data)
                        expected[number] = EXISTS if a in table else None
                        table.setdefault(a, data)
                    elif what == "c":
                        sent += copy(number, read=a, make=b)
                        expected[number] = NO_SUCH_HANDLE if a not in table else EXISTS if b in table else None
                        if a in table:
                            table.setdefault(b, table[a])
                    elif what == "d":
                        sent += copy(number, read=a)
                        expected[number] = table.get(a, NO_SUCH_HANDLE)
                    else:
                        sent += free(number, a)
                        expected[number] = None if a in table else NO_SUCH_HANDLE
                        table.pop(a, None)
                c.send(sent)
                while expected:
                    got = c.recv()
                    want = expected.pop(got.id)
                    if isinstance(want, bytes):
                        self.assertEqual((got.kind, got.payload), (RESULT, want))
                    elif want is None:
                        self.assertIn(got.kind, (RESULT, DONE), got)
                    else:
                        self.assertEqual((got.kind, got.status), (ERROR, want), got)

    def test_views_outside(self):
        with self.daemon.conn() as c:
            self.assertEqual(c.ask(copy(2, make=1, payload=pattern(SIZE))).kind, RESULT)
            for offset, side, height in ((1, SIDE, None), (SIZE, 1, None), (2**64 - 1, 1, None), (0, SIDE, SIDE + 1),
                                         (15, 2, 1), (0, SIDE + 1, 1), (0, 65535, 1), (2**63, SIDE, SIDE)):
                c.send(copy(3, read=1, side=side, height=height, offset=offset))
                self.expect_refused(c, 3, BAD_VIEW)
            got = c.ask(copy(4, read=1, side=1, offset=SIZE - 1))
            self.assertEqual(got.payload, pattern(SIZE)[-1:])

    def test_gone_with_everything_under_way(self):
        for i in range(20):
            c = self.daemon.conn()
            c.send(b"".join(copy(2 + k, make=k, payload=bytes(SIZE)) + copy(20 + k, read=k) + free(40 + k, k)
                            for k in range(i % 8 + 1)) + copy(99, make=8, payload=bytes(SIZE))[:-i])
            c.close()
        self.until(lambda: self.one_fits(), "what a client held is not given back")


class Deaths(Case):
    """The worker is killed again and again."""

    ARGS = ("--worker-deaths", "16")

    def tearDown(self):
        self.bystander()
        type(self).worker = self.daemon.worker()
        self.check_baseline()

    def test_each_id_has_one_answer(self):
        with self.daemon.conn() as c:
            for round in range(4):
                self.bystander()  # served by a new worker
                worker = self.daemon.worker()
                number = 100 * round + 2
                ids = set()
                sent = b""
                for k in range(8):
                    sent += copy(number, make=k, payload=pattern(SIZE, k)) + copy(number + 1, read=k)
                    ids |= {number, number + 1}
                    number += 2
                c.send(sent)
                if round % 2:
                    self.assertIn((got := c.recv()).id, ids)
                    ids.remove(got.id)
                os.kill(worker, signal.SIGKILL)
                while ids:
                    got = c.recv()
                    ids.remove(got.id)
                    if got.kind == ERROR:
                        self.assertIn(got.status, (HANDLE_LOST, DEPENDENCY, NO_SUCH_HANDLE), got)
                for k in range(8):
                    got = c.ask(free(900 + k, k))
                    self.assertTrue(got.kind == DONE or got.status == NO_SUCH_HANDLE, got)
            # The worker killed last may have answered everything before; its death can still take this request.
            got = c.ask(copy(2000, make=1, payload=pattern(SIZE)))
            if got.kind == ERROR:
                self.assertEqual(got.status, HANDLE_LOST, got)
                self.assertEqual(c.ask(free(2001, 1)).kind, DONE)
                got = c.ask(copy(2002, make=1, payload=pattern(SIZE)))
            self.assertEqual(got.kind, RESULT, got)
            self.assertEqual(c.ask(copy(2003, read=1)).payload, pattern(SIZE))


if __name__ == "__main__":
    unittest.main()
