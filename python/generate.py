#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints gpufilter/_ops.py, a function for each operation, from the op table as gpufilter-client prints it. Part of
every build. usage: generate.py CLIENT, a command of one word or several"""
import json
import re
import subprocess
import sys
import textwrap

NUMPY = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32",
         "u64": "uint64", "i64": "int64", "f32": "float32", "f64": "float64", "f16": "float16"}
FORMS = {"same": "picture", "filter": "picture", "brightness": "picture", "channels": "picture", "own": "picture", "table": "rows",
         "counted": "counted"}
# One value per sequence or channel, or one row for all channels.
OWN_FORMS = {("reduce", "reduced"): "reduced", ("dot", "reduced"): "reduced", ("stats", "sums"): "values",
             ("select", "count"): "values", ("histogram", "edges"): "row", ("quantile", "values"): "quantiles",
             ("histogram2d", "counts"): "matrix", ("histogram2d", "outside"): "row",
             ("histogram2d", "edges"): "row", ("histogram2d", "edges2"): "row",
             ("label", "count"): "values", ("label", "boxes"): "boxes", ("match", "count"): "values", ("match", "found"): "boxes", ("topk", "values"): "top",
             ("topk", "indices"): "top"}
# Operations whose result has samples of the first input, or differences of such samples that are 0 or 1 where they are.
CHOOSE = {"copy", "crop", "pad", "flip", "rotate", "transpose", "merge", "select", "sort", "topk", "stats"}
CHOOSING_FAMILIES = {"rank", "morphology"}
# The names of numpy's dtypes for what is unsigned for the daemon.
SIGNED = (("u64", "int64"), ("u32", "int32"), ("2^64-1", "-1"))
# Defaults that are numpy's and not the daemon's.
DEFAULTS = {("histogram", "last_closed"): True, ("histogram2d", "last_closed"): True}
# Operations that numpy runs along several axes at once, and those whose result has no axis where they reduce it.
SEVERAL_AXES, KEEPDIMS = ("reduce", "quantile"), ("reduce", "quantile", "dot")
KINDS = {"image": "picture of 1 to 4 channels", "buffer": "picture or array of 1 to 4 channels",
         "matrix": "array of one channel", "coefs": "matrix of coefficients", "list": "row of numbers"}
SHAPES = {"same": "; the shape of the input", "filter": "; the shape of the input, with size=\"valid\" smaller by the "
          "mask's sides minus one", "brightness": "; the shape of the input, with channels=\"luma\" one channel for "
          "its colours", "channels": "; the shape of the input but for channels",
          "counted": "; cut at the largest count"}

HEAD = '''\
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
'''


def words(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " or " + names[-1]


def optional_data(input):
    """Lists are on the host; pictures may be on the device."""
    return "ArrayLike" if input["kind"] == "list" else "Data"


def is_flag(param):
    return param["type"] == "u32" and param["max_values"] == 1 and (param["min"], param["max"]) == (0, 1)


def default_of(param):
    if not param["default"]:
        return None
    value = param["default"][0]
    if param["type"] == "enum":
        return value
    if is_flag(param):
        return value == 1
    return int(value) if param["type"] == "u32" else float(value)


def has_axis(op):
    return any(p["name"] == "axis" and "rows" in p["words"] for p in op["params"])


def annotation(op, param):
    if param["name"] == "axis" and has_axis(op):
        several = " | tuple[int, ...]" if op["name"] in SEVERAL_AXES else ""
        return "Literal[" + ", ".join(f'"{w}"' for w in param["words"]) + f"] | int{several} | None"
    if param["type"] == "enum":
        name = "Literal[" + ", ".join(f'"{w}"' for w in param["words"]) + "]"
        if param["name"] == "dtype":
            name = "Any"
    elif param["type"] == "text":
        name = "str" if param["name"] != "set" else "str | Mapping[str, float]"
    elif is_flag(param):
        name = "bool"
    elif param["max_values"] > 1:
        name = "Ints" if param["type"] == "u32" else "Floats"
    else:
        name = "int" if param["type"] == "u32" else "float"
    return name + " | None" if not param["default"] else name


def meaning(op, output):
    """What the samples of an output are, where numpy has another dtype for it: counts and indices are signed."""
    made = set(output["dtypes"].values())
    if made <= {"u64", "u32"}:
        return "count"
    chosen = op["name"] in CHOOSE or op["family"] in CHOOSING_FAMILIES
    return "sample" if chosen and all(a == b for a, b in output["dtypes"].items()) else ""


def help_of(op, output):
    text = output["help"]
    for word, name in SIGNED if meaning(op, output) == "count" else ():
        text = text.replace(word, name)
    return text


def default_in_python(op, param):
    return DEFAULTS.get((op["name"], param["name"]), default_of(param))


def named_tuple(op):
    return "".join(part.capitalize() for part in op["name"].split("_")) + "Result"


def columns(op):
    """The figures of each channel that an output has side by side: name, output and place."""
    for output in op["outputs"]:
        found = re.fullmatch(r"per channel a row of (\w+(?:, \w+)+)", output["help"])
        for k, name in enumerate(found[1].split(", ") if found else []):
            yield name, output["name"], k


def result_type(op):
    if len(op["outputs"]) > 1:
        return named_tuple(op)
    return "numpy.ndarray | numpy.generic" if op["outputs"][0]["shape"] == "table" else "Array"


def wrap(text, first, rest):
    return textwrap.fill(text, 116, initial_indent=first, subsequent_indent=rest, break_long_words=False,
                         break_on_hyphens=False)


def docstring(op):
    lines = [f'    """{op["help"]}.', "", "    Parameters", "    ----------"]
    for input in op["inputs"]:
        if input["optional"]:
            continue
        lines.append(wrap(f"{input['name']}: {input['help']}; {KINDS[input['kind']]}; "
                          f"{words([NUMPY[d] for d in input['dtypes']])}", "    ", "        "))
    for param in op["params"]:
        what = words(param["words"]) if param["type"] == "enum" else param["range"]
        if is_flag(param):
            what = "False or True"
            param = {**param, "help": param["help"].replace("1: ", "True: ", 1)}
        elif param["name"] == "axis" and has_axis(op):
            what = what.replace(" or ", ", ") + ", or the number of an axis as numpy counts, or None for all axes"
        elif param["max_values"] > 1:
            what += f", up to {param['max_values']} values"
        lines.append(wrap(f"{param['name']}: {param['help']}; {what}", "    ", "        "))
    for input in op["inputs"]:
        if input["optional"]:
            lines.append(wrap(f"{input['name']}: {input['help']}; {KINDS[input['kind']]}; "
                              f"{words([NUMPY[d] for d in input['dtypes']])}", "    ", "        "))
    if op["name"] in KEEPDIMS:
        lines.append("    keepdims: True: reduced axes stay, with one element")
    several = len(op["outputs"]) > 1
    lines += [wrap(f"out: {'arrays' if several else 'an array'} to write to", "    ", "        "),
              "    channel_axis: -1: the last axis is channels; None: there are none; \"auto\": it is, if there are",
              "        three axes or more and it is 1 to 4 long",
              "    client: runs it; default: the client of this thread", "", "    Returns", "    -------"]
    lines += [wrap(f"{output['name']}: {help_of(op, output)}{SHAPES.get(output['shape'], '')}", "    ", "        ")
              for output in op["outputs"]]
    lines += ["", "    Raises", "    ------",
              "    TypeError, ValueError: wrong arguments", "    gpufilter.Error: what the daemon refuses",
              '    """']
    return lines


