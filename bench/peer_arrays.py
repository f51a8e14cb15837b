# SPDX-License-Identifier: MIT
"""The cases of peers.py that are of arrays and matrices: the equivalent calls are of NumPy, OpenCV or numexpr."""
import cv2
import numpy as np

from peer_cases import Case, into, numbers, rng

try:
    import numexpr
except ImportError:  # the cases of numexpr are left out
    numexpr = None

LENGTH = 1 << 24


def array(dtype, n=1):
    return list(numbers(dtype, (n, LENGTH))[0])


def square(n, dtype):
    if dtype == "i4":
        return list(rng().integers(-1000, 1000, (2, n, n), dtype))
    return list(rng().random((2, n, n), dtype))


def arrays():
    given = {"bins": 64, "lo": 0, "hi": 1, "range": "given"}
    yield Case("histogram 64 bins f32 2^24", "np.histogram", "histogram", given, lambda: array("f4"),
               lambda x: lambda: np.histogram(x, 64, (0, 1)))
    yield Case("histogram 64 bins f32 2^24 cv", "cv2.calcHist", "histogram", given, lambda: array("f4"),
               lambda x: lambda: cv2.calcHist([x], [0], None, [64], [0, 1]))
    for dtype, name in (("u1", "u8"), ("i4", "i32"), ("f4", "f32"), ("f8", "f64")):
        for op in ("sum", "min", "max", "argmin", "mean", "std"):
            yield Case("reduce %s %s 2^24" % (op, name), "np.%s" % op, "reduce", {"op": op}, lambda d=dtype: array(d),
                       lambda x, op=op: lambda: getattr(np, op)(x))
        yield Case("reduce sum %s 2^24 cv" % name, "cv2.sumElems", "reduce", {"op": "sum"}, lambda d=dtype: array(d),
                   lambda x: lambda: cv2.sumElems(x))
        yield Case("reduce min %s 2^24 cv" % name, "cv2.minMaxLoc", "reduce", {"op": "min"}, lambda d=dtype: array(d),
                   lambda x: lambda: cv2.minMaxLoc(x))
        yield Case("reduce std %s 2^24 cv" % name, "cv2.meanStdDev", "reduce", {"op": "std"}, lambda d=dtype: array(d),
                   lambda x: lambda: cv2.meanStdDev(x))
        yield Case("stats %s 2^24" % name, "np min max arg* mean std", "stats", {}, lambda d=dtype: array(d),
                   lambda x: lambda: [getattr(np, f)(x) for f in ("min", "max", "argmin", "argmax", "mean", "std")])
        out = {"u1": "u8", "i4": "i8"}.get(dtype, dtype)
        yield Case("scan sum %s 2^24" % name, "np.cumsum", "scan", {}, lambda d=dtype: array(d),
                   lambda x, o=out: into(lambda out: np.cumsum(x, out=out), x, o))
    for dtype, name in (("f4", "f32"), ("f8", "f64")):
        yield Case("dot %s 2^24" % name, "np.dot", "dot", {}, lambda d=dtype: array(d, 2),
                   lambda x, y: lambda: np.dot(x, y))
        yield Case("reduce sum rows %s 4096x4096" % name, "np.sum axis 1", "reduce", {"op": "sum", "axis": "rows"},
                   lambda d=dtype: [array(d)[0].reshape(4096, 4096)], lambda x: lambda: x.sum(1))
        yield Case("reduce sum cols %s 4096x4096" % name, "np.sum axis 0", "reduce", {"op": "sum", "axis": "cols"},
                   lambda d=dtype: [array(d)[0].reshape(4096, 4096)], lambda x: lambda: x.sum(0))


def products():
    for dtype, name in (("f4", "f32"), ("f8", "f64"), ("i4", "i32")):
        for n in (512, 1024) if dtype != "i4" else (512,):  # NumPy takes seconds for larger integer matrices
            yield Case("matmul %s %d" % (name, n), "np.matmul", "matmul", {}, lambda n=n, d=dtype: square(n, d),
                       lambda x, y: into(lambda out: np.matmul(x, y, out), x))


