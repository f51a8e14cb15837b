#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Follows the page "An operation in 15 minutes" of CONTRIBUTING.md in a copy of the sources: scripts/new-op makes files
that compile, are formatted, and refuse to compute; the page's other commands exist.
usage: check_new_op.py ROOT CC CMAKE"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, CC, CMAKE = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3]
COPIED = ("protocol", "kernels", "tests/reference", "tests/conformance", "docs/numerics.md", "scripts/new-op",
          "cmake/GfOps.cmake", ".clang-format")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wmissing-prototypes", "-Werror")
REFUSALS = (("threshold", "median", "threshold exists"), ("grey", "median", "another name of gray"),
            ("morphology", "median", "the function that runs"), ("Edge", "median", "is no name"),
            ("register", "median", "is a keyword"), ("edge", "sharper", "no operation sharper"),
            ("edge", "resize", "is no model"), ("median3", "median", "kernels/cpu/rank/median3.c exists"))


def page():
    """The commands of the page."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
        section = re.search(r"^## An operation in 15 minutes\n(.*?)^## ", file.read(), re.M | re.S)[1]
    return [line.split("#")[0].strip() for block in re.findall(r"^```\n(.*?)^```", section, re.M | re.S)
            for line in block.splitlines() if line.strip()]


def files(folder):
    """What every file of a folder holds."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def copy(folder):
    for path in COPIED:
        target = os.path.join(folder, path)
        if os.path.isdir(os.path.join(ROOT, path)):
            shutil.copytree(os.path.join(ROOT, path), target)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, path), target)


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def well(*command, cwd):
    done = run(*command, cwd=cwd)
    assert done.returncode == 0, "%s: %s" % (" ".join(command), done.stdout)
    return done.stdout


def check_refusals(folder):
    before = files(folder)
    for name, like, sentence in REFUSALS:
        done = run("scripts/new-op", name, "--like", like, cwd=folder)
        assert done.returncode == 1 and sentence in done.stdout, "%s like %s: %s" % (name, like, done.stdout)
    assert files(folder) == before, "a refused call has changed files"


def compile_all(folder, paths):
    built = os.path.join(folder, "build")
    well(CMAKE, "-DCMAKE_C_COMPILER=" + CC, "-DPROJECT_BINARY_DIR=" + built, "-P", "cmake/GfOps.cmake", cwd=folder)
    for path in ["protocol/ops/op_table.c", *paths]:
        well(CC, "-std=gnu17", "-fsyntax-only", "-D_GNU_SOURCE", *WARNINGS, "-I" + folder, "-I" + built, path, cwd=folder)


def check_files(folder, name, like):
    before = files(folder)
    printed = well("scripts/new-op", name, "--like", like, cwd=folder)
    after = files(folder)
    changed = {path for path, text in after.items() if before.get(path) != text}
    made = changed - set(before)
    assert changed == set(re.search("^Written: (.*)", printed)[1].split()), printed
    texts = {path: text.decode() for path, text in after.items() if path in changed}
    ids = {path: int(re.search(rb"^GF_OP\(\w+, (0x\w+)", text)[1], 16) for path, text in after.items()
           if re.search(rb"^GF_OP\(\w+, 0x", text)}
    own = ids.pop("protocol/ops/%s.def" % name)
    assert own == 1 + max(ids.values()), "id %#x" % own
    assert re.findall(r'^#include "(\w+)\.def"$', texts["protocol/ops/ops.def"], re.M)[-1] == name
    sources = [path for path in made if path.endswith((".c", ".cu"))]
    assert len(sources) == 2, made
    sources += [path for path in changed if path.startswith("tests/reference/")]
    assert len(sources) == 3, changed
    for path in sources:
        refusal = r"^\{\n    return gf_error_set\(err, GF_E_INTERNAL, \"[a-z ]*\b%s\b" % name
        assert re.search(refusal, texts[path], re.M), path
    assert any("\n[%s]\n" % name in text for path, text in texts.items() if "/cases/" in path), "no cases"
    assert "\n%s: " % name in texts["tests/conformance/vectors.csv"], "no vector"
    assert re.search(r"^#+ %s$" % name, texts["docs/numerics.md"], re.M), "no section"
    compile_all(folder, sorted(path for path in changed if path.endswith(".c") and "/cuda/" not in path))
    if shutil.which("clang-format-14"):
        well("clang-format-14", "--dry-run", "-Werror", *sources, cwd=folder)
    well(sys.executable, os.path.join(ROOT, "tests/lint/check_words.py"), folder, cwd=folder)


def check_command(command):
    """The command is a script of this tree, or builds a target that the tree has."""
    words = shlex.split(command)
    if words[0] != "cmake":
        assert os.access(os.path.join(ROOT, words[0]), os.X_OK), command
        return
    lists = ""
    for path in ("docs/CMakeLists.txt", "tests/conformance/CMakeLists.txt"):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            lists += file.read()
    assert re.search(r"add_custom_target\(%s\b" % words[words.index("--target") + 1], lists), command


def main():
    commands = page()
    assert re.fullmatch(r"scripts/new-op \w+ --like \w+", commands[0]), commands
    for command in commands:
        check_command(command)
    with tempfile.TemporaryDirectory() as folder:
        copy(folder)
        check_refusals(folder)
        _, name, _, like = commands[0].split()
        check_files(folder, name, like)
        check_files(folder, name + "_window", "median")
        check_files(folder, name + "_sums", "scan")  # helpers of its reference take its parameters
        print("%d commands; %s, %s_window and %s_sums compile" % (len(commands), name, name, name))


main()
