#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs well-behaved clients and misbehaving clients for some minutes, kills and stops workers, and samples the
resources of the processes. Every answer is checked. Prints a table of slopes. Exits with 1 if a slope is not flat, if
an answer was lost, doubled or wrong, or if something is still held at the end.

Private and shared memory are sampled apart. Shared memory is staging, which follows the requests in flight: it grows
while a worker is stopped or when a frame announces a large payload, and is released after ten idle seconds. Staging has
its own limit and must be released at the end. A slope belongs to a least-squares line through the second half of the
run. The half is cut into parts, and the line runs through the minimum of each part: a leak raises the minimum,
temporary memory does not. For workers, which are killed in between, the line is over their age.

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
from faults import DeviceMemory  # noqa: E402
from support import *  # noqa: E402,F403
from walk import copy, ledger, SIDE  # noqa: E402

STRIKE_S = 70  # between two deaths of workers; a minute of good work ends the back-off of restarts
MISCHIEF_S = 0.05
PART_S = 30  # least length of a part of the second half; staging is kept for ten idle seconds
PARTS = 3, 10
YOUNG_S = 10  # until this age a worker allocates memory that it keeps
SEGMENT = 1 << 20  # the segment size with which support.py starts daemons
READY = 2
LOST_WITH_WORKER = {STATUS[name] for name in ("DEVICE_LOST", "REQUEST_POISON", "HANDLE_LOST", "DEPENDENCY")}
CANCELLED = STATUS["CANCELLED"]
SIZES = ((64, 48), (256, 256), (640, 480))


def gauss(number, device, width, height, sigma, pixels):
    body = (attr(11, STRING, device) + operand(1, 0, 0, width * height, view(1, 1, width, height)) + step(GAUSSIAN, 1)
            + attr(0x1001, F32, sigma) + result())
    return frame(RUN, number, body, pixels)


