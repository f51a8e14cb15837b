/* SPDX-License-Identifier: MIT */
/* kernels/slab: slabs of a job, run one after the other on the CPU, give the bits of the whole job. A job that cannot
 * be cut is refused. */
#include "kernels/slab/slab.h"

#include <string.h>

#include "kernels/registry.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/ops/params/box.h"
#include "protocol/ops/params/convolve.h"
#include "protocol/ops/params/correlate.h"
#include "tests/unit/unit.h"

#define WIDTH 37u
#define HEIGHT 61u
#define STEPS 3u
#define RESULT_BYTES (WIDTH * HEIGHT * 64u)

struct fixture {
    struct gf_device *device;
    struct gf_exec *exec;
    struct gf_slab slab;
};

/* A program on two pictures and a mask, one result per step. */
struct program {
    struct gf_step steps[STEPS];
    struct gf_buf operands[3];
    struct gf_sink sinks[STEPS];
    struct gf_job job;
    unsigned char data[2][WIDTH * HEIGHT * 4], results[STEPS][RESULT_BYTES];
};

static float mask[15] = {1, 2, 3, 4, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5};

static int setup(void **state)
{
    static struct fixture f;
    struct gf_device_options options = {.device = "cpu", .threads = 1};
    assert_int_equal(gf_cpu_backend.open(&options, &f.device, NULL), GF_OK);
    assert_int_equal(gf_cpu_backend.exec_open(f.device, &f.exec, NULL), GF_OK);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_cpu_backend.exec_close(f->exec);
    gf_cpu_backend.close(f->device);
    return 0;
}

static void program_init(struct program *p, uint32_t dtype, uint64_t height)
{
    memset(p, 0, sizeof(*p));
    unsigned char *data = &p->data[0][0];
    for (size_t i = 0; i < sizeof(p->data); i++)
        data[i] = (unsigned char)((i * 2654435761u >> 11) & (i % 4 == 3 && dtype == GF_F32 ? 0x3F : 0xFF));
    p->operands[0] = (struct gf_buf){p->data[0], gf_view_tight(dtype, WIDTH, height, 1)};
    p->operands[1] = (struct gf_buf){p->data[1], gf_view_tight(dtype, WIDTH, height, 1)};
    p->operands[2] = (struct gf_buf){mask, gf_view_tight(GF_F32, 5, 3, 1)};
    p->job = (struct gf_job){.steps = p->steps, .operands = p->operands, .sinks = p->sinks, .n_operands = 3};
}

/* Adds a step on the output of the step before, or on operand 0. `second` adds operand 1 or the mask as input. */
static struct gf_step *add_step(struct program *p, const char *op, uint16_t second, const char *name, const char *value)
{
    uint32_t k = p->job.n_steps++;
    struct gf_step *step = &p->steps[k];
    step->op = gf_op_by_name(op);
    if (k > 0)
        step->in[0] = (struct gf_ref){.from = GF_FROM_STEP, .index = (uint16_t)(k - 1)};
    step->in[1] = (struct gf_ref){.from = second ? GF_FROM_OPERAND : GF_FROM_NOTHING, .index = second};
    gf_op_params_default(step->op, &step->params);
    if (name)
        assert_int_equal(gf_op_param_parse(step->op, gf_op_param(step->op, name), value, &step->params, NULL), GF_OK);
    struct gf_view in[GF_MAX_INPUTS] = {k > 0 ? p->steps[k - 1].out[0] : p->operands[0].view};
    if (second)
        in[1] = p->operands[second].view;
    assert_int_equal(gf_op_infer(step->op, in, step->op->n_inputs, &step->params, step->out, NULL), GF_OK);
    p->sinks[k] = (struct gf_sink){.step = (uint16_t)k, .buf = {p->results[k], step->out[0]}};
    assert_true(gf_view_bytes(&step->out[0]) <= RESULT_BYTES);
    p->job.n_sinks = p->job.n_steps;
    return step;
}

static void run(struct gf_exec *exec, struct gf_job *job)
{
    struct gf_error err = {0};
    if (gf_cpu_backend.run(exec, job, &err) != GF_OK)
        fail_msg("%s", err.text);
}

