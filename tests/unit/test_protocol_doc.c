/* SPDX-License-Identifier: MIT */
/*
 * The worked example of docs/protocol.md is what the encoders make, byte for byte; and its tables name every status,
 * frame kind, attribute, operation and parameter with the right number.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/request.h"
#include "protocol/response.h"
#include "tests/support/programs.h"
#include "unit.h"

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
    reply = (struct gf_hello_reply){.version = 1, .software = "gpufilterd 0.1.0", .n_devices = 1};
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

/* The bytes of the block that begins with ```hex NAME; from ';' to the end of a line stand remarks. */
static size_t block_bytes(const char *name, uint8_t *bytes, size_t room)
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
        else if (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1]) && n < room) {
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

/* A row of a table whose first cells are these. */
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
    for (uint32_t i = 0; i <= GF_FRAME_WORKER_UNMAP; i++) {
        if (strcmp(gf_frame_kind_name(i), "unknown") == 0)
            continue;
        snprintf(number, sizeof number, "%u", i);
        row_exists(number, gf_frame_kind_name(i));
    }
    for (uint32_t i = GF_ATTR_STATUS; i <= GF_ATTR_SPANS; i++) {
        snprintf(number, sizeof number, "%u", i);
        row_exists(number, gf_attr_name(i));
    }
}

static void every_operation_and_parameter_is_in_its_table(void **state)
{
    UNUSED(state);
    char number[16], name[64];
    for (size_t i = 0; i < GF_N_OPS; i++) {
        const struct gf_op *op = &gf_ops[i];
        snprintf(number, sizeof number, "0x%04x", op->id);
        row_exists(number, op->name);
        for (uint32_t k = 0; k < op->n_params; k++) {
            snprintf(number, sizeof number, "0x%04x", GF_ATTR_PARAM + op->params[k].id);
            snprintf(name, sizeof name, "%s %s", op->name, op->params[k].name);
            row_exists(number, name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_is_what_the_encoders_make),
        cmocka_unit_test(every_status_is_in_its_table),
        cmocka_unit_test(every_kind_and_attribute_is_in_its_table),
        cmocka_unit_test(every_operation_and_parameter_is_in_its_table),
    };
    return cmocka_run_group_tests(tests, read_document, free_document);
}
