# SPDX-License-Identifier: MIT
"""label, distance and canny beside SciPy and OpenCV, on noise and on blobs. Used by peers.py."""
import cv2
import numpy as np
from scipy import ndimage

from table import run


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
