/* SPDX-License-Identifier: MIT */
/* One case on the reference and on a device, compared byte for byte. Called by main.c. */
#include "runner.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "places.h"
#include "poison.h"
#include "protocol/base/half.h"
#include "tests/reference/reference.h"
#include "vectors.h"

#define OPERAND_POISON 0xE7
#define DEVICE_POISON_A 0xFF /* NaN; the greatest, or -1 */
#define DEVICE_POISON_B 0x80 /* next to 0; the middle, or the least */
#define POISON_A 0xA5        /* of results, by turns */
#define POISON_B 0x3C
#define TAIL 256u
#define EXECS 3u /* contexts at once */

/* Where the data of a run lie. */
enum way { WAY_ORDINARY, WAY_PINNED, WAY_RESIDENT, N_WAYS };

static bool fill_own(const struct gf_case *c, const struct gf_input_desc *input, const char *kind, uint64_t limit,
                     struct gf_prng *prng, const struct gf_view *view, void *data)
{
    if (input->kind == GF_INPUT_COEFS)
        return gf_data_mask(kind, prng, c->src.dtype, view, data);
    return gf_data_fill(kind, prng, limit, view, data);
}

/* Fills an input of a test vector with the samples of its file, from the first again where it has more. */
static bool fill_shared(const struct gf_case *c, const struct gf_input_desc *input, const char *kind, uint64_t limit,
                        const struct gf_buf *buf)
{
    struct gf_vector_file file = gf_vector_file(input, &buf->view, kind, limit);
    struct gf_prng prng = {file.seed};
    uint64_t n = file.view.width * file.view.height;
    size_t pixel = gf_dtype_size(file.view.dtype) * file.view.channels;
    gf_cleanup(gf_freep) char *pixels = malloc(n * pixel);
    if (pixels == NULL || !fill_own(c, input, kind, limit, &prng, &file.view, pixels))
        return false;
    for (uint64_t y = 0; y < buf->view.height; y++)
        for (uint64_t x = 0; x < buf->view.width; x++)
            memcpy((char *)buf->data + y * buf->view.pitch + x * pixel, pixels + (y * buf->view.width + x) % n * pixel,
                   pixel);
    return true;
}

static bool fill(const struct gf_case *c, const struct gf_input_desc *input, const char *kind, uint64_t limit,
                 struct gf_prng *prng, const struct gf_buf *buf)
{
    return c->vector ? fill_shared(c, input, kind, limit, buf)
                     : fill_own(c, input, kind, limit, prng, &buf->view, buf->data);
}

/* Input i of a step, which is not the first. */
static bool make_input(const struct gf_case *c, const struct gf_case_step *step, uint32_t i, uint32_t shift,
                       struct gf_prng *prng, struct gf_guarded *ret)
{
    struct gf_view view = step->inputs[i].view;
    const struct gf_view *first = step->source < 0 ? &c->src : &c->steps[step->source].out[0];
    if (!gf_view_given(&view))
        return true;
    view.pitch += gf_dtype_size(view.dtype) * gf_prng_below(prng, 3);
    return gf_guarded_init(&view, shift, 0, OPERAND_POISON, ret) &&
           fill(c, &step->op->inputs[i], step->inputs[i].kind, first->width * first->height, prng, &ret->buf);
}

static bool make_data(const struct gf_case *c, struct gf_runner_case *rc)
{
    struct gf_prng prng = {c->seed};
    uint32_t shift = gf_prng_below(&prng, 8);
    if (!gf_guarded_init(&c->src, shift, 0, OPERAND_POISON, &rc->image) ||
        !gf_guarded_init(&c->src, shift, 0, OPERAND_POISON, &rc->image_copy) ||
        !fill(c, &c->steps[0].op->inputs[0], c->data_kind, 0, &prng, &rc->image.buf))
        return false;
    memcpy(rc->image_copy.block, rc->image.block, rc->image.size);
    for (uint32_t s = 0; s < c->n_steps; s++)
        for (uint32_t i = 1; i < c->steps[s].op->n_inputs; i++)
            if (!make_input(c, &c->steps[s], i, shift, &prng, &rc->inputs[s][i]))
                return false;
    return true;
}

static const struct gf_buf *source_of(const struct gf_runner_case *rc, const struct gf_case_step *step)
{
    return step->source < 0 ? &rc->image.buf : &rc->references[step->source][0].buf;
}

static enum gf_status run_reference(const struct gf_runner_case *rc, uint32_t s, struct gf_error *err)
{
    const struct gf_case_step *step = &rc->c->steps[s];
    const struct gf_buf *src = source_of(rc, step);
    struct gf_reference_buf in[GF_MAX_INPUTS] = {{src->data, src->view}}, out[GF_MAX_OUTPUTS];
    for (uint32_t i = 1; i < step->op->n_inputs; i++)
        in[i] = (struct gf_reference_buf){rc->inputs[s][i].buf.data, rc->inputs[s][i].buf.view};
    for (uint32_t i = 0; i < step->op->n_outputs; i++)
        out[i] = (struct gf_reference_buf){rc->references[s][i].buf.data, rc->references[s][i].buf.view};
    return gf_reference_run(step->op, &step->params, in, out, err);
}

