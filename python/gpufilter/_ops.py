# SPDX-License-Identifier: MIT
# Printed by python/generate.py from the tables in protocol/; do not edit.
"""The operations as functions, and their table. Each is run by a Client; the calls are in _calls.py."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._calls import call as _call
from ._program import OPS, Input, Op, Output, Param

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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


class Histogram2dResult(NamedTuple):
    """What histogram2d returns."""

    counts: numpy.ndarray
    outside: numpy.ndarray
    edges: numpy.ndarray
    edges2: numpy.ndarray


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


class Nv12Result(NamedTuple):
    """What nv12 returns."""

    y: numpy.ndarray
    uv: numpy.ndarray


class I420Result(NamedTuple):
    """What i420 returns."""

    y: numpy.ndarray
    u: numpy.ndarray
    v: numpy.ndarray


class TopkResult(NamedTuple):
    """What topk returns."""

    values: numpy.ndarray
    indices: numpy.ndarray


class LabelResult(NamedTuple):
    """What label returns."""

    labels: numpy.ndarray
    areas: numpy.ndarray
    boxes: numpy.ndarray
    count: numpy.ndarray


class MatchResult(NamedTuple):
    """What match returns."""

    scores: numpy.ndarray
    found: numpy.ndarray
    count: numpy.ndarray


OPS["correlate"] = Op("correlate", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", False, ("f32",))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32",
    1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("normalize",
    "enum", 1, "none"), Param("anchor", "u32", 2, None), Param("size", "enum", 1, "same"), Param("alpha", "enum", 1,
    "auto"), Param("light", "enum", 1, "encoded"), Param("dtype", "enum", 1, "same")), None)
OPS["convolve"] = Op("convolve", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", False, ("f32",))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32",
    1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("normalize",
    "enum", 1, "none"), Param("anchor", "u32", 2, None), Param("size", "enum", 1, "same"), Param("alpha", "enum", 1,
    "auto"), Param("light", "enum", 1, "encoded"), Param("dtype", "enum", 1, "same")), None)
OPS["gaussian"] = Op("gaussian", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("sigma", "f32", 2, 2.0), Param("truncate", "f32", 1, 4.0), Param("border", "enum", 1,
    "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1,
    "encoded")), None)
OPS["box"] = Op("box", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("size", "u32", 2, 3), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0),
    Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["sharpen"] = Op("sharpen", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("amount", "f32", 1, 1.0), Param("border", "enum", 1, "replicate"), Param("border_value",
    "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["unsharp"] = Op("unsharp", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("sigma", "f32", 2, 1.0), Param("truncate", "f32", 1, 4.0), Param("amount", "f32", 1, 1.0),
    Param("threshold", "f32", 1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4,
    0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["sobel"] = Op("sobel", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1,
    0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["scharr"] = Op("scharr", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1,
    0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["prewitt"] = Op("prewitt", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("output", "enum", 1, "magnitude"), Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1,
    0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1,
    "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["laplacian"] = Op("laplacian", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),),
    (Output("dst", "picture"),), (Param("connectivity", "enum", 1, "4"), Param("scale", "f32", 1, 1.0),
    Param("offset", "f32", 1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0),
    Param("alpha", "enum", 1, "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["log"] = Op("log", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("sigma", "f32", 2, 2.0), Param("truncate", "f32", 1, 4.0), Param("scale", "f32", 1, 1.0),
    Param("offset", "f32", 1, 0.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0),
    Param("alpha", "enum", 1, "auto"), Param("dtype", "enum", 1, "same")), None)
OPS["emboss"] = Op("emboss", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("scale", "f32", 1, 1.0), Param("offset", "f32", 1, 0.0), Param("border", "enum", 1,
    "replicate"), Param("border_value", "f32", 4, 0.0), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1,
    "encoded")), None)
OPS["bilateral"] = Op("bilateral", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),),
    (Output("dst", "picture"),), (Param("radius", "u32", 1, 0), Param("sigma_colour", "f32", 1, None),
    Param("sigma_space", "f32", 1, 2.0), Param("border", "enum", 1, "replicate"), Param("border_value", "f32", 4,
    0.0), Param("alpha", "enum", 1, "auto")), None)
OPS["map"] = Op("map", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("table", "list",
    True, ("u8", "u16", "i16", "f32"))), (Output("dst", "picture"),), (Param("scale", "f32", 1, 1.0),
    Param("offset", "f32", 1, 0.0), Param("gamma", "f32", 1, 1.0), Param("range", "enum", 1, "value"),
    Param("dtype", "enum", 1, "same"), Param("alpha", "enum", 1, "auto")), None)
OPS["combine"] = Op("combine", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("other",
    "image", False, ("u8", "u16", "i16", "f32", "f16"))), (Output("dst", "picture"),), (Param("mode", "enum", 1,
    "linear"), Param("a", "f32", 1, 1.0), Param("b", "f32", 1, 1.0), Param("c", "f32", 1, 0.0), Param("dtype",
    "enum", 1, "same"), Param("alpha", "enum", 1, "auto")), None)
OPS["compare"] = Op("compare", (Input("a", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")), Input("b", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32",
    "f64"))), (Output("counts", "rows"), Output("errors", "rows")), (Param("nan", "enum", 1, "propagate"),),
    CompareResult)
OPS["threshold"] = Op("threshold", (Input("src", "image", False, ("u8", "u16", "i16", "f32")),), (Output("dst",
    "picture"),), (Param("mode", "enum", 1, "auto"), Param("value", "f32", 1, None), Param("bins", "u32", 1, 256),
    Param("alpha", "enum", 1, "auto"), Param("channels", "enum", 1, "luma")), None)
OPS["equalize"] = Op("equalize", (Input("src", "image", False, ("u8", "u16", "i16")),), (Output("dst", "picture"),),
    (Param("alpha", "enum", 1, "auto"),), None)
OPS["autocontrast"] = Op("autocontrast", (Input("src", "image", False, ("u8", "u16", "i16", "f32")),),
    (Output("dst", "picture"),), (Param("nan", "enum", 1, "omit"), Param("alpha", "enum", 1, "auto")), None)
OPS["copy"] = Op("copy", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("channel", "u32", 1, 0),), None)
OPS["clahe"] = Op("clahe", (Input("src", "image", False, ("u8", "u16", "i16")),), (Output("dst", "picture"),),
    (Param("clip", "f64", 1, 2.0), Param("tiles", "u32", 2, 8), Param("alpha", "enum", 1, "auto")), None)
OPS["expr"] = Op("expr", (Input("a", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32",
    "f64", "f16")), Input("b", "buffer", True, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64",
    "f16")), Input("c", "buffer", True, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64",
    "f16")), Input("d", "buffer", True, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64",
    "f16"))), (Output("dst", "picture"),), (Param("expression", "text", 1, None), Param("set", "text", 1, None),
    Param("dtype", "enum", 1, "same"), Param("alpha", "enum", 1, "auto")), None)
OPS["histogram"] = Op("histogram", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64",
    "i64", "f32", "f64")), Input("edges", "list", True, ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "f64"))),
    (Output("counts", "rows"), Output("outside", "rows"), Output("edges", "row")), (Param("bins", "u32", 1, 0),
    Param("lo", "f64", 1, 0.0), Param("hi", "f64", 1, 0.0), Param("range", "enum", 1, "auto"), Param("channels",
    "enum", 1, "each"), Param("last_closed", "flag", 1, False), Param("cumulative", "flag", 1, False),
    Param("density", "flag", 1, False)), HistogramResult)
OPS["histogram2d"] = Op("histogram2d", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32",
    "u64", "i64", "f32", "f64")), Input("src2", "buffer", True, ("u8", "i8", "u16", "i16", "u32", "i32", "u64",
    "i64", "f32", "f64"))), (Output("counts", "matrix"), Output("outside", "row"), Output("edges", "row"),
    Output("edges2", "row")), (Param("bins", "u32", 2, 0), Param("lo", "f64", 2, 0.0), Param("hi", "f64", 2, 0.0),
    Param("range", "enum", 1, "auto"), Param("channels", "u32", 2, None), Param("last_closed", "flag", 1, False)),
    Histogram2dResult)
OPS["reduce"] = Op("reduce", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64")), Input("segments", "list", True, ("u32", "i32", "u64", "i64"))), (Output("reduced", "reduced"),),
    (Param("op", "enum", 1, "sum"), Param("axis", "enum", 1, "all"), Param("ddof", "u32", 1, 0), Param("nan",
    "enum", 1, "propagate"), Param("overflow", "enum", 1, "error"), Param("lift", "text", 1, None), Param("combine",
    "text", 1, None), Param("identity", "text", 1, None), Param("finish", "text", 1, None), Param("set", "text", 1,
    None)), None)
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
    Param("overflow", "enum", 1, "error"), Param("start", "enum", 1, "first"), Param("lift", "text", 1, None),
    Param("combine", "text", 1, None), Param("identity", "text", 1, None), Param("finish", "text", 1, None),
    Param("set", "text", 1, None)), None)
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
OPS["crop"] = Op("crop", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("at", "u32", 2, 0)),
    None)
OPS["pad"] = Op("pad", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32",
    "f64", "f16")),), (Output("dst", "picture"),), (Param("margin", "u32", 4, None), Param("border", "enum", 1,
    "constant"), Param("border_value", "f64", 4, 0.0)), None)
OPS["flip"] = Op("flip", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("axis", "enum", 1, "x"),), None)
OPS["rotate"] = Op("rotate", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("angle", "enum", 1, "90"),), None)
OPS["transpose"] = Op("transpose", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64",
    "i64", "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("diagonal", "enum", 1, "main"),), None)
OPS["resize"] = Op("resize", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("size", "u32", 2, None), Param("scale", "f64", 2, None), Param("fit", "u32", 2, None),
    Param("fill", "u32", 2, None), Param("filter", "enum", 1, "cubic"), Param("antialias", "flag", 1, True),
    Param("box", "f64", 4, None), Param("alpha", "enum", 1, "auto"), Param("light", "enum", 1, "encoded")), None)
OPS["gray"] = Op("gray", (Input("src", "image", False, ("u8", "u16", "i16", "f32")),), (Output("dst", "picture"),),
    (Param("standard", "enum", 1, "bt601"), Param("weights", "f32", 3, None), Param("alpha", "enum", 1, "keep")),
    None)
OPS["matrix"] = Op("matrix", (Input("src", "image", False, ("u8", "u16", "i16", "f32")), Input("coefs", "coefs",
    False, ("f32",))), (Output("dst", "picture"),), (Param("dtype", "enum", 1, "same"),), None)
OPS["ycbcr"] = Op("ycbcr", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("standard", "enum", 1, "bt601"), Param("range", "enum", 1, "full"), Param("alpha", "enum", 1, "keep")),
    None)
OPS["hsv"] = Op("hsv", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("turn", "u32", 1, 0), Param("alpha", "enum", 1, "keep")), None)
OPS["rgb"] = Op("rgb", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("model", "enum", 1, "ycbcr"), Param("standard", "enum", 1, "bt601"), Param("range", "enum", 1, "full"),
    Param("turn", "u32", 1, 0), Param("alpha", "enum", 1, "keep")), None)
OPS["flatten"] = Op("flatten", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("dst", "picture"),),
    (Param("colour", "f32", 3, 0.0),), None)
OPS["merge"] = Op("merge", (Input("src", "image", False, ("u8", "u16", "i16", "f32")), Input("src2", "image", True,
    ("u8", "u16", "i16", "f32")), Input("src3", "image", True, ("u8", "u16", "i16", "f32")), Input("src4", "image",
    True, ("u8", "u16", "i16", "f32"))), (Output("dst", "picture"),), (Param("order", "u32", 4, None),), None)
OPS["normalize"] = Op("normalize", (Input("src", "image", False, ("u8", "u16", "i16", "f32")),), (Output("dst",
    "picture"),), (Param("mean", "f32", 4, 0.0), Param("std", "f32", 4, 1.0), Param("range", "enum", 1, "value")),
    None)
OPS["nv12"] = Op("nv12", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("y", "picture"),
    Output("uv", "picture")), (Param("standard", "enum", 1, "bt601"), Param("range", "enum", 1, "video")),
    Nv12Result)
OPS["i420"] = Op("i420", (Input("src", "image", False, ("u8", "u16", "f32")),), (Output("y", "picture"), Output("u",
    "picture"), Output("v", "picture")), (Param("standard", "enum", 1, "bt601"), Param("range", "enum", 1,
    "video")), I420Result)
OPS["rgb420"] = Op("rgb420", (Input("src", "image", False, ("u8", "u16", "f32")), Input("chroma", "image", False,
    ("u8", "u16", "f32")), Input("cr", "image", True, ("u8", "u16", "f32"))), (Output("dst", "picture"),),
    (Param("standard", "enum", 1, "bt601"), Param("range", "enum", 1, "video")), None)
OPS["median"] = Op("median", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("size", "u32", 2, 3), Param("border", "enum", 1, "replicate"), Param("border_value", "f32",
    4, 0.0)), None)
OPS["rank"] = Op("rank", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("index", "f32", 1, None), Param("size", "u32", 2, 3), Param("border", "enum", 1,
    "replicate"), Param("border_value", "f32", 4, 0.0)), None)
OPS["percentile"] = Op("percentile", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),),
    (Output("dst", "picture"),), (Param("percent", "f64", 1, None), Param("size", "u32", 2, 3), Param("border",
    "enum", 1, "replicate"), Param("border_value", "f32", 4, 0.0)), None)
OPS["sort"] = Op("sort", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("dst", "picture"),), (Param("axis", "enum", 1, "all"), Param("descending",
    "flag", 1, False)), None)
OPS["topk"] = Op("topk", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("values", "top"), Output("indices", "top")), (Param("k", "u32", 1, 1),
    Param("axis", "enum", 1, "all"), Param("smallest", "flag", 1, False)), TopkResult)
OPS["quantile"] = Op("quantile", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64",
    "i64", "f32", "f64")), Input("segments", "list", True, ("u32", "i32", "u64", "i64"))), (Output("values",
    "quantiles"),), (Param("q", "f64", 4, 0.5), Param("method", "enum", 1, "linear"), Param("axis", "enum", 1,
    "all"), Param("nan", "enum", 1, "propagate")), None)
OPS["argsort"] = Op("argsort", (Input("src", "buffer", False, ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64",
    "f32", "f64", "f16")),), (Output("indices", "picture"),), (Param("axis", "enum", 1, "all"), Param("descending",
    "flag", 1, False)), None)
OPS["erode"] = Op("erode", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask", "coefs",
    True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum", 1,
    "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["dilate"] = Op("dilate", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["opening"] = Op("opening", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["closing"] = Op("closing", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["gradient"] = Op("gradient", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["tophat"] = Op("tophat", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["blackhat"] = Op("blackhat", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")), Input("mask",
    "coefs", True, ("f32",))), (Output("dst", "picture"),), (Param("size", "u32", 2, None), Param("shape", "enum",
    1, "rect"), Param("anchor", "u32", 2, None), Param("iterations", "u32", 1, 1), Param("border", "enum", 1,
    "constant"), Param("border_value", "f32", 4, None), Param("alpha", "enum", 1, "auto")), None)
OPS["label"] = Op("label", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("labels",
    "picture"), Output("areas", "counted"), Output("boxes", "boxes"), Output("count", "values")),
    (Param("connectivity", "enum", 1, "4"), Param("capacity", "u32", 1, 0)), LabelResult)
OPS["distance"] = Op("distance", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("squared", "flag", 1, False),), None)
OPS["canny"] = Op("canny", (Input("src", "image", False, ("u8", "u16", "i16")),), (Output("dst", "picture"),),
    (Param("low", "f64", 1, 100.0), Param("high", "f64", 1, 200.0), Param("aperture", "enum", 1, "3"), Param("l2",
    "flag", 1, False)), None)
OPS["match"] = Op("match", (Input("src", "image", False, ("u8",)), Input("templ", "image", False, ("u8",))),
    (Output("scores", "picture"), Output("found", "boxes"), Output("count", "values")), (Param("method", "enum", 1,
    "ccoeff"), Param("peaks", "u32", 1, 1), Param("threshold", "f32", 1, None)), MatchResult)
OPS["pyramid"] = Op("pyramid", (Input("src", "image", False, ("u8", "u16", "i16", "f32", "f16")),), (Output("dst",
    "picture"),), (Param("level", "u32", 1, 1), Param("direction", "enum", 1, "down"), Param("border", "enum", 1,
    "reflect101")), None)


def correlate(src: Data, mask: Data, scale: float = 1.0, offset: float = 0.0, border: Literal["replicate", "wrap",
              "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, normalize:
              Literal["none", "sum", "abs-sum"] = "none", anchor: Ints | None = None, size: Literal["same", "valid"]
              = "same", alpha: Literal["auto", "premultiplied", "straight", "ignore"] = "auto", light:
              Literal["encoded", "linear"] = "encoded", dtype: Any = "same", *, out: Array | None = None,
              channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Correlate with a mask.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    dtype: type of the result; same: as the picture; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    dtype: type of the result; same: as the picture; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    output: which gradient; magnitude, dx or dy
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    connectivity: neighbours used; 4 or 8
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    sigma: standard deviation in pixels, one or x,y; 0.125..2047, up to 2 values
    truncate: radius of the masks in standard deviations; 0..64
    scale: factor before rounding; any finite number
    offset: offset before rounding, in sample units; any finite number
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    dtype: type of the result; same: f32; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
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


def bilateral(src: Data, radius: int = 0, sigma_colour: float | None = None, sigma_space: float = 2.0, border:
              Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value: Floats
              = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto", *, out: Array | None = None,
              channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Bilateral filter, which smooths and keeps edges.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    radius: radius of the disc in pixels; 0: 1.5 sigma_space, at least 1; 0..127
    sigma_colour: standard deviation of differences, in sample units; default: a tenth of MAX; 1.000000045813705e-18
        or more
    sigma_space: standard deviation of distances in pixels; 0.01..2047
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, straight or ignore
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: smoothed picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["bilateral"], client, (src,), (radius, sigma_colour, sigma_space, border, border_value,
                 alpha,), out, channel_axis)


def map(src: Data, scale: float = 1.0, offset: float = 0.0, gamma: float = 1.0, range: Literal["value", "full"] =
        "value", dtype: Any = "same", alpha: Literal["auto", "straight", "ignore"] = "auto", *, table: ArrayLike |
        None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client |
        None = None) -> Array:
    """Apply one formula or table to every sample.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    scale: factor; any finite number
    offset: offset after the factor, in sample units; any finite number
    gamma: exponent on samples scaled to 0..1; 1 changes nothing; 0.0078125..128
    range: conversion to another type; value or full
    dtype: type of the result; same: as the picture; same, u8, u16, i16, f32 or f16
    alpha: use of the alpha channel; auto, straight or ignore
    table: lookup table for u8, u16 or i16, in place of the formula; row of numbers; uint8, uint16, int16 or float32
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
    src: first picture, A; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    other: second picture, B, of the same shape and type; picture of 1 to 4 channels; uint8, uint16, int16, float32
        or float16
    mode: how two samples are combined; linear, absdiff, mul, min, max or magnitude
    a: factor of A, for mode linear; any finite number
    b: factor of B, for mode linear; any finite number
    c: constant, for mode linear, in sample units; any finite number
    dtype: type of the result; same: as the picture; same, u8, u16, i16, f32 or f16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16 or float32
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
    src: picture; picture of 1 to 4 channels; uint8, uint16 or int16
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
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16 or float32
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
        int64, float32, float64 or float16
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


