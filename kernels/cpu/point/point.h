/* SPDX-License-Identifier: MIT */
/* Ops that work sample by sample on the CPU: one runner for map and combine. */
#ifndef GF_KERNELS_CPU_POINT_H
#define GF_KERNELS_CPU_POINT_H

#include "kernels/cpu/device/cpu_ops.h"
#include "simd_point.h"

struct gf_cpu_point {
    const struct gf_cpu_call *call;
    struct gf_cpu_source source;
    struct gf_cpu_target target;
    const uint8_t *tables[GF_MAX_CHANNELS]; /* bytes to bytes, per channel of the source; NULL: none */
    const struct gf_cpu_formula *formula;   /* NULL: none */
    uint32_t mode;                          /* GF_COMBINE_*, where the op has two inputs */
    float factors[3];
    uint64_t pixels; /* of a row, in units of the source's channels; alpha that is a sample like others makes all
                        samples pixels of their own */
};

/* Source, target and layout for a call whose alpha is copied or not; values pass unchanged. */
void gf_cpu_point_init(struct gf_cpu_point *p, const struct gf_cpu_call *call, bool copies_alpha);
/* Runs it. CANCELLED, DEADLINE. */
enum gf_status gf_cpu_point_run(struct gf_cpu_point *p, struct gf_error *err);

#endif
