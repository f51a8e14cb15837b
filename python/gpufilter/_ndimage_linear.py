# SPDX-License-Identifier: MIT
"""scipy.ndimage's filters with weights: correlations, Gaussians, means and derivatives. Used by ndimage.py, which has
the names."""
import math
import operator

import numpy as np

from . import _floats, _ops
from ._arguments import (MOST_BOX, MOST_MASK, anchor_of, arrays_of, axes_of, axis_of, border_of, borders_of, each,
                         empty, in_axis_order, input_of, number_of, output_of, plane_of, run_picture, same_picture,
                         spread)
from ._intake import asarray, into, warn_caller

_LEAST_SIGMA = 1e-15  # an axis with a smaller sigma is not filtered
_MOST_TAPS = 65535


def _passes(name, array, dtype, out, passes):
    """Passes (axis, weights, border, anchor, cval) in float64, one after another."""
    values = _floats.in_passes(_floats.exactly_float(name, array), passes)
    if values is array:
        values = array.copy()  # the result must not be the input itself
    return _floats.store(values, dtype, out)


def _of_parts(name, filter, input, output, cval, weights=0.0):
    """The array of the input, and the filter of complex numbers, as scipy has it: in float64, of real and imaginary
    parts; None if there are none in input and weights. filter: takes an array, cval and weights."""
    array, weights = input_of(name, input, "c"), asarray(weights)
    if array.dtype.kind != "c" and weights.dtype.kind != "c":
        return array, None
    if np.iscomplexobj(cval) and array.dtype.kind != "c":
        raise ValueError(f"{name}: cval={cval}; it must be real, as the input is")
    if isinstance(output, (type, np.dtype)) and np.dtype(output).kind != "c":
        warn_caller("promoting specified output dtype to complex", UserWarning)
        output = np.promote_types(output, np.complex64)
    dtype, out = output_of(name, np.promote_types(array.dtype, np.complex64) if output is None else output, array, "c")
    if dtype.kind != "c":
        raise RuntimeError(f"{name}: output has dtype {dtype}; output must have complex dtype")
    total = np.zeros(array.shape, complex)
    for i, part in enumerate(_parts(array)):
        for j, factor in enumerate(_parts(weights)):
            made = filter(part, (np.real, np.imag)[i](cval), factor)
            if i + j == 1:
                total.imag += made
            else:
                total.real += -made if i else made
    return array, into(out, total.astype(dtype, copy=False))


def _parts(array):
    return [array.real, array.imag] if array.dtype.kind == "c" else [array]


def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Correlation along one axis, in float64; weights: 1 to 65535. See the module for dtypes and modes."""
    return _weights1d("correlate1d", input, weights, axis, output, mode, cval, origin, False)


def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Convolution along one axis, in float64; weights: 1 to 65535. See the module for dtypes and modes."""
    return _weights1d("convolve1d", input, weights, axis, output, mode, cval, origin, True)


def _weights1d(name, input, weights, axis, output, mode, cval, origin, turn):
    input, made = _of_parts(name, lambda part, outside, factor: _weights1d(
        name, part, factor, axis, float, mode, outside, origin, turn), input, output, cval,
        weights if turn else np.conj(asarray(weights)))
    if made is not None:
        return made
    array = input_of(name, input)
    weights = _weights(name, weights)
    if weights.ndim != 1 or not weights.size:
        raise RuntimeError(f"{name}: weights have shape {weights.shape}; they must have one axis, of 1 or more")
    dtype, out = output_of(name, output, array)
    axis, border = axis_of(name, axis, array.ndim), border_of(name, mode)
    anchor, weights = _turned(name, [origin], weights, turn)
    if not array.size:
        return empty(array, dtype, out)
    return _passes(name, array, dtype, out, [(axis, weights, border, anchor[0], number_of(name, "cval", cval))])


