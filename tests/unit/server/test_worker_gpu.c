/* SPDX-License-Identifier: MIT */
/* A worker tells the figures of its GPU, of which a fake NVML speaks, and works on when that one hangs. The worker is
 * the real one in a thread; its device is the CPU, with the UUID of the fake's GPU. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/registry.h"
#include "protocol/wire/gpu_msg.h"
#include "protocol/wire/worker_msg.h"
#include "server/worker/job_loop.h"
#include "tests/unit/unit.h"

struct fixture {
    int front, ends[2]; /* the front's end of the socket, and both */
    pthread_t worker;
    int exit_code;
    uint8_t frame[GF_MAX_FRAME_HEAD];
};

static void info(const struct gf_device *device, struct gf_device_info *ret_info)
{
    gf_cpu_backend.info(device, ret_info);
    snprintf(ret_info->uuid, sizeof ret_info->uuid, "GPU-fake");
}

/* In place of kernels/registry.c. */
const struct gf_backend *gf_backend_for_device(const char *device)
{
    static struct gf_backend backend;
    UNUSED(device);
    backend = gf_cpu_backend;
    backend.info = info;
    return &backend;
}

static void no_systemd(const char *state)
{
    (void)state;
}

static void *work(void *arg)
{
    static const volatile sig_atomic_t told_to_end;
    struct fixture *f = arg;
    f->exit_code = gf_job_loop_run(&(struct gf_job_loop_options){.front = f->ends[1],
                                                                 .device = "cpu",
                                                                 .threads = 1,
                                                                 .slots = 1,
                                                                 .pinned_max = 1 << 16,
                                                                 .scratch = 1 << 20,
                                                                 .told_to_end = &told_to_end,
                                                                 .notify = no_systemd});
    return NULL;
}

/* Receives a frame of this kind. Returns the size of its body. */
static uint32_t expect(struct fixture *f, uint16_t kind)
{
    struct gf_header h;
    ssize_t n = recv(f->front, f->frame, sizeof f->frame, 0);
    assert_true(n >= (ssize_t)GF_HEADER_SIZE);
    assert_int_equal(gf_header_decode(f->frame, &h, NULL), GF_OK);
    assert_string_equal(gf_frame_kind_name(h.kind), gf_frame_kind_name(kind));
    return h.body_len;
}

/* Sends a frame without a body. */
static void ask(struct fixture *f, uint16_t kind, uint64_t id)
{
    uint8_t frame[GF_HEADER_SIZE];
    gf_header_encode(&(struct gf_header){.version = GF_VERSION, .kind = kind, .id = id}, frame);
    assert_int_equal(send(f->front, frame, sizeof frame, MSG_NOSIGNAL), sizeof frame);
}

static struct gf_gpu_figures figures_of(struct fixture *f)
{
    struct gf_gpu_figures figures;
    struct gf_error err;
    ask(f, GF_FRAME_WORKER_GPU, 0);
    uint32_t size = expect(f, GF_FRAME_WORKER_GPU);
    if (gf_gpu_decode(f->frame + GF_HEADER_SIZE, size, &figures, &err) != GF_OK)
        fail_msg("%s", err.text);
    return figures;
}

static struct fixture *start(const char *library, const char *mode)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    setenv("GPUFILTER_NVML", library, 1);
    setenv("GF_FAKE_NVML", mode, 1);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, f->ends), 0);
    f->front = f->ends[0];
    assert_int_equal(pthread_create(&f->worker, NULL, work, f), 0);
    expect(f, GF_FRAME_WORKER_HELLO);
    return f;
}

/* Hangs up; the worker must end by itself. */
static void stop(struct fixture *f)
{
    shutdown(f->front, SHUT_RDWR);
    pthread_join(f->worker, NULL);
    assert_int_equal(f->exit_code, GF_WORKER_EXIT_OK);
    close(f->ends[0]);
    close(f->ends[1]);
    free(f);
}

static void is(const struct gf_gpu_figures *f, enum gf_gpu_figure figure, uint64_t value)
{
    assert_true(gf_gpu_knows(f, figure));
    assert_int_equal(f->of[figure], value);
}

