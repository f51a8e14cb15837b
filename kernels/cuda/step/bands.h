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
/* Makes bands higher where kernels need many rows, and lower where one would take the device longer than a unit may:
 * `row` is what a row of results costs, in multiplications of f32 by a kernel that is bound by them; `samples` is how
 * many it has. */
void gf_cuda_bands_limit(struct gf_cuda_bands *bands, const struct gf_cuda_call *call, double row, uint64_t samples);
/* What a band costs gf_cuda_go_on. */
uint64_t gf_cuda_band_cost(const struct gf_cuda_call *call, double row, uint64_t rows);
/* Where the band that begins at row `first` ends. */
uint64_t gf_cuda_band_end(const struct gf_cuda_bands *bands, uint64_t first);

/* Bands that need nothing of each other, in two streams by turns, so that one begins while the last blocks of threads
 * of the one before still run. */
struct gf_cuda_turns {
    struct gf_lane *lane;
    bool two; /* else all are in the main stream */
    bool odd; /* whose turn it is */
};

/* Makes all that is in the main stream come before the bands. Two streams where there are several bands, and neither
 * copies run beside them nor the job is a quick one. */
enum gf_status gf_cuda_turns_begin(struct gf_cuda_call *call, const struct gf_cuda_bands *bands,
                                   struct gf_cuda_turns *ret_turns, struct gf_error *err);
/* The stream of the next band; after gf_cuda_go_on for it. */
cudaStream_t gf_cuda_turns_next(struct gf_cuda_turns *turns);
/* Makes all bands so far come before those that follow, and before what is put into the main stream from now on. Always
 * called at the end. */
enum gf_status gf_cuda_turns_join(struct gf_cuda_turns *turns, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
