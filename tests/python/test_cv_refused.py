# SPDX-License-Identifier: MIT
"""What gpufilter.cv refuses, and how it says so."""
import math

import gpufilter as gf
import numpy as np
import pytest
from conftest import says
from gpufilter import cv

cv2 = pytest.importorskip("cv2", reason="OpenCV, the package python3-opencv, is not installed")


@pytest.mark.parametrize("kind, text, call", [
    (TypeError, "medianBlur: src has dtype float64; it takes uint8, uint16, int16 and float32",
     lambda g: cv.medianBlur(g.astype("f8"), 3)),
    (TypeError, "blur: src has dtype int64; it takes uint8, uint16, int16, float32 and float64",
     lambda g: cv.blur(g.astype("i8"), (3, 3))),
    (TypeError, "blur: src has dtype bool", lambda g: cv.blur(g > 3, (3, 3))),
    (ValueError, "blur: src has shape (31, 9, 5); it must be (H, W) or (H, W, C) with 1 to 4 channels",
     lambda g: cv.blur(g.reshape(31, 9, 5), (3, 3))),
    (TypeError, "blur: ksize=3; it must be (width, height)", lambda g: cv.blur(g, 3)),
    (ValueError, "GaussianBlur: sigmaX=1e+308 with ksize=(0, 0); allowed: up to 10921",
     lambda g: cv.GaussianBlur(g, (0, 0), 1e308)),
    (ValueError, "GaussianBlur: sigmaY=70000.0 with ksize=(3, 0)", lambda g: cv.GaussianBlur(g, (3, 0), 1, sigmaY=7e4)),
    (ValueError, "GaussianBlur: ksize=(1000000000001, 3)", lambda g: cv.GaussianBlur(g, (10**12 + 1, 3), 1)),
    (ValueError, "resize: dsize is not given, and fx=1e+308, fy=2: sides of inf and",
     lambda g: cv.resize(g, None, fx=1e308, fy=2)),
    (ValueError, "bilateralFilter: d=0, sigmaSpace=1e+308 have radius 1.5e+308", lambda g: cv.bilateralFilter(g, 0, 9, 1e308)),
    (ValueError, "blur: ksize=of type int, too long to print; it must be between -2^63 and 2^63",
     lambda g: cv.blur(g, (10**5000, 3))),
    (ValueError, "GaussianBlur: sigmaX=of type int, too long to print; it must be finite",
     lambda g: cv.GaussianBlur(g, (3, 3), 10**5000)),
    (ValueError, "add: src2=of type int, too long to print; it must be finite", lambda g: cv.add(g, 10**5000)),
    (ValueError, "addWeighted: alpha=1000", lambda g: cv.addWeighted(g, 10**400, g, 1, 0)),
    (ValueError, "getGaussianKernel: ksize=4, ktype=6; ksize must be odd", lambda g: cv.getGaussianKernel(4, 1)),
    (ValueError, "blur: ksize=(0, 3); allowed: 1 to 4095", lambda g: cv.blur(g, (0, 3))),
    (ValueError, "blur: anchor=(3, 0) in a kernel of 3x3", lambda g: cv.blur(g, (3, 3), None, (3, 0))),
    (NotImplementedError, "blur: ksize=(300, 3) with this anchor", lambda g: cv.blur(g, (300, 3), None, (0, 0))),
    (NotImplementedError, "blur: borderType=5; allowed: BORDER_CONSTANT",
     lambda g: cv.blur(g, (3, 3), borderType=cv.BORDER_TRANSPARENT)),
    (NotImplementedError, "Sobel: ddepth=4; allowed: -1, CV_8U, CV_16U, CV_16S, CV_32F and CV_64F",
     lambda g: cv.Sobel(g, cv.CV_32S, 1, 0)),
    (NotImplementedError, "Sobel: ddepth=5 of float64; allowed: -1 and CV_64F",
     lambda g: cv.Sobel(g.astype("f8"), cv.CV_32F, 1, 0)),
    (ValueError, "Sobel: dx=0, dy=0; allowed: orders whose sum is 1", lambda g: cv.Sobel(g, -1, 0, 0)),
    (ValueError, "Scharr: dx=1, dy=1; allowed: 1, 0 and 0, 1", lambda g: cv.Scharr(g, -1, 1, 1)),
    (ValueError, "Sobel: order 1 with ksize=4; ksize must be odd", lambda g: cv.Sobel(g, -1, 1, 0, ksize=4)),
    (ValueError, "Sobel: order 3 with ksize=3", lambda g: cv.Sobel(g, -1, 3, 0)),
    (NotImplementedError, "2^24: use a smaller ksize", lambda g: cv.Sobel(g, cv.CV_32F, 1, 0, ksize=31)),
    (ValueError, "GaussianBlur: ksize=(4, 4) with sigma=1.0; sides must be odd",
     lambda g: cv.GaussianBlur(g, (4, 4), 1)),
    (ValueError, "GaussianBlur: ksize=(0, 0) with sigma=0.0", lambda g: cv.GaussianBlur(g, (0, 0), 0)),
    (ValueError, "filter2D: kernel has shape (1, 1, 1) and dtype int64; it must be numbers, of two axes, rows",
     lambda g: cv.filter2D(g, -1, [[[1]]])),
    (ValueError, "filter2D: kernel has shape (3,)", lambda g: cv.filter2D(g, -1, [1, 2, 1])),
    (ValueError, "sepFilter2D: kernelY has shape (2, 2) and dtype int64; it must be numbers, in one row or column",
     lambda g: cv.sepFilter2D(g, -1, [1], [[1, 2], [3, 4]])),
    (ValueError, "add: mask has shape (30, 45) and dtype uint8; it must be (31, 45) of uint8 or bool",
     lambda g: cv.add(g, g, mask=g[1:])),
    (ValueError, "add: src2 has shape (5,); it must be (H, W)", lambda g: cv.add(g, np.ones(5))),
    (ValueError, "add: src1 has dtype uint8, src2 float32; give the dtype of the result",
     lambda g: cv.add(g, g.astype("f4"))),
    (ValueError, "add: src1 has shape (31, 45), src2 (30, 45); they must be the same", lambda g: cv.add(g, g[1:])),
    (ValueError, "add: src2=nan; it must be finite", lambda g: cv.add(g, math.nan)),
    (TypeError, "multiply: scale='x'; it must be a number", lambda g: cv.multiply(g, g, scale="x")),
    (TypeError, "magnitude: x must be float32 or float64", lambda g: cv.magnitude(g, g)),
    (NotImplementedError, "threshold: type=5; allowed: THRESH_BINARY", lambda g: cv.threshold(g, 0, 255, 5)),
    (TypeError, "threshold: src has shape (31, 45) and dtype float32; with THRESH_OTSU it takes (H, W) of uint8",
     lambda g: cv.threshold(g.astype("f4"), 0, 1, cv.THRESH_OTSU)),
    (ValueError, "adaptiveThreshold: blockSize=4; it must be odd", lambda g: cv.adaptiveThreshold(g, 255, 0, 0, 4, 2)),
    (ValueError, "inRange: lowerb has shape (31, 45) and dtype float32, src (31, 45) and uint8; they must be the same",
     lambda g: cv.inRange(g, g.astype("f4"), 9)),
    (ValueError, "minMaxLoc: src has shape (31, 45, 2); it must be (H, W)", lambda g: cv.minMaxLoc(np.dstack([g, g]))),
    (NotImplementedError, "norm: normType=6; allowed: NORM_INF", lambda g: cv.norm(g, g, 6)),
    (ValueError, "normalize: norm_type=6; allowed: NORM_MINMAX", lambda g: cv.normalize(g, None, 0, 1, 6)),
    (TypeError, "blur: ksize=3.0; it must be a whole number", lambda g: cv.blur(g, (3.0, 3))),
    (TypeError, "medianBlur: ksize=3.5; it must be a whole number", lambda g: cv.medianBlur(g, 3.5)),
    (TypeError, "GaussianBlur: sigmaX=None; it must be a number", lambda g: cv.GaussianBlur(g, (3, 3), None)),
    (ValueError, "blur: src has shape (0, 45); each side must be 1 or longer", lambda g: cv.blur(g[:0], (3, 3))),
    (ValueError, "blur: src: setting an array element with a sequence", lambda g: cv.blur([[1, 2], [3]], (3, 3))),
    (TypeError, "calcHist: channels=0; it must be a list", lambda g: cv.calcHist([g], 0, None, [8], [0, 9])),
    (TypeError, "cvtColor: code=[]; it must be a whole number", lambda g: cv.cvtColor(g, [])),
    (TypeError, "distanceTransform: maskSize=None; it must be a whole number", lambda g: cv.distanceTransform(g, 2, None)),
    (TypeError, "integral: sum is a list; it must be a numpy array", lambda g: cv.integral(g, [1])),
    (TypeError, "connectedComponents: labels is a list; it must be a numpy array", lambda g: cv.connectedComponents(g, [1])),
    (NotImplementedError, "LUT: lut has shape (256, 3); it must be one table",
     lambda g: cv.LUT(g, np.zeros((256, 3), "u1"))),
    (TypeError, "LUT: lut has dtype float64", lambda g: cv.LUT(g, np.zeros(256))),
    (NotImplementedError, "integral: sdepth=5 of uint8", lambda g: cv.integral(g, sdepth=cv.CV_32F)),
    (ValueError, "may have sums beyond 2^31; use sdepth=CV_64F", lambda g: cv.integral(np.zeros((3000, 3000), "u1"))),
    (NotImplementedError, "calcHist: 3 channels, 3 numbers of histSize and 6 of ranges; allowed: one or two channels",
     lambda g: cv.calcHist([g] * 3, [0, 1, 2], None, [8] * 3, [0, 9] * 3)),
    (ValueError, "calcHist: channels=[1] of 1", lambda g: cv.calcHist([g], [1], None, [8], [0, 9])),
    (TypeError, "equalizeHist: src has shape (31, 45) and dtype uint16", lambda g: cv.equalizeHist(g.astype("u2"))),
    (TypeError, "CLAHE.apply: src has shape (31, 45) and dtype float32; it takes (H, W) of uint8 or uint16",
     lambda g: cv.createCLAHE().apply(g.astype("f4"))),
    (ValueError, "CLAHE: tileGridSize=(8, 33); it must be (across, down), 1 to 32 each", lambda g: cv.createCLAHE(2, (8, 33))),
    (ValueError, "bilateralFilter: d=300, sigmaSpace=2 have radius 150; allowed: up to 127", lambda g: cv.bilateralFilter(g, 300, 9, 2)),
    (ValueError, "bilateralFilter: sigmaColor=nan; it must be finite", lambda g: cv.bilateralFilter(g, 5, math.nan, 2)),
    (ValueError, "bilateralFilter: sigmaSpace=inf; it must be finite", lambda g: cv.bilateralFilter(g, 0, 9, math.inf)),
    (NotImplementedError, "erode: iterations=300 of 2x1 are one kernel of 301x1 with this border and anchor; sides up to 255",
     lambda g: cv.erode(g, np.ones((1, 2)), iterations=300, borderType=cv.BORDER_REFLECT)),
    (ValueError, "rotate: rotateCode=3; allowed: ROTATE_90_CLOCKWISE, ROTATE_180 and", lambda g: cv.rotate(g, 3)),
    (TypeError, "transpose: src has dtype int64; it takes uint8, uint16, int16, float32, float64, int8 and int32",
     lambda g: cv.transpose(g.astype("i8"))),
    (ValueError, "copyMakeBorder: top, bottom, left, right are 1, 1, -1, 1; they must be 0 or more",
     lambda g: cv.copyMakeBorder(g, 1, 1, -1, 1, cv.BORDER_WRAP)),
    (NotImplementedError, "resize: interpolation=5; allowed: INTER_NEAREST, INTER_LINEAR",
     lambda g: cv.resize(g, (9, 9), interpolation=cv2.INTER_LINEAR_EXACT)),
    (ValueError, "resize: dsize is not given, and fx=0, fy=0: sides of 0 and 0; allowed: 1 to 65535",
     lambda g: cv.resize(g, None)),
    (TypeError, "resize: dsize=9; it must be (width, height)", lambda g: cv.resize(g, 9)),
    (ValueError, "pyrDown: dstsize=(21, 16) of a picture of 45x31; allowed: 22 to 23, 15 to 16",
     lambda g: cv.pyrDown(g, dstsize=(21, 16))),
    (ValueError, "pyrUp: dstsize=(91, 62) of a picture of 45x31; allowed: 89 to 90, 61 to 62",
     lambda g: cv.pyrUp(g, dstsize=(91, 62))),
    (NotImplementedError, "pyrUp: borderType of wrap; allowed: BORDER_DEFAULT",
     lambda g: cv.pyrUp(g, borderType=cv2.BORDER_WRAP)),
    (NotImplementedError, "pyrDown: borderType of constant; allowed: any other",
     lambda g: cv.pyrDown(g, borderType=cv2.BORDER_CONSTANT)),
    (ValueError, "buildPyramid: maxlevel=-1; allowed: 0 to 16", lambda g: cv.buildPyramid(g, -1)),
    (ValueError, "buildPyramid: maxlevel=1000000000000000000; allowed: 0 to 16", lambda g: cv.buildPyramid(g, 10**18)),
    (NotImplementedError, "copyMakeBorder: borderType=5", lambda g: cv.copyMakeBorder(g, 1, 1, 1, 1, 5)),
    (ValueError, "copyMakeBorder: value has 5 numbers", lambda g: cv.copyMakeBorder(g, 1, 1, 1, 1, 0, value=[1] * 5)),
    (ValueError, "medianBlur: ksize=4; it must be odd, 1 to 255", lambda g: cv.medianBlur(g, 4)),
    (ValueError, "medianBlur: ksize=257; it must be odd, 1 to 255", lambda g: cv.medianBlur(g, 257)),
    (TypeError, "morphologyEx: op=array([2]); it must be a whole number",
     lambda g: cv.morphologyEx(g, np.array([2]), None)),
    (NotImplementedError, "VideoCapture: gpufilter.cv has no video and no windows; use cv2.VideoCapture",
     lambda g: cv.VideoCapture(0)),
    (NotImplementedError, "warpAffine: there is no interpolation; on the host: cv2.warpAffine",
     lambda g: cv.warpAffine(g, np.eye(2, 3), (9, 9))),
    (AttributeError, "module 'gpufilter.cv' has no attribute 'GuassianBlur'", lambda g: cv.GuassianBlur),
])
def test_what_is_refused(kind, text, call, grey):
    says(kind, text, lambda: call(grey))


