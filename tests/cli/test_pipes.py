# SPDX-License-Identifier: MIT
"""gpufilter-client pipe: several files, references to steps, plots, plans, comparisons, and refusals."""
import json
import os
import re
import struct
import unittest

from support import GREY, GREY_SHAPE, DaemonCase, png, setUpModule, tearDownModule

OTHER = bytes([60, 50, 40, 30, 20, 10])


class WithDaemon(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))
        self.write("in2.png", png(3, 2, 1, OTHER))

    def pipe(self, text, *args, name="in.png"):
        """The samples of a pipe's result."""
        self.good("pipe", name, text, "-o", "out.raw", *args)
        return self.read("out.raw")

    def refused(self, code, says, text, *args):
        """A refused pipe leaves no file behind."""
        before = sorted(os.listdir(self.dir))
        line = self.bad(code, says, "pipe", "in.png", text, *(args or ("-o", "out.png")))
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        return line


class Inputs(WithDaemon):
    ABSDIFF = bytes([50, 30, 10, 10, 30, 50])

    def test_a_second_picture(self):
        self.assertEqual(self.pipe("box size=1 | combine other=@in2.png mode=absdiff"), self.ABSDIFF)
        os.rename(self.path("in2.png"), self.path("my in2.png"))
        self.assertEqual(self.pipe("combine mode=absdiff other='@my in2.png'"), self.ABSDIFF)

    def test_many_pictures(self):
        for i in range(12):
            self.write("%x" % i, png(3, 2, 1, bytes([i] * 6)))
        text = "|".join("combine other=@%x a=1 b=1" % i for i in range(12))
        self.assertEqual(self.pipe(text), bytes(v + 66 for v in GREY))

    def test_a_mask_from_a_file(self):
        self.write("mask.txt", b"# a comment\n-1, 0, 1\n")
        self.assertEqual(self.pipe("correlate mask=@mask.txt offset=100"), bytes([110, 120, 110] * 2))

    def test_what_an_earlier_step_gives(self):
        narrow = self.pipe("box size=1")
        wide = self.pipe("box size=3")
        expected = bytes(abs(a - b) for a, b in zip(narrow, wide))
        self.assertEqual(self.pipe("box size=1 | box src=#0 size=3 | combine other=#1 mode=absdiff"), expected)
        self.assertEqual(self.pipe("box size=3 | combine other=#0 mode=absdiff"), expected)
        self.assertEqual(self.pipe("box size=3 | combine other=@in.png mode=absdiff"), expected)

    def test_a_named_output(self):
        text = "histogram bins=4 lo=0 hi=80 | scan src=#1.counts"
        self.assertEqual(self.pipe(text, "-q"), struct.pack("<4Q", 1, 3, 5, 6))
        self.good("pipe", "in.png", text, "-q", "-o", "1.edges:edges.txt", "-o", "1:counts.txt")
        self.assertEqual(self.read("edges.txt"), b"0 20 40 60 80\n")
        self.assertEqual(self.read("counts.txt"), b"1 2 2 1\n")

    def test_matrices(self):
        self.write("a.txt", b"1 2\n3 4\n")
        self.write("b.txt", b"1 1\n0 2\n")
        self.good("pipe", "a.txt", "matmul b=@b.txt | matmul b=#0", "-o", "out.txt")
        self.assertEqual(self.read("out.txt"), b"16 22\n36 50\n")

    def test_lists(self):
        self.write("edges.txt", b"0 15 35 100\n")
        for value in ["@edges.txt", "'0 15 35 100'", "0,15,35,100"]:
            tap = json.loads(self.good("pipe", "in.png", "histogram edges=" + value, "--json"))["taps"][0]
            self.assertEqual((tap["channels"][0]["counts"], tap["edges"]), ([1, 2, 3], [0, 15, 35, 100]))
        self.refused(66, "nosuch.txt: cannot be read", "histogram edges=@nosuch.txt")

    def test_text_on_standard_input(self):
        out = self.good("pipe", "-", "scan | reduce", "--in-dtype", "u8", "-o", "s.txt", stdin=b"1 2 3\n")
        self.assertEqual((out, self.read("s.txt")), (b"step 2 (reduce)\n10\n", b"1 3 6\n"))
        self.bad(64, "--in-dtype u9; allowed: u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16", "pipe", "-", "scan", "--in-dtype", "u9", "-o", "s.txt")
        self.bad(64, "bare or text, not both", "pipe", "-", "scan", "--in-dtype", "u8", "--raw", "3:u8", "-o", "s.txt")
        self.bad(65, "standard input: is empty", "pipe", "-", "scan", "--in-dtype", "u8", "-o", "s.txt")


