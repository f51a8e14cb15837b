/* SPDX-License-Identifier: MIT */
/* client/image/image_webp: lossless files are read back bit for bit, frames are selected, damage is refused. */
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

static void colours_are_kept_bit_by_bit(void **state)
{
    UNUSED(state);
    static const uint64_t sides[][2] = {{1, 1}, {37, 21}, {64, 64}, {300, 2}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(sides); i++)
        for (uint32_t channels = 3; channels <= 4; channels++) {
            gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, sides[i][0], sides[i][1], channels, i);
            if (channels == 4)
                ((uint8_t *)a.data)[3] = 0; /* an invisible pixel keeps its colour */
            fixture_write(dir, "a.webp", &a);
            gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.webp");
            fixture_assert_equal(&a, &b);
        }
}

static void grey_becomes_colour(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (uint32_t channels = 1; channels <= 2; channels++) {
        gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 9, 7, channels, 1);
        fixture_write(dir, "a.webp", &a);
        gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.webp");
        const uint8_t *from = a.data, *to = b.data;
        assert_int_equal(b.view.channels, channels + 2);
        for (size_t i = 0; i < 63; i++, from += channels, to += channels + 2) {
            assert_true(to[0] == from[0] && to[1] == from[0] && to[2] == from[0]);
            assert_true(channels == 1 || to[3] == from[1]);
        }
    }
}

static void a_quality_loses_bits_and_bytes(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.webp");
    gf_cleanup(gf_image_deinit) struct gf_image a = fixture_noise(GF_U8, 64, 64, 3, 1);
    size_t whole, some;
    struct gf_io_error err;
    fixture_write(dir, "a.webp", &a);
    gf_cleanup(gf_freep) uint8_t *lossless = fixture_load(path, &whole);
    assert_int_equal(
        gf_image_write(path, GF_FORMAT_NONE, &a.view, a.data, &(struct gf_image_save){.quality = 20}, &err), GF_IO_OK);
    gf_cleanup(gf_freep) uint8_t *lossy = fixture_load(path, &some);
    assert_true(some < whole / 2);
    gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, "a.webp");
    assert_int_equal(gf_view_bytes(&a.view), gf_view_bytes(&b.view));
    assert_memory_not_equal(a.data, b.data, gf_view_bytes(&a.view));
}

static void sides_beyond_the_format_are_refused(void **state)
{
    UNUSED(state);
    const struct gf_view view = gf_view_tight(GF_U8, 16384, 1, 3);
    struct gf_io_error err;
    assert_int_equal(gf_image_can_hold(GF_FORMAT_WEBP, &view, false, "a.webp", &err), GF_IO_DATA);
    fixture_assert_says(&err, "a.webp: webp holds sides of up to 16383, but the picture is 16384x1; write png or pam");
}

