/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of expression kernels, docs/numerics.md, "Expressions": a thread has four adjacent places, a warp
 * 128. Included by the interpreter and by kernels that are compiled at run time; uses no header of the host.
 */
#ifndef GF_CUDA_EXPR_ROWS_CUH
#define GF_CUDA_EXPR_ROWS_CUH

#include "expr_args.h"

namespace gf
{
namespace expr
{

constexpr int quad = 4; /* adjacent places per thread */
constexpr int lanes = 32;
constexpr int span = quad * lanes; /* adjacent places per warp */

/* Half precision as bits, because cuda_fp16.h is not available at run time. */
struct half_bits {
    uint16_t bits;
};

__device__ __forceinline__ float from_half(half_bits h)
{
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h.bits));
    return v;
}

/* Converts a sample to the type that the program computes with. */
template <class M, class T> __device__ __forceinline__ M read(T s)
{
    return static_cast<M>(s);
}
template <class M> __device__ __forceinline__ M read(half_bits s)
{
    return static_cast<M>(from_half(s));
}

/* The limits of an integer type of at most 32 bits. */
template <class T> struct limits {
    static constexpr bool is_signed = static_cast<T>(-1) < 0;
    static constexpr int bits = sizeof(T) * 8;
    static constexpr int64_t min = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
    static constexpr int64_t max = is_signed ? (int64_t{1} << (bits - 1)) - 1 : (int64_t{1} << bits) - 1;
};

/* Converts v to a sample as docs/numerics.md, "Store" and "Expressions", define. */
template <class T> struct store {
    /* cvt.rni to an integer rounds ties to even and saturates; NaN becomes 0 in types of at most 32 bits. */
    static __device__ __forceinline__ T of(double v)
    {
        const int64_t r = __double2ll_rn(v);
        const int64_t inside = r < limits<T>::min ? limits<T>::min : r > limits<T>::max ? limits<T>::max : r;
        return static_cast<T>(v == v ? inside : 0);
    }
    static __device__ __forceinline__ T of(float v)
    {
        if constexpr (limits<T>::bits == 32)
            return of(static_cast<double>(v));
        const int32_t r = __float2int_rn(v);
        const int32_t min = static_cast<int32_t>(limits<T>::min), max = static_cast<int32_t>(limits<T>::max);
        return static_cast<T>(r < min ? min : r > max ? max : r);
    }
    static __device__ __forceinline__ T of(int64_t v)
    {
        return static_cast<T>(v < limits<T>::min ? limits<T>::min : v > limits<T>::max ? limits<T>::max : v);
    }
    static __device__ __forceinline__ T of(int32_t v)
    {
        if constexpr (limits<T>::bits == 32)
            return of(static_cast<int64_t>(v));
        const int32_t min = static_cast<int32_t>(limits<T>::min), max = static_cast<int32_t>(limits<T>::max);
        return static_cast<T>(v < min ? min : v > max ? max : v);
    }
    static __device__ __forceinline__ T of(uint64_t v)
    {
        constexpr uint64_t max = static_cast<uint64_t>(limits<T>::max);
        return static_cast<T>(v > max ? max : v);
    }
};

template <> struct store<int64_t> {
    static __device__ __forceinline__ int64_t of(double v)
    {
        return v == v ? __double2ll_rn(v) : 0;
    }
    static __device__ __forceinline__ int64_t of(float v)
    {
        return v == v ? __float2ll_rn(v) : 0;
    }
    static __device__ __forceinline__ int64_t of(int64_t v)
    {
        return v;
    }
    static __device__ __forceinline__ int64_t of(int32_t v)
    {
        return v;
    }
    static __device__ __forceinline__ int64_t of(uint64_t v)
    {
        constexpr uint64_t max = ~uint64_t{0} >> 1;
        return static_cast<int64_t>(v > max ? max : v);
    }
};

template <> struct store<uint64_t> {
    static __device__ __forceinline__ uint64_t of(double v)
    {
        return v == v ? __double2ull_rn(v) : 0;
    }
    static __device__ __forceinline__ uint64_t of(float v)
    {
        return v == v ? __float2ull_rn(v) : 0;
    }
    static __device__ __forceinline__ uint64_t of(int64_t v)
    {
        return v < 0 ? 0 : static_cast<uint64_t>(v);
    }
    static __device__ __forceinline__ uint64_t of(int32_t v)
    {
        return of(static_cast<int64_t>(v));
    }
    static __device__ __forceinline__ uint64_t of(uint64_t v)
    {
        return v;
    }
};

template <> struct store<float> {
    static __device__ __forceinline__ float of(float v)
    {
        return v == v ? v : __int_as_float(0x7FC00000);
    }
    template <class M> static __device__ __forceinline__ float of(M v)
    {
        return of(static_cast<float>(v));
    }
};

