/* SPDX-License-Identifier: MIT */
/* The tables of the segments of a reduction. Called by the backends with the worker's private copy of the list. */
#include "reduce_cut.h"

#include <stdlib.h>

#include "segments.h"

static void fill(struct gf_segment_reader reader, struct gf_reduce_cut *cut)
{
    uint64_t before = 0, j = 0;
    gf_segments_read(&reader, cut->n + 1, cut->offsets, NULL);
    for (uint64_t i = 0; j < cut->n_longs; i++) {
        if (gf_cut_length(cut, i) <= cut->span)
            continue;
        cut->longs[j] = i;
        cut->starts[j++] = before;
        before += gf_divide_up(gf_cut_length(cut, i), cut->span);
    }
    cut->starts[j] = before;
}

enum gf_status gf_reduce_cut_init(const struct gf_step *step, const struct gf_buf *list, uint64_t elements,
                                  uint32_t span, struct gf_reduce_cut *ret_cut, struct gf_error *err)
{
    const struct gf_segment_reader begin = {.list = list, .min_length = span, .block = span};
    struct gf_segment_reader reader = begin;
    gf_segments_read(&reader, list->view.width, NULL, NULL);
    enum gf_status status = gf_segments_check_read(&reader, step->op, 1, elements, false, err);
    if (status != GF_OK)
        return status;
    struct gf_reduce_cut cut = {.n = list->view.width - 1,
                                .n_longs = reader.n_long,
                                .chunks = reader.n_blocks,
                                .max = gf_max_u64(reader.longest, 1),
                                .span = span};
    uint64_t *words = malloc(gf_cut_words(&cut) * sizeof(*words));
    if (words == NULL)
        return gf_error_no_memory(err, step->op->name, gf_cut_words(&cut) * sizeof(*words));
    cut = gf_cut_at_words(&cut, words);
    fill(begin, &cut);
    *ret_cut = cut;
    return GF_OK;
}

void gf_reduce_cut_deinit(struct gf_reduce_cut *cut)
{
    free(cut->offsets);
}