class Words(WithDaemon):
    """Commands that set parameters by the type of the picture are steps too."""

    def test_they_go_by_the_type_at_their_place(self):
        self.assertEqual(self.pipe("invert"), bytes(255 - v for v in GREY))
        self.assertEqual(self.pipe("box size=1 | brightness amount=2"), bytes(2 * v for v in GREY))
        self.assertEqual(self.pipe("contrast amount=0.5"), bytes(round(v / 2 + 63.75) for v in GREY))
        self.assertEqual(self.pipe("map dtype=u16 range=full | invert"),
                         struct.pack("<6H", *[65535 - 257 * v for v in GREY]))
        self.assertEqual(self.pipe("brightness amount=0 | invert src=#0 | combine other=#1"), bytes(255 - v for v in GREY))
        self.write("a.png", png(1, 1, 2, bytes([10, 200])))
        self.assertEqual(self.pipe("invert", name="a.png"), bytes([245, 200]))
        self.assertEqual(self.pipe("invert alpha=straight", name="a.png"), bytes([245, 55]))

    def test_of_a_batch_each_file_by_its_type(self):
        self.write("deep.png", png(3, 2, 1, struct.pack(">6H", *[257 * v for v in GREY]), depth=16))
        self.good("pipe", "in.png", "deep.png", "invert", "-j", "1", "-o", "{stem}.raw")
        self.assertEqual(self.read("in.raw"), bytes(255 - v for v in GREY))
        self.assertEqual(self.read("deep.raw"), struct.pack("<6H", *[65535 - 257 * v for v in GREY]))

    def test_what_they_refuse(self):
        self.refused(64, "step 2 (brightness) needs amount, e.g. amount=1.2", "box | brightness")
        self.refused(64, "column 12: brightness: amount=-1; allowed: 0..1000", "brightness amount=-1")
        self.refused(64, "column 21: amount of brightness is given twice", "brightness amount=1 amount=2")
        self.refused(64, "column 8: invert has no amount; it takes src or alpha", "invert amount=2")
        self.refused(64, "column 10: contrast has no scale; it takes src, amount or alpha", "contrast scale=2")
        self.refused(65, "the picture is i16, which has no white level", "map dtype=i16 | invert", "-o", "out.npy")


class Refusals(WithDaemon):
    def test_references(self):
        self.refused(64, "before step 1 there is only #0", "combine other=#1")
        self.refused(64, "column 19: other=#2: before step 2 there are #0 to #1", "box|combine other=#2")
        self.refused(64, "column 19: other=#9: before step 2 there are #0 to #1", "box|combine other=#9")
        self.refused(64, "#N is the result of step N, #0 is IN", "combine other=#x")
        self.refused(64, "column 18: step 1 (stats) has no output max; it has counts", "stats | scan src=#1.max")
        self.refused(64, "other=in2.png: write other=@in2.png for a file", "combine other=in2.png")
        self.refused(64, "other=@: the file name is missing", "combine other=@")
        self.refused(64, "step 2 (combine) needs other: other=@FILE", "box | combine mode=absdiff")
        self.refused(64, "step 1 (correlate) needs mask, e.g. mask='1 2 1", "correlate")
        self.refused(64, "other of combine is given twice", "combine other=#0 other=#0")

    def test_text(self):
        self.refused(64, "column 6: an operation is missing", "box |")
        self.refused(64, 'expected name=value or \'|\', not "size"', "box size")
        self.refused(64, "the quote ' is not closed", "box size='3")
        self.refused(64, "column 1: there is no operation gausian; did you mean gaussian?", "gausian")
        self.bad(64, "there is no operation gausian", "pipe", "in.png", "gausian")
        self.refused(64, "column 5: box has no sise; did you mean size?", "box sise=3")
        self.refused(64, "column 23: gaussian: border=mirror", "box | gaussian border=mirror")

    def test_columns_are_those_of_the_text(self):
        self.refused(64, "column 32: box has no sise", "combine other='@in2.png' | box sise=3")

    def test_files(self):
        self.refused(66, "nosuch.png: cannot be read: No such file", "combine other=@nosuch.png")
        self.refused(66, "nosuch.txt: cannot be read: No such file", "correlate mask=@nosuch.txt")
        self.write("bad.txt", b"1 2\n3\n")
        self.refused(64, "bad.txt: row 2 has 1 values, row 1 has 2", "correlate mask=@bad.txt")
        self.refused(73, "No such file or directory", "box", "-o", "nosuch/out.png")
        self.refused(73, "No such file or directory", "box | histogram", "-o", "out.png", "--plot", "nosuch/h.svg")

    def test_shapes_and_types_name_the_steps(self):
        self.write("big.png", png(3, 3, 1, bytes(9)))
        line = self.refused(65, "step 2 (combine): src is 3x2x1 u8, other is 3x3x1 u8", "box | combine other=@big.png")
        self.assertIn("; src is the result of step 1 (box), 3x2x1 u8", line)
        line = self.refused(65, "step 3 (combine): src is ", "sobel | box src=#0 | combine other=#1", "-o", "out.npy")
        self.assertIn("src is the result of step 2 (box), 3x2x1 u8; other is the result of step 1 (sobel), 3x2x1 f32", line)
        line = self.refused(65, "step 2 (sobel): src is u32", "integral | sobel", "-o", "out.npy")
        self.assertIn("src is the result of step 1 (integral), 3x2x1 u32", line)

    def test_results_that_the_file_cannot_hold(self):
        self.refused(65, "the picture is u32 with 1 channel; write npy, txt or raw", "integral")
        self.refused(64, "there are steps 1..1", "box", "-o", "0:out.png")
        self.refused(64, "box has no output edges", "box", "-o", "1.edges:out.png")

    def test_masks_with_nan(self):
        self.refused(64, "nan", "correlate mask='1 nan 1'")
        self.write("mask.txt", b"1 inf 1\n")
        self.refused(64, "mask.txt: ", "correlate mask=@mask.txt")

    def test_parameters(self):
        self.refused(64, "step 2 (histogram): lo=3 is not below hi=3", "histogram bins=0 | histogram lo=3 hi=3 bins=4")
        self.refused(64, "axis=depth", "reduce axis=depth")


