# SPDX-License-Identifier: MIT
"""gpufilter.dask with the schedulers of one machine: results have the bits of one request, however arrays are cut; and
refusals. tests/cluster runs it with the Python that has dask (scripts/deps --cluster), and tests several machines in
its own test_dask.py."""
import math
import os
import random
import re

import gpufilter as gf
import numpy as np
import pytest
from conftest import says

da = pytest.importorskip("dask.array", reason="there is no dask; scripts/deps --cluster installs it")
import dask  # noqa: E402
from gpufilter.dask import map_tiles, reduction  # noqa: E402

rnd = random.Random(7)
random_ = np.random.default_rng(5)
GREY = random_.integers(0, 256, (48, 60), dtype=np.uint8)
REAL = random_.normal(5, 40, (48, 60)).astype("f4")
RGB = random_.integers(0, 65536, (48, 60, 3), dtype=np.uint16)
CHUNKS = ((12, 10), (48, 60), (48, 17), ((1, 40, 2, 5), (59, 1)))
MASK = np.float32([[1, 2, 3, 4, 0], [0, -1, 2, 5, 1]])


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def differ(made, want):
    """The number of bytes that differ. The dask array must have the right shape, dtype and chunks before it
    computes."""
    assert made.shape == want.shape and made.dtype == want.dtype
    got = made.compute()
    assert got.shape == want.shape and got.dtype == want.dtype
    return int((np.ascontiguousarray(got).view(np.uint8) != np.ascontiguousarray(want).view(np.uint8)).sum())


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
@pytest.mark.parametrize("text, array", [
    ("gaussian sigma=2 | sobel", GREY), ("gaussian sigma=3,1 border=wrap", REAL), ("box size=9x4 border=reflect101", REAL),
    ("unsharp sigma=2 | map scale=0.8", RGB), ("threshold value=9000", RGB), ("box size=30x31 border=wrap", GREY),
    ("log sigma=1.5 | threshold value=3", REAL), ("gaussian sigma=1 | box src=@0 size=11x3 | combine src=#1 other=#2", GREY),
    ("correlate mask='1 2 3 4; 4 3 2 2' size=valid normalize=sum", REAL),
    ("correlate mask='1 2 3 4 5 6 7' size=valid normalize=sum | sobel", GREY),
    ("gaussian sigma=20 border=reflect", GREY), ("copy channel=2", RGB), ("map dtype=f32 range=full", GREY)])
def test_tiles_have_the_bits_of_the_whole(text, array, chunks):
    tiles = da.from_array(array, chunks=chunks + ((3,) if array.ndim == 3 else ()))
    assert differ(map_tiles(tiles, text), gf.run(text, array)) == 0


def test_chunks_may_be_smaller_than_the_halo():
    for text, chunks in (("gaussian sigma=3,1 border=wrap", (5, 20)), ("box size=30x31", (1, 60)),
                         ("correlate mask='1 2 3 4 5 6 7' size=valid | sobel", (24, 2))):
        assert differ(map_tiles(da.from_array(REAL, chunks=chunks), text), gf.run(text, REAL)) == 0


def test_chunks_stay_as_they_are():
    a = da.from_array(REAL, chunks=(20, 25))
    assert map_tiles(a, "sobel").chunks == ((20, 20, 8), (25, 25, 10))
    assert map_tiles(a, "correlate mask='1 2 3 4 5 6 7 8 9 10 11 12' size=valid").chunks == ((20, 20, 8), (25, 24))
    taps = np.float32([1, 2, 3])
    assert map_tiles(a, "convolve1d mode=full", taps).chunks == ((20, 20, 8), (25, 25, 12))
    assert map_tiles(da.from_array(RGB, chunks=(20, 25, 1)), "sobel").chunks == ((20, 20, 8), (25, 25, 10), (3,))


@pytest.mark.parametrize("mode", ["same border=wrap", "same border=reflect anchor=0", "valid", "full"])
@pytest.mark.parametrize("axis", ["rows", "cols"])
def test_kernels_go_to_each_tile(mode, axis):
    text, taps = f"convolve1d axis={axis} mode={mode}", np.float32([1, -2, 3, 5, 7])
    assert differ(map_tiles(da.from_array(REAL, chunks=(11, 13)), text, taps), gf.run(text, REAL, taps)) == 0


