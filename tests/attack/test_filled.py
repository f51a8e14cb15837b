# SPDX-License-Identifier: MIT
"""One user fills each documented limit, works at the limit, and lets go, while another user works.

Asserted: how much fits; how more is treated (a refusal with its status, or a wait); that every answer to the other user
is right; that an operation costs about as much at the limit as near zero. The cost is the processor time of front and
worker for the same frames in the two states, less the cost of the request that waits for both to rest. The first
quartile of several rounds counts, because a round may leave a part of its work to the next one. All processes run on
one processor: on two, waking a process on the other one is charged to whoever wakes it, so that the same system calls
of the front cost 163 us a round beside the client and 473 us apart from it. The factor is a ratio within one run, so
neither the machine nor other load changes it much. For operations that walk over everything the user holds it was 6 to
24, with sanitizers 4.6 to 14; for the other operations it was 0.1 to 1.7 (2026-11-29, idle and beside four busy loops).
MOST lies between.

Also printed: how many requests of the other user were answered while the limit was filled, worked at and let go, and
the longest turn of the front in processor time, which is the bound of its bin of gpufilter_front_turn_seconds."""
import contextlib
import mmap
import os
import resource
import time
import unittest

from holdings import (ArenaBytes, Arenas, Connections, Handles, OpenFiles, Request, ResidentBytes, Uploads, edges,
                      expression, mask, program, texts)
from support import *  # noqa: F403

ME = os.geteuid()
MOST = 3.0
MIB, GIB = 1 << 20, 1 << 30


class Neighbour:
    """Another user, in a separate process, that sends one small request after another while working() lasts."""

    def __init__(self, path):
        self.shared = mmap.mmap(-1, 16)  # the number of answers; whether to go on
        begin, self.begin = os.pipe()
        self.ended, ended = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                end_with_parent()
                os.close(self.begin)
                os.close(self.ended)
                with Conn(path, before=proxy("neighbour")) as c:
                    while os.read(begin, 1):
                        self.work(c)
                        os.write(ended, b"x")
            finally:
                os._exit(1)
        os.close(begin)
        os.close(ended)

    def work(self, c):
        while self.shared[8]:
            c.next += 1
            got = c.ask(cross(c.next))
            assert got.id == c.next and got.payload == CROSS, got
            self.shared[:8] = (self.answered() + 1).to_bytes(8, "little")

    def answered(self):
        return int.from_bytes(self.shared[:8], "little")

    @contextlib.contextmanager
    def working(self, counts):
        """Appends to `counts` the number of answers within the block."""
        before, self.shared[8] = self.answered(), 1
        os.write(self.begin, b"x")
        try:
            yield
        finally:
            self.shared[8] = 0
            assert os.read(self.ended, 1) == b"x", "a wrong answer to the neighbour, or none"
        counts.append(self.answered() - before)

    def stop(self):
        os.close(self.begin)
        os.close(self.ended)
        os.waitpid(self.pid, 0)


def stats(conn):
    conn.next += 1
    return conn.ask(frame(INFO, conn.next, attr(27, U32, 3)))


