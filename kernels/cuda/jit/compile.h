/* SPDX-License-Identifier: MIT */
/*
 * The worker's side of compiling: starts the process of compiler.h, gives it a source, and takes its answer or says
 * what became of it. Nothing that this process does harms the caller. Called by the thread of jit.c.
 */
#ifndef GF_JIT_COMPILE_H
#define GF_JIT_COMPILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/base/error.h"

struct gf_jit_compiler {
    const char *program; /* that gets GF_JIT_COMPILER_ARGUMENT */
    int stop;            /* readable once the caller is to end; -1: never */
    uint32_t timeout_ms;
    pid_t left; /* a process that had not ended when it should have; 0: none */
};

enum gf_jit_outcome {
    GF_JIT_COMPILED = 1,
    GF_JIT_WRONG,       /* the compiler says no to this source */
    GF_JIT_BROKEN,      /* it hung, died or answered nonsense: maybe for this source alone, maybe not */
    GF_JIT_NO_COMPILER, /* there is none */
    GF_JIT_LATER,       /* no process can be started now */
    GF_JIT_STOPPED,
};

struct gf_jit_code {
    void *data; /* malloc's; NULL where the version alone was asked for */
    size_t size;
    uint32_t version; /* of the compiler: 13000 for 13.0 */
};

void gf_jit_code_deinit(struct gf_jit_code *code);

/* Compiles a source for an architecture; an empty one asks for the version alone. One at a time. Ends within timeout_ms
 * and half a second; what is *ret_code then is set for GF_JIT_COMPILED alone, and the reason in err for others. */
enum gf_jit_outcome gf_jit_compile(struct gf_jit_compiler *compiler, const char *source, uint32_t arch,
                                   struct gf_jit_code *ret_code, struct gf_error *err);

/* Waits for a process that is left, once the thread that started it has ended, which kills it. */
void gf_jit_compiler_deinit(struct gf_jit_compiler *compiler);

#endif
