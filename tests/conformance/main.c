/* SPDX-License-Identifier: MIT */
/*
 * conformance: walks the op table and runs each op's cases, from cases/<family>.csv and drawn at random, on the
 * reference and on every device, which must agree bit for bit. Exit status 0: all passed; 1: a failure; 77: nothing
 * could run.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "expression.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/registry.h"
#include "list.h"
#include "protocol/base/text.h"
#include "runner.h"
#include "vectors.h"

#define MAX_DEVICES 4
#define EXEC_CASES 12 /* per op, run on several exec contexts at once; fewer with a smaller --random */

struct run {
    const char *backend;   /* NULL: all */
    const char *cases;     /* the folder of lists, or the list of the vectors */
    bool chosen[GF_N_OPS]; /* by name; none: all ops */
    bool some;             /* are chosen */
    uint64_t random, seed;
    uint64_t every;          /* one of so many lines of a case list runs, 0: none */
    uint64_t cost;           /* costlier cases are left out */
    uint64_t device_memory;  /* bytes of a GPU to work with, 0: all */
    enum gf_compile compile; /* expressions on a GPU */
    uint32_t blocks;         /* of threads that a launch may have on a GPU, 0: all that help */
    bool list;
    struct gf_vectors *vectors; /* NULL: runs the cases of cases/ and random ones */
    const char *archive;        /* of the vectors */
    bool write;                 /* the archive, in place of comparing with it */
    struct gf_runner_device devices[MAX_DEVICES];
    uint32_t n_devices;
    uint64_t hash, ran, left_out;
    bool broken; /* a case list could not be read */
};

static void open_device(struct run *run, const char *name, uint32_t threads, const char *instructions)
{
    struct gf_runner_device *d = &run->devices[run->n_devices++];
    struct gf_device_options options = {.device = name,
                                        .threads = threads,
                                        .instructions = instructions,
                                        .device_memory = run->device_memory,
                                        .compile = run->compile,
                                        .blocks = run->blocks,
                                        .cold = true};
    struct gf_error err = {0};
    d->limited = run->device_memory != 0;
    d->compiles = run->compile == GF_COMPILE_ALL;
    snprintf(d->name, sizeof(d->name), threads == 0 ? "%s" : "%s with %" PRIu32 " threads", name, threads);
    d->backend = gf_backend_for_device(name);
    enum gf_status status = d->backend == NULL ? gf_error_set(&err, GF_E_NO_DEVICE, "this build has no such backend")
                                               : d->backend->open(&options, &d->device, &err);
    if (status == GF_OK)
        status = d->backend->exec_open(d->device, &d->exec, &err);
    if (status == GF_OK) {
        struct gf_device_info info;
        d->backend->info(d->device, &info);
        if (threads > 0)
            gf_text_append(d->name, sizeof(d->name), ", %s", info.detail);
        return;
    }
    if (status == GF_E_NO_DEVICE && threads == 0) {
        printf("skipped: no CUDA device (%s)\n", err.text);
    } else {
        printf("FAILED to open %s: %s\n", d->name, err.text);
        run->broken = true;
    }
    if (d->device != NULL)
        d->backend->close(d->device);
    d->device = NULL;
}

/* Opens a CPU device for each instruction set, so that every case compares the sets, too. If the processor lacks a set,
 * its fastest set takes the place. */
static void open_devices(struct run *run)
{
    static const struct {
        uint32_t threads;
        const char *instructions;
    } cpus[] = {{1, "avx2"}, {2, "generic"}, {5, NULL}};
    for (size_t i = 0; i < GF_ARRAY_LEN(cpus); i++)
        if (run->backend == NULL || strcmp(run->backend, "cpu") == 0)
            open_device(run, "cpu", cpus[i].threads,
                        cpus[i].instructions && gf_simd_by_name(cpus[i].instructions) ? cpus[i].instructions : NULL);
    if (run->backend == NULL || strcmp(run->backend, "cuda") == 0)
        open_device(run, "cuda:0", 0, NULL);
}

static void close_devices(struct run *run)
{
    for (uint32_t i = 0; i < run->n_devices; i++) {
        struct gf_runner_device *d = &run->devices[i];
        if (d->device == NULL)
            continue;
        d->backend->exec_close(d->exec);
        d->backend->close(d->device);
    }
}

static bool any_device(const struct run *run)
{
    for (uint32_t i = 0; i < run->n_devices; i++)
        if (run->devices[i].device != NULL)
            return true;
    return false;
}

