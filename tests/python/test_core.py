# SPDX-License-Identifier: MIT
"""Functions, shapes, layouts, dtypes, `out`, stacks and errors."""
import inspect
import os
import pickle
import subprocess

import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says
from gpufilter import _library, _ops, _program

DTYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


# ---- the same bits as the command's ----

@pytest.mark.parametrize("text, options", [
    ("gaussian", ["--sigma", "2,1", "--border", "wrap"]), ("box", ["--size", "5x3"]), ("unsharp", ["--amount", "1.7"]),
    ("sobel", ["--output", "dx", "--dtype", "i16"]), ("threshold", ["--value", "100"]),
    ("map", ["--gamma", "0.45", "--dtype", "f32", "--range", "full"]),
    ("correlate", ["--mask", "1 2 1; 0 0 0; -1 -2 -1", "--normalize", "abs-sum", "--dtype", "f32"])])
def test_same_bits_as_the_command(text, options, rgb, tmp_path):
    np.save(tmp_path / "in.npy", rgb)
    command = [os.environ["GF_CLIENT"], text, *options, str(tmp_path / "in.npy"), str(tmp_path / "out.npy")]
    subprocess.run(command, check=True)
    values = {key[2:].replace("-", "_"): value for key, value in zip(options[::2], options[1::2])}
    for key in ("sigma", "size"):
        if key in values:
            values[key] = [float(v) for v in values[key].replace("x", ",").split(",")]
    for key in ("amount", "value", "gamma"):
        if key in values:
            values[key] = float(values[key])
    if "mask" in values:
        values["mask"] = [[float(v) for v in row.split()] for row in values["mask"].split(";")]
    got = getattr(gf, text)(rgb, **values)
    same(got, np.load(tmp_path / "out.npy").reshape(got.shape))


def test_every_operation_is_a_function():
    assert set(_program.OPS) <= set(gf.__all__)
    for name, op in _program.OPS.items():
        function = getattr(gf, name)
        signature = inspect.signature(function)
        assert [p for p in signature.parameters if p in [param.name for param in op.params]]
        assert {p: signature.parameters[p].default for p in signature.parameters
                if p in [x.name for x in op.params]} == {x.name: x.name == "last_closed" or x.default for x in op.params}
        for param in op.params:
            assert f"\n{param.name}: " in inspect.getdoc(function)
        assert hasattr(gf.Pipe, name)
    assert set(_ops.__all__) <= set(dir(gf))


def test_defaults_in_the_table_are_those_of_the_library(grey):
    """Each parameter, given as its default, is accepted and changes nothing."""
    matrix = np.arange(31 * 45, dtype="f4").reshape(31, 45)
    for name, op in _program.OPS.items():
        of_bytes = name in ("equalize", "clahe", "histogram", "histogram2d", "canny", "match")
        picture = grey if of_bytes else grey.astype("f4")
        inputs = {"image": picture, "buffer": picture, "coefs": [[1, 2, 1]], "matrix": matrix}
        given = [inputs[i.kind] for i in op.inputs if not i.optional]
        if name in ("ycbcr", "hsv", "rgb", "nv12", "i420", "histogram2d"):
            given[0] = np.dstack([picture] * 3)
        if name == "rgb420":
            given[1] = np.dstack([picture[::2, ::2]] * 2)
        if name == "matrix":
            given[1] = [[2]]
        if name in ("convolve1d", "correlate1d"):
            given[1] = np.array([1, 2, 1], "f4")
        if name == "matmul":
            given[1] = given[1].T.copy()
        needed = {"pad": {"margin": 3}, "resize": {"size": (20, 30)}, "rank": {"index": -1},
                  "percentile": {"percent": 30}, "expr": {"expression": "a*2"}}.get(name, {})
        values = " ".join(f"{p.name}={_program._value(op, p, needed.get(p.name, p.default))}" for p in op.params
                          if p.default is not None or p.name in needed)
        wanted = getattr(gf, name)(*given, **needed)
        refs = " ".join(f"{i.name}=@{k}" for k, i in enumerate(op.inputs) if k and not i.optional)
        got = gf.run(f"{name} {refs} {values}", *given)
        for a, b in zip(*[x if isinstance(x, tuple) else (x,) for x in (got, wanted)]):
            same(a, b)


# ---- quantiles and pairs ----

