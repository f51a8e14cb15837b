/* SPDX-License-Identifier: MIT */
/*
 * What a kernel of expressions is launched with: where samples are, and for the interpreter the program. Filled by
 * expr.c; read by expr_rows.cuh, so by the interpreter and by kernels that are compiled at run time, where only the
 * headers that jit/CMakeLists.txt lists exist.
 */
#ifndef GF_CUDA_EXPR_ARGS_H
#define GF_CUDA_EXPR_ARGS_H

#ifndef __CUDACC_RTC__
#include <stdbool.h>
#include <stdint.h>
#endif

#define GF_CUDA_EXPR_INPUTS 4
#define GF_CUDA_EXPR_RESULTS 4
#define GF_CUDA_EXPR_INSNS 512
#define GF_CUDA_EXPR_CONSTANTS 192

/* A place is what one run of the program is for: a sample, or a pixel where channels are named or there are several
 * results. Data pointers and pitches are multiples of 16. */
struct gf_cuda_expr_input {
    const char *data;
    uint64_t pitch;
    uint32_t dtype, channels;
};

struct gf_cuda_expr_rows {
    struct gf_cuda_expr_input in[GF_CUDA_EXPR_INPUTS];
    char *dst;
    uint64_t dst_pitch;
    uint32_t dst_dtype;
    uint32_t channels;            /* of the result */
    uint32_t n_results;           /* samples of a place */
    uint32_t samples_a_pixel;     /* places of a pixel: `channels`, or 1 where places are pixels */
    uint64_t rows, first_row;     /* of this launch; the first one's number in the picture */
    uint64_t first_place, places; /* of a row this launch has those from first_place to before `places` */
};

/* How a sample is found from a place. */
enum gf_cuda_expr_way {
    GF_CUDA_EXPR_OWN,   /* sample p of the row */
    GF_CUDA_EXPR_PIXEL, /* the sample of an input of one channel: p / samples_a_pixel */
    GF_CUDA_EXPR_NAMED, /* a channel of the pixel p / samples_a_pixel */
};

/* An instruction as the interpreter takes it, in 8 bytes. An operand is the last result, a register, or a constant; of
 * one or two operands a short instruction is a piece of code for each of their kinds. */
#define GF_CUDA_EXPR_LAST 255u
#define GF_CUDA_EXPR_FIRST_CONSTANT 63u
#define GF_CUDA_EXPR_NO_STORE 255u

enum gf_cuda_expr_kind { GF_CUDA_EXPR_IS_LAST, GF_CUDA_EXPR_IS_REGISTER, GF_CUDA_EXPR_IS_CONSTANT };
/* The number of a piece, by the instruction's place in instructions.def; two constants are none. */
#define GF_CUDA_EXPR_NUMBER(insn, a, b) ((insn)*8 + (a)*3 + (b))
#define GF_CUDA_EXPR_PIECE 0x80000000u

struct gf_cuda_expr_insn {
    uint32_t what; /* a piece's number, from bit 16 that of the constant that it takes, from bit 24 that of the first
                    * register that it takes, and GF_CUDA_EXPR_PIECE; else the operator alone; 0 behind the last */
    uint32_t operands; /* a byte each, from the lowest; of a load one: input, channel, way, two bits each; of a place
                        * one: which. The highest is the result's register, or GF_CUDA_EXPR_NO_STORE where only the next
                        * instruction takes it. */
};

struct gf_cuda_expr_code {
    struct gf_cuda_expr_insn insns[GF_CUDA_EXPR_INSNS + 1];
    uint64_t constants[GF_CUDA_EXPR_CONSTANTS];
    uint32_t n_registers, n_results;
    bool wide;                             /* some value has 64 bits */
    uint8_t results[GF_CUDA_EXPR_RESULTS]; /* operands */
    uint8_t types[GF_CUDA_EXPR_RESULTS];   /* enum gf_expr_machine */
};

#endif
