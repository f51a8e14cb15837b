/* SPDX-License-Identifier: MIT */
/*
 * Counting samples by value on CUDA. Counters lie in shared memory, in as many copies as fit, one per lane at best, so
 * that lanes that count the same value do not wait for each other; where not even one copy fits, as two 16-bit halves
 * of a word; beyond that in global memory. Counts are whole numbers, so order plays no part. Called by histogram and
 * the tone ops.
 */
#include "samples.cuh"

namespace
{

using namespace gf;

constexpr int block_threads = 1024;
constexpr int block_warps = block_threads / lanes;
constexpr uint32_t byte_levels = 256;
constexpr uint32_t half = 0x8000;

using u64 = unsigned long long;

/* Copies are a power of two: counter i of copy r stands at (i << shift) + r. */
__device__ __forceinline__ void flush_replicas(const uint32_t *shared, uint32_t counters, uint32_t shift, u64 *to)
{
    const uint32_t copies = 1u << shift;
    for (uint32_t i = threadIdx.x; i < counters; i += blockDim.x) {
        u64 sum = 0;
        for (uint32_t r = 0; r < copies; r++)
            sum += shared[(i << shift) + ((r + threadIdx.x) & (copies - 1))];
        if (sum != 0)
            atomicAdd(to + i, sum);
    }
}

/* C channels, the first s.planes of them counted. */
template <int C>
__global__ void __launch_bounds__(block_threads)
    bytes_kernel(const struct gf_cuda_samples s, uint64_t tiles, uint32_t shift, uint32_t flip, u64 *values)
{
    extern __shared__ uint32_t shared[];
    const uint32_t counters = s.planes * byte_levels;
    for (uint32_t i = threadIdx.x; i < counters << shift; i += block_threads)
        shared[i] = 0;
    __syncthreads();
    uint32_t *own = shared + (threadIdx.x & ((1u << shift) - 1));
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += step)
        walk_tile<uint8_t>(s, tile, [&](const Pack<uint8_t> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
            const uint32_t words[4] = {pack.raw.x ^ flip, pack.raw.y ^ flip, pack.raw.z ^ flip, pack.raw.w ^ flip};
            uint32_t base[C];
            bool counted[C];
#pragma unroll
            for (int k = 0; k < C; k++) {
                const uint32_t c = phase + k < C ? phase + k : phase + k - C;
                base[k] = c * byte_levels;
                counted[k] = c < s.planes;
            }
#pragma unroll
            for (int j = 0; j < per_vector<uint8_t>; j++) {
                const uint32_t v = (words[j / 4] >> (8 * (j % 4))) & 255u;
                if (j < n && counted[j % C])
                    atomicAdd(own + ((base[j % C] + v) << shift), 1u);
            }
        });
    __syncthreads();
    flush_replicas(shared, counters, shift, values);
}

template <class T>
constexpr gf_bins_kind kind_of = static_cast<T>(0.5f) != static_cast<T>(0) ? GF_BINS_FLOAT
                                 : sizeof(T) < 8                           ? GF_BINS_INT
                                 : static_cast<T>(-1) < static_cast<T>(1)  ? GF_BINS_S64
                                                                           : GF_BINS_U64;

template <class T> __device__ __forceinline__ uint32_t find(const struct gf_bins &b, T v)
{
    if (kind_of<T> == GF_BINS_FLOAT)
        return gf_bins_find(&b, GF_BINS_FLOAT, static_cast<double>(v), 0);
    return gf_bins_find(&b, kind_of<T>, static_cast<double>(v), static_cast<uint64_t>(static_cast<int64_t>(v)));
}

/* Where counters are. */
enum Store { in_replicas, in_halves, in_global };

/* One plane's or all planes' counters of a block. */
struct Counters {
    uint32_t *shared;
    u64 *global;
    uint32_t shift, lane;
};

