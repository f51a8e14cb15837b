/* SPDX-License-Identifier: MIT */
/*
 * Matrix products, docs/numerics.md, "matmul". Called through the table of ops. A block of 16 x 16 threads computes a
 * square tile of the product, each thread N x N elements, from chunks of a and b in shared memory. The next chunk is
 * loaded into registers while the current one is multiplied. Each element is a chain over ascending k.
 */
#include <type_traits>

#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"
#include "kernels/cuda/step/cuda_ops.h"
#include "kernels/cuda/step/launches.cuh"
#include "kernels/shared/matmul.h"
#include "max_magnitude.h"

namespace
{

constexpr int side = 16; /* threads */
constexpr int threads = side * side;
constexpr int depth = 16; /* of a chunk */
constexpr int quad = 4;
constexpr uint64_t launch_depth = 1u << 13; /* k per launch */
constexpr uint64_t launch_tiles = 512;      /* of one launch, at least: some for every multiprocessor */

struct matrices {
    const char *a, *b;
    char *out;
    uint64_t a_pitch, b_pitch, out_pitch;
    uint64_t rows, cols, depth; /* rows and columns of the product, terms per sum */
    uint64_t tiles_across;
};

__device__ __forceinline__ float multiply_add(float a, float b, float c)
{
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c)
{
    return __fma_rn(a, b, c);
}
__device__ __forceinline__ uint64_t multiply_add(int32_t a, int32_t b, uint64_t c)
{
    return c + static_cast<uint64_t>(static_cast<int64_t>(a) * b);
}

__device__ __forceinline__ float stored(float v)
{
    return v != v ? __int_as_float(0x7FC00000) : v;
}
__device__ __forceinline__ double stored(double v)
{
    return v != v ? __longlong_as_double(0x7FF8000000000000ll) : v;
}
__device__ __forceinline__ uint64_t stored(uint64_t v)
{
    return v;
}

template <class T> struct alignas(16) four {
    T v[quad];
};

/* In is the type of an element in memory, Held in shared memory, Acc in the product. */
template <class In_, class Held_, class Acc_, int N_> struct kind {
    static constexpr double launch_work = N_ == 8 ? 0x1p36 : 0x1p34; /* multiplications per launch, about: 4 ms */
    using In = In_;
    using Held = Held_;
    using Acc = Acc_;
    static constexpr int N = N_, tile = side * N_, pitch = tile + quad;
};

/* Returns the position of a thread's element i along one side of the tile: groups of four, `side` groups apart. */
__device__ __forceinline__ int place(int thread, int i)
{
    return i / quad * (side * quad) + thread * quad + i % quad;
}

/* The next chunk, in registers: N elements of a and of b per thread. Past the depth it holds -0 and +0, whose product
 * leaves every sum unchanged. */
template <class K> struct depth_chunk {
    typename K::Held a[K::N], b[K::N];

    __device__ __forceinline__ void fetch(const matrices &m, uint64_t row, uint64_t col, uint64_t k, uint64_t end)
    {
        using In = typename K::In;
        using Held = typename K::Held;
#pragma unroll
        for (int i = 0; i < K::N; i++) {
            const unsigned n = i * threads + threadIdx.x;
            const uint64_t ak = k + n % depth, ay = row + n / depth, bx = col + n % K::tile, bk = k + n / K::tile;
            a[i] = -Held{0};
            b[i] = Held{0};
            if (ak < end && ay < m.rows)
                a[i] = static_cast<Held>(reinterpret_cast<const In *>(m.a + ay * m.a_pitch)[ak]);
            if (bk < end && bx < m.cols)
                b[i] = static_cast<Held>(reinterpret_cast<const In *>(m.b + bk * m.b_pitch)[bx]);
        }
    }

    __device__ __forceinline__ void put(typename K::Held (&to_a)[depth][K::pitch],
                                        typename K::Held (&to_b)[depth][K::pitch]) const
    {
#pragma unroll
        for (int i = 0; i < K::N; i++) {
            const unsigned n = i * threads + threadIdx.x;
            to_a[n % depth][n / depth] = a[i];
            to_b[n / K::tile][n % K::tile] = b[i];
        }
    }
};

template <class K>
__device__ __forceinline__ void multiply(const typename K::Held (&a)[depth][K::pitch],
                                         const typename K::Held (&b)[depth][K::pitch],
                                         typename K::Acc (&acc)[K::N][K::N])
{
    using Four = four<typename K::Held>;
    const int tx = threadIdx.x % side, ty = threadIdx.x / side;
#pragma unroll
    for (int k = 0; k < depth; k++) {
        Four left[K::N / quad], right[K::N / quad];
#pragma unroll
        for (int q = 0; q < K::N / quad; q++) {
            left[q] = *reinterpret_cast<const Four *>(&a[k][place(ty, q * quad)]);
            right[q] = *reinterpret_cast<const Four *>(&b[k][place(tx, q * quad)]);
        }
#pragma unroll
        for (int i = 0; i < K::N; i++)
#pragma unroll
            for (int j = 0; j < K::N; j++)
                acc[i][j] = multiply_add(left[i / quad].v[i % quad], right[j / quad].v[j % quad], acc[i][j]);
    }
}

/* Computes one tile per block, from tile `first` on, and the terms k ... end of each sum. Later launches continue the
 * sums of earlier ones. */
template <class K>
__global__ void __launch_bounds__(threads)
    product_kernel(const __grid_constant__ matrices m, uint64_t first, uint64_t k, uint64_t end)
{
    __shared__ alignas(16) typename K::Held a[depth][K::pitch], b[depth][K::pitch];
    const uint64_t number = first + blockIdx.x;
    const uint64_t row = number / m.tiles_across * K::tile, col = number % m.tiles_across * K::tile;
    const int tx = threadIdx.x % side, ty = threadIdx.x / side;
    const bool begun = k > 0;
    typename K::Acc acc[K::N][K::N] = {};
#pragma unroll
    for (int i = 0; i < K::N; i++)
#pragma unroll
        for (int j = 0; j < K::N; j++) {
            const uint64_t y = row + place(ty, i), x = col + place(tx, j);
            if (begun && y < m.rows && x < m.cols)
                acc[i][j] = reinterpret_cast<const typename K::Acc *>(m.out + y * m.out_pitch)[x];
        }
    depth_chunk<K> next;
    next.fetch(m, row, col, k, end);
    for (; k < end; k += depth) {
        next.put(a, b);
        gf_sync_block();
        if (k + depth < end)
            next.fetch(m, row, col, k + depth, end);
        multiply<K>(a, b, acc);
        gf_sync_block();
    }
#pragma unroll
    for (int i = 0; i < K::N; i++)
#pragma unroll
        for (int j = 0; j < K::N; j++) {
            const uint64_t y = row + place(ty, i), x = col + place(tx, j);
            if (y < m.rows && x < m.cols)
                reinterpret_cast<typename K::Acc *>(m.out + y * m.out_pitch)[x] = stored(acc[i][j]);
        }
}

/* Launches the product in pieces of a few milliseconds, so that a stop is noticed between them. */
template <class K> enum gf_status start_product(struct gf_cuda_call *call, matrices m, struct gf_error *err)
{
    m.tiles_across = (m.cols + K::tile - 1) / K::tile;
    const uint64_t tiles = m.tiles_across * ((m.rows + K::tile - 1) / K::tile);
    for (uint64_t k = 0; k < m.depth; k += launch_depth) {
        const uint64_t end = m.depth - k < launch_depth ? m.depth : k + launch_depth;
        const double tile_work = static_cast<double>(end - k) * K::tile * K::tile;
        const uint64_t fit = static_cast<uint64_t>(K::launch_work / tile_work);
        const uint64_t limit = fit > launch_tiles ? fit : launch_tiles;
        const enum gf_status status = gf::in_parts(
            call, tiles, limit, tile_work / quad, "starting a product of matrices", err, [&](const gf::Range &range) {
                const unsigned grid = static_cast<unsigned>(range.end - range.first);
                product_kernel<K><<<grid, threads, 0, call->exec->main>>>(m, range.first, k, end);
            });
        if (status != GF_OK)
            return status;
    }
    return GF_OK;
}

/* The descriptor admits no other dtypes. */
template <class In> enum gf_status start(struct gf_cuda_call *call, const matrices &m, struct gf_error *err)
{
    if constexpr (std::is_same_v<In, float>)
        return start_product<kind<In, In, In, 8>>(call, m, err);
    else if constexpr (std::is_same_v<In, double>)
        return start_product<kind<In, In, In, 4>>(call, m, err);
    else if constexpr (std::is_signed_v<In> && sizeof(In) <= sizeof(int32_t)) {
        enum gf_status status = GF_OK;
        if (gf_matmul_checked(call->step, call->image[0]->view.dtype, m.depth))
            status = gf_cuda_refuse_products(call, 0, gf_matmul_limit(m.depth), gf_matmul_overflow, err);
        return status == GF_OK ? start_product<kind<In, int32_t, uint64_t, 4>>(call, m, err) : status;
    } else
        return gf_error_set(err, GF_E_UNSUPPORTED, "%s: matrices of this dtype are not multiplied",
                            call->step->op->name);
}

} // namespace

extern "C" enum gf_status gf_cuda_matmul(struct gf_cuda_call *call, struct gf_error *err)
{
    struct gf_cuda_image *a = call->image[0], *b = call->image[1], *out = &call->out[0];
    enum gf_status status = gf_cuda_require_rows(call, a, a->view.height, err);
    if (status == GF_OK)
        status = gf_cuda_require_rows(call, b, b->view.height, err);
    if (status != GF_OK)
        return status;
    matrices m = {};
    m.a = static_cast<const char *>(a->data);
    m.b = static_cast<const char *>(b->data);
    m.out = static_cast<char *>(out->data);
    m.a_pitch = a->view.pitch;
    m.b_pitch = b->view.pitch;
    m.out_pitch = out->view.pitch;
    m.rows = out->view.height;
    m.cols = out->view.width;
    m.depth = a->view.width;
    return gf_dispatch_any(a->view.dtype, [&](auto zero) { return start<decltype(zero)>(call, m, err); });
}
