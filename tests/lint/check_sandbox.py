#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the tables of system calls and of their arguments in docs/sandbox.md are those of calls.def and rules.def
in protocol/sandbox/, and that rules.def has a rule for each call whose arguments are checked; --write makes them so.
usage: check_sandbox.py ROOT [--write]"""
import os
import re
import sys

WORDS = {"YES": "yes", "ARGS": "by arguments", "NO": "refused", "KILL": "killed"}
PROCESSES = {"GF_SANDBOX_FRONT": "front", "GF_SANDBOX_CPU_WORKER": "CPU worker", "GF_SANDBOX_DECODER": "decoder",
             "GF_SANDBOX_COMPILER": "compiler", "GF_SANDBOX_METRICS": "metrics listener"}


def rows(path):
    """Calls that have the same six verdicts, in the order of the first of them."""
    found = {}
    with open(path, encoding="utf-8") as f:
        for name, verdicts in re.findall(r"^GF_(?:CALL|OLD)\((\w+), ([\w, ]+)\)", f.read(), re.M):
            found.setdefault(tuple(verdicts.split(", ")), []).append(name)
    return found


def table(path):
    text = "| system calls | front | CPU worker | CUDA worker | start | decoder | compiler | metrics listener |\n" + "| --- " * 8 + "|\n"
    for verdicts, names in rows(path).items():
        text += "| %s | %s |\n" % (" ".join("`%s`" % n for n in sorted(names)), " | ".join(WORDS[v] for v in verdicts))
    return text


def rules(path):
    """The rows (call, process, argument, mask, error, value, ...) in the order of the file."""
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"^GF_(?:OLD_)?RULE\((.*?)\)$", f.read(), re.M | re.S)
    return [[word.strip() for word in row.split(",")] for row in found]


def allowed(argument, mask, values):
    """What a rule allows, in words."""
    what = "argument %d" % (int(argument) + 1)
    listed = ", ".join(v if v.isdigit() else "`%s`" % v for v in values)
    if mask == "ALL_BITS":
        return "%s: %s" % (what, listed)
    bits = "bits `%s` of %s" % (mask.replace(" | ", "` and `"), what)
    return "%s: none" % bits if values == ["0"] else "%s: %s" % (bits, listed)


def rule_table(path, calls):
    """Rules with the same words share a row."""
    found, named = {}, set()
    for name, process, argument, mask, error, *values in rules(path):
        whose = PROCESSES.get(process, "others" if name in named else "all")
        named.add(name)
        words = (whose, allowed(argument, mask, values), "killed" if error == "0" else error)
        found.setdefault(words, []).append(name)
    missing = {n for verdicts, names in rows(calls).items() if "ARGS" in verdicts for n in names} ^ named
    if missing:
        sys.exit("%s: rules.def and calls.def must have the same calls by arguments" % ", ".join(sorted(missing)))
    text = "| system calls | processes | allowed | else |\n| --- | --- | --- | --- |\n"
    for words, names in found.items():
        text += "| %s | %s |\n" % (" ".join("`%s`" % n for n in names), " | ".join(words))
    return text


def main():
    root = sys.argv[1]
    page = os.path.join(root, "docs/sandbox.md")
    calls, of_arguments = (os.path.join(root, "protocol/sandbox", name) for name in ("calls.def", "rules.def"))
    with open(page, encoding="utf-8") as f:
        want = is_there = f.read()
    for name, text in (("calls.def", table(calls)), ("rules.def", rule_table(of_arguments, calls))):
        mark = "<!-- %s -->\n" % name
        before, _, after = want.split(mark)
        want = mark.join((before, text, after))
    if "--write" in sys.argv[2:]:
        with open(page, "w", encoding="utf-8") as f:
            f.write(want)
        return 0
    if want == is_there:
        return 0
    print("docs/sandbox.md is not what protocol/sandbox/*.def say; tests/lint/check_sandbox.py . --write makes it so")
    return 1


if __name__ == "__main__":
    sys.exit(main())
