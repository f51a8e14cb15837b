/* SPDX-License-Identifier: MIT */
/* Messages of a worker on standard error, which is the journal of its unit. Used by the whole folder. */
#ifndef GF_WORKER_SAY_H
#define GF_WORKER_SAY_H

#include "protocol/base/base.h"

/* Prints one line without a trailing newline: why the worker fails, or what it runs without. An error in the journal.
 * May be called from any thread. */
void gf_worker_log(const char *fmt, ...) gf_printf(1, 2);

#endif
