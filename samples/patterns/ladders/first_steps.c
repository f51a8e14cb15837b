/* SPDX-License-Identifier: MIT */
/* The problem of first_steps.cu: c = a + b. Before it, c = 7, and a greeting from every thread. */
#include "samples/patterns/patterns.h"

#include <stdio.h>
#include <string.h>

DECLARE_RUNG(first_steps_hello);
DECLARE_RUNG(first_steps_set);
DECLARE_RUNG(first_steps_add);

enum { HELLO, SET, ADD };
enum {
    BLOCK = 256,              /* threads of a block */
    LINE = 32,                /* bytes of a greeting */
    MAX_HELLO = 1000 * BLOCK, /* it has three digits for a block */
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

/* The arrays as pictures, whose sides are limited: one row, or the longest rows that divide n. */
static void views(size_t n, gpufilter_view in[MAX_INPUTS], uint32_t *ret_n_in, uint32_t *ret_n_resident)
{
    size_t width = n < MAX_SIDE ? n : MAX_SIDE;
    while (width > 0 && n % width != 0)
        width--;
    in[0] = in[1] = gpufilter_const_view(NULL, width, width > 0 ? n / width : 0, 0, GPUFILTER_F32, 1);
    *ret_n_in = *ret_n_resident = 2;
}

static double one(double n)
{
    (void)n;
    return 1;
}

static double each(double n)
{
    return n;
}

static const struct rung rungs[] = {
    {RUNG_FORMS(first_steps_hello), .name = "hello", .parameter = HELLO, .max_n = MAX_HELLO,
     .about = "every thread writes a line of text with its block and its number"},
    {RUNG_FORMS(first_steps_set), .name = "set", .parameter = SET,
     .about = "every thread writes one number; coalesced; 4 bytes on their way for each thread"},
    {RUNG_FORMS(first_steps_add), .name = "add", .parameter = ADD, .operations = each, .steps = one,
     .about = "two arrays read, one written; still limited by memory"},
    {.name = "combine",
     .parameter = ADD,
     .program = "combine mode=linear",
     .operations = each,
     .steps = one,
     .about = "the product's kernel"},
};

const struct ladder g_first_steps = {.name = "first-steps",
                                     .title = "c = a + b over arrays of float",
                                     .n = (size_t)1 << 28,
                                     .counts = "elements",
                                     .checked = checked,
                                     .n_checked = sizeof(checked) / sizeof(checked[0]),
                                     .sizes = sizes,
                                     .fill = fill,
                                     .reference = reference,
                                     .bytes = bytes,
                                     .views = views,
                                     .rungs = rungs,
                                     .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
