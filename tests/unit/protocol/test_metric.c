/* SPDX-License-Identifier: MIT */
/* Metrics on the wire: round trips, a count of metrics that do not fit, and refusals of hostile bodies; as text. */
#include "protocol/wire/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/wire/exposition.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;

/* What a decoder handed over. */
static struct {
    struct gf_metric list[8];
    uint32_t n;
} taken;

static void take(void *data, const struct gf_metric *metric)
{
    assert_ptr_equal(data, &taken);
    if (taken.n < GF_ARRAY_LEN(taken.list))
        taken.list[taken.n] = *metric;
    taken.n++;
}

static enum gf_status decode(struct gf_error *err)
{
    taken.n = 0;
    return gf_metrics_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, take, &taken, err);
}

static void begin(void)
{
    gf_writer_init(&w, frame, sizeof frame);
}

static void put_value(const double *values, size_t n)
{
    gf_put(&w, GF_ATTR_METRIC_VALUE, GF_TYPE_F64, values, 8 * n);
}

static void figures_come_back(void **state)
{
    UNUSED(state);
    struct gf_metric_writer m;
    static const uint64_t bins[3] = {4, 0, 7};
    begin();
    gf_metric_writer_init(&m, &w, 0);
    gf_metric_family(&m, "empty", GF_METRIC_COUNTER, "Never seen.");
    gf_metric_family(&m, "answers_total", GF_METRIC_COUNTER, "How many.");
    gf_metric_put(&m, "device=\"cpu\",status=\"OK\"", 12345678901.0);
    gf_metric_put(&m, "", 0.1);
    gf_metric_family(&m, "time_seconds", GF_METRIC_HISTOGRAM, "How long.");
    gf_metric_put_bins(&m, "device=\"cpu\"", 2.5, 0.25, bins, 3);
    gf_metric_writer_finish(&m);
    gf_put_u32(&w, 999, 5); /* of a later version */
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(taken.n, 4);
    assert_string_equal(taken.list[0].name, "answers_total");
    assert_string_equal(taken.list[0].labels, "device=\"cpu\",status=\"OK\"");
    assert_string_equal(taken.list[0].help, "How many.");
    assert_int_equal(taken.list[0].kind, GF_METRIC_COUNTER);
    assert_true(taken.list[0].value == 12345678901.0);
    assert_int_equal(taken.list[0].n_bins, 0);
    assert_string_equal(taken.list[1].labels, "");
    assert_true(taken.list[1].value == 0.1);
    const struct gf_metric *h = &taken.list[2];
    assert_int_equal(h->kind, GF_METRIC_HISTOGRAM);
    assert_string_equal(h->labels, "device=\"cpu\"");
    assert_int_equal(h->n_bins, 3);
    assert_true(h->value == 2.5 && h->bound == 0.25);
    assert_true(h->bins[0] == 4 && h->bins[1] == 0 && h->bins[2] == 7);
    assert_string_equal(taken.list[3].name, "gpufilter_metrics_left_out");
    assert_true(taken.list[3].value == 0);
}

static void what_does_not_fit_is_counted(void **state)
{
    UNUSED(state);
    struct gf_metric_writer m;
    uint64_t bins[GF_MAX_METRIC_BINS] = {1};
    begin();
    gf_metric_writer_init(&m, &w, 0);
    gf_metric_family(&m, "long", GF_METRIC_HISTOGRAM, "Too many.");
    for (int i = 0; i < 400; i++)
        gf_metric_put_bins(&m, "a=\"b\"", 1, 1, bins, GF_MAX_METRIC_BINS);
    gf_metric_writer_finish(&m);
    assert_true(gf_writer_finish(&w, GF_FRAME_INFO_REPLY, 1, 0, 0));
    assert_in_range(w.size, GF_MAX_FRAME_HEAD - 400, GF_MAX_FRAME_HEAD);
    assert_int_equal(gf_metrics_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, NULL, NULL, NULL), GF_OK);
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(taken.n - 1 + m.left_out, 400);
    assert_in_range(m.left_out, 150, 250);
}

