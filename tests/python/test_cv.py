# SPDX-License-Identifier: MIT
"""gpufilter.cv compared with OpenCV on noise."""
import math

import gpufilter as gf
import numpy as np
import pytest
from conftest import same, says
from gpufilter import cv

cv2 = pytest.importorskip("cv2", reason="OpenCV, the package python3-opencv, is not installed")
cv2.ipp.setUseIPP(False)  # of builds with Intel's IPP: its roots are of another precision, on Intel's processors alone
VERSION = tuple(int(n) for n in cv2.__version__.split(".")[:2])
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
    """Checks integers within `whole`, and floats within `real` times 2^-24 of the greatest sample times the sum of
    weights."""
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    worst = np.abs(ours.astype("f8") - theirs.astype("f8")).max()
    assert worst <= (whole if ours.dtype.kind in "ui" else 256 * 2.0**-24 * real), worst


def both(name, *args, whole=0, real=0.0, **options):
    near(getattr(cv, name)(*args, **options), getattr(cv2, name)(*args, **options), whole, real)


def test_constants():
    names = [n for n in dir(cv) if (n.isupper() or n.startswith(("COLOR_", "CC_", "CCL_"))) and not n.startswith("_")
             and n not in ("CLAHE", "LUT", "PSNR")]
    assert len(names) == 141
    assert {n: getattr(cv, n) for n in names} == {n: getattr(cv2, n) for n in names}


# ---- beside OpenCV ----

@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("connectivity", [4, 8])
def test_components(share, connectivity):
    """With CCL_WU OpenCV numbers as we do; its row of a background that is not there is another one."""
    mask = (np.random.default_rng(8).random((300, 611)) < share) * np.uint8(200)
    wanted = cv2.connectedComponentsWithStatsWithAlgorithm(mask, connectivity, cv2.CV_32S, cv2.CCL_WU)
    got = cv.connectedComponentsWithStats(mask, connectivity=connectivity)
    first = int(share == 1)
    assert got[0] == wanted[0] and (got[1] == wanted[1]).all() and got[1].dtype == np.int32
    assert (got[2][first:] == wanted[2][first:]).all() and got[2].dtype == np.int32
    assert np.array_equal(got[3][first:], wanted[3][first:]) and got[3].dtype == np.float64
    labels = np.empty(mask.shape, np.int32)
    count, made = cv.connectedComponents(mask, labels, connectivity)
    assert count == wanted[0] and made is labels and (labels == wanted[1]).all()
    says(TypeError, "image has shape (2, 2) and dtype float32", lambda: cv.connectedComponents(np.ones((2, 2), "f4")))
    says(ValueError, "connectivity=6; allowed: 4 and 8", lambda: cv.connectedComponents(mask, connectivity=6))
    says(NotImplementedError, "ltype=2; allowed: CV_32S", lambda: cv.connectedComponents(mask, ltype=cv2.CV_16U))


@pytest.mark.parametrize("channels", [None, 1, 3])
def test_matchTemplate(channels):
    shape = (60, 90) if channels is None else (60, 90, channels)
    picture = np.random.default_rng(10).integers(0, 256, shape, np.uint8)
    templ = picture[20:31, 40:57].copy()
    for method in (cv.TM_CCOEFF_NORMED, cv.TM_CCORR_NORMED, cv.TM_SQDIFF_NORMED):
        wanted = cv2.matchTemplate(picture, templ, method)
        got = cv.matchTemplate(picture, templ, method)
        assert got.shape == wanted.shape == (50, 74) and got.dtype == np.float32
        assert np.abs(got - wanted).max() < 1e-5
        best = got.argmin() if method == cv.TM_SQDIFF_NORMED else got.argmax()
        assert np.unravel_index(best, got.shape) == (20, 40)
        result = np.empty(got.shape, np.float32)
        assert cv.matchTemplate(picture, templ, method, result) is result and (result == got).all()
    assert (cv.matchTemplate(picture, np.full_like(templ, 7), cv.TM_CCOEFF_NORMED) == 0).all()
    flat = np.zeros_like(picture[:20, :30])
    for method, score in ((cv.TM_CCOEFF_NORMED, 0), (cv.TM_CCORR_NORMED, 0), (cv.TM_SQDIFF_NORMED, 1)):
        assert (cv.matchTemplate(flat, templ, method, mask=np.ones(templ.shape[:2], "u1")) == score).all()
        assert (cv.matchTemplate(flat.astype("f4"), templ.astype("f4"), method) == score).all()
    weights = np.random.default_rng(11).random(templ.shape).astype("f4")
    masks = None, weights, (weights > 0.3).astype("u1"), (weights.reshape(11, 17, -1)[:, :, 0] > 0.3).astype("u1")
    for method in range(6):
        for mask, dtype in zip(masks, ("f4", "u1", "f4", "u1")):
            operands = picture[:31, :70].astype(dtype), templ.astype(dtype), method
            got, wanted = cv.matchTemplate(*operands, mask=mask), cv2.matchTemplate(*operands, mask=mask)
            assert got.shape == wanted.shape and got.dtype == np.float32
            assert np.abs(got - wanted).max() < 1e-4 * max(1, np.abs(wanted).max())


