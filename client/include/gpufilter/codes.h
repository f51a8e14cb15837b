/* SPDX-License-Identifier: MIT */
/*
 * Every number of the interface: statuses, types, words of enum parameters, operations, parameters.
 * Printed by client/tools/gen_ops.c from the tables in protocol/; do not edit.
 */
#ifndef GPUFILTER_CODES_H
#define GPUFILTER_CODES_H

/* clang-format off */

/* What calls return. Below 64: the daemon's answer to one request. 64 to 95: the daemon ended the
 * connection. From 96: found by the library. Numbers are never reused. */
enum gpufilter_status {
    GPUFILTER_OK = 0, /* ok */
    GPUFILTER_E_BAD_REQUEST = 1, /* malformed request */
    GPUFILTER_E_UNSUPPORTED = 2, /* not supported */
    GPUFILTER_E_UNKNOWN_OP = 3, /* unknown operation */
    GPUFILTER_E_UNKNOWN_PARAM = 4, /* unknown parameter */
    GPUFILTER_E_BAD_PARAM = 5, /* bad parameter */
    GPUFILTER_E_BAD_VIEW = 6, /* bad shape */
    GPUFILTER_E_BAD_DTYPE = 7, /* data type not taken */
    GPUFILTER_E_TOO_LARGE = 8, /* too large */
    GPUFILTER_E_OUTPUT_TOO_SMALL = 9, /* output too small */
    GPUFILTER_E_DUPLICATE_ID = 10, /* request id in use */
    GPUFILTER_E_NO_SUCH_ARENA = 11, /* no such arena */
    GPUFILTER_E_BAD_ARENA = 12, /* arena refused */
    GPUFILTER_E_NO_FD_PASSING = 13, /* no descriptors on this connection */
    GPUFILTER_E_OVERLAP = 14, /* result overlaps other data */
    GPUFILTER_E_EXISTS = 15, /* id in use */
    GPUFILTER_E_NO_SUCH_HANDLE = 16, /* no such handle */
    GPUFILTER_E_HANDLE_LOST = 17, /* handle lost with its device */
    GPUFILTER_E_WRONG_DEVICE = 18, /* handle on another device */
    GPUFILTER_E_DEPENDENCY = 19, /* an earlier request it needs failed */
    GPUFILTER_E_NO_DEVICE = 20, /* no such device */
    GPUFILTER_E_DEVICE_LOST = 21, /* device lost */
    GPUFILTER_E_REQUEST_POISON = 22, /* request ended two workers */
    GPUFILTER_E_NO_MEMORY = 23, /* out of host memory */
    GPUFILTER_E_NO_DEVICE_MEMORY = 24, /* out of device memory */
    GPUFILTER_E_QUOTA = 25, /* quota exceeded */
    GPUFILTER_E_BUSY = 26, /* server is busy */
    GPUFILTER_E_CANCELLED = 27, /* cancelled */
    GPUFILTER_E_DEADLINE = 28, /* deadline passed */
    GPUFILTER_E_SHUTDOWN = 29, /* server is shutting down */
    GPUFILTER_E_NOT_PERMITTED = 30, /* not permitted */
    GPUFILTER_E_RESOURCE_FDS = 31, /* server is out of descriptors */
    GPUFILTER_E_INTERNAL = 32, /* internal error */
    GPUFILTER_E_RESULT_OVERFLOW = 33, /* integer result does not fit 64 bits */
    GPUFILTER_E_BAD_FRAME = 64, /* malformed frame */
    GPUFILTER_E_BAD_VERSION = 65, /* protocol version not spoken */
    GPUFILTER_E_SLOW = 66, /* peer too slow */
    GPUFILTER_E_NO_DAEMON = 96, /* no daemon */
    GPUFILTER_E_CONNECTION_LOST = 97, /* connection lost */
    GPUFILTER_E_BAD_REPLY = 98, /* malformed reply */
    GPUFILTER_E_TIMEOUT = 99, /* timed out */
    GPUFILTER_E_WRONG_SERVER = 100, /* server runs as another user */
    GPUFILTER_E_FORKED = 101, /* client used after fork */
    GPUFILTER_E_BAD_ARGUMENT = 102, /* bad argument */
    GPUFILTER_E_START_FAILED = 103, /* daemon did not start */
};

/* Types of samples and elements. */
enum gpufilter_dtype {
    GPUFILTER_U8 = 1,
    GPUFILTER_I8 = 2,
    GPUFILTER_U16 = 3,
    GPUFILTER_I16 = 4,
    GPUFILTER_U32 = 5,
    GPUFILTER_I32 = 6,
    GPUFILTER_U64 = 7,
    GPUFILTER_I64 = 8,
    GPUFILTER_F32 = 9,
    GPUFILTER_F64 = 10,
    GPUFILTER_F16 = 11,
};

/* Pixels outside the image. */
enum gpufilter_border {
    GPUFILTER_BORDER_REPLICATE = 0, /* aaa|abcdefgh|hhh */
    GPUFILTER_BORDER_WRAP = 1, /* fgh|abcdefgh|abc */
    GPUFILTER_BORDER_REFLECT = 2, /* cba|abcdefgh|hgf */
    GPUFILTER_BORDER_REFLECT101 = 3, /* dcb|abcdefgh|gfe */
    GPUFILTER_BORDER_CONSTANT = 4, /* vvv|abcdefgh|vvv */
};

/* Use of the alpha channel of a 2- or 4-channel image. */
enum gpufilter_alpha {
    GPUFILTER_ALPHA_AUTO = 0, /* premultiplied where the filter is a weighted mean, ignore elsewhere */
    GPUFILTER_ALPHA_PREMULTIPLIED = 1, /* colours weighted by alpha */
    GPUFILTER_ALPHA_STRAIGHT = 2, /* an ordinary channel */
    GPUFILTER_ALPHA_IGNORE = 3, /* copied; only colours are filtered */
};

/* The scale on which samples are averaged. */
enum gpufilter_light {
    GPUFILTER_LIGHT_ENCODED = 0, /* sample values as stored */
    GPUFILTER_LIGHT_LINEAR = 1, /* sRGB samples decoded to linear light and back */
};

/* Divisor of the mask. */
enum gpufilter_normalize {
    GPUFILTER_NORMALIZE_NONE = 0, /* nothing */
    GPUFILTER_NORMALIZE_SUM = 1, /* the sum of its coefficients */
    GPUFILTER_NORMALIZE_ABS_SUM = 2, /* the sum of their magnitudes */
};

/* Size of the result. */
enum gpufilter_size {
    GPUFILTER_SIZE_SAME = 0, /* as the input */
    GPUFILTER_SIZE_VALID = 1, /* only where the mask is inside the input */
};

