#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests bench_cli.py with a vips that only copies, or fails: one row of a small picture, its figures, and the message
of a failure. usage: test_cli.py BIN"""
import json
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASE = "64x64, blur 7 taps, PPM"


def run(folder, bin, vips, *options):
    path = os.path.join(folder, "vips")
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + vips)
    os.chmod(path, 0o755)
    environment = {**os.environ, "PATH": folder + os.pathsep + os.environ["PATH"]}
    command = [sys.executable, os.path.join(HERE, "bench_cli.py"), "--rounds", "2", "--only", CASE, *options, bin]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def main():
    bin = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        done = run(folder, bin, 'cp "$2" "$3"\n', "--tools", "vips", "--json", out)
        assert done.returncode == 0, done.stderr
        with open(out) as file:
            ours, theirs = json.load(file)
        assert [(r["case"], r["tool"]) for r in (ours, theirs)] == [(CASE, "gpufilter"), (CASE, "vips")]
        assert ours["bytes"] == theirs["bytes"] == 64 * 64 * 3 + len("P6\n64 64\n255\n"), (ours, theirs)
        assert ours["psnr"] == math.inf and 10 < theirs["psnr"] < 50, (ours, theirs)
        assert theirs["ratios"] == [t / o for t, o in zip(theirs["ms"], ours["ms"])] and len(theirs["ms"]) == 2
        assert list(ours["stages"]) == ["read, decode", "kernel", "daemon", "encode, write", "rest"], ours
        assert all(v >= 0 for v in ours["stages"].values()) and sum(ours["stages"].values()) > 0, ours
        assert "| %s | vips | " % CASE in done.stdout and done.stdout.count("| %s |" % CASE) == 2, done.stdout
        done = run(folder, bin, "echo no such file >&2\nexit 1\n", "--tools", "vips")
        assert done.returncode == 1 and "bench_cli.py: vips copy" in done.stderr, done.stderr
        assert done.stderr.rstrip().endswith(": no such file"), done.stderr
        done = run(folder, bin, "", "--tools", "vps")
        assert "no tool vps; --tools takes gpufilter, vips, " in done.stderr, done.stderr


if __name__ == "__main__":
    main()
