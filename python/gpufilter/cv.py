# SPDX-License-Identifier: MIT
"""Filters and arithmetic of OpenCV by their names, arguments, defaults and constants, computed by the daemon.

    from gpufilter import cv
    blurred = cv.GaussianBlur(picture, (0, 0), 2)

src: uint8, uint16 or float32, of shape (H, W) or (H, W, C) with 1 to 4 channels, which are filtered alike; other dtypes
are refused (TypeError). An array on a device of another package is copied, with a HostCopyWarning. dst: an array of the
result's shape and dtype, which is written to and returned; one that does not fit is refused, not replaced.

ddepth, dtype: -1, CV_8U, CV_16U, CV_16S or CV_32F. CV_64F raises NotImplementedError: nothing here computes pictures in
float64. borderType: the constants below; BORDER_WRAP works for filters, too, and BORDER_CONSTANT is 0.

Different on purpose: ties are rounded to even everywhere. GaussianBlur has weights of float32, for integers, too, where
those of OpenCV are fixed-point numbers (docs/numerics.md, section 12). Kernels, scale and delta are float32. min and
max of NaN are NaN. Errors are exceptions of Python and gpufilter, not cv2.error.

What is not here raises NotImplementedError, which says what to use."""
import math
import operator

import numpy as np

from . import _calls, _floats, _ops
from ._array import DeviceArray
from ._intake import asarray
from ._missing import missing

BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101, BORDER_TRANSPARENT = range(6)
BORDER_REFLECT101 = BORDER_DEFAULT = BORDER_REFLECT_101
BORDER_ISOLATED = 16  # has no effect: a numpy array is all there is
CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F = range(7)
FILTER_SCHARR = -1
THRESH_BINARY, THRESH_BINARY_INV, THRESH_TRUNC, THRESH_TOZERO, THRESH_TOZERO_INV = range(5)
THRESH_MASK, THRESH_OTSU, THRESH_TRIANGLE = 7, 8, 16

_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}
_WORDS = {CV_8U: "u8", CV_16U: "u16", CV_16S: "i16", CV_32F: "f32"}
_DEPTHS = {"uint8": CV_8U, "uint16": CV_16U, "float32": CV_32F}
_MOST_MASK, _MOST_BOX, _MOST_WHOLE = 255, 4095, 2**24


# ---- arguments ----

def _src(name, src, what="src"):
    """A picture, and whether its last axis is channels."""
    if isinstance(src, DeviceArray):
        raise TypeError(f"{name}: {what} is on the daemon's device; use the functions of gpufilter, whose results stay "
                        "there, or .numpy()")
    src = asarray(src)
    src = src.astype(src.dtype.newbyteorder("="), copy=False)
    if src.dtype.name not in _DEPTHS:
        raise TypeError(f"{name}: {what} has dtype {src.dtype}; it takes uint8, uint16 and float32")
    if src.ndim not in (2, 3) or (src.ndim == 3 and not 1 <= src.shape[2] <= 4):
        raise ValueError(f"{name}: {what} has shape {src.shape}; it must be (H, W) or (H, W, C) with 1 to 4 channels")
    return src, -1 if src.ndim == 3 else None


def _word(name, ddepth, src, what="ddepth"):
    if ddepth == -1:
        return _WORDS[_DEPTHS[src.dtype.name]]
    if ddepth not in _WORDS:
        more = "; CV_32F, and .astype('float64') of it, is the nearest" if ddepth == CV_64F else ""
        raise NotImplementedError(f"{name}: {what}={ddepth}; allowed: -1, CV_8U, CV_16U, CV_16S and CV_32F{more}")
    return _WORDS[ddepth]


def _border(name, border):
    kind = operator.index(border) & ~BORDER_ISOLATED
    if kind not in _BORDERS:
        raise NotImplementedError(f"{name}: borderType={border}; allowed: BORDER_CONSTANT, BORDER_REPLICATE, "
                                  "BORDER_REFLECT, BORDER_WRAP and BORDER_REFLECT_101")
    return _BORDERS[kind]


def _size(name, ksize):
    if not hasattr(ksize, "__len__") or len(ksize) != 2:
        raise TypeError(f"{name}: ksize={ksize!r}; it is (width, height)")
    return operator.index(ksize[0]), operator.index(ksize[1])


