#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The repository stays one that a person can list: at most MOST tracked files, and in no folder more than INPUTS that are
not sources. Inputs that a program can make are made by the tests; others lie in archives, as tests/fuzz/corpus. A file
that begins with #! is executable. Skipped (77) where there is no git. usage: check_tracked.py ROOT"""
import collections
import os
import shutil
import subprocess
import sys

MOST, INPUTS = 1720, 40
SOURCES = (".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt")


def begins_with(root, path, text):
    if not os.path.isfile(os.path.join(root, path)): # removed and not yet committed
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.read(len(text)) == text


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
            for folder, n in inputs.items() if n > INPUTS]
    bad += ["%s begins with #! and is not executable" % path for path in files if begins_with(root, path, b"#!")
            and not os.access(os.path.join(root, path), os.X_OK)]
    print("\n".join(bad) or "%d tracked files" % len(files))
    return bool(bad)


sys.exit(main())
