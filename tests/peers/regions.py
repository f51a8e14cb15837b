# SPDX-License-Identifier: MIT
"""label, distance, canny and match beside SciPy, OpenCV and NumPy, on noise and on blobs. Used by peers.py."""
import json
import os
import tempfile

import cv2
import numpy as np
from scipy import ndimage

from support import call, run


def masks():
    rng = np.random.default_rng(22)
    noise = rng.integers(0, 256, (97, 131), np.uint8)
    yield "noise", (noise < 128) * np.uint8(255)
    yield "specks", (noise < 26) * np.uint8(1)
    yield "blobs", (cv2.GaussianBlur(noise, (0, 0), 3) > 127) * np.uint8(7)
    yield "full", np.full((97, 131), 1, np.uint8)


def labels(t):
    for name, mask in masks():
        for connectivity in (4, 8):
            what = "label %s %d" % (name, connectivity)
            ours = {file: run("label", mask, connectivity=connectivity, file=file) for file in (None, "areas", "boxes")}
            structure = np.ones((3, 3)) if connectivity == 8 else None
            t.exact(what, "scipy.ndimage.label", ours[None], ndimage.label(mask, structure)[0])
            t.exact(what, "cv2 CCL_WU", ours[None],
                    cv2.connectedComponentsWithAlgorithm(mask, connectivity, cv2.CV_32S, cv2.CCL_WU)[1])
            stats = cv2.connectedComponentsWithStatsWithAlgorithm(mask, connectivity, cv2.CV_32S, cv2.CCL_WU)[2][1:]
            t.exact(what + " areas", "cv2 CCL_WU", ours["areas"].ravel(), stats[:, cv2.CC_STAT_AREA])
            t.exact(what + " boxes", "cv2 CCL_WU", ours["boxes"].reshape(-1, 4), stats[:, :cv2.CC_STAT_AREA])
    real = np.float32([[np.nan, 0, -0.0, 1e-45, 0, -3]])
    t.exact("label f32 of NaN and -0", "scipy.ndimage.label", run("label", real), ndimage.label(real)[0])


def distances(t):
    for name, mask in masks():
        mask = mask.copy()
        mask[50, 70] = 0
        theirs = ndimage.distance_transform_edt(mask)
        t.exact("distance %s" % name, "scipy edt, f32", run("distance", mask), theirs.astype("f4"))
        t.exact("distance squared %s" % name, "scipy edt, squared", run("distance", mask, squared=1), np.rint(theirs**2))
        t.exact("distance %s" % name, "cv2 precise", run("distance", mask),
                cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_PRECISE))


def canny_edges(t):
    rng = np.random.default_rng(24)
    for channels in (1, 3, 4):
        noise = rng.integers(0, 256, (130, 201, channels), np.uint8)
        smooth = cv2.GaussianBlur(noise, (0, 0), 2).reshape(noise.shape)
        for name, picture, scale in (("noise", noise, 1.0), ("smooth", smooth, 0.2), ("one row", noise[:1], 1.0)):
            for aperture, low, high in ((3, 150.5, 600), (5, 1500, 6000), (7, 20000, 90000)):
                for l2 in (0, 1):
                    limits = (low * scale, high * scale)
                    t.exact("canny %s of %d, %d%s" % (name, channels, aperture, " l2" if l2 else ""), "cv2.Canny",
                            run("canny", picture, low=limits[0], high=limits[1], aperture=aperture, l2=l2),
                            cv2.Canny(picture, *limits, apertureSize=aperture, L2gradient=bool(l2)))


TRANSFORM = {"noise": 1e-5, "smooth": 1e-3, "bright": 0.1}  # what OpenCV's transform in float32 leaves of a difference
METHODS = {"ccoeff": cv2.TM_CCOEFF_NORMED, "ccorr": cv2.TM_CCORR_NORMED, "sqdiff": cv2.TM_SQDIFF_NORMED}


def scores(picture, templ, method):
    """docs/numerics.md, "match", by NumPy's integers."""
    h, w, channels = templ.shape
    under = np.lib.stride_tricks.sliding_window_view(picture.astype("i8"), (h, w), (0, 1))  # y, x, channel, row, column
    t = templ.astype("i8").transpose(2, 0, 1)
    n, axes = h * w, (3, 4)
    xy, xx, yy = (under * t).sum(axes), (under * under).sum(axes), (t * t).sum((1, 2))
    if method == "ccoeff":
        xy = n * xy - under.sum(axes) * t.sum((1, 2))
        xx, yy = n * xx - under.sum(axes)**2, n * yy - t.sum((1, 2))**2
    a, d, e = xy.sum(2), xx.sum(2), yy.sum()
    if method == "sqdiff":
        a = d + e - 2 * a
    root, none = np.sqrt(d.astype("f8") * np.float64(e)), float(method == "sqdiff")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(root == 0, none, np.minimum(a / root, 1)).astype("f4")


def peaks(values, w, h, method, threshold):
    """x, y and score of all, the best first."""
    sign, found = -1 if method == "sqdiff" else 1, []
    across, down = max(1, w // 2), max(1, h // 2)
    for y, x in np.ndindex(values.shape):
        top, left = max(0, y - down), max(0, x - across)
        near = sign * values[top:y + down + 1, left:x + across + 1]
        first = np.unravel_index(near.argmax(), near.shape)
        if (first[0] + top, first[1] + left) == (y, x) and sign * values[y, x] >= sign * threshold:
            found.append((-sign * values[y, x], y, x))
    return [(x, y, -sign * v) for v, y, x in sorted(found)]


def found(picture, templ, method, threshold):
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("picture.npy", "templ.npy")]
        np.save(files[0], picture)
        np.save(files[1], templ)
        made = json.loads(call("match", *files, "--method", method, "--threshold", str(threshold), "--peaks", "200", "--json"))
    return np.float64([(p["x"], p["y"], np.float32(p["score"])) for p in made["found"]])


def matches(t):
    rng = np.random.default_rng(25)
    noise = rng.integers(0, 256, (97, 131, 3), np.uint8)
    smooth = cv2.GaussianBlur(noise, (0, 0), 2)
    for name, image in (("noise", noise), ("smooth", smooth[..., :1].copy()), ("bright", smooth[..., :1] // 8 + 220)):
        for h, w in ((1, 1), (5, 8), (33, 16)):
            templ = image[20:20 + h, 40:40 + w].copy()
            for method, code in METHODS.items():
                what = "match %s %s %dx%d" % (method, name, w, h)
                ours = run("match", image, templ, method=method)
                t.exact(what, "NumPy i64", ours, scores(image, templ, method))
                theirs = cv2.matchTemplate(image, templ, code)
                if method == "ccoeff" and h * w == 1:
                    t.differs(what, "cv2.matchTemplate", ours, theirs, 1, "a template that does not vary is found nowhere")
                else:
                    t.within(what, "cv2.matchTemplate", ours, theirs, TRANSFORM[name] if method == "ccoeff" else 1e-4)
    image = smooth[..., :1].copy()
    for method, threshold in (("ccoeff", 0.25), ("sqdiff", 0.0625)):
        templ = image[30:41, 50:64].copy()
        wanted = peaks(scores(image, templ, method), 14, 11, method, threshold)
        t.exact("peaks of match %s" % method, "NumPy", found(image, templ, method, threshold), np.float64(wanted))