/* Which results of a sequence are computed. */
enum gpufilter_convolution_mode {
    GPUFILTER_CONVOLUTION_MODE_SAME = 0, /* one per element; elements outside come from the border */
    GPUFILTER_CONVOLUTION_MODE_FULL = 1, /* wherever the kernel overlaps an element; taps outside are left out */
    GPUFILTER_CONVOLUTION_MODE_VALID = 2, /* only where the kernel is inside */
};

/* Type of the result. */
enum gpufilter_result_dtype {
    GPUFILTER_RESULT_DTYPE_SAME = 0, /* as the input, or the operation's own type */
    GPUFILTER_RESULT_DTYPE_U8 = 1, /* integers 0..255 */
    GPUFILTER_RESULT_DTYPE_I8 = 2, /* integers -128..127 */
    GPUFILTER_RESULT_DTYPE_U16 = 3, /* integers 0..65535 */
    GPUFILTER_RESULT_DTYPE_I16 = 4, /* integers -32768..32767 */
    GPUFILTER_RESULT_DTYPE_U32 = 5, /* integers below 2^32 */
    GPUFILTER_RESULT_DTYPE_I32 = 6, /* integers -2^31..2^31-1 */
    GPUFILTER_RESULT_DTYPE_U64 = 7, /* integers below 2^64 */
    GPUFILTER_RESULT_DTYPE_I64 = 8, /* integers -2^63..2^63-1 */
    GPUFILTER_RESULT_DTYPE_F32 = 9, /* single precision */
    GPUFILTER_RESULT_DTYPE_F64 = 10, /* double precision */
    GPUFILTER_RESULT_DTYPE_F16 = 11, /* half precision */
};

/* Treatment of NaN. */
enum gpufilter_nan {
    GPUFILTER_NAN_PROPAGATE = 0, /* the result is NaN */
    GPUFILTER_NAN_OMIT = 1, /* NaN is left out */
};

/* Treatment of integer results beyond 64 bits. */
enum gpufilter_overflow {
    GPUFILTER_OVERFLOW_ERROR = 0, /* the request fails */
    GPUFILTER_OVERFLOW_WRAP = 1, /* the result is taken modulo 2^64 */
};

/* What forms a sequence. */
enum gpufilter_axis {
    GPUFILTER_AXIS_ALL = 0, /* each channel, row after row */
    GPUFILTER_AXIS_ROWS = 1, /* each row of each channel */
    GPUFILTER_AXIS_COLS = 2, /* each column of each channel */
};

/* Which gradient. */
enum gpufilter_gradient_output {
    GPUFILTER_GRADIENT_OUTPUT_MAGNITUDE = 0, /* its length, the square root of the sum of both squares */
    GPUFILTER_GRADIENT_OUTPUT_DX = 1, /* from left to right */
    GPUFILTER_GRADIENT_OUTPUT_DY = 2, /* from top to bottom */
};

/* Neighbours used. */
enum gpufilter_connectivity {
    GPUFILTER_CONNECTIVITY_4 = 4, /* left, right, above, below */
    GPUFILTER_CONNECTIVITY_8 = 8, /* the diagonal neighbours too */
};

/* Side of a mask. */
enum gpufilter_aperture {
    GPUFILTER_APERTURE_3 = 3, /* weights 1 2 1 */
    GPUFILTER_APERTURE_5 = 5, /* weights 1 4 6 4 1 */
    GPUFILTER_APERTURE_7 = 7, /* weights 1 6 15 20 15 6 1 */
};

/* Conversion to another type. */
enum gpufilter_range {
    GPUFILTER_RANGE_VALUE = 0, /* values are kept */
    GPUFILTER_RANGE_FULL = 1, /* values are scaled so that white stays white: 255, 65535, 1.0 */
};

/* How two samples are combined. */
enum gpufilter_combine_mode {
    GPUFILTER_COMBINE_MODE_LINEAR = 0, /* a*A + b*B + c */
    GPUFILTER_COMBINE_MODE_ABSDIFF = 1, /* absolute difference */
    GPUFILTER_COMBINE_MODE_MUL = 2, /* product */
    GPUFILTER_COMBINE_MODE_MIN = 3, /* minimum */
    GPUFILTER_COMBINE_MODE_MAX = 4, /* maximum */
    GPUFILTER_COMBINE_MODE_MAGNITUDE = 5, /* square root of the sum of both squares */
};

/* Range of the bins. */
enum gpufilter_hist_range {
    GPUFILTER_HIST_RANGE_AUTO = 0, /* lo to hi; if both are 0, all values of u8 and u16, else data */
    GPUFILTER_HIST_RANGE_GIVEN = 1, /* lo to hi */
    GPUFILTER_HIST_RANGE_DATA = 2, /* smallest to largest finite sample, both included */
};

/* Which channels of a picture are counted. */
enum gpufilter_channels {
    GPUFILTER_CHANNELS_EACH = 0, /* every channel, including alpha */
    GPUFILTER_CHANNELS_COLOUR = 1, /* every channel but alpha */
    GPUFILTER_CHANNELS_LUMA = 2, /* brightness of the first three channels */
};

/* Source of a threshold. */
enum gpufilter_threshold_mode {
    GPUFILTER_THRESHOLD_MODE_AUTO = 0, /* fixed if a value is given, else otsu */
    GPUFILTER_THRESHOLD_MODE_FIXED = 1, /* the value given */
    GPUFILTER_THRESHOLD_MODE_OTSU = 2, /* found by Otsu's method */
};

/* Which samples of a pixel are compared. */
enum gpufilter_tone_channels {
    GPUFILTER_TONE_CHANNELS_LUMA = 0, /* one: the brightness of the first three, or the only one */
    GPUFILTER_TONE_CHANNELS_EACH = 1, /* each colour separately */
};

/* Reduction of a sequence. */
enum gpufilter_reduce_op {
    GPUFILTER_REDUCE_OP_SUM = 0, /* sum */
    GPUFILTER_REDUCE_OP_PRODUCT = 1, /* product */
    GPUFILTER_REDUCE_OP_MIN = 2, /* smallest element */
    GPUFILTER_REDUCE_OP_MAX = 3, /* largest element */
    GPUFILTER_REDUCE_OP_ARGMIN = 4, /* index of the first smallest element */
    GPUFILTER_REDUCE_OP_ARGMAX = 5, /* index of the first largest element */
    GPUFILTER_REDUCE_OP_MEAN = 6, /* sum divided by the number of elements */
    GPUFILTER_REDUCE_OP_VAR = 7, /* mean squared distance from the mean */
    GPUFILTER_REDUCE_OP_STD = 8, /* square root of var */
    GPUFILTER_REDUCE_OP_L1 = 9, /* sum of magnitudes */
    GPUFILTER_REDUCE_OP_L2 = 10, /* square root of the sum of squares */
    GPUFILTER_REDUCE_OP_LINF = 11, /* largest magnitude */
    GPUFILTER_REDUCE_OP_COUNT = 12, /* number of elements that are not zero */
    GPUFILTER_REDUCE_OP_ANY = 13, /* 1 if an element is not zero, else 0 */
    GPUFILTER_REDUCE_OP_ALL = 14, /* 1 if no element is zero, else 0 */
    GPUFILTER_REDUCE_OP_AFFINE = 15, /* pixels a, b are maps x to a x + b; their composition */
    GPUFILTER_REDUCE_OP_MATMUL2 = 16, /* pixels are 2x2 matrices, row by row; their product */
    GPUFILTER_REDUCE_OP_USER = 17, /* by the expressions lift, combine and finish */
};

