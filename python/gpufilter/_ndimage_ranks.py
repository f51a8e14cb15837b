# SPDX-License-Identifier: MIT
"""scipy.ndimage's ranks, extrema and grey morphology of pictures. Used by ndimage.py, which has the names."""
import operator

import numpy as np

from . import _calls, _ops
from ._arguments import (MOST_MASK, PICTURES, anchor_of, arrays_of, axes_of, border_of, each, empty, in_axis_order,
                         number_of, on_host, plane_of, run_picture, same_picture)
from ._intake import asarray, into


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
    return _ranked("minimum_filter", _ops.erode, {}, input, size, footprint, output, mode, cval, origin, axes)


def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """gpufilter.dilate; like minimum_filter. The footprint is not reflected, unlike in grey_dilation."""
    return _ranked("maximum_filter", _ops.dilate, {}, input, size, footprint, output, mode, cval, origin, axes)


def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Minimum along one axis; like minimum_filter with axes=axis."""
    return _ranked("minimum_filter1d", _ops.erode, {}, input, size, None, output, mode, cval, origin, [axis])


def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Maximum along one axis; like maximum_filter with axes=axis."""
    return _ranked("maximum_filter1d", _ops.dilate, {}, input, size, None, output, mode, cval, origin, [axis])


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
            raise NotImplementedError(f"{name}: a footprint with gaps; only rectangles are ranked; {on_host(name)}")
        if not footprint.any():
            raise ValueError(f"{name}: a footprint without members; it must have one")
        return list(footprint.shape), footprint
    if size is None:
        raise RuntimeError(f"{name}: neither size nor footprint is given")
    return [operator.index(s) for s in each(name, "size", size, n)], None


