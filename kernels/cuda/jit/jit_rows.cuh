/* SPDX-License-Identifier: MIT */
/*
 * The fixed part of the sources of kernels compiled at run time: conversions of words to machine types, and loads and
 * stores of runs of samples. Included by these sources alone (source.c), after the headers that it needs; no compiler
 * of the build reads it.
 *
 * A thread has `n` adjacent places, n = 16 / bytes of the largest sample; a warp has 32 consecutive such runs. If
 * places are pixels, a run has all their channels.
 */
#ifndef GF_JIT_ROWS_CUH
#define GF_JIT_ROWS_CUH

namespace gf
{
namespace jit
{

using namespace gf::expr;

/* The constants of a program, as an argument, so that programs that differ only in constants share a kernel. */
template <int n> struct constants {
    unsigned long long words[n];
};

/* Converts a word to a constant of type T. */
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
 * Hides from the compiler where an operand of a 32-bit minimum or maximum comes from, if the operand is itself a
 * minimum or maximum. For sm_90 and later the assembler of CUDA 13.0 fuses the two into one instruction and loses the
 * sign of an operand of the first: min(min(x, -y), z) would become min(min(x, y), z), whether the sign is written or
 * follows from the text, as in (a - y) - a. `nothing` is never written, but the host could write it, so no compiler
 * assumes its value.
 */
extern "C" __constant__ uint32_t nothing = 0;

__device__ __forceinline__ int32_t apart(int32_t v)
{
    return static_cast<int32_t>(static_cast<uint32_t>(v) ^ nothing);
}

/* Converts a value to a word: the value in the low bytes, 0 above. */
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

/* n samples, as the words by which they are moved. The address must be aligned to a word. */
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

/* Loads the samples of n places, `each` per place, all inside the row. */
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

/* The same at the end of a row: places past it get the samples of the row's last place. */
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

/* The position of a place, with `of_pixel` places per pixel. */
struct spot_in_pixel {
    uint64_t x;
    uint32_t channel;
};
template <int of_pixel> __device__ __forceinline__ spot_in_pixel place_at(const spot &s, uint32_t j)
{
    constexpr uint32_t n = of_pixel;
    if constexpr (n == 3) { /* one 64-bit division for all places of a thread */
        const uint64_t whole = s.first / n;
        const uint32_t rest = static_cast<uint32_t>(s.first - whole * n) + s.lane + j;
        return {whole + rest / n, rest % n};
    } else {
        const uint64_t place = s.first + s.lane + j;
        return {place / n, static_cast<uint32_t>(place % n)};
    }
}

/* Loads the samples of n places from an input of one channel, whose sample serves all places of its pixel. */
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

/* The same at the end of a row: skips places past it. */
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
