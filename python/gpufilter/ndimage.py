# SPDX-License-Identifier: MIT
"""The filters of scipy.ndimage by their names, arguments, defaults and modes, computed by the daemon.

    from gpufilter import ndimage
    blurred = ndimage.gaussian_filter(picture, 2)

Arrays have any number of axes; an axis of channels must be left out by a filter's axes.

input: int8 to uint64, float32 and float64, native or not. Whole numbers of 64 bits above 2^53 are refused (ValueError),
because float64, in which scipy and this module compute them, cannot hold them. bool, float16, longdouble, complex and
object are refused (TypeError). An array in host memory is taken as numpy takes it or by DLPack; an array on a device of
another package is copied, with a HostCopyWarning. Results are numpy arrays.

output: None, for the dtype of the input; a dtype; or an array, which is written to and returned and may be the input.

How it is computed: a picture of uint8, uint16, int16 or float32 is filtered by an operation of gpufilter, which each
function names, in float32, with the bound of numerics.md of gpufilterd-doc, "Agreement with others"; mask, sigma and
cval are rounded to float32. All other arrays are computed in float64, in passes along one axis each, and rounded once. An
`output` of float64, or an input of float64, therefore always gives float64 throughout.

Deliberate differences: results of integers are rounded to nearest, ties to even, and saturated, once; scipy truncates
them after each pass, and wraps; it also rounds float32 after each pass. A coefficient of 0 over an infinity or NaN
gives NaN in `correlate` and `convolve`, where scipy skips such coefficients; for pictures, `sobel` and `prewitt` do not
read the middle pixel. In `uniform_filter` a NaN reaches as far as the mask; scipy's running sums carry it further.

Grey morphology takes pictures of two axes, of uint8, uint16, int16 and float32, flat elements, and no other output.

mode: reflect, constant (with cval), nearest, mirror, wrap; grid-mirror, grid-constant and grid-wrap mean the same for
filters. origin, order, truncate, radius and axes are as in scipy. Weights and windows are in the order of the input's
axes, whatever the order in `axes`. The exception is minima and maxima over windows without gaps: their sizes and
origins follow `axes`.

A function that is missing here raises NotImplementedError, which says what to use instead."""
from . import _facade
from ._arguments import on_host as _on_host
from ._ndimage_linear import (convolve, convolve1d, correlate, correlate1d, gaussian_filter, gaussian_filter1d,
                              gaussian_gradient_magnitude, gaussian_laplace, laplace, prewitt, sobel, uniform_filter,
                              uniform_filter1d)
from ._ndimage_ranks import (black_tophat, grey_closing, grey_dilation, grey_erosion, grey_opening, maximum_filter,
                             maximum_filter1d, median_filter, minimum_filter, minimum_filter1d, morphological_gradient,
                             percentile_filter, rank_filter, white_tophat)
from ._ndimage_regions import distance_transform_edt, label

__all__ = ["black_tophat", "convolve", "convolve1d", "correlate", "correlate1d", "distance_transform_edt",
           "gaussian_filter", "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "grey_closing",
           "grey_dilation", "grey_erosion", "grey_opening", "label", "laplace", "maximum_filter", "maximum_filter1d",
           "median_filter", "minimum_filter", "minimum_filter1d", "morphological_gradient", "percentile_filter",
           "prewitt", "rank_filter", "sobel", "uniform_filter", "uniform_filter1d", "white_tophat"]

_HOST = _on_host("{0}")
_MISSING = {
    "a Python function does not run in the daemon; scipy.ndimage.{0} takes functions of this module as its function":
        "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace vectorized_filter",
    "there is no Fourier transform; gaussian_filter, uniform_filter and convolve filter in space":
        "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
    "there is no interpolation; " + _HOST: "affine_transform geometric_transform map_coordinates rotate shift "
    "spline_filter spline_filter1d zoom",
    "there is no binary morphology; " + _HOST: "binary_closing binary_dilation binary_erosion binary_fill_holes "
    "binary_hit_or_miss binary_opening binary_propagation distance_transform_bf distance_transform_cdt "
    "generate_binary_structure iterate_structure morphological_laplace",
    "gpufilter.label gives areas and boxes of parts; " + _HOST: "center_of_mass find_objects labeled_comprehension "
    "median value_indices "
    "watershed_ift",
    "labels have areas and boxes alone; gpufilter.stats and gpufilter.reduce have the figures of whole arrays and of "
    "segments":
        "extrema maximum maximum_position mean minimum minimum_position standard_deviation sum sum_labels variance",
    "labels have areas and boxes alone; gpufilter.histogram counts whole arrays": "histogram",
}
_facade.adopt(globals(), "gpufilter._ndimage_")
__getattr__, __dir__ = _facade.missing(globals(), _MISSING)
