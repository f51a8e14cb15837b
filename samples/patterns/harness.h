/* SPDX-License-Identifier: MIT */
/* Runs one rung: checks it at small and odd sizes, checks it at the size at which it is timed, then times it. Called by
 * main.c. */
#ifndef PATTERNS_HARNESS_H
#define PATTERNS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"
#include "patterns.h"

enum verdict {
    RIGHT,
    WRONG,
    WRONG_AS_EXPECTED,
    RIGHT_BY_LUCK, /* although it is racy */
    FAILED,        /* text gives the reason */
    NOT_RUN        /* something it needs is missing; text says what */
};

/* The outcome of a rung. */
struct row {
    const struct ladder *ladder;
    const struct rung *rung;
    enum verdict verdict;
    size_t n;            /* the size at which it was timed or went wrong */
    uint64_t wrong, of;  /* wrong results, and all results */
    double seconds;      /* 0: not timed */
    double bytes, flops; /* that the problem needs at this size; 0: not counted */
    bool has_facts;
    struct kernel_facts facts;
    char text[200]; /* the reason for FAILED and NOT_RUN; the ladder's note on a right result */
};

/* The bytes of all buffers of a rung. */
size_t harness_memory(const struct ladder *ladder, const struct rung *rung, size_t n);
/* Checks a rung at the ladder's sizes. With timed_n > 0, also checks and times it at that size. */
void harness_run(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t timed_n,
                 struct row *ret_row);
/* Checks a rung at one size only. */
void harness_check(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t n,
                   struct row *ret_row);
/* Frees the problem that is kept between rungs of a ladder. */
void harness_close(const struct machine *machine);

#endif
