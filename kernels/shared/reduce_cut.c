/* SPDX-License-Identifier: MIT */
/* The tables of the segments of a reduction. Called by the backends with the worker's private copy of the list. */
#include "reduce_cut.h"

#include <stdlib.h>

#include "segments.h"

static uint64_t chunks_of(uint64_t n, uint32_t span)
{
    return n == 0 ? 1 : (n - 1) / span + 1;
}

/* Counts the segments, the long ones and their chunks. */
static void measure(const struct gf_buf *list, uint32_t span, struct gf_reduce_cut *cut)
{
    cut->n = list->view.width - 1;
    cut->span = span;
    cut->max = 1;
    uint64_t from = gf_segments_at(list, 0);
    for (uint64_t i = 0; i < cut->n; i++) {
        uint64_t end = gf_segments_at(list, i + 1), chunks = chunks_of(end - from, span);
        from = end;
        cut->max = chunks > cut->max ? chunks : cut->max;
        cut->n_longs += chunks > 1;
        cut->chunks += chunks > 1 ? chunks : 0;
    }
}

static void fill(const struct gf_buf *list, struct gf_reduce_cut *cut)
{
    uint64_t before = 0, j = 0;
    for (uint64_t i = 0; i <= cut->n; i++)
        cut->offsets[i] = gf_segments_at(list, i);
    for (uint64_t i = 0; i < cut->n; i++) {
        uint64_t chunks = chunks_of(gf_cut_length(cut, i), cut->span);
        if (chunks == 1)
            continue;
        cut->longs[j] = i;
        cut->starts[j++] = before;
        before += chunks;
    }
    cut->starts[j] = before;
}

enum gf_status gf_reduce_cut_init(const struct gf_step *step, const struct gf_buf *list, uint64_t elements,
                                  uint32_t span, struct gf_reduce_cut *ret_cut, struct gf_error *err)
{
    struct gf_reduce_cut cut = {0};
    enum gf_status status = gf_segments_check(step->op, 1, list, elements, false, err);
    if (status != GF_OK)
        return status;
    measure(list, span, &cut);
    uint64_t *words = malloc(gf_cut_words(&cut) * sizeof(*words));
    if (words == NULL)
        return gf_error_no_memory(err, step->op->name, gf_cut_words(&cut) * sizeof(*words));
    cut = gf_cut_at_words(&cut, words);
    fill(list, &cut);
    *ret_cut = cut;
    return GF_OK;
}

void gf_reduce_cut_deinit(struct gf_reduce_cut *cut)
{
    free(cut->offsets);
}
