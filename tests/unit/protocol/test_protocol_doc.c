/* SPDX-License-Identifier: MIT */
/*
 * The worked example of docs/protocol.md equals the output of the encoders, byte for byte. The tables of the page name
 * every status, frame kind, attribute, operation and word with the right number, and describe every table of results as
 * the code makes it. client/tools/gen_ops.c prints the rows of operations and parameters.
 */
#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/text.h"
#include "protocol/ops/enums.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/op_shapes.h"
#include "protocol/wire/request.h"
#include "protocol/wire/response.h"
#include "tests/support/programs.h"
#include "tests/unit/unit.h"

static char *document;
static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;

static size_t example_hello(void)
{
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &(struct gf_hello){1, 1, "example 1.0", "auto"});
    assert_true(gf_writer_finish(&w, GF_FRAME_HELLO, 1, 0, 0));
    return w.size;
}

static size_t example_run(void)
{
    static struct gf_program program;
    gf_test_program_example(&program);
    gf_writer_init(&w, frame, sizeof frame);
    gf_program_encode(&w, &program);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 2, program.payload_in, 0));
    gf_test_example_payload(frame + w.size);
    return w.size + GF_TEST_EXAMPLE_PAYLOAD;
}

static size_t example_hello_reply(void)
{
    static struct gf_hello_reply reply;
    reply = (struct gf_hello_reply){
        .version = 1, .software = "gpufilterd 0.1.0", .node = "node1", .connection = 523, .n_devices = 1};
    reply.limits[GF_LIMIT_MAX_INLINE] = UINT64_C(256) << 20;
    reply.limits[GF_LIMIT_IN_FLIGHT] = 64;
    reply.limits[GF_LIMIT_ARENAS] = 16;
    reply.limits[GF_LIMIT_ARENA_BYTES] = UINT64_C(4) << 30;
    reply.devices[0] = (struct gf_device_entry){.name = "cpu",
                                                .title = "Example CPU",
                                                .detail = "avx2",
                                                .memory = UINT64_C(8) << 30,
                                                .units = 4,
                                                .state = GF_DEVICE_READY};
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_reply_encode(&w, &reply);
    assert_true(gf_writer_finish(&w, GF_FRAME_HELLO_REPLY, 1, 0, 0));
    return w.size;
}

static size_t example_result(void)
{
    static struct gf_run_reply reply;
    reply = (struct gf_run_reply){.device = "cpu", .times = {15000, 0, 2000, 0, 40000}, .n_outputs = 1};
    reply.outputs[0] = (struct gf_output){.view = gf_view_tight(GF_U8, 4, 3, 1), .length = 12};
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    assert_true(gf_writer_finish(&w, GF_FRAME_RESULT, 2, sizeof gf_test_example_result, 0));
    memcpy(frame + w.size, gf_test_example_result, sizeof gf_test_example_result);
    return w.size + sizeof gf_test_example_result;
}

