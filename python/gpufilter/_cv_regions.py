# SPDX-License-Identifier: MIT
"""OpenCV's functions that find something in a picture: parts, distances and a template. Used by cv.py."""
import numpy as np

from . import _ops
from ._cv_arguments import bytes_of, check_fits, picture_of
from ._cv_constants import (CV_32F, CV_32S, DIST_L2, DIST_MASK_PRECISE, TM_CCOEFF_NORMED, TM_CCORR_NORMED,
                            TM_SQDIFF_NORMED)
from ._intake import into
from ._ndimage_regions import numbers

__all__ = ["connectedComponents", "connectedComponentsWithStats", "distanceTransform", "matchTemplate"]

_FIRST_CAPACITY = 65536


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
    """gpufilter.distance: DIST_L2 and DIST_MASK_PRECISE. Infinity if there is no 0."""
    name = "distanceTransform"
    if (distanceType, maskSize, dstType) != (DIST_L2, DIST_MASK_PRECISE, CV_32F):
        raise NotImplementedError(f"{name}: distanceType={distanceType}, maskSize={maskSize}, dstType={dstType}; "
                                  "allowed: DIST_L2, DIST_MASK_PRECISE, CV_32F; on the host: cv2.distanceTransform")
    return _ops.distance(bytes_of(name, src, "src", "distance"), out=dst, channel_axis=None)


def matchTemplate(image, templ, method, result=None, mask=None):
    """gpufilter.match, for uint8: TM_CCOEFF_NORMED, TM_CCORR_NORMED and TM_SQDIFF_NORMED. Sums are exact, and a
    constant templ has TM_CCOEFF_NORMED 0, where OpenCV has 1."""
    name = "matchTemplate"
    words = {TM_CCOEFF_NORMED: "ccoeff", TM_CCORR_NORMED: "ccorr", TM_SQDIFF_NORMED: "sqdiff"}
    if method not in words or mask is not None:
        raise NotImplementedError(f"{name}: method={method}{'' if mask is None else ' with mask'}; allowed: "
                                  "TM_CCOEFF_NORMED, TM_CCORR_NORMED and TM_SQDIFF_NORMED, without mask; on the host: "
                                  "cv2.matchTemplate")
    (image, axis), (templ, other) = picture_of(name, image, "image"), picture_of(name, templ, "templ")
    if image.dtype != np.uint8 or templ.dtype != np.uint8 or axis != other:
        raise TypeError(f"{name}: image has shape {image.shape} and dtype {image.dtype}, templ {templ.shape} and "
                        f"{templ.dtype}; both must be (H, W) or (H, W, C) of uint8")
    made = _ops.match(image, templ, words[method], channel_axis=axis).scores
    if axis is not None and made.ndim == 3:
        made = made[..., 0]
    check_fits(name, "result", result, made.shape, made.dtype)
    return into(result, made)


def _mask(name, image, labels, connectivity, ltype):
    picture = bytes_of(name, image, "image", "label")
    if connectivity not in (4, 8):
        raise ValueError(f"{name}: connectivity={connectivity}; allowed: 4 and 8")
    if ltype != CV_32S:
        raise NotImplementedError(f"{name}: ltype={ltype}; allowed: CV_32S")
    check_fits(name, "labels", labels, picture.shape, np.dtype(np.int32))
    return picture, labels, str(connectivity)
