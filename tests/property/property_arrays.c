/* SPDX-License-Identifier: MIT */
/* Identities between scan, reduce, stats, histogram, integral and select, and of copy, for any data. Run by ctest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

#define BOUND(n, magnitudes) ((double)(n)*0x1p-52 * (magnitudes))

static const char *const axes[] = {"all", "rows", "cols"};
static const char *const scans[] = {"sum", "product", "min", "max"};

/* The sequences of an axis, as docs/numerics.md, "reduce", has them, of one channel. */
static uint64_t lines(const struct gf_view *view, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? view->height : view->width;
}

static uint64_t length(const struct gf_view *view, int axis)
{
    return axis == 0 ? view->width * view->height : axis == 1 ? view->width : view->height;
}

/* The place of element i of a line. */
static void place(const struct gf_view *view, int axis, uint64_t line, uint64_t i, uint64_t *ret_x, uint64_t *ret_y)
{
    *ret_x = axis == 0 ? i % view->width : axis == 1 ? i : line;
    *ret_y = axis == 0 ? i / view->width : axis == 1 ? line : i;
}

static void *element(const struct gf_buf *buf, int axis, uint64_t line, uint64_t i, uint32_t channel)
{
    uint64_t x, y;
    place(&buf->view, axis, line, i, &x, &y);
    return property_at(buf, x, y, channel);
}

/* Fails unless, in every sequence, a[i] is b[i - 1], or the element of b that is as far from the end. */
static void compare_moved(const struct gf_buf *a, const struct gf_buf *b, int axis, bool reversed, const char *what)
{
    uint64_t n = length(&a->view, axis);
    assert_true(gf_view_same_shape(&a->view, &b->view));
    for (uint64_t line = 0; line < lines(&a->view, axis); line++)
        for (uint32_t c = 0; c < a->view.channels; c++)
            for (uint64_t i = reversed ? 0 : 1; i < n; i++)
                if (memcmp(element(a, axis, line, i, c), element(b, axis, line, reversed ? n - 1 - i : i - 1, c),
                           gf_dtype_size(a->view.dtype)) != 0)
                    fail_msg("scan %s to %s: element %llu of line %llu, channel %u", what, gf_dtype_word(a->view.dtype),
                             (unsigned long long)i, (unsigned long long)line, c);
}

/* Every dtype in every size, special values among the floats. */
static void for_each_array(uint64_t seed, void (*check)(const struct gf_buf *in))
{
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtype, property_sizes[s], PROPERTY_SPECIAL, seed + s);
            check(&in);
            property_teardown(NULL);
        }
}

typedef void (*check_fn)(const struct gf_buf *in, const char *params, int axis);

/* Every scan of every dtype, size and axis. */
static void for_each_scan(check_fn check)
{
    char params[96];
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtype, property_sizes[s], PROPERTY_SPECIAL, s);
            for (size_t op = 0; op < GF_ARRAY_LEN(scans); op++)
                for (int axis = 0; axis < 3; axis++) {
                    snprintf(params, sizeof params, "op=%s axis=%s overflow=wrap", scans[op], axes[axis]);
                    check(&in, params, axis);
                }
            property_teardown(NULL);
        }
}

static void check_exclusive(const struct gf_buf *in, const char *params, int axis)
{
    char exclusive[128];
    snprintf(exclusive, sizeof exclusive, "%s exclusive=1", params);
    struct gf_buf a = property_run("scan", exclusive, in), b = property_run("scan", params, in);
    compare_moved(&a, &b, axis, false, exclusive);
    snprintf(exclusive, sizeof exclusive, "%s start=initial initial=3", params);
    b = property_run("scan", exclusive, in);
    snprintf(exclusive, sizeof exclusive, "%s start=initial initial=3 exclusive=1", params);
    a = property_run("scan", exclusive, in);
    compare_moved(&a, &b, axis, false, exclusive);
    assert_true(property_f64(&a, 0, 0, 0) == 3.0);
}

static void exclusive_is_inclusive_of_the_element_before(void **state)
{
    UNUSED(state);
    for_each_scan(check_exclusive);
}

