# SPDX-License-Identifier: MIT
"""Tones, colours and video beside NumPy and OpenCV. Called by peers.py."""
import cv2
import numpy as np

from support import NOISE, NOISE16, REAL, SOFT, U, rng, run


def tones(t):
    for name, image in (("noise", NOISE), ("soft", SOFT)):
        t.exact("equalize u8 %s" % name, "cv2.equalizeHist", run("equalize", image), cv2.equalizeHist(image))
        t.exact("threshold otsu u8 %s" % name, "cv2.threshold", run("threshold", image, mode="otsu"),
                cv2.threshold(image, 0, 255, cv2.THRESH_OTSU)[1])
    ties = np.repeat(np.array([10, 60, 110], np.uint8), [2, 1, 509]).reshape(8, 64)
    t.differs("equalize u8 with ties", "cv2.equalizeHist", run("equalize", ties), cv2.equalizeHist(ties), 1,
              "ties go up here, OpenCV's go to even")
    for dtype, image in (("u8", NOISE), ("u8", SOFT), ("u16", NOISE16)):
        for clip, tiles in ((40, (8, 8)), (2.5, (3, 5)), (0, (1, 4))):
            t.exact("clahe %s clip %g, %d x %d tiles" % (dtype, clip, *tiles), "cv2.createCLAHE",
                    run("clahe", image, clip=clip, tiles="%dx%d" % tiles), cv2.createCLAHE(clip, tiles).apply(image))
    one = np.full((9, 7), 77, np.uint8)
    t.differs("threshold otsu u8 one value", "cv2.threshold", run("threshold", one, mode="otsu"),
              cv2.threshold(one, 0, 255, cv2.THRESH_OTSU)[1], 255, "black here, all above 0 is white there")
    t.differs("histogram f32 one value", "np.histogram", run("histogram", one.astype("f4"), bins=4, range="data"),
              np.histogram(one, 4)[0], one.size, "in the last bin of no width, NumPy's bins are 1 wide in all")
    two = np.where(NOISE < 100, 40, 200).astype(np.uint8)
    t.exact("threshold otsu u8 two values", "cv2.threshold", run("threshold", two, mode="otsu"),
            cv2.threshold(two, 0, 255, cv2.THRESH_OTSU)[1])
    t.exact("threshold 100 u8", "cv2.threshold", run("threshold", NOISE, value=100),
            cv2.threshold(NOISE, 100, 255, 0)[1])
    rgb = np.dstack([NOISE, SOFT, NOISE[::-1]])
    grey = (rgb.astype("u4") @ np.array([19595, 38470, 7471], "u4") + 32768 >> 16).astype("u1")
    t.exact("threshold otsu u8 of colours", "cv2.threshold of brightness", run("threshold", rgb),
            cv2.threshold(grey, 0, 255, cv2.THRESH_OTSU)[1])
    t.exact("map gamma 2.2 u8", "numpy f64, rint", run("map", SOFT, gamma=2.2),
            np.rint(255 * (SOFT / 255) ** np.float64(np.float32(2.2))))
    t.exact("map u8 to u16 full", "numpy", run("map", NOISE, range="full", dtype="u16"), NOISE.astype("u2") * 257)
    t.exact("combine absdiff u8", "cv2.absdiff", run("combine", NOISE, SOFT, mode="absdiff"), cv2.absdiff(NOISE, SOFT))
    t.exact("combine .25A+.5B u8", "cv2.addWeighted", run("combine", NOISE, SOFT, a=0.25, b=0.5),
            cv2.addWeighted(NOISE, 0.25, SOFT, 0.5, 0))


def around(difference, turn):
    """0 is a full turn."""
    return np.minimum(np.abs(difference), turn - np.abs(difference))


def hues(t, name, ours, theirs, turn, limit, why):
    """The hue around the circle; saturation and value as they are."""
    apart = ours[..., 0].astype("f8") - theirs[..., 0]
    t.differs("hsv %s hue" % name, "cv2.cvtColor", around(apart, turn), np.zeros(apart.shape), limit, why)
    # Of f32 d/V here, d/(V + FLT_EPSILON) there, each rounded a few times; no V is 0.
    bound = 1 if name == "u8" else ours[..., 1] * (np.finfo("f4").eps / ours[..., 2].astype("f8") + 4 * U)
    t.within("hsv %s saturation" % name, "cv2.cvtColor", ours[..., 1], theirs[..., 1], bound)
    t.exact("hsv %s value" % name, "cv2.cvtColor", ours[..., 2], theirs[..., 2])


