#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The repository stays one that a person can list: at most MOST tracked files, and in no folder more than INPUTS that are
not sources. Inputs that a program can make are made by the tests; others lie in archives, as tests/fuzz/corpus. A file
that begins with #! is executable. These are skipped (77) where there is no git. No folder has more source files than a
reader keeps apart, and no .c or .cu file is a stub. A header may be short: it is the interface of one.
usage: check_tracked.py ROOT"""
import collections
import os
import re
import shutil
import subprocess
import sys

MOST, INPUTS = 1950, 40
SOURCES = (".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt")
MOST_IN_FOLDER, LEAST_LINES = 30, 15
# Folders with a file for each family of operations, or two for each ladder, and a few shared files.
PER_FAMILY = ("tests/reference", "samples/patterns/ladders")
# Short for a reason. A .cu file that instantiates the templates of a .cuh beside it needs none.
SHORT = {
    "kernels/cpu/cpu_ops.c": "a table that the descriptors fill",
    "kernels/cuda/cuda_ops.c": "a table that the descriptors fill",
    "kernels/registry.c": "the list of backends and nothing else",
}
FOLDERS = ("protocol", "kernels", "server", "client", "tests", "samples", "bench")


def begins_with(root, path, text):
    if not os.path.isfile(os.path.join(root, path)):  # removed and not yet committed
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.read(len(text)) == text


def is_stub(path):
    """Whether a source file has next to no lines and instantiates no templates."""
    text = open(path, encoding="utf-8").read()
    instances = path.endswith(".cu") and re.search(r'#include "\w+\.cuh"', text)
    return text.count("\n") < LEAST_LINES and not instances


def check_folders(root, bad):
    counts, stubs = {}, set()
    for area in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, area)):
            folder = os.path.relpath(here, root)
            counts[folder] = sum(name.endswith((".c", ".h", ".cu", ".cuh")) for name in names)
            stubs |= {f"{folder}/{name}" for name in names
                      if name.endswith((".c", ".cu")) and is_stub(os.path.join(here, name))}
    bad += [f"{folder}: {count} source files, {MOST_IN_FOLDER} at most" for folder, count in sorted(counts.items())
            if count > MOST_IN_FOLDER and folder not in PER_FAMILY]
    bad += [f"{path}: fewer than {LEAST_LINES} lines; put them where they are used" for path in sorted(stubs - SHORT.keys())]
    bad += [f"check_tracked.py: {folder} needs no exception" for folder in PER_FAMILY
            if counts.get(folder, 0) <= MOST_IN_FOLDER]
    bad += [f"check_tracked.py: {path} needs no exception" for path in sorted(SHORT.keys() - stubs)]


def check_files(root, bad):
    """Returns the number of tracked files."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, text=True, check=True)
    files = done.stdout.split("\0")[:-1]
    if not 0 < len(files) <= MOST:
        bad.append("there are %d tracked files, at most %d may be" % (len(files), MOST))
    inputs = collections.Counter(os.path.dirname(path) for path in files if not path.endswith(SOURCES))
    bad += ["%s: %d files that are no sources, at most %d; make them, or keep them in an archive" % (folder, n, INPUTS)
            for folder, n in inputs.items() if n > INPUTS]
    bad += ["%s begins with #! and is not executable" % path for path in files if begins_with(root, path, b"#!")
            and not os.access(os.path.join(root, path), os.X_OK)]
    return len(files)


def main():
    root, bad, count = sys.argv[1], [], None
    check_folders(root, bad)
    if os.path.exists(os.path.join(root, ".git")) and shutil.which("git"):
        count = check_files(root, bad)
    elif not bad:
        print("skipped: this is no git repository, or there is no git")
        return 77
    print("\n".join(bad) or "%d tracked files" % count)
    return bool(bad)


sys.exit(main())
