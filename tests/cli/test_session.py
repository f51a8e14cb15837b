# SPDX-License-Identifier: MIT
"""gpufilter-client session: scripts on data that stays on the device."""
import json
import re
import unittest

from support import GREY, DaemonCase, fnv1a64, png, setUpModule, tearDownModule


class Sessions(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    def session(self, text, **options):
        return self.good("session", "-", stdin=text.encode(), **options).decode()

    def bad(self, text, code, says):
        r = self.run_client("session", "-", stdin=text.encode())
        self.assertEqual((r.returncode, r.stderr.decode()), (code, "gpufilter-client: session: %s\n" % says))
        return r.stdout.decode()

    def test_results_are_those_of_commands(self):
        out = self.session("load a in.png; b = gaussian a sigma=2; histogram b bins=4; save b out.png")
        self.good("gaussian", "--sigma=2", "in.png", "one.png")
        self.assertEqual(self.read("out.png"), self.read("one.png"))
        self.assertEqual(out, self.good("histogram", "one.png", "--bins=4", "--no-color").decode())

    def test_a_file_with_comments_and_lines(self):
        self.write("s.txt", b"# a comment; with a semicolon\r\n\n  load a in.png\n"
                            b"m = correlate a mask='0 0 0; 0 1 0; 0 0 0'\n"
                            b"save m out.raw ; # the end\n")
        self.good("session", "s.txt")
        self.assertEqual(self.read("out.raw"), GREY)

    def test_inputs_have_names_and_steps_follow_each_other(self):
        out = self.session(
            "load a in.png\nb = map a offset=1\nd = combine a b mode=absdiff\ne = combine b other=a mode=absdiff\n"
            "f = gaussian a sigma=1 | combine other=a mode=absdiff\nsave d d.raw\nsave e e.raw\nlist\nfree d\nlist\n"
        )
        self.assertEqual(self.read("d.raw"), bytes([1] * 6))
        self.assertEqual(self.read("e.raw"), bytes([1] * 6))
        names = [line.split()[0] for line in out.splitlines()]
        self.assertEqual(names, ["f", "e", "d", "b", "a", "f", "e", "b", "a"])
        self.assertEqual(out.splitlines()[4].split()[1:], ["3x2x1", "u8"])

    def test_inputs_from_files_as_in_a_pipe(self):
        self.write("mask.txt", b"# a comment\n-1, 0, 1\n")
        self.write("my in2.png", png(3, 2, 1, bytes([60, 50, 40, 30, 20, 10])))
        self.write("edges.txt", b"0 15 35 100\n")
        out = self.session(
            "load a in.png\nm = correlate a mask=@mask.txt offset=100\nsave m m.raw\n"
            "d = box a size=1 | combine other='@my in2.png' mode=absdiff\nsave d d.raw\n"
            "histogram a edges=@edges.txt\nhistogram a edges=0,15,35,100\nhistogram a edges='0 15 35 100'"
        )
        self.assertEqual(self.read("m.raw"), bytes([110, 120, 110] * 2))
        self.assertEqual(self.read("d.raw"), bytes([50, 30, 10, 10, 30, 50]))
        self.assertEqual(out, 3 * self.good("histogram", "in.png", "--edges", "edges.txt", "--no-color").decode())
        self.bad("load a in.png\nm = correlate a mask=@none.txt", 66, "line 2: none.txt: cannot be read: No such file or directory")
        self.bad("load a in.png\nm = correlate a mask=@", 64, "line 2: mask=@: the file name is missing")
        self.write("bad.txt", b"1 2\n3\n")
        r = self.run_client("session", "-", stdin=b"load a in.png\nm = correlate a mask=@bad.txt")
        self.assertEqual(r.returncode, 64)
        self.assertIn(b"line 2: bad.txt: row 2 has 1 values, row 1 has 2", r.stderr)

    def test_statements_are_pipes(self):
        out = self.session("load a in.png\nb = invert a | blur sigma=0\nc = contrast a amount=0.5\nsave b b.raw; save c c.raw\n"
                           "box a size=1 | reduce | invert | reduce")
        self.assertEqual(self.read("b.raw"), bytes(255 - v for v in GREY))
        self.assertEqual(self.read("c.raw"), bytes(round(v / 2 + 63.75) for v in GREY))
        self.assertEqual(out, "step 2 (reduce)\n210\nstep 4 (reduce)\n%d\n" % (6 * 255 - 210))

    def test_names_have_no_file_format(self):
        r = self.run_client("session", "-", stdin=b"load a in.png; save a -")
        self.assertEqual(r.returncode, 64)
        self.assertIn(b"session: line 1: standard output has no extension; name the format with --format", r.stderr)

    def test_samples_without_a_header(self):
        self.write("a.raw", GREY)
        self.good("session", "--raw", "3x2x1:u8", "--format", "raw", "-", stdin=b"load a a.raw; b = invert a; save b b.out")
        self.assertEqual(self.read("b.out"), bytes(255 - v for v in GREY))
        self.write("a.txt", b"1 2\n3 4\n")
        self.good("session", "--in-dtype", "u8", "-", stdin=b"load a a.txt; b = scan a; save b b.txt")
        self.assertEqual(self.read("b.txt"), b"1 3\n6 10\n")
        line = self.run_client("session", "--in-dtype", "f17", "-", stdin=b"load a a.txt").stderr.decode()
        self.assertIn("line 1: --in-dtype f17; allowed: u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16", line)

    def test_what_it_tells(self):
        script = b"load a in.png; b = invert a; stats b; save b b.raw; list"
        r = self.run_client("session", "--hash", "--explain", "--timing", "-", stdin=script)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        self.assertIn(fnv1a64(bytes(255 - v for v in GREY)) + " b.raw\n", r.stdout.decode())
        self.assertRegex(r.stderr.decode(), r"operation +map: .*\ninput +a: 3x2x1 u8\n(.*\n)*scale +-1\noffset +255\n")
        self.assertEqual(len(re.findall(r"cpu: kernels [0-9.]+ ms, daemon total", r.stderr.decode())), 4)
        told = [json.loads(line) for line in self.good("session", "--json", "-", stdin=script).splitlines()]
        self.assertEqual([[i["path"] for i in t["inputs"]] for t in told[:4]], [["in.png"], ["a"], ["b"], ["b"]])
        self.assertEqual(told[2]["taps"][0]["channels"][0]["sum"], 6 * 255 - 210)
        self.assertEqual(told[3]["outputs"][0]["hash"], fnv1a64(bytes(255 - v for v in GREY)))
        self.assertEqual([n["path"] for n in told[4]["names"]], ["b", "a"])

    def test_a_name_may_be_given_again(self):
        self.session("load a in.png\na = map a offset=1\na = map a offset=1\nsave a out.raw")
        self.assertEqual(self.read("out.raw"), bytes(v + 2 for v in GREY))

    def test_a_difference_is_the_exit_status(self):
        same = self.run_client("session", "-", stdin=b"load a in.png\ncompare a a")
        other = self.run_client("session", "-", stdin=b"load a in.png\nb = map a offset=1\ncompare a b\nlist")
        self.assertEqual((same.returncode, other.returncode), (0, 1))

    def test_errors_name_the_line(self):
        self.bad("\n\nb = gaussian a", 64, "line 3: there is no 'a'")
        self.bad("load a none.png", 66, "line 1: none.png: cannot be read: No such file or directory")
        self.bad("load a in.png\nblurr a", 64, "line 2: 'blurr' is neither a statement nor an operation")
        self.bad("load a in.png; gaussian a", 64,
                 "line 1: the result has no name and no step gives a table; write NAME = ...")
        self.bad("load a in.png\n\nb = gaussian", 64,
                 "line 3: gaussian needs an input: the name of data that was loaded or made")
        self.bad("load a in.png\nb = box a sise=3", 64, "line 2: box has no sise; did you mean size?")
        self.bad("load a in.png\nb = combine a other=q", 64, "line 2: there is no 'q'")
        self.bad("load a in.png\nb = combine a", 64, "line 2: combine needs other: give it by name or as operand 1")
        self.bad("load a in.png\nb = box src=#1", 64,
                 "line 2: step 1 refers to step 1; it may refer to earlier ones, and #0 is operand 0")
        self.bad("load a", 64, "line 1: load NAME FILE")
        self.bad("free", 64, "line 1: free NAME")
        self.bad("load 1a in.png", 64, "line 1: '1a' is not a name; use up to 63 letters, digits and _")
        self.bad("load a in.png\nfree a\nsave a out.png", 64, "line 3: there is no 'a'")
        r = self.run_client("session", "-", stdin=b"load a in.png\nb = gaussian a sigma=-1\nlist")
        self.assertEqual((r.returncode, r.stdout), (64, b""))
        self.assertRegex(r.stderr, b"^gpufilter-client: session: line 2: gaussian: sigma=-1 outside")

    def test_what_is_no_script(self):
        self.write("s", b"list\0list")
        r = self.run_client("session", "s")
        self.assertEqual((r.returncode, r.stderr), (65, b"gpufilter-client: session: s is not text\n"))
        r = self.run_client("session", "--verify", "s")
        self.assertEqual(r.returncode, 64)
        self.assertEqual(self.session(""), "")


if __name__ == "__main__":
    unittest.main()
