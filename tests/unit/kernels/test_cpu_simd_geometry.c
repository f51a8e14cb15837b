/* SPDX-License-Identifier: MIT */
/* kernels/cpu/geometry: pixels of every size go to the right place with every instruction set, and no byte outside the
 * documented range is read or written. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/geometry/simd_geometry.h"
#include "kernels/cpu/simd/simd.h"
#include "protocol/base/base.h"
#include "protocol/base/dtype.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define SIDE 70u
#define PIXEL 32u

static const size_t pixels[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
static _Alignas(64) unsigned char to[SIDE * (SIDE * PIXEL + GF_BLOCK_SLACK)], expected[sizeof to];

/* An exact allocation, so that a sanitizer detects reads past it. */
static unsigned char *random_bytes(struct gf_prng *prng, size_t n)
{
    unsigned char *bytes = malloc(n);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)gf_prng_below(prng, 256);
    return bytes;
}

static void check_reverse(const struct gf_simd *simd, struct gf_prng *prng)
{
    for (size_t p = 0; p < GF_ARRAY_LEN(pixels); p++)
        for (size_t n = 1; n < SIDE; n++) {
            size_t pixel = pixels[p];
            unsigned char *from = random_bytes(prng, n * pixel);
            memset(expected, 0x5A, sizeof expected);
            for (size_t i = 0; i < n; i++)
                memcpy(expected + i * pixel, from + (n - 1 - i) * pixel, pixel);
            for (int stream = 0; stream < 2; stream++) {
                memset(to, 0x5A, sizeof to);
                simd->geometry->reverse(pixel, GF_U8, from, to, n, stream != 0);
                assert_memory_equal(to, expected, n * pixel + 64);
            }
            free(from);
        }
}

static void check_transpose(const struct gf_simd *simd, struct gf_prng *prng, size_t pixel, size_t rows, size_t columns)
{
    size_t row = columns * pixel, pitch = rows * pixel + GF_BLOCK_SLACK;
    unsigned char *from = random_bytes(prng, rows * row);
    for (int upwards = 0; upwards < 2; upwards++) {
        struct gf_pixel_block block = {from, (ptrdiff_t)row, rows, columns};
        if (upwards)
            block = (struct gf_pixel_block){from + (rows - 1) * row, -(ptrdiff_t)row, rows, columns};
        memset(to, 0x5A, sizeof to);
        simd->geometry->transpose(pixel, &block, to, (ptrdiff_t)pitch);
        for (size_t c = 0; c < columns; c++)
            for (size_t r = 0; r < rows; r++)
                assert_memory_equal(to + c * pitch + r * pixel, from + (upwards ? rows - 1 - r : r) * row + c * pixel,
                                    pixel);
        assert_int_equal(to[columns * pitch], 0x5A);
    }
    free(from);
}

/* At every offset in a cache line, aligned or not, and with streaming stores. */
static void check_copy(const struct gf_simd *simd, struct gf_prng *prng)
{
    static const uint32_t dtypes[] = {GF_U8, GF_F32, GF_F64, GF_F16};
    for (size_t d = 0; d < GF_ARRAY_LEN(dtypes); d++)
        for (size_t at = 0; at < 70; at += at < 9 ? 1 : 5)
            for (size_t n = 0; n < 360; n += 8) {
                unsigned char *from = random_bytes(prng, n + 1);
                if (n > 0 && d > 0)
                    memset(from + gf_prng_below(prng, (uint32_t)n / 8) * 8, 0xFF, 8); /* a NaN of any */
                for (int stream = 0; stream < 2; stream++) {
                    memset(to, 0x5A, 512);
                    memset(expected, 0x5A, 512);
                    memcpy(expected + at, from, n);
                    simd->geometry->make_canonical(dtypes[d], expected + at, n);
                    simd->geometry->copy(dtypes[d], from, to + at, n, stream);
                    assert_memory_equal(to, expected, 512);
                }
                free(from);
            }
}

static void check_repeat(const struct gf_simd *simd, struct gf_prng *prng)
{
    for (size_t p = 0; p < GF_ARRAY_LEN(pixels); p++)
        for (size_t n = 1; n < SIDE; n++) {
            unsigned char *from = random_bytes(prng, pixels[p]);
            memset(to, 0x5A, sizeof to);
            simd->geometry->repeat(pixels[p], from, to, n);
            for (size_t i = 0; i < n; i++)
                assert_memory_equal(to + i * pixels[p], from, pixels[p]);
            assert_int_equal(to[n * pixels[p]], 0x5A);
            free(from);
        }
}

static void check_canonical(const struct gf_simd *simd)
{
    uint32_t f32[37], want32[37];
    uint64_t f64[37], want64[37];
    for (uint32_t i = 0; i < 37; i++) {
        f32[i] = want32[i] = i % 2 ? 0x7F800000u : 0x80000000u + i;
        f64[i] = want64[i] = i % 2 ? UINT64_C(0xFFF0000000000000) : i;
    }
    simd->geometry->make_canonical(GF_F32, (unsigned char *)f32, sizeof f32);
    assert_memory_equal(f32, want32, sizeof f32);
    f32[0] = 0x7F800001u;
    f32[36] = 0xFFFFFFFFu;
    f64[0] = UINT64_C(0x7FF0000000000001);
    f64[36] = UINT64_MAX;
    want32[0] = want32[36] = 0x7FC00000u;
    want64[0] = want64[36] = UINT64_C(0x7FF8000000000000);
    simd->geometry->make_canonical(GF_F32, (unsigned char *)f32, sizeof f32);
    simd->geometry->make_canonical(GF_F64, (unsigned char *)f64, sizeof f64);
    assert_memory_equal(f32, want32, sizeof f32);
    assert_memory_equal(f64, want64, sizeof f64);
    uint16_t f16[5] = {0x7C01, 0xFC00, 0x7BFF, 0x0001, 0xFFFF};
    const uint16_t want16[5] = {0x7E00, 0xFC00, 0x7BFF, 0x0001, 0x7E00};
    simd->geometry->make_canonical(GF_F16, (unsigned char *)f16, sizeof f16);
    assert_memory_equal(f16, want16, sizeof f16);
    f32[0] = 0xFFFFFFFFu;
    simd->geometry->make_canonical(GF_U32, (unsigned char *)f32, sizeof f32);
    assert_int_equal(f32[0], 0xFFFFFFFFu);
}

static void instruction_sets_agree(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    struct gf_prng prng = {.state = 3};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        if (!simd)
            continue;
        check_reverse(simd, &prng);
        check_copy(simd, &prng);
        check_repeat(simd, &prng);
        for (size_t p = 0; p < GF_ARRAY_LEN(pixels); p++)
            for (size_t rows = 1; rows < 36; rows += rows < 19 ? 1 : 5)
                for (size_t columns = 1; columns < 36; columns += columns < 19 ? 1 : 7)
                    check_transpose(simd, &prng, pixels[p], rows, columns);
        check_canonical(simd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_agree),
    };
    return cmocka_run_group_tests_name("cpu_simd_geometry", tests, NULL, NULL);
}
