/* SPDX-License-Identifier: MIT */
/* The screen that `top` makes of figures: many devices and users on a small screen, rates, order, and no bytes that
 * control the terminal. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/daemon/top.h"
#include "protocol/base/base.h"

#define MAX_FIGURES 512u
#define MAX_LINES 64u

struct figures {
    struct gf_metrics_list list;
    gpufilter_metric rows[MAX_FIGURES];
};

static gpufilter_metric *add(struct figures *f, const char *name, const char *labels, double value)
{
    assert_true(f->list.n < MAX_FIGURES);
    gpufilter_metric *m = &f->rows[f->list.n++];
    *m = (gpufilter_metric){.kind = GPUFILTER_METRIC_GAUGE, .value = value};
    snprintf(m->name, sizeof(m->name), "gpufilter_%s", name);
    snprintf(m->labels, sizeof(m->labels), "%s", labels);
    f->list.rows = f->rows;
    return m;
}

/* The figures of a daemon after `seconds`: device i answers 100 i requests per second, user i gets 10 i of them. */
static void fill(struct figures *f, uint32_t n_devices, uint32_t n_users, double seconds)
{
    char labels[96];
    f->list.n = 0;
    add(f, "uptime_seconds", "", 3600 * 27);
    add(f, "connections_open", "", n_users);
    add(f, "requests_queued", "", 17);
    add(f, "total_held", "resource=\"inline_bytes\"", 3 << 20);
    add(f, "total_limit", "resource=\"inline_bytes\"", 1536);
    for (uint32_t i = 0; i < n_devices; i++) {
        snprintf(labels, sizeof(labels), "device=\"cuda:%u\"", i);
        add(f, "device_state", labels, GPUFILTER_DEVICE_READY);
        add(f, "device_jobs", labels, 3);
        add(f, "device_load_seconds", labels, 0.0125);
        snprintf(labels, sizeof(labels), "device=\"cuda:%u\",status=\"OK\"", i);
        add(f, "device_answers_total", labels, 1000 + 99.0 * i * seconds);
        snprintf(labels, sizeof(labels), "device=\"cuda:%u\",status=\"BUSY\"", i);
        add(f, "device_answers_total", labels, 1.0 * i * seconds);
        snprintf(labels, sizeof(labels), "device=\"cuda:%u\",stage=\"kernel\"", i);
        add(f, "device_stage_seconds_total", labels, 0.5 * seconds);
        snprintf(labels, sizeof(labels), "device=\"cuda:%u\"", i);
        gpufilter_metric *times = add(f, "request_seconds", labels, 0);
        times->kind = GPUFILTER_METRIC_HISTOGRAM;
        times->n_bins = 4;
        times->bound = 0.001;
        times->bins[0] = 1e6; /* before; no longer of interest */
        times->bins[1] = 60 * seconds;
        times->bins[2] = 39 * seconds;
        times->bins[3] = 1 * seconds;
    }
    for (uint32_t i = 0; i < n_users; i++) {
        snprintf(labels, sizeof(labels), "uid=\"400000%02u\",resource=\"requests\"", i);
        add(f, "user_held", labels, i);
        snprintf(labels, sizeof(labels), "uid=\"400000%02u\",status=\"OK\"", i);
        add(f, "user_answers_total", labels, 10.0 * i * seconds);
    }
}

struct lines {
    char text[16384];
    char *line[MAX_LINES];
    uint32_t n;
};

static void draw(const struct figures *now, const struct figures *before, uint32_t rows, uint32_t columns,
                 struct lines *ret)
{
    FILE *out = fmemopen(ret->text, sizeof(ret->text), "w");
    assert_non_null(out);
    gf_top_screen(out, "gpufilterd 0.1.0 at /run/gpufilterd/socket", &now->list, &before->list, 2, rows, columns);
    assert_int_equal(fclose(out), 0);
    ret->n = 0;
    for (char *at = ret->text; at; ret->n++) {
        assert_true(ret->n < MAX_LINES);
        ret->line[ret->n] = strsep(&at, "\n");
        assert_true(strlen(ret->line[ret->n]) <= columns);
    }
}

static const char *line_of(const struct lines *lines, const char *beginning)
{
    for (uint32_t i = 0; i < lines->n; i++)
        if (strncmp(lines->line[i], beginning, strlen(beginning)) == 0)
            return lines->line[i];
    return NULL;
}

