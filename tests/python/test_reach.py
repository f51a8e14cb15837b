# SPDX-License-Identifier: MIT
"""reach() against brute force: random programs over all operations, on the whole picture and on tiles with exactly the
halo that reach() returns. A tile has the bits of the whole; with a halo smaller by one in any direction some tile
differs."""
import math
import random

import gpufilter as gf
import numpy as np
import pytest
from conftest import says
from gpufilter import _program

BORDERS = ("replicate", "reflect", "reflect101", "constant border_value=7", "wrap")
rnd = random.Random(21)


def indices(lo, hi, before, after, n, wrap):
    """The rows or columns of the input for rows or columns lo to hi of the result, and the position of lo among
    them."""
    if math.inf in (before, after):
        return np.arange(n), lo
    if wrap:
        return np.arange(lo - before, hi + after) % n, before
    first = max(0, lo - before)
    return np.arange(first, min(n, hi + after)), lo - first


def tile(text, operands, reach, ys, xs):
    """Tile ys, xs of the program's result, computed from a part of the tiled operands."""
    parts, skip = [], None
    for i, a in enumerate(operands):
        if i in reach.tiled:
            rows, top = indices(*ys, reach.above, reach.below, a.shape[0], reach.wrap_y)
            columns, left = indices(*xs, reach.left, reach.right, a.shape[1], reach.wrap_x)
            a, skip = np.ascontiguousarray(a[rows][:, columns]), skip or (top, left)
        parts.append(a)
    got = gf.run(text, *parts)
    top, left = skip
    return got[top:top + ys[1] - ys[0], left:left + xs[1] - xs[0]]


def cuts(n):
    """The places at which a side is cut into tiles, including tiles of one pixel."""
    return sorted({0, n, *rnd.sample(range(1, n), min(3, n - 1)), 1, n - 1})


def differing(text, operands, reach, tiles=None):
    """The tiles that differ from the whole, among all tiles or among a given number."""
    whole = gf.run(text, *operands)
    height, width = whole.shape[:2]
    ys, xs = cuts(height) if height > 1 else [0, 1], cuts(width) if width > 1 else [0, 1]
    all_tiles = [((y, v), (x, u)) for y, v in zip(ys, ys[1:]) for x, u in zip(xs, xs[1:])]
    if tiles is not None:
        all_tiles = rnd.sample(all_tiles, min(tiles, len(all_tiles)))
    bad = []
    for y, x in all_tiles:
        got = tile(text, operands, reach, y, x)
        want = whole[slice(*y), slice(*x)]
        assert got.shape == want.shape, (text, reach, y, x)
        if got.tobytes() != np.ascontiguousarray(want).tobytes():
            bad.append((y, x))
    return bad


def picture(dtype, height, width, channels=1, seed=0):
    random_ = np.random.default_rng(seed)
    shape = (height, width) if channels == 1 else (height, width, channels)
    if dtype == "f4":
        return random_.normal(10, 50, shape).astype("f4")
    return random_.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def mask_text(dims=None):
    w, h = dims or (rnd.randint(1, 6), rnd.randint(1, 6))
    rows = [" ".join(str(rnd.choice((-3, -1, 1, 2, 5))) for _ in range(w)) for _ in range(h)]
    return w, h, "'" + "; ".join(rows) + "'"


def filter_step(border, valid=False):
    """A random filter with its parameters."""
    name = rnd.choice(("correlate", "convolve", "gaussian", "box", "sharpen", "unsharp", "sobel", "scharr", "prewitt",
                       "laplacian", "log", "emboss"))
    text = name
    if name in ("correlate", "convolve"):
        w, h, mask = mask_text()
        text += f" mask={mask} normalize=abs-sum"
        if rnd.random() < 0.6:
            text += f" anchor={rnd.randrange(w)},{rnd.randrange(h)}"
        if valid and rnd.random() < 0.4:
            return text + " size=valid"
    elif name in ("gaussian", "unsharp", "log"):
        least = 0.2 if name == "log" else 0
        text += f" sigma={rnd.uniform(least, 1.5):.2f},{rnd.uniform(least, 1.5):.2f} truncate={rnd.uniform(1, 4):.2f}"
    elif name == "box":
        text += f" size={rnd.randint(1, 6)}x{rnd.randint(1, 6)}"
    if name in ("sobel", "scharr", "prewitt", "laplacian", "log"):
        text += " dtype=u8"
    return text + f" border={border}"


