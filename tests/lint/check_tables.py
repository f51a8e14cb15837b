#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row of a Markdown table has as many cells as its header, so that no `|` that is meant as text cuts one: in a
table it is written \\|, in code too. usage: check_tables.py ROOT"""
import re
import sys
from pathlib import Path

DELIMITER = re.compile(r"\|(?: ?:?-+:? ?\|)+$")


def cells(line):
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def check(path):
    """Rows of tables that differ from their header, as sentences; and how many tables there are."""
    wrong, tables, want, fenced = [], 0, 0, False
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        if fenced or not line.startswith("|"):
            want = 0
            continue
        if number < len(lines) and want == 0 and DELIMITER.match(lines[number].strip()):
            want = cells(line)
            tables += 1
        if cells(line) != want or not line.endswith("|"):
            wrong.append(f"{path}:{number}: {cells(line)} cells, the header has {want}; a | that is text is \\|")
    return wrong, tables


def main():
    root = Path(sys.argv[1])
    found = [check(path) for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])]
    wrong = [sentence for sentences, _ in found for sentence in sentences]
    tables = sum(n for _, n in found)
    print("\n".join(wrong or [f"{tables} tables"]))
    return 1 if wrong or tables == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
