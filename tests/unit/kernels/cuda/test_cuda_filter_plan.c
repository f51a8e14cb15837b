/* SPDX-License-Identifier: MIT */
/* kernels/cuda/filter/filter_plan.c: kernels, row chunks, streams and temp storage of linear filters. Needs no device.
 */
#include "kernels/cuda/filter/filter_plan.h"

#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "tests/unit/unit.h"

/* A device with 132 multiprocessors of 228 KiB, and a picture on it. */
struct fixture {
    struct gf_device device;
    struct gf_exec exec;
    struct gf_cuda_image image, out;
    struct gf_cuda_call call;
    struct gf_cuda_filter_group group;
    struct gf_cuda_filter_plan plan;
};

static void *at(uintptr_t address)
{
    return (void *)address; /* of the device: never followed */
}

/* Plans an op with parameters as text on top of the defaults. */
static void plan(struct fixture *x, const char *op, const char *param, const char *value, const struct gf_buf *mask,
                 struct gf_view src, struct gf_view dst)
{
    struct gf_step step = {.op = gf_op_by_name(op)};
    struct gf_error err = {0};
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_op_param_parse(step.op, gf_op_param(step.op, param), value, &step.params, NULL), GF_OK);
    *x = (struct fixture){.device.info.units = 132, .device.shared_memory = {228 * 1024, 1024}};
    x->exec.device = &x->device;
    x->exec.in = at(2);
    x->exec.main = x->exec.steady = at(1);
    x->exec.quick = at(3);
    x->image = (struct gf_cuda_image){.data = at(0x10000), .view = src};
    x->out = (struct gf_cuda_image){.data = at(0x20000), .view = dst};
    x->call = (struct gf_cuda_call){.exec = &x->exec, .image = {&x->image}, .out = &x->out};
    if (gf_filter_init(&x->group.filter, &step, &src, mask, &err) != GF_OK)
        fail_msg("%s", err.text);
    gf_cuda_filter_plan(&x->call, &x->group, &x->plan);
}

static void assert_launch(gf_cuda_filter_launch_fn *launch, gf_cuda_filter_launch_fn *wanted)
{
    assert_true(launch == wanted);
}

static void few_taps_are_one_pass(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_F32, 1920, 1080, 1);
    plan(&x, "gaussian", "sigma", "2", NULL, view, view);
    assert_int_equal(x.plan.n_passes, 1);
    assert_int_equal(x.plan.n_temps, 0);
    assert_int_equal(x.plan.row_chunks.rows, 1080);
    assert_false(x.plan.by_pass);
    const struct gf_cuda_filter_pass *pass = &x.plan.pass[0];
    assert_launch(pass->launch, gf_cuda_fused_launch);
    assert_int_equal(pass->fused.n_x, 17);
    assert_int_equal(pass->fused.quads, 36);       /* 128 samples and 16 more */
    assert_int_equal(pass->fused.tile_pitch, 148); /* 36 quads and one, an odd number */
    assert_int_equal(pass->fused.ring_rows, 48);
    assert_int_equal(pass->fused.shared_bytes, 4 * (32 * 148 + 48 * 132 + 144));
    assert_int_equal(pass->fused.blocks, 4);
    gf_cuda_filter_group_deinit(&x.group);
}

