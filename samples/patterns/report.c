/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdio.h>

static void print_json_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        if ((unsigned char)*text >= ' ')
            putchar(*text);
    }
    putchar('"');
}

static void list_json(void)
{
    printf("{\"ladders\": [");
    for (size_t l = 0; l < g_n_ladders; l++) {
        const struct ladder *ladder = g_ladders[l];
        printf("%s\n  {\"name\": \"%s\", \"title\": ", l > 0 ? "," : "", ladder->name);
        print_json_text(ladder->title);
        printf(", \"size\": %zu, \"rungs\": [", ladder->n);
        for (size_t i = 0; i < ladder->n_rungs; i++) {
            printf("%s\n    {\"name\": \"%s\", \"racy\": %s, \"about\": ", i > 0 ? "," : "", ladder->rungs[i].name,
                   ladder->rungs[i].racy ? "true" : "false");
            print_json_text(ladder->rungs[i].about);
            putchar('}');
        }
        printf("]}");
    }
    printf("\n]}\n");
}

void report_list(bool json)
{
    if (json) {
        list_json();
        return;
    }
    for (size_t l = 0; l < g_n_ladders; l++) {
        const struct ladder *ladder = g_ladders[l];
        printf("%s%s: %s\n", l > 0 ? "\n" : "", ladder->name, ladder->title);
        for (size_t i = 0; i < ladder->n_rungs; i++)
            printf("  %-26s %s%s\n", ladder->rungs[i].name, ladder->rungs[i].about,
                   ladder->rungs[i].racy ? " Wrong on purpose." : "");
    }
}

void report_begin(struct report *report, const char *machine)
{
    if (report->json) {
        printf("{\"machine\": ");
        print_json_text(machine);
        printf(", \"copy_bytes_per_s\": %.0f, \"rungs\": [", report->copy_rate);
    } else if (report->copy_rate > 0) {
        printf("%s; a copy on it: %.2f TB/s, read and written\n", machine, 1e-12 * report->copy_rate);
    } else {
        printf("%s\n", machine);
    }
}

static void verdict(const struct row *row, char *ret_text, size_t size)
{
    unsigned long long wrong = row->wrong, of = row->of;
    switch (row->verdict) {
    case RIGHT:
        snprintf(ret_text, size, "matches the reference%s", row->text);
        break;
    case WRONG:
        snprintf(ret_text, size, "WRONG at %zu %s: %llu of %llu", row->n, row->ladder->counts, wrong, of);
        break;
    case WRONG_AS_EXPECTED:
        snprintf(ret_text, size, "wrong, as expected (lost %llu of %llu)", wrong, of);
        break;
    case RIGHT_BY_LUCK:
        snprintf(ret_text, size, "right, by luck");
        break;
    case FAILED:
        snprintf(ret_text, size, "FAILED at %zu %s: %s", row->n, row->ladder->counts, row->text);
        break;
    case NOT_RUN:
        snprintf(ret_text, size, "not run: %s", row->text);
        break;
    }
}

static const char *unit_of(const struct ladder *ladder)
{
    if (ladder->bytes != NULL)
        return "GB/s";
    return ladder->plain_operations ? "Gop/s" : "GFLOP/s";
}

static void print_header(const struct report *report, const struct row *row)
{
    if (row->rung->racy)
        printf("\n%s, wrong on purpose\n", row->ladder->name);
    else if (report->copy_rate > 0)
        printf("\n%s: %s; %zu %s\n", row->ladder->name, row->ladder->title, row->n, row->ladder->counts);
    else
        printf("\n%s: %s\n", row->ladder->name, row->ladder->title);
    if (report->copy_rate > 0)
        printf("  %-26s %11s %9s %7s %7s %5s %7s %5s %8s %8s  %s\n", "rung", "us", unit_of(row->ladder), "of copy",
               "before", "regs", "shared", "occ.", "op.", "steps", "result");
}

/* Prints a number in few characters; blanks for 0. */
static void print_number(int width, double number)
{
    if (number <= 0 || !isfinite(number))
        printf(" %*s", width, "");
    else if (number < 1e6)
        printf(" %*.0f", width, number);
    else
        printf(" %*.2g", width, number);
}

static double rate_of(const struct row *row)
{
    if (row->seconds <= 0)
        return 0;
    return (row->bytes > 0 ? row->bytes : row->flops) / row->seconds;
}

