# SPDX-License-Identifier: MIT
"""Pictures and data in dask arrays: map_tiles() filters them tile by tile, reduction() reduces them part by part, on
whichever worker has the data, each with the gpufilterd of its machine. The bits are those of one request on one
machine. dask is only imported by the calls. _reach.py computes the halo, _partial.py merges."""
import math
from itertools import product
from typing import Any

import numpy as np

from . import _partial, _views, errors
from ._calls import default_client
from ._partial import Partial, merge_partials, partial
from ._program import program_of
from ._reach import described, reach_of, text_and_operands, view_for

__all__ = ["Partial", "map_tiles", "merge_partials", "partial", "reduction"]


def _dask(name):
    try:
        import dask
        import dask.array
        import dask.highlevelgraph
    except ImportError as why:
        raise ImportError(f"gpufilter.dask.{name} needs dask with its arrays ({why}): pip install 'dask[array]'. "
                          "gpufilter.partial, merge_partials and reach work without dask") from None
    return dask


def _check_array(dask, name, array):
    if not isinstance(array, dask.array.Array):
        raise TypeError(f"{name} takes an array of dask, not a {type(array).__name__}; dask.array.from_array() makes "
                        "one")
    if any(math.isnan(n) for n in array.shape):
        raise ValueError(f"{name}: array has chunks of unknown size; call its compute_chunk_sizes() first")
    if 0 in array.shape:
        raise ValueError(f"{name}: array has shape {array.shape}; every axis must be 1 or longer")
    return array


# ---- tiles ----

def _run_tile(text, channel_axis, axes, cut, parts, whole):
    """Computes one tile, on a worker: `parts` are the pieces of each tiled operand, by its number, as rows of
    columns."""
    operands = dict(whole)
    for i, rows in parts:
        rows = [np.concatenate(row, axis=axes[-1]) if len(row) > 1 else row[0] for row in rows]
        operands[i] = np.concatenate(rows, axis=axes[0]) if len(rows) > 1 else rows[0]
    made = default_client().run(text, *[operands[i] for i in range(len(operands))], channel_axis=channel_axis)
    return made[cut]