def test_other_operands():
    a, b = da.from_array(GREY, chunks=(12, 10)), GREY[::-1].copy()
    want = gf.run("gaussian sigma=1 | combine other=@1 mode=absdiff", GREY, b)
    for other in (b, da.from_array(b, chunks=(48, 5))):
        assert differ(map_tiles(a, "gaussian sigma=1 | combine other=@1 mode=absdiff", other), want) == 0
    table = np.arange(255, -1, -1, dtype=np.uint8)
    assert differ(map_tiles(a, "map table=@1 | sobel", table), gf.run("map table=@1 | sobel", GREY, table)) == 0
    pipe = gf.pipe(None).correlate(MASK, normalize="abs-sum", anchor=(4, 0)).combine(b, "max")
    assert differ(map_tiles(a, pipe), gf.pipe(GREY).correlate(MASK, normalize="abs-sum", anchor=(4, 0)).combine(b, "max")
                  .run()) == 0


def test_stacks_and_single_rows():
    stack = random_.integers(0, 256, (3, 2, 30, 20), dtype=np.uint8)
    for chunks in ((1, 2, 10, 7), (2, 1, 30, 20), (3, 2, 7, 20)):
        assert differ(map_tiles(da.from_array(stack, chunks=chunks), "gaussian sigma=2", channel_axis=None),
                      gf.gaussian(stack, 2, channel_axis=None)) == 0
    narrow = stack[..., :4]  # tiles as wide as channels are not taken for them
    assert differ(map_tiles(da.from_array(narrow, chunks=(3, 2, 9, 2)), "box size=5", channel_axis=None),
                  gf.box(narrow, 5, channel_axis=None)) == 0
    row = random_.normal(size=1000).astype("f4")
    for text in ("gaussian sigma=2,0 border=wrap", "box size=7x1"):
        assert differ(map_tiles(da.from_array(row, chunks=130), text), gf.run(text, row)) == 0


def test_rows_that_are_whole_may_be_cut_between():
    text = "gaussian sigma=1 | scan axis=rows"
    assert differ(map_tiles(da.from_array(REAL, chunks=(7, 60)), text), gf.run(text, REAL)) == 0
    assert differ(map_tiles(da.from_array(GREY, chunks=(48, 60)), "equalize | sobel"), gf.run("equalize | sobel", GREY)) == 0
    assert differ(map_tiles(da.from_array(REAL, chunks=(48, 9)), "box size=3x5 border=wrap | scan axis=cols"),
                  gf.run("box size=3x5 border=wrap | scan axis=cols", REAL)) == 0


def test_neighbours_send_no_more_than_the_halo():
    """Pieces are cut at the blocks, and a halo has no more pieces than it needs."""
    seen = []
    tiles = da.from_array(GREY, chunks=(12, 10))
    made = map_tiles(tiles, "gaussian sigma=1")
    graph = dict(made.__dask_graph__())
    assert len(graph) < 24 * 2 + 8 * 24 + 3

    def noted(block, where, cut=gf.dask._cut):
        seen.append(cut(block, where).size)
        return cut(block, where)
    kept = gf.dask._cut
    gf.dask._cut = noted
    try:
        map_tiles(tiles, "gaussian sigma=1").compute()
    finally:
        gf.dask._cut = kept
    assert max(seen) == 12 * 4 and min(seen) == 16


