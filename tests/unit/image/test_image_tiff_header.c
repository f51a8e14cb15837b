/* SPDX-License-Identifier: MIT */
/* client/image/tiff: directories that lie, too many directories, and directories with metadata to pass on. */
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/unit/unit.h"

enum { BYTE = 1, SHORT = 3, LONG = 4, FIRST = 16, MAX_ENTRIES = 12 };

/* An entry of a directory; its value is stored in place. */
struct entry {
    uint16_t tag, type;
    uint32_t value;
};

/* The entries of a picture of one grey sample at byte 8; tests change them. */
static const struct entry one[MAX_ENTRIES] = {{256, LONG, 1}, {257, LONG, 1},  {258, SHORT, 8}, {262, SHORT, 1},
                                              {273, LONG, 8}, {277, SHORT, 1}, {278, LONG, 1},  {279, LONG, 1}};

static size_t count(const struct entry *entries)
{
    size_t n = 0;
    while (n < MAX_ENTRIES && entries[n].tag != 0)
        n++;
    return n;
}

/* Writes a directory to `to`; the next directory is at byte `next`. Returns the length in bytes. */
static size_t put_directory(uint8_t *to, const struct entry *entries, uint32_t next)
{
    uint16_t n = (uint16_t)count(entries);
    memcpy(to, &n, 2);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = to + 2 + 12 * i;
        memset(at, 0, 12);
        memcpy(at, &entries[i].tag, 2);
        memcpy(at + 2, &entries[i].type, 2);
        at[4] = 1;
        memcpy(at + 8, &entries[i].value, 4);
    }
    memcpy(to + 2 + 12 * n, &next, 4);
    return 6 + 12 * (size_t)n;
}

/* A file in this machine's byte order with `n` directories; the last one is followed by the directory at `last`. */
static uint8_t *file_of(const struct entry *entries, size_t n, uint32_t last, size_t *ret_size)
{
    size_t each = 6 + 12 * count(entries);
    uint8_t *bytes = calloc(1, FIRST + n * each);
    assert_non_null(bytes);
    memcpy(bytes, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "MM\0*\0\0\0\x10*" : "II*\0\x10\0\0\0*", 9);
    for (size_t i = 0; i < n; i++)
        (void)put_directory(bytes + FIRST + i * each, entries, i + 1 < n ? (uint32_t)(FIRST + (i + 1) * each) : last);
    *ret_size = FIRST + n * each;
    return bytes;
}

static void assert_refused(const struct entry *entries, size_t n, const char *says)
{
    struct gf_io_error err;
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = file_of(entries, n, 0, &size);
    fixture_refuses("a.tif", bytes, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, says);
}

static void the_sample_is_read(void **state)
{
    UNUSED(state);
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = file_of(one, 1, 0, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.tif", bytes, size);
    assert_int_equal(*(uint8_t *)image.data, '*');
    assert_int_equal(image.meta.orientation, 0);
    assert_null(image.warning);
}

/* A header of 30000x20000 pixels in a file of a hundred bytes, tiles of 4 GiB for one sample, endless strips. */
static void lying_sizes_take_no_memory(void **state)
{
    UNUSED(state);
    struct entry large[MAX_ENTRIES], strips[MAX_ENTRIES];
    static const struct entry tiles[MAX_ENTRIES] = {{256, LONG, 1},     {257, LONG, 1},  {258, SHORT, 8},
                                                    {262, SHORT, 1},    {277, SHORT, 1}, {322, LONG, 65520},
                                                    {323, LONG, 65520}, {324, LONG, 8},  {325, LONG, 1}};
    memcpy(large, one, sizeof(large));
    large[0].value = 30000;
    large[1].value = large[6].value = 20000;
    assert_refused(large, 1, "the header claims 30000x20000 pixels, more than 118 bytes can hold");
    assert_refused(tiles, 1, "its strips or tiles do not fit the picture");
    memcpy(strips, one, sizeof(strips));
    strips[1].value = UINT32_MAX - 1;
    assert_refused(strips, 1, "damaged tiff, or of an unsupported kind: ");
}

static void too_many_pages_are_refused(void **state)
{
    UNUSED(state);
    assert_refused(one, 65536, "a.tif: has too many pages; it must have fewer than 65536");
    size_t size;
    gf_cleanup(gf_freep) uint8_t *bytes = file_of(one, 65535, 0, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.tif", bytes, size);
    assert_int_equal(image.pages, 65535);
}

/* Pages end where a directory comes again. */
static void directories_that_name_each_other_end(void **state)
{
    UNUSED(state);
    for (uint64_t n = 1; n <= 3; n++) {
        size_t size;
        gf_cleanup(gf_freep) uint8_t *bytes = file_of(one, n, FIRST, &size);
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        assert_int_equal(gf_image_decode("a.tif", bytes, size, NULL, &image, NULL), GF_IO_OK);
        assert_int_equal(image.pages, n);
    }
}

static void multiplied_colours_are_named(void **state)
{
    UNUSED(state);
    struct entry alpha[MAX_ENTRIES];
    size_t size;
    memcpy(alpha, one, sizeof(alpha));
    alpha[5].value = 2;
    alpha[7].value = 2;
    alpha[8] = (struct entry){338, SHORT, 1};
    gf_cleanup(gf_freep) uint8_t *bytes = file_of(alpha, 1, 0, &size);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.tif", bytes, size);
    assert_int_equal(image.view.channels, 2);
    assert_string_equal(image.warning, "a.tif: its colours, premultiplied by alpha, are divided by it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_read),           cmocka_unit_test(lying_sizes_take_no_memory),
        cmocka_unit_test(too_many_pages_are_refused),   cmocka_unit_test(directories_that_name_each_other_end),
        cmocka_unit_test(multiplied_colours_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