def clahe(src: Data, clip: float = 2.0, tiles: Ints = 8, alpha: Literal["auto", "straight", "ignore"] = "auto", *,
          out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
          None) -> Array:
    """Equalize each colour tile by tile, with limited contrast.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or int16
    clip: most samples of one value, in means over all values; 0: no limit; 0..65536
    tiles: tiles along each axis, one number or WxH; 1..32, up to 2 values
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
    return _call(OPS["clahe"], client, (src,), (clip, tiles, alpha,), out, channel_axis)


def expr(a: Data, expression: str | None = None, set: str | Mapping[str, float] | None = None, dtype: Any = "same",
         alpha: Literal["auto", "straight", "ignore"] = "auto", *, b: Data | None = None, c: Data | None = None, d:
         Data | None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client:
         Client | None = None) -> Array:
    """Compute every sample by an expression.

    Parameters
    ----------
    a: picture or array a; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    expression: what each sample becomes, as in clamp(a*1.2 - b, 0, 255); up to 2048 characters
    set: values of parameters that the expression declares, as in gain=1.5, level=3; up to 256 characters
    dtype: type of the result; same: as a; same, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 or f16
    alpha: use of the alpha channel; auto, straight or ignore
    b: picture or array b, of the same sides, with as many channels or one; picture or array of 1 to 4 channels;
        uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32, float64 or float16
    c: picture or array c, likewise; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32,
        uint64, int64, float32, float64 or float16
    d: picture or array d, likewise; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32,
        uint64, int64, float32, float64 or float16
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: computed picture or array

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["expr"], client, (a, b, c, d,), (expression, set, dtype, alpha,), out, channel_axis)


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


