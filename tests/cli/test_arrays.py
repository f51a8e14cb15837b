# SPDX-License-Identifier: MIT
"""gpufilter-client with arrays: .npy, raw and text in and out, files that lie, pipes."""
import json
import os
import random
import struct
import unittest

from support import GREY, GREY_SHAPE, DaemonCase, png, setUpModule, tearDownModule


def npy(descr, shape, data, version=1, order="False"):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    head += " " * (63 - (len(head) + (10 if version == 1 else 12)) % 64) + "\n"
    length = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + length + head.encode() + data


class Flags(DaemonCase):
    """Parameters that are yes or no."""

    def scanned(self, *args):
        self.write("in.txt", b"1 2 3\n")
        self.good("scan", *args, "in.txt", "out.txt", "--in-dtype", "u32")
        return self.read("out.txt").split()

    def test_the_last_one_wins(self):
        self.assertEqual(self.scanned(), [b"1", b"3", b"6"])
        self.assertEqual(self.scanned("--exclusive"), [b"0", b"1", b"3"])
        self.assertEqual(self.scanned("--reverse", "--exclusive=1"), [b"5", b"3", b"0"])
        self.assertEqual(self.scanned("--exclusive", "--no-exclusive"), [b"1", b"3", b"6"])
        self.assertEqual(self.scanned("--exclusive=1", "--exclusive=0"), [b"1", b"3", b"6"])


class Lists(DaemonCase):
    """select: rows that are filled up to a count."""

    def setUp(self):
        super().setUp()
        self.write("in.npy", npy("<f4", "(6,)", struct.pack("<6f", 0.5, -3, float("nan"), 1, 7, 0)))

    def test_values_and_indices_are_cut_to_the_count(self):
        text = self.good("select", "in.npy", "out.npy", "--lo", "0", "--hi", "1", "--indices", "i.npy")
        self.assertEqual(text.split(), [b"count", b"3"])
        self.assertEqual(self.read("out.npy"), npy("<f4", "(3,)", struct.pack("<3f", 0.5, 1, 0)))
        self.assertEqual(self.read("i.npy"), npy("<u8", "(3,)", struct.pack("<3Q", 0, 3, 5)))

    def test_a_count_needs_no_file(self):
        self.assertEqual(self.good("select", "in.npy", "--lo=2").split(), [b"count", b"1"])
        self.good("select", "in.npy", "--indices", "i.txt", "--quiet")
        self.assertEqual(self.read("i.txt"), b"0 1 3 4 5\n")

    def test_nothing_is_an_empty_array(self):
        self.good("select", "in.npy", "out.npy", "--lo", "100", "--indices", "i.raw")
        self.assertEqual(self.read("out.npy"), npy("<f4", "(0,)", b""))
        self.assertEqual(self.read("i.raw"), b"")

    def test_what_does_not_fit_is_said(self):
        done = self.run_client("select", "in.npy", "out.raw", "--capacity", "2")
        self.assertIn(b"5 in channel 1, of which the first 2 are written", done.stderr)
        self.assertEqual((done.returncode, done.stdout.split()), (0, [b"count", b"5"]))
        self.assertEqual(self.read("out.raw"), struct.pack("<2f", 0.5, -3))

    def test_channels_are_as_long_as_the_longest(self):
        self.write("in.npy", npy("|u1", "(1, 3, 2)", bytes([1, 9, 2, 1, 3, 9])))
        self.assertEqual(self.good("select", "in.npy", "o.npy", "--hi", "3").split(), b"channel 1 2 count 3 1".split())
        self.assertEqual(self.read("o.npy"), npy("|u1", "(2, 3)", bytes([1, 2, 3, 1, 0, 0])))

    def test_json(self):
        text = self.good("select", "in.npy", "o.npy", "--lo", "0", "--indices", "i.npy", "--json")
        answer = json.loads(text)
        self.assertEqual(answer["channels"], [{"count": 4}])
        self.assertEqual((answer["output"]["width"], answer["output"]["dtype"]), (4, "f32"))
        self.assertEqual((answer["indices"]["width"], answer["indices"]["dtype"]), (4, "u64"))

    def test_in_a_pipe_the_values_go_on(self):
        text = self.good("pipe", "in.npy", "select lo=0 | reduce op=sum nan=omit", "-o", "1:o.npy", "--json")
        answer = json.loads(text)
        self.assertEqual(answer["taps"][0]["channels"], [{"count": 4}])
        self.assertEqual(answer["taps"][1]["values"], [8.5])
        self.assertEqual(self.read("o.npy"), npy("<f4", "(4,)", struct.pack("<4f", 0.5, 1, 7, 0)))

    def test_refusals(self):
        self.bad(64, "lo=1 is above hi=0", "select", "in.npy", "o.npy", "--lo", "1", "--hi", "0")
        self.bad(65, "i.png: png holds u8 or u16", "select", "in.npy", "--indices", "i.png")
        self.bad(64, "name a file", "select", "in.npy", "-", "--indices", "-", "--format", "npy")


