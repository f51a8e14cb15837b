# SPDX-License-Identifier: MIT
"""Descriptors, staging and connections run out, and two users share a daemon. Each client gets the right message; after
that the daemon works as before."""
import os
import re
import resource
import select
import subprocess
import tempfile
import threading
import unittest

from support import *  # noqa: F403

NOBODY = 65534
NOFILE = 512  # of which 192 are for clients


class Descriptors(Case):
    """A daemon with so few descriptors that a handful of clients takes them all."""

    OPTIONS = {"nofile": NOFILE}

    def test_connections_wait(self):
        held = [Conn(self.daemon.socket, greet=False) for _ in range(250)]
        for c in held:
            c.send(hello())
        for _ in range(50):
            self.bystander()
        ready = select.select([c.sock for c in held], [], [], 0)[0]
        served = [c for c in held if c.sock in ready]
        self.assertGreater(len(served), 10)
        self.assertLess(len(served), NOFILE)
        self.bystander()
        for c in served:
            self.assertEqual(c.recv().kind, HELLO_REPLY)
            c.close()
        while len(served) < len(held):  # waiting connections are accepted as others close
            waiting = [c for c in held if c not in served]
            ready = select.select([c.sock for c in waiting], [], [], WAIT)[0]
            self.assertTrue(ready, "those that wait never come in")
            for c in [c for c in waiting if c.sock in ready]:
                self.assertEqual(c.recv().kind, HELLO_REPLY)
                c.close()
                served.append(c)

    def test_arenas(self):
        """Arenas until no descriptor is left get RESOURCE_FDS; after some are dropped, arenas work again."""
        fd = memfd(4096)
        held, got = [], None
        for _ in range(20):
            try:
                c = self.daemon.conn(fd_passing=True)
            except AssertionError:
                break
            held.append(c)
            for number in range(16):
                got = c.ask(arena_frame(5, number, 4096), [fd])
                if got is None or got.kind == ERROR:
                    break
            if got is None or got.kind == ERROR:
                break
        self.assertIsNotNone(got, "closed instead of refused")
        self.assertEqual(got.status, RESOURCE_FDS, got)
        self.bystander()
        self.assertTrue(held[-1].ping())
        for number in range(8):
            self.assertEqual(held[0].ask(drop_frame(6, number)).kind, DONE)
        self.assertEqual(held[-1].ask(arena_frame(5, 99, 4096), [fd]).kind, DONE)
        for c in held:
            c.close()
        os.close(fd)

    def test_taken_away(self):
        """An administrator lowers the limit below what is open: clients wait, and nothing is lost."""
        d = self.daemon
        resource.prlimit(d.pid, resource.RLIMIT_NOFILE, (fds_of(d.pid), NOFILE))
        fd = memfd(4096)
        try:
            late = Conn(d.socket, greet=False)
            late.send(hello())
            for _ in range(20):
                self.bystander()
            self.assertFalse(select.select([late.sock], [], [], 0)[0])
            got = self.healthy.ask(arena_frame(60, 1, 4096), [fd])
            self.assertEqual(got.status, RESOURCE_FDS, got)
            self.bystander()
        finally:
            resource.prlimit(d.pid, resource.RLIMIT_NOFILE, (NOFILE, NOFILE))
            os.close(fd)
        self.assertEqual(late.recv().kind, HELLO_REPLY)
        late.close()


    def test_taken_away_from_the_worker(self):
        """A worker that cannot receive an arena's descriptor fails that arena alone and works on."""
        worker, side = self.daemon.worker(), 64
        fd = memfd(2 * side * side)
        run = (operand(2, 1, 0, side * side, view(1, 1, side, side)) + step(GAUSSIAN, 1) + attr(0x1001, F32, 0.0)
               + result(2, 1, side * side, side * side, side))
        with self.daemon.conn(fd_passing=True) as c:
            limit = resource.prlimit(worker, resource.RLIMIT_NOFILE)
            resource.prlimit(worker, resource.RLIMIT_NOFILE, (len(fd_names(worker)), limit[1]))
            try:
                self.assertEqual(c.ask(arena_frame(5, 1, 2 * side * side), [fd]).kind, DONE)
                got = c.ask(frame(RUN, 6, run))
                self.assertEqual((got.id, got.status), (6, RESOURCE_FDS), got)
                self.bystander()
            finally:
                resource.prlimit(worker, resource.RLIMIT_NOFILE, limit)
            self.assertEqual(c.ask(drop_frame(7, 1)).kind, DONE)
            self.assertEqual(c.ask(arena_frame(8, 1, 2 * side * side), [fd]).kind, DONE)
            self.assertEqual(c.ask(frame(RUN, 9, run)).kind, RESULT)
        os.close(fd)