def histogram2d(src: Data, bins: Ints = 0, lo: Floats = 0.0, hi: Floats = 0.0, range: Literal["auto", "given",
                "data"] = "auto", channels: Ints | None = None, last_closed: bool = False, *, src2: Data | None =
                None, out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int | Literal["auto"] | None
                = "auto", client: Client | None = None) -> Histogram2dResult:
    """Count pairs of samples, of two channels or pictures, by value.

    Parameters
    ----------
    src: picture or array with the first of each pair; picture or array of 1 to 4 channels; uint8, int8, uint16,
        int16, uint32, int32, uint64, int64, float32 or float64
    bins: number of bins of each; 0: one per value of u8 and u16; 0..16777216, up to 2 values
    lo: lower edge of the first bin of each; any finite number, up to 2 values
    hi: upper edge of the last bin of each; any finite number, up to 2 values
    range: range of the bins; auto without lo and hi: all of u8, u16, else data; auto, given or data
    channels: channel of each, from 1; default: 1,2 of one picture, 1,1 of two; 1..4, up to 2 values
    last_closed: True: the last bin of each includes hi; False or True
    src2: picture or array of the same size with the second; default: src; picture or array of 1 to 4 channels;
        uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32 or float64
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    counts: a row per bin of the first, with a count per bin of the second, u64
    outside: pairs beyond the bins, pairs with NaN, u64
    edges: edges of the bins of the first, f64
    edges2: edges of the bins of the second, f64

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["histogram2d"], client, (src, src2,), (bins, lo, hi, range, channels, last_closed,), out,
                 channel_axis)


def reduce(src: Data, op: Literal["sum", "product", "min", "max", "argmin", "argmax", "mean", "var", "std", "l1",
           "l2", "linf", "count", "any", "all", "affine", "matmul2", "user"] = "sum", axis: Literal["all", "rows",
           "cols"] = "all", ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow:
           Literal["error", "wrap"] = "error", lift: str | None = None, combine: str | None = None, identity: str |
           None = None, finish: str | None = None, set: str | Mapping[str, float] | None = None, *, segments:
           ArrayLike | None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto",
           client: Client | None = None) -> numpy.ndarray | numpy.generic:
    """Reduce every channel, row or column to one value.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    op: reduction of each sequence; sum, product, min, max, argmin, argmax, mean, var, std, l1, l2, linf, count,
        any, all, affine, matmul2 or user
    axis: what forms a sequence; all, rows or cols
    ddof: var and std divide by the number of elements minus this; 0..4294967295
    nan: treatment of NaN; propagate or omit
    overflow: treatment of integer sums and products beyond 64 bits; error or wrap
    lift: with op=user: 1 to 4 values that an element becomes, its state; none: a; up to 2048 characters
    combine: with op=user: the state of two that follow each other, as in a0 + b0; up to 2048 characters
    identity: with op=user: the state where there are no elements, as in 0; up to 2048 characters
    finish: with op=user: what a state becomes in the result; none: the state; up to 2048 characters
    set: with op=user: values of parameters that texts declare, as in gain=1.5, level=3; up to 256 characters
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
    return _call(OPS["reduce"], client, (src, segments,), (op, axis, ddof, nan, overflow, lift, combine, identity,
                 finish, set,), out, channel_axis)


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


