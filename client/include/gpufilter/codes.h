/* SPDX-License-Identifier: MIT */
/*
 * Every number of the interface: statuses, types, words of enum parameters, operations, parameters.
 * Printed by client/gen_ops.c from the tables in protocol/; do not edit.
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
enum gpufilter_type {
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
};

/* Pixels outside the image. */
enum gpufilter_border {
    GPUFILTER_BORDER_REPLICATE = 0, /* aaa|abcdefgh|hhh */
    GPUFILTER_BORDER_WRAP = 1, /* fgh|abcdefgh|abc */
    GPUFILTER_BORDER_REFLECT = 2, /* cba|abcdefgh|hgf */
    GPUFILTER_BORDER_REFLECT101 = 3, /* dcb|abcdefgh|gfe */
    GPUFILTER_BORDER_CONSTANT = 4, /* vvv|abcdefgh|vvv */
};

/* What the alpha channel of a 2- or 4-channel image does. */
enum gpufilter_alpha {
    GPUFILTER_ALPHA_AUTO = 0, /* premultiplied where the filter is a weighted mean, ignore elsewhere */
    GPUFILTER_ALPHA_PREMULTIPLIED = 1, /* colours weigh by their alpha */
    GPUFILTER_ALPHA_STRAIGHT = 2, /* an ordinary channel */
    GPUFILTER_ALPHA_IGNORE = 3, /* copied; colours filtered alone */
};

/* The scale on which samples are averaged. */
enum gpufilter_light {
    GPUFILTER_LIGHT_ENCODED = 0, /* sample values as they are */
    GPUFILTER_LIGHT_LINEAR = 1, /* sRGB samples decoded to linear light and back */
};

/* What the mask is divided by. */
enum gpufilter_normalize {
    GPUFILTER_NORMALIZE_NONE = 0, /* nothing */
    GPUFILTER_NORMALIZE_SUM = 1, /* the sum of its coefficients */
    GPUFILTER_NORMALIZE_ABS_SUM = 2, /* the sum of their magnitudes */
};

/* Size of the result. */
enum gpufilter_size {
    GPUFILTER_SIZE_SAME = 0, /* as the input */
    GPUFILTER_SIZE_VALID = 1, /* only where the mask lies inside the input */
};

/* Type of the result. */
enum gpufilter_result_dtype {
    GPUFILTER_RESULT_DTYPE_SAME = 0, /* as the input, or what the operation gives */
    GPUFILTER_RESULT_DTYPE_U8 = 1, /* whole numbers 0..255 */
    GPUFILTER_RESULT_DTYPE_I8 = 2, /* whole numbers -128..127 */
    GPUFILTER_RESULT_DTYPE_U16 = 3, /* whole numbers 0..65535 */
    GPUFILTER_RESULT_DTYPE_I16 = 4, /* whole numbers -32768..32767 */
    GPUFILTER_RESULT_DTYPE_U32 = 5, /* whole numbers below 2^32 */
    GPUFILTER_RESULT_DTYPE_I32 = 6, /* whole numbers -2^31..2^31-1 */
    GPUFILTER_RESULT_DTYPE_U64 = 7, /* whole numbers below 2^64 */
    GPUFILTER_RESULT_DTYPE_I64 = 8, /* whole numbers -2^63..2^63-1 */
    GPUFILTER_RESULT_DTYPE_F32 = 9, /* single precision */
    GPUFILTER_RESULT_DTYPE_F64 = 10, /* double precision */
};

/* What not-a-number does. */
enum gpufilter_nan {
    GPUFILTER_NAN_PROPAGATE = 0, /* makes the result NaN */
    GPUFILTER_NAN_OMIT = 1, /* is left out */
};

/* What an integer result that does not fit 64 bits does. */
enum gpufilter_overflow {
    GPUFILTER_OVERFLOW_ERROR = 0, /* the request fails */
    GPUFILTER_OVERFLOW_WRAP = 1, /* is taken modulo 2^64 */
};

/* What one sequence is. */
enum gpufilter_axis {
    GPUFILTER_AXIS_ALL = 0, /* each channel, row after row */
    GPUFILTER_AXIS_ROWS = 1, /* each row of each channel */
    GPUFILTER_AXIS_COLS = 2, /* each column of each channel */
};

/* What combines the elements of a scan. */
enum gpufilter_scan_op {
    GPUFILTER_SCAN_OP_SUM = 0, /* added */
    GPUFILTER_SCAN_OP_PRODUCT = 1, /* multiplied */
    GPUFILTER_SCAN_OP_MIN = 2, /* the least so far, NaN once there is one */
    GPUFILTER_SCAN_OP_MAX = 3, /* the greatest so far, NaN once there is one */
};

/* What a sequence starts from. */
enum gpufilter_start {
    GPUFILTER_START_FIRST = 0, /* its first element */
    GPUFILTER_START_INITIAL = 1, /* the parameter initial */
};

/* Operations: gpufilter_step.op. */
enum gpufilter_op {
    GPUFILTER_OP_CORRELATE = 0x0101, /* Correlate with a mask */
    GPUFILTER_OP_CONVOLVE = 0x0102, /* Convolve with a mask */
    GPUFILTER_OP_GAUSSIAN = 0x0103, /* Gaussian blur */
    GPUFILTER_OP_BOX = 0x0104, /* Mean over a rectangle */
    GPUFILTER_OP_SCAN = 0x0501, /* Running sum, product, minimum or maximum */
    GPUFILTER_OP_RECURRENCE = 0x0502, /* First-order recurrence y[i] = a*y[i-1] + b*x[i] */
    GPUFILTER_OP_INTEGRAL = 0x0503, /* Sums over all pixels above and to the left */
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

/* clang-format on */

#endif
