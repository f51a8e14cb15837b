/* SPDX-License-Identifier: MIT */
/* Reads and checks the offsets of segments. Called by the backends. */
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

#define BATCH 512u /* offsets read at once */

/* Reads at most BATCH offsets from `first` on. Returns how many. */
static uint64_t read_batch(const struct gf_buf *list, uint64_t first, uint64_t *ret_offsets)
{
    const size_t size = gf_dtype_size(list->view.dtype);
    const char *from = (const char *)list->data + first * size;
    uint64_t n = list->view.width - first < BATCH ? list->view.width - first : BATCH;
    union {
        uint32_t u[BATCH];
        int32_t i[BATCH];
    } words;
    if (size == sizeof(*ret_offsets)) {
        memcpy(ret_offsets, from, n * size);
        return n;
    }
    memcpy(&words, from, n * size);
    if (list->view.dtype == GF_I32)
        for (uint64_t i = 0; i < n; i++)
            ret_offsets[i] = (uint64_t)(int64_t)words.i[i];
    else
        for (uint64_t i = 0; i < n; i++)
            ret_offsets[i] = words.u[i];
    return n;
}

/* Whether the offsets do not decrease and none is above `elements`. Negative offsets are far above as unsigned
 * numbers. */
static bool in_order(const struct gf_buf *list, uint64_t elements)
{
    uint64_t offsets[BATCH + 1] = {0}, n; /* the previous offset, then a batch */
    for (uint64_t first = 0; first < list->view.width; first += BATCH, offsets[0] = offsets[n]) {
        n = read_batch(list, first, offsets + 1);
        bool wrong = offsets[n] > elements;
        for (uint64_t i = 0; i < n; i++)
            wrong |= offsets[i + 1] < offsets[i];
        if (wrong)
            return false;
    }
    return true;
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
        snprintf(allowed, sizeof(allowed), "%" PRIu64, lo);
    else
        snprintf(allowed, sizeof(allowed), "%" PRIu64 "..%" PRIu64, lo, hi);
    return gf_error_set(err, GF_E_BAD_PARAM, "%s: number %" PRIu64 " is %s; allowed: %s; offsets must not decrease",
                        what, i, value, allowed);
}

enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool covers_all, struct gf_error *err)
{
    uint64_t n = list->view.width, lo = 0;
    bool is_signed = gf_dtype_kind(list->view.dtype) == GF_KIND_SINT;
    char what[64];
    snprintf(what, sizeof(what), "%s: %s", op->name, op->inputs[input].name);
    if (n < 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s has %" PRIu64 " number; it must have 2 or more", what, n);
    if (in_order(list, elements) &&
        (!covers_all || (gf_segments_at(list, 0) == 0 && gf_segments_at(list, n - 1) == elements)))
        return GF_OK;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset = gf_segments_at(list, i), hi = covers_all && i == 0 ? 0 : elements;
        bool negative = is_signed && (int64_t)offset < 0;
        if (covers_all && i == n - 1)
            lo = elements;
        if (negative || offset < lo || offset > hi)
            return refuse(what, i, offset, negative, lo, hi, err);
        lo = offset;
    }
    return GF_OK;
}

/* The results of count_blocks(). */
struct count {
    uint64_t min_length, block, n_blocks, longest;
    bool any_short;
};

/* Counts the blocks of the segments. If the tables are given, stores how many blocks precede each segment, and the
 * offsets. */
static void count_blocks(const struct gf_buf *list, struct count *count, uint64_t *first_blocks, uint64_t *converted)
{
    uint64_t offsets[BATCH + 1] = {gf_segments_at(list, 0)}, n; /* the previous offset, then a batch */
    count->n_blocks = 0;
    for (uint64_t first = 0; first < list->view.width; first += BATCH, offsets[0] = offsets[n]) {
        bool any_short = false, any_long = false;
        n = read_batch(list, first, offsets + 1);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t length = offsets[i + 1] - offsets[i];
            any_short |= length - 1 < count->min_length;
            any_long |= length > count->min_length;
        }
        count->any_short |= any_short;
        for (uint64_t i = 0; i < n && (any_long || first_blocks); i++) {
            uint64_t length = offsets[i + 1] - offsets[i];
            uint64_t blocks = length > count->min_length ? gf_divide_up(length, count->block) : 0;
            count->n_blocks += blocks;
            count->longest = gf_max_u64(count->longest, blocks);
            if (first_blocks)
                first_blocks[first + i] = count->n_blocks;
        }
        if (converted)
            memcpy(converted + first, offsets + 1, n * sizeof(*converted));
    }
}

static uint64_t *new_table(uint64_t n, struct gf_error *err)
{
    uint64_t *table = malloc(n * sizeof(*table));
    if (table == NULL)
        (void)gf_error_set(err, GF_E_NO_MEMORY, "no memory for %" PRIu64 " offsets", n);
    return table;
}

enum gf_status gf_segment_blocks_init(struct gf_segment_blocks *blocks, const struct gf_buf *list, uint64_t min_length,
                                      uint64_t block, struct gf_error *err)
{
    struct count count = {.min_length = min_length, .block = block};
    *blocks = (struct gf_segment_blocks){.n = list->view.width, .offsets = list->data};
    if (gf_dtype_size(list->view.dtype) != sizeof(*blocks->converted))
        blocks->offsets = blocks->converted = new_table(blocks->n, err);
    if (blocks->offsets)
        count_blocks(list, &count, NULL, blocks->converted);
    blocks->n_blocks = count.n_blocks;
    blocks->longest = count.longest;
    blocks->any_short = count.any_short;
    if (blocks->n_blocks > 0)
        blocks->first_blocks = new_table(blocks->n, err);
    if (blocks->first_blocks)
        count_blocks(list, &count, blocks->first_blocks, NULL);
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