/* Writes a page of families that have more and more values, from 1 to 60. Returns the next page. */
static uint32_t write_page(uint32_t first)
{
    struct gf_metric_writer m;
    uint64_t bins[GF_MAX_METRIC_BINS] = {1};
    char name[16], labels[32];
    begin();
    gf_metric_writer_init(&m, &w, first);
    for (int family = 1; family <= 60; family++) {
        snprintf(name, sizeof name, "f%d", family);
        gf_metric_family(&m, "without_values", GF_METRIC_GAUGE, "None.");
        gf_metric_family(&m, name, GF_METRIC_HISTOGRAM, "A long text that says what it is.");
        for (int i = 0; i < family; i++) {
            snprintf(labels, sizeof labels, "i=\"%d\"", i);
            gf_metric_put_bins(&m, labels, family, 1, bins, GF_MAX_METRIC_BINS);
        }
    }
    gf_metric_writer_finish(&m);
    assert_true(gf_writer_finish(&w, GF_FRAME_INFO_REPLY, 1, 0, 0));
    assert_int_equal(m.left_out, 0);
    return m.next;
}

/* What the pages of a report have. */
static struct {
    uint32_t values[61];
    uint32_t n_left_out;
} seen;

static void see(void *data, const struct gf_metric *metric)
{
    int family = 0;
    UNUSED(data);
    seen.n_left_out += strcmp(metric->name, "gpufilter_metrics_left_out") == 0;
    if (sscanf(metric->name, "f%d", &family) != 1)
        return;
    char labels[32];
    snprintf(labels, sizeof labels, "i=\"%u\"", seen.values[family]++);
    assert_string_equal(metric->labels, labels);
    assert_true(metric->value == family);
}

static void pages_have_whole_families_and_each_once(void **state)
{
    UNUSED(state);
    uint32_t n_pages = 0, page = 0;
    memset(&seen, 0, sizeof seen);
    do {
        struct gf_reader reader = {.data = frame + GF_HEADER_SIZE};
        struct gf_attr a;
        uint32_t next = write_page(page), told = 0;
        reader.size = w.size - GF_HEADER_SIZE;
        while (gf_attr_next(&reader, &a, NULL) == 1)
            if (a.id == GF_ATTR_NEXT)
                assert_int_equal(gf_attr_u32(&a, &told, NULL), GF_OK);
        assert_int_equal(told, next);
        assert_true(next == 0 || next > page);
        assert_true(next == 0 || w.size > GF_MAX_FRAME_HEAD - 60 * 440); /* pages are full */
        assert_int_equal(gf_metrics_decode(reader.data, reader.size, see, NULL, NULL), GF_OK);
        page = next;
        n_pages++;
    } while (page != 0);
    assert_int_equal(n_pages, 10); /* 1830 values of some 320 bytes */
    for (uint32_t family = 1; family <= 60; family++)
        assert_int_equal(seen.values[family], family);
    assert_int_equal(seen.n_left_out, 1); /* on the last page */
}

/* Values of the families of a report, and its count of those that are missing. */
static struct {
    uint32_t before, too_long, after;
    double left_out;
} report;

static void add_to_report(void *data, const struct gf_metric *metric)
{
    UNUSED(data);
    report.before += strcmp(metric->name, "before") == 0;
    report.too_long += strcmp(metric->name, "too_long") == 0;
    report.after += strcmp(metric->name, "after") == 0;
    if (strcmp(metric->name, "gpufilter_metrics_left_out") == 0)
        report.left_out = metric->value;
}

