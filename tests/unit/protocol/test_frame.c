/* SPDX-License-Identifier: MIT */
/* protocol/frame: headers and attributes, every refusal with its status and message. */
#include "protocol/wire/frame.h"

#include <string.h>

#include "tests/unit/unit.h"

static const struct gf_header plain = {
    .version = 1, .kind = GF_FRAME_RUN, .body_len = 64, .id = 0x1122334455667788u, .payload_len = 100};

static void header_has_the_documented_bytes(void **state)
{
    UNUSED(state);
    static const uint8_t want[GF_HEADER_SIZE] = {'G',  'F',  'P', 'W', 1, 0,    3,    0,    0,    0,    0,
                                                 0,    64,   0,   0,   0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
                                                 0x22, 0x11, 100, 0,   0, 0,    0,    0,    0,    0};
    uint8_t bytes[GF_HEADER_SIZE];
    gf_header_encode(&plain, bytes);
    assert_memory_equal(bytes, want, sizeof want);
    struct gf_header h;
    assert_int_equal(gf_header_decode(bytes, &h, NULL), GF_OK);
    assert_int_equal(h.version, 1);
    assert_int_equal(h.kind, GF_FRAME_RUN);
    assert_int_equal(h.flags, 0);
    assert_int_equal(h.nfds, 0);
    assert_int_equal(h.body_len, 64);
    assert_true(h.id == plain.id);
    assert_int_equal(h.payload_len, 100);
}

static void header_is_refused(struct gf_header h, enum gf_status status, const char *says)
{
    uint8_t bytes[GF_HEADER_SIZE];
    struct gf_error err = {.status = GF_OK};
    gf_header_encode(&h, bytes);
    assert_int_equal(gf_header_decode(bytes, &h, &err), status);
    assert_int_equal(err.status, status);
    assert_non_null(strstr(err.text, says));
}

static void wrong_headers_are_refused(void **state)
{
    UNUSED(state);
    struct gf_header h = plain;
    h.version = 0;
    header_is_refused(h, GF_E_BAD_VERSION, "version 0; supported: 1..1");
    h.version = 2;
    header_is_refused(h, GF_E_BAD_VERSION, "version 2");
    h = plain;
    h.flags = 1;
    header_is_refused(h, GF_E_BAD_FRAME, "flags=0x0001; must be 0");
    h = plain;
    h.nfds = 2;
    header_is_refused(h, GF_E_BAD_FRAME, "nfds=2; allowed: up to 1");
    h = plain;
    h.body_len = GF_MAX_BODY + 8;
    header_is_refused(h, GF_E_BAD_FRAME, "body_len=65544; must be a multiple of 8 up to 65536");
    h.body_len = 12;
    header_is_refused(h, GF_E_BAD_FRAME, "body_len=12");
    h = plain;
    h.payload_len = (UINT64_C(1) << 62) + 1;
    header_is_refused(h, GF_E_BAD_FRAME, "payload_len=4611686018427387905");

    uint8_t bytes[GF_HEADER_SIZE];
    struct gf_error err;
    gf_header_encode(&plain, bytes);
    bytes[0] = 'H';
    assert_int_equal(gf_header_decode(bytes, &h, &err), GF_E_BAD_FRAME);
    assert_string_equal(err.text, "frame begins with 0x57504648; must be the magic 0x57504647");
}

static void header_limits_are_inclusive(void **state)
{
    UNUSED(state);
    struct gf_header h = plain, back;
    uint8_t bytes[GF_HEADER_SIZE];
    h.nfds = 1;
    h.body_len = GF_MAX_BODY;
    h.payload_len = GF_MAX_PAYLOAD;
    gf_header_encode(&h, bytes);
    assert_int_equal(gf_header_decode(bytes, &back, NULL), GF_OK);
    assert_int_equal(back.nfds, 1);
    assert_int_equal(back.body_len, GF_MAX_BODY);
    assert_true(back.payload_len == GF_MAX_PAYLOAD);
}