class Few(unittest.TestCase):
    def test_does_not_start(self):
        """With fewer free descriptors than one message can carry, the kernel would drop descriptors silently."""
        with self.assertRaises(NotStarted) as caught:
            Daemon(nofile=NOFILE - 1)
        self.assertEqual(caught.exception.code, 71)
        self.assertIn("the limit of open files is 511; at least 512 are needed", str(caught.exception))


class Streams(Case):
    """A daemon started without standard streams must not write its log into another descriptor."""

    ARGS = ("--log-level", "debug")
    OPTIONS = {"closed": (0, 1, 2)}

    def test_log_goes_nowhere(self):
        for _ in range(50):
            with Conn(self.daemon.socket, greet=False) as c:
                c.send(b"no frame" * 8)
                self.expect_broken(c, STATUS["BAD_FRAME"])
            self.bystander()
        for fd in range(3):
            self.assertEqual(os.readlink("/proc/%d/fd/%d" % (self.daemon.pid, fd)), "/dev/null")


class FullDisk(Case):
    """Standard error is a full device: every line of the log is lost, and nothing else is."""

    ARGS = ("--log-level", "debug")
    OPTIONS = {"log": "/dev/full"}

    def test_log_is_lost(self):
        for _ in range(50):
            with Conn(self.daemon.socket, greet=False) as c:
                c.send(b"no frame" * 8)
                self.expect_broken(c, STATUS["BAD_FRAME"])
            self.bystander()


class Connections(Case):
    ARGS = ("--max-connections", "8", "--user-connections", "8")

    def test_limit(self):
        for _ in range(5):
            held = [self.daemon.conn() for _ in range(7)]
            for _ in range(30):
                with self.daemon.conn() as c:
                    got = c.place()
                    self.assertEqual(got.status, BUSY, got)
                    self.assertGreater(struct.unpack("<I", got.get(4))[0], 0, "RETRY_MS")
                    self.assertEqual(c.rest(), [])
            self.bystander()
            for c in held:
                self.assertTrue(c.ping())
                c.close()
            self.until(lambda: fds_of(self.daemon.pid) == self.fds, "connections are kept")

    def test_command(self):
        """While others hold every place, the command still reports health, and requests are told to try again."""
        held = [self.daemon.conn() for _ in range(7)]
        fds = fds_of(self.daemon.pid)
        env = {**os.environ, "GPUFILTER_SOCKET": self.daemon.socket}
        with tempfile.TemporaryDirectory() as where:
            name = os.path.join(where, "a.pgm")
            with open(name, "wb") as f:
                f.write(b"P5 4 3 255\n" + PIXELS)
            for words, code, text in ((["health"], 0, "ready: cpu is ready"), (["devices"], 0, "cpu     ready"),
                                      (["gaussian", name, os.path.join(where, "b.pgm")], 75,
                                       "the server already has 8 connections, the limit")):
                ran = subprocess.run([os.environ["GF_CLIENT"], *words], env=env, capture_output=True, text=True)
                self.assertEqual(ran.returncode, code, ran)
                self.assertIn(text, ran.stdout + ran.stderr)
                self.until(lambda: fds_of(self.daemon.pid) == fds, "the command's connection is kept")
            self.assertEqual(os.listdir(where), ["a.pgm"])
        for c in held:
            self.assertTrue(c.ping())
            c.close()
        self.until(lambda: fds_of(self.daemon.pid) == self.fds, "connections are kept")


