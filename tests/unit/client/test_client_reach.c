/* SPDX-License-Identifier: MIT */
/* gpufilter_reach: the halo that a program reads, by its parameters. tests/python/test_reach.py tests on data that
 * tiles with this halo are exact. */
#include "tests/unit/unit.h"

#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "protocol/base/base.h"

#define ALL GPUFILTER_ALL
#define SIDE 100u

static uint8_t g_data[SIDE * SIDE * 8];

struct sides {
    uint32_t left, right, above, below;
};

static int reach_of(const char *text, uint32_t dtype, gpufilter_halo *halo, gpufilter_error *err)
{
    const gpufilter_view operands[] = {{.data = g_data, .width = SIDE, .height = SIDE, .dtype = dtype, .channels = 1},
                                       {.data = g_data, .width = SIDE, .height = SIDE, .dtype = dtype, .channels = 1}};
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    *halo = (gpufilter_halo)GPUFILTER_HALO_INIT;
    return gpufilter_reach_text(text, operands, strstr(text, "@1") != NULL ? 2 : 1, &result, 1, halo, err);
}

static gpufilter_halo halo_of(const char *text, uint32_t dtype)
{
    gpufilter_halo halo;
    gpufilter_error err;
    if (reach_of(text, dtype, &halo, &err) != GPUFILTER_OK)
        fail_msg("%s: %s", text, err.text);
    return halo;
}

static void assert_sides(const char *text, uint32_t dtype, struct sides want)
{
    gpufilter_halo h = halo_of(text, dtype);
    if (h.left != want.left || h.right != want.right || h.above != want.above || h.below != want.below)
        fail_msg("%s: %d %d %d %d", text, (int)h.left, (int)h.right, (int)h.above, (int)h.below);
}

static void filters_look_as_far_as_their_masks(void **state)
{
    UNUSED(state);
    assert_sides("map scale=2", GPUFILTER_U8, (struct sides){0, 0, 0, 0});
    assert_sides("threshold value=9", GPUFILTER_U8, (struct sides){0, 0, 0, 0});
    assert_sides("copy", GPUFILTER_I64, (struct sides){0, 0, 0, 0});
    assert_sides("expr 'a*2 + ch'", GPUFILTER_F16, (struct sides){0, 0, 0, 0});
    assert_sides("expr 'a*2 + y' | box size=1x3", GPUFILTER_U8, (struct sides){0, 0, ALL, ALL});
    assert_sides("sobel", GPUFILTER_U8, (struct sides){1, 1, 1, 1});
    assert_sides("gaussian sigma=2", GPUFILTER_U8, (struct sides){8, 8, 8, 8});
    assert_sides("gaussian sigma=1,0 truncate=2.6", GPUFILTER_U8, (struct sides){3, 3, 0, 0});
    assert_sides("unsharp sigma=0,1", GPUFILTER_U8, (struct sides){0, 0, 4, 4});
    assert_sides("log sigma=1,2 truncate=3", GPUFILTER_U8, (struct sides){3, 3, 6, 6});
    assert_sides("box size=4x7", GPUFILTER_U8, (struct sides){2, 1, 3, 3});
    assert_sides("correlate mask='1 2 3 4; 1 2 3 4' anchor=0,1", GPUFILTER_U8, (struct sides){0, 3, 1, 0});
    assert_sides("convolve mask='1 2 3 4; 1 2 3 4' anchor=0,1", GPUFILTER_U8, (struct sides){3, 0, 0, 1});
    assert_sides("convolve mask='1 2 3 4'", GPUFILTER_U8, (struct sides){1, 2, 0, 0});
    assert_sides("correlate mask='1 2 3 4; 1 2 3 4' size=valid anchor=0,1", GPUFILTER_U8, (struct sides){0, 3, 0, 1});
}