def test_names_are_those_of_opencv():
    names = [name for listed in cv._MISSING.values() for name in listed.split()]
    families = [name[:-1] for name in names if name.endswith("*")]
    assert [f for f in families if not any(name.startswith(f) for name in dir(cv2))] == []
    assert families and [name for name in names if not name.endswith("*") and not hasattr(cv2, name)] == []
    assert {name for name in names if not name.endswith("*")} < set(dir(cv))


def test_constants_that_are_not_here():
    says(NotImplementedError, "RETR_EXTERNAL: connectedComponentsWithStats finds parts", lambda: cv.RETR_EXTERNAL)
    says(AttributeError, "COLOR_BayerBG2BGR: cvtColor takes", lambda: cv.COLOR_BayerBG2BGR)
    assert not hasattr(cv, "FONT_HERSHEY_PLAIN") and hasattr(cv, "BORDER_WRAP")


def test_device_arrays_are_refused(grey):
    resident = gf.to_device(grey)
    says(TypeError, "blur: src is on the daemon's device; use the functions of gpufilter",
         lambda: cv.blur(resident, (3, 3)))


def test_matchTemplate_refuses():
    a = np.zeros((9, 9), np.uint8)
    says(ValueError, "method=6; allowed: TM_SQDIFF, ", lambda: cv.matchTemplate(a, a, 6))
    says(TypeError, "they must have the same channels and dtype", lambda: cv.matchTemplate(a, a.astype("f4"), 5))
    says(ValueError, "matchTemplate: mask has shape (2, 2, 1) and dtype uint8; it must be (9, 9)", lambda: cv.matchTemplate(a, a, 5, mask=a[:2, :2]))
    says(ValueError, "matchTemplate: mask has shape () and dtype int64; it must be (9, 9)",
         lambda: cv.matchTemplate(a, a, 5, mask=1))
    says(ValueError, "matchTemplate: mask has shape (); templ has (9, 9)",
         lambda: cv.matchTemplate(a, a, 5, mask=np.float32(1)))
    says(ValueError, "result has shape (2, 2)", lambda: cv.matchTemplate(a, a, 5, np.empty((2, 2), "f4")))
    says(ValueError, "templ of shape (9, 9) is larger than image, (5, 9)", lambda: cv.matchTemplate(a[:5], a, 5))


