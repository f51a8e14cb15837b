# SPDX-License-Identifier: MIT
"""Descriptors whose close() blocks: a file on FUSE whose server is silent, sockets that linger for an hour, large
memory. Wherever a client sends them, the other clients must be served, and SIGKILL must end the front. An answer to
another client is the proof: a front that waited for such a close would wait longer than any test."""
import contextlib
import os
import select
import signal
import socket
import unittest

import fuse
from support import *  # noqa: F403

ATTACKER = 65001
USER_CLOSING, AT_ONCE = 16, 253  # GF_USER_CLOSING of fd_closer.h; SCM_MAX_FD
MOST = USER_CLOSING - 1 + AT_ONCE + 2  # processes that close for one user: what it may have, one message more, and two spare
LINGER_S = 3600
ARGS = ("--socket-mode", "666")
MEMORY = 64 << 20


@contextlib.contextmanager
def user(uid):
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def where(pid):
    """The kernel function in which each thread of a process waits."""
    return [read_proc(pid, "task/%d/wchan" % thread) for thread in threads(pid)]


def closers(keeper):
    """The closers in the keeper's process group, without zombies."""
    found = []
    for pid in processes():
        state, _, group = (stat_of(pid) or ["Z", "0", "0"])[:3]
        if state != "Z" and int(group) == keeper and pid != keeper and comm(pid) == CLOSER:
            found.append(pid)
    return found


class Lingering:
    """TCP sockets with more unsent data than their peers take, so that the last close waits for LINGER_S. still() makes
    the front perform that last close."""

    def __init__(self, still):
        self.still = still
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.peers = []

    def one(self):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        s.connect(self.listener.getsockname())
        self.peers.append(self.listener.accept()[0])
        s.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                s.send(bytes(65536))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_S))
        return s.detach()

    def send(self, sock, data, count=1, flags=0):
        """Sends the data with `count` sockets and closes the local copies."""
        fds = [self.one() for _ in range(count)]
        with self.still():
            sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))],
                         flags | socket.MSG_NOSIGNAL)
            for fd in fds:
                os.close(fd)

    def give_up(self):
        for peer in self.peers:
            peer.close()
        self.listener.close()


