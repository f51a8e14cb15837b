/* SPDX-License-Identifier: MIT */
/* The calls of gpufilter/ops.h, and structs with a size member: what reaches the daemon, and what is refused. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "fake_server.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/gaussian.h"

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
};

static uint8_t g_in[64], g_out[64];
static const gpufilter_view g_src = {.data = g_in, .width = 4, .height = 4, .dtype = GPUFILTER_U8, .channels = 4};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    f->server = fake_server_new();
    fake_server_start(f->server);
    options.socket = f->server->path;
    assert_int_equal(gpufilter_open(&options, &f->client, NULL), GPUFILTER_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    free(f);
    return 0;
}

static int gaussian(struct fixture *f, const gpufilter_gaussian_params *params, gpufilter_error *err)
{
    gpufilter_view dst = {.data = g_out, .width = 4, .height = 4, .dtype = GPUFILTER_U8, .channels = 4};
    return gpufilter_gaussian(f->client, &g_src, &dst, params, NULL, err);
}

static int correlate(struct fixture *f, const gpufilter_correlate_params *params, gpufilter_error *err)
{
    static float coefs[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const gpufilter_view mask = gpufilter_tight_view(coefs, 3, 3, GPUFILTER_F32, 1);
    gpufilter_view dst = gpufilter_tight_view(g_out, 4, 4, GPUFILTER_U8, 4);
    return gpufilter_correlate(f->client, &g_src, &mask, &dst, params, NULL, err);
}

static void views_that_are_null_are_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    static uint8_t pixels[64 * 64];
    const gpufilter_view large = gpufilter_tight_view(pixels, 64, 64, GPUFILTER_U8, 1);
    gpufilter_view dst = gpufilter_tight_view(g_out, 4, 4, GPUFILTER_U8, 4), a = {.data = NULL}, b = a, c = a;
    assert_int_equal(gpufilter_gaussian(f->client, NULL, &dst, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gaussian: src is NULL");
    assert_int_equal(gpufilter_gaussian(f->client, &g_src, NULL, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gaussian: dst is NULL");
    assert_int_equal(gpufilter_gaussian(NULL, &g_src, &dst, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_gaussian(NULL, NULL, NULL, NULL, NULL, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_correlate(f->client, &g_src, NULL, &dst, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "correlate: mask is NULL");
    assert_int_equal(gpufilter_histogram(f->client, &g_src, NULL, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "histogram: counts and all other outputs are NULL");
    assert_int_equal(f->server->n_runs, 0);
    /* Outputs that are not wanted are not asked for. */
    gpufilter_histogram_params params = GPUFILTER_HISTOGRAM_INIT;
    params.ret_outside = &a;
    assert_int_equal(gpufilter_histogram(f->client, &large, NULL, &params, NULL, &err), GPUFILTER_OK);
    assert_int_equal(f->server->program.n_results, 1);
    assert_int_equal(f->server->program.results[0].output, 1);
    assert_int_equal(a.width, 3);
    assert_non_null(a.data);
    params.ret_outside = NULL;
    params.ret_edges = &c;
    assert_int_equal(gpufilter_histogram(f->client, &large, &b, &params, NULL, &err), GPUFILTER_OK);
    assert_int_equal(f->server->program.n_results, 2);
    assert_int_equal(f->server->program.results[0].output, 0);
    assert_int_equal(f->server->program.results[1].output, 2);
    assert_int_equal(b.width, 256);
    assert_int_equal(c.width, 257);
}

/* What the daemon read. */
static const union gf_params *read_params(const struct fixture *f)
{
    return &f->server->program.steps[0].params;
}