class Parts(DaemonCase):
    """label: a picture of labels, and a table of components."""

    def setUp(self):
        super().setUp()
        self.write("in.raw", bytes([1, 0, 7, 0, 9, 0, 255, 255, 0]))

    def label(self, *args):
        return self.good("label", "--raw", "3x3x1:u8", "in.raw", *args)

    def test_numbers_and_count(self):
        self.assertEqual(self.label("out.raw").split(), [b"count", b"3"])
        self.assertEqual(struct.unpack("<9I", self.read("out.raw")), (1, 0, 2, 0, 3, 0, 3, 3, 0))
        self.assertEqual(self.label("out.raw", "--connectivity", "8").split(), [b"count", b"1"])
        self.assertEqual(self.label("--connectivity", "8").split(), [b"count", b"1"])  # no OUT: only the count
        self.assertEqual(struct.unpack("<9I", self.read("out.raw")), (1, 0, 1, 0, 1, 0, 1, 1, 0))

    def test_areas_and_boxes(self):
        text = self.label("out.raw", "--areas", "a.raw", "--boxes", "b.raw", "--json")
        self.assertEqual(struct.unpack("<3I", self.read("a.raw")), (1, 1, 3))
        self.assertEqual(struct.unpack("<12I", self.read("b.raw")), (0, 0, 1, 1, 2, 0, 1, 1, 0, 1, 2, 2))
        made = json.loads(text)
        self.assertEqual((made["boxes"]["width"], made["boxes"]["channels"], made["output"]["width"]), (3, 4, 3))
        self.good("pipe", "in.raw", "label", "--raw", "3x3x1:u8", "-o", "out.raw", "-o", "1.areas:a.raw")
        self.assertEqual(struct.unpack("<3I", self.read("a.raw")), (1, 1, 3))

    def test_more_than_there_is_room_for(self):
        done = self.run_client("label", "--raw", "3x3x1:u8", "in.raw", "out.raw", "--areas", "a.raw", "--capacity", "2")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"label: 3 in channel 1, of which the first 2 are written", done.stderr)
        self.assertEqual(struct.unpack("<2I", self.read("a.raw")), (1, 1))
        self.label("out.raw", "--capacity", "2")  # without a table, no row can be missing

    def test_refused(self):
        self.bad(65, "label: src has 3 channels; allowed: 1; gray, threshold or copy channel=1 makes one", "label", "--raw",
                 "1x3x3:u8", "in.raw", "out.raw")
        self.bad(65, "out.png: png holds u8 or u16 with 1 to 4 channels, but the picture is u32 with 1 channel", "label",
                 "--raw", "3x3x1:u8", "in.raw", "out.png")
        self.bad(64, "connectivity=6", "label", "--raw", "3x3x1:u8", "--connectivity", "6", "in.raw", "out.raw")
        self.assertFalse(os.path.exists(self.path("out.raw")))


class Edges(DaemonCase):
    """canny: the edges of a step whose height decreases from row to row."""

    def setUp(self):
        super().setUp()
        self.write("in.raw", bytes([0, 0, 0, 255, 255, 255, 0, 0, 0, 250, 250, 250, 0, 0, 0, 245, 245, 245]))

    def canny(self, *args):
        self.good("canny", "--raw", "6x3x1:u8", "in.raw", "out.raw", *args)
        return list(self.read("out.raw"))

    def test_thresholds(self):
        edge = [0, 0, 0, 255, 0, 0]  # magnitudes of 1030, 1030 and 1000
        self.assertEqual(self.canny(), edge * 3)
        self.assertEqual(self.canny("--low", "999.5", "--high", "1029"), edge * 3)  # the last row is connected
        self.assertEqual(self.canny("--low", "1000", "--high", "1029"), edge * 2 + [0] * 6)
        self.assertEqual(self.canny("--low", "0", "--high", "1030"), [0] * 18)
        self.assertEqual(self.canny("--high", "1e9", "--l2"), [0] * 18)

    def test_one_channel_of_many(self):
        self.good("canny", "--raw", "3x2x3:u8", "in.raw", "out.png")
        self.assertIn(b"3x2x1", self.good("info", "out.png"))

    def test_refused(self):
        self.bad(64, "canny: low=2 is above high=1", "canny", "--raw", "6x3x1:u8", "in.raw", "o.raw", "--low", "2", "--high", "1")
        self.bad(64, "aperture=4", "canny", "--raw", "6x3x1:u8", "in.raw", "o.raw", "--aperture", "4")
        self.write("f.raw", bytes(16))
        self.bad(65, "canny: src is f32; allowed: u8, u16", "canny", "--raw", "2x2x1:f32", "f.raw", "o.raw")


