/* SPDX-License-Identifier: MIT */
/*
 * Splits passes and elements into smaller ones, for a backend whose tiles have no room for them; see morphology.h.
 * Called by kernels/cuda.
 */
#include <stdlib.h>

#include "morphology.h"

enum gf_status gf_morphology_split(struct gf_morphology *m, struct gf_error *err)
{
    struct gf_morphology_pass *passes = malloc(2 * (size_t)m->n_passes * sizeof(*passes));
    if (!passes)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %u passes", 2 * m->n_passes);
    for (uint32_t i = 0; i < m->n_passes; i++) {
        struct gf_morphology_pass *rows = &passes[2 * i], *columns = &passes[2 * i + 1];
        *rows = *columns = m->passes[i];
        rows->height = columns->width = 1;
        rows->anchor_y = columns->anchor_x = 0;
    }
    free(m->passes);
    m->passes = passes;
    m->n_passes *= 2;
    return GF_OK;
}

/* Collects the runs of an element inside a part, cut at its end, if they have this level. Returns their number. */
static uint32_t runs_of(const struct gf_element *e, const struct gf_element_part *part, uint32_t level,
                        uint32_t *ret_runs)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_runs; i++) {
        const struct gf_element_run *run = &e->runs[i];
        uint32_t begin = run->y > part->y ? run->y : part->y, end = (uint32_t)run->y + run->length;
        end = end < part->y + part->height ? end : part->y + part->height;
        if (run->x < part->x || run->x >= part->x + part->width || begin >= end ||
            31u - (uint32_t)__builtin_clz(end - begin) != level)
            continue;
        ret_runs[n++] = (end - begin) << 16 | (begin - part->y) << 8 | (run->x - part->x);
    }
    return n;
}

enum gf_status gf_element_cut(const struct gf_element *e, uint32_t side, struct gf_element_parts *ret,
                              struct gf_error *err)
{
    struct gf_element_parts parts = {0};
    parts.runs = malloc((size_t)e->n_runs * 8 * sizeof(*parts.runs)); /* a run lies in at most 8 parts */
    if (!parts.runs)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %u runs of an element", e->n_runs);
    for (uint32_t y = 0; y < e->height; y += side)
        for (uint32_t x = 0; x < e->width; x += side) {
            struct gf_element_part *part = &parts.part[parts.n];
            *part = (struct gf_element_part){.x = x,
                                             .y = y,
                                             .width = e->width - x < side ? e->width - x : side,
                                             .height = e->height - y < side ? e->height - y : side,
                                             .first_run = parts.n_runs};
            for (uint32_t level = 0; level < 8; level++) {
                part->level[level] = parts.n_runs - part->first_run;
                parts.n_runs += runs_of(e, part, level, parts.runs + parts.n_runs);
            }
            part->level[8] = parts.n_runs - part->first_run;
            parts.n += part->level[8] > 0;
        }
    *ret = parts;
    return GF_OK;
}

void gf_element_parts_deinit(struct gf_element_parts *parts)
{
    free(parts->runs);
    *parts = (struct gf_element_parts){0};
}
