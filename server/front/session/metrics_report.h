/* SPDX-License-Identifier: MIT */
/* The daemon's metrics as the body of an answer. Called by session_info.c. */
#ifndef GF_FRONT_METRICS_REPORT_H
#define GF_FRONT_METRICS_REPORT_H

#include "sessions.h"

/* Writes all families into the body. Only root and the daemon's own user see the metrics of other users. */
void gf_metrics_report(const struct gf_sessions *all, const struct gf_account *asker, struct gf_writer *w);

#endif
