# SPDX-License-Identifier: MIT
"""Pictures that are too large for one request, cut into tiles with as many pixels around each as the operation reads,
so that the bits are those of the whole. Used by _instead.py and _ranks.py."""
import itertools
from typing import Any, NamedTuple

import numpy as np

from . import _views, errors
from ._floats import MOST_SIDE
from ._library import View
from ._reach import NOWHERE, reach_of


def _views_for(program, operands):
    """Views of shapes and dtypes that the library takes: how far an operation reads does not depend on others."""
    views = []
    for i, o in enumerate(operands):
        sides = [min(side, MOST_SIDE) for side in o.array.shape[len(o.lead):len(o.lead) + o.sides]]
        code = _views.CODES[o.array.dtype]
        if _views.WORDS[code - 1] not in program.operands[i][1].dtypes:
            code = _views.CODES[np.dtype("f4")]
        views.append(View(NOWHERE, sides[-1], sides[0] if o.sides == 2 else 1, 0, 0, 0, code, o.channels or 1))
    return views


class _Cut(NamedTuple):
    """A tile along one side: its place, and the pixels that it needs, `before` of which lie before it."""

    begin: int
    end: int
    before: int
    needs: Any


def _cuts(n, size, halo):
    before, after, wrap = halo
    if n <= size:
        return [_Cut(0, n, 0, range(n))]
    found, step = [], size - before - after
    for begin in range(0, n, step):
        end = min(begin + step, n)
        needs = range(begin - before, end + after) if wrap else range(max(begin - before, 0), min(end + after, n))
        found.append(_Cut(begin, end, begin - needs.start, needs))
    return found


def _taken(array, axis, needs):
    """The pixels that a tile needs: a view, unless they continue from the opposite side."""
    n = array.shape[axis]
    if needs.start >= 0 and needs.stop <= n:
        return array[(slice(None),) * axis + (slice(needs.start, needs.stop),)]
    return array.take(np.arange(needs.start, needs.stop) % n, axis)


def _refuse(program, operand):
    raise ValueError(f"{program.name}: {program.operands[0][1].name} has shape {operand.array.shape}; the sides of a "
                     f"picture go up to {MOST_SIDE}, and {program.name} cannot be computed in tiles along the longer "
                     "one")


def _sizes(program, first, reach, sides, halos):
    """The sides of a tile with the pixels around it."""
    sizes = [min(n, MOST_SIDE) for n in sides]
    if any(size < n and (0 not in reach.tiled or not before + after < size)
           for n, size, (before, after, _) in zip(sides, sizes, halos)):
        _refuse(program, first)
    return sizes


def run(program, operands, work):
    """Runs `work`, which makes a picture from the arrays of the operands, on tiles with sides up to MOST_SIDE."""
    first = operands[0]
    if len(program.wanted) != 1 or program.wanted[0].form != "picture":
        _refuse(program, first)
    reach, error = reach_of(program, _views_for(program, operands))
    if error is not None:
        raise errors.from_struct(error, program.own)
    n_lead, sides = len(first.lead), first.array.shape[len(first.lead):][:first.sides]
    halos = [(reach.above, reach.below, reach.wrap_y), (reach.left, reach.right, reach.wrap_x)][-first.sides:]
    sizes = _sizes(program, first, reach, sides, halos)
    whole, lead = None, (slice(None),) * n_lead
    for tile in itertools.product(*map(_cuts, sides, sizes, halos)):
        arrays = [o.array for o in operands]
        for i in reach.tiled:
            for axis, cut in enumerate(tile, len(operands[i].lead)):
                arrays[i] = _taken(arrays[i], axis, cut.needs)
        made = work(arrays)
        if made.shape[n_lead:][:first.sides] != tuple(len(cut.needs) for cut in tile):
            _refuse(program, first)
        if whole is None:
            whole = np.empty(first.array.shape[:n_lead] + sides + made.shape[n_lead + first.sides:], made.dtype)
        whole[(*lead, *[slice(c.begin, c.end) for c in tile])] = \
            made[(*lead, *[slice(c.before, c.before + c.end - c.begin) for c in tile])]
    return whole
