/* SPDX-License-Identifier: MIT */
/*
 * The ops that work sample by sample (map, combine), prepared on the host and alike for both backends. numerics.md,
 * "Point operations", has the formulas.
 */
#ifndef GF_KERNELS_POINT_H
#define GF_KERNELS_POINT_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_map {
    float scale, offset;    /* v = fmaf(x, scale, offset), */
    float gamma;            /* then to this power unless it is 1, */
    float multiply, divide; /* then times `multiply` and by `divide`, one of which is 1; then the store */
    float *table;           /* for integers with a power or a given table: the stored result for each sample; owned */
    uint32_t n_table;
    int32_t first; /* the sample of entry 0 */
};

#define GF_MAP_NULL ((struct gf_map){0})

/* Prepares a step of map. `table` is the given table or NULL. NO_MEMORY. On success the caller must call
 * gf_map_deinit. */
enum gf_status gf_map_init(struct gf_map *map, const struct gf_step *step, const struct gf_view *src,
                           const struct gf_buf *table, struct gf_error *err);
void gf_map_deinit(struct gf_map *map);

#ifdef __cplusplus
}
#endif
#endif
