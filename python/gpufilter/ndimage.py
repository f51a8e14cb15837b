# SPDX-License-Identifier: MIT
"""The filters of scipy.ndimage by their names, arguments, defaults and modes, computed by the daemon.

    from gpufilter import ndimage
    blurred = ndimage.gaussian_filter(picture, 2)

Arrays have any number of axes; an axis of channels must be left out by a filter's axes.

input: int8 to uint64, float32 and float64, native or not. Whole numbers of 64 bits above 2^53 are refused (ValueError),
because float64, in which scipy and this module compute them, cannot hold them. bool, float16, longdouble, complex and
object are refused (TypeError). An array in host memory is taken as numpy takes it or by DLPack; an array on a device of
another package is copied, with a HostCopyWarning. Results are numpy arrays.

output: None, for the dtype of the input; a dtype; or an array, which is written to and returned and may be the input.

How it is computed: a picture of uint8, uint16, int16 or float32 is filtered by an operation of gpufilter, which each
function names, in float32, with the bound of docs/numerics.md, "Agreement with others"; mask, sigma and cval are
rounded to float32. All other arrays are computed in float64, in passes along one axis each, and rounded once. An
`output` of float64, or an input of float64, therefore always gives float64 throughout.

Deliberate differences: results of integers are rounded to nearest, ties to even, and saturated, once; scipy truncates
them after each pass, and wraps; it also rounds float32 after each pass. A coefficient of 0 over an infinity or NaN
gives NaN in `correlate` and `convolve`, where scipy skips such coefficients; for pictures, `sobel` and `prewitt` do not
read the middle pixel. In `uniform_filter` a NaN reaches as far as the mask; scipy's running sums carry it further.

Grey morphology takes pictures of two axes, of uint8, uint16, int16 and float32, flat elements, and no other output.

mode: reflect, constant (with cval), nearest, mirror, wrap; grid-mirror, grid-constant and grid-wrap mean the same for
filters. origin, order, truncate, radius and axes are as in scipy. Weights and windows are in the order of the input's
axes, whatever the order in `axes`. The exception is minima and maxima over windows without gaps: their sizes and
origins follow `axes`.

A function that is missing here raises NotImplementedError, which says what to use instead."""
import operator

import numpy as np

from . import _floats, _ops, _regions
from ._arguments import anchor_of, axes_of, axis_of, border_of, each, input_of, number_of, output_of
from ._grey import (black_tophat, grey_closing, grey_dilation, grey_erosion, grey_opening, morphological_gradient,
                    white_tophat)
from ._intake import asarray
from ._missing import missing

__all__ = ["black_tophat", "convolve", "convolve1d", "correlate", "correlate1d", "distance_transform_edt",
           "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "grey_closing",
           "grey_dilation", "grey_erosion", "grey_opening", "label", "laplace", "maximum_filter", "maximum_filter1d",
           "median_filter", "minimum_filter", "minimum_filter1d", "morphological_gradient", "percentile_filter",
           "prewitt", "rank_filter", "sobel", "uniform_filter", "uniform_filter1d", "white_tophat"]

_PICTURES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4")))
_LEAST_SIGMA = 1e-15  # an axis with a smaller sigma is not filtered
_MOST_MASK, _MOST_WINDOW, _MOST_BOX, _MOST_TAPS = 255, 255, 4095, 65535


# ---- pictures and passes ----

def _plane(array, active, dtype):
    """Whether an operation on pictures can filter the axes `active`: its vertical and horizontal axis, and whether the
    last axis is channels. Leading axes are a stack."""
    n = array.ndim
    if array.dtype not in _PICTURES or dtype not in _PICTURES or not active:
        return None
    if set(active) <= {n - 2, n - 1}:
        down, across, channel_axis = n - 2, n - 1, None
    elif n > 2 and set(active) <= {n - 3, n - 2} and array.shape[-1] <= 4:
        down, across, channel_axis = n - 3, n - 2, -1
    else:
        return None
    if max(array.shape[max(down, 0):across + 1]) > _floats.MOST_SIDE:
        return None
    return down, across, channel_axis


