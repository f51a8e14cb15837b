/* SPDX-License-Identifier: MIT */
/*
 * Words of samples as rectangle.cu, small_rectangle.cu and runs.cu compare them: 4 samples of u8, 2 of 16 bits, 1 of
 * f32. Samples of 8 or 16 bits become keys, unsigned integers in the order of docs/numerics.md, "Morphology", inverted
 * for erode, so that the extremum is always the maximum. f32 samples are compared as they are. So there is one kernel
 * for 8 bits, one for 16 bits, and two for f32.
 */
#ifndef GF_CUDA_MORPHOLOGY_WORDS_CUH
#define GF_CUDA_MORPHOLOGY_WORDS_CUH

#include <cstdint>
#include <cuda_fp16.h>

#include "kernels/cuda/device/border.cuh"
#include "kernels/cuda/device/extremes.cuh"
#include "kernels/cuda/morphology/morphology.h"
#include "protocol/base/dtype.h"

namespace gf
{

/* Two f16 to keys: inverts negative values, makes every NaN 0x7E00, then makes the order unsigned. */
__device__ __forceinline__ uint32_t half_keys(uint32_t w)
{
    const uint32_t negative = __vcmpgtu2(w, 0x7FFF7FFFu), nan = __vcmpgtu2(w & 0x7FFF7FFFu, 0x7C007C00u);
    const uint32_t key = w ^ (negative & 0x7FFF7FFFu);
    return ((key & ~nan) | (0x7E007E00u & nan)) ^ 0x80008000u;
}

__device__ __forceinline__ uint32_t half_samples(uint32_t key)
{
    const uint32_t w = key ^ 0x80008000u;
    return w ^ (__vcmpgtu2(w, 0x7FFF7FFFu) & 0x7FFF7FFFu);
}

/* The maximum of two f32 for dilate, the minimum for erode, in the order of docs/numerics.md, "Morphology". The bits of
 * a NaN do not matter: to_samples() makes it 0x7FC00000. */
template <bool dilate> __device__ __forceinline__ uint32_t float_extremum(uint32_t a, uint32_t b)
{
    const float x = __uint_as_float(a), y = __uint_as_float(b);
    return __float_as_uint(dilate ? greatest_float(x, y) : least_float(x, y));
}

template <int n> __device__ __forceinline__ uint32_t canonical(uint32_t dtype, uint32_t w)
{
    if constexpr (n == 1)
        return __uint_as_float(w) != __uint_as_float(w) ? 0x7FC00000u : w;
    if (n != 2 || dtype != GF_F16)
        return w;
    const uint32_t nan = __vcmpgtu2(w & 0x7FFF7FFFu, 0x7C007C00u);
    return (w & ~nan) | (0x7E007E00u & nan);
}

/* Convert a word to keys and back. n is the number of samples per word; m.dtype tells types of that size apart. */
template <int n> __device__ __forceinline__ uint32_t to_keys(const struct gf_cuda_morphology &m, uint32_t w)
{
    if constexpr (n == 1)
        return w;
    const uint32_t key = n == 2 && m.dtype == GF_F16 ? half_keys(w) : n == 2 && m.dtype == GF_I16 ? w ^ 0x80008000u : w;
    return m.dilate ? key : ~key;
}

template <int n> __device__ __forceinline__ uint32_t to_samples(const struct gf_cuda_morphology &m, uint32_t key)
{
    if constexpr (n == 1)
        return canonical<1>(m.dtype, key);
    const uint32_t w = m.dilate ? key : ~key;
    return n == 2 && m.dtype == GF_F16 ? half_samples(w) : n == 2 && m.dtype == GF_I16 ? w ^ 0x80008000u : w;
}

/* The running maximum of words of n keys each; for f32 the maximum of samples, or the minimum unless `dilate`. */
template <int n, bool dilate = true> struct Extremum {
    uint32_t v;
    __device__ __forceinline__ void set(uint32_t w)
    {
        v = w;
    }
    __device__ __forceinline__ void add(uint32_t w)
    {
        if constexpr (n == 2)
            v = __vmaxu2(v, w);
        else
            v = float_extremum<dilate>(v, w);
    }
    __device__ __forceinline__ void add(const Extremum &other)
    {
        add(other.v);
    }
    __device__ __forceinline__ uint32_t get() const
    {
        return v;
    }
};

/* Bytes are compared in the upper halves of 16-bit lanes, where the lower half cannot decide between different bytes:
 * odd bytes are there already, even bytes after a shift. */
template <> struct Extremum<4> {
    uint32_t odd, even;
    __device__ __forceinline__ void set(uint32_t w)
    {
        odd = w;
        even = w << 8;
    }
    __device__ __forceinline__ void add(uint32_t w)
    {
        odd = __vmaxu2(odd, w);
        even = __vmaxu2(even, w << 8);
    }
    __device__ __forceinline__ void add(const Extremum &other)
    {
        odd = __vmaxu2(odd, other.odd);
        even = __vmaxu2(even, other.even);
    }
    __device__ __forceinline__ uint32_t get() const
    {
        return __byte_perm(even, odd, 0x7351);
    }
};

/* Transposes n words of n samples: word k becomes sample k of each word. */
template <int n> __device__ __forceinline__ void transpose(uint32_t (&w)[n])
{
    if constexpr (n == 2) {
        const uint32_t a = w[0], b = w[1];
        w[0] = __byte_perm(a, b, 0x5410);
        w[1] = __byte_perm(a, b, 0x7632);
    } else if constexpr (n == 4) {
        const uint32_t a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[2], w[3], 0x5140);
        const uint32_t c = __byte_perm(w[0], w[1], 0x7362), d = __byte_perm(w[2], w[3], 0x7362);
        w[0] = __byte_perm(a, b, 0x5410);
        w[1] = __byte_perm(a, b, 0x7632);
        w[2] = __byte_perm(c, d, 0x5410);
        w[3] = __byte_perm(c, d, 0x7632);
    }
}