static void check_reverse(const struct gf_buf *in, const char *params, int axis)
{
    char reverse[128];
    struct gf_buf turned = property_copy(in, 0);
    uint64_t n = length(&in->view, axis);
    for (uint64_t line = 0; line < lines(&in->view, axis); line++)
        for (uint32_t c = 0; c < in->view.channels; c++)
            for (uint64_t i = 0; i < n; i++)
                memcpy(element(&turned, axis, line, i, c), element(in, axis, line, n - 1 - i, c),
                       gf_dtype_size(in->view.dtype));
    snprintf(reverse, sizeof reverse, "%s reverse=1", params);
    struct gf_buf a = property_run("scan", reverse, &turned), b = property_run("scan", params, in);
    compare_moved(&a, &b, axis, true, reverse);
}

static void reverse_is_the_scan_of_reversed_data(void **state)
{
    UNUSED(state);
    for_each_scan(check_reverse);
}

/* Elements `first` up to `end` of every channel as a row. */
static struct gf_buf slice(const struct gf_buf *in, uint64_t first, uint64_t end)
{
    uint32_t channels = in->view.channels;
    struct gf_buf row = property_buf(in->view.dtype, (struct property_size){end - first, 1, channels}, 0);
    for (uint64_t i = first; i < end; i++)
        memcpy(property_at(&row, i - first, 0, 0), property_at(in, i % in->view.width, i / in->view.width, 0),
               channels * gf_dtype_size(in->view.dtype));
    return row;
}

static void check_segments(const struct gf_buf *in, const char *params, int axis)
{
    uint64_t n = in->view.width * in->view.height;
    const uint64_t offsets[] = {0, n / 7, n / 7, n / 3, n / 3 + 1, n};
    struct gf_buf list = property_buf(GF_U64, (struct property_size){GF_ARRAY_LEN(offsets), 1, 1}, 0), out[1];
    if (axis != 0)
        return;
    memcpy(list.data, offsets, sizeof offsets);
    if (n < 2)
        memcpy(list.data, (const uint64_t[]){0, 0, 0, 0, 0, n}, sizeof offsets);
    property_run_padded("scan", params, (const struct gf_buf[]){*in, list}, 2, 3, out);
    for (uint64_t s = 0; s + 1 < GF_ARRAY_LEN(offsets); s++) {
        uint64_t first = property_u64(&list, s, 0, 0), end = property_u64(&list, s + 1, 0, 0);
        if (first == end)
            continue;
        struct gf_buf part = slice(in, first, end), alone = property_run("scan", params, &part);
        struct gf_buf together = slice(&out[0], first, end);
        property_same(&together, &alone, params);
    }
}

static void scans_of_segments_are_those_of_slices(void **state)
{
    UNUSED(state);
    for_each_scan(check_segments);
}

/* Two sums of one channel: equal for integers, else as close as any order of additions. */
static void compare_sums(const struct gf_buf *a, uint64_t x, uint64_t y, const struct gf_buf *sum,
                         const struct gf_buf *magnitudes, uint64_t n, uint32_t c)
{
    if (gf_dtype_kind(sum->view.dtype) != GF_KIND_FLOAT)
        assert_true(property_u64(a, x, y, c) == property_u64(sum, 0, 0, c));
    else
        assert_true(fabs(property_f64(a, x, y, c) - property_f64(sum, 0, 0, c)) <=
                    BOUND(n, property_f64(magnitudes, 0, 0, c)));
}

static void last_scan_is_the_sum(void **state)
{
    UNUSED(state);
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtype, property_sizes[s], PROPERTY_PLAIN, 100 + s);
            bool real = gf_dtype_kind(dtype) == GF_KIND_FLOAT;
            struct gf_buf scan = property_run("scan", real ? "dtype=f64" : "overflow=wrap", &in);
            struct gf_buf sum = property_run("reduce", "op=sum overflow=wrap", &in);
            struct gf_buf l1 = property_run("reduce", "op=l1", &in);
            for (uint32_t c = 0; c < in.view.channels; c++)
                compare_sums(&scan, in.view.width - 1, in.view.height - 1, &sum, &l1, in.view.width * in.view.height,
                             c);
            property_teardown(NULL);
        }
}

