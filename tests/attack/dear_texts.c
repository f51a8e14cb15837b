/* SPDX-License-Identifier: MIT */
/*
 * The dearest programs that were found for the front's thread: as many characters as texts may have, in tokens that
 * take long, and steps whose runs take long to find. `dear_texts` prints their names; `dear_texts NAME` does once, in
 * turn(), what the front does with the frame of a request. Run by test_turns.py, which counts the instructions of
 * turn().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "protocol/fuse/fuse.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/texts/parsed.h"
#include "protocol/wire/request.h"
#include "server/front/resource/cost.h"

#define ROOM (GF_MAX_TEXTS + 1)

/* Steps in turn of `ops`, of which expr and reduce have the text: `head`, then `unit` as often as there is room. */
struct shape {
    const char *name;
    uint32_t dtype, channels, n_steps;
    const char *ops[3], *head, *unit, *set;
};

static const struct shape shapes[] = {
    {"sums", GF_U8, 1, 64, {"expr"}, "a", "+a", NULL},
    {"sums-of-rgba", GF_U8, 4, 64, {"expr"}, "a", "+a", NULL},
    {"sums-in-eight", GF_U8, 1, 8, {"expr"}, "a", "+a", NULL},
    {"literals", GF_U8, 1, 64, {"expr"}, "a", "+1", NULL},
    {"other-literals", GF_F64, 4, 64, {"expr"}, "a", "+1-2+3*4-5", NULL},
    {"quotients", GF_F32, 1, 64, {"expr"}, "x", "/y", NULL},
    {"signs", GF_F32, 1, 64, {"expr"}, "x", "-+~x", NULL},
    {"powers-of-ten", GF_U8, 1, 64, {"expr"}, "a", "+1e9", NULL},
    {"small-numbers", GF_U8, 1, 64, {"expr"}, "a", "+1e-300", NULL},
    {"long-numbers", GF_F32, 1, 64, {"expr"}, "a", "+.12345678901234567890e-7", NULL},
    {"calls", GF_F32, 1, 64, {"expr"}, "a", "+pow(x,a)", NULL},
    {"names", GF_U8, 1, 64, {"expr"}, "pp=a;q=pp*x;pp", "+q", NULL},
    {"values", GF_F32, 1, 40, {"expr"}, "param p=1.;param q=2.;a", "+p*q", "p=1.25,q=-3e-9"},
    {"channels", GF_F32, 1, 64, {"expr"}, "a[0]", "+a[0]", NULL},
    {"operators", GF_F32, 1, 32, {"reduce"}, "a0", "+b0", NULL},
    {"runs-between-filters", GF_U8, 1, 63, {"map", "map", "unsharp"}, "", "", NULL},
    {"sums-between-filters", GF_U8, 1, 63, {"expr", "expr", "unsharp"}, "a", "+1", NULL},
};

static uint8_t frame[GF_MAX_FRAME_HEAD], again[GF_MAX_FRAME_HEAD];
static struct gf_program made, decoded, fused;

static void set(struct gf_step *step, const char *name, const char *text)
{
    struct gf_error error;
    if (gf_op_param_parse(step->op, gf_op_param(step->op, name), text, &step->params, &error) != GF_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
}

/* A step that reads the one before it; filters read the operand, so that runs end before them. */
static void add(const struct shape *s, const char *text)
{
    const uint32_t at = made.n_steps;
    const char *name = s->ops[at % 3] != NULL ? s->ops[at % 3] : s->ops[0];
    struct gf_step *step = &made.steps[made.n_steps++];
    const bool is_expr = strcmp(name, "expr") == 0, is_reduce = strcmp(name, "reduce") == 0,
               is_first = at == 0 || is_reduce || (s->ops[1] != NULL && at % 3 != 1);
    step->op = gf_op_by_name(name);
    gf_op_params_default(step->op, &step->params);
    for (uint32_t k = 0; k < step->op->n_inputs; k++)
        step->in[k].from = GF_FROM_NOTHING;
    step->in[0] = is_first ? (struct gf_ref){.from = GF_FROM_OPERAND}
                           : (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(at - 1)};
    if (is_expr)
        set(step, "expression", text);
    if (is_reduce) {
        set(step, "op", "user");
        set(step, "combine", text);
    }
    if (s->set != NULL)
        set(step, "set", s->set);
    if (made.n_steps == s->n_steps || (s->ops[1] != NULL && at % 3 > 0) || is_reduce)
        made.results[made.n_results++] = (struct gf_result){.step = (uint16_t)at, .way = GF_WAY_INLINE};
}

static size_t make(const struct shape *s)
{
    static char text[ROOM];
    const struct gf_view view = gf_view_tight(s->dtype, 2048, 2048, s->channels);
    const size_t n_texts = s->ops[1] != NULL ? 2 * s->n_steps / 3 : s->n_steps;
    const size_t room = GF_MAX_TEXTS / n_texts - (s->set != NULL ? strlen(s->set) : 0);
    struct gf_writer w;
    strcpy(text, s->head);
    while (s->unit[0] != '\0' && strlen(text) + strlen(s->unit) <= room)
        strcat(text, s->unit);
    strcpy(made.device, "auto");
    made.n_operands = 1;
    made.operands[0] = (struct gf_operand){.way = GF_WAY_ARENA, .id = 1, .length = gf_view_bytes(&view), .view = view};
    while (made.n_steps < s->n_steps)
        add(s, text);
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &made);
    return gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0) ? w.size : 0;
}

/* As session_run.c admits a request. */
__attribute__((noinline)) static enum gf_status turn(size_t size, struct gf_error *error);
static enum gf_status turn(size_t size, struct gf_error *error)
{
    static struct gf_step_cost needs[GF_MAX_STEPS];
    struct gf_work work = {.needs = needs};
    struct gf_parsed parsed;
    struct gf_fused runs;
    struct gf_writer w;
    parsed.n = 0;
    enum gf_status status =
        gf_program_decode(frame + GF_HEADER_SIZE, size - GF_HEADER_SIZE, 0, &decoded, &parsed, error);
    if (status == GF_OK) {
        gf_work_describe(&decoded, &work);
        gf_program_copy(&fused, &decoded);
        gf_fuse(&fused, 2, false, &runs);
        gf_fused_deinit(&runs);
        gf_writer_init(&w, again, sizeof again);
        gf_program_encode(&w, &decoded);
        (void)gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0);
    }
    gf_parsed_deinit(&parsed);
    return status;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(shapes); i++) {
        struct gf_error error = {.text = ""};
        size_t size;
        if (argc < 2)
            puts(shapes[i].name);
        else if (strcmp(argv[1], shapes[i].name) == 0) {
            size = make(&shapes[i]);
            if (size == 0 || turn(size, &error) != GF_OK)
                fprintf(stderr, "%s: %s\n", shapes[i].name, size == 0 ? "no frame" : error.text);
            return size == 0 || error.text[0] != '\0';
        }
    }
    return argc < 2 ? 0 : 1;
}