static void run_slab(struct fixture *f, const struct gf_slabs *slabs, uint64_t i, uint64_t n)
{
    struct gf_error err = {0};
    if (gf_slabs_cut(slabs, i, n, &f->slab, &err) != GF_OK)
        fail_msg("%s", err.text);
    for (uint32_t k = 0; k < f->slab.job.n_sinks; k++)
        assert_true(f->slab.skip[k] + f->slab.sinks[k].buf.view.height <= f->slab.steps[k].out[0].height);
    run(f->exec, &f->slab.job);
}

static void assert_slabs_give_the_whole(struct fixture *f, struct program *p)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 1000};
    static unsigned char whole[STEPS][RESULT_BYTES];
    struct gf_slabs slabs;
    struct gf_error err = {0};
    run(f->exec, &p->job);
    memcpy(whole, p->results, sizeof(whole));
    if (gf_slabs_init(&p->job, &slabs, &err) != GF_OK)
        fail_msg("%s", err.text);
    for (size_t c = 0; c < GF_ARRAY_LEN(counts); c++) {
        uint64_t n = counts[c] < slabs.max ? counts[c] : slabs.max;
        memset(p->results, 0x5A, sizeof(p->results));
        for (uint64_t i = 0; i < n; i++)
            run_slab(f, &slabs, i, n);
        for (uint32_t k = 0; k < p->job.n_sinks; k++)
            assert_memory_equal(p->results[k], whole[k], gf_view_bytes(&p->sinks[k].buf.view));
    }
}

/* A worker's part of a picture may have to be cut again. */
static void slabs_of_slabs_give_the_whole(void **state)
{
    struct fixture *f = *state;
    static struct program p;
    static struct gf_slab part;
    static unsigned char whole[STEPS][RESULT_BYTES];
    struct gf_slabs slabs, again;
    program_init(&p, GF_U8, HEIGHT);
    add_step(&p, "correlate", 2, "border", "reflect");
    add_step(&p, "gaussian", 0, "sigma", "1");
    add_step(&p, "box", 0, "border", "replicate");
    run(f->exec, &p.job);
    memcpy(whole, p.results, sizeof(whole));
    memset(p.results, 0x5A, sizeof(p.results));
    assert_int_equal(gf_slabs_init(&p.job, &slabs, NULL), GF_OK);
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(gf_slabs_cut(&slabs, i, 3, &part, NULL), GF_OK);
        assert_int_equal(gf_slabs_init(&part.job, &again, NULL), GF_OK);
        for (uint64_t k = 0; k < 4; k++)
            run_slab(f, &again, k, 4);
    }
    for (uint32_t k = 0; k < p.job.n_sinks; k++)
        assert_memory_equal(p.results[k], whole[k], gf_view_bytes(&p.sinks[k].buf.view));
}

static void filters_see_their_neighbours(void **state)
{
    static struct program p;
    static const char *const borders[] = {"constant", "replicate", "reflect", "reflect101"};
    for (size_t i = 0; i < GF_ARRAY_LEN(borders); i++) {
        program_init(&p, GF_U8, HEIGHT);
        add_step(&p, "correlate", 2, "border", borders[i]);
        add_step(&p, "gaussian", 0, "border", borders[i]);
        add_step(&p, "box", 0, "border", borders[i]);
        assert_slabs_give_the_whole(*state, &p);
    }
}

/* At the upper edge a mirror reads rows below the edge, so a slab of one row needs as many rows below as above. */
static void masks_off_the_centre_see_theirs(void **state)
{
    static struct program p;
    static const uint32_t borders[] = {GF_BORDER_REPLICATE, GF_BORDER_REFLECT, GF_BORDER_REFLECT101};
    for (size_t i = 0; i < GF_ARRAY_LEN(borders); i++) {
        program_init(&p, GF_F32, HEIGHT);
        GF_SET_PARAM(&add_step(&p, "correlate", 2, "anchor", "4,2")->params, correlate, border, borders[i]);
        GF_SET_PARAM(&add_step(&p, "convolve", 2, "anchor", "0,2")->params, convolve, border, borders[i]);
        GF_SET_PARAM(&add_step(&p, "box", 0, "size", "1x4")->params, box, border, borders[i]);
        assert_slabs_give_the_whole(*state, &p);
    }
}