def program(border):
    """A random chain, with other borders among them unless it is wrap, and steps that look nowhere."""
    steps = []
    for _ in range(rnd.randint(1, 3)):
        one = border if border == "wrap" else rnd.choice(BORDERS[:4])
        steps.append(filter_step(one, valid=border != "wrap"))
        if rnd.random() < 0.3:
            steps.append(rnd.choice(("map scale=0.7 offset=3", "copy", "map gamma=0.8")))
    if rnd.random() < 0.2:
        steps.append("threshold value=90 channels=each")
    return " | ".join(steps)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("dtype, channels", [("u1", 1), ("f4", 1), ("u2", 3), ("u1", 4)])
def test_tiles_of_random_filters_are_exact(border, dtype, channels):
    for seed in range(5):
        a = picture(dtype, rnd.randint(24, 40), rnd.randint(24, 40), channels, seed)
        text = program(border)
        if dtype == "f4":
            text = text.replace("dtype=u8", "dtype=f32")
        if dtype == "u2":
            text = text.replace("dtype=u8", "dtype=u16")
        reach = gf.reach(text, a)
        assert differing(text, [a], reach, 9) == [], (text, reach)
        if border == "wrap":
            assert math.inf not in reach[:4]


def branches(border):
    """A random program in which each step takes the output of any earlier step or one of two pictures."""
    steps = []
    for i in range(rnd.randint(2, 6)):
        def source(i=i):
            return rnd.choice(["@0", "@1", *[f"#{k + 1}" for k in range(i)]])
        if i and rnd.random() < 0.35:
            steps.append(f"combine src={source()} other={source()} mode={rnd.choice(('linear', 'absdiff', 'max'))} a=0.5")
        else:
            one = border if border == "wrap" else rnd.choice(BORDERS[:4])
            name, _, rest = filter_step(one).replace("dtype=u8", "dtype=f32").partition(" ")
            steps.append(f"{name} src={source()} {rest}")
    return " | ".join([*steps, "combine src=@0 other=@1 mode=max", f"combine src=#{len(steps)} other=#{len(steps) + 1}"])


@pytest.mark.parametrize("border", BORDERS)
def test_tiles_of_programs_with_branches(border):
    for seed in range(12):
        height, width = rnd.randint(16, 40), rnd.randint(16, 40)
        pictures = [picture("f4", height, width, 1, 2 * seed + k) for k in range(2)]
        text = branches(border)
        reach = gf.reach(text, *pictures)
        assert reach.tiled == (0, 1)
        assert differing(text, pictures, reach, 6) == [], (text, reach)


def test_steps_that_nobody_reads_run_too():
    a, b = picture("f4", 20, 20), picture("f4", 20, 20, seed=1)
    for text in ("combine other=@1 | sobel src=@0", "correlate mask='1 2 3 4 5 6 7' size=valid | sobel src=@0"):
        reach = gf.reach(text, *[a, b][:1 + text.count("@1")])
        if math.inf not in reach[:4]:
            assert differing(text, [a, b][:1 + text.count("@1")], reach) == []
        else:
            assert reach[:4] == (math.inf, math.inf, 1, 1) and bands_differ(text, a, reach, 0) == 0


@pytest.mark.parametrize("border", BORDERS)
def test_pictures_smaller_than_the_mask(border):
    a = picture("u1", 5, 7)
    for text in (f"gaussian sigma=3 border={border}", f"box size=9x12 border={border}",
                 f"box size=4x2 border={border} | gaussian sigma=2,1 border={border}",
                 f"median size=6x5 border={border} | rank index=1 size=3x2 border={border}",
                 f"correlate mask={mask_text((11, 13))[2]} normalize=abs-sum anchor=10,2 border={border}"):
        assert differing(text, [a], gf.reach(text, a)) == [], text


