# SPDX-License-Identifier: MIT
"""Worst cases of the operations: windows that take seconds, results and scratch of gigabytes from a few bytes, numbers
that no real client sends. Each request gets its status, the worker survives, and others are served."""
import os
import re
import struct
import unittest

from support import *  # noqa: F403

F64 = 7
NAN, INF = float("nan"), float("inf")
F32_TYPE, U8, U32_TYPE = 9, 1, 5
MIB = 1 << 20


def op(name):
    """The id of an operation and the number and kind of each of its parameters, from its descriptor."""
    path = os.path.join(os.path.dirname(__file__), "../../protocol/ops/%s.def" % name)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    kinds = {"U32": U32, "U32V": U32, "F32": F32, "F32V": F32, "F64": F64, "F64V": F64, "ENUM": ENUM, "ENUM_OF": ENUM}
    params = {p: (0x1000 + int(n), kinds[k]) for k, n, p in re.findall(r"GF_(\w+)\(\w+, (\d+), (\w+), ", text)
              if k in kinds}
    return int(re.search(r"0x([0-9A-F]+)", text)[1], 16), params


def made(name, inputs, **values):
    """A step and its parameters. Each input is (0, operand) or (1, step)."""
    number, params = op(name)
    body = attr(20, BYTES, struct.pack("<IHH", number, len(inputs), 0)
                + b"".join(struct.pack("<BBH", kind, 0, index) for kind, index in inputs))
    for param, given in values.items():
        given = given if isinstance(given, tuple) else (given,)
        letter = {U32: "I", ENUM: "I", F32: "f", F64: "d"}[params[param][1]]
        body += attr(*params[param], struct.pack("<%d%s" % (len(given), letter), *given))
    return body


def wanted(step):
    return attr(21, BYTES, struct.pack("<HBBIQQQ", step, 0, 1, 0, 0, 0, 0))


def picture(dtype, element, width, height, channels=1):
    return operand(1, 0, 0, width * height * channels * element, view(dtype, element, width, height, channels))


def run(number, operands, steps, payload, deadline=0):
    head = attr(11, STRING, "cpu") + (attr(18, U32, deadline) if deadline else b"")
    return frame(RUN, number, head + operands + b"".join(steps) + wanted(len(steps) - 1), payload)


