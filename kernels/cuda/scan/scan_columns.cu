/* SPDX-License-Identifier: MIT */
/*
 * Scans of columns, docs/numerics.md, "Trees of scans". Called by scan.c and integral.c. A thread takes a row chunk, 64
 * rows of one column, and adjacent threads take adjacent columns. The first launch writes the totals of all row chunks,
 * the second turns them into prefixes, the third writes the results.
 */
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/cuda_status.h"
#include "kernels/cuda/memory/cuda_pool.h"
#include "scan_op.cuh"
#include "scan_run.h"

namespace
{

using namespace gf;

constexpr int column_threads = 128;
constexpr int carry_batch = 8;
constexpr uint64_t nowhere = UINT64_MAX;

/* Applies the per-element part of the operator: a recurrence's b, initial value, or square. */
template <class Op>
__device__ __forceinline__ typename Op::value prepared(const Op &op, typename Op::value v, uint64_t index)
{
    const struct scan_args &args = op.args;
    if constexpr (Op::is_affine) {
        v = __dmul_rn(args.scan.b, v);
        if (index == 0 && args.scan.started)
            v = __fma_rn(args.scan.a, args.scan.init.f, v);
        return v;
    } else if constexpr (Op::adds) {
        return args.scan.square ? v * v : v;
    } else {
        return v;
    }
}

/* Loads elements at byte offsets. Elements at `nowhere` get an arbitrary value. */
template <class Op>
__device__ __forceinline__ void load_batch(const Op &op, const uint64_t (&at)[scan_batch],
                                           typename Op::value (&x)[scan_batch])
{
    const char *src = static_cast<const char *>(op.args.scan.src);
    op.dispatch_in([&](auto tag) {
        using T = decltype(tag);
#pragma unroll
        for (int k = 0; k < scan_batch; k++)
            x[k] = op.loaded(at[k] == nowhere ? T{} : *reinterpret_cast<const T *>(src + at[k]));
    });
}

template <class Op>
__device__ __forceinline__ void store_batch(const Op &op, const uint64_t (&at)[scan_batch],
                                            const typename Op::value (&x)[scan_batch])
{
    char *dst = static_cast<char *>(op.args.scan.dst);
    op.dispatch_out([&](auto tag) {
        using T = decltype(tag);
#pragma unroll
        for (int k = 0; k < scan_batch; k++)
            if (at[k] != nowhere)
                *reinterpret_cast<T *>(dst + at[k]) = stored<T>(op, x[k]);
    });
}

template <class Op> __device__ __forceinline__ void store_first(const Op &op, uint64_t at)
{
    char *dst = static_cast<char *>(op.args.scan.dst);
    op.dispatch_out([&](auto tag) {
        using T = decltype(tag);
        *reinterpret_cast<T *>(dst + at) = stored<T>(op, Op::of(op.args.scan.first));
    });
}

/* Walks through the elements of a row chunk, whose prefix is `base`. */
template <class Op> struct walk {
    using V = typename Op::value;
    const Op &op;
    typename Op::prefix base, s;
    V last; /* the previous result, where Op is exact */

    __device__ __forceinline__ walk(const Op &the_op, const typename Op::prefix &before)
        : op(the_op), base(before), s(op.none()), last{}
    {
        if constexpr (Op::exact) {
            last = base.item;
            if (op.args.scan.started)
                last = op(Op::of(op.args.scan.init), last);
        }
    }

    /* Returns the result of element `index`, whose value is x. */
    __device__ __forceinline__ V next(V x, uint64_t sequence, uint64_t index)
    {
        const struct scan_args &args = op.args;
        if constexpr (Op::exact) {
            const V v = op(last, x);
            if constexpr (!Op::is_extreme) {
                const uint64_t to = index + args.scan.exclusive;
                if (args.scan.checked && to < args.length && (op.overflows(last, x, v) || !fits(args, v)))
                    report_overflow(args, sequence, to);
            }
            last = v;
            return v;
        } else {
            s = join(op, s, op.some(op.lift(x)));
            const V v = Op::lower(join(op, base, s).item);
            if constexpr (!Op::is_affine)
                if (args.scan.started)
                    return op(args.scan.init.f, v);
            return v;
        }
    }
};

/* Computes the byte offsets of a batch of elements of one column, from `first` on. Elements past the end are
 * `nowhere`. */
__device__ __forceinline__ void locate_batch(const struct scan_args &args, uint64_t column, uint64_t first,
                                             uint64_t pitch, uint32_t size, uint64_t (&at)[scan_batch])
{
#pragma unroll
    for (int k = 0; k < scan_batch; k++) {
        const uint64_t index = first + k, row = args.scan.reverse ? args.length - 1 - index : index;
        at[k] = index < args.length ? row * pitch + column * size : nowhere;
    }
}

template <class Op>
__device__ __forceinline__ void load_column(const Op &op, uint64_t column, uint64_t first,
                                            typename Op::value (&x)[scan_batch])
{
    uint64_t at[scan_batch];
    locate_batch(op.args, column, first, op.args.scan.src_pitch, op.args.in_size, at);
    load_batch(op, at, x);
#pragma unroll
    for (int k = 0; k < scan_batch; k++)
        x[k] = prepared(op, x[k], first + k);
}

template <class Op>
__global__ void __launch_bounds__(column_threads) row_chunk_totals_kernel(const __grid_constant__ struct scan_args args)
{
    const Op op(args);
    const uint64_t threads = static_cast<uint64_t>(gridDim.x) * column_threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * column_threads + threadIdx.x;
         t < args.sequences * args.n_blocks; t += threads) {
        const uint64_t column = t % args.sequences, first = t / args.sequences * GF_SCAN_ROW_CHUNK;
        typename Op::prefix s = op.none();
        for (unsigned j = 0; j < GF_SCAN_ROW_CHUNK; j += scan_batch) {
            typename Op::value x[scan_batch];
            load_column(op, column, first + j, x);
#pragma unroll
            for (int k = 0; k < scan_batch; k++)
                s = join(op, s, op.some(op.lift(x[k])));
        }
        static_cast<typename Op::item *>(args.between)[t] = s.item;
    }
}

