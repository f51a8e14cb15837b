/* SPDX-License-Identifier: MIT */
/* The trees of docs/numerics.md, "Trees of scans", as that page says them, and elements of arrays. */
#include "reference_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/ops/enums.h"

#define ROW 16u
#define GROUP 32u
#define GROUPS 8u
#define BLOCK (ROW * GROUP * GROUPS)
#define ROW_CHUNK 64u

static struct gf_reference_item sum(void *context, struct gf_reference_item l, struct gf_reference_item r)
{
    (void)context;
    return (struct gf_reference_item){.present = true, .v = l.v + r.v};
}

static struct gf_reference_item product(void *context, struct gf_reference_item l, struct gf_reference_item r)
{
    (void)context;
    return (struct gf_reference_item){.present = true, .v = l.v * r.v};
}

static struct gf_reference_item affine(void *context, struct gf_reference_item l, struct gf_reference_item r)
{
    (void)context;
    return (struct gf_reference_item){.present = true, .a = l.a * r.a, .v = fma(r.a, l.v, r.v)};
}

const struct gf_reference_join gf_reference_sum = {sum, NULL}, gf_reference_product = {product, NULL},
                               gf_reference_affine = {affine, NULL};

struct gf_reference_item gf_reference_joined(const struct gf_reference_join *join, struct gf_reference_item l,
                                             struct gf_reference_item r)
{
    if (!l.present || !r.present)
        return l.present ? l : r;
    return join->of(join->context, l, r);
}

static void five_steps(const struct gf_reference_join *join, struct gf_reference_item *u)
{
    for (uint32_t d = 1; d < GROUP; d *= 2) {
        struct gf_reference_item before[GROUP];
        memcpy(before, u, sizeof(before));
        for (uint32_t i = d; i < GROUP; i++)
            u[i] = gf_reference_joined(join, before[i - d], before[i]);
    }
}

/* x[0 .. BLOCK-1] becomes off + s, with rest left of it later; returns the aggregate. s is kept apart. */
static struct gf_reference_item block(const struct gf_reference_join *join, struct gf_reference_item *s,
                                      struct gf_reference_item *off)
{
    struct gf_reference_item e = {.present = false};
    for (uint32_t g = 0; g < GROUPS; g++) {
        struct gf_reference_item u[GROUP];
        for (uint32_t i = 0; i < GROUP; i++) {
            struct gf_reference_item *row = s + (g * GROUP + i) * ROW;
            for (uint32_t j = 1; j < ROW; j++)
                row[j] = gf_reference_joined(join, row[j - 1], row[j]);
            u[i] = row[ROW - 1];
        }
        five_steps(join, u);
        for (uint32_t i = 0; i < GROUP; i++)
            off[g * GROUP + i] = i == 0 ? e : gf_reference_joined(join, e, u[i - 1]);
        e = gf_reference_joined(join, e, u[GROUP - 1]);
    }
    return e;
}

/* From the aggregates of all blocks, a multiple of 1024, to what stands before each. */
static void prefixes(const struct gf_reference_join *join, struct gf_reference_item *a, uint64_t n)
{
    struct gf_reference_item c = {.present = false};
    for (uint64_t h = 0; h < n; h += GROUP * GROUP) {
        struct gf_reference_item i1[GROUP][GROUP], i2[GROUP];
        for (uint32_t g = 0; g < GROUP; g++) {
            memcpy(i1[g], a + h + g * GROUP, sizeof(i1[g]));
            five_steps(join, i1[g]);
            i2[g] = i1[g][GROUP - 1];
        }
        five_steps(join, i2);
        for (uint32_t g = 0; g < GROUP; g++)
            for (uint32_t b = 0; b < GROUP; b++) {
                struct gf_reference_item p = g > 0 ? gf_reference_joined(join, c, i2[g - 1]) : c;
                a[h + g * GROUP + b] = b > 0 ? gf_reference_joined(join, p, i1[g][b - 1]) : p;
            }
        c = gf_reference_joined(join, c, i2[GROUP - 1]);
    }
}

