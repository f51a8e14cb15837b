#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gcc -fanalyzer and clang-tidy (with .clang-tidy) over protocol/, server/ and client/. Fails on any report that
analyzers.txt does not explain, and on explanations that nothing needs any more.
usage: analyzers.py ROOT BUILD, which has compile_commands.json"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = ("protocol/", "server/", "client/")
REPORT = re.compile(r"^(/[^:\n]+):(\d+):\d+: (?:warning|error): (.*) \[([^\]]+)\]$", re.M)


def explained():
    """(file, check) of each line; * stands for every file."""
    with open(os.path.join(HERE, "analyzers.txt"), encoding="utf-8") as f:
        lines = [line for line in f.read().splitlines() if line and not line.startswith("#")]
    return {tuple(line.split(":", 1)[0].split()) for line in lines}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "error: " in done.stderr and not REPORT.search(done.stderr):
        sys.exit("%s: %s" % (" ".join(command), done.stderr))
    return done.stdout + done.stderr


def analyze(entry, build):
    words = shlex.split(entry["command"])
    while words[0].endswith("ccache"):
        words = words[1:]
    at = words.index("-o")
    gcc = words[:at] + ["-o", "/dev/null"] + words[at + 2:] + ["-fanalyzer", "-Wno-error", "-fdiagnostics-plain-output"]
    path = os.path.join(entry["directory"], entry["file"])
    return run(gcc, entry["directory"]) + run(["clang-tidy", "-p", build, "--quiet", path], entry["directory"])


def main():
    root, build = map(os.path.realpath, sys.argv[1:])
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = {os.path.relpath(os.path.join(e["directory"], e["file"]), root): e for e in json.load(f)}
    entries = [e for name, e in sorted(entries.items()) if name.startswith(FOLDERS) and name.endswith(".c")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(lambda entry: analyze(entry, build), entries))
    known, used, new = explained(), set(), set()
    for path, line, text, check in (found for out in texts for found in REPORT.findall(out)):
        name = os.path.relpath(os.path.normpath(path), root)
        check = check.split(",")[0].replace("-Wanalyzer", "analyzer")
        if not name.startswith(FOLDERS):
            continue
        found = {(name, check), ("*", check)} & known
        used |= found
        if not found:
            new.add("%s:%s: %s [%s]" % (name, line, text, check))
    new |= {"analyzers.txt: nothing reports %s of %s any more" % (check, name) for name, check in known - used}
    print("\n".join(sorted(new)) or "analyzers: %d files, %d explained reports" % (len(entries), len(used)))
    return bool(new)


if __name__ == "__main__":
    sys.exit(main())
