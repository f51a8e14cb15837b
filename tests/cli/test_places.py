# SPDX-License-Identifier: MIT
"""gpufilter-client: crop, pad, flip, rotate and transpose, on pictures as viewers show them, and refusals."""
import os
import struct
import unittest

from support import GREY, DaemonCase, png, png_chunk, setUpModule, tearDownModule

# GREY is 3 x 2: 10 20 30 over 40 50 60. With EXIF orientation 6 viewers show 40 10 over 50 20 over 60 30.
TIFF = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)


class Places(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(3, 2, 1, GREY))
        self.write("turned.png", png(3, 2, 1, GREY, more=png_chunk(b"eXIf", TIFF)))

    def rows(self, *args):
        self.good(*args, "out.txt")
        return [[int(v) for v in line.split()] for line in self.read("out.txt").decode().splitlines()]

    def test_pixels_go_where_they_should(self):
        for args, rows in (
            (["crop", "--size", "2x1", "--at", "1,1"], [[50, 60]]),
            (["crop", "--at", "2,0"], [[30], [60]]),
            (["pad", "--margin", "1,0,2,1", "--border-value", "7"],
             [[7, 10, 20, 30, 7, 7], [7, 40, 50, 60, 7, 7], [7] * 6]),
            (["pad", "--margin", "2,0", "--border", "reflect101"], [[30, 20, 10, 20, 30, 20, 10],
                                                                    [60, 50, 40, 50, 60, 50, 40]]),
            (["flip"], [[30, 20, 10], [60, 50, 40]]),
            (["flip", "--axis", "y"], [[40, 50, 60], [10, 20, 30]]),
            (["flip", "--axis", "both"], [[60, 50, 40], [30, 20, 10]]),
            (["rotate"], [[40, 10], [50, 20], [60, 30]]),
            (["rotate", "--angle", "180"], [[60, 50, 40], [30, 20, 10]]),
            (["rotate", "--angle", "270"], [[30, 60], [20, 50], [10, 40]]),
            (["transpose"], [[10, 40], [20, 50], [30, 60]]),
            (["transpose", "--diagonal", "anti"], [[60, 30], [50, 20], [40, 10]]),
        ):
            self.assertEqual(self.rows(*args, "a.png"), rows, args)

    def test_left_and_right_are_those_that_are_seen(self):
        self.assertEqual(self.rows("flip", "turned.png"), [[10, 40], [20, 50], [30, 60]])
        self.assertEqual(self.rows("crop", "--size", "2x1", "--at", "0,2", "turned.png"), [[60, 30]])
        self.assertEqual(self.rows("pipe", "turned.png", "map offset=1 | flip axis=y", "-o"),
                         [[61, 31], [51, 21], [41, 11]])
        self.good("rotate", "turned.png", "out.png")
        self.assertIn(b"out.png: png 3x2x1:u8, EXIF orientation 1", self.good("info", "out.png"))
        self.assertEqual(self.rows("copy", "out.png"), [[60, 50, 40], [30, 20, 10]])

    def test_a_session_has_them_as_they_are_stored_and_says_so(self):
        self.bad(65, "flip: the picture lies as it is stored, while viewers rotate it (EXIF orientation 6); load one that "
                     "is rotated, as gpufilter-client crop IN OUT writes it", "session", "-",
                 stdin=b"load a turned.png; b = map a | flip; save b out.png")
        self.good("crop", "turned.png", "up.png")
        self.good("session", "-", stdin=b"load a up.png; b = flip a; save b out.txt")
        self.assertEqual(self.read("out.txt"), b"10 40\n20 50\n30 60\n")
        self.good("session", "-", stdin=b"load a a.png; b = flip a; save b out.txt")
        self.assertEqual(self.read("out.txt"), b"30 20 10\n60 50 40\n")

    def test_bad_windows_margins_and_angles_are_refused(self):
        for says, args in (
            ("crop: size=4x2 at=0,0 goes beyond the picture of 3x2; at most 3x2 fit there; pad adds a margin",
             ["crop", "--size", "4x2"]),
            ("crop: at=3,0 lies outside the picture of 3x2; allowed: 0..2,0..1", ["crop", "--at", "3,0"]),
            ("crop: size=0 outside 1..4294967294", ["crop", "--size", "0x1"]),
            ("pad: margin is not given; give one number, x,y or left,top,right,bottom", ["pad"]),
            ("pad: margin has 3 values; give one number, x,y or left,top,right,bottom", ["pad", "--margin", "1,2,3"]),
            ("pad: border_value=256 for u8; allowed: whole numbers 0..255",
             ["pad", "--margin", "1", "--border-value", "256"]),
            ("pad: border_value has 3 values for 1 channel; give one",
             ["pad", "--margin", "1", "--border-value", "1,2,3"]),
            ("rotate: angle=45; allowed: 90, 180 or 270", ["rotate", "--angle", "45"]),
            ("rotate: angle=-90; allowed: 90, 180 or 270\n", ["rotate", "--angle", "-90"]),  # not 90
            ("flip: axis=z; allowed: x, y or both", ["flip", "--axis", "z"]),
        ):
            self.bad(64, says, *args, "a.png", "out.png")
            self.assertFalse(os.path.exists(self.path("out.png")))

    def test_values_before_the_files_get_a_hint(self):
        for says, args in (
            ('"90" is not a file; did you mean --angle 90?', ["rotate", "90"]),
            ('"x" is not a file; did you mean --axis x?', ["flip", "x"]),
            ('"2x1" is not a file; did you mean --size 2x1?', ["crop", "2x1"]),
            ('"2x1+1+0" is not a file; did you mean --size 2x1 --at 1,0?', ["crop", "2x1+1+0"]),
            ('"5" is not a file; did you mean --sigma 5?', ["gaussian", "5"]),
        ):
            self.bad(64, says, *args, "a.png", "out.png")

    def test_words_of_other_tools_name_the_operation(self):
        for word, says in (("mirror", "flip axis=x swaps left and right, axis=y top and bottom"),
                           ("flop", "flip axis=x swaps left and right"),
                           ("embed", "use pad margin=10,20,30,40: left, top, right, bottom"),
                           ("rot90", "rotate angle=90 turns clockwise, angle=270 counter-clockwise")):
            self.bad(64, "unknown command %s; %s" % (word, says), word, "a.png", "out.png")


if __name__ == "__main__":
    unittest.main()
