/* SPDX-License-Identifier: MIT */
/*
 * Scans of sequences that lie along rows, block by block. Many sequences are distributed to the threads whole. A few
 * long ones are split in three passes: the aggregates of all blocks, the prefix of each block, the results.
 */
#include <math.h>

#include "scan_lines.h"

#define TASK_BLOCKS (GF_SCAN_SPLIT / GF_SCAN_BLOCK) /* blocks per task where a sequence is split */
#define CHECK_EVERY 16u                             /* short sequences between two checks whether to stop */

/* A value of the tree with its factor. */
struct pair {
    double v, factor;
};

/* The five steps over a group of 32, fed one member at a time. */
struct ladder {
    struct pair keep[GF_SCAN_STEPS][GF_SCAN_GROUP];
    uint32_t n;
};

/* The exclusive prefix of the next block of a sequence, docs/numerics.md, "Trees of scans". */
struct prefix {
    uint32_t what;
    struct ladder blocks, groups;
    struct pair before_block, before_group, before_all; /* I1[b-1], I2[g-1], C[h] */
    bool has_block, has_group, has_all;
};

/* One pass over the blocks of one sequence, or over all sequences. */
struct pass {
    struct gf_cpu_scan *run;
    struct gf_cpu_sequence sequence;
    uint64_t n_blocks, n_tasks;
    union gf_scan_value *between; /* per block: its aggregate, later its prefix */
};

static struct pair join(uint32_t what, struct pair l, struct pair r)
{
    if (what == GF_SCAN_SUM)
        return (struct pair){l.v + r.v, 1};
    if (what == GF_SCAN_PRODUCT)
        return (struct pair){l.v * r.v, 1};
    return (struct pair){fma(r.factor, l.v, r.v), l.factor * r.factor};
}

static struct pair ladder_push(struct ladder *ladder, uint32_t what, struct pair x)
{
    uint32_t i = ladder->n++;
    for (uint32_t step = 0, d = 1; step < GF_SCAN_STEPS; step++, d *= 2) {
        ladder->keep[step][i] = x;
        if (i >= d)
            x = join(what, ladder->keep[step][i - d], x);
    }
    return x;
}

static void prefix_push(struct prefix *p, struct pair aggregate)
{
    p->before_block = ladder_push(&p->blocks, p->what, aggregate);
    p->has_block = true;
    if (p->blocks.n < GF_SCAN_GROUP)
        return;
    p->blocks.n = 0;
    p->has_block = false;
    p->before_group = ladder_push(&p->groups, p->what, p->before_block);
    p->has_group = true;
    if (p->groups.n < GF_SCAN_GROUP)
        return;
    p->groups.n = 0;
    p->has_group = false;
    p->before_all = p->has_all ? join(p->what, p->before_all, p->before_group) : p->before_group;
    p->has_all = true;
}

/* (C[h] + I2[g-1]) + I1[b-1]. Requires that a block has been pushed. */
static double prefix_get(const struct prefix *p)
{
    struct pair v = p->has_all ? p->before_all : p->before_group;
    if (p->has_all && p->has_group)
        v = join(p->what, v, p->before_group);
    if (!p->has_block)
        return v.v;
    return p->has_all || p->has_group ? join(p->what, v, p->before_block).v : p->before_block.v;
}

static size_t block_elements(uint64_t length, uint64_t block)
{
    uint64_t left = length - block * GF_SCAN_BLOCK;
    return left < GF_SCAN_BLOCK ? (size_t)left : GF_SCAN_BLOCK;
}

/* Stores the results of n elements from `index` on. x holds the inclusive results; an exclusive scan stores them one
 * place further. */
static void store_results(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t index,
                          size_t n, const union gf_scan_value *x)
{
    const struct gf_scan *scan = &run->scan;
    if (!scan->exclusive) {
        gf_cpu_scan_store(run, sequence, index, n, x);
        return;
    }
    if (index == 0)
        gf_cpu_scan_store(run, sequence, 0, 1, &scan->first);
    bool last = index + n == sequence->length;
    gf_cpu_scan_store(run, sequence, index + 1, last ? n - 1 : n, x);
}

