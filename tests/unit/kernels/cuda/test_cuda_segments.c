/* SPDX-License-Identifier: MIT */
/* kernels/cuda/step/segments, on a device that computes nothing (tests/support/fake_cuda.c). It aborts this program if
 * the source of a copy changes before the host has waited for it. */
#include "kernels/cuda/step/segments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/memory/cuda_pool.h"
#include "kernels/cuda/memory/cuda_upload.h"
#include "tests/unit/unit.h"

#define N 200001u /* offsets, whose tables are larger than the page-locked memory */
#define MOST 50u  /* elements of a segment without blocks */
#define BLOCK 64u

struct fixture {
    struct gf_device device;
    struct gf_exec exec;
    struct gf_step step;
    uint64_t *offsets, *got;
    void *list;
};

static int set_up(void **state)
{
    static struct fixture x;
    struct gf_error err;
    x.step.op = gf_op_by_name("scan");
    x.device.info.memory = UINT64_C(1) << 36;
    x.exec.device = &x.device;
    assert_int_equal(cudaStreamCreateWithFlags(&x.exec.main, cudaStreamNonBlocking), cudaSuccess);
    assert_int_equal(gf_cuda_pool_init(&x.device, &err), GF_OK);
    assert_int_equal(gf_cuda_uploads_init(&x.exec.uploads, &err), GF_OK);
    x.offsets = malloc(N * sizeof(*x.offsets));
    x.got = malloc(N * sizeof(*x.got));
    x.list = malloc(N * sizeof(*x.offsets));
    assert_true(x.offsets && x.got && x.list);
    *state = &x;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *x = *state;
    gf_cuda_exec_trim(&x->exec);
    gf_cuda_uploads_deinit(&x->exec.uploads);
    assert_int_equal(cudaStreamDestroy(x->exec.main), cudaSuccess);
    free(x->offsets);
    free(x->got);
    free(x->list);
    return 0;
}

/* Makes segments of 0 to `longest` elements. */
static void make_offsets(struct fixture *x, uint64_t longest)
{
    x->offsets[0] = 0;
    for (uint64_t i = 1; i < N; i++)
        x->offsets[i] = x->offsets[i - 1] + i * 7919 % (longest + 1);
}

/* Cuts the list of these offsets and overwrites it at once. */
static enum gf_status cut(struct fixture *x, uint32_t dtype, bool may_narrow, uint64_t elements,
                          struct gf_cuda_segments *ret, struct gf_error *err)
{
    const struct gf_buf list = {x->list, gf_view_tight(dtype, N, 1, 1)};
    const struct gf_cuda_segment_rules rules = {
        .elements = elements, .covers_all = true, .may_narrow = may_narrow, .min_length = MOST, .block = BLOCK};
    struct gf_cuda_call call = {.exec = &x->exec, .step = &x->step, .coefs = {NULL, &list}};
    for (uint64_t i = 0; i < N; i++)
        if (gf_dtype_size(dtype) == sizeof(uint64_t))
            ((uint64_t *)x->list)[i] = x->offsets[i];
        else
            ((uint32_t *)x->list)[i] = (uint32_t)x->offsets[i];
    *ret = (struct gf_cuda_segments){0};
    enum gf_status status = gf_cuda_segments_cut(&call, &rules, ret, err);
    memset(x->list, 0xEE, N * gf_dtype_size(dtype));
    return status;
}

static void release(struct fixture *x, struct gf_cuda_segments *segments)
{
    struct gf_cuda_call call = {.exec = &x->exec};
    gf_cuda_segments_free(&call, segments);
    assert_int_equal(x->exec.n_taken, 0);
    assert_int_equal(cudaStreamSynchronize(x->exec.main), cudaSuccess);
}

static void expect_offsets(struct fixture *x, const struct gf_cuda_segments *segments)
{
    const size_t size = segments->narrow ? sizeof(uint32_t) : sizeof(uint64_t);
    const uint32_t *narrow = (const uint32_t *)x->got;
    assert_int_equal(segments->n, N - 1);
    assert_int_equal(cudaMemcpy(x->got, segments->offsets, N * size, cudaMemcpyDeviceToHost), cudaSuccess);
    for (uint64_t i = 0; i < N; i++)
        if ((segments->narrow ? narrow[i] : x->got[i]) != x->offsets[i])
            fail_msg("offset %u is wrong", (unsigned)i);
}

