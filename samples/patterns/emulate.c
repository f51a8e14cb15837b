/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels thread by thread; see emulate.h. A thread is a fiber of ucontext with a stack of its own. All threads of
 * a block run in turn until each waits or has ended; then those whose barrier or warp is complete go on. Shared memory
 * is filled with rubbish before each block.
 */
#include "emulate.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define MAX_THREADS 1024u
#define STACK_SIZE ((size_t)64 << 10)
#define MAX_ARGS 10
#define RUBBISH 0xA5

enum state { READY, AT_BARRIER, AT_WARP, ENDED };

struct fiber {
    ucontext_t context;
    enum state state;
    dim3 index;
    unsigned mask;  /* whom it waits for, AT_WARP */
    uint64_t given; /* to the other lanes */
    uint64_t seen;  /* what it gave when all of its mask had arrived */
};

dim3 threadIdx, blockIdx, blockDim, gridDim;

/* Memory that kernels declare __shared__: the linker puts it side by side. */
extern char __start_patterns_shared[] __attribute__((weak));
extern char __stop_patterns_shared[] __attribute__((weak));

static struct fiber g_fibers[MAX_THREADS];
static ucontext_t g_scheduler;
static unsigned g_running; /* index of the fiber that runs */
static unsigned g_seed;
static char *g_stacks;

