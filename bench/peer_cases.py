# SPDX-License-Identifier: MIT
"""The cases of peers.py: an operation with its inputs, and the equivalent call of OpenCV, NumPy or Pillow, with memory
for the result if the call accepts it. This file has the cases of pictures, peer_arrays.py
has the cases of arrays."""
import cv2
import numpy as np
from PIL import Image

REPLICATE = cv2.BORDER_REPLICATE
PICTURES = ((1920, 1080), (4000, 3000))


class Case:
    """`make` returns the inputs, `peers` the call for the inputs. Both are called only when it is the case's turn."""

    is_plain = False  # drawn up for an operation without a case; not every operation runs with its defaults

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
    if dtype == "u16":
        return [a.astype("u2") * np.uint16(257) for a in made]
    return [a if dtype == "u8" else a.astype("f4") + np.float32(0.25) for a in made]


def numbers(dtype, shape):
    """Samples over the whole range of an integer type, or over [0, 1)."""
    if dtype in ("f4", "f8"):
        return [rng().random(shape, dtype)]
    info = np.iinfo(dtype)
    return [rng().integers(info.min, info.max, shape, dtype, endpoint=True)]


def into(call, *shape_of):
    """A call with memory for its result, shaped like the given array."""
    out = np.empty_like(*shape_of)
    return lambda: call(out)


