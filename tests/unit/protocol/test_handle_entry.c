/* SPDX-License-Identifier: MIT */
/* The list of resident buffers: round trips, and lists from a hostile server. */
#include "protocol/wire/handle_entry.h"

#include <string.h>

#include "protocol/base/dtype.h"
#include "protocol/wire/records.h"
#include "tests/unit/unit.h"

static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;
static struct gf_handle_entry got[GF_MAX_HANDLES];
static uint32_t n_got;

static void keep(void *data, const struct gf_handle_entry *entry)
{
    UNUSED(data);
    got[n_got++] = *entry;
}

static enum gf_status decode(struct gf_error *err)
{
    n_got = 0;
    return gf_handle_entries_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, keep, NULL, err);
}

static struct gf_handle_entry entry(uint32_t id)
{
    return (struct gf_handle_entry){
        .id = id, .state = GF_HANDLE_READY, .bytes = 60, .view = gf_view_tight(GF_F32, 5, 3, 1)};
}

static void put(const struct gf_handle_entry *e)
{
    gf_handle_entry_encode(&w, e);
}

static void entries_round_trip(void **state)
{
    UNUSED(state);
    struct gf_handle_entry a = entry(7), b = entry(0), c = entry(UINT32_MAX);
    b.state = GF_HANDLE_LOST;
    b.bytes = 0;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_TOPIC, 4);
    gf_put_string(&w, GF_ATTR_DEVICE, "cuda:0");
    put(&a);
    put(&b);
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    put(&c);
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(n_got, 3);
    assert_string_equal(got[0].device, "cuda:0");
    assert_int_equal(got[0].id, 7);
    assert_int_equal(got[0].state, GF_HANDLE_READY);
    assert_int_equal(got[0].bytes, 60);
    assert_memory_equal(&got[0].view, &a.view, sizeof a.view);
    assert_string_equal(got[1].device, "cuda:0");
    assert_int_equal(got[1].state, GF_HANDLE_LOST);
    assert_int_equal(got[1].bytes, 0);
    assert_string_equal(got[2].device, "cpu");
    assert_int_equal(got[2].id, UINT32_MAX);
}

static void as_many_as_there_may_be_fit_a_body(void **state)
{
    UNUSED(state);
    struct gf_handle_entry e = entry(1);
    char name[GF_MAX_DEVICE_NAME + 1];
    memset(name, 'n', GF_MAX_DEVICE_NAME);
    name[GF_MAX_DEVICE_NAME] = '\0';
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_TOPIC, 4);
    for (uint32_t i = 0; i < GF_MAX_HANDLES; i++) {
        if (i < GF_MAX_DEVICES)
            gf_put_string(&w, GF_ATTR_DEVICE, name);
        put(&e);
    }
    assert_false(w.overflow);
    assert_int_equal(decode(NULL), GF_OK);
    assert_int_equal(n_got, GF_MAX_HANDLES);
}

static void is_refused(const struct gf_handle_entry *e, const char *device, const char *says)
{
    struct gf_error err = {0};
    gf_writer_init(&w, frame, sizeof frame);
    if (device != NULL)
        gf_put_string(&w, GF_ATTR_DEVICE, device);
    put(e);
    assert_int_equal(decode(&err), GF_E_BAD_REPLY);
    assert_int_equal(err.status, GF_E_BAD_REPLY);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
}

static void hostile_lists_are_refused(void **state)
{
    UNUSED(state);
    struct gf_handle_entry e = entry(7);
    is_refused(&e, NULL, "a handle comes before any DEVICE");
    e.state = 5;
    is_refused(&e, "cpu", "handle 7 has state 5; allowed: 1..4");
    e.state = 0;
    is_refused(&e, "cpu", "handle 7 has state 0");
    e = entry(7);
    e.view.width = 0;
    is_refused(&e, "cpu", "handle");
    struct gf_error err = {0};
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    gf_put(&w, GF_ATTR_HANDLE_ENTRY, GF_TYPE_BYTES, frame, GF_RECORD_HANDLE - 1);
    assert_int_equal(decode(&err), GF_E_BAD_REPLY);
    assert_int_equal(n_got, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_round_trip),
        cmocka_unit_test(as_many_as_there_may_be_fit_a_body),
        cmocka_unit_test(hostile_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
