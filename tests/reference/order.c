/* SPDX-License-Identifier: MIT */
/* sort, argsort and topk, docs/numerics.md, "sort, argsort, topk". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/half.h"
#include "protocol/ops/params/argsort.h"
#include "protocol/ops/params/sort.h"
#include "protocol/ops/params/topk.h"
#include "reference_geometry.h"
#include "reference_ops.h"
#include "reference_scan.h"

/* Of an element: a float, or an integer. */
union value {
    double f;
    gf_reference_int i;
};

static double float_at(const void *at, uint32_t dtype)
{
    uint16_t half;
    if (dtype != GF_F16)
        return gf_reference_get_float(at, dtype);
    memcpy(&half, at, sizeof(half));
    return (double)gf_half_to_f32(half);
}

static union value *values_of(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, uint64_t n)
{
    uint32_t dtype = in->view.dtype;
    union value *values = calloc(n, sizeof(*values));
    for (uint64_t i = 0; values && i < n; i++) {
        const void *at = gf_reference_element(in, axis, sequence, i);
        if (gf_dtype_kind(dtype) == GF_KIND_FLOAT)
            values[i].f = float_at(at, dtype);
        else
            values[i].i = gf_reference_get_int(at, dtype);
    }
    return values;
}

/* Whether an element comes before another one by its value alone. */
static bool is_before(bool floats, bool descending, const union value *a, const union value *b)
{
    if (!floats)
        return descending ? a->i > b->i : a->i < b->i;
    if (isnan(a->f) || isnan(b->f))
        return !isnan(a->f);
    return descending ? a->f > b->f : a->f < b->f;
}

/* The indices of a sequence's elements in their order, merged from runs of one element, two, four and so on; owned by
 * the caller. NULL: no memory. */
static uint64_t *order_of(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, bool descending)
{
    bool floats = gf_dtype_kind(in->view.dtype) == GF_KIND_FLOAT;
    uint64_t n = gf_reference_length(&in->view, axis);
    union value *values = values_of(in, axis, sequence, n);
    uint64_t *from = calloc(n, sizeof(*from)), *to = calloc(n, sizeof(*to));
    bool whole = values && from && to;
    for (uint64_t i = 0; whole && i < n; i++)
        from[i] = i;
    for (uint64_t run = 1; whole && run < n; run *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * run) {
            uint64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;
            uint64_t left = start, right = middle;
            for (uint64_t k = start; k < end; k++) {
                bool is_right = left == middle || (right < end && is_before(floats, descending, &values[from[right]],
                                                                            &values[from[left]]));
                to[k] = is_right ? from[right++] : from[left++];
            }
        }
        uint64_t *merged = to;
        to = from;
        from = merged;
    }
    free(values);
    free(to);
    if (!whole) {
        free(from);
        from = NULL;
    }
    return from;
}

/* The first k of each sequence in their order: samples, and indices, unless NULL. */
static enum gf_status run(const struct gf_op *op, uint32_t axis, bool descending, uint64_t k,
                          const struct gf_reference_buf *in, struct gf_reference_buf *samples,
                          struct gf_reference_buf *indices, struct gf_error *err)
{
    for (uint64_t s = 0; s < gf_reference_scan_sequences(&in->view, axis); s++) {
        uint64_t gf_cleanup(gf_freep) *order = order_of(in, axis, s, descending);
        if (order == NULL)
            return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of %s", op->name);
        for (uint64_t i = 0; i < k; i++) {
            if (samples != NULL)
                gf_reference_copy_sample(gf_reference_element(samples, axis, s, i),
                                         gf_reference_element(in, axis, s, order[i]), in->view.dtype);
            if (indices != NULL)
                memcpy(gf_reference_element(indices, axis, s, i), &order[i], sizeof(order[i]));
        }
    }
    return GF_OK;
}

GF_REFERENCE(sort)
{
    const struct gf_sort_params p = gf_sort_params_get(params);
    return run(op, p.axis, p.descending != 0, gf_reference_length(&in->view, p.axis), in, out, NULL, err);
}

GF_REFERENCE(argsort)
{
    const struct gf_argsort_params p = gf_argsort_params_get(params);
    return run(op, p.axis, p.descending != 0, gf_reference_length(&in->view, p.axis), in, NULL, out, err);
}

GF_REFERENCE(topk)
{
    const struct gf_topk_params p = gf_topk_params_get(params);
    return run(op, p.axis, p.smallest == 0, p.k, in, &out[0], &out[1], err);
}