def _weights(name, weights):
    weights = asarray(weights)
    if weights.dtype.kind not in "iufb" or weights.dtype.itemsize > 8:
        raise TypeError(f"{name}: weights have dtype {weights.dtype}; they must be whole numbers or floats of at most "
                        "64 bits")
    return _floats.exactly_float(name, weights)


def _turned(name, origins, weights, turn):
    """Anchors and weights for a correlation."""
    if turn:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-operator.index(o) - (size % 2 == 0) for o, size in zip(origins, weights.shape)]
    return [anchor_of(name, o, size) for o, size in zip(origins, weights.shape)], weights


def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Correlation with a mask that has the axes of the input. uint8, uint16, int16 and float32 pictures, masks of up to
    255 x 255 and results in uint8, uint16, int16 and float32: gpufilter.correlate; its weights are float32. All other
    arrays in float64, as one correlation along the last axis for each row of the mask, which are added in order."""
    return _masked("correlate", input, weights, output, mode, cval, origin, axes, False)


def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """Convolution with a mask; like correlate, with the mask turned."""
    return _masked("convolve", input, weights, output, mode, cval, origin, axes, True)


def _masked(name, input, weights, output, mode, cval, origin, axes, turn):
    input, made = _of_parts(name, lambda part, outside, factor: _masked(
        name, part, factor, float, mode, outside, origin, axes, turn), input, output, cval,
        weights if turn else np.conj(asarray(weights)))
    if made is not None:
        return made
    array, mask = input_of(name, input), _weights(name, weights)
    axes = axes_of(name, axes, array.ndim)
    if mask.ndim != len(axes) or not mask.size:
        raise RuntimeError(f"{name}: weights have shape {mask.shape}; weights.ndim ({mask.ndim}) must match len(axes) "
                           f"({len(axes)}), and each side be 1 or more")
    axes, origins = in_axis_order(axes, each(name, "origin", origin, len(axes)), array.ndim)
    if not isinstance(mode, str):
        raise RuntimeError(f"{name}: mode={mode!r}; one mode serves all axes")
    dtype, out = output_of(name, output, array)
    border, cval = border_of(name, mode), number_of(name, "cval", cval)
    anchors, mask = _turned(name, origins, mask, turn)
    if not array.size:
        return empty(array, dtype, out)
    plane = plane_of(array, axes, dtype)
    sides = {a: n for a, n in zip(axes, mask.shape)}
    if plane is not None and max(mask.shape) <= MOST_MASK:
        down, across, _ = plane
        at = dict(zip(axes, anchors))
        return run_picture(_ops.correlate, array, out, plane,
                           {"border": border, "border_value": cval, "alpha": "straight", "dtype": dtype,
                            "anchor": (at.get(across, 0), at.get(down, 0))},
                           mask.reshape(sides.get(down, 1), sides.get(across, 1)))
    full = mask.reshape([sides.get(a, 1) for a in range(array.ndim)])
    places = [dict(zip(axes, anchors)).get(a, 0) for a in range(array.ndim)]
    values = _floats.exactly_float(name, array)
    return _floats.store(_floats.under_mask(values, full, border, cval, places), dtype, out)


def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None, nan="propagate"):
    """Gaussian along one axis; like gaussian_filter with axes=axis."""
    return _gaussian("gaussian_filter1d", input, sigma, order, output, mode, cval, truncate, radius, [axis], nan)


def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
                    axes=None, nan="propagate"):
    """Gaussian, or its derivatives. nan="omit" leaves NaN out: what remains has the weights of a Gaussian, divided by
    their sum, in float64; where none remains the result is NaN. With order 0 and one mode, a uint8, uint16, int16 or
    float32 array that is filtered along one or both of its last two axes, or of the two before an axis of 1 to 4
    channels, in its own dtype (or to float32): gpufilter.gaussian, whose weights are float32. All other arrays in
    float64; a derivative of a line that does not vary is exactly 0."""
    return _gaussian("gaussian_filter", input, sigma, order, output, mode, cval, truncate, radius, axes, nan)


def _radius(name, sigma, truncate, radius):
    if radius is None:
        radius = int(number_of(name, "truncate", truncate) * sigma + 0.5)
    if not hasattr(radius, "__index__") or not 0 <= radius <= _MOST_TAPS // 2:
        raise ValueError(f"{name}: radius={radius!r}; it must be a whole number, 0 to {_MOST_TAPS // 2}")
    return operator.index(radius)


def _gaussian(name, input, sigma, order, output, mode, cval, truncate, radius, axes, nan="propagate"):
    def again(part, outside, _=None):
        return _gaussian(name, part, sigma, order, float, mode, outside, truncate, radius, axes)  # NaN propagates

    if _omits(name, nan) and np.any(np.asarray(order) != 0):
        raise ValueError(f"{name}: order={order} with nan='omit'; a derivative has no mean of the numbers that remain")
    input, made = _of_parts(name, again, input, output, cval)
    if made is not None:
        return made
    array, dtype, out = arrays_of(name, input, output)
    if nan == "omit" and array.dtype.kind == "f":
        return _of_numbers(again, array, number_of(name, "cval", cval), dtype, out)
    axes = axes_of(name, axes, array.ndim)
    n, cval = len(axes), number_of(name, "cval", cval)
    sigmas = [number_of(name, "sigma", s) for s in each(name, "sigma", sigma, n)]
    if any(s < 0 for s in sigmas):
        raise ValueError(f"{name}: sigma={sigma}; it must be 0 or more")
    orders = each(name, "order", order, n)
    borders = borders_of(name, mode, n)
    radii = [_radius(name, s, truncate, r) for s, r in zip(sigmas, each(name, "radius", radius, n))]
    if any(not 0 <= operator.index(o) <= _floats.MOST_ORDER for o in orders):
        raise ValueError(f"{name}: order={order}; it must be 0 to {_floats.MOST_ORDER}")
    if not array.size:
        return empty(array, dtype, out)
    todo = [t for t in zip(axes, sigmas, orders, borders, radii) if t[1] > _LEAST_SIGMA]
    picture = same_picture(array, dtype)
    plane = plane_of(array, [t[0] for t in todo], dtype) if picture is not None and not any(orders) else None
    if plane is not None and len({t[3] for t in todo}) == 1:
        across, down = [next(((s, r) for a, s, _, _, r in todo if a == x), (0, 0)) for x in (plane[1], plane[0])]
        fitting = _floats.truncate_for((across[0], down[0]), (across[1], down[1]), truncate)
        if fitting is not None:
            return run_picture(_ops.gaussian, picture, out, plane, {
                "sigma": (across[0], down[0]), "truncate": fitting, "border": todo[0][3], "border_value": cval,
                "alpha": "straight"})
    weights = [_floats.gaussian_weights(s, o, r)[::-1] for _, s, o, _, r in todo]
    odd = [o % 2 == 1 and r > 0 for _, _, o, _, r in todo]
    if not any(odd):
        return _passes(name, array, dtype, out, [(a, w, b, r, cval) for w, (a, _, _, b, r) in zip(weights, todo)])
    values = _floats.exactly_float(name, array)
    for w, is_odd, (a, _, _, b, r) in zip(weights, odd, todo):
        values = (_floats.derived if is_odd else _floats.along)(values, w, a, b, cval, r)
    return _floats.store(values, dtype, out)


def _omits(name, nan):
    if nan not in ("propagate", "omit"):
        raise ValueError(f"{name}: nan={nan!r}; allowed: propagate, omit")
    return nan == "omit"


def _of_numbers(filter, array, cval, dtype, out):
    """The filter of the samples that are numbers, with NaN as 0, over the filter of 1 where there is a number, both in
    float64. Outside of the array there is a number, cval."""
    numbers = ~np.isnan(array)
    with np.errstate(invalid="ignore", divide="ignore"):
        made = filter(np.where(numbers, array, 0).astype(float), cval) / filter(numbers.astype(float), 1.0)
    return _floats.store(made, dtype, out)


def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The sum of second derivatives of a Gaussian, in float64, with scipy's weights. They do not sum to 0; the weights
    of gpufilter.log do. Several modes belong to one derivative each, along all axes. kwargs: truncate, radius."""
    return _derivatives("gaussian_laplace", input, sigma, 2, output, mode, cval, axes, kwargs)


