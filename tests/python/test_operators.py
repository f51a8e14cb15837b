# SPDX-License-Identifier: MIT
"""reduce and scan with op=user against plain Python, with the trees of docs/numerics.md, "Operators of users" and
"Trees of scans", written out here: the same bits, since Python's floats are f64 and its operators are rounded as the
contract's are."""
import itertools

import gpufilter as gf
import numpy as np
import pytest

# numbers around the sizes of rows, groups, blocks and chunks
LENGTHS = (1, 2, 3, 15, 16, 17, 511, 513, 4095, 4096, 4097, 9001)


def pairs(states, combine):
    """Neighbours, until one is left."""
    while len(states) > 1:
        states = [combine(*states[i:i + 2]) if i + 1 < len(states) else states[i] for i in range(0, len(states), 2)]
    return states[0]


def joined(combine):
    return lambda left, right: right if left is None else left if right is None else combine(left, right)


def stepped(states, combine):
    """Five steps on 32: each with what is 1, 2, 4, 8 and 16 before."""
    for d in (1, 2, 4, 8, 16):
        states = [combine(states[i - d], s) if i >= d else s for i, s in enumerate(states)]
    return states


def scanned(states, combine):
    """The tree of docs/numerics.md, "Trees of scans", along a line of at most 32 blocks."""
    combine, results, totals, blocks = joined(combine), [], [], []
    for block in range(0, len(states), 4096):
        before, off, inside = None, [], []
        for group in range(block, block + 4096, 512):
            rows = [list(itertools.accumulate(states[r:r + 16], combine)) for r in range(group, group + 512, 16)]
            u = stepped([row[-1] if row else None for row in rows], combine)
            off += [combine(before, u[i - 1] if i > 0 else None) for i in range(32)]
            before = combine(before, u[-1])
            inside += rows
        totals.append(before)
        blocks.append((off, inside))
    totals = stepped((totals + 32 * [None])[:32], combine)
    for k, (off, inside) in enumerate(blocks):
        prefix = totals[k - 1] if k > 0 else None
        results += [combine(combine(prefix, o), s) for o, row in zip(off, inside) for s in row]
    return results


def down(states, combine):
    """The rule for columns: blocks of 64."""
    combine, results, before = joined(combine), [], None
    for k in range(0, len(states), 64):
        rows = list(itertools.accumulate(states[k:k + 64], combine))
        results += [combine(before, s) for s in rows]
        before = combine(before, rows[-1])
    return results


# Welford's sums: no rounding of theirs may move.
WELFORD = {"lift": "1.0, a, 0.0", "combine": "n = a0 + b0; delta = b1 - a1; n, a1 + delta*b0/n, a2 + b2 + delta*delta*a0*b0/n"}
MATRICES = {"lift": "a[0], a[1], a[2], a[3]",
            "combine": "a0*b0 + a1*b2, a0*b1 + a1*b3, a2*b0 + a3*b2, a2*b1 + a3*b3"}


def welford(a, b):
    n, d = a[0] + b[0], b[1] - a[1]
    return n, a[1] + d * b[0] / n, a[2] + b[2] + d * d * a[0] * b[0] / n


def matrices(a, b):
    return (a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3])


def minus(a, b):
    return a - b


@pytest.mark.parametrize("n", LENGTHS)
def test_reduce_is_the_tree_of_neighbours(n):
    values = np.random.default_rng(n).standard_normal(n)
    assert gf.reduce(values, "user", combine="a0 - b0") == pairs(values.tolist(), minus)
    mean = gf.reduce(values, "user", **WELFORD).ravel().tolist()
    assert mean == list(pairs([(1.0, v, 0.0) for v in values.tolist()], welford))
    pixels = np.random.default_rng(n).standard_normal((1, n, 4))
    assert gf.reduce(pixels, "user", **MATRICES).ravel().tolist() == list(pairs(pixels[0].tolist(), matrices))


@pytest.mark.parametrize("n", LENGTHS)
def test_scan_is_the_tree_of_rows_groups_and_blocks(n):
    values = np.random.default_rng(n).standard_normal(n)
    assert gf.scan(values, "user", combine="a0 - b0").tolist() == scanned(values.tolist(), minus)
    pixels = np.random.default_rng(n).standard_normal((1, n, 4))
    assert gf.scan(pixels, "user", **MATRICES)[0].tolist() == [list(s) for s in scanned(pixels[0].tolist(), matrices)]


@pytest.mark.parametrize("n", (1, 5, 64, 65, 129, 4097))
def test_columns(n):
    values = np.random.default_rng(n).standard_normal((n, 5))
    columns = values.T.tolist()
    assert gf.reduce(values, "user", axis="cols", combine="a0 - b0").ravel().tolist() == [pairs(c, minus) for c in columns]
    assert gf.scan(values, "user", axis="cols", combine="a0 - b0").T.tolist() == [down(c, minus) for c in columns]


def test_segments_and_what_is_empty():
    values = np.random.default_rng(1).standard_normal(9001)
    offsets = [0, 0, 1, 17, 17, 5000, 9001]
    cut = [values[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    got = gf.reduce(values, "user", combine="a0 - b0", identity="-7.5", segments=np.array(offsets, np.uint32))
    assert got.ravel().tolist() == [pairs(c, minus) if c else -7.5 for c in cut]
    got = gf.scan(values, "user", combine="a0 - b0", identity="-7.5", exclusive=True,
                  segments=np.array(offsets, np.uint32))
    wanted = [([-7.5] + scanned(c, minus))[:-1] if c else [] for c in cut]
    assert got.ravel().tolist() == list(itertools.chain(*wanted))


def test_indices_and_places():
    values = np.random.default_rng(3).integers(0, 256, (37, 53, 3), np.uint8)
    got = gf.reduce(values, "user", axis="rows", lift="a*(i + 1), x, y, ch", finish="a0 + 1000*a1 + a2 + 7*a3",
                    combine="a0 + b0, a1 + b1, a2 + b2, a3 + b3", channel_axis=-1).reshape(37, 3)
    wide, x, y, c = values.astype(np.int64), np.arange(53), np.arange(37)[:, None], np.arange(3)
    wanted = (wide * (x + 1)[:, None]).sum(1) + 1000 * x.sum() + 53 * y + 7 * 53 * c
    assert (got == wanted).all()
    got = gf.scan(values, "user", axis="rows", lift="i, x", combine="b0, b1", finish="a0*1000 + a1", reverse=True,
                  channel_axis=-1)
    assert (got == ((52 - x) * 1000 + x)[:, None]).all()


def test_what_does_not_associate_is_the_tree_too():
    words = np.arange(1, 40, dtype=np.int64)
    wanted = pairs(words.tolist(), lambda a, b: a * 3 - b // 2)
    assert gf.reduce(words, "user", combine="a0*3 - b0//2") == wanted


def test_parts_are_not_merged():
    with pytest.raises(ValueError, match="cannot merge op=user"):
        gf.partial("reduce op=user combine=a0+b0", np.ones(5), start=0)


@pytest.mark.parametrize("texts, says", [
    ({}, "op=user needs combine"),
    ({"combine": "a0 + b1"}, "combine: column 6: no name b1"),
    ({"combine": "a0 + b0", "lift": "q"}, "lift: column 1: no name q"),
    ({"combine": "f32(a0)"}, "value 0 is f32, the state's is f64"),
    ({"combine": "a0 + b0", "finish": "a0 +"}, "finish: column 5: the text ends"),
])
def test_refused(texts, says):
    with pytest.raises(gf.errors.BadParam, match=says.replace("+", r"\+")):
        gf.reduce(np.ones(5), "user", **texts)