static void run_case(struct run *run, const struct gf_case *c)
{
    struct gf_runner_case rc;
    bool left_out = gf_case_cost(c) > (double)run->cost;
    if (left_out || (!run->list && !any_device(run))) {
        run->left_out += left_out;
        for (uint32_t i = 0; i < run->n_devices; i++)
            run->devices[i].skipped++;
        return;
    }
    run->ran++;
    if (run->list) {
        printf("%s\n", c->text);
        return;
    }
    if (!gf_runner_prepare(c, &rc)) {
        printf("FAILED to prepare (unknown kind of data, no memory, or no reference): %s\n", c->text);
        run->broken = true;
        return;
    }
    run->hash = gf_runner_hash(&rc, run->hash);
    if (run->vectors != NULL && !gf_vectors_add(run->vectors, &rc))
        run->broken = true;
    for (uint32_t i = 0; i < run->n_devices; i++)
        gf_runner_compare(&rc, &run->devices[i]);
    gf_runner_release(&rc);
}

/* The op in front of a colon, NULL where there is none; *line then begins behind it. */
static const struct gf_op *op_of_line(const char **line)
{
    char name[64];
    int at = 0;
    if (sscanf(*line, "%63[^:]: %n", name, &at) < 1 || at == 0)
        return NULL;
    *line += at;
    return gf_op_by_name(name);
}

struct lines {
    struct run *run;
    const struct gf_op *op; /* NULL: each line begins with the op's name */
    uint64_t n;             /* lines so far */
};

static void run_line(const char *text, void *context)
{
    struct lines *lines = context;
    struct run *run = lines->run;
    struct gf_case c;
    struct gf_error err = {0};
    const char *line = text;
    if (run->every == 0 || lines->n++ % run->every != 0)
        return;
    const struct gf_op *op = lines->op != NULL ? lines->op : op_of_line(&line);
    if (op == NULL || gf_case_parse(op, line, run->seed, &c, &err) != GF_OK) {
        printf("FAILED: %s: '%s': %s\n", lines->op != NULL ? op->name : "a vector", text,
               op == NULL ? "does not begin with \"operation: \"" : err.text);
        run->broken = true;
        return;
    }
    c.vector = run->vectors != NULL;
    run_case(run, &c);
}

/* Runs the cases of a list: the op's section, or all of vectors.csv, where lines begin with the op's name. */
static void run_list(struct run *run, const char *path, const struct gf_op *op)
{
    struct lines lines = {run, op, 0};
    run->broken |= !gf_list_walk(path, op == NULL ? NULL : op->name, run_line, &lines);
}

/* A device must report exactly the dtypes of the descriptor as supported. */
static void check_support(const struct gf_op *op, struct gf_runner_device *d)
{
    for (uint32_t dtype = 1; d->device != NULL && gf_dtype_known(dtype); dtype++) {
        bool stated = (op->inputs[0].dtypes & GF_DT(dtype)) != 0;
        if (d->backend->supports(d->device, op, dtype) == stated) {
            d->passed++;
            continue;
        }
        printf("FAILED on %s: supports(%s, %s) is not what the descriptor states\n", d->name, op->name,
               gf_dtype_word(dtype));
        d->failed++;
    }
}

/* A few random cases on several exec contexts of each device at once. */
static void run_execs(struct run *run, const struct gf_op *op)
{
    struct gf_case cases[EXEC_CASES];
    struct gf_runner_case prepared[EXEC_CASES];
    struct gf_prng prng = {~run->seed ^ ((uint64_t)op->id << 32)};
    uint32_t n = 0;
    for (uint32_t i = 0; i < EXEC_CASES && i < run->random && !run->broken; i++) {
        gf_case_random(op, &prng, run->seed, &cases[n]);
        if (gf_case_cost(&cases[n]) > (double)run->cost)
            continue;
        run->broken = !gf_runner_prepare(&cases[n], &prepared[n]);
        n += !run->broken;
    }
    for (uint32_t i = 0; i < run->n_devices; i++)
        if (run->devices[i].device != NULL)
            gf_runner_execs(prepared, n, &run->devices[i]);
    for (uint32_t i = 0; i < n; i++)
        gf_runner_release(&prepared[i]);
}

