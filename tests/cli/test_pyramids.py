# SPDX-License-Identifier: MIT
"""gpufilter-client pyramid: levels down and up, each in one request, and refusals."""
import struct
import unittest

from support import DaemonCase, png, png_chunk, setUpModule, tearDownModule

TURNED = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
STEPS = bytes([0, 0, 0, 0, 255, 255, 255, 255])


class Pyramids(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("a.png", png(8, 1, 1, STEPS))

    def rows(self, name="out.txt"):
        return [[int(v) for v in line.split()] for line in self.read(name).decode().splitlines()]

    def test_levels(self):
        for args, row in (((), [0, 16, 175, 255]), (("--border", "wrap"), [80, 16, 175, 239]), (("--level", "2"), [30, 144]),
                          (("--level", "3"), [87]), (("--level", "16"), [87])):
            self.good("pyramid", *args, "a.png", "out.txt")
            self.assertEqual(self.rows(), [row], args)
        self.write("b.png", png(2, 1, 1, bytes([0, 80])))
        self.good("pyramid", "--direction", "up", "b.png", "out.txt")
        self.assertEqual(self.rows(), [[20, 40, 70, 80]] * 2)

    def test_each_level_of_one_request(self):
        self.good("pipe", "a.png", "pyramid | pyramid | pyramid", "-o", "1:half.txt", "-o", "2:quarter.txt", "-o",
                  "3:eighth.txt")
        for level, name in enumerate(("half.txt", "quarter.txt", "eighth.txt"), 1):
            self.good("pyramid", "--level", str(level), "a.png", "out.txt")
            self.assertEqual(self.rows(name), self.rows())

    def test_samples_are_taken_as_they_are_seen(self):
        self.write("turned.png", png(8, 1, 1, STEPS, more=png_chunk(b"eXIf", TURNED)))
        self.good("pyramid", "turned.png", "out.txt")
        self.assertEqual(self.rows(), [[0], [16], [175], [255]])

    def test_what_is_refused(self):
        for says, args in (
            ("pyramid: border=constant; allowed: replicate, wrap, reflect and reflect101; pad adds a constant margin",
             ["--border", "constant"]),
            ("pyramid: border=wrap cannot be used with direction=up; leave it out for reflect101",
             ["--border", "wrap", "--direction", "up"]),
            ("pyramid: level=17 outside 1..16", ["--level", "17"]),
        ):
            self.bad(64, says, "pyramid", *args, "a.png", "out.png")


if __name__ == "__main__":
    unittest.main()
