# SPDX-License-Identifier: MIT
"""Arrays that stay on the daemon's device: made by to_device() and by operations on such arrays. Owns their buffers.
Created by _client.py; operations accept them in place of numpy arrays."""
import math

import numpy as np

from . import _views
from ._library import View
from ._program import program_of


class DeviceArray:
    """An array on the daemon's device. Operations on it leave their results there; tables, such as a histogram, come
    back. numpy() copies it to the host. Slices along rows and columns are views of the same memory. Arithmetic on
    float32 has numpy's bits. The array belongs to one Client, ends with it, and is lost with the device
    (HandleLost)."""

    __slots__ = ("shape", "dtype", "sides", "channels", "_client", "_view", "_base", "__weakref__")

    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class, which refuses host arrays

    def __init__(self, client, view, shape, dtype, sides, base=None):
        self.shape, self.dtype = shape, dtype
        self.sides = min(sides, len(shape))
        self.channels = shape[-1] if len(shape) > self.sides else 0
        self._client, self._base = client, base
        self._view = View(view.data, view.width, view.height, 0, view.pitch or
                          view.width * view.channels * self.dtype.itemsize, 0, view.dtype, view.channels)
        if base is None:
            client._handle.hold(self, view.data)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<gpufilter.DeviceArray {self.shape} {self.dtype}>"

    # ---- for _jobs.py ----

    def _device_view(self, client):
        if client is not self._client:
            raise ValueError("the array belongs to another client; use that client, or .numpy()")
        return self._view

    def _check_out(self, name, what, shape, dtype):
        if self._base is not None:
            raise ValueError(f"{name}: out for {what} is a part of an array on the device; it must be all of it")
        if self.shape != shape:
            raise ValueError(f"{name}: out for {what} has shape {self.shape}; the result has {shape}")
        if self.dtype != dtype:
            raise TypeError(f"{name}: out for {what} has dtype {self.dtype}; the result has {dtype}")

    # ---- to the host ----

    def numpy(self, out=None):
        """A copy in host memory."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__}; it must be a numpy.ndarray")
        return self._client._work(program_of("copy", True), (self,), out, "auto")

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on the device cannot be read without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    # ---- parts ----

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > self.sides or not all(isinstance(k, slice) and k.step in (None, 1) for k in keys):
            raise TypeError("parts of an array on the device are slices of rows and columns with step 1, as in "
                            "a[2:5, 1:9]")
        bounds = [k.indices(n)[:2] for k, n in zip(keys, self.shape)]
        bounds += [(0, n) for n in self.shape[len(bounds):self.sides]]
        if any(stop <= start for start, stop in bounds):
            raise ValueError(f"the part {key} of shape {self.shape} is empty")
        view = View(self._view.data, self._view.width, self._view.height, 0, self._view.pitch, 0,
                    self._view.dtype, self._view.channels)
        left, right = bounds[-1]
        view.width = right - left
        view.data += left * view.channels * self.dtype.itemsize
        if self.sides == 2:
            top, bottom = bounds[0]
            view.height = bottom - top
            view.data += top * view.pitch
        shape = tuple(stop - start for start, stop in bounds) + self.shape[self.sides:]
        return DeviceArray(self._client, view, shape, self.dtype, self.sides, self._base or self)

    # ---- arithmetic ----

    def _compute(self, text, *others):
        if self.dtype != np.float32:
            raise TypeError(f"arithmetic on the device is for float32, this array is {self.dtype}: use gpufilter.map "
                            "or gpufilter.combine, which round and saturate")
        return self._client._work(program_of(text, True), (self, *others), None, "auto")

    def _with(self, other, scalar, array):
        """The result with a number or another array on the device, computed by a text program; refuses numpy arrays."""
        if isinstance(other, np.ndarray):
            raise TypeError("arithmetic of an array on the device with one in host memory: use gpufilter.to_device() "
                            "on the host array, or .numpy() on the device array")
        if isinstance(other, DeviceArray):
            return self._compute(array, other)
        if isinstance(other, (int, float, np.float32)) and not isinstance(other, bool):
            return self._compute(scalar(float(other)))
        return NotImplemented

    # An offset of -0 changes nothing, not even the sign of a zero.
    def __add__(self, other):
        return self._with(other, lambda s: f"map offset={s!r} alpha=straight",
                          "combine other=@1 c=-0.0 alpha=straight")

    __radd__ = __add__

    def __sub__(self, other):
        return self._with(other, lambda s: f"map offset={-s!r} alpha=straight",
                          "combine other=@1 b=-1 c=-0.0 alpha=straight")

    def __rsub__(self, other):
        return self._with(other, lambda s: f"map scale=-1 offset={s!r} alpha=straight", "")

    def __mul__(self, other):
        return self._with(other, lambda s: f"map scale={s!r} offset=-0.0 alpha=straight",
                          "combine other=@1 mode=mul alpha=straight")

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, (int, float, np.float32)) and not isinstance(other, bool):
            mantissa, exponent = math.frexp(float(other))
            if abs(mantissa) == 0.5 and -126 <= exponent <= 126:
                return self * (1 / float(other))
            raise ValueError(f"division by {other} has no exact form here; powers of two have; for a rounded one "
                             "multiply by the reciprocal")
        return NotImplemented

    def __neg__(self):
        return self._compute("map scale=-1 offset=-0.0 alpha=straight")

    def __pos__(self):
        return self

    def __abs__(self):
        return self._compute("map scale=-1 offset=-0.0 alpha=straight | combine other=@0 mode=max alpha=straight")

    __hash__ = object.__hash__
