#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks of the kernels on a device that computes nothing (tests/support/fake_cuda.c): each row must reach
its launches. usage: test_launches.py FOLDER_OF_THE_PROGRAMS"""
import os
import re
import subprocess
import sys

FAMILIES = ("kernels", "reduce", "scan", "select", "count", "order")


def main():
    programs = [os.path.join(sys.argv[1], "bench_%s_dry" % family) for family in FAMILIES]
    missing = [os.path.basename(program) for program in programs if not os.path.exists(program)]
    if missing:
        print("skipped: not built: %s; cmake --build BUILD --target bench" % ", ".join(missing))
        return 77
    for program in programs:
        done = subprocess.run([program, "--dry"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        rows = done.stdout.splitlines()
        assert done.returncode == 0, "%s ended with %d after %s\n%s" % (program, done.returncode, rows[-1:], done.stderr)
        launches = int(re.search(r"^fake_cuda: (\d+) launches$", done.stderr, re.M).group(1))
        print("%s: %d rows, %d launches" % (os.path.basename(program), len(rows), launches))
        assert 0 < len(rows) == len(set(rows)), "%d rows, but only %d different ones" % (len(rows), len(set(rows)))
        assert launches >= len(rows), "a row launched nothing"
    return 0


if __name__ == "__main__":
    sys.exit(main())
