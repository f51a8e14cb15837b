# SPDX-License-Identifier: MIT
"""expr() against expressions in numpy, typed by typed_expr.py: the same bits, or two units in the last place for exp,
log, sin, cos, pow and atan2. Each must refuse exactly the texts that the other refuses."""
import random
import re

import gpufilter as gf
import numpy as np
import pytest
from typed_expr import Refused, evaluate
from typed_operators import stored

DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")
NATURAL = {"bool": "u1", "i64": "i8", "u64": "u8", "f32": "f4", "f64": "f8"}
FUNCTIONS = ("exp", "log", "sin", "cos", "pow", "atan2")
PROGRAMS = 300  # random ones, refused ones among them


def word(dtype):
    dtype = np.dtype(dtype)
    return f"{dtype.kind}{8 * dtype.itemsize}"


def array(rng, dtype, channels):
    """Small numbers, numbers of every bit length, and the limits of a type."""
    dtype, shape = np.dtype(dtype), (3, 11, channels)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        edges = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, -info.max, info.smallest_subnormal, 0.5, 1.5, -2.5]
        with np.errstate(over="ignore"):
            numbers = (rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 5, shape)).astype(dtype)
    else:
        info = np.iinfo(dtype)
        edges = [info.min, info.max, info.min + 1, info.max - 1, 0, 1, 2, 7, 100]
        numbers = rng.integers(info.min, info.max, shape, dtype, endpoint=True) >> rng.integers(
            0, 8 * dtype.itemsize, shape, dtype)
    return np.where(rng.random(shape) < 0.4, rng.choice(np.array(edges, dtype), shape), numbers)


def distance(a, b):
    """The difference in units of the last place."""
    bits = {4: np.int32, 8: np.int64}[a.dtype.itemsize]
    least = np.iinfo(bits).min
    ordered = [np.where(v.view(bits) < 0, least - v.view(bits), v.view(bits)).astype(object) for v in (a, b)]
    apart = np.abs(ordered[0] - ordered[1])
    return int(np.where(np.isnan(a) & np.isnan(b), 0, apart).max())


def check(text, inputs, settings=None, dtype=None):
    """Compares all results of a text. False if both refuse it."""
    others = {name: value for name, value in inputs.items() if name != "a"}
    try:
        wanted = evaluate(text, inputs, settings)
    except Refused:
        with pytest.raises(gf.errors.BadParam):
            gf.expr(inputs["a"], text, set=settings, channel_axis=-1, **others)
        return False
    dtype = np.dtype(dtype or NATURAL[wanted[0].kind])
    got = gf.expr(inputs["a"], text, set=settings, dtype=word(dtype), alpha="straight", channel_axis=-1, **others)
    results = [np.broadcast_to(stored(value.array, dtype), (*got.shape[:2], value.array.shape[2])) for value in wanted]
    expected = np.ascontiguousarray(np.concatenate(results, axis=2))
    assert got.dtype == dtype and got.shape in (expected.shape, expected.shape[:2]), text
    got = got.reshape(expected.shape)
    if any(name + "(" in text for name in FUNCTIONS):
        assert distance(got, expected) <= 2, text
    else:
        assert got.tobytes() == expected.tobytes(), (text, got[got != expected], expected[got != expected])
    return True


