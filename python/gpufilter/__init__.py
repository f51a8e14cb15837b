# SPDX-License-Identifier: MIT
"""Filters pictures and computes on arrays by gpufilterd: numpy in, numpy out, the same bits on every device.

    import gpufilter as gf
    blurred = gf.gaussian(picture, sigma=2)

docs/python.md says more. This file names what is public and owns nothing."""
from . import errors
from ._client import Client, Device, Times, default_client
from ._library import version as __version__
from ._ops import *  # noqa: F403
from ._ops import __all__ as _operations
from .errors import Error


def empty(shape, dtype=float):
    """An array, not cleared, in memory that the daemon reads and writes directly; see Client.empty()."""
    return default_client().empty(shape, dtype)


def run(text, *operands, out=None, channel_axis="auto"):
    """Runs a program given as text, "gaussian sigma=2 | sobel"; see Client.run()."""
    return default_client().run(text, *operands, out=out, channel_axis=channel_axis)


open = Client  # noqa: A001

__all__ = ["Client", "Device", "Error", "Times", "default_client", "empty", "errors", "run", *_operations]
