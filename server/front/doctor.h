/* SPDX-License-Identifier: MIT */
/* --doctor: checks the machine and reports what the daemon would miss. Called by main.c, which also warns at the start
 * of a daemon whose control group has too little memory. */
#ifndef GF_FRONT_DOCTOR_H
#define GF_FRONT_DOCTOR_H

#include "server/front/base/options.h"

/* Prints one line per check: ok, note (works, with a remark) or bad (with advice). System files are looked up below
 * `root`, which is only non-empty in tests. Returns the number of bad lines. */
uint32_t gf_doctor(const struct gf_options *options, const char *root);

#define GF_DOCTOR_TEXT 512 /* room for a text */
/* Whether the memory of a process's control group (its number, or "self") is enough for staging-max and the programs;
 * the text says what the limit is and whose. */
bool gf_doctor_memory(const struct gf_options *options, const char *root, const char *process, char *ret_text,
                      size_t size);

#endif
