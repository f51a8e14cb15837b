# SPDX-License-Identifier: MIT
"""The state that a reduction keeps of a part of the data, and how the states of all parts become one result, by
numerics.md of gpufilterd-doc, "reduce": exact numbers for any part; for real numbers the results of whole chunks of
the tree, whose folding continues where the parts come together. Used by _partial.py, which has checked where the parts
lie."""
import ctypes
import functools
import math

import numpy as np

from . import _ops, errors

CHUNK = 4096  # elements in a chunk of the tree
BLOCK = 64  # rows in a chunk of the tree of columns
_NOTHING = -1  # the index if there is no element


@functools.lru_cache(maxsize=1)
def _fma():
    """a·b + c with one rounding, for arrays. math.fma is not used, because it raises errors for infinities."""
    fma = ctypes.CDLL("libm.so.6").fma
    fma.restype, fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    return np.frompyfunc(fma, 3, 1)


class Elements:
    """The elements of a part as pixels: (n, channels), or for `axis=cols` (rows, columns, channels)."""

    def __init__(self, array, cols, omit, client):
        self.array, self.cols, self.omit = array, cols, omit
        self.options = {"channel_axis": -1, "client": client}
        self.kind = array.dtype.kind
        self.small = self.kind in "iu" and array.itemsize <= 2

    def of(self, array):
        """Other elements with the same properties."""
        return Elements(array, self.cols, self.omit, self.options["client"])

    def floats(self):
        """The elements as real numbers, of which the tree is made."""
        return self if self.kind == "f" else self.of(self.array.astype(float))

    def whole(self, op, **more):
        """One value for each sequence, for operations that do not depend on an order."""
        made = _ops.reduce(self.array, op, axis="cols" if self.cols else "all", nan="omit" if self.omit else "propagate",
                           **more, **self.options)
        return made if self.cols else made[None]

    def chunks(self):
        """The elements of whole chunks, and the remaining ones: (chunks, rows or elements of one, ...)."""
        size = BLOCK if self.cols else CHUNK
        n = len(self.array) // size
        for part in (self.array[:n * size].reshape(n, size, *self.array.shape[1:]), self.array[None, n * size:]):
            if part.size:
                yield part

    def each_chunk(self, work):
        """The result of `work` for each chunk, given chunks and the axis of their elements: (chunks, sequences,
        channels)."""
        made = [work(part, "cols" if self.cols else "rows") for part in self.chunks()]
        return np.concatenate([m if self.cols else m[:, None] for m in made])

    def present(self):
        """The number of elements that count in each chunk: (chunks, sequences, channels)."""
        parts = [self.present_in(part) for part in self.chunks()]
        return np.concatenate([n if self.cols else n[:, None] for n in parts])

    def present_in(self, part):
        if self.omit and self.kind == "f":
            return part.shape[1] - np.isnan(part).sum(axis=1)
        return np.full(part.shape[:1] + part.shape[2:], part.shape[1])

    def counted(self):
        """The number of elements that count in each sequence: (sequences, channels), as Python integers."""
        return self.present().sum(axis=0).astype(object)


def _fold(op, joined, cols, client):
    """The tree, or the reduction of maps, over the results of chunks: (chunks, sequences, channels)."""
    array = joined if cols else joined[:, 0]
    made = _ops.reduce(np.ascontiguousarray(array), op, axis="cols" if cols else "all", channel_axis=-1, client=client)
    return made if cols else made[None]


def _first(op, joined, omit, client):
    """min, max, argmin or argmax over parts: (parts, sequences, channels)."""
    flat = np.ascontiguousarray(joined.reshape(len(joined), -1))
    made = _ops.reduce(flat, op, axis="cols", nan="omit" if omit else "propagate", channel_axis=None, client=client)
    return made.reshape(joined.shape[1:])


def _real(values):
    """Real numbers, with NaN as results have it."""
    values = np.asarray(values, float)
    return np.where(np.isnan(values), np.nan, values)


# ---- exact integers ----

def _limits(kind):
    return (0, 2**64 - 1) if kind == "u" else (-2**63, 2**63 - 1)


def _exact(elements, op):
    """Sums or products of integers as Python integers; None: a product far beyond 64 bits."""
    try:
        return elements.whole(op, overflow="error").astype(object)
    except errors.ResultOverflow:
        numbers = elements.array.astype(object)
        if op == "sum":
            made = numbers.sum(axis=0)
        else:
            columns = numbers.reshape(len(numbers), -1).T
            made = np.array([_product(c) for c in columns], object).reshape(numbers.shape[1:])
        return made if elements.cols else made[None]


def _product(factors):
    if any(f == 0 for f in factors):
        return 0
    made = 1
    for f in factors:
        made = None if f is None or made is None else made * f
        if made is None or abs(made) > 2**64:
            return None
    return made


