/* SPDX-License-Identifier: MIT */
/* --doctor: checks the machine and reports what the daemon would miss. Called by main.c. */
#ifndef GF_FRONT_DOCTOR_H
#define GF_FRONT_DOCTOR_H

#include "server/front/base/options.h"

/* Prints one line per check: ok, note (works, with a remark) or bad (with advice). System files are looked up below
 * `root`, which is only non-empty in tests. Returns the number of bad lines. */
uint32_t gf_doctor(const struct gf_options *options, const char *root);

#endif
