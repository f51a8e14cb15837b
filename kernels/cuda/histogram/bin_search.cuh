/* SPDX-License-Identifier: MIT */
/*
 * How a sample finds its bin: an integer by subtraction where bins have width 1, by an estimate in f32 that one
 * comparison with an edge corrects, by halving between given edges, or as gf_bins_find does. The estimate is exact
 * while its error and that of the edge stay below half a bin together (estimate_fits). Included by count_block.cuh.
 */
#ifndef GF_CUDA_BIN_SEARCH_CUH
#define GF_CUDA_BIN_SEARCH_CUH

#include "kernels/cuda/step/samples.cuh"

namespace gf
{

template <class T>
constexpr gf_bins_kind kind_of = static_cast<T>(0.5f) != static_cast<T>(0) ? GF_BINS_FLOAT
                                 : sizeof(T) < 8                           ? GF_BINS_INT
                                 : static_cast<T>(-1) < static_cast<T>(1)  ? GF_BINS_S64
                                                                           : GF_BINS_U64;

template <class T> __device__ __forceinline__ uint64_t bits_of(T v)
{
    if constexpr (kind_of<T> == GF_BINS_FLOAT)
        return 0;
    else
        return static_cast<uint64_t>(static_cast<int64_t>(v));
}

template <class T> __device__ __forceinline__ uint32_t find(const struct gf_bins &b, T v)
{
    return gf_bins_find(&b, kind_of<T>, static_cast<double>(v), bits_of(v));
}

/* For samples that need it seldom: not worth its code in every place. */
template <gf_bins_kind Kind>
__device__ __noinline__ uint32_t find_apart(const struct gf_bins *b, double v, uint64_t bits)
{
    return gf_bins_find(b, Kind, v, bits);
}

/* Edges as samples are compared with them: f32 holds all that decides about f32 and integers of 16 bits. */
template <class T> using Edge = std::conditional_t<std::is_same_v<T, float> || (sizeof(T) <= 2), float, double>;

template <class T> __device__ __forceinline__ Edge<T> edge_of(const struct gf_bins *b, uint32_t k)
{
    const double e = gf_bins_edge(b, k);
    if constexpr (std::is_same_v<T, float>)
        return __double2float_ru(e);
    else
        return static_cast<Edge<T>>(sizeof(T) <= 2 ? ceil(e) : e);
}

template <class T> __device__ __forceinline__ bool reaches(T v, Edge<T> e)
{
    if constexpr (std::is_same_v<Edge<T>, float>)
        return e <= static_cast<float>(v);
    else
        return gf_bins_reaches(kind_of<T>, static_cast<double>(v), bits_of(v), e);
}

/* The ways to a bin, each a function from a sample to its bin or to a number that is none. */
template <class T, class Int> struct Unit {
    Int first;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        const Int k = static_cast<Int>(v) - first;
        if (sizeof(Int) == sizeof(uint32_t))
            return static_cast<uint32_t>(k); /* below 0: above all bins */
        return k < 0 || k > static_cast<Int>(INT32_MAX) ? UINT32_MAX : static_cast<uint32_t>(k);
    }
};

/* Integers of 16 bits lie so near to 0 that a first bin beyond 2^30 can as well be there. */
template <class T> __device__ __forceinline__ auto unit_of(const struct gf_bins &b)
{
    constexpr int64_t beyond = 1ll << 30;
    if constexpr (sizeof(T) <= 2)
        return Unit<T, int32_t>{static_cast<int32_t>(b.first < -beyond  ? -beyond
                                                     : b.first > beyond ? beyond
                                                                        : b.first)};
    else
        return Unit<T, int64_t>{b.first};
}

/* Edges in a table. */
template <class T> struct Stored {
    const Edge<T> *edges;
    uint32_t bins;

    __device__ __forceinline__ Edge<T> operator()(uint32_t k) const
    {
        return edges[min(k, bins)];
    }
};

/* Edges as gf_bins_edge makes them, where Estimate fits. */
template <class T> struct Made {
    double base, step;
    Edge<T> hi;
    uint32_t bins;

    __device__ __forceinline__ Edge<T> operator()(uint32_t k) const
    {
        const double number = __hiloint2double(0x43300000, static_cast<int>(k)) - 0x1p52;
        const double e = __dadd_rn(__dmul_rn(number, step), base);
        const Edge<T> edge = std::is_same_v<T, float> ? static_cast<Edge<T>>(e) : static_cast<Edge<T>>(ceil_of(e));
        return k >= bins || edge > hi ? hi : edge;
    }
    static __device__ __forceinline__ double ceil_of(double e)
    {
        return sizeof(T) <= 2 ? ceil(e) : e;
    }
};

/* 1.5 * 2^23 is added to round an estimate to the nearest edge, whose number is then in the low bits. An estimate below
 * 0, far beyond the bins, or NaN becomes a number above all edges. */
template <class T, class Edges> struct Estimate {
    float factor, shift;
    Edges edge;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        const float rounded = __fadd_rn(__fmaf_rn(static_cast<float>(v), factor, shift), 0x1.8p23f);
        const uint32_t n = __float_as_uint(rounded) - 0x4B400000u;
        return n - (reaches(v, edge(n)) ? 0 : 1); /* an n above bins stays no bin */
    }
};

template <class T, class Edges>
__device__ __forceinline__ Estimate<T, Edges> estimate_of(const struct gf_bins &b, Edges edge)
{
    return {static_cast<float>(b.inverse), static_cast<float>(-b.lo * b.inverse), edge};
}

/* Rounding of the sample, of factor, shift and estimate, and of edges, is below 2^-21 of the largest number there is,
 * in bins, and of the number of bins. */
inline __device__ bool estimate_fits(const struct gf_bins &b)
{
    const double max_magnitude = fmax(fabs(b.lo), fabs(b.hi));
    return b.list == nullptr && b.slack < 1.0 && b.step > 0x1p-100 && max_magnitude < 0x1p100 &&
           (max_magnitude / b.step + b.bins) * 0x1p-21 < 0.25;
}

/* Between given edges, by halving. */
template <class T> struct Search {
    uint32_t bins;
    const Edge<T> *edges;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        uint32_t k = 0;
        for (uint32_t n = bins; n > 1; n -= n / 2)
            k += reaches(v, edges[k + n / 2]) ? n / 2 : 0;
        return reaches(v, edges[0]) && !reaches(v, edges[bins]) ? k : UINT32_MAX;
    }
};

} // namespace gf

#endif
