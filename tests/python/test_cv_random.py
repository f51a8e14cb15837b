# SPDX-License-Identifier: MIT
"""gpufilter.cv beside OpenCV 5 on random pictures with random arguments: the same shapes, dtypes and samples, but for
roundings. What numerics.md and python.md list as different is not drawn."""
import numpy as np
import pytest
from gpufilter import cv

cv2 = pytest.importorskip("cv2", "5.0", reason="OpenCV 5 is not installed; build/newest has it")
cv2.ipp.setUseIPP(False)
ROUNDS = 12
SHAPES = ((1, 1), (1, 9), (9, 1), (7, 21), (16, 16), (31, 45, 3), (12, 17, 4), (20, 33, 2), (13, 8, 1), (40, 64))
GREY = [s for s in SHAPES if len(s) == 2]
MOST = {"u1": 255, "u2": 65535, "i2": 32767, "f4": 255, "f8": 255, "i1": 127, "i4": 30000}
PICTURES, LINEAR, ALL = ("u1", "u2", "i2", "f4"), ("u1", "u2", "i2", "f4", "f8"), tuple(MOST)
BORDERS = (cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE, cv2.BORDER_REFLECT, cv2.BORDER_REFLECT_101)
DEPTHS = {"u1": (-1, cv2.CV_16S, cv2.CV_32F, cv2.CV_64F), "u2": (-1, cv2.CV_32F, cv2.CV_64F),
          "i2": (-1, cv2.CV_32F, cv2.CV_64F), "f4": (-1,), "f8": (-1,)}