def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The magnitude of the gradient of a Gaussian, in float64. Several modes belong to one derivative each, along all
    axes. kwargs: truncate, radius."""
    return _derivatives("gaussian_gradient_magnitude", input, sigma, 1, output, mode, cval, axes, kwargs)


def _derivatives(name, input, sigma, order, output, mode, cval, axes, kwargs):
    if order == 2:  # complex numbers have no magnitude of a gradient here
        input, made = _of_parts(name, lambda part, outside, _: _derivatives(
            name, part, sigma, order, float, mode, outside, axes, kwargs), input, output, cval)
        if made is not None:
            return made
    array, dtype, out = arrays_of(name, input, output)
    axes = axes_of(name, axes, array.ndim)
    unknown = sorted(set(kwargs) - {"truncate", "radius"})
    if unknown:
        raise TypeError(f"{name}: unknown argument {unknown[0]}; allowed: truncate, radius")
    if not array.size:
        return empty(array, dtype, out)
    values, total = _floats.exactly_float(name, array), np.zeros(array.shape)
    for i, one in enumerate(each(name, "mode", mode, len(axes))):
        part = _gaussian(name, values, sigma, [order * (k == i) for k in range(len(axes))], None, one, cval,
                         kwargs.get("truncate", 4.0), kwargs.get("radius"), axes)
        total += part if order == 2 else part * part
    return _floats.store(total if order == 2 else np.sqrt(total), dtype, out)


def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0, *, nan="propagate"):
    """Mean along one axis; like uniform_filter with axes=axis."""
    if operator.index(size) < 1:
        raise RuntimeError(f"uniform_filter1d: size={size}; it must be 1 or more")
    return _uniform("uniform_filter1d", input, size, output, mode, cval, origin, [axis], nan)


def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None, nan="propagate"):
    """Mean over a rectangle. nan="omit": the mean of the samples that are numbers, in float64: their sum over their
    number, NaN where there is none. With origin 0 and one mode, a uint8, uint16, int16 or float32 array that is
    filtered along one or both of its last two axes, or of the two before an axis of 1 to 4 channels, in its own dtype
    (or to float32), with sizes up to 4095: gpufilter.box. All other arrays in float64; sums of integers are exact below
    2^53."""
    return _uniform("uniform_filter", input, size, output, mode, cval, origin, axes, nan)


def _uniform(name, input, size, output, mode, cval, origin, axes, nan):
    input, made = _of_parts(name, lambda part, outside, _: _uniform(
        name, part, size, float, mode, outside, origin, axes, nan), input, output, cval)
    if made is not None:
        return made
    array, dtype, out = arrays_of(name, input, output)
    axes = axes_of(name, axes, array.ndim)
    _omits(name, nan)
    n, cval = len(axes), number_of(name, "cval", cval)
    sizes = [operator.index(s) for s in each(name, "size", size, n)]
    if any(not 0 <= s <= _MOST_TAPS for s in sizes):
        raise ValueError(f"{name}: size={size}; it must be 0 to {_MOST_TAPS}")
    sizes = [max(s, 1) for s in sizes]  # scipy does not filter along an axis of size 0
    anchors = [anchor_of(name, o, s) if s > 1 else 0 for s, o in zip(sizes, each(name, "origin", origin, n))]
    borders = spread(axes, borders_of(name, mode, n), "replicate", array.ndim)
    if not array.size:
        return empty(array, dtype, out)
    sides, anchors = spread(axes, sizes, 1, array.ndim), spread(axes, anchors, 0, array.ndim)

    def sums(values, outside):
        return _floats.in_passes(values, list(_floats.sums_over(sides, anchors, borders, outside)))

    if nan == "omit" and array.dtype.kind == "f":
        return _of_numbers(sums, array, cval, dtype, out)
    wide = [a for a, s in enumerate(sides) if s > 1]
    picture = same_picture(array, dtype)
    plane = plane_of(array, wide, dtype) if picture is not None else None
    if plane is not None and len({borders[a] for a in wide}) == 1 and max(sizes) <= MOST_BOX and all(
            anchors[a] == sides[a] // 2 for a in wide):
        side = dict(enumerate(sides))
        return run_picture(_ops.box, picture, out, plane, {
            "size": (side[plane[1]], side.get(plane[0], 1)), "border": borders[wide[0]], "border_value": cval,
            "alpha": "straight"})
    values = _floats.exactly_float(name, array)
    if array.dtype.kind == "f":
        for a in wide:
            values = _floats.along(values, np.ones(sides[a]), a, borders[a], cval, anchors[a])
            values /= sides[a]
    elif wide:  # sums of whole numbers are exact until the only division
        values = sums(values, cval) / math.prod(sides)
    return _floats.store(array.copy() if values is array else values, dtype, out)


def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Sobel's derivative along an axis. uint8, uint16, int16 and float32 arrays of two axes with one mode, to uint8,
    uint16, int16 or float32: gpufilter.sobel. Results of unsigned integers saturate: a negative one becomes 0;
    output='int16' or 'float32' keeps it. All other arrays in float64."""
    return _gradient("sobel", _ops.sobel, input, axis, output, mode, cval, [1, 2, 1])