static void a_parameter_struct_without_its_size_is_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    gpufilter_gaussian_params params = {.sigma = {9}};
    assert_int_equal(gaussian(f, &params, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(err.status, GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(
        err.text,
        "gpufilter_gaussian_params has struct_size=0 and operation=0x0000; initialise it with GPUFILTER_GAUSSIAN_INIT");
    assert_int_equal(gaussian(f, &params, NULL), GPUFILTER_E_BAD_ARGUMENT);
    memset(&params, 0xCC, sizeof(params)); /* what lies on a stack */
    assert_int_equal(gaussian(f, &params, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "struct_size=3435973836"));
    assert_int_equal(f->server->n_runs, 0);
    assert_int_equal(gaussian(f, NULL, &err), GPUFILTER_OK);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[0] == 2.0f);
}

/* A struct from a later header, with a member that this library does not know. */
static void members_of_a_later_header_are_not_passed_over(void **state)
{
    struct fixture *f = *state;
    struct {
        gpufilter_gaussian_params known;
        uint32_t later;
    } newer = {.known = GPUFILTER_GAUSSIAN_INIT};
    gpufilter_error err;
    newer.known.struct_size = sizeof(newer);
    assert_int_equal(gaussian(f, &newer.known, &err), GPUFILTER_OK);
    newer.later = 1;
    assert_int_equal(gaussian(f, &newer.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    newer.known.struct_size = offsetof(gpufilter_gaussian_params, truncate); /* of an earlier header */
    newer.known.sigma[0] = 5;
    newer.known.truncate = 1;
    assert_int_equal(gaussian(f, &newer.known, &err), GPUFILTER_OK);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[0] == 5.0f);
    assert_true(gf_gaussian_params_get(read_params(f)).truncate == 4.0f);
    /* What a later header adds begins behind the last member, in what is padding today. */
    assert_int_equal(((gpufilter_histogram_params)GPUFILTER_HISTOGRAM_INIT).struct_size,
                     offsetof(gpufilter_histogram_params, density) + sizeof(uint32_t));
}

static void every_entry_of_a_list_counts(void **state)
{
    struct fixture *f = *state;
    gpufilter_gaussian_params g = GPUFILTER_GAUSSIAN_INIT;
    g.sigma[0] = 9;
    assert_int_equal(gaussian(f, &g, NULL), GPUFILTER_OK);
    assert_int_equal(gf_gaussian_params_get(read_params(f)).sigma.n, 1); /* one stands for both axes */
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[0] == 9.0f);
    g = (gpufilter_gaussian_params)GPUFILTER_GAUSSIAN_INIT;
    g.sigma[1] = 20;
    assert_int_equal(gaussian(f, &g, NULL), GPUFILTER_OK);
    assert_int_equal(gf_gaussian_params_get(read_params(f)).sigma.n, 2);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[0] == 2.0f);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[1] == 20.0f);
    g.sigma[1] = 0; /* a value, not nothing */
    assert_int_equal(gaussian(f, &g, NULL), GPUFILTER_OK);
    assert_int_equal(gf_gaussian_params_get(read_params(f)).sigma.n, 2);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[1] == 0.0f);
    for (int i = 0; i < 4; i++)
        g.border_value[i] = (float)i;
    assert_int_equal(gaussian(f, &g, NULL), GPUFILTER_OK);
    assert_int_equal(gf_gaussian_params_get(read_params(f)).border_value.n, 4);
    assert_true(gf_gaussian_params_get(read_params(f)).border_value.v[3] == 3.0f);
    gpufilter_correlate_params c = GPUFILTER_CORRELATE_INIT;
    assert_int_equal(correlate(f, &c, NULL), GPUFILTER_OK);
    assert_int_equal(gf_correlate_params_get(read_params(f)).anchor.n, 0);
    c.anchor[0] = 0;
    c.anchor[1] = 2;
    assert_int_equal(correlate(f, &c, NULL), GPUFILTER_OK);
    assert_int_equal(gf_correlate_params_get(read_params(f)).anchor.n, 2);
    assert_int_equal(gf_correlate_params_get(read_params(f)).anchor.v[1], 2);
    c.anchor[0] = c.anchor[1] = GPUFILTER_UNSET_U32;
    assert_int_equal(correlate(f, &c, NULL), GPUFILTER_OK);
    assert_int_equal(gf_correlate_params_get(read_params(f)).anchor.n, 0);
}

