/* SPDX-License-Identifier: MIT */
/* client/image/gif: frames as they are shown, from files that the test makes byte by byte. */
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/unit/unit.h"

enum { SIDE = 8, NONE = -1 };

/* A file that grows. */
struct file {
    uint8_t bytes[4096];
    size_t size;
};

static void add(struct file *f, const void *bytes, size_t size)
{
    assert_true(f->size + size <= sizeof(f->bytes));
    memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

/* The screen, and four colours: black, red, green, blue. */
static void begin(struct file *f)
{
    static const uint8_t colours[] = {0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    static const uint8_t screen[] = {SIDE, 0, SIDE, 0, 0x81, 0, 0};
    f->size = 0;
    add(f, "GIF89a", 6);
    add(f, screen, sizeof(screen));
    add(f, colours, sizeof(colours));
}

/* A frame of pixels stored in codes of 8 bits: 7 bits for colours, with clear codes before the codes would grow. */
static void frame(struct file *f, int x, int y, int width, int height, int transparent, int disposal, bool interlace,
                  const uint8_t *pixels)
{
    uint8_t control[] = {0x21, 0xf9, 4, (uint8_t)(disposal << 2 | (transparent != NONE)), 0, 0, (uint8_t)transparent,
                         0};
    uint8_t head[] = {0x2c, (uint8_t)x,      0, (uint8_t)y,           0, (uint8_t)width,
                      0,    (uint8_t)height, 0, interlace ? 0x40 : 0, 7};
    add(f, control, sizeof(control));
    add(f, head, sizeof(head));
    uint8_t block[256] = {0};
    for (int i = 0; i < width * height; i++) {
        if (i % 100 == 0)
            block[++block[0]] = 0x80;
        block[++block[0]] = pixels[i];
    }
    block[++block[0]] = 0x81;
    add(f, block, block[0] + 1u);
    add(f, "", 1);
}

static void end(struct file *f)
{
    add(f, "\x3b", 1);
}

#define EIGHT(v) v, v, v, v, v, v, v, v
#define ALL(v)                                                                                                         \
    {                                                                                                                  \
        EIGHT(v), EIGHT(v), EIGHT(v), EIGHT(v), EIGHT(v), EIGHT(v), EIGHT(v), EIGHT(v)                                 \
    }
static const uint8_t reds[64] = ALL(1);
static const uint8_t greens[64] = ALL(2);

static void assert_pixel(const struct gf_image *image, uint64_t x, uint64_t y, uint32_t rgba)
{
    const uint8_t *p = (const uint8_t *)image->data + y * image->view.pitch + x * image->view.channels;
    uint32_t found = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8;
    found |= image->view.channels == 4 ? p[3] : 255u;
    if (found != rgba)
        fail_msg("pixel %d,%d is %08x, not %08x", (int)x, (int)y, found, rgba);
}

static struct gf_image read_frame(const struct file *f, uint32_t page)
{
    struct gf_image image = GF_IMAGE_NULL;
    struct gf_io_error err;
    const struct gf_image_load how = {.page = page};
    if (gf_image_decode("a.gif", f->bytes, f->size, &how, &image, &err) != GF_IO_OK)
        fail_msg("%s", err.text);
    return image;
}

static void one_frame_is_rgb(void **state)
{
    UNUSED(state);
    struct file f;
    uint8_t pixels[64];
    for (int i = 0; i < 64; i++)
        pixels[i] = (uint8_t)(i % 4);
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, pixels);
    end(&f);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.gif", f.bytes, f.size);
    assert_int_equal(image.view.channels, 3);
    assert_null(image.warning);
    assert_int_equal(image.file_bytes, f.size);
    assert_pixel(&image, 0, 0, 0x000000ff);
    assert_pixel(&image, 1, 0, 0xff0000ff);
    assert_pixel(&image, 6, 7, 0x00ff00ff);
    assert_pixel(&image, 7, 7, 0x0000ffff);
}

static void interlaced_rows_are_sorted(void **state)
{
    UNUSED(state);
    static const uint8_t order[] = {0, 4, 2, 6, 1, 3, 5, 7};
    struct file f;
    uint8_t pixels[64];
    for (int i = 0; i < 64; i++)
        pixels[i] = order[i / 8] % 4;
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, true, pixels);
    end(&f);
    gf_cleanup(gf_image_deinit) struct gf_image image = read_frame(&f, 1);
    static const uint32_t colours[] = {0x000000ff, 0xff0000ff, 0x00ff00ff, 0x0000ffff};
    for (uint64_t y = 0; y < SIDE; y++)
        assert_pixel(&image, 3, y, colours[y % 4]);
}

static void what_is_transparent_is_alpha(void **state)
{
    UNUSED(state);
    struct file f;
    uint8_t pixels[64] = {0};
    pixels[9] = 2;
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, 0, 0, false, pixels);
    end(&f);
    gf_cleanup(gf_image_deinit) struct gf_image image = read_frame(&f, 0);
    assert_int_equal(image.view.channels, 4);
    assert_pixel(&image, 0, 0, 0);
    assert_pixel(&image, 1, 1, 0x00ff00ff);
}

