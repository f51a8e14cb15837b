/* SPDX-License-Identifier: MIT */
/* The folder where a GPU worker keeps compiled kernels for the next worker. Called by main.c before the worker gives up
 * the right to make folders. */
#ifndef GF_WORKER_KERNEL_CACHE_H
#define GF_WORKER_KERNEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Selects the first that is set of $GPUFILTER_KERNEL_CACHE ("none": no folder), systemd's $CACHE_DIRECTORY,
 * $XDG_CACHE_HOME/gpufilter and ~/.cache/gpufilter, and makes it if it is missing. False if there is none or it cannot
 * be made. */
bool gf_kernel_cache_folder(char *ret_path, size_t size);

#endif
