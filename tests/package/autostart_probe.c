/* SPDX-License-Identifier: MIT */
/* Opens a client that may start a daemon, runs one filter, and prints the socket. Used by check_autostart.sh. */
#include <gpufilter/ops.h>

#include <stdio.h>

int main(void)
{
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.autostart = 1;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    if (gpufilter_open(&options, &client, &err) != GPUFILTER_OK) {
        printf("%s: %s\n", gpufilter_status_name(err.status), err.text);
        return 1;
    }
    uint8_t pixels[4] = {1, 2, 3, 4};
    const gpufilter_view src = gpufilter_tight_view(pixels, 2, 2, GPUFILTER_U8, 1);
    gpufilter_view dst = {.data = NULL};
    int status = gpufilter_box(client, &src, &dst, NULL, NULL, &err);
    printf("%s %s\n", gpufilter_status_name(status), gpufilter_socket(client));
    gpufilter_close(client);
    return status;
}
