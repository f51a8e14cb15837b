/* SPDX-License-Identifier: MIT */
/*
 * Counting samples by bin on CUDA. Counters lie in shared memory, in as many copies as fit, one per lane at best, so
 * that lanes that count the same value do not wait for each other. Where not one copy fits, counters have 16 bits
 * (Pairs), or up to max_parts blocks look at the same samples and each counts its part of the bins; beyond that
 * counters are in global memory. Counts are whole numbers, so order plays no part. Called by histogram and the tone
 * ops.
 *
 * The bin of a sample is guessed in f32 and put right by one comparison with an edge, out of shared memory where there
 * is room. That is exact as long as a guess and an edge together are less than half a bin off (Guess); all else goes to
 * gf_bins_find.
 */
#include "count_pairs.cuh"

namespace
{

using namespace gf;

using u64 = unsigned long long;

constexpr int block_threads = 1024;
constexpr int block_warps = block_threads / lanes;
constexpr uint64_t max_parts = 4;
constexpr size_t static_room = 256;                   /* of shared memory, for what kernels declare */
constexpr uint32_t most_met = 8192, least_met = 1024; /* entries of the table of Pairs */

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
    constexpr int64_t far = 1ll << 30;
    if constexpr (sizeof(T) <= 2)
        return Unit<T, int32_t>{static_cast<int32_t>(b.first < -far ? -far : b.first > far ? far : b.first)};
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

/* Edges as gf_bins_edge makes them, where Guess fits. */
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

/* 1.5 * 2^23 is added to round a guess to the nearest edge, whose number is then in the low bits. A guess below 0, far
 * beyond the bins, or NaN becomes a number above all edges. */
template <class T, class Edges> struct Guess {
    float factor, shift;
    Edges edge;

    __device__ __forceinline__ uint32_t operator()(T v) const
    {
        const float near = __fadd_rn(__fmaf_rn(static_cast<float>(v), factor, shift), 0x1.8p23f);
        const uint32_t n = __float_as_uint(near) - 0x4B400000u;
        return n - (reaches(v, edge(n)) ? 0 : 1); /* an n above bins stays no bin */
    }
};

template <class T, class Edges> __device__ __forceinline__ Guess<T, Edges> guess_of(const struct gf_bins &b, Edges edge)
{
    return {static_cast<float>(b.inverse), static_cast<float>(-b.lo * b.inverse), edge};
}

/* Rounding of the sample, of factor, shift and guess, and of edges, is below 2^-21 of the largest number there is, in
 * bins, and of the number of bins. */
__device__ bool guess_fits(const struct gf_bins &b)
{
    const double most = fmax(fabs(b.lo), fabs(b.hi));
    return b.list == nullptr && b.slack < 1.0 && b.step > 0x1p-100 && most < 0x1p100 &&
           (most / b.step + b.bins) * 0x1p-21 < 0.25;
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

/* What a block counts: counters start .. start + span of its planes, in 2^shift copies behind `table` bytes. */
struct Layout {
    uint32_t planes; /* that share their bins and their blocks */
    uint32_t parts, span, shift;
    uint32_t table; /* bytes of edges; 0: no room */
    uint32_t met;   /* entries of the table of Pairs; 0: counters have 32 bits */
};

/* Whole: all counters are here. */
template <bool Whole> struct Counters {
    uint32_t *shared;
    uint32_t start, span;
    uint32_t stride, copy; /* bytes from counter to counter, and to this thread's copy */

    __device__ __forceinline__ void count(uint32_t i)
    {
        const uint32_t at = Whole ? i : i - start;
        if (Whole || at < span)
            atomicAdd(reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(shared) + (at * stride + copy)), 1u);
    }
    __device__ __forceinline__ void end()
    {
    }
};

/* Global memory: neighbours in one counter are added at once. */
struct Runs {
    u64 *to;
    uint32_t i, n;