template <Store S> __device__ __forceinline__ void add(const Counters &to, uint32_t i, uint32_t n)
{
    if (S == in_replicas) {
        atomicAdd(to.shared + (i << to.shift) + to.lane, n);
    } else if (S == in_halves) {
        /* A half is below 2^15 when a round begins and a round adds at most 2^15: whoever takes it to 2^15 or beyond
         * moves that much to global memory before the round ends, and nothing runs over. */
        const uint32_t place = (i & 1) * 16, old = atomicAdd(to.shared + (i >> 1), n << place) >> place & 0xFFFF;
        if (old < half && old + n >= half) {
            atomicSub(to.shared + (i >> 1), half << place);
            atomicAdd(to.global + i, static_cast<u64>(half));
        }
    } else {
        atomicAdd(to.global + i, static_cast<u64>(n));
    }
}

/* Neighbours in one counter are added at once. */
template <Store S> struct Runs {
    const Counters &to;
    uint32_t i, n;

    __device__ __forceinline__ void count(uint32_t next)
    {
        if (next != i && n != 0) {
            add<S>(to, i, n);
            n = 0;
        }
        i = next;
        n++;
    }
    __device__ __forceinline__ void end()
    {
        if (n != 0)
            add<S>(to, i, n);
    }
};

/* Group blockIdx.y counts `planes` planes from blockIdx.y * planes on, which share their bins. */
template <class T, Store S>
__global__ void __launch_bounds__(block_threads)
    bins_kernel(const struct gf_cuda_samples s, uint64_t tiles, const struct gf_bins *bins, uint32_t n_bins,
                uint32_t planes, uint32_t shift, u64 *counts)
{
    static_assert(S != in_halves || GF_CUDA_WARP_TILE / lanes * per_vector<T> * block_threads <= 2 * half, "");
    extern __shared__ uint32_t shared[];
    const uint32_t first = blockIdx.y * planes, slots = n_bins + GF_BINS_EXTRA, counters = planes * slots;
    const struct gf_bins b = bins[first];
    const Counters to = {shared, counts + static_cast<uint64_t>(first) * slots, shift,
                         threadIdx.x & ((1u << shift) - 1)};
    if constexpr (S != in_global) {
        const uint32_t words = S == in_replicas ? counters << shift : (counters + 1) / 2;
        for (uint32_t i = threadIdx.x; i < words; i += block_threads)
            shared[i] = 0;
        __syncthreads();
    }
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * block_warps;
    for (uint64_t at = blockIdx.x; at < tiles; at += step) {
        const uint64_t tile = at + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x;
        Runs<S> runs = {to, 0, 0};
        if (tile < tiles && s.luma)
            walk_luma<T>(s, tile, [&](T v) { runs.count(find(b, v)); });
        else if (tile < tiles)
            walk_tile<T>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    if (j < n && c - first < planes)
                        runs.count((c - first) * slots + find(b, pack.v[j]));
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
            });
        runs.end();
        if (S == in_halves)
            __syncthreads();
    }
    __syncthreads();
    if (S == in_replicas)
        flush_replicas(shared, counters, shift, to.global);
    if (S == in_halves)
        for (uint32_t i = threadIdx.x; i < counters; i += block_threads) {
            const uint32_t n = shared[i >> 1] >> ((i & 1) * 16) & 0xFFFF;
            if (n != 0)
                atomicAdd(to.global + i, static_cast<u64>(n));
        }
}

template <class Key> struct Extremes {
    Key lo[GF_MAX_CHANNELS], hi[GF_MAX_CHANNELS];
    bool nan[GF_MAX_CHANNELS];
};

template <class Key, class T> __device__ __forceinline__ void widen(Extremes<Key> &e, uint32_t c, T v, bool finite)
{
    const bool nan = v != v;
    const bool out = nan || (kind_of<T> == GF_BINS_FLOAT && finite && v - v != static_cast<T>(0));
    const Key key = key_of(v);
#pragma unroll
    for (uint32_t k = 0; k < GF_MAX_CHANNELS; k++) {
        if (k == c && !out) {
            e.lo[k] = min(e.lo[k], key);
            e.hi[k] = max(e.hi[k], key);
        }
        e.nan[k] = e.nan[k] || (k == c && nan);
    }
}

