/* SPDX-License-Identifier: MIT */
/* The configuration file: lines `name = value`, optionally below [gpufilterd], parsed by inih. Called by options.c. */
#ifndef GF_FRONT_OPTIONS_FILE_H
#define GF_FRONT_OPTIONS_FILE_H

#include "protocol/base/error.h"

/* Receives one line that is not a comment. */
typedef enum gf_status gf_options_entry(void *data, const char *name, const char *value, struct gf_error *err);

/* Calls `entry` for each line. BAD_PARAM names the file and the line of the first invalid one. A missing file is OK
 * unless it is needed. */
enum gf_status gf_options_file_read(const char *path, bool needed, gf_options_entry *entry, void *data,
                                    struct gf_error *err);

#endif