def _fits(number, kind, overflow, op, channel):
    """A sum or product as it is stored."""
    lo, hi = _limits(kind)
    if overflow == "wrap":
        return (number - lo) % 2**64 + lo
    if number is None or not lo <= number <= hi:
        shown = "" if number is None else f", {number},"
        raise errors.from_status(errors.ResultOverflow.status, f"reduce: the {op} of channel {channel}{shown} does not "
                                 f"fit {'u64' if kind == 'u' else 'i64'}; overflow=wrap takes it modulo 2^64")
    return number


class Exact:
    """sum and product of integers."""

    def __init__(self, op, overflow, kind):
        self.op, self.overflow, self.kind = op, overflow, kind

    def part(self, e):
        if self.overflow == "wrap":
            return e.whole(self.op, overflow="wrap").astype(object)
        return _exact(e, self.op)

    def merge(self, states, of):
        joined = np.stack(states)
        made = np.empty(joined.shape[1:], "u8" if self.kind == "u" else "i8")
        for at in np.ndindex(made.shape):
            numbers = joined[(slice(None), *at)]
            if self.op == "sum":
                number = sum(numbers)
            elif self.overflow == "wrap":
                number = math.prod(numbers)
            else:
                number = _product(numbers)
            made[at] = _fits(number, self.kind, self.overflow, self.op, at[-1] + 1)
        return made


class Total:
    """Integers that are summed, and converted to a real number by `end`: mean, l1, l2, var and std of integers."""

    def __init__(self, parts, end):
        self.parts, self.end = parts, end

    def part(self, e):
        return [part(e) for part in self.parts]

    def merge(self, states, of):
        totals = [sum(s) for s in zip(*states)]
        made = np.empty(totals[0].shape)
        for at in np.ndindex(made.shape):
            made[at] = self.end(*[t[at] for t in totals])
        return _real(made)


def _magnitudes(e):
    array = e.array
    if e.kind == "i":
        array = np.abs(array.astype("i8")).view("u8")  # the least i8 is its own abs: 2^63
    return _exact(e.of(array), "sum")


def _squares(e):
    return _exact(e.of(np.square(e.array.astype("i8" if e.kind == "i" else "u8"))), "sum")


def _sum(e):
    return _exact(e, "sum")


def _mean_of(total, n):
    return float(total) / n if n else math.nan


def _var_of(ddof, root):
    def end(total, squares, n):
        if n <= ddof:
            return math.nan
        var = float(n * squares - total * total) / float(n) / float(n - ddof)
        return math.sqrt(var) if root else var
    return end


# ---- real numbers: chunks of the tree ----

class Tree:
    """sum, product, l1, affine and matmul2 of real numbers."""

    def __init__(self, op, then="sum", end=None):
        self.op, self.then, self.end = op, then, end

    def part(self, e):
        n = e.present()
        made = e.each_chunk(lambda chunks, axis: _ops.reduce(
            chunks, self.op, axis=axis, nan="omit" if e.omit else "propagate", **e.options))
        if self.op in ("sum", "l1"):
            made = np.where(n[..., :made.shape[-1]] == 0, -0.0, made)  # no elements
        return made, n

    def merge(self, states, of):
        made = _fold(self.then, np.concatenate([s for s, _ in states]), of.cols, of.client)
        n = sum(n.sum(axis=0) for _, n in states)
        if self.op in ("sum", "l1"):
            made = np.where(n == 0, 0.0, made)
        return _real(self.end(made, n) if self.end else made)


def _divided(made, n):
    with np.errstate(all="ignore"):
        return made / n


class Squares:
    """l2 of real numbers, and dot: chunks of products."""

    def __init__(self, root):
        self.root = root

    def part(self, e, other=None):
        if other is None:
            e = e.floats()
            array = np.where(np.isnan(e.array), 0, e.array) if e.omit else e.array
            e = other = e.of(array)
        of = other.chunks()
        return e.each_chunk(lambda chunks, axis: _ops.dot(chunks, next(of), axis=axis, **e.options))

    def merge(self, states, of):
        made = _fold("sum", np.concatenate(states), of.cols, of.client)
        with np.errstate(all="ignore"):
            return _real(np.sqrt(made) if self.root else made)


class Variance:
    """var and std of real numbers: triples of count, mean and sum of squared distances, folded like the sums."""

    def __init__(self, ddof, root):
        self.ddof, self.root = ddof, root

    def part(self, e):
        e, n = e.floats(), e.present()
        mean = e.each_chunk(lambda chunks, axis: _ops.reduce(
            chunks, "mean", axis=axis, nan="omit" if e.omit else "propagate", **e.options))
        return n.astype(float), mean, self._distances(e)

    @staticmethod
    def _distances(e):
        """Q of each chunk: var divided by 1. Chunks with the same number of elements are one request."""
        def work(chunks, axis):
            n = e.present_in(chunks)
            made = np.zeros(n.shape)
            for count in np.unique(n[n > 0]).tolist():
                some = np.flatnonzero((n == count).reshape(len(n), -1).any(axis=1))
                q = _ops.reduce(chunks[some], "var", axis=axis, ddof=count - 1, nan="omit" if e.omit else "propagate",
                                **e.options)
                made[some] = np.where(n[some] == count, q, made[some])
            return made
        return e.each_chunk(work)

    def merge(self, states, of):
        triples = [np.concatenate(parts) for parts in zip(*states)]
        lanes, steps = (1, BLOCK) if of.cols else (128, 32)
        n, _, q = _fold_triples(triples, lanes, steps)
        with np.errstate(all="ignore"):
            var = np.where(n > self.ddof, q / np.where(n > self.ddof, n - self.ddof, 1), np.nan)
            return _real(np.sqrt(var) if self.root else var)