class Longest(Case):
    """Long operations poll for a stop; each poll also tells the front that the worker makes progress."""

    ARGS = ("--worker-timeout", "2")
    SIDE = 510  # of a tile of windows of 255 x 255, which takes much longer than the deadline
    SLOW = (("rank", {"index": 40000.0, "size": 255}), ("bilateral", {"radius": 127, "alpha": 2}))

    def test_a_deadline_ends_it(self):
        data = struct.pack("<255f", *range(255)) * (self.SIDE * self.SIDE * 4 // 255)
        with self.daemon.conn() as c, self.daemon.conn() as other:
            for name, values in self.SLOW:
                operands = picture(F32_TYPE, 4, self.SIDE, self.SIDE, 4)
                c.send(run(7, operands, [made(name, [(0, 0)], **values)], data, deadline=10))
                for _ in range(3):
                    other.next += 1
                    self.assertEqual(other.ask(cross(other.next)).payload, CROSS)
                self.expect_refused(c, 7, STATUS["DEADLINE"])
        self.assertNotIn("killing", self.daemon.log())


class Bombs(Case):
    ARGS = ("--worker-scratch", str(16 * MIB), "--user-scratch-bytes", str(16 * MIB))

    def test_few_bytes_never_become_many(self):
        """Intermediate results and scratch are charged before they are allocated."""
        before, pixel = hwm(self.worker), picture(U8, 1, 1, 1)
        wide = picture(U8, 1, 4000, 500)
        bombs = ((pixel, b"\1", [made("pad", [(0, 0)], margin=100000), made("reduce", [(1, 0)])]),
                 (pixel, b"\1", [made("resize", [(0, 0)], size=40000), made("crop", [(1, 0)], size=1)]),
                 (pixel, b"\1", [made("pad", [(0, 0)], margin=1800), made("argsort", [(1, 0)]), made("reduce", [(1, 1)])]),
                 (pixel, b"\1", [made("pad", [(0, 0)], margin=1900), made("label", [(1, 0)]), made("reduce", [(1, 1)])]),
                 (wide, bytes(2000000), [made("histogram2d", [(0, 0), (0, 0)], bins=4096), made("reduce", [(1, 0)])]),
                 (wide, bytes(2000000), [made("argsort", [(0, 0)]), made("reduce", [(1, 0)])]))
        with self.daemon.conn() as c:
            for operands, data, steps in bombs:
                c.send(run(9, operands, steps, data))
                got = self.expect_refused(c, 9, QUOTA)
                self.assertGreater(struct.unpack("<Q", got.get(3))[0], 16 * MIB)
        self.assertLess(hwm(self.worker) - before, 32 * MIB * shadow(self.worker))

    def test_as_large_as_can_be(self):
        pixel = picture(U8, 1, 1, 1)
        with self.daemon.conn() as c:
            for step in (made("pad", [(0, 0)], margin=2**32 - 2), made("pad", [(0, 0)], margin=(2**31, 0)),
                         made("resize", [(0, 0)], size=65535), made("resize", [(0, 0)], scale=65535.0)):
                c.send(run(9, pixel, [step], b"\1"))
                self.expect_refused(c, 9, TOO_LARGE)


class Numbers(Case):
    """Requests that the library and the command refuse themselves."""

    def test_refused(self):
        bad = STATUS["BAD_PARAM"]
        for name, values in (
            ("topk", {"k": 0}), ("topk", {"k": 13}), ("topk", {"k": 2**32 - 1}), ("topk", {"k": 5, "axis": 1}),
            ("topk", {"axis": 3}), ("sort", {"descending": 2}), ("quantile", {"q": NAN}), ("quantile", {"q": (0.5, -0.1)}),
            ("quantile", {"q": 1.0000000000000002}), ("quantile", {"q": (0.1,) * 5}), ("quantile", {"method": 9}),
            ("rank", {}), ("rank", {"index": NAN}), ("rank", {"index": 9.0}), ("rank", {"index": -10.0}),
            ("rank", {"index": 0.5}), ("rank", {"index": 0.0, "size": 256}), ("rank", {"index": 0.0, "size": (3, 0)}),
            ("percentile", {"percent": INF}), ("percentile", {"percent": 100.00000000000001}),
            ("erode", {"size": 0}), ("erode", {"iterations": 256}), ("erode", {"anchor": (3, 0)}), ("erode", {"anchor": 1}),
            ("erode", {"border": 4, "border_value": 256.0}), ("crop", {"at": (4, 0)}), ("crop", {"size": (2**32 - 2, 1)}),
            ("crop", {"size": 2, "at": 2**32 - 2}), ("crop", {"at": 2**32 - 1}), ("pad", {"margin": (1, 2, 3)}),
            ("pad", {"margin": 1, "border_value": 0.5}), ("resize", {}), ("resize", {"size": 65536}),
            ("resize", {"scale": NAN}), ("resize", {"scale": 0.0}), ("resize", {"scale": -1.0}),
            ("resize", {"size": 1, "box": (NAN, 0.0, 1.0, 1.0)}), ("resize", {"size": 1, "box": (0.0, 0.0, 4.5, 1.0)}),
            ("resize", {"size": 1, "box": (0.0, 0.0, 1e-300, 1.0)}), ("rotate", {"angle": 45}), ("flip", {"axis": 7}),
            ("clahe", {"tiles": 33}), ("clahe", {"clip": NAN}), ("bilateral", {"radius": 128}),
            ("bilateral", {"sigma_space": 2047.0}), ("bilateral", {"sigma_colour": 0.0}), ("label", {"connectivity": 6}),
            ("distance", {"squared": 2}), ("normalize", {"std": 0.0}), ("normalize", {"mean": NAN}),
            ("gray", {"weights": (1.0, 1.0)}),
        ):
            with self.subTest(name=name, **values), self.daemon.conn() as c:
                c.send(run(3, picture(U8, 1, 4, 3), [made(name, [(0, 0)], **values)], PIXELS))
                self.expect_refused(c, 3, bad)

    def test_offsets_that_lie(self):
        lists = ((0, 13), (5, 3), (2**32 - 1, 2**32 - 1), (0, 2**31, 4))
        with self.daemon.conn() as c:
            for offsets in lists:
                operands = (picture(U8, 1, 4, 3)
                            + operand(1, 0, 64, 4 * len(offsets), view(U32_TYPE, 4, len(offsets), 1)))
                data = PIXELS.ljust(64, b"\0") + struct.pack("<%dI" % len(offsets), *offsets)
                c.send(run(3, operands, [made("quantile", [(0, 0), (0, 1)])], data))
                self.expect_refused(c, 3, STATUS["BAD_PARAM"])

    def test_shapes(self):
        """Inputs that fit neither each other nor the operation."""
        grey, small = picture(U8, 1, 4, 3), operand(1, 0, 64, 2, view(U8, 1, 2, 1))
        data = PIXELS.ljust(64, b"\0") + b"\1\2"
        for name, operands, inputs in (
            ("merge", grey + small, 2), ("histogram2d", grey + small, 2), ("rgb420", grey + small, 2),
            ("histogram2d", grey, 1), ("nv12", grey, 1), ("i420", grey, 1), ("hsv", grey, 1), ("rgb", grey, 1),
            ("label", picture(U8, 1, 2, 2, 3), 1), ("distance", picture(U8, 1, 2, 2, 3), 1),
        ):
            with self.subTest(name=name), self.daemon.conn() as c:
                c.send(run(3, operands, [made(name, [(0, i) for i in range(inputs)])], data if inputs > 1 else PIXELS))
                self.expect_refused(c, 3, BAD_VIEW)
        for name in ("median", "erode", "resize", "label", "distance", "bilateral", "clahe", "hsv", "nv12", "normalize"):
            with self.subTest(name=name), self.daemon.conn() as c:
                values = {"size": 1} if name == "resize" else {}
                c.send(run(3, picture(10, 8, 1, 1), [made(name, [(0, 0)], **values)], bytes(8)))
                self.expect_refused(c, 3, STATUS["BAD_DTYPE"])


if __name__ == "__main__":
    unittest.main()