def colours(t):
    rgb = rng.integers(0, 256, (97, 131, 3), np.uint8)
    rgb16, real = rng.integers(0, 65536, (97, 131, 3), np.uint16), rng.random((97, 131, 3), "f4")
    digits = "OpenCV's weights of the differences have three digits"
    bits, order = "OpenCV's weights are fixed-point numbers", [0, 2, 1]  # Y, Cb, Cr here, Y, Cr, Cb there
    for name, picture, limit in (("u8", rgb, 1), ("u16", rgb16, 1)):
        wide = picture.astype("f8")
        t.within("gray %s" % name, "f64, rint", run("gray", picture), np.rint(wide @ [0.299, 0.587, 0.114]), 1)
        t.differs("gray %s" % name, "cv2.cvtColor", run("gray", picture), cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), limit,
                  bits)
        ours = run("ycbcr", picture)
        t.differs("ycbcr %s" % name, "cv2.cvtColor", ours[..., order], cv2.cvtColor(picture, cv2.COLOR_RGB2YCrCb),
                  1 if name == "u8" else 20, digits)
        t.differs("rgb of YCbCr %s" % name, "cv2.cvtColor", run("rgb", picture[..., order].copy()),
                  cv2.cvtColor(picture, cv2.COLOR_YCrCb2RGB), 1 if name == "u8" else 40, digits)
        coefs = np.array([[0.25, 0.5, 0.125, 3.5], [-1, 0.75, 1.5, 0]], "f4")
        text = ";".join(" ".join("%r" % float(v) for v in row) for row in coefs)
        t.exact("matrix %s 3 to 2" % name, "cv2.transform f64, rint, clip", run("matrix", picture, coefs=text),
                np.clip(np.rint(cv2.transform(wide, coefs.astype("f8"))), 0, np.iinfo(picture.dtype).max))
    t.within("gray f32", "cv2.cvtColor", run("gray", real), cv2.cvtColor(real, cv2.COLOR_RGB2GRAY), 4 * U)
    t.differs("ycbcr f32", "cv2.cvtColor", run("ycbcr", real)[..., order], cv2.cvtColor(real, cv2.COLOR_RGB2YCrCb), 4e-4,
              digits)
    t.within("gray bt709 f32", "f64", run("gray", real, standard="bt709"),
             real.astype("f8") @ [0.2126, 0.7152, 0.0722], 4 * U)
    hues(t, "u8", run("hsv", rgb), cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV), 180, 1, bits)
    hues(t, "f32", run("hsv", real), cv2.cvtColor(real, cv2.COLOR_RGB2HSV), 360, None, "OpenCV adds FLT_EPSILON to d")
    some = np.dstack([rng.integers(0, 180, (97, 131)), *rng.integers(0, 256, (2, 97, 131))]).astype(np.uint8)
    t.differs("rgb of HSV u8", "cv2.cvtColor", run("rgb", some, model="hsv"), cv2.cvtColor(some, cv2.COLOR_HSV2RGB), 1,
              "OpenCV cuts fractions off")
    t.exact("merge u8", "np.dstack", run("merge", rgb[..., 0].copy(), rgb[..., 1:].copy()), rgb)
    t.exact("merge order=3,2,1 u8", "cv2.cvtColor", run("merge", rgb, order="3,2,1"), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))
    mean, std = np.array([0.485, 0.456, 0.406], "f4"), np.array([0.229, 0.224, 0.225], "f4")
    t.exact("normalize u8 range=full", "numpy f32, as torchvision", run("normalize", rgb, mean=mean, std=std, range="full"),
            (rgb / np.float32(255) - mean) / std)
    rgba = rng.integers(0, 256, (97, 131, 4), np.uint8)
    share = rgba[..., 3:] / 255.0
    t.exact("flatten u8", "f64, rint", run("flatten", rgba, background="#102030"),
            np.rint(rgba[..., :3] * share + np.array([16, 32, 48]) * (1 - share)))