/* Loads the n samples from sample `at` of row y on, a multiple of n, as keys. Row and samples may be outside the
 * picture. A word that crosses the end of a row is assembled sample by sample, as are words beyond the end; rows have
 * room to read the last word whole. */
template <int n> __device__ __forceinline__ uint32_t fetch(const struct gf_cuda_morphology &m, int32_t y, int32_t at)
{
    constexpr uint32_t bits = 32 / n;
    const int32_t channels = static_cast<int32_t>(m.channels), samples = m.picture_width * channels;
    const int32_t line = border_index(m.border, y, m.picture_height);
    const char *row = m.src.data + static_cast<size_t>(line < 0 ? 0 : line) * m.src.pitch;
    if (line >= 0 && at >= 0 && at + n <= samples)
        return to_keys<n>(m, __ldg(reinterpret_cast<const uint32_t *>(row) + at / n));
    uint32_t w = 0;
#pragma unroll
    for (int k = 0; k < n; k++) {
        const int32_t i = at + k, pixel = i >= 0 ? i / channels : -((channels - 1 - i) / channels);
        const int32_t c = i - pixel * channels, from = line < 0 ? -1 : border_index(m.border, pixel, m.picture_width);
        const int32_t sample = from * channels + c;
        uint32_t v = m.outside[c];
        if (from >= 0)
            v = __ldg(reinterpret_cast<const uint32_t *>(row) + sample / n) >> (sample % n * bits);
        w |= (n == 1 ? v : v & ((1u << (bits & 31)) - 1)) << (k * bits & 31);
    }
    return to_keys<n>(m, w);
}

__device__ __forceinline__ uint32_t half_difference(uint32_t a, uint32_t b)
{
    const float x = __half2float(__ushort_as_half(static_cast<unsigned short>(a)));
    const float y = __half2float(__ushort_as_half(static_cast<unsigned short>(b)));
    const float d = __fsub_rn(x, y);
    return d != d ? 0x7E00u : __half_as_ushort(__float2half_rn(d));
}

