# SPDX-License-Identifier: MIT
"""partial() and merge_partials(): a reduction, statistics or a histogram over data that no single process holds. Each
part is reduced anywhere, then the parts are merged, with the bits of one request over all data. _figures.py defines
what each reduction keeps of a part."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from . import _figures, _views, errors
from ._calls import client_for
from ._figures import BLOCK, CHUNK
from ._jobs import _ANY
from ._program import program_of, shown
from ._reach import described, view_for

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._client import Client

_HISTOGRAMS = ("histogram", "histogram2d")
_STATS = ("count", "argmin", "argmax", "nan", "min", "max", "sum", "mean", "var", "std", "l1", "l2", "linf")
ALONE = {  # operations that reduce a whole, or need one, and what to do
    "scan": "scan needs all preceding elements. For integers, and for min and max: run it on each part with "
            "start=initial and, as initial, the result of merge_partials() for the preceding parts (reduce op={op}). For real "
            "numbers, sums and products would have a different order of operations: run it over all data in one place",
    "recurrence": "recurrence needs all preceding elements, and initial would join in a different order. Run it over all data "
                  "in one place",
    "integral": "integral needs everything above and to the left. Run it over all data in one place",
    "equalize": "equalize makes pictures. Merge histogram over the parts, and pass the resulting table to map table=",
    "clahe": "clahe makes pictures, and mixes the tables of tiles. Run it over all data in one place",
    "autocontrast": "autocontrast makes pictures. Merge reduce op=min and op=max over the parts, then use map",
    "threshold": "threshold makes pictures. With a value, use gpufilter.dask.map_tiles",
    "compare": "compare's mae and mse of a part are already divided. Use combine mode=absdiff and reduce on its result",
    "canny": "canny looks at a whole picture: an edge may begin in another part. Run it over all data in one place",
    "distance": "distance looks at a whole picture. Run it over all data in one place",
    "pyramid": "pyramid halves or doubles a whole picture. Run it over all in one place",
    "label": "label numbers regions of a whole picture, which may cross borders of tiles. Run it over all data in one place",
    "select": "select makes lists. Run it on each part, add the part's start to indices, and join them",
    "matmul": "matmul makes a matrix. Run it on bands of rows of a, which need no merging",
    "quantile": "quantiles of parts cannot be merged. Run it over all data in one place",
    "sort": "sort needs all elements. Run it over all data in one place",
    "argsort": "argsort needs all elements. Run it over all data in one place",
    "topk": "topk makes lists. Run it on each part, and again on the joined values of all parts",
    "match": "match's peaks need the whole picture. For its scores, use gpufilter.dask.map_tiles",
}


class Partial(NamedTuple):
    """What partial() keeps of one part of the data. It can be pickled and sent anywhere; merge_partials() combines the
    Partials of all parts into a result."""

    text: str  #: the program
    start: int | None  #: where the part begins, along its first axis
    length: int  #: how long it is there
    across: int  #: elements in each row of it; 1 of an array of one axis
    like: tuple[Any, ...]  #: dtype, axes, channels
    shapes: tuple[Any, ...]  #: shape and dtype of each result, of this part
    state: Any

    def __repr__(self) -> str:
        return f"<gpufilter.Partial {self.text!r} of {self.length} from {self.start}>"


class _Plan:
    """A program that can be merged, and how."""

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(f"a program is text, such as 'reduce op=max'; it is a {type(text).__name__}")
        program = self.program = program_of(text, False)
        op, self.named = program.steps[-1]
        self.name = program.name
        if len(program.steps) > 1:
            raise ValueError(f"partial takes one step, but {text!r} has {len(program.steps)}: run the steps before "
                             f"{self.name} on each part (with gpufilter.dask.map_tiles, if they read neighbouring pixels)")
        if op is not None and self.name not in ("reduce", "stats", "dot", *_HISTOGRAMS):
            why = ALONE.get(self.name, f"{self.name} makes pictures: use gpufilter.dask.map_tiles")
            raise ValueError("partial takes reduce, stats, dot, histogram and histogram2d; "
                             + why.replace("{op}", self.named.get("op", "sum")))
        default = {p.name: p.default for p in op.params} if op else {}
        get = {**default, **self.named}.get
        axis = get("axis", "all")
        self.axis = "all" if axis == "channels" else axis
        self.omit = get("nan") == "omit"
        self.ddof, self.overflow = int(float(get("ddof", 0))), get("overflow", "error")
        self.op = get("op", "sum")
        if self.name == "reduce" and self.op == "user":
            raise ValueError("partial cannot merge op=user: only the daemon knows the state of a part. "
                             "Reduce the parts with op=user whose finish is the state, and combine the states by op=user again, "
                             "if the operator is associative")

    def figures(self, dtype):
        """Name and class of each reduction, and whether it is a tree."""
        ops = _STATS if self.name == "stats" else (self.op,)
        return [(op, *_figures.figure(op, dtype, self.ddof, self.overflow)) for op in ops]

    def needs_start(self, dtype, axes):
        """Where a part must begin: at multiples of this many elements (rows, along columns); 0: anywhere; 1: anywhere,
        but known."""
        if self.name in _HISTOGRAMS:
            return 0
        if self.apart(axes):
            return 1
        if self.name == "dot" or any(tree for _, _, tree in self.figures(dtype)):
            return BLOCK if self.axis == "cols" else CHUNK
        return int(self.name == "stats" or self.op in ("argmin", "argmax"))

    def apart(self, axes):
        """Whether no sequence continues from one part to the next."""
        return (self.axis == "rows" and axes == 2) or (self.axis == "cols" and axes == 1)

    def segments(self, operands):
        return self.name == "reduce" and len(operands) > 1

    def finds_range(self, dtypes):
        """The first of the types of its sides whose range a histogram finds in its data; None if there is none."""
        get = self.named.get
        for side, dtype in enumerate(dtypes):
            lo, hi = (self.number(name, side) for name in ("lo", "hi"))
            unknown = "edges" not in self.named and lo == hi == 0 and dtype.str not in ("|u1", np.dtype("u2").str)
            if get("range", "auto") == "data" or (get("range", "auto") == "auto" and unknown):
                return dtype
        return None

    def number(self, name, side):
        """The value of a parameter with one number, or with one for each side, on this side."""
        values = str(self.named.get(name, 0)).replace("x", ",").split(",")
        return float(values[side if len(values) > 1 else 0])

    def check_start(self, dtype, axes, start, across):
        """Refuses a part that begins where it must not."""
        unit = self.needs_start(dtype, axes)
        what = f"{self.name} op={self.op}" if self.name == "reduce" else self.name
        if start is None:
            if unit:
                raise ValueError(f"{what} of {dtype} depends on the position of its parts; give start, the number of "
                                 f"{'rows' if axes == 2 else 'elements'} before this one")
            return
        if start < 0:
            raise ValueError(f"start={start}; it must be 0 or more")
        if unit == BLOCK and start % BLOCK:
            raise ValueError(f"{what} of {dtype} along columns is folded in blocks of {BLOCK} rows: a part may begin "
                             f"at a multiple of {BLOCK} rows; this one begins at row {start}")
        if unit == CHUNK and start * across % CHUNK:
            raise ValueError(f"{what} of {dtype} is folded in chunks of {CHUNK} elements: a part may begin at a "
                             f"multiple of {CHUNK} elements; this one begins at {start * across}"
                             + (f", row {start} of {across}" if axes == 2 else ""))


def _operands(plan, values, channel_axis):
    operands = []
    for i, value in enumerate(values):
        op, input = plan.program.operands.get(i, (None, _ANY))
        operands.append(_views.operand_of(op.name if op else "operand", input, value, channel_axis))
    if not operands:
        raise ValueError(f"{plan.name}: partial takes a part of the data; none was given")
    return operands


def rows_of_parts(program, array, channel_axis):
    """The number of rows (with one axis of elements) at whose multiples a part may begin."""
    plan = _Plan(program)
    first = described(plan.program, 0, array, channel_axis)
    unit = plan.needs_start(first.array.dtype, first.sides)
    return CHUNK // math.gcd(CHUNK, first.array.shape[1] if first.sides == 2 else 1) if unit == CHUNK else max(unit, 1)


def check_parts(program, array, operands, channel_axis, starts):
    """Raises what partial() would raise for the parts of an array that begin at `starts` along the first axis; only
    shapes and dtypes matter. Returns the channel_axis of every part."""
    plan = _Plan(program)
    found = [described(plan.program, i, o, channel_axis) for i, o in enumerate((array, *operands))]
    _check(plan, found)
    first = found[0]
    for start in starts:
        plan.check_start(first.array.dtype, first.sides, start, first.array.shape[1] if first.sides == 2 else 1)
    return -1 if first.channels else None


def _check(plan, operands):
    """Checks everything that does not need the data. Returns shapes and dtypes of the results."""
    if operands[0].lead:
        raise ValueError(f"{plan.name}: a stack of {operands[0].lead} is not one set of data; reshape it so that it has "
                         "only rows and columns, or use partial() on each")
    shapes = _infer(plan, operands)
    if plan.segments(operands):
        raise ValueError("reduce: segments are separate sequences; reduce each where it is, or leave segments out")
    sides = [operands[0], operands[-1]] if plan.name == "histogram2d" else operands[:1]
    found = plan.finds_range([o.array.dtype for o in sides]) if plan.name in _HISTOGRAMS else None
    if found is not None:
        raise ValueError(f"{plan.name} of {found} with range=data needs the range of all parts: merge reduce op=min and "
                         "op=max over them first, then give lo and hi, and last_closed=1")
    return shapes


def _infer(plan, operands):
    found, error = _views.infer(plan.program, [view_for(o) for o in operands])
    if error is not None:
        raise errors.from_struct(error)
    return tuple((_views.shape_of(w, f, operands[0]), _views.dtype_of(w, f[2], operands[0]).str)
                 for w, f in zip(plan.program.wanted, found))


def _elements(plan, operand, client):
    array = operand.array.reshape(*operand.array.shape[:operand.sides], operand.channels or 1)
    cols = plan.axis == "cols"
    if not cols:
        array = array.reshape(-1, array.shape[-1])
    return _figures.Elements(np.ascontiguousarray(array), cols, plan.omit, client)


def _histogram(plan, operand, values, client):
    """Counts that can be added: without sums and shares."""
    text = " ".join([plan.name, *[f"{name}={value}" for name, value in plan.named.items()
                                  if name not in ("cumulative", "density")]])
    counts, outside, *edges = client.run(text, *values, channel_axis=-1 if operand.channels else None)
    return counts.reshape(-1, len(edges[-1]) - 1), outside, *edges


def partial(program: str, *operands: ArrayLike, start: int | None = None, channel_axis: int | Literal["auto"] | None = "auto",
            client: Client | None = None) -> Partial:
    """Reduces one part of the data for a reduction over all of it. merge_partials() combines the parts.

    Parameters
    ----------
    program: a text of one step: reduce, stats, dot, histogram or histogram2d, with its parameters
    operands: the part, an array of one axis, or a picture or array of rows; further ones if the step needs them: dot's
        second array, edges of a histogram, the second picture of histogram2d
    start: the number of elements (for an array of one axis) or rows before this part. Reductions that add up in any
        order (sums of integers, min, max, count, any, all, linf, histograms) do not need it. All others add real
        numbers in chunks, and a part must consist of whole chunks: start must be a multiple of 4096 elements (rows
        times columns), or of 64 rows with axis=cols. numerics.md of gpufilterd-doc, "Tiles and merging", says why.
    channel_axis: as everywhere; see python.md of gpufilterd-doc
    client: the Client that computes; default: this thread's

    Returns
    -------
    A Partial: some numbers, and about 8 bytes for each 4096 elements if chunks count. It can be pickled.

    Raises
    ------
    ValueError: the step cannot be merged (the text says why), or start is missing or not at the beginning of a chunk.

    >>> parts = [gpufilter.partial("reduce op=mean", data[i:i + 4096], start=i) for i in range(0, len(data), 4096)]
    >>> gpufilter.merge_partials(parts) == gpufilter.reduce(data, "mean")
    True
    """
    plan = _Plan(program)
    taken = _operands(plan, operands, channel_axis)
    shapes = _check(plan, taken)
    operand = taken[0]
    dtype, axes = operand.array.dtype, operand.sides
    across = operand.array.shape[1] if axes == 2 else 1
    try:
        start = None if start is None else operator.index(start)
    except TypeError:
        raise TypeError(f"start={shown(start)}; it must be a whole number, or None") from None
    plan.check_start(dtype, axes, start, across)
    client = client_for(client, ())
    if plan.name in _HISTOGRAMS:
        state = _histogram(plan, operand, operands, client)
    elif plan.apart(axes):
        made = client.run(program, *operands, channel_axis=-1 if operand.channels else None)
        state = tuple(made) if isinstance(made, tuple) else (made,)
    elif plan.name == "dot":
        state = _figures.Squares(False).part(*[_elements(plan, o, client) for o in taken])
    else:
        elements = _elements(plan, operand, client)
        state = {op: figure.part(elements) for op, figure, _ in plan.figures(dtype)}
    return Partial(program, start, operand.array.shape[0], across, (dtype.str, axes, operand.channels), shapes, state)


class _Together:
    """The parts of a merge, in order, as the figures need them."""

    def __init__(self, plan, parts, client):
        self.cols, self.omit, self.client = plan.axis == "cols", plan.omit, client
        scale = 1 if self.cols else parts[0].across
        self.offsets = [(p.start or 0) * scale for p in parts]


def _in_order(plan, parts):
    """Sorts the parts by position and checks that each is there exactly once."""
    for p in parts:
        if not isinstance(p, Partial):
            raise TypeError(f"merge_partials: partials hold a {type(p).__name__}; it takes what partial() returned")
        if p.text != parts[0].text:
            raise ValueError(f"merge_partials: parts of {parts[0].text!r} and of {p.text!r}; all must be of one "
                             "program")
        if p.like != parts[0].like:
            one, other = (f"{np.dtype(like[0])} with {like[1]} axes and {like[2] or 'no'} channels"
                          for like in (parts[0].like, p.like))
            raise ValueError(f"merge_partials: a part is {one}, another is {other}; all must be the same")
    missing = [p for p in parts if p.start is None]
    if missing and len(missing) < len(parts):
        raise ValueError(f"merge_partials: {len(missing)} of {len(parts)} parts have no start; give it to all or to "
                         "none")
    if (not missing or plan.axis == "cols") and len({p.across for p in parts}) > 1:
        raise ValueError(f"merge_partials: parts have rows of {sorted({p.across for p in parts})} elements; all must be "
                         "alike")
    if missing:
        return list(parts)
    parts, end = sorted(parts, key=lambda p: p.start), 0
    for p in parts:
        if p.start != end:
            what = f"{end} to {p.start - 1} are missing" if p.start > end else f"{p.start} to {end - 1} are duplicated"
            raise ValueError(f"merge_partials: of the {'rows' if p.like[1] == 2 else 'elements'}, {what}")
        end = p.start + p.length
    return parts


def _merged_histogram(plan, parts):
    counts, outside, *edges = (list(s) for s in zip(*[p.state for p in parts]))
    if any(e.tobytes() != of_side[0].tobytes() for of_side in edges for e in of_side):
        raise ValueError("merge_partials: the parts have different edges; all must have the same")
    counts, edges = sum(counts), [of_side[0] for of_side in edges]

    def flag(name):
        return float(plan.named.get(name, 0)) == 1

    if flag("density"):
        total = counts.sum(axis=1, dtype="u8").astype(float)[:, None]
        with np.errstate(all="ignore"):
            shares = counts.cumsum(axis=1, dtype="u8").astype(float) / total if flag("cumulative") else \
                counts.astype(float) / (total * np.diff(edges[0]))
        counts = np.where(np.isnan(shares), np.nan, shares)
    elif flag("cumulative"):
        counts = counts.cumsum(axis=1, dtype="u8")
    return counts, sum(outside), *edges


def _merged(plan, parts, client):
    """An array for each result, of any shape."""
    if plan.name in _HISTOGRAMS:
        return _merged_histogram(plan, parts)
    if plan.apart(parts[0].like[1]):
        return [np.concatenate([np.atleast_1d(p.state[k]) for p in parts]) for k in range(len(parts[0].state))]
    together = _Together(plan, parts, client)
    if plan.name == "dot":
        return [_figures.Squares(False).merge([p.state for p in parts], together)]
    figures = plan.figures(np.dtype(parts[0].like[0]))
    made = {op: figure.merge([p.state[op] for p in parts], together) for op, figure, _ in figures}
    if plan.name == "reduce":
        return [made[plan.op]]
    rows = [[made[op][0] for op in _STATS[a:b]] for a, b in ((0, 4), (4, 6), (6, 7), (7, 13))]
    return [np.stack([r.astype(dtype) for r in row], axis=-1)
            for row, (_, dtype) in zip(rows, parts[0].shapes)]


def merge_partials(partials: Iterable[Partial], *, client: Client | None = None) -> Any:
    """Combines the Partials of all parts, in any order, into the result that the program has for all the data at once,
    bit for bit.

    Raises ValueError if parts are missing, duplicated, or not of the same program and kind of data; without `start`
    missing parts cannot be detected. Raises ResultOverflow if a sum or product of integers does not fit.
    """
    try:
        parts = list(partials)
    except TypeError:
        raise TypeError(f"merge_partials: partials={shown(partials)}; it takes what partial() returned, for all parts") \
            from None
    if not parts:
        raise ValueError("merge_partials: partials is empty; it takes one part or more")
    if not isinstance(parts[0], Partial):
        raise TypeError(f"merge_partials: partials hold a {type(parts[0]).__name__}; it takes what partial() returned")
    plan = _Plan(parts[0].text)
    parts = _in_order(plan, parts)
    made = []
    length = sum(p.length for p in parts)
    for array, (shape, dtype) in zip(_merged(plan, parts, client_for(client, ())), parts[0].shapes):
        if plan.apart(parts[0].like[1]):
            shape = (length, *shape[1:])
        array = np.asarray(array).astype(dtype).reshape(shape)
        made.append(array[()] if array.ndim == 0 else array)
    return plan.program.result(*made) if plan.program.result else made[0]
