# SPDX-License-Identifier: MIT
"""What peers.py times: an operation with its inputs, and the call of OpenCV or NumPy that does the same,
with memory for the result where the call accepts any."""
import cv2
import numpy as np

REPLICATE = cv2.BORDER_REPLICATE
PICTURES = ((1920, 1080), (4000, 3000))
LENGTH = 1 << 24


class Case:
    """`make` gives the inputs, `peers` the call from the inputs; both only when the case's turn comes."""

    def __init__(self, name, peer, op, params, make, peers):
        self.name, self.peer, self.op, self.params = name, peer, op, params
        self.make, self.peers = make, peers

    def prepare(self):
        self.inputs = self.make()
        self.theirs = self.peers(*self.inputs)

    def drop(self):
        del self.inputs, self.theirs


def rng():
    return np.random.default_rng(5)


def picture(size, dtype, channels=1, n=1):
    shape = (size[1], size[0]) if channels == 1 else (size[1], size[0], channels)
    made = rng().integers(0, 256, (n, *shape), np.uint8)
    return [a if dtype == "u8" else a.astype("f4") + np.float32(0.25) for a in made]


def array(dtype, n=1):
    if dtype in ("f4", "f8"):
        return list(rng().random((n, LENGTH), dtype))
    info = np.iinfo(dtype)
    return list(rng().integers(info.min, info.max, (n, LENGTH), dtype, endpoint=True))


def square(n, dtype):
    if dtype == "i4":
        return list(rng().integers(-1000, 1000, (2, n, n), dtype))
    return list(rng().random((2, n, n), dtype))


def into(call, *shape_of):
    """A call with memory for its result like the given array."""
    out = np.empty_like(*shape_of)
    return lambda: call(out)


def gaussians(size, text):
    for dtype, channels, name in (("u8", 3, "u8 RGB"), ("u8", 1, "u8"), ("f32", 1, "f32")):
        yield Case("gaussian sigma 2 %s %s" % (name, text), "cv2.GaussianBlur 17x17", "gaussian", {"sigma": 2},
                   lambda d=dtype, c=channels: picture(size, d, c),
                   lambda x: into(lambda out: cv2.GaussianBlur(x, (17, 17), 2, out, 2, REPLICATE), x))
        yield Case("box 9x9 %s %s" % (name, text), "cv2.blur", "box", {"size": 9},
                   lambda d=dtype, c=channels: picture(size, d, c),
                   lambda x: into(lambda out: cv2.blur(x, (9, 9), out, (-1, -1), REPLICATE), x))
    yield Case("unsharp sigma 1 u8 %s" % text, "GaussianBlur + addWeighted", "unsharp", {}, lambda: picture(size, "u8"),
               unsharp)


def unsharp(x):
    out = np.empty_like(x)

    def call():
        cv2.GaussianBlur(x, (9, 9), 1, out, 1, REPLICATE)
        cv2.addWeighted(x, 2, out, -1, 0, out)

    return call


def masks(size, text):
    for dtype, channels, name in (("u8", 1, "u8"), ("u8", 3, "u8 RGB"), ("f32", 1, "f32")):
        for n in (3, 5, 11):
            whole = rng().integers(1, 9, (n, n)).astype("f4")
            real = (rng().random((n, n)) / n / n).astype("f4")
            for kind, mask in (("whole", whole), ("real", real)):
                if (kind == "whole") == (dtype == "u8") or (n == 5 and channels == 1):
                    yield Case("correlate %s %dx%d %s %s" % (kind, n, n, name, text), "cv2.filter2D", "correlate",
                               {"normalize": "sum"},
                               lambda d=dtype, c=channels, m=mask: picture(size, d, c) + [m],
                               lambda x, m: into(lambda out, m=m / m.sum(): cv2.filter2D(x, -1, m, out, (-1, -1), 0,
                                                                                         REPLICATE), x))


def named(size, text):
    cross = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], "f4")
    relief = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], "f4")
    for dtype in ("u8", "f32"):
        yield Case("sobel magnitude %s %s" % (dtype, text), "cv2.Sobel twice + magnitude", "sobel", {},
                   lambda d=dtype: picture(size, d), sobel)
        yield Case("sobel dx %s %s" % (dtype, text), "cv2.Sobel", "sobel", {"output": "dx"},
                   lambda d=dtype: picture(size, d),
                   lambda x: into(lambda out: cv2.Sobel(x, cv2.CV_32F, 1, 0, out, 3, 1, 0, REPLICATE), x, "f4"))
        yield Case("laplacian %s %s" % (dtype, text), "cv2.Laplacian", "laplacian", {}, lambda d=dtype: picture(size, d),
                   lambda x: into(lambda out: cv2.Laplacian(x, cv2.CV_32F, out, 1, 1, 0, REPLICATE), x, "f4"))
        yield Case("sharpen %s %s" % (dtype, text), "cv2.filter2D", "sharpen", {}, lambda d=dtype: picture(size, d),
                   lambda x: into(lambda out: cv2.filter2D(x, -1, cross, out, (-1, -1), 0, REPLICATE), x))
    yield Case("emboss u8 %s" % text, "cv2.filter2D", "emboss", {}, lambda: picture(size, "u8"),
               lambda x: into(lambda out: cv2.filter2D(x, -1, relief, out, (-1, -1), 0, REPLICATE), x))


def sobel(x):
    dx, dy, out = (np.empty(x.shape, "f4") for _ in range(3))

    def call():
        cv2.Sobel(x, cv2.CV_32F, 1, 0, dx, 3, 1, 0, REPLICATE)
        cv2.Sobel(x, cv2.CV_32F, 0, 1, dy, 3, 1, 0, REPLICATE)
        cv2.magnitude(dx, dy, out)

    return call


