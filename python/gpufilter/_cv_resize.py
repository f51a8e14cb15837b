# SPDX-License-Identifier: MIT
"""OpenCV's resize. What the operation resize computes in the same way is its own; the rest is gathered and weighted on
the host, with OpenCV's positions and weights. Used by cv.py."""
import math

import numpy as np

from . import _floats, _ops
from ._arguments import number_of, whole_of
from ._cv_arguments import DEPTHS, FILTERED, PICTURES, check_fits, pair_of, picture_of
from ._cv_constants import (INTER_AREA, INTER_CUBIC, INTER_LANCZOS4, INTER_LINEAR, INTER_NEAREST, INTER_NEAREST_EXACT)
from ._floats import MOST_SIDE
from ._intake import into

__all__ = ["resize"]

_ON_DEVICE = {INTER_LINEAR: "linear", INTER_AREA: "area"}
_FRACTIONS = 2048  # of OpenCV's weights of bytes


def resize(src, dsize, dst=None, fx=0, fy=0, interpolation=INTER_LINEAR):
    """gpufilter.resize: INTER_LINEAR, and INTER_AREA if no side grows, where fx and fy make whole sides. On the host,
    by numpy: INTER_NEAREST and INTER_NEAREST_EXACT, which pick OpenCV 5's pixels, INTER_CUBIC, INTER_LANCZOS4,
    INTER_AREA if a side grows, sides that fx and fy do not make whole, and float64. dsize: (width, height), or None
    with fx and fy."""
    name = "resize"
    interpolation = whole_of(name, "interpolation", interpolation)
    moves = interpolation in (INTER_NEAREST, INTER_NEAREST_EXACT)
    src, axis = picture_of(name, src, "src", DEPTHS if moves else FILTERED)
    sides, factors = _sides(name, dsize, fx, fy, src)
    was = src.shape[1::-1]
    steps = [1 / f for f in factors]
    whole = all(n == f * m for n, f, m in zip(sides, factors, was))
    shrinks = all(s >= 1 for s in steps)
    if whole and src.dtype.name in PICTURES and interpolation in _ON_DEVICE and (
            shrinks or interpolation != INTER_AREA):
        return _ops.resize(src, sides, filter=_ON_DEVICE[interpolation], antialias=int(interpolation == INTER_AREA),
                           alpha="straight", out=dst, channel_axis=axis)
    check_fits(name, "dst", dst, (sides[1], sides[0], *src.shape[2:]), src.dtype)
    if moves:
        pick = _left if interpolation == INTER_NEAREST else _centre
        x, y = (pick(n, m, s) for n, m, s in zip(sides, was, steps))
        return into(dst, src[y[:, None], x])
    taps = {INTER_LINEAR: _linear, INTER_CUBIC: _cubic, INTER_LANCZOS4: _lanczos,
            INTER_AREA: _covered if shrinks else _linear_of_cells}.get(interpolation)
    if taps is None:
        raise NotImplementedError(f"{name}: interpolation={interpolation}; allowed: INTER_NEAREST, INTER_LINEAR, "
                                  "INTER_CUBIC, INTER_AREA, INTER_LANCZOS4 and INTER_NEAREST_EXACT; INTER_LINEAR is "
                                  "within 1 of INTER_LINEAR_EXACT")
    made = src
    for axis, n, m, s in zip((1, 0), sides, was, steps):
        index, weights = taps(n, m, s)
        if src.dtype == np.uint8 and taps is not _covered:
            weights = np.rint(np.asarray(weights) * _FRACTIONS).astype(float) / _FRACTIONS
        shape = [-1 if i == axis else 1 for i in range(src.ndim)]
        made = sum(made.take(np.clip(i, 0, m - 1), axis) * w.astype(float).reshape(shape)
                   for i, w in zip(index, weights))
    return _floats.store(made, src.dtype, dst)


def _sides(name, dsize, fx, fy, src):
    """The sides of the result, and the factors by which they are computed."""
    sides = [0, 0] if dsize is None else pair_of(name, "dsize", dsize)
    if sides != [0, 0]:
        factors = [n / m for n, m in zip(sides, src.shape[1::-1])]
    else:
        factors = [number_of(name, "fx", fx), number_of(name, "fy", fy)]
        sides = [np.rint(f * n) for f, n in zip(factors, src.shape[1::-1])]
    if any(not 1 <= n <= MOST_SIDE for n in sides):
        more = f"dsize={dsize}" if dsize is not None else f"dsize is not given, and fx={fx}, fy={fy}"
        raise ValueError(f"{name}: {more}: sides of {sides[0]:.6g} and {sides[1]:.6g}; allowed: 1 to {MOST_SIDE}")
    return [int(n) for n in sides], factors


def _left(n, m, step):
    return np.minimum(np.floor(np.arange(n) * step).astype(int), m - 1)


def _centre(n, m, step):
    """OpenCV 5 adds up the positions, whose rounding decides where a centre lies on an edge."""
    step = m / n
    return np.minimum(np.floor(np.cumsum([step / 2] + [step] * (n - 1))).astype(int), m - 1)


def _position(n, step):
    """The pixel left of each centre, and the distance to it, in float32."""
    at = ((np.arange(n) + 0.5) * step - 0.5).astype(np.float32)
    first = np.floor(at)
    return first.astype(int), at - first


def _linear(n, m, step):
    first, t = _position(n, step)
    return (first, first + 1), (1 - t, t)


def _linear_of_cells(n, m, step):
    """INTER_AREA where a side grows: a pixel of the result mixes two pixels if it lies on the edge between them."""
    first = np.floor(np.arange(n) * step)
    t = (np.arange(1, n + 1) - (first + 1) / step).astype(np.float32)
    t = np.where(t <= 0, np.float32(0), t - np.floor(t))
    return (first.astype(int), first.astype(int) + 1), (1 - t, t)


def _cubic(n, m, step):
    first, t = _position(n, step)
    a = np.float32(-0.75)
    inner = [((a + 2) * d - (a + 3)) * d * d + 1 for d in (t, 1 - t)]
    before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    weights = (before, *inner, 1 - before - inner[0] - inner[1])
    return [first + k for k in range(-1, 3)], [np.float32(w) for w in weights]


def _lanczos(n, m, step):
    """A sinc with a sinc window, of eight pixels, normalized."""
    first, t = _position(n, step)
    distances = t.astype(float) - np.arange(-3, 5)[:, None]
    weights = np.sinc(distances) * np.sinc(distances / 4)
    return first + np.arange(-3, 5)[:, None], (weights / weights.sum(0)).astype(np.float32)


def _covered(n, m, step):
    """All pixels that a pixel of the result covers, weighted by the covered part."""
    start = np.arange(n) * step
    end = np.minimum(start + step, m)
    index = np.floor(start).astype(int) + np.arange(math.ceil(step) + 1)[:, None]
    covered = np.clip(np.minimum(end, index + 1) - np.maximum(start, index), 0, None)
    return index, covered / (end - start)
