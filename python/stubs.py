#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints what type checkers read: gpufilter/_ops.pyi from the op table, and ndimage.pyi and cv.pyi from the sources of
those modules, whose parameters have the same types wherever they have the same name. Part of every build.
usage: stubs.py _ops CLIENT, as generate.py; stubs.py MODULE FOLDER, the sources"""
import ast
import os
import sys

from generate import (KEEPDIMS, NUMPY, annotation, columns, default_in_python, meaning, named_tuple, optional_data,
                      ops_of, printed, wrap)

HEAD = '''\
# SPDX-License-Identifier: MIT
# Printed by python/stubs.py; do not edit.
'''
OPS_HEAD = HEAD + '''\
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._array import DeviceArray
from ._client import Client
from ._pipe import Pipe
from ._program import Op

T = TypeVar("T", bound=numpy.generic)
Given = TypeVar("Given", NDArray[Any], DeviceArray)
Data = ArrayLike | DeviceArray
Floats = float | Sequence[float]
Ints = int | Sequence[int]
'''
# Parameters that change an output's dtype, beside dtype itself.
OTHER_DTYPES = {"density", "squared"}
MODULE_HEAD = HEAD + '''\
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import ArrayLike, DTypeLike, NDArray

'''


# ---- operations ----

def dtype_of(op, output):
    """The dtype of an output as an annotation: "T" is that of the first input, before `dtype` changes it."""
    dtypes, made = output["dtypes"], set(output["dtypes"].values())
    names = {p["name"] for p in op["params"]}
    if OTHER_DTYPES & names and output["name"] in ("counts", "dst"):
        return "Any"
    if meaning(op, output) == "count":
        return "numpy.int64" if made == {"u64"} else "numpy.int32"
    if len(made) == 1:
        return "numpy." + NUMPY[made.pop()]
    return "T" if all(a == b for a, b in dtypes.items()) else "Any"


def parameters(op, source, dtype, out):
    """The parameters of a function; `source` is the type of the first input, `out` that of out with its default."""
    required = [i for i in op["inputs"] if not i["optional"]]
    listed = [f"{i['name']}: {source if k == 0 else 'Data'}" for k, i in enumerate(required)]
    for p in op["params"]:
        kind, default = annotation(op, p), printed(default_in_python(op, p))
        if p["name"] == "dtype":
            kind = dtype if dtype else f"Literal[{default}]" if default != "None" else "None"
        listed.append(f"{p['name']}: {kind} = {default}")
    listed += ["*"] + [f"{i['name']}: {optional_data(i)} | None = None" for i in op["inputs"] if i["optional"]]
    listed += ["keepdims: bool = False"] if op["name"] in KEEPDIMS else []
    return listed + [f"out: {out}", 'channel_axis: int | Literal["auto"] | None = "auto"',
                     "client: Client | None = None"]


def definition(op, listed, result, decorated):
    text = wrap(f"def {op['name']}(" + ", ".join(listed) + f")\0->\0{result}:\0...", "", " " * (len(op["name"]) + 5))
    return ("@overload\n" if decorated else "") + text.replace("\0", " ")


def definitions(op):
    """Arrays give arrays, arrays on the device give those, and so does `out`."""
    several = len(op["outputs"]) > 1
    if several or op["outputs"][0]["shape"] == "table":
        out = "Sequence[NDArray[Any] | None] | None = None" if several else "NDArray[Any] | None = None"
        return [definition(op, parameters(op, "Data", "DTypeLike", out), named_tuple(op) if several else "Any", False)]
    made, has_dtype = dtype_of(op, op["outputs"][0]), any(p["name"] == "dtype" for p in op["params"])
    general = "Any" if made == "T" or has_dtype else made
    found = [(parameters(op, "DeviceArray", "DTypeLike", "None = None"), "DeviceArray")]
    if made != general:
        found.append((parameters(op, "NDArray[T]" if made == "T" else "ArrayLike", "", "None = None"),
                      f"NDArray[{made}]"))
    found += [(parameters(op, "ArrayLike", "DTypeLike", "None = None"), f"NDArray[{general}]"),
              (parameters(op, "Data", "DTypeLike", "Given"), "Given")]
    return [definition(op, listed, result, True) for listed, result in found]


def print_tuple(op):
    print(f"\nclass {named_tuple(op)}(NamedTuple):")
    for output in op["outputs"]:
        dtype = dtype_of(op, output)
        single = output["name"] == "count"  # without channels and stacks a number
        print(f"    {output['name']}: " + ("Any" if single else f"NDArray[{dtype.replace('T', 'Any', dtype == 'T')}]"))
    for name, _, _ in columns(op):
        print(f"\n    @property\n    def {name}(self) -> Any: ...")


def method(op):
    others = op["inputs"][1:]
    listed = ["self"] + [f"{i['name']}: Data" for i in others if not i["optional"]]
    listed += [f"{p['name']}: {'DTypeLike' if p['name'] == 'dtype' else annotation(op, p)} = "
               f"{printed(default_in_python(op, p))}" for p in op["params"]]
    optional = [f"{i['name']}: {optional_data(i)} | None = None" for i in others if i["optional"]]
    listed += ["*"] + optional if optional else []
    text = wrap(f"def {op['name']}(" + ", ".join(listed) + ")\0->\0Pipe:\0...", "    ", " " * (len(op["name"]) + 9))
    return text.replace("\0", " ")


def print_ops(ops):
    print(OPS_HEAD)
    for op in ops:
        if len(op["outputs"]) > 1:
            print_tuple(op)
    for op in ops:
        print("\n" + "\n".join(definitions(op)))
    print("\nclass Steps:\n    def _step(self, op: Op, others: tuple[Any, ...], values: tuple[Any, ...]) -> Pipe: ...")
    for op in ops:
        print(method(op))
    names = [op["name"] for op in ops] + [named_tuple(op) for op in ops if len(op["outputs"]) > 1]
    print("\n" + wrap("__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]", "", "           "))


# ---- names of other packages ----

KINDS = {}
for _kind, _names in {
        "ArrayLike": "input src src1 src2 image images mv m x y lut templ weights kernel kernelX kernelY footprint "
                     "structure hist1 hist2 a b",
        "NDArray[Any] | None": "dst mask edges labels stats centroids result distances indices hist",
        "DTypeLike | NDArray[Any] | None": "output",
        "str": "what", "str | Sequence[str]": "mode", "int | Sequence[int]": "origin order size rank",
        "float": "cval truncate percentile thresh maxval alpha beta gamma scale delta threshold1 threshold2 sigmaX "
                 "sigmaY sigmaColor sigmaSpace fx fy clipLimit",
        "float | Sequence[float]": "sigma radius value borderValue lowerb upperb",
        "int | Iterable[int] | None": "axes", "int": "axis ddepth dtype borderType connectivity ltype dx dy d op code "
        "interpolation iterations flipCode rotateCode maxlevel top bottom left right method type shape dstCn",
        "Sequence[int]": "anchor tileGridSize channels histSize", "Sequence[float]": "ranges",
        "bool": "normalize L2gradient accumulate return_distances return_indices"}.items():
    KINDS.update(dict.fromkeys(_names.split(), _kind))
ARRAYS = {"output", "dst", "edges", "result", "hist"}  # parameters of functions that return an array
OTHERS = {"label", "distance_transform_edt", "split", "buildPyramid", "threshold", "connectedComponents",
          "connectedComponentsWithStats", "integral"}  # whose result depends on more than the types of the arguments


def parameter(arg, default):
    kind = KINDS.get(arg.arg, "Any")
    if default is None:
        return f"{arg.arg}: {kind}"
    none = isinstance(default, ast.Constant) and default.value is None
    return f"{arg.arg}: {kind if not none or 'None' in kind or kind == 'Any' else kind + ' | None'} = ..."


def signature(function, first):
    a = function.args
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    listed = [parameter(arg, default) for arg, default in zip(positional, defaults)][first:]
    listed = ["self"] * first + listed
    listed += [f"*{a.vararg.arg}: Any"] if a.vararg else ["*"] if a.kwonlyargs else []
    listed += [parameter(arg, default) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    return listed + ([f"**{a.kwarg.arg}: Any"] if a.kwarg else [])


def result_of(function):
    names = {arg.arg for arg in function.args.args + function.args.kwonlyargs}
    return "NDArray[Any]" if names & ARRAYS and function.name not in OTHERS else "Any"


def print_function(function, indent=""):
    first = 1 if indent else 0
    text = wrap(f"def {function.name}(" + ", ".join(signature(function, first)) + f")\0->\0{result_of(function)}:\0...",
                indent, indent + " " * (len(function.name) + 5))
    print(text.replace("\0", " "))


def parsed(folder, name):
    with open(os.path.join(folder, name + ".py"), encoding="utf-8") as file:
        return ast.parse(file.read()).body


def assigned(body):
    """The public names that a module assigns."""
    targets = [t for node in body if isinstance(node, ast.Assign) for t in node.targets]
    names = [one.id for t in targets for one in getattr(t, "elts", [t]) if isinstance(one, ast.Name)]
    return [name for name in names if not name.startswith("_")]


def all_of(body):
    """A module's __all__, or otherwise the public names that it assigns."""
    lists = [node.value for node in body if isinstance(node, ast.Assign) and
             any(getattr(t, "id", "") == "__all__" for t in node.targets)]
    return ast.literal_eval(lists[0]) if lists else assigned(body)


def print_module(name, folder):
    """The public names of a module, each as the file that has it defines it."""
    print(MODULE_HEAD)
    body = parsed(folder, name)
    for node in body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("_"):
            continue
        other = parsed(folder, node.module)
        defined = {n.name: n for n in other if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        names = all_of(other) if node.names[0].name == "*" else [a.asname or a.name for a in node.names]
        for one in names:
            found = defined.get(one)
            if isinstance(found, ast.FunctionDef):
                print_function(found)
            elif found is not None:
                bases = ", ".join(base.id for base in found.bases if isinstance(base, ast.Name))
                methods = [member for member in found.body
                           if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")]
                print(f"class {one}({bases}):" + ("" if methods else " ..."))
                for member in methods:
                    print_function(member, "    ")
            elif not one.startswith("_"):
                print(f"{one}: {'int' if node.module.endswith('_constants') else 'Any'}")
    for one in assigned(body):
        print(f"{one}: Any")


def main():
    what, *rest = sys.argv[1:]
    if what == "_ops":
        print_ops(ops_of(rest))
    else:
        print_module(what, *rest)


main()
