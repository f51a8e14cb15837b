/* SPDX-License-Identifier: MIT */
/*
 * Launch arguments of expression kernels: the images and, for the interpreter, the program. expr.c fills them in;
 * expr_rows.cuh reads them, in the interpreter and in kernels that are compiled at run time, where only the headers
 * that jit/CMakeLists.txt lists exist.
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

/* A place is the unit that the program runs for: a sample, or a pixel if the expression names channels or has several
 * results. Pointers and pitches are multiples of 16. */
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
    uint32_t n_results;           /* samples per place */
    uint32_t samples_a_pixel;     /* places per pixel: `channels`, or 1 if places are pixels */
    uint64_t rows, first_row;     /* rows of this launch; the number of the first one in the picture */
    uint64_t first_place, places; /* this launch computes places first_place to places - 1 of each row */
};

/* How a place is mapped to a sample of an input. */
enum gf_cuda_expr_access {
    GF_CUDA_EXPR_OWN,   /* sample p of the row */
    GF_CUDA_EXPR_PIXEL, /* sample p / samples_a_pixel of a single-channel input */
    GF_CUDA_EXPR_NAMED, /* a named channel of pixel p / samples_a_pixel */
};

/* An instruction of the interpreter, in 8 bytes. An operand is the last result, a register, or a constant. A short
 * instruction of one or two operands has a handler function, a "piece", for each combination of operand kinds. */
#define GF_CUDA_EXPR_LAST 255u
#define GF_CUDA_EXPR_FIRST_CONSTANT 63u
#define GF_CUDA_EXPR_NO_STORE 255u

enum gf_cuda_expr_kind { GF_CUDA_EXPR_IS_LAST, GF_CUDA_EXPR_IS_REGISTER, GF_CUDA_EXPR_IS_CONSTANT };
/* The number of a piece; `insn` counts the lines of instructions.def. No instruction has two constant operands. */
#define GF_CUDA_EXPR_NUMBER(insn, a, b) ((insn)*8 + (a)*3 + (b))
#define GF_CUDA_EXPR_PIECE 0x80000000u

struct gf_cuda_expr_insn {
    /* A piece: its number, the index of its constant from bit 16, its first register from bit 24, GF_CUDA_EXPR_PIECE.
     * Other instructions: the opcode alone. After the last instruction: 0. */
    uint32_t what;
    /* One byte per operand, the first in the lowest byte. The operand byte of a load is its input, channel and way, two
     * bits each; of a place instruction it says x, y or channel. The highest byte is the result's register, or
     * GF_CUDA_EXPR_NO_STORE if only the next instruction reads the result. */
    uint32_t operands;
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
