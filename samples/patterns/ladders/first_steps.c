/* SPDX-License-Identifier: MIT */
/* The problems of first_steps.cu: a greeting from every thread, then c = 7, then c = a + b. */
#include "first_steps.cu"
#include "samples/patterns/patterns.h"

#include <stdio.h>
#include <string.h>

enum { HELLO, SET, ADD };
enum {
    MAX_HELLO = 1000 * BLOCK, /* a greeting has three digits for the block */
    MAX_SIDE = 16384          /* of a picture for the product */
};

static const size_t checked[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 5000};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    size_t size = n * sizeof(float);
    *ret_sizes = (struct sizes){.in = {size, size}, .out = parameter == HELLO ? n * LINE : size};
}

/* Small integers, so that sums are exact. */
static void fill(size_t n, void *const in[MAX_INPUTS])
{
    float *a = in[0], *b = in[1];
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(i % 1000);
        b[i] = (float)(i / 1000 % 1000) - 500;
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const float *a = in[0], *b = in[1];
    float *c = out;
    char *lines = out, line[80];
    for (size_t i = 0; i < n; i++) {
        if (parameter == HELLO) {
            snprintf(line, sizeof(line), "hello from block %03zu thread %03zu\n", i / BLOCK, i % BLOCK);
            memcpy(lines + i * LINE, line, LINE);
        } else {
            c[i] = parameter == SET ? 7 : a[i] + b[i];
        }
    }
}

static double bytes(size_t n, unsigned parameter)
{
    if (parameter == HELLO)
        return (double)n * LINE;
    return (double)n * sizeof(float) * (parameter == SET ? 1 : 3);
}

/* The arrays as pictures, whose sides are limited: one row, or the longest rows whose length divides n. */
static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    size_t width = n < MAX_SIDE ? n : MAX_SIDE;
    while (width > 0 && n % width != 0)
        width--;
    in[0] = in[1] = gpufilter_const_view(NULL, width, width > 0 ? n / width : 0, 0, GPUFILTER_F32, 1);
    *ret_n_in = *ret_n_resident = 2;
}

FORMULA(one, 1)
FORMULA(each, n)

static const struct rung rungs[] = {
    KERNEL(first_steps_hello, "hello", "every thread writes a line of text with its block and its number",
           .parameter = HELLO, .max_n = MAX_HELLO),
    KERNEL(first_steps_set, "set", "every thread writes one number; coalesced; 4 bytes in flight for each thread",
           .parameter = SET),
    KERNEL(first_steps_add, "add", "two arrays read, one written; still limited by memory", .parameter = ADD,
           WORK(each, one)),
    PRODUCT("combine mode=linear", "combine", "the daemon's kernel", .parameter = ADD, WORK(each, one)),
};

LADDER(g_first_steps, .name = "first-steps", .title = "c = a + b over arrays of float", .n = (size_t)1 << 28,
       .counts = "elements", .bytes = bytes, .views = views);
