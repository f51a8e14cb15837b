# SPDX-License-Identifier: MIT
# Printed by python/generate.py from the tables in protocol/; do not edit.
"""The operations as functions, and their table. Each is run by a Client; the calls are in _calls.py."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._calls import call as _call
from ._program import OPS, Input, Op, Output, Param

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Literal

    import numpy
    from numpy.typing import ArrayLike

    from ._array import DeviceArray
    from ._client import Client
    from ._pipe import Pipe

    Data = ArrayLike | DeviceArray
    Array = numpy.ndarray | DeviceArray
    Floats = float | Sequence[float]
    Ints = int | Sequence[int]


class CompareResult(NamedTuple):
    """What compare returns."""

    counts: numpy.ndarray
    errors: numpy.ndarray

    @property
    def equal(self) -> numpy.ndarray | numpy.generic:
        """equal, of each channel; from counts."""
        return self.counts[..., 0]

    @property
    def different(self) -> numpy.ndarray | numpy.generic:
        """different, of each channel; from counts."""
        return self.counts[..., 1]

    @property
    def max(self) -> numpy.ndarray | numpy.generic:
        """max, of each channel; from errors."""
        return self.errors[..., 0]

    @property
    def mae(self) -> numpy.ndarray | numpy.generic:
        """mae, of each channel; from errors."""
        return self.errors[..., 1]

    @property
    def mse(self) -> numpy.ndarray | numpy.generic:
        """mse, of each channel; from errors."""
        return self.errors[..., 2]


class HistogramResult(NamedTuple):
    """What histogram returns."""

    counts: numpy.ndarray
    outside: numpy.ndarray
    edges: numpy.ndarray


class StatsResult(NamedTuple):
    """What stats returns."""

    counts: numpy.ndarray
    range: numpy.ndarray
    sums: numpy.ndarray
    reals: numpy.ndarray

    @property
    def count(self) -> numpy.ndarray | numpy.generic:
        """count, of each channel; from counts."""
        return self.counts[..., 0]

    @property
    def argmin(self) -> numpy.ndarray | numpy.generic:
        """argmin, of each channel; from counts."""
        return self.counts[..., 1]

    @property
    def argmax(self) -> numpy.ndarray | numpy.generic:
        """argmax, of each channel; from counts."""
        return self.counts[..., 2]

    @property
    def nan(self) -> numpy.ndarray | numpy.generic:
        """nan, of each channel; from counts."""
        return self.counts[..., 3]

    @property
    def min(self) -> numpy.ndarray | numpy.generic:
        """min, of each channel; from range."""
        return self.range[..., 0]

    @property
    def max(self) -> numpy.ndarray | numpy.generic:
        """max, of each channel; from range."""
        return self.range[..., 1]

    @property
    def mean(self) -> numpy.ndarray | numpy.generic:
        """mean, of each channel; from reals."""
        return self.reals[..., 0]

    @property
    def var(self) -> numpy.ndarray | numpy.generic:
        """var, of each channel; from reals."""
        return self.reals[..., 1]

    @property
    def std(self) -> numpy.ndarray | numpy.generic:
        """std, of each channel; from reals."""
        return self.reals[..., 2]

    @property
    def l1(self) -> numpy.ndarray | numpy.generic:
        """l1, of each channel; from reals."""
        return self.reals[..., 3]

    @property
    def l2(self) -> numpy.ndarray | numpy.generic:
        """l2, of each channel; from reals."""
        return self.reals[..., 4]

    @property
    def linf(self) -> numpy.ndarray | numpy.generic:
        """linf, of each channel; from reals."""
        return self.reals[..., 5]


class SelectResult(NamedTuple):
    """What select returns."""

    values: numpy.ndarray
    indices: numpy.ndarray
    count: numpy.ndarray


OPS["correlate"] = Op("correlate", (Input("src", "image", False, ("u8", "u16", "f32")), Input("mask", "coefs",
    False, ("f32",))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("normalize", "enum", 1,
    "none"), Param("anchor", "u32", 2, None), Param("size", "enum", 1, "same"), Param("alpha", "enum", 1, "auto"),
    Param("light", "enum", 1, "encoded"), Param("dtype", "enum", 1, "same")), None)
OPS["convolve"] = Op("convolve", (Input("src", "image", False, ("u8", "u16", "f32")), Input("mask", "coefs", False,
    ("f32",))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("normalize", "enum", 1,
    "none"), Param("anchor", "u32", 2, None), Param("size", "enum", 1, "same"), Param("alpha", "enum", 1, "auto"),
    Param("light", "enum", 1, "encoded"), Param("dtype", "enum", 1, "same")), None)
OPS["gaussian"] = Op("gaussian", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("sigma", "f32", 2, 2.0), Param("truncate", "f32", 1, 4.0), Param("border", "enum", 1, "replicate"),
    Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")),
    None)
OPS["box"] = Op("box", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("size", "u32", 2, 3), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0), Param("border",
    "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light",
    "enum", 1, "encoded")), None)
OPS["sharpen"] = Op("sharpen", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("amount", "f32", 1, 1.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0),
    Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["unsharp"] = Op("unsharp", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("sigma", "f32", 2, 1.0), Param("truncate", "f32", 1, 4.0), Param("amount", "f32", 1, 1.0),
    Param("threshold", "f32", 1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4,
    0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["sobel"] = Op("sobel", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["scharr"] = Op("scharr", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["prewitt"] = Op("prewitt", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["laplacian"] = Op("laplacian", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst",
    "picture"),), (Param("connectivity", "enum", 1, "4"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1,
    0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["log"] = Op("log", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("sigma", "f32", 2, 2.0), Param("truncate", "f32", 1, 4.0), Param("scale", "f32", 1, 1.0), Param("offset",
    "f32", 1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha",
    "enum", 1, "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["emboss"] = Op("emboss", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0), Param("border", "enum", 1, "replicate"),
    Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")),
    None)
OPS["map"] = Op("map", (Input("src", "image", False, ("u8", "u16", "f32")), Input("table", "list", True, ("u8",
    "u16", "i16", "f32"))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1,
    0.0), Param("gamma", "f32", 1, 1.0), Param("range", "enum", 1, "value"), Param("dtype", "enum", 1, "same"),
    Param("alpha", "enum", 1, "auto")), None)
OPS["combine"] = Op("combine", (Input("src", "image", False, ("u8", "u16", "f32")), Input("other", "image", False,
    ("u8", "u16", "f32"))), (Output("dst", "picture"),), (Param("mode", "enum", 1, "linear"), Param("a", "f32", 1,
    1.0), Param("b", "f32", 1, 1.0), Param("c", "f32", 1, 0.0), Param("dtype", "enum", 1, "same"), Param("alpha",
    "enum", 1, "auto")), None)
OPS["compare"] = Op("compare", (Input("a", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")), Input("b", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32",
    "f64"))), (Output("counts", "rows"), Output("errors", "rows")), (Param("nan", "enum", 1, "propagate"),),
    CompareResult)
OPS["threshold"] = Op("threshold", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst",
    "picture"),), (Param("mode", "enum", 1, "auto"), Param("value", "f32", 1, None), Param("bins", "u32", 1, 256),
    Param("alpha", "enum", 1, "auto"), Param("channels", "enum", 1, "luma")), None)
OPS["equalize"] = Op("equalize", (Input("src", "image", False, ("u8", "u16")),), (Output("dst", "picture"),),
    (Param("alpha", "enum", 1, "auto"),), None)
OPS["autocontrast"] = Op("autocontrast", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst",
    "picture"),), (Param("nan", "enum", 1, "omit"), Param("alpha", "enum", 1, "auto")), None)
OPS["copy"] = Op("copy", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")),), (Output("dst", "picture"),), (Param("channel", "u32", 1, 0),), None)
OPS["histogram"] = Op("histogram", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64",
    "i64", "f32", "f64")), Input("edges", "list", True, ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"))),
    (Output("counts", "rows"), Output("outside", "rows"), Output("edges", "row")), (Param("bins", "u32", 1, 0),
    Param("lo", "f64", 1, 0.0), Param("hi", "f64", 1, 0.0), Param("range", "enum", 1, "auto"), Param("channels",
    "enum", 1, "each"), Param("last_closed", "flag", 1, False), Param("cumulative", "flag", 1, False),
    Param("density", "flag", 1, False)), HistogramResult)
OPS["reduce"] = Op("reduce", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")), Input("segments", "list", True, ("u32", "i32", "u64", "i64"))), (Output("reduced", "reduced"),),
    (Param("op", "enum", 1, "sum"), Param("axis", "enum", 1, "all"), Param("ddof", "u32", 1, 0), Param("nan",
    "enum", 1, "propagate"), Param("overflow", "enum", 1, "error")), None)
OPS["stats"] = Op("stats", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")),), (Output("counts", "rows"), Output("range", "rows"), Output("sums", "values"), Output("reals",
    "rows")), (Param("ddof", "u32", 1, 0), Param("nan", "enum", 1, "propagate"), Param("overflow", "enum", 1,
    "error")), StatsResult)
OPS["dot"] = Op("dot", (Input("a", "buffer", False, ("f32", "f64")), Input("b", "buffer", False, ("f32", "f64"))),
    (Output("reduced", "reduced"),), (Param("axis", "enum", 1, "all"),), None)
OPS["scan"] = Op("scan", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")), Input("segments", "list", True, ("u32", "i32", "u64", "i64"))), (Output("dst", "picture"),),
    (Param("op", "enum", 1, "sum"), Param("axis", "enum", 1, "all"), Param("exclusive", "flag", 1, False),
    Param("reverse", "flag", 1, False), Param("initial", "f64", 1, 0.0), Param("dtype", "enum", 1, "same"),
    Param("overflow", "enum", 1, "error"), Param("start", "enum", 1, "first")), None)
OPS["recurrence"] = Op("recurrence", (Input("src", "buffer", False, ("f32", "f64")),), (Output("dst", "picture"),),
    (Param("a", "f64", 1, 1.0), Param("b", "f64", 1, 1.0), Param("initial", "f64", 1, 0.0), Param("start", "enum",
    1, "first"), Param("axis", "enum", 1, "all")), None)
OPS["integral"] = Op("integral", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("square", "flag", 1, False), Param("pad", "flag", 1, False), Param("dtype", "enum", 1, "same")), None)
OPS["select"] = Op("select", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")),), (Output("values", "counted"), Output("indices", "counted"), Output("count", "values")),
    (Param("lo", "f64", 1, -1.7976931348623157e+308), Param("hi", "f64", 1, 1.7976931348623157e+308),
    Param("capacity", "u32", 1, 0)), SelectResult)
OPS["convolve1d"] = Op("convolve1d", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "f32",
    "f64")), Input("kernel", "matrix", False, ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"))),
    (Output("dst", "picture"),), (Param("mode", "enum", 1, "same"), Param("axis", "enum", 1, "rows"),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f64", 1, 0.0), Param("anchor", "u32", 1, None),
    Param("overflow", "enum", 1, "error")), None)
OPS["correlate1d"] = Op("correlate1d", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32",
    "f32", "f64")), Input("kernel", "matrix", False, ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"))),
    (Output("dst", "picture"),), (Param("mode", "enum", 1, "same"), Param("axis", "enum", 1, "rows"),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f64", 1, 0.0), Param("anchor", "u32", 1, None),
    Param("overflow", "enum", 1, "error")), None)
OPS["matmul"] = Op("matmul", (Input("a", "matrix", False, ("i8", "i16", "i32", "f32", "f64")), Input("b", "matrix",
    False, ("i8", "i16", "i32", "f32", "f64"))), (Output("product", "picture"),), (Param("overflow", "enum", 1,
    "error"),), None)


def correlate(src: Data, mask: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
              "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, normalize:
              Literal["none", "sum", "abs-sum"] = "none", anchor: Ints | None = None, size: Literal["same", "valid"]
              = "same", alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
              Literal["encoded", "linear"] = "encoded", dtype: Any = "same", *, out: Array | None = None,
              channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Correlate with a mask.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    mask: mask, row by row; matrix of coefficients; float32
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    normalize: divisor of the mask; none, sum or abs-sum
    anchor: x,y of the mask's origin; default: the centre, rounded down; 0..254, up to 2 values
    size: size of the result; same or valid
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    dtype: type of the result; same: as the picture; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: filtered picture; the shape of the input, with size="valid" smaller by the mask's sides minus one

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["correlate"], client, (src, mask,), (scale, offset, border, border_value, normalize, anchor,
                 size, alpha, light, dtype,), out, channel_axis)


def convolve(src: Data, mask: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
             "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, normalize:
             Literal["none", "sum", "abs-sum"] = "none", anchor: Ints | None = None, size: Literal["same", "valid"]
             = "same", alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
             Literal["encoded", "linear"] = "encoded", dtype: Any = "same", *, out: Array | None = None,
             channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Convolve with a mask.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    mask: mask, row by row; matrix of coefficients; float32
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    normalize: divisor of the mask; none, sum or abs-sum
    anchor: x,y of the mask's origin; default: the centre, rounded down; 0..254, up to 2 values
    size: size of the result; same or valid
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    dtype: type of the result; same: as the picture; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: filtered picture; the shape of the input, with size="valid" smaller by the mask's sides minus one

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["convolve"], client, (src, mask,), (scale, offset, border, border_value, normalize, anchor,
                 size, alpha, light, dtype,), out, channel_axis)


def gaussian(src: Data, sigma: Floats = 2.0, truncate: float = 4.0, border: Literal["replicate", "wrap", "reflect",
             "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
             "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] = "encoded", *,
             out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
             None) -> Array:
    """Gaussian blur.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    sigma: standard deviation in pixels, one or x,y; 0..2047, up to 2 values
    truncate: radius of the mask in standard deviations; 0..64
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: blurred picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["gaussian"], client, (src,), (sigma, truncate, border, border_value, alpha, light,), out,
                 channel_axis)