    __device__ __forceinline__ void count(uint32_t next)
    {
        if (next != i && n != 0) {
            atomicAdd(to + i, static_cast<u64>(n));
            n = 0;
        }
        i = next;
        n++;
    }
    __device__ __forceinline__ void end()
    {
        if (n != 0)
            atomicAdd(to + i, static_cast<u64>(n));
        n = 0;
    }
};

/* Counts the samples of channels first .. first + planes; One: there is no other. */
template <class T, bool One, class Way, class Sink>
__device__ __forceinline__ void count_samples(const struct gf_cuda_samples &s, uint64_t tiles, const struct gf_bins *b,
                                              uint32_t first, uint32_t planes, const Way &way, Sink sink)
{
    constexpr bool paired = std::is_same_v<Sink, Pairs>;
    const uint32_t bins = b->bins, slots = bins + GF_BINS_EXTRA;
    const auto exactly = [&](uint32_t k, T v) {
        return k < bins ? k : find_apart<kind_of<T>>(b, static_cast<double>(v), bits_of(v));
    };
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step) {
        if (!One && s.luma)
            walk_luma<T>(s, tile, [&](T v) { sink.count(exactly(way(v), v)); });
        else
            walk_tile<T, paired>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t k[per_vector<T>];
                uint32_t most = 0;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    k[j] = way(pack.v[j]);
                    most = max(most, k[j]);
                }
                if (most >= bins) {
#pragma unroll
                    for (int j = 0; j < per_vector<T>; j++)
                        k[j] = exactly(k[j], pack.v[j]);
                }
                bool is_there[per_vector<T>];
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    is_there[j] = j < n && (One || c - first < planes);
                    k[j] += One ? 0 : (c - first) * slots;
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
                if constexpr (paired) {
                    sink.count_vector(k, is_there);
                } else {
#pragma unroll
                    for (int j = 0; j < per_vector<T>; j++)
                        if (is_there[j])
                            sink.count(k[j]);
                }
            });
        sink.end();
    }
}

/* By the fastest way that is right for these bins; `table` has room for all edges, or is NULL, as it is where Table is
 * false. Few types have so many samples in a vector that finding each in its place would be too much code. */
template <class T, bool One, bool Table, class Sink>
__device__ __forceinline__ void count_block(const struct gf_cuda_samples &s, uint64_t tiles, const struct gf_bins *b,
                                            uint32_t first, uint32_t planes, Edge<T> *table, const Sink &sink)
{
    if constexpr (kind_of<T> == GF_BINS_INT) {
        if (b->unit) {
            count_samples<T, One>(s, tiles, b, first, planes, unit_of<T>(*b), sink);
            return;
        }
    }
    if (Table && table != nullptr && (b->list != nullptr || guess_fits(*b))) {
        for (uint32_t k = threadIdx.x; k <= b->bins; k += block_threads)
            table[k] = edge_of<T>(b, k);
        __syncthreads();
        if (b->list != nullptr)
            count_samples<T, One>(s, tiles, b, first, planes, Search<T>{b->bins, table}, sink);
        else
            count_samples<T, One>(s, tiles, b, first, planes, guess_of<T>(*b, Stored<T>{table, b->bins}), sink);
        return;
    }
    if (guess_fits(*b)) {
        const Made<T> made = {b->base, b->step, edge_of<T>(b, b->bins), b->bins};
        count_samples<T, One>(s, tiles, b, first, planes, guess_of<T>(*b, made), sink);
        return;
    }
    const struct gf_bins own = *b;
    if constexpr (sizeof(T) <= 2)
        count_samples<T, One>(
            s, tiles, b, first, planes, [](T) { return UINT32_MAX; }, sink);
    else
        count_samples<T, One>(
            s, tiles, b, first, planes, [&](T v) { return find(own, v); }, sink);
}

