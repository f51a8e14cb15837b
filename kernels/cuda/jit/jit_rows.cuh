/* SPDX-License-Identifier: MIT */
/*
 * What sources of kernels made at run time consist of besides the expression: words for the machine's types, runs of
 * samples from and to memory. Included by those sources alone, source.c, after what it needs; no compiler of the build
 * reads it.
 *
 * A thread has `n` places side by side, n = 16 / bytes of the largest sample, a warp 32 such runs one after the other.
 * Where places are pixels a run has all their channels.
 */
#ifndef GF_JIT_ROWS_CUH
#define GF_JIT_ROWS_CUH

namespace gf
{
namespace jit
{

using namespace gf::expr;

/* The constants of a program: its kernel is that of all programs that differ in them alone. */
template <int n> struct constants {
    unsigned long long words[n];
};

/* A constant as the type it is of. */
template <class T> struct constant;
template <> struct constant<int32_t> {
    static __device__ __forceinline__ int32_t of(unsigned long long word)
    {
        return static_cast<int32_t>(static_cast<uint32_t>(word));
    }
};
template <> struct constant<int64_t> {
    static __device__ __forceinline__ int64_t of(unsigned long long word)
    {
        return static_cast<int64_t>(word);
    }
};
template <> struct constant<uint64_t> {
    static __device__ __forceinline__ uint64_t of(unsigned long long word)
    {
        return word;
    }
};
template <> struct constant<float> {
    static __device__ __forceinline__ float of(unsigned long long word)
    {
        return __uint_as_float(static_cast<uint32_t>(word));
    }
};
template <> struct constant<double> {
    static __device__ __forceinline__ double of(unsigned long long word)
    {
        return __longlong_as_double(static_cast<int64_t>(word));
    }
};

/*
 * A minimum or maximum of 32 bits that is an operand of another one, as a value of which the compiler knows nothing.
 * The assembler of CUDA 13.0 makes one instruction of the two for sm_90 and later and forgets the sign of an operand of
 * the first: min(min(x, -y), z) would be min(min(x, y), z), whether the sign was written or follows from the text, as
 * of (a - y) - a. Nothing writes `nothing`, but a host may, so that neither compiler counts on it.
 */
extern "C" __constant__ uint32_t nothing = 0;

__device__ __forceinline__ int32_t apart(int32_t v)
{
    return static_cast<int32_t>(static_cast<uint32_t>(v) ^ nothing);
}

/* And back: the low bytes, 0 above. */
__device__ __forceinline__ uint64_t word_of(int32_t v)
{
    return static_cast<uint32_t>(v);
}
__device__ __forceinline__ uint64_t word_of(int64_t v)
{
    return static_cast<uint64_t>(v);
}
__device__ __forceinline__ uint64_t word_of(uint64_t v)
{
    return v;
}
__device__ __forceinline__ uint64_t word_of(float v)
{
    return __float_as_uint(v);
}
__device__ __forceinline__ uint64_t word_of(double v)
{
    return static_cast<uint64_t>(__double_as_longlong(v));
}

/* n samples as words that are moved at once; data are aligned to the words. */
template <class T, int n> union run {
    static constexpr int bytes = sizeof(T) * n;
    using word = typename words<(bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4)>::type;
    static constexpr int n_words = bytes / static_cast<int>(sizeof(word));
    word w[n_words];
    T v[n];
};

template <class T> __device__ __forceinline__ const T *row_of(const gf_cuda_expr_input &in, uint64_t row)
{
    return reinterpret_cast<const T *>(in.data + row * in.pitch);
}

/* The samples of n places, `each` of a place, all inside the row. */
template <int n, int each, class T>
__device__ __forceinline__ void load_run(const gf_cuda_expr_rows &r, const spot &s, uint32_t input, T (&v)[n * each])
{
    using run_type = run<T, n * each>;
    run_type pack;
    const auto *from =
        reinterpret_cast<const typename run_type::word *>(row_of<T>(r.in[input], s.row) + (s.first + s.lane) * each);
#pragma unroll
    for (int i = 0; i < run_type::n_words; i++)
        pack.w[i] = from[i];
#pragma unroll
    for (int i = 0; i < n * each; i++)
        v[i] = pack.v[i];
}

/* Likewise at the row's end: places behind it get the samples of its last one. */
template <int n, int each, class T>
__device__ __forceinline__ void load_end(const gf_cuda_expr_rows &r, const spot &s, uint32_t input, T (&v)[n * each])
{
    const T *row = row_of<T>(r.in[input], s.row);
#pragma unroll
    for (int j = 0; j < n; j++) {
        const uint64_t place = s.first + s.lane + j, last = r.places - 1;
#pragma unroll
        for (int i = 0; i < each; i++)
            v[j * each + i] = row[(place < last ? place : last) * each + i];
    }
}

/* Where a place is, of which there are `of_pixel` to a pixel. */
struct spot_in_pixel {
    uint64_t x;
    uint32_t channel;
};
template <int of_pixel> __device__ __forceinline__ spot_in_pixel place_at(const spot &s, uint32_t j)
{
    constexpr uint32_t n = of_pixel;
    if constexpr (n == 3) { /* a division of 64 bits for all places of a thread */
        const uint64_t whole = s.first / n;
        const uint32_t rest = static_cast<uint32_t>(s.first - whole * n) + s.lane + j;
        return {whole + rest / n, rest % n};
    } else {
        const uint64_t place = s.first + s.lane + j;
        return {place / n, static_cast<uint32_t>(place % n)};
    }
}

/* The samples of n places of an input of one channel, each of which stands for all places of its pixel. */
template <int n, int of_pixel, class T>
__device__ __forceinline__ void load_pixels(const gf_cuda_expr_rows &r, const spot &s, uint32_t input, T (&v)[n])
{
    const T *row = row_of<T>(r.in[input], s.row);
    const uint64_t last = (r.places - 1) / of_pixel;
#pragma unroll
    for (int j = 0; j < n; j++) {
        const uint64_t x = place_at<of_pixel>(s, j).x;
        v[j] = row[x < last ? x : last];
    }
}

/* Stores n places, all inside the row. */
template <int n, int each, class T>
__device__ __forceinline__ void save_run(const gf_cuda_expr_rows &r, const spot &s, const T (&v)[n * each])
{
    using run_type = run<T, n * each>;
    run_type pack;
#pragma unroll
    for (int i = 0; i < n * each; i++)
        pack.v[i] = v[i];
    auto *to = reinterpret_cast<typename run_type::word *>(reinterpret_cast<T *>(r.dst + s.row * r.dst_pitch) +
                                                           (s.first + s.lane) * each);
#pragma unroll
    for (int i = 0; i < run_type::n_words; i++)
        to[i] = pack.w[i];
}

/* Likewise at the row's end. */
template <int n, int each, class T>
__device__ __forceinline__ void save_end(const gf_cuda_expr_rows &r, const spot &s, const T (&v)[n * each])
{
    T *row = reinterpret_cast<T *>(r.dst + s.row * r.dst_pitch);
#pragma unroll
    for (int j = 0; j < n; j++) {
        const uint64_t place = s.first + s.lane + j;
#pragma unroll
        for (int i = 0; i < each; i++)
            if (place < r.places)
                row[place * each + i] = v[j * each + i];
    }
}

} // namespace jit
} // namespace gf

#endif
