# SPDX-License-Identifier: MIT
"""Arrays of any dtype as pictures that can be ranked: other numbers in the same order, so that minima, maxima and ranks
are exact. Used by the parts of ndimage.py."""
import numpy as np

from . import _ops

PICTURES = frozenset(map(np.dtype, ("u1", "u2", "i2", "f4")))
_EXACT = {np.dtype("?"): np.dtype("u1"), np.dtype("i1"): np.dtype("i2"), np.dtype("f2"): np.dtype("f4")}
RANKED = PICTURES | set(_EXACT)  # dtypes whose numbers can be left as they are
_LEAST_NORMAL = 1 << 23  # the bits of float32's least normal number: places above it are finite numbers in order


class Ordered:
    """picture: the array, or as many places among its values. outside: what the value outside is there, if one was
    given. values(picture): the samples that places stand for."""

    def __init__(self, array, outside=None):
        self.picture, self.outside, self._dtype, self._sorted, self._least = array, outside, array.dtype, None, None
        if array.dtype in PICTURES and (outside is None or np.isfinite(outside)):
            return
        if array.dtype in _EXACT and (outside is None or np.isfinite(outside)):
            self.picture = array.astype(_EXACT[array.dtype])
        elif not self._near(array, outside):
            self._places(array, outside)

    def _near(self, array, outside):
        """Whether whole numbers lie so near each other that their distances from the least are of 16 bits."""
        if array.dtype.kind not in "iu":
            return False
        least, most = int(array.min()), int(array.max())
        if outside is not None:
            least, most = min(least, outside), max(most, outside)
        if most - least > 0xffff:
            return False
        self._least = least
        self.picture = (array - array.dtype.type(least)).astype(np.uint16)
        self.outside = None if outside is None else outside - least
        return True

    def _places(self, array, outside):
        flat = array.reshape(-1) if outside is None else np.append(array, array.dtype.type(outside))
        order = _ops.argsort(flat, channel_axis=None).view(np.int64)
        in_order = flat[order]
        begins = np.concatenate([[True], in_order[1:] != in_order[:-1]])  # the first of equal ones
        self._sorted, places = in_order[begins], np.empty(flat.size, np.uint32)
        places[order] = np.cumsum(begins) - 1
        if len(self._sorted) <= 0x10000:
            places = places.astype(np.uint16)
        else:
            places = (places + np.uint32(_LEAST_NORMAL)).view(np.float32)
        self.picture = places[:array.size].reshape(array.shape)
        if outside is not None:
            self.outside = places[-1].item()

    def values(self, picture):
        if self._sorted is not None:
            places = picture if picture.dtype == np.uint16 else picture.view(np.uint32) - np.uint32(_LEAST_NORMAL)
            return self._sorted[places]
        made = picture.astype(self._dtype, copy=False)
        return made if self._least is None else made + self._dtype.type(self._least)
