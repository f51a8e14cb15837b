/* SPDX-License-Identifier: MIT */
/* protocol/response: round trips, responses of a hostile server, and additions that an old client ignores. */
#include "protocol/wire/response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/wire/request.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;

static const uint8_t *body(void)
{
    return frame + GF_HEADER_SIZE;
}

static size_t body_size(void)
{
    assert_false(w.overflow);
    return w.size - GF_HEADER_SIZE;
}

static struct gf_device_entry cuda_device(void)
{
    return (struct gf_device_entry){.name = "cuda:0",
                                    .title = "NVIDIA H200",
                                    .uuid = "GPU-1234",
                                    .detail = "sm_90",
                                    .memory = UINT64_C(150) << 30,
                                    .units = 132,
                                    .state = GF_DEVICE_READY};
}

static void devices_are_equal(const struct gf_device_entry *a, const struct gf_device_entry *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->title, b->title);
    assert_string_equal(a->uuid, b->uuid);
    assert_string_equal(a->detail, b->detail);
    assert_true(a->memory == b->memory);
    assert_int_equal(a->units, b->units);
    assert_int_equal(a->state, b->state);
}

static void hello_reply_round_trips(void **state)
{
    UNUSED(state);
    static struct gf_hello_reply reply, back;
    reply = (struct gf_hello_reply){.version = 1, .software = "gpufilterd 0.1.0", .fd_passing = true, .n_devices = 2};
    memset(reply.node, 'n', GF_MAX_DEVICE_NAME);
    reply.connection = UINT64_MAX;
    for (uint32_t i = 1; i < GF_N_LIMITS; i++)
        reply.limits[i] = 1000 + i;
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        reply.revisions[i] = i == GF_INDEX_box ? 2 : i == GF_INDEX_median ? UINT32_MAX : 1;
    reply.devices[0] = cuda_device();
    reply.devices[1] = (struct gf_device_entry){.name = "cpu", .state = GF_DEVICE_RESTARTING};
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_reply_encode(&w, &reply);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.version, 1);
    assert_string_equal(back.software, "gpufilterd 0.1.0");
    assert_string_equal(back.node, reply.node);
    assert_true(back.connection == UINT64_MAX);
    assert_true(back.fd_passing);
    for (uint32_t i = 1; i < GF_N_LIMITS; i++)
        assert_int_equal(back.limits[i], 1000 + i);
    assert_memory_equal(back.revisions, reply.revisions, sizeof(back.revisions));
    assert_int_equal(back.n_devices, 2);
    devices_are_equal(&back.devices[0], &reply.devices[0]);
    devices_are_equal(&back.devices[1], &reply.devices[1]);
}

static enum gf_status decode_revision(uint32_t op, uint32_t revision, size_t size, struct gf_hello_reply *ret,
                                      struct gf_error *err)
{
    uint8_t record[12] = {0};
    gf_store_u32(record, op);
    gf_store_u32(record + 4, revision);
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_VERSION, 1);
    gf_put(&w, GF_ATTR_REVISION, GF_TYPE_BYTES, record, (uint32_t)size);
    return gf_hello_reply_decode(body(), body_size(), ret, err);
}

static void revisions_are_1_unless_they_are_sent(void **state)
{
    UNUSED(state);
    static struct gf_hello_reply back;
    struct gf_error err;
    assert_int_equal(decode_revision(gf_ops[GF_INDEX_scan].id, 7, 8, &back, NULL), GF_OK);
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        assert_int_equal(back.revisions[i], i == GF_INDEX_scan ? 7 : 1);
    assert_int_equal(decode_revision(0xFFFF, 7, 8, &back, NULL), GF_OK); /* an operation of a later server */
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        assert_int_equal(back.revisions[i], 1);
    assert_int_equal(decode_revision(0x0209, 0, 8, &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "operation 0x0209 has revision 0; allowed: from 1 on");
    assert_int_equal(decode_revision(0x0209, 2, 12, &back, &err), GF_E_BAD_REPLY);
}

static void missing_limits_take_the_documented_numbers(void **state)
{
    UNUSED(state);
    static struct gf_hello_reply back;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_VERSION, 1);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.limits[GF_LIMIT_MAX_INLINE], 256 << 20);
    assert_int_equal(back.limits[GF_LIMIT_IN_FLIGHT], 64);
    assert_int_equal(back.limits[GF_LIMIT_ARENAS], 16);
    assert_true(back.limits[GF_LIMIT_ARENA_BYTES] == UINT64_C(4) << 30);
    assert_int_equal(back.limits[GF_LIMIT_HANDLES], 0);
    assert_false(back.fd_passing);
    assert_int_equal(back.n_devices, 0);
}