def _picture(op, array, output, plane, options, *more):
    """Runs an operation on pictures. The result has the dtype that the operation gives it."""
    shape = array.shape
    if array.ndim == 1:
        array = array.reshape(1, -1)
    out = None
    if output is not None and output.flags.c_contiguous and not np.may_share_memory(output, array):
        out = output.reshape(array.shape)
    made = op(array, *more, out=out, channel_axis=plane[2], **options).reshape(shape)
    if output is None or out is not None:
        return made if output is None else output
    output[...] = made
    return output


def _same_picture(array, dtype):
    """For operations whose result has the picture's dtype: the picture in that dtype, if the conversion is exact."""
    if array.dtype == dtype:
        return array
    return array.astype(np.float32) if dtype == np.float32 and array.dtype in _PICTURES else None


def _passes(name, array, dtype, out, passes, scale=1):
    """Passes (axis, weights, border, anchor, cval) in float64, one after another."""
    values = _floats.in_passes(_floats.exactly_float(name, array), passes)
    if scale != 1:
        values /= scale
    if values is array:
        values = array.copy()  # the result must not be the input itself
    return _floats.store(values, dtype, out)


def _empty(array, dtype, out):
    return np.empty(array.shape, dtype) if out is None else out


# ---- with weights ----

def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlation along one axis, in float64; weights: 1 to 65535. See the module for dtypes and modes."""
    return _weights1d("correlate1d", input, weights, axis, output, mode, cval, origin, False)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Convolution along one axis, in float64; weights: 1 to 65535. See the module for dtypes and modes."""
    return _weights1d("convolve1d", input, weights, axis, output, mode, cval, origin, True)


def _weights1d(name, input, weights, axis, output, mode, cval, origin, turn):
    array = input_of(name, input)
    weights = _weights(name, weights)
    if weights.ndim != 1 or not weights.size:
        raise RuntimeError(f"{name}: weights have shape {weights.shape}; they must have one axis, of 1 or more")
    dtype, out = output_of(name, output, array)
    axis, border = axis_of(name, axis, array.ndim), border_of(name, mode)
    anchor, weights = _turned(name, [origin], weights, turn)
    if not array.size:
        return _empty(array, dtype, out)
    return _passes(name, array, dtype, out, [(axis, weights, border, anchor[0], number_of(name, "cval", cval))])


def _weights(name, weights):
    weights = asarray(weights)
    if weights.dtype.kind not in "iufb" or weights.dtype.itemsize > 8:
        raise TypeError(f"{name}: weights have dtype {weights.dtype}; they must be whole numbers or floats of at most 64 "
                        "bits")
    return _floats.exactly_float(name, weights)


def _turned(name, origins, weights, turn):
    """Anchors and weights for a correlation."""
    if turn:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-operator.index(o) - (size % 2 == 0) for o, size in zip(origins, weights.shape)]
    return [anchor_of(name, o, size) for o, size in zip(origins, weights.shape)], weights


def _under_mask(axes, origins, ndim):
    """Axes and origins in the order of the input's axes, like a mask's, in whatever order they were given. If all are
    given, scipy also takes the origins in that order."""
    if len(axes) == ndim:
        return sorted(axes), origins
    pairs = sorted(zip(axes, origins))
    return [a for a, _ in pairs], [o for _, o in pairs]


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Correlation with a mask that has the axes of the input. uint8, uint16, int16 and float32 pictures, masks of up to
    255 x 255 and results in uint8, uint16, int16 and float32: gpufilter.correlate; its weights are float32. All other
    arrays in float64, as one correlation along the last axis for each row of the mask, which are added in order."""
    return _masked("correlate", input, weights, output, mode, cval, origin, axes, False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Convolution with a mask; like correlate, with the mask turned."""
    return _masked("convolve", input, weights, output, mode, cval, origin, axes, True)


