# SPDX-License-Identifier: MIT
"""gpufilter-client sort, argsort, topk and quantile: results, printed and written output, and refusals."""
import json
import os
import struct
import unittest

from support import GREY, DaemonCase, png, setUpModule, tearDownModule


class Order(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.txt", b"3 nan -0 1\n0 inf 3 -inf\n")
        self.write("a.png", png(3, 2, 1, GREY[::-1]))

    def rows(self, *args):
        self.good(*args, "out.txt")
        return self.read("out.txt").decode().splitlines()

    def test_sort(self):
        for args, rows in (
            ([], ["-Infinity -0 0 1", "3 3 Infinity NaN"]), (["--descending"], ["Infinity 3 3 1", "-0 0 -Infinity NaN"]),
            (["--axis", "rows"], ["-0 1 3 NaN", "-Infinity 0 3 Infinity"]),
            (["--axis", "cols", "--descending"], ["3 Infinity 3 1", "0 NaN -0 -Infinity"]),
        ):
            self.assertEqual(self.rows("sort", *args, "in.txt"), rows, args)
        self.assertEqual(self.rows("sort", "a.png"), ["10 20 30", "40 50 60"])
        self.write("one.txt", b"7\n")
        self.assertEqual((self.rows("sort", "one.txt"), self.rows("argsort", "one.txt")), (["7"], ["0"]))

    def test_argsort(self):
        self.assertEqual(self.rows("argsort", "in.txt"), ["7 2 4 3", "0 6 5 1"])
        self.assertEqual(self.rows("argsort", "--descending", "in.txt"), ["5 0 6 3", "2 4 7 1"])
        self.assertEqual(self.rows("argsort", "--axis", "cols", "a.png"), ["1 1 1", "0 0 0"])

    def test_topk(self):
        self.assertEqual(self.good("topk", "--k", "3", "in.txt"), b"values: Infinity 3 3\nindices: 5 0 6\n")
        self.assertEqual(self.good("topk", "in.txt"), b"values: Infinity\nindices: 5\n")
        self.assertEqual(self.good("topk", "--k", "8", "--smallest", "in.txt"),
                         b"values: -Infinity -0 0 1 3 3 Infinity NaN\nindices: 7 2 4 3 0 6 5 1\n")
        self.assertEqual(self.good("topk", "--k", "1", "--axis", "cols", "in.txt"),
                         b"values: 3 Infinity 3 1\nindices: 0 1 1 0\n")
        made = json.loads(self.good("topk", "--k", "2", "--axis", "rows", "a.png", "--json"))
        self.assertEqual((made["values"], made["indices"]), ([60, 50, 30, 20], [0, 1, 0, 1]))
        self.good("topk", "--k", "2", "-o", "out.raw", "--quiet", "a.png")
        self.assertEqual(self.read("out.raw"), bytes([60, 50]))
        self.good("pipe", "a.png", "topk k=2 smallest=1", "-o", "1.indices:i.raw", "--quiet")
        self.assertEqual(struct.unpack("<2Q", self.read("i.raw")), (5, 4))

    def test_topk_where_samples_mislead(self):
        """Every 512th sample of a chunk of 2^18 sets the first limit; here some of the 512th samples exceed all
        others."""
        samples = [i % 251 for i in range(1 << 19)]
        for row in range(20):
            samples[row * 25 * 512] = 1000 + row
        self.write("in.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", 118)
                   + b"{'descr': '<u2', 'fortran_order': False, 'shape': (524288,), }".ljust(117) + b"\n"
                   + struct.pack("<524288H", *samples))
        best = sorted(range(1 << 19), key=lambda i: (-samples[i], i))[:30]
        made = json.loads(self.good("topk", "--k", "30", "in.npy", "--json"))
        self.assertEqual((made["values"], made["indices"]), ([samples[i] for i in best], best))

    def test_quantiles_of_pictures(self):
        self.assertEqual(self.good("quantile", "--q", "0,0.5,0.9,1", "a.png"), b"10 35 55 60\n")
        self.good("quantile", "--q", "0.5", "--axis", "cols", "-o", "out.txt", "--quiet", "a.png")
        self.assertEqual(self.read("out.txt"), b"45 35 25\n")
        self.assertEqual(self.good("pipe", "a.png", "quantile q=0,0.1,0.5,0.9 | quantile src=#0 q=1"),
                         b"step 1 (quantile)\n10 15 35 55\nstep 2 (quantile)\n60\n")

    def test_refused(self):
        self.write("empty.npy", b"\x93NUMPY\x01\0" + struct.pack("<H", 118)
                   + b"{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }".ljust(117) + b"\n")
        for code, says, args in (
            (64, "topk: k=0 outside 1..4294967295", ["topk", "--k", "0", "in.txt"]),
            (64, "topk: k=4294967296 outside 1..4294967295", ["topk", "--k", "4294967296", "in.txt"]),
            (64, "topk: k=9, but its channels have 8 samples; allowed: 1..8", ["topk", "--k", "9", "in.txt"]),
            (64, "topk: k=5, but its rows have 4 samples; allowed: 1..4", ["topk", "--k", "5", "--axis", "rows", "in.txt"]),
            (64, "topk: k=3, but its columns have 2 samples", ["topk", "--k", "3", "--axis", "cols", "in.txt"]),
            (64, "topk: k=1.5 is not a whole number", ["topk", "--k", "1.5", "in.txt"]),
            (64, 'topk: "out.txt" is not a file; results are printed, or written with -o out.txt', ["topk", "in.txt", "out.txt"]),
            (66, "topk: out.txt: cannot be read", ["topk", "out.txt"]),
            (64, "sort: axis=0; allowed: all, rows or cols", ["sort", "--axis", "0", "in.txt", "out.txt"]),
            (65, "sort: empty.npy: the array: 0x1 is empty; sides must be at least 1", ["sort", "empty.npy", "out.npy"]),
            (64, "sort: OUT is missing", ["sort", "in.txt"]),
            (65, "argsort: out.png: png holds u8 or u16 with 1 to 4 channels, but the picture is u64 with 1 channel; write "
                 "npy, txt or raw", ["argsort", "a.png", "out.png"]),
            (64, "quantile: q=-0.5 outside 0..1", ["quantile", "--q", "-0.5", "in.txt"]),
            (64, "quantile: q=0,,1: value 2 is not a number", ["quantile", "--q", "0,,1", "in.txt"]),
        ):
            self.bad(code, says, *args)
            self.assertEqual(sorted(os.listdir(self.dir)), ["a.png", "empty.npy", "in.txt"], says)


if __name__ == "__main__":
    unittest.main()