def scan(src: Data, op: Literal["sum", "product", "min", "max", "user"] = "sum", axis: Literal["all", "rows",
         "cols"] = "all", exclusive: bool = False, reverse: bool = False, initial: float = 0.0, dtype: Any = "same",
         overflow: Literal["error", "wrap"] = "error", start: Literal["first", "initial"] = "first", lift: str |
         None = None, combine: str | None = None, identity: str | None = None, finish: str | None = None, set: str |
         Mapping[str, float] | None = None, *, segments: ArrayLike | None = None, out: Array | None = None,
         channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Running sum, product, minimum or maximum.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    op: operator; sum, product, min, max or user
    axis: what forms a sequence; all, rows or cols
    exclusive: True: each result leaves out its own element; False or True
    reverse: True: from the last element to the first; False or True
    initial: value before the first element, with start=initial; any finite number
    dtype: type of the result; same: 64 bits for sums and products of integers; same, u32, i32, u64, i64, f32 or f64
    overflow: treatment of integer results that do not fit their type; error or wrap
    start: start of a sequence; first or initial
    lift: with op=user: 1 to 4 values that an element becomes, its state; none: a; up to 2048 characters
    combine: with op=user: the state of two that follow each other, as in a0 + b0; up to 2048 characters
    identity: with op=user: the state where there are no elements, as in 0; up to 2048 characters
    finish: with op=user: what a state becomes in the result; none: the state; up to 2048 characters
    set: with op=user: values of parameters that texts declare, as in gain=1.5, level=3; up to 256 characters
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
                 start, lift, combine, identity, finish, set,), out, channel_axis)


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


def crop(src: Data, size: Ints | None = None, at: Ints = 0, *, out: Array | None = None, channel_axis: int |
         Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Cut out a window.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    size: sides of the window, one or WxH; default: all to the right and below; 1..4294967294, up to 2 values
    at: its first column and row, one or x,y; from 0; 0..4294967294, up to 2 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the window

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["crop"], client, (src,), (size, at,), out, channel_axis)


def pad(src: Data, margin: Ints | None = None, border: Literal["replicate", "wrap", "reflect", "reflect101",
        "constant"] = "constant", border_value: Floats = 0.0, *, out: Array | None = None, channel_axis: int |
        Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Put a margin around a picture.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    margin: pixels added: one number, x,y or left,top,right,bottom; must be given; 0..4294967294, up to 4 values
    border: pixels of the margin; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the picture with its margin

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["pad"], client, (src,), (margin, border, border_value,), out, channel_axis)


def flip(src: Data, axis: Literal["x", "y", "both"] = "x", *, out: Array | None = None, channel_axis: int |
         Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Mirror a picture.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    axis: along which the pixels change places; x, y or both
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: mirrored picture

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["flip"], client, (src,), (axis,), out, channel_axis)


def rotate(src: Data, angle: Literal["90", "180", "270"] = "90", *, out: Array | None = None, channel_axis: int |
           Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Rotate clockwise by 90, 180 or 270 degrees.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    angle: degrees, clockwise; 90, 180 or 270
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: rotated picture

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["rotate"], client, (src,), (angle,), out, channel_axis)


def transpose(src: Data, diagonal: Literal["main", "anti"] = "main", *, out: Array | None = None, channel_axis: int
              | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Make rows of columns.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    diagonal: pixels of which stay where they are; main or anti
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: transposed picture

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["transpose"], client, (src,), (diagonal,), out, channel_axis)


def resize(src: Data, size: Ints | None = None, scale: Floats | None = None, fit: Ints | None = None, fill: Ints |
           None = None, filter: Literal["nearest", "linear", "area", "cubic", "lanczos3"] = "cubic", antialias: bool
           = True, box: Floats | None = None, alpha: Literal["auto", "premultiplied", "straight"] = "auto", light:
           Literal["encoded", "linear"] = "encoded", *, out: Array | None = None, channel_axis: int |
           Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Change the size of a picture.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the result, one or WxH; 400x and x300 keep the shape; 0..65535, up to 2 values
    scale: sides of the result in those of the picture, one or x,y; 1e-05..65535, up to 2 values
    fit: the largest result of the same shape within WxH; 1..65535, up to 2 values
    fill: WxH, from the largest part of that shape in the middle; 1..65535, up to 2 values
    filter: what pixels a pixel of the result is made of; nearest, linear, area, cubic or lanczos3
    antialias: True: wider filters where the picture shrinks, so that no pixel is left out; False or True
    box: part of the picture that is seen, x,y,width,height; default: all; 0..65535, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied or straight
    light: scale on which samples are averaged; encoded or linear
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: picture of the new size

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["resize"], client, (src,), (size, scale, fit, fill, filter, antialias, box, alpha, light,),
                 out, channel_axis)


def gray(src: Data, standard: Literal["bt601", "bt709"] = "bt601", weights: Floats | None = None, alpha:
         Literal["keep", "drop"] = "keep", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None =
         "auto", client: Client | None = None) -> Array:
    """Make a picture grey by the brightness of its colours.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    standard: weights of red, green and blue; bt601 or bt709
    weights: other weights of red, green and blue; default: those of standard; any finite number, up to 3 values
    alpha: whether alpha stays; keep or drop
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: one channel, and alpha where the picture has it; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["gray"], client, (src,), (standard, weights, alpha,), out, channel_axis)


def matrix(src: Data, coefs: Data, dtype: Any = "same", *, out: Array | None = None, channel_axis: int |
           Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Multiply every pixel by a matrix: channels to channels.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    coefs: a row per channel of dst; a column per channel of src, and one for offsets; matrix of coefficients;
        float32
    dtype: type of the result; same: as the picture; same, u8, u16, i16, f32 or f16
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: a channel per row of coefs; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["matrix"], client, (src, coefs,), (dtype,), out, channel_axis)


def ycbcr(src: Data, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] = "full", alpha:
          Literal["keep", "drop"] = "keep", *, out: Array | None = None, channel_axis: int | Literal["auto"] | None
          = "auto", client: Client | None = None) -> Array:
    """RGB to luma and two colour differences.

    Parameters
    ----------
    src: picture of 3 or 4 channels: red, green, blue; picture of 1 to 4 channels; uint8, uint16 or float32
    standard: weights of red, green and blue; bt601 or bt709
    range: numbers that stand for black and white; full or video
    alpha: whether alpha stays; keep or drop
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: Y, Cb, Cr, and alpha where the picture has it; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["ycbcr"], client, (src,), (standard, range, alpha,), out, channel_axis)


