/* SPDX-License-Identifier: MIT */
/*
 * The specification of a kernel compiled at run time: a program and the types of its images. Also its key, which two
 * specs share if one kernel computes both, and the shape of its launch. Called by jit.c, the writers of sources,
 * kernels/cuda/point/expr.c and kernels/cuda/operator/operator.c.
 */
#ifndef GF_JIT_SPEC_H
#define GF_JIT_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/shared/expr/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gf_jit_image {
    uint32_t dtype, channels;
};

/* An operator of reduce or scan, and what its kernels may assume about sequences, as in gf_cuda_operator_args. */
struct gf_jit_operator {
    const struct gf_operator_programs *programs;
    uint32_t kernels; /* a bit for each of enum gf_cuda_operator_kernel */
    /* Vectors of 16 bytes per row of 16 elements, which a scan along lines keeps in dynamic shared memory. 0: there is
     * none, and only rows of up to four vectors are kept. */
    uint32_t kept_vectors;
    bool columns, along_rows, one_row, exclusive, reverse, segments;
};

/* Samples are loaded as gf_cuda_expr_access says. If places are pixels, all channels of every input that the program
 * reads are loaded; otherwise the sample at the same place, or the pixel's sample of an input of one channel. */
struct gf_jit_spec {
    const struct gf_expr_program *program;
    struct gf_jit_image in[GF_EXPR_MAX_INPUTS]; /* the inputs that the program loads */
    struct gf_jit_image out;
    const struct gf_jit_operator *user; /* an operator on in[0], instead of the program; NULL: none */
};

/* A spec as bytes: everything that the kernel depends on, and nothing else, such as the values of constants. */
#define GF_JIT_PROGRAM_BYTES (16u + 6u * GF_EXPR_INSNS)
#define GF_JIT_KEY_BYTES (64u + 3u * GF_JIT_PROGRAM_BYTES)
struct gf_jit_key {
    uint32_t size;
    uint8_t bytes[GF_JIT_KEY_BYTES];
};

void gf_jit_key_of(const struct gf_jit_spec *spec, struct gf_jit_key *ret_key);

/* The shape of a kernel: a thread has `groups` runs of `places` adjacent places; its runs are 32 runs apart. */
struct gf_jit_layout {
    uint32_t places, groups;
    bool calls; /* instructions that take much code are calls, because inlining takes the compiler too long */
};

struct gf_jit_layout gf_jit_layout_of(const struct gf_jit_spec *spec);

/* Writes the source of the kernel GF_JIT_KERNEL, or of an operator's kernels, each named by its number. Returns false
 * if the text does not fit, or if kernels do not support an instruction of the program. */
#define GF_JIT_KERNEL "gf_expr_kernel"
#define GF_JIT_OPERATOR_KERNEL "gf_operator_kernel_%u"
#define GF_JIT_THREADS 256u /* per block */
bool gf_jit_source(const struct gf_jit_spec *spec, char *ret_text, size_t size);
/* The same for an operator. In operator_source.c, for source.c. */
bool gf_jit_operator_source(const struct gf_jit_spec *spec, char *ret_text, size_t size);
/* The approximate number of machine instructions of a program for one place. */
uint32_t gf_jit_code_of(const struct gf_expr_program *program);

#ifdef __cplusplus
}
#endif
#endif
