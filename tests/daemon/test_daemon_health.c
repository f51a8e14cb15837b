/* SPDX-License-Identifier: MIT */
/* A device that is reported ready must work: devices that answer probes but compute nothing are found, reported as
 * degraded, and replaced. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "tests/unit/unit.h"

/* A CPU that answers everything, and a GPU. The worker timeout is two seconds. */
struct pair {
    struct daemon d;
    struct fake cpu, gpu;
    int fd;
};

/* The GPU's worker has not said hello yet. */
static void pair_begin(struct pair *p)
{
    daemon_init(&p->d, true);
    daemon_spawn(&p->d, "fake", (const char *[]){"--devices", "cpu,cuda:0", "--worker-timeout", "2", NULL});
    struct fake one = fake_accept(&p->d), two = fake_accept(&p->d);
    bool first = strcmp(one.device, "cpu") == 0;
    p->cpu = first ? one : two;
    p->gpu = first ? two : one;
    fake_tell(&p->cpu, 'A');
    fake_tell(&p->cpu, 'h');
    daemon_wait_ready(&p->d);
    p->fd = client_open(&p->d);
}

/* The GPU is ready, too, and has a request. */
static void pair_start(struct pair *p)
{
    static struct request r;
    pair_begin(p);
    fake_tell(&p->gpu, 'h');
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

static void a_request_that_hangs_ends_its_worker(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    fake_tell(&p.gpu,
              'z'); /* the process answers, but the request gives no sign of life; others are served meanwhile */
    for (uint64_t id = 3; id < 20; id++) {
        static struct request r;
        request_init(&r, 16, 16, "cpu");
        request_send(&r, p.fd, id, 4);
        assert_int_equal(result_expect(p.fd, 4), id);
    }
    assert_int_equal(result_expect(p.fd, 1), 2); /* on the CPU, after the worker was killed */
    close(p.gpu.fd);
    p.gpu = fake_accept(&p.d);
    assert_string_equal(p.gpu.device, "cuda:0");
    pair_stop(&p);
}

static void an_idle_worker_that_runs_no_kernel_is_replaced(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    fake_tell(&p.gpu, 'P');
    fake_tell(&p.gpu, 'a');
    assert_int_equal(result_expect(p.fd, 1), 2);
    assert_true(fake_expect(&p.gpu, "probe") > UINT64_MAX / 2); /* no number that a request may have */
    struct fake next = fake_accept(&p.d);
    assert_string_equal(next.device, "cuda:0");
    close(p.gpu.fd);
    p.gpu = next;
    pair_stop(&p);
}

static void a_device_that_fails_a_kernel_is_degraded_until_one_runs(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    fake_tell(&p.gpu, 'a');
    assert_int_equal(result_expect(p.fd, 1), 2);
    health_await(p.fd, GF_HEALTH_READY, "cuda:0 is ready");
    fake_tell(&p.gpu, 'p');
    health_await(p.fd, GF_HEALTH_DEGRADED, "cuda:0 is ready (no memory for a kernel)");
    fake_tell(&p.gpu, 'g');
    health_await(p.fd, GF_HEALTH_READY, "cuda:0 is ready");
    pair_stop(&p);
}

static void a_compiler_that_is_off_has_a_reason(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p);
    fake_tell(&p.gpu, 'a');
    assert_int_equal(result_expect(p.fd, 1), 2);
    fake_tell(&p.gpu, 'o');
    health_await(p.fd, GF_HEALTH_READY, "cuda:0 is ready; cuda:0 interprets expressions: no NVRTC");
    pair_stop(&p);
}

/* A chip that is younger than the build: the driver assembles the kernels for minutes, before the worker can say hello.
 * Requests for any device run on the CPU meanwhile. */
static void a_device_whose_kernels_are_assembled_is_starting(void **state)
{
    UNUSED(state);
    struct pair p;
    static struct request r;
    pair_begin(&p);
    fake_tell(&p.gpu, 'B');
    health_await(p.fd, GF_HEALTH_DEGRADED,
                 "cuda:0 is starting (its driver assembles the kernels for sm_110, of which this build has no code: up "
                 "to 20 minutes, and seconds from the next start on)");
    request_init(&r, 16, 16, "auto");
    request_send(&r, p.fd, 2, 1);
    assert_int_equal(result_expect(p.fd, 1), 2);
    fake_tell(&p.gpu, 'h');
    health_await(p.fd, GF_HEALTH_READY, "cuda:0 is ready");
    pair_stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_that_hangs_ends_its_worker),
        cmocka_unit_test(an_idle_worker_that_runs_no_kernel_is_replaced),
        cmocka_unit_test(a_device_that_fails_a_kernel_is_degraded_until_one_runs),
        cmocka_unit_test(a_compiler_that_is_off_has_a_reason),
        cmocka_unit_test(a_device_whose_kernels_are_assembled_is_starting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
