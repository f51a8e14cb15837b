/* SPDX-License-Identifier: MIT */
/* affine and matmul2 of reduce, docs/numerics.md, "affine, matmul2". Called by reduce.c. */
#ifndef GF_TESTS_REFERENCE_COMPOSE_H
#define GF_TESTS_REFERENCE_COMPOSE_H

#include "reference_reduce.h"

/* The result of a buffer of two or four channels. NO_MEMORY. */
enum gf_status gf_reference_compose(const struct gf_reference_buf *in, uint32_t axis, struct gf_reference_buf *out,
                                    struct gf_error *err);

/* The result of each segment that in[1] cuts in[0] into. NO_MEMORY. */
enum gf_status gf_reference_compose_segments(const struct gf_reference_buf *in, struct gf_reference_buf *out,
                                             struct gf_error *err);

#endif
