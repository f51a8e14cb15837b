# SPDX-License-Identifier: MIT
"""median, rank and percentile beside scipy, OpenCV and, where it is installed, Pillow. Called by peers.py."""
import cv2
import numpy as np
from scipy import ndimage
from table import run

BORDERS = {"replicate": "nearest", "wrap": "wrap", "reflect": "reflect", "reflect101": "mirror", "constant": "constant"}


def pictures():
    rng = np.random.default_rng(22)
    for name, dtype in (("u8", "u1"), ("u16", "u2"), ("i16", "i2"), ("f32", "f4")):
        few = rng.integers(0, 40, (61, 83))  # many equal samples
        full = rng.normal(size=(61, 83)) if name == "f32" else rng.integers(*(
            (np.iinfo(dtype).min, np.iinfo(dtype).max + 1)), (61, 83))
        for kind, picture in (("few", few), ("full", full)):
            yield "%s %s" % (name, kind), picture.astype(dtype)


def ranks(t):
    for name, x in pictures():
        for border, mode in BORDERS.items():
            more = {"border_value": 9} if border == "constant" else {}
            for width, height in ((3, 3), (5, 5), (4, 2), (9, 7), (1, 90), (21, 1)):
                options = {"size": "%dx%d" % (width, height), "border": border, **more}
                theirs = {"size": (height, width), "mode": mode, "cval": 9}
                t.exact("median %dx%d %s %s" % (width, height, name, border), "scipy", run("median", x, **options),
                        ndimage.median_filter(x, **theirs))
                t.exact("rank -2 %dx%d %s %s" % (width, height, name, border), "scipy",
                        run("rank", x, index=-2, **options), ndimage.rank_filter(x, -2, **theirs))
                t.exact("percentile 33.3 %dx%d %s %s" % (width, height, name, border), "scipy",
                        run("percentile", x, percent=33.3, **options), ndimage.percentile_filter(x, 33.3, **theirs))
        for size in (3, 5) + ((7, 9, 15, 31) if x.dtype == "u1" else ()):
            t.exact("median %d %s" % (size, name), "cv2.medianBlur", run("median", x, size=size),
                    cv2.medianBlur(x, size))
    for percent in (0, 1e-9, 11.1, 50, 66.66666666666667, 99.9, 100):
        t.exact("percentile %g" % percent, "scipy", run("percentile", x, percent=percent),
                ndimage.percentile_filter(x, percent, 3, mode="nearest"))
    rgb = np.random.default_rng(3).integers(0, 256, (45, 67, 3), np.uint8)
    t.exact("median 5 u8 RGB", "cv2.medianBlur", run("median", rgb, size=5), cv2.medianBlur(rgb, 5))
    try:
        from PIL import Image, ImageFilter
    except ImportError:
        print("Pillow is not compared: install python3-pil")
        return
    picture = Image.fromarray(rgb)
    for size in (3, 5, 7):
        t.exact("median %d u8 RGB" % size, "Pillow MedianFilter", run("median", rgb, size=size),
                picture.filter(ImageFilter.MedianFilter(size)))
        t.exact("rank 4 of %d u8 RGB" % size, "Pillow RankFilter", run("rank", rgb, size=size, index=4),
                picture.filter(ImageFilter.RankFilter(size, 4)))
