/* SPDX-License-Identifier: MIT */
/*
 * The CUDA runtime of a device that computes nothing, for programs that link this file before CUDA's own library. The
 * whole host part of a job runs without a GPU, including its launches. Device memory is an address range without
 * access; copied data is kept elsewhere. A copy that leaves its allocation and a launch that no device accepts fail as
 * on a GPU. An asynchronous copy may read host memory until the host has waited: a program that has changed or freed
 * the source by then is aborted. A program that calls a function of the runtime that is missing here does not link. At
 * exit the number of launches is printed to stderr.
 */
#include "fake_cuda.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* As an H100's, but for the amount of memory. */
#define UNITS 132
#define RESERVED 1024 /* bytes of a multiprocessor's shared memory, of each block */
#define MEMORY ((size_t)64 << 30)
#define MAX_BLOCKS 1024
#define MAX_LIMITS 4096
#define DEFAULT_LIMIT 49152 /* bytes of dynamic shared memory that a launch may ask for */

/* An allocation: its device address, and its content. */
static struct block {
    char *device, *content;
    size_t size;
} g_blocks[MAX_BLOCKS];
/* The source of a copy that may not have been read yet, and what it contained. */
static struct source {
    struct source *next;
    const void *data;
    size_t size;
    char content[];
} * g_unread;
static size_t g_held;
static uint64_t g_threshold; /* bytes that the pool keeps */
/* Kernels whose limit of dynamic shared memory was set. */
static struct {
    const void *kernel;
    size_t bytes;
} g_limits[MAX_LIMITS];
static size_t g_n_limits;
static uint64_t g_launches;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards all of these */
static _Thread_local cudaError_t t_last;
/* All handles point here; it is never read. */
static char g_handle;

__attribute__((destructor)) static void say_launches(void)
{
    (void)fprintf(stderr, "fake_cuda: %llu launches\n", (unsigned long long)g_launches);
}

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* The shared memory of a multiprocessor: an H100's, or as many bytes as GF_FAKE_SHARED_MEMORY says. */
static size_t shared_memory(void)
{
    const uint64_t bytes = number_of("GF_FAKE_SHARED_MEMORY");
    return bytes > 0 ? bytes : 233472;
}

static cudaError_t end(cudaError_t error)
{
    if (error != cudaSuccess)
        t_last = error;
    return error;
}

/* The allocation that contains an address; NULL for an address of the host. */
static struct block *find(const void *data)
{
    for (size_t i = 0; i < MAX_BLOCKS; i++)
        if ((uintptr_t)data - (uintptr_t)g_blocks[i].device < g_blocks[i].size)
            return &g_blocks[i];
    return NULL;
}

/* The content of a range; NULL if the range leaves its allocation. */
static char *content(const void *data, size_t size)
{
    const struct block *block = find(data);
    if (block == NULL)
        return (char *)(uintptr_t)data;
    size_t at = (size_t)((uintptr_t)data - (uintptr_t)block->device);
    return size <= block->size - at ? block->content + at : NULL;
}

void *gf_fake_cuda_content(void *data)
{
    (void)pthread_mutex_lock(&g_mutex);
    void *kept = content(data, 1);
    (void)pthread_mutex_unlock(&g_mutex);
    return kept;
}

static cudaError_t take(void **ret_data, size_t size)
{
    struct block *block = g_blocks;
    while (block < g_blocks + MAX_BLOCKS && block->size != 0)
        block++;
    if (block == g_blocks + MAX_BLOCKS || size > MEMORY - g_held)
        return cudaErrorMemoryAllocation;
    size_t room = size > 0 ? size : 1;
    void *device = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *kept = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (device == MAP_FAILED || kept == MAP_FAILED)
        abort();
    *block = (struct block){device, kept, room};
    g_held += room;
    *ret_data = device;
    return cudaSuccess;
}

static cudaError_t give(void *data)
{
    struct block *block = find(data);
    if (data == NULL)
        return cudaSuccess;
    if (block == NULL || block->device != data)
        return cudaErrorInvalidValue;
    (void)munmap(block->device, block->size);
    (void)munmap(block->content, block->size);
    g_held -= block->size;
    *block = (struct block){0};
    return cudaSuccess;
}

static cudaError_t copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row, size_t rows)
{
    if (row == 0 || rows == 0)
        return cudaSuccess;
    if (to_pitch < row || from_pitch < row)
        return cudaErrorInvalidPitchValue;
    char *target = content(to, (rows - 1) * to_pitch + row);
    const char *source = content(from, (rows - 1) * from_pitch + row);
    if (target == NULL || source == NULL)
        return cudaErrorInvalidValue;
    for (size_t y = 0; y < rows; y++)
        memcpy(target + y * to_pitch, source + y * from_pitch, row);
    return cudaSuccess;
}