def box(src: Data, size: Ints = 3, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
        "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
        "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] = "encoded", *, out:
        Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
        None) -> Array:
    """Mean over a rectangle.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    size: side of the rectangle in pixels, one or WxH; 1..4095, up to 2 values
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: blurred picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["box"], client, (src,), (size, scale, offset, border, border_value, alpha, light,), out,
                 channel_axis)


def sharpen(src: Data, amount: float = 1.0, border: Literal["replicate", "wrap", "reflect", "reflect101",
            "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto", "premultiplied",
            "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] = "encoded", *, out: Array | None =
            None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Sharpen with a 3x3 mask.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    amount: strength; 0 changes nothing; -65536..65536
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: sharpened picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["sharpen"], client, (src,), (amount, border, border_value, alpha, light,), out, channel_axis)


def unsharp(src: Data, sigma: Floats = 1.0, truncate: float = 4.0, amount: float = 1.0, threshold: float = 0.0,
            border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value:
            Floats = 0.0, alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
            Literal["encoded", "linear"] = "encoded", *, out: Array | None = None, channel_axis: int |
            Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Sharpen by the difference from a Gaussian blur.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    sigma: standard deviation in pixels, one or x,y; 0..2047, up to 2 values
    truncate: radius of the blur in standard deviations; 0..64
    amount: factor of the difference added; any finite number
    threshold: smaller differences are ignored, in sample units; 0 or more
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: sharpened picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["unsharp"], client, (src,), (sigma, truncate, amount, threshold, border, border_value, alpha,
                 light,), out, channel_axis)


def sobel(src: Data, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float =
          0.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
          border_value: Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same", *,
          out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
          None) -> Array:
    """Gradient by the Sobel masks.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: gradient; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["sobel"], client, (src,), (output, scale, offset, border, border_value, alpha, dtype,), out,
                 channel_axis)


