/* SPDX-License-Identifier: MIT */
/*
 * Programs with steps that are fused, or that join a filter on a GPU, against the reference of each single step: fused,
 * unfused, and fused in slabs, bit for bit. Programs are drawn at random, on small pictures.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "kernels/slab/slab.h"
#include "pipeline.h"
#include "protocol/expr/expr.h"
#include "protocol/fuse/fuse.h"
#include "tests/reference/reference.h"

#define TAIL 64u
#define POISON 0x3C
#define SKIPPED 77

struct run {
    const struct gf_backend *backend;
    struct gf_device *device;
    struct gf_exec *exec;
    struct gf_pipeline pipeline;
    struct gf_guarded references[GF_PIPELINE_STEPS];
    struct gf_program fused_program;
    struct gf_slab slab;
    uint64_t programs, fused_programs, fused_steps, pixels, sharing, slabs, carried, fronts, seconds, failed;
};

static bool run_reference(struct run *run)
{
    const struct gf_program *p = &run->pipeline.program;
    for (uint32_t s = 0; s < p->n_steps; s++) {
        const struct gf_step *step = &p->steps[s];
        struct gf_reference_buf in[GF_MAX_INPUTS] = {{NULL, {0}}}, out[GF_MAX_OUTPUTS];
        if (!gf_guarded_init(&step->out[0], 0, 0, 0, &run->references[s]))
            return false;
        for (uint32_t i = 0; i < step->op->n_inputs; i++) {
            if (step->in[i].from == GF_FROM_NOTHING)
                continue;
            const struct gf_buf *buf = step->in[i].from == GF_FROM_STEP
                                           ? &run->references[step->in[i].index].buf
                                           : &run->pipeline.operands[step->in[i].index].buf;
            in[i] = (struct gf_reference_buf){buf->data, buf->view};
        }
        out[0] = (struct gf_reference_buf){run->references[s].buf.data, run->references[s].buf.view};
        if (gf_reference_run(step->op, &step->params, in, out, NULL) != GF_OK)
            return false;
    }
    return true;
}

/* A program to run, with memory for its results. */
struct task {
    struct gf_job job;
    struct gf_buf operands[GF_PIPELINE_OPERANDS];
    struct gf_sink sinks[GF_PIPELINE_STEPS];
    struct gf_guarded results[GF_PIPELINE_STEPS];
    bool cancel;
};

static bool task_init(const struct run *run, const struct gf_program *p, const uint16_t *numbers, struct task *t)
{
    *t = (struct task){.job = {.steps = p->steps,
                               .numbers = numbers,
                               .n_steps = p->n_steps,
                               .n_operands = p->n_operands,
                               .n_sinks = p->n_results,
                               .operands = t->operands,
                               .sinks = t->sinks,
                               .cancel = &t->cancel}};
    for (uint32_t i = 0; i < p->n_operands; i++)
        t->operands[i] = run->pipeline.operands[i].buf;
    for (uint32_t i = 0; i < p->n_results; i++) {
        struct gf_view view = p->results[i].view;
        view.pitch += gf_dtype_size(view.dtype) * (i % 3);
        if (!gf_guarded_init(&view, i, TAIL, POISON, &t->results[i]))
            return false;
        t->sinks[i] = (struct gf_sink){.step = p->results[i].step, .buf = t->results[i].buf};
    }
    return true;
}

static void task_deinit(struct task *t)
{
    for (uint32_t i = 0; i < GF_PIPELINE_STEPS; i++)
        gf_guarded_deinit(&t->results[i]);
}

/* Whether all results equal the reference of the original program. */
static bool check(const struct run *run, const struct task *t, const char *how)
{
    const struct gf_program *p = &run->pipeline.program;
    for (uint32_t i = 0; i < p->n_results; i++) {
        const struct gf_buf *is = &t->results[i].buf, *wanted = &run->references[p->results[i].step].buf;
        size_t size = gf_dtype_size(is->view.dtype);
        uint64_t row = gf_view_row_bytes(&is->view);
        if (!gf_guarded_intact(&t->results[i])) {
            printf("FAILED %s: result %" PRIu32 ": bytes outside its samples were written\n", how, i);
            return false;
        }
        for (uint64_t y = 0; y < is->view.height; y++)
            for (uint64_t at = 0; at < row; at += size) {
                const unsigned char *a = (const unsigned char *)wanted->data + y * wanted->view.pitch + at;
                const unsigned char *b = (const unsigned char *)is->data + y * is->view.pitch + at;
                uint64_t bits[2] = {0, 0};
                if (memcmp(a, b, size) == 0)
                    continue;
                memcpy(&bits[0], a, size);
                memcpy(&bits[1], b, size);
                printf("FAILED %s: result %" PRIu32 " at row %" PRIu64 ", sample %" PRIu64 ": 0x%" PRIx64
                       " instead of 0x%" PRIx64 "\n",
                       how, i, y, at / size, bits[1], bits[0]);
                return false;
            }
    }
    return true;
}