/* Operator of a scan. */
enum gpufilter_scan_op {
    GPUFILTER_SCAN_OP_SUM = 0, /* running sum */
    GPUFILTER_SCAN_OP_PRODUCT = 1, /* running product */
    GPUFILTER_SCAN_OP_MIN = 2, /* running minimum, NaN once there is one */
    GPUFILTER_SCAN_OP_MAX = 3, /* running maximum, NaN once there is one */
    GPUFILTER_SCAN_OP_USER = 4, /* by the expressions lift, combine and finish */
};

/* Start of a sequence. */
enum gpufilter_start {
    GPUFILTER_START_FIRST = 0, /* its first element */
    GPUFILTER_START_INITIAL = 1, /* the parameter initial */
};

/* Along which pixels change places. */
enum gpufilter_flip_axis {
    GPUFILTER_FLIP_AXIS_X = 0, /* left and right */
    GPUFILTER_FLIP_AXIS_Y = 1, /* top and bottom */
    GPUFILTER_FLIP_AXIS_BOTH = 2, /* both; a rotation by 180 degrees */
};

/* Degrees, clockwise. */
enum gpufilter_rotate_angle {
    GPUFILTER_ROTATE_ANGLE_90 = 1, /* the left column becomes the top row */
    GPUFILTER_ROTATE_ANGLE_180 = 2, /* upside down */
    GPUFILTER_ROTATE_ANGLE_270 = 3, /* 90 counter-clockwise: the right column becomes the top row */
};

/* Pixels of which stay where they are. */
enum gpufilter_transpose_diagonal {
    GPUFILTER_TRANSPOSE_DIAGONAL_MAIN = 0, /* from the top left: row y becomes column y */
    GPUFILTER_TRANSPOSE_DIAGONAL_ANTI = 1, /* from the top right: row y becomes column height-1-y, upwards */
};

/* Weights of red, green and blue in brightness. */
enum gpufilter_colour_standard {
    GPUFILTER_COLOUR_STANDARD_BT601 = 0, /* 0.299, 0.587, 0.114: SD video, JPEG */
    GPUFILTER_COLOUR_STANDARD_BT709 = 1, /* 0.2126, 0.7152, 0.0722: HD video, sRGB */
};

/* Numbers that stand for black and white in YCbCr. */
enum gpufilter_video_range {
    GPUFILTER_VIDEO_RANGE_FULL = 0, /* all that the type has, as in JPEG */
    GPUFILTER_VIDEO_RANGE_VIDEO = 1, /* Y from 16 to 235 and differences from 16 to 240 of 255, likewise for other types */
};

/* What the channels of a picture are. */
enum gpufilter_colour_model {
    GPUFILTER_COLOUR_MODEL_YCBCR = 0, /* luma and two colour differences */
    GPUFILTER_COLOUR_MODEL_HSV = 1, /* hue, saturation and value */
};

/* Whether alpha stays. */
enum gpufilter_kept_alpha {
    GPUFILTER_KEPT_ALPHA_KEEP = 0, /* alpha is copied, as the last channel */
    GPUFILTER_KEPT_ALPHA_DROP = 1, /* alpha is left out */
};

/* Pixels that a pixel of another size is made of. */
enum gpufilter_resize_filter {
    GPUFILTER_RESIZE_FILTER_NEAREST = 0, /* the one at its centre, as it is */
    GPUFILTER_RESIZE_FILTER_LINEAR = 1, /* two on each axis, by their distance; also called bilinear */
    GPUFILTER_RESIZE_FILTER_AREA = 2, /* those that it covers, by the part that it covers */
    GPUFILTER_RESIZE_FILTER_CUBIC = 3, /* four on each axis, by a cubic with a = -0.5 (Catmull-Rom); also called bicubic */
    GPUFILTER_RESIZE_FILTER_LANCZOS3 = 4, /* six on each axis, by a sinc windowed by a sinc */
};

/* Value where a quantile lies between two elements. */
enum gpufilter_quantile_method {
    GPUFILTER_QUANTILE_METHOD_LINEAR = 0, /* between both, by where it lies */
    GPUFILTER_QUANTILE_METHOD_LOWER = 1, /* the lower element */
    GPUFILTER_QUANTILE_METHOD_HIGHER = 2, /* the higher element */
    GPUFILTER_QUANTILE_METHOD_NEAREST = 3, /* the nearer element; of two as near the one of even rank from 0 */
    GPUFILTER_QUANTILE_METHOD_MIDPOINT = 4, /* halfway between both */
};

/* Form of a structuring element. */
enum gpufilter_element_shape {
    GPUFILTER_ELEMENT_SHAPE_RECT = 0, /* a rectangle */
    GPUFILTER_ELEMENT_SHAPE_CROSS = 1, /* the row and the column of the anchor */
    GPUFILTER_ELEMENT_SHAPE_ELLIPSE = 2, /* a disc, or an ellipse as high and wide as the sides, around the centre */
};

/* Way through the levels of a pyramid of pictures. */
enum gpufilter_pyramid_direction {
    GPUFILTER_PYRAMID_DIRECTION_DOWN = 0, /* to a picture of half the sides */
    GPUFILTER_PYRAMID_DIRECTION_UP = 1, /* to a picture of twice the sides */
};

/* How alike two pictures are. */
enum gpufilter_match_method {
    GPUFILTER_MATCH_METHOD_CCOEFF = 0, /* their correlation without their means, -1 to 1; 1: alike but for contrast and offset */
    GPUFILTER_MATCH_METHOD_CCORR = 1, /* their correlation, 0 to 1; 1: alike but for contrast */
    GPUFILTER_MATCH_METHOD_SQDIFF = 2, /* the sum of squared differences, 0 to 1; 0: the same */
};

