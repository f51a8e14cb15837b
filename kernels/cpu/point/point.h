/* SPDX-License-Identifier: MIT */
/* Ops that compute each sample on its own, on the CPU: one runner for map and combine. */
#ifndef GF_KERNELS_CPU_POINT_H
#define GF_KERNELS_CPU_POINT_H

#include "kernels/cpu/device/cpu_ops.h"
#include "simd_point.h"

struct gf_cpu_point {
    const struct gf_cpu_call *call;
    struct gf_cpu_source source;
    struct gf_cpu_target target;
    const uint8_t *tables[GF_MAX_CHANNELS]; /* byte tables per channel of the source; NULL: none */
    const struct gf_cpu_formula *formula;   /* NULL: none */
    uint32_t mode;                          /* GF_COMBINE_*; used if the op has two inputs */
    float factors[3];
    uint64_t pixels; /* pixels of a row in units of source.channels; 1 channel per pixel unless alpha is copied */
};

/* Sets source, target and layout; copies_alpha tells whether alpha is copied. Values pass unchanged until a formula is
 * set. */
void gf_cpu_point_init(struct gf_cpu_point *p, const struct gf_cpu_call *call, bool copies_alpha);
/* Runs the call. CANCELLED, DEADLINE. */
enum gf_status gf_cpu_point_run(struct gf_cpu_point *p, struct gf_error *err);

#endif
