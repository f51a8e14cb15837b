#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that no folder has more source files than a reader keeps apart. usage: check_folders.py ROOT"""
import os
import sys

MOST = 30
# A file for each operation, beside a few that those share.
PER_OP = ("tests/reference",)
FOLDERS = ("protocol", "kernels", "server", "client", "tests", "samples", "bench")


def main():
    root = sys.argv[1]
    bad, counts = [], {}
    for area in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, area)):
            counts[os.path.relpath(here, root)] = sum(name.endswith((".c", ".h", ".cu", ".cuh")) for name in names)
    for folder, count in sorted(counts.items()):
        if count > MOST and folder not in PER_OP:
            bad.append(f"{folder}: {count} source files, {MOST} at most")
    bad += [f"check_folders.py: {folder} needs no exception" for folder in PER_OP if counts.get(folder, 0) <= MOST]
    for line in bad:
        print(line)
    print(f"{len(counts)} folders, {len(bad)} findings")
    return 1 if bad or not any(counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
