#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each line of a dictionary is one that libFuzzer takes: a comment, or [NAME=]"BYTES" with the escapes \\\\, \\" and \\xHH,
1 to 64 bytes. usage: check_dict.py FILE..."""
import re
import sys

ENTRY = re.compile(r'(?:[^"=]+=)?"((?:[^"\\]|\\\\|\\"|\\x[0-9a-fA-F]{2})+)"')


def main():
    bad = 0
    for path in sys.argv[1:]:
        entries = 0
        with open(path, encoding="ascii") as f:
            for number, line in enumerate(f, 1):
                line = line.rstrip("\n")
                if not line or line.startswith("#"):
                    continue
                found = ENTRY.fullmatch(line)
                if not found or len(re.sub(r"\\x..|\\.", "?", found.group(1))) > 64:
                    print("%s:%d: libFuzzer does not take %s" % (path, number, line))
                    bad += 1
                entries += 1
        print("%s: %d entries" % (path, entries))
        bad += entries == 0
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
