/* SPDX-License-Identifier: MIT */
/*
 * Runs programs of expressions as they are, docs/numerics.md 26: a warp takes instruction after instruction, each for
 * all places of its threads. Called by expr.c where no kernel was compiled for the program.
 *
 * Values are words of 32 bits where the program has no wider type, else of 64. A thread has eight places of the one,
 * four of the other, so that a register always is 32 bytes of a thread: two vectors in shared memory that no other
 * thread reads or writes, so that nothing has to wait. The last result stays in the thread's own registers; most
 * instructions take it from there, and it is not stored where nobody else wants it.
 */
#include "expr_interpreter.h"

#include "expr_rows.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/shared/expr/operators.h"
#include "kernels/shared/expr/program.h"

namespace
{

using namespace gf::expr;

template <class Word> constexpr int places = 32 / sizeof(Word); /* of a thread */
template <class Word> constexpr int quads = places<Word> / quad;

/* The C++ types of machine types, and words as these and back. */
template <int machine> struct machine_type;
template <> struct machine_type<GF_EXPR_M_I32> {
    using type = int32_t;
};
template <> struct machine_type<GF_EXPR_M_I64> {
    using type = int64_t;
};
template <> struct machine_type<GF_EXPR_M_U64> {
    using type = uint64_t;
};
template <> struct machine_type<GF_EXPR_M_F32> {
    using type = float;
};
template <> struct machine_type<GF_EXPR_M_F64> {
    using type = double;
};
template <int machine> using type_of = typename machine_type<machine>::type;

template <class T, class Word> __device__ __forceinline__ T from_word(Word w)
{
    if constexpr (sizeof(T) == 4 && std::is_same_v<T, float>)
        return __uint_as_float(static_cast<uint32_t>(w));
    else if constexpr (std::is_same_v<T, double>)
        return __longlong_as_double(static_cast<int64_t>(w));
    else
        return static_cast<T>(w);
}
template <class Word, class T> __device__ __forceinline__ Word to_word(T v)
{
    if constexpr (std::is_same_v<T, float>)
        return __float_as_uint(v);
    else if constexpr (std::is_same_v<T, double>)
        return static_cast<Word>(__double_as_longlong(v));
    else if constexpr (sizeof(T) == 4)
        return static_cast<uint32_t>(v);
    else
        return static_cast<Word>(v);
}

template <class Word> struct machine {
    const gf_cuda_expr_code &code;
    const gf_cuda_expr_rows &rows;
    uint4 *file;             /* this thread's vector 0 of register 0 */
    Word last[places<Word>]; /* the last result */
    spot at;

    union vectors {
        uint4 v[2];
        Word w[places<Word>];
    };

    __device__ __forceinline__ Word constant(uint32_t operand) const
    {
        return static_cast<Word>(code.constants[operand - GF_CUDA_EXPR_FIRST_CONSTANT]);
    }

    __device__ __forceinline__ vectors stored(uint32_t reg) const
    {
        vectors u;
        u.v[0] = file[reg * 2 * blockDim.x];
        u.v[1] = file[(reg * 2 + 1) * blockDim.x];
        return u;
    }

    /* An operand of any kind. */
    __device__ __forceinline__ vectors fetch(uint32_t operand) const
    {
        vectors u;
        if (operand < GF_CUDA_EXPR_FIRST_CONSTANT)
            return stored(operand);
        const Word value = operand == GF_CUDA_EXPR_LAST ? 0 : constant(operand);
#pragma unroll
        for (int j = 0; j < places<Word>; j++)
            u.w[j] = operand == GF_CUDA_EXPR_LAST ? last[j] : value;
        return u;
    }

    __device__ __forceinline__ void keep(uint32_t reg)
    {
        if (reg == GF_CUDA_EXPR_NO_STORE)
            return;
        vectors u;
#pragma unroll
        for (int j = 0; j < places<Word>; j++)
            u.w[j] = last[j];
        file[reg * 2 * blockDim.x] = u.v[0];
        file[(reg * 2 + 1) * blockDim.x] = u.v[1];
    }

    /* The quad q of the thread's places. */
    __device__ __forceinline__ spot quad_at(int q) const
    {
        return {at.row, at.first + static_cast<uint64_t>(q) * span, at.lane};
    }

    template <class M> __device__ __forceinline__ void load_as(const gf_cuda_expr_insn &insn)
    {
        const uint32_t input = insn.reserved & 3, channel = insn.reserved >> 2 & 3, way = insn.reserved >> 4;
#pragma unroll
        for (int q = 0; q < quads<Word>; q++) {
            const auto take = [&](auto tag) {
                decltype(tag) s[quad];
                load(rows, quad_at(q), input, channel, way, s);
#pragma unroll
                for (int j = 0; j < quad; j++)
                    last[q * quad + j] = to_word<Word>(read<M>(s[j]));
            };
            if (rows.in[input].dtype == GF_F16)
                take(half_bits{});
            else
                gf_dispatch_any(rows.in[input].dtype, take);
        }
    }

    template <class M> __device__ __forceinline__ void place_as(uint32_t what)
    {
#pragma unroll
        for (int q = 0; q < quads<Word>; q++)
#pragma unroll
            for (int j = 0; j < quad; j++) {
                const spot s = quad_at(q);
                const uint64_t v = what == GF_EXPR_X   ? place_x(rows, s, j)
                                   : what == GF_EXPR_Y ? place_y(rows, s)
                                                       : place_channel(rows, s, j);
                last[q * quad + j] = to_word<Word>(static_cast<M>(v));
            }
    }

    template <class M> __device__ __forceinline__ void save_as(uint32_t k, const Word (&w)[places<Word>])
    {
#pragma unroll
        for (int q = 0; q < quads<Word>; q++) {
            M v[quad];
#pragma unroll
            for (int j = 0; j < quad; j++)
                v[j] = from_word<M>(w[q * quad + j]);
            const auto put = [&](auto tag) { save<decltype(tag)>(rows, quad_at(q), k, v); };
            if (rows.dst_dtype == GF_F16)
                put(half_bits{});
            else
                gf_dispatch_any(rows.dst_dtype, put);
        }
    }

    __device__ __forceinline__ void save_result(uint32_t k)
    {
        const vectors result = fetch(code.results[k]);
        const Word(&w)[places<Word>] = result.w;
        switch (code.types[k]) {
        case GF_EXPR_M_I32:
            return save_as<int32_t>(k, w);
        case GF_EXPR_M_F32:
            return save_as<float>(k, w);
        default:
            break;
        }
        if constexpr (sizeof(Word) == 8)
            switch (code.types[k]) {
            case GF_EXPR_M_I64:
                return save_as<int64_t>(k, w);
            case GF_EXPR_M_U64:
                return save_as<uint64_t>(k, w);
            default:
                return save_as<double>(k, w);
            }
    }

    template <int op, int mode> __device__ __forceinline__ void compute(const gf_cuda_expr_insn &insn);
    template <int op> __device__ __forceinline__ void compute_of_three(const gf_cuda_expr_insn &insn);
    __device__ __forceinline__ void run(const gf_cuda_expr_insn &insn);

    /* All instructions for the span at `at`, then the results. */
    __device__ __forceinline__ void run_all()
    {
#pragma unroll 1
        for (uint32_t i = 0; i < code.n_insns; i++) {
            const gf_cuda_expr_insn insn = code.insns[i];
            run(insn);
            keep(insn.dst);
        }
#pragma unroll 1
        for (uint32_t k = 0; k < code.n_results; k++)
            save_result(k);
    }
};

/* One instruction for one place. */
template <int op> struct insn;
#define GF_EXPR_CHOICE(type, value) GF_EXPR_CODE(SELECT, type, I32, type, value)
#define GF_EXPR_INSN(name, type, n, result, value) GF_EXPR_CODE(name, type, type, result, value)
#define GF_EXPR_CODE(name, t, first, result_, value)                                                                   \
    template <> struct insn<GF_EXPR_I_##name##_##t> {                                                                  \
        using type = type_of<GF_EXPR_M_##t>;                                                                           \
        using condition = type_of<GF_EXPR_M_##first>;                                                                  \
        using result = type_of<GF_EXPR_M_##result_>;                                                                   \
        static __device__ __forceinline__ result of(condition a, type b, type c)                                       \
        {                                                                                                              \
            (void)a, (void)b, (void)c;                                                                                 \
            return static_cast<result>(value);                                                                         \
        }                                                                                                              \
    };
