/* SPDX-License-Identifier: MIT */
/* Handles and devices: a connection's handles are on one device, workers die with buffers, connections end with them.
 */
#include <signal.h>
#include <string.h>

#include "harness.h"
#include "tests/unit/unit.h"

/* A daemon with one device that obeys. */
static struct fake start(struct daemon *d, const char *const *args)
{
    daemon_init(d, true);
    daemon_spawn(d, "fake", args);
    struct fake cpu = fake_accept(d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(d);
    return cpu;
}

static void make(int fd, struct fake *f, uint64_t id, uint32_t handle, uint8_t value)
{
    handle_send(fd, id, INLINE, handle, "auto", value);
    fake_expect(f, "job");
    fake_tell(f, 'a');
    expect_kind(fd, GF_FRAME_RESULT, id);
}

/* Receives a RESULT with the id. Returns the device that made it. */
static const char *device_of_result(int fd, uint64_t id)
{
    static struct reply reply;
    static struct gf_run_reply run;
    assert_true(receive(fd, &reply));
    assert_int_equal(reply.h.kind, GF_FRAME_RESULT);
    assert_int_equal(reply.h.id, id);
    assert_int_equal(gf_run_reply_decode(reply.body, reply.h.body_len, &run, NULL), GF_OK);
    free(reply.payload);
    return run.device;
}

static void handles_live_on_one_device(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_start(&d, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = client_open(&d);
    handle_send(fd, 2, INLINE, 5, "cuda:0", 10);
    assert_string_equal(device_of_result(fd, 2), "cuda:0");
    handle_send(fd, 3, 5, 6, "auto", 0);
    assert_string_equal(device_of_result(fd, 3), "cuda:0");
    handle_send(fd, 4, 5, INLINE, "cpu", 0);
    expect_error(fd, 4, GF_E_WRONG_DEVICE, "device cpu is requested; this connection's handles are on cuda:0");
    handle_send(fd, 5, INLINE, 7, "cpu", 0);
    expect_error(fd, 5, GF_E_WRONG_DEVICE, "are on cuda:0");
    free_send(fd, 6, 5);
    expect_kind(fd, GF_FRAME_DONE, 6);
    free_send(fd, 7, 6);
    expect_kind(fd, GF_FRAME_DONE, 7);
    handle_send(fd, 8, INLINE, 7, "cpu", 0); /* without any it may choose again */
    assert_string_equal(device_of_result(fd, 8), "cpu");
    close(fd);
    /* Where HELLO names one, that is it. */
    fd = client_open_on(&d, "cpu");
    handle_send(fd, 2, INLINE, 5, "cuda:0", 0);
    expect_error(fd, 2, GF_E_WRONG_DEVICE, "device cuda:0 is requested; this connection's handles are on cpu");
    handle_send(fd, 3, INLINE, 5, "auto", 0);
    assert_string_equal(device_of_result(fd, 3), "cpu");
    handle_send(fd, 4, INLINE, INLINE, "cuda:0", 9); /* without handles any will do */
    assert_string_equal(device_of_result(fd, 4), "cuda:0");
    close(fd);
    fd = client_open_on(&d, "cuda:7");
    handle_send(fd, 2, INLINE, 5, "auto", 0);
    expect_error(fd, 2, GF_E_NO_DEVICE, "no device 'cuda:7'");
    close(fd);
    /* Else a GPU that is ready. */
    fd = client_open(&d);
    handle_send(fd, 2, INLINE, 5, "auto", 0);
    assert_string_equal(device_of_result(fd, 2), "cuda:0");
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void buffers_die_with_their_worker(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", "--user-resident-bytes", "768", NULL});
    int fd = client_open(&d);
    make(fd, &cpu, 2, 5, 10);
    handle_send(fd, 3, INLINE, 6, "auto", 0); /* running */
    fake_expect(&cpu, "job");
    handle_send(fd, 4, 6, 7, "auto", 0);      /* waits for it */
    handle_send(fd, 5, 5, INLINE, "auto", 0); /* running */
    fake_expect(&cpu, "job");
    kill(cpu.pid, SIGKILL);
    close(cpu.fd);
    for (int i = 0, seen = 0; i < 3; i++) {
        static struct reply reply;
        struct gf_error error = {0};
        uint32_t retry;
        assert_true(receive(fd, &reply));
        assert_int_equal(gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL), GF_OK);
        assert_string_equal(gf_status_name(error.status), "HANDLE_LOST");
        assert_in_range(reply.h.id, 3, 5);
        assert_false(seen >> reply.h.id & 1);
        seen |= 1 << reply.h.id;
    }
    for (uint32_t handle = 5; handle < 8; handle++) {
        handle_send(fd, 10 + handle, handle, INLINE, "auto", 0);
        expect_error(fd, 10 + handle, GF_E_HANDLE_LOST, "died; free it");
    }
    /* Lost buffers are not charged. The new buffer waits for the new worker. */
    handle_send(fd, 20, INLINE, 8, "auto", 30);
    for (uint32_t handle = 5; handle < 8; handle++) {
        free_send(fd, 30 + handle, handle);
        expect_kind(fd, GF_FRAME_DONE, 30 + handle);
    }
    handle_send(fd, 21, INLINE, 5, "auto", 40);
    handle_send(fd, 22, 5, INLINE, "auto", 0);
    cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    fake_tell(&cpu, 'A');
    expect_kind(fd, GF_FRAME_RESULT, 20);
    expect_kind(fd, GF_FRAME_RESULT, 21);
    assert_int_equal(result_expect(fd, 41), 22);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_device_set_aside_loses_them_too(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cuda:0", "--worker-deaths", "1", NULL});
    int fd = client_open(&d);
    make(fd, &cpu, 2, 5, 10);
    for (uint64_t id = 3; id < 11; id++)
        run_send(fd, id, 1);
    for (int i = 0; i < 8; i++)
        fake_expect(&cpu, "job"); /* no slot is left */
    handle_send(fd, 20, 5, INLINE, "auto", 0);
    send_simple(fd, GF_FRAME_PING, 99); /* when it is answered, the one before is queued */
    expect_kind(fd, GF_FRAME_PONG, 99);
    kill(cpu.pid, SIGKILL);
    expect_error(fd, 20, GF_E_HANDLE_LOST, "the worker that had handle 5 died");
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_connection_that_ends_frees_each_buffer_once(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", "--user-resident-bytes", "768", NULL});
    int fd = client_open(&d);
    make(fd, &cpu, 2, 5, 10);
    make(fd, &cpu, 3, 6, 10);
    handle_send(fd, 4, 5, INLINE, "auto", 0); /* reads */
    uint64_t reader = fake_expect(&cpu, "job");
    handle_send(fd, 5, INLINE, 7, "auto", 0); /* makes */
    uint64_t maker = fake_expect(&cpu, "job");
    handle_send(fd, 6, 7, INLINE, "auto", 0); /* waits */
    free_send(fd, 7, 5);                      /* waits */
    send_simple(fd, GF_FRAME_PING, 99);
    expect_kind(fd, GF_FRAME_PONG, 99);
    close(fd);
    assert_int_equal(fake_expect(&cpu, "cancel"), reader);
    assert_int_equal(fake_expect(&cpu, "cancel"), maker);
    uint64_t idle = fake_expect(&cpu, "free"); /* in no use */
    fake_tell(&cpu, 'c');
    uint64_t read = fake_expect(&cpu, "free");
    fake_tell(&cpu, 'a'); /* it was too late to cancel */
    uint64_t made = fake_expect(&cpu, "free");
    assert_true(read < idle && idle < made); /* keys count up */
    /* That was all, and nothing is charged any more. */
    fd = client_open(&d);
    for (uint32_t i = 0; i < 3; i++)
        make(fd, &cpu, 2 + i, 5 + i, 10);
    close(fd);
    for (int i = 0; i < 3; i++)
        assert_true(fake_expect(&cpu, "free") > made);
    fd = client_open(&d);
    run_send(fd, 2, 1);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 2);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void an_upload_that_breaks_off_leaves_nothing(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    struct fake cpu = start(&d, (const char *[]){"--devices", "cpu", "--user-resident-bytes", "256", NULL});
    for (int i = 0; i < 2; i++) {
        int fd = client_open(&d);
        request_init(&r, 16, 16, "auto");
        r.program.results[0] = (struct gf_result){.way = GF_WAY_HANDLE, .id = 5};
        assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
        gf_writer_init(&r.w, r.frame, sizeof r.frame);
        gf_program_encode(&r.w, &r.program);
        assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 2, 256, 0));
        send_all(fd, r.w.data, r.w.size);
        send_all(fd, "half", 4);
        close(fd);
    }
    int fd = client_open(&d);
    make(fd, &cpu, 2, 5, 10);
    close(fd);
    fake_expect(&cpu, "free");
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_live_on_one_device),
        cmocka_unit_test(buffers_die_with_their_worker),
        cmocka_unit_test(a_device_set_aside_loses_them_too),
        cmocka_unit_test(a_connection_that_ends_frees_each_buffer_once),
        cmocka_unit_test(an_upload_that_breaks_off_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
