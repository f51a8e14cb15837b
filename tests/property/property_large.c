/* SPDX-License-Identifier: MIT */
/*
 * scan of u8 to u64 of 2^N elements, as one row and as a square: every result against a sum that is computed beside it.
 * N is the second argument: 32 passes every 32-bit count and needs 36 GiB of the host and, on a GPU, of the device. Run
 * by scripts/gpu-check, and with a small N by ctest.
 */
#include <stdio.h>
#include <unistd.h>

#include "harness.h"
#include "protocol/base/machine.h"

static unsigned log_elements;

/* Element i. */
static uint8_t value_of(uint64_t i)
{
    return (uint8_t)((i * 0x9E3779B97F4A7C15u) >> 56);
}

static void check_scan(uint64_t width, uint64_t height)
{
    struct gf_buf in = property_buf(GF_U8, (struct property_size){width, height, 1}, 0);
    uint8_t *x = in.data;
    for (uint64_t i = 0; i < width * height; i++)
        x[i] = value_of(i);
    struct gf_buf out = property_run("scan", "", &in);
    const uint64_t *y = out.data;
    uint64_t sum = 0;
    assert_int_equal(out.view.dtype, GF_U64);
    assert_int_equal(gf_view_bytes(&out.view), width * height * sizeof(*y));
    for (uint64_t i = 0; i < width * height; i++) {
        sum += value_of(i);
        if (y[i] != sum)
            fail_msg("result %llu is %llu, not %llu", (unsigned long long)i, (unsigned long long)y[i],
                     (unsigned long long)sum);
    }
    printf("%llux%llu: the last of the sums is %llu\n", (unsigned long long)width, (unsigned long long)height,
           (unsigned long long)sum);
}

static void every_sum_of_a_row_is_right(void **state)
{
    UNUSED(state);
    check_scan(1ull << log_elements, 1);
}

static void every_sum_of_a_square_is_right(void **state)
{
    UNUSED(state);
    check_scan(1ull << (log_elements - log_elements / 2), 1ull << (log_elements / 2));
}

/* False with a message if the host or the device has too little memory for the data and a reserve. */
static bool has_room(void)
{
    uint64_t need = (9ull << log_elements) + (1ull << 28), device = property_device_memory();
    long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t host = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0,
             group = gf_machine_group_memory("", "self", NULL, 0);
    host = host < group ? host : group;
    if (need <= host && need <= device)
        return true;
    printf("skipped: 2^%u elements need %llu MiB; the host has %llu free, the device %llu\n", log_elements,
           (unsigned long long)(need >> 20), (unsigned long long)(host >> 20), (unsigned long long)(device >> 20));
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_sum_of_a_row_is_right, property_teardown),
        cmocka_unit_test_teardown(every_sum_of_a_square_is_right, property_teardown),
    };
    log_elements = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    if (log_elements < 1 || log_elements > 36) {
        printf("usage: property_large DEVICE N, for 2^N elements, N from 1 to 36\n");
        return 1;
    }
    int status = property_open(argc, argv);
    if (status != 0)
        return status;
    status = has_room() ? cmocka_run_group_tests_name("property_large", tests, NULL, NULL) : 77;
    property_close();
    return status;
}
