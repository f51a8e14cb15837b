# SPDX-License-Identifier: MIT
"""gpufilter.ndimage compared with scipy and scikit-image, its refusals, and arrays of other packages."""
import os
import re
import subprocess
import sys
import warnings

import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says
from test_regions import BINARY, FIGURES, REGIONS
from gpufilter import _windows, ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage", reason="scipy, the package python3-scipy, is not installed")
MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
rng = np.random.default_rng(5)
MASK = rng.normal(size=(3, 4, 2, 5)).astype("f4").astype("f8")
CALLS = {  # name: arguments, positional and named, for an array of n axes
    "gaussian_filter": lambda n: ((1.5,), {}), "gaussian_filter1d": lambda n: ((1.3,), {"axis": 0, "order": 1}),
    "uniform_filter": lambda n: ((4,), {}), "uniform_filter1d": lambda n: ((5,), {"axis": 0, "origin": -1}),
    "sobel": lambda n: ((), {}), "prewitt": lambda n: ((0,), {}), "laplace": lambda n: ((), {}),
    "gaussian_laplace": lambda n: ((1.3,), {}), "gaussian_gradient_magnitude": lambda n: ((1.3,), {"truncate": 3}),
    "correlate": lambda n: ((MASK[(0,) * (4 - n)],), {"origin": -1}),
    "convolve": lambda n: ((MASK[(1,) * (4 - n)],), {}), "correlate1d": lambda n: ((MASK[0, 0, 0],), {"axis": 0}),
    "convolve1d": lambda n: (([1, 2, -3, 4],), {"origin": 1})}


GREY = ("black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "morphological_gradient",
        "morphological_laplace", "white_tophat")


# ---- beside scipy ----

RANKS = {"median_filter": (), "rank_filter": (-2,), "percentile_filter": (70.3,)}
EXTREMES = ("minimum_filter", "maximum_filter")


def test_every_filter_is_compared():
    assert {*CALLS, *RANKS, *GREY, *EXTREMES, *(name + "1d" for name in EXTREMES), *BINARY, *FIGURES, *REGIONS} == \
        set(ndimage.__all__)


@pytest.mark.parametrize("name", sorted({*RANKS, *EXTREMES}))
def test_ranks(name):
    """Compares exactly, for arguments that the operation on pictures supports."""
    for shape in ((23, 31), (3, 19, 21), (17, 13, 3)):
        for dtype in ("u1", "u2", "i2", "f4"):
            array = (rng.random(shape) * 200 - (50 if dtype in ("i2", "f4") else 0)).astype(dtype)
            for mode in MODES:
                for options in ({"size": 3}, {"size": 4}, {"footprint": np.ones((5,) * array.ndim)}):
                    options = {**options, "mode": mode, "cval": 7}
                    args = array.ndim > 2 and {"axes": (0, 1) if shape[-1] == 3 else (1, 2)} or {}
                    if args and "footprint" in options:
                        options["footprint"] = np.ones((2, 5))
                    stack = array if not args else np.moveaxis(array, -1, 0) if shape[-1] == 3 else array
                    theirs = {**options, "footprint": options["footprint"][None]} if "footprint" in options and args \
                        else {**options, "size": (1, options["size"], options["size"])} if args else options
                    wanted = getattr(scipy_ndimage, name)(stack, *RANKS.get(name, ()), **theirs)
                    wanted = np.moveaxis(wanted, 0, -1) if args and shape[-1] == 3 else wanted
                    same(getattr(ndimage, name)(array, *RANKS.get(name, ()), **options, **args), wanted)
    whole = (rng.random((9, 11)) * 255).astype("u1")
    wide = getattr(ndimage, name)(whole, *RANKS.get(name, ()), 5, output=np.float32)
    assert wide.dtype == "f4" and (wide == getattr(scipy_ndimage, name)(whole, *RANKS.get(name, ()), 5)).all()
    for text, kind, call in (
            *((("one mode serves all axes", RuntimeError, {"size": 3, "mode": ["wrap", "mirror"]}),) if name in RANKS else
              ()),
            ("a window with sides of [256, 256]; windows have sides of 1 to 255", NotImplementedError, {"size": 256}),
            ("size=0; it must be 1 or more", ValueError, {"size": 0}),
            ("neither size nor footprint", RuntimeError, {})):
        says(kind, text, lambda: getattr(ndimage, name)(whole, *RANKS.get(name, ()), **call))


SPANS = {"?": (0, 1), "i1": (-128, 127), "u4": (0, 2**32 - 1), "i8": (-2**40, 2**40), "u8": (0, 2**60),
         "f4": (-99, 99), "f8": (-99, 99)}


@pytest.mark.parametrize(("name", "dtype"), [
    (name, dtype) for name in sorted({*RANKS, *EXTREMES, *GREY}) for dtype in SPANS
    if dtype != "?" or name not in ("morphological_gradient", "morphological_laplace")])  # numpy subtracts no bool
def test_ranks_of_every_dtype(name, dtype):
    """Any axes, origins, modes and gaps; exactly."""
    lo, hi = SPANS[dtype]
    array = (rng.random((4, 9, 11)) * (hi - lo) + lo).round(3 if dtype[0] == "f" else 0).astype(dtype)
    args = RANKS.get(name, ())
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    gaps = np.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]])
    for picture, options in ((array[0], {"size": (3, 4), "origin": (1, -2), "mode": "wrap"}),
                             (array[1], {"footprint": np.ones((2, 3)), "mode": "constant", "cval": 1}),
                             (array, {"footprint": np.ones((3, 1, 4)), "origin": (-1, 0, 1), "mode": "mirror"}),
                             (array[0, 0], {"size": 5}),
                             (array, {"size": (3, 2, 3), "mode": "nearest"}),
                             (array[3], {"footprint": gaps, "origin": (1, -2), "mode": "constant"}),
                             (array[:, None], {"footprint": np.stack([gaps, 1 - gaps])[:, None], "mode": "mirror",
                                               "origin": (-1, 0, 0, 1)})):
        same(ours(picture, *args, **options), theirs(picture, *args, **options))


def test_ranks_of_half_floats():
    array = rng.random((9, 11)).astype("f2")
    for name in sorted({*RANKS, *EXTREMES}):
        args = (*RANKS.get(name, ()), 3)
        same(getattr(ndimage, name)(array, *args), getattr(ndimage, name)(array.astype("f4"), *args).astype("f2"))


