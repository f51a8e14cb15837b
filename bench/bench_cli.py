#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times whole commands on picture files: gpufilter-client with a warm private daemon on the CPU, beside vips,
vipsthumbnail, ImageMagick and GraphicsMagick, as far as they are installed. vips is required, since it writes the PNG
and JPEG files that all commands read. The commands alternate, so that noise of the machine affects all of them. The
first table has a row for each other tool: median wall times; the ratio theirs / ours per round (median, least and
greatest; above 1 we are faster); mean processor times, ours including the daemon's; the size of the file written; and
the PSNR of their picture against ours, for several files of the first one. The second table splits our wall time for
one file, as medians of the same runs by --timing: `daemon` is connecting and the round trip without the kernel, `rest`
is starting and ending the process and making shared memory.

usage: bench_cli.py [--rounds N] [--only PATTERN] [--tools NAME,...] [--picture FILE] [--json FILE] [BIN]
BIN is the folder of the built programs, by default that of build/release or build beside this folder. The picture is
FILE. Without --picture, make_photo paints one (sky, ridges, water, film grain) in four sizes; the smallest size shows
the cost of starting. PATTERN selects cases and sizes.
"""
import argparse
import json
import os
import re
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/support"))
from processes import read_proc, stat_of, threads  # noqa: E402

SIZES = {"64x64": ("64", "64"), "0.5 MP": ("816", "612"), "2 MP": ("1920", "1088"), "12 MP": ("4000", "3000")}
# Options by which vips writes files as other programs do: one deflate stream, no restart markers.
SOURCES = {".ppm": "", ".png": "[compression=6,filter=all]", ".jpg": "[Q=90,subsample-mode=on]"}
MAGICK_LEVEL_1 = "-define png:compression-level=1 -define png:compression-filter=2 "
MAGICK_Q90 = "-quality 90 -sampling-factor 2x2 "
N_FILES = 24
# Name, file type, and each tool's arguments: IN and OUT are files, MANY is N_FILES files, DIR is a folder. By default a
# Gaussian of sigma 2 has 17 taps here, 7 integer taps in vips, and as many taps as affect 16 bits in the other two.
CASES = (
    ("blur 7 taps, PNG level 1 filter up", ".png",
     {"gpufilter": "blur --truncate 1.5 IN OUT", "vips": "gaussblur IN OUT[compression=1,filter=up] 2",
      "ImageMagick": "IN -blur 3x2 " + MAGICK_LEVEL_1 + "OUT"}),
    ("blur 7 taps, PNG level 6 all filters", ".png",
     {"gpufilter": "blur --truncate 1.5 --png-level 6 IN OUT", "vips": "gaussblur IN OUT[compression=6,filter=all] 2"}),
    ("blur, PNG, defaults", ".png",
     {"gpufilter": "blur --sigma 2 IN OUT", "vips": "gaussblur IN OUT 2", "ImageMagick": "IN -blur 0x2 OUT",
      "GraphicsMagick": "IN -blur 0x2 OUT"}),
    ("blur 7 taps, JPEG Q 90 4:2:0", ".jpg",
     {"gpufilter": "blur --truncate 1.5 --subsampling 420 IN OUT", "vips": "gaussblur IN OUT[Q=90,subsample-mode=on] 2",
      "ImageMagick": "IN -blur 3x2 " + MAGICK_Q90 + "OUT", "GraphicsMagick": "IN -blur 3x2 " + MAGICK_Q90 + "OUT"}),
    ("blur 15 taps, JPEG Q 90 4:2:0", ".jpg",
     {"gpufilter": "blur --truncate 3.5 --subsampling 420 IN OUT",
      "vips": "gaussblur IN OUT[Q=90,subsample-mode=on] 2 --precision float --min-ampl 0.001"}),
    ("blur, JPEG, defaults", ".jpg", {"gpufilter": "blur --sigma 2 IN OUT", "vips": "gaussblur IN OUT 2",
                                      "ImageMagick": "IN -blur 0x2 OUT", "GraphicsMagick": "IN -blur 0x2 OUT"}),
    ("blur 7 taps, PPM", ".ppm",
     {"gpufilter": "blur --truncate 1.5 IN OUT", "vips": "gaussblur IN OUT 2", "ImageMagick": "IN -blur 3x2 OUT",
      "GraphicsMagick": "IN -blur 3x2 OUT"}),
    ("blur, PPM, defaults", ".ppm", {"gpufilter": "blur --sigma 2 IN OUT", "vips": "gaussblur IN OUT 2",
                                     "ImageMagick": "IN -blur 0x2 OUT", "GraphicsMagick": "IN -blur 0x2 OUT"}),
    # ImageMagick's samples range from 0 to 1.
    ("expr a*1.2-20, PPM", ".ppm",
     {"gpufilter": "expr 'clamp(a*1.2-20, 0, 255)' IN OUT", "vips": "linear IN OUT 1.2 --uchar -- -20",
      "ImageMagick": "IN -fx u*1.2-20/255 OUT"}),
    ("thumbnail 400x400, JPEG Q 80 4:2:0", ".jpg",
     {"gpufilter": "thumbnail 400x400 IN OUT", "vipsthumbnail": "IN --size 400x400> -o OUT[Q=80,strip]",
      "ImageMagick": "-define jpeg:size=800x800 IN -auto-orient -thumbnail 400x400> -quality 80 OUT"}),
    ("thumbnail 400x400 of %d files, JPEG Q 80 4:2:0" % N_FILES, ".jpg",
     {"gpufilter": "thumbnail 400x400 MANY -o DIR/",
      "vipsthumbnail": "MANY --size 400x400> -o DIR/%s.jpg[Q=80,strip]"}),
    ("resize by 0.1 of all samples, JPEG Q 90 4:2:0", ".jpg",
     {"gpufilter": "resize --scale 0.1 --filter lanczos3 --no-shrink-on-load --subsampling 420 IN OUT",
      "vips": "resize IN OUT[Q=90,subsample-mode=on] 0.1",
      "ImageMagick": "IN -filter Lanczos -resize 10% " + MAGICK_Q90 + "OUT"}),
    ("expr sqrt, PPM", ".ppm",
     {"gpufilter": "expr 'sqrt(a/255)*204 + x*51/w' IN OUT", "ImageMagick": "IN -fx sqrt(u)*0.8+i*0.2/w OUT"}))
# Columns of the second table: the stages that --timing prints.
STAGES = {"read, decode": ("read the input", "decode it"), "kernel": ("kernel",),
          "daemon": ("connect", "round trip total"), "encode, write": ("encode and write",)}


def fail(text):
    sys.exit("bench_cli.py: " + text)


def programs(bin, wanted):
    """The first words of the command of each installed tool, ours first."""
    magick = next((name for name in ("magick", "convert-im6.q16") if shutil.which(name)), "magick")
    found = {"gpufilter": [os.path.join(bin, "gpufilter-client")], "vips": ["vips"], "vipsthumbnail": ["vipsthumbnail"],
             "ImageMagick": [magick], "GraphicsMagick": ["gm", "convert"]}
    for name in set(wanted) - set(found):
        fail("there is no tool %s; --tools takes %s" % (name, ", ".join(found)))
    return {name: words for name, words in found.items()
            if name == "gpufilter" or (shutil.which(words[0]) and (not wanted or name in wanted))}


def run(command):
    """Returns what the command printed on standard error, and its milliseconds of wall time and of processor time."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.monotonic() - begin
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        fail("%s: %s" % (shlex.join(command), done.stderr.strip()))
    return done.stderr, 1e3 * wall, 1e3 * (now.ru_utime - used.ru_utime + now.ru_stime - used.ru_stime)