#include "kernels/shared/expr/instructions.def"
#undef GF_EXPR_CODE

/* Long ones are functions of their own, so that the loop has room for one of each only. */
constexpr bool among_long(int op)
{
    switch (op) {
#define GF_LONG(name)                                                                                                  \
    case GF_EXPR_I_##name##_F32:                                                                                       \
    case GF_EXPR_I_##name##_F64:
        GF_LONG(EXP)
        GF_LONG(LOG)
        GF_LONG(SIN)
        GF_LONG(COS)
        GF_LONG(POW)
        GF_LONG(ATAN2)
        GF_LONG(MOD)
        GF_LONG(FLOORDIV)
#undef GF_LONG
    case GF_EXPR_I_FLOORDIV_I32:
    case GF_EXPR_I_FLOORDIV_I64:
    case GF_EXPR_I_FLOORDIV_U64:
    case GF_EXPR_I_MOD_I32:
    case GF_EXPR_I_MOD_I64:
    case GF_EXPR_I_MOD_U64:
        return true;
    default:
        return false;
    }
}
template <int op> constexpr bool is_long = among_long(op);

template <int op, class Word> __device__ __forceinline__ Word apply_inline(Word a, Word b, Word c)
{
    using i = insn<op>;
    return to_word<Word>(
        i::of(from_word<typename i::condition>(a), from_word<typename i::type>(b), from_word<typename i::type>(c)));
}