/* The list of each family in the folder of lists. */
static const char *const lists[] = {
    [GF_OP_FAMILY_FILTER] = "filter", [GF_OP_FAMILY_POINT] = "point",
    [GF_OP_FAMILY_REDUCE] = "reduce", [GF_OP_FAMILY_HISTOGRAM] = "histogram",
    [GF_OP_FAMILY_SCAN] = "scan",     [GF_OP_FAMILY_SELECT] = "select",
    [GF_OP_FAMILY_LINALG] = "linalg", [GF_OP_FAMILY_GEOMETRY] = "geometry",
    [GF_OP_FAMILY_COLOUR] = "colour", [GF_OP_FAMILY_RANK] = "rank",
    [GF_OP_FAMILY_ORDER] = "order",   [GF_OP_FAMILY_MORPHOLOGY] = "morphology",
    [GF_OP_FAMILY_REGION] = "region",
};

static void run_op(struct run *run, const struct gf_op *op)
{
    struct gf_prng prng = {run->seed ^ ((uint64_t)op->id << 32)};
    uint64_t before = run->ran;
    char path[512];
    for (uint32_t i = 0; i < run->n_devices; i++)
        check_support(op, &run->devices[i]);
    snprintf(path, sizeof(path), "%s/%s.csv", run->cases, lists[op->family]);
    run_list(run, path, op);
    for (uint64_t i = 0; i < run->random; i++) {
        struct gf_case c;
        gf_case_random(op, &prng, run->seed, &c);
        run_case(run, &c);
    }
    if (!any_device(run))
        return;
    if (run->ran == before) {
        printf("FAILED: no case of %s ran; --cost %" PRIu64 " leaves out all of them\n", op->name, run->cost);
        run->broken = true;
    }
    run_execs(run, op);
}

struct counts {
    uint64_t passed, failed, skipped;
};

/* Of all devices so far. */
static struct counts count(const struct run *run)
{
    struct counts c = {0};
    for (uint32_t i = 0; i < run->n_devices; i++) {
        c.passed += run->devices[i].passed;
        c.failed += run->devices[i].failed;
        c.skipped += run->devices[i].skipped;
    }
    return c;
}

static void run_ops(struct run *run)
{
    for (uint32_t i = 0; i < GF_N_OPS; i++) {
        struct counts before = count(run);
        if (run->some && !run->chosen[i])
            continue;
        run_op(run, &gf_ops[i]);
        struct counts c = count(run);
        if (!run->list)
            printf("%s: %" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", gf_ops[i].name,
                   c.passed - before.passed, c.failed - before.failed, c.skipped - before.skipped);
    }
}

/* How many of the random expressions were well typed. */
static void report_texts(void)
{
    uint64_t drawn, taken;
    gf_expression_counts(&drawn, &taken);
    if (drawn > 0)
        printf("%" PRIu64 " expressions drawn, %" PRIu64 " taken\n", drawn, taken);
}

/* Runs every vector, reports what the vectors lack, and compares or writes their archive. */
static void run_vectors(struct run *run)
{
    run_list(run, run->cases, NULL);
    if (run->broken || !any_device(run))
        return;
    run->broken = !gf_vectors_complete(run->vectors) ||
                  !(run->write ? gf_vectors_write : gf_vectors_check)(run->vectors, run->archive);
}

static int report(const struct run *run)
{
    struct counts c = count(run);
    for (uint32_t i = 0; i < run->n_devices; i++) {
        const struct gf_runner_device *d = &run->devices[i];
        printf("%s: %" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", d->name, d->passed, d->failed,
               d->skipped);
    }
    if (run->left_out > 0)
        printf("skipped: %" PRIu64 " cases that cost more than %" PRIu64 "\n", run->left_out, run->cost);
    if (any_device(run))
        printf("%" PRIu64 " cases, seed %" PRIu64 ", hash of the reference's results %016" PRIx64 "\n", run->ran,
               run->seed, run->hash);
    report_texts();
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " skipped\n", c.passed, c.failed, c.skipped);
    if (c.failed > 0 || run->broken)
        return 1;
    return c.passed == 0 ? 77 : 0;
}

