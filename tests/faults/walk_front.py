#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strikes the front many times. Clients leave in every phase, half-close, send invalid arenas, send floods of
descriptors and guessed handles, read or send too slowly, or are too many. The front is killed, told to end, stopped,
started twice. Every time a well-behaved client must get each answer with the right bits, and nothing may be held
afterwards. Prints a table.

usage: walk_front.py [--count N] [--clients N] [ROW ...]
GF_DAEMON and GF_WORKER name the programs. Needs no GPU."""
import argparse
import collections
import os
import random
import select
import shutil
import signal
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from support import *  # noqa: E402,F403
from test_arenas import PAGE, Arenas  # noqa: E402
from test_clients import Deaths, child  # noqa: E402
from test_handles import NO_SUCH_HANDLE, SIZE, copy, free  # noqa: E402
from walk import ledger  # noqa: E402
from walk_device import spread  # noqa: E402

SHUTDOWN = STATUS["SHUTDOWN"]
WINDOW = 4        # requests that a client has in flight
GUESSES = 1000    # guessed handles per counted strike
SLOW_S = 0.5      # frame-timeout and reply-timeout against slow clients
STOP_S = 4.0      # the front stands still, longer than every timeout
FEW = 512         # descriptors of a front that has too few
ROOM = ("--max-connections", "2100", "--user-connections", "2000", "--user-requests", "100000")


class Seen:
    """The results of a row of the table."""

    def __init__(self):
        self.lock, self.times, self.answers, self.other, self.wrong = threading.Lock(), 0, 0, collections.Counter(), []
        self.recoveries = []

    def complain(self, text):
        with self.lock:
            self.wrong.append(text)

    def answered(self):
        with self.lock:
            self.answers += 1

    def note(self, what, n=1):
        with self.lock:
            self.other[what] += n

    def line(self, name):
        return "| %s | %d | %d | %d | %s | %s |" % (
            name, self.times, self.answers, len(self.wrong),
            ", ".join("%s %d" % item for item in sorted(self.other.items())) or "none", spread(self.recoveries))


class Client(threading.Thread):
    """Sends the same request repeatedly. Reconnects after the connection ended, if it was allowed to end."""

    def __init__(self, place):
        super().__init__()
        self.place, self.seen, self.served = place, place.seen, 0.0

    def run(self):
        while not self.place.over.is_set():
            try:
                with Conn(self.place.socket, greet=False) as c:
                    c.send(hello())
                    if self.kind_of(c.recv()) == HELLO_REPLY:
                        self.talk(c)
            except (AssertionError, OSError) as e:
                self.seen.complain("a client: %s %s" % (type(e).__name__, e))
                return

    def kind_of(self, got):
        """The kind of a frame. None at the end of the connection, which may end only after the front was struck."""
        assert got is not None or self.place.struck, "the connection ended"
        return got.kind if got is not None else None

    def talk(self, c):
        number, asked, leaving = 1, {}, False
        while asked or not (leaving or self.place.over.is_set()):
            while len(asked) < WINDOW and not (leaving or self.place.over.is_set()):
                number += 1
                if not c.send(cross(number)):
                    break
                asked[number] = time.monotonic()
            got = c.recv()
            kind = self.kind_of(got)
            if kind is None:
                break
            if kind == GOAWAY:
                leaving = True
                continue
            sent = asked.pop(got.id)
            if kind == ERROR:
                assert got.status == SHUTDOWN and self.place.drains and sent > self.place.struck, got
                self.seen.note("SHUTDOWN")
                continue
            assert got.payload == CROSS, "other bits"
            self.seen.answered()
            self.served = time.monotonic()
        lost = [sent for sent in asked.values() if self.place.drains and sent < self.place.struck]
        assert not lost, "%d requests were read and not answered" % len(lost)
        if asked:
            self.seen.note("ended connections")


class Place:
    """A listening socket that stays, as with systemd's socket activation, successive daemons that serve it, and
    clients."""

    def __init__(self, seen, clients, drains):
        self.seen, self.drains, self.struck, self.over = seen, drains, 0.0, threading.Event()
        self.dir = tempfile.mkdtemp(prefix="gf-front-")
        self.socket = os.path.join(self.dir, "d.sock")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.socket)
        self.listener.listen(2 * clients)
        self.start()
        self.clients = [Client(self) for _ in range(clients)]
        for client in self.clients:
            client.start()

    def start(self):
        ready, told = os.pipe()
        listener = self.listener.fileno()
        script = 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&%d' % listener
        with open(os.path.join(self.dir, "log"), "ab") as log:
            self.process = subprocess.Popen(
                ["sh", "-c", script, "sh", os.environ["GF_DAEMON"], "--worker", os.environ["GF_WORKER"], "--devices",
                 "cpu", "--ready-fd", str(told)],
                pass_fds=[listener, told], stderr=log, stdout=log, preexec_fn=end_with_parent)
        os.close(told)
        with os.fdopen(ready) as f:
            line = f.readline().strip()
        assert line == "READY", line

    def all_served(self, since):
        end = time.monotonic() + WAIT
        while min(client.served for client in self.clients) <= since:
            assert time.monotonic() < end and not self.seen.wrong, "somebody is not served"
            self.over.wait(0.001)

    def strike(self, number):
        """Ends the front by a signal. The next front must serve all clients, and no worker may outlive the front."""
        workers = [os.pidfd_open(pid) for pid in children(self.process.pid)]
        self.struck = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(WAIT)
        assert code == (-number if number == signal.SIGKILL else 0), code
        self.start()
        self.all_served(time.monotonic())
        self.seen.recoveries.append(time.monotonic() - self.struck)
        for pidfd in workers:
            assert select.select([pidfd], [], [], WAIT)[0], "a worker outlives its front"
            os.close(pidfd)

    def close(self):
        self.over.set()
        for client in self.clients:
            client.join()
        self.process.terminate()
        assert self.process.wait(WAIT) == 0
        self.listener.close()
        assert sorted(os.listdir(self.dir)) == ["d.sock", "log"], os.listdir(self.dir)
        shutil.rmtree(self.dir)


def fronts(options, seen, number):
    place = Place(seen, options.clients, number == signal.SIGTERM)
    try:
        place.all_served(0.0)
        for _ in range(options.count):
            place.strike(number)
            seen.times += 1
    finally:
        place.close()


def private_kib(pid):
    """Private memory; staging is shared memory and has its own limit."""
    return int(status_of(pid)["RssAnon"].split()[0])


class Watched:
    """A daemon, a bystander that must not be disturbed, and the initial state."""

    def __init__(self, seen, *args, **options):
        self.seen, self.daemon = seen, Daemon(*args, **options)
        self.socket, self.struck, self.drains, self.over = self.daemon.socket, 0.0, False, threading.Event()
        with self.daemon.conn() as c:
            assert c.ask(cross(2)).payload == CROSS
            self.fds = fds_of(self.daemon.pid) - 1
        self.worker, self.kib = self.daemon.worker(), private_kib(self.daemon.pid)
        self.bystander = Client(self)
        self.bystander.start()
        self.meanwhile()

    def meanwhile(self):
        """Waits until the bystander has been served once more. Returns how long that took."""
        begin = time.monotonic()
        while self.bystander.served <= begin:
            assert time.monotonic() < begin + WAIT and not self.seen.wrong, "the bystander is not served"
            self.over.wait(0.001)
        return time.monotonic() - begin

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.over.set()
        self.bystander.join()
        if kind:
            self.daemon.process.kill()
            return
        begin = time.monotonic()
        while ledger(self.socket) or fds_of(self.daemon.pid) != self.fds:
            assert time.monotonic() < begin + WAIT, "%s; %s" % (ledger(self.socket), fd_names(self.daemon.pid))
        self.seen.recoveries.append(time.monotonic() - begin)
        assert self.daemon.worker() == self.worker, "the worker died"
        self.seen.note("KiB more", max(0, private_kib(self.daemon.pid) - self.kib))
        self.daemon.stop()

    def alone(self):
        """Whether only the bystander's connection is left."""
        return fds_of(self.daemon.pid) <= self.fds + 1