enum gf_status gf_reference_scan_tree(const struct gf_reference_join *join, struct gf_reference_item *x, uint64_t n,
                                      struct gf_error *err)
{
    uint64_t blocks = (n + BLOCK - 1) / BLOCK, room = (blocks + GROUP * GROUP - 1) / (GROUP * GROUP) * GROUP * GROUP;
    struct gf_reference_item gf_cleanup(gf_freep) *s = calloc(blocks * BLOCK, sizeof(*s));
    struct gf_reference_item gf_cleanup(gf_freep) *off = calloc(blocks * GROUPS * GROUP, sizeof(*off));
    struct gf_reference_item gf_cleanup(gf_freep) *p = calloc(room, sizeof(*p));
    if (s == NULL || off == NULL || p == NULL)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for the reference of a scan");
    memcpy(s, x, n * sizeof(*x));
    for (uint64_t b = 0; b < blocks; b++)
        p[b] = block(join, s + b * BLOCK, off + b * GROUPS * GROUP);
    prefixes(join, p, room);
    for (uint64_t i = 0; i < n; i++)
        x[i] = gf_reference_joined(join, gf_reference_joined(join, p[i / BLOCK], off[i / ROW]), s[i]);
    return GF_OK;
}

void gf_reference_scan_columns(const struct gf_reference_join *join, struct gf_reference_item *x, uint64_t n)
{
    struct gf_reference_item p = {.present = false};
    for (uint64_t k = 0; k < n; k += ROW_CHUNK) {
        struct gf_reference_item s = {.present = false};
        for (uint64_t i = k; i < n && i < k + ROW_CHUNK; i++) {
            s = gf_reference_joined(join, s, x[i]);
            x[i] = gf_reference_joined(join, p, s);
        }
        p = gf_reference_joined(join, p, s);
    }
}

uint64_t gf_reference_scan_sequences(const struct gf_view *view, uint32_t axis)
{
    return view->channels * (axis == GF_AXIS_ALL ? 1 : axis == GF_AXIS_ROWS ? view->height : view->width);
}

uint64_t gf_reference_length(const struct gf_view *view, uint32_t axis)
{
    return axis == GF_AXIS_ALL ? view->width * view->height : axis == GF_AXIS_ROWS ? view->width : view->height;
}

void *gf_reference_element(const struct gf_reference_buf *buf, uint32_t axis, uint64_t sequence, uint64_t index)
{
    uint64_t c = sequence % buf->view.channels, line = sequence / buf->view.channels, x = index, y = line;
    if (axis == GF_AXIS_ALL) {
        x = index % buf->view.width;
        y = index / buf->view.width;
    } else if (axis == GF_AXIS_COLS) {
        x = line;
        y = index;
    }
    return (char *)buf->data + y * buf->view.pitch + (x * buf->view.channels + c) * gf_dtype_size(buf->view.dtype);
}

double gf_reference_get_float(const void *at, uint32_t dtype)
{
    float f32 = 0;
    double f64 = 0;
    if (dtype == GF_F64)
        memcpy(&f64, at, sizeof(f64));
    else
        memcpy(&f32, at, sizeof(f32));
    return dtype == GF_F64 ? f64 : (double)f32;
}

void gf_reference_put_float(void *at, uint32_t dtype, double v)
{
    double f64 = isnan(v) ? (double)NAN : v;
    float f32 = (float)f64;
    if (dtype == GF_F64)
        memcpy(at, &f64, sizeof(f64));
    else
        memcpy(at, &f32, sizeof(f32));
}

/* Little-endian, as everything here: the low bytes, with the sign above them. */
gf_reference_int gf_reference_get_int(const void *at, uint32_t dtype)
{
    uint64_t u = 0;
    unsigned bits = (unsigned)gf_dtype_size(dtype) * 8;
    memcpy(&u, at, bits / 8);
    if (gf_dtype_kind(dtype) == GF_KIND_SINT && (u >> (bits - 1)) != 0)
        return (gf_reference_int)u - ((gf_reference_int)1 << bits);
    return u;
}

void gf_reference_put_int(void *at, uint32_t dtype, uint64_t v)
{
    memcpy(at, &v, gf_dtype_size(dtype));
}