/* Three frames of 8x8: all red, all green, the left half blue. */
static WebPData animation(void)
{
    static const uint8_t colours[][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
    WebPAnimEncoderOptions options;
    WebPConfig config;
    WebPData data;
    assert_true(WebPAnimEncoderOptionsInit(&options));
    assert_true(WebPConfigInit(&config) && WebPConfigLosslessPreset(&config, 1));
    WebPAnimEncoder *encoder = WebPAnimEncoderNew(8, 8, &options);
    assert_non_null(encoder);
    for (int frame = 0; frame < 3; frame++) {
        uint8_t rgb[8 * 8 * 3];
        WebPPicture picture;
        for (int i = 0; i < 64; i++)
            memcpy(rgb + 3 * i, colours[frame == 2 && i % 8 >= 4 ? 1 : frame], 3);
        assert_true(WebPPictureInit(&picture));
        picture.width = picture.height = 8;
        picture.use_argb = 1;
        assert_true(WebPPictureImportRGB(&picture, rgb, 24));
        assert_true(WebPAnimEncoderAdd(encoder, &picture, 100 * frame, &config));
        WebPPictureFree(&picture);
    }
    assert_true(WebPAnimEncoderAdd(encoder, NULL, 300, NULL));
    assert_true(WebPAnimEncoderAssemble(encoder, &data));
    WebPAnimEncoderDelete(encoder);
    return data;
}

static void a_frame_is_chosen(void **state)
{
    UNUSED(state);
    static const uint8_t left[][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}};
    WebPData file = animation();
    struct gf_io_error err;
    for (uint32_t channels = 4; channels >= 3; channels--) { /* as the file says whether frames have alpha */
        uint8_t *flags = (uint8_t *)(uintptr_t)file.bytes + 20;
        *flags = (uint8_t)((*flags & ~0x10) | (channels == 4 ? 0x10 : 0));
        for (uint32_t page = 1; page <= 3; page++) {
            gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
            const struct gf_image_load how = {.page = page};
            assert_int_equal(gf_image_decode("a.webp", file.bytes, file.size, &how, &image, &err), GF_IO_OK);
            assert_int_equal(image.view.channels, channels);
            assert_memory_equal(image.data, left[page - 1], channels);
            assert_memory_equal((uint8_t *)image.data + (size_t)7 * channels, left[page == 1 ? 0 : 1], channels);
        }
    }
    gf_cleanup(gf_image_deinit) struct gf_image first = fixture_decode("a.webp", file.bytes, file.size);
    assert_memory_equal(first.data, left[0], 3);
    assert_string_equal(first.warning, "a.webp: has 3 frames; the first one is read; choose one with --page N");
    assert_int_equal(first.pages, 3);
    assert_int_equal(first.meta.delay[0], 100);
    assert_int_equal(first.meta.delay[1], 1000);
    struct gf_image none = GF_IMAGE_NULL;
    assert_int_equal(gf_image_decode("a.webp", file.bytes, file.size, &(struct gf_image_load){.page = 4}, &none, &err),
                     GF_IO_DATA);
    fixture_assert_says(&err, "has 3 frames; --page 4 must be 1 to 3");
    for (size_t cut = 12; cut < file.size - 1; cut++) {
        gf_cleanup(gf_freep) uint8_t *copy = malloc(cut);
        assert_non_null(copy);
        memcpy(copy, file.bytes, cut);
        assert_int_not_equal(gf_image_decode("a.webp", copy, cut, &(struct gf_image_load){.page = 3}, &none, &err),
                             GF_IO_OK);
        fixture_assert_says(&err, "a.webp: ");
    }
    WebPDataClear(&file);
}

static void damage_is_refused(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.webp");
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, 20, 12, 4, 1);
    struct gf_io_error err;
    for (uint32_t quality = 0; quality <= 50; quality += 50) {
        size_t size;
        assert_int_equal(gf_image_write(path, GF_FORMAT_NONE, &image.view, image.data,
                                        &(struct gf_image_save){.quality = quality}, &err),
                         GF_IO_OK);
        gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
        for (size_t cut = 12; cut < size - 1; cut++) {
            fixture_refuses("a.webp", bytes, cut, GF_IO_DATA, &err);
            fixture_assert_says(&err, "damaged webp: the file ends too early");
        }
        for (size_t i = 12; i < size; i++) { /* read or refused in one sentence */
            struct gf_image other = GF_IMAGE_NULL;
            bytes[i] ^= 0x41;
            if (gf_image_decode("a.webp", bytes, size, NULL, &other, &err) != GF_IO_OK)
                fixture_assert_says(&err, "a.webp: ");
            gf_image_deinit(&other);
            bytes[i] ^= 0x41;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_kept_bit_by_bit),
        cmocka_unit_test(grey_becomes_colour),
        cmocka_unit_test(a_quality_loses_bits_and_bytes),
        cmocka_unit_test(sides_beyond_the_format_are_refused),
        cmocka_unit_test(a_frame_is_chosen),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
