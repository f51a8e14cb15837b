/* SPDX-License-Identifier: MIT */
/* Makes one kernel: loads its file, or has it compiled, then loads it onto the device. Called by the thread of jit.c.
 */
#ifndef GF_JIT_MAKE_H
#define GF_JIT_MAKE_H

#include "compile.h"
#include "disk.h"
#include "jit.h"

/* A copy of a spec that waits to be made. */
struct gf_jit_work {
    struct gf_jit_spec spec; /* points to the program, or to the operator, below */
    struct gf_expr_program program;
    struct gf_jit_operator user;
    struct gf_operator_programs programs;
    bool compile;   /* otherwise only look for its file */
    uint64_t asker; /* the user whose request it is */
    uint64_t turn;  /* kernels with lower turns are made first */
};

/* From malloc. NULL: no memory. */
struct gf_jit_work *gf_jit_work_new(const struct gf_jit_spec *spec, uint64_t asker, bool compile, uint64_t turn);

struct gf_jit_maker {
    struct gf_jit_compiler compiler;
    struct gf_jit_disk disk;
    const struct gf_jit_loader *loader;
    uint32_t arch;
    uint32_t version; /* of the compiler, as last reported; 0: unknown */
};

enum gf_jit_made {
    GF_JIT_MAKE_COMPILED = 1,
    GF_JIT_MAKE_FROM_FILE,
    GF_JIT_MAKE_NOTHING, /* there is no file and the program must not be compiled yet, or the thread must stop */
    GF_JIT_MAKE_FAILED,  /* the program has no kernel: its source was refused, or its code does not load */
    GF_JIT_MAKE_BROKEN,  /* the compiler hung, died or answered nonsense */
    GF_JIT_MAKE_OFF,     /* there is no compiler for the device */
    GF_JIT_MAKE_LATER,   /* the compiler cannot be started at present */
};

/* Makes the kernel of `work`. `key` must be the spec's, from gf_jit_key_of. Sets err if the compiler made nothing. */
enum gf_jit_made gf_jit_make(struct gf_jit_maker *maker, const struct gf_jit_work *work,
                             const struct gf_jit_disk_key *key, struct gf_jit_module *ret_module, struct gf_error *err);

#endif
