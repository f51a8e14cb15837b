/* SPDX-License-Identifier: MIT */
/*
 * Runs programs of expressions as they are, docs/numerics.md 26: a warp takes instruction after instruction, each for
 * all places of its threads. Called by expr.c where no kernel was compiled for the program.
 *
 * Values are words of 32 bits where the program has no wider type, else of 64. A thread has eight places of the one,
 * four of the other, so that a register always is 32 bytes of a thread: two vectors in shared memory that no other
 * thread reads or writes, so that nothing has to wait. The last result stays in the thread's own registers; most
 * instructions take it from there, and it is not stored where nobody else wants it. Short instructions are functions,
 * which a loop calls by their numbers; what takes more registers than a function may have is a case of a switch.
 */
#include "expr_interpreter.h"

#include "expr_insns.cuh"
#include "expr_rows.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf::expr;

template <class Word> constexpr int places = 32 / sizeof(Word); /* of a thread */
template <class Word> constexpr int quads = places<Word> / quad;

/* The places of a thread: what an instruction takes and gives. */
template <class Word> union values {
    uint4 v[2];
    Word w[places<Word>];
};

/* A register of a warp: the first vectors of its threads, then the second ones. */
constexpr uint32_t register_bytes = 2 * sizeof(uint4) * lanes;

/* Threads know vector 0 of their register 0 by its address in shared memory: a pointer takes instructions to become
 * one. */
__device__ __forceinline__ uint4 vector_at(uint32_t address)
{
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    return v;
}
__device__ __forceinline__ void put_vector(uint32_t address, uint4 v)
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w));
}

template <int op, class Word> __device__ __forceinline__ Word apply(Word a, Word b, Word c)
{
    using i = insn<op>;
    return to_word<Word>(
        i::of(from_word<typename i::type>(a), from_word<typename i::type>(b), from_word<typename i::type>(c)));
}

/* Of the longest there is one copy each. */
template <int op, class Word> __device__ __noinline__ Word apply_called(Word a, Word b)
{
    return apply<op, Word>(a, b, b);
}

template <int op, bool is_called, class Word> __device__ __forceinline__ Word apply_long(Word a, Word b)
{
    if constexpr (is_called)
        return apply_called<op, Word>(a, b);
    else
        return apply<op, Word>(a, b, b);
}

/* Whether words of this size hold the operands and the result. */
template <int op, class Word>
constexpr bool fits = sizeof(typename insn<op>::type) <= sizeof(Word) &&
                      sizeof(typename insn<op>::result) <= sizeof(Word);

/*
 * A piece of code is a short instruction with operands of known kinds, for all places of a thread. A warp finds it in a
 * table by its number, where a switch would be a tree of comparisons, and calls it with `last` in the registers that
 * the one before returned it in. `from` is the address of the operand that is a register, or of the first of two. A
 * function that needs more than a dozen registers first stores what was in them, which costs more than what it
 * computes: so where it loads besides what it has, the halves of a thread's places go one after the other.
 */
template <class Word> using piece = values<Word> (*)(values<Word> last, Word constant, uint32_t from, uint32_t in);

template <class Word, int op, int mode>
__device__ __noinline__ values<Word> compute(values<Word> last, Word constant, uint32_t from, uint32_t in)
{
    constexpr int a_kind = mode / 3, b_kind = mode % 3, half = places<Word> / 2;
    constexpr bool of_registers = a_kind == GF_CUDA_EXPR_IS_REGISTER && b_kind == GF_CUDA_EXPR_IS_REGISTER;
    constexpr bool one_by_one = (a_kind == GF_CUDA_EXPR_IS_LAST && b_kind == GF_CUDA_EXPR_IS_REGISTER) ||
                                (a_kind == GF_CUDA_EXPR_IS_REGISTER && b_kind != GF_CUDA_EXPR_IS_CONSTANT);
    const uint32_t b_at = of_registers ? from + ((in >> 8 & 0xFF) - (in & 0xFF)) * register_bytes : from;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        values<Word> a, b;
        if (one_by_one && i > 0)
            gf_sync_warp(); /* else both halves are loaded at once */
        if constexpr (a_kind == GF_CUDA_EXPR_IS_REGISTER)
            a.v[i] = vector_at(from + i * register_bytes / 2);
        if constexpr (b_kind == GF_CUDA_EXPR_IS_REGISTER)
            b.v[i] = vector_at(b_at + i * register_bytes / 2);
#pragma unroll
        for (int j = i * half; j < (i + 1) * half; j++) {
            const Word x = a_kind == GF_CUDA_EXPR_IS_LAST       ? last.w[j]
                           : a_kind == GF_CUDA_EXPR_IS_REGISTER ? a.w[j]
                                                                : constant;
            const Word y = b_kind == GF_CUDA_EXPR_IS_LAST       ? last.w[j]
                           : b_kind == GF_CUDA_EXPR_IS_REGISTER ? b.w[j]
                                                                : constant;
            last.w[j] = apply<op, Word>(x, y, y);
        }
    }
    return last;
}