static void the_longest_list_of_devices_fits(void **state)
{
    UNUSED(state);
    static struct gf_hello_reply reply, back;
    reply = (struct gf_hello_reply){.version = 1, .n_devices = GF_MAX_DEVICES};
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++) {
        reply.devices[i].state = GF_DEVICE_READY;
        memset(reply.devices[i].name, 'n', GF_MAX_DEVICE_NAME);
        memset(reply.devices[i].title, 't', GF_MAX_DEVICE_NAME);
        memset(reply.devices[i].uuid, 'u', GF_MAX_DEVICE_NAME);
        memset(reply.devices[i].detail, 'd', GF_MAX_DEVICE_NAME);
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_reply_encode(&w, &reply);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.n_devices, GF_MAX_DEVICES);
    devices_are_equal(&back.devices[63], &reply.devices[63]);
    gf_put_string(&w, GF_ATTR_DEVICE, "one more");
    struct gf_error err;
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_int_equal(err.status, GF_E_BAD_REPLY);
    assert_string_equal(err.text, "more than 64 devices");
}

static void unknown_attributes_and_limits_are_ignored(void **state)
{
    UNUSED(state);
    static struct gf_hello_reply hello;
    static struct gf_run_reply run;
    static struct gf_info_reply info;
    struct gf_error error, err;
    uint32_t retry;
    uint8_t limit[16] = {200, [8] = 1};
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, 4000, 1);
    gf_put_u32(&w, 4000, 1);
    gf_put_u32(&w, 63, 1);
    gf_put(&w, GF_ATTR_LIMIT, GF_TYPE_BYTES, limit, sizeof limit);
    gf_put_u32(&w, GF_ATTR_VERSION, 1);
    gf_put_u32(&w, GF_ATTR_STATUS, GF_E_BUSY);
    gf_put_u32(&w, GF_ATTR_TOPIC, GF_TOPIC_DEVICES);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, NULL), GF_OK);
    assert_int_equal(gf_info_reply_decode(body(), body_size(), &info, NULL), GF_OK);
    assert_int_equal(gf_error_decode(body(), body_size(), &error, &retry, NULL), GF_OK);
    assert_int_equal(error.status, GF_E_BUSY);
    assert_string_equal(error.text, "");
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &run, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute DEVICE (11) is missing");
}

static struct gf_run_reply run_reply(void)
{
    struct gf_run_reply reply = {.device = "cpu", .times = {1, 2, 3, 4, UINT64_MAX}, .n_outputs = 2};
    reply.outputs[0] = (struct gf_output){.view = gf_view_tight(GF_U8, 4, 3, 1), .offset = 0, .length = 12};
    reply.outputs[1] = (struct gf_output){.view = gf_view_tight(GF_F32, 5, 2, 3), .offset = 64, .length = 120};
    return reply;
}

static void run_reply_round_trips(void **state)
{
    UNUSED(state);
    static struct gf_run_reply reply, back;
    reply = run_reply();
    memset(reply.why, 'w', GF_MAX_WHY);
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_string_equal(back.device, "cpu");
    assert_string_equal(back.why, reply.why);
    assert_memory_equal(&back.times, &reply.times, sizeof back.times);
    assert_int_equal(back.n_outputs, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(gf_view_same_shape(&back.outputs[i].view, &reply.outputs[i].view));
        assert_true(back.outputs[i].view.pitch == reply.outputs[i].view.pitch);
        assert_true(back.outputs[i].offset == reply.outputs[i].offset);
        assert_true(back.outputs[i].length == reply.outputs[i].length);
    }
    while (reply.n_outputs < GF_MAX_RESULTS)
        reply.outputs[reply.n_outputs++] = reply.outputs[0];
    reply.why[0] = '\0';
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.n_outputs, 64);
    assert_string_equal(back.why, "");
}

static void spans_round_trip(void **state)
{
    UNUSED(state);
    static struct gf_run_reply reply, back;
    static uint8_t records[(GF_MAX_SPANS + 1) * GF_RECORD_SPAN];
    struct gf_error err;
    reply = run_reply();
    reply.spans = records;
    for (uint32_t i = 0; i < GF_MAX_SPANS; i++)
        gf_span_store(records + (size_t)i * GF_RECORD_SPAN,
                      &(struct gf_span){GF_STAGE_COPY_OUT, (uint16_t)i, UINT64_MAX - i, 1000 + i});
    reply.n_spans = GF_MAX_SPANS;
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.n_spans, GF_MAX_SPANS);
    struct gf_span last = gf_run_reply_span(&back, GF_MAX_SPANS - 1);
    assert_int_equal(last.stage, GF_STAGE_COPY_OUT);
    assert_int_equal(last.step, GF_MAX_SPANS - 1);
    assert_true(last.begin == UINT64_MAX - 255 && last.length == 1255);

    reply.n_spans = GF_MAX_SPANS + 1;
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "spans of 6168 bytes; must be up to 256 spans of 24 bytes");
    reply.n_spans = 0;
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    gf_put(&w, GF_ATTR_SPANS, GF_TYPE_BYTES, records, GF_RECORD_SPAN - 1);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "spans of 23 bytes; must be up to 256 spans of 24 bytes");
}

