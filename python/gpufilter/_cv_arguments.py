# SPDX-License-Identifier: MIT
"""Checks arguments as OpenCV takes them: pictures, depths, borders, kernels, scalars, and arrays for results. Used by
the parts of cv.py."""
import operator

import numpy as np

from ._array import DeviceArray
from ._cv_constants import (BORDER_CONSTANT, BORDER_ISOLATED, BORDER_REFLECT, BORDER_REFLECT_101, BORDER_REPLICATE,
                            BORDER_WRAP, CV_8U, CV_16S, CV_16U, CV_32F, CV_64F)
from ._intake import asarray

MOST_WHOLE = 2**24  # float32 is exact for whole numbers up to it
WORDS = {CV_8U: "u8", CV_16U: "u16", CV_16S: "i16", CV_32F: "f32"}
DEPTHS = {"uint8": CV_8U, "uint16": CV_16U, "int16": CV_16S, "float32": CV_32F}
_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}


def picture_of(name, src, what="src", dtypes=DEPTHS):
    """A picture, and whether its last axis is channels."""
    if isinstance(src, DeviceArray):
        raise TypeError(f"{name}: {what} is on the daemon's device; use the functions of gpufilter, whose results stay "
                        "there, or .numpy()")
    src = asarray(src)
    src = src.astype(src.dtype.newbyteorder("="), copy=False)
    if src.dtype.name not in dtypes:
        more = "uint8, uint16, int16 and float32" if dtypes is DEPTHS else ", ".join(sorted(dtypes))
        raise TypeError(f"{name}: {what} has dtype {src.dtype}; it takes {more}")
    if src.ndim not in (2, 3) or (src.ndim == 3 and not 1 <= src.shape[2] <= 4):
        raise ValueError(f"{name}: {what} has shape {src.shape}; it must be (H, W) or (H, W, C) with 1 to 4 channels")
    return src, -1 if src.ndim == 3 else None


def bytes_of(name, image, what, op):
    """A picture of uint8 without an axis of channels; the operation `op` takes other ones, too."""
    picture, axis = picture_of(name, image, what)
    if picture.dtype != np.uint8 or axis is not None:
        raise TypeError(f"{name}: {what} has shape {picture.shape} and dtype {picture.dtype}; it takes (H, W) of "
                        f"uint8; gpufilter.{op} takes more")
    return picture


def channels_of(picture):
    return picture.shape[2] if picture.ndim == 3 else 1


def with_channels(picture):
    """The picture with an axis of channels."""
    return picture if picture.ndim == 3 else picture[:, :, None]


def word_of(name, ddepth, src, what="ddepth"):
    """The word for the dtype of a result."""
    if ddepth == -1:
        return WORDS[DEPTHS[src.dtype.name]]
    if ddepth not in WORDS:
        more = "; use CV_32F and .astype('float64')" if ddepth == CV_64F else ""
        raise NotImplementedError(f"{name}: {what}={ddepth}; allowed: -1, CV_8U, CV_16U, CV_16S and CV_32F{more}")
    return WORDS[ddepth]


def border_of(name, border):
    kind = operator.index(border) & ~BORDER_ISOLATED
    if kind not in _BORDERS:
        raise NotImplementedError(f"{name}: borderType={border}; allowed: BORDER_CONSTANT, BORDER_REPLICATE, "
                                  "BORDER_REFLECT, BORDER_WRAP and BORDER_REFLECT_101")
    return _BORDERS[kind]


def size_of(name, ksize):
    if not hasattr(ksize, "__len__") or len(ksize) != 2:
        raise TypeError(f"{name}: ksize={ksize!r}; it must be (width, height)")
    return operator.index(ksize[0]), operator.index(ksize[1])


def anchor_of(name, anchor, width, height):
    x, y = (operator.index(a) if a != -1 else n // 2 for a, n in zip(anchor, (width, height)))
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{name}: anchor={tuple(anchor)} in a kernel of {width}x{height}; it must lie inside")
    return x, y


def kernel_of(name, kernel, what="kernel"):
    """A kernel of two axes, or for sepFilter2D a row, in either orientation."""
    kernel, vector = asarray(kernel), what != "kernel"
    if kernel.dtype.kind not in "iuf" or not kernel.size or kernel.ndim > 2 or (
            kernel.size not in kernel.shape if vector else kernel.ndim != 2):
        raise ValueError(f"{name}: {what} has shape {kernel.shape} and dtype {kernel.dtype}; it must be numbers, "
                         + ("in one row or column" if vector else "of two axes, rows and columns"))
    return np.ascontiguousarray(kernel.ravel() if vector else kernel, np.float32)


def scalar_of(value, channels):
    """A value for each channel: a number is the value of the first channel, and missing ones are 0."""
    values = [float(v) for v in (value if hasattr(value, "__len__") else [value])]
    return (values + [0.0] * channels)[:channels]


def check_fits(name, what, given, shape, dtype):
    """Refuses an array for a result that has another shape or dtype. None is no such array."""
    if given is not None and (given.shape != shape or given.dtype != dtype):
        raise ValueError(f"{name}: {what} has shape {given.shape} and dtype {given.dtype}; the result has {shape} and "
                         f"{dtype}")
