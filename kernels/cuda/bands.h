/* SPDX-License-Identifier: MIT */
/* How a step is cut into bands of rows, so that copies and kernels overlap and a job can stop between them. Called by
 * the ops that go over their rows from top to bottom. */
#ifndef GF_CUDA_BANDS_H
#define GF_CUDA_BANDS_H

#include "cuda_call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_cuda_bands {
    uint64_t height, rows; /* of all, of one band */
    uint32_t unit;         /* bands but the last one have a multiple of this */
};

/* Bands for the rows of the first output, in steps of `unit` rows; `bytes` is what all of them move. */
struct gf_cuda_bands gf_cuda_bands(const struct gf_cuda_call *call, uint64_t bytes, uint32_t unit);
/* Where the band that begins at row `first` ends. */
uint64_t gf_cuda_band_end(const struct gf_cuda_bands *bands, uint64_t first);

#ifdef __cplusplus
}
#endif
#endif
