/* SPDX-License-Identifier: MIT */
/*
 * sort, argsort and topk on CUDA, by CUB's radix sort. Called through the table of ops.
 *
 * Long sequences are sorted one after the other; short sequences are sorted together, as many as fill the device. A key
 * then holds the number of its sequence in its highest bits. 64-bit samples leave no room for the number: a second
 * sort, by sequence, reorders the positions that the first sort returns.
 *
 * The sort carries a number with each key where the result needs indices, or where a key does not determine its sample:
 * -0 and +0 have the same key. Batches of several sequences of floats are therefore compared as integers, and their
 * samples are gathered from the input. A single sequence of floats is sorted by CUB as floats, which keeps the sign of
 * a zero.
 *
 * The sort writes to addresses that depend on its input, so the input must not change meanwhile: operands and results
 * in page-locked memory of clients are copied.
 */
#include "order_samples.h"

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_host_mapped.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "protocol/ops/enums.h"
#include "radix.h"

#define BATCH (1u << 24) /* about the number of elements of short sequences that are sorted at a time */
#define LONG (1u << 22)  /* elements from which on a sequence is long */

struct ordering {
    struct gf_cuda_call *call;
    struct gf_order order;
    struct gf_cuda_order_batch batch;
    struct gf_cuda_radix radix, second; /* with their buffers; n is not set */
    bool twice, gathers;
    bool direct;   /* sorts from the operand straight into the result: unsigned samples that are their own keys */
    bool in_place; /* keys are made in the memory of the result */
    void *workspace;
    size_t workspace_bytes;
};

static struct gf_cuda_order_lines lines_of(const struct gf_cuda_image *image, uint32_t axis)
{
    const struct gf_view *view = &image->view;
    return (struct gf_cuda_order_lines){.data = image->data,
                                        .pitch = (size_t)view->pitch,
                                        .width = view->width,
                                        .size = (uint32_t)gf_dtype_size(view->dtype),
                                        .channels = view->channels,
                                        .axis = axis,
                                        .flat = view->height == 1 || view->pitch == gf_view_row_bytes(view)};
}

/* Whether an image is one sequence without gaps, in memory that no client can write to. */
static bool is_plain(const struct ordering *o, const struct gf_cuda_image *image)
{
    const struct gf_view *view = &image->view;
    return view->channels == 1 && (view->height == 1 || view->pitch == gf_view_row_bytes(view)) &&
           o->order.length == view->width * view->height &&
           !gf_cuda_is_mapped(o->call->exec->device, image->data, (size_t)gf_view_bytes(view));
}

static uint32_t bits_for(uint64_t numbers)
{
    return numbers > 1 ? 64 - (uint32_t)__builtin_clzll(numbers - 1) : 0;
}

/* Sets the sequences of a batch: a long sequence, or whole lines of adjacent short ones. */
static void set_batch(struct ordering *o, const struct gf_view *view)
{
    struct gf_cuda_order_batch *batch = &o->batch;
    const uint64_t length = o->order.length, fit = length < BATCH ? BATCH / length : 1;
    const uint64_t lines = o->order.axis == GF_AXIS_ROWS ? view->height : 1;
    const uint64_t lanes = o->order.axis == GF_AXIS_COLS ? view->width * view->channels : view->channels;
    batch->lanes = batch->lines = 1;
    if (length < LONG) {
        batch->lanes = (uint32_t)(o->order.axis == GF_AXIS_COLS && lanes > fit ? fit : lanes);
        if (fit / lanes > 1)
            batch->lines = (uint32_t)(fit / lanes > lines ? lines : fit / lanes);
    }
    batch->length = (uint32_t)length;
    batch->kept = (uint32_t)o->order.kept;
}

