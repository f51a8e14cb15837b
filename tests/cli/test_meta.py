# SPDX-License-Identifier: MIT
"""What files say beside their samples: kept by every command that writes a picture, save for what shows the old one."""
import struct
import unittest

from support import GREY, DaemonCase, png, png_chunk, setUpModule, tearDownModule

GAMMA = png_chunk(b"gAMA", struct.pack(">I", 45455))
SIZE = png_chunk(b"pHYs", struct.pack(">IIB", 11811, 11811, 1))
# A directory of one entry, orientation 6; behind it what a camera would put there.
TIFF = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x112, 3, 1, 6, 0, 0)
TURNED = png_chunk(b"eXIf", TIFF)
PRIVATE = png_chunk(b"eXIf", TIFF + b"a thumbnail")
TEXT = png_chunk(b"tEXt", b"Comment\0a place")


class Meta(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY, more=GAMMA + SIZE + PRIVATE + TEXT))
        self.write("plain.png", png(3, 2, 1, GREY))

    def check(self, name):
        data = self.read(name)
        for chunk in (GAMMA, SIZE, TURNED):
            self.assertEqual(data.count(chunk), 1)
        self.assertNotIn(b"thumbnail", data)
        self.assertNotIn(b"place", data)

    def test_an_operation_keeps_it(self):
        self.good("blur", "in.png", "out.png")
        self.check("out.png")

    def test_a_pipe_keeps_that_of_its_first_file(self):
        self.good("pipe", "in.png", "gaussian | combine other=@plain.png mode=max", "-o", "out.png", "-o", "1:one.png")
        self.check("out.png")
        self.check("one.png")
        self.good("pipe", "plain.png", "gaussian | combine other=@in.png mode=max", "-o", "out.png")
        self.assertNotIn(b"gAMA", self.read("out.png"))

    def test_a_session_keeps_that_of_the_file_it_began_with(self):
        script = b"load a in.png; load p plain.png; b = gaussian a; c = combine b other=p mode=max; d = map p\n"
        self.good("session", "-", stdin=script + b"free a; save b b.png; save c c.png; save d d.png")
        self.check("b.png")
        self.check("c.png")
        self.assertNotIn(b"gAMA", self.read("d.png"))

    def test_a_file_may_be_filtered_in_place(self):
        self.good("blur", "in.png", "in.png")
        self.check("in.png")


if __name__ == "__main__":
    unittest.main()
