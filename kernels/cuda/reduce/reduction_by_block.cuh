/* SPDX-License-Identifier: MIT */
/*
 * Few chunks along rows, in one launch (docs/numerics.md, "reduce"): a block of 128 threads takes a chunk and has all
 * its loads in flight at once, one thread per lane of the tree. With elements of 8 and 16 bits, each warp of the block
 * takes a chunk. The last block of a sequence to finish folds the partials of all its blocks. Included by the files of
 * the ops, which list the sets they need.
 */
#ifndef GF_CUDA_REDUCTION_BY_BLOCK_CUH
#define GF_CUDA_REDUCTION_BY_BLOCK_CUH

#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/device/warp_reduce.cuh"
#include "reduction_fold.cuh"
#include "reduction_pixels.cuh"

namespace gf_reduction_kernels
{

constexpr int lane_warps = GF_TREE_LANES / warp;
constexpr uint32_t lane_rows = GF_TREE_CHUNK / GF_TREE_LANES;
static_assert(lane_warps == GF_CUDA_BLOCK_WARPS, "a thread per lane");

/* Blocks that should be resident on a multiprocessor. */
template <class T, unsigned want>
constexpr int blocks_per_unit = is_wide<T> || (want & (GF_WANT_DOT | GF_WANT_SPREAD | GF_WANT_DIFFERENCES)) != 0 ? 4
                                                                                                                 : 8;

template <unsigned want> struct block_memory {
    union {
        uint64_t partials[gf_partial_words(want) * GF_TREE_LANES];
        double lanes[GF_TREE_LANES];
    };
    double mean;
};

/* The elements of this thread's lane of a chunk, all loaded before the first is used. */
template <class T, bool two> struct lane_elements {
    T v[lane_rows], w[two ? lane_rows : 1];

    /* Returns false where the elements of adjacent lanes are not adjacent. */
    __device__ __forceinline__ bool load(const struct gf_cuda_sequences &s, const struct chunk &c)
    {
        const uint64_t at = c.y * s.pitch + (c.x + threadIdx.x) * sizeof(T);
        if (s.channels != 1 || c.x + c.n > s.width)
            return false;
        load(reinterpret_cast<const T *>(c.a + at), c.n, v);
        if constexpr (two)
            load(reinterpret_cast<const T *>(c.b + at), c.n, w);
        return true;
    }

    static __device__ __forceinline__ void load(const T *from, uint32_t n, T (&ret)[lane_rows])
    {
        each_group(n, [&](uint32_t r, bool is_there) { ret[r] = is_there ? from[r * GF_TREE_LANES] : T(0); });
    }

    /* Calls f(element, other element, offset) for the existing elements, in ascending order. */
    template <class F> __device__ __forceinline__ void each(uint32_t n, F &&f) const
    {
        each_group(n, [&](uint32_t r, bool is_there) {
            if (is_there)
                f(v[r], two ? w[r] : T(0), r * GF_TREE_LANES + threadIdx.x);
        });
    }

    /* Calls f(row, whether the row has an element), by groups of rows: short sequences run only the first group. */
    template <class F> static __device__ __forceinline__ void each_group(uint32_t n, F &&f)
    {
        constexpr uint32_t group = 8;
#pragma unroll
        for (uint32_t first = 0; first < lane_rows; first += group)
            if (first * GF_TREE_LANES < n) {
#pragma unroll
                for (uint32_t r = first; r < first + group; r++)
                    f(r, r * GF_TREE_LANES + threadIdx.x < n);
            }
    }
};

/* Calls f(element, other element, offset) for the elements of this thread's lane, in any chunk. */
template <class T, bool two, class F>
__device__ __forceinline__ void each_of_lane(const struct gf_cuda_sequences &s, const struct chunk &c, F &&f)
{
    constexpr uint32_t batch = 8;
    const uint64_t rows = GF_TREE_LANES / s.width, columns = GF_TREE_LANES % s.width;
    uint64_t x = c.x + threadIdx.x, y = c.y + x / s.width;
    x %= s.width;
#pragma unroll 1
    for (uint32_t offset = threadIdx.x; offset < c.n; offset += batch * GF_TREE_LANES) {
        T v[batch], w[batch];
#pragma unroll
        for (uint32_t k = 0; k < batch; k++) {
            const bool is_there = offset + k * GF_TREE_LANES < c.n;
            const uint64_t at = y * s.pitch + x * s.channels * sizeof(T);
            v[k] = is_there ? load<T>(c.a + at) : T(0);
            w[k] = two && is_there ? load<T>(c.b + at) : T(0);
            x += columns;
            y += rows;
            if (x >= s.width) {
                x -= s.width;
                y++;
            }
        }
#pragma unroll
        for (uint32_t k = 0; k < batch; k++)
            if (offset + k * GF_TREE_LANES < c.n)
                f(v[k], w[k], offset + k * GF_TREE_LANES);
    }
}

/* Joins the partials of a warp, in any order. With few elements, indices fit 32 bits. */
template <class E, unsigned set> __device__ __forceinline__ void join_any(struct gf_partial *p)
{
    if constexpr ((set & GF_WANT_EXTREMES) != 0) {
        struct extremes<E> ends;
        ends.init();
        if (p->argmin != GF_NO_INDEX) {
            ends.min_key = element_of_key<E>(p->min_key);
            ends.max_key = element_of_key<E>(p->max_key);
            ends.argmin = static_cast<uint32_t>(p->argmin);
            ends.argmax = static_cast<uint32_t>(p->argmax);
        }
        ends.put_of_warp(0, p);
    }
    if constexpr ((set & GF_WANT_NAN) != 0) {
        const uint32_t first = p->first_nan == GF_NO_INDEX ? none : static_cast<uint32_t>(p->first_nan);
        const uint32_t all_first = gf_warp_min(first);
        p->nans = gf_warp_sum(static_cast<uint32_t>(p->nans));
        p->first_nan = all_first == none ? GF_NO_INDEX : all_first;
    }
    if constexpr ((set & GF_WANT_NONZERO) != 0)
        p->nonzero = gf_warp_sum(static_cast<uint32_t>(p->nonzero));
    join_warp<set & ~(GF_WANT_EXTREMES | GF_WANT_NAN | GF_WANT_NONZERO)>(is_real<E>, p);
}

/* Joins the partials in threads 0 of the block's warps; thread 0 of the block has the result. */
template <class E, unsigned set>
__device__ __forceinline__ void join_warps(uint64_t *shared_partials, struct gf_partial *p)
{
    const uint32_t t = threadIdx.x;
    if (t % warp == 0)
        gf_partial_store(set, shared_partials, lane_warps, t / warp, p);
    gf_sync_block();
    if (t < warp) {
        *p = t < lane_warps ? gf_partial_load(set, shared_partials, lane_warps, t) : gf_partial_empty();
        join_any<E, set>(p);
    }
    gf_sync_block();
}

/* Joins the partials of a sequence's blocks; thread 0 has the result. */
template <class E, unsigned set>
__device__ __forceinline__ struct gf_partial join_blocks(const struct partials &partials, uint64_t *shared_partials)
{
    if constexpr (!is_exact<set>) {
        return tree_of<set, false>(is_real<E>, partials, shared_partials);
    } else {
        struct gf_partial p = join_all<set, GF_TREE_LANES, false>(is_real<E>, partials, threadIdx.x);
        join_any<E, set>(&p);
        join_warps<E, set>(shared_partials, &p);
        return p;
    }
}

/* Folds the 128 lanes of a block to one value, returned in its first warp. */
template <bool times> __device__ __forceinline__ double fold_block(double x, double *lanes)
{
    const auto join = [](double a, double b) { return times ? a * b : a + b; };
    const uint32_t t = threadIdx.x;
    lanes[t] = x;
    gf_sync_block();
    if (t < warp) {
        x = join(join(lanes[t], lanes[t + 2 * warp]), join(lanes[t + warp], lanes[t + 3 * warp]));
#pragma unroll
        for (int d = warp / 2; d > 0; d /= 2)
            x = join(x, gf_shuffle_xor(x, d));
    }
    gf_sync_block();
    return x;
}

/* Joins the exact quantities that the threads have gathered; thread 0 has the result. */
template <class E, unsigned want>
__device__ __forceinline__ struct gf_partial join_exact(const gathered<E, want, 1> &g, uint64_t at, bool nan,
                                                        uint64_t *shared_partials)
{
    constexpr unsigned exact = want & ~(of_trees | GF_WANT_DIFFERENCES | GF_WANT_NAN);
    constexpr unsigned by_words = exact & ~(GF_WANT_PRODUCT | GF_WANT_EXTREMES);
    struct gf_partial p = g.exact(at);
    join_any<E, by_words>(&p);
    if constexpr ((want & GF_WANT_EXTREMES) != 0)
        g.ends.put_of_warp(at, &p);
    if constexpr ((want & GF_WANT_PRODUCT) != 0)
        g.product_of_lanes().join_warp(g.is_negative(), &p);
    if (nan)
        join_any<E, want & GF_WANT_NAN>(&p);
    if constexpr (exact != 0)
        join_warps<E, exact | (want & GF_WANT_NAN)>(shared_partials, &p);
    else if (nan)
        join_warps<E, want & GF_WANT_NAN>(shared_partials, &p);
    return p;
}

/* Reduces a chunk of elements of 4 or 8 bytes; thread 0 has the partial. */
template <class T, unsigned want>
__device__ __forceinline__ struct gf_partial partial_of_lanes(const struct gf_cuda_sequences &s, const struct chunk &c,
                                                              uint64_t at, struct block_memory<want> *shared_partials)
{
    using E = element_of<T, want>;
    constexpr bool two = (want & (GF_WANT_DOT | GF_WANT_DIFFERENCES)) != 0;
    const uint32_t own = threadIdx.x, mine = own < c.n ? c.n - own : 0;
    struct lane_elements<T, two> lane;
    gathered<E, want, 1> g;
    g.init(mine);
    const bool is_there = lane.load(s, c);
    bool nan = false;
    if (is_there) {
        const auto add = [&](T v, T w, uint32_t offset) {
            g.add_quick(0, element<T, want>(v, w), static_cast<E>(w), offset);
        };
        if (c.n == GF_TREE_CHUNK) /* without testing whether an element exists */
            lane.each(GF_TREE_CHUNK, add);
        else
            lane.each(c.n, add);
        if constexpr ((want & GF_WANT_NAN) != 0)
            nan = gf_sync_block_or(g.has_nan());
    }
    if (nan || !is_there) {
        g.init(mine);
        each_of_lane<T, two>(s, c, [&](T v, T w, uint32_t offset) {
            g.add(0, element<T, want>(v, w), static_cast<E>(w), offset, s.omit);
        });
        nan = is_real<E>;
    } else {
        g.settle_quick(own, mine > 0);
    }
    g.settle(own, mine > 0);

    struct gf_partial p = join_exact<E, want>(g, at, nan, shared_partials->partials);
    g.trees.put(&p, [&](const double(&own_lane)[1], auto times) {
        return fold_block<decltype(times)::value>(own_lane[0], shared_partials->lanes);
    });
    if constexpr ((want & GF_WANT_SPREAD) != 0) {
        p.n = static_cast<double>(c.n - (s.omit ? p.nans : 0));
        p.mean = p.tree_sum / p.n;
        if (own == 0)
            shared_partials->mean = p.mean;
        gf_sync_block();
        double q = 0.0;
        const auto take = [&](T v, T, uint32_t) {
            const double d = static_cast<double>(v) - shared_partials->mean;
            q = s.omit && v != v ? q : __fma_rn(d, d, q);
        };
        if (is_there)
            lane.each(c.n, take);
        else
            each_of_lane<T, false>(s, c, take);
        p.spread = fold_block<false>(q, shared_partials->lanes);
    }
    return p;
}

/* Computes partial `place` of a sequence, in thread 0. */
template <class T, unsigned want>
__device__ __forceinline__ struct gf_partial block_partial(const struct gf_cuda_sequences &s, uint64_t skip,
                                                           uint32_t place, struct block_memory<want> *shared_partials)
{
    if constexpr (is_short<element_of<T, want>>) {
        const uint32_t number = place * lane_warps + threadIdx.x / warp;
        struct gf_partial p = gf_partial_empty();
        if (number < s.chunks)
            p = partial_of_short<T, want>(s, chunk_at(s, skip, number), number * s.span);
        join_warps<T, want>(shared_partials->partials, &p);
        return p;
    } else {
        return partial_of_lanes<T, want>(s, chunk_at(s, skip, place), static_cast<uint64_t>(place) * s.span,
                                         shared_partials);
    }
}

/* The work of a block: one partial of a sequence. */
template <class T, unsigned want>
__device__ __forceinline__ void reduce_by_block(const struct gf_cuda_sequences &s,
                                                struct block_memory<want> *shared_partials)
{
    using E = element_of<T, want>;
    const uint32_t blocks = static_cast<uint32_t>(s.blocks), sequence = blocks == 1 ? blockIdx.x : blockIdx.x / blocks;
    const uint32_t line = s.channels == 1 ? sequence : sequence / s.channels;
    struct gf_partial p = block_partial<T, want>(s, line * s.pitch + (sequence - line * s.channels) * sizeof(T),
                                                 blockIdx.x - sequence * blocks, shared_partials);
    if (blocks > 1) {
        if (threadIdx.x == 0)
            keep<want>(s, gridDim.x, blockIdx.x, p);
        if (!gf_is_last_block(s.counters + sequence, blocks))
            return;
        const struct partials partials = {s.partials, gridDim.x, sequence * blocks, 1, blocks};
        p = sure_of<want> == want || s.kept == want
                ? join_blocks<E, want>(partials, shared_partials->partials)
                : join_blocks<E, sure_of<want>>(partials, shared_partials->partials);
    }
    emit_by_block<want>(s.r, s.target, sequence, p, s.fault, shared_partials->partials);
}

template <class T, unsigned want>
__global__ void __launch_bounds__(GF_TREE_LANES, blocks_per_unit<T, want>)
    by_block_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    __shared__ struct block_memory<want> shared_partials;
    reduce_by_block<T, want>(s, &shared_partials);
}

