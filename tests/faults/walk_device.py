#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strikes a device and its worker while clients work: the worker is killed or exits, a kernel hangs or breaks the
context, the device has no memory left. Also checks that a user cannot read data that another user left behind. Every
time each request must have one answer, the right bits or a documented status; a buffer that was on the device must be
reported lost; the device must work again. Prints a table.

usage: walk_device.py [--device NAME] [--count N] [--seconds S] [--clients N] [--beside N] [--timeout S] [--verbose] [ROW ...]
GF_WORKER names gf_fault_worker, which fails when a request asks for it (fault_worker.c)."""
import argparse
import collections
import concurrent.futures
import ctypes
import math
import multiprocessing
import os
import select
import signal
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from support import *  # noqa: E402,F403

COPY, SELECT = 0x0207, 0x0601
EXIT, HANG, TRAP, WILD = range(1, 5)
ANYWHERE, ON_A_GPU = 4000, 4100
WITH_WORKER = {STATUS[name]: name for name in ("DEVICE_LOST", "REQUEST_POISON", "HANDLE_LOST", "DEPENDENCY")}
POISON, LOST, NO_DEVICE_MEMORY = STATUS["REQUEST_POISON"], STATUS["HANDLE_LOST"], STATUS["NO_DEVICE_MEMORY"]
STRIKES_EACH = 4  # strikes before the daemon is replaced; its restarts get slower each time
WINDOW = 4        # requests that a client has in flight
LEFT = 64 << 20   # bytes left free on a device "without memory"
CANARY = 0xA5
READY_NOW = struct.pack("<I", 2)  # of health


def run(number, device, op, operands, payload, params=b"", results=None):
    body = attr(11, STRING, device) + b"".join(operands) + step(op, len(operands)) + params
    return frame(RUN, number, body + (results or result()), payload)


def picture(width, height):
    return view(1, 1, width, height)


def inline(width, height):
    return operand(1, 0, 0, width * height, picture(width, height))


def copy(number, device, width, height, payload, results=None):
    return run(number, device, COPY, [inline(width, height)], payload, results=results)


def copy_handle(number, device, handle, shape):
    return run(number, device, COPY, [operand(3, handle, 0, 0, shape)], b"")


def blur(number, device, side, pixels, sigma=2.0):
    return run(number, device, GAUSSIAN, [inline(side, side)], pixels, attr(0x1001, F32, sigma))


def faulty(number, device, width):
    return copy(number, device, width, 1, pattern(width))


def used_by(got):
    return (got.get(11) or b"?").decode()


def worker_of(daemon, device):
    """The pid of a device's worker, found by its arguments. None while a dead worker has not been replaced."""
    return next((pid for pid in children(daemon.pid) if {"--front", device} <= set(cmdline(pid))), None)


class Client(threading.Thread):
    """Sends the same request repeatedly, WINDOW at a time, and checks every answer."""

    def __init__(self, row, device):
        super().__init__()
        self.row, self.device, self.over = row, device, threading.Event()

    def run(self):
        try:
            with Conn(self.row.daemon.socket) as c:
                number, asked = 1, set()
                while asked or not self.over.is_set():
                    while len(asked) < WINDOW and not self.over.is_set():
                        number += 1
                        asked.add(number)
                        c.send(blur(number, self.device, SIDE, self.row.pixels))
                    got = c.recv()
                    assert got is not None and got.id in asked, "%r, while %s are open" % (got, asked)
                    asked.discard(got.id)
                    self.row.judge(got, self.row.blurred)
        except (AssertionError, OSError) as e:
            self.row.complain("a client: %s %s" % (type(e).__name__, e))


SIDE = 256


class Seen:
    """Results of the strikes of a kind: their number, the answers, and the seconds after each strike."""

    def __init__(self):
        self.count, self.answers, self.bytes, self.errors, self.wrong = 0, 0, 0, collections.Counter(), []
        self.known, self.gone, self.answered, self.back = [], [], [], []

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def line(self, name):
        errors = ", ".join("%s %d" % item for item in sorted(self.errors.items(), key=str)) or "none"
        if self.bytes:
            errors += "; %d MiB looked at" % (self.bytes >> 20)
        return "| %s | %d | %d | %d | %s | %s | %s | %s | %s |" % (
            name, self.count, self.answers, len(self.wrong), errors, spread(self.known), spread(self.gone),
            spread(self.answered), spread(self.back))


