# SPDX-License-Identifier: MIT
"""What a user can hold of each documented limit, and requests of the greatest size. Used by test_filled.py."""
from support import *  # noqa: F403

COPY, EXPR, HISTOGRAM = 0x0207, 0x0209, 0x0301


def refusal(case, got, *statuses):
    """Checks that a refusal has one of the statuses; returns the status's name."""
    case.assertIn(got.status, statuses, got)
    return next(word for word, number in STATUS.items() if number == got.status)


class Holding:
    """What a user holds of one limit. begin() takes a little of it; fill() takes all and returns the amount; more()
    asks for more and returns the outcome; work() is an operation of `units()` units on top; end() lets go."""

    def __init__(self, case, rounds=9):
        self.case, self.rounds, self.conns = case, rounds, []

    def units(self):
        return 1

    def end(self):
        while self.conns:
            self.conns.pop().close()


def expect(conn, *kinds):
    """Checks that the next answers have these kinds, in any order."""
    got = [conn.recv() for _ in kinds]
    assert sorted(g.kind for g in got) == sorted(kinds), got


BYTE = attr(11, STRING, "cpu") + operand(1, 0, 0, 1, view(1, 1, 1, 1)) + step(COPY, 1)


class Handles(Holding):
    """Resident buffers of one byte, 64 per request."""

    def make(self, c):
        c.send(frame(RUN, 5, BYTE + b"".join(result(3, c.made + k) for k in range(64)), b"x"))
        c.made += 64

    def connect(self):
        c = self.case.conn()
        c.made, c.freed = 0, 0
        for _ in range(4):
            self.make(c)
            expect(c, RESULT)
        self.conns.append(c)

    def begin(self):
        self.connect()

    def fill(self):
        while len(self.conns) < 64:
            self.connect()
        return self.case.held("handles")

    def more(self):
        self.case.assertEqual(self.conns[0].ask(frame(RUN, 6, BYTE + result(3, 9999), b"x")).status, QUOTA)
        with self.case.conn() as c:
            return refusal(self.case, c.ask(frame(RUN, 6, BYTE + result(3, 1), b"x")), QUOTA)

    def work(self, k):
        """Frees the oldest buffers and makes as many new ones."""
        c = self.conns[k % len(self.conns)]
        c.send(b"".join(frame(FREE, 10 + i, attr(26, U32, c.freed + i)) for i in range(64)))
        c.freed += 64
        self.make(c)
        expect(c, RESULT, *[DONE] * 64)


