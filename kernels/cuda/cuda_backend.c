/* SPDX-License-Identifier: MIT */
/*
 * The CUDA backend: opens the device, page-locks memory and opens execution contexts. A process has one device: the
 * environment is restricted to it before the first CUDA call, so that other devices cost nothing. Called through
 * gf_cuda_backend.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_code.h"
#include "cuda_run.h"
#include "cuda_start.h"
#include "cuda_visible.h"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_optional.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/jitter.h"
#include "kernels/cuda/filter/filter_pass.h"
#include "kernels/cuda/histogram/count_bins.h"
#include "kernels/cuda/jit/compiler.h"
#include "kernels/cuda/jit/cuda_jit.h"
#include "kernels/cuda/memory/cuda_buffers.h"
#include "kernels/cuda/memory/cuda_host_mapped.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "kernels/cuda/memory/local_memory.h"
#include "kernels/cuda/morphology/morphology.h"
#include "kernels/cuda/order/quantile.h"
#include "kernels/cuda/point/expr_interpreter.h"
#include "kernels/cuda/scan/scan_run.h"
#include "kernels/cuda/select/select.h"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/registry.h"
#include "kernels/shared/filter.h"
#include "protocol/base/limits.h"
#include "protocol/wire/worker_msg.h"

static void set_info(const struct cudaDeviceProp *prop, const char *name, struct gf_device_info *info)
{
    (void)snprintf(info->name, sizeof(info->name), "%s", name);
    (void)snprintf(info->title, sizeof(info->title), "%.*s", (int)sizeof(info->title) - 1, prop->name);
    (void)snprintf(info->detail, sizeof(info->detail), "sm_%d%d", prop->major, prop->minor);
    gf_cuda_uuid(getenv("CUDA_VISIBLE_DEVICES"), prop->name, prop->uuid.bytes, info->uuid);
    info->memory = prop->totalGlobalMem;
    info->units = (uint32_t)prop->multiProcessorCount;
}

/* Starts CUDA. */
static enum gf_status start_cuda(const struct gf_device_options *options, struct gf_device *device,
                                 struct gf_error *err)
{
    int count = 0;
    struct cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&prop, 0);
    if (error == cudaSuccess) {
        set_info(&prop, options->device, &device->info);
        if (options->assembles && !gf_cuda_has_code(prop.major, prop.minor))
            options->assembles(options->data, &device->info);
        error = cudaSetDevice(0); /* makes the context and loads all kernels */
    }
    if (error == cudaSuccess)
        error = gf_cuda_optional_init();
    if (error == cudaSuccess)
        error = gf_cuda_launch_init(options->blocks);
    if (error == cudaSuccess)
        error = gf_cuda_reserve_local_memory();
    if (error == cudaSuccess)
        error = gf_cuda_check_roots(&device->inexact_roots);
    if (error == cudaSuccess)
        error = gf_cuda_mask_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_any_mask_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_fused_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_box_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_count_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_select_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_quantile_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_rectangle_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_runs_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_expr_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_scan_prepare();
    if (error == cudaSuccess)
        error = gf_cuda_jitter_prepare();
    int maps = 0, pools = 0;
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&maps, cudaDevAttrCanUseHostPointerForRegisteredMem, 0);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0);
    if (error != cudaSuccess)
        return gf_cuda_start_error(error, options->device, err);
    if (pools == 0)
        return gf_error_set(err, GF_E_NO_DEVICE,
                            "%s: %s has no memory pools (cudaMallocAsync), which some vGPUs and Tegras lack",
                            options->device, prop.name);
    device->shared_memory =
        (struct gf_cuda_shared_memory){prop.sharedMemPerMultiprocessor, prop.reservedSharedMemPerBlock};
    device->maps_pinned = maps != 0;
    gf_cuda_host_mapped_init(device, options->host_mapped_max);
    return GF_OK;
}