def daemon_ms(daemon):
    """Processor time of the front and its workers so far."""
    pids = [daemon.pid]
    for thread in threads(daemon.pid):
        pids += map(int, read_proc(daemon.pid, "task/%d/children" % thread).split())
    return 1e3 * sum(int(ticks) for pid in pids for ticks in stat_of(pid)[11:13]) / os.sysconf("SC_CLK_TCK")


def stages(report, wall):
    """Splits the wall time of one of our commands. The reported round trip includes the kernel."""
    ms = dict(re.findall(r"^(\S.*?) +([0-9.]+)$", report, re.MULTILINE))
    split = {column: sum(float(ms[label]) for label in labels) for column, labels in STAGES.items()}
    split["daemon"] -= split["kernel"]
    return {**split, "rest": wall - sum(split.values())}


def psnr(client, a, b):
    done = subprocess.run([client, "compare", "--json", a, b], capture_output=True, text=True)
    if "must have the same shape" in done.stderr:  # ImageMagick enlarges a JPEG that is smaller than jpeg:size
        return float("nan")
    if done.returncode not in (0, 1):
        fail("compare: " + done.stderr.strip())
    values = [c["psnr"] for c in json.loads(done.stdout)["channels"]]
    return min((v for v in values if isinstance(v, float)), default=float("inf"))


def make_commands(tools, case, folder):
    """Returns the command of each tool, and the picture that it writes, for several files the first one."""
    _, extension, words = case
    many = [os.path.join(folder, "%d%s" % (i, extension)) for i in range(N_FILES)]
    commands, outs = {}, {}
    for name in many:
        if not os.path.exists(name):
            os.symlink("in" + extension, name)
    for name in [name for name in tools if name in words]:
        places = {"IN": os.path.join(folder, "in" + extension), "OUT": os.path.join(folder, name + extension),
                  "DIR": os.path.join(folder, name)}
        os.makedirs(places["DIR"], exist_ok=True)
        outs[name] = os.path.join(places["DIR"], "0" + extension) if "MANY" in words[name] else places["OUT"]
        commands[name] = [*tools[name]]
        for word in shlex.split(words[name]):
            commands[name] += many if word == "MANY" else [re.sub(r"\b(IN|OUT|DIR)\b", lambda m: places[m[0]], word)]
    return commands, outs