class Arenas(Holding):
    """Arenas of one page, each mapped by the worker."""

    RESULTS = b"".join(result(2, k % 16, k // 16, 1) for k in range(64))

    def connect(self):
        c = self.case.conn()
        for k in range(16):
            c.send(arena_frame(20 + k, k, 4096), [self.fd])
        expect(c, *[DONE] * 16)
        self.conns.append(c)
        self.use(c)

    def use(self, c):
        c.send(frame(RUN, 5, BYTE + self.RESULTS, b"x"))
        expect(c, RESULT)

    def begin(self):
        self.fd = memfd(4096)
        self.case.addCleanup(os.close, self.fd)
        self.connect()

    def fill(self):
        while len(self.conns) < 64:
            self.connect()
        return self.case.held("arenas")

    def more(self):
        self.case.assertEqual(self.conns[0].ask(arena_frame(6, 99, 4096), [self.fd]).status, QUOTA)
        with self.case.conn() as c:
            return refusal(self.case, c.ask(arena_frame(6, 1, 4096), [self.fd]), QUOTA)

    def work(self, _):
        for _ in range(8):
            self.use(self.conns[0])


class Connections(Holding):
    def connect(self, n):
        for _ in range(n):
            c = self.case.conn()
            assert c.place().status == STATUS["NO_SUCH_HANDLE"]
            self.conns.append(c)

    def begin(self):
        self.connect(17)

    def fill(self):
        self.connect(256 - len(self.conns))
        return self.case.held("connections")

    def more(self):
        with self.case.conn() as c:
            return refusal(self.case, c.place(), QUOTA)

    def work(self, _):
        """The oldest go, and as many come."""
        gone, self.conns = self.conns[:16], self.conns[16:]
        for c in gone:
            c.half_close()
            assert c.rest() == []
            c.close()
        self.connect(16)


class Uploads(Holding):
    """Requests whose payload does not come, one per connection, oldest first. Requests above the limit wait."""

    def __init__(self, case, what, limit, side):
        super().__init__(case)
        self.what, self.limit, self.payload = what, limit, pattern(side * side)
        self.head = gaussian(5, side, side, self.payload, sigma=0.0)[:-len(self.payload)]

    def units(self):
        """Decoded requests. A request that waits is decoded a second time when there is room."""
        return 1 if len(self.conns) <= self.limit else 2

    def connect(self, n):
        for _ in range(n):
            self.conns.append(self.case.conn())
            self.conns[-1].send(self.head)

    def begin(self):
        self.connect(1)

    def fill(self):
        self.connect(self.limit - 1)
        self.more()
        return self.case.held(self.what)

    def more(self):
        if len(self.conns) == self.limit:
            self.connect(40)
            self.case.until(lambda: self.case.waiting() == 40, "they do not wait")
        return "waits"

    def work(self, _):
        for _ in range(8):
            c = self.conns.pop(0)
            c.send(self.payload)
            assert c.recv().payload == self.payload
            c.send(self.head)
            self.conns.append(c)


class ArenaBytes(Holding):
    """One file of 64 MiB, declared as many arenas."""

    SIZE = 64 << 20

    def declare(self, c, arenas):
        for k in arenas:
            c.send(arena_frame(20 + k, k, self.SIZE), [self.fd])
        expect(c, *[DONE] * len(arenas))

    def begin(self):
        self.fd = memfd(self.SIZE)
        self.case.addCleanup(os.close, self.fd)
        self.conns.append(self.case.conn())
        self.declare(self.conns[0], range(16))

    def fill(self):
        while len(self.conns) < 16:
            self.conns.append(self.case.conn())
            self.declare(self.conns[-1], range(16))
        return self.case.held("arena_bytes")

    def more(self):
        with self.case.conn() as c:
            return refusal(self.case, c.ask(arena_frame(6, 1, 1), [self.fd]), QUOTA)

    def work(self, _):
        for _ in range(8):
            self.conns[0].send(b"".join(drop_frame(20 + k, k) for k in range(16)))
            expect(self.conns[0], *[DONE] * 16)
            self.declare(self.conns[0], range(16))


class ResidentBytes(Holding):
    """Buffers of 64 KiB."""

    SIDE = 256

    def make(self):
        self.c.send(frame(RUN, 5, gaussian_body(self.SIDE, self.SIDE, sigma=0.0, dst=(3, self.made)), self.payload))
        self.made += 1

    def begin(self):
        self.payload, self.made, self.freed = pattern(self.SIDE ** 2), 1, 1
        self.c = self.case.conn()
        self.conns.append(self.c)
        for _ in range(16):
            self.make()
            expect(self.c, RESULT)

    def fill(self):
        while self.made - self.freed < 128:
            self.make()
            expect(self.c, RESULT)
        return self.case.held("resident_bytes")

    def more(self):
        with self.case.conn() as c:
            return refusal(self.case, c.ask(frame(RUN, 6, BYTE + result(3, 1), b"x")), QUOTA)

    def work(self, _):
        for _ in range(16):
            self.c.send(frame(FREE, 6, attr(26, U32, self.freed)))
            self.freed += 1
            self.make()
            expect(self.c, DONE, RESULT)


class OpenFiles(Holding):
    """Arenas on existing connections, until no descriptor is left for another arena."""

    ALL = 512 - 320

    def declare(self):
        """Declares one more arena. False if it is refused."""
        self.last = self.conns[self.n // 16].ask(arena_frame(20, self.n % 16, 4096), [self.fd])
        self.n += self.last.kind == DONE
        return self.last.kind == DONE

    def begin(self):
        self.n, self.fd = 0, memfd(4096)
        self.case.addCleanup(os.close, self.fd)
        self.conns = [self.case.conn() for _ in range(self.ALL // 16)]
        assert all(self.declare() for _ in range(16))

    def count(self):
        return len(fd_names(self.case.daemon.pid))

    def fill(self):
        """Descriptors that are still being closed count too, so a refusal may be followed by room."""
        self.case.until(lambda: not self.declare() and self.count() >= self.ALL, lambda: "%d open" % self.count())
        return self.count()

    def more(self):
        return refusal(self.case, self.last, RESOURCE_FDS)

    def work(self, _):
        c = self.conns[0]
        for k in range(8):
            assert c.ask(drop_frame(6, k)).kind == DONE
            assert c.ask(arena_frame(7, k, 4096), [self.fd]).kind == DONE


class Request(Holding):
    """Nothing is held: compares a request of the greatest allowed size with a small one. `frames(n)` makes one of size
    n."""

    def __init__(self, case, small, most, frames, above, power=1, times=8, rounds=9):
        super().__init__(case, rounds)
        self.small, self.most, self.frames, self.above = small, most, frames, above
        self.power, self.times = power, times

    def units(self):
        return self.n ** self.power

    def begin(self):
        self.n = self.small
        self.conns.append(self.case.conn())

    def fill(self):
        self.n = self.most
        self.work(0)
        return self.n

    def more(self):
        """Sends the head alone: the refusal must come before the payload."""
        with self.case.conn() as c:
            head, _ = self.frames(self.most + 1)
            return refusal(self.case, c.ask(head), self.above)

    def work(self, _):
        for _ in range(self.times):
            self.conns[0].send(b"".join(self.frames(self.n)))
            expect(self.conns[0], RESULT)


def run(body, payload):
    """The head and the payload of a RUN."""
    return header(RUN, 5, len(body), len(payload)) + body, payload


def chained(op, inputs, params=b""):
    """A step with one input: `inputs` holds its kind (0 operand, 1 step), output and index."""
    return attr(20, BYTES, struct.pack("<IHHBBH", op, 1, 0, *inputs)) + params


def end_of(steps, output=0):
    return attr(21, BYTES, struct.pack("<HBBIQQQ", steps - 1, output, 1, 0, 0, 0, 0))


SAMPLE = attr(11, STRING, "cpu") + operand(1, 0, 0, 4, view(9, 4, 1, 1))


def texts(n):
    """Expressions of 512 bytes each; blanks at the end of the last one fill up to `n`."""
    text, body, steps = "a" + "+a" * 255 + " ", SAMPLE, n // 512
    for k in range(steps):
        more = " " * (n % 512) if k == steps - 1 else ""
        body += chained(EXPR, (0, 0, 0) if k == 0 else (1, 0, k - 1), attr(0x1001, STRING, text + more))
    return run(body + end_of(steps), bytes(4))


def expression(n):
    """An expression with one term, which is three values, per 25 bytes."""
    text = "a" + "".join("+1.%022d" % k for k in range((n - 1) // 25))
    return run(SAMPLE + chained(EXPR, (0, 0, 0), attr(0x1001, STRING, text.ljust(n))) + end_of(1), bytes(4))


def edges(n):
    """A histogram with n bytes of bin edges; its result is the number of samples outside."""
    body = attr(11, STRING, "cpu") + operand(1, 0, 0, 1, view(1, 1, 1, 1)) + operand(1, 0, 64, n, view(1, 1, n, 1))
    return run(body + step(HISTOGRAM, 2) + end_of(1, 1), bytes(64 + n))


def mask(side):
    """A square mask on a picture of 16 samples."""
    body = attr(11, STRING, "cpu") + operand(1, 0, 0, 16, view(1, 1, 4, 4))
    body += operand(1, 0, 64, 4 * side * side, view(9, 4, side, side))
    return run(body + step(CORRELATE, 2) + result(), bytes(64 + 4 * side * side))


def program(n):
    """A program of n operands, n steps and n results."""
    body = attr(11, STRING, "cpu") + b"".join(operand(1, 0, 64 * k, 1, view(1, 1, 1, 1)) for k in range(n))
    body += b"".join(chained(COPY, (0, 0, k)) for k in range(n)) + b"".join(end_of(k + 1) for k in range(n))
    return run(body, bytes(64 * n - 63))
