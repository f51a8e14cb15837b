/* SPDX-License-Identifier: MIT */
/* Reads and checks the offsets of segments. Called by the backends. */
#include "segments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 512u /* offsets read at once */

/* Functions for which a caller's constants choose the code. */
#define INLINE static inline __attribute__((always_inline))

/* How offsets lie in memory. */
enum form { FORM_NONE, FORM_64, FORM_U32, FORM_I32 };

static enum form form_of(const struct gf_buf *list)
{
    return gf_dtype_size(list->view.dtype) == sizeof(uint64_t) ? FORM_64
           : list->view.dtype == GF_I32                        ? FORM_I32
                                                               : FORM_U32;
}

INLINE uint64_t load(const char *from, uint64_t i, enum form form)
{
    uint64_t u64;
    uint32_t u32;
    if (form == FORM_64) {
        memcpy(&u64, from + i * sizeof(u64), sizeof(u64));
        return u64;
    }
    memcpy(&u32, from + i * sizeof(u32), sizeof(u32));
    return form == FORM_I32 ? (uint64_t)(int64_t)(int32_t)u32 : u32;
}

INLINE void store(char *to, uint64_t i, enum form form, uint64_t offset)
{
    const uint32_t u32 = (uint32_t)offset;
    if (form == FORM_64)
        memcpy(to + i * sizeof(offset), &offset, sizeof(offset));
    else if (form == FORM_U32)
        memcpy(to + i * sizeof(u32), &u32, sizeof(u32));
}

uint64_t gf_segments_at(const struct gf_buf *list, uint64_t i)
{
    return load(list->data, i, form_of(list));
}

/* Copies n offsets. Returns whether all segments between them have 0 to `most` elements. The highest bit of a
 * difference says which number is less: compilers use vectors for that on every processor, but not for comparisons of
 * 64 bits. */
INLINE bool copy(const char *restrict from, enum form form, uint64_t n, uint64_t most, char *restrict to,
                 enum form to_form)
{
    uint64_t bits = 0;
    store(to, 0, to_form, load(from, 0, form));
    for (uint64_t i = 1; i < n; i++) {
        uint64_t offset = load(from, i, form), length = offset - load(from, i - 1, form);
        bits |= length | (most - length);
        store(to, i, to_form, offset);
    }
    return bits >> 63 == 0;
}

INLINE bool copy_to(const char *from, enum form form, uint64_t n, uint64_t most, char *to, enum form to_form)
{
    return to_form == FORM_NONE  ? copy(from, form, n, most, to, FORM_NONE)
           : to_form == FORM_U32 ? copy(from, form, n, most, to, FORM_U32)
                                 : copy(from, form, n, most, to, FORM_64);
}

static bool copy_batch(const char *from, enum form form, uint64_t n, uint64_t most, char *to, enum form to_form)
{
    return form == FORM_64    ? copy_to(from, FORM_64, n, most, to, to_form)
           : form == FORM_U32 ? copy_to(from, FORM_U32, n, most, to, to_form)
                              : copy_to(from, FORM_I32, n, most, to, to_form);
}

/* Checks the segments that end with the next n offsets, and counts their blocks. */
static void count_blocks(struct gf_segment_reader *r, const char *from, enum form form, uint64_t n,
                         uint64_t *ret_first_blocks)
{
    uint64_t last = r->last;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t offset = load(from, i, form), length = offset - last;
        uint64_t blocks = length > r->min_length ? gf_divide_up(length, r->block) : 0;
        r->wrong |= offset < last;
        r->any_short |= length - 1 < r->min_length;
        r->n_blocks += blocks;
        r->n_long += blocks > 0;
        r->longest = gf_max_u64(r->longest, blocks);
        if (ret_first_blocks)
            ret_first_blocks[i] = r->n_blocks;
        last = offset;
    }
}

void gf_segments_read(struct gf_segment_reader *r, uint64_t n, void *ret_offsets, uint64_t *ret_first_blocks)
{
    const enum form form = form_of(r->list), to_form = !ret_offsets ? FORM_NONE : r->narrow ? FORM_U32 : FORM_64;
    const size_t size = gf_dtype_size(r->list->view.dtype), to_size = r->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    for (uint64_t done = 0, batch; done < n; done += batch) {
        const char *from = (const char *)r->list->data + r->at * size;
        batch = n - done < BATCH ? n - done : BATCH;
        bool plain = copy_batch(from, form, batch, r->min_length,
                                ret_offsets ? (char *)ret_offsets + done * to_size : NULL, to_form);
        const uint64_t first = load(from, 0, form), end = load(from, batch - 1, form);
        r->last = r->at > 0 ? r->last : first; /* the first offset ends an empty segment */
        if (plain && first - r->last <= r->min_length && !ret_first_blocks)
            r->any_short |= end != r->last;
        else
            count_blocks(r, from, form, batch, ret_first_blocks ? ret_first_blocks + done : NULL);
        /* In a plain batch the offsets advance by less than 2^63, so they cannot pass these numbers unseen. */
        r->wrong |= (first | end) >> 63 != 0;
        r->at += batch;
        r->last = end;
    }
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

enum gf_status gf_segments_check_read(const struct gf_segment_reader *reader, const struct gf_op *op, uint32_t input,
                                      uint64_t elements, bool covers_all, struct gf_error *err)
{
    const struct gf_buf *list = reader->list;
    uint64_t n = list->view.width, lo = 0;
    bool is_signed = gf_dtype_kind(list->view.dtype) == GF_KIND_SINT;
    char what[64];
    snprintf(what, sizeof(what), "%s: %s", op->name, op->inputs[input].name);
    if (n < 2)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s has %" PRIu64 " number; it must have 2 or more", what, n);
    if (!reader->wrong && reader->last <= elements &&
        (!covers_all || (gf_segments_at(list, 0) == 0 && reader->last == elements)))
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

enum gf_status gf_segments_check(const struct gf_op *op, uint32_t input, const struct gf_buf *list, uint64_t elements,
                                 bool covers_all, struct gf_error *err)
{
    struct gf_segment_reader reader = {.list = list, .min_length = GF_MAX_ELEMENTS, .block = 1};
    gf_segments_read(&reader, list->view.width, NULL, NULL);
    return gf_segments_check_read(&reader, op, input, elements, covers_all, err);
}

enum gf_status gf_segment_blocks_init(struct gf_segment_blocks *blocks, const struct gf_buf *list, uint64_t min_length,
                                      uint64_t block, struct gf_error *err)
{
    const struct gf_segment_reader begin = {.list = list, .min_length = min_length, .block = block};
    struct gf_segment_reader reader = begin;
    uint64_t n = list->view.width;
    gf_segments_read(&reader, n, NULL, NULL);
    *blocks = (struct gf_segment_blocks){.n = n, .n_blocks = reader.n_blocks};
    if (reader.n_blocks == 0)
        return GF_OK;
    blocks->first_blocks = malloc(n * sizeof(*blocks->first_blocks));
    if (blocks->first_blocks == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %" PRIu64 " offsets", n);
    reader = begin;
    gf_segments_read(&reader, n, NULL, blocks->first_blocks);
    return GF_OK;
}

void gf_segment_blocks_deinit(struct gf_segment_blocks *blocks)
{
    free(blocks->first_blocks);
    *blocks = GF_SEGMENT_BLOCKS_NULL;
}
