/* SPDX-License-Identifier: MIT */
/* protocol/request: round trips, every refusal, and bodies that were cut or changed. */
#include "protocol/wire/request.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/ops/params/correlate.h"
#include "protocol/wire/trace_context.h"
#include "tests/support/programs.h"
#include "tests/unit/unit.h"

static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_program *program, *decoded;

static int allocate(void **state)
{
    UNUSED(state);
    program = malloc(sizeof *program);
    decoded = malloc(sizeof *decoded);
    return program == NULL || decoded == NULL;
}

static int release(void **state)
{
    UNUSED(state);
    free(program);
    free(decoded);
    return 0;
}

/* Encodes `program`; returns the size of the body, which begins at frame + 32. */
static size_t encode(void)
{
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, program);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 1, program->payload_in, 0));
    return w.size - GF_HEADER_SIZE;
}

/* Decodes an exact copy, so that a sanitizer detects every read past the end. The copy stays until the next call,
 * because texts refer to it. */
static enum gf_status decode_exact(const uint8_t *body, size_t size, uint64_t payload_len, struct gf_error *err)
{
    static uint8_t *copy;
    free(copy);
    copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, body, size);
    return gf_program_decode(copy, size, payload_len, decoded, NULL, err);
}

static void views_are_equal(const struct gf_view *a, const struct gf_view *b)
{
    assert_true(gf_view_same_shape(a, b));
    assert_true(a->pitch == b->pitch);
}

static void programs_are_equal(const struct gf_program *a, const struct gf_program *b)
{
    assert_string_equal(a->device, b->device);
    assert_int_equal(a->deadline_ms, b->deadline_ms);
    assert_int_equal(a->trace, b->trace);
    assert_int_equal(a->unfused, b->unfused);
    assert_int_equal(a->n_operands, b->n_operands);
    assert_int_equal(a->n_steps, b->n_steps);
    assert_int_equal(a->n_results, b->n_results);
    assert_true(a->payload_in == b->payload_in && a->payload_out == b->payload_out);
    for (uint32_t i = 0; i < a->n_operands; i++) {
        const struct gf_operand *x = &a->operands[i], *y = &b->operands[i];
        assert_true(x->way == y->way && x->id == y->id && x->offset == y->offset && x->length == y->length);
        views_are_equal(&x->view, &y->view);
    }
    for (uint32_t i = 0; i < a->n_steps; i++) {
        const struct gf_step *x = &a->steps[i], *y = &b->steps[i];
        assert_ptr_equal(x->op, y->op);
        assert_true(gf_test_params_equal(x, y));
        for (uint32_t k = 0; k < x->op->n_inputs; k++)
            assert_true(x->in[k].from == y->in[k].from && x->in[k].output == y->in[k].output &&
                        x->in[k].index == y->in[k].index);
        for (uint32_t k = 0; k < x->op->n_outputs; k++)
            views_are_equal(&x->out[k], &y->out[k]);
    }
    for (uint32_t i = 0; i < a->n_results; i++) {
        const struct gf_result *x = &a->results[i], *y = &b->results[i];
        assert_true(x->step == y->step && x->output == y->output && x->way == y->way && x->id == y->id);
        assert_true(x->offset == y->offset && x->length == y->length);
        views_are_equal(&x->view, &y->view);
    }
}

static void random_programs_round_trip(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {.state = 1};
    for (int i = 0; i < 1000; i++) {
        struct gf_error err;
        gf_test_program_random(&prng, program);
        size_t size = encode();
        if (decode_exact(frame + GF_HEADER_SIZE, size, program->payload_in, &err) != GF_OK)
            fail_msg("program %d: %s", i, err.text);
        programs_are_equal(program, decoded);
    }
}