/* The values of a block in the order of the tree. Values past the end of the sequence influence no result. */
struct block {
    union gf_scan_value x[GF_SCAN_BLOCK];
    double offsets[GF_SCAN_ROWS];
};

static size_t load_block(const struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t number,
                         struct block *block)
{
    size_t n = block_elements(sequence->length, number);
    gf_cpu_scan_load(run, sequence, number * GF_SCAN_BLOCK, n, block->x);
    if (number == 0)
        gf_cpu_scan_begin(&run->scan, block->x);
    if (run->tree)
        for (size_t i = n; i < GF_SCAN_BLOCK; i++)
            block->x[i].f = 0;
    return n;
}

static double tree_block(const struct gf_cpu_scan *run, struct block *block)
{
    return run->simd->tree(run->scan.what, &run->factors, &block->x->f, block->offsets);
}

static void finish_block(const struct gf_cpu_scan *run, struct block *block, const double *prefix)
{
    run->simd->finish(run->scan.what, &run->factors, prefix, block->offsets,
                      run->scan.started ? &run->scan.init.f : NULL, &block->x->f);
}

static void exact_block(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, uint64_t number, size_t n,
                        struct block *block, union gf_scan_value *carry)
{
    uint64_t shift = run->scan.exclusive, index = number * GF_SCAN_BLOCK;
    size_t fit = run->simd->run(run->scan.what, run->scan.in, &run->limits, carry, block->x, n);
    if (fit < n && index + fit + shift < sequence->length)
        gf_cpu_scan_overflow(run, sequence->number, index + fit + shift);
}

static uint64_t count_blocks(const struct gf_cpu_sequence *sequence)
{
    return (sequence->length + GF_SCAN_BLOCK - 1) / GF_SCAN_BLOCK;
}

/* A sequence of at most one group. */
static void scan_short(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence)
{
    union gf_scan_value x[GF_SCAN_SHORT];
    size_t n = (size_t)sequence->length;
    gf_cpu_scan_load(run, sequence, 0, n, x);
    gf_cpu_scan_short(run, sequence->number, x, n);
    gf_cpu_scan_store(run, sequence, 0, n, x);
}

static void scan_long(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence)
{
    struct block block;
    struct prefix prefix = {.what = run->scan.what};
    union gf_scan_value carry = gf_cpu_scan_carry(&run->scan);
    for (uint64_t b = 0; b < count_blocks(sequence) && !gf_cpu_stopped(&run->stop); b++) {
        size_t elements = load_block(run, sequence, b, &block);
        if (run->tree) {
            double aggregate = tree_block(run, &block), before = b > 0 ? prefix_get(&prefix) : 0;
            finish_block(run, &block, b > 0 ? &before : NULL);
            prefix_push(&prefix, (struct pair){aggregate, run->factors.block});
        } else {
            exact_block(run, sequence, b, elements, &block, &carry);
        }
        store_results(run, sequence, b * GF_SCAN_BLOCK, elements, block.x);
    }
}

void gf_cpu_scan_sequence(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence)
{
    if (sequence->length <= GF_SCAN_SHORT)
        scan_short(run, sequence);
    else
        scan_long(run, sequence);
}

static struct gf_cpu_sequence sequence_of(const struct gf_scan *scan, uint64_t number)
{
    return (struct gf_cpu_sequence){.number = number,
                                    .y = number / scan->channels,
                                    .channel = number % scan->channels,
                                    .length = gf_scan_length(scan)};
}

/* Scans whole sequences. */
static void sequence_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct pass *pass = context;
    const struct gf_scan *scan = &pass->run->scan;
    uint64_t n = gf_scan_sequences(scan), first = n * task / pass->n_tasks;
    for (uint64_t s = first; s < n * (task + 1) / pass->n_tasks; s++) {
        if (s % CHECK_EVERY == 0 && gf_cpu_stopped(&pass->run->stop))
            return;
        struct gf_cpu_sequence sequence = sequence_of(scan, s);
        gf_cpu_scan_sequence(pass->run, &sequence);
    }
}

