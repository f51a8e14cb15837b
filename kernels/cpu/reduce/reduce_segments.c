/* SPDX-License-Identifier: MIT */
/*
 * reduce by segments (docs/numerics.md, "reduce"). Segments of one chunk are reduced at once. The chunks of longer
 * segments are reduced to partials, then 4096 partials to one, until each segment has one. Called by reduction.c.
 */
#include <string.h>

#include "kernels/shared/compose.h"
#include "kernels/shared/reduce_cut.h"
#include "reduction.h"

/* Samples per task, and the number of samples that an empty segment costs. */
#define TASK_SAMPLES 65536u
#define SEGMENT_SAMPLES 255u
/* Chunks per task. */
#define TASK_CHUNKS 8u

struct segments {
    struct gf_reduce_cut cut;
    void *workspaces;
    uint32_t level;       /* the level to compute; level 0 reads the data */
    void *in, *out;       /* partials; of affine and matmul2 doubles */
    uint64_t in_n, out_n; /* places in `in` and `out`, per channel */
};

/* n consecutive elements or partials of a segment. */
struct chunk_work {
    uint64_t segment, at, first, n; /* index of the first: `at` among all, `first` in the segment */
    uint64_t place;                 /* where the partial goes; GF_NO_INDEX: it is the segment's result */
};

static void compose_work(struct gf_cpu_reduction *p, const struct segments *s, const struct chunk_work *w)
{
    uint32_t channels = p->call->in[0].view.channels;
    struct gf_compose_map all = gf_compose_identity(channels);
    const double *in = s->level > 0 ? (const double *)s->in + w->at * channels : NULL;
    if (w->n > 0)
        gf_cpu_compose_chunk(p, 0, w->at, in, w->n, all.v);
    if (w->place == GF_NO_INDEX)
        gf_cpu_compose_store(p, w->segment, all.v);
    else
        memcpy((double *)s->out + w->place * channels, all.v, channels * sizeof(*all.v));
}

static void reduce_work(struct gf_cpu_reduction *p, const struct segments *s, const struct chunk_work *w, uint32_t slot)
{
    uint32_t channels = p->call->in[0].view.channels;
    for (uint32_t c = 0; c < channels; c++) {
        struct gf_partial partial;
        if (s->level > 0)
            partial = gf_cpu_reduce_fold(
                p, (struct gf_cpu_parts){s->in, s->in_n * channels, w->at * channels + c, channels, w->n});
        else if (w->n > 0)
            gf_cpu_reduce_span(p, s->workspaces, slot,
                               (struct gf_cpu_span){.at = w->at, .first = w->first, .n = (size_t)w->n, .channel = c},
                               &partial);
        else
            partial = gf_partial_empty();
        if (w->place == GF_NO_INDEX)
            gf_cpu_reduce_emit_of(p, w->segment * channels + c, gf_cut_length(&s->cut, w->segment), &partial);
        else
            gf_partial_store(p->r.want, s->out, s->out_n * channels, w->place * channels + c, &partial);
    }
}

static void do_work(struct gf_cpu_reduction *p, const struct segments *s, const struct chunk_work *w, uint32_t slot)
{
    if (gf_is_compose(p->r.op))
        compose_work(p, s, w);
    else
        reduce_work(p, s, w, slot);
}

/* Item: a segment; does nothing if it has more than one chunk. */
static void reduce_short(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct segments *s = context;
    uint64_t n = gf_cut_length(&s->cut, item);
    if (n <= GF_TREE_CHUNK)
        do_work(p, s, &(struct chunk_work){.segment = item, .at = s->cut.offsets[item], .n = n, .place = GF_NO_INDEX},
                slot);
}

/* Item: a place of the level. */
static void reduce_long(struct gf_cpu_reduction *p, void *context, uint64_t item, uint32_t slot)
{
    const struct segments *s = context;
    uint64_t j = gf_cut_at(&s->cut, item, s->level), chunk = item - gf_cut_base(&s->cut, j, s->level);
    uint64_t made = gf_cut_partials(&s->cut, j, s->level);
    struct chunk_work w = {.segment = s->cut.longs[j], .first = chunk * GF_TREE_CHUNK, .place = item};
    uint64_t n = s->level == 0 ? gf_cut_length(&s->cut, w.segment) : gf_cut_partials(&s->cut, j, s->level - 1);
    if (chunk >= made || n == 1)
        return; /* the place is unused, or the segment is finished */
    w.at = w.first + (s->level == 0 ? s->cut.offsets[w.segment] : gf_cut_base(&s->cut, j, s->level - 1));
    w.n = n - w.first < GF_TREE_CHUNK ? n - w.first : GF_TREE_CHUNK;
    if (made == 1)
        w.place = GF_NO_INDEX;
    do_work(p, s, &w, slot);
}

static void run_levels(struct gf_cpu_reduction *p, struct segments *s)
{
    const struct gf_reduce_cut *cut = &s->cut;
    uint64_t mean = (cut->offsets[cut->n] - cut->offsets[0]) / cut->n * p->call->in[0].view.channels;
    gf_cpu_reduce_each(p, reduce_short, s, cut->n, TASK_SAMPLES / (mean + SEGMENT_SAMPLES));
    for (uint64_t left = cut->max; left > 1 && p->stop.reason == GF_OK; left = gf_cpu_tree_chunks(left)) {
        if (s->level == 0)
            gf_cpu_reduce_each(p, reduce_long, s, s->out_n, TASK_CHUNKS);
        void *in = s->out;
        s->out = s->in;
        s->in = in;
        s->level++;
        s->in_n = s->out_n;
        s->out_n = gf_cut_partial_count(cut, s->level);
        if (p->stop.reason == GF_OK)
            gf_cpu_reduce_each(p, reduce_long, s, s->out_n, TASK_CHUNKS);
    }
}

enum gf_status gf_cpu_reduce_segments(struct gf_cpu_reduction *p, struct gf_error *err)
{
    uint32_t channels = p->call->in[0].view.channels;
    uint32_t words = gf_is_compose(p->r.op) ? 1 : gf_partial_words(p->r.want);
    uint64_t workspaces = gf_cpu_reduce_workspace_bytes(p), bytes, more;
    struct gf_reduce_cut gf_cleanup(gf_reduce_cut_deinit) cut = {0};
    void *scratch;
    enum gf_status status = gf_reduce_cut_init(p->call->step, &p->call->in[1], p->r.n, GF_TREE_CHUNK, &cut, err);
    if (status != GF_OK)
        return status;
    bytes = gf_cut_partial_count(&cut, 0) * channels * words * sizeof(uint64_t);
    more = gf_cut_partial_count(&cut, 1) * channels * words * sizeof(uint64_t);
    status = gf_cpu_scratch_get(p->call, workspaces + bytes + more, &scratch, err);
    if (status != GF_OK)
        return status;
    struct segments s = {.cut = cut,
                         .workspaces = scratch,
                         .out = (char *)scratch + workspaces,
                         .in = (char *)scratch + workspaces + bytes,
                         .out_n = gf_cut_partial_count(&cut, 0)};
    run_levels(p, &s);
    return GF_OK;
}
