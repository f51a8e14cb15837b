# SPDX-License-Identifier: MIT
"""Filters and arithmetic of OpenCV by their names, arguments, defaults and constants, computed by the daemon.

    from gpufilter import cv
    blurred = cv.GaussianBlur(picture, (0, 0), 2)

src: uint8, uint16, int16 or float32, of shape (H, W) or (H, W, C) with 1 to 4 channels, which are all filtered in the
same way; other dtypes are refused (TypeError). flip, rotate, transpose and copyMakeBorder also take int8, int32 and
float64. An array on a device of another package is copied, with a HostCopyWarning. dst: an array of the result's shape
and dtype, which is written to and returned; an array that does not fit is refused, not replaced.

ddepth, dtype: -1, CV_8U, CV_16U, CV_16S or CV_32F. CV_64F raises NotImplementedError: nothing here computes pictures in
float64. borderType: the constants below; BORDER_WRAP also works for filters, and BORDER_CONSTANT is 0.

Deliberate differences: ties are rounded to even everywhere. GaussianBlur and the conversions of colours have weights of
float32, also for integers, where OpenCV has fixed-point weights (docs/numerics.md, "Agreement with others"). Kernels,
scale and delta are float32. min and max of NaN are NaN. Errors are exceptions of Python and gpufilter, not cv2.error.

A function that is missing here raises NotImplementedError, which says what to use instead."""
import builtins
import math
import operator

import numpy as np

from . import _calls, _floats, _ops, _regions
from ._arguments import number_of
from ._array import DeviceArray
from ._intake import asarray
from ._missing import missing

BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, BORDER_WRAP, BORDER_REFLECT_101, BORDER_TRANSPARENT = range(6)
BORDER_REFLECT101 = BORDER_DEFAULT = BORDER_REFLECT_101
BORDER_ISOLATED = 16  # has no effect: a numpy array has no surroundings
CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F = range(7)
FILTER_SCHARR = -1
INTER_NEAREST, INTER_LINEAR, INTER_CUBIC, INTER_AREA, INTER_LANCZOS4, INTER_LINEAR_EXACT, INTER_NEAREST_EXACT = range(7)
ROTATE_90_CLOCKWISE, ROTATE_180, ROTATE_90_COUNTERCLOCKWISE = range(3)
MORPH_RECT, MORPH_CROSS, MORPH_ELLIPSE = range(3)
MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_GRADIENT, MORPH_TOPHAT, MORPH_BLACKHAT = range(7)
THRESH_BINARY, THRESH_BINARY_INV, THRESH_TRUNC, THRESH_TOZERO, THRESH_TOZERO_INV = range(5)
THRESH_MASK, THRESH_OTSU, THRESH_TRIANGLE = 7, 8, 16
CC_STAT_LEFT, CC_STAT_TOP, CC_STAT_WIDTH, CC_STAT_HEIGHT, CC_STAT_AREA = range(5)
CCL_DEFAULT, CCL_WU = -1, 0
DIST_L2, DIST_MASK_PRECISE = 2, 0
TM_SQDIFF, TM_SQDIFF_NORMED, TM_CCORR, TM_CCORR_NORMED, TM_CCOEFF, TM_CCOEFF_NORMED = range(6)
COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
COLOR_BGRA2RGB = COLOR_RGBA2BGR = 3
COLOR_BGR2RGB = COLOR_RGB2BGR = 4
COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
COLOR_BGR2GRAY, COLOR_RGB2GRAY, COLOR_GRAY2BGR, COLOR_GRAY2BGRA, COLOR_BGRA2GRAY, COLOR_RGBA2GRAY = range(6, 12)
COLOR_GRAY2RGB, COLOR_GRAY2RGBA = COLOR_GRAY2BGR, COLOR_GRAY2BGRA
COLOR_BGR2YCrCb, COLOR_RGB2YCrCb, COLOR_YCrCb2BGR, COLOR_YCrCb2RGB, COLOR_BGR2HSV, COLOR_RGB2HSV = range(36, 42)
COLOR_HSV2BGR, COLOR_HSV2RGB = 54, 55
COLOR_BGR2HSV_FULL, COLOR_RGB2HSV_FULL, COLOR_HSV2BGR_FULL, COLOR_HSV2RGB_FULL = 66, 67, 70, 71
COLOR_YUV2RGB_NV12, COLOR_YUV2BGR_NV12, COLOR_YUV2RGB_NV21, COLOR_YUV2BGR_NV21 = range(90, 94)
COLOR_YUV2RGB_YV12, COLOR_YUV2BGR_YV12, COLOR_YUV2RGB_I420, COLOR_YUV2BGR_I420 = range(98, 102)
COLOR_YUV2RGB_IYUV, COLOR_YUV2BGR_IYUV = COLOR_YUV2RGB_I420, COLOR_YUV2BGR_I420

_BORDERS = {BORDER_CONSTANT: "constant", BORDER_REPLICATE: "replicate", BORDER_REFLECT: "reflect", BORDER_WRAP: "wrap",
            BORDER_REFLECT_101: "reflect101"}
_WORDS = {CV_8U: "u8", CV_16U: "u16", CV_16S: "i16", CV_32F: "f32"}
_DEPTHS = {"uint8": CV_8U, "uint16": CV_16U, "int16": CV_16S, "float32": CV_32F}
_MOVED = {*_DEPTHS, "int8", "int32", "float64"}
_INTERPOLATIONS = {INTER_LINEAR: "linear", INTER_AREA: "area", INTER_NEAREST_EXACT: "nearest"}
_MOST_MASK, _MOST_BOX, _MOST_WHOLE = 255, 4095, 2**24
_MOST_EDGE = 1e9  # above every magnitude, as 0 is below all


# ---- arguments ----

