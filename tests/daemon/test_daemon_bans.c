/* SPDX-License-Identifier: MIT */
/* Users whose requests end workers are refused for a while; which deaths count, who is told, and who may lift it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "protocol/wire/metric.h"
#include "tests/unit/unit.h"

static void cpu_start(struct daemon *d, struct fake *cpu, const char *const *args)
{
    daemon_init(d, true);
    daemon_spawn(d, "fake", args);
    *cpu = fake_accept(d);
    fake_tell(cpu, 'h');
    daemon_wait_ready(d);
}

/* Ends the CPU's worker by a signal while it has a request. The next one is ready. */
static void end_worker(struct daemon *d, struct fake *cpu, int number)
{
    fake_expect(cpu, "job");
    kill(cpu->pid, number);
    close(cpu->fd);
    *cpu = fake_accept(d);
    fake_tell(cpu, 'h');
}

static void unban_send(int fd, uint64_t id, uint64_t user, const char *name)
{
    uint8_t frame[256];
    struct gf_writer w;
    struct gf_admin_request request = {.action = GF_ADMIN_UNBAN, .user = user};
    snprintf(request.name, sizeof request.name, "%s", name);
    gf_writer_init(&w, frame, sizeof frame);
    gf_admin_request_encode(&w, &request);
    send_frame(fd, &w, GF_FRAME_ADMIN, id, NULL, 0, -1);
}

/* A figure that is looked for: its name and labels, and its value. */
struct search {
    const char *name;
    char labels[32];
    double value;
};

static void look_at(void *data, const struct gf_metric *metric)
{
    struct search *s = data;
    if (strcmp(metric->name, s->name) != 0)
        return;
    assert_string_equal(metric->labels, s->labels);
    s->value = metric->value;
}

/* Finds a figure; 0: there is none. */
static double figure(int fd, struct search *s)
{
    static struct reply reply;
    uint8_t frame[256];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_STATS});
    send_frame(fd, &w, GF_FRAME_INFO, 900, NULL, 0, -1);
    assert_true(receive(fd, &reply));
    assert_int_equal(gf_metrics_decode(reply.body, reply.h.body_len, look_at, s, NULL), GF_OK);
    return s->value;
}

/* What the figures say of the ban of this user; 0: none. */
static double banned_seconds(int fd)
{
    struct search s = {.name = "gpufilter_user_banned_seconds"};
    snprintf(s.labels, sizeof s.labels, "uid=\"%u\"", (unsigned)geteuid());
    return figure(fd, &s);
}

/* Waits until the daemon has read so many requests, whose payloads may be missing. */
static void decoded_await(int fd, double n)
{
    struct search s = {.name = "gpufilter_requests_decoded_total"};
    while (figure(fd, &s) != n)
        ;
}

/* Deaths count against the client's name, not against other clients of the same proxy. Behind it another server may
 * serve the client, which SHUTDOWN tells to connect again. */
static void a_name_that_ends_workers_is_refused(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    char uid[16], text[GF_ERROR_TEXT];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--worker-deaths", "2", "--proxy-users", uid, NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int alice = client_of_proxy(&d, "alice"), again = client_of_proxy(&d, "alice"), bob = client_of_proxy(&d, "bob");
    request_init(&r, 16, 16, "cpu");
    request_send(&r, alice, 2, 1);
    for (int i = 0; i < 2; i++) {
        fake_expect(&cpu, "job");
        fake_tell(&cpu, 'k');
        close(cpu.fd);
        cpu = fake_accept(&d);
        fake_tell(&cpu, 'h');
    }
    expect_error(alice, 2, GF_E_REQUEST_POISON, "two workers died while they had this request");
    int late = come_from_proxy(&d, "alice", "auto");
    expect_error(late, 0, GF_E_SHUTDOWN, "requests of user CN=alice ended 2 workers in ten minutes");
    expect_end(late);
    close(late);
    request_send(&r, again, 3, 1);
    expect_error(again, 3, GF_E_SHUTDOWN,
                 "requests of user CN=alice ended 2 workers in ten minutes, the limit (worker-deaths)");
    health_await(again, GF_HEALTH_READY, "; requests of user CN=alice are refused for ");
    health_of(bob, text);
    assert_null(strstr(text, "refused"));
    unban_send(again, 5, UINT64_MAX, "alice");
    expect_error(again, 5, GF_E_NOT_PERMITTED, "only root and the daemon's own user may send ADMIN");
    request_send(&r, bob, 4, 1);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(bob, 1), 4);
    close(alice);
    close(again);
    close(bob);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* A device that is out here may be there on another server behind the proxy; one that nobody knows is not. */
