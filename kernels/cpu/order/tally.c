/* SPDX-License-Identifier: MIT */
/*
 * Sorts a long sequence of integers of at most 16 bits, without indices, by counting: all threads count the values,
 * then write each value as often as it was counted. Called by order.c.
 */
#include <string.h>

#include "kernels/cpu/device/pages.h"
#include "order.h"

#define CHUNK 262144u /* samples per task */
#define BLOCK 2048u   /* samples loaded at a time and then counted */

struct tally {
    struct gf_cpu_order *o;
    struct gf_order_lines from, values;
    uint32_t n_values;
    uint32_t *counts; /* two tables per thread; later the first table holds the number of samples before each value */
};

static uint64_t chunk_of(const struct tally *t, uint32_t task, uint64_t *ret_first)
{
    *ret_first = (uint64_t)task * CHUNK;
    return gf_min_u64(CHUNK, t->o->order.length - *ret_first);
}

static void count_chunk(void *context, uint32_t task, uint32_t slot)
{
    const struct tally *t = context;
    uint16_t block[BLOCK];
    uint64_t first, n = chunk_of(t, task, &first);
    if (gf_cpu_stopped(&t->o->stop))
        return;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t part = gf_min_u64(BLOCK, n - at);
        gf_order_gather(&t->from, first + at, part, block);
        t->o->call->simd->order->tally(&t->o->order.keys, block, (uint32_t)part,
                                       t->counts + (size_t)slot * 2 * t->n_values);
    }
}

/* The value of sample i of the result. */
static uint32_t value_at(const struct tally *t, uint64_t i)
{
    uint32_t low = 0, high = t->n_values;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (t->counts[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void write_chunk(void *context, uint32_t task, uint32_t slot)
{
    const struct tally *t = context;
    const size_t size = t->o->order.keys.size;
    uint8_t bytes[BLOCK];
    uint16_t words[BLOCK];
    uint64_t first, n = chunk_of(t, task, &first);
    (void)slot;
    if (gf_cpu_stopped(&t->o->stop))
        return;
    uint32_t v = value_at(t, first);
    for (uint64_t at = first, end = first + n; at < end; at += BLOCK) {
        uint64_t part = gf_min_u64(BLOCK, end - at);
        for (uint64_t i = 0, stop; i < part; i = stop) {
            uint64_t next = v + 1 < t->n_values ? t->counts[v + 1] : t->o->order.length;
            uint64_t flipped = v ^ t->o->order.keys.flip;
            stop = gf_min_u64(part, next - at);
            if (size == 1)
                memset(bytes + i, (int)(uint8_t)flipped, stop - i);
            for (uint64_t k = i; size == 2 && k < stop; k++)
                words[k] = (uint16_t)flipped;
            v += next == at + stop && v + 1 < t->n_values;
        }
        gf_order_scatter(&t->values, at, part, size == 1 ? (void *)bytes : (void *)words);
    }
}

/* Turns the counts of all threads into the number of samples before each value. */
static void sum_up(struct tally *t, uint32_t threads)
{
    uint32_t before = 0;
    for (uint32_t v = 0; v < t->n_values; v++) {
        uint32_t own = 0;
        for (uint32_t k = 0; k < 2 * threads; k++)
            own += t->counts[(size_t)k * t->n_values + v];
        t->counts[v] = before;
        before += own;
    }
}

bool gf_order_can_count(const struct gf_cpu_order *o)
{
    return o->order.keys.size <= 2 && !o->order.keys.is_float && o->places.data == NULL;
}

enum gf_status gf_order_by_counting(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err)
{
    struct tally t = {.o = o,
                      .from = gf_order_lines_at(&o->from, line, lane),
                      .values = gf_order_lines_at(&o->values, line, lane),
                      .n_values = 1u << 8 * o->order.keys.size};
    const uint32_t threads = gf_cpu_pool_threads(o->call->pool);
    const uint32_t n_chunks = (uint32_t)((o->order.length + CHUNK - 1) / CHUNK);
    const uint64_t bytes = (uint64_t)threads * 2 * t.n_values * sizeof(*t.counts);
    t.counts = gf_cpu_pages_alloc(o->call->pages, bytes, true);
    if (t.counts == NULL)
        return gf_error_no_memory(err, o->call->step->op->name, bytes);
    gf_cpu_pool_run(o->call->pool, count_chunk, &t, n_chunks);
    if (o->stop.reason == GF_OK) {
        sum_up(&t, threads);
        gf_cpu_pool_run(o->call->pool, write_chunk, &t, n_chunks);
    }
    gf_cpu_pages_free(o->call->pages, t.counts, bytes);
    return GF_OK;
}
