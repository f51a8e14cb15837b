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
        self.bad(65, "invert: the picture is u32, which has no white level; map --scale -1 is its negative", "invert",
                 "--raw", "2x1x1:u32", "a.raw", "out.npy")
        self.good("brightness", "--amount", "2", "--raw", "2x1x1:u32", "a.raw", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<2f", 2, 4))

    def test_signed_pictures_have_no_white(self):
        self.write("s.raw", struct.pack("<2h", -1000, 3000))
        self.bad(65, "invert: the picture is i16, which has no white level; map --scale -1 is its negative", "invert",
                 "--raw", "2x1x1:i16", "s.raw", "out.npy")
        self.bad(65, "the picture is i16, which has no white level; map --scale 1.2 --offset -20 keeps 100 where it is", "contrast",
                 "--amount", "2", "--raw", "2x1x1:i16", "s.raw", "out.npy")
        self.good("brightness", "--amount", "2", "--raw", "2x1x1:i16", "s.raw", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<2h", -2000, 6000))
        self.bad(65, "flatten: src is i16; allowed: u8, u16 or f32", "flatten", "--background", "white", "--raw",
                 "1x1x2:i16", "s.raw", "out.npy")
        self.bad(65, "--background needs u8, u16 or f32, and the picture is i16", "copy", "--background", "white", "--raw",
                 "1x1x2:i16", "s.raw", "out.npy")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "out.npy")))

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

    def test_gray(self):
        self.write("a.ppm", ppm(3, 1, bytes([255, 255, 255, 200, 100, 50, 0, 0, 0])))
        grey = bytes([255, round(0.299 * 200 + 0.587 * 100 + 0.114 * 50), 0])
        for word in ["gray", "grey", "grayscale", "greyscale"]:
            self.assertEqual(self.raw(word, "a.ppm"), grey)
        self.assertEqual(self.raw("gray", "--weights", "1,0,0", "a.ppm"), bytes([255, 200, 0]))
        self.assertEqual(self.raw("gray", "--standard", "bt709", "a.ppm"),
                         bytes([255, round(0.2126 * 200 + 0.7152 * 100 + 0.0722 * 50), 0]))
        self.write("a.png", png(1, 1, 4, bytes([200, 100, 50, 7])))
        self.assertEqual(self.raw("gray", "a.png"), bytes([grey[1], 7]))
        self.assertEqual(self.raw("gray", "--alpha", "drop", "a.png"), grey[1:2])
        self.bad(64, "weights has 2 values; give three: for red, green and blue", "gray", "--weights", "1,2", "a.ppm", "o.png")
        self.bad(64, "unknown command desaturate; did you mean gray?", "desaturate", "a.ppm", "o.png")

    def test_merge(self):
        for name, v in [("r", 1), ("g", 2), ("b", 3), ("a", 4)]:
            self.write(name + ".png", png(2, 1, 1, bytes([v, 10 * v])))
        self.assertEqual(self.raw("merge", "r.png", "g.png", "b.png"), bytes([1, 2, 3, 10, 20, 30]))
        self.assertEqual(self.raw("merge", "r.png", "g.png", "b.png", "a.png"), bytes([1, 2, 3, 4, 10, 20, 30, 40]))
        self.assertEqual(self.raw("merge", "r.png", "g.png"), bytes([1, 2, 10, 20]))
        self.assertEqual(self.raw("merge", "r.png"), bytes([1, 10]))
        self.good("merge", "r.png", "g.png", "b.png", "-o", "rgb.ppm")
        self.assertEqual(self.read("rgb.ppm"), ppm(2, 1, bytes([1, 2, 3, 10, 20, 30])))
        self.assertEqual(self.raw("merge", "--order", "3,2,1,0", "rgb.ppm"), bytes([3, 2, 1, 255, 30, 20, 10, 255]))
        self.good("merge", "rgb.ppm", "a.png", "rgba.png")
        self.assertIn("png 2x1x4:u8, alpha", self.good("info", "rgba.png").decode())
        self.good("pipe", "rgb.ppm", "copy channel=1 | copy src=#0 channel=3 | merge src=#1 src2=#2", "-o", "two.raw")
        self.assertEqual(self.read("two.raw"), bytes([1, 3, 10, 30]))

    def test_merge_refuses(self):
        self.write("a.png", png(2, 1, 1, b"\1\2"))
        self.write("b.png", png(1, 1, 1, b"\1"))
        self.write("c.ppm", ppm(2, 1, bytes(6)))
        self.bad(64, "IN is missing", "merge")
        self.bad(64, "OUT is missing", "merge", "a.png")
        self.bad(64, '"6" is one operand too many', "merge", "a.png", "a.png", "a.png", "a.png", "5", "6")
        self.bad(65, "src is 2x1x1 u8, src2 is 1x1x1 u8; all must have the same size and type", "merge", "a.png", "b.png",
                 "out.png")
        self.bad(65, "the pictures have 6 channels in total; allowed: up to 4", "merge", "c.ppm", "c.ppm", "out.png")
        self.bad(64, "order has channel 2 of 1; allowed: 1..1, or 0 for the greatest sample", "merge", "--order", "2",
                 "a.png", "out.png")
        self.assertFalse(os.path.exists(self.path("out.png")))

    def test_matrix(self):
        self.write("a.ppm", ppm(1, 1, bytes([10, 20, 30])))
        self.assertEqual(self.raw("matrix", "--coefs", "0 0 1; 0 1 0; 1 0 0", "a.ppm"), bytes([30, 20, 10]))
        self.assertEqual(self.raw("matrix", "--coefs", "0.5 0 0 1.5", "a.ppm"), bytes([6]))
        self.bad(64, "--coefs is missing", "matrix", "a.ppm", "o.png")
        self.bad(65, "coefs has 2 columns for 3 channels; allowed: 3, or 4 with offsets", "matrix", "--coefs", "1 1",
                 "a.ppm", "o.png")

    def test_colours_there_and_back(self):
        colours = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 128, 128, 128])
        self.write("a.ppm", ppm(4, 1, colours))
        self.assertEqual(self.raw("hsv", "a.ppm"), bytes([0, 255, 255, 60, 255, 255, 120, 255, 255, 0, 0, 128]))
        self.assertEqual(self.raw("ycbcr", "a.ppm"), bytes([76, 85, 255, 150, 44, 21, 29, 255, 107, 128, 128, 128]))
        self.assertEqual(self.raw("ycbcr", "--range", "video", "a.ppm")[9:], bytes([126, 128, 128]))
        for there, back in [("hsv", "rgb model=hsv"), ("ycbcr range=video standard=bt709", "rgb range=video standard=bt709")]:
            self.good("pipe", "a.ppm", "map dtype=f32 range=full | %s | %s | map dtype=u8 range=full" % (there, back), "-o",
                      "out.raw")
            self.assertEqual(self.read("out.raw"), colours)
        self.write("g.png", png(1, 1, 1, b"\1"))
        self.bad(65, "hsv: src has 1 channel; allowed: 3, or 4 with alpha", "hsv", "g.png", "o.png")

    def test_planes_of_video(self):
        self.write("a.ppm", ppm(3, 1, bytes([255, 0, 0, 255, 0, 0, 0, 0, 255])))
        self.good("nv12", "a.ppm", "y.pgm", "--uv", "uv.raw")
        self.assertEqual(self.read("y.pgm")[-3:], bytes([81, 81, 41]))
        self.assertEqual(self.read("uv.raw"), bytes([90, 240, 240, 110]))
        self.good("i420", "a.ppm", "y.pgm", "--u", "u.pgm", "--v", "v.pgm")
        self.assertEqual((self.read("u.pgm")[-2:], self.read("v.pgm")[-2:]), (bytes([90, 240]), bytes([240, 110])))
        self.assertEqual(self.raw("rgb420", "y.pgm", "u.pgm", "v.pgm"), bytes([254, 0, 0, 254, 0, 0, 0, 0, 255]))
        self.bad(65, "rgb420: chroma is 3x1, src 3x1; it must be half of that, rounded up: 2x1", "rgb420", "y.pgm",
                 "y.pgm", "o.png")
        self.write("alpha.png", png(1, 1, 4, RGBA[:4]))
        self.bad(65, "nv12: src has 4 channels; allowed: 3; the planes have no alpha; flatten puts a colour behind the picture",
                 "nv12", "alpha.png", "o.png")
        self.assertFalse(os.path.exists(self.path("o.png")))

    def test_normalize(self):
        self.write("a.png", png(2, 1, 1, bytes([0, 255])))
        self.assertEqual(self.raw("normalize", "--mean", "0.5", "--std", "0.25", "--range", "full", "a.png"),
                         struct.pack("<2f", -2.0, 2.0))
        self.bad(64, "std=0 outside", "normalize", "--std", "0", "a.png", "o.npy")


