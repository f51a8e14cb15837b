/* SPDX-License-Identifier: MIT */
/* client/image/image_bmp.c: every header, depth and compression by value; missing colours and runs. */
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/picture_bytes.h"
#include "tests/unit/unit.h"

static void check(const struct bmp_recipe *r, uint32_t dtype, uint32_t channels, const void *want)
{
    uint8_t file[PICTURE_CAPACITY];
    size_t size = bmp_make(file, r);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.bmp", file, size);
    struct gf_view view = gf_view_tight(dtype, PICTURE_WIDTH, PICTURE_HEIGHT, channels);
    assert_int_equal(image.view.dtype, dtype);
    assert_int_equal(image.view.channels, channels);
    assert_int_equal(image.view.width, PICTURE_WIDTH);
    assert_int_equal(image.view.height, PICTURE_HEIGHT);
    assert_memory_equal(image.data, want, gf_view_bytes(&view));
}

static void refuse_as(enum gf_io_status status, const struct bmp_recipe *r, const char *words)
{
    uint8_t file[PICTURE_CAPACITY];
    struct gf_io_error err;
    size_t size = bmp_make(file, r);
    fixture_refuses("a.bmp", file, size, status, &err);
    fixture_assert_says(&err, words);
}

static void refuse(const struct bmp_recipe *r, const char *words)
{
    refuse_as(GF_IO_DATA, r, words);
}

static const uint32_t headers[] = {12, 16, 40, 52, 56, 64, 108, 124};

/* Colours 1 0 1 above 0 1 1, in the wider pictures 1 2 3 above 4 5 6; stored bottom row first. */
static void palettes_of_all_depths_and_headers_are_read(void **state)
{
    UNUSED(state);
    static const struct bmp_recipe depths[] = {
        {.bits = 1, .colours = 2, BYTES("\x60\0\0\0\xa0\0\0\0")},
        {.bits = 2, .colours = 4, BYTES("\x6c\0\0\0\x18\0\0\0")},
        {.bits = 4, .colours = 7, BYTES("\x45\x60\0\0\x12\x30\0\0")},
        {.bits = 8, .colours = 7, BYTES("\4\5\6\0\1\2\3\0")},
    };
    static const uint8_t indices[][6] = {
        {1, 0, 1, 0, 1, 1}, {0, 1, 2, 1, 2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}};
    for (size_t h = 0; h < GF_ARRAY_LEN(headers); h++)
        for (size_t d = 0; d < GF_ARRAY_LEN(depths); d++) {
            struct bmp_recipe r = depths[d];
            uint8_t want[18];
            for (size_t i = 0; i < sizeof(want); i++)
                want[i] = (uint8_t)(indices[d][i / 3] * (1 + i % 3));
            r.header = headers[h];
            check(&r, GF_U8, 3, want);
            r.used = r.colours;
            check(&r, GF_U8, 3, want);
        }
}

static void true_colour_of_all_headers_is_read(void **state)
{
    UNUSED(state);
    static const struct bmp_recipe depths[] = {
        {.bits = 16, BYTES("\0\x7c\xe0\3\x1f\0\0\0\0\0\xff\x7f\x42\x08\0\0")}, /* 5 bits each */
        {.bits = 24, BYTES("\0\0\xff\0\xff\0\xff\0\0\0\0\0\0\0\0\xff\xff\xff\x10\x10\x10\0\0\0")},
        {.bits = 32, BYTES("\0\0\xff\0\0\xff\0\0\xff\0\0\0\0\0\0\0\xff\xff\xff\0\x10\x10\x10\0")},
    };
    for (size_t h = 0; h < GF_ARRAY_LEN(headers); h++)
        for (size_t d = 0; d < GF_ARRAY_LEN(depths); d++) {
            uint8_t want[18] = {0, 0, 0, 255, 255, 255, 16, 16, 16, 255, 0, 0, 0, 255, 0, 0, 0, 255};
            struct bmp_recipe r = depths[d];
            r.header = headers[h];
            check(&r, GF_U8, 3, want);
            r.colours = 5; /* a palette for screens of old, which is passed by */
            check(&r, GF_U8, 3, want);
        }
}

