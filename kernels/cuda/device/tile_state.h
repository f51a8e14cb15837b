/* SPDX-License-Identifier: MIT */
/* The device memory of look-back by an ordered_tile_state (tile_state.cuh), also in code compiled at run time.
 * memory/tile_memory.h allocates it. */
#ifndef GF_CUDA_TILE_STATE_H
#define GF_CUDA_TILE_STATE_H

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

#endif