/* Operations: gpufilter_step.op. */
enum gpufilter_op {
    GPUFILTER_OP_CORRELATE = 0x0101, /* Correlate with a mask */
    GPUFILTER_OP_CONVOLVE = 0x0102, /* Convolve with a mask */
    GPUFILTER_OP_GAUSSIAN = 0x0103, /* Gaussian blur */
    GPUFILTER_OP_BOX = 0x0104, /* Mean over a rectangle */
    GPUFILTER_OP_SHARPEN = 0x0105, /* Sharpen with a 3x3 mask */
    GPUFILTER_OP_UNSHARP = 0x0106, /* Sharpen by the difference from a Gaussian blur */
    GPUFILTER_OP_SOBEL = 0x0107, /* Gradient by the Sobel masks */
    GPUFILTER_OP_SCHARR = 0x0108, /* Gradient by the Scharr masks */
    GPUFILTER_OP_PREWITT = 0x0109, /* Gradient by the Prewitt masks */
    GPUFILTER_OP_LAPLACIAN = 0x010a, /* Sum of the second differences */
    GPUFILTER_OP_LOG = 0x010b, /* Laplacian of a Gaussian */
    GPUFILTER_OP_EMBOSS = 0x010c, /* Relief lit from the lower right */
    GPUFILTER_OP_BILATERAL = 0x010d, /* Bilateral filter, which smooths and keeps edges */
    GPUFILTER_OP_MAP = 0x0201, /* Apply one formula or table to every sample */
    GPUFILTER_OP_COMBINE = 0x0202, /* Combine two pictures sample by sample */
    GPUFILTER_OP_COMPARE = 0x0203, /* Measure how far two pictures or arrays differ */
    GPUFILTER_OP_THRESHOLD = 0x0204, /* Make samples black or white by a threshold */
    GPUFILTER_OP_EQUALIZE = 0x0205, /* Equalize the histogram of each colour */
    GPUFILTER_OP_AUTOCONTRAST = 0x0206, /* Stretch each colour over the full range */
    GPUFILTER_OP_COPY = 0x0207, /* Copy samples of all channels or of one */
    GPUFILTER_OP_CLAHE = 0x0208, /* Equalize each colour tile by tile, with limited contrast */
    GPUFILTER_OP_EXPR = 0x0209, /* Compute every sample by an expression */
    GPUFILTER_OP_HISTOGRAM = 0x0301, /* Count samples by value */
    GPUFILTER_OP_HISTOGRAM2D = 0x0302, /* Count pairs of samples, of two channels or pictures, by value */
    GPUFILTER_OP_REDUCE = 0x0401, /* Reduce every channel, row or column to one value */
    GPUFILTER_OP_STATS = 0x0402, /* Statistics of every channel in one pass */
    GPUFILTER_OP_DOT = 0x0403, /* Dot product of every channel, row or column */
    GPUFILTER_OP_SCAN = 0x0501, /* Running sum, product, minimum or maximum */
    GPUFILTER_OP_RECURRENCE = 0x0502, /* First-order recurrence y[i] = a*y[i-1] + b*x[i] */
    GPUFILTER_OP_INTEGRAL = 0x0503, /* Sums over all pixels above and to the left */
    GPUFILTER_OP_SELECT = 0x0601, /* Select the samples in a range, in order */
    GPUFILTER_OP_CONVOLVE1D = 0x0701, /* Convolve rows or columns with a kernel */
    GPUFILTER_OP_CORRELATE1D = 0x0702, /* Correlate rows or columns with a kernel */
    GPUFILTER_OP_MATMUL = 0x0703, /* Product of two matrices */
    GPUFILTER_OP_CROP = 0x0801, /* Cut out a window */
    GPUFILTER_OP_PAD = 0x0802, /* Put a margin around a picture */
    GPUFILTER_OP_FLIP = 0x0803, /* Mirror a picture */
    GPUFILTER_OP_ROTATE = 0x0804, /* Rotate clockwise by 90, 180 or 270 degrees */
    GPUFILTER_OP_TRANSPOSE = 0x0805, /* Make rows of columns */
    GPUFILTER_OP_RESIZE = 0x0806, /* Change the size of a picture */
    GPUFILTER_OP_GRAY = 0x0901, /* Make a picture grey by the brightness of its colours */
    GPUFILTER_OP_MATRIX = 0x0902, /* Multiply every pixel by a matrix: channels to channels */
    GPUFILTER_OP_YCBCR = 0x0903, /* RGB to luma and two colour differences */
    GPUFILTER_OP_HSV = 0x0904, /* RGB to hue, saturation and value */
    GPUFILTER_OP_RGB = 0x0905, /* YCbCr or HSV to RGB */
    GPUFILTER_OP_FLATTEN = 0x0906, /* Put a colour behind a picture with alpha */
    GPUFILTER_OP_MERGE = 0x0907, /* Join the channels of up to four pictures, in any order */
    GPUFILTER_OP_NORMALIZE = 0x0908, /* Subtract a mean from each channel and divide by a deviation */
    GPUFILTER_OP_NV12 = 0x0909, /* RGB to the planes of NV12: Y, and of half the sides Cb and Cr */
    GPUFILTER_OP_I420 = 0x090a, /* RGB to the planes of I420: Y, and of half the sides Cb and Cr apart */
    GPUFILTER_OP_RGB420 = 0x090b, /* Planes of NV12 or I420 (YCbCr 4:2:0) to RGB */
    GPUFILTER_OP_MEDIAN = 0x0a01, /* Median of a window */
    GPUFILTER_OP_RANK = 0x0a02, /* Sample of a given rank in a window */
    GPUFILTER_OP_PERCENTILE = 0x0a03, /* Percentile of a window */
    GPUFILTER_OP_SORT = 0x0b01, /* Sort every channel, row or column */
    GPUFILTER_OP_TOPK = 0x0b02, /* The k largest or smallest of every channel, row or column */
    GPUFILTER_OP_QUANTILE = 0x0b03, /* Exact quantiles (percentiles) of every channel, row or column */
    GPUFILTER_OP_ARGSORT = 0x0b04, /* Indices that sort every channel, row or column */
    GPUFILTER_OP_ERODE = 0x0c01, /* Minimum under a structuring element */
    GPUFILTER_OP_DILATE = 0x0c02, /* Maximum under a structuring element */
    GPUFILTER_OP_OPENING = 0x0c03, /* Erode, then dilate: removes what is brighter and smaller than the element */
    GPUFILTER_OP_CLOSING = 0x0c04, /* Dilate, then erode: fills what is darker and smaller than the element */
    GPUFILTER_OP_GRADIENT = 0x0c05, /* Dilated minus eroded picture: outlines */
    GPUFILTER_OP_TOPHAT = 0x0c06, /* Picture minus its opening: what is brighter and smaller than the element */
    GPUFILTER_OP_BLACKHAT = 0x0c07, /* Closing minus the picture: what is darker and smaller than the element */
    GPUFILTER_OP_LABEL = 0x0d01, /* Number the connected parts of a picture */
    GPUFILTER_OP_DISTANCE = 0x0d02, /* Distance of each pixel to the nearest 0 */
    GPUFILTER_OP_CANNY = 0x0d03, /* Find edges: thin lines of great gradients, and what is connected to them */
    GPUFILTER_OP_MATCH = 0x0d04, /* Find a smaller picture in a picture */
    GPUFILTER_OP_PYRAMID = 0x0d05, /* Halve a picture, or double it, as pyramids of pictures do */
};

