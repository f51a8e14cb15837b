/* SPDX-License-Identifier: MIT */
/*
 * Tables and rows of clahe. A row is processed in chunks of pixels: the entries are looked up first, one by one, then
 * interpolated in vectors. Compiled once per instruction set; called by clahe.c.
 */
#include "kernels/cpu/simd/simd_isa.h"
#include "simd_point.h"

#define CHUNK 256u /* pixels; their entries stay in the L1 cache */

/* Clips the counts at the limit and redistributes the excess. */
static void clip(const struct gf_clahe *k, uint32_t *restrict counts)
{
    uint32_t excess = 0, levels = k->levels, limit = k->limit;
    for (uint32_t v = 0; v < levels; v++) {
        uint32_t kept = counts[v] < limit ? counts[v] : limit;
        excess += counts[v] - kept;
        counts[v] = kept;
    }
    const struct gf_clahe_share share = gf_clahe_share_of(levels, excess);
    for (uint32_t v = 0; v < levels; v++)
        counts[v] += share.each;
    for (uint32_t i = 0; i < share.one_more; i++)
        counts[i * share.step]++;
}

/* Converts running sums below 2^31 to table entries. */
#define DEFINE_ENTRIES(name)                                                                                           \
    GF_ALWAYS void entries_##name(const struct gf_clahe *k, const uint32_t *restrict sums, name##_t *restrict table,   \
                                  size_t n)                                                                            \
    {                                                                                                                  \
        const float scale = k->scale, max = k->max;                                                                    \
        for (size_t v = 0; v < n; v++) {                                                                               \
            float entry = rintf((float)(int32_t)sums[v] * scale);                                                      \
            table[v] = (name##_t)(int32_t)(entry < max ? entry : max);                                                 \
        }                                                                                                              \
    }

DEFINE_ENTRIES(uint8)
DEFINE_ENTRIES(uint16)

void GF_ISA_NAME(gf_simd_clahe_table)(const struct gf_clahe *k, uint32_t *counts, void *table)
{
    uint32_t sum = 0, half = k->sign;
    if (k->limit != 0)
        clip(k, counts);
    for (uint32_t v = 0; v < k->levels; v++)
        counts[v] = sum += counts[v];
    if (k->levels == 256)
        entries_uint8(k, counts, table, 256);
    else { /* the first half of the order of i16 is negative: its bits are the higher ones */
        entries_uint16(k, counts, (uint16_t *)table + half, k->levels - half);
        entries_uint16(k, counts + k->levels - half, table, half);
    }
}

void GF_ISA_NAME(gf_simd_clahe_cells)(uint32_t tiles, const uint8_t *above, const uint8_t *below, uint32_t *cells)
{
    for (uint32_t i = 0; i <= tiles; i++) {
        size_t before = 256 * (size_t)(i > 0 ? i - 1 : 0), after = 256 * (size_t)(i < tiles ? i : tiles - 1);
        const uint8_t *restrict a = above + before, *restrict b = above + after;
        const uint8_t *restrict c = below + before, *restrict d = below + after;
        uint32_t *restrict cell = cells + 256 * (size_t)i;
        for (uint32_t v = 0; v < 256; v++)
            cell[v] = a[v] | (uint32_t)b[v] << 8 | (uint32_t)c[v] << 16 | (uint32_t)d[v] << 24;
    }
}

/* Interpolates a chunk of cells, each with four 8-bit entries. */
GF_ALWAYS void mix_u8(const uint32_t *restrict entries, const float *restrict x, float y, float max,
                      uint8_t *restrict mixed)
{
    for (size_t i = 0; i < CHUNK; i++) {
        int32_t e = (int32_t)entries[i];
        float v = gf_clahe_mean((float)(e & 255), (float)(e >> 8 & 255), (float)(e >> 16 & 255), (float)(e >> 24 & 255),
                                x[i], y);
        v = rintf(v);
        mixed[i] = (uint8_t)(int32_t)(v < max ? v : max);
    }
}

GF_ALWAYS void mix_u16(uint16_t (*restrict entries)[CHUNK], const float *restrict x, float y, float max,
                       uint16_t *restrict mixed)
{
    for (size_t i = 0; i < CHUNK; i++) {
        float v = gf_clahe_mean((float)entries[0][i], (float)entries[1][i], (float)entries[2][i], (float)entries[3][i],
                                x[i], y);
        v = rintf(v);
        mixed[i] = (uint16_t)(int32_t)(v < max ? v : max);
    }
}

GF_ALWAYS void row_u8(const struct gf_cpu_clahe_row *row, const gf_u8_any *restrict src, gf_u8_any *restrict dst,
                      size_t n, size_t step)
{
    uint32_t entries[CHUNK] = {0};
    uint8_t mixed[CHUNK];
    float x[CHUNK] = {0};
    for (size_t done = 0, many; done < n; done += many) {
        const uint32_t *restrict cells = row->cells, *restrict at = row->before + done;
        many = n - done < CHUNK ? n - done : CHUNK;
        memcpy(x, row->weight + done, many * sizeof(*x));
        for (size_t i = 0; i < many; i++)
            entries[i] = cells[at[i] + src[(done + i) * step]];
        mix_u8(entries, x, row->y, row->max, mixed);
        for (size_t i = 0; i < many; i++)
            dst[(done + i) * step] = mixed[i];
    }
}

/* The clipped samples of a tile with values up to v. */
GF_ALWAYS uint32_t sum_up_to(const struct gf_cpu_clahe_row *row, const struct gf_clahe_list *list, uint32_t v)
{
    const uint32_t rank = gf_clahe_rank(row->values + list->first, list->n, v);
    return row->sums[list->first + rank] + gf_clahe_shared(&list->share, v);
}

/* Looks up the entries of a chunk of pixels in the lists of their four tiles. */
static void look_in_lists(const struct gf_cpu_clahe_row *row, const gf_u16_any *src, size_t first, size_t n,
                          size_t step, uint16_t (*restrict entries)[CHUNK])
{
    uint32_t sums[4][CHUNK];
    const float scale = row->scale, max = row->max;
    for (size_t i = 0; i < n; i++) {
        const uint32_t v = src[(first + i) * step] ^ row->sign;
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t *places = k & 1 ? row->after : row->before;
            sums[k][i] = sum_up_to(row, row->lists[k / 2] + places[first + i], v);
        }
    }
    for (uint32_t k = 0; k < 4; k++)
        for (size_t i = 0; i < n; i++) {
            float entry = rintf((float)(int32_t)sums[k][i] * scale);
            entries[k][i] = (uint16_t)(int32_t)(entry < max ? entry : max);
        }
}

