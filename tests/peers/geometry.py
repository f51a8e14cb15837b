# SPDX-License-Identifier: MIT
"""Pixels that change places, and other sizes, beside NumPy, OpenCV and Pillow, which rounds to whole numbers between its
passes over u8 and adds in f64. Called by peers.py."""
import cv2
import numpy as np
from PIL import Image

from support import CV_BORDERS, U, run

FILTERS = {"linear": Image.BILINEAR, "cubic": Image.BICUBIC, "lanczos3": Image.LANCZOS}
SIZES = ((40, 30), (65, 48), (97, 131), (200, 50), (7, 190), (262, 194), (1, 1))
NEGATIVE = {"linear": 1.0, "cubic": 1.3, "lanczos3": 1.6}  # sums of magnitudes of weights, at most
SHAPES = ((97, 131), (64, 80, 3), (33, 50, 4), (71, 38, 2), (1, 1), (1, 9), (8, 1), (2, 3), (3, 2, 3))

rng = np.random.default_rng(22)
NOISE = rng.integers(0, 256, (97, 131, 3), np.uint8)
CALM = rng.integers(96, 160, (97, 131, 3), np.uint8)  # no sum of a pass leaves 0 to 255, where Pillow would cut it off
ALPHA = rng.integers(0, 256, (97, 131, 4), np.uint8)
REAL = (rng.random((97, 131)) * 255).astype("f4")


def places(t):
    numbers = np.arange(31 * 45 * 3).reshape(31, 45, 3)
    for dtype in ("u1", "i2", "f4", "f8", "i8"):
        x = (numbers % 251).astype(dtype)
        turned = run("rotate", x)
        t.exact("rotate 90 %s" % dtype, "np.rot90 -1", turned, np.rot90(x, -1))
        t.exact("rotate 270 %s" % dtype, "np.rot90", run("rotate", x, angle=270), np.rot90(x))
        t.exact("transpose %s" % dtype, "np.swapaxes", run("transpose", x), x.swapaxes(0, 1))
        t.exact("flip both %s" % dtype, "np.flip", run("flip", x, axis="both"), np.flip(x, (0, 1)))
        t.exact("crop %s" % dtype, "numpy slices", run("crop", x, size="20x9", at="13,5"), x[5:14, 13:33])
        for border, mode in (("replicate", "edge"), ("wrap", "wrap"), ("reflect", "symmetric"),
                             ("reflect101", "reflect"), ("constant", "constant")):
            left, below = (44, 30) if border == "wrap" else (70, 40)  # NumPy before 1.25 wraps further wrongly
            t.exact("pad %s %s" % (border, dtype), "np.pad",
                    run("pad", x, margin="%d,3,1,%d" % (left, below), border=border),
                    np.pad(x, ((3, below), (left, 1), (0, 0)), mode))
    x = (numbers % 251).astype("u1")
    for code, angle in ((cv2.ROTATE_90_CLOCKWISE, 90), (cv2.ROTATE_180, 180), (cv2.ROTATE_90_COUNTERCLOCKWISE, 270)):
        t.exact("rotate %d u8" % angle, "cv2.rotate", run("rotate", x, angle=angle), cv2.rotate(x, code))
    for border, mode in CV_BORDERS.items():
        t.exact("pad %s u8" % border, "cv2.copyMakeBorder", run("pad", x, margin="4,3,2,1", border=border),
                cv2.copyMakeBorder(x, 3, 1, 4, 2, mode))
    t.exact("pad constant u8", "cv2.copyMakeBorder", run("pad", x, margin=5, border_value="1,2,3"),
            cv2.copyMakeBorder(x, 5, 5, 5, 5, cv2.BORDER_CONSTANT, value=(1, 2, 3)))


def pillow(array, size, code, box=None):
    return np.asarray(Image.fromarray(array).resize(size, code, box=box))


def taps(was, now):
    return 2 * 3 * max(was / now, 1) + 2