def turns(conn):
    """The upper bound of the first bin of the front's turns, and the bins."""
    name = ""
    for number, _, value in stats(conn).attrs:
        if number == 34:
            name = value.decode()
        elif number == 38 and name == "gpufilter_front_turn_seconds":
            _, bound, *bins = struct.unpack("<%dd" % (len(value) // 8), value)
            return bound, bins
    raise AssertionError("no turns among the figures")


class Filled(Case):
    """This process is a proxy, so that it can have several users without root."""

    ARGS = ("--proxy-users", str(ME))
    BEFORE = proxy(None)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.neighbour = Neighbour(cls.daemon.socket)
        cls.addClassCleanup(cls.neighbour.stop)
        with cls.neighbour.working([]):
            cls.bystander()
        cls.fds = fds_of(cls.daemon.pid)

    def conn(self, **options):
        return self.daemon.conn(before=proxy("filler"), fd_passing=True, **options)

    def held(self, what):
        return int(figures(stats(self.healthy))["gpufilter_user_held", 'uid="CN=filler",resource="%s"' % what])

    def waiting(self):
        return figures(stats(self.healthy))["gpufilter_connections_waiting", ""]

    def processor_ns(self):
        """Processor time of front and worker. Their clocks are exact while they rest."""
        self.bystander()
        return sum(time.clock_gettime_ns(~pid << 3 | 2) for pid in (self.daemon.pid, self.worker))

    def cost(self, act, rounds):
        """Processor time of a round, the first quartile."""
        costs = []
        for k in range(rounds):
            before = self.processor_ns()
            act(k)
            costs.append(self.processor_ns() - before)
        return sorted(costs)[rounds // 4]

    def check(self, name, limit, holding):
        """Fills, works at the limit, and lets go; prints a row of the table."""
        answered, (bound, before) = [], turns(self.healthy)
        nothing = self.cost(lambda _: None, holding.rounds)
        holding.begin()
        empty = (self.cost(holding.work, holding.rounds) - nothing) / holding.units()
        with self.neighbour.working(answered):
            reached = holding.fill()
            above = holding.more()
        full = (self.cost(holding.work, holding.rounds) - nothing) / holding.units()
        with self.neighbour.working(answered):
            for k in range(holding.rounds):
                holding.work(k)
        with self.neighbour.working(answered):
            holding.end()
            self.until(lambda: fds_of(self.daemon.pid) == self.fds, "descriptors of connections are kept")
        longest = max(k for k, (a, b) in enumerate(zip(before, turns(self.healthy)[1])) if b > a)
        self.assertGreater(min(empty, full), 0, "%s: work costs no more than the request that waits" % name)
        factor = full / empty
        print("%-14s %11d %11d %-12s %6d %6d %6d %10.2f %6.1f" % (
            name, reached, limit, above, *answered, bound * 2 ** longest * 1e3, factor), flush=True)
        self.assertEqual(reached, limit)
        self.assertLess(factor, MOST, "%s: an operation costs more the more there is" % name)


def setUpModule():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("%-14s %11s %11s %-12s %20s %10s %6s\n%-14s %11s %11s %-12s %6s %6s %6s %10s %6s" % (
        "", "", "", "", "neighbour's answers", "longest", "cost",
        "limit", "reached", "of", "above it", "fill", "full", "free", "turn ms", "factor"))


class Default(Filled):
    def test_connections(self):
        self.check("connections", 256, Connections(self))

    def test_handles(self):
        self.check("handles", 16384, Handles(self))

    def test_arenas(self):
        if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096:
            self.skipTest("arenas need 4096 open files")
        self.check("arenas", 1024, Arenas(self))

    def test_texts(self):
        self.check("texts", 4096, Request(self, 512, 4096, texts, BAD_REQUEST))

    def test_expression(self):
        self.check("expression", 2048, Request(self, 256, 2048, expression, STATUS["BAD_PARAM"]))

    def test_list(self):
        self.check("list", (1 << 24) + 1, Request(self, 1 << 21, (1 << 24) + 1, edges, TOO_LARGE, times=1, rounds=6))

    def test_mask(self):
        self.check("mask", 255, Request(self, 90, 255, mask, TOO_LARGE, power=2))

    def test_program(self):
        self.check("program", 64, Request(self, 8, 64, program, BAD_REQUEST))


class Requests(Filled):
    ARGS = (*Filled.ARGS, "--user-connections", "320")

    def test_requests(self):
        self.check("requests", 256, Uploads(self, "requests", 256, 4))


class Bytes(Filled):
    """Memory limits, set lower than the defaults."""

    ARGS = (*Filled.ARGS, "--user-staging", "16M", "--user-resident-bytes", "8M", "--arena-total", "64G")

    def test_inline_bytes(self):
        self.check("inline bytes", 16 * MIB, Uploads(self, "inline_bytes", 32, 512))

    def test_arena_bytes(self):
        self.check("arena bytes", 16 * GIB, ArenaBytes(self))

    def test_resident_bytes(self):
        self.check("resident bytes", 8 * MIB, ResidentBytes(self))


class Files(Filled):
    OPTIONS = {"nofile": 512}

    def test_open_files(self):
        self.check("open files", OpenFiles.ALL, OpenFiles(self))

    def test_clients_that_wait_for_a_descriptor(self):
        """While clients wait in the backlog, because no descriptor is left for them, the front sleeps between the
        requests of the bystander: one takes two turns, and looking for a descriptor takes ten a second. It says once
        that it does not accept clients."""
        holding = OpenFiles(self)
        holding.begin()
        holding.fill()
        holding.conns += [self.daemon.conn(greet=False) for _ in range(4)]
        self.until(lambda: "too many descriptors are open" in self.daemon.log(), "no client waits")
        before, said = sum(turns(self.healthy)[1]), self.daemon.log().count("not accepting clients")
        for _ in range(1000):
            self.bystander()
        self.assertLess(sum(turns(self.healthy)[1]) - before, 4000)
        self.assertEqual(self.daemon.log().count("not accepting clients"), said)
        holding.end()


if __name__ == "__main__":
    unittest.main()
