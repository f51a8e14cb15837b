/* SPDX-License-Identifier: MIT */
/* Parameters that are texts are set, parsed, printed, sent and kept, with the example of op expr. */
#include <stdlib.h>
#include <string.h>

#include "protocol/expr/expr.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/expr.h"
#include "protocol/wire/request.h"
#include "tests/support/programs.h"
#include "tests/unit/unit.h"

static const struct gf_op *expr(void)
{
    return &gf_ops[GF_INDEX_expr];
}

static void a_text_stays_where_it_is(void **state)
{
    UNUSED(state);
    static const char chars[] = "a + 1 and more";
    const struct gf_param_desc *param = gf_op_param(expr(), "expression");
    union gf_params params;
    const void *values;
    char printed[32];
    gf_op_params_default(expr(), &params);
    assert_int_equal(gf_op_param_get(param, &params, &values), 0);
    assert_true(gf_op_param_is_default(param, &params));
    assert_int_equal(gf_op_param_size(param), 1);
    assert_int_equal(gf_op_param_set(expr(), param, chars, 5, &params, NULL), GF_OK);
    assert_int_equal(gf_op_param_get(param, &params, &values), 5);
    assert_ptr_equal(values, chars);
    assert_false(gf_op_param_is_default(param, &params));
    assert_string_equal(gf_op_param_text(param, &params, printed, sizeof printed), "a + 1");
    assert_string_equal(gf_op_param_text(param, &params, printed, 4), "a +");
    assert_int_equal(gf_op_param_parse(expr(), param, chars, &params, NULL), GF_OK);
    assert_int_equal(gf_expr_params_get(&params).expression.size, sizeof chars - 1);
    assert_int_equal(gf_op_param_set(expr(), param, NULL, 0, &params, NULL), GF_OK);
    assert_true(gf_op_param_is_default(param, &params));
    assert_null(gf_expr_params_get(&params).expression.chars);
}

static void other_bytes_are_refused_with_their_column(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"a\n+ 1", "expr: expression: column 2: byte 0x0a; allowed: printable ASCII characters, 0x20 to 0x7e"},
        {"\x7f", "column 1: byte 0x7f"},
        {"a + \xc3\xa9", "column 5: byte 0xc3"},
        {"\t", "column 1: byte 0x09"},
    };
    const struct gf_param_desc *param = gf_op_param(expr(), "expression");
    union gf_params params;
    struct gf_error err;
    char text[2050];
    gf_op_params_default(expr(), &params);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(gf_op_param_parse(expr(), param, cases[i].text, &params, &err), GF_E_BAD_PARAM);
        assert_non_null(strstr(err.text, cases[i].says));
        assert_true(gf_op_param_is_default(param, &params));
    }
    memset(text, ' ', sizeof text);
    assert_int_equal(gf_op_param_set(expr(), param, text, 2048, &params, NULL), GF_OK);
    assert_int_equal(gf_op_param_set(expr(), param, text, 2049, &params, &err), GF_E_BAD_PARAM);
    assert_string_equal(err.text, "expr: expression has 2049 bytes; allowed: up to 2048");
    assert_int_equal(gf_expr_params_get(&params).expression.size, 2048);
}

/* A program of one step per text, on a picture, with one result. */
static struct gf_program *program_of(const char *const *texts, uint32_t n)
{
    struct gf_program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    strcpy(p->device, "auto");
    p->n_operands = p->n_results = 1;
    p->n_steps = n;
    p->operands[0] = (struct gf_operand){.way = GF_WAY_INLINE, .length = 12, .view = gf_view_tight(GF_U8, 4, 3, 1)};
    p->results[0] = (struct gf_result){.way = GF_WAY_INLINE, .step = (uint16_t)(n - 1)};
    for (uint32_t i = 0; i < n; i++) {
        struct gf_step *s = &p->steps[i];
        s->op = expr();
        s->in[0] =
            (struct gf_ref){.from = i > 0 ? GF_FROM_STEP : GF_FROM_OPERAND, .index = (uint16_t)(i > 0 ? i - 1 : 0)};
        for (uint32_t k = 1; k < s->op->n_inputs; k++)
            s->in[k].from = GF_FROM_NOTHING;
        gf_op_params_default(s->op, &s->params);
        assert_int_equal(gf_op_param_parse(s->op, &s->op->params[0], texts[i], &s->params, NULL), GF_OK);
    }
    return p;
}

static void texts_cross_the_wire(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {"clamp(a*1.2, 0, 255)", "a"};
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    struct gf_program *p = program_of(texts, 2), *decoded = calloc(1, sizeof *decoded);
    struct gf_writer w;
    struct gf_error err;
    assert_non_null(decoded);
    assert_int_equal(gf_program_check(p, true, &err), GF_OK);
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, p);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 1, p->payload_in, 0));
    size_t size = w.size - GF_HEADER_SIZE;
    uint8_t *body = malloc(size);
    assert_non_null(body);
    memcpy(body, frame + GF_HEADER_SIZE, size);
    decoded->payload_in = 1;
    assert_int_equal(gf_program_decode(body, size, p->payload_in + 1, decoded, NULL, &err), GF_E_BAD_REQUEST);
    assert_int_equal(decoded->payload_in, p->payload_in);
    assert_int_equal(gf_program_decode(body, size, p->payload_in, decoded, NULL, &err), GF_OK);
    char *room = malloc(gf_program_texts_size(decoded));
    assert_non_null(room);
    assert_int_equal(gf_program_texts_size(decoded), strlen(texts[0]) + 1);
    gf_program_texts_move(decoded, room);
    free(body); /* nothing refers to it any more */
    const size_t packed_size = gf_program_packed_size(decoded);
    assert_in_range(packed_size, 1, 2048); /* a struct gf_program has 32 KB */
    char *packed = malloc(packed_size);
    assert_non_null(packed);
    gf_program_pack(decoded, packed);
    memset(decoded, 0x5A, sizeof *decoded);
    gf_program_unpack(packed, decoded);
    free(packed);
    assert_int_equal(decoded->n_operands, p->n_operands);
    assert_int_equal(decoded->n_steps, 2);
    assert_int_equal(decoded->n_results, p->n_results);
    assert_int_equal(decoded->operands[0].length, p->operands[0].length);
    assert_int_equal(decoded->results[0].step, p->results[0].step);
    assert_int_equal(decoded->payload_out, p->payload_out);
    for (uint32_t i = 0; i < 2; i++)
        assert_true(gf_test_params_equal(&p->steps[i], &decoded->steps[i]));
    assert_int_equal(gf_expr_params_get(&decoded->steps[0].params).set.size, 0);
    free(room);
    free(decoded);
    free(p);
}

static void texts_of_all_steps_have_a_limit(void **state)
{
    UNUSED(state);
    static char text[GF_EXPR_MAX_TEXT + 1];
    const char *texts[3];
    struct gf_error err;
    memset(text, ' ', GF_EXPR_MAX_TEXT);
    text[0] = 'a';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        texts[i] = text;
    struct gf_program *p = program_of(texts, 2);
    assert_int_equal(gf_program_check(p, true, &err), GF_OK);
    free(p);
    texts[2] = "a";
    p = program_of(texts, 3);
    assert_int_equal(gf_program_check(p, true, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "texts of all steps have 4097 bytes; allowed: up to 4096");
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_stays_where_it_is),
        cmocka_unit_test(other_bytes_are_refused_with_their_column),
        cmocka_unit_test(texts_cross_the_wire),
        cmocka_unit_test(texts_of_all_steps_have_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
