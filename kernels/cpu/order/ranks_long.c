/* SPDX-License-Identifier: MIT */
/*
 * Finds ranks in long lines on all threads by radix select. A pass counts one digit of the keys, from the most
 * significant on, among keys that share the digits found before. If few keys of a line are left, the pass gathers them
 * instead, and one thread narrows them down. All channels are read in the same pass. Called by quantile.c.
 *
 * A client may change its memory between two passes. Counts and keys then disagree, and a rank is limited to the keys
 * that exist.
 */
#include <string.h>

#include "protocol/ops/params/quantile.h"
#include "ranks.h"

#define FIRST_BITS 16u /* bits of the first digit */
#define NEXT_BITS 12u  /* bits of each further digit; eight sets of these counters fit in the first digit's counters */
#define COUNTERS (1u << FIRST_BITS)
#define GATHERED 65536u  /* keys of a line that are gathered, at most */
#define TASK_KEYS 65536u /* elements per task */

/* Keys that share the digits found so far and contain a wanted rank. */
struct slot {
    uint64_t prefix;       /* the digits found so far */
    uint64_t before, keys; /* number of smaller keys; number of keys in this slot */
    uint32_t first, end;   /* the wanted ranks: first .. end - 1 */
    uint64_t got;          /* atomic: keys gathered so far */
};

enum stage { COUNTS, GATHERS, DONE };

struct plane {
    struct gf_cpu_line line;
    struct gf_cpu_ranks *ranks;
    uint64_t *nans;
    enum stage stage;
    uint32_t n_slots;
    struct slot slots[GF_QUANTILE_RANKS];
    uint64_t *gathered;
};

struct search {
    const struct gf_cpu_call *call;
    struct plane planes[GF_MAX_CHANNELS];
    uint32_t n_planes, bits;
    uint32_t left, digit_bits; /* bits of keys that are not found yet, and how many of them are in the next digit */
    uint64_t *counts;          /* COUNTERS per plane and thread */
    bool *used;                /* per thread: whether it counts in this pass */
    struct gf_cpu_stop *stop;
};

static uint64_t *counts_of(const struct search *s, uint32_t thread, uint32_t plane)
{
    return s->counts + ((size_t)thread * s->n_planes + plane) * COUNTERS;
}

static void count(const struct search *s, const struct plane *p, const uint64_t *keys, uint64_t n, uint64_t *counts)
{
    const uint32_t shift = s->left - s->digit_bits;
    const uint64_t mask = (UINT64_C(1) << s->digit_bits) - 1;
    if (s->left == s->bits) {
        for (uint64_t i = 0; i < n; i++)
            counts[keys[i] >> shift]++;
        return;
    }
    for (uint32_t k = 0; k < p->n_slots; k++)
        for (uint64_t i = 0; i < n; i++)
            if (keys[i] >> s->left == p->slots[k].prefix)
                counts[(k << s->digit_bits) + ((keys[i] >> shift) & mask)]++;
}

static void gather(const struct search *s, struct plane *p, const uint64_t *keys, uint64_t n)
{
    uint64_t *to = p->gathered;
    for (uint32_t k = 0; k < p->n_slots; to += p->slots[k++].keys)
        for (uint64_t i = 0; i < n; i++) {
            struct slot *slot = &p->slots[k];
            if (keys[i] >> s->left != slot->prefix)
                continue;
            const uint64_t at = __atomic_fetch_add(&slot->got, 1, __ATOMIC_RELAXED);
            if (at < slot->keys)
                to[at] = keys[i];
        }
}

static void run_task(void *context, uint32_t task, uint32_t thread)
{
    struct search *s = context;
    const uint64_t n = s->planes[0].line.n, start = (uint64_t)task * TASK_KEYS,
                   end = n - start < TASK_KEYS ? n : start + TASK_KEYS;
    if (gf_cpu_stopped(s->stop))
        return;
    if (!s->used[thread])
        memset(counts_of(s, thread, 0), 0, (size_t)s->n_planes * COUNTERS * sizeof(*s->counts));
    s->used[thread] = true;
    for (uint32_t c = 0; c < s->n_planes; c++) {
        struct plane *p = &s->planes[c];
        uint64_t keys[GF_CPU_KEY_BLOCK];
        for (uint64_t at = start, now; at < end && p->stage != DONE; at += now) {
            now = end - at < GF_CPU_KEY_BLOCK ? end - at : GF_CPU_KEY_BLOCK;
            gf_cpu_keys_load(&p->line, at, now, keys);
            if (p->stage == COUNTS)
                count(s, p, keys, now, counts_of(s, thread, c));
            else
                gather(s, p, keys, now);
        }
    }
}

/* Runs one pass over all elements. Afterwards the first thread's counters hold the sums. */
static void run_pass(struct search *s)
{
    const uint32_t threads = gf_cpu_pool_threads(s->call->pool);
    memset(s->used, 0, threads * sizeof(*s->used));
    gf_cpu_pool_run(s->call->pool, run_task, s, (uint32_t)((s->planes[0].line.n - 1) / TASK_KEYS + 1));
    if (!s->used[0])
        memset(s->counts, 0, (size_t)s->n_planes * COUNTERS * sizeof(*s->counts));
    for (uint32_t t = 1; t < threads; t++)
        for (size_t i = 0; s->used[t] && i < (size_t)s->n_planes * COUNTERS; i++)
            s->counts[i] += counts_of(s, t, 0)[i];
}

