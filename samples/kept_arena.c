/* SPDX-License-Identifier: MIT */
/*
 * A long-lived program keeps its pictures in memory that it shares with the daemon, so that no call copies them. This
 * one takes two buffers from gpufilter_alloc, runs several filters from one to the other and back, and prints the
 * times. Usage: kept_arena [SOCKET]
 */
#include <gpufilter/ops.h>

#include <stdio.h>

#define WIDTH 1920
#define HEIGHT 1080
#define ROUNDS 5

static int fail(gpufilter_client *client, const char *what, const gpufilter_error *err)
{
    fprintf(stderr, "kept_arena: %s: %s\n", what, err->text);
    gpufilter_close(client);
    return 1;
}

/* One round: a blur into b, a sharpening mask back into a. */
static int filter(gpufilter_client *client, gpufilter_view *a, gpufilter_view *b, gpufilter_error *err)
{
    static const float mask[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
    const gpufilter_view coefs = gpufilter_const_view(mask, 3, 3, GPUFILTER_F32, 1);
    gpufilter_box_params box = GPUFILTER_BOX_INIT;
    box.size[0] = 5;
    int status = gpufilter_box(client, a, b, &box, NULL, err);
    if (status == GPUFILTER_OK)
        status = gpufilter_correlate(client, b, &coefs, a, NULL, NULL, err);
    return status;
}

int main(int argc, char **argv)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = argc > 1 ? argv[1] : NULL;
    options.deadline_ms = 60000;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    if (gpufilter_open(&options, &client, &err) != GPUFILTER_OK)
        return fail(client, "open", &err);

    gpufilter_view a = gpufilter_tight_view(NULL, WIDTH, HEIGHT, GPUFILTER_U8, 1), b = a;
    if (gpufilter_alloc(client, WIDTH * HEIGHT, &a.data, &err) != GPUFILTER_OK ||
        gpufilter_alloc(client, WIDTH * HEIGHT, &b.data, &err) != GPUFILTER_OK)
        return fail(client, "alloc", &err);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        ((uint8_t *)a.data)[i] = (uint8_t)(i * 2654435761u >> 24);

    for (int round = 0; round < ROUNDS; round++) {
        gpufilter_times times = GPUFILTER_TIMES_INIT;
        if (filter(client, &a, &b, &err) != GPUFILTER_OK || gpufilter_last_times(client, &times, &err) != GPUFILTER_OK)
            return fail(client, "filter", &err);
        printf("round %d on %s: %.3f ms, of which the kernel %.3f ms; %u copied (the mask)\n", round, times.device,
               (double)times.round_trip_ns / 1e6, (double)times.kernel_ns / 1e6, times.n_copied);
    }
    gpufilter_free(client, a.data);
    gpufilter_free(client, b.data);
    gpufilter_close(client);
    return 0;
}