def scharr(src: Data, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float =
           0.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
           border_value: Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same",
           *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
           None) -> Array:
    """Gradient by the Scharr masks.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: gradient; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["scharr"], client, (src,), (output, scale, offset, border, border_value, alpha, dtype,), out,
                 channel_axis)


def prewitt(src: Data, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float =
            0.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
            border_value: Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same",
            *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None
            = None) -> Array:
    """Gradient by the Prewitt masks.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: gradient; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["prewitt"], client, (src,), (output, scale, offset, border, border_value, alpha, dtype,), out,
                 channel_axis)


def laplacian(src: Data, connectivity: Literal["4", "8"] = "4", scale: float = 1.0, offset: float = 0.0, border:
              Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value: Floats
              = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same", *, out: Array |
              None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
              None) -> Array:
    """Sum of the second differences.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    connectivity: neighbours used; 4 or 8
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: second differences; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["laplacian"], client, (src,), (connectivity, scale, offset, border, border_value, alpha,
                 dtype,), out, channel_axis)


def log(src: Data, sigma: Floats = 2.0, truncate: float = 4.0, scale: float = 1.0, offset: float = 0.0, border:
        Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0,
        alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same", *, out: Array | None = None,
        channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Laplacian of a Gaussian.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    sigma: standard deviation in pixels, one or x,y; 0.125..2047, up to 2 values
    truncate: radius of the masks in standard deviations; 0..64
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16 or f32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: filtered picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["log"], client, (src,), (sigma, truncate, scale, offset, border, border_value, alpha, dtype,),
                 out, channel_axis)


def emboss(src: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap", "reflect",
           "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
           "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] = "encoded", *, out:
           Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
           None) -> Array:
    """Relief lit from the lower right.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: embossed picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["emboss"], client, (src,), (scale, offset, border, border_value, alpha, light,), out,
                 channel_axis)