static void defaults_are_left_out(void **state)
{
    UNUSED(state);
    gf_test_program_example(program);
    size_t size = encode();
    GF_SET_PARAM(&program->steps[0].params, correlate, normalize, 0);
    assert_int_equal(encode(), size - 16);
    strcpy(program->device, "auto");
    assert_int_equal(encode(), size - 32);
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size - 32, 100, NULL), GF_OK);
    assert_string_equal(decoded->device, "auto");
    assert_int_equal(decoded->deadline_ms, 0);
    assert_false(decoded->trace);
    program->trace = true;
    assert_int_equal(encode(), size - 16);
    assert_false(decoded->unfused);
    program->unfused = true;
    assert_int_equal(encode(), size);
    program->trace = program->unfused = false;
    program->deadline_ms = 5;
    assert_int_equal(encode(), size - 16);
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size - 16, 100, NULL), GF_OK);
    assert_int_equal(decoded->deadline_ms, 5);
}

static void the_largest_program_fits_a_body(void **state)
{
    UNUSED(state);
    gf_test_program_example(program);
    program->operands[0].view = gf_view_tight(GF_U8, 4, 3, 4);
    program->operands[0].length = 48;
    for (uint32_t i = 0; i < GF_MAX_OPERANDS; i++)
        program->operands[i] = program->operands[i != 0];
    for (uint32_t i = 0; i < GF_MAX_STEPS; i++) {
        program->steps[i] = program->steps[0];
        program->steps[i].in[1].index = (uint16_t)(i != 0 ? i : 1);
        GF_SET_PARAM(&program->steps[i].params, correlate, border_value, (struct gf_f32v){4, {1, 2, 3, 4}});
        GF_SET_PARAM(&program->steps[i].params, correlate, anchor, (struct gf_u32v){2, {1, 2}});
        GF_SET_PARAM(&program->steps[i].params, correlate, scale, 2.0f);
        GF_SET_PARAM(&program->steps[i].params, correlate, offset, 2.0f);
        GF_SET_PARAM(&program->steps[i].params, correlate, border, 4);
        GF_SET_PARAM(&program->steps[i].params, correlate, light, 1);
        GF_SET_PARAM(&program->steps[i].params, correlate, alpha, 1);
        program->results[i] = (struct gf_result){.way = GF_WAY_INLINE};
        program->results[i].step = (uint16_t)i;
    }
    program->n_operands = GF_MAX_OPERANDS;
    program->n_steps = GF_MAX_STEPS;
    program->n_results = GF_MAX_RESULTS;
    assert_int_equal(gf_program_check(program, true, NULL), GF_OK);
    size_t size = encode();
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, program->payload_in, NULL), GF_OK);
    programs_are_equal(program, decoded);

    /* The front gives each operand and result a key and passes the program on to a worker. */
    for (uint32_t i = 0; i < GF_MAX_OPERANDS; i++) {
        program->operands[i].way = GF_WAY_ARENA;
        program->operands[i].id = UINT64_MAX - i;
    }
    for (uint32_t i = 0; i < GF_MAX_RESULTS; i++) {
        program->results[i].way = GF_WAY_ARENA;
        program->results[i].id = (UINT64_C(1) << 32) + i;
    }
    program->keyed = true;
    program->user = (UINT64_C(3) << 32) + 5;
    assert_int_equal(gf_program_check(program, true, NULL), GF_OK);
    size_t keyed = encode();
    assert_int_equal(keyed, size + 8 + 8 * (GF_MAX_OPERANDS + GF_MAX_RESULTS + 1));
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, keyed, 0, NULL), GF_OK);
    programs_are_equal(program, decoded);
    assert_true(decoded->user == program->user);
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, keyed - 8, 0, NULL), GF_E_BAD_REQUEST);
}

static void cut_programs_are_refused(void **state)
{
    UNUSED(state);
    gf_test_program_example(program);
    size_t size = encode();
    for (size_t cut = 0; cut < size; cut++) {
        struct gf_error err = {.status = GF_OK};
        assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, cut, 100, &err), GF_E_BAD_REQUEST);
        assert_int_equal(err.status, GF_E_BAD_REQUEST);
        assert_true(err.text[0] != '\0');
    }
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 100, NULL), GF_OK);
}