static void lists_with_gaps_and_numbers_that_are_none_are_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    gpufilter_gaussian_params g = GPUFILTER_GAUSSIAN_INIT;
    g.border_value[2] = 7;
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (gaussian): border_value[2] is set, but border_value[1] before it is not");
    g = (gpufilter_gaussian_params)GPUFILTER_GAUSSIAN_INIT;
    g.sigma[0] = GPUFILTER_UNSET_F32;
    g.sigma[1] = 3;
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    g.sigma[0] = 3;
    g.sigma[1] = NAN; /* of arithmetic */
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "sigma=nan"));
    g.sigma[1] = g.sigma[2] = 3; /* of an axis that pictures do not have */
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    assert_string_equal(err.text, "step 1 (gaussian): sigma[2] is set; it takes at most 2 values in this version");
    g = (gpufilter_gaussian_params)GPUFILTER_GAUSSIAN_INIT;
    g.truncate = GPUFILTER_UNSET_F32; /* no list */
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    g = (gpufilter_gaussian_params)GPUFILTER_GAUSSIAN_INIT;
    g.border_value[1] = 1; /* two for four channels */
    assert_int_equal(gaussian(f, &g, &err), GPUFILTER_E_BAD_PARAM);
    gpufilter_correlate_params c = GPUFILTER_CORRELATE_INIT;
    c.anchor[0] = 1;
    assert_int_equal(correlate(f, &c, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "give two: x,y"));
    assert_int_equal(f->server->n_runs, 0);
}

