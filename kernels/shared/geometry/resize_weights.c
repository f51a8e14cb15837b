/* SPDX-License-Identifier: MIT */
/*
 * Weights of resize as docs/numerics.md, "resize", defines them, two or four at a time: each vector operation is the
 * one that a scalar f64 would have had, in the same order, so the weights have the same bits. Lanes that do not apply
 * are masked out. Compiled once per instruction set: GF_ISA. Called by resize.c.
 */
#include "resize_weights.h"

#include <string.h>

#include "protocol/ops/enums.h"

#ifdef __AVX2__
#define BYTES 32
#else
#define BYTES 16
#endif
#define LANES (BYTES / sizeof(double))

typedef double values __attribute__((vector_size(BYTES)));
typedef int64_t answers __attribute__((vector_size(BYTES)));
typedef uint64_t bits __attribute__((vector_size(BYTES)));

static values pick(answers where, values v, values other)
{
    return (values)(((bits)v & (bits)where) | ((bits)other & ~(bits)where));
}

static values magnitude(values v)
{
    return (values)((bits)v & (UINT64_MAX >> 1));
}

/* sin(pi x) for 0 <= x <= 3: the polynomial of numerics.md, "resize". An f64 near 1.5 * 2^52 has no fraction bits, so
 * the sum is rounded to an integer, ties to even, whose last bit is the last bit of the sum. */
static values sin_pi(values x)
{
    static const double c[] = {0x1.921fb54442d18p+1,   -0x1.4abbce625be53p+2,  0x1.466bc6775aae2p+1,
                               -0x1.32d2cce62bd86p-1,  0x1.50783487ee782p-4,   -0x1.e3074fde8871fp-8,
                               0x1.e8f434d018d63p-12,  -0x1.6fadb9f155744p-16, 0x1.aaec32af93359p-21,
                               -0x1.8a404211f9547p-26, 0x1.2877020d52cf0p-31};
    const values whole = x + 0x1.8p52, r = x - (whole - 0x1.8p52), q = r * r;
    values s = q * c[10] + c[9];
    for (int k = 8; k >= 0; k--)
        s = s * q + c[k];
    return (values)((bits)(r * s) ^ (bits)whole << 63);
}

static values linear(values x)
{
    return pick(x < 1.0, 1.0 - x, (values){0.0});
}

static values cubic(values x)
{
    values near = (1.5 * x - 2.5) * x * x + 1.0, far = (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5;
    return pick(x < 1.0, near, pick(x < 2.0, far, (values){0.0}));
}

static values lanczos3(values x)
{
    static const double pi = 0x1.921fb54442d18p+1;
    values third = x / 3.0, v = sin_pi(x) / (pi * x) * (sin_pi(third) / (pi * third));
    return pick(x == 0.0, (values){0.0} + 1.0, pick(x < 3.0, v, (values){0.0}));
}

/* The part of each pixel that area covers. */
static void cover(const struct gf_resize_window *w, double *ret)
{
    for (uint32_t j = w->first; j < w->end; j++) {
        double begin = (double)j, end = begin + 1.0;
        ret[j - w->first] = (w->stop < end ? w->stop : end) - (w->begin > begin ? w->begin : begin);
    }
}

static void sample(const struct gf_resize_map *m, const struct gf_resize_window *w, double *ret)
{
    const double narrow = 1.0 / m->wider;
    values j;
    for (uint32_t lane = 0; lane < LANES; lane++)
        j[lane] = (double)(w->first + lane);
    for (uint32_t k = 0; k < w->end - w->first; k += LANES, j += (double)LANES) {
        values x = magnitude((j - w->centre + 0.5) * narrow);
        values v = m->filter == GF_RESIZE_LINEAR ? linear(x) : m->filter == GF_RESIZE_CUBIC ? cubic(x) : lanczos3(x);
        memcpy(ret + k, &v, sizeof v);
    }
}

#define NAME_OF(isa) gf_resize_weigh_##isa
#define NAME(isa) NAME_OF(isa)

void NAME(GF_ISA)(const struct gf_resize_map *map, const struct gf_resize_window *window, double *room, float *ret)
{
    const uint32_t n = window->end - window->first;
    double sum = 0.0;
    if (map->filter == GF_RESIZE_AREA)
        cover(window, room);
    else
        sample(map, window, room);
    for (uint32_t k = 0; k < n; k++)
        sum += room[k];
    uint32_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        values v;
        memcpy(&v, room + k, sizeof v);
        v /= sum;
        for (uint32_t lane = 0; lane < LANES; lane++)
            ret[k + lane] = (float)v[lane];
    }
    for (; k < n; k++)
        ret[k] = (float)(room[k] / sum);
}
