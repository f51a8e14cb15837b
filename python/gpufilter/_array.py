# SPDX-License-Identifier: MIT
"""Arrays that stay on the daemon's device: made by to_device() and by operations on such arrays. Owns their buffers.
Created by _client.py; operations accept them in place of numpy arrays. _formula.py has the texts of their arithmetic."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _formula, _views
from ._library import View
from ._program import program_of, shown

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from ._client import Client

    Number = bool | int | float | np.generic

_HOST = (1, 0)  # DLPack's device for host memory


class DeviceArray:
    """An array on the daemon's device. Operations on it leave their results there; tables, such as a histogram, come
    back. numpy() copies it to the host. Slices along rows and columns are views of the same memory. Arithmetic and
    comparisons have numpy's dtypes and bits, reductions come back. The array belongs to one Client, ends with it, and
    is lost with the device (HandleLost)."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    sides: int  # axes of rows and columns, 1 or 2
    channels: int  # of a pixel; 0: no axis of channels

    __slots__ = ("shape", "dtype", "sides", "channels", "_client", "_view", "_base", "__weakref__")

    __array_ufunc__ = None  # numpy leaves mixed arithmetic to this class, which refuses host arrays

    def __init__(self, client: Client, view: Any, shape: tuple[int, ...], dtype: np.dtype[Any], sides: int,
                 base: DeviceArray | None = None) -> None:
        self.shape, self.dtype = shape, dtype
        self.sides = min(sides, len(shape))
        self.channels = shape[-1] if len(shape) > self.sides else 0
        self._client, self._base = client, base
        self._view = View(view.data, view.width, view.height, 0, view.pitch or
                          view.width * view.channels * self.dtype.itemsize, 0, view.dtype, view.channels)
        if base is None:
            client._handle.hold(self, view.data)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
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

    def numpy(self, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """A copy in host memory."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        elif not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__}; it must be a numpy.ndarray")
        return self._client._work(program_of("copy", True), (self,), out, "auto")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on the device cannot be read without a copy")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __dlpack__(self, *, stream: None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """A copy in host memory, for other packages: the device's memory is the daemon's."""
        if copy is False or dl_device not in (None, _HOST):
            raise BufferError("an array on the daemon's device is exported as a copy in host memory: leave copy and "
                              "dl_device out")
        return self.numpy().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return _HOST

    def __reduce__(self) -> Any:
        raise TypeError("a DeviceArray lies on the daemon's device and cannot be pickled; pickle its numpy()")

    # ---- parts and forms ----

    def _same(self, made):
        """A result with the samples of this array, and so with its dtype."""
        made.dtype = self.dtype
        return made

    def reshape(self, *shape: Any) -> DeviceArray:
        """A copy in another shape, of one or two axes, or three of which the last has 1 to 4 channels. It goes through
        host memory, because the daemon's buffers keep their shape."""
        given = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], Iterable) else shape
        try:
            sides = [operator.index(n) for n in given]
        except TypeError:
            raise TypeError(f"reshape: shape={shown(given)}; it must be whole numbers") from None
        rest = math.prod(n for n in sides if n != -1)
        if sides.count(-1) == 1 and rest > 0 and self.size % rest == 0:
            sides[sides.index(-1)] = self.size // rest
        if min(sides, default=0) < 1 or math.prod(sides) != self.size:
            raise ValueError(f"reshape: an array of shape {self.shape} has no shape={shown(given)}")
        if len(sides) > 3 or (len(sides) == 3 and sides[2] > _views.MOST_CHANNELS):
            raise ValueError(f"reshape: shape={given}; on the device arrays have one or two axes, or three of which the "
                             f"last has 1 to {_views.MOST_CHANNELS} channels")
        return self._client.to_device(self.numpy().reshape(sides), channel_axis=-1 if len(sides) == 3 else None)

    @property
    def T(self) -> DeviceArray:
        """The array with rows and columns exchanged."""
        if self.ndim == 1:
            return self
        if self.channels:
            raise ValueError(f"T of an array of shape {self.shape}: channels are the last axis on the device; "
                             "gpufilter.transpose exchanges rows and columns")
        return self._same(_ops().transpose(self))

    def astype(self, dtype: DTypeLike) -> DeviceArray:
        """A copy converted as numpy converts: towards zero to integers, which wrap."""
        to = _views.dtype_named("astype", dtype)
        return self._computed(_formula.converted(self.dtype, to), to, {})

    def __getitem__(self, key: slice | tuple[slice, ...]) -> DeviceArray:
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
        return DeviceArray(self._client, view, shape, self.dtype, self.sides,
                           self if self._base is None else self._base)

    # ---- arithmetic ----

    def _computed(self, text, dtype, numbers, other=None):
        stored = np.dtype(np.uint8) if dtype == bool else dtype
        made = _ops().expr(self, text, numbers or None, dtype=stored, b=other)
        made.dtype = dtype
        return made

    def _with(self, symbol, other, swapped=False):
        """The result with a number or another array on the device; numpy arrays are refused."""
        if isinstance(other, np.ndarray):
            raise TypeError("arithmetic of an array on the device with one in host memory: use gpufilter.to_device() "
                            "on the host array, or .numpy() on the device array")
        if isinstance(other, DeviceArray):
            if other.shape != self.shape:
                raise ValueError(f"arithmetic of arrays of shapes {self.shape} and {other.shape}; they must be equal")
            text, dtype = _formula.of_two(symbol, self.dtype, other.dtype)
            return self._computed(text, dtype, {}, other)
        if isinstance(other, (bool, int, float)) or isinstance(other, np.generic) and other.dtype.kind in "biufc":
            text, dtype, number = _formula.with_number(symbol, self.dtype, other, swapped)
            return self._computed(text, dtype, {"s": number})
        return NotImplemented

    def __add__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("+", other)

    __radd__ = __add__

    def __sub__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("-", other)

    def __rsub__(self, other: Number) -> DeviceArray:
        return self._with("-", other, True)

    def __mul__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("*", other)

    __rmul__ = __mul__

    def __truediv__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("/", other)

    def __rtruediv__(self, other: Number) -> DeviceArray:
        return self._with("/", other, True)

    def __and__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("&", other)

    def __or__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("|", other)

    def __xor__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("^", other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __lt__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("<", other)

    def __le__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with("<=", other)

    def __gt__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with(">", other)

    def __ge__(self, other: DeviceArray | Number) -> DeviceArray:
        return self._with(">=", other)

    def __eq__(self, other: DeviceArray | Number) -> DeviceArray:  # type: ignore[override]
        return self._with("==", other)

    def __ne__(self, other: DeviceArray | Number) -> DeviceArray:  # type: ignore[override]
        return self._with("!=", other)

    def __neg__(self) -> DeviceArray:
        return self._computed(*_formula.of_one("-", self.dtype), {})

    def __pos__(self) -> DeviceArray:
        return self

    def __abs__(self) -> DeviceArray:
        return self._computed(*_formula.of_one("abs", self.dtype), {})

    def __invert__(self) -> DeviceArray:
        return self._computed(*_formula.of_one("~", self.dtype), {})

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError(f"an array of shape {self.shape} is neither true nor false; use any() or all()")
        return bool(self.numpy())

    # ---- reductions; their results are numpy's ----

    def _reduced(self, op, axis, keepdims, **more):
        return _ops().reduce(self, op, axis=axis, keepdims=keepdims, **more)

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("sum", axis, keepdims)

    def mean(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("mean", axis, keepdims)

    def std(self, axis: int | tuple[int, ...] | None = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return self._reduced("std", axis, keepdims, ddof=ddof)

    def var(self, axis: int | tuple[int, ...] | None = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return self._reduced("var", axis, keepdims, ddof=ddof)

    def min(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("min", axis, keepdims)

    def max(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("max", axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._reduced("argmin", axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Any:
        return self._reduced("argmax", axis, keepdims)

    def any(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("any", axis, keepdims)

    def all(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Any:
        return self._reduced("all", axis, keepdims)


def _ops():
    """The operations, which need this module."""
    from . import _ops as operations
    return operations
