/* SPDX-License-Identifier: MIT */
/*
 * Sorts a long sequence on all threads by a radix sort. Chunks are loaded, and the values of all their digits are
 * counted. Then, for each digit from the least significant on, the chunks are counted again and moved, each to the
 * places after the chunks before it; digits that are equal in all samples are skipped. For topk, each chunk first finds
 * its own first samples. Called by order.c.
 */
#include <string.h>

#include "kernels/cpu/device/pages.h"
#include "order.h"

#define CHUNK 262144u        /* elements counted and moved per task */
#define BLOCK 2048u          /* elements loaded at a time and then counted */
#define TOP_CHUNK (4u << 20) /* elements per task that finds first samples, at most */
#define TOP_SAMPLE 512u      /* samples of a chunk from which a limit is guessed; at most gf_order_top_capacity() */

struct long_order {
    struct gf_cpu_order *o;
    struct gf_order_lines from, values, places;
    struct gf_order_items items, spare;
    bool numbered; /* items.indices is set */
    uint64_t length, n_chunks, chunk;
    uint32_t digit;
    uint32_t (*counts)[GF_ORDER_DIGITS][GF_ORDER_VALUES]; /* per chunk: counts, later places */
    uint64_t room; /* room for a chunk's first samples; 0: all samples are sorted */
    char *tops;    /* the threads' workspaces for first samples */
    size_t top_bytes;
};

static uint64_t chunk_of(const struct long_order *l, uint32_t task, uint64_t *ret_first)
{
    *ret_first = (uint64_t)task * l->chunk;
    return gf_min_u64(l->chunk, l->length - *ret_first);
}

static struct gf_order_items items_at(const struct long_order *l, struct gf_order_items items, uint64_t first)
{
    return (struct gf_order_items){(char *)items.samples + first * l->o->order.keys.size,
                                   items.indices != NULL ? items.indices + first : NULL};
}

static void bring_in(void *context, uint32_t task, uint32_t slot)
{
    struct long_order *l = context;
    uint64_t first, n = chunk_of(l, task, &first);
    (void)slot;
    if (gf_cpu_stopped(&l->o->stop))
        return;
    memset(l->counts[task], 0, sizeof(l->counts[task]));
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t part = gf_min_u64(BLOCK, n - at);
        struct gf_order_items to = items_at(l, l->items, first + at);
        gf_order_gather(&l->from, first + at, part, to.samples);
        l->o->call->simd->order->make_stored(&l->o->order.keys, to.samples, part);
        l->o->call->simd->order->count(&l->o->order.keys, to.samples, part, l->counts[task]);
    }
}

static void count_chunk(void *context, uint32_t task, uint32_t slot)
{
    struct long_order *l = context;
    uint64_t first, n = chunk_of(l, task, &first);
    (void)slot;
    if (gf_cpu_stopped(&l->o->stop))
        return;
    uint32_t *counts = l->counts[task][l->digit];
    memset(counts, 0, sizeof(l->counts[task][l->digit]));
    l->o->call->simd->order->count_digit(&l->o->order.keys, items_at(l, l->items, first).samples, n, l->digit, counts);
}

static void move_chunk(void *context, uint32_t task, uint32_t slot)
{
    struct long_order *l = context;
    uint64_t first, n = chunk_of(l, task, &first);
    struct gf_order_items from = items_at(l, l->items, first);
    (void)slot;
    if (gf_cpu_stopped(&l->o->stop))
        return;
    if (!l->numbered)
        from.indices = NULL;
    l->o->call->simd->order->move(&l->o->order.keys, from, (uint32_t)first, n, l->digit, l->counts[task][l->digit],
                                  l->spare);
}

static void bring_out(void *context, uint32_t task, uint32_t slot)
{
    struct long_order *l = context;
    uint64_t first, n = chunk_of(l, task, &first);
    struct gf_order_items items = items_at(l, l->items, first);
    (void)slot;
    if (first >= l->o->order.kept || gf_cpu_stopped(&l->o->stop))
        return;
    n = gf_min_u64(n, l->o->order.kept - first);
    if (l->values.data != NULL)
        gf_order_scatter(&l->values, first, n, items.samples);
    for (uint64_t i = 0; l->places.data != NULL && !l->numbered && i < n; i++)
        items.indices[i] = (uint32_t)(first + i);
    if (l->places.data != NULL)
        gf_order_scatter_places(&l->places, first, n, items.indices);
}

