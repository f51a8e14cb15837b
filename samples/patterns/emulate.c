/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels thread by thread; see emulate.h. All threads of a block run in turn until each waits or has ended. Then
 * the threads whose barrier or warp is complete go on. Threads run in ucontext fibers. A fiber runs one thread after
 * the other until a thread waits; the fiber and its stack then belong to this thread, and a new fiber starts with the
 * next thread. Shared memory is filled with rubbish before each block.
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

enum state { AT_START, READY, AT_BARRIER, AT_WARP, ENDED };

struct thread {
    ucontext_t context; /* where it waits; before the first thread of a fiber runs: the fiber's entry */
    enum state state;
    dim3 index;
    unsigned mask;  /* the lanes it waits for, AT_WARP */
    uint64_t given; /* the value for the other lanes */
    uint64_t seen;  /* the given value, fixed when all lanes of the mask had arrived */
};

dim3 threadIdx, blockIdx, blockDim, gridDim;

/* All __shared__ variables; the linker gathers them in one section. */
extern char __start_patterns_shared[] __attribute__((weak));
extern char __stop_patterns_shared[] __attribute__((weak));

static struct thread g_threads[MAX_THREADS];
static ucontext_t g_scheduler;
static unsigned g_running; /* index of the thread that runs */
static void (*g_kernel)(void);
static uint64_t g_args[MAX_ARGS];
static unsigned g_order[MAX_THREADS], g_n; /* the block's threads in the order of their turns, and their number */
static unsigned g_begun, g_turn;           /* how many have begun, and have had their turn in this round */
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

/* Fills `order` with 0 to n - 1 in the chosen order. */
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

/* The body of a fiber: runs threads that have not begun, one after the other, then returns to the scheduler. */
static void run_threads(void)
{
    typedef void kernel_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                           uint64_t);
    const uint64_t *a = g_args;
    while (g_begun < g_n) {
        g_running = g_order[g_begun++];
        threadIdx = g_threads[g_running].index;
        /* Kernels take only pointers and integers, which are passed alike. */
        ((kernel_fn *)g_kernel)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
        g_threads[g_running].state = ENDED; /* g_running: other threads ran while this one waited */
    }
}

/* Makes a fiber that begins with the next thread. */
static ucontext_t *new_fiber(void)
{
    unsigned i = g_order[g_begun];
    ucontext_t *context = &g_threads[i].context;
    getcontext(context);
    context->uc_stack.ss_sp = g_stacks + i * STACK_SIZE;
    context->uc_stack.ss_size = STACK_SIZE;
    context->uc_link = &g_scheduler;
    makecontext(context, run_threads, 0);
    return context;
}

/* Picks what runs next: a thread that has not begun, then a thread that is ready in this round, then the scheduler. */
static ucontext_t *next_context(void)
{
    if (g_begun < g_n)
        return new_fiber();
    while (g_turn < g_n) {
        unsigned i = g_order[g_turn++];
        if (g_threads[i].state != READY)
            continue;
        g_running = i;
        threadIdx = g_threads[i].index;
        return &g_threads[i].context;
    }
    return &g_scheduler;
}

/* Lets other threads run; returns when this thread may go on. */
static void wait_as(enum state state)
{
    struct thread *self = &g_threads[g_running];
    self->state = state;
    swapcontext(&self->context, next_context());
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
    g_threads[g_running].mask = mask;
    g_threads[g_running].given = value;
    wait_as(AT_WARP);
}

uint64_t emulate_shuffle(unsigned mask, uint64_t value, unsigned lane)
{
    exchange(mask, value);
    unsigned warp = g_running / warpSize * warpSize;
    if (mask >> lane & 1u)
        return g_threads[warp + lane].seen;
    return 0x0101010101010101u * RUBBISH; /* a lane outside the mask has no value */
}

unsigned emulate_ballot(unsigned mask, bool predicate)
{
    exchange(mask, predicate);
    unsigned warp = g_running / warpSize * warpSize, bits = 0;
    for (unsigned lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1u)
            bits |= (unsigned)g_threads[warp + lane].seen << lane;
    return bits;
}

/* Whether all lanes that `self` waits for have arrived with the same mask. */
static bool warp_is_complete(unsigned self)
{
    unsigned warp = self / warpSize * warpSize, mask = g_threads[self].mask;
    for (unsigned lane = 0; lane < warpSize; lane++) {
        const struct thread *t = &g_threads[warp + lane];
        if ((mask >> lane & 1u) && (warp + lane >= g_n || t->state != AT_WARP || t->mask != mask))
            return false;
    }
    return true;
}

static void release_warp(unsigned self)
{
    unsigned warp = self / warpSize * warpSize, mask = g_threads[self].mask;
    for (unsigned lane = 0; lane < warpSize; lane++)
        if (mask >> lane & 1u) {
            g_threads[warp + lane].seen = g_threads[warp + lane].given;
            g_threads[warp + lane].state = READY;
        }
}

/* Makes every thread READY whose warp or barrier is complete. Returns false if there is none. */
static bool release(void)
{
    bool released = false;
    unsigned waiting = 0, ended = 0;
    for (unsigned i = 0; i < g_n; i++) {
        if (g_threads[i].state == AT_WARP && warp_is_complete(i)) {
            release_warp(i);
            released = true;
        }
        waiting += g_threads[i].state == AT_BARRIER;
        ended += g_threads[i].state == ENDED;
    }
    if (waiting == 0 || waiting + ended < g_n)
        return released;
    for (unsigned i = 0; i < g_n; i++)
        if (g_threads[i].state == AT_BARRIER)
            g_threads[i].state = READY;
    return true;
}

/* Runs the threads of a block. Returns false if threads wait for others that never come. */
static bool run_block(void)
{
    g_begun = 0;
    g_turn = g_n;
    for (;;) {
        unsigned ended = 0;
        for (ucontext_t *next = next_context(); next != &g_scheduler; next = next_context())
            swapcontext(&g_scheduler, next);
        for (unsigned i = 0; i < g_n; i++)
            ended += g_threads[i].state == ENDED;
        if (ended == g_n)
            return true;
        if (!release())
            return false;
        g_turn = 0;
    }
}

static void prepare_block(void)
{
    if (__start_patterns_shared != NULL)
        memset(__start_patterns_shared, RUBBISH, (size_t)(__stop_patterns_shared - __start_patterns_shared));
    for (unsigned i = 0; i < g_n; i++) {
        g_threads[i].state = AT_START;
        g_threads[i].index = (dim3){i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    }
}

static void set_error(struct call *call, const char *name, const char *what)
{
    snprintf(call->error, sizeof(call->error), "%s: %s", name, what);
}

void emulate(struct call *call, const char *name, dim3 grid, dim3 block, void (*kernel)(void), int n_args, ...)
{
    unsigned n = block.x * block.y * block.z, n_blocks = grid.x * grid.y * grid.z;
    if (call->error[0] != '\0')
        return;
    if (n == 0 || n > MAX_THREADS || n_blocks == 0) {
        set_error(call, name, "a grid has at least one block, and a block 1 to 1024 threads");
        return;
    }
    g_n = n;
    g_kernel = kernel;
    va_list rest;
    va_start(rest, n_args);
    for (int i = 0; i < MAX_ARGS; i++)
        g_args[i] = i < n_args ? va_arg(rest, uint64_t) : 0;
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
        put_in_order(g_order, n, &random);
        prepare_block();
        if (!run_block())
            set_error(call, name, "threads of a block wait for others that wait elsewhere or have ended");
    }
    free(blocks);
}
