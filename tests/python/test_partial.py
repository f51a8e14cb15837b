# SPDX-License-Identifier: MIT
"""partial() and merge_partials(): any permitted cut of the data gives the bits of one request over all of it; other
processes; refusals. Other cuts change bits and are therefore refused."""
import concurrent.futures
import multiprocessing
import pickle
import random

import gpufilter as gf
import numpy as np
import pytest
from conftest import says
from gpufilter import _figures, _partial

CHUNK, BLOCK = _figures.CHUNK, _figures.BLOCK
INTEGERS = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")
REAL = ("f4", "f8")
OPS = ("sum", "product", "min", "max", "argmin", "argmax", "mean", "var", "std", "l1", "l2", "linf", "count", "any",
       "all")
rnd = random.Random(3)


def data(dtype, n, channels=1, nans=0.0, seed=1):
    random_ = np.random.default_rng(seed)
    shape = (n,) if channels == 1 else (n, channels)
    if dtype in REAL:
        made = (random_.normal(3, 40, shape) * 10.0 ** random_.integers(-4, 4, shape)).astype(dtype)
        made[random_.random(shape) < nans] = np.nan
        return made
    info = np.iinfo(dtype)
    return random_.integers(max(info.min, -2**40), min(info.max, 2**40), shape, dtype=dtype, endpoint=True)