class Places(DaemonCase):
    """match: the positions of a template in a picture."""

    def setUp(self):
        super().setUp()
        rng = random.Random(3)
        self.picture = bytes(rng.randrange(256) for _ in range(40 * 30))
        self.write("in.npy", npy("|u1", "(30, 40)", self.picture))
        part = b"".join(self.picture[40 * (11 + y) + 23:][:6] for y in range(5))
        self.write("part.npy", npy("|u1", "(5, 6)", part))

    def test_where_it_is(self):
        text = self.good("match", "in.npy", "part.npy", "--threshold", "0.9").decode()
        self.assertEqual([line.split() for line in text.splitlines()], [["23,11", "1"], ["count", "1"]])
        text = self.good("match", "in.npy", "part.npy", "--method", "sqdiff").decode()
        self.assertEqual(text.splitlines()[0].split(), ["23,11", "0"])
        made = json.loads(self.good("match", "in.npy", "part.npy", "--peaks", "3", "--json"))
        self.assertEqual(made["found"][0], {"x": 23, "y": 11, "score": 1})
        scores = [place["score"] for place in made["found"]]
        self.assertEqual((len(scores), scores), (3, sorted(scores, reverse=True)))
        self.assertGreater(made["channels"][0]["count"], 3)

    def test_scores(self):
        self.good("match", "in.npy", "part.npy", "out.npy", "--quiet")
        data = self.read("out.npy")
        self.assertIn(b"'shape': (26, 35)", data)
        scores = struct.unpack("<910f", data[-4 * 910:])
        self.assertEqual((max(scores), scores.index(1.0)), (1.0, 11 * 35 + 23))

    def test_nothing_is_found(self):
        self.write("flat.npy", npy("|u1", "(2, 3)", bytes(6)))
        text = self.good("match", "in.npy", "flat.npy", "--threshold", "0.1").decode()
        self.assertEqual(text.split(), ["count", "0"])

    def test_refused(self):
        self.bad(65, "match: templ is 40x30, larger than src with 6x5; it must fit inside", "match", "part.npy", "in.npy")
        self.bad(64, "peaks=5000", "match", "in.npy", "part.npy", "--peaks", "5000")
        self.bad(64, "IN2", "match", "in.npy")


