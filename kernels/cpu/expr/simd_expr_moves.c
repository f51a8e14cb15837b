/* SPDX-License-Identifier: MIT */
/* Splits and joins elements of rows of expressions; see simd_expr.h. Compiled once per instruction set. */
#include "simd_expr.h"

/* Steps are compile-time constants, so that the compiler vectorises the loops. */
#define MOVES(dtype)                                                                                                   \
    GF_ALWAYS void pick_step_##dtype(size_t step, const gf_##dtype##_any *from, gf_##dtype##_any *restrict to,         \
                                     size_t n)                                                                         \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++)                                                                                 \
            to[i] = from[i * step];                                                                                    \
    }                                                                                                                  \
    static void pick_##dtype(size_t step, const void *src, void *dst, size_t n)                                        \
    {                                                                                                                  \
        if (step == 2)                                                                                                 \
            pick_step_##dtype(2, src, dst, n);                                                                         \
        else if (step == 3)                                                                                            \
            pick_step_##dtype(3, src, dst, n);                                                                         \
        else                                                                                                           \
            pick_step_##dtype(4, src, dst, n);                                                                         \
    }                                                                                                                  \
    static void spread_##dtype(size_t step, const void *src, void *dst, size_t n)                                      \
    {                                                                                                                  \
        const gf_##dtype##_any *from = src;                                                                            \
        gf_##dtype##_any *restrict to = dst;                                                                           \
        for (size_t i = 0; i < n; i++)                                                                                 \
            to[i * step] = from[i];                                                                                    \
    }                                                                                                                  \
    static void interleave_##dtype(size_t channels, const void *const *rows, void *dst, size_t n)                      \
    {                                                                                                                  \
        const gf_##dtype##_any *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];                                 \
        gf_##dtype##_any *restrict to = dst;                                                                           \
        for (size_t i = 0; channels == 2 && i < n; i++) {                                                              \
            to[2 * i] = a[i];                                                                                          \
            to[2 * i + 1] = b[i];                                                                                      \
        }                                                                                                              \
        for (size_t i = 0; channels == 3 && i < n; i++) {                                                              \
            to[3 * i] = a[i];                                                                                          \
            to[3 * i + 1] = b[i];                                                                                      \
            to[3 * i + 2] = c[i];                                                                                      \
        }                                                                                                              \
        for (size_t i = 0; channels == 4 && i < n; i++) {                                                              \
            to[4 * i] = a[i];                                                                                          \
            to[4 * i + 1] = b[i];                                                                                      \
            to[4 * i + 2] = c[i];                                                                                      \
            to[4 * i + 3] = d[i];                                                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    GF_ALWAYS void repeat_times_##dtype(size_t times, const gf_##dtype##_any *from, gf_##dtype##_any *restrict to,     \
                                        size_t n)                                                                      \
    {                                                                                                                  \
        for (size_t i = 0; i < n / times; i++)                                                                         \
            for (size_t k = 0; k < times; k++)                                                                         \
                to[i * times + k] = from[i];                                                                           \
    }                                                                                                                  \
    static void repeat_##dtype(size_t times, const void *src, void *dst, size_t n)                                     \
    {                                                                                                                  \
        if (times == 2)                                                                                                \
            repeat_times_##dtype(2, src, dst, n);                                                                      \
        else if (times == 3)                                                                                           \
            repeat_times_##dtype(3, src, dst, n);                                                                      \
        else                                                                                                           \
            repeat_times_##dtype(4, src, dst, n);                                                                      \
    }
MOVES(u8)
MOVES(u16)
MOVES(u32)
MOVES(u64)

#define MOVE(move, SOURCE)                                                                                             \
    void GF_ISA_NAME(gf_simd_expr_##move)(size_t size, size_t step, SOURCE src, void *dst, size_t n)                   \
    {                                                                                                                  \
        if (size == 1)                                                                                                 \
            move##_u8(step, src, dst, n);                                                                              \
        else if (size == 2)                                                                                            \
            move##_u16(step, src, dst, n);                                                                             \
        else if (size == 4)                                                                                            \
            move##_u32(step, src, dst, n);                                                                             \
        else                                                                                                           \
            move##_u64(step, src, dst, n);                                                                             \
    }
MOVE(pick, const void *)
MOVE(spread, const void *)
MOVE(repeat, const void *)
MOVE(interleave, const void *const *)
