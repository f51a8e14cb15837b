/* SPDX-License-Identifier: MIT */
/* See cuda_code.h. cmake/GfCuda.cmake names the architectures of the build. */
#include "cuda_code.h"

#include <stddef.h>
#include <stdlib.h>

#include "protocol/base/base.h"

static const int g_built[] = {0, GF_CUDA_CODE};

bool gf_cuda_code_runs(int architecture, int major, int minor)
{
    return architecture / 10 == major && architecture % 10 <= minor;
}

bool gf_cuda_has_code(int major, int minor)
{
    const char *forced = getenv("CUDA_FORCE_PTX_JIT");
    if (forced != NULL && strtol(forced, NULL, 10) != 0)
        return false;
    for (size_t i = 0; i < GF_ARRAY_LEN(g_built); i++)
        if (gf_cuda_code_runs(g_built[i], major, minor))
            return true;
    return false;
}
