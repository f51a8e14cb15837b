# SPDX-License-Identifier: MIT
"""--page all: every page of a file is read, and files of several pages are written. Compared with Pillow and tifffile
where they are."""
import io
import json
import os
import struct
import unittest
import zlib

from support import GREY, DaemonCase, png, png_chunk, setUpModule, tearDownModule
from test_files import tiff_of

try:
    from PIL import GifImagePlugin, Image
    GifImagePlugin.LOADING_STRATEGY = GifImagePlugin.LoadingStrategy.RGB_ALWAYS
except ImportError:
    Image = None
try:
    import tifffile
except ImportError:
    tifffile = None

HAS = [word.split("=")[0] for word in os.environ["GF_CODECS"].split()]
WIDTH, HEIGHT, N = 7, 6, 4
COLOURS = [(10, 20, 30), (255, 0, 7), (3, 200, 90), (255, 255, 255)]
MANY = ["png"] + ["gif"] * ("gif" in HAS) + ["webp"] * ("webp" in HAS)


def frame(n):
    """RGB, another picture for each n."""
    return b"".join(bytes(COLOURS[(x * (n + 1) + y + n) % 4]) for y in range(HEIGHT) for x in range(WIDTH))


FRAMES = [frame(n) for n in range(N)]


def npy(shape, samples, descr="|u1", fortran=False):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }" % (descr, fortran, ", ".join(map(str, shape)))
    head = head.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + samples


def shape_of(data):
    """The shape in a header of .npy."""
    return tuple(int(part) for part in data.split(b"(")[1].split(b")")[0].split(b",") if part.strip())


def samples_of(data):
    return data[10 + struct.unpack_from("<H", data, 8)[0]:]


def apng(width, height, channels, frames, plays=0, still=None):
    """Frames are (samples, w, h, x, y, delay, den, dispose, blend). With `still` that picture is not a frame."""
    def packed(samples, w, h):
        row = w * channels
        return zlib.compress(b"".join(b"\0" + samples[y * row:(y + 1) * row] for y in range(h)))
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    out = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head)
    out += png_chunk(b"acTL", struct.pack(">II", len(frames), plays))
    number = 0
    if still:
        out += png_chunk(b"IDAT", packed(still, width, height))
    for i, (samples, w, h, x, y, delay, den, dispose, blend) in enumerate(frames):
        out += png_chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, w, h, x, y, delay, den, dispose, blend))
        number += 1
        data = packed(samples, w, h)
        for part in (data[:5], data[5:]):
            if i == 0 and not still:
                out += png_chunk(b"IDAT", part)
            else:
                out += png_chunk(b"fdAT", struct.pack(">I", number) + part)
                number += 1
    return out + png_chunk(b"IEND", b"")


def with_index(parts):
    """The first of the JPEG with an index of them all (CIPA DC-007); the others follow it."""
    begin, entries = len(parts[0]) + 2 + 2 + 4 + 8 + 2 + 12 + 4 + 16 * len(parts), b""
    for n, part in enumerate(parts):
        entries += struct.pack(">IIIHH", 0x20002, len(part), 0 if n == 0 else begin - 10, 0, 0)
        begin += 0 if n == 0 else len(part)
    index = b"MPF\0MM\0*" + struct.pack(">IHHHIII", 8, 1, 0xb002, 7, len(entries), 26, 0) + entries
    return parts[0][:2] + b"\xff\xe2" + struct.pack(">H", len(index) + 2) + index + parts[0][2:]


def times(data):
    """Seconds of each frame, and how often an animation is shown (0: for ever), by the bytes of the file."""
    delays, plays = [], None
    if data.startswith(b"\x89PNG"):
        at = 8
        while at < len(data):
            length, kind = struct.unpack_from(">I4s", data, at)
            if kind == b"acTL":
                plays = struct.unpack_from(">I", data, at + 12)[0]
            if kind == b"fcTL":
                num, den = struct.unpack_from(">HH", data, at + 8 + 20)
                delays.append(num / den)
            at += 12 + length
    elif data.startswith(b"RIFF"):
        assert struct.unpack_from("<I", data, 4)[0] == len(data) - 8
        at = 12
        while at < len(data):
            kind, length = struct.unpack_from("<4sI", data, at)
            if kind == b"ANIM":
                plays = struct.unpack_from("<H", data, at + 12)[0]
            if kind == b"ANMF":
                delays.append((struct.unpack_from("<I", data, at + 20)[0] & 0xffffff) / 1000)
            at += 8 + length + length % 2
    else:
        at = data.find(b"NETSCAPE2.0\x03\x01")
        plays = 1 if at < 0 else struct.unpack_from("<H", data, at + 13)[0]
        plays = plays + 1 if at >= 0 and plays > 0 else plays
        at = 0
        while (at := data.find(b"!\xf9\4", at)) >= 0:
            delays.append(struct.unpack_from("<H", data, at + 4)[0] / 100)
            at += 8
    return delays, plays