/* Chooses the form of the keys, and whether numbers go with them. */
static void set_keys(struct ordering *o)
{
    struct gf_cuda_order_batch *batch = &o->batch;
    const uint32_t size = o->order.keys.size, bits = 8 * size;
    const uint32_t more = bits_for((uint64_t)batch->lines * batch->lanes);
    const bool is_float = o->order.keys.is_float;
    o->twice = bits == 64 && more > 0;
    o->gathers = o->order.places >= 0 || o->twice || (is_float && more > 0);
    batch->as_floats = is_float && !o->gathers;
    batch->numbers = !o->gathers ? GF_ORDER_KEYS_ALONE : o->twice ? GF_ORDER_POSITIONS : GF_ORDER_INDICES;
    batch->sequence = more > 0 && !o->twice ? bits : 0;
    o->radix.end_bit = (int)(bits + (o->twice ? 0 : more));
    o->radix.kind = o->radix.end_bit <= 32 ? GF_RADIX_U32 : GF_RADIX_U64;
    if (batch->as_floats) {
        o->radix.kind = size == 8 ? GF_RADIX_F64 : GF_RADIX_F32;
        o->radix.end_bit = size == 8 ? 64 : 32;
    } else if (more == 0 && !o->gathers && size <= 2) {
        o->radix.kind = size == 1 ? GF_RADIX_U8 : GF_RADIX_U16;
    }
    batch->key_size = o->radix.kind == GF_RADIX_U8    ? 1
                      : o->radix.kind == GF_RADIX_U16 ? 2
                      : o->radix.end_bit > 32         ? 8
                                                      : 4;
    o->second = (struct gf_cuda_radix){.kind = GF_RADIX_U32, .end_bit = (int)more, .numbered = true};
    o->radix.numbered = o->gathers;
}

/* Computes the workspace, in bytes, that a sort of n keys needs beside its buffers. */
static cudaError_t workspace_bytes(struct ordering *o, uint32_t n)
{
    size_t more = 0;
    cudaError_t error;
    o->radix.n = o->second.n = n;
    if (o->direct)
        return gf_cuda_radix_copy(o->radix.kind, o->batch.from.data, o->batch.values.data, n, NULL, &o->workspace_bytes,
                                  NULL);
    error = gf_cuda_radix_sort(&o->radix, NULL, &o->workspace_bytes, NULL);
    if (error == cudaSuccess && o->twice)
        error = gf_cuda_radix_sort(&o->second, NULL, &more, NULL);
    o->workspace_bytes = more > o->workspace_bytes ? more : o->workspace_bytes;
    return error;
}

static size_t aligned(uint64_t size)
{
    return (size_t)gf_round_up(size, 256);
}

/* Allocates the keys, numbers and workspace of a batch as one block, which the caller must return. */
static enum gf_status make_room(struct ordering *o, void **ret_memory, struct gf_error *err)
{
    const uint64_t n = (uint64_t)o->batch.lines * o->batch.lanes * o->batch.length;
    const size_t keys = o->direct ? 0 : aligned(n * o->batch.key_size), numbers = aligned(n * sizeof(uint32_t));
    enum gf_status status = gf_cuda_status(workspace_bytes(o, (uint32_t)n), "determining the workspace of a sort", err);
    if (status != GF_OK)
        return status;
    const size_t n_keys = o->direct ? 0 : o->in_place ? 1 : 2, n_numbers = o->gathers ? 2 : 0;
    status = gf_cuda_alloc(o->call->exec, n_keys * keys + n_numbers * numbers + aligned(o->workspace_bytes), ret_memory,
                           err);
    if (status != GF_OK)
        return status;
    char *at = *ret_memory;
    o->radix.keys[0] = o->in_place ? o->batch.values.data : at + keys;
    o->radix.keys[1] = at;
    at += n_keys * keys;
    if (o->gathers) {
        o->radix.places[0] = (uint32_t *)(void *)at;
        o->radix.places[1] = (uint32_t *)(void *)(at + numbers);
    }
    o->workspace = at + n_numbers * numbers;
    return GF_OK;
}

