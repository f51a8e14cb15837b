/* SPDX-License-Identifier: MIT */
/* Pieces of rows, numbered through all rows so that rows of a few bytes fill warps as well, for copy.cu; and canonical
 * NaN of samples that are moved without conversion, for copy.cu and the kernels of geometry/. */
#ifndef GF_CUDA_PLACES_CUH
#define GF_CUDA_PLACES_CUH

#include <cstdint>

/* The position of a piece of the result. */
struct gf_place {
    uint64_t row, piece;
};

/* Returns the place `ahead` pieces after `at`; `ahead` must be less than `tile`. */
template <unsigned tile>
__device__ __forceinline__ struct gf_place gf_advance(struct gf_place at, unsigned ahead, uint64_t row_pieces)
{
    at.piece += ahead;
    if (at.piece >= row_pieces) {
        /* At most tile - 1 pieces remain, so a longer row behaves like a row of `tile` pieces. */
        const unsigned over = static_cast<unsigned>(at.piece - row_pieces);
        const unsigned step = row_pieces < tile ? static_cast<unsigned>(row_pieces) : tile;
        at.row += 1 + over / step;
        at.piece = over % step;
    }
    return at;
}

__device__ __forceinline__ bool gf_is_nan(uint32_t bits)
{
    return (bits & 0x7FFFFFFFu) > 0x7F800000u;
}

__device__ __forceinline__ bool gf_is_nan(uint32_t low, uint32_t high)
{
    const uint32_t magnitude = high & 0x7FFFFFFFu;
    return magnitude > 0x7FF00000u || (magnitude == 0x7FF00000u && low != 0);
}

/* Replaces every NaN of whole floats of `size` bytes by the canonical NaN. size 0: integers, nothing to do. */
template <int words> __device__ __forceinline__ void gf_make_canonical(uint32_t size, uint32_t (&v)[words])
{
    if (size == 4) {
#pragma unroll
        for (int i = 0; i < words; i++)
            v[i] = gf_is_nan(v[i]) ? 0x7FC00000u : v[i];
    } else if (size == 2) {
#pragma unroll
        for (int i = 0; i < words; i++) {
            const uint32_t magnitude = v[i] & 0x7FFF7FFFu, both = __vcmpgtu2(magnitude, 0x7C007C00u);
            v[i] = (v[i] & ~both) | (0x7E007E00u & both);
        }
    } else if (size == 8) {
#pragma unroll
        for (int i = 0; i + 1 < words; i += 2)
            if (gf_is_nan(v[i], v[i + 1])) {
                v[i] = 0;
                v[i + 1] = 0x7FF80000u;
            }
    }
}

#endif