def starts(n, unit):
    """The starts of the parts: some multiples of the unit."""
    return sorted({0, *(unit * rnd.randrange(1, -(-n // unit)) for _ in range(4))}) if n > unit else [0]


def cut(array, unit):
    begin = starts(len(array), unit)
    return [(at, array[at:end]) for at, end in zip(begin, [*begin[1:], len(array)])]


def equal(got, want):
    for a, b in zip(got, want) if isinstance(want, tuple) else [(got, want)]:
        assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), (a, b)
    assert type(got) is type(want)


def merged(text, parts, **options):
    made = [gf.partial(text, *(part if isinstance(part, tuple) else (part,)), start=at, **options)
            for at, part in parts]
    rnd.shuffle(made)
    return gf.merge_partials([pickle.loads(pickle.dumps(p)) for p in made])


def check(text, array, unit, channel_axis=None):
    equal(merged(text, cut(array, unit), channel_axis=channel_axis), gf.run(text, array, channel_axis=channel_axis))


# ---- equal to one machine ----

@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", INTEGERS + REAL)
def test_reductions(op, dtype):
    text = f"reduce op={op}" + (" overflow=wrap" if op in ("sum", "product") else "")
    check(text, data(dtype, 5 * CHUNK + 77), CHUNK)
    small = data(dtype, 900, 3, seed=2)
    check(text, small, CHUNK, channel_axis=-1)
    if dtype in INTEGERS and not (dtype[1] in "48" and op in ("var", "std", "l2")):
        check(text, data(dtype, 1000), 7)  # exact: anywhere


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", REAL)
def test_nan_is_left_out_or_goes_on(op, dtype):
    for nans in (0.00003, 0.5):
        array = data(dtype, 4 * CHUNK + 5, nans=nans)
        array[CHUNK:2 * CHUNK] = np.nan  # a chunk without elements
        check(f"reduce op={op} nan=omit", array, CHUNK)
        check(f"reduce op={op}", array, CHUNK)
    check(f"reduce op={op} nan=omit", np.full(2 * CHUNK + 1, np.nan, dtype), CHUNK)
    zeros = np.zeros(3 * CHUNK, dtype)
    zeros[:CHUNK], zeros[CHUNK:2 * CHUNK] = np.nan, -0.0
    check(f"reduce op={op} nan=omit", -zeros, CHUNK)
    check(f"reduce op={op} nan=omit", zeros, CHUNK)


def test_more_than_a_chunk_of_chunks():
    array = np.random.default_rng(1).random(CHUNK * (CHUNK + 3) + 9, "f4")
    for op in ("sum", "var"):
        check(f"reduce op={op}", array, CHUNK)


def test_infinities():
    for values in ([np.inf], [np.inf, -np.inf], [1e300, 1e300], [-0.0]):
        array = np.zeros(3 * CHUNK + 3)
        array[::CHUNK - 1][:len(values)] = values
        for op in ("sum", "mean", "var", "std", "l2", "l1", "linf", "argmax", "product"):
            check(f"reduce op={op}", array, CHUNK)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_columns(op, dtype):
    text = f"reduce op={op} axis=cols" + (" overflow=wrap" if op in ("sum", "product") else "")
    array = data(dtype, 300 * 7).reshape(300, 7)
    check(text, array, BLOCK)
    check(text, data(dtype, 200 * 5, 3).reshape(200, 5, 3), BLOCK, channel_axis=-1)
    if dtype in REAL:
        array[array > 50] = np.nan
        array[64:128, 2] = np.nan
        check(text + " nan=omit", array, BLOCK)


def test_more_than_a_block_of_blocks_along_columns():
    for op in ("sum", "var"):
        check(f"reduce op={op} axis=cols", data("f4", BLOCK * 70 * 2 + 6).reshape(-1, 2), BLOCK)


@pytest.mark.parametrize("op", OPS)
def test_rows_are_joined(op):
    text = f"reduce op={op} axis=rows" + (" overflow=wrap" if op in ("sum", "product") else "")
    for dtype in ("u2", "f4"):
        check(text, data(dtype, 50 * 31).reshape(50, 31), 1)
        check(text, data(dtype, 50 * 7, 2).reshape(50, 7, 2), 1, channel_axis=-1)


def test_pictures_of_channels_cut_by_rows():
    picture = data("f4", 64 * 192, 3).reshape(64, 192, 3)
    for op in OPS:
        check(f"reduce op={op}", picture, 64, channel_axis=-1)  # 64 rows of 192: 3 chunks
    check("stats ddof=1", picture, 64, channel_axis=-1)
    check("stats", picture[..., 0].copy(), 64)
    whole = data("u1", 64 * 100, 4).reshape(64, 100, 4)
    check("stats", whole, 5, channel_axis=-1)
    check("stats nan=omit", data("f8", 3 * CHUNK + 8, nans=0.1), CHUNK)


def test_dot():
    for dtype in REAL:
        a, b = data(dtype, 5 * CHUNK + 3, seed=4), data(dtype, 5 * CHUNK + 3, seed=5)
        parts = [(at, (part, b[at:at + len(part)])) for at, part in cut(a, CHUNK)]
        equal(merged("dot", parts), gf.dot(a, b))
    a, b = data("f4", 900, seed=4).reshape(300, 3), data("f4", 900, seed=5).reshape(300, 3)
    for axis, unit in (("cols", BLOCK), ("rows", 1)):
        parts = [(at, (part, b[at:at + len(part)])) for at, part in cut(a, unit)]
        equal(merged(f"dot axis={axis}", parts, channel_axis=None), gf.dot(a, b, axis=axis, channel_axis=None))


def test_maps_that_follow_each_other():
    array = np.random.default_rng(1).normal(0, 1, (5 * CHUNK + 9, 2)).astype("f4")
    check("reduce op=affine", array, CHUNK, channel_axis=-1)
    check("reduce op=affine axis=cols", array[:3000].reshape(300, 10, 2), BLOCK, channel_axis=-1)
    turns = np.random.default_rng(1).normal(0, 0.7, (3 * CHUNK + 9, 4))
    check("reduce op=matmul2", turns, CHUNK, channel_axis=-1)


@pytest.mark.parametrize("more", ["", " cumulative=1", " density=1", " cumulative=1 density=1"])
def test_histograms(more):
    check("histogram" + more, data("u1", 5000), 3)
    check("histogram bins=100 lo=-20 hi=30 last_closed=1" + more, data("f4", 5000, nans=0.1), 3)
    check("histogram channels=luma" + more, data("u1", 3000, 3).reshape(30, 100, 3), 3, channel_axis=-1)
    check("histogram bins=7 lo=0 hi=1000" + more, data("u2", 3000, 4).reshape(30, 100, 4), 3, channel_axis=-1)
    check("histogram bins=4 lo=1e30 hi=2e30" + more, data("f8", 100), 3)  # nothing there
    edges = np.array([-np.inf, -5, 0, 0, 7, np.inf])
    array = data("f8", 1000)
    parts = [(at, (part, edges)) for at, part in cut(array, 9)]
    equal(merged("histogram edges=@1" + more, parts), gf.run("histogram edges=@1" + more, array, edges))


def test_files_need_no_order():
    """Pictures of several sizes, as files are."""
    pictures = [data("u1", h * w).reshape(h, w) for h, w in ((3, 50), (20, 7), (9, 9))]
    every = np.concatenate([p.ravel() for p in pictures])
    for text in ("histogram", "reduce", "reduce op=max", "reduce op=mean", "reduce op=std"):
        equal(gf.merge_partials([gf.partial(text, p) for p in pictures]), gf.run(text, every))


def test_argmin_is_the_first_of_all():
    array = np.zeros(100, "f4")
    array[[30, 60]] = -1, -1
    array[:10] = -0.0
    check("reduce op=argmin", array, 7)
    check("reduce op=argmax", array, 7)
    array[[50, 80]] = np.nan
    check("reduce op=argmin", array, 7)
    check("reduce op=argmin nan=omit", array, 7)
    check("reduce op=argmax nan=omit", np.full(20, np.nan), 7)
    check("reduce op=argmax", array.reshape(10, 10), 3)
    check("reduce op=argmin axis=cols", array.reshape(10, 10), 3)


def scanned(op, array, unit):
    """A scan part by part; each part starts from the merged reduction of the parts before it."""
    before, made = [], []
    for at, part in cut(array, unit):
        first = {"initial": float(gf.merge_partials(before)), "start": "initial"} if before else {}
        made.append(gf.scan(part, op, **first))
        before.append(gf.partial(f"reduce op={op}", part, start=at))
    return np.concatenate(made)


def test_scans_of_integers_go_on_from_what_was_before():
    """The procedure that the refusal of scan suggests, and why it does not work for real numbers."""
    for op, dtype in (("sum", "i4"), ("sum", "u1"), ("max", "u2"), ("min", "f4")):
        array = data(dtype, 5000, seed=9)
        assert scanned(op, array, 700).tobytes() == gf.scan(array, op).tobytes()
    array = data("f8", 5 * CHUNK)
    assert (scanned("sum", array, CHUNK) != gf.scan(array)).any()


def test_histograms_of_pairs():
    picture, other = data("u1", 3000, 3).reshape(30, 100, 3), data("f4", 3000, nans=0.1, seed=2).reshape(30, 100)
    check("histogram2d", picture, 3, channel_axis=-1)
    check("histogram2d bins=5,7 channels=3,1 lo=0,-3 hi=100,400 last_closed=1", picture, 3, channel_axis=-1)
    parts = [(at, (part, other[at:at + len(part)])) for at, part in cut(picture[..., 0].copy(), 3)]
    text = "histogram2d src2=@1 bins=16 lo=0,-20 hi=0,30"
    equal(merged(text, parts, channel_axis=None), gf.run(text, picture[..., 0].copy(), other, channel_axis=None))


def test_histograms_of_the_range_of_all():
    """The procedure that the refusal of range=data suggests."""
    array = data("f4", 5000)
    parts = cut(array, 9)
    lo, hi = (float(merged(f"reduce op={op}", parts)) for op in ("min", "max"))
    got = merged(f"histogram bins=77 lo={lo!r} hi={hi!r} last_closed=1", parts)
    equal(got, gf.histogram(array, bins=77))


# ---- integers beyond 64 bits ----

def test_exact_sums_and_products_whatever_parts_do():
    """A part may overflow 64 bits although the whole does not."""
    most, least = np.iinfo("i8").max, np.iinfo("i8").min
    check("reduce", np.array([most, most, 5, least, least, 3], "i8"), 2)
    check("reduce op=product", np.array([2**62, 2, -1, 1], "i8"), 2)  # 2^63 and -1: the least one
    check("reduce op=product", np.array([2**62, 2**62, 0, 1], "i8"), 2)
    check("reduce op=product axis=cols", np.array([[2**62, 3], [2**62, 1], [0, 1], [1, 1]], "i8"), 2)
    check("reduce op=l1", np.array([least, least, 1], "i8"), 2)
    check("reduce op=l1", np.array([-128, 127, 3], "i1"), 2)
    check("reduce overflow=wrap", np.array([2**64 - 1] * 5, "u8"), 2)
    check("reduce op=product overflow=wrap", np.array([2**63, 3, 5, 7], "u8"), 2)
    parts = [gf.partial("reduce", np.array([2**64 - 1], "u8"), start=k) for k in range(2)]
    says(gf.errors.ResultOverflow, "the sum of channel 1, 36893488147419103230, does not fit u64; overflow=wrap",
         lambda: gf.merge_partials(parts))
    parts = [gf.partial("reduce op=product", np.array([2**62] * 2, "i8"), start=2 * k) for k in range(2)]
    says(gf.errors.ResultOverflow, "the product of channel 1 does not fit i64", lambda: gf.merge_partials(parts))


# ---- other processes ----

def _part(job):
    text, at, part = job
    return gf.partial(text, part, start=at)


def test_parts_of_other_processes():
    array = data("f4", 6 * CHUNK + 100)
    jobs = [(text, at, part) for text in ("stats", "reduce op=var") for at, part in cut(array, CHUNK)]
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        parts = list(pool.map(_part, jobs))
    for text in ("stats", "reduce op=var"):
        equal(gf.merge_partials(p for p in parts if p.text == text), gf.run(text, array))


# ---- refused ----

def test_cuts_inside_of_chunks_would_change_bits(monkeypatch):
    """The control: without the refusal merged sums differ from those of one machine."""
    monkeypatch.setattr(_partial._Plan, "check_start", lambda *_: None)
    wrong = {}
    for text in ("reduce", "reduce op=l2", "reduce op=var", "reduce op=mean"):
        for seed in range(5):
            array = data("f8", 3 * CHUNK, seed=seed)
            parts = [gf.partial(text, array[:2000], start=0), gf.partial(text, array[2000:], start=2000)]
            wrong[text] = wrong.get(text, 0) + (gf.merge_partials(parts) != gf.run(text, array))
    assert all(wrong.values()), wrong
    columns = data("f8", 300 * 50).reshape(300, 50)
    parts = [gf.partial("reduce axis=cols", columns[:100], start=0), gf.partial("reduce axis=cols", columns[100:], start=100)]
    assert (gf.merge_partials(parts) != gf.reduce(columns, axis="cols")).any()


def test_where_parts_may_begin():
    a = data("f4", 5000)
    for text in ("reduce", "reduce op=mean", "reduce op=std", "reduce op=l2", "stats", "reduce op=product"):
        says(ValueError, "may begin at a multiple of 4096 elements; this one begins at 1000",
             lambda text=text: gf.partial(text, a, start=1000))
        says(ValueError, "depends on the position of its parts; give start, the number of elements before",
             lambda text=text: gf.partial(text, a))
    picture = a[:4000].reshape(40, 100)
    says(ValueError, "this one begins at 6400, row 64 of 100", lambda: gf.partial("reduce", picture, start=64))
    says(ValueError, "a multiple of 64 rows; this one begins at row 100",
         lambda: gf.partial("reduce axis=cols", picture, start=100))
    says(ValueError, "number of rows before", lambda: gf.partial("reduce op=argmin", picture))
    says(ValueError, "start=-1; it must be 0 or more", lambda: gf.partial("reduce op=max", a, start=-1))
    says(TypeError, "start=1.5; it must be a whole number", lambda: gf.partial("reduce op=max", a, start=1.5))


def test_what_does_not_merge_says_why():
    a = data("f4", 5000)
    for text, why in (("scan", "start=initial"), ("scan op=product", "(reduce op=product)"),
                      ("recurrence", "initial would join in a different order"), ("integral", "above and to the left"),
                      ("equalize", "Merge histogram over the parts"), ("autocontrast", "op=min and op=max"),
                      ("threshold", "map_tiles"), ("compare", "already divided"), ("select", "add the part's start"),
                      ("label", "cross borders of tiles"), ("distance", "a whole picture"), ("canny", "an edge may begin"),
                      ("matmul", "bands of rows"), ("sobel", "map_tiles"), ("quantile", "quantiles of parts"),
                      ("sort", "needs all elements"), ("argsort", "needs all elements"), ("topk", "and again"),
                      ("match", "need the whole picture")):
        says(ValueError, "partial takes reduce, stats, dot, histogram and histogram2d; ", lambda text=text: gf.partial(text, a))
        says(ValueError, why, lambda text=text: gf.partial(text, a))
    says(ValueError, "partial takes one step", lambda: gf.partial("sobel | stats", a))
    says(ValueError, "with range=data needs the range of all parts", lambda: gf.partial("histogram bins=9", a))
    says(ValueError, "with range=data", lambda: gf.partial("histogram range=data", a.astype("u1")))
    says(ValueError, "histogram2d of float32 with range=data needs",
         lambda: gf.partial("histogram2d bins=9 lo=1,0 hi=2,0 src2=@1", a.astype("u1"), a))
    says(ValueError, "segments are separate sequences", lambda: gf.partial("reduce segments=@1", a, np.array([0, 5]), start=0))
    says(ValueError, "a stack of (2,)", lambda: gf.partial("reduce", np.zeros((2, 3, 5), "f4"), start=0))
    says(gf.errors.UnknownOp, "gauss", lambda: gf.partial("gauss", a))
    says(gf.errors.BadParam, "op=", lambda: gf.partial("reduce op=median", a, start=0))
    says(TypeError, "a program is text", lambda: gf.partial(gf.reduce, a))


def test_parts_that_do_not_make_a_whole():
    def part(start, n=CHUNK, text="reduce", dtype="f4", **more):
        return gf.partial(text, data(dtype, n), start=start, **more)
    says(ValueError, "merge_partials: partials is empty", lambda: gf.merge_partials([]))
    says(TypeError, "merge_partials: partials hold a float; it takes what partial() returned", lambda: gf.merge_partials([1.0]))
    says(TypeError, "partials hold a float", lambda: gf.merge_partials([part(0), 1.0]))
    says(ValueError, "elements, 4096 to 8191 are missing", lambda: gf.merge_partials([part(2 * CHUNK), part(0)]))
    says(ValueError, "elements, 0 to 4095 are missing", lambda: gf.merge_partials([part(CHUNK)]))
    says(ValueError, "elements, 4096 to 8191 are duplicated", lambda: gf.merge_partials([part(0, 2 * CHUNK), part(CHUNK)]))
    says(ValueError, "all must be of one program", lambda: gf.merge_partials([part(0), part(CHUNK, text="reduce op=l1")]))
    says(ValueError, "a part is float32 with 1 axes and no channels, another is float64",
         lambda: gf.merge_partials([part(0), part(CHUNK, dtype="f8")]))
    says(ValueError, "1 of 2 parts have no start",
         lambda: gf.merge_partials([part(0, text="reduce op=max"), part(None, text="reduce op=max")]))
    one, two = (gf.partial("reduce op=max axis=cols", np.zeros((3, w), "u1")) for w in (4, 5))
    says(ValueError, "parts have rows of [4, 5] elements", lambda: gf.merge_partials([one, two]))
    one, two = (gf.partial("histogram edges=@1", np.zeros(3), [0, 1, e]) for e in (2, 3))
    says(ValueError, "different edges", lambda: gf.merge_partials([one, two]))


def test_what_a_part_looks_like():
    part = gf.partial("reduce", np.zeros(CHUNK, "f4"), start=0)
    assert repr(part) == "<gpufilter.Partial 'reduce' of 4096 from 0>"
    assert len(pickle.dumps(gf.partial("reduce", np.zeros(100 * CHUNK, "f4"), start=0))) < 4000


def test_without_dask(script):
    """gpufilter.dask can be imported without dask; its calls report that dask is missing."""
    told = script("import sys\nsys.modules['dask'] = None\nimport gpufilter.dask\nfor f in (gpufilter.dask.map_tiles, "
                  "gpufilter.dask.reduction):\n    try:\n        f(None, 'sobel')\n    except ImportError as e:\n"
                  "        print(e)\nprint(gpufilter.dask.merge_partials is gpufilter.merge_partials)")
    lines = told.splitlines()
    assert lines[0].startswith("gpufilter.dask.map_tiles needs dask with its arrays (")
    assert lines[1].endswith("): pip install 'dask[array]'. gpufilter.partial, merge_partials and reach work without dask")
    assert lines[2] == "True"
