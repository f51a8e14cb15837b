/* SPDX-License-Identifier: MIT */
/*
 * The tree of a block and the row chunks of columns, docs/numerics.md, "Trees of scans", in f64. Each function inlines
 * a variant per operator, chosen once per call. Called through struct gf_simd_scan.
 */
#include "simd_scan.h"

#include "kernels/cpu/simd/simd_isa.h"

/* Combines l with r; w is the factor of r. */
GF_ALWAYS double join(uint32_t what, double w, double l, double r)
{
    return what == GF_SCAN_SUM ? l + r : what == GF_SCAN_PRODUCT ? l * r : fma(w, l, r);
}

/* Folds each row of one group: s, if given, receives the running values from the second element on, u the totals. */
GF_ALWAYS void fold_rows(uint32_t what, const struct gf_scan_factors *f, const double *x, double *s, double *u)
{
    for (uint32_t i = 0; i < GF_SCAN_GROUP; i++) {
        const double *row = x + i * GF_SCAN_ROW;
        double acc = row[0];
#pragma GCC unroll 16
        for (uint32_t j = 1; j < GF_SCAN_ROW; j++) {
            acc = join(what, f->row[0], acc, row[j]);
            if (s)
                s[i * GF_SCAN_ROW + j] = acc;
        }
        u[i] = acc;
    }
}

/* u[i] = u[i - d] combined with u[i], for d = 1, 2, 4, 8, 16. */
GF_ALWAYS void fold_group(uint32_t what, const struct gf_scan_factors *f, double *u)
{
    double before[GF_SCAN_GROUP];
#pragma GCC unroll 5
    for (uint32_t step = 0, d = 1; step < GF_SCAN_STEPS; step++, d *= 2) {
        memcpy(before, u, sizeof(before));
        for (uint32_t i = d; i < GF_SCAN_GROUP; i++)
            u[i] = join(what, f->group[step][i], before[i - d], before[i]);
    }
}

GF_ALWAYS double tree(uint32_t what, const struct gf_scan_factors *f, const double *x, double *s, double *offsets)
{
    double end = 0, u[GF_SCAN_GROUP];
    const double *last = f->group[GF_SCAN_STEPS];
    for (uint32_t g = 0; g < GF_SCAN_GROUPS; g++) {
        size_t at = (size_t)g * GF_SCAN_GROUP * GF_SCAN_ROW;
        fold_rows(what, f, x + at, s ? s + at : NULL, u);
        fold_group(what, f, u);
        double *off = offsets ? offsets + (size_t)g * GF_SCAN_GROUP : NULL;
        if (off && g > 0)
            off[0] = end;
        for (uint32_t i = 1; off && i < GF_SCAN_GROUP; i++)
            off[i] = g > 0 ? join(what, last[i - 1], end, u[i - 1]) : u[i - 1];
        end = g > 0 ? join(what, last[GF_SCAN_GROUP - 1], end, u[GF_SCAN_GROUP - 1]) : u[GF_SCAN_GROUP - 1];
    }
    return end;
}

static double scan_tree(uint32_t what, const struct gf_scan_factors *f, double *x, double *offsets)
{
    return what == GF_SCAN_SUM       ? tree(GF_SCAN_SUM, f, x, x, offsets)
           : what == GF_SCAN_PRODUCT ? tree(GF_SCAN_PRODUCT, f, x, x, offsets)
                                     : tree(GF_SCAN_AFFINE, f, x, x, offsets);
}

static double scan_aggregate(uint32_t what, const struct gf_scan_factors *f, const double *x)
{
    return what == GF_SCAN_SUM       ? tree(GF_SCAN_SUM, f, x, NULL, NULL)
           : what == GF_SCAN_PRODUCT ? tree(GF_SCAN_PRODUCT, f, x, NULL, NULL)
                                     : tree(GF_SCAN_AFFINE, f, x, NULL, NULL);
}

/* The recurrence has its init in the first element already, so only sum and product pass `init`. */
GF_ALWAYS void finish(uint32_t what, const struct gf_scan_factors *f, const double *prefix, const double *offsets,
                      const double *init, double *x)
{
    for (uint32_t r = 0; r < GF_SCAN_ROWS; r++, x += GF_SCAN_ROW) {
        double base = r == 0   ? prefix ? *prefix : 0
                      : prefix ? join(what, f->offset[r], *prefix, offsets[r])
                               : offsets[r];
        if (r > 0 || prefix)
            for (uint32_t j = 0; j < GF_SCAN_ROW; j++)
                x[j] = join(what, f->row[j], base, x[j]);
        if (init)
            for (uint32_t j = 0; j < GF_SCAN_ROW; j++)
                x[j] = join(what, 1, *init, x[j]);
    }
}

