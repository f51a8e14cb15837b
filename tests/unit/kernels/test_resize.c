/* SPDX-License-Identifier: MIT */
/* kernels/shared/geometry, resize: what a plan derives from sizes alone, the weights of all instruction sets and of
 * halved sides, and the tables for the GPU. */
#include <math.h>

#include "kernels/shared/geometry/resize_by_two.h"
#include "kernels/shared/geometry/resize_tables.h"
#include "kernels/shared/geometry/resize_weights.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/resize.h"
#include "tests/unit/unit.h"

#define SIDES 72u
#define MOST 96u /* pixels of a window */
#define TILE_BYTES (48u * 1024u)

/* A resize whose other parameters have their defaults. */
static struct gf_step resize_to(uint32_t width, uint32_t height, uint32_t filter)
{
    struct gf_step step = {.op = &gf_ops[GF_INDEX_resize]};
    gf_op_params_default(step.op, &step.params);
    GF_SET_PARAM(&step.params, resize, size, (struct gf_u32v){.n = 2, .v = {width, height}});
    GF_SET_PARAM(&step.params, resize, filter, filter);
    return step;
}

static void plan_step(struct gf_resize *r, struct gf_step *step, const struct gf_view *src)
{
    struct gf_error err;
    assert_int_equal(gf_op_infer(step->op, src, 1, &step->params, step->out, &err), GF_OK);
    gf_resize_plan(r, step, src);
}

