/* SPDX-License-Identifier: MIT */
/*
 * sort, argsort and topk on the CPU: locates the sequences, and sorts sequences that one thread handles alone. A few
 * samples are ranked by comparing each with each. More samples take a radix sort by digits of eight bits, from the
 * least significant on; digits that are equal in all samples are skipped. Neighbouring sequences are loaded together,
 * so that columns are read in whole cache lines. Called through the ops' rows.
 */
#include "order.h"

#include <string.h>

#include "kernels/cpu/device/pages.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/plan/tiles.h"

#define FEW_OF_DIGIT 48u    /* up to this many samples per digit, comparing is faster than a pass of the radix sort */
#define TASK_SAMPLES 16384u /* samples per task of short sequences, at least */
#define GROUP_SAMPLES                                                                                                  \
    1048576u            /* samples of neighbouring sequences in a group, at most, unless it is a single sequence */
#define GROUP_BYTES 64u /* bytes of a row in a group of neighbouring columns */

/* Sequences as tasks: a group is neighbouring sequences of a line; a task has several groups. */
struct groups {
    struct gf_cpu_order *o;
    uint64_t n_lines, n_lanes; /* each line has n_lanes sequences */
    uint64_t lanes;            /* sequences per group */
    uint64_t per_line;         /* groups per line */
    uint64_t per_task;         /* groups per task */
    char *workspaces;
    size_t workspace, samples, spare, indices; /* bytes of a workspace, and the offsets of its parts */
    size_t spare_indices;
};

GF_ORDER_BOTH void copy_samples(size_t size, const struct gf_order_lines *lines, uint64_t lanes, uint64_t length,
                                char *near, uint64_t first, uint64_t n, bool out)
{
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t line = (first + done) / lines->inner, at = (first + done) % lines->inner;
        char *far = lines->data + line * lines->outer_step + at * lines->inner_step;
        part = lines->inner - at < n - done ? lines->inner - at : n - done;
        if (lanes == 1 && part > 1 && lines->inner_step == size) {
            memcpy(out ? far : near + done * size, out ? near + done * size : far, part * size);
            continue;
        }
        for (uint64_t i = 0; i < part; i++)
            for (uint64_t lane = 0; lane < lanes; lane++) {
                char *one = far + i * lines->inner_step + lane * size,
                     *other = near + (lane * length + done + i) * size;
                memcpy(out ? one : other, out ? other : one, size);
            }
    }
}

static void copy_lanes(const struct gf_order_lines *lines, uint64_t lanes, uint64_t length, char *near, uint64_t first,
                       uint64_t n, bool out)
{
    switch (lines->size * 2 + out) {
    case 2:
        copy_samples(1, lines, lanes, length, near, first, n, false);
        break;
    case 3:
        copy_samples(1, lines, lanes, length, near, first, n, true);
        break;
    case 4:
        copy_samples(2, lines, lanes, length, near, first, n, false);
        break;
    case 5:
        copy_samples(2, lines, lanes, length, near, first, n, true);
        break;
    case 8:
        copy_samples(4, lines, lanes, length, near, first, n, false);
        break;
    case 9:
        copy_samples(4, lines, lanes, length, near, first, n, true);
        break;
    case 16:
        copy_samples(8, lines, lanes, length, near, first, n, false);
        break;
    default:
        copy_samples(8, lines, lanes, length, near, first, n, true);
        break;
    }
}

void gf_order_gather(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *to)
{
    copy_lanes(lines, 1, 0, to, first, n, false);
}

void gf_order_scatter(const struct gf_order_lines *lines, uint64_t first, uint64_t n, void *from)
{
    copy_lanes(lines, 1, 0, from, first, n, true);
}

void gf_order_scatter_places(const struct gf_order_lines *lines, uint64_t first, uint64_t n, const uint32_t *from)
{
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t line = (first + done) / lines->inner, at = (first + done) % lines->inner;
        char *to = lines->data + line * lines->outer_step + at * lines->inner_step;
        part = lines->inner - at < n - done ? lines->inner - at : n - done;
        for (uint64_t i = 0; i < part; i++) {
            uint64_t place = from[done + i];
            memcpy(to + i * lines->inner_step, &place, sizeof(place));
        }
    }
}

