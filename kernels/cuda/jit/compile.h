/* SPDX-License-Identifier: MIT */
/*
 * The worker's side of compiling: starts the process of compiler.h, sends it a source, and returns its answer or the
 * reason why there is none. Nothing that the process does harms the caller. Called by the thread of jit.c.
 */
#ifndef GF_JIT_COMPILE_H
#define GF_JIT_COMPILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/base/error.h"

struct gf_jit_compiler {
    const char *program; /* the program to start with GF_JIT_COMPILER_ARGUMENT */
    int stop;            /* becomes readable when the caller must stop; -1: never */
    uint32_t timeout_ms;
    pid_t left; /* a process that did not end in time; 0: none */
};

enum gf_jit_outcome {
    GF_JIT_COMPILED = 1,
    GF_JIT_WRONG,       /* the compiler refused the source */
    GF_JIT_BROKEN,      /* the compiler hung, died or answered nonsense, perhaps for this source only */
    GF_JIT_NO_COMPILER, /* no compiler for the architecture is installed; only where the version alone is asked for */
    GF_JIT_LATER,       /* no process can be started at present, or an earlier one has not ended */
    GF_JIT_STOPPED,
};

struct gf_jit_code {
    void *data; /* from malloc; NULL if only the version was asked for */
    size_t size;
    uint32_t version; /* of the compiler: 13000 for 13.0 */
};

void gf_jit_code_deinit(struct gf_jit_code *code);

/* Compiles a source for an architecture. An empty source asks for the compiler's version alone. Must not be called
 * concurrently. Returns within timeout_ms plus half a second. Sets *ret_code for GF_JIT_COMPILED only, otherwise err.
 */
enum gf_jit_outcome gf_jit_compile(struct gf_jit_compiler *compiler, const char *source, uint32_t arch,
                                   struct gf_jit_code *ret_code, struct gf_error *err);

/* Kills a process that was left and waits for it, at most half a second. Must be called after the thread that started
 * it has ended, which kills it where this process may not. */
void gf_jit_compiler_deinit(struct gf_jit_compiler *compiler);

#endif