def plain(op):
    """An operation on a picture with its default parameters, beside a copy of the picture."""
    case = Case("%s u8 RGB %dx%d" % (op, *PICTURES[0]), "np.copyto", op, {}, lambda: picture(PICTURES[0], "u8", 3),
                lambda x: into(lambda out: np.copyto(out, x), x))
    case.is_plain = True
    return case


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
    for dtype, channels, name in (("u8", 1, "u8"), ("u8", 3, "u8 RGB"), ("f32", 1, "f32")):
        for d in (5, 9):
            yield Case("bilateral d %d %s %s" % (d, name, text), "cv2.bilateralFilter", "bilateral",
                       {"radius": d // 2, "sigma_colour": 30, "sigma_space": 2},
                       lambda d=dtype, c=channels: picture(size, d, c),
                       lambda x, d=d: into(lambda out: cv2.bilateralFilter(x, d, 30, 2, out, REPLICATE), x))
    yield Case("clahe u8 %s" % text, "cv2.createCLAHE", "clahe", {"clip": 2}, lambda: picture(size, "u8"),
               lambda x: into(lambda out, c=cv2.createCLAHE(2): c.apply(x, out), x))
    yield Case("clahe u8 RGB %s" % text, "split, createCLAHE, merge", "clahe", {"clip": 2},
               lambda: picture(size, "u8", 3),
               lambda x: lambda c=cv2.createCLAHE(2): cv2.merge([c.apply(plane) for plane in cv2.split(x)]))
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


def colours(size, text):
    rgb = lambda dtype="u8": picture(size, dtype, 3)
    for dtype, name in (("u8", "u8"), ("f32", "f32")):
        for op, params, code in (("gray", {}, cv2.COLOR_RGB2GRAY), ("ycbcr", {}, cv2.COLOR_RGB2YCrCb),
                                 ("rgb", {}, cv2.COLOR_YCrCb2RGB), ("hsv", {}, cv2.COLOR_RGB2HSV),
                                 ("rgb", {"model": "hsv"}, cv2.COLOR_HSV2RGB)):
            words = " ".join([op, *params.values()])
            yield Case("%s %s RGB %s" % (words, name, text), "cv2.cvtColor", op, params, lambda d=dtype: rgb(d),
                       lambda x, c=code: into(lambda out: cv2.cvtColor(x, c, out),
                                              x[..., 0].copy() if c == cv2.COLOR_RGB2GRAY else x))
        yield Case("merge order %s RGB %s" % (name, text), "cv2.cvtColor", "merge", {"order": "3,2,1"},
                   lambda d=dtype: rgb(d), lambda x: into(lambda out: cv2.cvtColor(x, cv2.COLOR_RGB2BGR, out), x))
        yield Case("merge 3 %s %s" % (name, text), "cv2.merge", "merge", {},
                   lambda d=dtype: picture(size, d, 1, 3), lambda *x: into(lambda out: cv2.merge(x, out), np.dstack(x)))
        coefs = np.float32([[0.5, 0.25, 0.125, 4], [0.25, 0.5, 0.25, 0], [-0.25, 1, 0.25, 1]])
        yield Case("matrix 3x4 %s RGB %s" % (name, text), "cv2.transform", "matrix", {},
                   lambda d=dtype: [*rgb(d), coefs], lambda x, m: into(lambda out: cv2.transform(x, m, out), x))


def videos(size, text):
    width, height = size
    planes = lambda: [*picture(size, "u8"), *picture((width // 2, height // 2), "u8", 2)]
    yield Case("rgb420 NV12 u8 %s" % text, "cv2.cvtColorTwoPlane", "rgb420", {}, planes,
               lambda y, uv: into(lambda out: cv2.cvtColorTwoPlane(y, uv, cv2.COLOR_YUV2RGB_NV12, out),
                                  np.empty((height, width, 3), "u1")))
    apart = lambda: [*picture(size, "u8"), *picture((width // 2, height // 2), "u8", 1, 2)]
    yield Case("rgb420 I420 u8 %s" % text, "cv2.cvtColor", "rgb420", {}, apart,
               lambda *p: into(lambda out, x=np.concatenate([a.ravel() for a in p]).reshape(-1, width):
                               cv2.cvtColor(x, cv2.COLOR_YUV2RGB_I420, out), np.empty((height, width, 3), "u1")))
    yield Case("i420 u8 %s" % text, "cv2.cvtColor", "i420", {}, lambda: picture(size, "u8", 3),
               lambda x: into(lambda out: cv2.cvtColor(x, cv2.COLOR_RGB2YUV_I420, out),
                              np.empty((height * 3 // 2, width), "u1")))


def gamma(x):
    table, out = np.rint(255 * (np.arange(256) / 255) ** 2.2).astype("u1"), np.empty_like(x)
    return lambda: cv2.LUT(x, table, out)


def windows(size, text):
    for dtype, channels, name, sides in (("u8", 1, "u8", (3, 5, 7, 9, 15, 31, 63)), ("u8", 3, "u8 RGB", (3, 5, 15)),
                                         ("u16", 1, "u16", (3, 5)), ("f32", 1, "f32", (3, 5)),
                                         ("f32", 3, "f32 RGB", (3, 5))):
        for n in sides:
            yield Case("median %dx%d %s %s" % (n, n, name, text), "cv2.medianBlur", "median", {"size": n},
                       lambda d=dtype, c=channels: picture(size, d, c),
                       lambda x, n=n: into(lambda out: cv2.medianBlur(x, n, out), x))


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


def places(size, text):
    width, height = size
    for dtype, channels, name in (("u8", 1, "u8"), ("u8", 3, "u8 RGB"), ("u8", 4, "u8 RGBA"), ("f32", 1, "f32"),
                                  ("f32", 3, "f32 RGB")):
        one = lambda d=dtype, c=channels: picture(size, d, c)
        turned = (width, height) if channels == 1 else (width, height, channels)
        yield Case("transpose %s %s" % (name, text), "cv2.transpose", "transpose", {}, one,
                   lambda x, s=turned: into(lambda out: cv2.transpose(x, out), np.empty(s, x.dtype)))
        yield Case("transpose %s %s np" % (name, text), "np.copyto, swapaxes", "transpose", {}, one,
                   lambda x, s=turned: into(lambda out: np.copyto(out, x.swapaxes(0, 1)), np.empty(s, x.dtype)))
        for angle, code, turns in ((90, cv2.ROTATE_90_CLOCKWISE, -1), (180, cv2.ROTATE_180, 2)):
            shape = turned if angle == 90 else (height, width, *turned[2:])
            yield Case("rotate %d %s %s" % (angle, name, text), "cv2.rotate", "rotate", {"angle": angle}, one,
                       lambda x, s=shape, k=code: into(lambda out: cv2.rotate(x, k, out), np.empty(s, x.dtype)))
            yield Case("rotate %d %s %s np" % (angle, name, text), "np.copyto, rot90", "rotate", {"angle": angle}, one,
                       lambda x, s=shape, k=turns: into(lambda out: np.copyto(out, np.rot90(x, k)),
                                                        np.empty(s, x.dtype)))
        for axis, code, numbers in (("x", 1, 1), ("y", 0, 0)):
            yield Case("flip %s %s %s" % (axis, name, text), "cv2.flip", "flip", {"axis": axis}, one,
                       lambda x, k=code: into(lambda out: cv2.flip(x, k, out), x))
            yield Case("flip %s %s %s np" % (axis, name, text), "np.copyto, flip", "flip", {"axis": axis}, one,
                       lambda x, k=numbers: into(lambda out: np.copyto(out, np.flip(x, k)), x))
        yield Case("crop %s %s np" % (name, text), "np.copyto", "crop",
                   {"size": "%dx%d" % (width - 40, height - 20), "at": "31,9"}, one,
                   lambda x: into(lambda out: np.copyto(out, x[9:-11, 31:-9]), x[9:-11, 31:-9]))
        for border, code in (("reflect101", cv2.BORDER_REFLECT_101), ("constant", cv2.BORDER_CONSTANT)):
            yield Case("pad 32 %s %s %s" % (border, name, text), "cv2.copyMakeBorder", "pad",
                       {"margin": 32, "border": border}, one,
                       lambda x, k=code: into(lambda out: cv2.copyMakeBorder(x, 32, 32, 32, 32, k, out),
                                              np.empty((x.shape[0] + 64, x.shape[1] + 64, *x.shape[2:]), x.dtype)))


def sizes(size, text):
    for dtype, channels, name in (("u8", 3, "u8 RGB"), ("u8", 1, "u8"), ("f32", 1, "f32"), ("f32", 3, "f32 RGB")):
        one = lambda d=dtype, c=channels: picture(size, d, c)
        for what, width, height in (("half", size[0] // 2, size[1] // 2), ("400", 400, 400 * size[1] // size[0]),
                                    ("double", size[0] * 2, size[1] * 2)):
            if what == "double" and size[0] > 2000:
                continue
            shape = (height, width) if channels == 1 else (height, width, channels)
            for filter, code in (("nearest", cv2.INTER_NEAREST_EXACT), ("linear", cv2.INTER_LINEAR),
                                 ("area", cv2.INTER_AREA), ("cubic", cv2.INTER_CUBIC)):
                params = {"size": "%dx%d" % (width, height), "filter": filter, "antialias": int(filter == "area")}
                if filter == "area" and what == "double":
                    continue
                yield Case("resize %s %s %s %s" % (what, filter, name, text), "cv2.resize", "resize", params, one,
                           lambda x, s=shape, k=code: into(
                               lambda out: cv2.resize(x, (s[1], s[0]), dst=out, interpolation=k),
                               np.empty(s, x.dtype)))
            if dtype == "f32" and channels == 3:
                continue
            for filter, code in (("nearest", Image.NEAREST), ("linear", Image.BILINEAR), ("area", Image.BOX),
                                 ("cubic", Image.BICUBIC), ("lanczos3", Image.LANCZOS)):
                yield Case("resize %s %s %s %s pil" % (what, filter, name, text), "Image.resize", "resize",
                           {"size": "%dx%d" % (width, height), "filter": filter}, one,
                           lambda x, s=(width, height), k=code: lambda i=Image.fromarray(x): i.resize(s, k))


def pyramids(size, text):
    for dtype, channels, name in (("u8", 1, "u8"), ("u8", 3, "u8 RGB"), ("u8", 4, "u8 RGBA"), ("u16", 1, "u16"),
                                  ("i16", 1, "i16"), ("f32", 1, "f32"), ("f32", 3, "f32 RGB")):
        one = lambda d=dtype, c=channels: picture(size, d, c)
        more = (channels,) if channels > 1 else ()
        half, twice = ((size[1] + 1) // 2, (size[0] + 1) // 2, *more), (2 * size[1], 2 * size[0], *more)
        yield Case("pyramid %s %s" % (name, text), "cv2.pyrDown", "pyramid", {}, one,
                   lambda x, s=half: into(lambda out: cv2.pyrDown(x, out), np.empty(s, x.dtype)))
        if size[0] <= 2000:
            yield Case("pyramid up %s %s" % (name, text), "cv2.pyrUp", "pyramid", {"direction": "up"}, one,
                       lambda x, s=twice: into(lambda out: cv2.pyrUp(x, out), np.empty(s, x.dtype)))


def morphology(size, text):
    forms = [("%dx%d" % (n, n), {"size": n}, np.ones((n, n), np.uint8)) for n in (3, 5, 15, 51)]
    forms += [("%s 15x15" % shape, {"size": 15, "shape": shape}, cv2.getStructuringElement(code, (15, 15)))
              for shape, code in (("ellipse", cv2.MORPH_ELLIPSE), ("cross", cv2.MORPH_CROSS))]
    for dtype, channels, name in (("u8", 1, "u8"), ("u8", 3, "u8 RGB"), ("u16", 1, "u16"), ("f32", 1, "f32"),
                                  ("f32", 3, "f32 RGB")):
        one = lambda d=dtype, c=channels: picture(size, d, c)
        for words, params, element in forms:
            for op, call in (("erode", cv2.erode), ("dilate", cv2.dilate)):
                if op == "erode" or words == "5x5":
                    yield Case("%s %s %s %s" % (op, words, name, text), "cv2.%s" % op, op, params, one,
                               lambda x, c=call, e=element: into(lambda out: c(x, e, out), x))
        for op, code in (("opening", cv2.MORPH_OPEN), ("gradient", cv2.MORPH_GRADIENT), ("tophat", cv2.MORPH_TOPHAT)):
            yield Case("%s 5x5 %s %s" % (op, name, text), "cv2.morphologyEx", op, {"size": 5}, one,
                       lambda x, k=code: into(lambda out: cv2.morphologyEx(x, k, np.ones((5, 5), np.uint8), out), x))


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


def foreground(size, kind):
    """A mask of blobs, of noise with half foreground, or of noise with a tenth foreground."""
    noise = rng().integers(0, 256, (size[1], size[0]), np.uint8)
    if kind == "blobs":
        return [(cv2.GaussianBlur(noise, (0, 0), 6) > 127).astype("u1") * 255]
    return [(noise < (128 if kind == "noise" else 26)).astype("u1") * 255]


def components(x, connectivity):
    """Keeps the results, so that both sides reuse memory."""
    labels, kept = np.empty(x.shape, "i4"), []

    def call():
        kept[:] = cv2.connectedComponentsWithStats(x, labels, *kept[2:4] or (None, None), connectivity, cv2.CV_32S)

    return call


def holes(size):
    """Foreground except for a few pixels far apart."""
    return [(rng().random((size[1], size[0]), "f4") > 1e-4).astype("u1") * 255]


def shades(size, kind, channels):
    """Noise, or noise smoothed and stretched to the same range, which has edges of all directions and strengths."""
    noise = rng().integers(0, 256, (size[1], size[0], channels), np.uint8)
    smooth = noise if kind == "noise" else cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 4), None, 0, 255, cv2.NORM_MINMAX)
    return [smooth.reshape(size[1], size[0], channels).squeeze()]


def edges(size, text):
    for kind, low, high in (("smooth", 60, 150), ("noise", 300, 900)):
        for channels, aperture, l2 in ((1, 3, 0), (1, 3, 1), (1, 5, 0), (1, 7, 0), (3, 3, 0)):
            times = {3: 1, 5: 12, 7: 160}[aperture]  # the factor by which gradients are greater
            yield Case("canny %s %d %d%s %s" % (kind, channels, aperture, " l2" if l2 else "", text), "cv2.Canny", "canny",
                       {"low": low * times, "high": high * times, "aperture": aperture, "l2": l2},
                       lambda k=kind, c=channels: shades(size, k, c),
                       lambda x, l=low * times, h=high * times, a=aperture, l2=l2: into(
                           lambda out: cv2.Canny(x, l, h, out, a, bool(l2)), x[:, :, 0] if x.ndim == 3 else x, "u1"))


def regions(size, text):
    for kind in ("blobs", "noise", "holes"):
        yield Case("distance %s %s" % (kind, text), "cv2.distanceTransform precise", "distance", {},
                   lambda k=kind: holes(size) if k == "holes" else foreground(size, k),
                   lambda x: into(lambda out: cv2.distanceTransform(x, cv2.DIST_L2, cv2.DIST_MASK_PRECISE, out), x, "f4"))
    for kind in ("blobs", "noise", "specks"):
        for connectivity in (4, 8):
            yield Case("label %s %d %s" % (kind, connectivity, text), "connectedComponentsWithStats", "label",
                       {"connectivity": connectivity, "capacity": size[0] * size[1] // 11}, lambda k=kind: foreground(size, k),
                       lambda x, c=connectivity: components(x, c))


def templates(size, text):
    for side, channels in ((16, 1), (32, 1), (64, 1), (32, 3)):
        def two(side=side, channels=channels):
            image = picture(size, "u8", channels)[0]
            return [image, np.ascontiguousarray(image[100:100 + side, 200:200 + side])]

        yield Case("match %dx%d u8%s %s" % (side, side, "" if channels == 1 else " RGB", text), "cv2.matchTemplate", "match", {}, two,
                   lambda x, t: into(lambda out: cv2.matchTemplate(x, t, cv2.TM_CCOEFF_NORMED, out),
                                     np.empty((x.shape[0] - t.shape[0] + 1, x.shape[1] - t.shape[1] + 1)), "f4"))


def quantiles(size, text):
    for dtype in ("u1", "u2", "f4", "f8"):
        for q, name in ((0.5, "median"), ((0.05, 0.95), "two quantiles")):
            given = {"q": ",".join(map(str, np.atleast_1d(q)))}
            yield Case("quantile %s %s %s" % (name, dtype, text), "np.quantile", "quantile", given,
                       lambda d=dtype: numbers(d, size[::-1]), lambda x, q=q: lambda: np.quantile(x, q))
    for axis, number in (("rows", 1), ("cols", 0)):
        yield Case("quantile %s f4 %s" % (axis, text), "np.quantile", "quantile", {"axis": axis},
                   lambda: numbers("f4", size[::-1]), lambda x, n=number: lambda: np.quantile(x, 0.5, axis=n))


def joint(size, text):
    for bins in (256, 32):
        given = {"bins": bins, "lo": 0, "hi": 256, "range": "given"}
        more = ([0, 1], None, [bins, bins], [0, 256, 0, 256])
        yield Case("histogram2d %d u8 RGB %s" % (bins, text), "cv2.calcHist", "histogram2d", given,
                   lambda: picture(size, "u8", 3), lambda x, m=more: lambda: cv2.calcHist([x], *m))
        yield Case("histogram2d %d f32 %s" % (bins, text), "cv2.calcHist", "histogram2d", given,
                   lambda: picture(size, "f32", 1, 2), lambda x, y, m=more: lambda: cv2.calcHist([x, y], *m))


def picture_cases():
    for size in PICTURES:
        for family in (gaussians, masks, named, windows, tones, colours, videos, pairs, places, sizes, pyramids,
                       morphology, counts, quantiles, joint, regions, edges, templates):
            yield from family(size, "%dx%d" % size)
