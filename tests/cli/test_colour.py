# SPDX-License-Identifier: MIT
"""--srgb: samples become sRGB by what their file says of its colours. The expected values are computed here from the
numbers of the profile, without the library that the command uses."""
import struct
import unittest
import zlib

from support import DaemonCase, png, png_chunk, setUpModule, tearDownModule
from test_files import LIBRARIES, tiff_of
from test_pages import apng, samples_of, with_index

SRGB = [(0.4360352, 0.2224884, 0.0139160), (0.3851166, 0.7169037, 0.0970612), (0.1430511, 0.0606079, 0.7139130)]
ADOBE = [(0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)]
P3 = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
WHITE = (0.9642, 1.0, 0.8249)


def fixed(*values):
    return b"".join(struct.pack(">i", round(v * 65536)) for v in values)


def xyz(*values):
    return b"XYZ \0\0\0\0" + fixed(*values)


def gamma_curve(exponent):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(exponent * 256))


SRGB_CURVE = b"para\0\0\0\0" + struct.pack(">HH", 3, 0) + fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)


def icc(name, tags, space=b"RGB ", pcs=b"XYZ ", kind=b"mntr"):
    """A profile of version 2, or 4 where a tag needs it."""
    text = name + b"\0"
    tags = {b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78), b"wtpt": xyz(*WHITE), **tags}
    at, table, data = 132 + 12 * len(tags), struct.pack(">I", len(tags)), b""
    for tag, value in tags.items():
        value += bytes(-len(value) % 4)
        table += tag + struct.pack(">II", at + len(data), len(value))
        data += value
    version = 4 if any(v.startswith(b"para") for v in tags.values()) else 2
    head = struct.pack(">I4sI4s4s4s", at + len(data), b"none", version << 24, kind, space, pcs)
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28) + fixed(*WHITE)
    return head.ljust(128, b"\0") + table + data


def matrix_profile(name, primaries, curve):
    tags = {b"rXYZ": xyz(*primaries[0]), b"gXYZ": xyz(*primaries[1]), b"bXYZ": xyz(*primaries[2])}
    return icc(name, {**tags, b"rTRC": curve, b"gTRC": curve, b"bTRC": curve})


def iccp(profile):
    return png_chunk(b"iCCP", b"icc\0\0" + zlib.compress(profile))


def decode(v):
    return v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4


def encode(v):
    v = min(max(v, 0), 1)
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def multiply(columns, v):
    return [sum(columns[k][i] * v[k] for k in range(3)) for i in range(3)]


def solve(columns, v):
    """The coordinates in which the columns give v, by Cramer's rule."""
    def det(a, b, c):
        return (a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
                + c[0] * (a[1] * b[2] - a[2] * b[1]))
    whole = det(*columns)
    return [det(*[v if k == i else columns[k] for k in range(3)]) / whole for i in range(3)]


def to_srgb(pixel, primaries, curve):
    """sRGB of a pixel of 0 to 1, as 0 to 1."""
    return [encode(v) for v in solve(SRGB, multiply(primaries, [curve(v) for v in pixel]))]


# Colours over the whole range, and greys.
PIXELS = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 100, 50), (16, 32, 64), (128, 128, 128), (0, 0, 0),
          (255, 255, 255), (90, 200, 210), (250, 240, 3)]
# Inks of a press of our own, as L*a*b* of 8 bits: paper, and what each ink adds to it.
PAPER, INKS = (240, 128, 128), ((-40, -30, -10), (-30, 40, 0), (-20, 0, 40), (-100, 0, 0))


def lab_to_srgb(lab):
    """Of L*a*b* as in profiles of 8 bits."""
    fy = (lab[0] / 2.55 + 16) / 116
    f = [fy + (lab[1] - 128) / 500, fy, fy - (lab[2] - 128) / 200]
    linear = solve(SRGB, [w * (t**3 if t > 6 / 29 else (t - 4 / 29) * 3 * (6 / 29)**2) for w, t in zip(WHITE, f)])
    return [encode(v) for v in linear]


def press_profile(grid=2):
    """A table of inks, which is linear in each."""
    straight = bytes(range(256))
    nodes = b"".join(bytes(PAPER[i] + sum(INKS[k][i] for k in range(4) if n >> (3 - k) & 1) for i in range(3))
                     for n in range(16))
    identity = fixed(1, 0, 0, 0, 1, 0, 0, 0, 1)
    table = b"mft1\0\0\0\0" + bytes([4, 3, grid, 0]) + identity + 4 * straight + nodes + 3 * straight
    return icc(b"press", {b"A2B0": table}, b"CMYK", b"Lab ", b"prtr")


