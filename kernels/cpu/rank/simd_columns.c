/* SPDX-License-Identifier: MIT */
/*
 * Windows of bytes of any size by column histograms (Perreault and Hebert, "Median filtering in constant time"). Each
 * column of a tile counts the keys in its part of the window, in fine counters of single keys and coarse counters of 16
 * keys. A window adds the entering column and subtracts the leaving one. Only the coarse counters are updated for every
 * window; of the fine counters, only the 16 that contain the wanted key are brought up to date. Compiled once per
 * instruction set.
 */
#include <string.h>

#include "kernels/cpu/simd/simd_isa.h"
#include "simd_rank.h"

/* A column is at most 255 keys high, and a window holds at most 65025 keys. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t counts16 __attribute__((vector_size(32)));

struct column {
    bytes16 coarse, fine[16];
};

struct window {
    counts16 coarse, fine[16];
    int64_t up_to[16]; /* the window for which `fine` is valid */
};

/* A macro, because a function's result would not fit in a register of every processor. */
#define WIDE(v) __builtin_convertvector(v, counts16)

/* Finds which of 16 counters contains sample `index` of the samples that they count; `index` becomes its index within
 * that counter. Multiplying by ones forms prefix sums within a word; no sum exceeds 65535. */
GF_ALWAYS uint32_t find(const counts16 *counts, uint32_t *index)
{
    uint64_t words[4];
    memcpy(words, counts, sizeof words);
    uint32_t before[5] = {0}, at = *index;
    for (int i = 0; i < 4; i++) {
        words[i] *= UINT64_C(0x0001000100010001);
        before[i + 1] = before[i] + (uint32_t)(words[i] >> 48);
    }
    uint32_t word = (uint32_t)((before[1] <= at) + (before[2] <= at) + (before[3] <= at));
    at -= before[word];
    uint64_t sums = words[word];
    uint32_t a = (uint32_t)sums & 0xFFFF, b = (uint32_t)(sums >> 16) & 0xFFFF, c = (uint32_t)(sums >> 32) & 0xFFFF;
    uint32_t place = (uint32_t)((a <= at) + (b <= at) + (c <= at));
    *index = at - (place == 0 ? 0 : place == 1 ? a : place == 2 ? b : c);
    return word * 4 + place;
}

/* Adds a key (one = 1) or removes it (one = 255). */
GF_ALWAYS void count(struct column *column, unsigned char key, uint8_t one)
{
    uint8_t *fine = (uint8_t *)column->fine + (key ^ 0x80), *coarse = (uint8_t *)&column->coarse + (key ^ 0x80) / 16;
    *fine = (uint8_t)(*fine + one);
    *coarse = (uint8_t)(*coarse + one);
}

/* Adds row r of one channel to the columns and removes the row that has left the window, if there is one. */
static void count_row(const struct gf_rank_tile *t, uint32_t r, uint32_t channel, struct column *columns)
{
    const unsigned char *in = t->keys + r * t->pitch + channel, *out = in - (size_t)t->height * t->pitch;
    const uint32_t n = t->columns + t->width - 1;
    if (r < t->height)
        for (uint32_t i = 0; i < n; i++)
            count(&columns[i], in[(size_t)i * t->channels], 1);
    else
        for (uint32_t i = 0; i < n; i++) {
            count(&columns[i], out[(size_t)i * t->channels], UINT8_MAX);
            count(&columns[i], in[(size_t)i * t->channels], 1);
        }
}

/* Updates 16 fine counters to the window at column x. */
GF_ALWAYS void bring_up(const struct gf_rank_tile *t, const struct column *columns, struct window *w, uint32_t part,
                        int64_t x)
{
    counts16 counts = w->fine[part];
    int64_t at = w->up_to[part], width = t->width;
    if (x - at >= width) {
        counts = (counts16){0};
        for (int64_t i = x; i < x + width; i++)
            counts += WIDE(columns[i].fine[part]);
    } else {
        for (; at < x; at++)
            counts += WIDE(columns[at + width].fine[part]) - WIDE(columns[at].fine[part]);
    }
    w->fine[part] = counts;
    w->up_to[part] = x;
}

/* The first loop finds the parts of all windows, the second the keys within them; so it is known early which counters
 * the second loop must update. */
static void make_row(const struct gf_rank_tile *t, uint32_t r, uint32_t channel, const struct column *columns)
{
    unsigned char *out = t->out + r * t->out_pitch + channel;
    uint8_t parts[GF_RANK_COLUMNS];
    uint16_t indices[GF_RANK_COLUMNS];
    struct window w = {.coarse = {0}};
    for (uint32_t i = 0; i < t->width - 1; i++)
        w.coarse += WIDE(columns[i].coarse);
    for (uint32_t x = 0; x < t->columns; x++) {
        uint32_t index = t->index;
        w.coarse += WIDE(columns[x + t->width - 1].coarse);
        parts[x] = (uint8_t)find(&w.coarse, &index);
        indices[x] = (uint16_t)index;
        w.coarse -= WIDE(columns[x].coarse);
    }
    for (uint32_t i = 0; i < 16; i++)
        w.up_to[i] = -(int64_t)t->width;
    for (uint32_t x = 0; x < t->columns; x++) {
        uint32_t part = parts[x], index = indices[x];
        bring_up(t, columns, &w, part, x);
        out[(size_t)x * t->channels] = (unsigned char)((part * 16 + find(&w.fine[part], &index)) ^ 0x80);
    }
}

gf_rank_tile_fn GF_ISA_NAME(gf_rank_columns);

void GF_ISA_NAME(gf_rank_columns)(const struct gf_rank_tile *t)
{
    struct column *columns = t->work;
    for (uint32_t c = 0; c < t->channels; c++) {
        memset(columns, 0, (size_t)gf_rank_sliding_work(t->columns + t->width - 1, t->rows, 1));
        for (uint32_t r = 0; r + 1 < t->height; r++)
            count_row(t, r, c, columns);
        for (uint32_t r = 0; r < t->rows; r++) {
            count_row(t, r + t->height - 1, c, columns);
            make_row(t, r, c, columns);
        }
    }
}