/* The struct of another operation would be read as something else. */
static void the_struct_of_another_operation_is_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    const gpufilter_box_params box = GPUFILTER_BOX_INIT;
    gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
    assert_int_equal(gaussian(f, (const gpufilter_gaussian_params *)(const void *)&box, &err),
                     GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_gaussian_params has struct_size=56 and operation=0x0104 (box); "
                                  "initialise it with GPUFILTER_GAUSSIAN_INIT");
    params.struct_size = 4; /* too small for what every header has */
    assert_int_equal(gaussian(f, &params, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(f->server->n_runs, 0);
    params.struct_size = 8;
    params.sigma[0] = 9; /* beyond what the struct has */
    assert_int_equal(gaussian(f, &params, &err), GPUFILTER_OK);
    assert_true(gf_gaussian_params_get(read_params(f)).sigma.v[0] == 2.0f);
}

/* A request as the daemon read it. */
struct request {
    uint8_t bytes[4096];
    size_t size;
};

static void keep_request(const struct fixture *f, struct request *ret)
{
    struct gf_writer w;
    gf_writer_init(&w, ret->bytes, sizeof(ret->bytes));
    gf_program_encode(&w, &f->server->program);
    ret->size = w.size;
}

/* Runs a text, and a program of one step; both must ask for what the call before them asked for. */
static void assert_same(struct fixture *f, const char *text, const gpufilter_step *step, const gpufilter_view *operands,
                        uint32_t n, const char *second)
{
    static struct request typed, other;
    gpufilter_error err;
    const uint32_t n_results = second != NULL ? 2 : 1;
    keep_request(f, &typed);
    for (int i = 0; i < 2; i++) {
        gpufilter_result results[2] = {GPUFILTER_RESULT_INIT, {.output = second}};
        int status = i == 0 ? gpufilter_run_text(f->client, text, operands, n, results, n_results, NULL, &err)
                            : gpufilter_run(f->client, step, 1, operands, n, results, n_results, NULL, &err);
        if (status != GPUFILTER_OK)
            fail_msg("%s: %s", text, err.text);
        keep_request(f, &other);
        assert_int_equal(other.size, typed.size);
        assert_memory_equal(other.bytes, typed.bytes, typed.size);
        for (uint32_t k = 0; k < n_results; k++)
            gpufilter_free(f->client, results[k].view.data);
    }
}

static void calls_steps_and_texts_ask_for_the_same(void **state)
{
    struct fixture *f = *state;
    static float coefs[6] = {1, 2, 1, 2, 4, 2};
    static const double edges[4] = {0, 1, 4, 300};
    gpufilter_view out = {.data = NULL}, more = out;
    gpufilter_error err;
    gpufilter_gaussian_params g = GPUFILTER_GAUSSIAN_INIT;
    g.sigma[0] = 3, g.sigma[1] = 4.5f, g.border = GPUFILTER_BORDER_REFLECT101;
    assert_int_equal(gpufilter_gaussian(f->client, &g_src, &out, &g, NULL, &err), GPUFILTER_OK);
    assert_same(f, "gaussian sigma=3,4.5 border=reflect101", &(gpufilter_step){.params = &g}, &g_src, 1, NULL);

    const gpufilter_view with_mask[] = {g_src, gpufilter_tight_view(coefs, 3, 2, GPUFILTER_F32, 1)};
    gpufilter_correlate_params c = GPUFILTER_CORRELATE_INIT;
    c.size = GPUFILTER_SIZE_VALID, c.normalize = GPUFILTER_NORMALIZE_SUM, c.anchor[0] = 1, c.anchor[1] = 0;
    out = (gpufilter_view){.data = NULL};
    assert_int_equal(gpufilter_correlate(f->client, &g_src, &with_mask[1], &out, &c, NULL, &err), GPUFILTER_OK);
    assert_int_equal(out.width, 2);
    const char *text = "correlate size=valid normalize=sum anchor=1,0";
    assert_same(f, text, &(gpufilter_step){&c, NULL}, with_mask, 2, NULL);
    assert_same(f, "correlate mask='1 2 1; 2 4 2' size=valid normalize=sum anchor=1,0",
                &(gpufilter_step){&c, "mask='1 2 1; 2 4 2'"}, with_mask, 1, NULL);

    const gpufilter_view with_edges[] = {g_src, gpufilter_const_view(edges, 4, 1, GPUFILTER_F64, 1)};
    gpufilter_histogram_params h = GPUFILTER_HISTOGRAM_INIT;
    h.density = 1, h.edges = &with_edges[1], h.ret_outside = &more;
    out = (gpufilter_view){.data = NULL};
    assert_int_equal(gpufilter_histogram(f->client, &g_src, &out, &h, NULL, &err), GPUFILTER_OK);
    assert_int_equal(more.width, 3);
    h.edges = NULL, h.ret_outside = NULL;
    assert_same(f, "histogram edges=@1 density=1", &(gpufilter_step){&h, "edges=@1"}, with_edges, 2, "outside");

    gpufilter_expr_params e = GPUFILTER_EXPR_INIT;
    e.expression = "param k = 1.5; a*k + b", e.set = "k=2.5", e.dtype = GPUFILTER_RESULT_DTYPE_F32, e.b = &g_src;
    out = (gpufilter_view){.data = NULL};
    assert_int_equal(gpufilter_expr(f->client, &g_src, &out, &e, NULL, &err), GPUFILTER_OK);
    e.b = NULL;
    assert_same(f, "expr 'param k = 1.5; a*k + b' set=k=2.5 dtype=f32 b=@1", &(gpufilter_step){&e, "b=@1"},
                (const gpufilter_view[]){g_src, g_src}, 2, NULL);
}

/* The parameter alpha of a step that reached the daemon. */
static uint32_t alpha_of(const struct fixture *f, uint32_t step)
{
    const struct gf_step *s = &f->server->program.steps[step];
    return gf_op_param_word(s->op, &s->params, GF_ENUM_ALPHA, UINT32_MAX);
}

static void run_alpha(struct fixture *f, const char *text, uint32_t alpha)
{
    gpufilter_view src = g_src;
    gpufilter_error err;
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    src.alpha = alpha;
    if (gpufilter_run_text(f->client, text, &src, 1, &result, 1, NULL, &err) != GPUFILTER_OK)
        fail_msg("%s: %s", text, err.text);
    gpufilter_free(f->client, result.view.data);
}

static void alpha_of_a_view_reaches_every_step(void **state)
{
    struct fixture *f = *state;
    run_alpha(f, "gaussian", GPUFILTER_VIEW_STRAIGHT_ALPHA);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_AUTO);
    run_alpha(f, "gaussian", GPUFILTER_VIEW_NO_ALPHA);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    run_alpha(f, "crop size=3 | gaussian | flip | sharpen | stats | unsharp", GPUFILTER_VIEW_STRAIGHT_ALPHA);
    assert_int_equal(alpha_of(f, 1), GF_ALPHA_AUTO);
    assert_int_equal(alpha_of(f, 3), GF_ALPHA_AUTO);
    assert_int_equal(alpha_of(f, 5), GF_ALPHA_AUTO);
    run_alpha(f, "box alpha=straight | median | sobel alpha=ignore | box alpha=premultiplied | box",
              GPUFILTER_VIEW_STRAIGHT_ALPHA);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    assert_int_equal(alpha_of(f, 2), GF_ALPHA_IGNORE);
    assert_int_equal(alpha_of(f, 3), GF_ALPHA_PREMULTIPLIED);
    assert_int_equal(alpha_of(f, 4), GF_ALPHA_AUTO);
    run_alpha(f, "box | box alpha=auto | box", GPUFILTER_VIEW_NO_ALPHA);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    assert_int_equal(alpha_of(f, 1), GF_ALPHA_AUTO);
    assert_int_equal(alpha_of(f, 2), GF_ALPHA_STRAIGHT); /* how a step filters says nothing of its data */
    run_alpha(f, "matrix coefs='1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1' | box", GPUFILTER_VIEW_STRAIGHT_ALPHA);
    assert_int_equal(alpha_of(f, 1), GF_ALPHA_STRAIGHT); /* its channels are others */
}

