/* SPDX-License-Identifier: MIT */
/*
 * What a ladder is: one problem, and rungs that solve it, from the naive kernel to the product's. Each ladder stands in
 * two files of ladders/: its .cu has the kernels; its .c, which includes the .cu to emulate it, the problem, the
 * reference and the table of rungs. main.c walks all ladders, harness.c runs a rung.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <gpufilter/client.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"

/* One step of a ladder. Exactly one of (cuda, cpu), host and program is given. */
struct rung {
    const char *name;
    const char *about; /* what changed from the rung before, and what limits it now */
    void (*cuda)(struct call *call);
    void (*cpu)(struct call *call);  /* the same kernels, emulated */
    void (*host)(struct call *call); /* a plain loop of the host, or a library that is not emulated */
    const char *program;             /* of the daemon, as gpufilter_run_text takes it: the product's own kernel */
    unsigned parameter;              /* a stride, a tile, an operator: the ladder's reference and traffic know it */
    size_t max_n;                    /* the largest size it can do; 0: any */
    size_t max_emulated;             /* the largest size it is checked at where it is emulated; 0: any */
    bool on_gpu;                     /* host calls a library of the GPU, with its pointers */
    bool in_on_host, out_on_host;    /* the kernels' form copies: in[0] or out is memory of the host */
    bool locked;                     /* whose pages are locked */
    bool begins;                     /* a comparison of its own: no ratio to the rung before */
    bool racy;                       /* wrong on purpose: threads overwrite each other's results */
    double (*operations)(double n);  /* in theory, over all threads; NULL: not worth a column */
    double (*steps)(double n);       /* one after the other, however many threads there are */
};

/* The forms of RUNG(function); see kernel.h. Without a CUDA compiler there is none for a GPU. */
#ifdef PATTERNS_CUDA
#define RUNG_FORMS(function) .cuda = cuda_##function, .cpu = cpu_##function
#else
#define RUNG_FORMS(function) .cpu = cpu_##function
#endif

/* Rows of a ladder's table; the last arguments are a rung's `about` and other fields. */
#define KERNEL(function, rung, ...)                                                                                    \
    {                                                                                                                  \
        RUNG_FORMS(function), .name = rung, .about = __VA_ARGS__                                                       \
    }
#define HOST(function, rung, ...)                                                                                      \
    {                                                                                                                  \
        .host = function, .name = rung, .about = __VA_ARGS__                                                           \
    }
#define WORK(in_all, in_turn) .operations = in_all, .steps = in_turn
#define PRODUCT(text, rung, ...)                                                                                       \
    {                                                                                                                  \
        .program = text, .name = rung, .about = __VA_ARGS__                                                            \
    }

/* Bytes of every buffer. */
struct sizes {
    size_t in[MAX_INPUTS], out, temp;
};

struct ladder {
    const char *name;
    const char *title;     /* the problem, in a few words */
    size_t n;              /* the size it is timed at unless --size says another; what it counts, says `counts` */
    size_t max_n;          /* more than this overflows something; 0: what memory holds */
    const char *counts;    /* "elements", "rows and columns" */
    const size_t *checked; /* sizes that every rung is checked at */
    size_t n_checked;
    void (*sizes)(size_t n, unsigned parameter, struct sizes *ret_sizes);
    void (*fill)(size_t n, void *const in[MAX_INPUTS]);
    void (*reference)(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out);
    /* How many of *ret_of results are wrong, or were lost. NULL: 32-bit words that differ. */
    uint64_t (*wrong)(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of);
    /* What any solution has to move, or, where bytes is NULL, to compute. Without either, rungs are not timed. */
    double (*bytes)(size_t n, unsigned parameter);
    double (*flops)(size_t n, unsigned parameter);
    bool plain_operations; /* flops counts operations that are not of floating point */
    /* The inputs of a rung with a program: their shapes and types. The first n_resident go to the device once, the
     * others with each request. NULL: no such rung. */
    void (*views)(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident);
    /* What else a row says about a right result, as "; 7 were counted"; NULL: nothing. */
    void (*note)(size_t n, unsigned parameter, const void *got, char *ret_text, size_t size);
    void (*beside)(void); /* prints what stands beside the table; NULL: nothing */
    const struct rung *rungs;
    size_t n_rungs;
};

/* What most ladders say in a line. FORMULA: operations or steps of a rung. TRAFFIC: bytes, flops or operations of a
 * ladder. SIZES: of the buffers, as fields of struct sizes. ROW_VIEW: one input, a row of n. PLAIN_LOOP: the reference
 * as a rung. LADDER: with the tables and functions that have their fields' names. */
#define FORMULA(name, value)                                                                                           \
    static double name(double n)                                                                                       \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        return value;                                                                                                  \
    }
#define TRAFFIC(name, value)                                                                                           \
    static double name(size_t n, unsigned parameter)                                                                   \
    {                                                                                                                  \
        (void)n, (void)parameter;                                                                                      \
        return value;                                                                                                  \
    }
#define SIZES(...)                                                                                                     \
    static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)                                           \
    {                                                                                                                  \
        (void)n, (void)parameter;                                                                                      \
        *ret_sizes = (struct sizes){__VA_ARGS__};                                                                      \
    }
#define ROW_VIEW(type)                                                                                                 \
    static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)           \
    {                                                                                                                  \
        in[0] = (gpufilter_view){.width = n, .height = 1, .dtype = type, .channels = 1};                               \
        *ret_n_in = *ret_n_resident = 1;                                                                               \
    }
#define PLAIN_LOOP(name)                                                                                               \
    static void name(struct call *call)                                                                                \
    {                                                                                                                  \
        reference(call->n, call->parameter, call->in, call->out);                                                      \
    }
#define LADDER(variable, ...)                                                                                          \
    const struct ladder variable = {.checked = checked,                                                                \
                                    .n_checked = sizeof(checked) / sizeof(checked[0]),                                 \
                                    .sizes = sizes,                                                                    \
                                    .fill = fill,                                                                      \
                                    .reference = reference,                                                            \
                                    .rungs = rungs,                                                                    \
                                    .n_rungs = sizeof(rungs) / sizeof(rungs[0]),                                       \
                                    __VA_ARGS__}

/* All of them, in the order to read them in. */
extern const struct ladder *const g_ladders[];
extern const size_t g_n_ladders;

#endif