def test_distances():
    mask = (np.random.default_rng(9).random((300, 611)) < 0.999) * np.uint8(9)
    for picture in (mask, np.where(mask, np.uint8(0), np.uint8(1)), mask[:1], mask[:, 5:6].copy()):
        picture[0, 0] = 0
        wanted = cv2.distanceTransform(picture, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
        got = cv.distanceTransform(picture, cv.DIST_L2, cv.DIST_MASK_PRECISE)
        assert got.dtype == np.float32 and (got == wanted).all()
    assert np.isposinf(cv.distanceTransform(np.ones((3, 4), "u1"), 2, 0)).all()
    for kind, side in ((cv.DIST_L2, 5), (cv.DIST_L2, 3), (cv.DIST_L1, 3), (cv.DIST_C, 5)):
        assert (cv.distanceTransform(mask, kind, side) == cv2.distanceTransform(mask, kind, side)).all()
        assert np.isposinf(cv.distanceTransform(np.ones((3, 4), "u1"), kind, side)).all()
    made = np.empty(mask.shape, np.uint8)
    assert cv.distanceTransform(mask, cv.DIST_L1, 3, made, cv.CV_8U) is made
    assert (made == cv2.distanceTransform(mask, cv2.DIST_L1, 3, dstType=cv2.CV_8U)).all()
    says(NotImplementedError, "distanceType=4", lambda: cv.distanceTransform(mask, 4, 5))
    says(TypeError, "src has shape (2, 2) and dtype uint16", lambda: cv.distanceTransform(np.ones((2, 2), "u2"), 2, 0))


@pytest.mark.parametrize("l2", [False, True])
@pytest.mark.parametrize("aperture", [3, 5, 7])
def test_edges(aperture, l2):
    rng = np.random.default_rng(10)
    for channels in (1, 2, 3, 4):
        picture = cv2.GaussianBlur(rng.integers(0, 256, (150, 211, channels), np.uint8), (0, 0), 1).reshape(150, 211, channels)
        for limits in ((40.5, 200), (3000, 900), (-1, 20000), (0, math.nextafter(40000, 0)), (1e300, 100), (1e12, -1e12)):
            clipped = [min(limit, 1e9) for limit in limits]  # as integers they would wrap there
            wanted = cv2.Canny(picture, *clipped, apertureSize=aperture, L2gradient=l2)
            got = cv.Canny(picture, *limits, apertureSize=aperture, L2gradient=l2)
            assert got.shape == wanted.shape and got.dtype == np.uint8 and (got == wanted).all(), (channels, limits)


def test_edges_say_what_they_take():
    picture = np.zeros((6, 7), np.uint16)
    picture[:, 3:] = 65535
    edges = np.empty((6, 7), np.uint8)
    assert cv.Canny(picture, 1000, 200000, edges) is edges and (edges[:, 2] == 255).all() and edges.sum() == 6 * 255
    assert (cv.Canny(picture.astype(np.int16), 0, 3) == edges).all()
    says(TypeError, "image has dtype float32; it takes uint8, uint16 and int16", lambda: cv.Canny(picture.astype("f4"), 1, 2))
    says(ValueError, "apertureSize=9; allowed: 3, 5 and 7", lambda: cv.Canny(picture, 1, 2, apertureSize=9))
    says(ValueError, "threshold1=nan; it must be finite", lambda: cv.Canny(picture, math.nan, 2))


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


@pytest.mark.parametrize("dtype, bound", [("u1", 1), ("u2", 1), ("i2", 1), ("f4", 0.01)])
@pytest.mark.parametrize("channels", [(), (3,), (4,)])
def test_resize(dtype, bound, channels):
    picture = (rng.random((37, 53, *channels)) * 120).astype(dtype)
    for size in ((53, 37), (20, 11), (106, 74), (31, 90)):
        for how in (cv2.INTER_LINEAR, cv2.INTER_AREA, cv2.INTER_NEAREST_EXACT):
            if how == cv2.INTER_AREA and size[1] > 37 or size[0] > 53 and how == cv2.INTER_AREA:
                continue
            ours, theirs = cv.resize(picture, size, interpolation=how), cv2.resize(picture, size, interpolation=how)
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
            assert np.abs(ours.astype("f8") - theirs).max() <= (0 if how == cv2.INTER_NEAREST_EXACT else bound), (size, how)
    ours = cv.resize(picture, None, fx=2, fy=3)
    assert np.abs(ours.astype("f8") - cv2.resize(picture, None, fx=2, fy=3)).max() <= bound
    made = np.empty((11, 20, *channels), dtype)
    assert cv.resize(picture, (20, 11), made) is made


@pytest.mark.parametrize("how", [cv2.INTER_NEAREST, cv2.INTER_NEAREST_EXACT])
def test_nearest(how):
    """Where a centre lies on the edge between two pixels, INTER_NEAREST_EXACT of OpenCV 4.6 takes others than that of
    5."""
    for width in range(1, 80, 3):
        row = np.arange(width, dtype=np.uint8)[None]
        for size in range(1, 80, 2):
            ours, theirs = (m.resize(row, (size, 1), interpolation=how)[0].astype(int) for m in (cv, cv2))
            middles = (2 * np.arange(size) + 1) * width  # in pixels, times 2 size
            same = how == cv2.INTER_NEAREST or VERSION >= (5, 0)
            ties = np.zeros(size, bool) if same else middles % (2 * size) == 0
            assert (ours == theirs)[~ties].all() and (np.abs(ours - theirs) <= 1).all(), (width, size)
    for factor in (0.3, 0.5, 1.7, 2):
        both("resize", PICTURES["f4[3]"], None, fx=factor, fy=1 / factor, interpolation=cv2.INTER_NEAREST)


@pytest.mark.parametrize("dtype, bound", [("u1", 1), ("u2", 1), ("i2", 1), ("f4", 0.01), ("f8", 0.01)])
@pytest.mark.parametrize("channels", [(), (3,)])
@pytest.mark.parametrize("how", [cv2.INTER_LINEAR, cv2.INTER_CUBIC, cv2.INTER_AREA, cv2.INTER_LANCZOS4])
def test_resize_on_the_host(dtype, bound, channels, how):
    """OpenCV's weights; its own ways of rounding bytes differ by 1."""
    picture = (rng.random((37, 53, *channels)) * 250).astype(dtype)
    for size, factors in (((20, 90), ()), ((120, 90), ()), ((90, 20), ()), ((5, 7), ()), (None, (0.5, 0.5)), (None, (1.3, 0.41))):
        options = dict(zip(("fx", "fy"), factors), interpolation=how)
        ours, theirs = cv.resize(picture, size, **options), cv2.resize(picture, size, **options)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        assert np.abs(ours.astype("f8") - theirs).max() <= bound, (size, factors)


@pytest.mark.parametrize("dtype, bound", [("u1", 0), ("u2", 0), ("i2", 0), ("f4", 1e-4)])
@pytest.mark.parametrize("channels", [(), (3,), (4,)])
def test_pyramids(dtype, bound, channels):
    picture = (rng.random((37, 53, *channels)) * 120).astype(dtype)

    def check(ours, theirs):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        assert np.abs(ours.astype("f8") - theirs).max() <= bound

    for border in (cv2.BORDER_DEFAULT, cv2.BORDER_REPLICATE, cv2.BORDER_REFLECT, cv2.BORDER_WRAP):
        check(cv.pyrDown(picture, borderType=border), cv2.pyrDown(picture, borderType=border))
    for size in ((27, 19), (26, 19), (27, 18), (26, 18)):
        check(cv.pyrDown(picture, dstsize=size), cv2.pyrDown(picture, dstsize=size))
    check(cv.pyrUp(picture), cv2.pyrUp(picture))
    for size in ((105, 73), (106, 73), (105, 74)):
        ours = cv.pyrUp(picture, dstsize=size)
        check(ours, cv2.pyrUp(picture)[:size[1], :size[0]])
        check(ours[:72], cv2.pyrUp(picture, dstsize=size)[:72])  # the 73rd of integers is OpenCV's 74th in part
    levels, wanted = cv.buildPyramid(picture, 4), picture
    assert len(levels) == 5 and (levels[0] == picture).all()
    for level in levels[1:]:
        wanted = cv2.pyrDown(wanted)
        check(level, wanted)
    made = np.empty((19, 27, *channels), dtype)
    assert cv.pyrDown(picture, made) is made and (made == levels[1]).all()
    assert (gf.pyramid(picture, level=4) == levels[4]).all()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "i4", "f4", "f8"])