def hsv(src: Data, turn: int = 0, alpha: Literal["keep", "drop"] = "keep", *, out: Array | None = None,
        channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """RGB to hue, saturation and value.

    Parameters
    ----------
    src: picture of 3 or 4 channels: red, green, blue; picture of 1 to 4 channels; uint8, uint16 or float32
    turn: hue of a full turn; 0: 180 for u8, 65536 for u16, 360 for f32; 0..65536
    alpha: whether alpha stays; keep or drop
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: hue, saturation, value, and alpha where the picture has it; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["hsv"], client, (src,), (turn, alpha,), out, channel_axis)


def rgb(src: Data, model: Literal["ycbcr", "hsv"] = "ycbcr", standard: Literal["bt601", "bt709"] = "bt601", range:
        Literal["full", "video"] = "full", turn: int = 0, alpha: Literal["keep", "drop"] = "keep", *, out: Array |
        None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """YCbCr or HSV to RGB.

    Parameters
    ----------
    src: picture of 3 or 4 channels, as ycbcr or hsv gives it; picture of 1 to 4 channels; uint8, uint16 or float32
    model: what the channels are; ycbcr or hsv
    standard: of YCbCr: weights of red, green and blue; bt601 or bt709
    range: of YCbCr: numbers that stand for black and white; full or video
    turn: of HSV: hue of a full turn; 0: 180 for u8, 65536 for u16, 360 for f32; 0..65536
    alpha: whether alpha stays; keep or drop
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: red, green, blue, and alpha where the picture has it; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["rgb"], client, (src,), (model, standard, range, turn, alpha,), out, channel_axis)


def flatten(src: Data, colour: Floats = 0.0, *, out: Array | None = None, channel_axis: int | Literal["auto"] | None
            = "auto", client: Client | None = None) -> Array:
    """Put a colour behind a picture with alpha.

    Parameters
    ----------
    src: picture; one without alpha stays as it is; picture of 1 to 4 channels; uint8, uint16 or float32
    colour: what is behind, in sample units: one number, or one per channel; any finite number, up to 3 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the colours alone; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["flatten"], client, (src,), (colour,), out, channel_axis)


def merge(src: Data, order: Ints | None = None, *, src2: Data | None = None, src3: Data | None = None, src4: Data |
          None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client
          | None = None) -> Array:
    """Join the channels of up to four pictures, in any order.

    Parameters
    ----------
    src: picture with the first channels; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    order: channels of the result, counted from 1; 0: the greatest sample; default: all; 0..4, up to 4 values
    src2: picture with the next channels, of the same size and type; picture of 1 to 4 channels; uint8, uint16,
        int16 or float32
    src3: picture with the next channels, likewise; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    src4: picture with the last channel, likewise; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: all channels in this order, at most 4; those that order names; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["merge"], client, (src, src2, src3, src4,), (order,), out, channel_axis)


def normalize(src: Data, mean: Floats = 0.0, std: Floats = 1.0, range: Literal["value", "full"] = "value", *, out:
              Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
              None) -> Array:
    """Subtract a mean from each channel and divide by a deviation.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16 or float32
    mean: what is subtracted: one number, or one per channel; any finite number, up to 4 values
    std: what is divided by: one number, or one per channel; 1.1754943508222875e-38 or more, up to 4 values
    range: full: samples of integers are first divided by their maximum; value or full
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: f32, as many channels; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["normalize"], client, (src,), (mean, std, range,), out, channel_axis)


def nv12(src: Data, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] = "video", *,
         out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int | Literal["auto"] | None = "auto",
         client: Client | None = None) -> Nv12Result:
    """RGB to the planes of NV12: Y, and of half the sides Cb and Cr.

    Parameters
    ----------
    src: picture of 3 channels: red, green, blue; picture of 1 to 4 channels; uint8, uint16 or float32
    standard: weights of red, green and blue; bt601 or bt709
    range: numbers that stand for black and white; full or video
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    y: luma, of the size and type of the picture, 1 channel
    uv: Cb and Cr, 2 channels, each of 2x2 pixels; odd sides are rounded up

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["nv12"], client, (src,), (standard, range,), out, channel_axis)


def i420(src: Data, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] = "video", *,
         out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int | Literal["auto"] | None = "auto",
         client: Client | None = None) -> I420Result:
    """RGB to the planes of I420: Y, and of half the sides Cb and Cr apart.

    Parameters
    ----------
    src: picture of 3 channels: red, green, blue; picture of 1 to 4 channels; uint8, uint16 or float32
    standard: weights of red, green and blue; bt601 or bt709
    range: numbers that stand for black and white; full or video
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    y: luma, of the size and type of the picture, 1 channel
    u: Cb, each of 2x2 pixels; odd sides are rounded up
    v: Cr, likewise

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["i420"], client, (src,), (standard, range,), out, channel_axis)


def rgb420(src: Data, chroma: Data, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] =
           "video", *, cr: Data | None = None, out: Array | None = None, channel_axis: int | Literal["auto"] | None
           = "auto", client: Client | None = None) -> Array:
    """Planes of NV12 or I420 (YCbCr 4:2:0) to RGB.

    Parameters
    ----------
    src: Y, 1 channel; picture of 1 to 4 channels; uint8, uint16 or float32
    chroma: Cb and Cr, 2 channels, of half the sides rounded up; of I420 Cb; picture of 1 to 4 channels; uint8,
        uint16 or float32
    standard: weights of red, green and blue; bt601 or bt709
    range: numbers that stand for black and white; full or video
    cr: of I420 Cr, like Cb; picture of 1 to 4 channels; uint8, uint16 or float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: red, green, blue, of the size of Y; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["rgb420"], client, (src, chroma, cr,), (standard, range,), out, channel_axis)


def median(src: Data, size: Ints = 3, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] =
           "replicate", border_value: Floats = 0.0, *, out: Array | None = None, channel_axis: int | Literal["auto"]
           | None = "auto", client: Client | None = None) -> Array:
    """Median of a window.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: side of the window in pixels, one or WxH; 1..255, up to 2 values
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the middle sample of each window; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["median"], client, (src,), (size, border, border_value,), out, channel_axis)


def rank(src: Data, index: float | None = None, size: Ints = 3, border: Literal["replicate", "wrap", "reflect",
         "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, *, out: Array | None = None,
         channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Sample of a given rank in a window.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    index: whole number: 0 is the least sample, -1 the greatest; must be given; -65025..65024
    size: side of the window in pixels, one or WxH; 1..255, up to 2 values
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the sample of that rank of each window; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["rank"], client, (src,), (index, size, border, border_value,), out, channel_axis)


def percentile(src: Data, percent: float | None = None, size: Ints = 3, border: Literal["replicate", "wrap",
               "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0, *, out: Array | None
               = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Percentile of a window.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    percent: 0 is the least sample, 100 the greatest; must be given; 0..100
    size: side of the window in pixels, one or WxH; 1..255, up to 2 values
    border: pixels outside the image; replicate, wrap, reflect, reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the sample at that percentile of each window; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["percentile"], client, (src,), (percent, size, border, border_value,), out, channel_axis)


def sort(src: Data, axis: Literal["all", "rows", "cols"] = "all", descending: bool = False, *, out: Array | None =
         None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Sort every channel, row or column.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    axis: what forms a sequence; all, rows or cols
    descending: True: from the largest to the smallest; False or True
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the samples in order; NaN last

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["sort"], client, (src,), (axis, descending,), out, channel_axis)


def topk(src: Data, k: int = 1, axis: Literal["all", "rows", "cols"] = "all", smallest: bool = False, *, out:
         Sequence[numpy.ndarray | None] | None = None, channel_axis: int | Literal["auto"] | None = "auto", client:
         Client | None = None) -> TopkResult:
    """The k largest or smallest of every channel, row or column.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    k: how many of each sequence; 1..4294967295
    axis: what forms a sequence; all, rows or cols
    smallest: True: the smallest, ascending, not the largest, descending; False or True
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    values: per sequence k samples in order; NaN last
    indices: where they stand in their sequence, from 0, u64; equal ones ascend

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["topk"], client, (src,), (k, axis, smallest,), out, channel_axis)