/* At the left edge a mirror reads pixels to the right of the edge. */
static void mirrors_look_to_the_other_side(void **state)
{
    UNUSED(state);
    assert_sides("correlate mask='1 2 3 4' anchor=3,0 border=reflect", GPUFILTER_U8, (struct sides){3, 2, 0, 0});
    assert_sides("correlate mask='1 2 3 4' anchor=3,0 border=reflect101", GPUFILTER_U8, (struct sides){3, 3, 0, 0});
    assert_sides("correlate mask='1;2;3' anchor=0,0 border=reflect", GPUFILTER_U8, (struct sides){0, 0, 1, 2});
    assert_sides("box size=4x1 border=reflect", GPUFILTER_U8, (struct sides){2, 1, 0, 0});
    assert_sides("box size=4x1 border=reflect101", GPUFILTER_U8, (struct sides){2, 2, 0, 0});
    assert_sides("bilateral", GPUFILTER_U8, (struct sides){3, 3, 3, 3});
    assert_sides("bilateral radius=5 border=reflect", GPUFILTER_F32, (struct sides){5, 5, 5, 5});
}

static void kernels_look_along_their_axis(void **state)
{
    UNUSED(state);
    static const float taps[] = {1, 2, 3, 4, 5};
    const gpufilter_view operands[] = {gpufilter_tight_view(g_data, SIDE, SIDE, GPUFILTER_F32, 1),
                                       gpufilter_tight_view((void *)taps, 5, 1, GPUFILTER_F32, 1)};
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    const struct {
        const char *text;
        struct sides want;
    } cases[] = {
        {"correlate1d", {2, 2, 0, 0}},
        {"correlate1d anchor=1", {1, 3, 0, 0}},
        {"convolve1d anchor=1 axis=cols", {0, 0, 3, 1}},
        {"correlate1d mode=valid anchor=1", {0, 4, 0, 0}},
        {"convolve1d mode=full axis=cols", {0, 0, 4, 0}},
        {"gaussian sigma=1 | convolve1d kernel=@1 anchor=0", {8, 4, 4, 4}},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        gpufilter_halo h = GPUFILTER_HALO_INIT;
        assert_int_equal(gpufilter_reach_text(cases[i].text, operands, 2, &result, 1, &h, NULL), GPUFILTER_OK);
        assert_int_equal(h.left, cases[i].want.left);
        assert_int_equal(h.right, cases[i].want.right);
        assert_int_equal(h.above, cases[i].want.above);
        assert_int_equal(h.below, cases[i].want.below);
        assert_int_equal(h.tiled, 1); /* each tile needs the whole kernel */
    }
}

static void a_template_is_needed_whole(void **state)
{
    UNUSED(state);
    const gpufilter_view operands[] = {gpufilter_tight_view(g_data, SIDE, SIDE, GPUFILTER_U8, 1),
                                       gpufilter_tight_view(g_data, 5, 3, GPUFILTER_U8, 1)};
    gpufilter_result results[] = {GPUFILTER_RESULT_INIT, GPUFILTER_RESULT_INIT};
    gpufilter_halo h = GPUFILTER_HALO_INIT;
    assert_int_equal(gpufilter_reach_text("match templ=@1", operands, 2, results, 1, &h, NULL), GPUFILTER_OK);
    assert_true(h.left == 0 && h.right == 4 && h.above == 0 && h.below == 2);
    assert_int_equal(h.tiled, 1);
    static const char *const others[] = {"found", "count"};
    for (uint32_t output = 0; output < 2; output++) { /* peaks depend on all scores, even if no other step does */
        results[1].output = others[output];
        for (uint32_t first = 0; first < 2; first++) {
            assert_int_equal(
                gpufilter_reach_text("match templ=@1 peaks=4", operands, 2, results + first, 2 - first, &h, NULL),
                GPUFILTER_OK);
            assert_true(h.left == ALL && h.right == ALL && h.above == ALL && h.below == ALL);
        }
    }
}