static void spans_beyond_the_room_are_left_out(void **state)
{
    UNUSED(state);
    static struct gf_spans spans;
    for (uint32_t i = 0; i < GF_MAX_SPANS + 2; i++)
        gf_spans_add(&spans, GF_STAGE_KERNEL, i, i, 2 * i);
    gf_spans_add(NULL, GF_STAGE_KERNEL, 0, 0, 0);
    assert_int_equal(spans.n, GF_MAX_SPANS);
    assert_true(spans.rows[7].step == 7 && spans.rows[7].begin == 7 && spans.rows[7].length == 7);
}

static void run_reply_is_refused(const struct gf_run_reply *reply, const char *says)
{
    static struct gf_run_reply back;
    struct gf_error err;
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, reply);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_int_equal(err.status, GF_E_BAD_REPLY);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
}

static void hostile_run_replies_are_refused(void **state)
{
    UNUSED(state);
    static struct gf_run_reply reply;
    reply = run_reply();
    reply.outputs[1].length = 119;
    run_reply_is_refused(&reply, "output 1: offset=64 length=119 for 120 bytes");
    reply = run_reply();
    reply.outputs[1].offset = UINT64_MAX - 100;
    run_reply_is_refused(&reply, "output 1: offset=");
    reply = run_reply();
    reply.outputs[0].view.width = UINT64_C(1) << 60;
    run_reply_is_refused(&reply, "output");
    reply = run_reply();
    reply.outputs[0].view.dtype = 0;
    run_reply_is_refused(&reply, "output");
    reply = run_reply();
    reply.outputs[0].view.pitch = 3;
    run_reply_is_refused(&reply, "pitch=3");
    reply = run_reply();
    reply.n_outputs = 0;
    run_reply_is_refused(&reply, "attribute OUTPUT (22) is missing");
}

