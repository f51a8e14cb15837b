# SPDX-License-Identifier: MIT
"""Arrays on the device, their arithmetic, and pipes."""
import operator
import pickle

import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says


@pytest.fixture
def floats():
    array = np.random.default_rng(3).normal(size=(31, 45)).astype("f4")
    array[0, :6] = [0.0, -0.0, 1.0, np.inf, 1e-40, 3e38]
    return array


@pytest.mark.parametrize("shape", [(7,), (31, 45), (31, 45, 1), (31, 45, 3), (1, 1)])
@pytest.mark.parametrize("dtype", ["u1", "i8", "f2", "f4"])
def test_there_and_back(shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    on = gf.to_device(array)
    assert (on.shape, on.dtype, on.ndim, on.size, on.nbytes, len(on)) == (
        array.shape, array.dtype, array.ndim, array.size, array.nbytes, len(array))
    same(on, array)
    same(np.asarray(on), array)
    out = np.zeros(shape, dtype)
    assert on.numpy(out) is out and (out == array).all()


def test_float16_stays_float16(grey):
    half = (grey / 255).astype("f2")
    on = gf.to_device(half)
    blurred = gf.gaussian(on, sigma=1.5)
    assert blurred.dtype == np.float16
    same(blurred, gf.gaussian(half.astype("f4"), sigma=1.5).astype("f2"))
    same(gf.map(on, dtype="f32"), half.astype("f4"))
    same(gf.map(grey, range="full", dtype=np.float16), (grey / np.float32(255)).astype("f2"))
    assert gf.map(np.float32([[7e4, -65519, 65520, 1e-8]]), dtype="f16").tolist() == [[np.inf, -65504, np.inf, 0]]
    arena = gf.empty(half.shape, "f2")
    arena[...] = half
    same(gf.box(arena, size=5), gf.box(half, size=5))


def test_operations_stay(grey, rgb):
    on = gf.to_device(rgb)
    blurred = gf.gaussian(on, sigma=1.5)
    assert isinstance(blurred, gf.DeviceArray)
    same(blurred, gf.gaussian(rgb, sigma=1.5))
    same(gf.sobel(blurred, dtype="i16"), gf.sobel(gf.gaussian(rgb, sigma=1.5), dtype="i16"))
    same(gf.threshold(on), gf.threshold(rgb))
    same(gf.correlate(on, np.ones((3, 5)), size="valid", normalize="sum"),
         gf.correlate(rgb, np.ones((3, 5)), size="valid", normalize="sum"))
    same(gf.combine(on, rgb[::-1], mode="max"), np.maximum(rgb, rgb[::-1]))
    same(gf.histogram(on, 16).counts, gf.histogram(rgb, 16).counts)
    same(gf.reduce(on, "max"), rgb.max((0, 1)))
    same(gf.select(on, lo=9).values, gf.select(rgb, lo=9).values)
    out = gf.to_device(np.zeros_like(rgb))
    assert gf.box(on, out=out) is out
    same(out, gf.box(rgb))
    host = np.zeros_like(rgb)
    assert gf.box(on, out=host) is host
    same(host, gf.box(rgb))
    same(gf.submit(gf.box, on).result(), gf.box(rgb))
    assert "DeviceArray (31, 45, 3) uint8" in repr(on)


def test_parts(grey, rgb):
    on = gf.to_device(rgb)
    same(on[3:9], rgb[3:9])
    same(on[3:9, 5:40], np.ascontiguousarray(rgb[3:9, 5:40]))
    same(on[3:9, 5:40][1:-1, -7:], np.ascontiguousarray(rgb[4:8, 33:40]))
    same(gf.box(on[3:9, 5:40]), gf.box(rgb[3:9, 5:40]))
    part = gf.to_device(grey)[4:]  # keeps the whole
    same(part, grey[4:])
    same(gf.to_device(grey[0])[3:9], grey[0, 3:9])
    for key in (slice(None, None, 2), 3, (slice(None),) * 3, ...):
        says(TypeError, "slices of rows and columns with step 1", lambda: on[key])
    says(ValueError, "of shape (31, 45, 3) is empty", lambda: on[5:5])
    says(ValueError, "it must be all of it", lambda: gf.box(on, out=on[:]))


def test_arithmetic_has_the_bits_of_numpy(floats):
    a, b = floats, floats[::-1].copy()
    x, y = gf.to_device(a), gf.to_device(b)
    one = np.float32(1.1)
    with np.errstate(over="ignore", invalid="ignore"):
        for got, wanted in [(x + 1.1, a + one), (1.1 + x, one + a), (x - 1.1, a - one), (1.1 - x, one - a),
                            (x * 1.1, a * one), (3 * x, 3 * a), (x * -1, -a), (x / 4, a / 4), (x / -0.5, a / -0.5),
                            (x + y, a + b), (x - y, a - b), (x * y, a * b), (-x, -a), (abs(x), abs(a)), (+x, a),
                            (abs(x - y) * 2 + 1, abs(a - b) * 2 + 1), (x[2:9] - y[4:11], a[2:9] - b[4:11])]:
            assert isinstance(got, gf.DeviceArray)
            wanted[np.isnan(wanted)] = np.nan  # one NaN, as docs/numerics.md says
            same(got, wanted)
    colours = np.random.default_rng(4).normal(size=(5, 6, 4)).astype("f4")  # alpha is a channel like others
    same(gf.to_device(colours) * 3 - 1, colours * 3 - np.float32(1))


def test_arithmetic_refuses(floats, grey):
    x = gf.to_device(floats)
    for kind, text, call in [
            (TypeError, "unsupported operand", lambda: x + "1"),
            (TypeError, "arithmetic on the device has no dtype complex64", lambda: x + np.complex64(1)),
            (TypeError, "not supported", lambda: x & 1),
            (TypeError, "with one in host memory: use gpufilter.to_device()", lambda: floats + x),
            (TypeError, "with one in host memory: use gpufilter.to_device()", lambda: x * floats),
            (TypeError, "comparison of uint64 with signed integers",
             lambda: gf.to_device(grey.astype("u8")) == gf.to_device(grey.astype("i8"))),
            (OverflowError, "comparison of int64 with 9223372036854775808",
             lambda: gf.to_device(grey.astype("i8")) < 2**63),
            (ValueError, "arithmetic of arrays of shapes (31, 45) and (28, 45); they must be equal",
             lambda: x + x[3:]),
            (ValueError, "an array of shape (31, 45) is neither true nor false", lambda: bool(x)),
            (ValueError, "reshape: an array of shape (31, 45) has no shape=(5, 5)", lambda: x.reshape(5, 5)),
            (ValueError, "on the device arrays have one or two axes", lambda: x.reshape(31, 9, 5)),
            (ValueError, "T of an array of shape (31, 15, 3)", lambda: x.reshape(31, 15, 3).T),
            (TypeError, "a DeviceArray lies on the daemon's device and cannot be pickled", lambda: pickle.dumps(x)),
            (BufferError, "exported as a copy in host memory", lambda: x.__dlpack__(copy=False))]:
        says(kind, text, call)


KINDS = ("?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8")
BINARY = [getattr(operator, name) for name in ("add", "sub", "mul", "truediv", "and_", "or_", "xor", "lt", "le", "gt",
                                               "ge", "eq", "ne")]


def samples(dtype, seed):
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.integers(0, 2, (5, 7)).astype(dtype)
    if dtype[0] == "f":
        made = (random.normal(size=(5, 7)) * 100).astype(dtype)
        made[0, :4] = [np.nan, np.inf, -0.0, 0]
        return made
    info = np.iinfo(dtype)
    made = random.integers(info.min, info.max, (5, 7), dtype=dtype, endpoint=True)
    made[0, :3] = [0, info.max, info.min]
    return made


def like_numpy(ours, theirs):
    """Both raise an error, or have the same dtype and bits, with one NaN; False: here it is refused with a sentence."""
    try:
        with np.errstate(all="ignore"):
            wanted = theirs()
    except (TypeError, OverflowError):
        with pytest.raises((TypeError, OverflowError)):
            ours()
        return True
    try:
        got = ours()
    except (TypeError, OverflowError) as error:
        assert "comparison of" in str(error), error
        return False
    wanted = np.array(wanted)
    if wanted.dtype.kind == "f":
        wanted[np.isnan(wanted)] = np.nan
    same(got, wanted)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_arithmetic_is_numpys_in_every_dtype(kind):
    a = samples(kind, 1)
    x, refused = gf.to_device(a), 0
    for other in KINDS:
        b = samples(other, 2)
        y = gf.to_device(b)
        for f in BINARY:
            refused += not like_numpy(lambda: f(x, y), lambda: f(a, b))
        if kind[0] != "f" or other[0] in "f?":
            assert like_numpy(lambda: x.astype(other), lambda: a.astype(other))
    for number in (3, -1, 0, 2.5, True, 1000, np.float32(1.1), np.float64(0.1), np.int16(7), float("-inf")):
        for f in BINARY:
            refused += not like_numpy(lambda: f(x, number), lambda: f(a, number))
            refused += not like_numpy(lambda: f(number, x), lambda: f(number, a))
    assert refused == 0 or kind in ("i1", "i2", "i4", "i8", "u8")
    for f in (operator.neg, abs, operator.invert):
        assert like_numpy(lambda: f(x), lambda: f(a))


@pytest.mark.parametrize("shape", [(35,), (5, 7), (5, 7, 3)])
@pytest.mark.parametrize("kind", ["?", "u1", "i4", "u8", "f4", "f8"])
def test_reductions_are_numpys(shape, kind):
    a = np.resize(np.where(samples(kind, 3) > 0, samples(kind, 3), 1), shape).astype(kind)
    a = a % 1000 if kind == "u8" else a  # its sums fit
    x = gf.to_device(a)
    axes = [None, *range(-len(shape), len(shape))] + ([(0, 1), (1, 2), (0, 1, 2)] if len(shape) == 3 else [])
    for axis in axes:
        for keepdims in (False, True):
            for name in ("min", "max", "any", "all") + ((() if type(axis) is tuple else ("argmin", "argmax"))):
                same(np.asarray(getattr(x, name)(axis=axis, keepdims=keepdims)),
                     np.asarray(getattr(np, name)(a, axis=axis, keepdims=keepdims)))
            for name in ("sum", "mean", "std", "var"):
                got = getattr(x, name)(axis=axis, keepdims=keepdims)
                same(np.asarray(got), np.asarray(gf.reduce(a, name, axis=axis, keepdims=keepdims)))
    part = x[1:4]
    same(np.asarray(part.max(axis=0)), np.asarray(a[1:4].max(axis=0)))


@pytest.mark.parametrize("shape", [(12,), (3, 4), (3, 4, 2)])
def test_quantiles_have_the_axes_of_numpys(shape):
    a = np.random.default_rng(4).integers(0, 99, shape).astype("f4")
    x = gf.to_device(a)
    for axis in (None, *range(len(shape))):
        for q in (0.5, (0.5,), (0.25, 0.5)):
            for keepdims in (False, True):
                got, host = (np.asarray(gf.quantile(v, q, axis=axis, keepdims=keepdims)) for v in (x, a))
                same(got, host)
                assert np.size(q) == 1 or got.shape == np.quantile(a, q, axis, keepdims=keepdims).shape
    out = np.empty((2, *shape[1:]))
    assert gf.quantile(x, (0.25, 0.5), axis=0, out=out) is out
    same(out, np.asarray(gf.quantile(a, (0.25, 0.5), axis=0)))


def test_forms(floats, grey, rgb):
    x = gf.to_device(grey)
    same(x.T, np.ascontiguousarray(grey.T))
    same(x.reshape(45, -1), grey.reshape(45, -1))
    same(x[2:9, 3:8].reshape(-1), grey[2:9, 3:8].reshape(-1))
    same(x.reshape((31, 15, 3)), grey.reshape(31, 15, 3))
    assert x.reshape(31, 15, 3).channels == 3 and gf.to_device(rgb).reshape(31, -1).channels == 0
    same((x > 99).T, np.ascontiguousarray((grey > 99).T))
    same(((x > 9) & ~(x > 99)).astype("f4"), ((grey > 9) & (grey <= 99)).astype("f4"))
    same(np.from_dlpack(gf.to_device(floats)), floats)
    assert gf.to_device(floats).__dlpack_device__() == (1, 0)
    labels = gf.label(x > 200).labels
    assert labels.dtype == np.int32
    same(labels - 1, gf.label(grey > 200).labels - 1)
    assert bool(gf.to_device(grey[:1, :1])) == bool(grey[0, 0])


def test_what_cannot_be_on_the_device(grey, floats):
    x = gf.to_device(floats)
    for kind, text, call in [
            (TypeError, "correlate: mask is on the device; a mask must be a numpy array: use .numpy()",
             lambda: gf.correlate(floats, x)),
            (TypeError, "reduce: segments is on the device; a list must be a numpy array",
             lambda: gf.reduce(floats, segments=gf.to_device(grey[0]))),
            (TypeError, "equalize: src has dtype float32; it takes uint8, uint16 and int16", lambda: gf.equalize(x)),
            (ValueError, "copy: a stack of (5,) goes through the host", lambda: gf.to_device(np.zeros((5, 6, 7)))),
            (ValueError, "combine: a stack of (2,) goes through the host",
             lambda: gf.combine(np.stack([floats, floats]), x)),
            (ValueError, "out for dst has shape (31, 45); the result has (3, 45)", lambda: gf.box(x[:3], out=x)),
            (TypeError, "out for dst has dtype float32; the result has uint8", lambda: gf.box(grey, out=x))]:
        says(kind, text, call)
    with gf.Client() as other:
        says(ValueError, "the array belongs to another client; use that client", lambda: other.run("box", x))
        mine = other.to_device(grey)
        same(gf.box(mine), gf.box(grey))  # runs where the array is
    says(gf.errors.BadArgument, "the client is closed", mine.numpy)


def test_pipes(grey, rgb):
    pipe = gf.pipe(rgb).gaussian(2).sobel().histogram(64)
    assert pipe.text == "gaussian | sobel | histogram bins=64 last_closed=1" and "sobel" in repr(pipe)
    blurred = gf.gaussian(rgb, 2)
    for got, wanted in zip(pipe.run(), gf.histogram(gf.sobel(blurred), 64)):
        same(got, wanted)
    same(pipe.submit().result().counts, pipe.run().counts)
    same(gf.run(pipe.text, rgb).counts, pipe.run().counts)
    begun = gf.pipe(rgb).gaussian(2)
    same(begun.box(5).run(), gf.box(blurred, 5))
    same(begun.run(), blurred)  # a pipe does not change
    same(begun.combine(rgb, mode="absdiff").run(), gf.combine(blurred, rgb, mode="absdiff"))
    same(gf.pipe(grey).map(table=np.arange(255, -1, -1, dtype="u1")).run(), 255 - grey)
    same(gf.pipe(grey).correlate([[1, 2, 1]], normalize="sum").reduce("max").run(),
         gf.reduce(gf.correlate(grey, [[1, 2, 1]], normalize="sum"), "max"))
    stack = np.stack([grey, grey[::-1], grey])
    same(gf.pipe(stack).box().sobel().run(), gf.sobel(gf.box(stack)))
    same(gf.pipe(gf.to_device(grey)).box().sobel().run(), gf.sobel(gf.box(grey)))
    out = np.zeros_like(grey)
    assert gf.pipe(grey).box(3).run(out=out) is out
    same(out, gf.box(grey, 3))
    with gf.Client() as client:
        same(gf.pipe(grey, client=client).box().run(), gf.box(grey))
        assert client.times().device == "cpu"
    says(ValueError, "the pipe has no steps", lambda: gf.pipe(grey).run())
    says(AttributeError, "gausian", lambda: gf.pipe(grey).gausian(2))
    says(TypeError, "sigma='a' is not a number", lambda: gf.pipe(grey).gaussian("a"))
    says(gf.errors.BadParam, "gaussian: sigma=-1.0 outside 0..2047", lambda: gf.pipe(grey).gaussian(-1).run())


def test_texts(grey):
    same(gf.run("gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff", grey),
         gf.combine(gf.gaussian(grey, 2), gf.gaussian(grey, 1), mode="absdiff"))
    same(gf.run("correlate mask='1 2 1; 2 4 2' normalize=sum", grey),
         gf.correlate(grey, [[1, 2, 1], [2, 4, 2]], normalize="sum"))
    same(gf.run("correlate normalize=sum", grey, [[1, 2, 1]]), gf.correlate(grey, [[1, 2, 1]], normalize="sum"))
    same(gf.run("box | reduce op=max axis=rows", grey), gf.box(grey).max(1))
    same(gf.run("blur sigma=1", grey), gf.gaussian(grey, 1))