/* Turns the counts of the digit into places: value by value, and chunk by chunk for each value. */
static void set_places(struct long_order *l)
{
    uint32_t before = 0;
    for (uint32_t v = 0; v < GF_ORDER_VALUES; v++)
        for (uint64_t c = 0; c < l->n_chunks; c++) {
            uint32_t *count = &l->counts[c][l->digit][v], own = *count;
            *count = before;
            before += own;
        }
}

/* Whether a digit is equal in all samples, by the counts of the first pass. */
static bool is_constant(const struct long_order *l, uint32_t digit)
{
    for (uint32_t v = 0; v < GF_ORDER_VALUES; v++) {
        uint64_t sum = 0;
        for (uint64_t c = 0; c < l->n_chunks; c++)
            sum += l->counts[c][digit][v];
        if (sum > 0)
            return sum == l->length;
    }
    return true;
}

static void order_all(struct long_order *l)
{
    struct gf_cpu_order *o = l->o;
    struct gf_cpu_pool *pool = o->call->pool;
    const uint32_t n_chunks = (uint32_t)l->n_chunks;
    bool moved = false, wanted[GF_ORDER_DIGITS] = {false};
    gf_cpu_pool_run(pool, bring_in, l, n_chunks);
    for (uint32_t d = 0; d < o->order.keys.size && o->stop.reason == GF_OK; d++)
        wanted[d] = !is_constant(l, d);
    for (l->digit = 0; l->digit < o->order.keys.size && o->stop.reason == GF_OK; l->digit++) {
        if (!wanted[l->digit])
            continue;
        if (moved)
            gf_cpu_pool_run(pool, count_chunk, l, n_chunks);
        if (o->stop.reason != GF_OK)
            return;
        set_places(l);
        gf_cpu_pool_run(pool, move_chunk, l, n_chunks);
        struct gf_order_items made = l->spare;
        l->spare = l->items;
        l->items = made;
        l->numbered = moved = true;
    }
    if (o->stop.reason == GF_OK)
        gf_cpu_pool_run(pool, bring_out, l, n_chunks);
}

/* Finds the first samples among n from `first` on, sorted. `block` must have room for BLOCK samples. */
static void find_top(const struct long_order *l, struct gf_order_top *top, uint64_t first, uint64_t n, char *block)
{
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t part = gf_min_u64(BLOCK, n - at);
        gf_order_gather(&l->from, first + at, part, block);
        l->o->call->simd->order->make_stored(&l->o->order.keys, block, part);
        gf_order_top_add(l->o, top, block, (uint32_t)(first + at), part);
    }
    gf_order_top_end(l->o, top);
}

/* Guesses a limit from TOP_SAMPLE of n samples, one from each of as many parts. Without a limit, every sample of a
 * descending sequence would be a candidate. Its place in the part follows from where the memory lies, which no client
 * knows: whoever knew the places could make the limit wrong, and all samples would be looked at again. */
static void guess_limit(const struct long_order *l, struct gf_order_top *top, uint64_t first, uint64_t n)
{
    uint64_t place = (uintptr_t)top->items.samples ^ first;
    for (uint64_t i = 0; i < TOP_SAMPLE; i++) {
        place = place * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        gf_order_gather(&l->from, first + i * (n / TOP_SAMPLE) + (place >> 32) % (n / TOP_SAMPLE), 1,
                        (char *)top->items.samples + i * l->o->order.keys.size);
    }
    l->o->call->simd->order->make_stored(&l->o->order.keys, top->items.samples, TOP_SAMPLE);
    gf_order_top_guess(l->o, top, TOP_SAMPLE, n);
}

