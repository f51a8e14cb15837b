# SPDX-License-Identifier: MIT
"""What type checkers say of a user's program, typed_user.py: mypy, and pyright, which needs Node.js and comes with it
as pyright[nodejs] from PyPI."""
import importlib.util
import os
import re
import subprocess
import sys

import gpufilter
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "typed_user.py")
PACKAGE = os.path.dirname(os.path.dirname(gpufilter.__file__))
BITS = {"unsignedinteger[_8Bit]": "uint8", "unsignedinteger[_16Bit]": "uint16", "signedinteger[_32Bit]": "int32",
        "floating[_32Bit]": "float32"}
WRONG = """
import gpufilter as gf
import numpy as np
a = np.zeros((4, 4), np.uint8)
gf.gaussian(a, boarder="wrap")
gf.gaussian(a, border="mirror")
gf.gaussain(a)
gf.reduce(a, axis=1.5)
gf.pipe(a).gaussian(2).sobl()
b: gf.DeviceArray = gf.box(a)
"""


def check(checker, path, tmp_path):
    """The checker's exit status and messages, as (line, text)."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"no module {checker}; scripts/deps --test installs mypy, pip install 'pyright[nodejs]' pyright")
    command = {"mypy": ["mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir",
                        str(tmp_path)],
               "pyright": ["pyright", "--pythonpath", sys.executable]}[checker]
    done = subprocess.run([sys.executable, "-m", *command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, cwd=tmp_path, env={**os.environ, "MYPYPATH": PACKAGE})
    assert done.returncode in (0, 1), done.stdout + done.stderr
    text = done.stdout.replace("numpy._typing._nbit_base.", "")
    said = re.findall(r"^\s*\S*\.py:(\d+):(?:\d+:| -)? *(.*)$", text, re.M)
    return done.returncode, [(int(line), text.replace("numpy.", "")) for line, text in said]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_program_without_an_error(checker, tmp_path):
    status, said = check(checker, PROGRAM, tmp_path)
    assert status == 0, said
    with open(PROGRAM, encoding="utf-8") as file:
        lines = file.read().splitlines()
    expected = {n: line.partition("  # ")[2] for n, line in enumerate(lines, 1) if "reveal_type" in line}
    assert len(expected) == 10 and {n for n, _ in said} == set(expected)
    for n, text in said:
        revealed = text.rpartition(' type is "' if checker == "mypy" else ' is "')[2].strip('"')
        for bits, name in BITS.items():
            revealed = revealed.replace(bits, name)
        found = re.sub(r".*dtype\[(\w+)\].*", r"ndarray of \1", revealed).rpartition(".")[2]
        assert found == expected[n], (n, text)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_wrong_calls_are_found(checker, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    status, said = check(checker, path, tmp_path)
    assert status == 1
    assert {n for n, text in said if "rror" in text} == {5, 6, 7, 8, 9, 10}
