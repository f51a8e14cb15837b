/* SPDX-License-Identifier: MIT */
/*
 * Device memory in which padding and everything else that a case does not set is known, so that results show whether
 * it plays a part, and tools that look for reads of memory never written find none of it. For the runner.
 */
#ifndef GF_TESTS_POISON_H
#define GF_TESTS_POISON_H

#include "runner.h"

/* Leaves memory full of `byte` for the pictures of the case where the next job of the device's exec context takes its
 * own from. False where a job for that failed. */
bool gf_poison_exec(const struct gf_runner_device *device, const struct gf_case *c, unsigned char byte);
/* Fills a resident buffer, padding too. */
bool gf_poison_buffer(const struct gf_runner_device *device, const struct gf_buf *buf, unsigned char byte);

#endif