def test_a_halo_too_small_changes_bits(monkeypatch):
    """The control: with a smaller halo map_tiles is not exact."""
    text = "gaussian sigma=2 | sobel"
    tiles, want = da.from_array(REAL, chunks=(12, 10)), gf.run(text, REAL)
    assert differ(map_tiles(tiles, text), want) == 0
    told = gf.dask.reach_of
    for less in ({"left": 8}, {"right": 8}, {"above": 8}, {"below": 8}):
        monkeypatch.setattr(gf.dask, "reach_of", lambda *a, less=less: (told(*a)[0]._replace(**less), None))
        assert differ(map_tiles(tiles, text), want) > 0
    text, want = "box size=5 border=wrap", gf.box(REAL, 5, border="wrap")
    monkeypatch.setattr(gf.dask, "reach_of", lambda *a: (told(*a)[0]._replace(wrap_x=False), None))
    assert differ(map_tiles(tiles, text), want) > 0


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_other_threads_and_processes(scheduler):
    text = "gaussian sigma=2 border=wrap | sobel border=wrap dtype=i16"
    with dask.config.set(scheduler=scheduler, num_workers=2):
        assert differ(map_tiles(da.from_array(GREY, chunks=(24, 30)), text), gf.run(text, GREY)) == 0


# ---- reductions ----

@pytest.mark.parametrize("text", ["stats", "reduce op=var", "reduce op=mean", "reduce op=argmax", "reduce op=l2",
                                  "histogram bins=50 lo=-9 hi=9"])
def test_reductions(text):
    array = random_.normal(size=5 * 4096 + 99).astype("f4")
    for chunks in (4096, (8192, 4096, 4096 + 4096 + 99), -1):
        equal(reduction(da.from_array(array, chunks=chunks), text).compute(), gf.run(text, array))


def equal(got, want):
    for a, b in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
        assert np.shape(a) == np.shape(b) and np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_reductions_of_pictures():
    equal(reduction(da.from_array(RGB, chunks=(7, 60, 1)), "histogram channels=luma").compute(),
          gf.histogram(RGB, channels="luma"))
    equal(reduction(da.from_array(RGB, chunks=(7, 60, 3)), "reduce op=std").compute(), gf.reduce(RGB, "std"))
    long = random_.normal(size=(300, 9)).astype("f4")
    equal(reduction(da.from_array(long, chunks=(64, 9)), "reduce axis=cols").compute(), gf.reduce(long, axis="cols"))
    equal(reduction(da.from_array(long, chunks=(7, 9)), "reduce axis=rows op=l2").compute(),
          gf.reduce(long, "l2", axis="rows"))
    a, b = random_.normal(size=9000), random_.normal(size=9000)
    equal(reduction(da.from_array(a, chunks=4096), "dot", da.from_array(b, chunks=1000)).compute(), gf.dot(a, b))
    edges = np.array([0.0, 10, 30, 256])
    equal(reduction(da.from_array(GREY, chunks=(7, 60)), "histogram edges=@1", edges).compute(),
          gf.histogram(GREY, edges=edges))


@pytest.mark.parametrize("text", ["reduce", "reduce op=var", "reduce op=mean axis=cols", "reduce op=max axis=rows", "stats",
                                  "reduce op=argmin", "histogram bins=9 lo=-50 hi=60"])
@pytest.mark.parametrize("width", [64, 50, 33])
def test_reductions_of_what_is_cut_along_both_axes(width, text):
    array = random_.normal(5, 40, (500, width)).astype("f4")
    for chunks in ((100, 20), (500, 20), (130, width), (7, 7)):
        equal(reduction(da.from_array(array, chunks=chunks), text).compute(), gf.run(text, array))


def test_parts_begin_at_chunks_or_beside_them():
    def parts(shape, chunks, text):
        array = da.zeros(shape, chunks=chunks, dtype="f4")
        return gf.dask._bands(array, gf.dask._partial.rows_of_parts(text, array, "auto")).chunks
    assert parts((1000, 64), (300, 20), "reduce") == ((320, 256, 320, 104), (64,))
    assert parts((1000, 64), (300, 20), "reduce op=max") == ((300, 300, 300, 100), (64,))
    assert parts((1000, 33), (300, 20), "reduce axis=cols") == ((320, 256, 320, 104), (33,))
    assert parts((1000, 33), (300, 20), "reduce") == ((1000,), (33,))
    assert parts((9000,), (1000,), "reduce") == ((4096, 4096, 808),)