def test_more_samples_than_float32_has_whole_numbers():
    """Places among 2^16 values or more are float32's bits."""
    array = rng.permutation(300 * 300).reshape(300, 300) * 2.0**40 + 0.5
    same(ndimage.median_filter(array, 3), scipy_ndimage.median_filter(array, 3))
    same(ndimage.grey_erosion(array, 3, mode="constant", cval=2.0**45), scipy_ndimage.grey_erosion(
        array, 3, mode="constant", cval=2.0**45))


def test_infinite_outside():
    for dtype in ("f2", "f4", "f8"):
        array = (rng.random((7, 9)) - 0.5).astype(dtype)
        same(ndimage.grey_erosion(array, (4, 3), mode="constant", cval=np.inf).astype("f8"),
             scipy_ndimage.grey_erosion(array.astype("f8"), (4, 3), mode="constant", cval=np.inf))
    says(ValueError, "cval=nan; it must be a number", lambda: ndimage.grey_erosion(array, 3, cval=np.nan))
    says(ValueError, "cval=inf; for int32 it must be a whole number",
         lambda: ndimage.grey_erosion(array.astype("i4"), 3, mode="constant", cval=np.inf))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_minus_0_is_below_0(dtype):
    """Wherever extrema are taken: by an operation, by numpy, of the layers of a volume, of heights."""
    gaps = np.ones((2, 2, 2), bool)
    gaps[0, 0, 1] = False
    for order in (1, -1):
        line = np.array([0.0, -0.0][::order], dtype)
        volume = np.broadcast_to(line.reshape(2, 1, 1), (2, 3, 4)).copy()
        for options in ({"size": 2}, {"footprint": gaps}, {"structure": gaps * 0.0}):
            for name, wanted in (("grey_erosion", True), ("grey_dilation", False)):
                made = getattr(ndimage, name)(volume, mode="wrap", **options)
                assert (made == 0).all() and (np.signbit(made) == wanted).all(), (name, options)
        assert np.signbit(ndimage.minimum_filter(line, 2)[1]) and not np.signbit(ndimage.maximum_filter(line, 2)[1])
        edge = ndimage.minimum_filter(np.zeros(3, dtype), 3, mode="constant", cval=-0.0)
        assert np.signbit(edge).tolist() == [True, False, True]
    for samples, heights in (([2.0, -0.0], [2, 0]), ([-0.0, 2.0], [0, 2])):  # less the heights: 0 and -0
        made = ndimage.grey_erosion(np.array(samples, dtype), structure=heights)
        assert made[1] == 0 and np.signbit(made[1])


def test_a_whole_number_outside_is_exact():
    for dtype, value in (("i8", 2**62 + 1), ("i8", -2**63 + 1), ("u8", 2**64 - 3)):
        for cval in (value, np.dtype(dtype).type(value)):
            whole = np.full((5, 5), value + 2, dtype)
            made = ndimage.grey_erosion(whole, 3, mode="constant", cval=cval)
            assert made.dtype == dtype and made[0, 0] == value and made[2, 2] == value + 2
            assert ndimage.rank_filter(whole, 1, 3, mode="constant", cval=cval)[0].tolist() == [value] * 5
    assert ndimage.grey_erosion(np.full(3, 9.0), 3, mode="constant", cval=np.array(2.5)).tolist() == [2.5, 9, 2.5]
    says(ValueError, f"cval={2**63}; for int64 it must be a whole number",
         lambda: ndimage.grey_erosion(np.ones((3, 3), "i8"), 3, mode="constant", cval=2**63))


def test_a_mode_for_each_axis_of_a_window():
    array = rng.random((9, 11))
    for name in (*EXTREMES, *GREY):
        options = {"size": (3, 4), "mode": ["constant", "wrap"], "cval": 1}
        same(getattr(ndimage, name)(array, **options), getattr(scipy_ndimage, name)(array, **options))


def test_ranks_of_many_windows(monkeypatch):
    """In several pieces; and in one axis, where scipy 1.17 takes no notice of gaps."""
    array, gaps = rng.integers(0, 99, (13, 5, 17), dtype="u2"), rng.random((3, 2, 4)) < 0.5
    wanted = scipy_ndimage.rank_filter(array, 4, footprint=gaps, mode="wrap")
    monkeypatch.setattr(_windows, "_MOST_GATHERED", 5000)
    same(ndimage.rank_filter(array, 4, footprint=gaps, mode="wrap"), wanted)
    gap = np.array([1, 0, 1, 1, 0])
    same(ndimage.median_filter(array[0, 0], footprint=gap),
         scipy_ndimage.median_filter(array[0, :1], footprint=gap[None])[0])


def test_axes_of_windows():
    """Sizes without gaps follow `axes`; ranks and gaps have the order of the input's axes."""
    array, gaps = rng.random((5, 6, 7)), np.array([[1, 0], [1, 1], [0, 1]])
    same(ndimage.minimum_filter(array, (2, 3), axes=(2, 0), origin=(-1, 1)),
         scipy_ndimage.minimum_filter(array, (3, 1, 2), origin=(1, 0, -1)))
    same(ndimage.minimum_filter(array, footprint=gaps, axes=(2, 0), origin=(-1, 1)),
         scipy_ndimage.minimum_filter(array, footprint=gaps[:, None], origin=(1, 0, -1)))
    same(ndimage.grey_dilation(array, footprint=gaps, axes=(0, 2)),
         scipy_ndimage.grey_dilation(array, footprint=gaps[:, None]))
    same(ndimage.rank_filter(array, 2, (2, 3), axes=(2, 0)), scipy_ndimage.rank_filter(array, 2, (2, 1, 3)))


def test_heights():
    tall = np.array([[0, 1.5, 0], [2, 0, 0]])
    for dtype in ("u1", "i4", "f4", "f8"):
        array = (rng.random((3, 9, 11)) * 90 + 9).astype(dtype)  # results of uint8 neither wrap nor saturate
        heights = tall if dtype[0] == "f" else tall.round()
        for name in GREY:
            for options in ({"mode": "wrap", "origin": (0, 1)}, {"footprint": [[1, 1, 0], [1, 0, 1]]}):
                same(getattr(ndimage, name)(array[0], structure=heights, **options),
                     getattr(scipy_ndimage, name)(array[0], structure=heights, **options))
    same(ndimage.grey_erosion(array, structure=np.stack([tall, -tall])),
         scipy_ndimage.grey_erosion(array, structure=np.stack([tall, -tall])))
    says(RuntimeError, "structure has shape (2, 3); it must be that of the footprint, (3, 3)",
         lambda: ndimage.grey_erosion(array[0], footprint=np.ones((3, 3)), structure=tall))
    says(NotImplementedError, "structure with heights, which bool cannot be lowered or raised by",
         lambda: ndimage.grey_erosion(array[0] > 9, structure=tall))


