/* SPDX-License-Identifier: MIT */
/* client/image/image_png: every colour type, depth and interlacing, transparency by tRNS, and damage at every byte. */
#include "client/image/image.h"

#include <spng.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/png_bytes.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define WIDTH 21u
#define HEIGHT 13u

/* A PNG made by libspng from samples of the file's own depth. */
struct made {
    struct spng_ihdr ihdr;
    uint32_t channels;                    /* in the file; 1 for a palette */
    uint16_t samples[WIDTH * HEIGHT * 4]; /* indices for a palette */
    struct spng_plte plte;
    struct spng_trns trns;
    bool has_trns;
    uint8_t *file;
    size_t size;
};

static uint32_t channels_of(uint8_t color_type)
{
    static const uint32_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[color_type];
}

/* Packs samples of 1 to 16 bits into rows that begin at a byte; 16-bit samples in the machine's byte order. */
static uint8_t *pack(const struct made *m, size_t *ret_size)
{
    uint32_t depth = m->ihdr.bit_depth;
    size_t per_row = (size_t)WIDTH * m->channels;
    size_t row = (per_row * depth + 7) / 8;
    uint8_t *packed = calloc(HEIGHT, row);
    assert_non_null(packed);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t i = 0; i < per_row; i++) {
            uint16_t v = m->samples[y * per_row + i];
            uint8_t *to = packed + y * row + i * depth / 8;
            if (depth == 16)
                memcpy(to, &v, 2);
            else
                *to = (uint8_t)(*to | v << (8 - depth - i * depth % 8));
        }
    *ret_size = row * HEIGHT;
    return packed;
}

static void make(struct made *m, uint8_t color_type, uint8_t depth, uint8_t interlace, bool trns)
{
    struct gf_prng prng = {.state = (uint64_t)color_type << 16 | (uint64_t)depth << 8 | interlace};
    size_t size = 0;
    *m = (struct made){.ihdr = {.width = WIDTH,
                                .height = HEIGHT,
                                .bit_depth = depth,
                                .color_type = color_type,
                                .interlace_method = interlace},
                       .channels = channels_of(color_type),
                       .has_trns = trns};
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * m->channels; i++)
        m->samples[i] = (uint16_t)gf_prng_below(&prng, 1u << depth);
    m->plte.n_entries = color_type == 3 ? 1u << depth : 0;
    for (uint32_t i = 0; i < m->plte.n_entries; i++) {
        m->plte.entries[i].red = (uint8_t)gf_prng_next(&prng);
        m->plte.entries[i].green = (uint8_t)gf_prng_next(&prng);
        m->plte.entries[i].blue = (uint8_t)gf_prng_next(&prng);
    }
    /* The colour of pixel 0 is transparent; in a palette, the first half of the entries has alpha values. */
    m->trns =
        (struct spng_trns){.gray = m->samples[0], .red = m->samples[0], .green = m->samples[1], .blue = m->samples[2]};
    m->trns.n_type3_entries = (m->plte.n_entries + 1) / 2;
    for (uint32_t i = 0; i < m->trns.n_type3_entries; i++)
        m->trns.type3_alpha[i] = (uint8_t)(7 * i);

    gf_cleanup(gf_freep) uint8_t *packed = pack(m, &size);
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    int code = 0;
    assert_non_null(ctx);
    assert_int_equal(spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1), 0);
    assert_int_equal(spng_set_ihdr(ctx, &m->ihdr), 0);
    if (color_type == 3)
        assert_int_equal(spng_set_plte(ctx, &m->plte), 0);
    if (trns)
        assert_int_equal(spng_set_trns(ctx, &m->trns), 0);
    assert_int_equal(spng_encode_image(ctx, packed, size, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE), 0);
    m->file = spng_get_png_buffer(ctx, &m->size, &code);
    assert_non_null(m->file);
    spng_ctx_free(ctx);
}

