/* SPDX-License-Identifier: MIT */
/*
 * Device memory from CUDA's stream-ordered pool, kept by the process until another use needs it. cuda_run.c takes
 * images from it, and the ops take scratch memory.
 */
#include "cuda_pool.h"

#include <inttypes.h>
#include <string.h>

#include "cuda_buffers.h"
#include "kernels/cuda/device/cuda_optional.h"
#include "kernels/cuda/device/cuda_status.h"
#include "protocol/base/machine.h"

/* Block sizes are multiples of this. */
#define UNIT 512u
/* An execution context keeps at most this fraction of the device's memory, or of the budget, for its next blocks. */
#define SPARE_FRACTION 64u
/* A device that shares the machine's memory takes at most this fraction of it, and keeps this fraction for later. */
#define INTEGRATED_BUDGET_FRACTION 2u
#define INTEGRATED_KEPT_FRACTION 8u
/* Kept tables have at most this many bytes each, and together at most the same fraction. */
#define TABLES_BYTES (UINT64_C(1) << 20)

enum gf_status gf_cuda_pool_init(struct gf_device *device, struct gf_error *err)
{
    int integrated = 0;
    uint64_t keep = UINT64_MAX;
    cudaError_t error = cudaDeviceGetDefaultMemPool(&device->pool, 0);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, 0);
    if (integrated) {
        device->budget = gf_machine_memory("") / INTEGRATED_BUDGET_FRACTION;
        keep = gf_machine_memory("") / INTEGRATED_KEPT_FRACTION;
    }
    if (error == cudaSuccess)
        error = cudaMemPoolSetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    return gf_cuda_status(error, "setting up the memory pool", err);
}

uint64_t gf_cuda_pool_free(struct gf_device *device)
{
    uint64_t held = __atomic_load_n(&device->held, __ATOMIC_RELAXED), reserved = 0, used = 0;
    size_t free = 0, all = 0;
    if (device->budget)
        return device->budget > held ? device->budget - held : 0;
    if (!gf_cuda_optional(cudaMemGetInfo(&free, &all)) ||
        !gf_cuda_optional(cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrReservedMemCurrent, &reserved)) ||
        !gf_cuda_optional(cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrUsedMemCurrent, &used)))
        return 0;
    return free + (reserved - used);
}

static enum gf_status refuse(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err)
{
    enum gf_status status = gf_error_set(err, GF_E_NO_DEVICE_MEMORY,
                                         "%s: %" PRIu64 " bytes of device memory are needed, %" PRIu64 " are free",
                                         device->info.name, own + size, own + gf_cuda_pool_free(device));
    if (err)
        err->needed = own + size;
    return status;
}

enum gf_status gf_cuda_pool_reserve(struct gf_device *device, uint64_t size, uint64_t own, struct gf_error *err)
{
    uint64_t held = __atomic_add_fetch(&device->held, size, __ATOMIC_RELAXED);
    if (device->budget == 0 || held <= device->budget)
        return GF_OK;
    gf_cuda_pool_unreserve(device, size);
    return refuse(device, size, own, err);
}

void gf_cuda_pool_unreserve(struct gf_device *device, uint64_t size)
{
    (void)__atomic_sub_fetch(&device->held, size, __ATOMIC_RELAXED);
}

void gf_cuda_exec_trim(struct gf_exec *exec)
{
    while (exec->n_tables > 0)
        (void)gf_cuda_optional(cudaFreeAsync(exec->tables[--exec->n_tables].block.data, exec->main));
    while (exec->n_spare > 0)
        (void)gf_cuda_optional(cudaFreeAsync(exec->spare[--exec->n_spare].data, exec->main));
    exec->spared = 0;
}

void gf_cuda_pool_trim(struct gf_device *device)
{
    (void)pthread_mutex_lock(&device->mutex);
    for (struct gf_exec *exec = device->execs; exec; exec = exec->next) {
        gf_cuda_exec_trim(exec);
        (void)gf_cuda_optional(cudaStreamSynchronize(exec->main));
    }
    (void)pthread_mutex_unlock(&device->mutex);
    gf_cuda_buffers_trim(device);
    (void)gf_cuda_optional(cudaMemPoolTrimTo(device->pool, 0));
}

enum gf_status gf_cuda_pool_alloc(struct gf_device *device, cudaStream_t stream, size_t size, uint64_t own,
                                  void **ret_data, struct gf_error *err)
{
    void *data = NULL;
    cudaError_t error = cudaMallocAsync(&data, size, stream);
    if (error == cudaErrorMemoryAllocation) {
        /* Kept memory may be fragmented or held for another use: free all of it and try once more. */
        (void)cudaGetLastError();
        gf_cuda_buffers_trim(device);
        (void)gf_cuda_optional(cudaMemPoolTrimTo(device->pool, 0));
        error = cudaMallocAsync(&data, size, stream);
    }
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return refuse(device, size, own, err);
    }
    if (error == cudaSuccess)
        *ret_data = data;
    return gf_cuda_status(error, "allocating device memory", err);
}

