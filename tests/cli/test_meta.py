# SPDX-License-Identifier: MIT
"""Metadata of files: every command that writes a picture keeps it, except data that shows the old picture. Also how
samples are stored if there is a choice."""
import os
import struct
import unittest
import zlib

from support import GREY, DaemonCase, png, png_chunk, setUpModule, tearDownModule

GAMMA = png_chunk(b"gAMA", struct.pack(">I", 45455))
SIZE = png_chunk(b"pHYs", struct.pack(">IIB", 11811, 11811, 1))
# A directory of one entry, orientation 6, followed by data of a camera.
TIFF = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
TURNED = png_chunk(b"eXIf", TIFF)
PRIVATE = png_chunk(b"eXIf", TIFF + b"a thumbnail")
TEXT = png_chunk(b"tEXt", b"Comment\0a place")
# Orientation 6, an artist, and a place in degrees.
PLACE = struct.pack(">3I", 47, 48, 49)
WHOSE = (b"MM\0*" + struct.pack(">IH", 8, 3) + struct.pack(">HHIHH", 0x112, 3, 1, 6, 0)
         + struct.pack(">HHI4s", 0x13b, 2, 4, b"Ann") + struct.pack(">HHII", 0x8825, 4, 1, 50) + struct.pack(">I", 0)
         + struct.pack(">H", 1) + struct.pack(">HHII", 2, 4, 3, 68) + struct.pack(">I", 0) + PLACE)


def segment(marker, data):
    """A marker segment of a JPEG."""
    return struct.pack(">BBH", 0xff, marker, len(data) + 2) + data


def index(*kinds):
    """The index of a file with several JPEG, by their kinds (CIPA DC-007)."""
    entries = b"".join(struct.pack(">IIIHH", kind, 100, 0, 0, 0) for kind in kinds)
    return segment(0xe2, b"MPF\0MM\0*" + struct.pack(">IHHHIII", 8, 1, 0xb002, 7, len(entries), 26, 0) + entries)


