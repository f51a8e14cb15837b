/* SPDX-License-Identifier: MIT */
/* Identities between convolve1d and correlate1d for any data. Run by ctest. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

static const uint32_t dtypes[] = {GF_U8, GF_I8, GF_U16, GF_I16, GF_U32, GF_I32, GF_F32, GF_F64};
static const uint64_t lengths[] = {1, 2, 5, 16, 33, 300};
static const char *const axes[] = {"rows", "cols"};
static const char *const modes[] = {"same", "same border=wrap", "same border=constant border_value=3", "full"};

static struct gf_buf kernel_of(uint32_t dtype, uint64_t taps, enum property_kind kind)
{
    return property_random(dtype, (struct property_size){taps, 1, 1}, kind, taps);
}

static struct gf_buf reversed(const struct gf_buf *kernel)
{
    struct gf_buf turned = property_copy(kernel, 0);
    for (uint64_t i = 0; i < kernel->view.width; i++)
        memcpy(property_at(&turned, i, 0, 0), property_at(kernel, kernel->view.width - 1 - i, 0, 0),
               gf_dtype_size(kernel->view.dtype));
    return turned;
}

static struct gf_buf filter(const char *op, const char *params, const struct gf_buf *src, const struct gf_buf *kernel)
{
    struct gf_buf in[2] = {*src, *kernel}, out[GF_MAX_OUTPUTS];
    property_run_padded(op, params, in, 2, 0, out);
    return out[0];
}

static void convolve_is_correlate_with_the_kernel_reversed(void **state)
{
    UNUSED(state);
    char convolve[128], correlate[128];
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++)
            for (size_t n = 0; n < GF_ARRAY_LEN(lengths); n++) {
                struct gf_buf in = property_random(dtypes[d], property_sizes[s], PROPERTY_SPECIAL, 500 + s);
                struct gf_buf k = kernel_of(dtypes[d], lengths[n], PROPERTY_SPECIAL), turned = reversed(&k);
                uint64_t anchor = n % 2 == 0 ? lengths[n] / 2 : lengths[n] / 3;
                size_t m = (d + s + n) % GF_ARRAY_LEN(modes), axis = (s + n) % 2;
                snprintf(convolve, sizeof convolve, "axis=%s overflow=wrap anchor=%llu mode=%s", axes[axis],
                         (unsigned long long)anchor, modes[m]);
                snprintf(correlate, sizeof correlate, "axis=%s overflow=wrap anchor=%llu mode=%s", axes[axis],
                         (unsigned long long)(lengths[n] - 1 - anchor), modes[m]);
                struct gf_buf a = filter("convolve1d", convolve, &in, &k);
                struct gf_buf b = filter("correlate1d", correlate, &in, &turned);
                property_same(&a, &b, convolve);
                property_teardown(NULL);
            }
}

/* One sample of 1 in the middle of zeros. */
static struct gf_buf delta(uint32_t dtype, uint64_t n, uint64_t at)
{
    struct gf_buf buf = property_buf(dtype, (struct property_size){n, 1, 1}, 0);
    float f32 = 1.0f;
    double f64 = 1.0;
    uint64_t whole = 1;
    const void *one = dtype == GF_F32 ? (const void *)&f32 : dtype == GF_F64 ? (const void *)&f64 : &whole;
    memset(buf.data, 0, (size_t)gf_view_bytes(&buf.view));
    memcpy(property_at(&buf, at, 0, 0), one, gf_dtype_size(dtype));
    return buf;
}

static void full_of_one_sample_is_the_kernel(void **state)
{
    UNUSED(state);
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (size_t n = 0; n < GF_ARRAY_LEN(lengths); n++) {
            struct gf_buf in = delta(dtypes[d], 9, 4), k = kernel_of(dtypes[d], lengths[n], PROPERTY_PLAIN);
            struct gf_buf out = filter("convolve1d", "mode=full", &in, &k);
            assert_int_equal(out.view.width, 9 + lengths[n] - 1);
            for (uint64_t i = 0; i < out.view.width; i++) {
                bool there = i >= 4 && i - 4 < lengths[n];
                assert_true(property_f64(&out, i, 0, 0) == (there ? property_f64(&k, i - 4, 0, 0) : 0.0));
            }
            property_teardown(NULL);
        }
}

