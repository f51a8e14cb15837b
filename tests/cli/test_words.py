# SPDX-License-Identifier: MIT
"""gpufilter-client: commands that are an operation under a common word, alpha over a background, and info."""
import json
import os
import struct
import unittest

from support import GREY, Case, DaemonCase, png, ppm, setUpModule, tearDownModule

RGBA = bytes([255, 0, 0, 255, 0, 255, 0, 128, 10, 20, 30, 0])
OVER_WHITE = bytes([255, 0, 0, 127, 255, 127, 255, 255, 255])
OVER_BLACK = bytes([255, 0, 0, 0, 128, 0, 0, 0, 0])


class Words(DaemonCase):
    def raw(self, *args):
        self.good(*args, "out.raw")
        return self.read("out.raw")

    def test_invert(self):
        self.write("a.png", png(3, 2, 1, GREY))
        self.assertEqual(self.raw("invert", "a.png"), bytes(255 - v for v in GREY))
        self.write("w.png", png(2, 1, 1, struct.pack(">2H", 0, 1000), 16))
        self.assertEqual(self.raw("invert", "w.png"), struct.pack("<2H", 65535, 64535))
        self.write("f.raw", struct.pack("<2f", 0.25, 1.0))
        self.assertEqual(self.raw("invert", "--raw", "2x1x1:f32", "f.raw"), struct.pack("<2f", 0.75, 0.0))
        self.write("c.png", png(3, 1, 4, RGBA))
        inverted = bytes(v if i % 4 == 3 else 255 - v for i, v in enumerate(RGBA))
        self.assertEqual(self.raw("invert", "c.png"), inverted)
        self.assertEqual(self.raw("invert", "--alpha", "straight", "c.png"), bytes(255 - v for v in RGBA))

    def test_brightness_and_contrast(self):
        self.write("a.png", png(4, 1, 1, bytes([0, 100, 127, 200])))
        self.assertEqual(self.raw("brightness", "--amount", "1.5", "a.png"), bytes([0, 150, 190, 255]))
        # 2*v - 127.5, ties to even
        self.assertEqual(self.raw("contrast", "--amount", "2", "a.png"), bytes([0, 72, 126, 255]))
        self.assertEqual(self.raw("contrast", "--amount", "1", "a.png"), bytes([0, 100, 127, 200]))
        self.assertEqual(self.raw("contrast", "--amount", "0", "a.png"), bytes([128] * 4))

    def test_several_files(self):
        for name in ["a.png", "b.png"]:
            self.write(name, png(3, 2, 1, GREY))
        self.good("invert", "a.png", "b.png", "-o", "{stem}.inv.raw")
        self.assertEqual(self.read("b.inv.raw"), bytes(255 - v for v in GREY))

    def test_amount(self):
        self.bad(64, "--amount is missing, e.g. --amount 1.2", "brightness", "a.png", "b.png")
        for amount in ["x", "-1", "1001", "nan", "1,2", ""]:
            self.bad(64, "--amount %s; allowed: 0..1000" % amount, "contrast", "--amount=" + amount, "a.png", "b.png")
        self.bad(64, "unknown option --amount", "invert", "--amount", "2", "a.png", "b.png")
        self.bad(64, "unknown option --sigma", "invert", "--sigma", "2", "a.png", "b.png")
        self.assertEqual(os.listdir(self.dir), [])

    def test_types_that_map_does_not_take(self):
        self.write("a.raw", struct.pack("<2I", 1, 2))
        line = self.bad(65, "src is u32; allowed: u8, u16 or f32; no operation converts u32", "invert", "--raw",
                        "2x1x1:u32", "a.raw", "out.npy")
        self.assertTrue(line.startswith("gpufilter-client: invert: src"), line)

    def test_split(self):
        self.write("a.ppm", ppm(2, 1, bytes([1, 2, 3, 4, 5, 6])))
        self.good("split", "a.ppm", "r.raw", "g.raw", "b.raw")
        self.assertEqual([self.read(n + ".raw") for n in "rgb"], [b"\1\4", b"\2\5", b"\3\6"])
        self.good("split", "a.ppm", "only", "--format", "raw")
        self.assertEqual(self.read("only"), b"\1\4")
        self.bad(64, "channel=4 of src with 3 channels; allowed: 1..3", "split", "a.ppm", "1.png", "2.png", "3.png", "4.png")
        self.bad(64, "OUT1 is missing", "split", "a.ppm")
        self.bad(64, "IN is missing", "split")
        self.bad(64, '"6" is one operand too many; there are up to 4 channels', "split", "a.ppm", "1", "2", "3", "4", "6")
        self.assertFalse(os.path.exists(self.path("1.png")))

    def test_the_advice_for_grey_is_a_pipe_that_runs(self):
        program = self.bad(64, "pipe IN '", "grayscale").split("pipe IN '")[1].split("'")[0]
        self.write("a.ppm", ppm(3, 1, bytes([255, 255, 255, 200, 100, 50, 0, 0, 0])))
        self.good("pipe", "a.ppm", program, "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([255, round(0.299 * 200 + 0.587 * 100 + 0.114 * 50), 0]))


class Background(DaemonCase):
    def test_flatten(self):
        self.write("a.png", png(3, 1, 4, RGBA))
        for colour, flat in [("white", OVER_WHITE), ("#fff", OVER_WHITE), ("black", OVER_BLACK), ("#000000", OVER_BLACK)]:
            self.good("flatten", "--background", colour, "a.png", "out.ppm")
            self.assertEqual(self.read("out.ppm"), ppm(3, 1, flat))
        self.good("flatten", "--background", "#102030", "a.png", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([255, 0, 0, 8, 144, 24, 16, 32, 48]))

    def test_types(self):
        self.write("w.png", png(1, 1, 2, struct.pack(">2H", 1000, 32768), 16))
        self.good("flatten", "--background", "white", "w.png", "out.raw")
        want = (1000 * 32768 + 65535 * 32767 + 32767) // 65535
        self.assertEqual(self.read("out.raw"), struct.pack("<H", want))
        self.write("f.raw", struct.pack("<2f", 0.5, 0.5))
        self.good("flatten", "--background", "white", "--raw", "1x1x2:f32", "f.raw", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<f", 0.75))
        self.write("i.raw", bytes(8))
        self.bad(65, "--background goes with u8, u16 and f32; u32 has no alpha", "flatten", "--background", "white", "--raw",
                 "1x1x2:u32", "i.raw", "out.npy")

    def test_jpeg_of_a_picture_with_alpha(self):
        self.write("a.png", png(3, 1, 4, RGBA))
        self.bad(65, "jpeg holds u8 with 1 or 3 channels (no alpha), and the picture is u8 with 4 channels; write png or "
                 "pam, or put a colour behind alpha by --background", "blur", "a.png", "out.jpg")
        self.good("blur", "--background", "white", "a.png", "out.jpg")
        self.assertIn("jpeg 3x1x3:u8", self.good("info", "out.jpg").decode())
        self.good("pipe", "a.png", "blur | map", "--background=black", "-o", "two.jpg")
        self.assertIn("jpeg 3x1x3:u8", self.good("info", "two.jpg").decode())

    def test_a_picture_without_alpha_stays(self):
        self.write("a.png", png(3, 2, 1, GREY))
        self.good("flatten", "--background", "#f00", "a.png", "out.raw")
        self.assertEqual(self.read("out.raw"), GREY)

    def test_refused(self):
        self.write("g.png", png(1, 1, 2, b"\1\2"))
        self.bad(64, "--background is missing, e.g. --background white", "flatten", "g.png", "out.png")
        for colour in ["red", "#12", "#12345g", "#1234567", "ffffff", ""]:
            self.bad(64, "--background %s; allowed: white, black, #RGB or #RRGGBB" % colour, "flatten",
                     "--background=" + colour, "g.png", "out.png")
        self.bad(65, "out.png: the picture is grey, and --background #ff0000 is not", "flatten", "--background", "#f00",
                 "g.png", "out.png")
        self.bad(64, "takes no --background", "--background", "white", "info", "g.png")
        self.assertEqual(os.listdir(self.dir), ["g.png"])


class Types(DaemonCase):
    def test_errors_about_types_name_the_step(self):
        self.write("f.raw", struct.pack("<2f", 0.5, 1))
        self.write("a.png", png(2, 1, 1, b"\1\2"))
        self.write("w.png", png(2, 1, 1, bytes(4), 16))
        self.bad(65, "src is f32; allowed: u8 or u16; map dtype=u16 range=full converts", "equalize", "--raw", "2x1x1:f32",
                 "f.raw", "out.png")
        self.bad(65, "src is u8; allowed: f32 or f64; map dtype=f32 converts", "recurrence", "a.png", "out.npy")
        self.bad(65, "both must be alike; map converts by dtype and range=full", "combine", "a.png", "w.png", "out.png")
        self.bad(65, "step 2 (gaussian): src is u32; allowed: u8, u16 or f32; no operation converts u32", "pipe", "a.png",
                 "integral | blur", "-o", "out.png")
        self.bad(65, "write png or pam, or convert by map, dtype u8 and range full", "copy", "w.png", "out.jpg")


class Info(Case):
    def test_files(self):
        self.write("a.png", png(3, 2, 1, GREY))
        self.write("b.ppm", ppm(1, 1, b"\1\2\3"))
        text = self.good("info", "a.png", "b.ppm").decode()
        self.assertEqual(text, "a.png: png 3x2x1:u8\nb.ppm: pnm 1x1x3:u8\n")
        self.assertEqual(self.good("info", "-", stdin=png(1, 1, 4, b"\1\2\3\4")).decode(),
                         "standard input: png 1x1x4:u8, alpha\n")
        lines = [json.loads(l) for l in self.good("info", "--json", "a.png", "b.ppm").splitlines()]
        self.assertEqual([(l["path"], l["format"], l["width"], l["height"], l["channels"], l["dtype"]) for l in lines],
                         [("a.png", "png", 3, 2, 1, "u8"), ("b.ppm", "pnm", 1, 1, 3, "u8")])

    def test_arrays(self):
        self.write("t.txt", b"1 2 3\n4 5 6\n")
        self.assertEqual(self.good("info", "t.txt").decode(), "t.txt: txt 3x2x1:f64, array of 1 side\n")

    def test_what_is_wrong_is_told_and_the_others_are_listed(self):
        self.write("a.png", png(3, 2, 1, GREY))
        self.write("text.png", b"not a picture\n")
        r = self.run_client("info", "nosuch.png", "a.png", "text.png")
        self.assertEqual((r.returncode, r.stdout), (66, b"a.png: png 3x2x1:u8\n"))
        self.assertIn(b"nosuch.png: cannot be read", r.stderr)
        self.assertIn(b"text.png: is neither a supported image file", r.stderr)
        self.bad(64, "FILE is missing", "info")


if __name__ == "__main__":
    unittest.main()