constexpr bool among_long(int op)
{
    switch (op) {
#define GF_LONG(name, type, is_called) case GF_EXPR_I_##name##_##type:
        GF_CUDA_EXPR_LONG(GF_LONG)
#undef GF_LONG
        return true;
    default:
        return false;
    }
}

template <int op> constexpr bool is_long = among_long(op);

template <class Word, int op, int n, int mode> constexpr __host__ __device__ piece<Word> piece_for()
{
    if constexpr (fits<op, Word> && !is_long<op> && (mode % 3 == 0 ? n < 3 : n == 2))
        return &compute<Word, op, mode>;
    else
        return nullptr;
}

/* By GF_CUDA_EXPR_NUMBER. */
#define GF_MODES(Word, op, n)                                                                                          \
    piece_for<Word, op, n, 0>(), piece_for<Word, op, n, 1>(), piece_for<Word, op, n, 2>(),                             \
        piece_for<Word, op, n, 3>(), piece_for<Word, op, n, 4>(), piece_for<Word, op, n, 5>(),                         \
        piece_for<Word, op, n, 6>(), piece_for<Word, op, n, 7>(),
#define GF_EXPR_CHOICE(type, value) nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
#define GF_EXPR_INSN(name, type, n, result, value) GF_MODES(uint32_t, GF_EXPR_I_##name##_##type, n)
__constant__ piece<uint32_t> narrow_pieces[] = {
#include "kernels/shared/expr/instructions.def"
};
#define GF_EXPR_CHOICE(type, value) nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
#define GF_EXPR_INSN(name, type, n, result, value) GF_MODES(uint64_t, GF_EXPR_I_##name##_##type, n)
__constant__ piece<uint64_t> wide_pieces[] = {
#include "kernels/shared/expr/instructions.def"
};
#undef GF_MODES

/* Of any instruction; without meaning where it has none. */
template <class Word> __device__ __forceinline__ piece<Word> piece_of(const gf_cuda_expr_insn &insn)
{
    const uint32_t number = insn.what & 0xFFFF;
    if constexpr (sizeof(Word) == 4)
        return narrow_pieces[number];
    else
        return wide_pieces[number];
}

