/* SPDX-License-Identifier: MIT */
/* protocol/worker_msg: round trips and refusals of the messages between front and worker. */
#include "protocol/wire/worker_msg.h"

#include <stdio.h>
#include <string.h>

#include "protocol/wire/gpu_msg.h"
#include "tests/unit/unit.h"

static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;
static struct gf_worker_hello hello, back;

static const uint8_t *body(void)
{
    return frame + GF_HEADER_SIZE;
}

static size_t body_size(void)
{
    assert_false(w.overflow);
    return w.size - GF_HEADER_SIZE;
}

static void write_hello(void)
{
    hello = (struct gf_worker_hello){.pid = 4711, .slots = 8, .n_rows = GF_WORKER_MAX_OPS};
    hello.device =
        (struct gf_device_entry){.name = "cpu", .title = "a processor", .units = 2, .state = GF_DEVICE_READY};
    for (uint32_t i = 0; i < hello.n_rows; i++)
        hello.rows[i] = (struct gf_op_row){.op = 0x100 + i, .dtypes = i * 3};
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_hello_encode(&w, &hello);
}

static void hello_round_trips(void **state)
{
    UNUSED(state);
    write_hello();
    assert_int_equal(gf_worker_hello_decode(body(), body_size(), &back, NULL), GF_OK);
    assert_int_equal(back.pid, 4711);
    assert_int_equal(back.slots, 8);
    assert_string_equal(back.device.name, "cpu");
    assert_string_equal(back.device.title, "a processor");
    assert_string_equal(back.device.uuid, "");
    assert_int_equal(back.device.units, 2);
    assert_int_equal(back.device.state, GF_DEVICE_READY);
    assert_int_equal(back.n_rows, GF_WORKER_MAX_OPS);
    assert_memory_equal(back.rows, hello.rows, sizeof back.rows);
}

static void hello_is_refused(const char *says)
{
    struct gf_error err;
    assert_int_equal(gf_worker_hello_decode(body(), body_size(), &back, &err), GF_E_BAD_REQUEST);
    assert_int_equal(err.status, GF_E_BAD_REQUEST);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
}

static void wrong_hellos_are_refused(void **state)
{
    UNUSED(state);
    write_hello();
    gf_put(&w, GF_ATTR_OP_ROW, GF_TYPE_BYTES, "12345678", 8);
    hello_is_refused("worker lists more than 256 operations");
    write_hello();
    gf_put_string(&w, GF_ATTR_DEVICE, "cuda:0");
    hello_is_refused("more than 1 devices");
    write_hello();
    gf_put_u32(&w, GF_ATTR_STATUS, 1);
    hello_is_refused("attribute STATUS (1) does not belong here");
    gf_writer_init(&w, frame, sizeof frame);
    hello_is_refused("worker's HELLO names 0 devices, pid 0 and 0 slots");
    gf_put(&w, GF_ATTR_OP_ROW, GF_TYPE_BYTES, "1234", 4);
    hello_is_refused("attribute OP_ROW (30) has 4 bytes, not 8");
}

static void cut_hellos_are_refused(void **state)
{
    UNUSED(state);
    write_hello();
    size_t fixed = body_size() - GF_WORKER_MAX_OPS * 16u; /* rows may be missing, a device may not */
    for (size_t cut = 0; cut < fixed; cut++)
        if (cut < 32 || cut % 8 != 0)
            assert_int_equal(gf_worker_hello_decode(body(), cut, &back, NULL), GF_E_BAD_REQUEST);
    assert_int_equal(gf_worker_hello_decode(body(), fixed, &back, NULL), GF_OK);
    assert_int_equal(back.n_rows, 0);
}

#define KEY ((UINT64_C(1) << 32) + 9) /* more than 32 bits */

