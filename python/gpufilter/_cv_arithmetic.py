# SPDX-License-Identifier: MIT
"""OpenCV's arithmetic of two arrays, or of an array and a scalar, with masks: gpufilter.expr. Used by cv.py."""
import math

import numpy as np

from . import _floats, _ops
from ._arguments import number_of
from ._cv_arguments import (DEPTHS, channels_of, check_fits, dtype_of, mask_of, picture_of, scalar_of, with_channels,
                            word_of)
from ._intake import into

__all__ = ["absdiff", "add", "addWeighted", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor",
           "convertScaleAbs", "divide", "magnitude", "max", "min", "multiply", "scaleAdd", "subtract"]


def computed(text, operands, word, dst=None, numbers=None):
    """gpufilter.expr on pictures a, b, c and d of the same sides; b to d may have one channel where a has more."""
    deep = any(o.ndim == 3 for o in operands)
    first, *more = [with_channels(o) if deep else o for o in operands]
    return _ops.expr(first, text, numbers, dtype=word, alpha="straight", out=dst, channel_axis=-1 if deep else None,
                     **dict(zip("bcd", more)))


def _is_scalar(value, other):
    """Whether OpenCV takes the value for a scalar: a number, up to four in a sequence, or an array of up to four beside
    a picture of another shape."""
    if isinstance(value, (list, tuple)):
        return len(value) <= 4 and not any(hasattr(v, "__len__") for v in value)
    shape, beside = (getattr(v, "shape", ()) for v in (value, other))
    return not shape or math.prod(shape) <= 4 and len(shape) <= 2 <= len(beside) and shape != beside


def _declared(values):
    """The texts that declare a scalar with a value for each channel, the text that means it, and its numbers."""
    whole = all(isinstance(v, int) or v.is_integer() and abs(v) < 2**63 for v in values)
    texts = [f"param s{i} = {0 if whole else 0.0}" for i in range(len(values))]
    chosen = f"s{len(values) - 1}"
    for i in reversed(range(len(values) - 1)):
        chosen = f"select(ch == {i}, s{i}, {chosen})"
    return texts, chosen, {f"s{i}": int(v) if whole else v for i, v in enumerate(values)}


def of_two(name, src1, src2, text, dst=None, mask=None, dtype=-1, everywhere=True, rounded=True, bits=False):
    """The text of p and q, which are src1 and src2; one of them may be a scalar. everywhere: a number is the scalar's
    value in all channels, as OpenCV 5 has it in arithmetic. rounded: OpenCV rounds a scalar, ties to even, if src
    and the result are of integers. bits: the text is about samples as they are stored. A result of float64 is computed
    in float64."""
    turned = _is_scalar(src1, src2) and not _is_scalar(src2, src1)
    (what, src), (what2, src2) = [("src1", src1), ("src2", src2)][::-1 if turned else 1]
    src, _ = picture_of(name, src, what, DEPTHS)
    word = word_of(name, dtype, src, "dtype", DEPTHS.values())
    stored = (lambda array: array.view(f"u{array.itemsize}")) if bits else (lambda array: array)
    operands, texts, numbers, made = [stored(src)], [], None, dtype_of(word)
    if _is_scalar(src2, src):
        values = scalar_of(name, what2, src2, channels_of(src))
        if np.ndim(src2) == 0 and everywhere or len(set(values)) == 1:
            values = values[:1]
        if rounded and "f" not in (made.kind, src.dtype.kind):
            values = [float(round(v)) for v in values]
        if bits:
            values = stored(_floats.store(np.array(values), src.dtype)).tolist()
        texts, second, numbers = _declared(values)
    else:
        other, _ = picture_of(name, src2, what2, DEPTHS)
        if other.shape != src.shape:
            raise ValueError(f"{name}: {what} has shape {src.shape}, {what2} {other.shape}; they must be the same")
        if dtype == -1 and other.dtype != src.dtype:
            raise ValueError(f"{name}: {what} has dtype {src.dtype}, {what2} {other.dtype}; "
                             f"{'they must be the same' if bits else 'give the dtype of the result'}")
        operands.append(stored(other))
        second = "b"
    first, second = (f"f64({v})" if word == "f64" and not bits else v for v in ("a", second))
    texts += [f"p = {second}; q = {first}"] if turned else [f"p = {first}; q = {second}"]
    check_fits(name, "dst", dst, src.shape, made)
    if mask is not None:
        operands.append(mask_of(name, mask, src.shape))
        text = f"select({'abc'[len(operands) - 1]} != 0, {text}, {'0' if dst is None else 'abcd'[len(operands)]})"
        operands += [] if dst is None else [stored(dst)]
    direct = dst if mask is None and not bits else None
    result = computed("; ".join([*texts, text]), operands, f"u{8 * made.itemsize}" if bits else word, direct, numbers)
    return direct if direct is not None else into(dst, result.view(made) if bits else result)