/* Parameters of correlate: gpufilter_param.id. */
enum gpufilter_correlate_param {
    GPUFILTER_CORRELATE_SCALE = 1,
    GPUFILTER_CORRELATE_OFFSET = 2,
    GPUFILTER_CORRELATE_BORDER = 3,
    GPUFILTER_CORRELATE_BORDER_VALUE = 4,
    GPUFILTER_CORRELATE_NORMALIZE = 5,
    GPUFILTER_CORRELATE_ANCHOR = 6,
    GPUFILTER_CORRELATE_SIZE = 7,
    GPUFILTER_CORRELATE_ALPHA = 8,
    GPUFILTER_CORRELATE_LIGHT = 9,
    GPUFILTER_CORRELATE_DTYPE = 10,
};

/* Parameters of convolve: gpufilter_param.id. */
enum gpufilter_convolve_param {
    GPUFILTER_CONVOLVE_SCALE = 1,
    GPUFILTER_CONVOLVE_OFFSET = 2,
    GPUFILTER_CONVOLVE_BORDER = 3,
    GPUFILTER_CONVOLVE_BORDER_VALUE = 4,
    GPUFILTER_CONVOLVE_NORMALIZE = 5,
    GPUFILTER_CONVOLVE_ANCHOR = 6,
    GPUFILTER_CONVOLVE_SIZE = 7,
    GPUFILTER_CONVOLVE_ALPHA = 8,
    GPUFILTER_CONVOLVE_LIGHT = 9,
    GPUFILTER_CONVOLVE_DTYPE = 10,
};

/* Parameters of gaussian: gpufilter_param.id. */
enum gpufilter_gaussian_param {
    GPUFILTER_GAUSSIAN_SIGMA = 1,
    GPUFILTER_GAUSSIAN_TRUNCATE = 2,
    GPUFILTER_GAUSSIAN_BORDER = 3,
    GPUFILTER_GAUSSIAN_BORDER_VALUE = 4,
    GPUFILTER_GAUSSIAN_ALPHA = 5,
    GPUFILTER_GAUSSIAN_LIGHT = 6,
};

/* Parameters of box: gpufilter_param.id. */
enum gpufilter_box_param {
    GPUFILTER_BOX_SIZE = 1,
    GPUFILTER_BOX_SCALE = 2,
    GPUFILTER_BOX_OFFSET = 3,
    GPUFILTER_BOX_BORDER = 4,
    GPUFILTER_BOX_BORDER_VALUE = 5,
    GPUFILTER_BOX_ALPHA = 6,
    GPUFILTER_BOX_LIGHT = 7,
};

/* Parameters of sharpen: gpufilter_param.id. */
enum gpufilter_sharpen_param {
    GPUFILTER_SHARPEN_AMOUNT = 1,
    GPUFILTER_SHARPEN_BORDER = 2,
    GPUFILTER_SHARPEN_BORDER_VALUE = 3,
    GPUFILTER_SHARPEN_ALPHA = 4,
    GPUFILTER_SHARPEN_LIGHT = 5,
};

/* Parameters of unsharp: gpufilter_param.id. */
enum gpufilter_unsharp_param {
    GPUFILTER_UNSHARP_SIGMA = 1,
    GPUFILTER_UNSHARP_TRUNCATE = 2,
    GPUFILTER_UNSHARP_AMOUNT = 3,
    GPUFILTER_UNSHARP_THRESHOLD = 4,
    GPUFILTER_UNSHARP_BORDER = 5,
    GPUFILTER_UNSHARP_BORDER_VALUE = 6,
    GPUFILTER_UNSHARP_ALPHA = 7,
    GPUFILTER_UNSHARP_LIGHT = 8,
};

/* Parameters of sobel: gpufilter_param.id. */
enum gpufilter_sobel_param {
    GPUFILTER_SOBEL_OUTPUT = 1,
    GPUFILTER_SOBEL_SCALE = 2,
    GPUFILTER_SOBEL_OFFSET = 3,
    GPUFILTER_SOBEL_BORDER = 4,
    GPUFILTER_SOBEL_BORDER_VALUE = 5,
    GPUFILTER_SOBEL_ALPHA = 6,
    GPUFILTER_SOBEL_DTYPE = 7,
};

/* Parameters of scharr: gpufilter_param.id. */
enum gpufilter_scharr_param {
    GPUFILTER_SCHARR_OUTPUT = 1,
    GPUFILTER_SCHARR_SCALE = 2,
    GPUFILTER_SCHARR_OFFSET = 3,
    GPUFILTER_SCHARR_BORDER = 4,
    GPUFILTER_SCHARR_BORDER_VALUE = 5,
    GPUFILTER_SCHARR_ALPHA = 6,
    GPUFILTER_SCHARR_DTYPE = 7,
};

/* Parameters of prewitt: gpufilter_param.id. */
enum gpufilter_prewitt_param {
    GPUFILTER_PREWITT_OUTPUT = 1,
    GPUFILTER_PREWITT_SCALE = 2,
    GPUFILTER_PREWITT_OFFSET = 3,
    GPUFILTER_PREWITT_BORDER = 4,
    GPUFILTER_PREWITT_BORDER_VALUE = 5,
    GPUFILTER_PREWITT_ALPHA = 6,
    GPUFILTER_PREWITT_DTYPE = 7,
};

/* Parameters of laplacian: gpufilter_param.id. */
enum gpufilter_laplacian_param {
    GPUFILTER_LAPLACIAN_CONNECTIVITY = 1,
    GPUFILTER_LAPLACIAN_SCALE = 2,
    GPUFILTER_LAPLACIAN_OFFSET = 3,
    GPUFILTER_LAPLACIAN_BORDER = 4,
    GPUFILTER_LAPLACIAN_BORDER_VALUE = 5,
    GPUFILTER_LAPLACIAN_ALPHA = 6,
    GPUFILTER_LAPLACIAN_DTYPE = 7,
};

/* Parameters of log: gpufilter_param.id. */
enum gpufilter_log_param {
    GPUFILTER_LOG_SIGMA = 1,
    GPUFILTER_LOG_TRUNCATE = 2,
    GPUFILTER_LOG_SCALE = 3,
    GPUFILTER_LOG_OFFSET = 4,
    GPUFILTER_LOG_BORDER = 5,
    GPUFILTER_LOG_BORDER_VALUE = 6,
    GPUFILTER_LOG_ALPHA = 7,
    GPUFILTER_LOG_DTYPE = 8,
};

