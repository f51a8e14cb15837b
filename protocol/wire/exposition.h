/* SPDX-License-Identifier: MIT */
/*
 * Metrics as the text that Prometheus reads: its own format 0.0.4, or OpenMetrics 1.0.0. Used by the command's
 * `metrics` and by gpufilterd-metrics. The metrics are those that gf_metrics_decode passes on, in their order.
 */
#ifndef GF_PROTOCOL_EXPOSITION_H
#define GF_PROTOCOL_EXPOSITION_H

#include <stdio.h>

#include "metric.h"

enum gf_exposition_format { GF_EXPOSITION_TEXT, GF_EXPOSITION_OPENMETRICS };

struct gf_exposition {
    FILE *out; /* the caller's */
    enum gf_exposition_format format;
    char family[GF_MAX_METRIC_TEXT + 1]; /* whose values are being written; empty before the first */
};

void gf_exposition_begin(struct gf_exposition *exposition, FILE *out, enum gf_exposition_format format);
/* Writes one value, after the description of its family if it is the first of its family. `exposition` is a struct
 * gf_exposition, so that gf_metrics_decode can call this. Errors are those of the stream. */
void gf_exposition_put(void *exposition, const struct gf_metric *metric);
/* Writes what ends the text. */
void gf_exposition_end(struct gf_exposition *exposition);

#endif
