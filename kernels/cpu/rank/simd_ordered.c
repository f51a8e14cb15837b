/* SPDX-License-Identifier: MIT */
/*
 * Windows of keys of 2 and 4 bytes of any size (Suomela, "Median filtering is equivalent to sorting"). The samples of a
 * tile are sorted once, which gives each sample a place in the order; a window is a bit set of places. A window slides
 * along its longer side, so that lines of its shorter side enter and leave the set, and the wanted sample is the bit
 * with the right number of bits before it.
 * Equal samples have different places, in any order. Compiled once per instruction set.
 */
#include <string.h>

#include "kernels/cpu/simd/simd_isa.h"
#include "simd_rank.h"

/* Places that share a counter, so that few words must be searched. */
#define BLOCK 1024u
#define BLOCK_WORDS (BLOCK / 64)

/* The sorted samples of one channel of a tile, and a window. */
struct order {
    uint32_t n;
    uint64_t *sorted; /* the key, unsigned, in the upper half; the sample's index in the tile in the lower half */
    uint64_t *spare;
    uint32_t *place; /* place in the order, by index in the tile */
    uint64_t *set;
    uint32_t *counts;       /* bits in each block of the set */
    uint32_t block, before; /* the block of the last wanted sample, and the bits in the blocks before it */
};

static void lay_out(const struct gf_rank_tile *t, struct order *o)
{
    size_t n = (size_t)(t->columns + t->width - 1) * (t->rows + t->height - 1), blocks = n / BLOCK + 1;
    o->n = (uint32_t)n;
    o->sorted = t->work;
    o->spare = o->sorted + n;
    o->set = o->spare + n;
    o->counts = (uint32_t *)(void *)(o->set + blocks * BLOCK_WORDS);
    o->place = o->counts + blocks;
}

static uint32_t key_at(const void *row, size_t i, size_t key)
{
    if (key == 2)
        return (uint32_t)((int32_t)((const gf_i16_any *)row)[i] + 32768);
    return (uint32_t)((const gf_i32_any *)row)[i] ^ UINT32_C(0x80000000);
}

/* Sorts by one digit of 8 bits and keeps the order of lower digits. */
static void sort_digit(struct order *o, uint32_t shift, const uint32_t *counts)
{
    uint32_t next[256], sum = 0;
    for (uint32_t i = 0; i < 256; i++) {
        next[i] = sum;
        sum += counts[i];
    }
    for (uint32_t i = 0; i < o->n; i++)
        o->spare[next[o->sorted[i] >> shift & 255]++] = o->sorted[i];
    uint64_t *sorted = o->spare;
    o->spare = o->sorted;
    o->sorted = sorted;
}

static void sort_samples(const struct gf_rank_tile *t, uint32_t channel, size_t key, struct order *o)
{
    uint32_t counts[4][256] = {{0}}, n = 0, across = t->columns + t->width - 1;
    for (uint32_t r = 0; r < t->rows + t->height - 1; r++)
        for (uint32_t i = 0; i < across; i++, n++) {
            uint32_t v = key_at(t->keys + r * t->pitch, (size_t)i * t->channels + channel, key);
            o->sorted[n] = (uint64_t)v << 32 | n;
            for (uint32_t d = 0; d < key; d++)
                counts[d][v >> (8 * d) & 255]++;
        }
    for (uint32_t d = 0; d < key; d++)
        if (counts[d][o->sorted[0] >> (32 + 8 * d) & 255] != n) /* otherwise all samples have the same digit */
            sort_digit(o, 32 + 8 * d, counts[d]);
    for (uint32_t i = 0; i < n; i++)
        o->place[(uint32_t)o->sorted[i]] = i;
}

/* A direction in which windows slide, in samples of the tile. */
struct slide {
    uint32_t windows, length;   /* windows in a line, and lines of a window */
    uint32_t step;              /* from one line of a window to the next */
    uint32_t line_n, line_step; /* samples of such a line, and from one to the next */
    size_t out_step;            /* bytes from one result to the next */
};

