/* SPDX-License-Identifier: MIT */
/*
 * The process that compiles one kernel: NVRTC may hang, die or take memory without end, so it never runs in the worker.
 * It is the worker's program with the one argument GF_JIT_COMPILER_ARGUMENT, started by compile.c; main() calls this
 * before anything else.
 */
#ifndef GF_JIT_COMPILER_H
#define GF_JIT_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

/* What the process may take. */
#define GF_JIT_COMPILER_SECONDS 30u         /* until SIGALRM ends it */
#define GF_JIT_COMPILER_CPU_SECONDS 20u     /* of the processor */
#define GF_JIT_COMPILER_MEMORY (1ull << 30) /* of addresses; programs take up to 200 MB */

/* Whether the program was started to compile. */
bool gf_jit_is_compiler(int argc, char **argv);

/* Gives up what a compiler has no need of: files and pipes but the standard ones, core files, the processor when others
 * want it, time and memory without end. It ends when the thread that started it does, or after `seconds`. */
void gf_jit_compiler_limit(uint32_t seconds);

/* Limits itself, reads a request, answers it. Returns the exit code. */
int gf_jit_compiler_main(uint32_t seconds);

#endif
