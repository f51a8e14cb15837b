/* SPDX-License-Identifier: MIT */
/* What the reference of median, rank and percentile shares. */
#ifndef GF_TESTS_REFERENCE_RANK_H
#define GF_TESTS_REFERENCE_RANK_H

#include "reference.h"

/* A window and which of its samples is the result. */
struct gf_reference_window {
    const struct gf_u32v *size;
    uint32_t border; /* GF_BORDER_* */
    const struct gf_f32v *border_value;
    uint32_t index; /* from the least one */
};

/* One sample of every window. NO_MEMORY. */
enum gf_status gf_reference_rank_windows(const struct gf_op *op, const struct gf_reference_window *window,
                                         const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                         struct gf_error *err);

#endif