def function(op):
    required = [i for i in op["inputs"] if not i["optional"]]
    optional = [i for i in op["inputs"] if i["optional"]]
    several = len(op["outputs"]) > 1
    arguments = [f"{i['name']}: Data" for i in required]
    arguments += [f"{p['name']}: {annotation(op, p)} = {printed(default_in_python(op, p))}" for p in op["params"]]
    arguments += ["*"] + [f"{i['name']}: {optional_data(i)} | None = None" for i in optional]
    arguments += ["keepdims: bool = False"] if op["name"] in KEEPDIMS else []
    out = "Sequence[numpy.ndarray | None] | None" if several else "Array | None"
    arguments += [f"out: {out} = None", "channel_axis: int | Literal[\"auto\"] | None = \"auto\"",
                  "client: Client | None = None"]
    end = f") -> {result_type(op)}:".replace(" ", "\0")  # only what is in the parentheses may be broken
    lines = [wrap(f"def {op['name']}(" + ", ".join(arguments) + end, "",
                  " " * (len(op["name"]) + 5)).replace("\0", " ")]
    lines += docstring(op)
    given = "".join(f"{i['name']}, " for i in op["inputs"] if not i["optional"])
    given += "".join(f"{i['name']}, " for i in optional)
    values = "".join(f"{p['name']}, " for p in op["params"])
    if has_axis(op):
        keep = op["name"] in KEEPDIMS
        lines += [f"    if axis.__class__ is not str{' or keepdims is not False' if keep else ''}:",
                  "        from ._axes import along",
                  wrap(f"return along(OPS[\"{op['name']}\"], client, ({given.strip()}), ({values.strip()}), out, "
                       f"channel_axis, axis{', keepdims' if keep else ''})", "        ", " " * 21)]
    lines.append(wrap(f"return _call(OPS[\"{op['name']}\"], client, ({given.strip()}), ({values.strip()}), out, "
                      "channel_axis)", "    ", "                 "))
    return lines


