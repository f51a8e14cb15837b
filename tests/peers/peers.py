#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares results with NumPy, SciPy, OpenCV and Pillow and prints a table: exactly, within a bound, or different on purpose.
Needs $GPUFILTER_SOCKET and $GF_CLIENT; ends with 77 where a package is missing. Run by ctest under with_daemon.sh."""
import sys

try:
    import cv2
    import numpy as np
    import scipy
    from PIL import Image  # by sizes.py
    from scipy import ndimage, signal
except ImportError as missing:
    print("skipped: %s; install python3-numpy, python3-pil, python3-scipy and python3-opencv" % missing)
    sys.exit(77)

from pyramids import pyramids
from ranks import ranks
from regions import canny_edges, distances, labels, matches
from sizes import sizes
from table import Table, operations, run

cv2.ipp.setUseIPP(False)  # of builds with Intel's IPP: its roots are of another precision, on Intel's processors alone
U = 2.0**-24  # half an ulp of 1 in f32
BORDERS = {"replicate": "nearest", "wrap": "wrap", "reflect": "reflect", "reflect101": "mirror", "constant": "constant"}
CV_BORDERS = {"replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT, "reflect101": cv2.BORDER_REFLECT_101}

rng = np.random.default_rng(7)
NOISE = rng.integers(0, 256, (97, 131), np.uint8)
NOISE16 = rng.integers(0, 65536, (97, 131), np.uint16)
SIGNED = np.random.default_rng(16).integers(-32768, 32768, (97, 131), np.int16)
REAL = (rng.random((97, 131)) * 255).astype("f4")
SOFT = ndimage.gaussian_filter(rng.random((97, 131)) * 255, 3)
SOFT = ((SOFT - SOFT.min()) / (SOFT.max() - SOFT.min()) * 255).astype(np.uint8)


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


def same_counts(t, name, data, bins, lo, hi):
    ours = run("histogram", data, bins=bins, lo=lo, hi=hi, range="given", last_closed=1)
    t.exact("histogram %s %d bins" % (name, bins), "np.histogram", ours, np.histogram(data, bins, (lo, hi))[0])


def same_edges(t, name, data, edges):
    edges = np.array(edges, "f8")
    ours = run("histogram", data, edges=edges, last_closed=1)
    t.exact("histogram %s given edges" % name, "np.histogram", ours, np.histogram(data, edges)[0])


def histograms(t):
    t.exact("histogram u8 256 bins", "cv2.calcHist", run("histogram", NOISE),
            cv2.calcHist([NOISE], [0], None, [256], [0, 256]))
    same_counts(t, "u8", NOISE, 50, 10, 200)
    same_counts(t, "u16", NOISE16, 1000, 0, 65536)
    same_counts(t, "i32", rng.integers(-(2**31), 2**31, 20000, np.int32), 77, -1e9, 1.5e9)
    same_counts(t, "f32", REAL, 100, 3.25, 201.5)
    same_counts(t, "f64", rng.normal(size=20000), 333, -2.5, 2.6)
    same_edges(t, "f32", REAL, [-1.5, 0, 3.25, 17.5, 17.5, 100.125, 201.5])
    same_edges(t, "u8", NOISE, np.linspace(3, 250, 1001))
    same_edges(t, "f64", rng.normal(size=20000), np.sort(rng.normal(size=334)))
    data = REAL.copy()
    data[0, :5] = np.nan
    ours = run("histogram", data, bins=4, lo=0, hi=256, range="given")
    t.differs("histogram f32 with 5 NaN", "cv2.calcHist", ours, cv2.calcHist([data], [0], None, [4], [0, 256]), 5,
              "OpenCV counts NaN in bin 0")
    ours = run("histogram", NOISE, bins=51, lo=0, hi=255, range="given")
    t.differs("histogram u8 half open", "np.histogram", ours, np.histogram(NOISE, 51, (0, 255))[0],
              (NOISE == 255).sum(), "numpy's last bin takes hi; last_closed=1 does")


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


def halves(t):
    half = (REAL / 255).astype("f2")
    t.exact("map f32 to f16", "numpy", run("map", REAL, scale=300, dtype="f16"), (REAL * np.float32(300)).astype("f2"))
    t.exact("map f16 to f32", "numpy", run("map", half, dtype="f32"), half.astype("f4"))
    t.exact("gaussian f16", "of f32, numpy", run("gaussian", half, sigma=2),
            run("gaussian", half.astype("f4"), sigma=2).astype("f2"))


def tones(t):
    for name, image in (("noise", NOISE), ("soft", SOFT)):
        t.exact("equalize u8 %s" % name, "cv2.equalizeHist", run("equalize", image), cv2.equalizeHist(image))
        t.exact("threshold otsu u8 %s" % name, "cv2.threshold", run("threshold", image, mode="otsu"),
                cv2.threshold(image, 0, 255, cv2.THRESH_OTSU)[1])
    ties = np.repeat(np.array([10, 60, 110], np.uint8), [2, 1, 509]).reshape(8, 64)
    t.differs("equalize u8 with ties", "cv2.equalizeHist", run("equalize", ties), cv2.equalizeHist(ties), 1,
              "ties go up here, OpenCV's go to even")
    for dtype, image in (("u8", NOISE), ("u8", SOFT), ("u16", NOISE16)):
        for clip, tiles in ((40, (8, 8)), (2.5, (3, 5)), (0, (1, 4))):
            t.exact("clahe %s clip %g, %d x %d tiles" % (dtype, clip, *tiles), "cv2.createCLAHE",
                    run("clahe", image, clip=clip, tiles="%dx%d" % tiles), cv2.createCLAHE(clip, tiles).apply(image))
    one = np.full((9, 7), 77, np.uint8)
    t.differs("threshold otsu u8 one value", "cv2.threshold", run("threshold", one, mode="otsu"),
              cv2.threshold(one, 0, 255, cv2.THRESH_OTSU)[1], 255, "black here, all above 0 is white there")
    t.differs("histogram f32 one value", "np.histogram", run("histogram", one.astype("f4"), bins=4, range="data"),
              np.histogram(one, 4)[0], one.size, "in the last bin of no width, NumPy's bins are 1 wide in all")
    two = np.where(NOISE < 100, 40, 200).astype(np.uint8)
    t.exact("threshold otsu u8 two values", "cv2.threshold", run("threshold", two, mode="otsu"),
            cv2.threshold(two, 0, 255, cv2.THRESH_OTSU)[1])
    t.exact("threshold 100 u8", "cv2.threshold", run("threshold", NOISE, value=100),
            cv2.threshold(NOISE, 100, 255, 0)[1])
    rgb = np.dstack([NOISE, SOFT, NOISE[::-1]])
    grey = (rgb.astype("u4") @ np.array([19595, 38470, 7471], "u4") + 32768 >> 16).astype("u1")
    t.exact("threshold otsu u8 of colours", "cv2.threshold of brightness", run("threshold", rgb),
            cv2.threshold(grey, 0, 255, cv2.THRESH_OTSU)[1])
    t.exact("map gamma 2.2 u8", "numpy f64, rint", run("map", SOFT, gamma=2.2),
            np.rint(255 * (SOFT / 255) ** np.float64(np.float32(2.2))))
    t.exact("map u8 to u16 full", "numpy", run("map", NOISE, range="full", dtype="u16"), NOISE.astype("u2") * 257)
    t.exact("combine absdiff u8", "cv2.absdiff", run("combine", NOISE, SOFT, mode="absdiff"), cv2.absdiff(NOISE, SOFT))
    t.exact("combine .25A+.5B u8", "cv2.addWeighted", run("combine", NOISE, SOFT, a=0.25, b=0.5),
            cv2.addWeighted(NOISE, 0.25, SOFT, 0.5, 0))


def reductions(t):
    values = {"u8": NOISE, "i16": rng.integers(-(2**15), 2**15, 30001, np.int16),
              "u32": rng.integers(0, 2**32, 30001, np.uint32), "i64": rng.integers(-(2**40), 2**40, 30001),
              "f32": REAL, "f64": rng.normal(size=30001)}
    for name, x in values.items():
        wide = x.astype("f8")
        n, whole = x.size, x.dtype.kind != "f"
        for op in ("min", "max", "argmin", "argmax"):
            t.exact("reduce %s %s" % (op, name), "numpy", run("reduce", x, op=op), getattr(np, op)(x))
        if whole:
            t.exact("reduce sum %s" % name, "numpy", run("reduce", x, op="sum"), np.sum(x))
        else:
            t.within("reduce sum %s" % name, "numpy f64", run("reduce", x, op="sum"), np.sum(wide),
                     n * 2.0**-52 * np.abs(wide).sum())
        for op, theirs in (("mean", wide.mean()), ("var", wide.var()), ("std", wide.std()),
                           ("l2", np.linalg.norm(wide.ravel()))):
            t.within("reduce %s %s" % (op, name), "numpy f64", run("reduce", x, op=op), theirs,
                     1e-12 * max(abs(theirs), np.abs(wide).mean() if op == "mean" else 0))
    t.exact("reduce sum rows u8", "numpy", run("reduce", NOISE, op="sum", axis="rows"), NOISE.sum(1))
    t.exact("reduce max cols f32", "numpy", run("reduce", REAL, op="max", axis="cols"), REAL.max(0))
    starts = np.unique(rng.integers(0, NOISE.size, 3000))
    ends = ",".join(str(v) for v in [*starts, NOISE.size])
    for op, ufunc in (("sum", np.add), ("min", np.minimum), ("max", np.maximum)):
        theirs = ufunc.reduceat(NOISE.ravel(), starts, dtype="u8" if op == "sum" else "u1")
        t.exact("reduce %s segments u8" % op, "numpy reduceat", run("reduce", NOISE, op=op, segments=ends), theirs)
    gaps = np.array([3, np.nan, -7, np.nan, 9], "f4")
    t.exact("reduce argmin with NaN", "numpy", run("reduce", gaps, op="argmin"), gaps.argmin())
    t.exact("reduce max nan=omit", "np.nanmax", run("reduce", gaps, op="max", nan="omit"), np.nanmax(gaps))
    a, b = rng.normal(size=(2, 10007))
    t.within("dot f64", "np.dot", run("dot", a, b), a @ b, 10007 * 2.0**-52 * np.abs(a * b).sum())


def quantiles(t):
    values = {"u8": NOISE, "i16": SIGNED, "u16": NOISE16, "i32": rng.integers(-(2**31), 2**31, 70001, np.int32),
              "u64": rng.integers(0, 2**64, 70001, np.uint64), "f32": REAL, "f64": rng.normal(size=70001)}
    some = np.array([0, 1 / 3, 0.5, 0.999])
    for name, x in values.items():
        wide = x if name in ("u8", "u16", "u64", "f64") else x.astype("f8")
        for method in ("linear", "lower", "higher", "nearest", "midpoint"):
            t.exact("quantile %s %s" % (method, name), "np.quantile", run("quantile", x, q=some, method=method),
                    np.quantile(wide, some, method=method).astype("f8"))
    t.exact("quantile rows u8", "np.percentile", run("quantile", NOISE, q=0.9, axis="rows"), np.percentile(NOISE, 90, 1))
    t.exact("quantile cols f64", "np.quantile", run("quantile", REAL.astype("f8"), q=some, axis="cols"),
            np.quantile(REAL.astype("f8"), some, axis=0))
    gaps = np.where(rng.random(REAL.shape) < 0.1, np.nan, REAL.astype("f8"))
    t.exact("quantile with NaN", "np.quantile", run("quantile", gaps, q=some), np.quantile(gaps, some))
    t.exact("quantile nan=omit", "np.nanquantile", run("quantile", gaps, q=some, nan="omit"), np.nanquantile(gaps, some))
    t.within("quantile f32", "np.quantile of f32", run("quantile", REAL, q=0.3), np.quantile(REAL, 0.3), 4 * U * 255)
    wraps = np.array([-128, 127], "i1")
    t.differs("quantile i8", "np.quantile", run("quantile", wraps, q=0.25), np.quantile(wraps, 0.25), 64,
              "NumPy's differences of i8 wrap")


def joint(t):
    red, green = NOISE, NOISE[::-1] // 2 + 40
    lo, hi = [3, 10], [200.5, 150]
    given = {"bins": "31,17", "lo": "3,10", "hi": "200.5,150", "last_closed": 1}
    for name, a, b in (("u8", red, green), ("f32", REAL, REAL[:, ::-1].copy()), ("i16 f64", SIGNED, SOFT.astype("f8"))):
        theirs = np.histogram2d(a.ravel(), b.ravel(), (31, 17), list(zip(lo, hi)))
        t.exact("histogram2d %s" % name, "np.histogram2d", run("histogram2d", a, b, **given), theirs[0])
    both = np.dstack([red, green])
    t.exact("histogram2d u8 of channels", "cv2.calcHist", run("histogram2d", both, bins="64,32"),
            cv2.calcHist([both], [0, 1], None, [64, 32], [0, 256, 0, 256]))
    t.exact("histogram2d f32 of data", "np.histogram2d", run("histogram2d", REAL, REAL.T.reshape(REAL.shape), bins=50),
            np.histogram2d(REAL.ravel(), REAL.T.ravel(), 50)[0])


def scans(t):
    for name, x in (("u8", NOISE.ravel()), ("i32", rng.integers(-(2**31), 2**31, 30001, np.int32))):
        t.exact("scan sum %s" % name, "np.cumsum", run("scan", x), np.cumsum(x))
    odd = rng.integers(-9, 10, 5000) * 2 + 1
    t.exact("scan product i64 wrap", "np.cumprod", run("scan", odd, op="product", overflow="wrap"), np.cumprod(odd))
    t.exact("scan sum rows u16", "np.cumsum", run("scan", NOISE16, axis="rows"), np.cumsum(NOISE16, 1, "u8"))
    t.exact("scan sum cols u16", "np.cumsum", run("scan", NOISE16, axis="cols"), np.cumsum(NOISE16, 0, "u8"))
    gaps = rng.normal(size=5000)
    gaps[4000] = np.nan
    t.exact("scan min f64 with NaN", "np.minimum.accumulate", run("scan", gaps, op="min"), np.minimum.accumulate(gaps))
    x = rng.normal(size=30001)
    t.within("scan sum f64", "np.cumsum", run("scan", x), np.cumsum(x), 30001 * 2.0**-52 * np.cumsum(np.abs(x)))
    tenth = np.full(200000, 0.1, "f4")
    ours = run("scan", tenth)
    theirs = np.cumsum(tenth.astype("f8"))
    t.within("scan sum f32", "np.cumsum f64", ours, theirs, 2 * U * theirs)
    t.differs("scan sum f32", "np.cumsum f32", ours, np.cumsum(tenth), None, "numpy adds in f32, here it is f64")
    t.within("recurrence f64", "scipy lfilter", run("recurrence", x, a=0.9, b=0.1),
             signal.lfilter([0.1], [1, -0.9], x), 1e-13)
    t.exact("integral u8", "cv2.integral", run("integral", NOISE, pad=1), cv2.integral(NOISE))
    t.exact("integral square u8", "cv2.integral2", run("integral", NOISE, pad=1, square=1), cv2.integral2(NOISE)[1])
    t.exact("integral u16", "cv2.integral f64", run("integral", NOISE16, pad=1),
            cv2.integral(NOISE16, sdepth=cv2.CV_64F))
    t.within("integral f32", "cv2.integral f64", run("integral", REAL, pad=1),
             cv2.integral(REAL, sdepth=cv2.CV_64F), REAL.size * 2.0**-52 * REAL.astype("f8").sum())


def selections(t):
    values = {"u8": NOISE, "i16": rng.integers(-(2**15), 2**15, 30001, np.int16), "f32": REAL,
              "u64": rng.integers(0, 2**64, 30001, np.uint64), "f64": rng.normal(size=30001) * 99}
    for name, x in values.items():
        flat = x.ravel()
        flat = np.append(flat, [np.nan, np.inf, -np.inf]).astype(x.dtype) if x.dtype.kind == "f" else flat
        lo, hi = (int(2**62), int(2**63)) if name == "u64" else (-25, 150)
        wanted = (flat >= np.array(lo).astype(x.dtype if lo > 0 else "f8")) & (flat <= np.array(hi).astype(x.dtype))
        t.exact("select %s" % name, "numpy mask", run("select", flat, lo=lo, hi=hi), flat[wanted])
        t.exact("select %s indices" % name, "np.flatnonzero", run("select", flat, lo=lo, hi=hi, file="indices"),
                np.flatnonzero(wanted))
    t.exact("select f32, lo alone", "numpy mask", run("select", flat, lo=12), flat[flat >= 12])
    t.exact("select nothing", "numpy mask", run("select", NOISE, lo=256), NOISE[NOISE > 255])


def orders(t):
    rng = np.random.default_rng(11)
    for dtype in ("u1", "i2", "u2", "i4", "u8", "f2", "f4", "f8"):
        x = (rng.standard_normal((61, 83)) * 40).astype("i8").astype(dtype)
        if dtype[0] == "f":
            x.flat[::37] = np.nan
            x.flat[5::41] = -0.0
        name = np.dtype(dtype).name
        for axis, along in (("rows", 1), ("cols", 0), ("all", None)):
            flat = x if along is not None else x.reshape(1, -1)
            order = np.argsort(flat, 0 if along == 0 else 1, "stable")
            t.exact("argsort %s %s" % (axis, name), "np.argsort stable", run("argsort", x, axis=axis),
                    order.reshape(x.shape).astype("u8"))
            t.exact("sort %s %s" % (axis, name), "np.sort stable", run("sort", x, axis=axis),
                    np.take_along_axis(flat, order, 0 if along == 0 else 1).reshape(x.shape))
    x = rng.integers(-90, 90, (61, 83), "i2")
    t.exact("argsort descending", "np.argsort of -x", run("argsort", x, axis="rows", descending=1),
            np.argsort(-x, 1, "stable").astype("u8"))


def later(t, present):
    """Operations that this build may not have."""
    if "matmul" in present:
        a, b = rng.normal(size=(33, 65)), rng.normal(size=(65, 17))
        t.within("matmul f64", "numpy", run("matmul", a, b), a @ b, 66 * 2.0**-52 * (np.abs(a) @ np.abs(b)))
        i, j = (rng.integers(-128, 128, shape).astype("i1") for shape in ((33, 65), (65, 17)))
        t.exact("matmul i8", "numpy", run("matmul", i, j), i.astype("i8") @ j.astype("i8"))
    if "convolve1d" in present:
        kernels(t)


def around(difference, turn):
    """0 is a full turn."""
    return np.minimum(np.abs(difference), turn - np.abs(difference))


def hues(t, name, ours, theirs, turn, limit, why):
    """The hue around the circle; saturation and value as they are."""
    apart = ours[..., 0].astype("f8") - theirs[..., 0]
    t.differs("hsv %s hue" % name, "cv2.cvtColor", around(apart, turn), np.zeros(apart.shape), limit, why)
    # Of f32 d/V here, d/(V + FLT_EPSILON) there, each rounded a few times; no V is 0.
    bound = 1 if name == "u8" else ours[..., 1] * (np.finfo("f4").eps / ours[..., 2].astype("f8") + 4 * U)
    t.within("hsv %s saturation" % name, "cv2.cvtColor", ours[..., 1], theirs[..., 1], bound)
    t.exact("hsv %s value" % name, "cv2.cvtColor", ours[..., 2], theirs[..., 2])


def colours(t):
    rgb = rng.integers(0, 256, (97, 131, 3), np.uint8)
    rgb16, real = rng.integers(0, 65536, (97, 131, 3), np.uint16), rng.random((97, 131, 3), "f4")
    digits = "OpenCV's weights of the differences have three digits"
    bits, order = "OpenCV's weights are fixed-point numbers", [0, 2, 1]  # Y, Cb, Cr here, Y, Cr, Cb there
    for name, picture, limit in (("u8", rgb, 1), ("u16", rgb16, 1)):
        wide = picture.astype("f8")
        t.within("gray %s" % name, "f64, rint", run("gray", picture), np.rint(wide @ [0.299, 0.587, 0.114]), 1)
        t.differs("gray %s" % name, "cv2.cvtColor", run("gray", picture), cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), limit,
                  bits)
        ours = run("ycbcr", picture)
        t.differs("ycbcr %s" % name, "cv2.cvtColor", ours[..., order], cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb),
                  1 if name == "u8" else 20, digits)
        t.differs("rgb of YCbCr %s" % name, "cv2.cvtColor", run("rgb", picture[..., order].copy()),
                  cv2.cvtColor(picture, cv2.COLOR_YCrCb2RGB), 1 if name == "u8" else 40, digits)
        coefs = np.array([[0.25, 0.5, 0.125, 3.5], [-1, 0.75, 1.5, 0]], "f4")
        text = ";".join(" ".join("%r" % float(v) for v in row) for row in coefs)
        t.exact("matrix %s 3 to 2" % name, "cv2.transform f64, rint, clip", run("matrix", picture, coefs=text),
                np.clip(np.rint(cv2.transform(wide, coefs.astype("f8"))), 0, np.iinfo(picture.dtype).max))
    t.within("gray f32", "cv2.cvtColor", run("gray", real), cv2.cvtColor(real, cv2.COLOR_RGB2GRAY), 4 * U)
    t.differs("ycbcr f32", "cv2.cvtColor", run("ycbcr", real)[..., order], cv2.cvtColor(real, cv2.COLOR_RGB2YCrCb), 4e-4,
              digits)
    t.within("gray bt709 f32", "f64", run("gray", real, standard="bt709"),
             real.astype("f8") @ [0.2126, 0.7152, 0.0722], 4 * U)
    hues(t, "u8", run("hsv", rgb), cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV), 180, 1, bits)
    hues(t, "f32", run("hsv", real), cv2.cvtColor(real, cv2.COLOR_RGB2HSV), 360, None, "OpenCV adds FLT_EPSILON to d")
    some = np.dstack([rng.integers(0, 180, (97, 131)), *rng.integers(0, 256, (2, 97, 131))]).astype(np.uint8)
    t.differs("rgb of HSV u8", "cv2.cvtColor", run("rgb", some, model="hsv"), cv2.cvtColor(some, cv2.COLOR_HSV2RGB), 1,
              "OpenCV cuts fractions off")
    t.exact("merge u8", "np.dstack", run("merge", rgb[..., 0].copy(), rgb[..., 1:].copy()), rgb)
    t.exact("merge order=3,2,1 u8", "cv2.cvtColor", run("merge", rgb, order="3,2,1"), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))
    mean, std = np.array([0.485, 0.456, 0.406], "f4"), np.array([0.229, 0.224, 0.225], "f4")
    t.exact("normalize u8 range=full", "numpy f32, as torchvision", run("normalize", rgb, mean=mean, std=std, range="full"),
            (rgb / np.float32(255) - mean) / std)
    rgba = rng.integers(0, 256, (97, 131, 4), np.uint8)
    share = rgba[..., 3:] / 255.0
    t.exact("flatten u8", "f64, rint", run("flatten", rgba, background="#102030"),
            np.rint(rgba[..., :3] * share + np.array([16, 32, 48]) * (1 - share)))


def halved(rgb):
    """Means of blocks of 2x2 pixels, the last row and column counting twice."""
    wide = np.pad(rgb.astype("f8"), ((0, rgb.shape[0] % 2), (0, rgb.shape[1] % 2), (0, 0)), mode="edge")
    return (wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]) / 4


def video(t):
    there = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112], [112, -93.786, -18.214]]) / 255
    back = np.array([[255 / 219, 0, 1.402 * 255 / 224], [255 / 219, -0.344136 * 255 / 224, -0.714136 * 255 / 224],
                     [255 / 219, 1.772 * 255 / 224, 0]])
    bits, draw = "OpenCV's weights are fixed-point numbers", np.random.default_rng(420)
    odd, even = draw.integers(0, 256, (97, 131, 3), np.uint8), draw.integers(0, 256, (96, 130, 3), np.uint8)
    chroma = halved(odd) @ there[1:].T + 128
    t.within("nv12 u8 131x97 y", "f64, rint", run("nv12", odd), np.rint(odd @ there[0] + 16), 1)
    t.within("nv12 u8 131x97 uv", "f64, rint", run("nv12", odd, file="uv"), np.rint(chroma), 1)
    for channel, name in enumerate("uv"):
        t.exact("i420 u8 131x97 %s" % name, "nv12", run("i420", odd, file=name), run("nv12", odd, file="uv")[..., channel])
    theirs = cv2.cvtColor(even, cv2.COLOR_RGB2YUV_I420)
    t.differs("i420 u8 y", "cv2.cvtColor", run("i420", even), theirs[:96], 1, bits)
    t.differs("i420 u8 u", "cv2.cvtColor", run("i420", even, file="u"), theirs[96:120].reshape(48, 65), None,
              "OpenCV takes one pixel of four")
    blocks = even[::2, ::2].repeat(2, 0).repeat(2, 1)
    theirs = cv2.cvtColor(blocks, cv2.COLOR_RGB2YUV_I420)
    t.differs("i420 u8 u of even blocks", "cv2.cvtColor", run("i420", blocks, file="u"), theirs[96:120].reshape(48, 65), 1,
              bits)
    y, uv = draw.integers(0, 256, (96, 130), np.uint8), draw.integers(0, 256, (48, 65, 2), np.uint8)
    wide = np.dstack([y - 16.0, uv.repeat(2, 0).repeat(2, 1) - 128.0]) @ back.T
    t.within("rgb420 NV12 u8", "f64, rint, clip", run("rgb420", y, uv), np.clip(np.rint(wide), 0, 255), 1)
    for text, least, limit, why in (("", 0, 19, "OpenCV takes Y below 16 as 16"), (" of Y from 16", 16, 1, bits)):
        luma = np.maximum(y, np.uint8(least))
        t.differs("rgb420 NV12 u8%s" % text, "cv2.cvtColorTwoPlane", run("rgb420", luma, uv),
                  cv2.cvtColorTwoPlane(luma, uv, cv2.COLOR_YUV2RGB_NV12), limit, why)
    planes = [luma, uv[..., 0].copy(), uv[..., 1].copy()]
    t.exact("rgb420 I420 u8", "NV12", run("rgb420", *planes), run("rgb420", luma, uv))
    t.differs("rgb420 I420 u8", "cv2.cvtColor", run("rgb420", *planes),
              cv2.cvtColor(np.concatenate([p.ravel() for p in planes]).reshape(144, 130), cv2.COLOR_YUV2RGB_I420), 1, bits)


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


def main():
    print("numpy %s, scipy %s, OpenCV %s" % (np.__version__, scipy.__version__, cv2.__version__))
    t = Table()
    for part in (masks, blurs, places, edges, signed, halves, histograms, tones, reductions, quantiles, joint, scans,
                 selections, colours, video, sizes, pyramids, labels, distances, canny_edges, matches, ranks, orders,
                 shapes, bilaterals):
        part(t)
    later(t, operations())
    t.show()
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
