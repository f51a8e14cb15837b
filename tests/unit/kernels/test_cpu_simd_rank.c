/* SPDX-License-Identifier: MIT */
/* kernels/cpu/rank: sorting networks on every relevant input. The loops of every instruction set that runs here find
 * the same samples as sorting. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/rank/simd_rank.h"
#include "kernels/cpu/simd/simd.h"
#include "kernels/shared/rank/rank.h"
#include "protocol/base/base.h"
#include "tests/support/prng.h"
#include "tests/unit/unit.h"

#define RANK_T int
#define RANK_FN static inline
#define RANK_NAME(name) whole_##name
#define RANK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RANK_MAX(a, b) ((a) < (b) ? (b) : (a))
#include "kernels/shared/rank/rank_network.def"

/* The 0-1 principle: a network that is right for all zeros and ones is right for all numbers. A sorted column of zeros
 * and ones is given by its number of ones. */
static void networks_find_the_median(void **state)
{
    UNUSED(state);
    for (int n = 0; n < 6 * 6 * 6 * 6 * 6; n++) {
        int row[5][5], ones = 0;
        for (int j = 0, rest = n; j < 5; j++, rest /= 6) {
            ones += rest % 6;
            for (int i = 0; i < 5; i++)
                row[i][j] = i >= 5 - rest % 6;
        }
        assert_int_equal(whole_median25((const int(*)[5])row), ones >= 13);
    }
    for (int n = 0; n < 4 * 4 * 4; n++) {
        int low[3], middle[3], high[3], ones = 0;
        for (int j = 0, rest = n; j < 3; j++, rest /= 4) {
            ones += rest % 4;
            low[j] = rest % 4 > 2;
            middle[j] = rest % 4 > 1;
            high[j] = rest % 4 > 0;
        }
        assert_int_equal(whole_median9(low, middle, high), ones >= 5);
    }
    for (int n = 0; n < 32; n++) {
        int v[5], w[3];
        for (int i = 0; i < 5; i++)
            v[i] = n >> i & 1;
        memcpy(w, v, sizeof w);
        whole_sort5(v);
        whole_sort3(w);
        for (int i = 1; i < 5; i++)
            assert_true(v[i - 1] <= v[i] && (i > 2 || w[i - 1] <= w[i]));
    }
}

#define COLUMNS 83u
#define ROWS 5u
#define SIDE 15u
#define CHANNELS 2u
#define PITCH ((size_t)(COLUMNS + SIDE - 1) * CHANNELS * 4 + GF_RANK_SLACK)

struct room {
    _Alignas(64) unsigned char keys[PITCH * (ROWS + SIDE - 1)];
    _Alignas(64) unsigned char out[PITCH * ROWS];
    _Alignas(64) unsigned char work[1 << 20];
};

static int32_t key_at(const unsigned char *row, size_t i, size_t key)
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    memcpy(&i8, row + i * key, sizeof i8);
    memcpy(&i16, row + i * key, sizeof i16);
    if (key == 1)
        return i8;
    if (key == 2)
        return i16;
    memcpy(&i32, row + i * key, sizeof i32);
    return i32;
}

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void assert_ranked(const struct gf_rank_tile *t, size_t key)
{
    int32_t window[SIDE * SIDE];
    for (uint32_t r = 0; r < t->rows; r++)
        for (uint32_t i = 0; i < t->columns * t->channels; i++) {
            size_t n = 0;
            for (uint32_t k = 0; k < t->height; k++)
                for (uint32_t j = 0; j < t->width; j++)
                    window[n++] = key_at(t->keys + (r + k) * t->pitch, i + j * t->channels, key);
            qsort(window, n, sizeof *window, compare);
            assert_int_equal(key_at(t->out + r * t->out_pitch, i, key), window[t->index]);
        }
}

static void try_tile(gf_rank_tile_fn *run, struct room *room, uint32_t width, uint32_t height, uint32_t index,
                     size_t key)
{
    struct gf_rank_tile t = {.keys = room->keys,
                             .pitch = PITCH,
                             .out = room->out,
                             .out_pitch = PITCH,
                             .width = width,
                             .height = height,
                             .index = index,
                             .channels = CHANNELS,
                             .columns = COLUMNS,
                             .rows = ROWS,
                             .work = room->work};
    const uint64_t across = t.columns + t.width - 1;
    assert_true(gf_rank_network_work(across * t.channels * key, t.height) <= sizeof room->work);
    assert_true(gf_rank_sliding_work(across, t.rows + t.height - 1, key) <= sizeof room->work);
    memset(room->out, 0, sizeof room->out);
    run(&t);
    assert_ranked(&t, key);
}

