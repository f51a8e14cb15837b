/* SPDX-License-Identifier: MIT */
/*
 * Figures of the daemon as text, for people and for programs. Used by the other files of this folder and by
 * bench_group.c.
 */
#ifndef GF_CLI_METRICS_H
#define GF_CLI_METRICS_H

#include <stdbool.h>
#include <stdio.h>

#include "gpufilter/client.h"

struct gf_metrics_list {
    gpufilter_metric *rows; /* owned */
    uint32_t n;
};

/* Fetches all figures from the daemon; on failure false and the error. */
bool gf_metrics_fetch(gpufilter_client *client, struct gf_metrics_list *ret, gpufilter_error *err);
/* For gf_cleanup. */
void gf_metrics_list_deinit(struct gf_metrics_list *list);

/* One label of a metric. */
struct gf_label {
    char key[128], value[128];
};

/* Reads the next label and advances the text; false at the end. */
bool gf_label_next(const char **labels, struct gf_label *ret);

/* Finds the label of a metric with this key; false if there is none. */
bool gf_label_find(const gpufilter_metric *m, const char *key, struct gf_label *ret);

/* The word of a GPUFILTER_DEVICE_... state, e.g. "ready". Static text. */
const char *gf_device_state_word(uint32_t state);

/* Prints the text exposition format 0.0.4 of Prometheus. */
void gf_metrics_prometheus(FILE *out, const struct gf_metrics_list *list);
/* Prints tables of the daemon, of each device and of each user. */
void gf_metrics_table(FILE *out, const struct gf_metrics_list *list);
/* Prints a Grafana dashboard as JSON to standard output: a panel for each title in protocol/wire/metrics.def. */
void gf_dashboard_print(void);

#endif
