/* SPDX-License-Identifier: MIT */
/* kernels/shared/geometry: properties of resize that are derived from its sizes alone hold for all its windows. */
#include <math.h>
#include <string.h>

#include "kernels/shared/geometry/resize_by_two.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/resize.h"
#include "tests/unit/unit.h"

#define SIDES 72u

/* Plans the resize of a picture of `length` by 2 * `length` pixels to n by 2 * n. */
static struct gf_view plan(struct gf_resize *r, uint32_t length, uint32_t n, uint32_t filter, uint32_t antialias,
                           double corner)
{
    struct gf_view src = gf_view_tight(GF_U8, length, 2 * (uint64_t)length, 1);
    struct gf_step step;
    struct gf_error err;
    memset(&step, 0, sizeof step);
    step.op = &gf_ops[GF_INDEX_resize];
    gf_op_params_default(step.op, &step.params);
    GF_SET_PARAM(&step.params, resize, size, (struct gf_u32v){.n = 2, .v = {n, 2 * n}});
    GF_SET_PARAM(&step.params, resize, filter, filter);
    GF_SET_PARAM(&step.params, resize, antialias, antialias);
    if (corner > 0.0)
        GF_SET_PARAM(&step.params, resize, box, (struct gf_f64v){.n = 4, .v = {corner, corner, 2.0 * n, 4.0 * n}});
    assert_int_equal(gf_op_infer(step.op, &src, 1, &step.params, step.out, &err), GF_OK);
    gf_resize_plan(r, &step, &src);
    return src;
}

static bool are_means(const struct gf_resize_axis *axis, uint32_t origin)
{
    for (uint32_t i = 0; i < axis->n; i++)
        if (axis->at[i + 1] != 2 * (i + 1) || axis->first[i] != origin + 2 * i || axis->weights[2 * i] != 0.5f ||
            axis->weights[2 * i + 1] != 0.5f)
            return false;
    return true;
}

/* Filters with and without antialias; area always has it. */
#define FOR_ALL_FILTERS(filter, antialias)                                                                             \
    for (uint32_t filter = GF_RESIZE_LINEAR; filter <= GF_RESIZE_LANCZOS3; filter++)                                   \
        for (uint32_t antialias = filter == GF_RESIZE_AREA ? 1 : 0; antialias < 2; antialias++)

static void halves_are_what_all_windows_say(void **state)
{
    uint32_t found = 0;
    (void)state;
    for (uint32_t length = 1; length <= SIDES; length++)
        for (uint32_t n = 1; n <= SIDES; n++)
            FOR_ALL_FILTERS(filter, antialias)
            {
                gf_cleanup(gf_resize_deinit) struct gf_resize r = GF_RESIZE_NULL;
                plan(&r, length, n, filter, antialias, 0.0);
                assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
                assert_int_equal(r.halves, are_means(&r.x, 0) && are_means(&r.y, 0));
                found += r.halves;
            }
    assert_int_equal(found, 2 * (SIDES / 2)); /* area, and linear without antialias */
}

/* Every box that begins at a whole pixel is recognized as a halving, and no other box is. */
static void halves_of_boxes(void **state)
{
    static const double corners[] = {1.0, 3.0, 0.5, 0.25, 0x1p-30, 1.0 + 0x1p-40, 0.1};
    (void)state;
    for (size_t k = 0; k < GF_ARRAY_LEN(corners); k++)
        for (uint32_t n = 1; n <= 20; n++)
            FOR_ALL_FILTERS(filter, antialias)
            {
                gf_cleanup(gf_resize_deinit) struct gf_resize r = GF_RESIZE_NULL;
                plan(&r, 2 * n + 6, n, filter, antialias, corners[k]);
                assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
                if (r.halves)
                    assert_true(are_means(&r.x, (uint32_t)corners[k]) && are_means(&r.y, (uint32_t)corners[k]));
                if (n > 1 && corners[k] >= 1.0 && corners[k] == floor(corners[k]))
                    assert_int_equal(r.halves,
                                     filter == GF_RESIZE_AREA || (filter == GF_RESIZE_LINEAR && antialias == 0));
            }
}

