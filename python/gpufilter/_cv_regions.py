# SPDX-License-Identifier: MIT
"""OpenCV's functions that find the parts of a picture, and distances to them. Used by cv.py."""
import numpy as np

from . import _ops
from ._arguments import whole_of
from ._cv_arguments import bytes_of, check_fits
from ._cv_constants import (CV_8U, CV_32F, CV_32S, DIST_C, DIST_L1, DIST_L2, DIST_MASK_3, DIST_MASK_5,
                            DIST_MASK_PRECISE)
from ._intake import into
from ._ndimage_regions import numbers

__all__ = ["connectedComponents", "connectedComponentsWithStats", "distanceTransform"]

_FIRST_CAPACITY = 65536
_STEPS = {  # OpenCV's lengths of a step across, a diagonal one and a knight's, in 2^-16 pixels
    (DIST_L1, DIST_MASK_3): (65536, 131072), (DIST_C, DIST_MASK_3): (65536, 65536),
    (DIST_L2, DIST_MASK_3): (round(0.955 * 65536), round(1.3693 * 65536)),
    (DIST_L2, DIST_MASK_5): (65536, round(1.4 * 65536), round(2.1969 * 65536))}


def _parts(picture, connectivity):
    """Labels, areas and boxes of all parts; the first attempt has room for as many as most pictures have."""
    made = _ops.label(picture, connectivity=connectivity, capacity=_FIRST_CAPACITY, channel_axis=None)
    if int(made.count) > len(made.areas):
        made = _ops.label(picture, connectivity=connectivity, capacity=int(made.count), channel_axis=None)
    return made


def connectedComponents(image, labels=None, connectivity=8, ltype=CV_32S):
    """gpufilter.label: the number of labels including the background, and int32 labels. Labels are numbered by their
    first pixel, as OpenCV does with CCL_WU, and with connectivity=4 always."""
    name = "connectedComponents"
    picture, labels, connectivity = _mask(name, image, labels, connectivity, ltype)
    made, count = numbers(picture, connectivity)
    return count + 1, into(labels, made.view(np.int32))


def connectedComponentsWithStats(image, labels=None, stats=None, centroids=None, connectivity=8, ltype=CV_32S):
    """connectedComponents with the box and area of each label as int32, and its centroid as float64, computed on the
    host. Row 0 is the background, all 0 if there is none."""
    name = "connectedComponentsWithStats"
    if stats is not None or centroids is not None:
        raise NotImplementedError(f"{name}: stats and centroids; the arrays are made here")
    picture, labels, connectivity = _mask(name, image, labels, connectivity, ltype)
    made = _parts(picture, connectivity)
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
    return len(rows), into(labels, made.labels.view(np.int32)), rows, centres


def distanceTransform(src, distanceType, maskSize, dst=None, dstType=CV_32F):
    """DIST_L2 with DIST_MASK_PRECISE: gpufilter.distance; infinity if there is no 0. DIST_L2 with a mask of 3 or 5,
    DIST_L1 and DIST_C: OpenCV's sums of steps, in two passes on the host; of DIST_L1 also as CV_8U."""
    name = "distanceTransform"
    src = bytes_of(name, src, "src", "distance")
    distanceType, maskSize, dstType = (whole_of(name, w, v) for w, v in (
        ("distanceType", distanceType), ("maskSize", maskSize), ("dstType", dstType)))
    if distanceType in (DIST_L1, DIST_C):
        maskSize = DIST_MASK_3
    steps, exact = _STEPS.get((distanceType, maskSize)), (distanceType, maskSize) == (DIST_L2, DIST_MASK_PRECISE)
    if not (steps or exact) or dstType != CV_32F and (dstType, distanceType) != (CV_8U, DIST_L1):
        raise NotImplementedError(f"{name}: distanceType={distanceType}, maskSize={maskSize}, dstType={dstType}; "
                                  "allowed: DIST_L2 with DIST_MASK_PRECISE, DIST_MASK_3 and DIST_MASK_5, DIST_L1 and "
                                  "DIST_C, with CV_32F, and DIST_L1 with CV_8U")
    if exact:
        return _ops.distance(src, out=dst, channel_axis=None)
    sums = _in_steps(src != 0, steps)
    made = np.where(sums >= _FAR, np.float32(np.inf), (sums * 2.0**-16).astype(np.float32))
    if dstType == CV_8U:
        made = np.minimum(made, 255).astype(np.uint8)
    check_fits(name, "dst", dst, made.shape, made.dtype)
    return into(dst, made)


_FAR = 2**40  # beyond every sum


def _in_steps(inside, steps):
    """The least sum of steps from each pixel to one outside: down over the rows, then up, each row from both sides."""
    across, diagonal, *knight = steps
    near = [(-1, diagonal), (0, across), (1, diagonal)] + [(dx, k) for k in knight for dx in (-2, 2)]
    far = [(dx, k) for k in knight for dx in (-1, 1)]
    height, width = inside.shape
    sums = np.full((height + 4, width + 4), 2 * _FAR)
    sums[2:-2, 2:-2] = np.where(inside, _FAR, 0)
    along = np.arange(width) * across
    for back in (1, -1):
        sums = sums[::-1, ::-1] if back < 0 else sums
        for y in range(2, height + 2):
            row = sums[y, 2:-2]
            for up, moves in ((1, near), (2, far)):
                for dx, length in moves:
                    np.minimum(row, sums[y - up, 2 + dx:2 + dx + width] + length, out=row)
            row[:] = np.minimum.accumulate(row - along) + along
    return sums[::-1, ::-1][2:-2, 2:-2]


def _mask(name, image, labels, connectivity, ltype):
    picture = bytes_of(name, image, "image", "label")
    connectivity = whole_of(name, "connectivity", connectivity)
    if connectivity not in (4, 8):
        raise ValueError(f"{name}: connectivity={connectivity}; allowed: 4 and 8")
    if whole_of(name, "ltype", ltype) != CV_32S:
        raise NotImplementedError(f"{name}: ltype={ltype}; allowed: CV_32S")
    check_fits(name, "labels", labels, picture.shape, np.dtype(np.int32))
    return picture, labels, str(connectivity)