/* Parameters of emboss: gpufilter_param.id. */
enum gpufilter_emboss_param {
    GPUFILTER_EMBOSS_SCALE = 1,
    GPUFILTER_EMBOSS_OFFSET = 2,
    GPUFILTER_EMBOSS_BORDER = 3,
    GPUFILTER_EMBOSS_BORDER_VALUE = 4,
    GPUFILTER_EMBOSS_ALPHA = 5,
    GPUFILTER_EMBOSS_LIGHT = 6,
};

/* Parameters of bilateral: gpufilter_param.id. */
enum gpufilter_bilateral_param {
    GPUFILTER_BILATERAL_RADIUS = 1,
    GPUFILTER_BILATERAL_SIGMA_COLOUR = 2,
    GPUFILTER_BILATERAL_SIGMA_SPACE = 3,
    GPUFILTER_BILATERAL_BORDER = 4,
    GPUFILTER_BILATERAL_BORDER_VALUE = 5,
    GPUFILTER_BILATERAL_ALPHA = 6,
};

/* Parameters of map: gpufilter_param.id. */
enum gpufilter_map_param {
    GPUFILTER_MAP_SCALE = 1,
    GPUFILTER_MAP_OFFSET = 2,
    GPUFILTER_MAP_GAMMA = 3,
    GPUFILTER_MAP_RANGE = 4,
    GPUFILTER_MAP_DTYPE = 5,
    GPUFILTER_MAP_ALPHA = 6,
};

/* Parameters of combine: gpufilter_param.id. */
enum gpufilter_combine_param {
    GPUFILTER_COMBINE_MODE = 1,
    GPUFILTER_COMBINE_A = 2,
    GPUFILTER_COMBINE_B = 3,
    GPUFILTER_COMBINE_C = 4,
    GPUFILTER_COMBINE_DTYPE = 5,
    GPUFILTER_COMBINE_ALPHA = 6,
};

/* Parameters of compare: gpufilter_param.id. */
enum gpufilter_compare_param {
    GPUFILTER_COMPARE_NAN = 1,
};

/* Parameters of threshold: gpufilter_param.id. */
enum gpufilter_threshold_param {
    GPUFILTER_THRESHOLD_MODE = 1,
    GPUFILTER_THRESHOLD_VALUE = 2,
    GPUFILTER_THRESHOLD_BINS = 3,
    GPUFILTER_THRESHOLD_ALPHA = 4,
    GPUFILTER_THRESHOLD_CHANNELS = 5,
};

/* Parameters of equalize: gpufilter_param.id. */
enum gpufilter_equalize_param {
    GPUFILTER_EQUALIZE_ALPHA = 1,
};

/* Parameters of autocontrast: gpufilter_param.id. */
enum gpufilter_autocontrast_param {
    GPUFILTER_AUTOCONTRAST_NAN = 1,
    GPUFILTER_AUTOCONTRAST_ALPHA = 2,
};

/* Parameters of copy: gpufilter_param.id. */
enum gpufilter_copy_param {
    GPUFILTER_COPY_CHANNEL = 1,
};

/* Parameters of clahe: gpufilter_param.id. */
enum gpufilter_clahe_param {
    GPUFILTER_CLAHE_CLIP = 1,
    GPUFILTER_CLAHE_TILES = 2,
    GPUFILTER_CLAHE_ALPHA = 3,
};

/* Parameters of expr: gpufilter_param.id. */
enum gpufilter_expr_param {
    GPUFILTER_EXPR_EXPRESSION = 1,
    GPUFILTER_EXPR_SET = 2,
    GPUFILTER_EXPR_DTYPE = 3,
    GPUFILTER_EXPR_ALPHA = 4,
};

/* Parameters of histogram: gpufilter_param.id. */
enum gpufilter_histogram_param {
    GPUFILTER_HISTOGRAM_BINS = 1,
    GPUFILTER_HISTOGRAM_LO = 2,
    GPUFILTER_HISTOGRAM_HI = 3,
    GPUFILTER_HISTOGRAM_RANGE = 4,
    GPUFILTER_HISTOGRAM_CHANNELS = 5,
    GPUFILTER_HISTOGRAM_LAST_CLOSED = 6,
    GPUFILTER_HISTOGRAM_CUMULATIVE = 7,
    GPUFILTER_HISTOGRAM_DENSITY = 8,
};

/* Parameters of histogram2d: gpufilter_param.id. */
enum gpufilter_histogram2d_param {
    GPUFILTER_HISTOGRAM2D_BINS = 1,
    GPUFILTER_HISTOGRAM2D_LO = 2,
    GPUFILTER_HISTOGRAM2D_HI = 3,
    GPUFILTER_HISTOGRAM2D_RANGE = 4,
    GPUFILTER_HISTOGRAM2D_CHANNELS = 5,
    GPUFILTER_HISTOGRAM2D_LAST_CLOSED = 6,
};

/* Parameters of reduce: gpufilter_param.id. */
enum gpufilter_reduce_param {
    GPUFILTER_REDUCE_OP = 1,
    GPUFILTER_REDUCE_AXIS = 2,
    GPUFILTER_REDUCE_DDOF = 3,
    GPUFILTER_REDUCE_NAN = 4,
    GPUFILTER_REDUCE_OVERFLOW = 5,
    GPUFILTER_REDUCE_LIFT = 6,
    GPUFILTER_REDUCE_COMBINE = 7,
    GPUFILTER_REDUCE_IDENTITY = 8,
    GPUFILTER_REDUCE_FINISH = 9,
    GPUFILTER_REDUCE_SET = 10,
};

/* Parameters of stats: gpufilter_param.id. */
enum gpufilter_stats_param {
    GPUFILTER_STATS_DDOF = 1,
    GPUFILTER_STATS_NAN = 2,
    GPUFILTER_STATS_OVERFLOW = 3,
};

/* Parameters of dot: gpufilter_param.id. */
enum gpufilter_dot_param {
    GPUFILTER_DOT_AXIS = 1,
};

/* Parameters of scan: gpufilter_param.id. */
enum gpufilter_scan_param {
    GPUFILTER_SCAN_OP = 1,
    GPUFILTER_SCAN_AXIS = 2,
    GPUFILTER_SCAN_EXCLUSIVE = 3,
    GPUFILTER_SCAN_REVERSE = 4,
    GPUFILTER_SCAN_INITIAL = 5,
    GPUFILTER_SCAN_DTYPE = 6,
    GPUFILTER_SCAN_OVERFLOW = 7,
    GPUFILTER_SCAN_START = 8,
    GPUFILTER_SCAN_LIFT = 9,
    GPUFILTER_SCAN_COMBINE = 10,
    GPUFILTER_SCAN_IDENTITY = 11,
    GPUFILTER_SCAN_FINISH = 12,
    GPUFILTER_SCAN_SET = 13,
};