static void frees_round_trip(void **state)
{
    UNUSED(state);
    uint64_t keys[GF_WORKER_MAX_FREE], got[GF_WORKER_MAX_FREE];
    struct gf_error err;
    uint32_t n;
    for (uint32_t i = 0; i < GF_WORKER_MAX_FREE; i++)
        keys[i] = UINT64_MAX - i;
    for (uint32_t count = 1; count <= GF_WORKER_MAX_FREE; count += 85) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_worker_free_encode(&w, keys, count);
        assert_int_equal(gf_worker_free_decode(body(), body_size(), got, &n, NULL), GF_OK);
        assert_int_equal(n, count);
        assert_memory_equal(got, keys, count * sizeof *keys);
    }
    assert_int_equal(gf_worker_free_decode(body(), 0, got, &n, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "FREE to a worker has 1 to 256 KEYS");
    gf_put_u32(&w, GF_ATTR_HANDLE, 1);
    assert_int_equal(gf_worker_free_decode(body(), body_size(), got, &n, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "FREE to a worker has one attribute");
}

static void gpu_figures_round_trip(void **state)
{
    UNUSED(state);
    struct gf_gpu_figures f = {.known = 0}, got;
    gf_writer_init(&w, frame, sizeof frame);
    gf_gpu_encode(&w, &f);
    assert_int_equal(body_size(), 0);
    assert_int_equal(gf_gpu_decode(body(), 0, &got, NULL), GF_OK);
    assert_memory_equal(&got, &f, sizeof f);
    for (uint32_t i = 0; i < GF_N_GPU_FIGURES; i += 2)
        gf_gpu_set(&f, i, i % 4 == 0);
    gf_gpu_set_text(f.pci, "00000000:1B:00.0");
    gf_gpu_set_text(f.driver, "580.95.05");
    gf_gpu_set_text(f.cuda, "13.0");
    gf_writer_init(&w, frame, sizeof frame);
    gf_gpu_encode(&w, &f);
    assert_int_equal(gf_gpu_decode(body(), body_size(), &got, NULL), GF_OK);
    assert_memory_equal(&got, &f, sizeof f);
    assert_true(gf_gpu_knows(&got, GF_GPU_MEMORY_TOTAL) && !gf_gpu_knows(&got, GF_GPU_MEMORY_USED));
}

static void gpu_figures_that_cannot_be_right_are_left_out(void **state)
{
    UNUSED(state);
    struct gf_gpu_figures f = {.known = 0};
    gf_gpu_set(&f, GF_GPU_UTILIZATION, 101);
    gf_gpu_set(&f, GF_GPU_MEMORY_TOTAL, UINT64_MAX);
    assert_int_equal(f.known, 0);
    gf_gpu_set(&f, GF_GPU_UTILIZATION, 100);
    assert_int_equal(f.of[GF_GPU_UTILIZATION], 100);
    gf_gpu_set_text(f.pci, "a\"b");
    gf_gpu_set_text(f.driver, "0123456789012345678901234567890");
    gf_gpu_set_text(f.cuda, "01234567890123456789012345678901");
    assert_string_equal(f.pci, "");
    assert_int_equal(strlen(f.driver), 31);
    assert_string_equal(f.cuda, "");
}

static void gpu_is_refused(const char *says)
{
    struct gf_gpu_figures got = {.known = 77};
    struct gf_error err = {0};
    assert_int_equal(gf_gpu_decode(body(), body_size(), &got, &err), GF_E_BAD_REQUEST);
    if (strstr(err.text, says) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", err.text, says);
    assert_int_equal(got.known, 77);
}

/* A record of this set, in which figure `i` is `value` and all others are 0. */
static void write_figures(uint64_t set, uint32_t i, uint64_t value)
{
    uint8_t r[8 + 8 * GF_N_GPU_FIGURES] = {0};
    gf_store_u64(r, set);
    gf_store_u64(r + 8 + 8 * i, value);
    gf_writer_init(&w, frame, sizeof frame);
    gf_put(&w, GF_ATTR_GPU_FIGURES, GF_TYPE_BYTES, r, sizeof r);
}

static void wrong_gpu_figures_are_refused(void **state)
{
    UNUSED(state);
    char says[64];
    for (uint32_t i = 0; i < GF_N_GPU_FIGURES; i++) {
        snprintf(says, sizeof says, "figure %u of the worker's GPU is ", i);
        write_figures(UINT64_C(1) << i, i, UINT64_MAX);
        gpu_is_refused(says);
        write_figures(UINT64_C(1) << (i + 1) % GF_N_GPU_FIGURES, i, 1); /* which is said not to be known */
        gpu_is_refused(says);
    }
    const uint64_t sets[] = {0, UINT64_C(1) << GF_N_GPU_FIGURES, UINT64_C(1) << 63};
    for (size_t i = 0; i < GF_ARRAY_LEN(sets); i++) {
        write_figures(sets[i], 0, 0);
        gpu_is_refused("worker tells the set ");
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_put(&w, GF_ATTR_GPU_FIGURES, GF_TYPE_BYTES, frame, 16);
    gpu_is_refused("attribute GPU_FIGURES (53) has 16 bytes, not ");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_string(&w, GF_ATTR_GPU_DRIVER, "580\"} 1");
    gpu_is_refused("GPU_DRIVER '580\"} 1'; allowed: ASCII letters, digits and . : - _ +");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_string(&w, GF_ATTR_GPU_PCI, "01234567890123456789012345678901");
    gpu_is_refused("attribute GPU_PCI (54) ");
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_PID, 1);
    gpu_is_refused("attribute PID (32) does not belong here");
}

static void maps_round_trip(void **state)
{
    UNUSED(state);
    struct gf_worker_map map = {.key = KEY, .size = 4096, .staging = true}, got;
    struct gf_error err;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_map_encode(&w, &map);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), false, &got, NULL), GF_OK);
    assert_int_equal(got.key, KEY);
    assert_int_equal(got.size, 4096);
    assert_true(got.staging);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), true, &got, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SIZE (25) does not belong here");

    map = (struct gf_worker_map){.key = KEY, .size = 4096, .unpinned = true};
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_map_encode(&w, &map);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), false, &got, NULL), GF_OK);
    assert_false(got.staging);
    assert_true(got.unpinned);

    map = (struct gf_worker_map){.key = KEY};
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_map_encode(&w, &map);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), true, &got, NULL), GF_OK);
    assert_int_equal(got.key, KEY);
    assert_int_equal(got.size, 0);
    assert_false(got.staging);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), false, &got, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute SIZE (25) is missing");

    gf_put_u64(&w, GF_ATTR_SIZE, GF_MAX_BYTES + 1);
    gf_put_u32(&w, GF_ATTR_STAGING, 3);
    assert_int_equal(gf_worker_map_decode(body(), body_size(), false, &got, &err), GF_E_BAD_REQUEST);
    assert_non_null(strstr(err.text, "mapping 4294967305 of 281474976710657 bytes with staging=3"));
}

