/* SPDX-License-Identifier: MIT */
/*
 * Loads samples as keys, and finds ranks among keys in memory by radix select. Called by quantile.c and ranks_long.c.
 */
#include <string.h>

#include "ranks.h"

#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)
#define FEW 24u    /* this many keys are sorted by insertion */
#define MANY 2048u /* this many keys are counted in two tables */

/* Loads n samples, `stride` bytes apart, into keys `apart` places apart. */
static inline __attribute__((always_inline)) void load_of(uint32_t dtype, size_t size, const char *p, size_t stride,
                                                          uint64_t n, uint64_t *ret_keys, size_t apart)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t sample = 0;
        memcpy(&sample, p + i * stride, size);
        ret_keys[i * apart] = gf_quantile_key(dtype, sample, (uint32_t)size * 8);
    }
}

typedef void load_fn(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys, size_t apart);

#define LOAD_OF(name, dtype, size)                                                                                     \
    static void name(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys, size_t apart)                       \
    {                                                                                                                  \
        if (apart == 1)                                                                                                \
            load_of(dtype, size, p, stride, n, ret_keys, 1);                                                           \
        else                                                                                                           \
            load_of(dtype, size, p, stride, n, ret_keys, apart);                                                       \
    }

LOAD_OF(load_u8, GF_U8, 1)
LOAD_OF(load_i8, GF_I8, 1)
LOAD_OF(load_u16, GF_U16, 2)
LOAD_OF(load_i16, GF_I16, 2)
LOAD_OF(load_u32, GF_U32, 4)
LOAD_OF(load_i32, GF_I32, 4)
LOAD_OF(load_u64, GF_U64, 8)
LOAD_OF(load_i64, GF_I64, 8)
LOAD_OF(load_f32, GF_F32, 4)
LOAD_OF(load_f64, GF_F64, 8)

static load_fn *const loads[] = {
    [GF_U8] = load_u8,   [GF_I8] = load_i8,   [GF_U16] = load_u16, [GF_I16] = load_i16, [GF_U32] = load_u32,
    [GF_I32] = load_i32, [GF_U64] = load_u64, [GF_I64] = load_i64, [GF_F32] = load_f32, [GF_F64] = load_f64};

void gf_cpu_keys_load(const struct gf_cpu_line *line, uint64_t at, uint64_t n, uint64_t *ret_keys)
{
    const struct gf_view *v = &line->buf->view;
    const size_t pixel = v->channels * gf_dtype_size(v->dtype);
    const char *data = (const char *)line->buf->data + line->channel * gf_dtype_size(v->dtype);
    if (line->column) {
        loads[v->dtype](data + at * v->pitch + line->first * pixel, v->pitch, n, ret_keys, 1);
        return;
    }
    for (uint64_t done = 0, now; done < n; done += now) {
        const uint64_t element = line->first + at + done, y = element / v->width, x = element % v->width;
        now = v->width - x < n - done ? v->width - x : n - done;
        loads[v->dtype](data + y * v->pitch + x * pixel, pixel, now, ret_keys + done, 1);
    }
}

void gf_cpu_keys_load_columns(const struct gf_cpu_line *first, uint64_t columns, uint64_t *ret_keys)
{
    const struct gf_view *v = &first->buf->view;
    const size_t size = gf_dtype_size(v->dtype), pixel = v->channels * size;
    const char *data = (const char *)first->buf->data + first->first * pixel + first->channel * size;
    for (uint64_t y = 0; y < first->n; y++)
        loads[v->dtype](data + y * v->pitch, pixel, columns, ret_keys + y, first->n);
}

static void sort_few(uint64_t *keys, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t key = keys[i];
        uint64_t k = i;
        for (; k > 0 && keys[k - 1] > key; k--)
            keys[k] = keys[k - 1];
        keys[k] = key;
    }
}

/* Moves the keys with this digit to the front and returns how many there are. */
static uint64_t bring_forward(uint64_t *keys, uint64_t n, uint32_t shift, uint64_t digit)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];
        keys[i] = keys[found];
        keys[found] = key;
        found += (key >> shift) % DIGITS == digit;
    }
    return found;
}

/* The lowest bits in which keys differ, of `bits`. */
static uint32_t differing(const uint64_t *keys, uint64_t n, uint32_t bits)
{
    uint64_t apart = 0;
    for (uint64_t i = 1; i < n; i++)
        apart |= keys[i] ^ keys[0];
    const uint32_t highest = apart == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(apart);
    return highest < bits ? highest : bits;
}

/* Counts a digit. Many keys have two tables in turn, so that equal neighbours do not wait for each other's increment.
 */
static void count_digit(const uint64_t *keys, uint64_t n, uint32_t shift, uint32_t counts[DIGITS])
{
    uint32_t more[DIGITS] = {0};
    uint64_t i = 0;
    for (; n >= MANY && i + 2 <= n; i += 2) {
        counts[(keys[i] >> shift) % DIGITS]++;
        more[(keys[i + 1] >> shift) % DIGITS]++;
    }
    for (; i < n; i++)
        counts[(keys[i] >> shift) % DIGITS]++;
    for (uint32_t d = 0; n >= MANY && d < DIGITS; d++)
        counts[d] += more[d];
}

/* Finds ranks first .. end - 1; `before` smaller keys have been left out. Each call has fewer bits, so at most eight
 * calls nest. A digit begins with a bit in which keys differ: many equal keys, as in a black picture, take one pass. */
static void narrow(uint64_t *keys, uint64_t n, uint32_t bits, uint64_t before, uint32_t first, uint32_t end,
                   struct gf_cpu_ranks *ranks)
{
    uint32_t counts[DIGITS] = {0};
    if (n <= FEW) {
        sort_few(keys, n);
        for (uint32_t r = first; r < end; r++)
            ranks->key[r] = keys[ranks->rank[r] - before];
        return;
    }
    bits = differing(keys, n, bits);
    for (uint32_t r = first; bits == 0 && r < end; r++)
        ranks->key[r] = keys[0];
    if (bits == 0)
        return;
    const uint32_t shift = bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
    count_digit(keys, n, shift, counts);
    for (uint32_t digit = 0; first < end; digit++) {
        uint32_t last = first;
        while (last < end && ranks->rank[last] - before < counts[digit])
            last++;
        if (last > first) {
            (void)bring_forward(keys, n, shift, digit);
            narrow(keys, counts[digit], shift, before, first, last, ranks);
        }
        first = last;
        before += counts[digit];
    }
}

void gf_cpu_ranks_narrow(uint64_t *keys, uint64_t n, uint32_t bits, struct gf_cpu_ranks *ranks)
{
    narrow(keys, n, bits, 0, 0, ranks->n, ranks);
}
