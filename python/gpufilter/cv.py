# SPDX-License-Identifier: MIT
"""Filters and arithmetic of OpenCV by their names, arguments, defaults and constants, computed by the daemon.

    from gpufilter import cv
    blurred = cv.GaussianBlur(picture, (0, 0), 2)

src: uint8, uint16, int16 or float32, of shape (H, W) or (H, W, C) with 1 to 4 channels, which are all filtered in the
same way; other dtypes are refused (TypeError). Linear filters, thresholds and resize also take float64; arithmetic,
flip, rotate, transpose and copyMakeBorder also int8, int32 and float64. (H, W, 1) is taken as (H, W), which results
then have, as in OpenCV. An array on a device of another package is copied, with a HostCopyWarning. dst: an array of the
result's shape and dtype, which is written to and returned; an array that does not fit is refused, not replaced. dst may
be src or another operand; the result then takes memory of its own on the way.

ddepth, dtype: -1, CV_8U, CV_16U, CV_16S, CV_32F or CV_64F; of arithmetic also CV_8S and CV_32S. Results of float64 are
computed in float64. borderType: the constants below; BORDER_WRAP also works for filters, and BORDER_CONSTANT is 0.

Where releases of OpenCV differ, the results are those of OpenCV 5. Deliberate differences: ties are rounded to even
everywhere, and results that do not fit are saturated, also those of int32. GaussianBlur and the conversions of colours
have weights of float32, also for integers, where OpenCV has fixed-point weights (numerics.md of gpufilterd-doc,
"Agreement with others"). Kernels, scale and delta are float32 unless the result is float64. min and max of NaN are NaN.
Errors are exceptions of Python and gpufilter, not cv2.error.

A function that is missing here raises NotImplementedError, which says what to use instead."""
import inspect as _inspect

from . import _facade
from ._cv_arithmetic import *  # noqa: F403
from ._cv_arguments import in_place as _in_place
from ._cv_colours import *  # noqa: F403
from ._cv_constants import *  # noqa: F403
from ._cv_figures import *  # noqa: F403
from ._cv_filters import *  # noqa: F403
from ._cv_geometry import *  # noqa: F403
from ._cv_histograms import *  # noqa: F403
from ._cv_matching import *  # noqa: F403
from ._cv_regions import *  # noqa: F403
from ._cv_resize import *  # noqa: F403
from ._cv_thresholds import *  # noqa: F403

_MISSING = {
    "its weights depend on the samples, or on two results; on the host: cv2.{0}":
        "cornerHarris cornerMinEigenVal fastNlMeansDenoising fastNlMeansDenoisingColored goodFeaturesToTrack "
        "preCornerDetect",
    "there is no interpolation; on the host: cv2.{0}":
        "getRectSubPix getRotationMatrix2D remap undistort warpAffine warpPerspective warpPolar WARP_*",
    "gpufilter.stats and gpufilter.reduce have the figures, per channel; gpufilter.compare the errors":
        "PSNR reduce reduceArgMax reduceArgMin REDUCE_*",
    "gpufilter.box of the squares, and gpufilter.integral(square=1)": "sqrBoxFilter integral2 integral3",
    "gpufilter.sobel(output='dx') and 'dy', and output='magnitude'": "spatialGradient",
    "there is no Fourier transform; sepFilter2D and filter2D filter in space":
        "dct dft idct idft mulSpectrums DCT_* DFT_*",
    "gpufilter.expr computes it: 'sqrt(a)', 'pow(a, 2)', 'exp(a)', 'log(a)', 'atan2(b, a)', 'a > b'":
        "cartToPolar compare exp log phase polarToCart pow sqrt CMP_*",
    "gpufilter.sort, gpufilter.argsort and gpufilter.matmul do it": "gemm sort sortIdx GEMM_* SORT_*",
    "gpufilter.copy and gpufilter.merge take channels apart and together": "extractChannel insertChannel mixChannels",
    "connectedComponentsWithStats finds parts, with their boxes, areas and centres; on the host: cv2.{0}":
        "approxPolyDP arcLength boundingRect contourArea convexHull drawContours findContours fitEllipse "
        "matchShapes minAreaRect minEnclosingCircle moments pointPolygonTest CHAIN_* CONTOURS_* RETR_*",
    "gpufilter.cv reads and writes no files; use cv2.{0} or Pillow, or the command gpufilter-client":
        "imdecode imencode imread imreadmulti imwrite IMREAD_* IMWRITE_*",
    "gpufilter.cv has no video and no windows; use cv2.{0}":
        "VideoCapture VideoWriter destroyAllWindows imshow namedWindow waitKey CAP_* EVENT_* WINDOW_*",
    "it draws; use cv2.{0}":
        "arrowedLine circle ellipse fillConvexPoly fillPoly line polylines putText rectangle FILLED* FONT_* LINE_* "
        "MARKER_*",
    "it goes from pixel to pixel; on the host: cv2.{0}":
        "HoughCircles HoughLines HoughLinesP calcOpticalFlowFarneback calcOpticalFlowPyrLK "
        "distanceTransformWithLabels floodFill grabCut inpaint pyrMeanShiftFiltering watershed FLOODFILL_* GC_* "
        "HOUGH_* INPAINT_* OPTFLOW_*",
    "there are no keypoints; on the host: cv2.{0}": "BFMatcher ORB_create SIFT_create cornerSubPix",
    "histograms are numpy arrays; on the host: cv2.{0}":
        "calcBackProject compareHist kmeans HISTCMP_* KMEANS_* TERM_CRITERIA_*",
    "numpy does it, on the host": "repeat",
    "cvtColor takes the constants COLOR_ that are here; on the host: cv2.cvtColor": "COLOR_* COLORMAP_*",
}
_facade.adopt(globals(), "gpufilter._cv_")
globals().update({name: _in_place(value) for name, value in globals().items() if _inspect.isfunction(value)})
__getattr__, __dir__ = _facade.missing(globals(), _MISSING)
