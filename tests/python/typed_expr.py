# SPDX-License-Identifier: MIT
"""Expressions of docs/numerics.md, "Expressions", in numpy: types and values, written from that page alone, with
Python's own parser. Called by test_expr.py."""
import ast
import re

import numpy as np
from typed_operators import INT64, NUMPY, RANGES, VALUES, to_integer

EXACT = 2**24
INTEGERS, FLOATS = ("i64", "u64"), ("f32", "f64")


class Refused(Exception):
    """The text is not valid."""


class Value:
    """A typed array; `even` where it is of literals alone, `range` what an i64 can be."""

    def __init__(self, kind, array, even=False, range=None):
        self.kind, self.array, self.even = kind, np.asarray(array, NUMPY[kind]), even
        self.range = range if range is not None else INT64


def refuse(when, why):
    if when:
        raise Refused(why)


# ---- conversions ----

def convert(value, kind, even=False):
    """A value of another type."""
    if kind in INTEGERS:
        array = to_integer(value.array, kind)
    else:
        array = value.array != 0 if kind == "bool" else value.array.astype(NUMPY[kind])
    range = (0, 1) if value.kind == "bool" else value.range if value.kind == "i64" else INT64
    return Value(kind, array, even, range)


# ---- where operands meet ----

def is_exact(value):
    """Whether an integer is within what f32 has."""
    return value.kind == "bool" or (value.kind == "i64" and -EXACT <= value.range[0] and value.range[1] <= EXACT)


def common(values, floats):
    """The common type of operands; with `floats` the operator takes no integers."""
    typed = [v for v in values if not v.even]
    kinds = {v.kind for v in typed}
    literals = [v for v in values if v.even]
    refuse({"i64", "u64"} <= kinds, "i64 and u64")
    if not floats and not any(v.kind in FLOATS for v in values):
        if "u64" in kinds or any(v.kind == "u64" for v in literals):
            refuse("i64" in kinds, "a literal above 2^63 - 1 and i64")
            refuse(any(v.kind == "i64" and v.range[0] < 0 for v in literals), "a literal below 0 and u64")
            return "u64"
        return "i64"
    if not typed or "f64" in kinds:
        return "f64"
    return "f32" if all(is_exact(v) or v.kind == "f32" for v in typed) else "f64"


def meet(values, floats=False):
    """Operands of one type, and whether all of them are literals."""
    kind, even = common(values, floats), all(v.even for v in values)
    return [v if v.kind == kind else convert(v, kind, even) for v in values], even


def compute(name, values, even, kind=None):
    """Applies an operator to operands of their common type."""
    array = VALUES[name](*[v.array for v in values])
    kind = kind or values[0].kind
    range = None
    if kind == "i64":
        range = RANGES[name](*[v.range for v in values])
        assert array.size == 0 or range[0] <= int(array.min()) and int(array.max()) <= range[1], (name, range)
    return Value(kind, array, even, range)


# ---- operators and functions ----

def numbers(values):
    refuse(any(v.kind == "bool" for v in values), "a bool")


def arithmetic(name, *values):
    met, even = meet(values, floats=name == "/")
    return compute(name, met, even)


def compare(name, x, y):
    if name in (">", ">="):
        name, x, y = {">": "<", ">=": "<="}[name], y, x
    both = x.kind == y.kind == "bool" and name in ("==", "!=")
    met, even = ([x, y], x.even and y.even) if both else meet((x, y))
    return compute(name, met, even, "bool")


def bitwise(name, *values):
    kinds = {v.kind for v in values}
    refuse(kinds & set(FLOATS) or ("bool" in kinds and (len(kinds) > 1 or name in ("<<", ">>"))), "bits")
    met, even = (values, all(v.even for v in values)) if kinds == {"bool"} else meet(values)
    return compute(name, met, even)


def select(c, x, y):
    refuse(c.kind != "bool", "no condition")
    met, even = ([x, y], x.even and y.even) if x.kind == y.kind == "bool" else meet((x, y))
    lows, highs = zip(*[v.range for v in met])
    return Value(met[0].kind, np.where(c.array, met[0].array, met[1].array), even, (min(lows), max(highs)))


def multiply_add(x, y, z):
    met, even = meet((x, y, z))
    if met[0].kind in FLOATS:
        return compute("fma", met, even)
    return compute("+", [compute("*", met[:2], even), met[2]], even)


def rounding(name, value):
    numbers([value])
    return value if value.kind in INTEGERS else compute(name, [value], value.even)


def unary(name, value, floats=False):
    numbers([value])
    met, even = meet([value], floats)
    return compute(name, met, even)


def fold(name, *values):
    refuse(not 2 <= len(values) <= 8, "two to eight values")
    result = values[0]
    for value in values[1:]:
        result = arithmetic(name, result, value)
    return result


def is_nan(value):
    numbers([value])
    if value.kind in INTEGERS:
        return Value("bool", np.zeros(value.array.shape), True)
    return compute("isnan", [value], value.even, "bool")


def cast(kind, value):
    if value.kind == kind and (kind == "bool" or not value.even):
        return value
    return convert(value, kind)