def test_quantiles_have_the_shapes_of_numpy(rgb):
    picture, row, some = rgb[..., 0].copy(), np.arange(70000, dtype="f8")[::-1].copy(), [0.1, 0.5]
    for array, wanted in ((picture, ()), (row, ()), (rgb, (3,))):
        axes = (0, 1) if array.ndim == 3 else None
        assert gf.quantile(array).shape == wanted
        same(gf.quantile(array), np.quantile(array, 0.5, axis=axes))
        same(gf.quantile(array, some), np.quantile(array, some, axis=axes))
    same(gf.quantile(picture, axis="rows"), np.quantile(picture, 0.5, axis=1))
    same(gf.quantile(picture, some, axis="rows"), np.quantile(picture, some, axis=1).T)
    same(gf.quantile(picture, some, axis="cols"), np.quantile(picture, some, axis=0))
    same(gf.quantile(rgb, axis="cols"), np.quantile(rgb, 0.5, axis=0))
    ends = [0, 5, 30000, 70000]
    parts = np.array([np.quantile(part, some) for part in np.split(row, ends[1:-1])]).T
    same(gf.quantile(row, some, segments=ends), parts)
    same(gf.quantile(row, some[0], segments=ends), parts[0])


def test_pairs_are_counted_as_by_numpy(rgb):
    red, green = rgb[..., 0].copy(), rgb[..., 1].copy()
    wanted = np.histogram2d(red.ravel(), green.ravel(), (8, 5), [(0, 256), (10, 200)])
    for got in (gf.histogram2d(rgb, (8, 5), (0, 10), (256, 200)),
                gf.histogram2d(red, (8, 5), (0, 10), (256, 200), src2=green)):
        same(got.counts, wanted[0].astype("i8"))
        same(got.edges, wanted[1])
        same(got.edges2, wanted[2])
        assert list(got.outside) == [red.size - wanted[0].sum(), 0]
    assert gf.histogram2d(rgb, (1, 4), channels=(3, 1)).counts.shape == (1, 4)


# ---- what arrays become ----

@pytest.mark.parametrize("dtype", (*DTYPES, "f2"))
@pytest.mark.parametrize("layout", ["c", "fortran", "reversed", "columns", "rows", "transposed", "swapped", "unaligned",
                                    "read-only", "broadcast"])
def test_layouts(dtype, layout):
    base = np.arange(24 * 30).reshape(24, 30).astype(dtype)
    array = {"c": base, "fortran": np.asfortranarray(base), "reversed": base[::-1, ::-1], "columns": base[:, ::3],
             "rows": base[::2, 3:20], "transposed": base.T, "swapped": base.astype(np.dtype(dtype).newbyteorder()),
             "read-only": base.copy(), "broadcast": np.broadcast_to(base[3], (5, 30)),
             "unaligned": np.frombuffer(b"x" + base.tobytes(), dtype, base.size, 1).reshape(base.shape)}[layout]
    array.flags.writeable = array.flags.writeable and layout != "read-only"
    before = array.copy()
    same(gf.copy(array), np.ascontiguousarray(array).astype(dtype))
    if dtype == "f2":  # read and stored
        return
    same(np.asarray(gf.reduce(array, "sum")), np.asarray(array.astype(dtype).sum(dtype=dtype[0] + "8")))
    assert (array == before).all()


def test_shapes_of_pictures(grey, rgb):
    assert gf.box(grey).shape == grey.shape
    assert gf.box(rgb).shape == rgb.shape
    assert gf.box(grey[0]).shape == (45,)
    assert gf.box(grey[:, :, None]).shape == (31, 45, 1)
    assert gf.threshold(rgb).shape == (31, 45)
    assert gf.threshold(rgb, channels="each").shape == rgb.shape
    assert gf.copy(rgb, channel=2).shape == (31, 45)
    same(gf.copy(rgb, channel=2), np.ascontiguousarray(rgb[:, :, 1]))
    assert gf.correlate(grey, np.ones((3, 5)), size="valid").shape == (29, 41)
    assert gf.integral(grey, pad=True).shape == (32, 46)
    same(gf.integral(grey), grey.cumsum(0).cumsum(1).astype("u4"))
    narrow = rgb[:, :3]  # three columns, three channels
    same(gf.copy(narrow, channel_axis=-1), np.ascontiguousarray(narrow))
    assert gf.box(narrow[..., 0], channel_axis=None).shape == (31, 3)


