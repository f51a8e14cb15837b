/* SPDX-License-Identifier: MIT */
/*
 * Operators that people bring for reduce and scan on the CPU, docs/numerics.md 27: elements to states, states to one,
 * states to results, each for many at once by the loops of expressions. operator_reduce.c and operator_scan.c have the
 * trees. States are kept value by value, each value's side by side as its machine type.
 */
#ifndef GF_KERNELS_CPU_OPERATOR_H
#define GF_KERNELS_CPU_OPERATOR_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/expr/expr_rows.h"
#include "kernels/shared/expr/operator.h"
#include "kernels/shared/segments.h"

/* Elements that are taken at once, so states in an array of a thread. */
#define GF_CPU_CHUNK 4096u
/* Arrays that a thread has, beside those that the functions below use. */
#define GF_CPU_STATES 6u

/* Values of states, each in an array of its own. Loops read up to GF_EXPR_ROW_STEP values past the last one. */
struct gf_cpu_states {
    unsigned char *v[GF_EXPR_MAX_STATE];
};

/* A state by itself, in words; no state where `there` is false. */
struct gf_cpu_state {
    union gf_expr_value v[GF_EXPR_MAX_STATE];
    bool there;
};

/* One sequence: n elements of a line from `first` on; a line is a row, a column or the whole picture. */
struct gf_cpu_line {
    uint64_t number, first, n;
    uint64_t chunk, chunks; /* the first of its chunks among those of all lines, and how many */
    uint32_t channel;       /* of the input and of the result; 0 of pixels */
};

struct gf_cpu_operator {
    const struct gf_cpu_call *call;
    const struct gf_simd_expr *simd;
    struct gf_operator_programs programs;
    struct gf_cpu_stop stop;
    uint32_t axis, channels; /* sequences of a line: 1 of pixels */
    bool reverse;
    uint8_t sizes[GF_EXPR_MAX_STATE]; /* of a state's values */
    size_t block, row_bytes;          /* values that programs take at once */
    uint64_t n, lines;                /* elements of a line, where segments do not cut it; lines */
    struct gf_segment_blocks cut;     /* of segments */
    uint64_t chunks;                  /* of all sequences of one channel */
    unsigned char *workspaces;
};

/* What a thread works in. */
struct gf_cpu_worker {
    const struct gf_cpu_operator *o;
    struct gf_cpu_expr_rows lift, combine, finish;
    unsigned char *temps[GF_EXPR_MAX_RESULTS + 1]; /* rows of values */
    struct gf_cpu_states pairs[2];                 /* of one block */
    struct gf_cpu_states states[GF_CPU_STATES];    /* of one chunk */
};

/* A piece of a row of the picture, and the index of its first element in the sequence. */
struct gf_cpu_piece {
    uint64_t x, y, index;
    int step; /* of the index, from one to the next */
    uint32_t channel;
    size_t n; /* at most gf_cpu_operator.block */
};

/* The operator of a call, its sequences, and memory for its threads and `bytes` more, *ret_more. BAD_PARAM, NO_MEMORY.
 */
enum gf_status gf_cpu_operator_init(const struct gf_cpu_call *call, struct gf_cpu_operator *o, struct gf_error *err);
enum gf_status gf_cpu_operator_memory(struct gf_cpu_operator *o, uint64_t bytes, void **ret_more, struct gf_error *err);
void gf_cpu_operator_deinit(struct gf_cpu_operator *o);
/* Runs fn over items 0..n-1, n > 0, `grain` of them in a task (0: one), by all threads, until there is a reason to
 * stop. */
typedef void gf_cpu_operator_fn(struct gf_cpu_worker *w, void *context, uint64_t item);
void gf_cpu_operator_each(struct gf_cpu_operator *o, gf_cpu_operator_fn *fn, void *context, uint64_t n, uint64_t grain);

/* Line `item`, of channel 0 first, then of channel 1, and so on; likewise the line of a chunk, counted through all. */
struct gf_cpu_line gf_cpu_operator_line(const struct gf_cpu_operator *o, uint64_t item);
struct gf_cpu_line gf_cpu_operator_line_of(const struct gf_cpu_operator *o, uint64_t item);

/* States of a piece, to those from `at` on. */
void gf_cpu_operator_lift_piece(struct gf_cpu_worker *w, const struct gf_cpu_piece *piece,
                                const struct gf_cpu_states *to, size_t at);
/* States of n elements of a line along rows from index i on, at most a chunk. */
void gf_cpu_operator_lift(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i, size_t n,
                          const struct gf_cpu_states *to);
/* to[k] = a[from + k] combined with b[k], for n of them. `to` may be b, and a where from is 0. */
void gf_cpu_operator_combine(struct gf_cpu_worker *w, const struct gf_cpu_states *a, size_t from,
                             const struct gf_cpu_states *b, const struct gf_cpu_states *to, size_t n);
/* n states to one, n > 0, by the tree of reduce; the array is used up. */
struct gf_cpu_state gf_cpu_operator_fold(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n);
/* One with the other; what is not there leaves the other. */
struct gf_cpu_state gf_cpu_operator_join(struct gf_cpu_worker *w, const struct gf_cpu_state *a,
                                         const struct gf_cpu_state *b);
/* What finish makes of n states, to arrays of its results. */
void gf_cpu_operator_finish(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n,
                            const struct gf_cpu_states *to);
/* Stores such results, those from `at` on, in a row of the picture: n pixels from (x, y) on. */
void gf_cpu_operator_store(struct gf_cpu_worker *w, const struct gf_cpu_states *results, size_t at, uint64_t x,
                           uint64_t y, uint32_t channel, size_t n);
/* Finishes and stores one state. */
void gf_cpu_operator_store_one(struct gf_cpu_worker *w, const struct gf_cpu_state *state, uint64_t x, uint64_t y,
                               uint32_t channel);

/* State k of an array; into it. */
struct gf_cpu_state gf_cpu_operator_get(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k);
void gf_cpu_operator_put(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k,
                         const struct gf_cpu_state *state);
/* n values of a size in the opposite order. */
void gf_cpu_operator_turn(unsigned char *values, size_t size, size_t n);
/* n states from k on to those from `to_k` on; the arrays may be one, and the places overlap. */
void gf_cpu_operator_move(const struct gf_cpu_operator *o, const struct gf_cpu_states *from, size_t k,
                          const struct gf_cpu_states *to, size_t to_k, size_t n);

/* reduce and scan with op=user. BAD_PARAM for wrong segments, NO_MEMORY. */
enum gf_status gf_cpu_operator_reduce(const struct gf_cpu_call *call, struct gf_error *err);
enum gf_status gf_cpu_operator_scan(const struct gf_cpu_call *call, struct gf_error *err);

#endif
