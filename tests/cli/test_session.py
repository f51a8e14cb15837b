# SPDX-License-Identifier: MIT
"""gpufilter-client session: scripts on data that stays on the device."""
import unittest

from support import GREY, DaemonCase, png, setUpModule, tearDownModule


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
        self.bad("load a in.png\nm = correlate a mask=@", 64, "line 2: mask=@: the name of a file is missing")
        self.write("bad.txt", b"1 2\n3\n")
        r = self.run_client("session", "-", stdin=b"load a in.png\nm = correlate a mask=@bad.txt")
        self.assertEqual(r.returncode, 64)
        self.assertIn(b"line 2: bad.txt: row 2 has 1 values, row 1 has 2", r.stderr)

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
                 "line 1: the result has no name and is not a table of one step; write NAME = ...")
        self.bad("load a in.png\n\nb = gaussian", 64,
                 "line 3: gaussian of what? A name that was loaded or made follows it")
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
        r = self.run_client("session", "--hash", "s")
        self.assertEqual(r.returncode, 64)
        self.assertEqual(self.session(""), "")


if __name__ == "__main__":
    unittest.main()
