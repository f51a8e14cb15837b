# SPDX-License-Identifier: MIT
"""OpenCV's filters over windows: masks, means, derivatives, edges, ranks and morphology. Used by cv.py."""
import functools

import numpy as np

from . import _calls, _floats, _ops
from ._arguments import MOST_BOX, MOST_MASK, number_of, whole_of
from ._cv_arguments import (FILTERED, MOST_WHOLE, anchor_of, border_of, channels_of, check_fits, kernel_of, picture_of,
                            pair_of, scalar_of, with_channels, word_of)
from ._cv_arithmetic import subtract
from ._cv_constants import (BORDER_CONSTANT, BORDER_DEFAULT, CV_32F, CV_64F, FILTER_SCHARR, MORPH_BLACKHAT, MORPH_CLOSE,
                            MORPH_CROSS, MORPH_DILATE, MORPH_ELLIPSE, MORPH_ERODE, MORPH_GRADIENT, MORPH_OPEN,
                            MORPH_RECT, MORPH_TOPHAT)
from ._intake import into

__all__ = ["Canny", "GaussianBlur", "Laplacian", "Scharr", "Sobel", "bilateralFilter", "blur", "boxFilter", "dilate",
           "erode", "filter2D", "getGaussianKernel", "getStructuringElement", "medianBlur", "morphologyEx",
           "sepFilter2D"]

_MOST_EDGE = 1e9  # above every magnitude, as 0 is below all


def _linear_of(name, src, ddepth):
    """A picture for a linear filter, whether its last axis is channels, and the word for the result's dtype."""
    src, axis = picture_of(name, src, "src", FILTERED)
    word = word_of(name, ddepth, src)
    if src.dtype == np.float64 and word != "f64":
        raise NotImplementedError(f"{name}: ddepth={ddepth} of float64; allowed: -1 and CV_64F; use .astype() on the "
                                  "result")
    return src, axis, word


def _in_float64(name, src, dst, border, scale, delta, *, mask=None, rows=None, anchor):
    """What has a result of float64: computed in float64 under a mask, or along rows and then columns with the weights
    of each."""
    (x, y), planes = anchor, np.ascontiguousarray(np.moveaxis(with_channels(src), -1, 0), float)
    planes = planes if len(planes) > 1 else planes[0]
    if mask is not None:
        lead = (1,) * (planes.ndim - 2)
        made = _floats.under_mask(planes, mask.reshape(lead + mask.shape), border, 0.0, (0,) * len(lead) + (y, x))
    else:
        n = planes.ndim
        made = _floats.in_passes(planes, [(n - 1, rows[0], border, x, 0.0), (n - 2, rows[1], border, y, 0.0)])
    made = made * number_of(name, "scale", scale) + number_of(name, "delta", delta)
    made = np.ascontiguousarray(np.moveaxis(made, 0, -1)) if src.ndim == 3 else made
    check_fits(name, "dst", dst, made.shape, made.dtype)
    return into(dst, made)


