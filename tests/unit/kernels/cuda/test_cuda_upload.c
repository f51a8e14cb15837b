/* SPDX-License-Identifier: MIT */
/* kernels/cuda/memory/cuda_upload, on a device that computes nothing (tests/support/fake_cuda.c). It aborts this
 * program if the source of a copy changes before the host has waited for it. */
#include "kernels/cuda/memory/cuda_upload.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define LARGE ((size_t)3 << 20) /* several times the page-locked memory */

struct fixture {
    struct gf_exec exec;
    unsigned char *table, *to; /* LARGE bytes each, on the host and on the device */
};

static int set_up(void **state)
{
    static struct fixture x;
    struct gf_error err;
    assert_int_equal(cudaStreamCreateWithFlags(&x.exec.main, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(gf_cuda_uploads_init(&x.exec.uploads, &err), GF_OK);
    x.table = malloc(LARGE);
    assert_non_null(x.table);
    assert_int_equal(cudaMalloc((void **)&x.to, LARGE), cudaSuccess);
    *state = &x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    assert_int_equal(cudaFree(x->to), cudaSuccess);
    free(x->table);
    gf_cuda_uploads_deinit(&x->exec.uploads);
    assert_int_equal(cudaStreamDestroy(x->exec.main), cudaSuccess);
    return 0;
}

/* The byte at `at` of the table with this number. */
static unsigned char byte_of(uint32_t number, size_t at)
{
    return (unsigned char)(number * 31 + at * 7 + (at >> 8));
}

/* Uploads a table to `place` and overwrites it at once. */
static void upload(struct fixture *x, uint32_t number, size_t place, size_t size)
{
    struct gf_error err;
    for (size_t i = 0; i < size; i++)
        x->table[i] = byte_of(number, i);
    assert_int_equal(gf_cuda_upload(&x->exec, x->to + place, x->table, size, &err), GF_OK);
    memset(x->table, 0xEE, size);
}

static void expect(struct fixture *x, uint32_t number, size_t place, size_t size)
{
    assert_int_equal(cudaMemcpy(x->table, x->to + place, size, cudaMemcpyDeviceToHost), cudaSuccess);
    for (size_t i = 0; i < size; i++)
        if (x->table[i] != byte_of(number, i))
            fail_msg("byte %zu of table %u differs", i, number);
}

static void wait_for(struct fixture *x)
{
    assert_int_equal(cudaStreamSynchronize(x->exec.main), cudaSuccess);
}

static void a_table_may_change_at_once(void **state)
{
    struct fixture *x = *state;
    upload(x, 1, 0, 1000);
    upload(x, 2, 1000, 1);
    upload(x, 3, 1001, 0);
    upload(x, 4, 1001, 4096);
    wait_for(x);
    expect(x, 1, 0, 1000);
    expect(x, 2, 1000, 1);
    expect(x, 4, 1001, 4096);
}

static void a_table_larger_than_the_memory_passes_in_pieces(void **state)
{
    struct fixture *x = *state;
    upload(x, 5, 0, LARGE);
    wait_for(x);
    expect(x, 5, 0, LARGE);
}

static void many_tables_of_a_job_take_turns(void **state)
{
    struct fixture *x = *state;
    const size_t size = 12345;
    for (uint32_t i = 0; i < LARGE / size; i++)
        upload(x, i, i * size, size);
    wait_for(x);
    for (uint32_t i = 0; i < LARGE / size; i++)
        expect(x, i, i * size, size);
}

/* As gf_cuda_run_begin does, at any place in either half. */
static void a_job_begins_where_an_idle_one_ended(void **state)
{
    struct fixture *x = *state;
    for (uint32_t i = 0; i < 24; i++) {
        const size_t size = (size_t)i * 100003;
        x->exec.uploads.used = 0;
        upload(x, i, 0, size);
        upload(x, i + 1, size, 500);
        wait_for(x);
        expect(x, i, 0, size);
        expect(x, i + 1, size, 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_may_change_at_once),
        cmocka_unit_test(a_table_larger_than_the_memory_passes_in_pieces),
        cmocka_unit_test(many_tables_of_a_job_take_turns),
        cmocka_unit_test(a_job_begins_where_an_idle_one_ended),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
