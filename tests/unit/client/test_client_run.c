/* SPDX-License-Identifier: MIT */
/* The client library against a well-behaved daemon: ways of the data, memory, times, INFO. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/include/gpufilter/ops.h"
#include "fake_server.h"
#include "tests/support/resources.h"

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
    int fds;
};

static gpufilter_client *open_client(struct fake_server *s)
{
    gpufilter_client *client = NULL;
    gpufilter_error err;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = s->path;
    assert_int_equal(gpufilter_open(&options, &client, &err), GPUFILTER_OK);
    return client;
}

static int start(void **state, bool no_fds, uint64_t max_inline)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->fds = gf_fd_count();
    f->server = fake_server_new();
    f->server->no_fds = no_fds;
    f->server->max_inline = max_inline;
    fake_server_start(f->server);
    f->client = open_client(f->server);
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return start(state, false, 0);
}

static int setup_no_fds(void **state)
{
    return start(state, true, 0);
}

static int setup_small_inline(void **state)
{
    return start(state, false, 10000);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    assert_int_equal(gf_fd_count(), f->fds);
    free(f);
    return 0;
}

static void fill(uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        data[i] = (uint8_t)(i * 7 + i / 251);
}

static void assert_added(const uint8_t *src, const uint8_t *dst, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(dst[i], (uint8_t)(src[i] + 1));
}

static void run_goes_inline_with_pitches(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint8_t src[5 * 10], dst[5 * 16];
    fill(src, sizeof(src));
    memset(dst, 0xEE, sizeof(dst));
    gpufilter_view in = {.data = src, .width = 3, .height = 5, .pitch = 10, .dtype = GPUFILTER_U8, .channels = 3},
                   out = {.data = dst, .width = 3, .height = 5, .pitch = 16, .dtype = GPUFILTER_U8, .channels = 3};
    in.depth = 1; /* of one plane the distance to the next one is of no effect */
    in.plane_pitch = 1;
    out.plane_pitch = 7;
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(out.plane_pitch, 7);
    for (size_t y = 0; y < 5; y++) {
        assert_added(src + y * 10, dst + y * 16, 9);
        for (size_t x = 9; x < 16; x++)
            assert_int_equal(dst[y * 16 + x], 0xEE);
    }
    assert_int_equal(f->server->inline_operands, 1);
    assert_int_equal(f->server->inline_results, 1);
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    assert_int_equal(gpufilter_last_times(f->client, &times, &err), GPUFILTER_OK);
    assert_int_equal(times.n_copied, 2);
    assert_int_equal(times.queue_ns, 1);
    assert_int_equal(times.total_ns, 5);
    assert_true(times.round_trip_ns > 0);
    assert_string_equal(times.device, "cpu");
    assert_string_equal(times.why, "cpu 2.1 ms (as requested)");
}