def halved(rgb):
    """Means of blocks of 2x2 pixels, the last row and column counting twice."""
    wide = np.pad(rgb.astype("f8"), ((0, rgb.shape[0] % 2), (0, rgb.shape[1] % 2), (0, 0)), mode="edge")
    return (wide[::2, ::2] + wide[1::2, ::2] + wide[::2, 1::2] + wide[1::2, 1::2]) / 4


def video(t):
    there = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112], [112, -93.786, -18.214]]) / 255
    back = np.array([[255 / 219, 0, 1.402 * 255 / 224], [255 / 219, -0.344136 * 255 / 224, -0.714136 * 255 / 224],
                     [255 / 219, 1.772 * 255 / 224, 0]])
    bits, draw = "OpenCV's weights are fixed-point numbers", np.random.default_rng(420)
    odd, even = draw.integers(0, 256, (97, 131, 3), np.uint8), draw.integers(0, 256, (96, 130, 3), np.uint8)
    chroma = halved(odd) @ there[1:].T + 128
    t.within("nv12 u8 131x97 y", "f64, rint", run("nv12", odd), np.rint(odd @ there[0] + 16), 1)
    t.within("nv12 u8 131x97 uv", "f64, rint", run("nv12", odd, file="uv"), np.rint(chroma), 1)
    for channel, name in enumerate("uv"):
        t.exact("i420 u8 131x97 %s" % name, "nv12", run("i420", odd, file=name), run("nv12", odd, file="uv")[..., channel])
    theirs = cv2.cvtColor(even, cv2.COLOR_RGB2YUV_I420)
    t.differs("i420 u8 y", "cv2.cvtColor", run("i420", even), theirs[:96], 1, bits)
    t.differs("i420 u8 u", "cv2.cvtColor", run("i420", even, file="u"), theirs[96:120].reshape(48, 65), None,
              "OpenCV takes one pixel of four")
    blocks = even[::2, ::2].repeat(2, 0).repeat(2, 1)
    theirs = cv2.cvtColor(blocks, cv2.COLOR_RGB2YUV_I420)
    t.differs("i420 u8 u of even blocks", "cv2.cvtColor", run("i420", blocks, file="u"), theirs[96:120].reshape(48, 65), 1,
              bits)
    y, uv = draw.integers(0, 256, (96, 130), np.uint8), draw.integers(0, 256, (48, 65, 2), np.uint8)
    wide = np.dstack([y - 16.0, uv.repeat(2, 0).repeat(2, 1) - 128.0]) @ back.T
    t.within("rgb420 NV12 u8", "f64, rint, clip", run("rgb420", y, uv), np.clip(np.rint(wide), 0, 255), 1)
    for text, least, limit, why in (("", 0, 19, "OpenCV takes Y below 16 as 16"), (" of Y from 16", 16, 1, bits)):
        luma = np.maximum(y, np.uint8(least))
        t.differs("rgb420 NV12 u8%s" % text, "cv2.cvtColorTwoPlane", run("rgb420", luma, uv),
                  cv2.cvtColorTwoPlane(luma, uv, cv2.COLOR_YUV2RGB_NV12), limit, why)
    planes = [luma, uv[..., 0].copy(), uv[..., 1].copy()]
    t.exact("rgb420 I420 u8", "NV12", run("rgb420", *planes), run("rgb420", luma, uv))
    t.differs("rgb420 I420 u8", "cv2.cvtColor", run("rgb420", *planes),
              cv2.cvtColor(np.concatenate([p.ravel() for p in planes]).reshape(144, 130), cv2.COLOR_YUV2RGB_I420), 1, bits)


def halves(t):
    half = (REAL / 255).astype("f2")
    t.exact("map f32 to f16", "numpy", run("map", REAL, scale=300, dtype="f16"), (REAL * np.float32(300)).astype("f2"))
    t.exact("map f16 to f32", "numpy", run("map", half, dtype="f32"), half.astype("f4"))
    t.exact("gaussian f16", "of f32, numpy", run("gaussian", half, sigma=2),
            run("gaussian", half.astype("f4"), sigma=2).astype("f2"))