static void corner_of_integral_is_the_sum(void **state)
{
    UNUSED(state);
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_F32};
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtypes[d], property_sizes[s], PROPERTY_PLAIN, 200 + s);
            uint64_t w = in.view.width, h = in.view.height;
            struct gf_buf tight = property_run("integral", "", &in), padded = property_run("integral", "pad=1", &in);
            struct gf_buf sum = property_run("reduce", "op=sum", &in), l1 = property_run("reduce", "op=l1", &in);
            for (uint32_t c = 0; c < in.view.channels; c++) {
                compare_sums(&tight, w - 1, h - 1, &sum, &l1, w * h, c);
                compare_sums(&padded, w, h, &sum, &l1, w * h, c);
                assert_true(property_f64(&padded, 0, h, c) == 0.0 && property_f64(&padded, w, 0, c) == 0.0);
            }
            property_teardown(NULL);
        }
}

static void check_counts(const struct gf_buf *in, const char *params, bool cumulative)
{
    struct gf_buf out[GF_MAX_OUTPUTS];
    property_run_padded("histogram", params, in, 1, 0, out);
    for (uint64_t row = 0; row < out[0].view.height; row++) {
        uint64_t total = 0, bins = out[0].view.width;
        for (uint64_t k = cumulative ? bins - 1 : 0; k < bins; k++)
            total += property_u64(&out[0], k, row, 0);
        for (uint64_t k = 0; k < 3; k++)
            total += property_u64(&out[1], k, row, 0);
        if (total != in->view.width * in->view.height)
            fail_msg("histogram %s of %s: %llu samples of %llu", params, gf_dtype_word(in->view.dtype),
                     (unsigned long long)total, (unsigned long long)(in->view.width * in->view.height));
    }
}

static void check_histograms(const struct gf_buf *in)
{
    check_counts(in, "range=data bins=37", false);
    check_counts(in, "range=given lo=10 hi=100 bins=7 last_closed=1", false);
    check_counts(in, "range=given lo=-300.5 hi=200 bins=100000 channels=colour", false);
    check_counts(in, "range=data bins=1000 cumulative=1", true);
    if ((GF_DT(in->view.dtype) & GF_DT_IMAGE) != 0 && in->view.channels >= 3)
        check_counts(in, "range=given lo=0 hi=256 bins=256 channels=luma", false);
}

static void histograms_count_every_sample(void **state)
{
    UNUSED(state);
    for_each_array(300, check_histograms);
}

static void stats_are_reductions(void **state)
{
    UNUSED(state);
    static const struct {
        const char *op;
        uint32_t output, column;
    } parts[] = {{"argmin", 0, 1}, {"argmax", 0, 2}, {"min", 1, 0}, {"max", 1, 1}, {"sum", 2, 0}, {"mean", 3, 0},
                 {"var", 3, 1},    {"std", 3, 2},    {"l1", 3, 3},  {"l2", 3, 4},  {"linf", 3, 5}};
    char params[96];
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            const char *nan = s % 2 == 0 ? "propagate" : "omit";
            struct gf_buf out[GF_MAX_OUTPUTS];
            struct gf_buf in = property_random(dtype, property_sizes[s], PROPERTY_SPECIAL, 400 + s);
            snprintf(params, sizeof params, "overflow=wrap nan=%s", nan);
            property_run_padded("stats", params, &in, 1, 0, out);
            for (size_t p = 0; p < GF_ARRAY_LEN(parts); p++) {
                snprintf(params, sizeof params, "op=%s overflow=wrap nan=%s", parts[p].op, nan);
                struct gf_buf one = property_run("reduce", params, &in);
                for (uint32_t c = 0; c < in.view.channels; c++)
                    if (memcmp(property_at(&one, 0, 0, c), property_at(&out[parts[p].output], parts[p].column, c, 0),
                               gf_dtype_size(one.view.dtype)) != 0)
                        fail_msg("reduce %s of %s, channel %u: not what stats gives", params, gf_dtype_word(dtype), c);
            }
            property_teardown(NULL);
        }
}

