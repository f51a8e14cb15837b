/* SPDX-License-Identifier: MIT */
/*
 * JPEG, BMP, TGA and HDR through stb_image_write, whose implementation is compiled only here. Called by image.c, which
 * has checked that the format holds the picture and that the sizes fit stb's int.
 */
#include "client/image/image_codec.h"

#include <inttypes.h>
#include <math.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
/* Not popped: stb's unused declarations are reported at the end of the file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>

static void write_bytes(void *user, void *bytes, int size)
{
    /* The output remembers the failure, and finish() fetches it. */
    (void)gf_output_write(user, bytes, (size_t)size, NULL);
}

static enum gf_io_status finish(struct gf_output_file *out, int done, const char *what, struct gf_io_error *err)
{
    enum gf_io_status r = gf_output_write(out, NULL, 0, err);
    if (r == GF_IO_OK && !done)
        r = gf_io_fail(err, GF_IO_NO_MEMORY, "%s: stb_image_write failed, probably out of memory", what);
    return r;
}

enum gf_io_status gf_stb_jpeg_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                     const struct gf_image_save *save, struct gf_io_error *err)
{
    int done = stbi_write_jpg_to_func(write_bytes, out, (int)view->width, (int)view->height, (int)view->channels, data,
                                      (int)(save->quality ? save->quality : GF_JPEG_QUALITY));
    return finish(out, done, "jpeg", err);
}

enum gf_io_status gf_bmp_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    gf_cleanup(gf_freep) uint8_t *rgba = NULL;
    int channels = (int)view->channels;
    if (channels == 2) { /* BMP has no grey with alpha, and stb would drop the alpha */
        rgba = gf_image_expand_grey(view, data);
        if (!rgba)
            return gf_io_fail(err, GF_IO_NO_MEMORY, "bmp: out of memory");
        data = rgba;
        channels = 4;
    }
    int done = stbi_write_bmp_to_func(write_bytes, out, (int)view->width, (int)view->height, channels, data);
    return finish(out, done, "bmp", err);
}

enum gf_io_status gf_tga_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    int done = stbi_write_tga_to_func(write_bytes, out, (int)view->width, (int)view->height, (int)view->channels, data);
    return finish(out, done, "tga", err);
}

enum gf_io_status gf_hdr_check(const struct gf_view *view, const void *data, const char *path, struct gf_io_error *err)
{
    const float *samples = data;
    uint64_t n = gf_view_samples(view);
    for (uint64_t i = 0; i < n; i++) {
        /* 2^127 is the smallest value whose shared exponent does not fit in a byte. */
        if (samples[i] >= 0.0f && samples[i] < 0x1p127f)
            continue;
        uint64_t pixel = i / view->channels;
        return gf_io_fail(err, GF_IO_DATA,
                          "%s: hdr cannot hold negative, infinite or undefined samples, but pixel %" PRIu64 ",%" PRIu64
                          " is %g; write pfm",
                          path, pixel % view->width, pixel / view->width, (double)samples[i]);
    }
    return GF_IO_OK;
}

enum gf_io_status gf_hdr_encode(struct gf_output_file *out, const struct gf_view *view, const void *data,
                                const struct gf_image_save *save, struct gf_io_error *err)
{
    (void)save;
    int done = stbi_write_hdr_to_func(write_bytes, out, (int)view->width, (int)view->height, (int)view->channels, data);
    return finish(out, done, "hdr", err);
}
