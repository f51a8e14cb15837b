#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times whole commands that blur a picture file beside other tools: gpufilter-client with a warm private daemon on the
CPU, vips, ImageMagick, GraphicsMagick and a script of OpenCV, as far as they are installed. The commands
alternate, so that noise of the machine affects all of them; the table has medians of the wall clock, the ratio theirs /
ours of each round (median; above 1 we are faster), and the PSNR of their picture against ours, which shows that all
did the same.

usage: bench_cli.py [--rounds N] [--only PATTERN] [--json FILE] [BIN]
BIN is the folder of the built programs, by default that of build/release or build beside this folder.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIGMA = "2"
SIZES = [("0.5 MP", 816, 612), ("2 MP", 1920, 1088), ("12 MP", 4000, 3000)]
OPENCV = "import sys, cv2\ncv2.imwrite(sys.argv[2], cv2.GaussianBlur(cv2.imread(sys.argv[1], cv2.IMREAD_UNCHANGED), (0, 0), %s))"


def tools(bin):
    """Name and command of every tool that is there; ours first."""
    found = [("gpufilter", lambda a, b: [os.path.join(bin, "gpufilter-client"), "blur", "--sigma", SIGMA, a, b])]
    if shutil.which("vips"):
        found.append(("vips", lambda a, b: ["vips", "gaussblur", a, b, SIGMA]))
    for name in ("magick", "convert-im6.q16"):
        if shutil.which(name):
            found.append(("ImageMagick", lambda a, b, name=name: [name, a, "-gaussian-blur", "0x" + SIGMA, b]))
            break
    if shutil.which("gm"):
        found.append(("GraphicsMagick", lambda a, b: ["gm", "convert", a, "-gaussian", "0x" + SIGMA, b]))
    python = "/usr/bin/python3"  # Debian's, which has Debian's packages
    if subprocess.run([python, "-c", "import cv2"], capture_output=True).returncode == 0:
        found.append(("OpenCV", lambda a, b: [python, "-c", OPENCV % SIGMA, a, b]))
    return found


def timed(command):
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("bench_cli.py: %s: %s" % (" ".join(command), done.stderr.strip()))
    return 1e3 * (time.monotonic() - begin)


def psnr(client, a, b):
    done = subprocess.run([client, "compare", "--json", a, b], capture_output=True, text=True)
    values = json.loads(done.stdout)["channels"] if done.returncode in (0, 1) else []
    return min((c["psnr"] for c in values if isinstance(c["psnr"], float)), default=float("inf"))


def measure(folder, bin, label, extension, source, rounds):
    """Every tool in turn, `rounds` times after one to warm up."""
    client = os.path.join(bin, "gpufilter-client")
    times = {}
    outs = {name: os.path.join(folder, name + extension) for name, make in tools(bin)}
    commands = [(name, make(source, outs[name])) for name, make in tools(bin)]
    for turn in range(rounds + 1):
        for name, command in commands:
            ms = timed(command)
            if turn > 0:
                times.setdefault(name, []).append(ms)
    rows = []
    for name, command in commands:
        ratio = statistics.median(t / o for t, o in zip(times[name], times["gpufilter"]))
        rows.append({"case": label, "tool": name, "ms": statistics.median(times[name]), "ratio": ratio,
                     "bytes": os.path.getsize(outs[name]),
                     "psnr": psnr(client, outs["gpufilter"], outs[name])})
    return rows


def start_daemon(bin, folder):
    os.environ["GPUFILTER_SOCKET"] = os.path.join(folder, "socket")
    os.environ["GPUFILTER_AUTOSTART"] = "0"
    ready, told = os.pipe()
    daemon = subprocess.Popen([os.path.join(bin, "gpufilterd"), "--socket", os.environ["GPUFILTER_SOCKET"], "--devices",
                               "cpu", "--ready-fd", str(told)], pass_fds=[told], stderr=subprocess.DEVNULL)
    os.close(told)
    with os.fdopen(ready) as line:
        if line.readline().strip() != "READY":
            sys.exit("bench_cli.py: the daemon did not start")
    return daemon


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].split("usage: ")[1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    parser.add_argument("bin", nargs="?")
    args = parser.parse_args()
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = [args.bin] if args.bin else [os.path.join(here, "build/release/bin"), os.path.join(here, "build/bin")]
    bin = next((p for p in places if os.path.exists(os.path.join(p, "gpufilter-client"))), None)
    if not bin:
        sys.exit("bench_cli.py: no gpufilter-client in %s; build first" % " or ".join(places))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        daemon = start_daemon(bin, folder)
        try:
            for size, width, height in SIZES:
                for extension in (".png", ".jpg"):
                    label = "%s %s" % (size, extension[1:])
                    if not re.search(args.only, label):
                        continue
                    source = os.path.join(folder, "in" + extension)
                    subprocess.run([os.path.join(bin, "make_photo"), source, str(width), str(height)], check=True)
                    rows += measure(folder, bin, label, extension, source, args.rounds)
        finally:
            daemon.terminate()
            daemon.wait()
    print("| case | tool | ms | theirs / ours | bytes | PSNR |\n| --- | --- | --- | --- | --- | --- |")
    for r in rows:
        print("| %s | %s | %.1f | %.2f | %d | %.1f |" % (r["case"], r["tool"], r["ms"], r["ratio"], r["bytes"], r["psnr"]))
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