/* a - b, converted as docs/numerics.md, "Store", defines. */
template <int n> __device__ __forceinline__ uint32_t difference(uint32_t dtype, uint32_t a, uint32_t b)
{
    if constexpr (n == 4)
        return __vsubus4(a, b);
    if constexpr (n == 1)
        return canonical<1>(dtype, __float_as_uint(__fsub_rn(__uint_as_float(a), __uint_as_float(b))));
    if (dtype == GF_U16)
        return __vsubus2(a, b);
    if (dtype == GF_I16)
        return __vsubss2(a, b);
    return half_difference(a & 0xFFFFu, b & 0xFFFFu) | half_difference(a >> 16, b >> 16) << 16;
}

/* Applies `last` to a result and the word of the other picture. */
template <int n>
__device__ __forceinline__ uint32_t ended(const struct gf_cuda_morphology &m, uint32_t w, uint32_t other)
{
    return m.last == GF_END_LESS_SOURCE ? difference<n>(m.dtype, w, other) : difference<n>(m.dtype, other, w);
}

/* Replaces `bits` of a result by the bits of the word that alpha is copied from. */
template <int n>
__device__ __forceinline__ uint32_t with_alpha(const struct gf_cuda_morphology &m, uint32_t w, uint32_t alpha,
                                               uint32_t bits)
{
    return (w & ~bits) | (canonical<n>(m.dtype, alpha) & bits);
}

/* The bits of alpha in the word at sample `at`, a multiple of n, for 2 or 4 channels. */
template <int n> __device__ __forceinline__ uint32_t alpha_bits(uint32_t channels, int32_t at)
{
    if constexpr (n == 4)
        return channels == 2 ? 0xFF00FF00u : 0xFF000000u;
    else if constexpr (n == 2)
        return channels == 2 || (at & 2) != 0 ? 0xFFFF0000u : 0;
    else
        return (static_cast<uint32_t>(at) & (channels - 1)) == channels - 1 ? 0xFFFFFFFFu : 0;
}

__device__ __forceinline__ uint32_t word_of(const struct gf_cuda_plane &plane, int32_t y, int32_t word)
{
    return __ldg(reinterpret_cast<const uint32_t *>(plane.data + static_cast<size_t>(y) * plane.pitch) + word);
}

/* Converts the keys of the word at sample `at`, which is inside the picture, and stores it. */
template <int n>
__device__ __forceinline__ void finish(const struct gf_cuda_morphology &m, int32_t y, int32_t at, uint32_t key)
{
    const int32_t left = (m.picture_width * static_cast<int32_t>(m.channels) - at) * (4 / n);
    uint32_t w = to_samples<n>(m, key);
    if (m.last != GF_END_RESULT)
        w = ended<n>(m, w, word_of(m.other, y, at / n));
    if (m.copy_alpha) {
        const uint32_t bits = alpha_bits<n>(m.channels, at);
        if (bits != 0)
            w = with_alpha<n>(m, w, word_of(m.alpha, y, at / n), bits);
    }
    char *to = m.dst + static_cast<size_t>(y) * m.dst_pitch + static_cast<size_t>(at) * (4 / n);
    if (left >= 4 || m.whole_words) {
        *reinterpret_cast<uint32_t *>(to) = w;
        return;
    }
    for (int32_t k = 0; k < left; k++)
        to[k] = static_cast<char>(w >> 8 * k);
}

/* The kind of kernel that a pass needs: samples per word, and for f32 whether it dilates. */
template <int n_, bool dilate_ = true> struct pass_kind {
    static constexpr int n = n_;
    static constexpr bool dilate = dilate_;
};

/* Calls f with the kind of a pass and returns its result. */
template <class F> auto with_kind(const struct gf_cuda_morphology &m, F &&f)
{
    if (m.dtype == GF_F32)
        return m.dilate ? f(pass_kind<1>()) : f(pass_kind<1, false>());
    return m.dtype == GF_U8 ? f(pass_kind<4>()) : f(pass_kind<2>());
}

} // namespace gf

#endif
