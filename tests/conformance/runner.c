/* SPDX-License-Identifier: MIT */
/* One case on the gold and on a device, compared byte for byte. Called by main.c. */
#include "runner.h"

#include <inttypes.h>
#include <string.h>

#include "tests/gold/gold.h"

#define OPERAND_POISON 0xE7
#define TAIL 256u

static bool make_data(const struct gf_case *c, struct gf_runner_case *rc)
{
    struct gf_prng prng = {c->seed};
    uint32_t shift = gf_prng_below(&prng, 8);
    if (!gf_guarded_init(&c->src, shift, 0, OPERAND_POISON, &rc->image) ||
        !gf_guarded_init(&c->src, shift, 0, OPERAND_POISON, &rc->image_copy) ||
        !gf_data_image(c->data_kind, &prng, &c->src, rc->image.buf.data))
        return false;
    memcpy(rc->image_copy.block, rc->image.block, rc->image.size);
    for (uint32_t i = 0; i < c->n_steps; i++) {
        const struct gf_case_step *step = &c->steps[i];
        if (step->op->n_inputs < 2)
            continue;
        struct gf_view view = gf_view_tight(GF_F32, step->mask_width, step->mask_height, 1);
        view.pitch += sizeof(float) * gf_prng_below(&prng, 3);
        if (!gf_guarded_init(&view, shift, 0, OPERAND_POISON, &rc->masks[i]) ||
            !gf_data_mask(step->mask_kind, &prng, c->src.dtype, &view, rc->masks[i].buf.data))
            return false;
    }
    return true;
}

static const struct gf_buf *source_of(const struct gf_runner_case *rc, const struct gf_case_step *step)
{
    return step->source < 0 ? &rc->image.buf : &rc->golds[step->source].buf;
}

bool gf_runner_prepare(const struct gf_case *c, struct gf_runner_case *ret)
{
    struct gf_runner_case rc = {.c = c, .status = GF_OK};
    bool ok = make_data(c, &rc);
    for (uint32_t i = 0; ok && i < c->n_steps; i++)
        ok = gf_guarded_init(&c->steps[i].out, 0, TAIL, 0, &rc.golds[i]);
    for (uint32_t i = 0; ok && i < c->n_steps && rc.status == GF_OK; i++) {
        const struct gf_case_step *step = &c->steps[i];
        const struct gf_buf *src = source_of(&rc, step);
        struct gf_gold_buf in[2] = {{src->data, src->view}, {rc.masks[i].buf.data, rc.masks[i].buf.view}};
        struct gf_gold_buf out = {rc.golds[i].buf.data, rc.golds[i].buf.view};
        rc.status = gf_gold_run(step->op, &step->params, in, &out, NULL);
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
    for (uint32_t i = 0; i < GF_CASE_STEPS; i++) {
        gf_guarded_deinit(&rc->masks[i]);
        gf_guarded_deinit(&rc->golds[i]);
    }
}

/* The job's parts, kept together since the job points into them. */
struct program {
    struct gf_step steps[GF_CASE_STEPS];
    struct gf_buf operands[1 + GF_CASE_STEPS];
    struct gf_sink sinks[GF_CASE_STEPS];
    struct gf_guarded results[GF_CASE_STEPS]; /* of each sink */
    uint32_t n_operands, n_sinks;
    bool cancel;
};

static void program_deinit(struct program *p)
{
    for (uint32_t i = 0; i < p->n_sinks; i++)
        gf_guarded_deinit(&p->results[i]);
}

static bool program_init(const struct gf_runner_case *rc, unsigned char poison, struct program *ret)
{
    const struct gf_case *c = rc->c;
    struct program p = {.operands[0] = rc->image.buf, .n_operands = 1};
    for (uint32_t i = 0; i < c->n_steps; i++) {
        const struct gf_case_step *from = &c->steps[i];
        struct gf_step *to = &p.steps[i];
        to->op = from->op;
        to->params = from->params;
        to->out[0] = from->out;
        if (from->source >= 0)
            to->in[0] = (struct gf_ref){.step = true, .index = (uint16_t)from->source};
        if (from->op->n_inputs > 1) {
            to->in[1].index = (uint16_t)p.n_operands;
            p.operands[p.n_operands++] = rc->masks[i].buf;
        }
        if (!from->kept)
            continue;
        struct gf_view view = from->out;
        view.pitch += gf_dtype_size(view.dtype) * ((c->seed >> 8) % 5);
        if (!gf_guarded_init(&view, (uint32_t)((c->seed >> 16) % 8), TAIL, poison, &p.results[p.n_sinks])) {
            program_deinit(&p);
            return false;
        }
        p.sinks[p.n_sinks] = (struct gf_sink){(uint16_t)i, 0, p.results[p.n_sinks].buf};
        p.n_sinks++;
    }
    *ret = p;
    return true;
}

static void print_sample(const char *what, const struct gf_view *view, const unsigned char *p)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float f32;
    if (view->dtype == GF_U8) {
        memcpy(&u8, p, sizeof(u8));
        printf("  %s %u\n", what, u8);
    } else if (view->dtype == GF_U16) {
        memcpy(&u16, p, sizeof(u16));
        printf("  %s %u\n", what, u16);
    } else {
        memcpy(&u32, p, sizeof(u32));
        memcpy(&f32, p, sizeof(f32));
        printf("  %s %.9g (0x%08" PRIx32 ")\n", what, (double)f32, u32);
    }
}

