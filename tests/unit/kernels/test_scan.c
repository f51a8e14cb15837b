/* SPDX-License-Identifier: MIT */
/* scan, recurrence and integral: dtypes of results, refusals, and the message of an overflow on the CPU. */
#include <stdio.h>
#include <string.h>

#include "kernels/registry.h"
#include "kernels/shared/segments.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "tests/unit/unit.h"

/* A step from the op's name and its parameters as "name=value ..."; without segments if their view is all zero. */
static enum gf_status make_cut_step(const char *op, const char *params, struct gf_view in, struct gf_view segments,
                                    struct gf_step *ret_step, struct gf_error *err)
{
    struct gf_view views[] = {in, segments};
    char text[128], *rest = NULL;
    struct gf_step step = {.op = gf_op_by_name(op)};
    assert_non_null(step.op);
    gf_op_params_default(step.op, &step.params);
    snprintf(text, sizeof text, "%s", params);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        const struct gf_param_desc *param = gf_op_param(step.op, word);
        assert_non_null(param);
        assert_int_equal(gf_op_param_parse(step.op, param, value, &step.params, err), GF_OK);
    }
    step.in[1] = (struct gf_ref){.from = gf_view_given(&segments) ? GF_FROM_OPERAND : GF_FROM_NOTHING, .index = 1};
    enum gf_status status = gf_op_infer(step.op, views, step.op->n_inputs, &step.params, step.out, err);
    *ret_step = step;
    return status;
}

static enum gf_status make_step(const char *op, const char *params, struct gf_view in, struct gf_step *ret_step,
                                struct gf_error *err)
{
    return make_cut_step(op, params, in, (struct gf_view){0}, ret_step, err);
}