static void many_taps_are_rows_and_columns(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_U8, 1000, 500, 3);
    plan(&x, "gaussian", "sigma", "40", NULL, view, view);
    const struct gf_cuda_filter_temp *temp = x.plan.temp;
    assert_int_equal(x.plan.n_passes, 2);
    assert_launch(x.plan.pass[0].launch, gf_cuda_rows_launch);
    assert_launch(x.plan.pass[1].launch, gf_cuda_columns_launch);
    assert_int_equal(x.plan.n_temps, 3);
    for (uintptr_t i = 0; i < 3; i++)
        x.plan.temp[i].data = at(0x1000 * (i + 1));
    gf_cuda_filter_bind(&x.plan);
    assert_int_equal(temp[0].bytes, 321 * sizeof(float));
    assert_ptr_equal(temp[0].values, x.group.filter.taps_x);
    assert_ptr_equal(x.plan.pass[0].taps.taps, temp[0].data);
    assert_int_equal(temp[1].bytes, 12000 * 500); /* a row of sums: 3000 of 4 bytes */
    assert_ptr_equal(x.plan.pass[0].taps.sums, temp[1].data);
    assert_ptr_equal(x.plan.pass[1].taps.sums, temp[1].data);
    assert_ptr_equal(temp[2].values, x.group.filter.taps_y);
    assert_ptr_equal(x.plan.pass[1].taps.taps, temp[2].data);
    gf_cuda_filter_group_deinit(&x.group);
}

/* In every chunk the row pass is ahead of the column pass by the taps; no row is made twice or left out. */
static void rows_run_ahead_of_columns(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_F32, 64, 1000, 1);
    plan(&x, "gaussian", "sigma", "40", NULL, view, view);
    const struct gf_cuda_filter_pass *rows = &x.plan.pass[0], *columns = &x.plan.pass[1];
    x.plan.row_chunks.rows = 256;
    x.plan.by_pass = false;
    const int32_t ends[] = {128, 384, 640, 896, 1000}, reach[] = {449, 705, 961, 1000, 1000};
    for (int32_t i = 0, first = 0, made = 0; i < 5; i++) {
        struct gf_cuda_row_chunk chunk = {first, (int32_t)gf_cuda_row_chunk_end(&x.plan.row_chunks, (uint64_t)first)};
        assert_int_equal(chunk.end, ends[i]);
        struct gf_cuda_row_chunk of_rows = gf_cuda_filter_rows(&x.plan, rows, chunk);
        assert_int_equal(of_rows.first, made);
        assert_int_equal(of_rows.end, reach[i]);
        assert_int_equal(gf_cuda_filter_reach(&x.plan, chunk.end), reach[i]);
        struct gf_cuda_row_chunk of_columns = gf_cuda_filter_rows(&x.plan, columns, chunk);
        assert_int_equal(of_columns.first, first);
        assert_int_equal(of_columns.end, ends[i]);
        first = chunk.end;
        made = of_rows.end;
    }
    x.plan.by_pass = true;
    struct gf_cuda_row_chunk chunk = gf_cuda_filter_rows(&x.plan, rows, (struct gf_cuda_row_chunk){128, 384});
    assert_int_equal(chunk.first, 128);
    assert_int_equal(chunk.end, 384);
    gf_cuda_filter_group_deinit(&x.group);
}

/* Two filters that are added share a sum in temp storage: the first writes it, and the last pass adds it. */
static void filters_that_are_added_share_a_sum(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_U8, 30, 20, 1), out = gf_view_tight(GF_F32, 30, 20, 1);
    plan(&x, "log", "sigma", "2", NULL, view, out);
    assert_int_equal(x.plan.n_passes, 2);
    assert_int_equal(x.plan.n_temps, 1);
    assert_int_equal(x.plan.temp[0].bytes, 128 * 20);
    x.plan.temp[0].data = at(0x1000);
    gf_cuda_filter_bind(&x.plan);
    assert_launch(x.plan.pass[0].launch, gf_cuda_fused_launch);
    assert_ptr_equal(x.plan.pass[0].dst.data, at(0x1000));
    assert_int_equal(x.plan.pass[0].after.what, GF_AFTER_NOTHING);
    assert_ptr_equal(x.plan.pass[1].dst.data, at(0x20000));
    assert_int_equal(x.plan.pass[1].after.what, GF_AFTER_SUM);
    assert_ptr_equal(x.plan.pass[1].after.add, at(0x1000));
    assert_int_equal(x.plan.pass[1].after.add_pitch, 128);
    gf_cuda_filter_group_deinit(&x.group);
}

