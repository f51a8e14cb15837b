/* SPDX-License-Identifier: MIT */
/* The device memory of look-back by an ordered_tile_state (tile_state.cuh), also in code compiled at run time. */
#ifndef GF_CUDA_TILE_STATE_H
#define GF_CUDA_TILE_STATE_H

#ifndef __CUDACC_RTC__
#include <stdbool.h>
#include <stdint.h>

#include "protocol/base/error.h"
#endif

#define GF_LOOKBACK_GROUP 32u   /* tiles in a group */
#define GF_LOOKBACK_SUPER 1024u /* tiles in a super group */

/*
 * Tiles are numbered through all sequences. The groups of a sequence begin at the number of its first tile / 32, its
 * super groups at this number / 1024, both plus the number of the sequence. For segments, of which very many may have
 * no tile, both begin at the number of the first tile.
 */
struct gf_tile_state {
    unsigned long long *tickets;           /* the number of tiles taken; the memory begins here */
    void *tiles, *groups;                  /* aggregates of tiles, totals of groups, as published words */
    void *supers;                          /* of a sequence: supers[h] is the prefix of super group h + 1 */
    unsigned *group_counts, *super_counts; /* the number of items published in each */
};

#ifndef __CUDACC_RTC__
#ifdef __cplusplus
extern "C" {
#endif

struct gf_exec; /* cuda_device.h */

/* Tiles that look back, of all sequences together; 0 if tickets are enough. `words`: published words per item. */
struct gf_tiles {
    uint64_t n, sequences, words;
    bool segments;
};

/* Takes the memory and clears it. The caller must return `tickets` to the pool, also after an error. TOO_LARGE,
 * NO_DEVICE_MEMORY. */
enum gf_status gf_cuda_take_tile_state(struct gf_exec *exec, const struct gf_tiles *tiles, struct gf_tile_state *ret,
                                       struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif

#endif
