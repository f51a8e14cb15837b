# SPDX-License-Identifier: MIT
"""gpufilter-client resize: sizes, refused sizes, and JPEG files that are decoded at a smaller scale. thumbnail: sizes,
what it does not do to a picture, what it leaves out. pyramid: levels down and up, each in one request, and refusals."""
import os
import struct
import unittest

from support import GREY, DaemonCase, png, png_chunk, setUpModule, tearDownModule

WIDE, HIGH = 401, 301
STEPS = bytes([0, 0, 0, 0, 255, 255, 255, 255])
TIFF = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)


def waves():
    """WIDE x HIGH grey samples, smooth, and brighter to the right and to the bottom."""
    return bytes((x * 140 // WIDE + y * 90 // HIGH + (x * x // 40 + y) % 24) for y in range(HIGH) for x in range(WIDE))


class Resize(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(3, 2, 1, GREY))

    def shape(self, *args):
        self.good("resize", *args, "out.npy")
        head = self.read("out.npy")[:128].decode("latin-1")
        return tuple(int(n) for n in head.split("'shape': (")[1].split(")")[0].split(",") if n.strip())

    def rows(self, *args):
        self.good("resize", *args, "out.txt")
        return [[int(v) for v in line.split()] for line in self.read("out.txt").decode().splitlines()]

    def test_samples(self):
        for args, rows in (
            (["--size", "6x2", "--filter", "nearest"], [[10, 10, 20, 20, 30, 30], [40, 40, 50, 50, 60, 60]]),
            (["--size", "1x1", "--filter", "area"], [[35]]), (["--size", "3x1", "--filter", "area"], [[25, 35, 45]]),
            (["--size", "3x2", "--filter", "lanczos3"], [[10, 20, 30], [40, 50, 60]]),
            (["--size", "2x1", "--filter", "linear", "--box", "0,0,2,1"], [[10, 20]]),
            (["--scale", "2,1", "--filter", "linear"], [[10, 12, 18, 22, 28, 30], [40, 42, 48, 52, 58, 60]]),
            (["--size", "1x2", "--filter", "linear", "--no-antialias"], [[20], [50]]),
        ):
            self.assertEqual(self.rows(*args, "a.png"), rows, args)

    def test_sizes(self):
        self.write("b.png", png(WIDE, HIGH, 1, waves()))
        for args, shape in ((["--size", "20"], (20, 20)), (["--size", "20x"], (15, 20)), (["--size", "x15"], (15, 20)),
                            (["--size", "7x9"], (9, 7)), (["--scale", "0.5"], (150, 200)), (["--scale", "2,0.1"], (30, 802)),
                            (["--fit", "40x90"], (30, 40)), (["--fit", "90x30"], (30, 40)), (["--fit", "802"], (602, 802)),
                            (["--fill", "10x40"], (40, 10)), (["--scale", "0.00001"], (1, 1)), (["--size", "1x"], (1, 1))):
            self.assertEqual(self.shape(*args, "b.png"), shape, args)
        self.write("turned.png", png(WIDE, HIGH, 1, waves(), more=png_chunk(b"eXIf", TIFF)))
        self.assertEqual(self.shape("--size", "30x", "turned.png"), (40, 30))

    def test_bad_sizes_are_refused(self):
        for says, args in (
            ("resize: no size is given; give one of size=640x480, size=400x, scale=0.5, fit=640x480, fill=640x480", []),
            ("resize: size and fit are both given; leave one of them out", ["--size", "3", "--fit", "4"]),
            ("resize: scale and fill are both given; leave one of them out", ["--scale", "3", "--fill", "4"]),
            ("resize: size=0 has no side; allowed: sides of 1..65535, one of which may be left out, such as 400x", ["--size", "0"]),
            ("resize: size=x (0x0) has no side; allowed: sides of 1..65535, one of which may be left out, such as 400x", ["--size", "x"]),
            ("resize: size=65536 outside 0..65535", ["--size", "65536x2"]),
            ("resize: size=-3 outside 0..65535", ["--size=-3"]),
            ("resize: size=4x5x6 has too many values; allowed: up to 2", ["--size", "4x5x6"]),
            ("resize: fit=x5: value 1 is not a number", ["--fit", "x5"]),
            ("resize: fill=0 outside 1..65535", ["--fill", "0"]),
            ("resize: scale=0 outside 1e-05..65535", ["--scale", "0"]),
            ("resize: dst: image of 120000x80000; allowed: sides up to 65535", ["--scale", "40000"]),
            ("resize: dst: image of 98303x65535; allowed: sides up to 65535", ["--size", "x65535"]),
            ("resize: box has 3 values; give x,y,width,height", ["--size", "2", "--box", "0,0,1"]),
            ("resize: box=1,0,3,2 goes beyond the picture of 3x2; x + width and y + height must be at most its sides",
             ["--size", "2", "--box", "1,0,3,2"]),
            ("resize: box=0,0,0,2; its width and height must be at least 1/65535", ["--size", "2", "--box", "0,0,0,2"]),
            ("resize: filter=bicubic; allowed: nearest, linear, area, cubic or lanczos3; did you mean cubic?",
             ["--size", "2", "--filter", "bicubic"]),
            ("resize: antialias=0 cannot be used with filter=area, which averages all that a pixel covers; give filter=linear or "
             "nearest", ["--size", "2", "--filter", "area", "--no-antialias"]),
        ):
            line = self.run_client("resize", *args, "a.png", "out.png")
            self.assertIn(says, line.stderr.decode())
            self.assertIn(line.returncode, (64, 65), says)
            self.assertEqual(line.stderr.count(b"\n"), 1, says)
            self.assertFalse(os.path.exists(self.path("out.png")))
        self.write("alpha.png", png(1, 1, 2, b"\x40\x80"))
        self.bad(64, "resize: alpha=ignore would keep the alpha of each pixel, but resized pixels are different ones; give "
                     "premultiplied or straight", "resize", "--size", "2", "--alpha", "ignore", "alpha.png", "out.png")
        self.bad(64, '"2x1" is not a file; did you mean --size 2x1?', "resize", "2x1", "a.png", "out.png")

    def test_only_shrink_never_enlarges(self):
        self.write("b.png", png(WIDE, HIGH, 1, waves()))
        whole = self.rows("--size", f"{WIDE}x{HIGH}", "--filter", "nearest", "b.png")
        for fit in (f"{WIDE}x{HIGH}", f"{WIDE + 1}x{HIGH + 1}", "4000x4000", f"{WIDE}x9999"):
            for more in ([], ["--filter", "lanczos3"], ["--light", "linear"], ["--filter", "area"]):
                self.assertEqual(self.rows("--fit", fit, "--only-shrink", *more, "b.png"), whole, (fit, more))
        for fit in (f"{WIDE - 1}x9999", "50x50", "1x1", f"9999x{HIGH - 1}"):
            self.assertEqual(self.rows("--fit", fit, "--only-shrink", "b.png"), self.rows("--fit", fit, "b.png"), fit)
        self.assertEqual(self.shape("--fit", "20x20", "--only-shrink", "--no-only-shrink", "--box", "0,0,10,5", "b.png"), (10, 20))
        self.assertEqual(self.rows("--fit", "65535", "--only-shrink", "b.png"), whole)  # enlarged, it would be too large
        got = self.rows("--fit", "400x400", "--only-shrink", "--box", "3,5,20,10", "b.png")
        self.assertEqual(got, [row[3:23] for row in whole[5:15]])
        self.write("turned.png", png(WIDE, HIGH, 1, waves(), more=png_chunk(b"eXIf", TIFF)))
        self.assertEqual(self.shape("--fit", "999", "--only-shrink", "turned.png"), (WIDE, HIGH))
        self.write("c.png", png(3, 2, 1, bytes(6)))  # each file of a batch by its own size
        self.good("resize", "--fit", "10x10", "--only-shrink", "b.png", "c.png", "-o", "{stem}.small.png")
        self.assertIn("10x8x1:u8", self.good("info", "b.small.png").decode())
        self.assertIn("3x2x1:u8", self.good("info", "c.small.png").decode())
        for args in (["--size", "10x"], ["--scale", "2"], ["--fill", "10x10"]):
            self.bad(64, "--only-shrink: applies only to --fit; give --fit, or leave it out", "resize", *args,
                     "--only-shrink", "b.png", "out.png")

    def test_jpeg_is_read_smaller_where_little_of_it_is_wanted(self):
        self.write("b.png", png(WIDE, HIGH, 1, waves()))
        self.good("copy", "b.png", "b.jpg")
        self.good("copy", "b.jpg", "full.png")  # all samples of the JPEG
        for args, small in ((["--size", "100x"], True), (["--fit", "25x25"], True), (["--fill", "12x40"], True),
                            (["--size", "201x"], False), (["--scale", "0.1", "--box", "100,50,300,240"], True),
                            (["--size", "40x", "--filter", "nearest"], False), (["--size", "40x", "--no-antialias"], False)):
            wanted, full, got = (self.rows(*args, *more) for more in (["full.png"], ["--no-shrink-on-load", "b.jpg"],
                                                                      ["b.jpg"]))
            self.assertEqual(full, wanted, args)
            self.assertEqual([len(got), len(got[0])], [len(wanted), len(wanted[0])], args)
            most = max(abs(a - b) for x, y in zip(got, wanted) for a, b in zip(x, y))
            self.assertLessEqual(most, 8, args)
            if not small:
                self.assertEqual(got, wanted, args)
        # Read at 1/8, 51 x 38 samples stand for 50.125 x 37.625: no edge moves, whichever way the picture is turned.
        jpeg = self.read("b.jpg")
        for orientation in range(1, 9):
            exif = b"Exif\0\0MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)
            self.write("t.jpg", jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:])
            got, wanted = self.rows("--fit", "20", "t.jpg"), self.rows("--fit", "20", "--no-shrink-on-load", "t.jpg")
            self.assertEqual([len(got), len(got[0])], [15, 20] if orientation < 5 else [20, 15])
            most = max(abs(a - b) for x, y in zip(got, wanted) for a, b in zip(x, y))
            self.assertLessEqual(most, 4, orientation)


def with_exif(jpeg, exif):
    exif = b"Exif\0\0" + exif
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


class Thumbnails(DaemonCase):
    def shape(self, name):
        return tuple(int(n) for n in self.good("info", name).decode().split()[2].split(":")[0].split("x"))[:2]

    def rows(self, *args):
        self.good("thumbnail", *args, "out.txt")
        return [[int(v) for v in line.split()] for line in self.read("out.txt").decode().splitlines()]

    def test_sizes(self):
        for width, height, fit, shape in (
            (480, 480, "480", (480, 480)), (480, 640, "480", (360, 480)), (481, 480, "480", (480, 479)),
            (2368, 2694, "480", (422, 480)), (640, 481, "640x480", (639, 480)), (101, 50, "100x50", (100, 50)),
            (100, 50, "100x50", (100, 50)), (1, 150, "128x128", (1, 128)), (150, 1, "128x128", (128, 1)),
            (10000, 1, "100", (100, 1)), (1, 10000, "100x50", (1, 50)), (2000, 3, "20", (20, 1)),
            (1000, 999, "10", (10, 10)), (64, 64, "100x100", (64, 64)), (3, 2, "65535", (3, 2)),
        ):
            self.write("a.png", png(width, height, 1, bytes(width * height)))
            self.good("thumbnail", fit, "a.png", "out.png")
            self.assertEqual(self.shape("out.png"), shape, (width, height, fit))

    def test_a_small_picture_keeps_its_samples(self):
        samples = bytes(x * y % 251 for y in range(64) for x in range(64 * 3))
        self.write("a.png", png(64, 64, 3, samples))
        for fit in ("64", "100x100", "64x65535"):
            self.good("thumbnail", fit, "a.png", "out.ppm")
            self.assertEqual(self.read("out.ppm"), b"P6\n64 64\n255\n" + samples)

    def test_the_filter_is_lanczos3(self):
        self.write("a.png", png(WIDE, HIGH, 1, waves()))
        self.good("resize", "--fit", "50", "--filter", "lanczos3", "a.png", "want.txt")
        self.assertEqual(self.rows("50", "a.png"), [[int(v) for v in line.split()]
                                                    for line in self.read("want.txt").decode().splitlines()])
        self.good("resize", "--fit", "50", "--filter", "lanczos3", "--light", "linear", "a.png", "want.txt")
        self.good("thumbnail", "50", "--light", "linear", "a.png", "out.txt")
        self.assertEqual(self.read("out.txt"), self.read("want.txt"))

    def test_upright(self):
        """The corner of the file's first sample is bright, wherever viewers show it, and however small it is decoded."""
        samples = bytes(240 if x < 48 and y < 32 else 20 for y in range(64) for x in range(96))
        self.write("a.png", png(96, 64, 1, samples))
        self.good("copy", "a.png", "a.jpg")
        corners = {1: (0, 0), 2: (0, -1), 3: (-1, -1), 4: (-1, 0), 5: (0, 0), 6: (0, -1), 7: (-1, -1), 8: (-1, 0)}
        for orientation, (bright_row, bright_column) in corners.items():
            exif = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)
            self.write("t.jpg", with_exif(self.read("a.jpg"), exif))
            for fit, longer, shorter in (("48", 48, 32), ("6", 6, 4), ("200", 96, 64)):
                rows = self.rows(fit, "t.jpg")
                shape = (shorter, longer) if orientation < 5 else (longer, shorter)
                self.assertEqual((len(rows), len(rows[0])), shape)
                for row in (0, -1):
                    for column in (0, -1):
                        is_bright = (row, column) == (bright_row, bright_column)
                        self.assertAlmostEqual(rows[row][column], 240 if is_bright else 20, delta=6)
            self.good("thumbnail", "48", "t.jpg", "out.jpg")
            self.assertNotIn(b"Exif", self.read("out.jpg"))
            self.assertEqual(self.shape("out.jpg"), (48, 32) if orientation < 5 else (32, 48))

    def test_metadata_is_left_out(self):
        place = struct.pack(">3I", 47, 48, 49)
        exif = (b"MM\0*" + struct.pack(">IH", 8, 2) + struct.pack(">HHI4s", 0x13b, 2, 4, b"Ann")
                + struct.pack(">HHII", 0x8825, 4, 1, 38) + struct.pack(">I", 0)
                + struct.pack(">H", 1) + struct.pack(">HHII", 2, 4, 3, 56) + struct.pack(">I", 0) + place)
        gamma, text = png_chunk(b"gAMA", struct.pack(">I", 45455)), png_chunk(b"tEXt", b"Author\0Ann")
        self.write("a.png", png(WIDE, HIGH, 1, waves(), more=gamma + png_chunk(b"eXIf", exif) + text))
        for args, shown in (([], (True, False, False)), (["--keep", "all"], (True, True, True)),
                            (["--keep", "copyright"], (False, True, False)), (["--strip"], (True, False, False))):
            self.assertEqual(self.run_client("thumbnail", *args, "50", "a.png", "out.png").stderr, b"")
            data = self.read("out.png")
            self.assertEqual((gamma in data, b"Ann" in data, place in data), shown, args)

    def test_quality(self):
        self.write("a.png", png(WIDE, HIGH, 3, bytes(v for v in waves() for _ in range(3))))
        def tables(*args):
            self.good("thumbnail", "100x100", *args, "a.png", "out.jpg")
            data = self.read("out.jpg")
            return data[data.index(b"\xff\xdb"):].split(b"\xff\xc0")[0], self.good("info", "out.jpg")
        self.good("resize", "--fit", "100", "--quality", "80", "a.png", "want.jpg")
        data = self.read("want.jpg")
        table, info = tables()
        self.assertEqual(table, data[data.index(b"\xff\xdb"):].split(b"\xff\xc0")[0])
        self.assertIn(b"4:2:0", info)
        fine, info = tables("--quality", "90")
        self.assertNotEqual(fine, table)
        self.assertIn(b"4:4:4", info)

    def test_several_files(self):
        os.mkdir(self.path("small"))
        self.write("a.png", png(WIDE, HIGH, 1, waves()))
        self.write("b.png", png(3, 2, 1, GREY))
        self.good("thumbnail", "200x100", "a.png", "b.png", "-o", "small/{stem}.jpg")
        self.assertEqual([self.shape("small/a.jpg"), self.shape("small/b.jpg")], [(133, 100), (3, 2)])

    def test_bad_command_lines(self):
        self.write("a.png", png(3, 2, 1, GREY))
        for says, args in (
            ("the largest size is missing, as in gpufilter-client thumbnail 400x400 ", []),
            ('"a.png" is not the largest size, which must be before the files, one number or WxH of 1..65535, as in ',
             ["a.png", "b.png"]),
            ('"0x9" is not the largest size, ', ["0x9", "a.png", "b.png"]),
            ('"70000" is not the largest size, ', ["70000", "a.png", "b.png"]),
            ("OUT is missing", ["400", "a.png"]),
            ('"b.png" is one operand too many', ["400", "300", "a.png", "b.png"]),
            ("unknown option --filter", ["--filter", "cubic", "400", "a.png", "b.png"]),
            ("unknown option --no-only-shrink", ["--no-only-shrink", "400", "a.png", "b.png"]),
            ("--strip: cannot be used with --keep", ["--strip", "--keep", "all", "400", "a.png", "b.png"]),
        ):
            self.bad(64, "thumbnail: " + says, "thumbnail", *args)
            self.assertFalse(os.path.exists(self.path("b.png")))
        self.bad(64, "there is no operation thumbnail; use resize fit=400x300 or resize size=400x", "pipe", "a.png",
                 "thumbnail", "-o", "b.png")