class Row:
    """One kind of strike, repeated."""

    ALONE = False  # whether the strike needs the whole device

    def __init__(self, options, name, strike, args, count):
        self.options, self.name, self.strike, self.args, self.count = options, name, strike, args, count
        self.device, self.lock, self.seen = options.device, threading.Lock(), Seen()
        self.pixels, self.end = pattern(SIDE * SIDE), time.monotonic() + options.seconds

    def complain(self, text):
        with self.lock:
            self.seen.wrong.append("%s: %s" % (self.name, text))

    def judge(self, got, right, allowed=WITH_WORKER):
        with self.lock:
            self.seen.answers += 1
            if got.kind == ERROR:
                name = allowed.get(got.status)
                self.seen.errors[name] += 1
                if name is None:
                    self.seen.wrong.append("%s: %r" % (self.name, got))
            elif got.payload != right:
                self.seen.wrong.append("%s: other bits from %s" % (self.name, used_by(got)))

    def open(self, *args, **kwargs):
        devices = "cpu" if self.device == "cpu" else "cpu," + self.device
        self.daemon = Daemon("--worker-deaths", "16", "--worker-timeout", self.options.timeout, "--devices", devices, *args,
                             segment="16M", **kwargs)
        with self.daemon.conn() as c:
            self.blurred = c.ask(blur(2, "cpu", SIDE, self.pixels)).payload
        self.works()
        self.fds = fds_of(self.daemon.pid)

    def works(self):
        """Waits until the device serves requests."""
        with self.daemon.conn() as c:
            got = c.ask(blur(2, self.device, SIDE, self.pixels))
        assert got is not None and got.kind == RESULT and got.payload == self.blurred, got
        return used_by(got)

    def worker(self):
        return worker_of(self.daemon, self.device)

    def load(self):
        clients = [Client(self, device) for device in (self.device, "auto") * (self.options.clients // 2)]
        for client in clients:
            client.start()
        return clients

    def calm(self, clients):
        for client in clients:
            client.over.set()
        for client in clients:
            client.join()

    def until_known(self, conn):
        """Asks for the health until it is no longer good. Returns the time."""
        end = time.monotonic() + WAIT
        while conn.ask(frame(INFO, 90, attr(27, U32, 2))).get(28) == READY_NOW:
            assert time.monotonic() < end, "the front does not notice"
        return time.monotonic()

    def once(self):
        """Makes a buffer on the device, strikes, and checks the outcome."""
        with self.daemon.conn() as keeper:
            made = keeper.ask(copy(2, self.device, 64, 64, pattern(4096), result(3, 1)))
            assert made.kind == RESULT, made
            worker = self.worker()
            pidfd = os.pidfd_open(worker)
            start = time.monotonic()
            finish = self.strike(self, worker, *self.args)
            poll = select.poll()
            poll.register(pidfd, select.POLLIN)
            self.seen.known.append(self.until_known(keeper) - start)
            assert poll.poll(WAIT * 1000), "the worker lives on"
            self.seen.gone.append(time.monotonic() - start)
            os.close(pidfd)
            if finish():
                self.seen.answered.append(time.monotonic() - start)
            while self.works() != self.device:
                pass
            self.seen.back.append(time.monotonic() - start)
            assert self.worker() != worker
            self.judge(keeper.ask(copy_handle(3, self.device, 1, picture(64, 64))), None)
            assert keeper.ask(frame(FREE, 4, attr(26, U32, 1))).kind == DONE
            again = keeper.ask(copy(5, self.device, 64, 64, pattern(4096), result(3, 1)))
            assert again.kind == RESULT, again
        self.seen.count += 1

    def more(self):
        return self.seen.count < self.count and time.monotonic() < self.end and not self.seen.wrong

    def settle(self):
        """Checks that the daemon holds nothing for clients that have gone."""
        end = time.monotonic() + WAIT
        while fds_of(self.daemon.pid) != self.fds:
            self.works()
            assert time.monotonic() < end, "%d descriptors, not %d" % (fds_of(self.daemon.pid), self.fds)

    def run(self):
        while self.more():
            self.open()
            clients = self.load()
            try:
                for _ in range(STRIKES_EACH):
                    if self.more():
                        self.once()
            except (AssertionError, OSError) as e:
                self.complain("%s %s\n%s" % (type(e).__name__, e, self.daemon.log()))
            self.calm(clients)
            self.close()

    def close(self):
        try:
            self.settle()
        except (AssertionError, OSError) as e:
            self.complain("at the end: %s\n%s" % (e, self.daemon.log()))
        if self.options.verbose:
            print(self.daemon.log(), file=sys.stderr)
        self.daemon.stop()


def spread(times):
    """Minimum, median and maximum in milliseconds."""
    if not times:
        return "-"
    times = sorted(times)
    return "%.0f / %.0f / %.0f" % tuple(1000 * t for t in (times[0], times[len(times) // 2], times[-1]))


def kill(row, worker):
    """Strikes. Returns a function to call when the worker is gone, which tells whether a request got an answer."""
    del row
    os.kill(worker, signal.SIGKILL)
    return lambda: False


def ask_for(row, worker, width, statuses):
    """Sends a request with a fault. Its answer must be the CPU's result or one of the statuses."""
    del worker
    c = row.daemon.conn()
    c.send(faulty(2, row.device, width))

    def finish():
        with c:
            row.judge(c.recv(), pattern(width), {status: WITH_WORKER[status] for status in statuses})
        return True

    return finish


class Eater:
    """Another process that takes the device's free memory except `left` bytes."""

    def __init__(self, device, left):
        self.end, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=self.eat, args=(theirs, int(device.split(":")[1]), left))
        self.process.start()
        self.free = self.end.recv()

    @staticmethod
    def eat(end, index, left):
        cuda = ctypes.CDLL("libcuda.so.1")
        free, total, at = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()
        context = ctypes.c_void_p()
        assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), index) == 0
        assert cuda.cuCtxSetCurrent(context) == 0
        size = 1 << 36
        while size >= 1 << 20:
            cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
            if free.value < left + size or cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)) != 0:
                size >>= 1
        cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        end.send(free.value)
        end.recv()

    def stop(self):
        self.end.send(None)
        self.process.join()