static void what_needs_all_says_all(void **state)
{
    UNUSED(state);
    static const char *const everything[] = {"histogram",
                                             "equalize",
                                             "autocontrast",
                                             "clahe",
                                             "threshold",
                                             "stats",
                                             "reduce",
                                             "scan",
                                             "integral",
                                             "select",
                                             "label",
                                             "distance",
                                             "canny",
                                             "pyramid",
                                             "compare b=@1",
                                             "equalize | sobel",
                                             "sobel dtype=u8 | equalize"};
    for (size_t i = 0; i < GF_ARRAY_LEN(everything); i++)
        assert_sides(everything[i], GPUFILTER_U8, (struct sides){ALL, ALL, ALL, ALL});
    assert_sides("scan axis=rows", GPUFILTER_F32, (struct sides){ALL, ALL, 0, 0});
    assert_sides("scan axis=cols", GPUFILTER_F32, (struct sides){0, 0, ALL, ALL});
    assert_sides("gaussian sigma=1 | recurrence axis=rows", GPUFILTER_F32, (struct sides){ALL, ALL, 4, 4});
    assert_sides("reduce op=max axis=rows", GPUFILTER_F32, (struct sides){ALL, ALL, 0, 0});
    assert_sides("dot axis=cols b=@1", GPUFILTER_F32, (struct sides){0, 0, ALL, ALL});
    assert_sides("recurrence", GPUFILTER_F32, (struct sides){ALL, ALL, ALL, ALL});
}

static void chains_add_up_and_the_longest_way_counts(void **state)
{
    UNUSED(state);
    assert_sides("gaussian sigma=2 | sobel | box size=3x1", GPUFILTER_U8, (struct sides){10, 10, 9, 9});
    assert_sides("gaussian sigma=1 | box src=#0 size=21x3 | combine src=#1 other=#2", GPUFILTER_U8,
                 (struct sides){10, 10, 4, 4});
    assert_sides("gaussian sigma=1 | combine other=@0", GPUFILTER_U8, (struct sides){4, 4, 4, 4});
    assert_sides("correlate mask='1 2 3' size=valid | gaussian sigma=1", GPUFILTER_F32, (struct sides){4, 6, 4, 4});
    assert_int_equal(halo_of("sobel | combine other=@1", GPUFILTER_F32).tiled, 3);
    /* A step that the result does not use runs on the cut tile, too. */
    assert_sides("equalize | sobel src=#0", GPUFILTER_U8, (struct sides){ALL, ALL, ALL, ALL});
    assert_sides("box size=5 | sobel src=#0", GPUFILTER_U8, (struct sides){2, 2, 2, 2});
    assert_int_equal(halo_of("combine other=@1 | sobel src=#0", GPUFILTER_U8).tiled, 3);
    assert_sides("correlate mask='1 2 3' size=valid | sobel src=#0", GPUFILTER_U8, (struct sides){ALL, ALL, 1, 1});
    /* A picture that is a matrix's other side too. */
    assert_sides("matmul b=@1", GPUFILTER_F32, (struct sides){ALL, ALL, 0, 0});
    assert_int_equal(halo_of("matmul b=@1", GPUFILTER_F32).tiled, 1);
    assert_sides("matmul b=@0", GPUFILTER_F32, (struct sides){ALL, ALL, ALL, ALL});
    assert_sides("gaussian src=@1 | matmul a=@0 b=#1", GPUFILTER_F32, (struct sides){ALL, ALL, 0, 0});
}

static void wrapping_is_told(void **state)
{
    UNUSED(state);
    gpufilter_halo h = halo_of("gaussian sigma=1,2 border=wrap | map scale=2", GPUFILTER_U8);
    assert_int_equal(h.left, 4);
    assert_int_equal(h.below, 8);
    assert_true(h.wrap_x == 1 && h.wrap_y == 1);
    h = halo_of("box size=1x5 border=wrap | box size=5x1", GPUFILTER_U8);
    assert_true(h.wrap_x == 0 && h.wrap_y == 1 && h.left == 2 && h.above == 2);
    h = halo_of("box size=1x5 border=wrap | correlate mask='1;2;3' size=valid", GPUFILTER_U8);
    assert_true(h.wrap_y == 1 && h.above == 2 && h.below == 4);
    /* Two border modes do not combine, and a cut tile has a different opposite edge. */
    assert_sides("box size=1x5 border=wrap | sobel", GPUFILTER_U8, (struct sides){1, 1, ALL, ALL});
    assert_sides("correlate mask='1;2;3' size=valid | box size=1x5 border=wrap", GPUFILTER_U8,
                 (struct sides){0, 0, ALL, ALL});
    assert_int_equal(halo_of("sobel border=wrap | scan axis=rows", GPUFILTER_F32).wrap_x, 0);
}