def _ranked(name, op, options, input, size, footprint, output, mode, cval, origin, axes):
    array, dtype, out = arrays_of(name, input, output)
    axes = axes_of(name, axes, array.ndim)
    (sides, element), cval = _window(name, op, size, footprint, len(axes)), number_of(name, "cval", cval)
    origins = each(name, "origin", origin, len(axes))
    if element is not None or op not in _ELEMENTS:  # without gaps, extrema are passes along each axis
        axes, origins = in_axis_order(axes, origins, array.ndim)
    if any(not 1 <= s <= MOST_MASK for s in sides):
        raise ValueError(f"{name}: size={size if footprint is None else sides}; it must be 1 to {MOST_MASK}")
    anchors = [anchor_of(name, o, s) for o, s in zip(origins, sides)]
    if op not in _ELEMENTS and anchors != [s // 2 for s in sides]:
        raise NotImplementedError(f"{name}: origin={origin}; windows must be centred on the sample; {on_host(name)}")
    modes = set(each(name, "mode", mode, len(axes)))
    if len(modes) != 1:
        raise NotImplementedError(f"{name}: mode={mode}; one mode serves all axes; {on_host(name)}")
    border = border_of(name, modes.pop())
    if not array.size:
        return empty(array, dtype, out)
    picture, wide = same_picture(array, dtype), [a for a, s in zip(axes, sides) if s > 1]
    plane = plane_of(array, wide or [array.ndim - 1], dtype) if picture is not None else None
    if plane is None:
        raise NotImplementedError(f"{name}: shape {array.shape} of {array.dtype} to {dtype} along axes {wide}; uint8, "
                                  "uint16, int16 and float32 are ranked along the last two axes, or the two before "
                                  f"channels; {on_host(name)}")
    (down, across, _), side, at = plane, dict(zip(axes, sides)), dict(zip(axes, anchors))
    high, wide = side.get(down, 1), side.get(across, 1)
    if element is None:
        options = {**options, "size": (wide, high)}
    else:
        options = {**options, "mask": element.reshape(high, wide).astype(np.float32)}
    if op in _ELEMENTS:
        options.update(anchor=(at.get(across, 0), at.get(down, 0)), alpha="straight")
    return run_picture(op, picture, out, plane, {**options, "border": border, "border_value": cval})


# ---- grey morphology: pictures with two axes, and flat elements of up to 255 x 255 ----

def _element(name, size, footprint, structure):
    """The footprint, or ones of that size."""
    if structure is not None and np.any(asarray(structure) != 0):
        raise NotImplementedError(f"{name}: structure with heights; elements are flat: "
                                  f"footprint=structure.astype(bool), or on the host scipy.ndimage.{name}")
    if footprint is None and structure is not None:
        footprint = np.ones(np.shape(structure), bool)
    if footprint is None and size is None:
        raise ValueError(f"{name}: size, footprint or structure must be given")
    if footprint is None:
        footprint = np.ones([operator.index(s) for s in each(name, "size", size, 2)], bool)
    footprint = np.ascontiguousarray(asarray(footprint).astype(bool))
    if footprint.ndim != 2 or not footprint.any() or max(footprint.shape) > MOST_MASK:
        raise ValueError(f"{name}: an element of shape {footprint.shape}; it must have two axes of up to {MOST_MASK}, "
                         "and a member")
    return footprint


def _step(name, op, element, origins, turned, operand, border, cval):
    """One step of a request and its element, which scipy's grey_dilation reflects."""
    anchor = [n // 2 + o for n, o in zip(element.shape, origins)]
    if any(not 0 <= a < n for a, n in zip(anchor, element.shape)):
        raise ValueError(f"{name}: origin={origins} with an element of shape {element.shape}; its origin must lie in "
                         "it")
    if turned:
        element, anchor = element[::-1, ::-1], [n - 1 - a for a, n in zip(anchor, element.shape)]
    text = f"{op} mask=@{operand} anchor={anchor[1]},{anchor[0]} border={border} alpha=straight"
    return (text + f" border_value={cval!r}" if border == "constant" else text), np.ascontiguousarray(element, "f4")


def _run(name, ops, input, size, footprint, structure, output, mode, cval, origin):
    array, dtype, out = arrays_of(name, input, output)
    if array.dtype not in PICTURES or array.ndim != 2 or dtype != array.dtype or not array.size:
        raise NotImplementedError(f"{name}: input of shape {array.shape} and {array.dtype}, output of {dtype}; "
                                  "allowed: two axes of uint8, uint16, int16 or float32, with output of the same "
                                  f"dtype; {on_host(name)}")
    element, border = _element(name, size, footprint, structure), border_of(name, mode)
    origins = [operator.index(o) for o in each(name, "origin", origin, 2)]
    steps = [_step(name, op, element, origins, op == "dilate", i + 1, border, number_of(name, "cval", cval))
             for i, op in enumerate(ops)]
    made = _calls.default_client().run(" | ".join(s[0] for s in steps), np.ascontiguousarray(array),
                                       *(s[1] for s in steps), channel_axis=None)
    return array, made, out


def _grey(name, ops, input, *rest):
    _, made, out = _run(name, ops, input, *rest)
    return into(out, made)


def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.erode."""
    return _grey("grey_erosion", ["erode"], input, size, footprint, structure, output, mode, cval, origin)


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.dilate with the element reflected."""
    return _grey("grey_dilation", ["dilate"], input, size, footprint, structure, output, mode, cval, origin)


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.erode, then dilate with the element reflected, in one request."""
    return _grey("grey_opening", ["erode", "dilate"], input, size, footprint, structure, output, mode, cval, origin)


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.dilate with the element reflected, then erode, in one request."""
    return _grey("grey_closing", ["dilate", "erode"], input, size, footprint, structure, output, mode, cval, origin)


def morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                           origin=0):
    """grey_dilation minus grey_erosion, subtracted here, as scipy does."""
    name, rest = "morphological_gradient", (size, footprint, structure, output, mode, cval, origin)
    dilated, out = _run(name, ["dilate"], input, *rest)[1:]
    return into(out, dilated - _run(name, ["erode"], input, *rest)[1])


def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """input minus grey_opening, subtracted here, as scipy does."""
    array, made, out = _run("white_tophat", ["erode", "dilate"], input, size, footprint, structure, output, mode, cval,
                            origin)
    return into(out, array - made)


def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """grey_closing minus input, subtracted here, as scipy does."""
    array, made, out = _run("black_tophat", ["dilate", "erode"], input, size, footprint, structure, output, mode, cval,
                            origin)
    return into(out, made - array)
