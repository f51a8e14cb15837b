# SPDX-License-Identifier: MIT
"""OpenCV's matchTemplate. Used by cv.py."""
import numpy as np

from . import _floats, _ops
from ._arguments import whole_of
from ._cv_arguments import array_of, check_fits, listed, mask_of, picture_of, with_channels
from ._cv_constants import (TM_CCOEFF, TM_CCOEFF_NORMED, TM_CCORR, TM_CCORR_NORMED, TM_SQDIFF, TM_SQDIFF_NORMED)
from ._intake import into

__all__ = ["matchTemplate"]

_WORDS = {TM_CCOEFF_NORMED: "ccoeff", TM_CCORR_NORMED: "ccorr", TM_SQDIFF_NORMED: "sqdiff"}
_METHODS = {TM_SQDIFF: "TM_SQDIFF", TM_SQDIFF_NORMED: "TM_SQDIFF_NORMED", TM_CCORR: "TM_CCORR",
            TM_CCORR_NORMED: "TM_CCORR_NORMED", TM_CCOEFF: "TM_CCOEFF", TM_CCOEFF_NORMED: "TM_CCOEFF_NORMED"}
_TAKEN = ("uint8", "float32")


def matchTemplate(image, templ, method, result=None, mask=None):
    """The six methods TM_..., of uint8 or float32. Normed methods of uint8 without mask: gpufilter.match, whose sums
    are exact; a constant templ has TM_CCOEFF_NORMED 0, where OpenCV has 1. Otherwise gpufilter.correlate1d in float64,
    with a request for each row of templ and each channel. mask: of the size of templ; what is not 0 in uint8 counts,
    float32 is a weight."""
    name = "matchTemplate"
    (image, _), (templ, _) = picture_of(name, image, "image", _TAKEN), picture_of(name, templ, "templ", _TAKEN)
    method = whole_of(name, "method", method)
    if method not in _METHODS:
        raise ValueError(f"{name}: method={method}; allowed: {listed(list(_METHODS.values()))}")
    if image.dtype != templ.dtype or image.shape[2:] != templ.shape[2:]:
        raise TypeError(f"{name}: image has shape {image.shape} and dtype {image.dtype}, templ {templ.shape} and "
                        f"{templ.dtype}; they must have the same channels and dtype")
    shape = tuple(n - m + 1 for n, m in zip(image.shape[:2], templ.shape[:2]))
    if min(shape) < 1:
        raise ValueError(f"{name}: templ of shape {templ.shape} is larger than image, {image.shape}")
    check_fits(name, "result", result, shape, np.dtype(np.float32))
    if mask is None and method in _WORDS and image.dtype == np.uint8:
        made = _ops.match(image, templ, _WORDS[method], channel_axis=-1 if image.ndim == 3 else None).scores
    else:
        made = _scores(*(with_channels(p).astype(float) for p in (image, templ)), method, _weights(name, mask, templ))
    return into(result, made.reshape(shape).astype(np.float32, copy=False))


def _weights(name, mask, templ):
    if mask is None:
        return None
    mask, deep = array_of(name, "mask", mask), with_channels(templ).shape
    mask = with_channels(mask) if mask.ndim == 2 else mask
    if mask.dtype != np.float32:
        mask = (mask if mask.shape == deep and mask.dtype == np.uint8 else mask_of(name, mask, deep)[:, :, None]) != 0
    elif mask.shape not in (deep, (*deep[:2], 1)):
        raise ValueError(f"{name}: mask has shape {mask.shape}; templ has {templ.shape}")
    return np.broadcast_to(mask, deep).astype(float)


def _sums(image, weights):
    """The sum of products of the weights and the pixels under them, for each place and channel."""
    height, width = (n - m + 1 for n, m in zip(image.shape[:2], weights.shape[:2]))
    y, x = weights.shape[0] // 2, weights.shape[1] // 2
    return np.stack([_floats.under_mask(np.ascontiguousarray(image[:, :, c]), weights[:, :, c], "constant", 0.0, (y, x))
                     [y:y + height, x:x + width] for c in range(image.shape[2])], -1)


def _scores(image, templ, method, weights):
    masked = weights is not None
    weights = np.ones(templ.shape) if weights is None else weights
    if method in (TM_CCOEFF, TM_CCOEFF_NORMED):
        total = weights.sum((0, 1))
        templ = weights * (templ - (weights * templ).sum((0, 1)) / total)
        scores = _sums(image, weights * templ)
        means = _sums(image, weights) / total
        scores = (scores - means * (weights * templ).sum((0, 1))).sum(-1)
        if method == TM_CCOEFF:
            return scores
        squares = weights * weights
        spread = _sums(image * image, squares) - 2 * means * _sums(image, squares) + means * means * squares.sum((0, 1))
        return _normed(scores, spread.sum(-1), (templ * templ).sum(), masked, 0.0)
    squares = weights * weights
    products = _sums(image, squares * templ).sum(-1)
    size = (squares * templ * templ).sum()
    if method == TM_CCORR:
        return products
    energy = _sums(image * image, squares).sum(-1)
    if method == TM_CCORR_NORMED:
        return _normed(products, energy, size, masked, 0.0)
    scores = np.maximum(energy - 2 * products + size, 0)
    return scores if method == TM_SQDIFF else _normed(scores, energy, size, masked, 1.0)


def _normed(scores, energy, size, masked, otherwise):
    """Scores divided by the root of both energies; `otherwise` where there is no energy. Without a mask OpenCV cuts off
    what rounding takes beyond 1, and takes what is far beyond for no energy."""
    norm = np.sqrt(np.maximum(energy, 0) * size)
    made = np.where(norm > 0, scores / np.where(norm > 0, norm, 1), otherwise)
    if masked:
        return made
    return np.where(np.abs(made) < 1.125, np.clip(made, -1, 1), otherwise)