@pytest.mark.parametrize("channels", [(), (2,), (3,), (4,)])
def test_places(dtype, channels):
    picture = (rng.random((37, 53, *channels)) * 120).astype(dtype)
    for code in (-1, 0, 1, 7):
        both("flip", picture, code)
    for code in (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE):
        both("rotate", picture, code)
    both("transpose", picture)
    for border in (*BORDERS, cv2.BORDER_WRAP):
        both("copyMakeBorder", picture, 3, 40, 0, 60, border)
    for value in (7, (1, 2, 3, 4), (5, 6)):
        both("copyMakeBorder", picture, 1, 2, 3, 4, cv2.BORDER_CONSTANT, value=value)
    made = np.empty((53, 37, *channels), dtype)
    assert cv.transpose(picture, made) is made and (made == cv2.transpose(picture).reshape(made.shape)).all()


MORPHOLOGY = [n for n in dir(cv) if n.startswith("MORPH_") and n not in ("MORPH_RECT", "MORPH_CROSS", "MORPH_ELLIPSE")]
ELEMENTS = [np.ones((3, 3), "u1"), np.ones((4, 5), "u1"), np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 1]], "u1"),
            *(cv2.getStructuringElement(s, (7, 9)) for s in (cv2.MORPH_CROSS, cv2.MORPH_ELLIPSE))]


def test_elements():
    for shape in range(3):
        for size in ((1, 1), (3, 3), (4, 4), (5, 7), (8, 3), (9, 1), (1, 6), (15, 15), (31, 20)):
            both("getStructuringElement", shape, size)
    both("getStructuringElement", cv2.MORPH_CROSS, (5, 7), (0, 6))


