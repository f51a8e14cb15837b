/* SPDX-License-Identifier: MIT */
/*
 * What a kernel made at run time is made for: a program and the types of its images. Also its key, which two specs
 * share if one kernel computes both, and the shape of its launch. Called by jit.c, the sources,
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

/* An operator of reduce or scan and what its kernels are to know of their sequences, as in gf_cuda_operator_args. */
struct gf_jit_operator {
    const struct gf_operator_programs *programs;
    uint32_t kernels; /* a bit for each of enum gf_cuda_operator_kernel */
    /* 16-byte vectors of 16 elements as they are read, which a scan along lines keeps in shared memory that the launch
     * gives; 0: it gives none, and those of up to four are kept. */
    uint32_t kept_vectors;
    bool columns, along_rows, one_row, exclusive, reverse, segments;
};

/* Samples are loaded as gf_cuda_expr_way says: in pixels all channels of those inputs that the program takes from; else
 * a sample at the same place, or of an input of one channel that of the pixel. */
struct gf_jit_spec {
    const struct gf_expr_program *program;
    struct gf_jit_image in[GF_EXPR_MAX_INPUTS]; /* those that the program loads */
    struct gf_jit_image out;
    const struct gf_jit_operator *user; /* an operator in place of the program, of in[0]; NULL: none */
};

/* The spec without values of constants and without what the kernel does not depend on, as bytes. */
#define GF_JIT_PROGRAM_BYTES (16u + 6u * GF_EXPR_INSNS)
#define GF_JIT_KEY_BYTES (64u + 3u * GF_JIT_PROGRAM_BYTES)
struct gf_jit_key {
    uint32_t size;
    uint8_t bytes[GF_JIT_KEY_BYTES];
};

void gf_jit_key_of(const struct gf_jit_spec *spec, struct gf_jit_key *ret_key);

/* How a kernel is laid out: a thread takes `places` places side by side, and `groups` such runs, a warp apart. */
struct gf_jit_layout {
    uint32_t places, groups;
    bool calls; /* of what takes much code there is one copy, which is called: else it would take the compiler too long
                 */
};

struct gf_jit_layout gf_jit_layout_of(const struct gf_jit_spec *spec);

/* Writes the source of the kernel, named GF_JIT_KERNEL; of an operator's kernels each is named by its number. False
 * where it does not fit, or the program has an instruction that kernels do not have. */
#define GF_JIT_KERNEL "gf_expr_kernel"
#define GF_JIT_OPERATOR_KERNEL "gf_operator_kernel_%u"
#define GF_JIT_THREADS 256u /* of a block, in warps */
bool gf_jit_source(const struct gf_jit_spec *spec, char *ret_text, size_t size);
/* That of an operator. In operator_source.c, for source.c. */
bool gf_jit_operator_source(const struct gf_jit_spec *spec, char *ret_text, size_t size);
/* Instructions of a program's code for one place, about. */
uint32_t gf_jit_code_of(const struct gf_expr_program *program);

#ifdef __cplusplus
}
#endif
#endif