/* Uploads both light tables of a sample type, one behind the other. */
static enum gf_status upload_light(uint32_t max, struct gf_cuda_light *light, struct gf_error *err)
{
    struct gf_light_tables tables = gf_light_tables(max);
    size_t bytes = (max + 1) * sizeof(float);
    cudaError_t error = cudaMalloc((void **)&light->decode, 2 * bytes);
    if (error == cudaSuccess) {
        light->encode = light->decode + max + 1;
        error = cudaMemcpy(light->decode, tables.decode, bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess)
        error = cudaMemcpy(light->encode, tables.encode, bytes, cudaMemcpyHostToDevice);
    return gf_cuda_status(error, "copying the light tables", err);
}

static void cuda_close(struct gf_device *device)
{
    if (!device)
        return;
    for (size_t i = 0; i < device->n_pins; i++)
        (void)gf_cuda_optional(cudaHostUnregister(device->pins[i].data));
    gf_cuda_buffers_deinit(device);
    gf_jit_free(device->jit);
    (void)gf_cuda_optional(cudaFree(device->light_u8.decode));
    (void)gf_cuda_optional(cudaFree(device->light_u16.decode));
    (void)pthread_mutex_destroy(&device->mutex);
    gf_admission_deinit(&device->jobs);
    free(device->pins);
    free(device);
}

static void cuda_closep(struct gf_device **device)
{
    cuda_close(*device);
}

static void exec_deinit(struct gf_exec *exec)
{
    if (!exec->device)
        return;
    struct gf_exec **at = &exec->device->execs;
    (void)pthread_mutex_lock(&exec->device->mutex);
    while (*at && *at != exec)
        at = &(*at)->next;
    if (*at)
        *at = exec->next;
    (void)pthread_mutex_unlock(&exec->device->mutex);
    if (exec->main)
        gf_cuda_exec_trim(exec);
    gf_cuda_clock_deinit(&exec->clock);
    gf_cuda_uploads_deinit(&exec->uploads);
    (void)gf_cuda_optional(cudaFree(exec->faults.device));
    (void)gf_cuda_optional(cudaFreeHost(exec->faults.host));
    (void)gf_cuda_optional(cudaFree(exec->tally));
    const cudaEvent_t events[] = {exec->order, exec->unit_ends[0], exec->unit_ends[1]};
    for (size_t i = 0; i < GF_ARRAY_LEN(events); i++)
        if (events[i])
            (void)gf_cuda_optional(cudaEventDestroy(events[i]));
    const cudaStream_t streams[] = {exec->in, exec->quick, exec->steady, exec->out};
    for (size_t i = 0; i < GF_ARRAY_LEN(streams); i++)
        if (streams[i])
            (void)gf_cuda_optional(cudaStreamDestroy(streams[i]));
}

static void cuda_exec_close(struct gf_exec *exec)
{
    struct gf_cuda_exec_pair *execs = (struct gf_cuda_exec_pair *)exec;
    if (!exec)
        return;
    exec_deinit(&execs->other);
    exec_deinit(&execs->exec);
    free(execs);
}

static void exec_closep(struct gf_exec **exec)
{
    cuda_exec_close(*exec);
}

static enum gf_status faults_init(struct gf_cuda_faults *faults, struct gf_error *err)
{
    cudaError_t error = cudaMalloc((void **)&faults->device, GF_MAX_STEPS * sizeof(*faults->device));
    if (error == cudaSuccess)
        error = cudaHostAlloc((void **)&faults->host, GF_MAX_STEPS * sizeof(*faults->host), cudaHostAllocDefault);
    return gf_cuda_status(error, "allocating the fault words", err);
}

static enum gf_status tally_init(struct gf_exec *exec, struct gf_error *err)
{
    cudaError_t error = cudaMalloc((void **)&exec->tally, sizeof(*exec->tally));
    if (error == cudaSuccess)
        error = cudaMemsetAsync(exec->tally, 0, sizeof(*exec->tally), exec->main);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(exec->main); /* the first job may use the other stream */
    return gf_cuda_status(error, "allocating counters", err);
}

/* Thread blocks of the quick stream start before other blocks wherever there is room. */
static cudaError_t streams_init(struct gf_exec *exec)
{
    int lowest_priority = 0, highest_priority = 0;
    cudaStream_t *const streams[] = {&exec->in, &exec->steady, &exec->out};
    cudaError_t error = cudaDeviceGetStreamPriorityRange(&lowest_priority, &highest_priority);
    for (size_t i = 0; i < GF_ARRAY_LEN(streams) && error == cudaSuccess; i++)
        error = cudaStreamCreateWithPriority(streams[i], cudaStreamNonBlocking, lowest_priority);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithPriority(&exec->quick, cudaStreamNonBlocking, highest_priority);
    exec->main = exec->last = exec->steady;
    return error;
}

/* On failure the caller must still call exec_deinit. */
static enum gf_status exec_init(struct gf_device *device, struct gf_exec *exec, struct gf_error *err)
{
    exec->device = device;
    cudaEvent_t *const events[] = {&exec->order, &exec->unit_ends[0], &exec->unit_ends[1]};
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < GF_ARRAY_LEN(events) && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(events[i], cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = streams_init(exec);
    enum gf_status status = gf_cuda_status(error, "creating a stream", err);
    if (status == GF_OK)
        status = faults_init(&exec->faults, err);
    if (status == GF_OK)
        status = tally_init(exec, err);
    if (status == GF_OK)
        status = gf_cuda_uploads_init(&exec->uploads, err);
    if (status == GF_OK)
        status = gf_cuda_clock_init(&exec->clock, err);
    if (status != GF_OK)
        return status;
    (void)pthread_mutex_lock(&device->mutex);
    exec->next = device->execs;
    device->execs = exec;
    (void)pthread_mutex_unlock(&device->mutex);
    return GF_OK;
}

static enum gf_status cuda_exec_open(struct gf_device *device, struct gf_exec **ret_exec, struct gf_error *err)
{
    struct gf_cuda_exec_pair *execs = calloc(1, sizeof(*execs));
    if (!execs)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for an execution context of %s", device->info.name);
    struct gf_exec gf_cleanup(exec_closep) *exec = &execs->exec;
    enum gf_status status = exec_init(device, &execs->exec, err);
    if (status == GF_OK)
        status = exec_init(device, &execs->other, err);
    if (status == GF_OK)
        *ret_exec = gf_steal_ptr(&exec);
    return status;
}

static enum gf_status warm(struct gf_device *device, bool cold, struct gf_error *err)
{
    struct gf_exec gf_cleanup(exec_closep) *exec = NULL;
    enum gf_status status = cuda_exec_open(device, &exec, err);
    if (status == GF_OK) /* the tables are copied in the legacy stream, for which execution contexts do not wait */
        status = gf_cuda_status(cudaStreamSynchronize(cudaStreamLegacy), "copying tables", err);
    return status == GF_OK && !cold ? gf_cuda_warm(exec, err) : status;
}

static enum gf_status cuda_open(const struct gf_device_options *options, struct gf_device **ret_device,
                                struct gf_error *err)
{
    enum gf_status status = gf_cuda_show_one_device(options->device, err);
    if (status != GF_OK)
        return status;
    struct gf_device gf_cleanup(cuda_closep) *device = calloc(1, sizeof(*device));
    if (!device)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for %s", options->device);
    (void)pthread_mutex_init(&device->mutex, NULL);
    gf_admission_init(&device->jobs);
    status = start_cuda(options, device, err);
    if (status == GF_OK)
        status = gf_cuda_pool_init(device, err);
    if (status == GF_OK)
        status = gf_cuda_buffers_init(device, err);
    if (status == GF_OK)
        status = upload_light(255, &device->light_u8, err);
    if (status == GF_OK)
        status = upload_light(65535, &device->light_u16, err);
    if (status == GF_OK)
        status = warm(device, options->cold, err);
    /* The compiler comes after the warm-up, which does not count as a use of an expression. */
    if (status == GF_OK && options->compile != GF_COMPILE_NONE)
        status = gf_cuda_jit_new(options->kernel_cache, options->compile == GF_COMPILE_ALL, &device->jit, err);
    if (options->device_memory > 0)
        device->budget = options->device_memory;
    if (status == GF_OK)
        *ret_device = gf_steal_ptr(&device);
    return status;
}

static void cuda_info(const struct gf_device *device, struct gf_device_info *ret_info)
{
    *ret_info = device->info;
}

static bool cuda_supports(const struct gf_device *device, const struct gf_op *op, uint32_t dtype)
{
    (void)device;
    return gf_cuda_ops[op->index].start && dtype < 32 && (gf_cuda_ops[op->index].dtypes[0] & GF_DT(dtype)) != 0;
}

static int cuda_compiler(int argc, char **argv, enum gf_status (*confine)(struct gf_error *err))
{
    return gf_jit_is_compiler(argc, argv) ? gf_jit_compiler_main(GF_JIT_COMPILER_SECONDS, confine) : -1;
}

static void cuda_expressions(struct gf_device *device, struct gf_expression_figures *ret_figures)
{
    struct gf_jit_figures f = {.off = true, .why = "built with a CUDA before 12.8"};
    if (device->jit)
        gf_jit_figures(device->jit, &f);
    *ret_figures = (struct gf_expression_figures){.of = {[GF_KERNELS_COMPILED] = f.compiled,
                                                         [GF_KERNELS_FROM_FILES] = f.from_files,
                                                         [GF_KERNELS_FAILED] = f.failed,
                                                         [GF_RUNS_COMPILED] = f.runs_compiled,
                                                         [GF_RUNS_INTERPRETED] = f.runs_interpreted,
                                                         [GF_KERNELS_LOADED] = f.loaded,
                                                         [GF_KERNELS_WAITING] = f.waiting,
                                                         [GF_COMPILER_OFF] = f.off}};
    (void)snprintf(ret_figures->why_off, sizeof(ret_figures->why_off), "%s", f.why);
    if (device->jit)
        gf_jit_take_times(device->jit, &ret_figures->times);
}

const struct gf_backend gf_cuda_backend = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .info = cuda_info,
    .supports = cuda_supports,
    .pin = gf_cuda_pin,
    .unpin = gf_cuda_unpin,
    .buffer_new = gf_cuda_buffer_new,
    .buffer_free = gf_cuda_buffer_free,
    .exec_open = cuda_exec_open,
    .exec_close = cuda_exec_close,
    .run = gf_cuda_run,
    .expressions = cuda_expressions,
    .compiler = cuda_compiler,
};
