/* SPDX-License-Identifier: MIT */
/* Prints the outcome of rungs, row by row, as a table or as JSON. Called by main.c. */
#ifndef PATTERNS_REPORT_H
#define PATTERNS_REPORT_H

#include <stdbool.h>

#include "harness.h"

struct report {
    bool json;
    double copy_rate;            /* bytes per second, reads and writes both counted; 0 where nothing is timed */
    const struct ladder *ladder; /* of the last row; NULL before the first */
    bool racy;                   /* the last row was wrong on purpose */
    double rate;                 /* of the last timed row: bytes or flops per second */
    unsigned n_rows;
};

/* Prints all ladders and rungs with their descriptions. */
void report_list(bool json);
/* Prints the machine that the rows are about. */
void report_begin(struct report *report, const char *machine);
void report_row(struct report *report, const struct row *row);
/* Prints the further text of the last row's ladder. */
void report_ladder_end(struct report *report);
void report_end(struct report *report);

#endif