static void alpha_of_structs_follows_views_where_it_is_unset(void **state)
{
    struct fixture *f = *state;
    gpufilter_view src = g_src, out = {.data = NULL};
    gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
    gpufilter_error err;
    src.alpha = GPUFILTER_VIEW_STRAIGHT_ALPHA;
    assert_int_equal(params.alpha, GPUFILTER_UNSET_U32);
    assert_int_equal(gpufilter_gaussian(f->client, &src, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_AUTO);
    assert_int_equal(out.alpha, GPUFILTER_VIEW_STRAIGHT_ALPHA);
    assert_int_equal(gpufilter_gaussian(f->client, &src, &out, &params, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_AUTO);
    params.struct_size = offsetof(gpufilter_gaussian_params, alpha); /* of a header without it */
    params.alpha = GPUFILTER_ALPHA_IGNORE;
    assert_int_equal(gpufilter_gaussian(f->client, &src, &out, &params, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_AUTO);
    params = (gpufilter_gaussian_params)GPUFILTER_GAUSSIAN_INIT;
    params.alpha = GPUFILTER_ALPHA_STRAIGHT;
    assert_int_equal(gpufilter_gaussian(f->client, &src, &out, &params, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    const gpufilter_step steps[] = {{.params = &params}, {.params = &(gpufilter_box_params)GPUFILTER_BOX_INIT}};
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_run(f->client, steps, 2, &src, 1, &result, 1, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    assert_int_equal(alpha_of(f, 1), GF_ALPHA_AUTO);
    assert_int_equal(result.view.alpha, GPUFILTER_VIEW_STRAIGHT_ALPHA);
    src.alpha = GPUFILTER_VIEW_NO_ALPHA;
    out = (gpufilter_view){.alpha = GPUFILTER_VIEW_STRAIGHT_ALPHA};
    assert_int_equal(gpufilter_gaussian(f->client, &src, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    assert_int_equal(out.alpha, GPUFILTER_VIEW_NO_ALPHA);
    /* A picture of one channel has none, whatever its view says. */
    gpufilter_expr_params expr = GPUFILTER_EXPR_INIT;
    gpufilter_view grey = gpufilter_tight_view(g_in, 4, 4, GPUFILTER_U8, 1);
    grey.alpha = GPUFILTER_VIEW_STRAIGHT_ALPHA;
    expr.expression = "a + b", expr.b = &grey;
    out = (gpufilter_view){.data = NULL};
    assert_int_equal(gpufilter_expr(f->client, &src, &out, &expr, NULL, &err), GPUFILTER_OK);
    assert_int_equal(alpha_of(f, 0), GF_ALPHA_STRAIGHT);
    assert_int_equal(out.alpha, GPUFILTER_VIEW_NO_ALPHA);
}

static int call_box(struct fixture *f, const gpufilter_call *call, gpufilter_error *err)
{
    gpufilter_view dst = gpufilter_tight_view(g_out, 4, 4, GPUFILTER_U8, 4);
    return gpufilter_box(f->client, &g_src, &dst, NULL, call, err);
}

/* Of calls of every form. */
static void a_call_has_a_device_and_a_deadline(void **state)
{
    struct fixture *f = *state;
    gpufilter_call call = GPUFILTER_CALL_INIT;
    gpufilter_result result = {.view = gpufilter_tight_view(g_out, 4, 4, GPUFILTER_U8, 4)};
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    gpufilter_error err;
    call.device = "cuda:7";
    call.deadline_ms = 60000;
    assert_int_equal(call_box(f, &call, &err), GPUFILTER_OK);
    assert_string_equal(f->server->device, "cuda:7");
    assert_in_range(f->server->deadline_ms, 1, 60000);
    assert_int_equal(call_box(f, NULL, &err), GPUFILTER_OK);
    assert_string_equal(f->server->device, "auto");
    assert_int_equal(f->server->deadline_ms, 0);
    call.device = "cpu";
    call.deadline_ms = 0;
    assert_int_equal(gpufilter_run_text(f->client, "box", &g_src, 1, &result, 1, &call, &err), GPUFILTER_OK);
    assert_string_equal(f->server->device, "cpu");
    assert_int_equal(f->server->deadline_ms, 0);
    call.device = NULL;
    call.deadline_ms = 50000;
    call.flags = GPUFILTER_CALL_UNFUSED;
    assert_int_equal(gpufilter_submit_text(f->client, "box", &g_src, 1, &result, 1, &call, f, NULL, &err),
                     GPUFILTER_OK);
    assert_int_equal(gpufilter_wait(f->client, 0, -1, &answer, &err), GPUFILTER_OK);
    assert_ptr_equal(answer.context, f);
    assert_string_equal(f->server->device, "auto");
    assert_in_range(f->server->deadline_ms, 1, 50000);
    assert_true(f->server->program.unfused);
}

static void wrong_calls_are_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    struct {
        gpufilter_call known;
        uint64_t later;
    } call = {.known = GPUFILTER_CALL_INIT};
    call.known.flags = 4 | GPUFILTER_CALL_TRACE;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_call has flags=0x6; allowed: bits of 0x3");
    call.known.flags = 0;
    call.known.reserved = 1;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_call has reserved=1; initialise it with GPUFILTER_CALL_INIT");
    call.known.reserved = 0;
    call.known.device = "gpu 1";
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    call.known.device = NULL;
    call.known.struct_size = 0;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_call has struct_size=0; initialise it with GPUFILTER_CALL_INIT");
    call.known.struct_size = sizeof(call);
    call.later = 1;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(f->server->n_runs, 0);
    call.later = 0;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_OK);
    call.known.struct_size = offsetof(gpufilter_call, device); /* of an earlier header */
    call.known.deadline_ms = 60000;
    call.known.device = (const char *)1;
    call.known.flags = call.known.reserved = 99;
    assert_int_equal(call_box(f, &call.known, &err), GPUFILTER_OK);
    assert_in_range(f->server->deadline_ms, 1, 60000);
    assert_string_equal(f->server->device, "auto");
}

#if GPUFILTER_VERSION < GPUFILTER_VERSION_NUMBER(0, 1, 0) || GPUFILTER_VERSION >= GPUFILTER_VERSION_NUMBER(999, 0, 0)
#error "GPUFILTER_VERSION is no number for the preprocessor"
#endif

static void the_headers_have_the_version_of_the_library(void **state)
{
    UNUSED(state);
    char text[40];
    const int version = GPUFILTER_VERSION;
    snprintf(text, sizeof(text), "%d.%d.%d", version / 1000000, version / 1000 % 1000, version % 1000);
    assert_string_equal(text, gpufilter_version());
    assert_int_equal(
        version, GPUFILTER_VERSION_NUMBER(GPUFILTER_VERSION_MAJOR, GPUFILTER_VERSION_MINOR, GPUFILTER_VERSION_PATCH));
    assert_true(GPUFILTER_VERSION_NUMBER(1, 0, 0) > GPUFILTER_VERSION_NUMBER(0, 999, 999));
    assert_int_equal(GPUFILTER_E_INTERRUPTED, 104);
    assert_string_equal(gpufilter_status_name(GPUFILTER_E_INTERRUPTED), "INTERRUPTED");
    assert_string_equal(gpufilter_status_name(-1), "UNKNOWN");
    assert_string_equal(gpufilter_status_text(-1), "unknown status");
}

static void structs_to_be_filled_need_their_size(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    gpufilter_times times = {0};
    gpufilter_health_info health = {0};
    gpufilter_answer answer = {0};
    gpufilter_options options = {0};
    gpufilter_client *client = NULL;
    assert_int_equal(gaussian(f, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_last_times(f->client, &times, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_times has struct_size=0; initialise it with GPUFILTER_TIMES_INIT");
    times.struct_size = 0xCCCCCCCC;
    assert_int_equal(gpufilter_last_times(f->client, &times, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_health(f->client, &health, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text,
                        "gpufilter_health_info has struct_size=0; initialise it with GPUFILTER_HEALTH_INFO_INIT");
    assert_int_equal(gpufilter_poll(f->client, &answer, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_answer has struct_size=0; initialise it with GPUFILTER_ANSWER_INIT");
    assert_int_equal(gpufilter_open(&options, &client, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gpufilter_options has struct_size=0; initialise it with GPUFILTER_OPTIONS_INIT");
    assert_null(client);
}

static void rows_to_be_filled_need_their_size(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint32_t n = 7;
    gpufilter_device device;
    gpufilter_metric metric;
    gpufilter_resident resident;
    gpufilter_span span;
    assert_int_equal(gpufilter_devices(f->client, &device, 0, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "device_size is 0; give sizeof(gpufilter_device)");
    assert_int_equal(gpufilter_metrics(f->client, &metric, 0, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "metric_size is 0; give sizeof(gpufilter_metric)");
    assert_int_equal(gpufilter_residents(f->client, &resident, 0, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "resident_size is 0; give sizeof(gpufilter_resident)");
    assert_int_equal(gpufilter_last_spans(f->client, &span, 0, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "span_size is 0; give sizeof(gpufilter_span)");
    assert_int_equal(n, 7);
    assert_int_equal(gpufilter_devices(f->client, NULL, 0, 0, &n, &err), GPUFILTER_OK); /* only how many */
    assert_int_equal(n, 2);
}

/* The mark of an unset entry must not be a value of any list. */
static void the_mark_is_no_value_of_any_list(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_N_OPS; i++)
        for (uint32_t k = 0; k < gf_ops[i].n_params; k++) {
            const struct gf_param_desc *p = &gf_ops[i].params[k];
            if (p->vector) /* of floats it is a NaN, which none takes */
                assert_true(p->kind != GF_PARAM_U32 || p->hi < GPUFILTER_UNSET_U32);
        }
    assert_true(isnan(GPUFILTER_UNSET_F32));
    assert_true(isnan(GPUFILTER_UNSET_F64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_parameter_struct_without_its_size_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(views_that_are_null_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(members_of_a_later_header_are_not_passed_over, setup, teardown),
        cmocka_unit_test_setup_teardown(every_entry_of_a_list_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_with_gaps_and_numbers_that_are_none_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_struct_of_another_operation_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_steps_and_texts_ask_for_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(alpha_of_a_view_reaches_every_step, setup, teardown),
        cmocka_unit_test_setup_teardown(alpha_of_structs_follows_views_where_it_is_unset, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_has_a_device_and_a_deadline, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_calls_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(structs_to_be_filled_need_their_size, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_to_be_filled_need_their_size, setup, teardown),
        cmocka_unit_test(the_mark_is_no_value_of_any_list),
        cmocka_unit_test(the_headers_have_the_version_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
