/* SPDX-License-Identifier: MIT */
/* Merges runs of one element, two, four and so on. Called by the reference of sort, argsort and topk. */
#include "reference_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/half.h"
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

uint64_t *gf_reference_order(const struct gf_reference_buf *in, uint32_t axis, uint64_t sequence, bool descending)
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
