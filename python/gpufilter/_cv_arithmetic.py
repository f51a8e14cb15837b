# SPDX-License-Identifier: MIT
"""OpenCV's functions of samples at one place: arithmetic of two pictures, tables and thresholds. Used by cv.py."""
import math

import numpy as np

from . import _calls, _floats, _ops
from ._cv_arguments import DEPTHS, WORDS, picture_of, word_of
from ._cv_constants import (THRESH_BINARY, THRESH_BINARY_INV, THRESH_MASK, THRESH_TOZERO, THRESH_TOZERO_INV,
                            THRESH_TRUNC)
from ._intake import asarray

__all__ = ["LUT", "absdiff", "add", "addWeighted", "magnitude", "max", "min", "multiply", "subtract", "threshold"]


def _two(name, src1, src2, mode, dtype=-1, dst=None, mask=None, **options):
    if mask is not None:
        raise NotImplementedError(f"{name}: mask; use numpy.where(mask, result, dst) on the host")
    first, axis = picture_of(name, src1, "src1")
    if np.ndim(src2) == 0 or (isinstance(src2, (list, tuple)) and len(src2) <= 4):
        raise NotImplementedError(f"{name}: src2={src2!r} is not a picture; use gpufilter.map to add or multiply by a "
                                  "number")
    second, _ = picture_of(name, src2, "src2")
    return _ops.combine(first, second, mode, dtype=word_of(name, dtype, first, "dtype"), alpha="straight", out=dst,
                        channel_axis=axis, **options)


def absdiff(src1, src2, dst=None):
    """gpufilter.combine with mode=absdiff."""
    return _two("absdiff", src1, src2, "absdiff", dst=dst)


def add(src1, src2, dst=None, mask=None, dtype=-1):
    """gpufilter.combine: a sum, rounded once and saturated."""
    return _two("add", src1, src2, "linear", dtype, dst, mask)


def subtract(src1, src2, dst=None, mask=None, dtype=-1):
    """gpufilter.combine: a difference, rounded once and saturated."""
    return _two("subtract", src1, src2, "linear", dtype, dst, mask, b=-1.0)


def addWeighted(src1, alpha, src2, beta, gamma, dst=None, dtype=-1):
    """gpufilter.combine: src1 alpha + src2 beta + gamma in float32, rounded once and saturated."""
    return _two("addWeighted", src1, src2, "linear", dtype, dst, a=float(alpha), b=float(beta), c=float(gamma))


def multiply(src1, src2, dst=None, scale=1, dtype=-1):
    """gpufilter.combine with mode=mul; scale must be 1."""
    if scale != 1:
        raise NotImplementedError(f"multiply: scale={scale}; use gpufilter.map(product, scale=...) on a product of "
                                  "float32")
    return _two("multiply", src1, src2, "mul", dtype, dst)


def min(src1, src2, dst=None):  # noqa: A001
    """gpufilter.combine with mode=min."""
    return _two("min", src1, src2, "min", dst=dst)


def max(src1, src2, dst=None):  # noqa: A001
    """gpufilter.combine with mode=max."""
    return _two("max", src1, src2, "max", dst=dst)


def magnitude(x, y, magnitude=None):
    """gpufilter.combine with mode=magnitude, of float32."""
    if picture_of("magnitude", x, "x")[0].dtype != np.float32:
        raise TypeError("magnitude: x must be float32")
    return _two("magnitude", x, y, "magnitude", dst=magnitude)


def LUT(src, lut, dst=None):
    """gpufilter.map with a table of 256 entries of uint8, uint16, int16 or float32, the same for all channels."""
    src, axis = picture_of("LUT", src)
    lut = asarray(lut)
    if src.dtype != np.uint8:
        raise TypeError(f"LUT: src has dtype {src.dtype}; it takes uint8")
    if lut.size != 256:
        raise NotImplementedError(f"LUT: lut has shape {lut.shape}; it must be one table of 256 entries for all "
                                  "channels")
    return _table(src, axis, lut.ravel(), dst)


def _table(src, axis, table, dst):
    word = WORDS.get(DEPTHS.get(table.dtype.name))
    if word is None:
        raise TypeError(f"LUT: lut has dtype {table.dtype}; it takes uint8, uint16, int16 and float32")
    return _ops.map(src, table=table, dtype=word, alpha="straight", out=dst, channel_axis=axis)


def threshold(src, thresh, maxval, type, dst=None):  # noqa: A002
    """(thresh, result). uint8, uint16 and int16: gpufilter.map with a table, all five types; float32:
    gpufilter.threshold, for THRESH_BINARY and THRESH_BINARY_INV."""
    name = "threshold"
    src, axis = picture_of(name, src)
    thresh, maxval = float(thresh), float(maxval)
    if type & ~THRESH_MASK:
        raise NotImplementedError(f"{name}: type={type}; gpufilter.threshold(src) applies Otsu's threshold")
    if type > THRESH_TOZERO_INV or (src.dtype == np.float32 and type > THRESH_BINARY_INV):
        raise NotImplementedError(f"{name}: type={type} of {src.dtype}; allowed: THRESH_BINARY, THRESH_BINARY_INV, and "
                                  "of integers THRESH_TRUNC, THRESH_TOZERO and THRESH_TOZERO_INV")
    if src.dtype == np.float32:
        scale, offset = (maxval, 0.0) if type == THRESH_BINARY else (-maxval, maxval)
        text = (f"threshold mode=fixed value={thresh!r} channels=each alpha=straight | map scale={scale!r} "
                f"offset={offset!r} alpha=straight")
        return thresh, _calls.default_client().run(text, src, out=dst, channel_axis=axis)
    x = np.arange(float(np.iinfo(src.dtype).min), np.iinfo(src.dtype).max + 1.0)
    above = x > thresh
    table = {THRESH_BINARY: lambda: np.where(above, maxval, 0), THRESH_BINARY_INV: lambda: np.where(above, 0, maxval),
             THRESH_TRUNC: lambda: np.where(above, math.floor(thresh), x), THRESH_TOZERO: lambda: np.where(above, x, 0),
             THRESH_TOZERO_INV: lambda: np.where(above, 0, x)}[type]()
    return thresh, _table(src, axis, _floats.store(table, src.dtype), dst)
