#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes each call to CUDA fail once in the worker of a GPU, during a session and during the worker's start. Calls that
allocate memory fail with "out of memory"; all calls fail with sticky errors. Every time the front must live, and each
request must have one answer, which is the right bits or a documented status. A worker with a lost context must end and
be replaced by one that works; a worker without memory must live on and work. Needs a GPU.

usage: walk_cuda.py [--device NAME] [--sample N] [--others N] [--starts N] [--beside N]
--sample N: at most N places of a session for the first sticky error, 0: all; --others N: at most N places for each
of the other sticky errors; --starts N: places of a start. GF_WORKER names gf_fault_worker."""
import argparse
import collections
import multiprocessing
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from faults import FAULT, NEVER, mapped, places, report  # noqa: E402
from support import *  # noqa: E402,F403
from walk_device import COPY, SELECT, copy, copy_handle, inline, picture, run, worker_of  # noqa: E402

MEMORY, ALL = 1, 2
NO_MEMORY_ERROR, STICKY = 2, (719, 46, 304, 700, 999)
SIDE = 512
DEATHS_EACH = 3  # deaths of workers before the daemon is replaced; its restarts get slower each time
ALLOWED = {
    MEMORY: {STATUS[name] for name in ("NO_DEVICE_MEMORY", "DEPENDENCY")},
    ALL: {STATUS[name] for name in ("DEVICE_LOST", "HANDLE_LOST", "DEPENDENCY")},
}


class CudaFaults:
    """The file from which fail_cuda.c reads its fault."""

    def __init__(self):
        self.file, self.map = mapped(FAULT.size)
        self.env = {"GF_CUDA_FAULT_FILE": self.file.name}

    def arm(self, kind, number, error):
        FAULT.pack_into(self.map, 0, 0, error, number, 0, 1 if kind == MEMORY else 2)
        struct.pack_into("=I", self.map, 0, kind)

    def disarm(self):
        """Clears the fault. Returns how many calls failed, and how many calls there were since arm(NEVER)."""
        _, _, left, fired, _ = FAULT.unpack_from(self.map)
        self.map[:] = bytes(FAULT.size)
        return fired, NEVER - left


class Session:
    """One request of every kind that a GPU serves, one after the other."""

    def __init__(self, place):
        self.device, pixels = place.device, place.pixels
        self.arena = memfd(2 * SIDE * SIDE)
        os.pwrite(self.arena, pixels, 0)
        try:
            with Conn(place.daemon.socket, fd_passing=True) as c:
                self.answers = list(self.talk(c, pixels))
        finally:
            os.close(self.arena)

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


class Place:
    """A daemon, replaced after DEATHS_EACH deaths of its worker."""

    def __init__(self, device):
        self.device, self.faults, self.daemon = device, CudaFaults(), None
        self.pixels = pattern(SIDE * SIDE)

    def start(self):
        self.deaths = 0
        self.daemon = Daemon("--worker-deaths", "16", "--devices", "cpu," + self.device, env=self.faults.env)

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

    def calls(self, kind):
        self.faults.arm(kind, NEVER, 0)
        Session(self)
        return self.faults.disarm()[1]

    def judge(self, got, right, kind):
        assert got is not None, "the connection ended"
        if got.kind == ERROR:
            assert got.status in ALLOWED[kind] and got.text, got
            return True
        assert got.payload == right, "other bits: %r" % got
        return False

    def while_running(self, kind, number, error):
        """Runs one trial. Returns what the client saw."""
        worker = self.worker()
        self.faults.arm(kind, number, error)
        answers = Session(self).answers
        fired, _ = self.faults.disarm()
        errors = sum(self.judge(got, right, kind) for got, right in zip(answers, self.right, strict=True))
        self.works()
        assert [got.payload for got in Session(self).answers] == self.right, "the next session is not right"
        died = self.worker() != worker
        assert not died or kind == ALL, "the worker died for want of memory"
        self.deaths += died
        return "not reached" if not fired else ("errors" if errors else "nothing") + (", worker replaced" if died else "")

    def while_starting(self, kind, number, error):
        self.close()
        self.faults.arm(kind, number, error)
        self.start()
        self.works()
        fired, _ = self.faults.disarm()
        died = "worker of %s died" % self.device in self.daemon.log()
        return "not reached" if not fired else "worker replaced" if died else "nothing"


g_place = None


def trial(job):
    """Runs trials in a separate process. Returns (what was seen, the complaint if it was wrong)."""
    global g_place
    device, starting, kind, number, error = job
    try:
        if g_place is None:
            g_place = Place(device)
        if starting:
            return job, g_place.while_starting(kind, number, error), None
        if g_place.daemon is None or g_place.deaths >= DEATHS_EACH:
            g_place.fresh()
        return job, g_place.while_running(kind, number, error), None
    except (AssertionError, OSError, NotStarted) as e:
        log = g_place.daemon.log() if g_place.daemon else ""
        if g_place.daemon:
            g_place.daemon.process.kill()
        g_place = None
        return job, "WRONG", "%s %s\n%s" % (type(e).__name__, e, log[-2000:])


def finish(_):
    if g_place:
        g_place.close()


def count_calls(device):
    """Counts the calls of a session and of a start: calls that allocate memory, and all calls."""
    place, counts = Place(device), {}
    for kind in (MEMORY, ALL):
        place.close()
        place.faults.arm(kind, NEVER, 0)
        place.start()
        place.works()
        counts[True, kind] = place.faults.disarm()[1]
    place.fresh()
    for kind in (MEMORY, ALL):
        counts[False, kind] = place.calls(kind)
    place.close()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--others", type=int, default=8)
    parser.add_argument("--starts", type=int, default=16)
    parser.add_argument("--beside", type=int, default=3)
    options = parser.parse_args()
    counts = count_calls(options.device)
    jobs = []
    jobs += [(options.device, False, MEMORY, n, NO_MEMORY_ERROR) for n in places(counts[False, MEMORY], 0)]
    for error, sample in [(STICKY[0], options.sample)] + [(error, options.others) for error in STICKY[1:]]:
        jobs += [(options.device, False, ALL, n, error) for n in places(counts[False, ALL], sample)]
    for kind, error in ((MEMORY, NO_MEMORY_ERROR), (ALL, STICKY[0])):
        jobs += [(options.device, True, kind, n, error) for n in places(counts[True, kind], options.starts)]
    print("calls that take memory, and all: %d and %d of a start, %d and %d of a session" % tuple(
        counts[starting, kind] for starting in (True, False) for kind in (MEMORY, ALL)), flush=True)
    saw, wrong = collections.defaultdict(collections.Counter), []
    with multiprocessing.Pool(options.beside) as pool:
        for job, what, text in pool.imap_unordered(trial, jobs):
            saw[job[1:3] + job[4:]][what] += 1
            if text:
                wrong.append("%r: %s" % (job, text))
        tell(saw, counts)
        pool.map(finish, range(4 * options.beside), 1)
    return report(len(jobs), wrong)


def tell(saw, counts):
    for (starting, kind, error), seen in sorted(saw.items()):
        print("%-8s error %3d calls %5d trials %4d: %s" % (
            "starting" if starting else "running", error, counts[starting, kind], sum(seen.values()),
            ", ".join("%s %d" % item for item in sorted(seen.items()))), flush=True)


if __name__ == "__main__":
    sys.exit(main())