class Counts:
    """Counts the requests and answers of all threads."""

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
    """A well-behaved client: sends batches of requests of every kind and compares each answer."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.dice, self.arena = soak, random.Random(seed), memfd(2 * SIDE * SIDE)
        self.devices = ("auto", *soak.devices)

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
        """Up to eight requests to send at once: {id: (frame, expected result, whether it is cancelled)}."""
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
                data = gauss(number, self.dice.choice(self.devices), width, height, 2.0, pixels[:width * height])
                asked[number] = data, right, kind == 4
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
    """Clients that die at any byte, send random bytes, send invalid arenas, or never read."""

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
                pass  # the connection was refused
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
    """Kills or stops a worker, and measures until its device has answered."""

    def __init__(self, soak, seed):
        super().__init__()
        self.soak, self.dice, self.recoveries = soak, random.Random(seed), []

    def run(self):
        pause = min(STRIKE_S, self.soak.seconds / 4)
        while not self.soak.over.wait(pause):
            workers = self.soak.workers()
            if not workers:
                continue
            device, pid = self.dice.choice(sorted(workers.items()))
            number = signal.SIGKILL if self.dice.randrange(4) else signal.SIGSTOP
            start = time.monotonic()
            try:
                os.kill(pid, number)
                self.soak.counts.add("workers killed" if number == signal.SIGKILL else "workers stopped")
                self.soak.answers_again(device, pid)
                self.recoveries.append((device, number, time.monotonic() - start))
            except (AssertionError, OSError) as e:
                self.soak.counts.complain("after a strike at %s: %s" % (device, e))


def lines_of(pid, name, without):
    return sum(without not in line for line in read_proc(pid, name).splitlines())


def memory_of(pid, who):
    """Memory of a process in KiB: private memory, and shared pages."""
    found = status_of(pid)
    return {who + " private KiB": int(found["RssAnon"].split()[0]), who + " shared KiB": int(found["RssShmem"].split()[0])}


class Soak:
    def __init__(self, options):
        self.seconds = options.minutes * 60
        self.over, self.counts, self.samples = threading.Event(), Counts(), []
        self.pixels, self.gpu, self.born = pattern(640 * 480), DeviceMemory(), {}
        self.daemon = Daemon("--worker-deaths", "16", "--worker-timeout", "3", "--frame-timeout", "2",
                             "--reply-timeout", "2", "--devices", options.devices)
        with self.daemon.conn() as c:
            self.blurred = {(w, h): c.ask(gauss(2, "cpu", w, h, 2.0, self.pixels[:w * h])).payload for w, h in SIZES}
        self.devices = sorted(self.states())
        for device in self.devices:
            self.answers_again(device, None)
        self.fds = fds_of(self.daemon.pid)
        self.strikes = Strikes(self, options.seed)
        self.threads = [self.strikes, Mischief(self, options.seed + 1)]
        self.threads += [Client(self, options.seed + 2 + k) for k in range(options.clients)]

    def figures(self):
        with self.daemon.conn() as c:
            return figures(c.ask(frame(INFO, 5, attr(27, U32, 3))))

    def states(self):
        """The state of each device, by name."""
        return {labels.split('"')[1]: state for (name, labels), state in self.figures().items()
                if name == "gpufilter_device_state"}

    def workers(self):
        """Pids of the daemon's workers, by device."""
        found = {}
        for pid in children(self.daemon.pid):
            words = cmdline(pid)
            if "--device" in words:
                found[words[words.index("--device") + 1]] = pid
        return found

    def works(self, device="cpu"):
        with self.daemon.conn() as c:
            got = c.ask(gauss(5, device, 64, 48, 2.0, self.pixels[:64 * 48]))
        assert got is not None and got.kind == RESULT and got.payload == self.blurred[64, 48], got

    def answers_again(self, device, old):
        """Waits until a worker other than `old` is ready, then sends it work."""
        end = time.monotonic() + WAIT
        while self.workers().get(device) in (None, old) or self.states()[device] != READY:
            assert time.monotonic() < end, "%s is not ready" % device
            self.over.wait(0.01)
        self.works(device)

    def sample(self, start):
        """A row of figures. The figures of a worker include its age."""
        d, now = self.daemon, time.monotonic()
        row = {"seconds": now - start, **memory_of(d.pid, "front"), "front descriptors": fds_of(d.pid),
               "front maps": lines_of(d.pid, "maps", "gpufilterd-staging")}
        for device, pid in self.workers().items():
            who = device + " worker"
            try:
                row.update(memory_of(pid, who))
                row.update({who + " descriptors": len(fd_names(pid)), who + " maps": lines_of(pid, "maps", "memfd:"),
                            who + " threads": len(threads(pid)),
                            who + " age": now - self.born.setdefault(pid, now)})
            except KeyError:
                pass  # the process died while it was sampled
            used = self.gpu.used(int(device[5:])) if device.startswith("cuda:") else None
            if used is not None:
                row[device + " device bytes"] = used
        found = self.figures()
        row["staging bytes"] = found["gpufilter_staging_bytes", ""]
        if row["staging bytes"] > found["gpufilter_staging_limit_bytes", ""]:
            self.counts.complain("%d bytes of staging" % row["staging bytes"])
        row["requests queued"] = found["gpufilter_requests_queued", ""]
        for (name, labels), value in found.items():
            if name == "gpufilter_user_held":
                row["held " + labels.split('resource="')[1].rstrip('"')] = value
        self.samples.append(row)

    def run(self):
        start = time.monotonic()
        for thread in self.threads:
            thread.start()
        every = min(5.0, self.seconds / 300)
        while time.monotonic() - start < self.seconds and not self.counts.wrong:
            time.sleep(every)
            self.sample(start)
        self.over.set()
        for thread in self.threads:
            thread.join()
        self.check_end()
        self.elapsed = time.monotonic() - start

    def check_end(self):
        """Checks that after a while the daemon holds nothing for any client."""
        end = time.monotonic() + WAIT
        while True:
            self.works()
            held, staging = ledger(self.daemon.socket), self.figures()["gpufilter_staging_bytes", ""]
            if not held and fds_of(self.daemon.pid) == self.fds and staging <= SEGMENT:
                break
            if time.monotonic() > end:
                self.counts.complain("at the end: %s; %d descriptors, at first %d; %d bytes of staging" %
                                     (held or "nothing held", fds_of(self.daemon.pid), self.fds, staging))
                break
            time.sleep(0.1)
        for (name, labels), value in self.figures().items():
            if name == "gpufilter_device_answers_total" and 'status="OK"' in labels:
                self.counts.add("done by " + labels.split('"')[1], int(value))