def test_tiles_may_be_reduced():
    tiles = map_tiles(da.from_array(GREY, chunks=(12, 10)), "gaussian sigma=2")
    equal(reduction(tiles, "histogram").compute(), gf.histogram(gf.gaussian(GREY, 2)))


# ---- refused ----

def test_what_needs_all_says_how_to_rechunk():
    a = da.from_array(REAL, chunks=(12, 10))
    says(ValueError, "a tile needs all columns (axis 1), and along them the array has 6 chunks; make them one by "
         "array.rechunk({1: -1})", lambda: map_tiles(a, "scan axis=rows"))
    says(ValueError, "needs all rows (axis 0), and along them the array has 4 chunks", lambda: map_tiles(a, "scan axis=cols"))
    says(ValueError, "needs all rows", lambda: map_tiles(a, "autocontrast"))
    says(ValueError, "needs all rows", lambda: map_tiles(a, "sobel border=wrap | sobel"))
    stack = da.from_array(np.stack([REAL, REAL]), chunks=(1, 12, 60))
    says(ValueError, "needs all rows (axis 1)", lambda: map_tiles(stack, "scan axis=cols"))


def test_wrong_use():
    a = da.from_array(REAL, chunks=(12, 10))
    says(TypeError, "map_tiles takes an array of dask, not a ndarray", lambda: map_tiles(REAL, "sobel"))
    says(TypeError, "reduction takes an array of dask, not a list", lambda: reduction([1], "reduce"))
    says(ValueError, "reduce does not make a picture; gpufilter.dask.reduction", lambda: map_tiles(a, "reduce axis=rows"))
    says(ValueError, "histogram does not make a picture", lambda: map_tiles(a, "histogram bins=4"))
    says(ValueError, "label does not make a picture; label numbers regions of a whole picture, which may cross borders of tiles. Run "
         "it over all data in one place", lambda: map_tiles(da.from_array(GREY, chunks=(12, 10)), "label"))
    says(gf.errors.BadParam, "sigma=-1", lambda: map_tiles(a, "gaussian sigma=-1"))
    says(TypeError, "float64; it takes uint8", lambda: map_tiles(a.astype(float), "sobel"))
    says(ValueError, "operand 1 has shape (47, 60), the array has (48, 60)",
         lambda: map_tiles(a, "correlate mask='1;2' size=valid | combine other=@1", REAL[1:]))
    says(TypeError, "each tile needs all of operand 1; give a numpy array",
         lambda: map_tiles(a, "convolve1d", da.ones((3,), dtype="f4")))
    says(ValueError, "each tile needs the whole array", lambda: map_tiles(da.from_array(np.ones(3, "f4")),
                                                                          "convolve1d src=@1 kernel=@0", REAL))
    says(ValueError, "every axis must be 1 or longer", lambda: map_tiles(a[:0], "sobel"))
    says(ValueError, "chunks of unknown size", lambda: map_tiles(a[a[:, 0] > 0], "sobel"))
    says(ValueError, "the pipe has no steps", lambda: map_tiles(a, gf.pipe(None)))


def test_reductions_refused_before_anything_runs():
    a = da.from_array(REAL, chunks=(12, 60))
    says(ValueError, "Merge histogram over the parts", lambda: reduction(a, "equalize"))
    says(ValueError, "range=data", lambda: reduction(a, "histogram bins=9"))
    says(ValueError, "a stack of (2,)", lambda: reduction(da.ones((2, 9, 9), dtype="f4"), "reduce"))
    says(gf.errors.BadView, "both must have the same shape",
         lambda: reduction(a, "dot axis=rows", da.from_array(REAL[:, 1:])))
    assert math.inf in gf.reach("equalize")[:4]


def test_the_code_of_the_page():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md"), encoding="utf-8") as f:
        blocks = [b for b in re.findall(r"^```py\n(.*?)^```$", f.read(), re.M | re.S) if "gpufilter.dask" in b]
    picture = random_.integers(0, 256, (480, 640, 3), dtype=np.uint8)
    assert len(blocks) == 1
    for block in blocks:
        exec(compile(block, "python.md", "exec"), {"gf": gf, "np": np, "picture": picture})
