/* SPDX-License-Identifier: MIT */
/* Offsets of segments: reading and checking them. Called by the backends. */
#include "segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t gf_segments_at(const struct gf_buf *list, uint64_t i)
{
    uint64_t u64;
    uint32_t u32;
    if (gf_dtype_size(list->view.dtype) == sizeof(u64)) {
        memcpy(&u64, (const char *)list->data + i * sizeof(u64), sizeof(u64));
        return u64;
    }
    memcpy(&u32, (const char *)list->data + i * sizeof(u32), sizeof(u32));
    return list->view.dtype == GF_I32 ? (uint64_t)(int64_t)(int32_t)u32 : u32;
}

static enum gf_status refuse(const char *what, uint64_t i, uint64_t offset, bool negative, uint64_t lo, uint64_t hi,
                             struct gf_error *err)
{
    char value[32], allowed[64];
    if (negative)
        snprintf(value, sizeof(value), "%" PRId64, (int64_t)offset);
    else
        snprintf(value, sizeof(value), "%" PRIu64, offset);
    if (lo == hi)
        snprintf(allowed, sizeof(allowed), "is %" PRIu64, lo);
    else
        snprintf(allowed, sizeof(allowed), "are %" PRIu64 "..%" PRIu64, lo, hi);
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: number %" PRIu64 " is %s, allowed %s: offsets do not decrease", what,
                        i, value, allowed);
}

enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool whole, struct gf_error *err)
{
    uint64_t n = list->view.width, lo = 0;
    bool is_signed = gf_dtype_kind(list->view.dtype) == GF_KIND_SINT;
    char what[64];
    snprintf(what, sizeof(what), "%s: %s", op->name, op->inputs[input].name);
    if (n < 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s: %" PRIu64 " number, allowed are 2 and more", what, n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset = gf_segments_at(list, i), hi = whole && i == 0 ? 0 : elements;
        bool negative = is_signed && (int64_t)offset < 0;
        if (whole && i == n - 1)
            lo = elements;
        if (negative || offset < lo || offset > hi)
            return refuse(what, i, offset, negative, lo, hi, err);
        lo = offset;
    }
    return GF_OK;
}

/* Blocks of segment i. */
static uint64_t count_blocks(const struct gf_buf *list, uint64_t i, uint64_t least, uint64_t block, bool *any_short)
{
    uint64_t length = gf_segments_at(list, i + 1) - gf_segments_at(list, i);
    if (length > 0 && length <= least)
        *any_short = true;
    return length > least ? (length + block - 1) / block : 0;
}

static uint64_t *new_table(uint64_t n, struct gf_error *err)
{
    uint64_t *table = malloc(n * sizeof(*table));
    if (table == NULL)
        (void)gf_error_set(err, GF_E_NO_MEMORY, "no memory for %" PRIu64 " offsets", n);
    return table;
}

enum gf_status gf_segment_blocks_init(struct gf_segment_blocks *blocks, const struct gf_buf *list, uint64_t least,
                                      uint64_t block, struct gf_error *err)
{
    *blocks = (struct gf_segment_blocks){.n = list->view.width, .offsets = list->data};
    for (uint64_t i = 0; i + 1 < blocks->n; i++)
        blocks->n_blocks += count_blocks(list, i, least, block, &blocks->any_short);
    if (gf_dtype_size(list->view.dtype) != sizeof(*blocks->converted)) {
        blocks->offsets = blocks->converted = new_table(blocks->n, err);
        for (uint64_t i = 0; i < blocks->n && blocks->converted; i++)
            blocks->converted[i] = gf_segments_at(list, i);
    }
    if (blocks->offsets && blocks->n_blocks > 0) {
        uint64_t *first = blocks->first_blocks = new_table(blocks->n, err);
        for (uint64_t i = 0; i < blocks->n && first; i++)
            first[i] = i == 0 ? 0 : first[i - 1] + count_blocks(list, i - 1, least, block, &blocks->any_short);
    }
    if (blocks->offsets && (blocks->first_blocks || blocks->n_blocks == 0))
        return GF_OK;
    gf_segment_blocks_deinit(blocks);
    return GF_E_NO_MEMORY;
}

void gf_segment_blocks_deinit(struct gf_segment_blocks *blocks)
{
    free(blocks->converted);
    free(blocks->first_blocks);
    *blocks = GF_SEGMENT_BLOCKS_NULL;
}
