/* SPDX-License-Identifier: MIT */
/*
 * Reverses pixels, and transposes blocks of pixels. Compiled once per instruction set; called through gf_simd_geometry.
 *
 * A square of n rows of n elements is transposed in log2(n) rounds, each of which interleaves row i with row i + n/2.
 * Pixels of 3 and 6 bytes are widened to 4 and 8 in registers, and narrowed again before they are stored.
 */
#include "simd_geometry.h"

#include "kernels/cpu/simd/simd_isa.h"
#include "protocol/base/dtype.h"

#define VECTOR 16u
#define LINE 64u /* bytes of a cache line */
typedef uint8_t v8 __attribute__((vector_size(VECTOR)));
typedef uint16_t v16 __attribute__((vector_size(VECTOR)));
typedef uint32_t v32 __attribute__((vector_size(VECTOR)));
typedef uint64_t v64 __attribute__((vector_size(VECTOR)));
typedef float f32x4 __attribute__((vector_size(VECTOR)));
typedef double f64x2 __attribute__((vector_size(VECTOR)));
typedef uint8_t v8_any __attribute__((vector_size(VECTOR), aligned(1), may_alias));

/* The bits of gf_vf as f64, and as f16. */
typedef double vd __attribute__((vector_size(GF_LANES * 4)));
typedef uint16_t vh __attribute__((vector_size(GF_LANES * 4)));

GF_ALWAYS v8 load(const unsigned char *p)
{
    return *(const v8_any *)p;
}

GF_ALWAYS void store(unsigned char *p, v8 v)
{
    *(v8_any *)p = v;
}

/* With `stream`, a streaming store; p must be a multiple of 16. */
GF_ALWAYS void store_past(unsigned char *p, v8 v, bool stream)
{
#if GF_LANES > 4
    if (stream)
        _mm_stream_si128((__m128i *)(void *)p, (__m128i)v);
    else
#endif
        store(p, v);
    (void)stream;
}

/* Prefetches what a backward read needs next: the hardware prefetcher stops at the end of a page. */
GF_ALWAYS void fetch_before(const unsigned char *p)
{
    __builtin_prefetch((const void *)((uintptr_t)p - 1024));
}

