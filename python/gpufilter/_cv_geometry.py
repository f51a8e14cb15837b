# SPDX-License-Identifier: MIT
"""OpenCV's functions that move pixels and change sizes. Used by cv.py."""
import numpy as np

from . import _calls, _ops
from ._arguments import whole_of
from ._cv_arguments import DEPTHS, border_of, channels_of, check_fits, list_of, pair_of, picture_of, scalar_of
from ._cv_constants import BORDER_DEFAULT, ROTATE_90_CLOCKWISE, ROTATE_90_COUNTERCLOCKWISE, ROTATE_180
from ._intake import into

__all__ = ["buildPyramid", "copyMakeBorder", "flip", "hconcat", "pyrDown", "pyrUp", "rotate", "transpose", "vconcat"]

_MOST_LEVELS = 16  # after which every picture is 1x1


def flip(src, flipCode, dst=None):
    """gpufilter.flip: code 0 top and bottom, above 0 left and right, below 0 both."""
    src, axis = picture_of("flip", src, dtypes=DEPTHS)
    code = whole_of("flip", "flipCode", flipCode)
    return _ops.flip(src, "y" if code == 0 else "x" if code > 0 else "both", out=dst, channel_axis=axis)


def rotate(src, rotateCode, dst=None):
    """gpufilter.rotate: ROTATE_90_CLOCKWISE, ROTATE_180, ROTATE_90_COUNTERCLOCKWISE."""
    src, axis = picture_of("rotate", src, dtypes=DEPTHS)
    angles = {ROTATE_90_CLOCKWISE: "90", ROTATE_180: "180", ROTATE_90_COUNTERCLOCKWISE: "270"}
    rotateCode = whole_of("rotate", "rotateCode", rotateCode)
    if rotateCode not in angles:
        raise ValueError(f"rotate: rotateCode={rotateCode}; allowed: ROTATE_90_CLOCKWISE, ROTATE_180 and "
                         "ROTATE_90_COUNTERCLOCKWISE")
    return _ops.rotate(src, angles[rotateCode], out=dst, channel_axis=axis)


def transpose(src, dst=None):
    """gpufilter.transpose."""
    src, axis = picture_of("transpose", src, dtypes=DEPTHS)
    return _ops.transpose(src, out=dst, channel_axis=axis)


def copyMakeBorder(src, top, bottom, left, right, borderType, dst=None, value=0):
    """gpufilter.pad. value: like a scalar of OpenCV, a number is the value of the first channel, and missing ones are
    0; the dtype must hold it."""
    name = "copyMakeBorder"
    src, axis = picture_of(name, src, dtypes=DEPTHS)
    margin = [whole_of(name, w, n) for w, n in (("left", left), ("top", top), ("right", right), ("bottom", bottom))]
    if any(n < 0 for n in margin):
        raise ValueError(f"{name}: top, bottom, left, right are {top}, {bottom}, {left}, {right}; they must be 0 or "
                         "more")
    values = scalar_of(name, "value", value, channels_of(src))
    return _ops.pad(src, margin, border_of(name, borderType), values, out=dst, channel_axis=axis)


def hconcat(src, dst=None):
    """Pictures side by side, of the same height, channels and dtype; joined on the host."""
    return _joined("hconcat", src, dst, 1)


def vconcat(src, dst=None):
    """Pictures below each other, of the same width, channels and dtype; joined on the host."""
    return _joined("vconcat", src, dst, 0)


def _joined(name, src, dst, axis):
    pictures = [picture_of(name, p, f"src[{i}]", DEPTHS)[0] for i, p in enumerate(list_of(name, "src", src))]
    if not pictures:
        raise ValueError(f"{name}: src is empty; it must have one picture or more")
    kinds = {(p.dtype.name, p.shape[1 - axis], *p.shape[2:]) for p in pictures}
    if len(kinds) > 1:
        raise ValueError(f"{name}: src has pictures of shapes {', '.join(str(p.shape) for p in pictures)} and dtypes "
                         f"{', '.join(p.dtype.name for p in pictures)}; they may differ in their "
                         f"{('height', 'width')[axis]} alone")
    made = np.concatenate(pictures, axis)
    check_fits(name, "dst", dst, made.shape, made.dtype)
    return into(dst, made)


def pyrDown(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid: half the sides. dstsize: (width, height), rounded up or down; borderType: any but
    BORDER_CONSTANT, which OpenCV does not accept either."""
    return _level("pyrDown", src, dst, dstsize, borderType, "down")


def pyrUp(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid with direction=up: twice the sides. dstsize: (width, height), twice the sides of src or 1 less,
    as for a source picture with odd sides; borderType: BORDER_DEFAULT."""
    return _level("pyrUp", src, dst, dstsize, borderType, "up")


def buildPyramid(src, maxlevel, borderType=BORDER_DEFAULT):
    """A list: src, then pyrDown of the preceding picture, maxlevel times, up to 16."""
    levels = [picture_of("buildPyramid", src)[0]]
    maxlevel = whole_of("buildPyramid", "maxlevel", maxlevel)
    if not 0 <= maxlevel <= _MOST_LEVELS:
        raise ValueError(f"buildPyramid: maxlevel={maxlevel}; allowed: 0 to {_MOST_LEVELS}, after which each picture "
                         "is 1x1")
    for _ in range(maxlevel):
        levels.append(_level("buildPyramid", levels[-1], None, None, borderType, "down"))
    return levels


def _level(name, src, dst, dstsize, border, direction):
    src, axis = picture_of(name, src)
    border = border_of(name, border)
    if border == "constant" or direction == "up" and border != "reflect101":
        allowed = "BORDER_DEFAULT" if direction == "up" else "any other but BORDER_TRANSPARENT"
        raise NotImplementedError(f"{name}: borderType of {border}; allowed: {allowed}")
    sides = [2 * n if direction == "up" else (n + 1) // 2 for n in src.shape[1::-1]]
    wanted = [0, 0] if dstsize is None else pair_of(name, "dstsize", dstsize)
    wanted = sides if wanted == [0, 0] else wanted
    least = [2 * n - 1 if direction == "up" else max(n // 2, 1) for n in src.shape[1::-1]]
    if any(not low <= n <= high for low, n, high in zip(least, wanted, sides)):
        raise ValueError(f"{name}: dstsize={dstsize!r} of a picture of {src.shape[1]}x{src.shape[0]}; allowed: "
                         f"{least[0]} to {sides[0]}, {least[1]} to {sides[1]}")
    if wanted == sides:
        return _ops.pyramid(src, direction=direction, border=border, out=dst, channel_axis=axis)
    text = f"pyramid direction={direction} border={border} | crop size={wanted[0]}x{wanted[1]}"
    return _calls.default_client().run(text, src, out=dst, channel_axis=axis)
