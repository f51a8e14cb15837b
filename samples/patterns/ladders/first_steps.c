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

SIZES(.in = {n * sizeof(float), n * sizeof(float)}, .out = n * (parameter == HELLO ? LINE : sizeof(float)))

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

TRAFFIC(bytes, (double)n *(parameter == HELLO ? LINE : sizeof(float) * (parameter == SET ? 1 : 3)))

/* The arrays as pictures, whose sides are limited: one row, or the longest rows whose length divides n. */
static size_t width_of(size_t n)
{
    size_t width = n < MAX_SIDE ? n : MAX_SIDE;
    while (n % width != 0)
        width--;
    return width;
}

VIEWS(2, PICTURE(width_of(n), n / width_of(n), GPUFILTER_F32), PICTURE(width_of(n), n / width_of(n), GPUFILTER_F32))

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