class Phases:
    """The actions after which a client goes."""

    def __init__(self):
        self.fd, self.big = memfd(4096), memfd(2 * 65536)
        self.acts = [act for _, act in Deaths.phases(self)]

    def close(self):
        os.close(self.fd)
        os.close(self.big)


def leaving(options, seen, how):
    phases = Phases()
    with Watched(seen) as place:
        for _ in range(options.count):
            how(place, phases.acts)
            seen.times += len(phases.acts)
    phases.close()


def close_each(place, acts):
    for act in acts:
        with place.daemon.conn(fd_passing=True) as c:
            act(c)


def kill_each(place, acts):
    pids = [child(place.socket, act) for act in acts]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        os.waitpid(pid, 0)


def half_close(options, seen):
    with Watched(seen) as place:
        for _ in range(options.count):
            with place.daemon.conn() as c:
                c.send(b"".join(cross(number) for number in range(2, 6)))
                c.half_close()
                found = c.rest()
            assert sorted(got.id for got in found) == [2, 3, 4, 5] and {got.payload for got in found} == {CROSS}, found
            seen.times += 1


def bad_arenas(options, seen):
    with Watched(seen) as place:
        for _ in range(options.count):
            with place.daemon.conn(fd_passing=True) as c:
                for number, (name, fd) in enumerate(Arenas.bad_descriptors(None)):
                    got = c.ask(arena_frame(number + 2, number, PAGE), [fd])
                    os.close(fd)
                    assert (got.kind, got.status) == (ERROR, BAD_ARENA), (name, got)
                    seen.times += 1


