#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Links between documents lead somewhere: the file is there and so is the heading, and what code and documents call
`numerics.md, "NAME"` is a heading of that page, not a number. Every row of a Markdown table has as many cells as its
header, so that no `|` that is meant as text cuts one: in a table it is written \\|, in code too.
usage: check_docs.py ROOT"""
import os
import re
import sys
from pathlib import Path

FOLDERS = ("bench", "client", "cmake", "docs", "kernels", "protocol", "python", "samples", "scripts", "server", "tests")
GAP = r"(?:\s+(?:\*(?!/)|#|//)?\s*)"  # white space, over the ends of the lines of a comment
NAMED = re.compile(rf'numerics\.md(?:{GAP}of{GAP}gpufilterd-doc)?,{GAP}"([^"]+)"((?:(?:,|,?{GAP}and){GAP}"[^"]+")*)')
NUMBERED = re.compile(rf"numerics\.md\)?,?{GAP}(?:[Ss]ections?{GAP})?\d")
LINK = re.compile(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)")
DELIMITER = re.compile(r"\|(?: ?:?-+:? ?\|)+$")


def headings(text):
    return re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", text))


def anchors(text):
    """What GitHub makes of each heading."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings(text)}


def sources(root):
    for folder in FOLDERS:
        for here, folders, names in os.walk(root / folder):
            folders[:] = [name for name in folders if not name.startswith((".", "__"))]
            yield from (Path(here, name) for name in names
                        if name.endswith((".c", ".h", ".cu", ".cuh", ".def", ".py", ".md", ".txt", ".cmake")))
    yield from root.glob("*.md")


def cells(line):
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def check_tables(path):
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


def check_links(root):
    """Links and references that lead nowhere, as sentences; and how many there are."""
    sections = set(headings((root / "docs/numerics.md").read_text(encoding="utf-8")))
    wrong, found = [], 0
    for path in sorted(sources(root)):
        if path.name == Path(__file__).name:
            continue
        text = path.read_text(encoding="utf-8")

        def where(match):
            return "%s:%d" % (path, text.count("\n", 0, match.start()) + 1)
        for match in NAMED.finditer(text):
            for name in [match[1], *re.findall(r'"([^"]+)"', match[2])]:
                found += 1
                name = re.sub(GAP, " ", name)
                if name not in sections:
                    wrong.append(f'{where(match)}: docs/numerics.md has no section "{name}"')
        wrong += [f"{where(m)}: sections of docs/numerics.md have names, not numbers" for m in NUMBERED.finditer(text)]
        if path.suffix != ".md":
            continue
        for match in LINK.finditer(re.sub(r"`[^`\n]*`", lambda code: " " * len(code[0]), text)):
            found += 1
            page = (path.parent / match[1]).resolve() if match[1] else path
            if not page.exists():
                wrong.append(f"{where(match)}: there is no {match[1]}")
            elif match[2] and page.suffix == ".md" and match[2] not in anchors(page.read_text(encoding="utf-8")):
                wrong.append(f"{where(match)}: {page.name} has no heading #{match[2]}")
    return wrong, found


def main():
    root = Path(sys.argv[1])
    wrong, links = check_links(root)
    pages = [check_tables(path) for path in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])]
    wrong += [sentence for sentences, _ in pages for sentence in sentences]
    tables = sum(n for _, n in pages)
    print("\n".join(wrong or [f"{links} links and references, {tables} tables"]))
    return 1 if wrong or links < 300 or tables == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
