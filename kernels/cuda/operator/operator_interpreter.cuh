/* SPDX-License-Identifier: MIT */
/*
 * Interprets the texts of an operator, docs/numerics.md, "Operators of users": a thread executes one instruction after
 * another, for one element or two states. Instructions are in shared memory, since all threads read the same one. A
 * thread's registers are in local memory. The last result stays in a hardware register, from where most instructions
 * read it. Included by reduce_interpreter.cu and scan_interpreter.cu.
 */
#ifndef GF_CUDA_OPERATOR_INTERPRETER_CUH
#define GF_CUDA_OPERATOR_INTERPRETER_CUH

#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/point/expr_insns.cuh"
#include "kernels/cuda/point/expr_interpreter.h"
#include "operator_interpreter.h"
#include "operator_kernels.cuh"

namespace gf
{
namespace user
{

extern __shared__ uint64_t code_words[];

/* The value of an operand of an instruction, or of a result. */
__device__ __forceinline__ uint64_t operand_at(uint32_t operand, uint64_t last, const uint64_t *file,
                                               uint32_t constants)
{
    if (operand == GF_CUDA_EXPR_LAST)
        return last;
    return operand < GF_CUDA_EXPR_FIRST_CONSTANT ? file[operand]
                                                 : code_words[constants + operand - GF_CUDA_EXPR_FIRST_CONSTANT];
}

template <class M> __device__ __forceinline__ uint64_t sample_as(const char *at, uint32_t dtype)
{
    return gf_dispatch_any(dtype, [&](auto tag) {
        return gf::expr::to_word<uint64_t>(static_cast<M>(*reinterpret_cast<const decltype(tag) *>(at)));
    });
}

template <class M> __device__ __forceinline__ uint64_t place_as(const struct place &p, uint32_t what)
{
    const uint64_t v = what == GF_EXPR_X ? p.x : what == GF_EXPR_Y ? p.y : what == GF_EXPR_CH ? p.channel : p.i;
    return gf::expr::to_word<uint64_t>(static_cast<M>(v));
}

/* The longest instructions are not inlined, so that the code has one copy of each. */
template <int op> __device__ __forceinline__ uint64_t apply(uint64_t a, uint64_t b, uint64_t c)
{
    using namespace gf::expr;
    using i = insn<op>;
    return to_word<uint64_t>(
        i::of(from_word<typename i::condition>(a), from_word<typename i::type>(b), from_word<typename i::type>(c)));
}
template <int op> __device__ __noinline__ uint64_t apply_called(uint64_t a, uint64_t b)
{
    return apply<op>(a, b, b);
}

constexpr bool among_long(int op)
{
    switch (op) {
#define GF_LONG(name, type, is_called)                                                                                 \
    case GF_EXPR_I_##name##_##type:                                                                                    \
        return is_called;
        GF_CUDA_EXPR_LONG(GF_LONG)
#undef GF_LONG
    default:
        return false;
    }
}
template <int op> constexpr bool is_long = among_long(op);

/* Runs a text and returns its last result. Not inlined, so that all kernels of a file share the code. `p` and the
 * parameters after it are for lift alone. */
static __device__ __noinline__ uint64_t run_text(uint32_t first, uint32_t end, uint32_t constants, uint64_t *file,
                                                 const struct place &p, uint32_t dtype, uint32_t size)
{
    uint64_t last = 0;
#pragma unroll 1
    for (uint32_t i = first; i < end; i++) {
        const uint64_t word = code_words[i];
        const uint32_t what = static_cast<uint32_t>(word >> 48), dst = static_cast<uint32_t>(word >> 16) & 0xFF;
        const uint64_t a = operand_at(static_cast<uint32_t>(word >> 24) & 0xFF, last, file, constants),
                       b = operand_at(static_cast<uint32_t>(word >> 32) & 0xFF, last, file, constants),
                       c = operand_at(static_cast<uint32_t>(word >> 40) & 0xFF, last, file, constants);
        const char *const sample = p.at + (what >> 2 & 3) * size; /* the way does not matter: its own channel is 0 */
        switch (static_cast<uint32_t>(word) & 0xFFFF) {
        case GF_EXPR_I_LOAD_I32:
            last = sample_as<int32_t>(sample, dtype);
            break;
        case GF_EXPR_I_LOAD_I64:
            last = sample_as<int64_t>(sample, dtype);
            break;
        case GF_EXPR_I_LOAD_U64:
            last = sample_as<uint64_t>(sample, dtype);
            break;
        case GF_EXPR_I_LOAD_F32:
            last = sample_as<float>(sample, dtype);
            break;
        case GF_EXPR_I_LOAD_F64:
            last = sample_as<double>(sample, dtype);
            break;
        case GF_EXPR_I_PLACE_I32:
            last = place_as<int32_t>(p, what);
            break;
        case GF_EXPR_I_PLACE_I64:
            last = place_as<int64_t>(p, what);
            break;
        case GF_EXPR_I_PLACE_F32:
            last = place_as<float>(p, what);
            break;
        case GF_EXPR_I_PLACE_F64:
            last = place_as<double>(p, what);
            break;
#define GF_EXPR_INSN(name, type, n, result, value)                                                                     \
    case GF_EXPR_I_##name##_##type:                                                                                    \
        if constexpr (is_long<GF_EXPR_I_##name##_##type>)                                                              \
            last = apply_called<GF_EXPR_I_##name##_##type>(a, b);                                                      \
        else                                                                                                           \
            last = apply<GF_EXPR_I_##name##_##type>(a, b, c);                                                          \
        break;
#include "kernels/shared/expr/instructions.def"
        default:
            break;
        }
        if (dst != GF_CUDA_EXPR_NO_STORE)
            file[dst] = last;
    }
    return last;
}

/* An operator whose states have at most n values. */
template <int n> struct interpreting {
    struct state {
        uint64_t v[n];
    };
    static constexpr bool at_once = false;

    const struct gf_cuda_operator_args &args;
    const struct gf_cuda_operator_code &code;
    uint64_t *file; /* GF_EXPR_REGISTERS words, of this thread */

    /* Must be called once by all threads of a block. Copies the instructions to shared memory; the barrier makes them
     * visible to all threads, and they are not written again. */
    __device__ __forceinline__ interpreting(const struct gf_cuda_operator_args &the_args,
                                            const struct gf_cuda_operator_code &the_code, uint64_t *the_file)
        : args(the_args), code(the_code), file(the_file)
    {
        for (uint32_t i = threadIdx.x; i < code.n_words; i += threads)
            code_words[i] = code.words[i];
        gf_sync_block();
    }

    __device__ __forceinline__ uint64_t run(int text, const struct place &p) const
    {
        const struct gf_cuda_operator_slice &t = code.texts[text];
        return run_text(t.first, t.end, t.constants, file, p, args.dtype, args.src_size);
    }
    __device__ __forceinline__ uint64_t result(int text, int k, uint64_t last) const
    {
        return operand_at(code.texts[text].results[k], last, file, code.texts[text].constants);
    }
    __device__ __forceinline__ state results(int text, uint64_t last) const
    {
        state s;
#pragma unroll
        for (int k = 0; k < n; k++)
            s.v[k] = k < code.texts[text].n_results ? result(text, k, last) : 0;
        return s;
    }

    __device__ __forceinline__ state lift(const struct place &p) const
    {
        return results(GF_CUDA_OPERATOR_LIFT, run(GF_CUDA_OPERATOR_LIFT, p));
    }

    __device__ __forceinline__ state combine(const state &earlier, const state &later) const
    {
#pragma unroll
        for (int k = 0; k < n; k++) {
            file[k] = earlier.v[k];
            file[GF_EXPR_MAX_STATE + k] = later.v[k];
        }
        return results(GF_CUDA_OPERATOR_COMBINE, run(GF_CUDA_OPERATOR_COMBINE, {}));
    }

    /* The state of an empty sequence. */
    __device__ __forceinline__ state none() const
    {
        state s;
#pragma unroll
        for (int k = 0; k < n; k++)
            s.v[k] = args.identity[k];
        return s;
    }

    /* Stores the results of finish in their own types: only NaN changes, to the canonical one. */
    __device__ __forceinline__ void store(char *at, const state &s) const
    {
        using namespace gf::expr;
#pragma unroll
        for (int k = 0; k < n; k++)
            file[k] = s.v[k];
        const uint64_t last = run(GF_CUDA_OPERATOR_FINISH, {});
#pragma unroll 1
        for (uint32_t k = 0; k < code.texts[GF_CUDA_OPERATOR_FINISH].n_results; k++, at += args.dst_size) {
            const uint64_t word = result(GF_CUDA_OPERATOR_FINISH, static_cast<int>(k), last);
            const float f32 = from_word<float>(word);
            const double f64 = from_word<double>(word);
            if (args.dst_dtype == GF_F32)
                *reinterpret_cast<uint32_t *>(at) = f32 == f32 ? static_cast<uint32_t>(word) : 0x7FC00000u;
            else if (args.dst_dtype == GF_F64)
                *reinterpret_cast<uint64_t *>(at) = f64 == f64 ? word : 0x7FF8000000000000u;
            else if (args.dst_dtype == GF_U8)
                *at = static_cast<char>(word);
            else
                *reinterpret_cast<uint64_t *>(at) = word;
        }
    }

    static __device__ __forceinline__ state load(const uint64_t *at, uint64_t all)
    {
        state s;
#pragma unroll
        for (int k = 0; k < n; k++)
            s.v[k] = at[k * all];
        return s;
    }
    static __device__ __forceinline__ void save(uint64_t *at, uint64_t all, const state &s)
    {
#pragma unroll
        for (int k = 0; k < n; k++)
            at[k * all] = s.v[k];
    }
    static __device__ __forceinline__ state shuffle(const state &s, int lane)
    {
        state other;
#pragma unroll
        for (int k = 0; k < n; k++)
            other.v[k] = gf_shuffle(s.v[k], lane);
        return other;
    }
    static __device__ __forceinline__ state shuffle_down(const state &s, unsigned d)
    {
        state other;
#pragma unroll
        for (int k = 0; k < n; k++)
            other.v[k] = gf_shuffle_down(s.v[k], d);
        return other;
    }
    static __device__ __forceinline__ state shuffle_up(const state &s, unsigned d)
    {
        state other;
#pragma unroll
        for (int k = 0; k < n; k++)
            other.v[k] = gf_shuffle_up(s.v[k], d);
        return other;
    }
};

template <int n, int kernel>
__global__ void __launch_bounds__(threads) interpret_kernel(const __grid_constant__ struct gf_cuda_operator_args args,
                                                            const __grid_constant__ struct gf_cuda_operator_level level,
                                                            const __grid_constant__ struct gf_cuda_operator_code code)
{
    uint64_t file[GF_EXPR_REGISTERS];
    run_kernel<kernel>(interpreting<n>(args, code, file), level);
}

template <int kernel>
cudaError_t interpret(const struct gf_cuda_operator_args *args, const struct gf_cuda_operator_level *level,
                      const struct gf_cuda_operator_code *code, unsigned blocks, cudaStream_t stream)
{
    const auto start = code->n_state == 1   ? interpret_kernel<1, kernel>
                       : code->n_state == 2 ? interpret_kernel<2, kernel>
                                            : interpret_kernel<GF_CUDA_OPERATOR_VALUES, kernel>;
    start<<<blocks, threads, code->n_words * sizeof(uint64_t), stream>>>(*args, *level, *code);
    return cudaPeekAtLastError();
}

} // namespace user
} // namespace gf

#endif
