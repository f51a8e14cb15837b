# SPDX-License-Identifier: MIT
"""Checks arguments as scipy.ndimage takes them: arrays and their dtypes, modes, axes, origins. Raises RuntimeError
where scipy does. Runs an operation on the axes of an array that are a picture's. Used by the parts of ndimage.py, and
for numbers and limits by those of cv.py."""
import math
import operator
from collections.abc import Iterable

import numpy as np

from . import _floats
from ._array import DeviceArray
from ._intake import asarray, into
from ._ordered import PICTURES
from ._program import shown
from ._views import COMPUTED, names

MOST_MASK, MOST_BOX = 255, 4095  # sides of masks and windows, and of boxes
_ALSO = {"b": ("?", "bool"), "e": ("e", "float16"), "c": ("FD", "complex64", "complex128")}  # numpy's letters, names
_BORDERS = {"reflect": "reflect", "grid-mirror": "reflect", "constant": "constant", "grid-constant": "constant",
            "nearest": "replicate", "mirror": "reflect101", "wrap": "wrap", "grid-wrap": "wrap"}
_AxisError = getattr(np, "exceptions", np).AxisError  # numpy.exceptions exists from numpy 1.25 on


def input_of(name, value, also=""):
    """The array of a value. also: kinds of numpy's that are taken beside numbers of up to 64 bits: b: bool, e: float16,
    c: complex numbers of such floats."""
    if isinstance(value, DeviceArray):
        raise TypeError(f"{name}: input is on the daemon's device; use the functions of gpufilter, whose results stay "
                        "there, or input.numpy()")
    array = asarray(value)
    if not _is_taken(array.dtype, also):
        more = "; filter its real and imag" if array.dtype.kind == "c" else \
               "; use input.view('uint8')" if array.dtype == bool else ""
        raise TypeError(f"{name}: input has dtype {array.dtype}; it takes {_listed(also)}{more}")
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _is_taken(dtype, also):
    return _floats.is_taken(dtype) or any(dtype.char in _ALSO[kind][0] for kind in also)


def _listed(also):
    listed = [*names(COMPUTED).replace(" and ", ", ").split(", "), *[word for kind in also for word in _ALSO[kind][1:]]]
    return ", ".join(listed[:-1]) + " and " + listed[-1]


def output_of(name, output, array, also=""):
    """The dtype of the result, and the array that the caller gave for it."""
    given = output if isinstance(output, np.ndarray) else None
    dtype = array.dtype if output is None else given.dtype if given is not None else np.dtype(output)
    if not _is_taken(dtype, also) or not dtype.isnative:
        raise TypeError(f"{name}: output has dtype {dtype}; it takes {_listed(also)}")
    if given is not None and given.shape != array.shape:
        raise RuntimeError(f"{name}: output has shape {given.shape}; the result has {array.shape}")
    if given is not None and not given.flags.writeable:
        raise ValueError(f"{name}: output is read-only; it must be writeable")
    return dtype, given


def arrays_of(name, input, output):
    """The input, the dtype of the result, and the array that the caller gave for it."""
    array = input_of(name, input)
    return array, *output_of(name, output, array)


def border_of(name, mode):
    if not isinstance(mode, str) or mode not in _BORDERS:
        raise RuntimeError(f"{name}: mode={mode!r}; allowed: {', '.join(_BORDERS)}")
    return _BORDERS[mode]


def borders_of(name, mode, n):
    return [border_of(name, m) for m in each(name, "mode", mode, n)]


def axis_of(name, axis, ndim):
    axis = whole_of(name, "axis", axis)
    if not -ndim <= axis < ndim:
        raise _AxisError(f"{name}: axis {axis} is out of range for an input of {ndim} axes")
    return axis % ndim


def axes_of(name, axes, ndim):
    if axes is None:
        return list(range(ndim))
    axes = list(axes) if isinstance(axes, Iterable) else [axes]
    found = [axis_of(name, a, ndim) for a in axes]
    if len(set(found)) != len(found):
        raise ValueError(f"{name}: axes={axes} names an axis twice; axes must be unique")
    return found


def in_axis_order(axes, origins, ndim):
    """Axes and origins in the order of the input's axes, like a mask's, in whatever order they were given. If all are
    given, scipy also takes the origins in that order."""
    if len(axes) == ndim:
        return sorted(axes), origins
    pairs = sorted(zip(axes, origins))
    return [a for a, _ in pairs], [o for _, o in pairs]


def spread(axes, values, other, ndim):
    """A value for each axis of an array: those given for `axes`, and `other`."""
    found = dict(zip(axes, values))
    return [found.get(axis, other) for axis in range(ndim)]


def each(name, what, value, n):
    """One value for each axis."""
    if isinstance(value, str) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        return [value] * n
    values = list(value)
    if len(values) != n:
        raise RuntimeError(f"{name}: {what} has {len(values)} values for {n} axes; a sequence argument must have "
                           "length equal to input rank, or to that of axes")
    return values


def anchor_of(name, origin, size):
    anchor = size // 2 + whole_of(name, "origin", origin)
    if not 0 <= anchor < size:
        raise ValueError(f"{name}: origin={origin} with {size} weights; allowed: {-(size // 2)} to {(size - 1) // 2}")
    return anchor


def whole_of(name, what, value):
    """A whole number of up to 64 bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: {what}={shown(value)}; it must be a whole number") from None
    if number.bit_length() > 63:
        raise ValueError(f"{name}: {what}={shown(value)}; it must be between -2^63 and 2^63")
    return number


def number_of(name, what, value):
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {what}={shown(value)}; it must be a number") from None
    except OverflowError:  # a whole number beyond float64
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name}: {what}={shown(value)}; it must be finite")
    return number


def plane_of(array, active, dtype):
    """Whether an operation on pictures can filter the axes `active`: its vertical and horizontal axis, and whether the
    last axis is channels. Leading axes are a stack."""
    n = array.ndim
    if array.dtype not in PICTURES or dtype not in PICTURES or not active:
        return None
    if set(active) <= {n - 2, n - 1}:
        down, across, channel_axis = n - 2, n - 1, None
    elif n > 2 and set(active) <= {n - 3, n - 2} and array.shape[-1] <= 4:
        down, across, channel_axis = n - 3, n - 2, -1
    else:
        return None
    return down, across, channel_axis


def run_picture(op, array, output, plane, options, *more):
    """Runs an operation on pictures. The result has the dtype that the operation gives it."""
    shape = array.shape
    if array.ndim == 1:
        array = array.reshape(1, -1)
    out = None
    if output is not None and output.flags.c_contiguous and not np.may_share_memory(output, array):
        out = output.reshape(array.shape)
    made = op(array, *more, out=out, channel_axis=plane[2], **options).reshape(shape)
    return output if out is not None else into(output, made)


def same_picture(array, dtype):
    """For operations whose result has the picture's dtype: the picture in that dtype, if the conversion is exact."""
    if array.dtype == dtype:
        return array
    return array.astype(np.float32) if dtype == np.float32 and array.dtype in PICTURES else None


def empty(array, dtype, out):
    return np.empty(array.shape, dtype) if out is None else out