/* Whole: one part has all counters. */
template <class T, bool One, bool Whole>
__global__ void __launch_bounds__(block_threads)
    shared_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                  const Layout layout, u64 *counts)
{
    extern __shared__ uint4 count_room[];
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y / layout.parts * layout.planes, start = blockIdx.y % layout.parts * layout.span;
    uint32_t *shared = reinterpret_cast<uint32_t *>(reinterpret_cast<char *>(count_room) + layout.table);
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    for (uint32_t i = threadIdx.x; i < layout.span << layout.shift; i += block_threads)
        shared[i] = 0;
    __syncthreads();
    const uint32_t slots = b.bins + GF_BINS_EXTRA, copies = 1u << layout.shift;
    const Counters<Whole> sink = {shared, start, layout.span, copies * 4, (threadIdx.x & (copies - 1)) * 4};
    count_block<T, One, true>(s, tiles, &b, first, layout.planes,
                              layout.table != 0 ? reinterpret_cast<Edge<T> *>(count_room) : nullptr, sink);
    __syncthreads();
    u64 *to = counts + static_cast<uint64_t>(first) * slots + start;
    const uint32_t n = min(layout.span, layout.planes * slots - start);
    for (uint32_t i = threadIdx.x; i < n; i += block_threads) {
        uint32_t sum = 0;
        for (uint32_t r = 0; r < copies; r++)
            sum += shared[(i << layout.shift) + ((r + threadIdx.x) & (copies - 1))];
        if (sum != 0)
            atomicAdd(to + i, static_cast<u64>(sum));
    }
}

/* Counters of 16 bits. The sums of both of a pair stay in one word, for spread_kernel. */
template <class T, bool One>
__global__ void __launch_bounds__(block_threads, 1)
    pairs_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                 const Layout layout, u64 *counts)
{
    extern __shared__ uint4 count_room[];
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y * layout.planes, half = (layout.span + 1) / 2;
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    __syncthreads();
    const uint32_t slots = b.bins + GF_BINS_EXTRA;
    auto *words = reinterpret_cast<uint32_t *>(count_room);
    const Pairs pairs = {
        words, half, layout.met, words + half, words + half + layout.met, counts + static_cast<uint64_t>(first) * slots,
        0,     false};
    pairs.clear();
    __syncthreads();
    count_block<T, One, false>(s, tiles, &b, first, layout.planes, nullptr, pairs);
    __syncthreads();
    pairs.flush();
}

/* The sums of pairs of counters, of a row of blocks each `span`, to their own places. */
__global__ void __launch_bounds__(block_threads) spread_kernel(u64 *counts, uint32_t span)
{
    u64 *own = counts + static_cast<uint64_t>(blockIdx.y) * span;
    const uint32_t half = (span + 1) / 2;
    for (uint32_t i = blockIdx.x * block_threads + threadIdx.x; i < half; i += gridDim.x * block_threads) {
        const u64 pair = own[i];
        own[i] = pair & UINT32_MAX;
        if (half + i < span)
            own[half + i] = pair >> 32;
    }
}

template <class T>
__global__ void __launch_bounds__(block_threads)
    global_kernel(const struct gf_cuda_samples s, uint64_t tiles, const __grid_constant__ struct gf_cuda_bins bins,
                  u64 *counts)
{
    __shared__ struct gf_bins b;
    const uint32_t first = blockIdx.y;
    if (threadIdx.x == 0)
        b = *bins_of(bins, first);
    __syncthreads();
    const Runs sink = {counts + static_cast<uint64_t>(first) * (b.bins + GF_BINS_EXTRA), 0, 0};
    count_block<T, false, false>(s, tiles, &b, first, 1, nullptr, sink);
}

/* The most copies that fit and that the work is worth: log2, at most 5. */
uint32_t replicas(uint64_t counters, uint64_t room, uint64_t samples)
{
    uint32_t shift = 0;
    while (shift < 5 && (counters << (shift + 1)) * sizeof(uint32_t) <= room && (counters << (shift + 1)) <= samples)
        shift++;
    return shift;
}

/* How a block counts `counters` of `planes` planes in `room` bytes; parts = 0: not at all. */
Layout layout_of(uint64_t counters, uint32_t planes, uint64_t edges, uint64_t samples, uint64_t room)
{
    Layout layout = {planes, 0, 0, 0, 0, 0};
    const uint64_t table = (edges + 15) / 16 * 16, parts = (counters * sizeof(uint32_t) + room - 1) / room;
    if (parts > max_parts || samples < counters)
        return layout;
    layout.parts = static_cast<uint32_t>(parts);
    layout.span = static_cast<uint32_t>((counters + parts - 1) / parts);
    if (layout.span * sizeof(uint32_t) + table <= room)
        layout.table = static_cast<uint32_t>(table);
    layout.shift = replicas(layout.span, room - layout.table, samples);
    return layout;
}

