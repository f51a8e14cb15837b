/* SPDX-License-Identifier: MIT */
/*
 * The shortest program that uses gpufilterd: it makes a picture, has it blurred by one blocking call, and prints a
 * checksum and the device. Usage: hello_blur [SOCKET]
 */
#include <gpufilter/ops.h>

#include <stdio.h>

#define WIDTH 640
#define HEIGHT 480
#define CHANNELS 3

/* A picture of a bright disc on a gradient. */
static void paint(uint8_t *pixels)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < CHANNELS; c++) {
                const int dx = x - WIDTH / 2, dy = y - HEIGHT / 2;
                const int disc = dx * dx + dy * dy < 120 * 120;
                pixels[(y * WIDTH + x) * CHANNELS + c] = (uint8_t)(disc ? 255 - 40 * c : (x + y * (c + 1)) % 200);
            }
}

/* FNV-1a of the result. All devices give the same bits, so the checksum is the same everywhere. */
static uint64_t checksum(const uint8_t *data, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Inputs may be const. */
static int blur(gpufilter_client *client, const uint8_t *pixels, uint8_t *blurred, gpufilter_error *err)
{
    const gpufilter_view src = gpufilter_const_view(pixels, WIDTH, HEIGHT, 0, GPUFILTER_U8, CHANNELS);
    gpufilter_view dst = {blurred, WIDTH, HEIGHT, 0, GPUFILTER_U8, CHANNELS};
    gpufilter_gaussian_params params = GPUFILTER_GAUSSIAN_INIT;
    params.sigma[0] = 3.0f;
    return gpufilter_gaussian(client, &src, &dst, &params, err);
}

int main(int argc, char **argv)
{
    static uint8_t pixels[WIDTH * HEIGHT * CHANNELS], blurred[WIDTH * HEIGHT * CHANNELS];
    paint(pixels);

    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = argc > 1 ? argv[1] : NULL;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    if (gpufilter_open(&options, &client, &err) != GPUFILTER_OK) {
        fprintf(stderr, "hello_blur: %s\n", err.text);
        return 1;
    }

    gpufilter_times times = GPUFILTER_TIMES_INIT;
    if (blur(client, pixels, blurred, &err) != GPUFILTER_OK ||
        gpufilter_last_times(client, &times, &err) != GPUFILTER_OK) {
        fprintf(stderr, "hello_blur: %s: %s\n", gpufilter_status_name(err.status), err.text);
        gpufilter_close(client);
        return 1;
    }
    printf("%016llx on %s in %.3f ms\n", (unsigned long long)checksum(blurred, sizeof(blurred)), times.device,
           (double)times.round_trip_ns / 1e6);
    gpufilter_close(client);
    return 0;
}
