/* SPDX-License-Identifier: MIT */
/*
 * What kernels of reduce and scan with op=user are launched with, docs/numerics.md 27: where elements and results are,
 * how they form sequences, and where the states between launches lie. Filled by operator.c and its siblings; read by
 * the kernels, so by those that are compiled at run time, too, where only the headers that jit/CMakeLists.txt lists
 * exist.
 */
#ifndef GF_CUDA_OPERATOR_ARGS_H
#define GF_CUDA_OPERATOR_ARGS_H

#ifndef __CUDACC_RTC__
#include <stdbool.h>
#include <stdint.h>
#endif

#define GF_CUDA_OPERATOR_THREADS 256u /* of a block, of all these kernels */
#define GF_CUDA_OPERATOR_ROW 16u      /* neighbours that a thread takes */
#define GF_CUDA_OPERATOR_FOLD 512u    /* elements, or states, that a warp folds to one */
#define GF_CUDA_OPERATOR_COLUMN 64u   /* rows of a column that a thread takes */
#define GF_CUDA_OPERATOR_VALUES 4u    /* of a state */

/* States in memory: a word for each value, its machine type in the low bytes and 0 above; word k of state i is at
 * [k * room + i]. */
struct gf_cuda_operator_states {
    uint64_t *words;
    uint64_t room;
};

/* Where blocks of a scan along lines learn what stands before them (device/tile_state.cuh): the states of blocks, the
 * totals of 32, what stands before each 1024 but the first, and how many of 32 are there. States of blocks of a
 * sequence begin at its home, its groups of 32 and 1024 at home / 32, or 1024, + the sequence's number; but of
 * segments, of which many may have no blocks, at its home too. */
struct gf_cuda_operator_look_back {
    void *blocks, *groups, *supers;
    unsigned *group_counts, *super_counts;
};

struct gf_cuda_operator_args {
    const char *src;
    char *dst;
    uint64_t src_pitch, dst_pitch;
    uint64_t width, height;        /* of the source in pixels; one row where rows follow each other and do not matter */
    uint32_t dtype, src_size;      /* of the source; bytes of a sample */
    uint32_t src_pixel, dst_pixel; /* bytes */
    uint32_t dst_dtype, dst_size;
    uint32_t channels;        /* sequences of a line; 1 where they are of pixels */
    bool columns, along_rows; /* else a sequence goes from row to row */
    bool exclusive, reverse;  /* of a scan */
    uint32_t lanes;          /* of sequences without blocks: threads that share one; in a scan, how many a warp finds */
    uint64_t lines, n;       /* rows, columns, segments, or 1; elements of a sequence that is no segment */
    uint64_t block;          /* elements of a block of a sequence */
    uint64_t blocks;         /* of a sequence that is no segment */
    uint64_t short_n;        /* sequences of at most so many elements have no blocks */
    const uint64_t *offsets; /* of segments, lines + 1; else NULL */
    const uint64_t *before;  /* blocks of the segments before each one, likewise */
    struct gf_cuda_operator_states parts[2]; /* of a reduction two levels in turn; of a scan of columns one */
    struct gf_cuda_operator_look_back look_back;
    uint64_t identity[GF_CUDA_OPERATOR_VALUES];
};

/* What a launch does: items [first, end), which are what a thread, a warp or a block of threads takes. */
struct gf_cuda_operator_level {
    uint64_t first, end;
    uint64_t scale;              /* blocks that a state of what is read stands for; of elements 0 */
    uint64_t n;                  /* states, or elements, of a sequence that is no segment */
    uint64_t made;               /* items of such */
    unsigned long long *tickets; /* by which blocks of threads take items, 0 before the launch; NULL: they do not */
    struct gf_cuda_operator_states in, out;
};

/* Kernels, by name: each is there for both ways of running the texts. */
enum gf_cuda_operator_kernel {
    GF_CUDA_OPERATOR_FOLD_SHORT,       /* sequences without blocks, to results */
    GF_CUDA_OPERATOR_FOLD_DATA,        /* 512 elements along a line to a state */
    GF_CUDA_OPERATOR_FOLD_PARTS,       /* 512 states to one, the last ones to results */
    GF_CUDA_OPERATOR_FOLD_COLUMN_DATA, /* likewise 64 down a column */
    GF_CUDA_OPERATOR_FOLD_COLUMN_PARTS,
    GF_CUDA_OPERATOR_SCAN_SHORT, /* sequences without blocks */
    GF_CUDA_OPERATOR_SCAN_LINES, /* blocks of others */
    GF_CUDA_OPERATOR_SCAN_COLUMN_TOTALS,
    GF_CUDA_OPERATOR_SCAN_COLUMN_PARTS,
    GF_CUDA_OPERATOR_SCAN_COLUMN_RESULTS,
    GF_CUDA_OPERATOR_N_KERNELS
};

#endif
