/* SPDX-License-Identifier: MIT */
/* Identities of filters and tone operations for any picture. Run by ctest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_I16, GF_F32};

typedef void (*check_fn)(const struct gf_buf *in);

/* Every dtype of pictures in every size. */
static void for_each_image(check_fn check)
{
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtypes[d], property_sizes[s], PROPERTY_PLAIN, 500 + s);
            check(&in);
            property_teardown(NULL);
        }
}

static void check_equalized(const struct gf_buf *once)
{
    struct gf_buf twice = property_run("equalize", "alpha=straight", once);
    for (uint64_t y = 0; y < once->view.height; y++)
        for (uint64_t x = 0; x < once->view.width; x++)
            for (uint32_t c = 0; c < once->view.channels; c++)
                assert_true(fabs(property_f64(once, x, y, c) - property_f64(&twice, x, y, c)) <= 1.0);
}

static void equalize_twice_changes_little(void **state)
{
    UNUSED(state);
    for (size_t d = 0; d < 2; d++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtypes[d], property_sizes[s], PROPERTY_PLAIN, 600 + s);
            struct gf_buf once = property_run("equalize", "alpha=straight", &in);
            check_equalized(&once);
            struct gf_buf few = property_run("map", "scale=0.05 alpha=straight", &in);
            once = property_run("equalize", "alpha=straight", &few);
            check_equalized(&once);
            property_teardown(NULL);
        }
}

/* Such a picture with its first pixel everywhere. */
static struct gf_buf constant_of(const struct gf_buf *in)
{
    struct gf_buf flat = property_copy(in, 0);
    size_t pixel = in->view.channels * gf_dtype_size(in->view.dtype);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            memcpy(property_at(&flat, x, y, 0), in->data, pixel);
    return flat;
}

static void check_is_zero(const char *op, const char *params, const struct gf_buf *in)
{
    struct gf_buf out = property_run(op, params, in);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++)
                assert_true(property_f64(&out, x, y, c) == 0.0);
}

static void check_constant(const struct gf_buf *in)
{
    struct gf_buf flat = constant_of(in);
    check_is_zero("threshold", "channels=each alpha=straight", &flat);
}

static void check_constant_slopes(const struct gf_buf *in)
{
    static const char *const ops[] = {"sobel", "scharr", "prewitt"};
    static const char *const params[] = {"output=dx alpha=straight", "output=dy alpha=straight",
                                         "output=magnitude alpha=straight"};
    struct gf_buf flat = constant_of(in);
    for (size_t i = 0; i < 9; i++)
        check_is_zero(ops[i / 3], params[i % 3], &flat);
}

static void gradients_of_a_constant_are_zero(void **state)
{
    UNUSED(state);
    for_each_image(check_constant_slopes);
}

static void otsu_of_a_constant_is_black(void **state)
{
    UNUSED(state);
    for_each_image(check_constant);
}

static void check_magnitude(const char *op, const struct gf_buf *in)
{
    struct gf_buf dx = property_run(op, "output=dx alpha=straight", in);
    struct gf_buf dy = property_run(op, "output=dy alpha=straight", in);
    struct gf_buf length = property_run(op, "output=magnitude alpha=straight", in);
    for (uint64_t y = 0; y < in->view.height; y++)
        for (uint64_t x = 0; x < in->view.width; x++)
            for (uint32_t c = 0; c < in->view.channels; c++) {
                double gx = property_f64(&dx, x, y, c), gy = property_f64(&dy, x, y, c);
                double m = property_f64(&length, x, y, c), square = gx * gx + gy * gy;
                assert_true(fabs(m * m - square) <= 0x1p-21 * square);
            }
}

static void check_magnitudes(const struct gf_buf *in)
{
    check_magnitude("sobel", in);
    check_magnitude("scharr", in);
    check_magnitude("prewitt", in);
}

static void magnitude_is_the_length_of_the_gradient(void **state)
{
    UNUSED(state);
    for_each_image(check_magnitudes);
}

static void check_difference(const struct gf_buf *in)
{
    const struct gf_buf both[2] = {*in, property_copy(in, 3)};
    struct gf_buf out[GF_MAX_OUTPUTS], zero = property_copy(in, 0);
    memset(zero.data, 0, gf_view_bytes(&zero.view));
    property_run_padded("combine", "a=1 b=-1 alpha=straight", both, 2, 0, out);
    property_same(&out[0], &zero, "combine b=-1");
    property_run_padded("combine", "mode=absdiff alpha=straight", both, 2, 0, out);
    property_same(&out[0], &zero, "combine mode=absdiff");
}

static void equal_pictures_differ_by_nothing(void **state)
{
    UNUSED(state);
    for_each_image(check_difference);
}