/* Removes a block from a list and keeps the order of the list. */
static struct gf_cuda_block take_out(struct gf_cuda_block *list, uint32_t *n, uint32_t i)
{
    struct gf_cuda_block block = list[i];
    memmove(&list[i], &list[i + 1], (*n - i - 1) * sizeof(*list));
    (*n)--;
    return block;
}

/* Returns the latest spare block of this size, or NULL. */
static void *find_spare(struct gf_exec *exec, size_t size)
{
    for (uint32_t i = exec->n_spare; i-- > 0;)
        if (exec->spare[i].size == size) {
            exec->spared -= size;
            return take_out(exec->spare, &exec->n_spare, i).data;
        }
    return NULL;
}

enum gf_status gf_cuda_alloc(struct gf_exec *exec, size_t size, void **ret_data, struct gf_error *err)
{
    size = gf_round_up(size, UNIT);
    if (exec->n_taken == GF_CUDA_TAKEN)
        return gf_error_set(err, GF_E_INTERNAL, "a job makes more than %u allocations of device memory", GF_CUDA_TAKEN);
    enum gf_status status = gf_cuda_pool_reserve(exec->device, size, exec->held, err);
    if (status != GF_OK)
        return status;
    void *data = find_spare(exec, size);
    if (!data)
        status = gf_cuda_pool_alloc(exec->device, exec->main, size, exec->held, &data, err);
    if (status != GF_OK) {
        gf_cuda_pool_unreserve(exec->device, size);
        return status;
    }
    exec->taken[exec->n_taken++] = (struct gf_cuda_block){data, size};
    exec->held += size;
    *ret_data = data;
    return GF_OK;
}

static uint64_t spare_limit(const struct gf_device *device)
{
    return (device->budget ? device->budget : device->info.memory) / SPARE_FRACTION;
}

/* Keeps a block for the next request of its size, and frees the oldest spare blocks as necessary. */
static void spare(struct gf_exec *exec, struct gf_cuda_block block)
{
    uint64_t limit = spare_limit(exec->device);
    if (block.size > limit) {
        (void)gf_cuda_optional(cudaFreeAsync(block.data, exec->main));
        return;
    }
    while (exec->n_spare == GF_CUDA_SPARE || exec->spared > limit - block.size) {
        struct gf_cuda_block oldest = take_out(exec->spare, &exec->n_spare, 0);
        exec->spared -= oldest.size;
        (void)gf_cuda_optional(cudaFreeAsync(oldest.data, exec->main));
    }
    exec->spare[exec->n_spare++] = block;
    exec->spared += block.size;
}

static struct gf_cuda_block untake(struct gf_exec *exec, const void *data)
{
    uint32_t i = exec->n_taken;
    while (exec->taken[--i].data != data)
        ;
    struct gf_cuda_block block = exec->taken[i];
    exec->taken[i] = exec->taken[--exec->n_taken];
    exec->held -= block.size;
    gf_cuda_pool_unreserve(exec->device, block.size);
    return block;
}

void gf_cuda_free(struct gf_exec *exec, void *data)
{
    if (data)
        spare(exec, untake(exec, data));
}

/* Removes tables from the list and keeps the order of the list. */
static struct gf_cuda_tables take_tables(struct gf_exec *exec, uint32_t i)
{
    struct gf_cuda_tables tables = exec->tables[i];
    memmove(&exec->tables[i], &exec->tables[i + 1], (exec->n_tables - i - 1) * sizeof(exec->tables[0]));
    exec->n_tables--;
    return tables;
}

bool gf_cuda_find_tables(struct gf_exec *exec, const void *key, void *ret_note)
{
    uint32_t i = exec->n_tables;
    while (i > 0 && memcmp(exec->tables[i - 1].key, key, GF_CUDA_TABLES_KEY) != 0)
        i--;
    if (i == 0)
        return false;
    struct gf_cuda_tables found = take_tables(exec, i - 1);
    memcpy(ret_note, found.note, GF_CUDA_TABLES_NOTE);
    exec->tables[exec->n_tables++] = found;
    return true;
}

void gf_cuda_keep_tables(struct gf_exec *exec, void *data, const void *key, const void *note)
{
    struct gf_cuda_tables tables = {.block = untake(exec, data)};
    if (tables.block.size > TABLES_BYTES || tables.block.size > spare_limit(exec->device) / GF_CUDA_TABLES) {
        spare(exec, tables.block);
        return;
    }
    memcpy(tables.key, key, GF_CUDA_TABLES_KEY);
    memcpy(tables.note, note, GF_CUDA_TABLES_NOTE);
    if (exec->n_tables == GF_CUDA_TABLES)
        spare(exec, take_tables(exec, 0).block);
    exec->tables[exec->n_tables++] = tables;
}

enum gf_status gf_cuda_align_view(const struct gf_view *view, struct gf_view *ret_view, uint64_t *ret_bytes,
                                  struct gf_error *err)
{
    uint64_t pitch;
    if (!gf_align_u64(gf_view_row_bytes(view), GF_CUDA_ALIGN, &pitch) || !gf_mul_u64(pitch, view->height, ret_bytes))
        return gf_error_set(err, GF_E_TOO_LARGE, "an image does not fit the address space");
    *ret_view = *view;
    ret_view->pitch = pitch;
    return GF_OK;
}