def _src(name, src, what="src", dtypes=_DEPTHS):
    """A picture, and whether its last axis is channels."""
    if isinstance(src, DeviceArray):
        raise TypeError(f"{name}: {what} is on the daemon's device; use the functions of gpufilter, whose results stay "
                        "there, or .numpy()")
    src = asarray(src)
    src = src.astype(src.dtype.newbyteorder("="), copy=False)
    if src.dtype.name not in dtypes:
        more = "uint8, uint16, int16 and float32" if dtypes is _DEPTHS else ", ".join(sorted(dtypes))
        raise TypeError(f"{name}: {what} has dtype {src.dtype}; it takes {more}")
    if src.ndim not in (2, 3) or (src.ndim == 3 and not 1 <= src.shape[2] <= 4):
        raise ValueError(f"{name}: {what} has shape {src.shape}; it must be (H, W) or (H, W, C) with 1 to 4 channels")
    return src, -1 if src.ndim == 3 else None


def _word(name, ddepth, src, what="ddepth"):
    if ddepth == -1:
        return _WORDS[_DEPTHS[src.dtype.name]]
    if ddepth not in _WORDS:
        more = "; use CV_32F and .astype('float64')" if ddepth == CV_64F else ""
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
        raise TypeError(f"{name}: ksize={ksize!r}; it must be (width, height)")
    return operator.index(ksize[0]), operator.index(ksize[1])