/* The same in counters of 16 bits; met = 0: not at all. */
Layout pairs_of(uint64_t counters, uint32_t planes, uint64_t samples, uint64_t room)
{
    Layout layout = {planes, 1, static_cast<uint32_t>(counters), 0, 0, 0};
    const uint64_t words = (counters + 1) / 2, entry = 2 * sizeof(uint32_t);
    uint32_t met = most_met;
    while (met >= least_met && words * sizeof(uint32_t) + met * entry > room)
        met /= 2;
    if (met >= least_met && samples >= counters && samples <= UINT32_MAX)
        layout.met = met;
    return layout;
}

/* Types that are counted here at all: of 8 bits only those that have luma. */
template <class T> constexpr bool counts = sizeof(T) > 1 || has_luma<T>;

template <class T>
using Kernel = void (*)(const struct gf_cuda_samples, uint64_t, const struct gf_cuda_bins, const Layout, u64 *);

template <class T> Kernel<T> kernel_for(bool one, bool whole)
{
    if constexpr (sizeof(T) == 1)
        return shared_kernel<T, false, false>;
    else
        return !one    ? shared_kernel<T, false, false>
               : whole ? shared_kernel<T, true, true>
                       : shared_kernel<T, true, false>;
}

/* Types that Pairs counts: others have so many bins too seldom to be worth the code. */
template <class T> constexpr bool has_pairs = sizeof(T) == 2 || std::is_floating_point_v<T>;

template <class T> Kernel<T> pairs_kernel_for(bool one)
{
    return one ? pairs_kernel<T, true> : pairs_kernel<T, false>;
}

template <class T> cudaError_t prepare()
{
    const int room = static_cast<int>(gf_cuda_shared_room() - static_room);
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < 3 && error == cudaSuccess; i++)
        error = cudaFuncSetAttribute(kernel_for<T>(i > 0, i > 1), cudaFuncAttributeMaxDynamicSharedMemorySize, room);
    if constexpr (has_pairs<T>)
        for (int i = 0; i < 2 && error == cudaSuccess; i++)
            error = cudaFuncSetAttribute(pairs_kernel_for<T>(i > 0), cudaFuncAttributeMaxDynamicSharedMemorySize, room);
    return error;
}

template <class T>
void launch_pairs(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const struct gf_cuda_bins &bins,
                  const Layout &layout, u64 *to)
{
    const uint64_t tiles = gf_cuda_samples_tiles(&s), half = (layout.span + 1) / 2;
    const uint64_t worth = s.row_samples * s.rows / half; /* blocks, whose counters are all added up */
    const uint32_t most = gf_cuda_samples_blocks(call, tiles, 1), groups = s.planes / layout.planes;
    const dim3 grid(worth < most ? static_cast<uint32_t>(worth) : most, groups);
    const size_t bytes = (half + 2 * layout.met) * sizeof(uint32_t);
    const cudaStream_t stream = call->lane->main;
    pairs_kernel_for<T>(s.channels == 1)<<<grid, block_threads, bytes, stream>>>(s, tiles, bins, layout, to);
    const dim3 spread(static_cast<uint32_t>((half + block_threads - 1) / block_threads), groups);
    spread_kernel<<<spread, block_threads, 0, stream>>>(to, layout.span);
}