template <class Word> struct machine {
    const gf_cuda_expr_code &code;
    const gf_cuda_expr_rows &rows;
    uint32_t file;     /* address of this thread's vector 0 of register 0 */
    values<Word> last; /* the last result */
    spot at;

    /* An operand of any kind. */
    __device__ __forceinline__ values<Word> fetch(uint32_t operand) const
    {
        values<Word> u = last;
        if (operand < GF_CUDA_EXPR_FIRST_CONSTANT) {
            u.v[0] = vector_at(file + operand * register_bytes);
            u.v[1] = vector_at(file + operand * register_bytes + register_bytes / 2);
        } else if (operand != GF_CUDA_EXPR_LAST) {
#pragma unroll
            for (int j = 0; j < places<Word>; j++)
                u.w[j] = static_cast<Word>(code.constants[operand - GF_CUDA_EXPR_FIRST_CONSTANT]);
        }
        return u;
    }

    /* The quad q of the thread's places. */
    __device__ __forceinline__ spot quad_at(int q) const
    {
        return {at.row, at.first + static_cast<uint64_t>(q) * span, at.lane};
    }

    template <class M> __device__ __forceinline__ void load_as(uint32_t in)
    {
        const uint32_t input = in & 3, channel = in >> 2 & 3, way = in >> 4 & 3;
        const auto take = [&](auto tag) {
#pragma unroll
            for (int q = 0; q < quads<Word>; q++) {
                decltype(tag) s[quad];
                load(rows, quad_at(q), input, channel, way, s);
#pragma unroll
                for (int j = 0; j < quad; j++)
                    last.w[q * quad + j] = to_word<Word>(read<M>(s[j]));
            }
        };
        if (rows.in[input].dtype == GF_F16)
            take(half_bits{});
        else
            gf_dispatch_any(rows.in[input].dtype, take);
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
                last.w[q * quad + j] = to_word<Word>(static_cast<M>(v));
            }
    }

    /* A function of the words of the operands. */
    template <class F> __device__ __forceinline__ void compute_of_two(uint32_t in, F &&of)
    {
        const values<Word> a = fetch(in & 0xFF), b = fetch(in >> 8 & 0xFF);
#pragma unroll
        for (int j = 0; j < places<Word>; j++)
            last.w[j] = of(a.w[j], b.w[j]);
    }
    template <class F> __device__ __forceinline__ void compute_of_three(uint32_t in, F &&of)
    {
        const values<Word> a = fetch(in & 0xFF), b = fetch(in >> 8 & 0xFF), c = fetch(in >> 16 & 0xFF);
#pragma unroll
        for (int j = 0; j < places<Word>; j++)
            last.w[j] = of(a.w[j], b.w[j], c.w[j]);
    }

    template <class M> __device__ __forceinline__ void save_as(uint32_t k, const Word (&w)[places<Word>])
    {
        const auto put = [&](auto tag) {
#pragma unroll
            for (int q = 0; q < quads<Word>; q++) {
                M v[quad];
#pragma unroll
                for (int j = 0; j < quad; j++)
                    v[j] = from_word<M>(w[q * quad + j]);
                save<decltype(tag)>(rows, quad_at(q), k, v);
            }
        };
        if (rows.dst_dtype == GF_F16)
            put(half_bits{});
        else
            gf_dispatch_any(rows.dst_dtype, put);
    }

    __device__ __forceinline__ void save_result(uint32_t k)
    {
        const values<Word> result = fetch(code.results[k]);
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

    __device__ __forceinline__ void run_here(uint32_t op, uint32_t in);

    /* Stores the last result, if it is taken later. */
    __device__ __forceinline__ void keep(uint32_t in)
    {
        const uint32_t address = file + (in >> 24) * register_bytes;
        if (static_cast<int32_t>(in) < 0)
            return;
        put_vector(address, last.v[0]);
        put_vector(address + register_bytes / 2, last.v[1]);
    }

    /* All instructions for the span at `at`, then the results. */
    __device__ __forceinline__ void run_all()
    {
        const gf_cuda_expr_insn *next = code.insns;
        gf_cuda_expr_insn now = *next;
#pragma unroll 1
        while (now.what != 0) {
            if ((now.what & GF_CUDA_EXPR_PIECE) == 0) {
                run_here(now.what, now.operands);
                keep(now.operands);
                now = *++next;
            }
            /* A loop of its own, in which `last` is nowhere else. */
#pragma unroll 1
            while ((now.what & GF_CUDA_EXPR_PIECE) != 0) {
                const Word constant = static_cast<Word>(code.constants[now.what >> 16 & 0xFF]);
                const uint32_t from = file + (now.what >> 24 & 0x3F) * register_bytes, in = now.operands;
                const piece<Word> run = piece_of<Word>(now);
                now = *++next;
                last = run(last, constant, from, in);
                keep(in);
            }
        }
#pragma unroll 1
        for (uint32_t k = 0; k < code.n_results; k++)
            save_result(k);
    }
};

/* Instructions of three operands, SELECT left out. */
constexpr int of_three = 0
#define GF_EXPR_CHOICE(type, value)
#define GF_EXPR_INSN(name, type, n, result, value) +((n) == 3)
#include "kernels/shared/expr/instructions.def"
    ;
static_assert(of_three == 4, "each is a case below");

