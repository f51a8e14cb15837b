/* SPDX-License-Identifier: MIT */
/* The smallest useful program: it has a picture blurred and prints a pixel of it. The end of the process closes the
 * connection where a call fails. */
#include <gpufilter/client.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    static uint8_t pixels[640 * 480], blurred[640 * 480];
    memset(pixels + 640 * 240, 255, 640 * 240); /* white below, black above */
    gpufilter_view src = gpufilter_tight_view(pixels, 640, 480, GPUFILTER_U8, 1);
    gpufilter_result dst = {gpufilter_tight_view(blurred, 640, 480, GPUFILTER_U8, 1), NULL};
    gpufilter_client *client = NULL;
    gpufilter_error err;
    if (gpufilter_open(NULL, &client, &err) != GPUFILTER_OK ||
        gpufilter_run_text(client, "gaussian sigma=3 | sharpen", &src, 1, &dst, 1, NULL, &err) != GPUFILTER_OK) {
        fprintf(stderr, "hello_blur: %s\n", err.text);
        return 1;
    }
    printf("%d is the first white pixel now\n", blurred[640 * 240]);
    gpufilter_close(client);
}
