# SPDX-License-Identifier: MIT
"""Arrays on the device, their arithmetic, and pipes."""
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
            (ValueError, "division by 3 has no exact form here", lambda: x / 3),
            (ValueError, "division by 0 has no exact form here", lambda: x / 0),
            (TypeError, "unsupported operand", lambda: x / x),
            (TypeError, "unsupported operand", lambda: x + "1"),
            (TypeError, "unsupported operand", lambda: x + True),
            (TypeError, "with one in host memory: use gpufilter.to_device()", lambda: floats + x),
            (TypeError, "with one in host memory: use gpufilter.to_device()", lambda: x * floats),
            (TypeError, "arithmetic on the device is for float32, this array is uint8", lambda: gf.to_device(grey) + 1),
            (gf.errors.BadParam, "offset=inf", lambda: x + float("inf")),
            (gf.errors.BadView, "", lambda: x + x[3:])]:
        says(kind, text, call)


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
