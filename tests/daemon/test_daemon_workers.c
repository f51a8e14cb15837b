/* SPDX-License-Identifier: MIT */
/* Workers die, hang, or are missing: connections stay open, and every request gets exactly one answer. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "harness.h"
#include "protocol/base/machine.h"
#include "tests/unit/unit.h"

/* A daemon with the CPU and one GPU, both ready and controlled. */
struct pair {
    struct daemon d;
    struct fake cpu, gpu;
};

static void pair_start(struct pair *p, const char *const *args)
{
    daemon_init(&p->d, true);
    daemon_spawn(&p->d, "fake", args);
    struct fake one = fake_accept(&p->d), two = fake_accept(&p->d);
    bool first = strcmp(one.device, "cpu") == 0;
    p->cpu = first ? one : two;
    p->gpu = first ? two : one;
    fake_tell(&p->cpu, 'h');
    daemon_wait_ready(&p->d);
}

static void pair_stop(struct pair *p)
{
    close(p->cpu.fd);
    if (p->gpu.fd >= 0)
        close(p->gpu.fd);
    assert_int_equal(daemon_stop(&p->d), 0);
}

/* Brings the GPU up and gives it `n` requests with ids from 2, which the GPU holds. */
static int give_to_gpu(struct pair *p, unsigned n)
{
    static struct request r;
    fake_tell(&p->gpu, 'h');
    int fd = client_open(&p->d);
    request_init(&r, 16, 16, "cuda:0");
    for (unsigned i = 0; i < n; i++) {
        request_send(&r, fd, 2 + i, 5);
        fake_expect(&p->gpu, "job");
    }
    return fd;
}

static void requests_of_a_dead_worker_run_on_the_cpu(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = give_to_gpu(&p, 5);
    fake_tell(&p.cpu, 'A');
    kill(p.gpu.pid, SIGKILL);
    bool seen[8] = {false};
    for (int i = 0; i < 5; i++) {
        uint64_t id = result_expect(fd, 5);
        assert_in_range(id, 2, 6);
        assert_false(seen[id]);
        seen[id] = true;
    }
    /* It comes back, and serves. */
    close(p.gpu.fd);
    p.gpu = fake_accept(&p.d);
    assert_string_equal(p.gpu.device, "cuda:0");
    static struct request r;
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 20, 6);
    fake_tell(&p.gpu, 'A');
    fake_tell(&p.gpu, 'h');
    assert_int_equal(result_expect(fd, 6), 20);
    close(fd);
    pair_stop(&p);
}

static void a_lost_device_is_a_death(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = give_to_gpu(&p, 2);
    fake_tell(&p.cpu, 'A');
    fake_tell(&p.gpu, 'l'); /* answers DEVICE_LOST; the front ends it */
    uint64_t sum = result_expect(fd, 5) + result_expect(fd, 5);
    assert_int_equal(sum, 2 + 3);
    close(fd);
    pair_stop(&p);
}

/* What a worker says of its results must be what the front has inferred; a client would read beyond them otherwise. */
static void a_worker_that_describes_other_results_is_ended(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", "--worker-deaths", "9", NULL});
    fake_tell(&p.cpu, 'A');
    for (const char *lie = "rft"; *lie; lie++) {
        int fd = give_to_gpu(&p, 1);
        fake_tell(&p.gpu, *lie);
        assert_int_equal(result_expect(fd, 5), 2); /* the CPU's, whose size is right */
        close(fd);
        close(p.gpu.fd);
        p.gpu = fake_accept(&p.d);
    }
    pair_stop(&p);
}

static void a_request_that_ends_two_workers_is_poison(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = give_to_gpu(&p, 1);
    kill(p.gpu.pid, SIGSEGV);
    fake_expect(&p.cpu, "job");
    kill(p.cpu.pid, SIGSEGV);
    expect_error(fd, 2, GF_E_REQUEST_POISON, "two workers died");
    /* The connection is as good as ever. */
    for (int i = 0; i < 2; i++) {
        struct fake f = fake_accept(&p.d);
        struct fake *place = strcmp(f.device, "cpu") == 0 ? &p.cpu : &p.gpu;
        close(place->fd);
        *place = f;
        fake_tell(place, 'A');
        fake_tell(place, 'h');
    }
    run_send(fd, 3, 9);
    assert_int_equal(result_expect(fd, 9), 3);
    close(fd);
    pair_stop(&p);
}

