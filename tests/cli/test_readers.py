# SPDX-License-Identifier: MIT
"""Slightly damaged files, as users have them: colours that a palette lacks, several pictures where one is expected, a
JPEG with a damaged profile."""
import json
import os
import struct
import subprocess
import unittest

from support import CLIENT, GREY, TIMEOUT, DaemonCase, png, ppm, setUpModule, tearDownModule

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


class Salvage(DaemonCase):
    """--salvage reads the rows before the damage and says how many."""

    def setUp(self):
        super().setUp()
        self.samples = bytes((7 * x + 3 * y + 40 * c) % 256 for y in range(100) for x in range(200) for c in range(3))
        self.write("in.ppm", ppm(200, 100, self.samples))

    def rows(self, want, *args):
        """Runs copy on a damaged file; returns its warning and the number of rows that are right."""
        r = self.run_client("copy", "--salvage", *args, "out.raw")
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        got, n = self.read("out.raw"), 0
        self.assertEqual(len(got), len(want))
        while n < 100 and got[600 * n : 600 * n + 600] == want[600 * n : 600 * n + 600]:
            n += 1
        return r.stderr.decode(), n

    def test_png(self):
        self.write("whole.png", png(200, 100, 3, self.samples))
        data = self.read("whole.png")
        says = "gpufilter-client: copy: warning: cut.png: damaged png: %s; salvaged %d of 100 rows\n"
        seen = set()
        for size in range(45, len(data) - 12, 31):
            self.write("cut.png", data[:size])
            self.bad(65, "cut.png: damaged png: the file ends too early", "copy", "cut.png", "out.raw")
            r = self.run_client("copy", "--salvage", "cut.png", "out.raw")
            if r.returncode == 65:
                self.assertEqual((r.stderr, seen), (b"gpufilter-client: copy: cut.png: damaged png: the file ends too early\n", set()))
                continue
            words, n = self.rows(self.samples, "cut.png")
            self.assertEqual(words, says % ("the file ends too early", n))
            self.assertEqual(self.read("out.raw")[600 * (n + 1) :], bytes(600 * (99 - n) if n < 99 else 0))
            seen.add(n)
        self.assertGreater(len(seen), 3)
        at = data.index(b"IDAT")
        length = struct.unpack(">I", data[at - 4 : at])[0]
        self.write("cut.png", data[: at + 4 + length] + b"abcd" + data[at + 8 + length :])
        words, n = self.rows(self.samples, "cut.png")
        self.assertEqual((words, n), (says % ("invalid chunk checksum", 100), 100))
        self.write("cut.png", data[:-12])
        self.assertEqual(self.rows(self.samples, "cut.png"), ("gpufilter-client: copy: warning: cut.png: the end mark (IEND) is missing, but the samples are complete\n", 100))
        self.assertEqual(self.rows(self.samples, "whole.png"), ("", 100))

    @unittest.skipUnless(os.environ.get("GF_LIBJPEG") == "1", "stb_image salvages nothing")
    def test_jpeg(self):
        self.good("copy", "in.ppm", "whole.jpg")
        self.good("copy", "whole.jpg", "whole.raw")
        data, want = self.read("whole.jpg"), self.read("whole.raw")
        says = "gpufilter-client: copy: warning: cut.jpg: damaged jpeg: the file ends too early; salvaged %s of 100 rows\n"
        last = 0
        for size in range(len(data) // 4, len(data) - 2, 997):
            self.write("cut.jpg", data[:size])
            self.bad(65, "cut.jpg: damaged jpeg", "copy", "cut.jpg", "out.raw")
            words, n = self.rows(want, "cut.jpg")
            told = int(words.split()[-4])
            self.assertEqual(words, says % told)
            self.assertTrue(last <= told <= n < 100, (size, last, told, n))
            last = told
        self.assertGreater(last, 80)
        self.write("cut.jpg", data[:200])
        self.bad(65, "cut.jpg: damaged jpeg", "copy", "--salvage", "cut.jpg", "out.raw")
        self.assertEqual(self.rows(want, "whole.jpg"), ("", 100))

    @unittest.skipUnless("gif=" in os.environ["GF_CODECS"], "this build does without giflib")
    def test_gif(self):
        head = b"GIF89a\2\0\2\0\0\0\0"
        frame = b",\0\0\0\0\2\0\2\0\x80\1\2\3\4\5\6"
        codes = sum(code << 3 * i for i, code in enumerate([4, 0, 4, 0, 4, 0, 4, 0, 5]))  # colour 0, four times; the end
        whole = head + frame + b"\2\4" + codes.to_bytes(4, "little") + b"\0"
        self.write("whole.gif", whole + b";")
        self.good("copy", "whole.gif", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([1, 2, 3]) * 4)
        self.write("cut.gif", whole + frame)
        self.bad(65, "cut.gif: damaged gif: the file ends too early", "copy", "cut.gif", "out.raw")
        r = self.run_client("copy", "--salvage", "cut.gif", "out.raw")
        self.assertEqual((r.returncode, r.stderr.decode()), (0, "gpufilter-client: copy: warning: cut.gif: damaged gif: the file ends too early; salvaged in part\n"))
        self.assertEqual(self.read("out.raw"), bytes([1, 2, 3]) * 4)
        self.write("cut.gif", head + frame)
        self.bad(65, "cut.gif: damaged gif: the file ends too early", "copy", "--salvage", "cut.gif", "out.raw")


if __name__ == "__main__":
    unittest.main()
