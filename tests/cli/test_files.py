# SPDX-License-Identifier: MIT
"""Files of formats whose library may be missing, and files of several pages: --page N and --page all."""
import json
import os
import re
import shutil
import struct
import subprocess
import unittest
import zlib

from support import CLIENT, GREY, GREY_SHAPE, DaemonCase, png, png_chunk, setUpModule, tearDownModule

WORDS = {"tiff": ("a.tif", "libtiff"), "webp": ("a.webp", "libwebp"), "heif": ("a.avif", "libheif"),
         "gif": ("a.gif", "giflib")}
LIBRARIES = dict(word.split("=") for word in os.environ["GF_CODECS"].split())  # tiff=libtiff.so.6 and so on
FILES = {codec: name for codec, name in LIBRARIES.items() if codec in WORDS}
HAS = list(FILES)  # what this build has of tiff, webp, heif, gif
FORMATS = {"tiff": "TIFF", "webp": "WebP", "heif": "HEIC and AVIF", "gif": "GIF"}
HEADS = {"tiff": b"II*\0\x08\0\0\0", "webp": b"RIFF\4\0\0\0WEBP", "heif": b"\0\0\0\x10ftypavif\0\0\0\0",
         "gif": b"GIF89a\1\0\1\0\0\0\0"}


def tiff(*pages):
    """Pages of 3x2 grey samples."""
    out = b"II*\0"
    at = 8
    for i, page in enumerate(pages):
        entries = [(256, 4, 3), (257, 4, 2), (258, 3, 8), (262, 3, 1), (273, 4, at + 8 * 12 + 6), (277, 3, 1),
                   (278, 4, 2), (279, 4, 6)]
        body = struct.pack("<H", 8) + b"".join(struct.pack("<HHII", t, k, 1, v) for t, k, v in entries)
        end = at + len(body) + 4 + 6
        out += (struct.pack("<I", 8) if i == 0 else b"") + body
        out += struct.pack("<I", end if i + 1 < len(pages) else 0) + page
        at = end
    return out


FORMS = {1: "B", 2: "B", 3: "H", 4: "I", 7: "B", 12: "d"}  # of the types of TIFF
SAMPLES_AT = 8


def tiff_of(samples, width, height, more, order="<"):
    """A grey picture of bytes, unless the tags in `more`, {tag: (type, values)}, say otherwise."""
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [8]), 262: (3, [1]), 273: (4, [SAMPLES_AT]), 277: (3, [1]),
            278: (4, [height]), 279: (4, [len(samples)]), **more}
    samples += bytes(len(samples) % 2)
    directory, values = struct.pack(order + "H", len(tags)), b""
    values_at = SAMPLES_AT + len(samples) + 2 + 12 * len(tags) + 4
    for tag, (kind, numbers) in sorted(tags.items()):
        value = b"".join(struct.pack(order + FORMS[kind], number) for number in numbers)
        directory += struct.pack(order + "HHI", tag, kind, len(numbers))
        if len(value) <= 4:
            directory += value.ljust(4, b"\0")
        else:
            directory += struct.pack(order + "I", values_at + len(values))
            values += value + bytes(len(value) % 2)
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, SAMPLES_AT + len(samples))
    return head + samples + directory + bytes(4) + values


def gif(*colours):
    """Frames of one pixel of these colours."""
    out = b"GIF89a\1\0\1\0\0\0\0"
    for r, g, b in colours:
        out += b",\0\0\0\0\1\0\1\0\x80" + bytes([r, g, b, 0, 0, 0]) + b"\2\2\x44\1\0"
    return out + b";"


def tiff_of_four(extra, pixels):
    """A row of pixels of four u8 samples; `extra` tells what the fourth is: 0 not said, 1 associated, 2 straight."""
    n = len(pixels) // 4
    at = 8 + 2 + 10 * 12 + 4
    entries = [(256, 4, 1, n), (257, 4, 1, 1), (258, 3, 4, at), (262, 3, 1, 2), (273, 4, 1, at + 8), (277, 3, 1, 4),
               (278, 4, 1, 1), (279, 4, 1, 4 * n), (284, 3, 1, 1), (338, 3, 1, extra)]
    body = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0\x08\0\0\0" + body + bytes(4) + struct.pack("<4H", 8, 8, 8, 8) + bytes(pixels)


def extra_of(tiff):
    """The value of the tag ExtraSamples."""
    at = struct.unpack_from("<I", tiff, 4)[0]
    entries = [struct.unpack_from("<HHIH", tiff, at + 2 + 12 * i) for i in range(struct.unpack_from("<H", tiff, at)[0])]
    return next(value for tag, _, _, value in entries if tag == 338)


PAGES = [bytes(10 * n + i for i in range(6)) for n in range(3)]


def needs(codec):
    return unittest.skipUnless(codec in HAS, "this build does without " + WORDS[codec][1])


@unittest.skipUnless("tiff" in HAS, "this build does without libtiff")
class FourthSample(DaemonCase):
    def copy(self, extra, pixels, *args):
        self.write("in.tif", tiff_of_four(extra, pixels))
        r = self.run_client(*(args or ["copy"]), "in.tif", "out.tif")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.good("copy", "out.tif", "out.raw")
        return self.read("out.raw"), extra_of(self.read("out.tif")), r.stderr.decode()

    def test_a_band_that_is_not_named_is_no_alpha(self):
        red_and_infrared = [200, 100, 50, 0, 200, 100, 50, 90]
        samples, extra, said = self.copy(0, red_and_infrared, "box", "--size", "3x1")
        self.assertEqual((samples, extra, said), (bytes([200, 100, 50, 30, 200, 100, 50, 60]), 0, ""))
        self.assertNotIn("alpha", self.good("info", "in.tif").decode())
        self.assertIn('"alpha":false', self.good("info", "--json", "in.tif").decode())

    def test_straight_alpha_is_alpha(self):
        samples, extra, said = self.copy(2, [200, 100, 50, 0, 10, 20, 30, 90], "box", "--size", "3x1")
        self.assertEqual((samples, extra, said), (bytes([10, 20, 30, 30, 10, 20, 30, 60]), 2, ""))
        self.assertIn(", alpha", self.good("info", "in.tif").decode())

    def test_associated_alpha_becomes_straight(self):
        # 100*255/128 is 199.2; a colour above its alpha is saturated; nothing is left of a transparent one.
        samples, extra, said = self.copy(1, [100, 0, 64, 128, 9, 3, 1, 6, 7, 7, 7, 0])
        self.assertEqual((samples, extra), (bytes([199, 0, 128, 128, 255, 128, 43, 6, 0, 0, 0, 0]), 2))
        self.assertIn("in.tif: its colours, premultiplied by alpha, are divided by it", said)


