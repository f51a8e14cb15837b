/* SPDX-License-Identifier: MIT */
/*
 * The ops that work sample by sample (map, combine) after their parameters have been worked out, on the host and alike
 * for both backends. numerics.md, "Point operations", has the formulas.
 */
#ifndef GF_KERNELS_POINT_H
#define GF_KERNELS_POINT_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_map {
    float scale, offset;    /* v = fmaf(x, scale, offset), */
    float gamma;            /* then to this power where it is not 1, */
    float multiply, divide; /* then times and by these, one of which is 1; then the store */
    float *table;           /* of integers by a power or a given table: what to store for each sample; owned */
    uint32_t n_table;
    int32_t first; /* the sample that entry 0 is for */
};

#define GF_MAP_NULL ((struct gf_map){0})

/* Works out a step of map; `table` is the given one, NULL for none. NO_MEMORY. On success the caller calls
 * gf_map_deinit. */
enum gf_status gf_map_init(struct gf_map *map, const struct gf_step *step, const struct gf_view *src,
                           const struct gf_buf *table, struct gf_error *err);
void gf_map_deinit(struct gf_map *map);

/* Whether alpha is copied and not a sample like others, for an alpha parameter of these ops. */
bool gf_point_copies_alpha(uint32_t alpha, uint32_t channels);

#ifdef __cplusplus
}
#endif
#endif
