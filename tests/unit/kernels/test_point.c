/* SPDX-License-Identifier: MIT */
/* kernels/point and kernels/gamma: tables of map, and the power that runs on samples. */
#include "kernels/shared/point.h"

#include <math.h>

#include "kernels/shared/gamma.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/map.h"
#include "tests/unit/unit.h"

static void power_is_within_an_ulp(void **state)
{
    UNUSED(state);
    static const float gammas[] = {0.0078125f, 0.45454547f, 0.5f, 2.0f, 2.2f, 7.5f, 128.0f};
    for (size_t k = 0; k < GF_ARRAY_LEN(gammas); k++)
        for (float v = 0x1p-149f; v < 1e38f; v = v * 1.09f + 0x1p-149f) {
            double exact = pow((double)v, (double)gammas[k]);
            float power = gf_gamma(v, gammas[k]), nearest = (float)exact;
            if (power != nearest && power != nextafterf(nearest, 0.0f) && power != nextafterf(nearest, INFINITY))
                fail_msg("%a to the power of %g is %a, not %a", (double)v, (double)gammas[k], (double)power, exact);
        }
}

static void power_keeps_ends(void **state)
{
    UNUSED(state);
    assert_true(gf_gamma(1.0f, 2.2f) == 1.0f && gf_gamma(0.25f, 0.5f) == 0.5f && gf_gamma(4.0f, 2.0f) == 16.0f);
    assert_true(gf_gamma(-3.0f, 2.0f) == 0.0f && gf_gamma(-INFINITY, 2.0f) == 0.0f && !signbit(gf_gamma(-0.0f, 2.0f)));
    assert_true(gf_gamma(INFINITY, 0.0078125f) == INFINITY && isnan(gf_gamma(NAN, 2.0f)));
}

static void integers_have_a_table(void **state)
{
    UNUSED(state);
    struct gf_step step = {.op = gf_op_by_name("map")};
    struct gf_view src = gf_view_tight(GF_U8, 4, 4, 1);
    struct gf_map map = GF_MAP_NULL;
    gf_op_params_default(step.op, &step.params);
    assert_int_equal(gf_map_init(&map, &step, &src, NULL, NULL), GF_OK);
    assert_null(map.table);
    GF_SET_PARAM(&step.params, map, gamma, 2.0f);
    GF_SET_PARAM(&step.params, map, range, GF_RANGE_FULL);
    GF_SET_PARAM(&step.params, map, dtype, GF_DTYPE_U16);
    assert_int_equal(gf_map_init(&map, &step, &src, NULL, NULL), GF_OK);
    assert_int_equal(map.n_table, 256);
    /* 257 * 255 * (v / 255)^2 */
    assert_true(map.table[0] == 0.0f && map.table[1] == 1.0f && map.table[51] == 2621.0f && map.table[255] == 65535.0f);
    gf_map_deinit(&map);
    assert_null(map.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_is_within_an_ulp),
        cmocka_unit_test(power_keeps_ends),
        cmocka_unit_test(integers_have_a_table),
    };
    return cmocka_run_group_tests_name("point", tests, NULL, NULL);
}
