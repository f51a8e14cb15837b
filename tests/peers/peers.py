#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares results with NumPy, SciPy and OpenCV and prints a table: exactly, within a bound, or different on purpose.
Needs $GPUFILTER_SOCKET and $GF_CLIENT; ends with 77 where a package is missing. Run by ctest under with_daemon.sh."""
import sys

try:
    import cv2
    import numpy as np
    import scipy
    from scipy import ndimage, signal
except ImportError as missing:
    print("skipped: %s; install python3-numpy, python3-scipy and python3-opencv" % missing)
    sys.exit(77)

from table import Table, operations, run

U = 2.0**-24  # half an ulp of 1 in f32
BORDERS = {"replicate": "nearest", "wrap": "wrap", "reflect": "reflect", "reflect101": "mirror", "constant": "constant"}
CV_BORDERS = {"replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT, "reflect101": cv2.BORDER_REFLECT_101}

rng = np.random.default_rng(7)
NOISE = rng.integers(0, 256, (97, 131), np.uint8)
NOISE16 = rng.integers(0, 65536, (97, 131), np.uint16)
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


def tones(t):
    for name, image in (("noise", NOISE), ("soft", SOFT)):
        t.exact("equalize u8 %s" % name, "cv2.equalizeHist", run("equalize", image), cv2.equalizeHist(image))
        t.exact("threshold otsu u8 %s" % name, "cv2.threshold", run("threshold", image, mode="otsu"),
                cv2.threshold(image, 0, 255, cv2.THRESH_OTSU)[1])
    ties = np.repeat(np.array([10, 60, 110], np.uint8), [2, 1, 509]).reshape(8, 64)
    t.differs("equalize u8 with ties", "cv2.equalizeHist", run("equalize", ties), cv2.equalizeHist(ties), 1,
              "ties go up here, OpenCV's go to even")
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


def later(t, present):
    """Operations that this build may not have."""
    if "matmul" in present:
        a, b = rng.normal(size=(33, 65)), rng.normal(size=(65, 17))
        t.within("matmul f64", "numpy", run("matmul", a, b), a @ b, 66 * 2.0**-52 * (np.abs(a) @ np.abs(b)))
        i, j = (rng.integers(-128, 128, shape).astype("i1") for shape in ((33, 65), (65, 17)))
        t.exact("matmul i8", "numpy", run("matmul", i, j), i.astype("i8") @ j.astype("i8"))
    if "convolve1d" in present:
        kernels(t)


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


def main():
    print("numpy %s, scipy %s, OpenCV %s" % (np.__version__, scipy.__version__, cv2.__version__))
    t = Table()
    for part in (masks, blurs, edges, histograms, tones, reductions, scans, selections):
        part(t)
    later(t, operations())
    t.show()
    return 1 if t.failed else 0


if __name__ == "__main__":
    sys.exit(main())
