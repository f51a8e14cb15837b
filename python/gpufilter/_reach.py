# SPDX-License-Identifier: MIT
"""reach(): how far around a tile of its result a program reads. The library computes it; this module makes views that
only have shapes. Used by dask.py."""
from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _library, _views, errors
from ._jobs import _ANY
from ._library import View, lib
from ._pipe import Pipe
from ._program import program_of

_nowhere = np.zeros(64, np.uint8)
NOWHERE = _nowhere.ctypes.data  # of a view that only has a shape; never read


class Reach(NamedTuple):
    """How many pixels around a tile a program needs so that the tile has the bits of the whole: to the left, to the
    right, above and below. math.inf: all of each row, or of each column."""

    left: int | float
    right: int | float
    above: int | float
    below: int | float
    wrap_x: bool  # pixels beyond the left or right edge come from the opposite side
    wrap_y: bool  # pixels beyond the top or bottom edge come from the opposite side
    tiled: tuple[int, ...]  # the operands that are cut into tiles; each tile needs the whole of the others


def text_and_operands(program, operands):
    """The text of a program, and all its operands: the operands of a pipe follow the first one, which is given."""
    if isinstance(program, Pipe):
        if not program.text:
            raise ValueError("the pipe has no steps; add one, as in pipe(None).gaussian(2)")
        if len(operands) > 1:
            raise TypeError(f"a pipe already has its further operands; {len(operands) - 1} more were given")
        first = operands[:1] or program._operands[:1]
        return program.text, (*(f for f in first if f is not None), *program._operands[1:])
    if not isinstance(program, str):
        raise TypeError("a program is text, such as 'gaussian sigma=2 | sobel', or a gpufilter.pipe(); it is a "
                        f"{type(program).__name__}")
    return program, tuple(operands)


def described(program, i, value, channel_axis):
    """An operand for which only shape and dtype matter, as _views.operand_of() returns it."""
    op, input = program.operands.get(i, (None, _ANY))
    if hasattr(value, "shape") and hasattr(value, "dtype") and not isinstance(value, np.ndarray):
        value = np.broadcast_to(np.zeros((), value.dtype), tuple(map(int, value.shape)))
    return _views.operand_of(op.name if op else "operand", input, value, channel_axis)


def view_for(operand):
    """A view with the shape of one picture and without data."""
    shape = operand.array.shape[len(operand.lead):]
    height = shape[0] if operand.sides == 2 else 1
    return View(NOWHERE, shape[operand.sides - 1], height, 0, 0, 0, _views.CODES[operand.array.dtype],
                operand.channels or 1)


def reach_of(program, views):
    """The reach of a program on such views; or None and the library's error."""
    halo, error, results = _library.Halo(), _library.Error(), _views.results_for(program)
    if lib.reach_text(program.encoded, (View * len(views))(*views), len(views), results, len(results), halo, error):
        return None, error
    sides = [math.inf if side == _library.ALL else side for side in (halo.left, halo.right, halo.above, halo.below)]
    tiled = tuple(i for i in range(64) if halo.tiled >> i & 1)
    return Reach(*sides, bool(halo.wrap_x), bool(halo.wrap_y), tiled), None


def _stand_ins(program):
    """Large pictures, one of which the program may accept."""
    words = program.operands[0][1].dtypes if 0 in program.operands else _views.WORDS
    for channels in (1, 3, 2, 4):
        for word in sorted(words, key=("f32", "u8", "f64").__contains__, reverse=True):
            yield View(NOWHERE, 20000, 20000, 0, 0, 0, _views.WORDS.index(word) + 1, channels)


def reach(program: str | Pipe, *operands: Any, channel_axis: int | Literal["auto"] | None = "auto") -> Reach:
    """How far around a tile of its result a program reads.

    Parameters
    ----------
    program: a text, "gaussian sigma=2 | sobel", or a pipe, gpufilter.pipe(None).gaussian(2).sobel()
    operands: arrays with the shapes and dtypes of the whole, not of a tile: numpy's, or any others with both
        attributes, such as dask's. May be left out if the picture is the program's only operand.

    Returns
    -------
    A Reach. Rows y0 to y1 and columns x0 to x1 of the result have the bits of the whole if the program runs on rows
    y0 - above to y1 + below and columns x0 - left to x1 + right, cut off at the edge of the picture; with wrap_x and
    wrap_y they continue from the opposite side. math.inf means that a tile needs whole rows or whole columns: for
    scans, reductions, histograms, equalize, threshold without a value, operations that move pixels, and if only one of
    two borders along an axis is wrap. gpufilter_reach in gpufilter/run.h has the rules; no daemon is asked.

    >>> gpufilter.reach("gaussian sigma=2 | sobel")[:4]
    (9, 9, 9, 9)
    """
    text, operands = text_and_operands(program, operands)
    program = program_of(text, False)
    if not operands:
        first = None
        for view in _stand_ins(program):
            found, error = reach_of(program, [view])
            if found is not None:
                return found
            first = first or error
        raise errors.from_struct(first)
    views = [view_for(described(program, i, value, channel_axis)) for i, value in enumerate(operands)]
    found, error = reach_of(program, views)
    if error is not None:
        raise errors.from_struct(error)
    return found
