# SPDX-License-Identifier: MIT
"""scipy.ndimage's ranks, extrema and grey morphology. Used by ndimage.py, which has the names."""
import math
import operator

import numpy as np

from . import _floats, _ops
from ._arguments import (anchor_of, axes_of, borders_of, each, empty, in_axis_order, input_of, number_of, output_of,
                         spread)
from ._intake import asarray, into, warn_caller
from ._ordered import RANKED, Ordered
from ._windows import Window, combined, extreme_here, extremes, ranked


def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None,
                  nan="propagate"):
    """gpufilter.median along one or two axes. Windows of more axes, and footprints with gaps: gpufilter.sort of the
    members of all windows. NaN is above all numbers and -0 below +0; scipy does not define this. nan="omit" leaves NaN
    out of each window, which must have no gaps: of the n samples that remain, it gives the one of rank n // 2, as a
    window of n samples has; NaN where none remain. Every rank that occurs takes a request."""
    arguments = (input, size, footprint, output, mode, cval, origin, axes)
    if nan == "omit":
        return _median_of_numbers(*arguments)
    if nan != "propagate":
        raise ValueError(f"median_filter: nan={nan!r}; allowed: propagate, omit")
    return _ranks("median_filter", lambda n: n // 2, *arguments)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.rank; arrays and windows as for median_filter. rank: 0 is the smallest sample of the window, -1 the
    greatest."""
    if not hasattr(rank, "__index__"):
        raise TypeError(f"rank_filter: rank={rank!r}; it must be a whole number")
    rank = operator.index(rank)
    return _ranks("rank_filter", lambda n: rank + n * (rank < 0), input, size, footprint, output, mode, cval, origin,
                  axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                      axes=None):
    """gpufilter.rank, of the sample that scipy has for a percentile; like rank_filter. percentile: -100 to 100; below 0
    it counts from 100."""
    percent = number_of("percentile_filter", "percentile", percentile)
    if not -100 <= percent <= 100:
        raise RuntimeError(f"percentile_filter: percentile={percentile}; it must be -100 to 100")
    percent += 100 * (percent < 0)
    return _ranks("percentile_filter", lambda n: n - 1 if percent == 100 else int(n * percent / 100), input, size,
                  footprint, output, mode, cval, origin, axes)


def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.erode. Windows have any number of axes and may have gaps. NaN is above all numbers and -0 below +0;
    scipy does not define this."""
    return _extremes("minimum_filter", _ops.erode, input, size, footprint, output, mode, cval, origin, axes)


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.dilate; like minimum_filter. The footprint is not reflected, unlike in grey_dilation."""
    return _extremes("maximum_filter", _ops.dilate, input, size, footprint, output, mode, cval, origin, axes)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Minimum along one axis; like minimum_filter with axes=axis."""
    return _extremes("minimum_filter1d", _ops.erode, input, _size1d("minimum_filter1d", size), None, output, mode, cval,
                     origin, [axis])


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Maximum along one axis; like maximum_filter with axes=axis."""
    return _extremes("maximum_filter1d", _ops.dilate, input, _size1d("maximum_filter1d", size), None, output, mode,
                     cval, origin, [axis])


def _size1d(name, size):
    if operator.index(size) < 1:
        raise RuntimeError(f"{name}: size={size}; it must be 1 or more")
    return size


def _outside(name, array, borders, cval):
    """The sample outside of the array, if an axis has a constant border. Of floats it may be infinite."""
    try:
        cval = operator.index(cval)  # exact, also with 64 bits
    except TypeError:
        cval = float(cval)
        if math.isnan(cval):
            raise ValueError(f"{name}: cval={cval}; it must be a number") from None
    if "constant" not in borders:
        return None
    if array.dtype.kind == "f":
        return array.dtype.type(cval)
    least, most = (0, 1) if array.dtype == bool else (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max)
    if not least <= cval <= most or cval != int(cval):
        raise ValueError(f"{name}: cval={cval}; for {array.dtype} it must be a whole number, {least} to {most}")
    return int(cval)


def _member(name, size, footprint):
    """The footprint as bool, if there is one."""
    if footprint is None:
        if size is None:
            raise RuntimeError(f"{name}: neither size nor footprint is given")
        return None
    if size is not None:
        warn_caller("ignoring size because footprint is set", UserWarning)
    footprint = asarray(footprint).astype(bool)
    if not footprint.any():
        raise ValueError(f"{name}: a footprint without members; it must have one")
    return footprint


def _over(name, array, size, element, mode, cval, origin, axes, follows):
    """The window over the array. follows: sizes and origins have the order of `axes`; otherwise that of the array's
    axes, as an element has. Modes always have that of `axes`."""
    n, axes = array.ndim, axes_of(name, axes, array.ndim)
    if element is not None and element.ndim != len(axes):
        raise RuntimeError(f"{name}: footprint.ndim ({element.ndim}) must match len(axes) ({len(axes)})")
    sizes = element.shape if element is not None else [operator.index(s) for s in each(name, "size", size, len(axes))]
    if any(s < 1 for s in sizes):
        raise ValueError(f"{name}: size={size if element is None else sizes}; it must be 1 or more")
    origins, borders = each(name, "origin", origin, len(axes)), borders_of(name, mode, len(axes))
    if not follows:
        borders = [border for _, border in sorted(zip(axes, borders))]
        axes, origins = in_axis_order(axes, origins, n)
    anchors = [anchor_of(name, o, s) for o, s in zip(origins, sizes)]
    outside = _outside(name, array, borders, cval)
    sides, borders = spread(axes, sizes, 1, n), spread(axes, borders, "replicate", n)
    return Window(sides, spread(axes, anchors, 0, n), borders, outside,
                  None if element is None else element.reshape(sides))


def _chosen(name, array, window, ops, turns=False):
    """The samples that erosions and dilations choose, one after another. turns: dilations turn the window."""
    steps = [(op, window.turned() if turns and op is _ops.dilate else window) for op in ops]
    if window.element is None and array.dtype not in RANKED:
        for op, over in steps:
            array = extreme_here(op, array, over)
        return array
    ordered = Ordered(array, window.outside)
    return ordered.values(extremes(name, [(op, over.with_outside(ordered.outside)) for op, over in steps],
                                   ordered.picture))


def _arrays(name, input, output):
    array = input_of(name, input, "be")
    return array, *output_of(name, output, array, "be")


def _stored(made, dtype, out):
    """Samples of the input in the dtype of the result: exact where it holds them, otherwise rounded once and
    saturated."""
    if dtype.kind in "iu" and not np.can_cast(made.dtype, dtype):
        if made.dtype.kind == "f":
            return _floats.store(made.astype(float), dtype, out)
        to, of = np.iinfo(dtype), np.iinfo(made.dtype)
        made = np.clip(made, max(to.min, of.min), min(to.max, of.max))
    with np.errstate(over="ignore"):
        return into(out, made.astype(dtype, copy=False))


def _extremes(name, op, input, size, footprint, output, mode, cval, origin, axes):
    array, dtype, out = _arrays(name, input, output)
    element = _member(name, size, footprint)
    if element is not None and element.all():
        size, element = element.shape, None
    if element is not None and not isinstance(mode, str):
        raise RuntimeError(f"{name}: mode={mode}; one mode serves all axes of a footprint with gaps")
    if not array.size:
        return empty(array, dtype, out)
    window = _over(name, array, size, element, mode, cval, origin, axes, element is None)
    return _stored(_chosen(name, array, window, [op]), dtype, out)


def _ranks(name, rank_of, input, size, footprint, output, mode, cval, origin, axes):
    """rank_of: the rank in a window of n samples."""
    array, dtype, out = _arrays(name, input, output)
    element = _member(name, size, footprint)
    if not array.size:
        return empty(array, dtype, out)
    window = _over(name, array, size, element, mode, cval, origin, axes, False)
    n = math.prod(window.sides) if element is None else int(element.sum())
    rank = rank_of(n)
    if not 0 <= rank < n:
        raise RuntimeError(f"{name}: rank {rank} of {n} samples; it must be within them")
    if not isinstance(mode, str) and rank not in (0, n - 1):
        raise RuntimeError(f"{name}: mode={mode!r}; one mode serves all axes of a rank")
    if rank in (0, n - 1):
        return _stored(_chosen(name, array, window, [_ops.dilate if rank else _ops.erode]), dtype, out)
    ordered = Ordered(array, window.outside)
    return _stored(ordered.values(ranked(name, ordered.picture, window.with_outside(ordered.outside), rank)), dtype, out)


def _median_of_numbers(input, size, footprint, output, mode, cval, origin, axes):
    """NaN is last in order: the median of the n numbers of a window is the sample of rank n // 2 of all."""
    name = "median_filter"
    array, dtype, out = _arrays(name, input, output)
    element = _member(name, size, footprint)
    if not array.size or array.dtype.kind != "f" or not np.isnan(array).any():
        return median_filter(array, size, footprint, output, mode, cval, origin, axes=axes)
    window = _over(name, array, size, element, mode, cval, origin, axes, False)
    if window.element is not None:
        raise NotImplementedError(f"{name}: nan='omit' with gaps in the footprint; it must be a rectangle")
    numbers = (~np.isnan(array)).astype(float)
    counts = _floats.in_passes(numbers, list(_floats.sums_over(window.sides, window.anchors, window.borders, 1.0)))
    ranks, ordered = counts.astype(np.int64) // 2, Ordered(array, window.outside)
    made, window = np.empty_like(ordered.picture), window.with_outside(ordered.outside)
    for rank in np.unique(ranks):
        np.copyto(made, ranked(name, ordered.picture, window, int(rank)), where=ranks == rank)
    return _stored(ordered.values(made), dtype, out)


# ---- grey morphology ----

def _element(name, size, footprint, structure):
    """The members of the element, or None if it has a size alone; and their heights, or None if it is flat."""
    if structure is None:
        if footprint is None and size is None:
            raise ValueError(f"{name}: size, footprint, or structure must be specified")
        return _member(name, size, footprint), None
    heights = asarray(structure).astype(float)
    element = np.ones(heights.shape, bool) if footprint is None else _member(name, None, footprint)
    if element.shape != heights.shape:
        raise RuntimeError(f"{name}: structure has shape {heights.shape}; it must be that of the footprint, "
                           f"{element.shape}")
    return element, heights if heights[element].any() else None


def _with_heights(name, op, array, element, heights, mode, cval, origin, axes):
    """One height after another: a flat element of its members, whose minimum it lowers or whose maximum it raises."""
    total = None
    for height in np.unique(heights[element]):
        window = _over(name, array, None, element & (heights == height), mode, cval, origin, axes, False)
        flat = _floats.exactly_float(name, _chosen(name, array, window, [op], True))
        made = flat + height if op is _ops.dilate else flat - height
        total = made if total is None else combined(op, total, made)
    return _floats.store(total, array.dtype)


def _grey(name, ops, input, size, footprint, structure, mode, cval, origin, axes):
    """The array, and the result of erosions and dilations one after another. scipy's dilation reflects its element."""
    array = input_of(name, input, "be")
    element, heights = _element(name, size, footprint, structure)
    if not array.size:
        return array, array.copy()
    if heights is not None and array.dtype == bool:
        raise NotImplementedError(f"{name}: structure with heights, which bool cannot be lowered or raised by; give the "
                                  "members of a flat element as footprint")
    if heights is not None:
        made = array
        for op in ops:
            made = _with_heights(name, op, made, element, heights, mode, cval, origin, axes)
        return array, made
    follows = structure is None and (element is None or element.all())
    window = _over(name, array, size, element, mode, cval, origin, axes, follows)
    return array, _chosen(name, array, window, ops, True)


def _grey_alone(name, ops, input, size, footprint, structure, output, *rest):
    dtype, out = output_of(name, output, input_of(name, input, "be"), "be")
    return _stored(_grey(name, ops, input, size, footprint, structure, *rest)[1], dtype, out)


def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
    """gpufilter.erode, with elements of any number of axes. A structure has heights: each of them takes a request, and
    sums are in float64."""
    return _grey_alone("grey_erosion", [_ops.erode], input, size, footprint, structure, output, mode, cval, origin, axes)


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                  axes=None):
    """gpufilter.dilate with the element reflected."""
    return _grey_alone("grey_dilation", [_ops.dilate], input, size, footprint, structure, output, mode, cval, origin,
                       axes)


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
    """grey_erosion, then grey_dilation, of pictures in one request."""
    return _grey_alone("grey_opening", [_ops.erode, _ops.dilate], input, size, footprint, structure, output, mode, cval,
                       origin, axes)


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
    """grey_dilation, then grey_erosion, of pictures in one request."""
    return _grey_alone("grey_closing", [_ops.dilate, _ops.erode], input, size, footprint, structure, output, mode, cval,
                       origin, axes)