/* A contiguous copy in a stream. */
static cudaError_t copy_async(void *to, const void *from, size_t size)
{
    cudaError_t error = copy(to, size, from, size, size, 1);
    if (error != cudaSuccess || find(from) != NULL)
        return error;
    struct source *source = malloc(sizeof(*source) + size);
    if (source == NULL)
        abort();
    source->next = g_unread;
    source->data = from;
    source->size = size;
    memcpy(source->content, from, size);
    g_unread = source;
    return cudaSuccess;
}

/* The host has waited: every copy has read its source. */
static cudaError_t read_sources(void)
{
    while (g_unread != NULL) {
        struct source *source = g_unread;
        if (memcmp(source->data, source->content, source->size) != 0) {
            (void)fprintf(stderr, "fake_cuda: the %zu bytes of a copy changed before the host had waited for it\n",
                          source->size);
            abort();
        }
        g_unread = source->next;
        free(source);
    }
    return cudaSuccess;
}

static cudaError_t set(void *to, size_t pitch, int value, size_t row, size_t rows)
{
    if (row == 0 || rows == 0)
        return cudaSuccess;
    char *target = content(to, (rows - 1) * pitch + row);
    if (find(to) == NULL || target == NULL || (rows > 1 && pitch < row))
        return cudaErrorInvalidValue;
    for (size_t y = 0; y < rows; y++)
        memset(target + y * pitch, value, row);
    return cudaSuccess;
}

static cudaError_t set_limit(const void *kernel, int bytes)
{
    if (bytes < 0 || (size_t)bytes > shared_memory() - RESERVED)
        return cudaErrorInvalidValue;
    size_t i = 0;
    while (i < g_n_limits && g_limits[i].kernel != kernel)
        i++;
    if (i == MAX_LIMITS)
        abort();
    g_n_limits += i == g_n_limits;
    g_limits[i].kernel = kernel;
    g_limits[i].bytes = (size_t)bytes;
    return cudaSuccess;
}

static size_t limit_of(const void *kernel)
{
    for (size_t i = 0; i < g_n_limits; i++)
        if (g_limits[i].kernel == kernel)
            return g_limits[i].bytes;
    return DEFAULT_LIMIT;
}

static cudaError_t launch(const void *kernel, dim3 grid, dim3 block, size_t shared)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (shared > DEFAULT_LIMIT && shared > limit_of(kernel))
        return cudaErrorInvalidValue;
    if (kernel == NULL || threads == 0 || threads > 1024 || block.z > 64 || grid.x == 0 || grid.x > INT32_MAX ||
        grid.y == 0 || grid.y > 65535 || grid.z == 0 || grid.z > 65535 || shared > shared_memory() - RESERVED)
        return cudaErrorInvalidConfiguration;
    g_launches++;
    return cudaSuccess;
}

/* A call that uses what the mutex guards. */
#define GUARDED(expression)                                                                                            \
    do {                                                                                                               \
        (void)pthread_mutex_lock(&g_mutex);                                                                            \
        cudaError_t error_ = (expression);                                                                             \
        (void)pthread_mutex_unlock(&g_mutex);                                                                          \
        return end(error_);                                                                                            \
    } while (0)

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return end(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    *prop = (struct cudaDeviceProp){.name = "no GPU",
                                    .major = 9,
                                    .totalGlobalMem = MEMORY,
                                    .multiProcessorCount = UNITS,
                                    .sharedMemPerMultiprocessor = shared_memory(),
                                    .reservedSharedMemPerBlock = RESERVED};
    return cudaSetDevice(device);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    switch (attr) {
    case cudaDevAttrMultiProcessorCount:
        *value = UNITS;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)(shared_memory() - RESERVED);
        break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
        *value = 1;
        break;
    case cudaDevAttrIntegrated:
        *value = number_of("GF_FAKE_INTEGRATED") != 0;
        break;
    case cudaDevAttrMemoryPoolsSupported:
        *value = getenv("GF_FAKE_NO_POOLS") == NULL;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = 9;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = 0;
        break;
    default:
        return end(cudaErrorInvalidValue);
    }
    return cudaSetDevice(device);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **data, size_t size)
{
    GUARDED(take(data, size));
}

cudaError_t cudaMallocAsync(void **data, size_t size, cudaStream_t stream)
{
    (void)stream;
    GUARDED(take(data, size));
}

cudaError_t cudaFree(void *data)
{
    GUARDED(give(data));
}

cudaError_t cudaFreeAsync(void *data, cudaStream_t stream)
{
    (void)stream;
    GUARDED(give(data));
}

