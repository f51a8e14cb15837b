# SPDX-License-Identifier: MIT
"""What numpy's users expect: signed counts and indices, bool, closed last bins, numbers rounded once."""
import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says
from gpufilter import _tiles


@pytest.fixture
def mask(grey):
    return grey > 128


# ---- dtypes of results ----

def test_counts_and_indices_are_signed(grey, mask):
    order = gf.argsort(grey)
    label, select, top = gf.label(mask), gf.select(grey, lo=300), gf.topk(grey, 3)
    counted = gf.histogram(grey, 8)
    for array in (order, counted.counts, counted.outside, gf.histogram2d(np.dstack([grey, grey]), 4).counts,
                  select.indices, select.count, top.indices, label.count, gf.stats(grey).counts,
                  gf.compare(grey, grey).counts, gf.reduce(grey, "argmax"), gf.reduce(grey, "argmin", axis="rows"),
                  gf.reduce(grey, "count")):
        assert array.dtype == np.int64
    assert {label.labels.dtype, label.areas.dtype, label.boxes.dtype} == {np.dtype("i4")}
    assert gf.histogram(grey, 8, density=True).counts.dtype == np.float64
    assert gf.reduce(grey).dtype == np.uint64 and gf.stats(grey).sums.dtype == np.uint64  # sums as numpy's
    same(np.diff(order), np.diff(np.argsort(grey, None, "stable").reshape(grey.shape)))
    assert gf.reduce(np.array([np.nan]), "argmin", nan="omit") == -1
    assert gf.select(np.stack([grey, np.zeros_like(grey)]), lo=1).indices[1, -1] == -1
    out = np.empty_like(order)
    assert gf.argsort(grey, out=out) is out and (out == order).all()
    says(TypeError, "argsort: out for indices has dtype uint64; the result has int64",
         lambda: gf.argsort(grey, out=out.view("u8")))
    same(gf.run("reduce op=argmax", grey), gf.reduce(grey, "argmax"))
    same(gf.merge_partials([gf.partial("reduce op=argmax", grey, start=0)]), gf.reduce(grey, "argmax"))
    same(gf.merge_partials([gf.partial("histogram bins=8", grey)]).counts, counted.counts)


