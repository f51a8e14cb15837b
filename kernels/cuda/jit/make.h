/* SPDX-License-Identifier: MIT */
/* Making one kernel: from its file, or by the compiler, and then onto the device. Called by the thread of jit.c. */
#ifndef GF_JIT_MAKE_H
#define GF_JIT_MAKE_H

#include "compile.h"
#include "disk.h"
#include "jit.h"

/* A spec of its own, which waits to be made. */
struct gf_jit_work {
    struct gf_jit_spec spec; /* its program, or its operator, is the one below */
    struct gf_expr_program program;
    struct gf_jit_operator user;
    struct gf_operator_programs programs;
    bool compile;  /* else it is only looked for in files */
    uint64_t turn; /* lower ones are made earlier */
};

/* malloc's; NULL: no memory. */
struct gf_jit_work *gf_jit_work_new(const struct gf_jit_spec *spec, bool compile, uint64_t turn);

struct gf_jit_maker {
    struct gf_jit_compiler compiler;
    struct gf_jit_disk disk;
    const struct gf_jit_loader *loader;
    uint32_t arch;
    uint32_t version; /* of the compiler when it was last asked; 0: not known yet */
};

enum gf_jit_made {
    GF_JIT_MAKE_COMPILED = 1,
    GF_JIT_MAKE_FROM_FILE,
    GF_JIT_MAKE_NOTHING, /* it is in no file, and not to be compiled yet; or this is to end */
    GF_JIT_MAKE_FAILED,  /* the program has no kernel: its source is refused, or its code does not load */
    GF_JIT_MAKE_BROKEN,  /* the compiler hung, died or answered nonsense */
    GF_JIT_MAKE_OFF,     /* there is no compiler */
    GF_JIT_MAKE_LATER,   /* it cannot be started now */
};

/* `key` is that of the spec, gf_jit_key_of. */
enum gf_jit_made gf_jit_make(struct gf_jit_maker *maker, const struct gf_jit_work *work,
                             const struct gf_jit_disk_key *key, struct gf_jit_module *ret_module);

#endif