/* A slab has exactly the halo rows of gf_step_reach. */
static void slabs_have_no_more_rows_than_they_need(void **state)
{
    UNUSED(state);
    static struct program p;
    struct gf_slabs slabs;
    program_init(&p, GF_U8, HEIGHT);
    add_step(&p, "correlate", 2, NULL, NULL);
    add_step(&p, "gaussian", 0, "sigma", "2");
    add_step(&p, "box", 0, "size", "3x7");
    assert_int_equal(gf_slabs_init(&p.job, &slabs, NULL), GF_OK);
    assert_int_equal(slabs.halo, 1 + 8 + 3);
}

static void steps_of_different_heights_stay_in_line(void **state)
{
    static struct program p;
    program_init(&p, GF_F32, HEIGHT);
    add_step(&p, "correlate", 2, "size", "valid");
    add_step(&p, "unsharp", 0, NULL, NULL);
    add_step(&p, "convolve", 2, "size", "valid");
    assert_slabs_give_the_whole(*state, &p);
}

static void two_pictures_are_cut_alike(void **state)
{
    static struct program p;
    program_init(&p, GF_U16, HEIGHT);
    add_step(&p, "combine", 1, "mode", "absdiff");
    add_step(&p, "map", 0, "scale", "0.5");
    add_step(&p, "threshold", 0, "value", "9000");
    assert_slabs_give_the_whole(*state, &p);
}

static void assert_refused(struct program *p, const char *says)
{
    struct gf_slabs slabs;
    struct gf_error err = {0};
    assert_int_equal(gf_slabs_init(&p->job, &slabs, &err), GF_E_NO_DEVICE_MEMORY);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
}

/* Every slab has the whole template; scores need the rows below the slab. */
static void scores_are_cut_and_peaks_are_not(void **state)
{
    static struct program p;
    struct gf_slabs slabs;
    program_init(&p, GF_U8, HEIGHT);
    p.operands[1].view.width = 7;
    p.operands[1].view.height = 12;
    add_step(&p, "match", 1, "method", "sqdiff");
    add_step(&p, "gaussian", 0, NULL, NULL);
    assert_slabs_give_the_whole(*state, &p);
    assert_int_equal(gf_slabs_init(&p.job, &slabs, NULL), GF_OK);
    assert_int_equal(slabs.halo, 11 + 8);
    p.sinks[1] = (struct gf_sink){.output = 1, .buf = {p.results[1], p.steps[0].out[1]}};
    assert_refused(&p, "match needs all rows at once for its tables");
    program_init(&p, GF_U8, 1);
    p.operands[1].view.width = 7;
    add_step(&p, "match", 1, NULL, NULL);
    assert_refused(&p, "match of a single row needs all of it at once");
}

static void a_row_is_cut_into_spans(void **state)
{
    static struct program p;
    program_init(&p, GF_U8, HEIGHT);
    p.operands[0].view = gf_view_tight(GF_U8, (uint64_t)WIDTH * HEIGHT, 1, 1);
    add_step(&p, "copy", 0, NULL, NULL);
    add_step(&p, "map", 0, "offset", "3");
    assert_slabs_give_the_whole(*state, &p);
}

static void rows_of_real_numbers_are_apart(void **state)
{
    static struct program p;
    program_init(&p, GF_F32, HEIGHT);
    add_step(&p, "recurrence", 0, "axis", "rows");
    add_step(&p, "scan", 0, "axis", "rows");
    assert_slabs_give_the_whole(*state, &p);
}

