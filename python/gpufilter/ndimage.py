# SPDX-License-Identifier: MIT
"""The filters, morphology, labels and distances of scipy.ndimage by their names, arguments, defaults and modes.

    from gpufilter import ndimage
    blurred = ndimage.gaussian_filter(picture, 2)

Arrays have any number of axes; an axis of channels must be left out by a filter's axes.

input: int8 to uint64, float32 and float64, native or not; of filters with weights also complex64 and complex128, of all
others also bool and float16. Filters with weights refuse whole numbers of 64 bits above 2^53 (ValueError), because
float64, in which scipy and this module compute them, cannot hold them. Other dtypes are refused (TypeError). An array in
host memory is taken as numpy takes it or by DLPack; an array on a device of another package is copied, with a
HostCopyWarning. Results are numpy arrays.

output: None, for the dtype of the input; a dtype; or an array, which is written to and returned and may be the input.

Filters with weights: a picture of uint8, uint16, int16 or float32 is filtered by an operation of gpufilter, which each
function names, in float32, with the bound of numerics.md of gpufilterd-doc, "Agreement with others"; mask, sigma and
cval are rounded to float32. All other arrays are computed in float64, in passes along one axis each, and rounded once. An
`output` of float64, or an input of float64, therefore always gives float64 throughout. Complex numbers are filtered by
their real and imaginary parts, in float64.

Ranks, extrema and morphology: exact, of any dtype. Pictures of uint8, uint16, int16 and float32 go to gpufilter.median,
rank, erode and dilate as they are; of other dtypes the places of the samples in their order. Minima and maxima of such
dtypes over windows without gaps are computed here. Windows have any number of axes, gaps, and an origin for each axis;
without gaps and ranks, a mode for each axis, too.

Deliberate differences: results of integers are rounded to nearest, ties to even, and saturated, once; scipy truncates
them after each pass, and wraps; it also rounds float32 after each pass. A coefficient of 0 over an infinity or NaN
gives NaN in `correlate` and `convolve`, where scipy skips such coefficients; for pictures, `sobel` and `prewitt` do not
read the middle pixel. In `uniform_filter` a NaN reaches as far as the mask; scipy's running sums carry it further.

mode: reflect, constant (with cval), nearest, mirror, wrap; grid-mirror, grid-constant and grid-wrap mean the same for
filters. origin, order, truncate, radius and axes are as in scipy. Weights and windows are in the order of the input's
axes, whatever the order in `axes`. The exception is minima and maxima over windows without gaps: their sizes and
origins follow `axes`.

nan: "omit" leaves NaN out in uniform_filter, gaussian_filter, those along one axis, and median_filter; scipy has no
such argument.

fallback: False. What is refused, by arguments or because it is missing here, raises NotImplementedError, TypeError,
ValueError or RuntimeError. With `ndimage.fallback = True` scipy.ndimage is called instead, and a FallbackWarning names
each such function and the reason once. replace_scipy() puts this module in the place of scipy.ndimage."""
from . import _facade
from ._facade import FallbackWarning
from ._ndimage_binary import (binary_closing, binary_dilation, binary_erosion, binary_fill_holes, binary_hit_or_miss,
                              binary_opening, binary_propagation, generate_binary_structure, iterate_structure)
from ._ndimage_figures import (center_of_mass, extrema, find_objects, histogram, maximum, maximum_position, mean, median,
                               minimum, minimum_position, standard_deviation, sum, sum_labels, variance)
from ._ndimage_linear import (convolve, convolve1d, correlate, correlate1d, gaussian_filter, gaussian_filter1d,
                              gaussian_gradient_magnitude, gaussian_laplace, laplace, prewitt, sobel, uniform_filter,
                              uniform_filter1d)
from ._ndimage_ranks import (black_tophat, grey_closing, grey_dilation, grey_erosion, grey_opening, maximum_filter,
                             maximum_filter1d, median_filter, minimum_filter, minimum_filter1d, morphological_gradient,
                             morphological_laplace, percentile_filter, rank_filter, white_tophat)
from ._ndimage_regions import distance_transform_edt, label

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss",
           "binary_opening", "binary_propagation", "black_tophat", "center_of_mass", "convolve", "convolve1d",
           "correlate", "correlate1d", "distance_transform_edt", "extrema", "find_objects", "gaussian_filter",
           "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "generate_binary_structure",
           "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "histogram", "iterate_structure", "label",
           "laplace", "maximum", "maximum_filter", "maximum_filter1d", "maximum_position", "mean", "median",
           "median_filter", "minimum", "minimum_filter", "minimum_filter1d", "minimum_position",
           "morphological_gradient", "morphological_laplace", "percentile_filter", "prewitt", "rank_filter", "sobel",
           "standard_deviation", "sum", "sum_labels", "uniform_filter", "uniform_filter1d", "variance", "white_tophat"]

fallback = False

_MISSING = {
    "a Python function does not run in the daemon; scipy.ndimage.{0} takes functions of this module as its function":
        "generic_filter generic_filter1d generic_gradient_magnitude generic_laplace labeled_comprehension "
        "vectorized_filter",
    "there is no Fourier transform; gaussian_filter, uniform_filter and convolve filter in space":
        "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
    "there is no interpolation":
        "affine_transform geometric_transform map_coordinates rotate shift spline_filter spline_filter1d zoom",
    "distance_transform_edt has Euclidean distances":
        "distance_transform_bf distance_transform_cdt",
    "label, find_objects and the figures of labels are here":
        "value_indices watershed_ift",
}
_facade.adopt(globals(), "gpufilter._ndimage_")
__getattr__, __dir__ = _facade.missing(globals(), _MISSING)
_replace = _facade.with_fallback(globals(), "scipy.ndimage")


def replace_scipy():
    """Puts the functions of this module in the place of scipy.ndimage's, with fallback = True: for packages such as
    scikit-image, which call scipy.ndimage. A name that was imported from scipy.ndimage before remains scipy's.
    `python3 -m gpufilter.instead_of_scipy SCRIPT [ARGUMENT...]` runs a program this way."""
    _replace()