class All(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.npy", npy((N, HEIGHT, WIDTH, 3), b"".join(FRAMES)))

    def pages(self, name, channels=3):
        """The samples of each page, read one by one; alpha must be whole if it was not asked for."""
        n = json.loads(self.good("info", "--json", name))["pages"]
        pages = []
        for i in range(n):
            self.good("copy", "--page", str(i + 1), name, "page.npy")
            shape, samples = shape_of(self.read("page.npy")), samples_of(self.read("page.npy"))
            if shape[2:] == (4,) and channels == 3:
                self.assertEqual(set(samples[3::4]), {255})
                samples = bytes(v for k, v in enumerate(samples) if k % 4 < 3)
            pages.append(samples)
        return pages

    def check_others(self, name, frames):
        """Compares the pages with what Pillow and tifffile read."""
        data = io.BytesIO(self.read(name))
        if name.endswith(".tif") and tifffile:
            with tifffile.TiffFile(data) as file:
                self.assertEqual([page.asarray().tobytes() for page in file.pages], frames)
        elif name.split(".")[1] in ("png", "gif", "webp", "tif") and Image:
            picture = Image.open(data)
            self.assertEqual(picture.n_frames, len(frames))
            for i, samples in enumerate(frames):
                picture.seek(i)
                self.assertEqual(picture.convert("RGB").tobytes(), samples)

    def test_each_format_of_several_pages_to_each(self):
        names = ["in.npy"] + ["a." + ext for ext in MANY + ["tif"] * ("tiff" in HAS)]
        for name in names[1:]:
            self.good("copy", "--page", "all", "in.npy", name)
            self.assertEqual(self.pages(name), FRAMES)
            self.check_others(name, FRAMES)
        for name in names:
            for ext in [n.split(".")[1] for n in names]:
                r = self.run_client("copy", "--page", "all", name, "out." + ext)
                lost = ext in ("npy", "tif") and name.split(".")[1] in MANY
                word = {"npy": "npy", "tif": "tiff"}.get(ext)
                said = "gpufilter-client: copy: warning: out.%s: not kept as %s: how long frames are shown\n" % (ext,
                                                                                                                 word)
                self.assertEqual((r.returncode, r.stderr.decode()), (0, said if lost else ""), (name, ext))
                self.assertEqual(self.pages("out." + ext), FRAMES, (name, ext))

    def test_delays_and_the_number_of_plays(self):
        delays = [(5, 100), (1, 8), (700, 1000), (0, 25)]
        for plays in 0, 1, 3:
            self.write("in.png", apng(WIDTH, HEIGHT, 3, [(f, WIDTH, HEIGHT, 0, 0, *d, 0, 0) for f,
                                                         d in zip(FRAMES, delays)], plays))
            for first in MANY:
                self.good("copy", "--page", "all", "in.png", "a." + first)
                for ext in MANY:
                    self.good("copy", "--page", "all", "a." + first, "out." + ext)
                    exact = {"png"} == {first, ext}
                    want = [0.05, 0.125 if exact or "gif" not in (first, ext) else 0.13, 0.7, 0]
                    self.assertEqual(times(self.read("out." + ext)), (want, plays), (first, ext))
        for ext in MANY:
            self.good("copy", "--page", "all", "in.npy", "out." + ext)
            self.assertEqual(times(self.read("out." + ext)), ([0.1] * N, 0))

    def test_an_operation_has_the_values_of_single_pages(self):
        for args in (["box", "--size", "3"], ["resize", "--size", "3x2"], ["pipe"]):
            if args == ["pipe"]:
                self.good("pipe", "--page", "all", "in.npy", "gaussian sigma=1 | gray", "-o", "out.npy", "-o",
                          "1:one.npy")
            else:
                self.good(*args, "--page", "all", "in.npy", "out.npy")
            single = b""
            for n in range(N):
                if args == ["pipe"]:
                    self.good("pipe", "--page", str(n + 1), "in.npy", "gaussian sigma=1 | gray", "-o", "page.npy")
                else:
                    self.good(*args, "--page", str(n + 1), "in.npy", "page.npy")
                single += samples_of(self.read("page.npy"))
            self.assertEqual(samples_of(self.read("out.npy")), single)
        self.assertEqual(shape_of(self.read("one.npy")), (N, HEIGHT, WIDTH, 3))
        self.assertEqual(shape_of(self.read("out.npy")), (N, HEIGHT, WIDTH))

    def test_frames_are_drawn_over_each_other(self):
        """Red; a half-transparent green pixel, undone; blue in place of a pixel, cleared; nothing but a clear pixel."""
        red, green, blue, clear = b"\xff\0\0\xff", b"\0\xff\0\x80", b"\0\0\xff\xff", bytes(4)
        mixed = bytes([127, 128, 0, 255])  # 255*127/255 and 255*128/255
        frames = [(red * 4, 2, 2, 0, 0, 1, 10, 0, 0), (green, 1, 1, 1, 0, 1, 10, 2, 1), (blue, 1, 1, 0, 1, 1, 10, 1, 0),
                  (clear, 1, 1, 0, 0, 1, 10, 0, 1), (clear, 1, 1, 1, 1, 1, 10, 0, 0)]
        want = [red * 4, red + mixed + red * 2, red * 2 + blue + red, red * 2 + clear + red, red * 2 + clear + clear]
        self.write("a.png", apng(2, 2, 4, frames))
        self.assertEqual(self.pages("a.png", 4), want)
        self.good("copy", "--page", "all", "a.png", "out.npy")
        self.assertEqual(samples_of(self.read("out.npy")), b"".join(want))
        # A picture without alpha gets it where a frame is cleared.
        frames = [(b"\1\2\3" * 4, 2, 2, 0, 0, 1, 10, 0, 0), (b"\4\5\6", 1, 1, 0, 0, 1, 10, 1, 0),
                  (b"\7\7\7", 1, 1, 1, 1, 1, 10, 0, 0)]
        self.write("b.png", apng(2, 2, 3, frames))
        self.good("copy", "--page", "3", "b.png", "out.npy")
        self.assertEqual(samples_of(self.read("out.npy")), bytes(4) + b"\1\2\3\xff" * 2 + b"\7\7\7\xff")
        # A picture before the animation is the first page.
        self.write("c.png", apng(2, 2, 3, frames[:1], still=b"\x09" * 12))
        self.assertEqual(self.pages("c.png"), [b"\x09" * 12, b"\1\2\3" * 4])

    def test_damaged_animations(self):
        good = [(f, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0) for f in FRAMES]
        whole = apng(WIDTH, HEIGHT, 3, good)
        for change, said in {(WIDTH, HEIGHT, 1, 0): "a frame is outside of the picture",
                             (0, 1, 0, 0): "a frame is outside"}.items():
            self.write("a.png", apng(WIDTH, HEIGHT, 3, good[:1] + [(FRAMES[1], *change, 1, 10, 0, 0)]))
            self.bad(65, "a.png: damaged png: " + said, "copy", "-q", "--page", "all", "a.png", "out.npy")
            self.good("copy", "--page", "1", "a.png", "out.raw")
        at = whole.index(b"fdAT")
        for cut, said in {(at + 4, b"\0\0\0\x09"): "the frames are not in order",
                          (at + 9, b"\xee"): "invalid chunk checksum"}.items():
            bad = bytearray(whole)
            bad[cut[0]:cut[0] + len(cut[1])] = cut[1]
            if "order" in said:
                length = struct.unpack_from(">I", bad, at - 4)[0]
                bad[at + 4 + length:at + 8 + length] = struct.pack(">I", zlib.crc32(bad[at:at + 4 + length]))
            self.write("a.png", bytes(bad))
            self.bad(65, "a.png: damaged png: ", "copy", "--page", "2", "a.png", "new.npy")
            self.bad(65, said, "copy", "-q", "--page", "all", "a.png", "new.npy")
        self.assertFalse([name for name in os.listdir(self.dir) if name.startswith(("new", ".gpufilter"))])
        self.write("a.png", png(3, 2, 1, GREY, more=png_chunk(b"acTL", struct.pack(">II", 3, 0))))
        self.assertIn("3 frames of the animation are missing",
                      self.run_client("copy", "a.png", "out.raw").stderr.decode())

    def test_the_pictures_of_a_multi_picture_file(self):
        for n, samples in enumerate(FRAMES[:3]):
            self.write("in.png", png(WIDTH, HEIGHT, 3, samples))
            self.good("copy", "in.png", "%d.jpg" % n)
            self.good("copy", "%d.jpg" % n, "%d.npy" % n)
        parts = [self.read("%d.jpg" % n) for n in range(3)]
        if b"Exif" in parts[0] or os.environ["GF_LIBJPEG"] != "1":
            self.skipTest("JPEG without libjpeg-turbo")
        first = with_index(parts)
        self.write("many.jpg", first + parts[1] + parts[2])
        want = [samples_of(self.read("%d.npy" % n)) for n in range(3)]
        self.assertEqual(self.pages("many.jpg"), want)
        self.good("copy", "--page", "all", "many.jpg", "out.npy")
        self.assertEqual(samples_of(self.read("out.npy")), b"".join(want))
        self.write("many.jpg", first + parts[1] + parts[2][:-1])
        self.bad(65, "many.jpg: picture 3 of 3 lies outside the file, at byte %d of" % (len(first) + len(parts[1])),
                 "copy", "--page", "all", "many.jpg", "new.npy")
        self.assertFalse(os.path.exists(self.path("new.npy")))

    @unittest.skipUnless("gif" in HAS, "this build does without giflib")
    def test_a_palette_for_each_frame(self):
        exact = bytes(v for i in range(256) for v in (i, 255 - i, i // 2))
        more = bytes(v for i in range(1024) for v in (i % 256, i // 4, 0))
        self.write("exact.npy", npy((2, 16, 16, 3), exact + exact[::-1]))
        self.assertEqual(self.run_client("copy", "--page", "all", "exact.npy", "out.gif").stderr, b"")
        self.assertEqual(self.pages("out.gif"), [exact, exact[::-1]])
        self.write("more.npy", npy((1, 32, 32, 3), more))
        r = self.run_client("copy", "--page", "1", "more.npy", "out.gif")
        count = int(r.stderr.split(b"out.gif: ")[1].split()[0])
        self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: warning: out.gif: %d of 1024 pixels changed: a "
                         "frame of gif has 256 colours and no partial alpha\n" % count)
        found = self.pages("out.gif")[0]
        self.assertEqual(sum(found[i:i + 3] != more[i:i + 3] for i in range(0, len(more), 3)), count)
        self.assertLessEqual(max(abs(a - b) for a, b in zip(found, more)), 16)
        self.assertLessEqual(len({found[i:i + 3] for i in range(0, len(found), 3)}), 256)
        self.bad(65, "which changes %d of 1024 pixels; leave --strict out" % count, "copy", "--strict", "--page", "1",
                 "more.npy", "new.gif")
        self.assertFalse(os.path.exists(self.path("new.gif")))
        rgba = b"\1\2\3\xff\4\5\6\0\7\x08\x09\x7f\x0a\x0b\x0c\x80"
        self.write("in.png", png(4, 1, 4, rgba))
        self.assertIn(b": 2 of 4 pixels changed", self.run_client("copy", "in.png", "out.gif").stderr)
        self.assertEqual(self.pages("out.gif", 4), [b"\1\2\3\xff" + bytes(8) + b"\x0a\x0b\x0c\xff"])
        self.write("in.png", apng(4, 1, 4, [(rgba[:4] * 4, 4, 1, 0, 0, 1, 10, 0, 0),
                                            (rgba[:4] * 3 + bytes(4), 4, 1, 0, 0, 1, 10, 0, 0)]))
        self.good("copy", "--page", "all", "in.png", "out.gif")
        self.assertEqual(self.pages("out.gif", 4)[1], rgba[:4] * 3 + bytes(4))  # not the frame before

    def test_arrays_of_pages(self):
        words = [(7 * i) % 60000 for i in range(2 * 3 * 5)]
        stack = struct.pack("<30H", *words)
        self.write("a.npy", npy((2, 3, 5), stack, "<u2"))
        self.assertIn(", 2 pages along the first dimension", self.good("info", "a.npy").decode())
        self.assertEqual(self.pages("a.npy"), [stack[:30], stack[30:]])
        order = [(c * 3 + y) * 2 + n for n in range(2) for y in range(3) for c in range(5)]
        columns = [0] * 30
        for i, at in enumerate(order):
            columns[at] = words[i]
        self.write("b.npy", npy((2, 3, 5), struct.pack(">30H", *columns), ">u2", True))
        self.assertEqual(self.pages("b.npy"), [stack[:30], stack[30:]])
        self.good("copy", "--page", "all", "b.npy", "out.npy")
        self.assertEqual((shape_of(self.read("out.npy")), samples_of(self.read("out.npy"))), ((2, 3, 5), stack))
        # A last dimension of 1 to 4 is channels, so a narrow page has them written out.
        self.write("c.npy", npy((2, 5, 3), bytes(range(30))))
        self.assertIn(": npy 5x2x3:u8, array of 2 sides, channels along the last dimension\n",
                      self.good("info", "c.npy").decode())
        self.write("c.npy", npy((2, 5, 3, 1), bytes(range(30))))
        self.good("copy", "--page", "all", "c.npy", "out.npy")
        self.assertEqual(shape_of(self.read("out.npy")), (2, 5, 3, 1))
        self.write("c.npy", npy((3, 2), bytes(6)))
        self.good("copy", "--page", "all", "c.npy", "out.npy")
        self.assertEqual(shape_of(self.read("out.npy")), (1, 3, 2, 1))
        for shape, said in {(0, 3, 5): "has no pages", (2, 3, 5, 5): "the last of 4 dimensions is 5",
                            (2, 3, 6): "pages of"}.items():
            self.write("c.npy", npy(shape, bytes(30)))
            self.bad(65, said, "copy", "c.npy", "out.npy")

    @unittest.skipUnless("tiff" in HAS, "this build does without libtiff")
    def test_tiff_is_a_stream(self):
        self.good("copy", "--page", "all", "in.npy", "in.tif")
        for args in (["copy", "--page", "all", "-", "-"], ["copy", "--page", "all", "--format", "tiff", "-",
                                                           "/dev/stdout"]):
            out = self.good(*args, stdin=self.read("in.tif"))
            self.write("out.tif", out)
            self.assertEqual(self.pages("out.tif"), FRAMES)
        one = self.good("box", "--size", "1", "--page", "2", "-", "-", stdin=self.read("in.tif"))
        self.write("out.tif", one)
        self.assertEqual(self.pages("out.tif"), FRAMES[1:2])
        self.write("a.png", png(WIDTH, HEIGHT, 3, FRAMES[0]))
        self.good("copy", "a.png", "a.tif")
        r = self.run_client("copy", "--page", "all", "-", "new.tif", stdin=self.read("in.tif") + self.read("a.tif"))
        self.assertEqual(r.returncode, 65)
        self.assertIn(b"more data follows", r.stderr)
        self.assertFalse(os.path.exists(self.path("new.tif")))

    @unittest.skipUnless("tiff" in HAS, "this build does without libtiff")
    def test_pages_of_tiff_may_differ(self):
        self.good("copy", "--page", "all", "in.npy", "in.tif")
        self.write("small.png", png(3, 2, 1, GREY))
        self.good("copy", "small.png", "small.tif")
        big, small = self.read("in.tif"), self.read("small.tif")
        # The directories of the second file, moved behind the first.
        at = len(big) + len(big) % 2
        moved = bytearray(small[8:])
        directory = struct.unpack_from("<I", small, 4)[0]
        for i in range(struct.unpack_from("<H", small, directory)[0]):
            entry = directory + 2 + 12 * i - 8
            tag, kind, count, value = struct.unpack_from("<HHII", moved, entry)
            if tag == 273 or count * {1: 1, 2: 1, 3: 2, 4: 4, 5: 8}[kind] > 4:
                struct.pack_into("<I", moved, entry + 8, value - 8 + at)
        last = struct.unpack_from("<I", big, 4)[0]
        while True:
            link = last + 2 + 12 * struct.unpack_from("<H", big, last)[0]
            if struct.unpack_from("<I", big, link)[0] == 0:
                break
            last = struct.unpack_from("<I", big, link)[0]
        both = bytearray(big.ljust(at, b"\0") + moved)
        struct.pack_into("<I", both, link, at + directory - 8)
        self.write("both.tif", bytes(both))
        self.assertEqual(self.pages("both.tif"), FRAMES + [GREY])
        self.good("copy", "--page", "all", "both.tif", "out.tif")
        self.assertEqual(self.pages("out.tif"), FRAMES + [GREY])
        for ext in MANY + ["npy"]:
            r = self.run_client("copy", "--page", "all", "both.tif", "new." + ext)
            self.assertEqual(r.returncode, 65)
            self.assertIn("page 5 is 3x2x1 u8, and the first one 7x6x3 u8; pages of %s must be alike" % ext,
                          r.stderr.decode())
            self.assertFalse([name for name in os.listdir(self.dir) if name.startswith(("new", ".gpufilter"))])

    def test_a_file_for_each_page(self):
        self.good("copy", "--page", "all", "in.npy", "a{page}.png")
        self.good("copy", "--page", "all", "in.npy", "-o", "{stem}-{page}.ppm")
        for n, samples in enumerate(FRAMES):
            self.assertEqual(self.pages("a%d.png" % (n + 1)), [samples])
            self.assertEqual(self.read("in-%d.ppm" % (n + 1)), b"P6\n7 6\n255\n" + samples)
        self.write("ten.npy", npy((11, 2, 5), bytes(110)))
        self.good("copy", "--page", "all", "ten.npy", "in.npy", "-o", "{stem}_{page}.png")
        self.assertTrue(os.path.exists(self.path("ten_01.png")) and os.path.exists(self.path("ten_11.png")))
        self.assertTrue(os.path.exists(self.path("in_4.png")))
        self.bad(64, "{page} needs --page all", "copy", "in.npy", "-o", "{stem}{page}.png")
        self.bad(64, "pages of two files could get one name", "copy", "--page", "all", "in.npy", "ten.npy", "-o",
                 "{n}{page}.png")
        self.bad(64, "must come once, in the name of the file", "copy", "--page", "all", "in.npy", "-o", "{page}/a.png")
        self.bad(64, "would overwrite the input a1.png", "copy", "--page", "all", "a1.png", "-o", "a{page}.png")
        self.bad(64, "--skip-existing and {page}", "copy", "--page", "all", "--skip-existing", "in.npy", "-o",
                 "a{page}.png")
        self.bad(64, "put {page} into the name", "histogram", "--page", "all", "in.npy", "-q", "--plot", "a.svg")
        self.good("histogram", "--page", "all", "in.npy", "-q", "--plot", "a{page}.svg")
        self.assertTrue(all(os.path.exists(self.path("a%d.svg" % n)) for n in (1, 2, 3, 4)))

    def test_what_is_refused(self):
        self.bad(65, "out.jpg: jpeg holds one picture, and there are 4 pages; write tiff, npy, png, gif or webp",
                 "copy", "--page", "all", "in.npy", "out.jpg")
        self.bad(64, "in.npy: has 4 pages; --page all takes those of the first input", "combine", "--mode", "max",
                 "--page", "all", "in.npy", "in.npy", "out.npy")
        self.bad(64, "--page all: a name stands for one picture", "session", "--page", "all", "-", stdin=b"list")
        self.bad(64, "--salvage and --page all", "copy", "--salvage", "--page", "all", "in.npy", "out.npy")
        self.bad(64, "--timing, --explain, --trace and --otlp are for one page", "copy", "--timing", "--page", "all", "in.npy",
                 "out.npy")
        self.good("copy", "--page", "all", "in.npy", "in.png")
        self.bad(65, "--max-pixels allows 41", "copy", "--max-pixels", "41", "--page", "all", "in.png", "out.npy")
        self.good("copy", "--max-pixels", "42", "--page", "all", "in.png", "out.npy")
        self.bad(64, "--page one; allowed: 1..", "copy", "--page", "one", "in.npy", "out.npy")
        if "webp" in HAS:
            self.bad(64, "webp: an animation tells its size at its beginning", "copy", "--page", "all", "--format",
                     "webp", "in.npy", "-")
            with open(self.path("out.webp"), "wb") as file:
                file.write(b"0123")
                file.flush()
                r = self.run_client("copy", "--page", "all", "--format", "webp", "in.npy", "-", stdout=file)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.write("out.webp", self.read("out.webp")[4:])
            self.assertEqual(self.pages("out.webp"), FRAMES)

    def test_reports_name_the_page(self):
        lines = self.good("reduce", "--op", "max", "--page", "all", "in.npy").decode()
        self.assertEqual([n for n in range(1, 6) if "page %d:" % n in lines], [1, 2, 3, 4])
        for command in (["stats", "in.npy"], ["pipe", "in.npy", "stats"]):
            reports = [json.loads(line) for line in self.good(*command, "--json", "--page",
                                                              "all").decode().splitlines()]
            pages = [(r["input"] if "input" in r else r["inputs"][0])["page"] for r in reports]
            self.assertEqual(pages, [1, 2, 3, 4])
        self.write("same.npy", npy((HEIGHT, WIDTH, 3), FRAMES[0]))
        r = self.run_client("compare", "--page", "all", "in.npy", "same.npy")
        self.assertEqual(r.returncode, 1)
        self.write("twice.npy", npy((2, HEIGHT, WIDTH, 3), FRAMES[0] * 2))
        self.good("compare", "--page", "all", "twice.npy", "same.npy")

    def test_rounded_delays_keep_the_time_of_the_whole(self):
        """GIF counts hundredths of a second."""
        self.write("a.png", apng(WIDTH, HEIGHT, 3, [(f, WIDTH, HEIGHT, 0, 0, 33, 1000, 0, 0) for f in FRAMES * 3]))
        self.good("copy", "--page", "all", "a.png", "a.gif")
        self.assertEqual(times(self.read("a.gif"))[0], [.03, .04, .03] * 2 + [.03, .03, .04] * 2)

    def test_a_damaged_page_is_named(self):
        """The pages before it are written, if they have files of their own."""
        frames = [(f, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0) for f in FRAMES]
        data = bytearray(apng(WIDTH, HEIGHT, 3, frames))
        at = data.index(b"fcTL", data.index(b"fcTL", data.index(b"fcTL") + 4) + 4)  # of the third page
        at = data.index(b"fdAT", at)
        data[at + 8:at + 12] = bytes(4)
        size = struct.unpack_from(">I", data, at - 4)[0]
        struct.pack_into(">I", data, at + 4 + size, zlib.crc32(data[at:at + 4 + size]))
        self.write("a.png", bytes(data))
        r = self.run_client("copy", "--page", "all", "a.png", "p{page}.ppm")
        self.assertEqual(r.returncode, 65)
        self.assertIn("copy: page 3: a.png: damaged png", r.stderr.decode())
        for name, frame in ("p1.ppm", FRAMES[0]), ("p2.ppm", FRAMES[1]):
            self.assertEqual(self.read(name)[-len(frame):], frame)
        self.bad(65, "page 3: a.png: damaged png", "copy", "--page", "all", "a.png", "whole.gif")
        self.assertFalse(os.path.exists(os.path.join(self.dir, "whole.gif")))

    def test_a_page_does_not_replace_all(self):
        before = self.read("in.npy")
        for options in ([], ["--page", "2"], ["-q"], ["--strict", "--page", "2"]):
            r = self.run_client("flip", *options, "--in-place", "in.npy")
            self.assertEqual(r.returncode, 65, options)
            self.assertEqual(self.read("in.npy"), before)
        self.bad(65, "in.npy: has 4 pages, of which --in-place would leave one; take --page all, or name another file",
                 "flip", "--page", "2", "--in-place", "in.npy")
        self.good("flip", "--page", "2", "in.npy", "one.npy")

    def test_in_place_and_several_files(self):
        self.write("b.npy", npy((2, HEIGHT, WIDTH, 3), FRAMES[3] + FRAMES[2]))
        self.good("flip", "--page", "all", "--in-place", "in.npy", "b.npy")
        self.good("flip", "--page", "all", "--in-place", "in.npy", "b.npy")
        self.assertEqual((self.pages("in.npy"), self.pages("b.npy")), (FRAMES, [FRAMES[3], FRAMES[2]]))
        self.write("grey.png", png(3, 2, 1, GREY))
        self.good("copy", "--page", "all", "grey.png", "in.npy", "-o", "{stem}.out.png")
        self.assertEqual(self.read("grey.out.png").count(b"acTL"), 0)
        self.assertEqual(self.pages("in.out.png"), FRAMES)

    def test_pages_are_turned_as_each_of_them_says(self):
        """A file has one orientation, so the samples are rotated."""
        exif = png_chunk(b"eXIf", b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0))
        frames = [(f, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0) for f in FRAMES]
        whole = apng(WIDTH, HEIGHT, 3, frames)
        self.write("in.png", whole[:33] + exif + whole[33:])
        self.good("copy", "--page", "all", "in.png", "out.png")
        turned = [b"".join(f[3 * ((HEIGHT - 1 - x) * WIDTH + y):][:3] for y in range(WIDTH) for x in range(HEIGHT))
                  for f in FRAMES]
        self.assertEqual(self.pages("out.png"), turned)
        self.assertIn(b": png 6x7x3:u8, ", self.good("info", "out.png"))
        self.assertNotIn(b"orientation 6", self.good("info", "out.png"))

    @unittest.skipUnless(os.environ["GF_LIBJPEG"] == "1", "JPEG without libjpeg-turbo")
    def test_colour_spaces_that_differ_are_said(self):
        self.write("in.png", png(WIDTH, HEIGHT, 3, FRAMES[0]))
        self.good("copy", "in.png", "in.jpg")
        plain = self.read("in.jpg")
        profile = b"ICC_PROFILE\0\1\1" + bytes(128)
        other = plain[:2] + b"\xff\xe2" + struct.pack(">H", len(profile) + 2) + profile + plain[2:]
        said = "pages differ in the colour space that they name, and only that of the first is kept"
        for parts, differ in (([plain, plain], False), ([other, other], False), ([plain, other], True)):
            self.write("in.jpg", with_index(parts) + parts[1])
            for ext in MANY + ["tif"] * ("tiff" in HAS):
                r = self.run_client("copy", "--page", "all", "in.jpg", "out." + ext)
                want = (0, differ and ext != "tif")
                self.assertEqual((r.returncode, said in r.stderr.decode()), want, (ext, r.stderr))
        self.bad(65, said + "; leave --strict out", "copy", "--strict", "--page", "all", "in.jpg", "new.png")
        self.assertFalse(os.path.exists(self.path("new.png")))

    def test_a_loss_is_said_once(self):
        floats = struct.pack("<%df" % (2 * 2 * 5), *([2.0] + [0.5] * 19))
        self.write("f.npy", npy((2, 2, 5), floats, "<f4"))
        r = self.run_client("copy", "--page", "all", "f.npy", "out.png")
        self.assertEqual(r.stderr.decode(), "gpufilter-client: copy: out.png: f32 stored as u16, 1.0 as white, 1 of 20 "
                         "samples saturated\n")
        r = self.run_client("copy", "-v", "--page", "all", "f.npy", "out.png")
        self.assertIn("copy: 2 pages done\n", r.stderr.decode())

    def test_masks_of_bool(self):
        masks = bytes(k % 3 == 0 for k in range(2 * 4 * 5))
        self.write("mask.npy", npy((2, 4, 5), masks, "|b1"))
        r = self.run_client("copy", "-v", "--page", "all", "mask.npy", "out.png")
        said = r.stderr.decode()
        self.assertEqual((r.returncode, said.count("out.png: bool stored as 0 and 255\n")), (0, 1), said)
        self.assertEqual(b"".join(self.pages("out.png")), bytes(255 * v for v in masks))

    @unittest.skipUnless("tiff" in HAS, "this build does without libtiff")
    def test_bands_of_every_page(self):
        """Two pages in a stack of ImageJ, which has one directory: sample v of band k of pixel i is 10 i + k."""
        every = bytes(10 * i + k for i in range(12) for k in range(5))
        tags = {258: (3, [8] * 5), 262: (3, [2]), 277: (3, [5]), 279: (4, [30]),
                338: (3, [0] * 2), 270: (2, b"ImageJ=1.53\nimages=2\n\0")}
        self.write("in.tif", tiff_of(every, 3, 2, tags))
        self.assertIn("in.tif: tiff 3x2x5:u8, 2 pages", self.good("info", "in.tif").decode())
        self.good("copy", "--bands", "4,2", "--page", "all", "in.tif", "out.tif")
        want = [bytes(10 * i + k for i in range(6 * n, 6 * n + 6) for k in (3, 1)) for n in range(2)]
        self.assertEqual(self.pages("out.tif", 2), want)
        self.bad(65, "in.tif: has 5 bands; choose 1 to 4 of them", "copy", "--page", "all", "in.tif", "new.tif")
        self.assertFalse(os.path.exists(self.path("new.tif")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
