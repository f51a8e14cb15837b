#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The repository stays one that a person can list: at most MOST tracked files, and in no folder more than INPUTS that are
not sources. Inputs that a program can make are made by the tests; others lie in archives, as tests/fuzz/corpus. Skipped
(77) where there is no git. usage: check_tracked.py ROOT"""
import collections
import os
import shutil
import subprocess
import sys

MOST, INPUTS = 1900, 40
PER_OP = ("tests/conformance/cases",)  # a file for each operation
SOURCES = (".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt")


def main():
    root = sys.argv[1]
    if not os.path.exists(os.path.join(root, ".git")) or not shutil.which("git"):
        print("skipped: this is no git repository, or there is no git")
        return 77
    done = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr)
        return 1
    files = done.stdout.split("\0")[:-1]
    bad = []
    if not 0 < len(files) <= MOST:
        bad.append("there are %d tracked files, at most %d may be" % (len(files), MOST))
    inputs = collections.Counter(os.path.dirname(path) for path in files if not path.endswith(SOURCES))
    bad += ["%s: %d files that are no sources, at most %d; make them, or keep them in an archive" % (folder, n, INPUTS)
            for folder, n in inputs.items() if n > INPUTS and folder not in PER_OP]
    print("\n".join(bad) or "%d tracked files" % len(files))
    return bool(bad)


sys.exit(main())
