/* SPDX-License-Identifier: MIT */
/*
 * Kernels of programs that are used repeatedly: a table of them, and a thread that has them compiled, one after
 * another, while jobs use the interpreter. Memory is bounded, and no job waits for the thread. The table, the places
 * for kernels, the queue and the thread's time are shared fairly by users (shares.h). Called by
 * kernels/cuda/point/expr.c through cuda_jit.c. Uses no CUDA, so that it can be tested anywhere.
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

#define GF_JIT_KERNELS 64u         /* loaded at a time; the least recently used one of a user is unloaded */
#define GF_JIT_PROGRAMS 256u       /* remembered, including programs used once and programs that cannot be compiled */
#define GF_JIT_WAITING 16u         /* waiting to be compiled; further programs are submitted at their next use */
#define GF_JIT_LARGE (64ull << 20) /* bytes of samples for which a program is compiled at its first use */
#define GF_JIT_TIMEOUT_MS 35000u   /* of a compilation; the process has ended itself by then */
#define GF_JIT_PAUSE_MS 600000u    /* for which a program that broke the compiler, and a user of such, wait */
#define GF_JIT_RETRY_MS 1000u      /* after which a process that could not be started is tried again */
/* The price for a user of replacing a loaded kernel of their own, in uses, and the most uses that can be saved up for
 * it. Otherwise programs used in turn, more of them than may be loaded, would have kernels loaded and unloaded all the
 * time. */
#define GF_JIT_SWAP_USES 32u
#define GF_JIT_SWAP_MAX (16u * GF_JIT_SWAP_USES)

struct gf_jit;
struct gf_compile_times; /* protocol/wire/worker_msg.h */

/* Code on the device. */
struct gf_jit_module {
    void *library, *kernel;
};

/* How code is loaded and unloaded. Called by the thread of the jit; gf_jit_free also calls `unload`. */
struct gf_jit_loader {
    void *data;
    bool (*load)(void *data, const void *code, size_t size, struct gf_jit_module *ret_module);
    /* No launch of the kernel runs any more. */
    void (*unload)(void *data, const struct gf_jit_module *module);
};

struct gf_jit_options {
    uint32_t arch;        /* 90 for sm_90 */
    const char *folder;   /* for kernels in files; NULL: none. May be freed after gf_jit_new. */
    const char *compiler; /* the program that compiles; NULL: this program */
    uint32_t timeout_ms;  /* 0: GF_JIT_TIMEOUT_MS */
    bool all;             /* for tests and benchmarks: compile each program at its first use, and wait for the kernel */
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
    uint32_t loaded, waiting; /* at present */
    bool off; /* at present: there is no compiler, it cannot be started, or it broke too often at a user's programs */
    char why[GF_ERROR_TEXT]; /* the compiler is off for all users; empty if it is not */
};

/* Creates a jit without a thread, which starts when a program is first submitted. NO_MEMORY. */
enum gf_status gf_jit_new(const struct gf_jit_options *options, struct gf_jit **ret_jit, struct gf_error *err);
/* Ends the thread, at once even during a compilation, and unloads all kernels. No kernel may be in use. Accepts NULL.
 */
void gf_jit_free(struct gf_jit *jit);

/* Counts a use of the program by a user on `bytes` bytes of samples. Returns true if its kernel is loaded; the kernel
 * stays loaded until gf_jit_done. Only waits for concurrent calls, or with gf_jit_options.all for the kernel. */
bool gf_jit_find(struct gf_jit *jit, const struct gf_jit_spec *spec, uint64_t user, uint64_t bytes,
                 struct gf_jit_use *ret_use);
/* Must be called once for each successful gf_jit_find, when no launch of that use runs any more. */
void gf_jit_done(struct gf_jit *jit, uint32_t entry);

void gf_jit_figures(struct gf_jit *jit, struct gf_jit_figures *ret_figures);
/* Returns how long the thread has worked for each user since the last call. A kernel's time is that of the user who
 * asked for it first: whose use had it compiled. */
void gf_jit_take_times(struct gf_jit *jit, struct gf_compile_times *ret_times);
/* Waits until no program waits to be compiled. For tests and benchmarks. */
void gf_jit_settle(struct gf_jit *jit);

#ifdef __cplusplus
}
#endif
#endif