/* NaN is rare: normally the samples are only read, while they are still in the L1 cache. */
static void canonical_f32(unsigned char *samples, size_t n)
{
    const gf_f32_any *x = (const gf_f32_any *)(const void *)samples;
    gf_u32_any *bits = (gf_u32_any *)(void *)samples;
    int32_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= x[i] != x[i];
    for (size_t i = 0; i < n && any; i++)
        bits[i] = (bits[i] & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FC00000u : bits[i];
}

static void canonical_f64(unsigned char *samples, size_t n)
{
    const gf_f64_any *x = (const gf_f64_any *)(const void *)samples;
    gf_u64_any *bits = (gf_u64_any *)(void *)samples;
    int64_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= x[i] != x[i];
    for (size_t i = 0; i < n && any; i++)
        bits[i] = (bits[i] & INT64_MAX) > UINT64_C(0x7FF0000000000000) ? UINT64_C(0x7FF8000000000000) : bits[i];
}

static void canonical_f16(unsigned char *samples, size_t n)
{
    gf_u16_any *bits = (gf_u16_any *)(void *)samples;
    for (size_t i = 0; i < n; i++)
        bits[i] = (bits[i] & 0x7FFFu) > 0x7C00u ? 0x7E00u : bits[i];
}

static void make_canonical(uint32_t dtype, unsigned char *samples, size_t bytes)
{
    if (dtype == GF_F32)
        canonical_f32(samples, bytes / sizeof(float));
    else if (dtype == GF_F64)
        canonical_f64(samples, bytes / sizeof(double));
    else if (dtype == GF_F16)
        canonical_f16(samples, bytes / sizeof(uint16_t));
}

/* Interleaves the elements of the lower (half 0) or upper halves of two vectors. */
GF_ALWAYS v8 zip(size_t size, int half, v8 a, v8 b)
{
    if (size == 1)
        return half ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
                    : __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    if (size == 2)
        return half ? (v8)__builtin_shufflevector((v16)a, (v16)b, 4, 12, 5, 13, 6, 14, 7, 15)
                    : (v8)__builtin_shufflevector((v16)a, (v16)b, 0, 8, 1, 9, 2, 10, 3, 11);
    if (size == 4)
        return half ? (v8)__builtin_shufflevector((v32)a, (v32)b, 2, 6, 3, 7)
                    : (v8)__builtin_shufflevector((v32)a, (v32)b, 0, 4, 1, 5);
    return half ? (v8)__builtin_shufflevector((v64)a, (v64)b, 1, 3) : (v8)__builtin_shufflevector((v64)a, (v64)b, 0, 2);
}

/* Transposes a square of as many vectors as a vector has elements. */
GF_ALWAYS void transpose_square(size_t size, v8 *v)
{
    const size_t n = VECTOR / size;
#pragma GCC unroll 4
    for (size_t round = n; round > 1; round /= 2) {
        v8 zipped[VECTOR];
#pragma GCC unroll 8
        for (size_t i = 0; i < n / 2; i++) {
            zipped[2 * i] = zip(size, 0, v[i], v[i + n / 2]);
            zipped[2 * i + 1] = zip(size, 1, v[i], v[i + n / 2]);
        }
#pragma GCC unroll 16
        for (size_t i = 0; i < n; i++)
            v[i] = zipped[i];
    }
}

/* Widens 12 bytes of pixels of 3 or 6 bytes, from byte 0 or from byte 4 of the vector on, to pixels of 4 or 8 bytes. */
GF_ALWAYS v8 spread(size_t pixel, int late, v8 v)
{
    const v8 zero = {0};
    if (pixel == 3)
        return late ? __builtin_shufflevector(v, zero, 4, 5, 6, 16, 7, 8, 9, 16, 10, 11, 12, 16, 13, 14, 15, 16)
                    : __builtin_shufflevector(v, zero, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
    return late ? __builtin_shufflevector(v, zero, 4, 5, 6, 7, 8, 9, 16, 16, 10, 11, 12, 13, 14, 15, 16, 16)
                : __builtin_shufflevector(v, zero, 0, 1, 2, 3, 4, 5, 16, 16, 6, 7, 8, 9, 10, 11, 16, 16);
}

/* The inverse of spread, followed by 4 bytes of 0. */
GF_ALWAYS v8 push_together(size_t pixel, v8 v)
{
    const v8 zero = {0};
    return pixel == 3 ? __builtin_shufflevector(v, zero, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 16, 16, 16)
                      : __builtin_shufflevector(v, zero, 0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 16, 16, 16, 16);
}

/* Transposes `rows` rows from row r on and `columns` columns from column c on, pixel by pixel. */
GF_ALWAYS void transpose_pixels(size_t pixel, const struct gf_pixel_block *b, size_t r, size_t rows, size_t c,
                                size_t columns, unsigned char *to, ptrdiff_t pitch)
{
    for (size_t x = c; x < c + columns; x++) {
        const unsigned char *from = b->from + (ptrdiff_t)r * b->pitch + x * pixel;
        for (size_t y = r; y < r + rows; y++, from += b->pitch)
            memcpy(to + (ptrdiff_t)x * pitch + y * pixel, from, pixel);
    }
}

/* Transposes elements that fill vectors: squares first, then the remainders to the right and below. */
GF_ALWAYS void transpose_elements(size_t size, const struct gf_pixel_block *b, unsigned char *to, ptrdiff_t pitch)
{
    const size_t n = VECTOR / size;
    size_t r = 0, c;
    for (; r + n <= b->rows; r += n) {
        const unsigned char *from = b->from + (ptrdiff_t)r * b->pitch;
        for (c = 0; c + n <= b->columns; c += n) {
            v8 v[VECTOR];
#pragma GCC unroll 16
            for (size_t i = 0; i < n; i++)
                v[i] = load(from + (ptrdiff_t)i * b->pitch + c * size);
            transpose_square(size, v);
#pragma GCC unroll 16
            for (size_t i = 0; i < n; i++)
                store(to + (ptrdiff_t)(c + i) * pitch + r * size, v[i]);
        }
        transpose_pixels(size, b, r, n, c, b->columns - c, to, pitch);
    }
    transpose_pixels(size, b, r, b->rows - r, 0, b->columns, to, pitch);
}

/* Transposes pixels of three elements, in squares of 12 bytes per row. A store writes 4 more bytes of 0 into the slack,
 * or where the next square below is written later. */
GF_ALWAYS void transpose_thirds(size_t pixel, const struct gf_pixel_block *b, unsigned char *to, ptrdiff_t pitch)
{
    const size_t n = 12 / pixel, size = VECTOR / n, bytes = b->columns * pixel;
    size_t r = 0, c;
    for (; r + n <= b->rows; r += n) {
        const unsigned char *from = b->from + (ptrdiff_t)r * b->pitch;
        for (c = 0; c + n <= b->columns; c += n) {
            const size_t at = c * pixel;
            const int late = at + VECTOR > bytes; /* a vector from here on would end after the row */
            v8 v[VECTOR];
            if (late && at == 0)
                break;
#pragma GCC unroll 4
            for (size_t i = 0; i < n; i++) {
                const unsigned char *p = from + (ptrdiff_t)i * b->pitch + at;
                v[i] = late ? spread(pixel, 1, load(p - 4)) : spread(pixel, 0, load(p));
            }
            transpose_square(size, v);
#pragma GCC unroll 4
            for (size_t i = 0; i < n; i++)
                store(to + (ptrdiff_t)(c + i) * pitch + r * pixel, push_together(pixel, v[i]));
        }
        transpose_pixels(pixel, b, r, n, c, b->columns - c, to, pitch);
    }
    transpose_pixels(pixel, b, r, b->rows - r, 0, b->columns, to, pitch);
}

/* Transposes pixels of 12 bytes. A store writes 4 bytes beyond its pixel, into the slack or where the row below is
 * written later. */
GF_ALWAYS void transpose_triples(const struct gf_pixel_block *b, unsigned char *to, ptrdiff_t pitch)
{
    for (size_t r = 0; r < b->rows; r++) {
        const unsigned char *from = b->from + (ptrdiff_t)r * b->pitch;
        unsigned char *at = to + r * 12;
        for (size_t c = 0; c + 1 < b->columns; c++)
            store(at + (ptrdiff_t)c * pitch, load(from + c * 12));
        memcpy(at + (ptrdiff_t)(b->columns - 1) * pitch, from + (b->columns - 1) * 12, 12);
    }
}

static void transpose(size_t pixel, const struct gf_pixel_block *b, unsigned char *to, ptrdiff_t pitch)
{
    switch (pixel) {
    case 1:
        transpose_elements(1, b, to, pitch);
        break;
    case 2:
        transpose_elements(2, b, to, pitch);
        break;
    case 3:
        transpose_thirds(3, b, to, pitch);
        break;
    case 4:
        transpose_elements(4, b, to, pitch);
        break;
    case 6:
        transpose_thirds(6, b, to, pitch);
        break;
    case 8:
        transpose_elements(8, b, to, pitch);
        break;
    case 12:
        transpose_triples(b, to, pitch);
        break;
    case 16:
        transpose_pixels(16, b, 0, b->rows, 0, b->columns, to, pitch);
        break;
    case 24:
        transpose_pixels(24, b, 0, b->rows, 0, b->columns, to, pitch);
        break;
    default:
        transpose_pixels(32, b, 0, b->rows, 0, b->columns, to, pitch);
    }
}

GF_ALWAYS v8 reverse_vector(size_t pixel, v8 v)
{
    const v8 zero = {0};
    if (pixel == 1)
        return __builtin_shufflevector(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    if (pixel == 2)
        return (v8)__builtin_shufflevector((v16)v, (v16)v, 7, 6, 5, 4, 3, 2, 1, 0);
    if (pixel == 3) /* uses the last 15 bytes */
        return __builtin_shufflevector(v, zero, 13, 14, 15, 10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3, 16);
    if (pixel == 4)
        return (v8)__builtin_shufflevector((v32)v, (v32)v, 3, 2, 1, 0);
    if (pixel == 6) /* uses the last 12 bytes */
        return __builtin_shufflevector(v, zero, 10, 11, 12, 13, 14, 15, 4, 5, 6, 7, 8, 9, 16, 16, 16, 16);
    if (pixel == 8)
        return (v8)__builtin_shufflevector((v64)v, (v64)v, 1, 0);
    if (pixel == 12) /* uses the last pixel */
        return (v8)__builtin_shufflevector((v32)v, (v32)v, 1, 2, 3, 0);
    return v;
}

/* All ones in the lanes of the dtype that are NaN. */
GF_ALWAYS v32 nan_lanes(uint32_t dtype, v8 v)
{
    if (dtype == GF_F16)
        return (v32)(((v16)v & 0x7FFF) > 0x7C00);
    return dtype == GF_F32 ? (v32)((f32x4)v != (f32x4)v) : dtype == GF_F64 ? (v32)((f64x2)v != (f64x2)v) : (v32){0};
}

/* Reverses the pixels that remain after `first` of n. Then makes NaN canonical: everywhere if `any` is set, otherwise
 * among the remaining pixels. */
GF_ALWAYS void reverse_rest(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n,
                            size_t first, v32 any)
{
    const bool found = (any[0] | any[1] | any[2] | any[3]) != 0;
    for (size_t i = first; i < n; i++)
        memcpy(to + i * pixel, from + (n - 1 - i) * pixel, pixel);
    make_canonical(dtype, to + (found ? 0 : first * pixel), (found ? n : n - first) * pixel);
}

/* Reverses vectors of whole pixels. A vector's surplus bytes lie before its pixels in `from` and after them in `to`.
 * Only vectors without surplus may be streamed. */
GF_ALWAYS void reverse_by(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n,
                          bool stream)
{
    const size_t each = VECTOR / pixel, bytes = each * pixel;
    size_t i = 0;
    v32 any = {0};
    for (; (i + each) * pixel + (VECTOR - bytes) <= n * pixel; i += each) {
        fetch_before(from + (n - i) * pixel);
        v8 v = load(from + (n - i) * pixel - VECTOR);
        any |= nan_lanes(dtype, v);
        store_past(to + i * pixel, reverse_vector(pixel, v), stream && bytes == VECTOR);
    }
    reverse_rest(pixel, dtype, from, to, n, i, any);
}

/* Reverses four pixels of 12 bytes at a time, which are three vectors. Streaming stores would be slower. */
GF_ALWAYS void reverse_triples(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n)
{
    size_t i = 0;
    v32 any = {0};
    for (; i + 4 <= n; i += 4) {
        const unsigned char *at = from + (n - i - 4) * 12;
        fetch_before(at);
        v32 a = (v32)load(at), b = (v32)load(at + 16), c = (v32)load(at + 32);
        any |= nan_lanes(dtype, (v8)a) | nan_lanes(dtype, (v8)b) | nan_lanes(dtype, (v8)c);
        v32 ends = __builtin_shufflevector(a, c, 3, 4, 3, 4);
        store(to + i * 12, (v8)__builtin_shufflevector(c, b, 1, 2, 3, 6));
        store(to + i * 12 + 16, (v8)__builtin_shufflevector(ends, b, 7, 1, 0, 4));
        store(to + i * 12 + 32, (v8)__builtin_shufflevector(b, a, 1, 4, 5, 6));
    }
    reverse_rest(12, dtype, from, to, n, i, any);
}

GF_ALWAYS void reverse_pixel(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n,
                             bool stream)
{
    if (pixel == 12)
        reverse_triples(dtype, from, to, n);
    else
        reverse_by(pixel, dtype, from, to, n, stream);
}

/* Calls the variant of the dtype, which is constant there; a float only if pixels of this size may have it. */
GF_ALWAYS void reverse_typed(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n,
                             bool stream)
{
    if (dtype == GF_F32 && pixel % sizeof(float) == 0)
        reverse_pixel(pixel, GF_F32, from, to, n, stream);
    else if (dtype == GF_F64 && pixel % sizeof(double) == 0)
        reverse_pixel(pixel, GF_F64, from, to, n, stream);
    else if (dtype == GF_F16 && pixel % sizeof(uint16_t) == 0)
        reverse_pixel(pixel, GF_F16, from, to, n, stream);
    else
        reverse_pixel(pixel, GF_U8, from, to, n, stream);
}

GF_ALWAYS void reverse_all(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n,
                           bool stream)
{
    switch (pixel) {
    case 1:
        reverse_typed(1, dtype, from, to, n, stream);
        break;
    case 2:
        reverse_typed(2, dtype, from, to, n, stream);
        break;
    case 3:
        reverse_typed(3, dtype, from, to, n, stream);
        break;
    case 4:
        reverse_typed(4, dtype, from, to, n, stream);
        break;
    case 6:
        reverse_typed(6, dtype, from, to, n, stream);
        break;
    case 8:
        reverse_typed(8, dtype, from, to, n, stream);
        break;
    case 12:
        reverse_typed(12, dtype, from, to, n, stream);
        break;
    case 16:
        reverse_typed(16, dtype, from, to, n, stream);
        break;
    case 24:
        reverse_rest(24, dtype, from, to, n, 0, (v32){0});
        break;
    default:
        reverse_rest(32, dtype, from, to, n, 0, (v32){0});
    }
}

static void reverse(size_t pixel, uint32_t dtype, const unsigned char *from, unsigned char *to, size_t n, bool stream)
{
    if (stream && (uintptr_t)to % VECTOR == 0)
        reverse_all(pixel, dtype, from, to, n, true);
    else
        reverse_all(pixel, dtype, from, to, n, false);
}

/* Copies bytes, with streaming stores in whole cache lines. Returns whether a sample of the dtype is NaN. The search is
 * part of the copy, so that samples pass through the caches once. */
GF_ALWAYS bool copy_vectors(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes, bool stream)
{
    gf_vi any = {0};
    for (size_t i = 0; i < bytes; i += sizeof(gf_vf)) {
        gf_vf v = *(const gf_vf_byte *)(const void *)(from + i);
        if (dtype == GF_F16)
            any |= (gf_vi)(((vh)v & 0x7FFF) > 0x7C00);
        else
            any |= dtype == GF_F32 ? v != v : dtype == GF_F64 ? (gf_vi)((vd)v != (vd)v) : (gf_vi){0};
        if (stream)
            gf_vf_stream((gf_f32_any *)(void *)(to + i), v);
        else
            *(gf_vf_byte *)(void *)(to + i) = v;
    }
    int32_t found = 0;
    for (int i = 0; i < GF_LANES; i++)
        found |= any[i];
    return found != 0;
}

/* Copies whole cache lines, which begin at whole samples, and the bytes before and after them. */
GF_ALWAYS void copy_by(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes, bool stream)
{
    const size_t head = gf_line_head(to, 1, bytes), middle = (bytes - head) / LINE * LINE, end = head + middle;
    memcpy(to, from, head);
    const bool any = copy_vectors(dtype, from + head, to + head, middle, stream);
    memcpy(to + end, from + end, bytes - end);
    if (gf_dtype_kind(dtype) == GF_KIND_FLOAT) {
        make_canonical(dtype, to, any ? bytes : head);
        make_canonical(dtype, to + end, bytes - end);
    }
}

static void copy(uint32_t dtype, const unsigned char *from, unsigned char *to, size_t bytes, bool stream)
{
    const bool aligned = (uintptr_t)to % gf_dtype_size(dtype) == 0;
    if (dtype == GF_F32 && aligned)
        copy_by(GF_F32, from, to, bytes, stream);
    else if (dtype == GF_F64 && aligned)
        copy_by(GF_F64, from, to, bytes, stream);
    else if (dtype == GF_F16 && aligned)
        copy_by(GF_F16, from, to, bytes, stream);
    else if (stream && aligned)
        copy_by(GF_U8, from, to, bytes, true);
    else {
        memcpy(to, from, bytes);
        make_canonical(dtype, to, bytes);
    }
}

GF_ALWAYS void repeat_by(size_t pixel, const unsigned char *from, unsigned char *to, size_t n)
{
    const size_t bytes = n * pixel, few = n < 32 ? n : 32;
    unsigned char one[32];
    memcpy(one, from, pixel);
    for (size_t i = 0; i < few; i++)
        memcpy(to + i * pixel, one, pixel);
    for (size_t done = few * pixel; done < bytes; done *= 2)
        memcpy(to + done, to, done < bytes - done ? done : bytes - done);
}

static void repeat(size_t pixel, const unsigned char *from, unsigned char *to, size_t n)
{
    switch (pixel) {
    case 1:
        memset(to, *from, n);
        break;
    case 2:
        repeat_by(2, from, to, n);
        break;
    case 3:
        repeat_by(3, from, to, n);
        break;
    case 4:
        repeat_by(4, from, to, n);
        break;
    case 6:
        repeat_by(6, from, to, n);
        break;
    case 8:
        repeat_by(8, from, to, n);
        break;
    case 12:
        repeat_by(12, from, to, n);
        break;
    case 16:
        repeat_by(16, from, to, n);
        break;
    case 24:
        repeat_by(24, from, to, n);
        break;
    default:
        repeat_by(32, from, to, n);
    }
}

extern const struct gf_simd_geometry GF_ISA_NAME(gf_simd_geometry);
const struct gf_simd_geometry GF_ISA_NAME(gf_simd_geometry) = {
    .copy = copy, .repeat = repeat, .reverse = reverse, .transpose = transpose, .make_canonical = make_canonical};