template <class T>
void launch(const struct gf_cuda_call *call, const struct gf_cuda_samples &s, const struct gf_cuda_bins &bins,
            uint32_t n_bins, bool same, u64 *to)
{
    const uint64_t tiles = gf_cuda_samples_tiles(&s), slots = n_bins + GF_BINS_EXTRA;
    const uint64_t room = gf_cuda_shared_room() - static_room, samples = s.row_samples * s.rows;
    const uint32_t planes = same ? s.planes : 1;
    const Layout layout = layout_of(slots * planes, planes, (n_bins + 1ull) * sizeof(Edge<T>), samples, room);
    const cudaStream_t stream = call->lane->main;
    if constexpr (has_pairs<T>)
        for (uint32_t n : {planes, 1u}) {
            const Layout pairs = pairs_of(slots * n, n, samples, room);
            if (layout.parts != 1 && pairs.met != 0) {
                launch_pairs<T>(call, s, bins, pairs, to);
                return;
            }
        }
    if (layout.parts == 0) {
        const dim3 grid(gf_cuda_samples_blocks(call, tiles, 2), s.planes);
        global_kernel<T><<<grid, block_threads, 0, stream>>>(s, tiles, bins, to);
        return;
    }
    const size_t bytes = layout.table + (static_cast<size_t>(layout.span) << layout.shift) * sizeof(uint32_t);
    const uint32_t blocks = gf_cuda_samples_blocks(call, tiles, bytes <= 96 * 1024 ? 2 : 1);
    const dim3 grid((blocks + layout.parts - 1) / layout.parts, s.planes / planes * layout.parts);
    kernel_for<T>(s.channels == 1, layout.parts == 1)<<<grid, block_threads, bytes, stream>>>(s, tiles, bins, layout,
                                                                                              to);
}

} // namespace

extern "C" size_t gf_cuda_shared_room(void)
{
    int device = 0, bytes = 48 * 1024;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return static_cast<size_t>(bytes);
}

static struct gf_cuda_samples samples_of(const struct gf_cuda_image *image, uint32_t planes, bool luma, bool one_row)
{
    const struct gf_view *view = &image->view;
    struct gf_cuda_samples s = {};
    s.data = image->data;
    s.pitch = static_cast<size_t>(view->pitch);
    s.rows = view->height;
    s.row_samples = view->width * view->channels;
    if (one_row) {
        s.row_samples *= s.rows;
        s.rows = 1;
    }
    s.row_vectors = (s.row_samples * gf_dtype_size(view->dtype) + GF_CUDA_VECTOR - 1) / GF_CUDA_VECTOR;
    s.channels = view->channels;
    s.dtype = view->dtype;
    s.luma = luma;
    s.planes = planes;
    return s;
}

extern "C" struct gf_cuda_samples gf_cuda_samples(const struct gf_cuda_image *image, uint32_t planes, bool luma)
{
    return samples_of(image, planes, luma, gf_view_row_bytes(&image->view) == image->view.pitch);
}

extern "C" struct gf_cuda_samples gf_cuda_samples_both(const struct gf_cuda_call *call, uint32_t planes)
{
    const struct gf_view *in = &call->image[0]->view, *out = &call->out[0].view;
    const bool one_row = gf_view_row_bytes(in) == in->pitch && in->pitch == out->pitch;
    return samples_of(call->image[0], planes, false, one_row);
}

extern "C" uint64_t gf_cuda_samples_tiles(const struct gf_cuda_samples *s)
{
    const uint64_t pieces = s->luma ? s->row_samples / s->channels : s->row_vectors;
    return (pieces + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE * s->rows;
}

extern "C" uint32_t gf_cuda_samples_blocks(const struct gf_cuda_call *call, uint64_t tiles, uint32_t per_unit)
{
    const uint64_t most = static_cast<uint64_t>(call->lane->device->info.units) * per_unit;
    return static_cast<uint32_t>(tiles < most ? tiles : most);
}

extern "C" cudaError_t gf_cuda_count_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                          const struct gf_cuda_bins *bins, uint32_t n_bins, bool same, uint64_t *to)
{
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        if constexpr (counts<T>)
            launch<T>(call, *s, *bins, n_bins, same, reinterpret_cast<u64 *>(to));
    });
    return cudaPeekAtLastError();
}

extern "C" cudaError_t gf_cuda_count_prepare(void)
{
    cudaError_t (*const others[])(void) = {gf_cuda_histogram_prepare, gf_cuda_equalize_prepare,
                                           gf_cuda_threshold_prepare, gf_cuda_autocontrast_prepare};
    cudaError_t error = cudaSuccess;
    for (auto *other : others)
        error = error == cudaSuccess ? other() : error;
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        gf_dispatch_any(dtype, [&](auto tag) {
            if constexpr (counts<decltype(tag)>)
                error = error == cudaSuccess ? prepare<decltype(tag)>() : error;
        });
    return error;
}