TEXTS = {  # the exact reach of each: with one pixel less the result differs
    "sobel": "u1", "scharr": "f4", "prewitt": "u1", "laplacian connectivity=8": "u1", "laplacian": "f4",
    "emboss": "u1", "sharpen": "u1", "gaussian sigma=1.3,0.6": "f4", "unsharp sigma=0.6,1.2 amount=3": "f4",
    "log sigma=1,0.7": "f4", "box size=4x7": "u1", "box size=3x2 border=reflect101": "f4",
    "correlate mask='1 2 3 4; 3 1 1 2; 1 1 2 1' anchor=0,2": "f4",
    "convolve mask='1 2 3 4; 3 1 1 2; 1 1 2 1' anchor=0,2": "f4",
    "correlate mask='1 2 3; 3 1 2; 1 1 2' anchor=2,0 border=reflect": "f4",
    "convolve mask='1 2 3; 3 1 2; 1 1 2' anchor=2,0 border=reflect101": "f4",
    "correlate mask='1 2 3 4; 3 1 1 2' size=valid": "f4",
    "gaussian sigma=0.7 border=wrap": "f4", "box size=5x4 border=wrap | sobel border=wrap dtype=f32": "f4",
    "gaussian sigma=0.6 | sobel": "f4", "box size=2 | box size=3 | correlate mask='1 2 3' size=valid": "f4",
    "gaussian sigma=0.6 | box src=@0 size=7x1 | combine src=#1 other=#2": "f4",
}


@pytest.mark.parametrize("text", TEXTS)
def test_no_halo_is_larger_than_it_has_to_be(text):
    a = picture(TEXTS[text], 31, 37, seed=5)
    reach = gf.reach(text, a)
    assert differing(text, [a], reach) == [], reach
    for side in ("left", "right", "above", "below"):
        pixels = getattr(reach, side)
        if pixels > 0:
            smaller = reach._replace(**{side: pixels - 1})
            assert too_small(text, a, smaller), (text, side, reach)


