#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests table.py with programs that only print: the order of the rows, their contents, and the exit status."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = {"device": "chip", "detail": "sm_0", "cuda": "1.2", "driver": "1.2", "cub": "", "copy_tb_s": 4.0,
        "empty_us": 3.0}


def row(name, **figures):
    return {"name": name, "op": "o", "dtype": "f32", "us": 10.0, "host_us": 1.0, "tb_s": 1.0, "gpix_s": 1.0,
            "gflop_s": 0.0, "copy": 0.25, "cub_us": 0.0, "cub": 0.0, "hash": "0123456789abcdef",
            "same_as": "reference", **figures}


def run(folder, rows, code):
    for i, program in enumerate(("kernels", "reduce", "scan", "select", "count", "order")):
        path = os.path.join(folder, "bench_" + program)
        with open(path, "w") as file:
            lines = [HEAD, *(rows if i == 0 else [])]
            file.write("#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n" % ("\n".join(map(json.dumps, lines)), code))
        os.chmod(path, 0o755)
    done = subprocess.run([sys.executable, os.path.join(HERE, "table.py"), "--bin", folder, "--no-peers", "--json",
                           os.path.join(folder, "out.json")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with open(os.path.join(folder, "out.json")) as file:
        return done, json.load(file)


def main():
    rows = [row("copy f32 64x64"),
            row("reduce f32 op=sum 2^28", tb_s=4.5, cub_us=9.0, cub=0.90),
            row("correlate f32 31x31 16384x16384", us=30.0, gpix_s=30.0, copy=0.05, gflop_s=6000.0),
            row("reduce f32 op=sum 2^20", us=8.0),
            row("flip axis=x u8x3 6000x4000", copy=0.6)]
    with tempfile.TemporaryDirectory() as folder:
        done, out = run(folder, rows, 0)
        names = [line.split(" | ")[0][2:] for line in done.stdout.splitlines() if "01234567 reference" in line]
        # 5 us over an empty kernel instead of 2 is the farthest off; then 0.60 instead of 0.80; then 0.90 instead of 0.97.
        assert names == ["reduce f32 op=sum 2^20", "flip axis=x u8x3 6000x4000", "reduce f32 op=sum 2^28",
                         "correlate f32 31x31 16384x16384", "copy f32 64x64"], names
        assert done.returncode == 0, done.stderr
        # The bound is 3 us plus a copy of 2.5 us, or operations of 3 us: 30 us are 5 times that, all others within 2 times.
        assert ("\n5 rows: 80 % within 2 x their bound, 80 % within 4 x; the farthest is correlate f32 31x31 16384x16384 "
                "with 5 x.") in done.stdout, done.stdout
        assert " 1 of the 1 rows that a library also has take more than 1.1 times as long as the library." in done.stdout, done.stdout
        assert "&le; E + 2.0 us, **is E + 5.0 us**" in done.stdout, done.stdout
        assert "&ge; 4.30 TB/s; &ge; 0.97 x CUB, **is 0.90 x CUB**" in done.stdout, done.stdout
        assert "&ge; 0.80 x copy, **is 0.60 x copy**" in done.stdout, done.stdout
        assert [r["reached"] is None for r in out["rows"]] == [True, False, False, False, False]
        assert abs(out["rows"][3]["reached"] - 0.4) < 1e-9, out["rows"][3]
        done, _ = run(folder, rows, 1)
        assert done.returncode == 1, "table.py must exit with 1 if a result differs"


if __name__ == "__main__":
    main()