class Plots(WithDaemon):
    TEXT = "histogram bins=4 lo=0 hi=80 | box size=3 | histogram bins=2 lo=0 hi=80"

    def test_the_last_histogram_or_a_named_one(self):
        self.good("pipe", "in.png", self.TEXT, "-q", "--plot", "last.svg")
        self.good("pipe", "in.png", self.TEXT, "-q", "--plot", "1:first.svg")
        self.assertIn(b"Histogram of in.png, step 3<", self.read("last.svg"))
        self.assertIn(b", 2 bins<", self.read("last.svg"))
        self.assertIn(b"Histogram of in.png, step 1<", self.read("first.svg"))
        self.assertIn(b", 4 bins<", self.read("first.svg"))
        self.good("pipe", "in.png", self.TEXT, "-q", "--plot", "3:last.png")
        self.assertEqual(self.read("last.png")[:4], b"\x89PNG")

    def test_shares_of_nothing_are_no_bars(self):
        self.write("rgb.png", png(2, 1, 3, bytes([1, 100, 2, 1, 100, 3])))
        text = "histogram bins=2 lo=50 hi=200 density=1"
        out = self.good("pipe", "rgb.png", text, "--plot", "h.svg")
        self.assertIn(b"counts 1: NaN NaN\n", out)
        paths = re.findall(rb'<path [^>]*d="([^"]*)"', self.read("h.svg"))
        flat = [len(set(re.findall(rb"V([0-9.]+)", path))) == 1 for path in paths]
        self.assertEqual(flat, [True, False, True])

    def test_refused_before_any_work(self):
        self.refused(64, "no step is a histogram", "box", "-o", "out.png", "--plot", "h.svg")
        self.refused(64, "that step is not a histogram", self.TEXT, "--plot", "2:h.svg")
        self.refused(64, "there are steps 1..3", self.TEXT, "--plot", "4:h.svg")
        self.refused(64, "drawn only as .svg or .png", self.TEXT, "-o", "out.png", "--plot", "h.gif")


