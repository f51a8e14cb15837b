# SPDX-License-Identifier: MIT
"""Slightly damaged files, as users have them: colours that a palette lacks, several pictures where one is expected, a
JPEG with a damaged profile."""
import json
import os
import struct
import subprocess
import unittest

from support import CLIENT, GREY, TIMEOUT, DaemonCase, png, setUpModule, tearDownModule

MORE = "more data follows the first picture, which ends at byte %d of %d; one run takes one picture"


class Palettes(DaemonCase):
    def test_a_colour_that_is_not_there_is_damage(self):
        head = struct.pack("<IHHI", 318, 0, 0, 62) + struct.pack("<IiiHHIIiiII", 40, 256, 1, 1, 8, 0, 256, 0, 0, 2, 0)
        self.write("b.bmp", b"BM" + head + b"\0\0\0\0\xff\xff\xff\0" + bytes(range(256)))
        says = "b.bmp: damaged bmp: pixel 2,0 has colour 2, but the palette has 2 colours"
        self.bad(65, says, "copy", "--hash", "b.bmp", "o.npy")
        self.assertFalse(os.path.exists(self.path("o.npy")))

    def test_all_colours_of_os2_are_read(self):
        colours = b"".join(bytes([i, 255 - i, i ^ 85]) for i in range(256))
        head = struct.pack("<IHHI", 26 + 768 + 256, 0, 0, 26 + 768) + struct.pack("<IHHHH", 12, 256, 1, 1, 8)
        self.write("b.bmp", b"BM" + head + colours + bytes(range(256)))
        self.good("copy", "b.bmp", "o.raw")
        self.assertEqual(self.read("o.raw"), b"".join(bytes([i ^ 85, 255 - i, i]) for i in range(256)))


class Several(DaemonCase):
    """Files with several pictures one after the other."""

    def setUp(self):
        super().setUp()
        self.png = png(3, 2, 1, GREY)
        self.ppm = b"P6\n1 2\n255\n" + GREY

    def test_on_a_pipe(self):
        for one, word in ((self.png, "png"), (self.ppm, "ppm")):
            self.assertNotEqual(self.good("copy", "-", "-", "--format", word, stdin=one), b"")
            for n in (2, 10):
                says = "copy: standard input: " + MORE % (len(one), n * len(one))
                self.bad(65, says, "copy", "-", "x." + word, stdin=n * one)
                self.bad(65, MORE % (len(one), n * len(one)), "pipe", "-", "map", "-o", "x." + word, stdin=n * one)
        self.assertEqual(os.listdir(self.dir), [])

    def test_what_fills_a_pipe_up(self):
        for filling in (b"\n", bytes(512), b" \r\n\0"):
            self.good("copy", "-", "x.png", stdin=self.png + filling)
            self.good("copy", "-", "x.ppm", stdin=self.ppm + filling)

    def test_in_a_fifo(self):
        os.mkfifo(self.path("in"))
        with subprocess.Popen([CLIENT, "copy", "in", "x.png"], cwd=self.dir, env=self.env, stderr=subprocess.PIPE) as p:
            self.write("in", 2 * self.png)
            self.assertIn((MORE % (len(self.png), 2 * len(self.png))).encode(), p.communicate(timeout=TIMEOUT)[1])
            self.assertEqual(p.returncode, 65)

    def test_in_a_file(self):
        self.write("two.png", 2 * self.png)
        self.good("copy", "two.png", "x.png")  # data behind the end of a PNG in a file is ignored
        with open(self.path("two.png"), "rb") as f:
            done = subprocess.run([CLIENT, "copy", "-", "x.png"], cwd=self.dir, env=self.env, stdin=f, timeout=TIMEOUT)
            self.assertEqual(done.returncode, 0)
        self.write("two.ppm", 2 * self.ppm)
        self.bad(65, "two.ppm: " + MORE % (len(self.ppm), 2 * len(self.ppm)), "copy", "two.ppm", "x.png")


class Warnings(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))
        self.good("copy", "in.png", "good.jpg")
        body = b"ICC_PROFILE\0\1\2" + bytes(20)  # the first of two pieces
        jpeg = self.read("good.jpg")
        self.write("bad.jpg", jpeg[:20] + b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body + jpeg[20:])
        self.says = "warning: bad.jpg: the colour profile is damaged and is not kept\n"
        self.good("copy", "good.jpg", "good.pgm")

    def check(self, command, *args, **options):
        r = self.run_client(command, *args, **options)
        self.assertEqual((r.returncode, r.stderr.decode()), (0, "gpufilter-client: %s: %s" % (command, self.says)))
        self.assertEqual(self.read("out.pgm"), self.read("good.pgm"))

    def test_a_missing_end_mark(self):
        self.good("copy", "in.png", "good.pgm")
        self.write("cut.png", self.read("in.png")[:-12])
        self.says = "warning: cut.png: the end mark (IEND) is missing, but the samples are complete\n"
        self.check("copy", "cut.png", "out.pgm")
        self.write("cut.png", self.read("in.png")[:-13])
        self.bad(65, "cut.png: damaged png: the file ends too early", "copy", "cut.png", "out.pgm")
        if os.environ.get("GF_LIBJPEG") == "1":
            self.good("copy", "good.jpg", "good.pgm")
            self.write("cut.jpg", self.read("good.jpg")[:-2])
            self.says = "warning: cut.jpg: the end mark (EOI) is missing, but the samples are complete\n"
            self.check("copy", "cut.jpg", "out.pgm")

    @unittest.skipUnless(os.environ.get("GF_LIBJPEG") == "1", "stb_image reads no profiles")
    def test_a_damaged_profile(self):
        self.check("copy", "bad.jpg", "out.pgm")
        self.check("pipe", "bad.jpg", "map", "-o", "out.pgm")
        done = self.run_client("session", "-", stdin=b"load a bad.jpg; save a out.pgm")
        self.assertEqual(done.returncode, 0)
        self.assertIn(self.says, done.stderr.decode())
        self.good("copy", "bad.jpg", "out.pgm", "--quiet")
        self.assertEqual(self.run_client("copy", "bad.jpg", "out.pgm", "--quiet").stderr, b"")
        self.assertEqual(json.loads(self.run_client("copy", "--json", "bad.jpg", "out.pgm").stdout)["op"], "copy")
        done = self.run_client("copy", "good.jpg", "bad.jpg", "-o", "{stem}.pgm")
        self.assertEqual((done.returncode, done.stderr.decode()), (0, "gpufilter-client: copy: " + self.says))


if __name__ == "__main__":
    unittest.main()