def descriptors(options, seen):
    """Unannounced descriptors, as many as a message can carry, with frames that take none."""
    null = os.open("/dev/null", os.O_RDWR)
    with Watched(seen) as place:
        for _ in range(options.count):
            with place.daemon.conn() as c:
                c.send(frame(PING, 2), [null] * 253)
                assert c.rest()[-1].status == BAD_FRAME
                seen.times += 1
    os.close(null)


def guesses(options, seen):
    """Guesses the handles of another connection's buffers."""
    dice = random.Random(1)
    with Watched(seen) as place, place.daemon.conn() as owner, place.daemon.conn() as other:
        known = [dice.randrange(1 << 32) for _ in range(8)]
        for handle in known:
            assert owner.ask(copy(2, make=handle, payload=bytes([handle & 255]) * SIZE)).kind == RESULT
        for _ in range(options.count):
            guess = [dice.randrange(1 << 32) if k % 2 else dice.choice(known) + dice.randrange(-4, 5) & 0xFFFFFFFF
                     for k in range(GUESSES)]
            thread = threading.Thread(target=other.send, args=(b"".join(
                copy(k + 2, read=handle) if k % 4 == 3 else free(k + 2, handle) for k, handle in enumerate(guess)),))
            thread.start()
            for _ in guess:
                got = other.recv()
                assert (got.kind, got.status) == (ERROR, NO_SUCH_HANDLE), got
            thread.join()
            seen.times += GUESSES
        for handle in known:
            assert owner.ask(copy(3, read=handle)).payload == bytes([handle & 255]) * SIZE


def slow(options, seen, data, greet):
    """Connections that send some bytes, then neither send nor read. They are closed, and others are served."""
    held, waited = [], 0.0
    with Watched(seen, *ROOM, "--frame-timeout", str(SLOW_S), "--reply-timeout", str(SLOW_S)) as place:
        for _ in range(options.count):
            held.append(Conn(place.socket, greet=greet, buffer=4096))
            held[-1].sock.setblocking(False)
            try:
                held[-1].sock.send(data)
            except BlockingIOError:
                pass
            seen.times += 1
        end = time.monotonic() + WAIT
        while not place.alone():
            assert time.monotonic() < end, "%d descriptors" % fds_of(place.daemon.pid)
            waited = max(waited, place.meanwhile())
        for c in held:
            c.sock.settimeout(WAIT)
            c.rest()
            c.close()
    seen.note("ms at most that another waited", round(1000 * waited))


