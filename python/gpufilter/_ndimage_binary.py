# SPDX-License-Identifier: MIT
"""scipy.ndimage's morphology of masks. Used by ndimage.py, which has the names."""
import operator

import numpy as np

from . import _ops
from ._arguments import anchor_of, axes_of, each, in_axis_order, input_of, spread
from ._intake import asarray, into
from ._ndimage_regions import neighbours_of, numbers
from ._windows import MOST_TIMES, Window, extreme


def generate_binary_structure(rank, connectivity):
    """A structure with 3 members on each of `rank` axes: those that lie up to `connectivity` steps along axes from the
    middle; from 1, the cross, to `rank`, all. Computed here."""
    if rank < 1:
        return np.array(True)
    steps = sum(np.abs(np.arange(-1, 2)).reshape([3 if a == axis else 1 for a in range(rank)]) for axis in range(rank))
    return steps <= max(connectivity, 1)


def iterate_structure(structure, iterations, origin=None):
    """The structure dilated by itself, to serve for so many iterations at once; with an origin, also that of the
    result. Below 2 iterations, as in scipy, a copy of the structure alone."""
    structure, more = asarray(structure), iterations - 1
    if more < 1:
        return structure.copy()
    made = np.pad(structure != 0, [(more * (side // 2), more * (side - 1 - side // 2)) for side in structure.shape])
    made = binary_dilation(made, structure, more)
    if origin is None:
        return made
    return made, [iterations * o for o in each("iterate_structure", "origin", origin, structure.ndim)]


def _mask_of(name, value):
    array = input_of(name, value, "be")
    return array if array.dtype == bool else array != 0


class _Task:
    """A mask, and the window of a structure over it."""

    def __init__(self, name, input, structure, border_value, origin, axes):
        self.name, self.array = name, _mask_of(name, input)
        ndim = self.array.ndim
        axes = axes_of(name, axes, ndim)
        if structure is None:
            structure = generate_binary_structure(len(axes), 1)
        structure = asarray(structure).astype(bool)
        if structure.ndim != len(axes):
            raise RuntimeError(f"{name}: structure.ndim ({structure.ndim}) must match len(axes) ({len(axes)}): structure "
                               "and input must have same dimensionality")
        if not structure.size:
            raise RuntimeError(f"{name}: structure must not be empty; it has shape {structure.shape}")
        axes, origins = in_axis_order(axes, each(name, "origin", origin, len(axes)), ndim)
        anchors = [anchor_of(name, o, s) for o, s in zip(origins, structure.shape)]
        self.structure = structure.reshape(spread(axes, structure.shape, 1, ndim))
        self.has_centre = bool(structure[tuple(anchors)])
        self.window = Window(self.structure.shape, spread(axes, anchors, 0, ndim), ["constant"] * ndim,
                             int(bool(border_value)), self.structure)

    def run(self, op, mask, times=1):
        """The least or greatest sample of each window: erosion or, with a turned window, dilation. `mask` in 0 and 1."""
        if not mask.size:
            return mask.copy()
        if not self.structure.any():
            return np.full(mask.shape, op is _ops.erode)
        window = self.window.turned() if op is _ops.dilate else self.window
        return extreme(self.name, op, mask.view(np.uint8), window, times).view(bool)


def _output_of(name, output, shape):
    if output is None:
        return None
    if not isinstance(output, np.ndarray):
        return np.empty(shape, np.dtype(output))
    if output.dtype.kind == "c":
        raise TypeError(f"{name}: output has dtype {output.dtype}; it must not be complex")
    if output.shape != shape:
        raise RuntimeError(f"{name}: output has shape {output.shape}; the result has {shape}")
    return output


def _iterated(op, task, iterations, mask):
    """The operation again and again; iterations below 1: until nothing changes. Where mask is 0 nothing changes."""
    try:
        iterations = operator.index(iterations)
    except TypeError:
        raise TypeError(f"{task.name}: iterations={iterations!r}; iterations parameter should be an integer") from None
    now = task.array
    if mask is not None:
        mask = asarray(mask) != 0
        if mask.shape != now.shape:
            raise RuntimeError(f"{task.name}: mask and input must have equal sizes; mask has {mask.shape}, input "
                               f"{now.shape}")
    def step(now, times):
        made = task.run(op, now, times)
        return made if mask is None else np.where(mask, made, now)

    if iterations >= 1:
        return _repeated(step, now, iterations, MOST_TIMES if mask is None else 1)
    # With its own pixel in the structure a step can only go on: a request may take many steps of a picture.
    times = 64 if mask is None and task.has_centre and now.ndim < 3 else 1
    while True:
        made = step(now, times)
        if (made == now).all():
            return made
        now = made


def _repeated(step, now, left, most):
    """So many steps, up to `most` at a time. Once a mask comes again, so do all that followed it, and only the rest of
    the division by their number is left. Masks are compared with an ever later one, by Brent."""
    before, since, longest = now, 0, most
    while left:
        times = min(left, most)
        now = step(now, times)
        left, since = left - times, since + times
        if left and (now == before).all():
            left %= since
        elif since >= longest:
            before, since, longest = now, 0, 2 * longest
    return now


def _grown(task, iterations, mask):
    """Dilations; within a mask and without an end as the parts of it that a pixel of the input touches."""
    neighbours = None
    if mask is not None and operator.index(iterations) < 1 and task.array.ndim in (1, 2) and task.array.size:
        neighbours = neighbours_of(task.structure)
    if neighbours is None or any(at != 1 for at in task.window.anchors):
        return _iterated(_ops.dilate, task, iterations, mask)
    mask = asarray(mask) != 0
    if mask.shape != task.array.shape:
        raise RuntimeError(f"{task.name}: mask and input must have equal sizes; mask has {mask.shape}, input "
                           f"{task.array.shape}")
    seeds = task.array
    if task.window.outside:
        seeds = seeds | (mask & _edge(mask.shape))
    parts, count = numbers((mask | seeds).view(np.uint8), neighbours)
    reached = np.zeros(count + 1, bool)
    reached[parts[seeds]] = True
    reached[0] = False
    return reached[parts]


def _edge(shape):
    edge = np.ones(shape, bool)
    edge[tuple(slice(1, -1) for _ in shape)] = False
    return edge


def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                   brute_force=False, *, axes=None):
    """gpufilter.erode of the mask that the input is, whatever its dtype: 1 where it is not 0. The result is bool.
    brute_force changes nothing."""
    task = _Task("binary_erosion", input, structure, border_value, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    return into(out, _iterated(_ops.erode, task, iterations, mask))


def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                    brute_force=False, *, axes=None):
    """gpufilter.dilate with the structure reflected; like binary_erosion. Without an end (iterations below 1) in a mask
    with structures of 4 or 8 neighbours: gpufilter.label, once."""
    task = _Task("binary_dilation", input, structure, border_value, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    return into(out, _grown(task, iterations, mask))


def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None):
    """binary_erosion, then binary_dilation."""
    task = _Task("binary_opening", input, structure, border_value, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    task.array = _iterated(_ops.erode, task, iterations, mask)
    return into(out, _grown(task, iterations, mask))


def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None):
    """binary_dilation, then binary_erosion."""
    task = _Task("binary_closing", input, structure, border_value, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    task.array = _grown(task, iterations, mask)
    return into(out, _iterated(_ops.erode, task, iterations, mask))


def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    """binary_dilation without an end."""
    task = _Task("binary_propagation", input, structure, border_value, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    return into(out, _grown(task, -1, mask))


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """Fills what the background cannot reach from outside: with 4 or 8 neighbours by gpufilter.label, once."""
    task = _Task("binary_fill_holes", input, structure, 1, origin, axes)
    out = _output_of(task.name, output, task.array.shape)
    background = ~task.array
    task.array = np.zeros_like(background)
    return into(out, ~_grown(task, -1, background))


def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None):
    """Where structure1 lies in the mask and structure2 outside of it. structure2: by default all that is not in
    structure1; outside of the array there is background."""
    name = "binary_hit_or_miss"
    hit = _Task(name, input, structure1, 0, origin1, axes)
    if structure2 is None:
        n = len(axes_of(name, axes, hit.array.ndim))
        structure2 = ~(generate_binary_structure(n, 1) if structure1 is None else asarray(structure1).astype(bool))
    miss = _Task(name, ~hit.array, structure2, 1, origin1 if origin2 is None else origin2, axes)
    out = _output_of(name, output, hit.array.shape)
    return into(out, hit.run(_ops.erode, hit.array) & miss.run(_ops.erode, miss.array))