class Pages(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("three.tif", tiff(*PAGES))
        self.write("one.tif", tiff(PAGES[1]))
        self.write("one.png", png(3, 2, 1, GREY))

    @needs("tiff")
    def test_a_page_is_read(self):
        for n, page in enumerate(PAGES):
            self.good("copy", "--page", str(n + 1), "three.tif", "out.raw")
            self.assertEqual(self.read("out.raw"), page)
            self.good("copy", "--page", str(n + 1), "-", "out.raw", stdin=tiff(*PAGES))
            self.assertEqual(self.read("out.raw"), page)
        self.good("copy", "one.tif", "out.raw")
        self.assertEqual(self.read("out.raw"), PAGES[1])

    @needs("tiff")
    def test_without_a_number_the_first_page_is_read_and_it_is_said(self):
        words = "three.tif: has 3 pages; the first one is read; choose one with --page N"
        for args in (["copy", "three.tif", "out.raw"], ["pipe", "three.tif", "copy", "-o", "out.raw"],
                     ["pipe", "one.png", "combine other=@three.tif mode=min", "-o", "out.raw"],
                     ["copy", "three.tif", "-o", "out.raw"]):
            r = self.run_client(*args)
            self.assertEqual((r.returncode, self.read("out.raw")), (0, PAGES[0]), args)
            self.assertEqual(r.stderr.decode(), "gpufilter-client: %s: warning: %s\n" % (args[0], words))
        self.bad(65, words + "; leave --strict out", "copy", "--strict", "three.tif", "new.raw")
        self.assertFalse(os.path.exists(self.path("new.raw")))

    @needs("tiff")
    def test_a_page_that_is_none_is_refused(self):
        self.bad(65, "three.tif: has 3 pages; --page 4 must be 1 to 3", "copy", "--page", "4", "three.tif",
                 "o.png")
        self.bad(65, "one.tif: has only one page; leave --page 2 out", "copy", "--page", "2", "one.tif", "o.png")
        self.bad(65, "one.png: has only one picture; leave --page 2 out", "copy", "--page", "2", "one.png", "o.png")
        self.bad(64, "--page 0; allowed: 1..4294967295 and all", "copy", "--page", "0", "one.tif", "o.png")
        self.bad(64, "--page one; allowed: 1..", "copy", "--page", "one", "one.tif", "o.png")

    @needs("tiff")
    def test_every_file_of_a_run_is_read_by_it(self):
        self.good("combine", "--mode", "absdiff", "--page", "2", "three.tif", "three.tif", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes(6))
        self.good("pipe", "--page", "3", "three.tif", "combine other=@three.tif mode=min", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), PAGES[2])
        self.good("session", "--page", "2", "-", stdin=b"load a three.tif; save a out.raw")
        self.assertEqual(self.read("out.raw"), PAGES[1])
        self.write("more.tif", tiff(*PAGES))
        self.good("copy", "--page", "3", "three.tif", "more.tif", "-o", "{stem}.raw")
        self.assertEqual((self.read("three.raw"), self.read("more.raw")), (PAGES[2], PAGES[2]))
        self.good("copy", "--page", "1", "one.png", "out.raw")

    @needs("tiff")
    def test_info_counts_pages(self):
        self.assertEqual(self.good("info", "three.tif").decode(), "three.tif: tiff 3x2x1:u8, 3 pages\n")
        lines = self.good("info", "--json", "three.tif", "one.png").decode().splitlines()
        self.assertEqual([json.loads(line)["pages"] for line in lines], [3, 1])

    @needs("gif")
    def test_info_counts_frames(self):
        self.write("a.gif", gif((1, 2, 3), (4, 5, 6)))
        r = self.run_client("info", "a.gif")
        self.assertEqual((r.returncode, r.stdout, r.stderr), (0, b"a.gif: gif 1x1x3:u8, 2 pages\n", b""))

    def test_bare_samples_have_no_pages(self):
        self.write("a.raw", GREY)
        self.bad(64, "--page and --raw: the file has no pages", "copy", "--page", "1", "--raw", GREY_SHAPE, "a.raw", "-",
                 "--format", "raw")
        self.bad(64, "--page and --in-dtype: the file has no pages", "pipe", "--page", "1", "--in-dtype", "u8", "a.raw",
                 "copy", "-o", "out.png")
        self.bad(64, "--page, --timing, --explain, --hash, --verify, --trace or --otlp", "bench", "latency", "--page", "1")

    @needs("gif")
    def test_the_first_frame_of_a_gif_is_read_with_a_note(self):
        self.write("a.gif", gif((1, 2, 3), (4, 5, 6)))
        r = self.run_client("copy", "a.gif", "out.raw")
        self.assertEqual((r.returncode, self.read("out.raw")), (0, b"\1\2\3"))
        self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: warning: a.gif: has 2 frames; the first one is "
                         "read; choose one with --page N\n")
        r = self.run_client("copy", "--page", "2", "a.gif", "out.raw")
        self.assertEqual((r.returncode, self.read("out.raw"), r.stderr), (0, b"\4\5\6", b""))


