#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the binary interface of the shared library, as abidw finds it in the debug information, with the interface in
the file DUMP, and fails where a program built for that one would not run: a function or a member that is gone or has
changed. New functions are accepted, and new members at the end of structs that may grow. With --write the file is
written anew; CONTRIBUTING.md says when. usage: check_abi.py [--write] LIBRARY DUMP"""
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

SIZED_BY_ARGUMENT = {"gpufilter_device", "gpufilter_metric", "gpufilter_resident", "gpufilter_span"}
PUBLIC = "[suppress_type]\n  source_location_not_regexp = include/gpufilter/\n  drop = yes\n"


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def dump(library, file, folder):
    """Writes the interface: functions, and the types of the public headers that they use."""
    rules = folder / "public"
    rules.write_text(PUBLIC)
    subprocess.run(["abidw", "--suppressions", rules, "--exported-interfaces-only", "--drop-undefined-syms",
                    "--no-architecture", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed",
                    "--no-parameter-names", "--no-write-default-sizes", "--type-id-style", "hash", "--out-file", file,
                    library], check=True)
    if "'gpufilter_view'" not in file.read_text():
        skip("the library has no debug information")


def structs(tree):
    return {c.get("name"): c for c in tree.iter("class-decl") if c.get("size-in-bits")}


def members(struct):
    return [member[0].get("name") for member in struct]


def may_grow(struct):
    return struct.get("name") in SIZED_BY_ARGUMENT or members(struct)[0] == "struct_size"


def changes(before, now, folder):
    """What abidiff says of the two; "" if programs built for `before` run with `now`. Members that a struct has got at
    its end are left out if it may grow."""
    tree, old = xml.parse(now), structs(xml.parse(before))
    for name, struct in structs(tree).items():
        n = len(old.get(name, ()))
        if may_grow(struct) and 0 < n < len(struct) and members(struct)[:n] == members(old[name]):
            del struct[n:]
            struct.set("size-in-bits", old[name].get("size-in-bits"))
    cut = folder / "cut.abi"
    tree.write(cut)
    made = subprocess.run(["abidiff", "--no-added-syms", before, cut], stdout=subprocess.PIPE, text=True)
    if made.returncode & 3:  # not a result
        sys.exit(f"abidiff ends with {made.returncode}: {made.stdout}")
    return made.stdout if made.returncode else ""


def member(struct, name):
    """A pattern of one member in the dump, after the rest of its struct up to there."""
    return (rf"(<class-decl name='{struct}'(?:(?!</class-decl>).)*?)"
            rf"<data-member [^>]*>\s*<var-decl name='{name}'[^>]*>\s*</data-member>")


# What differs in an earlier interface, and what must be said of the present one.
TRIALS = (("gpufilter_ping", "gpufilter_pong", "1 Removed function"),
          (r"(<var-decl name='n_copied' type-id=)'\w+'", r"\1'type-id-of-float'", "n_copied"),
          (member("gpufilter_times", "round_trip_ns"), r"\1", "round_trip_ns"),
          (member("gpufilter_result", "output"), r"\1", "output"),
          (member("gpufilter_times", r"\w+") + r"(?=\s*</class-decl>)", r"\1", None))


def check_trials(now, folder):
    text = now.read_text()
    real = re.search(r"<type-decl name='float'[^>]* id='(\w+)'", text)[1]
    for pattern, earlier, says in TRIALS:
        before = folder / "before.abi"
        changed, n = re.subn(pattern, earlier.replace("type-id-of-float", real), text, flags=re.S)
        before.write_text(changed)
        said = changes(before, now, folder)
        if n == 0 or (says not in said if says else said):
            sys.exit(f"after s/{pattern}/{earlier}/, {n} times, abidiff says: {said}")


def main():
    write = sys.argv[1] == "--write"
    library, known = map(Path, sys.argv[1 + write:])
    if not shutil.which("abidw") or not shutil.which("abidiff"):
        skip("abidw and abidiff are not installed, package abigail-tools")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        now = folder / "now.abi"
        dump(library, now, folder)
        said = changes(known, now, folder) if known.exists() else ""
        if write:
            shutil.copyfile(now, known)
            print(said or "programs built before still run")
            return
        check_trials(now, folder)
    if said:
        sys.exit(said + "\nPrograms that were built for the released interface would not run. Where nothing was released, "
                 "renew it: cmake --build --preset dev --target abi-dump")


main()