/* Writes a page of a report whose family in the middle is longer than a page. Returns the next page. */
static uint32_t write_page_of_long_report(uint32_t first)
{
    static const char *const names[] = {"before", "too_long", "after"};
    static const int n_values[] = {3, 400, 5};
    struct gf_metric_writer m;
    uint64_t bins[GF_MAX_METRIC_BINS] = {1};
    begin();
    gf_metric_writer_init(&m, &w, first);
    for (size_t family = 0; family < GF_ARRAY_LEN(names); family++) {
        gf_metric_family(&m, names[family], GF_METRIC_HISTOGRAM, "A text.");
        for (int i = 0; i < n_values[family]; i++)
            gf_metric_put_bins(&m, "a=\"b\"", 1, 1, bins, GF_MAX_METRIC_BINS);
    }
    gf_metric_writer_finish(&m);
    assert_true(gf_writer_finish(&w, GF_FRAME_INFO_REPLY, 1, 0, 0));
    return m.next;
}

/* The page of the long family is not the last one, which alone has the count. */
static void the_last_page_counts_what_other_pages_left_out(void **state)
{
    UNUSED(state);
    uint32_t n_pages = 0, page = 0;
    memset(&report, 0, sizeof report);
    do {
        page = write_page_of_long_report(page);
        assert_int_equal(gf_metrics_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, add_to_report, NULL, NULL),
                         GF_OK);
        n_pages++;
    } while (page != 0);
    assert_int_equal(n_pages, 3);
    assert_int_equal(report.before, 3);
    assert_int_equal(report.after, 5);
    assert_in_range(report.too_long, 150, 250);
    assert_int_equal(report.left_out, 400 - report.too_long);
}

static void a_page_behind_the_end_is_empty(void **state)
{
    UNUSED(state);
    assert_int_equal(write_page(1000), 0);
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(taken.n, 1);
    assert_string_equal(taken.list[0].name, "gpufilter_metrics_left_out");
}

static void families_of_unknown_kinds_are_passed_over(void **state)
{
    UNUSED(state);
    static const double values[2] = {1, 2};
    begin();
    gf_put_string(&w, GF_ATTR_METRIC, "later");
    gf_put_u32(&w, GF_ATTR_METRIC_KIND, 4);
    put_value(values, 2);
    gf_put_string(&w, GF_ATTR_METRIC, "known");
    gf_put_u32(&w, GF_ATTR_METRIC_KIND, GF_METRIC_GAUGE);
    put_value(values, 1);
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(taken.n, 1);
    assert_string_equal(taken.list[0].name, "known");
    assert_string_equal(taken.list[0].help, "");
}

static void refused(const char *text)
{
    struct gf_error err = {.text = ""};
    assert_int_equal(decode(&err), GF_E_BAD_REPLY);
    assert_int_equal(err.status, GF_E_BAD_REPLY);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, text);
}

/* A family that is well as far as it goes. */
static void begin_family(uint32_t kind)
{
    begin();
    gf_put_string(&w, GF_ATTR_METRIC, "good");
    gf_put_u32(&w, GF_ATTR_METRIC_KIND, kind);
}

static void hostile_names_and_labels_are_refused(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"", "9a", "a b", "a{", "a\"", "a-b"};
    static const char *const labels[] = {"",          "a",      "a=b",      "a=\"b",          "a=\"b\",",
                                         "a=\"b\\\"", "=\"b\"", "1a=\"b\"", "a=\"b\"c=\"d\"", "a =\"b\""};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        begin();
        gf_put_string(&w, GF_ATTR_METRIC, names[i]);
        refused("allowed: letters, digits and '_'");
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(labels); i++) {
        begin_family(GF_METRIC_GAUGE);
        gf_put_string(&w, GF_ATTR_METRIC_LABELS, labels[i]);
        refused("must be of the form word=\"value\"");
    }
    char text[GF_MAX_METRIC_TEXT + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    begin();
    gf_put_string(&w, GF_ATTR_METRIC, text);
    refused("128 bytes; allowed: up to 127");
    begin();
    gf_put(&w, GF_ATTR_METRIC, GF_TYPE_STRING, "a\nb", 3);
    refused("control character");
}