/* The results of `valid` are the results of `same` and of `full` for which all taps lie inside. */
static void valid_is_a_part_of_same_and_full(void **state)
{
    UNUSED(state);
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++) {
        struct gf_buf in = property_random(dtypes[d], (struct property_size){97, 3, 2}, PROPERTY_SPECIAL, 600 + d);
        struct gf_buf k = kernel_of(dtypes[d], 17, PROPERTY_SPECIAL);
        struct gf_buf valid = filter("correlate1d", "mode=valid overflow=wrap", &in, &k);
        struct gf_buf same = filter("correlate1d", "mode=same overflow=wrap", &in, &k);
        struct gf_buf full = filter("correlate1d", "mode=full overflow=wrap", &in, &k);
        for (uint64_t y = 0; y < 3; y++) {
            size_t bytes = (size_t)valid.view.width * 2 * gf_dtype_size(valid.view.dtype);
            assert_memory_equal(property_at(&valid, 0, y, 0), property_at(&same, 8, y, 0), bytes);
            assert_memory_equal(property_at(&valid, 0, y, 0), property_at(&full, 16, y, 0), bytes);
        }
        property_teardown(NULL);
    }
}

/* The operands may change places: modulo 2^64 sums do not depend on the order. */
static void full_of_integers_commutes(void **state)
{
    UNUSED(state);
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes) && gf_dtype_kind(dtypes[d]) != GF_KIND_FLOAT; d++)
        for (size_t n = 0; n < GF_ARRAY_LEN(lengths); n++) {
            struct gf_buf a = property_random(dtypes[d], (struct property_size){129, 1, 1}, PROPERTY_PLAIN, 700 + n);
            struct gf_buf b = kernel_of(dtypes[d], lengths[n], PROPERTY_PLAIN);
            struct gf_buf ab = filter("convolve1d", "mode=full overflow=wrap", &a, &b);
            struct gf_buf ba = filter("convolve1d", "mode=full overflow=wrap", &b, &a);
            property_same(&ab, &ba, gf_dtype_word(dtypes[d]));
            property_teardown(NULL);
        }
}

static void rows_are_columns_turned(void **state)
{
    UNUSED(state);
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (size_t n = 0; n < GF_ARRAY_LEN(lengths); n++) {
            struct gf_buf rows = property_random(dtypes[d], (struct property_size){70, 19, 1}, PROPERTY_SPECIAL, n);
            struct gf_buf cols = property_buf(dtypes[d], (struct property_size){19, 70, 1}, 3);
            struct gf_buf k = kernel_of(dtypes[d], lengths[n], PROPERTY_SPECIAL);
            for (uint64_t y = 0; y < 19; y++)
                for (uint64_t x = 0; x < 70; x++)
                    memcpy(property_at(&cols, y, x, 0), property_at(&rows, x, y, 0), gf_dtype_size(dtypes[d]));
            struct gf_buf a = filter("convolve1d", "mode=full overflow=wrap", &rows, &k);
            struct gf_buf b = filter("convolve1d", "mode=full overflow=wrap axis=cols", &cols, &k);
            for (uint64_t y = 0; y < a.view.height; y++)
                for (uint64_t x = 0; x < a.view.width; x++)
                    assert_memory_equal(property_at(&a, x, y, 0), property_at(&b, y, x, 0),
                                        gf_dtype_size(a.view.dtype));
            property_teardown(NULL);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(convolve_is_correlate_with_the_kernel_reversed, property_teardown),
        cmocka_unit_test_teardown(full_of_one_sample_is_the_kernel, property_teardown),
        cmocka_unit_test_teardown(valid_is_a_part_of_same_and_full, property_teardown),
        cmocka_unit_test_teardown(full_of_integers_commutes, property_teardown),
        cmocka_unit_test_teardown(rows_are_columns_turned, property_teardown),
    };
    int status = property_open(argc, argv);
    if (status != 0)
        return status;
    status = cmocka_run_group_tests_name("property_conv1d", tests, NULL, NULL);
    property_close();
    return status;
}