def press(inks):
    """What a pixel of inks, 0 to 1, looks like."""
    return lab_to_srgb([PAPER[i] + sum(INKS[k][i] * inks[k] for k in range(4)) for i in range(3)])


def jpeg_of_inks(inks, profile):
    """A JPEG of 8x8 pixels of one colour of four inks, stored as the light that they let through."""
    def segment(marker, data):
        return struct.pack(">BBH", 0xff, marker, len(data) + 2) + data

    bits = ""
    for ink in inks:
        difference = 8 * (255 - ink - 128)  # of the mean, which is eight times the sample
        size = abs(difference).bit_length()
        bits += format(size, "04b")
        bits += format(difference if difference > 0 else difference + (1 << size) - 1, "0%db" % size) if size else ""
        bits += "0"  # no other frequencies
    bits += "1" * (-len(bits) % 8)
    scan = bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    channels = b"".join(bytes([i + 1, 0x11, 0]) for i in range(4))
    file = b"\xff\xd8" + segment(0xee, b"Adobe\0\x64\0\0\0\0\0")
    if profile:
        file += segment(0xe2, b"ICC_PROFILE\0\1\1" + profile)
    file += segment(0xdb, b"\0" + b"\1" * 64) + segment(0xc0, struct.pack(">BHHB", 8, 8, 8, 4) + channels)
    file += segment(0xc4, b"\0" + bytes([0, 0, 0, 12] + 12 * [0]) + bytes(range(12)))
    file += segment(0xc4, b"\x10" + bytes([1] + 15 * [0]) + b"\0")
    return file + segment(0xda, b"\4" + b"".join(bytes([i + 1, 0]) for i in range(4)) + b"\0\x3f\0") + scan + b"\xff\xd9"


def exif_colour(space, index):
    """EXIF with the tags of its colour space and interoperability."""
    data = b"MM\0*" + struct.pack(">IHHHIII", 8, 1, 0x8769, 4, 1, 26, 0)
    data += struct.pack(">HHHIHHHHIII", 2, 0xa001, 3, 1, space, 0, 0xa005, 4, 1, 56, 0)
    return data + struct.pack(">HHHI4sI", 1, 1, 2, 4, index, 0)


class Colour(DaemonCase):
    def near(self, got, want, within=0.51):
        """Samples are those numbers, rounded."""
        self.assertEqual(len(got), len(want))
        for a, b in zip(got, want):
            self.assertLessEqual(abs(a - b), within, (list(got), want))

    def convert(self, data, *options, name="in.png", out="out.pam"):
        self.write(name, data)
        r = self.run_client("copy", "--srgb", *options, name, out)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return self.read(out), r.stderr.decode()

    def samples(self, channels, n=10, size=1, **options):
        raw = self.convert(**options)[0][-n * channels * size:]
        return struct.unpack(">%d%s" % (n * channels, "BH"[size - 1]), raw)


RGB = bytes(v for pixel in PIXELS for v in pixel)