class Base(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root for a second user")
        self.daemon = Daemon(*ARGS, mode=0o755)
        self.keepers = []
        self.meet()
        self.path = self.daemon.socket
        self.stops = 0
        self.addCleanup(self.end)

    def meet(self):
        self.keeper = next(pid for pid in children(self.daemon.pid) if comm(pid) == CLOSER)
        self.keepers.append(self.keeper)
        self.victim = self.daemon.conn(fd_passing=True)

    def end(self):
        """Checks that no process of the daemons is left."""
        self.victim.close()
        if self.daemon.process.poll() is None:
            self.daemon.stop()
        self.until(lambda: not any(comm(pid) or closers(pid) for pid in self.keepers), "processes are left")

    @staticmethod
    def until(condition, what):
        end = time.monotonic() + WAIT
        while not condition():
            assert time.monotonic() < end, what

    def served(self, times=20):
        for _ in range(times):
            self.victim.next += 1
            got = self.victim.ask(cross(self.victim.next))
            self.assertIsNotNone(got, "the victim's connection ended")
            self.assertEqual((got.kind, got.id, got.payload), (RESULT, self.victim.next, CROSS), got)

    def replace_keeper(self):
        """Kills the keeper; returns when its successor's closers are there."""
        os.kill(self.keeper, signal.SIGKILL)
        self.served()
        found = []
        while not found:
            found = [pid for pid in children(self.daemon.pid) if comm(pid) == CLOSER and pid not in self.keepers]
            self.assertIsNone(self.daemon.process.poll(), "the daemon ended")
        (self.keeper,) = found
        self.keepers.append(self.keeper)
        self.until(lambda: closers(self.keeper), "nobody closes")

    def attacker(self, **options):
        with user(ATTACKER):
            return self.daemon.conn(**options)

    def send(self, odd, data, count=1, flags=0, **options):
        """A connection on which the attacker has sent the data, with odd descriptors at its first byte."""
        c = self.attacker(**options)
        odd.send(c.sock, data, count, flags)
        return c

    def unread(self, odd, count=1):
        """Like attacker(), but the front stands still until all data has arrived, then closes before it reads them."""
        with self.still():
            c = self.attacker(greet=False)
            c.sock.sendall(b"no frame" * 4096)
            odd.send(c.sock, b"x", count)
        return c

    @contextlib.contextmanager
    def still(self):
        """Stops the front for the length of the block."""
        self.stops += 1
        stop_process(self.daemon.pid)
        yield
        self.stops -= 1
        if self.stops == 0:
            os.kill(self.daemon.pid, signal.SIGCONT)

    def everywhere(self, odd):
        """Connections that have sent the descriptors at every place of the stream, allowed or not."""
        inside = gaussian(5, 64, 64, bytes(4096))
        yield self.send(odd, hello(nfds=1), greet=False)
        yield self.send(odd, hello(nfds=0), greet=False)
        yield self.send(odd, hello(nfds=1)[:9], greet=False)
        yield self.send(odd, arena_frame(5, 1, 4096))
        yield self.send(odd, arena_frame(5, 1, 4096), 2)
        yield self.send(odd, frame(PING, 5))
        yield self.send(odd, b"Z", flags=socket.MSG_OOB)
        c = self.attacker()
        c.send(inside[:-2000])
        odd.send(c.sock, inside[-2000:-1000])
        odd.send(c.sock, b"x")
        yield c
        yield self.unread(odd)

    def stuck(self, name):
        return [pid for pid in closers(self.keeper) if any(name in w for w in where(pid))]

    def check_front(self):
        for place in where(self.daemon.pid):
            self.assertNotRegex(place, "fuse|request_wait|linger|sk_stream")

    def next_daemon(self):
        """SIGKILL ends the front, its clients see the end, and the next front serves."""
        old = self.daemon
        old.process.kill()
        self.assertEqual(old.process.wait(WAIT), -signal.SIGKILL)
        self.assertIsNone(self.victim.recv())
        self.victim.close()
        self.daemon = Daemon("--socket", self.path, *ARGS)
        self.daemon.socket = self.path
        self.meet()
        self.served()
        shutil.rmtree(old.dir)


class Silent(Base):
    """A file on FUSE."""

    def setUp(self):
        if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
            self.skipTest("needs root, and /dev/fuse")
        self.files = fuse.Server()
        self.addCleanup(self.files.stop)
        if not self.files.ready():
            self.skipTest("no file system in user space can be mounted here")
        super().setUp()
        self.addCleanup(self.files.answer)  # before the daemons are looked at

    def test_everywhere(self):
        held = []
        for n, c in enumerate(self.everywhere(self.files)):
            with self.subTest(place=n):
                held.append(c)
                self.served()
                self.check_front()
        self.until(lambda: len(self.stuck("request_wait")) >= len(held), "they are not stuck")
        os.kill(self.daemon.worker(), signal.SIGKILL)  # the next one is started beside what does not close
        self.until(lambda: self.victim.ask(cross(7)).kind == RESULT, "no worker")
        self.served()
        self.next_daemon()
        for c in held:
            c.close()

    def test_keeper_killed(self):
        """What the killed processes were closing blocks them alone; the next ones close what comes."""
        held = [self.send(self.files, frame(PING, 5))]
        self.until(lambda: len(self.stuck("request_wait")) == 1, "it is not stuck")
        self.replace_keeper()
        held.append(self.send(self.files, frame(PING, 5)))
        self.served()
        self.check_front()
        self.until(lambda: len(self.stuck("request_wait")) == 1, "it is not stuck")
        self.next_daemon()
        for c in held:
            c.close()

    def test_told_to_end(self):
        c = self.send(self.files, frame(PING, 5))
        self.served()
        self.daemon.stop()
        c.close()
        self.until(lambda: len(self.stuck("request_wait")) == 1, "it is not stuck")

    def test_bounded(self):
        """A user occupies only its share of the closers; at its limit the front pauses reading from that user alone."""
        held = [self.attacker() for _ in range(4)]
        for c in held:
            self.files.send(c.sock, frame(PING, 5), AT_ONCE)
        self.served()
        last = self.attacker(greet=False)
        last.send(hello())
        held += [self.unread(self.files) for _ in range(20)]
        self.served(100)
        self.check_front()
        self.assertFalse(select.select([last.sock], [], [], 0)[0], "a user at its limit is read from")
        self.until(lambda: len(self.stuck("request_wait")) >= AT_ONCE, "they are not stuck")
        self.served()
        self.assertLessEqual(len(closers(self.keeper)), MOST)
        self.assertEqual(self.daemon.log().count("reading from a user paused"), 1, self.daemon.log())
        self.files.answer()
        self.assertEqual(last.recv().kind, HELLO_REPLY)
        self.served()
        for c in [last, *held]:
            c.close()
        self.until(lambda: len(closers(self.keeper)) <= 2, "processes are left")


class Sockets(Base):
    """TCP sockets that linger."""

    def setUp(self):
        super().setUp()
        self.tcp = Lingering(self.still)
        self.addCleanup(self.tcp.give_up)

    def test_everywhere(self):
        held = []
        for n, c in enumerate(self.everywhere(self.tcp)):
            with self.subTest(place=n):
                held.append(c)
                self.served()
                self.check_front()
        for c in held:
            c.close()
        self.served()
        self.next_daemon()

    def test_many(self):
        """300 sockets, sent in two messages and in data that the front has not read."""
        ready = [self.attacker(), self.attacker()]

        def ping(n):
            self.tcp.send(ready[-1].sock, frame(PING, 5), n)
            return ready.pop()

        for act in (ping, lambda n: self.unread(self.tcp, n)):
            held = [act(AT_ONCE), act(300 - AT_ONCE)]
            self.served()
            self.check_front()
            self.assertLessEqual(len(closers(self.keeper)), MOST)
            for c in held:
                c.close()
        self.served()
        self.until(lambda: len(closers(self.keeper)) <= 2, "sockets linger on")
        self.assertTrue(self.attacker().ping(), "nothing is left to be closed, and yet nothing is read")


class Stopped(Base):
    """Checks which descriptors go to the closers, which are stopped meanwhile."""

    def setUp(self):
        super().setUp()
        self.served()

    def pause(self):
        """Stops all closers, including closers that are started meanwhile."""
        self.paused = []
        self.addCleanup(self.go_on)
        self.until(lambda: closers(self.keeper), "nobody closes")
        while new := set(closers(self.keeper)) - set(self.paused):
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    stop_process(pid)
                    self.paused.append(pid)

    def go_on(self):
        for pid in self.paused:
            os.kill(pid, signal.SIGCONT)
        self.paused = []

    def memories(self):
        return sum("memfd:attack" in name for name in fd_names(self.daemon.pid))

    def arena(self, size):
        """Declares an arena and drops the test's own descriptor."""
        fd = memfd(size)
        self.assertEqual(self.victim.ask(arena_frame(5, 1, 4096), [fd]).kind, DONE)
        os.close(fd)
        self.assertEqual(self.memories(), 1)
        self.assertEqual(self.victim.ask(drop_frame(6, 1)).kind, DONE)

    def test_large_memory(self):
        """The front's loop frees the pages of a small arena itself and leaves a large arena to a closer."""
        self.pause()
        self.arena(4096)
        self.assertEqual(self.memories(), 0)
        self.arena(MEMORY)
        self.assertEqual(self.memories(), 1)
        self.served()
        self.go_on()
        self.until(lambda: self.memories() == 0, "the arena is kept")

    def test_honest_work(self):
        """Ordinary requests need no closer."""
        fd = memfd(1 << 20)
        self.pause()
        for _ in range(3):
            with self.daemon.conn() as c:
                self.assertEqual(c.ask(arena_frame(5, 1, 1 << 20), [fd]).kind, DONE)
                self.assertEqual(c.ask(cross(7)).payload, CROSS)
        os.close(fd)
        self.until(lambda: self.memories() == 0, "an arena is kept")
        self.go_on()

    def test_workers_start(self):
        """A worker that starts while a descriptor is being closed has no copy of it."""
        self.pause()
        ends = os.pipe()
        c = self.attacker()
        c.send(frame(PING, 5), [ends[0]])
        self.served()
        self.assertTrue(any(name.startswith("pipe:[%d]" % os.fstat(ends[0]).st_ino) for name in fd_names(self.daemon.pid)))
        before = self.daemon.worker()
        os.kill(before, signal.SIGKILL)
        self.until(lambda: self.daemon.worker() not in (None, before), "no worker")
        self.until(lambda: self.victim.ask(cross(7)).kind == RESULT, "it does not work")
        for fd in (ends[1], ends[0]):
            os.close(fd)
        c.close()
        self.go_on()

    def test_killed(self):
        """The front starts other processes when the keeper is killed, which close what waits, and serves meanwhile."""
        for n in range(3):
            self.pause()
            self.arena(MEMORY)
            self.assertEqual(self.memories(), 1)
            self.paused = []
            self.replace_keeper()
            self.until(lambda: self.memories() == 0, "the arena is kept")
            self.served()
            fd = memfd(4096)
            self.assertEqual(self.victim.ask(arena_frame(5, 1, 4096), [fd]).kind, DONE)
            self.assertEqual(self.victim.ask(drop_frame(6, 1)).kind, DONE)
            os.close(fd)
            log = self.daemon.log()
            self.assertEqual(log.count("the processes that close descriptors were killed; others take their place"), n + 1)
            self.assertEqual(log.count("descriptors are closed again: waiting=1"), n + 1)


if __name__ == "__main__":
    unittest.main()
