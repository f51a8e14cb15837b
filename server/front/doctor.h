/* SPDX-License-Identifier: MIT */
/* --doctor: checks the machine as the daemon would find it, and reports what is missing. Called by main.c. */
#ifndef GF_FRONT_DOCTOR_H
#define GF_FRONT_DOCTOR_H

#include "server/front/base/options.h"

/* Prints a line for each thing: ok, note (it works, but) or bad (and what to do). Files of the system are looked for
 * below `root`, which is empty but in tests. Returns how many lines are bad. */
uint32_t gf_doctor(const struct gf_options *options, const char *root);

#endif