@unittest.skipUnless("lcms2" in LIBRARIES, "this build does without lcms2")
class Profiles(Colour):
    SPACES = [(b"Adobe", ADOBE, gamma_curve(2.19921875), lambda v: v**2.19921875), (b"P3", P3, SRGB_CURVE, decode)]

    def test_matrix_and_curves(self):
        for name, primaries, curve, function in self.SPACES:
            profile = iccp(matrix_profile(name, primaries, curve))
            want = [v for pixel in PIXELS for v in to_srgb([v / 255 for v in pixel], primaries, function)]
            self.near(self.samples(3, data=png(10, 1, 3, RGB, more=profile)), [255 * v for v in want])
            wide = struct.pack(">30H", *[257 * v for v in RGB])
            got = self.samples(3, size=2, data=png(10, 1, 3, wide, 16, more=profile))
            self.near(got, [65535 * v for v in want], 12)

    def test_thumbnail(self):
        data = png(10, 1, 3, RGB, more=iccp(matrix_profile(b"P3", P3, SRGB_CURVE)))
        want = self.convert(data)[0]
        self.good("thumbnail", "50", "in.png", "small.pam")
        self.assertEqual(self.read("small.pam")[-30:], want[-30:])
        self.assertNotEqual(want[-30:], RGB)

    def test_alpha_stays_and_the_result_is_srgb(self):
        profile = matrix_profile(b"P3", P3, SRGB_CURVE)
        rgba = b"".join(bytes(p) + bytes([25 * i]) for i, p in enumerate(PIXELS))
        data, said = self.convert(png(10, 1, 4, rgba, more=iccp(profile)), "-v", out="out.png")
        self.assertIn('in.png: converted to sRGB by the colour profile "P3"\n', said)
        self.assertNotIn(b"iCCP", data)
        self.assertIn(png_chunk(b"sRGB", b"\1"), data)
        self.good("copy", "out.png", "out.pam")
        got = self.read("out.pam")[-40:]
        self.assertEqual(list(got[3::4]), [25 * i for i in range(10)])
        want = [255 * v for p in PIXELS for v in to_srgb([v / 255 for v in p], P3, decode)]
        self.near([v for i, v in enumerate(got) if i % 4 < 3], want)

    def test_srgb_stays_as_it_is(self):
        profile = matrix_profile(b"sRGB of a kind", SRGB, SRGB_CURVE)
        every = bytes(range(256)) * 3
        data, said = self.convert(png(256, 1, 3, every, more=iccp(profile)), "-v", out="out.png")
        self.assertIn('the colour profile "sRGB of a kind" is that of sRGB; the samples stay as they are', said)
        self.assertIn(b"iCCP", data)
        self.good("copy", "out.png", "out.ppm")
        self.assertEqual(self.read("out.ppm")[-768:], every)

    def test_grey(self):
        grey = bytes([0, 1, 16, 64, 128, 200, 254, 255])
        linear = [255 * encode(v / 255) for v in grey]
        profile = icc(b"linear", {b"kTRC": b"curv" + bytes(8)}, b"GRAY")
        self.near(self.samples(1, 8, data=png(8, 1, 1, grey, more=iccp(profile))), linear)
        with_alpha = b"".join(bytes([v, 9]) for v in grey)
        got = self.samples(2, 8, data=png(8, 1, 2, with_alpha, more=iccp(profile)))
        self.near(got[::2], linear)
        self.assertEqual(set(got[1::2]), {9})
        profile = matrix_profile(b"Adobe", ADOBE, gamma_curve(2.19921875))  # red, green and blue are the grey
        self.near(self.samples(1, 8, data=png(8, 1, 1, grey, more=iccp(profile))),
                  [255 * encode((v / 255)**2.19921875) for v in grey])

    def test_floats_are_not_limited(self):
        profile = matrix_profile(b"P3", P3, SRGB_CURVE)
        pixels = struct.pack("<6f", 0.25, 0.5, 0.75, 0, 1, 0)
        tags = {258: (3, [32] * 3), 262: (3, [2]), 277: (3, [3]), 339: (3, [3] * 3), 34675: (7, profile)}
        self.convert(tiff_of(pixels, 2, 1, tags), name="in.tif", out="out.npy")
        got = struct.unpack("<6f", self.read("out.npy")[-24:])
        self.near(got[:3], to_srgb((0.25, 0.5, 0.75), P3, decode), 2e-4)
        self.assertLess(got[3], -0.4)
        self.assertGreater(got[4], 1.01)

    def test_inks(self):
        inks = [(0, 0, 0, 0), (255, 0, 0, 0), (0, 255, 0, 0), (0, 0, 255, 0), (0, 0, 0, 255), (51, 102, 153, 25)]
        want = [255 * v for pixel in inks for v in press([v / 255 for v in pixel])]
        flat = bytes(v for pixel in inks for v in pixel)
        tags = {258: (3, [8] * 4), 262: (3, [5]), 277: (3, [4]), 34675: (7, press_profile())}
        data, said = self.convert(tiff_of(flat, 6, 1, tags), "-v", name="in.tif", out="out.ppm")
        self.near(data[-18:], want, 0.6)
        self.assertNotIn("warning", said)
        self.assertIn('in.tif: converted to sRGB by the colour profile "press"\n', said)
        tags[258] = (3, [16] * 4)
        wide = struct.pack("<24H", *[257 * v for v in flat])
        got = struct.unpack(">18H", self.convert(tiff_of(wide, 6, 1, tags), name="in.tif", out="out.ppm")[0][-36:])
        self.near(got, [257 * v for v in want], 40)

    def test_inks_of_jpeg(self):
        for profile in (press_profile(), b""):
            self.write("in.jpg", jpeg_of_inks((51, 102, 153, 25), profile))
            self.good("copy", "--srgb", "in.jpg", "out.ppm")
            light = [(255 - v) * (255 - 25) / 255 for v in (51, 102, 153)]
            want = [255 * v for v in press([v / 255 for v in (51, 102, 153, 25)])] if profile else light
            self.near(self.read("out.ppm")[-3:], want, 0.6)

    def test_every_page(self):
        back = RGB[::-1]
        profile = iccp(matrix_profile(b"P3", P3, SRGB_CURVE))
        want = [self.convert(png(10, 1, 3, page, more=profile))[0][-30:] for page in (RGB, back)]
        whole = apng(10, 1, 3, [(page, 10, 1, 0, 0, 1, 10, 0, 0) for page in (RGB, back)])
        data, said = self.convert(whole[:33] + profile + whole[33:], "-v", "--page", "all", out="out.npy")
        self.assertEqual(samples_of(data), b"".join(want))
        self.assertEqual(said.count("converted to sRGB"), 1, said)
        self.assertIn('copy: in.png: converted to sRGB by the colour profile "P3"\n', said)

    def test_formats_of_samples_alone(self):
        """The profile says what the samples mean, unless they are sRGB, which they are taken for."""
        for name, said in ((b"P3", 1), (b"sRGB IEC61966-2.1", 0)):
            self.write("in.png", png(10, 1, 3, RGB, more=iccp(matrix_profile(name, P3, SRGB_CURVE))))
            for out in ("out.ppm", "out.bmp", "out.tga", "out.pam", "out.npy"):
                text = "gpufilter-client: copy: warning: %s: not kept as %s: colour profile\n" % (out, out[4:])
                self.assertEqual(self.run_client("copy", "in.png", out).stderr.decode(), text * said)

    def test_inks_without_a_profile(self):
        """Inks are not the channels of Adobe RGB, whatever EXIF says."""
        data = jpeg_of_inks((51, 102, 153, 25), b"")
        self.write("in.jpg", data[:2] + b"\xff\xe1" + struct.pack(">H", 8 + len(exif_colour(1, b"R03\0"))) + b"Exif\0\0"
                   + exif_colour(1, b"R03\0") + data[2:])
        self.good("copy", "in.jpg", "plain.ppm")
        self.good("copy", "--srgb", "in.jpg", "out.ppm")
        self.assertEqual(self.read("out.ppm"), self.read("plain.ppm"))

    def test_every_page_of_inks(self):
        pages = [(51, 102, 153, 25), (0, 255, 40, 3)]
        for profile in (press_profile(), b""):
            parts = [jpeg_of_inks(inks, profile) for inks in pages]
            self.write("in.jpg", with_index(parts) + parts[1])
            for options in ([], ["--srgb"]):
                r = self.run_client("copy", *options, "--page", "all", "in.jpg", "out.npy")
                got = samples_of(self.read("out.npy"))
                self.assertEqual((r.returncode, len(got)), (0, 2 * 8 * 8 * 3), r.stderr)
                self.assertEqual(r.stderr.count(b"CMYK becomes RGB"), 1 if profile and not options else 0, r.stderr)
                for i, inks in enumerate(pages):
                    want = [(255 - v) * (255 - inks[3]) / 255 for v in inks[:3]]
                    if profile and options:
                        want = [255 * v for v in press([v / 255 for v in inks])]
                    self.near(got[192 * i:192 * i + 3], want, 0.6)

    def test_what_cannot_be_applied(self):
        good = matrix_profile(b"P3", P3, SRGB_CURVE)
        elements = icc(b"D", {b"D2B0": b"mpet" + bytes(12)})
        grey = icc(b"grey", {b"kTRC": gamma_curve(1.8)}, b"GRAY")
        for profile, why in [(good[:200] + bytes(200), "it is damaged"), (b"nothing of the kind" * 20, "it is damaged"),
                             (grey, "it is for other channels"), (elements, "processing elements"),
                             (icc(b"link", {}, kind=b"link"), "does not describe colours of a device")]:
            self.write("in.png", png(10, 1, 3, RGB, more=iccp(profile)))
            r = self.run_client("copy", "--srgb", "in.png", "out.ppm")
            said = r.stderr.decode()
            self.assertEqual(r.returncode, 0, said)
            if b"acsp" in profile[:128]:  # libspng leaves out the others
                self.assertIn("warning: in.png: its colour profile is not applied: ", said)
                self.assertIn(why, said)
                self.assertIn("warning: out.ppm: not kept as ppm: colour profile\n", said)
                self.assertEqual(said.count("\n"), 2, said)
                self.bad(65, why, "copy", "--srgb", "--strict", "in.png", "strict.png")
            self.assertEqual(self.read("out.ppm")[-30:], RGB)

    def test_a_profile_that_takes_too_much_memory(self):
        tags = {258: (3, [8] * 4), 262: (3, [5]), 277: (3, [4]), 34675: (7, press_profile(grid=84))}
        data, said = self.convert(tiff_of(bytes([0, 0, 0, 51]), 1, 1, tags), name="in.tif", out="out.ppm")
        self.assertIn("its colour profile is not applied: it takes too much memory", said)
        self.assertIn("CMYK becomes RGB by a plain conversion", said)
        self.assertEqual(data[-3:], bytes([204] * 3))

    def test_types_that_are_not_converted(self):
        profile = matrix_profile(b"P3", P3, SRGB_CURVE)
        tags = {258: (3, [16] * 3), 262: (3, [2]), 277: (3, [3]), 339: (3, [2] * 3), 34675: (7, profile)}
        data, said = self.convert(tiff_of(struct.pack("<3h", -5, 0, 7), 1, 1, tags), name="in.tif", out="out.tif")
        self.assertIn("warning: in.tif: samples of i16 are not converted to sRGB", said)
        self.assertIn(profile, data)

    def test_a_stream(self):
        profile = iccp(matrix_profile(b"P3", P3, SRGB_CURVE))
        frames = self.good("copy", "--srgb", "-", "-", stdin=2 * png(10, 1, 3, RGB, more=profile))
        self.assertEqual(frames.count(b"IHDR"), 2)
        self.assertNotIn(b"iCCP", frames)


