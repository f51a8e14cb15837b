# SPDX-License-Identifier: MIT
"""OpenCV's functions that move pixels and change sizes. Used by cv.py."""
import operator

from . import _calls, _ops
from ._cv_arguments import DEPTHS, border_of, channels_of, picture_of, scalar_of
from ._cv_constants import (BORDER_DEFAULT, INTER_AREA, INTER_LINEAR, INTER_NEAREST_EXACT, ROTATE_90_CLOCKWISE,
                            ROTATE_90_COUNTERCLOCKWISE, ROTATE_180)

__all__ = ["buildPyramid", "copyMakeBorder", "flip", "pyrDown", "pyrUp", "resize", "rotate", "transpose"]

_MOVED = {*DEPTHS, "int8", "int32", "float64"}  # dtypes of pictures whose samples only move
_INTERPOLATIONS = {INTER_LINEAR: "linear", INTER_AREA: "area", INTER_NEAREST_EXACT: "nearest"}


def flip(src, flipCode, dst=None):
    """gpufilter.flip: code 0 top and bottom, above 0 left and right, below 0 both."""
    src, axis = picture_of("flip", src, dtypes=_MOVED)
    code = operator.index(flipCode)
    return _ops.flip(src, "y" if code == 0 else "x" if code > 0 else "both", out=dst, channel_axis=axis)


def rotate(src, rotateCode, dst=None):
    """gpufilter.rotate: ROTATE_90_CLOCKWISE, ROTATE_180, ROTATE_90_COUNTERCLOCKWISE."""
    src, axis = picture_of("rotate", src, dtypes=_MOVED)
    angles = {ROTATE_90_CLOCKWISE: "90", ROTATE_180: "180", ROTATE_90_COUNTERCLOCKWISE: "270"}
    if rotateCode not in angles:
        raise ValueError(f"rotate: rotateCode={rotateCode!r}; allowed: ROTATE_90_CLOCKWISE, ROTATE_180 and "
                         "ROTATE_90_COUNTERCLOCKWISE")
    return _ops.rotate(src, angles[rotateCode], out=dst, channel_axis=axis)


def transpose(src, dst=None):
    """gpufilter.transpose."""
    src, axis = picture_of("transpose", src, dtypes=_MOVED)
    return _ops.transpose(src, out=dst, channel_axis=axis)


def copyMakeBorder(src, top, bottom, left, right, borderType, dst=None, value=0):
    """gpufilter.pad. value: like a scalar of OpenCV, a number is the value of the first channel, and missing ones are
    0; the dtype must hold it."""
    name = "copyMakeBorder"
    src, axis = picture_of(name, src, dtypes=_MOVED)
    margin = [operator.index(n) for n in (left, top, right, bottom)]
    if any(n < 0 for n in margin):
        raise ValueError(f"{name}: top, bottom, left, right are {top}, {bottom}, {left}, {right}; they must be 0 or "
                         "more")
    values = scalar_of(value, channels_of(src))
    if hasattr(value, "__len__") and len(value) > 4:
        raise ValueError(f"{name}: value has {len(value)} numbers; a scalar has up to 4")
    return _ops.pad(src, margin, border_of(name, borderType), values, out=dst, channel_axis=axis)


def resize(src, dsize, dst=None, fx=0, fy=0, interpolation=INTER_LINEAR):
    """gpufilter.resize: INTER_LINEAR and INTER_NEAREST_EXACT, and INTER_AREA if the picture shrinks. dsize: (width,
    height), or None with fx and fy that give whole sides."""
    name = "resize"
    src, axis = picture_of(name, src)
    sides = _sides(name, dsize, fx, fy, src)
    if interpolation == INTER_AREA and any(n > was for n, was in zip(sides, src.shape[1::-1])):
        raise NotImplementedError(f"{name}: INTER_AREA from {src.shape[1]}x{src.shape[0]} to {sides[0]}x{sides[1]} is "
                                  "a different operation if a side grows; use INTER_LINEAR, or gpufilter.resize")
    if interpolation not in _INTERPOLATIONS:
        raise NotImplementedError(f"{name}: interpolation={interpolation}; allowed: INTER_LINEAR, INTER_AREA and "
                                  "INTER_NEAREST_EXACT; gpufilter.resize has cubic (a = -0.5, OpenCV: -0.75) and "
                                  "lanczos3 (OpenCV: 4), and nearest takes the pixel at the centre, as "
                                  "INTER_NEAREST_EXACT")
    filter = _INTERPOLATIONS[interpolation]
    return _ops.resize(src, sides, filter=filter, antialias=int(filter == "area"), alpha="straight", out=dst,
                       channel_axis=axis)


def _sides(name, dsize, fx, fy, src):
    if dsize is not None and tuple(dsize) != (0, 0):
        if len(dsize) != 2:
            raise ValueError(f"{name}: dsize={dsize!r}; it must be (width, height)")
        return [operator.index(n) for n in dsize]
    sides = [float(f) * n for f, n in zip((fx, fy), src.shape[1::-1])]
    if any(n < 1 for n in sides):
        raise ValueError(f"{name}: dsize is not given, and fx={fx}, fy={fy} make an empty result; give dsize=(width, "
                         "height)")
    if any(n != round(n) for n in sides):
        raise NotImplementedError(f"{name}: fx={fx}, fy={fy} give sides of {sides[0]:g} and {sides[1]:g}, which OpenCV "
                                  "rounds without changing the scale; give dsize=(width, height)")
    return [round(n) for n in sides]


def pyrDown(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid: half the sides. dstsize: (width, height), rounded up or down; borderType: any but
    BORDER_CONSTANT, which OpenCV does not accept either."""
    return _level("pyrDown", src, dst, dstsize, borderType, "down")


def pyrUp(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid with direction=up: twice the sides. dstsize: (width, height), twice the sides of src or 1 less,
    as for a source picture with odd sides; borderType: BORDER_DEFAULT."""
    return _level("pyrUp", src, dst, dstsize, borderType, "up")


def buildPyramid(src, maxlevel, borderType=BORDER_DEFAULT):
    """A list: src, then pyrDown of the preceding picture, maxlevel times."""
    levels = [picture_of("buildPyramid", src)[0]]
    if operator.index(maxlevel) < 0:
        raise ValueError(f"buildPyramid: maxlevel={maxlevel}; it must be 0 or more")
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
    wanted = sides if dstsize is None or tuple(dstsize) == (0, 0) else [operator.index(n) for n in dstsize]
    least = [2 * n - 1 if direction == "up" else max(n // 2, 1) for n in src.shape[1::-1]]
    if len(wanted) != 2 or any(not low <= n <= high for low, n, high in zip(least, wanted, sides)):
        raise ValueError(f"{name}: dstsize={dstsize!r} of a picture of {src.shape[1]}x{src.shape[0]}; allowed: "
                         f"{least[0]} to {sides[0]}, {least[1]} to {sides[1]}")
    if wanted == sides:
        return _ops.pyramid(src, direction=direction, border=border, out=dst, channel_axis=axis)
    text = f"pyramid direction={direction} border={border} | crop size={wanted[0]}x{wanted[1]}"
    return _calls.default_client().run(text, src, out=dst, channel_axis=axis)