/* The second sort: positions by the numbers of their sequences, in the memory of the keys. */
static cudaError_t sort_again(struct ordering *o, cudaStream_t stream)
{
    o->second.n = o->radix.n;
    o->second.keys[0] = o->radix.keys[0];
    o->second.keys[1] = o->radix.keys[1];
    o->second.places[0] = o->radix.places[o->radix.made];
    o->second.places[1] = o->radix.places[1 - o->radix.made];
    cudaError_t error = gf_cuda_order_sequences(&o->batch, o->second.places[0], o->second.keys[0], stream);
    return error == cudaSuccess ? gf_cuda_radix_sort(&o->second, o->workspace, &o->workspace_bytes, stream) : error;
}

static cudaError_t order_batch(struct ordering *o, cudaStream_t stream)
{
    struct gf_cuda_order_batch *batch = &o->batch;
    o->radix.n = batch->lines * batch->lanes * batch->length;
    if (o->direct)
        return gf_cuda_radix_copy(o->radix.kind, batch->from.data, batch->values.data, o->radix.n, o->workspace,
                                  &o->workspace_bytes, stream);
    cudaError_t error = gf_cuda_order_encode(batch, o->radix.keys[0], o->radix.places[0], stream);
    if (error == cudaSuccess)
        error = gf_cuda_radix_sort(&o->radix, o->workspace, &o->workspace_bytes, stream);
    if (error == cudaSuccess && o->twice)
        error = sort_again(o, stream);
    if (error != cudaSuccess)
        return error;
    const struct gf_cuda_radix *last = o->twice ? &o->second : &o->radix;
    if (o->gathers)
        return gf_cuda_order_gather(batch, last->places[last->made], stream);
    if (o->in_place && last->made == 0 && o->order.keys.flip == 0)
        return cudaSuccess;
    return gf_cuda_order_decode(batch, last->keys[last->made], stream);
}

/* Sorts batch after batch and checks for a stop in between. */
static enum gf_status order_batches(struct ordering *o, const struct gf_view *view, struct gf_error *err)
{
    struct gf_exec *exec = o->call->exec;
    struct gf_cuda_order_batch *batch = &o->batch;
    const uint64_t lines = o->order.axis == GF_AXIS_ROWS ? view->height : 1, most = batch->lines;
    const uint64_t all = view->channels * (o->order.axis == GF_AXIS_COLS ? view->width : 1), lanes = batch->lanes;
    enum gf_status status = GF_OK;
    for (uint64_t line = 0; line < lines; line += most)
        for (uint64_t lane = 0; lane < all && status == GF_OK; lane += lanes) {
            batch->first = line * all + lane;
            batch->lines = (uint32_t)(lines - line < most ? lines - line : most);
            batch->lanes = (uint32_t)(all - lane < lanes ? all - lane : lanes);
            const uint64_t n = (uint64_t)batch->lines * batch->lanes * batch->length;
            status = gf_cuda_throttle(exec, o->call->job, 8 * n * batch->key_size, err);
            if (status == GF_OK)
                status = gf_cuda_status(order_batch(o, exec->main), "putting samples in order", err);
        }
    return status;
}

enum gf_status gf_cuda_order(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *image = call->image[0];
    struct ordering o = {.call = call, .order = gf_order_of_step(call->step, &image->view)};
    enum gf_status status = gf_cuda_require_all(call, image, err);
    if (status != GF_OK)
        return status;
    o.batch.keys = o.order.keys;
    o.batch.from = lines_of(image, o.order.axis);
    if (o.order.values >= 0)
        o.batch.values = lines_of(&call->out[o.order.values], o.order.axis);
    if (o.order.places >= 0)
        o.batch.places = lines_of(&call->out[o.order.places], o.order.axis);
    set_batch(&o, &image->view);
    set_keys(&o);
    if (!o.gathers && is_plain(&o, &call->out[o.order.values])) {
        o.in_place = o.batch.key_size == o.order.keys.size;
        o.direct = o.in_place && !o.order.keys.is_float && o.order.keys.flip == 0 && is_plain(&o, image);
    }
    void *memory = NULL;
    status = make_room(&o, &memory, err);
    if (status == GF_OK)
        status = order_batches(&o, &image->view, err);
    gf_cuda_free(call->exec, memory);
    return status;
}
