/* SPDX-License-Identifier: MIT */
/* Merges runs of one element, two, four and so on. Called by the reference of sort, argsort and topk. */
#include "reference_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/half.h"
#include "reference_scan.h"

struct order {
    const struct gf_reference_buf *in;
    uint32_t axis;
    uint64_t sequence;
    bool descending;
};

static double float_at(const struct order *o, uint64_t i)
{
    const void *at = gf_reference_element(o->in, o->axis, o->sequence, i);
    uint16_t half;
    if (o->in->view.dtype != GF_F16)
        return gf_reference_get_float(at, o->in->view.dtype);
    memcpy(&half, at, sizeof(half));
    return (double)gf_half_to_f32(half);
}

/* Whether element i comes before element j by its value alone. */
static bool is_before(const struct order *o, uint64_t i, uint64_t j)
{
    uint32_t dtype = o->in->view.dtype;
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT) {
        double a = float_at(o, i), b = float_at(o, j);
        if (isnan(a) || isnan(b))
            return !isnan(a);
        return o->descending ? a > b : a < b;
    }
    gf_reference_int a = gf_reference_get_int(gf_reference_element(o->in, o->axis, o->sequence, i), dtype);
    gf_reference_int b = gf_reference_get_int(gf_reference_element(o->in, o->axis, o->sequence, j), dtype);
    return o->descending ? a > b : a < b;
}

uint64_t *gf_reference_order(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, bool descending)
{
    const struct order o = {in, axis, sequence, descending};
    uint64_t n = gf_reference_length(&in->view, axis);
    uint64_t *from = calloc(n, sizeof(*from)), *to = calloc(n, sizeof(*to));
    for (uint64_t i = 0; from && to && i < n; i++)
        from[i] = i;
    for (uint64_t run = 1; from && to && run < n; run *= 2) {
        for (uint64_t start = 0; start < n; start += 2 * run) {
            uint64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;
            uint64_t left = start, right = middle;
            for (uint64_t k = start; k < end; k++)
                to[k] = left == middle || (right < end && is_before(&o, from[right], from[left])) ? from[right++]
                                                                                                  : from[left++];
        }
        uint64_t *merged = to;
        to = from;
        from = merged;
    }
    bool whole = from && to;
    free(to);
    if (!whole) {
        free(from);
        from = NULL;
    }
    return from;
}

void gf_reference_move(const void *from, uint32_t dtype, void *to)
{
    uint16_t half;
    memcpy(to, from, gf_dtype_size(dtype));
    memcpy(&half, from, sizeof(half) <= gf_dtype_size(dtype) ? sizeof(half) : 1);
    if (dtype == GF_F16 && isnan(gf_half_to_f32(half)))
        memcpy(to, &(uint16_t){0x7E00}, sizeof(half));
    if ((dtype == GF_F32 || dtype == GF_F64) && isnan(gf_reference_get_float(from, dtype)))
        gf_reference_put_float(to, dtype, (double)NAN);
}