class Hungry(Row):
    """Requests of all sizes while another process holds the device's memory."""

    ALONE = True
    SIDES = (64, 1024, 4096, 8192)

    def run(self):
        self.open()
        pixels = pattern(max(self.SIDES) ** 2)
        with self.daemon.conn() as c:
            right = {side: c.ask(blur(2, "cpu", side, pixels[:side * side])).payload for side in self.SIDES}
        worker, eater = self.worker(), Eater(self.device, LEFT)
        clients = self.load()
        try:
            with self.daemon.conn() as c:
                while self.more():
                    number = 2 + self.seen.count
                    side = self.SIDES[number % len(self.SIDES)]
                    got = c.ask(blur(number, self.device, side, pixels[:side * side]))
                    self.judge(got, right[side], {NO_DEVICE_MEMORY: "NO_DEVICE_MEMORY"})
                    kept = c.ask(copy(1000 + number, self.device, side, side, pixels[:side * side], result(3, number)))
                    self.judge(kept, b"", {NO_DEVICE_MEMORY: "NO_DEVICE_MEMORY"})
                    self.seen.count += 1
            start = time.monotonic()
            eater.stop()
            assert self.works() == self.device
            self.seen.back.append(time.monotonic() - start)
            assert self.worker() == worker, "the worker died"
        except (AssertionError, OSError) as e:
            self.complain("%s %s\n%s" % (type(e).__name__, e, self.daemon.log()))
        self.calm(clients)
        self.close()