template <int op, class Word> __device__ __noinline__ Word apply_called(Word a, Word b)
{
    return apply_inline<op, Word>(a, b, b);
}

/* Whether words of this size hold the operands and the result. */
template <int op, class Word>
constexpr bool fits = sizeof(typename insn<op>::type) <= sizeof(Word) &&
                      sizeof(typename insn<op>::result) <= sizeof(Word);

/* An instruction of one or two operands, whose kinds are known: none is moved before it is used. */
template <class Word>
template <int op, int mode>
__device__ __forceinline__ void machine<Word>::compute(const gf_cuda_expr_insn &next)
{
    constexpr int a_kind = mode / 3, b_kind = mode % 3;
    vectors a, b;
    if constexpr (a_kind == GF_CUDA_EXPR_IS_REGISTER)
        a = stored(next.in[0]);
    if constexpr (b_kind == GF_CUDA_EXPR_IS_REGISTER)
        b = stored(next.in[1]);
    const Word a_value = a_kind == GF_CUDA_EXPR_IS_CONSTANT ? constant(next.in[0]) : 0;
    const Word b_value = b_kind == GF_CUDA_EXPR_IS_CONSTANT ? constant(next.in[1]) : 0;
#pragma unroll
    for (int j = 0; j < places<Word>; j++) {
        const Word x = a_kind == GF_CUDA_EXPR_IS_LAST ? last[j] : a_kind == GF_CUDA_EXPR_IS_REGISTER ? a.w[j] : a_value;
        const Word y = b_kind == GF_CUDA_EXPR_IS_LAST ? last[j] : b_kind == GF_CUDA_EXPR_IS_REGISTER ? b.w[j] : b_value;
        last[j] = is_long<op> ? apply_called<op, Word>(x, y) : apply_inline<op, Word>(x, y, y);
    }
}

template <class Word>
template <int op>
__device__ __forceinline__ void machine<Word>::compute_of_three(const gf_cuda_expr_insn &next)
{
    const vectors a = fetch(next.in[0]), b = fetch(next.in[1]), c = fetch(next.in[2]);
#pragma unroll
    for (int j = 0; j < places<Word>; j++)
        last[j] = apply_inline<op, Word>(a.w[j], b.w[j], c.w[j]);
}

