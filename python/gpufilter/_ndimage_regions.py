# SPDX-License-Identifier: MIT
"""scipy.ndimage's regions and distances of masks. Used by ndimage.py, which has the names, and _cv_regions.py."""
import numpy as np

from . import _ops
from ._arguments import each, number_of
from ._floats import MOST_SIDE
from ._intake import asarray
from ._ordered import PICTURES


def _mask_of(name, input):
    """A picture of uint8 or another dtype, whose foreground is that of the input."""
    array = np.asarray(asarray(input))
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name}: input has dtype {array.dtype}; it takes bool, whole numbers and floats")
    if max(array.shape, default=1) > MOST_SIDE:
        raise NotImplementedError(f"{name}: input has shape {array.shape}; sides go up to {MOST_SIDE}")
    if array.dtype == bool:
        return array.view(np.uint8)
    return array if array.dtype in PICTURES else (array != 0).view(np.uint8)


def neighbours_of(structure):
    """"4" or "8" for a structure of one or two axes that has the middle and those neighbours; otherwise None."""
    if structure.ndim not in (1, 2) or any(side != 3 for side in structure.shape):
        return None
    members = np.ones(structure.shape, bool)
    if (structure == members).all():
        return "8"
    if structure.ndim == 2:
        members[::2, ::2] = False
    return "4" if (structure == members).all() else None


def _structure_of(name, structure, ndim):
    if structure is None:
        return np.add.reduce(np.abs(np.indices([3] * ndim) - 1)) <= 1
    structure = asarray(structure) != 0
    if structure.ndim != ndim or any(side != 3 for side in structure.shape):
        raise RuntimeError(f"{name}: structure has shape {structure.shape}; structure and input must have equal rank, "
                           f"and structure dimensions must be equal to 3")
    if (structure != np.flip(structure)).any():
        raise ValueError(f"{name}: structuring element is not symmetric; it must be the same when turned")
    structure[(1,) * ndim] = True  # a pixel belongs to its own part
    return structure


def numbers(picture, connectivity):
    """The label of each pixel, and the number of parts."""
    rows = picture.reshape((-1, picture.shape[-1]))
    made = _ops.label(rows, connectivity=connectivity, capacity=1, channel_axis=None)
    return made.labels.reshape(picture.shape), int(made.count)


def _joined(count, first, second):
    """For each of the labels 0 to count the least label that pairs join it with."""
    least = np.arange(count + 1)
    while first.size:
        a, b = least[first], least[second]
        least[np.maximum(a, b)] = np.minimum(a, b)  # of several pairs with one label, any: others come again
        while True:
            further = least[least]
            if (further == least).all():
                break
            least = further
        apart = least[first] != least[second]
        first, second = first[apart], second[apart]
    return least


def _of_rows(picture, is_joined):
    """Labels of each row's parts or, where its neighbours are not joined, of each pixel."""
    begins = picture != 0
    if is_joined:
        begins[..., 1:] &= picture[..., :-1] == 0
    numbered = np.cumsum(begins).reshape(picture.shape)
    return np.where(picture != 0, numbered, 0), int(begins.sum())


def _of_layers(picture, structure):
    """Labels of the parts of its pictures, or of its rows where a picture's neighbours are neither 4 nor 8, joined by
    what the structure joins."""
    neighbours = neighbours_of(structure[(1,) * (picture.ndim - 2)])
    if neighbours is None:
        inner = 1
        parts, count = _of_rows(picture, structure[(1,) * (picture.ndim - 1)][2])
    else:
        inner = 2
        made = _ops.label(picture, connectivity=neighbours, capacity=1, channel_axis=None)
        counts = made.count.reshape(-1).astype(np.int64)
        before = (np.cumsum(counts) - counts).reshape(picture.shape[:-2] + (1, 1))
        parts, count = np.where(made.labels != 0, made.labels + before, 0), int(counts.sum())
    pairs = []
    for step in np.argwhere(structure) - 1:
        if step[:-inner].any() and tuple(step) > (0,) * len(step):
            here = parts[tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, parts.shape))]
            there = parts[tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, parts.shape))]
            both = (here != 0) & (there != 0)
            here, there = here[both], there[both]
            new = np.flatnonzero((np.diff(here, prepend=0) != 0) | (np.diff(there, prepend=0) != 0))
            pairs.append((here[new], there[new]))
    least = _joined(count, *(np.concatenate(side) for side in zip(*pairs))) if pairs else np.arange(count + 1)
    is_own = least == np.arange(count + 1)
    return (np.cumsum(is_own) - 1)[least][parts], int(is_own.sum()) - 1


