/* SPDX-License-Identifier: MIT */
/*
 * Launch arguments of the kernels of reduce and scan with op=user, docs/numerics.md, "Operators of users": where
 * elements and results are, how they form sequences, and where states are kept between launches. operator.c and its
 * siblings fill them in; the kernels read them, also in code compiled at run time, where only the headers that
 * jit/CMakeLists.txt lists exist.
 */
#ifndef GF_CUDA_OPERATOR_ARGS_H
#define GF_CUDA_OPERATOR_ARGS_H

#ifndef __CUDACC_RTC__
#include <stdbool.h>
#include <stdint.h>
#endif

#include "kernels/cuda/device/tile_state.h"

#define GF_CUDA_OPERATOR_THREADS 256u /* per thread block, in all these kernels */
#define GF_CUDA_OPERATOR_ROW 16u      /* adjacent elements per thread */
#define GF_CUDA_OPERATOR_FOLD 512u    /* elements, or states, that a warp reduces to one state */
#define GF_CUDA_OPERATOR_COLUMN 64u   /* rows of a column per thread */
#define GF_CUDA_OPERATOR_VALUES 4u    /* values per state, at most */

/* States in memory. Each value has a word: its machine type in the low bytes, 0 above. Word k of state i is words[k *
 * room + i]. */
struct gf_cuda_operator_states {
    uint64_t *words;
    uint64_t room;
};

struct gf_cuda_operator_args {
    const char *src;
    char *dst;
    uint64_t src_pitch, dst_pitch;
    uint64_t width, height;        /* of the source in pixels; one row if rows have no padding and do not matter */
    uint32_t dtype, src_size;      /* of the source; bytes per sample */
    uint32_t src_pixel, dst_pixel; /* bytes per pixel */
    uint32_t dst_dtype, dst_size;
    uint32_t channels;        /* sequences per line; 1 if elements are whole pixels */
    bool columns, along_rows; /* if neither, a sequence continues from row to row */
    bool exclusive, reverse;  /* of a scan */
    uint32_t lanes;           /* short sequences: threads per sequence; in a scan, sequences per warp at a time */
    uint64_t lines, n;       /* the number of rows, columns or segments, or 1; elements per sequence but for segments */
    uint64_t block;          /* elements per block of a sequence */
    uint64_t blocks;         /* per sequence, but for segments */
    uint64_t short_n;        /* sequences of at most this many elements have no blocks */
    const uint64_t *offsets; /* of segments, lines + 1 of them; otherwise NULL */
    const uint64_t *before;  /* the number of blocks before each segment, lines + 1 of them; otherwise NULL */
    struct gf_cuda_operator_states parts[2]; /* reductions: two levels alternating; scans of columns: one */
    struct gf_tile_state look_back;          /* of a scan along lines, whose tiles are blocks */
    uint64_t identity[GF_CUDA_OPERATOR_VALUES];
};

/* A launch: items `first` to `end` - 1, each the work of a thread, a warp or a thread block. */
struct gf_cuda_operator_level {
    uint64_t first, end;
    uint64_t scale;              /* blocks per state that is read; 0 if elements are read */
    uint64_t n;                  /* states, or elements, per sequence but for segments */
    uint64_t made;               /* items per sequence but for segments */
    unsigned long long *tickets; /* counts the items that thread blocks took, 0 before the launch; NULL: no tickets */
    struct gf_cuda_operator_states in, out;
};

/* The kernels. Each exists in a compiled and an interpreted form. */
enum gf_cuda_operator_kernel {
    GF_CUDA_OPERATOR_FOLD_SHORT,       /* short sequences to results */
    GF_CUDA_OPERATOR_FOLD_DATA,        /* 512 elements along a line to one state */
    GF_CUDA_OPERATOR_FOLD_PARTS,       /* 512 states to one, the last of a sequence to its result */
    GF_CUDA_OPERATOR_FOLD_COLUMN_DATA, /* the same for 64 elements, and 64 states, down a column */
    GF_CUDA_OPERATOR_FOLD_COLUMN_PARTS,
    GF_CUDA_OPERATOR_SCAN_SHORT, /* short sequences */
    GF_CUDA_OPERATOR_SCAN_LINES, /* blocks of longer sequences */
    GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS,
    GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS,
    GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS,
    GF_CUDA_OPERATOR_N_KERNELS
};

#endif