/* True when all samples are equal; else prints the first that differs. */
static bool equal(const struct gf_buf *gold, const struct gf_buf *got, uint32_t step)
{
    size_t size = gf_dtype_size(gold->view.dtype);
    uint64_t row = gf_view_row_bytes(&gold->view), different = 0;
    for (uint64_t y = 0; y < gold->view.height; y++) {
        const unsigned char *a = (const unsigned char *)gold->data + y * gold->view.pitch;
        const unsigned char *b = (const unsigned char *)got->data + y * got->view.pitch;
        if (memcmp(a, b, row) == 0)
            continue;
        for (uint64_t at = 0; at < row; at += size) {
            if (memcmp(a + at, b + at, size) == 0)
                continue;
            if (different++ > 0)
                continue;
            uint64_t sample = at / size;
            printf("  step %" PRIu32 ", first at x=%" PRIu64 " y=%" PRIu64 " channel %" PRIu64 "\n", step,
                   sample / gold->view.channels, y, sample % gold->view.channels);
            print_sample("gold", &gold->view, a + at);
            print_sample("got ", &gold->view, b + at);
        }
    }
    if (different > 0)
        printf("  %" PRIu64 " of %" PRIu64 " samples differ\n", different, gf_view_samples(&gold->view));
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
        if (!equal(&rc->golds[p->sinks[i].step].buf, &p->results[i].buf, p->sinks[i].step))
            ok = false;
    }
    return ok;
}

static bool run(const struct gf_runner_case *rc, struct gf_runner_device *device, unsigned char poison)
{
    struct program p;
    struct gf_error err = {0};
    if (!program_init(rc, poison, &p)) {
        printf("  no memory\n");
        return false;
    }
    struct gf_job job = {.steps = p.steps,
                         .operands = p.operands,
                         .sinks = p.sinks,
                         .n_steps = rc->c->n_steps,
                         .n_operands = p.n_operands,
                         .n_sinks = p.n_sinks,
                         .cancel = &p.cancel};
    enum gf_status status = device->backend->run(device->lane, &job, &err);
    bool ok = status == rc->status;
    if (!ok)
        printf("  status %s (%s), the gold says %s\n", gf_status_name(status), err.text, gf_status_name(rc->status));
    else if (status == GF_OK)
        ok = check(rc, &p);
    program_deinit(&p);
    return ok;
}

void gf_runner_compare(const struct gf_runner_case *rc, struct gf_runner_device *device)
{
    if (device->device == NULL) {
        device->skipped++;
        return;
    }
    unsigned char poison = device->passed % 2 == 0 ? 0xA5 : 0x3C;
    if (run(rc, device, poison)) {
        device->passed++;
        return;
    }
    device->failed++;
    printf("FAILED on %s: %s\n", device->name, rc->c->text);
}

uint64_t gf_runner_hash(const struct gf_runner_case *rc, uint64_t hash)
{
    for (uint32_t i = 0; i < rc->c->n_steps && rc->status == GF_OK; i++) {
        const unsigned char *p = rc->golds[i].buf.data;
        for (uint64_t k = 0; k < gf_view_bytes(&rc->golds[i].buf.view); k++)
            hash = (hash ^ p[k]) * 0x100000001B3u;
    }
    return hash;
}
