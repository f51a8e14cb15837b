/* SPDX-License-Identifier: MIT */
/* The calls of gpufilter/ops.h, and structs with a size member: what reaches the daemon, and what is refused. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "fake_server.h"
#include "protocol/ops/params/correlate.h"
#include "protocol/ops/params/gaussian.h"

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
};

static uint8_t g_in[64], g_out[64];
static const gpufilter_view g_src = {g_in, 4, 4, 0, GPUFILTER_U8, 4};

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
    gpufilter_view dst = {g_out, 4, 4, 0, GPUFILTER_U8, 4};
    return gpufilter_gaussian(f->client, &g_src, &dst, params, err);
}

static int correlate(struct fixture *f, const gpufilter_correlate_params *params, gpufilter_error *err)
{
    static float coefs[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const gpufilter_view mask = {coefs, 3, 3, 0, GPUFILTER_F32, 1};
    gpufilter_view dst = {g_out, 4, 4, 0, GPUFILTER_U8, 4};
    return gpufilter_correlate(f->client, &g_src, &mask, &dst, params, err);
}

static void views_that_are_null_are_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    static uint8_t pixels[64 * 64];
    const gpufilter_view large = {pixels, 64, 64, 0, GPUFILTER_U8, 1};
    gpufilter_view dst = {g_out, 4, 4, 0, GPUFILTER_U8, 4}, a = {.data = NULL}, b = a, c = a;
    assert_int_equal(gpufilter_gaussian(f->client, NULL, &dst, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gaussian: src is NULL");
    assert_int_equal(gpufilter_gaussian(f->client, &g_src, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "gaussian: dst is NULL");
    assert_int_equal(gpufilter_gaussian(NULL, &g_src, &dst, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_gaussian(NULL, NULL, NULL, NULL, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_correlate(f->client, &g_src, NULL, &dst, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "correlate: mask is NULL");
    assert_int_equal(gpufilter_histogram(f->client, &g_src, NULL, NULL, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "histogram: counts and all other outputs are NULL");
    assert_int_equal(f->server->n_runs, 0);
    /* Outputs that are not wanted are not asked for. */
    assert_int_equal(gpufilter_histogram(f->client, &large, NULL, &a, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(f->server->program.n_results, 1);
    assert_int_equal(f->server->program.results[0].output, 1);
    assert_int_equal(a.width, 3);
    assert_non_null(a.data);
    assert_int_equal(gpufilter_histogram(f->client, &large, &b, NULL, &c, NULL, &err), GPUFILTER_OK);
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
    assert_string_equal(err.text,
                        "gpufilter_gaussian_params has struct_size=0; initialise it with GPUFILTER_GAUSSIAN_INIT");
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
        cmocka_unit_test_setup_teardown(structs_to_be_filled_need_their_size, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_to_be_filled_need_their_size, setup, teardown),
        cmocka_unit_test(the_mark_is_no_value_of_any_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