/* The kernel chosen for a mask, by side, types, channels and weights. */
static void masks_have_kernels_of_their_own(void **state)
{
    UNUSED(state);
    static float fractions[17 * 17], whole[17 * 17];
    for (uint32_t i = 0; i < 17 * 17; i++) {
        fractions[i] = 1.0f / (float)(3 + i);
        whole[i] = (float)(i % 3) * 0.25f;
    }
    const struct {
        uint32_t side, dtype, channels;
        float *coefs;
        const char *alpha;
        gf_cuda_filter_launch_fn *launch;
    } cases[] = {
        {3, GF_U8, 1, whole, "straight", gf_cuda_mask_bytes_launch},
        {3, GF_U8, 1, fractions, "straight", gf_cuda_mask_u8_launch},
        {7, GF_U8, 3, whole, "straight", gf_cuda_mask_bytes_launch},
        {7, GF_U8, 4, whole, "straight", gf_cuda_mask_launch},
        {9, GF_U8, 1, whole, "straight", gf_cuda_mask_bytes_launch},
        {9, GF_U8, 3, whole, "straight", gf_cuda_mask_u8_launch},
        {9, GF_U8, 4, whole, "straight", gf_cuda_mask_launch},
        {5, GF_U8, 4, whole, "premultiplied", gf_cuda_mask_launch},
        {7, GF_U16, 3, whole, "straight", gf_cuda_mask_u16_launch},
        {15, GF_U16, 3, whole, "straight", gf_cuda_mask_launch},
        {5, GF_F32, 2, fractions, "straight", gf_cuda_mask_launch},
        {7, GF_F32, 2, fractions, "straight", gf_cuda_any_mask_launch},
        {11, GF_F32, 1, fractions, "straight", gf_cuda_mask_f32_launch},
        {13, GF_F32, 1, fractions, "straight", gf_cuda_any_mask_launch},
        {4, GF_F32, 1, fractions, "straight", gf_cuda_any_mask_launch},
        {3, GF_I16, 1, whole, "straight", gf_cuda_mask_launch},
        {7, GF_F16, 3, fractions, "straight", gf_cuda_mask_launch},
        {17, GF_I16, 1, whole, "straight", gf_cuda_any_mask_launch},
        {17, GF_U8, 1, whole, "straight", gf_cuda_any_mask_launch},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fixture x;
        struct gf_view view = gf_view_tight(cases[i].dtype, 40, 40, cases[i].channels);
        const struct gf_buf mask = {cases[i].coefs, gf_view_tight(GF_F32, cases[i].side, cases[i].side, 1)};
        plan(&x, "correlate", "alpha", cases[i].alpha, &mask, view, view);
        assert_int_equal(x.plan.n_passes, 1);
        if (x.plan.pass[0].launch != cases[i].launch)
            fail_msg("case %zu has another kernel", i);
        bool any = cases[i].launch == gf_cuda_any_mask_launch;
        assert_int_equal(x.plan.n_temps, any ? 1 : 0);
        if (any)
            assert_int_equal(x.plan.temp[0].bytes, cases[i].side * cases[i].side * sizeof(float));
        gf_cuda_filter_group_deinit(&x.group);
    }
}

/* Sums of bytes use the mask as integers; the scale compensates. */
static void weights_go_to_the_scale(void **state)
{
    UNUSED(state);
    float coefs[9] = {0.25f, 0.5f, 0.25f, 0.5f, 1.0f, 0.5f, 0.25f, 0.5f, 0.25f};
    const struct gf_buf mask = {coefs, gf_view_tight(GF_F32, 3, 3, 1)};
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_U8, 40, 40, 1);
    plan(&x, "correlate", "scale", "3", &mask, view, view);
    assert_launch(x.plan.pass[0].launch, gf_cuda_mask_bytes_launch);
    assert_int_equal(x.plan.pass[0].mask.weights.bytes[0], 16);
    assert_int_equal(x.plan.pass[0].mask.weights.bytes[4], 64);
    assert_true(x.plan.pass[0].dst.scale == 3.0f / 64.0f);
    gf_cuda_filter_group_deinit(&x.group);
}

