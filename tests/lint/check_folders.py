#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no folder has more source files than a reader keeps apart, and that no .c or .cu file is a stub. A header
may be short: it is the interface of one. usage: check_folders.py ROOT"""
import os
import re
import sys

MOST, LEAST_LINES = 30, 15
# Folders with a file for each family of operations, or two for each ladder, and a few shared files.
PER_FAMILY = ("tests/reference", "samples/patterns/ladders")
# Short for a reason. A .cu file that instantiates the templates of a .cuh beside it needs none.
SHORT = {
    "kernels/cpu/cpu_ops.c": "a table that the descriptors fill",
    "kernels/cuda/cuda_ops.c": "a table that the descriptors fill",
    "kernels/registry.c": "the list of backends and nothing else",
    "tests/faults/fault_kernels_absent.c": "stands in for fault_kernels.cu in builds without CUDA",
}
FOLDERS = ("protocol", "kernels", "server", "client", "tests", "samples", "bench")


def is_stub(path):
    """Whether a source file has next to no lines and instantiates no templates."""
    text = open(path, encoding="utf-8").read()
    instances = path.endswith(".cu") and re.search(r'#include "\w+\.cuh"', text)
    return text.count("\n") < LEAST_LINES and not instances


def main():
    root = sys.argv[1]
    bad, counts, stubs = [], {}, set()
    for area in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, area)):
            folder = os.path.relpath(here, root)
            counts[folder] = sum(name.endswith((".c", ".h", ".cu", ".cuh")) for name in names)
            stubs |= {f"{folder}/{name}" for name in names
                      if name.endswith((".c", ".cu")) and is_stub(os.path.join(here, name))}
    for folder, count in sorted(counts.items()):
        if count > MOST and folder not in PER_FAMILY:
            bad.append(f"{folder}: {count} source files, {MOST} at most")
    bad += [f"{path}: fewer than {LEAST_LINES} lines; put them where they are used" for path in sorted(stubs - SHORT.keys())]
    bad += [f"check_folders.py: {folder} needs no exception" for folder in PER_FAMILY if counts.get(folder, 0) <= MOST]
    bad += [f"check_folders.py: {path} needs no exception" for path in sorted(SHORT.keys() - stubs)]
    for line in bad:
        print(line)
    print(f"{len(counts)} folders, {len(bad)} findings")
    return 1 if bad or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
