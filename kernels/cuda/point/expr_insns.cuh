/* SPDX-License-Identifier: MIT */
/* The instructions of expression programs as device functions on words, one template each. Included by the
 * interpreters: expr_interpreter.cu and operator/operator_interpreter.cuh. */
#ifndef GF_CUDA_EXPR_INSNS_CUH
#define GF_CUDA_EXPR_INSNS_CUH

#include <type_traits>

#include "kernels/shared/expr/operators.h"
#include "kernels/shared/expr/program.h"

namespace gf
{
namespace expr
{

/* The C++ types of the machine types, and conversions between them and words. */
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

/* One instruction, for one place. */
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

} // namespace expr
} // namespace gf

#endif