static void every_loop_finds_what_sorting_finds(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    static struct room room;
    struct gf_prng prng = {22};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        for (uint32_t few = 0; few < 2 && simd != NULL; few++) {
            for (size_t k = 0; k < sizeof room.keys; k++) /* of few values many are equal */
                room.keys[k] = (unsigned char)(few ? gf_prng_below(&prng, 3) * 127 : gf_prng_below(&prng, 256));
            for (uint32_t place = 0; place < 3; place++) {
                const size_t key = (size_t)1 << place;
                try_tile(simd->rank->median5[place], &room, 5, 5, 12, key);
                try_tile(simd->rank->counting[place], &room, 3, 3, 0, key);
                try_tile(simd->rank->counting[place], &room, 11, 11, 120, key);
                try_tile(simd->rank->counting[place], &room, 2, 7, 9, key);
                try_tile(simd->rank->sliding[place], &room, SIDE, SIDE, 112, key);
                try_tile(simd->rank->sliding[place], &room, 1, SIDE, 14, key);
                try_tile(simd->rank->sliding[place], &room, 13, 2, 0, key);
            }
        }
    }
}

/* Medians of 3 x 3 samples, converted to keys and back, equal the medians of sorted keys. */
static void rows_of_medians_are_those_of_keys(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"generic", "avx2", "avx512"};
    static const uint32_t dtypes[] = {GF_U8, GF_U16, GF_I16, GF_F16, GF_F32};
    static unsigned char in[4][1024], keys[4][1024], out[2][1024], found[2][1024];
    struct gf_prng prng = {3};
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        for (size_t d = 0; d < GF_ARRAY_LEN(dtypes) && simd != NULL; d++) {
            const size_t key = gf_dtype_size(dtypes[d]), n = 131, all = n + 2 * 3;
            const bool floats = gf_dtype_kind(dtypes[d]) == GF_KIND_FLOAT;
            struct gf_rank_rows rows = {.out = {out[0], out[1]}, .n = n, .step = 3, .dtype = dtypes[d]};
            for (size_t k = 0; k < 4; k++) {
                for (size_t b = 0; b < sizeof in[k]; b++)
                    in[k][b] = (unsigned char)gf_prng_below(&prng, 256);
                simd->rank->to_keys(dtypes[d], in[k], keys[k], all);
                rows.in[k] = floats ? keys[k] : in[k];
            }
            simd->rank->median3(&rows);
            for (size_t r = 0; r < 2; r++) {
                simd->rank->to_keys(dtypes[d], out[r], found[r], n);
                for (size_t x = 0; x < n; x++) {
                    int32_t window[9];
                    for (size_t k = 0; k < 9; k++)
                        window[k] = key_at(keys[r + k / 3], x + k % 3 * 3, key);
                    qsort(window, 9, sizeof *window, compare);
                    assert_int_equal(key_at(found[r], x, key), window[4]);
                }
            }
        }
    }
}

/* Every sample of the four rows that reaches a result is checked. */
static void floats_that_are_no_keys_are_seen(void **state)
{
    UNUSED(state);
    static float in[4][70], out[2][64];
    static uint16_t halves[4][70], half_out[2][64];
    const float bad[] = {-0.0f, NAN, -1.0f};
    const uint16_t half_bad[] = {0x8000, 0x7E00, 0xBC00};
    static const char *const names[] = {"generic", "avx2", "avx512"};
    struct gf_rank_rows rows = {.n = 64, .step = 3, .dtype = GF_F32, .out = {out[0], out[1]}};
    struct gf_rank_rows half_rows = {.n = 64, .step = 3, .dtype = GF_F16, .out = {half_out[0], half_out[1]}};
    for (size_t k = 0; k < 4; k++) {
        rows.in[k] = in[k];
        half_rows.in[k] = halves[k];
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        const struct gf_simd *simd = gf_simd_by_name(names[i]);
        if (simd == NULL)
            continue;
        in[1][7] = INFINITY;
        assert_true(simd->rank->median3(&rows) && simd->rank->median3(&half_rows));
        in[1][7] = 0.0f;
        for (size_t at = 0; at < (size_t)4 * 70; at++) {
            float *v = &in[at / 70][at % 70];
            uint16_t *half = &halves[at / 70][at % 70];
            *v = bad[at % 3];
            *half = half_bad[at % 3];
            assert_false(simd->rank->median3(&rows) || simd->rank->median3(&half_rows));
            *v = 0.0f;
            *half = 0;
        }
    }
}

static void percents_are_rounded_down(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_rank_of_percent(0.0, 9), 0);
    assert_int_equal(gf_rank_of_percent(50.0, 9), 4);
    assert_int_equal(gf_rank_of_percent(99.9, 9), 8);
    assert_int_equal(gf_rank_of_percent(100.0, 9), 8);
    assert_int_equal(gf_rank_of_percent(33.3, 9), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_find_the_median),          cmocka_unit_test(every_loop_finds_what_sorting_finds),
        cmocka_unit_test(rows_of_medians_are_those_of_keys), cmocka_unit_test(floats_that_are_no_keys_are_seen),
        cmocka_unit_test(percents_are_rounded_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
