/* SPDX-License-Identifier: MIT */
/* kernels/shared/geometry: the tables of resize for the GPU agree with the windows from which they are made, and a tile
 * holds every pixel that its groups read. */
#include <math.h>
#include <string.h>

#include "kernels/shared/geometry/resize_tables.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/resize.h"
#include "tests/unit/unit.h"

#define TILE_BYTES (48u * 1024u)

static const void *table(const struct gf_resize_tables *t, enum gf_resize_table i)
{
    return (const char *)t->data + t->at[i];
}

static void make_step(struct gf_step *step, struct gf_view *src, const uint32_t *to, uint32_t filter)
{
    struct gf_error err;
    memset(step, 0, sizeof *step);
    step->op = &gf_ops[GF_INDEX_resize];
    gf_op_params_default(step->op, &step->params);
    GF_SET_PARAM(&step->params, resize, size, (struct gf_u32v){.n = 2, .v = {to[0], to[1]}});
    GF_SET_PARAM(&step->params, resize, filter, filter);
    assert_int_equal(gf_op_infer(step->op, src, 1, &step->params, step->out, &err), GF_OK);
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
                struct gf_step step;
                make_step(&step, &src, sizes[i] + 2, filter);
                gf_resize_plan(&r, &step, &src);
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
    struct gf_step step;
    make_step(&step, &src, (const uint32_t[]){2000, 50}, GF_RESIZE_CUBIC);
    gf_resize_plan(&r, &step, &src);
    assert_int_equal(gf_resize_axes_init(&r, NULL), GF_OK);
    assert_int_equal(r.x.first[7], 11);
    assert_int_equal(r.x.at[8] - r.x.at[7], 8);
    for (uint32_t k = 0; k < 8; k++)
        assert_true(r.x.weights[r.x.at[7] + k] == half[k < 4 ? k : 7 - k]);
    make_step(&step, &src, (const uint32_t[]){10, 1}, GF_RESIZE_LANCZOS3);
    gf_resize_plan(&wide, &step, &src);
    assert_int_equal(gf_resize_axes_init(&wide, NULL), GF_OK);
    assert_int_equal(wide.x.most, 2400);
    assert_int_equal(gf_resize_tables_init(&t, &wide, GF_U8, 3, TILE_BYTES, NULL), GF_OK);
    assert_int_equal(t.quads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_say_what_windows_say),
                                       cmocka_unit_test(windows_of_known_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