static void result_without_data_is_allocated(void **state)
{
    struct fixture *f = *state;
    uint8_t src[12];
    fill(src, sizeof(src));
    gpufilter_view in = gpufilter_tight_view(src, 4, 3, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_run_text(f->client, "box size=3", &in, 1, &result, 1, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.width, 4);
    assert_int_equal(result.view.height, 3);
    assert_int_equal(result.view.pitch, 4);
    assert_int_equal(result.view.dtype, GPUFILTER_U8);
    assert_int_equal(result.view.channels, 1);
    assert_added(src, result.view.data, sizeof(src));
    gpufilter_free(f->client, result.view.data);
}

/* One pair of views for pictures of several sizes, each with memory of exactly its size. */
static void pitches_of_the_caller_stay(void **state)
{
    struct fixture *f = *state;
    const uint64_t sides[] = {64, 32, 16, 48};
    gpufilter_view in = gpufilter_tight_view(NULL, 0, 0, GPUFILTER_U8, 1), out = in;
    for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        size_t n = sides[i] * sides[i];
        in.width = in.height = out.width = out.height = sides[i];
        in.data = malloc(n);
        out.data = malloc(n);
        fill(in.data, n);
        assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
        assert_added(in.data, out.data, n);
        gpufilter_result result = {.view = out};
        memset(out.data, 0, n);
        assert_int_equal(gpufilter_run_text(f->client, "box", &in, 1, &result, 1, NULL, NULL), GPUFILTER_OK);
        assert_added(in.data, out.data, n);
        assert_int_equal(gpufilter_infer_text("box", &in, 1, &result, 1, NULL), GPUFILTER_OK);
        assert_memory_equal(&result.view, &out, sizeof(out));
        assert_int_equal(in.pitch, 0);
        assert_int_equal(out.pitch, 0);
        free(in.data);
        free(out.data);
    }
    /* A pitch that is given stays, too. */
    uint8_t src[12], wide[3 * 16];
    fill(src, sizeof(src));
    in = gpufilter_tight_view(src, 4, 3, GPUFILTER_U8, 1);
    gpufilter_result result = {
        .view = {.data = wide, .width = 4, .height = 3, .pitch = 16, .dtype = GPUFILTER_U8, .channels = 1}};
    assert_int_equal(gpufilter_infer_text("box", &in, 1, &result, 1, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_run_text(f->client, "box", &in, 1, &result, 1, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(result.view.pitch, 16);
    assert_added(src + 4, wide + 16, 4);
}

static void second_large_run_goes_through_arenas(void **state)
{
    struct fixture *f = *state;
    enum { N = 640 * 480 };
    uint8_t *src = malloc(N), *dst = malloc(N);
    gpufilter_view in = gpufilter_tight_view(src, 640, 480, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 640, 480, GPUFILTER_U8, 1);
    for (unsigned i = 0; i < 3; i++) {
        fill(src, N);
        src[0] = (uint8_t)i;
        memset(dst, 0, N);
        assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
        assert_added(src, dst, N);
        assert_int_equal(f->server->arena_operands, i == 0 ? 0 : 1);
        assert_int_equal(f->server->arena_results, i == 0 ? 0 : 1);
    }
    assert_int_equal(f->server->n_arenas, 1);
    out.data = NULL;
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
    assert_added(src, out.data, N);
    assert_int_equal(f->server->arena_results, 1);
    gpufilter_free(f->client, out.data);
    free(src);
    free(dst);
}

static void arena_memory_is_not_copied(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    void *src = NULL, *dst = NULL;
    assert_int_equal(gpufilter_alloc(f->client, 100 * 80, &src, &err), GPUFILTER_OK);
    assert_int_equal(gpufilter_alloc(f->client, 128 * 80, &dst, &err), GPUFILTER_OK);
    assert_int_equal((uintptr_t)src % 4096, 0);
    fill(src, 8000);
    gpufilter_view in = gpufilter_tight_view(src, 100, 80, GPUFILTER_U8, 1),
                   out = {.data = dst, .width = 100, .height = 80, .pitch = 128, .dtype = GPUFILTER_U8, .channels = 1};
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
        for (size_t y = 0; y < 80; y++)
            assert_added((uint8_t *)src + y * 100, (uint8_t *)dst + y * 128, 100);
    }
    assert_int_equal(f->server->arena_operands, 1);
    assert_int_equal(f->server->arena_results, 1);
    assert_int_equal(f->server->n_arenas, 1);
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    gpufilter_last_times(f->client, &times, NULL);
    assert_int_equal(times.n_copied, 0);
    gpufilter_free(f->client, src);
    gpufilter_free(f->client, dst);
}

/* Two blocks of 5000 bytes, and views that end beyond the first. */
static void no_view_leaves_its_memory(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint8_t src[5001], *blocks[2];
    void *data = NULL;
    fill(src, sizeof(src));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gpufilter_alloc(f->client, 5000, &data, &err), GPUFILTER_OK);
        blocks[i] = memset(data, 2, 5000);
    }
    gpufilter_view in = gpufilter_tight_view(src, 5001, 1, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(blocks[0], 5001, 1, GPUFILTER_U8, 1);
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_OUTPUT_TOO_SMALL);
    assert_string_equal(err.text, "result 0 takes 5001 bytes; its memory of gpufilter_alloc has 5000 from there on");
    assert_int_equal(err.needed, 5001);
    assert_int_equal(gpufilter_copy(f->client, &out, &in, NULL, NULL, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "operand 0 takes 5001 bytes; its memory of gpufilter_alloc has 5000 from there on");
    assert_int_equal(err.needed, 0);
    in.width = out.width = 2500;
    out.data = blocks[0] + 2501;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_OUTPUT_TOO_SMALL);
    in.width = out.width = 100;
    in.height = out.height = 2;
    out.pitch = 4901; /* the last row of it ends one byte too late */
    out.data = blocks[0];
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_OUTPUT_TOO_SMALL);
    assert_int_equal(f->server->n_runs, 0);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(blocks[i / 5000][i % 5000], 2);
    out.pitch = 4900;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_added(src + 100, blocks[0] + 4900, 100);
    assert_int_equal(blocks[1][0], 2);
}

