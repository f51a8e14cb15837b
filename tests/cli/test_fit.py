# SPDX-License-Identifier: MIT
"""gpufilter-client with results that the file cannot hold unchanged, with several inputs, and messages of a pipe about
types."""
import json
import os
import struct
import unittest

from support import GREY, DaemonCase, fnv1a64, png, setUpModule, tearDownModule
from test_arrays import npy

STEP = bytes([0, 0, 255, 255] * 3)  # 4x3, an edge in the middle: sobel gives 4 * 255 in two columns
EDGE = bytes([0, 255, 255, 0] * 3)


class WithDaemon(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(4, 3, 1, STEP))

    def says(self, *args):
        """Runs a command that must succeed. Returns its standard error."""
        r = self.run_client(*args)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stderr.decode()

    def samples(self, name):
        self.good("blur", "--sigma", "0", name, "samples.raw")
        return self.read("samples.raw")


class Magnitudes(WithDaemon):
    def test_keeps_the_input_type_and_counts(self):
        said = self.says("sobel", "in.png", "out.png")
        self.assertEqual(said, "gpufilter-client: sobel: out.png: f32 stored as u8, 6 of 12 samples saturated\n")
        self.assertEqual(self.samples("out.png"), EDGE)
        self.assertEqual(self.says("sobel", "-q", "in.png", "out.png"), "")

    def test_is_what_dtype_gives(self):
        self.write("rgba.png", png(4, 3, 4, bytes(range(0, 240, 5))))
        for op in ["sobel", "scharr", "prewitt"]:
            for args in [[], ["--alpha", "straight"], ["--scale", "0.3"], ["--offset", "-20.5"]]:
                plain = self.good(op, *args, "rgba.png", "a.png", "--hash")
                self.assertEqual(plain, self.good(op, *args, "--dtype", "u8", "rgba.png", "b.png", "--hash"), op)

    def test_u16_stays_u16(self):
        self.write("deep.png", png(4, 3, 1, struct.pack(">12H", *[v * 40 for v in STEP]), 16))
        self.assertIn("f32 stored as u16, 0 of 12", self.says("sobel", "deep.png", "out.png"))
        self.assertEqual(self.samples("out.png"), struct.pack("<12H", *[v // 255 * 40800 for v in EDGE]))
        self.assertEqual(self.says("sobel", "deep.png", "out.bmp"), "gpufilter-client: sobel: out.bmp: f32 stored as u8, "
                         "65535 as white, 0 of 12 samples saturated\n")
        self.assertEqual(self.samples("out.bmp")[::3], bytes([round(v // 255 * 40800 / 257) for v in EDGE]))
        self.write("deep.png", png(4, 3, 1, struct.pack(">12H", *[v * 257 for v in STEP]), 16))
        self.assertIn("6 of 12 samples saturated", self.says("sobel", "deep.png", "out.bmp"))
        self.assertEqual(self.samples("out.bmp")[::3], EDGE)

    def test_ties_at_the_ends(self):
        for scale, saturated in [("0.25", 0), ("0.250489", 0), ("0.2505", 6)]:  # 4 * 255 * scale
            report = json.loads(self.good("sobel", "--scale", scale, "in.png", "out.png", "--json"))
            self.assertEqual((report["output"]["dtype"], report["output"]["saturated"]), ("u8", saturated), scale)

    def test_files_that_hold_f32_get_it(self):
        self.assertEqual(self.says("sobel", "in.png", "out.npy"), "")
        self.assertEqual(self.read("out.npy")[-48:], struct.pack("<12f", *[v * 4 for v in EDGE]))

    def test_an_asked_type_is_not_changed(self):
        self.bad(65, "but the picture is f32 with 1 channel; write npy, pfm or hdr", "sobel", "--dtype", "f32", "in.png", "out.png")


class Signed(WithDaemon):
    def test_refused_before_the_input_is_read(self):
        hint = "use --dtype u8 --offset 128, or write npy, pfm or raw"
        for args in [["sobel", "--output", "dx"], ["scharr", "--output", "dy"], ["laplacian"], ["log"]]:
            self.bad(64, hint, *args, "nosuch.png", "out.png")
        self.bad(64, "use dtype=u8 offset=128", "pipe", "nosuch.png", "blur | laplacian", "-o", "out.png")

    def test_the_hint_works(self):
        self.good("laplacian", "--dtype", "u8", "--offset", "128", "in.png", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([128, 255, 0, 128] * 3))

    def test_i16_fits_arrays_alone(self):
        self.bad(65, "i16 with 1 channel; write npy, txt or raw", "map", "--dtype", "i16", "in.png", "out.png")
        self.good("laplacian", "--dtype", "i16", "in.png", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<12h", *[0, 255, -255, 0] * 3))

    def test_gradients_of_i16_are_not_scaled_to_a_white(self):
        self.write("s.raw", struct.pack("<4h", -300, 0, 0, 300))
        self.bad(65, "png holds u8 or u16 with 1 to 4 channels, but the picture is f32 with 1 channel; write npy, pfm",
                 "sobel", "--raw", "4x1x1:i16", "s.raw", "out.png")
        self.bad(65, "but the picture is i16 with 1 channel; write npy, txt or raw", "blur", "--raw", "4x1x1:i16",
                 "s.raw", "out.png")
        self.good("sobel", "--output", "dx", "--dtype", "i16", "--raw", "4x1x1:i16", "s.raw", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<4h", 1200, 1200, 1200, 1200))
        self.good("map", "--dtype", "u8", "--offset", "100", "--raw", "4x1x1:i16", "s.raw", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([0, 100, 100, 255]))


class Floats(WithDaemon):
    def test_pictures_take_all_of_the_range(self):
        self.write("f.raw", struct.pack("<4f", 0.0, 0.5, 1.0, 1.5))
        for name, shape, values in [
            ("out.png", "stored as u16, 1.0 as white, 1 of 4 samples saturated", struct.pack("<4H", 0, 32768, 65535, 65535)),
            ("out.bmp", "stored as u8, 1.0 as white, 1 of 4 samples saturated", bytes([0, 128, 255, 255])),
        ]:
            said = self.says("blur", "--sigma", "0", "--raw", "4x1:f32", "f.raw", name)
            self.assertIn(shape, said)
            if name.endswith("png"):
                self.assertEqual(self.samples(name), values)
            else:
                self.assertEqual(self.samples(name)[::3], values)

    def test_pictures_of_every_operation(self):
        self.write("f.raw", struct.pack("<4f", -0.1, 0.5, 1.0, 7))
        for op in ["copy", "flip", "resize --size 4x1", "expr a", "pad --margin 0"]:
            said = self.says(*op.split(), "--raw", "4x1:f32", "f.raw", "out.png")
            self.assertIn("out.png: f32 stored as u16, 1.0 as white, 2 of 4 samples saturated", said)
            want = struct.pack("<4H", *([65535, 65535, 32768, 0] if op == "flip" else [0, 32768, 65535, 65535]))
            self.assertEqual(self.samples("out.png"), want, op)

    def test_nan_is_told(self):
        self.write("f.raw", struct.pack("<2f", float("nan"), 0.0))
        said = self.says("blur", "--sigma", "0", "--raw", "2x1:f32", "f.raw", "out.png")
        self.assertIn("0 of 2 samples saturated, 1 NaN became 0", said)


class Deep(WithDaemon):
    """u16 in formats of 8 bits: the extension is consent."""

    def setUp(self):
        super().setUp()
        self.values = [0, 128, 129, 385, 386, 32767, 32768, 65406, 65407, 65535, 256, 257]
        self.write("w.png", png(1, 3, 4, struct.pack(">12H", *self.values), 16))

    def test_the_range_is_kept(self):
        want = bytes(round(v / 257) for v in self.values)
        for op in (["copy"], ["resize", "--size", "1x3"], ["pipe"]):
            for name in ("out.tga", "out.bmp", "out.raw"):
                args = [*op, "w.png", "flip | flip", "-o", name] if op == ["pipe"] else [*op, "w.png", name]
                self.assertEqual(self.says(*args), "")
                if name != "out.raw":
                    self.assertEqual(self.samples(name), want, name)
            self.assertEqual(self.read("out.raw"), struct.pack("<12H", *self.values))
        self.good("map", "--dtype", "u8", "--range", "full", "w.png", "map.tga")
        self.assertEqual(self.read("map.tga"), self.read("out.tga"))

    def test_is_told_under_verbose(self):
        said = self.says("copy", "-v", "w.png", "out.bmp").splitlines()
        self.assertIn("gpufilter-client: copy: out.bmp: u16 stored as u8, 65535 as white", said)
        report = json.loads(self.good("copy", "w.png", "out.bmp", "--json"))
        self.assertEqual((report["output"]["dtype"], report["output"]["saturated"]), ("u8", 0))

    def test_files_are_those_of_8_bits(self):
        self.write("deep.png", png(4, 3, 1, struct.pack(">12H", *self.values), 16))
        self.write("flat.png", png(4, 3, 1, bytes(round(v / 257) for v in self.values)))
        built = dict(word.split("=") for word in os.environ["GF_CODECS"].split())
        for name in ["jpg", *(["webp"] if "webp" in built else []), *(["avif", "heic"] if "heif" in built else [])]:
            for picture in ("deep", "flat"):
                self.good("copy", picture + ".png", f"{picture}.{name}")
            self.assertEqual(self.read("deep." + name), self.read("flat." + name), name)

    def test_an_asked_type_and_other_types_are_not_changed(self):
        self.bad(65, "but the picture is u16 with 4 channels; write png or pam, or convert it with map, dtype u8 and range "
                 "full", "map", "--dtype", "u16", "w.png", "out.bmp")
        self.bad(65, "hdr holds f32", "copy", "w.png", "out.hdr")
        self.write("long.npy", b"\x93NUMPY\x01\0v\0" + b"{'descr': '<u2', 'fortran_order': False, 'shape': (65536,), }".ljust(117)
                   + b"\n" + bytes(131072))
        self.bad(65, "bmp holds u8 with 1 to 4 channels, but the picture is u16", "copy", "long.npy", "out.bmp")


class Halves(WithDaemon):
    """f16 is stored as f32 is, through which it goes."""

    def setUp(self):
        super().setUp()
        self.values = [0, 0.5, 1, 1.5, -1, float("nan"), 0.25, float("inf")]
        self.write("in.npy", npy("<f2", "(2, 4)", struct.pack("<8e", *self.values)))

    def test_becomes_8_or_16_bits(self):
        said = self.says("copy", "in.npy", "out.png")
        self.assertEqual(said, "gpufilter-client: copy: out.png: f16 stored as u16, 1.0 as white, 3 of 8 samples saturated, "
                               "1 NaN became 0\n")
        self.assertEqual(self.samples("out.png"), struct.pack("<8H", 0, 32768, 65535, 65535, 0, 0, 16384, 65535))
        said = self.says("pipe", "in.npy", "copy | flip", "-o", "out.bmp", "-o", "1:out.pgm", "-o", "1:out.npy")
        self.assertIn("out.bmp: f16 stored as u8, 1.0 as white, 3 of 8 samples saturated, 1 NaN became 0\n", said)
        self.assertIn("out.pgm: f16 stored as u16, 1.0 as white, 3 of 8 samples saturated, 1 NaN became 0\n", said)
        self.assertEqual(self.samples("out.bmp")[::3], bytes([255, 255, 128, 0, 255, 64, 0, 0]))
        self.assertEqual(self.read("out.npy"), self.read("in.npy"))

    def test_is_what_f32_gives(self):
        self.good("map", "--dtype", "f32", "in.npy", "f32.npy")
        for op in (["blur"], ["invert"], ["contrast", "--amount", "2"], ["resize", "--size", "3x2"]):
            if op[0] != "resize":  # which takes no f16
                self.says(*op, "in.npy", "a.bmp")
                self.says(*op, "f32.npy", "b.bmp")
                self.assertEqual(self.read("a.bmp"), self.read("b.bmp"), op)


class Masks(WithDaemon):
    """Arrays of bool become black and white pictures, and stay 0 and 1 in arrays."""

    def setUp(self):
        super().setUp()
        self.write("in.npy", npy("|b1", "(2, 3)", bytes([0, 1, 1, 0, 0, 1])))

    def test_pictures(self):
        for op in (["copy"], ["flip", "--axis", "y"], ["erode", "--size", "1x1"]):
            self.assertEqual(self.says(*op, "in.npy", "out.png"), "")
            self.assertEqual(sorted(self.samples("out.png")), [0, 0, 0, 255, 255, 255], op)
        self.assertIn("copy: out.pgm: bool stored as 0 and 255\n", self.says("copy", "-v", "in.npy", "out.pgm"))
        self.assertEqual(self.read("out.pgm")[-6:], bytes([0, 255, 255, 0, 0, 255]))
        self.write("none.npy", npy("|b1", "(2, 3)", bytes(6)))
        self.assertNotIn("bool", self.says("copy", "-v", "none.npy", "out.pgm"))
        self.assertEqual(self.read("out.pgm")[-6:], bytes(6))

    def test_arrays_and_values_of_ones_own(self):
        self.good("pipe", "in.npy", "copy", "-o", "out.npy", "-o", "1:out.pgm")
        self.assertEqual(self.read("out.npy")[-6:], bytes([0, 1, 1, 0, 0, 1]))
        self.good("copy", "in.npy", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([0, 1, 1, 0, 0, 1]))
        self.good("expr", "a * 200", "in.npy", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([0, 200, 200, 0, 0, 200]))
        self.write("u8.npy", npy("|u1", "(2, 3)", bytes([0, 1, 1, 0, 0, 1])))
        self.good("copy", "u8.npy", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([0, 1, 1, 0, 0, 1]))


class Refusals(WithDaemon):
    def test_alpha_is_named_only_where_there_is_some(self):
        self.write("flow.npy", npy("|u1", "(2, 3, 2)", bytes(12)))
        line = self.bad(65, "the picture is u8 with 2 channels; write npy, tiff or raw", "copy", "flow.npy", "out.jpg")
        self.assertNotIn("background", line)
        self.write("grey.png", png(3, 2, 2, bytes(12)))
        self.bad(65, "write png or pam, or blend alpha with --background", "copy", "grey.png", "out.jpg")


class SeveralInputs(WithDaemon):
    def test_combine(self):
        self.write("b.png", png(4, 3, 1, bytes([10] * 12)))
        self.good("combine", "in.png", "b.png", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([10, 10, 255, 255] * 3))
        self.good("combine", "--mode", "absdiff", "in.png", "b.png", "out.png")
        self.assertEqual(self.samples("out.png"), bytes([10, 10, 245, 245] * 3))

    def test_help_names_the_inputs(self):
        text = self.good("combine", "--help").decode()
        self.assertIn("[options] IN IN2 OUT", text)
        self.assertRegex(text, r"(?m)^  IN2   second picture, B")

    def test_shapes_that_differ(self):
        self.write("b.png", png(3, 2, 1, GREY))
        self.bad(65, "src is 4x3x1 u8, other is 3x2x1 u8; both must have the same shape and dtype", "combine", "in.png", "b.png", "out.png")
        self.bad(64, "OUT is missing", "combine", "in.png", "out.png")


class Pipes(WithDaemon):
    def test_aliases(self):
        self.good("pipe", "in.png", "blur sigma=1", "-o", "a.raw")
        self.good("pipe", "in.png", "gaussian sigma=1", "-o", "b.raw")
        self.assertEqual(self.read("a.raw"), self.read("b.raw"))

    def test_results_are_stored_as_those_of_the_operation(self):
        self.good("blur", "in.png", "blurred.png")
        hash_ = self.good("sobel", "blurred.png", "one.png", "--hash").decode().strip()
        out = self.good("pipe", "in.png", "blur | sobel | stats", "-o", "out.png", "--hash").decode()
        self.assertEqual(out.splitlines()[-1], hash_ + " out.png")
        report = json.loads(self.good("pipe", "in.png", "sobel", "-o", "out.png", "-o", "1:out.npy", "--json"))
        self.assertEqual([o.get("saturated") for o in report["outputs"]], [6, None])
        self.assertEqual([o["dtype"] for o in report["outputs"]], ["u8", "f32"])
        self.assertEqual(report["outputs"][0]["hash"], fnv1a64(EDGE))

    def test_f32_on_the_way(self):
        said = self.says("pipe", "in.png", "map dtype=f32 range=full | sobel", "-o", "out.png")
        self.assertIn("f32 stored as u16, 1.0 as white, 6 of 12", said)

    def test_types_that_do_not_fit_name_both_steps(self):
        line = self.bad(65, "step 2 (sobel): src is u32", "pipe", "in.png", "integral | sobel", "-o", "out.npy")
        self.assertIn("step 1 (integral), 4x3x1 u32", line)
        line = self.bad(65, "step 2 (equalize): src is f32; allowed:", "pipe", "in.png", "sobel | equalize", "-o", "out.npy")
        self.assertIn("step 1 (sobel), 4x3x1 f32", line)


class Plans(WithDaemon):
    def test_no_key_stands_twice(self):
        for op in ["sobel", "combine", "scan", "reduce"]:
            files = {"combine": ["in.png", "in.png", "out.png"], "reduce": ["in.png"]}.get(op, ["in.png", "out.npy"])
            lines = self.says(op, "--explain", *files).splitlines()
            keys = [line.split()[0] for line in lines]
            self.assertEqual(len(keys), len(set(keys)), lines)


class Numbers(WithDaemon):
    def test_reduce(self):
        self.write("a.txt", b"1 2 3\n4 5 6\n")
        self.assertEqual(self.good("reduce", "a.txt"), b"21\n")
        self.assertEqual(self.good("reduce", "--axis", "cols", "a.txt"), b"5 7 9\n")
        self.assertEqual(json.loads(self.good("reduce", "--axis", "rows", "a.txt", "--json"))["values"], [6, 15])

    def test_reduce_by_segments(self):
        self.write("a.txt", b"1 2 3\n4 5 6\n")
        self.write("offsets.txt", b"1 3 3 6\n")
        self.assertEqual(self.good("reduce", "--segments", "offsets.txt", "a.txt"), b"5 0 15\n")
        self.assertEqual(self.good("reduce", "--segments", "0,2,6", "--op", "max", "a.txt"), b"2 6\n")
        self.bad(64, "reduce: segments: number 2 is 1; allowed: 2..6", "reduce", "--segments", "0,2,1", "a.txt")
        self.bad(64, "reduce: segments: number 1 is 7; allowed: 0..6", "reduce", "--segments", "0,7", "a.txt")
        self.bad(64, "axis=rows cannot be used with segments; use axis=all", "reduce", "--segments", "0,2", "--axis", "rows", "a.txt")
        self.write("big.txt", b"1 18446744073709551615 1\n")
        self.bad(65, "the sum of segment 1, channel 1 does not fit u64", "reduce", "--segments", "0,1,3", "--in-dtype",
                 "u64", "big.txt")

    def test_stats(self):
        out = self.good("stats", "in.png").decode()
        for line in [r"count +6", r"argmax +2,0", r"max +255", r"sum +1530", r"mean +127\.5"]:
            self.assertRegex(out, "(?m)^" + line + "$")
        channel = json.loads(self.good("stats", "in.png", "--json"))["channels"][0]
        self.assertEqual((channel["sum"], channel["mean"], channel["nan"]), (1530, 127.5, 0))

    def test_scan_and_integral(self):
        self.write("a.txt", b"1 2 3\n4 5 6\n")
        self.good("scan", "--in-dtype", "u8", "a.txt", "out.txt")
        self.assertEqual(self.read("out.txt"), b"1 3 6\n10 15 21\n")
        self.write("g.png", png(3, 2, 1, GREY))
        self.good("integral", "g.png", "out.txt")
        self.assertEqual(self.read("out.txt"), b"10 30 60\n50 120 210\n")
        self.bad(65, "the picture is u32 with 1 channel; write npy, txt or raw", "integral", "g.png", "out.png")


if __name__ == "__main__":
    unittest.main()