/* Pixel i as the reader must return it, written out from the PNG specification. Returns the number of channels. */
static uint32_t expected(const struct made *m, uint64_t i, uint32_t ret_pixel[4])
{
    uint32_t max = m->ihdr.bit_depth == 16 ? 65535 : 255;
    uint32_t top = (1u << m->ihdr.bit_depth) - 1;
    const uint16_t *s = m->samples + i * m->channels;
    if (m->ihdr.color_type == 3) {
        ret_pixel[0] = m->plte.entries[s[0]].red;
        ret_pixel[1] = m->plte.entries[s[0]].green;
        ret_pixel[2] = m->plte.entries[s[0]].blue;
        ret_pixel[3] = s[0] < m->trns.n_type3_entries ? m->trns.type3_alpha[s[0]] : 255;
        return m->has_trns ? 4 : 3;
    }
    for (uint32_t c = 0; c < m->channels; c++)
        ret_pixel[c] = s[c] * max / top;
    if (!m->has_trns)
        return m->channels;
    ret_pixel[m->channels] = memcmp(s, m->samples, 2 * m->channels) == 0 ? 0 : max;
    return m->channels + 1;
}

static void check(uint8_t color_type, uint8_t depth, uint8_t interlace, bool trns)
{
    struct made m;
    make(&m, color_type, depth, interlace, trns);
    gf_cleanup(gf_image_deinit) struct gf_image image = fixture_decode("a.png", m.file, m.size);
    assert_int_equal(image.view.dtype, depth == 16 ? GF_U16 : GF_U8);
    assert_int_equal(image.view.width, WIDTH);
    assert_int_equal(image.view.height, HEIGHT);
    for (uint64_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t pixel[4] = {0};
        uint32_t channels = expected(&m, i, pixel);
        assert_int_equal(image.view.channels, channels);
        for (uint32_t c = 0; c < channels; c++)
            assert_int_equal(fixture_sample(&image, i * channels + c), pixel[c]);
    }
    free(m.file);
}

static void every_kind_of_png_is_read(void **state)
{
    UNUSED(state);
    static const struct {
        uint8_t color_type;
        uint8_t depth;
    } kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                 {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    for (size_t i = 0; i < GF_ARRAY_LEN(kinds); i++)
        for (uint8_t interlace = 0; interlace <= 1; interlace++) {
            check(kinds[i].color_type, kinds[i].depth, interlace, false);
            if (kinds[i].color_type <= 3)
                check(kinds[i].color_type, kinds[i].depth, interlace, true);
        }
}

static void a_changed_byte_anywhere_is_noticed(void **state)
{
    UNUSED(state);
    struct made m;
    struct gf_io_error err;
    make(&m, 3, 4, 0, true);
    for (size_t i = 0; i < m.size; i++) {
        m.file[i] ^= 0x10;
        fixture_refuses("a.png", m.file, m.size, GF_IO_DATA, &err);
        m.file[i] ^= 0x10;
    }
    free(m.file);
}

static void a_cut_anywhere_is_noticed(void **state)
{
    UNUSED(state);
    for (uint8_t interlace = 0; interlace <= 1; interlace++) {
        struct made m;
        make(&m, 2, 8, interlace, false);
        fixture_needs_all_but(12, "a.png", m.file, 0, m.size);
        free(m.file);
    }
}

static void a_header_that_claims_too_much_is_refused(void **state)
{
    UNUSED(state);
    static const struct {
        uint32_t width;
        uint32_t height;
        const char *words;
    } claims[] = {{65536, 1, "65535"}, {1, 70000, "65535"}, {65535, 65535, "2147483648"}, {30000, 20000, "claims"}};
    for (size_t i = 0; i < GF_ARRAY_LEN(claims); i++) {
        struct made m;
        struct gf_io_error err;
        make(&m, 2, 8, 0, false);
        png_put32(m.file + 16, claims[i].width);
        png_put32(m.file + 20, claims[i].height);
        png_put32(m.file + 29, png_crc(m.file + 12, 17));
        fixture_refuses("a.png", m.file, m.size, i == 3 ? GF_IO_DATA : GF_IO_TOO_LARGE, &err);
        fixture_assert_says(&err, claims[i].words);
        free(m.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_png_is_read),
        cmocka_unit_test(a_changed_byte_anywhere_is_noticed),
        cmocka_unit_test(a_cut_anywhere_is_noticed),
        cmocka_unit_test(a_header_that_claims_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