/* Plans the resize of a picture of `length` by 2 * `length` pixels to n by 2 * n. */
static struct gf_view plan(struct gf_resize *r, uint32_t length, uint32_t n, uint32_t filter, uint32_t antialias,
                           double corner)
{
    struct gf_view src = gf_view_tight(GF_U8, length, 2 * (uint64_t)length, 1);
    struct gf_step step = resize_to(n, 2 * n, filter);
    GF_SET_PARAM(&step.params, resize, antialias, antialias);
    if (corner > 0.0)
        GF_SET_PARAM(&step.params, resize, box, (struct gf_f64v){.n = 4, .v = {corner, corner, 2.0 * n, 4.0 * n}});
    plan_step(r, &step, &src);
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

static void same_of_all_instruction_sets(void **state)
{
    (void)state;
    for (uint32_t filter = GF_RESIZE_LINEAR; filter <= GF_RESIZE_LANCZOS3; filter++)
        for (uint32_t n = 1; n <= MOST; n++)
            for (uint32_t i = 0; i < 40; i++) {
                double centre = 1000.0 + (double)(i * n) / 37.0, half = (double)n / 2.0;
                struct gf_resize_map map = {.filter = filter, .wider = i % 4 == 0 ? 1.0 : (double)n / (1.3 + i)};
                struct gf_resize_window w = {.centre = centre, .begin = centre - half, .stop = centre + half};
                double room[MOST + GF_RESIZE_SPARE];
                float expected[MOST], found[MOST];
                w.first = (uint32_t)(centre - half);
                w.end = w.first + n;
                gf_resize_weigh_generic(&map, &w, room, expected);
                gf_resize_weigh()(&map, &w, room, found);
                assert_memory_equal(found, expected, n * sizeof *found);
            }
}

/* Results halfway between two pixels. The weights of lanczos3 are sinc(t) sinc(t / 3) at 2.5, 1.5 and 0.5, divided by
 * twice their sum. */
static void weights_of_known_windows(void **state)
{
    static const float cubic[] = {-0.0625f, 0.5625f, 0.5625f, -0.0625f};
    struct gf_resize_map map = {.filter = GF_RESIZE_CUBIC, .wider = 1.0};
    struct gf_resize_window w = {.centre = 10.0, .first = 8, .end = 12};
    double room[6 + GF_RESIZE_SPARE];
    float found[6];
    (void)state;
    gf_resize_weigh_generic(&map, &w, room, found);
    assert_memory_equal(found, cubic, sizeof cubic);
    map.filter = GF_RESIZE_LANCZOS3;
    w.first = 7;
    w.end = 13;
    gf_resize_weigh_generic(&map, &w, room, found);
    assert_float_equal(found[0], 0.024457f, 1e-5f);
    assert_float_equal(found[1], -0.135870f, 1e-5f);
    assert_float_equal(found[2], 0.611413f, 1e-5f);
    for (uint32_t k = 0; k < 3; k++)
        assert_true(found[k] == found[5 - k]);
}

/* The weights to resize a picture of 40 x 30 to 20 x 15, or a part of that size of a picture of 41 x 31. */
static struct gf_resize_by_two weights_of(uint32_t dtype, uint32_t filter, double corner)
{
    struct gf_view src = gf_view_tight(dtype, corner > 0.0 ? 41 : 40, corner > 0.0 ? 31 : 30, 3);
    struct gf_step step = resize_to(20, 15, filter);
    struct gf_resize_by_two by_two;
    struct gf_resize r;
    struct gf_error err;
    if (corner > 0.0)
        GF_SET_PARAM(&step.params, resize, box, (struct gf_f64v){.n = 4, .v = {corner, corner, 40.0, 30.0}});
    plan_step(&r, &step, &src);
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

static const void *table(const struct gf_resize_tables *t, enum gf_resize_table i)
{
    return (const char *)t->data + t->at[i];
}

/* Each weight is at the entry of its pixel and its result, and all other entries are 0. */
static void check_axis(const struct gf_resize_axis *axis, const int32_t *first, const int32_t *at,
                       const struct gf_resize_weights *w, uint32_t length, bool is_float)
{
    for (uint32_t i = 0; i < (axis->n + 3) / 4 * 4; i++) {
        uint32_t g = i / 4, n = (uint32_t)(at[g + 1] - at[g]), met = 0;
        assert_true((uint32_t)first[g] + n <= length);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t j = (uint32_t)first[g] + k;
            float found = w[(uint32_t)at[g] + k].of[i % 4];
            if (i < axis->n && j >= axis->first[i] && j - axis->first[i] < axis->at[i + 1] - axis->at[i]) {
                assert_memory_equal(&found, &axis->weights[axis->at[i] + (j - axis->first[i])], sizeof found);
                met++;
            } else {
                assert_true(is_float ? isnan(found) : found == 0.0f);
            }
        }
        if (i < axis->n)
            assert_int_equal(met, axis->at[i + 1] - axis->at[i]);
    }
}

static void check_tiles(const struct gf_resize_tables *t, uint32_t channels)
{
    const struct gf_resize_span *spans = table(t, GF_RESIZE_SPANS);
    const int32_t *first = table(t, GF_RESIZE_X_FIRST), *at = table(t, GF_RESIZE_X_AT);
    if (t->quads == 0)
        return;
    assert_true(gf_resize_tile_bytes(t->tile_groups, t->quads, (int32_t)channels) <= TILE_BYTES);
    for (int32_t g = 0; g < t->columns; g++) {
        const struct gf_resize_span *s = &spans[g / t->tile_groups];
        int32_t begin = first[g] * (int32_t)channels, end = (first[g] + at[g + 1] - at[g]) * (int32_t)channels;
        assert_int_equal(s->flat % 4, 0);
        assert_true(s->quads <= t->quads);
        assert_true(s->flat <= begin && end <= s->flat + 4 * s->quads);
    }
}

static void tables_say_what_windows_say(void **state)
{
    static const uint32_t sizes[][4] = {{120, 90, 60, 45},  {37, 29, 100, 7}, {5, 1, 1, 9},    {4000, 7, 10, 3},
                                        {131, 97, 130, 96}, {64, 64, 64, 64}, {9, 9, 257, 33}, {2001, 3, 400, 1}};
    (void)state;
    for (size_t i = 0; i < GF_ARRAY_LEN(sizes); i++)
        for (uint32_t filter = GF_RESIZE_LINEAR; filter <= GF_RESIZE_LANCZOS3; filter++)
            for (uint32_t channels = 1; channels <= 4; channels++) {
                gf_cleanup(gf_resize_deinit) struct gf_resize r = GF_RESIZE_NULL;
                gf_cleanup(gf_resize_tables_deinit) struct gf_resize_tables t = GF_RESIZE_TABLES_NULL;
                uint32_t dtype = i % 2 == 0 ? GF_U8 : GF_F32;
                struct gf_view src = gf_view_tight(dtype, sizes[i][0], sizes[i][1], channels);
                struct gf_step step = resize_to(sizes[i][2], sizes[i][3], filter);
                plan_step(&r, &step, &src);
                assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
                assert_int_equal(gf_resize_tables_init(&t, &r, dtype, channels, TILE_BYTES, NULL), GF_OK);
                check_axis(&r.x, table(&t, GF_RESIZE_X_FIRST), table(&t, GF_RESIZE_X_AT),
                           table(&t, GF_RESIZE_X_WEIGHTS), sizes[i][0], dtype == GF_F32);
                check_axis(&r.y, table(&t, GF_RESIZE_Y_FIRST), table(&t, GF_RESIZE_Y_AT),
                           table(&t, GF_RESIZE_Y_WEIGHTS), sizes[i][1], dtype == GF_F32);
                check_tiles(&t, channels);
            }
}

/* A halving has one window for all results; a ratio of 400 is too wide for tiles of three channels. */
static void windows_of_known_sizes(void **state)
{
    static const float half[] = {-0.01171875f, -0.03515625f, 0.11328125f, 0.43359375f};
    (void)state;
    gf_cleanup(gf_resize_deinit) struct gf_resize r = GF_RESIZE_NULL, wide = GF_RESIZE_NULL;
    gf_cleanup(gf_resize_tables_deinit) struct gf_resize_tables t = GF_RESIZE_TABLES_NULL;
    struct gf_view src = gf_view_tight(GF_U8, 4000, 100, 3);
    struct gf_step step = resize_to(2000, 50, GF_RESIZE_CUBIC);
    plan_step(&r, &step, &src);
    assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
    assert_int_equal(r.x.first[7], 11);
    assert_int_equal(r.x.at[8] - r.x.at[7], 8);
    for (uint32_t k = 0; k < 8; k++)
        assert_true(r.x.weights[r.x.at[7] + k] == half[k < 4 ? k : 7 - k]);
    step = resize_to(10, 1, GF_RESIZE_LANCZOS3);
    plan_step(&wide, &step, &src);
    assert_int_equal(gf_resize_axes_init(&wide, NULL), GF_OK);
    assert_int_equal(wide.x.most, 2400);
    assert_int_equal(gf_resize_tables_init(&t, &wide, GF_U8, 3, TILE_BYTES, NULL), GF_OK);
    assert_int_equal(t.quads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_are_what_all_windows_say),
        cmocka_unit_test(halves_of_boxes),
        cmocka_unit_test(few_windows_say_what_all_say),
        cmocka_unit_test(same_of_all_instruction_sets),
        cmocka_unit_test(weights_of_known_windows),
        cmocka_unit_test(bytes_have_whole_weights),
        cmocka_unit_test(others_have_none),
        cmocka_unit_test(tables_say_what_windows_say),
        cmocka_unit_test(windows_of_known_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
