/* SPDX-License-Identifier: MIT */
/*
 * The process that compiles one kernel. NVRTC may hang, die or use unlimited memory, so it never runs in the worker.
 * The process is the worker's program with the single argument GF_JIT_COMPILER_ARGUMENT, started by compile.c; main()
 * calls gf_jit_compiler_main() before anything else.
 */
#ifndef GF_JIT_COMPILER_H
#define GF_JIT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/base/error.h"

/* Limits of the process. */
#define GF_JIT_COMPILER_SECONDS 30u         /* of time, until SIGALRM ends it */
#define GF_JIT_COMPILER_CPU_SECONDS 20u     /* of processor time */
#define GF_JIT_COMPILER_MEMORY (1ull << 30) /* bytes of address space; programs take up to 200 MB */

/* Whether the program was started as the compiler. */
bool gf_jit_is_compiler(int argc, char **argv);

/* Drops what a compiler does not need: files and pipes other than the standard ones, core files, processor priority,
 * and unlimited time and memory. The process ends when the thread that started it ends, or after `seconds`. */
void gf_jit_compiler_limit(uint32_t seconds);

/* Gives up the rights that compiling does not need: to open files, to map code, to signal and to start processes. */
typedef enum gf_status gf_jit_confine(struct gf_error *err);

/* Limits the process, reads a request and answers it. Returns the exit code. `confine`, unless NULL, is called when
 * NVRTC has loaded what it needs and before the source is read, also where the version alone is asked for. If it fails,
 * nothing is compiled, and the answer is that there is no compiler. */
int gf_jit_compiler_main(uint32_t seconds, gf_jit_confine *confine);

#endif