def test_shapes_of_tables(grey, rgb):
    row = grey[0].astype("i4")
    assert gf.reduce(row) == row.sum() and np.ndim(gf.reduce(row)) == 0
    same(gf.reduce(grey, "max", axis="rows"), grey.max(1))
    same(gf.reduce(grey, "max", axis="cols"), grey.max(0))
    same(gf.reduce(rgb, "max"), rgb.max((0, 1)))
    same(gf.reduce(rgb, "max", axis="cols"), rgb.max(0))
    same(gf.reduce(row, "min", segments=[0, 7, 20, 45]), np.array([row[:7].min(), row[7:20].min(), row[20:].min()]))
    assert gf.dot(row.astype("f8"), row.astype("f8")) == (row.astype("f8") ** 2).sum()
    counts, outside, edges = gf.histogram(grey, 8, 0, 256)
    same(counts, np.histogram(grey, 8, (0, 256))[0].astype("i8"))
    same(edges, np.linspace(0, 256, 9))
    assert outside.tolist() == [0, 0, 0]
    assert gf.histogram(rgb, bins=8).counts.shape == (3, 8)
    assert gf.histogram(rgb, bins=8).edges.shape == (9,)
    assert gf.histogram(rgb, bins=8, channels="luma").counts.shape == (8,)
    same(gf.histogram(row, edges=[0, 100, 200, 256]).counts, np.histogram(row, [0, 100, 200, 256])[0].astype("i8"))
    stats = gf.stats(rgb)
    assert stats.counts.shape == (3, 4) and stats.range.shape == (3, 2) and stats.sums.shape == (3,)
    same(stats.sums, rgb.sum((0, 1)).astype("u8"))
    assert gf.stats(grey).sums == grey.sum() and gf.stats(grey).reals.shape == (6,)
    same(stats.max, rgb.max((0, 1)))
    assert stats.mean.tolist() == (rgb.sum((0, 1)) / rgb[..., 0].size).tolist()
    assert stats.count.tolist() == np.count_nonzero(rgb, (0, 1)).tolist() and gf.stats(grey).argmax == grey.argmax()
    compared = gf.compare(rgb, rgb ^ 1)
    assert compared.different.tolist() == [rgb[..., 0].size] * 3 and compared.equal.tolist() == [0, 0, 0]
    assert compared.max.tolist() == [1, 1, 1] and compared.mse.tolist() == [1, 1, 1]
    same(gf.scan(row), row.cumsum().astype("i8"))
    same(gf.matmul(np.eye(3, 4), np.ones((4, 2))), np.eye(3, 4) @ np.ones((4, 2)))
    same(gf.convolve1d(row, [1, 2, 3], mode="full"), np.convolve(row, [1, 2, 3]))


def test_label_is_cut(grey):
    mask = grey > 200
    made = gf.label(mask.view("u1"), "8")
    assert made.labels.max() == made.count == len(made.areas) and made.boxes.shape == (made.count, 4)
    assert made.areas.sum() == mask.sum() and made.areas.dtype == made.boxes.dtype == made.labels.dtype == np.int32
    x, y, width, height = made.boxes[4].tolist()
    rows, columns = np.nonzero(made.labels == 5)
    assert (x, y, width, height) == (columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1)
    few = gf.label(mask.view("u1"), "8", capacity=3)
    assert few.areas.tolist() == made.areas[:3].tolist() and few.count == made.count
    assert gf.label(np.zeros((3, 5), "u1")).boxes.shape == (0, 4)


def test_match_finds(grey, rgb):
    made = gf.match(grey, grey[5:12, 9:14].copy(), peaks=9, threshold=0.5)
    assert made.scores.shape == (grey.shape[0] - 6, grey.shape[1] - 4) and made.scores.dtype == np.float32
    assert made.found.dtype == np.float64 and made.found.shape == (min(made.count, 9), 3)
    assert made.found[0].tolist() == [9, 5, 1] and (made.found[:, 2] >= 0.5).all()
    assert gf.match(grey, np.zeros((3, 4), "u1"), threshold=0.1).found.shape == (0, 3)
    x, y, score = gf.match(rgb, rgb[3:9, 2:7].copy(), "sqdiff").found[0].tolist()
    assert (x, y, score) == (2, 3, 0)


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8"])
def test_order(grey, dtype):
    x = (grey.astype("f8") - 100).astype(dtype)
    for axis, along in (("rows", 1), ("cols", 0), ("all", None)):
        order = np.argsort(x, along, "stable").reshape(grey.shape)
        assert np.array_equal(gf.sort(x, axis), np.sort(x, along, "stable").reshape(grey.shape))
        assert np.array_equal(gf.argsort(x, axis), order)
        top, flat = gf.topk(x, 5, axis, smallest=True), order if along is not None else order.reshape(1, -1)
        assert np.array_equal(top.indices, flat[:5] if along == 0 else flat[:, :5] if along == 1 else flat[0, :5])
    assert gf.sort(x, descending=True).tobytes() == gf.sort(x).ravel()[::-1].tobytes()


