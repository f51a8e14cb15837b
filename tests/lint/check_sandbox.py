#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the table of system calls in docs/sandbox.md is that of server/sandbox/calls.def; with --write makes it
so. usage: check_sandbox.py ROOT [--write]"""
import os
import re
import sys

MARK = "<!-- calls.def -->\n"
WORDS = {"YES": "yes", "ARGS": "by arguments", "NO": "refused", "KILL": "killed"}


def rows(path):
    """Calls that have the same four verdicts, in the order of the first of them."""
    found = {}
    with open(path, encoding="utf-8") as f:
        for name, *verdicts in re.findall(r"^GF_(?:CALL|OLD)\((\w+), (\w+), (\w+), (\w+), (\w+)\)", f.read(), re.M):
            found.setdefault(tuple(verdicts), []).append(name)
    return found


def table(path):
    text = "| system calls | front | CPU worker | CUDA worker | start |\n| --- | --- | --- | --- | --- |\n"
    for verdicts, names in rows(path).items():
        text += "| %s | %s |\n" % (" ".join("`%s`" % n for n in sorted(names)), " | ".join(WORDS[v] for v in verdicts))
    return text


def main():
    root = sys.argv[1]
    page = os.path.join(root, "docs/sandbox.md")
    with open(page, encoding="utf-8") as f:
        before, _, after = f.read().split(MARK)
    want = MARK.join((before, table(os.path.join(root, "server/sandbox/calls.def")), after))
    if "--write" in sys.argv[2:]:
        with open(page, "w", encoding="utf-8") as f:
            f.write(want)
        return 0
    with open(page, encoding="utf-8") as f:
        if f.read() == want:
            return 0
    print("docs/sandbox.md is not what server/sandbox/calls.def says; tests/lint/check_sandbox.py . --write makes it so")
    return 1


if __name__ == "__main__":
    sys.exit(main())