static void every_number_has_one_name(void **state)
{
    UNUSED(state);
    assert_string_equal(gf_frame_kind_name(GF_FRAME_HELLO), "HELLO");
    assert_string_equal(gf_frame_kind_name(GF_FRAME_GOAWAY), "GOAWAY");
    assert_string_equal(gf_frame_kind_name(GF_FRAME_ADMIN), "ADMIN");
    assert_string_equal(gf_frame_kind_name(GF_FRAME_WORKER_UNMAP), "WORKER_UNMAP");
    assert_string_equal(gf_frame_kind_name(GF_FRAME_WORKER_GPU), "WORKER_GPU");
    assert_string_equal(gf_frame_kind_name(0), "unknown");
    assert_string_equal(gf_frame_kind_name(17), "unknown");
    assert_string_equal(gf_frame_kind_name(UINT32_MAX), "unknown");
    assert_string_equal(gf_attr_name(GF_ATTR_STATUS), "STATUS");
    assert_string_equal(gf_attr_name(GF_ATTR_METRIC_VALUE), "METRIC_VALUE");
    assert_string_equal(gf_attr_name(GF_ATTR_SPANS), "SPANS");
    assert_string_equal(gf_attr_name(GF_ATTR_PARAM + 3), "PARAM");
    assert_string_equal(gf_attr_name(0), "unknown");
    assert_string_equal(gf_attr_name(GF_ATTR_TRACE_CONTEXT + 1), "unknown");
    for (uint32_t i = GF_ATTR_STATUS; i <= GF_ATTR_TRACE_CONTEXT; i++)
        for (uint32_t k = GF_ATTR_STATUS; k < i; k++)
            assert_string_not_equal(gf_attr_name(i), gf_attr_name(k));
}

static void attributes_round_trip(void **state)
{
    UNUSED(state);
    uint8_t frame[256];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_SLOTS, 0xA1B2C3D4u);
    gf_put_u64(&w, GF_ATTR_SIZE, 0x1122334455667788u);
    gf_put_string(&w, GF_ATTR_TEXT, "a\nb");
    gf_put(&w, GF_ATTR_TIMES, GF_TYPE_BYTES, "12345678", 8);
    assert_true(gf_writer_finish(&w, GF_FRAME_PING, 5, 9, 1));
    assert_int_equal(w.size, 32 + 16 * 4);

    static const uint8_t slots[16] = {29, 0, 1, 0, 4, 0, 0, 0, 0xD4, 0xC3, 0xB2, 0xA1};
    assert_memory_equal(frame + 32, slots, sizeof slots);
    struct gf_header h;
    assert_int_equal(gf_header_decode(frame, &h, NULL), GF_OK);
    assert_int_equal(h.kind, GF_FRAME_PING);
    assert_int_equal(h.body_len, 64);
    assert_int_equal(h.id, 5);
    assert_int_equal(h.payload_len, 9);
    assert_int_equal(h.nfds, 1);

    struct gf_reader r = {.data = frame + 32, .size = 64};
    struct gf_attr a;
    uint32_t u32;
    uint64_t u64;
    char text[8];
    assert_int_equal(gf_attr_next(&r, &a, NULL), 1);
    assert_int_equal(gf_attr_u32(&a, &u32, NULL), GF_OK);
    assert_true(u32 == 0xA1B2C3D4u);
    assert_int_equal(gf_attr_next(&r, &a, NULL), 1);
    assert_int_equal(gf_attr_u64(&a, &u64, NULL), GF_OK);
    assert_true(u64 == 0x1122334455667788u);
    assert_int_equal(gf_attr_next(&r, &a, NULL), 1);
    assert_int_equal(gf_attr_string(&a, text, sizeof text, NULL), GF_OK);
    assert_string_equal(text, "a?b");
    assert_int_equal(gf_attr_next(&r, &a, NULL), 1);
    assert_int_equal(gf_attr_record(&a, 8, NULL), GF_OK);
    assert_memory_equal(a.value, "12345678", 8);
    assert_int_equal(gf_attr_next(&r, &a, NULL), 0);
    assert_int_equal(gf_attr_next(&r, &a, NULL), 0);
}

struct bytes_case {
    uint8_t bytes[24];
    size_t size;
    const char *says;
};

