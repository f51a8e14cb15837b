/* SPDX-License-Identifier: MIT */
/* The problem of first_steps.cu: c = a + b. */
#include "samples/patterns/patterns.h"

DECLARE_RUNG(first_steps_set);
DECLARE_RUNG(first_steps_add);

enum { SET, ADD };

static const size_t checked[] = {0, 1, 2, 31, 33, 255, 256, 257, 1000, 5000};

static void sizes(size_t n, unsigned parameter, struct sizes *ret_sizes)
{
    (void)parameter;
    *ret_sizes = (struct sizes){.in = {n * sizeof(int), n * sizeof(int)}, .out = n * sizeof(int)};
}

static void fill(size_t n, void *const in[MAX_INPUTS])
{
    int *a = in[0], *b = in[1];
    for (size_t i = 0; i < n; i++) {
        a[i] = (int)(i % 1000);
        b[i] = (int)(i / 1000 % 1000) - 500;
    }
}

static void reference(size_t n, unsigned parameter, const void *const in[MAX_INPUTS], void *out)
{
    const int *a = in[0], *b = in[1];
    int *c = out;
    for (size_t i = 0; i < n; i++)
        c[i] = parameter == SET ? 7 : a[i] + b[i];
}

static double bytes(size_t n, unsigned parameter)
{
    return (double)n * sizeof(int) * (parameter == SET ? 1 : 3);
}

static const struct rung rungs[] = {
    {RUNG_FORMS(first_steps_set), .name = "set", .parameter = SET,
     .about = "one thread for each element; writes alone"},
    {RUNG_FORMS(first_steps_add), .name = "add", .parameter = ADD, .about = "two arrays read, one written"},
};

const struct ladder g_first_steps = {.name = "first-steps",
                                     .title = "c = a + b over arrays of int",
                                     .n = (size_t)1 << 28,
                                     .counts = "elements",
                                     .checked = checked,
                                     .n_checked = sizeof(checked) / sizeof(checked[0]),
                                     .sizes = sizes,
                                     .fill = fill,
                                     .reference = reference,
                                     .bytes = bytes,
                                     .rungs = rungs,
                                     .n_rungs = sizeof(rungs) / sizeof(rungs[0])};