# ---- NaN that is left out ----

def test_nan_is_left_out():
    """Means, Gaussians and medians of the numbers that a window has."""
    for dtype, bound in (("f8", 1e-12), ("f4", 2e-5)):
        array = (rng.random((13, 17)) * 99).astype(dtype)
        array[rng.random(array.shape) < 0.3] = np.nan
        array[:5, :6] = np.nan
        for mode in MODES:
            def numbers(values, mode=mode):
                return np.pad(values, ((2, 1), (1, 1)), **{
                    "reflect": {"mode": "symmetric"}, "mirror": {"mode": "reflect"}, "nearest": {"mode": "edge"},
                    "wrap": {"mode": "wrap"}, "constant": {"mode": "constant", "constant_values": 3}}[mode])

            windows = np.lib.stride_tricks.sliding_window_view(numbers(array), (4, 3)).reshape(13, 17, 12)
            counts = (~np.isnan(windows)).sum(-1)
            sums = np.nansum(windows.astype(float), -1)
            more = {"mode": mode, "cval": 3, "nan": "omit"}
            with np.errstate(invalid="ignore"):
                assert np.allclose(ndimage.uniform_filter(array, (4, 3), **more), sums / counts, rtol=0, atol=bound,
                                   equal_nan=True)
            wanted = np.take_along_axis(np.sort(windows, -1), counts[..., None] // 2 % 12, -1)[..., 0]
            assert (counts == 0).any() and np.isnan(wanted[counts == 0]).all()
            same(ndimage.median_filter(array, (4, 3), **more), np.where(counts == 0, np.nan, wanted).astype(dtype))
            known = ~np.isnan(array)
            with np.errstate(invalid="ignore"):
                wanted = scipy_ndimage.gaussian_filter(np.where(known, array, 0).astype(float), 1, mode=mode, cval=3) / \
                    scipy_ndimage.gaussian_filter(known.astype(float), 1, mode=mode, cval=1)
            assert np.allclose(ndimage.gaussian_filter(array, 1, **more), wanted, rtol=0, atol=bound, equal_nan=True)
    line = np.array([1, np.nan, np.nan, np.nan, 5.0])
    assert ndimage.uniform_filter1d(line, 3, nan="omit").tolist()[::2] == [1, pytest.approx(np.nan, nan_ok=True), 5]
    assert np.isnan(ndimage.gaussian_filter1d(line, 0, nan="omit")).tolist() == [False, True, True, True, False]
    whole = (rng.random((9, 11)) * 255).astype("u1")
    for name, args in (("uniform_filter", (3,)), ("gaussian_filter", (1,)), ("median_filter", (3,))):
        same(getattr(ndimage, name)(whole, *args, nan="omit"), getattr(ndimage, name)(whole, *args))
        says(ValueError, f"{name}: nan='skip'; allowed: propagate, omit",
             lambda: getattr(ndimage, name)(whole, *args, nan="skip"))
    says(ValueError, "order=1 with nan='omit'", lambda: ndimage.gaussian_filter(line, 1, 1, nan="omit"))
    says(NotImplementedError, "nan='omit' with gaps in the footprint; it must be a rectangle",
         lambda: ndimage.median_filter(array, footprint=np.eye(3), nan="omit"))


# ---- what scipy computes ----

def test_fallback(monkeypatch):
    array, steps = rng.random((9, 11)) < 0.9, (1, 2)
    monkeypatch.setattr(ndimage, "fallback", True)
    with pytest.warns(ndimage.FallbackWarning, match="^scipy.ndimage computes this: distance_transform_edt: sampling="):
        made = ndimage.distance_transform_edt(array, steps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(ndimage.distance_transform_edt(array, steps), made)  # says so once
    same(made, scipy_ndimage.distance_transform_edt(array, steps))
    with pytest.warns(ndimage.FallbackWarning, match="^scipy.ndimage computes this: zoom: there is no inter") as caught:
        same(ndimage.zoom(array, 2), scipy_ndimage.zoom(array, 2))
    assert caught[0].filename == __file__
    with pytest.raises(RuntimeError, match="mode"):  # scipy refuses it, too
        ndimage.sobel(array * 1.0, mode="edge")
    says(NotImplementedError, "nan='omit' with gaps",
         lambda: ndimage.median_filter(np.full((3, 3), np.nan), footprint=np.eye(3), nan="omit"))
    monkeypatch.setattr(ndimage, "fallback", False)
    error = says(NotImplementedError, "nan='omit' with gaps",
                 lambda: ndimage.median_filter(np.full((3, 3), np.nan), footprint=np.eye(3), nan="omit"))
    assert "scipy" not in str(error)
    says(NotImplementedError, "on the host: scipy.ndimage.distance_transform_edt",
         lambda: ndimage.distance_transform_edt(array, steps))


def test_the_code_of_the_page():
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "python.md"), encoding="utf-8") as f:
        block, = [b for b in re.findall(r"^```py\n(.*?)^```$", f.read(), re.M | re.S) if "ndimage.fallback" in b]
    code = "import numpy as np\nfrom gpufilter import ndimage\nvolume = np.zeros((2, 60, 80))\n" + block
    subprocess.run([sys.executable, "-c", code], check=True)  # a warning comes once


