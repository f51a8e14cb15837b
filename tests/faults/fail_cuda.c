/* SPDX-License-Identifier: MIT */
/*
 * Makes the n-th call to CUDA fail in a worker that is linked with --wrap, so that it calls these functions in place of
 * CUDA's. The call fails once, or all later calls fail too, as after a sticky error. The file named by
 * $GF_CUDA_FAULT_FILE holds the fault; walk_cuda.py writes it before the worker starts or while it runs. Never
 * installed.
 */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { NEEDED, OPTIONAL };

/* Corresponds to FAULT of walk_cuda.py. */
struct fault {
    uint32_t armed; /* calls are counted */
    int32_t error;  /* the error that the call returns */
    int32_t left;   /* the call that makes this 0 fails */
    int32_t fired;  /* number of calls that failed */
    int32_t sticky; /* all later calls of this process fail too */
    uint32_t kind;  /* enum kind of the call that failed */
    char name[40];  /* and its name */
    char only[40];  /* the calls that are counted; empty: all */
};

static struct fault *g_fault;
static cudaError_t g_sticky;             /* atomic */
static _Thread_local cudaError_t t_last; /* as cudaGetLastError() has it */

__attribute__((constructor)) static void map_fault(void)
{
    const char *path = getenv("GF_CUDA_FAULT_FILE");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *map = mmap(NULL, sizeof(*g_fault), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    g_fault = map != MAP_FAILED ? map : NULL;
}

/* What a call fails with, or success. */
static cudaError_t fails(enum kind kind, const char *name)
{
    struct fault *f = g_fault;
    cudaError_t sticky = __atomic_load_n(&g_sticky, __ATOMIC_ACQUIRE);
    if (sticky)
        return t_last = sticky;
    if (!f || !__atomic_load_n(&f->armed, __ATOMIC_ACQUIRE))
        return cudaSuccess;
    if (f->only[0] != '\0' && strncmp(f->only, name, sizeof(f->only)) != 0)
        return cudaSuccess;
    if (__atomic_sub_fetch(&f->left, 1, __ATOMIC_ACQ_REL) != 0)
        return cudaSuccess;
    t_last = (cudaError_t)f->error;
    f->kind = kind;
    (void)snprintf(f->name, sizeof(f->name), "%s", name);
    if (f->sticky)
        __atomic_store_n(&g_sticky, t_last, __ATOMIC_RELEASE);
    __atomic_add_fetch(&f->fired, 1, __ATOMIC_ACQ_REL);
    return t_last;
}

#define CALL(kind, name, params, ...)                                                                                  \
    cudaError_t __real_##name params;                                                                                  \
    cudaError_t __wrap_##name params;                                                                                  \
    cudaError_t __wrap_##name params                                                                                   \
    {                                                                                                                  \
        cudaError_t error = fails(kind, #name);                                                                        \
        return error ? error : __real_##name(__VA_ARGS__);                                                             \
    }
#include "cuda_calls.def"
#undef CALL

cudaError_t __real_cudaPeekAtLastError(void);
cudaError_t __wrap_cudaPeekAtLastError(void);
cudaError_t __wrap_cudaPeekAtLastError(void)
{
    return t_last ? t_last : __real_cudaPeekAtLastError();
}

cudaError_t __real_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    cudaError_t real = __real_cudaGetLastError(), last = t_last;
    t_last = cudaSuccess; /* a sticky one comes back with the next call */
    return last ? last : real;
}
