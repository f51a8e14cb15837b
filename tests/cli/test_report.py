# SPDX-License-Identifier: MIT
"""How results are shown: tables, charts in a terminal, drawings, and the effect of a closed pipe."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest
import xml.etree.ElementTree as ElementTree

from support import CLIENT, TIMEOUT, DaemonCase, png, setUpModule, tearDownModule

# Three columns, two rows; the least and the greatest sample of each channel stand elsewhere.
RGB = bytes([5, 1, 9, 6, 2, 8, 4, 3, 7, 5, 9, 7, 7, 2, 7, 5, 2, 3])


class Tables(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("rgb.png", png(3, 2, 3, RGB))

    def rows(self, *args):
        """The words of each row of a table, by the row's first word."""
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


class OnTerminal(DaemonCase):
    def shown(self, *args, columns=80, locale="C.UTF-8"):
        """The lines that a terminal of this width gets."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        p = subprocess.Popen([CLIENT, *args, "--no-color"], stdout=slave, stderr=subprocess.PIPE, cwd=self.dir,
                             env={**self.env, "LC_ALL": locale})
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 65536):
                text += part
        except OSError:  # what Linux says at the end
            pass
        os.close(master)
        stderr = p.communicate(timeout=TIMEOUT)[1]
        self.assertEqual((p.returncode, stderr), (0, b""))
        return text.decode().splitlines()


class Charts(OnTerminal):
    def setUp(self):
        super().setUp()
        self.write("a.txt", b"0 " * 399 + b"1.5 2.5 2.5 2.5 4\n")

    def test_bars(self):
        lines = self.shown("histogram", "--bins", "4", "--in-dtype", "f32", "a.txt", "--last-closed")
        self.assertEqual(lines, ["             0 " + 50 * "█" + " 399", "             1 ▏ 1", "             2 ▍ 3",
                                 "             3 ▏ 1"])

    def test_bars_without_utf8(self):
        lines = self.shown("histogram", "--bins", "4", "--in-dtype", "f32", "a.txt", "--last-closed", locale="C")
        self.assertEqual(lines, ["             0 " + 50 * "#" + " 399", "             1 . 1", "             2 . 3",
                                 "             3 . 1"])
        self.assertEqual(self.shown("pipe", "a.txt", "histogram bins=4 last_closed=1", locale="POSIX")[1:], lines)

    def test_bars_of_narrow_terminals(self):
        lines = self.shown("histogram", "--bins", "4", "--in-dtype", "f32", "a.txt", columns=50)
        self.assertEqual(max(map(len, lines)), 14 + 1 + 20 + 1 + 3)
        self.assertIn(8 * "█" + " 399", self.shown("histogram", "--bins", "4", "a.txt", columns=10)[0])

    def labels(self, *args):
        return [line.split()[0] for line in self.shown("histogram", *args)]

    def test_labels_have_no_digits_that_say_nothing(self):
        self.write("rgb.png", png(3, 2, 3, RGB))
        labels = self.labels("--bins", "10", "--channels", "luma", "rgb.png")
        self.assertEqual(labels, "0 25.6 51.2 76.8 102.4 128 153.6 179.2 204.8 230.4".split())
        self.assertEqual(self.labels("--bins", "3", "--lo", "0", "--hi", "1", "a.txt"), ["0", "0.333", "0.667"])

    def test_labels_tell_bins_apart(self):
        labels = self.labels("--bins", "4", "--lo", "1000000000", "--hi", "1000000000.01", "a.txt")
        self.assertEqual(labels, ["1000000000", "1000000000.0025", "1000000000.005", "1000000000.0075"])

    def test_channels_are_counted_from_1(self):
        self.write("rgb.png", png(3, 2, 3, RGB))
        lines = self.shown("histogram", "--bins", "2", "rgb.png")
        self.assertEqual([line for line in lines if "channel" in line], ["channel 1", "channel 2", "channel 3"])

    def test_rows_of_several_bins(self):
        """Shares in bins of different width have a mean, cumulative counts their last one."""
        lines = self.shown("histogram", "--bins", "64", "--lo", "0", "--hi", "64", "--cumulative", "a.txt")
        self.assertEqual([line.split()[-1] for line in lines[:4]], ["400", "403", "404", "404"])
        lines = self.shown("histogram", "--bins", "64", "--lo", "0", "--hi", "64", "--density", "a.txt")
        for line, count in zip(lines, [400, 3, 1, 0]):
            self.assertAlmostEqual(float(line.split()[-1]), count / 404 / 2, 12)


SVG = "{http://www.w3.org/2000/svg}"


class Plots(DaemonCase):
    BINS = ["--bins", "4", "--lo", "0", "--hi", "8"]

    def setUp(self):
        super().setUp()
        self.write("rgb.png", png(3, 2, 3, RGB))
        self.write("a.txt", b"1 1 1 3 3 9 nan\n")

    def drawing(self, *args):
        self.good(*args, "-q", "--plot", "h.svg")
        return ElementTree.fromstring(self.read("h.svg").decode())

    def texts(self, root):
        """The positions of texts in a drawing, by the text: the start, the end or the middle."""
        return {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(SVG + "text")}

    def heights(self, path, top, bottom, full):
        """The value of each bin, read off the drawing."""
        steps = re.findall(r"V([\d.]+)H([\d.]+)", path.get("d"))
        return [(bottom - float(y)) / (bottom - top) * full for y, _ in steps]

    def test_axes_and_bars_have_the_values(self):
        root = self.drawing("histogram", *self.BINS, "a.txt")
        texts = self.texts(root)
        for words in ["Histogram of a.txt", "7x1x1 f64, 4 bins", "samples in a bin", "value",
                      "not drawn: 0 below, 1 above, 1 NaN"]:
            self.assertIn(words, texts)
        ticks = {int(t): texts[t] for t in texts if t.isdigit()}
        x_ticks = {v: x for v, (x, y) in ticks.items() if y == texts["8"][1]}
        self.assertEqual(sorted(x_ticks), list(range(9)))
        (path,) = root.iter(SVG + "path")
        base = float(re.match(r"M([\d.]+) ([\d.]+)", path.get("d"))[2])
        ends = [float(x) for x in re.findall(r"H([\d.]+)", path.get("d"))]
        for x, edge in zip(ends, [2, 4, 6, 8]):
            self.assertAlmostEqual(x, x_ticks[edge], 1)
        lines = sorted(float(r.get("y")) for r in root.iter(SVG + "rect") if r.get("fill") == "#e0e0e0")
        got = self.heights(path, lines[0], base, 3)
        for height, count in zip(got, [3, 2, 0, 0]):
            self.assertAlmostEqual(height, count, 2)

    def test_each_channel_has_a_colour_and_a_name(self):
        root = self.drawing("histogram", *self.BINS, "rgb.png")
        colours = [p.get("stroke") for p in root.iter(SVG + "path")]
        self.assertEqual(len(set(colours)), 3)
        swatches = [r.get("fill") for r in root.iter(SVG + "rect") if r.get("width") == "14.00"]
        self.assertEqual(swatches[::-1], colours)
        self.assertEqual([t for t in self.texts(root) if "channel" in t], ["channel 3", "channel 2", "channel 1"])

    def test_small_bins_can_be_seen(self):
        self.write("many.txt", b"0 " * 100000 + b"1\n")
        root = self.drawing("histogram", "--bins", "2", "--lo", "0", "--hi", "2", "many.txt")
        (path,) = root.iter(SVG + "path")
        base = float(re.match(r"M([\d.]+) ([\d.]+)", path.get("d"))[2])
        self.assertEqual(base - float(re.findall(r"V([\d.]+)H", path.get("d"))[1]), 2)
        self.assertIn("100k", self.texts(root))

    def test_many_bins_are_as_high_as_the_highest(self):
        root = self.drawing("histogram", "--bins", "100000", "--lo", "0", "--hi", "100000", "a.txt")
        (path,) = root.iter(SVG + "path")
        base = float(re.match(r"M([\d.]+) ([\d.]+)", path.get("d"))[2])
        ys = [float(y) for y in re.findall(r"V([\d.]+)H", path.get("d"))]
        self.assertLessEqual(len(ys), 960)
        self.assertEqual([y < base for y in ys], [True] + (len(ys) - 1) * [False])
        self.assertEqual(path.get("stroke-width"), "0")

    def test_texts_stay_inside_and_apart(self):
        self.write("wide.txt", b"-12345678.5 0 98765432.25\n")
        self.write("far.txt", b"1000000000.01 1000000000.02 1000000000.03\n")
        self.write("one.txt", b"76.8 76.8\n")
        for name in ["wide.txt", "far.txt", "one.txt", "rgb.png"]:
            root = self.drawing("histogram", "--bins", "9", name)
            lines = {}
            for t in root.iter(SVG + "text"):
                width = len(t.text) * (18 if t.get("font-weight") else 12)
                x = float(t.get("x")) - {"start": 0, "middle": width / 2, "end": width}[t.get("text-anchor")]
                self.assertTrue(0 <= x and x + width <= 960, (name, t.text, x, width))
                self.assertTrue(14 <= float(t.get("y")) <= 536)
                lines.setdefault(t.get("y"), []).append((x, x + width, t.text))
            for line in lines.values():
                line.sort()
                for a, b in zip(line, line[1:]):
                    self.assertLessEqual(a[1], b[0], (name, a, b))

    def test_names_are_text(self):
        name = "<&\"é\x01 a name that is longer than the title of any drawing.txt"
        self.write(name, b"1 2 3\n")
        texts = self.texts(self.drawing("histogram", *self.BINS, name))
        title = [t for t in texts if t.startswith("Histogram of ")][0]
        self.assertEqual(title, 'Histogram of <&"é? a name ...y drawing.txt')
        self.good("pipe", "-", "map offset=0 | " + "histogram bins=2 lo=0 hi=8", "--in-dtype", "f32", "-q", "--plot",
                  "h.svg", stdin=b"1 2\n")
        self.assertIn(b"Histogram of standard input, step 2<", self.read("h.svg"))

    def test_what_is_counted_is_named(self):
        for options, words in [(["--density"], "share of samples per unit of value"),
                               (["--cumulative"], "samples below the upper edge of a bin"),
                               (["--density", "--cumulative"], "share of samples below the upper edge of a bin")]:
            self.assertIn(words, self.texts(self.drawing("histogram", *self.BINS, *options, "rgb.png")))
        self.assertIn("brightness", self.texts(self.drawing("histogram", *self.BINS, "--channels", "luma", "rgb.png")))

    def pixels(self, name):
        """Rows of a PNG as the codec reads it."""
        self.good("copy", name, "p.raw")
        data = self.read("p.raw")
        self.assertEqual(len(data), 960 * 540 * 3)
        return [data[y * 2880:(y + 1) * 2880] for y in range(540)]

    def test_png_shows_the_same(self):
        self.good("histogram", *self.BINS, "a.txt", "-q", "--plot", "h.png")
        rows = self.pixels("h.png")
        self.assertEqual(rows[0], b"\xff" * 2880)

        def column(x):
            return sum(row[3 * x:3 * x + 3] not in (b"\xff\xff\xff", b"\xe0\xe0\xe0") for row in rows[114:480])

        # the middle of each bin, between the margins of 36 and 32 pixels; a base line of a pixel, an outline of two
        for bin, count in enumerate([3, 2, 0, 0]):
            x = 36 + (960 - 32 - 36) * (2 * bin + 1) // 8
            self.assertAlmostEqual(column(x), 366 * count / 3, delta=2)
        title = b"".join(row[32 * 3:200 * 3] for row in rows[10:40])
        self.assertGreater(title.count(b"\x20\x20\x20"), 500)

    def test_nothing_to_draw(self):
        self.write("nan.txt", b"nan nan\n")
        root = self.drawing("histogram", "--bins", "2", "--lo", "0", "--hi", "1", "--density", "nan.txt")
        (path,) = root.iter(SVG + "path")
        self.assertEqual(len(set(re.findall(r"V([\d.]+)", path.get("d")))), 1)
        self.assertIn("not drawn: 0 below, 0 above, 2 NaN", self.texts(root))

    def test_what_cannot_be_written(self):
        self.bad(64, "h.gif: a histogram can be drawn only as .svg or .png", "histogram", "rgb.png", "-q", "--plot", "h.gif")
        for name in ["nosuch/h.svg", "nosuch/h.png"]:
            self.bad(73, "No such file or directory", "histogram", "rgb.png", "-q", "--plot", name)


class ClosedPipes(DaemonCase):
    def ended(self, *args, ignored=False):
        """The status and standard error of a command whose standard output is a closed pipe."""
        out, closed = os.pipe()[::-1]
        os.close(closed)
        r = self.run_client(*args, stdout=out, restore_signals=not ignored)
        os.close(out)
        return r.returncode, r.stderr

    def test_silence(self):
        self.write("rgb.png", png(3, 2, 3, RGB))
        self.write("b.png", png(3, 2, 3, RGB))
        for args in [["ops"], ["--help"], ["blur", "--help"], ["devices"], ["metrics"], ["metrics", "--prometheus"],
                     ["top"], ["histogram", "rgb.png"], ["stats", "rgb.png", "--json"], ["stats", "rgb.png", "b.png"],
                     ["pipe", "rgb.png", "stats"], ["blur", "rgb.png", "-", "--format", "png"]]:
            for ignored in [False, True]:  # as a service, or a shell under nohup, has it
                self.assertEqual(self.ended(*args, ignored=ignored), (-signal.SIGPIPE, b""), args)


if __name__ == "__main__":
    unittest.main()
