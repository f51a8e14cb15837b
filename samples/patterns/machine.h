/* SPDX-License-Identifier: MIT */
/* Where rungs run: a GPU, or this process with emulated kernels. Used by harness.c; main.c chooses one. */
#ifndef PATTERNS_MACHINE_H
#define PATTERNS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "call.h"

/* What the compiler and the GPU say of a kernel. */
struct kernel_facts {
    int registers;    /* of a thread */
    size_t shared;    /* bytes of a block */
    double occupancy; /* warps that fit on a multiprocessor at once, of those it can hold */
};

struct machine {
    /* False with a reason. */
    bool (*open)(char *ret_why, size_t size);
    /* What it is called, which device of the daemon has it, and the largest size of all buffers together. */
    const char *(*name)(void);
    const char *device;
    size_t (*free_memory)(void);
    /* Memory for rungs, NULL when there is none; bytes between it and the host, and over all of it. */
    void *(*take)(size_t size);
    void (*give)(void *memory);
    void (*put)(void *to, const void *from, size_t size);
    void (*get)(void *to, const void *from, size_t size);
    void (*set)(void *to, int value, size_t size);
    /* Locks pages of the host, so that the machine copies from and to them by itself; false when it cannot. */
    bool (*lock)(void *memory, size_t size);
    void (*unlock)(void *memory);
    /* Seconds that a rung takes, with everything it starts; call->error says what went wrong. */
    double (*time)(void (*rung)(struct call *), struct call *call);
    /* Bytes per second of a copy of memory, read and written; 0 where it means nothing. */
    double (*copy_rate)(void);
    /* Where kernels are emulated: the order of blocks, and of a block's threads between two barriers: 0 ascending, 1
     * descending, else shuffled. NULL on a GPU. */
    void (*order)(unsigned seed);
    /* False where there is nothing to say. */
    bool (*facts)(const struct call *call, struct kernel_facts *ret_facts);
    /* Prints what the GPU says of itself, in lines; nothing when it is not open. NULL: no GPU. */
    void (*describe)(void);
};

extern const struct machine g_machine_cpu;
/* In machine_cuda.c, or in machine_absent.c where there is no CUDA compiler. */
extern const struct machine g_machine_cuda;

#endif