def map(src: Data, scale: float = 1.0, offset: float = 0.0, gamma: float = 1.0, range: Literal["value", "full"] =
        "value", dtype: Any = "same", alpha: Literal["auto", "straight", "ignore"] = "auto", *, table: ArrayLike |
        None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client |
        None = None) -> Array:
    """Apply one formula or table to every sample.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    scale: factor; any finite number
    offset: offset after the factor, in sample units; any finite number
    gamma: exponent on samples scaled to 0..1; 1 changes nothing; 0.0078125..128
    range: conversion to another type; value or full
    dtype: type of the result; same: as the picture; same, u8, u16, i16 or f32
    alpha: use of the alpha channel; auto, straight or ignore
    table: lookup table for u8 or u16, in place of the formula; row of numbers; uint8, uint16, int16 or float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: changed picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["map"], client, (src, table,), (scale, offset, gamma, range, dtype, alpha,), out, channel_axis)


def combine(src: Data, other: Data, mode: Literal["linear", "absdiff", "mul", "min", "max", "magnitude"] = "linear",
            a: float = 1.0, b: float = 1.0, c: float = 0.0, dtype: Any = "same", alpha: Literal["auto", "straight",
            "ignore"] = "auto", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto",
            client: Client | None = None) -> Array:
    """Combine two pictures sample by sample.

    Parameters
    ----------
    src: first picture, A; picture of 1 to 4 channels; uint8, uint16 or float32
    other: second picture, B, of the same shape and type; picture of 1 to 4 channels; uint8, uint16 or float32
    mode: how two samples are combined; linear, absdiff, mul, min, max or magnitude
    a: factor of A, for mode linear; any finite number
    b: factor of B, for mode linear; any finite number
    c: constant, for mode linear, in sample units; any finite number
    dtype: type of the result; same: as the picture; same, u8, u16, i16 or f32
    alpha: use of the alpha channel; auto, straight or ignore
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: combined picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["combine"], client, (src, other,), (mode, a, b, c, dtype, alpha,), out, channel_axis)


def compare(a: Data, b: Data, nan: Literal["propagate", "omit"] = "propagate", *, out: Sequence[numpy.ndarray |
            None] | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
            None) -> CompareResult:
    """Measure how far two pictures or arrays differ.

    Parameters
    ----------
    a: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    b: another of the same shape and dtype; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32,
        int32, uint64, int64, float32 or float64
    nan: how a pair with one NaN affects the errors; propagate or omit
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    counts: per channel a row of equal, different
    errors: per channel a row of max, mae, mse

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["compare"], client, (a, b,), (nan,), out, channel_axis)


def threshold(src: Data, mode: Literal["auto", "fixed", "otsu"] = "auto", value: float | None = None, bins: int =
              256, alpha: Literal["auto", "straight", "ignore"] = "auto", channels: Literal["luma", "each"] =
              "luma", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client:
              Client | None = None) -> Array:
    """Make samples black or white by a threshold.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    mode: source of the threshold; auto, fixed or otsu
    value: samples above it become white, in sample units; default: found by otsu; any finite number
    bins: bins over the range of the data, for otsu on f32; 2..65536
    alpha: use of the alpha channel; auto, straight or ignore
    channels: what becomes black or white; luma or each
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: 0 or the largest sample (f32: 1); the shape of the input, with channels="luma" one channel for its colours

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["threshold"], client, (src,), (mode, value, bins, alpha, channels,), out, channel_axis)


def equalize(src: Data, alpha: Literal["auto", "straight", "ignore"] = "auto", *, out: Array | None = None,
             channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Equalize the histogram of each colour.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8 or uint16
    alpha: use of the alpha channel; auto, straight or ignore
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: equalized picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["equalize"], client, (src,), (alpha,), out, channel_axis)


def autocontrast(src: Data, nan: Literal["propagate", "omit"] = "omit", alpha: Literal["auto", "straight", "ignore"]
                 = "auto", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client:
                 Client | None = None) -> Array:
    """Stretch each colour over the full range.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    nan: how NaN affects the range of its colour; propagate or omit
    alpha: use of the alpha channel; auto, straight or ignore
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: picture from 0 to the largest sample (f32: 1); the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["autocontrast"], client, (src,), (nan, alpha,), out, channel_axis)


def copy(src: Data, channel: int = 0, *, out: Array | None = None, channel_axis: int | Literal["auto"] | None =
         "auto", client: Client | None = None) -> Array:
    """Copy samples of all channels or of one.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    channel: channel to copy, from 1; 0: all channels; 0..4
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the same samples; one channel if channel is given

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["copy"], client, (src,), (channel,), out, channel_axis)