def idle(options, seen):
    with Watched(seen, *ROOM) as place:
        held = [place.daemon.conn() for _ in range(options.count)]
        seen.times = len(held)
        for _ in range(100):
            place.meanwhile()
        seen.note("bytes of each", (private_kib(place.daemon.pid) - place.kib) * 1024 // len(held))
        for c in held:
            assert c.ping()
            c.close()


def cpu_s(pid):
    return sum(map(int, stat_of(pid)[11:13])) / os.sysconf("SC_CLK_TCK")


def knock(path, held, most):
    """Connects until `most` connections are held or the kernel's backlog is full."""
    try:
        while len(held) < most:
            held.append(Conn(path, greet=False))
            held[-1].send(hello())
    except BlockingIOError:
        pass


def too_many(options, seen):
    """More connections than the front has descriptors: the excess waits, at no cost, and is accepted as others
    close."""
    with Watched(seen, *ROOM, nofile=FEW) as place:
        place.over.set()
        place.bystander.join()
        held, total = collections.deque(), FEW + options.count
        knock(place.socket, held, total)
        begin, cpu = time.monotonic(), cpu_s(place.daemon.pid)
        assert not select.select([held[-1].sock], [], [], 1.0)[0]
        seen.note("% of a processor meanwhile",
                  round(100 * (cpu_s(place.daemon.pid) - cpu) / (time.monotonic() - begin)))
        while held:
            c = held.popleft()
            assert c.recv().kind == HELLO_REPLY
            c.close()
            seen.answered()
            seen.times += 1
            knock(place.socket, held, total - seen.times)


def stopped(options, seen):
    """The front stands still for longer than every timeout: no client or worker may be punished for that."""
    with Watched(seen, "--frame-timeout", "3", "--reply-timeout", "3", "--worker-timeout", "3") as place:
        with place.daemon.conn() as half:
            for number in range(2, 2 + options.count):
                half.send(cross(number)[:40])
                os.kill(place.daemon.pid, signal.SIGSTOP)
                assert not select.select([half.sock], [], [], STOP_S)[0]
                os.kill(place.daemon.pid, signal.SIGCONT)
                half.send(cross(number)[40:])
                begin = time.monotonic()
                got = half.recv()
                assert got is not None and got.payload == CROSS, got
                seen.recoveries.append(time.monotonic() - begin)
                seen.times += 1


def twice(options, seen):
    """A second daemon at the same path ends. A killed daemon leaves a socket that the next daemon takes over."""
    first = Daemon()
    for _ in range(options.count):
        begin = time.monotonic()
        try:
            Daemon("--socket", first.socket).stop()
            raise AssertionError("it serves a path that is served")
        except NotStarted as e:
            assert e.code == 75 and "another gpufilterd" in str(e), e
        with Conn(first.socket) as c:
            assert c.ask(cross(2)).payload == CROSS
        first.process.kill()
        first.process.wait()
        begin = time.monotonic()
        next_one = Daemon("--socket", first.socket)
        with Conn(first.socket) as c:
            assert c.ask(cross(2)).payload == CROSS
        seen.recoveries.append(time.monotonic() - begin)
        seen.answers += 2
        seen.times += 1
        next_one.socket, first.process, first.pid = first.socket, next_one.process, next_one.pid
        shutil.rmtree(next_one.dir)
    first.log_path = os.devnull
    first.stop()


UNREAD = b"".join(gaussian(k, 64, 48, pattern(3072)) for k in range(2, 66))
ROWS = {
    "close": ("client closes, at each of 13 phases", leaving, close_each),
    "kill": ("client is killed, at each of 13 phases", leaving, kill_each),
    "half": ("client half-closes behind its requests", half_close),
    "front": ("front killed (SIGKILL)", fronts, signal.SIGKILL),
    "drain": ("front told to end (SIGTERM)", fronts, signal.SIGTERM),
    "stopped": ("front stopped and continued", stopped),
    "twice": ("second front at the path; then a stale socket", twice),
    "arenas": ("what is no arena", bad_arenas),
    "descriptors": ("253 descriptors that nobody announced", descriptors),
    "guesses": ("numbers of buffers of others, guessed", guesses),
    "unread": ("64 requests, nothing read", slow, UNREAD, True),
    "byte": ("one byte, then nothing", slow, b"G", False),
    "idle": ("idle connections", idle),
    "many": ("connections beyond %d descriptors" % FEW, too_many),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--clients", type=int, default=8, help="of a front that is killed or told to end (%(default)s)")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    options = parser.parse_args()
    print("| what happens | times | answers | lost or wrong | besides | recovery, ms |")
    print("| --- | ---: | ---: | ---: | --- | ---: |", flush=True)
    wrong = []
    for key in options.rows or ROWS:
        name, row, *args = ROWS[key]
        seen = Seen()
        try:
            row(options, seen, *args)
        except (AssertionError, OSError, NotStarted, subprocess.TimeoutExpired) as e:
            seen.complain("%s %s" % (type(e).__name__, e))
        print(seen.line(name), flush=True)
        wrong += seen.wrong
        for text in seen.wrong:
            print("WRONG: " + text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
