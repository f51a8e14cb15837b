# SPDX-License-Identifier: MIT
"""Programs: the structure of the op table, parameters as text, and the parsing of a text into steps, operands and
outputs. Holds no data and knows no numpy arrays; used by _ops.py (the table), _client.py and _pipe.py."""
import functools
import math
import operator
import re
from collections.abc import Mapping
from typing import NamedTuple


class Input(NamedTuple):
    name: str
    kind: str  # image, buffer, matrix: data of any size; coefs: a mask; list: a row of numbers
    optional: bool
    dtypes: tuple  # words: "u8", ...


class Output(NamedTuple):
    name: str
    form: str  # how its view becomes an array's shape, see _views.shape_of
    meaning: str  # of the samples, see _views.dtype_of: "count", "truth", "number", "sample" of the first input, or ""


class Param(NamedTuple):
    name: str
    kind: str  # u32, f32, f64, enum, flag, text
    max_values: int
    default: object


class Op(NamedTuple):
    name: str
    inputs: tuple
    outputs: tuple
    params: tuple
    result: object  # makes one value from several outputs; None: there is one output


OPS: "dict[str, Op]" = {}  # by name; filled by _ops.py

# The numpy names of the words of `dtype`.
NUMPY_NAMES = {"u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "u32": "uint32", "i32": "int32",
               "u64": "uint64", "i64": "int64", "f32": "float32", "f64": "float64", "f16": "float16"}
_WORDS = {name: word for word, name in NUMPY_NAMES.items()}
_WORD = re.compile(r"[\w:.+-]+")
_TOKEN = re.compile(r"""\||'[^']*'|"[^"]*"|([^\s|='"]+)(?:=('[^']*'|"[^"]*"|[^\s|]*))?|['"=]""")


def shown(value):
    """A value in an error text, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print whole numbers of so many digits
        return f"of type {type(value).__name__}, too long to print"
    text = " ".join(text.split())
    return text if len(text) <= 100 else text[:97] + "..."


def _plain(value):
    """Converts a number of numpy to Python's, because numpy 2 prints np.float64(3.0)."""
    return value.item() if hasattr(value, "item") else value


def _single(value):
    """A number as the text of the nearest float32, ties to even; of any other size as the text of the number."""
    import numpy
    if isinstance(value, int) and value.bit_length() > 53:  # the last bit stands for all that are cut off
        cut = value.bit_length() - 53
        value = math.ldexp(value >> cut | (value & (1 << cut) - 1 != 0), cut)
    double = float(value)
    with numpy.errstate(over="ignore"):
        single = numpy.float32(value if isinstance(value, numpy.longdouble) else double)
    return str(single) if numpy.isfinite(single) else repr(double)


def _number(op, param, value, name=None):
    """A number as text, for a parameter, or for `name` in a parameter that is a mapping, where whole numbers stay
    whole."""
    try:
        value = _plain(value)
        if isinstance(value, (str, bytes)):
            raise TypeError
        whole = param.kind in ("u32", "flag")
        if whole and not hasattr(value, "__index__") and float(value).is_integer():
            value = int(value)
        if whole or name and hasattr(value, "__index__"):
            value = int(operator.index(value))
            if value.bit_length() > 128:  # Python does not print every number, and no range has so many digits
                raise OverflowError
            return str(value)
        return _single(value) if param.kind == "f32" else repr(float(value))
    except (TypeError, ValueError, OverflowError):
        kind = "a whole number" if param.kind == "u32" else "True or False" if param.kind == "flag" else "a number"
        what = f"{param.name}: {name}" if name else param.name
        raise TypeError(f"{op.name}: {what}={shown(value)} is not {kind}") from None


def _quoted(op, param, value):
    """A text in quotes; its lines are joined to one. A parameter of names and numbers may be a mapping."""
    if isinstance(value, Mapping):
        value = ", ".join(f"{name}={_number(op, param, number, name)}" for name, number in value.items())
    if not isinstance(value, str):
        raise TypeError(f"{op.name}: {param.name}={shown(value)} is not a string")
    if "\0" in value:
        raise ValueError(f"{op.name}: {param.name}={shown(value)} has a character that no text has")
    if "'" in value and '"' in value:
        raise ValueError(f"{op.name}: {param.name}={shown(value)} has quotes of both kinds")
    quote = '"' if "'" in value else "'"
    return quote + re.sub(r"[\n\r\t]", " ", value) + quote


def _value(op, param, value):
    """One parameter as text."""
    if param.kind == "text":
        return _quoted(op, param, value)
    if param.kind == "enum":
        if param.name == "dtype" and not isinstance(value, str):
            from ._views import dtype_named
            value = dtype_named(op.name, value).name
        word = _WORDS.get(value, value) if isinstance(value, str) else shown(value)
        if not _WORD.fullmatch(word) or len(word) > 100:
            raise ValueError(f"{op.name}: {param.name}={shown(value)} is not a word")
        return word
    if param.max_values > 1 and not isinstance(value, (str, bytes)) and hasattr(value, "__len__") and \
            getattr(value, "ndim", 1):
        if not 1 <= len(value) <= param.max_values:
            raise ValueError(f"{op.name}: {param.name} has {len(value)} values; allowed: 1 to {param.max_values}")
        return ",".join([_number(op, param, v) for v in value])
    return _number(op, param, value)


