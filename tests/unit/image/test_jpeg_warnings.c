/* SPDX-License-Identifier: MIT */
/*
 * client/cli/jpeg_turbo: a fault of a JPEG that changes no sample is a warning, with one thread and with several; a
 * fault that loses samples is refused. Built with libjpeg-turbo.
 */
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define HEAD 20u /* bytes of the start mark and of JFIF's segment */

static uint8_t *encoded(uint64_t side, size_t *ret_size)
{
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.jpg");
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_noise(GF_U8, side, side, 3, 1);
    fixture_write(dir, "a.jpg", &image);
    return fixture_load(path, ret_size);
}

static uint8_t *with_segment(const uint8_t *file, size_t *size, const char *segment, size_t n)
{
    uint8_t *longer = malloc(*size + n);
    assert_non_null(longer);
    memcpy(longer, file, HEAD);
    memcpy(longer + HEAD, segment, n);
    memcpy(longer + HEAD + n, file + HEAD, *size - HEAD);
    *size += n;
    return longer;
}

static struct gf_image read_by(uint32_t threads, const uint8_t *file, size_t size)
{
    struct gf_image image = GF_IMAGE_NULL;
    const struct gf_image_load how = {.threads = threads};
    struct gf_io_error err = {.text = ""};
    if (gf_image_decode("a.jpg", file, size, &how, &image, &err) != GF_IO_OK)
        fail_msg("%s", err.text);
    return image;
}

/* Pieces of a profile that are not a whole profile, in a small picture and in one that threads share. */
static void a_damaged_profile_is_dropped(void **state)
{
    UNUSED(state);
    static const char pieces[][24] = {"\xff\xe2\0\x14ICC_PROFILE\0\1\2abc", "\xff\xe2\0\x14ICC_PROFILE\0\0\1abc",
                                      "\xff\xe2\0\x14ICC_PROFILE\0\2\1abc"};
    for (uint64_t side = 24; side <= 1104; side += 1080) {
        size_t plain_size = 0;
        gf_cleanup(gf_freep) uint8_t *plain = encoded(side, &plain_size);
        gf_cleanup(gf_image_deinit) struct gf_image want = read_by(1, plain, plain_size);
        assert_null(want.warning);
        for (size_t i = 0; i < GF_ARRAY_LEN(pieces); i++) {
            size_t size = plain_size;
            gf_cleanup(gf_freep) uint8_t *file = with_segment(plain, &size, pieces[i], 22);
            for (uint32_t threads = 1; threads <= 2; threads++) {
                gf_cleanup(gf_image_deinit) struct gf_image image = read_by(threads, file, size);
                fixture_assert_equal(&image, &want);
                assert_null(image.meta.profile);
                assert_string_equal(image.warning, "a.jpg: the colour profile is damaged and is not kept");
            }
        }
    }
}

/* The coefficient range of a scan, which is always the same in files of this kind. */
static void a_scan_that_says_too_little_is_read(void **state)
{
    UNUSED(state);
    for (uint64_t side = 24; side <= 1104; side += 1080) {
        size_t size = 0;
        gf_cleanup(gf_freep) uint8_t *file = encoded(side, &size);
        gf_cleanup(gf_image_deinit) struct gf_image want = read_by(1, file, size);
        uint8_t *scan = memmem(file, size, "\xff\xda\0\x0c\3", 5);
        assert_non_null(scan);
        assert_int_equal(scan[12], 63);
        scan[12] = 62;
        for (uint32_t threads = 1; threads <= 2; threads++) {
            gf_cleanup(gf_image_deinit) struct gf_image image = read_by(threads, file, size);
            fixture_assert_equal(&image, &want);
            assert_non_null(image.warning);
            assert_non_null(strstr(image.warning, "a.jpg: the header misstates how the samples are stored"));
        }
    }
}

static void lost_samples_are_refused(void **state)
{
    UNUSED(state);
    struct gf_io_error err;
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = encoded(24, &size);
    for (size_t lost = 2; lost < 100; lost++) { /* with its end mark */
        gf_cleanup(gf_freep) uint8_t *bad = malloc(size);
        assert_non_null(bad);
        memcpy(bad, file, size);
        memcpy(bad + size - 2 - lost, "\xff\xd9", 2);
        fixture_refuses("a.jpg", bad, size - lost, GF_IO_DATA, &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_profile_is_dropped),
        cmocka_unit_test(a_scan_that_says_too_little_is_read),
        cmocka_unit_test(lost_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
