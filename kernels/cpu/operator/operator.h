/* SPDX-License-Identifier: MIT */
/*
 * User-defined operators for reduce and scan on the CPU, docs/numerics.md, "Operators of users". Elements are lifted to
 * states, states are combined, and states are finished to results, each for many at once by the loops of expressions.
 * operator_reduce.c and operator_scan.c have the trees. A state consists of values; each value has an array of its own,
 * in its machine type.
 */
#ifndef GF_KERNELS_CPU_OPERATOR_H
#define GF_KERNELS_CPU_OPERATOR_H

#include "kernels/cpu/device/cpu_ops.h"
#include "kernels/cpu/expr/expr_rows.h"
#include "kernels/shared/expr/operator.h"
#include "kernels/shared/segments.h"

/* Elements processed at once, which is the number of states in a thread's array. */
#define GF_CPU_CHUNK 4096u
/* Arrays of states per thread, beside the ones that the functions below use. */
#define GF_CPU_STATES 6u

/* Arrays of states, one array per value. Loops read up to GF_EXPR_ROW_STEP values past the last one. */
struct gf_cpu_states {
    unsigned char *v[GF_EXPR_MAX_STATE];
};

/* A single state, in words; `there` is false if it does not exist. */
struct gf_cpu_state {
    union gf_expr_value v[GF_EXPR_MAX_STATE];
    bool there;
};

/* One sequence: n elements of a line from `first` on. A line is a row, a column or the whole picture. */
struct gf_cpu_line {
    uint64_t number, first, n;
    uint64_t chunk, chunks; /* its first chunk among the chunks of all lines, and how many it has */
    uint32_t channel;       /* channel of the input and of the result; 0 for whole pixels */
};

struct gf_cpu_operator {
    const struct gf_cpu_call *call;
    const struct gf_simd_expr *simd;
    struct gf_operator_programs programs;
    struct gf_cpu_stop stop;
    uint32_t axis, channels; /* sequences per line: the channels, or 1 for whole pixels */
    bool reverse;
    uint8_t sizes[GF_EXPR_MAX_STATE]; /* bytes of each value of a state */
    size_t block, row_bytes;          /* values that programs process at once */
    uint64_t n, lines;                /* elements per line if segments do not cut it; number of lines */
    struct gf_segment_blocks cut;     /* the chunks of segments */
    uint64_t chunks;                  /* chunks of all sequences of one channel */
    unsigned char *workspaces;
};

/* A thread's state. */
struct gf_cpu_worker {
    const struct gf_cpu_operator *o;
    struct gf_cpu_expr_rows lift, combine, finish;
    unsigned char *temps[GF_EXPR_MAX_RESULTS + 1]; /* rows of values */
    struct gf_cpu_states pairs[2];                 /* states of one block */
    struct gf_cpu_states states[GF_CPU_STATES];    /* states of one chunk */
};

/* A piece of a row of the picture, and the index of its first element in the sequence. */
struct gf_cpu_piece {
    uint64_t x, y, index;
    int step; /* change of the index from one element to the next */
    uint32_t channel;
    size_t n; /* at most gf_cpu_operator.block */
};

/* init compiles the operator of a call and finds its sequences. memory allocates the threads' memory and `bytes` more,
 * *ret_more. BAD_PARAM, NO_MEMORY. */
enum gf_status gf_cpu_operator_init(const struct gf_cpu_call *call, struct gf_cpu_operator *o, struct gf_error *err);
enum gf_status gf_cpu_operator_memory(struct gf_cpu_operator *o, uint64_t bytes, void **ret_more, struct gf_error *err);
void gf_cpu_operator_deinit(struct gf_cpu_operator *o);
/* Runs fn on items 0..n-1, n > 0, on all threads, `grain` items per task (0: one), until the call must stop. */
typedef void gf_cpu_operator_fn(struct gf_cpu_worker *w, void *context, uint64_t item);
void gf_cpu_operator_each(struct gf_cpu_operator *o, gf_cpu_operator_fn *fn, void *context, uint64_t n, uint64_t grain);

/* The line of an item, where lines of channel 0 come first, then lines of channel 1, and so on; and the line of a
 * chunk, counted in the same way. */
struct gf_cpu_line gf_cpu_operator_line(const struct gf_cpu_operator *o, uint64_t item);
struct gf_cpu_line gf_cpu_operator_line_of(const struct gf_cpu_operator *o, uint64_t item);

/* Lifts a piece and stores its states from to[at] on. */
void gf_cpu_operator_lift_piece(struct gf_cpu_worker *w, const struct gf_cpu_piece *piece,
                                const struct gf_cpu_states *to, size_t at);
/* Lifts n elements of a line along rows from index i on, at most a chunk. */
void gf_cpu_operator_lift(struct gf_cpu_worker *w, const struct gf_cpu_line *line, uint64_t i, size_t n,
                          const struct gf_cpu_states *to);
/* to[k] = a[from + k] combined with b[k], for n states. `to` may be b, and may be a if from is 0. */
void gf_cpu_operator_combine(struct gf_cpu_worker *w, const struct gf_cpu_states *a, size_t from,
                             const struct gf_cpu_states *b, const struct gf_cpu_states *to, size_t n);
/* Folds n states to one, n > 0, by the tree of reduce. Overwrites the array. */
struct gf_cpu_state gf_cpu_operator_fold(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n);
/* Combines two states; if one does not exist, returns the other. */
struct gf_cpu_state gf_cpu_operator_join(struct gf_cpu_worker *w, const struct gf_cpu_state *a,
                                         const struct gf_cpu_state *b);
/* Finishes n states and stores their results in arrays. */
void gf_cpu_operator_finish(struct gf_cpu_worker *w, const struct gf_cpu_states *states, size_t n,
                            const struct gf_cpu_states *to);
/* Stores n results, from results[at] on, as pixels of a row from (x, y) on. */
void gf_cpu_operator_store(struct gf_cpu_worker *w, const struct gf_cpu_states *results, size_t at, uint64_t x,
                           uint64_t y, uint32_t channel, size_t n);
/* Finishes and stores one state. */
void gf_cpu_operator_store_one(struct gf_cpu_worker *w, const struct gf_cpu_state *state, uint64_t x, uint64_t y,
                               uint32_t channel);

/* Returns state k of an array; sets state k of an array. */
struct gf_cpu_state gf_cpu_operator_get(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k);
void gf_cpu_operator_put(const struct gf_cpu_operator *o, const struct gf_cpu_states *states, size_t k,
                         const struct gf_cpu_state *state);
/* Reverses n values of `size` bytes. */
void gf_cpu_operator_reverse(unsigned char *values, size_t size, size_t n);
/* Moves n states from from[k] on to to[to_k] on. The arrays may be the same, and the ranges may overlap. */
void gf_cpu_operator_move(const struct gf_cpu_operator *o, const struct gf_cpu_states *from, size_t k,
                          const struct gf_cpu_states *to, size_t to_k, size_t n);

/* reduce and scan with op=user. BAD_PARAM for invalid segments, NO_MEMORY. */
enum gf_status gf_cpu_operator_reduce(const struct gf_cpu_call *call, struct gf_error *err);
enum gf_status gf_cpu_operator_scan(const struct gf_cpu_call *call, struct gf_error *err);

#endif
