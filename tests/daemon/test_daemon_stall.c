/* SPDX-License-Identifier: MIT */
/* A worker that makes no progress gets no requests before it is killed, and clients of a proxy are sent to another
 * server. The worker's timeout is its default, 30 s, so nothing is killed here. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "tests/unit/unit.h"

#define STALLS " is ready (it does not answer, or a request makes no progress)"

/* A CPU that answers everything and a GPU with a request of `fd`. */
struct pair {
    struct daemon d;
    struct fake cpu, gpu;
    int fd;
};

static void pair_start(struct pair *p, const char *name)
{
    static struct request r;
    char uid[16];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_init(&p->d, true);
    daemon_spawn(&p->d, "fake", (const char *[]){"--devices", "cpu,cuda:0", name ? "--proxy-users" : NULL, uid, NULL});
    struct fake one = fake_accept(&p->d), two = fake_accept(&p->d);
    bool first = strcmp(one.device, "cpu") == 0;
    p->cpu = first ? one : two;
    p->gpu = first ? two : one;
    fake_tell(&p->cpu, 'A');
    fake_tell(&p->cpu, 'h');
    fake_tell(&p->gpu, 'h');
    daemon_wait_ready(&p->d);
    p->fd = name ? client_of_proxy(&p->d, name) : client_open(&p->d);
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, p->fd, 2, 1);
    fake_expect(&p->gpu, "job");
}

static void pair_stop(struct pair *p)
{
    close(p->fd);
    close(p->cpu.fd);
    close(p->gpu.fd);
    assert_int_equal(daemon_stop(&p->d), 0);
}

static void serve_any(int fd, uint64_t id)
{
    run_send(fd, id, 4);
    assert_int_equal(result_expect(fd, 4), id);
}

/* Whether the process or one request hangs. */
static void a_worker_that_stalls_gets_no_requests(void **state)
{
    UNUSED(state);
    for (int process = 0; process < 2; process++) {
        struct pair p;
        static struct request r;
        pair_start(&p, NULL);
        if (process)
            kill(p.gpu.pid, SIGSTOP);
        else
            fake_tell(&p.gpu, 'z');
        health_await(p.fd, GF_HEALTH_DEGRADED, "cuda:0" STALLS);
        request_init(&r, 16, 16, "cuda:0");
        request_send(&r, p.fd, 3, 2); /* waits, since only the GPU may run it */
        for (uint64_t id = 4; id < 10; id++)
            serve_any(p.fd, id);
        if (process)
            kill(p.gpu.pid, SIGCONT);
        else
            fake_tell(&p.gpu, 'Z');
        fake_expect(&p.gpu, "job"); /* request 3 */
        health_await(p.fd, GF_HEALTH_READY, "cuda:0 is ready");
        fake_tell(&p.gpu, 'a');
        assert_int_equal(result_expect(p.fd, 1), 2);
        fake_tell(&p.gpu, 'a');
        assert_int_equal(result_expect(p.fd, 2), 3);
        pair_stop(&p);
    }
}

static void clients_of_a_proxy_are_sent_away(void **state)
{
    UNUSED(state);
    struct pair p;
    static struct request r;
    pair_start(&p, "alice");
    int bob = client_of_proxy(&p.d, "bob");
    fake_tell(&p.gpu, 'z');
    expect_error(p.fd, 0, GF_E_SHUTDOWN, "cuda:0 makes no progress");
    expect_end(p.fd);
    fake_expect(&p.gpu, "cancel"); /* nobody waits for the answer */
    serve_any(bob, 2);             /* who has nothing there */
    int alice = client_of_proxy(&p.d, "alice");
    serve_any(alice, 2);
    static const char *const devices[] = {"cuda:0", "cuda:all"}; /* another server may have them */
    for (unsigned i = 0; i < GF_ARRAY_LEN(devices); i++) {
        request_init(&r, 16, 16, devices[i]);
        request_send(&r, alice, 3, 1);
        expect_error(alice, 3, GF_E_SHUTDOWN, "cuda:0 makes no progress");
        serve_any(alice, 4);
    }
    close(alice);
    close(bob);
    pair_stop(&p);
}

/* Also those whose requests wait for it. The proxy's check fails, so that it leads clients elsewhere. */
static void where_the_only_device_stalls_all_are_sent_away(void **state)
{
    UNUSED(state);
    struct daemon d;
    char uid[16];
    snprintf(uid, sizeof uid, "%u", (unsigned)geteuid());
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--proxy-users", uid, NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fds[12];
    for (unsigned i = 0; i < GF_ARRAY_LEN(fds); i++) {
        fds[i] = client_of_proxy(&d, i == 0 ? "alice" : "bob");
        run_send(fds[i], 2, 1);
    }
    fake_expect(&cpu, "job"); /* not all are there at once */
    fake_tell(&cpu, 'z');
    for (unsigned i = 0; i < GF_ARRAY_LEN(fds); i++) {
        expect_error(fds[i], 0, GF_E_SHUTDOWN, "cpu makes no progress");
        expect_end(fds[i]);
        close(fds[i]);
    }
    int fd = come_from_proxy(&d, "carol", "auto");
    expect_error(fd, 0, GF_E_SHUTDOWN, "no device takes requests: cpu" STALLS);
    expect_end(fd);
    close(fd);
    fake_tell(&cpu, 'A'); /* it goes on */
    struct reply reply;
    do {
        fd = come_from_proxy(&d, "carol", "auto");
        assert_true(receive(fd, &reply));
        if (reply.h.kind != GF_FRAME_HELLO_REPLY)
            close(fd);
    } while (reply.h.kind != GF_FRAME_HELLO_REPLY);
    serve_any(fd, 2);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_that_stalls_gets_no_requests),
        cmocka_unit_test(clients_of_a_proxy_are_sent_away),
        cmocka_unit_test(where_the_only_device_stalls_all_are_sent_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
