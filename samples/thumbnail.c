/* SPDX-License-Identifier: MIT */
/* Makes a thumbnail: reads a picture into memory that the daemon shares, has it resized, and writes it with its colours
 * and copyright. Usage: thumbnail IN OUT */
#include <gpufilter/image.h>
#include <gpufilter/ops.h>

#include <stdio.h>

static void *take(void *client, uint64_t size)
{
    void *data = NULL;
    return gpufilter_alloc(client, size, &data, NULL) == GPUFILTER_OK ? data : NULL;
}

static void give_back(void *client, void *data)
{
    gpufilter_free(client, data);
}

static int shrink(gpufilter_client *client, const char *in, const char *out, gpufilter_error *err)
{
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_resize_params params = GPUFILTER_RESIZE_INIT;
    gpufilter_view small = gpufilter_tight_view(NULL, 0, 0, 0, 0);
    gpufilter_image *image = NULL;
    how.flags = GPUFILTER_IMAGE_UPRIGHT | GPUFILTER_IMAGE_SRGB;
    how.max_pixels = 200000000;
    how.fit_width = how.fit_height = params.fit[0] = params.fit[1] = 256;
    how.alloc = take;
    how.free = give_back;
    how.user = client;
    int status = gpufilter_image_read(in, &how, &image, err);
    if (status == GPUFILTER_OK)
        status = gpufilter_resize(client, gpufilter_image_view(image), &small, &params, NULL, err);
    as.source = image;
    as.keep = "icc,colour,copyright";
    as.flags = GPUFILTER_IMAGE_MOVED;
    if (status == GPUFILTER_OK)
        status = gpufilter_image_write(out, &small, &as, NULL, err);
    if (status == GPUFILTER_OK)
        printf("%llux%llu\n", (unsigned long long)small.width, (unsigned long long)small.height);
    gpufilter_free(client, small.data);
    gpufilter_image_free(image);
    return status;
}

int main(int argc, char **argv)
{
    gpufilter_client *client = NULL;
    gpufilter_error err = {GPUFILTER_E_BAD_ARGUMENT, 0, 0, "usage: thumbnail IN OUT"};
    if (argc != 3 || gpufilter_open(NULL, &client, &err) != GPUFILTER_OK ||
        shrink(client, argv[1], argv[2], &err) != GPUFILTER_OK)
        fprintf(stderr, "thumbnail: %s\n", err.text);
    else
        err.status = GPUFILTER_OK;
    gpufilter_close(client);
    return err.status != GPUFILTER_OK;
}
