#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times whole commands that blur a picture file, or compute it by an expression, beside other tools: gpufilter-client
with a warm private daemon on the CPU, vips, ImageMagick, GraphicsMagick and a script of OpenCV, as far as they are
installed and can do it. The commands alternate, so that noise of the machine affects all of them; the table has medians of the wall clock, the ratio theirs /
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
OPENCV = "import sys, cv2\nx = cv2.imread(sys.argv[1], cv2.IMREAD_UNCHANGED)\ncv2.imwrite(sys.argv[2], %s)"
PYTHON = "/usr/bin/python3"  # Debian's, which has Debian's packages


class Work:
    """One thing that is done, in each tool's words; None where a tool cannot. Files are put behind vips's name."""

    def __init__(self, name, extensions, ours, vips, magick, graphics, opencv):
        self.name, self.extensions, self.ours, self.vips = name, extensions, ours, vips
        self.magick, self.graphics, self.opencv = magick, graphics, opencv


WORKS = (Work("", (".png", ".jpg"), ["blur", "--sigma", SIGMA], ["gaussblur", SIGMA], ["-gaussian-blur", "0x" + SIGMA],
              ["-gaussian", "0x" + SIGMA], "cv2.GaussianBlur(x, (0, 0), %s)" % SIGMA),
         # Of PPM, so that what is computed takes the time. ImageMagick's samples are from 0 to 1.
         Work("expr linear ", (".ppm",), ["expr", "clamp(a*1.2-20, 0, 255)"], ["linear", "1.2", "--uchar", "--", "-20"],
              ["-fx", "u*1.2-20/255"], None, "cv2.addWeighted(x, 1.2, x, 0, -20)"),
         Work("expr sqrt ", (".ppm",), ["expr", "sqrt(a/255)*204 + x*51/w"], None, ["-fx", "sqrt(u)*0.8+i*0.2/w"], None,
              None))


def tools(bin, work):
    """Name and command of every tool that is there; ours first."""
    client = os.path.join(bin, "gpufilter-client")
    found = [("gpufilter", lambda a, b: [client, *work.ours, a, b])]
    if work.vips and shutil.which("vips"):
        found.append(("vips", lambda a, b: ["vips", work.vips[0], a, b, *work.vips[1:]]))
    name = next((name for name in ("magick", "convert-im6.q16") if shutil.which(name)), None)
    if name:
        found.append(("ImageMagick", lambda a, b: [name, a, *work.magick, b]))
    if work.graphics and shutil.which("gm"):
        found.append(("GraphicsMagick", lambda a, b: ["gm", "convert", a, *work.graphics, b]))
    if work.opencv and subprocess.run([PYTHON, "-c", "import cv2"], capture_output=True).returncode == 0:
        found.append(("OpenCV", lambda a, b: [PYTHON, "-c", OPENCV % work.opencv, a, b]))
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


def measure(folder, bin, work, label, extension, source, rounds):
    """Every tool in turn, `rounds` times after one to warm up."""
    client = os.path.join(bin, "gpufilter-client")
    times = {}
    found = tools(bin, work)
    outs = {name: os.path.join(folder, name + extension) for name, make in found}
    commands = [(name, make(source, outs[name])) for name, make in found]
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


def cases():
    for work in WORKS:
        for size in SIZES:
            for extension in work.extensions:
                yield work, size, extension


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
            for work, (size, width, height), extension in cases():
                label = "%s%s %s" % (work.name, size, extension[1:])
                if not re.search(args.only, label):
                    continue
                source, made = os.path.join(folder, "in" + extension), os.path.join(folder, "made.png")
                photo = source if extension in (".png", ".jpg") else made
                subprocess.run([os.path.join(bin, "make_photo"), photo, str(width), str(height)], check=True)
                if photo != source:
                    subprocess.run([os.path.join(bin, "gpufilter-client"), "copy", photo, source], check=True)
                rows += measure(folder, bin, work, label, extension, source, args.rounds)
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
