/* SPDX-License-Identifier: MIT */
/* kernels/cuda: what a device is opened with, and the memory that it then takes. The device computes nothing
 * (tests/support/fake_cuda.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/cuda/device/cuda_device.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/registry.h"
#include "protocol/base/machine.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/unit/unit.h"

#define MIB (UINT64_C(1) << 20)

static struct gf_device *open_device(struct gf_device_options options)
{
    struct gf_device *device = NULL;
    struct gf_error err = {0};
    options.device = options.device != NULL ? options.device : "cuda:0";
    options.compile = GF_COMPILE_NONE;
    options.cold = true;
    if (gf_cuda_backend.open(&options, &device, &err) != GF_OK)
        fail_msg("%s", err.text);
    return device;
}

/* A histogram, which needs all rows at once, of u8 pixels that no test writes to. */
static enum gf_status count_pixels(struct gf_device *device, uint32_t width, uint32_t height, struct gf_error *err)
{
    static char counts[1 << 16];
    struct gf_view in = gf_view_tight(GF_U8, width, height, 1);
    struct gf_step step = {.op = gf_op_by_name("histogram")};
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_op_infer(step.op, &in, 1, &step.params, step.out, NULL), GF_OK);
    const size_t size = (size_t)gf_view_bytes(&in);
    void *pixels = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pixels != MAP_FAILED);
    const struct gf_buf operand = {.data = pixels, .view = in};
    const struct gf_sink sink = {.buf = {.data = counts, .view = step.out[0]}};
    assert_true(gf_view_bytes(&step.out[0]) <= sizeof(counts));
    struct gf_job job = {
        .steps = &step, .operands = &operand, .sinks = &sink, .n_steps = 1, .n_operands = 1, .n_sinks = 1};
    struct gf_exec *exec;
    assert_int_equal(gf_cuda_backend.exec_open(device, &exec, NULL), GF_OK);
    enum gf_status status = gf_cuda_backend.run(exec, &job, err);
    gf_cuda_backend.exec_close(exec);
    (void)munmap(pixels, size);
    return status;
}

/* 600 MiB in a control group of 1 GiB. Nothing is allocated, so nothing is killed. */
static void images_stay_within_the_share_of_host_memory(void **state)
{
    UNUSED(state);
    struct gf_error err = {0};
    struct gf_device *device =
        open_device((struct gf_device_options){.device_memory = 8 * MIB, .host_mapped_max = 256 * MIB});
    assert_int_equal(count_pixels(device, 25600, 24576, &err), GF_E_NO_DEVICE_MEMORY);
    assert_non_null(strstr(err.text, "an image of 629145600 bytes does not fit the host memory for cuda:0, at most "
                                     "268435456 bytes"));
    assert_int_equal(device->host_mapped, 0);
    assert_int_equal(count_pixels(device, 4096, 4096, &err), GF_OK);
    assert_int_equal(device->host_mapped, 0);
    gf_cuda_backend.close(device);
}

static void a_gpu_by_itself_gets_its_share(void **state)
{
    UNUSED(state);
    struct gf_device *device = open_device((struct gf_device_options){.device_memory = 8 * MIB});
    assert_true(device->host_mapped_max == gf_machine_host_mapped("", gf_machine_gpus("")));
    gf_cuda_backend.close(device);
}

static uint64_t kept_by_the_pool(struct gf_device *device)
{
    uint64_t bytes = 0;
    assert_int_equal(cudaMemPoolGetAttribute(device->pool, cudaMemPoolAttrReleaseThreshold, &bytes), cudaSuccess);
    return bytes;
}

/* 60 % of the machine's memory would leave too little for a process that needs 30 %. */
static void a_gpu_that_shares_memory_leaves_some(void **state)
{
    UNUSED(state);
    struct gf_error err = {0};
    const uint64_t all = gf_machine_memory("");
    struct gf_device *device = open_device((struct gf_device_options){.device_memory = 0});
    assert_true(device->budget == 0);
    assert_true(kept_by_the_pool(device) == UINT64_MAX);
    gf_cuda_backend.close(device);

    assert_int_equal(setenv("GF_FAKE_INTEGRATED", "1", 1), 0);
    device = open_device((struct gf_device_options){.device_memory = 0});
    assert_true(kept_by_the_pool(device) == all / 8);
    assert_int_equal(gf_cuda_pool_reserve(device, all / 10 * 6, 0, &err), GF_E_NO_DEVICE_MEMORY);
    assert_int_equal(gf_cuda_pool_reserve(device, all / 10 * 4, 0, &err), GF_OK);
    gf_cuda_pool_unreserve(device, all / 10 * 4);
    gf_cuda_backend.close(device);

    device = open_device((struct gf_device_options){.device_memory = 8 * MIB});
    assert_true(device->budget == 8 * MIB);
    gf_cuda_backend.close(device);
    assert_int_equal(unsetenv("GF_FAKE_INTEGRATED"), 0);
}

/* Two instances of a GPU in MIG mode. The device that computes nothing gives both the same bytes. */
static void instances_of_a_gpu_are_devices(void **state)
{
    UNUSED(state);
    struct gf_device_info info[2];
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "MIG-first,MIG-second", 1), 0);
        struct gf_device *device = open_device((struct gf_device_options){.device = i == 0 ? "cuda:0" : "cuda:1"});
        gf_cuda_backend.info(device, &info[i]);
        gf_cuda_backend.close(device);
    }
    assert_string_equal(info[0].uuid, "MIG-first");
    assert_string_equal(info[1].uuid, "MIG-second");
    assert_int_equal(unsetenv("CUDA_VISIBLE_DEVICES"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_stay_within_the_share_of_host_memory),
        cmocka_unit_test(a_gpu_by_itself_gets_its_share),
        cmocka_unit_test(a_gpu_that_shares_memory_leaves_some),
        cmocka_unit_test(instances_of_a_gpu_are_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