def measure(tools, daemon, label, case, folder, rounds):
    """Runs all tools in turn, in reverse order every other round, for `rounds` rounds after a round to warm up."""
    commands, outs = make_commands(tools, case, folder)
    several = "MANY" in case[2]["gpufilter"]
    if not several:
        commands["gpufilter"].append("--timing")
    walls, used, split = {name: [] for name in commands}, {name: [] for name in commands}, []
    daemon_before = daemon_ms(daemon)
    for turn in range(rounds + 1):
        for name in list(commands)[::-1 if turn % 2 else 1]:
            report, wall, processor = run(commands[name])
            if turn == 0:
                continue
            walls[name].append(wall)
            used[name].append(processor)
            if name == "gpufilter" and not several:
                split.append(stages(report, wall))
    daemon_share = (daemon_ms(daemon) - daemon_before) / (rounds + 1)
    rows = []
    for name in commands:
        rows.append({"case": label, "tool": name, "ms": walls[name], "processor_ms": statistics.mean(used[name]),
                     "ratios": [theirs / ours for theirs, ours in zip(walls[name], walls["gpufilter"])],
                     "bytes": os.path.getsize(outs[name]),
                     "psnr": psnr(tools["gpufilter"][0], outs["gpufilter"], outs[name])})
    rows[0]["processor_ms"] += daemon_share
    if split:
        rows[0]["stages"] = {stage: statistics.median(s[stage] for s in split) for stage in split[0]}
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
            fail("the daemon did not start")
    return daemon


def measure_size(args, bin, tools, daemon, size, folder):
    """Measures all chosen cases of one picture."""
    chosen = {"%s, %s" % (size, case[0]): case for case in CASES}
    chosen = {label: case for label, case in chosen.items()
              if re.search(args.only, label) and any(name in tools for name in case[2] if name != "gpufilter")}
    if not chosen:
        return []
    made = os.path.join(folder, "made.ppm")
    if args.picture:
        run([*tools["gpufilter"], "copy", args.picture, made])
    else:
        run([os.path.join(bin, "make_photo"), made, *SIZES[size]])
    for extension in {case[1] for case in chosen.values()}:
        run(["vips", "copy", made, os.path.join(folder, "in" + extension) + SOURCES[extension]])
    return [row for label, case in chosen.items()
            for row in measure(tools, daemon, label, case, folder, args.rounds)]


def print_tables(rows):
    print("| case | beside | ms, theirs | theirs / ours | processor ms, theirs | kB, theirs | PSNR |")
    print("|%s" % (" --- |" * 7))
    for r in rows:
        if r["tool"] == "gpufilter":
            ours = r
            continue
        print("| %s | %s | %.1f, %.1f | %.2f (%.2f-%.2f) | %.0f, %.0f | %.1f, %.1f | %.1f |" % (
            r["case"], r["tool"], statistics.median(ours["ms"]), statistics.median(r["ms"]),
            statistics.median(r["ratios"]), min(r["ratios"]), max(r["ratios"]), ours["processor_ms"], r["processor_ms"],
            ours["bytes"] / 1e3, r["bytes"] / 1e3, r["psnr"]))
    columns = [*STAGES, "rest"]
    print("\n| case | ms | %s |\n| --- | --- |%s" % (" | ".join(columns), " --- |" * len(columns)))
    for r in rows:
        if "stages" in r:
            print("| %s | %.1f | %s |" % (r["case"], statistics.median(r["ms"]),
                                          " | ".join("%.1f" % r["stages"][column] for column in columns)))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=[])
    parser.add_argument("--picture")
    parser.add_argument("--json")
    parser.add_argument("bin", nargs="?")
    args = parser.parse_args()
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = [args.bin] if args.bin else [os.path.join(here, "build/release/bin"), os.path.join(here, "build/bin")]
    bin = next((p for p in places if os.path.exists(os.path.join(p, "gpufilter-client"))), None)
    if not bin:
        fail("no gpufilter-client in %s; build first" % " or ".join(places))
    if not shutil.which("vips"):
        fail("vips is not installed (Debian's libvips-tools); it writes the input files")
    tools = programs(bin, args.tools)
    rows = []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        daemon = start_daemon(bin, folder)
        try:
            for size in ["picture"] if args.picture else SIZES:
                rows += measure_size(args, bin, tools, daemon, size, folder)
        finally:
            daemon.terminate()
            daemon.wait()
    version = subprocess.run(["vips", "--version"], capture_output=True, text=True).stdout.strip()
    print("%s; %d rounds on %d processors, load average %.1f before and %.1f after\n"
          % (version, args.rounds, len(os.sched_getaffinity(0)), load, os.getloadavg()[0]))
    print_tables(rows)
    if args.json:
        with open(args.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