bool gf_runner_prepare(const struct gf_case *c, struct gf_runner_case *ret)
{
    struct gf_runner_case rc = {.c = c, .status = GF_OK};
    struct gf_error err = {0};
    bool ok = make_data(c, &rc);
    for (uint32_t s = 0; s < c->n_steps; s++)
        for (uint32_t i = 0; ok && i < c->steps[s].op->n_outputs; i++)
            ok = gf_guarded_init(&c->steps[s].out[i], 0, TAIL, 0, &rc.references[s][i]);
    for (uint32_t s = 0; ok && s < c->n_steps && rc.status == GF_OK; s++)
        rc.status = run_reference(&rc, s, &err);
    if (rc.status == GF_E_INTERNAL || rc.status == GF_E_NO_MEMORY) {
        printf("FAILED in the reference: %s\n", err.text);
        ok = false;
    }
    if (!ok)
        gf_runner_release(&rc);
    else
        *ret = rc;
    return ok;
}

void gf_runner_release(struct gf_runner_case *rc)
{
    gf_guarded_deinit(&rc->image);
    gf_guarded_deinit(&rc->image_copy);
    for (uint32_t s = 0; s < GF_CASE_STEPS; s++) {
        for (uint32_t i = 0; i < GF_MAX_INPUTS; i++)
            gf_guarded_deinit(&rc->inputs[s][i]);
        for (uint32_t i = 0; i < GF_MAX_OUTPUTS; i++)
            gf_guarded_deinit(&rc->references[s][i]);
    }
}

/* The job's parts, kept together since the job points into them. */
struct program {
    struct gf_step steps[GF_CASE_STEPS];
    struct gf_buf operands[1 + GF_CASE_STEPS * GF_MAX_INPUTS];
    struct gf_sink sinks[GF_CASE_STEPS * GF_MAX_OUTPUTS];
    struct gf_guarded results[GF_CASE_STEPS * GF_MAX_OUTPUTS]; /* of each sink */
    struct gf_place place;                                     /* of operand 0, if not where the case has it */
    uint64_t resident_operands, pinned_sinks;                  /* a bit for each */
    uint32_t n_operands, n_sinks;
    bool cancel;
};

static void program_deinit(const struct gf_runner_device *device, struct program *p)
{
    gf_place_deinit(device, &p->place);
    for (uint32_t i = 0; i < p->n_sinks; i++) {
        if ((p->pinned_sinks >> i & 1) != 0)
            gf_place_unpin(device, &p->results[i]);
        gf_guarded_deinit(&p->results[i]);
    }
}

static void add_step(const struct gf_runner_case *rc, uint32_t s, struct program *p)
{
    const struct gf_case_step *from = &rc->c->steps[s];
    struct gf_step *to = &p->steps[s];
    to->op = from->op;
    to->params = from->params;
    memcpy(to->out, from->out, sizeof(to->out));
    if (from->source >= 0)
        to->in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)from->source};
    for (uint32_t i = 1; i < from->op->n_inputs; i++) {
        to->in[i].from = GF_FROM_NOTHING;
        if (!gf_view_given(&from->inputs[i].view))
            continue;
        to->in[i] = (struct gf_ref){.index = (uint16_t)p->n_operands};
        p->operands[p->n_operands++] = rc->inputs[s][i].buf;
    }
}

/* The pitch of a result: any, or one that kernels could write to. */
static uint64_t result_pitch(const struct gf_case *c, const struct gf_view *view, enum way way)
{
    uint64_t extra = (c->seed >> 8) % 5;
    return way == WAY_PINNED ? (view->pitch + 15) / 16 * 16 + extra / 4 * 16
                             : view->pitch + gf_dtype_size(view->dtype) * extra;
}

static bool add_results(const struct gf_case *c, uint32_t s, unsigned char poison, enum way way, struct program *p)
{
    for (uint32_t i = 0; i < c->steps[s].op->n_outputs; i++) {
        struct gf_view view = c->steps[s].out[i];
        uint32_t shift = way == WAY_PINNED ? 0 : (uint32_t)((c->seed >> 16) % 8);
        view.pitch = result_pitch(c, &view, way);
        if (!gf_guarded_init(&view, shift, TAIL, poison, &p->results[p->n_sinks]))
            return false;
        p->sinks[p->n_sinks] = (struct gf_sink){(uint16_t)s, (uint8_t)i, p->results[p->n_sinks].buf};
        p->n_sinks++;
    }
    return true;
}