/* Copies the sorted first samples of a chunk after those of the previous chunk. */
static void top_of_chunk(void *context, uint32_t task, uint32_t slot)
{
    struct long_order *l = context;
    struct gf_cpu_order *o = l->o;
    const size_t size = o->order.keys.size;
    uint64_t first, n = chunk_of(l, task, &first), kept = o->order.kept;
    char *workspace = l->tops + slot * l->top_bytes;
    uint32_t *indices = (uint32_t *)(void *)workspace;
    char *samples = (char *)(indices + 2 * l->room), *block = samples + 2 * l->room * size;
    struct gf_order_top top = {
        .items = {samples, indices}, .spare = {samples + l->room * size, indices + l->room}, .room = l->room};
    if (gf_cpu_stopped(&o->stop))
        return;
    guess_limit(l, &top, first, n);
    find_top(l, &top, first, n, block);
    if (top.n < kept) { /* the limit was too low; without one enough are found, even if a client has changed samples
                           meanwhile */
        top.full = false;
        top.n = 0;
        find_top(l, &top, first, n, block);
    }
    struct gf_order_items to = items_at(l, l->items, task * kept);
    memcpy(to.samples, top.items.samples, kept * size);
    memcpy(to.indices, top.items.indices, kept * sizeof(*to.indices));
}

static void order_top(struct long_order *l)
{
    struct gf_cpu_order *o = l->o;
    gf_cpu_pool_run(o->call->pool, top_of_chunk, l, (uint32_t)l->n_chunks);
    if (o->stop.reason != GF_OK)
        return;
    struct gf_order_items items = gf_order_short(o, l->items, l->spare, l->n_chunks * o->order.kept, true);
    gf_order_scatter_places(&l->places, 0, o->order.kept, items.indices);
    if (l->values.data != NULL)
        gf_order_scatter(&l->values, 0, o->order.kept, items.samples);
}

/* Chooses the chunks. Each chunk finds its own first samples if it has many more samples than are wanted. */
static void set_chunks(struct long_order *l)
{
    const uint64_t kept = l->o->order.kept;
    l->chunk = CHUNK;
    l->n_chunks = (l->length + CHUNK - 1) / CHUNK;
    if (kept == l->length)
        return;
    uint64_t each = gf_max_u64(l->length / (4 * (uint64_t)gf_cpu_pool_threads(l->o->call->pool)), CHUNK);
    uint64_t n = (l->length - 1) / gf_min_u64(each, TOP_CHUNK) + 1, chunk = (l->length - 1) / n + 1;
    n = (l->length - 1) / chunk + 1;
    l->room = gf_order_top_capacity(kept, l->length - (n - 1) * chunk);
    if (l->room == 0)
        return;
    l->chunk = chunk;
    l->n_chunks = n;
}

enum gf_status gf_order_long(struct gf_cpu_order *o, uint64_t line, uint64_t lane, struct gf_error *err)
{
    struct long_order l = {.o = o,
                           .from = gf_order_lines_at(&o->from, line, lane),
                           .values = gf_order_lines_at(&o->values, line, lane),
                           .places = gf_order_lines_at(&o->places, line, lane),
                           .length = o->order.length};
    set_chunks(&l);
    const uint64_t size = o->order.keys.size, threads = gf_cpu_pool_threads(o->call->pool);
    const uint64_t n = l.room > 0 ? l.n_chunks * o->order.kept : l.length;
    const uint64_t samples = gf_round_up(n * size, 64), indices = o->places.data != NULL ? n * sizeof(uint32_t) : 0;
    l.top_bytes = gf_round_up(2 * l.room * (size + sizeof(uint32_t)) + BLOCK * size, 64);
    const uint64_t beside = l.room > 0 ? threads * l.top_bytes : l.n_chunks * sizeof(*l.counts);
    const uint64_t bytes = 2 * (samples + indices) + beside;
    char *memory = gf_cpu_pages_alloc(o->call->pages, bytes, false);
    if (memory == NULL)
        return gf_error_no_memory(err, o->call->step->op->name, bytes);
    l.items.samples = memory;
    l.spare.samples = memory + samples;
    if (indices > 0) {
        l.items.indices = (uint32_t *)(void *)(memory + 2 * samples);
        l.spare.indices = l.items.indices + n;
    }
    l.tops = memory + 2 * (samples + indices);
    l.counts = (void *)l.tops;
    if (l.room > 0)
        order_top(&l);
    else
        order_all(&l);
    gf_cpu_pages_free(o->call->pages, memory, bytes);
    return GF_OK;
}
