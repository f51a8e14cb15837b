/* SPDX-License-Identifier: MIT */
/*
 * Digits, ranks and limits of samples. Compiled once per instruction set; the files of this folder call it through
 * gf_simd_order.
 */
#include "simd_order.h"

#include "kernels/cpu/simd/simd_isa.h"

typedef int32_t narrow_vector __attribute__((vector_size(GF_LANES * 4)));
typedef int64_t wide_vector __attribute__((vector_size(GF_LANES * 4)));

#define NARROW_LANES GF_LANES
#define WIDE_LANES (GF_LANES / 2)

GF_ALWAYS uint64_t bits_at(const void *samples, uint32_t size, uint64_t i)
{
    const char *p = (const char *)samples + i * size;
    if (size == 1)
        return *(const gf_u8_any *)p;
    if (size == 2)
        return *(const gf_u16_any *)(const void *)p;
    if (size == 4)
        return *(const gf_u32_any *)(const void *)p;
    return *(const gf_u64_any *)(const void *)p;
}

GF_ALWAYS void put_bits(void *samples, uint32_t size, uint64_t i, uint64_t bits)
{
    char *p = (char *)samples + i * size;
    if (size == 1)
        *(gf_u8_any *)p = (uint8_t)bits;
    else if (size == 2)
        *(gf_u16_any *)(void *)p = (uint16_t)bits;
    else if (size == 4)
        *(gf_u32_any *)(void *)p = (uint32_t)bits;
    else
        *(gf_u64_any *)(void *)p = bits;
}

/* Ranks of up to GF_ORDER_SHORT keys. A vector of keys is compared with one key after the other: an equal key before it
 * ranks first, an equal key after it does not. */
#define RANKS_OF(name, type, vector, lanes)                                                                            \
    GF_ALWAYS void name(const type *keys, uint32_t n, uint32_t *ranks)                                                 \
    {                                                                                                                  \
        vector own = {0};                                                                                              \
        for (int l = 0; l < (int)(lanes); l++)                                                                         \
            own[l] = l;                                                                                                \
        for (uint32_t start = 0; start < n; start += lanes) {                                                          \
            vector k, rank = {0};                                                                                      \
            uint32_t end = start + lanes < n ? start + lanes : n;                                                      \
            memcpy(&k, keys + start, sizeof(k));                                                                       \
            for (uint32_t j = 0; j < start; j++)                                                                       \
                rank -= (vector)(keys[j] <= k);                                                                        \
            for (uint32_t j = start; j < end; j++)                                                                     \
                rank -= (vector)(keys[j] < k) | ((vector)(keys[j] == k) & (vector)((type)(j - start) < own));          \
            for (uint32_t j = end; j < n; j++)                                                                         \
                rank -= (vector)(keys[j] < k);                                                                         \
            for (uint32_t l = 0; l < lanes; l++)                                                                       \
                ranks[start + l] = (uint32_t)rank[l];                                                                  \
        }                                                                                                              \
    }

RANKS_OF(narrow_ranks, int32_t, narrow_vector, NARROW_LANES)
RANKS_OF(wide_ranks, int64_t, wide_vector, WIDE_LANES)

/* Compares keys as signed numbers, which every instruction set supports. */
GF_ALWAYS void rank_of(const struct gf_order_keys *keys, uint32_t size, bool is_float, const void *samples, uint32_t n,
                       uint32_t *ranks)
{
    const uint64_t flip = keys->flip;
    if (size == 8) {
        _Alignas(64) int64_t own[GF_ORDER_SHORT] = {0};
        for (uint32_t i = 0; i < n; i++)
            own[i] =
                (int64_t)(gf_order_key(bits_at(samples, size, i), size, is_float, flip) ^ UINT64_C(0x8000000000000000));
        wide_ranks(own, n, ranks);
    } else {
        _Alignas(64) int32_t own[GF_ORDER_SHORT] = {0};
        for (uint32_t i = 0; i < n; i++)
            own[i] = (int32_t)((uint32_t)gf_order_key(bits_at(samples, size, i), size, is_float, flip) ^
                               UINT32_C(0x80000000));
        narrow_ranks(own, n, ranks);
    }
}

GF_ALWAYS void count_of(const struct gf_order_keys *keys, uint32_t size, bool is_float, const void *samples, uint64_t n,
                        uint32_t counts[][GF_ORDER_VALUES])
{
    const uint64_t flip = keys->flip;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t key = gf_order_key(bits_at(samples, size, i), size, is_float, flip);
        for (uint32_t d = 0; d < size; d++)
            counts[d][key >> 8 * d & 255]++;
    }
}

GF_ALWAYS void count_digit_of(const struct gf_order_keys *keys, uint32_t size, bool is_float, const void *samples,
                              uint64_t n, uint32_t shift, uint32_t counts[GF_ORDER_VALUES])
{
    const uint64_t flip = keys->flip;
    for (uint64_t i = 0; i < n; i++)
        counts[gf_order_key(bits_at(samples, size, i), size, is_float, flip) >> shift & 255]++;
}