static void a_device_that_is_out_sends_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    char uid[16];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0", "--proxy-users", uid, NULL});
    struct fake one = fake_accept(&d), two = fake_accept(&d);
    bool first = strcmp(one.device, "cpu") == 0;
    fake_tell(first ? &one : &two, 'h');
    fake_tell(first ? &two : &one, 'n');
    daemon_wait_ready(&d);
    int fd = client_of_proxy(&d, "alice");
    health_await(fd, GF_HEALTH_DEGRADED, "cuda:0 is absent (no driver)");
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 2, 1);
    expect_error(fd, 2, GF_E_SHUTDOWN, "cuda:0 is absent: no driver");
    request_init(&r, 16, 16, "cuda:7");
    request_send(&r, fd, 3, 1);
    expect_error(fd, 3, GF_E_NO_DEVICE, "no device 'cuda:7'");
    close(fd);
    close(one.fd);
    close(two.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* Two devices that obey, and a daemon whose proxy this process is. */
struct behind {
    struct daemon d;
    struct fake cpu, gpu;
};

static void behind_start(struct behind *b)
{
    char uid[16];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_init(&b->d, true);
    daemon_spawn(&b->d, "fake", (const char *[]){"--devices", "cpu,cuda:0", "--proxy-users", uid, NULL});
    struct fake one = fake_accept(&b->d), two = fake_accept(&b->d);
    bool first = strcmp(one.device, "cpu") == 0;
    b->cpu = first ? one : two;
    b->gpu = first ? two : one;
    fake_tell(&b->cpu, 'h');
    daemon_wait_ready(&b->d);
}

static void behind_stop(struct behind *b, int fd)
{
    close(fd);
    close(b->cpu.fd);
    close(b->gpu.fd);
    assert_int_equal(daemon_stop(&b->d), 0);
}

/* The request waits for the device's worker, which then finds no device. */
static void a_device_that_goes_away_sends_waiting_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    static const char *const devices[] = {"cuda:0", "cuda:all"};
    for (unsigned i = 0; i < GF_ARRAY_LEN(devices); i++) {
        struct behind b;
        static struct request r;
        behind_start(&b);
        int fd = client_of_proxy(&b.d, "alice");
        request_init(&r, 16, 16, devices[i]);
        request_send(&r, fd, 2, 1);
        unban_send(fd, 3, 1, ""); /* its answer says that the request was admitted */
        expect_error(fd, 3, GF_E_NOT_PERMITTED, "only root");
        fake_tell(&b.gpu, 'n');
        expect_error(fd, 2, GF_E_SHUTDOWN, "no device is left for this request: cuda:0 is absent: no driver");
        behind_stop(&b, fd);
    }
}

/* The device goes away between the head of the request and its payload. Nothing changes afterwards. */
static void a_device_that_goes_away_during_an_upload_sends_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    static const char *const devices[] = {"cuda:all", "cuda:0"};
    static const uint8_t payload[256];
    for (unsigned i = 0; i < GF_ARRAY_LEN(devices); i++) {
        struct behind b;
        static struct request r;
        behind_start(&b);
        int fd = client_of_proxy(&b.d, "alice"), other = client_of_proxy(&b.d, "bob");
        request_init(&r, 16, 16, devices[i]);
        assert_int_equal(gf_program_check(&r.program, true, NULL), GF_OK);
        gf_writer_init(&r.w, r.frame, sizeof r.frame);
        gf_program_encode(&r.w, &r.program);
        assert_true(gf_writer_finish(&r.w, GF_FRAME_RUN, 2, sizeof payload, 0));
        send_all(fd, r.w.data, r.w.size);
        decoded_await(other, 1);
        fake_tell(&b.gpu, 'n');
        health_await(other, GF_HEALTH_DEGRADED, "cuda:0 is absent");
        send_all(fd, payload, sizeof payload);
        expect_error(fd, 2, GF_E_SHUTDOWN,
                     i == 0 ? "no GPU can run this request" : "no device is left for this request");
        close(other);
        behind_stop(&b, fd);
    }
}

static void all_gpus_out_send_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    struct behind b;
    static struct request r;
    behind_start(&b);
    fake_tell(&b.gpu, 'n');
    int fd = client_of_proxy(&b.d, "alice");
    health_await(fd, GF_HEALTH_DEGRADED, "cuda:0 is absent");
    request_init(&r, 16, 16, "cuda:all");
    request_send(&r, fd, 2, 1);
    expect_error(fd, 2, GF_E_SHUTDOWN, "no GPU is present or takes requests: ");
    behind_stop(&b, fd);
}

