# SPDX-License-Identifier: MIT
"""Reads docs/vectors.tar by docs/numerics.md, "Test vectors", alone, as a stranger would: checks every line of the
manifest and that every file is used, computes the plainest operations with NumPy and compares the hashes. Skipped (77)
without NumPy.
usage: check_vectors.py ARCHIVE"""
import collections
import hashlib
import io
import re
import sys
import tarfile

try:
    import numpy as np
except ImportError:
    print("skipped: there is no NumPy")
    sys.exit(77)

DTYPES = {word: np.dtype("<%s%d" % (word[0], int(word[1:]) // 8))
          for word in ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64")}
NANS = {"f16": 0x7E00, "f32": 0x7FC00000, "f64": 0x7FF8000000000000}
SHAPE = r"(?P<width>\d+)x(?P<height>\d+)x(?P<channels>[1-4]) (?P<dtype>\w+)"
LINES = {"input": re.compile(r"input (?P<name>\w+) %s (?P<file>[\w.]+\.npy)" % SHAPE),
         "param": re.compile(r"param (?P<name>\w+) (?P<value>.+)"),
         "output": re.compile(r"output (?P<name>\w+) %s (?P<hash>[0-9a-f]{64})( (?P<bytes>([0-9a-f]{2})+))?" % SHAPE),
         "refused": re.compile(r"refused (?P<status>[A-Z_]+)")}

Case = collections.namedtuple("Case", "name op inputs params outputs refused")


def shape_of(match):
    return int(match["height"]), int(match["width"]), int(match["channels"])


def parse(manifest, files):
    """Yields the cases. An input has the samples of its file, from the first again where it is larger."""
    first, *blocks = manifest.split("\n\n")
    assert first == "gpufilterd test vectors, form 1", first
    for block in blocks:
        head, *lines = block.rstrip("\n").split("\n")
        op = re.fullmatch(r"case (\w+) \d+", head)[1]
        case = Case(head, op, {}, {}, {}, [])
        for line in lines:
            match = LINES[line.split(" ", 1)[0]].fullmatch(line)
            assert match, "%s: %s" % (head, line)
            if line.startswith("param"):
                case.params[match["name"]] = match["value"]
            elif line.startswith("refused"):
                case.refused.append(match["status"])
            elif line.startswith("output"):
                case.outputs[match["name"]] = match
            else:
                file = files[match["file"]]
                assert file.dtype == DTYPES[match["dtype"]] and file.shape[2] == int(match["channels"]), line
                case.inputs[match["name"]] = np.resize(file, shape_of(match))
        assert case.inputs and (case.refused == [] if case.outputs else len(case.refused) == 1), head
        for match in case.outputs.values():
            size = DTYPES[match["dtype"]].itemsize * int(np.prod(shape_of(match)))
            shown = bytes.fromhex(match["bytes"] or "")
            assert len(shown) == (size if size <= 32 else 0), head
            assert not shown or hashlib.sha256(shown).hexdigest() == match["hash"], head
        yield case


def numbers(text):
    return [int(word) for word in text.split(",")]


def border(name, i, n):
    """docs/numerics.md, "Borders": the index of sample i, -1 for the constant."""
    if name == "constant":
        return np.where((i < 0) | (i >= n), -1, i)
    if name == "replicate":
        return np.clip(i, 0, n - 1)
    if name == "wrap":
        return i % n
    period = max(2 * n - 2 * (name == "reflect101"), 1)
    return np.minimum(i % period, period - (name == "reflect") - i % period) if n > 1 else 0 * i


def pad(a, p):
    m = numbers(p["margin"])
    left, top, right, bottom = m if len(m) == 4 else 2 * m if len(m) == 2 else 4 * m
    y = border(p["border"], np.arange(-top, a.shape[0] + bottom), a.shape[0])
    x = border(p["border"], np.arange(-left, a.shape[1] + right), a.shape[1])
    out = a[y][:, x]
    out[(y < 0)[:, None] | (x < 0)] = np.array([float(v) for v in p["border_value"].split(",")]).astype(a.dtype)
    return out


def crop(a, p):
    x, y = (2 * numbers(p.get("at", "0")))[:2]
    w, h = (2 * numbers(p["size"]))[:2] if "size" in p else (a.shape[1] - x, a.shape[0] - y)
    return a[y:y + h, x:x + w]


def flip(a, p):
    return a[::-1 if p["axis"] != "x" else 1, ::-1 if p["axis"] != "y" else 1]


def transpose(a, p):
    return (a if p["diagonal"] == "main" else a[::-1, ::-1]).swapaxes(0, 1)


def merge(p, *pictures):
    joined = np.concatenate(pictures, axis=2)
    greatest = 1 if joined.dtype.kind == "f" else np.iinfo(joined.dtype).max
    if "order" not in p:
        return joined
    return np.stack([joined[..., c - 1] if c else np.full(joined.shape[:2], greatest, joined.dtype)
                     for c in numbers(p["order"])], axis=2)


def sequences(a, axis):
    """The axis along which sequences lie, and the array with one line of them where they are whole channels."""
    return (a.reshape(1, -1, a.shape[2]), 1) if axis == "all" else (a, 1 if axis == "rows" else 0)


def reduced(a, p):
    a, axis = sequences(a, p["axis"])
    exact = a.astype(object)
    op = p["op"]
    if op in ("sum", "product"):
        out = (np.sum if op == "sum" else np.prod)(exact, axis=axis, keepdims=True)
        lo, hi = (0, 2**64 - 1) if a.dtype.kind == "u" else (-2**63, 2**63 - 1)
        if p["overflow"] == "error" and not all(lo <= v <= hi for v in out.flat):
            return "RESULT_OVERFLOW"
        return np.array([v % 2**64 for v in out.flat], "<u8").reshape(out.shape)
    if op in ("min", "max"):
        return getattr(np, op)(a, axis=axis, keepdims=True)
    if op in ("argmin", "argmax"):
        return np.expand_dims(getattr(np, op)(a, axis=axis), axis).astype("<u8")
    if op in ("count", "any", "all"):
        out = {"count": np.sum, "any": np.any, "all": np.all}[op](a != 0, axis=axis, keepdims=True)
        return out.astype("<u8" if op == "count" else "u1")
    if op == "mean":
        return np.sum(exact, axis=axis, keepdims=True).astype("<f8") / a.shape[axis]
    return None


def in_order(a, p, indices):
    a, axis = sequences(a, p["axis"])
    order = np.argsort(~a if p["descending"] == "1" else a, axis=axis, kind="stable")
    return order.astype("<u8") if indices else np.take_along_axis(a, order, axis)


def histogram(a, p):
    plain = {"bins": "0", "lo": "0", "hi": "0", "range": "auto", "density": "0"}
    if p["channels"] == "luma" or any(p[name] != value for name, value in plain.items()):
        return None
    channels = [a[..., c] for c in range(a.shape[2] - (p["channels"] == "colour" and a.shape[2] % 2 == 0))]
    counts = np.array([np.bincount(c.ravel(), minlength=256) for c in channels], "<u8")
    return {"counts": np.cumsum(counts, axis=1, dtype="<u8") if p["cumulative"] == "1" else counts,
            "outside": np.zeros((len(channels), 3), "<u8"), "edges": np.arange(257, dtype="<f8")}


def combine(a, b, p):
    least, greatest = np.minimum(a, b), np.maximum(a, b)
    if p["dtype"] != "same" or a.shape[2] % 2 == 0:
        return None
    return {"absdiff": greatest - least, "min": least, "max": greatest}.get(p["mode"])


def matmul(a, b, p):
    with np.errstate(over="ignore"):
        return a[..., 0].astype("<i8") @ b[..., 0].astype("<i8") if p["overflow"] == "wrap" else None


def computed(case):
    """What NumPy makes of a case: the outputs by name, or the one output, or a status; None where that is not done."""
    a, *others = case.inputs.values()
    p = case.params
    integers = a.dtype.kind in "ui"
    if case.op == "copy":
        return a if p["channel"] == "0" else a[..., int(p["channel"]) - 1]
    if case.op == "rotate":
        return np.rot90(a, -(int(p["angle"]) // 90))
    if case.op in ("crop", "pad", "flip", "transpose"):
        return {"crop": crop, "pad": pad, "flip": flip, "transpose": transpose}[case.op](a, p)
    if case.op == "merge":
        return merge(p, a, *others)
    if case.op == "reduce" and integers and not others:
        return reduced(a, p)
    if case.op in ("sort", "argsort") and integers:
        return in_order(a, p, case.op == "argsort")
    if case.op == "histogram" and a.dtype == np.uint8 and not others:
        return histogram(a, p)
    if case.op == "combine" and a.dtype == np.uint8:
        return combine(a, others[0], p)
    if case.op == "matmul" and integers:
        return matmul(a, others[0], p)
    return None


def stored(a, match):
    """The bytes of docs/numerics.md, "Store": a NaN is one NaN."""
    a = np.ascontiguousarray(a)
    if a.dtype.kind == "f":
        a = a.copy()
        a.view("<u%d" % a.dtype.itemsize)[np.isnan(a)] = NANS[match["dtype"]]
    return a.tobytes()


def check(case):
    """Whether the case was recomputed; a line for each difference."""
    got = computed(case)
    if got is None:
        return False, []
    if isinstance(got, str):
        return True, [] if case.refused == [got] else ["%s: not refused with %s" % (case.name, got)]
    if case.refused:
        return True, ["%s: refused with %s, where NumPy has a result" % (case.name, case.refused[0])]
    if not isinstance(got, dict):
        got = dict.fromkeys(case.outputs, got)
    return True, ["%s: %s differs" % (case.name, name) for name, match in case.outputs.items()
                  if hashlib.sha256(stored(got[name], match)).hexdigest() != match["hash"]]


def main():
    with tarfile.open(sys.argv[1]) as tar:
        members = {member.name: tar.extractfile(member).read() for member in tar}
    manifest = members.pop("vectors/manifest.txt").decode("ascii")
    files = {name[len("vectors/"):]: np.load(io.BytesIO(data)) for name, data in members.items()}
    cases = list(parse(manifest, files))
    unused = set(files) - set(re.findall(r"[\w.]+\.npy", manifest))
    bad = ["%s is the input of no case" % name for name in sorted(unused)]
    recomputed = collections.Counter()
    for case in cases:
        done, differences = check(case)
        recomputed[case.op] += done
        bad += differences
    names = "copy rotate crop pad flip transpose merge reduce sort argsort histogram combine matmul".split()
    bad += ["no case of %s was recomputed" % op for op in names if not recomputed[op]]
    print("\n".join(bad))
    print("%d cases of %d operations, %d files, %d cases recomputed, %d failed" %
          (len(cases), len(recomputed), len(files), sum(recomputed.values()), len(bad)))
    return bool(bad)


sys.exit(main())
