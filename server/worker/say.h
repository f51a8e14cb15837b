/* SPDX-License-Identifier: MIT */
/* What a worker says of itself on standard error, which is the journal of its unit. Used by the whole folder. */
#ifndef GF_WORKER_SAY_H
#define GF_WORKER_SAY_H

#include "protocol/base/base.h"

/* One line, without a newline at its end: why the worker fails, or what it goes without. An error in the journal. From
 * any thread. */
void gf_worker_say(const char *fmt, ...) gf_printf(1, 2);

#endif
