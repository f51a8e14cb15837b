/* SPDX-License-Identifier: MIT */
/* Pictures, comparison and files for the tests of image files. */
#include "image_fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

struct gf_image fixture_noise(uint32_t dtype, uint64_t width, uint64_t height, uint32_t channels, uint64_t seed)
{
    struct gf_view view = gf_view_tight(dtype, width, height, channels);
    struct gf_image image = {.view = view, .data = malloc(gf_view_bytes(&view)), .free_data = free};
    struct gf_prng prng = {.state = seed};
    assert_non_null(image.data);
    for (uint64_t i = 0; i < gf_view_samples(&view); i++) {
        if (dtype == GF_U8)
            ((uint8_t *)image.data)[i] = (uint8_t)gf_prng_next(&prng);
        else if (dtype == GF_U16)
            ((uint16_t *)image.data)[i] = (uint16_t)gf_prng_next(&prng);
        else
            ((float *)image.data)[i] = gf_prng_unit(&prng);
    }
    return image;
}

void fixture_assert_equal(const struct gf_image *a, const struct gf_image *b)
{
    assert_int_equal(a->view.dtype, b->view.dtype);
    assert_int_equal(a->view.channels, b->view.channels);
    assert_int_equal(a->view.width, b->view.width);
    assert_int_equal(a->view.height, b->view.height);
    assert_int_equal(a->view.pitch, b->view.pitch);
    assert_memory_equal(a->data, b->data, gf_view_bytes(&a->view));
}

double fixture_sample(const struct gf_image *image, uint64_t i)
{
    if (image->view.dtype == GF_U8)
        return ((const uint8_t *)image->data)[i];
    if (image->view.dtype == GF_U16)
        return ((const uint16_t *)image->data)[i];
    return (double)((const float *)image->data)[i];
}

static void assert_ok(enum gf_io_status status, const struct gf_io_error *err)
{
    if (status != GF_IO_OK)
        fail_msg("status %d: %s", (int)status, err->text);
}

void fixture_write(const char *dir, const char *name, const struct gf_image *image)
{
    gf_cleanup(gf_freep) char *path = fixture_path(dir, name);
    struct gf_io_error err;
    assert_ok(gf_image_write(path, GF_FORMAT_NONE, &image->view, image->data,
                             &(struct gf_image_save){.meta = &image->meta}, &err),
              &err);
}

struct gf_image fixture_read(const char *dir, const char *name)
{
    gf_cleanup(gf_freep) char *path = fixture_path(dir, name);
    struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    assert_ok(gf_image_read(path, NULL, NULL, &image, &err), &err);
    return image;
}

struct gf_image fixture_decode(const char *name, const void *bytes, size_t size)
{
    struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    assert_ok(gf_image_decode(name, bytes, size, NULL, &image, &err), &err);
    return image;
}

void fixture_refuses(const char *name, const void *bytes, size_t size, enum gf_io_status status,
                     struct gf_io_error *ret_err)
{
    struct gf_image image = GF_IMAGE_NULL;
    /* A copy of exactly that size, so that a sanitizer detects a read past the end. */
    gf_cleanup(gf_freep) uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    assert_int_equal(gf_image_decode(name, copy, size, NULL, &image, ret_err), status);
    assert_int_equal(ret_err->status, status);
    assert_null(image.data);
    fixture_assert_says(ret_err, name);
}

/* Reads a file that ends too early, after its samples. */
static void needs_no_more(const char *name, const void *bytes, size_t size, const struct gf_image *whole)
{
    gf_cleanup(gf_freep) uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode(name, copy, size);
    fixture_assert_equal(&image, whole);
    assert_int_equal(image.file_bytes, size);
    assert_non_null(image.warning);
    assert_non_null(strstr(image.warning, "is missing"));
}

void fixture_needs_all_but(size_t mark, const char *name, const void *bytes, size_t least, size_t size)
{
    struct gf_io_error err = {.text = ""};
    gf_cleanup(gf_image_deinit) struct gf_image whole = fixture_decode(name, bytes, size);
    /* A chunk behind the samples of a PNG, with their checksum alone. Three zeros may also begin the end mark. */
    const uint8_t *checksum = memmem(bytes, size, "\0\0\0\4IDAT", 8);
    const size_t spare = checksum ? (size_t)(checksum - (const uint8_t *)bytes) : size;
    for (size_t cut = least; cut < size; cut++)
        if (cut >= size - mark || (cut >= spare && cut <= spare + 3))
            needs_no_more(name, bytes, cut, &whole);
        else
            fixture_refuses(name, bytes, cut, GF_IO_DATA, &err);
    if (mark > 0)
        fixture_assert_says(&err, "ends too early");
}

void fixture_assert_says(const struct gf_io_error *err, const char *words)
{
    if (!strstr(err->text, words))
        fail_msg("\"%s\" does not say \"%s\"", err->text, words);
}

char *fixture_path(const char *dir, const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    return path;
}

uint8_t *fixture_load(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *ret_size = (size_t)size;
    return bytes;
}

void fixture_store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

int fixture_entries(const char *dir)
{
    DIR *d = opendir(dir);
    int n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}
