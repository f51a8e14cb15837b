# SPDX-License-Identifier: MIT
"""Filters over windows beside SciPy, OpenCV and Pillow. Called by peers.py."""
import cv2
import numpy as np
from PIL import Image, ImageFilter
from scipy import ndimage

from support import BORDERS, CV_BORDERS, NOISE, NOISE16, REAL, SIGNED, SOFT, U, rng, run


def masks(t):
    mask = rng.normal(size=(5, 7)).astype("f4")
    for border, mode in BORDERS.items():
        more = {"border_value": 9} if border == "constant" else {}
        for op, theirs in (("correlate", ndimage.correlate), ("convolve", ndimage.convolve)):
            wide, w = REAL.astype("f8"), mask.astype("f8")
            t.within("%s f32 7x5 %s" % (op, border), "scipy f64", run(op, REAL, mask=mask, border=border, **more),
                     theirs(wide, w, mode=mode, cval=9), 37 * U * theirs(wide, np.abs(w), mode=mode, cval=9))
    whole = rng.integers(-9, 10, (4, 5)).astype("f4")
    for border, mode in CV_BORDERS.items():
        t.exact("correlate u8 to i16 4x5 %s" % border, "cv2.filter2D",
                run("correlate", NOISE, mask=whole, border=border, dtype="i16"),
                cv2.filter2D(NOISE, cv2.CV_16S, whole, borderType=mode))
    sharp = np.array([[0, -1, 0], [-1, 4.5, -1], [0, -1, 0]], "f4")
    ours = run("correlate", NOISE, mask=sharp)
    wide = ndimage.correlate(NOISE.astype("f8"), sharp, mode="nearest")
    t.exact("correlate u8", "scipy f64, rint, clip", ours, np.clip(np.rint(wide), 0, 255))
    t.exact("correlate u8", "cv2.filter2D", ours, cv2.filter2D(NOISE, -1, sharp, borderType=cv2.BORDER_REPLICATE))
    t.differs("correlate u8", "scipy u8", ours, ndimage.correlate(NOISE, sharp, mode="nearest"), None,
              "scipy truncates and wraps")


