/* SPDX-License-Identifier: MIT */
/* Where rungs run: on a GPU, or in this process with emulated kernels. main.c chooses the machine; harness.c uses
 * it. */
#ifndef PATTERNS_MACHINE_H
#define PATTERNS_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "call.h"

/* What the compiler and the GPU report about a kernel. */
struct kernel_facts {
    int registers;    /* per thread */
    size_t shared;    /* bytes per block */
    double occupancy; /* resident warps of a multiprocessor / the most it supports */
};

struct machine {
    /* Returns false with a reason in ret_why. NULL: there is nothing to open. */
    bool (*open)(char *ret_why, size_t size);
    /* The machine's name, the daemon's name for its device, and the bytes that all buffers together may take. */
    const char *(*name)(void);
    const char *device;
    size_t (*free_memory)(void);
    /* Allocate (NULL: out of memory) and free memory for rungs; copy to it, copy from it, and fill it, as rungs do.
     * Without a call errors are ignored: after a failed copy the comparison fails. */
    void *(*take)(size_t size);
    void (*give)(void *memory);
    void (*put)(struct call *call, void *to, const void *from, size_t size);
    void (*get)(struct call *call, void *to, const void *from, size_t size);
    void (*set)(struct call *call, void *to, int value, size_t size);
    /* Locks host pages, so that the machine copies from and to them directly. Returns false if it cannot. NULL: copies
     * need no locked pages. */
    bool (*lock)(void *memory, size_t size);
    void (*unlock)(void *memory);
    /* Runs a rung and returns the seconds until all its work is done. An error is left in call->error. */
    double (*time)(void (*rung)(struct call *), struct call *call);
    /* Bytes per second of a memory copy, reads and writes both counted. NULL: kernels are emulated and not timed. */
    double (*copy_rate)(void);
    /* Emulation only: sets the order of blocks, and of a block's threads between two barriers. 0: ascending, 1:
     * descending, other seeds: shuffled. NULL on a GPU. */
    void (*order)(unsigned seed);
    /* Returns false if nothing is known about the kernel. NULL where copy_rate is. */
    bool (*facts)(const struct call *call, struct kernel_facts *ret_facts);
    /* Prints the GPU's attributes, one a line; prints nothing before open. NULL: no GPU. */
    void (*describe)(void);
};

extern const struct machine g_machine_cpu;
/* Defined in machine_cuda.c, or in machine_absent.c without a CUDA compiler. */
extern const struct machine g_machine_cuda;

#endif