def _masked(name, input, weights, output, mode, cval, origin, axes, turn):
    array, mask = input_of(name, input), _weights(name, weights)
    axes = axes_of(name, axes, array.ndim)
    if mask.ndim != len(axes) or not mask.size:
        raise RuntimeError(f"{name}: weights have shape {mask.shape}; they must have {len(axes)} axes, each of 1 or "
                           "more")
    axes, origins = _under_mask(axes, each(name, "origin", origin, len(axes)), array.ndim)
    if not isinstance(mode, str):
        raise RuntimeError(f"{name}: mode={mode!r}; one mode serves all axes")
    dtype, out = output_of(name, output, array)
    border, cval = border_of(name, mode), number_of(name, "cval", cval)
    anchors, mask = _turned(name, origins, mask, turn)
    if not array.size:
        return _empty(array, dtype, out)
    plane = _plane(array, axes, dtype)
    sides = {a: n for a, n in zip(axes, mask.shape)}
    if plane is not None and max(mask.shape) <= _MOST_MASK:
        down, across, _ = plane
        at = dict(zip(axes, anchors))
        return _picture(_ops.correlate, array, out, plane,
                        {"border": border, "border_value": cval, "alpha": "straight", "dtype": dtype,
                         "anchor": (at.get(across, 0), at.get(down, 0))},
                        mask.reshape(sides.get(down, 1), sides.get(across, 1)))
    full = mask.reshape([sides.get(a, 1) for a in range(array.ndim)])
    places = [dict(zip(axes, anchors)).get(a, 0) for a in range(array.ndim)]
    values = _floats.exactly_float(name, array)
    return _floats.store(_floats.under_mask(values, full, border, cval, places), dtype, out)


# ---- gaussian ----

def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None):
    """Gaussian along one axis; like gaussian_filter with axes=axis."""
    return _gaussian("gaussian_filter1d", input, sigma, order, output, mode, cval, truncate, radius, [axis])


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
                    axes=None):
    """Gaussian, or its derivatives. With order 0 and one mode, a uint8, uint16, int16 or float32 array that is filtered
    along one or both of its last two axes, or of the two before an axis of 1 to 4 channels, in its own dtype (or to
    float32): gpufilter.gaussian, whose weights are float32. All other arrays in float64."""
    return _gaussian("gaussian_filter", input, sigma, order, output, mode, cval, truncate, radius, axes)


def _radius(name, sigma, truncate, radius):
    if radius is None:
        radius = int(number_of(name, "truncate", truncate) * sigma + 0.5)
    if not hasattr(radius, "__index__") or not 0 <= radius <= _MOST_TAPS // 2:
        raise ValueError(f"{name}: radius={radius!r}; it must be a whole number, 0 to {_MOST_TAPS // 2}")
    return operator.index(radius)


def _gaussian(name, input, sigma, order, output, mode, cval, truncate, radius, axes):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axes = axes_of(name, axes, array.ndim)
    n, cval = len(axes), number_of(name, "cval", cval)
    sigmas = [number_of(name, "sigma", s) for s in each(name, "sigma", sigma, n)]
    if any(s < 0 for s in sigmas):
        raise ValueError(f"{name}: sigma={sigma}; it must be 0 or more")
    orders = each(name, "order", order, n)
    borders = [border_of(name, m) for m in each(name, "mode", mode, n)]
    radii = [_radius(name, s, truncate, r) for s, r in zip(sigmas, each(name, "radius", radius, n))]
    if any(operator.index(o) < 0 for o in orders):
        raise ValueError(f"{name}: order={order}; it must be 0 or more")
    if not array.size:
        return _empty(array, dtype, out)
    todo = [t for t in zip(axes, sigmas, orders, borders, radii) if t[1] > _LEAST_SIGMA]
    picture = _same_picture(array, dtype)
    plane = _plane(array, [t[0] for t in todo], dtype) if picture is not None and not any(orders) else None
    if plane is not None and len({t[3] for t in todo}) == 1:
        across, down = [next(((s, r) for a, s, _, _, r in todo if a == x), (0, 0)) for x in (plane[1], plane[0])]
        fitting = _floats.truncate_for((across[0], down[0]), (across[1], down[1]), truncate)
        if fitting is not None:
            return _picture(_ops.gaussian, picture, out, plane, {
                "sigma": (across[0], down[0]), "truncate": fitting, "border": todo[0][3], "border_value": cval,
                "alpha": "straight"})
    return _passes(name, array, dtype, out, [(a, _floats.gaussian_weights(s, o, r)[::-1], b, r, cval)
                                             for a, s, o, b, r in todo])


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of second derivatives of a Gaussian, in float64, with scipy's weights. They do not sum to 0; the weights
    of gpufilter.log do. Several modes belong to one derivative each, along all axes. kwargs: truncate, radius."""
    return _derivatives("gaussian_laplace", input, sigma, 2, output, mode, cval, axes, kwargs)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The magnitude of the gradient of a Gaussian, in float64. Several modes belong to one derivative each, along all
    axes. kwargs: truncate, radius."""
    return _derivatives("gaussian_gradient_magnitude", input, sigma, 1, output, mode, cval, axes, kwargs)