class Files(DaemonCase):
    def identity(self, given, out):
        self.good("box", "--size", "1", given, out)
        return self.read(out)

    def test_npy_comes_back_as_it_was(self):
        for descr, shape, data in (
            ("|u1", "(2, 3)", GREY),
            ("<u2", "(2, 3)", struct.pack("<6H", *GREY)),
            ("<f4", "(6,)", struct.pack("<6f", *GREY)),
            ("<f4", "(1, 2, 3)", struct.pack("<6f", *GREY)),
        ):
            whole = npy(descr, shape, data)
            self.write("in.npy", whole)
            self.assertEqual(self.identity("in.npy", "out.npy"), whole)

    def test_sides_of_1_stay(self):
        for shape, size in (("(6,)", 6), ("(1, 6)", 6), ("(6, 1)", 6), ("(1, 1)", 1), ("(2, 3, 1)", 6), ("(1, 6, 1)", 6)):
            whole = npy("|u1", shape, GREY[:size])
            self.write("in.npy", whole)
            self.assertEqual(self.identity("in.npy", "out.npy"), whole, shape)
            self.good("pipe", "in.npy", "map | box size=1", "-o", "out.npy", "-o", "1:one.npy")
            self.assertEqual((self.read("out.npy"), self.read("one.npy")), (whole, whole), shape)
            self.good("session", "-", stdin=b"load a in.npy; b = map a; save b out.npy")
            self.assertEqual(self.read("out.npy"), whole, shape)
        self.write("in.npy", npy("|u1", "(1, 6)", GREY))
        self.good("scan", "in.npy", "out.npy")
        self.assertEqual(self.read("out.npy"), npy("<u8", "(1, 6)", struct.pack("<6Q", 10, 30, 60, 100, 150, 210)))
        self.write("in.npy", npy("|i1", "(1, 6)", GREY))
        self.write("k.npy", npy("|i1", "(6, 1)", bytes(6)))
        self.good("matmul", "in.npy", "k.npy", "out.npy")
        self.assertEqual(self.read("out.npy"), npy("<i8", "(1, 1)", bytes(8)))

    def test_sides_of_pictures_and_lists(self):
        self.write("in.png", png(6, 1, 1, GREY))
        self.assertEqual(self.identity("in.png", "out.npy"), npy("|u1", "(1, 6)", GREY))
        self.write("in.ppm", b"P6 2 1 255\n" + GREY)
        self.good("copy", "--channel", "1", "in.ppm", "out.npy")
        self.assertEqual(self.read("out.npy"), npy("|u1", "(1, 2)", bytes([10, 40])))
        self.write("in.npy", npy("|u1", "(1, 6, 1)", GREY))
        self.good("select", "in.npy", "out.npy", "--lo", "50", "--quiet")
        self.assertEqual(self.read("out.npy"), npy("|u1", "(2,)", bytes([50, 60])))
        self.good("pipe", "in.npy", "select lo=50", "-o", "out.npy", "--quiet")
        self.assertEqual(self.read("out.npy"), npy("|u1", "(2,)", bytes([50, 60])))

    def test_versions_two_and_three(self):
        for version in (2, 3):
            self.write("in.npy", npy("|u1", "(2, 3)", GREY, version))
            self.assertEqual(self.identity("in.npy", "out.raw"), GREY)

    def test_orders_and_bytes_of_numpy(self):
        for shape, want, order in (
            ("(2, 3)", "(2, 3)", [0, 2, 4, 1, 3, 5]),
            ("(1, 2, 3)", "(1, 2, 3)", [0, 2, 4, 1, 3, 5]),
            ("(2, 1, 3)", "(2, 1, 3)", [0, 2, 4, 1, 3, 5]),
            ("(6,)", "(6,)", range(6)),
        ):
            for code in "BbHhIiQqefd":
                size = struct.calcsize(code)
                descr = {"e": "f", "f": "f", "d": "f"}.get(code, "u" if code.isupper() else "i") + str(size)
                little = npy(("<" if size > 1 else "|") + descr, want, struct.pack("<6" + code, *[GREY[i] for i in order]))
                for mark in "<>":
                    self.write("in.npy", npy(mark + descr, shape, struct.pack(mark + "6" + code, *GREY), order="True"))
                    self.good("copy", "in.npy", "out.npy")
                    self.assertEqual(self.read("out.npy"), little, (mark, descr, shape))
        # More rows than a block, which are copied one block after another.
        self.write("in.npy", npy(">u2", "(130, 2)", struct.pack(">260H", *range(260)), order="True"))
        self.good("copy", "in.npy", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<260H", *[y + 130 * x for y in range(130) for x in range(2)]))

    def test_bool_is_u8(self):
        self.write("in.npy", npy("|b1", "(2, 2)", bytes([0, 1, 2, 255])))
        self.good("copy", "in.npy", "out.npy")
        self.assertEqual(self.read("out.npy"), npy("|u1", "(2, 2)", bytes([0, 1, 1, 1])))

    def test_types_of_arrays_become_f32_for_filters(self):
        inf = float("inf")
        for code, descr, word, given, want, said in (
            ("d", "<f8", "f64", [0.5, 2.0**-30, -1e30, inf], [0.5, 2.0**-30, -1.0000000150474662e30, inf], "1 of 4 values rounded"),
            ("d", "<f8", "f64", [1e300, 0.1, float("nan"), 0], [inf, 0.10000000149011612, None, 0],
             "2 of 4 values rounded, 1 of them to infinity"),
            ("b", "|i1", "i8", [-128, 127, 0, 1], [-128, 127, 0, 1], "0 of 4 values rounded"),
            ("i", "<i4", "i32", [-(2**24) - 1, 2**24, 2**31 - 1, -(2**31)], [-(2**24), 2**24, 2**31, -(2**31)],
             "2 of 4 values rounded, all beyond 2^24"),
            # A way over f64 would round this to 2^60 first, and then to the even neighbour.
            ("q", "<i8", "i64", [2**60 + 2**36 + 1, 2**62, -3, 0], [2**60 + 2**37, 2**62, -3, 0],
             "1 of 4 values rounded, all beyond 2^24"),
            ("Q", "<u8", "u64", [2**64 - 1, 2**63, 5, 0], [2**64, 2**63, 5, 0], "1 of 4 values rounded, all beyond 2^24"),
        ):
            self.write("in.npy", npy(descr, "(2, 2)", struct.pack("<4" + code, *given)))
            done = self.run_client("map", "in.npy", "out.npy")
            self.assertEqual(done.stderr.decode(), f"gpufilter-client: map: in.npy: {word} read as f32, since map does not "
                             f"take it, {said}\n")
            got = struct.unpack("<4f", self.read("out.npy")[-16:])
            self.assertEqual([None if v != v else v for v in got], want, descr)
            self.assertEqual(self.run_client("expr", "a", "in.npy", "kept.npy").stderr, b"")
            self.good("compare", "in.npy", "kept.npy")
        self.assertEqual(self.run_client("map", "-q", "in.npy", "out.npy").stderr, b"")

    def test_every_file_is_converted_by_itself(self):
        one = npy("<f8", "(1, 2)", struct.pack("<2d", 1, 0.1))
        for name in ("a.npy", "b.npy"):
            self.write(name, one)
        said = self.run_client("map", "a.npy", "b.npy", "-o", "{stem}.raw").stderr.decode()
        self.assertEqual(sorted(line.split(": ")[2] for line in said.splitlines()), ["a.npy", "b.npy"])
        said = self.run_client("combine", "a.npy", "b.npy", "out.raw").stderr.decode()
        self.assertEqual([line.split(": ")[2] for line in said.splitlines()], ["a.npy", "b.npy"])
        self.assertEqual(struct.unpack("<2f", self.read("out.raw")), (2, 0.20000000298023224))
        done = self.run_client("map", "--raw", "2x1:f64", "-", "-", stdin=struct.pack("<6d", 0, 1, 2, 3, 0.1, 0.2))
        self.assertEqual(done.stdout, struct.pack("<6f", 0, 1, 2, 3, 0.1, 0.2))
        self.assertEqual(done.stderr.decode(), "gpufilter-client: map: standard input: f64 read as f32, since map does not "
                         "take it, 2 of 6 values rounded\n")

    def test_a_type_that_a_step_takes_is_kept(self):
        self.write("a.npy", npy("<i4", "(1, 2)", struct.pack("<2i", 1, 2**24 + 1)))
        self.good("pipe", "a.npy", "expr expression=a dtype=f32 | map", "-o", "out.raw")
        self.assertEqual(struct.unpack("<2f", self.read("out.raw")), (1, 2**24))
        self.bad(65, "step 2 (map): src is i32; allowed: u8, u16, i16, f32 or f16; expr expression=a dtype=f32 converts",
                 "pipe", "a.npy", "copy | map src=#0", "-o", "out.raw")
        self.bad(65, "png holds u8 or u16", "blur", "a.npy", "out.png")  # integers without a white

    def test_text_in_and_out(self):
        self.write("in.txt", b"# two rows\n10, 20 30\n\n40 50\t60 # the end\n")
        self.good("box", "--size", "1", "--in-dtype", "u8", "in.txt", "out.txt")
        self.assertEqual(self.read("out.txt"), b"10 20 30\n40 50 60\n")
        self.write("in.txt", b"0.1\n1e-45\n-inf\nnan\n16777216\n")
        self.good("box", "--size", "1", "--in-dtype", "f32", "in.txt", "out.txt")
        self.assertEqual(self.read("out.txt"), b"0.1 1e-45 -Infinity NaN 16777216\n")

    def test_every_type_goes_through_text(self):
        held = {"u8": b"0 255", "i8": b"-128 127", "u16": b"0 65535", "i16": b"-32768 32767", "u32": b"0 4294967295",
                "i32": b"-2147483648 2147483647", "u64": b"0 18446744073709551615",
                "i64": b"-9223372036854775808 9223372036854775807",
                "f16": b"1 2 3 0.1 -0 6e-08 65504 -Infinity NaN", "f32": b"0.1 -0 1e-45 3.4028235e+38 -Infinity NaN",
                "f64": b"0.1 -0 5e-324 1.7976931348623157e+308 -Infinity NaN"}
        beyond = {"u8": b"256", "i8": b"128", "u16": b"65536", "i16": b"32768", "u32": b"4294967296", "i32": b"2147483648",
                  "u64": b"18446744073709551616", "i64": b"9223372036854775808", "f16": b"65520", "f32": b"1e39",
                  "f64": b"1e309"}
        _, says = self.run_client("copy", "--in-dtype", "?", "a.txt", "b.txt").stderr.split(b"allowed: ")
        self.assertEqual(set(says.decode().replace(" or", ",").strip().split(", ")), set(held))
        for dtype, text in held.items():
            self.write("in.txt", text + b"\n")
            self.good("copy", "--in-dtype", dtype, "in.txt", "out.txt")
            self.assertEqual(self.read("out.txt"), text + b"\n", dtype)
            self.good("copy", "--in-dtype", dtype, "in.txt", "out.npy")
            self.good("copy", "out.npy", "back.txt")
            self.assertEqual(self.read("back.txt"), text + b"\n", dtype)
            self.write("in.txt", beyond[dtype])
            self.bad(65, f'line 1: "{beyond[dtype].decode()}" is not a number of type {dtype}', "copy", "--in-dtype", dtype,
                     "in.txt", "out.txt")
        self.write("in.txt", b"1 2 3\n")
        self.good("copy", "--in-dtype", "f16", "in.txt", "out.raw")
        self.assertEqual(self.read("out.raw"), struct.pack("<3e", 1, 2, 3))

    def test_bad_text_is_refused(self):
        for text, says in (
            (b"", "is empty"),
            (b"# nothing\n", "has no numbers"),
            (b"1 2\n3\n", "line 2 has 1 numbers; it must have 2, as the lines before"),
            (b"1 256\n", 'line 1: "256" is not a number of type u8'),
            (b"1 -1\n", 'line 1: "-1" is not a number of type u8'),
            (b"1 2.5\n", 'line 1: "2.5" is not a number of type u8'),
            (b"1\0", "is not text"),
        ):
            self.write("in.txt", text)
            self.bad(65, says, "box", "--in-dtype", "u8", "in.txt", "out.txt")

    def test_npy_that_lies_is_refused(self):
        good = npy("|u1", "(2, 3)", GREY)
        for data, says in (
            (good[:-1], "claims 3x2x1 u8, 6 bytes, but 5 follow"),
            (good + b"x", "claims 3x2x1 u8, 6 bytes, but 7 follow"),
            (good[:9], "ends within its .npy header"),
            (good[:40], "the header claims"),
            (npy("|u1", "(1099511627776, 1099511627776)", GREY), "elements"),
            (npy("|u1", "(99999999999999999999999999, 2)", GREY), ""),
            (npy("|u1", "(0,)", b""), "is empty; sides must be at least 1"),
            (npy("|u1", "(1, 1, 1, 5)", GREY[:5]), "the last of 4 dimensions is 5; it must be 1 to 4, the channels"),
            (npy("|u1", "(1, 1, 1, 1, 1)", GREY[:1]), "does not describe a plain array"),
            (npy("|u1", "(-2, 3)", GREY), "'shape': (-2, 3), }\n"),
            (npy("|u1", "(2, 3)", GREY[:5], order="True"), "claims 3x2x1 u8, 6 bytes, but 5 follow"),
            (npy(">c8", "(3,)", GREY), "has type >c8; it must be one of b1, u1"),
            (npy("|O", "(1,)", GREY), "has type |O; it must be one of b1, u1, i1, u2, i2, u4, i4, u8, i8, f2, f4, f8 "
             "(astype('<f4'))"),
            (good.replace(b"\x01\x00", b"\x09\x00", 1), "is .npy version 9; it must be 1 to 3"),
        ):
            self.write("in.npy", data)
            self.bad(65, says, "box", "in.npy", "out.png")


class Sums(DaemonCase):
    def test_what_does_not_fit_is_the_fault_of_the_data(self):
        self.write("a.npy", npy("<u8", "(2,)", struct.pack("<2Q", 2**64 - 1, 1)))
        for command in (["reduce", "a.npy"], ["stats", "a.npy"], ["scan", "a.npy", "out.npy"], ["pipe", "a.npy", "stats"]):
            self.bad(65, "does not fit u64", *command)
        self.assertEqual(self.good("reduce", "--op", "max", "a.npy"), b"18446744073709551615\n")


class Pipes(DaemonCase):
    def test_a_pipe_is_its_steps(self):
        self.write("in.png", png(3, 2, 1, GREY))
        self.good("box", "--size", "3", "in.png", "one.png")
        self.good("gaussian", "--sigma", "1", "one.png", "two.raw")
        self.good("pipe", "in.png", "box size=3 | gaussian sigma=1", "-o", "1:first.raw", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), self.read("two.raw"))
        self.assertEqual(self.read("first.raw"), bytes([23, 30, 37, 33, 40, 47]))

    def test_json_names_the_outputs(self):
        self.write("in.png", png(3, 2, 1, GREY))
        report = json.loads(self.good("pipe", "in.png", "box size=3|box", "-o", "2:out.npy", "--json"))
        self.assertEqual(report["outputs"][0]["step"], 2)
        self.assertEqual(report["outputs"][0]["dtype"], "u8")
        self.assertEqual((report["op"], report["device"], report["taps"]), ("pipe", "cpu", []))

    def test_raw_samples(self):
        self.write("in.raw", GREY)
        self.good("pipe", "--raw", GREY_SHAPE, "in.raw", "box size=3", "-o", "out.raw")
        self.assertEqual(self.read("out.raw"), bytes([23, 30, 37, 33, 40, 47]))

    def test_quotes_hide_bars(self):
        self.write("in.png", png(3, 2, 1, GREY))
        self.good("pipe", "in.png", "correlate mask='0 1 0' | box size=1", "-o", "2:out.raw")
        self.assertEqual(self.read("out.raw"), GREY)

    def test_bad_pipes(self):
        self.write("in.png", png(3, 2, 1, GREY))
        self.bad(64, "no result is requested", "pipe", "in.png", "box")
        self.bad(64, "there are steps 1..1", "pipe", "in.png", "box", "-o", "2:out.png")
        self.bad(64, "column 7: there is no operation bax", "pipe", "in.png", "box | bax", "-o", "out.png")