static void hostile_values_are_refused(void **state)
{
    UNUSED(state);
    static const double numbers[][5] = {{NAN}, {INFINITY}, {1, 0, 1, 1}, {1, -1, 1, 1}, {1, 1, -1, 1}, {1, 1, NAN, 1}};
    double many[3 + GF_MAX_METRIC_BINS] = {1, 1};
    for (size_t i = 0; i < GF_ARRAY_LEN(numbers); i++) {
        begin_family(i < 2 ? GF_METRIC_COUNTER : GF_METRIC_HISTOGRAM);
        put_value(numbers[i], i < 2 ? 1 : 4);
        refused("good: ");
    }
    begin_family(GF_METRIC_COUNTER);
    put_value(many, 2);
    refused("a value of 2 numbers; allowed: 1");
    begin_family(GF_METRIC_HISTOGRAM);
    put_value(many, 3);
    refused("allowed: 4..34");
    begin_family(GF_METRIC_HISTOGRAM);
    put_value(many, GF_ARRAY_LEN(many));
    refused("a value of 35 numbers");
    begin_family(GF_METRIC_COUNTER);
    gf_put_u64(&w, GF_ATTR_METRIC_VALUE, 1);
    refused("not of type f64");
}

static void wrong_order_is_refused(void **state)
{
    UNUSED(state);
    static const double one = 1;
    for (uint16_t id = GF_ATTR_METRIC_KIND; id <= GF_ATTR_METRIC_VALUE; id++) {
        begin();
        gf_put_u32(&w, id, 1);
        refused("comes before any METRIC");
    }
    begin();
    gf_put_string(&w, GF_ATTR_METRIC, "good");
    put_value(&one, 1);
    refused("a value before METRIC_KIND");
    begin_family(GF_METRIC_GAUGE);
    gf_put_u32(&w, GF_ATTR_METRIC_KIND, 1);
    refused("METRIC_KIND (35) is given twice");
    begin_family(GF_METRIC_GAUGE);
    gf_put_string(&w, GF_ATTR_METRIC_HELP, "");
    gf_put_string(&w, GF_ATTR_METRIC_HELP, "");
    refused("METRIC_HELP (36) is given twice");
    begin_family(GF_METRIC_GAUGE);
    gf_put_string(&w, GF_ATTR_METRIC_LABELS, "a=\"b\"");
    gf_put_string(&w, GF_ATTR_METRIC_LABELS, "a=\"b\"");
    refused("METRIC_LABELS (37) is given twice");
}

static void cut_and_changed_bodies_decode_or_are_refused(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {.state = 5};
    static const double values[4] = {1, 1, 2, 3};
    begin_family(GF_METRIC_HISTOGRAM);
    gf_put_string(&w, GF_ATTR_METRIC_HELP, "A sentence.");
    gf_put_string(&w, GF_ATTR_METRIC_LABELS, "device=\"cpu\"");
    put_value(values, 4);
    size_t size = w.size - GF_HEADER_SIZE;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    for (size_t at = 0; at < size; at++)
        for (int k = 0; k < 24; k++) {
            struct gf_error err = {.text = ""};
            uint8_t *short_copy = malloc(at + 1);
            assert_non_null(short_copy);
            memcpy(copy, frame + GF_HEADER_SIZE, size);
            copy[at] = (uint8_t)(k < 8 ? copy[at] ^ (1u << k) : gf_prng_next(&prng));
            memcpy(short_copy, copy, at + 1);
            enum gf_status whole = gf_metrics_decode(copy, size, NULL, NULL, &err);
            enum gf_status cut = gf_metrics_decode(short_copy, at + 1, NULL, NULL, &err);
            assert_true(whole == GF_OK || whole == GF_E_BAD_REPLY);
            assert_true(cut == GF_OK || cut == GF_E_BAD_REPLY);
            free(short_copy);
        }
    free(copy);
}