def filter2D(src, ddepth, kernel, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.correlate: kernels of up to 255 x 255; anchor (x, y). A result of float64: gpufilter.correlate1d, with
    a request for each row of the kernel."""
    name = "filter2D"
    src, axis, word = _linear_of(name, src, ddepth)
    kernel = kernel_of(name, kernel, dtype=np.float64 if word == "f64" else np.float32)
    border = border_of(name, borderType)
    anchor = anchor_of(name, anchor, kernel.shape[1], kernel.shape[0])
    if word == "f64":
        return _in_float64(name, src, dst, border, 1, delta, mask=kernel, anchor=anchor)
    return _ops.correlate(src, kernel, offset=number_of(name, "delta", delta), anchor=anchor, border=border,
                          alpha="straight", dtype=word, out=dst, channel_axis=axis)


def sepFilter2D(src, ddepth, kernelX, kernelY, dst=None, anchor=(-1, -1), delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.correlate1d along the rows, then along the columns, in float32, or in float64 for a result of float64,
    rounded once."""
    return _separable("sepFilter2D", src, ddepth, kernelX, kernelY, dst, anchor, delta, borderType)


def _separable(name, src, ddepth, kernelX, kernelY, dst, anchor, delta, borderType):
    src, axis, word = _linear_of(name, src, ddepth)
    dtype = np.float64 if word == "f64" else np.float32
    across, down = (kernel_of(name, k, w, dtype) for k, w in ((kernelX, "kernelX"), (kernelY, "kernelY")))
    x, y = anchor_of(name, anchor, across.size, down.size)
    border, delta = border_of(name, borderType), number_of(name, "delta", delta)
    if word == "f64":
        return _in_float64(name, src, dst, border, 1, delta, rows=(across, down), anchor=(x, y))
    text = (f"map dtype=f32 alpha=straight | correlate1d kernel=@1 axis=rows border={border} anchor={x} | "
            f"correlate1d kernel=@2 axis=cols border={border} anchor={y} | "
            f"map offset={delta!r} dtype={word} alpha=straight")
    return _calls.default_client().run(text, src, across, down, out=dst, channel_axis=axis)


def getGaussianKernel(ksize, sigma, ktype=CV_64F):
    """A column of a Gaussian's weights with sum 1; made here, not by the daemon. With sigma <= 0, sigma follows from
    ksize as in OpenCV, where kernels of up to 9 then consist of short fractions."""
    name = "getGaussianKernel"
    ksize, ktype = whole_of(name, "ksize", ksize), whole_of(name, "ktype", ktype)
    sigma = number_of(name, "sigma", sigma)
    if not 1 <= ksize <= _floats.MOST_SIDE or ksize % 2 == 0 or ktype not in (CV_32F, CV_64F):
        raise ValueError(f"{name}: ksize={ksize}, ktype={ktype}; ksize must be odd, up to {_floats.MOST_SIDE}, ktype "
                         "CV_32F or CV_64F")
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
    """gpufilter.gaussian. If its radii cannot match ksize, with sigma <= 0, or of float64: sepFilter2D with the weights
    of getGaussianKernel."""
    name = "GaussianBlur"
    src, axis, word = _linear_of(name, src, -1)
    sizes = pair_of(name, "ksize", ksize)
    sigmas = [number_of(name, "sigmaX", sigmaX), number_of(name, "sigmaY", sigmaY)]
    sigmas[1] = sigmas[1] if sigmas[1] > 0 else sigmas[0]
    for i, (n, sigma) in enumerate(zip(sizes, sigmas)):
        if n <= 0 and sigma > 0:
            sides = 6 if src.dtype == np.uint8 else 8  # of the kernel, in sigmas
            most = _floats.MOST_SIDE // sides - 1
            if sigma > most:
                raise ValueError(f"{name}: {'sigmaY' if i and sigmaY > 0 else 'sigmaX'}={sigma} with ksize={ksize}; "
                                 f"allowed: up to {most}")
            sizes[i] = n = round(sigma * sides + 1) | 1
        if not 1 <= n <= _floats.MOST_SIDE or n % 2 == 0:
            raise ValueError(f"{name}: ksize={ksize} with sigma={sigma}; sides must be odd, up to {_floats.MOST_SIDE}, "
                             "or 0 with sigma > 0")
        if n == 1:
            sigmas[i] = 0.0
    radii = [n // 2 for n in sizes]
    fits = word != "f64" and all(s > 0 or n == 1 for s, n in zip(sigmas, sizes))
    truncate = _floats.truncate_for(sigmas, radii, radii[0] / sigmas[0] if sigmas[0] > 0 else 4.0) if fits else None
    if truncate is not None:
        return _ops.gaussian(src, sigmas, truncate, border_of(name, borderType), alpha="straight", out=dst,
                             channel_axis=axis)
    across, down = (getGaussianKernel(n, s) for n, s in zip(sizes, sigmas))
    return _separable(name, src, -1, across, down, dst, (-1, -1), 0, borderType)


def blur(src, ksize, dst=None, anchor=(-1, -1), borderType=BORDER_DEFAULT):
    """boxFilter with ddepth=-1 and normalize=True."""
    return _box("blur", src, -1, ksize, dst, anchor, True, borderType)


def boxFilter(src, ddepth, ksize, dst=None, anchor=(-1, -1), normalize=True, borderType=BORDER_DEFAULT):
    """gpufilter.box, with sides up to 4095. For an anchor off the middle, and for CV_8U, CV_16U and CV_16S of a
    different dtype: gpufilter.correlate with ones, with sides up to 255. float64: gpufilter.correlate1d."""
    return _box("boxFilter", src, ddepth, ksize, dst, anchor, normalize, borderType)


def _box(name, src, ddepth, ksize, dst, anchor, normalize, border):
    src, axis, word = _linear_of(name, src, ddepth)
    width, height = pair_of(name, "ksize", ksize)
    if not (1 <= width <= MOST_BOX and 1 <= height <= MOST_BOX):
        raise ValueError(f"{name}: ksize={ksize}; allowed: 1 to {MOST_BOX}")
    x, y = anchor_of(name, anchor, width, height)
    border = border_of(name, border)
    if word == "f64":
        return _in_float64(name, src, dst, border, 1 / (width * height) if normalize else 1, 0,
                           rows=(np.ones(width), np.ones(height)), anchor=(x, y))
    scale = 1.0 if normalize else float(width * height)
    if (x, y) == (width // 2, height // 2) and word in (word_of(name, -1, src), "f32"):
        text = "map dtype=f32 alpha=straight | " if word == "f32" and src.dtype != np.float32 else ""
        return _calls.default_client().run(
            f"{text}box size={width},{height} scale={scale!r} border={border} alpha=straight", src, out=dst,
            channel_axis=axis)
    if width > MOST_MASK or height > MOST_MASK:
        raise NotImplementedError(f"{name}: ksize={ksize} with this anchor or ddepth; allowed: sides up to "
                                  f"{MOST_MASK}, or larger ones with the anchor in the middle and ddepth=-1 or CV_32F")
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


_SCHARR = np.array([3.0, 10, 3]), np.array([-1.0, 0, 1])


def _by_mask(name, src, axis, mask, scale, delta, border, word, dst):
    if np.abs(mask).max() > MOST_WHOLE:
        raise NotImplementedError(f"{name}: weights up to {np.abs(mask).max():.0f}; float32 is exact for whole numbers "
                                  "up to 2^24: use a smaller ksize or CV_64F")
    return _ops.correlate(src, mask.astype(np.float32), scale, delta, border, alpha="straight", dtype=word, out=dst,
                          channel_axis=axis)


def Sobel(src, ddepth, dx, dy, dst=None, ksize=3, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """First derivatives with ksize=3: gpufilter.sobel; with FILTER_SCHARR: gpufilter.scharr; otherwise
    gpufilter.correlate with OpenCV's weights. float64: gpufilter.correlate1d."""
    return _sobel("Sobel", src, ddepth, dx, dy, dst, ksize, scale, delta, borderType)


def Scharr(src, ddepth, dx, dy, dst=None, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """gpufilter.scharr with output=dx or dy."""
    return _sobel("Scharr", src, ddepth, dx, dy, dst, FILTER_SCHARR, scale, delta, borderType)


def _sobel(name, src, ddepth, dx, dy, dst, ksize, scale, delta, border):
    src, axis, word = _linear_of(name, src, ddepth)
    dx, dy, border = whole_of(name, "dx", dx), whole_of(name, "dy", dy), border_of(name, border)
    scale, delta = number_of(name, "scale", scale), number_of(name, "delta", delta)
    ksize = whole_of(name, "ksize", ksize)
    if ksize == FILTER_SCHARR and (dx, dy) not in ((1, 0), (0, 1)) or dx + dy < 1:
        allowed = "1, 0 and 0, 1" if ksize == FILTER_SCHARR else "orders whose sum is 1 or more"
        raise ValueError(f"{name}: dx={dx}, dy={dy}; allowed: {allowed}")
    if word != "f64" and (dx, dy) in ((1, 0), (0, 1)) and ksize in (3, FILTER_SCHARR):
        op = _ops.sobel if ksize == 3 else _ops.scharr
        return op(src, "dx" if dx else "dy", scale, delta, border, alpha="straight", dtype=word, out=dst,
                  channel_axis=axis)
    across, down = (_SCHARR[n] if ksize == FILTER_SCHARR else _derivative(name, n, ksize) for n in (dx, dy))
    if word == "f64":
        return _in_float64(name, src, dst, border, scale, delta, rows=(across, down),
                           anchor=(len(across) // 2, len(down) // 2))
    return _by_mask(name, src, axis, np.outer(down, across), scale, delta, border, word, dst)


def Laplacian(src, ddepth, dst=None, ksize=1, scale=1, delta=0, borderType=BORDER_DEFAULT):
    """ksize=1: gpufilter.laplacian with 4 neighbours; otherwise gpufilter.correlate with OpenCV's weights. float64: as
    filter2D."""
    name = "Laplacian"
    src, axis, word = _linear_of(name, src, ddepth)
    border, ksize = border_of(name, borderType), whole_of(name, "ksize", ksize)
    scale, delta = number_of(name, "scale", scale), number_of(name, "delta", delta)
    if ksize == 1 and word != "f64":
        return _ops.laplacian(src, "4", scale, delta, border, alpha="straight", dtype=word, out=dst, channel_axis=axis)
    smooth, second = (np.array([0.0, 1, 0]) if ksize == 1 and not n else _derivative(name, n, ksize) for n in (0, 2))
    mask = np.outer(second, smooth) + np.outer(smooth, second)
    if word == "f64":
        side = len(mask) // 2
        return _in_float64(name, src, dst, border, scale, delta, mask=mask, anchor=(side, side))
    return _by_mask(name, src, axis, mask, scale, delta, border, word, dst)


def medianBlur(src, ksize, dst=None):
    """gpufilter.median, of odd sizes up to 255, for uint8, uint16, int16 and float32."""
    name = "medianBlur"
    src, axis = picture_of(name, src)
    side = whole_of(name, "ksize", ksize)
    if side < 1 or side % 2 == 0 or side > MOST_MASK:
        raise ValueError(f"{name}: ksize={ksize}; it must be odd, 1 to {MOST_MASK}")
    return _ops.median(src, side, out=dst, channel_axis=axis)


def bilateralFilter(src, d, sigmaColor, sigmaSpace, dst=None, borderType=BORDER_DEFAULT):
    """gpufilter.bilateral with radius d // 2, or rint(1.5 sigmaSpace) with d <= 0. All channels share one weight. With
    a sigma of 0 or less a pixel keeps its value, as in OpenCV 5; 4.6 uses 1."""
    name = "bilateralFilter"
    src, axis = picture_of(name, src)
    colour, space = (number_of(name, w, s) for w, s in (("sigmaColor", sigmaColor), ("sigmaSpace", sigmaSpace)))
    border, d = border_of(name, borderType), whole_of(name, "d", d)
    if colour <= 0 or space <= 0:
        return _ops.copy(src, out=dst, channel_axis=axis)
    reach = d // 2 if d > 0 else 1.5 * space
    if reach >= 127.5:
        raise ValueError(f"{name}: d={d}, sigmaSpace={sigmaSpace} have radius {reach:.6g}; allowed: up to 127")
    radius = max(round(reach), 1)
    return _ops.bilateral(src, radius=radius, sigma_colour=colour, sigma_space=space, border=border, alpha="straight",
                          out=dst, channel_axis=axis)


def Canny(image, threshold1, threshold2, edges=None, apertureSize=3, L2gradient=False):
    """gpufilter.canny, with OpenCV's results; the smaller threshold is low. Also for uint16 and int16. Does not accept
    gradients dx and dy in place of image."""
    name = "Canny"
    src, axis = picture_of(name, image, "image")
    if src.dtype == np.float32:
        raise TypeError(f"{name}: image has dtype float32; it takes uint8, uint16 and int16")
    apertureSize = whole_of(name, "apertureSize", apertureSize)
    if apertureSize not in (3, 5, 7):
        raise ValueError(f"{name}: apertureSize={apertureSize}; allowed: 3, 5 and 7")
    limits = [number_of(name, "threshold1", threshold1), number_of(name, "threshold2", threshold2)]
    low, high = (min(max(limit, 0.0), _MOST_EDGE) for limit in sorted(limits))
    l2 = number_of(name, "L2gradient", L2gradient) != 0
    return _ops.canny(src, low=low, high=high, aperture=str(apertureSize), l2=l2, out=edges, channel_axis=axis)


_MOST_ITERATIONS = 255  # in one request
_NEUTRAL = 1.7976931348623157e308  # of morphologyDefaultBorderValue: pixels outside are ignored
_MORPHOLOGY = {MORPH_ERODE: "erode", MORPH_DILATE: "dilate", MORPH_OPEN: "opening", MORPH_CLOSE: "closing",
               MORPH_GRADIENT: "gradient", MORPH_TOPHAT: "tophat", MORPH_BLACKHAT: "blackhat"}


def getStructuringElement(shape, ksize, anchor=(-1, -1)):
    """An element of uint8; made here, not by the daemon."""
    name = "getStructuringElement"
    width, height = pair_of(name, "ksize", ksize)
    shape = whole_of(name, "shape", shape)
    if width < 1 or height < 1 or shape not in (MORPH_RECT, MORPH_CROSS, MORPH_ELLIPSE):
        raise ValueError(f"{name}: shape={shape}, ksize={ksize}; sides must be 1 or more, the shape MORPH_RECT, "
                         "MORPH_CROSS or MORPH_ELLIPSE")
    ax, ay = anchor_of(name, anchor, width, height)
    y, x = np.ogrid[:height, :width]
    if shape == MORPH_ELLIPSE:
        r, c = height // 2, width // 2
        inverse = 1 / (r * r) if r else 0.0
        reach = np.rint(c * np.sqrt((r * r - (y - r) ** 2) * inverse))
        return (np.abs(x - c) <= reach).astype(np.uint8)
    return ((x == ax) | (y == ay) | (shape == MORPH_RECT)).astype(np.uint8)


def erode(src, kernel, dst=None, anchor=(-1, -1), iterations=1, borderType=BORDER_CONSTANT, borderValue=None):
    """gpufilter.erode: kernels of up to 255 x 255, None for 3 x 3 ones; anchor (x, y); borderValue: None ignores pixels
    outside. iterations: 0 to 65535, with a request for each 255. NaN is above infinity."""
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
    src, axis = picture_of(name, src)
    op = whole_of(name, "op", op)
    if op not in _MORPHOLOGY:
        raise NotImplementedError(f"{name}: op={op}; allowed: MORPH_ERODE, MORPH_DILATE, MORPH_OPEN, MORPH_CLOSE, "
                                  "MORPH_GRADIENT, MORPH_TOPHAT and MORPH_BLACKHAT")
    mask = kernel_of(name, np.ones((3, 3)) if kernel is None else kernel)
    border, options = border_of(name, border), {}
    if value is not None and border == "constant":
        values = scalar_of(name, "borderValue", value, channels_of(src))
        if any(v != _NEUTRAL for v in values):
            options["border_value"] = values
    n = whole_of(name, "iterations", iterations)
    x, y = anchor_of(name, anchor, mask.shape[1], mask.shape[0])
    if n > 1 and mask.all() and border.startswith("reflect") and (2 * y + 1, 2 * x + 1) != mask.shape:
        # OpenCV merges iterations of full elements into one element. With an off-centre anchor the border then differs.
        height, width = (n * (side - 1) + 1 for side in mask.shape)
        if height > MOST_MASK or width > MOST_MASK:
            raise NotImplementedError(f"{name}: iterations={n} of {mask.shape[1]}x{mask.shape[0]} are one kernel of "
                                      f"{width}x{height} with this border and anchor; sides up to {MOST_MASK} are "
                                      "allowed")
        mask, x, y, n = np.ones((height, width), np.float32), n * x, n * y, 1
    if not 0 <= n <= _floats.MOST_SIDE:
        raise ValueError(f"{name}: iterations={n}; allowed: 0 to {_floats.MOST_SIDE}")

    def run(called, picture, n, out=None):
        return getattr(_ops, called)(picture, anchor=(x, y), iterations=n, border=border, alpha="straight", mask=mask,
                                     out=out, channel_axis=axis, **options)

    if 1 <= n <= _MOST_ITERATIONS:
        return run(_MORPHOLOGY[op], src, n, dst)

    def repeated(called, picture):
        for done in range(0, n, _MOST_ITERATIONS):
            picture = run(called, picture, min(n - done, _MOST_ITERATIONS))
        return picture

    eroded, dilated = (functools.partial(repeated, called) for called in ("erode", "dilate"))
    made = {MORPH_ERODE: lambda: eroded(src), MORPH_DILATE: lambda: dilated(src),
            MORPH_OPEN: lambda: dilated(eroded(src)), MORPH_CLOSE: lambda: eroded(dilated(src)),
            MORPH_GRADIENT: lambda: subtract(dilated(src), eroded(src)),
            MORPH_TOPHAT: lambda: subtract(src, dilated(eroded(src))),
            MORPH_BLACKHAT: lambda: subtract(eroded(dilated(src)), src)}[op]()
    check_fits(name, "dst", dst, made.shape, made.dtype)
    return into(dst, made) if n or dst is not None else made.copy()