class Tables(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    BINS = ["--bins", "4", "--lo", "0", "--hi", "80"]
    CHANNEL = {"counts": [1, 2, 2, 1], "underflow": 0, "overflow": 0, "nan": 0}

    def test_json_has_counts_and_edges(self):
        report = json.loads(self.good("histogram", *self.BINS, "in.png", "--json"))
        self.assertEqual(report["channels"], [self.CHANNEL])
        self.assertEqual(report["edges"], [0, 20, 40, 60, 80])

    def test_text_and_file(self):
        out = self.good("histogram", *self.BINS, "in.png", "-o", "counts.txt").decode()
        self.assertIn("counts: 1 2 2 1\n", out)
        self.assertRegex(out, r"(?m)^underflow +0\noverflow +0\nnan +0$")
        self.assertEqual(self.read("counts.txt"), b"1 2 2 1\n")

    def test_numbers_that_json_does_not_have_are_strings(self):
        self.write("in.txt", b"1 nan\n")
        report = json.loads(self.good("histogram", *self.BINS, "in.txt", "--json"))
        self.assertEqual((report["channels"][0]["nan"], report["input"]["dtype"]), (1, "f64"))

    def test_a_tap_reports_and_the_picture_flows_on(self):
        self.good("box", "--size", "3", "in.png", "box.raw")
        line = self.good("pipe", "in.png", "histogram bins=4 lo=0 hi=80 | box size=3", "-o", "out.raw", "--json")
        tap = json.loads(line)["taps"][0]
        self.assertEqual((tap["step"], tap["op"], tap["channels"]), (1, "histogram", [self.CHANNEL]))
        self.assertEqual(self.read("out.raw"), self.read("box.raw"))

    def test_a_histogram_of_floats_covers_the_data(self):
        line = self.good("pipe", "in.png", "gaussian sigma=2 | sobel | histogram bins=64", "-o", "out.raw", "--json")
        tap = json.loads(line)["taps"][0]
        self.assertEqual((tap["op"], len(tap["channels"][0]["counts"]), sum(tap["channels"][0]["counts"])),
                         ("histogram", 64, 6))
        self.write("in.txt", b"1 2 3\n")
        self.bad(64, "for f64 give a number, such as bins=256", "histogram", "in.txt")

    def test_edges(self):
        self.write("in.txt", b"0 0.5 1 1 1.5 2 3 nan\n")
        report = json.loads(self.good("histogram", "--edges", "0 1 1 2", "in.txt", "--json"))
        self.assertEqual(report["channels"], [{"counts": [2, 0, 3], "underflow": 0, "overflow": 2, "nan": 1}])
        self.assertEqual(report["edges"], [0, 1, 1, 2])
        self.write("edges.txt", b"0.1 1\n")
        report = json.loads(self.good("histogram", "--edges", "edges.txt", "--last-closed", "in.txt", "--json"))
        self.assertEqual((report["channels"][0]["counts"], report["edges"]), ([3], [0.1, 1]))
        self.bad(64, "edges[2]=1 is below edges[1]=2", "histogram", "--edges", "0 2 1", "in.txt")
        self.write("edges.txt", b"0 nan\n")
        self.bad(64, "edges[1] is NaN", "histogram", "--edges", "edges.txt", "in.txt")
        self.bad(65, "it must have 2 or more", "histogram", "--edges", "1", "in.txt")
        self.bad(64, "which make 1 bins", "histogram", "--edges", "0 1", "--bins", "2", "in.txt")
        self.bad(64, "leave them out", "histogram", "--edges", "0 1", "--hi", "2", "in.txt")

    def test_tables(self):
        self.write("table.txt", (" ".join(str(255 - v) for v in range(256)) + "\n").encode())
        self.good("map", "--table", "table.txt", "in.png", "out.raw")
        self.good("map", "in.png", "same.raw")
        self.assertEqual(self.read("out.raw"), bytes(255 - v for v in self.read("same.raw")))
        self.bad(65, "table has 3 numbers; pictures of u8 need 256", "map", "--table", "0 1 2", "in.png", "out.raw")
        self.bad(64, "a table replaces", "map", "--table", "table.txt", "--scale", "2", "in.png", "out.raw")

    def test_quantiles(self):
        self.write("in.txt", b"4 1 3 2\n8 nan 6 7\n")
        self.assertEqual(self.good("quantile", "--axis", "rows", "--q", "0,0.5,0.75", "in.txt"), b"1 2.5 3.25\nNaN NaN NaN\n")
        self.assertEqual(self.good("quantile", "--nan", "omit", "in.txt"), b"4\n")
        self.assertEqual(self.good("quantile", "--segments", "0,4,4,5", "--method", "higher", "in.txt"), b"3 NaN 8\n")
        self.bad(64, "q=1.5 outside 0..1", "quantile", "--q", "1.5", "in.txt")
        self.bad(64, "q=nan is not a finite f64 number", "quantile", "--q", "nan", "in.txt")
        self.bad(64, "too many values; allowed: up to 4", "quantile", "--q", "0,0,0,0,0", "in.txt")
        self.bad(64, "method=cubic; allowed: linear, lower, higher, nearest or midpoint", "quantile", "--method", "cubic",
                 "in.txt")
        self.bad(64, "quantile: segments: number 1 is 9; allowed: 0..8", "quantile", "--segments", "0,9", "in.txt")

    def test_pairs(self):
        self.write("a.txt", b"0 1 2 3 nan\n")
        self.write("b.txt", b"0 1 1 9 0\n")
        given = ["--bins", "2,3", "--lo", "0", "--hi", "4,3"]
        report = json.loads(self.good("histogram2d", *given, "a.txt", "b.txt", "--json"))
        self.assertEqual((report["counts"], report["outside"]), ([1, 1, 0, 0, 1, 0], [1, 1]))
        self.assertEqual((report["edges"], report["edges2"]), ([0, 2, 4], [0, 1, 2, 3]))
        self.good("histogram2d", *given, "a.txt", "b.txt", "-o", "counts.txt", "-q")
        self.assertEqual(self.read("counts.txt"), b"1 1 0\n0 1 0\n")
        self.bad(65, "src has 1 channel, but pairs need two; give a second picture", "histogram2d", *given, "a.txt")
        self.write("b.txt", b"0 1\n")
        self.bad(65, "src is 5x1 and src2 is 2x1", "histogram2d", *given, "a.txt", "b.txt")

    def test_plots(self):
        self.good("histogram", *self.BINS, "in.png", "--plot", "h.svg", "-q")
        self.assertEqual(self.read("h.svg").count(b"<path"), 1)
        self.good("histogram", *self.BINS, "in.png", "--plot", "h.png", "-q")
        self.assertEqual(self.read("h.png")[:4], b"\x89PNG")
        self.bad(64, "drawn only as .svg or .png", "histogram", *self.BINS, "in.png", "--plot", "h.gif", "-q")


class Comparisons(DaemonCase):
    def compare(self, code, *args):
        r = self.run_client("compare", "--in-dtype", "f32", *args)
        self.assertEqual((r.returncode, r.stderr), (code, b""))
        return r.stdout

    def test_equal_inputs_exit_with_0(self):
        self.write("a.txt", b"1 nan inf -0\n")
        self.write("b.txt", b"1 nan inf 0\n")
        out = self.compare(0, "a.txt", "b.txt")
        self.assertEqual(out.split(), b"equal 4 different 0 max 0 mae 0 mse 0 psnr Infinity".split())

    def test_others_exit_with_1(self):
        self.write("a.txt", b"1 2 nan 4\n")
        self.write("b.txt", b"1 5 3 3\n")
        report = json.loads(self.compare(1, "a.txt", "b.txt", "--json"))
        self.assertEqual(report["channels"], [{"equal": 1, "different": 3, "max": "NaN", "mae": "NaN", "mse": "NaN", "psnr": "NaN"}])
        self.write("b.txt", b"1 5 nan 3\n")
        out = self.compare(1, "a.txt", "b.txt", "--quiet")
        self.assertEqual(out, b"")
        out = self.compare(1, "a.txt", "b.txt")
        self.assertEqual(out.split()[:-1], b"equal 2 different 2 max 3 mae 1 mse 2.5 psnr".split())
        self.assertAlmostEqual(float(out.split()[-1]), -3.9794, 4)


if __name__ == "__main__":
    unittest.main()
