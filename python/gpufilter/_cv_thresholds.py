# SPDX-License-Identifier: MIT
"""OpenCV's thresholds, ranges and tables: functions of each sample by itself, or beside its neighbours' mean. Used by
cv.py."""
import math

import numpy as np

from . import _ops
from ._arguments import number_of, whole_of
from ._cv_arguments import DEPTHS, FILTERED, WORDS, array_of, bytes_of, channels_of, check_fits, picture_of, scalar_of
from ._cv_arithmetic import computed
from ._cv_constants import (ADAPTIVE_THRESH_GAUSSIAN_C, ADAPTIVE_THRESH_MEAN_C, BORDER_REPLICATE, THRESH_BINARY,
                            THRESH_BINARY_INV, THRESH_MASK, THRESH_OTSU, THRESH_TOZERO_INV, THRESH_TRIANGLE)
from ._cv_filters import GaussianBlur, blur

__all__ = ["LUT", "adaptiveThreshold", "inRange", "threshold"]

_LEAST = float(np.finfo(np.float32).eps)  # of a class's share, in Otsu's method


def LUT(src, lut, dst=None):
    """gpufilter.map with a table of 256 entries of uint8, uint16, int16 or float32, the same for all channels."""
    src, axis = picture_of("LUT", src)
    lut = array_of("LUT", "lut", lut)
    if src.dtype != np.uint8:
        raise TypeError(f"LUT: src has dtype {src.dtype}; it takes uint8")
    if lut.size != 256:
        raise NotImplementedError(f"LUT: lut has shape {lut.shape}; it must be one table of 256 entries for all "
                                  "channels; gpufilter.copy and gpufilter.merge take channels apart")
    word = WORDS.get(DEPTHS.get(lut.dtype.name))
    if word not in ("u8", "u16", "i16", "f32"):
        raise TypeError(f"LUT: lut has dtype {lut.dtype}; it takes uint8, uint16, int16 and float32")
    return _ops.map(src, table=lut.ravel(), dtype=word, alpha="straight", out=dst, channel_axis=axis)


def threshold(src, thresh, maxval, type, dst=None):  # noqa: A002
    """(thresh, result) by gpufilter.expr: THRESH_BINARY and the other four. With THRESH_OTSU, for uint8 and uint16, or
    THRESH_TRIANGLE, for uint8, the threshold is found from gpufilter.histogram; thresh is ignored. Of integers thresh
    is rounded down, and maxval to nearest, as in OpenCV."""
    name = "threshold"
    src, _ = picture_of(name, src, "src", FILTERED)
    kind = whole_of(name, "type", type)
    kind, found_by = kind & THRESH_MASK, kind & ~THRESH_MASK
    thresh, maxval = number_of(name, "thresh", thresh), number_of(name, "maxval", maxval)
    if kind > THRESH_TOZERO_INV or found_by not in (0, THRESH_OTSU, THRESH_TRIANGLE):
        raise NotImplementedError(f"{name}: type={type}; allowed: THRESH_BINARY, THRESH_BINARY_INV, THRESH_TRUNC, "
                                  "THRESH_TOZERO and THRESH_TOZERO_INV, each with THRESH_OTSU or THRESH_TRIANGLE")
    if found_by:
        takes = ("uint8", "uint16") if found_by == THRESH_OTSU else ("uint8",)
        if src.dtype.name not in takes or src.ndim == 3:
            raise TypeError(f"{name}: src has shape {src.shape} and dtype {src.dtype}; with THRESH_OTSU it takes (H, "
                            "W) of uint8 or uint16, with THRESH_TRIANGLE of uint8; gpufilter.threshold takes more")
        counts = _ops.histogram(src, channel_axis=None).counts.ravel()
        thresh = float((_otsu if found_by == THRESH_OTSU else _triangle)(counts.tolist()))
    if src.dtype.kind != "f":
        thresh, maxval = float(math.floor(thresh)), float(round(maxval))
    numbers = {"t": thresh, "m": maxval}
    text = ("select(a > t, m, 0)", "select(a > t, 0, m)", "select(a > t, t, a)", "select(a > t, a, 0)",
            "select(a > t, 0, a)")[kind]
    return thresh, computed(f"param t = 0.0; param m = 0.0; {text}", [src], "same", dst, numbers)


def _otsu(counts):
    """The level with the greatest variance between the classes, in the order of OpenCV's float64: near ties depend on
    it."""
    scale = 1 / sum(counts)
    mean = sum(level * n for level, n in enumerate(counts)) * scale
    below = share = greatest = 0.0  # the mean of the lower class, and its share
    found = 0
    for level, n in enumerate(counts):
        below *= share
        share += n * scale
        rest = 1 - share
        if not _LEAST <= share <= 1 - _LEAST or not _LEAST <= rest <= 1 - _LEAST:
            continue
        below = (below + level * (n * scale)) / share
        apart = below - (mean - share * below) / rest
        if share * rest * apart * apart > greatest:
            greatest, found = share * rest * apart * apart, level
    return found