/* One segment of all elements gives the result without segments; separate segments give the result of each alone. */
static void check_reduced_segments(const struct gf_buf *in, const char *params)
{
    uint64_t n = in->view.width * in->view.height;
    const uint64_t offsets[] = {0, n}, parts[] = {n / 9, n / 2, n / 2, n - n / 5};
    struct gf_buf list = property_buf(GF_U64, (struct property_size){2, 1, 1}, 0), out;
    memcpy(list.data, offsets, sizeof offsets);
    property_run_padded("reduce", params, (const struct gf_buf[]){*in, list}, 2, 3, &out);
    struct gf_buf one = property_run("reduce", params, in);
    property_same(&out, &one, params);
    list = property_buf(GF_U64, (struct property_size){4, 1, 1}, 0);
    memcpy(list.data, parts, sizeof parts);
    property_run_padded("reduce", params, (const struct gf_buf[]){*in, list}, 2, 1, &out);
    for (uint64_t s = 0; s < 3; s++) {
        if (parts[s] == parts[s + 1])
            continue;
        struct gf_buf row = slice(in, parts[s], parts[s + 1]), alone = property_run("reduce", params, &row);
        if (memcmp(property_at(&alone, 0, 0, 0), property_at(&out, s, 0, 0),
                   in->view.channels * gf_dtype_size(out.view.dtype)) != 0)
            fail_msg("reduce %s of %s: segment %llu", params, gf_dtype_word(in->view.dtype), (unsigned long long)s);
    }
}

static void check_reductions(const struct gf_buf *in)
{
    static const char *const ops[] = {"sum", "product", "min",  "max",   "argmin", "argmax", "mean",   "var",    "std",
                                      "l1",  "l2",      "linf", "count", "any",    "all",    "affine", "matmul2"};
    char params[96];
    for (size_t op = 0; op < GF_ARRAY_LEN(ops); op++) {
        uint32_t channels = op == 15 ? 2 : op == 16 ? 4 : in->view.channels;
        if (channels != in->view.channels || (op > 14 && in->view.dtype != GF_F32 && in->view.dtype != GF_F64))
            continue;
        snprintf(params, sizeof params, "op=%s overflow=wrap", ops[op]);
        check_reduced_segments(in, params);
    }
}

static void segments_are_reduced_alone(void **state)
{
    UNUSED(state);
    for_each_array(700, check_reductions);
}

/* For integers, which wrap: the sums of segments that cover all elements add up to the total. */
static void sums_of_segments_add_up(void **state)
{
    UNUSED(state);
    for (uint32_t dtype = GF_U8; dtype < GF_F32; dtype++)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct gf_buf in = property_random(dtype, property_sizes[s], PROPERTY_PLAIN, 800 + s), out;
            struct gf_buf list = property_buf(GF_I64, (struct property_size){1001, 1, 1}, 0);
            struct gf_buf sum = property_run("reduce", "op=sum overflow=wrap", &in);
            uint64_t n = in.view.width * in.view.height;
            for (uint64_t i = 0; i <= 1000; i++)
                *(uint64_t *)property_at(&list, i, 0, 0) = n * i * i / 1000000;
            property_run_padded("reduce", "op=sum overflow=wrap", (const struct gf_buf[]){in, list}, 2, 0, &out);
            for (uint32_t c = 0; c < in.view.channels; c++) {
                uint64_t all = 0;
                for (uint64_t i = 0; i < 1000; i++)
                    all += property_u64(&out, i, 0, c);
                assert_true(all == property_u64(&sum, 0, 0, c));
            }
            property_teardown(NULL);
        }
}

/* Bit for bit. */
static bool same_sample(const struct gf_buf *a, uint64_t xa, uint64_t ya, uint32_t ca, const struct gf_buf *b,
                        uint64_t xb, uint64_t yb)
{
    return memcmp(property_at(a, xa, ya, ca), property_at(b, xb, yb, 0), gf_dtype_size(a->view.dtype)) == 0;
}

/* Indices ascend and lead to the values, and nothing is written after the last one. */
static void check_selected(const struct gf_buf *in, const char *params, const struct gf_buf *out)
{
    uint64_t n = in->view.width * in->view.height, room = out[0].view.width;
    for (uint32_t c = 0; c < in->view.channels; c++) {
        uint64_t count = property_u64(&out[2], 0, c, 0), next = 0;
        assert_true(count <= n);
        for (uint64_t k = 0; k < room; k++) {
            uint64_t index = property_u64(&out[1], k, c, 0);
            if (k >= count ? index != UINT64_MAX
                           : index < next || index >= n ||
                                 !same_sample(in, index % in->view.width, index / in->view.width, c, &out[0], k, c))
                fail_msg("select %s of %s: number %llu of channel %u", params, gf_dtype_word(in->view.dtype),
                         (unsigned long long)k, c);
            next = index + 1;
        }
    }
}