static void pongs_round_trip(void **state)
{
    UNUSED(state);
    struct gf_expression_figures figures = {.of = {1, 2, 3, 4, UINT64_MAX, 6, 7, 1}}, got;
    struct gf_error err;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_pong_encode(&w, &figures);
    assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, NULL), GF_OK);
    assert_memory_equal(&got, &figures, sizeof got);
    assert_int_equal(gf_worker_pong_decode(body(), body_size() - 8, &got, &err), GF_E_BAD_REQUEST);
    memset(figures.why_off, 'x', sizeof(figures.why_off) - 1);
    figures.times.n = GF_MAX_COMPILE_TIMES;
    for (uint32_t i = 0; i < GF_MAX_COMPILE_TIMES; i++)
        figures.times.of[i] = (struct gf_compile_time){UINT64_MAX - i, KEY * i};
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_pong_encode(&w, &figures);
    assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, NULL), GF_OK);
    assert_memory_equal(&got, &figures, sizeof got);
    assert_int_equal(gf_worker_pong_decode(body(), body_size() - 8, &got, &err), GF_E_BAD_REQUEST);
    assert_int_equal(gf_worker_pong_decode(body(), 0, &got, NULL), GF_OK); /* of a device that compiles nothing */
    assert_int_equal(got.times.n, 0);
    assert_string_equal(got.why_off, "");
    for (uint32_t i = 0; i < GF_N_EXPRESSION_FIGURES; i++)
        assert_int_equal(got.of[i], 0);
    gf_writer_init(&w, frame, sizeof frame);
    gf_put(&w, GF_ATTR_TEXT, GF_TYPE_STRING, "no\nNVRTC", 8);
    assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, &err), GF_E_BAD_REQUEST);
    gf_writer_init(&w, frame, sizeof frame);
    gf_put(&w, GF_ATTR_EXPRESSIONS, GF_TYPE_BYTES, "1234", 4);
    assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, &err), GF_E_BAD_REQUEST);
    static const uint8_t times[16 * (GF_MAX_COMPILE_TIMES + 1)];
    const size_t wrong[] = {0, 8, 24, sizeof times};
    for (size_t i = 0; i < GF_ARRAY_LEN(wrong); i++) {
        gf_writer_init(&w, frame, sizeof frame);
        gf_put(&w, GF_ATTR_COMPILE_TIMES, GF_TYPE_BYTES, times, wrong[i]);
        assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, &err), GF_E_BAD_REQUEST);
    }
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_PID, 1);
    assert_int_equal(gf_worker_pong_decode(body(), body_size(), &got, &err), GF_E_BAD_REQUEST);
    assert_string_equal(err.text, "attribute PID (32) does not belong here");
}

/* An error to a RUN says what the request took; an error of a server does not. */
static void errors_have_times(void **state)
{
    UNUSED(state);
    const struct gf_stage_times took = {.copy_in = 3, .kernel = UINT64_C(1) << 40, .copy_out = 5};
    struct gf_stage_times got = {0};
    struct gf_error error = {.status = GF_E_CANCELLED, .text = "cancelled"}, decoded = {0};
    uint32_t retry;
    gf_writer_init(&w, frame, sizeof frame);
    gf_worker_error_encode(&w, &error, &took);
    assert_true(gf_worker_error_times(body(), body_size(), &got));
    assert_memory_equal(&got, &took, sizeof got);
    assert_int_equal(gf_error_decode(body(), body_size(), &decoded, &retry, NULL), GF_OK);
    assert_int_equal(decoded.status, GF_E_CANCELLED);
    assert_string_equal(decoded.text, "cancelled");
    gf_writer_init(&w, frame, sizeof frame);
    gf_error_encode(&w, &error, 0);
    assert_false(gf_worker_error_times(body(), body_size(), &got));
    gf_put(&w, GF_ATTR_TIMES, GF_TYPE_BYTES, &took, 8);
    assert_false(gf_worker_error_times(body(), body_size(), &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_round_trips),
        cmocka_unit_test(wrong_hellos_are_refused),
        cmocka_unit_test(cut_hellos_are_refused),
        cmocka_unit_test(frees_round_trip),
        cmocka_unit_test(errors_have_times),
        cmocka_unit_test(maps_round_trip),
        cmocka_unit_test(gpu_figures_round_trip),
        cmocka_unit_test(gpu_figures_that_cannot_be_right_are_left_out),
        cmocka_unit_test(wrong_gpu_figures_are_refused),
        cmocka_unit_test(pongs_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
