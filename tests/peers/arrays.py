# SPDX-License-Identifier: MIT
"""Histograms, reductions, quantiles, scans, selections, orders and products beside NumPy, SciPy and OpenCV. Called by
peers.py."""
import cv2
import numpy as np
from scipy import signal

from support import NOISE, NOISE16, REAL, SIGNED, SOFT, U, rng, run


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


def products(t):
    a, b = rng.normal(size=(33, 65)), rng.normal(size=(65, 17))
    t.within("matmul f64", "numpy", run("matmul", a, b), a @ b, 66 * 2.0**-52 * (np.abs(a) @ np.abs(b)))
    i, j = (rng.integers(-128, 128, shape).astype("i1") for shape in ((33, 65), (65, 17)))
    t.exact("matmul i8", "numpy", run("matmul", i, j), i.astype("i8") @ j.astype("i8"))