class Drawn:
    """Draws arguments."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self, *values):
        return values[self.rng.integers(len(values))]

    def size(self, most):
        return int(self.rng.integers(1, most + 1)), int(self.rng.integers(1, most + 1))

    def picture(self, dtypes=PICTURES, shapes=SHAPES):
        dtype, shape = self.one(*dtypes), self.one(*shapes)
        most = MOST[dtype] / self.one(1, 1, 16)
        least = -most if dtype[0] == "i" else 0
        return (self.rng.random(shape) * (most - least) + least).astype(dtype)

    def pair(self, dtypes=ALL):
        first = self.picture(dtypes)
        return first, self.picture((first.dtype.str[1:],), (first.shape,))

    def pair_or_scalar(self):
        first, second = self.pair()
        if first.size > 1 and self.rng.random() < 0.4:
            second = self.one(7, 2.5, -3.5, tuple(self.rng.integers(-20, 300, 4).tolist()))
        return first, second

    def mask(self, picture):
        return self.one(None, (self.rng.random(picture.shape[:2]) < 0.5).astype("u1"))

    def result(self):
        """The dtype of a result of arithmetic."""
        return self.one(-1, -1, cv2.CV_8U, cv2.CV_16S, cv2.CV_32S, cv2.CV_32F, cv2.CV_64F, cv2.CV_64F)

    def depth(self, picture):
        return self.one(*DEPTHS[picture.dtype.str[1:]])


def linear(name, *arguments):
    def draw(d):
        picture = d.picture(LINEAR)
        return (name, picture, d.depth(picture), *[a(d) for a in arguments]), {"borderType": d.one(*BORDERS)}
    return draw


def masked(name, **more):
    def draw(d):
        first, second = d.pair_or_scalar()
        return (name, first, second), {"mask": d.mask(first), **{what: a(d) for what, a in more.items()}}
    return draw


def plain(name, draw_operands, **more):
    return lambda d: ((name, *draw_operands(d)), {what: a(d) for what, a in more.items()})


def alone(name, dtypes=PICTURES, shapes=SHAPES, *arguments):
    return lambda d: ((name, d.picture(dtypes, shapes), *[a(d) for a in arguments]), {})


def morphology(name):
    def draw(d):
        return (name, d.picture(), np.ones(d.size(4), "u1")), {"iterations": d.one(1, 2, 3), "borderType": d.one(*BORDERS)}
    return draw


def thresholds(d):
    flag = d.one(0, 0, cv2.THRESH_OTSU, cv2.THRESH_TRIANGLE)
    picture = d.picture(("u1",) if flag else LINEAR, GREY if flag else SHAPES)
    return ("threshold", picture, d.one(100.5, -3, 300, 20), d.one(255, 200.4), d.one(0, 1, 2, 3, 4) + flag), {}


def resizes(d):
    how, picture = d.one(0, 1, 2, 3, 4, 6), d.picture(LINEAR)
    factors = {"fx": d.one(0.5, 0.3, 2, 1.7), "fy": d.one(0.5, 0.41, 2, 1.3)}
    if d.one(True, False) or min(picture.shape[:2]) < 3:
        return ("resize", picture, d.size(60)), {"interpolation": how}
    return ("resize", picture, None), {"interpolation": how, **factors}


def histograms(d):
    picture, n = d.picture(("u1", "u2", "f4")), d.one(1, 2)
    last = picture.shape[2] if picture.ndim == 3 else 1
    channels = d.rng.integers(0, last, n).tolist()
    return ("calcHist", [picture], channels, d.mask(picture), list(d.size(40))[:n], [0, 256] * n), {}


def matches(d):
    picture = d.picture(("u1", "f4"), ((16, 16), (31, 45, 3), (20, 33, 2)))
    templ = picture[3:3 + d.one(2, 5, 7), 4:4 + d.one(2, 6, 8)].copy()
    weights = d.rng.random(templ.shape).astype("f4")
    return ("matchTemplate", picture, templ, d.one(*range(6))), {"mask": d.one(None, weights, (weights > 0.3).astype("u1"))}


def distances(d):
    picture = (d.rng.random(d.one(*GREY)) < d.one(0.5, 0.9, 0.99)).astype("u1")
    picture[0, 0] = 0
    return ("distanceTransform", picture, *d.one((2, 0), (2, 3), (2, 5), (1, 3), (3, 3))), {}


def odd(most):
    return lambda d: 2 * int(d.rng.integers(0, most)) + 1


CASES = {  # a draw, and how far integers and, in parts of the greatest value, floats may be apart
    "filter2D": (linear("filter2D", lambda d: d.rng.normal(size=d.size(5))), 1, 1e-5),
    "sepFilter2D": (linear("sepFilter2D", lambda d: d.rng.normal(size=5), lambda d: d.rng.normal(size=3)), 1, 1e-5),
    "boxFilter": (linear("boxFilter", lambda d: d.size(6)), 1, 1e-5),
    "Sobel": (linear("Sobel", lambda d: 1, lambda d: d.one(0, 1)), 0, 1e-6),
    "Scharr": (linear("Scharr", lambda d: 0, lambda d: 1), 0, 1e-6),
    "Laplacian": (linear("Laplacian", lambda d: None, lambda d: d.one(1, 3)), 0, 1e-6),
    "blur": (alone("blur", LINEAR, SHAPES, lambda d: d.size(7)), 1, 1e-5),
    "GaussianBlur": (alone("GaussianBlur", LINEAR, SHAPES, lambda d: d.one((0, 0), (5, 7)), lambda d: d.one(0.7, 2)), 3, 1e-5),
    "medianBlur": (alone("medianBlur", PICTURES, SHAPES[3:], lambda d: d.one(3, 5)), 0, 0),
    "erode": (morphology("erode"), 0, 0), "dilate": (morphology("dilate"), 0, 0),
    "Canny": (alone("Canny", ("u1",), SHAPES[3:6], lambda d: d.one(30, 200), lambda d: d.one(90, 400)), 0, 0),
    **{name: (masked(name, dtype=Drawn.result), 0, 0) for name in ("add", "subtract")},
    **{name: (masked(name), 0, 0) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
    "absdiff": (plain("absdiff", Drawn.pair_or_scalar), 0, 0), "min": (plain("min", Drawn.pair_or_scalar), 0, 0),
    "max": (plain("max", Drawn.pair_or_scalar), 0, 0),
    "multiply": (plain("multiply", lambda d: d.pair(("u1", "i2", "f4", "f8", "i1", "i4")), dtype=Drawn.result,
                       scale=lambda d: d.one(1, 2, 0.3)), 1, 1e-7),
    "divide": (plain("divide", lambda d: d.pair(("u1", "u2", "f4", "f8")), dtype=Drawn.result,
                     scale=lambda d: d.one(1, 2, 0.3)), 1, 1e-7),
    "addWeighted": (plain("addWeighted", lambda d: (lambda a, b: (a, 0.3, b, 0.8, 3.5))(*d.pair()), dtype=Drawn.result), 1, 1e-7),
    "bitwise_not": (alone("bitwise_not", ALL), 0, 0), "convertScaleAbs": (alone("convertScaleAbs", LINEAR), 1, 0),
    "normalize": (alone("normalize", LINEAR, SHAPES, lambda d: None, lambda d: 0, lambda d: 200, lambda d: cv2.NORM_MINMAX,
                        Drawn.result), 1, 2e-6),
    "inRange": (alone("inRange", ALL, SHAPES, lambda d: (-3.5, 20, 30, 0), lambda d: (100, 200.5, 1e4, 90)), 0, 0),
    "threshold": (thresholds, 0, 0),
    "adaptiveThreshold": (alone("adaptiveThreshold", ("u1",), GREY, lambda d: 255, lambda d: d.one(0, 1), lambda d: d.one(0, 1),
                                lambda d: d.one(3, 11), lambda d: d.one(2, -3.5)), 0, 0),
    "minMaxLoc": (alone("minMaxLoc", ALL, GREY), 0, 0), "countNonZero": (alone("countNonZero", ALL, GREY), 0, 0),
    "mean": (alone("mean", ALL), 0, 2e-5), "meanStdDev": (alone("meanStdDev", ALL), 0, 2e-5),
    "norm": (plain("norm", lambda d: (*d.pair(), d.one(1, 2, 4, 5))), 0, 1e-5),
    "flip": (alone("flip", ALL, SHAPES, lambda d: d.one(-1, 0, 1)), 0, 0), "transpose": (alone("transpose", ALL), 0, 0),
    "copyMakeBorder": (alone("copyMakeBorder", ALL, SHAPES, *[lambda d: d.one(0, 2, 9)] * 4, lambda d: d.one(0, 1, 2, 3, 4)), 0, 0),
    "hconcat": (plain("hconcat", lambda d: (list(d.pair()),)), 0, 0), "resize": (resizes, 1, 1e-5),
    "pyrDown": (alone("pyrDown"), 0, 1e-6), "integral": (alone("integral", ("u1", "f4")), 0, 2e-5),
    "calcHist": (histograms, 0, 0), "distanceTransform": (distances, 0, 0), "matchTemplate": (matches, 0, 1e-4),
    "split": (alone("split"), 0, 0)}

EXACT = ("add", "subtract", "multiply", "divide", "addWeighted", "normalize")  # results of float64 are of its precision


def arrays(result):
    return [a for part in result for a in arrays(part)] if isinstance(result, tuple) else [np.asarray(result)]


@pytest.mark.parametrize("name", CASES)
def test_random(name):
    (draw, whole, real), compared = CASES[name], 0
    for seed in range(ROUNDS):
        (called, *operands), options = draw(Drawn([seed, *map(ord, name)]))
        try:
            theirs = arrays(getattr(cv2, called)(*operands, **options))
        except cv2.error:
            continue  # a dtype or a scalar that OpenCV does not take
        compared += 1
        ours = arrays(getattr(cv, called)(*operands, **options))
        assert [(a.dtype, a.shape) for a in ours] == [(a.dtype, a.shape) for a in theirs], seed
        for a, b in zip(ours, theirs):
            with np.errstate(invalid="ignore"):  # bits of floats are any floats
                greatest = max(np.max(np.abs(x.astype("f8")), initial=0, where=np.isfinite(x))
                               for x in (b, *operands) if isinstance(x, np.ndarray))
                most = real * greatest * (2.0**-29 if a.dtype == "f8" and name in EXACT else 1)
                apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.abs(a.astype("f8") - b))
            assert apart.max() <= (whole if a.dtype.kind in "iu" else most), (seed, operands, options)
    assert compared > ROUNDS / 2