/* Memory that the process cannot read or write is the caller's fault and told as such; other requests go on. */
static void memory_that_faults_is_told(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    static uint8_t good[200000];
    const size_t pages = 1 << 18; /* readable up to the middle */
    uint8_t *bad = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(bad != MAP_FAILED);
    assert_int_equal(mprotect(bad + pages / 2, pages / 2, PROT_NONE), 0);
    gpufilter_view in = gpufilter_tight_view(bad + pages / 2, 100, 1, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(good, 100, 1, GPUFILTER_U8, 1);
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "the memory of an operand cannot be read");
    assert_int_equal(f->server->n_runs, 0);
    in.data = bad;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(f->server->n_connections, 1); /* nothing of the request had been sent */
    in.width = out.width = 200000;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "the memory of an operand cannot be read");
    in.width = out.width = 100;
    out.data = bad + pages / 2;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "the memory of a result cannot be written");
    out.data = good;
    assert_int_equal(gpufilter_copy(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_added(bad, good, 100);
    assert_int_equal(munmap(bad, pages), 0);
}

static void freed_memory_is_no_operand_and_no_result(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint8_t here[4096] = {0};
    void *data = NULL;
    assert_int_equal(gpufilter_alloc(f->client, 4096, &data, &err), GPUFILTER_OK);
    gpufilter_free(f->client, data);
    gpufilter_view freed = gpufilter_tight_view(data, 64, 64, GPUFILTER_U8, 1),
                   mine = gpufilter_tight_view(here, 64, 64, GPUFILTER_U8, 1);
    assert_int_equal(gpufilter_copy(f->client, &freed, &mine, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "operand 0 lies in memory that was freed by gpufilter_free, or never allocated");
    assert_int_equal(gpufilter_copy(f->client, &mine, &freed, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "result 0 lies in memory that was freed by gpufilter_free, or never allocated");
    assert_int_equal(f->server->n_runs, 0);
}

static void result_lies_where_the_operand_does(void **state)
{
    struct fixture *f = *state;
    enum { N = 640 * 480 };
    void *src = NULL;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    assert_int_equal(gpufilter_alloc(f->client, N, &src, NULL), GPUFILTER_OK);
    fill(src, N);
    gpufilter_view in = gpufilter_tight_view(src, 640, 480, GPUFILTER_U8, 1), out = {.data = NULL};
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
    assert_added(src, out.data, N);
    assert_int_equal(f->server->arena_results, 1);
    gpufilter_last_times(f->client, &times, NULL);
    assert_int_equal(times.n_copied, 0);
    gpufilter_free(f->client, out.data);
    gpufilter_free(f->client, src);
}

static void without_descriptors_all_goes_inline(void **state)
{
    struct fixture *f = *state;
    void *src = NULL;
    enum { N = 600 * 600 };
    assert_int_equal(gpufilter_alloc(f->client, N, &src, NULL), GPUFILTER_OK);
    fill(src, N);
    gpufilter_view in = gpufilter_tight_view(src, 600, 600, GPUFILTER_U8, 1), out = in;
    for (unsigned i = 0; i < 2; i++) {
        out.data = NULL;
        assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
        assert_added(src, out.data, N);
        gpufilter_free(f->client, out.data);
    }
    assert_int_equal(f->server->inline_operands, 1);
    assert_int_equal(f->server->n_arenas, 0);
}

static void more_than_max_inline_takes_an_arena_at_once(void **state)
{
    struct fixture *f = *state;
    uint8_t *src = malloc(200 * 100);
    fill(src, 200 * 100);
    gpufilter_view in = gpufilter_tight_view(src, 200, 100, GPUFILTER_U8, 1), out = {.data = NULL};
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, NULL), GPUFILTER_OK);
    assert_added(src, out.data, 200 * 100);
    assert_int_equal(f->server->arena_operands, 1);
    free(src);
}

static void questions_are_answered(void **state)
{
    struct fixture *f = *state;
    uint64_t ns = 0;
    gpufilter_device devices[3] = {{.units = 99}, {.units = 99}, {.units = 99}};
    uint32_t n = 0;
    gpufilter_health_info health = GPUFILTER_HEALTH_INFO_INIT;
    assert_int_equal(gpufilter_ping(f->client, &ns, NULL), GPUFILTER_OK);
    assert_true(ns > 0);
    assert_int_equal(gpufilter_devices(f->client, devices, sizeof(devices[0]), 3, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 2);
    assert_string_equal(devices[0].name, "cpu");
    assert_int_equal(devices[0].memory, 7);
    assert_int_equal(devices[1].state, GPUFILTER_DEVICE_ABSENT);
    assert_int_equal(devices[2].units, 99);
    assert_int_equal(gpufilter_health(f->client, &health, NULL), GPUFILTER_OK);
    assert_int_equal(health.state, GPUFILTER_HEALTH_DEGRADED);
    assert_string_equal(health.text, "no GPU");
    assert_string_equal(gpufilter_server(f->client), "fake 1.0");
    assert_int_equal(gpufilter_revision(f->client, "gaussian"), 3);
    assert_int_equal(gpufilter_revision(f->client, "blur"), 3); /* the same by another name */
    assert_int_equal(gpufilter_revision(f->client, "box"), 1);
    assert_int_equal(gpufilter_revision(f->client, "gausian"), 0);
    assert_int_equal(gpufilter_revision(f->client, NULL), 0);
    assert_int_equal(gpufilter_revision(NULL, "box"), 0);
    assert_string_equal(gpufilter_socket(f->client), f->server->path);
}

static void smaller_structs_of_old_callers_are_taken(void **state)
{
    struct fixture *f = *state;
    gpufilter_health_info health = {.struct_size = 8, .text = "kept"};
    gpufilter_device devices[2] = {{.units = 9}, {.units = 9}};
    uint32_t n = 0;
    assert_int_equal(gpufilter_health(f->client, &health, NULL), GPUFILTER_OK);
    assert_int_equal(health.state, GPUFILTER_HEALTH_DEGRADED);
    assert_int_equal(health.struct_size, 8);
    assert_string_equal(health.text, "kept");
    assert_int_equal(gpufilter_devices(f->client, devices, 72, 2, &n, NULL), GPUFILTER_OK);
    assert_string_equal((char *)devices + 72, "cuda:0");
    assert_int_equal(devices[1].units, 9);
}

static void metrics_are_handed_on(void **state)
{
    struct fixture *f = *state;
    gpufilter_metric metrics[3] = {{.kind = 99}, {.kind = 99}, {.kind = 99}};
    gpufilter_error err;
    uint32_t n = 0;
    assert_int_equal(gpufilter_metrics(f->client, NULL, sizeof(metrics[0]), 0, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 2);
    assert_int_equal(gpufilter_metrics(f->client, metrics, sizeof(metrics[0]), 3, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 2);
    assert_string_equal(metrics[0].name, "answers_total");
    assert_string_equal(metrics[0].labels, "device=\"cpu\"");
    assert_string_equal(metrics[0].help, "How many.");
    assert_int_equal(metrics[0].kind, GPUFILTER_METRIC_COUNTER);
    assert_true(metrics[0].value == 7);
    assert_int_equal(metrics[1].kind, GPUFILTER_METRIC_HISTOGRAM);
    assert_int_equal(metrics[1].n_bins, 3);
    assert_true(metrics[1].value == 2.5 && metrics[1].bound == 0.25 && metrics[1].bins[2] == 2);
    assert_int_equal(metrics[2].kind, 99);
    /* An old caller knows less, and has room for one. */
    memset(metrics, 1, sizeof(metrics));
    assert_int_equal(gpufilter_metrics(f->client, metrics, 128, 1, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 2);
    assert_string_equal(metrics[0].name, "answers_total");
    assert_int_equal(metrics[0].labels[0], 1);
    assert_int_equal(gpufilter_metrics(f->client, NULL, 128, 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
}

static void metrics_may_have_pages(void **state)
{
    struct fixture *f = *state;
    gpufilter_metric metrics[2] = {{.kind = 99}, {.kind = 99}};
    gpufilter_error err;
    uint32_t n = 0;
    f->server->next_page = 2;
    assert_int_equal(gpufilter_metrics(f->client, metrics, sizeof(metrics[0]), 2, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 2);
    assert_string_equal(metrics[0].name, "answers_total");
    assert_string_equal(metrics[1].name, "time_seconds");
    f->server->page_after = 2; /* and so on */
    assert_int_equal(gpufilter_metrics(f->client, NULL, sizeof(metrics[0]), 0, &n, &err), GPUFILTER_E_BAD_REPLY);
    assert_string_equal(err.text,
                        "after page 2 the daemon's answer goes on with page 2; allowed: a later one, up to 4096");
    f->server->next_page = 4097;
    assert_int_equal(gpufilter_metrics(f->client, NULL, sizeof(metrics[0]), 0, &n, &err), GPUFILTER_E_BAD_REPLY);
    assert_int_equal(n, 2);
    assert_int_equal(gpufilter_ping(f->client, NULL, NULL), GPUFILTER_OK);
}

static void metrics_that_cannot_be_believed_change_nothing(void **state)
{
    struct fixture *f = *state;
    gpufilter_metric metric = {.kind = 99};
    gpufilter_error err;
    uint32_t n = 99;
    f->server->bad_metrics = true;
    assert_int_equal(gpufilter_metrics(f->client, &metric, sizeof(metric), 1, &n, &err), GPUFILTER_E_BAD_REPLY);
    assert_non_null(strstr(err.text, "metric name 'two words'"));
    assert_int_equal(metric.kind, 99);
    assert_int_equal(n, 99);
    assert_int_equal(gpufilter_ping(f->client, NULL, NULL), GPUFILTER_OK);
}

/* A limit of 0 is a limit; only the value that INIT sets means no limit. */
static void a_threshold_of_zero_is_given(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint8_t src[12] = {0}, dst[4];
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 3),
                   out = gpufilter_tight_view(dst, 2, 2, GPUFILTER_U8, 1);
    gpufilter_threshold_params params = GPUFILTER_THRESHOLD_INIT;
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, &params, NULL, &err), GPUFILTER_OK);
    params.mode = GPUFILTER_THRESHOLD_MODE_FIXED;
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, &params, NULL, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "mode=fixed needs a value"));
    params.value = 0.0f;
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, &params, NULL, &err), GPUFILTER_OK);
    params.mode = GPUFILTER_THRESHOLD_MODE_OTSU;
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, &params, NULL, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "value=0 cannot be used with mode=otsu"));
    params.value = params.value / params.value; /* a NaN, but not the one that says "not given" */
    assert_int_equal(gpufilter_threshold(f->client, &in, &out, &params, NULL, &err), GPUFILTER_E_BAD_PARAM);
    assert_non_null(strstr(err.text, "is not a finite f32 number"));
}

