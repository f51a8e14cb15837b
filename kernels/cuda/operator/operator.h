/* SPDX-License-Identifier: MIT */
/*
 * reduce and scan with op=user on the device, docs/numerics.md 27: the whole steps, for reduce/reduction.c and
 * scan/scan.c, and between the files of this folder what both ops share.
 */
#ifndef GF_CUDA_OPERATOR_H
#define GF_CUDA_OPERATOR_H

#include "kernels/cuda/jit/cuda_jit.h"
#include "kernels/cuda/step/cuda_call.h"
#include "operator_interpreter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The whole step. */
enum gf_status gf_cuda_operator_reduce(struct gf_cuda_call *call, struct gf_error *err);
enum gf_status gf_cuda_operator_scan(struct gf_cuda_call *call, struct gf_error *err);

/* An operator of a step, ready for launches. */
struct gf_cuda_operator {
    struct gf_cuda_operator_args args;
    struct gf_operator_programs programs;
    struct gf_cuda_operator_code code;
    gf_cuda_operator_interpret_fn *interpret;
    struct gf_jit_use use; /* of kernels that were made for it, if they are there */
    bool compiled;
    uint32_t kept_vectors;                                                     /* as in gf_jit_operator */
    union gf_expr_value constants[GF_CUDA_OPERATOR_TEXTS * GF_EXPR_CONSTANTS]; /* of all texts, for those */
    double lift, combine, finish; /* what each costs, in bytes that the device moves meanwhile */
    uint64_t elements;            /* of the source in a channel */
    uint64_t sequences;
    uint64_t longest; /* blocks of the longest sequence */
    uint64_t tiles;   /* blocks of all */
    void *tables;     /* of segments, on the device */
    void *states;     /* of all parts, or for looking back */
};

/* Compiles the texts and describes the step's images and sequences, which are cut into blocks of `block` elements but
 * for those of at most `short_n`; checks the offsets of segments and brings them to the device. BAD_PARAM, NO_MEMORY,
 * NO_DEVICE_MEMORY. gf_cuda_operator_deinit follows in any case. */
enum gf_status gf_cuda_operator_init(struct gf_cuda_call *call, gf_cuda_operator_interpret_fn *interpret,
                                     uint64_t block, uint64_t short_n, struct gf_cuda_operator *ret,
                                     struct gf_error *err);
void gf_cuda_operator_deinit(struct gf_cuda_call *call, struct gf_cuda_operator *op);
/* Looks for kernels that were made for it, a bit for each that the step launches. Without them it is interpreted. */
void gf_cuda_operator_find(struct gf_cuda_call *call, struct gf_cuda_operator *op, uint32_t kernels);
/* Words that a state takes, of both ways of running the texts. */
uint32_t gf_cuda_operator_values(const struct gf_cuda_operator *op);
/* Room for so many states in each of the parts. NO_DEVICE_MEMORY, TOO_LARGE. */
enum gf_status gf_cuda_operator_take(struct gf_cuda_call *call, struct gf_cuda_operator *op, const uint64_t states[2],
                                     struct gf_error *err);

/* Runs a kernel on `items`, of which a block of threads takes `each` at a time and each costs as much as `cost` bytes
 * that are moved. In as many launches as let a stop be seen in between, of at most so many blocks of threads, if
 * `blocks` is not 0. A kernel that is compiled gets `shared` bytes of memory for each block. */
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