/* Both bounds are in the one bin that the histogram has. */
static void check_count(const struct gf_buf *in, const char *range, const struct gf_buf *count)
{
    char params[96];
    snprintf(params, sizeof params, "range=given bins=1 last_closed=1 %s", range);
    struct gf_buf counts = property_run("histogram", params, in);
    for (uint32_t c = 0; c < in->view.channels; c++)
        if (property_u64(&counts, 0, c, 0) != property_u64(count, 0, c, 0))
            fail_msg("select %s of %s: the histogram counts %llu in channel %u", range, gf_dtype_word(in->view.dtype),
                     (unsigned long long)property_u64(&counts, 0, c, 0), c);
}

static void check_ranges(const struct gf_buf *in)
{
    static const char *const ranges[] = {"lo=-100.5 hi=150", "lo=10 hi=100", "lo=-1e18 hi=1e18"};
    char params[96];
    for (size_t r = 0; r < GF_ARRAY_LEN(ranges); r++) {
        struct gf_buf out[GF_MAX_OUTPUTS], few[GF_MAX_OUTPUTS];
        property_run_padded("select", ranges[r], in, 1, 3, out);
        check_selected(in, ranges[r], out);
        check_count(in, ranges[r], &out[2]);
        snprintf(params, sizeof params, "%s capacity=41", ranges[r]);
        property_run_padded("select", params, in, 1, 0, few);
        check_selected(in, params, few);
        property_same(&few[2], &out[2], params);
    }
}

static void selected_samples_are_those_at_the_indices(void **state)
{
    UNUSED(state);
    for_each_array(500, check_ranges);
}

static void check_outputs(const struct gf_buf *in)
{
    struct gf_buf out[GF_MAX_OUTPUTS];
    property_run_padded("select", "lo=10 hi=100", in, 1, 0, out);
    for (uint8_t i = 0; i < 3; i++) {
        struct gf_buf one = property_run_for("select", "lo=10 hi=100", in, i);
        property_same(&one, &out[i], "select for one output");
    }
}

static void an_output_alone_is_the_same(void **state)
{
    UNUSED(state);
    for_each_array(600, check_outputs);
}

static void check_copy(const struct gf_buf *in)
{
    struct gf_buf gaps = property_copy(in, 3), once = property_run("copy", "", in), padded[GF_MAX_OUTPUTS];
    struct gf_buf twice = property_run("copy", "", &once);
    property_same(&once, &twice, "copy of a copy");
    property_run_padded("copy", "", &gaps, 1, 2, padded);
    property_same(&once, &padded[0], "copy with gaps");
    if (gf_dtype_kind(in->view.dtype) != GF_KIND_FLOAT)
        property_same(&once, in, "copy of integers");
}

static void copy_of_a_copy_is_the_copy(void **state)
{
    UNUSED(state);
    for_each_array(500, check_copy);
}

static void check_channels(const struct gf_buf *in)
{
    struct gf_buf gaps = property_copy(in, 5), all = property_run("copy", "", in);
    struct gf_buf together =
        property_buf(in->view.dtype, (struct property_size){in->view.width, in->view.height, in->view.channels}, 0);
    char params[32];
    for (uint32_t c = 0; c < in->view.channels; c++) {
        struct gf_buf one[GF_MAX_OUTPUTS];
        snprintf(params, sizeof params, "channel=%u", c + 1);
        property_run_padded("copy", params, c % 2 == 0 ? in : &gaps, 1, c, one);
        assert_int_equal(one[0].view.channels, 1);
        for (uint64_t y = 0; y < in->view.height; y++)
            for (uint64_t x = 0; x < in->view.width; x++)
                memcpy(property_at(&together, x, y, c), property_at(&one[0], x, y, 0), gf_dtype_size(in->view.dtype));
    }
    property_same(&together, &all, "channels put together");
}

static void channels_put_together_are_the_picture(void **state)
{
    UNUSED(state);
    for_each_array(600, check_channels);
}