static int usage(const char *text)
{
    fprintf(
        stderr,
        "%s\nusage: conformance [--backend cpu|cuda] [--op NAME]... [--random CASES_PER_OP] [--seed N] [--cases DIR]\n"
        "                   [--every N] [--cost N] [--device-memory BYTES] [--blocks N] [--list]\n"
        "                   [--compile] [--vectors FILE [--write]]\n"
        "--vectors runs the test vectors alone, of the list that --cases names, and compares their archive with FILE,\n"
        "or writes it; --every takes one of N lines of each case list, 0 none; --cost leaves out cases of more than N\n"
        "samples times taps; with --device-memory a GPU may skip those that need more, but must not fail; --blocks\n"
        "gives launches on a GPU at most N blocks of threads, which then loop;\n"
        "--compile computes all expressions on a GPU by kernels that are compiled for them; otherwise they are\n"
        "interpreted\n",
        text);
    return 2;
}

static int parse_options(int argc, char **argv, struct run *run)
{
    static const struct option options[] = {{"backend", required_argument, NULL, 'b'},
                                            {"op", required_argument, NULL, 'o'},
                                            {"random", required_argument, NULL, 'r'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"every", required_argument, NULL, 'e'},
                                            {"cost", required_argument, NULL, 'm'},
                                            {"list", no_argument, NULL, 'l'},
                                            {"cases", required_argument, NULL, 'c'},
                                            {"device-memory", required_argument, NULL, 'd'},
                                            {"blocks", required_argument, NULL, 'k'},
                                            {"compile", no_argument, NULL, 'j'},
                                            {"vectors", required_argument, NULL, 'v'},
                                            {"write", no_argument, NULL, 'w'},
                                            {NULL, 0, NULL, 0}};
    for (int o = getopt_long(argc, argv, "", options, NULL); o != -1; o = getopt_long(argc, argv, "", options, NULL)) {
        char *end = NULL;
        uint64_t number = strchr("rsemdk", o) != NULL ? strtoull(optarg, &end, 10) : 0;
        if (end != NULL && (end == optarg || *end != '\0'))
            return usage("--random, --seed, --every, --cost, --device-memory and --blocks take a whole number");
        if (o == 'k' && number > UINT32_MAX)
            return usage("--blocks is at most 4294967295");
        if (o == 'b' && strcmp(optarg, "cpu") != 0 && strcmp(optarg, "cuda") != 0)
            return usage("--backend is cpu or cuda");
        if (o == 'o' && gf_op_by_name(optarg) == NULL)
            return usage("--op names no operation");
        switch (o) {
        case 'b':
            run->backend = optarg;
            break;
        case 'o':
            run->chosen[gf_op_by_name(optarg)->index] = run->some = true;
            break;
        case 'r':
            run->random = number;
            break;
        case 's':
            run->seed = number;
            break;
        case 'e':
            run->every = number;
            break;
        case 'm':
            run->cost = number;
            break;
        case 'd':
            run->device_memory = number;
            break;
        case 'k':
            run->blocks = (uint32_t)number;
            break;
        case 'j':
            run->compile = GF_COMPILE_ALL;
            break;
        case 'l':
            run->list = true;
            break;
        case 'c':
            run->cases = optarg;
            break;
        case 'v':
            run->archive = optarg;
            break;
        case 'w':
            run->write = true;
            break;
        default:
            return usage("unknown option");
        }
    }
    if (run->archive == NULL ? run->write : run->some || run->list || run->every != 1 || run->cost != UINT64_MAX)
        return usage("--write goes with --vectors; --op, --list, --every and --cost do not");
    return optind == argc ? 0 : usage("no arguments are taken");
}

int main(int argc, char **argv)
{
    int compiled = gf_cuda_compiler(argc, argv, NULL); /* this program is what its devices compile kernels by */
    if (compiled >= 0)
        return compiled;
    struct run run = {.compile = GF_COMPILE_NONE,
                      .random = 200,
                      .seed = 1,
                      .every = 1,
                      .cost = UINT64_MAX,
                      .hash = 0xCBF29CE484222325u};
    int bad = parse_options(argc, argv, &run);
    if (bad != 0)
        return bad;
    gf_cleanup(gf_vectors_freep) struct gf_vectors *vectors = run.archive == NULL ? NULL : gf_vectors_new();
    if (run.archive != NULL && vectors == NULL)
        return usage("no memory for the vectors");
    run.vectors = vectors;
    if (run.cases == NULL)
        run.cases = vectors == NULL ? GF_CASES : GF_VECTORS;
    if (!run.list)
        open_devices(&run);
    if (vectors == NULL)
        run_ops(&run);
    else
        run_vectors(&run);
    int status = run.list ? run.broken : report(&run);
    close_devices(&run);
    return status;
}