void emulate_order(unsigned seed)
{
    g_seed = seed;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The numbers below n in the order that was chosen. */
static void put_in_order(unsigned *order, unsigned n, uint32_t *random)
{
    for (unsigned i = 0; i < n; i++)
        order[i] = g_seed == 1 ? n - 1 - i : i;
    for (unsigned i = n; g_seed > 1 && i > 1; i--) {
        unsigned k = next_random(random) % i, other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
}

/* Lets the scheduler choose who goes on; returns when this thread may. */
static void wait_as(enum state state)
{
    unsigned self = g_running;
    g_fibers[self].state = state;
    swapcontext(&g_fibers[self].context, &g_scheduler);
}

void __syncthreads(void)
{
    wait_as(AT_BARRIER);
}

unsigned emulate_lane(void)
{
    return g_running % warpSize;
}

static void exchange(unsigned mask, uint64_t value)
{
    g_fibers[g_running].mask = mask;
    g_fibers[g_running].given = value;
    wait_as(AT_WARP);
}

uint64_t emulate_shuffle(unsigned mask, uint64_t value, unsigned lane)
{
    exchange(mask, value);
    unsigned warp = g_running / warpSize * warpSize;
    if (mask >> lane & 1u)
        return g_fibers[warp + lane].seen;
    return 0x0101010101010101u * RUBBISH; /* a lane that takes no part has no value */
}

unsigned emulate_ballot(unsigned mask, bool predicate)
{
    exchange(mask, predicate);
    unsigned warp = g_running / warpSize * warpSize, bits = 0;
    for (unsigned lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1u)
            bits |= (unsigned)g_fibers[warp + lane].seen << lane;
    return bits;
}

/* Whether all lanes that this one waits for are there, and for the same mask. */
static bool warp_is_complete(unsigned self, unsigned n)
{
    unsigned warp = self / warpSize * warpSize, mask = g_fibers[self].mask;
    for (unsigned lane = 0; lane < warpSize; lane++) {
        const struct fiber *f = &g_fibers[warp + lane];
        if ((mask >> lane & 1u) && (warp + lane >= n || f->state != AT_WARP || f->mask != mask))
            return false;
    }
    return true;
}

static void release_warp(unsigned self)
{
    unsigned warp = self / warpSize * warpSize, mask = g_fibers[self].mask;
    for (unsigned lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1u) {
            g_fibers[warp + lane].seen = g_fibers[warp + lane].given;
            g_fibers[warp + lane].state = READY;
        }
}

/* Lets go on who waits for nobody any more. False when that is nobody. */
static bool release(unsigned n)
{
    bool released = false;
    unsigned waiting = 0, ended = 0;
    for (unsigned i = 0; i < n; i++) {
        if (g_fibers[i].state == AT_WARP && warp_is_complete(i, n)) {
            release_warp(i);
            released = true;
        }
        waiting += g_fibers[i].state == AT_BARRIER;
        ended += g_fibers[i].state == ENDED;
    }
    if (waiting == 0 || waiting + ended < n)
        return released;
    for (unsigned i = 0; i < n; i++)
        if (g_fibers[i].state == AT_BARRIER)
            g_fibers[i].state = READY;
    return true;
}

static void resume(unsigned i)
{
    g_running = i;
    threadIdx = g_fibers[i].index;
    g_fibers[i].state = ENDED; /* unless it comes back by wait_as */
    swapcontext(&g_scheduler, &g_fibers[i].context);
}

/* Runs the threads of a block. False when some wait for others that never come. */
static bool run_block(unsigned n, const unsigned *order)
{
    for (;;) {
        unsigned ended = 0;
        for (unsigned i = 0; i < n; i++) {
            if (g_fibers[order[i]].state == READY)
                resume(order[i]);
            ended += g_fibers[order[i]].state == ENDED;
        }
        if (ended == n)
            return true;
        if (!release(n))
            return false;
    }
}

static void prepare_block(unsigned n, void (*kernel)(void), const uint64_t *a)
{
    if (__start_patterns_shared != NULL)
        memset(__start_patterns_shared, RUBBISH, (size_t)(__stop_patterns_shared - __start_patterns_shared));
    for (unsigned i = 0; i < n; i++) {
        struct fiber *f = &g_fibers[i];
        f->state = READY;
        f->index = (dim3){i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = g_stacks + i * STACK_SIZE;
        f->context.uc_stack.ss_size = STACK_SIZE;
        f->context.uc_link = &g_scheduler;
        /* glibc passes arguments of 64 bits through the registers of a call, so that the kernel finds its own. */
        makecontext(&f->context, kernel, MAX_ARGS, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    }
}

static void set_error(struct call *call, const char *name, const char *what)
{
    snprintf(call->error, sizeof(call->error), "%s: %s", name, what);
}

void emulate(struct call *call, const char *name, dim3 grid, dim3 block, void (*kernel)(void), int n_args, ...)
{
    static unsigned threads[MAX_THREADS];
    unsigned n = block.x * block.y * block.z, n_blocks = grid.x * grid.y * grid.z;
    if (call->error[0] != '\0')
        return;
    if (n == 0 || n > MAX_THREADS || n_blocks == 0) {
        set_error(call, name, "a grid has at least one block, and a block 1 to 1024 threads");
        return;
    }
    uint64_t args[MAX_ARGS] = {0};
    va_list rest;
    va_start(rest, n_args);
    for (int i = 0; i < n_args; i++)
        args[i] = va_arg(rest, uint64_t);
    va_end(rest);
    if (g_stacks == NULL) {
        void *stacks = mmap(NULL, MAX_THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        g_stacks = stacks == MAP_FAILED ? NULL : stacks;
    }
    unsigned *blocks = calloc(n_blocks, sizeof(*blocks));
    if (g_stacks == NULL || blocks == NULL)
        set_error(call, name, "no memory for the threads");
    gridDim = grid;
    blockDim = block;
    uint32_t random = g_seed;
    if (blocks != NULL)
        put_in_order(blocks, n_blocks, &random);
    for (unsigned i = 0; i < n_blocks && call->error[0] == '\0'; i++) {
        blockIdx = (dim3){blocks[i] % grid.x, blocks[i] / grid.x % grid.y, blocks[i] / grid.x / grid.y};
        put_in_order(threads, n, &random);
        prepare_block(n, kernel, args);
        if (!run_block(n, threads))
            set_error(call, name, "threads of a block wait for others that wait elsewhere or have ended");
    }
    free(blocks);
}
