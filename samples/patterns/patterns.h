/* SPDX-License-Identifier: MIT */
/*
 * A ladder is one problem and the rungs that solve it, from the naive kernel to the product's. A ladder has two files
 * in ladders/. Its .cu has the kernels. Its .c has the problem, the reference and the table of rungs, and includes the
 * .cu to emulate its kernels. main.c walks all ladders; harness.c runs a rung.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <gpufilter/client.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call.h"

/* One step of a ladder. A rung sets exactly one of: cuda and cpu, host, or program. */
struct rung {
    const char *name;
    const char *about; /* what changed since the rung before, and what limits this one */
    void (*cuda)(struct call *call);
    void (*cpu)(struct call *call);  /* the same kernels, emulated */
    void (*host)(struct call *call); /* a plain loop on the host, or a library that is not emulated */
    const char *program;             /* the product's own kernel: a program for gpufilter_run_text */
    unsigned parameter;              /* a stride, a tile or an operator, which the ladder's reference and traffic
                                      * know */
    size_t max_n;                    /* the largest size the rung supports; 0: any */
    size_t max_emulated;             /* the largest size at which the emulated rung is checked; 0: any */
    bool on_gpu;                     /* `host` calls a GPU library and passes GPU pointers */
    bool in_on_host, out_on_host;    /* in[0] or out is host memory, because the rung itself copies */
    bool locked;                     /* the pages of that host memory are locked */
    bool begins;                     /* starts a new comparison: no ratio to the rung before */
    bool racy;                       /* wrong on purpose: threads overwrite each other's results */
    double (*operations)(double n);  /* in theory, over all threads; NULL: the column stays empty */
    double (*steps)(double n);       /* operations that must follow one another, however many threads there are */
};

/* The forms of RUNG(function); see kernel.h. Without a CUDA compiler only the emulated form exists. */
#ifdef PATTERNS_CUDA
#define RUNG_FORMS(function) .cuda = cuda_##function, .cpu = cpu_##function
#else
#define RUNG_FORMS(function) .cpu = cpu_##function
#endif

/* Rows of a ladder's table. The last arguments are the rung's `about`, then further fields. */
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

/* The bytes of every buffer. */
struct sizes {
    size_t in[MAX_INPUTS], out, temp;
};

/* The shapes and types of the inputs of a rung with a program, and how many of them go to the device once; the
 * remaining ones go with each request. */
struct views {
    gpufilter_view in[MAX_INPUTS]; /* without channels: there is no such input */
    uint32_t n_resident;
};

struct ladder {
    const char *name;
    const char *title;     /* the problem, in a few words */
    size_t n;              /* the size at which rungs are timed unless --size is given, in units of `counts` */
    size_t max_n;          /* the largest size before something overflows; 0: limited by memory alone */
    const char *counts;    /* "elements", "rows and columns" */
    const size_t *checked; /* the sizes at which every rung is checked */
    size_t n_checked;
    void (*sizes)(size_t n, unsigned parameter, struct sizes *ret_sizes);
    void (*fill)(size_t n, void *const in[MAX_INPUTS]);
    void (*reference)(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out);
    /* Counts the wrong or lost results, out of *ret_of. NULL: compares 32-bit words, or if they are `counters`, counts
     * what they are off by out of their sum. */
    uint64_t (*wrong)(size_t n, unsigned parameter, const void *got, const void *expected, uint64_t *ret_of);
    bool counters;
    /* The bytes that any solution must move or, where bytes is NULL, the operations that it must do. Rungs of a ladder
     * with neither are not timed. */
    double (*bytes)(size_t n, unsigned parameter);
    double (*flops)(size_t n, unsigned parameter);
    bool plain_operations;                            /* flops counts operations other than floating point */
    void (*views)(size_t n, struct views *ret_views); /* NULL: no rung has a program */
    /* Adds a remark to a row with a right result, for example "; 7 were counted". NULL: no remark. */
    void (*note)(size_t n, unsigned parameter, const void *got, char *ret_text, size_t size);
    void (*beside)(void); /* prints further text below the table; NULL: none */
    const struct rung *rungs;
    size_t n_rungs;
};

/* Shorthand for what most ladders define in one line. FORMULA: the operations or steps of a rung. TRAFFIC: the bytes,
 * flops or operations of a ladder. SIZES: the buffers, as fields of struct sizes. FILL: the numbers of the
 * only input. VIEWS: the number of resident inputs, then all inputs, each a PICTURE. PLAIN_LOOP: the reference as a
 * rung. LADDER: the ladder, with the tables and functions that are named like its fields; LADDER_FROM: one of two
 * ladders of a file. */
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
#define FILL(type, count, value_at_i)                                                                                  \
    static void fill(size_t n, void *const in[MAX_INPUTS])                                                             \
    {                                                                                                                  \
        type *all = in[0];                                                                                             \
        for (size_t i = 0; i < (count); i++)                                                                           \
            all[i] = value_at_i;                                                                                       \
    }
#define VIEWS(resident, ...)                                                                                           \
    static void views(size_t n, struct views *ret_views)                                                               \
    {                                                                                                                  \
        *ret_views = (struct views){.n_resident = resident, .in = {__VA_ARGS__}};                                      \
    }
#define PICTURE(columns, rows, type)                                                                                   \
    {                                                                                                                  \
        .width = columns, .height = rows, .dtype = type, .channels = 1                                                 \
    }
#define PLAIN_LOOP(name)                                                                                               \
    static void name(struct call *call)                                                                                \
    {                                                                                                                  \
        reference(call->n, call->parameter, call->in, call->out);                                                      \
    }
#define LADDER(variable, ...) LADDER_FROM(variable, fill, checked, rungs, __VA_ARGS__)
#define LADDER_FROM(variable, its_fill, its_checked, its_rungs, ...)                                                   \
    const struct ladder variable = {.checked = its_checked,                                                            \
                                    .n_checked = sizeof(its_checked) / sizeof(its_checked[0]),                         \
                                    .sizes = sizes,                                                                    \
                                    .fill = its_fill,                                                                  \
                                    .reference = reference,                                                            \
                                    .rungs = its_rungs,                                                                \
                                    .n_rungs = sizeof(its_rungs) / sizeof(its_rungs[0]),                               \
                                    __VA_ARGS__}

/* Bits that look random and depend on i only. */
static inline uint32_t random_bits(uint32_t i)
{
    i = (i ^ i >> 16) * 0x7FEB352Du;
    i = (i ^ i >> 15) * 0x846CA68Bu;
    return i ^ i >> 16;
}

/* All ladders, in the order in which to read them. */
extern const struct ladder *const g_ladders[];
extern const size_t g_n_ladders;

#endif
