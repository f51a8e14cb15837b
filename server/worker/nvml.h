/* SPDX-License-Identifier: MIT */
/*
 * NVML, the library of NVIDIA's driver that describes GPUs, loaded at run time, so that neither build nor package
 * depends on it. Each call asks the driver, takes up to milliseconds, and hangs if the driver does. Called by
 * gpu_watch.c, by one thread at a time.
 */
#ifndef GF_WORKER_NVML_H
#define GF_WORKER_NVML_H

#include "protocol/wire/gpu_msg.h"

struct gf_nvml;

/* Loads the library that $GPUFILTER_NVML names, otherwise that of the driver, and finds the GPU, or the instance of a
 * GPU in MIG mode, with this UUID ("GPU-...", "MIG-..."). UNSUPPORTED with the reason. */
enum gf_status gf_nvml_open(const char *uuid, struct gf_nvml **ret_nvml, struct gf_error *err);
/* NULL is allowed. */
void gf_nvml_close(struct gf_nvml *nvml);

/* Returns all figures that the driver gives. Xid errors are those since the library was opened. */
void gf_nvml_read(struct gf_nvml *nvml, struct gf_gpu_figures *ret_figures);

#endif
