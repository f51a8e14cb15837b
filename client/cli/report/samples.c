/* SPDX-License-Identifier: MIT */
/* Stores timed round trips. Called by cmd_ping.c and bench_client.c. */
#include "samples.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256u

void gf_samples_deinit(struct gf_samples *s)
{
    free(s->rows);
    *s = (struct gf_samples){.rows = NULL};
}

bool gf_samples_add(struct gf_samples *s, const struct gf_sample *sample)
{
    if (s->n == GF_SAMPLES_MAX)
        return true;
    if (s->n == s->capacity) {
        uint32_t capacity = s->capacity > 0 ? 2 * s->capacity : FIRST_CAPACITY;
        struct gf_sample *rows = realloc(s->rows, capacity * sizeof(*rows));
        if (!rows)
            return false;
        s->rows = rows;
        s->capacity = capacity;
    }
    s->rows[s->n++] = *sample;
    return true;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = ((const struct gf_sample *)a)->wall, y = ((const struct gf_sample *)b)->wall;
    return (x > y) - (x < y);
}

void gf_samples_sort(struct gf_samples *s)
{
    if (s->n > 0)
        qsort(s->rows, s->n, sizeof(*s->rows), compare);
}

struct gf_sample gf_samples_percentile(const struct gf_samples *s, uint32_t percent)
{
    uint64_t rank = ((uint64_t)s->n * percent + 99) / 100;
    return rank > 0 ? s->rows[rank - 1] : (struct gf_sample){.wall = 0};
}
