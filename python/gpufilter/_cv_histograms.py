# SPDX-License-Identifier: MIT
"""OpenCV's sums and histograms of whole pictures, and what is made with them. Used by cv.py."""
import operator

import numpy as np

from . import _ops
from ._cv_arguments import MOST_WHOLE, bytes_of, channels_of, check_fits, picture_of
from ._cv_constants import CV_32S, CV_64F
from ._intake import into

__all__ = ["CLAHE", "calcHist", "createCLAHE", "equalizeHist", "integral"]


def integral(src, sum=None, sdepth=-1):  # noqa: A002
    """gpufilter.integral with pad=1. uint8: CV_32S (default) or CV_64F; uint16 and float32: CV_64F."""
    name = "integral"
    src, axis = picture_of(name, src)
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
    check_fits(name, "sum", sum, made.shape, made.dtype)
    return into(sum, made)


def calcHist(images, channels, mask, histSize, ranges, hist=None, accumulate=False):
    """gpufilter.histogram of one channel, as float32 of shape (bins, 1), or gpufilter.histogram2d of two channels, as
    float32 of shape (bins of the first, bins of the second). Channels are numbered through all images. ranges: [lo, hi)
    for each, with equal bins."""
    name, n = "calcHist", len(channels)
    if mask is not None or accumulate or hist is not None or n not in (1, 2) or (
            (len(histSize), len(ranges)) != (n, 2 * n)):
        raise NotImplementedError(f"{name}: allowed: one or two channels, each with a histSize and a range, without "
                                  "mask, hist and accumulate; gpufilter.histogram, gpufilter.histogram2d and numpy do "
                                  "the rest")
    pictures = [picture_of(name, image, f"images[{i}]")[0] for i, image in enumerate(images)]
    places = [(picture, c) for picture in pictures for c in range(channels_of(picture))]
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
    if counts.max() > MOST_WHOLE:
        raise ValueError(f"{name}: a bin holds {counts.max()}; float32 is exact for whole numbers up to 2^24; use "
                         f"gpufilter.histogram{'' if n == 1 else '2d'}")
    return counts.astype(np.float32).reshape(bins[0], -1)


def equalizeHist(src, dst=None):
    """gpufilter.equalize, which rounds ties up; OpenCV rounds to even, so a level may differ by 1."""
    return _ops.equalize(bytes_of("equalizeHist", src, "src", "equalize"), out=dst, channel_axis=None)


class CLAHE:
    """gpufilter.clahe, with OpenCV's results; made by createCLAHE."""

    def __init__(self, clipLimit, tileGridSize):
        self.setClipLimit(clipLimit)
        self.setTilesGridSize(tileGridSize)

    def apply(self, src, dst=None):
        """src: (H, W) of uint8 or uint16."""
        src, axis = picture_of("CLAHE.apply", src)
        if src.dtype.kind != "u" or axis is not None:
            raise TypeError(f"CLAHE.apply: src has shape {src.shape} and dtype {src.dtype}; it takes (H, W) of uint8 "
                            "or uint16; gpufilter.clahe takes more")
        clip = min(max(self._clip, 0.0), 65536.0)  # from the number of values on, there is no limit
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