static void rows_from_the_top_are_read(void **state)
{
    UNUSED(state);
    static const uint8_t want[18] = {4, 8, 12, 5, 10, 15, 6, 12, 18, 1, 2, 3, 2, 4, 6, 3, 6, 9};
    check(&(struct bmp_recipe){.header = 40, .bits = 8, .colours = 7, .height = -2, BYTES("\4\5\6\0\1\2\3\0")}, GF_U8,
          3, want);
    refuse_as(GF_IO_TOO_LARGE, &(struct bmp_recipe){.header = 40, .bits = 8, .height = INT32_MIN, BYTES("")},
              "image of 3x2147483648");
}

/* A header of up to 52 bytes does not say whether the fourth byte is alpha: it is alpha if it is not 0 everywhere. */
static void a_fourth_byte_that_says_something_is_alpha(void **state)
{
    UNUSED(state);
    static const uint8_t want[24] = {0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 0};
    check(&(struct bmp_recipe){.header = 40, .bits = 32, BYTES("\1\2\3\4\1\2\3\4\1\2\3\0\0\0\0\11\0\0\0\11\0\0\0\11")},
          GF_U8, 4, want);
    static const uint8_t opaque[18] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1, 3, 2, 1, 3, 2, 1};
    check(&(struct bmp_recipe){.header = 124, .bits = 32, BYTES("\1\2\3\4\1\2\3\4\1\2\3\0\0\0\0\11\0\0\0\11\0\0\0\11")},
          GF_U8, 3, opaque);
}

/* Stored top row first, in the order of the expected bytes. */
static void fields_of_any_width_are_read(void **state)
{
    UNUSED(state);
    static const uint32_t with_masks[] = {40, 52, 56, 108, 124};
    static const uint16_t wide[18] = {65535, 0, 0, 0, 65535, 0, 0, 0, 65535, 64, 128, 192};
    struct bmp_recipe narrow = {.bits = 16,
                                .compression = BMP_FIELDS,
                                .masks = {0xf800, 0x7e0, 0x1f},
                                .height = -2,
                                BYTES("\0\xf8\xe0\7\x1f\0\0\0\x20\0\xff\xff\0\0\0\0")};
    struct bmp_recipe broad = {.bits = 32,
                               .compression = BMP_FIELDS,
                               .masks = {0x3ff00000, 0xffc00, 0x3ff},
                               .height = -2,
                               BYTES("\0\0\xf0\x3f\0\xfc\x0f\0\xff\3\0\0\x03\x08\x10\0\0\0\0\0\0\0\0\0")};
    for (size_t h = 0; h < GF_ARRAY_LEN(with_masks); h++) {
        narrow.header = broad.header = with_masks[h];
        check(&narrow, GF_U8, 3,
              (uint8_t[18]){255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 4, 0, 255, 255, 255, 0, 0, 0}); /* 4: 1/63 of 255 */
        check(&broad, GF_U16, 3, wide); /* 64, 128, 192: 1, 2 and 3/1023 of 65535 */
    }
}

static void fields_with_alpha_are_read(void **state)
{
    UNUSED(state);
    static const uint8_t want[24] = {34, 51, 68, 17, 255, 0, 0, 0, 0, 0, 0, 255};
    struct bmp_recipe r = {.header = 40,
                           .bits = 16,
                           .compression = BMP_FIELDS_RGBA,
                           .masks = {0xf00, 0xf0, 0xf, 0xf000},
                           .height = -2,
                           BYTES("\x34\x12\0\x0f\0\xf0\0\0\0\0\0\0\0\0\0\0")};
    check(&r, GF_U8, 4, want);
    r.compression = BMP_FIELDS;
    for (r.header = 56; r.header <= 124; r.header += r.header == 56 ? 52 : 16)
        check(&r, GF_U8, 4, want);
    /* Alpha that the header names is kept, even if it is 0 everywhere. */
    r.bytes = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    r.header = 108;
    check(&r, GF_U8, 4, (uint8_t[24]){0});
}