static void check_identities(const struct gf_buf *in)
{
    float one = 1.0f;
    const struct gf_buf with_mask[2] = {*in, {&one, gf_view_tight(GF_F32, 1, 1, 1)}};
    struct gf_buf out[GF_MAX_OUTPUTS];
    property_run_padded("correlate", "alpha=straight", with_mask, 2, 0, out);
    property_same(&out[0], in, "correlate with 1");
    property_run_padded("convolve", "alpha=straight normalize=sum border=wrap", with_mask, 2, 0, out);
    property_same(&out[0], in, "convolve with 1");
    static const char *const others[][2] = {{"box", "size=1 alpha=straight"},
                                            {"gaussian", "sigma=0 alpha=straight"},
                                            {"sharpen", "amount=0 alpha=straight"},
                                            {"unsharp", "amount=0 alpha=straight"},
                                            {"map", ""}};
    for (size_t i = 0; i < GF_ARRAY_LEN(others); i++) {
        struct gf_buf same = property_run(others[i][0], others[i][1], in);
        property_same(&same, in, others[i][0]);
    }
}

static void identities_change_nothing(void **state)
{
    UNUSED(state);
    for_each_image(check_identities);
}

static void map_comes_back(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t from;
        const char *there, *back;
    } ways[] = {{GF_U8, "range=full dtype=u16", "range=full dtype=u8"},
                {GF_U8, "range=full dtype=f32", "range=full dtype=u8"},
                {GF_U16, "range=full dtype=f32", "range=full dtype=u16"}};
    for (size_t i = 0; i < GF_ARRAY_LEN(ways); i++) {
        uint64_t n = ways[i].from == GF_U8 ? 256 : 65536;
        struct gf_buf in = property_buf(ways[i].from, (struct property_size){256, n / 256, 1}, 0);
        for (uint64_t v = 0; v < n; v++)
            memcpy(property_at(&in, v % 256, v / 256, 0), &v, gf_dtype_size(ways[i].from));
        struct gf_buf there = property_run("map", ways[i].there, &in);
        struct gf_buf back = property_run("map", ways[i].back, &there);
        property_same(&back, &in, ways[i].there);
    }
}

/* Runs the op on rows that follow each other closely and on rows with gaps. */
static void check_pitch(const char *op, const char *params, const struct gf_buf *in, uint32_t n_in)
{
    struct gf_buf gaps[2], tight_out[GF_MAX_OUTPUTS], gaps_out[GF_MAX_OUTPUTS];
    for (uint32_t i = 0; i < n_in; i++)
        gaps[i] = property_copy(&in[i], 5 + i);
    property_run_padded(op, params, in, n_in, 0, tight_out);
    property_run_padded(op, params, gaps, n_in, 3, gaps_out);
    for (uint32_t i = 0; i < gf_op_by_name(op)->n_outputs; i++)
        property_same(&tight_out[i], &gaps_out[i], op);
}

static void the_pitch_plays_no_part(void **state)
{
    UNUSED(state);
    static const char *const ops[][2] = {
        {"box", "size=5x4"},
        {"gaussian", "sigma=1.5"},
        {"sharpen", ""},
        {"unsharp", ""},
        {"emboss", ""},
        {"sobel", ""},
        {"scharr", ""},
        {"prewitt", "output=dy"},
        {"laplacian", ""},
        {"log", "sigma=1"},
        {"map", "gamma=2"},
        {"threshold", "channels=each"},
        {"threshold", "alpha=auto"},
        {"threshold", "value=0.5 alpha=auto"},
        {"autocontrast", ""},
        {"copy", ""},
        {"reduce", ""},
        {"reduce", "op=var axis=cols"},
        {"stats", ""},
        {"scan", "axis=cols"},
        {"scan", ""},
        {"histogram", "range=data bins=50"},
    };
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtypes[d], property_sizes[s], PROPERTY_SPECIAL, 700 + s);
            struct gf_buf other = property_random(dtypes[d], property_sizes[s], PROPERTY_SPECIAL, 800 + s);
            struct gf_buf mask = property_random(GF_F32, (struct property_size){3, 5, 1}, PROPERTY_PLAIN, s);
            for (size_t i = 0; i < GF_ARRAY_LEN(ops); i++)
                check_pitch(ops[i][0], ops[i][1], &in, 1);
            check_pitch("combine", "mode=magnitude", (struct gf_buf[]){in, other}, 2);
            check_pitch("correlate", "border=reflect101", (struct gf_buf[]){in, mask}, 2);
            if (dtypes[d] != GF_I16)
                check_pitch("integral", "pad=1", &in, 1);
            if (dtypes[d] == GF_F32) {
                check_pitch("dot", "axis=rows", (struct gf_buf[]){in, other}, 2);
                check_pitch("recurrence", "a=0.5", &in, 1);
            } else {
                check_pitch("equalize", "", &in, 1);
            }
            property_teardown(NULL);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(equalize_twice_changes_little, property_teardown),
        cmocka_unit_test_teardown(otsu_of_a_constant_is_black, property_teardown),
        cmocka_unit_test_teardown(gradients_of_a_constant_are_zero, property_teardown),
        cmocka_unit_test_teardown(magnitude_is_the_length_of_the_gradient, property_teardown),
        cmocka_unit_test_teardown(equal_pictures_differ_by_nothing, property_teardown),
        cmocka_unit_test_teardown(identities_change_nothing, property_teardown),
        cmocka_unit_test_teardown(map_comes_back, property_teardown),
        cmocka_unit_test_teardown(the_pitch_plays_no_part, property_teardown),
    };
    int status = property_open(argc, argv);
    if (status != 0)
        return status;
    status = cmocka_run_group_tests_name("property_images", tests, NULL, NULL);
    property_close();
    return status;
}