static bool run_job(const struct run *run, struct gf_job *job, const char *how)
{
    struct gf_error err = {0};
    if (run->backend->run(run->exec, job, &err) == GF_OK)
        return true;
    printf("FAILED %s: %s\n", how, err.text);
    return false;
}

static bool run_unfused(const struct run *run)
{
    struct task t;
    uint64_t carried = 0;
    bool ok = task_init(run, &run->pipeline.program, NULL, &t);
    t.job.unfused = true;
    t.job.carried = &carried;
    ok = ok && run_job(run, &t.job, "unfused") && check(run, &t, "unfused");
    if (carried != 0)
        printf("FAILED unfused: steps went on to the next one\n");
    task_deinit(&t);
    return ok && carried == 0;
}

/* Which steps went on to the next one in *ret_carried. */
static bool run_fused(const struct run *run, const uint16_t *numbers, uint64_t *ret_carried)
{
    struct task t;
    bool ok = task_init(run, &run->fused_program, numbers, &t);
    t.job.carried = ret_carried;
    ok = ok && run_job(run, &t.job, "fused") && check(run, &t, "fused");
    task_deinit(&t);
    return ok;
}

/* Counts steps whose value is carried into the next step, carried steps in front of a filter, and second filters. */
static void count_carried(struct run *run, uint64_t carried)
{
    const struct gf_program *p = &run->fused_program;
    for (uint32_t s = 0; s + 1 < p->n_steps; s++)
        if ((carried >> s & 1) != 0) {
            run->carried++;
            run->fronts +=
                p->steps[s].op->work.kind != GF_WORK_SEPARABLE && p->steps[s + 1].op->work.kind == GF_WORK_SEPARABLE;
            run->seconds += p->steps[s + 1].op->work.kind == GF_WORK_STENCIL;
        }
}

/* Runs the program in slabs if it can be cut; otherwise it must be refused with the message of the unfused program. */
static bool run_slabs(struct run *run, const struct gf_program *p, const uint16_t *numbers)
{
    struct task plain, t;
    struct gf_slabs slabs, others;
    struct gf_error err = {0}, plain_err = {0};
    bool ok = task_init(run, &run->pipeline.program, NULL, &plain) && task_init(run, p, numbers, &t);
    enum gf_status status = ok ? gf_slabs_init(&t.job, &slabs, &err) : GF_OK;
    enum gf_status plain_status = ok ? gf_slabs_init(&plain.job, &others, &plain_err) : GF_OK;
    if (status != plain_status || strcmp(err.text, plain_err.text) != 0) {
        printf("FAILED in slabs: '%s' instead of '%s'\n", err.text, plain_err.text);
        ok = false;
    }
    if (ok && status == GF_OK && slabs.max > 1) {
        uint64_t n = slabs.max < 3 ? slabs.max : 3;
        for (uint64_t i = 0; i < n && ok; i++)
            ok =
                gf_slabs_cut(&slabs, i, n, &run->slab, &err) == GF_OK && run_job(run, &run->slab.job, "fused in slabs");
        ok = ok && check(run, &t, "fused in slabs");
        run->slabs++;
    }
    task_deinit(&plain);
    task_deinit(&t);
    return ok;
}

/* On any CPU, and in parts, as for a GPU. */
static bool takes_no_more(const struct run *run)
{
    static struct gf_program p; /* big */
    struct gf_footprint before, after;
    struct gf_fused fused;
    bool ok = true;
    for (uint32_t threads = 0; threads < 4; threads++) {
        p = run->pipeline.program;
        gf_footprint_find(&p, threads, threads == 3, &before);
        gf_fuse(&p, threads, threads == 3, &fused);
        gf_footprint_find(&p, threads, threads == 3, &after);
        gf_fused_deinit(&fused);
        ok = ok && after.work <= before.work && after.copies == before.copies;
        ok = ok && after.work == fused.footprint.work && after.copies == fused.footprint.copies;
    }
    if (!ok)
        printf("FAILED: more memory is needed, or another figure is told\n");
    return ok;
}

static void count(struct run *run, const struct gf_fused *fused)
{
    const struct gf_program *p = &run->fused_program;
    run->fused_programs += fused->n_runs > 0;
    for (uint32_t i = 0; i < fused->n_runs; i++)
        run->pixels += fused->nodes[i]->pixels;
    for (uint32_t s = 0; s < p->n_steps; s++)
        if (p->steps[s].nodes != NULL)
            run->fused_steps += fused->numbers[s + 1] - (uint32_t)fused->numbers[s];
    for (uint32_t s = 0; s < p->n_steps; s++)
        run->sharing += p->steps[s].nodes != NULL && p->steps[s].in[1].from != GF_FROM_NOTHING;
}