static void fields_that_make_no_sense_are_refused(void **state)
{
    UNUSED(state);
    static const uint32_t masks[][3] = {
        {0xf800, 0xfe0, 0x1f}, {0xa800, 0x7e0, 0x1f}, {0xf800, 0, 0x1f}, {0xf0000, 0x7e0, 0x1f}};
    struct bmp_recipe r = {
        .header = 40, .bits = 16, .compression = BMP_FIELDS, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")};
    for (size_t i = 0; i < GF_ARRAY_LEN(masks); i++) {
        memcpy(r.masks, masks[i], sizeof(masks[i]));
        refuse(&r, "each must be a contiguous run of its own bits");
    }
}

static void runs_are_read(void **state)
{
    UNUSED(state);
    static const uint8_t full[18] = {5, 10, 15, 5, 10, 15, 6, 12, 18, 1, 2, 3, 2, 4, 6, 3, 6, 9};
    static const uint8_t skipped[18] = {0, 0, 0, 0, 0, 0, 6, 12, 18, 1, 2, 3, 0, 0, 0, 0, 0, 0};
    static const struct bmp_recipe r8 = {.bits = 8, .compression = BMP_RLE8, .colours = 7};
    static const struct bmp_recipe r4 = {.bits = 4, .compression = BMP_RLE4, .colours = 7};
    static const uint32_t known[] = {40, 64, 108, 124};
    static const struct {
        const struct bmp_recipe *kind;
        const char *bytes;
        size_t size;
        const uint8_t *want;
    } files[] = {
        {&r8, "\0\3\1\2\3\0\0\0\2\5\1\6\0\1", 14, full},
        {&r8, "\0\3\1\2\3\0\0\0\2\5\1\6", 12, full}, /* without its end */
        {&r4, "\0\3\x12\x30\0\0\2\x55\1\x60\0\1", 12, full},
        {&r4, "\2\x12\1\x30\0\0\0\3\x55\x60\0\1", 12, full},
        {&r8, "\1\1\0\2\1\1\1\6\0\1", 10, skipped},
        {&r8, "\1\1\0\0\0\2\2\0\1\6\0\1", 12, skipped},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++)
        for (size_t h = 0; h < GF_ARRAY_LEN(known); h++) {
            struct bmp_recipe r = *files[i].kind;
            r.header = known[h];
            r.bytes = files[i].bytes;
            r.size = files[i].size;
            check(&r, GF_U8, 3, files[i].want);
        }
}

static void runs_that_leave_the_picture_are_refused(void **state)
{
    UNUSED(state);
    static const struct {
        const char *bytes;
        size_t size;
        const char *words;
    } bad[] = {
        {"\4\1\0\1", 4, "a run goes past the end of its row"},
        {"\3\1\1\1\0\1", 6, "a run goes past the end of its row"},
        {"\0\0\0\0\1\1\0\1", 8, "a run goes past the end of its row"},
        {"\0\4\1\1\1\1\0\1", 8, "a run goes past the end of its row"},
        {"\0\2\4\0\0\1", 6, "a move leads out of the picture"},
        {"\0\2\0\3\0\1", 6, "a move leads out of the picture"},
        {"\3\1\0\0\2\1", 6, "ends too early"},
        {"\3\1\0\0\0\3\1\1", 8, "ends too early"},
        {"\3\1\0\0\0\2\1", 7, "ends too early"},
        {"\3\7\0\1", 4, "pixel 0,1 has colour 7, but the palette has 7 colours"},
    };
    struct bmp_recipe r = {.header = 40, .bits = 8, .compression = BMP_RLE8, .colours = 7};
    for (size_t i = 0; i < GF_ARRAY_LEN(bad); i++) {
        r.bytes = bad[i].bytes;
        r.size = bad[i].size;
        refuse(&r, bad[i].words);
    }
    r.height = -2;
    refuse(&r, "run-length coded rows must begin at the bottom");
}

/* stb_image gives what was in the memory before. */
static void colours_beyond_the_palette_are_refused(void **state)
{
    UNUSED(state);
    struct bmp_recipe r = {.header = 40, .bits = 8, .colours = 6, .used = 6, BYTES("\1\2\3\0\4\5\6\0")};
    refuse(&r, "pixel 2,0 has colour 6, but the palette has 6 colours");
    r.header = 12;
    refuse(&r, "pixel 2,0 has colour 6, but the palette has 6 colours");
    r.bytes = "\1\2\6\0\4\5\5\0";
    refuse(&r, "pixel 2,1 has colour 6, but the palette has 6 colours");
    r.colours = 0;
    refuse(&r, "the palette has 0 colours");
}

static void other_kinds_are_named(void **state)
{
    UNUSED(state);
    static const struct {
        struct bmp_recipe r;
        const char *words;
    } bad[] = {
        {{.header = 40, .bits = 3, BYTES("")}, "bmp with 3 bits per pixel; it must be one of 1, 2, 4, 8, 16, 24, 32"},
        {{.header = 40, .bits = 24, .compression = 4, BYTES("")}, "bmp that contains a JPEG file"},
        {{.header = 40, .bits = 24, .compression = 5, BYTES("")}, "bmp that contains a PNG file"},
        {{.header = 64, .bits = 1, .compression = 3, BYTES("")}, "compressed by Huffman coding"},
        {{.header = 64, .bits = 24, .compression = 4, BYTES("")}, "compressed by RLE24"},
        {{.header = 40, .bits = 24, .compression = BMP_RLE8, BYTES("")}, "compression 1 with 24 bits"},
        {{.header = 48, .bits = 24, BYTES("")}, "a header of 48 bytes; it must be one of 12, 16, 40"},
        {{.header = 40, .bits = 24, BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")}, "ends too early"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(bad); i++)
        refuse(&bad[i].r, bad[i].words);
}

static void headers_that_lie_are_refused(void **state)
{
    UNUSED(state);
    static const struct {
        size_t at;
        uint32_t value;
        const char *words;
    } lies[] = {
        {18, (uint32_t)-3, "the width is negative"},
        {10, 53, "the pixels begin inside the header"},
        {10, 100000, "ends too early"},
        {26, 2, "the number of planes is not 1"},
        {18, 0, "0x2 is empty"},
        {22, 30000, "more than"},
        {14, 124, "ends too early"},
    };
    const struct bmp_recipe r = {.header = 40, .bits = 8, .colours = 2, BYTES("\0\0\0\0\0\0\0\0")};
    for (size_t i = 0; i < GF_ARRAY_LEN(lies); i++) {
        uint8_t file[PICTURE_CAPACITY];
        struct gf_io_error err;
        size_t size = bmp_make(file, &r);
        picture_put(file, lies[i].at, lies[i].value, lies[i].at == 26 ? 2 : 4);
        fixture_refuses("a.bmp", file, size, GF_IO_DATA, &err);
        fixture_assert_says(&err, lies[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palettes_of_all_depths_and_headers_are_read),
        cmocka_unit_test(true_colour_of_all_headers_is_read),
        cmocka_unit_test(rows_from_the_top_are_read),
        cmocka_unit_test(a_fourth_byte_that_says_something_is_alpha),
        cmocka_unit_test(fields_of_any_width_are_read),
        cmocka_unit_test(fields_with_alpha_are_read),
        cmocka_unit_test(fields_that_make_no_sense_are_refused),
        cmocka_unit_test(runs_are_read),
        cmocka_unit_test(runs_that_leave_the_picture_are_refused),
        cmocka_unit_test(colours_beyond_the_palette_are_refused),
        cmocka_unit_test(other_kinds_are_named),
        cmocka_unit_test(headers_that_lie_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
