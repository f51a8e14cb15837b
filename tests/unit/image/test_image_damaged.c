/* SPDX-License-Identifier: MIT */
/* client/image: files that are cut or changed, that lie in their header, or that are not images. None may be read
 * as a part of a picture. */
#include "client/image/image.h"

#include <string.h>

#include "client/image/image_codec.h"
#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    uint32_t dtype;
    size_t mark; /* bytes of the end mark */
} files[] = {
    {"a.png", GF_U8, 12}, {"a.png", GF_U16, 12}, {"a.jpg", GF_U8, 2},  {"a.bmp", GF_U8, 0},  {"a.tga", GF_U8, 0},
    {"a.ppm", GF_U8, 0},  {"a.pam", GF_U16, 0},  {"a.pfm", GF_F32, 0}, {"a.hdr", GF_F32, 0}, {"a.npy", GF_F32, 0},
};

/* The bytes of a small picture in a format; the width is a multiple of 4, so that BMP rows have no padding to lose. */
static uint8_t *encoded(const char *dir, size_t which, size_t *ret_size)
{
    gf_cleanup(gf_freep) char *path = fixture_path(dir, files[which].name);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(files[which].dtype, 20, 12, 3, which);
    fixture_write(dir, files[which].name, &image);
    return fixture_load(path, ret_size);
}

static void a_cut_before_the_end_mark_is_an_error(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *bytes = encoded(dir, i, &size);
        const bool by_stb = strcmp(files[i].name, "a.jpg") == 0 && gf_jpeg_holds == 0; /* which needs the end mark */
        fixture_needs_all_but(by_stb ? 0 : files[i].mark, files[i].name, bytes, 0, size);
    }
}

/* Changed bytes must give a whole picture or an error; a sanitizer checks memory accesses. */
static void changed_bytes_do_no_harm(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    struct gf_prng prng = {.state = 1};
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *bytes = encoded(dir, i, &size);
        gf_cleanup(gf_freep) uint8_t *changed = malloc(size);
        assert_non_null(changed);
        for (int round = 0; round < 400; round++) {
            gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
            struct gf_io_error err = {.status = GF_IO_OK};
            memcpy(changed, bytes, size);
            for (int k = 0; k <= round % 4; k++)
                changed[gf_prng_below(&prng, round % 2 ? (uint32_t)size : 64)] = (uint8_t)gf_prng_next(&prng);
            enum gf_io_status status = gf_image_decode(files[i].name, changed, size, NULL, &image, &err);
            assert_int_equal(status, err.status);
            if (status == GF_IO_OK)
                assert_int_equal(gf_view_check_image(&image.view, "the image", NULL), GF_OK);
            else
                assert_null(image.data);
        }
    }
}

/* A JPEG with a Huffman table of more codes than possible; stb_image would write past the end of its table. */
static uint8_t *with_a_large_table(size_t *ret_size)
{
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.jpg");
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 20, 12, 3, 1);
    fixture_write(dir, "a.jpg", &image);
    uint8_t *bytes = fixture_load(path, ret_size), *table = memmem(bytes, *ret_size, "\xff\xc4", 2);
    assert_non_null(table);
    memset(table + 5, 255, 16);
    return bytes;
}

static void a_huffman_table_that_is_too_large_is_refused(void **state)
{
    UNUSED(state);
    size_t size = 0;
    struct gf_io_error err;
    gf_cleanup(gf_freep) uint8_t *bytes = with_a_large_table(&size);
    fixture_refuses("a.jpg", bytes, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "Huffman table");
}

/* stb_image would take what is in its memory. */
static void a_jpeg_without_its_tables_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.jpg");
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 20, 12, 3, 1);
    struct gf_io_error err;
    size_t size = 0;
    fixture_write(dir, "a.jpg", &image);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    uint8_t *tables = memmem(bytes, size, "\xff\xdb", 2);
    assert_non_null(tables);
    tables[1] = 0xfe; /* a comment */
    fixture_refuses("a.jpg", bytes, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "table");
}

/* stb_image skips bytes before the marker of a JPEG and so would reach the same tables. */
static void a_jpeg_behind_another_byte_is_none(void **state)
{
    UNUSED(state);
    size_t size = 0;
    struct gf_io_error err;
    gf_cleanup(gf_freep) uint8_t *bytes = with_a_large_table(&size);
    gf_cleanup(gf_freep) uint8_t *behind = malloc(size + 1);
    assert_non_null(behind);
    memcpy(behind + 1, bytes, size);
    behind[0] = 0xff;
    static const char *const names[] = {"a.jpg", "a.tga", "a"};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        fixture_refuses(names[i], behind, size + 1, GF_IO_DATA, &err);
        fixture_assert_says(&err, "is neither a supported image file");
    }
}

/* Puts 16 bits into a header. */
static void put16(uint8_t *to, uint32_t value, bool big)
{
    to[big ? 0 : 1] = (uint8_t)(value >> 8);
    to[big ? 1 : 0] = (uint8_t)value;
}

