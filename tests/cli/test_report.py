# SPDX-License-Identifier: MIT
"""How results are shown: tables, charts in a terminal, drawings, and what a closed pipe does."""
import json
import unittest

from support import DaemonCase, png, setUpModule, tearDownModule

# Three columns, two rows; the least and the greatest sample of each channel stand elsewhere.
RGB = bytes([5, 1, 9, 6, 2, 8, 4, 3, 7, 5, 9, 7, 7, 2, 7, 5, 2, 3])


class Tables(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("rgb.png", png(3, 2, 3, RGB))

    def rows(self, *args):
        """The words of a table after the first, by the first."""
        return {line.split()[0]: line.split()[1:] for line in self.good(*args).decode().splitlines()}

    def test_channels_are_counted_as_copy_does(self):
        rows = self.rows("stats", "rgb.png")
        self.assertEqual(rows["channel"], ["1", "2", "3"])
        for i, channel in enumerate(rows["channel"]):
            self.good("copy", "--channel", channel, "rgb.png", "one.npy")
            self.assertEqual(self.rows("stats", "one.npy")["sum"], [rows["sum"][i]])
        self.assertEqual(self.rows("compare", "rgb.png", "rgb.png")["channel"], ["1", "2", "3", "all"])
        lines = self.good("histogram", "--bins", "2", "rgb.png").decode().splitlines()
        self.assertEqual([line.split()[:2] for line in lines[:3]], [["counts", "1:"], ["counts", "2:"], ["counts", "3:"]])

    def test_places_in_a_picture_are_x_and_y(self):
        rows = self.rows("stats", "rgb.png")
        self.assertEqual((rows["argmin"], rows["argmax"]), (["2,0", "0,0", "2,1"], ["1,1", "0,1", "0,0"]))
        self.assertEqual(self.rows("pipe", "rgb.png", "stats")["argmax"], rows["argmax"])
        channels = json.loads(self.good("stats", "rgb.png", "--json"))["channels"]
        self.assertEqual([c["argmin"] for c in channels], [2, 0, 5])
        self.assertEqual([c["argmin_xy"] for c in channels], [[2, 0], [0, 0], [2, 1]])
        self.assertEqual([c["argmax_xy"] for c in channels], [[1, 1], [0, 1], [0, 0]])
        taps = json.loads(self.good("pipe", "rgb.png", "stats", "--json"))["taps"]
        self.assertEqual([c["argmax_xy"] for c in taps[0]["channels"]], [[1, 1], [0, 1], [0, 0]])

    def test_places_in_a_session_are_x_and_y(self):
        self.write("s.txt", b"load a rgb.png\nstats a\n")
        lines = self.good("session", "s.txt").decode().splitlines()
        self.assertIn(["argmax", "1,1", "0,1", "0,0"], [line.split() for line in lines])

    def test_places_in_one_row_are_indices(self):
        self.write("row.txt", b"4 76.8 1 2\n")
        rows = self.rows("stats", "--in-dtype", "f32", "row.txt")
        self.assertEqual((rows["argmin"], rows["argmax"]), (["2"], ["1"]))
        channel = json.loads(self.good("stats", "--in-dtype", "f32", "row.txt", "--json"))["channels"][0]
        self.assertEqual((channel["argmax"], channel["argmax_xy"]), (1, [1, 0]))

    def test_no_place_where_there_is_no_number(self):
        self.write("nan.txt", b"nan nan\nnan nan\n")
        options = ["--nan", "omit", "--in-dtype", "f32"]
        self.assertEqual(self.rows("stats", *options, "nan.txt")["argmin"], ["none"])
        channel = json.loads(self.good("stats", *options, "nan.txt", "--json"))["channels"][0]
        self.assertEqual((channel["argmin"], channel["argmin_xy"]), (2**64 - 1, []))

    def test_numbers_are_the_shortest_of_their_type(self):
        self.write("row.txt", b"76.8\n")
        for dtype, l1 in [("f64", "76.8"), ("f32", "76.80000305175781")]:  # l1 is an f64 whatever the input is
            rows = self.rows("stats", "--in-dtype", dtype, "row.txt")
            self.assertEqual((rows["min"], rows["max"], rows["l1"]), (["76.8"], ["76.8"], [l1]))


if __name__ == "__main__":
    unittest.main()
