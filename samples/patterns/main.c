/* SPDX-License-Identifier: MIT */
/*
 * gpufilter-patterns: runs the ladders, each from the naive kernel to the product's. Rungs that are wrong on purpose
 * run last, in a process of their own, which is forked before either process touches the GPU.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/base/exit_code.h"
#include "harness.h"
#include "machine.h"
#include "patterns.h"
#include "product.h"
#include "protocol/base/suggest.h"
#include "report.h"

#define MAX_CPU_N ((size_t)1 << 20) /* the emulator would take minutes for more */
#define NAME_SIZE 96

extern const struct ladder g_first_steps, g_indexing, g_coalescing, g_bank_conflicts, g_convolution_1d,
    g_convolution_2d, g_reuse_1d, g_reuse_2d, g_reduction, g_reduction_operators, g_scan, g_scan_uses, g_histogram,
    g_text_histogram, g_atomics, g_matrix_product, g_blocks, g_uneven_tasks, g_device, g_streams;

const struct ladder *const g_ladders[] = {
    &g_first_steps,    &g_indexing,  &g_coalescing,   &g_bank_conflicts, &g_convolution_1d,
    &g_convolution_2d, &g_reuse_1d,  &g_reuse_2d,     &g_reduction,      &g_reduction_operators,
    &g_scan,           &g_scan_uses, &g_histogram,    &g_text_histogram, &g_atomics,
    &g_matrix_product, &g_blocks,    &g_uneven_tasks, &g_device,         &g_streams};
const size_t g_n_ladders = sizeof(g_ladders) / sizeof(g_ladders[0]);

struct options {
    bool list, json, cpu;
    size_t n;           /* 0: each ladder's own size */
    char *const *names; /* ladders and rungs to run; none: all */
    int n_names;
};

static const char g_usage[] =
    "usage: gpufilter-patterns [options] [LADDER | LADDER/RUNG]...\n"
    "Runs parallel patterns on the first GPU, each as a ladder of kernels from the naive one to the daemon's own, "
    "checks\n"
    "them against a plain loop, and prints how fast they are. Without a name it runs all.\n"
    "  --list    print the ladders and their rungs, and run nothing\n"
    "  --cpu     run the kernels thread by thread on the CPU: checks them, and times nothing\n"
    "  --size N  the size to time at, or with --cpu to check at, instead of each ladder's own\n"
    "  --json    print JSON\n"
    "  --help    print this\n";

static int usage_error(const char *format, const char *word, const char *more)
{
    fprintf(stderr, "gpufilter-patterns: ");
    fprintf(stderr, format, word, more);
    fprintf(stderr, "\n");
    return GF_EXIT_USAGE;
}

/* Whether `name` is the ladder, or LADDER/RUNG, which is left in `both`. */
static bool is_name_of(const char *name, const struct ladder *ladder, const struct rung *rung, char both[NAME_SIZE])
{
    snprintf(both, NAME_SIZE, "%s/%s", ladder->name, rung->name);
    return strcmp(name, ladder->name) == 0 || strcmp(name, both) == 0;
}

static bool is_chosen(const struct options *options, const struct ladder *ladder, const struct rung *rung)
{
    char both[NAME_SIZE];
    for (int i = 0; i < options->n_names; i++)
        if (is_name_of(options->names[i], ladder, rung, both))
            return true;
    return options->n_names == 0;
}

/* Checks that there is a ladder or a rung with this name. */
static int check_name(const char *name)
{
    char names[2][NAME_SIZE]; /* the nearest name so far, and the name being tried */
    struct gf_suggest suggest = gf_suggest_for(name);
    unsigned at = 0;
    for (size_t l = 0; l < g_n_ladders; l++) {
        const struct ladder *ladder = g_ladders[l];
        gf_suggest_try(&suggest, ladder->name);
        for (size_t i = 0; i < ladder->n_rungs; i++) {
            if (is_name_of(name, ladder, &ladder->rungs[i], names[at]))
                return GF_EXIT_OK;
            gf_suggest_try(&suggest, names[at]);
            if (suggest.best == names[at])
                at = 1 - at;
        }
    }
    if (suggest.best != NULL)
        return usage_error("there is no ladder or rung %s; did you mean %s?", name, suggest.best);
    return usage_error("there is no ladder or rung %s; --list prints them%s", name, "");
}