def _anchor(name, anchor, width, height):
    x, y = (operator.index(a) if a != -1 else n // 2 for a, n in zip(anchor, (width, height)))
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{name}: anchor={tuple(anchor)} in a kernel of {width}x{height}; it must lie inside")
    return x, y


def _kernel(name, kernel, what="kernel"):
    """A kernel of two axes, or for sepFilter2D a row, in either orientation."""
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
    """A column of a Gaussian's weights with sum 1; made here, not by the daemon. With sigma <= 0, sigma follows from
    ksize as in OpenCV, where kernels of up to 9 then consist of short fractions."""
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
    """gpufilter.gaussian. If its radii cannot match ksize, or with sigma <= 0: sepFilter2D with the weights of
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
    """gpufilter.box, with sides up to 4095. For an anchor off the middle, and for CV_8U, CV_16U and CV_16S of a
    different dtype: gpufilter.correlate with ones, with sides up to 255."""
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
        raise NotImplementedError(f"{name}: ksize={ksize} with this anchor or ddepth; allowed: sides up to {_MOST_MASK}, "
                                  "or larger ones with the anchor in the middle and ddepth=-1 or CV_32F")
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
        raise NotImplementedError(f"{name}: weights up to {np.abs(mask).max():.0f}; float32 is exact for whole numbers up to "
                                  "2^24: use a smaller ksize")
    return _ops.correlate(src, mask.astype(np.float32), scale, delta, border, alpha="straight", dtype=word, out=dst,
                          channel_axis=axis)


def Sobel(src, ddepth, dx, dy, dst=None, ksize=3, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """First derivatives with ksize=3: gpufilter.sobel; with FILTER_SCHARR: gpufilter.scharr; otherwise
    gpufilter.correlate with OpenCV's weights."""
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
    """ksize=1: gpufilter.laplacian with 4 neighbours; otherwise gpufilter.correlate with OpenCV's weights."""
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
        raise NotImplementedError(f"{name}: mask; use numpy.where(mask, result, dst) on the host")
    first, axis = _src(name, src1, "src1")
    if np.ndim(src2) == 0 or (isinstance(src2, (list, tuple)) and len(src2) <= 4):
        raise NotImplementedError(f"{name}: src2={src2!r} is not a picture; use gpufilter.map to add or multiply by a number")
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
        raise NotImplementedError(f"multiply: scale={scale}; use gpufilter.map(product, scale=...) on a product of float32")
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
    """gpufilter.map with a table of 256 entries of uint8, uint16, int16 or float32, the same for all channels."""
    src, axis = _src("LUT", src)
    lut = asarray(lut)
    if src.dtype != np.uint8:
        raise TypeError(f"LUT: src has dtype {src.dtype}; it takes uint8")
    if lut.size != 256:
        raise NotImplementedError(f"LUT: lut has shape {lut.shape}; it must be one table of 256 entries for all channels")
    return _table(src, axis, lut.ravel(), dst)


def _table(src, axis, table, dst):
    word = {"u1": "u8", "u2": "u16", "i2": "i16", "f4": "f32"}.get(table.dtype.str[1:])
    if word is None:
        raise TypeError(f"LUT: lut has dtype {table.dtype}; it takes uint8, uint16, int16 and float32")
    return _ops.map(src, table=table, dtype=word, alpha="straight", out=dst, channel_axis=axis)


def threshold(src, thresh, maxval, type, dst=None):  # noqa: A002
    """(thresh, result). uint8, uint16 and int16: gpufilter.map with a table, all five types; float32:
    gpufilter.threshold, for THRESH_BINARY and THRESH_BINARY_INV."""
    name = "threshold"
    src, axis = _src(name, src)
    thresh, maxval = float(thresh), float(maxval)
    if type & ~THRESH_MASK:
        raise NotImplementedError(f"{name}: type={type}; gpufilter.threshold(src) applies Otsu's threshold")
    if type > THRESH_TOZERO_INV or (src.dtype == np.float32 and type > THRESH_BINARY_INV):
        raise NotImplementedError(f"{name}: type={type} of {src.dtype}; allowed: THRESH_BINARY, THRESH_BINARY_INV, and "
                                  "of integers THRESH_TRUNC, THRESH_TOZERO and THRESH_TOZERO_INV")
    if src.dtype == np.float32:
        scale, offset = (maxval, 0.0) if type == THRESH_BINARY else (-maxval, maxval)
        text = (f"threshold mode=fixed value={thresh!r} channels=each alpha=straight | map scale={scale!r} "
                f"offset={offset!r} alpha=straight")
        return thresh, _calls.default_client().run(text, src, out=dst, channel_axis=axis)
    x = np.arange(float(np.iinfo(src.dtype).min), np.iinfo(src.dtype).max + 1.0)
    above = x > thresh
    table = {THRESH_BINARY: lambda: np.where(above, maxval, 0), THRESH_BINARY_INV: lambda: np.where(above, 0, maxval),
             THRESH_TRUNC: lambda: np.where(above, math.floor(thresh), x), THRESH_TOZERO: lambda: np.where(above, x, 0),
             THRESH_TOZERO_INV: lambda: np.where(above, 0, x)}[type]()
    return thresh, _table(src, axis, _floats.store(table, src.dtype), dst)


# ---- extrema under a structuring element ----

_NEUTRAL = 1.7976931348623157e308  # of morphologyDefaultBorderValue: pixels outside are ignored
_MORPHOLOGY = {MORPH_ERODE: "erode", MORPH_DILATE: "dilate", MORPH_OPEN: "opening", MORPH_CLOSE: "closing",
               MORPH_GRADIENT: "gradient", MORPH_TOPHAT: "tophat", MORPH_BLACKHAT: "blackhat"}


def getStructuringElement(shape, ksize, anchor=(-1, -1)):
    """An element of uint8; made here, not by the daemon."""
    name = "getStructuringElement"
    width, height = _size(name, ksize)
    if width < 1 or height < 1 or shape not in (MORPH_RECT, MORPH_CROSS, MORPH_ELLIPSE):
        raise ValueError(f"{name}: shape={shape!r}, ksize={ksize}; sides must be 1 or more, the shape MORPH_RECT, "
                         "MORPH_CROSS or MORPH_ELLIPSE")
    ax, ay = _anchor(name, anchor, width, height)
    y, x = np.ogrid[:height, :width]
    if shape == MORPH_ELLIPSE:
        r, c = height // 2, width // 2
        inverse = 1 / (r * r) if r else 0.0
        reach = np.rint(c * np.sqrt((r * r - (y - r) ** 2) * inverse))
        return (np.abs(x - c) <= reach).astype(np.uint8)
    return ((x == ax) | (y == ay) | (shape == MORPH_RECT)).astype(np.uint8)


def erode(src, kernel, dst=None, anchor=(-1, -1), iterations=1, borderType=BORDER_CONSTANT, borderValue=None):
    """gpufilter.erode: kernels of up to 255 x 255, None for 3 x 3 ones; anchor (x, y); borderValue: None ignores pixels
    outside. NaN is above infinity."""
    return _morphology("erode", src, MORPH_ERODE, kernel, dst, anchor, iterations, borderType, borderValue)


def dilate(src, kernel, dst=None, anchor=(-1, -1), iterations=1, borderType=BORDER_CONSTANT, borderValue=None):
    """gpufilter.dilate; arguments as for erode."""
    return _morphology("dilate", src, MORPH_DILATE, kernel, dst, anchor, iterations, borderType, borderValue)


def morphologyEx(src, op, kernel, dst=None, anchor=(-1, -1), iterations=1, borderType=BORDER_CONSTANT,
                 borderValue=None):
    """MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, MORPH_GRADIENT, MORPH_TOPHAT, MORPH_BLACKHAT:
    gpufilter.erode, dilate, opening, closing, gradient, tophat, blackhat; arguments as for erode."""
    return _morphology("morphologyEx", src, op, kernel, dst, anchor, iterations, borderType, borderValue)


def _morphology(name, src, op, kernel, dst, anchor, iterations, border, value):
    src, axis = _src(name, src)
    if op not in _MORPHOLOGY:
        raise NotImplementedError(f"{name}: op={op!r}; allowed: MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, "
                                  "MORPH_GRADIENT, MORPH_TOPHAT and MORPH_BLACKHAT")
    mask = _kernel(name, np.ones((3, 3)) if kernel is None else kernel)
    options = {}
    if value is not None and _border(name, border) == "constant":
        channels = src.shape[2] if axis == -1 else 1
        values = [float(v) for v in value] if hasattr(value, "__len__") else [float(value)]
        values = (values + [0.0] * channels)[:channels]
        if any(v != _NEUTRAL for v in values):
            options["border_value"] = values
    border, n = _border(name, border), operator.index(iterations)
    x, y = _anchor(name, anchor, mask.shape[1], mask.shape[0])
    if n > 1 and mask.all() and border.startswith("reflect") and (2 * y + 1, 2 * x + 1) != mask.shape:
        # OpenCV merges iterations of full elements into one element. With an off-centre anchor the border then differs.
        height, width = (n * (side - 1) + 1 for side in mask.shape)
        if height > _MOST_MASK or width > _MOST_MASK:
            raise NotImplementedError(f"{name}: iterations={n} of {mask.shape[1]}x{mask.shape[0]} are one kernel of "
                                      f"{width}x{height} with this border and anchor; sides up to {_MOST_MASK} are allowed")
        mask, x, y, n = np.ones((height, width), np.float32), n * x, n * y, 1
    return getattr(_ops, _MORPHOLOGY[op])(src, anchor=(x, y), iterations=n, border=border, alpha="straight", mask=mask,
                                          out=dst, channel_axis=axis, **options)


# ---- pixels that change places ----

def flip(src, flipCode, dst=None):
    """gpufilter.flip: code 0 top and bottom, above 0 left and right, below 0 both."""
    src, axis = _src("flip", src, dtypes=_MOVED)
    code = operator.index(flipCode)
    return _ops.flip(src, "y" if code == 0 else "x" if code > 0 else "both", out=dst, channel_axis=axis)


def rotate(src, rotateCode, dst=None):
    """gpufilter.rotate: ROTATE_90_CLOCKWISE, ROTATE_180, ROTATE_90_COUNTERCLOCKWISE."""
    src, axis = _src("rotate", src, dtypes=_MOVED)
    angles = {ROTATE_90_CLOCKWISE: "90", ROTATE_180: "180", ROTATE_90_COUNTERCLOCKWISE: "270"}
    if rotateCode not in angles:
        raise ValueError(f"rotate: rotateCode={rotateCode!r}; allowed: ROTATE_90_CLOCKWISE, ROTATE_180 and "
                         "ROTATE_90_COUNTERCLOCKWISE")
    return _ops.rotate(src, angles[rotateCode], out=dst, channel_axis=axis)


def transpose(src, dst=None):
    """gpufilter.transpose."""
    src, axis = _src("transpose", src, dtypes=_MOVED)
    return _ops.transpose(src, out=dst, channel_axis=axis)


def copyMakeBorder(src, top, bottom, left, right, borderType, dst=None, value=0):
    """gpufilter.pad. value: like a scalar of OpenCV, a number is the value of the first channel, and missing ones are
    0; the dtype must hold it."""
    name = "copyMakeBorder"
    src, axis = _src(name, src, dtypes=_MOVED)
    margin = [operator.index(n) for n in (left, top, right, bottom)]
    if any(n < 0 for n in margin):
        raise ValueError(f"{name}: top, bottom, left, right are {top}, {bottom}, {left}, {right}; they must be 0 or more")
    values = [float(v) for v in (value if hasattr(value, "__len__") else [value])]
    channels = src.shape[2] if axis is not None else 1
    if len(values) > 4:
        raise ValueError(f"{name}: value has {len(values)} numbers; a scalar has up to 4")
    return _ops.pad(src, margin, _border(name, borderType), (values + [0.0] * 4)[:channels], out=dst, channel_axis=axis)


def resize(src, dsize, dst=None, fx=0, fy=0, interpolation=INTER_LINEAR):
    """gpufilter.resize: INTER_LINEAR and INTER_NEAREST_EXACT, and INTER_AREA if the picture shrinks. dsize: (width,
    height), or None with fx and fy that give whole sides."""
    name = "resize"
    src, axis = _src(name, src)
    sides = _sides(name, dsize, fx, fy, src)
    if interpolation == INTER_AREA and any(n > was for n, was in zip(sides, src.shape[1::-1])):
        raise NotImplementedError(f"{name}: INTER_AREA from {src.shape[1]}x{src.shape[0]} to {sides[0]}x{sides[1]} is "
                                  "a different operation if a side grows; use INTER_LINEAR, or gpufilter.resize")
    if interpolation not in _INTERPOLATIONS:
        raise NotImplementedError(f"{name}: interpolation={interpolation}; allowed: INTER_LINEAR, INTER_AREA and "
                                  "INTER_NEAREST_EXACT; gpufilter.resize has cubic (a = -0.5, OpenCV: -0.75) and lanczos3 "
                                  "(OpenCV: 4), and nearest takes the pixel at the centre, as INTER_NEAREST_EXACT")
    filter = _INTERPOLATIONS[interpolation]
    return _ops.resize(src, sides, filter=filter, antialias=int(filter == "area"), alpha="straight", out=dst,
                       channel_axis=axis)


def _sides(name, dsize, fx, fy, src):
    if dsize is not None and tuple(dsize) != (0, 0):
        if len(dsize) != 2:
            raise ValueError(f"{name}: dsize={dsize!r}; it must be (width, height)")
        return [operator.index(n) for n in dsize]
    sides = [float(f) * n for f, n in zip((fx, fy), src.shape[1::-1])]
    if any(n < 1 for n in sides):
        raise ValueError(f"{name}: dsize is not given, and fx={fx}, fy={fy} make an empty result; give dsize=(width, height)")
    if any(n != round(n) for n in sides):
        raise NotImplementedError(f"{name}: fx={fx}, fy={fy} give sides of {sides[0]:g} and {sides[1]:g}, which OpenCV "
                                  "rounds without changing the scale; give dsize=(width, height)")
    return [round(n) for n in sides]


def pyrDown(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid: half the sides. dstsize: (width, height), rounded up or down; borderType: any but
    BORDER_CONSTANT, which OpenCV does not accept either."""
    return _level("pyrDown", src, dst, dstsize, borderType, "down")


def pyrUp(src, dst=None, dstsize=None, borderType=BORDER_DEFAULT):
    """gpufilter.pyramid with direction=up: twice the sides. dstsize: (width, height), twice the sides of src or 1 less,
    as for a source picture with odd sides; borderType: BORDER_DEFAULT."""
    return _level("pyrUp", src, dst, dstsize, borderType, "up")


def buildPyramid(src, maxlevel, borderType=BORDER_DEFAULT):
    """A list: src, then pyrDown of the preceding picture, maxlevel times."""
    levels = [_src("buildPyramid", src)[0]]
    if operator.index(maxlevel) < 0:
        raise ValueError(f"buildPyramid: maxlevel={maxlevel}; it must be 0 or more")
    for _ in range(maxlevel):
        levels.append(_level("buildPyramid", levels[-1], None, None, borderType, "down"))
    return levels


def _level(name, src, dst, dstsize, border, direction):
    src, axis = _src(name, src)
    border = _border(name, border)
    if border == "constant" or direction == "up" and border != "reflect101":
        allowed = "BORDER_DEFAULT" if direction == "up" else "any other but BORDER_TRANSPARENT"
        raise NotImplementedError(f"{name}: borderType of {border}; allowed: {allowed}")
    sides = [2 * n if direction == "up" else (n + 1) // 2 for n in src.shape[1::-1]]
    wanted = sides if dstsize is None or tuple(dstsize) == (0, 0) else [operator.index(n) for n in dstsize]
    least = [2 * n - 1 if direction == "up" else builtins.max(n // 2, 1) for n in src.shape[1::-1]]
    if len(wanted) != 2 or any(not low <= n <= high for low, n, high in zip(least, wanted, sides)):
        raise ValueError(f"{name}: dstsize={dstsize!r} of a picture of {src.shape[1]}x{src.shape[0]}; allowed: "
                         f"{least[0]} to {sides[0]}, {least[1]} to {sides[1]}")
    if wanted == sides:
        return _ops.pyramid(src, direction=direction, border=border, out=dst, channel_axis=axis)
    text = f"pyramid direction={direction} border={border} | crop size={wanted[0]}x{wanted[1]}"
    return _calls.default_client().run(text, src, out=dst, channel_axis=axis)


# ---- channels ----

_SWAP = "merge order=3,2,1"
_ORDERS = {  # code: (channels of src, order of gpufilter.merge)
    0: (3, "1,2,3,0"), 1: (4, "1,2,3"), 2: (3, "3,2,1,0"), 3: (4, "3,2,1"), 4: (3, "3,2,1"), 5: (4, "3,2,1,4"),
    COLOR_GRAY2BGR: (1, "1,1,1"), COLOR_GRAY2BGRA: (1, "1,1,1,0")}
_COLOURS = {  # code: (channels of src, steps)
    COLOR_RGB2GRAY: ((3,), "gray"), COLOR_BGR2GRAY: ((3,), f"{_SWAP} | gray"),
    COLOR_RGBA2GRAY: ((4,), "gray alpha=drop"), COLOR_BGRA2GRAY: ((4,), f"{_SWAP} | gray"),
    COLOR_RGB2YCrCb: ((3, 4), "ycbcr alpha=drop | merge order=1,3,2"),
    COLOR_BGR2YCrCb: ((3, 4), f"{_SWAP} | ycbcr | merge order=1,3,2"),
    COLOR_YCrCb2RGB: ((3,), "merge order=1,3,2 | rgb"), COLOR_YCrCb2BGR: ((3,), f"merge order=1,3,2 | rgb | {_SWAP}"),
    COLOR_RGB2HSV: ((3, 4), "hsv alpha=drop turn={turn}"), COLOR_BGR2HSV: ((3, 4), _SWAP + " | hsv turn={turn}"),
    COLOR_HSV2RGB: ((3,), "rgb model=hsv turn={turn}"), COLOR_HSV2BGR: ((3,), "rgb model=hsv turn={turn} | " + _SWAP)}
_FULL_TURN = {COLOR_RGB2HSV_FULL: COLOR_RGB2HSV, COLOR_BGR2HSV_FULL: COLOR_BGR2HSV,
              COLOR_HSV2RGB_FULL: COLOR_HSV2RGB, COLOR_HSV2BGR_FULL: COLOR_HSV2BGR}


_PAIRS = {COLOR_YUV2RGB_NV12: "", COLOR_YUV2BGR_NV12: "3,2,1", COLOR_YUV2RGB_NV21: "", COLOR_YUV2BGR_NV21: "3,2,1"}
_PLANES = {COLOR_YUV2RGB_YV12: "", COLOR_YUV2BGR_YV12: "3,2,1", COLOR_YUV2RGB_I420: "", COLOR_YUV2BGR_I420: "3,2,1"}
_CR_FIRST = {COLOR_YUV2RGB_NV21, COLOR_YUV2BGR_NV21, COLOR_YUV2RGB_YV12, COLOR_YUV2BGR_YV12}
_TO_PLANES = range(127, 135)  # COLOR_RGB2YUV_I420 and the like


def _from_video(name, order, planes, dst):
    if any(p.dtype != np.uint8 for p in planes):
        raise TypeError(f"{name}: src has dtype {', '.join(str(p.dtype) for p in planes)}; video takes uint8; "
                        "gpufilter.rgb420 takes uint16 and float32")
    arrays = [p if p.ndim == 3 else p[:, :, None] for p in planes]
    refs = "chroma=@1" + " cr=@2" * (len(arrays) == 3)
    return _calls.default_client().run(f"rgb420 {refs}" + (f" | merge order={order}" if order else ""), *arrays, out=dst,
                                       channel_axis=-1)


def _from_frame(src, code, dst):
    """A frame with its planes below each other: 3/2 times as high as the picture."""
    name, src = "cvtColor", asarray(src)
    if src.ndim != 2 or src.shape[0] % 3 or src.shape[1] % 2 or src.size == 0:
        raise ValueError(f"{name}: src has shape {src.shape}; code={code} takes (H * 3 / 2, W), H and W even; "
                         "gpufilter.rgb420 takes planes of any size")
    height, width = src.shape[0] * 2 // 3, src.shape[1]
    chroma = np.ascontiguousarray(src[height:])
    if code in _PAIRS:
        pairs = chroma.reshape(height // 2, width // 2, 2)
        planes = [np.ascontiguousarray(pairs[:, :, ::-1]) if code in _CR_FIRST else pairs]
    else:
        planes = list(chroma.reshape(2, height // 2, width // 2))[::-1 if code in _CR_FIRST else 1]
    return _from_video(name, {**_PAIRS, **_PLANES}[code], [src[:height], *planes], dst)


def cvtColorTwoPlane(src1, src2, code, dst=None):
    """gpufilter.rgb420 for NV12 and NV21: Y, and pairs of half the sides. Like cvtColor."""
    name, y, pairs = "cvtColorTwoPlane", asarray(src1), asarray(src2)
    if code not in _PAIRS:
        raise NotImplementedError(f"{name}: code={code}; it takes COLOR_YUV2RGB_NV12, COLOR_YUV2BGR_NV12 and the same of NV21")
    if y.ndim != 2 or pairs.ndim != 3 or pairs.shape[2] != 2:
        raise ValueError(f"{name}: src1 has shape {y.shape}, src2 {pairs.shape}; they must be (H, W) and (H / 2, W / 2, 2)")
    return _from_video(name, _PAIRS[code], [y, np.ascontiguousarray(pairs[:, :, ::-1]) if code in _CR_FIRST else pairs], dst)


def cvtColor(src, code, dst=None, dstCn=0):
    """gpufilter.merge, gray, ycbcr, hsv, rgb and rgb420, by the constants COLOR_... of this module: between RGB and
    BGR, with or without alpha, grey, YCrCb and HSV, and from video (NV12, NV21, I420, YV12). Integers may differ from
    OpenCV's by what docs/numerics.md says, because OpenCV has fixed-point weights; channels that only move do not. HSV:
    uint8, float32."""
    name = "cvtColor"
    if code in _PAIRS or code in _PLANES:
        if dstCn not in (0, 3):
            raise NotImplementedError(f"{name}: dstCn={dstCn}; code={code} gives 3")
        return _from_frame(src, code, dst)
    if code in _TO_PLANES:
        raise NotImplementedError(f"{name}: code={code}; OpenCV samples the chroma of one pixel of four; gpufilter.i420 takes their "
                                  "mean; on the host: cv2.cvtColor")
    src, axis = _src(name, src)
    full = code in _FULL_TURN
    code = _FULL_TURN.get(code, code)
    if code not in _ORDERS and code not in _COLOURS:
        raise NotImplementedError(f"{name}: code={code}; allowed: the constants COLOR_... of gpufilter.cv; on the "
                                  "host: cv2.cvtColor")
    if code in _ORDERS:
        allowed, text = (_ORDERS[code][0],), f"merge order={_ORDERS[code][1]}"
    else:
        allowed, text = _COLOURS[code]
    channels = 1 if axis is None else src.shape[2]
    if channels not in allowed:
        raise ValueError(f"{name}: src has {channels} channel{'s' * (channels > 1)}; code={code} takes "
                         + " or ".join(map(str, allowed)))
    if "turn" in text and src.dtype not in (np.uint8, np.float32):
        raise TypeError(f"{name}: src has dtype {src.dtype}; HSV takes uint8 and float32; gpufilter.hsv takes uint16")
    made = len(_ORDERS[code][1].split(",")) if code in _ORDERS else 1 if "gray" in text else 3
    if dstCn not in (0, made):
        raise NotImplementedError(f"{name}: dstCn={dstCn}; code={code} gives {made}")
    whole = 256 if text.startswith(("hsv", _SWAP)) else 255  # a full turn in OpenCV's bytes, to HSV and back
    turn = 360 if src.dtype == np.float32 else whole if full else 180
    return _calls.default_client().run(text.format(turn=turn), src, out=dst, channel_axis=axis)


def merge(mv, dst=None):
    """gpufilter.merge of up to four pictures, with up to 4 channels in total."""
    pictures = [_src("merge", p, f"mv[{i}]")[0] for i, p in enumerate(mv)]
    if not 1 <= len(pictures) <= 4:
        raise ValueError(f"merge: mv has {len(pictures)} pictures; it takes 1 to 4")
    pictures = [p if p.ndim == 3 else p[:, :, None] for p in pictures]
    return _ops.merge(pictures[0], **{f"src{i + 1}": p for i, p in enumerate(pictures) if i}, out=dst, channel_axis=-1)


def split(m, mv=None):
    """gpufilter.copy of each channel; a tuple of arrays of shape (H, W)."""
    if mv is not None:
        raise NotImplementedError("split: mv; the arrays are made here")
    m, axis = _src("split", m, "m")
    picture = m if axis is not None else m[:, :, None]
    return tuple(_ops.copy(picture, channel=c + 1, channel_axis=-1).reshape(m.shape[:2])
                 for c in range(picture.shape[2]))


def transform(src, m, dst=None):
    """gpufilter.matrix: m has a row per channel of the result, up to 4, a column per channel of src, and an optional
    column of offsets. In float32, rounded once."""
    name = "transform"
    src, axis = _src(name, src)
    m, channels = asarray(m), 1 if axis is None else src.shape[2]
    if m.ndim != 2 or m.dtype.kind not in "iuf" or not 1 <= m.shape[0] <= 4 or m.shape[1] - channels not in (0, 1):
        raise ValueError(f"{name}: m has shape {m.shape} and dtype {m.dtype} for {channels} channels; it must be numbers of "
                         f"1 to 4 rows and {channels} or {channels + 1} columns")
    return _ops.matrix(src, m.astype(np.float32), out=dst, channel_axis=axis)


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
    """gpufilter.histogram of one channel, as float32 of shape (bins, 1), or gpufilter.histogram2d of two channels, as
    float32 of shape (bins of the first, bins of the second). Channels are numbered through all images. ranges: [lo, hi)
    for each, with equal bins."""
    name, n = "calcHist", len(channels)
    if mask is not None or accumulate or hist is not None or n not in (1, 2) or (len(histSize), len(ranges)) != (n, 2 * n):
        raise NotImplementedError(f"{name}: allowed: one or two channels, each with a histSize and a range, without mask, hist and "
                                  "accumulate; gpufilter.histogram, gpufilter.histogram2d and numpy do the rest")
    pictures = [_src(name, image, f"images[{i}]")[0] for i, image in enumerate(images)]
    places = [(picture, c) for picture in pictures for c in range(picture.shape[2] if picture.ndim == 3 else 1)]
    if not all(0 <= c < len(places) for c in channels):
        raise ValueError(f"{name}: channels={list(channels)} of {len(places)}")
    bins, bounds = [operator.index(b) for b in histSize], [float(r) for r in ranges]
    lo, hi = bounds[::2], bounds[1::2]
    (first, c1), (second, c2) = places[channels[0]], places[channels[-1]]
    if n == 1:
        one = first if first.ndim == 2 else first[:, :, c1]
        counts = _ops.histogram(one, bins=bins[0], lo=lo[0], hi=hi[0], range="given", channel_axis=None).counts
    else:
        other = None if first is second else second
        counts = _ops.histogram2d(first, bins, lo, hi, "given", (c1 + 1, c2 + 1), src2=other).counts
    if counts.max() > _MOST_WHOLE:
        raise ValueError(f"{name}: a bin holds {counts.max()}; float32 is exact for whole numbers up to 2^24; use "
                         f"gpufilter.histogram{'' if n == 1 else '2d'}")
    return counts.astype(np.float32).reshape(bins[0], -1)


def equalizeHist(src, dst=None):
    """gpufilter.equalize, which rounds ties up; OpenCV rounds to even, so a level may differ by 1."""
    src, axis = _src("equalizeHist", src)
    if src.dtype != np.uint8 or axis is not None:
        raise TypeError(f"equalizeHist: src has shape {src.shape} and dtype {src.dtype}; it takes (H, W) of uint8; "
                        "gpufilter.equalize takes more")
    return _ops.equalize(src, out=dst, channel_axis=None)


# ---- regions ----

def connectedComponents(image, labels=None, connectivity=8, ltype=CV_32S):
    """gpufilter.label: the number of labels including the background, and int32 labels. Labels are numbered by their
    first pixel, as OpenCV does with CCL_WU, and with connectivity=4 always."""
    name = "connectedComponents"
    picture, labels, connectivity = _mask(name, image, labels, connectivity, ltype)
    made, count = _regions.numbers(picture, connectivity)
    return count + 1, _labels(made, labels)


def connectedComponentsWithStats(image, labels=None, stats=None, centroids=None, connectivity=8, ltype=CV_32S):
    """connectedComponents with the box and area of each label as int32, and its centroid as float64, computed on the
    host. Row 0 is the background, all 0 if there is none."""
    name = "connectedComponentsWithStats"
    if stats is not None or centroids is not None:
        raise NotImplementedError(f"{name}: stats and centroids; the arrays are made here")
    picture, labels, connectivity = _mask(name, image, labels, connectivity, ltype)
    made = _regions.parts(picture, connectivity)
    rows = np.zeros((len(made.areas) + 1, 5), np.int32)
    rows[1:, :4], rows[1:, 4] = made.boxes, made.areas
    outside = made.labels == 0
    across, down = np.flatnonzero(outside.any(0)), np.flatnonzero(outside.any(1))
    if across.size:
        rows[0] = (across[0], down[0], across[-1] - across[0] + 1, down[-1] - down[0] + 1, np.count_nonzero(outside))
    ys, xs = np.indices(picture.shape, np.float64)
    sums = [np.bincount(made.labels.ravel(), c.ravel(), len(rows)) for c in (xs, ys)]  # whole numbers, exact
    with np.errstate(invalid="ignore"):
        centres = np.stack(sums, 1) / rows[:, 4:]
    return len(rows), _labels(made.labels, labels), rows, centres


def distanceTransform(src, distanceType, maskSize, dst=None, dstType=CV_32F):
    """gpufilter.distance: DIST_L2 and DIST_MASK_PRECISE. Infinity if there is no 0."""
    name = "distanceTransform"
    if (distanceType, maskSize, dstType) != (DIST_L2, DIST_MASK_PRECISE, CV_32F):
        raise NotImplementedError(f"{name}: distanceType={distanceType}, maskSize={maskSize}, dstType={dstType}; allowed: "
                                  "DIST_L2, DIST_MASK_PRECISE, CV_32F; on the host: cv2.distanceTransform")
    return _ops.distance(_bytes(name, src, "src", "distance"), out=dst, channel_axis=None)


def Canny(image, threshold1, threshold2, edges=None, apertureSize=3, L2gradient=False):
    """gpufilter.canny, with OpenCV's results; the smaller threshold is low. Also for uint16 and int16. Does not accept
    gradients dx and dy in place of image."""
    name = "Canny"
    src, axis = _src(name, image, "image")
    if axis is not None and src.shape[2] == 1:
        src, axis = src[:, :, 0], None
    if src.dtype == np.float32:
        raise TypeError(f"{name}: image has dtype float32; it takes uint8, uint16 and int16")
    if apertureSize not in (3, 5, 7):
        raise ValueError(f"{name}: apertureSize={apertureSize}; allowed: 3, 5 and 7")
    limits = [float(threshold1), float(threshold2)]
    if not all(map(math.isfinite, limits)):
        raise ValueError(f"{name}: threshold1={threshold1}, threshold2={threshold2}; both must be finite")
    low, high = (builtins.min(builtins.max(limit, 0.0), _MOST_EDGE) for limit in sorted(limits))
    return _ops.canny(src, low=low, high=high, aperture=str(operator.index(apertureSize)), l2=int(bool(L2gradient)),
                      out=edges, channel_axis=axis)


def matchTemplate(image, templ, method, result=None, mask=None):
    """gpufilter.match, for uint8: TM_CCOEFF_NORMED, TM_CCORR_NORMED and TM_SQDIFF_NORMED. Sums are exact, and a
    constant templ has TM_CCOEFF_NORMED 0, where OpenCV has 1."""
    name = "matchTemplate"
    words = {TM_CCOEFF_NORMED: "ccoeff", TM_CCORR_NORMED: "ccorr", TM_SQDIFF_NORMED: "sqdiff"}
    if method not in words or mask is not None:
        raise NotImplementedError(f"{name}: method={method}{'' if mask is None else ' with mask'}; allowed: TM_CCOEFF_NORMED, "
                                  "TM_CCORR_NORMED and TM_SQDIFF_NORMED, without mask; on the host: cv2.matchTemplate")
    (image, axis), (templ, other) = _src(name, image, "image"), _src(name, templ, "templ")
    if image.dtype != np.uint8 or templ.dtype != np.uint8 or axis != other:
        raise TypeError(f"{name}: image has shape {image.shape} and dtype {image.dtype}, templ {templ.shape} and "
                        f"{templ.dtype}; both must be (H, W) or (H, W, C) of uint8")
    made = _ops.match(image, templ, words[method], channel_axis=axis).scores
    if axis is not None and made.ndim == 3:
        made = made[..., 0]
    if result is None:
        return made
    if result.shape != made.shape or result.dtype != made.dtype:
        raise ValueError(f"{name}: result has shape {result.shape} and dtype {result.dtype}; the result has {made.shape} and "
                         f"{made.dtype}")
    result[...] = made
    return result


def _bytes(name, image, what, op):
    picture, axis = _src(name, image, what)
    if picture.dtype != np.uint8 or axis is not None:
        raise TypeError(f"{name}: {what} has shape {picture.shape} and dtype {picture.dtype}; it takes (H, W) of uint8; "
                        f"gpufilter.{op} takes more")
    return picture


def _mask(name, image, labels, connectivity, ltype):
    picture = _bytes(name, image, "image", "label")
    if connectivity not in (4, 8):
        raise ValueError(f"{name}: connectivity={connectivity}; allowed: 4 and 8")
    if ltype != CV_32S:
        raise NotImplementedError(f"{name}: ltype={ltype}; allowed: CV_32S")
    if labels is not None and (labels.shape != picture.shape or labels.dtype != np.int32):
        raise ValueError(f"{name}: labels has shape {labels.shape} and dtype {labels.dtype}; the result has "
                         f"{picture.shape} and int32")
    return picture, labels, str(connectivity)


def _labels(made, labels):
    if labels is None:
        return made.view(np.int32)
    labels[...] = made
    return labels
# ---- ranks ----

def medianBlur(src, ksize, dst=None):
    """gpufilter.median, of odd sizes up to 255, for uint8, uint16, int16 and float32."""
    name = "medianBlur"
    src, axis = _src(name, src)
    side = operator.index(ksize)
    if side < 1 or side % 2 == 0 or side > _MOST_MASK:
        raise ValueError(f"{name}: ksize={ksize}; it must be odd, 1 to {_MOST_MASK}")
    return _ops.median(src, side, out=dst, channel_axis=axis)


class CLAHE:
    """gpufilter.clahe, with OpenCV's results; made by createCLAHE."""

    def __init__(self, clipLimit, tileGridSize):
        self.setClipLimit(clipLimit)
        self.setTilesGridSize(tileGridSize)

    def apply(self, src, dst=None):
        """src: (H, W) of uint8 or uint16."""
        src, axis = _src("CLAHE.apply", src)
        if src.dtype.kind != "u" or axis is not None:
            raise TypeError(f"CLAHE.apply: src has shape {src.shape} and dtype {src.dtype}; it takes (H, W) of uint8 or "
                            "uint16; gpufilter.clahe takes more")
        clip = builtins.min(builtins.max(self._clip, 0.0), 65536.0)  # from the number of values on, there is no limit
        return _ops.clahe(src, clip=clip, tiles=self._tiles, out=dst, channel_axis=None)

    def getClipLimit(self):
        return self._clip

    def setClipLimit(self, clipLimit):
        """The limit as a multiple of the mean over all values; 0 or less: no limit."""
        self._clip = float(clipLimit)

    def getTilesGridSize(self):
        return self._tiles

    def setTilesGridSize(self, tileGridSize):
        """(across, down), 1 to 32 each."""
        tiles = tuple(operator.index(n) for n in tileGridSize)
        if len(tiles) != 2 or not all(1 <= n <= 32 for n in tiles):
            raise ValueError(f"CLAHE: tileGridSize={tiles}; it must be (across, down), 1 to 32 each")
        self._tiles = tiles


def createCLAHE(clipLimit=40.0, tileGridSize=(8, 8)):
    """A CLAHE, whose apply(src, dst=None) computes."""
    return CLAHE(clipLimit, tileGridSize)


def bilateralFilter(src, d, sigmaColor, sigmaSpace, dst=None, borderType=BORDER_DEFAULT):
    """gpufilter.bilateral with radius d // 2, or rint(1.5 sigmaSpace) with d <= 0. All channels share one weight. With
    a sigma of 0 or less a pixel keeps its value, as in OpenCV 5; 4.6 uses 1."""
    name = "bilateralFilter"
    src, axis = _src(name, src)
    colour, space = (number_of(name, w, s) for w, s in (("sigmaColor", sigmaColor), ("sigmaSpace", sigmaSpace)))
    border, d = _border(name, borderType), operator.index(d)
    if colour <= 0 or space <= 0:
        return _ops.copy(src, out=dst, channel_axis=axis)
    radius = builtins.max(d // 2 if d > 0 else builtins.round(1.5 * space), 1)
    if radius > 127:
        raise ValueError(f"{name}: d={d}, sigmaSpace={sigmaSpace} have radius {radius}; allowed: up to 127")
    return _ops.bilateral(src, radius=radius, sigma_colour=colour, sigma_space=space, border=border, alpha="straight",
                          out=dst, channel_axis=axis)


# ---- what is not here ----

_MISSING = {
    "its weights depend on the samples, or on two results; on the host: cv2.{0}":
        "fastNlMeansDenoising fastNlMeansDenoisingColored adaptiveThreshold cornerHarris",
    "there is no interpolation; on the host: cv2.{0}": "remap warpAffine warpPerspective",
    "gpufilter.map and gpufilter.combine scale and mix samples; on the host: cv2.{0}": "divide scaleAdd",
    "gpufilter.map and gpufilter.autocontrast scale samples; the latter over their range":
        "convertScaleAbs normalize",
    "gpufilter.stats and gpufilter.reduce have the figures, per channel":
        "countNonZero mean meanStdDev minMaxLoc norm PSNR reduce sumElems",
    "gpufilter.box of the squares, and gpufilter.integral(square=1)": "sqrBoxFilter integral2 integral3",
    "gpufilter.sobel(output='dx') and 'dy', and output='magnitude'": "spatialGradient",
    "there is no Fourier transform; sepFilter2D and filter2D filter in space": "dft idft",
}
__getattr__, __dir__ = missing(globals(), _MISSING)