static void run_program(struct run *run, uint64_t seed, uint64_t number)
{
    struct gf_prng prng = {seed};
    struct gf_fused fused;
    uint64_t carried = 0;
    bool ok = gf_pipeline_init(&prng, number, &run->pipeline) && run_reference(run);
    if (!ok)
        printf("FAILED to prepare seed %" PRIu64 "\n", seed);
    run->fused_program = run->pipeline.program;
    gf_fuse(&run->fused_program, 0, false, &fused);
    count(run, &fused);
    ok = ok && takes_no_more(run) && run_unfused(run) && run_fused(run, fused.numbers, &carried);
    count_carried(run, carried);
    if (fused.n_runs > 0 || carried != 0)
        ok = ok && run_slabs(run, &run->fused_program, fused.numbers);
    if (!ok) {
        char text[256];
        printf("program %" PRIu64 ", seed %" PRIu64 ", %s\n", number, seed,
               gf_fused_text(&fused, run->fused_program.n_steps, carried, text, sizeof(text)));
        gf_pipeline_print(&run->pipeline.program);
        run->failed++;
    }
    run->programs++;
    gf_fused_deinit(&fused);
    gf_pipeline_deinit(&run->pipeline);
    for (uint32_t s = 0; s < GF_PIPELINE_STEPS; s++)
        gf_guarded_deinit(&run->references[s]);
}

static int open_device(struct run *run, const struct gf_device_options *options)
{
    struct gf_error err = {0};
    run->backend = gf_backend_for_device(options->device);
    enum gf_status status = run->backend == NULL ? gf_error_set(&err, GF_E_NO_DEVICE, "this build has no such backend")
                                                 : run->backend->open(options, &run->device, &err);
    if (status == GF_OK)
        status = run->backend->exec_open(run->device, &run->exec, &err);
    if (status == GF_OK)
        return EXIT_SUCCESS;
    bool skipped = status == GF_E_NO_DEVICE && strcmp(options->device, "cpu") != 0;
    printf("%s: %s\n", skipped ? "skipped" : options->device, err.text);
    return skipped ? SKIPPED : EXIT_FAILURE;
}

/* With this many programs, rates of a few per cent are far enough from their bounds for any seed. */
#define ENOUGH_FOR_RATES 500u

/* Whether the drawn programs fused often enough to count as a test. A CPU has no kernels that carry values. */
static bool is_enough(const struct run *run, bool gpu)
{
    return (!gpu || (run->carried * 20 > run->programs && run->fronts * 100 > run->programs &&
                     run->seconds * 100 > run->programs)) &&
           run->fused_programs * 3 > run->programs && run->pixels * 20 > run->fused_programs &&
           run->sharing * 20 > run->fused_programs && run->slabs * 8 > run->fused_programs;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"compile", no_argument, NULL, 'j'},
                                            {"programs", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {0}};
    int compiled = gf_cuda_compiler(argc, argv, NULL);
    if (compiled >= 0)
        return compiled;
    static struct run run; /* big */
    struct gf_device_options device = {.device = "cpu", .threads = 2, .compile = GF_COMPILE_NONE};
    uint64_t programs = 1500, seed = 1;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 'd')
            device.device = optarg;
        else if (c == 'j')
            device.compile = GF_COMPILE_ALL;
        else if (c == 'n')
            programs = strtoull(optarg, NULL, 10);
        else if (c == 's')
            seed = strtoull(optarg, NULL, 10);
        else
            return EXIT_FAILURE;
    }
    int code = open_device(&run, &device);
    if (code != EXIT_SUCCESS)
        return code;
    for (uint64_t i = 0; i < programs && run.failed < 5; i++)
        run_program(&run, seed + i, i);
    printf("%" PRIu64 " programs, %" PRIu64 " with runs, of %" PRIu64 " steps; %" PRIu64 " by pixels, %" PRIu64
           " on several inputs, %" PRIu64 " in slabs, %" PRIu64 " steps went with filters, %" PRIu64
           " in front of one, %" PRIu64 " of them filters; %" PRIu64 " failed\n",
           run.programs, run.fused_programs, run.fused_steps, run.pixels, run.sharing, run.slabs, run.carried,
           run.fronts, run.seconds, run.failed);
    run.backend->exec_close(run.exec);
    run.backend->close(run.device);
    if (programs >= ENOUGH_FOR_RATES && run.failed == 0 && !is_enough(&run, strcmp(device.device, "cpu") != 0)) {
        printf("FAILED: too little was drawn\n");
        return EXIT_FAILURE;
    }
    return run.failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
