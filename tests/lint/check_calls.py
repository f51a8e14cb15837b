#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a function is defined no higher than it is declared, in the orders of includes.rules: a file that includes
the header would otherwise call upwards. Functions declared by a type (gf_command_fn gf_cmd_ping) are left out: they are
the entries of a table, which calls them from above. usage: check_calls.py ROOT"""
import os
import re
import sys

from check_includes import against_order, read_rules, sources

NOISE = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
PER_ISA = re.compile(r"\bGF_ISA_NAME\((\w+)\)")
FUNCTION = re.compile(r"\b([a-z]\w*)\s*\(")


def functions(text):
    """Pairs of the name of each function with external linkage and whether its body follows."""
    text = PER_ISA.sub(r"\1", NOISE.sub(lambda m: '"C"' if m.group(0) == '"C"' else " ", text))
    text = re.sub(r'\bextern "C"\s*\{?', "", text)
    depth, start = 0, 0
    for token in re.finditer(r"[{};]", text):
        if depth == 0 and token.group(0) != "}":
            head, is_body = text[start:token.start()].strip(), token.group(0) == "{"
            match = FUNCTION.search(head)
            if match and not re.match(r"(static|typedef|template|using)\b", head) and "=" not in head:
                yield match.group(1), is_body
        depth = max(depth + {"{": 1, "}": -1, ";": 0}[token.group(0)], 0)
        if depth == 0:
            start = token.end()


def main():
    root = sys.argv[1]
    _, order = read_rules(os.path.join(root, "tests/lint/includes.rules"))
    declared, defined = {}, {}
    for source in sources(root):
        if source.endswith(".def") or not source.startswith(tuple(area + "/" for area in order)):
            continue
        with open(os.path.join(root, source), encoding="utf-8") as file:
            for name, is_body in functions(file.read()):
                if is_body or source.endswith((".h", ".cuh")):
                    (defined if is_body else declared).setdefault(name, set()).add(source)
    upward = {(name, header, source) for name in declared.keys() & defined.keys() for header in declared[name]
              for source in defined[name] if against_order(order, header, source)[1]}
    bad = [f"{header}: {name} is defined higher, in {source}" for name, header, source in sorted(upward)]
    for line in bad:
        print(line)
    print(f"{len(declared.keys() & defined.keys())} functions, {len(bad)} findings")
    return 1 if bad or not declared else 0


if __name__ == "__main__":
    sys.exit(main())
