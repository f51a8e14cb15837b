# SPDX-License-Identifier: MIT
"""One person with many uids, and memory charged to another user: totals and shares of every resource, which uids count
as one user, holes in arenas, answers that stay unread."""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from support import *  # noqa: F403

MIB = 1 << 20
PUNCH, KEEP_SIZE = 2, 1
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_longlong, ctypes.c_longlong]
ROOT = os.geteuid() == 0
SHARED = {"mode": 0o755}


def punch(fd, offset, size):
    if LIBC.fallocate(fd, PUNCH | KEEP_SIZE, offset, size) != 0:
        raise OSError(ctypes.get_errno(), "fallocate")


def allocated(fd):
    return os.fstat(fd).st_blocks * 512


class Person:
    """A process with another uid that runs act(). Descriptors that act() leaves open stay open until the process
    ends."""

    def __init__(self, uid, act, login=None):
        ready, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                end_with_parent()
                if login:
                    has_login(login)
                os.setgroups([])
                os.setresgid(uid, uid, uid)
                os.setresuid(uid, uid, uid)
                os.write(told, json.dumps(act()).encode() + b"\n")
                signal.pause()
            except BaseException as e:  # noqa: B902
                os.write(told, json.dumps(repr(e)).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(told)
        with os.fdopen(ready) as f:
            self.said = json.loads(f.readline())

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Persons(Case):
    """A case with several users."""

    def setUp(self):
        self.persons = []

    def tearDown(self):
        for p in self.persons:
            p.end()
        super().tearDown()

    def person(self, uid, act, login=None):
        self.persons.append(Person(uid, act, login))
        return self.persons[-1].said

    def figure(self, name, labels=""):
        with self.daemon.conn() as c:
            return told(c)[name, labels]


def connect_all(path, most):
    """Connections until one is refused: how many, and why no more. They stay open."""
    held = []
    while len(held) < most:
        c = Conn(path, greet=False)
        c.send(hello())
        got = c.recv()
        if got is not None and got.kind == HELLO_REPLY:  # a place, or leave to look on
            got = c.place()
        if got is None or got.status != STATUS["NO_SUCH_HANDLE"]:
            return len(held), got.status if got else -1, got.text if got else ""
        held.append(c)
        KEPT.append(c)
    return len(held), 0, ""


KEPT = []  # of a person, until it ends


@unittest.skipUnless(ROOT, "needs root for other users")
class Connections(Persons):
    ARGS = ("--socket-mode", "666", "--max-connections", "64", "--user-connections", "32")
    OPTIONS = SHARED

    def test_many_uids_leave_some(self):
        """Eight uids take all connections they can get; a ninth still gets its own."""
        path = self.daemon.socket
        got = [self.person(65001 + i, lambda: connect_all(path, 64)) for i in range(8)]
        self.assertTrue(all(n > 0 for n, _, _ in got), got)
        self.assertLess(sum(n for n, _, _ in got), 63, got)
        self.assertIn("would exceed the share of", got[-1][2])
        self.assertIn("of what others leave of 64 (max-connections)", got[-1][2])
        victim = self.person(65050, lambda: Conn(path).ask(cross(5)).payload == CROSS)
        self.assertIs(victim, True)


@unittest.skipUnless(ROOT, "needs root for other users")
class Subuids(Persons):
    """/etc/subuid gives uid 65001 a range of uids; the daemon counts the range as one user."""

    ARGS = ("--socket-mode", "666", "--max-connections", "1024", "--user-connections", "16")

    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.mkdtemp(prefix="gf-subuid-")
        cls.addClassCleanup(shutil.rmtree, cls.files)
        with open(os.path.join(cls.files, "subuid"), "w", encoding="utf-8") as f:
            f.write("65001:100000:65536\n")
        made = not os.path.exists("/etc/subuid")
        if made:
            open("/etc/subuid", "w", encoding="utf-8").close()
        script = os.path.join(cls.files, "daemon")
        with open(script, "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\nexec unshare -m sh -c \'mount --bind "$0" /etc/subuid && exec "$@"\' %s %s "$@"\n'
                    % (os.path.join(cls.files, "subuid"), os.environ["GF_DAEMON"]))
        os.chmod(script, 0o755)
        if made:
            cls.addClassCleanup(os.unlink, "/etc/subuid")
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            raise unittest.SkipTest("mount namespaces are not allowed here")
        before = os.environ["GF_DAEMON"]
        os.environ["GF_DAEMON"] = script
        cls.OPTIONS = SHARED
        try:
            super().setUpClass()
        finally:
            os.environ["GF_DAEMON"] = before

    def test_range_counts_as_its_owner(self):
        path = self.daemon.socket
        self.assertEqual(self.person(65001, lambda: connect_all(path, 10))[0], 10)
        self.assertEqual(self.person(100000, lambda: connect_all(path, 20))[0], 6)
        n, status, text = self.person(165535, lambda: connect_all(path, 20))
        self.assertEqual((n, status), (0, QUOTA), text)
        self.assertIn("user 65001 holds 16 connections", text)
        self.assertEqual(self.person(165536, lambda: connect_all(path, 16))[0], 16)

    def test_figures_are_the_owners(self):
        path = self.daemon.socket
        for uid in range(100100, 100110):
            self.person(uid, lambda: Conn(path).ping())
        with self.daemon.conn() as c:
            found = told(c)
        uids = {labels for name, labels in found if name == "gpufilter_user_connections_total"}
        self.assertIn('uid="65001"', uids)
        self.assertFalse([u for u in uids if u.startswith('uid="1001')], uids)


def has_login(uid):
    """Sets the login uid of this process. False if that is not permitted."""
    try:
        with open("/proc/self/loginuid", "w", encoding="utf-8") as f:
            f.write(str(uid))
        return True
    except OSError:
        return False


def may_log_in():
    pid = os.fork()
    if pid == 0:
        os._exit(0 if has_login(4711) else 1)
    return os.waitpid(pid, 0)[1] == 0


@unittest.skipUnless(ROOT and may_log_in(), "needs root, and login uids that may be set")
class Logins(Persons):
    """With login uids as identity, a process that changes its uid remains the same user."""

    ARGS = ("--socket-mode", "666", "--user-connections", "8", "--user-identity", "loginuid")
    OPTIONS = SHARED

    def test_other_uid_same_login(self):
        path = self.daemon.socket
        self.assertEqual(self.person(65001, lambda: connect_all(path, 5), login=4711)[0], 5)
        self.assertEqual(self.person(65002, lambda: connect_all(path, 20), login=4711)[0], 3)
        n, status, text = self.person(65003, lambda: connect_all(path, 20), login=4711)
        self.assertEqual((n, status), (0, QUOTA), text)
        self.assertIn("login user 4711 holds 8 connections", text)
        self.assertEqual(self.person(65004, lambda: connect_all(path, 8), login=4712)[0], 8)
        self.assertEqual(self.person(65005, lambda: connect_all(path, 8))[0], 8)  # by uid

    def test_inline_data_of_another_uid_is_cleared(self):
        """Two uids of one login are one user, but neither sees the data that the other left."""
        path, secret = self.daemon.socket, b"SECRET__" * 8192

        def write():
            return Conn(path).ask(gaussian(5, 256, 256, secret, sigma=0.0)).payload == secret

        def read():
            got = Conn(path).ask(frame(RUN, 5, gaussian_body(16, 255, dst=(1, 0, 0, 0, 256)), bytes(16 * 255)))
            return len(got.payload), got.payload.count(0)

        self.assertIs(self.person(65001, write, login=4711), True)
        self.assertEqual(self.person(65002, read, login=4711), [254 * 256 + 16] * 2)


def told(c):
    """The figures by name and labels."""
    return figures(c.ask(frame(INFO, 5, attr(27, U32, 3))))


def held_by(c, uid):
    return told(c)["gpufilter_user_held", 'uid="%d",resource="inline_bytes"' % uid]


def hold_staging(path, uid, waiting):
    """Asks for large answers without reading them until a request has to wait; returns their number."""
    side, n = 1024, 0
    payload = pattern(side * side)
    run = gaussian(5, side, side, payload, sigma=0.0)
    head = run[:-len(payload)]
    look = Conn(path)
    before = 0
    while True:
        c = Conn(path, buffer=4096)
        KEPT.append(c)
        c.send(head)
        while True:
            held = held_by(look, uid)
            if held > before:
                break
            if told(look)["gpufilter_connections_waiting", ""] > waiting:
                return n
        before = held
        c.send(payload)
        n += 1


@unittest.skipUnless(ROOT, "needs root for other users")
class Staging(Persons):
    ARGS = ("--socket-mode", "666", "--staging-max", "64M", "--user-staging", "32M", "--staging", "32M",
            "--reply-timeout", "600", "--frame-timeout", "600")
    OPTIONS = SHARED

    def test_slow_readers_leave_some(self):
        """Four uids fill their shares and read nothing: a newcomer's requests of 2 Mpx are still served, repeatedly."""
        path = self.daemon.socket
        held = []
        for i in range(4):
            uid, waiting = 65001 + i, len(held)
            held.append(self.person(uid, lambda: hold_staging(path, uid, waiting)))
        self.assertEqual(held[0], 16)  # each of 2 MiB: the share of a user
        self.assertTrue(all(isinstance(n, int) and n > 0 for n in held), held)
        self.assertLess(sum(held), 32)

        def victim():
            c, done = Conn(path), 0
            payload = pattern(512 * 1024)
            for number in range(5, 15):
                got = c.ask(gaussian(number, 512, 1024, payload, sigma=0.0))
                done += got is not None and got.payload == payload
            return done

        self.assertEqual(self.person(65050, victim), 10)

    def test_large_one_waits_and_small_ones_pass(self):
        """With 20 MiB held, a request of 16 MiB has to wait: small requests pass it, large ones come after it."""
        path, side = self.daemon.socket, 1024
        payload = pattern(8 * side * side)

        def ask(c, mib):
            c.send(gaussian(5, side, mib * side // 2, payload[:mib * side * side // 2], sigma=0.0)[:-(mib * MIB // 2)])

        def keep():
            look = Conn(path)
            for n in range(1, 11):
                c = Conn(path)
                KEPT.append(c)
                ask(c, 2)
                while held_by(look, 65001) < n * 2 * MIB:
                    pass
            return True

        def wait_behind():
            look, c = Conn(path), Conn(path)
            KEPT.append(c)
            ask(c, 12)
            while told(look)["gpufilter_connections_waiting", ""] < 2:
                pass
            return held_by(look, 65003)

        self.assertIs(self.person(65001, keep), True)
        with self.daemon.conn() as large, self.daemon.conn() as look:
            ask(large, 16)
            while told(look)["gpufilter_connections_waiting", ""] < 1:
                pass
            small = self.person(65002, lambda: len(Conn(path).ask(
                gaussian(5, side, 3 * side, payload[:3 * MIB], sigma=0.0)).payload))
            self.assertEqual(small, 3 * MIB)
            self.assertEqual(self.person(65003, wait_behind), 0)
            self.persons.pop(0).end()
            large.send(payload)
            self.assertEqual(large.recv().payload, payload)


@unittest.skipUnless(ROOT, "needs root for other users")
class Totals(Persons):
    ARGS = ("--socket-mode", "666", "--arena-total", "64M", "--resident-total", "8M", "--handle-total", "64")
    OPTIONS = SHARED

    def test_arenas(self):
        """Uids take arenas of one MiB until refused: together they never get all, and each gets some."""
        path = self.daemon.socket

        def take():
            n, fd = 0, memfd(MIB)
            while True:
                c = Conn(path, fd_passing=True)
                KEPT.append(c)
                for number in range(16):
                    got = c.ask(arena_frame(5, number, MIB), [fd])
                    if got.kind == ERROR:
                        return n, got.status, got.text
                    n += 1

        # The first is alone, and its own limit is larger than the total.
        first = self.person(65000, lambda: take_some(path, 32))
        self.assertEqual(first, 32)
        got = [self.person(65001 + i, take) for i in range(4)]
        for n, status, text in got:
            self.assertGreater(n, 0)
            self.assertEqual(status, QUOTA)
            self.assertIn("bytes of arenas; 1048576 more would exceed the share of", text)
            self.assertIn("(arena-total)", text)
        self.assertLess(sum(n for n, _, _ in got), 32)
        total = self.figure("gpufilter_total_held", 'resource="arena_bytes"')
        self.assertEqual(total, (32 + sum(n for n, _, _ in got)) * MIB)
        self.assertLess(total, self.figure("gpufilter_total_limit", 'resource="arena_bytes"'))

    def test_resident(self):
        """As with arenas, with resident buffers of 256 KiB each."""
        path, side = self.daemon.socket, 512

        def take():
            n = 0
            c = Conn(path)
            KEPT.append(c)
            while n < 16:
                body = gaussian_body(side, side, dst=(3, n + 1, 0, 0, 0))
                got = c.ask(frame(RUN, 5, body, bytes(side * side)))
                if got.kind == ERROR:
                    return n, got.status, got.text
                n += 1
            return n, 0, ""

        got = [self.person(65001 + i, take) for i in range(5)]
        self.assertEqual(got[0][0], 16)
        for n, status, text in got[1:]:
            self.assertGreater(n, 0)
            self.assertEqual(status, QUOTA)
            self.assertIn("(resident-total)", text)
        self.assertLess(sum(n for n, _, _ in got), 32)


def take_some(path, most):
    fd = memfd(MIB)
    for n in range(most):
        if n % 16 == 0:
            c = Conn(path, fd_passing=True)
            KEPT.append(c)
        got = c.ask(arena_frame(5, n % 16, MIB), [fd])
        assert got.kind == DONE, got
    return most


def watches_holes():
    """Whether a worker of this user may handle holes, that is, use userfaultfd for faults of user mode."""
    fd = LIBC.syscall(323, os.O_CLOEXEC | os.O_NONBLOCK | 1) if os.uname().machine == "x86_64" else -1
    if fd >= 0:
        os.close(fd)
    return fd >= 0


@unittest.skipUnless(watches_holes(), "needs userfaultfd (Linux 5.11, x86-64)")
class Holes(Case):
    """Pages punched out of an arena after its declaration: the worker's memory does not pay for new pages."""

    SIDE = 2048  # operand and result of 4 MiB each

    def run_body(self, arena=1):
        size = self.SIDE * self.SIDE
        return frame(RUN, 6, attr(11, STRING, "cpu") + operand(2, arena, 0, size, view(1, 1, self.SIDE, self.SIDE))
                     + step(GAUSSIAN, 1) + attr(0x1001, F32, 0.0) + result(2, arena, size, size, self.SIDE))

    def declare(self, c, arena=1):
        fd = memfd(2 * self.SIDE * self.SIDE)
        self.addCleanup(os.close, fd)
        self.assertEqual(c.ask(arena_frame(5, arena, 2 * self.SIDE * self.SIDE), [fd]).kind, DONE)
        return fd

    def check(self, offset, size):
        with self.daemon.conn(fd_passing=True) as c:
            fd = self.declare(c)
            self.assertEqual(c.ask(self.run_body()).kind, RESULT)
            punch(fd, offset, size)
            left = allocated(fd)
            for _ in range(3):
                got = c.ask(self.run_body())
                self.assertEqual(got.status, BAD_ARENA, got)
                self.assertIn("a hole was punched into the arena", got.text)
                self.assertEqual(allocated(fd), left)
            self.assertEqual(client_memfds(self.worker), 0)  # the arena was given up, and the pages in the hole with it
            again = self.declare(c, 2)
            self.assertEqual(c.ask(self.run_body(2)).kind, RESULT)
            self.assertEqual(allocated(again), 2 * self.SIDE * self.SIDE)
        self.check_baseline()

    def test_operand(self):
        self.check(0, self.SIDE * self.SIDE)

    def test_result(self):
        self.check(self.SIDE * self.SIDE, self.SIDE * self.SIDE)

    def test_one_page(self):
        self.check(4096 * 100, 4096)

    def test_while_it_runs(self):
        """Holes are punched repeatedly during jobs: each job is answered, rightly or with BAD_ARENA, and nothing
        leaks."""
        for _ in range(20):
            with self.daemon.conn(fd_passing=True) as c:
                fd = self.declare(c)
                c.send(self.run_body())
                for at in range(0, 2 * self.SIDE * self.SIDE, MIB):
                    punch(fd, at, MIB)
                got = c.recv()
                self.assertIn(got.status, (0, BAD_ARENA), got)
                punch(fd, 0, 2 * self.SIDE * self.SIDE)
                self.assertEqual(c.ask(self.run_body()).status, BAD_ARENA)
                self.assertEqual(allocated(fd), 0)
        self.check_baseline()


class Unread(Case):
    """Answers to INFO that stay unread."""

    ARGS = ("--reply-timeout", "600")

    def test_memory_of_the_front(self):
        """A user's unread answers are bounded, all come once its other connections have closed, and memory is freed."""
        before, pid = rss_kb(self.daemon.pid), self.daemon.pid
        ask = b"".join(frame(INFO, 100 + k, attr(27, U32, 3)) for k in range(60))
        held = []
        for _ in range(240):
            c = self.daemon.conn(buffer=4096)
            c.send(ask)
            held.append(c)
        for _ in range(50):
            self.bystander()
        self.assertLess(rss_kb(pid), before + 40 * 1024)  # 3 MiB, or 27 with a sanitizer's own
        self.assertEqual(held[0].recv().id, 100)
        most = figures(held[0].recv())["gpufilter_total_held", 'resource="unread_bytes"']
        self.assertLessEqual(most, 16 * (32 + (64 << 10)))
        for c in held[1:]:
            c.close()
        for k in range(2, 60):
            got = held[0].recv()
            self.assertEqual((got.kind, got.id), (INFO_REPLY, 100 + k))
        held[0].close()
        self.until(lambda: rss_kb(pid) < before + 40 * 1024, lambda: "%d KiB of the front, not %d" % (rss_kb(pid), before))
        with self.daemon.conn() as c:
            self.assertEqual(told(c)["gpufilter_total_held", 'resource="unread_bytes"'], 0)
        self.check_baseline()


if __name__ == "__main__":
    unittest.main()
