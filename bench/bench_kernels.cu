/* SPDX-License-Identifier: MIT */
/*
 * bench_kernels: speed on the device of the ops that no other benchmark here runs: masks, blurs, gradients, point
 * operations, integral images, 1-D kernels and matrix products. CUB has none of them. Options: bench_case.h.
 */
#include "bench_case.h"

namespace
{

using namespace bench;

constexpr data any = data::random;

const test_case cases[] = {
    {"correlate", "", GF_F32, 1, pictures, any, 0, nullptr, 3},
    {"correlate", "border=wrap", GF_F32, 1, square, any, 0, nullptr, 3},
    {"correlate", "border=constant", GF_F32, 1, square, any, 0, nullptr, 3},
    {"correlate", "", GF_F32, 1, pictures, any, 0, nullptr, 5},
    {"correlate", "", GF_F32, 1, pictures, any, 0, nullptr, 7},
    {"correlate", "", GF_F32, 1, square, any, 0, nullptr, 9},
    {"correlate", "", GF_F32, 1, pictures, any, 0, nullptr, 11},
    {"correlate", "", GF_F32, 1, square, any, 0, nullptr, 15},
    {"correlate", "", GF_F32, 1, pictures, any, 0, nullptr, 31},
    {"correlate", "", GF_F32, 1, photos, any, 0, nullptr, 63},
    {"correlate", "", GF_F32, 3, photos, any, 0, nullptr, 3},
    {"convolve", "", GF_F32, 1, square, any, 0, nullptr, 5},
    {"gaussian", "sigma=1.5", GF_F32, 1, square, any, 0, nullptr, 26},
    {"gaussian", "sigma=2", GF_F32, 1, pictures, any, 0, nullptr, 34},
    {"gaussian", "sigma=10", GF_F32, 1, pictures, any, 0, nullptr, 162},
    {"gaussian", "sigma=20", GF_F32, 1, square, any, 0, nullptr, 322},
    {"box", "size=15", GF_F32, 1, pictures, any},
    {"unsharp", "sigma=2", GF_F32, 1, square, any},
    {"log", "sigma=2", GF_F32, 1, square, any},
    {"sobel", "", GF_F32, 1, pictures, any},
    {"laplacian", "", GF_F32, 1, square, any},
    {"map", "scale=1.3 offset=0.1", GF_F32, 1, pictures, any},
    {"map", "gamma=2.2", GF_F32, 1, square, any},
    {"combine", "a=0.25 b=0.5", GF_F32, 1, pictures, any},
    {"compare", "", GF_F32, 1, pictures, any},
    {"copy", "", GF_F32, 1, pictures, any},
    {"integral", "dtype=f32", GF_F32, 1, small | full_hd | photo | square_10k, any},
    {"integral", "dtype=f64", GF_F32, 1, small | full_hd | photo | square_10k, any},
    {"correlate1d", "", GF_F32, 1, arrays, any, 0, nullptr, 9},
    {"correlate1d", "", GF_F32, 1, array_256m, any, 0, nullptr, 31},
    {"correlate1d", "", GF_F32, 1, array_256m, any, 0, nullptr, 127},
    {"correlate1d", "axis=cols", GF_F32, 1, square, any, 0, nullptr, 31},
    {"convolve1d", "axis=rows", GF_F32, 1, square, any, 0, nullptr, 31},
    {"matmul", "", GF_F32, 1, matrices, any},
    {"matmul", "", GF_F64, 1, matrices, any},
    {"matmul", "", GF_I32, 1, matrices, any},

    {"correlate", "", GF_U8, 1, pictures, any, 0, nullptr, 3},
    {"correlate", "", GF_U8, 1, pictures, any, 0, nullptr, 5},
    {"correlate", "", GF_U8, 1, square, any, 0, nullptr, 7},
    {"correlate", "", GF_U8, 1, pictures, any, 0, nullptr, 11},
    {"correlate", "", GF_U8, 1, square, any, 0, nullptr, 31},
    {"correlate", "", GF_U8, 1, pictures, any, 0, nullptr, 3, true},
    {"correlate", "", GF_U8, 1, pictures, any, 0, nullptr, 5, true},
    {"correlate", "", GF_U8, 1, square, any, 0, nullptr, 7, true},
    {"correlate", "", GF_U8, 1, square, any, 0, nullptr, 11, true},
    {"correlate", "", GF_U8, 3, photos, any, 0, nullptr, 3},
    {"correlate", "", GF_U8, 3, photos, any, 0, nullptr, 3, true},
    {"correlate", "", GF_U8, 4, photo, any, 0, nullptr, 3},
    {"sharpen", "", GF_U8, 1, pictures, any},
    {"sharpen", "", GF_U8, 3, photos, any},
    {"emboss", "", GF_U8, 1, square, any},
    {"laplacian", "", GF_U8, 1, pictures, any},
    {"sobel", "output=dx", GF_U8, 1, pictures, any},
    {"sobel", "", GF_U8, 1, pictures, any},
    {"scharr", "", GF_U8, 1, square, any},
    {"prewitt", "", GF_U8, 1, square, any},
    {"gaussian", "sigma=2", GF_U8, 1, pictures, any, 0, nullptr, 34},
    {"gaussian", "sigma=2", GF_U8, 3, photos, any, 0, nullptr, 34},
    {"gaussian", "sigma=10", GF_U8, 3, photos, any, 0, nullptr, 162},
    {"gaussian", "sigma=2", GF_U8, 4, photo, any, 0, nullptr, 34},
    {"box", "size=15", GF_U8, 1, pictures, any},
    {"box", "size=15", GF_U8, 3, photos, any},
    {"unsharp", "sigma=2", GF_U8, 3, photos, any},
    {"map", "scale=1.3 offset=7", GF_U8, 1, pictures, any},
    {"map", "gamma=2.2", GF_U8, 3, photos, any},
    {"combine", "mode=absdiff", GF_U8, 1, pictures, any},
    {"compare", "", GF_U8, 1, pictures, any},
    {"copy", "", GF_U8, 1, square, any},
    {"copy", "channel=2", GF_U8, 3, photos, any},
    {"integral", "dtype=u64", GF_U8, 1, small | full_hd | photo | square_10k, any},
    {"integral", "dtype=u32", GF_U8, 1, small | full_hd | photo | square_4k | square_10k, any},
    {"correlate1d", "axis=rows", GF_U8, 1, square, any, 0, nullptr, 9},

    {"correlate", "", GF_U16, 1, pictures, any, 0, nullptr, 3},
    {"correlate", "", GF_U16, 1, square, any, 0, nullptr, 5},
    {"correlate", "", GF_U16, 3, photo, any, 0, nullptr, 3},
    {"gaussian", "sigma=2", GF_U16, 1, pictures, any, 0, nullptr, 34},
    {"map", "scale=1.3 offset=7", GF_U16, 1, square, any},
};

} // namespace

int main(int argc, char **argv)
{
    return run_all(argc, argv, cases, sizeof(cases) / sizeof(cases[0]), nullptr, 0);
}
