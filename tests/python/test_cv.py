# SPDX-License-Identifier: MIT
"""gpufilter.cv beside OpenCV on noise, and what it refuses."""
import gpufilter as gf
import numpy as np
import pytest
from conftest import says
from gpufilter import cv

cv2 = pytest.importorskip("cv2", reason="OpenCV, the package python3-opencv, is not installed")
rng = np.random.default_rng(3)
MOST = {"u1": 255, "u2": 65535, "f4": 255}
PICTURES = {f"{dtype}{list(channels)}": (rng.random((61, 83, *channels)) * MOST[dtype]).astype(dtype)
            for dtype in ("u1", "u2", "f4") for channels in ((), (3,), (4,))}
KERNEL = rng.normal(size=(5, 4)).astype("f4")
BORDERS = (cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE, cv2.BORDER_REFLECT, cv2.BORDER_REFLECT_101)


@pytest.fixture(params=PICTURES)
def picture(request):
    return PICTURES[request.param]


def near(ours, theirs, whole=0, real=0.0):
    """Integers within `whole`, floats within `real` of 2^-24 of the greatest sample times the sum of weights."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    worst = np.abs(ours.astype("f8") - theirs.astype("f8")).max()
    assert worst <= (whole if ours.dtype.kind in "ui" else 256 * 2.0**-24 * real), worst


def both(name, *args, whole=0, real=0.0, **options):
    near(getattr(cv, name)(*args, **options), getattr(cv2, name)(*args, **options), whole, real)


def test_constants():
    names = [n for n in dir(cv) if n.isupper() and not n.startswith("_") and n not in ("LUT", "PSNR")]
    assert len(names) == 25
    assert {n: getattr(cv, n) for n in names} == {n: getattr(cv2, n) for n in names}


# ---- beside OpenCV ----

@pytest.mark.parametrize("border", BORDERS)
def test_means(picture, border):
    for size in ((3, 3), (5, 9), (4, 4), (5, 2)):
        odd = size[0] * size[1] % 2  # OpenCV takes 7/16 up
        both("blur", picture, size, borderType=border, whole=0 if odd else 1, real=4)
    both("blur", picture, (3, 5), None, (0, 1), border, real=4)
    for depth in {"u1": (-1, cv2.CV_16S, cv2.CV_32F), "u2": (-1, cv2.CV_32F), "f4": (-1,)}[picture.dtype.str[1:]]:
        both("boxFilter", picture, depth, (3, 5), normalize=False, borderType=border, real=32)


@pytest.mark.parametrize("border", BORDERS)
def test_gaussians(picture, border):
    """OpenCV's weights of integers are fixed-point numbers, see docs/numerics.md. Sizes that gaussian has, a size for
    each axis, and kernels that follow from the size."""
    for size, sigma, sigma_y in (((0, 0), 2, 0), ((9, 9), 1.5, 0), ((5, 7), 1.2, 2), ((5, 7), 2, 1), ((7, 1), 1, 0),
                                 ((1, 3), 0, 0), ((3, 3), 0, 0), ((5, 5), 0, 0), ((9, 7), -1, 0), ((13, 11), 0, 0)):
        both("GaussianBlur", picture, size, sigma, sigmaY=sigma_y, borderType=border, real=8,
             whole=3 if picture.dtype == "u2" else 2)


def test_kernels():
    for n, sigma in ((1, 0), (3, 0), (5, -1), (7, 0), (9, 0), (11, 0), (11, 2.5), (3, 1)):
        for kind in (cv.CV_32F, cv.CV_64F):
            ours, theirs = cv.getGaussianKernel(n, sigma, kind), cv2.getGaussianKernel(n, sigma, kind)
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
            assert np.abs(ours - theirs).max() <= (1e-7 if kind == cv.CV_32F else 1e-15)


@pytest.mark.parametrize("border", BORDERS)
def test_masks(picture, border):
    for depth in {"u1": (-1, cv2.CV_16S, cv2.CV_32F), "u2": (-1, cv2.CV_32F), "f4": (-1,)}[picture.dtype.str[1:]]:
        scale = 257 if picture.dtype == "u2" else 1
        both("filter2D", picture, depth, KERNEL, delta=3, borderType=border, real=80 * scale)
        both("filter2D", picture, depth, KERNEL[:, 1:2], anchor=(0, 4), borderType=border, real=80 * scale)
        both("sepFilter2D", picture, depth, KERNEL[0], KERNEL[1], delta=3, borderType=border, real=80 * scale)


@pytest.mark.parametrize("border", BORDERS)
def test_derivatives(picture, border):
    depths = {"u1": (-1, cv2.CV_16S, cv2.CV_32F), "u2": (-1, cv2.CV_32F), "f4": (-1,)}[picture.dtype.str[1:]]
    real = 257 if picture.dtype == "u2" else 1
    for depth in depths:
        for dx, dy, size in ((1, 0, 3), (0, 1, 3), (1, 1, 3), (2, 0, 3), (1, 0, 1), (0, 2, 1), (0, 1, 5), (2, 1, 5),
                             (0, 2, 7), (1, 0, cv2.FILTER_SCHARR)):
            both("Sobel", picture, depth, dx, dy, ksize=size, scale=0.5, delta=1, borderType=border,
                 real=real * max(size, 3)**5)
        both("Scharr", picture, depth, 0, 1, borderType=border, real=64 * real)
        for size in (1, 3, 5):
            both("Laplacian", picture, depth, ksize=size, scale=2, borderType=border, real=real * max(size, 3)**5)


def test_whole_weights_of_8_bits_are_exact():
    """Not within a bound: the sums are exact, and so is the result in float32."""
    picture = PICTURES["u1[3]"]
    for dx, dy, size in ((1, 0, 3), (1, 1, 3), (0, 1, 5), (0, 2, 7)):
        both("Sobel", picture, cv2.CV_32F, dx, dy, ksize=size)
    both("Laplacian", picture, cv2.CV_32F, ksize=5)
    both("filter2D", picture, cv2.CV_32F, np.float32([[1, -2, 0.5], [4, 0, 8]]))


def test_arithmetic(picture):
    other = np.ascontiguousarray(picture[::-1])
    for name in ("absdiff", "add", "subtract", "min", "max"):
        both(name, picture, other)
    both("addWeighted", picture, 0.3, other, 0.8, -5, whole=1, real=2)
    small = picture % 200 if picture.dtype.kind == "u" else picture
    both("multiply", small, small)
    near(cv.add(picture, other, dtype=cv.CV_32F), cv2.add(picture, other, dtype=cv2.CV_32F))
    if picture.dtype == "f4":
        both("magnitude", picture, other, real=2)


def test_thresholds(picture):
    for kind in range(2 if picture.dtype == "f4" else 5):
        for thresh in (100, 100.5, -1, 255, 300):
            value, made = cv.threshold(picture, thresh, 200, kind)
            wanted = cv2.threshold(picture, thresh, 200, kind)
            assert made.dtype == picture.dtype
            if picture.dtype.kind == "f" or 0 <= thresh < 255:  # OpenCV's value is rounded down for integers
                near(made, wanted[1])
                assert value == thresh


def test_tables():
    picture = PICTURES["u1[4]"]
    table = rng.integers(0, 256, 256).astype("u1")
    for lut in (table, table.astype("u2") * 257, table.astype("i2") - 99, table.astype("f4") / 3):
        both("LUT", picture, lut)


def test_whole_pictures(picture):
    if picture.dtype != "u2":
        both("integral", picture, real=2e-3)
    if picture.dtype == "u1":
        both("integral", picture, sdepth=cv2.CV_64F, real=0)
    for i in range(picture.shape[2] if picture.ndim == 3 else 1):
        theirs = cv2.calcHist([picture], [i], None, [64], [0, 256]).reshape(64, 1)  # OpenCV 5: one axis
        near(cv.calcHist([picture], [i], None, [64], [0, 256]), theirs)
    grey = PICTURES["u1[]"] // 3
    both("equalizeHist", grey, whole=1)


# ---- dst, and what is refused ----

def test_dst(grey):
    for call in (lambda d: cv.GaussianBlur(grey, (0, 0), 2, d), lambda d: cv.blur(grey, (3, 3), d),
                 lambda d: cv.filter2D(grey, -1, KERNEL, d), lambda d: cv.Sobel(grey, -1, 1, 0, d),
                 lambda d: cv.sepFilter2D(grey, -1, KERNEL[0], KERNEL[1], d),
                 lambda d: cv.Laplacian(grey, -1, d), lambda d: cv.add(grey, grey, d),
                 lambda d: cv.threshold(grey, 9, 255, 0, d)[1], lambda d: cv.equalizeHist(grey, d)):
        given = np.zeros_like(grey)
        assert call(given) is given and (given == call(None)).all() and given.any()
    says(TypeError, "has dtype float32; the result has uint8", lambda: cv.blur(grey, (3, 3), grey.astype("f4")))
    says(ValueError, "overlaps", lambda: cv.blur(grey, (3, 3), grey))


def test_wrap_and_isolated(grey):
    assert (cv.blur(grey, (3, 3), borderType=cv.BORDER_WRAP) == gf.box(grey, border="wrap")).all()
    isolated = cv.BORDER_REFLECT | cv.BORDER_ISOLATED
    assert (cv.blur(grey, (3, 3), borderType=isolated) == gf.box(grey, border="reflect")).all()


@pytest.mark.parametrize("kind, text, call", [
    (TypeError, "blur: src has dtype float64; it takes uint8, uint16 and float32",
     lambda g: cv.blur(g.astype("f8"), (3, 3))),
    (TypeError, "blur: src has dtype bool", lambda g: cv.blur(g > 3, (3, 3))),
    (ValueError, "blur: src has shape (31, 9, 5); it must be (H, W) or (H, W, C) with 1 to 4 channels",
     lambda g: cv.blur(g.reshape(31, 9, 5), (3, 3))),
    (TypeError, "blur: ksize=3; it is (width, height)", lambda g: cv.blur(g, 3)),
    (ValueError, "getGaussianKernel: ksize=4, ktype=6; ksize must be odd", lambda g: cv.getGaussianKernel(4, 1)),
    (ValueError, "blur: ksize=(0, 3); allowed: 1 to 4095", lambda g: cv.blur(g, (0, 3))),
    (ValueError, "blur: anchor=(3, 0) in a kernel of 3x3", lambda g: cv.blur(g, (3, 3), None, (3, 0))),
    (NotImplementedError, "blur: ksize=(300, 3) with this anchor", lambda g: cv.blur(g, (300, 3), None, (0, 0))),
    (NotImplementedError, "blur: borderType=5; allowed: BORDER_CONSTANT",
     lambda g: cv.blur(g, (3, 3), borderType=cv.BORDER_TRANSPARENT)),
    (NotImplementedError, "Sobel: ddepth=6; allowed: -1, CV_8U, CV_16U, CV_16S and CV_32F; CV_32F, and",
     lambda g: cv.Sobel(g, cv.CV_64F, 1, 0)),
    (ValueError, "Sobel: dx=0, dy=0; allowed: orders whose sum is 1", lambda g: cv.Sobel(g, -1, 0, 0)),
    (ValueError, "Scharr: dx=1, dy=1; allowed: 1, 0 and 0, 1", lambda g: cv.Scharr(g, -1, 1, 1)),
    (ValueError, "Sobel: order 0 with ksize=4; ksize must be odd", lambda g: cv.Sobel(g, -1, 1, 0, ksize=4)),
    (ValueError, "Sobel: order 3 with ksize=3", lambda g: cv.Sobel(g, -1, 3, 0)),
    (NotImplementedError, "2^24: use a smaller ksize", lambda g: cv.Sobel(g, cv.CV_32F, 1, 0, ksize=31)),
    (ValueError, "GaussianBlur: ksize=(4, 4) with sigma=1.0; sides must be odd",
     lambda g: cv.GaussianBlur(g, (4, 4), 1)),
    (ValueError, "GaussianBlur: ksize=(0, 0) with sigma=0.0", lambda g: cv.GaussianBlur(g, (0, 0), 0)),
    (ValueError, "filter2D: kernel has shape (1, 1, 1) and dtype int64; it must be numbers, of two axes, rows",
     lambda g: cv.filter2D(g, -1, [[[1]]])),
    (ValueError, "filter2D: kernel has shape (3,)", lambda g: cv.filter2D(g, -1, [1, 2, 1])),
    (ValueError, "sepFilter2D: kernelY has shape (2, 2) and dtype int64; it must be numbers, in one row or column",
     lambda g: cv.sepFilter2D(g, -1, [1], [[1, 2], [3, 4]])),
    (NotImplementedError, "add: mask; numpy.where", lambda g: cv.add(g, g, mask=g)),
    (NotImplementedError, "add: src2=3 is no picture; gpufilter.map adds", lambda g: cv.add(g, 3)),
    (NotImplementedError, "multiply: scale=2", lambda g: cv.multiply(g, g, scale=2)),
    (TypeError, "magnitude: x must be float32", lambda g: cv.magnitude(g, g)),
    (NotImplementedError, "threshold: type=8; gpufilter.threshold(src) finds Otsu's",
     lambda g: cv.threshold(g, 0, 255, cv.THRESH_OTSU)),
    (NotImplementedError, "threshold: type=2 of float32",
     lambda g: cv.threshold(g.astype("f4"), 0, 1, cv.THRESH_TRUNC)),
    (NotImplementedError, "LUT: lut has shape (256, 3); it must be one table",
     lambda g: cv.LUT(g, np.zeros((256, 3), "u1"))),
    (TypeError, "LUT: lut has dtype float64", lambda g: cv.LUT(g, np.zeros(256))),
    (NotImplementedError, "integral: sdepth=5 of uint8", lambda g: cv.integral(g, sdepth=cv.CV_32F)),
    (ValueError, "may have sums beyond 2^31; use sdepth=CV_64F", lambda g: cv.integral(np.zeros((3000, 3000), "u1"))),
    (NotImplementedError, "calcHist: one channel of one picture", lambda g: cv.calcHist([g], [0], g, [8], [0, 9])),
    (ValueError, "calcHist: channels=[1] of 1", lambda g: cv.calcHist([g], [1], None, [8], [0, 9])),
    (TypeError, "equalizeHist: src has shape (31, 45) and dtype uint16", lambda g: cv.equalizeHist(g.astype("u2"))),
    (NotImplementedError, "medianBlur: there are no rank filters and no morphology; on the host: cv2.medianBlur",
     lambda g: cv.medianBlur(g, 3)),
    (AttributeError, "module 'gpufilter.cv' has no attribute 'VideoCapture'", lambda g: cv.VideoCapture),
])
def test_what_is_refused(kind, text, call, grey):
    says(kind, text, lambda: call(grey))


def test_names_are_those_of_opencv():
    names = [name for listed in cv._MISSING.values() for name in listed.split()]
    assert len(names) > 30 and [name for name in names if not hasattr(cv2, name)] == []
    assert set(names) < set(dir(cv))


def test_device_arrays_are_refused(grey):
    resident = gf.to_device(grey)
    says(TypeError, "blur: src is on the daemon's device; use the functions of gpufilter",
         lambda: cv.blur(resident, (3, 3)))