class Staging(Case):
    ARGS = ("--staging-max", "4M", "--user-staging", "3M", "--max-inline", "2M", "--user-requests", "4")

    def test_waits_for_room(self):
        """Inline data above the limit is read as room becomes free; every request is answered."""
        payload = pattern(1 << 20)
        data = b"".join(gaussian(k + 1, 1024, 1024, payload, sigma=0.0) for k in range(3))
        wrong = []

        def client():
            with self.daemon.conn() as c:
                sender = threading.Thread(target=c.send, args=(data,))
                sender.start()
                found = [c.recv() for _ in range(3)]
                sender.join()
                wrong.extend(f for f in found if f is None or f.kind != RESULT or f.payload != payload)

        threads = [threading.Thread(target=client) for _ in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_never_fits(self):
        with self.daemon.conn() as c:
            c.send(gaussian(5, 1536, 1024, bytes(1536 * 1024)))  # 1.5 MiB in and 1.5 MiB out fit exactly
            self.assertEqual(c.recv().kind, RESULT)
            c.send(gaussian(5, 1600, 1024, bytes(1600 * 1024)))
            got = self.expect_refused(c, 5, QUOTA)
            self.assertEqual(struct.unpack("<Q", got.get(3))[0], 2 * 1600 * 1024)

    def test_held_by_the_dead(self):
        """Room reserved for payloads that never come is freed when their clients go."""
        for _ in range(5):
            head = gaussian(5, 1024, 1024, bytes(1 << 20))[:-(1 << 20)]
            held = [self.daemon.conn() for _ in range(4)]
            for c in held:
                c.send(head)
            for c in held:
                c.close()
            self.bystander()


@unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
class Users(Case):
    ARGS = ("--socket-mode", "666", "--user-connections", "4", "--user-requests", "2", "--user-arena-bytes", "8192",
            "--user-staging", "1M")
    OPTIONS = {"mode": 0o755}

    def as_nobody(self, act):
        """Runs act() as another user; returns its result as text."""
        ready, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                os.write(told, str(act()).encode())
            except BaseException as e:  # noqa: B902
                os.write(told, repr(e).encode())
            finally:
                os._exit(0)
        os.close(told)
        with os.fdopen(ready) as f:
            text = f.read()
        os.waitpid(pid, 0)
        return text

    def test_quotas(self):
        """One user uses up its quota; the quota of the other user is unaffected."""
        mine = [self.daemon.conn() for _ in range(3)]
        with self.daemon.conn() as c:
            got = c.place()
            self.assertEqual(got.status, QUOTA, got)
            self.assertIn("user 0", got.text)
            self.assertEqual(c.rest(), [])
        fd = memfd(8192)
        self.assertEqual(mine[0].ask(arena_frame(5, 1, 8192), [fd]).kind, DONE)
        self.assertEqual(mine[1].ask(arena_frame(5, 1, 1), [fd]).status, QUOTA)

        def other():
            conns = [self.daemon.conn(fd_passing=True) for _ in range(4)]
            with self.daemon.conn() as c:
                one_more = [c.place()] + c.rest()
            theirs = memfd(8192)
            first = conns[0].ask(arena_frame(5, 1, 8192), [theirs])
            second = conns[1].ask(arena_frame(5, 1, 1), [theirs])
            done = conns[2].ask(cross(5))
            return [f.status for f in one_more], first.kind, second.status, done.payload == CROSS, one_more[0].text

        text = self.as_nobody(other)
        self.assertTrue(text.startswith("([%d], %d, %d, True" % (QUOTA, DONE, QUOTA)), text)
        self.assertIn("user %d" % NOBODY, text)
        for c in mine:
            c.close()
        os.close(fd)

    def test_memory_of_others(self):
        """The gaps of a result never show data that other users left in staging."""
        secret = b"SECRET__" * 8192
        for _ in range(3):
            self.assertEqual(self.healthy.ask(gaussian(50, 256, 256, secret, sigma=0.0)).payload, secret)

        def other():
            c = self.daemon.conn()
            body = gaussian_body(16, 255, dst=(1, 0, 0, 0, 256))
            got = c.ask(frame(RUN, 5, body, bytes(16 * 255)))
            return len(got.payload), b"SECRET" in got.payload, got.payload.count(0)

        size = 254 * 256 + 16
        self.assertEqual(self.as_nobody(other), str((size, False, size)))


@unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
class Permissions(Case):
    OPTIONS = {"mode": 0o755}

    def test_socket_is_private(self):
        self.assertEqual(os.stat(self.daemon.socket).st_mode & 0o777, 0o600)
        text = Users.as_nobody(self, lambda: self.daemon.conn())
        self.assertTrue(re.match("PermissionError", text), text)


if __name__ == "__main__":
    unittest.main()