template <class T>
__global__ void __launch_bounds__(256)
    extremes_kernel(const struct gf_cuda_samples s, uint64_t tiles, bool finite, u64 *extremes)
{
    using Key = decltype(key_of(T{0}));
    Extremes<Key> e;
#pragma unroll
    for (uint32_t k = 0; k < GF_MAX_CHANNELS; k++) {
        e.lo[k] = ~Key{0};
        e.hi[k] = 0;
        e.nan[k] = false;
    }
    const uint64_t warps = static_cast<uint64_t>(gridDim.x) * (blockDim.x / lanes);
    for (uint64_t tile = blockIdx.x + static_cast<uint64_t>(threadIdx.x / lanes) * gridDim.x; tile < tiles;
         tile += warps) {
        if (s.luma)
            walk_luma<T>(s, tile, [&](T v) { widen(e, 0, v, finite); });
        else
            walk_tile<T>(s, tile, [&](const Pack<T> &pack, int n, uint32_t phase, uint64_t, uint64_t) {
                uint32_t c = phase;
#pragma unroll
                for (int j = 0; j < per_vector<T>; j++) {
                    if (j < n)
                        widen(e, c, pack.v[j], finite);
                    c = c + 1 == s.channels ? 0 : c + 1;
                }
            });
    }
#pragma unroll
    for (uint32_t k = 0; k < GF_MAX_CHANNELS; k++) {
        if (k >= s.planes)
            continue;
        Key lo = e.lo[k], hi = e.hi[k];
#pragma unroll
        for (int d = lanes / 2; d > 0; d /= 2) {
            lo = min(lo, __shfl_xor_sync(0xFFFFFFFFu, lo, d));
            hi = max(hi, __shfl_xor_sync(0xFFFFFFFFu, hi, d));
        }
        const bool nan = __any_sync(0xFFFFFFFFu, e.nan[k]) != 0;
        if (threadIdx.x % lanes != 0)
            continue;
        if (lo <= hi) {
            atomicMax(extremes + k * GF_CUDA_EXTREMES, static_cast<u64>(static_cast<Key>(~lo)));
            atomicMax(extremes + k * GF_CUDA_EXTREMES + 1, static_cast<u64>(hi));
        }
        if (nan)
            atomicMax(extremes + k * GF_CUDA_EXTREMES + 2, 1ull);
    }
}

/* One block per plane, one thread per value. */
__global__ void bytes_extremes_kernel(const uint64_t *values, uint32_t dtype, u64 *extremes)
{
    if (values[blockIdx.x * byte_levels + threadIdx.x] == 0)
        return;
    const int v = static_cast<int>(threadIdx.x) - (dtype == GF_I8 ? 128 : 0);
    const uint32_t key = dtype == GF_I8 ? key_of(static_cast<int8_t>(v)) : key_of(static_cast<uint8_t>(v));
    atomicMax(extremes + blockIdx.x * GF_CUDA_EXTREMES, static_cast<u64>(~key));
    atomicMax(extremes + blockIdx.x * GF_CUDA_EXTREMES + 1, static_cast<u64>(key));
}

__global__ void fold_kernel(const uint64_t *values, uint32_t dtype, const struct gf_bins *bins, uint32_t n_bins,
                            u64 *counts)
{
    const uint64_t n = values[blockIdx.x * byte_levels + threadIdx.x];
    const int64_t v = static_cast<int64_t>(threadIdx.x) - (dtype == GF_I8 ? 128 : 0);
    if (n != 0) {
        const uint32_t slot =
            gf_bins_find(bins + blockIdx.x, GF_BINS_INT, static_cast<double>(v), static_cast<uint64_t>(v));
        atomicAdd(counts + static_cast<uint64_t>(blockIdx.x) * (n_bins + GF_BINS_EXTRA) + slot, static_cast<u64>(n));
    }
}

__global__ void bins_of_extremes_kernel(const uint64_t *extremes, uint32_t dtype, uint32_t planes, uint32_t n_bins,
                                        bool same, struct gf_bins *bins)
{
    Range ranges[GF_MAX_CHANNELS], all = {false, false, 0.0, 0.0};
    for (uint32_t c = 0; c < planes; c++) {
        gf_dispatch_any(dtype, [&](auto tag) { ranges[c] = range_of(tag, extremes + c * GF_CUDA_EXTREMES); });
        if (!ranges[c].any)
            continue;
        all.lo = !all.any || ranges[c].lo < all.lo ? ranges[c].lo : all.lo;
        all.hi = !all.any || ranges[c].hi > all.hi ? ranges[c].hi : all.hi;
        all.any = true;
    }
    for (uint32_t c = 0; c < planes; c++)
        bins[c] =
            gf_bins_make(same ? all.lo : ranges[c].lo, same ? all.hi : ranges[c].hi, n_bins, dtype == GF_F32, true);
}

