# SPDX-License-Identifier: MIT
"""Checks arguments as OpenCV takes them: pictures, masks, depths, borders, kernels, scalars, and arrays for results.
Used by the parts of cv.py."""
import functools
import inspect

import numpy as np

from ._arguments import number_of, whole_of
from ._array import DeviceArray
from ._cv_constants import (BORDER_CONSTANT, BORDER_ISOLATED, BORDER_REFLECT, BORDER_REFLECT_101, BORDER_REPLICATE,
                            BORDER_WRAP, CV_8S, CV_8U, CV_16S, CV_16U, CV_32F, CV_32S, CV_64F)
from ._intake import asarray
from ._program import shown

MOST_WHOLE = 2**24  # float32 is exact for whole numbers up to it
WORDS = {CV_8U: "u8", CV_8S: "i8", CV_16U: "u16", CV_16S: "i16", CV_32S: "i32", CV_32F: "f32", CV_64F: "f64"}
DEPTHS = {"uint8": CV_8U, "uint16": CV_16U, "int16": CV_16S, "float32": CV_32F, "float64": CV_64F, "int8": CV_8S,
          "int32": CV_32S}
PICTURES = list(DEPTHS)[:4]  # dtypes of pictures; arithmetic and moves take all of DEPTHS
FILTERED = list(DEPTHS)[:5]
_CALLED = {CV_8U: "CV_8U", CV_8S: "CV_8S", CV_16U: "CV_16U", CV_16S: "CV_16S", CV_32S: "CV_32S", CV_32F: "CV_32F",
           CV_64F: "CV_64F"}
_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}


def listed(words):
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else words[0]


def array_of(name, what, value):
    try:
        return asarray(value)
    except (TypeError, ValueError) as why:
        raise type(why)(f"{name}: {what}: {why}") from None


def list_of(name, what, value, form="a list", length=None):
    """The values of a sequence."""
    sequence = isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) > 0
    if not sequence or len(value) != (length or len(value)):
        raise TypeError(f"{name}: {what}={shown(value)}; it must be {form}")
    return list(value)


def pair_of(name, what, value, form="(width, height)"):
    return [whole_of(name, what, v) for v in list_of(name, what, value, form, 2)]


def picture_of(name, src, what="src", dtypes=PICTURES):
    """A picture, and its axis of channels. OpenCV has no axis for one channel: (H, W, 1) becomes (H, W)."""
    if isinstance(src, DeviceArray):
        raise TypeError(f"{name}: {what} is on the daemon's device; use the functions of gpufilter, whose results stay "
                        "there, or .numpy()")
    src = array_of(name, what, src)
    src = src.astype(src.dtype.newbyteorder("="), copy=False)
    if src.dtype.name not in dtypes:
        more = "; for a mask, use array.view('uint8') * 255" if src.dtype == bool else ""
        raise TypeError(f"{name}: {what} has dtype {src.dtype}; it takes {listed(list(dtypes))}{more}")
    if src.ndim not in (2, 3) or (src.ndim == 3 and not 1 <= src.shape[2] <= 4):
        raise ValueError(f"{name}: {what} has shape {src.shape}; it must be (H, W) or (H, W, C) with 1 to 4 channels")
    if src.size == 0:
        raise ValueError(f"{name}: {what} has shape {src.shape}; each side must be 1 or longer")
    if src.ndim == 3 and src.shape[2] == 1:
        src = src[:, :, 0]
    return src, -1 if src.ndim == 3 else None


def mask_of(name, mask, shape):
    """The mask of a picture of this shape: (H, W) of uint8, int8 or bool, as uint8."""
    mask = array_of(name, "mask", mask)
    if mask.dtype.name not in ("uint8", "int8", "bool") or mask.shape not in (shape[:2], (*shape[:2], 1)):
        raise ValueError(f"{name}: mask has shape {mask.shape} and dtype {mask.dtype}; it must be {shape[:2]} of uint8 "
                         "or bool")
    return mask.reshape(shape[:2]).view(np.uint8)


def bytes_of(name, image, what, op):
    """A picture of uint8 without channels; the operation `op` takes other ones, too."""
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


