# SPDX-License-Identifier: MIT
"""Grey morphology of scipy.ndimage, for pictures of uint8, uint16, int16 and float32 with two axes and flat elements of
up to 255 x 255. Used by ndimage.py, which has the names."""
import operator

import numpy as np

from . import _calls
from ._arguments import border_of, each, input_of, number_of, output_of
from ._intake import asarray

__all__ = ["black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "morphological_gradient",
           "white_tophat"]

_DTYPES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4")))
_MOST = 255


def _element(name, size, footprint, structure):
    """The footprint, or ones of that size."""
    if structure is not None and np.any(asarray(structure) != 0):
        raise NotImplementedError(f"{name}: structure with heights; elements are flat: footprint=structure.astype(bool), "
                                  f"or on the host scipy.ndimage.{name}")
    if footprint is None and structure is not None:
        footprint = np.ones(np.shape(structure), bool)
    if footprint is None and size is None:
        raise ValueError(f"{name}: size, footprint or structure must be given")
    if footprint is None:
        footprint = np.ones([operator.index(s) for s in each(name, "size", size, 2)], bool)
    footprint = np.ascontiguousarray(asarray(footprint).astype(bool))
    if footprint.ndim != 2 or not footprint.any() or max(footprint.shape) > _MOST:
        raise ValueError(f"{name}: an element of shape {footprint.shape}; it must have two axes of up to {_MOST}, and a "
                         "member")
    return footprint


def _step(name, op, element, origins, turned, operand, border, cval):
    """One step of a request and its element, which scipy's grey_dilation reflects."""
    anchor = [n // 2 + o for n, o in zip(element.shape, origins)]
    if any(not 0 <= a < n for a, n in zip(anchor, element.shape)):
        raise ValueError(f"{name}: origin={origins} with an element of shape {element.shape}; its origin must lie in it")
    if turned:
        element, anchor = element[::-1, ::-1], [n - 1 - a for a, n in zip(anchor, element.shape)]
    text = f"{op} mask=@{operand} anchor={anchor[1]},{anchor[0]} border={border} alpha=straight"
    return (text + f" border_value={cval!r}" if border == "constant" else text), np.ascontiguousarray(element, "f4")


def _run(name, ops, input, size, footprint, structure, output, mode, cval, origin):
    array = input_of(name, input)
    dtype, out = output_of(name, output, array)
    if array.dtype not in _DTYPES or array.ndim != 2 or dtype != array.dtype or not array.size:
        raise NotImplementedError(f"{name}: input of shape {array.shape} and {array.dtype}, output of {dtype}; allowed: "
                                  "two axes of uint8, uint16, int16 or float32, with output of the same dtype; on the host: "
                                  f"scipy.ndimage.{name}")
    element, border = _element(name, size, footprint, structure), border_of(name, mode)
    origins = [operator.index(o) for o in each(name, "origin", origin, 2)]
    steps = [_step(name, op, element, origins, op == "dilate", i + 1, border, number_of(name, "cval", cval))
             for i, op in enumerate(ops)]
    made = _calls.default_client().run(" | ".join(s[0] for s in steps), np.ascontiguousarray(array),
                                       *(s[1] for s in steps), channel_axis=None)
    return array, made, out


def _give(made, out):
    if out is None:
        return made
    out[...] = made
    return out


def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.erode."""
    return _give(*_run("grey_erosion", ["erode"], input, size, footprint, structure, output, mode, cval, origin)[1:])


def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.dilate with the element reflected."""
    return _give(*_run("grey_dilation", ["dilate"], input, size, footprint, structure, output, mode, cval, origin)[1:])


def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.erode, then dilate with the element reflected, in one request."""
    return _give(*_run("grey_opening", ["erode", "dilate"], input, size, footprint, structure, output, mode, cval,
                       origin)[1:])


def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """gpufilter.dilate with the element reflected, then erode, in one request."""
    return _give(*_run("grey_closing", ["dilate", "erode"], input, size, footprint, structure, output, mode, cval,
                       origin)[1:])


def morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                           origin=0):
    """grey_dilation minus grey_erosion, subtracted here, as scipy does."""
    name, rest = "morphological_gradient", (size, footprint, structure, output, mode, cval, origin)
    dilated, out = _run(name, ["dilate"], input, *rest)[1:]
    return _give(dilated - _run(name, ["erode"], input, *rest)[1], out)


def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """input minus grey_opening, subtracted here, as scipy does."""
    array, made, out = _run("white_tophat", ["erode", "dilate"], input, size, footprint, structure, output, mode, cval,
                            origin)
    return _give(array - made, out)


def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0):
    """grey_closing minus input, subtracted here, as scipy does."""
    array, made, out = _run("black_tophat", ["dilate", "erode"], input, size, footprint, structure, output, mode, cval,
                            origin)
    return _give(made - array, out)
