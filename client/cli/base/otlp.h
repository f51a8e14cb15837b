/* SPDX-License-Identifier: MIT */
/* A timeline as spans of OpenTelemetry (OTLP/JSON 1.x), for --otlp. Used by timeline.c. */
#ifndef GF_CLI_OTLP_H
#define GF_CLI_OTLP_H

#include "cli.h"
#include "timeline_events.h"

/* Checks what --otlp names before any work: the file can be written, or the build and the machine have what sends to a
 * URL. Reports the error and returns an exit code. */
int gf_otlp_try(const struct gf_cli *cli);

/* Begins the command's span, below the one that TRACEPARENT names. From then on TRACEPARENT names the command's span,
 * for the daemon's log. Reports the error and returns an exit code. */
int gf_otlp_begin(const struct gf_cli *cli, struct gf_timeline *t);

/* Writes the timeline of a command that ends with `code`. A collector that does not take it costs a warning. Returns an
 * exit code. */
int gf_otlp_write(const struct gf_cli *cli, const struct gf_timeline *t, int code);

#endif