static void print_row(const struct report *report, const struct row *row)
{
    const struct rung *r = row->rung;
    char text[sizeof(row->text) + 80];
    double rate = rate_of(row);
    verdict(row, text, sizeof(text));
    printf("  %-26s", r->name);
    if (report->copy_rate > 0) {
        if (row->seconds > 0)
            printf(" %11.1f", 1e6 * row->seconds);
        else
            printf(" %11s", "");
        print_number(9, 1e-9 * rate);
        if (row->bytes > 0 && row->seconds > 0)
            printf(" %5.0f %%", 100 * rate / report->copy_rate);
        else
            printf(" %7s", "");
        if (rate > 0 && report->rate > 0)
            printf(" %6.2fx", rate / report->rate);
        else
            printf(" %7s", "");
        if (row->has_facts)
            printf(" %5d %7zu %3.0f %%", row->facts.registers, row->facts.shared, 100 * row->facts.occupancy);
        else
            printf(" %5s %7s %5s", "", "", "");
        print_number(8, r->operations != NULL ? r->operations((double)row->n) : 0);
        print_number(8, r->steps != NULL ? r->steps((double)row->n) : 0);
        putchar(' ');
    }
    printf(" %s\n", text);
}

static void print_json_number(const char *name, double number, bool there)
{
    if (there)
        printf(", \"%s\": %.9g", name, number);
    else
        printf(", \"%s\": null", name);
}

static void print_json_row(const struct report *report, const struct row *row)
{
    const struct rung *r = row->rung;
    char text[sizeof(row->text) + 80];
    double rate = rate_of(row), n = (double)row->n;
    verdict(row, text, sizeof(text));
    printf("%s\n  {\"ladder\": \"%s\", \"rung\": \"%s\", \"size\": %zu", report->n_rows > 0 ? "," : "",
           row->ladder->name, r->name, row->n);
    printf(", \"program\": ");
    if (r->program != NULL)
        print_json_text(r->program);
    else
        printf("null");
    print_json_number("seconds", row->seconds, row->seconds > 0);
    print_json_number("bytes_per_s", rate, rate > 0 && row->bytes > 0);
    print_json_number("flop_per_s", rate, row->flops > 0 && rate > 0 && !row->ladder->plain_operations);
    print_json_number("op_per_s", rate, row->flops > 0 && rate > 0 && row->ladder->plain_operations);
    print_json_number("of_copy", rate / report->copy_rate, rate > 0 && row->bytes > 0 && report->copy_rate > 0);
    print_json_number("of_rung_before", rate / report->rate, rate > 0 && report->rate > 0);
    print_json_number("registers", row->facts.registers, row->has_facts);
    print_json_number("shared_bytes", (double)row->facts.shared, row->has_facts);
    print_json_number("occupancy", row->facts.occupancy, row->has_facts);
    print_json_number("operations", r->operations != NULL ? r->operations(n) : 0, r->operations != NULL);
    print_json_number("steps", r->steps != NULL ? r->steps(n) : 0, r->steps != NULL);
    print_json_number("wrong", (double)row->wrong, row->verdict <= RIGHT_BY_LUCK);
    print_json_number("of", (double)row->of, row->verdict <= RIGHT_BY_LUCK);
    printf(", \"result\": ");
    print_json_text(text);
    putchar('}');
}

void report_ladder_end(struct report *report)
{
    if (!report->json && report->ladder != NULL && !report->racy && report->ladder->beside != NULL)
        report->ladder->beside();
    report->ladder = NULL;
}

void report_row(struct report *report, const struct row *row)
{
    if (report->ladder != row->ladder || report->racy != row->rung->racy) {
        report_ladder_end(report);
        report->ladder = row->ladder;
        report->racy = row->rung->racy;
        report->rate = 0;
        if (!report->json)
            print_header(report, row);
    }
    if (row->rung->begins)
        report->rate = 0;
    if (report->json)
        print_json_row(report, row);
    else
        print_row(report, row);
    if (rate_of(row) > 0)
        report->rate = rate_of(row);
    report->n_rows++;
    fflush(stdout);
}

void report_end(struct report *report)
{
    if (report->json)
        printf("\n]}\n");
    fflush(stdout);
}