static void test_rates_and_quantiles_are_of_the_interval(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    fill(&before, 2, 3, 10);
    fill(&now, 2, 3, 12);
    draw(&now, &before, 24, 80, &lines);
    assert_string_equal(lines.line[0] + strlen(lines.line[0]) - 10, "up 1 d 3 h");
    assert_string_equal(line_of(&lines, "cuda:1"),
                        "cuda:1   ready          100      0      0     3 12.5ms    50% 2.00ms 4.00ms    0");
    assert_non_null(strstr(line_of(&lines, "connections"), "3 open"));
    assert_non_null(strstr(line_of(&lines, "connections"), "requests: 17 queued"));
    assert_non_null(strstr(line_of(&lines, "memory"), "inline 3.00M of 1.50K"));
    assert_string_equal(lines.line[lines.n - 1], "q quits");
}

static void test_there_are_no_rates_at_first(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    fill(&now, 1, 1, 12);
    draw(&now, &before, 24, 80, &lines);
    assert_string_equal(line_of(&lines, "cuda:0"),
                        "cuda:0   ready            -      -      -     3 12.5ms      -      -      -    0");
}

static void test_the_busiest_users_have_what_devices_leave(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    fill(&before, 8, 20, 10);
    fill(&now, 8, 20, 12);
    draw(&now, &before, 24, 80, &lines);
    assert_int_equal(lines.n, 24);
    for (uint32_t i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof(name), "cuda:%u ", i);
        assert_non_null(line_of(&lines, name));
    }
    for (uint32_t i = 0; i < 7; i++) {
        char name[16];
        snprintf(name, sizeof(name), "400000%02u ", 19 - i);
        assert_int_equal(strncmp(lines.line[15 + i], name, strlen(name)), 0);
    }
    assert_string_equal(lines.line[23], "q quits; 13 more users");
}

static void test_small_screens(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    fill(&before, 40, 20, 10);
    fill(&now, 40, 20, 12);
    draw(&now, &before, 24, 80, &lines);
    assert_int_equal(lines.n, 24);
    assert_string_equal(lines.line[23], "q quits; 26 more devices, 19 more users");
    for (uint32_t rows = 6; rows < 60; rows++)
        for (uint32_t columns = 1; columns < 100; columns += 7) {
            draw(&now, &before, rows, columns, &lines);
            assert_true(lines.n <= rows);
        }
}

static void test_names_are_no_commands_for_the_terminal(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    fill(&now, 0, 0, 12);
    add(&now, "device_state", "device=\"\033[2Jcpu\"", 77);
    add(&now, "user_held", "uid=\"\302\233\303\251x\",resource=\"requests\"", 1);
    draw(&now, &before, 24, 80, &lines);
    assert_non_null(line_of(&lines, "?[2Jcpu  unknown "));
    assert_non_null(line_of(&lines, "?"));
    for (uint32_t columns = 1; columns < 8; columns++)
        draw(&now, &before, 24, columns, &lines);
}

static void test_names_of_certificates_lose_their_middle(void **state)
{
    static struct figures before, now;
    static struct lines lines;
    UNUSED(state);
    static const char *const names[][2] = {
        {"CN=alice", "CN=alice           -"},
        {"CN=exactly12", "CN=exactly12       -"},
        {"CN=edge-node-01", "CN=ed..de-01       -"},
        {"CN=edge-node-02", "CN=ed..de-02       -"},
        {"CN=J\u00fcrgen", "CN=J\u00fcrgen          -"},
        {"CN=\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9",
         "CN=\u00e9\u00e9..\u00e9\u00e9\u00e9\u00e9\u00e9       -"},
    };
    fill(&now, 0, 0, 12);
    char labels[128], longest[65] = "";
    memset(longest, 'x', 64);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(labels, sizeof labels, "uid=\"%s\",resource=\"requests\"", names[i][0]);
        add(&now, "user_held", labels, 1);
        snprintf(labels, sizeof labels, "uid=\"%s\",status=\"OK\"", names[i][0]);
        add(&now, "user_answers_total", labels, 1);
    }
    snprintf(labels, sizeof labels, "uid=\"CN=%s\",resource=\"requests\"", longest);
    add(&now, "user_held", labels, 7);
    draw(&now, &before, 24, 100, &lines);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(line_of(&lines, names[i][1]));
    assert_non_null(line_of(&lines, "CN=xx..xxxxx       -"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_and_quantiles_are_of_the_interval),
        cmocka_unit_test(test_there_are_no_rates_at_first),
        cmocka_unit_test(test_the_busiest_users_have_what_devices_leave),
        cmocka_unit_test(test_small_screens),
        cmocka_unit_test(test_names_are_no_commands_for_the_terminal),
        cmocka_unit_test(test_names_of_certificates_lose_their_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
