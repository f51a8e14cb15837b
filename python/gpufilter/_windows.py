# SPDX-License-Identifier: MIT
"""Minima, maxima and ranks over windows of any form and number of axes, composed of the operations that rank pictures
along two axes, and of sort. Used by the parts of ndimage.py."""
import math

import numpy as np

from . import _ops, _ranks
from ._arguments import MOST_MASK, plane_of, run_picture
from ._floats import extended
from ._pipe import pipe

_OF_KEYS = {_ops.erode: np.minimum, _ops.dilate: np.maximum}
MOST_TIMES = 255  # of an erosion or a dilation in one request
_MOST_GATHERED = 2**24  # samples of windows side by side


class Window:
    """sides, anchors and borders: one of each axis of an array. outside: the sample that a constant border has, or None.
    element: the members of the window, a bool array with its sides; None: all of it."""

    def __init__(self, sides, anchors, borders, outside, element=None):
        self.sides, self.anchors, self.borders = list(sides), list(anchors), list(borders)
        self.outside = outside
        self.element = None if element is not None and element.all() else element
        self.wide = [axis for axis, side in enumerate(self.sides) if side > 1]

    def with_axes(self, n):
        """The same window for an array with n axes more, in front."""
        element = None if self.element is None else self.element.reshape((1,) * n + self.element.shape)
        return Window([1] * n + self.sides, [0] * n + self.anchors, ["replicate"] * n + self.borders, self.outside,
                      element)

    def turned(self):
        """The window of the opposite directions."""
        return Window(self.sides, [side - 1 - at for side, at in zip(self.sides, self.anchors)], self.borders,
                      self.outside, None if self.element is None else np.flip(self.element))

    def with_outside(self, outside):
        return Window(self.sides, self.anchors, self.borders, outside, self.element)

    def have_one_border(self, axes):
        return len({self.borders[axis] for axis in axes}) == 1


def _prepared(name, picture, window):
    """Both, with two axes or more."""
    n = max(2 - picture.ndim, 0)
    if max(window.sides, default=1) > MOST_MASK:
        raise NotImplementedError(f"{name}: a window with sides of {window.sides}; windows have sides of 1 to "
                                  f"{MOST_MASK}")
    return picture.reshape((1,) * n + picture.shape), window.with_axes(n)


def _options(op, window, axes, down, across):
    """The parameters of an operation for a window along one or two axes."""
    side, at = {axis: window.sides[axis] for axis in axes}, {axis: window.anchors[axis] for axis in axes}
    high, wide = side.get(down, 1), side.get(across, 1)
    options = {"border": window.borders[axes[0]], "border_value": 0 if window.outside is None else window.outside}
    if window.element is None:
        options["size"] = (wide, high)
    else:
        options["mask"] = window.element.reshape(high, wide).astype(np.float32)
    if op in _OF_KEYS:
        options.update(anchor=(at.get(across, 0), at.get(down, 0)), alpha="straight")
    return options


def _along(op, picture, window, axes, **options):
    """An operation along one or two axes of an array that have one border."""
    plane = plane_of(picture, axes, picture.dtype)
    if plane is not None:
        down, across, _ = plane
        moved = picture
    else:
        down, across = sorted({*axes, *[axis for axis in (-1 % picture.ndim, -2 % picture.ndim) if axis not in axes]
                               [:2 - len(axes)]})
        moved = np.moveaxis(picture, (down, across), (-2, -1))
    options.update(_options(op, window, axes, down, across))
    made = run_picture(op, moved, None, plane or (-2, -1, None), options)
    return made if plane is not None else np.moveaxis(made, (-2, -1), (down, across))


def combined(op, first, second):
    """The lesser (op: erode) or the greater (dilate) of the samples of two arrays."""
    return _ranks.samples_of(_OF_KEYS[op](_ranks.keys_of(first), _ranks.keys_of(second)), first.dtype)


def extreme_here(op, array, window):
    """Like extreme, by numpy: for dtypes that the daemon does not rank, and windows without gaps, this takes less time
    than to put the samples in order."""
    dtype, outside = array.dtype, window.outside
    array = _ranks.keys_of(array)
    if outside is not None:
        outside = _ranks.keys_of(np.array(outside, dtype))
    for axis in window.wide:
        side, only = window.sides[axis], [1] * array.ndim
        only[axis] = side
        array = np.moveaxis(extended(array, only, window.anchors, window.borders, outside), axis, 0)
        width = 1
        while width < side:
            step = min(width, side - width)
            array, width = _OF_KEYS[op](array[:-step], array[step:]), width + step
        array = np.moveaxis(array, 0, axis)
    made = _ranks.samples_of(array, dtype)
    return np.ascontiguousarray(made) if window.wide else made.copy()


