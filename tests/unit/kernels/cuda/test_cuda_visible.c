/* SPDX-License-Identifier: MIT */
/* kernels/cuda/cuda_visible.c: which device a process sees, and the UUID that it gets. */
#include "kernels/cuda/cuda_visible.h"

#include <stdlib.h>

#include "tests/unit/unit.h"

#define BYTES "\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"
#define HEX "01234567-89ab-cdef-0123-456789abcdef"
#define OTHER "89abcdef-0123-4567-89ab-cdef01234567"
#define GPU "NVIDIA A100-SXM4-40GB"
#define INSTANCE "NVIDIA A100-SXM4-40GB MIG 1g.5gb"

static void uuid_is(const char *word, const char *title, const char *expected)
{
    char uuid[GF_MAX_DEVICE_NAME];
    gf_cuda_uuid(word, title, BYTES, uuid);
    assert_string_equal(uuid, expected);
}

static void a_gpu_has_the_runtimes_uuid(void **state)
{
    UNUSED(state);
    uuid_is(NULL, GPU, "GPU-" HEX);
    uuid_is("1", GPU, "GPU-" HEX);
    uuid_is("GPU-" HEX, GPU, "GPU-" HEX);
    uuid_is("GPU-0123", GPU, "GPU-" HEX);
    uuid_is("GPU-01234567-89AB", GPU, "GPU-" HEX);
}

/* Also where the runtime gives the UUID of the GPU, which all its instances share. */
static void an_instance_keeps_its_own_uuid(void **state)
{
    UNUSED(state);
    uuid_is("MIG-" OTHER, INSTANCE, "MIG-" OTHER);
    uuid_is("MIG-" OTHER, GPU, "MIG-" OTHER);
    uuid_is("MIG-" HEX, INSTANCE, "MIG-" HEX);
    uuid_is("0", INSTANCE, "MIG-" HEX);
    uuid_is("GPU-" OTHER, INSTANCE, "GPU-" OTHER);
}

static void show(const char *list, const char *device, const char *visible)
{
    struct gf_error err = {0};
    assert_int_equal(list != NULL ? setenv("CUDA_VISIBLE_DEVICES", list, 1) : unsetenv("CUDA_VISIBLE_DEVICES"), 0);
    assert_int_equal(gf_cuda_show_one_device(device, &err), visible != NULL ? GF_OK : GF_E_NO_DEVICE);
    if (visible != NULL)
        assert_string_equal(getenv("CUDA_VISIBLE_DEVICES"), visible);
}

static void one_device_is_shown(void **state)
{
    UNUSED(state);
    show(NULL, "cuda:1", "1");
    show(NULL, "MIG-" HEX, "MIG-" HEX);
    show("MIG-" HEX ",MIG-" OTHER, "cuda:0", "MIG-" HEX);
    show("MIG-" HEX ",MIG-" OTHER, "cuda:1", "MIG-" OTHER);
    show("MIG-" HEX ",MIG-" OTHER, "cuda:2", NULL);
    show("MIG-" HEX ",MIG-" HEX, "cuda:0", NULL);
    show(NULL, "cuda:x", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gpu_has_the_runtimes_uuid),
        cmocka_unit_test(an_instance_keeps_its_own_uuid),
        cmocka_unit_test(one_device_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
