/* SPDX-License-Identifier: MIT */
/* Samples of any dtype as numbers, a block at a time, for counting and for the search of extremes. */
#ifndef GF_KERNELS_CPU_VALUES_H
#define GF_KERNELS_CPU_VALUES_H

#include "kernels/backend.h"
#include "kernels/shared/bins.h"

#define GF_CPU_VALUES 512u

/* The planes of an input that are processed: the first `planes` channels, or the brightness as the only plane. */
struct gf_cpu_planes {
    const struct gf_buf *buf;
    uint32_t planes;
    bool luma;
};

/* A block of one plane: values as f64 (64-bit integers rounded to nearest), and for integers their bits,
 * sign-extended. */
struct gf_cpu_values {
    double v[GF_CPU_VALUES];
    uint64_t bits[GF_CPU_VALUES];
};

/* The form in which gf_bins_find takes samples of the dtype. */
enum gf_bins_kind gf_cpu_values_kind(uint32_t dtype);
/* Loads n <= GF_CPU_VALUES samples of a plane from pixel (x, y) on, all in one row. The plane must not be
 * brightness. */
void gf_cpu_values_load(const struct gf_cpu_planes *source, uint32_t plane, uint64_t y, uint64_t x, uint32_t n,
                        struct gf_cpu_values *ret);

#endif
