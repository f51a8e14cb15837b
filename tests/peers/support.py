# SPDX-License-Identifier: MIT
"""Running an operation on NumPy arrays, the pictures of several comparisons, and the table of who agrees. Used by all
files of this folder."""
import os
import subprocess
import tempfile

import cv2
import numpy as np
from scipy import ndimage

cv2.ipp.setUseIPP(False)  # of builds with Intel's IPP: its roots are of another precision, on Intel's processors alone

CLIENT = os.environ["GF_CLIENT"]
# Results without pictures are written with -o.
TABLES = ("histogram", "histogram2d", "quantile", "reduce", "stats", "dot")
PICTURES = ("nv12", "i420", "label")  # of pictures with another one beside OUT
U = 2.0**-24  # half an ulp of 1 in f32
BORDERS = {"replicate": "nearest", "wrap": "wrap", "reflect": "reflect", "reflect101": "mirror", "constant": "constant"}
CV_BORDERS = {"replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT, "reflect101": cv2.BORDER_REFLECT_101}

rng = np.random.default_rng(7)
NOISE = rng.integers(0, 256, (97, 131), np.uint8)
NOISE16 = rng.integers(0, 65536, (97, 131), np.uint16)
SIGNED = np.random.default_rng(16).integers(-32768, 32768, (97, 131), np.int16)
REAL = (rng.random((97, 131)) * 255).astype("f4")
SOFT = ndimage.gaussian_filter(rng.random((97, 131)) * 255, 3)
SOFT = ((SOFT - SOFT.min()) / (SOFT.max() - SOFT.min()) * 255).astype(np.uint8)


def call(*args):
    done = subprocess.run([CLIENT, *args], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(args), done.stderr.strip()))
    return done.stdout


def run(op, /, *arrays, file=None, **params):
    """Output 0 of an operation, sent through the daemon; or the one that the option `file` writes."""
    args = [op, "--quiet"]
    for name, value in params.items():
        if name == "mask":
            value = ";".join(" ".join(repr(float(v)) for v in row) for row in value)
        elif isinstance(value, np.ndarray):
            value = ",".join(repr(float(v)) for v in value)
        args.append("--%s=%s" % (name.replace("_", "-"), value))
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, "%d.npy" % i) for i in range(len(arrays))]
        for name, array in zip(files, arrays):
            np.save(name, array)
        out = os.path.join(folder, "out.npy")
        option = file and "--" + file or op in TABLES and "-o"
        first = (os.path.join(folder, "first.npy"),) if file and op in PICTURES else ()
        call(*args, *files, *first, *((option, out) if option else (out,)))
        return np.load(out)


class Table:
    def __init__(self):
        self.rows = []
        self.failed = 0

    def add(self, case, peer, text, good):
        self.failed += not good
        self.rows.append((case, peer, text if good else "WRONG: " + text))

    def exact(self, case, peer, ours, theirs):
        """The same numbers, in whatever type each has them; NaN is NaN."""
        ours, theirs = np.asarray(ours).squeeze(), np.asarray(theirs).squeeze()
        same = ours.shape == theirs.shape
        if same and ours.dtype.kind == "f" and theirs.dtype.kind == "f":
            same = np.array_equal(ours, theirs, equal_nan=True)
        elif same:
            same = bool((ours == theirs).all())
        self.add(case, peer, "exactly" if same else "not exactly: " + self.difference(ours, theirs), same)

    @staticmethod
    def difference(ours, theirs):
        if ours.shape != theirs.shape:
            return "%s and %s" % (ours.shape, theirs.shape)
        return "by at most %.3g" % np.nanmax(np.abs(ours.astype("f8") - theirs.astype("f8")))

    def within(self, case, peer, ours, theirs, bound):
        """|ours - theirs| <= bound, which is a number or one per sample; printed as a share of the greatest value."""
        ours, theirs = np.asarray(ours, "f8").squeeze(), np.asarray(theirs, "f8").squeeze()
        if ours.shape != theirs.shape:
            self.add(case, peer, self.difference(ours, theirs), False)
            return
        error, scale = np.abs(ours - theirs), np.abs(theirs).max()
        text = "within %.1e of the greatest value, error %.1e" % (np.max(bound) / scale, error.max() / scale)
        self.add(case, peer, text, bool((error <= bound).all()))

    def differs(self, case, peer, ours, theirs, limit, why):
        """Differs, and on purpose; by no more than the limit, None where nothing bounds it."""
        ours, theirs = np.asarray(ours, "f8").squeeze(), np.asarray(theirs, "f8").squeeze()
        worst = np.nanmax(np.abs(ours - theirs))
        differ = int((ours != theirs).sum())
        good = differ > 0 and (limit is None or worst <= limit)
        self.add(case, peer, "differs in %d of %d, by at most %.3g: %s" % (differ, ours.size, worst, why), good)

    def show(self):
        wide = [max(len(row[i]) for row in self.rows) for i in (0, 1)]
        for row in self.rows:
            print("%-*s  %-*s  %s" % (wide[0], row[0], wide[1], row[1], row[2]))
        print("%d cases, %d wrong" % (len(self.rows), self.failed))