@pytest.mark.parametrize("op", MORPHOLOGY)
def test_morphology(picture, op):
    """Asymmetric elements, which reveal a missing reflection. Elements that do not contain their anchor are tested with
    integers only: at borders OpenCV gives FLT_MAX for floats."""
    for element in ELEMENTS:
        if picture.dtype == "f4" and not element[element.shape[0] // 2, element.shape[1] // 2]:
            continue
        both("morphologyEx", picture, getattr(cv, op), element)
        both("morphologyEx", picture, getattr(cv, op), element, iterations=3)
    both("morphologyEx", picture, getattr(cv, op), ELEMENTS[1], anchor=(4, 0), borderType=cv2.BORDER_REFLECT_101)
    both("morphologyEx", picture, getattr(cv, op), ELEMENTS[2], borderType=cv2.BORDER_REPLICATE)
    both("morphologyEx", picture, getattr(cv, op), ELEMENTS[0], borderValue=(7, 8, 9, 10))
    both("erode", picture, None)
    both("dilate", picture, None, iterations=2)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("op", MORPHOLOGY)
def test_iterations_of_lopsided_elements(op, border):
    """OpenCV merges the iterations of a full element into one larger element, which matters at reflecting borders."""
    picture = PICTURES["u1[]"][:13, :21].copy()
    for element, anchor in ((np.ones((2, 2), "u1"), (-1, -1)), (np.ones((1, 4), "u1"), (-1, -1)), (np.ones((3, 3), "u1"), (0, 2)),
                            (np.ones((2, 3), "u1"), (1, 0)), (ELEMENTS[2], (1, 1))):
        for n in (1, 2, 4):
            both("morphologyEx", picture, getattr(cv, op), element, anchor=anchor, iterations=n, borderType=border)


@pytest.mark.parametrize("border", BORDERS[::3])
def test_float64(border):
    """Of float64, and CV_64F of other dtypes."""
    for name, depth in (("u1[]", cv2.CV_64F), ("u2[3]", cv2.CV_64F), ("f4[]", -1), ("f4[3]", -1)):
        picture = PICTURES[name].astype("f8") / 3 if depth == -1 else PICTURES[name]
        calls = [("filter2D", picture, depth, KERNEL.astype("f8")), ("sepFilter2D", picture, depth, KERNEL[0], KERNEL[1]),
                 ("boxFilter", picture, depth, (4, 3)), ("boxFilter", picture, depth, (3, 2), None, (0, 1), False),
                 ("Sobel", picture, depth, 1, 0), ("Sobel", picture, depth, 1, 1, None, 5, 0.5, 3), ("Scharr", picture, depth, 0, 1),
                 ("Laplacian", picture, depth), ("Laplacian", picture, depth, None, 3, 2)]
        if depth == -1:
            calls += [("GaussianBlur", picture, (0, 0), 1.5), ("GaussianBlur", picture, (5, 7), 0), ("blur", picture, (3, 4)),
                      ("threshold", picture, 30.5, 2, cv2.THRESH_TRUNC)]
        for call, *operands in calls:
            options = {} if call == "threshold" else {"borderType": border}
            ours, theirs = getattr(cv, call)(*operands, **options), getattr(cv2, call)(*operands, **options)
            ours, theirs = (ours[1], theirs[1]) if call == "threshold" else (ours, theirs)
            assert ours.dtype == theirs.dtype == np.float64 and ours.shape == theirs.shape
            assert np.abs(ours - theirs).max() <= 1e-13 * max(np.abs(theirs).max(), np.abs(picture).max()), call
    made = np.empty(PICTURES["f4[]"].shape)
    assert cv.Sobel(PICTURES["u1[]"], cv.CV_64F, 1, 0, made) is made and made.any()
    assert not cv.Scharr(np.full((9, 9), 0.1), -1, 0, 1).any()


def test_one_channel():
    """OpenCV has no axis for one channel."""
    for dtype in ("u1", "f4"):
        picture = (rng.random((20, 30, 1)) * 250).astype(dtype)
        for name, *arguments in (("blur", (3, 3)), ("medianBlur", 3), ("Sobel", cv2.CV_32F, 1, 0), ("erode", None), ("flip", 1),
                                 ("add", picture), ("resize", (9, 7)), ("pyrDown",), ("transpose",), ("split",)):
            ours, theirs = getattr(cv, name)(picture, *arguments), getattr(cv2, name)(picture, *arguments)
            assert np.shape(ours) == np.shape(theirs), name
        assert cv.merge([picture]).shape == cv2.merge([picture]).shape == (20, 30)


def test_joined(picture):
    for name in ("hconcat", "vconcat"):
        near(getattr(cv, name)([picture, picture]), getattr(cv2, name)([picture, picture]))
        says(ValueError, f"{name}: src has pictures of shapes", lambda: getattr(cv, name)([picture, picture[:5, :6]]))


def test_whole_weights_of_8_bits_are_exact():
    """Compared exactly, without a bound: the sums are exact, and so is the result in float32."""
    picture = PICTURES["u1[3]"]
    for dx, dy, size in ((1, 0, 3), (1, 1, 3), (0, 1, 5), (0, 2, 7)):
        both("Sobel", picture, cv2.CV_32F, dx, dy, ksize=size)
    both("Laplacian", picture, cv2.CV_32F, ksize=5)
    both("filter2D", picture, cv2.CV_32F, np.float32([[1, -2, 0.5], [4, 0, 8]]))


def test_arithmetic(picture):
    other = np.ascontiguousarray(picture[::-1])
    for name in ("absdiff", "add", "subtract", "min", "max"):
        both(name, picture, other)
    for name, *operands in (("bitwise_and", other), ("bitwise_or", other), ("bitwise_xor", other), ("bitwise_not",)):
        same(getattr(cv, name)(picture, *operands), getattr(cv2, name)(picture, *operands))
    both("divide", picture, other, whole=1, real=2)
    both("divide", picture, np.maximum(other, 1), scale=3, whole=1, real=2)
    both("addWeighted", picture, 0.3, other, 0.8, -5, whole=1, real=2)
    small = picture % 200 if picture.dtype.kind == "u" else picture
    both("multiply", small, small)
    near(cv.add(picture, other, dtype=cv.CV_32F), cv2.add(picture, other, dtype=cv2.CV_32F))
    if picture.dtype == "f4":
        both("magnitude", picture, other, real=2)
        both("scaleAdd", picture, 2.5, other, real=4)


@pytest.mark.parametrize("value", [7, 2.5, (1, 2, 3.5, 300), (-9,) * 4])
def test_scalars(picture, value):
    """A number is the value of all channels in arithmetic of OpenCV 5, and otherwise of the first channel alone."""
    for name in ("add", "subtract", "absdiff", "multiply", "divide", "min", "max"):
        if picture.ndim == 2 or np.ndim(value) or VERSION >= (5, 0) or name in ("min", "max"):
            both(name, picture, value, whole=name == "divide", real=2)
    same(cv.bitwise_or(picture, value), cv2.bitwise_or(picture, value))
    both("subtract", (9, 8, 7, 6), picture)
    both("add", picture, (1.5, 2.5, 3.5, 4.5), dtype=cv2.CV_32F)
    if picture.ndim == 3:
        assert (cv.add(picture, value) == cv.add(picture, [value] * 4 if np.ndim(value) == 0 else value)).all()


def test_masks_of_arithmetic(picture):
    other, inside = np.ascontiguousarray(picture[::-1]), np.random.default_rng(5).random(picture.shape[:2]) < 0.5
    for name, *operands in (("add", other), ("subtract", other), ("bitwise_and", other), ("bitwise_not",), ("add", (3, 4, 5, 6))):
        made, wanted = other.copy(), other.copy()
        assert getattr(cv, name)(picture, *operands, dst=made, mask=inside) is made
        getattr(cv2, name)(picture, *operands, dst=wanted, mask=inside.view("u1"))
        near(made, wanted)
        both(name, picture, *operands, mask=inside.astype("u1") * 7)


@pytest.mark.parametrize("dtype", ["i1", "i4", "f8"])
def test_arithmetic_of_other_dtypes(dtype):
    a, b = (rng.integers(-100, 100, (2, 20, 30, 3)) * (1.0 if dtype != "f8" else 1.37)).astype(dtype)
    for name in ("absdiff", "add", "subtract", "multiply", "min", "max", "bitwise_and", "bitwise_xor"):
        same(getattr(cv, name)(a, b), getattr(cv2, name)(a, b))
    same(cv.bitwise_not(a), cv2.bitwise_not(a))


def test_figures(picture):
    inside = (np.random.default_rng(6).random(picture.shape[:2]) < 0.5).astype("u1")
    grey = picture if picture.ndim == 2 else np.ascontiguousarray(picture[:, :, 1])
    assert cv.minMaxLoc(grey) == cv2.minMaxLoc(grey) and cv.minMaxLoc(grey, inside) == cv2.minMaxLoc(grey, inside)
    assert cv.minMaxLoc(grey, inside * 0) == cv2.minMaxLoc(grey, inside * 0)
    assert cv.countNonZero(grey // 9) == cv2.countNonZero(grey // 9)
    for mask in (None, inside, inside * 0):
        assert np.allclose(cv.mean(picture, mask), cv2.mean(picture, mask), rtol=1e-6)
        assert np.allclose(cv.meanStdDev(picture, mask=mask), cv2.meanStdDev(picture, mask=mask), rtol=1e-5)
        for kind in (cv.NORM_INF, cv.NORM_L1, cv.NORM_L2, cv.NORM_L2SQR):
            other = np.ascontiguousarray(picture[::-1])
            assert np.isclose(cv.norm(picture, kind, mask), cv2.norm(picture, kind, mask), rtol=1e-5)
            assert np.isclose(cv.norm(picture, other, kind, mask), cv2.norm(picture, other, kind, mask), rtol=1e-5)
    assert np.allclose(cv.sumElems(picture), cv2.sumElems(picture), rtol=1e-5)
    for kind, alpha, beta in ((cv.NORM_MINMAX, 0, 200), (cv.NORM_MINMAX, 1, 0), (cv.NORM_INF, 100, 0), (cv.NORM_L2, 5e3, 0)):
        both("normalize", picture, None, alpha, beta, kind, whole=1, real=2)
        both("normalize", grey, None, alpha, beta, kind, cv2.CV_32F, inside, real=2 * (1 + 256 * (picture.dtype == "u2")))
    both("convertScaleAbs", picture, None, -0.3, 20, whole=1)


def test_thresholds(picture):
    for kind in range(2 if picture.dtype == "f4" else 5):
        for thresh in (100, 100.5, -1, 255, 300):
            value, made = cv.threshold(picture, thresh, 200, kind)
            wanted = cv2.threshold(picture, thresh, 200, kind)
            assert made.dtype == picture.dtype
            near(made, wanted[1])
            assert value == wanted[0]


@pytest.mark.parametrize("flag", [cv2.THRESH_OTSU, cv2.THRESH_TRIANGLE])
def test_thresholds_that_are_found(flag):
    rng = np.random.default_rng(12)
    for sides, spread in (((40, 61), 9), ((9, 7), 60), ((1, 5), 3), ((64, 64), 0)):
        for centres in ((60, 170), (200, 30), (0, 255), (128, 128)):
            noise = rng.normal(rng.choice(centres, sides, p=(0.8, 0.2)), spread)
            picture = np.clip(noise, 0, 255).astype("u1")
            for kind in range(5):
                value, made = cv.threshold(picture, 7, 200.4, kind + flag)
                assert (value, made.tolist()) == (lambda v, m: (v, m.tolist()))(*cv2.threshold(picture, 7, 200.4, kind + flag))
    if flag == cv2.THRESH_OTSU:
        deep = rng.integers(0, 65536, (40, 61), "u2")
        assert cv.threshold(deep, 0, 9, flag)[0] == cv2.threshold(deep, 0, 9, flag)[0]


def test_adaptive_thresholds():
    grey = PICTURES["u1[]"]
    for method in range(2):
        for kind in range(2):
            for side, c, most in ((3, 2, 255), (11, -3.5, 100.6), (25, 0.5, 300)):
                both("adaptiveThreshold", grey, most, method, kind, side, c)


def test_ranges(picture):
    other = np.ascontiguousarray(picture[::-1])
    for bounds in ((40, 200.5), ((40, 30.5, 20, 10), (200, 210.5, 220, 240)), (other, picture)):
        both("inRange", picture, *bounds)


def test_medians(picture):
    for size in (3, 5) + ((7, 31) if picture.dtype == "u1" else ()):
        both("medianBlur", picture, size)


def test_signed_pictures():
    signed = rng.integers(-32768, 32768, (31, 45)).astype("i2")
    calm = (signed // 64).astype("i2")
    for border in BORDERS:
        both("blur", signed, (5, 3), borderType=border)
        both("GaussianBlur", signed, (9, 7), 1.5, borderType=border, whole=1)
        both("Sobel", calm, -1, 1, 0, borderType=border)
        both("Laplacian", calm, cv2.CV_32F, borderType=border)
        both("filter2D", calm, -1, KERNEL, delta=3, borderType=border, whole=1)
    for name in ("absdiff", "add", "subtract", "min", "max"):
        both(name, signed, np.ascontiguousarray(signed[::-1]))
    for kind in range(5):
        for thresh in (-300, 0, 20000):
            near(cv.threshold(signed, thresh, 200, kind)[1], cv2.threshold(signed, thresh, 200, kind)[1])
    says(TypeError, "integral: src has dtype int16; it takes uint8, uint16 and float32", lambda: cv.integral(signed))


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
        for mask in (None, (picture.reshape(61, 83, -1)[:, :, 0] > 90).astype("u1"), np.zeros((61, 83), "u1")):
            theirs = cv2.calcHist([picture], [i], mask, [64], [0, 256]).ravel()  # OpenCV 4: two axes
            near(cv.calcHist([picture], [i], mask, [64], [0, 256]), theirs)
        sums = np.ones((64, 1), "f4")
        assert cv.calcHist([picture], [i], None, [64], [0, 256], sums, True) is sums
        assert (sums.ravel() == 1 + cv.calcHist([picture], [i], None, [64], [0, 256])).all()
    if picture.ndim == 3 and picture.shape[2] > 1:
        near(cv.calcHist([picture], [1, 0], None, [64, 5], [0, 256, 10, 90]),
             cv2.calcHist([picture], [1, 0], None, [64, 5], [0, 256, 10, 90]))
    pair = [picture, np.ascontiguousarray(picture[::-1])]
    last = picture.shape[2] if picture.ndim == 3 else 1
    near(cv.calcHist(pair, [0, last], None, [7, 64], [0, 256, 0, 256]),
         cv2.calcHist(pair, [0, last], None, [7, 64], [0, 256, 0, 256]))
    grey = PICTURES["u1[]"] // 3
    both("equalizeHist", grey, whole=1)


def test_clahe():
    grey = PICTURES["u1[]"]
    for picture in (grey, grey.astype("u2") * 200):
        for arguments in ((), (2.0,), (0.0, (3, 5)), (-1, (1, 1)), (1e5, (2, 2))):
            ours, theirs = cv.createCLAHE(*arguments), cv2.createCLAHE(*arguments)
            assert (ours.apply(picture) == theirs.apply(picture)).all()
            assert (ours.getClipLimit(), ours.getTilesGridSize()) == (theirs.getClipLimit(), theirs.getTilesGridSize())
    made = np.empty_like(grey)
    ours.setTilesGridSize((4, 4))
    ours.setClipLimit(3)
    assert ours.apply(grey, made) is made and (made == cv2.createCLAHE(3, (4, 4)).apply(grey)).all()


def test_bilateral():
    for name in ("u1[]", "u1[3]", "f4[]", "f4[3]"):
        for d, colour, space in ((5, 40, 2), (0, 90, 1.5), (4, 1, 1), (9, 200, 3)):
            for border in BORDERS:
                both("bilateralFilter", PICTURES[name], d, colour, space, borderType=border, whole=1, real=100)  # OpenCV interpolates f32


@pytest.mark.parametrize("d, colour, space", [(5, 0, 2), (5, -1, 2), (5, 40, 0), (5, 40, -1), (0, 0, 0), (400, 0, 9)])
def test_bilateral_without_a_sigma(picture, d, colour, space):
    """OpenCV 4.6 takes 1 for it; 4.14 and 5.0 leave the picture as it is."""
    made = np.empty_like(picture)
    assert cv.bilateralFilter(picture, d, colour, space, made) is made and (made == picture).all()
    if VERSION >= (4, 14) and picture.dtype != "u2" and picture.shape[2:] != (4,):
        both("bilateralFilter", picture, d, colour, space)


# ---- channels ----

CODES = [n for n in dir(cv) if n.startswith("COLOR_") and not any(w in n.upper() for w in ("YUV", "LAB", "LUV", "XYZ", "HLS"))]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("dtype", ("u1", "u2", "f4"))
def test_colours(name, dtype):
    """OpenCV's weights for integers are fixed-point numbers, its weights of YCrCb have three digits, and it adds
    FLT_EPSILON to the divisors of hue and saturation in float32. float32 samples are 0 to 1 here, except hues."""
    code, (source, made) = getattr(cv, name), name[6:].split("2")
    if dtype == "u2" and "HSV" in name:
        says(TypeError, "HSV takes uint8 and float32", lambda: cv.cvtColor(np.zeros((2, 2, 3), dtype), code))
        return
    channels = 1 if source == "GRAY" else 4 if source.endswith("A") else 3
    picture = (rng.random((61, 83, channels)) * {"u1": 256, "u2": 65536, "f4": 1}[dtype]).astype(dtype)
    if source == "HSV":
        picture[..., 0] = rng.random((61, 83)) * (360 if dtype == "f4" else 255 if "FULL" in name else 179)
    picture = picture[..., 0] if channels == 1 else picture
    ours, theirs = cv.cvtColor(picture, code), cv2.cvtColor(picture, code)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    moves = not any(word in name for word in ("2GRAY", "HSV", "YCrCb"))
    difference = np.abs(ours.astype("f8") - theirs)
    if made.startswith("HSV"):  # 0 is a full turn
        turn = 360 if dtype == "f4" else 256 if "FULL" in name else 180
        difference[..., 0] = np.minimum(difference[..., 0], turn - difference[..., 0])
    limit = {"u1": 1, "u2": 40 if "YCrCb" in name else 2, "f4": 6e-4 if "YCrCb" in name else 2e-6}[dtype]
    if made.startswith("HSV") and dtype == "f4":
        assert difference[..., 0].max() <= 0.02 and difference[..., 1].max() <= 2e-5
        difference = difference[..., 2]
    assert difference.max() <= (0 if moves else limit), (name, difference.max())
    out = np.empty_like(ours)
    assert cv.cvtColor(picture, code, out) is out and np.array_equal(out, ours)


@pytest.mark.parametrize("name", ["BGR2LAB", "RGB2Lab", "LAB2BGR", "Lab2RGB"])
def test_lab(name):
    """Exact: of all 2^24 colours 200 000, and the corners."""
    code = getattr(cv, f"COLOR_{name}")
    picture = np.random.default_rng(13).integers(0, 256, (200, 1000, 3), "u1")
    picture[0] = picture[0] // 128 * 255
    made = np.empty_like(picture)
    assert cv.cvtColor(picture, code, made) is made
    same(made, cv2.cvtColor(picture, code))
    says(TypeError, "dtype float32; code=", lambda: cv.cvtColor(picture.astype("f4"), code))


@pytest.mark.parametrize("name", [n for n in dir(cv) if n.startswith("COLOR_YUV2") and "_" in n[10:]])
def test_video(name):
    """OpenCV has fixed-point weights and treats Y below 16 as 16."""
    code = getattr(cv, name)
    assert code == getattr(cv2, name)
    frame = rng.integers(0, 256, (96, 86), "u1")
    frame[:64] = np.maximum(frame[:64], 16)
    ours, theirs = cv.cvtColor(frame, code), cv2.cvtColor(frame, code)
    assert ours.shape == theirs.shape == (64, 86, 3) and ours.dtype == theirs.dtype
    assert np.abs(ours.astype(int) - theirs).max() <= 1
    out = np.empty_like(ours)
    assert cv.cvtColor(frame, code, out) is out and np.array_equal(out, ours)
    if "NV" in name:
        y, pairs = frame[:64], frame[64:].reshape(32, 43, 2)
        assert np.array_equal(cv.cvtColorTwoPlane(y, pairs, code), ours)


def test_channels(picture):
    rgb = picture if picture.ndim == 3 else np.dstack([picture] * 3)
    parts = cv.split(rgb)
    assert all(np.array_equal(a, b) for a, b in zip(parts, cv2.split(rgb))) and len(parts) == rgb.shape[2]
    assert np.array_equal(cv.merge(parts), rgb)
    assert np.array_equal(cv.merge([parts[0], rgb[:, :, :2]]), np.dstack([parts[0], rgb[:, :, :2]]))
    assert np.array_equal(cv.split(parts[0])[0], parts[0])
    m = np.array([[0.25, 0.5, 0.125], [1, -1, 0.5]], "f4")[:, :rgb.shape[2]]
    m = np.pad(m, ((0, 0), (0, rgb.shape[2] - 3)))
    near(cv.transform(rgb, m), cv2.transform(rgb, m), whole=1, real=8)
    more = np.pad(m, ((0, 0), (0, 1)), constant_values=3.5)
    near(cv.transform(rgb, more), cv2.transform(rgb, more), whole=1, real=8)


@pytest.mark.parametrize("n", [0, 255, 256, 600])
@pytest.mark.parametrize("op", range(7))
def test_iterations(op, n):
    picture = rng.integers(0, 256, (9, 700, 3), "u1")
    picture[:, 60:640] = picture[:, 60:640] // 8 + 100
    kernel = np.array([[1, 1, 0]], "u1")
    for deep in (picture, picture[:, :, 0].copy(), picture[:, :, 1].astype("f4")):
        both("morphologyEx", deep, op, kernel, iterations=n)
        dst = np.empty_like(deep)
        assert cv.morphologyEx(deep, op, kernel, dst, iterations=n) is dst
        same(dst, cv2.morphologyEx(deep, op, kernel, iterations=n))
    made = cv.erode(picture, kernel, iterations=0)
    assert not np.may_share_memory(made, picture)
    same(made, picture)
    for wrong in (-1, 65536):
        says(ValueError, f"dilate: iterations={wrong}; allowed: 0 to 65535", lambda: cv.dilate(picture, None, iterations=wrong))


def test_numbers_of_numpy(grey):
    """A constant may be a number of numpy's, or an array without axes."""
    half = np.arange(45) % 2 * np.ones((31, 1), "u1")
    for one in (np.int64(cv.NORM_L1), np.array(cv.NORM_L1)):
        assert cv.norm(grey, one) == cv.norm(grey, normType=one) == grey.sum(dtype=int)
        assert cv.norm(grey, one, half.astype("u1")) == grey[:, 1::2].sum(dtype=int)
        assert cv.norm(grey, half.astype("u1"), one) == np.abs(grey - half).sum()
    same(cv.morphologyEx(grey, np.array(cv.MORPH_OPEN), None), cv.morphologyEx(grey, cv.MORPH_OPEN, None))


# ---- dst and borders ----

def test_dst(grey):
    for call in (lambda d: cv.GaussianBlur(grey, (0, 0), 2, d), lambda d: cv.blur(grey, (3, 3), d),
                 lambda d: cv.filter2D(grey, -1, KERNEL, d), lambda d: cv.Sobel(grey, -1, 1, 0, d),
                 lambda d: cv.sepFilter2D(grey, -1, KERNEL[0], KERNEL[1], d),
                 lambda d: cv.Laplacian(grey, -1, d), lambda d: cv.add(grey, grey, d),
                 lambda d: cv.threshold(grey, 9, 255, 0, d)[1], lambda d: cv.equalizeHist(grey, d)):
        given = np.zeros_like(grey)
        assert call(given) is given and (given == call(None)).all() and given.any()
    says(TypeError, "has dtype float32; the result has uint8", lambda: cv.blur(grey, (3, 3), grey.astype("f4")))


IN_PLACE = {
    "blur": ((3, 3),), "GaussianBlur": ((0, 0), 2), "medianBlur": (3,), "Sobel": (-1, 1, 0), "filter2D": (-1, KERNEL),
    "erode": (None,), "morphologyEx": (cv.MORPH_TOPHAT, None), "add": (7,), "multiply": (2,), "absdiff": (9,),
    "convertScaleAbs": (), "bitwise_not": (), "threshold": (99, 200, 0), "flip": (1,), "rotate": (cv.ROTATE_180,),
    "Canny": (50, 120), "equalizeHist": (), "LUT": (np.arange(256)[::-1].astype("u1"),)}


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(grey, name):
    """dst is src, a part of the same memory, or given by its name."""
    ours, where = getattr(cv, name), "edges" if name == "Canny" else "dst"
    wanted = ours(grey, *IN_PLACE[name])
    wanted = wanted[1] if name == "threshold" else wanted
    work = grey.copy()
    made = ours(work, *IN_PLACE[name], **{where: work})
    assert (made[1] if name == "threshold" else made) is work and type(made) is (tuple if name == "threshold" else np.ndarray)
    same(work, wanted)
    both_rows = np.concatenate([grey, grey[:1]])
    ours(both_rows[:-1], *IN_PLACE[name], **{where: both_rows[1:]})
    same(np.ascontiguousarray(both_rows[1:]), wanted)


def test_in_place_operands(grey):
    other, mask = grey[::-1].copy(), (grey > 99).astype("u1")
    for at in (0, 1):
        work = [grey.copy(), other.copy()]
        assert cv.subtract(*work, work[at], mask) is work[at]
        same(work[at], np.where(mask != 0, grey.clip(other) - other, (grey, other)[at]))
    work = np.dstack([grey] * 3)
    assert cv.merge([grey, work[:, :, 1], other], work) is work
    same(work, np.dstack([grey, grey, other]))
    grey.flags.writeable = False
    says(ValueError, "dst", lambda: cv.blur(grey, (3, 3), grey))


@pytest.mark.parametrize("dtype", ["u1", "u2", "i4", "f4"])
def test_results_of_float64(dtype):
    """Arithmetic with a result of float64 is computed in float64, whatever the pictures are."""
    a, b = (np.random.default_rng(k).integers(1, 250, (9, 14)).astype(dtype) for k in (4, 5))
    p, q, options = a.astype("f8"), b.astype("f8"), {"dtype": cv.CV_64F}
    same(cv.add(a, 0.1, **options), p + 0.1)
    same(cv.subtract(0.1, b, **options), 0.1 - q)
    same(cv.multiply(a, b, scale=0.3, **options), 0.3 * p * q)
    same(cv.divide(a, b, **options), p / q)
    near(cv.addWeighted(a, 0.3, b, 0.8, 3.5, **options), p * 0.3 + q * 0.8 + 3.5, real=1e-6)
    made = cv.normalize(a, None, 10, 200.3, cv.NORM_MINMAX, cv.CV_64F)
    near(made, cv2.normalize(a, None, 10, 200.3, cv.NORM_MINMAX, cv.CV_64F), real=1e-6)
    mask = (np.arange(126).reshape(9, 14) % 3 == 0).astype("u1")
    same(cv.add(a, 0.1, mask=mask, **options), np.where(mask != 0, p + 0.1, 0))
    zeros = np.zeros_like(a)
    assert np.isinf(cv.divide(a, zeros, **options)).all() and np.isinf(cv.divide(a, zeros, dtype=cv.CV_32F)).all()
    assert dtype == "f4" or not cv.divide(a, zeros).any()
    same(cv.add(a, 2.6, dtype=cv.CV_16S), np.rint(a + (2.6 if dtype == "f4" else 3)).clip(max=32767).astype("i2"))


def test_wrap_and_isolated(grey):
    assert (cv.blur(grey, (3, 3), borderType=cv.BORDER_WRAP) == gf.box(grey, border="wrap")).all()
    isolated = cv.BORDER_REFLECT | cv.BORDER_ISOLATED
    assert (cv.blur(grey, (3, 3), borderType=isolated) == gf.box(grey, border="reflect")).all()
