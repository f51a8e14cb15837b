/* SPDX-License-Identifier: MIT */
/* The first GPU as a machine, see machine.h, and the functions that launch.h declares. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "launch.h"
#include "machine.h"

#define COPY_SIZE ((size_t)1 << 30)
#define N_COPIES 10

static struct cudaDeviceProp g_properties;
static cudaEvent_t g_begin, g_end, g_order;
static cudaStream_t g_streams[3];

/* Also clears the error, which the next launch would otherwise report as its own. */
static bool worked(struct call *call, cudaError_t error)
{
    if (error == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    if (call != NULL && call->error[0] == '\0')
        snprintf(call->error, sizeof(call->error), "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
    return false;
}

void submitted(struct call *call, cudaError_t error)
{
    worked(call, error);
}

void launched(struct call *call, const void *kernel, unsigned threads)
{
    worked(call, cudaGetLastError());
    if (call->kernel == NULL) {
        call->kernel = kernel;
        call->threads = threads;
    }
}

void set_bytes(struct call *call, void *data, int value, size_t size)
{
    worked(call, cudaMemsetAsync(data, value, size, 0));
}

void copy_to_host(struct call *call, void *to, const void *from, size_t size)
{
    worked(call, cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
}

void copy_from_host(struct call *call, void *to, const void *from, size_t size)
{
    worked(call, cudaMemcpy(to, from, size, cudaMemcpyHostToDevice));
}

cudaStream_t stream_of(unsigned stream)
{
    return g_streams[stream];
}

void copy_in_stream(struct call *call, unsigned stream, void *to, const void *from, size_t size)
{
    worked(call, cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, g_streams[stream]));
}

void wait_for(struct call *call, unsigned stream, unsigned other)
{
    if (worked(call, cudaEventRecord(g_order, g_streams[other])))
        worked(call, cudaStreamWaitEvent(g_streams[stream], g_order, 0));
}

static bool open_cuda(char *ret_why, size_t size)
{
    cudaError_t error = cudaSetDevice(0);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&g_properties, 0);
    if (error == cudaSuccess)
        error = cudaEventCreate(&g_begin);
    if (error == cudaSuccess)
        error = cudaEventCreate(&g_end);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&g_order, cudaEventDisableTiming);
    for (size_t i = 1; i < sizeof(g_streams) / sizeof(g_streams[0]) && error == cudaSuccess; i++)
        error = cudaStreamCreate(&g_streams[i]);
    if (error != cudaSuccess)
        snprintf(ret_why, size, "%s (CUDA error %d)", cudaGetErrorString(error), (int)error);
    return error == cudaSuccess;
}

static const char *name_cuda(void)
{
    return g_properties.name;
}

static size_t free_memory_cuda(void)
{
    size_t room = 0, all;
    return worked(NULL, cudaMemGetInfo(&room, &all)) ? room : 0;
}

static void *take_cuda(size_t size)
{
    void *memory = NULL;
    return worked(NULL, cudaMalloc(&memory, size > 0 ? size : 1)) ? memory : NULL;
}

static void give_cuda(void *memory)
{
    (void)cudaFree(memory);
}

static bool lock_cuda(void *memory, size_t size)
{
    return worked(NULL, cudaHostRegister(memory, size, cudaHostRegisterDefault));
}

static void unlock_cuda(void *memory)
{
    (void)cudaHostUnregister(memory);
}

static double time_cuda(void (*rung)(struct call *), struct call *call)
{
    float ms = 0;
    (void)cudaEventRecord(g_begin, 0);
    rung(call);
    (void)cudaEventRecord(g_end, 0);
    if (worked(call, cudaEventSynchronize(g_end)))
        worked(call, cudaEventElapsedTime(&ms, g_begin, g_end));
    return 1e-3 * (double)ms;
}

static double copy_rate_cuda(void)
{
    char *from = take_cuda(COPY_SIZE), *to = take_cuda(COPY_SIZE);
    double best = 0;
    if (GF_QUICK_KERNELS)
        fprintf(stderr,
                "gpufilter-patterns: kernels of this build were compiled quickly (GF_CUDA_QUICK) and run slower\n");
    for (int i = 0; i < N_COPIES && from != NULL && to != NULL; i++) {
        float ms = 0;
        (void)cudaEventRecord(g_begin, 0);
        (void)cudaMemcpyAsync(to, from, COPY_SIZE, cudaMemcpyDeviceToDevice, 0);
        (void)cudaEventRecord(g_end, 0);
        if (cudaEventSynchronize(g_end) == cudaSuccess && cudaEventElapsedTime(&ms, g_begin, g_end) == cudaSuccess) {
            double rate = 2.0 * (double)COPY_SIZE / (1e-3 * (double)ms);
            best = rate > best ? rate : best;
        }
    }
    give_cuda(from);
    give_cuda(to);
    return best;
}

unsigned resident_blocks(struct call *call, const void *kernel, unsigned threads)
{
    int blocks = 0;
    worked(call, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)threads, 0));
    return (unsigned)(blocks * g_properties.multiProcessorCount);
}

