/* SPDX-License-Identifier: MIT */
/* Reads and checks the given edges of a histogram. Called by both backends. */
#include "histogram.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "protocol/base/text.h"

/* Reads any type except 64-bit integers. */
static double number_at(const struct gf_buf *list, uint64_t i)
{
    size_t size = gf_dtype_size(list->view.dtype);
    const char *p = (const char *)list->data + i * size;
    uint32_t bits = 0;
    if (list->view.dtype == GF_F64) {
        double v;
        memcpy(&v, p, sizeof(v));
        return v;
    }
    memcpy(&bits, p, size);
    if (list->view.dtype == GF_F32) {
        float v;
        memcpy(&v, &bits, sizeof(v));
        return (double)v;
    }
    double range = (double)(UINT64_C(1) << (8 * size));
    bool negative = gf_dtype_kind(list->view.dtype) == GF_KIND_SINT && (bits >> (8 * size - 1)) != 0;
    return (double)bits - (negative ? range : 0.0);
}

enum gf_status gf_histogram_edges(const struct gf_buf *list, double **ret_edges, struct gf_error *err)
{
    uint64_t n = list->view.width;
    double *gf_cleanup(gf_freep) edges = malloc((size_t)n * sizeof(*edges));
    char a[GF_NUMBER_TEXT], b[GF_NUMBER_TEXT];
    if (edges == NULL)
        return gf_error_no_memory(err, "histogram", n * sizeof(*edges));
    for (uint64_t i = 0; i < n; i++) {
        edges[i] = number_at(list, i);
        if (isnan(edges[i]))
            return gf_error_set(err, GF_E_BAD_PARAM, "histogram: edges[%" PRIu64 "] is NaN; it must be a number", i);
        if (i > 0 && edges[i] < edges[i - 1])
            return gf_error_set(
                err, GF_E_BAD_PARAM,
                "histogram: edges[%" PRIu64 "]=%s is below edges[%" PRIu64 "]=%s; edges must be in ascending order", i,
                gf_text_from_f64(edges[i], a, sizeof a), i - 1, gf_text_from_f64(edges[i - 1], b, sizeof b));
    }
    *ret_edges = gf_steal_ptr(&edges);
    return GF_OK;
}
