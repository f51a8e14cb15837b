# SPDX-License-Identifier: MIT
"""scipy.ndimage's regions and distances of masks. Used by ndimage.py, which has the names, and _cv_regions.py."""
import numpy as np

from . import _ops
from ._arguments import on_host
from ._floats import MOST_SIDE
from ._intake import asarray

_PICTURES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f2", "f4")))


def _array_of(name, input):
    array = np.asarray(asarray(input))
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name}: input has dtype {array.dtype}; it takes bool, whole numbers and floats")
    return array


def _mask_of(name, array):
    """The array as a picture of the same foreground."""
    if array.ndim not in (1, 2):
        raise NotImplementedError(f"{name}: input has {array.ndim} axes; it takes 1 or 2; {on_host(name)}")
    if max(array.shape) > MOST_SIDE:
        raise NotImplementedError(f"{name}: input has shape {array.shape}; sides go up to {MOST_SIDE}")
    if array.dtype == bool:
        return array.view(np.uint8)
    return array if array.dtype in _PICTURES else (array != 0).view(np.uint8)


def _neighbours_of(name, structure, ndim):
    """"4" or "8", from scipy.ndimage.label's structure."""
    if structure is None:
        return "4"
    structure = np.asarray(structure)
    if structure.ndim != ndim or any(side != 3 for side in structure.shape):
        raise RuntimeError(f"{name}: structure has shape {structure.shape}; it must have a side of 3 on each of {ndim} "
                           "axes")
    given = structure != 0
    cross = np.zeros_like(given)
    for axis in range(ndim):
        cross[tuple(slice(None) if a == axis else 1 for a in range(ndim))] = True
    if (given == cross).all():
        return "4"
    if given.all():
        return "8"
    raise NotImplementedError(f"{name}: structure; allowed: generate_binary_structure({ndim}, 1) or ({ndim}, {ndim}); "
                              f"{on_host(name)}")


def numbers(picture, connectivity):
    """The label of each pixel, and the number of parts."""
    rows = picture.reshape((-1, picture.shape[-1]))
    made = _ops.label(rows, connectivity=connectivity, capacity=1, channel_axis=None)
    return made.labels.reshape(picture.shape), int(made.count)


def _distances(picture):
    """Distances in float64, as in scipy.ndimage: square roots of integers. Infinity if there is no 0."""
    rows = picture.reshape((-1, picture.shape[-1]))
    squares = _ops.distance(rows, squared=True, channel_axis=None).reshape(picture.shape)
    found = np.sqrt(squares, dtype=np.float64)
    found[squares == np.iinfo(np.uint32).max] = np.inf
    return found


def label(input, structure=None, output=None):
    """gpufilter.label of arrays of one or two axes, of any dtype including bool: labels as int32, or as `output` says,
    and their number; with an array as `output` only the number. structure: generate_binary_structure(n, 1), the
    default, or (n, n). Sides up to 65535."""
    name = "label"
    array = _array_of(name, input)
    given = output if isinstance(output, np.ndarray) else None
    dtype = np.dtype(np.int32 if output is None else output) if given is None else given.dtype
    if given is not None and given.shape != array.shape:
        raise RuntimeError(f"{name}: output has shape {given.shape}; the result has {array.shape}")
    connectivity = _neighbours_of(name, structure, array.ndim)
    if array.size:
        made, count = numbers(_mask_of(name, array), connectivity)
    else:
        made, count = np.zeros(array.shape, np.uint32), 0
    most = np.iinfo(dtype).max if dtype.kind in "ui" else 2**53
    if count > most:
        raise RuntimeError(f"{name}: {count} parts do not fit {dtype}; output must be a wider dtype")
    if given is not None:
        given[...] = made
        return count
    return (made.view(np.int32) if dtype == np.int32 else made.astype(dtype)), count


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, distances=None,
                           indices=None):
    """The square root, in float64, of gpufilter.distance with squared=1, for arrays of one or two axes of any dtype:
    exactly scipy's. If there is no 0 it is infinity, where scipy has other numbers. Without sampling and indices."""
    name = "distance_transform_edt"
    if return_indices or indices is not None or not return_distances:
        raise NotImplementedError(f"{name}: indices; only distances are available; {on_host(name)}")
    if sampling is not None and np.any(np.asarray(sampling) != 1):
        raise NotImplementedError(f"{name}: sampling={sampling}; pixels must be squares of side 1; {on_host(name)}")
    array = _array_of(name, input)
    if distances is not None and (distances.shape != array.shape or distances.dtype != np.float64):
        raise RuntimeError(f"{name}: distances has shape {distances.shape} and dtype {distances.dtype}; the result has "
                           f"{array.shape} and float64")
    made = _distances(_mask_of(name, array)) if array.size else np.zeros(array.shape)
    if distances is None:
        return made
    distances[...] = made
    return None
