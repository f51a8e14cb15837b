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

/* Writes a table piece by piece where it is copied from. */
static void write_in_place(struct fixture *x, uint32_t number, size_t place, size_t size)
{
    struct gf_error err;
    for (size_t at = 0, n = 0; at < size; at += n) {
        void *room = NULL;
        assert_int_equal(gf_cuda_upload_room(&x->exec, size - at, &room, &n, &err), GF_OK);
        assert_true(n == size - at || (n > 0 && n < size - at && n % 64 == 0));
        for (size_t i = 0; i < n; i++)
            ((unsigned char *)room)[i] = byte_of(number, at + i);
        assert_int_equal(gf_cuda_upload_commit(&x->exec, x->to + place + at, n, &err), GF_OK);
    }
}

static void a_table_may_be_written_in_place(void **state)
{
    struct fixture *x = *state;
    write_in_place(x, 1, 0, 1000);
    upload(x, 2, 1000, 77);
    write_in_place(x, 3, 1077, 0);
    write_in_place(x, 4, 1077, LARGE - 4096);
    upload(x, 5, LARGE - 3019, 3019);
    wait_for(x);
    expect(x, 1, 0, 1000);
    expect(x, 2, 1000, 77);
    expect(x, 4, 1077, LARGE - 4096);
    expect(x, 5, LARGE - 3019, 3019);
}

static void a_place_that_is_not_committed_is_given_again(void **state)
{
    struct fixture *x = *state;
    struct gf_error err;
    void *rooms[3] = {NULL};
    size_t sizes[3] = {0};
    x->exec.uploads.used = 0;
    assert_int_equal(gf_cuda_upload_room(&x->exec, 1000, &rooms[0], &sizes[0], &err), GF_OK);
    assert_int_equal(gf_cuda_upload_room(&x->exec, 5000, &rooms[1], &sizes[1], &err), GF_OK);
    assert_ptr_equal(rooms[1], rooms[0]);
    assert_int_equal(sizes[0], 1000);
    assert_int_equal(sizes[1], 5000);
    memset(rooms[1], 0x5A, 5000);
    assert_int_equal(gf_cuda_upload_commit(&x->exec, x->to, 100, &err), GF_OK);
    assert_int_equal(gf_cuda_upload_room(&x->exec, 5000, &rooms[2], &sizes[2], &err), GF_OK);
    assert_ptr_equal(rooms[2], (char *)rooms[0] + 128); /* behind the bytes that were committed */
    wait_for(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_may_change_at_once),
        cmocka_unit_test(a_table_larger_than_the_memory_passes_in_pieces),
        cmocka_unit_test(many_tables_of_a_job_take_turns),
        cmocka_unit_test(a_job_begins_where_an_idle_one_ended),
        cmocka_unit_test(a_table_may_be_written_in_place),
        cmocka_unit_test(a_place_that_is_not_committed_is_given_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