def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """Prewitt's derivative along an axis; like sobel."""
    return _gradient("prewitt", _ops.prewitt, input, axis, output, mode, cval, [1, 1, 1])


def _gradient(name, op, input, axis, output, mode, cval, smooth):
    input, made = _of_parts(name, lambda part, outside, _: _gradient(
        name, op, part, axis, float, mode, outside, smooth), input, output, cval)
    if made is not None:
        return made
    array, dtype, out = arrays_of(name, input, output)
    axis, cval = axis_of(name, axis, array.ndim), number_of(name, "cval", cval)
    borders = borders_of(name, mode, array.ndim)
    if not array.size:
        return empty(array, dtype, out)
    plane = plane_of(array, range(2), dtype) if array.ndim == 2 and len(set(borders)) == 1 else None
    if plane is not None and (borders[0] != "constant" or cval == 0):
        return run_picture(op, array, out, plane, {"output": "dx" if axis == 1 else "dy", "border": borders[0],
                                                   "dtype": dtype})
    others = [(a, smooth, borders[a], 1, cval) for a in range(array.ndim) if a != axis]
    return _passes(name, array, dtype, out, [(axis, [-1, 0, 1], borders[axis], 1, cval), *others])


def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The sum of second differences. uint8, uint16, int16 and float32 arrays of two axes with one mode, to uint8,
    uint16, int16 or float32: gpufilter.laplacian. All other arrays in float64."""
    name = "laplace"
    input, made = _of_parts(name, lambda part, outside, _: laplace(part, float, mode, outside, axes=axes), input, output,
                            cval)
    if made is not None:
        return made
    array, dtype, out = arrays_of(name, input, output)
    axes, cval = axes_of(name, axes, array.ndim), number_of(name, "cval", cval)
    borders = borders_of(name, mode, len(axes))
    if not array.size:
        return empty(array, dtype, out)
    plane = plane_of(array, axes, dtype) if array.ndim == len(axes) == 2 and len(set(borders)) == 1 else None
    if plane is not None:
        return run_picture(_ops.laplacian, array, out, plane, {"border": borders[0], "border_value": cval,
                                                               "dtype": dtype})
    values, total = _floats.exactly_float(name, array), np.zeros(array.shape)
    for axis, border in zip(axes, borders):
        total += _floats.along(values, [1, -2, 1], axis, border, cval, 1)
    return _floats.store(total, dtype, out)
