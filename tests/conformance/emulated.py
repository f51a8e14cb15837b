#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""conformance on a processor that QEMU emulates: its devices are of the instructions expected, every case passes there,
and the reference's results have the hash that they have on this processor. Exit status 77: nothing was compared.
usage: emulated.py CONFORMANCE PROCESSOR INSTRUCTIONS [OPTION]..."""
import re
import shutil
import subprocess
import sys

QEMU = "qemu-x86_64"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def results(output):
    """(instructions of the device with the fastest ones, cases, hash)"""
    fastest = re.search(r"^cpu with 5 threads, (\w+): [1-9]\d* passed, 0 failed", output, re.M)
    compared = re.search(r"^(\d+) cases, seed \d+, hash of the reference's results (\w+)$", output, re.M)
    return fastest and fastest[1], compared and compared.groups()


def main():
    program, processor, instructions, *options = sys.argv[1:]
    if shutil.which(QEMU) is None:
        skip(f"no {QEMU} here; the package qemu-user has it")
    command = [program, "--backend", "cpu", *options]
    native = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    emulated = subprocess.run([QEMU, "-cpu", processor, *command], capture_output=True, text=True)
    # It says so once per thread.
    missing = set(re.findall(r"TCG doesn't support requested feature: (\S+)", emulated.stderr))
    if instructions == "avx2" and any(feature.endswith(".avx2") for feature in missing):
        skip(f"this {QEMU} emulates no AVX2; version 7.2 does")
    print(emulated.stdout, "".join(line for line in emulated.stderr.splitlines(True) if "TCG doesn't" not in line), sep="")
    (here, expected), (there, compared) = results(native.stdout), results(emulated.stdout)
    print(f"here, {here}: cases and hash {expected}; {processor}, {there}: {compared}")
    if native.returncode or emulated.returncode or there != instructions or not compared or compared != expected:
        if native.returncode:
            print(native.stdout)
        print(f"FAILED: exit status {native.returncode} here and {emulated.returncode} there, where {instructions} is expected")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
