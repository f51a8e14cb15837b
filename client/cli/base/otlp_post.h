/* SPDX-License-Identifier: MIT */
/* Posts spans to a collector by libcurl, which is loaded when it is needed. Used by otlp.c. */
#ifndef GF_CLI_OTLP_POST_H
#define GF_CLI_OTLP_POST_H

#include "client/io/io_error.h"

/* Whether this build and this machine have libcurl. UNSUPPORTED with a sentence that says what to do. */
enum gf_io_status gf_otlp_can_post(const char *url, struct gf_io_error *err);

/* Posts JSON and waits up to five seconds for an answer of 2xx. FAILED with a sentence. */
enum gf_io_status gf_otlp_post(const char *url, const char *text, size_t size, struct gf_io_error *err);

#endif