class Background(DaemonCase):
    def test_flatten(self):
        self.write("a.png", png(3, 1, 4, RGBA))
        for colour, flat in [("white", OVER_WHITE), ("#fff", OVER_WHITE), ("black", OVER_BLACK), ("#000000", OVER_BLACK)]:
            self.good("flatten", "--background", colour, "a.png", "out.ppm")
            self.assertEqual(self.read("out.ppm"), ppm(3, 1, flat))
        self.good("pipe", "a.png", "flatten colour=255", "-o", "out.ppm")
        self.assertEqual(self.read("out.ppm"), ppm(3, 1, OVER_WHITE))
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
        self.bad(65, "--background needs u8, u16 or f32, and the picture is u32", "copy", "--background", "white", "--raw",
                 "1x1x2:u32", "i.raw", "out.npy")
        self.bad(65, "the picture is u32, which has no white level; flatten --colour takes samples", "flatten", "--background", "white", "--raw", "1x1x2:u32",
                 "i.raw", "out.npy")

    def test_jpeg_of_a_picture_with_alpha(self):
        self.write("a.png", png(3, 1, 4, RGBA))
        self.bad(65, "jpeg holds u8 with 1 or 3 channels (no alpha), but the picture is u8 with 4 channels; write png or "
                 "pam, or blend alpha with --background", "blur", "a.png", "out.jpg")
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
        self.bad(64, "flatten: colour has 3 values for 1 channel; give one", "flatten", "--background", "#f00", "g.png",
                 "out.png")
        self.bad(65, "out.png: the picture is grey, and --background #ff0000 is not", "copy", "--background", "#f00",
                 "g.png", "out.png")
        self.bad(64, "takes no --background", "--background", "white", "info", "g.png")
        self.assertEqual(os.listdir(self.dir), ["g.png"])


