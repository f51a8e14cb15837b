/* SPDX-License-Identifier: MIT */
/*
 * Loads samples as keys, and finds ranks among keys in memory by radix select. Called by quantile.c and ranks_long.c.
 */
#include <string.h>

#include "ranks.h"

#define DIGIT_BITS 8u
#define DIGITS (1u << DIGIT_BITS)
#define FEW 24u /* this many keys are sorted by insertion */

/* Loads n samples, `stride` bytes apart. */
static inline __attribute__((always_inline)) void load_of(uint32_t dtype, size_t size, const char *p, size_t stride,
                                                          uint64_t n, uint64_t *ret_keys)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t sample = 0;
        memcpy(&sample, p + i * stride, size);
        ret_keys[i] = gf_quantile_key(dtype, sample, (uint32_t)size * 8);
    }
}

typedef void load_fn(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys);

static void load_u8(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_U8, 1, p, stride, n, ret_keys);
}

static void load_i8(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_I8, 1, p, stride, n, ret_keys);
}

static void load_u16(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_U16, 2, p, stride, n, ret_keys);
}

static void load_i16(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_I16, 2, p, stride, n, ret_keys);
}

static void load_u32(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_U32, 4, p, stride, n, ret_keys);
}

static void load_i32(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_I32, 4, p, stride, n, ret_keys);
}

static void load_u64(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_U64, 8, p, stride, n, ret_keys);
}

static void load_i64(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_I64, 8, p, stride, n, ret_keys);
}

static void load_f32(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_F32, 4, p, stride, n, ret_keys);
}

static void load_f64(const char *p, size_t stride, uint64_t n, uint64_t *ret_keys)
{
    load_of(GF_F64, 8, p, stride, n, ret_keys);
}

static load_fn *const loads[] = {
    [GF_U8] = load_u8,   [GF_I8] = load_i8,   [GF_U16] = load_u16, [GF_I16] = load_i16, [GF_U32] = load_u32,
    [GF_I32] = load_i32, [GF_U64] = load_u64, [GF_I64] = load_i64, [GF_F32] = load_f32, [GF_F64] = load_f64};

void gf_cpu_keys_load(const struct gf_cpu_line *line, uint64_t at, uint64_t n, uint64_t *ret_keys)
{
    const struct gf_view *v = &line->buf->view;
    const size_t pixel = v->channels * gf_dtype_size(v->dtype);
    const char *data = (const char *)line->buf->data + line->channel * gf_dtype_size(v->dtype);
    if (line->column) {
        loads[v->dtype](data + at * v->pitch + line->first * pixel, v->pitch, n, ret_keys);
        return;
    }
    for (uint64_t done = 0, now; done < n; done += now) {
        const uint64_t element = line->first + at + done, y = element / v->width, x = element % v->width;
        now = v->width - x < n - done ? v->width - x : n - done;
        loads[v->dtype](data + y * v->pitch + x * pixel, pixel, now, ret_keys + done);
    }
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

/* Finds ranks first .. end - 1; `before` smaller keys have been left out. Each call has fewer bits, so at most eight
 * calls nest. */
static void narrow(uint64_t *keys, uint64_t n, uint32_t bits, uint64_t before, uint32_t first, uint32_t end,
                   struct gf_cpu_ranks *ranks)
{
    uint32_t counts[DIGITS] = {0};
    const uint32_t shift = bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
    if (n <= FEW || bits == 0) {
        sort_few(keys, bits == 0 ? 0 : n);
        for (uint32_t r = first; r < end; r++)
            ranks->key[r] = keys[bits == 0 ? 0 : ranks->rank[r] - before];
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        counts[(keys[i] >> shift) % DIGITS]++;
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