def tones(size, text):
    one = lambda: picture(size, "u8")
    yield Case("threshold 100 u8 %s" % text, "cv2.threshold", "threshold", {"value": 100}, one,
               lambda x: into(lambda out: cv2.threshold(x, 100, 255, 0, out), x))
    yield Case("threshold 100 f32 %s" % text, "cv2.threshold", "threshold", {"value": 100},
               lambda: picture(size, "f32"), lambda x: into(lambda out: cv2.threshold(x, 100, 1, 0, out), x))
    yield Case("threshold otsu u8 %s" % text, "cv2.threshold", "threshold", {"mode": "otsu"}, one,
               lambda x: into(lambda out: cv2.threshold(x, 0, 255, cv2.THRESH_OTSU, out), x))
    yield Case("equalize u8 %s" % text, "cv2.equalizeHist", "equalize", {}, one,
               lambda x: into(lambda out: cv2.equalizeHist(x, out), x))
    for dtype, top in (("u8", 255), ("f32", 1)):
        yield Case("autocontrast %s %s" % (dtype, text), "cv2.normalize", "autocontrast", {},
                   lambda d=dtype: picture(size, d),
                   lambda x, t=top: into(lambda out: cv2.normalize(x, out, 0, t, cv2.NORM_MINMAX), x))
    yield Case("map scale offset u8 %s" % text, "cv2.convertScaleAbs", "map", {"scale": 1.3, "offset": 7}, one,
               lambda x: into(lambda out: cv2.convertScaleAbs(x, out, 1.3, 7), x))
    yield Case("map scale offset f32 %s" % text, "np.multiply, add", "map", {"scale": 1.3, "offset": 7},
               lambda: picture(size, "f32"), lambda x: into(lambda out: np.add(np.multiply(x, 1.3, out), 7, out), x))
    for channels, name in ((1, "u8"), (3, "u8 RGB")):
        yield Case("map gamma 2.2 %s %s" % (name, text), "cv2.LUT", "map", {"gamma": 2.2},
                   lambda c=channels: picture(size, "u8", c), gamma)


def gamma(x):
    table, out = np.rint(255 * (np.arange(256) / 255) ** 2.2).astype("u1"), np.empty_like(x)
    return lambda: cv2.LUT(x, table, out)


def pairs(size, text):
    for dtype in ("u8", "f32"):
        two = lambda d=dtype: picture(size, d, 1, 2)
        yield Case("combine .25A+.5B %s %s" % (dtype, text), "cv2.addWeighted", "combine", {"a": 0.25, "b": 0.5}, two,
                   lambda x, y: into(lambda out: cv2.addWeighted(x, 0.25, y, 0.5, 0, out), x))
        for mode, call in (("absdiff", cv2.absdiff), ("min", cv2.min), ("mul", cv2.multiply)):
            yield Case("combine %s %s %s" % (mode, dtype, text), "cv2.%s" % call.__name__, "combine", {"mode": mode},
                       two, lambda x, y, call=call: into(lambda out: call(x, y, out), x))
        yield Case("compare %s %s" % (dtype, text), "cv2.norm of 3 kinds", "compare", {}, two,
                   lambda x, y: lambda: [cv2.norm(x, y, k) for k in (cv2.NORM_INF, cv2.NORM_L1, cv2.NORM_L2SQR)])
        yield Case("compare %s %s np" % (dtype, text), "numpy: max, mean, mean square", "compare", {}, two, compare)


def compare(x, y):
    def call():
        d = np.abs(np.subtract(x, y, dtype="f4"))
        return d.max(), d.mean(), np.square(d).mean(), np.count_nonzero(d)

    return call


def counts(size, text):
    one = lambda: picture(size, "u8")
    yield Case("histogram u8 %s" % text, "cv2.calcHist", "histogram", {}, one,
               lambda x: lambda: cv2.calcHist([x], [0], None, [256], [0, 256]))
    yield Case("histogram u8 %s np" % text, "np.bincount", "histogram", {}, one,
               lambda x: lambda: np.bincount(x.ravel(), minlength=256))
    yield Case("integral u8 %s" % text, "cv2.integral", "integral", {"pad": 1}, one,
               lambda x: into(lambda out: cv2.integral(x, out, cv2.CV_32S), np.empty((x.shape[0] + 1, x.shape[1] + 1)),
                              "i4"))
    yield Case("integral f32 %s" % text, "cv2.integral", "integral", {"pad": 1}, lambda: picture(size, "f32"),
               lambda x: into(lambda out: cv2.integral(x, out, cv2.CV_64F), np.empty((x.shape[0] + 1, x.shape[1] + 1)),
                              "f8"))


def arrays():
    whole, real = {"bins": 64, "lo": 0, "hi": 1}, {"bins": 64, "lo": 0, "hi": 1, "range": "given"}
    yield Case("histogram 64 bins f32 2^24", "np.histogram", "histogram", {**whole, "range": "given"},
               lambda: array("f4"), lambda x: lambda: np.histogram(x, 64, (0, 1)))
    yield Case("histogram 64 bins f32 2^24 cv", "cv2.calcHist", "histogram", real, lambda: array("f4"),
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
        for n in (512, 1024) if dtype != "i4" else (512,):  # NumPy takes seconds for more integers
            yield Case("matmul %s %d" % (name, n), "np.matmul", "matmul", {}, lambda n=n, d=dtype: square(n, d),
                       lambda x, y: into(lambda out: np.matmul(x, y, out), x))


def cases():
    for size in PICTURES:
        for family in (gaussians, masks, named, tones, pairs, counts):
            yield from family(size, "%dx%d" % size)
    yield from arrays()
    yield from products()
