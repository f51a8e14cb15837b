/* SPDX-License-Identifier: MIT */
/*
 * From partials to results (docs/numerics.md, "reduce"): joining partials across threads, storing results, and
 * launching the kernels after the pass over the data so that they begin while it ends. Included by the kernels of
 * reductions.
 */
#ifndef GF_CUDA_REDUCTION_TAIL_CUH
#define GF_CUDA_REDUCTION_TAIL_CUH

#include <type_traits>

#include "kernels/cuda/device/sync.cuh"
#include "reduce_args.h"

namespace gf_reduction_kernels
{

constexpr int warp = 32;

/* Calls f with the wanted one of the sets, as a constant. Returns false where no set matches. In a kernel, `want` is an
 * argument, so all threads branch once, uniformly. */
#pragma nv_exec_check_disable
template <unsigned... sets, class F> __host__ __device__ __forceinline__ bool with_set(unsigned want, F &&f)
{
    return ((want == sets && (f(std::integral_constant<unsigned, sets>{}), true)) || ...);
}

/* The value of the constant that with_set() passes to f. */
template <class S> constexpr unsigned set_of = std::decay_t<S>::value;

/* The quantities that must be joined in a fixed order. */
constexpr unsigned of_trees =
    GF_WANT_TREE_SUM | GF_WANT_TREE_PRODUCT | GF_WANT_TREE_ABS | GF_WANT_TREE_SQUARES | GF_WANT_SPREAD | GF_WANT_DOT;
template <unsigned want> constexpr bool is_exact = (want & of_trees) == 0;

/* Launches a kernel that begins with gf_wait_for_previous(). Where its code can wait, it may begin while the previous
 * kernel still runs. */
template <class... P>
cudaError_t follow(void (*kernel)(P...), unsigned blocks, unsigned block_threads, size_t shared, cudaStream_t stream,
                   const P &...args)
{
    static const bool can_wait = [kernel] { /* a process has one device */
                                            cudaFuncAttributes a;
                                            return cudaFuncGetAttributes(&a, kernel) == cudaSuccess &&
                                                   a.ptxVersion >= 90;
    }();
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(block_threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = can_wait ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

template <unsigned set> __device__ __forceinline__ struct gf_partial shift_down(const struct gf_partial &p, int d)
{
    uint64_t w[gf_partial_words(set) + 1];
    gf_partial_store(set, w, 1, 0, &p);
#pragma unroll
    for (uint32_t i = 0; i < gf_partial_words(set); i++)
        w[i] = gf_shuffle_down(static_cast<unsigned long long>(w[i]), d);
    return gf_partial_load(set, w, 1, 0);
}

template <unsigned set> __device__ __forceinline__ void join_at(bool real, struct gf_partial *p, int d)
{
    const struct gf_partial o = shift_down<set>(*p, d);
    gf_partial_join(set, real, p, &o);
}

/* Joins the partials of the first n threads of a warp, n a power of 2: v[i] = v[i] o v[i + n / 2] and so on. For long
 * partials the rounds loop over the same code, because fetching instructions would otherwise dominate. */
template <unsigned set, int n = warp> __device__ __forceinline__ void join_warp(bool real, struct gf_partial *p)
{
    if constexpr (gf_partial_words(set) > 2) {
#pragma unroll 1
        for (int d = n / 2; d > 0; d /= 2)
            join_at<set>(real, p, d);
    } else if constexpr (set != 0) {
#pragma unroll
        for (int d = n / 2; d > 0; d /= 2)
            join_at<set>(real, p, d);
    }
}

/* The quantities that a stored partial always has; the remaining quantities only where s.kept says so. */
template <unsigned want>
constexpr unsigned sure_of = (want & (GF_WANT_EXTREMES | GF_WANT_NONZERO)) != 0 ? want : want & ~GF_WANT_NAN;

/* Stores partial `place` of `total`. */
template <unsigned want>
__device__ __forceinline__ void keep(const struct gf_cuda_sequences &s, uint64_t total, uint64_t place,
                                     const struct gf_partial &p)
{
    if (sure_of<want> == want || s.kept == want)
        gf_partial_store(want, s.partials, total, place, &p);
    else
        gf_partial_store(sure_of<want>, s.partials, total, place, &p);
}

/* Stores the results of a sequence, for any op. Called by one thread. */
static __device__ __noinline__ void emit_any(const struct gf_reduction &r, const struct gf_reduce_target &target,
                                             uint64_t sequence, const struct gf_partial &partial, uint64_t *fault)
{
    if (!gf_reduce_emit(&r, &target, sequence, &partial))
        gf_atomic_min(reinterpret_cast<unsigned long long *>(fault), static_cast<unsigned long long>(sequence));
}

/* Stores the only result of a sequence. */
__device__ __forceinline__ void put(const struct gf_reduce_target &t, uint64_t sequence, uint64_t bits)
{
    const uint64_t y = t.row == 1 ? sequence : sequence / t.row, x = sequence - y * t.row;
    char *to = t.data[0] + y * t.pitch[0] + x * t.size[0];
    if (t.size[0] == sizeof(uint64_t))
        *reinterpret_cast<uint64_t *>(to) = bits;
    else if (t.size[0] == sizeof(uint32_t))
        *reinterpret_cast<uint32_t *>(to) = static_cast<uint32_t>(bits);
    else if (t.size[0] == sizeof(uint16_t))
        *reinterpret_cast<uint16_t *>(to) = static_cast<uint16_t>(bits);
    else
        *to = static_cast<char>(bits);
}

template <uint32_t op>
__device__ __forceinline__ bool finish_as(const struct gf_reduction &r, const struct gf_partial &partial,
                                          struct gf_reduced *ret)
{
    if (r.op != op)
        return false;
    struct gf_reduction one = r;
    one.op = op;
    *ret = gf_reduce_finish(&one, &partial);
    return true;
}

template <uint32_t... ops>
__device__ __forceinline__ struct gf_reduced finish_one_of(const struct gf_reduction &r,
                                                           const struct gf_partial &partial)
{
    struct gf_reduced result = {0, false};
    (void)(finish_as<ops>(r, partial, &result) || ...);
    return result;
}

/* Finishes only the ops that use a set of quantities: short code starts sooner. */
template <unsigned want>
__device__ __forceinline__ struct gf_reduced finish(const struct gf_reduction &r, const struct gf_partial &partial)
{
    constexpr unsigned set = want & ~GF_WANT_NAN;
    if constexpr (set == GF_WANT_EXTREMES)
        return finish_one_of<GF_REDUCTION_MIN, GF_REDUCTION_MAX, GF_REDUCTION_ARGMIN, GF_REDUCTION_ARGMAX,
                             GF_REDUCTION_LINF>(r, partial);
    else if constexpr (set == GF_WANT_NONZERO)
        return finish_one_of<GF_REDUCTION_COUNT, GF_REDUCTION_ANY, GF_REDUCTION_ALL>(r, partial);
    else if constexpr (set == GF_WANT_SUM)
        return finish_one_of<GF_REDUCTION_SUM, GF_REDUCTION_MEAN, GF_REDUCTION_L1>(r, partial);
    else if constexpr (set == GF_WANT_TREE_SUM)
        return finish_one_of<GF_REDUCTION_SUM, GF_REDUCTION_MEAN>(r, partial);
    else if constexpr (set == GF_WANT_PRODUCT || set == GF_WANT_TREE_PRODUCT)
        return finish_one_of<GF_REDUCTION_PRODUCT>(r, partial);
    else if constexpr (set == GF_WANT_ABS || set == GF_WANT_TREE_ABS)
        return finish_one_of<GF_REDUCTION_L1>(r, partial);
    else if constexpr (set == GF_WANT_TREE_SQUARES)
        return finish_one_of<GF_REDUCTION_L2>(r, partial);
    else
        return finish_one_of<GF_REDUCTION_VAR, GF_REDUCTION_STD, GF_REDUCTION_L2>(r, partial);
}

/* The sets of stats and compare, which have many results. */
template <unsigned want> constexpr bool are_many = (want & GF_WANT_NONZERO) != 0 && (want & GF_WANT_EXTREMES) != 0;

/* Stores the results of a sequence. Called by one thread. */
template <unsigned want>
__device__ __forceinline__ void emit(const struct gf_reduction &r, const struct gf_reduce_target &target,
                                     uint64_t sequence, const struct gf_partial &partial, uint64_t *fault)
{
    if constexpr (are_many<want>) {
        const struct gf_partial copy = partial;
        emit_any(r, target, sequence, copy, fault);
    } else if constexpr ((want & GF_WANT_DOT) != 0) {
        put(target, sequence, gf_reduced_f64(partial.dot));
    } else {
        const struct gf_reduced result = finish<want>(r, partial);
        put(target, sequence, result.bits);
        if (result.overflow)
            gf_atomic_min(reinterpret_cast<unsigned long long *>(fault), static_cast<unsigned long long>(sequence));
    }
}

/* Stores the results of a sequence. Called by a block of at least 128 threads, whose thread 0 has the partial;
 * `shared_partials` must have room for a partial. Four warps compute the results of stats in parallel. */
template <unsigned want>
__device__ __forceinline__ void emit_by_block(const struct gf_reduction &r, const struct gf_reduce_target &target,
                                              uint64_t sequence, const struct gf_partial &partial, uint64_t *fault,
                                              uint64_t *shared_partials)
{
    constexpr uint32_t n_warps = GF_TREE_LANES / warp;
    if constexpr (!are_many<want> || (want & GF_WANT_DIFFERENCES) != 0) {
        if (threadIdx.x == 0)
            emit<want>(r, target, sequence, partial, fault);
    } else {
        if (threadIdx.x == 0)
            gf_partial_store(want, shared_partials, 1, 0, &partial);
        gf_sync_block();
        const uint32_t w = threadIdx.x / warp, i = threadIdx.x % warp * n_warps + w;
        const struct gf_partial all = gf_partial_load(want, shared_partials, 1, 0);
        if (w < n_warps && i < GF_STATS_RESULTS && gf_reduce_emit_stat(&r, &target, sequence, &all, i))
            gf_atomic_min(reinterpret_cast<unsigned long long *>(fault), static_cast<unsigned long long>(sequence));
        gf_sync_block();
    }
}

} // namespace gf_reduction_kernels

#endif
