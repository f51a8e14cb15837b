/* SPDX-License-Identifier: MIT */
/*
 * HTTP for /metrics, /healthz and /readyz, by libmicrohttpd on the caller's thread. What a client may take is bounded:
 * connections, bytes of a request's head, and the time of a connection, which has one request. Called by main.c.
 */
#ifndef GF_METRICS_HTTP_H
#define GF_METRICS_HTTP_H

#include "front.h"

struct gf_http;

/* Answers on the listening socket from what the front knows; both stay the caller's. NULL with errno. */
struct gf_http *gf_http_start(int listening, struct gf_front *front);
/* Serves until the front has ended. */
void gf_http_run(struct gf_http *http);
/* Accepts NULL, returns NULL. */
struct gf_http *gf_http_stop(struct gf_http *http);

/* Whether the value of a request's header Accept (may be NULL) lists OpenMetrics. */
bool gf_http_accepts_openmetrics(const char *accept);

#endif
