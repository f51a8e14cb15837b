/* SPDX-License-Identifier: MIT */
/* client/image/image_tga.c: every type, depth and order by value; missing colours and runs. */
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/picture_bytes.h"
#include "tests/unit/unit.h"

/* The file is read under a name without a known suffix, too, by its header alone. */
static void check(const struct tga_recipe *r, uint32_t channels, const uint8_t *want)
{
    static const char *const names[] = {"a.tga", "a"};
    uint8_t file[PICTURE_CAPACITY];
    size_t size = tga_make(file, r);
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode(names[i], file, size);
        assert_int_equal(image.view.dtype, GF_U8);
        assert_int_equal(image.view.channels, channels);
        assert_int_equal(image.view.width, PICTURE_WIDTH);
        assert_int_equal(image.view.height, PICTURE_HEIGHT);
        assert_memory_equal(image.data, want, gf_view_bytes(&image.view));
    }
}

static void refuse(const struct tga_recipe *r, const char *words)
{
    uint8_t file[PICTURE_CAPACITY];
    struct gf_io_error err;
    size_t size = tga_make(file, r);
    fixture_refuses("a.tga", file, size, GF_IO_DATA, &err);
    fixture_assert_says(&err, words);
}

/* stb_image takes no notice of columns from the right. */
static void rows_and_columns_come_from_either_end(void **state)
{
    UNUSED(state);
    struct tga_recipe r = {.type = TGA_GREY, .bits = 8, BYTES("\1\2\3\4\5\6")};
    check(&r, 1, (const uint8_t[]){4, 5, 6, 1, 2, 3});
    r.descriptor = TGA_FROM_TOP;
    check(&r, 1, (const uint8_t[]){1, 2, 3, 4, 5, 6});
    r.descriptor = TGA_FROM_RIGHT;
    check(&r, 1, (const uint8_t[]){6, 5, 4, 3, 2, 1});
    r.descriptor = TGA_FROM_RIGHT | TGA_FROM_TOP;
    check(&r, 1, (const uint8_t[]){3, 2, 1, 6, 5, 4});
    r = (struct tga_recipe){
        .type = TGA_GREY | TGA_RUNS, .bits = 8, .descriptor = TGA_FROM_RIGHT, BYTES("\x83\7\1\1\2")};
    check(&r, 1, (const uint8_t[]){2, 1, 7, 7, 7, 7}); /* a run goes on in the next row */
    r = (struct tga_recipe){.type = TGA_COLOUR, .bits = 24, .descriptor = TGA_FROM_RIGHT | TGA_FROM_TOP};
    r.bytes = "\1\2\3\4\5\6\7\10\11\0\0\0\0\0\0\0\0\1";
    r.size = 18;
    check(&r, 3, (const uint8_t[18]){9, 8, 7, 6, 5, 4, 3, 2, 1, 1});
}

