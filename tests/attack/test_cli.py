# SPDX-License-Identifier: MIT
"""The command meets odd files, failing outputs and signals: it must exit with the right code, print one message and
leave no file behind."""
import os
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import unittest

from support import *  # noqa: F403
from other_users import open_programs

PGM = b"P5\n4 3\n255\n" + PIXELS
BIG = b"P5\n3000 2000\n255\n" + pattern(6000000)


class Cli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}
        self.write("in.pgm", PGM)
        self.before = set(os.listdir(os.fsencode(self.dir)))

    def write(self, name, data):
        with open(os.path.join(os.fsencode(self.dir), os.fsencode(name)), "wb") as f:
            f.write(data)

    def start(self, *args, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([os.environ["GF_CLIENT"], "blur", "--sigma", "1", "--no-autostart", "--socket",
                                 options.pop("socket", self.daemon.socket), *args], cwd=options.pop("cwd", self.dir),
                                env=self.env, **options)

    def blur(self, *args, **options):
        process = self.start(*args, **options)
        out, err = process.communicate(timeout=WAIT)
        text = (err or b"").decode(errors="replace")
        self.assertNotIn("Sanitizer", text)
        self.assertNotIn("runtime error", text)
        return process.returncode, out, text

    def files(self):
        return set(os.listdir(os.fsencode(self.dir))) - self.before

    def good(self, *args, **options):
        code, out, text = self.blur(*args, **options)
        self.assertEqual(code, 0, text)
        return out

    def bad(self, codes, *args, left=(), **options):
        code, _, text = self.blur(*args, **options)
        self.assertIn(code, codes, text)
        self.assertEqual(self.files(), set(left), text)
        if options.get("stderr", True) is True:
            self.assertEqual(text.count("\n"), 1, text)
            self.assertTrue(all(c.isprintable() or c in "\n\ufffd" for c in text), repr(text))
        return text

    def test_inputs(self):
        odd = {"empty": b"", "one": b"P", "text": b"hello", "zeros": bytes(5000), "ones": b"\xff" * 5000,
               "short.pgm": PGM[:-1], "head.pgm": PGM[:9], "huge.pgm": b"P5\n65535 65535\n255\n",
               "huger.pgm": b"P5\n99999999999999999999 1\n255\n", "minus.pgm": b"P5\n-4 3\n255\n" + PIXELS,
               "zero.pgm": b"P5\n0 0\n255\n", "max.pgm": b"P5\n4 3\n70000\n" + PIXELS,
               "a.png": b"\x89PNG\r\n\x1a\n" + bytes(50), "a.jpg": b"\xff\xd8\xff\xe0" + bytes(50), "a.bmp": b"BM" + bytes(60),
               "a.hdr": b"#?RADIANCE\n\n-Y 9999999 +X 9999999\n", "a.pfm": b"PF\n4 3\n0\n" + bytes(200),
               "bomb.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0" + bytes(20)}
        for name, data in odd.items():
            self.write("odd", data)
            self.before.add(b"odd")
            with self.subTest(name):
                self.bad({65}, "odd", "out.png")
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 1 << 20)

    def test_no_byte_of_a_file_drives_the_terminal(self):
        """0x9b is CSI to a terminal without UTF-8; U+009B is CSI to a terminal with UTF-8."""
        def npy(head):
            return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(64)
        self.before.add(b"odd.npy")
        for escape in (b"\x9b31m", b"\xc2\x9b31m", b"\x1b[31m", b"\xe2\x80\xae", b"\x7f", b"\xff"):
            for head in (b"{'descr': '%s', 'fortran_order': False, 'shape': (4, 4), }" % escape[:6], b"no " + escape):
                self.write("odd.npy", npy(head))
                process = self.start("odd.npy", "out.png")
                _, err = process.communicate(timeout=WAIT)
                self.assertEqual(process.returncode, 65, err)
                self.assertNotIn(escape, err)
                self.assertTrue(all(c.isprintable() or c == "\n" for c in err.decode()), err)
            name = escape + b".pgm"
            self.write(name, PGM)
            self.before |= {name, b"out.pgm"}
            process = self.start("--hash", "--verbose", name, "out.pgm")
            out, err = process.communicate(timeout=WAIT)
            self.assertEqual(process.returncode, 0, err)
            self.assertNotIn(escape, out + err)

    def test_input_places(self):
        os.mkdir(os.path.join(self.dir, "folder"))
        os.symlink("nothing", os.path.join(self.dir, "dangling"))
        os.symlink("loop", os.path.join(self.dir, "loop"))
        self.before |= {b"folder", b"dangling", b"loop"}
        for name in ("folder", "missing", "dangling", "loop", "in.pgm/x", "x" * 300, "/" + "x/" * 3000, "/proc/self/mem",
                     "/dev/tty0x", ""):
            with self.subTest(name[:20]):
                self.bad({64, 66, 74}, name, "out.png")
        self.bad({65, 66}, "/dev/null", "out.png")
        self.bad({65, 66}, "-", "out.png")
        self.bad({65, 66, 74}, "-", "out.png", stdin=os.open(self.dir, os.O_RDONLY))

    @unittest.skipUnless(os.geteuid() == 0, "needs root for a second user")
    def test_unreadable_input(self):
        self.write("secret.pgm", PGM)
        self.before.add(b"secret.pgm")
        os.chmod(self.dir, 0o777)
        os.chmod(os.path.join(self.dir, "secret.pgm"), 0)
        open_programs()
        self.bad({66}, "secret.pgm", "out.png", user=65534, group=65534, extra_groups=[])

    def test_outputs(self):
        os.mkdir(os.path.join(self.dir, "folder.png"))
        os.symlink("nothing.png", os.path.join(self.dir, "dangling.png"))
        os.symlink("loop.png", os.path.join(self.dir, "loop.png"))
        self.before |= {b"folder.png", b"dangling.png", b"loop.png"}
        for name in ("folder.png", "folder.png/"):  # into it, under the name of the input
            self.good("in.pgm", name)
            os.unlink(os.path.join(self.dir, "folder.png", "in.pgm"))
        for name in ("missing/out.png", "dangling.png", "loop.png", "in.pgm/out.png", "x" * 300 + ".png",
                     "missing/", "/proc/out.png", "out.unknown", "out"):
            with self.subTest(name[:20]):
                self.bad({64, 73, 74}, "in.pgm", name)
        os.symlink("/dev/full", os.path.join(self.dir, "full.pgm"))
        self.before.add(b"full.pgm")
        self.bad({73, 74}, "in.pgm", "full.pgm")
        with open("/dev/full", "wb") as full:
            self.bad({64, 73, 74}, "in.pgm", "-", "--format", "pgm", stdout=full)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_names(self):
        for name in ("with space.pgm", "new\nline.pgm", b"\xff\xfe.pgm", "ä.pgm", "a" * 251 + ".pgm", "quote'\".pgm",
                     "%s%n.pgm", "*.pgm"):
            with self.subTest(name=name):
                self.write(name, PGM)
                self.good("--in-place", name)
                with open(os.path.join(os.fsencode(self.dir), os.fsencode(name)), "rb") as f:
                    self.assertEqual(f.read()[:2], b"P5")
                os.unlink(os.path.join(os.fsencode(self.dir), os.fsencode(name)))
                self.assertEqual(self.files(), set())
                self.bad({66}, name, "out.png")
        self.write("-in.pgm", PGM)
        self.good("--", "-in.pgm", "-out.pgm")
        self.good("./-in.pgm", "./-out.pgm")
        self.assertEqual(self.files(), {b"-in.pgm", b"-out.pgm"})

    def test_links_and_modes(self):
        self.write("target.pgm", b"old")
        os.chmod(os.path.join(self.dir, "target.pgm"), 0o640)
        os.symlink("target.pgm", os.path.join(self.dir, "link.pgm"))
        self.good("in.pgm", "link.pgm")
        self.assertTrue(os.path.islink(os.path.join(self.dir, "link.pgm")))
        self.assertEqual(os.stat(os.path.join(self.dir, "target.pgm")).st_mode & 0o777, 0o640)
        self.bad({64}, "in.pgm", "in.pgm", left={b"target.pgm", b"link.pgm"})
        self.good("--in-place", "in.pgm")

    def test_failure_keeps_the_old(self):
        """An existing output file is unchanged after every failure."""
        self.write("old.pgm", b"precious")
        self.before.add(b"old.pgm")
        self.write("odd", b"P5\n4 3\n255\nshort")
        self.before.add(b"odd")
        self.bad({65}, "odd", "old.pgm")
        self.bad({69, 75}, "in.pgm", "old.pgm", socket=os.path.join(self.dir, "nobody"))
        self.bad({73, 74}, "in.pgm", "old.pgm", preexec_fn=lambda: (
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))))
        with open(os.path.join(self.dir, "old.pgm"), "rb") as f:
            self.assertEqual(f.read(), b"precious")

    def test_fifos(self):
        for name in ("in.fifo", "out.fifo"):
            os.mkfifo(os.path.join(self.dir, name))
        self.before |= {b"in.fifo", b"out.fifo"}
        process = self.start("in.fifo", "out.fifo", "--format", "pgm")
        with open(os.path.join(self.dir, "in.fifo"), "wb") as f:
            f.write(PGM)
        with open(os.path.join(self.dir, "out.fifo"), "rb") as f:
            got = f.read()
        process.communicate(timeout=WAIT)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(got), len(PGM))
        self.assertTrue(stat.S_ISFIFO(os.stat(os.path.join(self.dir, "out.fifo")).st_mode))

    def test_closed_streams(self):
        """Without standard descriptors, messages must not go into another file that got the number."""
        for closed in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
            with self.subTest(closed=closed):
                def shut(closed=closed):
                    for fd in closed:
                        os.close(fd)
                process = self.start("in.pgm", "out.pgm", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     preexec_fn=shut)
                self.assertEqual(process.wait(WAIT), 0)
                with open(os.path.join(self.dir, "out.pgm"), "rb") as f:
                    self.assertEqual(len(f.read()), len(PGM))
                with open(os.path.join(self.dir, "in.pgm"), "rb") as f:
                    self.assertEqual(f.read(), PGM)
                os.unlink(os.path.join(self.dir, "out.pgm"))
        process = self.start("in.pgm", "-", "--format", "pgm", stdout=subprocess.DEVNULL, preexec_fn=lambda: os.close(1))
        self.assertIn(process.wait(WAIT), (73, 74))
        process.communicate()
        process = self.start("-", "out.pgm", preexec_fn=lambda: os.close(0))
        self.assertIn(process.wait(WAIT), (65, 66, 74))
        process.communicate()
        self.assertEqual(self.files(), set())

    def test_broken_pipe(self):
        self.write("big.pgm", BIG)
        self.before.add(b"big.pgm")
        process = self.start("big.pgm", "-", "--format", "pgm")
        self.assertEqual(process.stdout.read(100)[:2], b"P5")
        process.stdout.close()
        process.stderr.read()
        self.assertIn(process.wait(WAIT), (74, 73, -signal.SIGPIPE))
        process.stderr.close()
        for what in (("ops",), ("ops", "--json"), ("--help",)):
            ends = os.pipe()
            os.close(ends[0])
            r = subprocess.run([os.environ["GF_CLIENT"], *what], stdout=ends[1], stderr=subprocess.PIPE, env=self.env,
                               timeout=WAIT)
            os.close(ends[1])
            self.assertNotIn(b"Sanitizer", r.stderr)
            self.assertNotEqual(r.returncode, 0, what)

    def test_interrupted(self):
        """Signals arrive while the command reads, waits for an answer and writes."""
        for name in ("in.fifo", "out.fifo"):
            os.mkfifo(os.path.join(self.dir, name))
        self.write("old.png", b"precious")
        self.write("big.pgm", BIG)
        self.before |= {b"in.fifo", b"out.fifo", b"old.png", b"big.pgm"}
        process = self.start("big.pgm", "old.png")
        process.communicate()
        self.assertEqual(process.returncode, 0)
        with open(os.path.join(self.dir, "old.png"), "rb") as f:
            complete = f.read()
        self.write("old.png", b"precious")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("in.fifo", "old.png")
            with open(os.path.join(self.dir, "in.fifo"), "wb"):
                process.send_signal(number)
                self.assertIn(process.wait(WAIT), (-number, 128 + number))
            process.communicate()
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            path = os.path.join(self.dir, "silent")
            listener.bind(path)
            listener.listen(1)
            process = self.start("in.pgm", "old.png", socket=path)
            conn, _ = listener.accept()
            conn.recv(32)
            process.send_signal(number)
            self.assertIn(process.wait(WAIT), (-number, 128 + number))
            process.communicate()
            conn.close()
            listener.close()
            os.unlink(path)
            process = self.start("big.pgm", "out.fifo", "--format", "pgm")
            with open(os.path.join(self.dir, "out.fifo"), "rb") as f:
                f.read(1000)
                process.send_signal(number)
                self.assertIn(process.wait(WAIT), (-number, 128 + number))
            process.communicate()
            # a temporary file is there: the encoder is at work
            process = self.start("big.pgm", "old.png")
            while process.poll() is None and not [n for n in self.files() if n.endswith(b".tmp")]:
                pass
            process.send_signal(number)
            code = process.wait(WAIT)
            process.communicate()
            self.assertIn(code, (0, -number, 128 + number))
            # a signal may come after the renaming, before the end: then the new picture is there, complete
            with open(os.path.join(self.dir, "old.png"), "rb") as f:
                self.assertIn(f.read(), (complete,) if code == 0 else (b"precious", complete))
            self.write("old.png", b"precious")
            self.assertEqual(self.files(), set())