/* First pass over a long sequence: the aggregates of its blocks. */
static void aggregate_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct pass *pass = context;
    struct gf_cpu_scan *run = pass->run;
    struct block block;
    uint64_t end = ((uint64_t)task + 1) * TASK_BLOCKS;
    for (uint64_t b = (uint64_t)task * TASK_BLOCKS; b < end && b < pass->n_blocks && !gf_cpu_stopped(&run->stop); b++) {
        size_t elements = load_block(run, &pass->sequence, b, &block);
        if (run->tree)
            pass->between[b].f = run->simd->aggregate(run->scan.what, &run->factors, &block.x->f);
        else
            pass->between[b] = run->simd->fold(run->scan.what, run->scan.in, run->scan.absent, block.x, elements);
    }
}

/* Second pass: turns the aggregates into the prefix of each block. */
static void put_prefixes(const struct pass *pass)
{
    const struct gf_cpu_scan *run = pass->run;
    struct prefix prefix = {.what = run->scan.what};
    union gf_scan_value carry = gf_cpu_scan_carry(&run->scan);
    for (uint64_t b = 0; b < pass->n_blocks; b++) {
        union gf_scan_value aggregate = pass->between[b];
        if (run->tree) {
            pass->between[b].f = b > 0 ? prefix_get(&prefix) : 0;
            prefix_push(&prefix, (struct pair){aggregate.f, run->factors.block});
        } else {
            pass->between[b] = carry;
            carry = run->simd->fold(run->scan.what, run->scan.in, carry, &aggregate, 1);
        }
    }
}

/* Third pass: the results. */
static void result_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct pass *pass = context;
    struct gf_cpu_scan *run = pass->run;
    struct block block;
    uint64_t end = ((uint64_t)task + 1) * TASK_BLOCKS;
    for (uint64_t b = (uint64_t)task * TASK_BLOCKS; b < end && b < pass->n_blocks && !gf_cpu_stopped(&run->stop); b++) {
        size_t elements = load_block(run, &pass->sequence, b, &block);
        union gf_scan_value carry = pass->between[b];
        if (run->tree) {
            (void)tree_block(run, &block);
            finish_block(run, &block, b > 0 ? &carry.f : NULL);
        } else {
            exact_block(run, &pass->sequence, b, elements, &block, &carry);
        }
        store_results(run, &pass->sequence, b * GF_SCAN_BLOCK, elements, block.x);
    }
}

enum gf_status gf_cpu_scan_split(struct gf_cpu_scan *run, const struct gf_cpu_sequence *sequence, struct gf_error *err)
{
    struct pass pass = {.run = run, .sequence = *sequence, .n_blocks = count_blocks(sequence)};
    void *between;
    enum gf_status status = gf_cpu_scratch_get(run->call, pass.n_blocks * sizeof(*pass.between), &between, err);
    if (status != GF_OK)
        return status;
    pass.between = between;
    uint32_t n_tasks = (uint32_t)((pass.n_blocks + TASK_BLOCKS - 1) / TASK_BLOCKS);
    gf_cpu_pool_run(run->call->pool, aggregate_task, &pass, n_tasks);
    put_prefixes(&pass);
    gf_cpu_pool_run(run->call->pool, result_task, &pass, n_tasks);
    return GF_OK;
}

enum gf_status gf_cpu_scan_blocks(struct gf_cpu_scan *run, struct gf_error *err)
{
    struct gf_cpu_pool *pool = run->call->pool;
    const struct gf_scan *scan = &run->scan;
    uint64_t sequences = gf_scan_sequences(scan), length = gf_scan_length(scan);
    uint64_t threads = gf_cpu_pool_threads(pool);
    enum gf_status status = GF_OK;
    if (sequences >= 4 * threads || threads == 1 || length <= GF_SCAN_SPLIT) {
        struct pass pass = {.run = run, .n_tasks = sequences < 16 * threads ? sequences : 16 * threads};
        gf_cpu_pool_run(pool, sequence_task, &pass, (uint32_t)pass.n_tasks);
        return GF_OK;
    }
    for (uint64_t s = 0; s < sequences && status == GF_OK && !gf_cpu_stopped(&run->stop); s++) {
        struct gf_cpu_sequence sequence = sequence_of(scan, s);
        status = gf_cpu_scan_split(run, &sequence, err);
    }
    return status;
}