static const struct gf_metric printed[] = {
    {.name = "a_total", .labels = "uid=\"1\"", .help = "A \"path\\to\".", .kind = GF_METRIC_COUNTER, .value = 3},
    {.name = "a_total", .labels = "uid=\"2\"", .help = "A \"path\\to\".", .kind = GF_METRIC_COUNTER, .value = 0.1},
    {.name = "odd", .help = "Later.", .kind = GF_METRIC_COUNTER, .value = 7},
    {.name = "limit_total", .help = "Now.", .kind = GF_METRIC_GAUGE, .value = 12345678901.0},
    {.name = "h_seconds",
     .labels = "device=\"cpu\"",
     .help = "Times.",
     .kind = GF_METRIC_HISTOGRAM,
     .n_bins = 3,
     .value = 2.5,
     .bound = 0.25,
     .bins = {4, 0, 7}},
};

#define HISTOGRAM                                                                                                      \
    "# HELP h_seconds Times.\n"                                                                                        \
    "# TYPE h_seconds histogram\n"                                                                                     \
    "h_seconds_bucket{device=\"cpu\",le=\"0.25\"} 4\n"                                                                 \
    "h_seconds_bucket{device=\"cpu\",le=\"0.5\"} 4\n"                                                                  \
    "h_seconds_bucket{device=\"cpu\",le=\"+Inf\"} 11\n"                                                                \
    "h_seconds_sum{device=\"cpu\"} 2.5\n"                                                                              \
    "h_seconds_count{device=\"cpu\"} 11\n"

static void check_text(enum gf_exposition_format format, const char *expected)
{
    char text[2048];
    struct gf_exposition e;
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    gf_exposition_begin(&e, out, format);
    for (size_t i = 0; i < GF_ARRAY_LEN(printed); i++)
        gf_exposition_put(&e, &printed[i]);
    gf_exposition_end(&e);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
}

static void families_of_prometheus_have_the_names_of_their_values(void **state)
{
    UNUSED(state);
    check_text(GF_EXPOSITION_TEXT, "# HELP a_total A \"path\\\\to\".\n"
                                   "# TYPE a_total counter\n"
                                   "a_total{uid=\"1\"} 3\n"
                                   "a_total{uid=\"2\"} 0.1\n"
                                   "# HELP odd Later.\n"
                                   "# TYPE odd counter\n"
                                   "odd 7\n"
                                   "# HELP limit_total Now.\n"
                                   "# TYPE limit_total gauge\n"
                                   "limit_total 12345678901\n" HISTOGRAM);
}

static void counters_of_openmetrics_end_in_total_and_their_families_do_not(void **state)
{
    UNUSED(state);
    check_text(GF_EXPOSITION_OPENMETRICS, "# HELP a A \\\"path\\\\to\\\".\n"
                                          "# TYPE a counter\n"
                                          "a_total{uid=\"1\"} 3\n"
                                          "a_total{uid=\"2\"} 0.1\n"
                                          "# HELP odd Later.\n"
                                          "# TYPE odd unknown\n"
                                          "odd 7\n"
                                          "# HELP limit_total Now.\n"
                                          "# TYPE limit_total gauge\n"
                                          "limit_total 12345678901\n" HISTOGRAM "# EOF\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_back),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(pages_have_whole_families_and_each_once),
        cmocka_unit_test(the_last_page_counts_what_other_pages_left_out),
        cmocka_unit_test(a_page_behind_the_end_is_empty),
        cmocka_unit_test(families_of_unknown_kinds_are_passed_over),
        cmocka_unit_test(hostile_names_and_labels_are_refused),
        cmocka_unit_test(hostile_values_are_refused),
        cmocka_unit_test(wrong_order_is_refused),
        cmocka_unit_test(cut_and_changed_bodies_decode_or_are_refused),
        cmocka_unit_test(families_of_prometheus_have_the_names_of_their_values),
        cmocka_unit_test(counters_of_openmetrics_end_in_total_and_their_families_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
