# SPDX-License-Identifier: MIT
"""Filters pictures and computes on arrays with gpufilterd: numpy in, numpy out, the same bits on every device.

    import gpufilter as gf
    blurred = gf.gaussian(picture, sigma=2)

python.md of gpufilterd-doc says more. This file only lists the public names."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from . import _facade, errors
from ._array import DeviceArray
from ._calls import client_for, default_client
from ._client import Client, Device, Times
from ._intake import HostCopyWarning
from ._library import version as __version__
from ._ops import *  # noqa: F403
from ._ops import __all__ as _operations

from ._partial import Partial, merge_partials, partial
from ._pipe import Pipe, pipe
from ._reach import Reach, reach
from .errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from ._futures import Future
    from ._ops import T


@overload
def empty(shape: int | tuple[int, ...], dtype: type[T] | numpy.dtype[T]) -> NDArray[T]: ...


@overload
def empty(shape: int | tuple[int, ...], dtype: DTypeLike = float) -> NDArray[Any]: ...


def empty(shape: int | tuple[int, ...], dtype: DTypeLike = float) -> NDArray[Any]:
    """An array in memory that the daemon reads and writes directly, not cleared; see Client.empty()."""
    return default_client().empty(shape, dtype)


def run(text: str, *operands: ArrayLike | DeviceArray, out: Any = None, channel_axis: int | Literal["auto"] | None = "auto") -> Any:
    """Runs a program given as text, "gaussian sigma=2 | sobel"; see Client.run()."""
    return client_for(None, operands).run(text, *operands, out=out, channel_axis=channel_axis)


def submit(work: str | Callable[..., Any], *operands: Any, client: Client | None = None,
           **options: Any) -> Future:
    """Submits work and returns a Future at once; see Client.submit()."""
    return client_for(client, operands).submit(work, *operands, **options)


def to_device(array: ArrayLike, *, channel_axis: int | Literal["auto"] | None = "auto",
              client: Client | None = None) -> DeviceArray:
    """Copies an array to the daemon's device, where it stays; see DeviceArray."""
    return client_for(client, ()).to_device(array, channel_axis=channel_axis)


open = Client  # noqa: A001


if not TYPE_CHECKING:  # which would then take every name

    def __getattr__(name):
        more = "" if name.startswith("_") else _facade.hint(name, __all__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{more}", name=name)


__all__ = ["Client", "Device", "DeviceArray", "Error", "HostCopyWarning", "Partial", "Pipe", "Reach", "Times",
           "default_client", "empty", "errors", "merge_partials", "partial", "pipe", "reach", "run", "submit",
           "to_device", *_operations]
_facade.adopt(globals(), "gpufilter._")
