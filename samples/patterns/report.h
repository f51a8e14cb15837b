/* SPDX-License-Identifier: MIT */
/* Prints what came of rungs, as a table or as JSON, row by row as they come. Called by main.c. */
#ifndef PATTERNS_REPORT_H
#define PATTERNS_REPORT_H

#include <stdbool.h>

#include "harness.h"

struct report {
    bool json;
    double copy_rate;            /* bytes per second, read and written; 0 where nothing is timed */
    const struct ladder *ladder; /* of the last row; NULL before the first */
    bool racy;                   /* the last row was wrong on purpose */
    double rate;                 /* of the last row that was timed: bytes or flops per second */
    unsigned n_rows;
};

/* All ladders and rungs, with their sentences. */
void report_list(bool json);
/* What the rows are about. */
void report_begin(struct report *report, const char *machine);
void report_row(struct report *report, const struct row *row);
/* Prints what stands beside the last row's ladder. */
void report_ladder_end(struct report *report);
void report_end(struct report *report);

#endif