/* The first pass tells the number of NaNs, which determines the ranks. */
static void begin_ranks(const struct search *s, struct plane *p, const uint64_t *counts)
{
    const uint32_t dtype = p->line.buf->view.dtype, last = (1u << s->digit_bits) - 1;
    const uint64_t nans = gf_is_float(dtype) ? counts[last] : 0;
    *p->nans = nans;
    const struct gf_quantile_params params = gf_quantile_params_get(&s->call->step->params);
    gf_cpu_ranks_of(&params, p->line.n - nans, p->ranks);
    p->n_slots = 1;
    p->slots[0] = (struct slot){.keys = p->line.n, .end = p->ranks->n};
}

/* The digit, from `from` on, that contains a rank. Adds the counts of the digits before it to `before`. */
static uint64_t find_digit(const uint64_t *counts, uint64_t digits, uint64_t rank, uint64_t from, uint64_t *before)
{
    uint64_t digit = from;
    while (digit + 1 < digits && rank - *before >= counts[digit])
        *before += counts[digit++];
    return digit;
}

/* Turns counters into the slots of the next digit. */
static void take_digit(const struct search *s, struct plane *p, const uint64_t *counts)
{
    struct slot next[GF_QUANTILE_RANKS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_slots; k++) {
        const struct slot *slot = &p->slots[k];
        const uint64_t *own = counts + ((size_t)k << s->digit_bits);
        uint64_t before = slot->before, digit = 0;
        for (uint32_t r = slot->first; r < slot->end; r++) {
            digit = find_digit(own, UINT64_C(1) << s->digit_bits, p->ranks->rank[r], digit, &before);
            const uint64_t prefix = slot->prefix << s->digit_bits | digit;
            if (n > 0 && next[n - 1].prefix == prefix) {
                next[n - 1].end = r + 1;
                continue;
            }
            next[n++] = (struct slot){.prefix = prefix, .before = before, .keys = own[digit], .first = r, .end = r + 1};
        }
    }
    memcpy(p->slots, next, n * sizeof(*next));
    p->n_slots = n;
}

/* The stage that follows when `left` bits remain. */
static enum stage next_stage(const struct plane *p, uint32_t left)
{
    uint64_t keys = 0;
    for (uint32_t k = 0; k < p->n_slots; k++)
        keys += p->slots[k].keys;
    if (left > 0 && p->n_slots > 0)
        return keys <= GATHERED ? GATHERS : COUNTS;
    for (uint32_t k = 0; k < p->n_slots; k++)
        for (uint32_t r = p->slots[k].first; r < p->slots[k].end; r++)
            p->ranks->key[r] = p->slots[k].prefix;
    return DONE;
}

static void narrow_gathered(const struct search *s, struct plane *p)
{
    uint64_t *keys = p->gathered;
    for (uint32_t k = 0; k < p->n_slots; keys += p->slots[k++].keys) {
        const struct slot *slot = &p->slots[k];
        const uint64_t got = slot->got < slot->keys ? slot->got : slot->keys;
        struct gf_cpu_ranks ranks = {.n = slot->end - slot->first};
        for (uint32_t r = 0; r < ranks.n; r++) {
            const uint64_t rank = p->ranks->rank[slot->first + r] - slot->before;
            ranks.rank[r] = rank < got ? rank : got - 1;
            ranks.key[r] = slot->prefix << s->left;
        }
        if (got > 0)
            gf_cpu_ranks_narrow(keys, got, s->left, &ranks);
        memcpy(p->ranks->key + slot->first, ranks.key, ranks.n * sizeof(*ranks.key));
    }
    p->stage = DONE;
}

/* Evaluates a pass; returns whether another pass follows. */
static bool follow(struct search *s)
{
    const bool first = s->left == s->bits;
    bool more = false;
    for (uint32_t c = 0; c < s->n_planes; c++) {
        struct plane *p = &s->planes[c];
        if (p->stage == GATHERS) {
            narrow_gathered(s, p);
        } else if (p->stage == COUNTS) {
            if (first)
                begin_ranks(s, p, counts_of(s, 0, c));
            take_digit(s, p, counts_of(s, 0, c));
            p->stage = next_stage(p, s->left - s->digit_bits);
        }
        more = more || p->stage != DONE;
    }
    return more;
}

enum gf_status gf_cpu_ranks_long(const struct gf_cpu_call *call, const struct gf_cpu_line *lines, uint32_t n_lines,
                                 struct gf_cpu_stop *stop, struct gf_cpu_ranks *ret_ranks, uint64_t *ret_nans,
                                 struct gf_error *err)
{
    const uint32_t threads = gf_cpu_pool_threads(call->pool);
    const uint64_t counters = (uint64_t)threads * n_lines * COUNTERS, keys = (uint64_t)n_lines * GATHERED;
    struct search s = {.call = call, .n_planes = n_lines, .stop = stop};
    void *room = NULL;
    enum gf_status status =
        gf_cpu_scratch_get(call, (counters + keys) * sizeof(uint64_t) + threads * sizeof(bool), &room, err);
    if (status != GF_OK)
        return status;
    s.counts = room;
    s.used = (void *)(s.counts + counters + keys);
    s.bits = s.left = (uint32_t)gf_dtype_size(lines[0].buf->view.dtype) * 8;
    for (uint32_t c = 0; c < n_lines; c++)
        s.planes[c] = (struct plane){.line = lines[c],
                                     .ranks = &ret_ranks[c],
                                     .nans = &ret_nans[c],
                                     .gathered = s.counts + counters + (size_t)c * GATHERED};
    for (bool more = true; more && stop->reason == GF_OK; s.left -= s.digit_bits) {
        const uint32_t most = s.left == s.bits ? FIRST_BITS : NEXT_BITS;
        s.digit_bits = s.left < most ? s.left : most;
        run_pass(&s);
        more = stop->reason == GF_OK && follow(&s);
    }
    return GF_OK;
}
