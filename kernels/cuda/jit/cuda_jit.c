/* SPDX-License-Identifier: MIT */
/* Kernels compiled at run time, on the device; see cuda_jit.h. */
#include "cuda_jit.h"

#include <stdio.h>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_optional.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/local_memory.h"

#define WARP 32u
#define ROWS_MAX 65535u /* CUDA's limit of gridDim.y */
#define KERNELS_MAX 16u /* per library */

#if CUDART_VERSION >= 12080
/* Allows each kernel of a library all the shared memory that a block can have; a launch says how much it uses. Returns
 * false if a kernel needs more local memory than there is, or if a call fails. Kernels of expressions have used none in
 * any test; kernels of operators keep there the states that wait for a partner. */
static bool prepare(cudaLibrary_t library, cudaKernel_t *ret_first)
{
    cudaKernel_t kernels[KERNELS_MAX];
    unsigned n = 0;
    if (!gf_cuda_optional(cudaLibraryGetKernelCount(&n, library)) || n == 0 || n > KERNELS_MAX ||
        !gf_cuda_optional(cudaLibraryEnumerateKernels(kernels, n, library)))
        return false;
    for (unsigned i = 0; i < n; i++) {
        struct cudaFuncAttributes attributes;
        if (!gf_cuda_optional(cudaFuncGetAttributes(&attributes, kernels[i])) ||
            attributes.localSizeBytes > GF_CUDA_LOCAL_BYTES)
            return false;
        int shared = (int)(gf_cuda_shared_memory_max() - attributes.sharedSizeBytes);
        if (!gf_cuda_optional(cudaFuncSetAttribute(kernels[i], cudaFuncAttributeMaxDynamicSharedMemorySize, shared)))
            return false;
    }
    *ret_first = kernels[0];
    return true;
}

/* Called by the jit's thread. The code is on the device when this returns, so no launch waits for it. */
static bool load(void *data, const void *code, size_t size, struct gf_jit_module *ret_module)
{
    cudaLibrary_t library;
    cudaKernel_t kernel = NULL;
    (void)data;
    (void)size;
    if (!gf_cuda_optional(cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0)))
        return false;
    /* An expression has a single kernel; an operator's kernels are looked up by name. */
    if (!prepare(library, &kernel)) {
        (void)gf_cuda_optional(cudaLibraryUnload(library));
        return false;
    }
    *ret_module = (struct gf_jit_module){library, kernel};
    return true;
}

cudaError_t gf_cuda_jit_run_operator(const struct gf_jit_use *use, uint32_t kernel, void **arguments,
                                     struct gf_cuda_jit_grid grid, cudaStream_t stream)
{
    char name[sizeof(GF_JIT_OPERATOR_KERNEL) + 16];
    cudaKernel_t found;
    (void)snprintf(name, sizeof(name), GF_JIT_OPERATOR_KERNEL, kernel);
    cudaError_t error = cudaLibraryGetKernel(&found, (cudaLibrary_t)use->module.library, name);
    const dim3 blocks = {grid.blocks, 1, 1}, threads = {grid.threads, 1, 1};
    return error == cudaSuccess ? cudaLaunchKernel(found, blocks, threads, arguments, grid.shared, stream) : error;
}

static void unload(void *data, const struct gf_jit_module *module)
{
    (void)data;
    (void)gf_cuda_optional(cudaLibraryUnload((cudaLibrary_t)module->library));
}

enum gf_status gf_cuda_jit_new(const char *folder, bool all, struct gf_jit **ret_jit, struct gf_error *err)
{
    int major = 0, minor = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
    if (error != cudaSuccess)
        return gf_cuda_status(error, "asking for the architecture", err);
    const struct gf_jit_options options = {.arch = (uint32_t)(major * 10 + minor),
                                           .folder = folder,
                                           .all = all,
                                           .loader = {.load = load, .unload = unload}};
    return gf_jit_new(&options, ret_jit, err);
}
#else
enum gf_status gf_cuda_jit_new(const char *folder, bool all, struct gf_jit **ret_jit, struct gf_error *err)
{
    (void)folder;
    (void)all;
    (void)err;
    *ret_jit = NULL;
    return GF_OK;
}

cudaError_t gf_cuda_jit_run_operator(const struct gf_jit_use *use, uint32_t kernel, void **arguments,
                                     struct gf_cuda_jit_grid grid, cudaStream_t stream)
{
    (void)use, (void)kernel, (void)arguments, (void)grid, (void)stream;
    return cudaErrorNotSupported;
}
#endif

bool gf_cuda_jit_take(struct gf_exec *exec, const struct gf_jit_spec *spec, uint64_t user, uint64_t bytes,
                      struct gf_jit_use *ret_use)
{
    struct gf_jit *jit = exec->device->jit;
    if (!jit || exec->n_kernels == GF_ARRAY_LEN(exec->kernels) || !gf_jit_find(jit, spec, user, bytes, ret_use))
        return false;
    exec->kernels[exec->n_kernels++] = ret_use->entry;
    return true;
}

void gf_cuda_jit_release(struct gf_exec *exec)
{
    while (exec->n_kernels > 0)
        gf_jit_done(exec->device->jit, exec->kernels[--exec->n_kernels]);
}

cudaError_t gf_cuda_jit_run(const struct gf_jit_use *use, const struct gf_cuda_jit_launch *launch, cudaStream_t stream)
{
    const uint64_t unit = (uint64_t)use->layout.places * use->layout.groups * WARP; /* places per warp */
    uint32_t along = 1; /* warps of a block in one row; the block's remaining warps have other rows */
    while (along < GF_JIT_THREADS / WARP && along * unit < launch->places)
        along *= 2;
    const dim3 block = {WARP, along, GF_JIT_THREADS / WARP / along};
    uint64_t columns = gf_divide_up(launch->places, along * unit), rows = gf_divide_up(launch->n_rows, block.z);
    rows = rows < ROWS_MAX ? rows : ROWS_MAX;
    unsigned blocks = gf_cuda_grid(columns * rows);
    if (blocks < columns * rows) { /* the kernel has grid-stride loops */
        columns = columns < blocks ? columns : blocks;
        rows = blocks / columns;
    }
    const dim3 grid = {(unsigned)columns, (unsigned)rows, 1};
    /* cudaLaunchKernel takes non-const pointers, but only reads the arguments. */
    void *arguments[] = {(void *)(uintptr_t)launch->rows, (void *)(uintptr_t)launch->constants};
    return cudaLaunchKernel(use->module.kernel, grid, block, arguments, 0, stream);
}