def kept(points):
    """The minimum in each part of the time: [(middle of the part, value)]."""
    first, last = points[0][0], points[-1][0]
    n = max(PARTS[0], min(PARTS[1], int((last - first) / PART_S)))
    parts = collections.defaultdict(list)
    for x, y in points:
        parts[min(int((x - first) / (last - first) * n), n - 1)].append(y)
    return [(first + (last - first) * (k + 0.5) / n, min(parts[k])) for k in sorted(parts)]


def slope(points):
    """The slope of a least-squares line in units per hour, and three times its standard error."""
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    sxx = sum((x - mx) ** 2 for x, _ in points)
    b = sum((x - mx) * (y - my) for x, y in points) / sxx
    rest = sum((y - my - b * (x - mx)) ** 2 for x, y in points)
    return b * 3600, 3.0 * math.sqrt(rest / (n - 2) / sxx) * 3600


# Allowed growth as noise: (per hour, in the whole run). A slope is flat if it is within either.
ALLOWED = {"private KiB": (64, 128), "shared KiB": (64, 4096), "bytes": (65536, 4 << 20)}


def is_flat(name, value, error, hours):
    per_hour, in_all = next((v for k, v in ALLOWED.items() if k in name), (0, 0.5))
    return value <= error or value <= per_hour or value * hours <= in_all


def series(rows, name):
    """(time, value) of a figure; for a figure of workers (age, value), over all of them."""
    age = name.rsplit(" worker ", 1)[0] + " worker age"
    if age in name or " worker " not in name:
        return [(row["seconds"], row[name]) for row in rows if name in row]
    return sorted((row[age], row[name]) for row in rows if name in row and row.get(age, 0) >= YOUNG_S)


def report(soak):
    """Prints the tables. Returns whether all is well."""
    well = not soak.counts.wrong
    late = [row for row in soak.samples if row["seconds"] >= soak.seconds / 2]
    print("%.0f s, %d samples of the second half\n" % (soak.elapsed, len(late)))
    print("| what | least | most | kept at first | at last | an hour | +- | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for name in sorted({k for row in late for k in row if not k.endswith(" age")} - {"seconds"}):
        points = series(late, name)
        low = kept(points) if points and points[0][0] < points[-1][0] else []
        if len(low) < 3:
            continue  # too few samples, because the run was stopped at once
        value, error = slope(low)
        flat = is_flat(name, value, error, (low[-1][0] - low[0][0]) / 3600)
        well &= flat
        print("| %s | %g | %g | %g | %g | %+.1f | %.1f | %s |" % (
            name, min(y for _, y in points), max(y for _, y in points), low[0][1], low[-1][1], value, error,
            "flat" if flat else "NOT FLAT"))
    print("\n| event | count |\n| --- | ---: |")
    for name, n in sorted(soak.counts.by_name.items()):
        print("| %s | %d |" % (name.replace("_", " "), n))
    for device in soak.devices:
        for number, word in ((signal.SIGKILL, "killed"), (signal.SIGSTOP, "stopped")):
            times = sorted(t for d, n, t in soak.strikes.recoveries if (d, n) == (device, number))
            if times:
                print("| answer of %s after its worker was %s, ms | %.0f to %.0f |" % (
                    device, word, 1000 * times[0], 1000 * times[-1]))
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