/* What reads the picture, is long, or has three operands. */
template <class Word> __device__ __forceinline__ void machine<Word>::run_here(uint32_t op, uint32_t in)
{
    switch (op) {
    case GF_EXPR_I_SELECT_I32: /* of all types */
        return compute_of_three(in, [](Word a, Word b, Word c) { return from_word<int32_t>(a) ? b : c; });
    case GF_EXPR_I_FMA_F32:
        return compute_of_three(in, apply<GF_EXPR_I_FMA_F32, Word>);
    case GF_EXPR_I_WHOLE_F32:
        return compute_of_three(in, apply<GF_EXPR_I_WHOLE_F32, Word>);
    case GF_EXPR_I_LOAD_I32:
        return load_as<int32_t>(in);
    case GF_EXPR_I_LOAD_F32:
        return load_as<float>(in);
    case GF_EXPR_I_PLACE_I32:
        return place_as<int32_t>(in & 0xFF);
    case GF_EXPR_I_PLACE_F32:
        return place_as<float>(in & 0xFF);
#define GF_LONG(name, type, is_called)                                                                                 \
    case GF_EXPR_I_##name##_##type:                                                                                    \
        if constexpr (fits<GF_EXPR_I_##name##_##type, Word>)                                                           \
            compute_of_two(in, apply_long<GF_EXPR_I_##name##_##type, is_called, Word>);                                \
        return;
        GF_CUDA_EXPR_LONG(GF_LONG)
#undef GF_LONG
    default:
        break;
    }
    if constexpr (sizeof(Word) == 8)
        switch (op) {
        case GF_EXPR_I_FMA_F64:
            return compute_of_three(in, apply<GF_EXPR_I_FMA_F64, Word>);
        case GF_EXPR_I_WHOLE_F64:
            return compute_of_three(in, apply<GF_EXPR_I_WHOLE_F64, Word>);
        case GF_EXPR_I_LOAD_I64:
            return load_as<int64_t>(in);
        case GF_EXPR_I_LOAD_U64:
            return load_as<uint64_t>(in);
        case GF_EXPR_I_LOAD_F64:
            return load_as<double>(in);
        case GF_EXPR_I_PLACE_I64:
            return place_as<int64_t>(in & 0xFF);
        case GF_EXPR_I_PLACE_F64:
            return place_as<double>(in & 0xFF);
        default:
            break;
        }
}

constexpr int max_threads = 128;
/* At once; their registers are no more than that leaves. */
constexpr int blocks_a_unit = 8;
/* Of a warp where there are many: to begin a block takes as long as a tile. */
constexpr uint64_t tiles_a_warp = 4;

template <class Word>
__global__ void __launch_bounds__(max_threads, blocks_a_unit)
    interpret_kernel(const __grid_constant__ gf_cuda_expr_rows rows, const __grid_constant__ gf_cuda_expr_code code)
{
    extern __shared__ uint4 memory[];
    const uint32_t warp = threadIdx.x / lanes, lane = threadIdx.x % lanes, warps_here = blockDim.x / lanes;
    machine<Word> m = {code, rows, 0};
    m.file = static_cast<uint32_t>(__cvta_generic_to_shared(memory)) + warp * code.n_registers * register_bytes +
             lane * static_cast<uint32_t>(sizeof(uint4));
    m.at.lane = lane * quad;
    constexpr uint64_t tile = places<Word> * lanes;
    const uint64_t tiles = (rows.places - rows.first_place + tile - 1) / tile,
                   warps = static_cast<uint64_t>(gridDim.x) * warps_here;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * warps_here + warp; i < tiles * rows.rows; i += warps) {
        m.at.row = rows.rows == 1 ? 0 : i / tiles;
        m.at.first = rows.first_place + (i - m.at.row * tiles) * tile;
        m.run_all();
    }
}

/* Threads of a block, so many that their registers have room. */
unsigned threads_for(uint32_t registers)
{
    unsigned threads = max_threads;
    while (threads > lanes && registers * register_bytes * (threads / lanes) > gf_cuda_shared_memory_max())
        threads /= 2;
    return threads;
}

template <class Word>
cudaError_t launch(const gf_cuda_expr_rows *rows, const gf_cuda_expr_code *code, cudaStream_t stream)
{
    const unsigned threads = threads_for(code->n_registers), warps = threads / lanes;
    const uint64_t tile = places<Word> * lanes,
                   tiles = (rows->places - rows->first_place + tile - 1) / tile * rows->rows;
    const uint64_t blocks = (tiles + warps - 1) / warps, full = 2ull * blocks_a_unit * gf_cuda_units(),
                   loops = blocks < full                  ? 1
                           : blocks / full < tiles_a_warp ? blocks / full
                                                          : tiles_a_warp;
    interpret_kernel<Word>
        <<<gf_cuda_grid((blocks + loops - 1) / loops), threads, code->n_registers * register_bytes * warps, stream>>>(
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
