/* SPDX-License-Identifier: MIT */
/* What the test vectors of all operations cover, and what they lack by the op table. Called by vectors.c. */
#ifndef GF_TESTS_COVERAGE_H
#define GF_TESTS_COVERAGE_H

#include "case.h"

/* Of one operation; sets of GF_DT(), and of the numbers of words. */
struct gf_coverage {
    uint32_t dtypes[GF_MAX_INPUTS];
    bool left_out[GF_MAX_INPUTS];
    uint32_t words[GF_MAX_PARAMS];    /* that stood there */
    uint32_t possible[GF_MAX_PARAMS]; /* that could have stood there, the rest of the vector being as it is */
    bool changed[GF_MAX_PARAMS];      /* from the default */
};

/* Notes a case with one step that has results. */
void gf_coverage_add(struct gf_coverage *coverage, const struct gf_case *c);
/* Whether vectors have every type of each input, leave out each that may be, have every word that is possible, and
 * change every parameter from its default. What is missing is named on stdout. */
bool gf_coverage_complete(const struct gf_op *op, const struct gf_coverage *coverage);

#endif