def _derivatives(name, input, sigma, order, output, mode, cval, axes, kwargs):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axes = axes_of(name, axes, array.ndim)
    unknown = sorted(set(kwargs) - {"truncate", "radius"})
    if unknown:
        raise TypeError(f"{name}: unknown argument {unknown[0]}; allowed: truncate, radius")
    if not array.size:
        return _empty(array, dtype, out)
    values, total = _floats.exactly_float(name, array), np.zeros(array.shape)
    for i, one in enumerate(each(name, "mode", mode, len(axes))):
        part = _gaussian(name, values, sigma, [order * (k == i) for k in range(len(axes))], None, one, cval,
                         kwargs.get("truncate", 4.0), kwargs.get("radius"), axes)
        total += part if order == 2 else part * part
    return _floats.store(total if order == 2 else np.sqrt(total), dtype, out)


# ---- uniform ----

def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Mean along one axis; like uniform_filter with axes=axis."""
    if operator.index(size) < 1:
        raise RuntimeError(f"uniform_filter1d: size={size}; it must be 1 or more")
    return _uniform("uniform_filter1d", input, size, output, mode, cval, origin, [axis])


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Mean over a rectangle. With origin 0 and one mode, a uint8, uint16, int16 or float32 array that is filtered along
    one or both of its last two axes, or of the two before an axis of 1 to 4 channels, in its own dtype (or to float32),
    with sizes up to 4095: gpufilter.box. All other arrays in float64; sums of integers are exact below 2^53."""
    return _uniform("uniform_filter", input, size, output, mode, cval, origin, axes)


def _uniform(name, input, size, output, mode, cval, origin, axes):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axes = axes_of(name, axes, array.ndim)
    n, cval = len(axes), number_of(name, "cval", cval)
    sizes = [operator.index(s) for s in each(name, "size", size, n)]
    if any(not 0 <= s <= _MOST_TAPS for s in sizes):
        raise ValueError(f"{name}: size={size}; it must be 0 to {_MOST_TAPS}")
    borders = [border_of(name, m) for m in each(name, "mode", mode, n)]
    origins = each(name, "origin", origin, n)
    todo = [(a, s, b, anchor_of(name, o, s), o) for a, s, b, o in zip(axes, sizes, borders, origins) if s > 1]
    if not array.size:
        return _empty(array, dtype, out)
    picture = _same_picture(array, dtype)
    plane = _plane(array, [t[0] for t in todo], dtype) if picture is not None else None
    if plane is not None and len({t[2] for t in todo}) == 1 and not any(t[4] for t in todo) and max(sizes) <= _MOST_BOX:
        side = {a: s for a, s, *_ in todo}
        return _picture(_ops.box, picture, out, plane, {
            "size": (side.get(plane[1], 1), side.get(plane[0], 1)), "border": todo[0][2], "border_value": cval,
            "alpha": "straight"})
    if array.dtype.kind == "f" and todo:
        values = _floats.exactly_float(name, array)
        for a, s, b, anchor, _ in todo:
            values = _floats.along(values, np.ones(s), a, b, cval, anchor)
            values /= s
        return _floats.store(values, dtype, out)
    # Sums of whole numbers are exact until the only division. Outside the input, every pass but the first reads sums.
    passes, count = [], 1
    for a, s, b, anchor, _ in todo:
        passes.append((a, np.ones(s), b, anchor, cval * count))
        count *= s
    return _passes(name, array, dtype, out, passes, count)