template <> struct store<double> {
    static __device__ __forceinline__ double of(double v)
    {
        return v == v ? v : __longlong_as_double(0x7FF8000000000000);
    }
    template <class M> static __device__ __forceinline__ double of(M v)
    {
        return of(static_cast<double>(v));
    }
};

template <> struct store<half_bits> {
    template <class M> static __device__ __forceinline__ half_bits of(M wide)
    {
        const float v = static_cast<float>(wide);
        half_bits h;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(v));
        if (v != v)
            h.bits = 0x7E00;
        return h;
    }
};

/* Four adjacent samples, as the words by which they are loaded and stored. */
template <int bytes> struct words;
template <> struct words<4> {
    using type = uint1;
};
template <> struct words<8> {
    using type = uint2;
};
template <> struct words<16> {
    using type = uint4;
};
template <class T> union four {
    using word = typename words<(sizeof(T) * quad < 16 ? sizeof(T) * quad : 16)>::type;
    static constexpr int n = sizeof(T) * quad / sizeof(word);
    word w[n];
    T v[quad];
};

/* The quad of places of a thread, all in one row. Places from gf_cuda_expr_rows.places on do not exist. */
struct spot {
    uint64_t row;   /* of this launch */
    uint64_t first; /* the first place of the warp's span, counted from the start of the row */
    uint32_t lane;  /* the quad begins at place first + lane */
};

/* The pixel of a place. A pixel has one to four places. */
__device__ __forceinline__ uint64_t pixel_of(const gf_cuda_expr_rows &r, uint64_t place)
{
    asm volatile("" : "+l"(place)); /* otherwise the compiler hoists the division out of the interpreter's loop */
    return r.samples_a_pixel == 3 ? place / 3 : place >> (r.samples_a_pixel >> 1);
}

__device__ __forceinline__ uint64_t left_of(const gf_cuda_expr_rows &r, const spot &s)
{
    const uint64_t place = s.first + s.lane;
    return place < r.places ? r.places - place : 0;
}

/* Loads four samples of an input. Places past the end of the row get a sample of the row's last place. */
template <class T>
__device__ __forceinline__ void load(const gf_cuda_expr_rows &r, const spot &s, uint32_t input, uint32_t channel,
                                     uint32_t way, T (&v)[quad])
{
    const gf_cuda_expr_input &in = r.in[input];
    const T *row = reinterpret_cast<const T *>(in.data + s.row * in.pitch);
    const uint64_t place = s.first + s.lane, left = left_of(r, s);
    if (way == GF_CUDA_EXPR_OWN && left >= quad) {
        four<T> pack;
        const auto *from = reinterpret_cast<const typename four<T>::word *>(row + place);
#pragma unroll
        for (int k = 0; k < four<T>::n; k++)
            pack.w[k] = from[k];
#pragma unroll
        for (int j = 0; j < quad; j++)
            v[j] = pack.v[j];
        return;
    }
#pragma unroll
    for (int j = 0; j < quad; j++) {
        const uint64_t own = static_cast<uint64_t>(j) < left ? place + j : r.places - 1;
        v[j] = row[way == GF_CUDA_EXPR_OWN     ? own
                   : way == GF_CUDA_EXPR_PIXEL ? pixel_of(r, own)
                                               : pixel_of(r, own) * in.channels + channel];
    }
}

/* Stores result `k` of four places. */
template <class T, class M>
__device__ __forceinline__ void save(const gf_cuda_expr_rows &r, const spot &s, uint32_t k, const M (&v)[quad])
{
    T *row = reinterpret_cast<T *>(r.dst + s.row * r.dst_pitch);
    const uint64_t place = s.first + s.lane, left = left_of(r, s);
    four<T> pack;
#pragma unroll
    for (int j = 0; j < quad; j++)
        pack.v[j] = store<T>::of(v[j]);
    if (r.n_results == 1 && left >= quad) {
        auto *to = reinterpret_cast<typename four<T>::word *>(row + place);
#pragma unroll
        for (int i = 0; i < four<T>::n; i++)
            to[i] = pack.w[i];
        return;
    }
#pragma unroll
    for (int j = 0; j < quad; j++)
        if (static_cast<uint64_t>(j) < left)
            row[(place + j) * r.n_results + k] = pack.v[j];
}

/* The values of x, y and ch at a place. */
__device__ __forceinline__ uint64_t place_x(const gf_cuda_expr_rows &r, const spot &s, uint32_t j)
{
    return pixel_of(r, s.first + s.lane + j);
}
__device__ __forceinline__ uint64_t place_y(const gf_cuda_expr_rows &r, const spot &s)
{
    return r.first_row + s.row;
}
__device__ __forceinline__ uint64_t place_channel(const gf_cuda_expr_rows &r, const spot &s, uint32_t j)
{
    const uint64_t place = s.first + s.lane + j;
    return place - pixel_of(r, place) * r.samples_a_pixel;
}

} // namespace expr
} // namespace gf

#endif