def histogram(src: Data, bins: int = 0, lo: float = 0.0, hi: float = 0.0, range: Literal["auto", "given", "data"] =
              "auto", channels: Literal["each", "colour", "luma"] = "each", last_closed: bool = False, cumulative:
              bool = False, density: bool = False, *, edges: ArrayLike | None = None, out: Sequence[numpy.ndarray |
              None] | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
              None) -> HistogramResult:
    """Count samples by value.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    bins: number of bins; 0: one per value of u8 and u16; 0..16777216
    lo: lower edge of the first bin; any finite number
    hi: upper edge of the last bin; any finite number
    range: range of the bins; auto without lo and hi: all of u8, u16, else data; auto, given or data
    channels: channels counted; each, colour or luma
    last_closed: True: the last bin includes hi; False or True
    cumulative: True: each bin includes those before it; False or True
    density: True: fractions per sample unit; cumulative: fractions; False or True
    edges: edges of the bins, in order; excludes bins, lo, hi and range; row of numbers; uint8, int8, uint16, int16,
        uint32, int32, float32 or float64
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    counts: a row of bins per channel, u64; with density f64
    outside: a row per channel: samples below, above, and NaN, u64
    edges: edges of the bins, f64

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["histogram"], client, (src, edges,), (bins, lo, hi, range, channels, last_closed, cumulative,
                 density,), out, channel_axis)


def reduce(src: Data, op: Literal["sum", "product", "min", "max", "argmin", "argmax", "mean", "var", "std", "l1",
           "l2", "linf", "count", "any", "all", "affine", "matmul2"] = "sum", axis: Literal["all", "rows", "cols"] =
           "all", ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow: Literal["error", "wrap"]
           = "error", *, segments: ArrayLike | None = None, out: Array | None = None, channel_axis: int |
           Literal["auto"] | None = "auto", client: Client | None = None) -> numpy.ndarray | numpy.generic:
    """Reduce every channel, row or column to one value.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    op: reduction of each sequence; sum, product, min, max, argmin, argmax, mean, var, std, l1, l2, linf, count,
        any, all, affine or matmul2
    axis: what forms a sequence; all, rows or cols
    ddof: var and std divide by the number of elements minus this; 0..4294967295
    nan: treatment of NaN; propagate or omit
    overflow: treatment of integer sums and products beyond 64 bits; error or wrap
    segments: offsets: each segment of a channel is a sequence of its own; row of numbers; uint32, int32, uint64 or
        int64
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    reduced: one value per sequence; reduced sides become 1

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["reduce"], client, (src, segments,), (op, axis, ddof, nan, overflow,), out, channel_axis)


def stats(src: Data, ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow: Literal["error",
          "wrap"] = "error", *, out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int |
          Literal["auto"] | None = "auto", client: Client | None = None) -> StatsResult:
    """Statistics of every channel in one pass.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    ddof: var and std divide by the number of elements minus this; 0..4294967295
    nan: treatment of NaN; propagate or omit
    overflow: treatment of integer sums beyond 64 bits; error or wrap
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    counts: per channel a row of count, argmin, argmax, nan
    range: per channel a row of min, max
    sums: per channel the sum
    reals: per channel a row of mean, var, std, l1, l2, linf

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["stats"], client, (src,), (ddof, nan, overflow,), out, channel_axis)


def dot(a: Data, b: Data, axis: Literal["all", "rows", "cols"] = "all", *, out: Array | None = None, channel_axis:
        int | Literal["auto"] | None = "auto", client: Client | None = None) -> numpy.ndarray | numpy.generic:
    """Dot product of every channel, row or column.

    Parameters
    ----------
    a: picture or array; picture or array of 1 to 4 channels; float32 or float64
    b: another of the same shape and dtype; picture or array of 1 to 4 channels; float32 or float64
    axis: what forms a sequence; all, rows or cols
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    reduced: one f64 per sequence; reduced sides become 1

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["dot"], client, (a, b,), (axis,), out, channel_axis)


def scan(src: Data, op: Literal["sum", "product", "min", "max"] = "sum", axis: Literal["all", "rows", "cols"] =
         "all", exclusive: bool = False, reverse: bool = False, initial: float = 0.0, dtype: Any = "same", overflow:
         Literal["error", "wrap"] = "error", start: Literal["first", "initial"] = "first", *, segments: ArrayLike |
         None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client
         | None = None) -> Array:
    """Running sum, product, minimum or maximum.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    op: operator; sum, product, min or max
    axis: what forms a sequence; all, rows or cols
    exclusive: True: each result leaves out its own element; False or True
    reverse: True: from the last element to the first; False or True
    initial: value before the first element, with start=initial; any finite number
    dtype: type of the result; same: 64 bits for sums and products of integers; same, u32, i32, u64, i64, f32 or f64
    overflow: treatment of integer results that do not fit their type; error or wrap
    start: start of a sequence; first or initial
    segments: offsets: each segment of a channel is a sequence of its own; row of numbers; uint32, int32, uint64 or
        int64
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: running results, one per element

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["scan"], client, (src, segments,), (op, axis, exclusive, reverse, initial, dtype, overflow,
                 start,), out, channel_axis)


def recurrence(src: Data, a: float = 1.0, b: float = 1.0, initial: float = 0.0, start: Literal["first", "initial"] =
               "first", axis: Literal["all", "rows", "cols"] = "all", *, out: Array | None = None, channel_axis: int
               | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """First-order recurrence y[i] = a*y[i-1] + b*x[i].

    Parameters
    ----------
    src: picture or array x; picture or array of 1 to 4 channels; float32 or float64
    a: factor of the previous result; above 1 in magnitude it may overflow; any finite number
    b: factor of the element; any finite number
    initial: the result before the first element, with start=initial; any finite number
    start: start of a sequence; first or initial
    axis: what forms a sequence; all, rows or cols
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: y

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["recurrence"], client, (src,), (a, b, initial, start, axis,), out, channel_axis)