def quantile(src: Data, q: Floats = 0.5, method: Literal["linear", "lower", "higher", "nearest", "midpoint"] =
             "linear", axis: Literal["all", "rows", "cols"] = "all", nan: Literal["propagate", "omit"] =
             "propagate", *, segments: ArrayLike | None = None, out: Array | None = None, channel_axis: int |
             Literal["auto"] | None = "auto", client: Client | None = None) -> numpy.ndarray | numpy.generic:
    """Exact quantiles (percentiles) of every channel, row or column.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32 or float64
    q: shares of the elements below, up to four; 0.5: the median; 0..1, up to 4 values
    method: value where q lies between two elements; linear, lower, higher, nearest or midpoint
    axis: what forms a sequence; all, rows or cols
    nan: treatment of NaN; propagate or omit
    segments: offsets: each segment of a channel is a sequence of its own; row of numbers; uint32, int32, uint64 or
        int64
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    values: f64; of all and of rows a row of one per q, else a row per q

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["quantile"], client, (src, segments,), (q, method, axis, nan,), out, channel_axis)


def argsort(src: Data, axis: Literal["all", "rows", "cols"] = "all", descending: bool = False, *, out: Array | None
            = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Indices that sort every channel, row or column.

    Parameters
    ----------
    src: picture or array; picture or array of 1 to 4 channels; uint8, int8, uint16, int16, uint32, int32, uint64,
        int64, float32, float64 or float16
    axis: what forms a sequence; all, rows or cols
    descending: True: from the largest sample to the smallest; False or True
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    indices: of the samples in order, each in its sequence from 0, u64; equal ones ascend

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["argsort"], client, (src,), (axis, descending,), out, channel_axis)


def erode(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
          None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
          "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
          "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis: int |
          Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Minimum under a structuring element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: eroded picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["erode"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def dilate(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
           None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
           "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
           "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis: int
           | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Maximum under a structuring element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: dilated picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["dilate"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def opening(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
            None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
            "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
            "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis: int
            | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Erode, then dilate: removes what is brighter and smaller than the element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: opened picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["opening"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def closing(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
            None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
            "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
            "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis: int
            | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Dilate, then erode: fills what is darker and smaller than the element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: closed picture; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["closing"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def gradient(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints
             | None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
             "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
             "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis:
             int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Dilated minus eroded picture: outlines.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: outlines; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["gradient"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def tophat(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
           None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
           "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
           "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis: int
           | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Picture minus its opening: what is brighter and smaller than the element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: what the opening removed; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["tophat"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def blackhat(src: Data, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints
             | None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
             "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
             "straight", "ignore"] = "auto", *, mask: Data | None = None, out: Array | None = None, channel_axis:
             int | Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Closing minus the picture: what is darker and smaller than the element.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    size: sides of the element in pixels, one or WxH; default: 3; 1..255, up to 2 values
    shape: form of the element; rect, cross or ellipse
    anchor: x,y of the element's origin; default: the centre, rounded down; 0..254, up to 2 values
    iterations: how often in succession; 1..255
    border: pixels outside the image; constant without a border_value: left out; replicate, wrap, reflect,
        reflect101 or constant
    border_value: one value or one per channel, for border constant; any finite number, up to 4 values
    alpha: use of the alpha channel; auto, premultiplied, straight or ignore
    mask: element of any form, row by row: what is not 0 belongs to it; matrix of coefficients; float32
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: what the closing filled; the shape of the input

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["blackhat"], client, (src, mask,), (size, shape, anchor, iterations, border, border_value,
                 alpha,), out, channel_axis)


def label(src: Data, connectivity: Literal["4", "8"] = "4", capacity: int = 0, *, out: Sequence[numpy.ndarray |
          None] | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client | None =
          None) -> LabelResult:
    """Number the connected parts of a picture.

    Parameters
    ----------
    src: picture of one channel; what is not 0 is foreground; picture of 1 to 4 channels; uint8, uint16, int16,
        float32 or float16
    connectivity: neighbours that are in the same part; 4 or 8
    capacity: capacity of areas and boxes in parts; 0: all that there can be; 0..4294967295
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    labels: the number of each pixel's part, from 1, u32; 0 for background
    areas: pixels of each part, u32; then 0; cut at the largest count
    boxes: least x, least y, width and height of each part, u32; then 0; cut at the largest count
    count: the number of parts, also beyond the capacity, u64

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["label"], client, (src,), (connectivity, capacity,), out, channel_axis)


def distance(src: Data, squared: bool = False, *, out: Array | None = None, channel_axis: int | Literal["auto"] |
             None = "auto", client: Client | None = None) -> Array:
    """Distance of each pixel to the nearest 0.

    Parameters
    ----------
    src: picture of one channel; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    squared: True: the square of the distance, a whole number; False or True
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: Euclidean distance in pixels, f32; squared: u32

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["distance"], client, (src,), (squared,), out, channel_axis)


def canny(src: Data, low: float = 100.0, high: float = 200.0, aperture: Literal["3", "5", "7"] = "3", l2: bool =
          False, *, out: Array | None = None, channel_axis: int | Literal["auto"] | None = "auto", client: Client |
          None = None) -> Array:
    """Find edges: thin lines of great gradients, and what is connected to them.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16 or int16
    low: magnitude above which what is connected to an edge is one; 0..1000000000
    high: magnitude above which an edge begins, low or more; 0..1000000000
    aperture: side of the Sobel masks; 3, 5 or 7
    l2: True: magnitudes are lengths of gradients; 0: sums of both parts; False or True
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: 255 on edges, else 0, one channel of u8; the shape of the input but for channels

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["canny"], client, (src,), (low, high, aperture, l2,), out, channel_axis)