def beside_pillow(t):
    for width, height in SIZES:
        size, text = "%dx%d" % (width, height), "131x97 to %dx%d" % (width, height)
        for filter, code in FILTERS.items():
            t.within("resize %s u8 %s" % (filter, text), "Pillow", run("resize", CALM, size=size, filter=filter),
                     pillow(CALM, (width, height), code), 1)
            bound = (taps(131, width) + taps(97, height) + 3) * U * 255 * NEGATIVE[filter]**2
            t.within("resize %s f32 %s" % (filter, text), "Pillow", run("resize", REAL, size=size, filter=filter),
                     pillow(REAL, (width, height), code), bound)
        t.exact("resize nearest u8 %s" % text, "Pillow", run("resize", NOISE, size=size, filter="nearest"),
                pillow(NOISE, (width, height), Image.NEAREST))
    for filter, code in FILTERS.items():
        t.within("resize %s u8 box" % filter, "Pillow", run("resize", CALM, size="33x60", filter=filter,
                                                            box="10.5,3.25,90,80.5"),
                 pillow(CALM, (33, 60), code, (10.5, 3.25, 100.5, 83.75)), 1)
    for ratio in (2, 3, 5):
        x = REAL[:90, :120].copy()
        t.within("resize area f32 to 1/%d" % ratio, "Pillow BOX", run("resize", x, scale=1 / ratio, filter="area"),
                 pillow(x, (120 // ratio, 90 // ratio), Image.BOX), 16 * U * 255)
    ours = run("resize", ALPHA, size="40x30", alpha="auto")
    theirs = np.asarray(Image.fromarray(ALPHA).resize((40, 30), Image.BICUBIC))
    t.within("resize cubic u8 RGBA, alpha", "Pillow", ours[..., 3], theirs[..., 3], 1)
    seen = theirs[..., 3] > 64
    t.differs("resize cubic u8 RGBA, where alpha is 65 and more", "Pillow", ours[seen], theirs[seen], 4,
              "Pillow rounds colours times alpha to 8 bits")
    t.differs("resize lanczos3 u8, noise to 262x194", "Pillow", run("resize", NOISE, size="262x194", filter="lanczos3"),
              pillow(NOISE, (262, 194), Image.LANCZOS), None, "Pillow cuts off between its passes what leaves 0 to 255")


def beside_opencv(t):
    for width, height in SIZES:
        size, text = "%dx%d" % (width, height), "131x97 to %dx%d" % (width, height)
        plain = {"size": size, "filter": "linear", "antialias": 0}
        t.within("resize linear, antialias=0, u8 %s" % text, "cv2.resize INTER_LINEAR", run("resize", NOISE, **plain),
                 cv2.resize(NOISE, (width, height), interpolation=cv2.INTER_LINEAR), 1)
        # OpenCV has positions in f32: an error of the position is one of the weights.
        t.within("resize linear, antialias=0, f32 %s" % text, "cv2.resize INTER_LINEAR", run("resize", REAL, **plain),
                 cv2.resize(REAL, (width, height), interpolation=cv2.INTER_LINEAR), 255 * 131 * 4 * U)
        if width <= 131 and height <= 97:
            t.within("resize area u8 %s" % text, "cv2.resize INTER_AREA", run("resize", NOISE, size=size, filter="area"),
                     cv2.resize(NOISE, (width, height), interpolation=cv2.INTER_AREA), 1)
            t.within("resize area f32 %s" % text, "cv2.resize INTER_AREA", run("resize", REAL, size=size, filter="area"),
                     cv2.resize(REAL, (width, height), interpolation=cv2.INTER_AREA), 255 * 131 * 4 * U)
        t.exact("resize nearest u8 %s" % text, "cv2.resize INTER_NEAREST_EXACT",
                run("resize", NOISE, size=size, filter="nearest"),
                cv2.resize(NOISE, (width, height), interpolation=cv2.INTER_NEAREST_EXACT))
    half = NOISE[:96, :130]
    t.differs("resize area u8 to 1/2", "cv2.resize INTER_AREA", run("resize", half, scale=0.5, filter="area"),
              cv2.resize(half, (65, 48), interpolation=cv2.INTER_AREA), 1, "OpenCV takes halves up")
    t.differs("resize cubic, antialias=0, u8", "cv2.resize INTER_CUBIC",
              run("resize", NOISE, size="262x194", antialias=0),
              cv2.resize(NOISE, (262, 194), interpolation=cv2.INTER_CUBIC), None, "OpenCV has a = -0.75")


def sizes(t):
    beside_pillow(t)
    beside_opencv(t)


def noise(rng, dtype, shape):
    if dtype == "f4":
        return (rng.random(shape) * 255 - 100).astype("f4")
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def compare(t, case, peer, ours, theirs, x):
    if x.dtype == np.float32:
        t.within(case, peer, ours, theirs, 14 * U * np.abs(x).max())
    else:
        t.exact(case, peer, ours, theirs)


def pyramids(t):
    rng, borders = np.random.default_rng(26), {**CV_BORDERS, "wrap": cv2.BORDER_WRAP}
    for dtype, name in (("u1", "u8"), ("u2", "u16"), ("i2", "i16"), ("f4", "f32")):
        for shape in SHAPES:
            x, text = noise(rng, dtype, shape), "%s %s" % (name, "x".join(map(str, shape)))
            for border, code in borders.items():
                compare(t, "pyramid %s %s" % (text, border), "cv2.pyrDown", run("pyramid", x, border=border),
                        cv2.pyrDown(x, borderType=code), x)
            compare(t, "pyramid up %s" % text, "cv2.pyrUp", run("pyramid", x, direction="up"), cv2.pyrUp(x), x)
        x = noise(rng, dtype, (97, 131, 3))
        theirs = cv2.pyrDown(cv2.pyrDown(cv2.pyrDown(x)))
        compare(t, "pyramid %s level 3" % name, "cv2.pyrDown", run("pyramid", x, level=3), theirs, x)
        theirs = cv2.pyrUp(cv2.pyrUp(x))
        compare(t, "pyramid up %s level 2" % name, "cv2.pyrUp", run("pyramid", x, level=2, direction="up"), theirs, x)