static struct gf_order_lines lines_of(const struct gf_buf *buf, uint32_t axis)
{
    const struct gf_view *view = &buf->view;
    size_t size = gf_dtype_size(view->dtype), pixel = size * view->channels;
    struct gf_order_lines lines = {.data = buf->data, .size = size, .outer = 1, .inner = 1};
    lines.outer_step = (size_t)view->pitch;
    lines.inner_step = pixel;
    if (axis != GF_AXIS_ROWS)
        lines.outer = view->height;
    if (axis != GF_AXIS_COLS)
        lines.inner = view->width;
    if (axis == GF_AXIS_ALL && view->pitch == view->width * pixel) {
        lines.inner *= lines.outer;
        lines.outer = 1;
    }
    return lines;
}

struct gf_order_lines gf_order_lines_at(const struct gf_order_lines *lines, uint64_t line, uint64_t lane)
{
    struct gf_order_lines at = *lines;
    if (at.data != NULL)
        at.data += line * lines->outer_step + lane * lines->size;
    return at;
}

/* Sorts by ranks. */
static void order_by_rank(const struct gf_cpu_order *o, struct gf_order_items items, struct gf_order_items spare,
                          uint64_t n, bool numbered)
{
    uint32_t ranks[GF_ORDER_SHORT];
    o->call->simd->order->rank(&o->order.keys, items.samples, (uint32_t)n, ranks);
    const size_t size = o->order.keys.size;
    const char *samples = items.samples;
    char *to = spare.samples;
    for (uint32_t i = 0; size == 1 && i < n; i++)
        to[ranks[i]] = samples[i];
    for (uint32_t i = 0; size == 2 && i < n; i++)
        memcpy(to + 2 * ranks[i], samples + 2 * i, 2);
    for (uint32_t i = 0; size == 4 && i < n; i++)
        memcpy(to + 4 * ranks[i], samples + 4 * i, 4);
    for (uint32_t i = 0; size == 8 && i < n; i++)
        memcpy(to + 8 * ranks[i], samples + 8 * i, 8);
    for (uint32_t i = 0; spare.indices != NULL && i < n; i++)
        spare.indices[ranks[i]] = numbered ? items.indices[i] : i;
}

/* Turns the counts of a digit's values into the places of their samples. */
static void set_places(uint32_t counts[GF_ORDER_VALUES])
{
    uint32_t sum = 0;
    for (uint32_t v = 0; v < GF_ORDER_VALUES; v++) {
        uint32_t own = counts[v];
        counts[v] = sum;
        sum += own;
    }
}

uint64_t gf_order_key_at(const struct gf_cpu_order *o, const void *samples, uint64_t i)
{
    const struct gf_order_keys *keys = &o->order.keys;
    uint64_t bits = 0;
    memcpy(&bits, (const char *)samples + i * keys->size, keys->size); /* little-endian, like all data */
    return gf_order_key(bits, keys->size, keys->is_float, keys->flip);
}

typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));

/* Sorts bytes without indices by counting. A run of up to 16 equal bytes is one 16-byte store, whose surplus the next
 * run overwrites. */
static void order_bytes(const struct gf_cpu_order *o, const void *samples, uint64_t n, uint8_t *to)
{
    uint32_t counts[2][GF_ORDER_VALUES] = {{0}};
    o->call->simd->order->tally(&o->order.keys, samples, (uint32_t)n, counts[0]);
    sixteen value = (sixteen){0} + (uint8_t)o->order.keys.flip, one = (sixteen){0} + 1, flip = value;
    for (uint64_t v = 0, at = 0, own; at < n; v++, at += own, value = ((value ^ flip) + one) ^ flip) {
        own = counts[0][v] + counts[1][v];
        if (own <= 16 && at + 16 <= n)
            *(sixteen *)(void *)(to + at) = value;
        else
            memset(to + at, value[0], own);
    }
}