# ---- derivatives of three ----

def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Sobel's derivative along an axis. uint8, uint16, int16 and float32 arrays of two axes with one mode, to uint8,
    uint16, int16 or float32: gpufilter.sobel. Results of unsigned integers saturate: a negative one becomes 0;
    output='int16' or 'float32' keeps it. All other arrays in float64."""
    return _gradient("sobel", _ops.sobel, input, axis, output, mode, cval, [1, 2, 1])


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt's derivative along an axis; like sobel."""
    return _gradient("prewitt", _ops.prewitt, input, axis, output, mode, cval, [1, 1, 1])


def _gradient(name, op, input, axis, output, mode, cval, smooth):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axis, cval = axis_of(name, axis, array.ndim), number_of(name, "cval", cval)
    borders = [border_of(name, m) for m in each(name, "mode", mode, array.ndim)]
    if not array.size:
        return _empty(array, dtype, out)
    plane = _plane(array, range(2), dtype) if array.ndim == 2 and len(set(borders)) == 1 else None
    if plane is not None and (borders[0] != "constant" or cval == 0):
        return _picture(op, array, out, plane, {"output": "dx" if axis == 1 else "dy", "border": borders[0],
                                                "dtype": dtype})
    others = [(a, smooth, borders[a], 1, cval) for a in range(array.ndim) if a != axis]
    return _passes(name, array, dtype, out, [(axis, [-1, 0, 1], borders[axis], 1, cval), *others])


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of second differences. uint8, uint16, int16 and float32 arrays of two axes with one mode, to uint8,
    uint16, int16 or float32: gpufilter.laplacian. All other arrays in float64."""
    name = "laplace"
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axes, cval = axes_of(name, axes, array.ndim), number_of(name, "cval", cval)
    borders = [border_of(name, m) for m in each(name, "mode", mode, len(axes))]
    if not array.size:
        return _empty(array, dtype, out)
    plane = _plane(array, axes, dtype) if array.ndim == len(axes) == 2 and len(set(borders)) == 1 else None
    if plane is not None:
        return _picture(_ops.laplacian, array, out, plane, {"border": borders[0], "border_value": cval,
                                                            "dtype": dtype})
    values, total = _floats.exactly_float(name, array), np.zeros(array.shape)
    for axis, border in zip(axes, borders):
        total += _floats.along(values, [1, -2, 1], axis, border, cval, 1)
    return _floats.store(total, dtype, out)


# ---- regions ----

def label(input, structure=None, output=None):
    """gpufilter.label of arrays of one or two axes, of any dtype including bool: labels as int32, or as `output` says,
    and their number; with an array as `output` only the number. structure: generate_binary_structure(n, 1), the
    default, or (n, n). Sides up to 65535."""
    name = "label"
    array = np.asarray(asarray(input))
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name}: input has dtype {array.dtype}; it takes bool, whole numbers and floats")
    given = output if isinstance(output, np.ndarray) else None
    dtype = np.dtype(np.int32 if output is None else output) if given is None else given.dtype
    if given is not None and given.shape != array.shape:
        raise RuntimeError(f"{name}: output has shape {given.shape}; the result has {array.shape}")
    connectivity = _regions.neighbours_of(name, structure, array.ndim)
    if array.size:
        made, count = _regions.numbers(_regions.mask_of(name, array), connectivity)
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
        raise NotImplementedError(f"{name}: indices; only distances are available; on the host: scipy.ndimage.{name}")
    if sampling is not None and np.any(np.asarray(sampling) != 1):
        raise NotImplementedError(f"{name}: sampling={sampling}; pixels must be squares of side 1; on the host: "
                                  f"scipy.ndimage.{name}")
    array = np.asarray(asarray(input))
    if array.dtype.kind not in "buif":
        raise TypeError(f"{name}: input has dtype {array.dtype}; it takes bool, whole numbers and floats")
    if distances is not None and (distances.shape != array.shape or distances.dtype != np.float64):
        raise RuntimeError(f"{name}: distances has shape {distances.shape} and dtype {distances.dtype}; the result has "
                           f"{array.shape} and float64")
    made = _regions.distances(_regions.mask_of(name, array)) if array.size else np.zeros(array.shape)
    if distances is None:
        return made
    distances[...] = made
    return None


# ---- ranks ----

def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.median of a uint8, uint16, int16 or float32 array along one or both of its last two axes, or of the two
    before an axis of 1 to 4 channels, in its own dtype (or to float32), with origin 0 and sizes of 1 to 255; a
    footprint must be a rectangle. NaN is above all numbers and -0 below +0; scipy does not define this. All other
    arrays: NotImplementedError."""
    return _ranked("median_filter", _ops.median, {}, input, size, footprint, output, mode, cval, origin, axes)