static bool facts_cuda(const struct call *call, struct kernel_facts *ret_facts)
{
    struct cudaFuncAttributes a;
    int blocks = 0;
    if (call->kernel == NULL || !worked(NULL, cudaFuncGetAttributes(&a, call->kernel)) ||
        !worked(NULL, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, call->kernel, (int)call->threads, 0)))
        return false;
    double warps = (double)blocks * (double)((call->threads + 31) / 32);
    *ret_facts = (struct kernel_facts){a.numRegs, a.sharedSizeBytes,
                                       warps * 32 / (double)g_properties.maxThreadsPerMultiProcessor};
    return true;
}

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    return worked(NULL, cudaDeviceGetAttribute(&value, which, 0)) ? value : 0;
}

static void print_triple(const char *label, enum cudaDeviceAttr x, enum cudaDeviceAttr y, enum cudaDeviceAttr z)
{
    printf("  %-36s %d x %d x %d\n", label, attribute(x), attribute(y), attribute(z));
}

/* A line of output for each attribute: the value divided by `by`, and its unit. */
static const struct {
    const char *label;
    enum cudaDeviceAttr which;
    int by;
    const char *unit;
} g_lines[] = {
    {"multiprocessors", cudaDevAttrMultiProcessorCount, 1, ""},
    {"clock", cudaDevAttrClockRate, 1000, "MHz"},
    {"memory clock", cudaDevAttrMemoryClockRate, 1000, "MHz"},
    {"memory bus", cudaDevAttrGlobalMemoryBusWidth, 1, "bits"},
    {"error correction (ECC) of memory", cudaDevAttrEccEnabled, 1, ""},
    {"L2 cache", cudaDevAttrL2CacheSize, 1024, "KiB"},
    {"constant memory", cudaDevAttrTotalConstantMemory, 1024, "KiB"},
    {"shared memory of a block", cudaDevAttrMaxSharedMemoryPerBlock, 1024, "KiB"},
    {"  that asks for more", cudaDevAttrMaxSharedMemoryPerBlockOptin, 1024, "KiB"},
    {"  of a multiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1024, "KiB"},
    {"registers of a block", cudaDevAttrMaxRegistersPerBlock, 1, ""},
    {"  of a multiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor, 1, ""},
    {"threads of a warp", cudaDevAttrWarpSize, 1, ""},
    {"  of a block, at most", cudaDevAttrMaxThreadsPerBlock, 1, ""},
    {"  of a multiprocessor, at most", cudaDevAttrMaxThreadsPerMultiProcessor, 1, ""},
    {"blocks of a multiprocessor, at most", cudaDevAttrMaxBlocksPerMultiprocessor, 1, ""},
    {"engines that copy beside kernels", cudaDevAttrAsyncEngineCount, 1, ""},
    {"kernels at the same time", cudaDevAttrConcurrentKernels, 1, ""},
    {"one address space with the host", cudaDevAttrUnifiedAddressing, 1, ""},
    {"managed memory", cudaDevAttrManagedMemory, 1, ""},
    {"  used by host and GPU at once", cudaDevAttrConcurrentManagedAccess, 1, ""},
    {"reads the host's pageable memory", cudaDevAttrPageableMemoryAccess, 1, ""},
    {"grids with a barrier (cooperative)", cudaDevAttrCooperativeLaunch, 1, ""},
};

static void describe_cuda(void)
{
    int driver = 0, runtime = 0;
    if (g_properties.name[0] == '\0')
        return;
    printf("\n  what the GPU reports\n");
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    printf("  %-36s %s\n", "name", g_properties.name);
    printf("  %-36s %d.%d\n", "compute capability", g_properties.major, g_properties.minor);
    printf("  %-36s %d.%d, %d.%d\n", "CUDA version of the driver, of this program", driver / 1000, driver % 1000 / 10,
           runtime / 1000, runtime % 1000 / 10);
    printf("  %-36s %.1f GiB\n", "memory", (double)g_properties.totalGlobalMem / (1 << 30));
    /* Double data rate: two transfers per clock on every line of the bus. */
    printf("  %-36s %.2f TB/s\n", "  by its clock and bus",
           2e3 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 1e-12);
    for (size_t i = 0; i < sizeof(g_lines) / sizeof(g_lines[0]); i++)
        printf("  %-36s %d%s%s\n", g_lines[i].label, attribute(g_lines[i].which) / g_lines[i].by,
               g_lines[i].unit[0] != '\0' ? " " : "", g_lines[i].unit);
    print_triple("block, at most", cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ);
    print_triple("grid, at most", cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ);
}

const struct machine g_machine_cuda = {.open = open_cuda,
                                       .name = name_cuda,
                                       .device = "cuda:0",
                                       .free_memory = free_memory_cuda,
                                       .take = take_cuda,
                                       .give = give_cuda,
                                       .put = copy_from_host,
                                       .get = copy_to_host,
                                       .set = set_bytes,
                                       .lock = lock_cuda,
                                       .unlock = unlock_cuda,
                                       .time = time_cuda,
                                       .copy_rate = copy_rate_cuda,
                                       .facts = facts_cuda,
                                       .describe = describe_cuda};