/* The elements of a line one after the other, by integers. */
static void follow_line(const struct gf_buf *in, int axis, uint64_t line, double *ret)
{
    uint32_t channels = in->view.channels;
    for (uint64_t i = 0; i < length(&in->view, axis); i++) {
        double e[4], before[4];
        memcpy(before, ret, sizeof(before));
        for (uint32_t c = 0; c < channels; c++)
            e[c] = *(double *)element(in, axis, line, i, c);
        if (i == 0) {
            memcpy(ret, e, channels * sizeof(*e));
        } else if (channels == 2) {
            ret[0] = before[0] * e[0];
            ret[1] = before[1] * e[0] + e[1];
        } else {
            for (uint32_t k = 0; k < 4; k++)
                ret[k] = before[k & 2] * e[k & 1] + before[(k & 2) + 1] * e[2 + (k & 1)];
        }
    }
}

/* Turns and mirrors, and maps x to b + x and b - x: whatever the order of folding, everything is exact. */
static void maps_follow_each_other(void **state)
{
    static const double matrices[4][4] = {{0, 1, 1, 0}, {0, -1, 1, 0}, {1, 0, 0, -1}, {-1, 0, 0, -1}};
    char params[64];
    (void)state;
    for (uint32_t channels = 2; channels <= 4; channels += 2)
        for (uint32_t s = 0; s < PROPERTY_SIZES; s++) {
            struct property_size size = property_sizes[s];
            size.channels = channels;
            struct gf_buf in = property_random(GF_F64, size, PROPERTY_PLAIN, 500 + s);
            struct gf_prng prng = {.state = 600 + s};
            for (uint64_t i = 0; i < size.width * size.height; i++) {
                double *e = property_at(&in, i % size.width, i / size.width, 0);
                e[0] = gf_prng_below(&prng, 2) == 0 ? 1 : -1;
                e[1] = gf_prng_below(&prng, 100);
                if (channels == 4)
                    memcpy(e, matrices[gf_prng_below(&prng, 4)], sizeof(matrices[0]));
            }
            for (int axis = 0; axis < 3; axis++) {
                snprintf(params, sizeof params, "op=%s axis=%s", channels == 2 ? "affine" : "matmul2", axes[axis]);
                struct gf_buf out = property_run("reduce", params, &in);
                for (uint64_t line = 0; line < lines(&in.view, axis); line++) {
                    double expected[4] = {0};
                    follow_line(&in, axis, line, expected);
                    for (uint32_t c = 0; c < channels; c++)
                        if (*(double *)property_at(&out, axis == 2 ? line : 0, axis == 1 ? line : 0, c) != expected[c])
                            fail_msg("reduce %s, line %llu, channel %u", params, (unsigned long long)line, c);
                }
            }
            property_teardown(NULL);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(exclusive_is_inclusive_of_the_element_before, property_teardown),
        cmocka_unit_test_teardown(reverse_is_the_scan_of_reversed_data, property_teardown),
        cmocka_unit_test_teardown(scans_of_segments_are_those_of_slices, property_teardown),
        cmocka_unit_test_teardown(segments_are_reduced_alone, property_teardown),
        cmocka_unit_test_teardown(sums_of_segments_add_up, property_teardown),
        cmocka_unit_test_teardown(last_scan_is_the_sum, property_teardown),
        cmocka_unit_test_teardown(corner_of_integral_is_the_sum, property_teardown),
        cmocka_unit_test_teardown(histograms_count_every_sample, property_teardown),
        cmocka_unit_test_teardown(stats_are_reductions, property_teardown),
        cmocka_unit_test_teardown(maps_follow_each_other, property_teardown),
        cmocka_unit_test_teardown(copy_of_a_copy_is_the_copy, property_teardown),
        cmocka_unit_test_teardown(channels_put_together_are_the_picture, property_teardown),
        cmocka_unit_test_teardown(selected_samples_are_those_at_the_indices, property_teardown),
        cmocka_unit_test_teardown(an_output_alone_is_the_same, property_teardown),
    };
    int status = property_open(argc, argv);
    if (status != 0)
        return status;
    status = cmocka_run_group_tests_name("property_arrays", tests, NULL, NULL);
    property_close();
    return status;
}
