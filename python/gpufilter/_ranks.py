# SPDX-License-Identifier: MIT
"""Ranks, extrema and grey morphology of dtypes that the daemon does not rank: int8, and those of 32 and 64 bits. Every
sample is replaced by a number that a picture holds exactly and that keeps the order, and the samples are looked up by
the numbers of the result. Used by _instead.py, _ordered.py and _windows.py."""
import math

import numpy as np

from . import _tiles
from ._program import shown

OPS = ("median", "rank", "percentile", "erode", "dilate", "opening", "closing", "gradient", "tophat", "blackhat")
DTYPES = tuple(np.dtype(name) for name in ("i1", "i4", "u4", "i8", "u8", "f8"))
_LEAST_NORMAL = 1 << 23  # the bits of float32's least normal number: places above them are finite numbers in order
_MOST_PLACES = 0x7f800000 - _LEAST_NORMAL
# Differences, which are subtracted here as numpy subtracts; None: the picture.
_DIFFERENCES = {"gradient": ("dilate", "erode"), "tophat": (None, "opening"), "blackhat": ("closing", None)}
_TWICE = {"opening": ("erode", "dilate"), "closing": ("dilate", "erode")}


def keys_of(samples):
    """Integers in the order of the samples, whole numbers, float32 or float64: -0 below +0, NaN last."""
    if samples.dtype.kind != "f":
        return samples
    return _turned(np.where(np.isnan(samples), samples.dtype.type(math.nan), samples).view(f"i{samples.itemsize}"))


def samples_of(keys, dtype):
    """The samples of a dtype that have these keys."""
    return keys if dtype.kind != "f" else _turned(keys).view(dtype)


def _turned(bits):
    """Bits of floats as integers in order, and back: the order of negative floats is that of their bits turned round."""
    return bits ^ (bits >> (8 * bits.itemsize - 1) & np.iinfo(bits.dtype).max)


def _places(keys, sort):
    """The distinct keys in order, and the place of each key among them; sort(keys) gives the indices that sort."""
    order = sort(keys)
    ordered, first = keys[order], np.ones(keys.size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    places = np.empty(keys.size, np.uint32)
    places[order] = np.cumsum(first, dtype=np.uint32) - np.uint32(1)
    return ordered[first], places


def numbers(samples, border, sort):
    """A picture in place of the samples, the numbers in place of the border's samples, and what gives samples back.
    The samples and those of the border are whole numbers or float64; sort(keys) gives the indices that sort."""
    dtype = samples.dtype
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            single = samples.astype(np.float32)
        same = single == samples
        if (same.all() or (same | np.isnan(samples)).all()) and np.isfinite(border).all() and \
                np.array_equal(border, border.astype(np.float32)):
            return single, border, lambda made: made.astype(dtype)
    keys, beside = keys_of(samples), keys_of(border)
    ends = [int(keys.min()), int(keys.max()), *beside.tolist()]
    least, most = min(ends), max(ends)
    for narrow, size in ((np.uint8, 2**8), (np.uint16, 2**16), (np.float32, 2**24)):
        if most - least < size:
            base = keys.dtype.type(least)
            return ((keys - base).astype(narrow), (beside - base).astype(narrow),
                    lambda made: samples_of(made.astype(keys.dtype) + base, dtype))
    found, places = _places(np.concatenate([keys.ravel(), beside]), sort)
    if len(found) > _MOST_PLACES:
        raise ValueError(f"an array of {len(found)} different values; {dtype} is ranked with up to {_MOST_PLACES}")
    few = len(found) <= 2**16
    places = places.astype(np.uint16) if few else (places + np.uint32(_LEAST_NORMAL)).view(np.float32)

    def back(made):
        return samples_of(found[made if few else made.view(np.uint32) - np.uint32(_LEAST_NORMAL)], dtype)
    return places[:keys.size].reshape(keys.shape), places[keys.size:], back


def _border_of(op, named, dtype, masked):
    """The samples that the border adds. Outside a mask whose border is left out lies the end of the order."""
    if named["border"] != "constant":
        return np.empty(0, dtype)
    value, info = named["border_value"], None if dtype.kind == "f" else np.iinfo(dtype)
    if value is not None:
        values = np.atleast_1d(value).tolist()
        if not all(isinstance(v, (int, float)) for v in values):
            raise TypeError(f"{op.name}: border_value={shown(value)}; it must be a number, or one for each channel")
        if info is not None and not all(info.min <= v <= info.max and v == int(v) for v in values):
            raise ValueError(f"{op.name}: border_value={value}; {dtype} holds whole numbers from {info.min} to "
                             f"{info.max}")
        return np.array(values if info is None else [int(v) for v in values], dtype)
    if not masked:
        return np.empty(0, dtype)
    ends = (math.nan, -math.inf) if info is None else (info.max, info.min)
    return np.array([ends[op.name != "erode"]], dtype)


def run(call, table, op, client, program_for, operands, values):
    """The result of operation `op` of the table; `call` runs one on a picture, program_for(op) is its program."""
    if operands[0].lead:
        whole, one = operands[0].array, operands[0].of
        return np.stack([run(call, table, op, client, program_for, [one(whole[k]), *operands[1:]], values)
                         for k in np.ndindex(operands[0].lead)]).reshape(whole.shape)
    picture, dtype = operands[0].array, operands[0].array.dtype
    named = dict(zip((param.name for param in op.params), values))
    masked = len(operands) > 1

    def made_by(name, array):
        return array if name is None else run(call, table, table[name], client, program_for,
                                              [operands[0].of(array), *operands[1:]], values)

    if op.name in _DIFFERENCES:
        with np.errstate(all="ignore"):
            return np.subtract(*[made_by(name, picture) for name in _DIFFERENCES[op.name]])
    if op.name in _TWICE and masked and named["border"] == "constant" and named["border_value"] is None:
        first, second = _TWICE[op.name]
        return made_by(second, made_by(first, picture))

    outside = _border_of(op, named, dtype, masked)

    def sort(keys):
        return call(table["argsort"], client, (keys,), ("all", False), None, None)

    def work(arrays):
        picture, border, back = numbers(arrays[0], outside, sort)
        given = {**named, "border_value": border.tolist() or None} if named["border"] == "constant" else named
        return back(call(op, client, (picture, *(arrays[1:] or [None] * (len(op.inputs) - 1))), tuple(given.values()),
                         None, -1 if operands[0].channels else None))

    return _tiles.run(program_for(op), operands, work)
