/* SPDX-License-Identifier: MIT */
/*
 * client/cli/png_fast: filters against the formulas of the PNG specification, files with every filter and with chunks
 * of any size, files that are left to libspng. libspng reads the written files, and their bytes do not depend on the
 * number of cores. Built with ISA-L.
 */
#include "client/image/png/png_codec.h"

#include <sched.h>
#include <spng.h>
#include <string.h>

#include "image_fixture.h"
#include "tests/support/png_bytes.h"
#include "tests/support/prng.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

/* The predictor of section 9.4, word by word. */
static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void filters_are_undone_by_the_formulas(void **state)
{
    UNUSED(state);
    static const size_t sizes_of_pixels[] = {1, 2, 3, 4, 6, 8};
    struct gf_prng prng = {.state = 7};
    uint8_t row[96], above[96], to[96], guard = 0xa5;
    for (uint32_t type = 0; type < GF_PNG_FILTERS; type++)
        for (size_t k = 0; k < GF_ARRAY_LEN(sizes_of_pixels); k++)
            for (size_t pixels = 1; pixels <= 11; pixels++) {
                size_t bpp = sizes_of_pixels[k], size = pixels * bpp;
                memset(to, guard, sizeof(to));
                for (size_t i = 0; i < size; i++) {
                    row[i] = (uint8_t)gf_prng_next(&prng);
                    above[i] = (uint8_t)gf_prng_next(&prng);
                }
                gf_png_unfilter(type, to, row, above, size, bpp);
                for (size_t i = 0; i < size; i++) {
                    int a = i < bpp ? 0 : to[i - bpp], b = above[i], c = i < bpp ? 0 : above[i - bpp];
                    const int guesses[GF_PNG_FILTERS] = {0, a, b, (a + b) / 2, paeth(a, b, c)};
                    assert_int_equal(to[i], (uint8_t)(row[i] + guesses[type]));
                }
                assert_int_equal(to[size], guard);
            }
}