def test_order_of_floats():
    x = np.array([1, -0.0, np.nan, 0.0, -np.inf, -0.0, np.inf], "f4")
    x.view("u4")[2] |= 0x80000007  # a NaN with a sign and something to carry
    assert gf.argsort(x).tolist() == [4, 1, 3, 5, 0, 6, 2]
    assert gf.argsort(x, descending=True).tolist() == [6, 0, 1, 3, 5, 4, 2]
    assert gf.sort(x).view("u4")[-1] == 0x7FC00000 and np.signbit(gf.sort(x)[1:4]).tolist() == [True, False, True]
    assert gf.topk(x, 7).indices.tolist() == gf.argsort(x, descending=True).tolist()
    with pytest.raises(gf.Error, match="topk: k=8, but its channels have 7 samples; allowed: 1..7"):
        gf.topk(x, 8)


def test_select_is_cut(grey, rgb):
    values, indices, count = gf.select(grey, lo=10, hi=99)
    mask = (grey >= 10) & (grey <= 99)
    same(values, grey[mask])
    same(indices, np.flatnonzero(mask).astype("i8"))
    assert count == mask.sum()
    values, _, counts = gf.select(rgb, lo=250)
    assert counts.tolist() == (rgb >= 250).sum((0, 1)).tolist() and values.shape == (3, counts.max())
    assert gf.select(grey, lo=300).values.shape == (0,)
    assert gf.select(grey, capacity=5).values.shape == (5,) and gf.select(grey, capacity=5).count == grey.size


def test_stacks(grey, rgb):
    stack = np.stack([np.roll(grey, k, 0) for k in range(40)]).reshape(8, 5, 31, 45)
    wanted = np.stack([gf.gaussian(one, sigma=1.5) for one in stack.reshape(40, 31, 45)]).reshape(stack.shape)
    same(gf.gaussian(stack, sigma=1.5), wanted)
    out = np.zeros((8, 5, 31, 90), np.uint8)[..., 20:65]
    assert gf.gaussian(stack, sigma=1.5, out=out) is out and (out == wanted).all()
    colours = np.stack([rgb, rgb[::-1]])
    same(gf.copy(colours), colours)
    same(gf.reduce(stack, "max"), stack.max((2, 3)))
    same(gf.combine(stack, grey, mode="absdiff"), np.abs(stack.astype(int) - grey).astype("u1"))
    same(gf.combine(stack, stack, mode="min"), stack)
    shared = gf.empty(stack.shape, "u1")
    shared[:] = stack
    same(gf.gaussian(shared, sigma=1.5), wanted)
    assert gf.default_client().times().n_copied == 0
    says(ValueError, "combine: other is a stack of (2,); it must be one picture, or a stack like the first input: (8, 5)",
         lambda: gf.combine(stack, stack[0, :2]))


def test_memory_that_the_daemon_shares(grey):
    picture = gf.empty(grey.shape, grey.dtype)
    picture[:] = grey
    client = gf.default_client()
    got = gf.gaussian(picture)
    assert client.owns(got) and client.owns(got[3:7, 2:]) and not client.owns(grey)
    assert client.times().n_copied == 0 and client.times().device == "cpu"
    same(np.array(got), gf.gaussian(grey))
    part = gf.box(picture[4:20, 3:33])
    assert client.times().n_copied == 0
    same(np.array(part), gf.box(grey[4:20, 3:33]))
    assert gf.empty((3, 0), "f4").shape == (3, 0) and gf.empty(4).dtype == np.float64
    says(TypeError, "empty: operations do not accept dtype complex64", lambda: gf.empty((2, 2), "c8"))
    says(ValueError, "empty: shape=(2, -1) has a negative side", lambda: gf.empty((2, -1), "u1"))