static void all_figures_arrive(void **state)
{
    UNUSED(state);
    struct fixture *f = start(GF_TEST_NVML, "");
    for (int time = 0; time < 2; time++) { /* Xid errors are counted once */
        const struct gf_gpu_figures g = figures_of(f);
        assert_int_equal(g.known, (UINT64_C(1) << GF_N_GPU_FIGURES) - 1);
        is(&g, GF_GPU_MEMORY_TOTAL, UINT64_C(1000) << 20);
        is(&g, GF_GPU_MEMORY_USED, UINT64_C(300) << 20);
        is(&g, GF_GPU_UTILIZATION, 75);
        is(&g, GF_GPU_MEMORY_UTILIZATION, 25);
        is(&g, GF_GPU_TEMPERATURE, 41);
        is(&g, GF_GPU_POWER, 123456);
        is(&g, GF_GPU_POWER_LIMIT, 700000);
        is(&g, GF_GPU_ENERGY, 5000500);
        is(&g, GF_GPU_CLOCK_SM, UINT64_C(1980000000));
        is(&g, GF_GPU_CLOCK_MEMORY, UINT64_C(3201000000));
        for (enum gf_gpu_figure i = GF_GPU_THROTTLED_CLOCKS; i <= GF_GPU_THROTTLED_DISPLAY; i++)
            is(&g, i, i == GF_GPU_THROTTLED_SW_POWER || i == GF_GPU_THROTTLED_HW_THERMAL);
        is(&g, GF_GPU_ECC_CORRECTED, 12);
        is(&g, GF_GPU_ECC_UNCORRECTED, 1);
        is(&g, GF_GPU_REMAPPED_CORRECTABLE, 4);
        is(&g, GF_GPU_REMAPPED_UNCORRECTABLE, 2);
        is(&g, GF_GPU_REMAP_PENDING, 1);
        is(&g, GF_GPU_REMAP_FAILURE, 0);
        is(&g, GF_GPU_XID_LAST, 79);
        is(&g, GF_GPU_XID_ERRORS, 2);
        assert_string_equal(g.pci, "00000000:1B:00.0");
        assert_string_equal(g.driver, "580.95.05");
        assert_string_equal(g.cuda, "13.1");
    }
    stop(f);
}

static void what_the_driver_does_not_support_is_left_out(void **state)
{
    UNUSED(state);
    struct fixture *f = start(GF_TEST_NVML, "poor");
    const struct gf_gpu_figures g = figures_of(f);
    assert_int_equal(g.known, UINT64_C(1) << GF_GPU_MEMORY_TOTAL | UINT64_C(1) << GF_GPU_MEMORY_USED);
    is(&g, GF_GPU_MEMORY_USED, UINT64_C(300) << 20);
    assert_string_equal(g.driver, "580.95.05");
    assert_string_equal(g.pci, "");
    stop(f);
}

/* Otherwise the front would kill the worker for what its driver says. */
static void values_that_cannot_be_right_are_left_out(void **state)
{
    UNUSED(state);
    struct fixture *f = start(GF_TEST_NVML, "wild");
    const struct gf_gpu_figures g = figures_of(f);
    static const enum gf_gpu_figure wrong[] = {GF_GPU_MEMORY_TOTAL,  GF_GPU_UTILIZATION,    GF_GPU_TEMPERATURE,
                                               GF_GPU_ENERGY,        GF_GPU_CLOCK_SM,       GF_GPU_CLOCK_MEMORY,
                                               GF_GPU_ECC_CORRECTED, GF_GPU_ECC_UNCORRECTED};
    for (size_t i = 0; i < GF_ARRAY_LEN(wrong); i++)
        assert_false(gf_gpu_knows(&g, wrong[i]));
    is(&g, GF_GPU_MEMORY_UTILIZATION, 25);
    assert_string_equal(g.driver, "");
    assert_string_equal(g.pci, "");
    assert_string_equal(g.cuda, "13.1");
    stop(f);
}

/* Runs a worker with this library, asks twice, and expects two empty answers and one line of log with this text. */
static void tells_nothing(const char *library, const char *mode, const char *why)
{
    char log[4096] = "";
    int to = memfd_create("log", MFD_CLOEXEC), was = dup(STDERR_FILENO);
    assert_true(to >= 0 && was >= 0 && dup2(to, STDERR_FILENO) >= 0);
    struct fixture *f = start(library, mode);
    for (int time = 0; time < 2; time++) {
        ask(f, GF_FRAME_WORKER_GPU, 0);
        assert_int_equal(expect(f, GF_FRAME_WORKER_GPU), 0);
    }
    stop(f);
    dup2(was, STDERR_FILENO);
    assert_true(pread(to, log, sizeof log - 1, 0) > 0);
    close(was);
    close(to);
    if (strstr(log, why) == NULL || strchr(log, '\n') != strrchr(log, '\n'))
        fail_msg("\"%s\" instead of one line with \"%s\"", log, why);
}

static void without_nvml_one_line_says_so(void **state)
{
    UNUSED(state);
    tells_nothing("/nowhere/libnvidia-ml.so.1", "", "no figures of the GPU: /nowhere/libnvidia-ml.so.1: cannot open");
    tells_nothing(GF_TEST_NVML, "mismatch",
                  "no figures of the GPU: GPU-fake: Driver/library version mismatch (NVML error 18)");
}

static void requests_run_while_nvml_hangs(void **state)
{
    UNUSED(state);
    struct fixture *f = start(GF_TEST_NVML, "hang");
    ask(f, GF_FRAME_WORKER_GPU, 0);
    for (uint64_t i = 0; i < 20; i++) {
        ask(f, GF_FRAME_WORKER_GPU, 0);
        ask(f, GF_FRAME_PING, 0);
        expect(f, GF_FRAME_PONG);
        ask(f, GF_FRAME_PING, GF_WORKER_PROBE | i); /* runs a kernel */
        expect(f, GF_FRAME_PONG);
    }
    stop(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_figures_arrive),
        cmocka_unit_test(what_the_driver_does_not_support_is_left_out),
        cmocka_unit_test(values_that_cannot_be_right_are_left_out),
        cmocka_unit_test(without_nvml_one_line_says_so),
        cmocka_unit_test(requests_run_while_nvml_hangs), /* the last one: a thread stays */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
