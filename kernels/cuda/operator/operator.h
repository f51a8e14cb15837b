/* SPDX-License-Identifier: MIT */
/*
 * reduce and scan with op=user on the device, docs/numerics.md, "Operators of users": the entry points for
 * reduce/reduction.c and scan/scan.c, and what both ops share between the files of this folder.
 */
#ifndef GF_CUDA_OPERATOR_H
#define GF_CUDA_OPERATOR_H

#include "kernels/cuda/jit/cuda_jit.h"
#include "kernels/cuda/step/segments.h"
#include "operator_interpreter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Run the whole step. */
enum gf_status gf_cuda_operator_reduce(struct gf_cuda_call *call, struct gf_error *err);
enum gf_status gf_cuda_operator_scan(struct gf_cuda_call *call, struct gf_error *err);

/* The operator of a step, prepared for launches. */
struct gf_cuda_operator {
    struct gf_cuda_operator_args args;
    struct gf_operator_programs programs;
    struct gf_cuda_operator_code code;
    gf_cuda_operator_interpret_fn *interpret;
    struct gf_jit_use use; /* the kernels compiled for it, if `compiled` */
    bool compiled;
    uint32_t kept_vectors;                                                     /* as in gf_jit_operator */
    union gf_expr_value constants[GF_CUDA_OPERATOR_TEXTS * GF_EXPR_CONSTANTS]; /* of all texts, if `compiled` */
    double lift, combine, finish; /* costs, in bytes that the device moves in the same time */
    uint64_t elements;            /* elements of the source, per channel */
    uint64_t sequences;
    uint64_t longest; /* blocks in the longest sequence */
    uint64_t tiles;   /* blocks in all sequences */
    struct gf_cuda_segments segments;
    void *states; /* states of all parts, or the look-back state */
};

/* Compiles the texts and describes the step's images and sequences. Sequences of more than `short_n` elements are cut
 * into blocks of `block` elements. Checks the offsets of segments and copies them to the device. BAD_PARAM, NO_MEMORY,
 * NO_DEVICE_MEMORY. The caller must call gf_cuda_operator_deinit, also after an error. */
enum gf_status gf_cuda_operator_init(struct gf_cuda_call *call, gf_cuda_operator_interpret_fn *interpret,
                                     uint64_t block, uint64_t short_n, struct gf_cuda_operator *ret,
                                     struct gf_error *err);
void gf_cuda_operator_deinit(struct gf_cuda_call *call, struct gf_cuda_operator *op);
/* Looks for compiled kernels; `kernels` has a bit for each kernel that the step launches. Without them the operator is
 * interpreted. */
void gf_cuda_operator_find(struct gf_cuda_call *call, struct gf_cuda_operator *op, uint32_t kernels);
/* The words of a state in memory, the same for compiled and interpreted kernels. */
uint32_t gf_cuda_operator_values(const struct gf_cuda_operator *op);
/* Takes device memory for `states[i]` states in part i. NO_DEVICE_MEMORY, TOO_LARGE. */
enum gf_status gf_cuda_operator_take(struct gf_cuda_call *call, struct gf_cuda_operator *op, const uint64_t states[2],
                                     struct gf_error *err);

/* Runs a kernel on `items`. A thread block takes `each` items at a time; an item costs as much as moving `cost` bytes.
 * The work is split into several launches, so that the host can stop the job between them, each of at most `blocks`
 * thread blocks unless `blocks` is 0. A compiled kernel gets `shared` bytes of dynamic shared memory per block. */
struct gf_cuda_operator_work {
    uint64_t items;
    uint32_t each;
    double cost;
    uint32_t blocks;
    size_t shared;
};
enum gf_status gf_cuda_operator_run(struct gf_cuda_call *call, const struct gf_cuda_operator *op,
                                    enum gf_cuda_operator_kernel kernel, struct gf_cuda_operator_level level,
                                    struct gf_cuda_operator_work work, struct gf_error *err);

#ifdef __cplusplus
}
#endif

#endif