def test_out(grey, rgb):
    out = np.zeros_like(grey)
    assert gf.box(grey, out=out) is out
    same(out, gf.box(grey))
    wide = np.full((31, 60), 7, np.uint8)
    gf.box(grey, out=wide[:, 5:50])
    same(np.ascontiguousarray(wide[:, 5:50]), out)
    assert (wide[:, :5] == 7).all() and (wide[:, 50:] == 7).all()
    counts = np.zeros(256, np.int64)
    result = gf.histogram(grey, out=(counts, None, None))
    assert result.counts is counts and counts.sum() == grey.size
    read_only = np.zeros_like(grey)
    read_only.flags.writeable = False
    for kind, text, bad in [
            (ValueError, "box: out for dst is read-only; it must be writeable", read_only),
            (ValueError, "box: out for dst has shape (31, 44); the result has (31, 45)", np.zeros((31, 44), "u1")),
            (TypeError, "box: out for dst has dtype uint16; the result has uint8", np.zeros((31, 45), "u2")),
            (TypeError, "box: out for dst is a list; it must be a numpy.ndarray", [1]),
            (ValueError, "the samples of each row must lie without gaps", np.zeros((31, 90), "u1")[:, ::2]),
            (ValueError, "the samples of each row must lie without gaps", np.zeros((45, 31), "u1").T),
            (ValueError, "the samples of each row must lie without gaps", np.zeros((31, 45), "u1")[::-1]),
            (ValueError, "box: out for dst overlaps src; give other memory", grey)]:
        says(kind, text, lambda: gf.box(grey, out=bad))
    says(ValueError, "overlaps src", lambda: gf.box(wide[:, :45], out=wide[:, 15:]))
    gf.box(wide[:15, :45], out=wide[16:, 15:][:15])
    says(ValueError, "out has 1 arrays; there are 3 results", lambda: gf.histogram(grey, out=(counts,)))
    says(TypeError, "out is a ndarray; for 3 results it is a tuple of arrays or None",
         lambda: gf.histogram(grey, out=counts))
    says(ValueError, "combine: out for dst overlaps operand 1; give other memory",
         lambda: gf.run("gaussian src=@1 | combine other=@0", grey, out, out=out))
    double = np.zeros(300, np.int64)
    says(ValueError, "out for outside overlaps another result",
         lambda: gf.histogram(grey, out=(double[:256], double[255:258], None)))


# ---- what is refused ----

def test_wrong_arrays(grey):
    for kind, text, call in [
            (TypeError, "gaussian: src has dtype object; it takes uint8, uint16, int16, float32 and float16",
             lambda: gf.gaussian(np.array([[None]]))),
            (TypeError, "gaussian: src has dtype float64; it takes", lambda: gf.gaussian(grey.astype("f8"))),
            (TypeError, "equalize: src has dtype float16; it takes", lambda: gf.equalize(grey.astype("f2"))),
            (TypeError, "reduce: src has dtype complex64; it takes uint8, int8", lambda: gf.reduce(grey.astype("c8"))),
            (TypeError, "for a mask, use array.view('uint8') * 255", lambda: gf.gaussian(grey > 5)),
            (ValueError, "gaussian: src has shape (0, 5); every axis must be 1 or longer",
             lambda: gf.run("gaussian", np.zeros((0, 5), "u1"))),
            (ValueError, "gaussian: src is a single number", lambda: gf.gaussian(np.uint8(3))),
            (ValueError, "gaussian: src has 5 channels with channel_axis=-1; allowed: 1 to 4",
             lambda: gf.gaussian(np.zeros((9, 9, 5), "u1"), channel_axis=-1)),
            (ValueError, "use -1 after numpy.moveaxis(array, 0, -1)",
             lambda: gf.gaussian(np.zeros((3, 9, 9), "u1"), channel_axis=0)),
            (ValueError, "channel_axis='last'; allowed: -1, None and 'auto'",
             lambda: gf.gaussian(grey, channel_axis="last")),
            (ValueError, "with channel_axis=-1 it needs two axes or more", lambda: gf.box(grey[0], channel_axis=-1)),
            (ValueError, "correlate: mask has shape (1, 1, 1); a mask has two axes",
             lambda: gf.correlate(grey, [[[1]]])),
            (TypeError, "map: table has dtype int64; it takes uint8, uint16, int16 and float32",
             lambda: gf.map(grey, table=np.arange(256))),
            (ValueError, "matmul: b has shape (4,); a matrix has two axes", lambda: gf.matmul(np.eye(4), np.ones(4))),
            (gf.errors.BadView, "", lambda: gf.combine(grey, grey[:5]))]:
        says(kind, text, call)
    same(np.asarray(gf.reduce(grey > 5, "count")), np.asarray((grey > 5).sum().astype("i8")))


