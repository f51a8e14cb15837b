# SPDX-License-Identifier: MIT
"""Filters over any number of axes in float64, for functions of ndimage.py and cv.py that no single operation covers:
passes of correlate1d, and the store of float64. The daemon computes; only the end result is rounded."""
import math

import numpy as np

from . import _ops
from ._intake import into
from ._pipe import pipe
from ._views import COMPUTED, DTYPES

MOST_SIDE = 65535  # of a picture; arrays may be longer
MOST_TRUNCATE = 64
MOST_ORDER = 100  # of a Gaussian's derivatives
MOST_SIGMA = 2047  # also the largest radius


def along(array, weights, axis, border, cval, anchor):
    """One pass of correlate1d along an axis of a float64 array."""
    n, after = array.shape[axis], math.prod(array.shape[axis + 1:])
    options = {"border": border, "border_value": float(cval), "anchor": anchor, "channel_axis": None}
    weights = np.ascontiguousarray(weights, float)
    if after == 1:
        made = _ops.correlate1d(array.reshape(-1, n), weights, axis="rows", **options)
    else:
        parts = array.reshape(-1, n, after)
        made = _ops.correlate1d(parts if len(parts) > 1 else parts[0], weights, axis="cols", **options)
    return made.reshape(array.shape)


def in_passes(array, passes):
    """Passes (axis, weights, border, anchor, cval), one after another. On two axes they are one request."""
    if array.ndim != 2 or len(passes) < 2:
        for axis, weights, border, anchor, cval in passes:
            array = along(array, weights, axis, border, cval, anchor)
        return array
    steps = pipe(array, channel_axis=None)
    for axis, weights, border, anchor, cval in passes:
        steps = steps.correlate1d(np.ascontiguousarray(weights, float), axis=("cols", "rows")[axis], border=border,
                                  border_value=float(cval), anchor=anchor)
    return steps.run()


def sums_over(sides, anchors, borders, outside):
    """Passes that add the samples of each window. Outside of the array, every pass but the first reads sums."""
    count = 1
    for axis, (side, anchor, border) in enumerate(zip(sides, anchors, borders)):
        if side > 1:
            yield axis, np.ones(side), border, anchor, outside * count
            count *= side


def _index(i, n, border):
    """The element at index i of a sequence of n, by numerics.md of gpufilterd-doc, "Borders"."""
    if border == "wrap":
        return i % n
    if border == "reflect":
        i = i % (2 * n)
        return np.where(i < n, i, 2 * n - 1 - i)
    if border == "reflect101":
        i = i % max(2 * n - 2, 1)
        return np.where(i < n, i, 2 * n - 2 - i)
    return np.clip(i, 0, n - 1)


def extended(array, sides, anchors, borders, cval):
    """The array, extended on each side as far as a window reaches, with a border for each axis."""
    for axis, (side, anchor, border) in enumerate(zip(sides, anchors, borders)):
        if side > 1 and border == "constant":
            reach = [(0, 0)] * array.ndim
            reach[axis] = (anchor, side - 1 - anchor)
            array = np.pad(array, reach, constant_values=cval)
        elif side > 1:
            n = array.shape[axis]
            array = array.take(_index(np.arange(-anchor, n + side - 1 - anchor), n, border), axis)
    return array


def derived(array, weights, axis, border, cval, anchor):
    """A pass of an odd number of weights that are antisymmetric: of their sums over the differences of neighbours, so
    that it is exactly 0 where a line does not vary."""
    if not np.isfinite(array).all():
        return along(array, weights, axis, border, cval, anchor)
    sides, anchors, borders = ([value if a == axis else other for a in range(array.ndim)]
                               for value, other in ((len(weights), 1), (anchor, 0), (border, "replicate")))
    steps = np.diff(extended(array, sides, anchors, borders, cval), axis=axis)
    sums = -np.cumsum(weights[:len(weights) // 2])  # the other half of them is the same, mirrored
    made = along(steps, np.concatenate([sums, sums[::-1]]), axis, "replicate", 0, 0)
    return np.ascontiguousarray(made[tuple(slice(n) for n in array.shape)])


def under_mask(array, mask, border, cval, anchors):
    """A float64 array under a mask with the same number of axes: adds the mask's rows one by one, in order. Rows of
    zeros are skipped."""
    wide = extended(array, mask.shape, anchors, [border] * array.ndim, cval)
    total = np.zeros(array.shape)
    for index in np.ndindex(mask.shape[:-1]):
        if mask[index].any():
            part = wide[tuple([slice(i, i + n) for i, n in zip(index, array.shape)])]
            row = np.ascontiguousarray(mask[index], float)
            made = _ops.correlate1d(part.reshape(-1, part.shape[-1]), row, mode="valid", axis="rows",
                                    channel_axis=None)
            total += made.reshape(array.shape)
    return total


def gaussian_weights(sigma, order, radius):
    """The Gaussian's weights from -radius to radius, with sum 1, or its derivative of an order up to MOST_ORDER."""
    x = np.arange(-radius, radius + 1) / sigma
    weights = np.exp(-x * x / 2)
    weights /= weights.sum()
    if order:
        weights *= np.polynomial.hermite_e.hermeval(x, [0] * order + [1]) / (-sigma) ** order
    return weights


def truncate_for(sigmas, radii, truncate):
    """A `truncate` with which the operation gaussian, which takes float32, has these radii; None if there is none."""
    def fits(t):
        return 0 <= t <= MOST_TRUNCATE and all(
            math.floor(float(np.float32(t)) * float(np.float32(s)) + 0.5) == r for s, r in zip(sigmas, radii))

    tries = [truncate] + [r / s for s, r in zip(sigmas, radii) if s > 0]
    if max(*radii, *sigmas) > MOST_SIGMA:
        return None
    return next((float(t) for t in tries if fits(t)), None)


def store(values, dtype, out=None):
    """Converts float64 to another dtype: integers are rounded to nearest, ties to even, and saturated, and NaN becomes
    0, as numerics.md of gpufilterd-doc defines for every store."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            made = values.astype(dtype, copy=False)
    else:
        info = np.iinfo(dtype)
        whole = np.where(np.isnan(values), 0, np.rint(values))
        most = np.nextafter(float(info.max), 0) if dtype.itemsize == 8 else info.max
        made = np.clip(whole, info.min, most).astype(dtype)
        if dtype.itemsize == 8:
            made = np.where(whole >= float(info.max), dtype.type(info.max), made)
    return into(out, made)


def is_taken(dtype):
    """Whether arrays of this dtype are accepted: numpy's integers and floats except float16 and longer ones."""
    return dtype.newbyteorder("=") in DTYPES[:len(COMPUTED)]


def exactly_float(name, array):
    """The array in float64. Integers of 64 bits are refused above 2^53, where float64 is no longer exact."""
    if array.dtype.kind in "iu" and array.itemsize == 8 and array.size:
        least, most = int(array.min()), int(array.max())
        if max(-least, most) > 2**53:
            raise ValueError(f"{name}: input holds {most if most > 2**53 else least}; {array.dtype} is computed in "
                             "float64, which is exact for whole numbers up to 2^53")
    return np.ascontiguousarray(array, float)
