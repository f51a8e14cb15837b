/* SPDX-License-Identifier: MIT */
/* Runs one rung: checks it at small sizes and odd ones, then at the size it is timed at, and times it. Called by
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
    RIGHT_BY_LUCK, /* though racy */
    FAILED,        /* text says why */
    NOT_RUN        /* likewise: it needs what is not here */
};

/* What came of a rung. */
struct row {
    const struct ladder *ladder;
    const struct rung *rung;
    enum verdict verdict;
    size_t n;            /* the size it was timed at, or where it went wrong */
    uint64_t wrong, of;  /* results */
    double seconds;      /* 0: not timed */
    double bytes, flops; /* that the problem needs, at that size; 0: not counted */
    bool has_facts;
    struct kernel_facts facts;
    char text[200]; /* why it failed or was not run; what the ladder notes of a right result */
};

/* Bytes of all buffers of a ladder's rung. */
size_t harness_memory(const struct ladder *ladder, const struct rung *rung, size_t n);
/* Runs a rung. With timed_n 0 it is only checked, else also checked and timed at this size. */
void harness_run(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t timed_n,
                 struct row *ret_row);
/* Checks a rung at one size alone. */
void harness_check(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t n,
                   struct row *ret_row);
/* Gives back what is kept from one rung of a ladder to the next. */
void harness_close(const struct machine *machine);

#endif