def test_wrong_parameters(grey):
    for kind, text, call in [
            (TypeError, "gaussian: sigma='2' is not a number", lambda: gf.gaussian(grey, sigma="2")),
            (TypeError, "box: size=2.5 is not a whole number", lambda: gf.box(grey, size=2.5)),
            (ValueError, "gaussian: sigma has 3 values; allowed: 1 to 2", lambda: gf.gaussian(grey, sigma=(1, 2, 3))),
            (gf.errors.BadParam, "gaussian: sigma=3000.0 outside 0..2047", lambda: gf.gaussian(grey, sigma=3000)),
            (ValueError, "gaussian: border='a | box' is not a word", lambda: gf.gaussian(grey, border="a | box")),
            (ValueError, "gaussian: border=wrp; allowed: replicate, wrap, reflect",
             lambda: gf.gaussian(grey, border="wrp")),
            (TypeError, "histogram: density='yes' is not True or False", lambda: gf.histogram(grey, density="yes")),
            (TypeError, "unexpected keyword argument 'sgima'", lambda: gf.gaussian(grey, sgima=2)),
            (TypeError, "a program is text, such as 'gaussian sigma=2 | sobel'; it is a int", lambda: gf.run(3, grey)),
            (gf.errors.UnknownOp, "column 1: there is no operation gausian; did you mean gaussian?",
             lambda: gf.run("gausian", grey)),
            (gf.errors.UnknownParam, "column 10: gaussian has no sgima; did you mean sigma?",
             lambda: gf.run("gaussian sgima=2", grey)),
            (gf.errors.BadRequest, "column 1: an operation is missing", lambda: gf.run("", grey)),
            (gf.errors.BadRequest, "box needs src", lambda: gf.run("box")),
            (gf.errors.BadRequest, "no step takes operand 1; 2 were given", lambda: gf.run("box", grey, grey))]:
        says(kind, text, call)
    same(gf.sobel(grey, dtype=np.int16), gf.sobel(grey, dtype="i16"))
    same(gf.sobel(grey, dtype="float32"), gf.sobel(grey))
    same(gf.laplacian(grey, connectivity=8), gf.run("laplacian connectivity=8", grey))
    same(gf.gaussian(grey, border="scipy:mirror"), gf.gaussian(grey, border="reflect101"))
    same(gf.gaussian(grey, sigma=np.float32(0.7)), gf.gaussian(grey, sigma=0.7))
    same(gf.scan(grey, exclusive=True), gf.scan(grey, exclusive=1))


NUMBERS = [np.float64(5), np.float32(5), np.float16(5), np.longdouble(5), np.int8(5), np.uint64(5), np.array(5), np.array(5.0)]


@pytest.mark.parametrize("five", NUMBERS, ids=lambda n: f"{type(n).__name__}-{n.dtype}")
def test_numbers_of_numpy(grey, five):
    """However a numpy number prints, the daemon reads it as a number: as a parameter, in a list, in a mapping."""
    assert gf.pipe(grey).gaussian(five).text == "gaussian sigma=5.0"
    assert gf.pipe(grey).gaussian((five, 2)).box(five).box([five, 9]).text == "gaussian sigma=5.0,2.0 | box size=5 | box size=5,9"
    same(gf.expr(grey, "param gain = 1.0; a*gain", set={"gain": five}), gf.expr(grey, "a*5"))
    same(gf.to_device(grey.astype("f4")) * float(five) - np.float32(five), grey.astype("f4") * 5 - 5)


def test_numbers_keep_their_value(grey):
    """float32 numbers keep their value, integers stay integers, and numpy's bools are True and False."""
    for number, text in ((np.float32(0.1), "0.10000000149011612"), (np.float64(1e-300), "1e-300"), (np.float64(-0.0), "-0.0"),
                         (np.float64(2), "2.0"), (np.int64(2**62 + 1), str(2**62 + 1)), (np.uint64(2**64 - 1), str(2**64 - 1)),
                         (np.True_, "1"), (True, "1"), (7, "7")):
        assert gf.pipe(grey).expr("a", {"gain": number, "n": 1}).text == f"expr expression='a' set='gain={text}, n=1'"
    for number in (np.int64(3), np.uint8(3), np.array(3)):
        same(gf.expr(grey, "param n = 1; a << n", set={"n": number}), gf.expr(grey, "a << 3"))
    for flag in (True, np.True_, 1, np.int32(1), np.float64(1)):
        assert gf.pipe(grey).scan(exclusive=flag).text == "scan exclusive=1"
    assert gf.pipe(grey).scan(exclusive=np.False_).text in ("scan", "scan exclusive=0")
    assert gf.pipe(grey).gaussian(border=np.str_("wrap")).text == "gaussian border=wrap"
    says(TypeError, "expr: set: gain='3' is not a number", lambda: gf.expr(grey, "a", {"gain": "3"}))
    says(TypeError, "expr: set: gain=None is not a number", lambda: gf.expr(grey, "a", {"gain": None}))
    says(TypeError, "box: size=2.5 is not a whole number", lambda: gf.box(grey, np.float64(2.5)))
    says(TypeError, "gaussian: sigma=(1+2j) is not a number", lambda: gf.gaussian(grey, np.complex64(1 + 2j)))


