# SPDX-License-Identifier: MIT
"""Arithmetic of numpy as expressions: the text for operands of given dtypes, and the dtype of the result, which is
numpy's own. Used by _array.py."""
import operator

import numpy as np

_UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide, "&": np.bitwise_and,
           "|": np.bitwise_or, "^": np.bitwise_xor, "<": np.less, "<=": np.less_equal, ">": np.greater,
           ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_BOOL, _I64, _U64 = np.dtype(bool), np.dtype(np.int64), np.dtype(np.uint64)


def _type_of(dtype):
    """The type of expressions in which samples of a dtype are computed."""
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return "f64" if dtype.itemsize == 8 else "f32"
    if dtype.kind not in "iub":
        raise TypeError(f"arithmetic on the device has no dtype {dtype}")
    return "u64" if dtype == _U64 else "i64"


def _stored(text, dtype):
    """An integer as numpy stores it: modulo its size."""
    bits = 8 * dtype.itemsize
    if dtype.kind not in "iu" or bits == 64:
        return text
    return f"(({text}) << {64 - bits}) >> {64 - bits}" if dtype.kind == "i" else f"({text}) & {(1 << bits) - 1}"


def _result(symbol, *operands):
    """The dtype of the result, and that in which it is computed. Raises what numpy raises."""
    with np.errstate(all="ignore"):
        dtype = _UFUNCS[symbol](*operands).dtype
        if symbol not in _COMPARISONS:
            return dtype, dtype
        common = np.add(*operands).dtype
    if common.kind == "f" and all(np.asarray(o).dtype.kind in "iu" for o in operands):
        raise TypeError("comparison of uint64 with signed integers; convert one of them by astype()")
    return dtype, common


def _text(symbol, left, right, dtype, common):
    of = _type_of(common)
    text = f"{of}({left}) {symbol} {of}({right})"
    if symbol in _COMPARISONS:
        return f"select({text}, 1, 0)"
    if dtype == _BOOL:  # + is or, * is and
        return f"select({text} != 0, 1, 0)"
    return _stored(text, dtype)


def of_two(symbol, a, b):
    """For samples `a` and `b` of two dtypes: text, dtype."""
    dtype, common = _result(symbol, np.ones(1, a), np.ones(1, b))
    return _text(symbol, "a", "b", dtype, common), dtype


def _compared(dtype, number):
    """The dtype in which samples of integers are compared with a whole number."""
    common = _U64 if dtype == _U64 else _I64
    info = np.iinfo(common)
    if not info.min <= number <= info.max:
        raise OverflowError(f"comparison of {dtype} with {number}; on the device it must be {info.min} to {info.max}")
    return common


def with_number(symbol, dtype, number, swapped):
    """For samples `a` and a number `s`: text, dtype, the number for the text."""
    sample = np.ones(1, dtype)
    if symbol in _COMPARISONS and dtype.kind in "iub" and type(number) is int:
        made, common = _BOOL, _compared(dtype, number)
    else:
        made, common = _result(symbol, *((number, sample) if swapped else (sample, number)))
    whole = _type_of(common) in ("i64", "u64")
    if whole:
        number = operator.index(number.item() if isinstance(number, np.generic) else number)
    else:
        with np.errstate(over="ignore"):
            number = float(np.asarray(number).astype(common))
    left, right = ("s", "a") if swapped else ("a", "s")
    declared = f"param s = {'1' if whole else '1.0'}; "
    return declared + _text(symbol, left, right, made, common), made, number


def of_one(symbol, dtype):
    """For samples `a`: text, dtype."""
    ufunc = {"-": np.negative, "abs": np.absolute, "~": np.invert}[symbol]
    made = ufunc(np.ones(1, dtype)).dtype
    if dtype == _BOOL:
        return ("a" if symbol == "abs" else "select(a == 0, 1, 0)"), made
    of = _type_of(made)
    return _stored(f"{symbol}({of}(a))" if symbol == "abs" else f"{symbol}{of}(a)", made), made


def converted(dtype, to):
    """A sample `a` of another dtype."""
    if to == _BOOL:
        return "select(a != 0, 1, 0)"
    of = _type_of(to)
    if dtype == _U64 and of == "i64":
        whole = "select(a > 9223372036854775807, i64(a - 9223372036854775808) - 9223372036854775807 - 1, i64(a))"
        return _stored(whole, to)
    if dtype.kind == "i" and of == "u64":
        return "select(a < 0, u64(i64(a) & 9223372036854775807) + 9223372036854775808, u64(a))"
    return _stored(f"{of}(a)", to)
