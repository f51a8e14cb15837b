/* SPDX-License-Identifier: MIT */
/*
 * client/image: data behind the first picture. Another picture is refused on a pipe, whatever its format, and in a
 * PNM file. Padding and data that cameras append are accepted.
 */
#include <stdio.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    uint32_t dtype;
    bool many; /* pictures may be in one file */
} files[] = {
    {"a.png", GF_U8, false},  {"a.png", GF_U16, false}, {"a.jpg", GF_U8, false},  {"a.bmp", GF_U8, false},
    {"a.tga", GF_U8, false},  {"a.pgm", GF_U8, true},   {"a.pgm", GF_U16, true},  {"a.pam", GF_U8, true},
    {"a.pfm", GF_F32, false}, {"a.hdr", GF_F32, false},
#ifdef GF_TEST_CODECS
    {"a.tif", GF_U16, false}, {"a.webp", GF_U8, false}, {"a.avif", GF_U8, false}, {"a.heic", GF_U8, false},
#endif
};

static uint8_t *encoded(size_t which, size_t *ret_size)
{
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, files[which].name);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(files[which].dtype, 21, 12, 1, which);
    fixture_write(dir, files[which].name, &image);
    return fixture_load(path, ret_size);
}

/* The first `size` bytes and `more`. */
static uint8_t *join(const uint8_t *bytes, size_t size, const void *more, size_t more_size)
{
    uint8_t *both = malloc(size + more_size);
    assert_non_null(both);
    memcpy(both, bytes, size);
    memcpy(both + size, more, more_size);
    return both;
}

static void assert_reads(const char *name, const uint8_t *bytes, size_t size, bool is_stream, const struct gf_image *as)
{
    const struct gf_image_load how = {.is_stream = is_stream};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err = {.text = ""};
    if (gf_image_decode(name, bytes, size, &how, &image, &err) != GF_IO_OK)
        fail_msg("%s", err.text);
    fixture_assert_equal(&image, as);
}

static void assert_refuses(const char *name, const uint8_t *bytes, size_t size, bool is_stream, size_t end)
{
    const struct gf_image_load how = {.is_stream = is_stream};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    char words[128];
    assert_int_equal(gf_image_decode(name, bytes, size, &how, &image, &err), GF_IO_DATA);
    assert_null(image.data);
    snprintf(words, sizeof(words), "more data follows the first picture, which ends at byte %zu of %zu;", end, size);
    fixture_assert_says(&err, words);
}

static void another_picture_on_a_pipe_is_refused(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *one = encoded(i, &size);
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode(files[i].name, one, size);
        gf_cleanup(gf_freep) uint8_t *two = join(one, size, one, size);
        assert_reads(files[i].name, one, size, true, &image);
        assert_refuses(files[i].name, two, 2 * size, true, size);
        if (files[i].many)
            assert_refuses(files[i].name, two, 2 * size, false, size);
        else
            assert_reads(files[i].name, two, 2 * size, false, &image);
    }
}

static void what_fills_up_is_no_picture(void **state)
{
    UNUSED(state);
    static const char filling[] = "\r\n \0\0\0\0";
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0, n = sizeof(filling);
        gf_cleanup(gf_freep) uint8_t *one = encoded(i, &size);
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode(files[i].name, one, size);
        gf_cleanup(gf_freep) uint8_t *filled = join(one, size, filling, n);
        gf_cleanup(gf_freep) uint8_t *two = join(filled, size + n, one, size);
        assert_reads(files[i].name, filled, size + n, true, &image);
        /* What ends a TIFF is where the next one begins. */
        assert_refuses(files[i].name, two, 2 * size + n, true, size + (strcmp(files[i].name, "a.tif") == 0 ? n : 0));
    }
}

static void numbers_and_arrays_go_to_the_end(void **state)
{
    UNUSED(state);
    static const char text[] = "1 2\n3 4\n";
    const struct gf_image_load how = {.is_stream = true};
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    assert_int_equal(gf_image_decode("a.txt", text, sizeof(text) - 1, &how, &image, NULL), GF_IO_OK);
    assert_int_equal(image.view.height, 2);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.npy");
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_F32, 5, 1, 1, 1);
    size_t size = 0;
    fixture_write(dir, "a.npy", &a);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    assert_reads("a", bytes, size, true, &a);
}

/* A JPEG that announces more pictures behind it, and vendor-specific data. */
static void what_cameras_append_to_a_jpeg_is_no_picture(void **state)
{
    UNUSED(state);
    static const char says[] = "\xff\xe2\0\x0aMPF\0II*", own[] = "SEFH and what not";
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *one = encoded(2, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.jpg", one, size);
    gf_cleanup(gf_freep) uint8_t *trailed = join(one, size, own, sizeof(own));
    assert_reads("a.jpg", trailed, size + sizeof(own), true, &image);
    gf_cleanup(gf_freep) uint8_t *head = join(one, 20, says, sizeof(says)); /* behind JFIF's segment */
    gf_cleanup(gf_freep) uint8_t *whole = join(head, 20 + sizeof(says), one + 20, size - 20);
    size_t whole_size = size + sizeof(says);
    gf_cleanup(gf_freep) uint8_t *many = join(whole, whole_size, one, size);
    assert_reads("a.jpg", many, whole_size + size, true, &image);
}

/* The footer of TGA version 2 behind the pixels belongs to the picture. */
static void the_footer_of_a_tga_belongs_to_it(void **state)
{
    UNUSED(state);
    static const char plain[] = "\0\0\0\0\0\0\0\0TRUEVISION-XFILE.";
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *one = encoded(4, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.tga", one, size);
    gf_cleanup(gf_freep) uint8_t *version2 = join(one, size, plain, sizeof(plain));
    size_t size2 = size + sizeof(plain);
    gf_cleanup(gf_freep) uint8_t *two = join(version2, size2, version2, size2);
    gf_cleanup(gf_freep) uint8_t *mixed = join(one, size, version2, size2);
    assert_reads("a", version2, size2, true, &image);
    assert_refuses("a", two, 2 * size2, true, size2);
    assert_refuses("a.tga", mixed, size + size2, true, size);
    uint8_t area[40] = "an extension area";
    memcpy(area + 14, plain, sizeof(plain));
    area[14] = (uint8_t)size; /* where it begins */
    area[15] = (uint8_t)(size >> 8);
    gf_cleanup(gf_freep) uint8_t *extended = join(one, size, area, sizeof(area));
    assert_reads("a", extended, size + sizeof(area), true, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_picture_on_a_pipe_is_refused),
        cmocka_unit_test(what_fills_up_is_no_picture),
        cmocka_unit_test(numbers_and_arrays_go_to_the_end),
        cmocka_unit_test(what_cameras_append_to_a_jpeg_is_no_picture),
        cmocka_unit_test(the_footer_of_a_tga_belongs_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
