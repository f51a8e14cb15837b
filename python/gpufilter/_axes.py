# SPDX-License-Identifier: MIT
"""Operations along an axis by its number, as numpy counts: the array is laid out as rows or columns, and the result
gets the array's axes back. Used by the functions of _ops.py that have an axis."""
import math
import operator

import numpy as np

from . import _views
from ._array import DeviceArray
from ._calls import call
from ._client import Submitter
from ._intake import asarray
from ._program import shown

_AxisError = getattr(np, "exceptions", np).AxisError  # numpy.exceptions exists from numpy 1.25 on
_REDUCING = ("reduce", "dot", "quantile")
_SHORTER = (*_REDUCING, "topk")  # results do not have the array's shape
_OF_SEVERAL_AXES = ("reduce", "quantile")  # numpy reduces these along several axes at once


def _axes_of(op, axis, ndim):
    """The axes in order."""
    given = axis if isinstance(axis, tuple) else (axis,)
    try:
        numbers = [operator.index(a) for a in given]
    except TypeError:
        several = ", or several in a tuple" if op.name in _OF_SEVERAL_AXES else ""
        raise TypeError(f"{op.name}: axis={shown(axis)}; it must be 'all', 'rows', 'cols', None, or an axis's number"
                        f"{several}") from None
    if isinstance(axis, tuple) and op.name not in _OF_SEVERAL_AXES:
        raise TypeError(f"{op.name}: axis={shown(axis)}; it takes one axis")
    for a in numbers:
        if not -ndim <= a < ndim:
            raise _AxisError(f"{op.name}: axis={shown(a)} is out of bounds for an array of {ndim} axes")
    found = sorted({a % ndim for a in numbers})
    if len(found) != len(numbers) or not found:
        raise ValueError(f"{op.name}: axis={shown(axis)} must name each axis once")
    return found


def _word(op, values, array, axes):
    """The word for these axes, or None for all, of an array on the device; None: no word has numpy's result."""
    if axes is None:
        if array.ndim > 1 and op.name not in _SHORTER:  # numpy has one axis, the device the array's
            return None
        axes = list(range(array.ndim))
    if op.name == "quantile" and np.size(values[0]) > 1:  # numpy has the quantiles on a first axis, a word on a last one
        return None
    if axes == list(range(array.sides)):
        return "all"
    if axes == [array.sides - 1]:
        return "rows"
    return "cols" if axes == [0] else None


class _Layout:
    """How an array of this shape lies for the operation: along rows, if the axis is its last one, or the one before
    channels, otherwise along columns; along one row for several axes."""

    def __init__(self, shape, axes):
        n = len(shape)
        self.axes, self.flat = list(range(n)) if axes is None else axes, axes is None
        self.rest = [side for a, side in enumerate(shape) if a not in self.axes]
        self.length = math.prod([shape[a] for a in self.axes])
        pixels = n > 2 and 1 <= shape[-1] <= _views.MOST_CHANNELS and axes == [n - 2]
        self.channels = shape[-1] if pixels else 0
        self.last = pixels or len(self.axes) > 1 or self.axes == [n - 1]
        self.word = "all" if self.flat else "rows" if self.last else "cols"

    def laid_out(self, array):
        if self.flat:
            return array.reshape(-1)
        if self.channels:
            return array.reshape(math.prod(self.rest[:-1]), self.length, self.channels)
        if self.last:
            moved = np.moveaxis(array, self.axes, range(-len(self.axes), 0))
            return moved.reshape(math.prod(self.rest), self.length)
        return np.moveaxis(array, self.axes[0], 0).reshape(self.length, math.prod(self.rest))

    def reduced(self, made, keepdims):
        """A value for each sequence, or several, which numpy has on a first axis."""
        made = np.asarray(made)
        several = made.ndim > (0 if self.flat else 2 if self.channels else 1)
        if several and self.last and not self.flat:
            made = np.moveaxis(made, 1, 0)
        made = made.reshape((*made.shape[:several], *self.rest))
        if keepdims:
            made = np.expand_dims(made, tuple(a + several for a in self.axes))
        return made[()]

    def back(self, made):
        """As many values for each sequence as `made` has along it."""
        if self.flat:
            return made
        if self.channels:
            return made.reshape((*self.rest[:-1], made.shape[1], self.channels))
        if self.last:
            return made.reshape((*self.rest, made.shape[-1]))
        return np.moveaxis(made.reshape((made.shape[0], *self.rest)), 0, self.axes[0])