def add(src1, src2, dst=None, mask=None, dtype=-1):
    """A sum, rounded once and saturated. src1 or src2 may be a number or a scalar of up to four, which is rounded first
    if the picture and the result are of integers. mask: where it is 0, dst keeps its samples, or is 0 if it is not
    given."""
    return of_two("add", src1, src2, "p + q", dst, mask, dtype)


def subtract(src1, src2, dst=None, mask=None, dtype=-1):
    """A difference, rounded once and saturated; arguments as for add."""
    return of_two("subtract", src1, src2, "p - q", dst, mask, dtype)


def absdiff(src1, src2, dst=None):
    """An absolute difference; src1 or src2 may be a scalar."""
    return of_two("absdiff", src1, src2, "abs(p - q)", dst)


def _times(name, scale):
    scale = number_of(name, "scale", scale)
    return "" if scale == 1 else f"{scale!r} * "


def multiply(src1, src2, dst=None, scale=1, dtype=-1):
    """A product, times scale; src1 or src2 may be a scalar. Rounded once if scale is 1."""
    return of_two("multiply", src1, src2, f"{_times('multiply', scale)}p * q", dst, None, dtype, rounded=False)


def divide(src1, src2, dst=None, scale=1, dtype=-1):
    """A quotient, times scale; src1 or src2 may be a scalar, as in divide(1, src). Of integers with a result
    of integers x / 0 is 0."""
    name = "divide"
    (what, src) = ("src2", src2) if _is_scalar(src1, src2) else ("src1", src1)
    text = f"{_times(name, scale)}p / q"
    src, _ = picture_of(name, src, what, DEPTHS)
    if src.dtype.kind != "f" and dtype_of(word_of(name, dtype, src, "dtype", DEPTHS.values())).kind != "f":
        text = f"select(q == 0, 0.0, {text})"
    return of_two(name, src1, src2, text, dst, None, dtype, rounded=False)


def addWeighted(src1, alpha, src2, beta, gamma, dst=None, dtype=-1):
    """src1 alpha + src2 beta + gamma in float32, or float64 of pictures of int32 and float64, stored once."""
    name = "addWeighted"
    a, b, c = (number_of(name, w, v) for w, v in (("alpha", alpha), ("beta", beta), ("gamma", gamma)))
    return of_two(name, src1, src2, f"fma(p, {a!r}, fma(q, {b!r}, {c!r}))", dst, None, dtype, everywhere=False,
                rounded=False)


def scaleAdd(src1, alpha, src2, dst=None):
    """src1 alpha + src2, stored once."""
    return of_two("scaleAdd", src1, src2, f"fma(p, {number_of('scaleAdd', 'alpha', alpha)!r}, q)", dst)


def min(src1, src2, dst=None):  # noqa: A001
    """The minimum, NaN where one is NaN. A number is a scalar's first value, so it is compared with the first channel,
    and 0 with the others."""
    return of_two("min", src1, src2, "min(p, q)", dst, everywhere=False)


def max(src1, src2, dst=None):  # noqa: A001
    """The maximum; see min."""
    return of_two("max", src1, src2, "max(p, q)", dst, everywhere=False)


def magnitude(x, y, magnitude=None):
    """The root of x^2 + y^2, of float32 or float64."""
    if picture_of("magnitude", x, "x", DEPTHS)[0].dtype.kind != "f":
        raise TypeError("magnitude: x must be float32 or float64")
    return of_two("magnitude", x, y, "sqrt(p*p + q*q)", magnitude)


def bitwise_and(src1, src2, dst=None, mask=None):
    """The bits that both have, of floats the bits that store them. A number is a scalar's first value, and the other
    channels meet 0; it is rounded and saturated to the dtype. mask: see add."""
    return of_two("bitwise_and", src1, src2, "p & q", dst, mask, everywhere=False, bits=True)


def bitwise_or(src1, src2, dst=None, mask=None):
    """The bits that either has; see bitwise_and."""
    return of_two("bitwise_or", src1, src2, "p | q", dst, mask, everywhere=False, bits=True)


def bitwise_xor(src1, src2, dst=None, mask=None):
    """The bits that one of them has; see bitwise_and."""
    return of_two("bitwise_xor", src1, src2, "p ^ q", dst, mask, everywhere=False, bits=True)


def bitwise_not(src, dst=None, mask=None):
    """All bits turned; see bitwise_and."""
    src, _ = picture_of("bitwise_not", src, "src", DEPTHS)
    return of_two("bitwise_not", src, src, f"p ^ {2 ** (8 * src.itemsize) - 1}", dst, mask, bits=True)


def convertScaleAbs(src, dst=None, alpha=1, beta=0):
    """The magnitude of src alpha + beta as uint8, stored once."""
    name = "convertScaleAbs"
    src, _ = picture_of(name, src, "src", DEPTHS)
    a, b = number_of(name, "alpha", alpha), number_of(name, "beta", beta)
    check_fits(name, "dst", dst, src.shape, np.dtype(np.uint8))
    return computed(f"abs(fma(a, {a!r}, {b!r}))", [src], "u8", dst)
