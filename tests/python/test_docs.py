# SPDX-License-Identifier: MIT
"""docs/python.md, docs/tutorial.md and README.md: their blocks of code run in order in one namespace and do what they
say; the table of peers in docs/python.md is right. samples/python: each script runs to its end with its own assertions
and writes a picture that other programs can read."""
import doctest
import os
import re
import subprocess
import sys

import gpufilter as gf
import numpy as np
import pytest
from conftest import WAIT

ROOT = os.path.join(os.path.dirname(__file__), "..", "..")
PAGE = os.path.join(ROOT, "docs", "python.md")
SAMPLES = os.path.join(ROOT, "samples", "python")


def blocks(path):
    """(language, number of lines before it, text) of each block of Python."""
    with open(path, encoding="utf-8") as f:
        page = f.read()
    for match in re.finditer(r"^```(python|pycon)\n(.*?)^```$", page, re.M | re.S):
        yield match[1], page.count("\n", 0, match.start(2)), match[2]


@pytest.mark.parametrize("name, least", [("docs/python.md", 10), ("docs/tutorial.md", 2), ("README.md", 1)])
def test_the_code_of_the_page(name, least, tmp_path, monkeypatch):
    path = os.path.abspath(os.path.join(ROOT, name))
    monkeypatch.chdir(tmp_path)
    np.save("photo.npy", np.random.default_rng(1).integers(0, 256, (320, 480, 3), dtype=np.uint8))
    space, parser = {"__name__": "page"}, doctest.DocTestParser()
    runner = doctest.DocTestRunner(verbose=False)
    found, said = 0, []
    for language, line, text in blocks(path):
        found += 1
        if language == "python":
            exec(compile("\n" * line + text, path, "exec"), space)
        else:
            test = parser.get_doctest(text, space, name, path, line)
            runner.run(test, out=said.append, clear_globs=False)
            space.update(test.globs)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
    assert found >= least


def rows():
    with open(PAGE, encoding="utf-8") as f:
        table = f.read().partition("<!-- peers -->\n")[2].partition("\n\n")[0]
    return [[cell.strip().strip("`") for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]


def names():
    random = np.random.default_rng(1)
    b = random.integers(20, 200, (120, 160), dtype=np.uint8)
    return {"gf": gf, "np": np, "a": random.random((120, 160), dtype=np.float32), "b": b, "d": b[::-1].copy(),
            "rgb": random.integers(0, 256, (120, 160, 3), dtype=np.uint8), "x": random.normal(size=1000),
            "y": random.normal(size=1000), "m": random.normal(size=(40, 50)), "n": random.normal(size=(50, 30)),
            "mask": np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 1]], np.float32), "taps": np.float32([1, 2, 4]),
            "t": np.arange(255, -1, -1, dtype=np.uint8)}


@pytest.mark.parametrize("peer", ["scipy", "cv2"])
def test_the_table_of_peers(peer):
    module, space, wrong, n = pytest.importorskip(peer), names(), [], 0
    if peer == "scipy":
        from scipy import ndimage, signal
        space.update(ndimage=ndimage, signal=signal)
    else:
        space.update(cv2=module, R=module.BORDER_REFLECT)
    assert len(rows()) > 30
    for row in rows():
        call, most = row[1 if peer == "scipy" else 2], float(row[3])
        if not call:
            continue
        n += 1
        ours, theirs = np.asarray(eval(row[0], space)), np.asarray(eval(call, space))
        if ours.shape != theirs.shape:
            wrong.append(f"{row[0]}: shape {ours.shape}, {call}: {theirs.shape}")
            continue
        difference = np.abs(ours.astype(float) - theirs.astype(float)).max() / np.abs(theirs).max()
        if not difference <= most:
            wrong.append(f"{row[0]}, {call}: differ by {difference}")
    assert not wrong and n > 20, "\n".join(wrong)


@pytest.mark.parametrize("filter", ["gf.gaussian(b, 2, border='reflect'), ndimage.gaussian_filter(b, 2)",
                                    "gf.box(b, 5, border='reflect'), ndimage.uniform_filter(b, 5)"])
def test_scipy_cuts_off_integers(filter):
    ndimage = pytest.importorskip("scipy.ndimage")
    ours, theirs = eval(filter, {**names(), "ndimage": ndimage})
    assert set(np.unique(ours.astype(int) - theirs)) == {0, 1, 2}


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


def test_labelled():
    pytest.importorskip("xarray", reason="xarray is not installed; build/newest has it")
    assert "degrees of latitude" in run(sys.executable, os.path.join(SAMPLES, "labelled.py"))


def test_operators():
    says = run(sys.executable, os.path.join(SAMPLES, "operators.py"))
    assert "Fibonacci's number 60: 1548008755920\n" in says and says.count("\n") == 6