def _triangle(counts):
    """The level farthest from the line between the greatest count and the last level of the longer tail."""
    used, last = [level for level, n in enumerate(counts) if n], len(counts) - 1
    left, right, peak = max(used[0] - 1, 0), min(used[-1] + 1, last), counts.index(max(counts))
    turned = peak - left < right - peak
    if turned:
        counts, left, peak = counts[::-1], last - right, last - peak
    height, width = counts[peak], left - peak
    distances = [height * level + width * counts[level] for level in range(left + 1, peak + 1)]
    found = left + 1 + distances.index(max(distances)) if distances and max(distances) > 0 else left
    return last - (found - 1) if turned else found - 1


def adaptiveThreshold(src, maxValue, adaptiveMethod, thresholdType, blockSize, C, dst=None):
    """Compares each sample with the mean around it less C, which is gpufilter.box, or gpufilter.gaussian in float32,
    stored as uint8. src: (H, W) of uint8; thresholdType: THRESH_BINARY or THRESH_BINARY_INV."""
    name = "adaptiveThreshold"
    src = bytes_of(name, src, "src", "expr")
    side = whole_of(name, "blockSize", blockSize)
    most, c = number_of(name, "maxValue", maxValue), number_of(name, "C", C)
    if side < 3 or side % 2 == 0:
        raise ValueError(f"{name}: blockSize={side}; it must be odd, 3 or more")
    adaptiveMethod, thresholdType = (whole_of(name, w, v) for w, v in (
        ("adaptiveMethod", adaptiveMethod), ("thresholdType", thresholdType)))
    if adaptiveMethod not in (ADAPTIVE_THRESH_MEAN_C, ADAPTIVE_THRESH_GAUSSIAN_C) or thresholdType not in (
            THRESH_BINARY, THRESH_BINARY_INV):
        raise ValueError(f"{name}: adaptiveMethod={adaptiveMethod}, thresholdType={thresholdType}; allowed: "
                         "ADAPTIVE_THRESH_MEAN_C and ADAPTIVE_THRESH_GAUSSIAN_C, THRESH_BINARY and THRESH_BINARY_INV")
    if adaptiveMethod == ADAPTIVE_THRESH_MEAN_C:
        mean = blur(src, (side, side), borderType=BORDER_REPLICATE)
    else:
        mean = GaussianBlur(src.astype(np.float32), (side, side), 0, borderType=BORDER_REPLICATE)
    up = thresholdType == THRESH_BINARY
    text = f"param less = 0; param m = 0.0; select(a - i64(round(b)) > -less, {'m, 0' if up else '0, m'})"
    return computed(text, [src, mean], "u8", dst, {"less": math.ceil(c) if up else math.floor(c), "m": most})


def inRange(src, lowerb, upperb, dst=None):
    """255 where each channel of src lies between its bounds, both included, else 0; (H, W) of uint8. Bounds: scalars,
    of which a number is the first value, or pictures like src. Of integers scalars are rounded to whole numbers, ties
    to even, as in OpenCV."""
    name = "inRange"
    src, _ = picture_of(name, src, "src", DEPTHS)
    operands, texts, numbers, bounds = [src], [], {}, []
    channels = channels_of(src)
    for what, value in (("lowerb", lowerb), ("upperb", upperb)):
        if getattr(value, "ndim", 0) > 1:
            picture, _ = picture_of(name, value, what, DEPTHS)
            if picture.shape != src.shape or picture.dtype != src.dtype:
                raise ValueError(f"{name}: {what} has shape {picture.shape} and dtype {picture.dtype}, src {src.shape} "
                                 f"and {src.dtype}; they must be the same")
            letter = "abc"[len(operands)]
            operands.append(picture)
            bounds.append([f"{letter}[{i}]" for i in range(channels)])
            continue
        values = scalar_of(name, what, value, channels)
        values = values if src.dtype.kind == "f" else [float(round(v)) for v in values]
        named = [f"{what[0]}{i}" for i in range(channels)]
        texts += [f"param {n} = 0.0" for n in named]
        numbers.update(zip(named, values))
        bounds.append(named)
    inside = " & ".join(f"(a[{i}] >= {lo}) & (a[{i}] <= {hi})" for i, (lo, hi) in enumerate(zip(*bounds)))
    check_fits(name, "dst", dst, src.shape[:2], np.dtype(np.uint8))
    return computed("; ".join([*texts, f"select({inside}, 255, 0)"]), operands, "u8", dst, numbers)
