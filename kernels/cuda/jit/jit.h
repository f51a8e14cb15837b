/* SPDX-License-Identifier: MIT */
/*
 * Kernels of programs that are used again: which there are, and a thread that has them compiled, one after the other,
 * while jobs go on with the interpreter. Bounded in memory; nobody waits for it. Called by kernels/cuda/point/expr.c
 * through cuda_jit.c; knows no CUDA, so that it can be tested anywhere.
 */
#ifndef GF_JIT_H
#define GF_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/base/error.h"
#include "spec.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GF_JIT_KERNELS 64u         /* loaded at once; the one used longest ago goes */
#define GF_JIT_PROGRAMS 256u       /* remembered, with those that were used once, or cannot be compiled */
#define GF_JIT_WAITING 16u         /* to be compiled; others wait for their next use */
#define GF_JIT_LARGE (64ull << 20) /* bytes of samples that are worth a compilation at the first use */
#define GF_JIT_TIMEOUT_MS 35000u   /* for a compilation; the process has ended itself by then */
#define GF_JIT_PAUSE_MS 600000u    /* for which a compiler that broke, and a program that broke it, are left alone */
#define GF_JIT_RETRY_MS 1000u      /* after which a process that could not be started is tried again */
/* A kernel that takes the place of another costs so many uses, of which so many can be saved up: programs that are used
 * in turn, more of them than may be loaded, would else have kernels loaded and unloaded all the time. */
#define GF_JIT_SWAP_USES 32u
#define GF_JIT_SWAP_MOST (16u * GF_JIT_SWAP_USES)

struct gf_jit;

/* Code on the device. */
struct gf_jit_module {
    void *library, *kernel;
};

/* How code gets there and is taken away. Called by the thread of the jit, and `unload` by gf_jit_free as well. */
struct gf_jit_loader {
    void *data;
    bool (*load)(void *data, const void *code, size_t size, struct gf_jit_module *ret_module);
    /* Nothing that was launched runs any more. */
    void (*unload)(void *data, const struct gf_jit_module *module);
};

struct gf_jit_options {
    uint32_t arch;        /* 90 for sm_90 */
    const char *folder;   /* of kernels in files; NULL: none. Not needed after gf_jit_new. */
    const char *compiler; /* the program that compiles; NULL: this one */
    uint32_t timeout_ms;  /* 0: GF_JIT_TIMEOUT_MS */
    bool all;             /* each program is compiled at its first use, which waits for it: for tests and benchmarks */
    uint64_t (*now_ns)(void); /* a clock; NULL: gf_now_ns */
    struct gf_jit_loader loader;
};

/* A kernel that a job uses. */
struct gf_jit_use {
    uint32_t entry; /* for gf_jit_done */
    struct gf_jit_module module;
    struct gf_jit_layout layout;
};

struct gf_jit_figures {
    uint64_t compiled, failed, from_files; /* kernels */
    uint64_t runs_compiled, runs_interpreted;
    uint32_t loaded, waiting; /* now */
    bool off;                 /* now: there is no compiler, it broke too often, or cannot be started */
};

/* NO_MEMORY. No thread starts before a program is used. */
enum gf_status gf_jit_new(const struct gf_jit_options *options, struct gf_jit **ret_jit, struct gf_error *err);
/* Ends the thread, at once if it waits for a compilation, and unloads all. No use is left. NULL is allowed. */
void gf_jit_free(struct gf_jit *jit);

/* Counts a use of the program on so many bytes of samples. True where its kernel is loaded; it stays until gf_jit_done.
 * Waits for nothing but other such calls, unless gf_jit_options.all has it wait for the kernel. */
bool gf_jit_find(struct gf_jit *jit, const struct gf_jit_spec *spec, uint64_t bytes, struct gf_jit_use *ret_use);
/* Once for each gf_jit_find that gave a kernel, when no launch of that use runs any more. */
void gf_jit_done(struct gf_jit *jit, uint32_t entry);

void gf_jit_figures(struct gf_jit *jit, struct gf_jit_figures *ret_figures);
/* Returns once nothing waits to be compiled. For tests and benchmarks. */
void gf_jit_settle(struct gf_jit *jit);

#ifdef __cplusplus
}
#endif
#endif