/* Of padding on a device, in runs with this poison on the host. */
static unsigned char device_poison(unsigned char poison)
{
    return poison == POISON_A ? DEVICE_POISON_A : DEVICE_POISON_B;
}

/* Puts operand 0 and the results where they belong; where there is no room they stay. */
static void place(const struct gf_runner_case *rc, const struct gf_runner_device *device, enum way way,
                  unsigned char poison, struct program *p)
{
    bool moved = false;
    if (way == WAY_RESIDENT && !device->limited) /* it would take the little there is */
        moved = gf_place_resident(device, &rc->image.buf, rc->c->seed >> 24 & 16, poison, &p->place);
    else if (way == WAY_PINNED)
        moved = gf_place_pinned(device, &rc->image.buf, poison, &p->place);
    if (moved)
        p->operands[0] = p->place.buf;
    p->resident_operands = moved && way == WAY_RESIDENT;
    for (uint32_t i = 0; way == WAY_PINNED && i < p->n_sinks; i++)
        p->pinned_sinks |= (uint64_t)gf_place_pin(device, &p->results[i]) << i;
}

static bool program_init(const struct gf_runner_case *rc, const struct gf_runner_device *device, unsigned char poison,
                         struct program *ret)
{
    struct program p = {.operands[0] = rc->image.buf, .n_operands = 1};
    enum way way = (enum way)((rc->c->seed >> 32) % N_WAYS);
    for (uint32_t s = 0; s < rc->c->n_steps; s++) {
        add_step(rc, s, &p);
        if (rc->c->steps[s].kept && !add_results(rc->c, s, poison, way, &p)) {
            program_deinit(device, &p);
            return false;
        }
    }
    place(rc, device, way, device_poison(poison), &p);
    *ret = p;
    return true;
}

static void print_sample(const char *what, const struct gf_view *view, const unsigned char *p)
{
    uint32_t size = (uint32_t)gf_dtype_size(view->dtype), unused = 64 - 8 * size;
    uint64_t bits = 0;
    double f64;
    float f32;
    memcpy(&bits, p, size);
    memcpy(&f32, p, size < sizeof(f32) ? size : sizeof(f32));
    memcpy(&f64, &bits, sizeof(f64));
    if (view->dtype == GF_F16)
        f32 = gf_half_to_f32((uint16_t)bits);
    if (gf_dtype_kind(view->dtype) == GF_KIND_FLOAT)
        printf("  %s %.17g (0x%0*" PRIx64 ")\n", what, view->dtype == GF_F64 ? f64 : (double)f32, (int)(2 * size),
               bits);
    else if (gf_dtype_kind(view->dtype) == GF_KIND_SINT)
        printf("  %s %" PRId64 "\n", what, (int64_t)(bits << unused) >> unused);
    else
        printf("  %s %" PRIu64 "\n", what, bits);
}

/* True when all samples are equal; else prints the first that differs. */
static bool equal(const struct gf_buf *reference, const struct gf_buf *got, const struct gf_sink *sink)
{
    size_t size = gf_dtype_size(reference->view.dtype);
    uint64_t row = gf_view_row_bytes(&reference->view), different = 0;
    for (uint64_t y = 0; y < reference->view.height; y++) {
        const unsigned char *a = (const unsigned char *)reference->data + y * reference->view.pitch;
        const unsigned char *b = (const unsigned char *)got->data + y * got->view.pitch;
        if (memcmp(a, b, row) == 0)
            continue;
        for (uint64_t at = 0; at < row; at += size) {
            if (memcmp(a + at, b + at, size) == 0)
                continue;
            if (different++ > 0)
                continue;
            uint64_t sample = at / size;
            printf("  step %u, output %u, first at x=%" PRIu64 " y=%" PRIu64 " channel %" PRIu64 "\n", sink->step,
                   sink->output, sample / reference->view.channels, y, sample % reference->view.channels);
            print_sample("reference", &reference->view, a + at);
            print_sample("got ", &reference->view, b + at);
        }
    }
    if (different > 0)
        printf("  %" PRIu64 " of %" PRIu64 " samples differ\n", different, gf_view_samples(&reference->view));
    return different == 0;
}

/* Everything a run may not change, and everything it must. */
static bool check(const struct gf_runner_case *rc, const struct program *p)
{
    bool ok = true;
    if (memcmp(rc->image.block, rc->image_copy.block, rc->image.size) != 0) {
        printf("  an operand was written\n");
        ok = false;
    }
    for (uint32_t i = 0; i < p->n_sinks; i++) {
        if (!gf_guarded_intact(&p->results[i])) {
            printf("  result %" PRIu32 ": bytes outside its samples were written\n", i);
            ok = false;
        }
        const struct gf_sink *sink = &p->sinks[i];
        if (!equal(&rc->references[sink->step][sink->output].buf, &p->results[i].buf, sink))
            ok = false;
    }
    return ok;
}

