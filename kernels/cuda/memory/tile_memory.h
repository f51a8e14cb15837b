/* SPDX-License-Identifier: MIT */
/* Allocates the memory of look-back. Called by the scans. */
#ifndef GF_CUDA_TILE_MEMORY_H
#define GF_CUDA_TILE_MEMORY_H

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/tile_state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tiles that look back, of all sequences together; 0 if tickets are enough. `words`: published words per item. */
struct gf_lookback_tiles {
    uint64_t n, sequences, words;
    bool segments;
};

/* Allocates the memory and clears it. The caller must return `tickets` to the pool, also after an error. TOO_LARGE,
 * NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_alloc_tile_state(struct gf_exec *exec, const struct gf_lookback_tiles *tiles,
                                        struct gf_tile_state *ret, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