class Types(DaemonCase):
    def test_parameters_as_in_pipes(self):
        self.write("a.pgm", b"P5\n3 2\n255\n" + GREY)
        self.good("map", "--scale", "2", "--offset", "1", "a.pgm", "want.pgm")
        self.good("map", "scale=2", "a.pgm", "out.pgm", "offset=1")
        self.assertEqual(self.read("out.pgm"), self.read("want.pgm"))
        self.good("pad", "margin=1", "border=constant", "border_value=7", "a.pgm", "out.pgm")
        self.good("invert", "alpha=straight", "a.pgm", "out.pgm")
        self.bad(64, "scale=2: scale is given twice", "map", "--scale", "1", "scale=2", "a.pgm", "out.pgm")
        self.bad(64, "scale=high", "map", "scale=high", "a.pgm", "out.pgm")
        self.write("scale=3", self.read("a.pgm"))
        self.good("map", "scale=2", "./scale=3", "out.pgm", "offset=1")
        self.assertEqual(self.read("out.pgm"), self.read("want.pgm"))
        self.bad(64, "one operand too many", "invert", "scale=3", "a.pgm", "out.pgm")  # not its own

    def test_errors_about_types_name_the_step(self):
        self.write("f.raw", struct.pack("<2f", 0.5, 1))
        self.write("a.png", png(2, 1, 1, b"\1\2"))
        self.write("w.png", png(2, 1, 1, bytes(4), 16))
        self.bad(65, "src is f32; allowed: u8, u16 or i16; map dtype=u16 range=full converts", "equalize", "--raw", "2x1x1:f32",
                 "f.raw", "out.png")
        self.bad(65, "src is u8; allowed: f32 or f64; map dtype=f32 converts", "recurrence", "a.png", "out.npy")
        self.bad(65, "both must have the same shape and dtype; map converts by dtype and range=full", "combine", "a.png", "w.png", "out.png")
        self.bad(65, "step 2 (gaussian): src is u32; allowed: u8, u16, i16, f32 or f16; expr expression=a dtype=f32 converts", "pipe", "a.png",
                 "integral | blur", "-o", "out.png")
        self.bad(65, "write png or pam, or convert it with map, dtype u8 and range full", "map", "--dtype", "u16", "w.png",
                 "out.jpg")


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