/* Parameters of recurrence: gpufilter_param.id. */
enum gpufilter_recurrence_param {
    GPUFILTER_RECURRENCE_A = 1,
    GPUFILTER_RECURRENCE_B = 2,
    GPUFILTER_RECURRENCE_INITIAL = 3,
    GPUFILTER_RECURRENCE_START = 4,
    GPUFILTER_RECURRENCE_AXIS = 5,
};

/* Parameters of integral: gpufilter_param.id. */
enum gpufilter_integral_param {
    GPUFILTER_INTEGRAL_SQUARE = 1,
    GPUFILTER_INTEGRAL_PAD = 2,
    GPUFILTER_INTEGRAL_DTYPE = 3,
};

/* Parameters of select: gpufilter_param.id. */
enum gpufilter_select_param {
    GPUFILTER_SELECT_LO = 1,
    GPUFILTER_SELECT_HI = 2,
    GPUFILTER_SELECT_CAPACITY = 3,
};

/* Parameters of convolve1d: gpufilter_param.id. */
enum gpufilter_convolve1d_param {
    GPUFILTER_CONVOLVE1D_MODE = 1,
    GPUFILTER_CONVOLVE1D_AXIS = 2,
    GPUFILTER_CONVOLVE1D_BORDER = 3,
    GPUFILTER_CONVOLVE1D_BORDER_VALUE = 4,
    GPUFILTER_CONVOLVE1D_ANCHOR = 5,
    GPUFILTER_CONVOLVE1D_OVERFLOW = 6,
};

/* Parameters of correlate1d: gpufilter_param.id. */
enum gpufilter_correlate1d_param {
    GPUFILTER_CORRELATE1D_MODE = 1,
    GPUFILTER_CORRELATE1D_AXIS = 2,
    GPUFILTER_CORRELATE1D_BORDER = 3,
    GPUFILTER_CORRELATE1D_BORDER_VALUE = 4,
    GPUFILTER_CORRELATE1D_ANCHOR = 5,
    GPUFILTER_CORRELATE1D_OVERFLOW = 6,
};

/* Parameters of matmul: gpufilter_param.id. */
enum gpufilter_matmul_param {
    GPUFILTER_MATMUL_OVERFLOW = 1,
};

/* Parameters of crop: gpufilter_param.id. */
enum gpufilter_crop_param {
    GPUFILTER_CROP_SIZE = 1,
    GPUFILTER_CROP_AT = 2,
};

/* Parameters of pad: gpufilter_param.id. */
enum gpufilter_pad_param {
    GPUFILTER_PAD_MARGIN = 1,
    GPUFILTER_PAD_BORDER = 2,
    GPUFILTER_PAD_BORDER_VALUE = 3,
};

/* Parameters of flip: gpufilter_param.id. */
enum gpufilter_flip_param {
    GPUFILTER_FLIP_AXIS = 1,
};

/* Parameters of rotate: gpufilter_param.id. */
enum gpufilter_rotate_param {
    GPUFILTER_ROTATE_ANGLE = 1,
};

/* Parameters of transpose: gpufilter_param.id. */
enum gpufilter_transpose_param {
    GPUFILTER_TRANSPOSE_DIAGONAL = 1,
};

/* Parameters of resize: gpufilter_param.id. */
enum gpufilter_resize_param {
    GPUFILTER_RESIZE_SIZE = 1,
    GPUFILTER_RESIZE_SCALE = 2,
    GPUFILTER_RESIZE_FIT = 3,
    GPUFILTER_RESIZE_FILL = 4,
    GPUFILTER_RESIZE_FILTER = 5,
    GPUFILTER_RESIZE_ANTIALIAS = 6,
    GPUFILTER_RESIZE_BOX = 7,
    GPUFILTER_RESIZE_ALPHA = 8,
    GPUFILTER_RESIZE_LIGHT = 9,
};

/* Parameters of gray: gpufilter_param.id. */
enum gpufilter_gray_param {
    GPUFILTER_GRAY_STANDARD = 1,
    GPUFILTER_GRAY_WEIGHTS = 2,
    GPUFILTER_GRAY_ALPHA = 3,
};

/* Parameters of matrix: gpufilter_param.id. */
enum gpufilter_matrix_param {
    GPUFILTER_MATRIX_DTYPE = 1,
};

/* Parameters of ycbcr: gpufilter_param.id. */
enum gpufilter_ycbcr_param {
    GPUFILTER_YCBCR_STANDARD = 1,
    GPUFILTER_YCBCR_RANGE = 2,
    GPUFILTER_YCBCR_ALPHA = 3,
};

/* Parameters of hsv: gpufilter_param.id. */
enum gpufilter_hsv_param {
    GPUFILTER_HSV_TURN = 1,
    GPUFILTER_HSV_ALPHA = 2,
};

/* Parameters of rgb: gpufilter_param.id. */
enum gpufilter_rgb_param {
    GPUFILTER_RGB_MODEL = 1,
    GPUFILTER_RGB_STANDARD = 2,
    GPUFILTER_RGB_RANGE = 3,
    GPUFILTER_RGB_TURN = 4,
    GPUFILTER_RGB_ALPHA = 5,
};

/* Parameters of flatten: gpufilter_param.id. */
enum gpufilter_flatten_param {
    GPUFILTER_FLATTEN_COLOUR = 1,
};

/* Parameters of merge: gpufilter_param.id. */
enum gpufilter_merge_param {
    GPUFILTER_MERGE_ORDER = 1,
};

/* Parameters of normalize: gpufilter_param.id. */
enum gpufilter_normalize_param {
    GPUFILTER_NORMALIZE_MEAN = 1,
    GPUFILTER_NORMALIZE_STD = 2,
    GPUFILTER_NORMALIZE_RANGE = 3,
};

/* Parameters of nv12: gpufilter_param.id. */
enum gpufilter_nv12_param {
    GPUFILTER_NV12_STANDARD = 1,
    GPUFILTER_NV12_RANGE = 2,
};

/* Parameters of i420: gpufilter_param.id. */
enum gpufilter_i420_param {
    GPUFILTER_I420_STANDARD = 1,
    GPUFILTER_I420_RANGE = 2,
};

/* Parameters of rgb420: gpufilter_param.id. */
enum gpufilter_rgb420_param {
    GPUFILTER_RGB420_STANDARD = 1,
    GPUFILTER_RGB420_RANGE = 2,
};

/* Parameters of median: gpufilter_param.id. */
enum gpufilter_median_param {
    GPUFILTER_MEDIAN_SIZE = 1,
    GPUFILTER_MEDIAN_BORDER = 2,
    GPUFILTER_MEDIAN_BORDER_VALUE = 3,
};