def _is_default(value, default):
    if isinstance(default, (int, float)) and isinstance(value, (int, float)):
        return value == default and math.copysign(1, value) == math.copysign(1, default)
    return isinstance(value, str) and value == default


_DECLARED = r"\bparam\s+{}\s*=\s*-?\s*(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?"


def _with_infinities(op, values):
    """Infinities and NaN are names in an expression, and no numbers: a mapping's are written in place of the
    declarations."""
    at = [param.name for param in op.params].index("set")
    numbers = {name: _plain(number) for name, number in values[at].items()}
    values = list(values)
    for name, number in numbers.items():
        if isinstance(number, float) and not math.isfinite(number):
            declared, found = re.compile(_DECLARED.format(re.escape(str(name)))), False
            for i, (param, text) in enumerate(zip(op.params, values)):
                if param.kind == "text" and isinstance(text, str):
                    values[i], n = declared.subn(f"{name} = {number!r}", text)
                    found = found or n > 0
            if not found:
                raise ValueError(f"{op.name}: set: {name}={number}; no expression declares it with a point or an "
                                 f"exponent, as in param {name} = 1.0;")
    values[at] = {name: n for name, n in numbers.items() if not isinstance(n, float) or math.isfinite(n)} or None
    return values


def step_text(op, refs, values):
    """A step as text. `refs` are (input's name, "@1") for inputs that are named; values are in the order of the table,
    and defaults are left out."""
    text = op.name
    if any(param.name == "set" and isinstance(value, Mapping) for param, value in zip(op.params, values)):
        values = _with_infinities(op, values)
    for name, ref in refs:
        text += f" {name}={ref}"
    for param, value in zip(op.params, values):
        if value is not param.default and value is not None and not _is_default(value, param.default):
            text += f" {param.name}={_value(op, param, value)}"
    return text


class Wanted(NamedTuple):
    """An output of the last step, and what its shape and dtype depend on."""
    output: "bytes | None"  # its name for the library, kept here because results have only its address
    name: str
    form: str
    meaning: str
    axis: str
    segments: bool


# What some reductions make; all others compute numbers.
_REDUCED = {"sum": "number", "product": "number", "argmin": "count", "argmax": "count", "count": "count", "any": "truth", "all": "truth", "min": "sample",
            "max": "sample"}


def _meaning(op, output, named):
    return _REDUCED.get(named.get("op", "sum"), "") if op.name in ("reduce", "scan") else output.meaning


OF_TRUTH = ("label", "distance")  # only ask whether a sample is 0


def _chooses(op, named):
    """Whether a step only chooses between samples, so that bool stays bool."""
    return op is not None and op.outputs[0].meaning == "sample" and \
        set(named.get("border_value", "0").split(",")) <= {"0", "1", "0.0", "1.0"}


class Program:
    """A parsed text. The library reports errors in the parts that are not understood here."""

    def __init__(self, text, own):
        self.text = text
        self.own = own  # made here: the caller has never seen the text
        self.encoded = text.encode()
        self.operands = {}  # Op and Input that first uses each operand, by its number
        self.steps = []
        named, op, next_operand = {}, None, 0

        def end_step():
            nonlocal next_operand
            for i, input in enumerate(op.inputs if op else ()):
                ref = named.get(input.name)
                if ref is None and i == 0 and not self.steps:
                    ref = "@0"
                elif ref is None and i > 0 and not input.optional:
                    ref = f"@{next_operand}"
                if ref is not None and re.fullmatch(r"@\d+", ref):
                    self.operands.setdefault(int(ref[1:]), (op, input))
                    next_operand = max(next_operand, int(ref[1:]) + 1)
            self.steps.append((op, named))

        for match in _TOKEN.finditer(text):
            name, value = match.groups()
            if match[0] == "|":
                end_step()
                named, op = {}, None
            elif value is None and op is None:
                op = OPS.get(name)
            elif value is not None:
                named[name] = value.strip("'\"")
        end_step()
        last, named = self.steps[-1]
        chosen = all(_chooses(*step) for step in self.steps[:-1])
        self.takes_truth = chosen and last is not None and (_chooses(last, named) or last.name in OF_TRUTH)
        outputs = last.outputs if last else (Output("dst", "picture", ""),)
        meanings = [_meaning(last, output, named) if last else "" for output in outputs]
        self.wanted = [Wanted(output.name.encode() if last else None, output.name, output.form,
                              meaning if chosen or meaning != "sample" else "", named.get("axis", "all"),
                              "segments" in named)
                       for output, meaning in zip(outputs, meanings)]
        self.name = last.name if last else "the program"
        self.result = last.result if last else None


program_of = functools.lru_cache(maxsize=512)(Program)
