/* SPDX-License-Identifier: MIT */
/* See pairs.h. */
#include "pairs.h"

#include <stdlib.h>

bool gf_resize_pairs_are_near(const struct gf_resize_axis *axis, uint32_t channels, uint32_t lanes)
{
    const uint32_t pixels = lanes / channels;
    for (uint32_t i = 0; i < axis->n; i++) {
        uint32_t last = axis->n - i < pixels ? axis->n - 1 : i + pixels - 1;
        if (i > 0 && axis->first[i] < axis->first[i - 1]) /* windows may be cut off at both edges */
            return false;
        if ((uint64_t)(axis->first[last] - axis->first[i]) * channels + channels > 2 * (uint64_t)lanes)
            return false;
    }
    return true;
}

/* Sets lanes `lane`, `lane` + 1, ... of vector `vector` for result pixel i of strip s. */
static void set_pixel(struct gf_resize_pairs *p, const struct gf_resize_strips *s, uint32_t i, size_t vector,
                      uint32_t lane)
{
    const struct gf_resize_axis *axis = s->axis;
    const uint32_t start = i / s->strip * s->strip, at = axis->at[i], n = axis->at[i + 1] - at;
    uint32_t left = s->lefts ? s->lefts[i] : axis->first[i];
    uint32_t pixel = s->lefts ? 2 * (i - start) : left - axis->first[start];
    if (lane == 0)
        p->bases[vector] = pixel * s->channels;
    for (uint32_t c = 0; c < s->channels; c++, lane++) {
        size_t to = vector * p->lanes + lane;
        p->places[to] = (int32_t)(pixel * s->channels + c - p->bases[vector]);
        p->within = p->within && p->places[to] < (int32_t)p->lanes;
        for (uint32_t k = 0; k < n; k++)
            p->weights[axis->first[i] - left + k][to] = axis->weights[at + k];
    }
}

enum gf_status gf_resize_pairs_init(struct gf_resize_pairs *pairs, const struct gf_resize_strips *strips,
                                    uint32_t lanes, struct gf_error *err)
{
    const uint32_t pixels = lanes / strips->channels;
    struct gf_resize_pairs p = {.channels = strips->channels, .lanes = lanes, .within = true};
    p.vectors = (strips->strip + pixels - 1) / pixels;
    const size_t vectors = (size_t)p.vectors * strips->n_strips, n = vectors * lanes;
    p.memory = calloc(n * 3 + vectors, sizeof(float));
    if (!p.memory)
        return gf_error_no_memory(err, "resize", (n * 3 + vectors) * sizeof(float));
    p.places = p.memory;
    p.weights[0] = (float *)p.memory + n;
    p.weights[1] = p.weights[0] + n;
    p.bases = (uint32_t *)p.memory + 3 * n;
    for (uint32_t i = 0; i < strips->axis->n; i++) {
        uint32_t k = i % strips->strip;
        set_pixel(&p, strips, i, (size_t)(i / strips->strip) * p.vectors + k / pixels, k % pixels * p.channels);
    }
    *pairs = p;
    return GF_OK;
}

void gf_resize_pairs_deinit(struct gf_resize_pairs *pairs)
{
    free(pairs->memory);
    *pairs = GF_RESIZE_PAIRS_NULL;
}