/* Calls f with the scan's operator, on host and device, and returns the result of f. Sums of floats have an operator of
 * their own: with a product beside the sum, the results kernel needs a third more registers. */
#pragma nv_exec_check_disable
template <class F> __host__ __device__ __forceinline__ auto with_operator(const struct scan_args &args, F &&f)
{
    if (args.scan.what == GF_SCAN_AFFINE)
        return f(scan_affine(args));
    if (args.scan.what == GF_SCAN_MIN || args.scan.what == GF_SCAN_MAX)
        return has_short_keys(args) ? f(scan_extreme<int32_t>(args)) : f(scan_extreme<int64_t>(args));
    if (args.scan.in != GF_F32 && args.scan.in != GF_F64)
        return f(scan_sum_or_product<uint64_t>(args));
    return args.scan.what == GF_SCAN_SUM ? f(scan_sum<double>(args)) : f(scan_sum_or_product<double>(args));
}

/* Computes P[k + 1] = P[k] combined with the total of row chunk k, one thread per column. */
template <class Op> __device__ __forceinline__ void prefix_columns(const Op &op)
{
    const struct scan_args &args = op.args;
    const uint64_t threads = static_cast<uint64_t>(gridDim.x) * column_threads;
    for (uint64_t column = static_cast<uint64_t>(blockIdx.x) * column_threads + threadIdx.x; column < args.sequences;
         column += threads) {
        auto *between = static_cast<typename Op::item *>(args.between) + column;
        typename Op::prefix p = op.none();
        for (uint64_t first = 0; first < args.n_blocks; first += carry_batch) {
            typename Op::item totals[carry_batch];
#pragma unroll
            for (int k = 0; k < carry_batch; k++)
                if (first + k < args.n_blocks)
                    totals[k] = between[(first + k) * args.sequences];
#pragma unroll
            for (int k = 0; k < carry_batch; k++)
                if (first + k < args.n_blocks) {
                    between[(first + k) * args.sequences] = p.item;
                    p = join(op, p, op.some(totals[k]));
                }
        }
    }
}

