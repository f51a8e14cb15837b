/* SPDX-License-Identifier: MIT */
/*
 * Integral images of f32 by the tree of docs/numerics.md, "Trees of scans": one group of elements along a row, added to
 * the column sums. Compiled once per instruction set; called by integral_floats.c.
 */
#include "simd_scan.h"

#include "kernels/cpu/simd/simd_wide.h"

/* A tile is as many rows of the tree as a vector has lanes. The rows are folded side by side: one vector holds element
 * j of all of them. */
#define TILE (GF_HALF * GF_SCAN_ROW)
#define TILES (GF_SCAN_GROUP / GF_HALF)

/* Transposes: lane i of v[k] is exchanged with lane k of v[i]. */
GF_ALWAYS void transpose(gf_vd v[GF_HALF])
{
#if GF_LANES == 16
    gf_vd pairs[8], quads[8];
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm512_unpacklo_pd(v[i], v[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_pd(v[i], v[i + 1]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        int i = k / 2 * 4 + k % 2;
        quads[i] = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0x88);
        quads[i + 2] = _mm512_shuffle_f64x2(pairs[i], pairs[i + 2], 0xDD);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0x88);
        v[i + 4] = _mm512_shuffle_f64x2(quads[i], quads[i + 4], 0xDD);
    }
#elif GF_LANES == 8
    gf_vd pairs[4];
    for (int i = 0; i < 4; i += 2) {
        pairs[i] = _mm256_unpacklo_pd(v[i], v[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_pd(v[i], v[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        v[i] = _mm256_permute2f128_pd(pairs[i], pairs[i + 2], 0x20);
        v[i + 2] = _mm256_permute2f128_pd(pairs[i], pairs[i + 2], 0x31);
    }
#else
    for (int i = 0; i < GF_HALF; i++)
        for (int k = 0; k < i; k++) {
            double other = v[i][k];
            v[i][k] = v[k][i];
            v[k][i] = other;
        }
#endif
}

/* Folds the rows of a tile from left to right. */
GF_ALWAYS void fold_tile(const gf_f32_any *src, bool square, gf_vd s[GF_SCAN_ROW])
{
    gf_vd acc = gf_vd_set(-0.0);
#pragma GCC unroll 8
    for (size_t j = 0; j < GF_SCAN_ROW; j += GF_HALF) {
        gf_vd v[GF_HALF];
#pragma GCC unroll 8
        for (size_t k = 0; k < GF_HALF; k++) {
            v[k] = gf_vd_load_f32(src + k * GF_SCAN_ROW + j);
            v[k] = square ? v[k] * v[k] : v[k];
        }
        transpose(v);
#pragma GCC unroll 8
        for (size_t k = 0; k < GF_HALF; k++)
            acc = s[j + k] = acc + v[k];
    }
}

/* Shifts u up by d lanes across its vectors; the first d lanes become -0.0. */
GF_ALWAYS void shift(const gf_vd u[TILES], size_t d, gf_vd ret[TILES])
{
    const gf_vd nothing = gf_vd_set(-0.0);
    const size_t whole = d / GF_HALF, part = d % GF_HALF;
    gf_vl lanes;
    for (size_t i = 0; i < GF_HALF; i++)
        lanes[i] = (int64_t)(GF_HALF - part + i);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILES; i++) {
        gf_vd v = i >= whole ? u[i - whole] : nothing, left = i >= whole + 1 ? u[i - whole - 1] : nothing;
        ret[i] = part > 0 ? gf_vd_pick(left, v, lanes) : v;
    }
}

/* u[i] = u[i - d] + u[i]. */
GF_ALWAYS void fold_step(gf_vd u[TILES], size_t d)
{
    gf_vd left[TILES];
    shift(u, d, left);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILES; i++)
        u[i] = left[i] + u[i];
}

/* Turns the totals of a group's rows into the value before each row. Returns the total of the group. */
GF_ALWAYS double fold_totals(gf_vd u[TILES], double before, double end)
{
    gf_vd left[TILES];
    fold_step(u, 1);
    fold_step(u, 2);
    fold_step(u, 4);
    fold_step(u, 8);
    fold_step(u, 16);
    double total = u[TILES - 1][GF_HALF - 1];
    shift(u, 1, left);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILES; i++)
        u[i] = gf_vd_set(before) + (gf_vd_set(end) + left[i]);
    return total;
}

/* Adds the running sums of the rows to the column sums. If `out` is given, also stores the results. */
GF_ALWAYS void finish_tile(const gf_vd s[GF_SCAN_ROW], gf_vd base, const double *above, double *sums, double *out)
{
    const gf_vd nan = gf_vd_set((double)NAN);
    for (size_t j = 0; j < GF_SCAN_ROW; j += GF_HALF) {
        gf_vd v[GF_HALF];
#pragma GCC unroll 8
        for (size_t k = 0; k < GF_HALF; k++) {
            gf_vd *sum = (gf_vd *)(void *)sums + j + k;
            *sum = *sum + (base + s[j + k]);
            if (out) {
                v[k] = ((const gf_vd *)(const void *)above)[j + k] + *sum;
                v[k] = gf_vd_select(v[k] == v[k], v[k], nan);
            }
        }
        if (!out)
            continue;
        transpose(v);
#pragma GCC unroll 8
        for (size_t k = 0; k < GF_HALF; k++)
            gf_vd_store(out + k * GF_SCAN_ROW + j, v[k]);
    }
}

GF_ALWAYS void add_group(const struct gf_cpu_group *g, const gf_f32_any *src, size_t n, bool square)
{
    gf_vd s[TILES][GF_SCAN_ROW], u[TILES];
    const size_t whole = n / TILE, tiles = (n + TILE - 1) / TILE;
    for (size_t t = 0; t < whole; t++) {
        fold_tile(src + t * TILE, square, s[t]);
        u[t] = s[t][GF_SCAN_ROW - 1];
    }
    for (size_t t = whole; t < TILES; t++)
        u[t] = gf_vd_set(0.0);
    if (tiles > whole) {
        float padded[TILE] = {0};
        memcpy(padded, src + whole * TILE, (n - whole * TILE) * sizeof(*padded));
        fold_tile(padded, square, s[whole]);
        u[whole] = s[whole][GF_SCAN_ROW - 1];
    }
    double total = fold_totals(u, g->line->before, g->line->end);
    g->line->end += total;
    for (size_t t = 0; t < tiles; t++)
        if (g->out)
            finish_tile(s[t], u[t], g->above + t * TILE, g->sums + t * TILE, g->out + t * TILE);
        else
            finish_tile(s[t], u[t], NULL, g->sums + t * TILE, NULL);
}

void GF_ISA_NAME(gf_simd_add_group)(const struct gf_cpu_group *group, const void *src, size_t n)
{
    if (group->square)
        add_group(group, src, n, true);
    else
        add_group(group, src, n, false);
}

void GF_ISA_NAME(gf_simd_put)(const double *from, size_t n, void *dst)
{
    gf_f64_any *to = dst;
    size_t past = (uintptr_t)dst % sizeof(gf_vd), i = 0;
    size_t head = past == 0 ? 0 : (sizeof(gf_vd) - past + sizeof(*to) - 1) / sizeof(*to);
    for (; i < n && (i < head || past % sizeof(*to) != 0); i++)
        to[i] = from[i];
    for (; i + GF_HALF <= n; i += GF_HALF)
        gf_vd_stream(to + i, gf_vd_load(from + i));
    for (; i < n; i++)
        to[i] = from[i];
}
