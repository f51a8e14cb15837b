#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients that work and clients that misbehave, workers that are killed and stopped, for some minutes; meanwhile what
the processes hold is sampled. Every answer is checked. Ends with a table of slopes, and with 1 when one is not flat,
when an answer was lost, doubled or wrong, or when something is held at the end.

usage: soak.py MINUTES [--clients N] [--devices LIST] [--samples FILE] [--seed N]
GF_DAEMON and GF_WORKER name the programs; scripts/soak builds them and calls this."""
import argparse
import collections
import math
import os
import random
import signal
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from support import *  # noqa: E402,F403
from walk import copy, ledger, SIDE  # noqa: E402

STRIKE_S = 50  # between two deaths of workers: fewer in ten minutes than set a device aside
MISCHIEF_S = 0.05
WARM_UP = 0.25  # of the time, before which samples do not count
LOST_WITH_WORKER = {STATUS[name] for name in ("DEVICE_LOST", "REQUEST_POISON", "HANDLE_LOST", "DEPENDENCY")}
CANCELLED = STATUS["CANCELLED"]
SIZES = ((64, 48), (256, 256), (640, 480))


def gauss(number, device, width, height, sigma, pixels):
    body = (attr(11, STRING, device) + operand(1, 0, 0, width * height, view(1, 1, width, height)) + step(GAUSSIAN, 1)
            + attr(0x1001, F32, sigma) + result())
    return frame(RUN, number, body, pixels)


class Counts:
    """What was asked and answered, by all threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.by_name = collections.Counter()
        self.wrong = []

    def add(self, name, n=1):
        with self.lock:
            self.by_name[name] += n

    def complain(self, text):
        with self.lock:
            if len(self.wrong) < 20:
                self.wrong.append(text)
            self.by_name["wrong"] += 1


class Client(threading.Thread):
    """Somebody who does nothing wrong: batches of requests of all ways, each answer compared."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.dice, self.arena = soak, random.Random(seed), memfd(2 * SIDE * SIDE)

    def run(self):
        try:
            while not self.soak.over.is_set():
                with self.soak.daemon.conn(fd_passing=True) as c:
                    for _ in range(self.dice.randrange(1, 40)):
                        if not self.soak.over.is_set():
                            self.batch(c)
        except (AssertionError, OSError) as e:
            self.soak.counts.complain("client: %s %s" % (type(e).__name__, e))
        finally:
            os.close(self.arena)

    def batch(self, c):
        """Up to eight requests at once: {id: (frame, what its result must be, whether it is cancelled)}."""
        pixels, asked = self.soak.pixels, {}
        c.send(arena_frame(90, 1, 2 * SIDE * SIDE), [self.arena])
        for number in range(1, self.dice.randrange(2, 9)):
            kind = self.dice.randrange(5)
            if kind == 0:
                asked[number] = cross(number), CROSS, False
            elif kind == 1:
                asked[number] = copy(number, arena=1), b"", False
            elif kind == 2:
                asked[number] = copy(number, make=number, payload=pixels[:SIDE * SIDE]), b"", False
                asked[number + 20] = copy(number + 20, read=number), pixels[:SIDE * SIDE], False
                asked[number + 40] = frame(FREE, number + 40, attr(26, U32, number)), None, False
            else:
                width, height = self.dice.choice(SIZES)
                right = self.soak.blurred[width, height]
                asked[number] = (gauss(number, "auto", width, height, 2.0, pixels[:width * height]), right, kind == 4)
        for number, (data, _, cancel) in asked.items():
            c.send(data + frame(CANCEL, number) if cancel else data)
        c.send(drop_frame(91, 1) + frame(INFO, 92, attr(27, U32, 2)))
        self.collect(c, asked)

    def collect(self, c, asked):
        open_ids = set(asked) | {90, 91, 92}
        while open_ids:
            got = c.recv()
            if got is None or got.id not in open_ids:
                self.soak.counts.complain("%r, while %s are open" % (got, sorted(open_ids)))
                raise AssertionError("the stream is not to be followed")
            open_ids.discard(got.id)
            _, right, cancel = asked.get(got.id, (None, None, False))
            self.soak.counts.add("answers")
            if got.kind == ERROR:
                self.soak.counts.add("cancelled" if got.status == CANCELLED else "lost with a worker")
                if not (got.status in LOST_WITH_WORKER or (cancel and got.status == CANCELLED)):
                    self.soak.counts.complain("%r" % got)
            elif right is not None and got.payload != right:
                self.soak.counts.complain("other bits: %r" % got)


class Mischief(threading.Thread):
    """Clients that die at any byte, send bytes that mean nothing, arenas that are none, and never read."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.dice = soak, random.Random(seed)

    def run(self):
        deeds = (self.dies, self.bad_bytes, self.bad_arena, self.never_reads)
        while not self.soak.over.wait(MISCHIEF_S):
            deed = self.dice.choice(deeds)
            try:
                deed()
            except (OSError, AssertionError):
                pass  # it was turned away
            self.soak.counts.add(deed.__name__)

    def dies(self):
        data = hello() + cross(3) + gauss(4, "auto", 256, 256, 2.0, self.soak.pixels[:65536]) + copy(
            5, make=1, payload=self.soak.pixels[:SIDE * SIDE]) + frame(PING, 6)
        with Conn(self.soak.daemon.socket, greet=False) as c:
            c.send(data[:self.dice.randrange(len(data))])

    def bad_bytes(self):
        data = bytearray(hello() + cross(3) + frame(INFO, 5, attr(27, U32, 2)))
        for _ in range(self.dice.randrange(1, 4)):
            data[self.dice.randrange(len(data))] = self.dice.randrange(256)
        with Conn(self.soak.daemon.socket, greet=False) as c:
            c.send(bytes(data))
            c.half_close()
            c.rest()

    def bad_arena(self):
        fd = memfd(65536, seals=self.dice.choice((0, SHRINK, SEALS | WRITE)), allocate=False)
        try:
            with self.soak.daemon.conn(fd_passing=True) as c:
                c.ask(arena_frame(2, 1, 65536), [fd])
        finally:
            os.close(fd)

    def never_reads(self):
        with self.soak.daemon.conn(buffer=4096) as c:
            c.sock.setblocking(False)
            try:
                c.sock.send(b"".join(gauss(k, "auto", 64, 48, 2.0, self.soak.pixels[:3072]) for k in range(2, 30)))
            except BlockingIOError:
                pass