def _anchor(name, anchor, width, height):
    x, y = (operator.index(a) if a != -1 else n // 2 for a, n in zip(anchor, (width, height)))
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{name}: anchor={tuple(anchor)} in a kernel of {width}x{height}; it must lie inside")
    return x, y


def _kernel(name, kernel, what="kernel"):
    """A kernel of two axes, or, of sepFilter2D, a row, whichever way it lies."""
    kernel, vector = asarray(kernel), what != "kernel"
    if kernel.dtype.kind not in "iuf" or not kernel.size or kernel.ndim > 2 or (
            kernel.size not in kernel.shape if vector else kernel.ndim != 2):
        raise ValueError(f"{name}: {what} has shape {kernel.shape} and dtype {kernel.dtype}; it must be numbers, "
                         + ("in one row or column" if vector else "of two axes, rows and columns"))
    return np.ascontiguousarray(kernel.ravel() if vector else kernel, np.float32)


# ---- filters ----

def filter2D(src, ddepth, kernel, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.correlate: kernels of up to 255 x 255; anchor (x, y)."""
    name = "filter2D"
    src, axis = _src(name, src)
    kernel = _kernel(name, kernel)
    return _ops.correlate(src, kernel, offset=delta, anchor=_anchor(name, anchor, kernel.shape[1], kernel.shape[0]),
                          border=_border(name, borderType), alpha="straight", dtype=_word(name, ddepth, src), out=dst,
                          channel_axis=axis)


def sepFilter2D(src, ddepth, kernelX, kernelY, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.correlate1d along the rows, then along the columns, in float32, rounded once."""
    name = "sepFilter2D"
    src, axis = _src(name, src)
    across, down = (_kernel(name, k, w) for k, w in ((kernelX, "kernelX"), (kernelY, "kernelY")))
    x, y = _anchor(name, anchor, across.size, down.size)
    border = _border(name, borderType)
    text = (f"map dtype=f32 alpha=straight | correlate1d kernel=@1 axis=rows border={border} anchor={x} | "
            f"correlate1d kernel=@2 axis=cols border={border} anchor={y} | "
            f"map offset={float(delta)!r} dtype={_word(name, ddepth, src)} alpha=straight")
    return _calls.default_client().run(text, src, across, down, out=dst, channel_axis=axis)


def getGaussianKernel(ksize, sigma, ktype=CV_64F):
    """A column of a Gaussian's weights, of sum 1; made here, not by the daemon. With sigma <= 0 it follows from ksize,
    as in OpenCV, whose kernels of up to 9 are then of short fractions."""
    ksize = operator.index(ksize)
    if ksize < 1 or ksize % 2 == 0 or ktype not in (CV_32F, CV_64F):
        raise ValueError(f"getGaussianKernel: ksize={ksize}, ktype={ktype}; ksize must be odd, ktype CV_32F or CV_64F")
    weights = _SMALL.get(ksize) if sigma <= 0 else None
    if weights is None:
        sigma = sigma if sigma > 0 else 0.15 * ksize + 0.35
        x = np.arange(ksize) - (ksize - 1) / 2
        weights = np.exp(-x * x / (2 * sigma * sigma))
        weights /= weights.sum()
    return np.array(weights, np.float64 if ktype == CV_64F else np.float32).reshape(-1, 1)


_SMALL = {1: [1], 3: [0.25, 0.5, 0.25], 5: [0.0625, 0.25, 0.375, 0.25, 0.0625],
          7: [0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125],
          9: [k / 256 for k in (4, 13, 30, 51, 60, 51, 30, 13, 4)]}


def GaussianBlur(src, ksize, sigmaX, dst=None, sigmaY=0, borderType=BORDER_DEFAULT):
    """gpufilter.gaussian; where its radii do not allow for ksize, and with sigma <= 0, sepFilter2D with the weights of
    getGaussianKernel."""
    name = "GaussianBlur"
    src, axis = _src(name, src)
    sizes, sigmas = list(_size(name, ksize)), [float(sigmaX), float(sigmaY) if sigmaY > 0 else float(sigmaX)]
    for i, (n, sigma) in enumerate(zip(sizes, sigmas)):
        if n <= 0 and math.isfinite(sigma) and sigma > 0:
            sizes[i] = n = round(sigma * (3 if src.dtype == np.uint8 else 4) * 2 + 1) | 1
        if n < 1 or n % 2 == 0 or not math.isfinite(sigma):
            raise ValueError(f"{name}: ksize={ksize} with sigma={sigma}; sides must be odd, or 0 with sigma > 0")
        if n == 1:
            sigmas[i] = 0.0
    radii = [n // 2 for n in sizes]
    fits = all(s > 0 or n == 1 for s, n in zip(sigmas, sizes))
    truncate = _floats.truncate_for(sigmas, radii, radii[0] / sigmas[0] if sigmas[0] > 0 else 4.0) if fits else None
    if truncate is not None:
        return _ops.gaussian(src, sigmas, truncate, _border(name, borderType), alpha="straight", out=dst,
                             channel_axis=axis)
    across, down = (getGaussianKernel(n, s, CV_32F) for n, s in zip(sizes, sigmas))
    return sepFilter2D(src, -1, across, down, dst, borderType=borderType)


def blur(src, ksize, dst=None, anchor=(-1, -1), borderType=BORDER_DEFAULT):
    """boxFilter with ddepth=-1 and normalize=True."""
    return _box("blur", src, -1, ksize, dst, anchor, True, borderType)


def boxFilter(src, ddepth, ksize, dst=None, anchor=(-1, -1), normalize=True, borderType=BORDER_DEFAULT):
    """gpufilter.box, of sides up to 4095; for an anchor off the middle, and for CV_8U, CV_16U and CV_16S of another
    dtype, gpufilter.correlate with ones, of sides up to 255."""
    return _box("boxFilter", src, ddepth, ksize, dst, anchor, normalize, borderType)


def _box(name, src, ddepth, ksize, dst, anchor, normalize, border):
    src, axis = _src(name, src)
    width, height = _size(name, ksize)
    if not (1 <= width <= _MOST_BOX and 1 <= height <= _MOST_BOX):
        raise ValueError(f"{name}: ksize={ksize}; allowed: 1 to {_MOST_BOX}")
    x, y = _anchor(name, anchor, width, height)
    word, border, scale = _word(name, ddepth, src), _border(name, border), 1.0 if normalize else float(width * height)
    if (x, y) == (width // 2, height // 2) and word in (_WORDS[_DEPTHS[src.dtype.name]], "f32"):
        text = "map dtype=f32 alpha=straight | " if word == "f32" and src.dtype != np.float32 else ""
        return _calls.default_client().run(
            f"{text}box size={width},{height} scale={scale!r} border={border} alpha=straight", src, out=dst,
            channel_axis=axis)
    if width > _MOST_MASK or height > _MOST_MASK:
        raise NotImplementedError(f"{name}: ksize={ksize} with this anchor or ddepth; sides up to {_MOST_MASK} have "
                                  "them, larger ones the anchor in the middle and ddepth=-1 or CV_32F")
    return _ops.correlate(src, np.ones((height, width), np.float32), scale=scale, normalize="sum", anchor=(x, y),
                          border=border, alpha="straight", dtype=word, out=dst, channel_axis=axis)


def _derivative(name, order, ksize):
    """Whole-number weights of a derivative along one axis: binomial, with `order` differences."""
    n = 3 if ksize == 1 and order else ksize
    if ksize not in range(1, 32, 2) or not 0 <= order < n:
        raise ValueError(f"{name}: order {order} with ksize={ksize}; ksize must be odd, 1 to 31, and larger than the "
                         "order")
    weights = np.ones(1)
    for i in range(n - 1):
        weights = np.convolve(weights, [-1, 1] if i < order else [1, 1])
    return weights


def _by_mask(name, src, axis, mask, scale, delta, border, word, dst):
    if np.abs(mask).max() > _MOST_WHOLE:
        raise NotImplementedError(f"{name}: weights up to {np.abs(mask).max():.0f}; float32 has whole numbers up to "
                                  "2^24: use a smaller ksize")
    return _ops.correlate(src, mask.astype(np.float32), scale, delta, border, alpha="straight", dtype=word, out=dst,
                          channel_axis=axis)


def Sobel(src, ddepth, dx, dy, dst=None, ksize=3, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """First derivatives with ksize=3: gpufilter.sobel; with FILTER_SCHARR: gpufilter.scharr; else gpufilter.correlate
    with OpenCV's weights."""
    return _sobel("Sobel", src, ddepth, dx, dy, dst, ksize, scale, delta, borderType)


def Scharr(src, ddepth, dx, dy, dst=None, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.scharr with output=dx or dy."""
    return _sobel("Scharr", src, ddepth, dx, dy, dst, FILTER_SCHARR, scale, delta, borderType)


def _sobel(name, src, ddepth, dx, dy, dst, ksize, scale, delta, border):
    src, axis = _src(name, src)
    word, border = _word(name, ddepth, src), _border(name, border)
    if (dx, dy) in ((1, 0), (0, 1)) and ksize in (3, FILTER_SCHARR):
        op = _ops.sobel if ksize == 3 else _ops.scharr
        return op(src, "dx" if dx else "dy", scale, delta, border, alpha="straight", dtype=word, out=dst,
                  channel_axis=axis)
    if ksize == FILTER_SCHARR or dx + dy < 1:
        allowed = "1, 0 and 0, 1" if ksize == FILTER_SCHARR else "orders whose sum is 1 or more"
        raise ValueError(f"{name}: dx={dx}, dy={dy}; allowed: {allowed}")
    mask = np.outer(_derivative(name, dy, ksize), _derivative(name, dx, ksize))
    return _by_mask(name, src, axis, mask, scale, delta, border, word, dst)


def Laplacian(src, ddepth, dst=None, ksize=1, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """ksize=1: gpufilter.laplacian with 4 neighbours; else gpufilter.correlate with OpenCV's weights."""
    name = "Laplacian"
    src, axis = _src(name, src)
    word, border = _word(name, ddepth, src), _border(name, borderType)
    if ksize == 1:
        return _ops.laplacian(src, "4", scale, delta, border, alpha="straight", dtype=word, out=dst, channel_axis=axis)
    smooth, second = _derivative(name, 0, ksize), _derivative(name, 2, ksize)
    mask = np.outer(second, smooth) + np.outer(smooth, second)
    return _by_mask(name, src, axis, mask, scale, delta, border, word, dst)


# ---- sample by sample ----

def _two(name, src1, src2, mode, dtype=-1, dst=None, mask=None, **options):
    if mask is not None:
        raise NotImplementedError(f"{name}: mask; numpy.where(mask, result, dst) on the host")
    first, axis = _src(name, src1, "src1")
    if np.ndim(src2) == 0 or (isinstance(src2, (list, tuple)) and len(src2) <= 4):
        raise NotImplementedError(f"{name}: src2={src2!r} is no picture; gpufilter.map adds and multiplies by numbers")
    second, _ = _src(name, src2, "src2")
    return _ops.combine(first, second, mode, dtype=_word(name, dtype, first, "dtype"), alpha="straight", out=dst,
                        channel_axis=axis, **options)


def absdiff(src1, src2, dst=None):
    """gpufilter.combine with mode=absdiff."""
    return _two("absdiff", src1, src2, "absdiff", dst=dst)


def add(src1, src2, dst=None, mask=None, dtype=-1):
    """gpufilter.combine: a sum, rounded once and saturated."""
    return _two("add", src1, src2, "linear", dtype, dst, mask)


def subtract(src1, src2, dst=None, mask=None, dtype=-1):
    """gpufilter.combine: a difference, rounded once and saturated."""
    return _two("subtract", src1, src2, "linear", dtype, dst, mask, b=-1.0)


def addWeighted(src1, alpha, src2, beta, gamma, dst=None, dtype=-1):
    """gpufilter.combine: src1 alpha + src2 beta + gamma in float32, rounded once and saturated."""
    return _two("addWeighted", src1, src2, "linear", dtype, dst, a=float(alpha), b=float(beta), c=float(gamma))


def multiply(src1, src2, dst=None, scale=1, dtype=-1):
    """gpufilter.combine with mode=mul; scale must be 1."""
    if scale != 1:
        raise NotImplementedError(f"multiply: scale={scale}; gpufilter.map(product, scale=...) of a product of float32")
    return _two("multiply", src1, src2, "mul", dtype, dst)


def min(src1, src2, dst=None):  # noqa: A001
    """gpufilter.combine with mode=min."""
    return _two("min", src1, src2, "min", dst=dst)


def max(src1, src2, dst=None):  # noqa: A001
    """gpufilter.combine with mode=max."""
    return _two("max", src1, src2, "max", dst=dst)


def magnitude(x, y, magnitude=None):
    """gpufilter.combine with mode=magnitude, of float32."""
    if _src("magnitude", x, "x")[0].dtype != np.float32:
        raise TypeError("magnitude: x must be float32")
    return _two("magnitude", x, y, "magnitude", dst=magnitude)


def LUT(src, lut, dst=None):
    """gpufilter.map with a table of 256 entries of uint8, uint16, int16 or float32, for all channels alike."""
    src, axis = _src("LUT", src)
    lut = asarray(lut)
    if src.dtype != np.uint8:
        raise TypeError(f"LUT: src has dtype {src.dtype}; it takes uint8")
    if lut.size != 256:
        raise NotImplementedError(f"LUT: lut has shape {lut.shape}; it must be one table of 256 for all channels")
    return _table(src, axis, lut.ravel(), dst)


def _table(src, axis, table, dst):
    word = {"u1": "u8", "u2": "u16", "i2": "i16", "f4": "f32"}.get(table.dtype.str[1:])
    if word is None:
        raise TypeError(f"LUT: lut has dtype {table.dtype}; it takes uint8, uint16, int16 and float32")
    return _ops.map(src, table=table, dtype=word, alpha="straight", out=dst, channel_axis=axis)


def threshold(src, thresh, maxval, type, dst=None):  # noqa: A002
    """(thresh, result). uint8 and uint16: gpufilter.map with a table, all five types; float32: gpufilter.threshold, for
    THRESH_BINARY and THRESH_BINARY_INV."""
    name = "threshold"
    src, axis = _src(name, src)
    thresh, maxval = float(thresh), float(maxval)
    if type & ~THRESH_MASK:
        raise NotImplementedError(f"{name}: type={type}; gpufilter.threshold(src) finds Otsu's threshold, and takes it")
    if type > THRESH_TOZERO_INV or (src.dtype == np.float32 and type > THRESH_BINARY_INV):
        raise NotImplementedError(f"{name}: type={type} of {src.dtype}; allowed: THRESH_BINARY, THRESH_BINARY_INV, and "
                                  "of uint8 and uint16 THRESH_TRUNC, THRESH_TOZERO and THRESH_TOZERO_INV")
    if src.dtype == np.float32:
        scale, offset = (maxval, 0.0) if type == THRESH_BINARY else (-maxval, maxval)
        text = (f"threshold mode=fixed value={thresh!r} channels=each alpha=straight | map scale={scale!r} "
                f"offset={offset!r} alpha=straight")
        return thresh, _calls.default_client().run(text, src, out=dst, channel_axis=axis)
    x = np.arange(np.iinfo(src.dtype).max + 1.0)
    above = x > thresh
    table = {THRESH_BINARY: lambda: np.where(above, maxval, 0), THRESH_BINARY_INV: lambda: np.where(above, 0, maxval),
             THRESH_TRUNC: lambda: np.where(above, math.floor(thresh), x), THRESH_TOZERO: lambda: np.where(above, x, 0),
             THRESH_TOZERO_INV: lambda: np.where(above, 0, x)}[type]()
    return thresh, _table(src, axis, _floats.store(table, src.dtype), dst)


# ---- whole pictures ----

def integral(src, sum=None, sdepth=-1):  # noqa: A002
    """gpufilter.integral with pad=1. uint8: CV_32S (default) or CV_64F; uint16 and float32: CV_64F."""
    name = "integral"
    src, axis = _src(name, src)
    if sdepth == -1:
        sdepth = CV_32S if src.dtype == np.uint8 else CV_64F
    if sdepth not in (CV_32S, CV_64F) or (sdepth == CV_32S and src.dtype != np.uint8):
        raise NotImplementedError(f"{name}: sdepth={sdepth} of {src.dtype}; allowed: -1, CV_64F, and of uint8 CV_32S")
    if sdepth == CV_32S:
        if src.shape[0] * src.shape[1] * 255 >= 2**31:
            raise ValueError(f"{name}: src of shape {src.shape} may have sums beyond 2^31; use sdepth=CV_64F")
        made = _ops.integral(src, pad=True, dtype="u32", channel_axis=axis).view(np.int32)
    else:
        wide = "f64" if src.dtype == np.float32 else "u64"
        made = _ops.integral(src, pad=True, dtype=wide, channel_axis=axis).astype(np.float64, copy=False)
    if sum is None:
        return made
    if sum.shape != made.shape or sum.dtype != made.dtype:
        raise ValueError(f"{name}: sum has shape {sum.shape} and dtype {sum.dtype}; the result has {made.shape} and "
                         f"{made.dtype}")
    sum[...] = made
    return sum


def calcHist(images, channels, mask, histSize, ranges, hist=None, accumulate=False):
    """gpufilter.histogram of one channel, as float32 of shape (bins, 1). ranges: [lo, hi), equal bins."""
    name = "calcHist"
    if mask is not None or accumulate or hist is not None or len(channels) != 1 or len(ranges) != 2 or len(images) != 1:
        raise NotImplementedError(f"{name}: one channel of one picture, without mask, hist and accumulate; "
                                  "gpufilter.histogram and numpy do the rest")
    src, axis = _src(name, images[0], "images[0]")
    if axis is not None:
        if not 0 <= channels[0] < src.shape[2]:
            raise ValueError(f"{name}: channels={list(channels)} of {src.shape[2]}")
        src = src[:, :, channels[0]]
    elif channels[0] != 0:
        raise ValueError(f"{name}: channels={list(channels)} of 1")
    counts = _ops.histogram(src, bins=operator.index(histSize[0]), lo=float(ranges[0]), hi=float(ranges[1]),
                            range="given", channel_axis=None).counts
    if counts.max() > _MOST_WHOLE:
        raise ValueError(f"{name}: a bin holds {counts.max()}; float32 has whole numbers up to 2^24: use "
                         "gpufilter.histogram")
    return counts.astype(np.float32).reshape(-1, 1)


def equalizeHist(src, dst=None):
    """gpufilter.equalize, which takes ties up; OpenCV's go to even, so a level may differ by 1."""
    src, axis = _src("equalizeHist", src)
    if src.dtype != np.uint8 or axis is not None:
        raise TypeError(f"equalizeHist: src has shape {src.shape} and dtype {src.dtype}; it takes (H, W) of uint8; "
                        "gpufilter.equalize takes more")
    return _ops.equalize(src, out=dst, channel_axis=None)


# ---- what is not here ----

_MISSING = {
    "there are no rank filters and no morphology; on the host: cv2.{0}":
        "medianBlur erode dilate morphologyEx getStructuringElement",
    "its weights depend on the samples, or on two results; on the host: cv2.{0}":
        "bilateralFilter fastNlMeansDenoising fastNlMeansDenoisingColored Canny adaptiveThreshold cornerHarris",
    "there is no interpolation; on the host: cv2.{0}": "resize remap warpAffine warpPerspective pyrDown pyrUp rotate",
    "gpufilter.map and gpufilter.combine scale and mix samples; on the host: cv2.{0}": "cvtColor divide scaleAdd",
    "gpufilter.map and gpufilter.autocontrast scale samples; the latter over their range":
        "convertScaleAbs normalize",
    "gpufilter.stats and gpufilter.reduce have the figures, per channel":
        "countNonZero mean meanStdDev minMaxLoc norm PSNR reduce sumElems",
    "gpufilter.box of the squares, and gpufilter.integral(square=1)": "sqrBoxFilter integral2 integral3",
    "gpufilter.sobel(output='dx') and 'dy', and output='magnitude'": "spatialGradient",
    "there is no Fourier transform; sepFilter2D and filter2D filter in space": "dft idft matchTemplate",
}
__getattr__, __dir__ = missing(globals(), _MISSING)
