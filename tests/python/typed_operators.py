# SPDX-License-Identifier: MIT
"""Operators of expressions on arrays of numpy, and what range each gives an i64, docs/numerics.md, "Ranges". Called by
typed_expr.py."""
from fractions import Fraction

import numpy as np

INT64 = (-2**63, 2**63 - 1)
NUMPY = {"bool": np.bool_, "i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


# ---- conversions ----

def to_integer(array, kind):
    """From floats towards zero, NaN to 0; what does not fit to the end of the type."""
    lo, hi = INT64 if kind == "i64" else (0, 2**64 - 1)
    if array.dtype.kind == "f":
        wide = np.trunc(array.astype(np.float64))
        inside = np.where((wide >= float(lo)) & (wide < float(hi + 1)), wide, 0).astype(NUMPY[kind])
        return np.where(wide >= float(hi + 1), NUMPY[kind](hi), np.where(wide < float(lo), NUMPY[kind](lo), inside))
    if kind == "u64":
        return np.where(array < 0, 0, array).astype(np.uint64) if array.dtype == np.int64 else array.astype(np.uint64)
    return np.minimum(array, np.uint64(hi)).astype(np.int64) if array.dtype == np.uint64 else array.astype(np.int64)


# ---- ranges ----

def within(lo, hi):
    return (lo, hi) if INT64[0] <= lo and hi <= INT64[1] else INT64


def ends(function, a, b):
    every = [function(x, y) for x in a for y in b]
    return within(min(every), max(every))


def magnitude(a):
    return max(abs(a[0]), abs(a[1]))


def range_floordiv(a, b):
    if a[0] >= 0 and b[0] >= 0:
        return 0, a[1]
    return INT64 if a[0] == INT64[0] else (-magnitude(a), magnitude(a))


def range_mod(a, b):
    if a[0] >= 0 and b[0] >= 0:
        return 0, min(a[1], max(b[1] - 1, 0))
    return min(b[0] + 1, 0), max(b[1] - 1, 0)


def range_bits(a, b):
    k = 0
    while not all(-2**k <= end <= 2**k - 1 for end in (*a, *b)):
        k += 1
    return (0 if a[0] >= 0 and b[0] >= 0 else -2**k), 2**k - 1


def range_and(a, b):
    if a[0] < 0 and b[0] < 0:
        return range_bits(a, b)
    return 0, min(end[1] for end in (a, b) if end[0] >= 0)


def range_shl(a, b):
    if not (b[0] >= 0 and b[1] <= 62):
        return INT64
    return within(min(a[0] << b[0], a[0] << b[1]), max(a[1] << b[0], a[1] << b[1]))


def range_shr(a, b):
    if b[0] < 0:
        return min(a[0], 0), max(a[1], 0)
    s, t = min(b[0], 63), min(b[1], 63)
    return a[0] >> (s if a[0] < 0 else t), a[1] >> (t if a[1] < 0 else s)


def range_abs(a):
    if a[0] == INT64[0]:
        return INT64
    return (0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))), magnitude(a)


RANGES = {
    "neg": lambda a: within(-a[1], -a[0]), "not": lambda a: (-a[1] - 1, -a[0] - 1), "abs": range_abs,
    "sign": lambda a: (-1, 1), "+": lambda a, b: ends(lambda x, y: x + y, a, b),
    "-": lambda a, b: ends(lambda x, y: x - y, a, b), "*": lambda a, b: ends(lambda x, y: x * y, a, b),
    "//": range_floordiv, "%": range_mod, "&": range_and, "|": range_bits, "^": range_bits, "<<": range_shl,
    ">>": range_shr, "min": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "max": lambda a, b: (max(a[0], b[0]), max(a[1], b[1]))}


# ---- values ----