class Strikes(threading.Thread):
    """Kills or stops the worker, and measures until the next answer."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.dice, self.recoveries = soak, random.Random(seed), []

    def run(self):
        pause = min(STRIKE_S, self.soak.seconds / 4)
        while not self.soak.over.wait(pause):
            pid = self.soak.daemon.worker()
            number = signal.SIGKILL if self.dice.randrange(4) else signal.SIGSTOP
            if not pid:
                continue
            start = time.monotonic()
            os.kill(pid, number)
            self.soak.counts.add("workers killed" if number == signal.SIGKILL else "workers stopped")
            try:
                self.soak.works()
                self.recoveries.append((number, time.monotonic() - start))
            except (AssertionError, OSError) as e:
                self.soak.counts.complain("after a strike: %s" % e)


def lines_of(pid, name):
    return read_proc(pid, name).count("\n")


class Soak:
    def __init__(self, options):
        self.seconds = options.minutes * 60
        self.over, self.counts, self.samples = threading.Event(), Counts(), []
        self.pixels = pattern(640 * 480)
        self.daemon = Daemon("--worker-deaths", "16", "--worker-timeout", "3", "--frame-timeout", "2",
                             "--reply-timeout", "2", "--devices", options.devices)
        with self.daemon.conn() as c:
            self.blurred = {(w, h): c.ask(gauss(2, "cpu", w, h, 2.0, self.pixels[:w * h])).payload for w, h in SIZES}
        self.works()
        self.fds = fds_of(self.daemon.pid)
        self.strikes = Strikes(self, options.seed)
        self.threads = [self.strikes, Mischief(self, options.seed + 1)]
        self.threads += [Client(self, options.seed + 2 + k) for k in range(options.clients)]

    def works(self):
        with self.daemon.conn() as c:
            got = c.ask(cross(5))
        assert got is not None and got.kind == RESULT and got.payload == CROSS, got

    def sample(self, start):
        d = self.daemon
        row = {"seconds": time.monotonic() - start, "front RSS KiB": rss_kb(d.pid), "front descriptors": fds_of(d.pid),
               "front maps": lines_of(d.pid, "maps")}
        worker = d.worker()
        try:
            row.update({"worker RSS KiB": rss_kb(worker), "worker descriptors": len(fd_names(worker)),
                        "worker maps": lines_of(worker, "maps"),
                        "worker threads": len(os.listdir("/proc/%d/task" % worker))} if worker else {})
        except (FileNotFoundError, ProcessLookupError, StopIteration):
            pass  # it died while it was looked at
        with d.conn() as c:
            found = figures(c.ask(frame(INFO, 5, attr(27, U32, 3))))
        row["staging bytes"] = found["gpufilter_staging_bytes", ""]
        row["requests queued"] = found["gpufilter_requests_queued", ""]
        for (name, labels), value in found.items():
            if name == "gpufilter_user_held":
                row["held " + labels.split('resource="')[1].rstrip('"')] = value
        self.samples.append(row)

    def run(self):
        start = time.monotonic()
        for thread in self.threads:
            thread.start()
        every = min(10.0, self.seconds / 60)
        while time.monotonic() - start < self.seconds and not self.counts.wrong:
            time.sleep(every)
            self.sample(start)
        self.over.set()
        for thread in self.threads:
            thread.join()
        self.check_end()
        self.elapsed = time.monotonic() - start

    def check_end(self):
        """Nothing is held by anybody, after a while."""
        end = time.monotonic() + WAIT
        while True:
            self.works()
            held = ledger(self.daemon.socket)
            if not held and fds_of(self.daemon.pid) == self.fds:
                return
            if time.monotonic() > end:
                self.counts.complain("at the end: %s; %d descriptors, at first %d" %
                                     (held or "nothing held", fds_of(self.daemon.pid), self.fds))
                return


def slope(points):
    """Of a least-squares line: units an hour, and three times its standard error."""
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    sxx = sum((x - mx) ** 2 for x, _ in points)
    b = sum((x - mx) * (y - my) for x, y in points) / sxx
    rest = sum((y - my - b * (x - mx)) ** 2 for x, y in points)
    return b * 3600, 3.0 * math.sqrt(rest / (n - 2) / sxx) * 3600


# What a slope may add up to in an hour, and within this run, whichever is more: noise of short runs.
ALLOWED = {"KiB": (64, 512), "bytes": (65536, 4 << 20)}


def is_flat(name, value, error, hours):
    per_hour, in_all = next((v for k, v in ALLOWED.items() if k in name), (0, 0.5))
    if name.startswith("worker"):
        value = max(value, 0)  # a new worker has less at first
    return abs(value) <= error or abs(value) <= per_hour or abs(value) * hours <= in_all


def report(soak):
    """Prints the tables; whether all is well."""
    well = not soak.counts.wrong
    late = [row for row in soak.samples if row["seconds"] >= WARM_UP * soak.seconds]
    hours = (late[-1]["seconds"] - late[0]["seconds"]) / 3600
    print("%.0f s, %d samples after the first %.0f s\n" % (soak.elapsed, len(late), WARM_UP * soak.seconds))
    print("| what | least | most | an hour | +- | |\n| --- | ---: | ---: | ---: | ---: | --- |")
    for name in sorted({k for row in late for k in row} - {"seconds"}):
        points = [(row["seconds"], row[name]) for row in late if name in row]
        value, error = slope(points)
        flat = is_flat(name, value, error, hours)
        well &= flat
        print("| %s | %g | %g | %+.1f | %.1f | %s |" % (name, min(y for _, y in points), max(y for _, y in points),
                                                      value, error, "flat" if flat else "NOT FLAT"))
    print("\n| event | count |\n| --- | ---: |")
    for name, n in sorted(soak.counts.by_name.items()):
        print("| %s | %d |" % (name.replace("_", " "), n))
    for number, word in ((signal.SIGKILL, "killed"), (signal.SIGSTOP, "stopped")):
        times = sorted(t for n, t in soak.strikes.recoveries if n == number)
        if times:
            print("| next answer after a worker was %s, ms | %.0f to %.0f |" % (word, 1000 * times[0], 1000 * times[-1]))
    for text in soak.counts.wrong:
        print("WRONG: " + text)
    return well


def write_samples(path, samples):
    names = ["seconds"] + sorted({k for row in samples for k in row} - {"seconds"})
    with open(path, "w", encoding="utf-8") as f:
        f.write(",".join(names) + "\n")
        for row in samples:
            f.write(",".join("%g" % row[n] if n in row else "" for n in names) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("minutes", type=float)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--samples", help="file for all samples, as CSV")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    soak = Soak(options)
    soak.run()
    well = report(soak)
    if options.samples:
        write_samples(options.samples, soak.samples)
    log = soak.daemon.log()
    soak.daemon.stop()
    if not well:
        print("\nThe end of the daemon's log:\n" + "\n".join(log.splitlines()[-40:]))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
