#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the results of `gpufilter-patterns --json` into docs/patterns.md, between the marks that name each ladder, and
draws docs/images/patterns.svg and docs/images/stride.svg. The text of the page is written by hand. Needs matplotlib.

usage: patterns.py RESULT.json "MACHINE, DATE"
"""
import json
import os
import re
import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
COLUMNS = ("rung", "us", "rate", "of a copy", "rung before", "registers", "shared", "occupancy", "operations", "steps",
           "result")
BAR, WRONG, PRODUCT, GRID = "#4878a8", "#c46a5a", "#3c8a5c", "#d8d8d8"


def number(value, digits=3):
    """Formats a value with `digits` significant digits; an empty string for None."""
    if value is None:
        return ""
    return "%.*g" % (digits, value) if value < 10 ** digits else "%d" % round(value)


def rate(row):
    """Formats the rate of a row with its unit."""
    if row["bytes_per_s"]:
        return number(row["bytes_per_s"] / 1e9) + " GB/s"
    if row["flop_per_s"]:
        return number(row["flop_per_s"] / 1e9) + " GFLOP/s"
    if row["op_per_s"]:
        return number(row["op_per_s"] / 1e9) + " Gop/s"
    return ""


def percent(value):
    return "" if value is None else "%d %%" % round(100 * value)


def table(rows):
    lines = ["| " + " | ".join(COLUMNS) + " |", "| " + " | ".join("---" for _ in COLUMNS) + " |"]
    for row in rows:
        cells = (row["rung"], number(row["seconds"] and row["seconds"] * 1e6, 4), rate(row), percent(row["of_copy"]),
                 "" if row["of_rung_before"] is None else "%.2f x" % row["of_rung_before"], number(row["registers"]),
                 number(row["shared_bytes"], 6), percent(row["occupancy"]), number(row["operations"]),
                 number(row["steps"]), row["result"].replace("matches the reference", "right"))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def plain(axes):
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=8)
    axes.set_axisbelow(True)


def draw_ladders(by_ladder, copy_rate, path):
    """Draws a bar per timed rung for its rate, and a line at the rate of a copy."""
    shown = {name: [row for row in rows if row["bytes_per_s"] or row["flop_per_s"]] for name, rows in by_ladder.items()}
    shown = {name: rows for name, rows in shown.items() if rows and name != "coalescing"}
    names, n_columns = list(shown), 2
    n_rows = -(-len(names) // n_columns)
    heights = [max(len(shown[name]) for name in names[i * n_columns:(i + 1) * n_columns]) + 2.5 for i in range(n_rows)]
    figure, grid = plt.subplots(n_rows, n_columns, figsize=(11, 0.2 * sum(heights)), squeeze=False,
                                gridspec_kw={"height_ratios": heights})
    for axes in grid.flat[len(names):]:
        axes.set_visible(False)
    for axes, name in zip(grid.flat, names):
        rows = shown[name]
        in_bytes = bool(rows[0]["bytes_per_s"])
        rates = [(row["bytes_per_s"] or row["flop_per_s"]) / (1e9 if in_bytes else 1e12) for row in rows]
        colours = [WRONG if row["result"].startswith("wrong") else PRODUCT if row["program"] else BAR for row in rows]
        axes.barh(range(len(rows)), rates, color=colours, height=0.7)
        axes.set_yticks(range(len(rows)), [row["rung"] for row in rows])
        axes.invert_yaxis()
        axes.set_title(name + (", GB/s" if in_bytes else ", TFLOP/s"), fontsize=9, loc="left", fontweight="bold")
        axes.xaxis.grid(True, color=GRID, linewidth=0.6)
        if in_bytes and max(rates) > copy_rate / 4e9:
            axes.axvline(copy_rate / 1e9, color="black", linewidth=0.8, linestyle="--")
        plain(axes)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def draw_strides(rows, copy_rate, path):
    """Draws the rate of useful bytes over the stride, beside the rate expected from sectors of 32 bytes."""
    strides = [(int(row["rung"].split("-")[1]), row["bytes_per_s"] / 1e9) for row in rows
               if re.fullmatch(r"stride-\d+", row["rung"]) and row["bytes_per_s"]]
    if not strides:
        return
    x, y = zip(*sorted(strides))
    figure, axes = plt.subplots(figsize=(7, 3.2))
    axes.plot(x, y, marker="o", markersize=3.5, color=BAR, label="measured")
    axes.plot(x, [y[0] / min(stride, 8) for stride in x], color=WRONG, linewidth=0.9, linestyle="--",
              label="as sectors of 32 bytes are used")
    axes.axhline(copy_rate / 1e9, color="black", linewidth=0.8, linestyle=":", label="a copy")
    axes.set_xlabel("stride, in elements of 4 bytes", fontsize=9)
    axes.set_title("useful bytes, GB/s", fontsize=9, loc="left", fontweight="bold")
    axes.set_ylim(bottom=0)
    axes.yaxis.grid(True, color=GRID, linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)
    plain(axes)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 64
    with open(sys.argv[1], encoding="utf-8") as f:
        answer = json.load(f)
    by_ladder = {}
    for row in answer["rungs"]:
        by_ladder.setdefault(row["ladder"], []).append(row)
    page = os.path.join(DOCS, "patterns.md")
    with open(page, encoding="utf-8") as f:
        text = f.read()
    for name, rows in by_ladder.items():
        marks = r"(<!-- table: %s -->\n).*?(<!-- end -->)" % re.escape(name)
        text, n = re.subn(marks, lambda found, rows=rows: found[1] + table(rows) + "\n" + found[2], text, flags=re.S)
        if n != 1:
            print("patterns.py: docs/patterns.md has no marks for the ladder %s" % name, file=sys.stderr)
            return 1
    machine = "%s; %s; a copy moves %.2f TB/s, read and written." % (answer["machine"], sys.argv[2],
                                                                  answer["copy_bytes_per_s"] / 1e12)
    text = re.sub(r"(<!-- machine -->\n).*?(<!-- end -->)", lambda found: found[1] + machine + "\n" + found[2], text,
                  flags=re.S)
    with open(page, "w", encoding="utf-8") as f:
        f.write(text)
    plt.rcParams["svg.hashsalt"] = "gpufilter"
    plt.rcParams["svg.fonttype"] = "none"  # text stays text
    plt.rcParams["font.family"] = "DejaVu Sans"
    draw_ladders(by_ladder, answer["copy_bytes_per_s"], os.path.join(DOCS, "images", "patterns.svg"))
    draw_strides(by_ladder.get("coalescing", []), answer["copy_bytes_per_s"], os.path.join(DOCS, "images", "stride.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
