#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmarks of the kernels on devices that compute nothing (tests/support/fake_cuda.c), with as much shared
memory as an H100, an L4 and a T4: each row must reach its launches. usage: test_launches.py FOLDER_OF_THE_PROGRAMS"""
import itertools
import os
import re
import subprocess
import sys

FAMILIES = ("kernels", "reduce", "scan", "select", "count", "order")
SHARED_MEMORY = (233472, 102400, 66560)


def main():
    programs = [os.path.join(sys.argv[1], "bench_%s_dry" % family) for family in FAMILIES]
    missing = [os.path.basename(program) for program in programs if not os.path.exists(program)]
    if missing:
        print("skipped: not built: %s; cmake --build BUILD --target bench" % ", ".join(missing))
        return 77
    for program, memory in itertools.product(programs, SHARED_MEMORY):
        environment = dict(os.environ, GF_FAKE_SHARED_MEMORY=str(memory))
        done = subprocess.run([program, "--dry"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment)
        rows = done.stdout.splitlines()
        where = "%s with %d bytes of shared memory" % (os.path.basename(program), memory)
        assert done.returncode == 0, "%s ended with %d after %s\n%s" % (where, done.returncode, rows[-1:], done.stderr)
        launches = int(re.search(r"^fake_cuda: (\d+) launches$", done.stderr, re.M).group(1))
        print("%s: %d rows, %d launches" % (where, len(rows), launches))
        assert 0 < len(rows) == len(set(rows)), "%d rows, but only %d different ones" % (len(rows), len(set(rows)))
        assert launches >= len(rows), "a row launched nothing"
    return 0


if __name__ == "__main__":
    sys.exit(main())