/* The totals are a 64th of the elements, so a single kernel serves all operators. */
__global__ void __launch_bounds__(column_threads) row_chunk_prefix_kernel(const __grid_constant__ struct scan_args args)
{
    with_operator(args, [](const auto &op) { prefix_columns(op); });
}

template <class Op>
__global__ void __launch_bounds__(column_threads)
    row_chunk_results_kernel(const __grid_constant__ struct scan_args args)
{
    const Op op(args);
    const uint64_t threads = static_cast<uint64_t>(gridDim.x) * column_threads;
    for (uint64_t t = static_cast<uint64_t>(blockIdx.x) * column_threads + threadIdx.x;
         t < args.sequences * args.n_blocks; t += threads) {
        const uint64_t column = t % args.sequences, first = t / args.sequences * GF_SCAN_ROW_CHUNK;
        typename Op::prefix before = op.none();
        if (first > 0)
            before = op.some(static_cast<const typename Op::item *>(args.between)[t]);
        walk<Op> results(op, before);
        for (unsigned j = 0; j < GF_SCAN_ROW_CHUNK && first + j < args.length; j += scan_batch) {
            typename Op::value x[scan_batch];
            uint64_t at[scan_batch];
            load_column(op, column, first + j, x);
#pragma unroll
            for (int k = 0; k < scan_batch; k++)
                x[k] = results.next(x[k], column, first + j + k);
            locate_batch(args, column, first + j + args.scan.exclusive, args.scan.dst_pitch, args.out_size, at);
            store_batch(op, at, x);
        }
        if (args.scan.exclusive && first == 0) {
            const uint64_t row = args.scan.reverse ? args.length - 1 : 0;
            store_first(op, row * args.scan.dst_pitch + column * args.out_size);
        }
    }
}

template <class Op> enum gf_status start_columns(struct gf_cuda_call *call, struct scan_args args, struct gf_error *err)
{
    const uint64_t row_chunks = args.sequences * args.n_blocks;
    const unsigned grid = gf_cuda_grid((row_chunks + column_threads - 1) / column_threads);
    cudaStream_t stream = call->exec->main;
    if (args.n_blocks > 1) {
        enum gf_status status = gf_cuda_alloc(call->exec, row_chunks * sizeof(typename Op::item), &args.between, err);
        if (status != GF_OK)
            return status;
        row_chunk_totals_kernel<Op><<<grid, column_threads, 0, stream>>>(args);
        row_chunk_prefix_kernel<<<gf_cuda_grid((args.sequences + column_threads - 1) / column_threads), column_threads,
                                  0, stream>>>(args);
    }
    row_chunk_results_kernel<Op><<<grid, column_threads, 0, stream>>>(args);
    enum gf_status status = gf_cuda_status(cudaPeekAtLastError(), "starting a scan of columns", err);
    gf_cuda_free(call->exec, args.between);
    return status;
}

} // namespace

extern "C" enum gf_status gf_cuda_scan_columns(struct gf_cuda_call *call, const struct gf_scan *scan,
                                               struct gf_error *err)
{
    struct scan_args args = make_args(*scan);
    args.n_blocks = (args.length + GF_SCAN_ROW_CHUNK - 1) / GF_SCAN_ROW_CHUNK;
    enum gf_status status = scan->checked ? gf_cuda_fault_word(call, gf_scan_overflow, &args.fault, err) : GF_OK;
    if (status != GF_OK)
        return status;
    return with_operator(args,
                         [&](const auto &op) { return start_columns<std::decay_t<decltype(op)>>(call, args, err); });
}