/* Each instruction is here once for each way that its operands are given in. */
template <class Word> __device__ __forceinline__ void machine<Word>::run(const gf_cuda_expr_insn &next)
{
    switch (next.code) {
    case GF_CUDA_EXPR_CODE(GF_EXPR_I_LOAD_I32, 0):
        return load_as<int32_t>(next);
    case GF_CUDA_EXPR_CODE(GF_EXPR_I_LOAD_F32, 0):
        return load_as<float>(next);
    case GF_CUDA_EXPR_CODE(GF_EXPR_I_PLACE_I32, 0):
        return place_as<int32_t>(next.reserved);
    case GF_CUDA_EXPR_CODE(GF_EXPR_I_PLACE_F32, 0):
        return place_as<float>(next.reserved);
#define GF_MODE(op, n, mode)                                                                                           \
    case GF_CUDA_EXPR_CODE(op, mode):                                                                                  \
        if constexpr (fits<op, Word> && (mode % 3 == 0 ? n < 3 : n == 2))                                              \
            compute<op, mode>(next);                                                                                   \
        else if constexpr (fits<op, Word> && mode == 0)                                                                \
            compute_of_three<op>(next);                                                                                \
        return;
#define GF_MODES(op, n)                                                                                                \
    GF_MODE(op, n, 0)                                                                                                  \
    GF_MODE(op, n, 1)                                                                                                  \
    GF_MODE(op, n, 2)                                                                                                  \
    GF_MODE(op, n, 3)                                                                                                  \
    GF_MODE(op, n, 4)                                                                                                  \
    GF_MODE(op, n, 5)                                                                                                  \
    GF_MODE(op, n, 6)                                                                                                  \
    GF_MODE(op, n, 7)
#define GF_EXPR_INSN(name, type, n, result, value) GF_MODES(GF_EXPR_I_##name##_##type, n)
#include "kernels/shared/expr/instructions.def"
#undef GF_MODES
#undef GF_MODE
    default:
        break;
    }
    if constexpr (sizeof(Word) == 8)
        switch (next.code) {
        case GF_CUDA_EXPR_CODE(GF_EXPR_I_LOAD_I64, 0):
            return load_as<int64_t>(next);
        case GF_CUDA_EXPR_CODE(GF_EXPR_I_LOAD_U64, 0):
            return load_as<uint64_t>(next);
        case GF_CUDA_EXPR_CODE(GF_EXPR_I_LOAD_F64, 0):
            return load_as<double>(next);
        case GF_CUDA_EXPR_CODE(GF_EXPR_I_PLACE_I64, 0):
            return place_as<int64_t>(next.reserved);
        case GF_CUDA_EXPR_CODE(GF_EXPR_I_PLACE_F64, 0):
            return place_as<double>(next.reserved);
        default:
            break;
        }
}

constexpr int max_threads = 128;
constexpr size_t register_bytes = 32; /* of a thread */

template <class Word>
__global__ void __launch_bounds__(max_threads)
    interpret_kernel(const __grid_constant__ gf_cuda_expr_rows rows, const __grid_constant__ gf_cuda_expr_code code)
{
    extern __shared__ uint4 file[];
    machine<Word> m = {code, rows, file + threadIdx.x};
    constexpr uint64_t tile = places<Word> * lanes;
    const uint64_t tiles = (rows.places + tile - 1) / tile,
                   warps = static_cast<uint64_t>(gridDim.x) * (blockDim.x / lanes);
    m.at.lane = threadIdx.x % lanes * quad;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * (blockDim.x / lanes) + threadIdx.x / lanes;
         i < tiles * rows.rows; i += warps) {
        m.at.row = rows.rows == 1 ? 0 : i / tiles;
        m.at.first = (i - m.at.row * tiles) * tile;
        m.run_all();
    }
}

/* Threads of a block, so many that their registers have room. */
unsigned threads_for(uint32_t registers)
{
    unsigned threads = max_threads;
    while (threads > lanes && registers * register_bytes * threads > gf_cuda_shared_memory_max())
        threads /= 2;
    return threads;
}

template <class Word>
cudaError_t launch(const gf_cuda_expr_rows *rows, const gf_cuda_expr_code *code, cudaStream_t stream)
{
    const unsigned threads = threads_for(code->n_registers);
    const uint64_t tile = places<Word> * lanes, tiles = (rows->places + tile - 1) / tile * rows->rows;
    const unsigned warps = threads / lanes;
    interpret_kernel<Word>
        <<<gf_cuda_grid((tiles + warps - 1) / warps), threads, code->n_registers * register_bytes * threads, stream>>>(
            *rows, *code);
    return cudaPeekAtLastError();
}

template <class Word> cudaError_t prepare()
{
    return cudaFuncSetAttribute(interpret_kernel<Word>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(gf_cuda_shared_memory_max()));
}

} // namespace

extern "C" cudaError_t gf_cuda_expr_interpret(const struct gf_cuda_expr_rows *rows,
                                              const struct gf_cuda_expr_code *code, cudaStream_t stream)
{
    return code->wide ? launch<uint64_t>(rows, code, stream) : launch<uint32_t>(rows, code, stream);
}

extern "C" cudaError_t gf_cuda_expr_prepare(void)
{
    const cudaError_t error = prepare<uint32_t>();
    return error == cudaSuccess ? prepare<uint64_t>() : error;
}
