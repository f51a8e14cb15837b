/* SPDX-License-Identifier: MIT */
/*
 * Interprets expression programs, docs/numerics.md, "Expressions": a warp executes one instruction after another, each
 * for all places of its threads. Called by expr.c if no kernel has been compiled for the program.
 *
 * Values are 32-bit words if the program has no wider type, otherwise 64-bit words. A thread has eight places of 32
 * bits or four of 64 bits, so a register of the program always takes 32 bytes per thread: two vectors in shared memory.
 * No other thread reads or writes them, so no barrier is needed. The last result stays in hardware registers: most
 * instructions read it from there, and it is stored only if a later instruction reads it. Short instructions are
 * functions that a loop calls through a table; an instruction that needs more registers than such a function may use is
 * a case of a switch.
 */
#include "expr_interpreter.h"

#include "expr_insns.cuh"
#include "expr_rows.cuh"
#include "kernels/cuda/device/cuda_launch.h"
#include "kernels/cuda/device/dispatch.cuh"
#include "kernels/cuda/device/shared_limit.cuh"
#include "kernels/cuda/device/sync.cuh"

namespace
{

using namespace gf::expr;

template <class Word> constexpr int places = 32 / sizeof(Word); /* per thread */
template <class Word> constexpr int quads = places<Word> / quad;

/* An operand or result of an instruction, for all places of a thread. */
template <class Word> union values {
    uint4 v[2];
    Word w[places<Word>];
};

/* The size of a program register of a warp: the first vectors of all lanes, then the second vectors. */
constexpr uint32_t register_bytes = 2 * sizeof(uint4) * lanes;

/* Vectors are addressed by 32-bit shared-memory addresses, because converting a generic pointer takes instructions. */
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

/* The longest operations are not inlined, so that the code has one copy of each. */
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

/* Whether a Word can hold the operands and the result. */
template <int op, class Word>
constexpr bool fits = sizeof(typename insn<op>::type) <= sizeof(Word) &&
                      sizeof(typename insn<op>::result) <= sizeof(Word);

/*
 * A piece is a function that executes a short instruction with operands of given kinds, for all places of a thread. A
 * warp looks it up in a table by its number, where a switch would compile to a tree of comparisons, and passes `last`
 * in the registers in which the previous piece returned it. `from` is the address of the register operand, or of the
 * first of two. A function that needs more than a dozen hardware registers saves their old contents first, which costs
 * more than the computation. So a piece that loads another operand besides `last` handles the two halves of the places
 * one after the other.
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
            gf_sync_warp(); /* keeps the compiler from loading both halves at once */
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

/* Indexed by GF_CUDA_EXPR_NUMBER. */
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

/* The piece of an instruction. Without GF_CUDA_EXPR_PIECE the value is meaningless and must not be called. */
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

    /* Reads an operand of any kind. */
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

    /* The position of quad q of the thread's places. */
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

    /* Applies `of` to the words of two operands. */
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

    /* Stores the last result in its register, if a later instruction reads it. */
    __device__ __forceinline__ void keep(uint32_t in)
    {
        const uint32_t address = file + (in >> 24) * register_bytes;
        if (static_cast<int32_t>(in) < 0)
            return;
        put_vector(address, last.v[0]);
        put_vector(address + register_bytes / 2, last.v[1]);
    }

    /* Executes the program for the span at `at`, then stores the results. */
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
            /* Pieces run in a loop of their own, so that `last` keeps the same registers from call to call. */
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

/* The number of three-operand instructions other than SELECT. */
constexpr int of_three = 0
#define GF_EXPR_CHOICE(type, value)
#define GF_EXPR_INSN(name, type, n, result, value) +((n) == 3)
#include "kernels/shared/expr/instructions.def"
    ;
static_assert(of_three == 4, "run_here() must have a case for each");

/* Executes instructions that have no piece: loads, places, long operations, three operands. */
template <class Word> __device__ __forceinline__ void machine<Word>::run_here(uint32_t op, uint32_t in)
{
    switch (op) {
    case GF_EXPR_I_SELECT_I32: /* stands for SELECT of every type */
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
/* Resident blocks per multiprocessor, which limits the registers per thread. */
constexpr int blocks_a_unit = 8;
/* Tiles per warp in a large launch: starting a block takes as long as computing a tile. */
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

/* The number of threads per block, reduced until the program's registers fit into shared memory. */
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

} // namespace

extern "C" cudaError_t gf_cuda_expr_interpret(const struct gf_cuda_expr_rows *rows,
                                              const struct gf_cuda_expr_code *code, cudaStream_t stream)
{
    return code->wide ? launch<uint64_t>(rows, code, stream) : launch<uint32_t>(rows, code, stream);
}

extern "C" cudaError_t gf_cuda_expr_prepare(void)
{
    return gf::raise_shared_limit(gf_cuda_shared_memory_max(), interpret_kernel<uint32_t>, interpret_kernel<uint64_t>);
}