static int parse_size(const char *text, size_t *ret_n)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || n == 0 || n > SIZE_MAX / 64)
        return usage_error("--size %s: must be a whole number, 1 or more%s", text, "");
    *ret_n = (size_t)n;
    return GF_EXIT_OK;
}

/* Returns GF_EXIT_OK to go on, another exit code to end with, or -1 after --help. */
static int parse(int argc, char **argv, struct options *options)
{
    enum { LIST = 256, CPU, SIZE, JSON, HELP };
    static const struct option known[] = {{"list", no_argument, NULL, LIST},       {"cpu", no_argument, NULL, CPU},
                                          {"size", required_argument, NULL, SIZE}, {"json", no_argument, NULL, JSON},
                                          {"help", no_argument, NULL, HELP},       {NULL, 0, NULL, 0}};
    int option, status = GF_EXIT_OK;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == HELP) {
            fputs(g_usage, stdout);
            return -1;
        }
        options->list |= option == LIST;
        options->cpu |= option == CPU;
        options->json |= option == JSON;
        if (option == SIZE)
            status = parse_size(optarg, &options->n);
        if (option == '?')
            status = GF_EXIT_USAGE; /* getopt_long has printed the reason */
        if (status != GF_EXIT_OK)
            return status;
    }
    options->names = argv + optind;
    options->n_names = argc - optind;
    for (int i = 0; i < options->n_names && status == GF_EXIT_OK; i++)
        status = check_name(options->names[i]);
    return status;
}

/* The size at which to run a rung: the requested one, but at most the largest the rung supports. */
static size_t size_of(const struct options *options, const struct ladder *ladder, const struct rung *rung)
{
    size_t n = options->n > 0 ? options->n : ladder->n;
    return rung->max_n > 0 && rung->max_n < n ? rung->max_n : n;
}

/* Checks, before anything runs, that every chosen rung fits in memory and within its limits. */
static int check_sizes(const struct options *options, const struct machine *machine)
{
    for (size_t l = 0; l < g_n_ladders; l++) {
        const struct ladder *ladder = g_ladders[l];
        size_t most = options->cpu ? MAX_CPU_N : ladder->max_n;
        for (size_t i = 0; i < ladder->n_rungs && !(options->cpu && options->n == 0); i++) {
            size_t n = size_of(options, ladder, &ladder->rungs[i]);
            char why[160] = "";
            if (!is_chosen(options, ladder, &ladder->rungs[i]))
                continue;
            if (most > 0 && n > most)
                snprintf(why, sizeof(why), "%zu %s are too many; at most %zu are allowed%s", n, ladder->counts, most,
                         options->cpu ? " with --cpu" : "");
            else if (harness_memory(ladder, &ladder->rungs[i], n) > machine->free_memory())
                snprintf(why, sizeof(why), "%zu %s need %.1f GiB, and %.1f are free", n, ladder->counts,
                         (double)harness_memory(ladder, &ladder->rungs[i], n) / (1 << 30),
                         (double)machine->free_memory() / (1 << 30));
            if (why[0] != '\0')
                return usage_error("%s: %s", ladder->name, why);
        }
    }
    return GF_EXIT_OK;
}

/* Runs the chosen rungs: the racy ones, or all others. */
static int run_chosen(const struct options *options, const struct machine *machine, bool racy, struct report *report)
{
    int status = GF_EXIT_OK;
    for (size_t l = 0; l < g_n_ladders; l++) {
        const struct ladder *ladder = g_ladders[l];
        for (size_t i = 0; i < ladder->n_rungs; i++) {
            struct row row;
            const struct rung *rung = &ladder->rungs[i];
            if (!is_chosen(options, ladder, rung) || rung->racy != racy)
                continue;
            if (!options->cpu)
                harness_run(machine, ladder, rung, size_of(options, ladder, rung), &row);
            else if (options->n == 0)
                harness_run(machine, ladder, rung, 0, &row);
            else
                harness_check(machine, ladder, rung, size_of(options, ladder, rung), &row);
            report_row(report, &row);
            if (row.verdict == WRONG || row.verdict == FAILED)
                status = GF_EXIT_DIFFERENT;
            else if (row.verdict == NOT_RUN && rung->program != NULL && status == GF_EXIT_OK)
                status = GF_EXIT_UNAVAILABLE;
        }
    }
    report_ladder_end(report);
    harness_close(machine);
    return status;
}