/* Red everywhere; green in a corner, then restored to the previous picture; blue in the other corner, then cleared. */
static void frames_are_drawn_over_each_other(void **state)
{
    UNUSED(state);
    struct file f;
    const uint8_t blue = 3, clear = 0;
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 1, false, reds);
    frame(&f, 0, 0, 4, 4, NONE, 3, false, greens);
    frame(&f, 7, 7, 1, 1, NONE, 2, false, &blue);
    frame(&f, 6, 0, 8, 1, 0, 0, false, (const uint8_t[8]){2, 0, 2}); /* reaches beyond the screen */
    frame(&f, 0, 0, 1, 1, 0, 0, false, &clear);
    end(&f);
    gf_cleanup(gf_image_deinit) struct gf_image second = read_frame(&f, 2), third = read_frame(&f, 3);
    assert_pixel(&second, 0, 0, 0x00ff00ff);
    assert_pixel(&second, 7, 7, 0xff0000ff);
    assert_pixel(&third, 0, 0, 0xff0000ff);
    assert_pixel(&third, 7, 7, 0x0000ffff);
    assert_null(third.warning);
    gf_cleanup(gf_image_deinit) struct gf_image fourth = read_frame(&f, 4), fifth = read_frame(&f, 5);
    assert_string_equal(fourth.warning, "a.gif: a frame reaches beyond the screen of 8x8 pixels and is cut there");
    assert_pixel(&fourth, 7, 7, 0);
    assert_pixel(&fourth, 6, 0, 0x00ff00ff);
    assert_pixel(&fourth, 7, 0, 0xff0000ff);
    fixture_assert_equal(&fourth, &fifth);
}

static void the_first_of_several_is_read_and_it_says_so(void **state)
{
    UNUSED(state);
    struct file f;
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, reds);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, greens);
    end(&f);
    gf_cleanup(gf_image_deinit) struct gf_image image = read_frame(&f, 0);
    assert_pixel(&image, 0, 0, 0xff0000ff);
    assert_string_equal(image.warning, "a.gif: has 2 frames; the first one is read; choose one with --page N");
    gf_cleanup(gf_image_deinit) struct gf_image second = read_frame(&f, 2);
    assert_pixel(&second, 0, 0, 0x00ff00ff);
    assert_null(second.warning);
    struct gf_image none = GF_IMAGE_NULL;
    struct gf_io_error err;
    assert_int_equal(gf_image_decode("a.gif", f.bytes, f.size, &(struct gf_image_load){.page = 3}, &none, &err),
                     GF_IO_DATA);
    fixture_assert_says(&err, "a.gif: has 2 frames; --page 3 must be 1 to 2");
}

static void damage_is_refused(void **state)
{
    UNUSED(state);
    struct file f;
    struct gf_io_error err;
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, reds);
    const size_t first = f.size;
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, greens);
    end(&f);
    for (size_t cut = 6; cut < f.size; cut++) {
        if (cut == first || cut == f.size - 1) { /* at the end of a frame */
            gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.gif", f.bytes, cut);
            assert_string_equal(image.warning,
                                cut == first ? "a.gif: the end mark (trailer) is missing; the frames up to there are "
                                               "complete"
                                             : "a.gif: the end mark (trailer) is missing; the frames up to there are "
                                               "complete; a.gif: has 2 frames; the first one is read; choose one with "
                                               "--page N");
            assert_pixel(&image, 0, 0, 0xff0000ff);
            continue;
        }
        fixture_refuses("a.gif", f.bytes, cut, GF_IO_DATA, &err);
        fixture_assert_says(&err, "damaged gif: the file ends too early");
    }
    for (size_t i = 6; i < f.size; i++) { /* read or refused in one sentence */
        struct gf_image other = GF_IMAGE_NULL;
        struct file bad = f;
        bad.bytes[i] ^= 0x41;
        if (gf_image_decode("a.gif", bad.bytes, bad.size, NULL, &other, &err) != GF_IO_OK)
            fixture_assert_says(&err, "a.gif: ");
        gf_image_deinit(&other);
    }
    begin(&f);
    end(&f);
    fixture_refuses("a.gif", f.bytes, f.size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "it has no frame");
    begin(&f);
    frame(&f, 0, 0, SIDE, SIDE, NONE, 0, false, (const uint8_t[64]){[5] = 77});
    end(&f);
    fixture_refuses("a.gif", f.bytes, f.size, GF_IO_DATA, &err);
    fixture_assert_says(&err, "a colour beyond the palette");
    f.bytes[7] = f.bytes[9] = 0xff; /* a screen of 65288x65288 */
    fixture_refuses("a.gif", f.bytes, f.size, GF_IO_TOO_LARGE, &err);
    fixture_assert_says(&err, "samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_frame_is_rgb),
        cmocka_unit_test(interlaced_rows_are_sorted),
        cmocka_unit_test(what_is_transparent_is_alpha),
        cmocka_unit_test(frames_are_drawn_over_each_other),
        cmocka_unit_test(the_first_of_several_is_read_and_it_says_so),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