static void repeated_and_malformed_attributes_are_refused(void **state)
{
    UNUSED(state);
    static struct gf_run_reply reply, back;
    static struct gf_hello_reply hello;
    struct gf_error err;
    reply = run_reply();
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &reply);
    size_t size = body_size();
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute DEVICE (11) is given twice");
    w.size = GF_HEADER_SIZE + size;
    gf_put_u32(&w, GF_ATTR_TIMES, 1);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute TIMES (23) is given twice");
    w.size = GF_HEADER_SIZE + size;
    while (w.size + 56 <= sizeof frame && reply.n_outputs++ < 65)
        gf_put(&w, GF_ATTR_OUTPUT, GF_TYPE_BYTES, frame + GF_HEADER_SIZE + 16 + 48 + 8, 48);
    assert_int_equal(gf_run_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "more than 64 outputs");

    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_DEVICE_UNITS, 1);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute DEVICE_UNITS (16) comes before any DEVICE");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    gf_put_u32(&w, GF_ATTR_DEVICE_STATE, 7);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "device state 7; allowed: 1..6");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_VERSION, 1);
    size = body_size();
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, NULL), GF_OK);
    assert_string_equal(hello.node, "");
    assert_true(hello.connection == 0);
    static const char *const names[] = {"node\n1", "0123456789012345678901234567890123456789012345678901234567890123x"};
    for (uint32_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        w.size = GF_HEADER_SIZE + size;
        gf_put(&w, GF_ATTR_NODE, GF_TYPE_STRING, names[i], strlen(names[i]));
        assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    }
    w.size = GF_HEADER_SIZE + size;
    gf_put_u64(&w, GF_ATTR_CONNECTION, 1);
    gf_put_u64(&w, GF_ATTR_CONNECTION, 2);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute CONNECTION (58) is given twice");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_VERSION, 2);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "server chose protocol version 2; offered: 1..1");
    gf_put_u32(&w, GF_ATTR_FD_PASSING, 2);
    assert_int_equal(gf_hello_reply_decode(body(), body_size(), &hello, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute FD_PASSING (9) is 2; allowed: 0 and 1");
}

static void errors_round_trip(void **state)
{
    UNUSED(state);
    struct gf_error error, back, err;
    uint32_t retry = 0;
    gf_error_set(&error, GF_E_OUTPUT_TOO_SMALL, "room for %d\n", 5);
    error.needed = 12345;
    gf_writer_init(&w, frame, sizeof frame);
    gf_error_encode(&w, &error, 50);
    assert_int_equal(gf_error_decode(body(), body_size(), &back, &retry, NULL), GF_OK);
    assert_int_equal(back.status, GF_E_OUTPUT_TOO_SMALL);
    assert_int_equal(back.needed, 12345);
    assert_string_equal(back.text, "room for 5?");
    assert_int_equal(retry, 50);

    static const uint32_t wrong[] = {0, 96, 102, UINT32_MAX};
    for (size_t i = 0; i < GF_ARRAY_LEN(wrong); i++) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_put_u32(&w, GF_ATTR_STATUS, wrong[i]);
        assert_int_equal(gf_error_decode(body(), body_size(), &back, &retry, &err), GF_E_BAD_REPLY);
        assert_non_null(strstr(err.text, "allowed: 1..95"));
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_STATUS, 63);
    assert_int_equal(gf_error_decode(body(), body_size(), &back, &retry, NULL), GF_OK);
    assert_int_equal(back.status, 63);
    assert_int_equal(retry, 0);
    assert_int_equal(gf_error_decode(body(), 0, &back, &retry, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "attribute STATUS (1) is missing");
}

static void info_reply_round_trips(void **state)
{
    UNUSED(state);
    static struct gf_info_reply reply, back;
    struct gf_error err;
    reply = (struct gf_info_reply){
        .topic = GF_TOPIC_HEALTH, .health = GF_HEALTH_DEGRADED, .text = "cuda:0 is aside", .n_devices = 1};
    reply.devices[0] = cuda_device();
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_reply_encode(&w, &reply);
    assert_int_equal(gf_info_reply_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.topic, GF_TOPIC_HEALTH);
    assert_int_equal(back.health, GF_HEALTH_DEGRADED);
    assert_string_equal(back.text, "cuda:0 is aside");
    assert_int_equal(back.n_devices, 1);
    devices_are_equal(&back.devices[0], &reply.devices[0]);
    reply.health = 4;
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_reply_encode(&w, &reply);
    assert_int_equal(gf_info_reply_decode(body(), body_size(), &back, &err), GF_E_BAD_REPLY);
    assert_string_equal(err.text, "health 4; allowed: 1..3");
}

/* Runs every decoder over an exact copy. */
static void decode_all(size_t size)
{
    static struct gf_hello_reply hello;
    static struct gf_run_reply run;
    static struct gf_info_reply info;
    struct gf_error error, err;
    uint32_t retry;
    uint8_t *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, body(), size);
    enum gf_status statuses[] = {
        gf_hello_reply_decode(copy, size, &hello, &err),
        gf_run_reply_decode(copy, size, &run, &err),
        gf_info_reply_decode(copy, size, &info, &err),
        gf_error_decode(copy, size, &error, &retry, &err),
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(statuses); i++)
        assert_true(statuses[i] == GF_OK || statuses[i] == GF_E_BAD_REPLY);
    free(copy);
}

static void cut_and_changed_answers_decode_or_are_refused(void **state)
{
    UNUSED(state);
    static struct gf_run_reply run;
    static struct gf_info_reply info;
    struct gf_prng prng = {.state = 3};
    run = run_reply();
    info = (struct gf_info_reply){.topic = GF_TOPIC_HEALTH, .health = GF_HEALTH_READY, .text = "ok", .n_devices = 1};
    info.devices[0] = cuda_device();
    gf_writer_init(&w, frame, sizeof frame);
    gf_run_reply_encode(&w, &run);
    gf_info_reply_encode(&w, &info);
    gf_error_encode(&w, &(struct gf_error){.status = GF_E_BUSY, .text = "busy"}, 10);
    size_t size = body_size();
    for (size_t at = 0; at < size; at++) {
        uint8_t *byte = &frame[GF_HEADER_SIZE + at], old = *byte;
        decode_all(at);
        for (int k = 0; k < 16; k++) {
            *byte = (uint8_t)(k < 8 ? old ^ (1u << k) : gf_prng_next(&prng));
            decode_all(size);
        }
        *byte = old;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_reply_round_trips),
        cmocka_unit_test(revisions_are_1_unless_they_are_sent),
        cmocka_unit_test(missing_limits_take_the_documented_numbers),
        cmocka_unit_test(the_longest_list_of_devices_fits),
        cmocka_unit_test(unknown_attributes_and_limits_are_ignored),
        cmocka_unit_test(run_reply_round_trips),
        cmocka_unit_test(spans_round_trip),
        cmocka_unit_test(spans_beyond_the_room_are_left_out),
        cmocka_unit_test(hostile_run_replies_are_refused),
        cmocka_unit_test(repeated_and_malformed_attributes_are_refused),
        cmocka_unit_test(errors_round_trip),
        cmocka_unit_test(info_reply_round_trips),
        cmocka_unit_test(cut_and_changed_answers_decode_or_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