static int read_document(void **state)
{
    UNUSED(state);
    FILE *file = fopen(GF_TEST_DOCUMENT, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        return -1;
    long size = ftell(file);
    rewind(file);
    document = calloc(1, (size_t)size + 1);
    bool whole = document != NULL && fread(document, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    return whole ? 0 : -1;
}

static int free_document(void **state)
{
    UNUSED(state);
    free(document);
    return 0;
}

static unsigned digit(char c)
{
    return (unsigned)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

/* The bytes of the block that begins with ```hex NAME; text from ';' to the end of a line is a comment. */
static size_t block_bytes(const char *name, uint8_t *bytes, size_t capacity)
{
    char start[64];
    size_t n = 0;
    snprintf(start, sizeof start, "```hex %s\n", name);
    const char *p = strstr(document, start);
    if (p == NULL)
        fail_msg("%s has no block ```hex %s", GF_TEST_DOCUMENT, name);
    for (p += strlen(start); strncmp(p, "```", 3) != 0; p++) {
        if (*p == ';')
            p += strcspn(p, "\n");
        else if (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) && n < capacity) {
            bytes[n++] = (uint8_t)(digit(p[0]) << 4 | digit(p[1]));
            p++;
        }
    }
    return n;
}

static void block_is(const char *name, size_t size)
{
    static uint8_t bytes[GF_MAX_FRAME_HEAD];
    size_t n = block_bytes(name, bytes, sizeof bytes);
    for (size_t i = 0; i < n && i < size; i++)
        if (bytes[i] != frame[i])
            fail_msg("%s: byte %zu is %02x in the document, %02x from the encoder", name, i, bytes[i], frame[i]);
    assert_int_equal(n, size);
}

static void the_worked_example_is_what_the_encoders_make(void **state)
{
    UNUSED(state);
    block_is("HELLO", example_hello());
    block_is("RUN", example_run());
    block_is("HELLO_REPLY", example_hello_reply());
    block_is("RESULT", example_result());
}

/* Checks that a table has a row with these first cells. */
static void row_exists(const char *first, const char *second)
{
    char row[128];
    snprintf(row, sizeof row, "\n| %s | %s |", first, second);
    if (strstr(document, row) == NULL)
        fail_msg("%s has no row \"%s\"", GF_TEST_DOCUMENT, row + 1);
}

static void every_status_is_in_its_table(void **state)
{
    UNUSED(state);
    char number[16];
    for (uint32_t i = 0; i < GF_STATUS_LOCAL; i++) {
        if (!gf_status_known(i))
            continue;
        snprintf(number, sizeof number, "%u", i);
        row_exists(number, gf_status_name(i));
    }
}

static void every_kind_and_attribute_is_in_its_table(void **state)
{
    UNUSED(state);
    char number[16];
    for (uint32_t i = 0; i <= GF_FRAME_WORKER_GPU; i++) {
        if (strcmp(gf_frame_kind_name(i), "unknown") == 0)
            continue;
        snprintf(number, sizeof number, "%u", i);
        row_exists(number, gf_frame_kind_name(i));
    }
    for (uint32_t i = GF_ATTR_STATUS; i <= GF_ATTR_TRACE_CONTEXT; i++) {
        snprintf(number, sizeof number, "%u", i);
        row_exists(number, gf_attr_name(i));
    }
}

/* A whole row, or one that begins so. */
static void has_row(const char *row)
{
    char line[512];
    snprintf(line, sizeof line, "\n%s", row);
    if (strstr(document, line) == NULL)
        fail_msg("%s has no row \"%s\"", GF_TEST_DOCUMENT, row);
}

static void every_operation_is_in_its_table(void **state)
{
    UNUSED(state);
    char text[16];
    for (size_t i = 0; i < GF_N_OPS; i++) {
        snprintf(text, sizeof text, "0x%04x", gf_ops[i].id);
        row_exists(text, gf_ops[i].name);
    }
}

static void every_word_is_in_its_table(void **state)
{
    UNUSED(state);
    char row[400];
    for (uint32_t e = GF_ENUM_NONE + 1; e < GF_N_ENUMS; e++) {
        unsigned n = 0;
        snprintf(row, sizeof row, "| %s | ", gf_enum_name(e));
        for (size_t i = 0; i < gf_n_words; i++)
            if (gf_words[i].e == e && !gf_words[i].is_alias)
                gf_text_append(row, sizeof row, "%s%" PRIu32 " %s", n++ > 0 ? ", " : "", gf_words[i].number,
                               gf_words[i].word);
        gf_text_append(row, sizeof row, " |");
        has_row(row);
    }
}

/* Infers the results of the op for a picture of 5x3 pixels. False if the op refuses the type or number of channels. */
static bool infer(const struct gf_op *op, const union gf_params *params, uint32_t dtype, uint32_t channels,
                  struct gf_view *ret_out)
{
    const struct gf_view in[2] = {gf_view_tight(dtype, 5, 3, channels), gf_view_tight(dtype, 5, 3, channels)};
    return gf_op_infer(op, in, op->n_required, params, ret_out, NULL) == GF_OK;
}

/* Types of an output by the type of the input: each is a word, "as src", or "-" if the input is refused. */
static void type_words(const struct gf_op *op, const union gf_params *params, uint32_t output, uint32_t channels,
                       const char *ret_words[3])
{
    static const uint32_t unlike[3][2] = {{GF_U8, GF_U32}, {GF_I8, GF_I32}, {GF_F32, GF_F64}};
    for (unsigned i = 0; i < 3; i++) {
        struct gf_view a[GF_MAX_OUTPUTS], b[GF_MAX_OUTPUTS];
        bool taken = infer(op, params, unlike[i][0], channels, a) && infer(op, params, unlike[i][1], channels, b);
        const bool same = taken && a[output].dtype == b[output].dtype;
        const bool as_src = taken && a[output].dtype == unlike[i][0] && b[output].dtype == unlike[i][1];
        ret_words[i] = same ? gf_dtype_word(a[output].dtype) : as_src ? "as src" : taken ? "?" : "-";
    }
}

/* Checks a row "| sum | u64 | i64 | f64 |" for each word of the parameter `op`. */
static void types_by_word(const char *name)
{
    const struct gf_op *op = gf_op_by_name(name);
    const struct gf_param_desc *p = gf_op_param(op, "op");
    for (size_t i = 0; i < gf_n_words; i++) {
        const struct gf_word *word = &gf_words[i];
        if (word->e != p->e || word->is_alias)
            continue;
        union gf_params params;
        char row[200];
        const char *words[3];
        gf_op_params_default(op, &params);
        assert_int_equal(gf_op_param_set(op, p, &word->number, sizeof word->number, &params, NULL), GF_OK);
        type_words(op, &params, 0,
                   strcmp(word->word, "affine") == 0    ? 2
                   : strcmp(word->word, "matmul2") == 0 ? 4
                                                        : 1,
                   words);
        snprintf(row, sizeof row, "| %s %s | %s | %s | %s |", name, word->word, words[0], words[1], words[2]);
        has_row(row);
    }
}

/* Rows "| stats | 0 counts | u64 | 4 x channels | count, argmin, argmax, nan |": the columns are in the descriptor. */
static void columns_of(const char *name)
{
    static const char row_of[] = "per channel a row of ";
    const struct gf_op *op = gf_op_by_name(name);
    union gf_params params;
    struct gf_view out[GF_MAX_OUTPUTS];
    gf_op_params_default(op, &params);
    for (uint32_t i = 0; i < op->n_outputs; i++) {
        char type[64], row[300];
        const char *words[3], *help = gf_help_text(op->outputs[i].help);
        type_words(op, &params, i, 2, words);
        snprintf(type, sizeof type, "%s", words[0]);
        if (strcmp(words[0], words[2]) != 0)
            snprintf(type, sizeof type, "%s, %s or %s", words[0], words[1], words[2]);
        assert_true(infer(op, &params, GF_F32, 2, out));
        assert_int_equal(out[i].height, 2);
        assert_int_equal(out[i].channels, 1);
        snprintf(row, sizeof row, "| %s | %" PRIu32 " %s | %s | %" PRIu64 " × channels | %s |", name, i,
                 op->outputs[i].name, type, out[i].width,
                 strncmp(help, row_of, strlen(row_of)) == 0 ? help + strlen(row_of) : "sum");
        has_row(row);
    }
}

static void tables_of_results_are_as_inferred(void **state)
{
    UNUSED(state);
    types_by_word("reduce");
    types_by_word("scan");
    columns_of("stats");
    columns_of("compare");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_is_what_the_encoders_make),
        cmocka_unit_test(every_status_is_in_its_table),
        cmocka_unit_test(every_kind_and_attribute_is_in_its_table),
        cmocka_unit_test(every_operation_is_in_its_table),
        cmocka_unit_test(every_word_is_in_its_table),
        cmocka_unit_test(tables_of_results_are_as_inferred),
    };
    return cmocka_run_group_tests(tests, read_document, free_document);
}
