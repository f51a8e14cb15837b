# SPDX-License-Identifier: MIT
"""Absurd arguments: each function either takes one or names it in the error, soon."""
import inspect
import re

import gpufilter as gf
import numpy as np
import pytest
from gpufilter import _program, _ranks


class Nonsense:
    shape, dtype = (3, 3), "nonsense"


ABSURD = [object(), Nonsense(), -1, 10**18, 2**5000, 10**5000, float("nan"), float("inf"), 2.5, 3j, "", "x", "a b",
          "\0", "é" * 5000, b"x", [], [[]], [1, [2, 3]], (1, 2, 3, 4, 5, 6, 7), {"a": 1}, {1}, range(5), slice(1), ...,
          np.array(2), np.array("x"), np.zeros((3, 3), object), np.zeros((2,) * 5), np.datetime64("2020"),
          np.arange(12, dtype="i4").reshape(3, 4), np.ones((3, 4)), np.ma.array([1, 2], mask=[0, 1]), [None], lambda: 0]
GREY = np.arange(72, dtype="u1").reshape(9, 8)
RGB = np.dstack([GREY] * 3)
OF_COLOURS = ("ycbcr", "hsv", "rgb", "nv12", "i420", "histogram2d", "flatten")
OTHERS = {"dot": {"a": GREY * 1.0, "b": GREY * 1.0}, "recurrence": {"src": GREY * 1.0}, "matrix": {"coefs": [[2]]},
          "matmul": {"a": GREY * 1.0, "b": GREY.T * 1.0}, "rgb420": {"chroma": np.dstack([GREY[:5, :4]] * 2)},
          "convolve1d": {"kernel": [1, 2]}, "correlate1d": {"kernel": [1, 2]}, "pad": {"margin": 3},
          "resize": {"size": 5}, "rank": {"index": 1}, "percentile": {"percent": 30}, "expr": {"expression": "a"}}


def right(name, op):
    picture = RGB if name in OF_COLOURS else GREY
    kinds = {"image": picture, "buffer": picture, "coefs": [[1, 2, 1]], "matrix": GREY}
    return {**{i.name: kinds[i.kind] for i in op.inputs if not i.optional}, **OTHERS.get(name, {})}


def check(function, argument, given):
    wrong = []
    for value in ABSURD:
        try:
            function(**{**given, argument: value})
        except Exception as error:
            text = str(error)
            # the library may find fault with another argument beside this one, such as bins=0 of real numbers
            others = inspect.signature(function).parameters if isinstance(error, gf.Error) else ()
            if not re.search(rf"\b{argument}\b", text) and not any(re.search(rf"\b{other}\b(=| has| is)", text) for other in others):
                wrong.append(f"{argument}={_program.shown(value)}: {type(error).__name__}: {text[:200]}")
            if len(text) > 700:
                wrong.append(f"{argument}={_program.shown(value)}: {len(text)} characters")
    return wrong


@pytest.mark.parametrize("name", _program.OPS)
def test_operations_name_the_argument(name):
    op, function = _program.OPS[name], getattr(gf, name)
    wrong = []
    for argument in inspect.signature(function).parameters:
        wrong += check(function, argument, right(name, op))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("dtype", ["i4", "f8"])
@pytest.mark.parametrize("name", _ranks.OPS)
def test_ranks_of_other_dtypes_name_the_argument(name, dtype):
    op, function = _program.OPS[name], getattr(gf, name)
    given = {**right(name, op), "src": GREY.astype(dtype)}
    if "border" in inspect.signature(function).parameters:
        given["border"] = "constant"
    wrong = []
    for argument in inspect.signature(function).parameters:
        wrong += check(function, argument, given)
    assert not wrong, "\n".join(wrong)


def test_other_functions_name_the_argument():
    part = gf.partial("reduce op=max", GREY)
    wrong = []
    for function, given, arguments in [
            (gf.to_device, {"array": GREY}, ("channel_axis", "client")),
            (gf.empty, {"shape": (3, 3)}, ("shape", "dtype")),
            (lambda **k: gf.partial("reduce op=max", GREY, **k), {}, ("start", "channel_axis", "client")),
            (gf.merge_partials, {"partials": [part]}, ("partials", "client")),
            (lambda **k: gf.run("box", GREY, **k), {}, ("out", "channel_axis")),
            (lambda **k: gf.submit("box", GREY, **k), {}, ("out", "channel_axis", "client")),
            (gf.Client, {}, ("device", "deadline", "connect_timeout", "server_uid"))]:
        for argument in arguments:
            wrong += check(function, argument, given)
    assert not wrong, "\n".join(wrong)
