/* SPDX-License-Identifier: MIT */
/* The CUDA backend of programs without CUDA: every call reports its absence. Replaces cuda_backend.c in a build without
 * CUDA, and in gpufilterd-worker of every build. */
#include <string.h>

#include "kernels/registry.h"

static enum gf_status absent_open(const struct gf_device_options *options, struct gf_device **ret_device,
                                  struct gf_error *err)
{
    (void)ret_device;
    return gf_error_set(err, GF_E_NO_DEVICE,
                        "%s: this worker has no CUDA; install gpufilterd-cuda (by pip: gpufilter-cuda; from source: "
                        "configure with GF_CUDA=ON), or use --device cpu",
                        options->device);
}

static enum gf_status absent(struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_DEVICE, "this worker has no CUDA");
}

static void absent_close(struct gf_device *device)
{
    (void)device;
}

static void absent_info(const struct gf_device *device, struct gf_device_info *ret_info)
{
    (void)device;
    memset(ret_info, 0, sizeof(*ret_info));
}

static bool absent_supports(const struct gf_device *device, const struct gf_op *op, uint32_t dtype)
{
    (void)device;
    (void)op;
    (void)dtype;
    return false;
}

static enum gf_status absent_pin(struct gf_device *device, void *data, size_t size, struct gf_error *err)
{
    (void)device;
    (void)data;
    (void)size;
    return absent(err);
}

static void absent_unpin(struct gf_device *device, void *data)
{
    (void)device;
    (void)data;
}

static enum gf_status absent_exec_open(struct gf_device *device, struct gf_exec **ret_exec, struct gf_error *err)
{
    (void)device;
    (void)ret_exec;
    return absent(err);
}

static void absent_exec_close(struct gf_exec *exec)
{
    (void)exec;
}

static enum gf_status absent_run(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    (void)exec;
    (void)job;
    return absent(err);
}

const struct gf_backend gf_cuda_backend = {
    .name = "cuda",
    .open = absent_open,
    .close = absent_close,
    .info = absent_info,
    .supports = absent_supports,
    .pin = absent_pin,
    .unpin = absent_unpin,
    .exec_open = absent_exec_open,
    .exec_close = absent_exec_close,
    .run = absent_run,
};