static bool any_racy(const struct options *options)
{
    for (size_t l = 0; l < g_n_ladders; l++)
        for (size_t i = 0; i < g_ladders[l]->n_rungs; i++)
            if (g_ladders[l]->rungs[i].racy && is_chosen(options, g_ladders[l], &g_ladders[l]->rungs[i]))
                return true;
    return false;
}

/* The process for racy rungs: waits for the report of the other rungs and continues it. */
static _Noreturn void run_racy(const struct options *options, const struct machine *machine, int told)
{
    struct report report;
    char why[160];
    if (read(told, &report, sizeof(report)) != (ssize_t)sizeof(report))
        _exit(GF_EXIT_OK); /* the other rungs failed first */
    if (!machine->open(why, sizeof(why)))
        _exit(GF_EXIT_UNAVAILABLE);
    int status = run_chosen(options, machine, true, &report);
    product_close();
    exit(status);
}

/* Starts the process for racy rungs. A report written to *ret_tell lets it go on. */
static pid_t start_racy(const struct options *options, const struct machine *machine, int *ret_tell)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        run_racy(options, machine, ends[0]);
    }
    close(ends[0]);
    *ret_tell = ends[1];
    return pid;
}

/* Sends the report so far to the process for racy rungs, or with NULL has it end at once; then waits for it. */
static int finish_racy(pid_t pid, int tell, const struct report *report)
{
    int status;
    fflush(stdout);
    bool told = report == NULL || write(tell, report, sizeof(*report)) == (ssize_t)sizeof(*report);
    close(tell);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return GF_EXIT_SOFTWARE;
    if (told && WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "gpufilter-patterns: the process for racy rungs ended by itself\n");
    return GF_EXIT_SOFTWARE;
}

static int run_all(const struct options *options)
{
    const struct machine *machine = options->cpu ? &g_machine_cpu : &g_machine_cuda;
    struct report report = {.json = options->json};
    char why[160];
    pid_t pid = -1;
    int tell = -1, status, racy_status = GF_EXIT_OK;
    if (any_racy(options) && !options->cpu && (pid = start_racy(options, machine, &tell)) < 0) {
        fprintf(stderr, "gpufilter-patterns: no process for racy rungs: %s\n", strerror(errno));
        return GF_EXIT_SOFTWARE;
    }
    if (machine->open != NULL && !machine->open(why, sizeof(why))) {
        fprintf(stderr, "gpufilter-patterns: no GPU: %s; --list prints the ladders, --cpu runs them emulated\n", why);
        status = GF_EXIT_UNAVAILABLE;
    } else {
        status = check_sizes(options, machine);
    }
    if (status != GF_EXIT_OK) {
        if (pid >= 0)
            finish_racy(pid, tell, NULL);
        return status;
    }
    report.copy_rate = machine->copy_rate != NULL ? machine->copy_rate() : 0;
    report_begin(&report, machine->name());
    status = run_chosen(options, machine, false, &report);
    if (options->cpu)
        racy_status = run_chosen(options, machine, true, &report);
    else if (pid >= 0)
        racy_status = finish_racy(pid, tell, &report);
    report_end(&report);
    product_close();
    return status != GF_EXIT_OK ? status : racy_status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int status = parse(argc, argv, &options);
    if (status < 0)
        status = GF_EXIT_OK;
    else if (status == GF_EXIT_OK && options.list)
        report_list(options.json);
    else if (status == GF_EXIT_OK)
        status = run_all(&options);
    return status;
}
