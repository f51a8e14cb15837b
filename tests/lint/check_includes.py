#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every #include against includes.rules: who may include whom, the order of folders inside an area, own header
first, no "../", no cycles among headers. A file that is generated is included as if it stood in the source tree. Checks
also that a function is defined no higher than it is declared, in these orders: a file that includes the header would
otherwise call upwards. Functions declared by a type (gf_command_fn gf_cmd_ping) are left out: they are the entries of a
table, which calls them from above. usage: check_includes.py ROOT BUILD"""
import fnmatch
import os
import re
import sys

LIBC = set("""assert ctype errno fcntl fenv float getopt grp inttypes libgen limits linux locale malloc math poll pthread
pwd sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn
string strings sys sysexits endian cstdint cstddef type_traits termios time unistd wchar langinfo xlocale ftw dirent dlfcn features glob""".split())
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
NOISE = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
PER_ISA = re.compile(r"\bGF_ISA_NAME\((\w+)\)")
FUNCTION = re.compile(r"\b([a-z]\w*)\s*\(")
FOLDERS = ("protocol", "kernels", "server", "client", "tests", "samples", "bench")


def read_rules(path):
    """What each folder may include, and {area: {name: row}} of the areas that have an order."""
    allowed, order = {}, {}
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if not line:
            continue
        left, right = (part.strip() for part in line.split(":"))
        if left.startswith("order "):
            rows = order.setdefault(left.split()[1], {})
            for names in right.split("<"):
                rows.update(dict.fromkeys(names.split(), max(rows.values(), default=-1) + 1))
        else:
            allowed[left] = right.split()
    return allowed, order


def sources(root):
    for folder in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cu", ".cuh", ".def")):
                    yield os.path.relpath(os.path.join(here, name), root)


def resolve(roots, source, kind, name):
    """The project file an include names, or None for a header of another project."""
    here = os.path.normpath(os.path.join(os.path.dirname(source), name))
    for path in [here, name] if kind == '"' else [name]:
        if any(os.path.exists(os.path.join(root, path)) for root in roots):
            return path
    return None


def rule_for(allowed, source):
    matches = [left for left in allowed if source.startswith(left)]
    return max(matches, key=len) if matches else None


def is_allowed(rules, own, target, name):
    if target is not None and os.path.dirname(target) + "/" == own:
        return True
    for right in rules:
        if right.startswith("<"):
            if target is None and fnmatch.fnmatch(name, right[1:-1]):
                return True
        elif target is None:
            continue
        elif right.endswith("/") and target.startswith(right):
            return True
        elif fnmatch.fnmatch(target, right) and target.count("/") == right.count("/"):
            return True
    return False


def member(rows, area, path):
    """The name in an order that a file below the area belongs to: a folder, a file by its stem, "." for other files."""
    first, _, rest = path[len(area) + 1:].partition("/")
    name = first if rest else first.split(".")[0]
    return name if rest or name in rows else "."


def against_order(order, source, target):
    """Whether an area with an order has both files; and why the one may not include the other, or None."""
    known = False
    for area, rows in order.items():
        if not (source.startswith(area + "/") and target.startswith(area + "/")):
            continue
        known = True
        mine, other = member(rows, area, source), member(rows, area, target)
        if mine == other or mine not in rows or other not in rows:
            continue
        folders = "/" in source[len(area) + 1:] or "/" in target[len(area) + 1:]
        if rows[other] > rows[mine]:
            return known, f"{target} is higher in the order of {area}"
        if rows[other] == rows[mine] and folders:
            return known, f"{target} stands beside it in the order of {area}"
    return known, None


def check_order(root, order, bad):
    """Every file of an area has a place in its order, and every name of an order stands for something."""
    members = {area: set() for area in order}
    for source in sources(root):
        for area, rows in order.items():
            if source.startswith(area + "/") and not source.endswith(".def"):
                members[area].add(member(rows, area, source))
                if member(rows, area, source) not in rows:
                    bad.append(f"includes.rules: {source} has no place in the order of {area}")
    bad += [f"includes.rules: nothing is {area}/{name}" for area, rows in order.items()
            for name in rows if name not in members[area]]


def find_cycle(graph):
    state = {}

    def visit(node, path):
        state[node] = 1
        for following in graph.get(node, ()):
            if state.get(following) == 1:
                return path + [node, following]
            if following not in state:
                found = visit(following, path + [node])
                if found:
                    return found
        state[node] = 2
        return None

    for node in graph:
        if node not in state:
            found = visit(node, [])
            if found:
                return found
    return None


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


def check_calls(root, order, bad):
    """Returns the number of functions that are declared and defined in areas with an order."""
    declared, defined = {}, {}
    for source in sources(root):
        if source.endswith(".def") or not source.startswith(tuple(area + "/" for area in order)):
            continue
        with open(os.path.join(root, source), encoding="utf-8") as file:
            for name, is_body in functions(file.read()):
                if is_body or source.endswith((".h", ".cuh")):
                    (defined if is_body else declared).setdefault(name, set()).add(source)
    both = declared.keys() & defined.keys()
    upward = {(name, header, source) for name in both for header in declared[name] for source in defined[name]
              if against_order(order, header, source)[1]}
    bad += [f"{header}: {name} is defined higher, in {source}" for name, header, source in sorted(upward)]
    return len(both)


def main():
    roots = sys.argv[1:]
    root = roots[0]
    allowed, order = read_rules(os.path.join(root, "tests/lint/includes.rules"))
    bad, count, graph = [], 0, {}
    for source in sources(root):
        count += 1
        left = rule_for(allowed, source)
        own = os.path.dirname(source) + "/"
        first = True
        stem = os.path.splitext(source)[0]
        for number, line in enumerate(open(os.path.join(root, source), encoding="utf-8"), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            kind, name = match.groups()
            at = f"{source}:{number}"
            target = resolve(roots, source, kind, name)
            if ".." in name.split("/"):
                bad.append(f"{at}: \"../\" in an include: {name}")
            if first and source.endswith(".c") and os.path.exists(os.path.join(root, stem + ".h")):
                if target != stem + ".h":
                    bad.append(f"{at}: the own header {os.path.basename(stem)}.h must come first")
            first = False
            if target is None and re.split(r"[/.]", name)[0] in LIBC:
                continue
            if target is not None:
                if source.endswith((".h", ".cuh")) and target.endswith((".h", ".cuh")):
                    graph.setdefault(source, []).append(target)
                known, why = against_order(order, source, target)
                if why:
                    bad.append(f"{at}: {why}")
                if known or target.startswith(own) and "/" not in target[len(own):]:
                    continue
            if left is None or not is_allowed(allowed[left], own, target, name):
                bad.append(f"{at}: {source} may not include {name}")
    check_order(root, order, bad)
    n_functions = check_calls(root, order, bad)
    cycle = find_cycle(graph)
    if cycle:
        bad.append("cycle: " + " -> ".join(cycle))
    for line in bad:
        print(line)
    print(f"{count} files, {n_functions} functions, {len(bad)} findings")
    return 1 if bad or count == 0 or n_functions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