static void changed_bytes_decode_or_are_refused(void **state)
{
    UNUSED(state);
    struct gf_prng prng = {.state = 2};
    for (int i = 0; i < 20; i++) {
        gf_test_program_random(&prng, program);
        size_t size = encode();
        for (size_t at = 0; at < size; at++) {
            uint8_t *byte = &frame[GF_HEADER_SIZE + at], old = *byte;
            for (int k = 0; k < 4; k++) {
                struct gf_error err = {.status = GF_OK};
                *byte = (uint8_t)(k < 3 ? old ^ (1u << (3 * k)) : gf_prng_next(&prng));
                enum gf_status status = decode_exact(frame + GF_HEADER_SIZE, size, program->payload_in, &err);
                assert_int_equal(err.status, status);
                assert_true(status < GF_STATUS_FATAL);
                assert_true((status == GF_OK) == (err.text[0] == '\0'));
            }
            *byte = old;
        }
    }
}

#define TRACE_ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN_ID "00f067aa0ba902b7"

static void a_traceparent_is_read_and_written(void **state)
{
    UNUSED(state);
    static const struct gf_trace_context want = {
        {0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36},
        {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7}};
    struct gf_trace_context c;
    char text[GF_TRACEPARENT_TEXT];
    assert_true(gf_traceparent_read("00-" TRACE_ID "-" SPAN_ID "-01", &c));
    assert_memory_equal(&c, &want, sizeof(c));
    assert_true(gf_trace_context_valid(&c));
    assert_string_equal(gf_traceparent_text(&c, text), "00-" TRACE_ID "-" SPAN_ID "-01");
    assert_true(gf_traceparent_read("00-" TRACE_ID "-" SPAN_ID "-ff", &c)); /* flags tell nothing about the ids */
    assert_string_equal(gf_traceparent_text(&c, text), "00-" TRACE_ID "-" SPAN_ID "-01");
}

static void anything_else_is_none(void **state)
{
    UNUSED(state);
    static const char *const wrong[] = {
        "",
        "00",
        "00-",
        "00-" TRACE_ID "-" SPAN_ID,
        "00-" TRACE_ID "-" SPAN_ID "-",
        "00-" TRACE_ID "-" SPAN_ID "-1",
        "00-" TRACE_ID "-" SPAN_ID "-01-",
        "00-" TRACE_ID "-" SPAN_ID "-01\n",
        "00-" TRACE_ID "-" SPAN_ID "-0g",
        "01-" TRACE_ID "-" SPAN_ID "-01",
        "ff-" TRACE_ID "-" SPAN_ID "-01",
        "00-" TRACE_ID "_" SPAN_ID "-01",
        "00-" TRACE_ID "0" SPAN_ID "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN_ID "-01",
        "00-" TRACE_ID "-" SPAN_ID "001",
        "00-00000000000000000000000000000000-" SPAN_ID "-01",
        "00-" TRACE_ID "-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473--" SPAN_ID "-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473 -" SPAN_ID "-01",
    };
    struct gf_trace_context c = {{1}, {2}};
    for (size_t i = 0; i < GF_ARRAY_LEN(wrong); i++)
        if (gf_traceparent_read(wrong[i], &c))
            fail_msg("\"%s\" is read", wrong[i]);
    assert_true(c.trace[0] == 1 && c.span[0] == 2);
}