def _together(a, b):
    """a and b combined; each may be absent."""
    with np.errstate(all="ignore"):
        n = a[0] + b[0]
        r = b[0] / np.where(n == 0, 1, n)
        delta = b[1] - a[1]
        mean = _fma()(delta, r, a[1]).astype(float)
        q = (a[2] + b[2]) + (delta * delta) * (a[0] * r)
    alone_a, alone_b = b[0] == 0, a[0] == 0
    return (n, np.where(alone_a, a[1], np.where(alone_b, b[1], mean)),
            np.where(alone_a, a[2], np.where(alone_b, b[2], q)))


def _fold_triples(triples, lanes, steps):
    """Folds along the first axis, in chunks of so many lanes and steps, until one is left."""
    while True:
        size = lanes * steps
        k = -(-len(triples[0]) // size)
        rest = triples[0].shape[1:]
        padded = [np.concatenate([t, np.zeros((k * size - len(t), *rest))]).reshape(k, steps, lanes, *rest)
                  for t in triples]
        made = [t[:, 0] for t in padded]
        for step in range(1, steps):
            made = _together(made, [t[:, step] for t in padded])
        half = lanes // 2
        while half:
            made = _together([t[:, :half] for t in made], [t[:, half:2 * half] for t in made])
            half //= 2
        triples = [t[:, 0] for t in made]
        if k == 1:
            return [t[0] for t in triples]


# ---- the rest ----

class Extreme:
    """min, max, linf."""

    def __init__(self, op):
        self.op = op

    def part(self, e):
        return e.whole(self.op)

    def merge(self, states, of):
        return _first("max" if self.op == "linf" else self.op, np.stack(states), of.omit and self.op != "linf", of.client)


class Place:
    """argmin, argmax: the value and its place in its part."""

    def __init__(self, op):
        self.op = op

    def part(self, e):
        return e.whole(self.op[3:]), e.whole(self.op)

    def merge(self, states, of):
        values = np.stack([value for value, _ in states])
        at = np.stack([index for _, index in states])
        which = _first(self.op, values, of.omit, of.client)
        made = np.full(which.shape, _NOTHING)
        for index in np.ndindex(which.shape):
            k = int(which[index])
            if k != _NOTHING:
                made[index] = int(at[(k, *index)]) + of.offsets[k]
        return made


class Count:
    """count, any, all, and the number of NaNs."""

    def __init__(self, op):
        self.op = op

    def part(self, e):
        if self.op == "nan":
            made = np.isnan(e.array).sum(axis=0) if e.kind == "f" else np.zeros(e.array.shape[1:], int)
            return made if e.cols else made[None]
        return e.whole(self.op)

    def merge(self, states, of):
        joined = np.stack(states)
        if self.op in ("any", "all"):
            return joined.max(axis=0) if self.op == "any" else joined.min(axis=0)
        return joined.sum(axis=0)


def figure(op, dtype, ddof, overflow):
    """The class that merges `reduce op=` of a dtype, and whether it folds a tree, so that parts must begin at
    chunks."""
    kind, small = dtype.kind, dtype.kind in "iu" and dtype.itemsize <= 2
    if op in ("min", "max", "linf"):
        return Extreme(op), False
    if op in ("argmin", "argmax"):
        return Place(op), False
    if op in ("count", "any", "all", "nan"):
        return Count(op), False
    if op in ("affine", "matmul2"):
        return Tree(op, op), True
    if kind != "f" and op in ("sum", "product"):
        return Exact(op, overflow, kind), False
    if kind != "f" and op == "mean":
        return Total([_sum, Elements.counted], _mean_of), False
    if kind != "f" and op == "l1":
        return Total([_magnitudes], float), False
    if small and op == "l2":
        return Total([_squares], lambda s: math.sqrt(float(s))), False
    if small and op in ("var", "std"):
        return Total([_sum, _squares, Elements.counted], _var_of(ddof, op == "std")), False
    if op == "l2":
        return Squares(True), True
    if op in ("var", "std"):
        return Variance(ddof, op == "std"), True
    if op == "mean":
        return Tree("sum", end=_divided), True
    return Tree(op, "product" if op == "product" else "sum"), True
