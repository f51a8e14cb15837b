# SPDX-License-Identifier: MIT
"""gpufilter-client expr: the places of its text and files, parameters, batches, pipes, sessions, and refusals."""
import os
import struct
import unittest

from support import GREY, Case, DaemonCase, png, setUpModule, tearDownModule

OTHER = bytes([60, 50, 40, 30, 20, 10])
RGBA = bytes([255, 0, 0, 255, 0, 255, 0, 128, 10, 20, 30, 0])


class Expressions(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(3, 2, 1, GREY))
        self.write("b.png", png(3, 2, 1, OTHER))

    def raw(self, *args):
        self.good("expr", *args, "out.raw")
        return self.read("out.raw")

    def refused(self, code, says, *args):
        before = sorted(os.listdir(self.dir))
        line = self.bad(code, says, *args)
        self.assertEqual(sorted(os.listdir(self.dir)), before)
        return line

    def test_the_text_stands_first(self):
        self.assertEqual(self.raw("a*2 + 1", "a.png"), bytes(2 * v + 1 for v in GREY))
        self.assertEqual(self.raw("a.png", "--expression", "a*2 + 1"), bytes(2 * v + 1 for v in GREY))
        self.assertEqual(self.raw("--", "-a + 100", "a.png"), bytes(100 - v for v in GREY))
        self.refused(64, "the expression is missing, as in gpufilter-client expr 'a*1.2' in.png out.png", "expr")
        self.refused(64, '"a.png" is a file; the expression must be before the files', "expr", "a.png", "out.raw")

    def test_other_files_have_names(self):
        summed = bytes(x + y for x, y in zip(GREY, OTHER))
        self.assertEqual(self.raw("a + b", "a.png", "b=b.png"), summed)
        self.assertEqual(self.raw("a + b", "b=b.png", "a.png"), summed)
        self.assertEqual(self.raw("a + b", "--b", "b.png", "a.png"), summed)
        self.assertEqual(self.raw("a + c - d", "a.png", "c=b.png", "d=b.png"), GREY)
        self.refused(64, "b=a.png: b is given twice", "expr", "a + b", "a.png", "b=b.png", "b=a.png", "out.raw")
        self.refused(64, "column 5: ", "expr", "a + b", "a.png", "out.raw")

    def test_parameters(self):
        text = "param gain = 2.0; param off = 1; a*gain + off"
        self.assertEqual(self.raw(text, "a.png"), bytes(2 * v + 1 for v in GREY))
        three = bytes(3 * v + 7 for v in GREY)
        self.assertEqual(self.raw(text, "--set", "gain=3, off=7", "a.png"), three)
        self.assertEqual(self.raw(text, "--set", "gain=3", "--set", "off=7", "a.png"), three)
        self.refused(64, "wrong", "expr", text, "--set", "wrong=3", "a.png", "out.raw")

    def test_types_and_channels(self):
        self.assertEqual(self.raw("a > 25", "a.png"), bytes(v > 25 for v in GREY))
        self.assertEqual(self.raw("select(a > 25, 255, 0)", "a.png"), bytes(255 * (v > 25) for v in GREY))
        self.assertEqual(self.raw("x + w*y", "a.png", "--dtype", "i16"), struct.pack("<6h", *range(6)))
        self.write("c.png", png(3, 1, 4, RGBA))
        half = bytes(v if i % 4 == 3 else round(v / 2) for i, v in enumerate(RGBA))
        self.assertEqual(self.raw("a/2", "c.png"), half)
        self.assertEqual(self.raw("a/2", "--alpha", "straight", "c.png"), bytes(round(v / 2) for v in RGBA))
        self.assertEqual(self.raw("a[2], a[1], a[0]", "c.png"), bytes([0, 0, 255, 0, 255, 0, 30, 20, 10]))

    def test_several_files_and_frames(self):
        self.good("expr", "a + b", "b=b.png", "a.png", "b.png", "-o", "{stem}.out.raw")
        self.assertEqual(self.read("a.out.raw"), bytes(x + y for x, y in zip(GREY, OTHER)))
        self.assertEqual(self.read("b.out.raw"), bytes(2 * v for v in OTHER))
        frames = self.good("expr", "255 - a", "--raw", "3x2x1:u8", "-", "-", stdin=GREY + OTHER)
        self.assertEqual(frames, bytes(255 - v for v in GREY + OTHER))

    def test_parameters_are_words_too(self):
        for words in (["expression=a + b", "b=b.png"], ["b=b.png", "a + b"], ["dtype=u8", "a + b", "b=b.png"]):
            self.good("expr", *words, "a.png", "out.raw")
            self.assertEqual(self.read("out.raw"), bytes(x + y for x, y in zip(GREY, OTHER)))
        self.good("expr", "b==3", "b=b.png", "a.png", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes(y == 3 for y in OTHER))

    def test_pipes(self):
        self.good("pipe", "a.png", "expr 'a > 25' | expr \"a*200 | b\" b=@b.png", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes(200 * (x > 25) | y for x, y in zip(GREY, OTHER)))
        self.good("pipe", "a.png", "expr expression='a + b' b=#0 | expr 'a - b' b=#0", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), GREY)
        self.refused(64, "column 6: expected name=value or '|', not \"a>1\"", "pipe", "a.png", "expr a>1", "-o", "o.raw")
        self.refused(64, "column 5: no name q", "pipe", "a.png", "expr 'a + q'", "-o", "o.raw")

    def test_sessions(self):
        script = "load p a.png; load q b.png\nsum = expr p 'a >= 30 | b; 0' b=q; save sum out.raw\n"
        self.bad(64, "line 2: ", "session", "-", stdin=script.encode())
        script = "load p a.png; load q b.png\nsum = expr p 'k = 2; a*k + b' b=q; save sum out.raw\n"
        self.good("session", "-", stdin=script.encode())
        self.assertEqual(self.read("out.raw"), bytes(2 * x + y for x, y in zip(GREY, OTHER)))

    def test_plans_have_the_text(self):
        r = self.run_client("expr", "a*2", "--set", "", "a.png", "out.raw", "--explain")
        self.assertRegex(r.stderr.decode(), r"(?m)^expression +a\*2$")


class Help(Case):
    def test_of_the_operation(self):
        text = self.good("help", "expr").decode()
        self.assertIn("usage: gpufilter-client expr [options] 'EXPRESSION' IN OUT\n", text)
        self.assertIn("help expressions has the language", text)
        self.assertEqual(text.count("--set TEXT"), 1)
        self.assertIn("Example:\n  gpufilter-client expr 'clamp(a*1.2 - 0.1*b, 0, 255)' in.png b=other.png out.png", text)

    def test_of_the_language(self):
        text = self.good("help", "expressions").decode()
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
        for word in ["select(c, a, b)", "clamp(v, lo, hi)", "atan2(y, x)", "fma(a, b, c)", "isnan(v)", "param gain"]:
            self.assertIn(word, text)
        self.assertIn("help expressions", self.good("help").decode())
        self.bad(64, "unknown command expressions; gpufilter-client help expressions explains them", "expressions")
        self.assertIn(text, self.good("ops", "--man").decode().replace("\\-", "-"))


if __name__ == "__main__":
    unittest.main()