class Users(Row):
    """One user fills all memory that it can get and goes. Another user checks all memory that it gets and has not
    written."""

    USERS = (60001, 60002)
    WIDTHS = (4096, 65536, 1 << 20, 16 << 20)

    def as_user(self, uid, what, *args):
        """Runs a method as another user. Fails if the method fails."""
        here, there = multiprocessing.Pipe()

        def child():
            try:
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                there.send(what(*args))
            except (AssertionError, OSError) as e:
                there.send("%s %s" % (type(e).__name__, e))

        process = multiprocessing.Process(target=child)
        process.start()
        said = here.recv()
        process.join()
        if isinstance(said, str):
            raise AssertionError(said)
        return said

    def fill(self):
        """Canaries in staging, in buffers that stay until the end, in scratch, and in answers."""
        with self.daemon.conn() as c:
            for k, width in enumerate(self.WIDTHS):
                canaries = bytes([CANARY]) * width
                for handle in range(4):
                    c.send(copy(10 + handle, self.device, width, 1, canaries, result(3, 1 + 4 * k + handle)))
                c.send(run(20, self.device, SELECT, [inline(width, 1)], canaries))
                for _ in range(5):
                    got = c.recv()
                    assert got.kind == RESULT, got
        return 0

    def look(self):
        """Checks that no byte is left from another user. Returns the number of bytes."""
        seen = 0
        with self.daemon.conn() as c:
            for k, width in enumerate(self.WIDTHS):
                nothing = attr(0x1001, 7, struct.pack("<d", 1.0)) + attr(0x1002, 7, struct.pack("<d", 1.0))
                zeros = bytes(width)
                for handle in range(4):
                    number = 1 + 4 * k + handle
                    made = c.ask(run(30, self.device, SELECT, [inline(width, 1)], zeros, nothing, result(3, number)))
                    assert made.kind == RESULT, made
                    got = c.ask(copy_handle(31, self.device, number, picture(width, 1)))
                    assert got.kind == RESULT and got.payload == zeros, "%d of %d bytes are not clear" % (
                        width - got.payload.count(0), width)
                    seen += width
                # Rows of 16 samples, 1024 bytes apart; no sample occupies the bytes between them.
                got = c.ask(copy(32, self.device, 16, width // 1024, bytes(16 * (width // 1024)),
                                 result(1, 0, 0, 0, 1024)))
                assert got.kind == RESULT and not got.payload.strip(b"\0"), "%d bytes between rows are not clear" % (
                    len(got.payload) - got.payload.count(0))
                seen += len(got.payload)
        return seen

    def run(self):
        try:
            self.as_user(self.USERS[0], int)
        except AssertionError as e:
            print("users: left out, since only root can be two users: %s" % e, file=sys.stderr)
            return
        self.open("--socket-mode", "666", mode=0o755)
        try:
            while self.more():
                first, second = self.USERS if self.seen.count % 2 == 0 else reversed(self.USERS)
                self.as_user(first, self.fill)
                self.seen.bytes += self.as_user(second, self.look)
                self.seen.count += 1
        except AssertionError as e:
            self.complain("%s\n%s" % (e, self.daemon.log()))
        self.seen.answers = self.seen.count * len(self.WIDTHS) * 14
        self.close()


ROWS = {
    "kill": ("worker killed", Row, kill),
    "exit": ("worker ends by itself", Row, ask_for, ANYWHERE + EXIT, (POISON,)),
    "hang": ("job hangs on any device", Row, ask_for, ANYWHERE + HANG, (POISON,)),
    "users": ("memory of another user", Users, None),
}
ROWS_OF_A_GPU = {
    **ROWS,
    "spin": ("kernel hangs", Row, ask_for, ON_A_GPU + HANG, ()),
    "trap": ("kernel traps", Row, ask_for, ON_A_GPU + TRAP, ()),
    "wild": ("kernel stores nowhere", Row, ask_for, ON_A_GPU + WILD, ()),
    "memory": ("no device memory left", Hungry, None),
}


def run_some(options, key, count):
    """Runs `count` strikes at a private daemon in a separate process."""
    name, kind, strike, *args = ROWS_OF_A_GPU[key]
    row = kind(options, name, strike, args, count)
    row.run()
    return row.seen


def run_all(options, key):
    """Runs the strikes of a kind, at several daemons in parallel if wanted."""
    beside = 1 if ROWS_OF_A_GPU[key][1].ALONE else min(options.beside, options.count)
    counts = [options.count // beside + (k < options.count % beside) for k in range(beside)]
    seen = Seen()
    with concurrent.futures.ProcessPoolExecutor(beside) as pool:
        for some in pool.map(run_some, [options] * beside, [key] * beside, counts):
            seen.add(some)
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=math.inf, help="after which a row has no further strike")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--beside", type=int, default=1, help="daemons at the same time on the device (%(default)s)")
    parser.add_argument("--timeout", default="2", help="worker-timeout of the daemons (%(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print what the daemons said")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    print("| what happens | times | answers | lost or wrong | errors | noticed, ms | worker gone, ms | "
          "request answered, ms | device back, ms |")
    print("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |", flush=True)
    wrong = []
    for key in options.rows or (ROWS if options.device == "cpu" else ROWS_OF_A_GPU):
        seen = run_all(options, key)
        print(seen.line(ROWS_OF_A_GPU[key][0]), flush=True)
        wrong += seen.wrong
    for text in wrong:
        print("WRONG: " + text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