def test_a_call_like_an_earlier_one(grey, rgb):
    """It goes by what was found then; what differs is seen."""
    zero = np.array([[-0.0]], "f4")
    for _ in range(2):
        assert not np.signbit(gf.map(zero)) and not np.signbit(gf.map(zero, offset=0.0))
        assert np.signbit(gf.map(zero, offset=-0.0))
        for value in (0.0, -0.0):
            assert np.signbit(gf.pad(zero + 1, 1, "constant", (value,))[0, 0]) == np.signbit(value)
        same(gf.box(grey, size=3), gf.box(np.asfortranarray(grey), size=[3, 3]))
        same(gf.box(grey[:, :3], channel_axis=None), gf.run("box", np.ascontiguousarray(grey[:, :3])))
        assert gf.box(np.ascontiguousarray(grey[:, :3]), channel_axis=-1).shape == (31, 3)
        same(gf.box(rgb), gf.box(rgb.copy()))
        same(gf.box(rgb[::2]), gf.box(rgb[::2].copy()))
        for array in (grey, grey.astype("u2"), grey.astype("f4")):
            same(gf.copy(array), array)
        out = np.zeros_like(grey)
        assert gf.box(grey, out=out) is out and (out == gf.box(grey)).all()
        says(ValueError, "box: out for dst overlaps src", lambda: gf.box(grey, out=grey))
        out.flags.writeable = False
        says(ValueError, "out for dst is read-only", lambda: gf.box(grey, out=out))
        same(gf.histogram(grey, edges=np.array([0.0, 9, 256])).counts, gf.histogram(grey, edges=[0, 9, 256]).counts)
        same(gf.combine(grey, grey[::-1].copy(), mode="max"), np.maximum(grey, grey[::-1]))
        assert gf.select(grey, lo=1, hi=250).values.size == ((grey > 0) & (grey <= 250)).sum()
        assert np.ndim(gf.reduce(grey, "max")) == 0


def test_errors_are_those_of_the_library():
    named = {}
    for status in range(1, 128):
        name = _library.lib.status_name(status).decode()
        if name != "UNKNOWN":
            named[status] = name
    assert {status: kind.status_name for status, kind in gf.errors.BY_STATUS.items()} == named
    for status, kind in gf.errors.BY_STATUS.items():
        assert kind.__doc__.lower()[:-1] == _library.lib.status_text(status).decode().lower()
        assert kind.__name__ == "".join(word.capitalize() for word in named[status].split("_"))
    error = gf.errors.from_status(25, "too much", 500, 7)
    assert isinstance(error, gf.errors.Quota) and (error.retry, error.needed, str(error)) == (0.5, 7, "too much")
    assert pickle.loads(pickle.dumps(error)).retry == 0.5
    assert str(gf.errors.from_status(29999, "later")) == "later"


def test_the_client(grey):
    with gf.Client(device="cpu", deadline=60) as client:
        assert client.server.startswith("gpufilterd ") and client.socket == os.environ["GPUFILTER_SOCKET"]
        assert client.ping() > 0
        assert client.revision("gaussian") == client.revision("blur") == 1
        says(gf.errors.UnknownOp, "there is no operation gausian", lambda: client.revision("gausian"))
        assert [d.name for d in client.devices()] == ["cpu"] and client.devices()[0].state == "ready"
        says(gf.errors.BadArgument, "nothing has run on this client yet", client.times)
        same(gf.box(grey, client=client), client.run("box", grey))
        assert client.times().device == "cpu" and client.times().round_trip > 0 and client.times().attempts == 1
        assert client.times().request.startswith(client.node + "/")
    assert client.closed
    client.close()
    for call in (lambda: client.run("box", grey), client.ping, client.times, lambda: client.empty(3),
                 lambda: client.socket, lambda: client.submit("box", grey), lambda: gf.box(grey, client=client)):
        says(gf.errors.BadArgument, "the client is closed; open another one", call)
    says(gf.errors.NoDaemon, "/nowhere/d.sock", lambda: gf.Client("/nowhere/d.sock"))
    says(ConnectionError, "/nowhere/d.sock", lambda: gf.Client("/nowhere/d.sock"))
    says(ValueError, "deadline=-1; allowed: above 0", lambda: gf.Client(deadline=-1))
    says(gf.errors.BadArgument, "device", lambda: gf.Client(device="gpu?"))
    with gf.Client(device="cuda:0") as other:
        says(gf.errors.NoDevice, "cuda:0", lambda: other.run("box", grey))
    assert gf.open is gf.Client and gf.__version__ == "0.1.0"