def integral(src: Data, square: bool = False, pad: bool = False, dtype: Any = "same", *, out: Array | None = None,
             channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Sums over all pixels above and to the left.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or float32
    square: True: sums of the squared samples; False or True
    pad: True: prepend a row and a column of zeros; False or True
    dtype: type of the sums; same: one that holds them, u32 or u64, f64 for f32; same, u32, u64, f32 or f64
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: sums that include their own pixel

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["integral"], client, (src,), (square, pad, dtype,), out, channel_axis)


def select(src: Data, lo: float = -1.7976931348623157e+308, hi: float = 1.7976931348623157e+308, capacity: int = 0,
           *, out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int | Literal["auto"] | None =
           "auto", client: Client | None = None) -> SelectResult:
    """Select the samples in a range, in order.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    lo: smallest value selected; default: no bound; any finite number
    hi: largest value selected; default: no bound; any finite number
    capacity: capacity of a row in samples; 0: all of a channel; 0..4294967295
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    values: per channel a row of the selected samples; then 0, for floats NaN; cut at the largest count
    indices: per channel a row of their indices, u64; then 2^64-1; cut at the largest count
    count: per channel the number selected, also beyond the capacity, u64

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["select"], client, (src,), (lo, hi, capacity,), out, channel_axis)


def convolve1d(src: Data, kernel: Data, mode: Literal["same", "full", "valid"] = "same", axis: Literal["all",
               "rows", "cols"] = "rows", border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] =
               "replicate", border_value: float = 0.0, anchor: int | None = None, overflow: Literal["error", "wrap"]
               = "error", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client:
               Client | None = None) -> Array:
    """Convolve rows or columns with a kernel.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, float32
        or float64
    kernel: one row of 1 to 65535 taps, dtype of src; flipped; array of one channel; uint8, int8, uint16, int16,
        uint32, int32, float32 or float64
    mode: which results are computed; same, full or valid
    axis: what forms a sequence: rows or cols; all, rows or cols
    border: elements outside, with mode=same; replicate, wrap, reflect, reflect101 or constant
    border_value: elements outside, with border=constant; any finite number
    anchor: the kernel's origin; default: the middle, rounded down; 0..65534
    overflow: treatment of integers whose sums may exceed 64 bits; error or wrap
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: filtered picture or array; i64 for integers

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["convolve1d"], client, (src, kernel,), (mode, axis, border, border_value, anchor, overflow,),
                 out, channel_axis)


