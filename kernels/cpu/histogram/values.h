/* SPDX-License-Identifier: MIT */
/* Samples of any dtype as numbers, a block at a time: what counting and searching for extremes work on. */
#ifndef GF_KERNELS_CPU_VALUES_H
#define GF_KERNELS_CPU_VALUES_H

#include "kernels/backend.h"
#include "kernels/shared/bins.h"

#define GF_CPU_VALUES 512u

/* What of an input is looked at: the first `planes` channels, or the brightness as the one plane. */
struct gf_cpu_planes {
    const struct gf_buf *buf;
    uint32_t planes;
    bool luma;
};

/* A block of one plane: f64, for integers of 64 bits rounded to nearest, and all bits of integers, sign-extended. */
struct gf_cpu_values {
    double v[GF_CPU_VALUES];
    uint64_t bits[GF_CPU_VALUES];
};

/* How the dtype's samples are given to gf_bins_find. */
enum gf_bins_kind gf_cpu_values_kind(uint32_t dtype);
/* Loads n <= GF_CPU_VALUES samples of a plane, which is no brightness, from pixel (x, y) on, all in one row. */
void gf_cpu_values_load(const struct gf_cpu_planes *source, uint32_t plane, uint64_t y, uint64_t x, uint32_t n,
                        struct gf_cpu_values *ret);

#endif
