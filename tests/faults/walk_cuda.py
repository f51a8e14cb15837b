#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call to CUDA fail in the worker of a GPU, during a session and during the worker's start. Every time the
front must live, and each request must have one answer: the right bits or a documented status. A call fails once, or it
and all later ones do, as after a sticky error. If a call fails once that the job can do without, nobody may notice. A
worker whose context is lost, or that cannot say when the device is done, must end and be replaced by one that works;
after any other error it must live on and work. At a start the front must try again for ever, refuse the device until it
is told to look again, or count a death, as the error says. Prints a table of calls and errors. Runs on a GPU, or, with
gf_fault_worker_fake, on a device that computes nothing.

usage: walk_cuda.py [--device NAME] [--sample N] [--sticky N] [--starts N] [--beside N]
At most N places for each error: of each function that a session calls, for an error that happens once (--sample); of a
session, for one that stays (--sticky); of a start, beside its first N calls (--starts); 0: all. GF_WORKER names
gf_fault_worker or gf_fault_worker_fake."""
import argparse
import collections
import multiprocessing
import os
import re
import signal
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from faults import NEVER, mapped, places, report  # noqa: E402
from support import *  # noqa: E402,F403
from test_idle_gpu import ABSENT, READY  # noqa: E402
from walk_device import COPY, SELECT, copy, copy_handle, inline, picture, run, worker_of  # noqa: E402

FAULT = struct.Struct("=IiiiiI40s40s")
ONCE, STICKY = (1, 2, 304, 400, 800, 801, 999), (719, 46, 304, 700, 999)
# What a request is told, if not the right bits. Any other error is fatal to the worker.
ANSWERS = {1: "INTERNAL", 2: "NO_DEVICE_MEMORY", 400: "INTERNAL", 801: "UNSUPPORTED"}
# The calls by which a job finds out whether the device is done. Small jobs ask for nothing else.
WAITS, MAY_WAIT = {"cudaEventQuery"}, {"cudaEventQuery", "cudaEventRecord", "cudaStreamWaitEvent"}
EITHER = {"cudaStreamSynchronize"}  # optional where memory is given back, needed where it is taken
RETRIED, REFUSED, DIED, NOTHING = "retried", "refused", "died", "nothing"
OPENING = {**dict.fromkeys((3, 46, 100, 102, 802, 803, 805, 806, 807, 808, 809, 810), RETRIED),
           **dict.fromkeys((34, 35, 36, 101, 209, 218, 221, 222, 223, 804), REFUSED)}
ROTATE, SIDE, LARGE = 0x0804, 512, 2048
DEVICE_MEMORY = "6M"  # too little for a rotation of LARGE x LARGE, which then runs in host memory
DEATHS_EACH = 3  # deaths of workers before the daemon is replaced; its restarts get slower each time


class CudaFaults:
    """The file from which fail_cuda.c reads its fault."""

    def __init__(self):
        self.file, self.map = mapped(FAULT.size)
        self.env = {"GF_CUDA_FAULT_FILE": self.file.name}

    def arm(self, number, error, sticky=False, only=""):
        """`only` the calls of this name count."""
        FAULT.pack_into(self.map, 0, 0, error, number, 0, sticky, 0, b"", only.encode())
        struct.pack_into("=I", self.map, 0, 1)

    def disarm(self):
        """Clears the fault. Returns the name of the call that failed or None, whether a job can do without it, and how
        many calls there were since arm(NEVER)."""
        _, _, left, fired, _, optional, name, _ = FAULT.unpack_from(self.map)
        self.map[:] = bytes(FAULT.size)
        return name.rstrip(b"\0").decode() if fired else None, bool(optional), NEVER - left


class Session:
    """One request of every kind that a GPU serves, one after the other."""

    def __init__(self, place):
        self.device, pixels = place.device, place.pixels
        self.arena, self.large = memfd(2 * SIDE * SIDE), memfd(2 * LARGE * LARGE)
        os.pwrite(self.arena, pixels, 0)
        os.pwrite(self.large, place.large, 0)
        try:
            with Conn(place.daemon.socket, fd_passing=True) as c:
                self.answers = list(self.talk(c, pixels))
                self.answers += list(self.talk_large(c, place.rotated))
        finally:
            os.close(self.arena)
            os.close(self.large)

    def talk(self, c, pixels):
        shape = picture(SIDE, SIDE)
        sigma = attr(0x1001, F32, 2.0)
        yield c.ask(run(2, self.device, GAUSSIAN, [inline(SIDE, SIDE)], pixels, sigma))
        yield c.ask(run(3, self.device, SELECT, [inline(SIDE, SIDE)], pixels,
                        attr(0x1001, 7, struct.pack("<d", 100.0))))
        yield c.ask(arena_frame(4, 7, 2 * SIDE * SIDE), [self.arena])
        for number in (5, 6):  # the second use page-locks the arena
            os.pwrite(self.arena, bytes(SIDE * SIDE), SIDE * SIDE)
            got = c.ask(run(number, self.device, COPY, [operand(2, 7, 0, SIDE * SIDE, shape)], b"", b"",
                            result(2, 7, SIDE * SIDE, SIDE * SIDE, SIDE)))
            assert got.kind == ERROR or os.pread(self.arena, SIDE * SIDE, SIDE * SIDE) == pixels, "other bits"
            yield got
        yield c.ask(copy(7, self.device, SIDE, SIDE, pixels, result(3, 1)))
        yield c.ask(copy_handle(8, self.device, 1, shape))
        yield c.ask(frame(FREE, 9, attr(26, U32, 1)))
        yield c.ask(drop_frame(10, 7))

    def talk_large(self, c, rotated):
        size = LARGE * LARGE
        yield c.ask(arena_frame(11, 8, 2 * size), [self.large])
        got = c.ask(run(12, self.device, ROTATE, [operand(2, 8, 0, size, picture(LARGE, LARGE))], b"",
                        attr(0x1001, ENUM, 1), result(2, 8, size, size, LARGE)))
        assert got.kind == ERROR or os.pread(self.large, size, size) == rotated, "other bits"
        yield got
        yield c.ask(drop_frame(13, 8))


class Place:
    """A daemon, replaced after DEATHS_EACH deaths of its worker."""

    def __init__(self, device):
        self.device, self.faults, self.daemon = device, CudaFaults(), None
        self.pixels, self.large = pattern(SIDE * SIDE), pattern(LARGE * LARGE)
        self.rotated = b"".join(self.large[x::LARGE][::-1] for x in range(LARGE))

    def start(self):
        self.deaths = 0
        self.daemon = Daemon("--worker-deaths", "16", "--devices", "cpu," + self.device, "--device-memory",
                             DEVICE_MEMORY, env=self.faults.env)

    def fresh(self):
        self.close()
        self.start()
        self.works()
        self.right = [got.payload for got in Session(self).answers]
        assert self.worker()

    def close(self):
        daemon, self.daemon = self.daemon, None
        if daemon:
            daemon.stop()

    def worker(self):
        return worker_of(self.daemon, self.device)

    def works(self):
        """Waits until the device serves requests."""
        device = None
        while device != self.device:
            with self.daemon.conn() as c:
                got = c.ask(copy(2, self.device, 64, 64, self.pixels[:4096]))
            assert got is not None and got.kind == RESULT and got.payload == self.pixels[:4096], got
            device = got.get(11).decode()

    def calls(self, only=""):
        self.faults.arm(NEVER, 0, False, only)
        Session(self)
        return self.faults.disarm()[2]

    def errors(self, answers):
        """The statuses that the client was told; all other answers must be right."""
        told = set()
        for got, right in zip(answers, self.right, strict=True):
            assert got is not None, "the connection ended"
            assert got.text if got.kind == ERROR else got.payload == right, "other bits: %r" % got
            if got.kind == ERROR:
                told.add(next(name for name, number in STATUS.items() if number == got.status))
        return told

    def while_running(self, only, number, error, sticky):
        """Runs one trial. Returns the call that failed and the outcome."""
        worker = self.worker()
        self.faults.arm(number, error, sticky, only)
        answers = Session(self).answers
        call, optional, _ = self.faults.disarm()
        told = self.errors(answers)
        self.works()
        assert [got.payload for got in Session(self).answers] == self.right, "the next session is not right"
        died = self.worker() != worker
        self.deaths += died
        if call is None:
            return only, "not reached"
        if optional and not sticky:
            assert not died and not told, "%s is optional: %s%s" % (call, told, ", worker replaced" if died else "")
        elif call in EITHER and not sticky:
            pass
        elif sticky or error not in ANSWERS or call in WAITS:
            assert died, "the worker lives on after %s" % call
        else:
            assert not died or call in MAY_WAIT, "the worker died after %s" % call
        assert told <= {"DEPENDENCY", *(("DEVICE_LOST", "HANDLE_LOST") if died else (ANSWERS.get(error),))}, told
        return call, ", ".join(["replaced"] * died + sorted(told)) or "right"

    def verdict(self):
        """What the front made of the end of the first worker."""
        log = self.daemon.log()
        for sign, verdict in (("device %s is not ready: " % self.device, RETRIED), ("no device %s: " % self.device, REFUSED),
                              ("worker of %s died: " % self.device, DIED)):
            if sign in log:
                return verdict
        return NOTHING

    def while_starting(self, number, error, certain):
        """Starts a daemon. `certain`: the device is being opened when the call fails."""
        self.close()
        self.faults.arm(number, error)
        self.start()
        with self.daemon.conn() as c:
            end = time.monotonic() + WAIT
            while self.device_state(c) not in (READY, ABSENT):
                assert time.monotonic() < end, self.daemon.log()
            if self.device_state(c) == ABSENT:
                os.kill(self.daemon.pid, signal.SIGHUP)
                while self.device_state(c) == ABSENT:
                    assert time.monotonic() < end, self.daemon.log()
        self.works()
        call, optional, _ = self.faults.disarm()
        verdict = self.verdict()
        if call is None:
            return "", "not reached"
        allowed = {NOTHING if optional else OPENING.get(error, DIED)}
        if not optional and (call in MAY_WAIT or not certain):
            allowed.add(DIED)
        if call in EITHER or error in (2, 801):  # memory is tried for again, and a warm-up may be unsupported
            allowed.add(NOTHING)
        assert verdict in allowed, "%s after %s, not %s" % (verdict, call, allowed)
        return call, verdict

    def device_state(self, c):
        found = figures(c.ask(frame(INFO, 5, attr(27, U32, 3))))
        return found["gpufilter_device_state", 'device="%s"' % self.device]


g_place = None


def trial(job):
    """Runs one trial in a separate process. Returns the job, the call that failed, the outcome, and the complaint if it
    was wrong."""
    global g_place
    device, starting, error, sticky, only, number, certain = job
    try:
        if g_place is None:
            g_place = Place(device)
        if starting:
            return job, *g_place.while_starting(number, error, certain), None
        if g_place.daemon is None or g_place.deaths >= DEATHS_EACH:
            g_place.fresh()
        return job, *g_place.while_running(only, number, error, sticky), None
    except (AssertionError, OSError, NotStarted, StopIteration) as e:
        log = g_place.daemon.log() if g_place.daemon else ""
        if g_place.daemon:
            g_place.daemon.process.kill()
        g_place = None
        return job, only, "WRONG", "%s %s\n%s" % (type(e).__name__, e, log[-2000:])


def finish(_):
    if g_place:
        g_place.close()


def count_calls(device):
    """Counts the calls of a start, of a session, and of each function in a session."""
    place = Place(device)
    place.faults.arm(NEVER, 0)
    place.start()
    place.works()
    starts = place.faults.disarm()[2]
    place.fresh()
    session = place.calls()
    with open(os.path.join(HERE, "cuda_calls.def"), encoding="utf-8") as f:
        names = re.findall(r"^CALL\(\w+, (\w+),", f.read(), re.M)
    each = {name: place.calls(name) for name in names}
    place.close()
    return starts, session, each


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--sticky", type=int, default=8)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--beside", type=int, default=3)
    options = parser.parse_args()
    starts, session, each = count_calls(options.device)
    print("calls of a start and of a session: %d and %d" % (starts, session), flush=True)
    jobs = [(options.device, False, error, False, name, n, False)
            for name, calls in each.items() for error in ONCE for n in places(calls, options.sample)]
    jobs += [(options.device, False, error, True, "", n, False)
             for error in STICKY for n in places(session, options.sticky)]
    jobs += [(options.device, True, error, False, "", n, n <= 20)
             for error in ONCE + tuple(OPENING)
             for n in sorted({*range(1, options.starts + 1), *places(starts, options.starts)})]
    saw, wrong = collections.defaultdict(collections.Counter), []
    with multiprocessing.Pool(options.beside) as pool:
        for job, call, what, text in pool.imap_unordered(trial, jobs):
            saw[job[1], job[3], call, job[2]][what] += 1
            if text:
                wrong.append("%r: %s" % (job, text))
        pool.map(finish, range(4 * options.beside), 1)
    tell(saw)
    return report(len(jobs), wrong)


def tell(saw):
    """Prints a table for each way to fail: a row for each call that failed, a column for each error."""
    for starting, sticky in sorted({key[:2] for key in saw}):
        rows = {key[2:]: seen for key, seen in saw.items() if key[:2] == (starting, sticky)}
        errors = sorted({error for _, error in rows})
        print("| %s | %s |" % ("a start, once" if starting else "a session, from then on" if sticky else "a session, once",
                               " | ".join(map(str, errors))))
        print("| --- |" + " --- |" * len(errors))
        for call in sorted({call for call, _ in rows}):
            cells = (rows.get((call, error), {}) for error in errors)
            print("| %s | %s |" % (call, " | ".join("; ".join("%s %d" % item for item in sorted(seen.items()))
                                                    for seen in cells)), flush=True)
        print()


if __name__ == "__main__":
    sys.exit(main())