static void fork_makes_the_client_useless(void **state)
{
    struct fixture *f = *state;
    pid_t child = fork();
    if (child == 0) {
        gpufilter_error err = {.text = ""};
        int status = gpufilter_ping(f->client, NULL, &err);
        gpufilter_close(f->client);
        _exit(status == GPUFILTER_E_FORKED && err.status == GPUFILTER_E_FORKED ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(gpufilter_ping(f->client, NULL, NULL), GPUFILTER_OK);
}

/* Memory of the library in a child, and in a child of the child, is a copy; closing the client there harms nobody. */
static bool use_copies(struct fixture *f, uint8_t *data, gpufilter_view *result)
{
    uint8_t *pixels = result->data;
    bool right = data[0] == 10 && data[4096] == 20 && pixels[0] == 11;
    data[0] = pixels[0] = 99;
    pid_t child = fork();
    if (child == 0) {
        right = right && data[0] == 99 && data[4096] == 20 && pixels[0] == 99;
        data[0] = 98;
        _exit(right ? 0 : 1);
    }
    int status = 1;
    right = right && waitpid(child, &status, 0) == child && status == 0 && data[0] == 99;
    gpufilter_free(f->client, data); /* has no effect */
    right = right && data[0] == 99;
    gpufilter_close(f->client);
    return right;
}

static void memory_in_a_child_is_its_own(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    void *data = NULL;
    assert_int_equal(gpufilter_alloc(f->client, 40000, &data, &err), GPUFILTER_OK);
    memset(data, 10, 40000);
    memset((uint8_t *)data + 4096, 20, 4096);
    gpufilter_view in = gpufilter_tight_view(data, 200, 200, GPUFILTER_U8, 1), out = {.data = NULL};
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(f->server->arena_results, 1);
    assert_int_equal(gpufilter_ping(f->client, NULL, NULL), GPUFILTER_OK); /* the server's thread holds no memory now */
    pid_t child = fork();
    if (child == 0)
        _exit(use_copies(f, data, &out) ? 0 : 1);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(*(uint8_t *)data, 10);
    assert_int_equal(*(uint8_t *)out.data, 11);
    /* The parent still shares it with the daemon. */
    memset(data, 30, 40000);
    assert_int_equal(gpufilter_box(f->client, &in, &out, NULL, NULL, &err), GPUFILTER_OK);
    assert_int_equal(*(uint8_t *)out.data, 31);
    assert_int_equal(f->server->arena_operands, 1);
    assert_int_equal(f->server->arena_results, 1);
}

/* Lets a child process work with a client of its own; nothing may end it. The server has one connection at a time. */
static void in_child(struct fixture *f, bool (*work)(struct fake_server *s))
{
    f->client = gpufilter_close(f->client);
    pid_t child = fork();
    if (child == 0)
        _exit(work(f->server) ? 0 : 1);
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool use_no_standard_stream(struct fake_server *s)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    void *data = NULL;
    int fd = -1;
    for (int stream = 0; stream < 3; stream++)
        close(stream);
    options.socket = s->path;
    bool right = gpufilter_open(&options, &client, NULL) == GPUFILTER_OK &&
                 gpufilter_alloc(client, 8192, &data, NULL) == GPUFILTER_OK &&
                 gpufilter_fd(client, &fd, NULL) == GPUFILTER_OK;
    for (int stream = 0; stream < 3; stream++)
        right = right && fcntl(stream, F_GETFD) == -1;
    gpufilter_view in = gpufilter_tight_view(data, 64, 64, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view((uint8_t *)data + 4096, 64, 64, GPUFILTER_U8, 1);
    right = right && gpufilter_box(client, &in, &out, NULL, NULL, NULL) == GPUFILTER_OK && fcntl(1, F_GETFD) == -1;
    gpufilter_close(client);
    return right;
}

static void no_descriptor_is_a_standard_stream(void **state)
{
    in_child(*state, use_no_standard_stream);
}

static bool run_below_the_limit(struct fake_server *s)
{
    enum { N = 640 * 480 };
    static uint8_t src[N], dst[N];
    const struct rlimit limit = {100000, 100000};
    gpufilter_view in = gpufilter_tight_view(src, 640, 480, GPUFILTER_U8, 1),
                   out = gpufilter_tight_view(dst, 640, 480, GPUFILTER_U8, 1);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    void *data = NULL;
    options.socket = s->path;
    signal(SIGXFSZ, SIG_DFL);
    bool right =
        setrlimit(RLIMIT_FSIZE, &limit) == 0 && gpufilter_open(&options, &client, NULL) == GPUFILTER_OK &&
        gpufilter_alloc(client, N, &data, &err) == GPUFILTER_E_NO_MEMORY &&
        strcmp(err.text, "cannot get 307200 bytes of shared memory: File too large; ulimit -f limits it") == 0 &&
        gpufilter_alloc(client, 65536, &data, NULL) == GPUFILTER_OK;
    for (uint8_t i = 1; i < 4 && right; i++) {
        memset(src, i, N);
        right = gpufilter_box(client, &in, &out, NULL, NULL, NULL) == GPUFILTER_OK && dst[0] == i + 1 &&
                dst[N - 1] == i + 1;
    }
    gpufilter_close(client);
    return right;
}

static void the_limit_of_file_sizes_ends_nothing(void **state)
{
    in_child(*state, run_below_the_limit);
}

static void device_and_deadline_are_sent(void **state)
{
    struct fixture *f = *state;
    const gpufilter_box_params params = GPUFILTER_BOX_INIT;
    const gpufilter_step step = {.params = &params};
    gpufilter_call call = GPUFILTER_CALL_INIT;
    call.device = "cuda:1";
    call.deadline_ms = 12345;
    uint8_t src[4] = {1, 2, 3, 4};
    gpufilter_view in = gpufilter_tight_view(src, 2, 2, GPUFILTER_U8, 1);
    gpufilter_result result = GPUFILTER_RESULT_INIT;
    assert_int_equal(gpufilter_run(f->client, &step, 1, &in, 1, &result, 1, &call, NULL), GPUFILTER_OK);
    assert_string_equal(f->server->device, "cuda:1");
    assert_in_range(f->server->deadline_ms, 1, 12345); /* what is left of it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(run_goes_inline_with_pitches, setup, teardown),
        cmocka_unit_test_setup_teardown(result_without_data_is_allocated, setup, teardown),
        cmocka_unit_test_setup_teardown(pitches_of_the_caller_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(second_large_run_goes_through_arenas, setup, teardown),
        cmocka_unit_test_setup_teardown(arena_memory_is_not_copied, setup, teardown),
        cmocka_unit_test_setup_teardown(no_view_leaves_its_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(no_view_leaves_its_memory, setup_no_fds, teardown),
        cmocka_unit_test_setup_teardown(memory_that_faults_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(freed_memory_is_no_operand_and_no_result, setup, teardown),
        cmocka_unit_test_setup_teardown(result_lies_where_the_operand_does, setup, teardown),
        cmocka_unit_test_setup_teardown(without_descriptors_all_goes_inline, setup_no_fds, teardown),
        cmocka_unit_test_setup_teardown(more_than_max_inline_takes_an_arena_at_once, setup_small_inline, teardown),
        cmocka_unit_test_setup_teardown(questions_are_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(smaller_structs_of_old_callers_are_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(metrics_are_handed_on, setup, teardown),
        cmocka_unit_test_setup_teardown(metrics_may_have_pages, setup, teardown),
        cmocka_unit_test_setup_teardown(metrics_that_cannot_be_believed_change_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_threshold_of_zero_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(fork_makes_the_client_useless, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_in_a_child_is_its_own, setup, teardown),
        cmocka_unit_test_setup_teardown(no_descriptor_is_a_standard_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(the_limit_of_file_sizes_ends_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(device_and_deadline_are_sent, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