@unittest.skipUnless("lcms2" in LIBRARIES, "this build does without lcms2")
class Library(Colour):
    def test_is_not_installed(self):
        self.env["LD_LIBRARY_PATH"] = self.dir
        self.write(LIBRARIES["lcms2"], b"")
        self.write("in.png", png(10, 1, 3, RGB, more=iccp(matrix_profile(b"P3", P3, SRGB_CURVE))))
        self.bad(65, "in.png: needs lcms2 for --srgb, but %s is not installed; install it, or leave --srgb out"
                 % LIBRARIES["lcms2"], "copy", "--srgb", "in.png", "out.png")
        self.assertIn("--srgb: lcms2 not installed", self.good("--version").decode())
        r = self.run_client("thumbnail", "50", "in.png", "out.pam")
        self.assertEqual((r.returncode, r.stderr.decode()), (0, "gpufilter-client: thumbnail: warning: in.png: needs lcms2 for "
                         "--srgb, but %s is not installed; its colours stay as they are\n"
                         "gpufilter-client: thumbnail: warning: out.pam: not kept as pam: colour profile\n"
                         % LIBRARIES["lcms2"]))
        self.assertEqual(self.read("out.pam")[-30:], RGB)
        self.good("copy", "in.png", "out.png")


@unittest.skipUnless("lcms2" in LIBRARIES, "this build does without lcms2")
class Numbers(Colour):
    P3_XY = (0.68, 0.32, 0.265, 0.69, 0.15, 0.06)

    def test_gamma(self):
        grey = bytes([0, 1, 16, 64, 128, 200, 254, 255])
        for gamma in (1, 0.5, 0.38):
            chunk = png_chunk(b"gAMA", struct.pack(">I", round(1e5 * gamma)))
            want = [255 * encode((v / 255)**(1 / gamma)) for v in grey]
            self.near(self.samples(1, 8, data=png(8, 1, 1, grey, more=chunk)), want)
            colour = bytes(v for pixel in zip(grey, grey, grey) for v in pixel)
            data, said = self.convert(png(8, 1, 3, colour, more=chunk), "-v", out="out.png")
            self.assertIn("in.png: converted to sRGB by gamma %g\n" % gamma, said)
            self.assertNotIn(b"gAMA" + struct.pack(">I", round(1e5 * gamma)), data)
            self.good("copy", "out.png", "out.ppm")
            self.near(self.read("out.ppm")[-24::3], want)

    def test_primaries(self):
        corners = b"".join(struct.pack(">I", round(1e5 * v)) for v in (0.3127, 0.3290) + self.P3_XY)
        want = [255 * v for pixel in PIXELS for v in to_srgb([v / 255 for v in pixel], P3, decode)]
        chunks = [png_chunk(b"cHRM", corners), png_chunk(b"cICP", bytes([12, 13, 0, 1]))]
        chunks.append(png_chunk(b"gAMA", struct.pack(">I", 45455)) + chunks[0])
        for chunk in chunks:
            self.near(self.samples(3, data=png(10, 1, 3, RGB, more=chunk)), want, 0.6)

    def test_adobe_rgb_by_exif(self):
        want = [255 * v for p in PIXELS for v in to_srgb([v / 255 for v in p], ADOBE, lambda v: v**2.19921875)]
        data, said = self.convert(png(10, 1, 3, RGB, more=png_chunk(b"eXIf", exif_colour(65535, b"R03\0"))), "-v", out="out.png")
        self.assertIn("converted to sRGB by Adobe RGB, as EXIF says", said)
        self.assertIn(exif_colour(1, b"R98\0"), data)
        self.good("copy", "out.png", "out.ppm")
        self.near(self.read("out.ppm")[-30:], want, 0.6)
        data, said = self.convert(png(10, 1, 3, RGB, more=png_chunk(b"eXIf", exif_colour(1, b"R98\0"))), "-v")
        self.assertEqual(data[-30:], RGB)
        data, said = self.convert(png(10, 1, 3, RGB, more=png_chunk(b"sRGB", b"\0")), "-v")
        self.assertIn("in.png: says that it is sRGB\n", said)

    def test_hdr_is_refused(self):
        for numbers in ([9, 16, 0, 1], [9, 18, 0, 1], [1, 16, 0, 1], [10, 13, 0, 1], [12, 13, 0, 0]):
            self.write("in.png", png(10, 1, 3, RGB, more=png_chunk(b"cICP", bytes(numbers))))
            hdr = ", which is HDR" if numbers[1] in (16, 18) else ""
            text = "in.png: --srgb does not convert colours of primaries %d, transfer %d of H.273%s; leave" % (*numbers[:2], hdr)
            self.bad(65, text, "copy", "--srgb", "in.png", "out.png")
            r = self.run_client("thumbnail", "50", "in.png", "out.pam")
            self.assertEqual(r.returncode, 0)
            self.assertIn(text.split(";")[0] + "; its colours stay as they are\n", r.stderr.decode())
            self.assertEqual(self.read("out.pam")[-30:], RGB)

    def test_linear_light(self):
        """A checkerboard of linear samples: the mean of black and white is half the light."""
        linear = png_chunk(b"gAMA", struct.pack(">I", 100000))
        board = png(2, 2, 1, bytes([0, 255, 255, 0]), more=linear)
        self.write("in.png", board)
        command = ["resize", "--size", "1x1", "--filter", "area", "--light", "linear"]
        self.bad(65, "the picture has gamma 1; convert it with --srgb", *command, "in.png", "out.pgm")
        self.good(*command, "--srgb", "in.png", "out.pgm")
        self.assertEqual(self.read("out.pgm")[-1], 188)


class Nothing(Colour):
    def test_is_taken_for_srgb(self):
        data, said = self.convert(png(10, 1, 3, RGB), "-v")
        self.assertEqual(data[-30:], RGB)
        self.assertIn("in.png: has no colour profile and is taken for sRGB\n", said)
        self.assertEqual(self.convert(png(10, 1, 3, RGB))[1], "")


@unittest.skipIf("lcms2" in LIBRARIES, "this build has lcms2")
class Without(Colour):
    def test_is_said(self):
        chunk = png_chunk(b"gAMA", struct.pack(">I", 100000))
        self.write("in.png", png(10, 1, 3, RGB, more=chunk))
        self.bad(65, "in.png: needs lcms2 for --srgb, which this build does not include; leave --srgb out", "copy",
                 "--srgb", "in.png", "out.png")


if __name__ == "__main__":
    unittest.main()