/* For sets that share a kernel: the sets with `room` resident blocks per multiprocessor. */
template <class T, int room, unsigned... sets>
__global__ void __launch_bounds__(GF_TREE_LANES, room)
    by_block_shared_kernel(const __grid_constant__ struct gf_cuda_sequences s)
{
    extern __shared__ uint64_t shared_memory[];
    with_set<sets...>(s.r.want, [&](auto set) {
        constexpr unsigned want = set_of<decltype(set)>;
        if constexpr (blocks_per_unit<T, want> == room)
            reduce_by_block<T, want>(s, reinterpret_cast<struct block_memory<want> *>(shared_memory));
    });
}

template <class T, unsigned... sets>
cudaError_t launch_by_block_of(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(s->items);
    const bool found = with_set<sets...>(s->r.want, [&](auto set) {
        by_block_kernel<T, set_of<decltype(set)>><<<blocks, GF_TREE_LANES, 0, stream>>>(*s);
    });
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

template <class T, unsigned... sets>
cudaError_t launch_by_block_shared(const struct gf_cuda_sequences *s, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(s->items);
    const bool found = with_set<sets...>(s->r.want, [&](auto set) {
        constexpr unsigned want = set_of<decltype(set)>;
        by_block_shared_kernel<T, blocks_per_unit<T, want>, sets...>
            <<<blocks, GF_TREE_LANES, sizeof(struct block_memory<want>), stream>>>(*s);
    });
    return found ? cudaPeekAtLastError() : cudaErrorInvalidValue;
}

} // namespace gf_reduction_kernels

#endif
