#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints FILE with what PROGRAM says below each line <!-- NAME ARGUMENTS -->, where NAME is the program's: the block of
text or the table that follows the line is replaced by what the program prints with these arguments.

usage: embed.py PROGRAM FILE"""
import os
import re
import subprocess
import sys


def main():
    program, path = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        page = f.read()

    def renew(match):
        said = subprocess.run([program, *match[2].split()], check=True, stdout=subprocess.PIPE, text=True).stdout
        return match[1] + ("```text\n" + said + "```\n" if match[3].startswith("```") else said)

    name = re.escape(os.path.basename(program))
    page, n = re.subn(r"(<!-- " + name + r" ([^\n]*) -->\n)(```text\n.*?```\n|(?:\|[^\n]*\n)+)", renew, page, flags=re.S)
    sys.stdout.write(page)
    return n == 0


if __name__ == "__main__":
    sys.exit(main())