static void results_of_two_widths_need_all_columns(void **state)
{
    UNUSED(state);
    const gpufilter_view view = gpufilter_tight_view(g_data, SIDE, SIDE, GPUFILTER_U8, 1);
    gpufilter_result results[] = {GPUFILTER_RESULT_INIT, {.output = "#2"}, {.output = "#1"}};
    gpufilter_halo halo = GPUFILTER_HALO_INIT;
    const char *text = "box size=3 | sobel | correlate mask='1 2 3' size=valid";
    assert_int_equal(gpufilter_reach_text(text, &view, 1, results + 1, 2, &halo, NULL), GPUFILTER_OK);
    assert_true(halo.left == ALL && halo.above == 2);
    assert_int_equal(gpufilter_reach_text(text, &view, 1, results, 1, &halo, NULL), GPUFILTER_OK);
    assert_true(halo.left == 2 && halo.right == 4 && halo.above == 2);
    assert_int_equal(gpufilter_reach_text("box size=3 | sobel", &view, 1, results + 1, 2, &halo, NULL), GPUFILTER_OK);
    assert_true(halo.left == 2 && halo.right == 2 && halo.above == 2);
}

static void wrong_use_is_told(void **state)
{
    UNUSED(state);
    gpufilter_halo halo = GPUFILTER_HALO_INIT;
    gpufilter_error err;
    const gpufilter_view view = gpufilter_tight_view(g_data, SIDE, SIDE, GPUFILTER_U8, 1);
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(reach_of("gaussian sigma=-1", GPUFILTER_U8, &halo, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "sigma=-1"));
    assert_int_equal(gpufilter_reach_text("box", &view, 1, &result, 1, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "halo is NULL");
    halo.struct_size = 0;
    assert_int_equal(gpufilter_reach_text("box", &view, 1, &result, 1, &halo, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "gpufilter_halo"));
    assert_int_equal(gpufilter_reach_text(NULL, &view, 1, &result, 1, &halo, &err), GPUFILTER_E_BAD_REQUEST);
    assert_string_equal(err.text, "column 1: an operation is missing");
    assert_int_equal(gpufilter_reach_text("box", &view, 1, NULL, 0, &halo, &err), GPUFILTER_E_BAD_REQUEST);
}

static void structs_say_the_same(void **state)
{
    UNUSED(state);
    gpufilter_box_params params = GPUFILTER_BOX_INIT;
    params.size[0] = 5, params.size[1] = 3;
    const gpufilter_step step = {.params = &params};
    const gpufilter_view view = gpufilter_tight_view(g_data, SIDE, SIDE, GPUFILTER_U8, 1);
    const gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_halo halo = GPUFILTER_HALO_INIT;
    halo.before = halo.after = halo.wrap_z = 9;
    assert_int_equal(gpufilter_reach(&step, 1, &view, 1, &result, 1, &halo, NULL), GPUFILTER_OK);
    assert_true(halo.left == 2 && halo.right == 2 && halo.above == 1 && halo.below == 1 && halo.tiled == 1);
    assert_true(halo.before == 0 && halo.after == 0 && halo.wrap_z == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_look_as_far_as_their_masks),
        cmocka_unit_test(mirrors_look_to_the_other_side),
        cmocka_unit_test(kernels_look_along_their_axis),
        cmocka_unit_test(a_template_is_needed_whole),
        cmocka_unit_test(what_needs_all_says_all),
        cmocka_unit_test(chains_add_up_and_the_longest_way_counts),
        cmocka_unit_test(wrapping_is_told),
        cmocka_unit_test(results_of_two_widths_need_all_columns),
        cmocka_unit_test(wrong_use_is_told),
        cmocka_unit_test(structs_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
