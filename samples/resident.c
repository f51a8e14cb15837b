/* SPDX-License-Identifier: MIT */
/*
 * A program that analyses one picture in many ways sends it once. This one uploads a picture into a resident buffer,
 * blurs it into a second buffer, takes the histogram of the blurred picture and of a part of it, and fetches only a
 * small part. Usage: resident [SOCKET]
 */
#include <gpufilter/ops.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 1920
#define HEIGHT 1080
#define PART 64 /* side of the fetched part */
#define BINS 8

static int fail(gpufilter_client *client, const char *what, const gpufilter_error *err)
{
    fprintf(stderr, "resident: %s: %s\n", what, err->text);
    gpufilter_close(client);
    return 1;
}

/* Prints the histogram of a view, whether in memory or resident. */
static int print_histogram(gpufilter_client *client, const char *name, const gpufilter_view *view, gpufilter_error *err)
{
    uint64_t counts[BINS];
    gpufilter_result result = {gpufilter_tight_view(counts, BINS, 1, GPUFILTER_U64, 1), NULL};
    int status = gpufilter_run_text(client, "histogram bins=8", view, 1, &result, 1, NULL, err);
    printf("%-8s", name);
    for (int i = 0; i < BINS && status == GPUFILTER_OK; i++)
        printf(" %8" PRIu64, counts[i]);
    printf("\n");
    return status;
}

int main(int argc, char **argv)
{
    static uint8_t pixels[WIDTH * HEIGHT], fetched[PART * PART];
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = argc > 1 ? argv[1] : NULL;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    if (gpufilter_open(&options, &client, &err) != GPUFILTER_OK)
        return fail(client, "open", &err);
    for (size_t i = 0; i < sizeof(pixels); i++)
        pixels[i] = (uint8_t)(i * 2654435761u >> 24);

    const gpufilter_view picture = gpufilter_tight_view(pixels, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    gpufilter_view source = {.data = GPUFILTER_RESIDENT}, blurred = source;
    if (gpufilter_copy(client, &picture, &source, NULL, NULL, &err) != GPUFILTER_OK)
        return fail(client, "upload", &err);
    if (gpufilter_gaussian(client, &source, &blurred, NULL, NULL, &err) != GPUFILTER_OK)
        return fail(client, "gaussian", &err);

    /* A part is addressed as it would be in memory; the client never reads at these addresses. */
    gpufilter_view part = blurred;
    part.data = (uint8_t *)blurred.data + 100 * blurred.pitch + 33;
    part.width = part.height = PART;
    gpufilter_view here = gpufilter_tight_view(fetched, PART, PART, GPUFILTER_U8, 1);
    if (print_histogram(client, "source", &source, &err) != GPUFILTER_OK ||
        print_histogram(client, "blurred", &blurred, &err) != GPUFILTER_OK ||
        print_histogram(client, "part", &part, &err) != GPUFILTER_OK)
        return fail(client, "histogram", &err);
    if (gpufilter_copy(client, &part, &here, NULL, NULL, &err) != GPUFILTER_OK)
        return fail(client, "download", &err);
    printf("the part begins with %u %u %u\n", fetched[0], fetched[1], fetched[2]);

    gpufilter_free(client, source.data);
    gpufilter_free(client, blurred.data);
    gpufilter_close(client);
    return 0;
}
