# SPDX-License-Identifier: MIT
"""gpufilter-client with windows and elements, and label: results computed by hand, and refusals."""
import os
import unittest

from support import GREY, DaemonCase, png, setUpModule, tearDownModule


class Windows(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(3, 2, 1, GREY))
        self.write("alpha.png", png(3, 1, 2, bytes([10, 1, 20, 2, 30, 3])))

    def samples(self, *args, name="a.png"):
        self.good(*args, name, "out.raw")
        return list(self.read("out.raw"))

    def test_samples(self):
        for args, samples in (
            (["median"], [20, 30, 30, 40, 40, 50]), (["median", "--size", "2x1"], [10, 20, 30, 40, 50, 60]),
            (["rank", "--index", "0", "--size", "255"], [10] * 6), (["rank", "--index", "-1"], [50, 60, 60] * 2),
            (["percentile", "--percent", "100", "--size", "1x3"], [40, 50, 60] * 2),
            (["erode"], [10, 10, 20] * 2), (["dilate", "--size", "3x1"], [20, 30, 30, 50, 60, 60]),
            (["dilate", "--mask", "0 0 1"], [20, 30, 0, 50, 60, 0]), (["erode", "--iterations", "255"], [10] * 6),
            (["dilate", "--mask", "0 0 1", "--border", "constant", "--border-value", "7"], [20, 30, 7, 50, 60, 7]),
            (["erode", "--size", "2x1", "--anchor", "0,0"], [10, 20, 30, 40, 50, 60]),
            (["gradient", "--shape", "cross"], [30, 40, 40, 40, 40, 30]), (["tophat", "--size", "255"], [0, 10, 20, 30, 40, 50]),
            (["close", "--size", "2x1"], [10, 10, 20, 40, 40, 50]), (["blackhat"], [40, 30, 30, 10, 0, 0]),
        ):
            self.assertEqual(self.samples(*args), samples, args)
        self.assertEqual(self.samples("dilate", name="alpha.png"), [20, 1, 30, 2, 30, 3])
        self.assertEqual(self.samples("dilate", "--alpha", "straight", name="alpha.png"), [20, 2, 30, 3, 30, 3])
        self.assertEqual(self.samples("median", "--size", "3x1", name="alpha.png"), [10, 1, 20, 2, 30, 3])

    def test_refused(self):
        self.write("wide.npy", b"\x93NUMPY\x01\0v\0" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }".ljust(117)
                   + b"\n" + bytes(8))
        for code, says, args in (
            (64, "median: size=256 outside 1..255", ["median", "--size", "256"]),
            (64, "median: size=0 outside 1..255", ["median", "--size", "3x0"]),
            (64, "rank: index is not given; give a whole number: 0 is the smallest sample of a window", ["rank"]),
            (64, "rank: index=9 for a window of 3x3; allowed: whole numbers -9..8", ["rank", "--index", "9"]),
            (64, "rank: index=-10 for a window of 3x3; allowed: whole numbers -9..8", ["rank", "--index", "-10"]),
            (64, "rank: index=0.5 for a window of 3x3", ["rank", "--index", "0.5"]),
            (64, "percentile: percent is not given; give a number 0..100", ["percentile"]),
            (64, "percentile: percent=101 outside 0..100", ["percentile", "--percent", "101"]),
            (64, "percentile: percent=nan is not a finite f64 number", ["percentile", "--percent", "nan"]),
            (64, "rank: border_value=256 for u8; allowed: whole numbers 0..255",
             ["rank", "--index", "0", "--border", "constant", "--border-value", "256"]),
            (64, "erode: border_value has 2 values for 1 channel; give one",
             ["erode", "--border", "constant", "--border-value", "1,2"]),
            (64, "erode: size=256 outside 1..255", ["erode", "--size", "256"]),
            (64, "dilate: iterations=0 outside 1..255", ["dilate", "--iterations", "0"]),
            (64, "dilate: iterations=256 outside 1..255", ["dilate", "--iterations", "256"]),
            (64, "opening: shape=disk; allowed: rect, cross or ellipse", ["opening", "--shape", "disk"]),
            (64, "closing: anchor=3,0 outside the mask; allowed: 0..2,0..2", ["closing", "--anchor", "3,0"]),
            (64, "closing: anchor has 1 value; give two: x,y", ["closing", "--anchor", "1"]),
            (64, "gradient: the mask of 2x1 is all 0, so the element is empty", ["gradient", "--mask", "0 0"]),
            (64, "tophat: mask: row 1, value 2: 'nan' is not a finite number", ["tophat", "--mask", "1 nan"]),
            (64, "tophat: size=3 cannot be used with a mask, which has its own size", ["tophat", "--mask", "1", "--size", "3"]),
            (64, "blackhat: shape=cross cannot be used with a mask, which has its own shape",
             ["blackhat", "--mask", "1", "--shape", "cross"]),
            (64, "erode: alpha=premultiplied has no meaning where samples are only compared",
             ["erode", "--alpha", "premultiplied"]),
            (66, "erode: nosuch: cannot be read", ["erode", "--mask", "@nosuch"]),
            (64, "label: capacity=-1 outside 0..4294967295", ["label", "--capacity", "-1"]),
            (64, "distance: squared=2 outside 0..1", ["distance", "--squared=2"]),
        ):
            self.bad(code, says, *args, "a.png", "out.npy")
        self.assertFalse(os.path.exists(self.path("out.npy")))
        for op in ("median", "erode", "label", "distance"):
            said = self.run_client(op, "wide.npy", "out.npy").stderr.decode()
            self.assertEqual(said, f"gpufilter-client: {op}: wide.npy: f64 read as f32, since {op} does not take it, "
                             "0 of 1 values rounded\n")
        self.bad(65, "canny: src is f64; allowed: u8, u16 or i16; expr expression=a dtype=u16 converts", "canny",
                 "wide.npy", "out.npy")

    def test_a_capacity_beyond_all_parts_is_all_there_can_be(self):
        self.assertEqual(self.good("label", "--capacity", "4294967295", "--areas", "areas.txt", "a.png", "out.npy").split(),
                         [b"count", b"1"])
        self.assertEqual(self.read("areas.txt"), b"6\n")


if __name__ == "__main__":
    unittest.main()