static void results_have_their_dtypes(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *params;
        uint32_t in, out;
        uint64_t width, height;
    } cases[] = {
        {"scan", "", GF_U8, GF_U64, 300, 300},
        {"scan", "", GF_I16, GF_I64, 300, 300},
        {"scan", "dtype=i32 op=product", GF_I16, GF_I32, 300, 300},
        {"scan", "op=min", GF_I16, GF_I16, 300, 300},
        {"scan", "", GF_F32, GF_F32, 300, 300},
        {"scan", "dtype=f64", GF_F32, GF_F64, 300, 300},
        {"recurrence", "a=0.5", GF_F32, GF_F32, 300, 300},
        {"integral", "", GF_U8, GF_U32, 300, 300},
        {"integral", "", GF_U16, GF_U64, 300, 300},
        {"integral", "dtype=u32", GF_U16, GF_U32, 300, 300},
        {"integral", "square=1", GF_U8, GF_U64, 300, 300},
        {"integral", "pad=1", GF_F32, GF_F64, 301, 301},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_step step;
        struct gf_view in = gf_view_tight(cases[i].in, 300, 300, 3);
        assert_int_equal(make_step(cases[i].op, cases[i].params, in, &step, NULL), GF_OK);
        struct gf_view out = gf_view_tight(cases[i].out, cases[i].width, cases[i].height, 3);
        assert_true(gf_view_same_shape(&step.out[0], &out));
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op, *params;
        uint32_t in;
        const char *says;
    } cases[] = {
        {"scan", "dtype=i64", GF_U8, "allowed: u32 or u64"},
        {"scan", "dtype=f64", GF_I32, "allowed: i32 or i64"},
        {"scan", "dtype=u64 op=max", GF_U8, "allowed: u8"},
        {"scan", "initial=2", GF_F32, "only used with start=initial"},
        {"scan", "initial=0.5 start=initial", GF_I32, "whole numbers -9007199254740992..9007199254740992"},
        {"scan", "initial=-1 start=initial", GF_U64, "whole numbers 0..9007199254740992"},
        {"scan", "initial=256 start=initial op=min", GF_U8, "whole numbers 0..255"},
        {"recurrence", "initial=1", GF_F64, "only used with start=initial"},
        {"integral", "dtype=f32", GF_U8, "allowed: u32 or u64"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_step step;
        struct gf_error err = {0};
        struct gf_view in = gf_view_tight(cases[i].in, 7, 5, 1);
        assert_int_equal(make_step(cases[i].op, cases[i].params, in, &step, &err), GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
}

/* Runs a scan of n elements of u64 on the CPU, in segments if a list is given. */
static enum gf_status scan_cut(const char *params, const uint64_t *x, uint64_t n, const struct gf_buf *segments,
                               uint64_t *y, struct gf_error *err)
{
    struct gf_device *device;
    struct gf_exec *exec;
    struct gf_step step;
    struct gf_buf in[2] = {{.data = (void *)(uintptr_t)x, .view = gf_view_tight(GF_U64, n, 1, 1)}};
    struct gf_sink sink = {.buf = {.data = y, .view = in[0].view}};
    if (segments != NULL)
        in[1] = *segments;
    const struct gf_backend *cpu = gf_backend_for_device("cpu");
    const struct gf_device_options options = {.device = "cpu", .threads = 2};
    assert_int_equal(make_cut_step("scan", params, in[0].view, in[1].view, &step, NULL), GF_OK);
    assert_int_equal(cpu->open(&options, &device, NULL), GF_OK);
    assert_int_equal(cpu->exec_open(device, &exec, NULL), GF_OK);
    struct gf_job job = {.steps = &step, .operands = in, .sinks = &sink, .n_steps = 1, .n_operands = 2, .n_sinks = 1};
    enum gf_status status = cpu->run(exec, &job, err);
    cpu->exec_close(exec);
    cpu->close(device);
    return status;
}

static enum gf_status scan_u64(const char *params, const uint64_t *x, uint64_t n, uint64_t *y, struct gf_error *err)
{
    return scan_cut(params, x, n, NULL, y, err);
}

static void an_overflow_names_the_first_result(void **state)
{
    UNUSED(state);
    const uint64_t x[] = {UINT64_MAX - 3, 3, 1, UINT64_MAX};
    uint64_t y[4] = {0};
    struct gf_error err = {0};
    assert_int_equal(scan_u64("", x, 4, y, &err), GF_E_RESULT_OVERFLOW);
    assert_non_null(strstr(err.text, "result 2 of sequence 0 does not fit u64"));
    assert_int_equal(scan_u64("reverse=1", x, 4, y, &err), GF_E_RESULT_OVERFLOW);
    assert_non_null(strstr(err.text, "result 1 of sequence 0"));
    assert_int_equal(scan_u64("exclusive=1", x, 3, y, &err), GF_OK);
    const uint64_t exclusive[] = {0, UINT64_MAX - 3, UINT64_MAX};
    assert_memory_equal(y, exclusive, sizeof exclusive);
    assert_int_equal(scan_u64("overflow=wrap", x, 4, y, &err), GF_OK);
    const uint64_t wrapped[] = {UINT64_MAX - 3, UINT64_MAX, 0, UINT64_MAX};
    assert_memory_equal(y, wrapped, sizeof wrapped);
}

static void segments_are_sequences(void **state)
{
    UNUSED(state);
    const uint64_t x[] = {1, 2, 3, 4, 5, UINT64_MAX, 1};
    uint32_t offsets[] = {0, 0, 3, 3, 5, 6, 7};
    const struct gf_buf list = {.data = offsets, .view = gf_view_tight(GF_U32, 7, 1, 1)};
    uint64_t y[7];
    struct gf_error err = {0};
    const uint64_t forwards[] = {1, 3, 6, 4, 9, UINT64_MAX, 1}, backwards[] = {5, 3, 0, 5, 0, 0, 0};
    assert_int_equal(scan_cut("", x, 7, &list, y, &err), GF_OK);
    assert_memory_equal(y, forwards, sizeof forwards);
    assert_int_equal(scan_cut("exclusive=1 reverse=1", x, 7, &list, y, &err), GF_OK);
    assert_memory_equal(y, backwards, sizeof backwards);
    offsets[5] = 5;
    assert_int_equal(scan_cut("", x, 7, &list, y, &err), GF_E_RESULT_OVERFLOW);
    assert_non_null(strstr(err.text, "result 1 of segment 5, channel 1 does not fit u64"));
}

static void wrong_segments_are_refused(void **state)
{
    UNUSED(state);
    static const struct {
        int64_t offsets[4];
        uint64_t n;
        const char *says;
    } cases[] = {
        {{0, 2, 4, 3}, 4, "scan: segments: number 3 is 3; allowed: 4"},
        {{0, 2, 1, 4}, 4, "scan: segments: number 2 is 1; allowed: 2..4"},
        {{0, 2, -1, 4}, 4, "scan: segments: number 2 is -1; allowed: 2..4"},
        {{0, 5, 5, 4}, 4, "scan: segments: number 1 is 5; allowed: 0..4"},
        {{1, 2, 3, 4}, 4, "scan: segments: number 0 is 1; allowed: 0"},
        {{4}, 1, "scan: segments has 1 number; it must have 2 or more"},
    };
    const uint64_t x[4] = {0};
    uint64_t y[4];
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_error err = {0};
        int64_t offsets[4];
        memcpy(offsets, cases[i].offsets, sizeof offsets);
        struct gf_buf list = {.data = offsets, .view = gf_view_tight(GF_I64, cases[i].n, 1, 1)};
        assert_int_equal(scan_cut("", x, 4, &list, y, &err), GF_E_BAD_PARAM);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
}

/* Offsets are read many at a time. */
static void the_wrong_one_of_many_offsets_is_named(void **state)
{
    UNUSED(state);
    enum { n = 1300, places = 5 };
    static const uint64_t at[places] = {511, 512, 513, 1024, 1298};
    const uint64_t x[n] = {0};
    uint64_t y[n];
    for (size_t i = 0; i < places; i++) {
        struct gf_error err = {0};
        int32_t offsets[n];
        char says[96];
        for (int k = 0; k < n; k++)
            offsets[k] = k;
        struct gf_buf list = {.data = offsets, .view = gf_view_tight(GF_I32, n, 1, 1)};
        assert_int_equal(scan_cut("", x, n - 1, &list, y, &err), GF_OK);
        offsets[at[i]] -= 2;
        snprintf(says, sizeof says, "segments: number %d is %d; allowed: %d..%d", (int)at[i], (int)at[i] - 2,
                 (int)at[i] - 1, n - 1);
        assert_int_equal(scan_cut("", x, n - 1, &list, y, &err), GF_E_BAD_PARAM);
        if (strstr(err.text, says) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, says);
        offsets[at[i]] = -1;
        assert_int_equal(scan_cut("", x, n - 1, &list, y, &err), GF_E_BAD_PARAM);
    }
}

static void many_segments_have_numbered_blocks(void **state)
{
    UNUSED(state);
    enum { n = 1300 };
    uint32_t offsets[n];
    struct gf_error err = {0};
    struct gf_segment_blocks blocks;
    for (uint32_t i = 0; i < n; i++)
        offsets[i] = i / 2 * 650 + i % 2 * 50; /* 50 and 600 elements by turns */
    const struct gf_buf list = {.data = offsets, .view = gf_view_tight(GF_U32, n, 1, 1)};
    assert_int_equal(gf_segment_blocks_init(&blocks, &list, 50, 250, &err), GF_OK);
    assert_int_equal(blocks.n, n);
    assert_int_equal(blocks.n_blocks, (n - 1) / 2 * 3);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(blocks.first_blocks[i], i / 2 * 3);
    gf_segment_blocks_deinit(&blocks);
    assert_int_equal(gf_segment_blocks_init(&blocks, &list, 600, 250, &err), GF_OK);
    assert_int_equal(blocks.n_blocks, 0);
    assert_null(blocks.first_blocks);
    gf_segment_blocks_deinit(&blocks);
}

/* Offset i of the list that the next test reads: short and long segments by turns, then many short ones. */
static uint64_t offset_of(uint64_t i)
{
    return i < 2000 ? 5 + i / 3 * 650 + i % 3 * 50 : 5 + 666 * 650 + 100 + (i - 2000) * 40;
}

static void a_list_is_read_in_pieces(void **state)
{
    UNUSED(state);
    enum { n = 4100 };
    static const uint32_t dtypes[] = {GF_U64, GF_I64, GF_U32, GF_I32};
    static const uint64_t pieces[] = {1, 511, 512, 513, 2000, n};
    static uint64_t list[n], offsets[n], first_blocks[n];
    static uint32_t narrow[n];
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (size_t p = 0; p < GF_ARRAY_LEN(pieces); p++) {
            const size_t size = gf_dtype_size(dtypes[d]);
            char *bytes = (char *)list + sizeof(list) - n * size;
            for (uint64_t i = 0; i < n; i++) {
                const uint64_t u64 = offset_of(i);
                const uint32_t u32 = (uint32_t)u64;
                memcpy(bytes + i * size, size == sizeof(u64) ? (const void *)&u64 : &u32, size);
            }
            const struct gf_buf buf = {.data = bytes, .view = gf_view_tight(dtypes[d], n, 1, 1)};
            struct gf_segment_reader both = {.list = &buf, .min_length = 100, .block = 250}, one = both;
            one.narrow = true;
            while (both.at < n) {
                const uint64_t at = both.at, now = n - at < pieces[p] ? n - at : pieces[p];
                gf_segments_read(&both, now, offsets + at, first_blocks + at);
                gf_segments_read(&one, now, p % 2 != 0 ? narrow + at : NULL, NULL);
            }
            uint64_t before = 0;
            for (uint64_t i = 0; i < n; i++) {
                assert_int_equal(offsets[i], offset_of(i));
                assert_true(p % 2 == 0 || narrow[i] == offset_of(i));
                assert_int_equal(first_blocks[i], before);
                before += i + 1 < n && offset_of(i + 1) - offset_of(i) > 100 ? 3 : 0;
            }
            assert_int_equal(both.n_blocks, before);
            assert_int_equal(one.n_blocks, before);
            assert_int_equal(one.longest, 3);
            assert_true(one.any_short && both.any_short && !one.wrong && !both.wrong);
        }
}

/* What is refused whether or not all elements must be covered. */
static void offsets_that_wrap_around_are_refused(void **state)
{
    UNUSED(state);
    static const uint64_t cases[][3] = {
        {UINT64_MAX - 4, 3, 4}, {1, UINT64_MAX, 4}, {2, 1, 4}, {1, 2, 5}, {1, UINT64_C(1) << 63, 4}};
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        const struct gf_buf list = {.data = (void *)(uintptr_t)cases[i], .view = gf_view_tight(GF_U64, 3, 1, 1)};
        struct gf_error err = {0};
        if (gf_segments_check(gf_op_by_name("reduce"), 1, &list, 4, false, &err) != GF_E_BAD_PARAM)
            fail_msg("case %zu was taken", i);
    }
}

static void segments_cut_whole_channels(void **state)
{
    UNUSED(state);
    struct gf_step step;
    struct gf_error err = {0};
    struct gf_view in = gf_view_tight(GF_F32, 7, 5, 3), segments = gf_view_tight(GF_U64, 3, 1, 1);
    assert_int_equal(make_cut_step("scan", "axis=rows", in, segments, &step, &err), GF_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "axis=rows cannot be used with segments; use axis=all"));
    assert_int_equal(make_cut_step("scan", "axis=channels", in, segments, &step, &err), GF_OK);
    assert_true(gf_view_same_shape(&step.out[0], &in));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_have_their_dtypes),          cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(an_overflow_names_the_first_result), cmocka_unit_test(segments_are_sequences),
        cmocka_unit_test(wrong_segments_are_refused),         cmocka_unit_test(the_wrong_one_of_many_offsets_is_named),
        cmocka_unit_test(many_segments_have_numbered_blocks), cmocka_unit_test(segments_cut_whole_channels),
        cmocka_unit_test(a_list_is_read_in_pieces),           cmocka_unit_test(offsets_that_wrap_around_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
