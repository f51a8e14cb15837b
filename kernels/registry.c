/* SPDX-License-Identifier: MIT */
/* Finds the backend for a device name in an explicit list. */
#include "registry.h"

#include <string.h>

const struct gf_backend *gf_backend_for_device(const char *device)
{
    if (strcmp(device, "cpu") == 0)
        return &gf_cpu_backend;
    if (strncmp(device, "cuda:", 5) == 0 || strncmp(device, "GPU-", 4) == 0)
        return &gf_cuda_backend;
    return NULL;
}