def correlate1d(src: Data, kernel: Data, mode: Literal["same", "full", "valid"] = "same", axis: Literal["all",
                "rows", "cols"] = "rows", border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"]
                = "replicate", border_value: float = 0.0, anchor: int | None = None, overflow: Literal["error",
                "wrap"] = "error", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto",
                client: Client | None = None) -> Array:
    """Correlate rows or columns with a kernel.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, float32
        or float64
    kernel: one row of 1 to 65535 taps, dtype of src; array of one channel; uint8, int8, uint16, int16, uint32,
        int32, float32 or float64
    mode: which results are computed; same, full or valid
    axis: what forms a sequence: rows or cols; all, rows or cols
    border: elements outside, with mode=same; replicate, wrap, reflect, reflect101 or constant
    border_value: elements outside, with border=constant; any finite number
    anchor: the kernel's origin; default: the middle, rounded down; 0..65534
    overflow: treatment of integers whose sums may exceed 64 bits; error or wrap
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: filtered picture or array; i64 for integers

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["correlate1d"], client, (src, kernel,), (mode, axis, border, border_value, anchor, overflow,),
                 out, channel_axis)


def matmul(a: Data, b: Data, overflow: Literal["error", "wrap"] = "error", *, out: Array | None = None,
           channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Product of two matrices.

    Parameters
    ----------
    a: matrix, as many columns as b has rows; array of one channel; int8, int16, int32, float32 or float64
    b: matrix of the same dtype; array of one channel; int8, int16, int32, float32 or float64
    overflow: treatment of integers whose sums may exceed 64 bits; error or wrap
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    product: as many rows as a, as many columns as b; i64 for integers

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["matmul"], client, (a, b,), (overflow,), out, channel_axis)


class Steps:
    """The operations as methods of a pipe."""

    def _step(self, op: Op, others: tuple, values: tuple) -> Pipe:
        raise NotImplementedError

    def correlate(self, mask: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
                  "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, normalize:
                  Literal["none", "sum", "abs-sum"] = "none", anchor: Ints | None = None, size: Literal["same",
                  "valid"] = "same", alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
                  Literal["encoded", "linear"] = "encoded", dtype: Any = "same") -> Pipe:
        """Correlate with a mask; see gpufilter.correlate()."""
        return self._step(OPS["correlate"], (mask,), (scale, offset, border, border_value, normalize, anchor, size,
                          alpha, light, dtype,))

    def convolve(self, mask: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
                 "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, normalize:
                 Literal["none", "sum", "abs-sum"] = "none", anchor: Ints | None = None, size: Literal["same",
                 "valid"] = "same", alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
                 Literal["encoded", "linear"] = "encoded", dtype: Any = "same") -> Pipe:
        """Convolve with a mask; see gpufilter.convolve()."""
        return self._step(OPS["convolve"], (mask,), (scale, offset, border, border_value, normalize, anchor, size,
                          alpha, light, dtype,))

    def gaussian(self, sigma: Floats = 2.0, truncate: float = 4.0, border: Literal["replicate", "wrap", "reflect",
                 "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
                 "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] =
                 "encoded") -> Pipe:
        """Gaussian blur; see gpufilter.gaussian()."""
        return self._step(OPS["gaussian"], (), (sigma, truncate, border, border_value, alpha, light,))

    def box(self, size: Ints = 3, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
            "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
            "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] =
            "encoded") -> Pipe:
        """Mean over a rectangle; see gpufilter.box()."""
        return self._step(OPS["box"], (), (size, scale, offset, border, border_value, alpha, light,))

    def sharpen(self, amount: float = 1.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"]
                = "replicate", border_value: Floats = 0.0, alpha: Literal["auto", "premultiplied", "straight",
                "ignore"] = "auto", light: Literal["encoded", "linear"] = "encoded") -> Pipe:
        """Sharpen with a 3x3 mask; see gpufilter.sharpen()."""
        return self._step(OPS["sharpen"], (), (amount, border, border_value, alpha, light,))

    def unsharp(self, sigma: Floats = 1.0, truncate: float = 4.0, amount: float = 1.0, threshold: float = 0.0,
                border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
                border_value: Floats = 0.0, alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto",
                light: Literal["encoded", "linear"] = "encoded") -> Pipe:
        """Sharpen by the difference from a Gaussian blur; see gpufilter.unsharp()."""
        return self._step(OPS["unsharp"], (), (sigma, truncate, amount, threshold, border, border_value, alpha,
                          light,))

    def sobel(self, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float = 0.0,
              border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value:
              Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same") -> Pipe:
        """Gradient by the Sobel masks; see gpufilter.sobel()."""
        return self._step(OPS["sobel"], (), (output, scale, offset, border, border_value, alpha, dtype,))

    def scharr(self, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float =
               0.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
               border_value: Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any =
               "same") -> Pipe:
        """Gradient by the Scharr masks; see gpufilter.scharr()."""
        return self._step(OPS["scharr"], (), (output, scale, offset, border, border_value, alpha, dtype,))

    def prewitt(self, output: Literal["magnitude", "dx", "dy"] = "magnitude", scale: float = 1.0, offset: float =
                0.0, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate",
                border_value: Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any =
                "same") -> Pipe:
        """Gradient by the Prewitt masks; see gpufilter.prewitt()."""
        return self._step(OPS["prewitt"], (), (output, scale, offset, border, border_value, alpha, dtype,))

    def laplacian(self, connectivity: Literal["4", "8"] = "4", scale: float = 1.0, offset: float = 0.0, border:
                  Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value:
                  Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same") -> Pipe:
        """Sum of the second differences; see gpufilter.laplacian()."""
        return self._step(OPS["laplacian"], (), (connectivity, scale, offset, border, border_value, alpha, dtype,))

    def log(self, sigma: Floats = 2.0, truncate: float = 4.0, scale: float = 1.0, offset: float = 0.0, border:
            Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value: Floats =
            0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", dtype: Any = "same") -> Pipe:
        """Laplacian of a Gaussian; see gpufilter.log()."""
        return self._step(OPS["log"], (), (sigma, truncate, scale, offset, border, border_value, alpha, dtype,))

    def emboss(self, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap", "reflect",
               "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, alpha: Literal["auto",
               "premultiplied", "straight", "ignore"] = "auto", light: Literal["encoded", "linear"] =
               "encoded") -> Pipe:
        """Relief lit from the lower right; see gpufilter.emboss()."""
        return self._step(OPS["emboss"], (), (scale, offset, border, border_value, alpha, light,))

    def map(self, scale: float = 1.0, offset: float = 0.0, gamma: float = 1.0, range: Literal["value", "full"] =
            "value", dtype: Any = "same", alpha: Literal["auto", "straight", "ignore"] = "auto", *, table: ArrayLike
            | None = None) -> Pipe:
        """Apply one formula or table to every sample; see gpufilter.map()."""
        return self._step(OPS["map"], (table,), (scale, offset, gamma, range, dtype, alpha,))

    def combine(self, other: Data, mode: Literal["linear", "absdiff", "mul", "min", "max", "magnitude"] = "linear",
                a: float = 1.0, b: float = 1.0, c: float = 0.0, dtype: Any = "same", alpha: Literal["auto",
                "straight", "ignore"] = "auto") -> Pipe:
        """Combine two pictures sample by sample; see gpufilter.combine()."""
        return self._step(OPS["combine"], (other,), (mode, a, b, c, dtype, alpha,))

    def compare(self, b: Data, nan: Literal["propagate", "omit"] = "propagate") -> Pipe:
        """Measure how far two pictures or arrays differ; see gpufilter.compare()."""
        return self._step(OPS["compare"], (b,), (nan,))

    def threshold(self, mode: Literal["auto", "fixed", "otsu"] = "auto", value: float | None = None, bins: int =
                  256, alpha: Literal["auto", "straight", "ignore"] = "auto", channels: Literal["luma", "each"] =
                  "luma") -> Pipe:
        """Make samples black or white by a threshold; see gpufilter.threshold()."""
        return self._step(OPS["threshold"], (), (mode, value, bins, alpha, channels,))

    def equalize(self, alpha: Literal["auto", "straight", "ignore"] = "auto") -> Pipe:
        """Equalize the histogram of each colour; see gpufilter.equalize()."""
        return self._step(OPS["equalize"], (), (alpha,))

    def autocontrast(self, nan: Literal["propagate", "omit"] = "omit", alpha: Literal["auto", "straight", "ignore"]
                     = "auto") -> Pipe:
        """Stretch each colour over the full range; see gpufilter.autocontrast()."""
        return self._step(OPS["autocontrast"], (), (nan, alpha,))

    def copy(self, channel: int = 0) -> Pipe:
        """Copy samples of all channels or of one; see gpufilter.copy()."""
        return self._step(OPS["copy"], (), (channel,))

    def histogram(self, bins: int = 0, lo: float = 0.0, hi: float = 0.0, range: Literal["auto", "given", "data"] =
                  "auto", channels: Literal["each", "colour", "luma"] = "each", last_closed: bool = False,
                  cumulative: bool = False, density: bool = False, *, edges: ArrayLike | None = None) -> Pipe:
        """Count samples by value; see gpufilter.histogram()."""
        return self._step(OPS["histogram"], (edges,), (bins, lo, hi, range, channels, last_closed, cumulative,
                          density,))

    def reduce(self, op: Literal["sum", "product", "min", "max", "argmin", "argmax", "mean", "var", "std", "l1",
               "l2", "linf", "count", "any", "all", "affine", "matmul2"] = "sum", axis: Literal["all", "rows",
               "cols"] = "all", ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow:
               Literal["error", "wrap"] = "error", *, segments: ArrayLike | None = None) -> Pipe:
        """Reduce every channel, row or column to one value; see gpufilter.reduce()."""
        return self._step(OPS["reduce"], (segments,), (op, axis, ddof, nan, overflow,))

    def stats(self, ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow: Literal["error",
              "wrap"] = "error") -> Pipe:
        """Statistics of every channel in one pass; see gpufilter.stats()."""
        return self._step(OPS["stats"], (), (ddof, nan, overflow,))

    def dot(self, b: Data, axis: Literal["all", "rows", "cols"] = "all") -> Pipe:
        """Dot product of every channel, row or column; see gpufilter.dot()."""
        return self._step(OPS["dot"], (b,), (axis,))

    def scan(self, op: Literal["sum", "product", "min", "max"] = "sum", axis: Literal["all", "rows", "cols"] =
             "all", exclusive: bool = False, reverse: bool = False, initial: float = 0.0, dtype: Any = "same",
             overflow: Literal["error", "wrap"] = "error", start: Literal["first", "initial"] = "first", *,
             segments: ArrayLike | None = None) -> Pipe:
        """Running sum, product, minimum or maximum; see gpufilter.scan()."""
        return self._step(OPS["scan"], (segments,), (op, axis, exclusive, reverse, initial, dtype, overflow,
                          start,))

    def recurrence(self, a: float = 1.0, b: float = 1.0, initial: float = 0.0, start: Literal["first", "initial"] =
                   "first", axis: Literal["all", "rows", "cols"] = "all") -> Pipe:
        """First-order recurrence y[i] = a*y[i-1] + b*x[i]; see gpufilter.recurrence()."""
        return self._step(OPS["recurrence"], (), (a, b, initial, start, axis,))

    def integral(self, square: bool = False, pad: bool = False, dtype: Any = "same") -> Pipe:
        """Sums over all pixels above and to the left; see gpufilter.integral()."""
        return self._step(OPS["integral"], (), (square, pad, dtype,))

    def select(self, lo: float = -1.7976931348623157e+308, hi: float = 1.7976931348623157e+308, capacity: int =
               0) -> Pipe:
        """Select the samples in a range, in order; see gpufilter.select()."""
        return self._step(OPS["select"], (), (lo, hi, capacity,))

    def convolve1d(self, kernel: Data, mode: Literal["same", "full", "valid"] = "same", axis: Literal["all", "rows",
                   "cols"] = "rows", border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] =
                   "replicate", border_value: float = 0.0, anchor: int | None = None, overflow: Literal["error",
                   "wrap"] = "error") -> Pipe:
        """Convolve rows or columns with a kernel; see gpufilter.convolve1d()."""
        return self._step(OPS["convolve1d"], (kernel,), (mode, axis, border, border_value, anchor, overflow,))

    def correlate1d(self, kernel: Data, mode: Literal["same", "full", "valid"] = "same", axis: Literal["all",
                    "rows", "cols"] = "rows", border: Literal["replicate", "wrap", "reflect", "reflect101",
                    "constant"] = "replicate", border_value: float = 0.0, anchor: int | None = None, overflow:
                    Literal["error", "wrap"] = "error") -> Pipe:
        """Correlate rows or columns with a kernel; see gpufilter.correlate1d()."""
        return self._step(OPS["correlate1d"], (kernel,), (mode, axis, border, border_value, anchor, overflow,))

    def matmul(self, b: Data, overflow: Literal["error", "wrap"] = "error") -> Pipe:
        """Product of two matrices; see gpufilter.matmul()."""
        return self._step(OPS["matmul"], (b,), (overflow,))


__all__ = ["correlate", "convolve", "gaussian", "box", "sharpen", "unsharp", "sobel", "scharr", "prewitt",
           "laplacian", "log", "emboss", "map", "combine", "compare", "threshold", "equalize", "autocontrast",
           "copy", "histogram", "reduce", "stats", "dot", "scan", "recurrence", "integral", "select", "convolve1d",
           "correlate1d", "matmul", "CompareResult", "HistogramResult", "StatsResult", "SelectResult"]
