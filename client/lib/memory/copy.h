/* SPDX-License-Identifier: MIT */
/* Copies the samples of views between the caller's memory and an arena. Called by placement.c. */
#ifndef GF_CLIENT_COPY_H
#define GF_CLIENT_COPY_H

#include "protocol/base/view.h"

/* Copies the rows of one view to another of the same shape; they must not overlap. Large views are copied on several
 * threads, at most half of the cores that the process may use; the threads have ended on return. */
void gf_copy_rows(void *to, const struct gf_view *to_view, const void *from, const struct gf_view *from_view);
/* The same on up to n threads including the caller's, fewer if threads cannot be made. n is 1 to GF_COPY_THREADS. */
void gf_copy_rows_on(uint32_t n, void *to, const struct gf_view *to_view, const void *from,
                     const struct gf_view *from_view);

#define GF_COPY_THREADS 4u

#endif