static void a_run_carries_it_first(void **state)
{
    UNUSED(state);
    struct gf_trace_context c = {{[15] = 1}, {[7] = 2}}, found;
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof(frame));
    gf_trace_context_encode(&w, &c);
    assert_int_equal(w.size - GF_HEADER_SIZE, 8 + 24);
    gf_trace_context_decode(frame + GF_HEADER_SIZE, 32, &found);
    assert_memory_equal(&found, &c, sizeof(c));
    for (size_t size = 0; size < 32; size++) {
        gf_trace_context_decode(frame + GF_HEADER_SIZE, size, &found);
        assert_false(gf_trace_context_valid(&found));
    }
    gf_writer_init(&w, frame, sizeof(frame));
    gf_trace_context_encode(&w, &(struct gf_trace_context){{1}, {0}}); /* none */
    assert_int_equal(w.size, GF_HEADER_SIZE);
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    gf_trace_context_encode(&w, &c);
    gf_trace_context_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, &found);
    assert_false(gf_trace_context_valid(&found));
}

/* The attributes from which a test builds a body. */
enum item { CONTEXT, CONTEXT_0, DEVICE, DEADLINE, TRACE, TRACE_2, IMAGE, MASK, STEP, NORMALIZE, RESULT, END };

static void put_item(struct gf_writer *w, enum item item)
{
    static const uint8_t image[56] = {1, [16] = 12, [24] = 1, 1, [32] = 4, [40] = 3, [48] = 4};
    static const uint8_t mask[56] = {1, [8] = 64, [16] = 36, [24] = 9, 1, [32] = 3, [40] = 3, [48] = 12};
    static const uint8_t step[16] = {1, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    static const uint8_t result[32] = {0, 0, 0, 1};
    static const uint32_t sum = 1;
    static const uint8_t context[24] = {[0] = 1, [23] = 2};
    switch (item) {
    case CONTEXT:
        gf_put(w, GF_ATTR_TRACE_CONTEXT, GF_TYPE_BYTES, context, sizeof context);
        break;
    case CONTEXT_0:
        gf_put(w, GF_ATTR_TRACE_CONTEXT, GF_TYPE_BYTES, result, sizeof context); /* a span of zeros */
        break;
    case DEVICE:
        gf_put_string(w, GF_ATTR_DEVICE, "cpu");
        break;
    case DEADLINE:
        gf_put_u32(w, GF_ATTR_DEADLINE_MS, 100);
        break;
    case TRACE:
        gf_put_u32(w, GF_ATTR_TRACE, 1);
        break;
    case TRACE_2:
        gf_put_u32(w, GF_ATTR_TRACE, 2);
        break;
    case IMAGE:
        gf_put(w, GF_ATTR_OPERAND, GF_TYPE_BYTES, image, sizeof image);
        break;
    case MASK:
        gf_put(w, GF_ATTR_OPERAND, GF_TYPE_BYTES, mask, sizeof mask);
        break;
    case STEP:
        gf_put(w, GF_ATTR_STEP, GF_TYPE_BYTES, step, sizeof step);
        break;
    case NORMALIZE:
        gf_put(w, GF_ATTR_PARAM + 5, GF_TYPE_ENUM, &sum, sizeof sum);
        break;
    default:
        gf_put(w, GF_ATTR_RESULT, GF_TYPE_BYTES, result, sizeof result);
    }
}

struct order_case {
    enum item items[10];
    enum gf_status status;
    const char *says;
};

static void order_and_repetition_are_checked(void **state)
{
    UNUSED(state);
    static const struct order_case cases[] = {
        {{DEVICE, DEADLINE, IMAGE, MASK, STEP, NORMALIZE, RESULT, END}, GF_OK, ""},
        {{IMAGE, MASK, STEP, RESULT, END}, GF_OK, ""},
        {{DEADLINE, TRACE, IMAGE, MASK, STEP, RESULT, END}, GF_OK, ""},
        {{CONTEXT, DEVICE, DEADLINE, TRACE, IMAGE, MASK, STEP, RESULT, END}, GF_OK, ""},
        {{DEVICE, CONTEXT, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "TRACE_CONTEXT (59) is out of order"},
        {{CONTEXT, CONTEXT, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "TRACE_CONTEXT (59) is given twice"},
        {{CONTEXT_0, IMAGE, MASK, STEP, RESULT, END},
         GF_E_BAD_REQUEST,
         "attribute TRACE_CONTEXT (59): the id of the trace, or that of the span, has only zeros"},
        {{TRACE, DEADLINE, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "DEADLINE_MS (18) is out of order"},
        {{TRACE, TRACE, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "attribute TRACE (41) is given twice"},
        {{TRACE_2, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "trace=2; allowed: 0 and 1"},
        {{DEADLINE, DEVICE, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "attribute DEVICE (11) is out of order"},
        {{DEVICE, DEVICE, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "attribute DEVICE (11) is given twice"},
        {{DEADLINE, DEADLINE, IMAGE, MASK, STEP, RESULT, END}, GF_E_BAD_REQUEST, "DEADLINE_MS (18) is given twice"},
        {{IMAGE, STEP, MASK, RESULT, END}, GF_E_BAD_REQUEST, "attribute OPERAND (19) is out of order"},
        {{IMAGE, MASK, RESULT, STEP, END}, GF_E_BAD_REQUEST, "attribute STEP (20) is out of order"},
        {{IMAGE, MASK, STEP, RESULT, NORMALIZE, END}, GF_E_BAD_REQUEST, "attribute PARAM (4101) is out of order"},
        {{IMAGE, MASK, NORMALIZE, STEP, RESULT, END}, GF_E_BAD_REQUEST, "PARAM (4101) comes before any step"},
        {{IMAGE, MASK, STEP, NORMALIZE, NORMALIZE, RESULT, END},
         GF_E_BAD_REQUEST,
         "step 1 (correlate): normalize is given twice"},
        {{IMAGE, MASK, STEP, NORMALIZE, STEP, NORMALIZE, RESULT, END}, GF_OK, ""},
        {{IMAGE, MASK, STEP, END}, GF_E_BAD_REQUEST, "program of 0 results; allowed: 1..64"},
        {{IMAGE, MASK, RESULT, END}, GF_E_BAD_REQUEST, "program of 0 steps; allowed: 1..64"},
        {{END}, GF_E_BAD_REQUEST, "program of 0 steps"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_writer w;
        struct gf_error err = {.status = GF_OK};
        gf_writer_init(&w, frame, sizeof frame);
        for (size_t k = 0; cases[i].items[k] != END; k++)
            put_item(&w, cases[i].items[k]);
        enum gf_status status = decode_exact(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, 100, &err);
        if (status != cases[i].status || strstr(err.text, cases[i].says) == NULL)
            fail_msg("case %zu: status %d, \"%s\"", i, (int)status, err.text);
    }
}

/* Checks that a valid program with one more attribute after the step is refused. */
static void attribute_is_refused(uint16_t id, enum gf_attr_type type, const void *value, size_t length,
                                 enum gf_status status, const char *says)
{
    struct gf_writer w;
    struct gf_error err = {.status = GF_OK};
    gf_writer_init(&w, frame, sizeof frame);
    put_item(&w, IMAGE);
    put_item(&w, MASK);
    put_item(&w, STEP);
    gf_put(&w, id, type, value, length);
    put_item(&w, RESULT);
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, 100, &err), status);
    assert_int_equal(err.status, status);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
}

static void wrong_attributes_of_programs_are_refused(void **state)
{
    UNUSED(state);
    static const uint32_t words[8] = {1, 2, 3, 4, 5};
    static const uint8_t zeros[64];
    static const float nan_value = __builtin_nanf("");
    attribute_is_refused(500, GF_TYPE_U32, words, 4, GF_E_BAD_REQUEST, "unknown (500) does not belong in RUN");
    attribute_is_refused(GF_ATTR_SIZE, GF_TYPE_U64, words, 8, GF_E_BAD_REQUEST, "SIZE (25) does not belong");
    attribute_is_refused(0x2000, GF_TYPE_U32, words, 4, GF_E_BAD_REQUEST, "(8192) does not belong");
    attribute_is_refused(GF_ATTR_PARAM, GF_TYPE_U32, words, 4, GF_E_UNKNOWN_PARAM,
                         "step 1 (correlate) has no parameter 0");
    attribute_is_refused(GF_ATTR_PARAM + 11, GF_TYPE_U32, words, 4, GF_E_UNKNOWN_PARAM,
                         "step 1 (correlate) has no parameter 11");
    attribute_is_refused(GF_ATTR_PARAM + 5, GF_TYPE_U32, words, 4, GF_E_BAD_PARAM,
                         "step 1 (correlate): normalize is sent as type 1; must be 4");
    attribute_is_refused(GF_ATTR_PARAM + 5, GF_TYPE_ENUM, words, 8, GF_E_BAD_PARAM, "correlate: normalize");
    attribute_is_refused(GF_ATTR_PARAM + 5, GF_TYPE_ENUM, words + 2, 4, GF_E_BAD_PARAM, "correlate: normalize=3");
    attribute_is_refused(GF_ATTR_PARAM + 6, GF_TYPE_U32, words, 12, GF_E_BAD_PARAM, "correlate: anchor");
    attribute_is_refused(GF_ATTR_PARAM + 1, GF_TYPE_F32, &nan_value, 4, GF_E_BAD_PARAM, "correlate: scale");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, zeros, 7, GF_E_BAD_REQUEST, "record of 7 bytes; must be 8 and 4");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, zeros, 12, GF_E_BAD_REQUEST, "record of 12 bytes");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_U32, words, 8, GF_E_BAD_REQUEST, "STEP (20) is of type u32, not bytes");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, "\xff\x0f\0\0\0\0\0\0", 8, GF_E_UNKNOWN_OP,
                         "step 2: operation 0x0fff is not known");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, "\1\1\0\0\1\0\0\0\0\0\0\0", 12, GF_E_BAD_REQUEST,
                         "step 2 (correlate): 1 inputs given; it takes 2");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, "\3\1\0\0\1\0\0\0\2\0\0\0", 12, GF_E_BAD_REQUEST,
                         "step 2 (gaussian): src is of kind 2; allowed: 0 (operand), 1 (step)");
    attribute_is_refused(GF_ATTR_STEP, GF_TYPE_BYTES, "\3\1\0\0\1\0\1\0\0\0\0\0", 12, GF_E_BAD_REQUEST,
                         "step 2: record of 12 bytes");
    attribute_is_refused(GF_ATTR_RESULT, GF_TYPE_BYTES, zeros, 31, GF_E_BAD_REQUEST, "RESULT (21) has 31 bytes");
    attribute_is_refused(GF_ATTR_RESULT, GF_TYPE_BYTES,
                         "\0\0\0\1\0\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32, GF_E_BAD_REQUEST,
                         "result 0: offset=8 and length=0; must be 0 for an inline result");
}

static void wrong_operands_are_refused(void **state)
{
    UNUSED(state);
    gf_test_program_example(program);
    struct gf_error err;
    size_t size = encode();
    uint8_t *operand = frame + GF_HEADER_SIZE + 16 + 8; /* after DEVICE */
    operand[2] = 1;
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 100, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "operand 0: reserved bytes are not 0");
    operand[2] = 0;
    operand[24 + 3] = 1;
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 100, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "operand 0: reserved bytes are not 0");
    operand[24 + 3] = 0;
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 101, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "payload of 101 bytes; the inline operands need 100");
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 99, NULL), GF_E_BAD_REQUEST);
    assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, size, 100, NULL), GF_OK);
}

