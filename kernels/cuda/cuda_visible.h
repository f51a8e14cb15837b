/* SPDX-License-Identifier: MIT */
/* Makes one device the only one of the process, and finds the UUID under which other processes can use it. Called by
 * cuda_backend.c. */
#ifndef GF_CUDA_VISIBLE_H
#define GF_CUDA_VISIBLE_H

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

/* Sets the environment for the first CUDA call, so that the device is CUDA's device 0. NO_DEVICE for a name that is
 * none. */
enum gf_status gf_cuda_show_one_device(const char *device, struct gf_error *err);

/*
 * Returns the device's UUID as CUDA_VISIBLE_DEVICES takes it. `word`: the word of that variable that chose the device;
 * NULL if there is none. The runtime gives 16 bytes and no prefix: "GPU-" or, for an instance of a GPU in MIG mode,
 * "MIG-". Some versions give the bytes of the instance's GPU, so a UUID in `word` counts unless it is only the
 * beginning of the runtime's.
 */
void gf_cuda_uuid(const char *word, const char *title, const char bytes[16], char ret_uuid[GF_MAX_DEVICE_NAME]);

#endif