/* A PNG made by libspng; `filters` are the filters from which it may choose. */
static uint8_t *spng_file(const struct gf_image *image, int filters, struct spng_ihdr ihdr, size_t *ret_size)
{
    static const uint8_t types[] = {0, SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                    SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    int code = 0;
    ihdr.width = (uint32_t)image->view.width;
    ihdr.height = (uint32_t)image->view.height;
    ihdr.bit_depth = image->view.dtype == GF_U16 ? 16 : 8;
    ihdr.color_type = types[image->view.channels];
    assert_non_null(ctx);
    assert_int_equal(spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1), 0);
    assert_int_equal(spng_set_option(ctx, SPNG_FILTER_CHOICE, filters), 0);
    assert_int_equal(spng_set_ihdr(ctx, &ihdr), 0);
    assert_int_equal(
        spng_encode_image(ctx, image->data, gf_view_bytes(&image->view), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    uint8_t *file = spng_get_png_buffer(ctx, ret_size, &code);
    assert_non_null(file);
    spng_ctx_free(ctx);
    return file;
}

static bool reads(const uint8_t *file, size_t size, struct gf_image *ret_image)
{
    return gf_png_fast_decode(&(struct gf_source){.name = "a.png", .data = file, .size = size}, ret_image);
}

static bool refuses(const uint8_t *file, size_t size)
{
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    bool refused = !reads(file, size, &image);
    assert_int_equal(refused, image.data == NULL);
    return refused;
}

static void every_filter_and_kind_is_read(void **state)
{
    UNUSED(state);
    static const int choices[] = {SPNG_FILTER_CHOICE_NONE, SPNG_FILTER_CHOICE_SUB,   SPNG_FILTER_CHOICE_UP,
                                  SPNG_FILTER_CHOICE_AVG,  SPNG_FILTER_CHOICE_PAETH, SPNG_FILTER_CHOICE_ALL};
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (size_t k = 0; k < 2 * GF_ARRAY_LEN(choices); k++) {
            /* More data than the reader's window, with rows that do not divide the window. */
            gf_cleanup(gf_image_deinit) struct gf_image made =
                fixture_noise(k % 2 ? GF_U16 : GF_U8, 307, 411, channels, k + 1);
            gf_cleanup(gf_image_deinit) struct gf_image read = GF_IMAGE_NULL;
            size_t size = 0;
            gf_cleanup(gf_freep) uint8_t *file = spng_file(&made, choices[k / 2], (struct spng_ihdr){0}, &size);
            assert_true(reads(file, size, &read));
            fixture_assert_equal(&made, &read);
        }
}

static size_t put_chunk(uint8_t *to, const char *type, const uint8_t *data, size_t size)
{
    png_put32(to, (uint32_t)size);
    memcpy(to + 4, type, 4);
    memcpy(to + 8, data, size);
    png_put32(to + 8 + size, png_crc(to + 4, 4 + size));
    return 12 + size;
}

/* The file with its samples in chunks of `each` bytes, an empty chunk before and after the first one, and `more` zeros
 * after the samples. */
static size_t split(const uint8_t *file, size_t size, size_t each, size_t more, uint8_t *ret_file)
{
    uint8_t data[8192] = {0};
    size_t n = 0, to = 33;
    for (size_t pos = 33; pos + 12 <= size; pos += 12 + png_get32(file + pos))
        if (memcmp(file + pos + 4, "IDAT", 4) == 0) {
            assert_true(n + png_get32(file + pos) <= sizeof(data));
            memcpy(data + n, file + pos + 8, png_get32(file + pos));
            n += png_get32(file + pos);
        }
    memcpy(ret_file, file, 33);
    for (size_t i = 0; i < n + more; i += each) {
        if (i <= each)
            to += put_chunk(ret_file + to, "IDAT", data, 0);
        to += put_chunk(ret_file + to, "IDAT", data + i, n + more - i < each ? n + more - i : each);
    }
    return to + put_chunk(ret_file + to, "IEND", data, 0);
}

static void samples_may_be_in_chunks_of_any_size(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image made = fixture_noise(GF_U8, 29, 31, 3, 3);
    static uint8_t again[14 * 8192];
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = spng_file(&made, SPNG_FILTER_CHOICE_ALL, (struct spng_ihdr){0}, &size);
    for (size_t each = 1; each <= 64; each++) {
        gf_cleanup(gf_image_deinit) struct gf_image read = GF_IMAGE_NULL;
        assert_true(reads(again, split(file, size, each, 0, again), &read));
        fixture_assert_equal(&made, &read);
    }
    assert_true(refuses(again, split(file, size, 100, 1, again)));
}

static void what_is_out_of_the_ordinary_is_left(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image made = fixture_noise(GF_U8, 9, 7, 3, 4);
    gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
    static const uint8_t trns[6] = {0};
    static uint8_t other[4096];
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = spng_file(&made, SPNG_FILTER_CHOICE_UP, (struct spng_ihdr){0}, &size);
    assert_true(reads(file, size, &image));
    for (size_t cut = 0; cut < size; cut++)
        assert_true(refuses(file, cut));
    for (size_t i = 8; i < size; i++) { /* image.c checks the bytes before */
        file[i] ^= 1;
        assert_true(refuses(file, size));
        file[i] ^= 1;
    }
    static const struct {
        const char *type;
        bool is_read;
    } chunks[] = {{"tRNS", false}, {"PLTE", false}, {"NEWS", false}, {"IDAT", false}, {"tEXt", true}};
    for (size_t i = 0; i < GF_ARRAY_LEN(chunks); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image read = GF_IMAGE_NULL;
        memcpy(other, file, 33);
        size_t n = 33 + put_chunk(other + 33, chunks[i].type, trns, 6);
        memcpy(other + n, file + 33, size - 33);
        assert_int_equal(reads(other, n + size - 33, &read), chunks[i].is_read);
    }
    gf_cleanup(gf_freep) uint8_t *laced =
        spng_file(&made, SPNG_FILTER_CHOICE_UP, (struct spng_ihdr){.interlace_method = 1}, &size);
    assert_true(refuses(laced, size));
}

/* One row or pixel more or less than the header says, with the right checksum. */
static void samples_of_another_size_are_left(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image made = fixture_noise(GF_U8, 9, 7, 3, 4);
    static const uint32_t sizes[][2] = {{9, 8}, {9, 6}, {8, 7}, {10, 7}};
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *file = spng_file(&made, SPNG_FILTER_CHOICE_UP, (struct spng_ihdr){0}, &size);
    for (size_t i = 0; i < GF_ARRAY_LEN(sizes); i++) {
        png_put32(file + 16, sizes[i][0]);
        png_put32(file + 20, sizes[i][1]);
        png_put32(file + 29, png_crc(file + 12, 17));
        assert_true(refuses(file, size));
    }
}

static uint8_t *written(const struct gf_image *image, size_t *ret_size)
{
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gf_cleanup(gf_freep) char *path = fixture_path(dir, "a.png");
    struct gf_output_file *out = NULL;
    assert_int_equal(gf_output_open(path, true, &out, NULL), GF_IO_OK);
    assert_true(gf_png_fast_encode(out, &image->view, image->data, NULL, 0, 0));
    assert_int_equal(gf_output_commit(&out, NULL), GF_IO_OK);
    return fixture_load(path, ret_size);
}

static void libspng_reads_what_is_written(void **state)
{
    UNUSED(state);
    static const uint64_t sizes[][2] = {{1, 1}, {3, 1}, {1, 700}, {701, 903}};
    for (size_t k = 0; k < 2 * GF_ARRAY_LEN(sizes); k++)
        for (uint32_t channels = 1; channels <= 4; channels++) {
            gf_cleanup(gf_image_deinit) struct gf_image made =
                fixture_noise(k % 2 ? GF_U16 : GF_U8, sizes[k / 2][0], sizes[k / 2][1], channels, k + 1);
            size_t size = 0, bytes = gf_view_bytes(&made.view);
            gf_cleanup(gf_freep) uint8_t *file = written(&made, &size);
            gf_cleanup(gf_freep) uint8_t *read = malloc(bytes);
            spng_ctx *ctx = spng_ctx_new(0);
            assert_int_equal(spng_set_png_buffer(ctx, file, size), 0);
            assert_int_equal(spng_set_crc_action(ctx, SPNG_CRC_ERROR, SPNG_CRC_ERROR), 0);
            assert_int_equal(spng_decode_image(ctx, read, bytes, SPNG_FMT_PNG, 0), 0);
            assert_int_equal(spng_decode_chunks(ctx), 0);
            spng_ctx_free(ctx);
            assert_memory_equal(read, made.data, bytes);
        }
}

static void the_bytes_do_not_depend_on_the_cores(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image made = fixture_noise(GF_U8, 1500, 1200, 3, 1);
    cpu_set_t all, one;
    size_t sizes[2];
    assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
    gf_cleanup(gf_freep) uint8_t *many = written(&made, &sizes[0]);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    gf_cleanup(gf_freep) uint8_t *single = written(&made, &sizes[1]);
    assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(many, single, sizes[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_undone_by_the_formulas),   cmocka_unit_test(every_filter_and_kind_is_read),
        cmocka_unit_test(samples_may_be_in_chunks_of_any_size), cmocka_unit_test(what_is_out_of_the_ordinary_is_left),
        cmocka_unit_test(samples_of_another_size_are_left),     cmocka_unit_test(libspng_reads_what_is_written),
        cmocka_unit_test(the_bytes_do_not_depend_on_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