def _groups(window):
    """Its axes in ones and twos that have one border: extrema over them one after another are those over all."""
    left, groups = list(window.wide), []
    while left:
        group = [axis for axis in left if window.borders[axis] == window.borders[left[-1]]][-2:]
        left = [axis for axis in left if axis not in group]
        groups.append(group)
    return groups


def _with_gaps(op, picture, window):
    """One layer of the element after another, each a picture."""
    element = window.element
    full, made = extended(picture, window.sides, window.anchors, window.borders, window.outside), None
    for index in np.ndindex(element.shape[:-2]):
        if element[index].any():
            part = full[tuple(slice(i, i + n) for i, n in zip(index, picture.shape))]
            layer = op(part, mask=element[index].astype(np.float32), anchor=(0, 0), border="replicate",
                       alpha="straight", channel_axis=None)[..., :picture.shape[-2], :picture.shape[-1]]
            made = layer if made is None else combined(op, made, layer)
    return np.ascontiguousarray(made)


def extreme(name, op, picture, window, times=1):
    """The least (op: erode) or greatest (dilate) sample of each window, up to MOST_TIMES times one after another."""
    shape = picture.shape
    picture, window = _prepared(name, picture, window)
    if not window.wide:
        return picture.reshape(shape).copy()
    groups = _groups(window) if window.element is None else [window.wide]
    if len(groups) == 1 and window.have_one_border(groups[0]) and (
            window.element is None or plane_of(picture, groups[0], picture.dtype) is not None):
        return _along(op, picture, window, groups[0], iterations=times).reshape(shape)
    for _ in range(times):
        if window.element is not None:
            picture = _with_gaps(op, picture, window)
        for group in groups if window.element is None else ():
            picture = _along(op, picture, window, group)
    return picture.reshape(shape)


def extremes(name, steps, picture):
    """extreme of each step, (op, window), one after another: of pictures in one request."""
    steps = [(op, *_prepared(name, picture, window)) for op, window in steps]
    wide, whole = steps[0][2].wide, steps[0][1]
    plane = plane_of(whole, wide, whole.dtype)
    if len(steps) > 1 and plane is not None and steps[0][2].have_one_border(wide):
        made = pipe(whole, channel_axis=plane[2])
        for op, _, window in steps:
            made = getattr(made, op.__name__)(**_options(op, window, wide, *plane[:2]))
        return made.run().reshape(picture.shape)
    for op, _, window in steps:
        whole = extreme(name, op, whole, window)
    return whole.reshape(picture.shape)


def _gathered(picture, window, rank):
    """The sample of a rank of each window, of any form: the members of all windows side by side, sorted."""
    element = np.ones(window.sides, bool) if window.element is None else window.element
    full = extended(picture, window.sides, window.anchors, window.borders, window.outside)
    members, made = np.argwhere(element), np.empty_like(picture)
    step = max(_MOST_GATHERED * len(picture) // (picture.size * len(members)), 1)
    for begin in range(0, len(picture), step):
        part = made[begin:begin + step]
        stack = np.empty((len(members), *part.shape), picture.dtype)
        for layer, (first, *others) in zip(stack, members):
            layer[...] = full[tuple(slice(i, i + n) for i, n in zip((begin + first, *others), part.shape))]
        part[...] = _ops.sort(stack.reshape(len(members), -1), "cols", channel_axis=None)[rank].reshape(part.shape)
    return made


def ranked(name, picture, window, rank):
    """The sample of a rank of each window, from 0."""
    shape = picture.shape
    picture, window = _prepared(name, picture, window)
    axes = window.wide or [picture.ndim - 1]
    if window.element is not None or len(axes) > 2:
        return _gathered(picture, window, rank).reshape(shape)
    if rank == math.prod(window.sides) // 2:
        op, options = _ops.median, {}
    else:
        op, options = _ops.rank, {"index": float(rank)}
    centre = [side // 2 for side in window.sides]
    if window.anchors == centre and window.have_one_border(axes):
        return _along(op, picture, window, axes, **options).reshape(shape)
    full = extended(picture, window.sides, window.anchors, window.borders, window.outside)
    middle = Window(window.sides, centre, ["replicate"] * picture.ndim, None)
    made = _along(op, full, middle, axes, **options)
    return made[tuple(slice(at, at + n) for at, n in zip(centre, picture.shape))].reshape(shape)
