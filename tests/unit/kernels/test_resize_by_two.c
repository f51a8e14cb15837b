/* SPDX-License-Identifier: MIT */
/* kernels/shared/geometry: when both sides are halved, which rows of u8 have integer weights, and their values. */
#include <string.h>

#include "kernels/shared/geometry/resize_by_two.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/resize.h"
#include "tests/unit/unit.h"

/* The weights to resize a picture of 40 x 30 to 20 x 15, or a part of that size of a picture of 41 x 31. */
static struct gf_resize_by_two weights_of(uint32_t dtype, uint32_t filter, double corner)
{
    struct gf_view src = gf_view_tight(dtype, corner > 0.0 ? 41 : 40, corner > 0.0 ? 31 : 30, 3);
    struct gf_step step;
    struct gf_error err;
    struct gf_resize_by_two by_two;
    struct gf_resize r;
    memset(&step, 0, sizeof step);
    step.op = &gf_ops[GF_INDEX_resize];
    gf_op_params_default(step.op, &step.params);
    GF_SET_PARAM(&step.params, resize, size, (struct gf_u32v){.n = 2, .v = {20, 15}});
    GF_SET_PARAM(&step.params, resize, filter, filter);
    if (corner > 0.0)
        GF_SET_PARAM(&step.params, resize, box, (struct gf_f64v){.n = 4, .v = {corner, corner, 40.0, 30.0}});
    assert_int_equal(gf_op_infer(step.op, &src, 1, &step.params, step.out, &err), GF_OK);
    gf_resize_plan(&r, &step, &src);
    assert_int_equal(gf_resize_by_two_init(&by_two, &r, &src, &err), GF_OK);
    return by_two;
}

static void check_whole(const struct gf_resize_by_two *by_two, int32_t first, int32_t end, const int8_t *weights)
{
    assert_int_equal(by_two->whole.rows.first, first);
    assert_int_equal(by_two->whole.rows.end, end);
    for (int32_t t = 0; t < by_two->taps; t++)
        assert_int_equal((int8_t)(by_two->whole.weights[t / 4] >> (8 * (t % 4))), weights[t]);
}

/* Windows of 8 rows lie inside from row 2 to 12, windows of 4 rows from 1 to 13. */
static void bytes_have_whole_weights(void **state)
{
    static const int8_t cubic[] = {-3, -9, 29, 111, 111, 29, -9, -3}, linear[] = {32, 96, 96, 32};
    (void)state;
    struct gf_resize_by_two by_two = weights_of(GF_U8, GF_RESIZE_CUBIC, 0.0);
    assert_int_equal(by_two.taps, 8);
    check_whole(&by_two, 2, 13, cubic);
    by_two = weights_of(GF_U8, GF_RESIZE_LINEAR, 0.0);
    assert_int_equal(by_two.taps, 4);
    check_whole(&by_two, 1, 14, linear);
}

static void others_have_none(void **state)
{
    (void)state;
    struct gf_resize_by_two by_two = weights_of(GF_U8, GF_RESIZE_LANCZOS3, 0.0);
    assert_int_equal(by_two.taps, 12);
    assert_int_equal(by_two.whole.rows.end - by_two.whole.rows.first, 0);
    by_two = weights_of(GF_U16, GF_RESIZE_CUBIC, 0.0);
    assert_int_equal(by_two.taps, 8);
    assert_int_equal(by_two.whole.rows.end - by_two.whole.rows.first, 0);
    by_two = weights_of(GF_U8, GF_RESIZE_CUBIC, 0.25); /* multiples of 2^-10 or finer */
    assert_int_equal(by_two.whole.rows.end - by_two.whole.rows.first, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_have_whole_weights),
        cmocka_unit_test(others_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