static void expect_blocks(struct fixture *x, const struct gf_cuda_segments *segments)
{
    uint64_t before = 0, longest = 0;
    assert_int_equal(cudaMemcpy(x->got, segments->first_blocks, N * sizeof(*x->got), cudaMemcpyDeviceToHost),
                     cudaSuccess);
    for (uint64_t i = 0; i < N; i++) {
        if (x->got[i] != before)
            fail_msg("segment %u has %u blocks before it", (unsigned)i, (unsigned)x->got[i]);
        uint64_t length = i + 1 < N ? x->offsets[i + 1] - x->offsets[i] : 0;
        uint64_t blocks = length > MOST ? (length + BLOCK - 1) / BLOCK : 0;
        longest = blocks > longest ? blocks : longest;
        before += blocks;
    }
    assert_int_equal(segments->n_blocks, before);
    assert_int_equal(segments->longest, longest);
}

static void a_list_of_any_dtype_is_cut(void **state)
{
    struct fixture *x = *state;
    static const uint32_t dtypes[] = {GF_U64, GF_I64, GF_U32, GF_I32};
    struct gf_cuda_segments segments;
    struct gf_error err;
    make_offsets(x, 1000);
    for (size_t i = 0; i < 2 * GF_ARRAY_LEN(dtypes); i++) {
        bool narrow = i % 2 != 0;
        assert_int_equal(cut(x, dtypes[i / 2], narrow, x->offsets[N - 1], &segments, &err), GF_OK);
        assert_int_equal(cudaStreamSynchronize(x->exec.main), cudaSuccess);
        assert_int_equal(segments.narrow, narrow);
        expect_offsets(x, &segments);
        expect_blocks(x, &segments);
        assert_true(segments.any_short);
        release(x, &segments);
    }
}

static void offsets_of_more_than_32_bits_stay_wide(void **state)
{
    struct fixture *x = *state;
    struct gf_cuda_segments segments;
    struct gf_error err;
    make_offsets(x, 1000);
    x->offsets[N - 1] = UINT64_C(1) << 32;
    assert_int_equal(cut(x, GF_U64, true, x->offsets[N - 1], &segments, &err), GF_OK);
    assert_int_equal(cudaStreamSynchronize(x->exec.main), cudaSuccess);
    assert_false(segments.narrow);
    expect_offsets(x, &segments);
    expect_blocks(x, &segments);
    release(x, &segments);
}

static void short_segments_have_no_blocks(void **state)
{
    struct fixture *x = *state;
    struct gf_cuda_segments segments;
    struct gf_error err;
    make_offsets(x, MOST);
    assert_int_equal(cut(x, GF_U64, true, x->offsets[N - 1], &segments, &err), GF_OK);
    assert_int_equal(cudaStreamSynchronize(x->exec.main), cudaSuccess);
    expect_offsets(x, &segments);
    assert_null(segments.first_blocks);
    assert_int_equal(segments.n_blocks, 0);
    assert_true(segments.any_short);
    release(x, &segments);
}

static void a_wrong_list_is_refused_and_leaves_nothing(void **state)
{
    struct fixture *x = *state;
    static const uint64_t wrong[] = {1, 511, 512, 65536, N - 2};
    struct gf_cuda_segments segments;
    struct gf_error err;
    make_offsets(x, 1000);
    const uint64_t elements = x->offsets[N - 1];
    for (size_t i = 0; i < GF_ARRAY_LEN(wrong); i++) {
        char says[64];
        const uint64_t right = x->offsets[wrong[i]];
        x->offsets[wrong[i]] = elements + 1;
        snprintf(says, sizeof(says), "segments: number %u is ", (unsigned)wrong[i]);
        assert_int_equal(cut(x, GF_U32, true, elements, &segments, &err), GF_E_BAD_PARAM);
        if (strstr(err.text, says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, says);
        x->offsets[wrong[i]] = right;
        release(x, &segments);
    }
    assert_int_equal(cut(x, GF_U32, true, elements, &segments, &err), GF_OK);
    release(x, &segments);
    assert_int_equal(cut(x, GF_U32, true, elements + 1, &segments, &err), GF_E_BAD_PARAM);
    release(x, &segments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_any_dtype_is_cut),
        cmocka_unit_test(offsets_of_more_than_32_bits_stay_wide),
        cmocka_unit_test(short_segments_have_no_blocks),
        cmocka_unit_test(a_wrong_list_is_refused_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