class Maker:
    """Random texts, most of them valid."""

    def __init__(self, rnd, inputs, pixels):
        self.rnd, self.inputs, self.pixels, self.names = rnd, inputs, pixels, ["x", "y", "w", "h"]

    def leaf(self):
        kind = self.rnd.randrange(8)
        if kind < 5:
            name = self.rnd.choice(list(self.inputs))
            channels = self.inputs[name].shape[2]
            return f"{name}[{self.rnd.randrange(channels)}]" if self.pixels and channels > 1 else name
        if kind < 6:
            return self.rnd.choice(self.names)
        if kind < 7:
            return self.rnd.choice(("0", "1", "2", "-1", "7", "255", "65535", "16777216", "2147483648", "0xFF",
                                    "9223372036854775807", "-9223372036854775808", "18446744073709551615"))
        return self.rnd.choice(("0.5", "1.0", "-2.5", "0.1", "1e-40", "1e38", "1e300", "inf", "nan", "pi", "3.", ".25"))

    def condition(self, depth):
        kind = self.rnd.randrange(8) if depth else 0
        if kind < 4:
            op = self.rnd.choice(("<", "<=", ">", ">=", "==", "!="))
            return f"({self.number(depth - 1)} {op} {self.number(depth - 1)})"
        if kind < 6:
            return f"({self.condition(depth - 1)} {self.rnd.choice('&|^')} {self.condition(depth - 1)})"
        return self.rnd.choice(("isnan({n})", "bool({n})", "~{c}", "true", "({c} == {c})")).format(
            n=self.number(depth - 1), c=self.condition(depth - 1))

    def number(self, depth):
        if depth <= 0 or self.rnd.random() < 0.1:
            return self.leaf()
        form = self.rnd.choice((
            "{n} + {n}", "{n} - {n}", "({n})*({n})", "({n})/({n})", "({n})//({n})", "({n})%({n})", "{n}*{n} - {n}",
            "-({n})", "abs({n})", "sign({n})", "floor({n})", "ceil({n})", "round({n})", "trunc({n})", "sqrt({n})",
            "min({n}, {n})", "max({n}, {n}, {n})", "clamp({n}, {n}, {n})", "select({c}, {n}, {n})", "f32({n})",
            "f64({n})", "i64({n})", "u64({n})", "fma({n}, {n}, {n})", "i64({n}) & {n}", "i64({n}) << 3 ^ i64({n})",
            "u64({n}) >> {n}", "~i64({n}) | i64({n})", "i64({n}) << i64({n})", "({n}) + {c}"))
        while "{n}" in form or "{c}" in form:
            form = form.replace("{n}", self.number(depth - 1), 1).replace("{c}", self.condition(depth - 1), 1)
        return form


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    rnd, rng, taken = random.Random(seed), np.random.default_rng(seed), 0
    for _ in range(PROGRAMS // 6):
        channels = rnd.randint(1, 4)
        dtypes = DTYPES if rnd.random() < 0.3 else [d for d in DTYPES if d != "u8"]
        inputs = {name: array(rng, rnd.choice(dtypes), rnd.choice((1, channels)))
                  for name in "abcd"[:rnd.randint(1, 4)]}
        maker, function = Maker(rnd, inputs, rnd.random() < 0.3), rnd.random() < 0.2
        text = f"k = {maker.number(1)}; " if rnd.random() < 0.3 else ""
        maker.names += ["k"] * 4 * bool(text)
        if function:
            call = rnd.choice(("exp({0})", "log({0})", "sin({0})", "cos({0})", "pow({0}, {1})", "atan2({0}, {1})"))
            text += call.format(maker.number(1), maker.number(1))
        else:
            text += ", ".join(maker.number(rnd.randint(1, 3)) for _ in range(rnd.randint(1, 4) if maker.pixels else 1))
        taken += check(text, inputs, None, None if function or rnd.random() < 0.5 else rnd.choice(DTYPES))
    assert taken >= PROGRAMS // 6 // 2


@pytest.mark.parametrize("text, dtypes, settings", [
    ("a", "u1", None), ("a + 1", "u1", None), ("a*1.2 - b, b", "u1 i2", None), ("a*1.1", "f4", None),
    ("a*1.1", "i4", None), ("a*1.1", "u8", None), ("a/3", "u2", None), ("a//b", "i8 i8", None),
    ("a % b", "i8 i8", None),
    ("a//b", "f4 f4", None), ("a % b", "f8 f8", None), ("a // -1", "i8", None), ("a % 0", "u8", None),
    ("a << b", "i8 i1", None), ("a >> b", "i8 i1", None), ("a >> b", "u8 u8", None), ("~a ^ b", "u8 u8", None),
    ("a & 0xFF | b << 8", "i4 u1", None), ("i64(a) + b", "u8 i8", None), ("u64(b) + a", "u8 i8", None),
    ("a + b", "u8 i8", None), ("a + -1", "u8", None), ("a + 18446744073709551615", "i4", None), ("a > 0", "u8", None),
    ("min(a, b), max(a, b), min(b, a), max(b, a)", "f4 f4", None), ("clamp(a, -1, 1)", "f2", None),
    ("(a > b) + (b > 1)", "i2 i2", None), ("(a > b) == (b > 1)", "i2 i2", None), ("a > 1 & b > 2", "u1 u1", None),
    ("select(isnan(a), 0, a)", "f8", None), ("select(a, 1, 2)", "u1", None), ("fma(a, b, a)", "f4 f4", None),
    ("fma(a, b, a)", "f8 f8", None), ("fma(a, b, 7)", "i8 i8", None),
    ("round(a), floor(a), ceil(a), trunc(a)", "f4", None),
    ("sign(a), abs(a), -a", "f8", None), ("sign(a), abs(a), -a", "i8", None), ("sqrt(a)", "i1", None),
    ("sqrt(a)", "f8", None), ("f32(a)", "i8", None), ("f32(a), f64(a)", "u8", None), ("i64(a), u64(a)", "f4", None),
    ("exp(a)", "i1", None), ("log(a)", "u2", None), ("sin(a)", "f4", None), ("cos(a)", "f8", None),
    ("sin(a)", "f8", None),
    ("pow(a, b)", "f4 f4", None), ("pow(a, b)", "f8 f8", None), ("atan2(a, b)", "f4 f4", None),
    ("atan2(a, b)", "f8 f8", None), ("exp(a)", "f8", None), ("log(a)", "f8", None),
    ("x*100 + y", "u1", None), ("x/w + y/h", "u1", None), ("param gain = 1.2; a*gain", "u1", None),
    ("param gain = 1.2; a*gain", "f4", {"gain": 2.5}), ("param n = 3; a << n", "u1", {"n": 5}),
    ("param n = 3; a << n", "u1", {"n": 0.5}), ("t = a*a; u = t*a; t + u", "i4", None), ("inf - inf", "u1", None),
    ("9223372036854775807 + 1", "u1", None), ("16777217*1.0", "u1", None), ("1/3", "u1", None)])
def test_programs(text, dtypes, settings):
    rng = np.random.default_rng(len(text))
    check(text, {name: array(rng, dtype, 1) for name, dtype in zip("abcd", dtypes.split())}, settings)


@pytest.mark.parametrize("dtypes", ["i1 i1", "u1 u1", "i1 u1", "u1 i1", "u2 u1"])
@pytest.mark.parametrize("text", [
    "a", "-a", "~a", "abs(a)", "abs(a - 3)", "abs(-3 - b)", "sign(a)", "a + b", "a - b", "a*b", "a//b", "a//(b & 7)",
    "(a & 7)//b", "a % b", "a % 5", "a % -5", "(a & 63) % (b & 7)", "min(a, b)", "max(a, b)", "clamp(a, -3, 9)",
    "select(a > b, a, b - 9)", "a & b", "a & 15", "a | b", "a ^ b", "a | 64", "(a & 7) ^ (b & 31)", "a << 3",
    "a << (b & 7)", "a >> 2", "a >> (b & 7)", "a >> b", "a >> 70", "i64(a > b)", "(a > b) + (b > 1)", "fma(a, b, a)",
    "x", "y - x", "w", "h*2", "ch"])
def test_ranges(text, dtypes):
    """The float that an integer meets is f32 exactly up to where the page's range reaches 2^24."""
    rng = np.random.default_rng(5)
    inputs = {name: array(rng, dtype, 1) for name, dtype in zip("ab", dtypes.split())}
    lo, hi = evaluate(text, inputs)[0].range
    for shift in (2**24 - hi, 2**24 + 1 - hi, -2**24 - lo, -2**24 - 1 - lo):
        assert check(f"(({text}) + {shift})*0.1", inputs, dtype="f8")


@pytest.mark.parametrize("text, value", [
    ("-7 // 2", -4), ("-7 % 2", 1), ("7 // -2", -4), ("7 % -2", -1), ("7 // 0", 0), ("7 % 0", 0), ("1 << 64", 0),
    ("1 << -1", 0), ("-1 >> 64", -1), ("-9223372036854775808 // -1", -2**63), ("abs(-9223372036854775808)", -2**63),
    ("i64(nan)", 0), ("i64(inf)", 2**63 - 1), ("i64(-1e30)", -2**63), ("i64(-1.9)", -1), ("round(2.5)", 2),
    ("round(-1.5)", -2), ("-7.0 // 2", -4), ("-7.0 % 2", 1), ("min(3, 1, 2)", 1), ("clamp(9, 0, 5)", 5),
    ("true + true", 2), ("nan == nan", 0), ("nan != nan", 1), ("bool(nan)", 1), ("7 / 2 * 2", 7), ("~5", -6),
    ("5 ^ 3", 6), ("sign(-0.0)", 0)])
def test_values(text, value):
    got = gf.expr(np.zeros((1, 1), "u1"), text, dtype="i64")
    assert got.tolist() == [[value]]


def test_parts_of_a_picture_have_its_bits():
    """Cut between rows where a text has neither y nor h, between columns where it has neither x nor w."""
    rnd, rng, cuts = random.Random(7), np.random.default_rng(7), 0
    for _ in range(120):
        inputs = {name: array(rng, rnd.choice(DTYPES[:6] + DTYPES[7:]), 1) for name in "ab"}
        text = Maker(rnd, inputs, False).number(3)
        try:
            whole = gf.expr(inputs["a"], text, b=inputs["b"], channel_axis=-1)
        except gf.errors.BadParam:
            continue
        for axis, places in ((0, "yh"), (1, "xw")):
            if re.search(rf"\b[{places}]\b", text):
                continue
            at = rnd.randint(1, whole.shape[axis] - 1)
            parts = [gf.expr(a, text, b=b, channel_axis=-1)
                     for a, b in zip(*[np.split(inputs[name], [at], axis) for name in "ab"])]
            assert np.concatenate(parts, axis).tobytes() == whole.tobytes(), text
            cuts += 1
    assert cuts > 100
