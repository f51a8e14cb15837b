/* SPDX-License-Identifier: MIT */
/* Resident buffers end to end, with the library and a real worker: results have the same bits as without them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "harness.h"
#include "tests/unit/unit.h"

#define WIDTH 83
#define HEIGHT 61

struct fixture {
    struct daemon d;
    gpufilter_client *client;
    struct gf_view shape;
    gpufilter_view picture; /* in memory */
    gpufilter_view on;      /* the same on the device */
};

static gpufilter_error g_err;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != GPUFILTER_OK)                                                                                    \
            fail_msg("%s", g_err.text);                                                                                \
    } while (0)

static void run_text(struct fixture *f, const char *text, const gpufilter_view *src, gpufilter_view *dst)
{
    gpufilter_result result = {.view = *dst};
    OK(gpufilter_run_text(f->client, text, src, 1, &result, 1, NULL, &g_err));
    *dst = result.view;
}

static void start(struct fixture *f, uint32_t dtype, uint32_t channels)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    daemon_init(&f->d, false);
    daemon_spawn(&f->d, "real", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&f->d);
    options.socket = f->d.socket;
    OK(gpufilter_open(&options, &f->client, &g_err));
    f->shape = gf_view_tight(dtype, WIDTH, HEIGHT, channels);
    size_t n = (size_t)gf_view_bytes(&f->shape);
    uint8_t *data = malloc(n);
    assert_non_null(data);
    for (size_t i = 0; i < n / gf_dtype_size(dtype); i++) {
        uint32_t sample = (uint32_t)i * 2654435761u >> 16;
        if (dtype == GPUFILTER_F32)
            ((float *)(void *)data)[i] = (float)sample / 65536.0f;
        else if (dtype == GPUFILTER_U16)
            ((uint16_t *)(void *)data)[i] = (uint16_t)sample;
        else
            data[i] = (uint8_t)sample;
    }
    f->picture = gpufilter_tight_view(data, WIDTH, HEIGHT, dtype, channels);
    f->on = (gpufilter_view){.data = GPUFILTER_RESIDENT};
    OK(gpufilter_copy(f->client, &f->picture, &f->on, NULL, NULL, &g_err));
}

static void stop(struct fixture *f)
{
    gpufilter_close(f->client);
    free(f->picture.data);
    assert_int_equal(daemon_stop(&f->d), 0);
}

/* Runs a program on a picture in memory and on a resident one, with all results in memory, and compares the bytes. */
static void expect_same(struct fixture *f, const char *text, const gpufilter_view *here, const gpufilter_view *there)
{
    gpufilter_view a = {.data = NULL}, b = {.data = NULL};
    run_text(f, text, here, &a);
    run_text(f, text, there, &b);
    struct gf_view v = gf_view_tight(a.dtype, a.width, a.height, a.channels);
    assert_int_equal(a.width, b.width);
    assert_int_equal(a.height, b.height);
    assert_int_equal(a.channels, b.channels);
    assert_int_equal(a.dtype, b.dtype);
    assert_memory_equal(a.data, b.data, gf_view_bytes(&v));
    gpufilter_free(f->client, a.data);
    gpufilter_free(f->client, b.data);
}

/* The part of a view that begins at (x, y). */
static gpufilter_view part_of(const gpufilter_view *v, uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
    uint64_t pixel = gf_dtype_size(v->dtype) * v->channels;
    gpufilter_view part = *v;
    part.pitch = v->pitch != 0 ? v->pitch : v->width * pixel;
    part.data = (uint8_t *)v->data + y * part.pitch + x * pixel;
    part.width = width;
    part.height = height;
    return part;
}

static void check_all(uint32_t dtype, uint32_t channels)
{
    struct fixture f;
    start(&f, dtype, channels);
    expect_same(&f, "copy", &f.picture, &f.on);
    expect_same(&f, "gaussian sigma=2", &f.picture, &f.on);
    /* A chain that stays there. */
    gpufilter_view here = {.data = NULL}, there = {.data = GPUFILTER_RESIDENT};
    run_text(&f, "gaussian sigma=2", &f.picture, &here);
    run_text(&f, "gaussian sigma=2", &f.on, &there);
    expect_same(&f, "copy", &here, &there);
    expect_same(&f, "histogram bins=64 range=data", &here, &there);
    expect_same(&f, "sobel | stats", &here, &there);
    /* Parts, with borders of their own. */
    for (uint64_t x = 0; x < 8; x++) {
        gpufilter_view a = part_of(&here, x, 3, WIDTH - 9, 40), b = part_of(&there, x, 3, WIDTH - 9, 40);
        expect_same(&f, "copy", &a, &b);
        expect_same(&f, "box size=5", &a, &b);
        expect_same(&f, "histogram bins=16 range=data", &a, &b);
    }
    gpufilter_view a = part_of(&here, 0, HEIGHT - 1, WIDTH, 1), b = part_of(&there, 0, HEIGHT - 1, WIDTH, 1);
    expect_same(&f, "scan", &a, &b);
    /* In place of what it was made from. */
    run_text(&f, "box size=3", &f.picture, &here);
    run_text(&f, "copy", &f.on, &there);
    run_text(&f, "box size=3", &there, &there);
    expect_same(&f, "copy", &here, &there);
    gpufilter_free(f.client, here.data);
    gpufilter_free(f.client, there.data);
    stop(&f);
}

static void bytes_are_the_same(void **state)
{
    UNUSED(state);
    check_all(GPUFILTER_U8, 3);
}

static void words_are_the_same(void **state)
{
    UNUSED(state);
    check_all(GPUFILTER_U16, 1);
}

static void floats_are_the_same(void **state)
{
    UNUSED(state);
    check_all(GPUFILTER_F32, 4);
}

/* The one worker of a daemon: its youngest child. */
static pid_t worker_of(const struct daemon *d)
{
    char path[64], name[32] = "";
    int pid = 0, worker = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)d->pid, (int)d->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (worker == 0 && fscanf(file, "%d", &pid) == 1) {
        snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *comm = fopen(path, "r");
        if (comm != NULL && fscanf(comm, "%31s", name) == 1 && strcmp(name, "gf-spawner") != 0 &&
            strcmp(name, "gpufilter-close") != 0)
            worker = pid;
        if (comm != NULL)
            fclose(comm);
    }
    fclose(file);
    assert_int_not_equal(worker, 0);
    return worker;
}

static void buffers_are_lost_with_their_worker(void **state)
{
    UNUSED(state);
    struct fixture f;
    gpufilter_error err;
    uint8_t here[WIDTH * HEIGHT];
    gpufilter_view dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    start(&f, GPUFILTER_U8, 1);
    kill(worker_of(&f.d), SIGKILL);
    int status;
    do
        status = gpufilter_copy(f.client, &f.on, &dst, NULL, NULL, &err);
    while (status == GPUFILTER_OK); /* until it has been noticed */
    assert_int_equal(status, GPUFILTER_E_HANDLE_LOST);
    OK(gpufilter_copy(f.client, &f.picture, &f.on, NULL, NULL, &g_err)); /* new contents, the same name */
    OK(gpufilter_copy(f.client, &f.on, &dst, NULL, NULL, &g_err));
    assert_memory_equal(here, f.picture.data, sizeof here);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_the_same),
        cmocka_unit_test(words_are_the_same),
        cmocka_unit_test(floats_are_the_same),
        cmocka_unit_test(buffers_are_lost_with_their_worker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
