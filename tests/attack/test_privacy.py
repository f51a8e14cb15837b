# SPDX-License-Identifier: MIT
"""A user's data (files, samples, parameters, names) must not appear in answers and figures for other users, nor in the
daemon's log, which other users may read."""
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import *  # noqa: F403
from other_users import open_programs

ROOT = os.geteuid() == 0
OWNER, OTHER = 65001, 65002
SECRET = "Kronjuwelen"  # in names of files, devices, software and memory, and as samples
SIGMA = "7.123456"
# As text, and as the daemon would print bytes as a number.
MARKS = (SECRET, SIGMA, "%x" % int.from_bytes(SECRET[:4].encode(), "little"), SECRET[:8].encode().hex(),
         "%d" % int.from_bytes(SECRET[:8].encode(), "little"))


@unittest.skipUnless(ROOT, "needs root for other users")
class Privacy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        open_programs()
        folder = tempfile.mkdtemp(prefix="gf-attack-")
        cls.addClassCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        cls.metrics = os.path.join(folder, "m.sock")
        listens = ("--metrics-listen", "unix:" + cls.metrics) if os.environ["GF_METRICS"] else ()
        cls.daemon = Daemon("--socket-mode", "666", "--log-level", "debug", *listens, mode=0o755)
        cls.addClassCleanup(cls.daemon.stop)

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, self.dir)
        os.chown(self.dir, OWNER, OWNER)

    def client(self, uid, *args, **options):
        env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}
        return subprocess.Popen([os.environ["GF_CLIENT"], *args, "--socket", self.daemon.socket],
                                user=uid, group=uid, extra_groups=[], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_client(self, uid, code, *args, **options):
        process = self.client(uid, *args, **options)
        out, err = process.communicate(timeout=WAIT)
        self.assertEqual(process.returncode, code, (args, err))
        return out.decode(errors="replace") + err.decode(errors="replace")

    def as_owner(self, act):
        """Runs act() as the owner in a separate process."""
        pid = os.fork()
        if pid == 0:
            end_with_parent()
            os.setgroups([])
            os.setresgid(OWNER, OWNER, OWNER)
            os.setresuid(OWNER, OWNER, OWNER)
            code = 1
            try:
                act()
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def pictures(self):
        """Names and samples, results and failures, through the command."""
        name = os.path.join(self.dir, SECRET + ".pgm")
        with open(name, "wb") as f:
            f.write(b"P5\n11 3\n255\n" + 3 * SECRET.encode())
        out = os.path.join(self.dir, SECRET + "-out.pgm")
        self.run_client(OWNER, 0, "gaussian", "--sigma", SIGMA, name, out)
        self.assertTrue(os.path.exists(out))
        self.run_client(OWNER, 69, "gaussian", "--sigma", SIGMA, "--device", SECRET, name, out)
        self.run_client(OWNER, 73, "gaussian", "--sigma", SIGMA, name, os.path.join(name, SECRET + ".pgm"))

    def frames(self):
        """Bytes that are not frames, and the secret in every name of the protocol."""
        for sent in (3 * SECRET.encode(), header(HELLO, 1) + 9 * SECRET.encode(),
                     frame(HELLO, 1, attr(5, U32, 1) + attr(6, U32, 1) + attr(8, STRING, SECRET)) +
                     9 * SECRET.encode(),
                     frame(HELLO, int.from_bytes(SECRET[:8].encode(), "little"), attr(8, STRING, SECRET + "\n"))):
            with Conn(self.daemon.socket, greet=False) as c:
                c.send(sent)
                c.half_close()
                c.rest()
        with Conn(self.daemon.socket, fd_passing=True) as c:
            c.ask(frame(RUN, 5, attr(11, STRING, SECRET) + cross_body()[len(attr(11, STRING, "cpu")):],
                        PIXELS.ljust(64, b"\0") + MASK))
            for i, seals in enumerate((SEALS, 0)):
                fd = os.memfd_create(SECRET, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
                os.posix_fallocate(fd, 0, 4096)
                os.pwrite(fd, SECRET.encode() * 300, 0)
                fcntl.fcntl(fd, 1033, seals)  # F_ADD_SEALS
                c.ask(arena_frame(10 + i, i + 1, 4096), [fd])
                os.close(fd)
            c.ask(frame(RUN, 20, gaussian_body(64, 64, src=(2, 1, 0, 4096)), b""))

    def lost_worker(self):
        """Requests that end their worker: the test kills it while it has them."""
        before = self.daemon.log().count("died")
        with Conn(self.daemon.socket) as c:
            for i in range(4):
                c.send(gaussian(30 + i, 4096, 1024, SECRET.encode().ljust(4096 * 1024, b"*"), sigma=40.0))
            os.kill(self.daemon.worker(), signal.SIGKILL)
            for _ in range(4):
                self.assertEqual(c.recv().kind, RESULT)
        end = time.monotonic() + WAIT
        while self.daemon.log().count("died") == before:
            self.assertLess(time.monotonic(), end, "nobody says that it died")

    def seen_by(self, uid):
        """Everything that the daemon tells a user, over all questions."""
        seen = [self.run_client(uid, 0, *args) for args in
                (("metrics",), ("metrics", "--json"), ("metrics", "--prometheus"), ("top",), ("devices",),
                 ("devices", "--json"), ("ping", "--verbose", "--json"))]
        health = self.client(uid, "health", "--json")  # of any code: a worker has died
        seen.append(health.communicate(timeout=WAIT)[0].decode())
        mine = os.path.join(self.dir, "other")
        os.mkdir(mine)
        os.chown(mine, uid, uid)
        os.chmod(self.dir, 0o711)
        with open(os.path.join(mine, "mine.pgm"), "wb") as f:
            f.write(b"P5\n3 2\n255\nabcdef")
        seen.append(self.run_client(uid, 0, "blur", "--explain", "--timing", "--json", "--trace", "trace", "mine.pgm",
                                    "out.pgm", cwd=mine))
        seen.append(self.run_client(uid, 69, "blur", "--device", "cuda:63", "mine.pgm", "out.pgm", cwd=mine))
        with open(os.path.join(mine, "trace"), encoding="utf-8") as f:
            seen.append(f.read())
        return "\n".join(seen)

    def scrape(self, path):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(WAIT)
            s.connect(self.metrics)
            s.sendall(b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode())
            return b"".join(iter(lambda: s.recv(65536), b"")).decode()

    def refused(self):
        try:
            self.scrape("metrics")
        except PermissionError:
            return
        raise AssertionError("the listener is open to another user")

    def check_listener(self):
        """It tells the figures of all users, to the daemon's user alone, and about health nothing of a user."""
        figures = self.scrape("metrics")
        health = self.scrape("readyz") + self.scrape("healthz")
        for uid in (OWNER, OTHER):
            self.assertIn('gpufilter_user_accepted_total{uid="%d"}' % uid, figures)
            self.assertNotIn(str(uid), health)
        for mark in MARKS:
            self.assertNotIn(mark, figures + health)
        self.as_owner(self.refused)

    def test_nothing_of_a_user_is_told_to_another(self):
        self.pictures()
        self.as_owner(self.frames)
        self.lost_worker()
        seen, log = self.seen_by(OTHER), self.daemon.log()
        for mark in MARKS:
            self.assertNotIn(mark, seen)
            self.assertNotIn(mark, log)
        self.assertIn('uid="%d"' % OTHER, seen)
        self.assertNotIn(str(OWNER), seen)
        self.assertIn("connection closed: malformed frame uid=%d" % OWNER, log)
        own = self.run_client(OWNER, 0, "metrics", "--prometheus")
        self.assertIn('gpufilter_user_refused_total{uid="%d",status="NO_DEVICE"}' % OWNER, own)
        self.assertNotIn('uid="%d"' % OTHER, own)
        everybody = self.run_client(0, 0, "metrics", "--prometheus")
        for uid in (OWNER, OTHER):
            self.assertIn('gpufilter_user_accepted_total{uid="%d"}' % uid, everybody)
        for mark in MARKS:
            self.assertNotIn(mark, everybody)
        if os.environ["GF_METRICS"]:
            self.check_listener()


class Answers(Case):
    """An answer has results and zeros. Without root: what one connection sent must not come back to another, even of
    the same user, because proxies and containers may give several people one identity."""

    def answer(self, n_results, width, height, pitch):
        """The payload of a copy of a picture of 7s as several results, in memory that was full of the secret."""
        secret = (SECRET.encode() * 6000)[:65536]
        with self.daemon.conn() as c:
            self.assertEqual(c.ask(gaussian(5, 256, 256, secret, sigma=0.0)).payload, secret)
        body = attr(11, STRING, "cpu") + operand(1, 0, 0, width * height, view(1, 1, width, height))
        with self.daemon.conn() as c:
            return c.ask(frame(RUN, 5, body + step(0x0207, 1) + result(1, pitch=pitch) * n_results,
                               b"\7" * (width * height))).payload

    def test_rows_of_results_have_zeros_between_them(self):
        for width, height, pitch in ((3, 5, 512), (1, 64, 64), (63, 3, 64), (64, 2, 64)):
            rows = [b"\7" * width + bytes(pitch - width)] * height
            self.assertEqual(self.answer(1, width, height, pitch), b"".join(rows)[:pitch * (height - 1) + width])

    def test_results_have_zeros_between_them(self):
        for width in (1, 63, 64, 65):
            one = b"\7" * width
            self.assertEqual(self.answer(64, width, 1, width), one.ljust(64 * (-(-width // 64)), b"\0") * 63 + one)

    def test_results_elsewhere_leave_no_bytes_between(self):
        """Inline results beside results in an arena and in resident buffers."""
        secret = (SECRET.encode() * 6000)[:65536]
        with self.daemon.conn() as c:
            self.assertEqual(c.ask(gaussian(5, 256, 256, secret, sigma=0.0)).payload, secret)
        body = attr(11, STRING, "cpu") + operand(1, 0, 0, 15, view(1, 1, 5, 3)) + step(0x0207, 1)
        ways = (result(2, 1, 0, 261, 128), result(pitch=64), result(3, 1), result(2, 1, 512, 261, 128), result(pitch=100),
                result(3, 2), result(pitch=5), result(2, 1, 1024, 261, 128))
        rows = [b"\7" * 5 + bytes(pitch - 5) for pitch in (64, 100, 5)]
        inline = [(row * 3)[:len(row) * 2 + 5] for row in rows]
        with self.daemon.conn(fd_passing=True) as c:
            fd = memfd(4096)
            os.pwrite(fd, b"\xee" * 4096, 0)
            self.assertEqual(c.ask(arena_frame(6, 1, 4096), [fd]).kind, DONE)
            got = c.ask(frame(RUN, 7, body + b"".join(ways), b"\7" * 15)).payload
            self.assertEqual(got, inline[0].ljust(192, b"\0") + inline[1].ljust(256, b"\0") + inline[2])
            arena = bytearray(b"\xee" * 4096)  # an arena keeps what lies between rows
            for at in (0, 512, 1024):
                for y in range(3):
                    arena[at + 128 * y:at + 128 * y + 5] = b"\7" * 5
            self.assertEqual(os.pread(fd, 4096, 0), bytes(arena))
            os.close(fd)


if __name__ == "__main__":
    unittest.main()