struct gf_order_items gf_order_short(const struct gf_cpu_order *o, struct gf_order_items items,
                                     struct gf_order_items spare, uint64_t n, bool numbered)
{
    uint32_t counts[GF_ORDER_DIGITS][GF_ORDER_VALUES];
    const struct gf_order_keys *keys = &o->order.keys;
    const struct gf_simd_order *simd = o->call->simd->order;
    if (n <= gf_min_u64(simd->few, FEW_OF_DIGIT * keys->size)) {
        order_by_rank(o, items, spare, n, numbered);
        return spare;
    }
    if (keys->size == 1 && spare.indices == NULL && n >= GF_ORDER_VALUES) {
        order_bytes(o, items.samples, n, spare.samples);
        return spare;
    }
    memset(counts, 0, keys->size * sizeof(counts[0]));
    simd->count(keys, items.samples, n, counts);
    const uint64_t key = gf_order_key_at(o, items.samples, 0);
    for (uint32_t d = 0; d < keys->size; d++) {
        if (counts[d][key >> 8 * d & 255] == n) /* equal in all samples */
            continue;
        set_places(counts[d]);
        struct gf_order_items from = {items.samples, numbered ? items.indices : NULL};
        simd->move(keys, from, 0, n, d, counts[d], spare);
        from = items;
        items = spare;
        spare = from;
        numbered = true;
    }
    for (uint64_t i = 0; items.indices != NULL && !numbered && i < n; i++)
        items.indices[i] = (uint32_t)i;
    return items;
}

/* Sorts the wanted first samples of a sequence in memory; `spare` must have room for the whole sequence. */
static struct gf_order_items order_one(const struct gf_cpu_order *o, struct gf_order_items items,
                                       struct gf_order_items spare)
{
    const uint64_t n = o->order.length, room = gf_order_top_capacity(o->order.kept, n);
    if (room == 0)
        return gf_order_short(o, items, spare, n, false);
    struct gf_order_items other = {(char *)spare.samples + room * o->order.keys.size, spare.indices + room};
    struct gf_order_top top = {.items = spare, .spare = other, .room = room};
    gf_order_top_add(o, &top, items.samples, 0, n);
    gf_order_top_end(o, &top);
    return top.items;
}

/* Sorts `lanes` sequences of a line from `lane` on. */
static void order_group(const struct groups *g, uint64_t line, uint64_t lane, uint64_t lanes, char *workspace)
{
    const struct gf_cpu_order *o = g->o;
    const struct gf_order *order = &o->order;
    const size_t size = order->keys.size;
    const struct gf_order_lines from = gf_order_lines_at(&o->from, line, lane),
                                values = gf_order_lines_at(&o->values, line, lane),
                                places = gf_order_lines_at(&o->places, line, lane);
    char *samples = workspace + g->samples;
    uint32_t *indices = order->places < 0 ? NULL : (uint32_t *)(void *)(workspace + g->indices);
    struct gf_order_items spare = {workspace + g->spare,
                                   order->places < 0 ? NULL : (uint32_t *)(void *)(workspace + g->spare_indices)};
    copy_lanes(&from, lanes, order->length, samples, 0, order->length, false);
    o->call->simd->order->make_stored(&order->keys, samples, lanes * order->length);
    for (uint64_t k = 0; k < lanes; k++) {
        struct gf_order_items own = {samples + k * order->length * size, indices};
        struct gf_order_items done = order_one(o, own, spare);
        if (places.data != NULL) {
            struct gf_order_lines to = gf_order_lines_at(&places, 0, k);
            gf_order_scatter_places(&to, 0, order->kept, done.indices);
        }
        if (values.data != NULL && lanes == 1)
            gf_order_scatter(&values, 0, order->kept, done.samples);
        else if (done.samples != own.samples)
            memcpy(own.samples, done.samples, order->kept * size);
    }
    if (values.data != NULL && lanes > 1)
        copy_lanes(&values, lanes, order->length, samples, 0, order->kept, true);
}