class Squatted(unittest.TestCase):
    """Another user created the victim's private directory in /tmp first."""

    VICTIM, SQUATTER = 65002, 65001

    @unittest.skipUnless(os.geteuid() == 0, "needs root for two users")
    def test_autostart_steps_aside(self):
        open_programs()
        name = "gpufilter-%d" % self.VICTIM
        taken = os.path.join("/tmp", name)
        os.mkdir(taken, 0o700)
        self.addCleanup(self.clean, name)
        os.chown(taken, self.SQUATTER, self.SQUATTER)
        env = {"PATH": os.environ["PATH"], "GPUFILTER_DAEMON": os.environ["GF_DAEMON"], "GPUFILTER_PRIVATE": "1"}
        seen = set()
        for _ in range(2):
            done = subprocess.run([os.environ["GF_CLIENT"], "blur", "--verbose", "--raw", "4x3x1:u8", "--format",
                                   "raw", "-", "-"], input=PIXELS, capture_output=True, env=env, timeout=WAIT,
                                  check=False, user=self.VICTIM, group=self.VICTIM, extra_groups=[])
            err = done.stderr.decode()
            self.assertEqual(done.returncode, 0, err)
            self.assertEqual(len(done.stdout), len(PIXELS))
            seen |= {word for word in err.split() if word.startswith(taken)}
        self.assertEqual(len(seen), 1, "both found the same daemon: %s" % seen)
        self.assertTrue(seen.pop().startswith(taken + "."))

    def clean(self, name):
        for found in os.listdir("/tmp"):
            path = os.path.join("/tmp", found, "gpufilterd-1.sock")
            if found.startswith(name):
                for pid in processes():
                    if path in cmdline(pid) and comm(pid) == "gpufilterd":
                        gone = os.pidfd_open(pid)
                        os.kill(pid, signal.SIGTERM)
                        select.select([gone], [], [], WAIT)
                        os.close(gone)
                shutil.rmtree(os.path.join("/tmp", found))


if __name__ == "__main__":
    unittest.main()