static void gradients_of_bytes_are_sums_of_bytes(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_U8, 40, 40, 3), out = gf_view_tight(GF_F32, 40, 40, 3);
    plan(&x, "sobel", "output", "magnitude", NULL, view, out);
    assert_launch(x.plan.pass[0].launch, gf_cuda_raw_magnitude_launch);
    assert_int_equal(x.plan.pass[0].stencil.bytes[0][3], -2);
    x.device.inexact_roots = true;
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_launch(x.plan.pass[0].launch, gf_cuda_whole_roots_launch);
    gf_cuda_filter_group_deinit(&x.group);
    plan(&x, "sobel", "output", "dx", NULL, view, out);
    assert_launch(x.plan.pass[0].launch, gf_cuda_mask_bytes_launch);
    gf_cuda_filter_group_deinit(&x.group);
    view.dtype = GF_F32;
    view.pitch *= 4;
    plan(&x, "sobel", "output", "dx", NULL, view, out);
    assert_launch(x.plan.pass[0].launch, gf_cuda_stencil_launch);
    assert_int_equal(x.plan.pass[0].stencil.what, GF_CUDA_ACROSS);
    assert_true(x.plan.pass[0].stencil.gradient.outer == 1.0f && x.plan.pass[0].stencil.gradient.middle == 2.0f);
    gf_cuda_filter_group_deinit(&x.group);
}

/* Row chunks of a heavy mask use two streams if the picture is on the device and the job is long. */
static void heavy_masks_go_into_two_streams(void **state)
{
    UNUSED(state);
    static float coefs[63 * 63] = {1.0f};
    const struct gf_buf mask = {coefs, gf_view_tight(GF_F32, 63, 63, 1)};
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_F32, 16384, 16384, 1);
    plan(&x, "correlate", "border", "reflect", &mask, view, view);
    assert_true(x.plan.by_pass);
    assert_true(x.plan.row_chunks.rows < 16384);
    assert_int_equal(x.plan.row_chunks.rows % 64, 0);
    assert_int_equal(x.plan.pass[0].any_mask.spans, 2);
    x.exec.main = x.exec.quick;
    gf_cuda_filter_plan(&x.call, &x.group, &x.plan);
    assert_false(x.plan.by_pass);
    gf_cuda_filter_group_deinit(&x.group);
}

static void boxes_have_planes(void **state)
{
    UNUSED(state);
    struct fixture x;
    struct gf_view view = gf_view_tight(GF_F32, 100, 50, 2);
    plan(&x, "box", "size", "9", NULL, view, view);
    assert_launch(x.plan.pass[0].launch, gf_cuda_box_launch);
    assert_int_equal(x.plan.n_temps, 1);
    assert_int_equal(x.plan.temp[0].bytes, 2 * 100 * 52 * sizeof(float)); /* columns of 50 take 52 */
    gf_cuda_filter_group_deinit(&x.group);
    plan(&x, "box", "size", "1023", NULL, view, view);
    assert_int_equal(x.plan.n_temps, 2);
    x.plan.temp[0].data = at(0x1000);
    x.plan.temp[1].data = at(0x2000);
    gf_cuda_filter_bind(&x.plan);
    assert_ptr_equal(x.plan.pass[0].box.planes, at(0x1000));
    assert_ptr_equal(x.plan.pass[0].box.transposed, at(0x2000));
    gf_cuda_filter_group_deinit(&x.group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_taps_are_one_pass),
        cmocka_unit_test(many_taps_are_rows_and_columns),
        cmocka_unit_test(rows_run_ahead_of_columns),
        cmocka_unit_test(filters_that_are_added_share_a_sum),
        cmocka_unit_test(masks_have_kernels_of_their_own),
        cmocka_unit_test(weights_go_to_the_scale),
        cmocka_unit_test(gradients_of_bytes_are_sums_of_bytes),
        cmocka_unit_test(heavy_masks_go_into_two_streams),
        cmocka_unit_test(boxes_have_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