CALLS = {
    **{name: lambda v, name=name: unary(name, v) for name in ("abs", "sign")},
    **{name: lambda v, name=name: rounding(name, v) for name in ("floor", "ceil", "round", "trunc")},
    **{name: lambda v, name=name: unary(name, v, True) for name in ("sqrt", "exp", "log", "sin", "cos")},
    **{name: lambda x, y, name=name: compute(name, *meet((x, y), True)) for name in ("pow", "atan2")},
    **{name: lambda *v, name=name: fold(name, *v) for name in ("min", "max")},
    **{kind: lambda v, kind=kind: cast(kind, v) for kind in NUMPY}, "isnan": is_nan, "fma": multiply_add,
    "select": select, "clamp": lambda v, lo, hi: fold("min", fold("max", v, lo), hi)}

BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&",
          ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
LITERALS = {"pi": np.pi, "inf": np.inf, "nan": np.nan, "true": True, "false": False}


# ---- texts ----

def sample(array):
    kind = {"u8": "u64", "f2": "f32", "f4": "f32", "f8": "f64"}.get(array.dtype.str[1:], "i64")
    info = np.iinfo(array.dtype) if kind == "i64" else None
    return Value(kind, array, range=(int(info.min), int(info.max)) if info else None)


class Text:
    """One expression over inputs; arrays of rows and columns, or of rows, columns and channels."""

    def __init__(self, inputs, pixels):
        self.inputs, self.pixels, self.names = inputs, pixels, {}
        self.height, self.width = inputs["a"].shape[:2]
        self.shape = (self.height, self.width, 1 if pixels else max(a.shape[2] for a in inputs.values()))

    def literal(self, value):
        kind = "bool" if isinstance(value, bool) else "f64" if isinstance(value, float) else "i64"
        if kind == "i64" and value > INT64[1]:
            kind = "u64"
        refuse(kind in INTEGERS and not INT64[0] <= value < 2**64, "too great")
        return Value(kind, np.full(self.shape, value, NUMPY[kind]), True, (value, value) if kind == "i64" else None)

    def name(self, name):
        if name in self.names:
            return self.names[name]
        if name in self.inputs:
            array = self.inputs[name]
            refuse(self.pixels and array.shape[2] > 1, "a bare name of several channels")
            return sample(np.broadcast_to(array, self.shape))
        if name in LITERALS:
            return self.literal(LITERALS[name])
        rows, columns, channels = np.indices(self.shape)
        places = {"x": (columns, 0, EXACT - 1), "y": (rows, 0, EXACT - 1), "w": (self.width, 1, EXACT),
                  "h": (self.height, 1, EXACT), **({} if self.pixels else {"ch": (channels, 0, 3)})}
        refuse(name not in places, f"no name {name}")
        array, lo, hi = places[name]
        return Value("i64", np.broadcast_to(array, self.shape), range=(lo, hi))

    def value(self, node):
        if isinstance(node, ast.Constant):
            return self.literal(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Subscript):
            array = self.inputs[node.value.id]
            refuse(node.slice.value >= array.shape[2], "no such channel")
            return sample(array[:, :, node.slice.value:node.slice.value + 1])
        if isinstance(node, ast.UnaryOp):
            return self.signed(node)
        if isinstance(node, ast.BinOp):
            name, values = BINARY[type(node.op)], (self.value(node.left), self.value(node.right))
            return (bitwise if name in ("&", "|", "^", "<<", ">>") else arithmetic)(name, *values)
        if isinstance(node, ast.Compare):
            refuse(len(node.ops) > 1, "a chain")
            return compare(COMPARE[type(node.ops[0])], self.value(node.left), self.value(node.comparators[0]))
        return CALLS[node.func.id](*[self.value(v) for v in node.args])

    def signed(self, node):
        operand = node.operand
        beside = operand.col_offset == node.col_offset + 1  # no parenthesis between them
        if isinstance(node.op, ast.USub) and isinstance(operand, ast.Constant) and beside:
            return self.literal(-operand.value)
        value = self.value(operand)
        if isinstance(node.op, ast.Invert):
            return bitwise("not", value)
        numbers([value])
        return value if isinstance(node.op, ast.UAdd) else compute("neg", [value], value.even)


def evaluate(text, inputs, settings=None):
    """The results of a text, over a dict of arrays of three axes, as typed values. Refused where it means nothing."""
    *definitions, results = [part.strip() for part in text.rstrip("; ").split(";")]
    tree = ast.parse(results, mode="eval").body
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    of = Text(inputs, len(parts) > 1 or re.search(r"\b[a-d]\[", text) is not None)
    with np.errstate(all="ignore"):
        for definition in definitions:
            param, name, value = re.fullmatch(r"(param )?\s*(\w+)\s*=\s*(.*)", definition).groups()
            number = of.value(ast.parse(value, mode="eval").body)
            if param and name in (settings or {}):
                refuse(number.kind in INTEGERS and isinstance(settings[name], float), "a whole parameter")
                number = of.literal(settings[name] if number.kind in INTEGERS else float(settings[name]))
            of.names[name] = number
        return [of.value(part) for part in parts]
