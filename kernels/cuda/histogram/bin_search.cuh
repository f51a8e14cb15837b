/* SPDX-License-Identifier: MIT */
/*
 * Finds the bin of a sample: by subtraction for integers in bins of width 1; by an f32 estimate that one comparison
 * with an edge corrects; by binary search between given edges; otherwise by gf_bins_find. The estimate is exact as long
 * as its error and the error of the edge are together below half a bin (estimate_fits). Included by count_block.cuh.
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

/* Not inlined: few samples need it, and its code is long. */
template <gf_bins_kind Kind>
__device__ __noinline__ uint32_t find_apart(const struct gf_bins *b, double v, uint64_t bits)
{
    return gf_bins_find(b, Kind, v, bits);
}

/* The type in which samples are compared with edges. f32 suffices for f32 samples and for integers of 16 bits. */
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

/* The ways to find a bin: functors from a sample to its bin, or to a number that is no bin. */
template <class T, class Int> struct Unit {
    Int first;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        const Int k = static_cast<Int>(v) - first;
        if (sizeof(Int) == sizeof(uint32_t))
            return static_cast<uint32_t>(k); /* a negative k becomes a number above all bins */
        return k < 0 || k > static_cast<Int>(INT32_MAX) ? UINT32_MAX : static_cast<uint32_t>(k);
    }
};

/* A first bin beyond +-2^30 is clamped: no sample of 16 bits reaches it, and the subtraction cannot overflow. */
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

/* Reads edges from a table. */
template <class T> struct Stored {
    const Edge<T> *edges;
    uint32_t bins;

    __device__ __forceinline__ Edge<T> operator()(uint32_t k) const
    {
        return edges[min(k, bins)];
    }
};

/* Computes edges as gf_bins_edge does, where Estimate fits. */
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

/* Adding 1.5 * 2^23 rounds an estimate to the nearest edge and leaves the edge's number in the low bits. A negative
 * estimate, one far beyond the bins, and NaN become a number above all edges. */
template <class T, class Edges> struct Estimate {
    float factor, shift;
    Edges edge;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        const float rounded = __fadd_rn(__fmaf_rn(static_cast<float>(v), factor, shift), 0x1.8p23f);
        const uint32_t n = __float_as_uint(rounded) - 0x4B400000u;
        return n - (reaches(v, edge(n)) ? 0 : 1); /* an n above all bins stays above them */
    }
};

template <class T, class Edges>
__device__ __forceinline__ Estimate<T, Edges> estimate_of(const struct gf_bins &b, Edges edge)
{
    return {static_cast<float>(b.inverse), static_cast<float>(-b.lo * b.inverse), edge};
}

/* The rounding errors of the sample, factor, shift, estimate and edges are together below 2^-21 times the sum of the
 * greatest magnitude, in bins, and the number of bins. */
inline __device__ bool estimate_fits(const struct gf_bins &b)
{
    const double max_magnitude = fmax(fabs(b.lo), fabs(b.hi));
    return b.list == nullptr && b.slack < 1.0 && b.step > 0x1p-100 && max_magnitude < 0x1p100 &&
           (max_magnitude / b.step + b.bins) * 0x1p-21 < 0.25;
}

/* Binary search between given edges. */
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