static void wrong_attributes_are_refused(void **state)
{
    UNUSED(state);
    static const struct bytes_case cases[] = {
        {{1, 0, 1, 0, 4, 0, 0}, 7, "7 bytes at body byte 0 are too short for an attribute"},
        {{1, 0, 0, 0, 4, 0, 0, 0, 1}, 16, "attribute STATUS (1) at body byte 0: unknown type"},
        {{1, 0, 8, 0, 4, 0, 0, 0, 1}, 16, "unknown type"},
        {{1, 0, 7, 0, 4, 0, 0, 0, 1}, 16, "length 4; allowed: multiples of 8 from 8"},
        {{1, 0, 1, 1, 4, 0, 0, 0, 1}, 16, "reserved byte is not 0"},
        {{1, 0, 1, 0, 0, 0, 0, 0}, 8, "length 0; allowed: multiples of 4"},
        {{1, 0, 4, 0, 6, 0, 0, 0, 1}, 16, "length 6; allowed: multiples of 4"},
        {{1, 0, 2, 0, 4, 0, 0, 0, 1}, 16, "length 4; allowed: multiples of 8"},
        {{1, 0, 1, 0, 4, 0, 0, 0, 1}, 12, "extends past the end"},
        {{1, 0, 6, 0, 9, 0, 0, 0, 1}, 16, "extends past the end"},
        {{1, 0, 6, 0, 255, 255, 255, 255, 1}, 16, "extends past the end"},
        {{1, 0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, 16, "padding is not 0"},
        {{2, 0, 5, 0, 3, 0, 0, 0, 'a', 0, 'b'}, 16, "attribute TEXT (2) at body byte 0: NUL inside a string"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        struct gf_reader r = {.data = cases[i].bytes, .size = cases[i].size};
        struct gf_attr a;
        struct gf_error err = {.status = GF_OK};
        assert_int_equal(gf_attr_next(&r, &a, &err), -1);
        assert_int_equal(err.status, GF_E_BAD_REQUEST);
        if (strstr(err.text, cases[i].says) == NULL)
            fail_msg("case %zu says \"%s\"", i, err.text);
    }
}

static void values_of_another_type_or_length_are_refused(void **state)
{
    UNUSED(state);
    static const uint8_t value[16] = "abc\033efg";
    struct gf_attr a = {.id = GF_ATTR_SLOTS, .type = GF_TYPE_F32, .length = 4, .value = value};
    struct gf_error err;
    uint32_t u32;
    uint64_t u64;
    char text[9];
    assert_int_equal(gf_attr_u32(&a, &u32, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) is of type f32, not u32");
    a.type = GF_TYPE_U32;
    a.length = 8;
    assert_int_equal(gf_attr_u32(&a, &u32, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) has 8 bytes, not 4");
    assert_int_equal(gf_attr_u64(&a, &u64, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) is of type u32, not u64");
    assert_int_equal(gf_attr_record(&a, 8, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) is of type u32, not bytes");
    assert_int_equal(gf_attr_string(&a, text, sizeof text, &err), GF_E_BAD_REQUEST);
    a.type = GF_TYPE_STRING;
    a.length = 9;
    assert_int_equal(gf_attr_string(&a, text, sizeof text, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) has 9 bytes; allowed: up to 8");
    a.length = 7;
    assert_int_equal(gf_attr_string(&a, text, sizeof text, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SLOTS (29) has the control character 0x1b");
    a.length = 3;
    assert_int_equal(gf_attr_string(&a, text, sizeof text, &err), GF_OK);
    assert_string_equal(text, "abc");
}

static void writer_stops_at_the_room_given(void **state)
{
    UNUSED(state);
    uint8_t frame[32 + 16 + 1];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame - 1);
    frame[48] = 0xEE;
    gf_put_u32(&w, 1, 1);
    assert_false(w.overflow);
    gf_put(&w, 2, GF_TYPE_BYTES, NULL, 0);
    assert_true(w.overflow);
    assert_int_equal(w.size, 48);
    assert_int_equal(frame[48], 0xEE);
    assert_false(gf_writer_finish(&w, GF_FRAME_PING, 1, 0, 0));
    gf_writer_init(&w, frame, 31);
    gf_put_u32(&w, 1, 1);
    assert_false(gf_writer_finish(&w, GF_FRAME_PING, 1, 0, 0));
}

static void writer_stops_at_the_largest_body(void **state)
{
    UNUSED(state);
    static uint8_t frame[GF_MAX_FRAME_HEAD + 64], value[1024];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put(&w, 1, GF_TYPE_BYTES, value, SIZE_MAX);
    assert_true(w.overflow);
    gf_writer_init(&w, frame, sizeof frame);
    for (int i = 0; i < 63; i++)
        gf_put(&w, 1, GF_TYPE_BYTES, value, 1024 - 8);
    gf_put(&w, 1, GF_TYPE_BYTES, value, 1024 - 8);
    assert_true(gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0));
    assert_int_equal(w.size, GF_MAX_FRAME_HEAD);
    gf_put(&w, 1, GF_TYPE_BYTES, NULL, 0);
    assert_false(gf_writer_finish(&w, GF_FRAME_RUN, 1, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_has_the_documented_bytes),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(header_limits_are_inclusive),
        cmocka_unit_test(every_number_has_one_name),
        cmocka_unit_test(attributes_round_trip),
        cmocka_unit_test(wrong_attributes_are_refused),
        cmocka_unit_test(values_of_another_type_or_length_are_refused),
        cmocka_unit_test(writer_stops_at_the_room_given),
        cmocka_unit_test(writer_stops_at_the_largest_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