static void order_groups(void *context, uint32_t task, uint32_t slot)
{
    const struct groups *g = context;
    uint64_t first = (uint64_t)task * g->per_task, all = g->n_lines * g->per_line;
    uint64_t end = all - first < g->per_task ? all : first + g->per_task;
    if (gf_cpu_stopped(&g->o->stop))
        return;
    for (uint64_t i = first; i < end; i++) {
        uint64_t lane = i % g->per_line * g->lanes, left = g->n_lanes - lane;
        order_group(g, i / g->per_line, lane, left < g->lanes ? left : g->lanes, g->workspaces + slot * g->workspace);
    }
}

static enum gf_status order_short(struct gf_cpu_order *o, uint64_t n_lines, uint64_t n_lanes, struct gf_error *err)
{
    const struct gf_order *order = &o->order;
    const uint64_t size = order->keys.size, length = order->length;
    struct groups g = {.o = o, .n_lines = n_lines, .n_lanes = n_lanes};
    g.lanes = GROUP_SAMPLES / length;
    g.lanes = gf_min_u64(g.lanes, gf_max_u64(o->call->in[0].view.channels, GROUP_BYTES / size));
    g.lanes = gf_max_u64(1, gf_min_u64(g.lanes, n_lanes));
    g.per_line = (n_lanes + g.lanes - 1) / g.lanes;
    g.per_task = gf_max_u64(1, TASK_SAMPLES / (g.lanes * length));
    uint64_t indices = order->places < 0 ? 0 : length * sizeof(uint32_t);
    g.samples = gf_layout_add(&g.workspace, g.lanes * length * size);
    g.spare = gf_layout_add(&g.workspace, length * size);
    g.indices = gf_layout_add(&g.workspace, indices);
    g.spare_indices = gf_layout_add(&g.workspace, indices);
    uint64_t n_tasks = (n_lines * g.per_line + g.per_task - 1) / g.per_task;
    uint64_t bytes = gf_cpu_pool_threads(o->call->pool) * (uint64_t)g.workspace;
    if (n_tasks > UINT32_MAX)
        return gf_error_set(err, GF_E_TOO_LARGE, "%s: more than %u groups of sequences", o->call->step->op->name,
                            UINT32_MAX);
    g.workspaces = gf_cpu_pages_alloc(o->call->pages, bytes, false);
    if (g.workspaces == NULL)
        return gf_error_no_memory(err, o->call->step->op->name, bytes);
    gf_cpu_pool_run(o->call->pool, order_groups, &g, (uint32_t)n_tasks);
    gf_cpu_pages_free(o->call->pages, g.workspaces, bytes);
    return GF_OK;
}

enum gf_status gf_cpu_order_step(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_view *view = &call->in[0].view;
    struct gf_cpu_order o = {.call = call, .order = gf_order_of_step(call->step, view), .stop = {.job = call->job}};
    const uint32_t axis = o.order.axis;
    o.from = lines_of(&call->in[0], axis);
    if (o.order.values >= 0)
        o.values = lines_of(&call->out[o.order.values], axis);
    if (o.order.places >= 0)
        o.places = lines_of(&call->out[o.order.places], axis);
    uint64_t n_lines = axis == GF_AXIS_ROWS ? view->height : 1;
    uint64_t n_lanes = view->channels * (axis == GF_AXIS_COLS ? view->width : 1);
    enum gf_status status = GF_OK;
    if (o.order.length <= GF_ORDER_LONG)
        status = order_short(&o, n_lines, n_lanes, err);
    for (uint64_t i = 0; o.order.length > GF_ORDER_LONG && status == GF_OK && i < n_lines * n_lanes; i++)
        status = gf_order_can_count(&o) ? gf_order_by_counting(&o, i / n_lanes, i % n_lanes, err)
                                        : gf_order_long(&o, i / n_lanes, i % n_lanes, err);
    return status == GF_OK ? gf_cpu_stop_error(call, &o.stop, err) : status;
}