def method(op):
    """The operation as a step of a pipe."""
    others = op["inputs"][1:]
    arguments = [f"{i['name']}: Data" for i in others if not i["optional"]]
    arguments += [f"{p['name']}: {annotation(op, p)} = {printed(default_in_python(op, p))}" for p in op["params"]]
    optional = [f"{i['name']}: {optional_data(i)} | None = None" for i in others if i["optional"]]
    arguments += ["*"] + optional if optional else []
    lines = [wrap(f"def {op['name']}(" + ", ".join(["self", *arguments]) + ")\0->\0Pipe:", "    ",
                  " " * (len(op["name"]) + 9)).replace("\0", " ")]
    lines.append(f'        """{op["help"]}; see gpufilter.{op["name"]}()."""')
    given = "".join(f"{i['name']}, " for i in others).strip()
    values = "".join(f"{p['name']}, " for p in op["params"]).strip()
    lines.append(wrap(f"return self._step(OPS[\"{op['name']}\"], ({given}), ({values}))", "        ", " " * 26))
    return lines


def printed(value):
    return f'"{value}"' if isinstance(value, str) else repr(value)


def table_row(op):
    def row(kind, *items):
        return f"{kind}({', '.join(items)})"

    def line(items):
        return "(" + ", ".join(items) + ("," if len(items) == 1 else "") + ")"

    inputs = [row("Input", f'"{i["name"]}"', f'"{i["kind"]}"', str(i["optional"]),
                  line([f'"{d}"' for d in i["dtypes"]])) for i in op["inputs"]]
    outputs = [row("Output", f'"{o["name"]}"', '"%s"' % OWN_FORMS.get((op["name"], o["name"]), FORMS[o["shape"]]),
                   f'"{meaning(op, o)}"')
               for o in op["outputs"]]
    params = [row("Param", f'"{p["name"]}"', '"flag"' if is_flag(p) else f'"{p["type"]}"', str(p["max_values"]),
                  printed(default_of(p))) for p in op["params"]]
    result = named_tuple(op) if len(outputs) > 1 else "None"
    return wrap(f'OPS["{op["name"]}"] = Op("{op["name"]}", {line(inputs)}, {line(outputs)}, {line(params)}, {result})',
                "", "    ")


def ops_of(client):
    """The op table, from the command."""
    return json.loads(subprocess.run([*client, "ops", "--json"], stdout=subprocess.PIPE, check=True).stdout)["ops"]


def main():
    ops = ops_of(sys.argv[1:])
    print(HEAD)
    for op in ops:
        if len(op["outputs"]) > 1:
            print(f'\nclass {named_tuple(op)}(NamedTuple):\n    """What {op["name"]} returns."""\n')
            for output in op["outputs"]:
                print(f"    {output['name']}: numpy.ndarray")
            for name, output, k in columns(op):
                print(f"\n    @property\n    def {name}(self) -> numpy.ndarray | numpy.generic:\n"
                      f'        """{name}, of each channel; from {output}."""\n        return self.{output}[..., {k}]')
            print()
    print()
    for op in ops:
        print(table_row(op))
    for op in ops:
        print("\n\n" + "\n".join(function(op)))
    print('\n\nclass Steps:\n    """The operations as methods of a pipe."""\n\n'
          '    def _step(self, op: Op, others: tuple, values: tuple) -> Pipe:\n        raise NotImplementedError')
    for op in ops:
        print("\n" + "\n".join(method(op)))
    names = [op["name"] for op in ops] + [named_tuple(op) for op in ops if len(op["outputs"]) > 1]
    print("\n\n" + wrap("__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]", "", "           "))


if __name__ == "__main__":
    main()
