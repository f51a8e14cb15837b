/* SPDX-License-Identifier: MIT */
/*
 * Device memory with known bytes in padding and everywhere else that a case does not set. Results then show whether
 * such bytes matter, and tools that detect reads of unwritten memory do not report it. For the runner.
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