static void tables_have_at_most_64_rows(void **state)
{
    UNUSED(state);
    static const enum item rows[] = {IMAGE, STEP, RESULT};
    static const char *const says[] = {"program with more than 64 operands", "program with more than 64 steps",
                                       "program with more than 64 results"};
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++) {
        struct gf_writer w;
        struct gf_error err;
        gf_writer_init(&w, frame, sizeof frame);
        for (int k = 0; k < 65; k++)
            put_item(&w, rows[i]);
        assert_int_equal(decode_exact(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, 0, &err), GF_E_BAD_REQUEST);
        assert_string_equal(err.text, says[i]);
    }
}

static void hello_round_trips(void **state)
{
    UNUSED(state);
    const struct gf_hello hello = {.version_min = 1, .version_max = 3, .software = "test 1.0", .device = "cuda:0"};
    struct gf_hello back;
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &hello);
    assert_int_equal(gf_hello_decode(frame + 32, w.size - 32, &back, NULL), GF_OK);
    assert_int_equal(back.version_min, 1);
    assert_int_equal(back.version_max, 3);
    assert_string_equal(back.software, "test 1.0");
    assert_string_equal(back.device, "cuda:0");
    for (size_t cut = 0; cut < w.size - 32 - 16; cut++)
        assert_int_equal(gf_hello_decode(frame + 32, cut, &back, NULL), GF_E_BAD_REQUEST);
    assert_int_equal(gf_hello_decode(frame + 32, w.size - 32 - 16, &back, NULL), GF_OK);
    assert_string_equal(back.device, "auto");
}

