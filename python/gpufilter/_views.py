# SPDX-License-Identifier: MIT
"""Converts between numpy arrays and the library's views: the meaning of an array's axes, which arrays must be copied,
the shapes of results. Owns no memory and does no I/O; used by _client.py, _pipe.py and _array.py."""
import operator
from ctypes import addressof, c_char

import numpy as np

from . import _library
from ._intake import asarray
from ._library import Result, View
from ._program import shown

WORDS = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "f16")
DTYPES = tuple(np.dtype(name) for name in ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8", "f2"))
COMPUTED = WORDS[:-1]  # dtypes with arithmetic; float16 is only read and stored
CODES = {dtype: code for code, dtype in enumerate(DTYPES, 1)}
_WORD_OF = dict(zip(DTYPES, WORDS))
_F32, _BOOL, _U8 = np.dtype("f4"), np.dtype("?"), np.dtype("u1")
_SIGNED = {np.dtype("u8"): np.dtype("i8"), np.dtype("u4"): np.dtype("i4")}
MOST_CHANNELS = 4
_char_from = c_char.from_buffer


class Operand:
    """An input as the program takes it: an array with `lead` axes of a stack, 1 or 2 axes, and possibly channels."""

    __slots__ = ("array", "dtype", "lead", "sides", "channels", "resident")

    def __init__(self, array, dtype, lead, sides, channels, resident=None):
        self.array = array
        self.dtype = dtype  # as the caller sees it: bool where the program has uint8
        self.lead = lead  # shape of the stack, () for a single one
        self.sides = sides  # axes of one picture or array, 1 or 2
        self.channels = channels  # of a pixel; 0: no axis of channels
        self.resident = resident  # its view, if it is on the device


    def of(self, array):
        """The same operand with another picture or array, and no stack."""
        return Operand(array, array.dtype, (), self.sides, self.channels)


def unfit(kind, text):
    """An error about an array that no request can have, but for which _instead.py may have an answer: a TypeError for
    a dtype, a ValueError for an array without elements."""
    error = kind(text)
    error.unfit = True
    return error


def dtype_named(op, value):
    """The dtype that a caller names."""
    try:
        return np.dtype(value)
    except (TypeError, ValueError):
        raise TypeError(f"{op}: dtype={shown(value)} is no dtype of numpy") from None


def names(words):
    """The numpy names of the dtypes, for an error text."""
    listed = [DTYPES[WORDS.index(word)].name for word in words]
    return listed[0] if len(listed) == 1 else ", ".join(listed[:-1]) + " and " + listed[-1]


def _refuse_dtype(op, input, dtype, more=""):
    if not more and dtype.kind in "iuf" and "f32" in input.dtypes:
        more = "; use array.astype('float32') if that is precise enough"
    raise unfit(TypeError, f"{op}: {input.name} has dtype {dtype}; it takes {names(input.dtypes)}{more}")


def _from_list(array, input, like):
    """Converts numbers that are not an array and so have no dtype: to the dtype of the other input, or to the first
    dtype that the input takes and that can hold them."""
    wanted = [_WORD_OF[like]] if like in _WORD_OF else ["i64", "i32", "f64"] if array.dtype.kind == "i" else ["f64"]
    for word in wanted:
        if word in input.dtypes and array.dtype.kind in "if":
            with np.errstate(all="ignore"):
                made = array.astype(DTYPES[WORDS.index(word)])
            if np.array_equal(made, array):
                return made
    return array


def dtype_of(wanted, code, first):
    """The dtype of an output for numpy: counts, indices and sums of bool are signed, truths are bool, and samples of the
    program's first operand have its dtype. The bits are those of the daemon's dtype."""
    dtype = DTYPES[code - 1]
    if wanted.meaning == "count" or (wanted.meaning == "number" and first.dtype == _BOOL):
        return _SIGNED.get(dtype, dtype)
    if wanted.meaning == "truth":
        return _BOOL
    seen = first.dtype
    return seen if wanted.meaning == "sample" and seen.itemsize == dtype.itemsize and seen != dtype else dtype


def array_of(op, name, value):
    try:
        return asarray(value)
    except (TypeError, ValueError, BufferError) as error:
        raise type(error)(f"{op}: {name}: {error}") from None


def _typed(op, input, value, like, takes_truth):
    """An array of a dtype that the input takes, and the dtype that the caller sees."""
    array = array_of(op, input.name, value)
    dtype = seen = array.dtype
    if input.kind == "coefs" and dtype.kind in "iuf":
        return np.ascontiguousarray(array, _F32), _F32
    if dtype not in CODES or not dtype.isnative:
        if dtype == _BOOL and (takes_truth or input.kind in ("buffer", "list")):
            array = array.view(_U8)
        elif dtype == _BOOL:
            _refuse_dtype(op, input, dtype, "; for a mask, use array.view('uint8') * 255")
        elif dtype.newbyteorder("=") in CODES:
            array = array.astype(dtype.newbyteorder("="))
        else:
            _refuse_dtype(op, input, dtype)
        dtype = array.dtype
    if input.kind in ("list", "matrix") and not isinstance(value, np.ndarray):
        array = _from_list(array, input, like if input.kind == "matrix" else None)
        dtype = array.dtype
    if _WORD_OF[dtype] not in input.dtypes:
        _refuse_dtype(op, input, seen)
    return array, seen if seen == _BOOL else dtype


def _has_channels(op, name, shape, channel_axis):
    if isinstance(channel_axis, str):
        if channel_axis != "auto":
            raise ValueError(f"{op}: channel_axis={shown(channel_axis)}; allowed: -1, None and 'auto'")
        return len(shape) >= 3 and 1 <= shape[-1] <= MOST_CHANNELS
    if channel_axis is None:
        return False
    try:
        axis = operator.index(channel_axis)
    except TypeError:
        raise TypeError(f"{op}: channel_axis={shown(channel_axis)}; it must be -1, None or 'auto'") from None
    if axis not in (-1, len(shape) - 1):
        raise ValueError(f"{op}: channel_axis={shown(axis)} of {name} with {len(shape)} axes; channels are the last axis "
                         f"here: use -1 after numpy.moveaxis(array, {shown(axis)}, -1)")
    if len(shape) < 2:
        raise ValueError(f"{op}: {name} has shape {shape}; with channel_axis={shown(axis)} it needs two axes or more")
    if not 1 <= shape[-1] <= MOST_CHANNELS:
        raise ValueError(f"{op}: {name} has {shape[-1]} channels with channel_axis={axis}; allowed: 1 to "
                         f"{MOST_CHANNELS}")
    return True


def operand_of(op, input, value, channel_axis, taken=None, like=None, takes_truth=False):
    """An input of the operation named `op`. A resident array comes with `taken`, its view; numbers that are not an
    array may get the dtype `like`; `takes_truth`: a picture may be of bool."""
    array, dtype = (value, value.dtype) if taken is not None else _typed(op, input, value, like, takes_truth)
    shape = array.shape
    if taken is not None and input.kind in ("coefs", "list"):
        raise TypeError(f"{op}: {input.name} is on the device; a {'mask' if input.kind == 'coefs' else 'list'} must "
                        "be a numpy array: use .numpy()")
    if taken is not None and (WORDS[taken.dtype - 1] not in input.dtypes or
                              dtype == _BOOL and input.kind == "image" and not takes_truth):
        _refuse_dtype(op, input, dtype)
    if not shape:
        raise ValueError(f"{op}: {input.name} is a single number; it must have one axis or more")
    if 0 in shape:
        raise unfit(ValueError, f"{op}: {input.name} has shape {shape}; every axis must be 1 or longer")
    if input.kind == "list":
        if len(shape) != 1:
            raise ValueError(f"{op}: {input.name} has shape {shape}; it takes a row, one axis")
        return Operand(array, dtype, (), 1, 0)
    if input.kind == "coefs":
        if len(shape) > 2:
            raise ValueError(f"{op}: {input.name} has shape {shape}; a mask has two axes, rows and columns")
        return Operand(array, dtype, (), len(shape), 0)
    if taken is not None:
        return Operand(array, dtype, (), value.sides, value.channels, taken)
    if op == "matmul" and len(shape) < 2:
        raise ValueError(f"{op}: {input.name} has shape {shape}; a matrix has two axes, rows and columns")
    channels = shape[-1] if input.kind != "matrix" and _has_channels(op, input.name, shape, channel_axis) else 0
    sides = min(2, len(shape) - (channels > 0))
    lead = shape[:len(shape) - sides - (channels > 0)]
    return Operand(array, dtype, lead, sides, channels)


def _pitch(shape, strides, itemsize, sides, channels):
    """Bytes from row to row if the samples of each row lie without gaps, otherwise None: the array must be copied."""
    pixel = itemsize * max(channels, 1)
    if channels > 1 and strides[-1] != itemsize:
        return None
    width = shape[sides - 1]
    if width > 1 and strides[sides - 1] != pixel:
        return None
    if sides == 1 or shape[0] == 1:
        return 0
    return strides[0] if strides[0] >= width * pixel and strides[0] % itemsize == 0 else None


def address_of(array):
    """The address of the first sample. The first way takes a third of the time, but does not work for every array."""
    try:
        return addressof(_char_from(array))
    except (TypeError, ValueError, BufferError):
        return array.__array_interface__["data"][0]


def view_of(array, sides, channels):
    """The view of one picture or array, and the array whose memory it names: a copy if the layout requires one."""
    pitch = 0
    if not array.flags.c_contiguous or not array.flags.aligned:
        pitch = _pitch(array.shape, array.strides, array.itemsize, sides, channels) if array.flags.aligned else None
        if pitch is None:
            array, pitch = np.ascontiguousarray(array), 0
            if not array.flags.aligned:
                array = array.copy()
    shape = array.shape
    height = shape[0] if sides == 2 else 1
    view = View(address_of(array), shape[sides - 1], height, 0, pitch, 0, CODES[array.dtype], channels or 1)
    return view, array


def shape_of(wanted, view, first):
    """The shape of the array for one output, from its view as infer() returns it and the program's first operand."""
    width, height, _, channels = view
    form = wanted.form
    if form == "picture":
        shape = (width,) if first.sides == 1 and height == 1 else (height, width)
        return shape + (channels,) if channels > 1 or first.channels == 1 else shape
    if form == "reduced":
        if wanted.segments or wanted.axis == "cols":
            shape = (width,)
        else:
            shape = (height,) if wanted.axis == "rows" and first.sides == 2 else ()
        return shape + (channels,) if channels > 1 or first.channels == 1 else shape
    if form == "quantiles":  # a single value per sequence has no axis of its own
        if wanted.segments or wanted.axis == "cols":
            shape = (height, width) if height > 1 else (width,)
        elif wanted.axis == "rows" and first.sides == 2:
            shape = (height, width) if width > 1 else (height,)
        else:
            shape = (width,) if width > 1 else ()
        return shape + (channels,) if first.channels else shape
    if form == "matrix":
        return (height, width)
    if form == "boxes":
        return (width, channels)
    if form == "top":
        shape = (width,) if first.sides == 1 or wanted.axis == "all" else (height, width)
        return shape + (channels,) if first.channels else shape
    if form == "row" or (height == 1 and first.channels != 1):
        return () if form == "values" else (width,)
    return (height,) if form == "values" else (height, width)


_inferred: dict = {}


def infer(program, views):
    """The outputs of the program for these operands, as (width, height, code of the dtype, channels); or None and the
    library's error."""
    key = (program.text, *[(v.width, v.height, v.dtype, v.channels) for v in views])
    found = _inferred.get(key)
    if found is None:
        results = results_for(program)
        error = _library.Error()
        if _library.lib.infer_text(program.encoded, (View * len(views))(*views), len(views), results, len(results),
                                   error):
            return None, error
        found = [(r.view.width, r.view.height, r.view.dtype, r.view.channels) for r in results]
        if len(_inferred) >= 512:
            _inferred.clear()
        _inferred[key] = found
    return found, None


def results_for(program):
    n = len(program.wanted)
    return (Result * n)(*[Result(View(), w.output) for w in program.wanted])


def check_out(op, out, name, shape, dtype):
    """Checks an array that the caller gives for a result."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{op}: out for {name} is a {type(out).__name__}; it must be a numpy.ndarray")
    if out.dtype != dtype or not out.dtype.isnative:
        raise TypeError(f"{op}: out for {name} has dtype {out.dtype}; the result has {dtype}")
    if out.shape != shape:
        raise ValueError(f"{op}: out for {name} has shape {out.shape}; the result has {shape}")
    if not out.flags.writeable:
        raise ValueError(f"{op}: out for {name} is read-only; it must be writeable")


def given(op, out, name, made):
    """A result that was made on the host, in the array that the caller gave for it, if any."""
    if out is None:
        return made
    check_out(op, out, name, made.shape, made.dtype)
    out[...] = made
    return out


def check_out_layout(op, name, array, sides, channels):
    """Checks that each row of a result lies without gaps."""
    if array.flags.c_contiguous and array.flags.aligned:
        return
    if not array.flags.aligned or _pitch(array.shape, array.strides, array.itemsize, sides, channels) is None:
        raise ValueError(f"{op}: out for {name} has strides {array.strides}; the samples of each row must lie without "
                         "gaps, rows in order")


def overlap(a, b):
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=100000)
    except np.exceptions.TooHardError if hasattr(np, "exceptions") else np.TooHardError:
        return True
