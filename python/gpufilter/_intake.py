# SPDX-License-Identifier: MIT
"""Arrays that a caller gives. Those of other packages are converted to numpy arrays: an array in host memory that
supports __array_interface__, the buffer protocol or DLPack is taken without a copy; an array on a device is copied to
the host with a HostCopyWarning. Used by _views.py and the parts of ndimage.py and cv.py."""
import os
import sys
import warnings

import numpy as np

_ON_HOST = (1, 3, 11, 13)  # DLPack devices whose memory the host can read: CPU, pinned (CUDA, ROCm), managed
_TO_HOST = ("cpu", "get", "copy_to_host")  # the methods' names in torch, CuPy and Numba
_HERE = os.path.dirname(os.path.abspath(__file__))


class HostCopyWarning(UserWarning):
    """An array on a device of another package was copied to the host, because the daemon cannot read that memory."""


def warn_caller(text, kind):
    """Warns at the caller's line, outside this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def _from_device(value):
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    for method in _TO_HOST:
        if callable(getattr(value, method, None)):
            warn_caller(f"a {kind} on a device is copied to the host; the daemon has memory of its own there: "
                        "gpufilter.to_device() keeps arrays in it", HostCopyWarning)
            return asarray(getattr(value, method)())
    raise TypeError(f"a {kind} is on a device and has none of the methods {', '.join(_TO_HOST)}: copy it to the host")


def _is_on_device(value):
    if hasattr(value, "__dlpack_device__"):
        return int(value.__dlpack_device__()[0]) not in _ON_HOST
    return hasattr(value, "__cuda_array_interface__")


def asarray(value):
    """The numpy array of a value, which shares the memory of an array in host memory."""
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError("a masked array has no values under its mask; set them by .filled(value)")
    if isinstance(value, (np.ndarray, list, tuple, int, float)):
        return np.asarray(value)
    if _is_on_device(value):
        return _from_device(value)
    if hasattr(value, "__dlpack__") and not (hasattr(value, "__array__") or hasattr(value, "__array_interface__")):
        return np.from_dlpack(value)
    return np.asarray(value)


def into(given, made):
    """The result, in the array that the caller gave for it, if any."""
    if given is None:
        return made
    given[...] = made
    return given