static void all_depths_are_read(void **state)
{
    UNUSED(state);
    static const uint8_t rgb[18] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 8, 16, 25};
    struct tga_recipe r = {.type = TGA_COLOUR,
                           .bits = 15,
                           .descriptor = TGA_FROM_TOP,
                           BYTES("\0\x7c\xe0\3\x1f\0\xff\x7f\x43\x04\0\0")}; /* 1, 2 and 3 of 31 */
    check(&r, 3, rgb);
    r.bits = 16;
    check(&r, 3, rgb);
    r.descriptor |= 1;
    r.bytes = "\0\xfc\xe0\3\x1f\x80\xff\xff\x43\x04\0\0"; /* with the bit that is not read */
    check(&r, 3, rgb);
    r = (struct tga_recipe){.type = TGA_COLOUR, .bits = 24, .descriptor = TGA_FROM_TOP, .id_bytes = 5};
    r.bytes = "\0\0\xff\0\xff\0\xff\0\0\xff\xff\xff\x19\x10\x08\0\0\0";
    r.size = 18;
    check(&r, 3, rgb);
    r = (struct tga_recipe){
        .type = TGA_GREY, .bits = 16, .descriptor = TGA_FROM_TOP | 8, BYTES("\1\2\3\4\5\6\7\10\11\12\13\14")};
    check(&r, 2, (const uint8_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

static void alpha_is_what_the_header_or_the_samples_say(void **state)
{
    UNUSED(state);
    struct tga_recipe r = {.type = TGA_COLOUR, .bits = 32, .descriptor = TGA_FROM_TOP | 8};
    r.bytes = "\3\2\1\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    r.size = 24;
    check(&r, 4, (const uint8_t[24]){1, 2, 3, 4});
    r.descriptor = TGA_FROM_TOP;
    check(&r, 4, (const uint8_t[24]){1, 2, 3, 4});
    r.bytes = "\3\2\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    check(&r, 3, (const uint8_t[18]){1, 2, 3});
    r.descriptor = TGA_FROM_TOP | 8;
    check(&r, 4, (const uint8_t[24]){1, 2, 3});
}

static void maps_begin_anywhere(void **state)
{
    UNUSED(state);
    static const uint8_t rgb[18] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6};
    struct tga_recipe r = {.type = TGA_MAPPED, .bits = 8, .descriptor = TGA_FROM_TOP, .map_bits = 24, .map_first = 100};
    r.map_length = 2;
    r.bytes = "\3\2\1\6\5\4dedeee";
    r.size = 12;
    check(&r, 3, rgb);
    r.bits = 16;
    r.map_first = 0x1000;
    r.bytes = "\3\2\1\6\5\4\0\x10\1\x10\0\x10\1\x10\1\x10\1\x10";
    r.size = 18;
    check(&r, 3, rgb);
    r.type |= TGA_RUNS;
    r.bytes = "\3\2\1\6\5\4\2\0\x10\1\x10\0\x10\x82\1\x10";
    r.size = 16;
    check(&r, 3, rgb);
    r = (struct tga_recipe){.type = TGA_MAPPED, .bits = 8, .descriptor = TGA_FROM_TOP, .map_bits = 15, .map_length = 1};
    r.bytes = "\x43\x04\0\0\0\0\0\0";
    r.size = 8;
    check(&r, 3, (const uint8_t[18]){8, 16, 25, 8, 16, 25, 8, 16, 25, 8, 16, 25, 8, 16, 25, 8, 16, 25});
    r = (struct tga_recipe){
        .type = TGA_COLOUR, .bits = 24, .descriptor = TGA_FROM_TOP, .map_bits = 16, .map_length = 2};
    r.bytes = "\xaa\xaa\xaa\xaa\3\2\1\6\5\4\3\2\1\6\5\4\6\5\4\6\5\4"; /* a map that nothing needs */
    r.size = 22;
    check(&r, 3, rgb);
}

static void colours_outside_the_map_are_refused(void **state)
{
    UNUSED(state);
    struct tga_recipe r = {.type = TGA_MAPPED, .bits = 8, .map_bits = 24, .map_first = 100, .map_length = 2};
    r.bytes = "\3\2\1\6\5\4dedeef";
    r.size = 12;
    refuse(&r, "pixel 2,0 has colour 102, but the map has 2 colours from 100 on");
    r.bytes = "\3\2\1\6\5\4dcdeee";
    refuse(&r, "pixel 1,1 has colour 99, but the map has 2 colours from 100 on");
}

static void damage_is_told(void **state)
{
    UNUSED(state);
    static const struct {
        struct tga_recipe r;
        const char *words;
    } bad[] = {
        {{.type = 0, .bits = 8, BYTES("")}, "the type must be one of 1, 2, 3, 9, 10, 11"},
        {{.type = 32, .bits = 8, BYTES("")}, "the type must be one of 1, 2, 3, 9, 10, 11"},
        {{.type = TGA_COLOUR, .bits = 8, BYTES("")}, "a colour must have 15, 16, 24 or 32 bits"},
        {{.type = TGA_GREY, .bits = 1, BYTES("")}, "grey must have 8 or 16 bits"},
        {{.type = TGA_MAPPED, .bits = 8, BYTES("")}, "the type and the colour map contradict each other"},
        {{.type = TGA_MAPPED, .bits = 4, .map_bits = 24, BYTES("")}, "an index must have 8 or 16 bits"},
        {{.type = TGA_MAPPED, .bits = 8, .map_bits = 8, BYTES("")}, "a colour must have 15, 16, 24 or 32 bits"},
        {{.type = TGA_GREY, .bits = 8, .descriptor = 64, BYTES("\1\2\3\4\5\6")}, "interleaved rows are not supported"},
        {{.type = TGA_GREY, .bits = 8, BYTES("\1\2\3\4\5")}, "ends too early"},
        {{.type = TGA_GREY | TGA_RUNS, .bits = 8, BYTES("\x86\1")}, "a run goes past the last pixel"},
        {{.type = TGA_GREY | TGA_RUNS, .bits = 8, BYTES("\x84\1")}, "ends too early"},
        {{.type = TGA_GREY | TGA_RUNS, .bits = 8, BYTES("\5\1\2\3\4\5")}, "ends too early"},
        {{.type = TGA_MAPPED, .bits = 8, .map_bits = 24, .map_length = 9, BYTES("\1\2")}, "ends too early"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(bad); i++)
        refuse(&bad[i].r, bad[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_columns_come_from_either_end),       cmocka_unit_test(all_depths_are_read),
        cmocka_unit_test(alpha_is_what_the_header_or_the_samples_say), cmocka_unit_test(maps_begin_anywhere),
        cmocka_unit_test(colours_outside_the_map_are_refused),         cmocka_unit_test(damage_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
