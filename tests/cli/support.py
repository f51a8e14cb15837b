# SPDX-License-Identifier: MIT
"""Shared by the tests of the command: running it, a private daemon, small pictures. Standard library alone."""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import skips  # noqa: E402,F401  pylint: disable=unused-import,wrong-import-position

CLIENT = os.environ["GF_CLIENT"]
OPTIONS = os.environ.get("GF_CLIENT_OPTION", "").split()  # of every command that Case runs
TIMEOUT = 120  # seconds until a command counts as hanging

# Two rows of three grey samples, and the results of the operations on them, computed by hand.
GREY = bytes([10, 20, 30, 40, 50, 60])
GREY_SHAPE = "3x2x1:u8"


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width, height, channels, data, depth=8, more=b""):
    """A PNG without filters, from samples in the file's layout; `more` are chunks before the samples."""
    row = width * channels * depth // 8
    lines = b"".join(b"\0" + data[y * row : (y + 1) * row] for y in range(height))
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    samples = png_chunk(b"IDAT", zlib.compress(lines)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + more + samples


def ppm(width, height, data, maximum=255):
    return b"P6\n%d %d\n%d\n" % (width, height, maximum) + data


def fnv1a64(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return "fnv1a64:%016x" % value


class Case(unittest.TestCase):
    """A test in a private directory, without the user's daemon."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-cli-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}
        self.env["GPUFILTER_AUTOSTART"] = "0"
        self.env["LC_ALL"] = "C"
        if OPTIONS:
            self.need_sandbox()

    def need_sandbox(self):
        """Skips the test where --untrusted refuses to work."""
        if subprocess.run([CLIENT, "version", "--untrusted"], capture_output=True).returncode == 69:
            self.skipTest("no seccomp or no Landlock here")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_client(self, *args, stdin=b"", **options):
        return subprocess.run(
            [CLIENT, *OPTIONS, *args],
            input=stdin,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            cwd=self.dir,
            env=self.env,
            timeout=options.pop("timeout", TIMEOUT),
            **options,
        )

    def good(self, *args, **options):
        """Runs a command that must succeed. Returns standard output."""
        r = self.run_client(*args, **options)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stdout

    def bad(self, code, text, *args, **options):
        """Runs a command that must fail with this exit code and one line that contains the text. Returns the line."""
        r = self.run_client(*args, **options)
        line = r.stderr.decode()
        self.assertEqual(r.returncode, code, line)
        self.assertEqual(line.count("\n"), 1, line)
        self.assertTrue(line.startswith("gpufilter-client: "), line)
        self.assertIn(text, line)
        return line


class Daemon:
    """A private gpufilterd, on the CPU by default; it is ready when the constructor returns."""

    def __init__(self, devices="cpu", *options):
        self.dir = tempfile.mkdtemp(prefix="gf-cli-")
        self.socket = os.path.join(self.dir, "d.sock")
        ready, told = os.pipe()
        self.process = subprocess.Popen(
            [os.environ["GF_DAEMON"], "--socket", self.socket, "--devices", devices, "--ready-fd", str(told), *options],
            pass_fds=[told],
            stderr=subprocess.DEVNULL,
        )
        os.close(told)
        with os.fdopen(ready) as f:
            line = f.readline().strip()
        if line != "READY":
            self.stop()
            raise RuntimeError("the daemon did not start: " + line)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(TIMEOUT)
        shutil.rmtree(self.dir)
        return code


class DaemonCase(Case):
    """A test against the daemon of its script. The script imports setUpModule and tearDownModule from here."""

    daemon = None

    def setUp(self):
        super().setUp()
        self.env["GPUFILTER_SOCKET"] = self.daemon.socket


class PicturesCase(DaemonCase):
    """N pictures of N sizes in the folder in, and the result of a box of 3x1 on each, made by separate runs. Results go
    to the folder out."""

    N = 0

    def setUp(self):
        super().setUp()
        self.names = ["p%d.ppm" % i for i in range(1, self.N + 1)]
        self.want = {}
        os.mkdir(self.path("in"))
        os.mkdir(self.path("out"))
        for i, name in enumerate(self.names):
            w, h = 3 + i, 20 - i
            self.write("in/" + name, ppm(w, h, bytes((x * (i + 3)) % 251 for x in range(w * h * 3))))
            self.good("box", "--size", "3x1", "in/" + name, "one.ppm")
            self.want[name] = self.read("one.ppm")
        os.remove(self.path("one.ppm"))
        self.inputs = ["in/" + name for name in self.names]

    def outputs(self):
        return sorted(os.listdir(self.path("out")))


def setUpModule():
    DaemonCase.daemon = Daemon()


def tearDownModule():
    code = DaemonCase.daemon.stop()
    if code != 0:
        raise RuntimeError("the daemon ended with %d" % code)