static void the_cpu_worker_may_die_too(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    for (uint64_t id = 2; id < 22; id++)
        run_send(fd, id, 3);
    for (int i = 0; i < 8; i++)
        fake_expect(&cpu, "job"); /* the others wait in the front, and are not marked */
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 3), 2);
    kill(cpu.pid, SIGKILL);
    close(cpu.fd);
    cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    fake_tell(&cpu, 'A');
    for (uint64_t id = 3; id < 22; id++)
        assert_int_equal(result_expect(fd, 3), id);
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_worker_that_says_why_gets_no_more(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = give_to_gpu(&p, 1);
    fake_tell(&p.cpu, 'A');
    fake_tell(&p.gpu, 'w'); /* and does not end: that may take the driver long */
    health_await(fd, GF_HEALTH_DEGRADED, "cuda:0 is ready (its worker is ending)");
    for (uint64_t id = 3; id < 20; id++) {
        run_send(fd, id, 3);
        assert_int_equal(result_expect(fd, 3), id);
    }
    static struct request r;
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 20, 7);               /* for the next one */
    assert_int_equal(result_expect(fd, 5), 2); /* on the CPU, once the process has been killed */
    close(p.gpu.fd);
    p.gpu = fake_accept(&p.d);
    fake_tell(&p.gpu, 'h');
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'a');
    assert_int_equal(result_expect(fd, 7), 20);
    close(fd);
    pair_stop(&p);
}

static void a_silent_worker_is_killed(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", "--worker-timeout", "2", NULL});
    int fd = give_to_gpu(&p, 1);
    fake_tell(&p.cpu, 'A');
    kill(p.gpu.pid, SIGSTOP);
    assert_int_equal(result_expect(fd, 5), 2);
    close(fd);
    pair_stop(&p);
}

static void a_device_that_keeps_dying_is_set_aside(void **state)
{
    UNUSED(state);
    struct pair p;
    static struct request r;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", "--worker-deaths", "2", NULL});
    int fd = client_open(&p.d);
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 2, 1);
    fake_tell(&p.gpu, 'k');
    close(p.gpu.fd);
    p.gpu = fake_accept(&p.d);
    fake_tell(&p.gpu, 'd');
    expect_error(fd, 2, GF_E_NO_DEVICE, "its worker died: exit code 70: illegal address");
    request_send(&r, fd, 3, 1);
    expect_error(fd, 3, GF_E_NO_DEVICE, "cuda:0 is set aside for another 5");
    request_send(&r, fd, 5, 1);
    expect_error(fd, 5, GF_E_NO_DEVICE, " s: its worker died: exit code 70: illegal address");
    fake_tell(&p.cpu, 'A');
    run_send(fd, 4, 1); /* auto has the CPU */
    assert_int_equal(result_expect(fd, 1), 4);
    close(fd);
    pair_stop(&p);
}

/* The requests of a dead worker are retried one by one, so the second death convicts the guilty one. Both deaths count
 * against the user, whose further requests are refused, not against the device, which stays available to others. */
static void the_request_that_ends_workers_is_found(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--worker-deaths", "2", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    request_init(&r, 16, 16, "cpu");
    for (uint64_t id = 2; id < 5; id++) {
        request_send(&r, fd, id, 1);
        fake_expect(&cpu, "job");
    }
    for (int i = 0; i < 2; i++) {
        fake_tell(&cpu, 'k');
        close(cpu.fd);
        cpu = fake_accept(&d);
        fake_tell(&cpu, 'h');
        fake_expect(&cpu, "job");
    }
    expect_error(fd, 2, GF_E_REQUEST_POISON, "two workers died while they had this request");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 3);
    fake_expect(&cpu, "job");
    fake_tell(&cpu, 'a');
    assert_int_equal(result_expect(fd, 1), 4);
    request_send(&r, fd, 5, 1);
    expect_error(fd, 5, GF_E_QUOTA, "ended 2 workers in ten minutes, the limit (worker-deaths)");
    close(fd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void an_absent_device_is_said_to_be_absent(void **state)
{
    UNUSED(state);
    struct pair p;
    static struct request r;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = client_open(&p.d);
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 2, 1);
    fake_tell(&p.gpu, 'n');
    expect_error(fd, 2, GF_E_NO_DEVICE, "no driver");
    request_send(&r, fd, 3, 1);
    expect_error(fd, 3, GF_E_NO_DEVICE, "cuda:0 is absent: no driver");
    close(fd);
    pair_stop(&p);
}

static void without_any_device_the_daemon_says_so_and_ends(void **state)
{
    UNUSED(state);
    struct daemon d;
    char text[512];
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cuda:0", NULL});
    struct fake gpu = fake_accept(&d);
    fake_tell(&gpu, 'n');
    daemon_ready_text(&d, text, sizeof text);
    assert_non_null(strstr(text, "no device can be used: cuda:0 is absent (no driver)"));
    assert_int_equal(daemon_wait(&d), 69);
    close(gpu.fd);
    daemon_stop(&d);
}