def test_any_and_all_are_masks(grey):
    rows = gf.reduce(grey // 255, "any", axis="rows")
    assert rows.dtype == bool and 0 < rows.sum() < len(rows)
    same(grey[rows], grey[(grey // 255).any(1)])
    same(~gf.reduce(grey, "all", axis="cols"), ~grey.all(0))
    same(gf.merge_partials([gf.partial("reduce op=any axis=cols", grey)]), gf.reduce(grey, "any", axis="cols"))


# ---- masks ----

@pytest.mark.parametrize("op", ["erode", "dilate", "opening", "closing", "gradient", "tophat", "blackhat", "median"])
def test_masks_stay_masks(mask, op):
    function = getattr(gf, op)
    same(function(mask), function(mask.view("u1")).view(bool))
    same(gf.run(op, mask), function(mask))
    out = np.empty_like(mask)
    assert function(mask, out=out) is out
    stack = np.stack([mask, ~mask])
    same(function(stack), np.stack([function(mask), function(~mask)]))


def test_masks_of_more_operations(mask):
    same(gf.label(mask).labels, gf.label(mask.view("u1")).labels)
    same(gf.distance(mask), gf.distance(mask.view("u1")))
    same(gf.rank(mask, 8, 3), gf.dilate(mask, 3, border="replicate"))
    for got, wanted in [(gf.copy(mask), mask), (gf.flip(mask), mask[:, ::-1]), (gf.transpose(mask), mask.T.copy()),
                        (gf.crop(mask, (5, 4), (2, 1)), mask[1:5, 2:7]), (gf.sort(mask), np.sort(mask, None)),
                        (gf.pad(mask, 1, border_value=1), np.pad(mask, 1, constant_values=True)),
                        (gf.topk(mask, 2).values, np.array([True, True])), (gf.select(mask, lo=1).values, mask[mask]),
                        (np.asarray(gf.reduce(mask, "max")), np.asarray(True)),
                        (gf.run("erode size=3 | dilate size=3", mask), gf.opening(mask, 3))]:
        same(np.ascontiguousarray(got).reshape(wanted.shape), wanted)
    assert gf.run("erode | label", mask).labels.dtype == np.int32
    assert gf.sort([True, False, True]).tolist() == [False, True, True]
    on = gf.to_device(mask)
    assert on.dtype == bool
    same(on, mask)
    same(gf.erode(on[2:9]), gf.erode(mask[2:9]))
    same(gf.label(on).labels, gf.label(mask).labels)


def test_sums_of_masks_are_counts(mask):
    same(np.asarray(gf.reduce(mask)), np.asarray(mask.sum()))
    same(gf.reduce(mask, axis=0), mask.sum(0))
    same(gf.scan(mask, axis=1), mask.cumsum(1))
    same(gf.scan(mask, "max", "rows"), np.maximum.accumulate(mask, 1))
    same(np.asarray(gf.to_device(mask).sum()), np.asarray(mask.sum()))
    same(np.asarray(gf.merge_partials([gf.partial("reduce", mask)])), np.asarray(mask.sum()))


def test_masks_are_no_pictures(mask):
    for call in (lambda: gf.gaussian(mask), lambda: gf.run("erode | box", mask), lambda: gf.combine(mask, mask),
                 lambda: gf.gaussian(gf.to_device(mask)),
                 lambda: gf.erode(mask, border="constant", border_value=7)):
        says(TypeError, "src has dtype bool; it takes uint8", call)


# ---- bins, numbers ----

@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_the_last_bin_is_closed(dtype):
    array = np.array([0, 1, 1, 2, 4, 4, 4, 5]).astype(dtype)
    for bins in (1, 3, 4):
        same(gf.histogram(array, bins, 0, 4).counts, np.histogram(array, bins, (0, 4))[0])
    same(gf.histogram(array, edges=[0, 2, 4]).counts, np.histogram(array, [0, 2, 4])[0])
    assert gf.histogram(array, 4, 0, 4, last_closed=False).counts.tolist() == [1, 2, 1, 0]
    pairs = np.stack([array, array[::-1]], -1)[None]
    same(gf.histogram2d(pairs, 2, 0, 4).counts,
         np.histogram2d(array, array[::-1], 2, [(0, 4), (0, 4)])[0].astype("i8"))
    assert gf.pipe(array).histogram(4, 0, 4).run().counts.tolist() == [1, 2, 1, 3]


def test_float32_parameters_are_rounded_once():
    """Also numbers halfway between two floats, and next to the middle."""
    zero = np.zeros((1, 1), "f4")
    below = np.random.default_rng(1).integers(0, 2**32, 1000, dtype="u4").view("f4")
    below = below[np.isfinite(below) & (np.abs(below) < 3e38)]
    middle = (below.astype("f8") + np.nextafter(below, np.float32(np.inf)).astype("f8")) / 2
    for number in (*middle, *np.nextafter(middle, np.inf), *np.nextafter(middle, -np.inf)):
        same(gf.map(zero, 1, number), np.float32(number).reshape(1, 1) + np.float32(0))
    tie = 2**60 + 2**36
    for number, wanted in ((tie, 2**60), (tie + 1, 2**60 + 2**37), (-tie - 1, -2**60 - 2**37), (-tie + 1, -2**60),
                           (np.longdouble(1) + np.longdouble(2)**-24 + np.longdouble(2)**-63, 1 + 2**-23)):
        assert gf.map(zero, 1, number) == np.float32(wanted)
    assert gf.pipe(zero).gaussian(0.1).text == "gaussian sigma=0.1"
    says(gf.errors.BadParam, "offset=1e+300 is not a finite f32 number", lambda: gf.map(zero, 1, 1e300))
    says(TypeError, "map: offset=", lambda: gf.map(zero, 1, 2**5000))


def test_numbers_of_expressions_may_be_infinite(grey):
    floats = grey.astype("f4")
    for number in (np.inf, -np.inf, np.nan, np.float32("inf"), np.array(np.nan)):
        same(gf.expr(floats, "param most = 1.5; param n=-2e1;min(a, most)+n", {"most": number, "n": np.int8(3)}),
             np.minimum(floats, np.float32(number)) + np.float32(3))
    same(gf.reduce(floats, "user", combine="param most = 1.0; min(min(a0, b0), most)", identity="inf",
                   set={"most": -np.inf}), np.float32(-np.inf))
    says(ValueError, "expr: set: n=inf; no expression declares it with a point", lambda: gf.expr(
        floats, "param n = 1; a", {"n": np.inf}))


# ---- axes ----

@pytest.mark.parametrize("shape", [(7,), (5, 6), (5, 6, 3), (4, 5, 6), (2, 3, 4, 5)])
def test_axes_are_numpys(shape):
    whole = np.random.default_rng(1).integers(-50, 50, shape)
    real = whole / 7
    for axis in (None, *range(-len(shape), len(shape))):
        for op in ("sum", "max", "argmin", "any"):
            for keepdims in (False, True):
                same(np.asarray(gf.reduce(whole, op, axis=axis, keepdims=keepdims)),
                     np.asarray(getattr(np, op)(whole, axis=axis, keepdims=keepdims)))
        same(gf.sort(real, axis=axis), np.sort(real, axis))
        same(gf.argsort(real, axis=axis), np.argsort(real, axis, "stable"))
        same(gf.scan(whole, axis=axis), np.cumsum(whole, axis)) if axis is not None else None
        top = gf.topk(real, 1, axis=axis)
        same(top.values, np.asarray(real.max(axis, keepdims=axis is not None)).reshape(top.values.shape))
        for q in (0.3, [0.3, 1]):
            got, wanted = gf.quantile(whole, q, axis=axis, keepdims=True), np.quantile(whole, q, axis, keepdims=True)
            assert got.shape == wanted.shape and np.allclose(got, wanted)
        assert np.allclose(gf.dot(real, real, axis=axis), (real * real).sum(axis))
    axes = (0, len(shape) - 1)[:len(shape)]
    same(np.asarray(gf.reduce(whole, axis=axes[:len(set(axes))], keepdims=True)),
         np.asarray(whole.sum(tuple(set(axes)), keepdims=True)))
    out = np.empty_like(real)
    assert gf.sort(real, axis=0, out=out) is out
    same(out, np.sort(real, 0))


def test_axes_by_word_and_number(grey, rgb):
    same(gf.reduce(rgb, axis=0), gf.reduce(rgb, axis="cols"))
    same(gf.reduce(rgb, axis=1), gf.reduce(rgb, axis="rows"))
    same(gf.reduce(rgb / 7, axis=0), gf.reduce(rgb / 7, axis="cols"))
    assert gf.reduce(rgb, axis="rows", keepdims=True).shape == (31, 1, 3)
    assert gf.reduce(rgb, keepdims=True).shape == (1, 1, 3) and gf.reduce(rgb, axis=None).shape == ()
    on = gf.to_device(grey)
    for axis in (0, 1, -1, None):
        same(np.asarray(gf.reduce(on, axis=axis)), np.asarray(gf.reduce(grey, axis=axis)))
    for f in (gf.sort, gf.argsort, gf.scan):
        same(f(on[:1].reshape(-1), axis=None), f(grey[:1], axis=None))
    same(np.asarray(gf.topk(on, 3, axis=None).values), gf.topk(grey, 3, axis=None).values)
    for kind, text, call in [
            (IndexError, "reduce: axis=2 is out of bounds for an array of 2 axes", lambda: gf.reduce(grey, axis=2)),
            (TypeError, "reduce: axis=1.5; it must be 'all', 'rows', 'cols', None", lambda: gf.reduce(grey, axis=1.5)),
            (TypeError, "sort: axis=(0, 1); it takes one axis", lambda: gf.sort(grey, axis=(0, 1))),
            (ValueError, "reduce: axis=(0, 0) must name each axis once", lambda: gf.reduce(grey, axis=(0, 0))),
            (ValueError, "axis=0 counts all axes", lambda: gf.reduce(rgb, axis=0, channel_axis=-1)),
            (ValueError, "submit takes axis='rows'", lambda: gf.submit(gf.reduce, grey, axis=0)),
            (ValueError, "sort: axis=2 of an array of shape (31, 45, 3) on the device; use .numpy()",
             lambda: gf.sort(gf.to_device(rgb), axis=2)),
            *[(ValueError, f"{op.__name__}: axis=None of an array of shape (31, 45) on the device; use .numpy()",
               lambda op=op: op(on, axis=None)) for op in (gf.sort, gf.argsort, gf.scan)]]:
        says(kind, text, call)


# ---- no elements ----

def test_nothing_is_answered_as_by_numpy():
    none = np.zeros(0)
    for op, wanted in (("sum", 0.0), ("product", 1.0), ("any", False), ("all", True), ("count", 0)):
        same(np.asarray(gf.reduce(none, op)), np.asarray(wanted))
    assert np.isnan(gf.reduce(none, "mean"))
    same(gf.reduce(np.zeros((0, 5), "u1"), axis=0), np.zeros(5, "u8"))
    same(gf.reduce(np.zeros((0, 5)), "max", axis=1), np.zeros(0))
    same(gf.reduce(np.zeros((0, 5, 3), "u1")), np.zeros(3, "u8"))
    for op in ("max", "min", "argmax", "linf"):
        says(ValueError, f"reduce: src has shape (0,); {op} of no elements", lambda: gf.reduce(none, op))
    same(gf.sort(none), none)
    same(gf.argsort(np.zeros((2, 0, 3))), np.zeros((2, 0, 3), "i8"))
    same(gf.matmul(np.zeros((2, 0)), np.zeros((0, 3))), np.zeros((2, 3)))
    counts, outside, edges = gf.histogram(none, 4)
    wanted = np.histogram(none, 4)
    same(counts, wanted[0])
    same(edges, wanted[1])
    assert outside.tolist() == [0, 0, 0] and np.isnan(gf.histogram(none, 4, density=True).counts).all()
    assert gf.histogram(np.zeros((0, 4, 3), "u1"), 8).counts.tolist() == [[0] * 8] * 3
    values, indices, count = gf.select(none)
    assert (values.shape, indices.shape, count) == ((0,), (0,), 0)
    label = gf.label(np.zeros((0, 4), bool))
    assert label.labels.shape == (0, 4) and label.boxes.shape == (0, 4) and label.count == 0


@pytest.mark.parametrize("shape", [(0,), (0, 5), (4, 0, 3), (0, 5, 5)])
def test_filters_of_nothing(shape):
    for dtype in ("u1", "f4"):
        array = np.zeros(shape, dtype)
        for call in (gf.gaussian, gf.box, gf.unsharp, gf.erode, gf.median, gf.flip, gf.copy):
            same(call(array), array)
        assert gf.sobel(array).dtype == np.float32 and gf.sobel(array).shape == shape
        out = np.empty_like(array)
        assert gf.gaussian(array, out=out) is out
    same(gf.median(np.zeros(shape)), np.zeros(shape))
    assert gf.transpose(np.zeros((0, 5))).shape == (5, 0) and gf.threshold(np.zeros((0, 5, 3), "u1")).shape == (0, 5)
    says(gf.errors.BadParam, "sigma=-1.0 outside", lambda: gf.gaussian(np.zeros(shape, "u1"), sigma=-1))
    says(ValueError, "it must have elements", lambda: gf.resize(np.zeros((0, 5), "u1"), (3, 3)))
    for side in (3, 9):
        says(ValueError, "correlate: src has shape (0, 8); it must have elements",
             lambda: gf.correlate(np.zeros((0, 8), "f4"), np.ones((side, 3)), size="valid"))
    says(ValueError, "every axis must be 1 or longer", lambda: gf.run("box", np.zeros(shape, "u1")))


# ---- ranks of other dtypes, long rows ----

def windows(array, size, mode, **more):
    """The samples under a square at each pixel, in numpy's order, by numpy."""
    padded = np.pad(array, size // 2, mode, **more)
    return np.sort(np.lib.stride_tricks.sliding_window_view(padded, (size, size)).reshape(*array.shape, -1), -1)


@pytest.mark.parametrize("dtype", ["i1", "i4", "u4", "i8", "u8", "f8"])
@pytest.mark.parametrize("most", [2, 100, 2**20, 2**62])
def test_order_is_exact_in_every_dtype(dtype, most):
    random = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        array = random.integers(-most, most, (20, 31)).astype(dtype)
    if dtype == "f8":
        array *= 1 + 2.0**-40
    near, mirror = windows(array, 3, "edge"), windows(array, 5, "symmetric")
    same(gf.median(array, 3), near[..., 4])
    same(gf.rank(array, 2, 3), near[..., 2])
    same(gf.percentile(array, 100, 3), near[..., 8])
    same(gf.median(array, 3, border="constant", border_value=7),
         windows(array, 3, "constant", constant_values=7)[..., 4])
    least, greatest = mirror[..., 0], mirror[..., -1]
    same(gf.erode(array, 5, border="reflect"), least)
    same(gf.dilate(array, 5, border="reflect"), greatest)
    same(gf.gradient(array, 5, border="reflect"), greatest - least)
    same(gf.opening(array, 3), windows(near[..., 0], 3, "edge")[..., -1])
    same(gf.tophat(array, 3), array - gf.opening(array, 3))
    same(gf.blackhat(array, 3), gf.closing(array, 3) - array)
    pair = np.dstack([array, array[::-1]])
    same(gf.median(pair, 3)[..., 0].copy(), near[..., 4])
    same(gf.median(np.stack([array] * 5), 3)[4], near[..., 4])
    same(gf.median(array.astype(array.dtype.newbyteorder()), 3), near[..., 4])
    out = np.empty_like(array)
    assert gf.median(array, 3, out=out) is out and (out == near[..., 4]).all()
    same(gf.label(array).labels, gf.label(array != 0).labels)
    same(gf.distance(array), gf.distance(array != 0))


@pytest.mark.parametrize("dtype", ["i1", "u8", "f8"])
def test_elements_with_gaps_leave_out_the_border(dtype):
    """Where nothing of the element lies inside, the result is the end of the order."""
    array = (np.arange(12).reshape(3, 4) * 10).astype(dtype)
    least, most = (-np.inf, np.nan) if dtype == "f8" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    corners = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1]])
    eroded, dilated = np.full_like(array, most), np.full_like(array, least)
    for y, x in np.ndindex(array.shape):
        under = [array[y + d, x + d] for d in (-1, 1) if 0 <= y + d < 3 and 0 <= x + d < 4]
        if under:
            eroded[y, x], dilated[y, x] = min(under), max(under)
    same(gf.erode(array, mask=corners), eroded)
    same(gf.dilate(array, mask=corners), dilated)
    same(gf.opening(array, mask=corners), gf.dilate(eroded, mask=corners))


@pytest.mark.parametrize("border", ["constant", "wrap", "reflect"])
def test_long_sides_are_ranked_in_tiles(monkeypatch, border):
    array = np.random.default_rng(1).normal(size=(40, 50))
    array[:, 25:] = np.round(array[:, 25:] * 1e6)
    whole = [f(array, 5, border=border, border_value=v) for f in (gf.median, gf.closing, gf.gradient) for v in (0, 1.1)]
    monkeypatch.setattr(_tiles, "MOST_SIDE", 24)
    for tiled, wanted in zip([f(array, 5, border=border, border_value=v) for f in (gf.median, gf.closing, gf.gradient)
                              for v in (0, 1.1)], whole):
        same(tiled, wanted)


def test_order_of_floats_is_that_of_float32():
    x = np.array([[1, -0.0, np.nan, 0.0, -np.inf, 5e-324, 1.1, np.inf]])
    x.view("u8")[0, 2] |= 0x8000000000000007
    for name in ("median", "erode", "dilate"):
        got, wanted = getattr(gf, name)(x, (3, 1)), getattr(gf, name)(x.astype("f4"), (3, 1)).astype("f8")
        special = np.isin(np.abs(wanted), [0, 1, np.inf]) | np.isnan(wanted)
        same(np.where(got == 5e-324, 0, got)[special], wanted[special])
    says(ValueError, "border_value=300; int8 holds whole numbers from -128 to 127",
         lambda: gf.erode(np.zeros((3, 3), "i1"), border="constant", border_value=300))
    big = 2**62 + 1
    assert gf.erode(np.full((2, 2), big + 5), 3, border="constant", border_value=big).tolist() == [[big] * 2] * 2
    says(TypeError, "gaussian: src has dtype float64; it takes uint8", lambda: gf.gaussian(x))
    says(TypeError, "median: src has dtype float64; it takes uint8", lambda: gf.submit(gf.median, x))
    says(TypeError, "median: src has dtype complex128; it takes uint8", lambda: gf.median(x + 1j))


@pytest.mark.parametrize("border, mode", [("wrap", "wrap"), ("reflect", "symmetric"), ("replicate", "edge")])
def test_long_rows_are_cut_into_tiles(border, mode):
    for n in (65536, 140000):
        row = np.random.default_rng(1).normal(size=n).astype("f4")
        wanted = np.sort(np.lib.stride_tricks.sliding_window_view(np.pad(row, 2, mode), 5), -1)[:, 2]
        same(gf.median(row, (5, 1), border=border), wanted)
        same(gf.median(row[:, None].copy(), (1, 5), border=border), wanted[:, None])
        same(gf.median(row + 1e-12, (5, 1), border=border)[9:-9], np.sort(
            np.lib.stride_tricks.sliding_window_view(row + 1e-12, 5), -1)[7:-7, 2])
        whole = gf.gaussian(row, 2, border=border)
        for begin in (0, 65500 - 264, n - 300):  # beside a border and across two tiles
            part = np.take(row, range(begin - 20, begin + 320), mode="wrap") if border == "wrap" else row[
                max(begin - 20, 0):begin + 320]
            skip = 20 if border == "wrap" else min(begin, 20)
            same(whole[begin:begin + 300], gf.gaussian(part, 2, border=border)[skip:][:300])
        mask = row > 0
        same(gf.erode(mask, (3, 1), border=border), gf.erode(mask.view("u1"), (3, 1), border=border).view(bool))
        same(gf.combine(row, row[::-1].copy(), "max"), np.maximum(row, row[::-1]))
    for call in (lambda: gf.label(row[None]), lambda: gf.resize(row, (3, 1)),
                 lambda: gf.equalize(np.zeros(70000, "u1")), lambda: gf.correlate(row, [[1, 2, 1]], size="valid")):
        says(ValueError, "the sides of a picture go up to 65535, and", call)
