# SPDX-License-Identifier: MIT
"""Regions and distances of masks, under the names of scipy.ndimage and OpenCV. Used by ndimage.py and cv.py, which pass
checked arrays."""
import numpy as np

from . import _ops

_PICTURES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f2", "f4")))
_MOST_SIDE, _FIRST_CAPACITY = 65535, 65536


def mask_of(name, array):
    """The array as a picture of the same foreground."""
    if array.ndim not in (1, 2):
        raise NotImplementedError(f"{name}: input has {array.ndim} axes; it takes 1 or 2; on the host: scipy.ndimage.{name}")
    if max(array.shape) > _MOST_SIDE:
        raise NotImplementedError(f"{name}: input has shape {array.shape}; sides go up to {_MOST_SIDE}")
    if array.dtype == bool:
        return array.view(np.uint8)
    return array if array.dtype in _PICTURES else (array != 0).view(np.uint8)


def neighbours_of(name, structure, ndim):
    """"4" or "8", from scipy.ndimage.label's structure."""
    if structure is None:
        return "4"
    structure = np.asarray(structure)
    if structure.ndim != ndim or any(side != 3 for side in structure.shape):
        raise RuntimeError(f"{name}: structure has shape {structure.shape}; it must have a side of 3 on each of {ndim} axes")
    given = structure != 0
    cross = np.zeros_like(given)
    for axis in range(ndim):
        cross[tuple(slice(None) if a == axis else 1 for a in range(ndim))] = True
    if (given == cross).all():
        return "4"
    if given.all():
        return "8"
    raise NotImplementedError(f"{name}: structure; allowed: generate_binary_structure({ndim}, 1) or ({ndim}, {ndim}); on "
                              f"the host: scipy.ndimage.{name}")


def numbers(picture, connectivity):
    """The label of each pixel, and the number of parts."""
    made = _ops.label(picture.reshape((-1, picture.shape[-1])), connectivity=connectivity, capacity=1, channel_axis=None)
    return made.labels.reshape(picture.shape), int(made.count)


def parts(picture, connectivity):
    """Labels, areas and boxes of all parts; the first attempt has room for as many as most pictures have."""
    made = _ops.label(picture, connectivity=connectivity, capacity=_FIRST_CAPACITY, channel_axis=None)
    if int(made.count) > len(made.areas):
        made = _ops.label(picture, connectivity=connectivity, capacity=int(made.count), channel_axis=None)
    return made


def distances(picture):
    """Distances in float64, as in scipy.ndimage: square roots of integers. Infinity if there is no 0."""
    rows = picture.reshape((-1, picture.shape[-1]))
    squares = _ops.distance(rows, squared=True, channel_axis=None).reshape(picture.shape)
    found = np.sqrt(squares, dtype=np.float64)
    found[squares == np.iinfo(np.uint32).max] = np.inf
    return found
