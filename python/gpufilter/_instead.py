# SPDX-License-Identifier: MIT
"""What is done where no single request has the answer that numpy's users expect: arrays without elements, dtypes in
which only the order of the samples counts, pictures with sides that are too long. Used by _calls.py."""
import functools

import numpy as np

from . import _empty, _ranks, _tiles, _views, errors
from ._floats import MOST_SIDE
from ._intake import asarray
from ._program import OF_TRUTH, OPS, program_of, step_text

def _native(value):
    array = asarray(value)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _operands(op, arrays, channel_axis, takes_truth):
    """Operands of which the first has any dtype."""
    given = [(input._replace(dtypes=_views.WORDS) if i == 0 else input, array)
             for i, (input, array) in enumerate(zip(op.inputs, arrays)) if array is not None]
    return [_views.operand_of(op.name, input, array, channel_axis, takes_truth=takes_truth) for input, array in given]


def _program_for(op, values, n):
    """Of the operation alone, with these parameters, for n operands."""
    return program_of(step_text(op, [(op.inputs[i].name, f"@{i}") for i in range(1, n)], values), True)


def instead(call, refused, op, client, program, inputs, values, out, channel_axis):
    """The result of a call that was refused; None if it remains so. `call` runs a call that is not refused."""
    too_large = isinstance(refused, errors.TooLarge)
    if not too_large and isinstance(refused, ValueError):
        return _empty.results(call, op, client, program, inputs, values, out, channel_axis)
    array = _native(inputs[0])
    if not too_large:
        if op.name in OF_TRUTH and array.dtype in _ranks.DTYPES:
            return call(op, client, (array != 0, *inputs[1:]), values, out, channel_axis)
        if op.name not in _ranks.OPS or array.dtype not in _ranks.DTYPES:
            return None
        if not array.size:  # for its parameters
            made = call(op, client, (array.astype(np.float32), *inputs[1:]), values, None, channel_axis)
            return _views.given(op.name, out, op.outputs[0].name, made.astype(array.dtype))
        operands = _operands(op, (array, *inputs[1:]), channel_axis, False)
        plain = [None if p.name == "border_value" else v for p, v in zip(op.params, values)]
        made = _ranks.run(call, OPS, op, client, lambda o: _program_for(o, plain, len(operands)), operands, values)
        return _views.given(op.name, out, op.outputs[0].name, made)
    operands = _operands(op, (array, *inputs[1:]), channel_axis, program.takes_truth)
    if not any(side > MOST_SIDE for side in operands[0].array.shape[len(operands[0].lead):][:operands[0].sides]):
        return None
    rest = [input is not None for input in inputs]
    run_tile = functools.partial(_call_tile, call, op, client, rest, values, operands[0].channels)
    made = _tiles.run(program, operands, run_tile)
    if array.dtype == bool and program.wanted[0].meaning == "sample":
        made = made.view(bool)
    return _views.given(op.name, out, op.outputs[0].name, made)


def _call_tile(call, op, client, given, values, channels, arrays):
    arrays = iter(arrays)
    return call(op, client, tuple(next(arrays) if is_given else None for is_given in given), values, None,
                -1 if channels else None)