class Pyramids(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(8, 1, 1, STEPS))

    def rows(self, name="out.txt"):
        return [[int(v) for v in line.split()] for line in self.read(name).decode().splitlines()]

    def test_levels(self):
        for args, row in (((), [0, 16, 175, 255]), (("--border", "wrap"), [80, 16, 175, 239]), (("--level", "2"), [30, 144]),
                          (("--level", "3"), [87]), (("--level", "16"), [87])):
            self.good("pyramid", *args, "a.png", "out.txt")
            self.assertEqual(self.rows(), [row], args)
        self.write("b.png", png(2, 1, 1, bytes([0, 80])))
        self.good("pyramid", "--direction", "up", "b.png", "out.txt")
        self.assertEqual(self.rows(), [[20, 40, 70, 80]] * 2)

    def test_transparent_colours_do_not_bleed(self):
        red, green = bytes([255, 0, 0, 255]), bytes([0, 255, 0, 0])
        self.write("c.png", png(8, 1, 4, red * 4 + green * 4))
        self.good("pyramid", "c.png", "out.txt")
        self.assertEqual(self.rows(), [[255, 0, 0, 255, 255, 0, 0, 239, 255, 0, 0, 80, 0, 0, 0, 0]])
        self.good("pyramid", "--alpha", "straight", "c.png", "out.txt")
        self.assertEqual(self.rows(), [[255, 0, 0, 255, 239, 16, 0, 239, 80, 175, 0, 80, 0, 255, 0, 0]])
        self.write("d.png", png(2, 1, 4, red + green))
        self.good("pyramid", "--direction", "up", "d.png", "out.txt")
        self.assertEqual(self.rows(), [[255, 0, 0, 191, 255, 0, 0, 128, 255, 0, 0, 32, 0, 0, 0, 0]] * 2)
        # White that only touches transparent red stays white at every level, as with resize.
        white = bytes([255] * 4)
        self.write("e.png", png(32, 32, 4, b"".join(white if 10 <= x < 22 and 10 <= y < 22 else b"\xff\0\0\0"
                                                    for y in range(32) for x in range(32))))
        for args in (["pyramid"], ["pyramid", "--level", "4"], ["pyramid", "--direction", "up", "--level", "2"],
                     ["resize", "--scale", "0.5"]):
            self.good(*args, "e.png", "out.txt")
            seen = {tuple(row[i:i + 3]) for row in self.rows() for i in range(0, len(row), 4) if row[i + 3] != 0}
            self.assertEqual(seen, {(255, 255, 255)}, args)

    def test_alpha_of_an_array_is_a_channel(self):
        self.write("c.raw", bytes([255, 255] * 4 + [0, 0] * 4))
        self.good("pyramid", "--raw", "8x1x2:u8", "c.raw", "out.txt")
        self.assertEqual(self.rows(), [[255, 255, 239, 239, 80, 80, 0, 0]])

    def test_each_level_of_one_request(self):
        self.good("pipe", "a.png", "pyramid | pyramid | pyramid", "-o", "1:half.txt", "-o", "2:quarter.txt", "-o",
                  "3:eighth.txt")
        for level, name in enumerate(("half.txt", "quarter.txt", "eighth.txt"), 1):
            self.good("pyramid", "--level", str(level), "a.png", "out.txt")
            self.assertEqual(self.rows(name), self.rows())

    def test_samples_are_taken_as_they_are_seen(self):
        self.write("turned.png", png(8, 1, 1, STEPS, more=png_chunk(b"eXIf", TIFF)))
        self.good("pyramid", "turned.png", "out.txt")
        self.assertEqual(self.rows(), [[0], [16], [175], [255]])

    def test_what_is_refused(self):
        for says, args in (
            ("pyramid: border=constant; allowed: replicate, wrap, reflect and reflect101; pad adds a constant margin",
             ["--border", "constant"]),
            ("pyramid: border=wrap cannot be used with direction=up; leave it out for reflect101",
             ["--border", "wrap", "--direction", "up"]),
            ("pyramid: level=17 outside 1..16", ["--level", "17"]),
        ):
            self.bad(64, says, "pyramid", *args, "a.png", "out.png")
        self.write("alpha.png", png(1, 1, 2, b"\x40\x80"))
        self.bad(64, "pyramid: alpha=ignore would keep the alpha of each pixel, but resized pixels are different ones; give "
                     "premultiplied or straight", "pyramid", "--alpha", "ignore", "alpha.png", "out.png")


if __name__ == "__main__":
    unittest.main()
