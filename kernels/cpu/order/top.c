/* SPDX-License-Identifier: MIT */
/*
 * Finds the first k of many samples. Candidates are collected; when there is no more room, they are sorted and all but
 * the first k are dropped. The last kept one is then the limit for later samples: a sample that equals the limit comes
 * later in the order and is not taken. Called by order.c and order_long.c.
 */
#include "order.h"

#include <string.h>

#define BLOCK 256u /* samples compared at a time */
#define SAMPLE 32u /* samples of a block from which a lower limit is guessed */
#define MARGIN 8u  /* a guessed limit is at least this many places after the expected place */

uint64_t gf_order_top_capacity(uint64_t k, uint64_t n)
{
    uint64_t room = 2 * k + 2 * BLOCK;
    return 2 * room <= n ? room : 0;
}

void gf_order_top_guess(const struct gf_cpu_order *o, struct gf_order_top *top, uint32_t few, uint64_t n)
{
    const struct gf_order_items items = gf_order_short(o, top->items, top->spare, few, false);
    const uint64_t expected = o->order.kept * few / n, place = 2 * expected + MARGIN;
    const uint64_t key = place < few ? gf_order_key_at(o, items.samples, place) : UINT64_MAX;
    top->full = key < UINT64_MAX;
    top->limit = top->full ? key + 1 : 0; /* many samples may be equal */
}

/* Sorts the candidates and keeps the wanted ones. */
static void shorten(const struct gf_cpu_order *o, struct gf_order_top *top)
{
    struct gf_order_items items = gf_order_short(o, top->items, top->spare, top->n, true);
    if (items.samples != top->items.samples) {
        top->spare = top->items;
        top->items = items;
    }
    top->n = gf_min_u64(top->n, o->order.kept);
}

/* Takes the samples of a block whose flags are set. Most flags are not set, so eight are tested at once. */
static void take(const struct gf_cpu_order *o, struct gf_order_top *top, const char *samples, uint32_t first,
                 uint32_t n, const uint8_t flags[BLOCK])
{
    const size_t size = o->order.keys.size;
    for (uint32_t at = 0; at < n; at += 8) {
        uint64_t eight;
        memcpy(&eight, flags + at, sizeof(eight));
        if (eight == 0)
            continue;
        for (uint32_t i = at; i < at + 8 && i < n; i++)
            if (flags[i] != 0) {
                memcpy((char *)top->items.samples + top->n * size, samples + i * size, size);
                top->items.indices[top->n++] = first + i;
            }
    }
}

/* If most samples of a block are below the limit, as in a descending sequence, all wanted samples may be among them:
 * lowers the limit to a sample a little above the last wanted one. Returns how many samples are below the limit. */
static uint32_t lower_limit(const struct gf_cpu_order *o, struct gf_order_top *top, const char *block, uint32_t n,
                            uint32_t found, uint8_t flags[BLOCK])
{
    const struct gf_order_keys *keys = &o->order.keys;
    const uint32_t wanted = (uint32_t)(SAMPLE * o->order.kept / BLOCK) + 2;
    uint32_t ranks[GF_ORDER_SHORT], at = 0;
    char sample[SAMPLE * sizeof(uint64_t)];
    if (n < BLOCK || found < BLOCK / 2 || wanted > SAMPLE / 2)
        return found;
    for (uint32_t i = 0; i < SAMPLE; i++)
        memcpy(sample + i * keys->size, block + i * (BLOCK / SAMPLE) * keys->size, keys->size);
    o->call->simd->order->rank(keys, sample, SAMPLE, ranks);
    while (ranks[at] != wanted)
        at++;
    const uint64_t limit = gf_order_key_at(o, sample, at);
    const uint32_t below = o->call->simd->order->below(keys, block, n, limit, flags);
    if (limit < top->limit && below >= o->order.kept) {
        top->limit = limit;
        return below;
    }
    return o->call->simd->order->below(keys, block, n, top->limit, flags);
}

void gf_order_top_add(const struct gf_cpu_order *o, struct gf_order_top *top, const void *samples, uint32_t first,
                      uint64_t n)
{
    const struct gf_order_keys *keys = &o->order.keys;
    uint8_t flags[BLOCK];
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint32_t part = (uint32_t)gf_min_u64(BLOCK, n - at), found = part;
        const char *block = (const char *)samples + at * keys->size;
        memset(flags, 1, sizeof(flags));
        if (top->full) {
            found = o->call->simd->order->below(keys, block, part, top->limit, flags);
            found = lower_limit(o, top, block, part, found, flags);
        }
        if (found == 0)
            continue;
        if (top->n + found > top->room) {
            shorten(o, top);
            top->limit = gf_order_key_at(o, top->items.samples, top->n - 1);
            top->full = true;
            (void)o->call->simd->order->below(keys, block, part, top->limit, flags);
        }
        take(o, top, block, first + (uint32_t)at, part, flags);
    }
}

void gf_order_top_end(const struct gf_cpu_order *o, struct gf_order_top *top)
{
    shorten(o, top);
}
