/* SPDX-License-Identifier: MIT */
/*
 * select on the CPU: one pass counts the samples in the range per block and channel, prefix sums over the blocks give
 * their places, and a second pass moves them. Called through the op's row.
 *
 * The samples of a block that are not picked stand for places at the end of the result. If r of n samples were skipped
 * before the block, these are the last places before n - r. One pass therefore fills the whole result.
 */
#include <math.h>
#include <string.h>

#include "kernels/cpu/device/tiles.h"
#include "protocol/ops/params/select.h"
#include "simd_select.h"

#define BLOCK 16384u /* pixels */

/* A thread's workspace. */
struct workspace {
    uint32_t at[BLOCK + GF_LINE_ALIGN];
    uint8_t flags[BLOCK];
};

struct selection {
    const struct gf_cpu_call *call;
    struct gf_select_range range;
    uint64_t pixels, capacity, n_blocks;
    uint64_t
        *before; /* per block and channel: the number of samples in the range; later, the number in all blocks before */
    struct workspace *workspaces;
};

/* A row of an output; `data` is NULL if the output is not wanted. */
struct list {
    char *data;
    size_t size; /* bytes per element */
};

static struct list list_of(const struct selection *s, uint32_t output, uint32_t channel)
{
    const struct gf_buf *buf = &s->call->out[output];
    char *data = buf->data;
    return (struct list){data == NULL ? NULL : data + channel * buf->view.pitch, gf_dtype_size(buf->view.dtype)};
}

static inline __attribute__((always_inline)) void gather_by(size_t size, const char *src, size_t stride,
                                                            const uint32_t *at, size_t n, char *out)
{
    for (size_t k = 0; k < n; k++)
        memcpy(out + k * size, src + at[k] * stride, size);
}

/* Copies the elements at the given positions, `stride` bytes apart, to contiguous memory. */
static void gather(size_t size, const char *src, size_t stride, const uint32_t *at, size_t n, char *out)
{
    if (size == 1)
        gather_by(1, src, stride, at, n, out);
    else if (size == 2)
        gather_by(2, src, stride, at, n, out);
    else if (size == 4)
        gather_by(4, src, stride, at, n, out);
    else
        gather_by(8, src, stride, at, n, out);
}

static void store_indices(uint64_t first, const uint32_t *at, size_t n, char *out)
{
    for (size_t k = 0; k < n; k++) {
        uint64_t index = first + at[k];
        memcpy(out + k * sizeof(index), &index, sizeof(index));
    }
}

/* Fills places [from, to) of a channel's rows, which have no sample, as far as the capacity goes. */
static void fill(const struct selection *s, uint32_t channel, uint64_t from, uint64_t to)
{
    struct list values = list_of(s, 0, channel), indices = list_of(s, 1, channel);
    uint32_t dtype = s->call->out[0].view.dtype;
    const float nan32 = NAN;
    const double nan64 = (double)NAN;
    const uint64_t zero = 0, none = UINT64_MAX;
    const void *value = dtype == GF_F32 ? (const void *)&nan32 : dtype == GF_F64 ? (const void *)&nan64 : &zero;
    to = to < s->capacity ? to : s->capacity;
    for (uint64_t k = from; values.data != NULL && k < to; k++)
        memcpy(values.data + k * values.size, value, values.size);
    for (uint64_t k = from; indices.data != NULL && k < to; k++)
        memcpy(indices.data + k * indices.size, &none, sizeof(none));
}

/* Moves the picked samples of a channel among n pixels of row y from x on to place `to` and the following, at most
 * `limit` of them, because a client may change its memory between the passes. Returns how many were moved. */
static uint64_t move(const struct selection *s, uint32_t channel, uint64_t y, uint64_t x, size_t n, uint64_t to,
                     uint64_t limit, struct workspace *workspace)
{
    const struct gf_buf *in = &s->call->in[0];
    const struct gf_simd *simd = s->call->simd;
    size_t size = gf_dtype_size(in->view.dtype), stride = in->view.channels;
    const char *src = (const char *)in->data + y * in->view.pitch + (x * stride + channel) * size;
    (void)simd->select->between(in->view.dtype, src, stride, n, &s->range, workspace->flags);
    uint64_t found = simd->select->positions(workspace->flags, n, workspace->at);
    found = found < limit ? found : limit;
    uint64_t left = to < s->capacity ? s->capacity - to : 0;
    size_t stored = (size_t)(found < left ? found : left);
    struct list values = list_of(s, 0, channel), indices = list_of(s, 1, channel);
    if (values.data != NULL && stored > 0)
        gather(size, src, stride * size, workspace->at, stored, values.data + to * size);
    if (indices.data != NULL && stored > 0)
        store_indices(y * in->view.width + x, workspace->at, stored, indices.data + to * indices.size);
    return found;
}