def test_an_old_program(tmp_path):
    """A script that knows nothing of gpufilter: its calls of scipy, and of packages that call scipy."""
    (tmp_path / "helper.py").write_text("offset = 5\n")
    program = tmp_path / "program.py"
    program.write_text("""
import sys
import numpy as np
from helper import offset
from scipy import ndimage
from scipy.ndimage import zoom
array = np.random.default_rng(1).random((40, 50))
np.savez(sys.argv[1], ndimage.gaussian_filter(array, 2), ndimage.label(array > 0.6)[0], zoom(array, 2),
         ndimage.distance_transform_edt(array > 0.1, (1, 2)))
print(offset, len(sys.argv), ndimage.gaussian_filter.__module__, zoom.__module__.split(".")[0])
""")

    def run(*options):
        made = subprocess.run([sys.executable, *options, program, tmp_path / "made.npz"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=True)
        with np.load(tmp_path / "made.npz") as arrays:
            return made.stdout.split(), made.stderr, list(arrays.values())

    (own, _, theirs), (said, warned, ours) = run(), run("-m", "gpufilter.instead_of_scipy")
    assert own[2].startswith("scipy.") and said == ["5", "2", "gpufilter.ndimage", "scipy"]
    assert "FallbackWarning: scipy.ndimage computes this: distance_transform_edt: sampling=(1, 2)" in warned
    assert np.abs(ours[0] - theirs[0]).max() < 1e-14
    for a, b in zip(ours[1:], theirs[1:]):
        same(a, b)
    for wrong, says in ((), "usage: python3 -m gpufilter.instead_of_scipy SCRIPT [ARGUMENT...]"), (
            ("/nowhere.py",), "gpufilter.instead_of_scipy: there is no /nowhere.py"):
        made = subprocess.run([sys.executable, "-m", "gpufilter.instead_of_scipy", *wrong], stderr=subprocess.PIPE,
                              text=True, check=False)
        assert made.returncode == 1 and made.stderr.strip() == says


def test_scikit_image_calls_scipy(script):
    """Its functions are computed here, once scipy's are replaced."""
    pytest.importorskip("skimage.morphology", reason="scikit-image, python3-skimage, is not installed")
    assert script("""
import numpy as np
import gpufilter.ndimage
from skimage import filters, morphology
array = (np.random.default_rng(1).random((60, 70)) * 255).astype("u1")
disk = morphology.disk(3)
wanted = morphology.opening(array, disk), filters.gaussian(array / 255, sigma=2)
gpufilter.ndimage.replace_scipy()
made = morphology.opening(array, disk), filters.gaussian(array / 255, sigma=2)
assert (made[0] == wanted[0]).all() and abs(made[1] - wanted[1]).max() < 1e-14
print(gpufilter.default_client().times().attempts)
""") == "1\n"


def test_complex():
    """The real and the imaginary part, each in float64."""
    array, weights = rng.random((9, 11)) - 1j * rng.random((9, 11)), rng.random((3, 4)) * (1 - 2j)
    for name, args in (("correlate", (weights,)), ("convolve", (weights,)), ("correlate1d", (weights[0],)),
                       ("convolve1d", (weights[0],)), ("gaussian_filter", (1,)), ("uniform_filter", (3,)), ("sobel", ()),
                       ("laplace", ()), ("gaussian_laplace", (1,))):
        for values in (array, array.astype("c8"), array.real):
            if np.iscomplexobj(values) or np.iscomplexobj(args and args[0]):
                got, wanted = getattr(ndimage, name)(values, *args), getattr(scipy_ndimage, name)(values, *args)
                assert got.dtype == wanted.dtype and np.allclose(got, wanted, rtol=1e-5 if got.dtype == "c8" else 1e-12)
    got = ndimage.correlate1d(array, [1, 2j], mode="constant", cval=3 - 1j)
    assert np.allclose(got, scipy_ndimage.correlate1d(array, [1, 2j], mode="constant", cval=3 - 1j))
    says(ValueError, "cval=1j; it must be real, as the input is",
         lambda: ndimage.correlate1d(array.real, [1, 2j], cval=1j))
    says(RuntimeError, "output has dtype float64; output must have complex dtype",
         lambda: ndimage.uniform_filter(array, 3, output=np.empty(array.shape)))
    says(TypeError, "gaussian_gradient_magnitude: input has dtype complex128",
         lambda: ndimage.gaussian_gradient_magnitude(array, 1))


@pytest.mark.parametrize("name", EXTREMES)
def test_origins_and_gaps(name):
    """The parameters that erode and dilate have and rank does not."""
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    gaps = np.array([[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]])
    for dtype in ("u1", "u2", "i2", "f4"):
        array = (rng.random((23, 31)) * 200 - (50 if dtype in ("i2", "f4") else 0)).astype(dtype)
        for mode in MODES:
            more = {"mode": mode, "cval": 7}
            for size, origin in ((5, 2), (4, -2), ((2, 7), (-1, 3))):
                same(ours(array, size, origin=origin, **more), theirs(array, size, origin=origin, **more))
            for origin in (0, (-1, 1)):
                same(ours(array, footprint=gaps, origin=origin, **more), theirs(array, footprint=gaps, origin=origin, **more))
            for axis, origin in ((0, 0), (1, -1)):
                same(getattr(ndimage, name + "1d")(array, 4, axis, origin=origin, **more),
                     getattr(scipy_ndimage, name + "1d")(array, 4, axis, origin=origin, **more))
    stack = (rng.random((4, 9, 11)) * 255).astype("u1")
    same(ours(stack, footprint=gaps, axes=(1, 2), origin=(1, 0)), theirs(stack, footprint=gaps[None], origin=(0, 1, 0)))
    same(ours(stack, footprint=gaps, axes=(2, 1), origin=(0, 1)), theirs(stack, footprint=gaps[None], origin=(0, 1, 0)))
    same(ours(stack[0], footprint=gaps, output=np.float32), theirs(stack[0], footprint=gaps).astype("f4"))
    says(ValueError, f"{name}: origin=2 with 3 weights; allowed: -1 to 1", lambda: ours(stack[0], 3, origin=2))
    says(ValueError, f"{name}: a footprint without members", lambda: ours(stack[0], footprint=np.zeros((3, 3))))
    says(ValueError, f"{name}: cval=0.5; for uint8 it must be a whole number, 0 to 255",
         lambda: ours(stack[0], 3, mode="constant", cval=0.5))
    says(RuntimeError, f"{name}: mode=['wrap', 'mirror']; one mode serves all axes of a footprint with gaps",
         lambda: ours(stack[0], footprint=gaps, mode=["wrap", "mirror"]))
    with pytest.warns(UserWarning, match="ignoring size because footprint is set"):
        ours(stack[0], 3, footprint=gaps)


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize("shape", [(23,), (23, 31), (5, 13, 12), (3, 4, 5, 6)])
def test_the_same_as_scipy(name, shape):
    """float64 within its rounding errors; float32 within float32's; integers equal scipy's float64 result, rounded."""
    real = rng.random(shape) * 255
    for dtype in ("f8", "f4", "u1", "i2"):
        array = real.astype(dtype)
        for mode in MODES:
            args, options = CALLS[name](len(shape))
            options = {**options, "mode": mode, "cval": 7}
            wanted = getattr(scipy_ndimage, name)(array.astype("f8"), *args, **options)
            got = getattr(ndimage, name)(array, *args, **options)
            assert got.dtype == array.dtype and got.shape == shape
            if array.dtype.kind in "ui":
                info = np.iinfo(dtype)
                assert np.abs(got - np.clip(wanted, info.min, info.max)).max() <= 0.5 + 1e-4
                got = getattr(ndimage, name)(array, *args, output=float, **options)
            scale = 255 * max(1, np.abs(MASK).sum())
            assert np.abs(got - wanted).max() <= scale * (2.0**-24 if dtype == "f4" else 1e-14)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_labels(share):
    """Any dtype, one and two axes, every way to take the result."""
    for shape in ((300,), (61, 83), (1, 7)):
        mask = rng.random(shape) < share
        for structure in (None, scipy_ndimage.generate_binary_structure(len(shape), len(shape))):
            wanted, count = scipy_ndimage.label(mask, structure)
            for dtype in (bool, "u1", "i2", "i8", "f4", "f8"):
                got, n = ndimage.label(mask.astype(dtype), structure)
                assert n == count
                same(got, wanted)
            same(ndimage.label(mask, structure, np.uint16)[0], wanted.astype("u2"))
            out = np.empty(shape, np.int64)
            assert ndimage.label(mask, structure, out) == count
            same(out, wanted.astype("i8"))
    says(RuntimeError, "structure has shape (5, 5)", lambda: ndimage.label(np.ones((2, 2)), np.ones((5, 5))))
    says(RuntimeError, "do not fit int8", lambda: ndimage.label(np.tile([1, 0], 300), None, np.int8))
    many = np.zeros((80, 120), bool)
    many[::2, ::2] = True
    same(ndimage.label(many[:60], None, np.float16)[0], ndimage.label(many[:60])[0].astype("f2"))
    says(RuntimeError, "2400 parts do not fit float16; output must be a wider dtype",
         lambda: ndimage.label(many, None, np.float16))
    for dtype in (bool, complex, object):
        says(TypeError, f"label: output has dtype {np.dtype(dtype)}; it takes whole numbers and floats",
             lambda: ndimage.label(many, None, dtype))
    says(TypeError, "label: input has dtype complex128", lambda: ndimage.label(np.ones((2, 2), complex)))
    assert ndimage.label(np.zeros((0, 3)))[1] == 0


@pytest.mark.parametrize("share", [0.001, 0.1, 0.6])
def test_distances(share):
    """float64 results exactly equal to scipy's; infinity if the picture has no 0 to measure from."""
    name = "distance_transform_edt"
    for shape in ((300,), (61, 83), (1, 7), (90, 1)):
        mask = rng.random(shape) >= share
        mask.flat[3] = False
        wanted = scipy_ndimage.distance_transform_edt(mask)
        for dtype in (bool, "u1", "i2", "i8", "f4", "f8"):
            same(ndimage.distance_transform_edt(mask.astype(dtype)), wanted)
        out = np.empty(shape)
        assert ndimage.distance_transform_edt(mask, distances=out) is None
        same(out, wanted)
    assert np.isposinf(ndimage.distance_transform_edt(np.ones((3, 4)))).all()
    says(NotImplementedError, name + ": indices", lambda: ndimage.distance_transform_edt(mask, return_indices=True))
    says(NotImplementedError, "sampling=[1, 2]", lambda: ndimage.distance_transform_edt(mask, [1, 2]))
    for wrong in (0, -2, [3, -3], -0.0):
        says(ValueError, f"{name}: sampling={wrong}; it must be above 0",
             lambda: ndimage.distance_transform_edt(mask, wrong))
    says(NotImplementedError, "input has 3 axes", lambda: ndimage.distance_transform_edt(np.ones((2, 2, 2))))
    says(RuntimeError, "distances has shape (2,)", lambda: ndimage.distance_transform_edt(mask, distances=np.ones(2)))
@pytest.mark.parametrize("name", GREY)
def test_grey_morphology(name):
    """Asymmetric elements, even sides and origins are reflected as scipy reflects them."""
    slope = np.tri(4, 5, 1, bool)
    for dtype in ("u1", "u2", "i2", "f4"):
        array = (rng.random((23, 31)) * 255).astype(dtype)
        for mode in MODES:
            for options in ({"size": 3}, {"size": (4, 5), "origin": (-1, 1)}, {"footprint": slope},
                            {"structure": np.zeros((2, 3))}):
                options = {**options, "mode": mode, "cval": 7}
                got = getattr(ndimage, name)(array, **options)
                assert got.dtype == array.dtype and (got == getattr(scipy_ndimage, name)(array, **options)).all()
        out = np.zeros_like(array)
        assert getattr(ndimage, name)(array, 3, output=out) is out and (out == getattr(ndimage, name)(array, 3)).all()


def test_laplace_is_computed_in_the_dtype_of_the_result():
    array = np.array([[100, 200, 250, 40]], "u1")
    same(ndimage.morphological_laplace(array, (1, 3), output=np.float32), np.array([[100, -50, -210, 210]], "f4"))
    out = np.empty(array.shape, "i2")
    assert ndimage.morphological_laplace(array, (1, 3), output=out) is out
    same(out, np.array([[100, -50, -210, 210]], "i2"))
    same(ndimage.morphological_laplace(array > 99, (1, 3), output="i1"), np.array([[0, 0, -1, 1]], "i1"))
    for kind, options in ((array > 99, {}), (array, {"output": bool})):
        says(TypeError, "morphological_laplace: the result has dtype bool, which has no sums; give another dtype as "
             "output", lambda: ndimage.morphological_laplace(kind, 3, **options))


def test_grey_morphology_refused(grey):
    says(ValueError, "size, footprint, or structure must", lambda: ndimage.grey_opening(grey))
    says(NotImplementedError, "a window with sides of [3, 300]", lambda: ndimage.grey_closing(grey, (3, 300)))
    says(ValueError, "origin=2 with 3 weights; allowed: -1 to 1", lambda: ndimage.white_tophat(grey, 3, origin=2))
    says(ValueError, "a footprint without members", lambda: ndimage.grey_erosion(grey, footprint=np.zeros((2, 2))))


@pytest.mark.parametrize("name", ["gaussian_filter", "uniform_filter", "sobel", "prewitt", "laplace"])
def test_a_mode_for_each_axis(name):
    picture = rng.random((9, 11))
    args, _ = CALLS[name](2)
    wanted = getattr(scipy_ndimage, name)(picture, *args, mode=["mirror", "wrap"])
    assert np.allclose(getattr(ndimage, name)(picture, *args, mode=["mirror", "wrap"]), wanted, rtol=0, atol=1e-14)
    got = getattr(ndimage, name)(picture.astype("f4"), *args, mode=["mirror", "wrap"])
    assert got.dtype == "f4" and np.abs(got - wanted).max() < 1e-6


def test_flat_lines_have_no_derivative():
    """Exactly, as in scipy, which adds the samples in pairs."""
    for value in (255.0, 0.1, 1e6 / 3):
        flat = np.full((9, 11), value)
        for order in ((1, 0), (0, 1), (3, 0), (1, 1)):
            for sigma in (0.7, 1.5):
                assert not ndimage.gaussian_filter(flat, sigma, order).any()
        assert not ndimage.gaussian_gradient_magnitude(flat, 1.5).any()
    steep = np.add.outer(np.zeros(9), rng.random(11) * 99)
    assert not ndimage.gaussian_filter1d(steep, 1, 0, 1).any()
    assert np.abs(ndimage.gaussian_filter1d(steep, 1, 1, 1, mode="constant", cval=7) -
                  scipy_ndimage.gaussian_filter1d(steep, 1, 1, 1, mode="constant", cval=7)).max() < 1e-13
    spot = np.zeros(5)
    spot[2] = 4  # far weights are small, and as exact as near ones
    near, far = np.exp(-np.array([1, 4]) / 2 / 0.01) * np.array([1, 2]) / 0.01 * 4
    got = ndimage.gaussian_filter1d(spot, 0.1, order=1, radius=2)
    assert got.tolist() == pytest.approx([far, near, 0, -near, -far], rel=1e-13, abs=0)
    steep[4, 5] = np.inf
    assert np.isposinf(ndimage.gaussian_filter1d(steep, 1, 0, 1)[3, 5])


def test_orders_and_radii():
    picture = rng.random((40, 50))
    for options in ({"order": (1, 2)}, {"order": 3}, {"radius": (3, 9)}, {"truncate": 2.5}, {"order": 4, "radius": 6}):
        wanted = scipy_ndimage.gaussian_filter(picture, (1.5, 2), **options)
        assert np.abs(ndimage.gaussian_filter(picture, (1.5, 2), **options) - wanted).max() < 1e-14
        got = ndimage.gaussian_filter(picture.astype("f4"), (1.5, 2), **options)
        assert np.abs(got - wanted).max() < 1e-6
    flat = ndimage.gaussian_filter(picture.astype("f4"), 5000, radius=2)  # no sigma of the operation
    assert np.abs(flat - scipy_ndimage.uniform_filter(picture, 5)).max() < 1e-6
    # 0.7 x 5 is just below 3.5 in float32, and 3.5 in float64.
    spot = np.zeros((1, 21), "f4")
    spot[0, 10] = 1
    assert np.count_nonzero(ndimage.gaussian_filter(spot, (0, 0.7), truncate=5)) == 9
    assert np.count_nonzero(scipy_ndimage.gaussian_filter(spot, (0, 0.7), truncate=5)) == 9


# ---- which operation it is ----

def test_pictures_go_to_the_operations_for_pictures(grey, rgb):
    for picture in (grey, grey.astype("u2") * 257, grey.astype("i2") * 99 - 9000, grey.astype("f4") / 3):
        same(ndimage.gaussian_filter(picture, (2, 1)), gf.gaussian(picture, sigma=(1, 2), border="reflect"))
        same(ndimage.uniform_filter(picture, (2, 5), mode="wrap"), gf.box(picture, size=(5, 2), border="wrap"))
        same(ndimage.sobel(picture, 0, "i2", "nearest"), gf.sobel(picture, "dy", dtype="i16"))
        same(ndimage.laplace(picture, "f4"), gf.laplacian(picture, border="reflect", dtype="f32"))
        same(ndimage.convolve(picture, [[1, 2, 4]] * 2, mode="constant", cval=3),
             gf.convolve(picture, [[1, 2, 4]] * 2, border="constant", border_value=3))
    stack = np.stack([grey, 255 - grey, grey // 2])
    same(ndimage.gaussian_filter(stack, (0, 2, 2)), gf.gaussian(stack, 2, border="reflect", channel_axis=None))
    same(ndimage.gaussian_filter(rgb, (2, 2, 0)), gf.gaussian(rgb, 2, border="reflect"))
    rgba = np.dstack([rgb, rgb[..., :1]])
    same(ndimage.uniform_filter(rgba, (3, 3, 1)), gf.box(rgba, border="reflect", alpha="straight"))
    same(ndimage.correlate(rgba, [[1, 1]], axes=(0, 1), output="u2"),
         gf.correlate(rgba, [[1, 1]], border="reflect", alpha="straight", dtype="u16"))


def test_axes():
    box = rng.random((6, 7, 8))
    wanted = scipy_ndimage.gaussian_filter1d(scipy_ndimage.gaussian_filter1d(box, 2, 0), 1, 2)
    assert np.abs(ndimage.gaussian_filter(box, (1, 2), axes=(2, 0)) - wanted).max() < 1e-14
    wanted = np.stack([scipy_ndimage.correlate(box[:, i], MASK[0, 0], origin=(0, -1)) for i in range(7)], 1)
    assert np.abs(ndimage.correlate(box, MASK[0, 0], axes=(-1, 0), origin=(-1, 0)) - wanted).max() < 1e-12
    wanted = np.stack([scipy_ndimage.laplace(box[:, i]) for i in range(7)], 1)
    assert np.abs(ndimage.laplace(box, axes=(0, 2)) - wanted).max() < 1e-14
    same(ndimage.uniform_filter(box, (n for n in (2, 3)), axes=iter((0, 1))), ndimage.uniform_filter(box, (2, 3, 1)))
    grey, gaps = (box[0] * 255).astype("u1"), MASK[0, 0] > 0
    for name, args in (("correlate", (MASK[0, 0],)), ("convolve", (MASK[0, 0],)), ("minimum_filter", (None, gaps)),
                       ("median_filter", ((3, 5),)), ("rank_filter", (2, (3, 5))), ("percentile_filter", (9, (3, 5)))):
        same(getattr(ndimage, name)(grey, *args, axes=(1, 0)), getattr(ndimage, name)(grey, *args))
    same(ndimage.correlate(grey, MASK[0, 0], axes=(1, 0), origin=(0, -1)),
         ndimage.correlate(grey, MASK[0, 0], origin=(0, -1)))
    same(ndimage.minimum_filter(grey, (3, 5), axes=(1, 0)), ndimage.minimum_filter(grey, (5, 3)))
    says(ValueError, "axes=[1, -2] names an axis twice", lambda: ndimage.laplace(box, axes=(1, -2)))
    says(IndexError, "sobel: axis 3 is out of range for an input of 3 axes", lambda: ndimage.sobel(box, 3))


# ---- nothing is lost in silence ----

def test_float64_stays_float64():
    fine = np.full((5, 5), 1 + 2.0**-40)
    for name, args in (("uniform_filter", (1,)), ("gaussian_filter", (0,)), ("correlate", ([[0, 1, 0]],)),
                       ("correlate1d", ([1],)), ("convolve", (np.ones((2, 2)) / 4,))):
        same(getattr(ndimage, name)(fine, *args), fine)
    assert ndimage.correlate(np.full((3, 3), 2.0**24 + 1), [[1]], output="i8").max() == 2**24 + 1
    assert ndimage.correlate(np.ones((3, 3), "f4"), [[1 + 2.0**-40]], output=float)[0, 0] == 1 + 2.0**-40
    assert ndimage.correlate1d(np.array([2**53, -2**53]), [1]).tolist() == [2**53, -2**53]
    for value in (2**53 + 1, -2**53 - 1):
        says(ValueError, f"correlate1d: input holds {value}; int64 is computed in float64, which is exact for "
             "whole numbers up to 2^53", lambda: ndimage.correlate1d(np.array([1, value]), [1]))


def test_integers_are_rounded_and_saturated():
    odd = np.array([1, 2, 3, 5, 5, 250], "u1")
    assert ndimage.correlate1d(odd, [0.5]).tolist() == [0, 1, 2, 2, 2, 125]
    assert ndimage.correlate1d(odd, [-2]).tolist() == [0] * 6
    assert ndimage.correlate1d(odd, [2.0]).tolist() == [2, 4, 6, 10, 10, 255]
    edge = np.array([[0, 9, 0]], "u1")
    assert ndimage.sobel(edge).tolist() == [[36, 0, 0]]
    assert ndimage.sobel(edge, output="int16").tolist() == [[36, 0, -36]]
    wild = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**64, -2.0**64, 0.5])
    for dtype in ("i8", "u8", "i4", "u1"):
        info = np.iinfo(dtype)
        assert ndimage.correlate1d(wild, [1], output=dtype).tolist() == [
            0, info.max, info.min, info.max, info.min, info.max, info.min, 0]


def test_an_axis_of_size_0_is_not_filtered():
    for dtype in ("i4", "u1", "f4", "f8"):
        array = rng.integers(0, 200, (5, 6)).astype(dtype)
        for size in ((3, 0), (0, 3), 0):
            same(ndimage.uniform_filter(array, size), ndimage.uniform_filter(array, np.maximum(size, 1)))
        assert np.abs(ndimage.uniform_filter(array, (3, 0)).astype("f8") - scipy_ndimage.uniform_filter(
            array.astype("f8"), (3, 0))).max() <= 0.5
    line = np.array([[1, np.nan], [3, 5]])
    assert np.array_equal(ndimage.uniform_filter(line, (2, 0), nan="omit"), [[1, np.nan], [2, 5]], equal_nan=True)


def test_where_infinities_and_nan_reach():
    for wild in (np.nan, np.inf):
        line = np.array([[0, 0, 0, wild, 0, 0, 0, 0]])
        for dtype in ("f4", "f8"):
            array = line.astype(dtype)
            hit = ~np.isfinite(ndimage.uniform_filter(array, (1, 3)))
            assert hit.tolist() == [[False] * 2 + [True] * 3 + [False] * 3]
            assert np.isnan(ndimage.correlate(array, [[1, 0, 0]])).sum() == (3 if np.isnan(wild) else 2)
            assert np.isfinite(ndimage.sobel(array))[0, 3] == (dtype == "f4")


# ---- output ----

def test_output(grey):
    wanted = ndimage.gaussian_filter(grey, 2)
    given = np.empty_like(grey)
    assert ndimage.gaussian_filter(grey, 2, output=given) is given
    same(given, wanted)
    wide = np.empty((31, 90), "u1")[:, ::2]
    assert ndimage.gaussian_filter(grey, 2, output=wide) is wide
    same(wide.copy(), wanted)
    for name in ("gaussian_filter", "gaussian_filter1d", "uniform_filter", "gaussian_laplace"):
        for array in (grey.copy(), grey.astype("f8"), grey.astype("i4")):
            wanted = getattr(ndimage, name)(array, 2)
            assert getattr(ndimage, name)(array, 2, output=array) is array
            same(array, wanted)
    for output in ("float64", np.float64, np.dtype("f8")):
        assert ndimage.uniform_filter(grey, 3, output).dtype == "f8"
    copied = np.arange(6.0)
    for made in (ndimage.gaussian_filter(copied, 0), ndimage.uniform_filter(copied, 1)):
        assert not np.shares_memory(made, copied)
    says(RuntimeError, "sobel: output has shape (3,); the result has (31, 45)",
         lambda: ndimage.sobel(grey, 0, np.empty(3, "u1")))
    given.flags.writeable = False
    says(ValueError, "sobel: output is read-only", lambda: ndimage.sobel(grey, 0, given))
    says(TypeError, "sobel: output has dtype bool; it takes uint8, ", lambda: ndimage.sobel(grey, 0, bool))
    says(TypeError, "median_filter: input has dtype complex64; it takes uint8",
         lambda: ndimage.median_filter(grey.astype("c8"), 3))
    says(TypeError, "sobel: output has dtype complex64", lambda: ndimage.sobel(grey, 0, np.complex64))


def test_empty_arrays_and_numbers():
    for name in sorted(CALLS):
        args, options = CALLS[name](2)
        assert getattr(ndimage, name)(np.empty((0, 3), "u2"), *args, **options, output="f4").shape == (0, 3)
    assert ndimage.gaussian_filter(np.float64(3), 2) == 3
    assert ndimage.uniform_filter(np.int16(-3)) == -3


# ---- what is refused ----

@pytest.mark.parametrize("name", sorted(CALLS))
def test_dtypes_that_are_refused(name):
    args, options = CALLS[name](2)
    for dtype, more in (("?", "; use input.view('uint8')"), ("f2", ""), ("g", ""), ("O", ""), ("U1", ""), ("M8[s]", "")):
        array = np.zeros((3, 3), dtype)
        listed = "float32 and float64" if name == "gaussian_gradient_magnitude" else \
            "float32, float64, complex64 and complex128"
        says(TypeError, f"{name}: input has dtype {array.dtype}; it takes uint8, int8, uint16, int16, uint32, int32, "
             f"uint64, int64, {listed}{more}", lambda: getattr(ndimage, name)(array, *args, **options))
    says(RuntimeError, f"{name}: mode='edge'; allowed: reflect, ",
         lambda: getattr(ndimage, name)(np.ones((3, 3)), *args, **{**options, "mode": "edge"}))
    says(ValueError, f"{name}: cval=nan; it must be finite",
         lambda: getattr(ndimage, name)(np.ones((3, 3)), *args, **{**options, "cval": np.nan}))


def test_arguments_that_are_refused(grey):
    says(RuntimeError, "gaussian_filter: sigma has 3 values for 2 axes; a sequence",
         lambda: ndimage.gaussian_filter(grey, [1, 2, 3]))
    says(ValueError, "gaussian_filter: sigma=inf", lambda: ndimage.gaussian_filter(grey, np.inf))
    says(ValueError, "gaussian_filter: radius=1.5; it must be a whole number",
         lambda: ndimage.gaussian_filter(grey, 1, radius=1.5))
    says(ValueError, "gaussian_filter: radius=4000000000; it must be a whole number, 0 to 32767",
         lambda: ndimage.gaussian_filter(grey, 1, truncate=4e9))
    says(ValueError, "gaussian_filter: sigma=-2; it must be 0 or more", lambda: ndimage.gaussian_filter(grey, -2))
    says(ValueError, "uniform_filter: size=[3, 65536]; it must be 0 to 65535",
         lambda: ndimage.uniform_filter(grey, [3, 65536]))
    says(ValueError, "uniform_filter: size=-1", lambda: ndimage.uniform_filter(grey, -1))
    for order in (-1, [0, 101], 10**9):
        says(ValueError, f"gaussian_filter: order={order}; it must be 0 to 100",
             lambda: ndimage.gaussian_filter(grey, 1, order))
    assert np.isfinite(ndimage.gaussian_filter(grey.astype("f8"), 1, 100)).all()
    says(TypeError, "unknown argument sigmas", lambda: ndimage.gaussian_laplace(grey, 1, sigmas=2))
    says(RuntimeError, "uniform_filter1d: size=0", lambda: ndimage.uniform_filter1d(grey, 0))
    says(ValueError, "uniform_filter: origin=2 with 3 weights; allowed: -1 to 1",
         lambda: ndimage.uniform_filter(grey, 3, origin=2))
    says(ValueError, "correlate1d: origin=-3 with 4 weights; allowed: -2 to 1",
         lambda: ndimage.correlate1d(grey, [1] * 4, origin=-3))
    says(RuntimeError, "correlate: weights have shape (3,); weights.ndim (1) must match len(axes) (2)",
         lambda: ndimage.correlate(grey, [1, 2, 3]))
    says(RuntimeError, "convolve1d: weights have shape (0,)", lambda: ndimage.convolve1d(grey, []))
    says(TypeError, "convolve: weights have dtype object", lambda: ndimage.convolve(grey, [[None]]))
    says(TypeError, "masked array", lambda: ndimage.sobel(np.ma.array(grey, mask=grey > 9)))
    with gf.Client() as client:
        resident = gf.to_device(grey, client=client)
        says(TypeError, "sobel: input is on the daemon's device; use the functions of gpufilter",
             lambda: ndimage.sobel(resident))


def test_all_of_scipy_is_here_or_says_why_not():
    names = [n for n in scipy_ndimage.__all__ if callable(getattr(scipy_ndimage, n)) and n != "test"]
    assert set(ndimage.__all__) < set(names) and len(names) > 60
    for name in names:
        assert name in dir(ndimage)
        if name not in ndimage.__all__:
            with pytest.raises(NotImplementedError, match=f"^{name}: .*; ?.*"):
                getattr(ndimage, name)(np.ones(3))
    says(NotImplementedError, "zoom: there is no interpolation; on the host: scipy.ndimage.zoom",
         lambda: ndimage.zoom(np.ones(3), 3))
    says(NotImplementedError, "labeled_comprehension: a Python function does not run in the daemon",
         lambda: ndimage.labeled_comprehension(np.ones(3), None, None, np.sum, float, 0))
    says(AttributeError, "has no attribute 'gaussian'", lambda: ndimage.gaussian)


# ---- arrays of other packages ----

class Dlpack:
    """An array that offers DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


class Interface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class Tensor(Dlpack):
    """An imitation of torch's tensors on a GPU."""

    def __init__(self, array):
        super().__init__(array, (2, 0))

    def __array__(self, *_, **__):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")

    def cpu(self):
        return Dlpack(self.array)


class Numba:
    __cuda_array_interface__ = {}

    def __init__(self, array):
        self.copy_to_host = lambda: array


def test_arrays_of_other_packages_on_the_host(grey):
    wanted = gf.box(grey)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in (Dlpack, Interface, memoryview):
            same(gf.box(kind(grey)), wanted)
            same(ndimage.sobel(kind(grey)), ndimage.sobel(grey))
        same(gf.box(Dlpack(grey, (3, 0))), wanted)  # pinned
        same(np.from_dlpack(gf.box(grey)), wanted)
        assert gf.box(grey).__array_interface__["shape"] == grey.shape


@pytest.mark.parametrize("kind", [Tensor, Numba])
def test_arrays_on_a_device_go_through_the_host(kind, grey):
    for call in (gf.box, ndimage.uniform_filter):
        with pytest.warns(gf.HostCopyWarning, match=f"{kind.__name__} on a device is copied to the host") as caught:
            same(call(kind(grey)), call(grey))
        assert len(caught) == 1 and caught[0].filename == __file__


def test_an_array_that_cannot_come_to_the_host(grey):
    says(TypeError, "Dlpack is on a device and has none of the methods cpu, get, copy_to_host: copy it to the host",
         lambda: gf.box(Dlpack(grey, (2, 0))))


# ---- beside scikit-image ----

def test_scikit_image():
    filters = pytest.importorskip("skimage.filters", reason="scikit-image, python3-skimage, is not installed")
    transform = pytest.importorskip("skimage.transform")
    picture = rng.random((61, 83)).astype("f4")
    wide = picture.astype("f8")
    for mode in ("nearest", "reflect", "mirror", "wrap"):
        theirs = filters.gaussian(wide, 2.5, mode=mode, preserve_range=True)
        assert np.abs(ndimage.gaussian_filter(wide, 2.5, mode=mode) - theirs).max() < 1e-14
        assert np.abs(ndimage.gaussian_filter(picture, 2.5, mode=mode) - theirs).max() < 1e-6
    for op, axis, theirs in (("sobel", 0, filters.sobel_h), ("sobel", 1, filters.sobel_v),
                             ("prewitt", 0, filters.prewitt_h), ("prewitt", 1, filters.prewitt_v)):
        wanted = theirs(wide) * (4 if op == "sobel" else 3)
        assert np.abs(getattr(ndimage, op)(wide, axis) - wanted).max() < 1e-14
        assert np.abs(getattr(ndimage, op)(picture, axis) - wanted).max() < 2e-6
    assert np.abs(ndimage.laplace(wide) + filters.laplace(wide))[1:-1, 1:-1].max() < 1e-14
    theirs = filters.unsharp_mask(wide, radius=2, amount=1.5, preserve_range=True)
    assert np.abs(gf.unsharp(picture, 2, amount=1.5, border="reflect") - theirs).max() < 2e-6
    assert np.abs(gf.integral(picture) - transform.integral_image(wide)).max() < 1e-9