def test_video_refused():
    frame = np.zeros((96, 86), "u1")
    says(ValueError, "src has shape (95, 86); code=90 takes (H * 3 / 2, W)", lambda: cv.cvtColor(frame[:95], 90))
    says(TypeError, "video takes uint8", lambda: cv.cvtColor(frame.astype("f4"), 90))
    says(NotImplementedError, "code=127; OpenCV samples the chroma of one pixel of four", lambda: cv.cvtColor(np.dstack([frame] * 3), 127))
    says(NotImplementedError, "code=101; it takes COLOR_YUV2RGB_NV12", lambda: cv.cvtColorTwoPlane(frame, frame, 101))
    says(ValueError, "src1 has shape (96, 86), src2 (96, 86)", lambda: cv.cvtColorTwoPlane(frame, frame, 90))
    says(NotImplementedError, "dstCn=4; code=90 gives 3", lambda: cv.cvtColor(frame, 90, None, 4))


def test_channels_refused():
    grey, rgb = np.zeros((4, 5), "u1"), np.zeros((4, 5, 3), "u1")
    says(NotImplementedError, "code=50; allowed: the constants COLOR_", lambda: cv.cvtColor(rgb, cv.COLOR_BGR2LUV))
    says(ValueError, "src has 1 channel; code=7 takes 3", lambda: cv.cvtColor(grey, cv.COLOR_RGB2GRAY))
    says(ValueError, "src has 3 channels; code=8 takes 1", lambda: cv.cvtColor(rgb, cv.COLOR_GRAY2BGR))
    says(NotImplementedError, "dstCn=4; code=4 gives 3", lambda: cv.cvtColor(rgb, cv.COLOR_RGB2BGR, None, 4))
    says(ValueError, "mv has 5 pictures; it takes 1 to 4", lambda: cv.merge([grey] * 5))
    says(ValueError, "m has shape (1, 2) and dtype float32 for 3 channels", lambda: cv.transform(rgb, np.ones((1, 2), "f4")))