def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.rank; arrays as for median_filter. rank: 0 is the smallest sample of the window, -1 the greatest."""
    if not hasattr(rank, "__index__"):
        raise TypeError(f"rank_filter: rank={rank!r}; it must be a whole number")
    return _ranked("rank_filter", _ops.rank, {"index": float(operator.index(rank))}, input, size, footprint, output,
                   mode, cval, origin, axes)


def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                      axes=None):
    """gpufilter.percentile; arrays as for median_filter. percentile: -100 to 100; below 0 it counts from 100."""
    percent = number_of("percentile_filter", "percentile", percentile)
    if not -100 <= percent <= 100:
        raise RuntimeError(f"percentile_filter: percentile={percentile}; it must be -100 to 100")
    return _ranked("percentile_filter", _ops.percentile, {"percent": percent + 100 if percent < 0 else percent}, input,
                   size, footprint, output, mode, cval, origin, axes)


def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.erode; arrays as for median_filter, with any origin and footprints with gaps. NaN is above all numbers
    and -0 below +0; scipy does not define this. All other arrays: NotImplementedError."""
    return _ranked("minimum_filter", _ops.erode, {"alpha": "straight"}, input, size, footprint, output, mode, cval,
                   origin, axes)


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.dilate; like minimum_filter. The footprint is not reflected, unlike in grey_dilation."""
    return _ranked("maximum_filter", _ops.dilate, {"alpha": "straight"}, input, size, footprint, output, mode, cval,
                   origin, axes)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Minimum along one axis; like minimum_filter with axes=axis."""
    return _ranked("minimum_filter1d", _ops.erode, {"alpha": "straight"}, input, size, None, output, mode, cval, origin,
                   [axis])


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Maximum along one axis; like maximum_filter with axes=axis."""
    return _ranked("maximum_filter1d", _ops.dilate, {"alpha": "straight"}, input, size, None, output, mode, cval, origin,
                   [axis])


_ELEMENTS = (_ops.erode, _ops.dilate)  # have an anchor, and elements with gaps


def _window(name, op, size, footprint, n):
    """The sides of the window, and the footprint if it has gaps."""
    if footprint is not None:
        footprint = np.asarray(footprint, bool)
        if footprint.ndim != n:
            raise RuntimeError(f"{name}: footprint has {footprint.ndim} axes; it must have {n}")
        if footprint.size and footprint.all():
            return list(footprint.shape), None
        if op not in _ELEMENTS:
            raise NotImplementedError(f"{name}: a footprint with gaps; only rectangles are ranked; "
                                      f"{_HOST.format(name)}")
        if not footprint.any():
            raise ValueError(f"{name}: a footprint without members; it must have one")
        return list(footprint.shape), footprint
    if size is None:
        raise RuntimeError(f"{name}: neither size nor footprint is given")
    return [operator.index(s) for s in each(name, "size", size, n)], None


def _ranked(name, op, options, input, size, footprint, output, mode, cval, origin, axes):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    axes = axes_of(name, axes, array.ndim)
    (sides, element), cval = _window(name, op, size, footprint, len(axes)), number_of(name, "cval", cval)
    origins = each(name, "origin", origin, len(axes))
    if element is not None or op not in _ELEMENTS:  # without gaps, extrema are passes along each axis
        axes, origins = _under_mask(axes, origins, array.ndim)
    if any(not 1 <= s <= _MOST_WINDOW for s in sides):
        raise ValueError(f"{name}: size={size if footprint is None else sides}; it must be 1 to {_MOST_WINDOW}")
    anchors = [anchor_of(name, o, s) for o, s in zip(origins, sides)]
    if op not in _ELEMENTS and anchors != [s // 2 for s in sides]:
        raise NotImplementedError(f"{name}: origin={origin}; windows must be centred on the sample; "
                                  f"{_HOST.format(name)}")
    modes = set(each(name, "mode", mode, len(axes)))
    if len(modes) != 1:
        raise NotImplementedError(f"{name}: mode={mode}; one mode serves all axes; {_HOST.format(name)}")
    border = border_of(name, modes.pop())
    if not array.size:
        return _empty(array, dtype, out)
    picture, wide = _same_picture(array, dtype), [a for a, s in zip(axes, sides) if s > 1]
    plane = _plane(array, wide or [array.ndim - 1], dtype) if picture is not None else None
    if plane is None:
        raise NotImplementedError(f"{name}: shape {array.shape} of {array.dtype} to {dtype} along axes {wide}; uint8, "
                                  "uint16, int16 and float32 are ranked along the last two axes, or the two before "
                                  f"channels; {_HOST.format(name)}")
    (down, across, _), side, at = plane, dict(zip(axes, sides)), dict(zip(axes, anchors))
    high, wide = side.get(down, 1), side.get(across, 1)
    if element is None:
        options = {**options, "size": (wide, high)}
    else:
        options = {**options, "mask": element.reshape(high, wide).astype(np.float32)}
    if op in _ELEMENTS:
        options["anchor"] = at.get(across, 0), at.get(down, 0)
    return _picture(op, picture, out, plane, {**options, "border": border, "border_value": cval})


# ---- what is not here ----

_HOST = "on the host: scipy.ndimage.{0}"
_MISSING = {
    "a Python function does not run in the daemon; scipy.ndimage.{0} takes functions of this module as its function":
        "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace vectorized_filter",
    "there is no Fourier transform; gaussian_filter, uniform_filter and convolve filter in space":
        "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
    "there is no interpolation; " + _HOST: "affine_transform geometric_transform map_coordinates rotate shift "
    "spline_filter spline_filter1d zoom",
    "there is no binary morphology; " + _HOST: "binary_closing binary_dilation binary_erosion binary_fill_holes "
    "binary_hit_or_miss binary_opening binary_propagation distance_transform_bf distance_transform_cdt "
    "generate_binary_structure iterate_structure morphological_laplace",
    "gpufilter.label gives areas and boxes of parts; " + _HOST: "center_of_mass find_objects labeled_comprehension "
    "median value_indices "
    "watershed_ift",
    "labels have areas and boxes alone; gpufilter.stats and gpufilter.reduce have the figures of whole arrays and of segments":
        "extrema maximum maximum_position mean minimum minimum_position standard_deviation sum sum_labels variance",
    "labels have areas and boxes alone; gpufilter.histogram counts whole arrays": "histogram",
}
__getattr__, __dir__ = missing(globals(), _MISSING)