static void a_daemon_waits_until_the_system_is_ready(void **state)
{
    UNUSED(state);
    struct daemon d;
    char text[512];
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cuda:0", NULL});
    struct fake gpu = fake_accept(&d);
    fake_tell(&gpu, 'b');
    close(gpu.fd);
    gpu = fake_accept(&d);
    fake_tell(&gpu, 'h');
    daemon_ready_text(&d, text, sizeof text);
    assert_string_equal(text, "READY\n");
    close(gpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void clients_that_leave_cancel_their_requests(void **state)
{
    UNUSED(state);
    struct pair p;
    pair_start(&p, (const char *[]){"--devices", "cpu,cuda:0", NULL});
    int fd = give_to_gpu(&p, 1);
    close(fd);
    fake_expect(&p.gpu, "cancel");
    fake_tell(&p.gpu, 'a'); /* an answer whose client has gone */
    fd = client_open(&p.d);
    static struct request r;
    request_init(&r, 16, 16, "cuda:0");
    request_send(&r, fd, 2, 1);
    fake_expect(&p.gpu, "job");
    fake_tell(&p.gpu, 'a');
    assert_int_equal(result_expect(fd, 1), 2);
    close(fd);
    pair_stop(&p);
}

/* The status of the next answer. */
static enum gf_status answer_status(int fd)
{
    static struct reply reply;
    struct gf_error error = {0};
    uint32_t retry;
    assert_true(receive(fd, &reply));
    free(reply.payload);
    if (reply.h.kind == GF_FRAME_RESULT)
        return GF_OK;
    assert_int_equal(gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL), GF_OK);
    return error.status;
}

static void workers_may_join_by_themselves(void **state)
{
    UNUSED(state);
    struct daemon d;
    char path[120];
    static struct request r;
    daemon_init(&d, true);
    snprintf(path, sizeof path, "%s/workers", d.dir);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "none", "--worker-socket", path, NULL});
    daemon_wait_file(&d, path);
    int fd = client_open(&d);
    pid_t first = fake_join(&d, path, "cpu");
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    fake_tell(&cpu, 'A');
    daemon_wait_ready(&d);
    run_send(fd, 2, 1);
    assert_int_equal(result_expect(fd, 1), 2);
    /* A second worker for the same device is refused; a worker for an unconfigured device is accepted. */
    pid_t second = fake_join(&d, path, "cpu"), third = fake_join(&d, path, "cuda:3");
    for (int i = 0; i < 2; i++) {
        struct fake f = fake_accept(&d);
        fake_tell(&f, 'A');
        fake_tell(&f, 'h');
        if (strcmp(f.device, "cpu") == 0)
            assert_int_equal(waitpid(second, NULL, 0), second);
    }
    for (enum gf_status status = GF_E_NO_DEVICE; status != GF_OK;) { /* until its hello has come */
        request_init(&r, 16, 16, "cuda:3");
        request_send(&r, fd, 3, 1);
        status = answer_status(fd);
    }
    /* One that dies is replaced by whoever started it. */
    kill(first, SIGKILL);
    assert_int_equal(waitpid(first, NULL, 0), first);
    request_init(&r, 16, 16, "cpu");
    close(cpu.fd);
    first = fake_join(&d, path, "cpu");
    cpu = fake_accept(&d);
    fake_tell(&cpu, 'A');
    fake_tell(&cpu, 'h');
    request_send(&r, fd, 4, 7);
    assert_int_equal(result_expect(fd, 7), 4);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
    assert_int_equal(waitpid(first, NULL, 0), first);
    assert_int_equal(waitpid(third, NULL, 0), third);
}