def label(input, structure=None, output=None):
    """gpufilter.label of arrays of any dtype including bool: labels as int32, or as `output` says, and their number;
    with an array as `output` only the number. The pictures of arrays of more axes are labelled one by one and joined
    here; with a structure of neither 4 nor 8 neighbours all is done here. Sides up to 65535."""
    name = "label"
    picture = _mask_of(name, input)
    given = output if isinstance(output, np.ndarray) else None
    dtype = np.dtype(np.int32 if output is None else output) if given is None else given.dtype
    if dtype.kind not in "uif":
        raise TypeError(f"{name}: output has dtype {dtype}; it takes whole numbers and floats")
    if given is not None and given.shape != picture.shape:
        raise ValueError(f"{name}: output has shape {given.shape}; the result has {picture.shape}")
    structure = _structure_of(name, structure, picture.ndim)
    if not picture.size:
        made, count = np.zeros(picture.shape, np.uint32), 0
    elif picture.ndim <= 2 and neighbours_of(structure) is not None:
        made, count = numbers(picture, neighbours_of(structure))
    else:
        more = max(2 - picture.ndim, 0)  # axes along which nothing is joined
        structure = np.pad(structure.reshape((1,) * more + structure.shape), [(1, 1)] * more + [(0, 0)] * picture.ndim)
        made, count = _of_layers(picture.reshape((1,) * more + picture.shape), structure)
        made = made.reshape(picture.shape)
    most = np.iinfo(dtype).max if dtype.kind in "ui" else 2**(np.finfo(dtype).nmant + 1)
    if count > most:
        raise RuntimeError(f"{name}: {count} parts do not fit {dtype}; output must be a wider dtype")
    if given is not None:
        given[...] = made
        return count
    return made.astype(dtype, copy=False), count


def _distances(picture):
    """Distances in float64, as in scipy.ndimage: square roots of integers. Infinity if there is no 0."""
    rows = picture.reshape((-1, picture.shape[-1]))
    squares = _ops.distance(rows, squared=True, channel_axis=None).reshape(picture.shape).view(np.uint32)
    found = np.sqrt(squares, dtype=np.float64)
    found[squares == np.iinfo(np.uint32).max] = np.inf
    return found


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None):
    """The square root, in float64, of gpufilter.distance with squared=1, for arrays of one or two axes of any dtype:
    exactly scipy's. If there is no 0 it is infinity, where scipy has other numbers. sampling must be one number, or the
    same for all axes: the distances are multiplied by it, which scipy does before it adds squares, so that the last
    digits differ, by up to 3e-16 of the distance."""
    name = "distance_transform_edt"
    if not (return_distances or return_indices):
        raise RuntimeError(f"{name}: at least one of return_distances/return_indices must be True")
    if distances is not None and not return_distances:
        raise RuntimeError(f"{name}: return_distances must be True if distances is supplied")
    if indices is not None and not return_indices:
        raise RuntimeError(f"{name}: return_indices must be True if indices is supplied")
    if return_indices:
        raise NotImplementedError(f"{name}: indices; only distances are available")
    picture = np.atleast_1d(_mask_of(name, input))
    if picture.ndim > 2:
        raise NotImplementedError(f"{name}: input has {picture.ndim} axes; it takes 1 or 2")
    steps = {number_of(name, "sampling", s) for s in each(name, "sampling", 1 if sampling is None else sampling,
                                                          picture.ndim)}
    if min(steps) <= 0:
        raise ValueError(f"{name}: sampling={sampling}; it must be above 0")
    if len(steps) != 1:
        raise NotImplementedError(f"{name}: sampling={sampling}; pixels must be squares")
    if distances is not None and (distances.shape != picture.shape or distances.dtype != np.float64):
        raise RuntimeError(f"{name}: distances has shape {distances.shape} and dtype {distances.dtype}; the result has "
                           f"{picture.shape} and float64")
    made, step = _distances(picture) if picture.size else np.zeros(picture.shape), steps.pop()
    if step != 1:
        made *= step
    if distances is None:
        return made
    distances[...] = made
    return None
