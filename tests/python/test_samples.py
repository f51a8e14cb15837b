# SPDX-License-Identifier: MIT
"""samples/python: each script runs to its end with its own assertions and writes a picture that other programs can
read."""
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import WAIT

SAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "samples", "python")


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=WAIT, check=False)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name, shape, says", [("microscopy", (1024, 1024, 3), "in focus: plane"),
                                               ("photograph", (1600, 2400, 3), "edges of sigma 4")])
def test_sample(name, shape, says, tmp_path):
    assert says in run(sys.executable, os.path.join(SAMPLES, f"{name}.py"), tmp_path)
    assert os.listdir(tmp_path) == [f"{name}.png"]
    run(os.environ["GF_CLIENT"], "copy", tmp_path / f"{name}.png", tmp_path / "read.npy")
    picture = np.load(tmp_path / "read.npy")
    assert picture.shape == shape and picture.dtype == np.uint8
    height, width = shape[0] // 2, shape[1] // 2
    quarters = [picture[y:y + height, x:x + width] for y in (0, height) for x in (0, width)]
    assert all(quarter.std() > 10 for quarter in quarters)


def test_operators():
    says = run(sys.executable, os.path.join(SAMPLES, "operators.py"))
    assert "Fibonacci's number 60: 1548008755920\n" in says and says.count("\n") == 6
