/* SPDX-License-Identifier: MIT */
/* Lists of offsets that cut a channel into segments: the elements of segment s are those from offset s up to, but not
 * with, offset s + 1. Called by the backends with the worker's private copy of the list. */
#ifndef GF_KERNELS_SEGMENTS_H
#define GF_KERNELS_SEGMENTS_H

#include "kernels/backend.h"
#include "protocol/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offset i; a negative one modulo 2^64. */
uint64_t gf_segments_at(const struct gf_buf *list, uint64_t i);

/* That the offsets of input `input` do not decrease and are 0 to `elements`; with `whole` also that they begin with 0
 * and end with `elements`, so that no element is left out. BAD_PARAM names the first offset that is wrong. */
enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool whole, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