static enum gf_status run(const struct gf_runner_case *rc, struct gf_runner_device *device, unsigned char poison,
                          bool *ret_ok)
{
    struct program p;
    struct gf_error err = {0};
    uint32_t ran = 0;
    if (!program_init(rc, device, poison, &p)) {
        printf("  no memory\n");
        *ret_ok = false;
        return GF_E_NO_MEMORY;
    }
    if (!device->limited && !gf_poison_exec(device, rc->c, device_poison(poison))) { /* there is room for it */
        printf("  the device's memory could not be filled\n");
        program_deinit(device, &p);
        *ret_ok = false;
        return GF_E_INTERNAL;
    }
    struct gf_job job = {.steps = p.steps,
                         .operands = p.operands,
                         .sinks = p.sinks,
                         .n_steps = rc->c->n_steps,
                         .n_operands = p.n_operands,
                         .n_sinks = p.n_sinks,
                         .resident_operands = p.resident_operands,
                         .cancel = &p.cancel,
                         .expressions = &ran};
    enum gf_status status = device->backend->run(device->exec, &job, &err);
    bool ok = status == rc->status;
    if (!ok)
        printf("  status %s (%s), the reference says %s\n", gf_status_name(status), err.text,
               gf_status_name(rc->status));
    else if (status == GF_OK)
        ok = check(rc, &p);
    if (ok && device->compiles && (ran & GF_EXPRESSIONS_INTERPRETED) != 0) {
        printf("  an expression was interpreted, its kernel was not to be had\n");
        ok = false;
    }
    program_deinit(device, &p);
    *ret_ok = ok;
    return status;
}

void gf_runner_compare(const struct gf_runner_case *rc, struct gf_runner_device *device)
{
    if (device->device == NULL) {
        device->skipped++;
        return;
    }
    unsigned char poison = device->passed % 2 == 0 ? POISON_A : POISON_B;
    bool ok;
    enum gf_status status = run(rc, device, poison, &ok);
    if (ok) {
        device->passed++;
        return;
    }
    if (device->limited && status == GF_E_NO_DEVICE_MEMORY) {
        device->skipped++;
        printf("skipped on %s: %s\n", device->name, rc->c->text);
        return;
    }
    device->failed++;
    printf("FAILED on %s: %s\n", device->name, rc->c->text);
}

uint64_t gf_runner_hash(const struct gf_runner_case *rc, uint64_t hash)
{
    for (uint32_t s = 0; s < rc->c->n_steps && rc->status == GF_OK; s++)
        for (uint32_t i = 0; i < rc->c->steps[s].op->n_outputs; i++) {
            const struct gf_buf *reference = &rc->references[s][i].buf;
            const unsigned char *p = reference->data;
            const unsigned char *end = p + gf_view_bytes(&reference->view);
            for (; p < end; p++)
                hash = (hash ^ *p) * 0x100000001B3u;
        }
    return hash;
}

struct exec_run {
    pthread_t thread;
    bool started;
    const struct gf_runner_case *cases;
    uint32_t n, first;              /* each exec context begins at another case */
    struct gf_runner_device device; /* the device with an exec context of its own and its own counts */
};

static void *exec_main(void *data)
{
    struct exec_run *run = data;
    for (uint32_t i = 0; i < run->n; i++)
        gf_runner_compare(&run->cases[(run->first + i) % run->n], &run->device);
    return NULL;
}

static bool start_exec(struct exec_run *run)
{
    struct gf_error err = {0};
    if (run->device.backend->exec_open(run->device.device, &run->device.exec, &err) != GF_OK) {
        printf("FAILED to open another lane of %s: %s\n", run->device.name, err.text);
        return false;
    }
    run->started = pthread_create(&run->thread, NULL, exec_main, run) == 0;
    if (!run->started)
        run->device.backend->exec_close(run->device.exec);
    return run->started;
}

void gf_runner_execs(const struct gf_runner_case *cases, uint32_t n, struct gf_runner_device *device)
{
    struct exec_run runs[EXECS];
    for (uint32_t i = 0; i < EXECS; i++) {
        runs[i] = (struct exec_run){.cases = cases, .n = n, .first = i * n / EXECS, .device = *device};
        runs[i].device.passed = runs[i].device.failed = runs[i].device.skipped = 0;
        if (!start_exec(&runs[i]))
            device->failed++;
    }
    for (uint32_t i = 0; i < EXECS; i++) {
        if (!runs[i].started)
            continue;
        pthread_join(runs[i].thread, NULL);
        device->backend->exec_close(runs[i].device.exec);
        device->passed += runs[i].device.passed;
        device->failed += runs[i].device.failed;
        device->skipped += runs[i].device.skipped;
    }
}
