#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints FILE with the block below <!-- gpufilterd --help --> being what PROGRAM --help says: embed_help.py PROGRAM FILE"""
import re
import subprocess
import sys


def main():
    program, path = sys.argv[1:]
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    with open(path, encoding="utf-8") as f:
        page = f.read()
    block = "<!-- gpufilterd --help -->\n```text\n" + text + "```\n"
    page, n = re.subn(r"<!-- gpufilterd --help -->\n```text\n.*?```\n", lambda _: block, page, flags=re.S)
    sys.stdout.write(page)
    return n != 1


if __name__ == "__main__":
    sys.exit(main())