cudaError_t cudaHostAlloc(void **data, size_t size, unsigned flags)
{
    (void)flags;
    *data = calloc(1, size);
    return end(*data != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFreeHost(void *data)
{
    free(data);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *data, size_t size, unsigned flags)
{
    (void)flags;
    return end(data != NULL && size > 0 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *data)
{
    return end(data != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all)
{
    (void)pthread_mutex_lock(&g_mutex);
    *free_bytes = MEMORY - g_held;
    *all = MEMORY;
    (void)pthread_mutex_unlock(&g_mutex);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    *pool = (cudaMemPool_t)(void *)&g_handle;
    return cudaSetDevice(device);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    if (value != NULL && attr == cudaMemPoolAttrReleaseThreshold)
        g_threshold = *(uint64_t *)value;
    return end(pool != NULL && value != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value)
{
    *(uint64_t *)value = attr == cudaMemPoolAttrReleaseThreshold ? g_threshold : 0;
    return end(pool != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)keep;
    return end(pool != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    (void)kind;
    GUARDED(copy(to, size, from, size, size, 1));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    (void)stream;
    GUARDED(copy_async(to, from, size));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    (void)kind;
    GUARDED(copy(to, to_pitch, from, from_pitch, width, height));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind)
{
    (void)size;
    (void)offset;
    (void)kind;
    return end(symbol != NULL && from != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemset(void *to, int value, size_t size)
{
    GUARDED(set(to, size, value, size, 1));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(to, value, size);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    (void)stream;
    GUARDED(set(to, pitch, value, width, height));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    *stream = (cudaStream_t)(void *)&g_handle;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    (void)priority;
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return end(stream != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* All that was put into a stream is done. */
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    GUARDED(read_sources());
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)stream;
    (void)flags;
    return end(event != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (cudaEvent_t)(void *)&g_handle;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return end(event != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    return end(event != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    GUARDED(event != NULL ? read_sources() : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t last)
{
    *ms = 1.0f;
    return end(begin != NULL && last != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = t_last;
    t_last = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return t_last;
}

const char *cudaGetErrorString(cudaError_t error)
{
    static _Thread_local char text[40];
    (void)snprintf(text, sizeof(text), "error %d of the device that is none", (int)error);
    return text;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    if (function == NULL || attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return end(cudaErrorInvalidValue);
    GUARDED(set_limit(function, value));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *function)
{
    *attr =
        (struct cudaFuncAttributes){.maxThreadsPerBlock = 1024, .numRegs = 32, .ptxVersion = 90, .binaryVersion = 90};
    return end(function != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t shared, unsigned flags)
{
    (void)flags;
    *blocks = threads > 0 ? 2048 / threads : 0;
    return end(function != NULL && shared <= shared_memory() - RESERVED ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    (void)args;
    GUARDED(launch(function, config->gridDim, config->blockDim, config->dynamicSmemBytes));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    (void)args;
    (void)stream;
    GUARDED(launch(function, grid, block, shared));
}

/* No kernel is made at run time. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jit_options,
                                void **jit_values, unsigned n_jit, enum cudaLibraryOption *options, void **values,
                                unsigned n)
{
    (void)library;
    (void)code;
    (void)jit_options;
    (void)jit_values;
    (void)n_jit;
    (void)options;
    (void)values;
    (void)n;
    return end(cudaErrorNotSupported);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    (void)library;
    return end(cudaErrorNotSupported);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    (void)kernel;
    (void)library;
    (void)name;
    return end(cudaErrorNotSupported);
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    (void)count;
    (void)library;
    return end(cudaErrorNotSupported);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library)
{
    (void)kernels;
    (void)n;
    (void)library;
    return end(cudaErrorNotSupported);
}

/* What the compiler calls: kernels and variables of a program make themselves known, and <<<>>> hands its numbers on.
 */

void **__cudaRegisterFatBinary(void *binary);
void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    (void)binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                            struct uint3 *thread, struct uint3 *block, struct dim3 *block_dim, struct dim3 *grid_dim,
                            int *size);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
                            struct uint3 *thread, struct uint3 *block, struct dim3 *block_dim, struct dim3 *grid_dim,
                            int *size)
{
    (void)handle;
    (void)host;
    (void)device;
    (void)name;
    (void)threads;
    (void)thread;
    (void)block;
    (void)block_dim;
    (void)grid_dim;
    (void)size;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global)
{
    (void)handle;
    (void)host;
    (void)device;
    (void)name;
    (void)ext;
    (void)size;
    (void)constant;
    (void)global;
}

static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} t_pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
    t_pushed.grid = grid;
    t_pushed.block = block;
    t_pushed.shared = shared;
    t_pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = t_pushed.grid;
    *block = t_pushed.block;
    *shared = t_pushed.shared;
    *(void **)stream = t_pushed.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    *kernel = (cudaKernel_t)(uintptr_t)function;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
