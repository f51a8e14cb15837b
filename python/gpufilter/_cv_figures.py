# SPDX-License-Identifier: MIT
"""OpenCV's figures of whole pictures, and normalize, which follows from them. Used by cv.py."""
import numpy as np

from . import _ops
from ._arguments import number_of, whole_of
from ._cv_arguments import DEPTHS, channels_of, check_fits, dtype_of, mask_of, picture_of, with_channels, word_of
from ._cv_arithmetic import computed, of_two
from ._cv_constants import CV_64F, NORM_INF, NORM_L1, NORM_L2, NORM_L2SQR, NORM_MINMAX
from ._intake import into

__all__ = ["countNonZero", "mean", "meanStdDev", "minMaxLoc", "norm", "normalize", "sumElems"]

_NORMS = {NORM_INF: "linf", NORM_L1: "l1", NORM_L2: "l2", NORM_L2SQR: "l2"}


def _samples(name, src, mask, what="src"):
    """The samples under a mask, a row of pixels; all of them without a mask, as they lie. None if there are none."""
    src, _ = picture_of(name, src, what, DEPTHS)
    deep = with_channels(src)
    if mask is None:
        return deep
    chosen = deep[mask_of(name, mask, src.shape) != 0]
    return chosen[None] if len(chosen) else None


def _one_channel(name, src):
    src, axis = picture_of(name, src, "src", DEPTHS)
    if axis is not None:
        raise ValueError(f"{name}: src has shape {src.shape}; it must be (H, W); gpufilter.stats has the figures of "
                         "each channel")
    return src


def minMaxLoc(src, mask=None):
    """(least, greatest, place of the least, place of the greatest) by gpufilter.stats; places are (x, y) of the first
    such sample. src: (H, W). NaN is left out. 0 and (-1, -1) if nothing is left."""
    name = "minMaxLoc"
    src = _one_channel(name, src)
    samples = _samples(name, src, mask)
    if samples is None or src.dtype.kind == "f" and np.isnan(samples).all():
        return 0.0, 0.0, (-1, -1), (-1, -1)
    figures = _ops.stats(samples, nan="omit", overflow="wrap", channel_axis=-1)
    places = [int(figures.argmin[0]), int(figures.argmax[0])]
    if mask is not None:
        at = np.flatnonzero(mask_of(name, mask, src.shape))
        places = [int(at[p]) for p in places]
    least, greatest = (divmod(p, src.shape[1])[::-1] for p in places)
    return float(figures.min[0]), float(figures.max[0]), least, greatest


def countNonZero(src):
    """gpufilter.reduce with op=count, of (H, W)."""
    return int(_ops.reduce(_one_channel("countNonZero", src), "count", channel_axis=None))


def sumElems(src):
    """The sums of the channels by gpufilter.reduce, and 0 for those that are missing: four numbers."""
    return _four(_ops.reduce(_samples("sumElems", src, None), "sum", channel_axis=-1))


def _four(values):
    return tuple([*(float(v) for v in np.ravel(values)), 0.0, 0.0, 0.0][:4])


def mean(src, mask=None):
    """The means of the channels by gpufilter.reduce, and 0 for those that are missing: four numbers."""
    samples = _samples("mean", src, mask)
    return (0.0,) * 4 if samples is None else _four(_ops.reduce(samples, "mean", channel_axis=-1))


def meanStdDev(src, mean=None, stddev=None, mask=None):
    """Means and standard deviations by gpufilter.reduce: two columns with a row for each channel."""
    name = "meanStdDev"
    samples, made = _samples(name, src, mask), []
    shape = (channels_of(picture_of(name, src, "src", DEPTHS)[0]), 1)
    for what, op, given in (("mean", "mean", mean), ("stddev", "std", stddev)):
        check_fits(name, what, given, shape, np.dtype(float))
        found = np.zeros(shape) if samples is None else _ops.reduce(samples, op, channel_axis=-1)
        made.append(into(given, np.reshape(found, shape)))
    return tuple(made)


def _is_whole(value):
    return hasattr(value, "__index__") and np.ndim(value) == 0


def norm(src1, src2=None, normType=NORM_L2, mask=None):
    """NORM_INF, NORM_L1, NORM_L2 or NORM_L2SQR of all channels together by gpufilter.reduce, of src1 or of the
    difference of src1 and src2."""
    name = "norm"
    if _is_whole(src2):  # norm(src1, normType, mask)
        src2, normType, mask = None, src2, mask if _is_whole(normType) else normType
    normType = whole_of(name, "normType", normType)
    if normType not in _NORMS:
        raise NotImplementedError(f"{name}: normType={normType}; allowed: NORM_INF, NORM_L1, NORM_L2 and NORM_L2SQR; "
                                  "gpufilter.compare has the errors of one picture against another")
    if src2 is not None:
        src1, _ = picture_of(name, src1, "src1", DEPTHS)
        src1 = of_two(name, src1, picture_of(name, src2, "src2", DEPTHS)[0], "p - q",
                      dtype=-1 if src1.dtype.kind == "f" else CV_64F)
    samples = _samples(name, src1, mask, "src1")
    if samples is None:
        return 0.0
    found = float(_ops.reduce(samples.reshape(1, -1), _NORMS[normType], channel_axis=None))
    return found * found if normType == NORM_L2SQR else found


def normalize(src, dst=None, alpha=1, beta=0, norm_type=NORM_L2, dtype=-1, mask=None):
    """NORM_MINMAX: stretches all channels together to alpha to beta; NORM_INF, NORM_L1, NORM_L2: scales the norm to
    alpha. By gpufilter.reduce and expr. dst is an array for the result, or None. mask: as for add."""
    name = "normalize"
    src, _ = picture_of(name, src, "src", DEPTHS)
    a, b = number_of(name, "alpha", alpha), number_of(name, "beta", beta)
    norm_type = whole_of(name, "norm_type", norm_type)
    word = word_of(name, dtype, src, "dtype", DEPTHS.values())
    check_fits(name, "dst", dst, src.shape, dtype_of(word))
    samples = _samples(name, src, mask)
    if norm_type == NORM_MINMAX:
        row = samples.reshape(1, -1) if samples is not None else np.zeros((1, 1))
        least, most = (float(_ops.reduce(row, op, nan="omit", channel_axis=None)) for op in ("min", "max"))
        scale = abs(b - a) / (most - least) if most - least > np.finfo(float).eps else 0.0
        scale = float(np.float32(scale)) if word == "f32" else scale
        shift = min(a, b) - (float(np.float32(least * scale)) if word == "f32" else least * scale)
    elif norm_type in (NORM_INF, NORM_L1, NORM_L2):
        size = norm(src, norm_type, mask=mask)
        scale, shift = a / size if size > np.finfo(float).eps else 0.0, 0.0
    else:
        raise ValueError(f"{name}: norm_type={norm_type}; allowed: NORM_MINMAX, NORM_INF, NORM_L1 and NORM_L2")
    text, operands = f"fma({'f64(a)' if word == 'f64' else 'a'}, scale, shift)", [src]
    if mask is not None:
        operands.append(mask_of(name, mask, src.shape))
        text = f"select(b != 0, {text}, {'0' if dst is None else 'c'})"
        operands += [] if dst is None else [dst]
    made = computed(f"param scale = 0.0; param shift = 0.0; {text}", operands, word, dst if mask is None else None,
                    {"scale": scale, "shift": shift})
    return made if mask is None else into(dst, made)
