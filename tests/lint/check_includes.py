#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every #include against includes.rules: folders, order inside server/front, own header first, no "../",
no cycles among headers. usage: check_includes.py ROOT"""
import fnmatch
import os
import re
import sys

LIBC = set("""assert ctype errno fcntl fenv float getopt grp inttypes libgen limits linux locale malloc math poll pthread
pwd sched setjmp signal spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings sys
sysexits endian cstdint cstddef type_traits termios time unistd wchar xlocale ftw dirent dlfcn features""".split())
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
FOLDERS = ("protocol", "kernels", "server", "client", "tests", "samples", "bench")


def read_rules(path):
    allowed, order = {}, {}
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if not line:
            continue
        left, right = (part.strip() for part in line.split(":"))
        if left.startswith("order "):
            folder = left.split()[1]
            row = len({r for (f, _), r in order.items() if f == folder})
            for name in right.split():
                order[(folder, name)] = row
        else:
            allowed[left] = right.split()
    return allowed, order


def sources(root):
    for folder in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".cu", ".cuh", ".def")):
                    yield os.path.relpath(os.path.join(here, name), root)


def resolve(root, source, kind, name):
    """The project file an include names, or None for a header of somebody else."""
    here = os.path.join(os.path.dirname(source), name)
    if kind == '"' and os.path.exists(os.path.join(root, here)):
        return os.path.normpath(here)
    return name if os.path.exists(os.path.join(root, name)) else None


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


def main():
    root = sys.argv[1]
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
            target = resolve(root, source, kind, name)
            if ".." in name.split("/"):
                bad.append(f"{at}: \"../\" in an include: {name}")
            if first and source.endswith(".c") and os.path.exists(os.path.join(root, stem + ".h")):
                if target != stem + ".h":
                    bad.append(f"{at}: the own header {os.path.basename(stem)}.h must come first")
            first = False
            if target is None and re.split(r"[/.]", name)[0] in LIBC:
                continue
            if target is not None and target.startswith(own) and "/" not in target[len(own):]:
                if source.endswith((".h", ".cuh")) and target.endswith((".h", ".cuh")):
                    graph.setdefault(source, []).append(target)
                mine = order.get((os.path.dirname(source), os.path.basename(stem)))
                other = order.get((os.path.dirname(source), os.path.splitext(os.path.basename(target))[0]))
                if mine is not None and other is not None and other > mine:
                    bad.append(f"{at}: {target} is higher than {source} in the order of includes.rules")
                continue
            if source.startswith("protocol/") and target is not None and target.startswith("protocol/"):
                continue
            if left is None or not is_allowed(allowed[left], own, target, name):
                bad.append(f"{at}: {source} may not include {name}")
    for (folder, name) in order:
        if not any(os.path.exists(os.path.join(root, folder, name + e)) for e in (".c", ".h")):
            bad.append(f"includes.rules: no {folder}/{name}")
    for source in sources(root):
        if source.startswith("server/front/") and ("server/front", os.path.basename(source).rsplit(".", 1)[0]) not in order:
            bad.append(f"includes.rules: {source} has no row in the order of server/front")
    cycle = find_cycle(graph)
    if cycle:
        bad.append("cycle: " + " -> ".join(cycle))
    for line in bad:
        print(line)
    print(f"{count} files, {len(bad)} findings")
    return 1 if bad or count == 0 else 0


sys.exit(main())
