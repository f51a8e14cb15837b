#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that two builds have the same code: compares instructions, constants and relocations of each object file, and
the GPU's instructions where cuobjdump is given, while files have moved and names have changed in between. Whatever
differs is a mistake of the move. Both builds must have been made below the same path with the same options, one after
the other; debug sections are not compared.
usage: compare_objects.py BEFORE AFTER [--files TABLE] [--names TABLE] [--cuobjdump PROGRAM]
BEFORE and AFTER are build folders with compile_commands.json. Tables are CSV without a head, old,new: paths of source
files from the root of the tree (move.py --table prints them), and identifiers."""
import argparse
import collections
import concurrent.futures
import csv
import difflib
import json
import os
import re
import subprocess
import sys

NAME = re.compile(r"[A-Za-z_]\w*")
# nvcc makes names of hashes of a file's path.
FROM_PATH = re.compile(r"(?<=_)[0-9a-f]{8}_(\d+_\w+?_cu)_[0-9a-f]{8}|(?<=_)[0-9a-f]{32,64}\b")
# Sections that are read by other means (the GPU's code), or that have nothing but such a hash.
ASIDE = {".nv_fatbin", "__nv_relfatbin", "__nv_module_id"}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode(
        "utf-8", "replace")


def cached(build, name):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as f:
        return re.search("^%s:[^=]*=(.*)$" % name, f.read(), re.M).group(1)


def objects(build):
    """Objects of a build by the source they are made from and the target they belong to."""
    root, made_in = cached(build, "CMAKE_HOME_DIRECTORY"), cached(build, "CMAKE_CACHEFILE_DIR")
    found = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            output = re.search(r" -o (\S+)", entry["command"]).group(1)
            target = re.search(r"([\w.-]+)\.dir/", output).group(1)
            here = os.path.relpath(os.path.join(entry["directory"], output), made_in)
            found[os.path.relpath(entry["file"], root), target] = os.path.join(build, here)
    return found


def table(path):
    if not path:
        return {}
    with open(path, newline="", encoding="utf-8") as f:
        return {row[0]: row[1] for row in csv.reader(f) if len(row) >= 2}


def contents(dump):
    """What objdump -s printed as characters, so that names in it can be found, and its relocations as they are."""
    out, data = [], None
    for line in dump.split("\n") + ["end"]:
        row = re.match(r" [0-9a-f]{4,} ((?:[0-9a-f]{2,8} ){1,4})", line)
        if row and data is not None:
            data += bytes.fromhex(row.group(1).replace(" ", ""))
            continue
        if data is not None:
            out.append(FROM_PATH.sub(r"\1", data.decode("latin-1")).encode("unicode_escape").decode())
            data = None
        if line.startswith("Contents of section"):
            data = b""
        out.append(line)
    return "\n".join(out)


def host(path):
    """Instructions, and all other sections that are loaded, each with its relocations."""
    kept, name = [], None
    for line in run("objdump", "-h", "-w", path).split("\n"):
        fields = line.split()
        if len(fields) > 2 and fields[0].isdigit():
            name = fields[1]
            if "ALLOC" in line and "CODE" not in line and name not in ASIDE:
                kept += ["-j", name]
    text = run("objdump", "-dr", "--no-show-raw-insn", path)
    return text + (contents(run("objdump", "-s", "-r", *kept, path)) if kept else "")


def gpu(path, cuobjdump):
    """Functions in the order of their names, which the path of a file may change."""
    functions, name = collections.defaultdict(list), ""
    for line in run(cuobjdump, "-sass", path).split("\n"):
        if "Function :" in line:
            name = FROM_PATH.sub(r"\1", line)
        if name:
            functions[name].append(line)
    return "\n".join(line for _, lines in sorted(functions.items()) for line in lines)


def listing(path, names, cuobjdump):
    text = host(path)
    if path.endswith(".cu.o") and cuobjdump:
        text += gpu(path, cuobjdump)
    text = "\n".join(FROM_PATH.sub(r"\1", line) for line in text.split("\n") if "file format" not in line)
    return NAME.sub(lambda match: names.get(match.group(0), match.group(0)), text) if names else text


def compare(job):
    """(key, functions of the GPU, first lines that differ or None)"""
    key, before, after, names, cuobjdump = job
    a, b = listing(before, names, cuobjdump), listing(after, {}, cuobjdump)
    functions = len(re.findall(r"^\s*Function :", b, re.M))
    if a == b:
        return key, functions, None
    diff = difflib.unified_diff(a.split("\n"), b.split("\n"), lineterm="", n=0)
    return key, functions, "\n".join(line for _, line in zip(range(12), diff))


def main():
    parser = argparse.ArgumentParser(description="Whether two builds have the same code.")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--files", help="CSV of old and new paths of source files")
    parser.add_argument("--names", help="CSV of old and new identifiers")
    parser.add_argument("--cuobjdump", help="the program that disassembles the GPU's code")
    args = parser.parse_args()
    files, names = table(args.files), table(args.names)
    moved = {(files.get(source, source), target): path for (source, target), path in objects(args.before).items()}
    after = objects(args.after)
    alone = set(moved) ^ set(after)
    for source, target in sorted(alone):
        print("%s (%s) is only in %s" % (source, target, "BEFORE" if (source, target) in moved else "AFTER"))
    both = sorted(set(moved) & set(after))
    missing = [key for key in both if not (os.path.exists(moved[key]) and os.path.exists(after[key]))]
    for source, target in missing:
        print("%s (%s) is not built" % (source, target))
    jobs = [(key, moved[key], after[key], names, args.cuobjdump) for key in both if key not in missing]
    differing = functions = 0
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for (source, target), number, diff in pool.map(compare, jobs):
            functions += number
            if diff:
                differing += 1
                print("%s (%s) differs:\n%s" % (source, target, diff))
    print("%d objects, %d functions of the GPU compared; %d objects differ, %d are in one build alone, %d not built" %
          (len(jobs), functions, differing, len(alone), len(missing)))
    return 1 if differing or alone or missing or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