def sorts():
    def sorted_by(kind):
        def call(x, out):
            np.copyto(out, x)
            out.sort(axis=-1, kind=kind)
        return lambda x: into(lambda out: call(x, out), x)

    for dtype, name in (("u1", "u8"), ("u2", "u16"), ("u4", "u32"), ("f4", "f32"), ("f8", "f64")):
        for n, text in ((2 << 20, "2M"), (12 << 20, "12M")):
            for kind in ("quicksort", "stable"):
                yield Case("sort %s %s" % (name, text), "np.sort %s" % kind, "sort", {},
                           lambda d=dtype, n=n: numbers(d, n), sorted_by(kind))
        for side in (16, 64, 256, 1024, 4096):
            for kind in ("quicksort", "stable"):
                yield Case("sort rows of %d %s" % (side, name), "np.sort %s" % kind, "sort", {"axis": "rows"},
                           lambda d=dtype, n=side: numbers(d, ((1 << 20) // n, n)), sorted_by(kind))
    yield Case("sort columns f32 1024x1024", "np.sort axis=0", "sort", {"axis": "cols"},
               lambda: numbers("f4", (1024, 1024)), lambda x: lambda: np.sort(x, 0))
    for dtype, name in (("u2", "u16"), ("f4", "f32")):
        yield Case("argsort %s 2M" % name, "np.argsort stable", "argsort", {}, lambda d=dtype: numbers(d, 2 << 20),
                   lambda x: lambda: np.argsort(x, kind="stable"))
        yield Case("argsort rows of 256 %s" % name, "np.argsort stable", "argsort", {"axis": "rows"},
                   lambda d=dtype: numbers(d, (4096, 256)), lambda x: lambda: np.argsort(x, -1, "stable"))


def tops():
    def least(k):
        return lambda x: lambda: np.sort(np.partition(x, k - 1, -1)[..., :k], -1)

    for k in (10, 1000):
        for dtype, name in (("u1", "u8"), ("f4", "f32"), ("f8", "f64")):
            yield Case("topk %d of %s 12M" % (k, name), "np.partition, sort", "topk", {"k": k, "smallest": 1},
                       lambda d=dtype: numbers(d, 12 << 20), least(k))
    for k, side in ((10, 64), (10, 1024), (100, 4096)):
        yield Case("topk %d of rows of %d f32" % (k, side), "np.partition, sort", "topk",
                   {"k": k, "smallest": 1, "axis": "rows"},
                   lambda n=side: numbers("f4", ((1 << 20) // n, n)), least(k))
    yield Case("topk 10 of rising f32 12M, the largest", "np.partition, sort", "topk", {"k": 10},
               lambda: [np.arange(12 << 20, dtype="f4")],
               lambda x: lambda: np.sort(np.partition(x, x.size - 10)[-10:]))


def expressions():
    """Our text, and numexpr's text if it differs. numexpr computes a power with a literal exponent by a square root."""
    for ours, theirs in (("a*2+1", None), ("a*a*a+2*a*a-a+5", None), ("sqrt(a)/(a+1)", None), ("exp(-a*a)", None),
                         ("log(a+1)", None), ("sin(a)*cos(a)", None), ("pow(a,2.5)", "a**2.5"),
                         ("select(a>0.5,a*2,a/2)", "where(a>0.5,a*2,a/2)"), ("atan2(a,b)", "arctan2(a,b)")):
        names = "ab" if "b" in ours else "a"
        yield Case("expr %s f32" % ours, "numexpr.evaluate", "expr", {"expression": ours},
                   lambda n=len(names): array("f4", n),
                   lambda *x, text=theirs or ours, names=names: into(
                       lambda out: numexpr.evaluate(text, dict(zip(names, x)), out=out), x[0]))


def array_cases():
    for family in (arrays, sorts, tops, products):
        yield from family()
    if numexpr:
        yield from expressions()
