# SPDX-License-Identifier: MIT
"""pyramid beside OpenCV: integers exactly, f32 within roundings. Called by peers.py."""
import cv2
import numpy as np

from table import run

U = 2.0**-24  # half an ulp of 1 in f32
BORDERS = {"reflect101": cv2.BORDER_REFLECT_101, "replicate": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT,
           "wrap": cv2.BORDER_WRAP}
SHAPES = ((97, 131), (64, 80, 3), (33, 50, 4), (71, 38, 2), (1, 1), (1, 9), (8, 1), (2, 3), (3, 2, 3))

rng = np.random.default_rng(26)


def noise(dtype, shape):
    if dtype == "f4":
        return (rng.random(shape) * 255 - 100).astype("f4")
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)


def compare(t, case, peer, ours, theirs, x):
    if x.dtype == np.float32:
        t.within(case, peer, ours, theirs, 14 * U * np.abs(x).max())
    else:
        t.exact(case, peer, ours, theirs)


def pyramids(t):
    for dtype, name in (("u1", "u8"), ("u2", "u16"), ("i2", "i16"), ("f4", "f32")):
        for shape in SHAPES:
            x, text = noise(dtype, shape), "%s %s" % (name, "x".join(map(str, shape)))
            for border, code in BORDERS.items():
                compare(t, "pyramid %s %s" % (text, border), "cv2.pyrDown", run("pyramid", x, border=border),
                        cv2.pyrDown(x, borderType=code), x)
            compare(t, "pyramid up %s" % text, "cv2.pyrUp", run("pyramid", x, direction="up"), cv2.pyrUp(x), x)
        x = noise(dtype, (97, 131, 3))
        theirs = cv2.pyrDown(cv2.pyrDown(cv2.pyrDown(x)))
        compare(t, "pyramid %s level 3" % name, "cv2.pyrDown", run("pyramid", x, level=3), theirs, x)
        theirs = cv2.pyrUp(cv2.pyrUp(x))
        compare(t, "pyramid up %s level 2" % name, "cv2.pyrUp", run("pyramid", x, level=2, direction="up"), theirs, x)
