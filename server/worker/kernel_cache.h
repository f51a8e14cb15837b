/* SPDX-License-Identifier: MIT */
/* The folder where a worker with a GPU keeps kernels that it compiled, for the next worker. Called by main.c, before
 * the worker gives up the right to make folders. */
#ifndef GF_WORKER_KERNEL_CACHE_H
#define GF_WORKER_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* $GPUFILTER_KERNEL_CACHE ("none": no folder), systemd's $CACHE_DIRECTORY, $XDG_CACHE_HOME/gpufilter or
 * ~/.cache/gpufilter; the first that is set. Made where it is missing. False where there is none, or none can be made.
 */
bool gf_kernel_cache_folder(char *ret_path, size_t size);

#endif
