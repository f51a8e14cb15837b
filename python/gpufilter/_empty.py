# SPDX-License-Identifier: MIT
"""Operations on arrays without elements, as numpy answers them. The daemon has no such arrays: shapes and dtypes come
from two stand-ins, the samples from here. Used by _calls.py."""
import numpy as np

from . import _views, errors
from ._intake import asarray
from ._reach import view_for

_SIDES = (5, 6)  # of the stand-ins, in place of 0; more than the most channels
_MADE = {"sum": 0, "l1": 0, "l2": 0, "count": 0, "product": 1, "any": False, "all": True, "mean": np.nan, "var": np.nan,
         "std": np.nan}
_FILLED = {"select": 0, "label": 0, "dot": 0, "matmul": 0, "quantile": np.nan, "compare": 0}
# Their results have elements where the input has none, or sides that do not follow from the input's by a factor.
_REFUSED = ("convolve1d", "correlate1d", "crop", "histogram2d", "i420", "match", "nv12", "pad", "pyramid", "resize",
            "rgb420", "stats", "topk")


def _stand_in(value, side):
    array = asarray(value)
    return np.broadcast_to(np.zeros((), array.dtype), [n or side for n in array.shape])


def _found(program, arrays, channel_axis, side):
    """The operands for stand-ins of this side, and the outputs as the library infers them."""
    operands = []
    for i, value in enumerate(arrays):
        op, input = program.operands[i]
        array = _stand_in(value, side) if 0 in np.shape(value) else value
        operands.append(_views.operand_of(op.name, input, array, channel_axis, takes_truth=program.takes_truth))
    found, error = _views.infer(program, [view_for(o) for o in operands])
    if error is not None:
        raise errors.from_struct(error, program.own)
    return operands[0], found


def _without(first, shape, other):
    """The shape for sides of 0, from the shapes for the sides of both stand-ins; a stack has its own shape."""
    return tuple(a - (b - a) * _SIDES[0] for a, b in zip(shape, other))


def _value(op, named, shape):
    """What fills a result of operation `op`."""
    if op.name == "reduce" and named["op"] in _MADE:
        return _MADE[named["op"]]
    if op.name in _FILLED:
        return _FILLED[op.name]
    what = f"{named['op']} of no elements does not exist" if op.name == "reduce" else "it must have elements"
    raise ValueError(f"{op.name}: {op.inputs[0].name} has shape {shape}; {what}")


def _histogram(call, op, client, inputs, values, channels):
    """The counts of one 0, without it."""
    names = [param.name for param in op.params]
    values = dict(zip(names, values))
    dtype = asarray(inputs[0]).dtype
    whole = values["range"] == "auto" and dtype in (np.uint8, np.uint16)
    if values["range"] != "given" and inputs[1] is None and values["lo"] == values["hi"] and not whole:
        values.update(lo=0.0, hi=1.0, range="given", bins=values["bins"] or 10)
    one = np.zeros((1, channels) if channels else 1, dtype)
    made = call(op, client, (one, inputs[1]), tuple(values.values()), None, -1 if channels else None)
    for counts in (made.counts, made.outside):
        counts[...] = np.nan if counts.dtype.kind == "f" else 0
    return made


def results(call, op, client, program, inputs, values, out, channel_axis):
    """What the operation makes of such inputs; `call` runs one with elements."""
    arrays = [value for value in inputs if value is not None]
    empty, shape = next((i, np.shape(a)) for i, a in zip(op.inputs, inputs) if a is not None and 0 in np.shape(a))
    inside = any(isinstance(value, str) and value == "valid" for value in values)  # no window lies inside
    if op.name in _REFUSED or inside or empty.kind in ("coefs", "list"):
        raise ValueError(f"{op.name}: {empty.name} has shape {shape}; it must have elements")
    (first, found), (_, others) = [_found(program, arrays, channel_axis, side) for side in _SIDES]
    lead = np.shape(arrays[0])[:len(first.lead)]
    named, made = dict(zip((param.name for param in op.params), values)), []
    if op.name == "histogram" and not lead:
        return _given(op, out, _histogram(call, op, client, inputs, values, first.channels))
    for what, view, other in zip(program.wanted, found, others):
        sides = _without(first, _views.shape_of(what, view, first), _views.shape_of(what, other, first))
        if what.form == "counted":
            sides = (*sides[:-1], 0)
        elif what.form == "boxes":
            sides = (*sides[:-2], 0, sides[-1])
        array = np.empty(lead + sides, _views.dtype_of(what, view[2], first))
        if array.size:
            array[...] = _value(op, named, shape)
        if op.name == "compare" and what.name == "errors":
            array[..., 1:] = np.nan
        made.append(array)
    return _given(op, out, program.result(*made) if program.result else made[0])


def _given(op, out, made):
    """The results in the arrays that the caller gave for them."""
    if not isinstance(made, tuple):
        return _views.given(op.name, out, op.outputs[0].name, made[()])
    out = out or (None,) * len(made)
    return type(made)(*[_views.given(op.name, g, o.name, m[()]) for g, o, m in zip(out, op.outputs, made)])