def _combined(name, output, array, first, *steps):
    """The first array and, in turn, what each step (np.add or np.subtract, array) adds to it or subtracts from it, in
    the dtype of the result, as numpy does; of bool: where they differ."""
    dtype, out = output_of(name, output, array, "be")
    made = first.astype(dtype, copy=False)
    for step, other in steps:
        made = (np.bitwise_xor if dtype == bool else step)(made, other.astype(dtype, copy=False))
    return into(out, made)


def morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                           origin=0, *, axes=None):
    """grey_dilation minus grey_erosion, subtracted here, as scipy does."""
    name, rest = "morphological_gradient", (size, footprint, structure, mode, cval, origin, axes)
    array, dilated = _grey(name, [_ops.dilate], input, *rest)
    return _combined(name, output, array, dilated, (np.subtract, _grey(name, [_ops.erode], array, *rest)[1]))


def morphological_laplace(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                          origin=0, *, axes=None):
    """grey_dilation plus grey_erosion minus twice the input, computed here in the dtype of the result, as scipy does."""
    name, rest = "morphological_laplace", (size, footprint, structure, mode, cval, origin, axes)
    if output_of(name, output, input_of(name, input, "be"), "be")[0] == bool:
        raise TypeError(f"{name}: the result has dtype bool, which has no sums; give another dtype as output")
    array, dilated = _grey(name, [_ops.dilate], input, *rest)
    eroded = _grey(name, [_ops.erode], array, *rest)[1]
    return _combined(name, output, array, dilated, (np.add, eroded), (np.subtract, array), (np.subtract, array))


def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
    """input minus grey_opening, subtracted here, as scipy does."""
    name = "white_tophat"
    array, opened = _grey(name, [_ops.erode, _ops.dilate], input, size, footprint, structure, mode, cval, origin, axes)
    return _combined(name, output, array, array, (np.subtract, opened))


def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None):
    """grey_closing minus input, subtracted here, as scipy does."""
    name = "black_tophat"
    array, closed = _grey(name, [_ops.dilate, _ops.erode], input, size, footprint, structure, mode, cval, origin, axes)
    return _combined(name, output, array, closed, (np.subtract, array))