static void hello_is_refused(struct gf_hello hello, enum gf_status status, const char *says)
{
    struct gf_writer w;
    struct gf_error err;
    struct gf_hello back;
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &hello);
    assert_int_equal(gf_hello_decode(frame + 32, w.size - 32, &back, &err), status);
    assert_int_equal(err.status, status);
    assert_non_null(strstr(err.text, says));
}

static void wrong_hellos_are_refused(void **state)
{
    UNUSED(state);
    hello_is_refused((struct gf_hello){.version_max = 1}, GF_E_BAD_REQUEST, "versions 0..1");
    hello_is_refused((struct gf_hello){.version_min = 2, .version_max = 1}, GF_E_BAD_REQUEST, "versions 2..1");
    hello_is_refused((struct gf_hello){.version_min = 2, .version_max = 9}, GF_E_BAD_VERSION,
                     "client speaks protocol versions 2..9, server 1..1");
    hello_is_refused((struct gf_hello){.version_min = 1, .version_max = 1, .device = "a b"}, GF_E_BAD_REQUEST,
                     "device name \"a b\"");
}

static void small_requests_round_trip(void **state)
{
    UNUSED(state);
    struct gf_writer w;
    struct gf_arena_request arena;
    struct gf_info_request info;
    struct gf_error err;
    uint32_t value;
    gf_writer_init(&w, frame, sizeof frame);
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 5, .size = 4096});
    assert_int_equal(gf_arena_request_decode(frame + 32, w.size - 32, false, &arena, NULL), GF_OK);
    assert_int_equal(arena.arena, 5);
    assert_int_equal(arena.size, 4096);
    assert_int_equal(gf_arena_request_decode(frame + 32, w.size - 32, true, &arena, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SIZE (25) does not belong here");
    assert_int_equal(gf_arena_request_decode(frame + 32, 16, true, &arena, NULL), GF_OK);
    assert_int_equal(gf_arena_request_decode(frame + 32, 16, false, &arena, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SIZE (25) is missing");
    gf_put_u32(&w, GF_ATTR_ARENA, 6);
    assert_int_equal(gf_arena_request_decode(frame + 32, w.size - 32, false, &arena, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute ARENA (24) is given twice");

    gf_writer_init(&w, frame, sizeof frame);
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 5, .size = GF_MAX_BYTES + 1});
    assert_int_equal(gf_arena_request_decode(frame + 32, w.size - 32, false, &arena, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "arena of 281474976710657 bytes; allowed: 1..281474976710656");

    gf_writer_init(&w, frame, sizeof frame);
    gf_free_request_encode(&w, 77);
    assert_int_equal(gf_free_request_decode(frame + 32, w.size - 32, &value, NULL), GF_OK);
    assert_int_equal(value, 77);
    assert_int_equal(gf_free_request_decode(frame + 32, 0, &value, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute HANDLE (26) is missing");
    assert_int_equal(gf_info_request_decode(frame + 32, w.size - 32, &info, NULL), GF_E_BAD_REQUEST);

    for (uint32_t topic = 0; topic < 6; topic++) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_info_request_encode(&w, &(struct gf_info_request){.topic = topic});
        bool known = topic >= GF_TOPIC_DEVICES && topic <= GF_TOPIC_HANDLES;
        enum gf_status status = gf_info_request_decode(frame + 32, w.size - 32, &info, &err);
        assert_int_equal(status, known ? GF_OK : GF_E_BAD_REQUEST);
        if (known)
            assert_int_equal(info.topic, topic);
        else
            assert_non_null(strstr(err.text, "allowed: 1 (devices), 2 (health), 3 (stats)"));
        assert_true(!known || info.next == 0);
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_STATS, .next = 40});
    assert_int_equal(gf_info_request_decode(frame + 32, w.size - 32, &info, NULL), GF_OK);
    assert_int_equal(info.next, 40);
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_HEALTH, .next = 40});
    assert_int_equal(gf_info_request_decode(frame + 32, w.size - 32, &info, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "NEXT 40 with topic 2; only 3 (stats) has pages");
}

static void a_user_is_given_in_one_way(void **state)
{
    UNUSED(state);
    struct gf_writer w;
    struct gf_admin_request back = {.action = 0};
    struct gf_error err;
    const struct gf_admin_request good[] = {
        {.action = GF_ADMIN_UNBAN, .user = 0},
        {.action = GF_ADMIN_UNBAN, .user = UINT64_MAX, .name = "alice@example.org"}};
    for (unsigned i = 0; i < GF_ARRAY_LEN(good); i++) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_admin_request_encode(&w, &good[i]);
        assert_int_equal(gf_admin_request_decode(frame + 32, w.size - 32, &back, NULL), GF_OK);
        assert_int_equal(back.action, GF_ADMIN_UNBAN);
        assert_int_equal(back.user, good[i].user);
        assert_string_equal(back.name, good[i].name);
    }
    gf_put_u64(&w, GF_ATTR_USER, 1000);
    assert_int_equal(gf_admin_request_decode(frame + 32, w.size - 32, &back, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "a user must be given either by USER, below 2^64 - 1, or by USER_NAME");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_ACTION, GF_ADMIN_UNBAN);
    assert_int_equal(gf_admin_request_decode(frame + 32, w.size - 32, &back, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "a user must be given either by USER, below 2^64 - 1, or by USER_NAME");
    gf_writer_init(&w, frame, sizeof frame);
    gf_admin_request_encode(&w, &(struct gf_admin_request){.action = 2, .user = 1000});
    assert_int_equal(gf_admin_request_decode(frame + 32, w.size - 32, &back, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "action 2; allowed: 1 (unban)");
    assert_int_equal(gf_admin_request_decode(frame + 32, 0, &back, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute ACTION (49) is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_round_trip),
        cmocka_unit_test(defaults_are_left_out),
        cmocka_unit_test(the_largest_program_fits_a_body),
        cmocka_unit_test(cut_programs_are_refused),
        cmocka_unit_test(changed_bytes_decode_or_are_refused),
        cmocka_unit_test(order_and_repetition_are_checked),
        cmocka_unit_test(wrong_attributes_of_programs_are_refused),
        cmocka_unit_test(wrong_operands_are_refused),
        cmocka_unit_test(tables_have_at_most_64_rows),
        cmocka_unit_test(hello_round_trips),
        cmocka_unit_test(wrong_hellos_are_refused),
        cmocka_unit_test(small_requests_round_trip),
        cmocka_unit_test(a_user_is_given_in_one_way),
        cmocka_unit_test(a_traceparent_is_read_and_written),
        cmocka_unit_test(anything_else_is_none),
        cmocka_unit_test(a_run_carries_it_first),
    };
    return cmocka_run_group_tests(tests, allocate, release);
}
