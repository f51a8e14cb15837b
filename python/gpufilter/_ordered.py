# SPDX-License-Identifier: MIT
"""Arrays of any dtype as pictures that can be ranked: other numbers in the same order, so that minima, maxima and ranks
are exact. Used by the parts of ndimage.py."""
import numpy as np

from . import _ops, _ranks

PICTURES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4")))
_EXACT = {np.dtype("?"): np.dtype("u1"), np.dtype("i1"): np.dtype("i2"), np.dtype("f2"): np.dtype("f4")}
RANKED = PICTURES | set(_EXACT)  # dtypes whose numbers can be left as they are


def _sort(keys):
    return _ops.argsort(keys, channel_axis=None)


class Ordered:
    """picture: the array, or numbers in the order of its samples. outside: the number of the sample outside, if one was
    given. values(picture): the samples that numbers stand for."""

    def __init__(self, array, outside=None):
        dtype = array.dtype
        if dtype in RANKED and (outside is None or np.isfinite(outside)):
            self.picture, self.outside = array.astype(_EXACT.get(dtype, dtype), copy=False), outside
            self.values = lambda made: made.astype(dtype, copy=False)
            return
        wide = array.astype(np.float64 if dtype.kind == "f" else dtype, copy=False)
        border = np.array([] if outside is None else [outside], wide.dtype)
        self.picture, border, back = _ranks.numbers(wide, border, _sort)
        self.outside = border[0].item() if border.size else None
        self.values = lambda made: back(made).astype(dtype, copy=False)