static void count_range(const struct selection *s, uint64_t block, uint64_t y, uint64_t x, size_t n,
                        struct workspace *workspace)
{
    const struct gf_buf *in = &s->call->in[0];
    size_t size = gf_dtype_size(in->view.dtype), stride = in->view.channels;
    const char *src = (const char *)in->data + y * in->view.pitch + x * stride * size;
    for (uint32_t c = 0; c < stride; c++)
        s->before[block * stride + c] +=
            s->call->simd->select->between(in->view.dtype, src + c * size, stride, n, &s->range, workspace->flags);
}

/* The number of pixels from `at` on in one row, at most up to `end`. */
static size_t part_of(const struct selection *s, uint64_t at, uint64_t end, uint64_t *ret_y, uint64_t *ret_x)
{
    uint64_t width = s->call->in[0].view.width;
    *ret_y = at / width;
    *ret_x = at % width;
    return (size_t)(width - *ret_x < end - at ? width - *ret_x : end - at);
}

static void count_block(void *context, const struct gf_cpu_tile *block)
{
    const struct selection *s = context;
    uint64_t end = block->x + block->width, x, y;
    size_t n;
    for (uint64_t at = block->x; at < end; at += n) {
        n = part_of(s, at, end, &y, &x);
        count_range(s, block->x / BLOCK, y, x, n, &s->workspaces[block->slot]);
    }
}

static void move_block(void *context, const struct gf_cpu_tile *block)
{
    const struct selection *s = context;
    uint64_t start = block->x, end = start + block->width, x, y;
    uint32_t channels = s->call->in[0].view.channels;
    size_t n;
    for (uint32_t c = 0; c < channels; c++) {
        const uint64_t *before = &s->before[start / BLOCK * channels + c];
        uint64_t to = before[0], stop = before[channels];
        for (uint64_t at = start; at < end && to < stop && to < s->capacity; at += n) {
            n = part_of(s, at, end, &y, &x);
            to += move(s, c, y, x, n, to, stop - to, &s->workspaces[block->slot]);
        }
        fill(s, c, to, stop);
        uint64_t passed = start - before[0], passed_then = end - stop;
        fill(s, c, s->pixels - passed_then, s->pixels - passed);
    }
}

/* Allocates the counts, with one entry per channel more than there are blocks, and the threads' workspaces. */
static enum gf_status make_room(struct selection *s, struct gf_error *err)
{
    void *workspace = NULL;
    uint32_t threads = gf_cpu_pool_threads(s->call->pool);
    uint64_t counts = (s->n_blocks + 1) * s->call->in[0].view.channels * sizeof(*s->before);
    enum gf_status status =
        gf_cpu_scratch_get(s->call, counts + (uint64_t)threads * sizeof(*s->workspaces), &workspace, err);
    if (status != GF_OK)
        return status;
    s->before = workspace;
    s->workspaces = (void *)((char *)workspace + counts);
    memset(s->before, 0, (size_t)counts);
    return GF_OK;
}

/* Turns counts into the number of samples before each block; the last entry is the total. */
static void sum_up(const struct selection *s)
{
    uint32_t channels = s->call->in[0].view.channels;
    for (uint32_t c = 0; c < channels; c++) {
        uint64_t sum = 0;
        for (uint64_t b = 0; b <= s->n_blocks; b++) {
            uint64_t own = s->before[b * channels + c];
            s->before[b * channels + c] = sum;
            sum += own;
        }
        memcpy(list_of(s, 2, c).data, &sum, sizeof(sum));
    }
}

enum gf_status gf_cpu_select(const struct gf_cpu_call *call, struct gf_error *err)
{
    const struct gf_select_params params = gf_select_params_get(&call->step->params);
    const struct gf_view *view = &call->in[0].view;
    struct selection s = {.call = call,
                          .range = gf_select_range(&params, view->dtype),
                          .pixels = view->width * view->height,
                          .capacity = call->out[0].view.width};
    const struct gf_tiles blocks = {s.pixels, 1, BLOCK, 1, 0};
    s.n_blocks = gf_tiles_across(&blocks);
    enum gf_status status = make_room(&s, err);
    if (status == GF_OK)
        status = gf_cpu_tiles_run(call, &blocks, count_block, &s, err);
    if (status != GF_OK)
        return status;
    sum_up(&s);
    return gf_cpu_tiles_run(call, &blocks, move_block, &s, err);
}