class Heads(DaemonCase):
    """info decodes no samples and says what reading the whole file finds."""

    def test_shape_and_type(self):
        formats = ["png", "jpg", "bmp", "tga", "hdr", "ppm", "pfm"]
        formats += ["tif"] * ("tiff" in HAS) + ["webp"] * ("webp" in HAS) + ["avif", "heic"] * ("heif" in HAS)
        for channels in 1, 2, 3, 4:
            samples = bytes(range(16 * 16)) * channels
            self.write("in.png", png(16, 16, channels, samples))
            self.write("wide.png", png(16, 8, channels, samples, 16))
            for source, ext in [("in", e) for e in formats] + [("wide", "png")]:
                made = self.run_client("copy", source + ".png", "a." + ext, *["--background", "white"] * (ext in ("jpg", "ppm", "hdr", "pfm")))
                if made.returncode == 0:
                    self.good("copy", "a." + ext, "a.npy")
                    told, found = (json.loads(self.good("info", "--json", name)) for name in ("a." + ext, "a.npy"))
                    self.assertEqual(*([line[key] for key in ("width", "height", "channels", "dtype")] for line in (told, found)), (source, ext, channels))
                    self.assertEqual(told["bytes"], os.path.getsize(self.path("a." + ext)), (source, ext, channels))

    def test_palettes(self):
        head = struct.pack(">IIBBBBB", 3, 2, 8, 3, 0, 0, 0)
        for more, words in (b"", "3x2x3:u8"), (png_chunk(b"tRNS", b"\7"), "3x2x4:u8, alpha"):
            self.write("a.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"PLTE", bytes(768)) + more + png_chunk(b"IDAT", b"") + png_chunk(b"IEND", b""))
            self.assertEqual(self.good("info", "a.png").decode(), "a.png: png %s\n" % words)

    @needs("gif")
    def test_frames_that_may_be_transparent(self):
        opaque = gif((1, 2, 3))
        self.write("a.gif", opaque[:13] + b"!\xf9\4\1\0\0\0\0" + opaque[13:])
        self.assertEqual(self.good("info", "a.gif").decode(), "a.gif: gif 1x1x4:u8, alpha\n")
        self.write("a.gif", opaque[:6] + b"\2\0\2\0" + opaque[10:])
        self.assertEqual(self.good("info", "a.gif").decode(), "a.gif: gif 2x2x4:u8, alpha\n")

    def told(self, name):
        line = json.loads(self.good("info", "--json", name))
        return line["bits"], line["compression"], line["sampling"]

    def test_how_samples_are_stored(self):
        self.write("in.png", png(16, 16, 3, bytes(range(256)) * 3))
        self.assertEqual(self.told("in.png"), (8, "deflate", ""))
        self.write("wide.png", png(2, 2, 1, bytes(8), 16))
        self.assertEqual(self.told("wide.png"), (16, "deflate", ""))
        for depth in 1, 2, 4:
            self.write("few.png", png(8, 1, 1, bytes(depth), depth))
            self.assertEqual(self.told("few.png"), (depth, "deflate", ""))
            self.assertEqual(self.good("info", "few.png").decode(), "few.png: png 8x1x1:u8, %d bit%s\n" % (depth, "s" * (depth > 1)))
        self.write("a.ppm", b"P6 1 1 1023\n" + bytes(6))
        self.assertEqual(self.good("info", "a.ppm").decode(), "a.ppm: pnm 1x1x3:u16, 10 bits\n")
        self.good("copy", "in.png", "a.tga")
        self.assertEqual(self.told("a.tga"), (8, "RLE", ""))
        if os.environ.get("GF_LIBJPEG") == "1":
            self.good("copy", "in.png", "a.jpg")
            self.assertEqual(self.told("a.jpg"), (8, "sequential", "4:4:4"))
            self.good("copy", "--subsampling", "420", "in.png", "a.jpg")
            self.assertEqual(self.told("a.jpg"), (8, "sequential", "4:2:0"))
            jpeg = self.read("a.jpg")
            frame = jpeg.index(b"\xff\xc0")
            for factors, words in (0x11, "4:4:4"), (0x21, "4:2:2"), (0x12, "4:4:0"), (0x41, "4:1:1"), (0x42, "4:1:0"), (0x31, ""):
                self.write("b.jpg", jpeg[: frame + 11] + bytes([factors]) + jpeg[frame + 12 :])
                self.assertEqual(self.told("b.jpg"), (8, "sequential", words))
                self.assertEqual(self.good("info", "b.jpg").decode().split(",")[1:2] or ["\n"], [" chroma " + words + "\n"] if words else ["\n"])
            self.write("b.jpg", jpeg[: frame + 1] + b"\xc2" + jpeg[frame + 2 :])
            self.assertEqual(self.good("info", "b.jpg").decode(), "b.jpg: jpeg 16x16x3:u8, progressive, chroma 4:2:0\n")
        if "webp" in HAS:
            self.good("copy", "in.png", "a.webp")
            self.assertEqual(self.told("a.webp"), (8, "lossless", ""))
            self.good("copy", "--quality", "80", "in.png", "a.webp")
            self.assertEqual(self.told("a.webp"), (8, "lossy", "4:2:0"))
        if "heif" in HAS:
            self.good("copy", "in.png", "a.heic")
            self.assertEqual(self.told("a.heic"), (8, "HEVC", "4:2:0"))
            self.good("copy", "in.png", "a.avif")
            self.assertEqual(self.told("a.avif"), (8, "AV1", "4:2:0"))
            self.assertEqual(self.good("info", "a.avif").decode(), "a.avif: avif 16x16x3:u8, chroma 4:2:0\n")
            avif = self.read("a.avif")
            at = avif.index(b"av1C") + 6
            for bits, words in (0x0c, "4:2:0"), (0x08, "4:2:2"), (0x00, "4:4:4"), (0x1c, ""):
                self.write("b.avif", avif[:at] + bytes([bits]) + avif[at + 1 :])
                self.assertEqual(self.told("b.avif"), (8, "AV1", words))
        if "tiff" in HAS:
            self.good("copy", "in.png", "a.tif")
            self.assertEqual(self.told("a.tif"), (8, "deflate", ""))

    def test_frames_of_a_png(self):
        self.write("a.png", png(3, 2, 1, GREY, more=png_chunk(b"acTL", struct.pack(">II", 3, 0)) +
                                3 * png_chunk(b"fcTL", bytes(26))))
        self.assertEqual(self.good("info", "a.png").decode(), "a.png: png 3x2x1:u8, 3 pages\n")

    def test_the_profile_has_a_name(self):
        def profile(desc):
            return bytes(128) + struct.pack(">I4sII4sII", 2, b"wtpt", 152, 0, b"desc", 156, len(desc)) + bytes(0) + desc

        def told(desc):
            icc = profile(desc)
            self.write("a.png", png(3, 2, 1, GREY, more=png_chunk(b"iCCP", b"x\0\0" + zlib.compress(icc))))
            line = json.loads(self.good("info", "--json", "a.png"))
            self.assertEqual(line["profile_bytes"], len(icc))
            name = line["profile"]
            self.assertIn("colour profile%s of %d bytes" % (' "%s"' % name.replace("\x1b", "?") if name else "", len(icc)), self.good("info", "a.png").decode())
            return name

        def version4(text, at=28):
            data = text.encode("utf-16-be")
            return struct.pack(">4s4xII2s2sII", b"mluc", 1, 12, b"en", b"US", len(data), at) + data

        self.assertEqual(told(struct.pack(">4s4xI", b"desc", 8) + b"Grey 22\0"), "Grey 22")
        self.assertEqual(told(version4("Display P3")), "Display P3")
        self.assertEqual(told(version4("\u00e9\u4e2d\U0001f308")), "\u00e9\u4e2d\U0001f308")
        self.assertEqual(told(version4("\x1b[31m")), "\x1b[31m")
        for damaged in b"", b"desc", struct.pack(">4s4xI", b"desc", 9) + b"Grey 22\0", version4("Display P3", 29), version4("a", 2**32 - 1), b"text" + bytes(60):
            self.assertEqual(told(damaged), "")

    def test_damaged_samples_do_not_matter(self):
        self.write("in.png", png(16, 16, 3, os.urandom(768)))
        for ext in "png", "jpg", "bmp", "tga":
            self.good("copy", "in.png", "a." + ext)
            data = self.read("a." + ext)
            self.write("a." + ext, data[:-100])
            self.bad(65, "ends too early", "copy", "a." + ext, "b.png")
            self.assertIn(ext.replace("jpg", "jpeg") + " 16x16x3:u8", self.good("info", "a." + ext).decode())
        r = self.run_client("info", "a.png")
        self.assertEqual(r.stderr, b"gpufilter-client: info: warning: a.png: has no end mark (IEND); the file may be truncated\n")

    def test_a_bomb_is_described_or_refused_at_once(self):
        side = 40000
        deflate = zlib.compressobj(9)
        rows = b"".join(deflate.compress(bytes(side // 8 + 1) * 100) for _ in range(side // 100)) + deflate.flush()
        head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
        self.write("bomb.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", rows) + png_chunk(b"IEND", b""))
        says = "bomb.png: has 40000x40000 = 1600000000 pixels; --max-pixels allows 100000000\n"
        for args, code, out, err in [
            (["info", "bomb.png"], 0, "bomb.png: png 40000x40000x1:u8, 1 bit\n", ""),
            (["copy", "--max-pixels", "100000000", "bomb.png", "out.png"], 65, "", "gpufilter-client: copy: " + says),
        ]:
            process = subprocess.Popen([CLIENT, *args], cwd=self.dir, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with process.stdout, process.stderr:
                self.assertEqual((process.stdout.read().decode(), process.stderr.read().decode()), (out, err))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, code)
            self.assertLess(usage.ru_maxrss, 500 << 10)

    def test_more_pixels_than_allowed(self):
        one = png(3, 2, 1, GREY)
        self.write("a.png", one)
        self.write("b.png", one)
        self.good("copy", "--max-pixels", "6", "a.png", "out.png")
        words = "has 3x2 = 6 pixels; --max-pixels allows 5"
        self.bad(65, "a.png: " + words, "copy", "--max-pixels", "5", "a.png", "out.png")
        self.bad(65, "b.png: " + words, "pipe", "--max-pixels", "5", "b.png", "copy", "-o", "out.png")
        self.bad(65, words, "combine", "--mode", "max", "--max-pixels", "5", "a.png", "b.png", "out.png")
        self.bad(65, "standard input: " + words, "copy", "--max-pixels", "5", "-", "-", stdin=one * 2)
        self.bad(65, words, "session", "--max-pixels", "5", "-", stdin=b"load a a.png")
        r = self.run_client("copy", "--max-pixels", "5", "--keep-going", "a.png", "b.png", "-o", "out-{stem}.png")
        self.assertEqual(r.stderr.decode().count(words), 2)
        self.bad(64, "--max-pixels 0; allowed: 1..2147483648", "copy", "--max-pixels", "0", "a.png", "out.png")
        for depth, colour in (8, 2), (16, 6):
            head = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, depth, colour, 0, 0, 0)
            self.write("sides.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", b"x" * 99) + png_chunk(b"IEND", b""))
            self.bad(65, "sides.png: the image: 2147483647x2147483647", "copy", "sides.png", "out.png")


@unittest.skipUnless("tiff" in HAS, "this build does without libtiff")
class Tiff(DaemonCase):
    def test_lzw_of_the_old_style_is_read(self):
        """Codes begin at the lowest bit."""
        row = [16 * x for x in range(16)]
        codes = "".join(format(code, "09b")[::-1] for code in ([256] + row) * 16 + [257])
        codes += "0" * (-len(codes) % 8)
        lzw = bytes(int(codes[i:i + 8][::-1], 2) for i in range(0, len(codes), 8))
        self.write("a.tif", tiff_of(lzw, 16, 16, {259: (3, [5])}))
        self.good("copy", "a.tif", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes(row) * 16)

    def test_jpeg_of_the_old_style_is_read(self):
        for kind, channels, photometric in ((b"P5", 1, 1), (b"P6", 3, 6)):
            self.write("in.pnm", kind + b" 32 32 255\n" + bytes([200, 40, 90][:channels]) * 1024)
            self.good("copy", "in.pnm", "a.jpg")
            jpeg = self.read("a.jpg")
            self.write("a.tif", tiff_of(jpeg, 32, 32, {
                258: (3, [8] * channels), 259: (3, [6]), 262: (3, [photometric]), 277: (3, [channels]), 512: (3, [1]),
                513: (4, [SAMPLES_AT]), 514: (4, [len(jpeg)])}))
            self.good("copy", "a.jpg", "jpeg.raw")
            self.good("copy", "a.tif", "tiff.raw")
            self.assertEqual(self.read("jpeg.raw"), self.read("tiff.raw"))

    GEO = {33550: (12, [0.5, 0.25, 0.0]), 33922: (12, [0.0, 0.0, 0.0, 440720.0, 3751320.0, 0.0]),
           34264: (12, [float(i) for i in range(16)]), 34735: (3, [1, 1, 0, 1, 3072, 0, 1, 32611]),
           34736: (12, [6378137.0]), 34737: (2, b"WGS 84|\0"), 42112: (2, b"<GDALMetadata/>\0"), 42113: (2, b"-9999\0")}

    def tags_of(self, name):
        """The types and values of the tags in a little-endian file."""
        data, found = self.read(name), {}
        at = struct.unpack_from("<I", data, 4)[0]
        for i in range(struct.unpack_from("<H", data, at)[0]):
            tag, kind, count, value = struct.unpack_from("<HHII", data, at + 2 + 12 * i)
            form = "<%d%s" % (count, FORMS.get(kind, "B"))
            place = value if struct.calcsize(form) > 4 else at + 2 + 12 * i + 8
            found[tag] = (kind, list(struct.unpack_from(form, data, place)))
        return found

    def geo_of(self, name):
        return {tag: value for tag, value in self.tags_of(name).items() if tag in self.GEO}

    def test_bands(self):
        """Seven bands of 5x3 pixels: sample v of band k of pixel i is 10 i + k."""
        pixels, every = range(15), range(1, 8)
        value = {(i, k): 10 * i + k for i in pixels for k in every}
        extra = (3, [0] * 4)
        files = {
            "together.tif": tiff_of(bytes(value[i, k] for i in pixels for k in every), 5, 3,
                                    {258: (3, [8] * 7), 262: (3, [2]), 277: (3, [7]), 338: extra}),
            "apart.tif": tiff_of(bytes(value[i, k] for k in every for i in pixels), 5, 3,
                                 {258: (3, [8] * 7), 262: (3, [2]), 277: (3, [7]), 284: (3, [2]), 338: extra,
                                  273: (4, [SAMPLES_AT + 15 * k for k in range(7)]), 279: (4, [15] * 7)}),
            "big.tif": tiff_of(struct.pack(">105H", *[value[i, k] for i in pixels for k in every]), 5, 3,
                               {258: (3, [16] * 7), 262: (3, [1]), 277: (3, [7]), 338: (3, [0] * 6)}, ">"),
        }
        rows = ("".join(format(value[i, k], "012b") for i in row for k in every) for row in (range(5), range(5, 10), range(10, 15)))
        packed = b"".join(int(bits + "0" * (-len(bits) % 8), 2).to_bytes((len(bits) + 7) // 8, "big") for bits in rows)
        files["packed.tif"] = tiff_of(packed, 5, 3, {258: (3, [12] * 7), 262: (3, [1]), 277: (3, [7]), 338: (3, [0] * 6)})
        for name, data in files.items():
            self.write(name, data)
            form, scale = {"big.tif": ("<%dH", 1), "packed.tif": ("<%dH", 65535 / 4095)}.get(name, ("%dB", 1))
            for bands in ([4, 3, 2], [7], [1, 2], [2, 2, 5, 1], [1, 2, 3]):
                self.good("copy", "--bands", ",".join(map(str, bands)), name, "out.raw")
                got = struct.unpack(form % (15 * len(bands)), self.read("out.raw"))
                self.assertEqual(list(got), [round(scale * value[i, k]) for i in pixels for k in bands], (name, bands))
            self.bad(65, "%s: has 7 bands; choose 1 to 4 of them, as in --bands 1,2,3" % name, "copy", name, "out.raw")
            self.bad(65, "%s: has 7 bands; --bands 8 must be 1 to 7" % name, "copy", "--bands", "1,8", name, "out.raw")
            dtype = "u8" if name in ("together.tif", "apart.tif") else "u16"
            self.assertIn("%s: tiff 5x3x7:%s" % (name, dtype), self.good("info", name).decode())
            self.assertEqual(json.loads(self.good("info", "--json", name))["channels"], 7)
        self.write("six.tif", tiff_of(bytes(6), 1, 1, {258: (3, [8] * 6), 262: (3, [2]), 277: (3, [6]), 338: (3, [0] * 3)}))
        self.assertEqual(self.good("info", "six.tif").decode(), "six.tif: tiff 1x1x6:u8\n")
        self.write("a.png", png(3, 2, 1, GREY))
        self.bad(65, "a.png: is png; --bands applies to tiff", "copy", "--bands", "1", "a.png", "out.png")
        for words in ("", "0", "1,", "1,2,3,4,5", "a", "70000", "1;2"):
            self.bad(64, "--bands %s; allowed: up to 4 numbers of 1..65535" % words, "copy", "--bands", words, "together.tif", "out.raw")
        self.bad(64, "--bands and --raw", "copy", "--bands", "1", "--raw", "5x3:u8", "a.raw", "out.raw")
        self.write("cmyk.tif", tiff_of(bytes(8), 2, 1, {258: (3, [8] * 4), 262: (3, [5]), 277: (3, [4])}))
        self.bad(65, "--bands takes channels of grey and RGB", "copy", "--bands", "1", "cmyk.tif", "out.raw")

    def test_the_meaning_of_bands(self):
        """Red, green, blue, alpha and infrared."""
        tags = {258: (3, [8] * 5), 262: (3, [2]), 277: (3, [5]), 338: (3, [2, 0])}
        self.write("a.tif", tiff_of(bytes(range(10, 20)), 2, 1, tags))
        for bands, alpha in (("1,2,3,4", True), ("1,2,3,5", False), ("5,4", True), ("4,1", False)):
            said = self.run_client("copy", "--bands", bands, "a.tif", "out.png").stderr.decode()
            self.assertEqual("is not alpha" in said, not alpha, (bands, said))
        tags[338] = (3, [1, 0])  # multiplied by alpha
        self.write("a.tif", tiff_of(bytes([100, 50, 0, 128, 7]), 1, 1, tags))
        self.good("copy", "--bands", "1,2,3,4", "a.tif", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([199, 100, 0, 128]))
        self.good("copy", "--bands", "1,2,3,5", "a.tif", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([100, 50, 0, 7]))
        profile = b"a profile for red, green and blue"
        self.write("a.tif", tiff_of(bytes(range(10)), 2, 1, {**tags, 338: (3, [0, 0]), 34675: (7, profile)}))
        for bands, kept in (("1,2,3", True), ("1,2,3,5", True), ("3,2,1", False), ("1", False), ("5,4,1", False)):
            r = self.run_client("copy", "--bands", bands, "a.tif", "out.tif")
            self.assertEqual(profile in self.read("out.tif"), kept, bands)
            self.assertEqual(b"its colour profile is for other bands and is left out" in r.stderr, not kept, r.stderr)

    def test_info_reads_no_samples(self):
        """Strips that lie outside of the file, which copy refuses."""
        for more, text in (({}, "8x6x1:u8"), ({258: (3, [1])}, "8x6x1:u8, 1 bit"), ({259: (3, [5])}, "8x6x1:u8"),
                           ({258: (3, [16]), 259: (3, [8])}, "8x6x1:u16"), ({259: (3, [32773])}, "8x6x1:u8, PackBits"),
                           ({258: (3, [8] * 4), 262: (3, [5]), 277: (3, [4])}, "8x6x3:u8"),
                           ({258: (3, [8] * 3), 262: (3, [8]), 277: (3, [3])}, "8x6x3:u8, sRGB"),
                           ({258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]), 530: (3, [2, 2])}, "8x6x3:u8, chroma 4:2:0"),
                           ({258: (3, [8] * 4), 262: (3, [2]), 277: (3, [4]), 338: (3, [1])}, "8x6x4:u8, premultiplied alpha"),
                           ({258: (3, [8] * 4), 262: (3, [2]), 277: (3, [4]), 338: (3, [2])}, "8x6x4:u8, alpha"),
                           ({258: (3, [8] * 4), 262: (3, [2]), 277: (3, [4]), 338: (3, [0])}, "8x6x4:u8")):
            self.write("a.tif", tiff_of(b"", 8, 6, {**more, 273: (4, [100000]), 279: (4, [48])}))
            self.assertEqual(self.good("info", "a.tif").decode(), "a.tif: tiff %s\n" % text)
            self.assertEqual(self.run_client("copy", "a.tif", "out.png").returncode, 65)

    def test_compression_by_word(self):
        samples = struct.pack("<768H", *[(7 * x) % 500 for x in range(768)])
        self.write("a.raw", samples)
        read = ["--raw", "32x8x3:u16", "a.raw"]
        for word, code, predictor in (("none", 1, None), ("lzw", 5, 2), ("deflate", 8, 2), ("packbits", 32773, None),
                                      ("", 8, 2)):
            self.good("copy", *(["--compression", word] if word else []), *read, "out.tif")
            tags = self.tags_of("out.tif")
            self.assertEqual(tags[259], (3, [code]))
            self.assertEqual(tags.get(317), (3, [predictor]) if predictor else None)
            self.good("copy", "out.tif", "back.raw")
            self.assertEqual(self.read("back.raw"), samples)
        r = self.run_client("copy", "--compression", "zstd", *read, "zstd.tif")
        if r.returncode == 0:
            self.assertEqual(self.tags_of("zstd.tif")[259], (3, [50000]))
            self.good("copy", "zstd.tif", "back.raw")
            self.assertEqual(self.read("back.raw"), samples)
        else:
            self.assertIn("zstd.tif: the installed libtiff has no compression zstd; use another", r.stderr.decode())
            self.assertFalse(os.path.exists(self.path("zstd.tif")))
        self.bad(64, "--compression zip; allowed: none, lzw, deflate, packbits, zstd", "copy", "--compression", "zip", *read, "out.tif")
        self.bad(64, "--compression lzw: applies only to tiff, but out.png is written as png; leave it out", "copy",
                 "--compression", "lzw", *read, "out.png")

    def test_the_place_on_the_earth_is_kept_where_samples_stay(self):
        wanted = {tag: (kind, list(values)) for tag, (kind, values) in self.GEO.items()}
        for order in "<>":
            self.write("a.tif", tiff_of(bytes(range(48)), 8, 6, self.GEO, order))
            for run in (["copy", "a.tif", "out.tif"], ["blur", "a.tif", "out.tif"], ["copy", "--in-place", "out.tif"],
                        ["pipe", "a.tif", "blur | threshold", "-o", "out.tif"], ["expr", "a + 1", "a.tif", "out.tif"]):
                r = self.run_client(*run)
                self.assertEqual((r.returncode, r.stderr), (0, b""), run)
                self.assertEqual(self.geo_of("out.tif"), wanted, run)
            self.good("session", "-", stdin=b"load a a.tif; b = blur a; save b out.tif")
            self.assertEqual(self.geo_of("out.tif"), wanted)

    def test_a_lost_place_on_the_earth_is_told(self):
        self.write("a.tif", tiff_of(bytes(range(48)), 8, 6, self.GEO))
        said = "warning: %s: the GeoTIFF tags of the input are left out: %s\n"
        for run in (["flip", "a.tif", "out.tif"], ["crop", "--size", "4x3", "a.tif", "out.tif"],
                    ["pipe", "a.tif", "rotate angle=180 | blur", "-o", "out.tif"]):
            r = self.run_client(*run)
            self.assertEqual((r.returncode, self.geo_of("out.tif")), (0, {}), run)
            self.assertTrue(r.stderr.decode().endswith(said % ("out.tif", "the picture has another geometry")), r.stderr)
            self.assertEqual(self.run_client(*run, "--quiet").stderr, b"")
        self.write("turned.tif", tiff_of(bytes(range(48)), 8, 6, {**self.GEO, 274: (3, [3])}))
        for run in (["copy", "turned.tif", "out.tif"], ["expr", "a + 1", "turned.tif", "out.tif"]):
            r = self.run_client(*run)
            self.assertEqual((r.returncode, self.geo_of("out.tif")), (0, {}), run)
            self.assertIn(said % ("out.tif", "the picture has another geometry"), r.stderr.decode())
        r = self.run_client("copy", "a.tif", "out.png")
        self.assertEqual((r.returncode, r.stderr.decode()),
                         (0, "gpufilter-client: copy: " + said % ("out.png", "only tiff holds them")))
        self.bad(65, "out.png: the GeoTIFF tags of the input are left out: only tiff holds them; leave --strict out",
                 "copy", "--strict", "a.tif", "out.png")
        for options in (["--keep", "geo"], ["--strip"], ["--keep", "exif", "--strict"]):
            self.assertEqual(self.run_client("copy", *options, "a.tif", "out.tif").stderr, b"")
            self.assertEqual(self.geo_of("out.tif") != {}, "geo" in options)
        self.assertEqual(self.run_client("stats", "a.tif").stderr, b"")
        r = self.run_client("session", "-", stdin=b"load a a.tif; b = flip a; c = blur b; save c out.tif")
        self.assertIn(said % ("out.tif", "the picture has another geometry"), r.stderr.decode())

    def test_iptc_and_names_are_kept(self):
        iptc = b"\x1c\2\x5a\0\3Ulm\x1c\2\x74\0\4mine" + bytes(3)
        resources = b"8BIM\4\x0c\0\0\0\0\0\2xx" + b"8BIM\4\4\3abc\0\0\0%c" % len(iptc) + iptc
        names = {269: b"scan 7\0", 285: b"page 3\0", 316: b"host\0"}
        words = struct.unpack("<5I", iptc), struct.unpack(">5I", iptc)
        for order in "<>":
            for tags in ({33723: (7, iptc)}, {33723: (4, words[order == ">"])}, {34377: (7, resources)}):
                self.write("a.tif", tiff_of(bytes(range(48)), 8, 6, {**tags, **{t: (2, v) for t, v in names.items()}}, order))
                self.assertEqual(self.run_client("blur", "a.tif", "out.tif").stderr, b"")
                kept = self.tags_of("out.tif")
                kind, values = kept[33723]  # of bytes or of words, by the version of libtiff
                self.assertEqual(struct.pack("<%d%s" % (len(values), FORMS[kind]), *values), iptc)
                self.assertEqual({t: bytes(v) for t, (_, v) in kept.items() if t in names}, names)
                said = self.run_client("copy", "a.tif", "out.png").stderr.decode()
                self.assertEqual(said, "gpufilter-client: copy: warning: out.png: not kept as png: IPTC\n")
                self.assertTrue(all(name in self.read("out.png") for name in names.values()))
                self.good("copy", "--keep", "copyright", "a.tif", "out.tif")
                self.assertFalse({33723, *names} & set(self.tags_of("out.tif")))

    def check_slices(self, name, slices):
        info = self.good("info", name).decode()
        self.assertIn(", %d pages" % len(slices), info)
        r = self.run_client("copy", name, "out.tif")
        self.assertIn("%s: has %d pages; the first one is read" % (name, len(slices)), r.stderr.decode())
        self.good("copy", "--page", "all", name, "all.npy")
        self.assertEqual(self.read("all.npy")[-len(b"".join(slices)):], b"".join(slices))
        for n, samples in enumerate(slices):
            self.good("copy", "--page", str(n + 1), name, "out.tif")
            self.assertNotIn(b"images=", self.read("out.tif"))
            self.good("copy", "out.tif", "out.raw")
            self.assertEqual(self.read("out.raw"), samples)
            with open(self.path(name), "rb") as file:
                self.good("copy", "--page", str(n + 1), "-", "out.raw", stdin=file.read())
            self.assertEqual(self.read("out.raw"), samples)
        self.bad(65, "--page %d must be 1 to %d" % (len(slices) + 1, len(slices)), "copy", "--page",
                 str(len(slices) + 1), name, "out.tif")

    def test_the_slices_of_a_stack_are_pages(self):
        """ImageJ writes one directory, in big-endian order; the strips of the first slice are named."""
        words = [[100 * n + i * 257 for i in range(35)] for n in range(3)]
        text = b"ImageJ=1.53t\nimages=%d\nslices=3\n\0"
        for order in "<>":
            samples = b"".join(struct.pack(order + "35H", *s) for s in words)
            more = {258: (3, [16]), 270: (2, text % 3), 278: (4, [4]), 273: (4, [SAMPLES_AT, SAMPLES_AT + 40]),
                    279: (4, [40, 30])}
            self.write("a.tif", tiff_of(samples, 5, 7, more, order))
            self.check_slices("a.tif", [struct.pack("<35H", *s) for s in words])
            more[270] = (2, text % 4)
            self.write("b.tif", tiff_of(samples, 5, 7, more, order))
            r = self.run_client("copy", "b.tif", "out.tif")
            self.assertEqual(r.returncode, 0)
            self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: warning: b.tif: the description by ImageJ (axes, "
                             "units, files) is left out; b.tif: its description names 4 images, of which only the first "
                             "can be read\n")
            self.assertNotIn(b"images=", self.read("out.tif"))

    def test_the_slices_of_a_volume_are_pages(self):
        """Three tiles across, two slabs of tiles that are two slices deep; the fourth slice is filling."""
        def sample(x, y, z):
            return (3 * x + 50 * z + y) % 251
        tiles = b"".join(bytes(sample(16 * t + x, y, 2 * slab + z) for z in range(2) for y in range(16) for x in range(16))
                         for slab in range(2) for t in range(3))
        more = {322: (4, [16]), 323: (4, [16]), 324: (4, [SAMPLES_AT + 512 * i for i in range(6)]),
                325: (4, [512] * 6), 32997: (4, [3]), 32998: (4, [2])}
        self.write("a.tif", tiff_of(tiles, 40, 9, more))
        self.check_slices("a.tif", [bytes(sample(x, y, z) for y in range(9) for x in range(40)) for z in range(3)])
        self.write("b.tif", tiff_of(tiles, 40, 9, {**more, 259: (3, [32773])}))
        self.bad(65, "b.tif: has a volume of 3 slices (ImageDepth); it must be the only page, in uncompressed tiles, with "
                 "the channels of a pixel together", "copy", "b.tif", "out.tif")

    def test_a_result_keeps_no_description_of_its_file(self):
        """Sizes and axes may differ in the result; other programs read a file by them."""
        for text, writer in ((b'<OME><Image><Pixels SizeX="3" SizeY="2"/></Image></OME>', "OME"),
                             (b"ImageJ=1.53t\nunit=um\n", "ImageJ"), (b'{"shape": [2, 3]}', None), (b"a cell", "")):
            self.write("a.tif", tiff_of(bytes(6), 3, 2, {270: (2, text + b"\0")}))
            r = self.run_client("resize", "--size", "6x4", "a.tif", "out.tif")
            said = "gpufilter-client: resize: warning: a.tif: the description by %s (axes, units, files) is left out\n"
            self.assertEqual(r.stderr.decode(), said % writer if writer else "")
            self.assertEqual(text in self.read("out.tif"), writer == "")
            if writer:
                self.bad(65, "a.tif: the description by " + writer, "copy", "--strict", "a.tif", "out.tif")

    def test_a_page_keeps_no_description_of_several(self):
        first = tiff_of(bytes(6), 3, 2, {270: (2, b"ImageJ=1.53t\nimages=2\n\0")})
        first += bytes(len(first) % 2)
        directory_at = SAMPLES_AT + 6
        next_at = directory_at + 2 + 12 * 9
        second = tiff_of(bytes(6), 3, 2, {})[directory_at:]  # shows the samples of the first
        self.write("a.tif", first[:next_at] + struct.pack("<I", len(first)) + first[next_at + 4:] + second)
        self.assertIn(", 2 pages", self.good("info", "a.tif").decode())
        self.good("copy", "--page", "1", "a.tif", "out.tif")
        self.assertNotIn(b"images=", self.read("out.tif"))


class Libraries(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 3, bytes(range(18))))

    def test_lossless_formats_give_back_every_bit(self):
        for name in ["out.tif"] * ("tiff" in HAS) + ["out.webp"] * ("webp" in HAS):
            self.good("copy", "in.png", name)
            self.good("copy", name, "back.raw")
            self.assertEqual(self.read("back.raw"), bytes(range(18)), name)
            self.good("copy", "--format", name[4:], "in.png", "-")

    def test_halves_go_through_npy_and_raw(self):
        halves = struct.pack("<4e", 0.5, -2.0, 65504.0, 6e-8)
        self.write("in.raw", halves)
        self.good("copy", "--raw", "2x2:f16", "in.raw", "out.npy")
        self.assertIn(b"'descr': '<f2'", self.read("out.npy"))
        self.good("map", "--scale", "2", "out.npy", "back.raw")
        self.assertEqual(self.read("back.raw"), struct.pack("<3e", 1.0, -4.0, float("inf")) + struct.pack("<e", 1.2e-7))
        self.good("map", "--dtype", "u8", "--range", "full", "out.npy", "out.png")
        self.bad(65, "but the picture is f16 with 1 channel; write npy, txt or raw", "copy", "out.npy", "half.hdr")
        self.bad(65, "write npy, txt or raw, or convert it with map, dtype u8 and range full", "map", "--dtype", "f16",
                 "out.npy", "half.tga")
        self.bad(65, "threshold: src is f16; allowed: u8, u16, i16 or f32; map dtype=f32 converts", "threshold", "out.npy",
                 "t.npy")

    @needs("tiff")
    def test_every_type_goes_through_a_tiff(self):
        for dtype, size in (("u8", 1), ("i8", 1), ("u16", 2), ("i16", 2), ("u32", 4), ("i32", 4), ("u64", 8), ("i64", 8),
                            ("f16", 2), ("f32", 4), ("f64", 8)):
            self.write("in.raw", bytes(range(6 * size)))
            self.good("copy", "--raw", "3x2:" + dtype, "in.raw", "out.tif")
            self.good("copy", "out.tif", "back.raw")
            self.assertEqual(self.read("back.raw"), bytes(range(6 * size)), dtype)

    @needs("heif")
    def test_heic_and_avif_are_near(self):
        for name in ("out.avif", "out.heic"):
            self.write("in.ppm", b"P6\n16 16\n255\n" + bytes([90, 120, 200]) * 256)
            self.good("copy", "in.ppm", name)
            r = self.run_client("copy", name, "back.raw")
            self.assertEqual((r.returncode, r.stderr), (0, b""))
            for found, wanted in zip(self.read("back.raw"), bytes([90, 120, 200]) * 256):
                self.assertAlmostEqual(found, wanted, delta=4)

    def test_what_is_damaged_is_one_sentence_and_no_file(self):
        for codec in HAS:
            name = WORDS[codec][0]
            self.write(name, HEADS[codec])
            self.bad(65, "copy: %s: damaged" % name, "copy", name, "out.png")
            self.assertFalse(os.path.exists(self.path("out.png")))

    def test_a_library_that_is_not_in_the_build_is_named(self):
        for codec, (name, library) in WORDS.items():
            if codec in HAS:
                continue
            self.write(name, HEADS[codec])
            words = "%s: needs %s for %s, which this build does not include; use PNG" % (name, library, FORMATS[codec])
            self.bad(65, words, "copy", name, "out.png")
            if codec != "gif":
                self.bad(65, words, "copy", "in.png", name)
            self.assertIn(library + " not in this build", self.good("--version").decode())

    def test_a_library_that_is_not_installed_is_named(self):
        """A file that is not a library, where the loader looks first."""
        self.env["LD_LIBRARY_PATH"] = self.dir
        for codec in HAS:
            name, library = WORDS[codec]
            file = FILES[codec]
            self.write(file, b"")
            self.write(name, HEADS[codec])
            words = "%s: needs %s for %s, but %s is not installed; install it, or use PNG" % (
                name, library, FORMATS[codec], file)
            self.bad(65, words, "copy", name, "out.png")
            if codec != "gif":
                os.unlink(self.path(name))
                self.bad(65, words, "copy", "in.png", name)
                self.assertFalse(os.path.exists(self.path(name)))
            self.assertIn(library + " not installed", self.good("--version").decode())
        self.good("copy", "in.png", "out.png")

    def test_a_library_that_lacks_a_function_is_named(self):
        """A different library under the expected name."""
        with open("/proc/self/maps") as maps:
            other = next(line.split()[-1] for line in maps if "/libc.so.6" in line or "/libc-" in line)
        self.env["LD_LIBRARY_PATH"] = self.dir
        for codec in HAS:
            name, library = WORDS[codec]
            file = FILES[codec]
            shutil.copy(other.replace("libc.so", "libm.so").replace("libc-", "libm-"), self.path(file))
            self.write(name, HEADS[codec])
            r = self.run_client("copy", name, "out.png")
            self.assertEqual(r.returncode, 65)
            self.assertRegex(r.stderr.decode(), r"%s: needs %s for %s, but the installed one \(%s\) "
                             r"lacks [A-Za-z_0-9]+; install a newer one" % (name, library, FORMATS[codec], re.escape(file)))


if __name__ == "__main__":
    unittest.main()
