/* SPDX-License-Identifier: MIT */
/* The last rung of a ladder: the daemon's own kernel on the same data. Called by harness.c. */
#ifndef PATTERNS_PRODUCT_H
#define PATTERNS_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "patterns.h"

/* Runs a program of the daemon on one of its devices. Large inputs and results stay on the device. The result goes to
 * `out`; its integers become as wide as out_size requires. ret_times gets the seconds of the kernels in n_times more
 * runs. Returns false with a reason; *ret_absent says whether the reason is that no daemon was found. */
bool product_run(const struct ladder *ladder, const char *program, const char *device, size_t n,
                 void *const in[MAX_INPUTS], void *out, size_t out_size, unsigned n_times, double *ret_times,
                 bool *ret_absent, char *ret_why, size_t why_size);
void product_close(void);

#endif