def along(op, client, inputs, values, out, channel_axis, axis, keepdims=False):
    """Runs an operation that has the parameter `axis`; `values` are all its parameters."""
    at = [param.name for param in op.params].index("axis")
    if not isinstance(keepdims, (bool, np.bool_)):
        raise TypeError(f"{op.name}: keepdims={shown(keepdims)}; it must be True or False")
    if isinstance(client, Submitter):
        raise ValueError(f"{op.name}: {'keepdims' if isinstance(axis, str) else f'axis={shown(axis)}'} is computed by a call "
                         "and not submitted; submit takes axis='rows' and axis='cols'")
    if isinstance(axis, str) and not keepdims:
        return call(op, client, inputs, values, out, channel_axis)
    if isinstance(axis, str):
        return _with_words(op, client, inputs, values, out, channel_axis, axis)
    first = inputs[0] if isinstance(inputs[0], DeviceArray) else _views.array_of(op.name, op.inputs[0].name, inputs[0])
    if first.ndim == 0:
        raise ValueError(f"{op.name}: {op.inputs[0].name} is a single number; it must have one axis or more")
    if channel_axis not in ("auto", None):
        raise ValueError(f"{op.name}: axis={shown(axis)} counts all axes of the array, and channel_axis={channel_axis} gives "
                         "one of them a meaning; leave one of them out")
    axes = None if axis is None else _axes_of(op, axis, first.ndim)
    if isinstance(first, DeviceArray):
        word = _word(op, values, first, axes)
        if word is not None:
            return _on_the_device(op, client, inputs, (*values[:at], word, *values[at + 1:]), out, axes, keepdims)
        if op.name not in _REDUCING:
            raise ValueError(f"{op.name}: axis={shown(axis)} of an array of shape {first.shape} on the device; use .numpy()")
        client, inputs = first._client, [i.numpy() if isinstance(i, DeviceArray) else i for i in inputs]
        first = inputs[0]
    layout = _Layout(first.shape, axes)
    data = [None if value is None else layout.laid_out(asarray(value)) if i == 0 or op.name == "dot" else value
            for i, value in enumerate(inputs)]
    made = call(op, client, tuple(data), (*values[:at], layout.word, *values[at + 1:]), None,
                -1 if layout.channels else None)
    if op.name in _REDUCING:
        return _views.given(op.name, out, op.outputs[0].name, layout.reduced(made, keepdims))
    if isinstance(made, tuple):
        given = out or (None,) * len(made)
        return type(made)(*[_views.given(op.name, g, o.name, layout.back(m))
                            for g, o, m in zip(given, op.outputs, made)])
    return _views.given(op.name, out, op.outputs[0].name, layout.back(made))


def _on_the_device(op, client, inputs, values, out, axes, keepdims):
    made = call(op, client, inputs, values, None if keepdims else out, "auto")
    if not keepdims:
        return made
    made = np.expand_dims(made, tuple(range(inputs[0].ndim) if axes is None else axes))
    return _views.given(op.name, out, op.outputs[0].name, made)


def _with_words(op, client, inputs, values, out, channel_axis, axis):
    """keepdims beside 'rows', 'cols' and 'all'."""
    resident = isinstance(inputs[0], DeviceArray)
    first = _views.operand_of(op.name, op.inputs[0]._replace(dtypes=_views.WORDS), inputs[0], channel_axis,
                              inputs[0]._view if resident else None)
    made = np.asarray(call(op, client, inputs, values, None, channel_axis))
    gone = {"all": range(first.sides), "rows": [first.sides - 1], "cols": [0] if first.sides == 2 else []}[axis]
    axes = len(first.lead) + first.sides + (first.channels > 0) - len(gone)
    if made.ndim != axes:
        raise ValueError(f"{op.name}: keepdims with a result of {made.ndim} axes for sequences in {axes}; give the "
                         "axis by its number")
    made = np.expand_dims(made, tuple(len(first.lead) + g for g in gone))
    return _views.given(op.name, out, op.outputs[0].name, made)
