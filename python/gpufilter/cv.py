# SPDX-License-Identifier: MIT
"""Filters and arithmetic of OpenCV by their names, arguments, defaults and constants, computed by the daemon.

    from gpufilter import cv
    blurred = cv.GaussianBlur(picture, (0, 0), 2)

src: uint8, uint16, int16 or float32, of shape (H, W) or (H, W, C) with 1 to 4 channels, which are all filtered in the
same way; other dtypes are refused (TypeError). flip, rotate, transpose and copyMakeBorder also take int8, int32 and
float64. An array on a device of another package is copied, with a HostCopyWarning. dst: an array of the result's shape
and dtype, which is written to and returned; an array that does not fit is refused, not replaced.

ddepth, dtype: -1, CV_8U, CV_16U, CV_16S or CV_32F. CV_64F raises NotImplementedError: nothing here computes pictures in
float64. borderType: the constants below; BORDER_WRAP also works for filters, and BORDER_CONSTANT is 0.

Deliberate differences: ties are rounded to even everywhere. GaussianBlur and the conversions of colours have weights of
float32, also for integers, where OpenCV has fixed-point weights (numerics.md of gpufilterd-doc, "Agreement with others").
Kernels, scale and delta are float32. min and max of NaN are NaN. Errors are exceptions of Python and gpufilter, not
cv2.error.

A function that is missing here raises NotImplementedError, which says what to use instead."""
from . import _facade
from ._cv_arithmetic import *  # noqa: F403
from ._cv_colours import *  # noqa: F403
from ._cv_constants import *  # noqa: F403
from ._cv_filters import *  # noqa: F403
from ._cv_geometry import *  # noqa: F403
from ._cv_histograms import *  # noqa: F403
from ._cv_regions import *  # noqa: F403

_MISSING = {
    "its weights depend on the samples, or on two results; on the host: cv2.{0}":
        "fastNlMeansDenoising fastNlMeansDenoisingColored adaptiveThreshold cornerHarris",
    "there is no interpolation; on the host: cv2.{0}": "remap warpAffine warpPerspective",
    "gpufilter.map and gpufilter.combine scale and mix samples; on the host: cv2.{0}": "divide scaleAdd",
    "gpufilter.map and gpufilter.autocontrast scale samples; the latter over their range":
        "convertScaleAbs normalize",
    "gpufilter.stats and gpufilter.reduce have the figures, per channel":
        "countNonZero mean meanStdDev minMaxLoc norm PSNR reduce sumElems",
    "gpufilter.box of the squares, and gpufilter.integral(square=1)": "sqrBoxFilter integral2 integral3",
    "gpufilter.sobel(output='dx') and 'dy', and output='magnitude'": "spatialGradient",
    "there is no Fourier transform; sepFilter2D and filter2D filter in space": "dft idft",
}
_facade.adopt(globals(), "gpufilter._cv_")
__getattr__, __dir__ = _facade.missing(globals(), _MISSING)