/* Adds or removes a line of the window, which begins at sample `first`. */
GF_ALWAYS void flip_line(const struct slide *s, struct order *o, uint32_t first, uint32_t one)
{
    const uint32_t bound = o->block * BLOCK;
    for (uint32_t k = 0; k < s->line_n; k++) {
        uint32_t place = o->place[first + k * s->line_step];
        o->set[place / 64] ^= UINT64_C(1) << place % 64;
        o->counts[place / BLOCK] += one;
        o->before += place < bound ? one : 0;
    }
}

/* The key of the window's wanted sample. */
GF_ALWAYS uint32_t find(const struct gf_rank_tile *t, struct order *o)
{
    while (o->before > t->index)
        o->before -= o->counts[--o->block];
    while (o->before + o->counts[o->block] <= t->index)
        o->before += o->counts[o->block++];
    uint32_t at = t->index - o->before, word = o->block * BLOCK_WORDS;
    for (;;) {
        uint32_t n = (uint32_t)__builtin_popcountll(o->set[word]);
        if (at < n)
            break;
        at -= n;
        word++;
    }
    uint64_t bits = o->set[word];
    for (; at > 0; at--)
        bits &= bits - 1;
    return (uint32_t)(o->sorted[word * 64 + (uint32_t)__builtin_ctzll(bits)] >> 32);
}

/* Computes the windows of a line, the first of which begins at sample `first`. */
GF_ALWAYS void make_line(const struct gf_rank_tile *t, const struct slide *s, uint32_t first, size_t key,
                         struct order *o, unsigned char *out)
{
    size_t blocks = o->n / BLOCK + 1;
    memset(o->set, 0, blocks * BLOCK_WORDS * sizeof(*o->set));
    memset(o->counts, 0, blocks * sizeof(*o->counts));
    o->before = o->block = 0;
    for (uint32_t i = 0; i < s->length - 1; i++)
        flip_line(s, o, first + i * s->step, 1);
    for (uint32_t i = 0; i < s->windows; i++, out += s->out_step) {
        flip_line(s, o, first + (i + s->length - 1) * s->step, 1);
        uint32_t found = find(t, o);
        if (key == 2)
            *(gf_i16_any *)(void *)out = (int16_t)((int32_t)found - 32768);
        else
            *(gf_u32_any *)(void *)out = found ^ UINT32_C(0x80000000);
        flip_line(s, o, first + i * s->step, UINT32_MAX);
    }
}

GF_ALWAYS void make_tile(const struct gf_rank_tile *t, size_t key)
{
    const uint32_t across = t->columns + t->width - 1;
    const size_t pixel = t->channels * key;
    const bool is_wide = t->width > t->height;
    const struct slide wide = {t->columns, t->width, 1, t->height, across, pixel},
                       high = {t->rows, t->height, across, t->width, 1, t->out_pitch};
    struct order o;
    lay_out(t, &o);
    for (uint32_t c = 0; c < t->channels; c++) {
        sort_samples(t, c, key, &o);
        for (uint32_t i = 0; i < (is_wide ? t->rows : t->columns); i++) {
            if (t->is_stopped != NULL && t->is_stopped(t->context))
                return;
            unsigned char *out = t->out + (is_wide ? i * t->out_pitch : i * pixel) + c * key;
            if (is_wide)
                make_line(t, &wide, i * across, key, &o, out);
            else
                make_line(t, &high, i, key, &o, out);
        }
    }
}

gf_rank_tile_fn GF_ISA_NAME(gf_rank_ordered_i16), GF_ISA_NAME(gf_rank_ordered_i32);

void GF_ISA_NAME(gf_rank_ordered_i16)(const struct gf_rank_tile *t)
{
    make_tile(t, 2);
}

void GF_ISA_NAME(gf_rank_ordered_i32)(const struct gf_rank_tile *t)
{
    make_tile(t, 4);
}