/* A node that was never given a GPU does not know the word: no other node is asked. */
static void a_node_without_gpus_does_not_send_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    char uid[16];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--proxy-users", uid, NULL});
    int fd = client_of_proxy(&d, "alice");
    request_init(&r, 16, 16, "cuda:all");
    request_send(&r, fd, 2, 1);
    expect_error(fd, 2, GF_E_NO_DEVICE, "no GPU is present");
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* The request names no device, but HELLO named the device of the connection's buffers. */
static void a_home_that_is_out_sends_clients_of_a_proxy_on(void **state)
{
    UNUSED(state);
    struct behind b;
    behind_start(&b);
    fake_tell(&b.gpu, 'n');
    int fd = client_of_proxy(&b.d, "alice");
    health_await(fd, GF_HEALTH_DEGRADED, "cuda:0 is absent");
    close(fd);
    fd = come_from_proxy(&b.d, "alice", "cuda:0");
    expect_kind(fd, GF_FRAME_HELLO_REPLY, 1);
    handle_send(fd, 2, INLINE, 5, "auto", 10);
    expect_error(fd, 2, GF_E_SHUTDOWN, "cuda:0 is absent: no driver");
    behind_stop(&b, fd);
    /* It is not known here: the client would look for it in vain. */
    behind_start(&b);
    fd = come_from_proxy(&b.d, "alice", "cuda:7");
    expect_kind(fd, GF_FRAME_HELLO_REPLY, 1);
    handle_send(fd, 2, INLINE, 5, "auto", 10);
    expect_error(fd, 2, GF_E_NO_DEVICE, "no device 'cuda:7'");
    behind_stop(&b, fd);
}

/* A signal from outside, such as the kernel's for lack of memory, says nothing about the requests: they run again, and
 * their user is not refused. */
static void kills_from_outside_do_not_count(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu;
    static struct request r;
    char text[GF_ERROR_TEXT];
    cpu_start(&d, &cpu, (const char *[]){"--devices", "cpu", "--worker-deaths", "1", NULL});
    int fd = client_open(&d);
    request_init(&r, 16, 16, "cpu");
    request_send(&r, fd, 2, 1);
    end_worker(&d, &cpu, SIGKILL);
    end_worker(&d, &cpu, SIGTERM);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 2);
    health_of(fd, text);
    assert_null(strstr(text, "refused"));
    request_send(&r, fd, 3, 1);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 3);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_request_that_always_meets_a_kill_fails_in_the_end(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu;
    static struct request r;
    cpu_start(&d, &cpu, (const char *[]){"--devices", "cpu", "--worker-deaths", "1", NULL});
    int fd = client_open(&d);
    request_init(&r, 16, 16, "cpu");
    request_send(&r, fd, 2, 1);
    for (int i = 0; i < 3; i++)
        end_worker(&d, &cpu, SIGKILL);
    expect_error(fd, 2, GF_E_DEVICE_LOST, "its worker was killed from outside too often");
    request_send(&r, fd, 3, 1);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 3);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* One request alone does not set its device aside, although another device is ready. */