def match(src: Data, templ: Data, method: Literal["ccoeff", "ccorr", "sqdiff"] = "ccoeff", peaks: int = 1,
          threshold: float | None = None, *, out: Sequence[numpy.ndarray | None] | None = None, channel_axis: int |
          Literal["auto"] | None = "auto", client: Client | None = None) -> MatchResult:
    """Find a smaller picture in a picture.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8
    templ: what is looked for, with as many channels, no larger than src; picture of 1 to 4 channels; uint8
    method: what a score is; ccoeff, ccorr or sqdiff
    peaks: peaks that found has room for; 1..4096
    threshold: the worst score of a peak; default: any; -1..1
    out: arrays to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    scores: how alike templ and the pixels under it are, its top left at each place, f32
    found: x, y and score of each of the best peaks, f64; then NaN
    count: the number of peaks, also beyond those in found, u64

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["match"], client, (src, templ,), (method, peaks, threshold,), out, channel_axis)


def pyramid(src: Data, level: int = 1, direction: Literal["down", "up"] = "down", border: Literal["replicate",
            "wrap", "reflect", "reflect101"] = "reflect101", *, out: Array | None = None, channel_axis: int |
            Literal["auto"] | None = "auto", client: Client | None = None) -> Array:
    """Halve a picture, or double it, as pyramids of pictures do.

    Parameters
    ----------
    src: picture; picture of 1 to 4 channels; uint8, uint16, int16, float32 or float16
    level: how many times; each level is made of the one before as it is stored; 1..16
    direction: whether the picture becomes smaller or larger; down or up
    border: pixels outside the image; up: reflect101 alone; replicate, wrap, reflect or reflect101
    out: an array to write to
    channel_axis: -1: the last axis is channels; None: there are none; "auto": it is, if there are
        three axes or more and it is 1 to 4 long
    client: runs it; default: the client of this thread

    Returns
    -------
    dst: the level of the pyramid: sides halved, rounded up, or doubled, so many times

    Raises
    ------
    TypeError, ValueError: wrong arguments
    gpufilter.Error: what the daemon refuses
    """
    return _call(OPS["pyramid"], client, (src,), (level, direction, border,), out, channel_axis)


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

    def bilateral(self, radius: int = 0, sigma_colour: float | None = None, sigma_space: float = 2.0, border:
                  Literal["replicate", "wrap", "reflect", "reflect101", "constant"] = "replicate", border_value:
                  Floats = 0.0, alpha: Literal["auto", "straight", "ignore"] = "auto") -> Pipe:
        """Bilateral filter, which smooths and keeps edges; see gpufilter.bilateral()."""
        return self._step(OPS["bilateral"], (), (radius, sigma_colour, sigma_space, border, border_value, alpha,))

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

    def clahe(self, clip: float = 2.0, tiles: Ints = 8, alpha: Literal["auto", "straight", "ignore"] =
              "auto") -> Pipe:
        """Equalize each colour tile by tile, with limited contrast; see gpufilter.clahe()."""
        return self._step(OPS["clahe"], (), (clip, tiles, alpha,))

    def expr(self, expression: str | None = None, set: str | Mapping[str, float] | None = None, dtype: Any = "same",
             alpha: Literal["auto", "straight", "ignore"] = "auto", *, b: Data | None = None, c: Data | None = None,
             d: Data | None = None) -> Pipe:
        """Compute every sample by an expression; see gpufilter.expr()."""
        return self._step(OPS["expr"], (b, c, d,), (expression, set, dtype, alpha,))

    def histogram(self, bins: int = 0, lo: float = 0.0, hi: float = 0.0, range: Literal["auto", "given", "data"] =
                  "auto", channels: Literal["each", "colour", "luma"] = "each", last_closed: bool = False,
                  cumulative: bool = False, density: bool = False, *, edges: ArrayLike | None = None) -> Pipe:
        """Count samples by value; see gpufilter.histogram()."""
        return self._step(OPS["histogram"], (edges,), (bins, lo, hi, range, channels, last_closed, cumulative,
                          density,))

    def histogram2d(self, bins: Ints = 0, lo: Floats = 0.0, hi: Floats = 0.0, range: Literal["auto", "given",
                    "data"] = "auto", channels: Ints | None = None, last_closed: bool = False, *, src2: Data | None
                    = None) -> Pipe:
        """Count pairs of samples, of two channels or pictures, by value; see gpufilter.histogram2d()."""
        return self._step(OPS["histogram2d"], (src2,), (bins, lo, hi, range, channels, last_closed,))

    def reduce(self, op: Literal["sum", "product", "min", "max", "argmin", "argmax", "mean", "var", "std", "l1",
               "l2", "linf", "count", "any", "all", "affine", "matmul2", "user"] = "sum", axis: Literal["all",
               "rows", "cols"] = "all", ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow:
               Literal["error", "wrap"] = "error", lift: str | None = None, combine: str | None = None, identity:
               str | None = None, finish: str | None = None, set: str | Mapping[str, float] | None = None, *,
               segments: ArrayLike | None = None) -> Pipe:
        """Reduce every channel, row or column to one value; see gpufilter.reduce()."""
        return self._step(OPS["reduce"], (segments,), (op, axis, ddof, nan, overflow, lift, combine, identity,
                          finish, set,))

    def stats(self, ddof: int = 0, nan: Literal["propagate", "omit"] = "propagate", overflow: Literal["error",
              "wrap"] = "error") -> Pipe:
        """Statistics of every channel in one pass; see gpufilter.stats()."""
        return self._step(OPS["stats"], (), (ddof, nan, overflow,))

    def dot(self, b: Data, axis: Literal["all", "rows", "cols"] = "all") -> Pipe:
        """Dot product of every channel, row or column; see gpufilter.dot()."""
        return self._step(OPS["dot"], (b,), (axis,))

    def scan(self, op: Literal["sum", "product", "min", "max", "user"] = "sum", axis: Literal["all", "rows", "cols"]
             = "all", exclusive: bool = False, reverse: bool = False, initial: float = 0.0, dtype: Any = "same",
             overflow: Literal["error", "wrap"] = "error", start: Literal["first", "initial"] = "first", lift: str |
             None = None, combine: str | None = None, identity: str | None = None, finish: str | None = None, set:
             str | Mapping[str, float] | None = None, *, segments: ArrayLike | None = None) -> Pipe:
        """Running sum, product, minimum or maximum; see gpufilter.scan()."""
        return self._step(OPS["scan"], (segments,), (op, axis, exclusive, reverse, initial, dtype, overflow, start,
                          lift, combine, identity, finish, set,))

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

    def crop(self, size: Ints | None = None, at: Ints = 0) -> Pipe:
        """Cut out a window; see gpufilter.crop()."""
        return self._step(OPS["crop"], (), (size, at,))

    def pad(self, margin: Ints | None = None, border: Literal["replicate", "wrap", "reflect", "reflect101",
            "constant"] = "constant", border_value: Floats = 0.0) -> Pipe:
        """Put a margin around a picture; see gpufilter.pad()."""
        return self._step(OPS["pad"], (), (margin, border, border_value,))

    def flip(self, axis: Literal["x", "y", "both"] = "x") -> Pipe:
        """Mirror a picture; see gpufilter.flip()."""
        return self._step(OPS["flip"], (), (axis,))

    def rotate(self, angle: Literal["90", "180", "270"] = "90") -> Pipe:
        """Rotate clockwise by 90, 180 or 270 degrees; see gpufilter.rotate()."""
        return self._step(OPS["rotate"], (), (angle,))

    def transpose(self, diagonal: Literal["main", "anti"] = "main") -> Pipe:
        """Make rows of columns; see gpufilter.transpose()."""
        return self._step(OPS["transpose"], (), (diagonal,))

    def resize(self, size: Ints | None = None, scale: Floats | None = None, fit: Ints | None = None, fill: Ints |
               None = None, filter: Literal["nearest", "linear", "area", "cubic", "lanczos3"] = "cubic", antialias:
               bool = True, box: Floats | None = None, alpha: Literal["auto", "premultiplied", "straight"] = "auto",
               light: Literal["encoded", "linear"] = "encoded") -> Pipe:
        """Change the size of a picture; see gpufilter.resize()."""
        return self._step(OPS["resize"], (), (size, scale, fit, fill, filter, antialias, box, alpha, light,))

    def gray(self, standard: Literal["bt601", "bt709"] = "bt601", weights: Floats | None = None, alpha:
             Literal["keep", "drop"] = "keep") -> Pipe:
        """Make a picture grey by the brightness of its colours; see gpufilter.gray()."""
        return self._step(OPS["gray"], (), (standard, weights, alpha,))

    def matrix(self, coefs: Data, dtype: Any = "same") -> Pipe:
        """Multiply every pixel by a matrix: channels to channels; see gpufilter.matrix()."""
        return self._step(OPS["matrix"], (coefs,), (dtype,))

    def ycbcr(self, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] = "full", alpha:
              Literal["keep", "drop"] = "keep") -> Pipe:
        """RGB to luma and two colour differences; see gpufilter.ycbcr()."""
        return self._step(OPS["ycbcr"], (), (standard, range, alpha,))

    def hsv(self, turn: int = 0, alpha: Literal["keep", "drop"] = "keep") -> Pipe:
        """RGB to hue, saturation and value; see gpufilter.hsv()."""
        return self._step(OPS["hsv"], (), (turn, alpha,))

    def rgb(self, model: Literal["ycbcr", "hsv"] = "ycbcr", standard: Literal["bt601", "bt709"] = "bt601", range:
            Literal["full", "video"] = "full", turn: int = 0, alpha: Literal["keep", "drop"] = "keep") -> Pipe:
        """YCbCr or HSV to RGB; see gpufilter.rgb()."""
        return self._step(OPS["rgb"], (), (model, standard, range, turn, alpha,))

    def flatten(self, colour: Floats = 0.0) -> Pipe:
        """Put a colour behind a picture with alpha; see gpufilter.flatten()."""
        return self._step(OPS["flatten"], (), (colour,))

    def merge(self, order: Ints | None = None, *, src2: Data | None = None, src3: Data | None = None, src4: Data |
              None = None) -> Pipe:
        """Join the channels of up to four pictures, in any order; see gpufilter.merge()."""
        return self._step(OPS["merge"], (src2, src3, src4,), (order,))

    def normalize(self, mean: Floats = 0.0, std: Floats = 1.0, range: Literal["value", "full"] = "value") -> Pipe:
        """Subtract a mean from each channel and divide by a deviation; see gpufilter.normalize()."""
        return self._step(OPS["normalize"], (), (mean, std, range,))

    def nv12(self, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] =
             "video") -> Pipe:
        """RGB to the planes of NV12: Y, and of half the sides Cb and Cr; see gpufilter.nv12()."""
        return self._step(OPS["nv12"], (), (standard, range,))

    def i420(self, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] =
             "video") -> Pipe:
        """RGB to the planes of I420: Y, and of half the sides Cb and Cr apart; see gpufilter.i420()."""
        return self._step(OPS["i420"], (), (standard, range,))

    def rgb420(self, chroma: Data, standard: Literal["bt601", "bt709"] = "bt601", range: Literal["full", "video"] =
               "video", *, cr: Data | None = None) -> Pipe:
        """Planes of NV12 or I420 (YCbCr 4:2:0) to RGB; see gpufilter.rgb420()."""
        return self._step(OPS["rgb420"], (chroma, cr,), (standard, range,))

    def median(self, size: Ints = 3, border: Literal["replicate", "wrap", "reflect", "reflect101", "constant"] =
               "replicate", border_value: Floats = 0.0) -> Pipe:
        """Median of a window; see gpufilter.median()."""
        return self._step(OPS["median"], (), (size, border, border_value,))

    def rank(self, index: float | None = None, size: Ints = 3, border: Literal["replicate", "wrap", "reflect",
             "reflect101", "constant"] = "replicate", border_value: Floats = 0.0) -> Pipe:
        """Sample of a given rank in a window; see gpufilter.rank()."""
        return self._step(OPS["rank"], (), (index, size, border, border_value,))

    def percentile(self, percent: float | None = None, size: Ints = 3, border: Literal["replicate", "wrap",
                   "reflect", "reflect101", "constant"] = "replicate", border_value: Floats = 0.0) -> Pipe:
        """Percentile of a window; see gpufilter.percentile()."""
        return self._step(OPS["percentile"], (), (percent, size, border, border_value,))

    def sort(self, axis: Literal["all", "rows", "cols"] = "all", descending: bool = False) -> Pipe:
        """Sort every channel, row or column; see gpufilter.sort()."""
        return self._step(OPS["sort"], (), (axis, descending,))

    def topk(self, k: int = 1, axis: Literal["all", "rows", "cols"] = "all", smallest: bool = False) -> Pipe:
        """The k largest or smallest of every channel, row or column; see gpufilter.topk()."""
        return self._step(OPS["topk"], (), (k, axis, smallest,))

    def quantile(self, q: Floats = 0.5, method: Literal["linear", "lower", "higher", "nearest", "midpoint"] =
                 "linear", axis: Literal["all", "rows", "cols"] = "all", nan: Literal["propagate", "omit"] =
                 "propagate", *, segments: ArrayLike | None = None) -> Pipe:
        """Exact quantiles (percentiles) of every channel, row or column; see gpufilter.quantile()."""
        return self._step(OPS["quantile"], (segments,), (q, method, axis, nan,))

    def argsort(self, axis: Literal["all", "rows", "cols"] = "all", descending: bool = False) -> Pipe:
        """Indices that sort every channel, row or column; see gpufilter.argsort()."""
        return self._step(OPS["argsort"], (), (axis, descending,))

    def erode(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
              None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
              "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
              "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Minimum under a structuring element; see gpufilter.erode()."""
        return self._step(OPS["erode"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def dilate(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
               None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
               "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
               "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Maximum under a structuring element; see gpufilter.dilate()."""
        return self._step(OPS["dilate"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def opening(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
                None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
                "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto",
                "premultiplied", "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Erode, then dilate: removes what is brighter and smaller than the element; see gpufilter.opening()."""
        return self._step(OPS["opening"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def closing(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
                None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
                "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto",
                "premultiplied", "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Dilate, then erode: fills what is darker and smaller than the element; see gpufilter.closing()."""
        return self._step(OPS["closing"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def gradient(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
                 None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
                 "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto",
                 "premultiplied", "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Dilated minus eroded picture: outlines; see gpufilter.gradient()."""
        return self._step(OPS["gradient"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def tophat(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
               None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
               "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto", "premultiplied",
               "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Picture minus its opening: what is brighter and smaller than the element; see gpufilter.tophat()."""
        return self._step(OPS["tophat"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def blackhat(self, size: Ints | None = None, shape: Literal["rect", "cross", "ellipse"] = "rect", anchor: Ints |
                 None = None, iterations: int = 1, border: Literal["replicate", "wrap", "reflect", "reflect101",
                 "constant"] = "constant", border_value: Floats | None = None, alpha: Literal["auto",
                 "premultiplied", "straight", "ignore"] = "auto", *, mask: Data | None = None) -> Pipe:
        """Closing minus the picture: what is darker and smaller than the element; see gpufilter.blackhat()."""
        return self._step(OPS["blackhat"], (mask,), (size, shape, anchor, iterations, border, border_value, alpha,))

    def label(self, connectivity: Literal["4", "8"] = "4", capacity: int = 0) -> Pipe:
        """Number the connected parts of a picture; see gpufilter.label()."""
        return self._step(OPS["label"], (), (connectivity, capacity,))

    def distance(self, squared: bool = False) -> Pipe:
        """Distance of each pixel to the nearest 0; see gpufilter.distance()."""
        return self._step(OPS["distance"], (), (squared,))

    def canny(self, low: float = 100.0, high: float = 200.0, aperture: Literal["3", "5", "7"] = "3", l2: bool =
              False) -> Pipe:
        """Find edges: thin lines of great gradients, and what is connected to them; see gpufilter.canny()."""
        return self._step(OPS["canny"], (), (low, high, aperture, l2,))

    def match(self, templ: Data, method: Literal["ccoeff", "ccorr", "sqdiff"] = "ccoeff", peaks: int = 1, threshold:
              float | None = None) -> Pipe:
        """Find a smaller picture in a picture; see gpufilter.match()."""
        return self._step(OPS["match"], (templ,), (method, peaks, threshold,))

    def pyramid(self, level: int = 1, direction: Literal["down", "up"] = "down", border: Literal["replicate",
                "wrap", "reflect", "reflect101"] = "reflect101") -> Pipe:
        """Halve a picture, or double it, as pyramids of pictures do; see gpufilter.pyramid()."""
        return self._step(OPS["pyramid"], (), (level, direction, border,))


__all__ = ["correlate", "convolve", "gaussian", "box", "sharpen", "unsharp", "sobel", "scharr", "prewitt",
           "laplacian", "log", "emboss", "bilateral", "map", "combine", "compare", "threshold", "equalize",
           "autocontrast", "copy", "clahe", "expr", "histogram", "histogram2d", "reduce", "stats", "dot", "scan",
           "recurrence", "integral", "select", "convolve1d", "correlate1d", "matmul", "crop", "pad", "flip",
           "rotate", "transpose", "resize", "gray", "matrix", "ycbcr", "hsv", "rgb", "flatten", "merge",
           "normalize", "nv12", "i420", "rgb420", "median", "rank", "percentile", "sort", "topk", "quantile",
           "argsort", "erode", "dilate", "opening", "closing", "gradient", "tophat", "blackhat", "label",
           "distance", "canny", "match", "pyramid", "CompareResult", "HistogramResult", "Histogram2dResult",
           "StatsResult", "SelectResult", "Nv12Result", "I420Result", "TopkResult", "LabelResult", "MatchResult"]