static void pixels_that_stay_in_their_rows_are_cut(void **state)
{
    static struct program p;
    program_init(&p, GF_U16, HEIGHT);
    add_step(&p, "flip", 0, "axis", "x");
    add_step(&p, "crop", 0, "size", "20x61"); /* all rows, by number */
    add_step(&p, "pad", 0, "margin", "30,0");
    assert_slabs_give_the_whole(*state, &p);
    program_init(&p, GF_F32, HEIGHT);
    add_step(&p, "crop", 0, "at", "11,0");
    add_step(&p, "gaussian", 0, NULL, NULL);
    add_step(&p, "crop", 0, "size", "9x61");
    assert_slabs_give_the_whole(*state, &p);
}

static void what_needs_the_whole_says_so(void **state)
{
    UNUSED(state);
    static struct program p;
    program_init(&p, GF_U8, HEIGHT);
    add_step(&p, "gaussian", 0, "border", "wrap");
    assert_refused(&p, "gaussian with border=wrap needs all rows");
    program_init(&p, GF_U8, HEIGHT);
    add_step(&p, "gaussian", 0, NULL, NULL);
    add_step(&p, "reduce", 0, NULL, NULL);
    assert_refused(&p, "reduce needs all rows");
    program_init(&p, GF_U8, HEIGHT);
    add_step(&p, "threshold", 0, NULL, NULL);
    assert_refused(&p, "threshold without a value needs all samples");
    program_init(&p, GF_U8, 1);
    add_step(&p, "copy", 0, NULL, NULL);
    add_step(&p, "box", 0, NULL, NULL);
    assert_refused(&p, "box of a single row needs all of it at once");
    program_init(&p, GF_U8, 1); /* which looks at no other row */
    add_step(&p, "box", 0, "size", "5x1");
    assert_refused(&p, "box of a single row needs all of it at once");
    program_init(&p, GF_I32, HEIGHT);
    add_step(&p, "scan", 0, "axis", "rows");
    assert_refused(&p, "scan of integers");
    program_init(&p, GF_I32, HEIGHT); /* which sort is not: nothing of it depends on the whole */
    add_step(&p, "sort", 0, "axis", "rows");
    struct gf_slabs slabs;
    assert_int_equal(gf_slabs_init(&p.job, &slabs, NULL), GF_OK);
    program_init(&p, GF_I32, HEIGHT);
    add_step(&p, "sort", 0, NULL, NULL);
    assert_refused(&p, "sort needs all of a sequence at once");
}

static void pixels_that_leave_their_rows_say_so(void **state)
{
    UNUSED(state);
    static struct program p;
    static const char *const steps[][3] = {
        {"flip", "axis", "y"},     {"flip", "axis", "both"},     {"rotate", "angle", "180"},
        {"rotate", "angle", "90"}, {"crop", "at", "0,1"},        {"crop", "size", "37x60"},
        {"pad", "margin", "1"},    {"pad", "margin", "0,0,0,1"}, {"transpose", "diagonal", "anti"}};
    for (size_t i = 0; i < GF_ARRAY_LEN(steps); i++) {
        program_init(&p, GF_U8, HEIGHT);
        add_step(&p, steps[i][0], 0, steps[i][1], steps[i][2]);
        assert_refused(&p, "needs all rows at once");
    }
    program_init(&p, GF_U8, 1); /* spans of a row would be mirrored one by one */
    add_step(&p, "flip", 0, "axis", "x");
    assert_refused(&p, "flip needs all rows at once");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slabs_of_slabs_give_the_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(filters_see_their_neighbours, setup, teardown),
        cmocka_unit_test_setup_teardown(masks_off_the_centre_see_theirs, setup, teardown),
        cmocka_unit_test(slabs_have_no_more_rows_than_they_need),
        cmocka_unit_test_setup_teardown(steps_of_different_heights_stay_in_line, setup, teardown),
        cmocka_unit_test_setup_teardown(two_pictures_are_cut_alike, setup, teardown),
        cmocka_unit_test_setup_teardown(scores_are_cut_and_peaks_are_not, setup, teardown),
        cmocka_unit_test_setup_teardown(a_row_is_cut_into_spans, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_of_real_numbers_are_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(pixels_that_stay_in_their_rows_are_cut, setup, teardown),
        cmocka_unit_test(what_needs_the_whole_says_so),
        cmocka_unit_test(pixels_that_leave_their_rows_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
