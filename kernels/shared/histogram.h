/* SPDX-License-Identifier: MIT */
/* Given edges of a histogram, docs/numerics.md, "Edges and bins"; the same on every backend. */
#ifndef GF_KERNELS_HISTOGRAM_H
#define GF_KERNELS_HISTOGRAM_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Converts the edges of a list to f64, exactly; the caller frees them. BAD_PARAM: an edge is NaN or below the one
 * before it. NO_MEMORY. */
enum gf_status gf_histogram_edges(const struct gf_buf *list, double **ret_edges, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