static void look_in_tables(const struct gf_cpu_clahe_row *row, const gf_u16_any *src, size_t first, size_t n,
                           size_t step, uint16_t (*restrict entries)[CHUNK])
{
    const uint16_t *restrict above = row->above, *restrict below = row->below;
    const uint32_t *restrict before = row->before + first, *restrict after = row->after + first;
    for (size_t i = 0; i < n; i++) {
        size_t v = src[(first + i) * step];
        entries[0][i] = above[before[i] + v];
        entries[1][i] = above[after[i] + v];
        entries[2][i] = below[before[i] + v];
        entries[3][i] = below[after[i] + v];
    }
}

static void row_u16(const struct gf_cpu_clahe_row *row, const gf_u16_any *restrict src, gf_u16_any *restrict dst,
                    size_t n, size_t step)
{
    uint16_t entries[4][CHUNK] = {{0}}, mixed[CHUNK];
    float x[CHUNK] = {0};
    for (size_t done = 0, many; done < n; done += many) {
        many = n - done < CHUNK ? n - done : CHUNK;
        memcpy(x, row->weight + done, many * sizeof(*x));
        if (row->lists[0] != NULL)
            look_in_lists(row, src, done, many, step, entries);
        else
            look_in_tables(row, src, done, many, step, entries);
        mix_u16(entries, x, row->y, row->max, mixed);
        for (size_t i = 0; i < many; i++)
            dst[(done + i) * step] = mixed[i];
    }
}

void GF_ISA_NAME(gf_simd_clahe)(uint32_t dtype, const struct gf_cpu_clahe_row *row, const void *src, void *dst,
                                size_t n, size_t step)
{
    if (dtype == GF_U8 && step == 1)
        row_u8(row, src, dst, n, 1);
    else if (dtype == GF_U8)
        row_u8(row, src, dst, n, step);
    else
        row_u16(row, src, dst, n, step);
}
