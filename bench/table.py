#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the CUDA kernels beside CUB, CuPy and PyTorch in one run: the bench_* programs, then cuda_peers.py, merged
into one table in Markdown. Rows below their target come first, the farthest off at the top, then rows that reach their
target, then rows without a target. Needs a GPU and the programs of a build; without CuPy or PyTorch their columns are
empty. Exits with 1 if a result differs from the host's.

usage: table.py [--bin DIR] [--json FILE] [--only TEXT] [--most PIXELS] [--no-peers]
"""
import argparse
import csv
import datetime
import fnmatch
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("bench_kernels", "bench_reduce", "bench_scan", "bench_select", "bench_count", "bench_order")
# The format of each figure of targets.csv, and whether more is better.
FIGURES = {"tb_s": ("%.2f TB/s", True), "gpix_s": ("%.0f Gpix/s", True), "cub": ("%.2f x CUB", True),
           "copy": ("%.2f x copy", True),
           "ms": ("%.3f ms", False), "over_empty_us": ("E + %.1f us", False)}
# GFLOP/s of multiplications and additions, as measured on an H200 (docs/kernels.md).
ROOF, ROOF_F64 = 60e3, 30e3


def lines_of(command):
    """Runs a program. Returns its exit status and the JSON objects that it prints, one per line."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, lines


def bound_us(row, head):
    """The lower bound of a kernel's time: an empty kernel plus the longer of a copy of its bytes and its operations."""
    roof = ROOF_F64 if row["dtype"] == "f64" else ROOF
    return head["empty_us"] + row["us"] * max(row["copy"], row["gflop_s"] / roof)


def ours(args):
    """Returns the head of each program, the rows of all programs, and whether all programs succeeded."""
    heads, rows, well = [], [], True
    for program in PROGRAMS:
        print("table.py: %s" % program, file=sys.stderr)
        code, lines = lines_of([os.path.join(args.bin, program), "--json", *args.shared])
        well = well and code == 0
        if code != 0:
            print("table.py: %s ended with %d" % (program, code), file=sys.stderr)
        if not lines:
            continue
        heads.append({"program": program, **lines[0]})
        for row in lines[1:]:
            row["over_empty_us"] = round(row["us"] - lines[0]["empty_us"], 2)
            row["ms"] = row["us"] / 1e3
            row["times_bound"] = row["us"] / bound_us(row, lines[0])
            rows.append(row)
    return heads, rows, well


def add_peers(args, rows):
    """Adds the times of the libraries to our rows. Returns the libraries' versions."""
    print("table.py: cuda_peers.py", file=sys.stderr)
    by_name = {row["name"]: row for row in rows}
    versions = {}
    code, lines = lines_of([sys.executable, os.path.join(HERE, "cuda_peers.py"), *args.shared])
    if code not in (0, 77):
        print("table.py: cuda_peers.py ended with %d; its columns may be incomplete" % code, file=sys.stderr)
    for line in lines:
        if "version" in line:
            versions[line["library"]] = line["version"]
        elif line["name"] in by_name:
            by_name[line["name"]].setdefault("peers", {})[line["library"]] = line
        else:
            print("table.py: there is no row '%s' of ours" % line["name"], file=sys.stderr)
    return versions


def add_targets(rows):
    """Adds to each row its targets, and the lowest share of a target that it reaches; 1 is on target."""
    with open(os.path.join(HERE, "targets.csv"), newline="") as file:
        targets = list(csv.DictReader(file))
    for row in rows:
        row["targets"] = []
        for target in targets:
            figure, wanted = target["figure"], float(target["target"])
            if not fnmatch.fnmatchcase(row["name"], target["row"]) or (figure == "cub" and row["cub_us"] == 0):
                continue
            more = FIGURES[figure][1]
            got = max(row[figure], 1e-9)
            row["targets"].append({"figure": figure, "target": wanted,
                                   "reached": got / wanted if more else wanted / got})
        row["reached"] = min((t["reached"] for t in row["targets"]), default=None)


def target_cell(row):
    texts = []
    for target in row["targets"]:
        form, more = FIGURES[target["figure"]]
        text = ("&ge; " if more else "&le; ") + form % target["target"]
        if target["reached"] < 1:
            text += ", **is %s**" % (form % row[target["figure"]])
        texts.append(text)
    return "; ".join(texts)


def ratios(row):
    """Each library's time divided by ours."""
    peers = [peer["us"] / row["us"] for peer in row.get("peers", {}).values() if "us" in peer]
    return peers + ([row["cub"]] if row["cub_us"] else [])


