/* SPDX-License-Identifier: MIT */
/* The seeds of jitter.cuh. Compiled only in builds with GF_CUDA_JITTER; called by cuda_backend.c when it opens a
 * device. */
#include "jitter.h"

#include <stdlib.h>

static const struct gf_jitter_file *files; /* the constructors of all files run before main() */

gf_jitter_file::gf_jitter_file(const void *own_seed) : seed(own_seed), next(files)
{
    files = this;
}

extern "C" cudaError_t gf_cuda_jitter_prepare(void)
{
    const char *text = getenv("GF_CUDA_JITTER_SEED");
    const unsigned seed = text != nullptr ? static_cast<unsigned>(strtoul(text, nullptr, 10)) : 1;
    cudaError_t error = cudaSuccess;
    for (const struct gf_jitter_file *file = files; file != nullptr && error == cudaSuccess; file = file->next)
        error = cudaMemcpyToSymbol(file->seed, &seed, sizeof(seed));
    return error;
}