static void a_header_that_claims_too_much_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    static const char hdr[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 20000 +X 30000\n\2\2\x75\x30";
    struct gf_io_error err;
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *bytes = encoded(dir, i, &size);
        if (strcmp(files[i].name, "a.tga") == 0) {
            put16(bytes + 12, 30000, false);
            put16(bytes + 14, 20000, false);
        } else if (strcmp(files[i].name, "a.bmp") == 0) {
            put16(bytes + 18, 30000, false);
            put16(bytes + 22, 20000, false);
        } else if (strcmp(files[i].name, "a.jpg") == 0) {
            const uint8_t *sof = memmem(bytes, size, "\xff\xc0", 2);
            assert_non_null(sof);
            put16(bytes + (sof - bytes) + 5, 20000, true);
            put16(bytes + (sof - bytes) + 7, 30000, true);
        } else {
            continue;
        }
        fixture_refuses(files[i].name, bytes, size, GF_IO_DATA, &err);
        fixture_assert_says(&err, "claims 30000x20000 pixels");
    }
    fixture_refuses("a.hdr", hdr, sizeof(hdr) - 1, GF_IO_DATA, &err);
    fixture_assert_says(&err, "claims 30000x20000 pixels");
}

static void what_is_no_image_is_named(void **state)
{
    UNUSED(state);
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } others[] = {
        {"", 0, "is empty"},
        {"8BPS....", 8, "is a Photoshop file, which is not supported; convert it to PNG"},
        {"\xff\x0a....", 6, "is a JPEG XL file, which is not supported; convert it to PNG"},
        {"\0\0\0\x0cJXL \r\n\x87\n", 12, "is a JPEG XL file, which is not supported; convert it to PNG"},
        {"\0\0\0\x18"
         "ftypmp42",
         12, "is a video (MP4, MOV) file, which is not supported; convert it to PNG"},
        {"II*\0....CR\2\0", 12, "is a Canon CR2 file"},
        {"hello, world; this is no picture at all\n", 40, "neither a supported image file"},
        {"P8\n1 1\n255\n1", 12, "neither a supported image file"},
    };
    struct gf_io_error err;
    for (size_t i = 0; i < GF_ARRAY_LEN(others); i++) {
        const enum gf_io_status status = strstr(others[i].words, "is a ") ? GF_IO_UNSUPPORTED : GF_IO_DATA;
        fixture_refuses("a.png", others[i].bytes, others[i].size, status, &err);
        fixture_assert_says(&err, others[i].words);
    }
}

static void what_cameras_append_to_a_jpeg_is_ignored(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.jpg");
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 20, 12, 3, 1);
    static const char trailer[] = "\xff\xe5\xff\xff and \xff\xc4\0\x13\0\xff\xff\xff\xff\xff\xff\xff";
    size_t size = 0;
    fixture_write(dir, "a.jpg", &image);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    gf_cleanup(gf_freep) uint8_t *longer = malloc(size + sizeof(trailer));
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    memcpy(longer + size, trailer, sizeof(trailer));
    gf_cleanup(gf_image_deinit) struct gf_image plain = fixture_decode("a.jpg", bytes, size);
    gf_cleanup(gf_image_deinit) struct gf_image same = fixture_decode("a.jpg", longer, size + sizeof(trailer));
    fixture_assert_equal(&plain, &same);
}

static void the_name_does_not_decide(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *bytes = encoded(dir, i, &size);
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.txt", bytes, size);
        assert_int_equal(image.view.width, 20);
        assert_int_equal(image.view.height, 12);
        assert_int_equal(image.view.dtype, files[i].dtype);
    }
}

static void inputs_that_cannot_be_opened_have_their_own_code(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *missing = fixture_path(dir, "missing.png");
    struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    int descriptors = gf_fd_count();
    assert_int_equal(gf_image_read(missing, NULL, NULL, &image, &err), GF_IO_NO_INPUT);
    fixture_assert_says(&err, "missing.png: cannot be read: No such file");
    assert_int_equal(gf_image_read(dir, NULL, NULL, &image, &err), GF_IO_NO_INPUT);
    fixture_assert_says(&err, "is a directory");
    assert_int_equal(gf_fd_count(), descriptors);
    assert_null(image.data);
}

static void files_over_the_limit_are_refused_unread(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "huge.ppm");
    struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    fixture_store(path, "P6", 2);
    assert_int_equal(truncate(path, (off_t)GF_IMAGE_MAX_FILE + 1), 0);
    assert_int_equal(gf_image_read(path, NULL, NULL, &image, &err), GF_IO_TOO_LARGE);
    fixture_assert_says(&err, "1073741825 bytes; an image file may have at most 1073741824");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_before_the_end_mark_is_an_error),
        cmocka_unit_test(changed_bytes_do_no_harm),
        cmocka_unit_test(a_huffman_table_that_is_too_large_is_refused),
        cmocka_unit_test(a_header_that_claims_too_much_is_refused),
        cmocka_unit_test(what_is_no_image_is_named),
        cmocka_unit_test(a_jpeg_without_its_tables_is_refused),
        cmocka_unit_test(a_jpeg_behind_another_byte_is_none),
        cmocka_unit_test(what_cameras_append_to_a_jpeg_is_ignored),
        cmocka_unit_test(the_name_does_not_decide),
        cmocka_unit_test(inputs_that_cannot_be_opened_have_their_own_code),
        cmocka_unit_test(files_over_the_limit_are_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