static void scan_finish(uint32_t what, const struct gf_scan_factors *f, const double *prefix, const double *offsets,
                        const double *init, double *x)
{
    if (what == GF_SCAN_SUM)
        finish(GF_SCAN_SUM, f, prefix, offsets, init, x);
    else if (what == GF_SCAN_PRODUCT)
        finish(GF_SCAN_PRODUCT, f, prefix, offsets, init, x);
    else
        finish(GF_SCAN_AFFINE, f, prefix, offsets, NULL, x);
}

GF_ALWAYS void group(uint32_t what, const struct gf_scan_factors *f, const double *init, double *x, size_t n)
{
    double u[GF_SCAN_GROUP];
    size_t rows = (n + GF_SCAN_ROW - 1) / GF_SCAN_ROW;
    for (size_t i = 0; i < rows; i++) {
        double *row = x + i * GF_SCAN_ROW, acc = row[0];
        size_t end = n - i * GF_SCAN_ROW < GF_SCAN_ROW ? n - i * GF_SCAN_ROW : GF_SCAN_ROW;
        for (size_t j = 1; j < end; j++)
            row[j] = acc = join(what, f->row[0], acc, row[j]);
        u[i] = acc;
    }
    for (size_t step = 0, d = 1; d < rows; step++, d *= 2)
        for (size_t i = rows - 1; i >= d; i--)
            u[i] = join(what, f->group[step][i], u[i - d], u[i]);
    for (size_t i = GF_SCAN_ROW; i < n; i++)
        x[i] = join(what, f->row[i % GF_SCAN_ROW], u[i / GF_SCAN_ROW - 1], x[i]);
    if (init)
        for (size_t i = 0; i < n; i++)
            x[i] = join(what, 1, *init, x[i]);
}

static void scan_group(uint32_t what, const struct gf_scan_factors *f, const double *init, double *x, size_t n)
{
    if (what == GF_SCAN_SUM)
        group(GF_SCAN_SUM, f, init, x, n);
    else if (what == GF_SCAN_PRODUCT)
        group(GF_SCAN_PRODUCT, f, init, x, n);
    else
        group(GF_SCAN_AFFINE, f, NULL, x, n);
}

GF_ALWAYS void row_chunk(uint32_t what, const struct gf_scan_factors *f, uint32_t j, const double *prefix,
                         const double *init, double *restrict s, double *restrict x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = s[i] = j > 0 ? join(what, f->row[0], s[i], x[i]) : x[i];
    if (prefix)
        for (size_t i = 0; i < n; i++)
            x[i] = join(what, f->row[j], prefix[i], x[i]);
    if (init)
        for (size_t i = 0; i < n; i++)
            x[i] = join(what, 1, *init, x[i]);
}

static void scan_row_chunk(uint32_t what, const struct gf_scan_factors *f, uint32_t j, const double *prefix,
                           const double *init, double *s, double *x, size_t n)
{
    if (what == GF_SCAN_SUM)
        row_chunk(GF_SCAN_SUM, f, j, prefix, init, s, x, n);
    else if (what == GF_SCAN_PRODUCT)
        row_chunk(GF_SCAN_PRODUCT, f, j, prefix, init, s, x, n);
    else
        row_chunk(GF_SCAN_AFFINE, f, j, prefix, NULL, s, x, n);
}

static void scan_row_chunk_end(uint32_t what, const struct gf_scan_factors *f, const double *s, double *prefix,
                               size_t n)
{
    for (size_t i = 0; i < n; i++)
        prefix[i] = join(what, f->row[GF_SCAN_ROW_CHUNK - 1], prefix[i], s[i]);
}

const struct gf_simd_scan GF_ISA_NAME(gf_simd_scan) = {
    .tree = scan_tree,
    .aggregate = scan_aggregate,
    .finish = scan_finish,
    .group = scan_group,
    .row_chunk = scan_row_chunk,
    .row_chunk_end = scan_row_chunk_end,
    .run = GF_ISA_NAME(gf_simd_run),
    .fold = GF_ISA_NAME(gf_simd_fold),
    .run_across = GF_ISA_NAME(gf_simd_run_across),
    .integral = GF_ISA_NAME(gf_simd_integral),
    .add_group = GF_ISA_NAME(gf_simd_add_group),
    .put = GF_ISA_NAME(gf_simd_put),
    .add_bytes = GF_ISA_NAME(gf_simd_add_bytes),
};
