/* SPDX-License-Identifier: MIT */
/*
 * A program with an event loop of its own, here libuv's, has many pictures processed at once: one descriptor in the
 * loop stands for all requests in flight. Meanwhile a timer keeps ticking, and the handler of an answer submits the
 * next request, which keeps the device busy. Prints a checksum of the pictures. Usage: uv_loop [SOCKET]
 */
#include <gpufilter/ops.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#define WIDTH 320
#define HEIGHT 240
#define PICTURES 100    /* in total */
#define ON_THEIR_WAY 40 /* in flight at once */
#define TURN 8          /* answers handled before the loop serves others */

/* A slot, which holds one picture after another. */
struct slot {
    struct loop *loop;
    unsigned picture;
    uint8_t src[WIDTH * HEIGHT], dst[WIDTH * HEIGHT];
};

struct loop {
    gpufilter_client *client;
    uv_poll_t answers;
    uv_timer_t ticker;
    unsigned n_submitted, n_answered, n_ticks;
    uint64_t sum;
    int failed;
    struct slot slots[ON_THEIR_WAY];
};

static void stop(struct loop *l)
{
    uv_close((uv_handle_t *)&l->answers, NULL);
    uv_close((uv_handle_t *)&l->ticker, NULL);
}

static void fail(struct loop *l, const gpufilter_error *err)
{
    fprintf(stderr, "uv_loop: %s: %s\n", gpufilter_status_name(err->status), err->text);
    l->failed = 1;
}

/* Submits the next picture. Its memory belongs to the library until the answer; the steps are copied at once. */
static void submit_next(struct slot *slot)
{
    struct loop *l = slot->loop;
    gpufilter_error err;
    gpufilter_gaussian_params blur = GPUFILTER_GAUSSIAN_INIT;
    const gpufilter_sharpen_params sharpen = GPUFILTER_SHARPEN_INIT;
    const gpufilter_step steps[] = {{.params = &blur}, {.params = &sharpen}};
    blur.sigma[0] = 2;
    slot->picture = l->n_submitted++;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        slot->src[i] = (uint8_t)((i + 1) * (slot->picture + 1) * 2654435761u >> 24);
    const gpufilter_view src = gpufilter_tight_view(slot->src, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    gpufilter_result result = {gpufilter_tight_view(slot->dst, WIDTH, HEIGHT, GPUFILTER_U8, 1), NULL};
    if (gpufilter_submit(l->client, steps, 2, &src, 1, &result, 1, NULL, slot, NULL, &err) != GPUFILTER_OK)
        fail(l, &err);
}

static void take_answer(struct loop *l, const gpufilter_answer *answer)
{
    struct slot *slot = answer->context;
    l->n_answered++;
    if (answer->status != GPUFILTER_OK)
        fail(l, &answer->error);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) /* answers come in any order, so the checksum must not depend on it */
        l->sum += (uint64_t)slot->dst[i] * (i % 251 + 1) * (slot->picture + 1);
    if (l->n_submitted < PICTURES && !l->failed)
        submit_next(slot);
}

/* The descriptor is readable, and stays readable while there are answers. */
static void on_readable(uv_poll_t *handle, int status, int events)
{
    struct loop *l = handle->data;
    (void)status, (void)events;
    for (unsigned i = 0; i < TURN; i++) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        gpufilter_error err;
        if (gpufilter_poll(l->client, &answer, &err) != GPUFILTER_OK)
            fail(l, &err);
        if (answer.id == 0)
            break;
        take_answer(l, &answer);
    }
    if (l->n_answered == l->n_submitted || l->failed)
        stop(l);
}

static void on_tick(uv_timer_t *handle)
{
    ((struct loop *)handle->data)->n_ticks++;
}

static int run(struct loop *l, uv_loop_t *uv, gpufilter_error *err)
{
    int fd = -1;
    if (gpufilter_fd(l->client, &fd, err) != GPUFILTER_OK)
        return 1;
    uv_poll_init(uv, &l->answers, fd);
    uv_timer_init(uv, &l->ticker);
    l->answers.data = l->ticker.data = l;
    uv_poll_start(&l->answers, UV_READABLE, on_readable);
    uv_timer_start(&l->ticker, on_tick, 1, 1);
    for (unsigned i = 0; i < ON_THEIR_WAY; i++) {
        l->slots[i].loop = l;
        submit_next(&l->slots[i]);
    }
    uv_run(uv, UV_RUN_DEFAULT);
    return l->failed;
}

int main(int argc, char **argv)
{
    struct loop *l = calloc(1, sizeof(*l));
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_error err;
    options.socket = argc > 1 ? argv[1] : NULL;
    options.deadline_ms = 60000;
    if (l == NULL)
        return 1;
    if (gpufilter_open(&options, &l->client, &err) != GPUFILTER_OK) {
        fprintf(stderr, "uv_loop: %s\n", err.text);
        free(l);
        return 1;
    }
    uv_loop_t *uv = uv_default_loop();
    int status = run(l, uv, &err);
    uv_loop_close(uv);
    if (status == 0)
        printf("%016" PRIx64 " of %u pictures, %u at once, %u ticks meanwhile\n", l->sum, l->n_answered, ON_THEIR_WAY,
               l->n_ticks);
    gpufilter_close(l->client);
    free(l);
    return status;
}