class Plans(WithDaemon):
    TEXT = "box size=3 | combine other=@in2.png | histogram bins=4 lo=0 hi=80 | box src=#1"

    def test_every_step_has_one(self):
        r = self.run_client("pipe", "in.png", self.TEXT, "-q", "-o", "out.png", "--explain")
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        said = r.stderr.decode()
        for line in [
            r"device +auto: the daemon chooses \(default\)",
            r"step +1\noperation +box: Mean over a rectangle\ninput +in.png: 3x2x1 u8\nresult +3x2x1 u8\nsize +3",
            r"step +2\noperation +combine: .*\ninput +step 1 \(box\): 3x2x1 u8\ninput_other +in2.png: 3x2x1 u8",
            r"step +3\noperation +histogram: .*\ninput +step 2 \(combine\): .*\nresult +4x1x1 u64\nresult_outside +3x1x1",
            r"step +4\noperation +box: .*\ninput +step 1 \(box\): 3x2x1 u8",
            r"ran_on +cpu",
        ]:
            self.assertRegex(said, "(?m)^" + line)
        for part in said.split("\n\n"):
            keys = [line.split()[0] for line in part.splitlines()]
            self.assertEqual(len(keys), len(set(keys)), part)

    def test_fused_steps(self):
        self.write("big.raw", bytes(i * 7 % 251 for i in range(1 << 20)) * 4)
        args = ["pipe", "--raw", "2048x2048x1:u8", "big.raw", "gaussian sigma=1 | map scale=1.1 | expr 'a/2 + 3' | threshold value=60"]
        said, hashes = {}, set()
        for options in [(), ("--no-fuse",)]:
            r = self.run_client(*args, "-o", "out.raw", "--explain", "--hash", "--device", "cpu", *options)
            self.assertEqual(r.returncode, 0, r.stderr.decode())
            said[options] = r.stderr.decode()
            hashes.add(r.stdout.split()[0])
        self.assertRegex(said[()], r"\(as requested\); steps 2-4 fused\n")
        self.assertNotIn("fused", said[("--no-fuse",)])
        self.assertEqual(len(hashes), 1)

    def test_json(self):
        report = json.loads(self.good("pipe", "in.png", self.TEXT, "-o", "out.png", "--explain", "--json"))
        self.assertEqual([p["step"] for p in report["plan"]], ["1", "2", "3", "4"])
        self.assertEqual([i["path"] for i in report["inputs"]], ["in.png", "in2.png"])


class Comparisons(WithDaemon):
    def test_the_exit_status(self):
        r = self.run_client("pipe", "in.png", "box size=1 | compare b=#0", "-o", "out.png")
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        self.assertIn(b"psnr                    Infinity\n", r.stdout)
        r = self.run_client("pipe", "in.png", "compare b=@in2.png | box size=1", "-o", "out.raw", "--json")
        self.assertEqual((r.returncode, r.stderr), (1, b""))
        self.assertEqual(self.read("out.raw"), GREY)
        tap = json.loads(r.stdout)["taps"][0]
        self.assertEqual(list(tap), ["step", "op", "channels", "all"])
        self.assertEqual(list(tap["all"]), ["equal", "different", "max", "mae", "mse", "psnr"])
        self.assertEqual(tap["all"], tap["channels"][0])
        self.assertEqual((tap["all"]["mae"], tap["all"]["mse"]), (30, 3500 / 3))
        self.assertAlmostEqual(tap["all"]["psnr"], 17.461336, 6)

    def test_the_peak_is_that_of_the_type(self):
        for dtype, psnr in [("u8", 48.130804), ("u16", 96.329466), ("i16", 96.329466), ("f32", 0), ("f64", 0)]:
            self.write("a.txt", b"1 2 3\n")
            self.write("b.txt", b"2 3 4\n")
            r = self.run_client("compare", "--in-dtype", dtype, "a.txt", "b.txt", "--json")
            self.assertEqual(r.returncode, 1, r.stderr.decode())
            self.assertAlmostEqual(json.loads(r.stdout)["all"]["psnr"], psnr, 6, dtype)

    def test_channels_and_all(self):
        self.write("a.png", png(2, 1, 3, bytes([1, 2, 3, 4, 5, 6])))
        self.write("b.png", png(2, 1, 3, bytes([1, 4, 3, 4, 5, 7])))
        r = self.run_client("compare", "a.png", "b.png", "--json")
        report = json.loads(r.stdout)
        self.assertEqual([c["mse"] for c in report["channels"]], [0, 2, 0.5])
        self.assertEqual([c["psnr"] for c in report["channels"]][0], "Infinity")
        self.assertEqual((report["all"]["equal"], report["all"]["different"], report["all"]["max"]), (4, 2, 2))
        self.assertAlmostEqual(report["all"]["mse"], 2.5 / 3)
        lines = self.run_client("compare", "a.png", "b.png").stdout.decode().splitlines()
        self.assertEqual(lines[0].split(), ["channel", "1", "2", "3", "all"])
        self.assertEqual(lines[1].split(), ["equal", "2", "1", "1", "4"])

    def test_help_says_it(self):
        for command in ["pipe", "compare"]:
            self.assertIn(b"exit status is 1", self.good(command, "--help"))
        self.assertIn(b"psnr in dB", self.good("compare", "--help"))


if __name__ == "__main__":
    unittest.main()