def too_small(text, a, reach):
    """Whether some tile of one pixel differs or has no room for the mask."""
    whole = gf.run(text, a)
    height, width = whole.shape[:2]
    for y in (0, 1, height // 2, height - 1):
        for x in (0, 1, width // 2, width - 1):
            try:
                got = tile(text, [a], reach, (y, y + 1), (x, x + 1))
            except gf.errors.BadView:
                return True
            if got.shape != (1, 1) or got.tobytes() != whole[y:y + 1, x:x + 1].tobytes():
                return True
    return False


@pytest.mark.parametrize("op", ["convolve1d", "correlate1d"])
@pytest.mark.parametrize("axis", ["rows", "cols"])
@pytest.mark.parametrize("dtype", ["f4", "u1", "i4"])
def test_kernels(op, axis, dtype):
    a = picture(dtype, 30, 33, seed=3) if dtype != "i4" else picture("u1", 30, 33).astype("i4") - 100
    kernel = np.arange(1, 8).astype(dtype)
    for mode in ("same border=reflect anchor=5", "same border=wrap anchor=0", "same border=reflect101", "valid", "full"):
        text = f"{op} axis={axis} mode={mode}"
        reach = gf.reach(text, a, kernel)
        assert reach.tiled == (0,) and max(reach[:4]) in (3, 5, 6)
        assert differing(text, [a, kernel], reach, 12) == [], text


def test_two_pictures_are_cut_alike():
    a, b = picture("u1", 40, 40, seed=1), picture("u1", 40, 40, seed=2)
    for text in ("combine other=@1 mode=absdiff", "gaussian sigma=1 | combine other=@1 b=-1 | sobel dtype=u8",
                 "box size=5 | combine src=@1 other=#1 mode=max"):
        reach = gf.reach(text, a, b)
        assert reach.tiled == (0, 1)
        assert differing(text, [a, b], reach, 12) == [], text


def test_tables_and_masks_are_whole():
    a, table = picture("u1", 30, 30), np.arange(255, -1, -1, dtype=np.uint8)
    reach = gf.reach("map table=@1", a, table)
    assert reach == (0, 0, 0, 0, False, False, (0,))
    assert differing("map table=@1", [a, table], reach) == []
    mask = np.float32([[1, 2, 1], [0, 1, 5]])
    reach = gf.reach("correlate normalize=sum", a, mask)
    assert reach == (1, 1, 1, 0, False, False, (0,))
    assert differing("correlate normalize=sum", [a, mask], reach) == []


def test_rows_and_columns():
    """A program that needs whole rows may be cut into bands of rows, and one that needs whole columns into columns."""
    a = picture("f4", 30, 33)
    for text, wide in (("scan axis=rows", True), ("recurrence a=0.5 axis=cols", False),
                       ("gaussian sigma=1 | scan axis=rows reverse=1 | sobel", True),
                       ("box size=3x5 border=wrap | sobel", None)):
        reach = gf.reach(text, a)
        inf = [side == math.inf for side in reach[:4]]
        assert inf == ([True] * 4 if wide is None else [wide, wide, not wide, not wide])
        if wide is not None:
            assert bands_differ(text, a, reach, 0 if wide else 1) == 0


def bands_differ(text, a, reach, axis):
    """Bands of whole rows (axis 0) or columns, and how many differ."""
    whole, n, bad = gf.run(text, a), 0, a.shape[axis]
    for lo in range(0, bad, 7):
        hi = min(lo + 7, bad)
        other = (0, whole.shape[1 - axis])
        ys, xs = ((lo, hi), other) if axis == 0 else (other, (lo, hi))
        got = tile(text, [a], reach, ys, xs)
        n += got.tobytes() != np.ascontiguousarray(whole[slice(*ys), slice(*xs)]).tobytes()
    return n


def test_every_operation_has_a_reach():
    """For each operation with its defaults, tiles are exact or the whole picture is needed."""
    f, g = picture("f4", 20, 24), picture("f4", 20, 24, seed=9)
    everything = set()
    for name, op in _program.OPS.items():
        a = f.astype("u1") if name in ("equalize", "clahe", "canny", "match") else f[:, :20].copy() if name == "matmul" else f
        if name in ("ycbcr", "hsv", "rgb", "nv12", "i420", "histogram2d"):
            a = np.dstack([f, g, f])
        more = {"coefs": [np.ones((1, 2) if name == "matrix" else (3, 3), "f4")], "list": [], "matrix": [g[:, :20].copy() if name == "matmul" else g[:1]],
                "image": [g], "buffer": [g]}[op.inputs[1].kind] if op.inputs[1:] and not op.inputs[1].optional else []
        if name == "rgb420":
            more = [np.dstack([g[::2, ::2]] * 2)]
        if name == "match":
            more = [g[:5, :7].astype("u1")]
        text = name + {"histogram": " bins=4", "histogram2d": " bins=4", "pad": " margin=2",
                       "resize": " size=9x7", "rank": " index=-2", "percentile": " percent=30",
                       "expr": " 'a*2 + ch'"}.get(name, "")
        reach = gf.reach(text, a, *more)
        if set(reach[:4]) == {math.inf}:
            everything.add(name)
        elif math.inf not in reach[:4]:
            assert differing(text, [a, *more], reach, 6) == [], name
        else:
            assert name in ("matmul", "flip")
    assert everything == {"threshold", "equalize", "autocontrast", "histogram", "histogram2d", "quantile", "reduce",
                          "stats", "dot", "compare", "scan", "recurrence", "integral", "select", "pad", "rotate",
                          "transpose", "resize", "nv12", "i420", "rgb420", "label", "distance", "canny", "pyramid",
                          "sort", "argsort", "topk", "clahe", "match"}


def test_expressions_look_where_places_are():
    """Columns and widths need whole rows, rows and heights whole columns; samples alone nothing around them."""
    a, b = picture("u1", 30, 33, 4), picture("u1", 30, 33, seed=3)
    for text, wanted in (("a*2 - b", (0,) * 4), ("a + ch", (0,) * 4), ("a + x", (math.inf, math.inf, 0, 0)),
                         ("a*w", (math.inf, math.inf, 0, 0)), ("a + y/h", (0, 0, math.inf, math.inf)),
                         ("x + y", (math.inf,) * 4), ("a[2], a[0] + b", (0,) * 4)):
        operands = [a, b] if "b" in text else [a]
        program = f"expr '{text}'" + (" b=@1" if "b" in text else "")
        reach = gf.reach(program, *operands)
        assert reach[:4] == wanted, text
        assert differing(program, operands, reach) == [], text


def test_places():
    """Pixels that stay in their places along an axis may be tiled there."""
    a, everything = picture("u1", 30, 33, 3), (math.inf,) * 4
    rows, columns = (math.inf, math.inf, 0, 0), (0, 0, math.inf, math.inf)
    for text, wanted in (("flip axis=x", rows), ("flip axis=y", columns), ("flip axis=both", everything),
                         ("crop at=4,0", rows), ("crop at=0,3", columns), ("crop at=4,3", everything),
                         ("crop", (0,) * 4), ("crop size=33x30", everything), ("crop size=33x20", everything),
                         ("pad margin=3,0", rows), ("pad margin=0,0,0,2 border=wrap", columns), ("pad margin=0", (0,) * 4),
                         ("rotate angle=180", everything), ("rotate", everything), ("transpose", everything),
                         ("flip axis=x | box size=3", (math.inf, math.inf, 1, 1)), ("gray | sobel", (1,) * 4)):
        reach = gf.reach(text, a)
        assert reach[:4] == wanted, text
        if math.inf not in wanted:
            assert differing(text, [a], reach, 6) == [], text
        elif wanted != everything:
            assert bands_differ(text, a, reach, 0 if wanted[0] else 1) == 0, text


def test_a_halo_for_all_when_weights_vanish():
    """The documented excess: outer weights of a gaussian that are 0 in f32 count as part of the reach."""
    reach = gf.reach("gaussian sigma=0.3 truncate=60")
    assert reach.left == 18
    a = picture("f4", 40, 50)
    assert differing("gaussian sigma=0.3 truncate=60", [a], reach._replace(left=5, right=5, above=5, below=5)) == []
    assert gf.reach("sharpen amount=0").above == 1


def test_operands_may_be_left_out_or_shapes_alone():
    assert gf.reach("gaussian sigma=2 | sobel") == (9, 9, 9, 9, False, False, (0,))
    assert gf.reach("equalize")[:4] == (math.inf,) * 4
    assert gf.reach("recurrence axis=rows")[:4] == (math.inf, math.inf, 0, 0)
    assert gf.reach("copy channel=3")[:4] == (0, 0, 0, 0)
    assert gf.reach("threshold value=3 | box size=3")[:4] == (1, 1, 1, 1)

    class Shape:
        shape, dtype = (100, 200, 3), np.dtype("u1")
    assert gf.reach("box size=3x5 border=wrap", Shape) == (1, 1, 2, 2, True, True, (0,))
    pipe = gf.pipe(None).correlate(np.ones((3, 5), "f4"), normalize="sum")
    assert gf.reach(pipe, Shape)[:4] == (2, 2, 1, 1)
    stack = picture("f4", 6, 10)[None].repeat(5, 0)
    assert gf.reach("sobel", stack)[:4] == (1, 1, 1, 1)


def test_wrong_use():
    a = picture("u1", 9, 9)
    says(gf.errors.BadParam, "sigma=-1", lambda: gf.reach("gaussian sigma=-1", a))
    says(gf.errors.BadParam, "sigma=-1", lambda: gf.reach("gaussian sigma=-1"))
    says(gf.errors.BadRequest, "mask", lambda: gf.reach("correlate"))
    says(TypeError, "a program is text", lambda: gf.reach(3))
    says(ValueError, "the pipe has no steps", lambda: gf.reach(gf.pipe(a)))
    says(TypeError, "a pipe already has its further operands; 1 more", lambda: gf.reach(gf.pipe(a).sobel(), a, a))
    says(TypeError, "uint8, uint16, int16, float32 and float16", lambda: gf.reach("sobel", a.astype("f8")))