def _segments(lo, hi, n, wrap):
    """Where lo to hi lie in a side of n: cut off at its ends, or in pieces if the side is repeated."""
    if not wrap:
        return [(max(lo, 0), min(hi, n))]
    found = []
    while lo < hi:
        stop = min(hi, (lo // n + 1) * n)
        found.append((lo % n, lo % n + stop - lo))
        lo = stop
    return found


def _pieces(segments, chunks):
    """Blocks along an axis and the range used of each, in order."""
    found = []
    for lo, hi in segments:
        at = 0
        for block, size in enumerate(chunks):
            if at < hi and at + size > lo:
                found.append((block, (max(lo - at, 0), min(hi - at, size))))
            at += size
    return found


class _Side:
    """One axis of a picture: its tiles, what each needs, and where the tile lies in the output."""

    def __init__(self, chunks, halo, length, axis, name):
        before, after, wrap = halo
        n = sum(chunks)
        if math.inf in (before, after) and len(chunks) > 1:
            raise ValueError(f"{name} the array has {len(chunks)} chunks; make them one by array.rechunk({{{axis}: -1}})")
        if len(chunks) == 1:
            before = after = n  # no halo: the whole side is there
            wrap = False
        ends = np.cumsum(chunks).tolist()
        ends = [min(end, length) for end in ends[:-1]] + [length]
        begins = [0, *ends[:-1]]
        self.sizes = tuple(end - begin for begin, end in zip(begins, ends) if end > begin)
        self.tiles = []
        for begin, end in zip(begins, ends):
            if end == begin:
                continue
            segments = _segments(begin - before, end + after, n, wrap)
            skip = before if wrap else begin - segments[0][0]
            self.tiles.append((_pieces(segments, chunks), slice(skip, skip + end - begin)))


class _Tiles:
    """A program on dask arrays, checked, as a graph."""

    def __init__(self, dask, array, pipeline, operands, channel_axis):
        text, operands = text_and_operands(pipeline, (array, *operands))
        self.dask, self.text, self.program = dask, text, program_of(text, False)
        self.name = f"map_tiles: {text}"
        if len(self.program.wanted) != 1 or self.program.wanted[0].form != "picture":
            why = _partial.ALONE.get(self.program.name, "gpufilter.dask.reduction runs reduce, stats, dot, histogram and "
                                     "histogram2d")
            raise ValueError(f"{self.name}: {self.program.name} does not make a picture; {why}")
        self.described = [described(self.program, i, o, channel_axis) for i, o in enumerate(operands)]
        first, views = self.described[0], [view_for(d) for d in self.described]
        self.reach, error = reach_of(self.program, views)
        found, error = _views.infer(self.program, views) if error is None else (None, error)
        if error is not None:
            raise errors.from_struct(error)
        if 0 not in self.reach.tiled:
            raise ValueError(f"{self.name}: each tile needs the whole array; pass it as a further operand")
        self.lead, self.sides, self.channel_axis = len(first.lead), first.sides, -1 if first.channels else None
        self.axes = tuple(range(self.lead, self.lead + self.sides))  # of rows and columns, or only of columns
        self.shape = first.lead + _views.shape_of(self.program.wanted[0], found[0], first)
        self.dtype = _views.DTYPES[found[0][2] - 1]
        self.tiled, self.chunks = {}, None
        for i in self.reach.tiled:
            self.tiled[i] = self._tiled(i, operands[i])
            self.chunks = self.tiled[i].chunks
        self.whole = [[i, self._whole(i, o)] for i, o in enumerate(operands) if i not in self.tiled]

    def _tiled(self, i, operand):
        array, shape = self.dask.array, self.described[0].array.shape
        if i == 0:
            chunks = {operand.ndim - 1: -1} if self.channel_axis is not None else {}
            return operand.rechunk(chunks) if chunks and operand.numblocks[-1] > 1 else operand
        if tuple(np.shape(operand)) != shape:
            raise ValueError(f"{self.name}: operand {i} has shape {np.shape(operand)}, the array has {shape}; operands that are cut "
                             "into tiles must have the same shape")
        if isinstance(operand, array.Array):
            return operand.rechunk(self.chunks)
        return array.from_array(np.asarray(operand), chunks=self.chunks)

    def _whole(self, i, operand):
        if isinstance(operand, self.dask.array.Array):
            raise TypeError(f"{self.name}: each tile needs all of operand {i}; give a numpy array, as its compute() "
                            "makes")
        return operand

    def _sides(self):
        r = self.reach
        halos = [((r.above, r.below, r.wrap_y), "rows"), ((r.left, r.right, r.wrap_x), "columns")][-self.sides:]
        return [_Side(self.chunks[axis], halo, self.shape[axis], axis,
                      f"{self.name}: a tile needs all {what} (axis {axis}), and along them")
                for axis, (halo, what) in zip(self.axes, halos)]

    def _piece(self, array, lead, blocks):
        """The key of a part of a block, which is cut on the block's worker, so that no more data travels."""
        rest = (0,) * (self.channel_axis is not None)
        key = (array.name, *lead, *[block for block, _ in blocks], *rest)
        if all(cut == (0, self.chunks[axis][block]) for axis, (block, cut) in zip(self.axes, blocks)):
            return key
        cuts = [cut for _, cut in blocks]
        name = (f"piece-{self.token}-{array.name}", *key[1:], *[bound for cut in cuts for bound in cut])
        self.graph[name] = (_cut, key, (..., *[slice(*cut) for cut in cuts], *[slice(None) for _ in rest]))
        return name

    def _parts(self, lead, pieces):
        """The keys of the pieces of each tiled operand, as rows of columns."""
        rows = [(row,) for row in pieces[0]] if self.sides == 2 else [()]
        return [[i, [[self._piece(array, lead, (*row, column)) for column in pieces[-1]] for row in rows]]
                for i, array in self.tiled.items()]

    def collection(self):
        """The dask array."""
        self.token = self.dask.base.tokenize(self.text, self.channel_axis, [a.name for a in self.tiled.values()],
                                             self.whole)
        name, whole, sides = f"map_tiles-{self.token}", f"whole-{self.token}", self._sides()
        rest = self.shape[self.lead + self.sides:]
        self.graph = {whole: (list, self.whole)}
        for lead in product(*[range(len(c)) for c in self.chunks[:self.lead]]):
            for at in product(*[range(len(side.tiles)) for side in sides]):
                tiles = [side.tiles[k] for side, k in zip(sides, at)]
                cut = (..., *[keep for _, keep in tiles], *[slice(None) for _ in rest])
                parts = self._parts(lead, [pieces for pieces, _ in tiles])
                self.graph[(name, *lead, *at, *[0 for _ in rest])] = (
                    _run_tile, self.text, self.channel_axis, list(self.axes), cut, parts, whole)
        chunks = (*self.chunks[:self.lead], *[side.sizes for side in sides], *[(n,) for n in rest])
        graph = self.dask.highlevelgraph.HighLevelGraph.from_collections(name, self.graph, list(self.tiled.values()))
        return self.dask.array.Array(graph, name, chunks, dtype=self.dtype)


def _cut(block, where):
    return np.ascontiguousarray(block[where])


def map_tiles(array: Any, pipeline: Any, *operands: Any, channel_axis: "int | str | None" = "auto") -> Any:
    """Runs a program on a picture in a dask array, tile by tile: each chunk with exactly as many pixels of its
    neighbours as the program reads (gpufilter.reach). The bits are those of gpufilter.run on the whole picture.

    Parameters
    ----------
    array: a dask array of (rows, columns), optionally with channels last, or a stack of those pictures; or of one axis.
        Chunks may have any size; if they are smaller than the halo, tiles take pieces of several neighbours. The
        pictures of a stack are independent, and so are their chunks.
    pipeline: a text, "gaussian sigma=2 | sobel", or a pipe, gpufilter.pipe(None).gaussian(2).sobel(), whose first
        operand is replaced by the array
    operands: further operands of a text: dask or numpy pictures, which are cut like the array; numpy masks, kernels and
        tables, which go to every tile
    channel_axis: as everywhere; see python.md of gpufilterd-doc

    Returns
    -------
    A dask array with the shape and dtype that gpufilter.run gives and the chunks of `array`; the last chunks are
    smaller after size=valid, and larger after mode=full. Nothing is computed yet. Each worker computes with the
    gpufilterd of its own machine.

    Raises
    ------
    ValueError: a step needs whole rows or columns (scan axis=rows), or the whole picture (equalize, two borders of
        which only one is wrap), and the array has more than one chunk there: rechunk it. Or the program makes no
        picture.
    ImportError: dask is missing.
    """
    dask = _dask("map_tiles")
    return _Tiles(dask, _check_array(dask, "map_tiles", array), pipeline, operands, channel_axis).collection()


# ---- reductions ----

def reduction(array: Any, program: str, *operands: Any, channel_axis: "int | str | None" = "auto") -> Any:
    """reduce, stats, dot, histogram or histogram2d over a dask array: partial() on each chunk where it lies, then
    merge_partials(). The bits are those of gpufilter.run on the whole array.

    Parameters
    ----------
    array: a dask array of one axis, or of (rows, columns) and possibly channels, however it is cut. Parts are bands of
        whole rows: chunks beside each other are joined. Where the bits depend on it, parts of real numbers begin at the
        nearest multiples of 4096 elements, or of 64 rows with axis=cols; see partial().
    program: a text of one step, "reduce op=mean"
    operands: dask arrays for dot's second array and histogram2d's second picture; a numpy array for a histogram's edges
    channel_axis: as everywhere; see python.md of gpufilterd-doc

    Returns
    -------
    A dask Delayed; its compute() gives what gpufilter.run gives.

    Raises
    ------
    ValueError: the step cannot be merged. ImportError: dask is missing.
    """
    dask = _dask("reduction")
    array = _check_array(dask, "reduction", array)
    array = _bands(array, _partial.rows_of_parts(program, array, channel_axis))
    starts = [sum(array.chunks[0][:k]) for k in range(array.numblocks[0])]
    channels = _partial.check_parts(program, array, operands, channel_axis, starts)
    blocks = array.to_delayed().ravel()
    others = [_blocks_of(dask, o, array) for o in operands]
    one = dask.delayed(partial, pure=True)
    parts = [one(program, block, *[o[k] for o in others], start=start, channel_axis=channels)
             for k, (block, start) in enumerate(zip(blocks, starts))]
    return dask.delayed(merge_partials, pure=True)(parts)


def _bands(array, unit):
    """The array in bands of whole rows, that begin where its chunks do, or at the nearest multiples of a number of
    rows."""
    ends = np.cumsum(array.chunks[0])
    begins = {int(round(end / unit)) * unit for end in ends[:-1]} - {0}
    begins = [0, *sorted(begin for begin in begins if begin < ends[-1])]
    rows = tuple(np.diff([*begins, ends[-1]]).tolist())
    return array.rechunk({0: rows, **{axis: -1 for axis in range(1, array.ndim)}})


def _blocks_of(dask, operand, array):
    """A further operand for each chunk: the operand's own chunk, or the whole of a small operand."""
    if not isinstance(operand, dask.array.Array):
        return [operand] * array.numblocks[0]
    return operand.rechunk(array.chunks).to_delayed().ravel()