def print_summary(rows):
    """Prints the numbers of rows that are near their bound, and that are slower than a library."""
    near = [100 * sum(row["times_bound"] <= times for row in rows) / len(rows) for times in (2, 4)]
    worst = max(rows, key=lambda row: row["times_bound"])
    beside = [row for row in rows if ratios(row)]
    behind = sum(min(ratios(row)) < 1 / 1.1 for row in beside)
    print("\n%d rows: %.0f %% within 2 x their bound, %.0f %% within 4 x; the farthest is %s with %.0f x. The bound is E and "
          "the longer of a copy of the bytes and the operations at %.0f TFLOP/s, f64 at %.0f. %d of the %d rows that a "
          "library also has take more than 1.1 times as long as the library." % (
              len(rows), *near, worst["name"], worst["times_bound"], ROOF / 1e3, ROOF_F64 / 1e3, behind, len(beside)))


def ratio(row, library):
    """The library's time divided by ours: above 1 we are faster."""
    peer = row.get("peers", {}).get(library)
    return "%.2f" % (peer["us"] / row["us"]) if peer and "us" in peer else ""


def cells(row):
    return (row["name"], "%.1f" % row["us"], "%.1f" % row["times_bound"], "%.2f" % row["tb_s"],
            "%.0f %%" % (100 * row["copy"]),
            "%.1f" % row["gpix_s"], "%.0f" % row["gflop_s"] if row["gflop_s"] else "",
            "%.2f" % row["cub"] if row["cub_us"] else "", ratio(row, "CuPy"), ratio(row, "torch"), target_cell(row),
            "%s %s" % (row["hash"][:8], row["same_as"]))


def print_table(title, rows):
    if not rows:
        return
    print("\n## %s: %d rows\n" % (title, len(rows)))
    print("| row | us | bounds | TB/s | of a copy | Gpix/s | GFLOP/s | CUB | CuPy | torch | target | result |")
    print("| --- |" + " --- |" * 11)
    for row in rows:
        print("| %s |" % " | ".join(cells(row)))


def driver():
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                              stdout=subprocess.PIPE, text=True)
        return done.stdout.split("\n")[0].strip()
    except OSError:
        return "unknown"


def sources():
    """The state of the sources from which the programs should have been built."""
    done = subprocess.run([os.path.join(HERE, "..", "scripts", "gpu-state"), "name"], stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout.strip()


def spread(heads, key, form):
    values = sorted(head[key] for head in heads)
    return (form + " to " + form) % (values[0], values[-1])


def print_all(run):
    print("<!-- SPDX-License-Identifier: MIT -->\n# The CUDA kernels beside CUB, CuPy and PyTorch\n")
    print("Written by bench/table.py; docs/measurements/benchmarks.md says how to read it.\n")
    heads, head = run["programs"], run["programs"][0]
    cub = next((h["cub"] for h in heads if h["cub"]), "")
    print("%s (%s), driver %s, CUDA %s, %s%s; %s, sources %s (scripts/gpu-state)." % (
        head["device"], head["detail"], run["driver"], head["cuda"], cub,
        "".join(", %s %s" % item for item in run["peers"].items()), run["date"], run["sources"]))
    print("\nA copy on the device: %s TB/s, read and written; E, an empty kernel: %s us, in %d programs." % (
        spread(heads, "copy_tb_s", "%.2f"), spread(heads, "empty_us", "%.1f"), len(heads)))
    rows = run["rows"]
    print_summary(rows)
    below = sorted((r for r in rows if r["reached"] is not None and r["reached"] < 1), key=lambda r: r["reached"])
    print_table("Below target", below)
    print_table("At target", [r for r in rows if r["reached"] is not None and r["reached"] >= 1])
    print_table("Without a target", [r for r in rows if r["reached"] is None])


def arguments():
    parser = argparse.ArgumentParser(description="The CUDA kernels beside CUB, CuPy and PyTorch.")
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "build", "bin"), help="the folder of the programs")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--most", type=int, default=1 << 62, help="no shapes of more pixels")
    parser.add_argument("--no-peers", action="store_true", help="without CuPy and PyTorch")
    args = parser.parse_args()
    args.shared = ["--only", args.only, "--most", str(args.most)]
    return args


def main():
    args = arguments()
    heads, rows, well = ours(args)
    if not rows:
        print("table.py: there is no row", file=sys.stderr)
        return 1
    peers = {} if args.no_peers else add_peers(args, rows)
    add_targets(rows)
    run = {"date": datetime.date.today().isoformat(), "command": " ".join(sys.argv), "driver": driver(),
           "sources": sources(), "programs": heads, "peers": peers, "rows": rows}
    print_all(run)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(run, file, indent=1)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
