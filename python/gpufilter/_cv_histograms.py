# SPDX-License-Identifier: MIT
"""OpenCV's sums and histograms of whole pictures, and what is made with them. Used by cv.py."""
import numpy as np

from . import _ops
from ._arguments import number_of, whole_of
from ._cv_arguments import (MOST_WHOLE, bytes_of, channels_of, check_fits, list_of, mask_of, pair_of, picture_of,
                            with_channels)
from ._cv_constants import CV_32S, CV_64F
from ._intake import into

__all__ = ["CLAHE", "calcHist", "createCLAHE", "equalizeHist", "integral"]


def integral(src, sum=None, sdepth=-1):  # noqa: A002
    """gpufilter.integral with pad=1. uint8: CV_32S (default) or CV_64F; uint16 and float32: CV_64F."""
    name = "integral"
    src, axis = picture_of(name, src)
    if whole_of(name, "sdepth", sdepth) == -1:
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
    """gpufilter.histogram of one channel, as float32 of shape (bins,), or gpufilter.histogram2d of two channels, as
    float32 of shape (bins of the first, bins of the second). Channels are numbered through all images. ranges: [lo, hi)
    for each, with equal bins. mask: pixels where it is 0 are left out. With accumulate the counts are added to hist."""
    name = "calcHist"
    channels, histSize, ranges = (list_of(name, w, v) for w, v in (
        ("channels", channels), ("histSize", histSize), ("ranges", ranges)))
    n = len(channels)
    if n not in (1, 2) or (len(histSize), len(ranges)) != (n, 2 * n):
        raise NotImplementedError(f"{name}: {n} channels, {len(histSize)} numbers of histSize and {len(ranges)} of "
                                  "ranges; allowed: one or two channels, each with one number and two; on the host: "
                                  "numpy.histogramdd")
    pictures = [picture_of(name, image, f"images[{i}]")[0] for i, image in enumerate(list_of(name, "images", images))]
    places = [(with_channels(picture), c) for picture in pictures for c in range(channels_of(picture))]
    if not all(0 <= whole_of(name, "channels", c) < len(places) for c in channels):
        raise ValueError(f"{name}: channels={channels} of {len(places)}")
    bins, bounds = [whole_of(name, "histSize", b) for b in histSize], [number_of(name, "ranges", r) for r in ranges]
    chosen = [places[c][0][:, :, places[c][1]] for c in channels]
    if any(row.shape != chosen[0].shape for row in chosen):
        raise ValueError(f"{name}: images have shapes {', '.join(str(p.shape) for p in pictures)}; they must be of the "
                         "same size")
    if mask is not None:
        inside = mask_of(name, mask, chosen[0].shape) != 0
        chosen = [row[inside][None] for row in chosen]
    options = {"lo": bounds[::2] if n == 2 else bounds[0], "hi": bounds[1::2] if n == 2 else bounds[1],
               "bins": bins if n == 2 else bins[0], "range": "given", "last_closed": False, "channel_axis": None}
    if chosen[0].size == 0:
        counts = np.zeros(bins, int)
    elif n == 1:
        counts = _ops.histogram(chosen[0], **options).counts
    else:
        counts = _ops.histogram2d(chosen[0], src2=chosen[1], **options).counts
    if counts.max() > MOST_WHOLE:
        raise ValueError(f"{name}: a bin holds {counts.max()}; float32 is exact for whole numbers up to 2^24; use "
                         f"gpufilter.histogram{'' if n == 1 else '2d'}")
    made = counts.astype(np.float32).reshape(bins)
    if hist is not None and np.shape(hist) == (bins[0], 1):
        made = made.reshape(-1, 1)  # as OpenCV 4 has it
    check_fits(name, "hist", hist, made.shape, made.dtype)
    return into(hist, made + hist if accumulate and hist is not None else made)


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
        self._clip = number_of("CLAHE", "clipLimit", clipLimit)

    def getTilesGridSize(self):
        return self._tiles

    def setTilesGridSize(self, tileGridSize):
        """(across, down), 1 to 32 each."""
        tiles = tuple(pair_of("CLAHE", "tileGridSize", tileGridSize, "(across, down)"))
        if not all(1 <= n <= 32 for n in tiles):
            raise ValueError(f"CLAHE: tileGridSize={tiles}; it must be (across, down), 1 to 32 each")
        self._tiles = tiles


def createCLAHE(clipLimit=40.0, tileGridSize=(8, 8)):
    """A CLAHE, whose apply(src, dst=None) computes."""
    return CLAHE(clipLimit, tileGridSize)