# ---- expressions ----

def test_expressions(grey, rgb):
    same(gf.expr(grey, "select(a > 100, 255, 0)"), np.where(grey > 100, 255, 0).astype("u1"))
    same(gf.expr(grey, "a - b", b=grey[::-1].copy(), dtype="i16"), grey.astype("i2") - grey[::-1])
    text = "param gain = 2;\n\tparam off = 0;\n\ta*gain + off"
    same(gf.expr(grey, text, dtype="i32"), grey.astype("i4") * 2)
    same(gf.expr(grey, text, {"gain": 3, "off": -7}, "i32"), grey.astype("i4") * 3 - 7)
    same(gf.expr(grey, text, "gain=3", "i32"), grey.astype("i4") * 3)
    same(gf.expr(rgb, "a[2], a[1], a[0]"), rgb[:, :, ::-1])
    assert gf.expr(rgb, "a[1]").shape == gf.gray(rgb).shape
    stack = np.stack([grey, grey // 2])
    same(gf.expr(stack, "a + b", b=stack, dtype=np.uint16), stack.astype("u2") * 2)


def test_expressions_in_pipes(grey):
    want = np.where(grey > 100, 255, 0) | 1
    same(gf.pipe(grey).expr("a > 100").expr("select(a != 0, 255, 0) | 1").run(), want.astype("u1"))
    same(gf.run("expr '(a > 100) | (a < 0)' | expr \"a*255 | 1\"", grey),
         want.astype("u1"))


def test_wrong_expressions_say_where(grey):
    says(gf.Error, "expr: expression: column 5: ", lambda: gf.expr(grey, "a + q"))
    says(gf.Error, "expression is missing", lambda: gf.expr(grey))
    says(TypeError, "expr: expression=3 is not a string", lambda: gf.expr(grey, 3))
    says(ValueError, "has quotes of both kinds", lambda: gf.expr(grey, "a'\""))


def test_steps_are_fused_unless_a_client_says_otherwise(grey):
    grey = np.tile(grey, (20, 20))  # of a small one each step by itself takes less memory
    program = "map scale=1.2 | map scale=-1 offset=255 | threshold value=100 channels=each"
    with gf.Client() as fused, gf.Client(fuse=False) as unfused:
        same(fused.run(program, grey), unfused.run(program, grey))
        assert "steps 1-3 fused" in fused.times().why
        assert "fused" not in unfused.times().why


# ---- names ----

def test_unknown_names_have_a_hint():
    for name, text in (("guassian", "did you mean gpufilter.gaussian?"),
                       ("gaussian_filter", "did you mean gpufilter.ndimage.gaussian_filter or gpufilter.gaussian?"),
                       ("GaussianBlur", "did you mean gpufilter.cv.GaussianBlur or"),
                       ("sum", "did you mean gpufilter.reduce(array, 'sum')?"),
                       ("cumsum", "did you mean gpufilter.scan?"), ("zzzz", "no attribute 'zzzz'")):
        says(AttributeError, text, lambda: getattr(gf, name))
    assert not hasattr(gf, "_nothing")


def test_names_belong_to_the_package():
    for name in gf.__all__:
        assert getattr(getattr(gf, name), "__module__", "gpufilter") in ("gpufilter", "gpufilter.errors"), name
    made = gf.histogram(np.zeros((3, 3), "u1"), 4)
    assert pickle.loads(pickle.dumps(made)).counts.tolist() == made.counts.tolist()


def test_a_client_says_what_it_is():
    client = gf.Client(device="cpu")
    assert repr(client) == f"<gpufilter.Client of {client.server} at {client.socket}, device cpu>"
    says(TypeError, "a Client is a connection of this process and cannot be pickled", lambda: pickle.dumps(client))
    client.close()
    assert repr(client) == "<gpufilter.Client, closed>"