/* The front is not its parent, so the worker itself tells of a crash; a planned stop is no crash. */
static void a_worker_that_joined_tells_of_its_crash(void **state)
{
    UNUSED(state);
    static const struct {
        int number;
        const char *told;
    } ends[] = {
        {SIGSEGV, "its worker left: it crashed: Segmentation fault"},
        {SIGABRT, "its worker left: it crashed: Aborted"},
        {SIGFPE, "its worker left: it crashed: Floating point exception"},
        {SIGTERM, "its worker was stopped)"},
        {SIGKILL, "its worker left)"},
    };
    struct daemon d;
    char path[120];
    daemon_init(&d, true);
    snprintf(path, sizeof path, "%s/workers", d.dir);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "none", "--worker-socket", path, NULL});
    daemon_wait_file(&d, path);
    int fd = client_open(&d);
    for (unsigned i = 0; i < GF_ARRAY_LEN(ends); i++) {
        int status;
        pid_t worker = worker_join(path);
        health_await(fd, GF_HEALTH_READY, "");
        assert_int_equal(kill(worker, ends[i].number), 0);
        assert_int_equal(waitpid(worker, &status, 0), worker);
        /* A sanitizer exits with an error after a crash. */
        assert_int_equal(WIFEXITED(status) && WEXITSTATUS(status) == 0, ends[i].number == SIGTERM);
        health_await(fd, GF_HEALTH_STARTING, ends[i].told);
    }
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* Such a crash may be a request's fault, and two of them are. */
static void a_request_is_blamed_for_crashes_of_workers_that_joined(void **state)
{
    UNUSED(state);
    struct daemon d;
    char path[120];
    static struct request r;
    daemon_init(&d, true);
    snprintf(path, sizeof path, "%s/workers", d.dir);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--worker-socket", path, NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    pid_t gpu_pid = fake_join(&d, path, "cuda:0");
    struct fake gpu = fake_accept(&d);
    fake_tell(&gpu, 'h');
    request_init(&r, 16, 16, "cuda:0");
    health_await(fd, GF_HEALTH_READY, "cuda:0 is ready");
    request_send(&r, fd, 2, 1);
    fake_expect(&gpu, "job");
    fake_tell(&gpu, 'd');
    assert_int_equal(waitpid(gpu_pid, NULL, 0), gpu_pid);
    close(gpu.fd);
    fake_expect(&cpu, "job");
    kill(cpu.pid, SIGSEGV);
    expect_error(fd, 2, GF_E_REQUEST_POISON, "two workers died while they had this request");
    close(cpu.fd);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* Where both an index and a UUID name it, say. */
static void one_gpu_is_one_device(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake fakes[3], *gpus[2];
    unsigned n = 0;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0,cuda:1", NULL});
    for (unsigned i = 0; i < 3; i++) {
        fakes[i] = fake_accept(&d);
        if (strcmp(fakes[i].device, "cpu") == 0)
            fake_tell(&fakes[i], 'h');
        else
            gpus[n++] = &fakes[i];
    }
    assert_int_equal(n, 2);
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    char part[160];
    fake_tell(gpus[0], 'H');
    snprintf(part, sizeof part, "%s is ready", gpus[0]->device);
    health_await(fd, GF_HEALTH_DEGRADED, part);
    fake_tell(gpus[1], 'H');
    snprintf(part, sizeof part, "%s is absent (it is the same GPU as %s: GPU-1)", gpus[1]->device, gpus[0]->device);
    health_await(fd, GF_HEALTH_READY, part);
    close(fd);
    for (unsigned i = 0; i < 3; i++)
        close(fakes[i].fd);
    assert_int_equal(daemon_stop(&d), 0);
}

/* The value of an option on a process's command line. */
static uint64_t option_of(pid_t pid, const char *name)
{
    char path[64], line[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    size_t size = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    line[size] = '\0';
    for (const char *at = line; at < line + size; at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return strtoull(at + strlen(at) + 1, NULL, 10);
    fail_msg("no %s", name);
    return 0;
}

static void gpus_share_the_host_memory_for_images(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct fake fakes[3];
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu,cuda:0,cuda:1", NULL});
    for (unsigned i = 0; i < 3; i++) {
        fakes[i] = fake_accept(&d);
        assert_true(option_of(fakes[i].pid, "--host-mapped-max") == gf_machine_host_mapped("", 2));
        fake_tell(&fakes[i], 'h');
    }
    daemon_wait_ready(&d);
    for (unsigned i = 0; i < 3; i++)
        close(fakes[i].fd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gpu_is_one_device),
        cmocka_unit_test(gpus_share_the_host_memory_for_images),
        cmocka_unit_test(requests_of_a_dead_worker_run_on_the_cpu),
        cmocka_unit_test(a_lost_device_is_a_death),
        cmocka_unit_test(a_worker_that_describes_other_results_is_ended),
        cmocka_unit_test(a_request_that_ends_two_workers_is_poison),
        cmocka_unit_test(the_cpu_worker_may_die_too),
        cmocka_unit_test(a_worker_that_says_why_gets_no_more),
        cmocka_unit_test(a_silent_worker_is_killed),
        cmocka_unit_test(a_device_that_keeps_dying_is_set_aside),
        cmocka_unit_test(the_request_that_ends_workers_is_found),
        cmocka_unit_test(an_absent_device_is_said_to_be_absent),
        cmocka_unit_test(without_any_device_the_daemon_says_so_and_ends),
        cmocka_unit_test(a_daemon_waits_until_the_system_is_ready),
        cmocka_unit_test(clients_that_leave_cancel_their_requests),
        cmocka_unit_test(workers_may_join_by_themselves),
        cmocka_unit_test(a_worker_that_joined_tells_of_its_crash),
        cmocka_unit_test(a_request_is_blamed_for_crashes_of_workers_that_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