__global__ void bins_given_kernel(const struct gf_bins given, struct gf_bins *bins)
{
    bins[threadIdx.x] = given;
}

/* Shared memory that a block may have. */
size_t shared_room()
{
    int device = 0, bytes = 48 * 1024;
    if (cudaGetDevice(&device) == cudaSuccess)
        (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return static_cast<size_t>(bytes);
}

/* The most copies that fit and that the work is worth: log2, at most 5; -1 where not even one fits. */
int replicas(uint64_t counters, uint64_t room, uint64_t samples)
{
    int shift = -1;
    while (shift < 5 && (counters << (shift + 1)) * sizeof(uint32_t) <= room &&
           (shift < 0 || (counters << (shift + 1)) <= samples))
        shift++;
    return shift;
}

uint32_t blocks_for(const struct gf_cuda_call *call, uint64_t tiles, uint32_t per_unit)
{
    const uint64_t most = static_cast<uint64_t>(call->lane->device->info.units) * per_unit;
    return static_cast<uint32_t>(tiles < most ? tiles : most);
}

template <class T, Store S> cudaError_t prepare_one(size_t room)
{
    return cudaFuncSetAttribute(bins_kernel<T, S>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room));
}

template <class T> cudaError_t prepare_type(size_t room)
{
    cudaError_t error = prepare_one<T, in_replicas>(room);
    if constexpr (sizeof(T) > 1)
        error = error == cudaSuccess ? prepare_one<T, in_halves>(room) : error;
    return error;
}

template <class T>
void launch_bins(dim3 grid, size_t bytes, cudaStream_t stream, Store store, const struct gf_cuda_samples &s,
                 uint64_t tiles, const struct gf_bins *bins, uint32_t n_bins, uint32_t planes, uint32_t shift,
                 u64 *counts)
{
    if (store == in_replicas)
        bins_kernel<T, in_replicas>
            <<<grid, block_threads, bytes, stream>>>(s, tiles, bins, n_bins, planes, shift, counts);
    else if (store == in_global || sizeof(T) == 1)
        bins_kernel<T, in_global><<<grid, block_threads, 0, stream>>>(s, tiles, bins, n_bins, planes, shift, counts);
    else if constexpr (sizeof(T) > 1)
        bins_kernel<T, in_halves>
            <<<grid, block_threads, bytes, stream>>>(s, tiles, bins, n_bins, planes, shift, counts);
}

} // namespace

