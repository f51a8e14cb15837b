/* SPDX-License-Identifier: MIT */
/* Sorting networks over sorted columns of words, for the medians of adjacent windows. Used by rank_median5.cu. */
#ifndef GF_CUDA_RANK_SORTED_CUH
#define GF_CUDA_RANK_SORTED_CUH

#include "rank_pairs.cuh"

namespace gf
{

/* Sorts two words by a minimum and a sum. */
template <class T>
__device__ __forceinline__ void exchange(uint32_t a, uint32_t b, uint32_t one, uint32_t &low, uint32_t &high)
{
    const uint32_t sum = multiply_add(a, one, b);
    low = least<T>(a, b);
    high = multiply_add(low, 0u - one, sum);
}

template <class T> __device__ __forceinline__ void order2(uint32_t &a, uint32_t &b, uint32_t one)
{
    uint32_t low;
    exchange<T>(a, b, one, low, b);
    a = low;
}

template <class T> __device__ __forceinline__ void order3(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t one)
{
    order2<T>(a, b, one);
    order2<T>(b, c, one);
    order2<T>(a, b, one);
}

template <class T> __device__ __forceinline__ void order4(uint32_t (&v)[4], uint32_t one)
{
    order2<T>(v[0], v[1], one);
    order2<T>(v[2], v[3], one);
    order2<T>(v[0], v[2], one);
    order2<T>(v[1], v[3], one);
    order2<T>(v[1], v[2], one);
}

/* Inserts a word into four sorted words. */
template <class T> __device__ __forceinline__ void insert(const uint32_t (&v)[4], uint32_t x, uint32_t (&to)[5])
{
    to[0] = least<T>(v[0], x);
#pragma unroll
    for (int i = 1; i < 4; i++)
        to[i] = greatest<T>(v[i - 1], least<T>(v[i], x));
    to[4] = greatest<T>(v[3], x);
}

/* Merges two sorted columns: first the elements at even places and at odd places separately, then neighbours (odd-even
 * merge). */
template <class T, int n>
__device__ __forceinline__ void merge(const uint32_t (&a)[n], const uint32_t (&b)[n], uint32_t one,
                                      uint32_t (&to)[2 * n])
{
    if constexpr (n == 1) {
        exchange<T>(a[0], b[0], one, to[0], to[1]);
    } else {
        constexpr int even = (n + 1) / 2, odd = n / 2;
        uint32_t a0[even], b0[even], a1[odd], b1[odd], c[2 * even], d[2 * odd];
#pragma unroll
        for (int i = 0; i < n; i++) {
            (i % 2 == 0 ? a0[i / 2] : a1[i / 2]) = a[i];
            (i % 2 == 0 ? b0[i / 2] : b1[i / 2]) = b[i];
        }
        merge<T>(a0, b0, one, c);
        merge<T>(a1, b1, one, d);
        to[0] = c[0];
#pragma unroll
        for (int i = 1; i < 2 * n - 1; i += 2)
            exchange<T>(d[i / 2], c[i / 2 + 1], one, to[i], to[i + 1]);
        to[2 * n - 1] = n % 2 == 0 ? d[2 * odd - 1] : c[2 * even - 1];
    }
}

/*
 * Returns elements 7 to 12, sorted, of 20 elements that come as two sorted columns of ten. The smaller of each a[i] and
 * b[9 - i] are the ten smallest of all. They rise, then fall, so their three greatest are adjacent, and there is one of
 * the three among places 0, 3, 6, 9, one among 1, 4, 7 and one among 2, 5, 8. The larger ones fall, then rise.
 */
template <class T>
__device__ __forceinline__ void middle6(const uint32_t (&a)[10], const uint32_t (&b)[10], uint32_t one,
                                        uint32_t (&to)[6])
{
    uint32_t low[10], high[10];
#pragma unroll
    for (int i = 0; i < 10; i++)
        exchange<T>(a[i], b[9 - i], one, low[i], high[i]);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        to[i] = greatest<T>(greatest<T>(low[i], low[i + 3]), low[i + 6]);
        to[i + 3] = least<T>(least<T>(high[i], high[i + 3]), high[i + 6]);
    }
    to[0] = greatest<T>(to[0], low[9]);
    to[3] = least<T>(to[3], high[9]);
    order3<T>(to[0], to[1], to[2], one);
    order3<T>(to[3], to[4], to[5], one);
}

/* Returns element 12 of 25: of 20 elements, and of a sorted column of 5. Only elements 7 to 12 of the 20 are given: the
 * remaining ones have at least 12 elements above or below them in any case. So the median is element 5 of these 11: the
 * minimum, over all ways to take 6 elements from the fronts of both, of the greatest element taken. */
template <class T> __device__ __forceinline__ uint32_t median25(const uint32_t (&six)[6], const uint32_t (&column)[5])
{
    uint32_t found = six[5];
#pragma unroll
    for (int i = 0; i < 5; i++)
        found = least<T>(found, greatest<T>(six[4 - i], column[i]));
    return found;
}

} // namespace gf

#endif