GF_ALWAYS void move_of(const struct gf_order_keys *keys, uint32_t size, bool is_float, struct gf_order_items from,
                       uint32_t first, uint64_t n, uint32_t shift, uint32_t places[GF_ORDER_VALUES],
                       struct gf_order_items to)
{
    const uint64_t flip = keys->flip;
    if (to.indices == NULL) {
        for (uint64_t i = 0; i < n; i++) {
            uint64_t bits = bits_at(from.samples, size, i);
            put_bits(to.samples, size, places[gf_order_key(bits, size, is_float, flip) >> shift & 255]++, bits);
        }
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits = bits_at(from.samples, size, i);
        uint32_t place = places[gf_order_key(bits, size, is_float, flip) >> shift & 255]++;
        put_bits(to.samples, size, place, bits);
        to.indices[place] = from.indices != NULL ? from.indices[i] : first + (uint32_t)i;
    }
}

GF_ALWAYS uint32_t below_of(const struct gf_order_keys *keys, uint32_t size, bool is_float, const void *samples,
                            uint32_t n, uint64_t limit, uint8_t *restrict flags)
{
    const uint64_t flip = keys->flip;
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        flags[i] = gf_order_key(bits_at(samples, size, i), size, is_float, flip) < limit;
    for (uint32_t i = 0; i < n; i++)
        count += flags[i];
    return count;
}

GF_ALWAYS void store_of(uint32_t size, void *samples, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        put_bits(samples, size, i, gf_order_stored(bits_at(samples, size, i), size));
}

static void make_stored(const struct gf_order_keys *keys, void *samples, uint64_t n)
{
    if (!keys->is_float)
        return;
    if (keys->size == 2)
        store_of(2, samples, n);
    else if (keys->size == 4)
        store_of(4, samples, n);
    else
        store_of(8, samples, n);
}

/* Uses two tables alternately, so that equal neighbours do not wait for each other's increment. */
static void tally(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *counts)
{
    const uint16_t flip = (uint16_t)keys->flip;
    uint32_t *other = counts + ((size_t)1 << 8 * keys->size);
    const gf_u8_any *bytes = samples;
    const gf_u16_any *words = samples;
    uint32_t i = 0;
    if (keys->size == 1) {
        for (; i + 2 <= n; i += 2) {
            counts[bytes[i] ^ flip]++;
            other[bytes[i + 1] ^ flip]++;
        }
        counts[i < n ? bytes[i] ^ flip : 0] += i < n;
    } else {
        for (; i + 2 <= n; i += 2) {
            counts[words[i] ^ flip]++;
            other[words[i + 1] ^ flip]++;
        }
        counts[i < n ? words[i] ^ flip : 0] += i < n;
    }
}

/* Calls f(keys, size, is_float, ...) with constants, so that each type has its own loops. `give` receives the
 * result. */
#define FOR_TYPE(give, keys, f, ...)                                                                                   \
    switch ((keys)->size * 2 + (keys)->is_float) {                                                                     \
    case 2:                                                                                                            \
        give f(keys, 1, false, __VA_ARGS__);                                                                           \
        break;                                                                                                         \
    case 4:                                                                                                            \
        give f(keys, 2, false, __VA_ARGS__);                                                                           \
        break;                                                                                                         \
    case 5:                                                                                                            \
        give f(keys, 2, true, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case 8:                                                                                                            \
        give f(keys, 4, false, __VA_ARGS__);                                                                           \
        break;                                                                                                         \
    case 9:                                                                                                            \
        give f(keys, 4, true, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    case 16:                                                                                                           \
        give f(keys, 8, false, __VA_ARGS__);                                                                           \
        break;                                                                                                         \
    default:                                                                                                           \
        give f(keys, 8, true, __VA_ARGS__);                                                                            \
        break;                                                                                                         \
    }

static void rank(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint32_t *ranks)
{
    FOR_TYPE(, keys, rank_of, samples, n, ranks)
}

static void count(const struct gf_order_keys *keys, const void *samples, uint64_t n, uint32_t counts[][GF_ORDER_VALUES])
{
    FOR_TYPE(, keys, count_of, samples, n, counts)
}

static void count_digit(const struct gf_order_keys *keys, const void *samples, uint64_t n, uint32_t digit,
                        uint32_t counts[GF_ORDER_VALUES])
{
    FOR_TYPE(, keys, count_digit_of, samples, n, 8 * digit, counts)
}

static void move(const struct gf_order_keys *keys, struct gf_order_items from, uint32_t first, uint64_t n,
                 uint32_t digit, uint32_t places[GF_ORDER_VALUES], struct gf_order_items to)
{
    FOR_TYPE(, keys, move_of, from, first, n, 8 * digit, places, to)
}

static uint32_t below(const struct gf_order_keys *keys, const void *samples, uint32_t n, uint64_t limit, uint8_t *flags)
{
    uint32_t n_below;
    FOR_TYPE(n_below =, keys, below_of, samples, n, limit, flags)
    return n_below;
}

const struct gf_simd_order GF_ISA_NAME(gf_simd_order) = {.few = GF_LANES == 4 ? GF_ORDER_SHORT / 2 : GF_ORDER_SHORT,
                                                         .make_stored = make_stored,
                                                         .rank = rank,
                                                         .count = count,
                                                         .count_digit = count_digit,
                                                         .move = move,
                                                         .below = below,
                                                         .tally = tally};
