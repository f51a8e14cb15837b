# SPDX-License-Identifier: MIT
"""What numpy's users expect: signed counts and indices, bool, closed last bins, numbers rounded once."""
import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says


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
                        (np.asarray(gf.reduce(mask, "max")), np.asarray(True)), (gf.run("erode size=3 | dilate size=3", mask), gf.opening(mask, 3))]:
        same(np.ascontiguousarray(got).reshape(wanted.shape), wanted)
    assert gf.run("erode | label", mask).labels.dtype == np.int32
    assert gf.sort([True, False, True]).tolist() == [False, True, True]
    on = gf.to_device(mask)
    assert on.dtype == bool
    same(on, mask)
    same(gf.erode(on[2:9]), gf.erode(mask[2:9]))
    same(gf.label(on).labels, gf.label(mask).labels)


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
