/* SPDX-License-Identifier: MIT */
/* The CUDA backend of a build without CUDA: it says so. Stands in for cuda_backend.c. */
#include <string.h>

#include "kernels/registry.h"

static enum gf_status absent_open(const struct gf_device_options *options, struct gf_device **ret_device,
                                  struct gf_error *err)
{
    (void)ret_device;
    return gf_error_set(err, GF_E_NO_DEVICE, "%s: this build has no CUDA; rebuild with GF_CUDA=ON or use --device cpu",
                        options->device);
}

static enum gf_status absent(struct gf_error *err)
{
    return gf_error_set(err, GF_E_NO_DEVICE, "this build has no CUDA");
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

static enum gf_status absent_lane_open(struct gf_device *device, struct gf_lane **ret_lane, struct gf_error *err)
{
    (void)device;
    (void)ret_lane;
    return absent(err);
}

static void absent_lane_close(struct gf_lane *lane)
{
    (void)lane;
}

static enum gf_status absent_run(struct gf_lane *lane, struct gf_job *job, struct gf_error *err)
{
    (void)lane;
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
    .lane_open = absent_lane_open,
    .lane_close = absent_lane_close,
    .run = absent_run,
};