def blurs(t):
    for border, mode in BORDERS.items():
        theirs = ndimage.gaussian_filter(REAL.astype("f8"), (1.5, 2.5), mode=mode)
        t.within("gaussian f32 %s" % border, "scipy f64", run("gaussian", REAL, sigma="2.5,1.5", border=border), theirs,
                 (21 + 13 + 4) * U * theirs)
    ours = run("gaussian", NOISE, sigma=2, border="reflect101")
    weights = cv2.getGaussianKernel(17, 2, cv2.CV_32F)
    t.within("gaussian u8", "cv2.sepFilter2D", ours, cv2.sepFilter2D(NOISE, -1, weights, weights), 1)
    theirs = ndimage.gaussian_filter(NOISE.astype("f8"), 2, mode="mirror")
    t.exact("gaussian u8", "scipy f64, rint", ours, np.rint(theirs))
    t.differs("gaussian u8", "cv2.GaussianBlur", ours, cv2.GaussianBlur(NOISE, (17, 17), 2), 2,
              "OpenCV's weights have 8 bits")
    for name, image, limit in (("u8", NOISE // 128 * 255, 2), ("u16", NOISE16 // 32768 * 65535, 3)):
        for sigma in (0.5, 1, 2, 12):
            side = 2 * int(4 * sigma + 0.5) + 1
            ours = run("gaussian", image, sigma=sigma, border="reflect101")
            t.differs("gaussian %s black and white, %g" % (name, sigma), "cv2.GaussianBlur", ours,
                      cv2.GaussianBlur(image, (side, side), sigma), limit, "OpenCV's weights are fixed-point numbers")
            wide = np.rint(ndimage.gaussian_filter(image.astype("f8"), sigma, mode="mirror"))
            t.within("gaussian %s black and white, %g" % (name, sigma), "scipy f64, rint", ours, wide, 1)
    for border, mode in BORDERS.items():
        theirs = ndimage.uniform_filter(REAL.astype("f8"), (5, 7), mode=mode)
        t.within("box f32 7x5 %s" % border, "scipy f64", run("box", REAL, size="7x5", border=border), theirs,
                 1e-6 * np.abs(theirs).max())
    for size in (3, 9, 31):
        ours = run("box", NOISE, size=size, border="reflect101")
        t.exact("box u8 %dx%d" % (size, size), "cv2.blur", ours, cv2.blur(NOISE, (size, size)))
    ours = run("box", NOISE, size=4, border="reflect101")
    sums = cv2.boxFilter(NOISE.astype("f8"), cv2.CV_64F, (4, 4), normalize=False)
    t.exact("box u8 4x4", "cv2.boxFilter f64, rint", ours, np.rint(sums / 16))
    t.differs("box u8 4x4", "cv2.blur", ours, cv2.blur(NOISE, (4, 4)), 1, "OpenCV 4.6 takes 7/16 up")


def edges(t):
    replicate = {"borderType": cv2.BORDER_REPLICATE}
    wide = NOISE.astype("f8")
    dx, dy = (run("sobel", NOISE, output=o) for o in ("dx", "dy"))
    t.exact("sobel dx u8", "cv2.Sobel", dx, cv2.Sobel(NOISE, cv2.CV_32F, 1, 0, **replicate))
    t.exact("sobel dy u8", "scipy", dy, ndimage.sobel(wide, 0, mode="nearest"))
    t.exact("sobel magnitude u8", "numpy f32", run("sobel", NOISE), np.sqrt(dx * dx + dy * dy))
    t.exact("scharr dx u8", "cv2.Scharr", run("scharr", NOISE, output="dx"),
            cv2.Scharr(NOISE, cv2.CV_32F, 1, 0, **replicate))
    t.exact("prewitt dx u8", "scipy", run("prewitt", NOISE, output="dx"), ndimage.prewitt(wide, 1, mode="nearest"))
    for op, theirs in (("sobel", ndimage.sobel), ("prewitt", ndimage.prewitt)):
        for output, axis, ends in (("dx", 1, np.s_[[0, -1], :]), ("dy", 0, np.s_[:, [0, -1]])):
            outside = theirs(wide, axis, mode="constant", cval=16)
            outside[ends] -= 16
            t.exact("%s %s u8 constant 16" % (op, output), "scipy, less 16 at ends",
                    run(op, NOISE, output=output, border="constant", border_value=16), outside)
    t.within("sobel dx f32", "cv2.Sobel", run("sobel", REAL, output="dx"),
             cv2.Sobel(REAL, cv2.CV_32F, 1, 0, **replicate), 9 * U * 8 * 255)
    four = run("laplacian", NOISE)
    t.exact("laplacian u8", "cv2.Laplacian 1", four, cv2.Laplacian(NOISE, cv2.CV_32F, ksize=1, **replicate))
    t.exact("laplacian u8", "scipy", four, ndimage.laplace(wide, mode="nearest"))
    eight = run("laplacian", NOISE, connectivity=8)
    t.differs("laplacian 8 u8", "cv2.Laplacian 3", eight, cv2.Laplacian(NOISE, cv2.CV_32F, ksize=3, **replicate), None,
              "OpenCV's 3 is another mask, 2 0 2; 0 -8 0; 2 0 2")
    wide, ours = REAL.astype("f8"), run("log", REAL, sigma=2)
    t.differs("log f32", "scipy", ours, ndimage.gaussian_laplace(wide, 2, mode="nearest"), 0.05,
              "the mask here sums to 0, scipy's does not")
    i = np.arange(-8.0, 9)
    g = np.exp(-i * i / 8)
    g /= g.sum()
    h = (i * i - 4) / 16
    bent = (h - (h * g).sum()) * g
    parts = [ndimage.correlate1d(ndimage.correlate1d(wide, a, 1, mode="nearest"), b, 0, mode="nearest")
             for a, b in ((bent, g), (g, bent))]
    t.within("log f32", "scipy, weights to sum 0", ours, sum(parts), 1e-6 * 255)


def signed(t):
    calm, other = (SIGNED // 64).astype(np.int16), np.ascontiguousarray(SIGNED[::-1])
    whole = rng.integers(-9, 10, (4, 5)).astype("f4")
    for border, mode in CV_BORDERS.items():
        t.exact("correlate i16 4x5 %s" % border, "cv2.filter2D", run("correlate", calm, mask=whole, border=border),
                cv2.filter2D(calm, -1, whole, borderType=mode))
        t.exact("box i16 9x9 %s" % border, "cv2.blur", run("box", SIGNED, size=9, border=border),
                cv2.blur(SIGNED, (9, 9), borderType=mode))
    wide = ndimage.gaussian_filter(SIGNED.astype("f8"), 2, mode="mirror")
    t.within("gaussian i16", "scipy f64, rint", run("gaussian", SIGNED, sigma=2, border="reflect101"), np.rint(wide), 1)
    t.exact("sobel dx i16", "cv2.Sobel", run("sobel", calm, output="dx", dtype="i16"),
            cv2.Sobel(calm, -1, 1, 0, borderType=cv2.BORDER_REPLICATE))
    t.exact("combine absdiff i16", "cv2.absdiff", run("combine", SIGNED, other, mode="absdiff"),
            cv2.absdiff(SIGNED, other))
    t.exact("combine A-B i16", "cv2.subtract", run("combine", SIGNED, other, b=-1), cv2.subtract(SIGNED, other))
    t.exact("threshold -300 i16", "cv2.threshold", run("threshold", SIGNED, value=-300),
            cv2.threshold(SIGNED, -300, 32767, 0)[1])
    span = SIGNED.astype("i8") - SIGNED.min()
    t.exact("autocontrast i16", "numpy", run("autocontrast", SIGNED),
            (span * 32767 + span.max() // 2) // span.max())


def shapes(t):
    """Random elements, anchors and borders; what lies outside is left out by default on both sides."""
    own = np.random.default_rng(22)
    real = (own.normal(size=(97, 131)) * 100).astype("f4")
    images = (("u8", NOISE), ("u8 RGB", own.integers(0, 256, (61, 47, 3), np.uint8)), ("u16", NOISE16),
              ("i16", SIGNED), ("f32", real))
    kinds = (("erode", cv2.MORPH_ERODE), ("dilate", cv2.MORPH_DILATE), ("opening", cv2.MORPH_OPEN),
             ("closing", cv2.MORPH_CLOSE), ("gradient", cv2.MORPH_GRADIENT), ("tophat", cv2.MORPH_TOPHAT),
             ("blackhat", cv2.MORPH_BLACKHAT))
    for name, image in images:
        for op, code in kinds:
            ours, theirs = [], []
            for form, shape in enumerate(("rect", "cross", "ellipse")):
                for w, h in ((3, 3), (9, 4)):
                    element = cv2.getStructuringElement(form, (w, h))
                    ours.append(run(op, image, size="%dx%d" % (w, h), shape=shape, alpha="straight"))
                    theirs.append(cv2.morphologyEx(image, code, element))
            for i in range(6):
                w, h = own.integers(1, 12, 2)
                element = (own.random((h, w)) < 0.4).astype("f4")
                x, y = own.integers(w), own.integers(h)
                element[y, x] = 1  # else floats meet OpenCV's FLT_MAX
                n, border = int(own.integers(1, 4)), list(CV_BORDERS)[i % 3]
                more = {} if i < 3 else {"border": border}
                kind = {} if i < 3 else {"borderType": CV_BORDERS[border]}
                ours.append(run(op, image, mask=element, anchor="%d,%d" % (x, y), iterations=n, **more))
                theirs.append(cv2.morphologyEx(image, code, element.astype("u1"), anchor=(int(x), int(y)), iterations=n,
                                               **kind))
            t.exact("%s %s, 12 elements" % (op, name), "cv2.morphologyEx", np.stack(ours), np.stack(theirs))
    whole = np.ones((4, 5), bool)
    for border, mode in BORDERS.items():
        more = {"border_value": 9} if border == "constant" else {}
        for name, image in (("u8", NOISE), ("i16", SIGNED), ("f32", real)):
            for op, theirs in (("erode", ndimage.minimum_filter), ("dilate", ndimage.maximum_filter)):
                t.exact("%s %s 5x4 %s" % (op, name, border), "scipy", run(op, image, size="5x4", border=border, **more),
                        theirs(image, footprint=whole, mode=mode, cval=9))
    gaps = np.eye(4, 5, dtype="f4")
    for op, theirs in (("erode", ndimage.minimum_filter), ("dilate", ndimage.maximum_filter)):
        t.exact("%s u8 mask, origin" % op, "scipy", run(op, NOISE, mask=gaps, anchor="1,3", border="reflect"),
                theirs(NOISE, footprint=gaps > 0, origin=(1, -1)))
    slope = np.tri(5, 5, dtype="f4")
    t.exact("dilate u8 turned mask", "scipy", run("dilate", NOISE, mask=slope[::-1, ::-1].copy(), border="reflect"),
            ndimage.grey_dilation(NOISE, footprint=slope > 0))
    t.differs("dilate u8 mask", "scipy", run("dilate", NOISE, mask=slope, border="reflect"),
              ndimage.grey_dilation(NOISE, footprint=slope > 0), None, "scipy reflects the element")


def kernels(t):
    x, w = rng.integers(-99, 99, (2, 5000)).astype("i4")
    real, taps = rng.normal(size=5000), rng.normal(size=31)
    zeros = {"border": "constant"}
    for mode in ("full", "same", "valid"):
        t.exact("convolve1d i32 %s" % mode, "np.convolve", run("convolve1d", x, w[:31], mode=mode, **zeros),
                np.convolve(x, w[:31], mode))
        t.exact("correlate1d i32 %s" % mode, "np.correlate", run("correlate1d", x, w[:31], mode=mode, **zeros),
                np.correlate(x, w[:31], mode))
    bound = 32 * 2.0**-52 * np.convolve(np.abs(real), np.abs(taps))
    t.within("convolve1d f64 full", "np.convolve", run("convolve1d", real, taps, mode="full"),
             np.convolve(real, taps), bound)
    for op, theirs in (("convolve1d", ndimage.convolve1d), ("correlate1d", ndimage.correlate1d)):
        for n in (7, 8):
            for axis, name in ((1, "rows"), (0, "cols")):
                for border, mode in BORDERS.items():
                    more = {"border_value": 9} if border == "constant" else {}
                    k = taps[:n].astype("f4")
                    t.within("%s f32 %d %s %s" % (op, n, name, border), "scipy f64",
                             run(op, REAL, k, axis=name, border=border, **more),
                             theirs(REAL.astype("f8"), k.astype("f8"), axis, mode=mode, cval=9), 16 * U * 255 * n)
    even = run("convolve1d", x, w[:8], **zeros)
    t.exact("convolve1d i32 same, 8 taps", "full from K/2", even, np.convolve(x, w[:8])[4:5004])
    t.differs("convolve1d i32 same, 8 taps", "np.convolve", even, np.convolve(x, w[:8], "same"), None,
              "numpy's begins one result earlier")


def exp_bilateral(x, radius, colour, space):
    """In float64; x has an axis of channels."""
    wide = np.pad(x.astype("f8"), ((radius, radius), (radius, radius), (0, 0)), mode="reflect")
    total, weights = np.zeros(x.shape), np.zeros(x.shape[:2])
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if dy * dy + dx * dx <= radius * radius:
                q = wide[radius + dy:radius + dy + x.shape[0], radius + dx:radius + dx + x.shape[1]]
                far = np.abs(q - x).sum(2)
                w = np.exp(-far**2 / (2 * colour**2) - (dy * dy + dx * dx) / (2 * space**2))
                total += q * w[..., None]
                weights += w
    return total / weights[..., None]


def bilaterals(t):
    rgb = np.dstack([NOISE, SOFT, NOISE[::-1]])
    for name, image in (("u8", SOFT), ("u8 RGB", rgb)):
        for d, colour, space in ((5, 30, 2), (9, 90, 3)):
            t.within("bilateral %s d %d" % (name, d), "cv2.bilateralFilter",
                     run("bilateral", image, radius=d // 2, sigma_colour=colour, sigma_space=space, border="reflect101"),
                     cv2.bilateralFilter(image, d, colour, space), 1)
    for name, image in (("f32", REAL[..., None]), ("f32 RGB", rgb.astype("f4"))):
        ours = run("bilateral", image, radius=4, sigma_colour=60, sigma_space=2.5, border="reflect101")
        t.within("bilateral %s d 9" % name, "NumPy f64", ours.reshape(image.shape), exp_bilateral(image, 4, 60, 2.5),
                 60 * U * 255)
        t.within("bilateral %s d 9" % name, "cv2.bilateralFilter", ours.reshape(image.shape),
                 cv2.bilateralFilter(image, 9, 60, 2.5).reshape(image.shape), 1e-3)


def pictures():
    rng = np.random.default_rng(22)
    for name, dtype in (("u8", "u1"), ("u16", "u2"), ("i16", "i2"), ("f32", "f4")):
        few = rng.integers(0, 40, (61, 83))  # many equal samples
        full = rng.normal(size=(61, 83)) if name == "f32" else rng.integers(*(
            (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)), (61, 83))
        for kind, picture in (("few", few), ("full", full)):
            yield "%s %s" % (name, kind), picture.astype(dtype)


def ranks(t):
    for name, x in pictures():
        for border, mode in BORDERS.items():
            more = {"border_value": 9} if border == "constant" else {}
            for width, height in ((3, 3), (5, 5), (4, 2), (9, 7), (1, 90), (21, 1)):
                options = {"size": "%dx%d" % (width, height), "border": border, **more}
                theirs = {"size": (height, width), "mode": mode, "cval": 9}
                t.exact("median %dx%d %s %s" % (width, height, name, border), "scipy", run("median", x, **options),
                        ndimage.median_filter(x, **theirs))
                t.exact("rank -2 %dx%d %s %s" % (width, height, name, border), "scipy",
                        run("rank", x, index=-2, **options), ndimage.rank_filter(x, -2, **theirs))
                t.exact("percentile 33.3 %dx%d %s %s" % (width, height, name, border), "scipy",
                        run("percentile", x, percent=33.3, **options), ndimage.percentile_filter(x, 33.3, **theirs))
        for size in (3, 5) + ((7, 9, 15, 31) if x.dtype == "u1" else ()):
            t.exact("median %d %s" % (size, name), "cv2.medianBlur", run("median", x, size=size),
                    cv2.medianBlur(x, size))
    for percent in (0, 1e-9, 11.1, 50, 66.66666666666667, 99.9, 100):
        t.exact("percentile %g" % percent, "scipy", run("percentile", x, percent=percent),
                ndimage.percentile_filter(x, percent, 3, mode="nearest"))
    rgb = np.random.default_rng(3).integers(0, 256, (45, 67, 3), np.uint8)
    t.exact("median 5 u8 RGB", "cv2.medianBlur", run("median", rgb, size=5), cv2.medianBlur(rgb, 5))
    picture = Image.fromarray(rgb)
    for size in (3, 5, 7):
        t.exact("median %d u8 RGB" % size, "Pillow MedianFilter", run("median", rgb, size=size),
                picture.filter(ImageFilter.MedianFilter(size)))
        t.exact("rank 4 of %d u8 RGB" % size, "Pillow RankFilter", run("rank", rgb, size=size, index=4),
                picture.filter(ImageFilter.RankFilter(size, 4)))