class Meta(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY, more=GAMMA + SIZE + PRIVATE + TEXT))
        self.write("plain.png", png(3, 2, 1, GREY))

    def check(self, name):
        data = self.read(name)
        for chunk in (GAMMA, SIZE, TURNED, TEXT):
            self.assertEqual(data.count(chunk), 1)
        self.assertNotIn(b"thumbnail", data)

    def test_an_operation_keeps_it(self):
        self.good("blur", "in.png", "out.png")
        self.check("out.png")

    def test_a_mask_keeps_it(self):
        self.good("threshold", "in.png", "out.png")
        self.check("out.png")

    def test_a_pipe_keeps_that_of_its_first_file(self):
        self.good("pipe", "in.png", "gaussian | combine other=@plain.png mode=max", "-o", "out.png", "-o", "1:one.png")
        self.check("out.png")
        self.check("one.png")
        self.good("pipe", "plain.png", "gaussian | combine other=@in.png mode=max", "-o", "out.png")
        self.assertNotIn(b"gAMA", self.read("out.png"))

    def test_a_session_keeps_that_of_the_file_it_began_with(self):
        script = b"load a in.png; load p plain.png; b = gaussian a; c = combine b other=p mode=max; d = map p\n"
        self.good("session", "-", stdin=script + b"free a; save b b.png; save c c.png; save d d.png")
        self.check("b.png")
        self.check("c.png")
        self.assertNotIn(b"gAMA", self.read("d.png"))

    def test_a_format_that_cannot_say_it_is_turned(self):
        shown = b"P5\n2 3\n255\n" + bytes([40, 10, 50, 20, 60, 30])
        self.good("copy", "in.png", "out.pgm")
        self.assertEqual(self.read("out.pgm"), shown)
        self.good("pipe", "in.png", "map | copy", "-o", "out.pgm", "-o", "1:one.pgm")
        self.assertEqual((self.read("out.pgm"), self.read("one.pgm")), (shown, shown))
        self.good("session", "-", stdin=b"load a in.png; b = copy a; save b out.pgm; save a one.pgm")
        self.assertEqual((self.read("out.pgm"), self.read("one.pgm")), (shown, shown))
        for name in ("out.bmp", "out.tga", "out.pam", "out.npy"):
            self.good("copy", "in.png", name)
            self.good("copy", "--channel", "1", name, "back.pgm")
            self.assertEqual(self.read("back.pgm"), shown, name)
        self.good("copy", "in.png", "out.txt")
        self.assertEqual(self.read("out.txt"), b"40 10\n50 20\n60 30\n")

    def test_what_goes_by_rows_is_not_turned_and_says_so(self):
        sums = b"10 30 60\n50 120 210\n"
        for run in (
            ["integral", "in.png", "out.txt"],
            ["pipe", "in.png", "integral", "-o", "out.txt"],
            ["pipe", "in.png", "integral | copy", "-o", "out.txt"],
        ):
            r = self.run_client(*run)
            self.assertEqual((r.returncode, self.read("out.txt")), (0, sums))
            self.assertIn("%s: warning: out.txt: uses rows and columns as stored" % run[0], r.stderr.decode())
            self.assertEqual(r.stderr.count(b"\n"), 1)
            self.assertEqual(self.run_client(*run, "--quiet").stderr, b"")
        r = self.run_client("session", "-", stdin=b"load a in.png; b = integral a; c = copy b; save c out.txt")
        self.assertEqual((r.returncode, self.read("out.txt")), (0, sums))
        self.assertIn(b"uses rows and columns as stored", r.stderr)
        self.assertEqual(self.run_client("integral", "plain.png", "out.txt").stderr, b"")

    def test_lists_are_not_turned(self):
        self.good("select", "in.png", "out.txt", "--lo", "30", "--quiet")
        self.assertEqual(self.read("out.txt"), b"30 40 50 60\n")

    def test_metadata_may_be_left_out(self):
        self.write("whose.png", png(3, 2, 1, GREY, more=GAMMA + SIZE + png_chunk(b"eXIf", WHOSE)))
        shown = {"all": (3, 2, True, True, True, True), "none": (2, 3, False, False, False, False),
                 "copyright": (2, 3, True, False, False, False), "exif": (3, 2, True, True, False, False),
                 "resolution,colour": (2, 3, False, False, True, True)}
        for words, want in shown.items():
            self.assertEqual(self.run_client("copy", "--keep", words, "whose.png", "out.png").stderr, b"")
            data = self.read("out.png")
            sides = struct.unpack_from(">II", data, 16)
            self.assertEqual((*sides, *(part in data for part in (b"Ann", PLACE, GAMMA, SIZE))), want, words)
        self.good("copy", "--strip", "whose.png", "strip.png")
        self.good("copy", "--keep", "icc,colour", "whose.png", "keep.png")
        self.assertEqual(self.read("strip.png"), self.read("keep.png"))
        self.good("copy", "--strip", "whose.png", "out.pgm")
        self.assertEqual(self.read("out.pgm"), b"P5\n2 3\n255\n" + bytes([40, 10, 50, 20, 60, 30]))
        for words, word in {"gps": "gps", "icc,": "", "ICC": "ICC"}.items():
            self.bad(64, '--keep %s: "%s"; allowed: all, none, or some of icc, colour' % (words, word),
                     "copy", "--keep", words, "whose.png", "out.png")
        self.bad(64, "--strip: cannot be used with --keep", "copy", "--strip", "--keep", "all", "whose.png", "out.png")

    def test_a_colour_space_given_by_numbers(self):
        pq = png_chunk(b"cICP", bytes([9, 16, 0, 1]))
        levels = png_chunk(b"mDCV", bytes(range(24))) + png_chunk(b"cLLI", bytes(range(8)))
        self.write("hdr.png", png(3, 2, 1, GREY, more=pq + levels))
        for level in ("1", "9"):
            r = self.run_client("blur", "--png-level", level, "hdr.png", "out.png")
            self.assertEqual((r.returncode, r.stderr), (0, b""))
            self.assertTrue(pq in self.read("out.png") and levels in self.read("out.png"), level)
        self.assertIn(b"primaries 9 and transfer 16 of H.273", self.good("info", "out.png"))
        line = ("out.%s: not kept as %s: light levels (mDCV, cLLI), "
                "colour space (primaries 9, transfer 16 of H.273, not sRGB)")
        for word in ("pgm", "npy", "bmp"):
            self.assertIn(line % (word, word), self.run_client("copy", "hdr.png", "out." + word).stderr.decode())
        self.bad(65, line % ("pgm", "pgm"), "copy", "--strict", "hdr.png", "out.pgm")
        self.good("copy", "--strict", "--keep", "none", "hdr.png", "out.pgm")
        self.good("copy", "--keep", "none", "hdr.png", "out.png")
        self.assertNotIn(b"cICP", self.read("out.png"))
        srgb = (31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)
        rec2020 = (31270, 32900, 70800, 29200, 17000, 79700, 13100, 4600)
        chunks = {b"": b"", png_chunk(b"cICP", bytes([1, 13, 0, 1])): b"",
                  png_chunk(b"gAMA", struct.pack(">I", 45000)): b"",
                  png_chunk(b"gAMA", struct.pack(">I", 100000)): b"gamma 1",
                  png_chunk(b"cHRM", struct.pack(">8I", *srgb)): b"",
                  png_chunk(b"cHRM", struct.pack(">8I", *rec2020)): b"primaries of its own"}
        for chunk, text in chunks.items():
            self.write("in.png", png(3, 2, 1, GREY, more=chunk))
            said = self.run_client("copy", "in.png", "out.pgm").stderr
            self.assertTrue(text in said if text else said == b"", (chunk, said))

    def test_linear_light_of_another_curve(self):
        run = "resize", "--size", "2x2", "--light", "linear"
        for chunk, text in {png_chunk(b"gAMA", struct.pack(">I", 100000)): "gamma 1",
                            png_chunk(b"cICP", bytes([9, 16, 0, 1])): "primaries 9, transfer 16 of H.273"}.items():
            self.write("in.png", png(3, 2, 1, GREY, more=chunk))
            mend = "" if "transfer" in text else "convert it with --srgb, or "
            said = "in.png: light=linear decodes sRGB, but the picture has %s; %sleave light=linear out" % (text, mend)
            self.bad(65, said, *run, "in.png", "out.png")
            self.bad(65, said, "pipe", "in.png", "median | gaussian light=linear", "-o", "out.png")
            self.bad(65, said, "pipe", "plain.png", "combine other=@in.png mode=max | box light=linear", "-o", "out.png")
            self.good("pipe", "in.png", "map dtype=f32 | gaussian light=linear", "-o", "out.npy", "--quiet")
            self.good("copy", "--keep", "none", "in.png", "bare.png")
            self.good(*run, "bare.png", "out.png")
        for chunk in (GAMMA, png_chunk(b"cICP", bytes([12, 13, 0, 1])),
                      png_chunk(b"gAMA", struct.pack(">I", 100000)) + png_chunk(b"sRGB", b"\0")):
            self.write("in.png", png(3, 2, 1, GREY, more=chunk))
            self.good(*run, "in.png", "out.png")

    def write_jpeg(self, name, *segments):
        """Writes a JPEG with these segments. Skips the test if this build keeps no metadata of JPEG."""
        self.good("copy", "in.png", name)
        data = self.read(name)
        if b"Exif" not in data:
            self.skipTest("JPEG without libjpeg-turbo")
        self.write(name, data[:2] + b"".join(segments) + data[2:])

    def test_text_of_png(self):
        texts = [png_chunk(b"tEXt", b"Author\0Ann"), png_chunk(b"iTXt", b"Title\0\0\0\0\0A title"),
                 png_chunk(b"zTXt", b"Copyright\0\0" + zlib.compress(b"mine"))]
        others = [png_chunk(b"tEXt", b"Thumb::Image\0old"), png_chunk(b"zTXt", b"Raw profile type exif\0\0x")]
        self.write("text.png", png(3, 2, 1, GREY, more=b"".join(texts + others)))
        for level in ("1", "9"):
            self.assertEqual(self.run_client("blur", "--png-level", level, "text.png", "out.png").stderr, b"")
            data = self.read("out.png")
            self.assertEqual([data.count(chunk) for chunk in texts + others], [1, 1, 1, 0, 0])
        self.assertIn(b", text\n", self.good("info", "out.png"))
        self.good("copy", "--keep", "comment", "text.png", "out.png")
        self.assertNotIn(b"Author", self.read("out.png"))
        self.write_jpeg("out.jpg")
        self.assertIn(b"out.jpg: not kept as jpeg: text\n", self.run_client("copy", "text.png", "out.jpg").stderr)
        self.assertEqual(self.run_client("copy", "text.png", "out.pgm").stderr, b"")

    def test_profiles_in_text_of_png(self):
        exif = b"Exif\0\0MM\0*\0\0\0\x08\0\2" + struct.pack(">HHIHHHHI4s", 274, 3, 1, 3, 0, 315, 2, 4, b"Ann\0") + bytes(4)
        iptc = b"8BIM\4\4\0\0\0\0\0\x09\x1c\2\x5a\0\4Ulm \0"
        xmp = b"<x:xmpmeta>kept</x:xmpmeta>"

        def text(name, profile, words=None):
            digits = profile.hex() if words is None else words
            return (b"Raw profile type " + name + b"\0\n" + name + b"\n%8d\n" % len(profile) +
                    "\n".join(digits[i:i + 72] for i in range(0, len(digits), 72)).encode() + b"\n")
        for head, kind in (b"", b"tEXt"), (b"Photoshop 3.0\0", b"zTXt"):
            chunks = [text(b"exif", exif), text(b"iptc", head + iptc), text(b"xmp", xmp)]
            if kind == b"zTXt":
                chunks = [c[:c.index(b"\0")] + b"\0\0" + zlib.compress(c[c.index(b"\0") + 1:]) for c in chunks]
            self.write("a.png", png(3, 2, 1, GREY, more=b"".join(png_chunk(kind, c) for c in chunks)))
            self.assertEqual(self.run_client("copy", "a.png", "out.jpg").stderr, b"")
            data = self.read("out.jpg")
            self.assertIn(segment(0xed, b"Photoshop 3.0\0" + iptc), data)
            self.assertTrue(xmp in data and b"Ann\0" in data)
            self.assertIn(b", EXIF orientation 3, EXIF, XMP, IPTC\n", self.good("info", "out.jpg"))
        for words in "", exif.hex()[:-1], "x" + exif.hex(), exif.hex().replace("4", "G"):  # damage is not kept
            self.write("a.png", png(3, 2, 1, GREY, more=png_chunk(b"tEXt", text(b"exif", exif, words))))
            self.assertNotIn(b"EXIF", self.good("info", "a.png"))

    def test_iptc_and_comments_of_jpeg(self):
        def resource(number, data, name=b"\0\0"):
            return b"8BIM" + struct.pack(">H", number) + name + struct.pack(">I", len(data)) + data + b"\0" * (len(data) % 2)
        data = b"\x1c\x02\x74\0\4mine"
        iptc, named = resource(0x404, data), resource(0x404, data, b"\3abc")
        head, thumbnail = b"Photoshop 3.0\0", resource(0x40c, b"the old picture")
        comments = segment(0xfe, b"one"), segment(0xfe, b"two")
        self.write_jpeg("a.jpg", segment(0xed, head + thumbnail + named + thumbnail), *comments)
        self.assertEqual(self.run_client("resize", "--size", "8x8", "a.jpg", "out.jpg").stderr, b"")
        data = self.read("out.jpg")
        self.assertEqual([data.count(part) for part in (segment(0xed, head + iptc), b"".join(comments))], [1, 1])
        self.assertIn(b", IPTC, comment\n", self.good("info", "out.jpg"))
        for words, want in {"iptc": (True, False), "comment": (False, True), "exif": (False, False)}.items():
            self.good("copy", "--keep", words, "a.jpg", "out.jpg")
            data = self.read("out.jpg")
            self.assertEqual((iptc in data, comments[0] in data), want)
        line = "gpufilter-client: copy: warning: out.png: not kept as png: IPTC, comment\n"
        self.assertEqual(self.run_client("copy", "a.jpg", "out.png").stderr.decode(), line)
        for cut in range(1, len(iptc)):  # damage is not kept
            self.write_jpeg("a.jpg", segment(0xed, head + iptc[:-cut]))
            self.good("copy", "a.jpg", "out.jpg")
            self.assertEqual(iptc[:12] in self.read("out.jpg"), cut == 1)

    def test_a_gain_map_is_lost_and_said(self):
        for part in (segment(0xe1, b"http://ns.adobe.com/xap/1.0/\0<a hdrgm:Version='1.0'/>"),
                     segment(0xe2, b"urn:iso:std:iso:ts:21496:-1\0\0\0\0\0")):
            self.write_jpeg("hdr.jpg", part, index(0x30000, 0))
            for name, word in {"out.jpg": "jpeg", "out.npy": "npy"}.items():
                self.assertEqual(self.run_client("copy", "--strip", "hdr.jpg", name).stderr.decode(),
                                 "gpufilter-client: copy: warning: %s: not kept as %s: gain map\n" % (name, word))
            self.assertIn(b"gain map", self.good("info", "hdr.jpg"))
            self.assertEqual(self.run_client("copy", "--strict", "out.jpg", "again.jpg").stderr, b"")

    def test_more_pictures_than_are_there(self):
        self.write_jpeg("few.jpg", index(0x30000, 0x10001))
        self.write_jpeg("many.jpg", index(0x20002, 0x10001, 0x20002, 0x20002))
        self.assertEqual(self.run_client("copy", "few.jpg", "out.png").stderr, b"")
        self.assertEqual(self.run_client("copy", "--page", "1", "many.jpg", "out.png").stderr, b"")
        said = "many.jpg: has 3 pictures; the first one is read; choose one with --page N"
        self.assertIn(said, self.run_client("stats", "many.jpg").stderr.decode())
        self.assertIn(b"3 pages", self.good("info", "many.jpg"))
        self.bad(65, said, "copy", "--strict", "many.jpg", "out.png")
        self.bad(65, "picture 2 of 3 lies outside the file", "copy", "--page", "2", "many.jpg", "out.png")

    def test_a_loss_may_be_an_error(self):
        self.good("copy", "in.png", "out.pgm")
        self.bad(65, "new.pgm: not kept as pgm: text, resolution; leave --strict out", "copy", "--strict", "in.png", "new.pgm")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "new.pgm")))
        self.good("copy", "--strict", "--strip", "in.png", "out.pgm")
        self.good("copy", "--strict", "plain.png", "out.pgm")
        self.good("copy", "--strict", "in.png", "out.png")

    def test_a_file_may_be_filtered_in_place(self):
        self.good("blur", "--in-place", "in.png")
        self.check("in.png")

    def test_a_choice_of_size_changes_no_sample_of_a_png(self):
        picture = bytes((x * x // 50 + 2 * y + x * y * 7 % 5) % 256 for y in range(64) for x in range(64 * 3))
        self.write("big.png", png(64, 64, 3, picture))
        sizes = []
        for level in ("1", "2", "9"):
            self.good("map", "--png-level", level, "big.png", "out.png")
            sizes.append(len(self.read("out.png")))
            self.good("map", "out.png", "out.raw")
            self.assertEqual(self.read("out.raw"), picture)
        self.assertLess(sizes[2], sizes[0])
        self.assertLessEqual(sizes[2], sizes[1])

    def frame(self, *args):
        """The kind of the JPEG (0 baseline, 2 progressive) and the sampling of its channels."""
        self.good("map", *args, "big.png", "out.jpg")
        data, at = self.read("out.jpg"), 2
        while data[at + 1] & 0xF0 != 0xC0 or data[at + 1] in (0xC4, 0xCC):
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
        return data[at + 1] & 15, data[at + 11], data[at + 14]

    @unittest.skipUnless(os.environ["GF_LIBJPEG"] == "1", "without libjpeg-turbo")
    def test_colour_of_jpeg(self):
        picture = bytes(v for y in range(48) for x in range(50) for v in ((255, 0, 0) if (x + y) % 2 else (255, 255, 255)))
        self.write("big.png", png(50, 48, 3, picture))
        self.assertEqual(self.frame(), (0, 0x11, 0x11))
        self.good("map", "out.jpg", "out.raw")
        self.assertLess(max(abs(a - b) for a, b in zip(self.read("out.raw"), picture)), 30)  # 91 with colour at half resolution
        for quality, sampling in (("100", 0x11), ("90", 0x11), ("89", 0x22)):
            self.assertEqual(self.frame("--quality", quality), (0, sampling, 0x11))
        for word, sampling in (("444", 0x11), ("422", 0x21), ("420", 0x22)):
            self.assertEqual(self.frame("--subsampling", word, "--quality", "95"), (0, sampling, 0x11))
            self.good("map", "out.jpg", "base.raw")
            self.assertEqual(self.frame("--progressive", "--subsampling", word, "--quality", "95"), (2, sampling, 0x11))
            self.good("map", "out.jpg", "out.raw")
            self.assertEqual(self.read("out.raw"), self.read("base.raw"))

    @unittest.skipUnless("webp=" in os.environ["GF_CODECS"], "without libwebp")
    def test_webp_is_lossy_if_its_source_was(self):
        self.write("big.png", png(64, 64, 3, bytes(i * i // 97 % 256 for i in range(64 * 64 * 3))))

        def coding(source, *args):
            self.good("map", *args, source, "out.webp")
            data = self.read("out.webp")
            return "lossless" if b"VP8L" in data else "lossy" if b"VP8 " in data else "?"

        self.assertEqual(coding("big.png"), "lossless")
        self.good("map", "out.webp", "whole.webp")
        self.good("map", "out.webp", "out.raw")
        self.good("map", "big.png", "big.raw")
        self.assertEqual(self.read("out.raw"), self.read("big.raw"))
        self.assertEqual(coding("big.png", "--quality", "50"), "lossy")
        self.good("map", "big.png", "big.jpg")
        self.assertEqual(coding("big.jpg"), "lossy")
        by_default = self.read("out.webp")
        self.assertEqual(coding("big.jpg", "--quality", "80"), "lossy")
        self.assertEqual(by_default, self.read("out.webp"))
        self.write("lossy.webp", by_default)
        for source, want in (("lossy.webp", "lossy"), ("whole.webp", "lossless")):
            self.assertEqual(coding(source), want)
        self.assertEqual(coding("big.jpg", "--quality", "lossless"), "lossless")
        self.good("map", "out.webp", "out.raw")
        self.good("map", "big.jpg", "big.raw")
        self.assertEqual(self.read("out.raw"), self.read("big.raw"))
        self.good("pipe", "big.jpg", "gaussian | histogram", "-o", "1:out.webp")
        self.assertNotIn(b"VP8L", self.read("out.webp"))
        self.good("session", "-", stdin=b"load a big.jpg; b = map a; save b out.webp")
        self.assertNotIn(b"VP8L", self.read("out.webp"))
        if "heif=" in os.environ["GF_CODECS"]:
            self.good("map", "big.png", "big.avif")
            self.assertEqual(coding("big.avif"), "lossy")
        self.bad(64, "--quality lossless: applies only to webp, but out.jpg is written as jpeg; leave it out", "map",
                 "--quality", "lossless", "big.png", "out.jpg")

    @unittest.skipUnless(os.environ["GF_LIBJPEG"] == "1", "without libjpeg-turbo")
    def test_sections_of_rows(self):
        """A picture that several threads write is read as it is by one that had no restart markers."""
        self.write("big.png", png(1100, 1201, 3, bytes((x * y >> s) & 255 for y in range(1201) for x in range(1100) for s in (4, 6, 8))))
        for word in ("444", "422", "420"):
            self.frame("--subsampling", word)
            self.assertIn(b"\xff\xdd", self.read("out.jpg")[:1000])
            self.good("map", "out.jpg", "cut.raw")
            self.frame("--subsampling", word, "--progressive")
            self.assertNotIn(b"\xff\xdd", self.read("out.jpg")[:1000])
            self.good("map", "out.jpg", "whole.raw")
            self.assertEqual(self.read("cut.raw"), self.read("whole.raw"), word)

    def test_quality_is_the_size_of_a_jpeg(self):
        sizes = []
        self.write("big.png", png(64, 64, 3, bytes(i * i // 97 % 256 for i in range(64 * 64 * 3))))
        for quality in ("1", "50", "90", "100"):
            self.good("map", "--quality", quality, "big.png", "out.jpg")
            sizes.append(len(self.read("out.jpg")))
        self.assertEqual(sizes, sorted(set(sizes)))
        self.good("map", "big.png", "out.jpg")
        self.assertEqual(len(self.read("out.jpg")), sizes[2])
        self.bad(64, "--subsampling 411; allowed: 444, 422 or 420", "map", "--subsampling", "411", "big.png", "out.jpg")
        self.bad(64, "--quality 0; allowed: 1..100, or lossless for webp", "map", "--quality", "0", "big.png", "out.jpg")
        self.bad(64, "--png-level 10; allowed: 1..9", "map", "--png-level", "10", "big.png", "out.png")


if __name__ == "__main__":
    unittest.main()