static void a_request_that_always_meets_a_kill_leaves_the_device(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0", NULL});
    struct fake one = fake_accept(&d), two = fake_accept(&d);
    bool first = strcmp(one.device, "cpu") == 0;
    struct fake *cpu = first ? &one : &two;
    fake_tell(&one, 'h');
    fake_tell(&two, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    health_await(fd, GF_HEALTH_READY, "cpu is ready, cuda:0 is ready");
    request_init(&r, 16, 16, "cpu");
    request_send(&r, fd, 2, 1);
    for (int i = 0; i < 3; i++)
        end_worker(&d, cpu, SIGKILL);
    expect_error(fd, 2, GF_E_DEVICE_LOST, "its worker was killed from outside too often");
    health_await(fd, GF_HEALTH_READY, "cpu is ready, cuda:0 is ready");
    request_send(&r, fd, 3, 1);
    fake_expect(cpu, "job");
    fake_tell(cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 3);
    close(fd);
    close(one.fd);
    close(two.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* What was in the worker is tried again, since only that tells who ended it. What waits in the queue is refused as new
 * requests are; each of them might end two more workers. */
static void a_ban_reaches_what_is_queued(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu;
    static struct request r;
    static struct reply reply;
    char text[GF_ERROR_TEXT];
    unsigned results = 0, refused = 0;
    cpu_start(&d, &cpu, (const char *[]){"--devices", "cpu", "--worker-deaths", "1", NULL});
    int fd = client_open(&d);
    request_init(&r, 16, 16, "cpu");
    for (uint64_t id = 2; id < 22; id++)
        request_send(&r, fd, id, 1);
    health_of(fd, text); /* all of them are read */
    for (unsigned i = 0; i < 7; i++)
        fake_expect(&cpu, "job");
    end_worker(&d, &cpu, SIGSEGV); /* has eight */
    fake_tell(&cpu, 'A');
    for (uint64_t seen = 0; seen < 20; seen++) {
        assert_true(receive(fd, &reply));
        if (reply.h.kind == GF_FRAME_RESULT) {
            assert_in_range(reply.h.id, 2, 9);
            results++;
        } else {
            struct gf_error error = {0};
            uint32_t retry;
            assert_int_equal(gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL), GF_OK);
            assert_int_equal(error.status, GF_E_QUOTA);
            assert_non_null(strstr(error.text, "ended 1 worker in ten minutes, the limit (worker-deaths)"));
            assert_in_range(reply.h.id, 10, 21);
            refused++;
        }
        free(reply.payload);
    }
    assert_int_equal(results, 8);
    assert_int_equal(refused, 12);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* The signals of a program that failed count, each alone, and a kill from outside between two of them does not. */
static void every_fault_counts(void **state)
{
    UNUSED(state);
    static const int faults[] = {SIGSEGV, SIGABRT, SIGSYS, SIGBUS, SIGILL, SIGFPE};
    for (unsigned i = 0; i < GF_ARRAY_LEN(faults); i++) {
        struct daemon d;
        struct fake cpu;
        static struct request r;
        cpu_start(&d, &cpu, (const char *[]){"--devices", "cpu", NULL});
        int fd = client_open(&d);
        request_init(&r, 16, 16, "cpu");
        request_send(&r, fd, 2, 1);
        end_worker(&d, &cpu, faults[i]);
        end_worker(&d, &cpu, SIGKILL);
        end_worker(&d, &cpu, faults[i]);
        expect_error(fd, 2, GF_E_REQUEST_POISON, "two workers died while they had this request");
        close(fd);
        close(cpu.fd);
        assert_int_equal(daemon_stop(&d), 0);
    }
}

static void a_ban_is_seen_and_lifted(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake cpu;
    static struct request r;
    char text[GF_ERROR_TEXT], wanted[100];
    const unsigned me = (unsigned)geteuid();
    cpu_start(&d, &cpu, (const char *[]){"--devices", "cpu", "--worker-deaths", "1", NULL});
    int fd = client_open(&d);
    assert_int_equal(banned_seconds(fd), 0);
    request_init(&r, 16, 16, "cpu");
    request_send(&r, fd, 2, 1);
    end_worker(&d, &cpu, SIGSEGV);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a'); /* it runs once more */
    assert_int_equal(result_expect(fd, 1), 2);
    request_send(&r, fd, 3, 1);
    snprintf(wanted, sizeof wanted, "requests of user %u ended 1 worker in ten minutes", me);
    expect_error(fd, 3, GF_E_QUOTA, wanted);
    assert_in_range((uint64_t)banned_seconds(fd), 400, 600);
    snprintf(wanted, sizeof wanted, "; requests of user %u are refused for ", me);
    health_await(fd, GF_HEALTH_READY, wanted);
    unban_send(fd, 4, me + 1, "");
    snprintf(wanted, sizeof wanted, "user %u is not refused; users refused at present: 1", me + 1);
    expect_error(fd, 4, GF_E_BAD_PARAM, wanted);
    unban_send(fd, 5, UINT64_MAX, "alice");
    expect_error(fd, 5, GF_E_BAD_PARAM, "user CN=alice is not refused; users refused at present: 1");
    unban_send(fd, 6, me, "");
    expect_kind(fd, GF_FRAME_DONE, 6);
    assert_int_equal(banned_seconds(fd), 0);
    health_of(fd, text);
    assert_null(strstr(text, "refused"));
    request_send(&r, fd, 7, 1);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 7);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kills_from_outside_do_not_count),
        cmocka_unit_test(a_request_that_always_meets_a_kill_fails_in_the_end),
        cmocka_unit_test(a_request_that_always_meets_a_kill_leaves_the_device),
        cmocka_unit_test(a_ban_reaches_what_is_queued),
        cmocka_unit_test(every_fault_counts),
        cmocka_unit_test(a_name_that_ends_workers_is_refused),
        cmocka_unit_test(a_device_that_is_out_sends_clients_of_a_proxy_on),
        cmocka_unit_test(a_device_that_goes_away_sends_waiting_clients_of_a_proxy_on),
        cmocka_unit_test(a_device_that_goes_away_during_an_upload_sends_clients_of_a_proxy_on),
        cmocka_unit_test(all_gpus_out_send_clients_of_a_proxy_on),
        cmocka_unit_test(a_node_without_gpus_does_not_send_clients_of_a_proxy_on),
        cmocka_unit_test(a_home_that_is_out_sends_clients_of_a_proxy_on),
        cmocka_unit_test(a_ban_is_seen_and_lifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