def word_of(name, ddepth, src, what="ddepth", depths=(CV_8U, CV_16U, CV_16S, CV_32F, CV_64F)):
    """The word for the dtype of a result."""
    ddepth = whole_of(name, what, ddepth)
    if ddepth == -1:
        return WORDS[DEPTHS[src.dtype.name]]
    if ddepth not in depths:
        raise NotImplementedError(f"{name}: {what}={ddepth}; allowed: {listed(['-1', *(_CALLED[d] for d in depths)])}")
    return WORDS[ddepth]


def dtype_of(word):
    return np.dtype(next(dtype for dtype, depth in DEPTHS.items() if WORDS[depth] == word))


def border_of(name, border):
    kind = whole_of(name, "borderType", border) & ~BORDER_ISOLATED
    if kind not in _BORDERS:
        raise NotImplementedError(f"{name}: borderType={border}; allowed: BORDER_CONSTANT, BORDER_REPLICATE, "
                                  "BORDER_REFLECT, BORDER_WRAP and BORDER_REFLECT_101")
    return _BORDERS[kind]


def anchor_of(name, anchor, width, height):
    x, y = (a if a != -1 else n // 2 for a, n in zip(pair_of(name, "anchor", anchor, "(x, y)"), (width, height)))
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{name}: anchor={tuple(anchor)} in a kernel of {width}x{height}; it must lie inside")
    return x, y


def kernel_of(name, kernel, what="kernel", dtype=np.float32):
    """A kernel of two axes, or for sepFilter2D a row, in either orientation."""
    kernel, vector = array_of(name, what, kernel), what != "kernel"
    if kernel.dtype.kind not in "iuf" or not kernel.size or kernel.ndim > 2 or (
            kernel.size not in kernel.shape if vector else kernel.ndim != 2):
        raise ValueError(f"{name}: {what} has shape {kernel.shape} and dtype {kernel.dtype}; it must be numbers, "
                         + ("in one row or column" if vector else "of two axes, rows and columns"))
    return np.ascontiguousarray(kernel.ravel() if vector else kernel, dtype)


def scalar_of(name, what, value, channels):
    """A value for each channel: a number is the value of the first channel, and missing ones are 0."""
    values = [number_of(name, what, v) for v in array_of(name, what, value).ravel().tolist()]
    if len(values) > 4:
        raise ValueError(f"{name}: {what} has {len(values)} numbers; a scalar has up to 4")
    return (values + [0.0] * channels)[:channels]


def check_fits(name, what, given, shape, dtype):
    """Refuses an array for a result that has another shape or dtype. None is no such array."""
    if given is None:
        return
    if not isinstance(given, np.ndarray):
        raise TypeError(f"{name}: {what} is a {type(given).__name__}; it must be a numpy array")
    if given.shape != shape or given.dtype != dtype:
        raise ValueError(f"{name}: {what} has shape {given.shape} and dtype {given.dtype}; the result has {shape} and "
                         f"{dtype}")


def in_place(function):
    """The function, whose array for the result, if it has one, may also be an operand or share its memory: the result
    then comes from memory of its own. The array is the parameter dst, edges or magnitude."""
    names = list(inspect.signature(function).parameters)
    at = next((i for i, name in enumerate(names) if name in ("dst", "edges", "magnitude")), None)
    if at is None:
        return function

    @functools.wraps(function)
    def call(*args, **options):
        given = args[at] if len(args) > at else options.get(names[at])
        if not isinstance(given, np.ndarray) or not given.flags.writeable:
            return function(*args, **options)
        others = [*args[:at], *args[at + 1:], *[v for name, v in options.items() if name != names[at]]]
        parts = [a for other in others for a in (other if isinstance(other, (list, tuple)) else [other])]
        if not any(isinstance(a, np.ndarray) and np.may_share_memory(a, given) for a in parts):
            return function(*args, **options)
        own = given.copy()
        made = function(*args[:at], own, *args[at + 1:], **options) if len(args) > at else \
            function(*args, **{**options, names[at]: own})
        given[...] = own
        return tuple(given if part is own else part for part in made) if isinstance(made, tuple) else given

    return call