extern "C" struct gf_cuda_samples gf_cuda_samples(const struct gf_cuda_image *image, uint32_t planes, bool luma)
{
    const struct gf_view *view = &image->view;
    const uint64_t row_bytes = gf_view_row_bytes(view);
    struct gf_cuda_samples s = {};
    s.data = image->data;
    s.pitch = static_cast<size_t>(view->pitch);
    s.rows = view->height;
    s.row_samples = view->width * view->channels;
    if (row_bytes == view->pitch) {
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

extern "C" uint64_t gf_cuda_samples_tiles(const struct gf_cuda_samples *s)
{
    const uint64_t pieces = s->luma ? s->row_samples / s->channels : s->row_vectors;
    return (pieces + GF_CUDA_WARP_TILE - 1) / GF_CUDA_WARP_TILE * s->rows;
}

extern "C" cudaError_t gf_cuda_count_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                           uint64_t *values)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const uint32_t counters = s->planes * byte_levels, flip = s->dtype == GF_I8 ? 0x80808080u : 0;
    const int shift = replicas(counters, shared_room(), UINT64_MAX);
    const size_t bytes = (static_cast<size_t>(counters) << shift) * sizeof(uint32_t);
    const uint32_t blocks = blocks_for(call, tiles, bytes <= 96 * 1024 ? 2 : 1);
    u64 *to = reinterpret_cast<u64 *>(values);
    const cudaStream_t stream = call->lane->main;
    if (s->channels == 1)
        bytes_kernel<1><<<blocks, block_threads, bytes, stream>>>(*s, tiles, shift, flip, to);
    else if (s->channels == 2)
        bytes_kernel<2><<<blocks, block_threads, bytes, stream>>>(*s, tiles, shift, flip, to);
    else if (s->channels == 3)
        bytes_kernel<3><<<blocks, block_threads, bytes, stream>>>(*s, tiles, shift, flip, to);
    else
        bytes_kernel<4><<<blocks, block_threads, bytes, stream>>>(*s, tiles, shift, flip, to);
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_count_bins(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                          const struct gf_bins *bins, uint32_t n_bins, bool same, uint64_t *counts)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s), slots = n_bins + GF_BINS_EXTRA, room = shared_room();
    const uint64_t samples = s->row_samples * s->rows;
    const uint32_t planes = same && slots * s->planes * sizeof(uint32_t) <= room ? s->planes : 1;
    int shift = replicas(slots * planes, room, samples / call->lane->device->info.units);
    Store store = shift >= 0 ? in_replicas : slots * sizeof(uint16_t) + 2 <= room ? in_halves : in_global;
    if (samples < slots)
        store = in_global;
    const size_t bytes = store == in_replicas ? (slots * planes << shift) * sizeof(uint32_t)
                         : store == in_halves ? (slots + 1) / 2 * sizeof(uint32_t)
                                              : 0;
    const dim3 grid(blocks_for(call, tiles, store == in_global ? 2 : 1), s->planes / planes);
    u64 *to = reinterpret_cast<u64 *>(counts);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        launch_bins<T>(grid, bytes, call->lane->main, store, *s, tiles, bins, n_bins, planes,
                       shift > 0 ? static_cast<uint32_t>(shift) : 0, to);
    });
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_count_fold(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                          const uint64_t *values, const struct gf_bins *bins, uint32_t n_bins,
                                          uint64_t *counts)
{
    fold_kernel<<<s->planes, byte_levels, 0, call->lane->main>>>(values, s->dtype, bins, n_bins,
                                                                 reinterpret_cast<u64 *>(counts));
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_find_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                             bool finite, uint64_t *extremes)
{
    const uint64_t tiles = gf_cuda_samples_tiles(s);
    const uint32_t blocks = blocks_for(call, tiles, 8);
    gf_dispatch_any(s->dtype, [&](auto tag) {
        using T = decltype(tag);
        extremes_kernel<T><<<blocks, 256, 0, call->lane->main>>>(*s, tiles, finite, reinterpret_cast<u64 *>(extremes));
    });
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_extremes_of_bytes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                                 const uint64_t *values, uint64_t *extremes)
{
    bytes_extremes_kernel<<<s->planes, byte_levels, 0, call->lane->main>>>(values, s->dtype,
                                                                           reinterpret_cast<u64 *>(extremes));
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_bins_of_extremes(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                                const uint64_t *extremes, uint32_t n_bins, bool same,
                                                struct gf_bins *bins)
{
    bins_of_extremes_kernel<<<1, 1, 0, call->lane->main>>>(extremes, s->dtype, s->planes, n_bins, same, bins);
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_bins_given(const struct gf_cuda_call *call, const struct gf_cuda_samples *s,
                                          const struct gf_bins *given, struct gf_bins *bins)
{
    bins_given_kernel<<<1, s->planes, 0, call->lane->main>>>(*given, bins);
    return cudaGetLastError();
}

extern "C" cudaError_t gf_cuda_count_prepare(void)
{
    const size_t room = shared_room();
    cudaError_t error = cudaFuncSetAttribute(bytes_kernel<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(bytes_kernel<2>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(bytes_kernel<3>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(bytes_kernel<4>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)room);
    for (uint32_t dtype = GF_U8; dtype <= GF_F64; dtype++)
        gf_dispatch_any(dtype, [&](auto tag) {
            if (error == cudaSuccess)
                error = prepare_type<decltype(tag)>(room);
        });
    return error;
}