/* Parameters of rank: gpufilter_param.id. */
enum gpufilter_rank_param {
    GPUFILTER_RANK_INDEX = 1,
    GPUFILTER_RANK_SIZE = 2,
    GPUFILTER_RANK_BORDER = 3,
    GPUFILTER_RANK_BORDER_VALUE = 4,
};

/* Parameters of percentile: gpufilter_param.id. */
enum gpufilter_percentile_param {
    GPUFILTER_PERCENTILE_PERCENT = 1,
    GPUFILTER_PERCENTILE_SIZE = 2,
    GPUFILTER_PERCENTILE_BORDER = 3,
    GPUFILTER_PERCENTILE_BORDER_VALUE = 4,
};

/* Parameters of sort: gpufilter_param.id. */
enum gpufilter_sort_param {
    GPUFILTER_SORT_AXIS = 1,
    GPUFILTER_SORT_DESCENDING = 2,
};

/* Parameters of topk: gpufilter_param.id. */
enum gpufilter_topk_param {
    GPUFILTER_TOPK_K = 1,
    GPUFILTER_TOPK_AXIS = 2,
    GPUFILTER_TOPK_SMALLEST = 3,
};

/* Parameters of quantile: gpufilter_param.id. */
enum gpufilter_quantile_param {
    GPUFILTER_QUANTILE_Q = 1,
    GPUFILTER_QUANTILE_METHOD = 2,
    GPUFILTER_QUANTILE_AXIS = 3,
    GPUFILTER_QUANTILE_NAN = 4,
};

/* Parameters of argsort: gpufilter_param.id. */
enum gpufilter_argsort_param {
    GPUFILTER_ARGSORT_AXIS = 1,
    GPUFILTER_ARGSORT_DESCENDING = 2,
};

/* Parameters of erode: gpufilter_param.id. */
enum gpufilter_erode_param {
    GPUFILTER_ERODE_SIZE = 1,
    GPUFILTER_ERODE_SHAPE = 2,
    GPUFILTER_ERODE_ANCHOR = 3,
    GPUFILTER_ERODE_ITERATIONS = 4,
    GPUFILTER_ERODE_BORDER = 5,
    GPUFILTER_ERODE_BORDER_VALUE = 6,
    GPUFILTER_ERODE_ALPHA = 7,
};

/* Parameters of dilate: gpufilter_param.id. */
enum gpufilter_dilate_param {
    GPUFILTER_DILATE_SIZE = 1,
    GPUFILTER_DILATE_SHAPE = 2,
    GPUFILTER_DILATE_ANCHOR = 3,
    GPUFILTER_DILATE_ITERATIONS = 4,
    GPUFILTER_DILATE_BORDER = 5,
    GPUFILTER_DILATE_BORDER_VALUE = 6,
    GPUFILTER_DILATE_ALPHA = 7,
};

/* Parameters of opening: gpufilter_param.id. */
enum gpufilter_opening_param {
    GPUFILTER_OPENING_SIZE = 1,
    GPUFILTER_OPENING_SHAPE = 2,
    GPUFILTER_OPENING_ANCHOR = 3,
    GPUFILTER_OPENING_ITERATIONS = 4,
    GPUFILTER_OPENING_BORDER = 5,
    GPUFILTER_OPENING_BORDER_VALUE = 6,
    GPUFILTER_OPENING_ALPHA = 7,
};

/* Parameters of closing: gpufilter_param.id. */
enum gpufilter_closing_param {
    GPUFILTER_CLOSING_SIZE = 1,
    GPUFILTER_CLOSING_SHAPE = 2,
    GPUFILTER_CLOSING_ANCHOR = 3,
    GPUFILTER_CLOSING_ITERATIONS = 4,
    GPUFILTER_CLOSING_BORDER = 5,
    GPUFILTER_CLOSING_BORDER_VALUE = 6,
    GPUFILTER_CLOSING_ALPHA = 7,
};

/* Parameters of gradient: gpufilter_param.id. */
enum gpufilter_gradient_param {
    GPUFILTER_GRADIENT_SIZE = 1,
    GPUFILTER_GRADIENT_SHAPE = 2,
    GPUFILTER_GRADIENT_ANCHOR = 3,
    GPUFILTER_GRADIENT_ITERATIONS = 4,
    GPUFILTER_GRADIENT_BORDER = 5,
    GPUFILTER_GRADIENT_BORDER_VALUE = 6,
    GPUFILTER_GRADIENT_ALPHA = 7,
};

/* Parameters of tophat: gpufilter_param.id. */
enum gpufilter_tophat_param {
    GPUFILTER_TOPHAT_SIZE = 1,
    GPUFILTER_TOPHAT_SHAPE = 2,
    GPUFILTER_TOPHAT_ANCHOR = 3,
    GPUFILTER_TOPHAT_ITERATIONS = 4,
    GPUFILTER_TOPHAT_BORDER = 5,
    GPUFILTER_TOPHAT_BORDER_VALUE = 6,
    GPUFILTER_TOPHAT_ALPHA = 7,
};

/* Parameters of blackhat: gpufilter_param.id. */
enum gpufilter_blackhat_param {
    GPUFILTER_BLACKHAT_SIZE = 1,
    GPUFILTER_BLACKHAT_SHAPE = 2,
    GPUFILTER_BLACKHAT_ANCHOR = 3,
    GPUFILTER_BLACKHAT_ITERATIONS = 4,
    GPUFILTER_BLACKHAT_BORDER = 5,
    GPUFILTER_BLACKHAT_BORDER_VALUE = 6,
    GPUFILTER_BLACKHAT_ALPHA = 7,
};

/* Parameters of label: gpufilter_param.id. */
enum gpufilter_label_param {
    GPUFILTER_LABEL_CONNECTIVITY = 1,
    GPUFILTER_LABEL_CAPACITY = 2,
};

/* Parameters of distance: gpufilter_param.id. */
enum gpufilter_distance_param {
    GPUFILTER_DISTANCE_SQUARED = 1,
};

/* Parameters of canny: gpufilter_param.id. */
enum gpufilter_canny_param {
    GPUFILTER_CANNY_LOW = 1,
    GPUFILTER_CANNY_HIGH = 2,
    GPUFILTER_CANNY_APERTURE = 3,
    GPUFILTER_CANNY_L2 = 4,
};

/* Parameters of match: gpufilter_param.id. */
enum gpufilter_match_param {
    GPUFILTER_MATCH_METHOD = 1,
    GPUFILTER_MATCH_PEAKS = 2,
    GPUFILTER_MATCH_THRESHOLD = 3,
};

/* Parameters of pyramid: gpufilter_param.id. */
enum gpufilter_pyramid_param {
    GPUFILTER_PYRAMID_LEVEL = 1,
    GPUFILTER_PYRAMID_DIRECTION = 2,
    GPUFILTER_PYRAMID_BORDER = 3,
};

/* clang-format on */

#endif
