/* SPDX-License-Identifier: MIT */
/* A run parses its text once, and an expression in the text once. The server parses in its own thread. */
#include "tests/unit/unit.h"

#include <string.h>

#include "client/include/gpufilter/client.h"
#include "client/lib/text/reader.h"
#include "fake_server.h"
#include "protocol/expr/expr.h"

static _Thread_local unsigned g_texts, g_expressions;

enum gf_status __real_gf_text_read(const char *text, const struct gf_text_data *data, struct gf_program *program,
                                   struct gf_error *err);
enum gf_status __wrap_gf_text_read(const char *text, const struct gf_text_data *data, struct gf_program *program,
                                   struct gf_error *err);
enum gf_status __real_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err);
enum gf_status __wrap_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err);

enum gf_status __wrap_gf_text_read(const char *text, const struct gf_text_data *data, struct gf_program *program,
                                   struct gf_error *err)
{
    g_texts++;
    return __real_gf_text_read(text, data, program, err);
}

enum gf_status __wrap_gf_expr_parse(const char *text, uint32_t size, const struct gf_expr_scope *scope,
                                    struct gf_expr *ret_expr, struct gf_error *err)
{
    g_expressions++;
    return __real_gf_expr_parse(text, size, scope, ret_expr, err);
}

static void a_run_parses_once(void **state)
{
    UNUSED(state);
    uint8_t samples[4] = {1, 2, 3, 4};
    const gpufilter_view src = gpufilter_tight_view(samples, 4, 1, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    struct fake_server *server = fake_server_new();
    fake_server_start(server);
    options.socket = server->path;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_run_text(client, "expr 'a + 1'", &src, 1, &result, 1, NULL, NULL), GPUFILTER_OK);
    assert_memory_equal(result.view.data, ((uint8_t[]){2, 3, 4, 5}), 4);
    assert_int_equal(g_texts, 1);
    assert_int_equal(g_expressions, 1);
    gpufilter_free(client, result.view.data);
    gpufilter_close(client);
    fake_server_stop(server);
    fake_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_parses_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
