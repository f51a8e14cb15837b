/* SPDX-License-Identifier: MIT */
/*
 * Scans of segments. A task takes the segments that begin in its share of the elements and loads neighbouring short
 * ones together. The longest segments come last, one after the other, each on all threads.
 */
#include "kernels/shared/segments.h"

#include "scan_lines.h"

/* One pass over all segments. */
struct pass {
    struct gf_cpu_scan *run;
    uint64_t n_tasks;
};

static uint64_t offset_of(const struct gf_cpu_scan *run, uint64_t segment)
{
    return gf_segments_at(run->scan.segments, segment);
}

/* The first segment that begins at `start` or later. */
static uint64_t first_from(const struct gf_cpu_scan *run, uint64_t start)
{
    uint64_t lo = 0, hi = run->scan.n_segments;
    while (lo < hi) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (offset_of(run, middle) < start)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static struct gf_cpu_sequence sequence_of(const struct gf_cpu_scan *run, uint64_t first, uint64_t end, uint32_t channel)
{
    uint64_t start = offset_of(run, first);
    return (struct gf_cpu_sequence){.number = first * run->scan.channels + channel,
                                    .channel = channel,
                                    .start = start,
                                    .length = offset_of(run, end) - start};
}

/* The end of a pack: consecutive segments from `first` on, each of at most one group, that together fit in a block. */
static uint64_t end_of_pack(const struct gf_cpu_scan *run, uint64_t first)
{
    uint64_t start = offset_of(run, first), last = start, s = first;
    for (; s < run->scan.n_segments; s++) {
        uint64_t end = offset_of(run, s + 1);
        if (end - last > GF_SCAN_SHORT || end - start > GF_SCAN_BLOCK)
            break;
        last = end;
    }
    return s;
}

/* Scans the segments of a pack, which are loaded and stored as one sequence. */
static void scan_pack(struct gf_cpu_scan *run, uint64_t first, uint64_t end, uint32_t channel)
{
    union gf_scan_value x[GF_SCAN_BLOCK];
    struct gf_cpu_sequence all = sequence_of(run, first, end, channel);
    gf_cpu_scan_load(run, &all, 0, (size_t)all.length, x);
    for (uint64_t s = first; s < end; s++) {
        struct gf_cpu_sequence one = sequence_of(run, s, s + 1, channel);
        uint64_t before = one.start - all.start;
        if (run->scan.reverse)
            before = all.length - before - one.length;
        if (one.length > 0)
            gf_cpu_scan_short(run, one.number, x + before, (size_t)one.length);
    }
    gf_cpu_scan_store(run, &all, 0, (size_t)all.length, x);
}

static void segments_task(void *context, uint32_t task, uint32_t slot)
{
    (void)slot;
    const struct pass *pass = context;
    struct gf_cpu_scan *run = pass->run;
    uint64_t n = gf_scan_length(&run->scan);
    uint64_t first = first_from(run, n * task / pass->n_tasks), end = first_from(run, n * (task + 1) / pass->n_tasks);
    while (first < end && !gf_cpu_stopped(&run->stop)) {
        uint64_t next = end_of_pack(run, first);
        next = next < end ? next : end;
        for (uint32_t c = 0; c < run->scan.channels; c++) {
            struct gf_cpu_sequence sequence = sequence_of(run, first, first + 1, c);
            if (next > first)
                scan_pack(run, first, next, c);
            else if (sequence.length <= GF_SCAN_SPLIT)
                gf_cpu_scan_sequence(run, &sequence);
        }
        first = next > first ? next : first + 1;
    }
}

/* Scans the segments that segments_task skips. */
static enum gf_status scan_longest(struct gf_cpu_scan *run, struct gf_error *err)
{
    enum gf_status status = GF_OK;
    for (uint64_t s = 0; s < run->scan.n_segments; s++) {
        if (offset_of(run, s + 1) - offset_of(run, s) <= GF_SCAN_SPLIT)
            continue;
        for (uint32_t c = 0; c < run->scan.channels && status == GF_OK && !gf_cpu_stopped(&run->stop); c++) {
            struct gf_cpu_sequence sequence = sequence_of(run, s, s + 1, c);
            status = gf_cpu_scan_split(run, &sequence, err);
        }
    }
    return status;
}

enum gf_status gf_cpu_scan_segments(struct gf_cpu_scan *run, struct gf_error *err)
{
    uint64_t threads = gf_cpu_pool_threads(run->call->pool), n = gf_scan_length(&run->scan);
    struct pass pass = {.run = run, .n_tasks = n / GF_SCAN_BLOCK + 1};
    if (pass.n_tasks > 16 * threads)
        pass.n_tasks = 16 * threads;
    gf_cpu_pool_run(run->call->pool, segments_task, &pass, (uint32_t)pass.n_tasks);
    return scan_longest(run, err);
}