static float weight_of(const struct gf_resize_axis *axis, int64_t i, int64_t pixel)
{
    if (i < 0 || i >= (int64_t)axis->n)
        return 0.0f;
    int64_t k = pixel - (int64_t)axis->first[i], n = (int64_t)(axis->at[i + 1] - axis->at[i]);
    return k >= 0 && k < n ? axis->weights[axis->at[i] + (uint32_t)k] : 0.0f;
}

/* Whether windows have `taps` pixels, except at the edges, move by two pixels, and have few sets of weights. */
static bool moves_by_two(const struct gf_resize_axis *axis, int64_t length, int32_t taps)
{
    for (uint32_t i = 0; i < axis->n; i++) {
        int64_t first = 2 * (int64_t)i + 1 - taps / 2, end = first + taps < length ? first + taps : length;
        first = first < 0 ? 0 : first;
        if (axis->first[i] != first || axis->at[i + 1] - axis->at[i] != end - first)
            return false;
    }
    return true;
}

/* The set of a column or pair. */
static int32_t set_of(const struct gf_by_two_inner *inner, int32_t i)
{
    return i <= inner->first ? i : i < inner->end ? inner->first : i - inner->end + inner->first + 1;
}

/* Checks the weights of each result, for all columns and all pairs, as the kernel finds them by their sets. */
static void check_weights(const struct gf_resize_by_two *t, const struct gf_resize *r)
{
    const int32_t taps = t->taps, reach = taps / 2;
    for (int32_t i = 0; i < (int32_t)r->x.n; i++)
        for (int32_t k = 0; k < taps; k++)
            assert_true(t->columns[set_of(&t->x, i)][k] ==
                        ldexpf(weight_of(&r->x, i, 2 * (int64_t)i + 1 - reach + k), 14));
    for (int32_t j = 0; j < (int32_t)r->y.n + reach - 1; j++)
        for (int32_t k = 0; k < taps; k++)
            assert_true(t->pairs[set_of(&t->y, j)][k] ==
                        ldexpf(weight_of(&r->y, j - reach + 1 + k / 2, 2 * (int64_t)j + 1 - reach + k % 2), 127));
    for (int32_t i = t->whole.rows.first; i < t->whole.rows.end; i++)
        for (int32_t k = 0; k < taps; k++)
            assert_true((float)(int8_t)(t->whole.weights[k / 4] >> (8 * (k % 4))) / 256.0f ==
                        weight_of(&r->y, i, 2 * (int64_t)i + 1 - reach + k));
}

/* For lengths around 2n, also with boxes: if a few windows are taken to stand for all, they do. */
static void few_windows_say_what_all_say(void **state)
{
    static const double corners[] = {0.0, 0.25, 1.0, 0x1p-30, 0.1};
    uint32_t found = 0, moving = 0;
    (void)state;
    for (size_t c = 0; c < GF_ARRAY_LEN(corners); c++)
        for (uint32_t n = 1; n <= 150; n += n < 80 ? 1 : 35)
            for (uint32_t length = 2 * n - 1; length <= 2 * n + 2; length++)
                FOR_ALL_FILTERS(filter, antialias)
                {
                    gf_cleanup(gf_resize_deinit) struct gf_resize r = GF_RESIZE_NULL;
                    struct gf_resize_by_two t;
                    if (corners[c] > 0.0 && corners[c] + 2.0 * n > length)
                        continue;
                    struct gf_view src = plan(&r, length, n, filter, antialias, corners[c]);
                    assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
                    assert_int_equal(gf_resize_by_two_init(&t, &r, &src, NULL), GF_OK);
                    int32_t taps = (int32_t)r.x.most;
                    bool moves = (taps == 4 || taps == 8 || taps == 12) && moves_by_two(&r.x, length, taps) &&
                                 moves_by_two(&r.y, 2 * (int64_t)length, taps);
                    assert_true(!t.taps || (moves && t.taps == taps));
                    if (c == 0 && length == 2 * n)
                        assert_int_equal(t.taps > 0, moves);
                    if (t.taps > 0)
                        check_weights(&t, &r);
                    found += t.taps > 0;
                    moving += moves;
                }
    assert_true(found > 300 && found <= moving);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_what_all_windows_say),
        cmocka_unit_test(halves_of_boxes),
        cmocka_unit_test(few_windows_say_what_all_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