def fma(x, y, z):
    """Rounded once: f32 from f64 that is rounded to odd, f64 from fractions."""
    if x.dtype == np.float32:
        p, wide = x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64)
        s = p + wide
        b = s - p
        rest = (p - (s - b)) + (wide - b)
        even = (s.view(np.int64) & 1) == 0
        odd = np.where(np.isfinite(s) & (rest != 0) & even, np.nextafter(s, np.where(rest > 0, np.inf, -np.inf)), s)
        return odd.astype(np.float32)
    out = np.empty(np.broadcast(x, y, z).shape)
    for at in np.ndindex(out.shape):
        a, b, c = float(x[at]), float(y[at]), float(z[at])
        out[at] = one_fma(a, b, c)
    return out


def one_fma(a, b, c):
    if not (np.isfinite(a) and np.isfinite(b)):
        return a * b + c
    if not np.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return np.inf if exact > 0 else -np.inf


def minimum(x, y):
    if x.dtype.kind != "f":
        return np.minimum(x, y)
    lower = np.where((x < y) | ((x == y) & np.signbit(x)), x, y)
    return np.where(np.isnan(x) | np.isnan(y), x.dtype.type(np.nan), lower)


def maximum(x, y):
    return -minimum(-x, -y) if x.dtype.kind == "f" else np.maximum(x, y)


def shift(x, y, left):
    inside = (y >= 0) & (y <= 63)
    count = np.where(inside, y, 0).astype(x.dtype)
    return np.where(inside, x << count if left else x >> count, 0 if left else np.where(x < 0, -1, 0).astype(x.dtype))


def by_long_doubles(function):
    """Rounded to the type of the operands."""
    return lambda *arrays: function(*[a.astype(np.longdouble) for a in arrays]).astype(arrays[0].dtype)


def power(x, y):
    """Zeros and infinities by f64: pow of long doubles loses them for exponents from 2^63 on."""
    special = ~np.isfinite(x) | ~np.isfinite(y) | (x == 0)
    wide = np.power(x.astype(np.float64), y.astype(np.float64))
    return np.where(special, wide, by_long_doubles(np.power)(x, y)).astype(x.dtype)


def remainder(x, y):
    return fma(-np.floor(x / y), y, x) if x.dtype.kind == "f" else x % y


VALUES = {
    "neg": lambda x: -x if x.dtype.kind != "u" else (0 - x).astype(x.dtype), "not": lambda x: ~x, "abs": np.abs,
    "sign": lambda x: np.where(x == 0, x, np.sign(x)).astype(x.dtype), "floor": np.floor, "ceil": np.ceil,
    "round": np.rint, "trunc": np.trunc, "sqrt": np.sqrt, "isnan": np.isnan, "+": lambda x, y: x + y,
    "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y,
    "//": lambda x, y: np.floor(x / y) if x.dtype.kind == "f" else x // y, "%": remainder,
    "min": minimum, "max": maximum,
    "&": lambda x, y: x & y, "|": lambda x, y: x | y, "^": lambda x, y: x ^ y, "<<": lambda x, y: shift(x, y, True),
    ">>": lambda x, y: shift(x, y, False), "==": lambda x, y: x == y, "!=": lambda x, y: x != y,
    "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, "fma": fma,
    **{name: by_long_doubles(function) for name, function in (
        ("exp", np.exp), ("log", np.log), ("sin", np.sin), ("cos", np.cos), ("atan2", np.arctan2))},
    "pow": power}


# ---- the store ----

def stored(array, dtype):
    """As a dtype has it: saturated, rounded to nearest, NaN in its one form."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            array = array.astype(np.float32).astype(dtype) if dtype.itemsize == 2 else array.astype(dtype)
        return np.where(np.isnan(array), dtype.type(np.nan), array)
    info = np.iinfo(dtype)
    if array.dtype.kind == "f":
        kind = "u64" if info.min == 0 else "i64"
        with np.errstate(all="ignore"):
            array = to_integer(np.rint(array), kind)
    if array.dtype == np.uint64 or info.min == 0:
        array = np.minimum(np.maximum(array, 0).astype(np.uint64), np.uint64(info.max))
        return array.astype(dtype)
    return np.clip(array.astype(np.int64), info.min, info.max).astype(dtype)
